//! The fields of a record, found one by one in the text of the input.

use super::{Field, GROUP, Row, RowColumn, RowForm, Source};
use crate::output::csv::{printable, put_carried_field};
use crate::output::json::{is_object, put_text};
use crate::text::{
    PuzzleText, RawFields, Record, SourceEcho, csv_fields, json_text, json_values, raw_fields,
};

/// Where the fields of a record are, to be written in any order.
pub(super) enum InputFields<'a> {
    /// There is the puzzle, or text that is none, and nothing else: it belongs to the column of that index.
    Puzzle(usize),
    /// A row of a table.
    Row(RowFields<'a>),
    /// A row of a table with too few fields or too many, or that is too long, and the number of columns.
    Ragged(RowFields<'a>, usize),
    /// A JSON object: its keys, the index of the puzzle's, and the values of the columns at hand.
    Object { keys: &'a [String], puzzle: usize, values: [Option<&'a str>; GROUP] },
}

impl<'a> InputFields<'a> {
    pub(super) fn of(source: &'a Source, record: &Record, text: &'a [u8]) -> InputFields<'a> {
        match (source, record.echo) {
            (Source::Table(table), SourceEcho::Verbatim) => {
                InputFields::Row(RowFields::of(text, table.separator))
            }
            (Source::Table(table), SourceEcho::Ragged) => {
                InputFields::Ragged(RowFields::of(text, table.separator), table.width)
            }
            (Source::Table(table), _) => InputFields::Puzzle(table.column),
            (Source::Objects { keys, puzzle }, _) if is_object(record) => {
                InputFields::Object { keys, puzzle: *puzzle, values: [None; GROUP] }
            }
            (&Source::Objects { puzzle, .. }, _) => InputFields::Puzzle(puzzle),
            (Source::Lines, _) => InputFields::Puzzle(0),
        }
    }

    /// Finds what is to be written of an object in a group of columns.
    pub(super) fn find(&mut self, text: &'a [u8], group: &[RowColumn]) {
        let InputFields::Object { keys, values, .. } = self else { return };
        let is_of =
            |column: &RowColumn, key: &str| matches!(column.field, Field::Input(index) if keys[index] == key);
        let place = |key: &str| group.iter().position(|column| is_of(column, key));
        *values = json_values(text, place);
    }

    /// Appends the field of the column of that index, which has that place in its group.
    pub(super) fn put<P: PuzzleText>(
        &mut self,
        (index, place): (usize, usize),
        row: &Row<'_, P>,
        form: RowForm,
        out: &mut Vec<u8>,
    ) {
        match (self, form) {
            (InputFields::Puzzle(column), _) if *column == index => put_puzzle(row, form, out),
            (InputFields::Puzzle(_), RowForm::Csv { .. }) => {}
            (InputFields::Puzzle(_), RowForm::Json) => out.extend_from_slice(b"null"),
            (InputFields::Row(fields), RowForm::Csv { .. }) => {
                out.extend_from_slice(fields.get(index).unwrap_or_default());
            }
            (InputFields::Row(fields), RowForm::Json) => {
                put_content(fields.get(index).unwrap_or_default(), fields.separator, out);
            }
            (InputFields::Ragged(fields, width), RowForm::Csv { separator }) => {
                if let Some(field) = fields.get(index) {
                    put_carried_field(row.text, field, index + 1 == *width, separator, out);
                }
            }
            (InputFields::Ragged(raw, _), RowForm::Json) => {
                put_text(csv_fields(row.text, raw.separator).get(index).unwrap_or_default(), out);
            }
            (InputFields::Object { values, .. }, RowForm::Json) => {
                out.extend_from_slice(values[place].unwrap_or("null").as_bytes());
            }
            (InputFields::Object { puzzle, values, .. }, _) => match values[place] {
                _ if *puzzle == index => put_puzzle(row, form, out),
                Some(value) => form.put_text(&String::from_utf8_lossy(&json_text(value)), out),
                None => {}
            },
        }
    }
}

/// Appends the puzzle as rows with all columns have it, or the text that is none.
fn put_puzzle<P: PuzzleText>(row: &Row<'_, P>, form: RowForm, out: &mut Vec<u8>) {
    match (row.record.echo, row.answered, form) {
        (SourceEcho::Verbatim, _, RowForm::Csv { .. }) => out.extend_from_slice(row.text),
        (SourceEcho::Verbatim, _, RowForm::Json) => put_text(row.text, out),
        (_, Some((puzzle, _)), _) => form.put_written(|out| puzzle.write(out), out),
        (_, None, _) => form.put_text(&printable(row.text), out),
    }
}

/// Appends the content of a CSV field, which may stand in quotes, as a JSON text.
fn put_content(field: &[u8], separator: u8, out: &mut Vec<u8>) {
    let inner = field.strip_prefix(b"\"").and_then(|field| field.strip_suffix(b"\""));
    match inner.filter(|inner| memchr::memchr(b'"', inner).is_none()) {
        Some(inner) => put_text(inner, out),
        None if field.first() == Some(&b'"') => {
            put_text(csv_fields(field, separator).get(0).unwrap_or_default(), out);
        }
        None => put_text(field, out),
    }
}

/// The fields of a row. One behind the last that was asked for is found from there on, so that columns in the order of
/// the input take one reading.
pub(super) struct RowFields<'a> {
    row: &'a [u8],
    separator: u8,
    rest: RawFields<'a>,
    /// The index of the first field of the rest.
    next: usize,
}

impl<'a> RowFields<'a> {
    fn of(row: &'a [u8], separator: u8) -> RowFields<'a> {
        RowFields { row, separator, rest: raw_fields(row, separator), next: 0 }
    }

    /// Returns the field of that index as it stands, if there are so many.
    fn get(&mut self, index: usize) -> Option<&'a [u8]> {
        if index < self.next {
            *self = RowFields::of(self.row, self.separator);
        }
        let field = self.rest.nth(index - self.next);
        self.next = index + 1;
        field
    }
}
