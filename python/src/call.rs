//! A call on many records: all threads take parts of them from one another, read them, work on them, and fill the places of
//! their results.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow_buffer::{ArrowNativeType, Buffer, MutableBuffer};
use gridmill_core::Shape;
use gridmill_data::text::{Alphabet, FaultKind, PuzzleReader, PuzzleText, SourceEcho};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::lists::{wrong_cell, wrong_count};
use crate::rows::{Given, NO_CELL, Rows, View, reader_for};
use crate::threads::{HERE, Progress, Watch};

pyo3::import_exception!(gridmill, MalformedError);

/// The arguments that all calls have.
#[derive(Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options<'py> {
    /// The number of threads; one for each core for `None`.
    pub(crate) threads: Option<usize>,
    /// True if malformed records are kept.
    pub(crate) keep: bool,
    /// Called with how many records are done, and how many there are.
    progress: Option<Bound<'py, PyAny>>,
}

impl<'py> Options<'py> {
    /// Returns how progress is reported to that end.
    pub(crate) fn progress_of(&self, records: usize) -> Progress<'_, 'py> {
        Progress { function: self.progress.as_ref(), total: records as u64 }
    }

    /// Lets the calling thread do the work if the records are few and no progress is reported: to wake a pool would take longer.
    pub(crate) fn here_if_few(self, records: usize) -> Options<'py> {
        const FEW: usize = 16;
        let is_short = records <= FEW && self.progress.is_none();
        Options { threads: if is_short { Some(HERE) } else { self.threads }, ..self }
    }
}

/// The number of records among which one is looked for that can be read.
pub(crate) const PROBES: usize = 1000;

/// Records that are read on all threads.
pub(crate) struct Reading<'a, P: PuzzleText> {
    rows: &'a Rows,
    view: View<'a>,
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

    /// Returns the puzzle at a place of the part, if one could be read there.
    pub(crate) fn at(&self, place: usize) -> Option<&P> {
        let index = if self.faults.is_empty() { Some(place) } else { self.places.binary_search(&place).ok() };
        index.and_then(|index| self.puzzles.get(index))
    }

    /// Iterates over the puzzles with their places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &P)> {
        self.places.iter().copied().zip(&self.puzzles)
    }
}

/// Returns the exception where an engine gave a wrong answer for a puzzle.
pub(crate) fn refuted(engine: &str, puzzle: &impl PuzzleText) -> PyErr {
    let puzzle = String::from_utf8(written(puzzle)).expect("puzzles are written in characters");
    PyRuntimeError::new_err(format!(
        "the engine '{engine}' gave a wrong answer: a defect of gridmill. Please report this puzzle: {puzzle}"
    ))
}

/// Returns the text of a puzzle.
pub(crate) fn written(puzzle: &impl PuzzleText) -> Vec<u8> {
    let mut text = Vec::new();
    puzzle.write(&mut text);
    text
}

impl<'a, P: PuzzleText> Reading<'a, P> {
    /// Prepares to read some records.
    pub(crate) fn new(rows: &'a Rows, view: View<'a>, keep: bool) -> PyResult<Reading<'a, P>> {
        let reader = reader_for::<P>(view, rows.shape, rows.given_alphabet.as_ref())?;
        let reading = Reading { rows, view, reader, alphabet: rows.alphabet(), keep };
        if let Some(alphabet) = reading.first().as_ref().and_then(P::alphabet) {
            rows.alphabet.get_or_init(|| Arc::clone(alphabet));
        }
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

    /// Returns a puzzle without clues.
    pub(crate) fn empty(&self) -> P {
        let shape = self.rows.shape;
        P::from_clues(shape, &vec![0; shape.cells()], &self.alphabet).expect("blanks are cells")
    }

    /// Raises an exception where there are others, and not one for each record.
    pub(crate) fn require_as_many(&self, others: Option<&Reading<'_, P>>) -> PyResult<()> {
        let (needed, Some(others)) = (self.len(), others) else { return Ok(()) };
        let (name, of, found) = (&others.rows.name, &self.rows.name, others.len());
        let expected = || {
            PyValueError::new_err(format!("{name}: expected one for each of {needed} {of}, found {found}"))
        };
        (found == needed).then_some(()).ok_or_else(expected)
    }

    /// Raises an exception for a record with which something is wrong, unless such records are kept.
    pub(crate) fn refuse(&self, record: usize, reason: &str) -> PyResult<()> {
        let error = || MalformedError::new_err((self.rows.name.clone(), record, reason.to_owned()));
        self.keep.then_some(()).ok_or_else(error)
    }

    /// Works on all records, part by part, on the threads of the current pool. A thread that takes some parts makes the tools
    /// of the work. Returns the first error of the part that stands first; parts that have not begun when it is stopped
    /// are left out.
    pub(crate) fn in_parts<'s, W>(
        &self,
        least_and_most: &PartSize,
        mut slots: Vec<Slot<'s>>,
        watch: &Watch,
        tools: impl Fn() -> W + Send + Sync,
        work: impl Fn(&mut W, Range<usize>, &Batch<P>, Vec<Slot<'s>>) -> PyResult<()> + Send + Sync,
    ) -> PyResult<()> {
        if rayon::current_thread_index().is_none() {
            // Outside a pool there is one thread: see `threads::HERE`.
            let mut batch = Batch::new();
            self.read(0..self.len(), &mut batch)?;
            return work(&mut tools(), 0..self.len(), &batch, slots);
        }
        // Some parts for each thread, so that all end at about the same time.
        const PARTS_A_THREAD: usize = 16;
        let records = self.len();
        let size = records / (PARTS_A_THREAD * rayon::current_num_threads());
        let size = size.clamp(*least_and_most.start(), *least_and_most.end());
        let mut parts = Vec::with_capacity(records.div_ceil(size));
        for start in (0..records).step_by(size) {
            let range = start..records.min(start + size);
            let part: Vec<Slot<'s>> = slots.iter_mut().map(|slot| slot.split_off(range.len())).collect();
            parts.push((range, part));
        }
        let one = |(tools, batch): &mut (W, Batch<P>), (range, slots): (Range<usize>, Vec<Slot<'s>>)| {
            if watch.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let records = range.len() as u64;
            self.read(range.clone(), batch)?;
            work(tools, range, batch, slots)?;
            watch.done.fetch_add(records, Ordering::Relaxed);
            Ok(())
        };
        let parts = parts.into_par_iter().map_init(|| (tools(), Batch::new()), one);
        // The first error is that of the part that stands first, whichever thread meets one first.
        parts.find_first(Result::is_err).unwrap_or(Ok(()))
    }

    /// Reads some records.
    pub(crate) fn read(&self, range: Range<usize>, batch: &mut Batch<P>) -> PyResult<()> {
        batch.puzzles.clear();
        batch.places.clear();
        batch.faults.clear();
        let mut place = 0;
        self.view.for_each(range.clone(), |given| {
            match self.puzzle(given) {
                Ok(puzzle) => {
                    batch.puzzles.push(puzzle);
                    batch.places.push(place);
                }
                Err(fault) => {
                    let known = self.rows.faults.get(&(range.start + place));
                    batch.faults.push((place, known.cloned().unwrap_or(fault)));
                }
            }
            place += 1;
        });
        batch.faults.first().map_or(Ok(()), |(place, fault)| self.refuse(range.start + place, fault))
    }

    /// Returns the puzzle of a record, or what is wrong with it.
    #[inline]
    fn puzzle(&self, given: Given<'_>) -> Result<P, String> {
        match given {
            Given::Cells(cells) => P::from_clues(self.rows.shape, cells, &self.alphabet)
                .ok_or_else(|| wrong_cells(self.rows.shape, cells)),
            Given::Text(text) => self.puzzle_of(text),
            Given::Missing => Err("expected a puzzle, found None, NaN or null".to_owned()),
        }
    }

    /// Returns the text of a puzzle, if it was given as one, and how rows repeat it.
    pub(crate) fn echo(&self, record: usize) -> Option<(&'a [u8], SourceEcho)> {
        let mut echo = None;
        self.view.for_each(record..record + 1, |given| {
            if let Given::Text(text) = given {
                let text = line_of(text);
                echo = self.reader.read(text).ok().map(|found| (&text[found.text], found.echo));
            }
        });
        echo
    }

    #[inline]
    fn puzzle_of(&self, text: &[u8]) -> Result<P, String> {
        let text = line_of(text);
        let found = self.reader.read(text).map_err(|fault| wrong_text(self.rows.shape, fault.kind))?;
        if found.text.end < text.len() && !text[found.text.end..].trim_ascii().is_empty() {
            let needed = self.rows.shape.cells() as u32;
            return Err(wrong_text(self.rows.shape, FaultKind::TooManyCells(needed)));
        }
        Ok(found.puzzle)
    }
}

/// Returns a text without the end of its line, which lines of a file have still. Spaces may be blanks.
#[inline]
fn line_of(text: &[u8]) -> &[u8] {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text.strip_suffix(b"\r").unwrap_or(text)
}

/// Returns what is wrong with cells.
#[cold]
fn wrong_cells(shape: Shape, cells: &[u8]) -> String {
    let side = shape.side();
    match cells.iter().position(|&cell| usize::from(cell) > side) {
        Some(place) if cells.len() == shape.cells() => {
            let found = Some(cells[place]).filter(|&cell| cell != NO_CELL);
            let found = found.map_or_else(|| "a number outside".to_owned(), |cell| cell.to_string());
            wrong_cell(shape, place, &format!("0 to {side}"), &found)
        }
        _ => wrong_count(shape, cells.len()),
    }
}

/// Returns what is wrong with a text, as the program does, but for its advice about files.
#[cold]
fn wrong_text(shape: Shape, fault: FaultKind) -> String {
    match fault {
        FaultKind::OtherSize { found, .. } => wrong_count(shape, found as usize),
        FaultKind::TooManyCells(cells) => format!("text after cell {cells}"),
        other => other.to_string(),
    }
}

/// The places of some records in a column of results, which can be divided among threads: for the bytes of each, or for a
/// text where these have no width.
pub(crate) struct Slot<'a> {
    pub(crate) bytes: &'a mut [u8],
    width: usize,
    pub(crate) texts: &'a mut [Text],
    /// Which records have no value; empty where each has one.
    pub(crate) missing: &'a mut [bool],
}

/// A text, or none.
pub(crate) type Text = Option<Box<str>>;

impl<'a> Slot<'a> {
    /// Returns the place for the bytes of a record.
    pub(crate) fn of(&mut self, record: usize) -> &mut [u8] {
        &mut self.bytes[record * self.width..(record + 1) * self.width]
    }

    /// Takes the places of the first records away.
    fn split_off(&mut self, records: usize) -> Slot<'a> {
        fn front<'a, T>(items: &mut &'a mut [T], len: usize) -> &'a mut [T] {
            items.split_off_mut(..len.min(items.len())).expect("there are so many")
        }
        Slot {
            bytes: front(&mut self.bytes, records * self.width),
            width: self.width,
            texts: front(&mut self.texts, records),
            missing: front(&mut self.missing, records),
        }
    }
}

/// A column of results: texts, or bytes that NumPy takes for rows of cells or for numbers of some type.
pub(crate) struct Values {
    /// The memory of a vector of that type.
    pub(crate) bytes: MutableBuffer,
    /// Bytes of a value; 0 in a column of texts.
    pub(crate) width: usize,
    pub(crate) texts: Vec<Text>,
    pub(crate) missing: Vec<bool>,
}

impl Values {
    /// Returns a column of zeros of that width, none of them missing.
    pub(crate) fn zeros(width: usize, records: usize) -> Values {
        // Zeros are not written: the system hands out memory that has them.
        let bytes = vec![0_u8; records * width].into();
        Values { bytes, width, texts: Vec::new(), missing: Vec::new() }
    }

    /// Returns a column of missing numbers, which have this value.
    pub(crate) fn numbers<T: ArrowNativeType>(blank: T, records: usize) -> Values {
        let (bytes, missing) = (vec![blank; records].into(), vec![true; records]);
        Values { bytes, width: size_of::<T>(), texts: Vec::new(), missing }
    }

    /// Returns a column of missing texts.
    pub(crate) fn texts(records: usize) -> Values {
        Values { texts: vec![None; records], missing: vec![true; records], ..Values::zeros(0, records) }
    }

    /// Returns the numbers, without a copy. They must be of the type that they were made with.
    pub(crate) fn into_numbers<T: ArrowNativeType>(self) -> Vec<T> {
        Buffer::from(self.bytes).into_vec().expect("they were made of a vector of that type")
    }

    /// Returns the places of all records.
    pub(crate) fn slot(&mut self) -> Slot<'_> {
        let Values { bytes, width, texts, missing } = self;
        Slot { bytes: bytes.as_slice_mut(), width: *width, texts, missing }
    }
}

/// The number of records of a part, at least and at most.
pub(crate) type PartSize = RangeInclusive<usize>;

/// For batch engines: enough to fill their lanes, and so few that no thread waits long for the last.
pub(crate) const BATCHES: PartSize = 128..=3200;
/// For counts, of which one may take for ever and a thousand a millisecond.
pub(crate) const COUNTS: PartSize = 1..=512;
/// For work of some microseconds a record.
pub(crate) const FORMS: PartSize = 1..=256;
/// For ratings, which are quicker together.
pub(crate) const RATINGS: PartSize = 8..=256;
/// For work that may take many milliseconds a record.
pub(crate) const LONG: PartSize = 1..=64;
