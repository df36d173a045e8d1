//! The program as a process: start, interruption and restart.

use std::path::Path;
use std::process::{Command, Output};

fn soak(state: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gridmill-soak"));
    command.arg("--state").arg(state).args(arguments);
    command
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_second_run_continues_the_first_one() {
    let state = tempfile::tempdir().unwrap();
    let first = soak(state.path(), &["--puzzles", "3000"]).output().unwrap();
    assert_eq!(first.status.code(), Some(0), "{}", stderr(&first));
    assert!(stderr(&first).ends_with("done: no difference\n"), "{}", stderr(&first));
    let second = soak(state.path(), &["--puzzles", "4000"]).output().unwrap();
    assert!(stderr(&second).starts_with("continuing at round 1, after "), "{}", stderr(&second));
    let fresh = soak(state.path(), &["--puzzles", "1", "--fresh"]).output().unwrap();
    assert!(!stderr(&fresh).contains("continuing"), "{}", stderr(&fresh));
    let log = std::fs::read_to_string(state.path().join("soak.log")).unwrap();
    assert_eq!(log.matches("done: no difference").count(), 3, "{log}");
}

#[test]
fn a_single_round_can_be_run() {
    let state = tempfile::tempdir().unwrap();
    let output = soak(state.path(), &["--seed", "7", "--round", "3"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(String::from_utf8(output.stdout).unwrap().ends_with("seed 7, round 3: no difference\n"));
}

#[test]
fn a_saved_state_with_another_seed_is_rejected() {
    let state = tempfile::tempdir().unwrap();
    assert!(soak(state.path(), &["--puzzles", "1"]).output().unwrap().status.success());
    let other = soak(state.path(), &["--puzzles", "1", "--seed", "2"]).output().unwrap();
    assert_eq!(other.status.code(), Some(2));
    assert!(stderr(&other).contains("--fresh"), "{}", stderr(&other));
}

#[cfg(unix)]
#[test]
fn sigterm_saves_the_state_and_exits_with_130() {
    use std::process::Stdio;
    use std::time::Duration;

    let state = tempfile::tempdir().unwrap();
    let mut child = soak(state.path(), &[]).stderr(Stdio::piped()).spawn().unwrap();
    while !state.path().join("state.json").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "the run ended before the signal");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("interrupted: no difference so far"), "{}", stderr(&output));
    let second = soak(state.path(), &["--puzzles", "1"]).output().unwrap();
    assert!(stderr(&second).starts_with("continuing at round "), "{}", stderr(&second));
}
