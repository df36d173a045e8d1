//! A call on many records. They are divided into parts. Each thread takes the next part, reads its records, works on
//! them, and writes the results into its slots.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow_buffer::{ArrowNativeType, Buffer, MutableBuffer};
use gridmill_core::Shape;
use gridmill_data::text::{
    Alphabet, Fault, FaultKind, PuzzleKind, PuzzleReader, PuzzleText, SourceEcho, without_brackets,
};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::given_records::{GivenRecord, GivenRecords, NO_CELL, View, reader_for};
use crate::lists::{wrong_cell, wrong_count};
use crate::threads::{HERE, Progress, Watch};

pyo3::import_exception!(gridmill, MalformedError);

#[derive(Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options<'py> {
    /// The number of threads. `None` is one for each core.
    pub(crate) threads: Option<usize>,
    /// Whether malformed records are kept as rows. Otherwise the first one raises an exception.
    pub(crate) keep: bool,
    /// A function that is called with the number of records done and the number of all.
    progress: Option<Bound<'py, PyAny>>,
}

impl<'py> Options<'py> {
    /// How a call on that many records reports progress.
    pub(crate) fn progress_of(&self, records: usize) -> Progress<'_, 'py> {
        Progress { function: self.progress.as_ref(), total: records as u64 }
    }

    /// Lets the current thread do the work if there are few records and no progress is reported, because waking a pool
    /// would take longer than the work.
    pub(crate) fn here_if_few(self, records: usize) -> Options<'py> {
        const FEW: usize = 16;
        let is_short = records <= FEW && self.progress.is_none();
        Options { threads: if is_short { Some(HERE) } else { self.threads }, ..self }
    }
}

/// How many records are searched for one that is readable, e.g. to learn the alphabet.
pub(crate) const PROBES: usize = 1000;

/// Parses the records of a [`View`] as puzzles, on any thread.
pub(crate) struct RecordParser<'a, P: PuzzleText> {
    records: &'a GivenRecords,
    view: View<'a>,
    reader: P::Reader,
    alphabet: Arc<Alphabet>,
    keep: bool,
}

pub(crate) struct Batch<P> {
    /// The records that are puzzles.
    pub(crate) puzzles: Vec<P>,
    /// The place of each puzzle in the part.
    pub(crate) places: Vec<usize>,
    /// The places of the other records, with the reason why each is malformed.
    pub(crate) faults: Vec<(usize, String)>,
}

impl<P> Batch<P> {
    pub(crate) fn new() -> Batch<P> {
        Batch { puzzles: Vec::new(), places: Vec::new(), faults: Vec::new() }
    }

    /// The puzzle at a place of the part, or `None` if the record there is malformed.
    pub(crate) fn at(&self, place: usize) -> Option<&P> {
        let index = if self.faults.is_empty() { Some(place) } else { self.places.binary_search(&place).ok() };
        index.and_then(|index| self.puzzles.get(index))
    }

    /// The puzzles with their places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &P)> {
        self.places.iter().copied().zip(&self.puzzles)
    }
}

/// The exception for a wrong answer of an engine.
pub(crate) fn wrong_answer(engine: &str, puzzle: &impl PuzzleText) -> PyErr {
    let puzzle = String::from_utf8(written(puzzle)).expect("puzzles are written in characters");
    PyRuntimeError::new_err(format!(
        "the engine '{engine}' gave a wrong answer: a defect of gridmill. Please report this puzzle: {puzzle}"
    ))
}

pub(crate) fn written(puzzle: &impl PuzzleText) -> Vec<u8> {
    let mut text = Vec::new();
    puzzle.write(&mut text);
    text
}

impl<'a, P: PuzzleText> RecordParser<'a, P> {
    /// Prepares records for reading. The first readable puzzle determines the alphabet of the results, so that
    /// solutions are written as the puzzles are.
    pub(crate) fn new(
        records: &'a GivenRecords,
        view: View<'a>,
        keep: bool,
    ) -> PyResult<RecordParser<'a, P>> {
        let reader = reader_for::<P>(view, records, keep)?;
        let reading = RecordParser { records, view, reader, alphabet: records.alphabet(), keep };
        if let Some(alphabet) = reading.first().as_ref().and_then(P::alphabet) {
            records.alphabet.get_or_init(|| Arc::clone(alphabet));
        }
        Ok(reading)
    }

    /// The first readable puzzle among the first records.
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

    pub(crate) fn empty(&self) -> P {
        let shape = self.records.shape;
        P::from_clues(shape, &vec![0; shape.cells()], &self.alphabet).expect("blanks are cells")
    }

    /// Raises an exception unless `others` has exactly one record for each of these.
    pub(crate) fn require_as_many(&self, others: Option<&RecordParser<'_, P>>) -> PyResult<()> {
        let (needed, Some(others)) = (self.len(), others) else { return Ok(()) };
        let (name, of, found) = (&others.records.name, &self.records.name, others.len());
        let expected = || {
            PyValueError::new_err(format!("{name}: expected one for each of {needed} {of}, found {found}"))
        };
        (found == needed).then_some(()).ok_or_else(expected)
    }

    /// Raises an exception for a malformed record, unless such records are kept.
    pub(crate) fn refuse(&self, record: usize, reason: &str) -> PyResult<()> {
        let error = || MalformedError::new_err((self.records.name.clone(), record, reason.to_owned()));
        self.keep.then_some(()).ok_or_else(error)
    }

    /// Works on all records, part by part, on the threads of the current pool. `tools` makes the memory that a thread
    /// uses again for its next part. If several parts fail, the error is always that of the first part in order, so
    /// that the message does not depend on the threads. When `watch.stop` is set, no more parts begin.
    pub(crate) fn in_parts<'s, W>(
        &self,
        least_and_most: &PartSize,
        mut slots: Vec<Slot<'s>>,
        watch: &Watch,
        tools: impl Fn() -> W + Send + Sync,
        work: impl Fn(&mut W, Range<usize>, &Batch<P>, Vec<Slot<'s>>) -> PyResult<()> + Send + Sync,
    ) -> PyResult<()> {
        if rayon::current_thread_index().is_none() {
            // Outside a pool this thread does all the work: see `threads::HERE`.
            let mut batch = Batch::new();
            self.read(0..self.len(), &mut batch)?;
            return work(&mut tools(), 0..self.len(), &batch, slots);
        }
        // Several parts for each thread, so that all threads finish at about the same time.
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
        // `find_first` follows the order of the parts, not the time at which threads fail.
        parts.find_first(Result::is_err).unwrap_or(Ok(()))
    }

    /// Reads some records into a batch.
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
                    let known = self.records.faults.get(&(range.start + place));
                    batch.faults.push((place, known.cloned().unwrap_or(fault)));
                }
            }
            place += 1;
        });
        batch.faults.first().map_or(Ok(()), |(place, fault)| self.refuse(range.start + place, fault))
    }

    /// The puzzle of a record, or the reason why it is malformed.
    #[inline]
    fn puzzle(&self, given: GivenRecord<'_>) -> Result<P, String> {
        match given {
            GivenRecord::Cells(cells) => P::from_clues(self.records.shape, cells, &self.alphabet)
                .ok_or_else(|| wrong_cells(self.records.shape, cells)),
            GivenRecord::Text(text) => self.puzzle_of(text),
            GivenRecord::Missing => Err("expected a puzzle, found None, NaN or null".to_owned()),
        }
    }

    /// The text of a puzzle, if it was given as text, and how rows repeat it.
    pub(crate) fn echo(&self, record: usize) -> Option<(&'a [u8], SourceEcho)> {
        let mut echo = None;
        self.view.for_each(record..record + 1, |given| {
            if let GivenRecord::Text(text) = given {
                let text = line_of(text);
                echo = self.reader.read(text).ok().map(|found| (&text[found.text], found.echo));
            }
        });
        echo
    }

    /// Replaces the commas between all cells of a puzzle by spaces. Between rows there may be line ends in their place.
    /// `None` if there are not as many commas.
    #[inline]
    fn without_commas(&self, text: &[u8]) -> Option<Vec<u8>> {
        // Most puzzles have another character there.
        let is_listed = text.get(1) == Some(&b',') || text.get(2) == Some(&b',');
        let commas = || text.iter().filter(|&&byte| byte == b',').count();
        let (side, cells) = (self.records.shape.side(), self.records.shape.cells());
        let is_listed = is_listed && (cells - side..=cells).contains(&commas());
        is_listed.then(|| text.iter().map(|&byte| if byte == b',' { b' ' } else { byte }).collect())
    }

    #[inline]
    fn puzzle_of(&self, text: &[u8]) -> Result<P, String> {
        let text = line_of(text);
        // CSV and JSON Lines have lists of cells as texts, e.g. the solutions that `read` finds there. Models answer with
        // commas between all cells.
        let reason = |text: &[u8], fault: Fault| {
            let what = match text.len() {
                729 if P::KINDS == [PuzzleKind::Classic] && text.is_ascii() => {
                    "729 characters, as pencilmarks have; explain and hint take these, if the first record is one"
                }
                81 if P::KINDS == [PuzzleKind::Pencilmarks] => {
                    "81 characters, as puzzles have; the first record is pencilmarks, so all must be"
                }
                _ => return wrong_text(self.records.shape, fault.kind),
            };
            what.to_owned()
        };
        if let Some(list) = without_brackets(text).or_else(|| self.without_commas(text)) {
            let read = self.reader.read_list(&list);
            return read.map(|found| found.puzzle).map_err(|fault| reason(&list, fault));
        }
        let found = self.reader.read(text).map_err(|fault| reason(text, fault))?;
        let cells = self.records.shape.cells();
        // Files may have a remark after separate cells; a text is the puzzle alone.
        let words = || text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
        let has_remark = found.echo == SourceEcho::Puzzle && words() > cells;
        if has_remark || found.text.end < text.len() && !text[found.text.end..].trim_ascii().is_empty() {
            return Err(wrong_text(self.records.shape, FaultKind::TextAfterCells(cells as u32)));
        }
        Ok(found.puzzle)
    }
}

/// A text without its line end, because lines read from a file usually keep theirs, and without blank lines around its
/// only line, because language models write such. Spaces in the line stay, since they may be blank cells.
#[inline]
fn line_of(text: &[u8]) -> &[u8] {
    let line = text.strip_suffix(b"\n").unwrap_or(text);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match line.last() {
        Some(last) if last.is_ascii_whitespace() => only_line(line).unwrap_or(line),
        _ => line,
    }
}

/// The only line that is not blank, if a line end or blank lines follow it.
#[cold]
fn only_line(text: &[u8]) -> Option<&[u8]> {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let begin = text.iter().position(|byte| !is_end(byte))?;
    let (line, rest) = text[begin..].split_at(text[begin..].iter().position(is_end)?);
    (!line.trim_ascii().is_empty() && rest.trim_ascii().is_empty()).then_some(line)
}

/// The reason why these cells are no puzzle.
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

/// The reason why a text is no puzzle. It is the program's message without the advice about files, because a text in
/// Python has no file.
#[cold]
fn wrong_text(shape: Shape, fault: FaultKind) -> String {
    match fault {
        FaultKind::OtherSize { found, .. } => wrong_count(shape, found as usize),
        FaultKind::TextAfterCells(cells) => format!("text after cell {cells}"),
        other => other.to_string(),
    }
}

/// Some records' part of a column of results. Slots are disjoint, so that threads can write at the same time. Values of
/// fixed width are bytes; others are texts.
pub(crate) struct Slot<'a> {
    pub(crate) bytes: &'a mut [u8],
    width: usize,
    pub(crate) texts: &'a mut [Text],
    /// Which records have no value. It is empty if every record has one.
    pub(crate) missing: &'a mut [bool],
}

/// A text, or `None` if it is missing.
pub(crate) type Text = Option<Box<str>>;

impl<'a> Slot<'a> {
    /// The bytes of a record's value.
    pub(crate) fn of(&mut self, record: usize) -> &mut [u8] {
        &mut self.bytes[record * self.width..(record + 1) * self.width]
    }

    /// Splits off the slot of the first records.
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

/// A column of results: texts, or bytes that NumPy reads as rows of cells or as numbers.
pub(crate) struct Values {
    /// The buffer of a `Vec` of the number type, so that it becomes an array without a copy.
    pub(crate) bytes: MutableBuffer,
    /// Bytes per value. It is 0 in a column of texts.
    pub(crate) width: usize,
    pub(crate) texts: Vec<Text>,
    pub(crate) missing: Vec<bool>,
}

impl Values {
    /// A column of zeros with that many bytes per value. None are missing.
    pub(crate) fn zeros(width: usize, records: usize) -> Values {
        // This does not write zeros, because the system provides zeroed memory.
        let bytes = vec![0_u8; records * width].into();
        Values { bytes, width, texts: Vec::new(), missing: Vec::new() }
    }

    /// A column of numbers that are all missing. `blank` is the value that they have meanwhile (e.g. NaN for ratings).
    pub(crate) fn numbers<T: ArrowNativeType>(blank: T, records: usize) -> Values {
        let (bytes, missing) = (vec![blank; records].into(), vec![true; records]);
        Values { bytes, width: size_of::<T>(), texts: Vec::new(), missing }
    }

    /// A column of missing texts.
    pub(crate) fn texts(records: usize) -> Values {
        Values { texts: vec![None; records], missing: vec![true; records], ..Values::zeros(0, records) }
    }

    /// The numbers, without a copy. `T` must be the type that the column was made with.
    pub(crate) fn into_numbers<T: ArrowNativeType>(self) -> Vec<T> {
        Buffer::from(self.bytes).into_vec().expect("they were made of a vector of that type")
    }

    /// A slot for all records.
    pub(crate) fn slot(&mut self) -> Slot<'_> {
        let Values { bytes, width, texts, missing } = self;
        Slot { bytes: bytes.as_slice_mut(), width: *width, texts, missing }
    }
}

/// The least and the largest number of records in a part.
pub(crate) type PartSize = RangeInclusive<usize>;

/// For batch engines: enough puzzles to fill their lanes, and few enough that no thread waits long for the last part.
pub(crate) const BATCHES: PartSize = 128..=3200;
/// For counts, because one may take minutes while a thousand others take a millisecond.
pub(crate) const COUNTS: PartSize = 1..=512;
/// For work that takes some microseconds per record (e.g. canonical forms).
pub(crate) const FORMS: PartSize = 1..=256;
/// For ratings, which are faster when several puzzles are rated together.
pub(crate) const RATINGS: PartSize = 8..=256;
/// For work that may take many milliseconds per record (e.g. explanations).
pub(crate) const LONG: PartSize = 1..=64;
