//! A puzzle as an argument, instead of a file.

use crate::program::{Scratch, gridmill, run};

const PUZZLE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const SOLUTION: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

#[test]
fn a_puzzle_can_be_given_instead_of_a_file() {
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
fn a_malformed_argument_is_reported_with_its_position() {
    let ran = run(gridmill().args(["solve", &PUZZLE[..80]]));
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.starts_with("<argument>:1:81: record 1: malformed: 80 cells where 81"), "{}", ran.err);
}

#[test]
fn puzzles_of_an_unclear_shape_or_alphabet_are_not_file_names() {
    let sixteen = format!("A{}", ".".repeat(255));
    let solve = |arguments: &[&str]| run(gridmill().args(["solve", "-q"]).args(arguments));
    let ran = solve(&["--alphabet", "1-9A-G", &sixteen]);
    assert_eq!((ran.code, ran.statuses()), (Some(0), vec!["multiple".to_owned()]), "{}", ran.err);
    let ran = solve(&["--shape", "2x5", "--alphabet", "0-9", &".".repeat(100)]);
    assert_eq!((ran.code, ran.statuses()), (Some(0), vec!["multiple".to_owned()]), "{}", ran.err);
    let ran = solve(&[&sixteen]);
    assert!(ran.code == Some(2) && ran.err.contains("choose --alphabet 1-9A-G or"), "{}", ran.err);
    let ran = solve(&["aaaaaaaaaaaaaaaa"]);
    assert!(ran.err.contains("aaaaaaaaaaaaaaaa: can't be opened"), "{}", ran.err);
}

#[test]
fn an_argument_can_hold_the_rows_of_a_grid() {
    let rows: Vec<&str> = (0..9).map(|row| &PUZZLE[row * 9..][..9]).collect();
    for mark in [" ", "/", ",", ";", "|", ", "] {
        let ran = run(gridmill().args(["solve", "-q", &rows.join(mark)]));
        assert_eq!((ran.code, ran.rows()[0][1].as_str()), (Some(0), SOLUTION), "{mark}");
        let mut rows = rows.clone();
        rows[2] = &rows[2][..8];
        let ran = run(gridmill().args(["solve", &rows.join(mark)]));
        assert_eq!(ran.code, Some(1), "{mark}");
        assert!(ran.err.contains("malformed: row 3 has 8 cells where 9 are needed"), "{}", ran.err);
    }
    for (rows, row) in
        [("1.2. .... ... ....", "row 3 has 3 cells where 4"), ("12.... .....", "can't be opened")]
    {
        let ran = run(gridmill().args(["solve", rows]));
        assert!(ran.err.contains(row), "{}", ran.err);
    }
    let ran = run(gridmill().args(["solve", "-q", "1.2. .... .... ...."]));
    assert_eq!(ran.statuses(), ["multiple"]);
}

#[test]
fn unquoted_rows_of_a_puzzle_get_one_message() {
    let rows = (0..9).map(|row| &PUZZLE[row * 9..][..9]);
    for command in ["solve", "verify"] {
        let ran = run(gridmill().arg(command).args(rows.clone()));
        assert_eq!((ran.code, ran.out.as_str(), ran.err.lines().count()), (Some(2), "", 1), "{}", ran.err);
        assert!(ran.err.contains("put the rows of a puzzle in quotes"), "{}", ran.err);
    }
}

#[test]
fn a_file_named_like_a_puzzle_is_read_as_a_file() {
    let scratch = Scratch::new();
    scratch.file(PUZZLE, "1.....3..4.....2\n");
    let ran = run(gridmill().current_dir(scratch.path("")).args(["solve", "-q", PUZZLE]));
    assert_eq!((ran.code, ran.rows()[0][0].as_str()), (Some(0), "1.....3..4.....2"));
}

#[test]
fn other_arguments_are_file_names() {
    let ran = run(gridmill().args(["solve", "puzzles"]));
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("puzzles: can't be opened"), "{}", ran.err);
}

/// A puzzle with three solutions.
const AMBIGUOUS: &str = "1.....3..4......";

#[test]
fn results_are_printed_as_grids_on_request() {
    let ran = run(gridmill().args(["solve", "-q", "--to", "grid", "1.....3..4.....2"]));
    let expected =
        "+-----+-----+\n| 1 3 | 2 4 |\n| 4 2 | 3 1 |\n+-----+-----+\n| 2 4 | 1 3 |\n| 3 1 | 4 2 |\n";
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.starts_with(expected) && ran.out.contains("\nunique, "), "{}", ran.out);
    let ran = run(gridmill().args(["count", "-q", "--to", "grid", AMBIGUOUS]));
    assert!(ran.out.contains("multiple: 3 solutions; all solutions share these cells, "), "{}", ran.out);
}

/// The expected cells are computed from the list of all solutions.
#[test]
fn counts_show_the_cells_that_all_solutions_share() {
    let listed = run(gridmill().args(["enumerate", "-q", AMBIGUOUS])).rows();
    let solutions: Vec<&[u8]> = listed.iter().map(|row| row[1].as_bytes()).collect();
    assert_eq!(solutions.len(), 3);
    let shared: String = (0..16)
        .map(|cell| {
            let is_shared = solutions.iter().all(|solution| solution[cell] == solutions[0][cell]);
            if is_shared { char::from(solutions[0][cell]) } else { '.' }
        })
        .collect();
    assert!(shared.contains('.'), "{shared}");
    for limit in ["0", "2"] {
        let ran = run(gridmill().args(["count", "-q", "--shared", "--limit", limit, AMBIGUOUS]));
        assert_eq!((ran.code, ran.rows()[0][2].as_str()), (Some(0), shared.as_str()));
    }
    let none = run(gridmill().args(["count", "-q", "--shared", "123........4...."])).rows().remove(0);
    assert_eq!(none[1..4], ["0", "", "none"]);
    let json = run(gridmill().args(["count", "-q", "--shared", "--to", "jsonl", AMBIGUOUS])).out;
    assert!(json.contains(&format!("\"shared\":\"{shared}\"")), "{json}");
    let pencilmarks = "123456789".repeat(81);
    let refused = run(gridmill().args(["count", "-q", "--shared", &pencilmarks]));
    assert!(refused.code == Some(2) && refused.err.contains("gridmill candidates"), "{}", refused.err);
}

#[test]
fn grids_show_whether_a_count_is_complete() {
    for (options, expected) in [
        (["--limit", "2"], "\nmultiple: at least 2 solutions; all solutions share these cells, "),
        (["--limit", "4"], "\nmultiple: 3 solutions; all solutions share these cells, "),
        (
            ["--limit", "1"],
            "\nsolved: a solution; others were not looked for; all solutions share these cells, ",
        ),
        (["--budget-guesses", "1"], "\nbudget: gave up after "),
    ] {
        let ran = run(gridmill().args(["count", "-q", "--to", "grid", AMBIGUOUS]).args(options));
        assert!(ran.out.contains(expected), "{options:?}: {}", ran.out);
    }
}

#[test]
fn shared_cells_are_empty_if_the_budget_runs_out() {
    let shared = |puzzle: &str, options: &[&str]| {
        let ran = run(gridmill().args(["count", "-q", "--shared", puzzle]).args(options));
        ran.rows()[0][1..4].to_vec()
    };
    let all = shared(AMBIGUOUS, &[]);
    for budget in [["--budget-guesses", "0"], ["--budget-time", "0"]] {
        let found = shared(AMBIGUOUS, &budget);
        assert_eq!((found[1].as_str(), found[2].as_str()), ("", "budget"), "{budget:?}");
    }
    assert_eq!(shared(AMBIGUOUS, &["--budget-guesses", "1000000"]), all);
    let none = ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4.........";
    assert_eq!(shared(none, &["--budget-guesses", "0"]), ["0", "", "budget"]);
}

#[test]
fn changes_lists_the_cells_that_differ_from_the_first_solution() {
    let rows = run(gridmill().args(["enumerate", "-q", "--changes", AMBIGUOUS])).rows();
    let first = rows[0][1].clone();
    for row in rows {
        let changed: String = row[1]
            .chars()
            .zip(first.chars())
            .map(|(now, then)| if now == then { '.' } else { now })
            .collect();
        assert_eq!(row[2], changed);
    }
}
