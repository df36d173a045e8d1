//! Threads that can't be had.

use crate::jobs::job;
use crate::sweep::{Law, each_call};

#[test]
fn threads_that_can_not_be_had_are_told() {
    for name in ["solve", "rate", "generate", "dedupe", "stats"] {
        let tally = each_call(job(name), "pthread_create", "EAGAIN", "", Law::Either, 1);
        tally.check();
        assert!(tally.refused > 0, "{name}: {tally:?}");
    }
}
