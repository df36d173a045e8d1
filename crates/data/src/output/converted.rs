//! Writes records in another form than they were read in (`convert`).

use std::sync::atomic::{AtomicBool, Ordering};

use super::csv::{printable, put_field, put_row};
use super::json::{JsonLead, is_object};
use crate::record::{AnsweredRecords, Sink};
use crate::text::{
    CsvHeader, Layout, PuzzleForm, PuzzleText, Record, SourceEcho, Spelling, is_skipped, json_entries,
    json_text, raw_fields,
};

/// Writes each record of a file in a new form, even if it could not be read.
#[derive(Debug)]
pub struct ConvertedRows<'a> {
    /// The new form.
    pub form: RowsForm,
    /// How cells are written.
    pub spelling: &'a Spelling,
    /// Becomes true if a JSON object has keys without a column.
    pub lost: &'a AtomicBool,
}

/// The form of the rows.
#[derive(Clone, Debug)]
pub enum RowsForm {
    /// Puzzles alone. A record that can't be read is written as its text on one line. The text is quoted if
    /// puzzles are grids, or if a reader would skip the line as it is, so that it stays one record.
    Texts(PuzzleForm),
    /// CSV: the rows of the input with the puzzle in its new form. If the input is not a table, the puzzle
    /// alone.
    Table(CsvHeader),
    /// CSV from JSON objects, whose keys become columns.
    Keys {
        /// The key of the puzzle.
        puzzle: String,
        /// All keys.
        all: Vec<String>,
    },
    /// JSON Lines: the puzzle in its new form, and the other keys or columns of the input.
    Objects(JsonLead),
}

impl RowsForm {
    /// Chooses the rows of CSV for a layout. For JSON input, `keys` become columns.
    pub fn columns(layout: &Layout, keys: &[String]) -> RowsForm {
        let Some(puzzle) = layout.json_key() else {
            let alone = || CsvHeader { is_written: true, ..CsvHeader::puzzle_alone() };
            return RowsForm::Table(layout.header.clone().unwrap_or_else(alone));
        };
        let missing = (!keys.iter().any(|known| known == puzzle)).then(|| puzzle.to_owned());
        let all = missing.into_iter().chain(keys.iter().cloned()).collect();
        RowsForm::Keys { puzzle: puzzle.to_owned(), all }
    }
}

impl<P: PuzzleText> Sink<P> for ConvertedRows<'_> {
    /// Appends the header of CSV, unless the input is a table without a header.
    fn header(&self, out: &mut Vec<u8>) {
        match &self.form {
            RowsForm::Table(header) if header.is_written => {
                out.extend_from_slice(&header.text);
                out.push(b'\n');
            }
            RowsForm::Keys { all, .. } => put_row(all, b',', |key: &String, out| put_field(key, out), out),
            _ => {}
        }
    }

    #[inline(never)]
    fn write(&self, records: &AnsweredRecords<'_, P>, out: &mut Vec<u8>) {
        let spelling = self.spelling;
        for (_, record, answered) in records.iter() {
            let (text, puzzle) = (record.text(records.chunk), answered.map(|(puzzle, _)| puzzle));
            let row = ConvertedRecord { record, text, puzzle, spelling };
            match &self.form {
                RowsForm::Texts(form) => row.put_alone(*form, out),
                RowsForm::Table(header) => row.put_in_table(header, out),
                RowsForm::Keys { puzzle: key, all } => {
                    if !row.put_values(key, all, out) {
                        self.lost.store(true, Ordering::Relaxed);
                    }
                }
                RowsForm::Objects(lead) => {
                    let written = puzzle.map(|puzzle| move |out: &mut Vec<u8>| spelling.write(puzzle, out));
                    lead.convert(record, text, written, out);
                }
            }
        }
    }
}

/// A record to write in another form.
struct ConvertedRecord<'a, P> {
    record: &'a Record,
    text: &'a [u8],
    puzzle: Option<&'a P>,
    spelling: &'a Spelling,
}

impl<P: PuzzleText> ConvertedRecord<'_, P> {
    #[inline]
    fn put_alone(&self, form: PuzzleForm, out: &mut Vec<u8>) {
        match self.puzzle {
            Some(puzzle) => form.write(puzzle, self.spelling, out),
            None => put_unread(form, self.text, out),
        }
    }

    #[inline]
    fn put_in_table(&self, header: &CsvHeader, out: &mut Vec<u8>) {
        let text = self.text;
        match self.puzzle {
            None => header.put_columns(self.record, text, self.puzzle, out),
            // A table with one column contains only the puzzle.
            Some(puzzle) if header.width == 1 => self.spelling.write(puzzle, out),
            Some(puzzle) => {
                let field = raw_fields(text, header.separator).nth(header.column).unwrap_or_default();
                let from = field.as_ptr() as usize - text.as_ptr() as usize;
                out.extend_from_slice(&text[..from]);
                self.spelling.write(puzzle, out);
                out.extend_from_slice(&text[from + field.len()..]);
            }
        }
        out.push(b'\n');
    }

    /// Appends the row for a line of JSON input. Returns whether each key has a column.
    fn put_values(&self, puzzle_key: &String, keys: &[String], out: &mut Vec<u8>) -> bool {
        let has_keys = self.record.echo == SourceEcho::Puzzle || is_object(self.record);
        let entries = if has_keys { json_entries(self.text) } else { Vec::new() };
        let field = |key: &String, out: &mut Vec<u8>| match self.puzzle {
            Some(puzzle) if key == puzzle_key => self.spelling.write(puzzle, out),
            None if key == puzzle_key && !has_keys => put_field(&printable(self.text), out),
            // If a key occurs twice, its last value counts.
            _ => {
                if let Some((_, value)) = entries.iter().rfind(|(known, _)| known == key) {
                    put_field(&String::from_utf8_lossy(&json_text(value)), out);
                }
            }
        };
        put_row(keys, b',', field, out);
        entries.iter().all(|(known, _)| keys.iter().any(|key| key == known))
    }
}

#[cold]
fn put_unread(form: PuzzleForm, text: &[u8], out: &mut Vec<u8>) {
    let is_open = form.is_line() && !is_skipped(text);
    let quote: &[u8] = if is_open { b"" } else { b"\"" };
    out.extend_from_slice(quote);
    out.extend(text.iter().map(|&byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }));
    out.extend_from_slice(quote);
    out.extend_from_slice(if form.is_line() { b"\n" } else { b"\n\n" });
}
