//! Runs that are killed at arbitrary moments, and then resumed. `scripts/kill-runs` kills more of them.

use std::io::Write;
use std::process::Command;

use crate::common::{easy_puzzles, wait_until};
use crate::process::Running;
use crate::program::Scratch;

/// How many times each of the concurrent runs is killed.
const KILLS: u64 = 3;

/// Starts a run.
fn start(scratch: &Scratch, name: &str) -> Running {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gridmill"));
    command.args(["verify", "-", "--all", "--resume", "-q", "-o", name]);
    Running::spawn(command.current_dir(scratch.path("")))
}

/// Runs a command to its end, and returns its output.
fn finish(scratch: &Scratch, name: &str, lines: &[String]) -> Vec<u8> {
    let mut run = start(scratch, name);
    run.stdin.take().unwrap().write_all(lines.concat().as_bytes()).unwrap();
    assert!(run.end().is_some());
    std::fs::read(scratch.path(name)).unwrap()
}

/// Starts a run, and kills it after its journal has changed `entries` times and the run has received `more`
/// further records.
fn kill(scratch: &Scratch, name: &str, lines: &[String], entries: u64, more: usize) {
    let mut run = start(scratch, name);
    let mut input = run.stdin.take().unwrap();
    let mut lines = lines.iter();
    let mut send = |count: usize| {
        let sent: String = lines.by_ref().take(count).map(String::as_str).collect();
        input.write_all(sent.as_bytes()).unwrap();
        sent.is_empty()
    };
    let journal = || std::fs::read(scratch.path(&format!("{name}.journal"))).unwrap_or_default();
    send(200);
    for _ in 0..entries {
        let before = journal();
        // Written rows are added to the journal once some time has passed since its last entry. Records that
        // an earlier run has read add nothing.
        wait_until("the journal changes, or all lines are sent", || send(1) || journal() != before);
    }
    send(more);
}

#[test]
fn a_run_that_is_killed_at_any_moment_loses_nothing() {
    let lines: Vec<String> = easy_puzzles(1_200, 3).iter().map(|puzzle| format!("{puzzle}\n")).collect();
    let whole = finish(&Scratch::new(), "o.csv.gz", &lines);
    // The runs are concurrent, because each of them waits for its journal.
    std::thread::scope(|scope| {
        for run in 0..4 {
            let (lines, whole) = (&lines, &whole);
            scope.spawn(move || assert_kills_lose_nothing(run, lines, whole));
        }
    });
}

fn assert_kills_lose_nothing(run: u64, lines: &[String], whole: &[u8]) {
    let scratch = Scratch::new();
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15 + run;
    for turn in 0..KILLS {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(turn);
        kill(&scratch, "o.csv.gz", lines, (state >> 33) % 3, (state >> 40) as usize % 60);
        if state.is_multiple_of(3) {
            assert!(finish(&scratch, "o.csv.gz", lines) == whole, "run {run}, after kill {turn}");
            assert_eq!(scratch.names(), ["o.csv.gz"]);
        }
    }
    assert!(finish(&scratch, "o.csv.gz", lines) == whole, "run {run}");
    assert_eq!(scratch.names(), ["o.csv.gz"]);
}
