//! Waiting for events. A test never waits for a time: how long something takes depends on the machine.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// The time after which a wait has failed, so that a defect does not hang the tests. It is no bound on speed: what tests
/// wait for takes a small part of it, on a slow and busy machine too.
pub const HANG: Duration = Duration::from_secs(300);

/// Waits until something has happened. `what` completes "waited in vain until".
pub fn wait_until(what: &str, mut happened: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !happened() {
        assert!(begun.elapsed() < HANG, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until a process has ended, and returns how it did.
pub fn end_of(child: &mut Child) -> ExitStatus {
    let mut status = None;
    wait_until("the process has ended", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap()
}
