//! The fields of a record, found one by one in the text of the input.

use super::{Field, GROUP, RowColumn, RowForm, Source};
use crate::output::csv::{printable, put_carried_field, put_field_between};
use crate::output::json::{is_object, put_text, put_written};
use crate::text::{
    PuzzleText, RawFields, Record, SourceEcho, csv_fields, json_text, json_values, raw_fields,
};

/// The fields of a record, to be written in any order.
pub(super) struct InputFields<'a, P> {
    form: RowForm,
    text: &'a [u8],
    echo: SourceEcho,
    puzzle: Option<&'a P>,
    content: Content<'a>,
}

/// Where the fields of a record are.
enum Content<'a> {
    /// There is the puzzle, or text that is none, and nothing else: it belongs to the column of that index.
    Puzzle(usize),
    /// A row of a table.
    Row(RowFields<'a>),
    /// A row of a table with too few fields or too many, or that is too long, and the number of columns.
    Ragged(RowFields<'a>, usize),
    /// A JSON object: its keys, the index of the puzzle's, and the values of the columns at hand.
    Object { keys: &'a [String], puzzle: usize, values: [Option<&'a str>; GROUP] },
}

impl<'a, P: PuzzleText> InputFields<'a, P> {
    pub(super) fn of(
        (source, form): (&'a Source, RowForm),
        record: &Record,
        text: &'a [u8],
        puzzle: Option<&'a P>,
    ) -> InputFields<'a, P> {
        let content = match (source, record.echo) {
            (Source::Table(table), SourceEcho::Verbatim) => {
                Content::Row(RowFields::of(text, table.separator))
            }
            (Source::Table(table), SourceEcho::Ragged) => {
                Content::Ragged(RowFields::of(text, table.separator), table.width)
            }
            (Source::Table(table), _) => Content::Puzzle(table.column),
            (Source::Objects { keys, puzzle }, _) if is_object(record) => {
                Content::Object { keys, puzzle: *puzzle, values: [None; GROUP] }
            }
            (&Source::Objects { puzzle, .. }, _) => Content::Puzzle(puzzle),
            (Source::Lines, _) => Content::Puzzle(0),
        };
        InputFields { form, text, echo: record.echo, puzzle, content }
    }

    /// Finds what is to be written of an object in a group of columns.
    pub(super) fn find(&mut self, group: &[RowColumn]) {
        let Content::Object { keys, values, .. } = &mut self.content else { return };
        let is_of =
            |column: &RowColumn, key: &str| matches!(column.field, Field::Input(index) if keys[index] == key);
        let place = |key: &str| group.iter().position(|column| is_of(column, key));
        *values = json_values(self.text, place);
    }

    /// Appends the field of the column of that index, which has that place in its group.
    pub(super) fn put(&mut self, index: usize, place: usize, out: &mut Vec<u8>) {
        let (form, text) = (self.form, self.text);
        match (&mut self.content, form) {
            (Content::Puzzle(column), _) if *column == index => self.put_puzzle(out),
            (Content::Puzzle(_), RowForm::Csv { .. }) => {}
            (Content::Puzzle(_), RowForm::Json) => out.extend_from_slice(b"null"),
            (Content::Row(row), RowForm::Csv { .. }) => {
                out.extend_from_slice(row.get(index).unwrap_or_default());
            }
            (Content::Row(row), RowForm::Json) => {
                put_content(row.get(index).unwrap_or_default(), row.separator, out);
            }
            (Content::Ragged(row, width), RowForm::Csv { separator }) => {
                if let Some(field) = row.get(index) {
                    put_carried_field(text, field, index + 1 == *width, separator, out);
                }
            }
            (Content::Ragged(row, _), RowForm::Json) => {
                put_text(csv_fields(text, row.separator).get(index).unwrap_or_default(), out);
            }
            (Content::Object { values, .. }, RowForm::Json) => {
                out.extend_from_slice(values[place].unwrap_or("null").as_bytes());
            }
            (Content::Object { puzzle, values, .. }, RowForm::Csv { separator }) => match values[place] {
                _ if *puzzle == index => self.put_puzzle(out),
                Some(value) => put_field_between(&String::from_utf8_lossy(&json_text(value)), separator, out),
                None => {}
            },
        }
    }

    /// Appends the puzzle as rows with all columns have it, or the text that is none.
    fn put_puzzle(&self, out: &mut Vec<u8>) {
        let text = self.text;
        match (self.echo, self.puzzle, self.form) {
            (SourceEcho::Verbatim, _, RowForm::Csv { .. }) => out.extend_from_slice(text),
            (SourceEcho::Verbatim, _, RowForm::Json) => put_text(text, out),
            (_, Some(puzzle), RowForm::Csv { .. }) => puzzle.write(out),
            (_, Some(puzzle), RowForm::Json) => put_written(|out| puzzle.write(out), out),
            (_, None, RowForm::Csv { separator }) => put_field_between(&printable(text), separator, out),
            (_, None, RowForm::Json) => put_text(printable(text).as_bytes(), out),
        }
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
struct RowFields<'a> {
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
