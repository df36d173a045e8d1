//! Puzzles as they are wished for.

use gridmill_core::grid::{Grid, Symmetry};
use gridmill_core::solver::{Bounds, DancingLinks, GridSolver};
use serde_json::{Value, json};

use super::*;
use crate::questions::tests::{ends_with_its_reader, events, named, next, request};

fn ask(wishes: Value) -> (Vec<Value>, Result<(), Refusal>) {
    let question: Generate = request(wishes);
    events(|reply| question.answer(reply))
}

/// Returns the event of the puzzle, and its clues, which are proper.
fn made(wishes: Value) -> (Value, Grid) {
    let (mut events, ended) = ask(wishes.clone());
    assert_eq!(ended, Ok(()), "{wishes}");
    let puzzle = events.pop().unwrap();
    assert_eq!(puzzle["event"], "puzzle");
    assert_eq!(named(&events, "attempts").count(), events.len());
    let clues: Vec<u8> = serde_json::from_value(puzzle["grid"]["clues"].clone()).unwrap();
    let grid = Grid::new(puzzle["grid"]["shape"].as_str().unwrap().parse().unwrap(), clues).unwrap();
    assert_eq!(DancingLinks::new().count(&grid, &Bounds::solutions(2)).solutions, 1, "{wishes}");
    (puzzle, grid)
}

fn refused(wishes: Value) -> String {
    let (events, ended) = ask(wishes);
    assert_eq!(named(&events, "puzzle").count(), 0);
    ended.unwrap_err().message
}

#[test]
fn shapes_and_clues_are_as_wanted() {
    for (shape, clues) in [("2x2", [6, 7]), ("2x3", [14, 14]), ("3x2", [15, 16]), ("3x3", [30, 31])] {
        let (puzzle, grid) = made(json!({"shape": shape, "clues": clues, "seed": 5}));
        assert!((clues[0]..=clues[1]).contains(&grid.clue_count()), "{grid}");
        assert_eq!((&puzzle["grid"]["shape"], &puzzle["seed"]), (&json!(shape), &json!(5)));
        assert_eq!(puzzle["er"], Value::Null);
    }
    let (_, grid) = made(json!({"shape": "4x4", "clues": [130, null], "seed": 1}));
    assert!(grid.clue_count() >= 130);
}

#[test]
fn a_seed_gives_the_same_puzzle_and_without_one_the_seed_is_told() {
    let (first, grid) = made(json!({"shape": "3x3", "seed": null, "clues": null, "technique": null}));
    let (again, same) = made(json!({"shape": "3x3", "seed": first["seed"]}));
    assert_eq!((first, grid), (again, same));
}

#[test]
fn symmetries_and_minimal_puzzles_are_made() {
    for symmetry in Symmetry::ALL {
        let (_, grid) = made(json!({"shape": "3x3", "symmetry": symmetry.name(), "seed": 2}));
        assert!(symmetry.is_of_cells(grid.shape(), grid.cells()));
    }
    let (_, grid) = made(json!({"shape": "2x3", "minimal": true, "symmetry": "none", "seed": 2}));
    for cell in (0..36).filter(|&cell| grid.cells()[cell] != 0) {
        let mut fewer = grid.cells().to_vec();
        fewer[cell] = 0;
        let fewer = Grid::new(grid.shape(), fewer).unwrap();
        assert_eq!(DancingLinks::new().count(&fewer, &Bounds::solutions(2)).solutions, 2);
    }
}

#[test]
fn clues_lie_by_a_pattern() {
    let pattern = "x.1|.x|\n|..|x.|\n|.x|..|\n|x.|.x";
    let (_, grid) = made(json!({"shape": "2x2", "pattern": "x1.. .xx. x..x ..x.", "seed": 1}));
    let lies: Vec<bool> = grid.cells().iter().map(|&clue| clue != 0).collect();
    let wanted: Vec<bool> = "x1...xx.x..x..x.".chars().map(|symbol| symbol != '.').collect();
    assert_eq!((lies, grid.cells()[1]), (wanted, 1));
    assert!(refused(json!({"shape": "3x3", "pattern": pattern})).contains("cells where 81 are needed"));
    let error =
        serde_json::from_value::<Generate>(json!({"shape": "3x3", "pattern": "@/etc/passwd"})).unwrap_err();
    assert!(error.to_string().contains("'@' is neither x, for a clue"), "{error}");
}

#[test]
fn puzzles_are_as_hard_as_wanted() {
    let (puzzle, _) = made(json!({"shape": "3x3", "guesses": [1, null], "seed": 3}));
    assert!(puzzle["guesses"].as_u64().unwrap() >= 1);
    let (puzzle, _) = made(json!({"shape": "3x3", "no_guess": true, "seed": 3}));
    assert_eq!(puzzle["guesses"], 0);
    let (puzzle, _) = made(json!({"shape": "3x3", "er": [1.2, 2.3], "scale": "se", "seed": 3}));
    assert!((1.2..=2.3).contains(&puzzle["er"].as_f64().unwrap()));
    let wishes = json!({"shape": "3x3", "technique": ["pointing", "claiming"], "er": [null, 2.8], "seed": 3});
    let (puzzle, _) = made(wishes);
    assert!((2.6..=2.8).contains(&puzzle["er"].as_f64().unwrap()));
}

#[test]
fn grid_methods_are_known_by_their_names() {
    for method in GridMethod::ALL {
        made(json!({"shape": "3x3", "grid_method": method.name(), "seed": 1}));
    }
    assert!(refused(json!({"shape": "2x2", "grid_method": "bands"})).contains("for 9x9 only"));
    let error = serde_json::from_value::<Generate>(json!({"shape": "3x3", "grid_method": "x"})).unwrap_err();
    assert!(error.to_string().contains("bands, backtracking, transform, diagonal"), "{error}");
}

#[test]
fn what_cannot_be_is_told_in_sentences() {
    for (wishes, words) in [
        (json!({"shape": "3x3", "clues": [10, 16]}), "no puzzle with fewer than 17 clues"),
        (json!({"shape": "3x3", "clues": [30, 20]}), "30 to 20"),
        (json!({"shape": "3x3", "clues": [30, 100]}), "30 to 100"),
        (json!({"shape": "3x3", "guesses": [3, 2]}), "3 to 2"),
        (json!({"shape": "3x3", "er": [4.0, 3.0]}), "4.0 to 3.0"),
        (json!({"shape": "3x3", "er": [4.25, 5]}), "is no rating"),
        (json!({"shape": "3x3", "er": [-1, 5]}), "is no rating"),
        (json!({"shape": "2x2", "er": [1, 5]}), "ratings are for 9x9"),
        (json!({"shape": "5x5"}), "from 4x4 to 16x16"),
        (json!({"shape": "3x3", "attempts": 0}), "count from 1"),
        (json!({"shape": "3x3", "clues": [17, 17], "attempts": 2}), "none in 2 attempts"),
    ] {
        let message = refused(wishes.clone());
        assert!(message.contains(words) && !message.contains("--"), "{wishes}: {message}");
    }
}

#[test]
fn attempts_are_told_until_the_reader_goes() {
    let question: Generate = request(json!({"shape": "3x3", "clues": [17, 17], "attempts": 1_000_000_000}));
    ends_with_its_reader(
        move |reply| question.answer(reply),
        |lines| {
            for _ in 0..2 {
                let event = next(lines);
                assert!(event["event"] == "attempts" && event["attempts"].is_u64());
            }
        },
    );
}
