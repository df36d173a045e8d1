//! The report on a chunk: its size, its statuses, and diagnostics of its records.

use gridmill_core::jobs::DuplicateDigit;

use super::{Span, StatusCounts, Subject, Tally};
use crate::text::{Batch, Fault, PuzzleText, Record};

/// An amount of input: that of a chunk, or in front of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Totals {
    /// Records.
    pub records: u64,
    /// Records that could be read as puzzles.
    pub puzzles: u64,
    /// Lines, those before the first record included.
    pub lines: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Totals {
    /// Returns the size of a chunk with so many records, and puzzles among them.
    pub fn of_chunk(records: usize, puzzles: usize, chunk: &[u8]) -> Totals {
        let lines = count_lines(chunk) + u64::from(!chunk.ends_with(b"\n"));
        Totals { records: records as u64, puzzles: puzzles as u64, lines, bytes: chunk.len() as u64 }
    }
}

impl std::ops::AddAssign for Totals {
    fn add_assign(&mut self, more: Totals) {
        self.records += more.records;
        self.puzzles += more.puzzles;
        self.lines += more.lines;
        self.bytes += more.bytes;
    }
}

/// The report on a chunk.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ChunkReport {
    /// The input in front of it.
    pub before: Totals,
    /// Its size.
    pub size: Totals,
    /// The diagnostics of its records.
    pub diagnostics: Vec<Diagnostic>,
    /// How many of its records have each status.
    pub statuses: StatusCounts,
    /// The facts for the journal, where the run keeps one.
    pub item: Option<Box<JournalItem>>,
}

/// The facts of a chunk that a journal needs.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct JournalItem {
    /// The text of the chunk, with the lines that are skipped.
    pub span: Span,
    /// The counts of the chunk alone.
    pub tally: Tally,
    /// Whether the run was stopped within the chunk.
    pub cut_short: bool,
}

/// A record that could not be read, or that breaks the rules. Records, lines and columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The record.
    pub record: u64,
    /// The line.
    pub line: u64,
    /// The column, in characters.
    pub column: u64,
    /// The problem.
    pub problem: Problem,
}

/// The problem that a [`Diagnostic`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The record is malformed.
    #[error("malformed: {}", _0.kind)]
    Fault(Fault),
    /// Two clues contradict each other.
    #[error("conflict: {_0}")]
    Conflict(DuplicateDigit),
}

impl ChunkReport {
    /// Clears the report, for a chunk of size `size` behind `before`.
    pub(crate) fn begin(&mut self, before: Totals, size: Totals) {
        (self.before, self.size) = (before, size);
        self.diagnostics.clear();
        self.statuses = StatusCounts::default();
    }

    /// Returns whether a record of the chunk is not right.
    #[must_use]
    pub fn has_bad(&self) -> bool {
        self.statuses.failed > 0
    }

    /// Adds diagnostics of the records of a chunk that are no puzzles, or whose clues contradict each other;
    /// `is_conflict` says that of a puzzle by its index in the batch.
    pub(crate) fn diagnose<S: Subject>(
        &mut self,
        chunk: &[u8],
        batch: &Batch<S>,
        is_conflict: impl Fn(usize) -> bool,
    ) {
        let mut places = Places::of(chunk, self.before.lines);
        for (number, (record, read)) in (self.before.records + 1..).zip(batch.iter()) {
            let conflict = read.filter(|&(index, _)| is_conflict(index)).map(|(_, subject)| subject.puzzle());
            self.diagnostics.extend(Diagnostic::about(record, conflict, number, &mut places));
        }
    }
}

impl Diagnostic {
    /// Returns the diagnostic of a record of that number, if it is no puzzle, or the given one, which is in conflict.
    #[must_use]
    pub fn about<P: PuzzleText>(
        record: &Record,
        in_conflict: Option<&P>,
        number: u64,
        places: &mut Places<'_>,
    ) -> Option<Diagnostic> {
        let (problem, offset) = match (record.fault, in_conflict) {
            (Some(fault), _) => (Problem::Fault(fault), fault.offset as usize),
            (None, Some(puzzle)) => (Problem::Conflict(DuplicateDigit::find(puzzle)?), record.first_cell()),
            (None, None) => return None,
        };
        let (line, column) = places.at(offset);
        Some(Diagnostic { record: number, line, column, problem })
    }
}

/// Finds lines and columns of a text. All look-ups from front to back together cost one reading.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    text: &'a [u8],
    lines_before: u64,
    /// How far lines have been counted: the start of a line.
    line_start: usize,
    lines: u64,
}

impl<'a> Places<'a> {
    /// Starts at the front of a text with so many lines in front of it.
    #[must_use]
    pub fn of(text: &'a [u8], lines_before: u64) -> Places<'a> {
        Places { text, lines_before, line_start: 0, lines: lines_before }
    }

    /// Returns the line and the column, in characters, of the byte at `offset`. Both count from 1.
    pub fn at(&mut self, offset: usize) -> (u64, u64) {
        let offset = offset.min(self.text.len());
        if offset < self.line_start {
            *self = Places::of(self.text, self.lines_before);
        }
        let passed = &self.text[self.line_start..offset];
        self.lines += count_lines(passed);
        self.line_start += memchr::memrchr(b'\n', passed).map_or(0, |feed| feed + 1);
        let line = String::from_utf8_lossy(&self.text[self.line_start..offset]);
        (self.lines + 1, line.chars().count() as u64 + 1)
    }
}

/// Returns the number of line feeds.
#[must_use]
pub fn count_lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}
