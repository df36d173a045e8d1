//! Faults that `strace` injects. They confirm the results, because they don't depend on the shim, and they
//! reach calls that the shim can't change.

use std::process::{Command, Stdio};
use std::sync::LazyLock;

use crate::run::plain_command;
use crate::sweep::{Law, Subject, Tally};

/// Whether strace is installed, and is allowed to trace.
pub(crate) static IS_AVAILABLE: LazyLock<bool> = LazyLock::new(|| {
    let mut command = Command::new("strace");
    command.args(["-f", "-o", "/dev/null", "-e", "inject=sched_yield:error=EINTR:when=1", "true"]);
    let ran = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    ran.is_ok_and(|status| status.success())
});

/// The command that starts the program with a fault. It hits the calls that `when` selects, counted in each
/// thread.
fn injecting(call: &str, error: &str, when: &str) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-o", "/dev/null", "-e", &format!("trace={call}")]);
    command.args(["-e", &format!("inject={call}:error={error}:when={when}")]);
    command.arg(plain_command().get_program());
    command
}

/// Runs a job once for each of its first `turns` calls, and lets that call fail. Runs in which the system's
/// loader fails don't count, because the program has not begun then.
pub(crate) fn each_turn(subject: &Subject, call: &str, error: &str, turns: u64, law: Law) -> Tally {
    let mut tally = Tally::default();
    for turn in 1..=turns {
        let what = format!("strace {call}:{error}:when={turn}");
        subject.by(&mut tally, &what, &|| injecting(call, error, &turn.to_string()), law);
    }
    tally
}

#[test]
fn faults_injected_by_strace_are_reported_too() {
    if !*IS_AVAILABLE {
        eprintln!("strace is not installed, or may not trace: nothing is tested");
        return;
    }
    let subject = Subject::named("canon");
    each_turn(&subject, "renameat", "EIO", 1, Law::Refused).check();
    each_turn(&subject, "writev", "EIO", 1, Law::Refused).check();
    each_turn(&subject, "poll", "EINTR", 1, Law::Harmless).check();
}
