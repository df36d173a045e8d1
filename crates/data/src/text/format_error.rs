//! Errors of whole files that can't be read as puzzles, as against faults of records ([`super::Fault`]).

use gridmill_core::grid::Shape;

use super::fault::alternatives;
use super::{Alphabet, PuzzleKind};

/// Why the format of a file can't be detected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The input is not text.
    #[error("the input is {what}")]
    NotPlainText {
        /// What it is.
        what: &'static str,
        /// What makes text of it.
        remedy: Remedy,
    },
    /// The lines have several fields that nothing is known to set apart.
    #[error("{}", if *is_list {
        format!("a line holds several puzzles, set apart by '{separator}'")
    } else {
        format!("a line has fields set apart by '{separator}', one of them a puzzle")
    })]
    Fields {
        /// What sets them apart.
        separator: char,
        /// Whether all of them are puzzles.
        is_list: bool,
    },
    /// The format is one of 9x9 puzzles, and another shape was asked for.
    #[error("the format {format} is for 9x9 puzzles")]
    ForClassic {
        /// The name of the format.
        format: &'static str,
    },
    /// CSV was asked for, and there is no header.
    #[error("the CSV input has no header row")]
    NoHeader,
    /// There are CSV rows, and no header above them.
    #[error("the CSV input has no header row")]
    Headless,
    /// The header of a CSV file is longer than any record may be.
    #[error("the header of the CSV input has more than 64 KiB")]
    LongHeader,
    /// Something was said about columns, and the input has none.
    #[error("the input has no columns: its format is {format}")]
    NotATable {
        /// The name of the format.
        format: &'static str,
    },
    /// No column is known to hold puzzles.
    #[error("{}", no_column(wanted.as_deref(), "puzzles", columns))]
    NoPuzzleColumn {
        /// The name that was asked for.
        wanted: Option<String>,
        /// The names of all columns.
        columns: Vec<String>,
    },
    /// Several columns may hold the puzzles.
    #[error("{}", several_columns("puzzles", columns))]
    SeveralPuzzleColumns {
        /// Their names, with their numbers.
        columns: Vec<String>,
    },
    /// No key is known to hold puzzles.
    #[error("{}", no_key(wanted.as_deref(), keys))]
    NoPuzzleKey {
        /// The name that was asked for.
        wanted: Option<String>,
        /// The keys of the first objects.
        keys: Vec<String>,
    },
    /// The characters of the puzzles leave the alphabet open.
    #[error("{}", open_alphabet(*side, alternatives))]
    NoAlphabet {
        /// The side of the puzzles.
        side: usize,
        /// The possible alphabets.
        alternatives: Alternatives,
    },
    /// Several shapes have the side, and none of them is usual.
    #[error("{side}x{side} puzzles may have boxes of {}", alternatives(shapes))]
    OpenShape {
        /// The side.
        side: usize,
        /// Its shapes.
        shapes: Vec<Shape>,
    },
    /// Puzzles in rows can't be of mixed sizes.
    #[error("puzzles of mixed sizes are read from lines and from CSV, and this file has puzzles in rows")]
    MixedRows,
    /// The input holds puzzles of another kind than the caller reads.
    #[error("the input holds {kind}, and puzzles of another kind are read here")]
    OtherKind {
        /// The kind of its puzzles.
        kind: PuzzleKind,
    },
}

/// An external command that makes text of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// It converts the file.
    Convert(&'static str),
    /// It unpacks the file.
    Unpack(&'static str),
    /// It writes the text of `FILE` to its standard output.
    Pipe(&'static str),
}

/// Alphabets among which the user must choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternatives {
    /// The alphabets.
    pub alphabets: Vec<Alphabet>,
    /// Whether the lines fit them.
    pub fit: bool,
}

fn open_alphabet(side: usize, open: &Alternatives) -> String {
    let names: Vec<String> = open.alphabets.iter().map(Alphabet::to_string).collect();
    let names = names.join(" or ");
    if open.fit {
        format!("the {side}x{side} puzzles can be read with more than one alphabet: {names}")
    } else {
        format!("the {side}x{side} puzzles fit no alphabet that is usual: not {names}")
    }
}

/// Returns the message that a table has no column of that name, or of a known one, and its columns.
pub fn no_column(wanted: Option<&str>, what: &str, columns: &[String]) -> String {
    let missing = match wanted {
        Some(name) => format!("the CSV input has no column '{name}'"),
        None => format!("the CSV input has no column of a known name for {what}"),
    };
    format!("{missing}; its columns are: {}", columns.join(", "))
}

/// Returns the message that several columns of a table may hold what is looked for.
pub fn several_columns(what: &str, columns: &[String]) -> String {
    format!("the input has several columns that may hold {what}: {}", columns.join(", "))
}

/// Returns the message that JSON objects have no key of that name, or of a known one, and their keys.
fn no_key(wanted: Option<&str>, keys: &[String]) -> String {
    if keys.is_empty() {
        return "no line at the beginning of the input is a JSON object with keys".to_owned();
    }
    let missing = match wanted {
        Some(name) => format!("the JSON objects have no key '{name}'"),
        None => "the JSON objects have no key of a known name for puzzles".to_owned(),
    };
    format!("{missing}; their keys are: {}", keys.join(", "))
}
