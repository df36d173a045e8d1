//! `gridmill split`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::common;
use crate::program::{Ran, Scratch, gridmill, run};
use gridmill_core::grid::{Isomorphism, Puzzle, Shape};

const A: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const B: &str = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..";

/// Splits files into parts with these names. Returns the output of the run, and the contents of the parts.
fn split(scratch: &Scratch, files: &[&Path], names: &[&str], arguments: &[&str]) -> (Ran, Vec<String>) {
    let parts: Vec<PathBuf> = names.iter().map(|name| scratch.path(name)).collect();
    let outputs = parts.iter().flat_map(|part| [Path::new("-o"), part]);
    let ran = run(gridmill().arg("split").args(files).args(outputs).args(arguments));
    (ran, parts.iter().map(|part| std::fs::read_to_string(part).unwrap_or_default()).collect())
}

fn overlap(files: [&Path; 2], arguments: &[&str]) -> Option<i32> {
    run(gridmill().arg("overlap").args(files).arg("-q").args(arguments)).code
}

/// Asserts that the parts together have the lines of the text, and that each part keeps their order.
fn assert_divided(text: &str, parts: &[String]) {
    let mut rest: Vec<_> = parts.iter().map(|part| part.lines().peekable()).collect();
    for line in text.lines() {
        assert!(rest.iter_mut().any(|part| part.next_if_eq(&line).is_some()), "{line}");
    }
    assert!(rest.iter_mut().all(|part| part.next().is_none()));
}

/// Puzzles that occur up to four times, half of them in disguise.
fn with_isomorphs() -> String {
    let puzzles = common::easy_puzzles(150, 4);
    let line = |copy: usize, index: usize, puzzle: &Puzzle| match (copy, index % 2) {
        (0, _) | (_, 0) => puzzle.to_string(),
        _ => {
            let mut rng = common::rng((copy * 1000 + index) as u64);
            Isomorphism::random(Shape::CLASSIC, &mut rng).apply_classic(puzzle).to_string()
        }
    };
    let copies = (0..4).flat_map(|copy| {
        let copied = puzzles.iter().enumerate().filter(move |(index, _)| copy <= index % 5);
        copied.map(move |(index, puzzle)| line(copy, index, puzzle) + "\n").collect::<Vec<_>>()
    });
    copies.collect()
}

#[test]
fn parts_have_the_requested_sizes_and_share_no_puzzle() {
    let scratch = Scratch::new();
    let text = with_isomorphs();
    let (file, count) = (scratch.file("p.txt", &text), text.lines().count());
    for (arguments, ratio) in [
        (&[][..], &[9, 1][..]),
        (&["--isomorphic"], &[8, 1, 1]),
        (&["--same-solution", "--isomorphic"], &[1, 3]),
    ] {
        let names = &["a.txt", "b.txt", "c.txt"][..ratio.len()];
        let written = ratio.iter().map(ToString::to_string).collect::<Vec<_>>().join(":");
        let (ran, parts) = split(&scratch, &[&file], names, &[arguments, &["--ratio", &written]].concat());
        assert_eq!((ran.code, &*ran.out), (Some(0), ""), "{}", ran.err);
        assert_divided(&text, &parts);
        for (part, number) in parts.iter().zip(ratio) {
            // The size is as close as possible, because up to four copies of a puzzle stay together.
            let wanted = (count * number) as f64 / ratio.iter().sum::<usize>() as f64;
            assert!((part.lines().count() as f64 - wanted).abs() <= 4.0, "{arguments:?}: {}", ran.err);
        }
        let paths: Vec<PathBuf> = names.iter().map(|name| scratch.path(name)).collect();
        for (index, one) in paths.iter().enumerate() {
            for other in &paths[..index] {
                assert_eq!(overlap([one, other], arguments), Some(0), "{arguments:?}");
            }
        }
    }
    // By default only equal cells stay together, so that isomorphs can be in different parts.
    split(&scratch, &[&file], &["a.txt", "b.txt"], &["--ratio", "1:1"]);
    assert_eq!(overlap([&scratch.path("a.txt"), &scratch.path("b.txt")], &["--isomorphic"]), Some(1));
}

#[test]
fn parts_are_the_same_for_a_seed() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", with_isomorphs());
    let parts = |arguments: &[&str]| {
        let all = [&["--ratio", "2:1", "-q"], arguments].concat();
        let (ran, parts) = split(&scratch, &[&file], &["a.txt", "b.txt"], &all);
        assert_eq!((ran.code, &*ran.err), (Some(0), ""));
        parts
    };
    let first = parts(&["-t1"]);
    assert_eq!(parts(&["-t3", "--chunk-bytes", "300", "--no-mmap"]), first);
    assert_eq!(parts(&["--seed", "1"]), first);
    let seeds = ["2", "3", "4"].map(|seed| parts(&["--seed", seed]));
    assert_eq!(seeds.iter().chain([&first]).collect::<HashSet<_>>().len(), 4);
}

#[test]
fn every_part_gets_the_header_and_records_are_unchanged() {
    let scratch = Scratch::new();
    let lines = common::easy_puzzles(40, 9);
    let row = |(id, puzzle)| format!("{id},\"{puzzle}\",\"a\nb\"\r\n");
    let rows: Vec<String> = (0..).zip(&lines).map(row).collect();
    let header = "# by hand\nid,puzzle,note\n";
    let first = scratch.file("p.csv", format!("{header}{}", rows[..25].concat()));
    let second = scratch.file("q.csv", format!("id,puzzle,note\n{}", rows[25..].concat().trim_end()));
    let (ran, parts) = split(&scratch, &[&first, &second], &["a.csv", "b.csv"], &["--ratio", "60:40"]);
    assert_eq!(ran.code, Some(0));
    let (name, other) = (scratch.path("a.csv"), scratch.path("b.csv"));
    let (name, other) = (name.to_str().unwrap(), other.to_str().unwrap());
    let records = format!("{:>1$}  40\n", "records", name.len());
    assert_eq!(ran.err, format!("{records}{name}  24, 60.00 %\n{other}  16, 40.00 %\n"));
    let bodies = parts.iter().map(|part| part.strip_prefix(header).unwrap().replace("\r\n", "\n"));
    let bodies: Vec<String> = bodies.collect();
    assert_eq!(bodies.iter().map(|body| body.matches("\"a\nb\"\n").count()).collect::<Vec<_>>(), [24, 16]);
    let mut rest: Vec<&str> = bodies.iter().map(String::as_str).collect();
    for row in rows.iter().map(|row| row.replace("\r\n", "\n")) {
        let part = rest.iter_mut().find(|part| part.starts_with(&row)).unwrap();
        *part = &part[row.len()..];
    }
    assert_eq!(rest, ["", ""]);
}

#[test]
fn records_that_cannot_be_compared_go_to_the_first_part() {
    let scratch = Scratch::new();
    let empty = ".".repeat(81);
    let others: String = common::easy_puzzles(30, 2).iter().map(|puzzle| format!("{puzzle}\n")).collect();
    let text = format!("{others}bad\n{A}\n{empty}\nworse\n");
    let file = scratch.file("p.txt", &text);
    for (arguments, bad) in
        [(&[][..], &["bad\n", "worse\n"][..]), (&["--same-solution"], &["bad\n", &empty, "worse\n"])]
    {
        let all = [&["--ratio", "1:1"], arguments].concat();
        let (ran, parts) = split(&scratch, &[&file], &["a.txt", "b.txt"], &all);
        assert_eq!(ran.code, Some(1));
        assert_divided(&text, &parts);
        assert_eq!(parts[0].lines().count(), 17, "{}", ran.err);
        assert!(bad.iter().all(|line| parts[0].contains(line)), "{}", parts[0]);
        assert!(ran.err.contains("p.txt:31:1: record 31: malformed"), "{}", ran.err);
        assert!(
            ran.err.contains(&format!("malformed  2, in {}\n", scratch.path("a.txt").display())),
            "{}",
            ran.err
        );
        let improper = ran.err.contains("improper  1, without exactly one solution, in ");
        assert_eq!(improper, bad.len() == 3, "{}", ran.err);
    }
}

#[test]
fn comments_frames_and_titles_stay_with_their_puzzles() {
    let scratch = Scratch::new();
    let lines: Vec<String> = common::easy_puzzles(20, 5).iter().map(ToString::to_string).collect();
    let rows = |line: &str| -> String {
        line.as_bytes().chunks(9).map(|row| format!("|{}|\n", String::from_utf8_lossy(row))).collect()
    };
    let commented = |line: &String| format!("# of {line}\n{line}\n");
    let framed = |line: &String| format!("Of {line}\n+---------+\n{}+---------+\n\n", rows(line));
    let object = |line: &String| format!("{{\"puzzle\": \"{line}\", \"of\": \"{line}\"}}\n");
    let texts: [Vec<String>; 3] = [
        lines.iter().map(commented).collect(),
        lines.iter().map(framed).collect(),
        lines.iter().map(object).collect(),
    ];
    for (text, end) in texts.iter().zip(["# the end", "The end", ""]) {
        let file = scratch.file("p.txt", text.concat() + end);
        for more in [&["-t1"][..], &["-t3", "--chunk-bytes", "200"]] {
            let arguments = [&["--ratio", "10:10"], more].concat();
            let (ran, parts) = split(&scratch, &[&file], &["a.txt", "b.txt"], &arguments);
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            let mut rest: Vec<&str> = parts.iter().map(String::as_str).collect();
            for record in text {
                let part = rest.iter_mut().find(|part| part.starts_with(record)).unwrap();
                *part = &part[record.len()..];
            }
            assert_eq!(rest.concat(), end);
            assert!(parts.iter().all(|part| part.len() > end.len()));
        }
    }
}

#[test]
fn puzzles_of_other_shapes_and_pencilmarks_are_split() {
    let scratch = Scratch::new();
    let mut rng = common::rng(3);
    let shape = Shape::new(2, 3).unwrap();
    let grid = "123456456123231564564231312645645312";
    let copies = (0..40_u64).map(|_| {
        let cells: Vec<u8> = grid.bytes().map(|digit| digit - b'0').collect();
        let moved = Isomorphism::random(shape, &mut rng).apply_to_cells(&cells);
        moved.iter().map(|digit| char::from(b'0' + digit)).collect::<String>() + "\n"
    });
    let text: String = copies.collect();
    let file = scratch.file("p.txt", &text);
    let (ran, parts) = split(&scratch, &[&file], &["a.txt", "b.txt"], &["--ratio", "1:1"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_divided(&text, &parts);
    assert_eq!(parts[0].lines().count(), 20);
    // All records are one puzzle in disguise.
    let (_, parts) = split(&scratch, &[&file], &["a.txt", "b.txt"], &["--ratio", "1:1", "--isomorphic"]);
    assert!(parts.contains(&String::new()) && parts.contains(&text));
    let marks: String = (0..20)
        .map(|cell| ".".repeat(cell) + &(cell % 9 + 1).to_string() + &".".repeat(728 - cell) + "\n")
        .collect();
    let file = scratch.file("m.txt", &marks);
    let (ran, parts) = split(&scratch, &[&file], &["a.txt", "b.txt"], &["--ratio", "1:3"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_divided(&marks, &parts);
    assert_eq!(parts[0].lines().count(), 5);
}

#[test]
fn pipes_standard_output_and_compressed_parts_are_supported() {
    let scratch = Scratch::new();
    let text = format!("{A}\n{B}\n{A}\n");
    let part = scratch.path("b.txt.gz");
    let ran = run(gridmill()
        .args(["split", "--ratio", "1:1", "-q", "-o", "-", "-o"])
        .args([&part])
        .arg("--tmp")
        .arg(scratch.path(""))
        .write_stdin(text));
    assert_eq!((ran.code, &*ran.err), (Some(0), ""));
    assert_eq!(ran.out, format!("{B}\n"));
    assert_eq!(run(gridmill().args(["select", "-q"]).arg(part)).out, format!("{A}\n{A}\n"));
    assert_eq!(scratch.names(), ["b.txt.gz"]);
}

#[test]
fn invalid_splits_are_refused() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{A}\n"));
    let input = file.to_str().unwrap();
    let (one, two) = (scratch.path("a.txt"), scratch.path("b.txt"));
    let (one, two) = (one.to_str().unwrap(), two.to_str().unwrap());
    for (arguments, part) in [
        (&["--ratio", "1:1", "-o", one, "-o", input][..], "is also an input"),
        (&["--ratio", "1:1", "-o", one, "-o", two, "missing.txt"], "missing.txt: can't be opened"),
        (&["-o", one, "-o", two], "--ratio"),
        (&["--ratio", "1:1"], "--output"),
    ] {
        let ran = run(gridmill().arg("split").arg(&file).args(arguments));
        assert!(ran.code == Some(2) && ran.out.is_empty() && ran.err.contains(part), "{part}: {}", ran.err);
    }
    assert_eq!(scratch.names(), ["p.txt"]);
}

#[test]
fn stratified_parts_have_their_share_of_each_value() {
    let scratch = Scratch::new();
    let puzzles = common::mixed_puzzles(1_000, 5);
    let level = |index: usize| ["easy", "hard", ""][[0, 0, 1, 0, 0, 2, 0, 0, 1, 0][index % 10]];
    let rows = puzzles.iter().enumerate().map(|(index, puzzle)| format!("{puzzle},{}\n", level(index)));
    let text = format!("puzzle,level\n{}", rows.collect::<String>());
    let file = scratch.file("p.csv", &text);
    let names = ["a.csv", "b.csv", "c.csv"];
    let divided = |more: &[&str]| {
        let arguments = [&["--ratio", "8:1:1", "--stratify", "level"], more].concat();
        let (ran, parts) = split(&scratch, &[&file], &names, &arguments);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let rows: Vec<String> = parts.iter().map(|part| part.replacen("puzzle,level\n", "", 1)).collect();
        assert_divided(text.split_once('\n').unwrap().1, &rows);
        (ran.err, parts)
    };
    let (summary, parts) = divided(&[]);
    for (level, expected) in [("easy", [560, 70, 70]), ("hard", [160, 20, 20]), ("", [80, 10, 10])] {
        let end = format!(",{level}");
        let counts = parts.iter().map(|part| part.lines().filter(|row| row.ends_with(&end)).count());
        assert_eq!(counts.collect::<Vec<_>>(), expected, "{level}");
    }
    let summary: Vec<&str> = summary.lines().map(str::trim).collect();
    assert!(
        summary.ends_with(&[
            "easy  560 + 70 + 70 of 700",
            "hard  160 + 20 + 20 of 200",
            "(none)  80 + 10 + 10 of 100"
        ]),
        "{summary:?}"
    );
    for more in [&["-t1", "-q"][..], &["-t3", "--chunk-bytes", "700", "--memory", "64K"], &["--no-mmap"]] {
        assert_eq!(divided(more).1, parts, "{more:?}");
    }
    assert_ne!(divided(&["--seed", "2"]).1, parts);
}

#[test]
fn stratified_parts_share_no_isomorphs_and_bad_records_go_to_the_first_part() {
    let scratch = Scratch::new();
    let text = with_isomorphs();
    let file = scratch.file("p.txt", format!("{text}bad\n"));
    let arguments = ["--ratio", "3:1", "--stratify", "clues by 2", "--isomorphic"];
    let (ran, parts) = split(&scratch, &[&file], &["a.txt", "b.txt"], &arguments);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_divided(&format!("{text}bad\n"), &parts);
    assert!(parts[0].ends_with("bad\n"));
    assert_eq!(
        overlap(
            ["a.txt", "b.txt"].map(|name| scratch.path(name)).each_ref().map(|path| &**path),
            &["--isomorphic"]
        ),
        Some(1)
    );
    let clean = scratch.file("a.txt", parts[0].replace("bad\n", ""));
    assert_eq!(overlap([&clean, &scratch.path("b.txt")], &["--isomorphic"]), Some(0));
    // Groups have at most four records, so each stratum is within two of its share.
    let bins = |part: &str| {
        let clues = |line: &str| line.bytes().filter(|byte| (b'1'..=b'9').contains(byte)).count();
        let mut counts = std::collections::BTreeMap::new();
        part.lines().for_each(|line| *counts.entry(clues(line) / 2).or_insert(0_usize) += 1);
        counts
    };
    let [all, second] = [&text, &parts[1]].map(|text| bins(text));
    assert!(all.len() > 2);
    for (bin, count) in all {
        let taken = second.get(&bin).copied().unwrap_or(0);
        assert!((4 * taken).abs_diff(count) <= 12, "{bin}: {taken} of {count}");
    }
}
