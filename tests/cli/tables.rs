//! CSV files whose columns, separators and cells are not the usual ones.

use std::path::Path;

use crate::program::{Ran, Scratch, gridmill, run};

const PUZZLE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
const WRONG: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286197";

fn on(command: &str, file: &Path, arguments: &[&str]) -> Ran {
    run(gridmill().arg(command).arg(file).args(arguments))
}

fn assert_refused(ran: &Ran, parts: &[&str]) {
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
    for part in parts {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
}

#[test]
fn of_two_solution_columns_one_must_be_chosen() {
    let scratch = Scratch::new();
    let table = format!("puzzle,solutions,solution\n{PUZZLE},{WRONG},{SOLVED}\n");
    let file = scratch.file("a.csv", table);
    let columns = "solutions (column 2), solution (column 3)";
    assert_refused(&on("check", &file, &[]), &["a.csv", columns, "--solution-column"]);
    for (column, code) in [("solutions", 1), ("solution", 0), ("2", 1), ("3", 0)] {
        let ran = on("check", &file, &["--solution-column", column]);
        assert_eq!(ran.code, Some(code), "{column}: {}", ran.err);
    }
}

#[test]
fn of_two_puzzle_columns_one_must_be_chosen() {
    let scratch = Scratch::new();
    let other = PUZZLE.replacen("53", "..", 1);
    for header in ["puzzle,quizzes", "puzzle,puzzle"] {
        let file = scratch.file("a.csv", format!("{header}\n{PUZZLE},{other}\n"));
        for command in ["solve", "verify", "stats", "dedupe", "select", "canon"] {
            assert_refused(&on(command, &file, &[]), &["a.csv", "(column 1), ", "--puzzle-column"]);
        }
        for (column, puzzle) in [("1", PUZZLE), ("2", &other)] {
            let ran = on("enumerate", &file, &["--puzzle-column", column]);
            let direct = run(gridmill().args(["enumerate", "-"]).write_stdin(format!("{puzzle}\n")));
            assert_eq!((ran.out, ran.code), (direct.out, direct.code), "{header}");
        }
    }
}

#[test]
fn help_lists_the_known_names_of_columns() {
    for command in ["solve", "check", "dedupe", "overlap"] {
        let help =
            run(gridmill().args([command, "--help"])).out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            help.contains("puzzle, puzzles, quizzes, quiz, question, sudoku, grid or board"),
            "{command}"
        );
    }
    let help = run(gridmill().args(["check", "--help"])).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("solution, solutions, answer, answers, solved, solved_puzzle or result"));
}
