//! Texts of every format, and texts of none.

use gridmill_core::grid::Grid;
use gridmill_core::logic::State;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use super::*;
use crate::questions::tests::{dataset, grid, page, request};

const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

fn read(text: &str) -> Result<Value, Refusal> {
    request::<Read>(json!({ "text": text })).answer().map(|found| serde_json::to_value(found).unwrap())
}

fn message(text: &str) -> String {
    read(text).unwrap_err().message
}

/// Returns the clues of the first puzzle as a line.
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
        let (_, layout) = layout(text.as_bytes(), None).unwrap();
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
    for (file, shape) in [("4x4.txt", "2x2"), ("6x6.txt", "2x3"), ("16x16.txt", "4x4")] {
        let lines = dataset(file, 20);
        let found = read(&lines.join("\n")).unwrap();
        assert_eq!((&found["grid"]["shape"], clues(&found)), (&json!(shape), lines[0].clone()));
        assert_eq!(found["records"], 20);
    }
}

#[test]
fn what_a_text_leaves_open_is_decided() {
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
fn candidates_that_clues_leave_are_taken_out() {
    let mut state = State::of_puzzle(&EASY.parse().unwrap());
    // The third cell may hold 1, 2 and 4, and its peers say nothing about that.
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
    let shown: Vec<String> = (0..9).map(rows).collect();
    let found = read(&shown.join("\n")).unwrap();
    assert_eq!(found["grid"]["removed"], json!([[2, 1]]));
}

#[test]
fn the_first_record_that_can_be_read_is_the_grid() {
    let found = read(&format!("{}\n{EASY}\n{EASY}\n", &EASY[1..])).unwrap();
    assert_eq!((clues(&found), &found["records"]), (EASY.to_owned(), &json!(3)));
}

#[test]
fn faults_are_told_with_their_places() {
    assert_eq!(
        message(&format!("# one\n{}\n", EASY.replace('9', "!"))),
        "line 2, column 14: '!' is neither digit nor blank"
    );
    assert!(message(&EASY[1..]).starts_with("line 1, column 81: 80 cells"));
    for nothing in ["", "\n\n", "# only a comment\n"] {
        assert_eq!(message(nothing), "there is no puzzle in the text");
    }
    assert!(message("id,name\n1,x\n").contains("line 1"));
    assert!(message(&"1".repeat(625)).contains("from 4x4 to 16x16"), "{}", message(&"1".repeat(625)));
    assert!(message("PK\x03\x04").contains("compressed"));
}

/// Whatever the text, there is an answer.
#[test]
fn garbage_is_answered() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let symbols: Vec<char> = "123456789.0 \n\r\t,;:|+-#[]{}\"abAGx*_\u{0}\u{e9}\u{2502}".chars().collect();
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
fn what_is_read_is_what_the_page_sends() {
    let found = read(EASY).unwrap();
    assert_eq!(found["grid"], page(&grid("3x3", EASY)));
}
