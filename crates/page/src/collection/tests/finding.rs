//! Searches for texts and puzzles.

use gridmill_core::grid::{Isomorphism, Puzzle, Shape};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::{Value, json};

use super::helpers::{PUZZLE, Shown, file, open};

/// Asks for the rows of a filter until its search is complete, and returns their numbers.
fn found(shown: &Shown, filter: &Value) -> Vec<u64> {
    loop {
        let answer = shown.try_rows(json!({"filter": filter, "from": 0, "count": 200})).unwrap();
        if answer["unsearched"] == 0 {
            let rows = answer["rows"].as_array().unwrap().iter();
            let found: Vec<u64> = rows.map(|row| row["row"].as_u64().unwrap()).collect();
            return found;
        }
    }
}

fn puzzle(line: &str, isomorphic: bool) -> Value {
    let clues: Vec<u32> = line.chars().map(|cell| cell.to_digit(10).unwrap_or(0)).collect();
    json!({"puzzle": {"shape": "3x3", "clues": clues, "isomorphic": isomorphic}})
}

#[test]
fn texts_and_puzzles_are_found_in_files_of_all_formats() {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let twin =
        Isomorphism::random(Shape::CLASSIC, &mut rng).apply_classic(&PUZZLE.parse::<Puzzle>().unwrap());
    let other = PUZZLE.replacen('5', ".", 1);
    let table: String = (0..9000).map(|id| format!("Ab{id},{other}\n")).collect();
    let rows: String = (0..9).map(|row| format!("{}\n", &PUZZLE[row * 9..][..9])).collect();
    let shown = open(&[
        &file(&folder, "table.csv", format!("id,puzzle\n{table}x,{twin}\ny,{PUZZLE}\n")),
        &file(&folder, "rows.txt", rows),
        &file(&folder, "lines.txt", format!("{PUZZLE} by hand\nno puzzle by hand\n{PUZZLE}\n")),
        &file(&folder, "small.txt", "42........21....\n"),
    ]);
    assert_eq!(found(&shown, &json!({"find": "ab8999"})), [8999]);
    assert_eq!(found(&shown, &json!({"find": "BY HAND"})), [9003, 9004]);
    assert_eq!(found(&shown, &json!({"find": "by hand", "status": ["malformed"]})), [9004]);
    assert_eq!(found(&shown, &json!({"find": "not there"})), [0_u64; 0]);
    assert_eq!(found(&shown, &puzzle(PUZZLE, false)), [9001, 9002, 9003, 9005]);
    assert_eq!(found(&shown, &puzzle(PUZZLE, true)), [9000, 9001, 9002, 9003, 9005]);
    assert_eq!(found(&shown, &puzzle(&twin.to_string(), false)), [9000]);
    let small = json!({"shape": "2x2", "clues": [4, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0], "isomorphic": true});
    assert_eq!(found(&shown, &json!({"puzzle": small})), [9006]);
}

#[test]
fn what_comes_later_is_found_too() {
    let folder = tempfile::tempdir().unwrap();
    let shown = open(&[&file(&folder, "one.txt", format!("{PUZZLE}\n"))]);
    let filter = puzzle(PUZZLE, true);
    assert_eq!(found(&shown, &filter), [0]);
    let text = std::io::Cursor::new(format!("\n{PUZZLE}\n"));
    shown.collection.take_in("two.txt", text).unwrap();
    shown.wait_for(|state| state["records"] == 2 && state["is_indexed"] == true);
    assert_eq!(found(&shown, &filter), [0, 1]);
}

#[test]
fn searches_that_make_no_sense_are_refused() {
    let shown = open(&[]);
    for (filter, words) in [
        (json!({"find": " "}), "nothing to find"),
        (json!({"puzzle": {"shape": "3x3", "clues": [1], "isomorphic": false}}), "not whole"),
        (json!({"puzzle": {"shape": "x", "clues": [1], "isomorphic": false}}), "not whole"),
        (json!({"puzzle": {"shape": "4x4", "clues": vec![0; 256], "isomorphic": true}}), "up to 9x9"),
    ] {
        let refusal = shown.try_rows(json!({"filter": filter, "from": 0, "count": 1})).unwrap_err();
        assert!(refusal.message.contains(words), "{refusal:?}");
    }
}
