//! What is told about a chunk: how much it was, and what was wrong with its records.

use super::{Answer, Answers, PuzzleLike, Status, Verdicts};
use crate::grid::rules::Conflict;
use crate::text::Fault;

/// How far the output has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Records written.
    pub records: u64,
    /// Lines of the input, those before the first record included.
    pub lines: u64,
    /// Bytes of the input.
    pub bytes: u64,
}

impl Totals {
    /// The size of a chunk with so many records.
    pub(crate) fn of_chunk(records: usize, chunk: &[u8]) -> Totals {
        let lines = count_lines(chunk) + u64::from(!chunk.ends_with(b"\n"));
        Totals { records: records as u64, lines, bytes: chunk.len() as u64 }
    }
}

/// What is to be told about a chunk.
#[derive(Clone, Debug, Default)]
pub struct ChunkReport {
    /// Its records, lines and bytes.
    pub size: Totals,
    /// What was wrong with its records.
    pub diagnostics: Vec<Diagnostic>,
    /// The verdicts on them, where there are such.
    pub verdicts: Verdicts,
}

/// A record that could not be read, or that breaks the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The record, from 0 in its chunk.
    pub record: u64,
    /// The line, from 0 in its chunk.
    pub line: u64,
    /// The column, from 1, in characters.
    pub column: u64,
    /// What is wrong.
    pub reason: Reason,
}

/// What a [`Diagnostic`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The record is malformed.
    Fault(Fault),
    /// Two clues contradict each other.
    Conflict(DuplicateDigit),
}

/// A digit that stands in a house twice, in words: `row 1 holds two 5s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DuplicateDigit {
    /// Where.
    pub conflict: Conflict,
    /// How the digit is written, if that is one character.
    pub symbol: Option<char>,
}

impl DuplicateDigit {
    /// The first one of a puzzle, if any.
    #[must_use]
    pub fn find(puzzle: &impl PuzzleLike) -> Option<DuplicateDigit> {
        let conflict = puzzle.find_conflict()?;
        Some(DuplicateDigit { conflict, symbol: puzzle.symbol(conflict.digit) })
    }
}

impl std::fmt::Display for DuplicateDigit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Conflict { house, digit, .. } = self.conflict;
        match self.symbol {
            Some(symbol) => write!(f, "{house} holds two {symbol}s"),
            None => write!(f, "{house} holds {digit} twice"),
        }
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Fault(fault) => write!(f, "malformed: {}", fault.kind),
            Reason::Conflict(twice) => write!(f, "conflict: {twice}"),
        }
    }
}

impl ChunkReport {
    /// Reports on the answers of a chunk; diagnostics only if they are wanted.
    pub(crate) fn fill<P: PuzzleLike>(&mut self, answers: &Answers<'_, P>, diagnostics: bool) {
        self.diagnostics.clear();
        if diagnostics {
            let mut places = Places::of(answers.chunk);
            let answers = answers.iter().enumerate();
            let unreadable = answers.filter(|(_, answer)| !answer.status.is_readable());
            let diagnostics =
                unreadable.filter_map(|(index, answer)| Diagnostic::about(&answer, index, &mut places));
            self.diagnostics.extend(diagnostics);
        }
        self.size = Totals::of_chunk(answers.batch.records.len(), answers.chunk);
    }
}

impl Diagnostic {
    /// What is wrong with an answer, if anything is. `index` is the record's place in the chunk.
    #[must_use]
    pub fn about<P: PuzzleLike>(
        answer: &Answer<'_, P>,
        index: usize,
        places: &mut Places<'_>,
    ) -> Option<Diagnostic> {
        let (reason, offset) = match (answer.record.fault, answer.solved) {
            (Some(fault), _) => (Reason::Fault(fault), fault.offset as usize),
            (None, Some((puzzle, _))) if answer.status == Status::Conflict => {
                (Reason::Conflict(DuplicateDigit::find(puzzle)?), answer.record.first_cell())
            }
            _ => return None,
        };
        let (line, column) = places.at(offset);
        Some(Diagnostic { record: index as u64, line, column, reason })
    }
}

/// Lines and columns of a chunk. Asked for from front to back, all of them together cost one reading.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    chunk: &'a [u8],
    /// Where the lines have been counted up to: the start of a line.
    line_start: usize,
    lines: u64,
}

impl<'a> Places<'a> {
    /// The places of a chunk.
    #[must_use]
    pub fn of(chunk: &'a [u8]) -> Places<'a> {
        Places { chunk, line_start: 0, lines: 0 }
    }

    /// The line, from 0, and the column, from 1 in characters, of a byte.
    pub fn at(&mut self, offset: usize) -> (u64, u64) {
        let offset = offset.min(self.chunk.len());
        if offset < self.line_start {
            *self = Places::of(self.chunk);
        }
        let passed = &self.chunk[self.line_start..offset];
        self.lines += count_lines(passed);
        self.line_start += memchr::memrchr(b'\n', passed).map_or(0, |feed| feed + 1);
        let line = String::from_utf8_lossy(&self.chunk[self.line_start..offset]);
        (self.lines, line.chars().count() as u64 + 1)
    }
}

/// Line feeds in some bytes.
#[must_use]
pub fn count_lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}
