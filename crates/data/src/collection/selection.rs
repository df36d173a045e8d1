//! Writes the records that `select` has chosen, or that `split` has put into a part. `sort` uses it to
//! write all records in another order.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use std::io::Write;

use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use super::passes::Output;
use super::passes::{SegmentKind, TextSegment, TextSegments};
use super::sorter::{Sorter, Space, SpaceError};
use super::strata::{Strata, StratumCounts, apportion};
use crate::error::{Error, ErrorKind};
use crate::text::{end_of_upper_record, is_rule};

/// Writes selected records: all of them, a sample, or sorted.
///
/// Text between two records belongs to one of them: the part up to the first blank line, such as the lower
/// edge of a frame, is written with the record above it, and the rest with the record below it. Text after
/// the last record belongs to that record.
pub struct SelectionWriter<'a> {
    pub(super) output: &'a mut dyn Write,
    /// How many more of the records that meet the conditions are skipped.
    pub left_to_skip: u64,
    /// How many more are taken after those; `None` for all.
    pub left_to_take: Option<u64>,
    /// Whether text after a record belongs to it. Then the last record is complete only when the next one
    /// comes.
    pub keeps_text_between: bool,
    /// How the records that are wanted are written.
    pub order: SelectionOrder,
    selected: u64,
    /// The number of records that came, up to the last one that is wanted.
    pub records: u64,
    /// How many of them can't be read, if these are marked.
    pub malformed: u64,
    /// Whether all records that are wanted have come, with the text that belongs to them.
    pub is_complete: bool,
    /// The text after the last record.
    between: Vec<u8>,
    /// Whether the last record was selected.
    follows_selected: bool,
}

/// Which of the records that are wanted are written, and in which order.
pub enum SelectionOrder {
    /// All, in the order of the input.
    All,
    /// Some, in the order of the input.
    Sample(Sample),
    /// All or the first ones, sorted by their values.
    Sorted(RecordSorter),
}

impl<'a> SelectionWriter<'a> {
    /// Selects all records. Not inlined, so that the conversion to `dyn Write` is compiled in this crate: the release
    /// profile compiles the program at opt-level 0 (see `Cargo.toml`).
    #[inline(never)]
    pub fn new(output: &'a mut Output) -> SelectionWriter<'a> {
        SelectionWriter::with_writer(output)
    }

    /// Selects all records, for an output of [`RowOutput::buffered`](crate::output::RowOutput::buffered).
    pub fn with_writer(output: &'a mut dyn Write) -> SelectionWriter<'a> {
        SelectionWriter {
            output,
            left_to_skip: 0,
            left_to_take: None,
            keeps_text_between: false,
            order: SelectionOrder::All,
            selected: 0,
            records: 0,
            malformed: 0,
            is_complete: false,
            between: Vec::new(),
            follows_selected: false,
        }
    }

    fn is_full(&self) -> bool {
        self.left_to_take == Some(0)
    }

    /// Counts a record that meets the conditions, and returns whether it is wanted.
    fn admits(&mut self) -> bool {
        if self.left_to_skip > 0 {
            self.left_to_skip -= 1;
            return false;
        }
        let is_wanted = !self.is_full();
        self.left_to_take = self.left_to_take.map(|left| left.saturating_sub(1));
        is_wanted
    }

    /// Takes the segments of a chunk, until all records that are wanted have come.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn take(&mut self, segments: &TextSegments) -> Result<(), Error> {
        let mut values = segments.values.iter();
        for segment in segments.iter() {
            if self.is_complete {
                break;
            }
            let is_record = segment.0 == SegmentKind::Record;
            let value = if is_record { values.next().unwrap_or_default() } else { &[] };
            self.add(segment, value)?;
        }
        Ok(())
    }

    /// Flushes the output.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.output.flush().map_err(|error| ErrorKind::Write { error }.into())
    }

    /// Takes a segment of the input. A record comes with its value, if values are wanted.
    pub(super) fn add(&mut self, (kind, text): TextSegment<'_>, value: &[u8]) -> Result<(), Error> {
        match kind {
            SegmentKind::Between => self.between.extend_from_slice(text),
            SegmentKind::Malformed => self.malformed += u64::from(!self.is_full()),
            SegmentKind::Record | SegmentKind::LeftOut => {
                let was_full = self.is_full();
                self.records += u64::from(!was_full);
                let is_selected = kind == SegmentKind::Record && self.admits();
                self.take_record(is_selected.then_some(value), text)?;
                self.is_complete = was_full || self.is_full() && !self.keeps_text_between;
            }
        }
        Ok(())
    }

    /// Takes a record. It is selected, and so written, if it has a value.
    fn take_record(&mut self, value: Option<&[u8]>, text: &[u8]) -> Result<(), Error> {
        let between = std::mem::take(&mut self.between);
        let (above, below) = between.split_at(end_of_upper_record(&between));
        let follows_selected = std::mem::replace(&mut self.follows_selected, value.is_some());
        if follows_selected {
            self.put_after_last(above)?;
        }
        let Some(value) = value else { return Ok(()) };
        // A single rule between two frames is the lower edge of one and the upper edge of the other, so a
        // record whose predecessor is left out needs it too.
        let is_edge_of_both = below.is_empty() && !follows_selected && is_rule(above);
        self.put_record(value, &[if is_edge_of_both { above } else { below }, text].concat())
    }

    /// Writes the rest. Returns how many records were written, and how many of a sample came from each
    /// stratum, in the order of their values.
    ///
    /// # Errors
    ///
    /// If writing fails, or reading temporary files.
    pub fn finish(mut self) -> Result<(u64, Vec<StratumCounts>), Error> {
        let between = std::mem::take(&mut self.between);
        if self.follows_selected {
            self.put_after_last(&between)?;
        }
        let mut all_strata = Vec::new();
        match std::mem::replace(&mut self.order, SelectionOrder::All) {
            SelectionOrder::All => {}
            SelectionOrder::Sample(sample) => {
                let (records, strata) = sample.into_records();
                records.into_iter().try_for_each(|record| self.write(&record))?;
                all_strata = strata;
            }
            SelectionOrder::Sorted(sorter) => sorter.hand_over(&mut |record| self.write(record))?,
        }
        Ok((self.selected, all_strata))
    }

    /// Writes a record, or adds it to the sample or to the sorter.
    fn put_record(&mut self, value: &[u8], text: &[u8]) -> Result<(), Error> {
        match &mut self.order {
            SelectionOrder::All => self.write(text),
            SelectionOrder::Sample(sample) => sample.offer(value, text),
            SelectionOrder::Sorted(sorter) => Ok(sorter.add(value, text)?),
        }
    }

    /// Writes a record, and ends its last line.
    fn write(&mut self, text: &[u8]) -> Result<(), Error> {
        self.selected += 1;
        self.put(text)?;
        if text.ends_with(b"\n") { Ok(()) } else { self.put(b"\n") }
    }

    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.output.write_all(bytes).map_err(|error| ErrorKind::Write { error }.into())
    }

    /// Writes text that belongs to the last record.
    fn put_after_last(&mut self, text: &[u8]) -> Result<(), Error> {
        match &mut self.order {
            SelectionOrder::All => self.put(text)?,
            SelectionOrder::Sample(sample) => sample.extend_last(text),
            SelectionOrder::Sorted(sorter) => sorter.last.extend_from_slice(text),
        }
        Ok(())
    }
}

/// Chooses a number of the records that are offered. Each stratum (the records with the same value) is
/// represented in proportion, by largest remainder, and every set of its records is equally likely. Memory
/// holds up to that number of records of each stratum, because the sizes of the strata are known only at
/// the end.
pub struct Sample {
    size: usize,
    seed: u64,
    offered: u64,
    strata: Strata,
    /// The records chosen so far, by stratum.
    reservoirs: Vec<Reservoir>,
    /// The stratum and the slot of the last record that was offered, if it was chosen.
    last: Option<(usize, usize)>,
}

/// Records chosen at random from those offered, with every set equally likely (reservoir sampling).
struct Reservoir {
    offered: u64,
    /// Each record with its place in the order of all offered records, so that the sample is written in
    /// that order.
    chosen: Vec<(u64, Vec<u8>)>,
    rng: ChaCha8Rng,
}

impl Sample {
    /// Chooses `size` records; the same seed chooses the same ones.
    #[must_use]
    pub fn new(size: usize, seed: u64) -> Sample {
        Sample { size, seed, offered: 0, strata: Strata::default(), reservoirs: Vec::new(), last: None }
    }

    /// Offers a record with its value. Without strata, all records have the same value.
    fn offer(&mut self, value: &[u8], record: &[u8]) -> Result<(), Error> {
        let stratum = self.strata.number(value)?;
        if stratum == self.reservoirs.len() {
            let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
            rng.set_stream(stratum as u64);
            self.reservoirs.push(Reservoir { offered: 0, chosen: Vec::new(), rng });
        }
        let slot = self.reservoirs[stratum].offer(self.size, self.offered, record);
        self.last = slot.map(|slot| (stratum, slot));
        self.offered += 1;
        Ok(())
    }

    /// Appends text to the last record that was offered, if it was chosen.
    fn extend_last(&mut self, text: &[u8]) {
        if let Some((stratum, slot)) = self.last {
            self.reservoirs[stratum].chosen[slot].1.extend_from_slice(text);
        }
    }

    /// Returns the chosen records in the order in which they were offered, and the counts of each stratum.
    fn into_records(mut self) -> (Vec<Vec<u8>>, Vec<StratumCounts>) {
        let in_order = self.strata.in_order();
        let counts: Vec<u64> = in_order.iter().map(|&(_, number)| self.reservoirs[number].offered).collect();
        let taken = apportion(self.size as u64, &counts, self.seed);
        let (mut all_chosen, mut strata) = (Vec::new(), Vec::new());
        for ((&(value, number), records), taken) in in_order.iter().zip(counts).zip(taken) {
            all_chosen.extend(self.reservoirs[number].choose(taken as usize));
            strata.push(StratumCounts { value: value.to_vec(), records, taken: vec![taken] });
        }
        all_chosen.sort_unstable_by_key(|(place, _)| *place);
        (all_chosen.into_iter().map(|(_, record)| record).collect(), strata)
    }
}

impl Reservoir {
    /// Puts the record into a free slot, or into a random one in place of another record, or drops it.
    /// Returns the slot.
    fn offer(&mut self, size: usize, place: u64, record: &[u8]) -> Option<usize> {
        let index = self.offered;
        self.offered += 1;
        let slot = if self.chosen.len() < size {
            self.chosen.push((place, Vec::new()));
            index as usize
        } else {
            self.rng.random_range(0..self.offered) as usize
        };
        *self.chosen.get_mut(slot)? = (place, record.to_vec());
        Some(slot)
    }

    /// Takes out `count` of the chosen records, at random.
    fn choose(&mut self, count: usize) -> Vec<(u64, Vec<u8>)> {
        let mut chosen = std::mem::take(&mut self.chosen);
        if count < chosen.len() {
            chosen.shuffle(&mut self.rng);
            chosen.truncate(count);
        }
        chosen
    }
}

/// Sorts records by their values. Records with equal values stay in the order of the input. Those that do
/// not fit into memory are written to temporary files.
pub struct RecordSorter {
    sorter: Sorter<Box<[u8]>>,
    /// The number of records that are wanted.
    take: u64,
    /// Becomes true when the run should stop.
    stop: Arc<AtomicBool>,
    records: u64,
    /// The sort key of the last record: its value and its number.
    last_key: Vec<u8>,
    /// The text of that record.
    last: Vec<u8>,
}

/// A sorted item is the key, the text, and then, in this many bytes, where the text begins.
const START_BYTES: usize = 4;

impl RecordSorter {
    /// Sorts within a space, until `stop` becomes true. Only the first `take` records are wanted; `None`
    /// for all.
    ///
    /// # Errors
    ///
    /// If no file can be made in the folder for temporary files.
    pub fn new(space: &Space, take: Option<u64>, stop: Arc<AtomicBool>) -> Result<RecordSorter, SpaceError> {
        // Fails now if the folder can't be used, so that you don't read a large collection for nothing.
        space.file()?;
        let (sorter, take) = (Sorter::new(space.quarters(3)), take.unwrap_or(u64::MAX));
        Ok(RecordSorter { sorter, take, stop, records: 0, last_key: Vec::new(), last: Vec::new() })
    }

    /// Adds a record. No value may be the beginning of another one, because the number of the record
    /// follows it in the key.
    fn add(&mut self, value: &[u8], text: &[u8]) -> Result<(), SpaceError> {
        self.end_last()?;
        self.last_key.extend_from_slice(value);
        self.last_key.extend_from_slice(&self.records.to_be_bytes());
        self.last.extend_from_slice(text);
        self.records += 1;
        Ok(())
    }

    /// Passes the last record to the sorter. Its text is complete now, because the next record has come, or
    /// none will.
    fn end_last(&mut self) -> Result<(), SpaceError> {
        if self.last_key.is_empty() {
            return Ok(());
        }
        let start = self.last_key.len() as u32;
        self.sorter.push([&self.last_key, &*self.last, &start.to_be_bytes()].concat().into())?;
        self.last_key.clear();
        self.last.clear();
        Ok(())
    }

    /// Calls `write` with the text of each record that is wanted, in order.
    fn hand_over(mut self, write: &mut dyn FnMut(&[u8]) -> Result<(), Error>) -> Result<(), Error> {
        self.end_last()?;
        let take = usize::try_from(self.take).unwrap_or(usize::MAX);
        for item in self.sorter.finish(&self.stop)?.take(take) {
            let item = item?;
            let (record, start) = item.split_last_chunk::<START_BYTES>().expect("it was added");
            write(&record[u32::from_be_bytes(*start) as usize..])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_is_equally_likely() {
        let mut counts = [0; 20];
        for seed in 0..2_000 {
            let mut sample = Sample::new(5, seed);
            (0..20_u8).for_each(|record| sample.offer(b"", &[record]).unwrap());
            let records: Vec<u8> = sample.into_records().0.iter().map(|record| record[0]).collect();
            assert_eq!(records.len(), 5);
            assert!(records.is_sorted());
            records.iter().for_each(|&record| counts[usize::from(record)] += 1);
        }
        // 500 are expected, with a standard deviation of 19.
        assert!(counts.iter().all(|count| (400..600).contains(count)), "{counts:?}");
    }

    #[test]
    fn strata_are_in_proportion_and_their_records_equally_likely() {
        let mut counts = [0; 40];
        let value = |record: u8| if record.is_multiple_of(4) { &b"b"[..] } else { b"a" };
        for seed in 0..2_000 {
            let mut sample = Sample::new(8, seed);
            (0..40_u8).for_each(|record| sample.offer(value(record), &[record]).unwrap());
            let (records, strata) = sample.into_records();
            let records: Vec<u8> = records.iter().map(|record| record[0]).collect();
            assert!(records.is_sorted());
            let taken: Vec<_> = strata.iter().map(|it| (&it.value[..], it.records, it.taken[0])).collect();
            assert_eq!(taken, [(&b"a"[..], 30, 6), (b"b", 10, 2)]);
            assert_eq!(records.iter().filter(|record| record.is_multiple_of(4)).count(), 2);
            records.iter().for_each(|&record| counts[usize::from(record)] += 1);
        }
        // 400 are expected, with a standard deviation of 18.
        assert!(counts.iter().all(|count| (320..480).contains(count)), "{counts:?}");
    }

    #[test]
    fn text_after_a_record_stays_with_it() {
        let mut sample = Sample::new(3, 1);
        for record in 0..50_u8 {
            sample.offer(&[record % 2], &[record]).unwrap();
            sample.extend_last(&[record]);
        }
        let (records, _) = sample.into_records();
        assert!(
            records.len() == 3 && records.iter().all(|record| record.len() == 2 && record[0] == record[1])
        );
    }

    #[test]
    fn records_are_sorted_by_their_values_and_stay_in_order_where_these_are_equal() {
        let folder = tempfile::tempdir().unwrap();
        let value = |record: u32| [(record.wrapping_mul(2_654_435_761) >> 28) as u8, 7];
        let text = |record: u32| format!("{}{record}\n", "x".repeat(record as usize % 50)).into_bytes();
        for (memory, take) in
            [(1 << 20, None), (40_000, None), (4_000, None), (1, Some(700)), (1 << 20, Some(0))]
        {
            let space = Space { memory, folder: folder.path().to_owned() };
            let mut sorter = RecordSorter::new(&space, take, Arc::default()).unwrap();
            for record in 0..2_000 {
                sorter.add(&value(record), &text(record)).unwrap();
                sorter.last.extend_from_slice(b"more");
            }
            let mut order: Vec<u32> = (0..2_000).collect();
            order.sort_by_key(|&record| value(record));
            order.truncate(take.map_or(usize::MAX, |take| take as usize));
            let expected: Vec<u8> =
                order.into_iter().flat_map(|record| [text(record), b"more".to_vec()].concat()).collect();
            let mut written = Vec::new();
            let mut write = |record: &[u8]| {
                written.extend_from_slice(record);
                Ok(())
            };
            sorter.hand_over(&mut write).unwrap();
            assert!(written == expected, "{memory}");
        }
    }
}
