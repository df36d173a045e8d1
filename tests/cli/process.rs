//! Running processes that a test controls by signals, and by what it writes and reads.

#![allow(unreachable_pub)]

use std::io::{Read, Write};
use std::ops::{Deref, DerefMut};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

use crate::common::{end_of, wait_until};
use crate::program::Scratch;

/// A run of the program. It is killed if the test fails before it ends.
pub struct Running(Child);

impl Running {
    /// Starts the program with a pipe for each standard stream.
    pub fn start(arguments: &[&str]) -> Running {
        Running::spawn(Command::new(env!("CARGO_BIN_EXE_gridmill")).args(arguments))
    }

    /// Starts a command with a pipe for each standard stream.
    pub fn spawn(command: &mut Command) -> Running {
        command.env_remove("GRIDMILL_THREADS");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Running(command.spawn().unwrap())
    }

    /// Writes a text to standard input again and again until the program stops reading, so that the run never
    /// ends by itself.
    pub fn feed_for_ever(&mut self, text: String) -> JoinHandle<()> {
        let mut input = self.stdin.take().unwrap();
        std::thread::spawn(move || while input.write_all(text.as_bytes()).is_ok() {})
    }

    /// Sends Ctrl-C.
    pub fn interrupt(&self) {
        self.send("INT");
    }

    /// Sends a signal.
    pub fn send(&self, signal: &str) {
        assert!(send(signal, &self.id().to_string()));
    }

    /// Waits for the end, and returns the exit code; `None` if a signal ended it.
    pub fn end(&mut self) -> Option<i32> {
        end_of(&mut self.0).code()
    }

    /// The rest of standard output.
    pub fn output(&mut self) -> String {
        let mut text = String::new();
        self.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        text
    }

    /// The rest of standard error.
    pub fn errors(&mut self) -> String {
        let mut text = String::new();
        self.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        text
    }
}

/// Facts about a process that Linux reports.
#[cfg(target_os = "linux")]
impl Running {
    /// Waits until the program handles the signals that ask it to end.
    pub fn wait_until_it_handles_signals(&self) {
        // HUP, INT, QUIT and TERM: the signals 1, 2, 3 and 15.
        const MASK: u64 = 0x4007;
        wait_until("the program handles signals", || {
            self.assert_not_ended();
            let caught = u64::from_str_radix(&self.status("SigCgt"), 16).unwrap();
            caught & MASK == MASK
        });
    }

    /// Waits until the program has used ten times as much processor time as until now. Then it is well within
    /// its next task, however slow or busy the machine is.
    pub fn wait_until_it_has_worked(&self) {
        let enough = 10 * (self.processor_time() + 1);
        wait_until("the program has worked", || {
            self.assert_not_ended();
            self.processor_time() >= enough
        });
    }

    /// Waits until the main thread waits for something, i.e. until it was asleep in several checks in a row.
    pub fn wait_until_it_sleeps(&self) {
        let mut checks = 0;
        wait_until("the program sleeps", || {
            self.assert_not_ended();
            checks = if self.stat(0) == "S" { checks + 1 } else { 0 };
            checks == 5
        });
    }

    /// Waits until the main thread has fallen asleep a few more times, as it does if it checks for input
    /// again and again.
    pub fn wait_until_it_has_slept(&self) {
        let sleeps = || self.status("voluntary_ctxt_switches").parse::<u64>().unwrap();
        let enough = sleeps() + 4;
        wait_until("the program has slept", || {
            self.assert_not_ended();
            sleeps() >= enough
        });
    }

    /// The processor time that it has used, in hundredths of a second.
    pub fn processor_time(&self) -> u64 {
        let part = |index| self.stat(index).parse::<u64>().unwrap();
        part(11) + part(12)
    }

    /// Waits for the end, and returns the processor time that it has used, in hundredths of a second.
    pub fn total_processor_time(&self) -> u64 {
        // The times are still readable, because a zombie keeps them until its exit code is read.
        wait_until("the program has ended", || self.has_ended());
        self.processor_time()
    }

    fn assert_not_ended(&self) {
        assert!(!self.has_ended(), "the program has ended");
    }

    fn has_ended(&self) -> bool {
        self.stat(0) == "Z"
    }

    /// A field of its line in `stat`, counted from the one after the name.
    fn stat(&self, index: usize) -> String {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.id())).unwrap();
        stat.rsplit(')').next().unwrap().split_whitespace().nth(index).unwrap().to_owned()
    }

    /// A value of its `status`.
    fn status(&self, key: &str) -> String {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let value = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
        value.unwrap_or_else(|| panic!("no {key}: {status}")).trim().to_owned()
    }
}

impl Deref for Running {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends a signal to a process, and returns whether the process exists.
pub fn send(signal: &str, id: &str) -> bool {
    let kill =
        Command::new("sh").args(["-c", "kill -\"$0\" \"$1\"", signal, id]).stderr(Stdio::null()).status();
    kill.unwrap().success()
}

/// Waits until a file whose name begins with `name` has a header and at least `rows` rows. It may have a
/// temporary name.
pub fn wait_for_rows(scratch: &Scratch, name: &str, rows: usize) {
    let has_rows = |found: &String| {
        // The file may be renamed before it is read.
        let bytes = if found.starts_with(name) { std::fs::read(scratch.path(found)).ok() } else { None };
        bytes.is_some_and(|bytes| bytes.iter().filter(|&&byte| byte == b'\n').count() > rows)
    };
    wait_until("rows are written", || scratch.names().iter().any(has_rows));
}
