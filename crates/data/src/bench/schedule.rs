//! How many rounds a benchmark takes.

use std::time::Duration;

/// When the rounds of a benchmark end.
///
/// ```
/// use std::time::Duration;
///
/// use gridmill_data::bench::Schedule;
///
/// let five = Schedule::Rounds(5);
/// assert!(five.goes_on(4, Duration::MAX) && !five.goes_on(5, Duration::ZERO));
/// let ten_seconds = Schedule::Time(Duration::from_secs(10));
/// assert!(ten_seconds.goes_on(1_000, Duration::from_secs(9)));
/// assert!(!ten_seconds.goes_on(Schedule::LEAST_ROUNDS, Duration::from_secs(10)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Schedule {
    /// After so many rounds.
    Rounds(u64),
    /// After the round in which the time is used up, but not before [`Schedule::LEAST_ROUNDS`].
    Time(Duration),
}

impl Schedule {
    /// The least number of rounds: the median of fewer says nothing.
    pub const LEAST_ROUNDS: u64 = 3;

    /// Returns whether another round follows after `rounds` rounds and `elapsed` time.
    #[must_use]
    pub fn goes_on(self, rounds: u64, elapsed: Duration) -> bool {
        match self {
            Schedule::Rounds(most) => rounds < most,
            Schedule::Time(time) => rounds < Schedule::LEAST_ROUNDS || elapsed < time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(schedule: Schedule, of_seconds: f64) -> u64 {
        let elapsed = |rounds: u64| Duration::from_secs_f64(rounds as f64 * of_seconds);
        (0..).find(|&rounds| !schedule.goes_on(rounds, elapsed(rounds))).unwrap()
    }

    #[test]
    fn rounds_end_after_their_number_or_their_time() {
        assert_eq!(rounds(Schedule::Rounds(1), 100.0), 1);
        assert_eq!(rounds(Schedule::Rounds(7), 0.1), 7);
        let second = Schedule::Time(Duration::from_secs(1));
        assert_eq!(rounds(second, 0.125), 8);
        assert_eq!(rounds(second, 0.3), 4);
        assert_eq!(rounds(second, 60.0), 3);
    }
}
