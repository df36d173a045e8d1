//! Results on their way from a worker to the writer: verdicts, counts, diagnostics. The pipeline knows rows
//! and observers only by these traits, and no output format and no progress bar.

mod place;
mod puzzle_like;
mod report;
mod span;
mod tally;
mod verdict;

use gridmill_core::grid::Puzzle;
use gridmill_core::solver::{Outcome, SolutionLimit};

use crate::text::{Batch, Record};

pub use place::{ChunkPlace, PlacedRecord};
pub use puzzle_like::PuzzleLike;
pub use report::{
    ChunkReport, Diagnostic, DuplicateDigit, JournalItem, Places, Problem, Totals, count_lines,
};
pub use span::Span;
pub use tally::Tally;
pub use verdict::{Verdict, Verdicts};

/// The verdict on a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// Exactly one solution: proved.
    Unique,
    /// More than one solution.
    Multiple,
    /// No solution, though no two clues contradict each other directly.
    None,
    /// A solution was found, and no other was looked for.
    Solved,
    /// Two equal clues in a house.
    Conflict,
    /// The record could not be read.
    Malformed,
    /// The search was given up before its end.
    Budget,
}

impl Status {
    /// Every status, in the order in which summaries list them.
    pub const ALL: [Status; 7] = [
        Status::Unique,
        Status::Solved,
        Status::Multiple,
        Status::None,
        Status::Budget,
        Status::Conflict,
        Status::Malformed,
    ];

    /// Returns the name of the status in rows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Status::Unique => "unique",
            Status::Multiple => "multiple",
            Status::None => "none",
            Status::Solved => "solved",
            Status::Conflict => "conflict",
            Status::Malformed => "malformed",
            Status::Budget => "budget",
        }
    }

    /// Returns the status of a puzzle, from what a search under `limit` found.
    #[must_use]
    pub fn of<P: PuzzleLike>(puzzle: &P, found: &Outcome<P::Solution>, limit: SolutionLimit) -> Status {
        match found.solutions {
            _ if found.is_given_up => Status::Budget,
            0 if puzzle.find_conflict().is_some() => Status::Conflict,
            0 => Status::None,
            1 if limit == SolutionLimit::FIRST => Status::Solved,
            1 => Status::Unique,
            _ => Status::Multiple,
        }
    }

    /// Returns whether the record is a puzzle without a conflict.
    #[must_use]
    pub const fn is_readable(self) -> bool {
        !matches!(self, Status::Conflict | Status::Malformed)
    }
}

/// The records of a chunk with their results.
#[derive(Debug)]
pub struct ChunkOutcomes<'a, P: PuzzleLike = Puzzle> {
    /// Where the chunk is.
    pub place: ChunkPlace<'a>,
    /// The text of the chunk.
    pub chunk: &'a [u8],
    /// Its records and puzzles.
    pub batch: &'a Batch<P>,
    /// What the search of each puzzle found.
    pub outcomes: &'a [Outcome<P::Solution>],
    /// A status for each puzzle.
    pub statuses: &'a [Status],
}

/// A record with its result.
#[derive(Debug)]
#[non_exhaustive]
pub struct RecordOutcome<'a, P: PuzzleLike = Puzzle> {
    /// The record.
    pub record: &'a Record,
    /// The status of the record.
    pub status: Status,
    /// The puzzle and what its search found, if the record could be read.
    pub searched: Option<(&'a P, &'a Outcome<P::Solution>)>,
}

impl<'a, P: PuzzleLike> ChunkOutcomes<'a, P> {
    /// Iterates over the records in order.
    pub fn iter(&self) -> impl Iterator<Item = RecordOutcome<'a, P>> + use<'a, P> {
        let ChunkOutcomes { batch, outcomes, statuses, .. } = *self;
        batch.iter().map(move |(record, read)| match read {
            Some((index, puzzle)) => {
                RecordOutcome { record, status: statuses[index], searched: Some((puzzle, &outcomes[index])) }
            }
            None => RecordOutcome { record, status: Status::Malformed, searched: None },
        })
    }
}

/// Writes records as rows.
pub trait RowFormat<P: PuzzleLike = Puzzle>: Sync {
    /// Appends the header row.
    fn header(&self, out: &mut Vec<u8>);

    /// Appends a row for each record.
    fn rows(&self, outcomes: &ChunkOutcomes<'_, P>, out: &mut Vec<u8>);
}

/// Watches a run. The writer calls it in the order of the input.
pub trait Observer {
    /// Receives the report on a chunk that has been written.
    fn written(&mut self, chunk: &ChunkReport);

    /// Receives the report on the chunk whose rows could not be written. It is the last one.
    fn lost(&mut self, _: &ChunkReport) {}
}
