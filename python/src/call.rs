//! A call on many records: reading them, and what can go wrong.

use std::fmt::{self, Display};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gridmill_core::Shape;
use gridmill_data::text::{Alphabet, FaultKind, PuzzleReader};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::kind::Kind;
use crate::parts::{PartSize, Places, in_parts};
use crate::rows::{Borrowed, Given, Rows, View};
use crate::threads;

/// The arguments that all calls have.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    /// The number of threads; one for each core for `None`.
    pub(crate) threads: Option<usize>,
    /// True if malformed records are kept.
    pub(crate) keep: bool,
}

/// The number of records among which one is looked for that can be read.
const PROBES: usize = 1000;

/// Records that are read on all threads.
pub(crate) struct Reading<'a, P: Kind> {
    /// The argument of Python that has the records.
    name: &'static str,
    view: View<'a>,
    shape: Shape,
    reader: P::Reader,
    alphabet: Arc<Alphabet>,
    keep: bool,
}

/// The records of a part.
pub(crate) struct Batch<P> {
    /// Those that are puzzles.
    pub(crate) puzzles: Vec<P>,
    /// The place of each of them in the part.
    pub(crate) places: Vec<usize>,
    /// The others, and what is wrong with them.
    pub(crate) faults: Vec<(usize, String)>,
}

impl<P> Batch<P> {
    /// Returns a batch without records.
    pub(crate) fn new() -> Batch<P> {
        Batch { puzzles: Vec::new(), places: Vec::new(), faults: Vec::new() }
    }

    /// Removes all records.
    pub(crate) fn clear(&mut self) {
        self.puzzles.clear();
        self.places.clear();
        self.faults.clear();
    }

    /// Adds a puzzle.
    pub(crate) fn push(&mut self, place: usize, puzzle: P) {
        self.puzzles.push(puzzle);
        self.places.push(place);
    }

    /// Returns how many records there are.
    pub(crate) fn records(&self) -> usize {
        self.puzzles.len() + self.faults.len()
    }

    /// Iterates over the puzzles with their places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &P)> {
        self.places.iter().copied().zip(&self.puzzles)
    }

    /// Iterates over the places where both a puzzle and its solution could be read.
    pub(crate) fn pairs<'a>(
        &'a self,
        solutions: &'a Batch<P>,
    ) -> impl Iterator<Item = (usize, &'a P, &'a P)> {
        let mut solutions = solutions.iter().peekable();
        self.iter().filter_map(move |(place, puzzle)| {
            while solutions.next_if(|(other, _)| *other < place).is_some() {}
            solutions.next_if(|(other, _)| *other == place).map(|(_, solution)| (place, puzzle, solution))
        })
    }
}

/// A reason why a call could not be done.
pub(crate) enum Failure {
    /// There are not as many solutions as puzzles.
    Lengths { puzzles: usize, solutions: usize },
    /// A record is malformed.
    Malformed { name: &'static str, record: usize, reason: String },
    /// A search came to a wrong result: a defect.
    Refuted { engine: &'static str, puzzle: String },
}

impl Failure {
    /// Returns the failure of an engine at a puzzle.
    pub(crate) fn refuted(engine: &'static str, puzzle: &impl Kind) -> Failure {
        let mut text = Vec::new();
        puzzle.write(&mut text);
        Failure::Refuted { engine, puzzle: String::from_utf8_lossy(&text).into_owned() }
    }

    /// Returns the exception.
    pub(crate) fn raised(self, py: Python<'_>) -> PyErr {
        match self {
            Failure::Lengths { puzzles, solutions } => PyValueError::new_err(format!(
                "solutions: expected one for each of {puzzles} puzzles, found {solutions}"
            )),
            Failure::Malformed { name, record, reason } => py
                .import("gridmill")
                .and_then(|package| package.getattr("MalformedError")?.call1((name, record, reason)))
                .map_or_else(|error| error, PyErr::from_value),
            Failure::Refuted { engine, puzzle } => PyRuntimeError::new_err(format!(
                "the engine '{engine}' gave a wrong answer: a defect of gridmill. Please report this puzzle: {puzzle}"
            )),
        }
    }
}

impl<'a, P: Kind> Reading<'a, P> {
    /// Prepares to read some records.
    pub(crate) fn new(
        name: &'static str,
        rows: &Rows,
        borrowed: &'a Borrowed<'_, '_>,
        keep: bool,
    ) -> PyResult<Reading<'a, P>> {
        let (view, shape) = (borrowed.view(), rows.shape);
        let (reader, alphabet) = (P::reader_for(view, shape, rows.given_alphabet.as_ref())?, rows.alphabet());
        let reading = Reading { name, view, shape, reader, alphabet, keep };
        let first: Option<P> = reading.first();
        first.and_then(|puzzle| puzzle.alphabet()).inspect(|alphabet| rows.learn(alphabet));
        Ok(reading)
    }

    /// Returns the first puzzle among the first records, if one can be read.
    fn first(&self) -> Option<P> {
        let mut first = None;
        self.view.for_each(0..self.len().min(PROBES), |given| {
            if first.is_none() {
                first = self.puzzle(given).ok();
            }
        });
        first
    }

    pub(crate) fn len(&self) -> usize {
        self.view.len()
    }

    /// Returns the failure of a call whose solutions are not one for each puzzle.
    pub(crate) fn require_as_many(&self, solutions: &Reading<'_, P>) -> Result<(), Failure> {
        let (puzzles, solutions) = (self.len(), solutions.len());
        if puzzles == solutions { Ok(()) } else { Err(Failure::Lengths { puzzles, solutions }) }
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// Works on all records, part by part.
    pub(crate) fn in_parts<Q: Places, W>(
        &self,
        size: PartSize,
        places: Q,
        stop: &AtomicBool,
        tools: impl Fn() -> W + Send + Sync,
        work: impl Fn(&mut W, usize, &Batch<P>, Q) -> Result<(), Failure> + Send + Sync,
    ) -> Result<(), Failure> {
        let tools = || (tools(), Batch::new());
        in_parts(self.len(), size, places, stop, tools, |(tools, batch), range, places| {
            let start = range.start;
            self.read(range, batch)?;
            work(tools, start, batch, places)
        })
    }

    /// Reads some records.
    pub(crate) fn read(&self, range: Range<usize>, batch: &mut Batch<P>) -> Result<(), Failure> {
        batch.clear();
        let mut place = 0;
        self.view.for_each(range.clone(), |given| {
            match self.puzzle(given) {
                Ok(puzzle) => batch.push(place, puzzle),
                Err(problem) => batch.faults.push((place, problem.to_string())),
            }
            place += 1;
        });
        match batch.faults.first() {
            Some((place, reason)) if !self.keep => Err(Failure::Malformed {
                name: self.name,
                record: range.start + place,
                reason: reason.clone(),
            }),
            _ => Ok(()),
        }
    }

    #[inline]
    fn puzzle(&self, given: Given<'_>) -> Result<P, Problem> {
        match given {
            Given::Cells(cells) => P::from_clues(self.shape, cells, &self.alphabet)
                .ok_or_else(|| Problem::of_cells(self.shape, cells)),
            Given::Text(text) => self.puzzle_of(text),
            Given::Missing => Err(Problem::Missing),
        }
    }

    #[inline]
    fn puzzle_of(&self, text: &[u8]) -> Result<P, Problem> {
        let needed = self.shape.cells();
        // Lines of a file have their ends still. Spaces may be blanks.
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let found = self.reader.read(text).map_err(|fault| Problem::Text { kind: fault.kind, needed })?;
        if found.text.end < text.len() && !text[found.text.end..].trim_ascii().is_empty() {
            return Err(Problem::Behind { needed });
        }
        Ok(found.puzzle)
    }
}

/// A reason why a record is malformed.
enum Problem {
    Missing,
    Text { kind: FaultKind, needed: usize },
    Behind { needed: usize },
    CellCount { found: usize, needed: usize },
    NoCell { row: usize, column: usize, side: usize, found: u8 },
}

impl Problem {
    /// Returns what is wrong with cells.
    fn of_cells(shape: Shape, cells: &[u8]) -> Problem {
        let side = shape.side();
        match cells.iter().position(|&cell| usize::from(cell) > side) {
            Some(cell) if cells.len() == shape.cells() => {
                Problem::NoCell { row: cell / side, column: cell % side, side, found: cells[cell] }
            }
            _ => Problem::CellCount { found: cells.len(), needed: shape.cells() },
        }
    }
}

impl Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Problem::Missing => f.write_str("expected a puzzle, found None, NaN or null"),
            Problem::Text {
                kind: FaultKind::OtherSize { found, .. } | FaultKind::CellCount { found, .. },
                needed,
            } => {
                write!(f, "expected {needed} cells, found {found}")
            }
            Problem::Text { kind: FaultKind::TooManyCells { .. }, needed } | Problem::Behind { needed } => {
                write!(f, "expected {needed} cells, found more text behind them")
            }
            Problem::Text { kind, .. } => kind.fmt(f),
            Problem::CellCount { found, needed } => write!(f, "expected {needed} cells, found {found}"),
            Problem::NoCell { row, column, side, found } => {
                let (row, column) = (row + 1, column + 1);
                let found = if found == u8::MAX { "a number outside".to_owned() } else { found.to_string() };
                write!(f, "expected 0 to {side} in row {row}, column {column}, found {found}")
            }
        }
    }
}

/// Works for a call on all threads, and makes an exception of a failure.
pub(crate) fn work<T: Send>(
    py: Python<'_>,
    options: &Options,
    work: impl FnOnce(&AtomicBool) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    threads::work(py, options.threads, work)?.map_err(|failure| failure.raised(py))
}
