//! Threads that can't be started.

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use crate::run::{ends, plainly};
use crate::shim::Fault;
use crate::sweep::{Law, Subject};

#[test]
fn threads_that_can_not_be_had_are_told() {
    for name in ["solve", "rate", "generate", "dedupe", "stats"] {
        let tally = Subject::named(name).each_call("pthread_create", "EAGAIN", "", Law::Either, 9);
        tally.check();
        assert!(tally.refused > 0, "{name}: {tally:?}");
    }
}

/// If the thread that waits for signals can't be started, a signal ends the run at once, as it ends any
/// program.
#[test]
fn signals_end_a_run_that_can_not_wait_for_them() {
    let scratch = tempfile::tempdir().unwrap();
    let mut command = plainly();
    Fault::new("pthread_create", "EAGAIN", "nth=1").strike(&mut command, &scratch.path().join("log"));
    command.args(["solve", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut message = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut message).unwrap();
    assert!(message.starts_with("gridmill: Ctrl-C will end the run at once: "), "{message}");
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let status = ends(&mut child).expect("the signal ends the run");
    assert_eq!(status.signal(), Some(15), "{status}");
}
