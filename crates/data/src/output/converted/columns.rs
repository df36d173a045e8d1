//! Rows of CSV, with the columns of the input.

use super::Spelling;
use crate::output::csv::{CsvLead, printable, put_field};
use crate::output::json::is_object;
use crate::text::{CsvHeader, Layout, PuzzleText, Record, SourceEcho, json_entries, json_text, raw_fields};

/// Rows of CSV: those of a CSV input with the puzzle written anew, those of JSON input with a column for each key, and
/// the puzzle alone of any other.
#[derive(Clone, Debug)]
pub(crate) enum ColumnRows {
    /// A table, or puzzles alone.
    Table { header: CsvHeader, has_header: bool, lead: CsvLead },
    /// JSON objects: the key of the puzzle, and all keys, which become columns.
    Objects { key: String, keys: Vec<String> },
}

impl ColumnRows {
    pub(super) fn of(layout: &Layout, keys: &[String]) -> ColumnRows {
        if let Some(key) = layout.json_key() {
            let missing = (!keys.iter().any(|known| known == key)).then(|| key.to_owned());
            let keys = missing.into_iter().chain(keys.iter().cloned()).collect();
            return ColumnRows::Objects { key: key.to_owned(), keys };
        }
        let has_header = layout.header.as_ref().is_none_or(|header| header.is_written);
        let header = layout.header.clone().unwrap_or_else(CsvHeader::puzzle_alone);
        let lead = CsvLead::of(&header);
        ColumnRows::Table { header, has_header, lead }
    }

    /// Returns the header; nothing where the input is a table without one.
    pub(super) fn header(&self) -> Vec<u8> {
        match self {
            ColumnRows::Table { has_header: false, .. } => Vec::new(),
            ColumnRows::Table { header, .. } => [&header.text[..], b"\n"].concat(),
            ColumnRows::Objects { keys, .. } => {
                let mut header = Vec::new();
                put_row(keys.iter(), |key, out| put_field(key, out), &mut header);
                header
            }
        }
    }

    /// Appends a row. Returns whether it has all that the record has.
    #[inline]
    pub(super) fn write<P: PuzzleText>(
        &self,
        record: &Record,
        text: &[u8],
        puzzle: Option<&P>,
        spelling: &Spelling,
        out: &mut Vec<u8>,
    ) -> bool {
        match (self, puzzle) {
            (ColumnRows::Objects { key, keys }, _) => {
                return write_object(key, keys, record, text, puzzle, spelling, out);
            }
            (ColumnRows::Table { lead, .. }, None) => lead.put(record, text, puzzle, out),
            // A table with one column holds the puzzle alone.
            (ColumnRows::Table { header: CsvHeader { width: 1, .. }, .. }, Some(puzzle)) => {
                spelling.write(puzzle, out);
            }
            (ColumnRows::Table { header, .. }, Some(puzzle)) => {
                let field = raw_fields(text, header.separator).nth(header.column).unwrap_or_default();
                let from = field.as_ptr() as usize - text.as_ptr() as usize;
                out.extend_from_slice(&text[..from]);
                spelling.write(puzzle, out);
                out.extend_from_slice(&text[from + field.len()..]);
            }
        }
        out.push(b'\n');
        true
    }
}

/// Appends the row of a line of JSON input. Returns whether there is a column for each key.
fn write_object<P: PuzzleText>(
    puzzle_key: &str,
    keys: &[String],
    record: &Record,
    text: &[u8],
    puzzle: Option<&P>,
    spelling: &Spelling,
    out: &mut Vec<u8>,
) -> bool {
    let has_keys = record.echo == SourceEcho::Puzzle || is_object(record.fault.map(|fault| fault.kind));
    let entries = if has_keys { json_entries(text) } else { Vec::new() };
    let field = |key: &String, out: &mut Vec<u8>| match puzzle {
        Some(puzzle) if key == puzzle_key => spelling.write(puzzle, out),
        None if key == puzzle_key && !has_keys => put_field(&printable(text), out),
        // Of a key that comes twice the last value counts.
        _ => {
            if let Some((_, value)) = entries.iter().rfind(|(known, _)| known == key) {
                put_field(&String::from_utf8_lossy(&json_text(value)), out);
            }
        }
    };
    put_row(keys.iter(), field, out);
    entries.iter().all(|(known, _)| keys.iter().any(|key| key == known))
}

/// Appends fields with commas between them, and a line end.
fn put_row<T>(fields: impl Iterator<Item = T>, mut put: impl FnMut(T, &mut Vec<u8>), out: &mut Vec<u8>) {
    let start = out.len();
    for (index, field) in fields.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        put(field, out);
    }
    if out.len() == start {
        // A line without anything is no row.
        out.extend_from_slice(b"\"\"");
    }
    out.push(b'\n');
}
