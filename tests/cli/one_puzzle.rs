//! A puzzle as the argument itself.

use crate::program::{Scratch, gridmill, run};

const PUZZLE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const SOLUTION: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

#[test]
fn a_puzzle_stands_in_place_of_a_file() {
    let rows: Vec<&str> = (0..9).map(|row| &PUZZLE[row * 9..][..9]).collect();
    for puzzle in [PUZZLE, &rows.join("\n")] {
        let ran = run(gridmill().args(["solve", "-q", puzzle]));
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert_eq!(ran.rows()[0][..3], [PUZZLE, SOLUTION, "unique"]);
    }
    let ran = run(gridmill().args(["count", "-q", "1.....3..4.....2"]));
    assert_eq!((ran.code, ran.rows()[0][1].as_str()), (Some(0), "1"));
    let table = run(gridmill().args(["verify", PUZZLE])).err;
    assert!(table.contains("<argument>"), "{table}");
}

#[test]
fn a_puzzle_with_a_mistake_is_told_where() {
    let ran = run(gridmill().args(["solve", &PUZZLE[..80]]));
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.starts_with("<argument>:1:81: record 1: malformed: 80 cells where 81"), "{}", ran.err);
}

#[test]
fn a_file_of_that_name_is_read() {
    let scratch = Scratch::new();
    scratch.file(PUZZLE, "1.....3..4.....2\n");
    let ran = run(gridmill().current_dir(scratch.path("")).args(["solve", "-q", PUZZLE]));
    assert_eq!((ran.code, ran.rows()[0][0].as_str()), (Some(0), "1.....3..4.....2"));
}

#[test]
fn other_names_are_those_of_files() {
    let ran = run(gridmill().args(["solve", "puzzles"]));
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("puzzles: can't be opened"), "{}", ran.err);
}
