//! The puzzles of a batch, and the account of each.

use std::time::Instant;

use crate::grid::{Puzzle, Solution};
use crate::solver::{Outcome, SolutionLimit};

/// The cost of a sweep in shares: so many that dividing them among lanes loses nothing that matters, and so
/// few that a trillion sweeps can be added up.
pub(super) const SWEEP: u64 = 1 << 24;

/// The puzzles of a batch and their accounts.
pub(super) trait BatchState {
    /// Returns the number of puzzles.
    fn len(&self) -> usize;
    /// Returns the cells of a puzzle, 0 for a blank.
    fn clues(&self, puzzle: usize) -> &[u8];
    /// Returns whether lanes may share the search of a puzzle: only where the outcome stays the same, as
    /// searches whose end depends on the order of solutions are repeated.
    fn may_share(&self) -> bool;
    /// Returns whether the whole search must end now. Called between sweeps.
    fn is_over(&mut self) -> bool;

    /// Opens the account of a puzzle.
    fn open(&mut self, puzzle: usize);
    /// Resets what was found, and keeps the time.
    fn reopen(&mut self, puzzle: usize);
    /// Charges shares of sweeps to a puzzle.
    fn charge(&mut self, puzzle: usize, shares: u64);
    /// Counts a guess. Returns false if the search of the puzzle must end before it.
    fn guess(&mut self, puzzle: usize) -> bool;
    /// Counts a solution, and returns what is wanted of it.
    fn solution(&mut self, puzzle: usize) -> SolutionRequest;
    /// Returns the memory for the digits of a solution.
    fn digits(&mut self, puzzle: usize) -> &mut [u8];
    /// Takes the digits, once they have been written.
    fn digits_are_there(&mut self, puzzle: usize);
    /// Turns shares into nanoseconds of the time since `begun`.
    fn close(&mut self, sweeps: u64, begun: Instant);
}

/// The demand on a solution, and on the search that found it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SolutionRequest {
    /// Whether its digits are wanted.
    pub(super) digits: bool,
    /// Whether more solutions are wanted.
    pub(super) more: bool,
}

/// Returns the nanoseconds of a share, where so many sweeps took the time since `begun`.
pub(super) fn nanos_of_a_share(sweeps: u64, begun: Instant) -> f64 {
    begun.elapsed().as_nanos() as f64 / (sweeps.max(1) as f64 * SWEEP as f64)
}

/// Classic puzzles and their outcomes.
pub(super) struct ClassicBatchState<'a> {
    pub(super) puzzles: &'a [Puzzle],
    pub(super) limit: SolutionLimit,
    pub(super) outcomes: &'a mut [Outcome],
}

impl BatchState for ClassicBatchState<'_> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.puzzles.len()
    }

    #[inline(always)]
    fn clues(&self, puzzle: usize) -> &[u8] {
        self.puzzles[puzzle].cells()
    }

    #[inline(always)]
    fn may_share(&self) -> bool {
        self.limit == SolutionLimit::UNIQUENESS
    }

    #[inline(always)]
    fn is_over(&mut self) -> bool {
        false
    }

    #[inline(always)]
    fn open(&mut self, puzzle: usize) {
        self.outcomes[puzzle] = Outcome::NONE;
    }

    fn reopen(&mut self, puzzle: usize) {
        self.outcomes[puzzle] = Outcome { nanos: self.outcomes[puzzle].nanos, ..Outcome::NONE };
    }

    #[inline(always)]
    fn charge(&mut self, puzzle: usize, shares: u64) {
        self.outcomes[puzzle].nanos += shares;
    }

    #[inline(always)]
    fn guess(&mut self, puzzle: usize) -> bool {
        self.outcomes[puzzle].guesses += 1;
        true
    }

    #[inline(always)]
    fn solution(&mut self, puzzle: usize) -> SolutionRequest {
        let outcome = &mut self.outcomes[puzzle];
        outcome.solutions += 1;
        SolutionRequest {
            digits: outcome.solution.is_none(),
            more: outcome.solutions < u64::from(self.limit.get()),
        }
    }

    #[inline(always)]
    fn digits(&mut self, puzzle: usize) -> &mut [u8] {
        self.outcomes[puzzle].solution.insert(Solution::UNFILLED).digits_mut()
    }

    #[inline(always)]
    fn digits_are_there(&mut self, _puzzle: usize) {}

    fn close(&mut self, sweeps: u64, begun: Instant) {
        let nanos = nanos_of_a_share(sweeps, begun);
        for outcome in &mut *self.outcomes {
            outcome.nanos = (outcome.nanos as f64 * nanos) as u64;
        }
    }
}
