//! The whole table, which takes minutes: every fault at every call of every job.

use std::fmt::Write;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use std::thread;

use crate::jobs::{LARGE, PIPELINE, SORTING};
#[cfg(feature = "serve")]
use crate::page;
use crate::strace;
use crate::sweep::{Law, OPENS, READS, RENAMES, Subject, Tally, WAITS, WRITES};
use crate::system;

/// A row: the fault, the tool that makes it, and the programs that meet it.
struct Row {
    what: &'static str,
    by: &'static str,
    meet: Meet,
}

/// The programs that meet a fault.
enum Meet {
    /// Every job.
    Jobs(fn(&Subject) -> Tally),
    /// The server of the page.
    #[cfg(feature = "serve")]
    Page(fn() -> Tally),
}

/// How many calls of a kind fail in turn, if a job makes more.
static MOST: LazyLock<u64> =
    LazyLock::new(|| std::env::var("GRIDMILL_FAULTS_MOST").map_or(40, |most| most.parse().unwrap()));

/// Jobs whose disk is full at each byte of their output: one for each kind of output.
const EACH_BYTE: [&str; 8] = [
    "solve",
    "canon to .gz",
    "canon to .zst",
    "canon to .xz",
    "canon to stdout",
    "verify to stdout",
    "convert",
    "generate",
];

const ROWS: &[Row] = &[
    shim("read: EIO, each in turn", |job| job.each_call(READS, "EIO", "", Law::Either, *MOST)),
    shim("lseek: EIO, each in turn", |job| job.each_call("lseek", "EIO", "", Law::Either, *MOST)),
    shim("write of an output: EIO, each in turn", |job| each_write(job, "EIO")),
    shim("write of an output: ENOSPC, each in turn", |job| each_write(job, "ENOSPC")),
    shim("write of an output: EDQUOT, each in turn", |job| each_write(job, "EDQUOT")),
    shim("write to a temporary file: ENOSPC, each in turn", |job| {
        job.each_call(WRITES, "ENOSPC", "spills", Law::Refused, *MOST)
    }),
    shim("read of a temporary file: EIO, each in turn", |job| {
        job.each_call(READS, "EIO", "spills", Law::Refused, *MOST)
    }),
    shim("write to standard error: EIO, each in turn", |job| {
        job.each_call(WRITES, "EIO", "stderr", Law::Harmless, *MOST)
    }),
    shim("rename: EXDEV, each in turn", |job| job.each_call(RENAMES, "EXDEV", "", Law::Refused, *MOST)),
    shim("rename: EIO, each in turn", |job| job.each_call(RENAMES, "EIO", "", Law::Refused, *MOST)),
    shim("rename: ENOSPC, each in turn", |job| job.each_call(RENAMES, "ENOSPC", "", Law::Refused, *MOST)),
    shim("ftruncate: EIO, each in turn", |job| job.each_call("ftruncate", "EIO", "", Law::Refused, *MOST)),
    shim("fchmod: EPERM, each in turn", |job| job.each_call("fchmod", "EPERM", "", Law::Either, *MOST)),
    shim("fsync, fdatasync: EIO, each in turn", |job| {
        job.each_call("fsync,fdatasync", "EIO", "", Law::Refused, *MOST)
    }),
    shim("close: EIO, each in turn", |job| job.each_call("close", "EIO", "", Law::Either, *MOST)),
    shim("open: EMFILE, each in turn", |job| job.each_call(OPENS, "EMFILE", "", Law::Either, *MOST)),
    shim("open: EACCES, each in turn", |job| job.each_call(OPENS, "EACCES", "", Law::Either, *MOST)),
    shim("open: ENOMEM, each in turn", |job| job.each_call(OPENS, "ENOMEM", "", Law::Either, *MOST)),
    shim("open of an output: EROFS, each in turn", |job| {
        job.each_call(OPENS, "EROFS", ".tmp", Law::Refused, *MOST)
    }),
    shim("stat: EIO, each in turn", |job| job.each_call("statx,newfstatat", "EIO", "", Law::Either, *MOST)),
    shim("readlink: EIO, each in turn", |job| {
        job.each_call("readlink,readlinkat", "EIO", "", Law::Either, *MOST)
    }),
    shim("fcntl: EMFILE, each in turn", |job| job.each_call("fcntl", "EMFILE", "", Law::Either, *MOST)),
    shim("socketpair: EMFILE, each in turn", |job| {
        job.each_call("socketpair", "EMFILE", "", Law::Either, *MOST)
    }),
    shim("poll: ENOMEM, each in turn", |job| job.each_call(WAITS, "ENOMEM", "", Law::Either, *MOST)),
    shim("pthread_create: EAGAIN, each in turn", |job| {
        job.each_call("pthread_create", "EAGAIN", "", Law::Either, *MOST)
    }),
    shim("pthread_create: EAGAIN, all", |job| {
        job.under("pthread_create", "EAGAIN", &["from=1"], Law::Either)
    }),
    shim("the disk is full (ENOSPC) at each byte of the output", |job| {
        if !EACH_BYTE.contains(&job.job.name) {
            return Tally::default();
        }
        let output = job.job.outputs.first().unwrap_or(&"stdout");
        job.each_byte("ENOSPC", output, 1)
    }),
    shim("the input fails (EIO) at each 11th byte", |job| {
        let conditions: Vec<String> =
            (0..400).step_by(11).map(|at| format!("path=p.txt,at-byte={at}")).collect();
        job.under(READS, "EIO", &conditions, Law::Either)
    }),
    shim("reads and writes of 3 bytes at most", |job| {
        job.under(&format!("{READS},{WRITES}"), "short=3", &[""], Law::Harmless)
    }),
    shim("a short write of 1 byte, each in turn", |job| {
        job.each_call(WRITES, "short=1", "", Law::Harmless, *MOST)
    }),
    shim("a short read of 1 byte, each in turn", |job| {
        job.each_call(READS, "short=1", "", Law::Harmless, *MOST)
    }),
    shim("read: EINTR, each in turn", |job| job.each_call(READS, "EINTR", "", Law::Harmless, *MOST)),
    shim("write: EINTR, each in turn", |job| job.each_call(WRITES, "EINTR", "", Law::Harmless, *MOST)),
    shim("poll, epoll_wait: EINTR, each in turn", |job| {
        job.each_call(WAITS, "EINTR", "", Law::Harmless, *MOST)
    }),
    shim("open: EINTR, each in turn", |job| job.each_call(OPENS, "EINTR", "", Law::Harmless, *MOST)),
    shim("ftruncate: EINTR, each in turn", |job| {
        job.each_call("ftruncate", "EINTR", "", Law::Harmless, *MOST)
    }),
    shim("any of these: EINTR, one in 2, one in 3, one in 7", |job| {
        let calls = format!("{READS},{WRITES},{WAITS},{OPENS},ftruncate,fallocate");
        job.under(&calls, "EINTR", &["every=2", "every=3", "every=7"], Law::Harmless)
    }),
    shim("mmap of a file: ENOMEM, each in turn", |job| {
        job.each_call("mmap", "ENOMEM", "", Law::Harmless, *MOST)
    }),
    shim("madvise: EINVAL, each in turn", |job| job.each_call("madvise", "EINVAL", "", Law::Harmless, *MOST)),
    shim("fstatfs: ENOSYS, each in turn", |job| job.each_call("fstatfs", "ENOSYS", "", Law::Harmless, *MOST)),
    shim("fallocate: EOPNOTSUPP, each in turn", |job| {
        job.each_call("fallocate", "EOPNOTSUPP", "", Law::Harmless, *MOST)
    }),
    shim("fallocate: ENOSPC, each in turn", |job| {
        job.each_call("fallocate", "ENOSPC", "", Law::Harmless, *MOST)
    }),
    shim("clock_gettime: back by 1000 s, one in 2, one in 3, from the 5th on", |job| {
        job.under("clock", "back=1000", &["every=2", "every=3", "from=5"], Law::Harmless)
    }),
    shim("getrandom: ENOSYS, each in turn", |job| {
        job.each_call("getrandom", "ENOSYS", "", Law::Harmless, *MOST)
    }),
    shim("sched_getaffinity: EPERM, each in turn", |job| {
        job.each_call("sched_getaffinity", "EPERM", "", Law::Harmless, *MOST)
    }),
    #[cfg(feature = "serve")]
    page("the page: accept: EMFILE, each in turn", || {
        page::each_call("accept4", "EMFILE", Law::Harmless, *MOST)
    }),
    #[cfg(feature = "serve")]
    page("the page: accept: ECONNABORTED, each in turn", || {
        page::each_call("accept4", "ECONNABORTED", Law::Harmless, *MOST)
    }),
    #[cfg(feature = "serve")]
    page("the page: epoll_wait: EINTR, each in turn", || {
        page::each_call("epoll_wait,epoll_pwait", "EINTR", Law::Harmless, *MOST)
    }),
    #[cfg(feature = "serve")]
    page("the page: write to a socket: ECONNRESET, each in turn", || {
        page::each_call("writev", "ECONNRESET", Law::Harmless, *MOST)
    }),
    #[cfg(feature = "serve")]
    page("the page: setsockopt: EINVAL, each in turn", || {
        page::each_call("setsockopt", "EINVAL", Law::Either, *MOST)
    }),
    #[cfg(feature = "serve")]
    page("the page: socket, bind, listen, getsockname: EACCES, each in turn", || {
        page::each_call("socket,bind,listen,getsockname", "EACCES", Law::Either, *MOST)
    }),
    #[cfg(feature = "serve")]
    page("the page: epoll_ctl, epoll_create1, eventfd2: ENOMEM, each in turn", || {
        page::each_call("epoll_ctl,epoll_create1,eventfd2", "ENOMEM", Law::Either, *MOST)
    }),
    #[cfg(feature = "serve")]
    page("the page: read of a file: EIO, each in turn", || {
        page::each_call("pread64", "EIO", Law::Either, *MOST)
    }),
    #[cfg(feature = "serve")]
    page("the page: write of a copy: ENOSPC, each in turn", || {
        page::each_call("pwrite64", "ENOSPC", Law::Either, *MOST)
    }),
    #[cfg(feature = "serve")]
    page("the page: open: EMFILE, each in turn", || {
        page::each_call("open,openat", "EMFILE", Law::Either, *MOST)
    }),
    #[cfg(feature = "serve")]
    page("the page: stat: EIO, each in turn", || {
        page::each_call("statx,newfstatat", "EIO", Law::Either, *MOST)
    }),
    #[cfg(feature = "serve")]
    page("the page: pthread_create: EAGAIN, each in turn", || {
        page::each_call("pthread_create", "EAGAIN", Law::Either, *MOST)
    }),
    #[cfg(feature = "serve")]
    page("the page: clock_gettime of the wall clock back by 1000 s, one in 2, one in 3", || {
        page::under("wall-clock", "back=1000", &["every=2", "every=3"], Law::Harmless)
    }),
    Row {
        what: "address space (ulimit -v) in steps of 2,000 KiB",
        by: "ulimit",
        meet: Meet::Jobs(|job| system::steps(job, 2_000)),
    },
    strace("renameat: EIO", |job| strace::each_turn(job, "renameat", "EIO", 2, Law::Either)),
    strace("writev: ENOSPC", |job| strace::each_turn(job, "writev", "ENOSPC", 4, Law::Either)),
    strace("poll: EINTR", |job| strace::each_turn(job, "poll", "EINTR", 3, Law::Harmless)),
    strace("sigaltstack: ENOMEM", |job| strace::each_turn(job, "sigaltstack", "ENOMEM", 2, Law::Memory)),
    strace("mmap, mprotect, brk: ENOMEM", |job| {
        strace::each_turn(job, "mmap,mprotect,brk", "ENOMEM", 30, Law::Memory)
    }),
    strace("clone, clone3: EAGAIN", |job| strace::each_turn(job, "clone,clone3", "EAGAIN", 4, Law::Either)),
];

const fn shim(what: &'static str, meet: fn(&Subject) -> Tally) -> Row {
    Row { what, by: "shim", meet: Meet::Jobs(meet) }
}

#[cfg(feature = "serve")]
const fn page(what: &'static str, meet: fn() -> Tally) -> Row {
    Row { what, by: "shim", meet: Meet::Page(meet) }
}

const fn strace(what: &'static str, meet: fn(&Subject) -> Tally) -> Row {
    Row { what, by: "strace", meet: Meet::Jobs(meet) }
}

fn each_write(subject: &Subject, error: &str) -> Tally {
    let mut tally = Tally::default();
    let outputs = if subject.job.outputs.is_empty() { &["stdout"] } else { subject.job.outputs };
    for output in outputs {
        tally.merge(subject.each_call(WRITES, error, output, Law::Refused, *MOST));
    }
    tally
}

#[test]
#[ignore = "takes minutes: scripts/faults"]
fn the_whole_table() {
    let wanted = std::env::var("GRIDMILL_FAULTS_ONLY").unwrap_or_default();
    let is_wanted = |row: &&Row| row.what.contains(&wanted) && (row.by != "strace" || *strace::IS_AVAILABLE);
    let rows: Vec<&Row> = ROWS.iter().filter(is_wanted).collect();
    let subjects: Vec<Subject> = PIPELINE.iter().chain(SORTING).chain(LARGE).map(Subject::new).collect();
    let done: Vec<Mutex<Done>> = rows.iter().map(|_| Mutex::default()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let (place, subject) = (turn / subjects.len(), turn % subjects.len());
            let Some(row) = rows.get(place) else { return };
            let tally = match row.meet {
                Meet::Jobs(meet) => meet(&subjects[subject]),
                #[cfg(feature = "serve")]
                Meet::Page(meet) if subject == 0 => meet(),
                #[cfg(feature = "serve")]
                Meet::Page(_) => Tally::default(),
            };
            let is_whole = done[place].lock().unwrap().add(tally) == subjects.len();
            // Each complete row is recorded at once. So a run that is stopped leaves the table of the rows so
            // far.
            if is_whole {
                record(&text(&rows, &done, &subjects));
            }
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
    let broken: Vec<String> =
        done.into_iter().flat_map(|done| done.into_inner().unwrap().tally.broken).collect();
    assert!(broken.is_empty(), "{} runs:\n{}", broken.len(), broken.join("\n"));
}

/// The results of a row so far.
#[derive(Default)]
struct Done {
    tally: Tally,
    subjects: usize,
}

impl Done {
    /// Adds the results of a subject, and returns the number of subjects so far.
    fn add(&mut self, tally: Tally) -> usize {
        self.tally.merge(tally);
        self.subjects += 1;
        self.subjects
    }
}

/// Writes the table to the file that the environment names, or prints it.
fn record(text: &str) {
    match std::env::var_os("GRIDMILL_FAULTS_RECORD") {
        Some(path) => fs::write(path, text).unwrap(),
        None => println!("{text}"),
    }
}

/// The table in Markdown.
fn text(rows: &[&Row], done: &[Mutex<Done>], subjects: &[Subject]) -> String {
    let (mut table, mut all, mut broken) = (String::new(), 0, String::new());
    for (row, done) in rows.iter().zip(done) {
        let done = done.lock().unwrap();
        if done.subjects < subjects.len() {
            continue;
        }
        let Tally { runs, ordinary, refused, partly, aborted, .. } = &done.tally;
        let (what, by, messages) = (row.what, row.by, kinds(&done.tally, subjects));
        let counts =
            format!("{runs} | {ordinary} | {refused} | {partly} | {aborted} | {}", done.tally.broken.len());
        writeln!(table, "| {what} | {by} | {counts} | {messages} |").unwrap();
        all += runs;
        for run in done.tally.broken.iter().take(3) {
            writeln!(broken, "- {}", run.replace("\\n", " ")).unwrap();
        }
    }
    let jobs: Vec<&str> = subjects.iter().map(|subject| subject.job.name).collect();
    let (jobs, most) = (jobs.join("; "), *MOST);
    let broken = if broken.is_empty() {
        broken
    } else {
        format!("\nRuns that were wrong, up to three of a row:\n\n{broken}")
    };
    format!(include_str!("record.md"), all = all, jobs = jobs, most = most, table = table, broken = broken)
}

/// The messages without the names of files, the most frequent ones first.
fn kinds(tally: &Tally, subjects: &[Subject]) -> String {
    let mut kinds: Vec<(u64, String)> = Vec::new();
    for (message, count) in &tally.messages {
        let kind = without_names(message, subjects);
        match kinds.iter_mut().find(|(_, its)| *its == kind) {
            Some((total, _)) => *total += count,
            None => kinds.push((*count, kind)),
        }
    }
    kinds.sort_by(|one, other| other.cmp(one));
    let texts: Vec<String> = kinds.into_iter().map(|(count, kind)| format!("{count} × `{kind}`")).collect();
    texts.join("<br>")
}

fn without_names(message: &str, subjects: &[Subject]) -> String {
    let message = message.strip_prefix("gridmill: ").unwrap_or(message);
    let is_name = |word: &str| {
        let word = word.trim_end_matches(':');
        let name = word.rsplit('/').next().unwrap_or(word);
        let job = |subject: &Subject| {
            subject.job.outputs.contains(&name) || subject.job.arguments.split(' ').any(|it| it == name)
        };
        word.contains('.') && subjects.iter().any(job) || name == "spills" || word == "<stdin>"
    };
    let number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let word = |word: &str| match word {
        word if is_name(word) => if word.ends_with(':') { "FILE:" } else { "FILE" }.to_owned(),
        word if number(word) => "N".to_owned(),
        word => word.to_owned(),
    };
    let message = message.split(" at path ").next().unwrap_or(message);
    message.split(' ').map(word).collect::<Vec<_>>().join(" ").replace("(os error N)", "").replace('|', "\\|")
}
