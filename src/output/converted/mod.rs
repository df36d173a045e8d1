//! Records in another form than they were read in.

mod columns;
mod objects;
mod spelling;
mod texts;

use crate::record::PuzzleLike;
use crate::text::{Layout, PuzzleForm, Record};

use columns::ColumnRows;
use objects::ObjectRows;
pub(crate) use spelling::Spelling;
use texts::TextRows;

/// Writes each record of a file in a form, whether or not it could be read.
#[derive(Clone, Debug)]
pub(crate) enum ConvertedRows {
    /// A puzzle alone.
    Texts(TextRows),
    /// A row of CSV, with the other columns or keys of the input.
    Columns(ColumnRows),
    /// An object of JSON Lines, with the other columns or keys of the input.
    Objects(ObjectRows),
}

impl ConvertedRows {
    /// Returns rows of puzzles alone.
    pub(crate) fn texts(form: PuzzleForm) -> ConvertedRows {
        ConvertedRows::Texts(TextRows(form))
    }

    /// Returns rows of CSV for a file of that layout. Of JSON input, `keys` become columns.
    pub(crate) fn columns(layout: &Layout, keys: &[String]) -> ConvertedRows {
        ConvertedRows::Columns(ColumnRows::of(layout, keys))
    }

    /// Returns rows of JSON Lines for a file of that layout.
    pub(crate) fn objects(layout: &Layout) -> ConvertedRows {
        ConvertedRows::Objects(ObjectRows::of(layout))
    }

    /// Returns the header above the rows.
    pub(crate) fn header(&self) -> Vec<u8> {
        match self {
            ConvertedRows::Columns(rows) => rows.header(),
            ConvertedRows::Texts(_) | ConvertedRows::Objects(_) => Vec::new(),
        }
    }

    /// Appends a record, with its puzzle if it could be read. Returns whether all that the form keeps is there: not
    /// where a JSON object has keys for which there is no column.
    #[inline]
    pub(crate) fn write<P: PuzzleLike>(
        &self,
        chunk: &[u8],
        record: &Record,
        puzzle: Option<&P>,
        spelling: &Spelling,
        out: &mut Vec<u8>,
    ) -> bool {
        match self {
            ConvertedRows::Texts(rows) => rows.write(record.text(chunk), puzzle, spelling, out),
            ConvertedRows::Columns(rows) => {
                return rows.write(record, record.text(chunk), puzzle, spelling, out);
            }
            ConvertedRows::Objects(rows) => rows.write(record, record.text(chunk), puzzle, spelling, out),
        }
        true
    }
}
