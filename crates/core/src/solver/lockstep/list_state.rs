//! The state of puzzles whose solutions are all handed out, each lane's in the order of its own search.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::any_batch_state::{DigitBuffer, LOOK_INTERVAL, groups};
use super::any_sweep::MAX_SIDE;
use super::batch_state::{BatchState, SolutionRequest};
use crate::grid::Shape;
use crate::solver::{Bounds, Clues, SearchEnd, Searched, SolutionLists};

/// Receives the digits of a solution of a puzzle, and breaks off if no more are wanted of any.
type Receiver<'a> = dyn FnMut(usize, &[u8]) -> ControlFlow<()> + 'a;

/// Puzzles of one shape, whose solutions go to a receiver. Lanes do not share: the order of the solutions of a puzzle
/// is that of its search in one lane, whatever the backend and the other puzzles.
pub(super) struct ListState<'a> {
    puzzles: &'a [Clues<'a>],
    bounds: &'a Bounds,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
    found: &'a mut Receiver<'a>,
    searched: Vec<Searched>,
    digits: DigitBuffer,
    /// How often [`BatchState::is_over`] was called.
    asked: u64,
    is_stopped: bool,
    is_late: bool,
}

impl<'a> ListState<'a> {
    pub(super) fn new(
        puzzles: &'a [Clues<'a>],
        bounds: &'a Bounds,
        stop: &'a AtomicBool,
        found: &'a mut Receiver<'a>,
    ) -> ListState<'a> {
        ListState {
            puzzles,
            bounds,
            deadline: bounds.deadline(),
            stop,
            found,
            searched: vec![Searched { solutions: 0, guesses: 0, end: SearchEnd::Stopped }; puzzles.len()],
            digits: [0; MAX_SIDE * MAX_SIDE],
            asked: 0,
            is_stopped: false,
            is_late: false,
        }
    }

    /// Returns how the search of each puzzle went.
    pub(super) fn into_searched(mut self) -> Vec<Searched> {
        if self.is_late {
            let open = self.searched.iter_mut().filter(|searched| searched.end == SearchEnd::Stopped);
            open.for_each(|searched| searched.end = SearchEnd::Budget);
        }
        self.searched
    }
}

impl BatchState for ListState<'_> {
    #[inline]
    fn len(&self) -> usize {
        self.puzzles.len()
    }

    #[inline]
    fn clues(&self, puzzle: usize) -> &[u8] {
        self.puzzles[puzzle].cells
    }

    #[inline]
    fn may_share(&self) -> bool {
        false
    }

    #[inline]
    fn is_over(&mut self) -> bool {
        self.is_stopped = self.is_stopped || self.stop.load(Ordering::Relaxed);
        let looks = self.asked.is_multiple_of(LOOK_INTERVAL);
        self.asked += 1;
        self.is_late = !self.is_stopped
            && (self.is_late || looks && self.deadline.is_some_and(|deadline| Instant::now() >= deadline));
        self.is_stopped || self.is_late
    }

    #[inline]
    fn open(&mut self, _puzzle: usize) {}

    #[inline]
    fn reopen(&mut self, _puzzle: usize) {}

    /// Ends the search of a puzzle that no bound has ended.
    #[inline]
    fn charge(&mut self, puzzle: usize, _shares: u64) {
        let end = &mut self.searched[puzzle].end;
        if *end == SearchEnd::Stopped {
            *end = SearchEnd::Complete;
        }
    }

    #[inline]
    fn guess(&mut self, puzzle: usize) -> bool {
        let searched = &mut self.searched[puzzle];
        let may = searched.guesses < self.bounds.guess_limit();
        searched.guesses += u64::from(may);
        if !may {
            searched.end = SearchEnd::Budget;
        }
        may
    }

    #[inline]
    fn solution(&mut self, puzzle: usize) -> SolutionRequest {
        let searched = &mut self.searched[puzzle];
        searched.solutions += 1;
        let more = searched.solutions < self.bounds.solution_limit();
        if !more {
            searched.end = SearchEnd::Limit;
        }
        SolutionRequest { digits: true, more }
    }

    #[inline]
    fn digits(&mut self, puzzle: usize) -> &mut [u8] {
        &mut self.digits[..self.puzzles[puzzle].cells.len()]
    }

    #[inline]
    fn digits_are_there(&mut self, puzzle: usize) {
        let digits = &self.digits[..self.puzzles[puzzle].cells.len()];
        if !self.is_stopped && (self.found)(puzzle, digits).is_break() {
            self.is_stopped = true;
            self.searched[puzzle].end = SearchEnd::Stopped;
        }
    }

    fn close(&mut self, _sweeps: u64, _begun: Instant) {}
}

/// Lists the solutions of puzzles, those of one shape together, with a function that searches them in lanes. Returns
/// how many puzzles in front were searched to their ends.
pub(super) fn list_in_lanes(
    puzzles: &[Clues<'_>],
    bounds: &Bounds,
    lists: &mut SolutionLists,
    stop: &AtomicBool,
    mut run: impl FnMut(Shape, &mut ListState<'_>),
) -> usize {
    lists.begin(puzzles.len());
    let mut first = 0;
    for puzzles in groups(puzzles, bounds) {
        let mut keep = |puzzle: usize, digits: &[u8]| {
            lists.add(first + puzzle, digits);
            ControlFlow::Continue(())
        };
        let mut state = ListState::new(puzzles, bounds, stop, &mut keep);
        run(puzzles[0].shape, &mut state);
        let all_searched = state.into_searched();
        for (puzzle, &searched) in all_searched.iter().enumerate() {
            lists.close(first + puzzle, searched);
        }
        if let Some(stopped) = all_searched.iter().position(|searched| searched.end == SearchEnd::Stopped) {
            return first + stopped;
        }
        first += puzzles.len();
    }
    puzzles.len()
}
