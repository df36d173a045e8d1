//! Counts of numbers that spread over many orders of magnitude.

use crate::log_scale::{all_edges, edges};

/// How many numbers are in each bucket of a logarithmic scale: 0 in one of its own, and all others from edge to edge of the
/// finest scale and all coarser ones. So the counts of a coarser scale are exact sums.
#[derive(Clone, Debug)]
pub(crate) struct LogCounts(Vec<u64>);

/// The numbers from `least` to `most`, both included, and how many of them were counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bucket {
    pub(super) least: u64,
    pub(super) most: u64,
    pub(super) count: u64,
}

impl Default for LogCounts {
    fn default() -> LogCounts {
        LogCounts(vec![0; all_edges().len() + 1])
    }
}

impl LogCounts {
    /// Counts a number.
    pub(super) fn add(&mut self, number: u64) {
        self.0[all_edges().partition_point(|edge| *edge <= number)] += 1;
    }

    /// Returns buckets that hold all numbers that were counted: 0, if it was counted, and as many others side by side as
    /// there may be.
    pub(super) fn buckets(&self, most_buckets: usize) -> Vec<Bucket> {
        let zero = Some(Bucket { least: 0, most: 0, count: self.0[0] }).filter(|zero| zero.count > 0);
        let counted = |index: &usize| self.0[*index] > 0;
        let first = (1..self.0.len()).find(counted);
        let last = (1..self.0.len()).rfind(counted);
        let mut edges = first.zip(last).map_or_else(Vec::new, |(first, last)| {
            edges(all_edges()[first - 1], all_edges()[last - 1], most_buckets)
        });
        if edges.last().zip(last).is_some_and(|(edge, last)| *edge <= all_edges()[last - 1]) {
            // The scale ends before the greatest numbers.
            edges.push(u64::MAX);
        }
        let bounds = edges.windows(2).map(|pair| (pair[0], last_before(pair[1])));
        let buckets = bounds.map(|(least, most)| Bucket { least, most, count: self.within(least, most) });
        zero.into_iter().chain(buckets).collect()
    }

    /// Returns how many numbers from `least` to `most` were counted. Both must be bounds of [`LogCounts::buckets`], of these
    /// counts or others.
    pub(super) fn within(&self, least: u64, most: u64) -> u64 {
        let index = |number: u64| all_edges().partition_point(|edge| *edge <= number);
        self.0[index(least)..=index(most)].iter().sum()
    }
}

/// Returns the last number of a bucket that ends at an edge: the one before it, but for the greatest number, behind which there
/// is no bucket.
fn last_before(edge: u64) -> u64 {
    if edge == u64::MAX { edge } else { edge - 1 }
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn buckets_hold_exactly_the_numbers_within_their_bounds() {
        const SEED: u64 = 4;
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        for most_buckets in [1, 3, 7, 24, 100] {
            for bits in [0, 3, 9, 40, 64] {
                let mut number =
                    || rng.random::<u64>().checked_shr(64 - rng.random_range(0..=bits)).unwrap_or(0);
                let numbers: Vec<u64> = (0..300).map(|_| number()).collect();
                let mut counts = LogCounts::default();
                numbers.iter().for_each(|number| counts.add(*number));
                let buckets = counts.buckets(most_buckets);
                for bucket in &buckets {
                    let is_within = |number: &&u64| (bucket.least..=bucket.most).contains(*number);
                    let naive = numbers.iter().filter(is_within).count() as u64;
                    assert_eq!(bucket.count, naive, "seed {SEED}: {bucket:?}");
                }
                let sum: u64 = buckets.iter().map(|bucket| bucket.count).sum();
                assert_eq!(sum, 300, "seed {SEED}: {buckets:?}");
                assert!(buckets.len() <= 1 + most_buckets.max(20), "seed {SEED}: {buckets:?}");
            }
        }
    }

    #[test]
    fn the_greatest_number_has_a_bucket() {
        let mut counts = LogCounts::default();
        [0, u64::MAX - 1, u64::MAX].into_iter().for_each(|number| counts.add(number));
        let buckets = counts.buckets(24);
        assert_eq!(buckets[0], Bucket { least: 0, most: 0, count: 1 });
        assert_eq!(buckets.iter().map(|bucket| bucket.count).sum::<u64>(), 3, "{buckets:?}");
        assert_eq!(buckets.last().unwrap().most, u64::MAX, "{buckets:?}");
    }

    #[test]
    fn without_a_number_there_is_no_bucket() {
        assert_eq!(LogCounts::default().buckets(24), []);
    }
}
