//! `--budget-guesses` and `--budget-time`: the search for a puzzle that takes too long is stopped, and the
//! rest of the file is processed.

use crate::common;
use crate::common::grids::{clues_of, random_full, shape};
use crate::program::{Ran, Scratch, gridmill, run, untimed};
use gridmill_data::text::Alphabet;

/// 25x25 puzzles with their solutions: one that needs more than any budget here, between two that need no
/// guess. Time budgets are 0 in these tests, because then a search ends at its first guess on any machine.
fn endless_between_easy() -> [(String, String); 3] {
    let (shape, mut rng) = (shape(5, 5), common::rng(29));
    let alphabet: Alphabet = "A-Y".parse().unwrap();
    [500, 250, 500].map(|clues| {
        let full = random_full(shape, &mut rng);
        let puzzle = clues_of(shape, &full, clues, &mut rng);
        (alphabet.write(puzzle.cells()), alphabet.write(&full))
    })
}

fn lines() -> String {
    endless_between_easy().map(|(puzzle, _)| puzzle + "\n").concat()
}

/// Runs a command with its options on the endless puzzle between the easy ones.
fn within_budget(command: &str, options: &str) -> Ran {
    let scratch = Scratch::new();
    let file = match command {
        "check" => {
            let rows = endless_between_easy().map(|(puzzle, solution)| format!("{puzzle},{solution}\n"));
            scratch.file("p.csv", format!("puzzle,solution\n{}", rows.concat()))
        }
        _ => scratch.file("p.txt", lines()),
    };
    run(gridmill().arg(command).arg(file).args(options.split_whitespace()))
}

#[test]
fn every_command_gives_up_the_endless_puzzle_and_continues() {
    for (command, options) in [
        ("solve", "--columns status"),
        ("solve", "--first --columns status"),
        ("count", "--columns status"),
        ("count", "--shared --limit 2 --columns status"),
        ("verify", "--all --columns verdict -o -"),
        ("check", "--all --columns verdict -o -"),
        ("minimal", "--columns status"),
        ("backdoors", "--columns status"),
    ] {
        for budget in ["--budget-guesses 300", "--budget-time 0"] {
            let ran = within_budget(command, &format!("{options} {budget}"));
            let found: Vec<&str> = ran.out.lines().skip(1).collect();
            let easy = match (command, options) {
                ("check", _) => "ok",
                ("minimal", _) => "redundant",
                (_, options) if options.contains("--first") => "solved",
                _ => "unique",
            };
            assert_eq!(found, [easy, "budget", easy], "{command} {options} {budget}: {}", ran.err);
            assert_eq!(ran.code, Some(1), "{command} {options} {budget}");
            assert!(ran.err.contains("budget "), "{}", ran.err);
        }
    }
}

#[test]
fn a_puzzle_over_budget_has_no_candidates_or_listed_solutions() {
    let ran = within_budget("candidates", "--budget-guesses 300");
    let rows = ran.rows();
    assert_eq!((ran.code, rows[1][1].as_str(), rows[1][2].as_str()), (Some(1), "", "budget"));
    assert_eq!((rows[2][1].len(), rows[2][2].as_str()), (15625, "unique"));
    let ran = within_budget("enumerate", "--budget-guesses 300");
    let records: Vec<String> = ran.rows().iter().map(|row| row[0].clone()).collect();
    assert_eq!((ran.code, records), (Some(1), vec!["1".to_owned(), "3".to_owned()]));
    assert!(ran.err.contains("            budget                 1   33.33 %\n"), "{}", ran.err);
}

/// The empty grid of 16x16 has more solutions than any list can hold.
#[test]
fn a_budget_ends_a_list_at_the_same_solution_in_any_batch() {
    let scratch = Scratch::new();
    let blank = ".".repeat(256);
    let file = scratch.file("p.txt", format!("{blank}\n{blank}\n"));
    let list = |options: &[&str]| {
        run(gridmill()
            .arg("enumerate")
            .arg(&file)
            .args(["--alphabet", "1-9A-G", "--budget-guesses", "600", "-q"])
            .args(options))
    };
    let listed = list(&[]);
    let of_first = listed.rows().iter().filter(|row| row[0] == "1").count();
    assert!(listed.code == Some(1) && of_first > 0 && listed.rows().len() == 2 * of_first);
    for options in [&["-t", "1"][..], &["--backend", "portable"], &["--chunk-bytes", "100"]] {
        assert_eq!(list(options).out, listed.out, "{options:?}");
    }
}

#[test]
fn minimizing_one_large_puzzle_ends_at_its_budget() {
    for budget in ["--budget-guesses 300", "--budget-time 0"] {
        let ran = within_budget("minimize", budget);
        assert_eq!((ran.code, ran.rows()[0][2].as_str()), (Some(1), "budget"));
        assert!(ran.rows()[0][3].parse::<usize>().unwrap() < 500);
        assert_eq!(ran.rows()[1][1..], ["", "budget", ""]);
    }
}

#[test]
fn a_budget_of_guesses_gives_the_same_rows_in_every_run() {
    let scratch = Scratch::new();
    let shape = shape(4, 4);
    let alphabet: Alphabet = "1-9A-G".parse().unwrap();
    let mut rng = common::rng(30);
    let puzzle = |clues| clues_of(shape, &random_full(shape, &mut rng), clues, &mut rng);
    let puzzles = [200, 70, 110, 70, 200, 90].repeat(5).into_iter().map(puzzle);
    let lines: Vec<String> = puzzles.map(|puzzle| alphabet.write(puzzle.cells())).collect();
    let file = scratch.file("p.txt", lines.join("\n"));
    for command in ["solve", "count", "minimize"] {
        let ran = |options: &[&str]| {
            let budget = ["--alphabet", "1-9A-G", "--budget-guesses", "8", "-q"];
            run(gridmill().arg(command).arg(&file).args(budget).args(options))
        };
        let rows = untimed(&ran(&[]).out);
        assert!(rows.contains(",budget") && (command == "minimize" || rows.contains(",unique,")), "{rows}");
        assert_eq!(untimed(&ran(&["-t", "1", "--chunk-bytes", "300"]).out), rows, "{command}");
        if command != "minimize" {
            assert_eq!(untimed(&ran(&["--backend", "portable", "-t", "3"]).out), rows, "{command}");
        }
    }
}

#[test]
fn json_rows_and_the_summary_report_the_budget_status() {
    let scratch = Scratch::new();
    let objects = endless_between_easy().map(|(puzzle, _)| format!("{{\"puzzle\":\"{puzzle}\"}}\n"));
    let (file, summary) = (scratch.file("p.jsonl", objects.concat()), scratch.path("s.json"));
    let ran =
        run(gridmill().arg("solve").arg(file).args(["--budget-guesses", "300", "--summary"]).arg(&summary));
    let second = ran.out.lines().nth(1).unwrap();
    assert!(second.contains("\"status\":\"budget\",\"guesses\":300,"), "{second}");
    assert!(std::fs::read_to_string(summary).unwrap().contains("\"budget\": 1,"));
}
