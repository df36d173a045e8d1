//! Alphabets: their notation, puzzles that are written in them, and their detection from a text.

use std::sync::Arc;

use gridmill_core::grid::{Grid, Shape};
use gridmill_data::text::{Alphabet, Batch, FormatChoice, FormatOptions, GridPuzzle, PuzzleForm, Spelling};

use super::choices::Choices;

/// The characters that can mean a blank.
const BLANKS: &[u8] = b".0_-*?xX";

const FORMS: [PuzzleForm; 4] = [PuzzleForm::Line, PuzzleForm::Grid, PuzzleForm::Framed, PuzzleForm::Sdk];

/// Writes puzzles and reads them again. The input consists of two bytes for the form and the blank, a line
/// with an alphabet, and cells. The check fails unless:
///
/// - The name of an alphabet can be parsed, and gives the same alphabet.
/// - Each digit is written as a character that is read as this digit.
/// - Puzzles of every shape and form are read unchanged if the alphabet is given. There is one exception: if
///   the blank is also a mark of frames (e.g. `-`), at least one row must have both a blank and a digit.
/// - If the alphabet is not given and has more than nine digits, the text is refused, or read in an alphabet
///   that writes the same text.
pub fn check(data: &[u8]) {
    let mut choices = Choices::of(data);
    let form = choices.among(&FORMS);
    let blank = choices.among(BLANKS);
    let rest = choices.rest();
    let line = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    let cells = rest.get(line + 1..).unwrap_or_default();
    let Ok(text) = std::str::from_utf8(&rest[..line]) else { return };
    let alphabet = match text.parse::<Alphabet>() {
        Ok(alphabet) => alphabet,
        Err(error) => return assert!(error.contains(text)),
    };
    assert_eq!(alphabet.to_string().parse(), Ok(alphabet.clone()));
    assert_digits_have_characters(&alphabet);
    if alphabet.cell(blank) != Some(0) {
        return;
    }
    let side = alphabet.side();
    for shape in (2..side).filter(|rows| side.is_multiple_of(*rows)) {
        if let Some(shape) = Shape::new(shape, side / shape) {
            assert_written_is_read(shape, &alphabet, (form, blank), cells);
        }
    }
}

fn assert_digits_have_characters(alphabet: &Alphabet) {
    let digits: Vec<u8> = (1..=alphabet.side() as u8).collect();
    let line = alphabet.write(&digits);
    assert_eq!(line.len(), digits.len());
    let read: Vec<u8> = line.bytes().filter_map(|byte| alphabet.cell(byte)).collect();
    assert_eq!(read, digits);
}

fn assert_written_is_read(shape: Shape, alphabet: &Alphabet, (form, blank): (PuzzleForm, u8), cells: &[u8]) {
    let puzzles = puzzles(shape, cells);
    let alphabet_of_all = Arc::new(alphabet.clone());
    let mut text = Vec::new();
    for grid in puzzles.clone() {
        let puzzle = GridPuzzle { grid, alphabet: Arc::clone(&alphabet_of_all) };
        form.write(&puzzle, &Spelling::new(blank, []), &mut text);
    }
    if !form.is_line() && b"-*_".contains(&blank) && !has_blank_beside_digit(shape, &puzzles) {
        return;
    }
    let format = if form.is_line() { FormatChoice::Line } else { FormatChoice::Grid };
    let said = FormatOptions {
        format,
        shape: Some(shape),
        alphabets: vec![alphabet.clone()],
        ..FormatOptions::default()
    };
    let read = read(&said, &text).expect("a layout that is said");
    let grids: Vec<&Grid> = read.iter().map(|puzzle| &puzzle.grid).collect();
    assert_eq!(grids, puzzles.iter().collect::<Vec<_>>(), "{}", String::from_utf8_lossy(&text));
    // Up to nine digits no alphabet is inferred, because `0` is then another character for a blank.
    if shape.side() > 9 {
        let open = FormatOptions { alphabets: Vec::new(), ..said };
        assert_proved_writes_the_same(open, (form, blank), &text, puzzles.len());
    }
}

fn has_blank_beside_digit(shape: Shape, puzzles: &[Grid]) -> bool {
    let mut rows = puzzles.iter().flat_map(|puzzle| puzzle.cells().chunks(shape.side()));
    rows.any(|row| row.contains(&0) && row.iter().any(|&cell| cell > 0))
}

/// Checks that writing the puzzles again gives the same text, if the reader inferred an alphabet from it.
fn assert_proved_writes_the_same(
    options: FormatOptions,
    (form, blank): (PuzzleForm, u8),
    text: &[u8],
    puzzles: usize,
) {
    let Some(read) = read(&options, text).filter(|read| read.len() == puzzles) else { return };
    let mut again = Vec::new();
    let spelling = Spelling::new(blank, []);
    read.iter().for_each(|puzzle| form.write(puzzle, &spelling, &mut again));
    assert_eq!(again, text, "{}", String::from_utf8_lossy(text));
}

/// Reads a text; `None` if it is refused, or if one of its records is malformed.
fn read(options: &FormatOptions, text: &[u8]) -> Option<Vec<GridPuzzle>> {
    let layout = options.layout(text, false).ok()??;
    let mut batch = Batch::default();
    layout.format::<GridPuzzle>().read(&text[layout.body_start..], &mut batch);
    batch.records.iter().all(|record| record.fault.is_none()).then_some(batch.puzzles)
}

/// Makes puzzles from bytes. Each byte gives a cell, by its remainder. The last puzzle is filled up with
/// blanks.
fn puzzles(shape: Shape, cells: &[u8]) -> Vec<Grid> {
    let cell = |&byte: &u8| byte.wrapping_sub(b'0') % (shape.side() as u8 + 1);
    let puzzle = |cells: &[u8]| {
        let mut puzzle: Vec<u8> = cells.iter().map(cell).collect();
        puzzle.resize(shape.cells(), 0);
        Grid::new(shape, puzzle).expect("cells of the shape")
    };
    cells.chunks(shape.cells()).map(puzzle).collect()
}
