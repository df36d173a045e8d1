//! Waiting for events. A test never sleeps for a fixed time, because the time that something takes depends on
//! the machine.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// The time after which a wait has failed, so that a defect doesn't hang the tests. It is no bound on speed:
/// the events take a small part of it, even on a slow and busy machine.
pub const HANG: Duration = Duration::from_secs(300);

/// Waits until `happened` returns true. `what` completes the message "waited in vain until".
pub fn wait_until(what: &str, mut happened: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !happened() {
        assert!(begun.elapsed() < HANG, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until a process has ended, and returns its exit status.
pub fn end_of(child: &mut Child) -> ExitStatus {
    let mut status = None;
    wait_until("the process has ended", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap()
}
