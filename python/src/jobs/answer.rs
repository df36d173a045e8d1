//! The jobs of the library on records: one function for every job that has an answer for each puzzle.

use std::sync::atomic::AtomicBool;

use gridmill_core::generate::Minimizer;
use gridmill_core::grid::Shape;
use gridmill_core::jobs::{
    Absent, Answers, Canon, Column, ColumnKind, Count, Job, Minimal, Minimize, Rate, Solve, StatusInfo, Value,
};
use gridmill_core::logic::{Profile, Rating, Ties};
use gridmill_core::minlex::Minlex;
use gridmill_core::solver::{Engine, SolutionLimit};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::call::{Failure, Options, Reading};
use crate::kind::Kind;
use crate::on_puzzles;
use crate::parts::{PartSize, Places, Wide};
use crate::rows::Rows;

/// Asks a job of that name, with these arguments, about every puzzle. Returns for each of its columns the name, the type, an
/// array of the values, which of them are missing, and for names all that there are.
#[pyfunction]
pub(crate) fn answer<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Rows>,
    job: &str,
    arguments: &Bound<'py, PyDict>,
    options: Options,
) -> PyResult<Bound<'py, PyList>> {
    let rows = rows.get();
    let (shape, engine) = (rows.shape, Engine::fastest(Some(rows.shape)));
    match job {
        "solve" => {
            let limit = SolutionLimit::new(argument(arguments, "limit")?);
            let limit =
                limit.ok_or_else(|| PyValueError::new_err("limit=0: expected 1 or more solutions"))?;
            run(py, rows, &Solve { engine, limit }, PartSize::BATCHES, options)
        }
        "count" => {
            let limit = argument(arguments, "limit")?;
            run(py, rows, &Count { engine, limit, ..Count::default() }, PartSize::COUNTS, options)
        }
        "canon" => {
            check_served(shape)?;
            let canon = Canon { transform: true, automorphisms: true, ..Canon::default() };
            run(py, rows, &canon, PartSize::FORMS, options)
        }
        "rate" if shape != Shape::CLASSIC => {
            Err(PyValueError::new_err(format!("shape=\"{shape}\": only 9x9 puzzles are rated")))
        }
        "rate" => run(py, rows, &rate(engine, arguments)?, PartSize::RATINGS, options),
        "minimal" => {
            let budget_guesses = Minimizer::GUESSES;
            run(py, rows, &Minimal { budget_guesses }, PartSize::LONG, options)
        }
        "minimize" => {
            let (seed, orders) = (argument(arguments, "seed")?, argument(arguments, "orders")?);
            run(py, rows, &Minimize { seed, orders, ..Minimize::default() }, PartSize::LONG, options)
        }
        other => Err(PyValueError::new_err(format!("there is no job {other:?}"))),
    }
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

/// Asks a job about every puzzle.
fn run<'py, J: Job + Send>(
    py: Python<'py>,
    rows: &Rows,
    job: &J,
    size: PartSize,
    options: Options,
) -> PyResult<Bound<'py, PyList>> {
    let schema = job.schema();
    let records = rows.borrow(py).view().len();
    let new = |column: &Column| Array::new(column, records, rows.shape, schema.malformed());
    let mut arrays: Vec<Array> = schema.columns.iter().map(new).collect();
    on_puzzles!(py, rows, options, |puzzles, stop| fill(&puzzles, job, size, &mut arrays, stop))?;
    let columns = PyList::empty(py);
    for (column, array) in schema.columns.iter().zip(arrays) {
        columns.append(array.into_python(py, column, schema.statuses)?)?;
    }
    Ok(columns)
}

fn fill<P: Kind, J: Job>(
    puzzles: &Reading<'_, P>,
    job: &J,
    size: PartSize,
    arrays: &mut [Array],
    stop: &AtomicBool,
) -> Result<(), Failure> {
    let slots = Slots(arrays.iter_mut().map(Array::slot).collect());
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
            for (column, slot) in slots.0.iter_mut().enumerate() {
                slot.fill(column, answers, places);
            }
        }
        Ok(())
    })
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
            ColumnKind::Text => Values::Texts(vec![None; records]),
            ColumnKind::Candidates | ColumnKind::Steps => panic!("no job of the package has such columns"),
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
        };
        Slot { values, missing: &mut self.missing, is_ever_missing: self.is_ever_missing }
    }

    /// Returns the name, the type, the values, which are missing, and the names that there are.
    fn into_python<'py>(
        self,
        py: Python<'py>,
        column: &Column,
        statuses: &[StatusInfo],
    ) -> PyResult<Bound<'py, PyAny>> {
        let names: Option<Vec<&str>> = match column.kind {
            ColumnKind::Name(names) => Some(names.to_vec()),
            ColumnKind::Status => Some(statuses.iter().map(|status| status.name).collect()),
            _ => None,
        };
        let (kind, values) = match self.values {
            Values::Cells(cells, width) => {
                let records = self.missing.len();
                ("cells", cells.into_pyarray(py).reshape([records, width])?.into_any())
            }
            Values::Numbers(numbers) => ("numbers", numbers.into_pyarray(py).into_any()),
            Values::SmallNumbers(numbers) => ("numbers", numbers.into_pyarray(py).into_any()),
            Values::TinyNumbers(numbers) => ("numbers", numbers.into_pyarray(py).into_any()),
            Values::Ratings(ratings) => ("numbers", ratings.into_pyarray(py).into_any()),
            Values::Codes(codes) => ("names", codes.into_pyarray(py).into_any()),
            Values::Texts(texts) => ("texts", notations(py, &texts)?),
        };
        let missing = self.missing.into_pyarray(py);
        Ok((column.name, kind, values, missing, names).into_pyobject(py)?.into_any())
    }
}

/// Returns texts of ASCII as rows of bytes, with zeros behind.
fn notations<'py>(py: Python<'py>, texts: &[Option<Box<str>>]) -> PyResult<Bound<'py, PyAny>> {
    let width = texts.iter().flatten().map(|text| text.len()).max().unwrap_or(0).max(1);
    let mut bytes = vec![0; texts.len() * width];
    for (row, text) in bytes.chunks_mut(width).zip(texts) {
        let text = text.as_deref().unwrap_or_default();
        row[..text.len()].copy_from_slice(text.as_bytes());
    }
    Ok(bytes.into_pyarray(py).reshape([texts.len(), width])?.into_any())
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
}

impl Places for Slots<'_> {
    fn split(self, records: usize) -> (Self, Self) {
        let (first, rest) = self.0.into_iter().map(|slot| slot.split(records)).unzip();
        (Slots(first), Slots(rest))
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
        };
        let first = Slot { values, missing, is_ever_missing };
        (first, Slot { values: more_values, missing: more_missing, is_ever_missing })
    }

    /// Takes the values of a column, for the records at these places.
    fn fill(&mut self, column: usize, answers: &Answers, places: &[usize]) {
        let places = || places.iter().copied().zip(0..answers.len());
        if let Some(numbers) = answers.numbers(column) {
            return self.fill_numbers(numbers, places());
        }
        for (place, answer) in places() {
            let value = answers.value(column, answer);
            self.missing[place] = value == Value::Missing && self.is_ever_missing;
            match (&mut self.values, value) {
                (SlotValues::Cells(cells), Value::Cells(found)) => cells.of(place).copy_from_slice(found),
                (SlotValues::Texts(texts), Value::Text(found)) => texts[place] = Some(found.into()),
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
