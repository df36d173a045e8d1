//! Dividing a collection into parts that share no puzzle.

use gridmill_core::jobs::CanonicalKey;
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

/// Buckets that keys fall into. A part ends between two of them.
const BUCKETS: usize = 1 << 20;

/// Counts records by the random buckets of their keys, to divide them by a ratio: puzzles with one key, which count as
/// the same, fall into one bucket, and so into one part. Takes 8 MB, for any number of records.
///
/// ```
/// use gridmill_core::grid::Puzzle;
/// use gridmill_core::jobs::{Job, Keys};
/// use gridmill_data::collection::Partition;
///
/// let puzzles: Vec<Puzzle> = (0..1000)
///     .map(|clue| {
///         let mut cells = [0; 81];
///         (cells[clue % 81], cells[80 - clue % 80]) = (1 + (clue / 81 % 9) as u8, 2);
///         Puzzle::from_cells(cells).unwrap()
///     })
///     .collect();
/// let keys = Keys::default().answer(&puzzles).unwrap();
/// let mut partition = Partition::new(7);
/// let buckets: Vec<u32> = (0..keys.len()).flat_map(|puzzle| keys.key(puzzle)).map(|key| partition.add(&key)).collect();
/// let parts = partition.parts(&[9, 1]);
/// let test = buckets.iter().filter(|bucket| parts.of(**bucket) == 1).count();
/// assert!((95..=105).contains(&test), "{test}");
/// ```
#[derive(Clone, Debug)]
pub struct Partition {
    seed: u64,
    counts: Vec<u64>,
    keyless: u64,
}

/// The bounds of the parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// For each part but the last, the first bucket behind it.
    ends: Vec<u32>,
}

impl Partition {
    /// Returns a partition without records. Another seed gives other parts.
    #[must_use]
    pub fn new(seed: u64) -> Partition {
        Partition { seed, counts: vec![0; BUCKETS], keyless: 0 }
    }

    /// Counts a record, and returns the bucket of its key.
    pub fn add(&mut self, key: &CanonicalKey) -> u32 {
        let bucket = self.bucket(key.bytes());
        self.counts[bucket as usize] += 1;
        bucket
    }

    /// Counts a record without a key, which belongs to the first part.
    pub fn add_keyless(&mut self) {
        self.keyless += 1;
    }

    /// Returns the bucket of a key: a random number that depends only on the key and the seed.
    fn bucket(&self, key: &[u8]) -> u32 {
        let mut seed = [0; 32];
        let words = key.chunks(24);
        words.for_each(|word| seed.iter_mut().zip(word).for_each(|(byte, other)| *byte ^= other));
        seed[24..].copy_from_slice(&self.seed.to_le_bytes());
        ChaCha8Rng::from_seed(seed).next_u32() % BUCKETS as u32
    }

    /// Returns the bounds of the parts, one for each number of a ratio: as near to it as whole buckets allow.
    ///
    /// # Panics
    ///
    /// Where the numbers of the ratio are all 0.
    #[must_use]
    pub fn parts(&self, ratio: &[u64]) -> Parts {
        let whole: u128 = ratio.iter().copied().map(u128::from).sum();
        assert!(whole > 0, "a ratio needs a number above 0");
        let keyless = u128::from(self.keyless);
        let records = keyless + self.counts.iter().copied().map(u128::from).sum::<u128>();
        let (mut ends, mut share, mut end, mut inside) = (Vec::new(), 0_u128, 0, keyless);
        for &number in &ratio[..ratio.len() - 1] {
            share += u128::from(number);
            let wanted = records * share / whole;
            while end < BUCKETS && inside < wanted {
                let with_next = inside + u128::from(self.counts[end]);
                if with_next > wanted && with_next - wanted > wanted - inside {
                    break;
                }
                (inside, end) = (with_next, end + 1);
            }
            ends.push(end as u32);
        }
        Parts { ends }
    }
}

impl Parts {
    /// Returns the part, from 0, that a bucket belongs to.
    #[must_use]
    pub fn of(&self, bucket: u32) -> usize {
        self.ends.iter().filter(|&&end| end <= bucket).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_counts(counts: &[(usize, u64)]) -> Partition {
        let mut partition = Partition::new(0);
        counts.iter().for_each(|&(bucket, count)| partition.counts[bucket] = count);
        partition
    }

    #[test]
    fn parts_are_as_near_to_the_ratio_as_whole_buckets_allow() {
        let even: Vec<(usize, u64)> = (0..100).map(|index| (index * 1000, 1)).collect();
        let parts = of_counts(&even).parts(&[80, 10, 10]);
        let sizes = [0, 1, 2].map(|part| even.iter().filter(|it| parts.of(it.0 as u32) == part).count());
        assert_eq!(sizes, [80, 10, 10]);
        // A bucket of six records goes where it does the least harm.
        assert_eq!(of_counts(&[(0, 4), (1, 6), (2, 10)]).parts(&[8, 12]).of(1), 0);
        assert_eq!(of_counts(&[(0, 4), (1, 6), (2, 10)]).parts(&[6, 14]).of(1), 1);
    }

    #[test]
    fn parts_may_be_empty() {
        assert_eq!(of_counts(&[]).parts(&[1, 1]).of(0), 1);
        assert_eq!(of_counts(&[(5, 3)]).parts(&[1, 0]).of(5), 0);
        assert_eq!(of_counts(&[(5, 3)]).parts(&[0, 1]).of(5), 1);
    }

    #[test]
    fn records_without_a_key_count_for_the_first_part() {
        let even: Vec<(usize, u64)> = (0..90).map(|bucket| (bucket, 1)).collect();
        for (keyless, ratio, expected) in [(10, [1, 1], 40), (10, [8, 2], 70), (90, [1, 9], 0)] {
            let mut partition = of_counts(&even);
            (0..keyless).for_each(|_| partition.add_keyless());
            let parts = partition.parts(&ratio);
            assert_eq!(even.iter().filter(|it| parts.of(it.0 as u32) == 0).count(), expected);
        }
    }

    #[test]
    fn buckets_depend_on_key_and_seed() {
        let bucket = |seed, key: &[u8]| Partition::new(seed).bucket(key);
        assert_eq!(bucket(1, b"one"), bucket(1, b"one"));
        assert_ne!(bucket(1, b"one"), bucket(2, b"one"));
        assert_ne!(bucket(1, b"one"), bucket(1, b"two"));
        // A long key counts to its end.
        assert_ne!(bucket(1, &[7; 30]), bucket(1, &[[7; 29].as_slice(), &[8]].concat()));
    }
}
