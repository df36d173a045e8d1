//! Runs with a limit on memory.

use std::process::{Command, Stdio};
use std::sync::LazyLock;

use crate::run::plainly;
use crate::sweep::{Law, Subject, Tally};

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
    command.arg(plainly().get_program());
    command
}

/// Runs a job with more and more address space, from the least that the program needs to load, until it
/// succeeds. A run may abort, because the runtime aborts the process when one of its own allocations fails.
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

/// The memory for xz is reserved beforehand, so that a run which can't have it ends with a message.
#[test]
fn too_little_memory_for_xz_is_told() {
    let tally = steps(&Subject::named("canon to .xz"), 1_000);
    tally.check();
    let told = |message: &&String| message.ends_with("o.csv.xz: out of memory");
    assert!(tally.messages.keys().any(|message| told(&message)), "{tally:?}");
    assert!(tally.aborted <= 1, "{tally:?}");
}

#[test]
fn too_little_memory_is_told() {
    for name in ["solve", "dedupe"] {
        steps(&Subject::named(name), 4_000).check();
    }
}
