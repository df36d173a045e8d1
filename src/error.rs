//! What can go wrong with a whole job, as against one record ([`crate::text::Fault`]).

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::bench::{Contender, Disagreement};
use crate::grid::Shape;
use crate::text::{Alternatives, FaultKind, alternatives};

/// Why a job could not be done.
#[derive(Debug, thiserror::Error)]
#[error("{kind}")]
pub struct Error {
    #[source]
    kind: Box<ErrorKind>,
}

impl Error {
    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Did whoever reads the output stop reading? That is a normal end, with nothing to say.
    #[must_use]
    pub fn is_closed_pipe(&self) -> bool {
        matches!(&*self.kind, ErrorKind::Write { error } if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl Error {
    /// The same, with the name of the file that it is about, unless it says so itself.
    #[must_use]
    pub fn in_file(self, path: &Path) -> Error {
        use ErrorKind::{Directory, InFile, Open, Read, Shrunk};
        if matches!(*self.kind, Directory { .. } | InFile { .. } | Open { .. } | Read { .. } | Shrunk { .. })
        {
            return self;
        }
        ErrorKind::InFile { path: path.to_owned(), error: self }.into()
    }

    /// The same, with that name if it is about a record and does not say of which file.
    #[must_use]
    pub(crate) fn of_record_in(self, path: &Path) -> Error {
        if matches!(*self.kind, ErrorKind::WrongSolution { .. }) { self.in_file(path) } else { self }
    }
}

impl From<Disagreement> for Error {
    fn from(disagreement: Disagreement) -> Error {
        ErrorKind::from(disagreement).into()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Error {
        Error { kind: Box::new(kind) }
    }
}

/// The ways in which a job can fail.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An input can't be opened.
    #[error("{}: can't be opened: {error}", path.display())]
    Open {
        /// The input.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// No input was named, and standard input is a terminal.
    #[error("nothing to read: name a file, or pipe puzzles in (gridmill solve --help)")]
    NothingToRead,
    /// There is no such command.
    #[error("there is no command '{name}' (gridmill --help)")]
    NoCommand {
        /// The name that was asked for.
        name: String,
    },
    /// The backend can't be used.
    #[error("--backend {backend}: this processor does not have it, or the engine has no use for it")]
    NoBackend {
        /// The backend that was asked for.
        backend: &'static str,
    },
    /// The command is for classic puzzles only.
    #[error("this command takes 9x9 puzzles, and these are {}", size(*shape))]
    OnlyClassic {
        /// The shape of the puzzles; `None` if there may be several.
        shape: Option<Shape>,
    },
    /// The command is for puzzles of clues only.
    #[error(
        "this command takes puzzles of clues, and these are pencilmarks, which solve, count and verify take"
    )]
    OnlyClues,
    /// The engine can't start from candidates.
    #[error(
        "the engine {engine} does not take pencilmarks: leave --engine and --backend out, or choose bitmask"
    )]
    NotForPencilmarks {
        /// The engine.
        engine: &'static str,
    },
    /// The format is one of 9x9 puzzles, and another shape was asked for.
    #[error("the format {format} is for 9x9 puzzles: leave --shape out")]
    ForClassic {
        /// Its name.
        format: &'static str,
    },
    /// The puzzles are too large for the lockstep engine, or not of one size.
    #[error(
        "the lockstep engine is for puzzles of one size up to 16x16, and these are {}: leave --engine and --backend out, or choose bitmask, dancing-links, singles or backtracking",
        size(*shape)
    )]
    NotForLanes {
        /// The shape of the puzzles; `None` if there may be several.
        shape: Option<Shape>,
    },
    /// There is no such engine.
    #[error("there is no engine '{name}' (gridmill bench --help)")]
    NoEngine {
        /// The name that was asked for.
        name: String,
    },
    /// A file to measure with holds something else than puzzles.
    #[error("{position}: record {}: {fault}; measuring needs a puzzle in every record", position.record)]
    NotAPuzzle {
        /// The record.
        position: Position,
        /// What is wrong with it.
        fault: FaultKind,
    },
    /// A file to measure with holds nothing.
    #[error("{}: there are no puzzles in it", path.display())]
    NoPuzzles {
        /// The file.
        path: PathBuf,
    },
    /// The engine is not for puzzles of that shape.
    #[error(
        "'{engine}' does not solve puzzles of {side}x{side} with boxes of {shape}; bitmask, dancing-links, singles and backtracking do",
        side = shape.side()
    )]
    OtherShape {
        /// The engine.
        engine: Contender,
        /// The shape.
        shape: Shape,
    },
    /// Engines give different answers: a defect of this program.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
    /// Puzzles are asked for that can't be.
    #[error("{0} (gridmill generate --help)")]
    Recipe(crate::generate::RecipeError),
    /// Too many attempts at a puzzle came to nothing.
    #[error(
        "found {found} of {wanted} puzzles, and then none in {attempts} attempts: there may be no more of that kind, or they are rare; ask for something else, or for more --attempts"
    )]
    NotFound {
        /// Puzzles found.
        found: u64,
        /// Puzzles asked for.
        wanted: u64,
        /// Attempts in a row.
        attempts: u64,
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
        /// What the system said.
        error: io::Error,
    },
    /// Standard input is named more than once.
    #[error("standard input can be read only once: give - once")]
    StdinTwice,
    /// A file had other records when it was read for the second time.
    #[error("{}: the file changed between its two readings; let its writer finish", path.display())]
    Changed {
        /// The input.
        path: PathBuf,
    },
    /// Files that should make one are not written alike.
    #[error("{}: is not written as {} is ({what}); bring them to one form first, or name them in separate runs", path.display(), first.display())]
    Unlike {
        /// The file.
        path: PathBuf,
        /// The first file.
        first: PathBuf,
        /// In what they differ.
        what: &'static str,
    },
    /// What does not fit into memory can't be put aside.
    #[error("{}: temporary files can't be kept there: {error}; name a folder with more room by --tmp, or allow more --memory", folder.display())]
    Spill {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// Not as much memory as was allowed can be had.
    #[error("not so much memory can be had as --memory allows: give less")]
    Memory,
    /// A mapped file became shorter while it was read.
    #[error("{}: the file became shorter while it was read; let its writer finish, or use --no-mmap", path.display())]
    Shrunk {
        /// The input.
        path: PathBuf,
    },
    /// The input is not text.
    #[error("the input is {what}; {advice}")]
    NotPlainText {
        /// What it is.
        what: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// CSV was asked for, and there is no header.
    #[error("the CSV input has no header row")]
    NoHeader,
    /// There are rows of CSV, and no header above them.
    #[error("the CSV input has no header row; put one above it: (echo {}; cat FILE) | gridmill COMMAND -", columns.join(","))]
    Headless {
        /// A name for each column.
        columns: Vec<String>,
    },
    /// The columns are set apart by something else than commas.
    #[error(
        "the columns of the input are set apart by {name}, and only commas are understood; if no field holds a comma: tr {spelled} , < FILE | gridmill COMMAND -"
    )]
    OtherSeparator {
        /// What sets them apart.
        name: &'static str,
        /// How `tr` spells it.
        spelled: &'static str,
    },
    /// No column is known to hold puzzles.
    #[error("{}; its columns are: {}; name the one with the puzzles by --puzzle-column NAME", missing(wanted.as_deref(), "puzzles"), columns.join(", "))]
    NoPuzzleColumn {
        /// The name that was asked for.
        wanted: Option<String>,
        /// The names that there are.
        columns: Vec<String>,
    },
    /// The header of a CSV file is longer than any record may be.
    #[error("the header of the CSV input has more than 64 KiB")]
    LongHeader,
    /// No column is known to hold solutions.
    #[error("{}; its columns are: {}; name the one with the solutions by --solution-column NAME", missing(wanted.as_deref(), "solutions"), columns.join(", "))]
    NoSolutionColumn {
        /// The name that was asked for.
        wanted: Option<String>,
        /// The names that there are.
        columns: Vec<String>,
    },
    /// A file to check has no place for solutions.
    #[error(
        "solutions are read from CSV, or from lines of puzzle,solution, and this file has another format"
    )]
    NoSolutions,
    /// One of several files can't be read as it should be.
    #[error("{}: {error}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: Error,
    },
    /// The characters of the puzzles leave open which digits they stand for.
    #[error("{}", open_alphabet(*side, alternatives))]
    NoAlphabet {
        /// The side of the puzzles.
        side: usize,
        /// What they may be written in.
        alternatives: Alternatives,
    },
    /// There are several shapes of a side, and none is usual.
    #[error("{side}x{side} puzzles may have boxes of {}; choose one by --shape", alternatives(shapes))]
    OpenShape {
        /// The side.
        side: usize,
        /// Its shapes.
        shapes: Vec<Shape>,
    },
    /// Puzzles in rows can't be mixed.
    #[error("--mixed is for one puzzle a line and for CSV, and this file has puzzles in rows")]
    MixedRows,
    /// The output would overwrite the input.
    #[error("{}: is the input too; choose another name for the output", path.display())]
    SameFile {
        /// The file.
        path: PathBuf,
    },
    /// Two outputs would go to the same place.
    #[error("two outputs can't both go to {}", path.display())]
    SameOutput {
        /// The place.
        path: PathBuf,
    },
    /// The output can't be made.
    #[error("{}: can't be written: {error}", path.display())]
    Create {
        /// The output.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// Writing failed.
    #[error("writing the output failed: {error}")]
    Write {
        /// What the system said.
        error: io::Error,
    },
    /// The threads could not be started.
    #[error("the worker threads can't be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// An engine gave a grid that is no solution: a defect of this program.
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
}

fn size(shape: Option<Shape>) -> String {
    shape.map_or_else(|| "of mixed sizes".to_owned(), |shape| format!("{0}x{0}", shape.side()))
}

fn open_alphabet(side: usize, open: &Alternatives) -> String {
    let names: Vec<String> = open.alphabets.iter().map(|name| format!("--alphabet {name}")).collect();
    let choices = names.join(" or ");
    if open.fit {
        format!("the {side}x{side} puzzles can be read with more than one alphabet; choose: {choices}")
    } else {
        format!("the {side}x{side} puzzles fit none of {choices}; give their digits in order by --alphabet")
    }
}

fn missing(wanted: Option<&str>, what: &str) -> String {
    match wanted {
        Some(name) => format!("the CSV input has no column '{name}'"),
        None => format!("the CSV input has no column of a known name for {what}"),
    }
}

/// A place in an input, as people and editors name it: everything counts from 1.
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

/// `puzzles.txt:7:12`.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.path.display(), self.line, self.column)
    }
}

/// The name that standard input and output have in messages.
#[must_use]
pub fn display_name<'a>(path: Option<&'a Path>, standard: &'a str) -> &'a Path {
    path.unwrap_or(Path::new(standard))
}
