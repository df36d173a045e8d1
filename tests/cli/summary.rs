//! `--summary` of every command, and the meanings of options, which are the same in all commands.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::{as_lines, easy_puzzles};
use crate::program::{Scratch, gridmill, run};

/// Three puzzles, each with a solution, and a malformed record.
const RECORDS: u64 = 4;

fn table() -> String {
    let rows = |puzzle: &str| format!("{puzzle},{puzzle}\n");
    let rows: String = as_lines(&easy_puzzles(3, 7)).lines().map(rows).collect();
    format!("puzzle,solution\n{rows}12,34\n")
}

#[test]
fn every_command_writes_its_summary_as_json() {
    let scratch = Scratch::new();
    let file = scratch.file("a.csv", table());
    let (file, rows) = (file.to_str().unwrap(), scratch.path("rows"));
    let rows = rows.to_str().unwrap();
    let (other, book) = (format!("{rows}.csv"), format!("{rows}.svg"));
    let commands = [
        &["solve", file][..],
        &["count", file, "--limit", "3"],
        &["enumerate", file],
        &["candidates", file],
        &["rate", file],
        &["explain", file],
        &["hint", file],
        &["minimize", file],
        &["minimal", file],
        &["backdoors", file],
        &["unavoidable", file, "--cells", "6"],
        &["shuffle", file],
        &["convert", file],
        &["canon", file],
        &["verify", file, "-q"],
        &["check", file, "-q"],
        &["dedupe", file, "-o", rows],
        &["overlap", file, file, "-o", rows],
        &["select", file, "--clues", "1.."],
        &["sort", file, "--by", "clues"],
        &["split", file, "--ratio", "1:1", "-o", rows, "-o", &other],
        &["stats", file],
        &["book", file, "-o", &book],
    ];
    for arguments in commands {
        let path = scratch.path("summary.json");
        let ran = run(gridmill().args(arguments).arg("--summary").arg(&path));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{arguments:?}: {}", ran.err));
        let summary: Value = serde_json::from_str(&text).unwrap();
        let records = match &summary["records"] {
            Value::Array(both) => both[0].as_u64(),
            records => records.as_u64(),
        };
        assert_eq!(records, Some(RECORDS), "{arguments:?}: {text}");
        std::fs::remove_file(path).unwrap();
    }
    let path = scratch.path("made.json");
    let ran = run(gridmill().args(["generate", "-n", "3", "--summary"]).arg(&path));
    let summary: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!((ran.code, summary["puzzles"].as_u64()), (Some(0), Some(3)));

    let help = run(gridmill().arg("--help")).out;
    let names = help.lines().filter_map(|line| line.strip_prefix("  ")?.split_once(' '));
    let names = names.map(|(name, _)| name).filter(|name| !["", "help", "generate"].contains(name));
    // A hunt has a summary of its own, which `neighbors.rs` tests.
    let names = names.filter(|name| *name != "neighbors");
    let has_summary = |name: &&str| run(gridmill().args([name, "--help"])).out.contains("--summary");
    for name in names.filter(has_summary) {
        assert!(commands.iter().any(|command| command[0] == name), "{name} is not tested");
    }
}

#[test]
fn figures_in_summaries_are_numbers() {
    let scratch = Scratch::new();
    let file = scratch.file("a.csv", table());
    let summary = |arguments: &[&str]| {
        let ran = run(gridmill()
            .args(arguments)
            .arg(&file)
            .args(["-q", "-o"])
            .arg(scratch.path("rows"))
            .args(["--summary", "-"]));
        serde_json::from_str::<Value>(&ran.out).unwrap()
    };
    let solved = summary(&["solve"]);
    assert_eq!((&solved["statuses"]["unique"], &solved["statuses"]["malformed"]), (&3.into(), &1.into()));
    assert_eq!(summary(&["enumerate"])["solutions"], 3);
    let left = &summary(&["minimize"])["clues"];
    assert!(left["left"].as_u64() < left["before"].as_u64() && left["puzzles"] == 3, "{left}");
    let rated = summary(&["rate"]);
    let ratings: u64 = rated["ratings"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
    assert_eq!((ratings, rated["scale"].is_string()), (3, true), "{rated}");
    assert_eq!(summary(&["select", "--clues", "1.."])["selected"], 3);
    assert_eq!(summary(&["verify"])["files"][0]["verdicts"]["malformed"], 1);
}

/// Options whose meaning differs between commands, e.g. because `--all` and `--limit` are about different
/// things, `bench` has its own threads and engines, and `generate` doesn't have to detect the shape.
const WITH_SEVERAL_MEANINGS: &[&str] = &[
    "--all",
    "--limit",
    "--to",
    "--grid",
    "--output",
    "--columns",
    "--record",
    "--rounds",
    "--seed",
    "--engine",
    "--threads",
    "--quiet",
    "--shape",
    "--help",
    "--version",
];

/// The options of a command, each with the first line of its help, without what commands add to it.
fn options(command: &str) -> Vec<(String, String)> {
    let help = run(gridmill().args([command, "--help"]).env("COLUMNS", "2000")).out;
    let lines: Vec<&str> = help.lines().collect();
    let option = |(at, line): (usize, &&str)| {
        let text = line.trim_start();
        let name = text.split([' ', ',']).find(|word| word.starts_with("--"))?;
        let is_head = line.starts_with("  ") && text.starts_with('-') && line.len() < 80;
        let meaning = lines.get(at + 1)?.trim();
        let meaning = meaning.split(['[', ';', ':', '(']).next()?.split(", e.g.").next()?.trim();
        is_head.then(|| (name.to_owned(), meaning.to_owned()))
    };
    lines.iter().enumerate().filter_map(option).collect()
}

#[test]
fn an_option_has_the_same_meaning_in_all_commands() {
    let commands = run(gridmill().arg("--help")).out;
    let commands = commands.lines().skip_while(|line| *line != "Commands:").skip(1);
    let mut meanings: BTreeMap<String, BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    for command in commands.map_while(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        for (name, meaning) in options(command) {
            meanings.entry(name).or_default().entry(meaning).or_default().push(command);
        }
    }
    assert!(meanings.len() > 80, "{meanings:?}");
    meanings.retain(|name, meanings| meanings.len() > 1 && !WITH_SEVERAL_MEANINGS.contains(&name.as_str()));
    assert!(meanings.is_empty(), "these have several meanings: {meanings:#?}");
}
