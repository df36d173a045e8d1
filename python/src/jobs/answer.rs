//! The jobs of the library on records: one function for every job that has an answer for each puzzle.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use gridmill_core::generate::Minimizer;
use gridmill_core::grid::Shape;
use gridmill_core::jobs::{
    Absent, Answers, Candidates, Canon, Check, Column, ColumnKind, Count, Job, Minimal, Minimize, Proposed,
    Rate, Schema, Solve, StatusInfo, Value, Verify,
};
use gridmill_core::logic::{Profile, Rating, Ties};
use gridmill_core::minlex::Minlex;
use gridmill_core::solver::{Engine, SolutionLimit};
use gridmill_data::output::candidate_text;
use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::{FoundColumn, names, numbers, wide};
use crate::call::{Batch, Failure, Options, Reading};
use crate::kind::Kind;
use crate::on_puzzles;
use crate::parts::{PartSize, Places, Wide};
use crate::rows::Rows;

/// Asks a job of that name, with these arguments, about every puzzle, and returns its columns.
#[pyfunction]
pub(crate) fn answer<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Rows>,
    job: &str,
    arguments: &Bound<'py, PyDict>,
    options: Options,
) -> PyResult<Vec<FoundColumn<'py>>> {
    let (asking, shape) = (Asking { py, rows: rows.get(), options }, rows.get().shape);
    let engine = Engine::fastest(Some(shape));
    match job {
        "solve" => {
            let limit = SolutionLimit::new(argument(arguments, "limit")?);
            let limit =
                limit.ok_or_else(|| PyValueError::new_err("limit=0: expected 1 or more solutions"))?;
            asking.answers(&Solve { engine, limit }, PartSize::BATCHES)
        }
        "verify" => asking.answers(&Verify { engine }, PartSize::BATCHES),
        "count" => {
            let limit = argument(arguments, "limit")?;
            asking.answers(&Count { engine, limit, ..Count::default() }, PartSize::COUNTS)
        }
        "canon" => {
            check_served(shape)?;
            let canon = Canon { transform: true, automorphisms: true, ..Canon::default() };
            asking.answers(&canon, PartSize::FORMS)
        }
        "rate" if shape != Shape::CLASSIC => {
            Err(PyValueError::new_err(format!("shape=\"{shape}\": only 9x9 puzzles are rated")))
        }
        "rate" => asking.answers(&rate(engine, arguments)?, PartSize::RATINGS),
        "minimal" => {
            let budget_guesses = Minimizer::GUESSES;
            asking.answers(&Minimal { budget_guesses }, PartSize::LONG)
        }
        "minimize" => {
            let (seed, orders) = (argument(arguments, "seed")?, argument(arguments, "orders")?);
            let by_clues = argument(arguments, "by_clues")?;
            asking.answers(&Minimize { seed, orders, by_clues, ..Minimize::default() }, PartSize::LONG)
        }
        "candidates" => asking.answers(&Candidates::default(), PartSize::LONG),
        other => Err(PyValueError::new_err(format!("there is no job {other:?}"))),
    }
}

/// Proves that solutions are the only ones of puzzles.
#[pyfunction]
pub(crate) fn check<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Rows>,
    solutions: &Bound<'py, Rows>,
    options: Options,
) -> PyResult<Vec<FoundColumn<'py>>> {
    let (rows, solutions) = (rows.get(), ("solutions", Some(solutions.get())));
    let check = Check { engine: Engine::fastest(Some(rows.shape)) };
    let mut arrays = Arrays::new(py, check.schema(), rows);
    on_puzzles!(py, rows, solutions, &options, |puzzles, solutions, stop| {
        let solutions = solutions.expect("they are given");
        fill_checked(&puzzles, &solutions, &check, arrays.slots(), stop)
    })?;
    arrays.into_python(py)
}

fn argument<'py, T: FromPyObjectOwned<'py>>(arguments: &Bound<'py, PyDict>, name: &str) -> PyResult<T> {
    let value = arguments.as_any().get_item(name)?;
    value.extract().map_err(Into::into)
}

fn rate(engine: Engine, arguments: &Bound<'_, PyDict>) -> PyResult<Rate> {
    let (scale, ties) =
        scale_of(&argument::<String>(arguments, "scale")?, &argument::<String>(arguments, "ties")?)?;
    let up_to = argument::<Option<f64>>(arguments, "up_to")?.map(|up_to| {
        rating(up_to).ok_or_else(|| {
            PyValueError::new_err(format!("up_to={up_to}: expected a rating from 1.0 to 13.0 in tenths"))
        })
    });
    Ok(Rate { engine, scale, ties, up_to: up_to.transpose()?, techniques: true, times: false })
}

/// Returns the name of a scale of ratings, with its version.
#[pyfunction]
pub(crate) fn scale_version(scale: &str, ties: &str) -> PyResult<&'static str> {
    let (scale, ties) = scale_of(scale, ties)?;
    Ok(scale.version_with(ties))
}

fn scale_of(scale: &str, ties: &str) -> PyResult<(Profile, Ties)> {
    let wrong = |name: &str, error: &dyn std::fmt::Display| PyValueError::new_err(format!("{name}: {error}"));
    let scale = scale.parse().map_err(|error| wrong("scale", &error))?;
    Ok((scale, ties.parse().map_err(|error| wrong("ties", &error))?))
}

/// Returns a rating of tenths.
pub(super) fn rating(number: f64) -> Option<Rating> {
    let tenths = (number * 10.0).round();
    let is_tenth = (tenths - number * 10.0).abs() < 1e-6;
    let rating = Rating::tenths(tenths as u16);
    (is_tenth && (Rating::LEAST..=Rating::BEYOND).contains(&rating)).then_some(rating)
}

/// Raises an exception where puzzles of a shape have no form that could be found.
pub(super) fn check_served(shape: Shape) -> PyResult<()> {
    let expected = "expected puzzles of 4x4, 6x6, 8x8 or 9x9 cells, as larger ones have no minlex form here";
    if Minlex::serves(shape) {
        Ok(())
    } else {
        Err(PyValueError::new_err(format!("shape=\"{shape}\": {expected}")))
    }
}

/// The puzzles of a call, and how they are asked about.
struct Asking<'a, 'py> {
    py: Python<'py>,
    rows: &'a Rows,
    options: Options,
}

impl<'py> Asking<'_, 'py> {
    /// Returns the answers of a job.
    fn answers<J: Job + Send>(&self, job: &J, size: PartSize) -> PyResult<Vec<FoundColumn<'py>>> {
        let (py, rows, options) = (self.py, self.rows, &self.options);
        let mut arrays = Arrays::new(py, job.schema(), rows);
        on_puzzles!(py, rows, options, |puzzles, stop| fill(&puzzles, job, size, arrays.slots(), stop))?;
        arrays.into_python(py)
    }
}

fn fill<P: Kind, J: Job>(
    puzzles: &Reading<'_, P>,
    job: &J,
    size: PartSize,
    slots: Slots<'_>,
    stop: &AtomicBool,
) -> Result<(), Failure> {
    let tools = || (job.worker::<P>(), Answers::new(job.schema()));
    puzzles.in_parts(size, slots, stop, tools, |(worker, answers), start, batch, mut slots| {
        // Random numbers depend on the numbers of records: so puzzles go one by one where malformed ones are in between.
        let is_whole = batch.faults.is_empty() || !J::DRAWS;
        let together = if is_whole { batch.puzzles.len().max(1) } else { 1 };
        for (puzzles, places) in batch.puzzles.chunks(together).zip(batch.places.chunks(together)) {
            answers.clear();
            let first = (start + places[0]) as u64;
            let answered = worker.answer(puzzles, first, stop, answers);
            answered.map_err(|refuted| Failure::refuted(refuted.engine, &puzzles[refuted.puzzle]))?;
            slots.fill(answers, puzzles, places);
        }
        slots.fill_faults(&batch.faults);
        Ok(())
    })
}

fn fill_checked<P: Kind>(
    puzzles: &Reading<'_, P>,
    solutions: &Reading<'_, P>,
    check: &Check,
    slots: Slots<'_>,
    stop: &AtomicBool,
) -> Result<(), Failure> {
    puzzles.require_as_many(solutions)?;
    let tools = || (check.worker::<P, String>(), Answers::new(check.schema()), Batch::new());
    puzzles.in_parts(
        PartSize::BATCHES,
        slots,
        stop,
        tools,
        |(worker, answers, given), start, batch, mut slots| {
            solutions.read(start..start + batch.records(), given)?;
            let pairs = proposed(batch, given);
            answers.clear();
            let answered = worker.answer(&pairs, 0, stop, answers);
            answered.map_err(|refuted| Failure::refuted(refuted.engine, &pairs[refuted.puzzle].puzzle))?;
            slots.fill(answers, &batch.puzzles, &batch.places);
            slots.fill_faults(&batch.faults);
            Ok(())
        },
    )
}

/// Returns each puzzle with its solution, or with what is wrong with that.
fn proposed<P: Kind>(puzzles: &Batch<P>, solutions: &Batch<P>) -> Vec<Proposed<P, String>> {
    let faults = solutions.faults.iter().map(|(place, fault)| (*place, Err(format!("solution: {fault}"))));
    let given = solutions.iter().map(|(place, solution)| (place, Ok(solution.clone())));
    let mut all: Vec<Option<Result<P, String>>> = (0..solutions.records()).map(|_| None).collect();
    given.chain(faults).for_each(|(place, solution)| all[place] = Some(solution));
    let pair = |(place, puzzle): (usize, &P)| {
        let solution = all[place].take().expect("a solution or a fault for each place");
        Proposed { puzzle: puzzle.clone(), solution }
    };
    puzzles.iter().map(pair).collect()
}

/// The columns of the answers to a job.
struct Arrays {
    schema: Schema,
    arrays: Vec<Array>,
}

impl Arrays {
    /// Returns the columns as they are of malformed records.
    fn new(py: Python<'_>, schema: Schema, rows: &Rows) -> Arrays {
        let records = rows.borrow(py).view().len();
        let new = |column: &Column| Array::new(column, records, rows.shape, schema.malformed());
        let arrays = schema.columns.iter().map(new).collect();
        Arrays { schema, arrays }
    }

    fn slots(&mut self) -> Slots<'_> {
        Slots(self.arrays.iter_mut().map(Array::slot).collect())
    }

    fn into_python(self, py: Python<'_>) -> PyResult<Vec<FoundColumn<'_>>> {
        let columns = self.schema.columns.iter().zip(self.arrays);
        columns.map(|(column, array)| array.into_python(py, column, self.schema.statuses)).collect()
    }
}

/// The values of a column, one for each record.
struct Array {
    values: Values,
    /// Which of them are missing.
    missing: Vec<bool>,
    is_ever_missing: bool,
}

enum Values {
    Cells(Vec<u8>, usize),
    Numbers(Vec<u64>),
    SmallNumbers(Vec<u32>),
    TinyNumbers(Vec<u16>),
    Ratings(Vec<f64>),
    Codes(Vec<i8>),
    Texts(Vec<Option<Box<str>>>),
    /// Why records are not right, malformed ones too.
    Reasons(Vec<Option<Box<str>>>),
}

impl Array {
    /// Returns the column as it is of malformed records.
    fn new(column: &Column, records: usize, shape: Shape, malformed: u8) -> Array {
        let values = match column.kind {
            ColumnKind::Cells => Values::Cells(vec![0; records * shape.cells()], shape.cells()),
            ColumnKind::Number | ColumnKind::Nanos => Values::Numbers(vec![0; records]),
            ColumnKind::SmallNumber => Values::SmallNumbers(vec![0; records]),
            ColumnKind::TinyNumber => Values::TinyNumbers(vec![0; records]),
            ColumnKind::Rating => Values::Ratings(vec![f64::NAN; records]),
            ColumnKind::Name(_) => Values::Codes(vec![-1; records]),
            ColumnKind::Status => Values::Codes(vec![malformed as i8; records]),
            ColumnKind::Text if *column == Column::REASON => Values::Reasons(vec![None; records]),
            ColumnKind::Text | ColumnKind::Candidates => Values::Texts(vec![None; records]),
            ColumnKind::Grids | ColumnKind::Key | ColumnKind::Steps => {
                panic!("no job that is asked here has lists, keys or steps")
            }
        };
        Array { values, missing: vec![true; records], is_ever_missing: column.absent == Absent::Empty }
    }

    fn slot(&mut self) -> Slot<'_> {
        let values = match &mut self.values {
            Values::Cells(cells, width) => SlotValues::Cells(Wide::new(cells, *width)),
            Values::Numbers(numbers) => SlotValues::Numbers(numbers),
            Values::SmallNumbers(numbers) => SlotValues::SmallNumbers(numbers),
            Values::TinyNumbers(numbers) => SlotValues::TinyNumbers(numbers),
            Values::Ratings(ratings) => SlotValues::Ratings(ratings),
            Values::Codes(codes) => SlotValues::Codes(codes),
            Values::Texts(texts) => SlotValues::Texts(texts),
            Values::Reasons(reasons) => SlotValues::Reasons(reasons),
        };
        Slot { values, missing: &mut self.missing, is_ever_missing: self.is_ever_missing }
    }

    fn into_python<'py>(
        self,
        py: Python<'py>,
        column: &Column,
        statuses: &[StatusInfo],
    ) -> PyResult<FoundColumn<'py>> {
        let (name, missing) = (column.name, Some(self.missing));
        let (kind, values) = match self.values {
            Values::Numbers(found) => return Ok(numbers(py, name, found, missing)),
            Values::SmallNumbers(found) => return Ok(numbers(py, name, found, missing)),
            Values::TinyNumbers(found) => return Ok(numbers(py, name, found, missing)),
            Values::Ratings(found) => return Ok(numbers(py, name, found, missing)),
            Values::Codes(codes) => {
                let all = match column.kind {
                    ColumnKind::Name(names) => names.to_vec(),
                    _ => statuses.iter().map(|status| status.name).collect(),
                };
                return Ok(names(py, name, codes, all));
            }
            Values::Cells(cells, width) => ("cells", wide(py, cells, width)?),
            Values::Texts(texts) => ("notations", notations(py, &texts)?),
            Values::Reasons(reasons) => return Ok((name, "texts", shared_texts(py, &reasons)?, None, None)),
        };
        Ok((name, kind, values, missing.map(|missing| missing.into_pyarray(py)), None))
    }
}

/// Returns texts of which the same text is the same object.
fn shared_texts<'py>(py: Python<'py>, texts: &[Option<Box<str>>]) -> PyResult<Bound<'py, PyAny>> {
    let mut known: HashMap<&str, Bound<'py, PyString>> = HashMap::new();
    let mut shared = |text| known.entry(text).or_insert_with(|| PyString::new(py, text)).clone();
    let all: Vec<_> = texts.iter().map(|text| text.as_deref().map(&mut shared)).collect();
    Ok(all.into_pyobject(py)?.into_any())
}

/// Returns texts of ASCII as rows of bytes, with zeros behind.
fn notations<'py>(py: Python<'py>, texts: &[Option<Box<str>>]) -> PyResult<Bound<'py, PyAny>> {
    let width = texts.iter().flatten().map(|text| text.len()).max().unwrap_or(0).max(1);
    let mut bytes = vec![0; texts.len() * width];
    for (row, text) in bytes.chunks_mut(width).zip(texts) {
        let text = text.as_deref().unwrap_or_default();
        row[..text.len()].copy_from_slice(text.as_bytes());
    }
    wide(py, bytes, width)
}

/// The places of some records in all columns.
struct Slots<'a>(Vec<Slot<'a>>);

/// The places of some records in a column.
struct Slot<'a> {
    values: SlotValues<'a>,
    missing: &'a mut [bool],
    /// Whether a value may be missing though the record is a puzzle; else it is 0.
    is_ever_missing: bool,
}

enum SlotValues<'a> {
    Cells(Wide<'a, u8>),
    Numbers(&'a mut [u64]),
    SmallNumbers(&'a mut [u32]),
    TinyNumbers(&'a mut [u16]),
    Ratings(&'a mut [f64]),
    Codes(&'a mut [i8]),
    Texts(&'a mut [Option<Box<str>>]),
    Reasons(&'a mut [Option<Box<str>>]),
}

impl Places for Slots<'_> {
    fn split(self, records: usize) -> (Self, Self) {
        let (first, rest) = self.0.into_iter().map(|slot| slot.split(records)).unzip();
        (Slots(first), Slots(rest))
    }
}

impl Slots<'_> {
    /// Takes the answers for the records at these places.
    fn fill(&mut self, answers: &Answers, puzzles: &[impl Kind], places: &[usize]) {
        for (column, slot) in self.0.iter_mut().enumerate() {
            slot.fill(column, answers, puzzles, places);
        }
    }

    /// Takes what is wrong with malformed records, where reasons are wanted.
    fn fill_faults(&mut self, faults: &[(usize, String)]) {
        for slot in &mut self.0 {
            if let SlotValues::Reasons(reasons) = &mut slot.values {
                faults.iter().for_each(|(place, fault)| reasons[*place] = Some(fault.as_str().into()));
            }
        }
    }
}

impl Slot<'_> {
    fn split(self, records: usize) -> (Self, Self) {
        let ((missing, more_missing), is_ever_missing) = (self.missing.split(records), self.is_ever_missing);
        let (values, more_values) = match self.values {
            SlotValues::Cells(places) => halves(places, records, SlotValues::Cells),
            SlotValues::Numbers(places) => halves(places, records, SlotValues::Numbers),
            SlotValues::SmallNumbers(places) => halves(places, records, SlotValues::SmallNumbers),
            SlotValues::TinyNumbers(places) => halves(places, records, SlotValues::TinyNumbers),
            SlotValues::Ratings(places) => halves(places, records, SlotValues::Ratings),
            SlotValues::Codes(places) => halves(places, records, SlotValues::Codes),
            SlotValues::Texts(places) => halves(places, records, SlotValues::Texts),
            SlotValues::Reasons(places) => halves(places, records, SlotValues::Reasons),
        };
        let first = Slot { values, missing, is_ever_missing };
        (first, Slot { values: more_values, missing: more_missing, is_ever_missing })
    }

    /// Takes the values of a column, for the records at these places.
    fn fill(&mut self, column: usize, answers: &Answers, puzzles: &[impl Kind], places: &[usize]) {
        let places = || places.iter().copied().zip(0..answers.len());
        if let Some(numbers) = answers.numbers(column) {
            return self.fill_numbers(numbers, places());
        }
        for (place, answer) in places() {
            let value = answers.value(column, answer);
            self.missing[place] = value == Value::Missing && self.is_ever_missing;
            match (&mut self.values, value) {
                (SlotValues::Cells(cells), Value::Cells(found)) => cells.of(place).copy_from_slice(found),
                (SlotValues::Texts(texts) | SlotValues::Reasons(texts), Value::Text(found)) => {
                    texts[place] = Some(found.into());
                }
                (SlotValues::Texts(texts), Value::Candidates(counts)) => {
                    let mut text = Vec::new();
                    candidate_text(&puzzles[answer], counts, &mut text);
                    texts[place] = Some(String::from_utf8_lossy(&text).into());
                }
                (SlotValues::Codes(codes), _) => {
                    codes[place] = answers.code(column, answer).map_or(-1, |code| code as i8);
                }
                _ => {}
            }
        }
    }

    /// Takes numbers or ratings: without a look at the type of each, as ratings have a column for each technique.
    fn fill_numbers(&mut self, found: &[u64], places: impl Iterator<Item = (usize, usize)>) {
        for (place, answer) in places {
            let number = found[answer];
            let is_there = number != Answers::MISSING;
            self.missing[place] = !is_there && self.is_ever_missing;
            match &mut self.values {
                SlotValues::Numbers(numbers) if is_there => numbers[place] = number,
                SlotValues::SmallNumbers(numbers) if is_there => numbers[place] = number as u32,
                SlotValues::TinyNumbers(numbers) if is_there => numbers[place] = number as u16,
                SlotValues::Ratings(ratings) if is_there => {
                    ratings[place] = Rating::tenths(number as u16).number();
                }
                _ => {}
            }
        }
    }
}

fn halves<'a, Q: Places>(
    places: Q,
    records: usize,
    of: impl Fn(Q) -> SlotValues<'a>,
) -> (SlotValues<'a>, SlotValues<'a>) {
    let (first, rest) = places.split(records);
    (of(first), of(rest))
}
