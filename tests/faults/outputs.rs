//! Outputs that can't be written.

use crate::jobs::job;
use crate::sweep::{Law, RENAMES, WRITES, each_byte, each_call};

#[test]
fn a_full_disk_leaves_the_old_output_whatever_was_written() {
    for (name, path, bytes) in
        [("solve", "o.csv", 600), ("canon to .gz", "o.csv.gz", 200), ("canon to stdout", "stdout", 600)]
    {
        let tally = each_byte(job(name), "ENOSPC", path, bytes, 67);
        tally.check();
        assert!(tally.refused > 2, "{tally:?}");
    }
}

#[test]
fn a_failed_write_or_rename_is_told_by_the_name_of_the_output() {
    for name in ["canon", "canon to .zst", "canon to .xz", "generate", "stats", "split"] {
        let job = job(name);
        for (calls, error) in [(WRITES, "EIO"), (WRITES, "EDQUOT"), (RENAMES, "EXDEV")] {
            let tally = each_call(job, calls, error, job.outputs[0], Law::Refused, 1);
            tally.check();
            assert!(tally.refused > 0, "{name}: {tally:?}");
            let told = |message: &String| message.contains(job.outputs[0]);
            assert!(tally.messages.keys().all(told), "{name}: {tally:?}");
        }
    }
}

/// Space behind the end of a large output that can't be given back leaves a file that is too large.
#[test]
fn a_large_output_may_do_without_space_set_aside() {
    let job = job("convert, large");
    each_call(job, "fallocate", "EOPNOTSUPP", "", Law::Harmless, 1).check();
    each_call(job, "fstatfs", "ENOSYS", "", Law::Harmless, 1).check();
    each_call(job, "ftruncate", "EIO", "o.csv", Law::Refused, 1).check();
}

#[test]
fn a_folder_for_temporary_files_that_fails_is_named() {
    let job = job("dedupe");
    for (calls, error) in [(WRITES, "ENOSPC"), ("openat", "EROFS"), ("read,pread64,readv,lseek", "EIO")] {
        let tally = each_call(job, calls, error, "/tmp/#", Law::Refused, 5);
        tally.check();
        let told = |message: &String| message.contains("tmp: temporary files can't be kept there");
        assert!(tally.messages.keys().all(told), "{tally:?}");
    }
}
