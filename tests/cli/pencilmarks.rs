//! `solve`, `count` and `verify` of lines of 729 candidates.

use crate::common::{as_lines, mixed_puzzles};
use crate::program::{Scratch, gridmill, run, solve, untimed};
use gridmill_core::grid::{Pencilmarks, Puzzle};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// A grid shows candidates if there is no solution to show. Here three cells of a row have the same two
/// candidates.
#[test]
fn grids_show_candidates_if_there_is_no_solution() {
    let scratch = Scratch::new();
    let mut marks = ["123456789"; 81];
    marks[..3].fill("12.......");
    let file = scratch.file("marks", marks.concat() + "\n");
    for command in ["solve", "count"] {
        let ran = run(gridmill().args([command, "--to", "grid", "-q"]).arg(&file));
        let lines: Vec<&str> = ran.out.lines().collect();
        let all = "123456789".repeat(3);
        assert_eq!(lines[1].replace(' ', ""), format!("|121212|{all}|{all}|"), "{command}");
        assert!(lines[..13].iter().all(|line| line.len() == lines[0].len()), "{command}: {}", ran.out);
        assert!(lines[13].starts_with("none: "), "{command}: {}", lines[13]);
    }
}

/// The puzzles of lines, as pencilmarks.
fn marks_of(lines: &str) -> String {
    lines.lines().map(|line| Pencilmarks::from(&line.parse::<Puzzle>().unwrap()).to_string() + "\n").collect()
}

#[test]
fn pencilmarks_give_the_same_results_as_clues() {
    let scratch = Scratch::new();
    let lines = as_lines(&mixed_puzzles(200, 3));
    let (plain, marked) = (scratch.file("plain", &lines), scratch.file("marked", marks_of(&lines)));
    let (expected, ran) = (solve(&plain, &["--engine", "bitmask"]), solve(&marked, &[]));
    assert_eq!(ran.code, expected.code);
    assert!(ran.err.contains("(pencilmarks, mapped)") && ran.err.contains("engine  bitmask"), "{}", ran.err);
    let text = marks_of(&lines);
    assert_eq!(ran.rows().len(), 200);
    for ((row, expected), line) in ran.rows().iter().zip(expected.rows()).zip(text.lines()) {
        assert_eq!((row[0].as_str(), &row[2]), (line, &expected[2]));
        if row[2] == "unique" {
            assert_eq!(row[1], expected[1]);
        }
    }
    for arguments in
        [&["--chunk-bytes", "700"][..], &["--threads", "3"], &["--no-mmap", "--chunk-bytes", "1500"]]
    {
        assert_eq!(untimed(&solve(&marked, arguments).out), untimed(&ran.out));
    }
    let piped = run(gridmill().args(["solve", "-"]).write_stdin(text));
    assert_eq!(untimed(&piped.out), untimed(&ran.out));

    let count = |path| run(gridmill().arg("count").arg(path).args(["--limit", "50", "-q"]));
    let counts = |path| count(path).rows().iter().map(|row| row[1..3].to_vec()).collect::<Vec<_>>();
    assert_eq!(counts(&marked), counts(&plain));
    let verdicts = |path| {
        let ran = run(gridmill().arg("verify").arg(path).args(["--all", "-o", "-", "-q"]));
        (ran.code, ran.rows().iter().map(|row| row[4..].to_vec()).collect::<Vec<_>>())
    };
    assert_eq!(verdicts(&marked), verdicts(&plain));
}

#[test]
fn eliminated_candidates_decide_the_status() {
    let scratch = Scratch::new();
    let cells = LINE.parse::<Puzzle>().unwrap();
    let unique = Pencilmarks::from(&cells).to_string();
    // The solution has a 4 in the third cell, so there is none without that candidate.
    let none = unique.replacen("123456789", "123.56789", 1);
    let empty = unique.replacen("123456789", ".........", 1);
    // Two clues of a proper puzzle are missing. In `settled` their cells have one candidate each, so that it
    // is proper again.
    let open = "..4.7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    let multiple = marks_of(open).trim_end().to_owned();
    let settled = multiple.replacen("123456789", "....5....", 1).replacen("123456789", "..3......", 1);
    let conflict = unique.replacen("123456789", "....5....", 1);
    let zeros = unique.replace('.', "0");
    let all = [&unique, &none, &empty, &settled, &conflict, &zeros].map(|line| &line[..]);
    let text = all.join("\n");
    let ran = solve(&scratch.file("p", &text), &[]);
    assert_eq!(ran.statuses(), ["unique", "none", "none", "unique", "conflict", "unique"]);
    assert!(ran.err.contains("p:5:1: record 5: conflict: row 1 holds two 5s"), "{}", ran.err);
    assert_eq!((ran.code, &ran.rows()[5][0]), (Some(1), &unique));
    assert_eq!(ran.rows()[1][1], "");

    let blank = scratch.file("blank", "123456789".repeat(81) + " all of them\n");
    assert_eq!(solve(&blank, &[]).statuses(), ["multiple"]);
    assert_eq!(solve(&blank, &["--first"]).statuses(), ["solved"]);
    let counted = run(gridmill().arg("count").arg(&blank).args(["--budget-guesses", "1000", "-q"]));
    assert_eq!((counted.code, counted.statuses()), (Some(1), vec!["budget".to_owned()]));
}

#[test]
fn an_output_can_be_read_as_input() {
    let scratch = Scratch::new();
    let text = marks_of(&as_lines(&mixed_puzzles(20, 5)));
    let first = solve(&scratch.file("p", &text), &[]);
    let table = scratch.file("p.csv", &first.out);
    for arguments in [&[][..], &["--chunk-bytes", "700"], &["--no-mmap"]] {
        let again = solve(&table, arguments);
        assert!(again.err.contains("(csv, "), "{}", again.err);
        assert_eq!(again.statuses(), first.statuses());
        let column = |rows: Vec<Vec<String>>, at: usize| {
            rows.into_iter().map(move |row| row[at].clone()).collect::<Vec<_>>()
        };
        assert_eq!(column(again.rows(), 0), column(first.rows(), 0));
        assert_eq!(column(again.rows(), 5), column(first.rows(), 1));
    }
    let canon = run(gridmill().arg("canon").arg(&table));
    assert!(canon.code == Some(2) && canon.err.contains("these are pencilmarks"), "{}", canon.err);
}

#[test]
fn a_bad_line_does_not_affect_other_lines() {
    let scratch = Scratch::new();
    let good = marks_of(LINE);
    for (bad, diagnostic) in [
        (good[1..].to_owned(), "2:4: record 2: malformed: 5 where pencilmarks have 4"),
        (good[..700].to_owned() + "\n", "2:701: record 2: malformed: 700 characters"),
        (good.replacen("123", "12?", 1), "2:21: record 2: malformed: '?' is neither digit nor blank"),
        (format!("{LINE}\n"), "2:1: record 2: malformed: 5 where pencilmarks have 1"),
        (format!("\u{e9}{good}"), "2:1: record 2: malformed: '\u{e9}' is neither"),
    ] {
        let file = scratch.file("p", format!("{good}{bad}{good}"));
        let ran = solve(&file, &["--chunk-bytes", "700"]);
        assert_eq!(
            (ran.code, ran.statuses()),
            (Some(1), ["unique", "malformed", "unique"].map(str::to_owned).to_vec())
        );
        assert!(ran.err.contains(&format!("p:{diagnostic}")), "{}", ran.err);
    }
    // The format is known from the first readable line, or from an option.
    let file = scratch.file("p", format!("bad\n{good}"));
    assert_eq!(solve(&file, &[]).statuses(), ["malformed", "unique"]);
    let file = scratch.file("p", format!("{LINE}\n{good}"));
    assert_eq!(solve(&file, &[]).statuses(), ["unique", "malformed"]);
    assert_eq!(solve(&file, &["--format", "pencilmarks"]).statuses(), ["malformed", "unique"]);
}

#[test]
fn commands_and_engines_that_do_not_take_pencilmarks_say_so() {
    let scratch = Scratch::new();
    let file = scratch.file("p", marks_of(LINE));
    for command in [
        "enumerate",
        "canon",
        "check",
        "bench",
        "select",
        "stats",
        "minimize",
        "minimal",
        "backdoors",
        "unavoidable",
        "shuffle",
    ] {
        let ran = run(gridmill().arg(command).arg(&file));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{command}");
        assert!(
            ran.err.contains("is for puzzles with clues, but these are pencilmarks"),
            "{command}: {}",
            ran.err
        );
    }
    for (command, files) in [("dedupe", 1), ("overlap", 2)] {
        let ran = run(gridmill().arg(command).arg("--isomorphic").args(vec![&file; files]));
        let expected = "canonical forms are for puzzles with clues, but these are pencilmarks";
        assert!(ran.code == Some(2) && ran.err.contains(expected), "{command}: {}", ran.err);
    }
    for engine in ["lockstep", "dancing-links", "singles", "backtracking"] {
        let ran = solve(&file, &["--engine", engine]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.contains(&format!("the engine {engine} does not solve pencilmarks")), "{}", ran.err);
    }
    assert_eq!(solve(&file, &["--engine", "bitmask"]).code, Some(0));
    assert_eq!(solve(&file, &["--backend", "portable"]).code, Some(2));
    let shaped = solve(&file, &["--format", "pencilmarks", "--shape", "2x2"]);
    assert!(
        shaped.code == Some(2) && shaped.err.contains("the format pencilmarks is for 9x9"),
        "{}",
        shaped.err
    );
}

#[test]
fn only_equal_pencilmarks_count_as_duplicates() {
    let scratch = Scratch::new();
    let marks = marks_of(LINE).trim().to_owned();
    // The clues are the same, but there is one candidate less.
    let place = marks.find('9').unwrap();
    let less = format!("{}.{}", &marks[..place], &marks[place + 1..]);
    let (file, other) =
        (scratch.file("p", format!("{marks}\n{less}\n{marks}\n")), scratch.file("q", format!("{less}\n")));
    let ran = run(gridmill().arg("dedupe").arg(&file));
    assert_eq!((ran.code, ran.out), (Some(1), format!("{marks}\n{less}\n")));
    let ran = run(gridmill().arg("overlap").args([&file, &other]));
    assert_eq!(ran.rows(), [["2", "2", &less, "1", "1"]], "{}", ran.err);
    // Clues and pencilmarks can have the same solution, but they are never equal.
    let clues = scratch.file("c", format!("{LINE}\n"));
    let ran = run(gridmill().arg("overlap").args([&clues, &file]));
    assert!(ran.code == Some(2) && ran.err.contains(" in the format; "), "{}", ran.err);
    let ran = run(gridmill().arg("overlap").args([&clues, &file]).arg("--same-solution"));
    assert_eq!(ran.rows().len(), 1, "{}", ran.err);
}
