//! Several files in one call, for the commands that make one table of them.

use std::path::PathBuf;

use crate::common::{as_lines, mixed_puzzles};
use crate::program::{Ran, Scratch, gridmill, run, solve, untimed};

/// Puzzles in three files, one of them without a line end and one of comments only, and in a single one.
fn parts(scratch: &Scratch) -> (Vec<PathBuf>, PathBuf) {
    let lines = as_lines(&mixed_puzzles(900, 8));
    let all: Vec<&str> = lines.lines().collect();
    let files = vec![
        scratch.file("a.txt", all[..500].join("\n")),
        scratch.file("b.txt", "# nothing\n"),
        scratch.file("c.txt", format!("# the rest\n{}\n", all[500..].join("\n"))),
    ];
    (files, scratch.file("all.txt", &lines))
}

fn command(arguments: &[&str], files: &[PathBuf]) -> Ran {
    run(gridmill().args(arguments).args(files))
}

#[test]
fn several_files_are_as_one() {
    let scratch = Scratch::new();
    let (files, all) = parts(&scratch);
    for arguments in [
        &["solve", "-t2"][..],
        &["count", "--limit", "2"],
        &["enumerate", "--limit", "2"],
        &["canon", "--automorphisms", "--chunk-bytes", "5000"],
        &["minimize", "--seed", "4"],
        &["shuffle", "--seed", "4", "-t1"],
        &["select", "--clues", "20..60"],
        &["select", "--sample", "40", "--seed", "3"],
    ] {
        let apart = command(arguments, &files);
        let together = command(arguments, std::slice::from_ref(&all));
        let timed = ["solve", "count"].contains(&arguments[0]);
        let clean = |out: &str| if timed { untimed(out) } else { out.to_owned() };
        assert_eq!(apart.code, together.code, "{arguments:?}: {}", apart.err);
        assert!(clean(&apart.out) == clean(&together.out), "{arguments:?}");
        assert!(apart.out.lines().count() > 30, "{arguments:?}");
    }
}

#[test]
fn the_summary_is_of_all_files() {
    let scratch = Scratch::new();
    let (files, _) = parts(&scratch);
    let (json, out) = (scratch.path("s.json"), scratch.path("o.csv"));
    let ran = run(gridmill().arg("solve").args(&files).arg("-o").arg(&out).arg("--summary").arg(&json));
    let summary: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    assert_eq!((&summary["records"], &summary["inputs"].as_array().unwrap().len()), (&900.into(), &3));
    assert!(ran.err.contains("a.txt") && ran.err.contains("c.txt (line, mapped)"), "{}", ran.err);
}

#[test]
fn faults_are_said_by_file() {
    let scratch = Scratch::new();
    let line = as_lines(&mixed_puzzles(1, 3));
    let (good, bad) = (scratch.file("a.txt", line.repeat(3)), scratch.file("b.txt", line + "bad\n"));
    let ran = run(gridmill().arg("solve").args([&good, &bad]));
    assert_eq!((ran.code, ran.rows().len()), (Some(1), 5));
    assert!(ran.err.contains("b.txt:2:1: record 2: malformed"), "{}", ran.err);
}

#[test]
fn a_pipe_may_be_among_the_files() {
    let scratch = Scratch::new();
    let (files, all) = parts(&scratch);
    let first = std::fs::read(&files[0]).unwrap();
    let ran = run(gridmill().args(["solve", "-"]).arg(&files[2]).write_stdin(first));
    assert!(untimed(&ran.out) == untimed(&solve(&all, &[]).out), "{}", ran.err);
}

#[test]
fn tables_keep_their_columns() {
    let scratch = Scratch::new();
    let line = as_lines(&mixed_puzzles(2, 3));
    let rows: Vec<String> = line.lines().map(|line| format!("7,{line}")).collect();
    let [first, second] =
        [0, 1].map(|row| scratch.file(&format!("{row}.csv"), format!("id,puzzle\n{}\n", rows[row])));
    let ran = run(gridmill().args(["select"]).args([&first, &second]));
    assert_eq!(ran.out, format!("id,puzzle\n{}\n{}\n", rows[0], rows[1]));
    let ran = run(gridmill().args(["canon"]).args([&first, &second]));
    assert!(ran.out.starts_with("id,puzzle,canonical,status\n") && ran.rows().len() == 2, "{}", ran.out);
}

#[test]
fn unlike_files_are_refused() {
    let scratch = Scratch::new();
    let line = as_lines(&mixed_puzzles(1, 3));
    let lines = scratch.file("a.txt", &line);
    let table = scratch.file("b.csv", format!("puzzle\n{line}"));
    let other = scratch.file("c.csv", format!("quizzes\n{line}"));
    let small = scratch.file("d.txt", "1234341221434321\n");
    let out = scratch.path("o.csv");
    let refused = |files: [&PathBuf; 2], part: &str| {
        for command in ["solve", "count", "canon", "select"] {
            let ran = run(gridmill().arg(command).args(files).arg("-o").arg(&out));
            assert_eq!(ran.code, Some(2), "{command} {files:?}");
            assert!(ran.err.contains(part) && ran.err.lines().count() == 1, "{}", ran.err);
        }
    };
    refused([&lines, &table], "b.csv: is not written as ");
    refused([&lines, &table], "(the format)");
    refused([&table, &other], "(the header)");
    refused([&lines, &small], "(the size)");
    refused([&lines, &PathBuf::from("missing.txt")], "missing.txt: can't be opened");
    let twice = run(gridmill().args(["solve", "-", "-"]).write_stdin(line));
    assert!(twice.code == Some(2) && twice.err.contains("give - once"), "{}", twice.err);
    let over = run(gridmill().arg("solve").args([&lines, &lines]).arg("-o").arg(&lines));
    assert!(over.code == Some(2) && over.err.contains("is the input too"), "{}", over.err);
    assert_eq!(scratch.names(), ["a.txt", "b.csv", "c.csv", "d.txt"]);
}
