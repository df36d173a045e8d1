//! Errors of a whole job, as against one record ([`crate::text::Fault`]): those of the modules below in one,
//! and those of files.

mod panic;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::bench::BenchError;
use crate::collection::SpaceError;
use crate::packing::ArchiveError;
use crate::text::FormatError;
use gridmill_core::generate::{GenerateError, RecipeError};
pub use panic::tell_panics_at_once;
pub use panic::{PLEASE_REPORT, end_of_process, note_panics};

/// Why a job could not be done.
///
/// The errors of other modules become this one by `?`:
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
    /// Returns an error from the caller's own code, such as a writer of rows.
    pub fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        ErrorKind::Other(error.into()).into()
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Returns whether the reader of the output stopped reading, which is a normal end without a message.
    #[must_use]
    pub fn is_closed_pipe(&self) -> bool {
        match &*self.0 {
            ErrorKind::Write { error } => error.kind() == io::ErrorKind::BrokenPipe,
            ErrorKind::ClosedAfterBad => true,
            _ => false,
        }
    }

    /// Notes where the reader of the output stopped reading that a record was not right by then, because the exit code says
    /// so. Other errors stay as they are.
    #[must_use]
    pub fn after_bad(self, is_bad: bool) -> Error {
        if is_bad && self.is_closed_pipe() { ErrorKind::ClosedAfterBad.into() } else { self }
    }

    /// Returns whether an input can't be read to its end.
    pub fn is_of_input(&self) -> bool {
        match &*self.0 {
            ErrorKind::Read { .. } | ErrorKind::Archive { .. } | ErrorKind::Shrunk { .. } => true,
            ErrorKind::InFile { error, .. } => error.is_of_input(),
            _ => false,
        }
    }

    /// Adds the name of the file to the message, unless it is there.
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

    /// Adds to the numbers of the records that the error is about; `before` says how many are in front of the part of the
    /// input in which they were counted.
    #[must_use]
    pub(crate) fn behind(mut self, before: impl FnOnce() -> u64) -> Error {
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

    /// Adds the name of the file, if the error is about a record and does not name its file.
    #[must_use]
    pub fn of_record_in(self, path: &Path) -> Error {
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
    /// Puzzles can't be made.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// Engines can't be measured.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// A collection can't be sorted.
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
    #[error("{}: is a directory; name the files in it", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
    },
    /// Reading failed.
    #[error("{}: reading failed: {error}", path.display())]
    Read {
        /// The input.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// No file of an archive is read.
    #[error("{}: {error}", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// The reason.
        error: ArchiveError,
    },
    /// A mapped file became shorter while it was read.
    #[error("{}: the file became shorter while it was read; let its writer finish", path.display())]
    Shrunk {
        /// The input.
        path: PathBuf,
    },
    /// One of several files can't be read, or not as it should be.
    #[error("{}: {error}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// The error.
        error: Error,
    },
    /// The output would overwrite the input.
    #[error("{}: is the input too; choose another name for the output", path.display())]
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
    /// The reader of the output stopped reading, after a record that is not right.
    #[error("the reader of the output stopped reading")]
    ClosedAfterBad,
    /// The threads could not be started.
    #[error("the worker threads can't be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// An engine gave an invalid solution: a defect of this program.
    #[error(
        "record {record}: the engine '{engine}' gave a grid that is no solution, and the run ends before its row. Please report this puzzle: {puzzle}"
    )]
    WrongSolution {
        /// The record, from 1.
        record: u64,
        /// The engine.
        engine: &'static str,
        /// The puzzle.
        puzzle: String,
    },
    /// Code panicked: a defect of this program, or of an engine, a writer or an observer of the caller. Its job
    /// ends and its output should be thrown away; other jobs are not affected.
    #[error("{part} panicked{}: {text}", panic::position(place.as_deref(), *records))]
    Panicked {
        /// Who panicked: a worker, the writer or the whole command.
        part: String,
        /// The first and the last record that a worker had in hand, from 1, if their numbers were known.
        records: Option<(u64, u64)>,
        /// The line of code, if the program notes it.
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

/// A place in an input, as people and editors write it: everything counts from 1.
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

/// Written as `puzzles.txt:7:12`.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.path.display(), self.line, self.column)
    }
}

/// Returns the name of a file, or else that of standard input or output, in messages.
#[must_use]
pub fn display_name<'a>(path: Option<&'a Path>, standard: &'a str) -> &'a Path {
    path.unwrap_or(Path::new(standard))
}
