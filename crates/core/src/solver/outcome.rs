//! The limit and the outcome of a search.

use std::num::NonZeroU32;

use crate::grid::Solution;

/// The number of solutions at which a search stops, at least one.
///
/// Only a search that is allowed a second solution can prove that the first is the only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SolutionLimit(NonZeroU32);

impl SolutionLimit {
    /// The first solution.
    pub const FIRST: SolutionLimit = SolutionLimit(NonZeroU32::MIN);

    /// The second solution: enough to tell none, one and many apart.
    pub const UNIQUENESS: SolutionLimit = SolutionLimit(NonZeroU32::MIN.saturating_add(1));

    /// Returns a limit of that number of solutions; `None` for zero.
    #[must_use]
    pub const fn new(solutions: u32) -> Option<SolutionLimit> {
        match NonZeroU32::new(solutions) {
            Some(limit) => Some(SolutionLimit(limit)),
            None => None,
        }
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}

/// The result and the cost of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome<S = Solution> {
    /// Solutions found, up to the limit.
    pub solutions: u64,
    /// The first solution found, if there is one and it was kept.
    pub solution: Option<S>,
    /// Choices that the engine made without proof. The number is the same in every run; each engine documents
    /// what it counts.
    pub guesses: u64,
    /// Time charged to this puzzle, in nanoseconds. The sum over a batch is the time that the engine spent on
    /// it.
    pub nanos: u64,
    /// Whether the search was given up before its end, at a bound of guesses or time.
    pub is_given_up: bool,
}

impl<S> Outcome<S> {
    /// The outcome of a search that found nothing, at no cost.
    pub const NONE: Outcome<S> =
        Outcome { solutions: 0, solution: None, guesses: 0, nanos: 0, is_given_up: false };
}
