//! Faults of records: why one could not be read.

use std::fmt;

use gridmill_core::grid::Shape;

use super::reader::any_shape::shapes_of;

/// What is wrong with a record, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The place: bytes from the start of the chunk of the record.
    pub offset: u32,
}

/// The advice that follows the message of a fault, separator included (e.g. which option of the
/// program helps). Where there is none: [`no_advice`].
pub type FaultAdvice = fn(FaultKind) -> &'static str;

/// Returns no advice, whatever the fault.
#[must_use]
pub const fn no_advice(_: FaultKind) -> &'static str {
    ""
}

/// The kinds of malformed records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// Another number of cells than a puzzle has.
    CellCount {
        /// Cells in the record.
        found: u32,
        /// Cells of a puzzle.
        needed: u32,
    },
    /// The text goes on behind the last cell, with no separator before a remark.
    TooManyCells {
        /// Cells of a puzzle.
        needed: u32,
    },
    /// A character that is neither digit nor blank.
    Foreign(char),
    /// A byte that is not part of any UTF-8 character.
    NotUtf8(u8),
    /// A line of a length that no usual shape has.
    NoShape {
        /// Its characters.
        found: u32,
    },
    /// A length that fits several shapes, of which none is usual.
    OpenShape {
        /// The side.
        side: u8,
    },
    /// A puzzle of a size other than the file's.
    OtherSize {
        /// Its number of cells.
        found: u32,
        /// The shape of the file's puzzles.
        shape: Shape,
    },
    /// A number above the side.
    TooLarge {
        /// The number.
        number: u32,
        /// The side.
        side: u8,
    },
    /// A line of a side whose alphabet is not known.
    NoAlphabet {
        /// The side.
        side: u8,
    },
    /// A row of a grid with another number of cells than it should have.
    WrongRow {
        /// The row, from 1.
        row: u8,
        /// Its number of cells.
        found: u32,
        /// Cells of a row.
        needed: u8,
    },
    /// A line of pencilmarks with a wrong number of characters.
    MarkCount {
        /// Its characters.
        found: u32,
    },
    /// A digit in the place of another one, in a line of pencilmarks.
    OtherMark {
        /// The digit.
        found: u8,
        /// The digit of that place.
        expected: u8,
    },
    /// A line of a puzzle bank that does not begin with a hash.
    NotOfBank,
    /// A line of a HoDoKu library that has no field of cells.
    NotOfLibrary,
    /// A deleted candidate of a HoDoKu library that is malformed.
    NotACandidate,
    /// A CSV row with another number of fields than the header.
    Ragged {
        /// Fields of the row.
        found: u32,
        /// Fields of the header.
        expected: u32,
    },
    /// A quoted CSV field without a closing quote.
    OpenQuote,
    /// A line of JSON Lines that is no object.
    NotJson,
    /// A JSON object without the key of the puzzle.
    NoKey,
    /// A JSON value that is neither a text nor an array of numbers.
    NotCells,
    /// A record of more than [`super::MAX_RECORD`] bytes.
    RecordTooLong,
    /// A CSV row of more than [`super::MAX_ROW`] bytes.
    RowTooLong,
}

impl FaultKind {
    /// Returns the fault of a foreign character at the front of `rest`.
    pub(super) fn foreign(rest: &[u8]) -> FaultKind {
        let prefix = &rest[..rest.len().min(4)];
        let character = prefix.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
        match character {
            Some(character) => FaultKind::Foreign(character),
            None => FaultKind::NotUtf8(rest.first().copied().unwrap_or_default()),
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            FaultKind::CellCount { found, needed } => write!(f, "{found} cells where {needed} are needed"),
            FaultKind::NoShape { found } => {
                write!(f, "{found} cells make no grid: 16, 36, 64, 81, 100, 144, 225, 256, 400 and 625 do")
            }
            FaultKind::OpenShape { side } => {
                write!(f, "{side}x{side} grids may have boxes of {}", alternatives(&shapes_of(side.into())))
            }
            FaultKind::OtherSize { found, shape } => write!(
                f,
                "{found} cells, but the puzzles of this file are {side}x{side} ({} cells)",
                shape.cells(),
                side = shape.side()
            ),
            FaultKind::TooLarge { number, side } => write!(f, "{number} is above {side}"),
            FaultKind::NoAlphabet { side } => {
                write!(f, "the alphabet of {side}x{side} puzzles is not known")
            }
            FaultKind::TooManyCells { needed } => {
                write!(f, "text after cell {needed}: set a remark apart by a comma, semicolon or tab")
            }
            FaultKind::Foreign(character) if character.is_control() => {
                write!(f, "the control character U+{:04X} is neither digit nor blank", u32::from(character))
            }
            FaultKind::Foreign(character) => write!(f, "'{character}' is neither digit nor blank"),
            FaultKind::NotUtf8(byte) => write!(f, "the byte 0x{byte:02X} is not UTF-8 text"),
            FaultKind::WrongRow { row, found, needed } => {
                write!(f, "row {row} has {found} cells where {needed} are needed")
            }
            FaultKind::MarkCount { found } => {
                write!(f, "{found} characters where a line of pencilmarks has 729, nine for each cell")
            }
            FaultKind::OtherMark { found, expected } => {
                write!(f, "{found} in the place of {expected}: pencilmarks have {expected}, . or 0 there")
            }
            FaultKind::NotOfBank => f.write_str(
                "a line of a puzzle bank is a hash of 12 hexadecimal digits, a space and the puzzle",
            ),
            FaultKind::NotOfLibrary => {
                f.write_str("a line of a HoDoKu library is :technique:digits:cells: and what follows")
            }
            FaultKind::NotACandidate => {
                f.write_str("a deleted candidate is a digit, its row and its column, as in 714")
            }
            FaultKind::Ragged { found, expected } => {
                write!(f, "the row has {found} fields and the header {expected}")
            }
            FaultKind::OpenQuote => f.write_str("the quoted field has no end: read as one line"),
            FaultKind::NotJson => f.write_str("the line is no JSON object: {\"key\": value, ...}"),
            FaultKind::NoKey => f.write_str("the object does not have the key of the puzzles"),
            FaultKind::NotCells => f.write_str("a puzzle is a text, or an array of numbers"),
            FaultKind::RecordTooLong => {
                write!(f, "the record is longer than {} KiB", super::MAX_RECORD / 1024)
            }
            FaultKind::RowTooLong => write!(f, "the row is longer than {} KiB", super::MAX_ROW / 1024),
        }
    }
}

/// Returns shapes as text: `2x9, 3x6, 6x3 or 9x2`.
pub(super) fn alternatives(shapes: &[Shape]) -> String {
    let names: Vec<String> = shapes.iter().map(Shape::to_string).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
