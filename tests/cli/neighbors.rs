//! `gridmill neighbors`: the puzzles that it finds are proper, minimal and new, and a hunt gives the same
//! rows however it is run.

use std::collections::{HashMap, HashSet};
use std::process::Command;

use gridmill_core::minlex::Minlex;
use gridmill_core::{EngineKind, Puzzle, SolutionLimit};

use crate::common::wait_until;
use crate::process::Running;
use crate::program::{Ran, Scratch, gridmill, run};

/// Minimal puzzles that have neighbors.
fn puzzles(count: usize) -> Vec<&'static str> {
    include_str!("../../datasets/minimal.txt").lines().take(count).collect()
}

fn scratch(count: usize) -> Scratch {
    let scratch = Scratch::new();
    scratch.file("p.txt", puzzles(count).join("\n") + "\n");
    scratch
}

/// Runs a command in a folder.
fn neighbors(scratch: &Scratch, arguments: &str) -> Ran {
    run(gridmill().arg("neighbors").args(arguments.split(' ')).current_dir(scratch.path("")))
}

fn form(puzzle: &str) -> String {
    Minlex::new().canonical(&puzzle.parse().unwrap()).unwrap().form.to_string()
}

fn solutions(puzzle: &str) -> u64 {
    let puzzle: Puzzle = puzzle.parse().unwrap();
    EngineKind::DancingLinks.build().solve(&puzzle, SolutionLimit::UNIQUENESS).solutions
}

#[test]
fn neighbors_are_proper_minimal_and_new_and_list_the_exchanged_clues() {
    let scratch = scratch(4);
    let ran = neighbors(&scratch, "p.txt");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let known: HashSet<String> = puzzles(4).into_iter().map(form).collect();
    let mut forms = HashSet::new();
    for row in ran.rows() {
        let (from, puzzle) = (puzzles(4)[row[0].parse::<usize>().unwrap() - 1], &row[1]);
        assert!(
            form(puzzle) == row[2] && !known.contains(&row[2]) && forms.insert(row[2].clone()),
            "{row:?}"
        );
        assert_eq!(solutions(puzzle), 1);
        for cell in 0..81 {
            let at = |text: &str| text.as_bytes()[cell];
            let expected = if at(&row[4]) != b'.' {
                at(&row[4])
            } else if at(&row[3]) != b'.' {
                b'.'
            } else {
                at(from)
            };
            assert_eq!(at(puzzle), expected);
            if at(puzzle) != b'.' {
                let mut fewer = puzzle.clone();
                fewer.replace_range(cell..=cell, ".");
                assert_eq!(solutions(&fewer), 2);
            }
        }
    }
    assert!(forms.len() > 100);
    let all = neighbors(&scratch, "p.txt --all");
    assert!(all.rows().len() > forms.len());
}

#[test]
fn rows_are_the_same_for_any_threads_chunks_memory_and_processor() {
    let scratch = scratch(40);
    let expected = neighbors(&scratch, "p.txt --threads 1").out;
    for arguments in ["p.txt --threads 3 --chunk-bytes 500", "p.txt --memory 64K"] {
        assert!(neighbors(&scratch, arguments).out == expected, "{arguments}");
    }
    let mut portable = gridmill();
    portable.args(["neighbors", "p.txt"]).env("GRIDMILL_CPU", "portable").current_dir(scratch.path(""));
    assert!(run(&mut portable).out == expected);
}

#[test]
fn each_lists_the_neighbors_of_every_puzzle_and_shards_add_up_to_it() {
    let scratch = scratch(9);
    scratch.file("p.txt", [puzzles(9), puzzles(2)].concat().join("\n") + "\n");
    let each = neighbors(&scratch, "p.txt --each -q").rows();
    let of = |record: &str| -> Vec<String> {
        each.iter().filter(|row| row[0] == record).map(|row| row[1].clone()).collect()
    };
    assert!(of("1") == of("10") && !of("1").is_empty());
    let parts =
        (1..=3).flat_map(|part| neighbors(&scratch, &format!("p.txt --each --shard {part}/3 -q")).rows());
    assert!(parts.collect::<Vec<_>>() == each);
    // Without --each, the second of two equal puzzles adds nothing.
    let distinct = neighbors(&scratch, "p.txt -q").rows();
    assert!(!distinct.iter().any(|row| row[0] == "10"));
}

#[test]
fn against_excludes_known_puzzles_and_er_and_clues_filter_neighbors() {
    let scratch = scratch(6);
    let all = neighbors(&scratch, "p.txt -o all.csv").code;
    assert_eq!(all, Some(0));
    let rows =
        run(gridmill().args(["convert", "all.csv", "--to", "csv"]).current_dir(scratch.path(""))).rows();
    let again = neighbors(&scratch, "p.txt --against all.csv -q");
    assert!(rows.len() > 100 && again.rows().is_empty() && again.code == Some(0));

    let rated = neighbors(&scratch, "p.txt --er 3.0..4.5 -q").rows();
    let rate = run(gridmill()
        .args(["rate", "all.csv", "-q", "--columns", "puzzle,er"])
        .current_dir(scratch.path("")));
    let within = |row: &&Vec<String>| row[1].parse::<f64>().is_ok_and(|er| (3.0..=4.5).contains(&er));
    let expected: HashMap<String, String> =
        rate.rows().iter().filter(within).map(|row| (row[0].clone(), row[1].clone())).collect();
    assert!(!expected.is_empty());
    assert_eq!(rated.iter().map(|row| (row[1].clone(), row[5].clone())).collect::<HashMap<_, _>>(), expected);

    let clues = |row: &Vec<String>| row[1].bytes().filter(|&cell| cell != b'.').count();
    let fewer = neighbors(&scratch, "p.txt --remove 2 --clues ..23 -q").rows();
    assert!(fewer.iter().all(|row| clues(row) <= 23));
}

#[test]
fn each_round_starts_from_the_puzzles_of_the_previous_round() {
    let scratch = scratch(1);
    let ran = neighbors(&scratch, "p.txt --rounds 2 --summary s.json");
    let rows = ran.rows();
    let of = |round: &str| rows.iter().filter(|row| row[0] == round).collect::<Vec<_>>();
    let (first, second) = (of("1"), of("2"));
    assert!(!first.is_empty() && !second.is_empty());
    assert_eq!(rows.iter().map(|row| &row[3]).collect::<HashSet<_>>().len(), rows.len());
    for row in second.iter().take(50) {
        let from = &first[row[1].parse::<usize>().unwrap() - 1][2];
        let differing = from.bytes().zip(row[2].bytes()).filter(|(one, other)| one != other).count();
        assert!((1..=2).contains(&differing));
    }
    let summary: serde_json::Value =
        serde_json::from_slice(&std::fs::read(scratch.path("s.json")).unwrap()).unwrap();
    assert_eq!(summary["neighbors"], rows.len());
    assert_eq!(summary["rounds"][1]["new"], second.len());
}

#[test]
fn records_that_are_not_proper_puzzles_have_no_neighbors() {
    let scratch = scratch(1);
    let text = [&".".repeat(81), "abc", puzzles(1)[0]].join("\n") + "\n";
    scratch.file("q.txt", &text);
    let ran = neighbors(&scratch, "q.txt");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("q.txt:2:1: record 2: malformed"), "{}", ran.err);
    assert!(ran.rows().iter().all(|row| row[0] == "3") && !ran.rows().is_empty());
    scratch.file("16.txt", format!("1G{}\n", ".".repeat(254)));
    let ran = neighbors(&scratch, "16.txt");
    assert!(
        ran.code == Some(2) && ran.err.contains("neighbors are for puzzles of one size up to 9x9"),
        "{}",
        ran.err
    );
}

#[test]
fn a_resumed_hunt_writes_the_same_bytes_as_an_uninterrupted_one() {
    let scratch = scratch(20);
    let options = "p.txt --add 2 --remove 1 --resume -q --threads 1";
    let whole = neighbors(&scratch, &format!("{options} -o whole.csv"));
    assert_eq!(whole.code, Some(0), "{}", whole.err);
    let journal = scratch.path("o.csv.hunt/1.each.csv.journal");
    let has_rows = || std::fs::read_to_string(&journal).is_ok_and(|text| text.contains("\"written\":{"));
    let mut run = Command::new(env!("CARGO_BIN_EXE_gridmill"));
    let arguments = format!("neighbors {options} -o o.csv");
    let mut run = Running::spawn(run.args(arguments.split(' ')).current_dir(scratch.path("")));
    wait_until("the journal counts rows, or the run ends", || has_rows() || scratch.path("o.csv").exists());
    run.interrupt();
    let code = run.end();
    assert!(code == Some(130) || code == Some(0));
    let other = neighbors(&scratch, &format!("{options} -o o.csv --all"));
    if code == Some(130) {
        assert!(other.code == Some(2) && other.err.contains("belongs to another run"), "{}", other.err);
    }
    let resumed = neighbors(&scratch, &format!("{options} -o o.csv"));
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    let read = |name: &str| std::fs::read(scratch.path(name)).unwrap();
    assert!(read("o.csv") == read("whole.csv"));
    assert!(!scratch.path("o.csv.hunt").exists());
}

#[test]
fn a_hunt_resumed_after_its_search_remembers_malformed_records() {
    let scratch = scratch(2);
    let puzzles = std::fs::read_to_string(scratch.path("p.txt")).unwrap();
    scratch.file("q.txt", puzzles + "bad\n");
    // The search ends, but the folder that the comparison needs is not there yet.
    let options = "q.txt --resume -q --tmp later -o o.csv";
    let stopped = neighbors(&scratch, options);
    assert!(stopped.code == Some(2) && scratch.path("o.csv.hunt/1.each.csv").exists(), "{}", stopped.err);
    std::fs::create_dir(scratch.path("later")).unwrap();
    let resumed = neighbors(&scratch, options);
    assert_eq!(resumed.code, Some(1), "{}", resumed.err);
    assert!(scratch.path("o.csv").exists());
}
