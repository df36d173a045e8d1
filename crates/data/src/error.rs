//! Errors that end a whole job: those of the other modules in one type, and those of files. A malformed
//! record is not such an error, because the run continues after it (see [`crate::text::Fault`]).

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Write};
use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use gridmill_core::generate::{GenerateError, RecipeError};

use crate::bench::BenchError;
use crate::collection::SpaceError;
use crate::packing::ArchiveError;
use crate::text::FormatError;

/// Why a job could not be done.
///
/// The errors of other modules convert into it, so you can use `?`:
///
/// ```
/// use gridmill_data::bench::{BenchError, Contender};
/// use gridmill_data::error::{Error, ErrorKind};
///
/// fn engine() -> Result<Contender, Error> {
///     Ok(Contender::by_name("abacus")?)
/// }
///
/// let error = engine().unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::Bench(BenchError::NoEngine { .. })));
/// assert_eq!(error.to_string(), "there is no engine 'abacus'");
/// ```
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<ErrorKind>);

impl Error {
    /// Wraps an error of the caller's own code, such as a writer of rows.
    pub fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        ErrorKind::Other(error.into()).into()
    }

    /// The kind of the error, to match on.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Returns whether the reader of the output stopped reading (e.g. `gridmill … | head`). This is a
    /// normal end without a message.
    #[must_use]
    pub fn is_closed_pipe(&self) -> bool {
        match &*self.0 {
            ErrorKind::Write { error } => error.kind() == io::ErrorKind::BrokenPipe,
            ErrorKind::ClosedAfterFailure => true,
            _ => false,
        }
    }

    /// If the reader of the output stopped reading, remembers that a record had failed by then, because the exit code
    /// depends on it. Other errors stay unchanged.
    #[must_use]
    pub fn noting_failures(self, has_failures: bool) -> Error {
        if has_failures && self.is_closed_pipe() { ErrorKind::ClosedAfterFailure.into() } else { self }
    }

    /// Returns whether the error is that an input can't be read to its end.
    pub fn is_read_error(&self) -> bool {
        match &*self.0 {
            ErrorKind::Read { .. } | ErrorKind::Archive { .. } | ErrorKind::Shrunk { .. } => true,
            ErrorKind::InFile { error, .. } => error.is_read_error(),
            _ => false,
        }
    }

    /// Adds the name of the file to the message, unless the message has it already.
    #[must_use]
    pub fn in_file(self, path: &Path) -> Error {
        use ErrorKind::{Archive, Directory, InFile, Open, Read, Shrunk};
        if matches!(
            *self.0,
            Archive { .. } | Directory { .. } | InFile { .. } | Open { .. } | Read { .. } | Shrunk { .. }
        ) {
            return self;
        }
        if self.to_string().starts_with(&format!("{}:", path.display())) {
            return self;
        }
        ErrorKind::InFile { path: path.to_owned(), error: self }.into()
    }

    /// Shifts the numbers of the records in the error. They were counted within a part of the input;
    /// `before` gives the number of records before that part. It is a closure because finding it may mean
    /// reading everything before the part, and most errors name no record.
    #[must_use]
    pub(crate) fn shift_records(mut self, before: impl FnOnce() -> u64) -> Error {
        match &mut *self.0 {
            ErrorKind::WrongSolution { record, .. } => *record += before(),
            ErrorKind::Panicked { records: Some((first, last)), .. } => {
                let before = before();
                (*first, *last) = (*first + before, *last + before);
            }
            _ => {}
        }
        self
    }

    /// Adds the name of the file if the error is about a record and does not name its file.
    #[must_use]
    pub fn in_file_of_record(self, path: &Path) -> Error {
        let is_of_record =
            matches!(*self.0, ErrorKind::WrongSolution { .. } | ErrorKind::Panicked { records: Some(_), .. });
        if is_of_record { self.in_file(path) } else { self }
    }
}

impl<K: Into<ErrorKind>> From<K> for Error {
    fn from(kind: K) -> Error {
        Error(Box::new(kind.into()))
    }
}

/// The kinds of errors of a job.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The format of a file can't be detected.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// No puzzle with the requested properties can be generated.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// Engines or programs can't be measured.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// A collection can't be sorted within its space.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// The caller's own code failed.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
    /// An input can't be opened.
    #[error("{}: can't be opened: {error}", path.display())]
    Open {
        /// The input.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// An input is a directory.
    #[error("{}: is a directory; name the files in it", _0.display())]
    Directory(PathBuf),
    /// Reading failed.
    #[error("{}: reading failed: {error}", path.display())]
    Read {
        /// The input.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// An archive has no file that can be read.
    #[error("{}: {error}", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// The reason.
        error: ArchiveError,
    },
    /// A mapped file became shorter while it was being read.
    #[error("{}: the file became shorter while it was being read; wait until its writer has finished", _0.display())]
    Shrunk(PathBuf),
    /// An error in one of several files.
    #[error("{}: {error}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// The error.
        error: Error,
    },
    /// The output would overwrite an input.
    #[error("{}: is also an input; choose another name for the output", path.display())]
    SameFile {
        /// The file.
        path: PathBuf,
    },
    /// The output can't be made.
    #[error("{}: can't be written: {error}", path.display())]
    Create {
        /// The output.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// Writing failed.
    #[error("writing the output failed: {error}")]
    Write {
        /// The error of the system.
        error: io::Error,
    },
    /// The reader of the output stopped reading, and some record had failed by then.
    #[error("the reader of the output stopped reading")]
    ClosedAfterFailure,
    /// The threads could not be started.
    #[error("the worker threads can't be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// An engine gave an invalid solution: a bug in gridmill.
    #[error(
        "record {record}: the engine '{engine}' gave a grid that is not a solution, so the run ends before its row. Please report this puzzle: {puzzle}"
    )]
    WrongSolution {
        /// The record, from 1.
        record: u64,
        /// The engine.
        engine: &'static str,
        /// The puzzle.
        puzzle: String,
    },
    /// Code panicked: a bug in gridmill, or in an engine, a writer or an observer of the caller. Discard
    /// the output of this job. Other jobs are not affected.
    #[error("{part} panicked{}: {text}", position(place.as_deref(), *records))]
    Panicked {
        /// The part that panicked, e.g. "a worker" or "the command".
        part: String,
        /// The first and the last record, from 1, that the worker was processing, if their numbers were
        /// known.
        records: Option<(u64, u64)>,
        /// The line of code, if [`record_panics`] was called.
        place: Option<String>,
        /// The text of the panic.
        text: String,
    },
}

impl From<RecipeError> for ErrorKind {
    fn from(error: RecipeError) -> ErrorKind {
        GenerateError::from(error).into()
    }
}

/// A place in an input. Like in editors, records, lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The input.
    pub path: PathBuf,
    /// The record.
    pub record: u64,
    /// The line.
    pub line: u64,
    /// The column, in characters.
    pub column: u64,
}

/// E.g. `puzzles.txt:7:12`.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.path.display(), self.line, self.column)
    }
}

/// The name of a file in messages; `standard` for standard input or output, which have no path.
#[must_use]
pub fn display_name<'a>(path: Option<&'a Path>, standard: &'a str) -> &'a Path {
    path.unwrap_or(Path::new(standard))
}

/// The end of every message about a panic, for users of the program.
pub const PLEASE_REPORT: &str = ". This is a bug in gridmill; please report it with the input";

/// Panics that no error has reported yet, the oldest first: the text of each, and its place in the code.
static PANICS: Mutex<VecDeque<(String, String)>> = Mutex::new(VecDeque::new());

/// How many panics are kept at most. One is enough to find the bug, and memory stays bounded.
const MAX_PANICS: usize = 64;

/// The panic message of the standard library at the end of a scope whose thread panicked. It is dropped
/// because the panic of the thread itself was recorded before.
const SCOPE_MESSAGE: &str = "a scoped thread panicked";

/// Whether panics are reported as they happen, because the process continues after them.
static PRINTS_AT_ONCE: AtomicBool = AtomicBool::new(false);

/// Records every panic from now on, so that the errors about panics can name the line of code. A panic is
/// printed only if `RUST_BACKTRACE` asks for it.
pub fn record_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |info| {
            if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
                print(info);
            }
            record_panic(info);
        }));
    });
}

/// Converts the outcome of the whole process to a [`Result`]. Run the work with
/// [`catch_unwind`](std::panic::catch_unwind), after [`record_panics`]. A panic becomes an error that names
/// the line of code.
///
/// # Errors
///
/// If the work failed or panicked.
pub fn process_result<T>(ended: std::thread::Result<Result<T, Error>>) -> Result<T, Error> {
    let end = Error::from_caught("the command", ended);
    // Report the first panic that no error has reported. It was in a thread whose result was never used.
    if !end.as_ref().is_err_and(Error::is_panic)
        && let Some((text, place)) = panics().pop_front()
    {
        print_panic("a thread", &place, &text);
    }
    end
}

/// Prints each panic on standard error from now on. Call it after [`record_panics`], in a process such as a
/// server that continues after a panic.
pub fn print_panics_at_once() {
    PRINTS_AT_ONCE.store(true, Ordering::Relaxed);
}

fn record_panic(info: &PanicHookInfo<'_>) {
    let text = panic_text(info.payload());
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    if PRINTS_AT_ONCE.load(Ordering::Relaxed) {
        let thread = std::thread::current();
        print_panic(thread.name().unwrap_or("a thread"), &place, &text);
        return;
    }
    let mut panics = panics();
    if panics.len() < MAX_PANICS && text != SCOPE_MESSAGE {
        panics.push_back((text, place));
    }
}

fn print_panic(part: &str, place: &str, text: &str) {
    let _ = writeln!(std::io::stderr(), "gridmill: {part} panicked at {place}: {text}{PLEASE_REPORT}");
}

fn panics() -> MutexGuard<'static, VecDeque<(String, String)>> {
    PANICS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "no reason given".to_owned())
}

impl Error {
    /// Converts the outcome of a closure that ran under [`catch_unwind`](std::panic::catch_unwind) to a [`Result`]; a panic
    /// becomes an error. `part` names the worker. After a panic, discard everything that the closure changed, because
    /// it may be half done.
    pub(crate) fn from_caught<T>(
        part: &str,
        ended: std::thread::Result<Result<T, Error>>,
    ) -> Result<T, Error> {
        ended.unwrap_or_else(|panic| Err(Error::from_panic(part, &*panic)))
    }

    /// Makes the error for a panic that was caught.
    fn from_panic(part: &str, payload: &(dyn Any + Send)) -> Error {
        // If several panics happened, the first one is the cause of the others.
        let (text, place) = match panics().pop_front() {
            Some((text, place)) => (text, Some(place)),
            None => (panic_text(payload), None),
        };
        ErrorKind::Panicked { part: part.to_owned(), records: None, place, text }.into()
    }

    /// Returns whether the error is about a panic.
    pub fn is_panic(&self) -> bool {
        match &*self.0 {
            ErrorKind::InFile { error, .. } => error.is_panic(),
            kind => matches!(kind, ErrorKind::Panicked { .. }),
        }
    }

    /// Adds the range of records that were being processed to an error about a panic.
    pub(crate) fn at_records(mut self, at: Option<(u64, u64)>) -> Error {
        if let ErrorKind::Panicked { records, .. } = &mut *self.0 {
            *records = at;
        }
        self
    }
}

/// Describes where a panic happened, for a message: ` at src/x.rs:7:5, in records 3 to 8`.
fn position(place: Option<&str>, records: Option<(u64, u64)>) -> String {
    let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
    let records = match records {
        Some((first, last)) if first == last => format!(", in record {first}"),
        Some((first, last)) => format!(", in records {first} to {last}"),
        None => String::new(),
    };
    place + &records
}
