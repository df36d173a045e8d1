//! `gridmill bench`, as a user runs it.

#[path = "common/cli.rs"]
mod cli;
mod common;

use cli::{Ran, Scratch, gridmill, run};

const CLASSICS: &str = "datasets/classics.txt";

fn bench(arguments: &[&str]) -> Ran {
    run(gridmill().arg("bench").args(arguments))
}

#[test]
fn figures_for_programs() {
    let options =
        [CLASSICS, "--no-permute", "--rounds", "2", "--export", "json", "--engine", "lockstep,bitmask"];
    let ran = bench(&options);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let lines: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let names: Vec<_> =
        lines.as_array().unwrap().iter().map(|line| line["engine"].as_str().unwrap()).collect();
    assert_eq!(names, ["lockstep", "bitmask"]);
    let (guesses, _) = common::SIGNATURE.split_once(' ').unwrap();
    let a_puzzle = lines[0]["guesses_per_puzzle"].as_f64().unwrap();
    assert_eq!((a_puzzle * 41.0).round().to_string(), guesses);
    assert!(lines.as_array().unwrap().iter().all(|line| line["puzzles_per_second"].as_f64().unwrap() > 0.0));
    assert!(lines.as_array().unwrap().iter().all(|line| line["rounds"] == 2));
}

/// The same seed, the same isomorphs, and so the same guesses; another seed, others.
#[test]
fn isomorphs_come_from_the_seed() {
    let guesses = |seed: &str| {
        let ran = bench(&[CLASSICS, "--rounds", "1", "--export", "csv", "--seed", seed]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        cli::rows(ran.out.as_bytes()).into_iter().map(|row| row[7].clone()).collect::<Vec<_>>()
    };
    assert_eq!(guesses("1"), guesses("1"));
    assert_ne!(guesses("1"), guesses("2"));
}

#[test]
fn tables_for_people() {
    let table = bench(&[CLASSICS, "--rounds", "1", "--threads", "2"]);
    assert_eq!(table.code, Some(0), "{}", table.err);
    assert!(table.out.contains("2 threads") && table.out.contains("classics.txt"), "{}", table.out);
    let markdown = bench(&[CLASSICS, "--rounds", "1", "--export", "md"]);
    let widths: Vec<usize> = markdown.out.lines().map(|line| line.chars().count()).collect();
    assert_eq!(widths.len(), 4, "{}", markdown.out);
    assert!(widths.iter().all(|width| *width == widths[0]), "{}", markdown.out);
}

#[test]
fn what_cannot_be_measured() {
    let scratch = Scratch::new();
    let bad = scratch.file("bad.txt", "nothing\n");
    let empty = scratch.file("empty.txt", "");
    for (arguments, message) in [
        (vec![CLASSICS, "--engine", "quick"], "no engine 'quick'"),
        (vec!["missing.txt"], "missing.txt: can't be opened"),
        (vec![bad.to_str().unwrap()], "bad.txt: 1 of its records are no puzzles"),
        (vec![empty.to_str().unwrap()], "or it has none"),
        (vec![CLASSICS, "--rounds", "0"], "is not in 1..="),
    ] {
        let ran = bench(&arguments);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains(message), "{message}: {}", ran.err);
    }
}
