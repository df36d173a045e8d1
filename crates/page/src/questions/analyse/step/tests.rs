//! Steps as the page applies them.

use gridmill_core::grid::Grid;
use serde_json::{Value, json};

use super::*;
use crate::questions::asking::{dataset, events, grid, named, request};

const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// A grid as the page has it.
struct Page {
    clues: Grid,
    entries: Vec<u8>,
    removed: Vec<Value>,
}

impl Page {
    fn of(line: &str) -> Page {
        Page { clues: grid("3x3", line), entries: vec![0; 81], removed: Vec::new() }
    }

    fn ask(&self, wants: &[&str]) -> Vec<Value> {
        let grid = json!({
            "shape": "3x3", "clues": self.clues.cells(), "entries": self.entries, "removed": self.removed,
        });
        let question = json!({"grid": grid, "cap": 2, "candidate_cap": 1, "wants": wants});
        let question: crate::questions::Analyse = request(question);
        let (events, ended) = events(|reply| question.answer(reply));
        assert_eq!(ended, Ok(()));
        events
    }

    fn step(&self) -> Value {
        named(&self.ask(&["step"]), "step").next().unwrap().clone()
    }

    /// Applies a step.
    fn apply(&mut self, step: &Value) {
        match step["placed"].as_array() {
            Some(placed) => {
                let [cell, digit] = [0, 1].map(|at| placed[at].as_u64().unwrap() as usize);
                self.entries[cell] = digit as u8;
            }
            None => self.removed.extend(step["removed"].as_array().unwrap().iter().cloned()),
        }
    }
}

#[test]
fn steps_lead_to_the_solution_with_the_rating_of_the_puzzle() {
    let mut lines = dataset("minimal.txt", 8);
    lines.push(EASY.to_owned());
    let mut removed = 0;
    for line in lines {
        let mut page = Page::of(&line);
        let events = page.ask(&["rating"]);
        let rating = named(&events, "rating").next().unwrap()["er"].as_f64().unwrap();
        let mut hardest: f64 = 0.0;
        loop {
            let event = page.step();
            let Some(first) = event["steps"].get(0) else { break };
            hardest = hardest.max(first["rating"].as_f64().unwrap());
            event["steps"].as_array().unwrap().iter().for_each(|step| page.apply(step));
        }
        let full: Vec<u8> = (0..81).map(|cell| page.clues.cells()[cell].max(page.entries[cell])).collect();
        let solution = &named(&events, "solution").next().unwrap()["digits"];
        assert_eq!((hardest, &json!(full)), (rating, solution), "{line}");
        removed += page.removed.len();
    }
    assert!(removed > 0, "no puzzle needs more than singles");
}

#[test]
fn a_step_names_the_cells_of_its_houses() {
    let event = Page::of(EASY).step();
    let houses = |step: &Value| -> Vec<(String, usize)> {
        let names = step["houses"].as_array().unwrap();
        let cells = step["house_cells"].as_array().unwrap();
        assert_eq!(names.len(), cells.len());
        let first = |cells: &Value| {
            assert_eq!(cells.as_array().unwrap().len(), 9);
            cells[0].as_u64().unwrap() as usize
        };
        names.iter().map(|name| name.as_str().unwrap().to_owned()).zip(cells.iter().map(first)).collect()
    };
    for step in event["steps"].as_array().unwrap() {
        for (name, first) in houses(step) {
            let (kind, number) = name.split_once(' ').unwrap();
            let number = number.parse::<usize>().unwrap() - 1;
            let expected = match kind {
                "row" => 9 * number,
                "column" => number,
                _ => number / 3 * 27 + number % 3 * 3,
            };
            assert_eq!(first, expected, "{name}");
        }
    }
}

#[test]
fn a_cell_with_one_candidate_is_not_filled_before_its_step() {
    let puzzle = grid("3x3", EASY).to_classic().unwrap();
    // The solution has a 4 in the third cell, which may hold 1, 2 and 4.
    let state = state(&puzzle, &puzzle, &[(2, 0), (2, 1)]);
    assert_eq!((state.value(2), state.candidates(2)), (None, 0b1000));
    let mut page = Page::of(EASY);
    page.removed = vec![json!([2, 1]), json!([2, 2])];
    for _ in 0..81 {
        let event = page.step();
        let steps = event["steps"].as_array().unwrap();
        if steps.iter().any(|step| step["placed"] == json!([2, 4])) {
            return;
        }
        steps.iter().for_each(|step| page.apply(step));
    }
    panic!("there is no step for the cell");
}

#[test]
fn a_candidate_that_the_solution_needs_is_missed() {
    let mut page = Page::of(EASY);
    page.removed = vec![json!([2, 4])];
    let event = page.step();
    assert_eq!((&event["steps"], &event["note"]), (&json!([]), &json!(WRONG)));
    page.entries[2] = 4;
    assert!(!page.step()["steps"].as_array().unwrap().is_empty());
}

#[test]
fn a_wrong_entry_leaves_the_rating_of_the_clues_and_no_step() {
    let mut page = Page::of(EASY);
    page.entries[2] = 1;
    let events = page.ask(&["redundant", "rating", "step"]);
    assert_eq!(named(&events, "count").next().unwrap()["verdict"], "none");
    assert_eq!(named(&events, "rating").next().unwrap()["er"], 1.2);
    assert_eq!(named(&events, "redundant").count(), 1);
    assert_eq!(named(&events, "step").count(), 0);
}

#[test]
fn entries_that_make_a_puzzle_proper_have_steps_but_no_rating() {
    let mut page = Page::of(&EASY.replace(['5', '7'], "."));
    page.entries = grid("3x3", EASY).cells().to_vec();
    let events = page.ask(&["redundant", "rating", "step"]);
    assert_eq!(named(&events, "rating").count() + named(&events, "redundant").count(), 0);
    assert!(!named(&events, "step").next().unwrap()["steps"].as_array().unwrap().is_empty());
}
