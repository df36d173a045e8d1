//! `gridmill enumerate`: lists of many puzzles at once.

use std::collections::HashMap;
use std::path::Path;

use crate::common;
use crate::program::{Ran, Scratch, gridmill, run};

/// Puzzles with 75, 69 and 1,122 solutions, two with one solution, a malformed record, and a conflict.
fn mixed_records(scratch: &Scratch) -> std::path::PathBuf {
    let several: Vec<&str> = include_str!("../../datasets/multiple.txt").lines().collect();
    let [proper, other] =
        [0, 1].map(|line| include_str!("../../datasets/easy.txt").lines().nth(line).unwrap());
    let conflict = format!("11{}", ".".repeat(79));
    let records = [several[0], "..12", several[1], &conflict, several[118], proper, other];
    scratch.file("p.txt", records.map(|record| format!("{record}\n")).concat())
}

fn enumerate(path: &Path, arguments: &[&str]) -> Ran {
    run(gridmill().arg("enumerate").arg(path).args(arguments))
}

/// The solutions of each record, in order.
fn lists(ran: &Ran) -> HashMap<String, Vec<String>> {
    let mut lists: HashMap<String, Vec<String>> = HashMap::new();
    for row in ran.rows() {
        lists.entry(row[0].clone()).or_default().push(row[1].clone());
    }
    lists
}

#[test]
fn a_limit_lists_the_first_solutions_of_the_whole_list() {
    let scratch = Scratch::new();
    let file = mixed_records(&scratch);
    for engine in ["auto", "lockstep", "bitmask", "dancing-links"] {
        let all = lists(&enumerate(&file, &["--engine", engine]));
        assert!(all.values().any(|list| list.len() > 1024) && all["6"].len() == 1);
        for limit in [1, 2, 70, 1030] {
            let ran = enumerate(&file, &["--engine", engine, "--limit", &limit.to_string()]);
            let listed = lists(&ran);
            assert_eq!(listed.len(), all.len());
            for (record, list) in &listed {
                let first = &all[record][..all[record].len().min(limit)];
                assert_eq!(list, first, "{engine}, limit {limit}, record {record}");
            }
        }
    }
}

#[test]
fn rows_are_the_same_for_any_threads_chunks_and_backends() {
    let scratch = Scratch::new();
    let file = mixed_records(&scratch);
    for limit in ["0", "2"] {
        let expected = enumerate(&file, &["--limit", limit, "--engine", "lockstep"]).out;
        for backend in common::backends() {
            let ran = enumerate(&file, &["--limit", limit, "--backend", backend.name()]);
            assert!(ran.out == expected, "{backend}");
        }
        let expected = enumerate(&file, &["--limit", limit]).out;
        for arguments in [["-t", "1"], ["-t", "3"], ["--chunk-bytes", "100"], ["--chunk-bytes", "300"]] {
            let ran = enumerate(&file, &[&["--limit", limit], &arguments[..]].concat());
            assert!(ran.out == expected, "{arguments:?}");
        }
    }
}

#[test]
fn record_numbers_include_malformed_records_and_conflicts() {
    let scratch = Scratch::new();
    let file = mixed_records(&scratch);
    let ran = enumerate(&file, &["--limit", "2"]);
    assert_eq!(ran.code, Some(1));
    let records: Vec<String> = ran.rows().into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(records, ["1", "1", "3", "3", "5", "5", "6", "7"]);
    assert!(ran.err.contains(":2:5: record 2") && ran.err.contains(":4:1: record 4"), "{}", ran.err);
    assert!(ran.err.contains("solutions  8"), "{}", ran.err);
    let twice = run(gridmill().arg("enumerate").args([&file, &file]).args(["--limit", "1", "-q"]));
    let records: Vec<String> = twice.rows().into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(records, ["1", "3", "5", "6", "7", "8", "10", "12", "13", "14"]);
}

/// The puzzle may have a second solution, because the search ends at the first one.
#[test]
fn with_a_limit_of_one_no_puzzle_is_called_unique() {
    let scratch = Scratch::new();
    let file = mixed_records(&scratch);
    let one = enumerate(&file, &["--limit", "1"]).err;
    assert!(one.contains("solved                 5") && !one.contains("unique"), "{one}");
    let two = enumerate(&file, &["--limit", "2"]).err;
    assert!(two.contains("unique                 2") && two.contains("multiple               3"), "{two}");
}

#[test]
fn changes_are_relative_to_the_first_solution_of_each_puzzle() {
    let scratch = Scratch::new();
    let file = mixed_records(&scratch);
    let rows = enumerate(&file, &["--changes", "--limit", "3", "-q"]).rows();
    let mut first: HashMap<&str, &str> = HashMap::new();
    for row in &rows {
        let first = *first.entry(&row[0]).or_insert(&row[1]);
        let change = |(before, now)| if before == now { '.' } else { now };
        let expected: String = first.chars().zip(row[1].chars()).map(change).collect();
        assert_eq!(row[2], expected);
    }
    assert!(rows.iter().filter(|row| row[2].chars().any(|cell| cell != '.')).count() == 6);
}

/// Other shapes up to 16x16 are searched in lanes too. Larger shapes and mixed sizes are searched one by one.
#[test]
fn other_shapes_are_listed_up_to_a_limit() {
    let scratch = Scratch::new();
    let six = include_str!("../../datasets/6x6.txt").lines().next().unwrap();
    let large = "1".to_owned() + &".".repeat(624);
    let blank = [16, 36].map(|cells| ".".repeat(cells));
    for (name, text, arguments, expected) in [
        ("six.txt", format!("{}\n{six}\n", blank[1]), &["--limit", "300"][..], 301),
        ("large.txt", large, &["--alphabet", "1-9A-P", "--limit", "3"], 3),
        ("mixed.txt", format!("{}\n{}\n", blank[0], blank[1]), &["--mixed", "--limit", "290"], 288 + 290),
    ] {
        let ran = enumerate(&scratch.file(name, text), arguments);
        assert_eq!((ran.code, ran.rows().len()), (Some(0), expected), "{name}: {}", ran.err);
        let distinct: std::collections::HashSet<_> = ran.rows().into_iter().collect();
        assert_eq!(distinct.len(), expected, "{name}");
    }
}
