//! The jobs of the library on records: one function for every job that has an answer for each puzzle.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::Range;
use std::time::Duration;

use gridmill_core::grid::{Puzzle, Shape};
use gridmill_core::jobs::{
    Answers, Candidates, Canon, Check, Count, Enumerate, Explain, Job, Keys, Minimal, Minimize, Proposed,
    Rate, Solve, Verify, Worker,
};
use gridmill_core::logic::{Profile, Rating, Ties, Until};
use gridmill_core::minlex::Minlex;
use gridmill_core::solver::{Budget, Engine, SolutionLimit};
use gridmill_data::text::{GridPuzzle, PuzzleText};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::arrays::{Columns, FoundColumn, fill, fill_faults};
use crate::call::{
    BATCHES, Batch, COUNTS, FORMS, LONG, Options, PartSize, RATINGS, Reading, Values, refuted,
};
use crate::flat::{At, Gather, Masks, Parts, Solutions, Told, Wanted};
use crate::rows::Rows;
use crate::threads::{HERE, Watch};
use crate::{on_puzzles, on_states, spare};

/// The columns of a job, and those of its lists: of the steps of all puzzles, or of the solutions.
pub(crate) type FoundColumns<'py> = [Vec<FoundColumn<'py>>; 2];

/// Asks a job of that name, with these arguments, about every puzzle, and returns its columns. Some jobs take others beside
/// them: their solutions, or the puzzles that they are compared with.
#[pyfunction]
pub(crate) fn answer<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Rows>,
    others: Option<&Bound<'py, Rows>>,
    job: &str,
    arguments: &Bound<'py, PyDict>,
    options: Options<'py>,
) -> PyResult<FoundColumns<'py>> {
    let call = Call { py, rows: rows.get(), others: others.map(Bound::get), options };
    let shape = call.rows.shape;
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
            let canon = Canon { transform: true, automorphisms: true, ..Canon::default() };
            // Of 8x8 grids without clues it takes a tenth of a second.
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
            return Ok([call.split(&keys(engine, shape, arguments)?, &arguments.extract()?)?, Vec::new()]);
        }
        "enumerate" => {
            // As the command has it where the engine is left to it.
            let (batch, limit) = (Some(engine), argument(arguments, "limit")?);
            let budget = budget(arguments)?;
            let solutions = Solutions::new(shape.cells());
            let job = Enumerate { batch, limit, budget, ..Enumerate::default() };
            let columns = call.gathered(&job, LONG, &solutions)?;
            let [mut found, listed] = solutions.into_columns(py)?;
            found.extend(columns.into_python(py)?);
            return Ok([found, listed]);
        }
        "explain" => {
            check_rated(shape)?;
            let (scale, ties) = (scale(arguments)?, ties(arguments)?);
            let wanted = arguments.extract()?;
            return call.explained(&Explain { scale, ties, until: until(arguments)? }, &wanted);
        }
        "rate" => {
            check_rated(shape)?;
            let rate = rate(engine, arguments)?;
            let mut found = call.columns(&rate, RATINGS)?.into_python(py)?;
            let scale = found.iter_mut().find(|column| column.0 == "scale").expect("ratings have a scale");
            // One name for all records.
            *scale = ("scale", "name", PyString::new(py, rate.version()).into_any(), scale.3.take(), None);
            return Ok([found, Vec::new()]);
        }
        "minimal" => call.searched(arguments, |call, budget| {
            call.columns(&Minimal { budget, ..Minimal::default() }, LONG)
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

/// Returns where explanations end: after a number of rounds, or before the first round above a rating.
fn until(arguments: &Bound<'_, PyDict>) -> PyResult<Option<Until>> {
    if let Some(rounds) = argument::<Option<u32>>(arguments, "rounds")? {
        return Ok(Some(Until::Round(rounds)));
    }
    let rating = argument::<Option<f64>>(arguments, "until")?;
    rating.map(|rating| rating_argument("until", rating).map(Until::Rating)).transpose()
}

pub(crate) fn argument<'py, T: FromPyObjectOwned<'py>>(
    arguments: &Bound<'py, PyDict>,
    name: &str,
) -> PyResult<T> {
    let value = arguments.as_any().get_item(name)?;
    value.extract().map_err(Into::into)
}

/// Returns what a puzzle may cost; the time is in seconds.
fn budget(arguments: &Bound<'_, PyDict>) -> PyResult<Budget> {
    let time = argument::<Option<f64>>(arguments, "budget_time")?.map(|seconds| {
        Duration::try_from_secs_f64(seconds).map_err(|_| {
            PyValueError::new_err(format!("budget_time={seconds}: expected seconds, as in 10 or 0.5"))
        })
    });
    Ok(Budget { guesses: argument(arguments, "budget_guesses")?, time: time.transpose()? })
}

/// Returns the job that makes the keys by which puzzles are compared.
pub(crate) fn keys(engine: Engine, shape: Shape, arguments: &Bound<'_, PyDict>) -> PyResult<Keys> {
    let isomorphic = argument(arguments, "isomorphic")?;
    if isomorphic {
        check_served(shape)?;
    }
    let of_solutions = argument::<bool>(arguments, "same_solution")?.then_some(engine);
    Ok(Keys { isomorphic, conflicts: false, of_solutions })
}

fn rate(engine: Engine, arguments: &Bound<'_, PyDict>) -> PyResult<Rate> {
    let (scale, ties) = (scale(arguments)?, ties(arguments)?);
    let up_to = argument::<Option<f64>>(arguments, "up_to")?;
    let up_to = up_to.map(|up_to| rating_argument("up_to", up_to)).transpose()?;
    Ok(Rate { engine, scale, ties, up_to, techniques: true, times: false })
}

pub(crate) fn scale(arguments: &Bound<'_, PyDict>) -> PyResult<Profile> {
    let scale = argument::<String>(arguments, "scale")?;
    scale.parse().map_err(|error| unreadable("scale", &error))
}

fn ties(arguments: &Bound<'_, PyDict>) -> PyResult<Ties> {
    let ties = argument::<String>(arguments, "ties")?;
    ties.parse().map_err(|error| unreadable("ties", &error))
}

/// Returns the rating of an argument.
fn rating_argument(name: &str, number: f64) -> PyResult<Rating> {
    let expected = || format!("{name}={number}: expected a rating from 1.0 to 13.0 in tenths");
    rating(number).ok_or_else(|| PyValueError::new_err(expected()))
}

/// Raises an exception where techniques are not for puzzles of a shape.
pub(crate) fn check_rated(shape: Shape) -> PyResult<()> {
    let error = || PyValueError::new_err(format!("shape=\"{shape}\": only 9x9 puzzles are rated"));
    (shape == Shape::CLASSIC).then_some(()).ok_or_else(error)
}

/// Returns the exception where the text of an argument can't be read.
pub(crate) fn unreadable(name: &str, error: &dyn Display) -> PyErr {
    PyValueError::new_err(format!("{name}: {error}"))
}

/// Returns a rating of tenths.
pub(super) fn rating(number: f64) -> Option<Rating> {
    let tenths = (number * 10.0).round();
    let is_tenth = (tenths - number * 10.0).abs() < 1e-6;
    let rating = Rating::tenths(tenths as u16);
    (is_tenth && (Rating::LEAST..=Rating::BEYOND).contains(&rating)).then_some(rating)
}

/// Raises an exception where puzzles of a shape have no form that could be found.
fn check_served(shape: Shape) -> PyResult<()> {
    let expected = "expected puzzles of 4x4, 6x6, 8x8 or 9x9 cells, as larger ones have no minlex form here";
    let error = || PyValueError::new_err(format!("shape=\"{shape}\": {expected}"));
    Minlex::serves(shape).then_some(()).ok_or_else(error)
}

/// The puzzles of a call, what is given beside them, and its options.
#[derive(Clone)]
pub(crate) struct Call<'py, 'a> {
    pub(crate) py: Python<'py>,
    pub(crate) rows: &'a Rows,
    pub(crate) others: Option<&'a Rows>,
    pub(crate) options: Options<'py>,
}

impl<'py> Call<'py, '_> {
    /// Returns this call, in this thread if its records are few.
    fn here_if_few(self) -> Self {
        Call { options: self.options.here_if_few(self.rows.len(self.py)), ..self }
    }

    /// Returns what searches find within the budget of the arguments.
    fn searched(
        self,
        arguments: &Bound<'_, PyDict>,
        search: impl Fn(Self, Budget) -> PyResult<Columns>,
    ) -> PyResult<Columns> {
        // Guesses of a millisecond or so: a search that takes longer is begun again where Ctrl-C is heard.
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

    /// Returns the answers of a job, asked about so many puzzles at once.
    pub(crate) fn columns<J: Job + PartialEq + Copy + Send + 'static>(
        self,
        job: &J,
        size: PartSize,
    ) -> PyResult<Columns> {
        self.gathered(job, size, &())
    }

    /// Returns the answers of a job, from which `flat` takes what the columns have no place for.
    fn gathered<J: Job + PartialEq + Copy + Send + 'static>(
        self,
        job: &J,
        size: PartSize,
        flat: &(impl Gather<Puzzle> + Gather<GridPuzzle>),
    ) -> PyResult<Columns> {
        let Call { py, rows, options, .. } = self;
        let mut columns = Columns::new(job.schema(), rows.shape, rows.len(py));
        let how = How { size, are_drawn: J::DRAWS, ..How::default() };
        on_puzzles!(py, rows, None, options, |puzzles, _others, watch| {
            let worker = || spare::worker(job, || job.worker());
            asked(&puzzles, &mut columns, &how, watch, worker, themselves, flat)
        })?;
        Ok(columns)
    }

    /// Checks the solutions of the puzzles.
    fn checked(self, check: &Check) -> PyResult<Columns> {
        let Call { py, rows, others, options } = self;
        let mut columns = Columns::new(check.schema(), rows.shape, rows.len(py));
        let how = How::default();
        on_puzzles!(py, rows, others, options, |puzzles, solutions, watch| {
            let solutions = solutions.as_ref().expect("they are given");
            asked(
                &puzzles,
                &mut columns,
                &how,
                watch,
                || spare::worker(check, || check.worker()),
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

    /// Returns the steps of the puzzles, which may be grids of candidates.
    fn explained(self, job: &Explain, wanted: &Wanted) -> PyResult<FoundColumns<'py>> {
        let Call { py, rows, options, .. } = self;
        let form = wanted.form(job.scale.version_with(job.ties))?;
        let mut columns = Columns::new(job.schema(), rows.shape, rows.len(py));
        let how = How { size: LONG, are_bulky: true, ..How::default() };
        let parts = Parts::new();
        on_states!(py, rows, options, |puzzles, watch| {
            let told = Told::new(&puzzles, form, wanted, &parts);
            asked(&puzzles, &mut columns, &how, watch, || job.worker(), themselves, &told)
        })?;
        let [whole, steps] = parts.into_columns(py, wanted)?;
        let found = columns.into_python(py)?.into_iter().chain(whole);
        Ok([found.collect(), steps])
    }
}

/// How puzzles are asked about.
#[derive(Clone, Debug)]
struct How {
    /// How many are in a part, at least and at most.
    size: PartSize,
    /// Whether random numbers are drawn, which depend on the numbers of records.
    are_drawn: bool,
    /// Whether an answer may take megabytes, so that memory should hold that of one puzzle at a time.
    are_bulky: bool,
}

impl Default for How {
    fn default() -> How {
        How { size: BATCHES, are_drawn: false, are_bulky: false }
    }
}

/// Returns the subjects of a job that is asked about puzzles: these.
fn themselves<P: Clone>(_: Range<usize>, batch: &Batch<P>) -> PyResult<Cow<'_, [P]>> {
    Ok(Cow::Borrowed(&batch.puzzles))
}

/// Asks about all puzzles, part by part: a worker answers the subjects of each, which are the puzzles themselves or have more
/// beside them. `flat` takes from the answers what the columns have no place for.
fn asked<P: PuzzleText, S: Clone, G: Gather<P>>(
    puzzles: &Reading<'_, P>,
    columns: &mut Columns,
    how: &How,
    watch: &Watch,
    worker: impl Fn() -> Box<dyn Worker<S>> + Send + Sync,
    subjects: impl Fn(Range<usize>, &Batch<P>) -> PyResult<Cow<'_, [S]>> + Send + Sync,
    flat: &G,
) -> PyResult<()> {
    let tools = || (worker(), Answers::new(columns.schema.clone()));
    let slots = columns.values.iter_mut().map(Values::slot).collect();
    puzzles.in_parts(&how.size, slots, watch, tools, |(worker, answers), range, batch, mut slots| {
        let subjects = subjects(range.clone(), batch)?;
        // Puzzles go one by one where malformed ones are in between.
        let is_whole = batch.faults.is_empty() || !how.are_drawn;
        let together = if is_whole && !how.are_bulky { subjects.len().max(1) } else { 1 };
        let parts = batch.puzzles.chunks(together).zip(batch.places.chunks(together));
        let mut part = G::Part::default();
        for (subjects, (puzzles, places)) in subjects.chunks(together).zip(parts) {
            answers.clear();
            let first = (range.start + places[0]) as u64;
            let answered = worker.answer(subjects, first, &watch.stop, answers);
            answered.map_err(|wrong| refuted(wrong.engine, &puzzles[wrong.puzzle]))?;
            fill(&mut slots, answers, puzzles, places);
            for (answer, (puzzle, &place)) in puzzles.iter().zip(places).enumerate().take(answers.len()) {
                flat.take(&mut part, At { first: range.start, place }, puzzle, answers, answer);
            }
        }
        flat.keep(range, part);
        fill_faults(&mut slots, answers.schema(), &batch.faults);
        Ok(())
    })
}

/// Returns each puzzle with its solution, or with what is wrong with that.
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
