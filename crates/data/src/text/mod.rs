//! Text to puzzles and back: formats, readers, faults with their places, writers.
//!
//! [`Cut`] finds where a file may be cut, so that every chunk holds whole records; one thread at a time does
//! this, so it is cheap. [`Format`] reads the records of a chunk, on all workers at once: [`LineFormat`],
//! [`CsvFormat`] or [`RowsFormat`], with a [`PuzzleReader`] for the kind of puzzle. The layout of a file is
//! detected from its beginning and the user's [`FormatOptions`].
//!
//! A record is never dropped: one that can't be read is kept with a [`Fault`]. Blank lines and `#` comments
//! are no records.

mod alphabet;
mod detect;
mod fault;
mod format;
mod layout;
mod puzzle_text;
mod reader;
mod write;

pub use alphabet::Alphabet;
pub use detect::header::{CsvHeader, columns_meant, one_column};
pub(crate) use detect::holds_puzzles;
pub use detect::{FormatChoice, FormatOptions, HEAD_BYTES};
pub use fault::{Fault, FaultAdvice, FaultKind, FormatError, Remedy, no_advice, no_column, several_columns};
pub use format::csv::{CsvFormat, RawFields, csv_fields, in_brackets, raw_fields, row_over_lines};
pub use format::line::LineFormat;
pub use format::proposed::{ProposedFormat, SolutionFault};
pub use format::rows::RowsFormat;
pub use format::{Cut, Format};
pub use layout::Layout;
pub use puzzle_text::{GridPuzzle, PuzzleKind, PuzzleText};
pub use reader::any_shape::{AnyShapeReader, usual as usual_shape};
pub use reader::bank::BankReader;
pub use reader::classic::{ClassicReader, read_puzzle};
pub use reader::hodoku::HodokuReader;
pub(crate) use reader::json::json_entries;
pub use reader::json::{JsonReader, json_field, json_text, json_value, json_values};
pub use reader::pencilmarks::{PencilmarkReader, candidate_grid_line};
pub use reader::{FoundPuzzle, PuzzleReader};
pub use write::{PuzzleForm, PuzzleWriter};
pub(crate) use write::{write_candidates, write_framed};

use gridmill_core::grid::Puzzle;

/// The longest record, in bytes. A longer one is malformed, and costs no more memory than this.
pub const MAX_RECORD: usize = 64 * 1024;

/// The longest CSV row, in bytes: other columns may hold long texts.
pub const MAX_ROW: usize = 1024 * 1024;

/// The records of one chunk, in order.
#[derive(Debug)]
pub struct Batch<P = Puzzle> {
    /// The puzzles of the records that could be read.
    pub puzzles: Vec<P>,
    /// All records. Those without a fault have one puzzle each, in order.
    pub records: Vec<Record>,
}

impl<P> Default for Batch<P> {
    fn default() -> Batch<P> {
        Batch { puzzles: Vec::new(), records: Vec::new() }
    }
}

impl<P> Batch<P> {
    /// Removes all records, and keeps the memory for the next chunk.
    pub fn clear(&mut self) {
        self.puzzles.clear();
        self.records.clear();
    }

    /// Iterates over the records in order, each with its puzzle and the puzzle's index in the batch, if it
    /// could be read.
    pub fn iter(&self) -> impl Iterator<Item = (&Record, Option<(usize, &P)>)> {
        let mut puzzles = self.puzzles.iter().enumerate();
        self.records.iter().map(move |record| (record, record.fault.map_or_else(|| puzzles.next(), |_| None)))
    }

    /// Returns the index of the record that holds a puzzle of the batch.
    pub(crate) fn record_of(&self, puzzle: usize) -> usize {
        let holds = |(_, read): (_, Option<(usize, &P)>)| read.is_some_and(|(index, _)| index == puzzle);
        self.iter().position(holds).unwrap_or(self.records.len())
    }

    /// Removes a puzzle of the batch, and all records from its own on.
    pub(crate) fn truncate_before(&mut self, puzzle: usize) {
        self.records.truncate(self.record_of(puzzle));
        self.puzzles.truncate(puzzle);
    }
}

/// One record of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The offset of its text in the chunk.
    pub start: u32,
    /// Bytes of its text, without the line end.
    pub len: u32,
    /// Bytes of its text in front of its first cell; 0 if it is malformed, and for a cell behind the first
    /// [`MAX_RECORD`] bytes of a CSV row.
    pub lead: u16,
    /// How its text is repeated in an output row.
    pub echo: SourceEcho,
    /// Why it is malformed, if it is.
    pub fault: Option<Fault>,
}

impl Record {
    #[inline]
    fn new(start: usize, len: usize, lead: usize, echo: SourceEcho, fault: Option<Fault>) -> Record {
        let lead = u16::try_from(lead).unwrap_or(0);
        Record { start: start as u32, len: len as u32, lead, echo, fault }
    }

    fn too_long(chunk: &[u8]) -> Record {
        let fault = Fault::new(FaultKind::RecordTooLong, 0);
        let text = chunk.strip_suffix(b"\n").unwrap_or(chunk);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        Record::new(0, text.len(), 0, SourceEcho::Field, Some(fault))
    }

    /// Returns the text of the record.
    #[must_use]
    pub fn text<'a>(&self, chunk: &'a [u8]) -> &'a [u8] {
        &chunk[self.start as usize..][..self.len as usize]
    }

    /// Returns the offset of its first cell in the chunk.
    #[must_use]
    pub fn first_cell(&self) -> usize {
        self.start as usize + usize::from(self.lead)
    }
}

/// How the text of a record is repeated in an output row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceEcho {
    /// As it is: a character for each cell, or a whole CSV row.
    Verbatim,
    /// As a line made from the puzzle.
    Puzzle,
    /// As one field, whatever it holds.
    Field,
    /// As the fields of a malformed CSV row: with too few of them it is filled up, with too many the last column takes
    /// the rest.
    Ragged,
}

/// A line: its offset, and its text without line feed and carriage return.
#[derive(Clone, Copy, Debug)]
struct TextLine<'a> {
    start: usize,
    text: &'a [u8],
    /// The offset of the next line.
    next: usize,
    /// Whether a line feed ended it.
    ended: bool,
}

impl<'a> TextLine<'a> {
    /// Returns the line that begins at an offset of a chunk; `None` at its end.
    #[inline]
    fn at(chunk: &'a [u8], start: usize) -> Option<TextLine<'a>> {
        let rest = &chunk[start..];
        if rest.is_empty() {
            return None;
        }
        let feed = memchr::memchr(b'\n', rest);
        let next = start + feed.map_or(rest.len(), |feed| feed + 1);
        let text = &rest[..feed.unwrap_or(rest.len())];
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        Some(TextLine { start, text, next, ended: feed.is_some() })
    }
}

/// Iterates over the lines of a chunk.
fn lines(chunk: &[u8]) -> impl Iterator<Item = TextLine<'_>> + Clone {
    std::iter::successors(TextLine::at(chunk, 0), |line| TextLine::at(chunk, line.next))
}

/// Returns whether a line is no record: white space, or a comment. A line that is too long is a record,
/// unless it is a comment.
pub(crate) fn is_skipped(line: &[u8]) -> bool {
    is_comment(line) || (line.len() <= MAX_RECORD && line.trim_ascii_start().is_empty())
}

/// Returns whether a line begins with `#`, behind any white space. Only as many bytes are read as are kept of
/// a line.
fn is_comment(line: &[u8]) -> bool {
    line[..line.len().min(MAX_RECORD)].trim_ascii_start().first() == Some(&b'#')
}

/// Returns the start and end of a record's lines, behind `done` and before the next record.
#[inline]
pub fn lines_of(chunk: &[u8], record: &Record, next: Option<&Record>, done: usize) -> (usize, usize) {
    let (start, end) = (record.start as usize, (record.start + record.len) as usize);
    let line = memchr::memrchr(b'\n', &chunk[done..start]).map_or(done, |feed| done + feed + 1);
    let feed = memchr::memchr(b'\n', &chunk[end..]).map_or(chunk.len(), |feed| end + feed + 1);
    (line, next.map_or(feed, |next| feed.min(next.start as usize)))
}

/// Returns where the text between two records ceases to belong to the upper one: behind the first blank lines, or
/// behind a rule.
pub fn end_of_upper(text: &[u8]) -> usize {
    let (mut end, mut has_blank) = (0, false);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let is_blank = line.trim_ascii().is_empty();
        if has_blank && !is_blank {
            return end;
        }
        has_blank |= is_blank;
        end += line.len();
    }
    if has_blank {
        return end;
    }
    let first = text.split_inclusive(|&byte| byte == b'\n').next();
    first.filter(|line| is_rule(line)).map_or(0, <[u8]>::len)
}

/// Returns whether a line is a part of a frame.
pub fn is_rule(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    !line.is_empty() && line.iter().all(|byte| b"-+*=_:|. \t".contains(byte))
}
