//! Text and grids: reading the first puzzle of a text in any format, and writing a grid as text.

use std::sync::Arc;

use gridmill_core::grid::{Digit, Grid, Pencilmarks, Shape};
use gridmill_core::logic::State;
use gridmill_data::output::candidate_grid;
use gridmill_data::packing::Packing;
use gridmill_data::pipeline::Input;
use gridmill_data::text::{
    Alphabet, FormatError, FormatOptions, GridPuzzle, Layout, PuzzleForm, PuzzleText, Spelling,
    candidate_grid_line, framed_shape,
};
use gridmill_data::with_kind;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{CheckedGrid, Named, PageGrid, text_of};
use crate::reply::{Answer, Refusal};

/// The name of the text in messages.
const NAME: &str = "the text";

/// The request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Read {
    text: String,
    /// The preferred shape for puzzles of its size.
    shape: Option<Named<Shape>>,
    /// How the page writes digits above 9x9.
    #[serde(default)]
    symbols: Symbols,
}

/// How the page writes digits above 9x9, in the order of [`Alphabet::conventions`]. The names are those of the page's setting.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
enum Symbols {
    #[default]
    #[serde(rename = "1-9A-G", alias = "numbers")]
    FromOne,
    #[serde(rename = "0-9A-F")]
    FromZero,
    #[serde(rename = "A-P")]
    Letters,
}

impl Symbols {
    /// The alphabet for a side, with single characters as digits. Numbers use the default one.
    fn alphabet(self, side: usize) -> Alphabet {
        if side <= 9 {
            Alphabet::digits(side)
        } else {
            Alphabet::conventions(side).swap_remove(self as usize)
        }
    }
}

impl Read {
    /// The first puzzle that can be read, and the number of records in the text, including malformed ones.
    pub(crate) fn answer(self) -> Answer<Value> {
        let text = candidate_grid_line(&self.text).or_else(|| json_lines(&self.text)).unwrap_or(self.text);
        let shape = self.shape.map(|shape| shape.0);
        let (options, layout) = layout(text.as_bytes(), shape, self.symbols)?;
        with_kind!(layout.kind(), P => first::<P>(text, &options))
    }
}

/// Finds the layout of a text, and the options with which it was found. Where the text is ambiguous, this function decides:
///
/// - The alphabet is that of the page if it fits, because the text may have been copied from there; otherwise the first that fits.
/// - The shape is that of the frames in the text, or else that of the page.
/// - Rows without a header are records.
fn layout(text: &[u8], shape: Option<Shape>, symbols: Symbols) -> Answer<(FormatOptions, Layout)> {
    if Packing::detect(text).is_some() {
        return Err(Refusal::bad("this is a compressed file, not text; use Open in the collection"));
    }
    let mut options = FormatOptions::default();
    let framed = framed_shape(text);
    loop {
        let preferred_shape =
            |side: usize| framed.into_iter().chain(shape).find(|shape| shape.side() == side);
        match options.layout(text, false) {
            Ok(Some(layout)) => {
                let side = layout.shape.map_or(0, Shape::side);
                match preferred_shape(side)
                    .filter(|&shape| options.shape.is_none() && layout.shape != Some(shape))
                {
                    Some(shape) => options.shape = Some(shape),
                    None => return Ok((options, layout)),
                }
            }
            Err(FormatError::RowsWithoutHeader) if !options.no_header => options.no_header = true,
            Err(FormatError::NoAlphabet { alphabets, fit: true, .. }) if options.alphabets.is_empty() => {
                let of_page = |alphabet: &Alphabet| *alphabet == symbols.alphabet(alphabet.side());
                let place = alphabets.iter().position(of_page).unwrap_or(0);
                options.alphabets.extend(alphabets.into_iter().nth(place));
            }
            Err(FormatError::AmbiguousShape(side))
                if options.shape.is_none() && preferred_shape(side).is_some() =>
            {
                options.shape = preferred_shape(side);
            }
            Err(error) => return Err(Refusal::bad(error.to_string())),
            Ok(None) => return Err(nothing()),
        }
    }
}

fn first<P: PuzzleText>(text: String, options: &FormatOptions) -> Answer<Value> {
    let failed = |error: gridmill_data::error::Error| Refusal::bad(error.to_string());
    let (mut found, mut fault, mut records) = (None, None, 0);
    for record in Input::from_bytes(NAME, text.into_bytes()).records::<P>(options).map_err(failed)? {
        records += 1;
        match record.map_err(failed)?.puzzle {
            Ok(puzzle) => _ = found.get_or_insert(puzzle),
            Err(malformed) => _ = fault.get_or_insert(malformed),
        }
    }
    let refused = || {
        fault.map_or_else(nothing, |fault| {
            let (line, column) = (fault.position.line, fault.position.column);
            Refusal::bad(format!("line {line}, column {column}: {}", fault.kind))
        })
    };
    let grid = PageGrid::from_puzzle(&found.ok_or_else(refused)?);
    Ok(json!({ "grid": grid, "records": records }))
}

fn nothing() -> Refusal {
    Refusal::bad("there is no puzzle in the text")
}

/// If a text is a single JSON value, converts it to lines that the reader accepts; `None` for any other text.
fn json_lines(text: &str) -> Option<String> {
    if !text.trim_start().starts_with(['[', '{', '"']) {
        return None;
    }
    match serde_json::from_str(text).ok()? {
        Value::Array(items) if is_one(&items) => Some(json_line(Value::Array(items))),
        Value::Array(items) => Some(items.into_iter().map(json_line).collect()),
        value => Some(json_line(value)),
    }
}

/// Whether an array is a single puzzle: it has numbers, or as many rows as the first row has cells.
fn is_one(items: &[Value]) -> bool {
    match items.first() {
        Some(Value::Array(row)) => row.len() == items.len() && !row.iter().any(Value::is_array),
        Some(Value::Number(_) | Value::Null) => true,
        _ => false,
    }
}

/// Makes the line of a puzzle. A text stays as it is, because it may be one row of a grid.
fn json_line(value: Value) -> String {
    match value {
        Value::String(text) => format!("{text}\n"),
        Value::Object(_) => format!("{value}\n"),
        _ => format!("{}\n", json!({ "puzzle": value })),
    }
}

/// The request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Write {
    grid: PageGrid,
    form: Form,
    /// How the page writes digits above 9x9.
    #[serde(default)]
    symbols: Symbols,
}

/// The forms that `gridmill convert` has, and the candidate grids of forums.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Form {
    Line,
    Grid,
    Framed,
    Sdk,
    Numbers,
    Csv,
    Jsonl,
    Hodoku,
    Pencilmarks,
    Candidates,
}

impl Write {
    /// Writes the digits. Pencilmarks and candidates leave out the removed candidates too.
    pub(crate) fn answer(self) -> Answer<Value> {
        let grid = self.grid.check()?;
        let digits = &grid.digits;
        let side = digits.shape().side();
        let alphabet = match self.form {
            Form::Numbers => Alphabet::numbers(side),
            _ => self.symbols.alphabet(side),
        };
        let written = |form| written(digits, form, &alphabet);
        let text = match self.form {
            Form::Line | Form::Numbers => written(PuzzleForm::Line)?,
            Form::Grid => written(PuzzleForm::Grid)?,
            Form::Framed => written(PuzzleForm::Framed)?,
            Form::Sdk => written(PuzzleForm::Sdk)?,
            Form::Csv => format!("puzzle\n{}", written(PuzzleForm::Line)?),
            Form::Jsonl => format!("{}\n", json!({"puzzle": alphabet.write(digits.cells())})),
            Form::Hodoku => written(PuzzleForm::Hodoku)?,
            Form::Pencilmarks => format!("{}\n", pencilmarks(&grid)?),
            Form::Candidates => candidates(&grid)?,
        };
        Ok(json!({ "text": text }))
    }
}

fn written(digits: &Grid, form: PuzzleForm, alphabet: &Alphabet) -> Answer<String> {
    if !form.suits(digits.shape()) {
        return Err(for_classic());
    }
    let puzzle = GridPuzzle { grid: digits.clone(), alphabet: Arc::new(alphabet.clone()) };
    Ok(text_of(|text| form.write(&puzzle, &Spelling::new(b'.', [alphabet.clone()]), text)))
}

fn pencilmarks(grid: &CheckedGrid) -> Answer<Pencilmarks> {
    let digits = grid.digits.cells();
    let puzzle = grid.digits.to_classic().ok_or_else(for_classic)?;
    let mut candidates = *Pencilmarks::from(&puzzle).candidates();
    for &(cell, digit) in grid.removed.iter().filter(|&&(cell, _)| digits[cell] == 0) {
        candidates[cell] =
            Digit::new(digit as u8 + 1).map_or(candidates[cell], |it| candidates[cell].without(it));
    }
    Ok(Pencilmarks::new(candidates))
}

/// The candidates that the rules and the removed ones leave, as a framed grid.
fn candidates(grid: &CheckedGrid) -> Answer<String> {
    let puzzle = grid.digits.to_classic().ok_or_else(for_classic)?;
    let mut state = State::from_puzzle(&puzzle);
    grid.removed.iter().for_each(|&(cell, digit)| state.remove(cell, digit));
    let is_possible = |cell: usize, digit: usize| match puzzle.cells()[cell] {
        0 => state.has(cell, digit),
        placed => usize::from(placed) == digit + 1,
    };
    let counts: Vec<u64> = (0..81 * 9).map(|place| is_possible(place / 9, place % 9).into()).collect();
    Ok(text_of(|text| candidate_grid(&puzzle, &counts, text)))
}

fn for_classic() -> Refusal {
    Refusal::bad("only 9x9 puzzles can be written in this form")
}

/// A text to pack as lz-string does, e.g. for an address of f-puzzles, or to unpack.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PackedText {
    text: String,
}

/// The longest text that is unpacked. Puzzles are far shorter, but a long text could unpack to one that fills the memory.
const LONGEST: usize = 20_000;

impl PackedText {
    pub(crate) fn pack(&self) -> Value {
        json!({ "text": lz_str::compress_to_base64(&*self.text) })
    }

    /// Unpacks the text; null if it was not packed.
    pub(crate) fn unpack(&self) -> Value {
        let packed = Some(&*self.text).filter(|packed| packed.len() <= LONGEST);
        let units = packed.and_then(lz_str::decompress_from_base64);
        json!({ "text": units.and_then(|units| String::from_utf16(&units).ok()) })
    }
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::Grid;
    use gridmill_core::logic::State;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use serde_json::{Value, json};

    use crate::questions::Read;
    use crate::questions::tests::{dataset, grid, page, request};

    use super::*;

    const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn read(text: &str) -> Answer<Value> {
        request::<Read>(json!({ "text": text })).answer().map(|found| serde_json::to_value(found).unwrap())
    }

    fn message(text: &str) -> String {
        read(text).unwrap_err().message
    }

    /// The clues of the first puzzle, as a line.
    fn clues(found: &Value) -> String {
        let cells: Vec<u8> = serde_json::from_value(found["grid"]["clues"].clone()).unwrap();
        let shape = found["grid"]["shape"].as_str().unwrap().parse().unwrap();
        Grid::new(shape, cells).unwrap().to_string()
    }

    #[test]
    fn every_format_is_read() {
        for (file, format, records) in [
            ("bank.txt", "bank", 2),
            ("columns.csv", "csv", 2),
            ("frames.txt", "grid", 2),
            ("hodoku.txt", "hodoku", 2),
            ("lines.txt", "line", 7),
            ("numbers.txt", "grid", 1),
            ("objects.jsonl", "jsonl", 2),
            ("pencilmarks.txt", "pencilmarks", 2),
            ("puzzle.sdk", "grid", 1),
            ("puzzle.ss", "grid", 1),
            ("rows.txt", "grid", 2),
        ] {
            let text = dataset(&format!("formats/{file}"), usize::MAX).join("\n") + "\n";
            let found = read(&text).unwrap();
            assert_eq!(found["records"], records, "{file}");
            let (_, layout) = layout(text.as_bytes(), None, Symbols::default()).unwrap();
            assert_eq!(layout.format_name(), format, "{file}");
            assert_eq!(clues(&found), EASY, "{file}");
        }
    }

    #[test]
    fn bare_grids_are_read() {
        let rows: Vec<&str> = (0..9).map(|row| &EASY[9 * row..][..9]).collect();
        let numbers: Vec<Vec<u32>> =
            rows.iter().map(|row| row.chars().map(|cell| cell.to_digit(10).unwrap_or(0)).collect()).collect();
        let flat = numbers.concat();
        for text in [
            EASY.to_owned(),
            format!("  {EASY}\r\n"),
            rows.join("\n"),
            rows.join("\r\n"),
            format!("1,{EASY},x\n2,{EASY},y\n"),
            json!(numbers).to_string(),
            json!([numbers, numbers]).to_string(),
            json!(flat).to_string(),
            json!([flat, flat]).to_string(),
            json!(EASY).to_string(),
            json!([EASY, EASY]).to_string(),
            json!(rows).to_string(),
            json!({ "puzzle": EASY }).to_string(),
            serde_json::to_string_pretty(&json!({"id": 1, "puzzle": numbers})).unwrap(),
            serde_json::to_string_pretty(&json!([{ "puzzle": EASY }, { "puzzle": EASY }])).unwrap(),
        ] {
            assert_eq!(clues(&read(&text).unwrap()), EASY, "{text}");
        }
    }

    #[test]
    fn grids_of_other_shapes_are_read() {
        let large = ".".repeat(600) + "PONMLKJIHGFEDCBA987654321";
        let found = read(&large).unwrap();
        assert_eq!((&found["grid"]["shape"], clues(&found)), (&json!("5x5"), large.clone()));
        for (file, shape) in [("4x4.txt", "2x2"), ("6x6.txt", "2x3"), ("16x16.txt", "4x4")] {
            let lines = dataset(file, 20);
            let found = read(&lines.join("\n")).unwrap();
            assert_eq!((&found["grid"]["shape"], clues(&found)), (&json!(shape), lines[0].clone()));
            assert_eq!(found["records"], 20);
        }
    }

    #[test]
    fn an_ambiguous_shape_is_taken_from_the_request() {
        assert_eq!(clues(&read(&".".repeat(256)).unwrap()), ".".repeat(256));
        let line = format!("123456{}", ".".repeat(30));
        let asked = json!({"text": line, "shape": "3x2"});
        let found = serde_json::to_value(request::<Read>(asked).answer().unwrap()).unwrap();
        assert_eq!((&found["grid"]["shape"], clues(&found)), (&json!("3x2"), line));
        let asked = json!({"text": EASY, "shape": "2x2"});
        assert_eq!(
            serde_json::to_value(request::<Read>(asked).answer().unwrap()).unwrap()["grid"]["shape"],
            "3x3"
        );
        let twelve = json!({"text": ".".repeat(144), "shape": "2x6"});
        let found = serde_json::to_value(request::<Read>(twelve).answer().unwrap()).unwrap();
        assert_eq!(found["grid"]["shape"], "2x6");
    }

    #[test]
    fn frames_determine_the_size_of_the_boxes() {
        let line = format!("123456789ABC{}", ".".repeat(132));
        for shape in ["2x6", "6x2", "3x4", "4x3"] {
            let framed = write(&page(&grid(shape, &line)), "framed").unwrap();
            for text in [framed.clone(), framed.repeat(2)] {
                let asked = json!({"text": text, "shape": "3x4"});
                let found = request::<Read>(asked).answer().unwrap();
                assert_eq!((&found["grid"]["shape"], clues(&found)), (&json!(shape), line.clone()), "{text}");
            }
        }
    }

    #[test]
    fn digits_are_written_and_read_in_the_symbols_of_the_page() {
        for shape in ["4x4", "3x4", "5x5"] {
            let parsed: Shape = shape.parse().unwrap();
            let side = parsed.side();
            // The first and the last digit are left out, because they would reveal the alphabet.
            let cells: Vec<u8> = (0..parsed.cells()).map(|cell| (cell % (side - 1)) as u8).collect();
            let page = page(
                &Grid::new(parsed, cells.iter().map(|&cell| if cell == 1 { 0 } else { cell }).collect())
                    .unwrap(),
            );
            for symbols in ["1-9A-G", "0-9A-F", "A-P", "numbers"] {
                for form in ["line", "grid", "framed", "numbers", "csv", "jsonl"] {
                    let asked = json!({"grid": page, "form": form, "symbols": symbols});
                    let text = request::<Write>(asked).answer().unwrap()["text"].take();
                    let asked = json!({"text": text, "shape": shape, "symbols": symbols});
                    let found = request::<Read>(asked).answer().unwrap();
                    assert_eq!(found["grid"], page, "{shape}, {symbols}, {form}: {text}");
                }
            }
        }
    }

    #[test]
    fn candidates_missing_from_a_text_are_removed() {
        let mut state = State::from_puzzle(&EASY.parse().unwrap());
        // The third cell can be 1, 2 or 4. No clue rules out the 1.
        state.remove(2, 0);
        let found = read(&state.to_pencilmarks().to_string()).unwrap();
        assert_eq!(found["grid"]["removed"], json!([[2, 1]]));
        assert!(clues(&found).starts_with(&EASY[..40]));

        let cell = |cell: usize| {
            let digits = (0..9).filter(|&digit| state.has(cell, digit));
            let digits: String = digits.map(|digit| (digit + 1).to_string()).collect();
            state.value(cell).map_or(digits, |digit| digit.to_string())
        };
        let rows = |row: usize| (0..9).map(|column| cell(9 * row + column)).collect::<Vec<_>>().join(" ");
        let grid: Vec<String> = (0..9).map(rows).collect();
        let found = read(&grid.join("\n")).unwrap();
        assert_eq!(found["grid"]["removed"], json!([[2, 1]]));
    }

    #[test]
    fn the_first_readable_record_is_the_grid() {
        let found = read(&format!("{}\n{EASY}\n{EASY}\n", &EASY[1..])).unwrap();
        assert_eq!((clues(&found), &found["records"]), (EASY.to_owned(), &json!(3)));
    }

    #[test]
    fn faults_are_reported_with_their_line_and_column() {
        assert_eq!(
            message(&format!("# one\n{}\n", EASY.replace('9', "!"))),
            "line 2, column 14: '!' is neither digit nor blank"
        );
        assert!(message(&EASY[1..]).starts_with("line 1, column 81: 80 cells"));
        for nothing in ["", "\n\n", "# only a comment\n"] {
            assert_eq!(message(nothing), "there is no puzzle in the text");
        }
        assert!(message("id,name\n1,x\n").contains("line 1"));
        assert!(message("PK\x03\x04").contains("compressed"));
    }

    /// The reader must accept or refuse any text without a panic.
    #[test]
    fn garbage_does_not_panic() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let symbols: Vec<char> =
            "123456789.0 \n\r\t,;:|+-#[]{}\"abAGx*_\u{0}\u{e9}\u{2502}".chars().collect();
        for round in 0..40 {
            let len = rng.random_range(0..150);
            let text: String = (0..len).map(|_| symbols[rng.random_range(0..symbols.len())]).collect();
            let text = match round % 4 {
                0 => text,
                1 => format!("{{\"puzzle\": {text}}}"),
                2 => format!("puzzle,{text}\n{EASY}"),
                _ => text.repeat(4),
            };
            let _ = read(&text);
        }
        for _ in 0..40 {
            let bytes: Vec<u8> = (0..rng.random_range(0..200)).map(|_| rng.random()).collect();
            let _ = read(&String::from_utf8_lossy(&bytes));
            let mut changed: Vec<char> = EASY.repeat(2).chars().collect();
            changed[rng.random_range(0..162)] = symbols[rng.random_range(0..symbols.len())];
            let _ = read(&changed.iter().collect::<String>());
        }
        let _ = read(&"[".repeat(100_000));
        let _ = read(&"9".repeat(1 << 15));
    }

    #[test]
    fn grids_are_returned_in_the_form_that_the_page_sends() {
        let found = read(EASY).unwrap();
        assert_eq!(found["grid"], page(&grid("3x3", EASY)));
    }

    const FORMS: [&str; 9] =
        ["line", "grid", "framed", "sdk", "numbers", "csv", "jsonl", "hodoku", "pencilmarks"];

    fn write(grid: &Value, form: &str) -> Answer<String> {
        let written = request::<Write>(json!({"grid": grid, "form": form})).answer()?;
        Ok(written["text"].as_str().unwrap().to_owned())
    }

    #[test]
    fn written_grids_are_read_as_the_same_grids() {
        for (shape, line) in [
            ("2x2", &dataset("4x4.txt", 1)[0]),
            ("2x3", &dataset("6x6.txt", 1)[0]),
            ("3x3", &EASY.to_owned()),
            ("4x4", &dataset("16x16.txt", 1)[0]),
        ] {
            let page = page(&grid(shape, line));
            for form in
                FORMS.into_iter().filter(|form| shape == "3x3" || !["hodoku", "pencilmarks"].contains(form))
            {
                let text = write(&page, form).unwrap();
                assert!(text.ends_with('\n'));
                let found = read(&text).unwrap();
                assert_eq!((&found["grid"], &found["records"]), (&page, &json!(1)), "{form}: {text}");
            }
        }
    }

    #[test]
    fn entries_are_written_as_digits_and_candidates_as_pencilmarks() {
        let mut entries = vec![0; 81];
        entries[2] = 4;
        let clues = grid("3x3", EASY);
        let page = json!({
            "shape": "3x3", "clues": clues.cells(), "entries": entries, "removed": [[2, 4], [3, 2], [3, 5]],
        });
        assert!(write(&page, "line").unwrap().starts_with("534.7"));
        let marks = write(&page, "pencilmarks").unwrap();
        assert_eq!((marks.len(), &marks[18..36]), (730, "...4.....1.34.6789"));
        assert_eq!(read(&marks).unwrap()["grid"]["removed"], json!([[3, 2]]), "5 is in the row");
    }

    #[test]
    fn unsuitable_and_unknown_forms_are_refused() {
        let page = page(&grid("2x2", &".".repeat(16)));
        for form in ["hodoku", "pencilmarks"] {
            assert!(write(&page, form).unwrap_err().message.contains("9x9"));
        }
        let error =
            serde_json::from_value::<Write>(json!({"grid": page, "form": "x"})).unwrap_err().to_string();
        assert!(FORMS.iter().all(|form| error.contains(form)), "{error}");
    }

    #[test]
    fn texts_are_packed_and_unpacked() {
        let text = json!("{\"grid\": [[{\"value\": 5}, {}]]} µ 漢");
        let packed = request::<PackedText>(json!({ "text": text })).pack()["text"].take();
        assert_eq!(request::<PackedText>(json!({ "text": packed })).unpack()["text"], text);
        // A long text is refused, because it could fill the memory when it is unpacked.
        for text in ["N4I", "no packed text", &"N4Ig".repeat(LONGEST)] {
            assert_eq!(
                request::<PackedText>(json!({ "text": text })).unpack()["text"],
                Value::Null,
                "{text:.9}"
            );
        }
    }

    #[test]
    fn candidate_grids_omit_the_removed_candidates() {
        let text = |clues: &str, removed: Value| {
            let mut grid = page(&grid("3x3", clues));
            grid["removed"] = removed;
            let question: Write = request(json!({"grid": grid, "form": "candidates"}));
            question.answer().unwrap()["text"].as_str().unwrap().to_owned()
        };
        let (all, fewer) = (text(EASY, json!([])), text(EASY, json!([[2, 1], [2, 4]])));
        assert!(all.contains(" 124 ") && !fewer.contains(" 124 "), "{all}{fewer}");
        assert_eq!(read(&fewer).unwrap()["grid"]["clues"][2], 2);
        // Repeated digits leave cells without candidates, but the grid is still written.
        assert_eq!(text(&"1".repeat(81), json!([])).lines().count(), 13);
    }
}
