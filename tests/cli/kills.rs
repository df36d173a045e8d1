//! Runs that are killed at moments that nobody chose, and gone on with. `scripts/kill-runs` kills more of them.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::easy_puzzles;
use crate::program::Scratch;

/// Kills that are made, some of them of one run in a row.
const KILLS: u64 = 10;

/// Starts a run whose input comes in a second or so.
fn start(scratch: &Scratch, name: &str, lines: &[String]) -> (Child, std::thread::JoinHandle<()>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gridmill"))
        .args(["verify", "-", "--all", "--resume", "-q", "-o", name])
        .current_dir(scratch.path(""))
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (mut input, lines) = (child.stdin.take().unwrap(), lines.to_vec());
    let feed = move || {
        for portion in lines.chunks(lines.len() / 40) {
            // A run that is killed reads no more.
            if input.write_all(portion.concat().as_bytes()).is_err() {
                break;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
    };
    (child, std::thread::spawn(feed))
}

/// Runs a command to its end, and returns what it wrote.
fn finish(scratch: &Scratch, name: &str, lines: &[String]) -> Vec<u8> {
    let (mut child, feeder) = start(scratch, name, lines);
    assert!(child.wait().unwrap().code().is_some());
    feeder.join().unwrap();
    std::fs::read(scratch.path(name)).unwrap()
}

#[test]
fn a_run_that_is_killed_at_any_moment_loses_nothing() {
    let lines: Vec<String> = easy_puzzles(1_200, 3).iter().map(|puzzle| format!("{puzzle}\n")).collect();
    let scratch = Scratch::new();
    let whole = finish(&scratch, "one.csv.gz", &lines);
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    for kill in 0..KILLS {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(kill);
        let (mut child, feeder) = start(&scratch, "o.csv.gz", &lines);
        std::thread::sleep(Duration::from_millis((state >> 33) % 1_100));
        child.kill().unwrap();
        child.wait().unwrap();
        feeder.join().unwrap();
        if state.is_multiple_of(3) {
            assert!(finish(&scratch, "o.csv.gz", &lines) == whole, "after kill {kill}");
            assert_eq!(scratch.names(), ["o.csv.gz", "one.csv.gz"]);
        }
    }
    assert!(finish(&scratch, "o.csv.gz", &lines) == whole);
    assert_eq!(scratch.names(), ["o.csv.gz", "one.csv.gz"]);
}
