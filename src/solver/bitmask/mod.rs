//! Boards of bits, one for each digit, and the most constrained cell first: the scalar engine for classic
//! puzzles. [`AnyBitmask`] serves the other shapes.
//!
//! # Layout
//!
//! Every digit has a board of 81 bits, the cells where it may still stand, as three bands of 27:
//!
//! ```text
//!             box 1     box 2     box 3
//! row 1   |  0  1  2 |  3  4  5 |  6  7  8 |
//! row 2   |  9 10 11 | 12 13 14 | 15 16 17 |    a band: one u32, bit 9 * row + column
//! row 3   | 18 19 20 | 21 22 23 | 24 25 26 |    three cells in a row of a box: a minirow
//! ```
//!
//! Rows, columns and boxes are fields of these words, so the masks of all three kinds of house, for all cells
//! of a band, are a few shifts away, and one table look-up filters a whole band.
//!
//! # The search
//!
//! ```text
//! propagate until nothing changes:                                       (state.rs)
//!     for each digit whose board has changed:
//!         locked candidates in the three bands and the three stacks      (locks.rs)
//!         hidden singles: a cell alone in its row loses the other digits
//!     naked singles: a cell with one candidate takes it from its peers
//! solved: count it            dead: take back the last guess
//! stuck:  choose a cell with two candidates, save the other half, go on  (guess.rs)
//! ```
//!
//! The stack of saved states is an array inside the engine: a guess settles a cell, so it can't be deeper
//! than there are cells. Nothing is allocated after the engine is made. A state is 124 bytes; a guess
//! copies one.
//!
//! # What was tried
//!
//! Puzzles a second on `hardest_11plus`, one thread, relative to this code:
//!
//! - Guess in the first two-candidate cell: 0.77x (141 guesses a puzzle instead of 75).
//! - Repeat a digit's locks until a whole round changes nothing, rather than until the stacks do: 0.97x,
//!   and 0.94x on easy puzzles.
//! - Finish all changed digits before looking for naked singles: 0.98x, 0.95x on easy puzzles.
//! - Score the cells digit by digit instead of cell by cell: 0.95x; the loops are too short to predict.

mod any;
mod guess;
mod locks;
mod pencilmark;
mod state;

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::batch::solve_each;
use super::{Outcome, SolutionLimit, Solver, SolverKind};
use crate::grid::{CELLS, Puzzle};
pub use any::AnyBitmask;
pub use pencilmark::PencilmarkBitmask;
use state::{Candidates, Progress};

/// The scalar engine for classic puzzles. A guess is a cell split into one digit and the others; the
/// second branch is not counted again.
#[derive(Debug)]
pub struct Bitmask {
    saved: Box<[Candidates; CELLS]>,
}

impl Bitmask {
    /// Returns an engine with its stack.
    #[must_use]
    pub fn new() -> Bitmask {
        Bitmask { saved: Box::new([Candidates::OPEN; CELLS]) }
    }

    fn search(&mut self, puzzle: &Puzzle, limit: SolutionLimit, outcome: &mut Outcome) {
        let Some(state) = Candidates::of(puzzle) else { return };
        // The search breaks off at the limit.
        let _ = self.explore(state, &mut OutcomeAccount { limit, outcome });
    }

    /// Searches the solutions that a state leaves, and breaks off when the account demands it.
    #[inline(always)]
    fn explore<A: Account>(&mut self, mut state: Candidates, account: &mut A) -> ControlFlow<A::Break> {
        let mut depth = 0;
        loop {
            match state.propagate() {
                Progress::Stuck => {
                    account.guess()?;
                    self.saved[depth] = state.split(guess::choose(&state));
                    depth += 1;
                    continue;
                }
                Progress::Solved => account.solution(&state)?,
                Progress::Dead => {}
            }
            if depth == 0 {
                return ControlFlow::Continue(());
            }
            depth -= 1;
            state = self.saved[depth];
        }
    }
}

/// Counts a search, and ends it.
trait Account {
    type Break;

    fn guess(&mut self) -> ControlFlow<Self::Break>;

    fn solution(&mut self, state: &Candidates) -> ControlFlow<Self::Break>;
}

/// An outcome of a search that is running, up to a limit.
struct OutcomeAccount<'a> {
    limit: SolutionLimit,
    outcome: &'a mut Outcome,
}

impl Account for OutcomeAccount<'_> {
    type Break = ();

    #[inline(always)]
    fn guess(&mut self) -> ControlFlow<()> {
        self.outcome.guesses += 1;
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn solution(&mut self, state: &Candidates) -> ControlFlow<()> {
        self.outcome.solutions += 1;
        if self.outcome.solution.is_none() {
            self.outcome.solution = state.solution();
        }
        if self.outcome.solutions == u64::from(self.limit.get()) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Default for Bitmask {
    fn default() -> Bitmask {
        Bitmask::new()
    }
}

impl Solver for Bitmask {
    fn name(&self) -> &'static str {
        SolverKind::Bitmask.name()
    }

    fn memory(&self) -> Option<usize> {
        Some(size_of::<Bitmask>() + size_of_val(&*self.saved))
    }

    fn solve_until(
        &mut self,
        puzzles: &[Puzzle],
        limit: SolutionLimit,
        outcomes: &mut [Outcome],
        stop: &AtomicBool,
    ) -> usize {
        solve_each(puzzles, outcomes, stop, |puzzle, outcome| {
            self.search(puzzle, limit, outcome);
            ControlFlow::Continue(())
        })
    }
}
