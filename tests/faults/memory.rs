//! Limits of memory.

use std::process::{Command, Stdio};
use std::sync::LazyLock;

use crate::jobs::{Job, job};
use crate::run::{End, plainly};
use crate::sweep::{Law, Tally};

/// The least address space in which the program says its version, in KiB.
static LEAST: LazyLock<u64> = LazyLock::new(|| {
    let runs = |kilobytes: &u64| {
        let mut command = within(*kilobytes);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
    };
    (0..).map(|count| count * 1_000).find(runs).unwrap()
});

/// Starts the program with so many KiB of address space.
fn within(kilobytes: u64) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"")]);
    command.arg(plainly().get_program());
    command
}

/// Runs a job with so many KiB of address space.
pub(crate) fn limited(tally: &mut Tally, job: &Job, kilobytes: u64) {
    let start = || within(kilobytes);
    let ran = job.run_by(&start, None);
    let end = job.end(&ran, &job.run(None));
    // The runtime aborts where its own allocations fail, and nothing can be done about that.
    let law = if matches!(end, End::Aborted(_)) { Law::Aborted } else { Law::Either };
    tally.count(&format!("{}: ulimit -v {kilobytes}", job.name), end, law, true);
}

/// Runs a job in more and more address space, from what the system takes to load the program, until it is enough.
pub(crate) fn steps(job: &Job, step: u64) -> Tally {
    let mut tally = Tally::default();
    for count in 0.. {
        limited(&mut tally, job, *LEAST + count * step);
        if tally.ordinary == 3 {
            break;
        }
    }
    tally
}

#[test]
fn too_little_memory_is_told() {
    for name in ["solve", "canon to .xz", "dedupe"] {
        let tally = steps(job(name), 4_000);
        tally.check();
    }
}
