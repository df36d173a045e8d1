//! Records on their way from a worker to the writer: answers, counts, diagnostics. The pipeline knows sinks and observers
//! only by these traits, and no output format and no progress bar.

mod report;
mod span;
mod subject;
mod tally;

use std::path::Path;

use gridmill_core::grid::Puzzle;
use gridmill_core::jobs::Answers;

use crate::text::{Batch, Record};

pub use report::{ChunkReport, Diagnostic, JournalItem, Places, Problem, Totals, count_lines};
pub use span::Span;
pub use subject::Subject;
pub use tally::{StatusCounts, Tally};

/// Where a chunk is: its file, and how much of that stands in front of it.
#[derive(Clone, Copy, Debug)]
pub struct ChunkPlace<'a> {
    /// The name of the file.
    pub file: &'a Path,
    /// The input in front of the chunk.
    pub before: Totals,
}

impl Default for ChunkPlace<'_> {
    /// Returns the beginning of a file without a name.
    fn default() -> Self {
        ChunkPlace { file: Path::new(""), before: Totals::default() }
    }
}

/// The records of a chunk, or some of them, with the answers of a job to their puzzles.
#[derive(Clone, Copy, Debug)]
pub struct AnsweredRecords<'a, P = Puzzle> {
    /// Where the chunk is.
    pub place: ChunkPlace<'a>,
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
            place: ChunkPlace::default(),
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
