//! The programs of `examples/`. Each is run, and must print the expected text.

use gridmill_core::{Puzzle, Solution};

#[allow(dead_code)]
#[path = "../../examples/count.rs"]
mod count;
#[allow(dead_code)]
#[path = "../../examples/own_engine.rs"]
mod own_engine;
#[allow(dead_code)]
#[path = "../../examples/solve_slice.rs"]
mod solve_slice;
#[allow(dead_code)]
#[path = "../../examples/stream_file.rs"]
mod stream_file;

#[test]
fn a_slice_is_solved() {
    let text = solve_slice::run().unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "2000 puzzles, 2000 with one solution, 1856 guesses");
    let [puzzle, solution] = [lines[1], lines[2]].map(|line| line.parse::<Puzzle>().unwrap());
    assert!(Solution::from_cells(*solution.cells()).unwrap().solves(&puzzle));
}

#[test]
fn a_file_is_streamed() {
    let expected = "datasets/fixtures/train.csv:22:84: record 21: malformed: 80 cells where 81 are needed\n\
        502 clues\n\
        id,puzzle,solution,note,gridmill_solution,status,guesses,time_ns\n\
        23 rows, 1178 guesses\n";
    assert_eq!(stream_file::run().unwrap(), expected);
}

#[test]
fn solutions_are_counted() {
    assert_eq!(count::run().unwrap(), "288 grids of 4x4\n1000 solutions of datasets/6x6.txt\n");
}

#[test]
fn a_custom_engine_is_measured() {
    let text = own_engine::run().unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("fewest-digits "), "{text}");
    assert!(lines[0].ends_with(" puzzles a second, 779 guesses"), "{text}");
    assert!(lines[1].starts_with("bitmask "), "{text}");
    assert!(lines[1].ends_with(" puzzles a second, 0 guesses"), "{text}");
}
