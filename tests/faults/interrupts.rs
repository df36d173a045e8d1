//! Events that the system may cause at any time and that must change nothing, e.g. a read of only 3 bytes.

use crate::sweep::{Law, READS, Subject, WAITS, WRITES};

const NAMES: [&str; 7] =
    ["solve", "solve, not mapped", "solve .gz", "count .zst", "canon .xz", "canon, piped .zip", "split"];

#[test]
fn reads_and_writes_of_few_bytes_change_nothing() {
    for name in NAMES {
        Subject::named(name).under(&format!("{READS},{WRITES}"), "short=3", &[""], Law::Harmless).check();
    }
}

#[test]
fn calls_that_are_interrupted_are_made_again() {
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
