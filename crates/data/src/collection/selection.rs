//! The records that `select` has chosen, or `split` for a part, on their way to the output.

use std::io::Write;

use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use super::passes::Output;
use super::readings::{PartKind, TextPart, TextParts};
use super::strata::{Strata, StratumCounts, apportion};
use crate::error::{Error, ErrorKind};
use crate::text::{end_of_upper, is_rule};

/// Writes selected records, or a sample of them. Of the text between two records, the part up to the first blank line,
/// such as the lower edge of a frame, goes with the record above, and the rest with the one below. The text behind the
/// last record goes with it.
pub struct Selection<'a> {
    pub(super) output: &'a mut dyn Write,
    /// How many of the records that meet the conditions are still left out at the beginning.
    pub skip: u64,
    /// How many are still wanted behind them; `None` for all.
    pub wanted: Option<u64>,
    /// Whether text behind a record belongs to it, so that the last one is complete only when the next one comes.
    pub keeps_between: bool,
    /// Chooses some of the records, if not all are wanted.
    pub sample: Option<Sample>,
    selected: u64,
    /// Records that came, up to the last one that is wanted.
    pub records: u64,
    /// Those of them that can't be read, where they are marked.
    pub malformed: u64,
    /// Whether all records that are wanted have come, with what belongs to them.
    pub is_complete: bool,
    /// The text behind the last record.
    between: Vec<u8>,
    /// Whether the last record was selected.
    is_behind_selected: bool,
}

impl<'a> Selection<'a> {
    /// Selects all records. Not inlined: a type becomes a `dyn Write` where that is compiled for speed, which the program is not.
    #[inline(never)]
    pub fn new(output: &'a mut Output) -> Selection<'a> {
        Selection::into(output)
    }

    /// Selects all records, for an output of [`RowOutput::buffered`](crate::output::RowOutput::buffered).
    pub fn into(output: &'a mut dyn Write) -> Selection<'a> {
        Selection {
            output,
            skip: 0,
            wanted: None,
            keeps_between: false,
            sample: None,
            selected: 0,
            records: 0,
            malformed: 0,
            is_complete: false,
            between: Vec::new(),
            is_behind_selected: false,
        }
    }

    fn is_full(&self) -> bool {
        self.wanted == Some(0)
    }

    /// Moves past a record that meets the conditions, and returns whether it is wanted.
    fn admits(&mut self) -> bool {
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        let is_wanted = !self.is_full();
        self.wanted = self.wanted.map(|wanted| wanted.saturating_sub(1));
        is_wanted
    }

    /// Takes the parts of a chunk until all records that are wanted have come.
    ///
    /// # Errors
    ///
    /// Where writing fails.
    pub fn take(&mut self, parts: &TextParts) -> Result<(), Error> {
        let mut values = parts.values.iter();
        for part in parts.iter() {
            if self.is_complete {
                break;
            }
            let is_record = part.0 == PartKind::Record;
            let value = if is_record { values.next().unwrap_or_default() } else { &[] };
            self.add(part, value)?;
        }
        Ok(())
    }

    /// Hands all that was written so far to the output.
    ///
    /// # Errors
    ///
    /// Where writing fails.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.output.flush().map_err(|error| ErrorKind::Write { error }.into())
    }

    /// Takes a part of the input. A record has a value, if any are wanted.
    pub(super) fn add(&mut self, (kind, text): TextPart<'_>, value: &[u8]) -> Result<(), Error> {
        match kind {
            PartKind::Between => self.between.extend_from_slice(text),
            PartKind::Malformed => self.malformed += u64::from(!self.is_full()),
            PartKind::Record | PartKind::LeftOut => {
                let was_full = self.is_full();
                self.records += u64::from(!was_full);
                let is_selected = kind == PartKind::Record && self.admits();
                self.take_record(is_selected.then_some(value), text)?;
                self.is_complete = was_full || self.is_full() && !self.keeps_between;
            }
        }
        Ok(())
    }

    /// Takes a record, and writes it if it is selected: if there is a value.
    fn take_record(&mut self, value: Option<&[u8]>, text: &[u8]) -> Result<(), Error> {
        let between = std::mem::take(&mut self.between);
        let (above, below) = between.split_at(end_of_upper(&between));
        let is_behind_selected = std::mem::replace(&mut self.is_behind_selected, value.is_some());
        if is_behind_selected {
            self.put_behind(above)?;
        }
        let Some(value) = value else { return Ok(()) };
        // A single rule between two frames is the edge of both.
        let is_edge_of_both = below.is_empty() && !is_behind_selected && is_rule(above);
        self.put_record(value, &[if is_edge_of_both { above } else { below }, text].concat())
    }

    /// Writes the sample, and returns how many records were written, and how many of each stratum, in the order of their
    /// values.
    ///
    /// # Errors
    ///
    /// Where writing fails.
    pub fn finish(mut self) -> Result<(u64, Vec<StratumCounts>), Error> {
        let between = std::mem::take(&mut self.between);
        if self.is_behind_selected {
            self.put_behind(&between)?;
        }
        let Some(sample) = self.sample.take() else { return Ok((self.selected, Vec::new())) };
        let (records, strata) = sample.into_records();
        records.into_iter().try_for_each(|record| self.write(&record))?;
        Ok((self.selected, strata))
    }

    /// Writes a record, or offers it to the sample.
    fn put_record(&mut self, value: &[u8], text: &[u8]) -> Result<(), Error> {
        match &mut self.sample {
            Some(sample) => sample.offer(value, text),
            None => self.write(text),
        }
    }

    /// Writes a record, and the end of its last line.
    fn write(&mut self, text: &[u8]) -> Result<(), Error> {
        self.selected += 1;
        self.put(text)?;
        if text.ends_with(b"\n") { Ok(()) } else { self.put(b"\n") }
    }

    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.output.write_all(bytes).map_err(|error| ErrorKind::Write { error }.into())
    }

    /// Writes text that belongs to the last record.
    fn put_behind(&mut self, text: &[u8]) -> Result<(), Error> {
        match &mut self.sample {
            Some(sample) => sample.extend_last(text),
            None => self.put(text)?,
        }
        Ok(())
    }
}

/// Chooses a number of the records that are offered, so that each stratum, the records with the same value, is represented
/// in proportion (by largest remainder); every set of its records is equally likely. Memory holds up to that number of records
/// of each stratum, because any of them may turn out to be the only one.
pub struct Sample {
    size: usize,
    seed: u64,
    offered: u64,
    strata: Strata,
    /// The records that are chosen of each stratum so far.
    reservoirs: Vec<Reservoir>,
    /// The stratum and the slot of the record that was offered last, if it was chosen.
    last: Option<(usize, usize)>,
}

/// Records chosen of those that were offered; every set of them is equally likely.
struct Reservoir {
    offered: u64,
    /// Records with their places among those offered.
    chosen: Vec<(u64, Vec<u8>)>,
    rng: ChaCha8Rng,
}

impl Sample {
    /// Chooses so many records, at random by a seed.
    #[must_use]
    pub fn new(size: usize, seed: u64) -> Sample {
        Sample { size, seed, offered: 0, strata: Strata::default(), reservoirs: Vec::new(), last: None }
    }

    /// Offers a record with a value; all have the same one where there are no strata.
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

    /// Appends text to the record that was offered last, if it was chosen.
    fn extend_last(&mut self, text: &[u8]) {
        if let Some((stratum, slot)) = self.last {
            self.reservoirs[stratum].chosen[slot].1.extend_from_slice(text);
        }
    }

    /// Returns the records, in the order in which they were offered, and how many there are of each stratum.
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
    /// Takes the record of a place instead of another one, or not. Returns the slot that it is in.
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

    /// Takes out so many of the chosen records, at random.
    fn choose(&mut self, count: usize) -> Vec<(u64, Vec<u8>)> {
        let mut chosen = std::mem::take(&mut self.chosen);
        if count < chosen.len() {
            chosen.shuffle(&mut self.rng);
            chosen.truncate(count);
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_is_as_likely() {
        let mut counts = [0; 20];
        for seed in 0..2_000 {
            let mut sample = Sample::new(5, seed);
            (0..20_u8).for_each(|record| sample.offer(b"", &[record]).unwrap());
            let records: Vec<u8> = sample.into_records().0.iter().map(|record| record[0]).collect();
            assert_eq!(records.len(), 5);
            assert!(records.is_sorted());
            records.iter().for_each(|&record| counts[usize::from(record)] += 1);
        }
        // 500 are expected, give or take 19.
        assert!(counts.iter().all(|count| (400..600).contains(count)), "{counts:?}");
    }

    #[test]
    fn strata_are_in_proportion_and_their_records_as_likely() {
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
        // 400 are expected, give or take 18.
        assert!(counts.iter().all(|count| (320..480).contains(count)), "{counts:?}");
    }

    #[test]
    fn text_behind_a_record_stays_with_it() {
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
}
