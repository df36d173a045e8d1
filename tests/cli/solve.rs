//! `gridmill solve`, as a user runs it.

use crate::common;
use crate::program::{Scratch, gridmill, rows, run, solve, untimed};
use gridmill_core::grid::{Puzzle, Solution};
use std::fs;
use std::path::Path;

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

fn assert_solves(puzzle: &str, solution: &str) {
    let digits: [u8; 81] = solution.bytes().map(|byte| byte - b'0').collect::<Vec<_>>().try_into().unwrap();
    assert!(Solution::from_cells(digits).unwrap().solves(&puzzle.parse::<Puzzle>().unwrap()), "{puzzle}");
}

#[test]
fn the_command_of_the_readme_solves() {
    let scratch = Scratch::new();
    let out = scratch.path("solutions.csv");
    let ran = run(gridmill().args(["solve", "datasets/classics.txt", "-o"]).arg(&out));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(ran.out, "");
    for part in ["datasets/classics.txt (line, mapped)", "lockstep on", "41", "unique", "p99.9", "guesses"] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    let written = fs::read(&out).unwrap();
    assert!(written.starts_with(b"puzzle,solution,status,guesses,time_ns\n"));
    let rows = rows(&written);
    assert_eq!(rows.len(), 41);
    for row in rows {
        assert_eq!(row[2], "unique");
        assert_solves(&row[0], &row[1]);
        assert!(row[4].parse::<u64>().unwrap() > 0);
    }
    assert_eq!(scratch.names(), ["solutions.csv"]);
}

#[test]
fn every_status_is_reported() {
    let scratch = Scratch::new();
    let conflict = LINE.replacen("53", "55", 1);
    let none = format!("12345678.........9{}", ".".repeat(63));
    let text = format!("{LINE}\n{none}\n{}\n{conflict}\nnonsense\n{SOLVED}\n", ".".repeat(81));
    let file = scratch.file("all.txt", text);
    let ran = solve(&file, &[]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.statuses(), ["unique", "none", "multiple", "conflict", "malformed", "unique"]);
    let rows = ran.rows();
    assert_solves(&rows[2][0], &rows[2][1]);
    assert!(rows[1][1].is_empty() && rows[3][1].is_empty() && rows[4][1].is_empty());
    assert_eq!(rows[3][3..], ["0", "0"]);
    assert_eq!(rows[4], ["nonsense", "", "malformed", "0", "0"]);
    assert!(ran.err.contains("all.txt:4:1: record 4: conflict: row 1 holds two 5s"), "{}", ran.err);
    assert!(
        ran.err.contains("all.txt:5:1: record 5: malformed: 'n' is neither digit nor blank"),
        "{}",
        ran.err
    );

    let first = solve(&file, &["--first"]);
    assert_eq!(first.statuses(), ["solved", "none", "solved", "conflict", "malformed", "solved"]);
}

#[test]
fn engines_are_chosen_by_name() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{LINE}\n{SOLVED}\n"));
    for engine in ["auto", "lockstep", "bitmask", "backtracking"] {
        let ran = solve(&file, &["--engine", engine]);
        assert_eq!(ran.statuses(), ["unique", "unique"]);
        assert_eq!(ran.rows()[0][1], SOLVED);
        assert!(ran.err.contains(if engine == "auto" { "lockstep on " } else { engine }));
    }
    let portable = solve(&file, &["--backend", "portable"]);
    assert_eq!(portable.statuses(), ["unique", "unique"]);
    assert!(portable.err.contains("lockstep on portable"));
    let refused = solve(&file, &["--engine", "bitmask", "--backend", "portable"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("--backend portable"));
}

/// The output is the same for any number of threads and any chunk size, and whether the input is mapped,
/// read, or piped.
#[test]
fn the_output_is_deterministic() {
    let scratch = Scratch::new();
    let mut text = common::as_lines(&common::mixed_puzzles(3_000, 40));
    text.insert_str(5_000, "\n# a comment in the middle of a line\n");
    text.push_str("the end without a line feed");
    let grid = |line: &str| {
        line.as_bytes().chunks(9).map(|row| String::from_utf8_lossy(row) + "\n").collect::<String>()
    };
    let grids: String =
        common::as_lines(&common::mixed_puzzles(300, 41)).lines().map(|line| grid(line) + "\n").collect();
    let table: String = common::as_lines(&common::mixed_puzzles(800, 42))
        .lines()
        .enumerate()
        .map(
            |(id, line)| {
                if id % 7 == 0 { format!("{id},\"a\nb\",{line}\n") } else { format!("{id},x,{line}\r\n") }
            },
        )
        .collect();
    for (name, text) in [("lines", text), ("grids", grids), ("table", format!("id,note,puzzle\n{table}"))] {
        let file = scratch.file(name, &text);
        let expected = solve(&file, &["--threads", "1", "--max-messages", "0"]);
        assert!(expected.rows().len() >= 300, "{}", expected.err);
        for threads in ["1", "2", "7"] {
            for chunk in ["1", "777", "10000", "1000000"] {
                let options = ["--quiet", "--threads", threads, "--chunk-bytes", chunk];
                let ways = [
                    ("mapped", solve(&file, &options)),
                    ("read", solve(&file, &[&options[..], &["--no-mmap"]].concat())),
                    (
                        "piped",
                        run(gridmill().args(["solve", "-"]).args(options).write_stdin(text.as_bytes())),
                    ),
                ];
                for (way, ran) in ways {
                    assert!(untimed(&ran.out) == untimed(&expected.out), "{name} {way} {threads} {chunk}");
                    assert_eq!((ran.code, ran.err.as_str()), (expected.code, ""));
                }
            }
        }
    }
}

/// The signature is computed from the output of the program. It is the same for every backend, number of
/// threads and chunk size.
#[test]
fn the_signature_is_the_same_everywhere() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", common::DATASETS);
    for backend in common::backends() {
        for (threads, chunk) in [("1", "1000000"), ("2", "200"), ("5", "700")] {
            let options = ["--backend", backend.name(), "-t", threads, "--chunk-bytes", chunk];
            let rows = solve(&file, &options).rows();
            let guesses = rows.iter().map(|row| row[3].parse::<u64>().unwrap()).sum();
            let solutions: String = rows.iter().map(|row| row[1].as_str()).collect();
            let signature = common::signature_of(guesses, &solutions);
            assert_eq!(signature, common::SIGNATURE, "{backend}, {threads} threads, chunks of {chunk}");
        }
    }
}

#[test]
fn csv_columns_are_kept() {
    let scratch = Scratch::new();
    let text = format!("id,quizzes,\"a, b\"\r\n1,{LINE},\"x \"\"y\"\", z\"\r\n2,\"{SOLVED}\",\r\n");
    let ran = solve(&scratch.file("t.csv", text), &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines[0], "id,quizzes,\"a, b\",solution,status,guesses,time_ns");
    assert!(lines[1].starts_with(&format!("1,{LINE},\"x \"\"y\"\", z\",{SOLVED},unique,0,")));
    assert!(lines[2].starts_with(&format!("2,\"{SOLVED}\",,{SOLVED},unique,0,")));

    let named = scratch.file("n.csv", format!("id,cells,solution\n7,{LINE},wrong\n"));
    let refused = solve(&named, &[]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("id, cells, solution") && refused.err.contains("--puzzle-column"));
    let ran = solve(&named, &["--puzzle-column", "cells"]);
    assert!(ran.out.starts_with("id,cells,solution,gridmill_solution,status,guesses,time_ns\n"));
    assert_eq!(ran.rows()[0][2..5], ["wrong", SOLVED, "unique"]);
}

#[test]
fn grids_are_written_as_lines() {
    let scratch = Scratch::new();
    let rows: Vec<&str> = LINE.as_bytes().chunks(9).map(|row| std::str::from_utf8(row).unwrap()).collect();
    let framed: Vec<String> =
        rows.iter().map(|row| format!("|{}|{}|{}|", &row[..3], &row[3..6], &row[6..])).collect();
    let rule = "+---+---+---+";
    let text = format!("{rule}\n{}\n{rule}\n\n{}\n", framed.join("\n"), rows.join("\n").replace('.', "0"));
    let ran = solve(&scratch.file("g.txt", text), &[]);
    assert_eq!(
        ran.rows().iter().map(|row| row[..3].join(",")).collect::<Vec<_>>(),
        vec![format!("{LINE},{SOLVED},unique"); 2]
    );
    assert!(ran.err.contains("(grid, mapped)"));
}

#[test]
fn grids_with_blank_lines_between_bands_are_read() {
    let scratch = Scratch::new();
    let rows: Vec<&str> = LINE.as_bytes().chunks(9).map(|row| std::str::from_utf8(row).unwrap()).collect();
    let grid = rows.chunks(3).map(|band| band.join("\n")).collect::<Vec<_>>().join("\n\n");
    let ran = solve(&scratch.file("g.txt", format!("Puzzle\n{grid}\n\nPuzzle\n{grid}\n")), &[]);
    assert_eq!(ran.statuses(), ["unique"; 2], "{}", ran.err);
    assert!(ran.rows().iter().all(|row| row[..2] == [LINE, SOLVED]));
}

#[test]
fn an_output_can_be_read_as_input() {
    let scratch = Scratch::new();
    let mut text = format!("#,puzzle\n1,{LINE}\n");
    for round in 0..4 {
        let ran = solve(&scratch.file("t.csv", &text), &[]);
        assert_eq!(ran.statuses(), ["unique"], "{}", ran.err);
        text = ran.out;
        assert_eq!(rows(text.as_bytes())[0].len(), 2 + 4 * (round + 1));
    }
    let mut names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 18, "{names:?}");
}

#[test]
fn the_summary_is_written_as_json() {
    let scratch = Scratch::new();
    let (file, json) = (scratch.file("p.txt", format!("{LINE}\nx\n")), scratch.path("s.json"));
    let ran = run(gridmill()
        .arg("solve")
        .arg(&file)
        .args(["-t", "3", "--summary"])
        .arg(&json)
        .env("NO_COLOR", "1"));
    assert_eq!(ran.code, Some(1));
    assert!(!ran.err.contains('\u{1b}'));
    let summary: serde_json::Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    assert_eq!(summary["records"], 2);
    assert_eq!(summary["statuses"]["unique"], 1);
    assert_eq!(summary["statuses"]["malformed"], 1);
    assert_eq!(summary["threads"], 3);
    assert_eq!(summary["format"], "line");
    assert_eq!(summary["complete"], true);
    assert_eq!(summary["share_without_guess"], 1.0);
    let times = &summary["time_ns"];
    let time: u64 = ran.rows()[0][4].parse().unwrap();
    assert!(
        ["total", "min", "p50", "p90", "p99", "p99.9", "max"].iter().all(|name| times[name] == time),
        "{times}"
    );
}

#[test]
fn threads_are_taken_from_the_environment() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", LINE);
    let ran = run(gridmill().env("GRIDMILL_THREADS", "5").arg("solve").arg(&file));
    assert!(ran.err.contains("5 threads"), "{}", ran.err);
    assert_eq!(run(gridmill().env("GRIDMILL_THREADS", "0").arg("solve").arg(&file)).code, Some(2));
    assert_eq!(run(gridmill().env("GRIDMILL_THREADS", "").arg("solve").arg(&file)).code, Some(0));
    assert_eq!(run(gridmill().args(["solve", "--threads", ""]).arg(&file)).code, Some(2));
}

#[test]
fn quiet_prints_no_messages() {
    let scratch = Scratch::new();
    let ran = solve(&scratch.file("p.txt", format!("{LINE}\nbad\n")), &["-q"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
}

#[test]
fn an_existing_output_is_replaced_when_complete() {
    let scratch = Scratch::new();
    let (file, out) = (scratch.file("p.txt", LINE), scratch.file("o.csv", "old"));
    let ran = run(gridmill().arg("solve").arg(&file).arg("-o").arg(&out));
    assert_eq!(ran.code, Some(0));
    assert_eq!(rows(&fs::read(&out).unwrap()).len(), 1);

    // A run that fails leaves the old file as it was, and creates no other file.
    let before = fs::read(&out).unwrap();
    let ran = run(gridmill().arg("solve").arg(scratch.path("missing")).arg("-o").arg(&out));
    assert_eq!(ran.code, Some(2));
    assert_eq!(fs::read(&out).unwrap(), before);
    assert_eq!(scratch.names(), ["o.csv", "p.txt"]);
}

#[cfg(unix)]
#[test]
fn a_new_output_has_the_usual_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    let (file, out) = (scratch.file("p.txt", LINE), scratch.path("o.csv"));
    run(gridmill().arg("solve").arg(&file).arg("-o").arg(&out));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&out), mode(&file));
}

/// An output that is a link stays a link, whether its target exists or not.
#[cfg(unix)]
#[test]
fn an_output_that_is_a_link_stays_a_link() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", LINE);
    let link = scratch.path("link.csv");
    std::os::unix::fs::symlink("real.csv", &link).unwrap();
    for _ in 0..2 {
        let ran = run(gridmill().args(["solve", "-q"]).arg(&file).arg("-o").arg(&link));
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(rows(&fs::read(scratch.path("real.csv")).unwrap()).len(), 1);
        assert_eq!(scratch.names(), ["link.csv", "p.txt", "real.csv"]);
    }
}

#[test]
fn help_completions_and_manual_are_printed() {
    let help = run(gridmill().args(["solve", "--help"]));
    for part in ["Examples:", "--puzzle-column", "GRIDMILL_THREADS", "Exit codes"] {
        assert!(help.out.contains(part), "{part}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(run(gridmill().args(["completions", shell])).out.contains("gridmill"), "{shell}");
    }
    assert!(run(gridmill().arg("man")).out.contains(".TH gridmill 1"));
    assert!(run(gridmill().args(["man", "solve"])).out.contains("puzzle\\-column"));
    let unknown = run(gridmill().args(["man", "nothing"]));
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("'nothing'"));
}
