//! Several files in one call, for the commands that write one table for all of them.

use std::path::PathBuf;

use crate::common::{as_lines, mixed_puzzles};
use crate::program::{Ran, Scratch, gridmill, run, solve, untimed};

/// The same puzzles in several files and in a single one. One of the files has no line end, and one has only
/// comments.
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
fn several_files_give_the_same_output_as_one() {
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
fn the_summary_covers_all_files() {
    let scratch = Scratch::new();
    let (files, _) = parts(&scratch);
    let (json, out) = (scratch.path("s.json"), scratch.path("o.csv"));
    let ran = run(gridmill().arg("solve").args(&files).arg("-o").arg(&out).arg("--summary").arg(&json));
    let summary: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    assert_eq!((&summary["records"], &summary["inputs"].as_array().unwrap().len()), (&900.into(), &3));
    assert!(ran.err.contains("a.txt") && ran.err.contains("c.txt (line, mapped)"), "{}", ran.err);
}

#[test]
fn malformed_records_are_reported_with_their_file() {
    let scratch = Scratch::new();
    let line = as_lines(&mixed_puzzles(1, 3));
    let (good, bad) = (scratch.file("a.txt", line.repeat(3)), scratch.file("b.txt", line + "bad\n"));
    let ran = run(gridmill().arg("solve").args([&good, &bad]));
    assert_eq!((ran.code, ran.rows().len()), (Some(1), 5));
    assert!(ran.err.contains("b.txt:2:1: record 2: malformed"), "{}", ran.err);
}

#[test]
fn standard_input_can_be_one_of_the_files() {
    let scratch = Scratch::new();
    let (files, all) = parts(&scratch);
    let first = std::fs::read(&files[0]).unwrap();
    let ran = run(gridmill().args(["solve", "-"]).arg(&files[2]).write_stdin(first));
    assert!(untimed(&ran.out) == untimed(&solve(&all, &[]).out), "{}", ran.err);
}

#[test]
fn several_tables_are_joined_under_one_header() {
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
fn files_that_do_not_fit_together_are_refused() {
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
    refused([&lines, &table], "b.csv: differs from ");
    refused([&lines, &table], "; convert them to one form first (gridmill convert), or name them");
    refused([&lines, &small], " in the size; name them");
    refused([&lines, &table], " in the format; ");
    refused([&table, &other], " in the header; ");
    refused([&lines, &small], " in the size; ");
    let twice = run(gridmill().args(["solve", "-", "-"]).write_stdin(line));
    assert!(twice.code == Some(2) && twice.err.contains("give - once"), "{}", twice.err);
    let over = run(gridmill().arg("solve").args([&lines, &lines]).arg("-o").arg(&lines));
    assert!(over.code == Some(2) && over.err.contains("is also an input"), "{}", over.err);
    assert_eq!(scratch.names(), ["a.txt", "b.csv", "c.csv", "d.txt"]);
}

/// The commands that take any number of files. Their results are rows, lines or figures.
const FILE_COMMANDS: [&[&str]; 16] = [
    &["solve", "-q"],
    &["count", "-q"],
    &["enumerate"],
    &["canon"],
    &["rate"],
    &["minimal"],
    &["backdoors"],
    &["unavoidable", "--cells", "6"],
    &["minimize"],
    &["shuffle"],
    &["select", "-q"],
    &["verify", "--all"],
    &["check", "--all"],
    &["stats", "--to=json"],
    &["dedupe", "-q"],
    &["bench", "--engine", "bitmask", "--rounds", "1"],
];

/// Runs a command with at most 40 open files.
#[cfg(unix)]
fn with_few_open_files(arguments: &[&str], files: &[PathBuf]) -> Ran {
    let mut shell = assert_cmd::Command::new("sh");
    shell.args(["-c", "ulimit -n 40 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_gridmill")]);
    shell.env("GRIDMILL_THREADS", "2").timeout(crate::common::HANG);
    run(shell.args(arguments).args(files))
}

#[test]
#[cfg(unix)]
fn more_files_can_be_given_than_a_process_can_open() {
    const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
    let scratch = Scratch::new();
    let puzzle = |number: usize| format!("{}.{},{SOLVED}\n", &SOLVED[..number], &SOLVED[number + 1..]);
    let file = |number: usize| scratch.file(&format!("{number}.txt"), puzzle(number % 81));
    let files: Vec<PathBuf> = (0..60).map(file).collect();
    for arguments in FILE_COMMANDS {
        let ran = with_few_open_files(arguments, &files);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.err);
        match arguments[0] {
            "stats" => assert!(ran.out.contains("\"records\": 60"), "{}", ran.out),
            _ => assert!(ran.out.lines().count() >= 60, "{arguments:?}: {}", ran.out),
        }
    }
    let unlike = scratch.file("unlike.csv", format!("puzzle\n{}", puzzle(1)));
    let ran = with_few_open_files(&["solve"], &[files, vec![unlike]].concat());
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
}

#[test]
fn other_files_are_processed_if_one_is_missing() {
    let scratch = Scratch::new();
    let (mut files, _) = parts(&scratch);
    std::fs::write(&files[0], "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79 534678912672195348198342567859761423426853791713924856961537284287419635345286179\n").unwrap();
    std::fs::write(&files[2], std::fs::read(&files[0]).unwrap()).unwrap();
    files.remove(1);
    let with_missing = [files[0].clone(), scratch.path("missing.txt"), scratch.path(""), files[1].clone()];
    for arguments in FILE_COMMANDS {
        let whole = command(arguments, &files);
        let ran = command(arguments, &with_missing);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.err);
        let refuses = ["dedupe", "bench"].contains(&arguments[0]);
        assert!(ran.err.contains("missing.txt: can't be opened"), "{arguments:?}: {}", ran.err);
        match arguments[0] {
            _ if refuses => assert_eq!(ran.out, "", "{arguments:?}"),
            "solve" | "count" => assert_eq!(untimed(&ran.out), untimed(&whole.out)),
            "stats" => assert!(ran.out.contains("\"records\": 2"), "{}", ran.out),
            _ => assert_eq!(ran.out, whole.out, "{arguments:?}"),
        }
        assert_eq!(ran.err.contains("is a directory"), !refuses, "{arguments:?}: {}", ran.err);
    }
    let out = scratch.path("o.csv");
    let ran = run(gridmill().arg("solve").args(&with_missing).arg("-o").arg(&out));
    assert_eq!((ran.code, std::fs::read_to_string(&out).unwrap().lines().count()), (Some(2), 3));
    let ran = command(&["solve"], &with_missing[1..3]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.lines().count()), (Some(2), "", 2), "{}", ran.err);
}

#[test]
fn other_files_are_verified_if_one_cannot_be_read() {
    let scratch = Scratch::new();
    let (files, _) = parts(&scratch);
    let table = scratch.file("t.csv", "id,cells\n1,2\n");
    let ran = run(gridmill().args(["verify", "-q", "--format", "csv"]).arg(&table).arg(&files[0]));
    assert_eq!((ran.code, ran.err.lines().count()), (Some(2), 2), "{}", ran.err);
    let ran = run(gridmill().arg("verify").arg(scratch.file("z.bz2", "BZh9")).arg(&files[1]).arg(&files[0]));
    assert!(ran.code == Some(2) && ran.err.contains("z.bz2: ") && ran.err.contains("500"), "{}", ran.err);
}

#[test]
fn without_a_file_standard_input_is_read() {
    const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
    for arguments in FILE_COMMANDS {
        let line = format!(".{} {SOLVED}\n", &SOLVED[1..]);
        let named = run(gridmill().args(arguments).arg("-").write_stdin(line.clone()));
        let unnamed = run(gridmill().args(arguments).write_stdin(line));
        assert_eq!((named.code, unnamed.code), (Some(0), Some(0)), "{arguments:?}: {}", unnamed.err);
        let is_timed = ["solve", "count", "stats", "bench"].contains(&arguments[0]);
        assert!(is_timed || named.out == unnamed.out, "{arguments:?}");
    }
    let ran = run(gridmill().args(["overlap", "a.txt"]));
    assert!(ran.code == Some(2) && ran.err.contains("<OTHER>"), "{}", ran.err);
}
