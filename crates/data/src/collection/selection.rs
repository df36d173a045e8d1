//! The records that `select` has chosen, or `split` for a part, on their way to the output.

use std::io::Write;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::passes::Output;
use super::readings::{PartKind, TextPart, TextParts};
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
        for part in parts.iter() {
            if self.is_complete {
                break;
            }
            self.add(part)?;
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

    /// Takes a part of the input.
    pub(super) fn add(&mut self, (kind, text): TextPart<'_>) -> Result<(), Error> {
        match kind {
            PartKind::Between => self.between.extend_from_slice(text),
            PartKind::Malformed => self.malformed += u64::from(!self.is_full()),
            PartKind::Record | PartKind::LeftOut => {
                let was_full = self.is_full();
                self.records += u64::from(!was_full);
                let is_selected = kind == PartKind::Record && self.admits();
                self.take_record(is_selected, text)?;
                self.is_complete = was_full || self.is_full() && !self.keeps_between;
            }
        }
        Ok(())
    }

    /// Takes a record, and writes it if it is selected.
    fn take_record(&mut self, is_selected: bool, text: &[u8]) -> Result<(), Error> {
        let between = std::mem::take(&mut self.between);
        let (above, below) = between.split_at(end_of_upper(&between));
        let is_behind_selected = std::mem::replace(&mut self.is_behind_selected, is_selected);
        if is_behind_selected {
            self.put_behind(above)?;
        }
        if !is_selected {
            return Ok(());
        }
        // A single rule between two frames is the edge of both.
        let is_edge_of_both = below.is_empty() && !is_behind_selected && is_rule(above);
        self.put_record(&[if is_edge_of_both { above } else { below }, text].concat())
    }

    /// Writes the sample, and returns how many records were written.
    pub fn finish(mut self) -> Result<u64, Error> {
        let between = std::mem::take(&mut self.between);
        if self.is_behind_selected {
            self.put_behind(&between)?;
        }
        for record in self.sample.take().into_iter().flat_map(Sample::into_records) {
            self.put_record(&record)?;
        }
        Ok(self.selected)
    }

    /// Writes a record, or offers it to the sample.
    fn put_record(&mut self, text: &[u8]) -> Result<(), Error> {
        if let Some(sample) = &mut self.sample {
            sample.offer(text);
            return Ok(());
        }
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

/// Chooses a number of the records that are offered; every set of them is equally likely. Memory holds only
/// those chosen so far.
pub struct Sample {
    size: usize,
    offered: u64,
    /// Records with their places among those offered.
    chosen: Vec<(u64, Vec<u8>)>,
    /// The slot of the record that was offered last, if it was chosen.
    last: Option<usize>,
    rng: ChaCha8Rng,
}

impl Sample {
    /// Chooses so many records, at random by a seed.
    #[must_use]
    pub fn new(size: usize, seed: u64) -> Sample {
        Sample { size, offered: 0, chosen: Vec::new(), last: None, rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    fn offer(&mut self, record: &[u8]) {
        let place = self.offered;
        self.offered += 1;
        let slot = if self.chosen.len() < self.size {
            self.chosen.push((place, Vec::new()));
            place as usize
        } else {
            self.rng.random_range(0..self.offered) as usize
        };
        self.last = (slot < self.chosen.len()).then_some(slot);
        if let Some(chosen) = self.chosen.get_mut(slot) {
            *chosen = (place, record.to_vec());
        }
    }

    /// Appends text to the record that was offered last, if it was chosen.
    fn extend_last(&mut self, text: &[u8]) {
        let chosen = self.last.and_then(|slot| self.chosen.get_mut(slot));
        chosen.into_iter().for_each(|(_, record)| record.extend_from_slice(text));
    }

    /// Returns the records, in the order in which they were offered.
    fn into_records(mut self) -> impl Iterator<Item = Vec<u8>> {
        self.chosen.sort_unstable_by_key(|(place, _)| *place);
        self.chosen.into_iter().map(|(_, record)| record)
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
            (0..20_u8).for_each(|record| sample.offer(&[record]));
            let records: Vec<u8> = sample.into_records().map(|record| record[0]).collect();
            assert_eq!(records.len(), 5);
            assert!(records.is_sorted());
            records.iter().for_each(|&record| counts[usize::from(record)] += 1);
        }
        // 500 are expected, give or take 19.
        assert!(counts.iter().all(|count| (400..600).contains(count)), "{counts:?}");
    }
}
