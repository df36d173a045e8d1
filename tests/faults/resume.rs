//! Runs with a journal that meet a fault, and are then resumed without one.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::run::{plain_command, wait_for_end};
use crate::shim::Fault;
use crate::sweep::{OPENS, RENAMES, WRITES};

/// The calls that sync a file to the disk.
const SYNCS: &str = "fsync,fdatasync";

const PUZZLE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79\n";

/// The content of the output before a run.
const OLD: &str = "what was there before\n";

/// The command in a folder, with a few puzzles in small chunks.
fn resuming(folder: &Path) -> Command {
    let mut command = plain_command();
    command.args(["canon", "p.txt", "-o", "o.csv", "--resume", "--chunk-bytes", "100"]).current_dir(folder);
    command.env("GRIDMILL_THREADS", "2").stdin(std::process::Stdio::null());
    command.stderr(fs::File::create(folder.join("messages")).unwrap());
    command
}

/// The names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Runs the command with a fault, and then without it. Returns the number of calls that the fault applies to.
fn meet(fault: &Fault, what: &str, rows: &str) -> u64 {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("folder");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("p.txt"), PUZZLE.repeat(20)).unwrap();
    fs::write(folder.join("o.csv"), OLD).unwrap();
    let (mut command, log) = (resuming(&folder), scratch.path().join("log"));
    fault.strike(&mut command, &log);
    let code = wait_for_end(&mut command.spawn().unwrap()).unwrap_or_else(|| panic!("{what}: hangs")).code();
    let messages = fs::read_to_string(folder.join("messages")).unwrap();
    let output = fs::read_to_string(folder.join("o.csv")).unwrap_or_default();
    match code {
        Some(0) => assert_eq!(output, rows, "{what}"),
        Some(2) => {
            assert!(messages.lines().last().is_some_and(|line| line.starts_with("gridmill: ")), "{messages}");
            assert!(output == OLD || output == rows, "{what}: {output}");
        }
        code => panic!("{what}: {code:?} {messages}"),
    }
    assert!(!names(&folder).iter().any(|name| name.ends_with("-tmp")), "{what}: {:?}", names(&folder));
    let again = wait_for_end(&mut resuming(&folder).spawn().unwrap()).and_then(|status| status.code());
    let messages = fs::read_to_string(folder.join("messages")).unwrap();
    assert_eq!(again, Some(0), "{what}, again: {messages}");
    assert_eq!(fs::read_to_string(folder.join("o.csv")).unwrap(), rows, "{what}");
    assert_eq!(names(&folder), ["messages", "o.csv", "p.txt"], "{what}");
    Fault::seen(&log).calls
}

#[test]
fn a_run_with_a_journal_resumes_after_any_fault() {
    let scratch = tempfile::tempdir().unwrap();
    fs::write(scratch.path().join("p.txt"), PUZZLE.repeat(20)).unwrap();
    assert!(resuming(scratch.path()).status().unwrap().success());
    let rows = fs::read_to_string(scratch.path().join("o.csv")).unwrap();
    let mut calls = 0;
    for (names, error) in [
        (WRITES, "ENOSPC"),
        (WRITES, "EIO"),
        (SYNCS, "EIO"),
        (RENAMES, "EIO"),
        (OPENS, "EMFILE"),
        ("ftruncate", "EIO"),
    ] {
        let most = meet(&Fault::new(names, "count", "path=o.csv"), names, &rows);
        for turn in 1..=most {
            let fault = Fault::new(names, error, &format!("path=o.csv,nth={turn}"));
            meet(&fault, &format!("{error} at {turn} of {most} {names}"), &rows);
        }
        calls += most;
    }
    assert!(calls > 10, "{calls}");
}
