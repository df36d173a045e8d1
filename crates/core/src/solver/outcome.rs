//! Bounds of a search, and what it comes to.

use std::num::NonZeroU32;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

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

/// The second solution.
impl Default for SolutionLimit {
    fn default() -> SolutionLimit {
        SolutionLimit::UNIQUENESS
    }
}

/// The stop flag of what is never stopped.
pub static NEVER: AtomicBool = AtomicBool::new(false);

/// Bounds of the search of a puzzle.
///
/// ```
/// use std::time::Duration;
///
/// use gridmill_core::solver::Bounds;
///
/// let bounds = Bounds::solutions(2).and_guesses(1_000_000).and_time(Duration::from_secs(10));
/// assert_ne!(bounds, Bounds::ALL);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The number of solutions at which the search ends.
    pub(super) solutions: u64,
    /// The number of guesses at which the search is given up.
    pub(super) guesses: u64,
    time: Duration,
}

impl Bounds {
    /// No bounds: all solutions, whatever the cost.
    pub const ALL: Bounds = Bounds { solutions: u64::MAX, guesses: u64::MAX, time: Duration::MAX };

    /// Returns bounds of so many solutions; 0 for all of them.
    #[must_use]
    pub const fn solutions(limit: u64) -> Bounds {
        Bounds { solutions: if limit == 0 { u64::MAX } else { limit }, ..Bounds::ALL }
    }

    /// Adds a bound of so many guesses; with 0 the search goes only as far as it needs no guess.
    #[must_use]
    pub const fn and_guesses(self, guesses: u64) -> Bounds {
        Bounds { guesses, ..self }
    }

    /// Adds a bound of about so much time for each search: the clock is read before every 256th guess, the
    /// first included.
    #[must_use]
    pub const fn and_time(self, time: Duration) -> Bounds {
        Bounds { time, ..self }
    }

    /// Returns whether the time is bounded.
    pub(super) fn is_timed(&self) -> bool {
        self.time != Duration::MAX
    }

    /// Returns the deadline of a search that begins now; `None` for a time too long for the clock.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.is_timed().then(|| Instant::now().checked_add(self.time)).flatten()
    }
}

impl From<SolutionLimit> for Bounds {
    fn from(limit: SolutionLimit) -> Bounds {
        Bounds::solutions(limit.get().into())
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

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Searched {
    /// Solutions found.
    pub solutions: u64,
    /// Digits placed while the engine knew of another possibility. The number is the same in every run.
    pub guesses: u64,
    /// Why the search ended.
    pub end: SearchEnd,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SearchEnd {
    /// There are no more solutions.
    Complete,
    /// As many solutions were found as were wanted; there may be more.
    Limit,
    /// The receiver of the solutions broke the search off, or the stop flag did.
    Stopped,
    /// Guesses or time ran out.
    Budget,
}
