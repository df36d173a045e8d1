//! Engines that solve puzzles a batch at a time.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::{Outcome, SolutionLimit, Solvable};
use crate::grid::Puzzle;

/// An engine for puzzles of a kind. One value serves one thread and is reused from batch to batch, so that
/// solving allocates nothing.
pub trait Solver<P: Solvable = Puzzle>: Send {
    /// Returns the name by which the engine is chosen, in lower case.
    fn name(&self) -> &'static str;

    /// Solves `puzzles[i]` into `outcomes[i]`, each until `limit` solutions are found. Returns how many were
    /// solved: all of them, unless `stop` became true. Each engine reads it as often as it can without losing
    /// time, so some go on to the end of the batch.
    ///
    /// # Panics
    ///
    /// Where the two slices differ in length.
    fn solve_until(
        &mut self,
        puzzles: &[P],
        limit: SolutionLimit,
        outcomes: &mut [Outcome<P::Solution>],
        stop: &AtomicBool,
    ) -> usize;

    /// Returns whether the engine counts solutions and keeps none, as a [`Counter`](super::Counter) does.
    fn only_counts(&self) -> bool {
        false
    }

    /// Returns the bytes of memory that the engine keeps from batch to batch; `None` if it does not know.
    fn memory(&self) -> Option<usize> {
        None
    }

    /// Solves a whole batch: [`solve_until`](Solver::solve_until) without a stop.
    ///
    /// # Panics
    ///
    /// Where the two slices differ in length.
    fn solve_batch(&mut self, puzzles: &[P], limit: SolutionLimit, outcomes: &mut [Outcome<P::Solution>]) {
        self.solve_until(puzzles, limit, outcomes, &AtomicBool::new(false));
    }

    /// Solves one puzzle.
    fn solve(&mut self, puzzle: &P, limit: SolutionLimit) -> Outcome<P::Solution> {
        let mut outcome = [Outcome::NONE];
        self.solve_batch(std::slice::from_ref(puzzle), limit, &mut outcome);
        let [outcome] = outcome;
        outcome
    }
}

/// Solves a batch with an engine for one puzzle at a time. Returns how many were solved: fewer than all if
/// `stop` became true, or if `solve` broke off. One reading of the clock ends a puzzle and begins the next,
/// so that the times add up to the whole.
#[inline(always)]
pub(super) fn solve_each<P: Solvable>(
    puzzles: &[P],
    outcomes: &mut [Outcome<P::Solution>],
    stop: &AtomicBool,
    mut solve: impl FnMut(&P, &mut Outcome<P::Solution>) -> ControlFlow<()>,
) -> usize {
    assert_eq!(puzzles.len(), outcomes.len(), "a batch needs an outcome for each puzzle");
    let mut begun = Instant::now();
    for (index, (puzzle, outcome)) in puzzles.iter().zip(outcomes).enumerate() {
        *outcome = Outcome::NONE;
        if stop.load(Ordering::Relaxed) || solve(puzzle, outcome).is_break() {
            return index;
        }
        let ended = Instant::now();
        outcome.nanos = (ended - begun).as_nanos() as u64;
        begun = ended;
    }
    puzzles.len()
}
