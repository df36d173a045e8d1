//! Readers of one puzzle, from a line or from a CSV field.

pub(super) mod any_shape;
pub(super) mod classic;
pub(super) mod hodoku;
pub(super) mod json;
pub(super) mod pencilmarks;

use std::ops::Range;

use crate::text::{Fault, SourceEcho, is_skipped};

/// Reads puzzles of one kind from lines and from CSV fields. What all kinds share is done by
/// [`LineFormat`](crate::text::LineFormat) and [`CsvFormat`](crate::text::CsvFormat).
pub trait PuzzleReader: Send + Sync {
    /// The type of the puzzles.
    type Puzzle;

    /// Reads the puzzle of a line without its line end, or of a field without its quotes. Offsets in the fault
    /// count from the start of the text.
    ///
    /// # Errors
    ///
    /// The fault of the text.
    fn read(&self, text: &[u8]) -> Result<FoundPuzzle<Self::Puzzle>, Fault>;

    /// Appends the puzzle of the line at the front of some text, if it is in the plainest form, and returns
    /// the length of the line, which ends with LF. This form is read without a search for the line's end.
    #[inline]
    fn push_plain(&self, _text: &[u8], _puzzles: &mut Vec<Self::Puzzle>) -> Option<usize> {
        None
    }

    /// Returns whether a line is a record: neither blank nor a comment.
    #[inline]
    fn is_record(&self, line: &[u8]) -> bool {
        !is_skipped(line)
    }
}

/// A puzzle with its place in the line or field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPuzzle<P> {
    /// The puzzle.
    pub puzzle: P,
    /// The offset of the first cell.
    pub first_cell: usize,
    /// The range of the record's text: the cells alone if they are adjacent, or else the whole line.
    pub text: Range<usize>,
    /// How that text is repeated in an output row.
    pub echo: SourceEcho,
}

impl<P> FoundPuzzle<P> {
    /// Returns a puzzle with adjacent cells of one character each, which are the text of its record.
    #[inline]
    fn together(puzzle: P, cells: Range<usize>) -> FoundPuzzle<P> {
        FoundPuzzle { puzzle, first_cell: cells.start, text: cells, echo: SourceEcho::Verbatim }
    }

    /// Returns a puzzle whose record is the whole line.
    fn in_line(puzzle: P, first_cell: usize, line: &[u8]) -> FoundPuzzle<P> {
        FoundPuzzle { puzzle, first_cell, text: 0..line.len(), echo: SourceEcho::Puzzle }
    }

    /// Moves the place of the puzzle by `bytes`, which are in front of the text that was read.
    fn behind(self, bytes: usize) -> FoundPuzzle<P> {
        let text = self.text.start + bytes..self.text.end + bytes;
        FoundPuzzle { first_cell: self.first_cell + bytes, text, ..self }
    }
}

/// Returns the text in front of the first separator, without white space at its start, and its offset.
fn cells_of(line: &[u8]) -> (usize, &[u8]) {
    let text = line.trim_ascii_start();
    let end = text.iter().position(is_separator);
    (line.len() - text.len(), &text[..end.unwrap_or(text.len())])
}

/// Returns whether a byte separates a remark from the cells before it.
pub(in crate::text) fn is_separator(byte: &u8) -> bool {
    matches!(byte, b' ' | b',' | b';' | b'\t')
}
