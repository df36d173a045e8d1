//! Files of columns (Parquet and Arrow): they are read as CSV text with a header, and written from such
//! text.
//!
//! Only what is in this file is always compiled. The rest needs the feature `columnar`, because the crates for such
//! files take longer to build than the rest of the program.

#[cfg(feature = "columnar")]
mod batches;
#[cfg(feature = "columnar")]
mod read;
#[cfg(feature = "columnar")]
mod table;

use std::fmt;
use std::path::Path;

#[cfg(feature = "columnar")]
use arrow_schema::DataType;

#[cfg(feature = "columnar")]
pub(crate) use read::open_columns;
#[cfg(feature = "columnar")]
pub(crate) use table::ContainerEncoder;

/// A file format with columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Container {
    /// Parquet.
    Parquet,
    /// Arrow IPC with a footer, also known as Feather.
    Arrow,
    /// Arrow IPC without a footer. Programs send it to each other, and `datasets` of Hugging Face stores
    /// tables in it.
    ArrowStream,
}

impl Container {
    /// Whether Parquet and Arrow tables can be read and written, i.e. whether the feature `columnar` is enabled.
    pub const IS_BUILT: bool = cfg!(feature = "columnar");

    /// Detects the format of a Parquet or Arrow table from its first bytes.
    #[must_use]
    pub fn detect(head: &[u8]) -> Option<Container> {
        match head {
            // `PARE` begins a file whose footer is encrypted.
            [b'P', b'A', b'R', b'1' | b'E', ..] => Some(Container::Parquet),
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Some(Container::Arrow),
            // The mark before the first message. Text never begins like this, because these bytes are not
            // UTF-8.
            [0xff, 0xff, 0xff, 0xff, ..] => Some(Container::ArrowStream),
            _ => None,
        }
    }

    /// Chooses the format for an output by its last extension, in either case.
    #[must_use]
    pub fn from_name(path: &Path) -> Option<Container> {
        match &*path.extension()?.to_str()?.to_ascii_lowercase() {
            "parquet" | "pq" => Some(Container::Parquet),
            "arrow" | "feather" | "ipc" => Some(Container::Arrow),
            _ => None,
        }
    }
}

/// E.g. `Parquet`.
impl fmt::Display for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Container::Parquet => "Parquet",
            Container::Arrow | Container::ArrowStream => "Arrow",
        })
    }
}

/// The type of a column in a Parquet or Arrow table. All values may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnType {
    /// Text.
    #[default]
    Text,
    /// A whole number, 0 or more.
    Number,
    /// A number with one decimal.
    Rating,
    /// Yes or no.
    YesNo,
    /// The type of the column in the input, e.g. dates. Its values are parsed from text again.
    #[cfg(feature = "columnar")]
    Carried(DataType),
}

/// The columns of the rows that an output gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumns {
    /// The types of the first columns. All others are texts.
    pub types: Vec<ColumnType>,
    /// The separator between two fields.
    pub separator: u8,
    /// `None` if the first row is the header. Otherwise the names; the rows are then copied from the input.
    pub names: Option<Vec<String>>,
}

impl TableColumns {
    /// Describes rows that begin with a header row, with commas between fields and columns of these types.
    #[must_use]
    pub fn with_header_row(types: impl Into<Vec<ColumnType>>) -> TableColumns {
        TableColumns { types: types.into(), separator: b',', names: None }
    }
}
