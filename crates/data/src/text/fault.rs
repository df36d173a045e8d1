//! Faults of records, and errors about whole files that can't be read as puzzles.

use gridmill_core::grid::Shape;

use super::reader::any_shape::shapes;
use super::{Alphabet, PuzzleKind};
use crate::packing::Container;

/// Why a record could not be read, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The reason.
    pub kind: FaultKind,
    /// The place in bytes from the start of the record's chunk.
    pub offset: u32,
}

impl Fault {
    pub(super) fn new(kind: FaultKind, offset: usize) -> Fault {
        Fault { kind, offset: offset as u32 }
    }

    /// Shifts the place by the `bytes` before the text that was read.
    #[must_use]
    pub(super) fn shifted(self, bytes: usize) -> Fault {
        Fault { offset: self.offset + bytes as u32, ..self }
    }
}

/// Advice that is appended to the message of a fault, including a separator, e.g. which option of the
/// program helps. Use [`no_advice`] for none.
pub type FaultAdvice = fn(FaultKind) -> &'static str;

/// Gives no advice for any fault.
#[must_use]
pub const fn no_advice(_: FaultKind) -> &'static str {
    ""
}

/// The kinds of malformed records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// The number of cells is not that of a puzzle.
    #[error("{found} cell{} where {needed} are needed", if *found == 1 { "" } else { "s" })]
    CellCount {
        /// Cells in the record.
        found: u32,
        /// Cells of a puzzle.
        needed: u32,
    },
    /// A grid has more cells than a puzzle. Contains the number of cells in a puzzle.
    #[error("more than {_0} cells")]
    SurplusCells(u32),
    /// The text continues after the last cell, and no separator begins a remark. Contains the number of
    /// cells in a puzzle.
    #[error("text after cell {_0}; separate a remark with a comma, a semicolon or a tab")]
    TextAfterCells(u32),
    /// A character that is neither digit nor blank.
    #[error("{} is neither digit nor blank", character(*_0))]
    Foreign(char),
    /// A byte that is not part of a UTF-8 character.
    #[error("the byte 0x{_0:02X} is not UTF-8 text")]
    NotUtf8(u8),
    /// The length of the line fits no usual shape.
    #[error(
        "{_0} cells are not a grid of a usual size (16, 36, 64, 81, 100, 144, 225, 256, 400 or 625 cells)"
    )]
    NoShape(u32),
    /// The length fits several shapes, and none of them is usual. Contains the side.
    #[error("{_0}x{_0} grids may have boxes of {}", alternatives((*_0).into()))]
    AmbiguousShape(u8),
    /// The puzzle differs in size from the others in the file.
    #[error("{found} cells, but the puzzles of this file are {side}x{side} ({} cells)", shape.cells(), side = shape.side())]
    OtherSize {
        /// Its number of cells.
        found: u32,
        /// The shape of the file's puzzles.
        shape: Shape,
    },
    /// A number above the side.
    #[error("{number} is too large for a {side}x{side} puzzle")]
    TooLarge {
        /// The number.
        number: u32,
        /// The side.
        side: u8,
    },
    /// The alphabet for this side is not known.
    #[error("the alphabet of {_0}x{_0} puzzles is not known")]
    NoAlphabet(u8),
    /// The row of a grid has the wrong number of cells.
    #[error("row {row} has {found} cell{} where {needed} are needed", if *found == 1 { "" } else { "s" })]
    WrongRow {
        /// The row, from 1.
        row: u8,
        /// Its number of cells.
        found: u32,
        /// Cells of a row.
        needed: u8,
    },
    /// The line of pencilmarks has the wrong number of characters.
    #[error("{_0} character{} where a line of pencilmarks has 729, nine for each cell", if *_0 == 1 { "" } else { "s" })]
    MarkCount(u32),
    /// A line of pencilmarks has a digit in the place of another one.
    #[error("{found} where pencilmarks have {expected}, . or 0")]
    OtherMark {
        /// The digit.
        found: u8,
        /// The digit of that place.
        expected: u8,
    },
    /// The line of a puzzle bank does not begin with a hash.
    #[error("the line is not one of a puzzle bank: a hash of 12 hexadecimal digits, a space and the puzzle")]
    NotOfBank,
    /// The line of a HoDoKu library has no field of cells.
    #[error("the line is not one of a HoDoKu library: :technique:digits:cells:...")]
    NotOfLibrary,
    /// A deleted candidate in a HoDoKu library is malformed.
    #[error("a deleted candidate must be a digit, its row and its column, as in 714")]
    NotACandidate,
    /// The numbers of fields of the CSV row and the header differ.
    #[error("the row has {found} fields, but the header has {expected}")]
    Ragged {
        /// Fields of the row.
        found: u32,
        /// Fields of the header.
        expected: u32,
    },
    /// A quoted CSV field has no closing quote.
    #[error("the quoted field has no closing quote, so only this line is read")]
    OpenQuote,
    /// The line of JSON Lines is not an object.
    #[error("the line is not a JSON object: {{\"key\": value, ...}}; NaN is not JSON, write null")]
    NotJson,
    /// The JSON object does not have the key of the puzzle.
    #[error("the object does not have the key of the puzzles")]
    NoKey,
    /// The JSON value is neither a string nor an array of numbers.
    #[error("the grid is neither a string nor an array of numbers")]
    NotCells,
    /// The record is longer than the limit of its format, in bytes: [`super::MAX_RECORD`] or [`super::MAX_ROW`].
    #[error("the record is longer than {} KiB", limit / 1024)]
    TooLong {
        /// The limit.
        limit: u32,
    },
}

impl FaultKind {
    /// Makes the fault for a record that is longer than the limit, in bytes.
    #[must_use]
    pub fn too_long(limit: usize) -> FaultKind {
        FaultKind::TooLong { limit: limit as u32 }
    }

    /// Makes the fault for a foreign character at the front of `rest`.
    pub(super) fn foreign(rest: &[u8]) -> FaultKind {
        let prefix = &rest[..rest.len().min(4)];
        let character = prefix.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
        match character {
            Some(character) => FaultKind::Foreign(character),
            None => FaultKind::NotUtf8(rest.first().copied().unwrap_or_default()),
        }
    }
}

/// Names a character for a message, e.g. `'x'`.
fn character(character: char) -> String {
    match character.is_control() {
        true => format!("the control character U+{:04X}", u32::from(character)),
        false => format!("'{character}'"),
    }
}

/// Why the format of a file can't be detected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The input is not text.
    #[error("the input is {what}")]
    NotPlainText {
        /// The name of the format.
        what: &'static str,
        /// How to convert it to text.
        remedy: Remedy,
    },
    /// The lines have several fields, with a separator that the reader can't choose by itself.
    #[error("{}", if *is_list {
        format!("a line has several puzzles, separated by '{separator}'")
    } else {
        format!("a line has fields separated by '{separator}', one of them a puzzle")
    })]
    Fields {
        /// The character between them.
        separator: char,
        /// Whether all of them are puzzles.
        is_list: bool,
    },
    /// This format is only for 9x9 puzzles, but another shape was requested.
    #[error("the format {_0} is for 9x9 puzzles")]
    ForClassic(&'static str),
    /// CSV was requested, but there is no row at all.
    #[error("the CSV input is empty: it has no header and no rows")]
    NoRows,
    /// There are CSV rows without a header above them.
    #[error("the CSV input has no header row")]
    RowsWithoutHeader,
    /// The header of a CSV file is longer than 64 KiB.
    #[error("the header of the CSV input is longer than 64 KiB")]
    LongHeader,
    /// An option is about columns, but the input has none. Contains the name of its format.
    #[error("the input has no columns: its format is {_0}")]
    NotATable(&'static str),
    /// An option contradicts a Parquet or Arrow table.
    #[error("the input is a {_0} table, which has columns and names of its own")]
    IsContainer(Container),
    /// No column has a name that puzzles usually have.
    #[error("{}", no_column(wanted.as_deref(), "puzzles", columns))]
    NoPuzzleColumn {
        /// The requested name.
        wanted: Option<String>,
        /// The names of all columns.
        columns: Vec<String>,
    },
    /// Several columns may contain the puzzles. Contains their names, with their numbers.
    #[error("{}", several_columns("puzzles", _0))]
    SeveralPuzzleColumns(Vec<String>),
    /// No key has a name that puzzles usually have.
    #[error("{}", no_key(wanted.as_deref(), keys))]
    NoPuzzleKey {
        /// The requested name.
        wanted: Option<String>,
        /// The keys of the first objects.
        keys: Vec<String>,
    },
    /// The characters of the puzzles fit several alphabets, or none.
    #[error("{}", no_alphabet(*side, alphabets, *fit))]
    NoAlphabet {
        /// The side of the puzzles.
        side: usize,
        /// The alphabets that the user can choose from.
        alphabets: Vec<Alphabet>,
        /// Whether the lines fit them.
        fit: bool,
    },
    /// Several shapes have the side, and none of them is usual.
    #[error("{_0}x{_0} puzzles may have boxes of {}", alternatives(*_0))]
    AmbiguousShape(usize),
    /// Puzzles in rows can't have mixed sizes.
    #[error(
        "puzzles of mixed sizes are read from lines, CSV and JSON Lines, but this file has puzzles in rows"
    )]
    MixedRows,
    /// The input contains puzzles of a kind that the caller does not read.
    #[error("the input has {kind}, but puzzles of a different kind are read here")]
    OtherKind {
        /// The kind of its puzzles.
        kind: PuzzleKind,
    },
}

/// An external command that converts a file to text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// It converts the file.
    Convert(&'static str),
    /// It unpacks the file.
    Unpack(&'static str),
    /// It writes the text of `FILE` to its standard output.
    Pipe(&'static str),
    /// Like `Pipe`, but not needed if the feature `columnar` is enabled.
    Container(&'static str),
}

fn no_alphabet(side: usize, alphabets: &[Alphabet], fit: bool) -> String {
    let names: Vec<String> = alphabets.iter().map(Alphabet::to_string).collect();
    let names = names.join(" or ");
    if fit {
        format!("the {side}x{side} puzzles can be read with more than one alphabet: {names}")
    } else {
        format!("the {side}x{side} puzzles fit no usual alphabet: not {names}")
    }
}

/// The message that a table has no column with that name (or a usual name), with a list of its columns.
pub fn no_column(wanted: Option<&str>, what: &str, columns: &[String]) -> String {
    let missing = missing("the CSV input has no column", wanted, what);
    format!("{missing}; its columns are: {}", columns.join(", "))
}

/// The message that several columns of a table may be meant.
pub fn several_columns(what: &str, columns: &[String]) -> String {
    format!("the input has several columns that may hold {what}: {}", columns.join(", "))
}

/// The message that JSON objects have no key with that name (or a usual name), with a list of their keys.
fn no_key(wanted: Option<&str>, keys: &[String]) -> String {
    if keys.is_empty() {
        return "no line at the beginning of the input is a JSON object with keys".to_owned();
    }
    let missing = missing("the JSON objects have no key", wanted, "puzzles");
    format!("{missing}; their keys are: {}", keys.join(", "))
}

fn missing(start: &str, wanted: Option<&str>, what: &str) -> String {
    match wanted {
        Some(name) => format!("{start} '{name}'"),
        None => format!("{start} with a usual name for {what}"),
    }
}

/// Returns the shapes of a side as text: `2x9, 3x6, 6x3 or 9x2`.
pub(super) fn alternatives(side: usize) -> String {
    let names: Vec<String> = shapes(side).map(|shape| shape.to_string()).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
