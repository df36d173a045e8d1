//! Rows of chosen columns, in a chosen order: columns of the input, new ones, and the place of the record.

mod input_fields;
mod known;
mod searched;
#[cfg(test)]
mod tests;

use std::io::Write;

use super::csv::put_field_between;
use super::json::put_written;
use crate::record::{PlacedRecord, PuzzleLike};

use input_fields::InputFields;
pub use known::KnownColumns;
pub use searched::{ChosenRows, SearchColumn};

/// How many columns are found in a JSON object at once.
const GROUP: usize = 16;

/// The columns of a row, in order.
#[derive(Clone, Debug)]
pub struct ChosenColumns {
    columns: Vec<Column>,
    form: RowForm,
    source: Source,
    /// The header row; nothing for JSON Lines.
    header: Vec<u8>,
}

/// A chosen column.
#[derive(Clone, Debug)]
struct Column {
    /// The text in front of its fields: a separator, or a key.
    lead: Vec<u8>,
    field: Field,
}

/// The content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    /// A column or key of the input, by its index.
    Input(usize),
    /// A new column, by its index.
    New(usize),
    /// The name of the file.
    File,
    /// The number of the record in its file.
    Record,
    /// The line on which the record begins.
    Line,
}

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowForm {
    Csv { separator: u8 },
    Json,
}

/// Where the input has its columns.
#[derive(Clone, Debug)]
enum Source {
    /// The puzzle is all there is.
    Lines,
    /// The rows of a table: the index of the puzzle's column, the number of columns, and the byte between two fields.
    Table { column: usize, width: usize, separator: u8 },
    /// JSON objects: their keys, and the index of the puzzle's.
    Objects { keys: Vec<String>, puzzle: usize },
}

impl ChosenColumns {
    /// Returns the header row, which is empty for JSON Lines.
    pub fn header(&self) -> &[u8] {
        &self.header
    }

    /// Returns whether the number or the line of the record is among the columns: where a run begins within a file, what
    /// is in front of it must then be counted.
    pub fn wants_numbers(&self) -> bool {
        self.columns.iter().any(|column| matches!(column.field, Field::Record | Field::Line))
    }

    /// Returns how rows are written.
    pub(super) fn form(&self) -> RowForm {
        self.form
    }

    /// Appends the row of a record, with its puzzle if it could be read. `put_new` appends the field of a new column, in
    /// the form of the rows.
    pub fn write<P: PuzzleLike>(
        &self,
        record: &PlacedRecord<'_>,
        puzzle: Option<&P>,
        mut put_new: impl FnMut(usize, &mut Vec<u8>),
        out: &mut Vec<u8>,
    ) {
        let start = out.len();
        let mut fields = InputFields::of(self, record.record, record.text(), puzzle);
        for group in self.columns.chunks(GROUP) {
            fields.find(group);
            for (place, column) in group.iter().enumerate() {
                out.extend_from_slice(&column.lead);
                match column.field {
                    Field::Input(index) => fields.put(index, place, out),
                    Field::New(index) => put_new(index, out),
                    Field::File => self.form.put_name(record.file, out),
                    Field::Record => put_number(record.number, out),
                    Field::Line => put_number(record.line(), out),
                }
            }
        }
        self.form.end_row(start, out);
    }
}

impl RowForm {
    /// Appends the name of a file.
    fn put_name(self, file: &std::path::Path, out: &mut Vec<u8>) {
        let put = |out: &mut Vec<u8>| {
            // Memory takes every byte.
            let _ = write!(out, "{}", file.display());
        };
        match self {
            RowForm::Json => put_written(put, out),
            RowForm::Csv { separator } => put_written_field(put, separator, out),
        }
    }

    /// Ends the row that begins at `start`.
    fn end_row(self, start: usize, out: &mut Vec<u8>) {
        match self {
            RowForm::Json => out.push(b'}'),
            // A line without anything is no row.
            RowForm::Csv { .. } if out.len() == start => out.extend_from_slice(b"\"\""),
            RowForm::Csv { .. } => {}
        }
        out.push(b'\n');
    }
}

/// Appends what `put` appends as a CSV field, in quotes where it needs them.
fn put_written_field(put: impl Fn(&mut Vec<u8>), separator: u8, out: &mut Vec<u8>) {
    let start = out.len();
    put(out);
    if out[start..].iter().any(|&byte| byte == separator || b"\"\r\n".contains(&byte)) {
        let written = out.split_off(start);
        put_field_between(&String::from_utf8_lossy(&written), separator, out);
    }
}

fn put_number(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}
