//! The measurement of a contender, and how its times are distributed.

use hdrhistogram::Histogram;

use super::Contender;

/// The measurement of a contender.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measurement {
    /// The engine or program.
    pub contender: Contender,
    /// Puzzles in the set.
    pub puzzles: usize,
    /// Guesses over all puzzles; `None` for a program, and before answers are checked.
    pub guesses: Option<u64>,
    /// Puzzles that needed no guess; `None` where guesses are.
    pub unguessed: Option<usize>,
    /// Puzzles without a solution.
    pub without_solution: usize,
    /// Puzzles with several solutions; `None` where searches end at the first one.
    pub with_several: Option<usize>,
    /// Bytes of memory that the engine keeps on one thread, if known.
    pub memory: Option<usize>,
    /// Seconds that a program takes on an empty file, in the median; `None` for an engine.
    pub startup: Option<f64>,
    /// Seconds for the whole set in each round, in order; those of a program without its start-up time.
    pub seconds: Vec<f64>,
    /// The nanoseconds of each puzzle, for each of the first rounds that timed single puzzles.
    pub nanos: Vec<Vec<u64>>,
}

impl Measurement {
    /// Returns an empty measurement of a contender on so many puzzles.
    #[must_use]
    pub const fn new(contender: Contender, puzzles: usize) -> Measurement {
        Measurement {
            contender,
            puzzles,
            guesses: None,
            unguessed: None,
            without_solution: 0,
            with_several: None,
            memory: None,
            startup: None,
            seconds: Vec::new(),
            nanos: Vec::new(),
        }
    }

    /// Returns the puzzles a second in the median round.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.puzzles as f64 / median(&self.seconds)
    }

    /// Returns the distance from the quickest round to the slowest, as a share of the median.
    #[must_use]
    pub fn spread(&self) -> f64 {
        spread(&self.seconds)
    }

    /// Returns the times of the puzzles. Each is the median of its rounds, so that a disturbance of one round
    /// does not count.
    #[must_use]
    pub fn distribution(&self) -> Distribution {
        let mut rounds = Vec::with_capacity(self.nanos.len());
        let of_puzzle = |puzzle: usize| {
            rounds.clear();
            rounds.extend(self.nanos.iter().map(|round| round[puzzle]));
            rounds.sort_unstable();
            rounds[rounds.len() / 2]
        };
        let puzzles = if self.nanos.is_empty() { 0 } else { self.puzzles };
        (0..puzzles).map(of_puzzle).collect()
    }
}

/// Returns the median, the upper one of two; NaN if there are no values.
///
/// ```
/// assert_eq!(gridmill_data::bench::median(&[9.0, 1.0, 2.0]), 2.0);
/// ```
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Returns the distance from the least value to the greatest, as a share of the median.
///
/// ```
/// assert_eq!(gridmill_data::bench::spread(&[9.0, 10.0, 12.0]), 0.3);
/// ```
#[must_use]
pub fn spread(values: &[f64]) -> f64 {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    (most - least) / median(values)
}

/// A distribution of times, good to three figures, in memory that does not grow with their number.
///
/// ```
/// use gridmill_data::bench::Distribution;
///
/// let times: Distribution = (1..=100).collect();
/// assert_eq!((times.len(), times.least(), times.most()), (100, 1, 100));
/// assert_eq!(times.within(0.9), 90);
/// assert_eq!(times.values().map(|(_, count)| count).sum::<u64>(), 100);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    histogram: Histogram<u64>,
    extremes: Option<(u64, u64)>,
}

impl Distribution {
    /// Returns how many times there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.histogram.len()
    }

    /// Returns whether there are no times.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.histogram.is_empty()
    }

    /// Returns the least time, in nanoseconds; 0 if there is none.
    #[must_use]
    pub fn least(&self) -> u64 {
        self.extremes.map_or(0, |(least, _)| least)
    }

    /// Returns the greatest time, in nanoseconds; 0 if there is none.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.extremes.map_or(0, |(_, most)| most)
    }

    /// Returns the time, in nanoseconds, within which a share (0 to 1) of the times stays.
    #[must_use]
    pub fn within(&self, share: f64) -> u64 {
        self.histogram.value_at_quantile(share).clamp(self.least(), self.most())
    }

    /// Returns the values in rising order, and how often each occurs.
    pub fn values(&self) -> impl Iterator<Item = (u64, u64)> {
        let values = self.histogram.iter_recorded();
        values.map(|value| {
            let nanos = value.value_iterated_to().clamp(self.least(), self.most());
            (nanos, value.count_at_value())
        })
    }
}

impl FromIterator<u64> for Distribution {
    fn from_iter<I: IntoIterator<Item = u64>>(nanos: I) -> Distribution {
        let mut histogram = Histogram::new(3).expect("three figures can be kept");
        let mut extremes: Option<(u64, u64)> = None;
        for nanos in nanos {
            histogram.record(nanos).expect("the histogram grows");
            let (least, most) = extremes.unwrap_or((nanos, nanos));
            extremes = Some((least.min(nanos), most.max(nanos)));
        }
        Distribution { histogram, extremes }
    }
}

#[cfg(test)]
mod tests {
    use gridmill_core::solver::SolverKind;

    use super::*;

    #[test]
    fn a_disturbed_round_is_no_part_of_a_time() {
        let measurement = Measurement {
            seconds: vec![1.0, 4.0, 2.0],
            nanos: vec![vec![100, 300], vec![90_000, 301], vec![101, 299]],
            ..Measurement::new(SolverKind::Bitmask.into(), 2)
        };
        let times = measurement.distribution();
        assert_eq!((times.len(), times.least(), times.most()), (2, 101, 300));
        assert_eq!((measurement.rate(), measurement.spread()), (1.0, 1.5));
    }
}
