//! `gridmill select`.

use std::path::Path;

use crate::common;
use crate::program::{Ran, Scratch, gridmill, run};

const A: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const A_SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
/// Seventeen clues, so it is minimal.
const SEVENTEEN: &str = "000000010400000000020000000000050407008000300001090000300400200050100000000806000";

fn select(file: &Path, arguments: &[&str]) -> Ran {
    run(gridmill().arg("select").arg(file).args(arguments))
}

#[test]
fn every_condition_selects_by_itself() {
    let scratch = Scratch::new();
    let (conflict, empty) = (A.replacen("53", "55", 1), ".".repeat(81));
    let lines = [A, SEVENTEEN, "bad", A_SOLVED, &conflict, &empty];
    let text = format!("# comment\n{A} remark\r\n{SEVENTEEN}\nbad\n\n{A_SOLVED}\n{conflict}\n{empty}");
    let file = scratch.file("p.txt", text);
    let selected = |arguments: &[&str]| {
        let ran = select(&file, arguments);
        assert_eq!(ran.code, Some(1), "one record is malformed: {}", ran.err);
        let index = |line: &str| lines.iter().position(|it| line.starts_with(it)).unwrap().to_string();
        ran.out.lines().map(index).collect::<String>()
    };
    for (arguments, expected) in [
        (&[][..], "01345"),
        (&["--clues", "17..30"], "014"),
        (&["--clues", "..17"], "15"),
        (&["--status", "unique"], "013"),
        (&["--status", "multiple,conflict"], "45"),
        (&["--status", "malformed"], "2"),
        (&["--status", "unique", "--clues", "30"], "0"),
        (&["--guesses", "0", "--status", "unique", "--clues", "30.."], "03"),
        (&["--minimal"], "1"),
        (&["--minimal", "--clues", "18.."], ""),
        (&["--minimal", "--invert"], "02345"),
        (&["--status", "unique", "--invert"], "245"),
        (&["--invert"], "2"),
    ] {
        assert_eq!(selected(arguments), expected, "{arguments:?}");
    }
    let ran = select(&file, &["--clues", "30"]);
    assert_eq!(ran.out, format!("{A} remark\r\n{conflict}\n"));
    assert!(ran.err.contains("p.txt:4:1: record 3: malformed"), "{}", ran.err);
    assert!(ran.err.ends_with("selected 2 of 6 records\n"), "{}", ran.err);
}

#[test]
fn rows_stay_as_they_are() {
    let scratch = Scratch::new();
    let file = scratch.file("p.csv", format!("id,puzzle,note\n1,{A},\"a\nb\"\n2,{SEVENTEEN},\n3,\"{A}\",c"));
    let out = scratch.path("o.csv");
    let ran = select(&file, &["--clues", "30", "-q", "-o", out.to_str().unwrap()]);
    assert_eq!((ran.code, &*ran.out, &*ran.err), (Some(0), "", ""));
    let expected = format!("id,puzzle,note\n1,{A},\"a\nb\"\n3,\"{A}\",c\n");
    assert_eq!(std::fs::read_to_string(out).unwrap(), expected);
}

#[test]
fn a_sample_is_the_same_for_a_seed() {
    let scratch = Scratch::new();
    let text = common::as_lines(&common::mixed_puzzles(2_000, 8));
    let file = scratch.file("p.txt", &text);
    let sample = |arguments: &[&str]| {
        let ran = select(&file, &[&["--sample", "50", "-q"], arguments].concat());
        assert_eq!(ran.code, Some(0));
        // In the order of the file, none twice.
        let mut lines = text.lines();
        assert!(ran.out.lines().all(|chosen| lines.any(|line| line == chosen)));
        ran.out
    };
    let first = sample(&["--threads", "1"]);
    assert_eq!(first.lines().count(), 50);
    assert_eq!(sample(&["--threads", "3", "--chunk-bytes", "500"]), first);
    assert_eq!(sample(&["--no-mmap"]), first);
    assert_ne!(sample(&["--seed", "2"]), first);
    let unique = sample(&["--status", "unique", "--clues", "..28"]);
    assert!(unique.lines().all(|line| line.parse::<gridmill::grid::Puzzle>().unwrap().clue_count() <= 28));
    assert_eq!(select(&file, &["--sample", "5000", "-q"]).out, text);
    assert_eq!(select(&file, &["--sample", "0", "-q"]).out, "");
}

#[test]
fn conditions_that_make_no_sense_are_refused() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{A}\n"));
    for (arguments, part) in [
        (&["--clues", "24..17"][..], "the smaller one first"),
        (&["--status", "good"], "possible values: unique, multiple, none, conflict, malformed"),
        (&["-o", file.to_str().unwrap()], "is the input too"),
    ] {
        let ran = select(&file, arguments);
        assert!(ran.code == Some(2) && ran.out.is_empty() && ran.err.contains(part), "{}", ran.err);
    }
}

/// A grid in a frame, and a title above it.
fn framed(title: &str, line: &str) -> String {
    let row = |row: &[u8]| format!("|{}|\n", String::from_utf8_lossy(row));
    let rows: Vec<String> = line.as_bytes().chunks(9).map(row).collect();
    format!("{title}\n+---------+\n{}+---------+\n", rows.concat())
}

#[test]
fn puzzles_in_rows_keep_their_frames_titles_and_blank_lines() {
    let scratch = Scratch::new();
    let full = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
    let lines: Vec<String> =
        (0..6).map(|blank| format!("{}{}", ".".repeat(blank * 5), &full[blank * 5..])).collect();
    for gap in ["\n", "\n\n", ""] {
        let framed: Vec<String> =
            lines.iter().enumerate().map(|(number, line)| framed(&format!("Grid {number}"), line)).collect();
        let file = scratch.file("p.txt", framed.join(gap));
        for more in [&["-t1"][..], &["-t3", "--chunk-bytes", "150"]] {
            let ran = select(&file, &[&["--clues", "57..75", "--invert"], more].concat());
            let first = [&framed[0], &framed[1], &framed[5]].map(String::as_str).join(gap);
            assert_eq!((ran.code, ran.out), (Some(0), first), "{}", ran.err);
            let ran = select(&file, &[&["--clues", "..76", "--sample", "9"], more].concat());
            assert_eq!(ran.out, framed[1..].join(gap));
        }
    }
    // One rule between two grids is the edge of both.
    let rows = |line: &str| {
        line.as_bytes().chunks(9).map(|row| format!("{}\n", String::from_utf8_lossy(row))).collect::<String>()
    };
    let rule = "+---------+\n";
    let text = format!("{rule}{}{rule}{}{rule}{}{rule}", rows(&lines[0]), rows(&lines[1]), rows(&lines[2]));
    let file = scratch.file("q.txt", text);
    let ran = select(&file, &["--clues", "76"]);
    assert_eq!(ran.out, format!("{rule}{}{rule}", rows(&lines[1])));
    let ran = select(&file, &["--clues", "..76"]);
    assert_eq!(ran.out, format!("{rule}{}{rule}{}{rule}", rows(&lines[1]), rows(&lines[2])));
}

#[test]
fn puzzles_in_conflict_take_no_number_of_guesses() {
    let scratch = Scratch::new();
    let good = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    let conflict = good.replacen("53", "55", 1);
    let file = scratch.file("p.txt", format!("{good}\n{conflict}\n"));
    assert_eq!(select(&file, &["--guesses", "0"]).out, format!("{good}\n"));
    assert_eq!(select(&file, &["--guesses", "0..", "--invert"]).out, format!("{conflict}\n"));
}
