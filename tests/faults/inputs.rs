//! Inputs that can't be read.

use crate::sweep::{Law, READS, Subject};

#[test]
fn a_failed_read_is_told_by_the_name_of_the_input() {
    for (name, input) in [("solve, not mapped", "p.txt"), ("count .zst", "p.txt.zst"), ("dedupe", "many.txt")]
    {
        let tally = Subject::named(name).each_call(READS, "EIO", input, Law::Refused, 9);
        tally.check();
        let told = |message: &String| {
            message == &format!("gridmill: {input}: reading failed: Input/output error (os error 5)")
        };
        assert!(tally.messages.keys().all(told), "{name}: {tally:?}");
    }
}

#[test]
fn a_file_that_can_not_be_mapped_is_read() {
    for (calls, error) in [("mmap", "ENOMEM"), ("mmap", "ENODEV"), ("madvise", "EINVAL")] {
        let path = if calls == "mmap" { "p.txt" } else { "" };
        let tally = Subject::named("solve").each_call(calls, error, path, Law::Harmless, 9);
        tally.check();
        assert!(tally.runs > 0, "{calls}");
    }
}
