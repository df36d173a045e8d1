//! Limits and events of the system: threads that can't be started, limits on memory, and events that may come
//! at any time and must change nothing, e.g. a read of only 3 bytes.

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use crate::run::{plain_command, wait_for_end};
use crate::shim::Fault;
use crate::sweep::{Law, READS, Subject, Tally, WAITS, WRITES};

/// The smallest address space, in KiB, in which the program can print its version.
static LEAST: LazyLock<u64> = LazyLock::new(|| {
    let runs = |kilobytes: &u64| {
        let mut command = within(*kilobytes);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
    };
    (0..).map(|count| count * 1_000).find(runs).unwrap()
});

/// The command for the program with an address space of `kilobytes` KiB.
fn within(kilobytes: u64) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"")]);
    command.arg(plain_command().get_program());
    command
}

/// Runs a job with more and more address space, from the least that the program needs to load, until it has
/// succeeded three times. A run may abort, because the runtime aborts the process when one of its own
/// allocations fails.
pub(crate) fn steps(subject: &Subject, step: u64) -> Tally {
    let mut tally = Tally::default();
    for kilobytes in (0..).map(|count| *LEAST + count * step) {
        let what = format!("ulimit -v {kilobytes}");
        subject.by(&mut tally, &what, &|| within(kilobytes), Law::Memory);
        if tally.ordinary == 3 {
            break;
        }
    }
    tally
}

/// The memory for xz is reserved beforehand, so that a run without enough memory ends with a message.
#[test]
fn too_little_memory_for_xz_is_reported() {
    let tally = steps(&Subject::named("canon to .xz"), 1_000);
    tally.check();
    let names_output = |message: &&String| message.ends_with("o.csv.xz: out of memory");
    assert!(tally.messages.keys().any(|message| names_output(&message)), "{tally:?}");
    assert!(tally.aborted <= 1, "{tally:?}");
}

#[test]
fn too_little_memory_is_reported() {
    for name in ["solve", "dedupe"] {
        let tally = steps(&Subject::named(name), 4_000);
        tally.check();
        assert!(tally.refused > 0, "{name}: {tally:?}");
    }
}

#[test]
fn threads_that_cannot_start_are_reported() {
    for name in ["solve", "rate", "generate", "dedupe", "stats"] {
        let tally = Subject::named(name).each_call("pthread_create", "EAGAIN", "", Law::Either, 9);
        tally.check();
        assert!(tally.refused > 0, "{name}: {tally:?}");
    }
}

/// If the thread that waits for signals can't be started, a signal ends the run at once, as it ends any
/// program.
#[test]
fn signals_end_a_run_that_cannot_wait_for_them() {
    let scratch = tempfile::tempdir().unwrap();
    let mut command = plain_command();
    Fault::new("pthread_create", "EAGAIN", "nth=1").strike(&mut command, &scratch.path().join("log"));
    command.args(["solve", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut message = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut message).unwrap();
    assert!(message.starts_with("gridmill: Ctrl-C will end the run immediately: "), "{message}");
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let status = wait_for_end(&mut child).expect("the signal ends the run");
    assert_eq!(status.signal(), Some(15), "{status}");
}

const NAMES: [&str; 7] =
    ["solve", "solve, not mapped", "solve .gz", "count .zst", "canon .xz", "canon, piped .zip", "split"];

#[test]
fn reads_and_writes_of_few_bytes_change_nothing() {
    for name in NAMES {
        Subject::named(name).under(&format!("{READS},{WRITES}"), "short=3", &[""], Law::Harmless).check();
    }
}

#[test]
fn interrupted_calls_are_retried() {
    for name in NAMES {
        let calls = format!("{READS},{WRITES},{WAITS},openat,open,ftruncate,fallocate");
        Subject::named(name).under(&calls, "EINTR", &["every=2", "every=3"], Law::Harmless).check();
    }
}

#[test]
fn clocks_that_go_back_change_nothing() {
    for name in ["solve", "solve, piped", "rate", "generate"] {
        Subject::named(name)
            .under("clock", "back=1000", &["every=2", "every=3", "from=5"], Law::Harmless)
            .check();
    }
}
