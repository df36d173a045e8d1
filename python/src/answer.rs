//! Runs the library's jobs on records: one function for every job that has an answer for each puzzle (e.g. `solve`,
//! `rate`).

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::Range;
use std::time::Duration;

use gridmill_core::generate::Pattern;
use gridmill_core::grid::{Puzzle, Shape};
use gridmill_core::hunt::Exchange;
use gridmill_core::jobs::{
    Answers, Backdoors, Candidates, Canon, Check, Count, Enumerate, Explain, Job, Keys, Minimize, Neighbors,
    Proposed, Rate, RedundantClues, Solve, Unavoidable, Verify, Worker,
};
use gridmill_core::logic::{Rating, Scale, Ties, Until};
use gridmill_core::minlex::Minlex;
use gridmill_core::solver::{Budget, Engine, SolutionLimit};
use gridmill_data::text::{GridPuzzle, PuzzleText};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::arrays::{Columns, FoundColumn, fill, fill_faults};
use crate::call::{
    BATCHES, Batch, COUNTS, FORMS, LONG, Options, PartSize, RATINGS, RecordParser, Values, wrong_answer,
};
use crate::flat::{Gather, Grids, Masks, Parts, RecordPlace, StepCollector, StepColumns};
use crate::generate::pattern;
use crate::given_records::GivenRecords;
use crate::threads::{HERE, Watch, spare_worker};
use crate::{on_puzzles, on_states};

/// The columns of a job, one value per record. Beside them are the columns of its lists, because a record has any
/// number of values there (e.g. the steps of `explain`, or the solutions of `enumerate`).
pub(crate) type FoundColumns<'py> = [Vec<FoundColumn<'py>>; 2];

/// Runs the job of that name (e.g. "solve") on every puzzle, and returns its columns. Some jobs also take other
/// records: `check` takes the solutions of the puzzles, and `same` takes the puzzles to compare them with.
#[pyfunction]
pub(crate) fn answer<'py>(
    py: Python<'py>,
    records: &Bound<'py, GivenRecords>,
    others: Option<&Bound<'py, GivenRecords>>,
    job: &str,
    arguments: &Bound<'py, PyDict>,
    options: Options<'py>,
) -> PyResult<FoundColumns<'py>> {
    let call = Call { py, records: records.get(), others: others.map(Bound::get), options };
    let shape = call.records.shape;
    let engine = Engine::fastest(Some(shape));
    let columns = match job {
        "solve" => {
            let limit = SolutionLimit::new(argument(arguments, "limit")?);
            let limit =
                limit.ok_or_else(|| PyValueError::new_err("limit=0: expected 1 or more solutions"))?;
            call.searched(arguments, |call, budget| call.columns(&Solve { engine, limit, budget }, BATCHES))?
        }
        "verify" => {
            call.searched(arguments, |call, budget| call.columns(&Verify { engine, budget }, BATCHES))?
        }
        "check" => call.searched(arguments, |call, budget| call.checked(&Check { engine, budget }))?,
        "count" => {
            let limit = argument(arguments, "limit")?;
            call.searched(arguments, |call, budget| {
                call.columns(&Count { engine, limit, budget, ..Count::default() }, COUNTS)
            })?
        }
        "canon" => {
            check_served(shape)?;
            let maxlex = argument(arguments, "maxlex")?;
            let canon = Canon { maxlex, transform: true, automorphisms: true, ..Canon::default() };
            // Only for 9x9, because an 8x8 grid without clues takes a tenth of a second.
            let call = if shape == Shape::CLASSIC { call.here_if_few() } else { call };
            call.columns(&canon, FORMS)?
        }
        "keys" => {
            let keys = keys(engine, shape, arguments)?;
            let is_short = shape == Shape::CLASSIC && keys.of_solutions.is_none();
            let call = if is_short { call.here_if_few() } else { call };
            call.columns(&keys, FORMS)?
        }
        "same" => return Ok([call.same(&keys(engine, shape, arguments)?)?, Vec::new()]),
        "split" => {
            return Ok([
                call.split(&keys(engine, shape, arguments)?, &all_arguments(arguments)?)?,
                Vec::new(),
            ]);
        }
        "enumerate" => {
            // The same engine as the command uses when the user names none.
            let (batch, limit) = (Some(engine), argument(arguments, "limit")?);
            let budget = budget(arguments)?;
            return call.listed(&Enumerate { batch, limit, budget, ..Enumerate::default() }, "solutions");
        }
        "neighbors" => {
            check_served(shape)?;
            return call.listed(&Neighbors { exchange: exchange(shape, arguments)? }, "neighbors");
        }
        "explain" => {
            check_rated(shape)?;
            let (scale, ties) = (scale(arguments)?, ties(arguments)?);
            let wanted = all_arguments(arguments)?;
            return call.explained(&Explain { scale, ties, until: until(arguments)? }, &wanted);
        }
        "rate" => {
            check_rated(shape)?;
            let rate = rate(engine, arguments)?;
            let mut found = call.columns(&rate, RATINGS)?.into_python(py)?;
            let scale = found.iter_mut().find(|column| column.0 == "scale").expect("ratings have a scale");
            // All records are rated on the same scale, so one name is enough.
            *scale = ("scale", "name", PyString::new(py, rate.version()).into_any(), scale.3.take(), None);
            return Ok([found, Vec::new()]);
        }
        "backdoors" => {
            let up_to = up_to(arguments)?;
            if up_to.is_some() {
                check_rated(shape)?;
            }
            let all = argument(arguments, "all")?;
            call.searched(arguments, |call, budget| {
                call.columns(&Backdoors { engine, up_to, all, budget }, LONG)
            })?
        }
        "unavoidable" => {
            let job = Unavoidable { totals: true, ..unavoidable(engine, arguments)? };
            call.searched(arguments, |call, budget| call.columns(&Unavoidable { budget, ..job }, LONG))?
        }
        "unavoidable_sets" => {
            let (job, budget) = (unavoidable(engine, arguments)?, budget(arguments)?);
            return call.listed(&Unavoidable { budget, ..job }, "sets");
        }
        "minimal" => call.searched(arguments, |call, budget| {
            call.columns(&RedundantClues { budget, ..RedundantClues::default() }, LONG)
        })?,
        "minimize" => {
            let (seed, orders) = (argument(arguments, "seed")?, argument(arguments, "orders")?);
            let (by_clues, budget) = (argument(arguments, "by_clues")?, budget(arguments)?);
            call.columns(&Minimize { seed, orders, by_clues, budget, ..Minimize::default() }, LONG)?
        }
        "candidates" => {
            let masks = Masks::new(shape);
            let columns = call.searched(arguments, |call, budget| {
                masks.clear();
                call.gathered(&Candidates { budget, ..Candidates::default() }, LONG, &masks)
            })?;
            let mut found = columns.into_python(py)?;
            found.push(masks.into_column(py)?);
            return Ok([found, Vec::new()]);
        }
        other => return Err(PyValueError::new_err(format!("there is no job {other:?}"))),
    };
    Ok([columns.into_python(py)?, Vec::new()])
}

/// The end of an explanation: after a number of rounds, or before the first round above a rating.
fn until(arguments: &Bound<'_, PyDict>) -> PyResult<Option<Until>> {
    if let Some(rounds) = argument::<Option<u32>>(arguments, "rounds")? {
        return Ok(Some(Until::Round(rounds)));
    }
    let rating = argument::<Option<f64>>(arguments, "until")?;
    rating.map(|rating| rating_argument("until", rating).map(Until::Rating)).transpose()
}

/// An argument, e.g. `up_to`. An error names it, because Python says only that a number is missing.
pub(crate) fn argument<'py, T: FromPyObjectOwned<'py>>(
    arguments: &Bound<'py, PyDict>,
    name: &str,
) -> PyResult<T> {
    let value = arguments.as_any().get_item(name)?;
    let found: PyResult<T> = value.extract().map_err(Into::into);
    found.map_err(|error| naming(name, &value, &error))
}

/// All arguments of a function. An error names the one that is wrong.
pub(crate) fn all_arguments<'py, T: FromPyObjectOwned<'py>>(arguments: &Bound<'py, PyDict>) -> PyResult<T> {
    let found: PyResult<T> = arguments.extract().map_err(Into::into);
    found.map_err(|error| {
        // PyO3 says only "failed to extract field StepColumns.words", and keeps the reason as the cause.
        let (py, text) = (arguments.py(), error.to_string());
        let name = text.rsplit('.').next().unwrap_or_default();
        match (arguments.as_any().get_item(name), error.cause(py)) {
            (Ok(value), Some(cause)) => naming(name, &value, &cause),
            _ => error,
        }
    })
}

/// Puts the argument and its value before the message of an error, e.g. `up_to='x': must be real number, not str`.
fn naming(name: &str, value: &Bound<'_, PyAny>, error: &PyErr) -> PyErr {
    let py = value.py();
    let message = value.repr().map(|given| format!("{name}={given}: {}", error.value(py)));
    message.map_or_else(|error| error, |message| PyErr::from_type(error.get_type(py), message))
}

/// The limits of work for one puzzle: guesses and time. The time is given in seconds.
fn budget(arguments: &Bound<'_, PyDict>) -> PyResult<Budget> {
    let time = argument::<Option<f64>>(arguments, "budget_time")?.map(|seconds| {
        Duration::try_from_secs_f64(seconds).map_err(|_| {
            PyValueError::new_err(format!("budget_time={seconds}: expected seconds, as in 10 or 0.5"))
        })
    });
    Ok(Budget { guesses: argument(arguments, "budget_guesses")?, time: time.transpose()? })
}

/// The job that computes the keys by which puzzles are compared.
pub(crate) fn keys(engine: Engine, shape: Shape, arguments: &Bound<'_, PyDict>) -> PyResult<Keys> {
    let isomorphic = argument(arguments, "isomorphic")?;
    if isomorphic {
        check_served(shape)?;
    }
    let of_solutions = argument::<bool>(arguments, "same_solution")?.then_some(engine);
    Ok(Keys { isomorphic, conflicts: false, of_solutions })
}

/// Which unavoidable sets are wanted.
fn unavoidable(engine: Engine, arguments: &Bound<'_, PyDict>) -> PyResult<Unavoidable> {
    Ok(Unavoidable {
        engine,
        cells: argument(arguments, "cells")?,
        digits: argument(arguments, "digits")?,
        hits: argument(arguments, "hits")?,
        ..Unavoidable::default()
    })
}

/// Which clues are exchanged, and which neighbors are wanted.
fn exchange(shape: Shape, arguments: &Bound<'_, PyDict>) -> PyResult<Exchange> {
    let text: Option<String> = argument(arguments, "pattern")?;
    let pattern = pattern(text.as_deref())?;
    if let Some(Pattern { clues, digits }) = &pattern {
        let (cells, found) = (shape.cells(), clues.len());
        if digits.is_some() {
            let expected = "pattern: expected x in place of digits, because it says only where clues are";
            return Err(PyValueError::new_err(expected));
        }
        if found != cells {
            let expected = format!("pattern: expected {cells} cells, as in the puzzles, found {found}");
            return Err(PyValueError::new_err(expected));
        }
    }
    let clues: Option<(usize, usize)> = argument(arguments, "clues")?;
    Ok(Exchange {
        remove: argument(arguments, "remove")?,
        add: argument(arguments, "add")?,
        minimal: argument(arguments, "minimal")?,
        clues: clues.map_or(0..=usize::MAX, |(least, most)| least..=most),
        pattern: pattern.map(|pattern| pattern.clues),
    })
}

fn rate(engine: Engine, arguments: &Bound<'_, PyDict>) -> PyResult<Rate> {
    let (scale, ties) = (scale(arguments)?, ties(arguments)?);
    let up_to = up_to(arguments)?;
    Ok(Rate { engine, scale, ties, up_to, techniques: true, times: false })
}

pub(crate) fn scale(arguments: &Bound<'_, PyDict>) -> PyResult<Scale> {
    let scale = argument::<String>(arguments, "scale")?;
    scale.parse().map_err(|error| unreadable("scale", &error))
}

fn ties(arguments: &Bound<'_, PyDict>) -> PyResult<Ties> {
    let ties = argument::<String>(arguments, "ties")?;
    ties.parse().map_err(|error| unreadable("ties", &error))
}

/// The highest rating of techniques that are used, if there is a bound.
fn up_to(arguments: &Bound<'_, PyDict>) -> PyResult<Option<Rating>> {
    let up_to = argument::<Option<f64>>(arguments, "up_to")?;
    up_to.map(|up_to| rating_argument("up_to", up_to)).transpose()
}

/// An argument as a rating (e.g. `up_to=2.5`).
fn rating_argument(name: &str, number: f64) -> PyResult<Rating> {
    let expected = || format!("{name}={number}: expected a rating from 1.0 to 13.0 in tenths");
    rating(number).ok_or_else(|| PyValueError::new_err(expected()))
}

/// Raises an exception for puzzles that techniques do not support, because these are known for 9x9 only.
pub(crate) fn check_rated(shape: Shape) -> PyResult<()> {
    let error =
        || PyValueError::new_err(format!("shape=\"{shape}\": only 9x9 puzzles can be rated and explained"));
    (shape == Shape::CLASSIC).then_some(()).ok_or_else(error)
}

/// The exception for an argument whose text can't be parsed (e.g. an unknown scale).
pub(crate) fn unreadable(name: &str, error: &dyn Display) -> PyErr {
    PyValueError::new_err(format!("{name}: {error}"))
}

/// A rating, if the number is one in tenths (e.g. 7.2, but not 7.25).
pub(super) fn rating(number: f64) -> Option<Rating> {
    let tenths = (number * 10.0).round();
    let is_tenth = (tenths - number * 10.0).abs() < 1e-6;
    let rating = Rating::tenths(tenths as u16);
    (is_tenth && (Rating::LEAST..=Rating::BEYOND).contains(&rating)).then_some(rating)
}

/// Raises an exception for puzzles of a shape that has no minlex form here.
pub(crate) fn check_served(shape: Shape) -> PyResult<()> {
    let expected = "expected puzzles of 4x4, 6x6, 8x8 or 9x9 cells, as larger ones have no minlex form here";
    let error = || PyValueError::new_err(format!("shape=\"{shape}\": {expected}"));
    Minlex::serves(shape).then_some(()).ok_or_else(error)
}

/// The puzzles of a call, the other records that it takes (e.g. solutions), and its options.
#[derive(Clone)]
pub(crate) struct Call<'py, 'a> {
    pub(crate) py: Python<'py>,
    pub(crate) records: &'a GivenRecords,
    pub(crate) others: Option<&'a GivenRecords>,
    pub(crate) options: Options<'py>,
}

impl<'py> Call<'py, '_> {
    /// This call, in the current thread if it has few records.
    fn here_if_few(self) -> Self {
        Call { options: self.options.here_if_few(self.records.len(self.py)), ..self }
    }

    /// Runs searches within the budget of the arguments. A few puzzles without a budget are first tried in this thread,
    /// because most are solved at once.
    fn searched(
        self,
        arguments: &Bound<'_, PyDict>,
        search: impl Fn(Self, Budget) -> PyResult<Columns>,
    ) -> PyResult<Columns> {
        // About a millisecond of guesses. This thread does not notice Ctrl-C, so a longer search starts again in the
        // pool, where Ctrl-C works.
        const SHORT: Budget = Budget { guesses: Some(1000), time: None };
        let (budget, here) = (budget(arguments)?, self.clone().here_if_few());
        if budget == Budget::NONE && here.options.threads == Some(HERE) {
            let columns = search(here, SHORT)?;
            if !columns.has_status("budget") {
                return Ok(columns);
            }
        }
        search(self, budget)
    }

    /// The answers of a job, with parts of this size for the threads.
    pub(crate) fn columns<J: Job + PartialEq + Clone + Send + 'static>(
        self,
        job: &J,
        size: PartSize,
    ) -> PyResult<Columns> {
        self.gathered(job, size, &())
    }

    /// The answers of a job. `flat` collects the values of answers that have no fixed width (e.g. lists), because
    /// columns can't hold these.
    fn gathered<J: Job + PartialEq + Clone + Send + 'static>(
        self,
        job: &J,
        size: PartSize,
        flat: &(impl Gather<Puzzle> + Gather<GridPuzzle>),
    ) -> PyResult<Columns> {
        let Call { py, records, options, .. } = self;
        let mut columns = Columns::new(job.schema(), records.shape, records.len(py));
        let part_options = PartOptions { size, is_random: J::IS_RANDOM, ..PartOptions::default() };
        on_puzzles!(py, records, None, options, |puzzles, _others, watch| {
            let worker = || spare_worker(job, || job.worker());
            run_in_parts(&puzzles, &mut columns, &part_options, watch, worker, themselves, flat)
        })?;
        Ok(columns)
    }

    /// The answers of a job that lists grids for each puzzle. `count` is the name of the column with their number.
    fn listed<J: Job + PartialEq + Clone + Send + 'static>(
        self,
        job: &J,
        count: &'static str,
    ) -> PyResult<FoundColumns<'py>> {
        let (py, grids) = (self.py, Grids::new(&job.schema(), self.records.shape.cells()));
        let columns = self.gathered(job, LONG, &grids)?;
        let [mut found, listed] = grids.into_columns(py, count, columns.are_malformed())?;
        found.extend(columns.into_python(py)?);
        Ok([found, listed])
    }

    /// Checks a solution of each puzzle.
    fn checked(self, check: &Check) -> PyResult<Columns> {
        let Call { py, records, others, options } = self;
        let mut columns = Columns::new(check.schema(), records.shape, records.len(py));
        let part_options = PartOptions::default();
        on_puzzles!(py, records, others, options, |puzzles, solutions, watch| {
            let solutions = solutions.as_ref().expect("they are given");
            run_in_parts(
                &puzzles,
                &mut columns,
                &part_options,
                watch,
                || spare_worker(check, || check.worker()),
                |range, batch| {
                    let mut given = Batch::new();
                    solutions.read(range, &mut given)?;
                    Ok(Cow::Owned(proposed(batch, &given)))
                },
                &(),
            )
        })?;
        Ok(columns)
    }

    /// The steps of the puzzles. Instead of puzzles, grids of candidates can be given.
    fn explained(self, job: &Explain, wanted: &StepColumns) -> PyResult<FoundColumns<'py>> {
        let Call { py, records, options, .. } = self;
        let form = wanted.form(job.scale.version_with(job.ties))?;
        let mut columns = Columns::new(job.schema(), records.shape, records.len(py));
        let part_options = PartOptions { size: LONG, are_bulky: true, ..PartOptions::default() };
        let parts = Parts::new();
        on_states!(py, records, options, |puzzles, watch| {
            let collector = StepCollector::new(&puzzles, form, wanted, &parts);
            run_in_parts(
                &puzzles,
                &mut columns,
                &part_options,
                watch,
                || job.worker(),
                themselves,
                &collector,
            )
        })?;
        let [whole, steps] = parts.into_columns(py, wanted)?;
        let found = columns.into_python(py)?.into_iter().chain(whole);
        Ok([found.collect(), steps])
    }
}

/// How the records are divided and passed to a job.
#[derive(Clone, Debug)]
struct PartOptions {
    /// The least and the largest number of records in a part.
    size: PartSize,
    /// Whether the job draws random numbers. These depend on the number of the record, so that a result does not depend
    /// on the division into parts.
    is_random: bool,
    /// Whether an answer may take megabytes. Then a worker gets one puzzle at a time, so that memory holds one such
    /// answer per thread.
    are_bulky: bool,
}

impl Default for PartOptions {
    fn default() -> PartOptions {
        PartOptions { size: BATCHES, is_random: false, are_bulky: false }
    }
}

/// The subjects of a job on puzzles: the puzzles themselves.
fn themselves<P: Clone>(_: Range<usize>, batch: &Batch<P>) -> PyResult<Cow<'_, [P]>> {
    Ok(Cow::Borrowed(&batch.puzzles))
}

/// Runs a job on all puzzles, part by part. `subjects` makes the input of the worker from the puzzles of a part,
/// because some jobs need more (e.g. a puzzle with its solution). `flat` collects the values of answers that have no
/// fixed width.
fn run_in_parts<P: PuzzleText, S: Clone, G: Gather<P>>(
    puzzles: &RecordParser<'_, P>,
    columns: &mut Columns,
    part_options: &PartOptions,
    watch: &Watch,
    worker: impl Fn() -> Box<dyn Worker<S>> + Send + Sync,
    subjects: impl Fn(Range<usize>, &Batch<P>) -> PyResult<Cow<'_, [S]>> + Send + Sync,
    flat: &G,
) -> PyResult<()> {
    let tools = || (worker(), Answers::new(columns.schema.clone()));
    let slots = columns.values.iter_mut().map(Values::slot).collect();
    puzzles.in_parts(&part_options.size, slots, watch, tools, |(worker, answers), range, batch, mut slots| {
        let subjects = subjects(range.clone(), batch)?;
        // A worker counts on from the first record. If malformed records lie between puzzles, each puzzle is a call of
        // its own, so that it gets the random numbers of its own record.
        let is_whole = batch.faults.is_empty() || !part_options.is_random;
        let together = if is_whole && !part_options.are_bulky { subjects.len().max(1) } else { 1 };
        let parts = batch.puzzles.chunks(together).zip(batch.places.chunks(together));
        let mut part = G::Part::default();
        for (subjects, (puzzles, places)) in subjects.chunks(together).zip(parts) {
            answers.clear();
            let first = (range.start + places[0]) as u64;
            let answered = worker.answer(subjects, first, &watch.stop, answers);
            answered.map_err(|wrong| wrong_answer(wrong.engine, &puzzles[wrong.puzzle]))?;
            fill(&mut slots, answers, puzzles, places);
            for (answer, (puzzle, &place)) in puzzles.iter().zip(places).enumerate().take(answers.len()) {
                flat.take(&mut part, RecordPlace { first: range.start, place }, puzzle, answers, answer);
            }
        }
        flat.keep(range, part);
        fill_faults(&mut slots, answers.schema(), &batch.faults);
        Ok(())
    })
}

/// Each puzzle with its solution, or with the reason why that can't be read.
fn proposed<P: PuzzleText>(puzzles: &Batch<P>, solutions: &Batch<P>) -> Vec<Proposed<P, String>> {
    let pair = |(place, puzzle): (usize, &P)| {
        let solution = match solutions.places.binary_search(&place) {
            Ok(index) => Ok(solutions.puzzles[index].clone()),
            Err(before) => Err(format!("solution: {}", solutions.faults[place - before].1)),
        };
        Proposed { puzzle: puzzle.clone(), solution }
    };
    puzzles.iter().map(pair).collect()
}
