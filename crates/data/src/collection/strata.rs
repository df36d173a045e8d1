//! Strata: groups of records with the same value of an attribute. A sample, and the parts of a collection,
//! get a proportional share of each stratum.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::solver::NEVER;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

use super::attribute::Attribute;
use super::passes::Buckets;
use super::passes::KeyedRecords;
use super::{KEY, Sorter, Space, SpaceError, array_at, choose_part};
use crate::error::Error;

/// The maximal number of strata. Each of them needs a count in memory, and with more of them the groups are
/// too small to mean anything.
const MAX_STRATA: usize = 10_000;

/// The strata found so far, numbered in the order of their first records.
#[derive(Debug, Default)]
pub(super) struct Strata {
    numbers: HashMap<Vec<u8>, u32>,
}

impl Strata {
    /// Looks up the number of the stratum with a value; a new value gets the next number.
    ///
    /// # Errors
    ///
    /// If there are too many strata.
    pub(super) fn number(&mut self, value: &[u8]) -> Result<usize, Error> {
        if let Some(&number) = self.numbers.get(value) {
            return Ok(number as usize);
        }
        let number = self.numbers.len();
        if number == MAX_STRATA {
            return Err(Error::other(
                "there are more than 10,000 different values to stratify by: make bins of numbers ('rating by 0.5'; bins=0.5 in Python)",
            ));
        }
        self.numbers.insert(value.to_vec(), number as u32);
        Ok(number)
    }

    /// Lists the values with their numbers, sorted by value.
    pub(super) fn in_order(&self) -> Vec<(&[u8], usize)> {
        let mut values: Vec<_> =
            self.numbers.iter().map(|(value, &number)| (&value[..], number as usize)).collect();
        values.sort_unstable();
        values
    }
}

/// The counts of a stratum: all of its records, and the records taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StratumCounts {
    /// The value that its records have.
    pub value: Vec<u8>,
    /// How many records it has.
    pub records: u64,
    /// How many of them each part has; for a sample, one number.
    pub taken: Vec<u64>,
}

impl StratumCounts {
    /// Writes the value for people.
    #[must_use]
    pub fn label(&self, attribute: &Attribute) -> String {
        attribute.label(&self.value)
    }
}

/// Divides `size` among counts in proportion to them, by largest remainder: each gets its share rounded
/// down, and those that lost most by rounding get one more. Ties are drawn at random by `seed`. If the
/// counts add up to less than `size`, all are taken.
pub(super) fn apportion(size: u64, counts: &[u64], seed: u64) -> Vec<u64> {
    let whole: u128 = counts.iter().copied().map(u128::from).sum();
    let size = u128::from(size).min(whole);
    if whole == 0 {
        return vec![0; counts.len()];
    }
    let product = |index: usize| u128::from(counts[index]) * size;
    let mut shares: Vec<u64> = (0..counts.len()).map(|index| (product(index) / whole) as u64).collect();
    let rest = size as u64 - shares.iter().sum::<u64>();
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    order.sort_by_key(|&index| std::cmp::Reverse(product(index) % whole));
    order[..rest as usize].iter().for_each(|&index| shares[index] += 1);
    shares
}

/// Divides the records of one stratum after another among parts, by a ratio.
///
/// A part gets its share of each stratum, rounded up or down. Records left over by rounding are given to
/// the parts that are furthest below their shares of all strata so far. So 100 strata of one record each
/// and a ratio of 8:2 put about 20 records into the second part. If each stratum were rounded by itself,
/// that part would get none.
struct Shares<'a> {
    ratio: &'a [u64],
    whole: i128,
    /// How far each part is below its share. Multiplied by `whole`, so that it is a whole number.
    owed: Vec<i128>,
}

impl<'a> Shares<'a> {
    fn new(ratio: &'a [u64]) -> Shares<'a> {
        let whole = ratio.iter().copied().map(i128::from).sum();
        assert!(whole > 0, "a ratio needs a number above 0");
        Shares { ratio, whole, owed: vec![0; ratio.len()] }
    }

    /// Computes how many of `records` records each part should get.
    fn split(&self, records: u64) -> Vec<u64> {
        let product = |part: usize| i128::from(records) * i128::from(self.ratio[part]);
        let parts = 0..self.ratio.len();
        let mut shares: Vec<u64> = parts.clone().map(|part| (product(part) / self.whole) as u64).collect();
        let rest = records - shares.iter().sum::<u64>();
        let remainder = |part: usize| product(part) % self.whole;
        let mut order: Vec<usize> = parts.filter(|&part| remainder(part) > 0).collect();
        order.sort_by_key(|&part| std::cmp::Reverse(self.owed[part] + remainder(part)));
        order[..rest as usize].iter().for_each(|&part| shares[part] += 1);
        shares
    }

    /// Corrects shares by what earlier strata left over, because groups can't be divided: a part that is n whole
    /// records short gets n more now, and one that has n too many gets n fewer.
    fn with_owed(&self, shares: Vec<u64>) -> Vec<u64> {
        let owed = self.owed.iter().map(|owed| (owed / self.whole) as i64);
        shares.into_iter().zip(owed).map(|(share, owed)| share.saturating_add_signed(owed)).collect()
    }

    /// Adds up how far each part is from its share, after it got `taken` records of a stratum.
    fn add_taken(&mut self, taken: &[u64]) {
        let records: u64 = taken.iter().sum();
        for ((owed, &taken), &number) in self.owed.iter_mut().zip(taken).zip(self.ratio) {
            *owed += i128::from(records) * i128::from(number) - i128::from(taken) * self.whole;
        }
    }
}

/// Divides the records of a collection, so that each part gets its share of each stratum. Puzzles with one
/// key, which count as the same, stay in one part. They all count for the stratum of the first of them.
///
/// Entries that do not fit into memory are sorted in temporary files.
pub struct StratifiedPartition {
    space: Space,
    seed: u64,
    strata: Strata,
    /// Keys with the number and the stratum of each record.
    entries: Sorter<[u8; KEY + 12]>,
    records: u64,
}

/// Size in bytes of an entry about a group: the place of its stratum (4), whether the group has one record (1), a
/// random number (8), the first record of the group (8), `SIZE` or `RECORD` (1), and a number (8): the size of the
/// group, or one of its records. In this order, sorting puts the groups of a stratum into random order, those of one
/// record last, and the size of each group before its records.
const GROUP_ENTRY_BYTES: usize = 4 + 1 + 8 + 8 + 1 + 8;
const SIZE: u8 = 0;
const RECORD: u8 = 1;

impl StratifiedPartition {
    /// Makes a partition without records. Another seed gives other parts.
    ///
    /// # Errors
    ///
    /// If no file can be made in the folder for temporary files.
    pub fn new(space: &Space, seed: u64) -> Result<StratifiedPartition, SpaceError> {
        space.file()?;
        let entries = Sorter::new(space.quarters(2));
        Ok(StratifiedPartition { space: space.clone(), seed, strata: Strata::default(), entries, records: 0 })
    }

    /// Adds the records of a chunk. Those without a key have no stratum; they belong to the first part.
    ///
    /// # Errors
    ///
    /// If temporary files can't be written, or there are too many strata.
    pub fn add(&mut self, keyed: &KeyedRecords) -> Result<(), Error> {
        for (record, value) in keyed.records.iter().zip(keyed.values.iter()) {
            if let Some(key) = record.key {
                let mut entry = [0; KEY + 12];
                entry[..KEY].copy_from_slice(key.bytes());
                entry[KEY..KEY + 8].copy_from_slice(&self.records.to_be_bytes());
                entry[KEY + 8..].copy_from_slice(&(self.strata.number(value)? as u32).to_be_bytes());
                self.entries.push(entry)?;
            }
            self.records += 1;
        }
        Ok(())
    }

    /// Assigns each record to a part, and counts what the parts got of each stratum, in the order of the
    /// values; `None` if `stop` became true.
    ///
    /// # Errors
    ///
    /// If temporary files can't be written or read.
    ///
    /// # Panics
    ///
    /// If the numbers of the ratio are all 0.
    pub fn divide(
        self,
        ratio: &[u64],
        stop: &AtomicBool,
    ) -> Result<Option<(Buckets, Vec<StratumCounts>)>, SpaceError> {
        let StratifiedPartition { space, seed, strata, entries, records } = self;
        let in_order = strata.in_order();
        let mut places = vec![0; in_order.len()];
        (0..).zip(&in_order).for_each(|(place, &(_, number))| places[number] = place);
        let mut counts = vec![0; places.len()];
        let mut group_entries: Sorter<[u8; GROUP_ENTRY_BYTES]> = Sorter::new(space.quarters(1));
        let mut group = None;
        for entry in entries.finish(stop)? {
            let entry = entry?;
            let record = u64::from_be_bytes(array_at(&entry, KEY));
            let last = group.take_if(|group: &mut Group| group.key != entry[..KEY]);
            last.map_or(Ok(()), |group| group.end(&mut counts, &mut group_entries))?;
            let group = group.get_or_insert_with(|| {
                let number = u32::from_be_bytes(array_at(&entry, KEY + 8));
                Group {
                    key: array_at(&entry, 0),
                    stratum: places[number as usize],
                    seed,
                    first: record,
                    size: 0,
                }
            });
            group.add(record, &mut group_entries)?;
        }
        group.map_or(Ok(()), |group| group.end(&mut counts, &mut group_entries))?;
        let values = in_order.iter().zip(counts);
        let mut strata: Vec<StratumCounts> = values
            .map(|(&(value, _), records)| StratumCounts {
                value: value.to_vec(),
                records,
                taken: vec![0; ratio.len()],
            })
            .collect();
        let mut parts: Sorter<[u8; 12]> = Sorter::new(space.quarters(1));
        divide_groups(group_entries.finish(stop)?, ratio, &mut strata, &mut parts)?;
        let mut buckets = Buckets::new(&space)?;
        let mut assigned = parts.finish(&NEVER)?.peekable();
        for record in 0..records {
            if record.is_multiple_of(1 << 16) && stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let is_it = |item: &Result<[u8; 12], SpaceError>| {
                item.as_ref().map_or(true, |item| u64::from_be_bytes(array_at(item, 0)) == record)
            };
            let assigned = assigned.next_if(is_it).transpose()?;
            buckets.push(assigned.map(|item| u32::from_be_bytes(array_at(&item, 8))))?;
        }
        Ok((!stop.load(Ordering::Relaxed)).then_some((buckets, strata)))
    }
}

/// Records with the same key.
struct Group {
    key: [u8; KEY],
    /// The place of its stratum.
    stratum: u32,
    seed: u64,
    /// The number of its first record.
    first: u64,
    size: u64,
}

impl Group {
    /// Adds a record. The first one is passed on with the second, because only then its group is known to have several.
    fn add(
        &mut self,
        record: u64,
        group_entries: &mut Sorter<[u8; GROUP_ENTRY_BYTES]>,
    ) -> Result<(), SpaceError> {
        self.size += 1;
        match self.size {
            1 => return Ok(()),
            2 => group_entries.push(self.group_entry(RECORD, self.first))?,
            _ => {}
        }
        group_entries.push(self.group_entry(RECORD, record))
    }

    /// Makes an entry about the group: its size (kind 0), or one of its records (kind 1).
    fn group_entry(&self, kind: u8, number: u64) -> [u8; GROUP_ENTRY_BYTES] {
        let mut entry = [0; GROUP_ENTRY_BYTES];
        entry[..4].copy_from_slice(&self.stratum.to_be_bytes());
        entry[4] = u8::from(self.size == 1);
        entry[5..13].copy_from_slice(&random_number(self.seed, &self.key).to_be_bytes());
        entry[13..21].copy_from_slice(&self.first.to_be_bytes());
        entry[21] = kind;
        entry[22..].copy_from_slice(&number.to_be_bytes());
        entry
    }

    /// Counts the records of a complete group for their stratum, and adds the size of the group.
    fn end(
        &self,
        counts: &mut [u64],
        group_entries: &mut Sorter<[u8; GROUP_ENTRY_BYTES]>,
    ) -> Result<(), SpaceError> {
        counts[self.stratum as usize] += self.size;
        if self.size == 1 {
            group_entries.push(self.group_entry(RECORD, self.first))?;
        }
        group_entries.push(self.group_entry(SIZE, self.size))
    }
}

/// Computes a random number that depends only on a seed and a key.
pub(super) fn random_number(seed: u64, key: &[u8]) -> u64 {
    let mut bytes = [0; 32];
    let words = key.chunks(24);
    words.for_each(|word| bytes.iter_mut().zip(word).for_each(|(byte, other)| *byte ^= other));
    bytes[24..].copy_from_slice(&seed.to_le_bytes());
    ChaCha8Rng::from_seed(bytes).next_u64()
}

/// Divides the groups of each stratum among the parts. Groups of several records come first, each in a part chosen
/// at random; then single records fill the parts up to their shares, so that shares are exact if there are enough
/// of them. Pushes each record with its part to `parts`.
fn divide_groups(
    group_entries: impl Iterator<Item = Result<[u8; GROUP_ENTRY_BYTES], SpaceError>>,
    ratio: &[u64],
    strata: &mut [StratumCounts],
    parts: &mut Sorter<[u8; 12]>,
) -> Result<(), SpaceError> {
    let mut shares = Shares::new(ratio);
    let (mut current, mut part_of_group): (Option<usize>, usize) = (None, 0);
    // How many records of the stratum each part still should get.
    let mut left = Vec::new();
    for entry in group_entries {
        let entry = entry?;
        let stratum = u32::from_be_bytes(array_at(&entry, 0)) as usize;
        let number = u64::from_be_bytes(array_at(&entry, 22));
        if current != Some(stratum) {
            if let Some(last) = current {
                shares.add_taken(&strata[last].taken);
            }
            left = shares.with_owed(shares.split(strata[stratum].records));
            current = Some(stratum);
        }
        if entry[21] == SIZE {
            part_of_group = choose_part(&left, number, u64::from_be_bytes(array_at(&entry, 5)));
            left[part_of_group] = left[part_of_group].saturating_sub(number);
            strata[stratum].taken[part_of_group] += number;
        } else {
            let mut item = [0; 12];
            item[..8].copy_from_slice(&number.to_be_bytes());
            item[8..].copy_from_slice(&(part_of_group as u32).to_be_bytes());
            parts.push(item)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::passes::KeyedRecord;
    use super::*;
    use gridmill_core::grid::Shape;
    use gridmill_core::jobs::PuzzleKey;

    #[test]
    fn a_size_is_apportioned_by_largest_remainder() {
        assert_eq!(apportion(10, &[50, 30, 20], 1), [5, 3, 2]);
        assert_eq!(apportion(10, &[44, 33, 23], 1), [5, 3, 2]);
        assert_eq!(apportion(7, &[1, 2, 3], 1), [1, 2, 3]);
        assert_eq!((apportion(0, &[1, 2], 1), apportion(3, &[0, 0], 1)), (vec![0, 0], vec![0, 0]));
        // Ties are drawn at random.
        let drawn: Vec<_> = (0..40).map(|seed| apportion(2, &[1; 4], seed)).collect();
        assert!(drawn.iter().all(|shares| shares.iter().sum::<u64>() == 2));
        assert!((0..4).all(|stratum| drawn.iter().any(|shares| shares[stratum] == 1)));
    }

    #[test]
    fn later_strata_compensate_for_small_ones() {
        let ratio = [8, 1, 1];
        let mut shares = Shares::new(&ratio);
        assert_eq!(shares.split(20), [16, 2, 2]);
        assert_eq!(shares.split(23), [19, 2, 2]);
        let mut sums = [0; 3];
        for _ in 0..100 {
            let taken = shares.split(1);
            shares.add_taken(&taken);
            sums.iter_mut().zip(taken).for_each(|(sum, taken)| *sum += taken);
        }
        assert_eq!(sums, [80, 10, 10]);
        // Shares without a remainder ignore what is owed, because there is nothing to round.
        shares.owed = vec![-30, 15, 15];
        assert_eq!(shares.split(10), [8, 1, 1]);
    }

    /// Makes records from keys and values; key 0 means no key.
    fn keyed(records: &[(u16, &[u8])]) -> KeyedRecords {
        let mut keyed = KeyedRecords::default();
        for &(key, value) in records {
            let [high, low] = key.to_be_bytes();
            let mut cells = [0; 81];
            (cells[0], cells[1], cells[2]) = (high, low >> 4, low & 15);
            let key = (key > 0).then(|| PuzzleKey::from_cells(Shape::CLASSIC, &cells));
            keyed.records.push(KeyedRecord { line: 1, key });
            keyed.values.push_bytes(value);
        }
        keyed
    }

    /// Divides records: gives the part of each (`None` without a key), and the counts of the strata.
    fn divided(
        memory: usize,
        records: &[(u16, &[u8])],
        ratio: &[u64],
    ) -> (Vec<Option<u32>>, Vec<StratumCounts>) {
        let folder = tempfile::tempdir().unwrap();
        let space = Space { memory, folder: folder.path().to_owned() };
        let mut partition = StratifiedPartition::new(&space, 7).unwrap();
        records.chunks(13).for_each(|chunk| partition.add(&keyed(chunk)).unwrap());
        let (buckets, strata) = partition.divide(ratio, &NEVER).unwrap().unwrap();
        (buckets.into_numbers().unwrap(), strata)
    }

    #[test]
    fn every_stratum_is_divided_by_the_ratio_in_any_memory() {
        let records: Vec<(u16, &[u8])> =
            (1..=1_500).map(|key| (key, [&b"a"[..], b"b", b"b"][usize::from(key) % 3])).collect();
        let (parts, strata) = divided(1 << 20, &records, &[8, 1, 1]);
        let counts: Vec<_> = strata.iter().map(|it| (&it.value[..], it.records, &it.taken[..])).collect();
        assert_eq!(counts, [(&b"a"[..], 500, &[400, 50, 50][..]), (b"b", 1_000, &[800, 100, 100])]);
        for (part, expected) in [(0, 400), (1, 50), (2, 50)] {
            let count = parts.iter().zip(&records).filter(|it| *it.0 == Some(part) && it.1.1 == b"a").count();
            assert_eq!(count, expected);
        }
        for memory in [40_000, 2_000, 4] {
            assert_eq!(divided(memory, &records, &[8, 1, 1]).0, parts, "{memory}");
        }
    }

    #[test]
    fn records_with_one_key_stay_together_in_the_stratum_of_the_first() {
        // Each key comes up to three times, with another value each time.
        let records: Vec<(u16, &[u8])> =
            (0..2_000).map(|at: u16| (at * 3 % 700, [&b"a"[..], b"b", b"c"][usize::from(at) % 3])).collect();
        let (parts, strata) = divided(5_000, &records, &[3, 1]);
        let (mut part_of, mut counts) = (HashMap::new(), HashMap::new());
        for (&(key, value), &part) in records.iter().zip(&parts) {
            assert_eq!(part.is_none(), key == 0);
            if let Some(part) = part {
                let (first_part, first_value) = *part_of.entry(key).or_insert((part, value));
                assert_eq!(part, first_part);
                *counts.entry((first_value, part)).or_insert(0) += 1;
            }
        }
        for StratumCounts { value, records, taken } in &strata {
            assert_eq!(taken.iter().sum::<u64>(), *records);
            for (part, taken) in (0..).zip(taken) {
                assert_eq!(counts[&(&value[..], part)], *taken);
            }
            // A group has at most three records.
            assert!(taken[0].abs_diff(records * 3 / 4) <= 2, "{strata:?}");
        }
    }

    #[test]
    fn single_records_make_shares_exact_and_groups_are_in_all_parts() {
        let group = |key: u16| if key < 100 { 1 + key / 4 } else { key };
        let records: Vec<(u16, &[u8])> = (0..400).map(|key| (group(key), &b"a"[..])).collect();
        let (parts, strata) = divided(1 << 20, &records, &[8, 1, 1]);
        assert_eq!(strata[0].taken, [320, 40, 40]);
        let part = |key: u16| parts[usize::from(key)];
        assert!((0..100).all(|key| part(key) == part(key / 4 * 4)));
        assert!((0..3).all(|wanted| (0..100).any(|key| part(key) == Some(wanted))));
    }

    #[test]
    fn a_stopped_division_has_no_parts_and_too_many_strata_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let space = Space { memory: 1 << 20, folder: folder.path().to_owned() };
        let mut partition = StratifiedPartition::new(&space, 7).unwrap();
        partition.add(&keyed(&[(1, b"a"), (2, b"b")])).unwrap();
        assert!(partition.divide(&[1, 1], &AtomicBool::new(true)).unwrap().is_none());
        let mut strata = Strata::default();
        (0..MAX_STRATA).for_each(|value| assert_eq!(strata.number(&value.to_be_bytes()).unwrap(), value));
        assert_eq!(strata.number(&7_usize.to_be_bytes()).unwrap(), 7);
        assert!(strata.number(b"more").unwrap_err().to_string().contains("make bins"));
    }
}
