//! Questions about whole collections of puzzles: Which are the same, perhaps in disguise? How do you split
//! them, or pick some?
//!
//! - [`Keys`](gridmill_core::jobs::Keys) makes keys that are equal for puzzles that count as the same;
//! - [`DuplicateFinder`] finds duplicates among any number of puzzles, in bounded memory;
//! - [`Partition`] divides a collection into parts that share no puzzle. [`StratifiedPartition`] does that
//!   so that each part also gets its share of the records with any value of an [`Attribute`] (e.g. of each
//!   difficulty);
//! - duplicates, overlaps and splits are found in two readings of the files, which need not keep the puzzles in
//!   memory: once for the keys
//!   of the records ([`key_stage`]), and once ([`text_stage`]) to pass on the records that are wanted
//!   ([`DistinctWriter`], [`OverlapWriter`], [`SplitWriter`]);
//! - [`Criteria`] and [`SelectionWriter`] choose records by conditions or at random, or sort them.

mod attribute;
mod criteria;
mod passes;
mod selection;
mod sorter;
mod strata;

use std::cmp::Reverse;
use std::sync::atomic::AtomicBool;

use gridmill_core::jobs::PuzzleKey;
use gridmill_core::solver::NEVER;
use sorter::Sorter;
use strata::random_number;

pub use attribute::{Attribute, AttributeName, RecordValues};
pub use criteria::{Conditions, Criteria, Field, FieldCondition, Judge, NamedCondition};
pub use passes::{
    Buckets, DistinctWriter, DuplicatesInOrder, KeyMapper, KeyedRecord, KeyedRecords, Output, OverlapWriter,
    SegmentKind, SplitWriter, TextMapper, TextSegments, key_stage, text_stage,
};
pub use selection::{RecordSorter, Sample, SelectionOrder, SelectionWriter};
pub use sorter::{Space, SpaceError};
pub use strata::{StratifiedPartition, StratumCounts};

/// The place of a record in the files of a run. Places compare in the order of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The index of its file, from 0.
    pub file: u32,
    /// The number of the record in its file, from 0.
    pub record: u64,
    /// Its line, from 0.
    pub line: u64,
}

/// A record that equals an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Duplicate {
    /// The record.
    pub at: Place,
    /// The first of all equal records.
    pub first: Place,
}

/// Size of a place in bytes.
const PLACE: usize = 20;

/// Size of a key in bytes.
const KEY: usize = PuzzleKey::BYTES;

/// Size of an entry in bytes: a key, then a place. The key comes first, so that sorting brings equal keys
/// together, and the entries of one key are in the order of their places.
const ENTRY: usize = KEY + PLACE;

impl Place {
    fn bytes(self) -> [u8; PLACE] {
        let mut bytes = [0; PLACE];
        bytes[..4].copy_from_slice(&self.file.to_be_bytes());
        bytes[4..12].copy_from_slice(&self.record.to_be_bytes());
        bytes[12..].copy_from_slice(&self.line.to_be_bytes());
        bytes
    }

    #[inline]
    fn from_bytes(bytes: &[u8]) -> Place {
        Place {
            file: u32::from_be_bytes(array_at(bytes, 0)),
            record: u64::from_be_bytes(array_at(bytes, 4)),
            line: u64::from_be_bytes(array_at(bytes, 12)),
        }
    }
}

/// Copies the `N` bytes from `from` on.
#[inline]
fn array_at<const N: usize>(bytes: &[u8], from: usize) -> [u8; N] {
    std::array::from_fn(|byte| bytes[from + byte])
}

/// Finds records that equal earlier ones.
///
/// Each record takes 61 bytes of memory. Entries that do not fit into memory are sorted in temporary files.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use gridmill_core::grid::Shape;
/// use gridmill_core::jobs::PuzzleKey;
/// use gridmill_data::collection::{DuplicateFinder, Place, Space};
///
/// let space = Space { memory: 1 << 20, folder: std::env::temp_dir() };
/// let mut finder = DuplicateFinder::new(&space)?;
/// for (record, cells) in [[1; 81], [2; 81], [1; 81]].iter().enumerate() {
///     let place = Place { file: 0, record: record as u64, line: record as u64 };
///     finder.add(&PuzzleKey::from_cells(Shape::CLASSIC, cells), place)?;
/// }
/// let found: Vec<_> = finder.find(&AtomicBool::new(false))?.collect::<Result<_, _>>()?;
/// assert_eq!(found.len(), 1);
/// assert_eq!((found[0].at.record, found[0].first.record), (2, 0));
/// # Ok::<(), gridmill_data::collection::SpaceError>(())
/// ```
#[derive(Debug)]
pub struct DuplicateFinder {
    space: Space,
    entries: Sorter<[u8; ENTRY]>,
}

impl DuplicateFinder {
    /// Makes a finder without records.
    ///
    /// # Errors
    ///
    /// If no file can be made in the folder for temporary files.
    pub fn new(space: &Space) -> Result<DuplicateFinder, SpaceError> {
        // Fails now if the folder can't be used, so that you don't read a large collection for nothing.
        space.file()?;
        Ok(DuplicateFinder { space: space.clone(), entries: Sorter::new(space.quarters(3)) })
    }

    /// Adds a record. Places may come in any order: among equal records, the one with the least place
    /// counts as the first.
    ///
    /// # Errors
    ///
    /// If temporary files can't be written.
    pub fn add(&mut self, key: &PuzzleKey, place: Place) -> Result<(), SpaceError> {
        let mut entry = [0; ENTRY];
        entry[..KEY].copy_from_slice(key.bytes());
        entry[KEY..].copy_from_slice(&place.bytes());
        self.entries.push(entry)
    }

    /// Adds the records of a chunk, skipping those without a key. The first record of the chunk has the
    /// number `first` in its file.
    ///
    /// # Errors
    ///
    /// As [`DuplicateFinder::add`].
    pub fn add_all(&mut self, file: u32, first: u64, keyed: &KeyedRecords) -> Result<(), SpaceError> {
        for (record, keyed) in (first..).zip(&keyed.records) {
            let place = Place { file, record, line: keyed.line - 1 };
            keyed.key.map_or(Ok(()), |key| self.add(&key, place))?;
        }
        Ok(())
    }

    /// Lists the records that equal earlier ones, in the order of their places. If `stop` becomes true
    /// before this returns, the list is incomplete.
    ///
    /// # Errors
    ///
    /// If temporary files can't be written or read.
    pub fn find(self, stop: &AtomicBool) -> Result<Duplicates, SpaceError> {
        let mut pairs: Sorter<[u8; 2 * PLACE]> = Sorter::new(self.space.quarters(1));
        let mut first: Option<[u8; ENTRY]> = None;
        for entry in self.entries.finish(stop)? {
            let entry = entry?;
            match first {
                Some(first) if first[..KEY] == entry[..KEY] => {
                    let mut pair = [0; 2 * PLACE];
                    pair[..PLACE].copy_from_slice(&entry[KEY..]);
                    pair[PLACE..].copy_from_slice(&first[KEY..]);
                    pairs.push(pair)?;
                }
                _ => first = Some(entry),
            }
        }
        let duplicate = |pair: [u8; 2 * PLACE]| Duplicate {
            at: Place::from_bytes(&pair),
            first: Place::from_bytes(&pair[PLACE..]),
        };
        Ok(Box::new(pairs.finish(&NEVER)?.map(move |pair| pair.map(duplicate))))
    }
}

/// The duplicates of a collection, in the order of their places.
pub type Duplicates = Box<dyn Iterator<Item = Result<Duplicate, SpaceError>>>;

/// The number of buckets that keys fall into. Each part gets whole buckets, so this bounds how exact the ratio is.
const BUCKETS: usize = 1 << 20;

/// Divides records by a ratio. Each key falls into a random bucket. A bucket of many records, e.g. of hundreds of
/// isomorphs, goes to a part chosen at random. The other buckets are divided into runs, one for each part. So puzzles
/// with the same key, which count as the same, end up in the same part. It takes 8 MB for any number of records,
/// because it only counts the records of each bucket.
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
/// let test = buckets.iter().filter(|bucket| parts.part_of(**bucket) == 1).count();
/// assert!((95..=105).contains(&test), "{test}");
/// ```
#[derive(Clone, Debug)]
pub struct Partition {
    seed: u64,
    counts: Vec<u64>,
    /// Records without a key. They belong to the first part.
    keyless: u64,
}

/// The parts of a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartBounds {
    /// Buckets of many records in ascending order, with their parts.
    heavy: Vec<(u32, usize)>,
    /// The runs of all other buckets: for each part but the last, the bucket after its last one.
    ends: Vec<u32>,
}

impl Partition {
    /// Makes a partition without records. Another seed gives other parts.
    #[must_use]
    pub fn new(seed: u64) -> Partition {
        Partition { seed, counts: vec![0; BUCKETS], keyless: 0 }
    }

    /// Counts a record, and returns the bucket of its key. Keep the bucket, so that you can look up the
    /// part later.
    pub fn add(&mut self, key: &PuzzleKey) -> u32 {
        let bucket = self.bucket(key.bytes());
        self.counts[bucket as usize] += 1;
        bucket
    }

    /// Counts a record without a key, which belongs to the first part.
    pub fn add_keyless(&mut self) {
        self.keyless += 1;
    }

    /// Computes the bucket of a key. It is random, but depends only on the key and the seed, so that a
    /// second run gives the same parts.
    fn bucket(&self, key: &[u8]) -> u32 {
        random_number(self.seed, key) as u32 % BUCKETS as u32
    }

    /// Divides the buckets among parts, one part for each number of the ratio. They are as near to the ratio as
    /// whole buckets allow, if there are enough small ones.
    ///
    /// # Panics
    ///
    /// If the numbers of the ratio are all 0.
    #[must_use]
    pub fn parts(&self, ratio: &[u64]) -> PartBounds {
        let whole: u128 = ratio.iter().copied().map(u128::from).sum();
        assert!(whole > 0, "a ratio needs a number above 0");
        let records = self.keyless + self.counts.iter().sum::<u64>();
        let share_of = |number: u64| (u128::from(records) * u128::from(number) / whole) as u64;
        let mut left: Vec<u64> = Vec::new();
        let mut sum = 0;
        for &number in ratio {
            let before = share_of(sum);
            sum += number;
            left.push(share_of(sum) - before);
        }
        left[0] = left[0].saturating_sub(self.keyless);

        let is_heavy = |count: u64| count > HEAVY * (records / BUCKETS as u64 + 1);
        let mut heavy: Vec<u32> =
            (0..BUCKETS as u32).filter(|&bucket| is_heavy(self.counts[bucket as usize])).collect();
        // The largest come first, because smaller ones can still fill what these leave.
        heavy.sort_by_key(|&bucket| (Reverse(self.counts[bucket as usize]), bucket));
        let mut heavy: Vec<(u32, usize)> = heavy
            .into_iter()
            .map(|bucket| {
                let count = self.counts[bucket as usize];
                // The number of a bucket is random, so its quotient by the number of all buckets is a random fraction. Here it is
                // scaled to 64 bits.
                let random = u64::from(bucket) << (u64::BITS - BUCKETS.ilog2());
                let part = choose_part(&left, count, random);
                left[part] = left[part].saturating_sub(count);
                (bucket, part)
            })
            .collect();
        heavy.sort_unstable();

        let (mut ends, mut wanted, mut end, mut inside) = (Vec::new(), 0, 0, 0);
        for &share in &left[..left.len() - 1] {
            wanted += share;
            while end < BUCKETS && inside < wanted {
                let count = self.counts[end];
                let with_next = inside + if is_heavy(count) { 0 } else { count };
                if with_next > wanted && with_next - wanted > wanted - inside {
                    break;
                }
                (inside, end) = (with_next, end + 1);
            }
            ends.push(end as u32);
        }
        PartBounds { heavy, ends }
    }
}

/// A bucket is heavy if it has more than `HEAVY * (average + 1)` records, where `average` is the mean of all buckets,
/// rounded down. With fewer than a million records it is 0.
const HEAVY: u64 = 8;

/// Chooses the part of a group of `size` records by a random number, with probabilities in proportion to what is
/// `left` in each part. If the group does not fit there, it gets the part with most left.
fn choose_part(left: &[u64], size: u64, random: u64) -> usize {
    let whole: u64 = left.iter().sum();
    let mut place = ((u128::from(random) * u128::from(whole)) >> 64) as u64;
    let drawn = left.iter().position(|&left| {
        let is_here = place < left;
        place = place.saturating_sub(left);
        is_here
    });
    let most = || (0..left.len()).rev().max_by_key(|&part| left[part]).unwrap_or(0);
    drawn.filter(|&part| left[part] >= size).unwrap_or_else(most)
}

impl PartBounds {
    /// Makes parts of one bucket each: the number of the bucket is the number of its part. This is for
    /// buckets that [`StratifiedPartition::divide`] has assigned, because those are parts already.
    #[must_use]
    pub fn one_per_bucket(parts: usize) -> PartBounds {
        PartBounds { heavy: Vec::new(), ends: (1..parts as u32).collect() }
    }

    /// Looks up the part, from 0, of a bucket.
    #[must_use]
    pub fn part_of(&self, bucket: u32) -> usize {
        match self.heavy.binary_search_by_key(&bucket, |&(heavy, _)| heavy) {
            Ok(place) => self.heavy[place].1,
            Err(_) => self.ends.iter().filter(|&&end| end <= bucket).count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_missing_folder_is_refused_by_its_name() {
        let space = Space { memory: 1 << 20, folder: PathBuf::from("/no/such/folder") };
        let error = DuplicateFinder::new(&space).unwrap_err().to_string();
        assert!(error.starts_with("/no/such/folder: temporary files can't be written there: "), "{error}");
    }

    fn with_counts(counts: &[(usize, u64)]) -> Partition {
        let mut partition = Partition::new(0);
        counts.iter().for_each(|&(bucket, count)| partition.counts[bucket] = count);
        partition
    }

    #[test]
    fn large_buckets_are_divided_before_small_ones() {
        let mut drawn = [0; 2];
        for heavy in (0..1 << 20).step_by(10_007) {
            let small = (0..39).map(|index| (index * 20_011 + 5, 1));
            let counts: Vec<(usize, u64)> = std::iter::once((heavy, 60)).chain(small).collect();
            for (ratio, expected) in [([8, 2], [79, 20]), ([1, 1], [39, 60])] {
                let parts = with_counts(&counts).parts(&ratio);
                let mut sizes = [0; 2];
                counts.iter().for_each(|&(bucket, count)| sizes[parts.part_of(bucket as u32)] += count);
                assert!(sizes == expected || sizes == [60, 39], "{sizes:?}");
                drawn[usize::from(sizes == [39, 60])] += 1;
            }
        }
        assert!(drawn.iter().all(|&count| count > 10), "{drawn:?}");
        // Groups of ten fit exactly.
        let tens: Vec<(usize, u64)> = (0..100).map(|index| (index * 10_007, 10)).collect();
        let parts = with_counts(&tens).parts(&[8, 1, 1]);
        let size = |part| tens.iter().filter(|(bucket, _)| parts.part_of(*bucket as u32) == part).count();
        assert_eq!([0, 1, 2].map(size), [80, 10, 10]);
    }

    #[test]
    fn parts_are_as_near_to_the_ratio_as_whole_buckets_allow() {
        let even: Vec<(usize, u64)> = (0..100).map(|index| (index * 1000, 1)).collect();
        let parts = with_counts(&even).parts(&[80, 10, 10]);
        let sizes = [0, 1, 2].map(|part| even.iter().filter(|it| parts.part_of(it.0 as u32) == part).count());
        assert_eq!(sizes, [80, 10, 10]);
        // A bucket of six records falls into the part where it does the least harm.
        assert_eq!(with_counts(&[(0, 4), (1, 6), (2, 10)]).parts(&[8, 12]).part_of(1), 0);
        assert_eq!(with_counts(&[(0, 4), (1, 6), (2, 10)]).parts(&[6, 14]).part_of(1), 1);
    }

    #[test]
    fn parts_may_be_empty() {
        assert_eq!(with_counts(&[]).parts(&[1, 1]).part_of(0), 1);
        assert_eq!(with_counts(&[(5, 3)]).parts(&[1, 0]).part_of(5), 0);
        assert_eq!(with_counts(&[(5, 3)]).parts(&[0, 1]).part_of(5), 1);
    }

    #[test]
    fn records_without_a_key_count_for_the_first_part() {
        let even: Vec<(usize, u64)> = (0..90).map(|bucket| (bucket, 1)).collect();
        for (keyless, ratio, expected) in [(10, [1, 1], 40), (10, [8, 2], 70), (90, [1, 9], 0)] {
            let mut partition = with_counts(&even);
            partition.keyless = keyless;
            let parts = partition.parts(&ratio);
            assert_eq!(even.iter().filter(|it| parts.part_of(it.0 as u32) == 0).count(), expected);
        }
    }

    #[test]
    fn buckets_depend_on_key_and_seed() {
        let bucket = |seed, key: &[u8]| Partition::new(seed).bucket(key);
        assert_eq!(bucket(1, b"one"), bucket(1, b"one"));
        assert_ne!(bucket(1, b"one"), bucket(2, b"one"));
        assert_ne!(bucket(1, b"one"), bucket(1, b"two"));
        // All bytes of a long key count.
        assert_ne!(bucket(1, &[7; 30]), bucket(1, &[[7; 29].as_slice(), &[8]].concat()));
    }
}
