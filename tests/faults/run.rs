//! Runs of the program, and how they end.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::jobs::{Job, Times, put_inputs};
use crate::shim::{Fault, Seen};

/// How long a run may take. Even a busy machine needs far less, so a run that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// The content of each output before a run.
const OLD: &[u8] = b"what was there before\n";

/// The messages of the runtime and the C library before they abort the process because memory is exhausted.
const OUT_OF_MEMORY: [&str; 3] = [
    "memory allocation of",
    "failed to allocate an alternative stack",
    "Fatal glibc error: failed to register TLS",
];

/// How a run ended, and the files that it left.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    /// `None` if it hung.
    status: Option<ExitStatus>,
    pub(crate) messages: String,
    /// The files that it left, except the inputs, with their contents. Standard output is one of them.
    left: BTreeMap<String, Vec<u8>>,
    pub(crate) seen: Seen,
}

/// How a run with a fault ended, compared with a run without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The exit code and the output are the same.
    Ordinary,
    /// Exit code 2 and a message. Each output is as it was before, and there are no other files.
    Refused(String),
    /// Exit code 2 and a message. Some of several outputs are complete, and the others are as they were
    /// before.
    Partly(String),
    /// The loader of the system failed before the program began.
    NotBegun,
    /// The process aborted because memory was exhausted.
    Aborted(String),
    /// Anything that must not happen.
    Bad(String),
}

/// Makes the command that starts the program.
pub(crate) type Starter<'a> = &'a dyn Fn() -> Command;

/// The command that starts the program as it is.
pub(crate) fn plain_command() -> Command {
    // You can test another build, e.g. that of a release.
    let other = std::env::var_os("GRIDMILL_FAULTS_PROGRAM");
    Command::new(other.unwrap_or_else(|| env!("CARGO_BIN_EXE_gridmill").into()))
}

impl Job {
    /// Runs the job, with or without a fault.
    pub(crate) fn run(&self, fault: Option<&Fault>) -> Ran {
        self.run_by(&plain_command, fault)
    }

    /// Runs the job with a command that starts the program.
    pub(crate) fn run_by(&self, start: Starter<'_>, fault: Option<&Fault>) -> Ran {
        let scratch = tempfile::Builder::new().prefix("faults-").tempdir().unwrap();
        let folder = scratch.path().join("folder");
        fs::create_dir(&folder).unwrap();
        put_inputs(self, &folder);
        let inputs = files_in(&folder);
        self.outputs.iter().for_each(|name| fs::write(folder.join(name), OLD).unwrap());
        let (out, err) = (folder.join("stdout"), scratch.path().join("stderr"));
        let mut command = start();
        command.args(self.arguments.split(' ')).current_dir(&folder).env("TMPDIR", folder.join("spills"));
        command.env("GRIDMILL_THREADS", "2").env_remove("RUST_BACKTRACE").stdin(Stdio::null());
        command.stdout(File::create(out).unwrap()).stderr(File::create(&err).unwrap());
        let log = scratch.path().join("log");
        if let Some(fault) = fault {
            fault.strike(&mut command, &log);
        }
        let input = self.stdin.map(|name| piped(&mut command, &folder.join(name)));
        let mut child = command.spawn().unwrap();
        // Only the child may hold the pipe, so that it ends together with the process that writes to it.
        drop(command);
        let status = wait_for_end(&mut child);
        if let Some(mut input) = input {
            let _ = input.kill();
            let _ = input.wait();
        }
        let mut left = files_in(&folder);
        left.retain(|name, content| inputs.get(name) != Some(content));
        let messages = String::from_utf8_lossy(&fs::read(&err).unwrap()).into_owned();
        let seen = fault.map(|_| Fault::seen(&log)).unwrap_or_default();
        Ran { status, messages, left, seen }
    }

    /// Compares a run with the ordinary one.
    pub(crate) fn end(&self, ran: &Ran, ordinary: &Ran) -> End {
        let Some(status) = ran.status else { return End::Bad(format!("hangs: {}", ran.messages)) };
        let is_of_memory = |line: &&str| OUT_OF_MEMORY.iter().any(|text| line.contains(text));
        let of_memory = ran.messages.lines().find(is_of_memory);
        // One thread may abort because memory is exhausted while another ends the process with a message.
        // Then both messages are printed, in any order.
        let is_last = |line: &&str| of_memory.is_none() || line.starts_with("gridmill: ");
        let last = ran.messages.lines().rev().find(is_last).unwrap_or("");
        let bad = || End::Bad(format!("{status}, left {:?}: {}", ran.names(), ran.messages));
        if ran.messages.contains("error while loading shared libraries") {
            return End::NotBegun;
        }
        if status.signal().is_some() {
            return of_memory.map_or_else(bad, |line| End::Aborted(line.to_owned()));
        }
        if ["panicked", "gridmill-shim"].iter().any(|it| ran.messages.contains(it)) {
            return bad();
        }
        let is_same = |name: &str| self.is_same(ran.left.get(name), ordinary.left.get(name));
        if status.code() == ordinary.status.and_then(|status| status.code())
            && ran.left.keys().eq(ordinary.left.keys())
            && ran.left.keys().all(|name| is_same(name))
        {
            return End::Ordinary;
        }
        let is_old = |name: &str| ran.left.get(name).is_some_and(|content| content == OLD);
        let nothing_else =
            ran.left.keys().all(|name| name == "stdout" || self.outputs.contains(&name.as_str()));
        if status.code() != Some(2) || !last.starts_with("gridmill: ") || !nothing_else {
            return bad();
        }
        match self.outputs {
            outputs if outputs.iter().all(|name| is_old(name)) => End::Refused(last.to_owned()),
            outputs if outputs.iter().all(|name| is_old(name) || is_same(name)) => {
                End::Partly(last.to_owned())
            }
            _ => bad(),
        }
    }

    fn is_same(&self, one: Option<&Vec<u8>>, other: Option<&Vec<u8>>) -> bool {
        let (Some(one), Some(other)) = (one, other) else { return one == other };
        match self.times {
            Times::None => one == other,
            Times::LastColumn => without_last_column(one) == without_last_column(other),
            Times::Anywhere => first_line(one) == first_line(other),
        }
    }
}

impl Ran {
    /// The length of a file in bytes.
    pub(crate) fn len(&self, name: &str) -> usize {
        self.left[name].len()
    }

    fn names(&self) -> Vec<&String> {
        self.left.keys().collect()
    }
}

/// Starts a process that writes a file to the standard input of a command.
fn piped(command: &mut Command, file: &Path) -> Child {
    let mut writer =
        Command::new("cat").arg(file).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    command.stdin(writer.stdout.take().unwrap());
    writer
}

/// Waits for the end, but at most for [`PATIENCE`].
pub(crate) fn wait_for_end(child: &mut Child) -> Option<ExitStatus> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

fn without_last_column(rows: &[u8]) -> Vec<&[u8]> {
    let field = |row: &[u8]| row.iter().rposition(|&byte| byte == b',').unwrap_or(row.len());
    rows.split_inclusive(|&byte| byte == b'\n').map(|row| &row[..field(row)]).collect()
}

fn first_line(text: &[u8]) -> Option<&[u8]> {
    text.split(|&byte| byte == b'\n').next()
}

/// The contents of the files in a folder and its subfolders.
fn files_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let (path, name) =
            entry.map(|entry| (entry.path(), entry.file_name().into_string().unwrap())).unwrap();
        if path.is_dir() {
            files.extend(
                files_in(&path).into_iter().map(|(below, content)| (format!("{name}/{below}"), content)),
            );
        } else {
            files.insert(name, fs::read(path).unwrap());
        }
    }
    files
}
