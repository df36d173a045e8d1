//! Records on their way from a worker to the writer: answers, counts, diagnostics. The pipeline knows sinks and observers
//! only by these traits, and no output format and no progress bar.

mod report;
mod tally;

use std::path::Path;

use crc32fast::Hasher;
use gridmill_core::grid::Puzzle;
use gridmill_core::jobs::{Answers, Proposed};

use crate::text::{Batch, Fault, PuzzleText, Record, SolutionFault};

pub use report::{ChunkReport, Diagnostic, JournalItem, Places, Problem, Totals, count_lines};
pub use tally::{StatusCounts, Tally};

/// The records of a chunk, or some of them, with the answers of a job to their puzzles.
#[derive(Clone, Copy, Debug)]
pub struct AnsweredRecords<'a, P = Puzzle> {
    /// The name of the file of the chunk.
    pub file: &'a Path,
    /// The lines of the file in front of the chunk.
    pub lines_before: u64,
    /// The text of the chunk.
    pub chunk: &'a [u8],
    /// The number of the first record in its file, from 1.
    pub number: u64,
    /// Records of earlier files of the run.
    pub earlier_records: u64,
    /// The number of the first puzzle in the run, from 0.
    pub puzzle_number: u64,
    /// The records.
    pub records: &'a [Record],
    /// The puzzles of those that could be read.
    pub puzzles: &'a [P],
    /// Answers, one for each of these puzzles from the one at `first` on.
    pub answers: &'a Answers,
    /// The place of the first puzzle among the answers.
    pub first: usize,
}

impl<'a, P> AnsweredRecords<'a, P> {
    /// Returns the records of a chunk at the beginning of a file without a name, with an answer for each puzzle.
    #[must_use]
    pub fn of_chunk(chunk: &'a [u8], batch: &'a Batch<P>, answers: &'a Answers) -> AnsweredRecords<'a, P> {
        AnsweredRecords {
            file: Path::new(""),
            lines_before: 0,
            chunk,
            number: 1,
            earlier_records: 0,
            puzzle_number: 0,
            records: &batch.records,
            puzzles: &batch.puzzles,
            answers,
            first: 0,
        }
    }

    /// Iterates over the records in order: the number of each in its file, and if it could be read its puzzle, with the place
    /// of the answer.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &'a Record, Option<(&'a P, usize)>)> + use<'a, P> {
        let mut puzzles = self.puzzles.iter().zip(self.first..);
        (self.number..).zip(self.records).map(move |(number, record)| {
            (number, record, record.fault.map_or_else(|| puzzles.next(), |_| None))
        })
    }
}

/// Writes records with their answers: as rows of CSV or JSON, or as text for people.
pub trait Sink<P = Puzzle>: Sync {
    /// Appends what stands above all records.
    fn header(&self, _: &mut Vec<u8>) {}

    /// Appends the records.
    fn write(&self, records: &AnsweredRecords<'_, P>, out: &mut Vec<u8>);

    /// Returns whether a record may take megabytes. Records are then written one by one, so that others may take over in
    /// between, and memory holds few of them.
    fn is_bulky(&self) -> bool {
        false
    }
}

/// Writes nothing, where only the counts of a run matter.
impl<P> Sink<P> for () {
    fn write(&self, _: &AnsweredRecords<'_, P>, _: &mut Vec<u8>) {}
}

/// Watches a run. The writer calls it in the order of the input.
pub trait Observer {
    /// Receives the report on a chunk that has been written.
    fn written(&mut self, chunk: &ChunkReport);
}

/// The subject of a job in a record: a puzzle, perhaps with a proposed solution.
pub trait Subject {
    /// The type of the puzzle.
    type Puzzle: PuzzleText;

    /// Returns the puzzle.
    fn puzzle(&self) -> &Self::Puzzle;

    /// Returns why that which belongs to the puzzle could not be read, if it could not.
    fn fault(&self) -> Option<Fault> {
        None
    }
}

impl<P: PuzzleText> Subject for P {
    type Puzzle = P;

    #[inline]
    fn puzzle(&self) -> &P {
        self
    }
}

impl<P: PuzzleText> Subject for Proposed<P, SolutionFault> {
    type Puzzle = P;

    fn puzzle(&self) -> &P {
        &self.puzzle
    }

    fn fault(&self) -> Option<Fault> {
        self.solution.as_ref().err().map(|fault| fault.0)
    }
}

/// A part of a text that is known by its length and its checksum alone.
///
/// ```
/// use gridmill_data::record::Span;
///
/// let mut span = Span::of(b"1...\n");
/// span.append(Span::of(b"...2\n"));
/// assert_eq!(span, Span::of(b"1...\n...2\n"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Span {
    /// Bytes.
    pub bytes: u64,
    /// The CRC-32 of the bytes.
    pub checksum: u32,
}

impl Span {
    /// Returns the span of some bytes. Reads them once, at tens of gigabytes a second where the processor has
    /// carry-less multiplication.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Span {
        Span { bytes: bytes.len() as u64, checksum: crc32fast::hash(bytes) }
    }

    /// Adds the bytes of the span behind this one, in constant time.
    pub fn append(&mut self, next: Span) {
        let mut all = Hasher::new_with_initial_len(self.checksum, self.bytes);
        all.combine(&Hasher::new_with_initial_len(next.checksum, next.bytes));
        *self = Span { bytes: self.bytes + next.bytes, checksum: all.finalize() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_span_of_the_whole_wherever_it_is_cut() {
        let text: Vec<u8> = (0..200u32).map(|at| (at * at % 251) as u8).collect();
        for first in 0..=text.len() {
            for second in [first, (first + 7).min(text.len()), text.len()] {
                let mut span = Span::default();
                for part in [&text[..first], &text[first..second], &text[second..]] {
                    span.append(Span::of(part));
                }
                assert_eq!(span, Span::of(&text), "cut at {first} and {second}");
            }
        }
    }
}
