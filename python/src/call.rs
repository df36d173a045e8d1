//! A call on many records: all threads take parts of them from one another, read them, work on them, and fill the places of
//! their results.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::Shape;
use gridmill_data::text::{Alphabet, FaultKind, PuzzleReader};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::kind::Kind;
use crate::rows::{Given, Rows, View};

pyo3::import_exception!(gridmill, MalformedError);

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
    name: &'a str,
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
}

/// Returns the exception where an engine gave a wrong answer for a puzzle.
pub(crate) fn refuted(engine: &str, puzzle: &impl Kind) -> PyErr {
    let mut text = Vec::new();
    puzzle.write(&mut text);
    let puzzle = String::from_utf8_lossy(&text);
    PyRuntimeError::new_err(format!(
        "the engine '{engine}' gave a wrong answer: a defect of gridmill. Please report this puzzle: {puzzle}"
    ))
}

impl<'a, P: Kind> Reading<'a, P> {
    /// Prepares to read some records.
    pub(crate) fn new(rows: &'a Rows, view: View<'a>, keep: bool) -> PyResult<Reading<'a, P>> {
        let shape = rows.shape;
        let (reader, alphabet) = (P::reader_for(view, shape, rows.given_alphabet.as_ref())?, rows.alphabet());
        let reading = Reading { name: &rows.name, view, shape, reader, alphabet, keep };
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

    /// Raises an exception where there is not one solution for each puzzle.
    pub(crate) fn require_as_many(&self, solutions: &Reading<'_, P>) -> PyResult<()> {
        let (puzzles, solutions) = (self.len(), solutions.len());
        if puzzles == solutions {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "solutions: expected one for each of {puzzles} puzzles, found {solutions}"
        )))
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// Works on all records, part by part, on the threads of the current pool. A thread that takes some parts makes the tools
    /// of the work. Returns the first error of the part that stands first; parts that have not begun when `stop` becomes true
    /// are left out.
    pub(crate) fn in_parts<Q: Places, W>(
        &self,
        size: PartSize,
        places: Q,
        stop: &AtomicBool,
        tools: impl Fn() -> W + Send + Sync,
        work: impl Fn(&mut W, usize, &Batch<P>, Q) -> PyResult<()> + Send + Sync,
    ) -> PyResult<()> {
        let (records, size) = (self.len(), size.of(self.len()));
        let mut parts = Vec::with_capacity(records.div_ceil(size));
        let mut rest = places;
        for start in (0..records).step_by(size) {
            let range = start..records.min(start + size);
            let (part, behind) = rest.split(range.len());
            parts.push((range, part));
            rest = behind;
        }
        let one = |(tools, batch): &mut (W, Batch<P>), (range, places): (Range<usize>, Q)| {
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let start = range.start;
            self.read(range, batch)?;
            work(tools, start, batch, places)
        };
        let parts = parts.into_par_iter().map_init(|| (tools(), Batch::new()), one);
        // The first error is that of the part that stands first, whichever thread meets one first.
        parts.find_first(Result::is_err).unwrap_or(Ok(()))
    }

    /// Reads some records.
    pub(crate) fn read(&self, range: Range<usize>, batch: &mut Batch<P>) -> PyResult<()> {
        batch.clear();
        let mut place = 0;
        self.view.for_each(range.clone(), |given| {
            match self.puzzle(given) {
                Ok(puzzle) => batch.push(place, puzzle),
                Err(fault) => batch.faults.push((place, fault)),
            }
            place += 1;
        });
        match batch.faults.first() {
            Some((place, fault)) if !self.keep => {
                Err(MalformedError::new_err((self.name.to_owned(), range.start + place, fault.clone())))
            }
            _ => Ok(()),
        }
    }

    /// Returns the puzzle of a record, or what is wrong with it.
    #[inline]
    fn puzzle(&self, given: Given<'_>) -> Result<P, String> {
        match given {
            Given::Cells(cells) => {
                P::from_clues(self.shape, cells, &self.alphabet).ok_or_else(|| wrong_cells(self.shape, cells))
            }
            Given::Text(text) => self.puzzle_of(text),
            Given::Missing => Err("expected a puzzle, found None, NaN or null".to_owned()),
        }
    }

    #[inline]
    fn puzzle_of(&self, text: &[u8]) -> Result<P, String> {
        // Lines of a file have their ends still. Spaces may be blanks.
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let found = self.reader.read(text).map_err(|fault| wrong_text(self.shape, fault.kind))?;
        if found.text.end < text.len() && !text[found.text.end..].trim_ascii().is_empty() {
            return Err(wrong_text(
                self.shape,
                FaultKind::TooManyCells { needed: self.shape.cells() as u32 },
            ));
        }
        Ok(found.puzzle)
    }
}

/// Returns what is wrong with cells.
#[cold]
fn wrong_cells(shape: Shape, cells: &[u8]) -> String {
    let side = shape.side();
    match cells.iter().position(|&cell| usize::from(cell) > side) {
        Some(cell) if cells.len() == shape.cells() => {
            let (row, column) = (cell / side + 1, cell % side + 1);
            let found = Some(cells[cell]).filter(|&cell| cell != u8::MAX);
            let found = found.map_or_else(|| "a number outside".to_owned(), |cell| cell.to_string());
            format!("expected 0 to {side} in row {row}, column {column}, found {found}")
        }
        _ => format!("expected {} cells, found {}", shape.cells(), cells.len()),
    }
}

/// Returns what is wrong with a text.
#[cold]
fn wrong_text(shape: Shape, fault: FaultKind) -> String {
    let needed = shape.cells();
    match fault {
        FaultKind::OtherSize { found, .. } | FaultKind::CellCount { found, .. } => {
            format!("expected {needed} cells, found {found}")
        }
        FaultKind::TooManyCells { .. } => format!("expected {needed} cells, found more text behind them"),
        other => other.to_string(),
    }
}

/// Places for the results of some records, which can be divided among threads.
pub(crate) trait Places: Sized + Send {
    /// Returns the places of the first records, and those of the others.
    fn split(self, records: usize) -> (Self, Self);
}

/// A place for each record, of one item.
impl<T: Send> Places for &mut [T] {
    fn split(self, records: usize) -> (Self, Self) {
        self.split_at_mut(records)
    }
}

/// A place for each record, of several items.
pub(crate) struct Wide<'a, T> {
    items: &'a mut [T],
    width: usize,
}

impl<'a, T> Wide<'a, T> {
    /// Returns places of that width.
    pub(crate) fn new(items: &'a mut [T], width: usize) -> Wide<'a, T> {
        Wide { items, width }
    }

    /// Returns the place of a record.
    pub(crate) fn of(&mut self, record: usize) -> &mut [T] {
        &mut self.items[record * self.width..(record + 1) * self.width]
    }
}

impl<T: Send> Places for Wide<'_, T> {
    fn split(self, records: usize) -> (Self, Self) {
        let (first, rest) = self.items.split_at_mut(records * self.width);
        (Wide { items: first, ..self }, Wide { items: rest, width: self.width })
    }
}

impl<P: Places> Places for Vec<P> {
    fn split(self, records: usize) -> (Self, Self) {
        self.into_iter().map(|places| places.split(records)).unzip()
    }
}

impl<A: Places, B: Places> Places for (A, B) {
    fn split(self, records: usize) -> (Self, Self) {
        let ((a, more_a), (b, more_b)) = (self.0.split(records), self.1.split(records));
        ((a, b), (more_a, more_b))
    }
}

/// The number of records of a part, at least and at most.
#[derive(Clone, Copy)]
pub(crate) struct PartSize {
    least: usize,
    most: usize,
}

impl PartSize {
    /// For batch engines: enough to fill their lanes, and so few that no thread waits long for the last.
    pub(crate) const BATCHES: PartSize = PartSize { least: 128, most: 3200 };
    /// For counts, of which one may take for ever and a thousand a millisecond.
    pub(crate) const COUNTS: PartSize = PartSize { least: 1, most: 512 };
    /// For work of some microseconds a record.
    pub(crate) const FORMS: PartSize = PartSize { least: 1, most: 256 };
    /// For ratings, which are quicker together.
    pub(crate) const RATINGS: PartSize = PartSize { least: 8, most: 256 };
    /// For work that may take many milliseconds a record.
    pub(crate) const LONG: PartSize = PartSize { least: 1, most: 64 };

    /// Returns the size of the parts of so many records: some for each thread, so that all end at about the same time.
    fn of(self, records: usize) -> usize {
        const PARTS_A_THREAD: usize = 16;
        (records / (PARTS_A_THREAD * rayon::current_num_threads())).clamp(self.least, self.most)
    }
}
