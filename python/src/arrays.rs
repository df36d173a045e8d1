//! NumPy arrays: the columns of a result, the cells of puzzles, and isomorphs of puzzles with their solutions. Threads
//! fill disjoint parts of a column.

use std::collections::HashMap;
use std::iter;
use std::sync::atomic::Ordering;

use arrow_buffer::ArrowNativeType;
use gridmill_core::grid::{Isomorphism, Shape};
use gridmill_core::jobs::{
    Absent, Answers, Backdoors, Column, ColumnKind, PuzzleKey, Schema, StatusInfo, Value, why_not_solution,
};
use gridmill_core::logic;
use gridmill_core::solver::Solvable;
use gridmill_data::output::candidate_text;
use gridmill_data::text::PuzzleText;
use numpy::{Element, IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::call::{BATCHES, Batch, FORMS, Options, Slot, Values};
use crate::flat::Runs;
use crate::given_records::GivenRecords;
use crate::on_puzzles;

/// A column as the package takes it: its name, its kind (see `Data` in `_columns.py`), the values, and which of them
/// are missing (`None` if none is). The last item lists the names of a column of names, separated by spaces (e.g. "ok
/// wrong malformed").
pub(crate) type FoundColumn<'py> =
    (&'static str, &'static str, Bound<'py, PyAny>, Option<Bound<'py, PyArray1<bool>>>, Option<String>);

/// The columns of a job's answers, with a value for each record.
pub(super) struct Columns {
    pub(super) schema: Schema,
    forms: Vec<Form>,
    pub(super) values: Vec<Values>,
}

/// The form of a column in Python: its kind, and the function that turns the values into an object of Python.
type Form = (&'static str, for<'py> fn(Python<'py>, Values) -> PyResult<Bound<'py, PyAny>>);

/// The kind of columns with any number of values for a record: see `flat.rs`.
const FLAT: &str = "flat";

impl Columns {
    /// The columns of a job, filled as if all records were malformed. So only answers need to be written later.
    pub(super) fn new(schema: Schema, shape: Shape, records: usize) -> Columns {
        let column = |column: &Column| column_of(column, shape, schema.malformed(), records);
        let (forms, values) = schema.columns.iter().map(column).unzip();
        Columns { schema, forms, values }
    }

    /// Whether any record has the status of that name.
    pub(super) fn has_status(&self, name: &str) -> bool {
        let code = self.schema.statuses.iter().position(|status| status.name == name);
        code.is_some_and(|code| self.statuses().contains(&(code as u8)))
    }

    /// Whether each record is malformed.
    pub(super) fn are_malformed(&self) -> Vec<bool> {
        self.statuses().iter().map(|&status| status == self.schema.malformed()).collect()
    }

    /// The code of each record's status.
    fn statuses(&self) -> &[u8] {
        let statuses = self.schema.columns.iter().position(|column| column.kind == ColumnKind::Status);
        statuses.map_or(&[], |statuses| self.values[statuses].bytes.as_slice())
    }

    /// The columns as the package takes them.
    pub(super) fn into_python(self, py: Python<'_>) -> PyResult<Vec<FoundColumn<'_>>> {
        let columns = self.schema.columns.iter().zip(self.forms).zip(self.values);
        let columns = columns.filter(|((_, (kind, _)), _)| *kind != FLAT);
        let found = columns.map(|((column, (kind, into_python)), mut values)| {
            let missing = missing_of(py, std::mem::take(&mut values.missing));
            let names = match column.kind {
                ColumnKind::Name(names) => Some(names.join(" ")),
                ColumnKind::Status => Some(distinct_names(self.schema.statuses, &mut values.bytes).join(" ")),
                _ => None,
            };
            Ok((column.name, kind, into_python(py, values)?, missing, names))
        });
        found.collect()
    }
}

/// The names of the statuses, each once, because data frames refuse categories of equal names: `explain` has two
/// statuses named unique. Codes become indices of these names.
fn distinct_names(statuses: &[StatusInfo], codes: &mut [u8]) -> Vec<&'static str> {
    let mut names = Vec::new();
    let mut places = Vec::new();
    for status in statuses {
        let place = names.iter().position(|&name| name == status.name).unwrap_or(names.len());
        if place == names.len() {
            names.push(status.name);
        }
        places.push(place as u8);
    }
    if names.len() < statuses.len() {
        codes.iter_mut().for_each(|code| *code = places[usize::from(*code)]);
    }
    names
}

/// An empty column of the right kind. Each record has the value of malformed ones until an answer replaces it.
fn column_of(column: &Column, shape: Shape, malformed: u8, records: usize) -> (Form, Values) {
    let of_bytes = |width| Values { missing: vec![true; records], ..Values::zeros(width, records) };
    match column.kind {
        ColumnKind::Cells => (("cells", rows_of_bytes), of_bytes(shape.cells())),
        ColumnKind::Key => (("bytes", rows_of_bytes), of_bytes(PuzzleKey::BYTES)),
        ColumnKind::Text if *column == Column::REASON => (("texts", shared_texts), Values::texts(records)),
        ColumnKind::Text if *column == Backdoors::SETS => {
            (("long_texts", long_texts), Values::texts(records))
        }
        ColumnKind::Text | ColumnKind::Candidates => (("short_texts", short_texts), Values::texts(records)),
        ColumnKind::Name(_) => (("names", array::<i8>), Values::numbers(-1_i8, records)),
        ColumnKind::Status => (("names", array::<i8>), Values::numbers(malformed as i8, records)),
        ColumnKind::Rating => (("numbers", array::<f64>), Values::numbers(f64::NAN, records)),
        ColumnKind::SmallNumber => (("numbers", array::<u32>), Values::numbers(0_u32, records)),
        ColumnKind::TinyNumber => (("numbers", array::<u16>), Values::numbers(0_u16, records)),
        ColumnKind::Number | ColumnKind::Nanos => {
            (("numbers", array::<u64>), Values::numbers(0_u64, records))
        }
        ColumnKind::Grids | ColumnKind::Steps => ((FLAT, array::<u8>), Values::zeros(0, 0)),
    }
}

/// Writes answers into the columns, at the places of their puzzles.
pub(super) fn fill(slots: &mut [Slot<'_>], answers: &Answers, puzzles: &[impl PuzzleText], places: &[usize]) {
    use ColumnKind::{Grids, Rating, SmallNumber, Steps, TinyNumber};
    let rating = |tenths| logic::Rating::tenths(tenths as u16).number();
    for (index, slot) in slots.iter_mut().enumerate() {
        let column = &answers.schema().columns[index];
        let Some(found) = answers.numbers(index) else {
            if !matches!(column.kind, Grids | Steps) {
                fill_values(slot, index, answers, puzzles, places);
            }
            continue;
        };
        match column.kind {
            Rating => fill_numbers(slot, column, found, places, |tenths| rating(tenths).to_ne_bytes()),
            SmallNumber => fill_numbers(slot, column, found, places, |number| (number as u32).to_ne_bytes()),
            TinyNumber => fill_numbers(slot, column, found, places, |number| (number as u16).to_ne_bytes()),
            _ => fill_numbers(slot, column, found, places, u64::to_ne_bytes),
        }
    }
}

/// Writes a column of numbers or ratings. The type of a value is matched once per column, because ratings have a column
/// for each technique.
fn fill_numbers<const N: usize>(
    slot: &mut Slot<'_>,
    column: &Column,
    found: &[u64],
    places: &[usize],
    bytes_of: impl Fn(u64) -> [u8; N],
) {
    for (&place, &number) in places.iter().zip(found) {
        let is_there = number != Answers::MISSING;
        slot.missing[place] = !is_there && column.absent == Absent::Empty;
        if is_there {
            slot.of(place).copy_from_slice(&bytes_of(number));
        }
    }
}

fn fill_values(
    slot: &mut Slot<'_>,
    index: usize,
    answers: &Answers,
    puzzles: &[impl PuzzleText],
    places: &[usize],
) {
    for (answer, &place) in places.iter().enumerate().take(answers.len()) {
        let value = answers.value(index, answer);
        slot.missing[place] =
            value == Value::Missing && answers.schema().columns[index].absent == Absent::Empty;
        match (value, answers.code(index, answer)) {
            (_, Some(code)) => slot.of(place)[0] = code,
            (Value::Key(key), _) => slot.of(place).copy_from_slice(key.bytes()),
            (Value::Cells(found), _) => slot.of(place).copy_from_slice(found),
            (Value::Text(found), _) => slot.texts[place] = Some(found.into()),
            (Value::Candidates(counts), _) => {
                let mut text = Vec::new();
                candidate_text(&puzzles[answer], counts, &mut text);
                slot.texts[place] = Some(String::from_utf8_lossy(&text).into());
            }
            _ => {}
        }
    }
}

/// Writes the reasons why records are malformed, if the job has a column for reasons.
pub(super) fn fill_faults(slots: &mut [Slot<'_>], schema: &Schema, faults: &[(usize, String)]) {
    let Some(reasons) = schema.position(&Column::REASON) else { return };
    for (place, fault) in faults {
        slots[reasons].texts[*place] = Some(fault.as_str().into());
    }
}

/// An array with a row of `width` items for each record. The items are not copied.
pub(super) fn wide<T: Element>(py: Python<'_>, items: Vec<T>, width: usize) -> PyResult<Bound<'_, PyAny>> {
    let records = items.len() / width;
    Ok(items.into_pyarray(py).reshape([records, width])?.into_any())
}

/// An array with a row of bytes for each record.
fn rows_of_bytes(py: Python<'_>, values: Values) -> PyResult<Bound<'_, PyAny>> {
    let width = values.width;
    wide(py, values.into_numbers::<u8>(), width)
}

/// An array with a number for each record.
fn array<T: ArrowNativeType + Element>(py: Python<'_>, values: Values) -> PyResult<Bound<'_, PyAny>> {
    Ok(values.into_numbers::<T>().into_pyarray(py).into_any())
}

/// A mask of the missing values, or `None` if there are none.
fn missing_of(py: Python<'_>, missing: Vec<bool>) -> Option<Bound<'_, PyArray1<bool>>> {
    missing.contains(&true).then(|| missing.into_pyarray(py))
}

pub(super) fn numbers<'py, T: Element>(
    py: Python<'py>,
    name: &'static str,
    items: Vec<T>,
    missing: Option<Vec<bool>>,
) -> FoundColumn<'py> {
    let missing = missing.and_then(|missing| missing_of(py, missing));
    (name, "numbers", items.into_pyarray(py).into_any(), missing, None)
}

/// Texts as objects of Python. Equal texts share one object, because reasons repeat (e.g. the same fault in thousands
/// of records).
fn shared_texts(py: Python<'_>, values: Values) -> PyResult<Bound<'_, PyAny>> {
    let mut known: HashMap<&str, Bound<'_, PyString>> = HashMap::new();
    let mut shared = |text| known.entry(text).or_insert_with(|| PyString::new(py, text)).clone();
    let all: Vec<_> = values.texts.iter().map(|text| text.as_deref().map(&mut shared)).collect();
    Ok(all.into_pyobject(py)?.into_any())
}

/// Texts one after the other, and where each begins. A missing one is empty.
fn long_texts(py: Python<'_>, values: Values) -> PyResult<Bound<'_, PyAny>> {
    let mut runs = Runs::default();
    for text in values.texts {
        runs.push(text.as_deref().unwrap_or_default().as_bytes());
    }
    runs.into_values(py)
}

/// ASCII texts as rows of bytes, padded with zeros to the longest one.
fn short_texts(py: Python<'_>, values: Values) -> PyResult<Bound<'_, PyAny>> {
    let texts = values.texts;
    let width = texts.iter().flatten().map(|text| text.len()).max().unwrap_or(0).max(1);
    let mut bytes = vec![0; texts.len() * width];
    for (row, text) in bytes.chunks_mut(width).zip(texts) {
        let text = text.as_deref().unwrap_or_default();
        row[..text.len()].copy_from_slice(text.as_bytes());
    }
    wide(py, bytes, width)
}

/// The cells of puzzles, with `added` added to each (e.g. 1, for models that reserve 0 for padding). Cells of malformed
/// records are 0.
#[pyfunction]
pub(crate) fn cells<'py>(
    py: Python<'py>,
    records: &Bound<'py, GivenRecords>,
    added: u8,
    options: Options<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let records = records.get();
    let (width, options) = (records.shape.cells(), options.here_if_few(records.len(py)));
    let mut cells = Values::zeros(width, records.len(py));
    on_puzzles!(py, records, None, &options, |puzzles, _others, watch| {
        puzzles.in_parts(
            &BATCHES,
            vec![cells.slot()],
            watch,
            || (),
            |(), _, batch, mut slots| {
                let all = &mut *slots[0].bytes;
                for (place, puzzle) in batch.iter() {
                    // The length comes from the puzzle, because the compiler knows it for 9x9.
                    let cells = puzzle.cells();
                    let places = &mut all[place * cells.len()..][..cells.len()];
                    places.iter_mut().zip(cells).for_each(|(place, cell)| *place = cell + added);
                }
                Ok(())
            },
        )
    })?;
    rows_of_bytes(py, cells)
}

/// Makes `times` isomorphs of each puzzle, and applies the same transforms to its solution: one array each, with blanks
/// for malformed records. The isomorphs of a puzzle depend only on the seed and on its number (`first` is the number of
/// the first record), so batches can be made in any order.
#[pyfunction]
pub(crate) fn augment<'py>(
    py: Python<'py>,
    records: &Bound<'py, GivenRecords>,
    solutions: Option<&Bound<'py, GivenRecords>>,
    times: usize,
    seed: u64,
    first: u64,
    options: Options<'py>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let (records, solutions) = (records.get(), solutions.map(Bound::get));
    let (count, cells) = (records.len(py), records.shape.cells());
    let size = count.checked_mul(times).and_then(|isomorphs| isomorphs.checked_mul(cells));
    if size.is_none_or(|size| Vec::<u8>::new().try_reserve_exact(size).is_err()) {
        return Err(PyMemoryError::new_err(format!("times={times}: more isomorphs than memory holds")));
    }
    let options = options.here_if_few(count.saturating_mul(times));
    let arrays = 1 + usize::from(solutions.is_some());
    // Saturating, because without records any `times` passes the check above.
    let width = times.saturating_mul(cells);
    let mut made: Vec<Values> = (0..arrays).map(|_| Values::zeros(width, count)).collect();
    on_puzzles!(py, records, solutions, &options, |puzzles, solutions, watch| {
        let slots = made.iter_mut().map(Values::slot).collect();
        puzzles.in_parts(&FORMS, slots, watch, Batch::new, |given, range, batch, mut slots| {
            if let Some(solutions) = &solutions {
                solutions.read(range.clone(), given)?;
            }
            for (place, puzzle) in batch.iter() {
                let solution = given.at(place);
                if let Some(solutions) = &solutions {
                    let Some(solution) = solution else { continue };
                    if let Some(reason) = why_not_solution(puzzle, solution) {
                        solutions.refuse(range.start + place, &reason)?;
                        continue;
                    }
                }
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                rng.set_stream(first.wrapping_add((range.start + place) as u64));
                let mut isomorphism = Isomorphism::identity(puzzle.shape());
                for time in (0..times).take_while(|_| !watch.stop.load(Ordering::Relaxed)) {
                    isomorphism.redraw(&mut rng);
                    for (grid, slot) in iter::once(puzzle).chain(solution).zip(&mut slots) {
                        isomorphism.write_cells(grid.cells(), &mut slot.of(place)[time * cells..][..cells]);
                    }
                }
            }
            Ok(())
        })
    })?;
    made.into_iter().map(|made| wide(py, made.into_numbers::<u8>(), cells)).collect()
}
