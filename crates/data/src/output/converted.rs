//! Writes puzzles in a different form from that of the input (`convert`), or replaces each puzzle, and the other
//! grids in its row (e.g. the solution), by random isomorphs.

use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::grid::Isomorphism;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::csv::{printable, put_csv_row, put_field, put_row};
use super::json::{JsonInputKeys, is_object};
use crate::record::{AnsweredRecords, Sink};
use crate::text::{
    CsvHeader, Layout, PuzzleForm, PuzzleReader, PuzzleText, Record, SourceEcho, Spelling, csv_fields,
    is_skipped, json_entries, json_text, raw_fields, without_brackets,
};

/// Writes each record of a file in a new form, even if it could not be read.
#[derive(Debug)]
pub struct ConvertedRows<'a> {
    /// The new form.
    pub form: ConvertedForm,
    /// How cells are written.
    pub spelling: &'a Spelling,
    /// Becomes true if a JSON object has keys without a column.
    pub lost: &'a AtomicBool,
}

/// The form of the rows.
#[derive(Clone, Debug)]
pub enum ConvertedForm {
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
    Objects(JsonInputKeys),
}

impl ConvertedForm {
    /// Chooses the rows of CSV for a layout. For JSON input, `keys` become columns.
    pub fn columns(layout: &Layout, keys: &[String]) -> ConvertedForm {
        let Some(puzzle) = layout.json_key() else {
            let alone = || CsvHeader { is_in_file: true, ..CsvHeader::puzzle_alone() };
            return ConvertedForm::Table(layout.header.clone().unwrap_or_else(alone));
        };
        let missing = (!keys.iter().any(|known| known == puzzle)).then(|| puzzle.to_owned());
        let all = missing.into_iter().chain(keys.iter().cloned()).collect();
        ConvertedForm::Keys { puzzle: puzzle.to_owned(), all }
    }
}

impl<P: PuzzleText> Sink<P> for ConvertedRows<'_> {
    /// Appends the header of CSV, unless the input is a table without a header.
    fn header(&self, out: &mut Vec<u8>) {
        match &self.form {
            ConvertedForm::Table(header) if header.is_in_file => {
                out.extend_from_slice(&header.text);
                out.push(b'\n');
            }
            ConvertedForm::Keys { all, .. } => {
                put_row(all, b',', |key: &String, out| put_field(key, out), out);
            }
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
                ConvertedForm::Texts(form) => row.put_alone(*form, out),
                ConvertedForm::Table(header) => row.put_in_table(header, out),
                ConvertedForm::Keys { puzzle: key, all } => {
                    if !row.put_values(key, all, out) {
                        self.lost.store(true, Ordering::Relaxed);
                    }
                }
                ConvertedForm::Objects(start) => {
                    let written = puzzle.map(|puzzle| move |out: &mut Vec<u8>| spelling.write(puzzle, out));
                    start.put_converted_row(record, text, written, out);
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

/// Writes isomorphs of each puzzle, as rows of CSV if the input is CSV, else as lines.
pub struct Isomorphs<P: PuzzleText> {
    seed: u64,
    copies: u64,
    /// The header of CSV input.
    header: Option<CsvHeader>,
    /// Reads the other grids of a row.
    reader: P::Reader,
}

impl<P: PuzzleText> Sink<P> for Isomorphs<P> {
    fn header(&self, out: &mut Vec<u8>) {
        if let Some(header) = self.header.as_ref().filter(|header| header.is_in_file) {
            out.extend_from_slice(&header.text);
            out.push(b'\n');
        }
    }

    fn is_bulky(&self) -> bool {
        true
    }

    #[inline(never)]
    fn write(&self, records: &AnsweredRecords<'_, P>, out: &mut Vec<u8>) {
        let mut number = records.puzzle_number;
        for (_, record, answered) in records.iter() {
            let row = self.fields(record.text(records.chunk), record, answered.map(|(puzzle, _)| puzzle));
            match answered {
                Some((puzzle, _)) => {
                    self.put_isomorphs(puzzle, number, &row, out);
                    number += 1;
                }
                None => self.put(&row, out),
            }
        }
    }
}

impl<P: PuzzleText> Isomorphs<P> {
    /// Writes `copies` isomorphs of each puzzle; the same seed gives the same ones.
    #[must_use]
    pub fn new(seed: u64, copies: u64, layout: &Layout) -> Isomorphs<P> {
        Isomorphs { seed, copies, header: layout.header.clone(), reader: P::reader(layout) }
    }

    /// Writes the isomorphs of a puzzle with its row. The number of the puzzle chooses the random stream,
    /// so that the result does not depend on chunks or threads.
    fn put_isomorphs(&self, puzzle: &P, number: u64, row: &[Vec<u8>], out: &mut Vec<u8>) {
        let grids: Vec<Option<P>> = row.iter().map(|field| self.grid_beside(puzzle, field)).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(number);
        for _ in 0..self.copies {
            let isomorphism = Isomorphism::random(puzzle.shape(), &mut rng);
            let disguised = |puzzle: &P| {
                let mut cells = Vec::new();
                puzzle.write_cells(&isomorphism.apply_to_cells(puzzle.cells()), &mut cells);
                cells
            };
            let mut row = row.to_vec();
            for (field, grid) in row.iter_mut().zip(&grids) {
                grid.iter().for_each(|grid| *field = disguised(grid));
            }
            // Replaces the puzzle itself, because its field may have quotes or blanks around it, and so may
            // not be recognised as a grid.
            row[self.header.as_ref().map_or(0, |header| header.column)] = disguised(puzzle);
            self.put(&row, out);
        }
    }

    /// Reads a field as a grid. `None` if it has anything more, or if its shape differs from that of the puzzle.
    fn grid_beside(&self, puzzle: &P, field: &[u8]) -> Option<P> {
        if field.len() < puzzle.cells().len() {
            return None;
        }
        let list = without_brackets(field);
        let text = list.as_deref().map_or(field, <[u8]>::trim_ascii);
        let found = if list.is_some() { self.reader.read_list(text) } else { self.reader.read(text) }.ok()?;
        let is_alone = found.text == (0..text.len()) && found.first_cell == 0;
        (is_alone && found.puzzle.shape() == puzzle.shape()).then_some(found.puzzle)
    }

    /// Splits a record into fields: for CSV as many as the header has, otherwise just the puzzle.
    fn fields(&self, text: &[u8], record: &Record, puzzle: Option<&P>) -> Vec<Vec<u8>> {
        let Some(header) = &self.header else {
            let mut cells = Vec::new();
            match (puzzle, record.echo) {
                (Some(puzzle), SourceEcho::Puzzle) => puzzle.write(&mut cells),
                _ => cells.extend_from_slice(text),
            }
            return vec![cells];
        };
        let mut row = match record.echo {
            SourceEcho::Verbatim | SourceEcho::Ragged => {
                csv_fields(text, header.separator).iter().map(<[u8]>::to_vec).collect()
            }
            SourceEcho::Puzzle | SourceEcho::Field => {
                let mut row = vec![Vec::new(); header.column];
                row.push(text.to_vec());
                row
            }
        };
        row.resize(header.width, Vec::new());
        row
    }

    /// Writes a row of CSV, or a line.
    fn put(&self, row: &[Vec<u8>], out: &mut Vec<u8>) {
        if let Some(header) = &self.header {
            return put_csv_row(row, header.separator, out);
        }
        out.extend_from_slice(&row[0]);
        out.push(b'\n');
    }
}
