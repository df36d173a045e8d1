//! Records in another form than they were read in.

use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::grid::{Digit, Shape};

use super::csv::{printable, put_field, put_row};
use super::json::{JsonLead, is_object};
use crate::record::{AnsweredRecords, Sink};
use crate::text::{
    Alphabet, CsvHeader, Layout, PuzzleForm, PuzzleText, Record, SourceEcho, is_skipped, json_entries,
    json_text, raw_fields, write_candidates,
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
            match &self.form {
                RowsForm::Texts(form) => put_puzzle(*form, text, puzzle, spelling, out),
                RowsForm::Table(header) => put_table_row(header, record, text, puzzle, spelling, out),
                RowsForm::Keys { puzzle: key, all } => {
                    if !put_values((key, all), record, text, puzzle, spelling, out) {
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

#[inline]
fn put_puzzle<P: PuzzleText>(
    form: PuzzleForm,
    text: &[u8],
    puzzle: Option<&P>,
    spelling: &Spelling,
    out: &mut Vec<u8>,
) {
    match puzzle {
        Some(puzzle) if form == PuzzleForm::Line => {
            spelling.write(puzzle, out);
            out.push(b'\n');
        }
        Some(puzzle) => {
            let mut line = Vec::new();
            if form == PuzzleForm::Pencilmarks && !P::HAS_CANDIDATES {
                write_candidates(puzzle.cells(), &mut line);
            } else {
                spelling.write(puzzle, &mut line);
            }
            form.arrange(puzzle.shape(), &line, out);
        }
        None => put_unread(form, text, out),
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

#[inline]
fn put_table_row<P: PuzzleText>(
    header: &CsvHeader,
    record: &Record,
    text: &[u8],
    puzzle: Option<&P>,
    spelling: &Spelling,
    out: &mut Vec<u8>,
) {
    match puzzle {
        None => header.put_columns(record, text, puzzle, out),
        // A table with one column holds the puzzle alone.
        Some(puzzle) if header.width == 1 => spelling.write(puzzle, out),
        Some(puzzle) => {
            let field = raw_fields(text, header.separator).nth(header.column).unwrap_or_default();
            let from = field.as_ptr() as usize - text.as_ptr() as usize;
            out.extend_from_slice(&text[..from]);
            spelling.write(puzzle, out);
            out.extend_from_slice(&text[from + field.len()..]);
        }
    }
    out.push(b'\n');
}

/// Appends the row of a line of JSON input. Returns whether there is a column for each key.
fn put_values<P: PuzzleText>(
    (puzzle_key, keys): (&String, &[String]),
    record: &Record,
    text: &[u8],
    puzzle: Option<&P>,
    spelling: &Spelling,
    out: &mut Vec<u8>,
) -> bool {
    let has_keys = record.echo == SourceEcho::Puzzle || is_object(record);
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
    put_row(keys, b',', field, out);
    entries.iter().all(|(known, _)| keys.iter().any(|key| key == known))
}

/// The character of a blank, and the alphabets that replace those of the input.
#[derive(Clone, Debug)]
pub struct Spelling {
    blank: u8,
    /// The alphabet of each side that gets another one.
    replaced: Vec<Option<Alphabet>>,
    /// The digits of each side up to 9.
    digits: Vec<Option<Alphabet>>,
}

impl Spelling {
    /// Returns the spelling with that blank and these alphabets, each for its side. Puzzles of other sides keep their
    /// digits, but that numbers of one character become such digits.
    pub fn new(blank: u8, alphabets: impl IntoIterator<Item = Alphabet>) -> Spelling {
        Spelling { blank, replaced: by_side(alphabets), digits: by_side((4..=9).map(Alphabet::digits)) }
    }

    /// Appends the cells of a puzzle as one line; candidates as they are.
    #[inline]
    fn write<P: PuzzleText>(&self, puzzle: &P, out: &mut Vec<u8>) {
        if P::HAS_CANDIDATES {
            return puzzle.write(out);
        }
        let start = out.len();
        match self.alphabet_for(puzzle) {
            None => puzzle.write(out),
            Some(alphabet) => alphabet.write_to(puzzle.cells(), out),
        }
        if self.blank != b'.' {
            // Branchless, so that it becomes vector code.
            out[start..].iter_mut().for_each(|byte| *byte = if *byte == b'.' { self.blank } else { *byte });
        }
    }

    /// Returns the alphabet that replaces that of a puzzle.
    #[inline]
    fn alphabet_for(&self, puzzle: &impl PuzzleText) -> Option<&Alphabet> {
        let side = puzzle.shape().side();
        let has_numbers = || Digit::new(1).and_then(|digit| puzzle.symbol(digit)).is_none();
        let of_numbers = || self.digits[side].as_ref().filter(|_| has_numbers());
        self.replaced[side].as_ref().or_else(of_numbers)
    }
}

fn by_side(alphabets: impl IntoIterator<Item = Alphabet>) -> Vec<Option<Alphabet>> {
    let mut sides = vec![None; Shape::MAX_SIDE + 1];
    for alphabet in alphabets {
        let side = alphabet.side();
        sides[side] = Some(alphabet);
    }
    sides
}
