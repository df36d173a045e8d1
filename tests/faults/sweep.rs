//! Runs a job again and again, each time with a fault at another of its calls.

use std::collections::BTreeMap;

use crate::jobs::{Job, job};
use crate::run::{End, Ran, Starter};
use crate::shim::Fault;

/// The calls that read. Those for sockets are left out, because the only socket of a job is the one by which
/// a signal wakes the program.
pub(crate) const READS: &str = "read,pread64,readv";

/// The calls that write.
pub(crate) const WRITES: &str = "write,writev,pwrite64";

/// The calls that wait.
pub(crate) const WAITS: &str = "poll,ppoll,epoll_wait,epoll_pwait";

/// The calls that open a file.
pub(crate) const OPENS: &str = "open,openat";

/// The calls that rename a file.
pub(crate) const RENAMES: &str = "rename,renameat,renameat2";

/// The results that are allowed when a run meets a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Law {
    /// The output must be the same as without a fault.
    Harmless,
    /// The run must end with an error message and keep the old output.
    Refused,
    /// Both are allowed, because the call may not matter.
    Either,
    /// Both are allowed, and so is an abort because memory is exhausted.
    Memory,
}

/// The results of the runs of a sweep.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) runs: u64,
    pub(crate) ordinary: u64,
    pub(crate) refused: u64,
    pub(crate) partly: u64,
    pub(crate) aborted: u64,
    /// The runs whose result was not allowed, and how they ended.
    pub(crate) broken: Vec<String>,
    /// The messages, and how often each was printed.
    pub(crate) messages: BTreeMap<String, u64>,
}

/// A job, and its run without faults.
pub(crate) struct Subject {
    pub(crate) job: &'static Job,
    ordinary: Ran,
}

impl Tally {
    /// Counts the end of a run.
    pub(crate) fn count(&mut self, what: &str, end: End, law: Law, is_met: bool) {
        if end == End::NotBegun {
            return;
        }
        self.runs += 1;
        let is_allowed = match (&end, law) {
            (End::Bad(_) | End::NotBegun, _) => false,
            (End::Aborted(_), law) => law == Law::Memory,
            (End::Ordinary, Law::Refused) => !is_met,
            (End::Ordinary, _) => true,
            (End::Refused(_) | End::Partly(_), law) => law != Law::Harmless,
        };
        if !is_allowed {
            self.broken.push(format!("{what}: {end:?}"));
        }
        let (counter, message) = match end {
            End::Ordinary => (&mut self.ordinary, None),
            End::Refused(message) => (&mut self.refused, Some(message)),
            End::Partly(message) => (&mut self.partly, Some(message)),
            End::Aborted(message) => (&mut self.aborted, Some(message)),
            End::Bad(_) | End::NotBegun => return,
        };
        *counter += 1;
        if let Some(message) = message {
            *self.messages.entry(message).or_default() += 1;
        }
    }

    /// Adds the counts of another sweep.
    pub(crate) fn merge(&mut self, other: Tally) {
        self.runs += other.runs;
        self.ordinary += other.ordinary;
        self.refused += other.refused;
        self.partly += other.partly;
        self.aborted += other.aborted;
        self.broken.extend(other.broken);
        for (message, count) in other.messages {
            *self.messages.entry(message).or_default() += count;
        }
    }

    /// Fails the test if the result of a run was not allowed.
    pub(crate) fn check(&self) {
        assert!(
            self.broken.is_empty(),
            "{} of {} runs:\n{}",
            self.broken.len(),
            self.runs,
            self.broken.join("\n")
        );
    }
}

impl Subject {
    /// Runs the job with this name without faults.
    pub(crate) fn named(name: &str) -> Subject {
        Subject::new(job(name))
    }

    /// Runs a job without faults.
    pub(crate) fn new(job: &'static Job) -> Subject {
        Subject { job, ordinary: job.run(None) }
    }

    /// Runs the job once for each of its calls, and lets that call fail. If there are more than `most` calls,
    /// it takes at most `most` of them, evenly spread. Calls count only if the name of their file contains
    /// `path`.
    pub(crate) fn each_call(&self, calls: &str, act: &str, path: &str, law: Law, most: u64) -> Tally {
        let named = if path.is_empty() { String::new() } else { format!("path={path},") };
        let counted = self.job.run(Some(&Fault::new(calls, "count", named.trim_end_matches(','))));
        let turns = (1..=counted.seen.calls).step_by(counted.seen.calls.div_ceil(most).max(1) as usize);
        let conditions: Vec<String> = turns.map(|turn| format!("{named}nth={turn}")).collect();
        self.under(calls, act, &conditions, law)
    }

    /// Runs the job with a disk that is full after 0 bytes of the output, after `stride` bytes, and so on up
    /// to its end.
    pub(crate) fn each_byte(&self, act: &str, path: &str, stride: usize) -> Tally {
        let bytes = self.ordinary.len(path);
        let places = (0..bytes).step_by(stride);
        let conditions: Vec<String> = places.map(|place| format!("path={path},at-byte={place}")).collect();
        self.under(WRITES, act, &conditions, Law::Refused)
    }

    /// Runs the job with a fault, once for each of these conditions.
    pub(crate) fn under(&self, calls: &str, act: &str, conditions: &[impl AsRef<str>], law: Law) -> Tally {
        let mut tally = Tally::default();
        for conditions in conditions {
            let fault = Fault::new(calls, act, conditions.as_ref());
            let ran = self.job.run(Some(&fault));
            let is_met = ran.seen.hit > 0;
            tally.count(
                &format!("{}: {fault:?}", self.job.name),
                self.job.end(&ran, &self.ordinary),
                law,
                is_met,
            );
        }
        tally
    }

    /// Runs the job with a command, and counts its end.
    pub(crate) fn by(&self, tally: &mut Tally, what: &str, start: Starter<'_>, law: Law) {
        let ran = self.job.run_by(start, None);
        tally.count(&format!("{}: {what}", self.job.name), self.job.end(&ran, &self.ordinary), law, true);
    }
}
