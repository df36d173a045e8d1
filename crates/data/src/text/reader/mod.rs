//! Readers of a single puzzle, from a line or from a CSV field.

pub(super) mod any_shape;
pub(super) mod classic;
pub(super) mod json;
pub(super) mod programs;

use std::ops::Range;

use gridmill_core::Shape;
use gridmill_core::solver::Solvable;

use crate::text::{Fault, FaultKind, MAX_RECORD, PuzzleText, SourceEcho, is_skipped};
use any_shape::{is_cell, spans};

/// Reads puzzles of one kind from lines and CSV fields. Everything that does not depend on the kind is done
/// by [`LineFormat`](crate::text::LineFormat) and [`CsvFormat`](crate::text::CsvFormat).
pub trait PuzzleReader: Send + Sync {
    /// The type of the puzzles.
    type Puzzle: PuzzleText;

    /// Reads the puzzle of a line without its line end, or of a field without its quotes. Offsets in the
    /// fault count from the start of the text.
    ///
    /// # Errors
    ///
    /// The fault of the text.
    fn read(&self, text: &[u8]) -> Result<FoundPuzzle<Self::Puzzle>, Fault>;

    /// Reads the cells of a list, e.g. of an array in JSON, with white space between them. In a line of 81 characters
    /// spaces may be blanks, but a list has a word for each cell, or one for each row, and nothing else.
    ///
    /// # Errors
    ///
    /// The fault of the list.
    fn read_list(&self, list: &[u8]) -> Result<FoundPuzzle<Self::Puzzle>, Fault> {
        match self.read(list) {
            // The echo tells a list from adjacent cells.
            Ok(read) if read.echo == SourceEcho::Puzzle && is_list_of(list, read.puzzle.shape()) => Ok(read),
            Ok(read) => Err(list_fault(list, read.puzzle.shape().cells() as u32)),
            Err(Fault { kind: FaultKind::CellCount { needed, .. }, .. }) => Err(list_fault(list, needed)),
            Err(fault) => Err(fault),
        }
    }

    /// Fast path: if the text begins with a line in the plainest form, appends its puzzle and returns the
    /// length of the line, which must end with LF. It needs no search for the end of the line.
    #[inline]
    fn push_plain(&self, _text: &[u8], _puzzles: &mut Vec<Self::Puzzle>) -> Option<usize> {
        None
    }

    /// Returns the maximal length of a line in bytes.
    fn max_line_len(&self) -> usize {
        MAX_RECORD
    }

    /// Returns whether a line is a record, i.e. neither blank nor a comment.
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
    /// The range of the record's text: only the cells if they are adjacent, else the whole line.
    pub text: Range<usize>,
    /// How an output row repeats that text.
    pub echo: SourceEcho,
}

impl<P> FoundPuzzle<P> {
    /// Makes a puzzle whose cells are adjacent, with one character each. They are the text of its record.
    #[inline]
    fn adjacent(puzzle: P, cells: Range<usize>) -> FoundPuzzle<P> {
        FoundPuzzle { puzzle, first_cell: cells.start, text: cells, echo: SourceEcho::Verbatim }
    }

    /// Makes a puzzle whose record is the whole line.
    fn in_line(puzzle: P, first_cell: usize, line: &[u8]) -> FoundPuzzle<P> {
        FoundPuzzle { puzzle, first_cell, text: 0..line.len(), echo: SourceEcho::Puzzle }
    }

    /// Shifts the place of the puzzle by the `bytes` before the text that was read.
    fn shifted(self, bytes: usize) -> FoundPuzzle<P> {
        let text = self.text.start + bytes..self.text.end + bytes;
        FoundPuzzle { first_cell: self.first_cell + bytes, text, ..self }
    }
}

/// Returns whether a list has a word for each cell of a puzzle, or one for each row, e.g. `53..7....`.
fn is_list_of(list: &[u8], shape: Shape) -> bool {
    let words = spans(list).count();
    words == shape.cells() || words == shape.side() && spans(list).all(|(_, word)| word.len() == words)
}

/// The fault of a list that is not a puzzle of `needed` cells: it has more or fewer, or one of them is not a cell.
fn list_fault(list: &[u8], needed: u32) -> Fault {
    if let Some((at, _)) = spans(list).nth(needed as usize) {
        return Fault::new(FaultKind::TextAfterCells(needed), at);
    }
    let (found, side) = (spans(list).count() as u32, needed.isqrt());
    let number = |word: &[u8]| str::from_utf8(word).ok().and_then(|word| word.parse::<u32>().ok());
    let is_wrong = |word: &[u8]| number(word).map_or(!is_cell(word), |number| number > side);
    match spans(list).find(|(_, word)| is_wrong(word)).filter(|_| found == needed) {
        Some((at, word)) => {
            let too_large = |number| FaultKind::TooLarge { number, side: side as u8 };
            Fault::new(number(word).map_or_else(|| FaultKind::foreign(word), too_large), at)
        }
        None => Fault::new(FaultKind::CellCount { found, needed }, list.len()),
    }
}

/// Finds the text before the first separator, without leading white space, and its offset.
fn cells_of(line: &[u8]) -> (usize, &[u8]) {
    let text = line.trim_ascii_start();
    let end = text.iter().position(is_separator);
    (line.len() - text.len(), &text[..end.unwrap_or(text.len())])
}

/// Returns whether a byte separates the cells from a remark.
pub(in crate::text) fn is_separator(byte: &u8) -> bool {
    matches!(byte, b' ' | b',' | b';' | b'\t')
}
