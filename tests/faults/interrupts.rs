//! What the system may do at any time, and what must change nothing.

use crate::jobs::job;
use crate::sweep::{Law, READS, WAITS, WRITES, again};

const NAMES: [&str; 7] =
    ["solve", "solve, not mapped", "solve .gz", "count .zst", "canon .xz", "canon, piped .zip", "split"];

#[test]
fn reads_and_writes_of_few_bytes_change_nothing() {
    for name in NAMES {
        again(job(name), &format!("{READS},{WRITES}"), "short=3", &[""], Law::Harmless).check();
    }
}

#[test]
fn calls_that_are_interrupted_are_made_again() {
    for name in NAMES {
        let calls = format!("{READS},{WRITES},{WAITS},openat,open,ftruncate,fallocate");
        again(job(name), &calls, "EINTR", &["every=2", "every=3"], Law::Harmless).check();
    }
}

#[test]
fn clocks_that_go_back_change_nothing() {
    for name in ["solve", "solve, piped", "rate", "generate"] {
        again(job(name), "clock", "back=1000", &["every=2", "every=3", "from=5"], Law::Harmless).check();
    }
}
