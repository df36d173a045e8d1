//! Files of columns, Parquet and Arrow: read as CSV text with a header, and written from such text.
//!
//! All but the names is behind the feature `columnar`, because the crates that read and write such files take longer to build
//! than the rest of the program.

#[cfg(feature = "columnar")]
mod messages;
#[cfg(feature = "columnar")]
mod pages;
#[cfg(feature = "columnar")]
mod read;
#[cfg(feature = "columnar")]
mod table;
#[cfg(feature = "columnar")]
mod values;

use std::fmt;
use std::path::Path;

#[cfg(feature = "columnar")]
use arrow_schema::DataType;

#[cfg(feature = "columnar")]
pub(crate) use read::open_columns;
#[cfg(feature = "columnar")]
pub(crate) use table::TableEncoder;

/// A format of files that hold columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Container {
    /// Parquet.
    Parquet,
    /// Arrow IPC with a footer, which is Feather, too.
    Arrow,
    /// Arrow IPC without a footer, as programs send it to each other, and as `datasets` of Hugging Face keeps tables.
    ArrowStream,
}

impl Container {
    /// Whether files of columns can be read and written: whether the feature `columnar` was chosen.
    pub const IS_BUILT: bool = cfg!(feature = "columnar");

    /// Returns the format of a file of columns that begins with these bytes.
    #[must_use]
    pub fn of(head: &[u8]) -> Option<Container> {
        match head {
            // The second is a file whose footer is encrypted.
            [b'P', b'A', b'R', b'1' | b'E', ..] => Some(Container::Parquet),
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Some(Container::Arrow),
            // The mark in front of the first message. No text begins so.
            [0xff, 0xff, 0xff, 0xff, ..] => Some(Container::ArrowStream),
            _ => None,
        }
    }

    /// Returns the format of columns that a file of that name should have: by its last extension, in either case.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Container> {
        match &*path.extension()?.to_str()?.to_ascii_lowercase() {
            "parquet" | "pq" => Some(Container::Parquet),
            "arrow" | "feather" | "ipc" => Some(Container::Arrow),
            _ => None,
        }
    }
}

/// `Parquet`.
impl fmt::Display for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Container::Parquet => "Parquet",
            Container::Arrow | Container::ArrowStream => "Arrow",
        })
    }
}

/// The type of a column in a file of columns. Every value may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnType {
    /// A text.
    #[default]
    Text,
    /// A whole number, 0 or more.
    Number,
    /// A number with one decimal.
    Rating,
    /// Yes or no.
    YesNo,
    /// The type that the column has in the input, e.g. dates. Its values are read from text again.
    #[cfg(feature = "columnar")]
    Carried(DataType),
}

/// The columns of the rows that an output gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowColumns {
    /// Their types. Columns behind these are texts.
    pub types: Vec<ColumnType>,
    /// The byte between two fields.
    pub separator: u8,
    /// Their names, where the rows have no header: rows of a table as they stand, comments and blank lines among them. `None`
    /// where the first row is the header.
    pub names: Option<Vec<String>>,
}

impl RowColumns {
    /// Takes columns of these types, with commas between them, under a header.
    #[must_use]
    pub fn under_header(types: impl Into<Vec<ColumnType>>) -> RowColumns {
        RowColumns { types: types.into(), separator: b',', names: None }
    }
}
