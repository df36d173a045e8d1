//! Records in another form than they were read in.

use std::sync::atomic::{AtomicBool, Ordering};

use super::csv::{printable, put_field, put_row};
use super::json::{JsonLead, is_object};
use crate::record::{AnsweredRecords, Sink};
use crate::text::{
    CsvHeader, Layout, PuzzleForm, PuzzleText, Record, SourceEcho, Spelling, is_skipped, json_entries,
    json_text, raw_fields,
};

/// Writes each record of a file in a form, whether or not it could be read.
#[derive(Debug)]
pub struct ConvertedRows<'a> {
    /// The form.
    pub form: RowsForm,
    /// How cells are written.
    pub spelling: &'a Spelling,
    /// Becomes true where a JSON object has keys for which there is no column.
    pub lost: &'a AtomicBool,
}

/// A form of rows.
#[derive(Clone, Debug)]
pub enum RowsForm {
    /// Puzzles alone. A record that can't be read is its text on one line: as it stands where puzzles are lines, and in
    /// quotes where they are grids or where the line would be passed over, so that it is a record there too.
    Texts(PuzzleForm),
    /// Rows of CSV: those of the input with its puzzle in the new form, or the puzzle alone where the input is no table.
    Table(CsvHeader),
    /// Rows of CSV, of JSON objects, whose keys become columns.
    Keys {
        /// The key of the puzzle.
        puzzle: String,
        /// All keys.
        all: Vec<String>,
    },
    /// Objects of JSON Lines, with the puzzle in the new form and the other keys or columns of the input.
    Objects(JsonLead),
}

impl RowsForm {
    /// Returns rows of CSV for a file of that layout. Of JSON input, `keys` become columns.
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
    /// Appends the header of CSV, unless the input is a table without one.
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

/// A record that is written in another form.
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
            // A table with one column holds the puzzle alone.
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

    /// Appends the row of a line of JSON input. Returns whether there is a column for each key.
    fn put_values(&self, puzzle_key: &String, keys: &[String], out: &mut Vec<u8>) -> bool {
        let has_keys = self.record.echo == SourceEcho::Puzzle || is_object(self.record);
        let entries = if has_keys { json_entries(self.text) } else { Vec::new() };
        let field = |key: &String, out: &mut Vec<u8>| match self.puzzle {
            Some(puzzle) if key == puzzle_key => self.spelling.write(puzzle, out),
            None if key == puzzle_key && !has_keys => put_field(&printable(self.text), out),
            // Of a key that comes twice the last value counts.
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
