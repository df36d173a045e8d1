//! Records in another form than they were read in.

mod columns;
mod objects;
mod spelling;
mod texts;

use crate::text::{Layout, PuzzleForm, PuzzleText, Record};

use columns::ColumnRows;
use objects::ObjectRows;
pub use spelling::Spelling;
use texts::TextRows;

/// Writes each record of a file in a form, whether or not it could be read.
#[derive(Clone, Debug)]
pub struct ConvertedRows(Rows);

#[derive(Clone, Debug)]
enum Rows {
    /// A puzzle alone.
    Texts(TextRows),
    /// A row of CSV, with the other columns or keys of the input.
    Columns(ColumnRows),
    /// An object of JSON Lines, with the other columns or keys of the input.
    Objects(ObjectRows),
}

impl ConvertedRows {
    /// Returns rows of puzzles alone.
    pub fn texts(form: PuzzleForm) -> ConvertedRows {
        ConvertedRows(Rows::Texts(TextRows(form)))
    }

    /// Returns rows of CSV for a file of that layout. Of JSON input, `keys` become columns.
    pub fn columns(layout: &Layout, keys: &[String]) -> ConvertedRows {
        ConvertedRows(Rows::Columns(ColumnRows::of(layout, keys)))
    }

    /// Returns rows of JSON Lines for a file of that layout.
    pub fn objects(layout: &Layout) -> ConvertedRows {
        ConvertedRows(Rows::Objects(ObjectRows::of(layout)))
    }

    /// Returns the header above the rows.
    pub fn header(&self) -> Vec<u8> {
        match &self.0 {
            Rows::Columns(rows) => rows.header(),
            Rows::Texts(_) | Rows::Objects(_) => Vec::new(),
        }
    }

    /// Appends a record, with its puzzle if it could be read. Returns whether all that the form keeps is there: not
    /// where a JSON object has keys for which there is no column.
    #[inline]
    pub fn write<P: PuzzleText>(
        &self,
        chunk: &[u8],
        record: &Record,
        puzzle: Option<&P>,
        spelling: &Spelling,
        out: &mut Vec<u8>,
    ) -> bool {
        match &self.0 {
            Rows::Texts(rows) => rows.write(record.text(chunk), puzzle, spelling, out),
            Rows::Columns(rows) => {
                return rows.write(record, record.text(chunk), puzzle, spelling, out);
            }
            Rows::Objects(rows) => rows.write(record, record.text(chunk), puzzle, spelling, out),
        }
        true
    }
}
