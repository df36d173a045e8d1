//! A fault at each of the calls that a job makes, one after the other.

use std::collections::BTreeMap;

use crate::jobs::Job;
use crate::run::{End, Ran};
use crate::shim::Fault;

/// The calls that read.
pub(crate) const READS: &str = "read,pread64,readv,recvfrom";

/// The calls that write.
pub(crate) const WRITES: &str = "write,writev,pwrite64";

/// The calls that wait.
pub(crate) const WAITS: &str = "poll,ppoll,epoll_wait,epoll_pwait";

/// The calls that give a file another name.
pub(crate) const RENAMES: &str = "rename,renameat,renameat2";

/// What must come of a fault that a run meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Law {
    /// The output is the ordinary one.
    Harmless,
    /// The run is refused.
    Refused,
    /// Either: the call may not matter.
    Either,
    /// The process is aborted.
    Aborted,
}

/// How the runs of a sweep ended.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) runs: u64,
    pub(crate) ordinary: u64,
    pub(crate) refused: u64,
    pub(crate) partly: u64,
    pub(crate) aborted: u64,
    /// Runs that broke the law, and how.
    pub(crate) broken: Vec<String>,
    /// The messages, and how often each came.
    pub(crate) messages: BTreeMap<String, u64>,
}

impl Tally {
    /// Runs a job with a fault, and counts how it ends.
    pub(crate) fn add(&mut self, job: &Job, ordinary: &Ran, fault: &Fault, law: Law) {
        let ran = job.run(Some(fault));
        let is_met = ran.seen.hit > 0;
        self.count(&format!("{}: {fault:?}", job.name), job.end(&ran, ordinary), law, is_met);
    }

    /// Counts how a run ended.
    pub(crate) fn count(&mut self, what: &str, end: End, law: Law, is_met: bool) {
        self.runs += 1;
        let is_lawful = match (&end, law) {
            (End::Bad(_), _) => false,
            (End::Aborted(_), law) => law == Law::Aborted,
            (End::Ordinary, Law::Refused) => !is_met,
            (End::Ordinary, _) => true,
            (_, Law::Harmless | Law::Aborted) => false,
            (_, Law::Refused | Law::Either) => true,
        };
        if !is_lawful {
            self.broken.push(format!("{what}: {end:?}"));
        }
        let (counter, message) = match end {
            End::Ordinary => (&mut self.ordinary, None),
            End::Refused(message) => (&mut self.refused, Some(message)),
            End::Partly(message) => (&mut self.partly, Some(message)),
            End::Aborted(message) => (&mut self.aborted, Some(message)),
            End::Bad(_) => return,
        };
        *counter += 1;
        if let Some(message) = message {
            *self.messages.entry(message).or_default() += 1;
        }
    }

    /// Fails the test if a run broke the law.
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

/// Runs a job with an error at the first of its calls, then the second, and so on, `stride` calls on each time.
pub(crate) fn each_call(job: &Job, calls: &str, act: &str, path: &str, law: Law, stride: usize) -> Tally {
    let ordinary = job.run(None);
    let named = if path.is_empty() { String::new() } else { format!("path={path},") };
    let counted = job.run(Some(&Fault::new(calls, "count", named.trim_end_matches(','))));
    let mut tally = Tally::default();
    for turn in (1..=counted.seen.calls).step_by(stride) {
        tally.add(job, &ordinary, &Fault::new(calls, act, &format!("{named}nth={turn}")), law);
    }
    tally
}

/// Runs a job with a fault that comes again and again, in several ways.
pub(crate) fn again(job: &Job, calls: &str, act: &str, conditions: &[&str], law: Law) -> Tally {
    let ordinary = job.run(None);
    let mut tally = Tally::default();
    for conditions in conditions {
        tally.add(job, &ordinary, &Fault::new(calls, act, conditions), law);
    }
    tally
}

/// Runs a job on a disk that is full after so many bytes of the output, from none to all of them.
pub(crate) fn each_byte(job: &Job, act: &str, path: &str, bytes: usize, stride: usize) -> Tally {
    let ordinary = job.run(None);
    let mut tally = Tally::default();
    for place in (0..bytes).step_by(stride) {
        tally.add(
            job,
            &ordinary,
            &Fault::new(WRITES, act, &format!("path={path},at-byte={place}")),
            Law::Refused,
        );
    }
    tally
}
