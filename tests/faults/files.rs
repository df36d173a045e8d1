//! Inputs that can't be read, and outputs that can't be written.

use crate::sweep::{Law, READS, RENAMES, Subject, WRITES};

#[test]
fn a_failed_read_is_reported_with_the_name_of_the_input() {
    for (name, input) in [("solve, not mapped", "p.txt"), ("count .zst", "p.txt.zst")] {
        let tally = Subject::named(name).each_call(READS, "EIO", input, Law::Refused, 9);
        tally.check();
        let names_it = |message: &String| {
            message == &format!("gridmill: {input}: reading failed: Input/output error (os error 5)")
        };
        assert!(tally.refused > 0 && tally.messages.keys().all(names_it), "{name}: {tally:?}");
    }
}

#[test]
fn a_file_that_cannot_be_mapped_is_read() {
    for (calls, error) in [("mmap", "ENOMEM"), ("mmap", "ENODEV"), ("madvise", "EINVAL")] {
        let path = if calls == "mmap" { "p.txt" } else { "" };
        let tally = Subject::named("solve").each_call(calls, error, path, Law::Harmless, 9);
        tally.check();
        assert!(tally.runs > 0, "{calls}");
    }
}

#[test]
fn a_full_disk_leaves_the_old_output_unchanged() {
    for (name, path) in [("solve", "o.csv"), ("canon to .gz", "o.csv.gz"), ("canon to stdout", "stdout")] {
        let tally = Subject::named(name).each_byte("ENOSPC", path, 67);
        tally.check();
        assert!(tally.refused > 2, "{tally:?}");
    }
}

#[test]
fn a_failed_write_or_rename_is_reported_with_the_name_of_the_output() {
    for name in ["canon", "canon to .zst", "generate", "split"] {
        let subject = Subject::named(name);
        for (calls, error) in [(WRITES, "EIO"), (WRITES, "EDQUOT"), (RENAMES, "EXDEV")] {
            let tally = subject.each_call(calls, error, subject.job.outputs[0], Law::Refused, 2);
            tally.check();
            assert!(tally.refused > 0, "{name}: {tally:?}");
            let names_it = |message: &String| message.contains(subject.job.outputs[0]);
            assert!(tally.messages.keys().all(names_it), "{name}: {tally:?}");
        }
    }
}

/// Without reserved space the output is the same. But if the reserved space can't be truncated, the run must
/// fail, because the file would be too long.
#[test]
fn a_large_output_is_written_even_if_space_cannot_be_reserved() {
    let subject = Subject::named("convert, large");
    subject.each_call("fallocate", "EOPNOTSUPP", "", Law::Harmless, 9).check();
    subject.each_call("fstatfs", "ENOSYS", "", Law::Harmless, 9).check();
    subject.each_call("ftruncate", "EIO", "o.csv", Law::Refused, 9).check();
}

#[test]
fn a_failing_folder_for_temporary_files_is_named() {
    let subject = Subject::named("dedupe");
    for (calls, error) in [(WRITES, "ENOSPC"), ("openat", "EROFS"), ("read,pread64,readv,lseek", "EIO")] {
        let tally = subject.each_call(calls, error, "spills", Law::Refused, 8);
        tally.check();
        assert!(tally.refused > 0, "{calls}: {tally:?}");
        let names_it = |message: &String| message.contains("spills: temporary files can't be written there");
        assert!(tally.messages.keys().all(names_it), "{tally:?}");
    }
}

/// Not every call matters, so the run may be complete, or end with a message.
#[test]
fn failed_stat_calls_leave_standard_output_complete_or_end_the_run() {
    for name in ["canon to stdout", "verify to stdout"] {
        Subject::named(name).each_call("statx,newfstatat", "EIO", "", Law::Either, 30).check();
    }
}
