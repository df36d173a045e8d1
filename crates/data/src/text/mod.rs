//! Text to puzzles and back: formats, readers, faults with their places, writers.
//!
//! [`Cut`] finds where a file can be cut, so that every chunk contains complete records. It has to be
//! cheap, because only one thread at a time does it. [`Format`] reads the records of a chunk, on all
//! workers at once: [`LineFormat`], [`CsvFormat`] or [`GridFormat`], with a [`PuzzleReader`] for the kind
//! of puzzle. The layout of a file is detected from its beginning and the user's [`FormatOptions`].
//!
//! A record is never dropped: if it can't be read, it is kept with a [`Fault`]. Blank lines and `#`
//! comments are not records, but below the header of CSV only empty lines are skipped: every other line is a row.

mod alphabet;
mod detect;
mod fault;
mod format;
mod layout;
mod reader;
mod write;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use gridmill_core::grid::{CELLS, Digit, Grid, Shape};
use gridmill_core::jobs::JobPuzzle;
use gridmill_core::solver::AsGrid;

// Public because the macro `with_kind` names them.
#[doc(hidden)]
pub use gridmill_core::grid::{Pencilmarks, Puzzle};

pub use alphabet::Alphabet;
pub use detect::header::{CsvHeader, RECORD_COLUMNS, columns_meant, is_from_python_read, one_column};
pub(crate) use detect::holds_puzzles;
pub use detect::{FormatChoice, FormatOptions, HEAD_BYTES};
pub use fault::{Fault, FaultAdvice, FaultKind, FormatError, Remedy, no_advice, no_column, several_columns};
#[cfg(feature = "columnar")]
pub(crate) use format::csv::first_row;
pub use format::csv::{
    CsvFormat, RawFields, csv_fields, field_content, multiline_row, raw_fields, without_brackets,
};
pub use format::grids::{GridFormat, framed_shape};
pub use format::{Cut, Format, LineFormat};
pub use format::{ProposedFormat, SolutionFault};
pub use layout::Layout;
pub use reader::any_shape::{AnyShapeReader, usual as usual_shape};
pub(crate) use reader::classic::words;
pub use reader::classic::{ClassicReader, read_puzzle};
pub(crate) use reader::json::json_field;
pub use reader::json::{JsonReader, json_entries, json_text, json_value, json_values};
pub use reader::programs::{BankReader, HodokuReader, PencilmarkReader, candidate_grid_line};
pub use reader::{FoundPuzzle, PuzzleReader};
pub use write::{PuzzleForm, Spelling};
pub(crate) use write::{write_boxes, write_framed};

/// The longest record of formats other than CSV and JSON Lines, in bytes. A longer one is malformed; only stages that repeat it keep its whole text.
pub const MAX_RECORD: usize = 64 * 1024;

/// The longest CSV row and the longest line of JSON, in bytes. It is longer than [`MAX_RECORD`], because other
/// columns or keys may contain long texts.
pub const MAX_ROW: usize = 1024 * 1024;

/// The records of one chunk, in order.
#[derive(Debug)]
pub struct Batch<P = Puzzle> {
    /// The puzzles of the records that could be read.
    pub puzzles: Vec<P>,
    /// All records. Each record without a fault has one puzzle, in the same order.
    pub records: Vec<Record>,
}

impl<P> Default for Batch<P> {
    fn default() -> Batch<P> {
        Batch { puzzles: Vec::new(), records: Vec::new() }
    }
}

impl<P> Batch<P> {
    /// Removes all records. The memory is kept for the next chunk.
    pub fn clear(&mut self) {
        self.puzzles.clear();
        self.records.clear();
    }

    /// Iterates over the records in order. If a record could be read, it comes with its puzzle and the
    /// puzzle's index in the batch.
    pub fn iter(&self) -> impl Iterator<Item = (&Record, Option<(usize, &P)>)> {
        let mut puzzles = self.puzzles.iter().enumerate();
        self.records.iter().map(move |record| (record, record.fault.map_or_else(|| puzzles.next(), |_| None)))
    }

    /// Finds the index of the record that contains a puzzle.
    pub(crate) fn record_of(&self, puzzle: usize) -> usize {
        let holds = |(_, read): (_, Option<(usize, &P)>)| read.is_some_and(|(index, _)| index == puzzle);
        self.iter().position(holds).unwrap_or(self.records.len())
    }

    /// Removes a puzzle, and all records from its record on.
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
    /// The length of its text in bytes, without the line end.
    pub len: u32,
    /// The number of bytes before its first cell. It is 0 if the record is malformed, and if the cell comes
    /// after the first [`MAX_RECORD`] bytes of a CSV row or a line of JSON.
    pub lead: u16,
    /// How an output row repeats its text.
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

    fn too_long(chunk: &[u8], limit: usize) -> Record {
        let fault = Fault::new(FaultKind::too_long(limit), 0);
        let text = chunk.strip_suffix(b"\n").unwrap_or(chunk);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        Record::new(0, text.len(), 0, SourceEcho::Field, Some(fault))
    }

    /// The text of the record.
    #[must_use]
    pub fn text<'a>(&self, chunk: &'a [u8]) -> &'a [u8] {
        &chunk[self.start as usize..][..self.len as usize]
    }

    /// The offset of its first cell in the chunk.
    #[must_use]
    pub fn first_cell(&self) -> usize {
        self.start as usize + usize::from(self.lead)
    }
}

/// How an output row repeats the text of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceEcho {
    /// Unchanged: one character for each cell, or a whole CSV row.
    Verbatim,
    /// As a line that is made from the puzzle.
    Puzzle,
    /// As a single field, whatever it contains.
    Field,
    /// As the fields of a malformed CSV row. Missing fields become empty, and the last column takes all
    /// that are too many.
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
    /// Finds the line that begins at an offset of a chunk; `None` at its end.
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

/// Returns whether a line is no record, because it is white space or a comment. A line that is too long is
/// a record, unless it is a comment.
pub(crate) fn is_skipped(line: &[u8]) -> bool {
    is_comment(line) || (line.len() <= MAX_RECORD && line.trim_ascii_start().is_empty())
}

/// Returns whether a line begins with `#`, perhaps after white space. It looks only at [`MAX_RECORD`]
/// bytes, because only the beginning of a longer line is kept.
fn is_comment(line: &[u8]) -> bool {
    line[..line.len().min(MAX_RECORD)].trim_ascii_start().first() == Some(&b'#')
}

/// Iterates over the ranges of lines, including line ends, that belong to each record in a text.
pub fn lines_of<'a>(text: &'a [u8], records: &'a [Record]) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut done = 0;
    records.iter().enumerate().map(move |(place, record)| {
        let (start, end) = (record.start as usize, (record.start + record.len) as usize);
        let first = memchr::memrchr(b'\n', &text[done..start]).map_or(done, |feed| done + feed + 1);
        let feed = memchr::memchr(b'\n', &text[end..]).map_or(text.len(), |feed| end + feed + 1);
        done = records.get(place + 1).map_or(feed, |next| feed.min(next.start as usize));
        first..done
    })
}

/// Finds where the text between two records stops belonging to the upper one: after the first blank lines,
/// or after a rule.
pub fn end_of_upper_record(text: &[u8]) -> usize {
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

/// Evaluates an expression with the type of a kind of puzzles. Classic puzzles have their own type, because
/// the compiler then knows its size.
///
/// ```
/// use gridmill_data::text::PuzzleKind;
/// use gridmill_data::with_kind;
///
/// assert_eq!(with_kind!(PuzzleKind::Classic, P => std::mem::size_of::<P>()), 81);
/// ```
#[macro_export]
macro_rules! with_kind {
    ($kind:expr, $P:ident => $value:expr) => {
        match $kind {
            $crate::text::PuzzleKind::Classic => {
                type $P = $crate::text::Puzzle;
                $value
            }
            $crate::text::PuzzleKind::AnyShape => {
                type $P = $crate::text::GridPuzzle;
                $value
            }
            $crate::text::PuzzleKind::Pencilmarks => {
                type $P = $crate::text::Pencilmarks;
                $value
            }
        }
    };
}

/// The kind of puzzles in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PuzzleKind {
    /// Puzzles of 9x9 cells with the usual digits: [`Puzzle`].
    Classic,
    /// Puzzles of any shape or alphabet, which includes classic ones: [`GridPuzzle`].
    AnyShape,
    /// Classic grids of candidates: [`Pencilmarks`].
    Pencilmarks,
}

/// In words, e.g. `9x9 puzzles`.
impl fmt::Display for PuzzleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            PuzzleKind::Classic => "9x9 puzzles",
            PuzzleKind::AnyShape => "puzzles of any shape",
            PuzzleKind::Pencilmarks => "pencilmarks",
        })
    }
}

/// A type of puzzles that can be read from text and written.
pub trait PuzzleText: JobPuzzle {
    /// Reads such puzzles from lines.
    type Reader: PuzzleReader<Puzzle = Self> + 'static;

    /// The kinds of files whose puzzles can all be read as this type without loss.
    const KINDS: &'static [PuzzleKind];

    /// Makes the reader for a file with that layout.
    fn reader(layout: &Layout) -> Self::Reader;

    /// Makes a puzzle from cells in reading order (0 for a blank) and an alphabet; `None` if the type has
    /// no puzzles of that shape, or the cells don't fit.
    fn from_clues(shape: Shape, cells: &[u8], alphabet: &Arc<Alphabet>) -> Option<Self>;

    /// The alphabet that the puzzle was written in, if the type has several.
    fn alphabet(&self) -> Option<&Arc<Alphabet>> {
        None
    }

    /// Appends the cells, or the candidates, as rows contain them.
    fn write(&self, out: &mut Vec<u8>) {
        self.write_cells(self.cells(), out);
    }

    /// Appends the cells of another puzzle of this shape, e.g. its solution, written like this one.
    fn write_cells(&self, cells: &[u8], out: &mut Vec<u8>);
}

impl PuzzleText for Puzzle {
    type Reader = ClassicReader;

    const KINDS: &'static [PuzzleKind] = &[PuzzleKind::Classic];

    fn reader(_: &Layout) -> ClassicReader {
        ClassicReader
    }

    fn from_clues(_: Shape, cells: &[u8], _: &Arc<Alphabet>) -> Option<Puzzle> {
        <[u8; CELLS]>::try_from(cells).ok().and_then(Puzzle::from_cells)
    }

    #[inline]
    fn write_cells(&self, cells: &[u8], out: &mut Vec<u8>) {
        // A fixed size lets the compiler make vector code.
        let cells: &[u8; CELLS] = cells.try_into().expect("the cells are of another shape");
        // 46 is a dot, and 48 the digit 0.
        out.extend_from_slice(&cells.map(|cell| 46 + cell + 2 * cell.min(1)));
    }
}

/// A puzzle of any shape, with the alphabet of its text. Its solution is written in the same alphabet.
#[derive(Clone, Debug)]
pub struct GridPuzzle {
    /// The puzzle.
    pub grid: Grid,
    /// The alphabet of its digits.
    pub alphabet: Arc<Alphabet>,
}

impl PuzzleText for GridPuzzle {
    type Reader = AnyShapeReader;

    const KINDS: &'static [PuzzleKind] = &[PuzzleKind::Classic, PuzzleKind::AnyShape];

    fn reader(layout: &Layout) -> AnyShapeReader {
        layout.reader.clone()
    }

    fn from_clues(shape: Shape, cells: &[u8], alphabet: &Arc<Alphabet>) -> Option<GridPuzzle> {
        Some(GridPuzzle { grid: Grid::from_cells(shape, cells)?, alphabet: Arc::clone(alphabet) })
    }

    fn alphabet(&self) -> Option<&Arc<Alphabet>> {
        Some(&self.alphabet)
    }

    fn write_cells(&self, cells: &[u8], out: &mut Vec<u8>) {
        self.alphabet.write_to(cells, out);
    }
}

impl AsGrid for GridPuzzle {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn with_grid(&self, grid: Grid) -> GridPuzzle {
        GridPuzzle { grid, alphabet: Arc::clone(&self.alphabet) }
    }

    fn symbol(&self, digit: Digit) -> Option<char> {
        self.alphabet.symbol(digit)
    }
}

impl PuzzleText for Pencilmarks {
    type Reader = PencilmarkReader;

    const KINDS: &'static [PuzzleKind] = &[PuzzleKind::Pencilmarks];

    fn reader(_: &Layout) -> PencilmarkReader {
        PencilmarkReader
    }

    fn from_clues(shape: Shape, cells: &[u8], alphabet: &Arc<Alphabet>) -> Option<Pencilmarks> {
        Puzzle::from_clues(shape, cells, alphabet).map(|puzzle| Pencilmarks::from(&puzzle))
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_ascii());
    }

    fn write_cells(&self, cells: &[u8], out: &mut Vec<u8>) {
        self.clues().write_cells(cells, out);
    }
}
