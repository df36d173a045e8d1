//! The states of puzzles of any shape: of one whose solutions are listed, and of a batch.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::any_sweep::MAX_SIDE;
use super::batch_state::{BatchState, SolutionRequest, nanos_of_a_share};
use crate::grid::Shape;
use crate::solver::account::SearchAccount;
use crate::solver::search::Terms;
use crate::solver::{Bounds, GridLike, Outcome, SearchEnd};

/// The digits of a solution that is being handed out.
pub(super) type DigitBuffer = [u8; MAX_SIDE * MAX_SIDE];

/// One puzzle, whose solutions are listed in order.
pub(super) struct SinglePuzzleState<'a, 'b> {
    clues: &'a [u8],
    account: &'a mut SearchAccount<'b>,
    digits: DigitBuffer,
    /// Breaks when the search must end.
    pub(super) flow: ControlFlow<SearchEnd>,
}

impl<'a, 'b> SinglePuzzleState<'a, 'b> {
    pub(super) fn new(clues: &'a [u8], account: &'a mut SearchAccount<'b>) -> SinglePuzzleState<'a, 'b> {
        SinglePuzzleState {
            clues,
            account,
            digits: [0; MAX_SIDE * MAX_SIDE],
            flow: ControlFlow::Continue(()),
        }
    }
}

impl BatchState for SinglePuzzleState<'_, '_> {
    fn len(&self) -> usize {
        1
    }

    fn clues(&self, _puzzle: usize) -> &[u8] {
        self.clues
    }

    fn may_share(&self) -> bool {
        false
    }

    fn is_over(&mut self) -> bool {
        self.flow.is_break()
    }

    fn open(&mut self, _puzzle: usize) {}

    fn reopen(&mut self, _puzzle: usize) {}

    fn charge(&mut self, _puzzle: usize, _shares: u64) {}

    fn guess(&mut self, _puzzle: usize) -> bool {
        self.flow = self.account.guess();
        self.flow.is_continue()
    }

    fn solution(&mut self, _puzzle: usize) -> SolutionRequest {
        SolutionRequest { digits: true, more: true }
    }

    fn digits(&mut self, _puzzle: usize) -> &mut [u8] {
        &mut self.digits[..self.clues.len()]
    }

    fn digits_are_there(&mut self, _puzzle: usize) {
        self.flow = self.account.solution(&self.digits[..self.clues.len()]);
    }

    fn close(&mut self, _sweeps: u64, _begun: Instant) {}
}

/// Puzzles of one shape, and their outcomes.
pub(super) struct GridBatchState<'a, P: GridLike> {
    puzzles: &'a [P],
    terms: Terms<'a>,
    outcomes: &'a mut [Outcome<P::Solution>],
    digits: DigitBuffer,
    deadline: Option<Instant>,
    /// How often [`BatchState::is_over`] was called.
    asked: u64,
    /// Whether the search was stopped.
    pub(super) is_stopped: bool,
}

/// Sweeps between two readings of the clock.
pub(super) const LOOK_INTERVAL: u64 = 64;

/// Returns the puzzles in groups that are searched together: neighbours of one shape; but one by one where there is a
/// time limit, as the clock of a puzzle starts with its search.
pub(super) fn groups<'a, P: GridLike>(puzzles: &'a [P], bounds: &Bounds) -> impl Iterator<Item = &'a [P]> {
    let is_timed = bounds.is_timed();
    puzzles.chunk_by(move |one, other| !is_timed && one.clues().shape == other.clues().shape)
}

/// Searches a batch, the puzzles of one shape together, with a function that searches them in lanes. Returns how many were
/// searched.
pub(super) fn search_in_lanes<P: GridLike>(
    puzzles: &[P],
    terms: Terms<'_>,
    outcomes: &mut [Outcome<P::Solution>],
    mut run: impl FnMut(Shape, &mut GridBatchState<'_, P>),
) -> usize {
    assert_eq!(puzzles.len(), outcomes.len(), "a batch needs an outcome for each puzzle");
    let mut solved = 0;
    for puzzles in groups(puzzles, &terms.bounds) {
        let outcomes = &mut outcomes[solved..][..puzzles.len()];
        let mut batch_state = GridBatchState::new(puzzles, terms, outcomes);
        run(puzzles[0].clues().shape, &mut batch_state);
        if batch_state.is_stopped {
            break;
        }
        solved += puzzles.len();
    }
    solved
}

impl<'a, P: GridLike> GridBatchState<'a, P> {
    pub(super) fn new(
        puzzles: &'a [P],
        terms: Terms<'a>,
        outcomes: &'a mut [Outcome<P::Solution>],
    ) -> GridBatchState<'a, P> {
        let (digits, deadline) = ([0; MAX_SIDE * MAX_SIDE], terms.bounds.deadline());
        let mut state =
            GridBatchState { puzzles, terms, outcomes, digits, deadline, asked: 0, is_stopped: false };
        (0..puzzles.len()).for_each(|puzzle| state.open(puzzle));
        state
    }
}

impl<P: GridLike> BatchState for GridBatchState<'_, P> {
    #[inline]
    fn len(&self) -> usize {
        self.puzzles.len()
    }

    #[inline]
    fn clues(&self, puzzle: usize) -> &[u8] {
        self.puzzles[puzzle].clues().cells
    }

    /// Returns whether lanes may share a search: also where all solutions are counted, as their order does
    /// not matter.
    #[inline]
    fn may_share(&self) -> bool {
        let all = self.terms.bounds.solution_limit() == u64::MAX && !self.terms.keeps_solutions;
        let ends = self.terms.bounds.guess_limit() != u64::MAX || self.deadline.is_some();
        !ends && (all || self.terms.bounds.solution_limit() == 2)
    }

    #[inline]
    fn is_over(&mut self) -> bool {
        self.is_stopped = self.is_stopped || self.terms.stop.load(Ordering::Relaxed);
        let looks = self.asked.is_multiple_of(LOOK_INTERVAL);
        self.asked += 1;
        self.is_stopped || looks && self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Sets the outcome to given up, until the search is done.
    #[inline]
    fn open(&mut self, puzzle: usize) {
        self.outcomes[puzzle] = Outcome { is_given_up: true, ..Outcome::NONE };
    }

    #[inline]
    fn reopen(&mut self, puzzle: usize) {
        let nanos = self.outcomes[puzzle].nanos;
        self.open(puzzle);
        self.outcomes[puzzle].nanos = nanos;
    }

    #[inline]
    fn charge(&mut self, puzzle: usize, shares: u64) {
        let outcome = &mut self.outcomes[puzzle];
        outcome.nanos += shares;
        outcome.is_given_up = outcome.guesses > self.terms.bounds.guess_limit();
        outcome.guesses -= u64::from(outcome.is_given_up);
    }

    #[inline]
    fn guess(&mut self, puzzle: usize) -> bool {
        // One guess too many marks the puzzle as given up.
        let outcome = &mut self.outcomes[puzzle];
        outcome.guesses += 1;
        outcome.guesses <= self.terms.bounds.guess_limit()
    }

    #[inline]
    fn solution(&mut self, puzzle: usize) -> SolutionRequest {
        let outcome = &mut self.outcomes[puzzle];
        outcome.solutions += 1;
        SolutionRequest {
            digits: self.terms.keeps_solutions && outcome.solution.is_none(),
            more: outcome.solutions < self.terms.bounds.solution_limit(),
        }
    }

    #[inline]
    fn digits(&mut self, puzzle: usize) -> &mut [u8] {
        &mut self.digits[..self.puzzles[puzzle].clues().cells.len()]
    }

    #[inline]
    fn digits_are_there(&mut self, puzzle: usize) {
        let asked = &self.puzzles[puzzle];
        let digits = &self.digits[..asked.clues().cells.len()];
        self.outcomes[puzzle].solution = asked.full_grid(digits);
    }

    fn close(&mut self, sweeps: u64, begun: Instant) {
        // A puzzle with a time limit is alone in its batch, and at its deadline it has not been charged.
        if let (Some(_), [outcome]) = (self.deadline, &mut *self.outcomes) {
            outcome.nanos = begun.elapsed().as_nanos() as u64;
            return;
        }
        let nanos = nanos_of_a_share(sweeps, begun);
        for outcome in &mut *self.outcomes {
            outcome.nanos = (outcome.nanos as f64 * nanos) as u64;
        }
    }
}
