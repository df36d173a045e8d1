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
//! row 2   | 10 11 12 | 13 14 15 | 16 17 18 |    a band: one u32, bit 10 * row + column
//! row 3   | 20 21 22 | 23 24 25 | 26 27 28 |    three cells in a row of a box: a minirow
//! ```
//!
//! The three words of a digit are one vector of the `wide` crate, so that what concerns all cells is one
//! instruction for each digit (board.rs). Rows, columns and boxes are fields of the words: one table look-up
//! filters a whole band.
//!
//! # The search
//!
//! ```text
//! propagate until nothing changes:                                       (state.rs)
//!     for each digit whose board has changed:
//!         locked candidates in the three bands and the three stacks      (locks.rs)
//!         hidden singles: a cell alone in its row loses the other digits
//!     naked singles: a cell with one candidate takes it from its peers
//! solved: count it            dead: go back to the last state with another half
//! stuck:  choose a cell with two candidates, leave one half, go on with the other     (guess.rs)
//! ```
//!
//! The states of the search are an array inside the engine: a guess settles a cell, so it can't be deeper
//! than there are cells. Nothing is allocated after the engine is made. A state is 176 bytes; a guess
//! copies it once, and propagation works where it lies.
//!
//! # What was tried
//!
//! Puzzles a second, one thread, at the x86-64 baseline, relative to this code:
//!
//! | change | easy | 17-clue | hardest 11+ | several solutions |
//! |---|---:|---:|---:|---:|
//! | words of 27 bits, three for a digit, and not a vector | 0.67 | 0.75 | 0.68 | 0.56 |
//! | score the cells of every guess, not only after a contradiction | 1.0 | 1.03 | 1.0 | 0.9 |
//! | before a contradiction, score the first three of the cells | 1.0 | 1.01 | 1.0 | 0.96 |
//! | before a contradiction, score the first six of them | 1.0 | 1.04 | 1.0 | 0.93 |
//! | compile for AVX2, BMI and POPCNT | 1.0 | 1.01 | 1.03 | 1.02 |
//! | find the minirows by shifts, not by a look-up for each row | 0.97 | 0.97 | 0.97 | 0.98 |
//! | a digit's locks once for a band and a stack, then again in the next round if they changed | 0.85 | 0.79 | 0.82 | |
//! | finish all changed digits before looking for naked singles | 1.05 | 1.0 | 0.95 | 1.03 |
//! | after the stacks, end if the bands find nothing, before looking at the stacks again | 1.0 | 0.98 | 0.98 | 1.0 |
//!
//! When the boards were words, scoring the cells digit by digit instead of cell by cell was 0.95x on the hardest: the
//! loops are too short to predict. What costs time are branches that are predicted wrong and the way from one look-up to
//! the next: fewer instructions alone changed nothing.

mod any;
mod board;
mod either;
mod guess;
mod locks;
mod pencilmark;
mod state;

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::account::SearchAccount;
use super::batch::solve_each;
use super::{Outcome, SearchEnd, SolutionLimit, Solver, SolverKind};
use crate::grid::{CELLS, Puzzle};
pub use any::AnyBitmask;
pub(super) use either::EitherBitmask;
pub use pencilmark::PencilmarkBitmask;
use state::{Candidates, Progress};

/// The scalar engine for classic puzzles. A guess is a cell split into one digit and the others; the
/// second branch is not counted again.
#[derive(Debug)]
pub struct Bitmask {
    /// The state of the search, and below it those that it was split from: what is left of them.
    states: Box<[Candidates; CELLS + 1]>,
}

impl Bitmask {
    /// Returns an engine with its stack.
    #[must_use]
    pub fn new() -> Bitmask {
        Bitmask { states: Box::new([Candidates::OPEN; CELLS + 1]) }
    }

    fn search(&mut self, puzzle: &Puzzle, limit: SolutionLimit, outcome: &mut Outcome) {
        let Some(state) = Candidates::of(puzzle.cells()) else { return };
        // The search breaks off at the limit.
        let _ = self.explore(state, &mut OutcomeAccount { limit, outcome });
    }

    /// Searches the solutions that a state leaves, and breaks off when the account demands it.
    #[inline(always)]
    fn explore<A: Account>(&mut self, state: Candidates, account: &mut A) -> ControlFlow<A::Break> {
        self.states[0] = state;
        let (mut depth, mut contradicted) = (0, false);
        loop {
            match self.states[depth].propagate() {
                Progress::Stuck => {
                    account.guess()?;
                    self.guess(depth, contradicted);
                    depth += 1;
                    continue;
                }
                Progress::Solved => account.solution(&self.states[depth])?,
                Progress::Dead => contradicted = true,
            }
            if depth == 0 {
                return ControlFlow::Continue(());
            }
            depth -= 1;
        }
    }

    /// Splits the state at that depth: the next one gets a half of it.
    #[inline(always)]
    fn guess(&mut self, depth: usize, contradicted: bool) {
        let [state, next, ..] = &mut self.states[depth..] else {
            unreachable!("a guess settles a cell, so there are fewer of them than cells");
        };
        state.split(next, guess::choose(state, contradicted));
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

impl Account for SearchAccount<'_> {
    type Break = SearchEnd;

    fn guess(&mut self) -> ControlFlow<SearchEnd> {
        SearchAccount::guess(self)
    }

    fn solution(&mut self, state: &Candidates) -> ControlFlow<SearchEnd> {
        let solution = state.solution().expect("a solved state has a digit in every cell");
        SearchAccount::solution(self, solution.cells())
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
        Some(size_of::<Bitmask>() + size_of_val(&*self.states))
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
