//! Bounds of a search.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::SolutionLimit;

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
    solutions: u64,
    guesses: u64,
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
}

impl Bounds {
    /// Returns the number of solutions at which the search ends.
    pub(super) const fn solution_limit(&self) -> u64 {
        self.solutions
    }

    /// Returns the number of guesses at which the search is given up.
    pub(super) const fn guess_limit(&self) -> u64 {
        self.guesses
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
