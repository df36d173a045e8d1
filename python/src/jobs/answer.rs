//! The jobs of the library on records: one function for every job that has an answer for each puzzle.

use std::sync::atomic::AtomicBool;

use gridmill_core::generate::Minimizer;
use gridmill_core::grid::Shape;
use gridmill_core::jobs::{
    Answers, Candidates, Canon, Check, Count, Job, Keys, Minimal, Minimize, Proposed, Rate, Solve, Verify,
};
use gridmill_core::logic::{Profile, Rating, Ties};
use gridmill_core::minlex::Minlex;
use gridmill_core::solver::{Engine, SolutionLimit};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::columns::{Columns, FoundColumn, Slot, fill, fill_faults, numbers};
use super::same::{KeyColumn, firsts};
use crate::call::{Batch, Options, PartSize, Reading, refuted};
use crate::kind::Kind;
use crate::on_puzzles;
use crate::rows::Rows;
use crate::threads;

/// Asks a job of that name, with these arguments, about every puzzle, and returns its columns. Some jobs take others beside
/// them: their solutions, or the puzzles that they are compared with.
#[pyfunction]
pub(crate) fn answer<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Rows>,
    others: Option<&Bound<'py, Rows>>,
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
        "check" => asking.checked(others.expect("it has solutions").get(), &Check { engine }),
        "count" => {
            let limit = argument(arguments, "limit")?;
            asking.answers(&Count { engine, limit, ..Count::default() }, PartSize::COUNTS)
        }
        "canon" => {
            check_served(shape)?;
            let canon = Canon { transform: true, automorphisms: true, ..Canon::default() };
            asking.answers(&canon, PartSize::FORMS)
        }
        "keys" => asking.answers(&keys(engine, shape, arguments)?, PartSize::FORMS),
        "same" => asking.same(others.map(Bound::get), &keys(engine, shape, arguments)?),
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

fn argument<'py, T: FromPyObjectOwned<'py>>(arguments: &Bound<'py, PyDict>, name: &str) -> PyResult<T> {
    let value = arguments.as_any().get_item(name)?;
    value.extract().map_err(Into::into)
}

fn keys(engine: Engine, shape: Shape, arguments: &Bound<'_, PyDict>) -> PyResult<Keys> {
    let isomorphic = argument(arguments, "isomorphic")?;
    if isomorphic {
        check_served(shape)?;
    }
    let of_solutions = argument::<bool>(arguments, "same_solution")?.then_some(engine);
    Ok(Keys { isomorphic, conflicts: false, of_solutions })
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
fn check_served(shape: Shape) -> PyResult<()> {
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
        self.columns(self.rows, job, size)?.into_python(self.py)
    }

    fn columns<J: Job + Send>(&self, rows: &Rows, job: &J, size: PartSize) -> PyResult<Columns> {
        let (py, options) = (self.py, &self.options);
        let mut columns = Columns::new(job.schema(), rows.shape, rows.len(py));
        on_puzzles!(py, rows, options, |puzzles, stop| asked(&puzzles, job, size, columns.slots(), stop))?;
        Ok(columns)
    }

    /// Checks the solutions of the puzzles.
    fn checked(&self, solutions: &Rows, check: &Check) -> PyResult<Vec<FoundColumn<'py>>> {
        let (py, rows, options) = (self.py, self.rows, &self.options);
        let mut columns = Columns::new(check.schema(), rows.shape, rows.len(py));
        on_puzzles!(py, rows, Some(solutions), options, |puzzles, solutions, stop| {
            let solutions = solutions.expect("they are given");
            checked(&puzzles, &solutions, check, columns.slots(), stop)
        })?;
        columns.into_python(py)
    }

    /// Returns for each puzzle the first one with the same key: of the others, or of those before it.
    fn same(&self, others: Option<&Rows>, job: &Keys) -> PyResult<Vec<FoundColumn<'py>>> {
        let keys = self.columns(self.rows, job, PartSize::FORMS)?;
        let others = others.map(|others| self.columns(others, job, PartSize::FORMS)).transpose()?;
        let among = others.as_ref().map(|others| KeyColumn::new(others));
        let threads = self.options.threads;
        let firsts =
            threads::work(self.py, threads, |stop| firsts(&KeyColumn::new(&keys), among.as_ref(), stop))?;
        let missing = firsts.iter().map(|&first| first < 0).collect();
        let status = keys.into_python(self.py)?.pop().expect("a job has a status");
        Ok(vec![numbers(self.py, "same_as", firsts, Some(missing)), status])
    }
}

/// Asks a job about all puzzles, part by part.
fn asked<P: Kind, J: Job>(
    puzzles: &Reading<'_, P>,
    job: &J,
    size: PartSize,
    slots: Vec<Slot<'_>>,
    stop: &AtomicBool,
) -> PyResult<()> {
    let tools = || (job.worker::<P>(), Answers::new(job.schema()));
    puzzles.in_parts(size, slots, stop, tools, |(worker, answers), start, batch, mut slots| {
        // Random numbers depend on the numbers of records: so puzzles go one by one where malformed ones are in between.
        let is_whole = batch.faults.is_empty() || !J::DRAWS;
        let together = if is_whole { batch.puzzles.len().max(1) } else { 1 };
        for (puzzles, places) in batch.puzzles.chunks(together).zip(batch.places.chunks(together)) {
            answers.clear();
            let first = (start + places[0]) as u64;
            let answered = worker.answer(puzzles, first, stop, answers);
            answered.map_err(|wrong| refuted(wrong.engine, &puzzles[wrong.puzzle]))?;
            fill(&mut slots, answers, puzzles, places);
        }
        fill_faults(&mut slots, answers.schema(), &batch.faults);
        Ok(())
    })
}

/// Checks all solutions, part by part.
fn checked<P: Kind>(
    puzzles: &Reading<'_, P>,
    solutions: &Reading<'_, P>,
    check: &Check,
    slots: Vec<Slot<'_>>,
    stop: &AtomicBool,
) -> PyResult<()> {
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
            answered.map_err(|wrong| refuted(wrong.engine, &pairs[wrong.puzzle].puzzle))?;
            fill(&mut slots, answers, &batch.puzzles, &batch.places);
            fill_faults(&mut slots, answers.schema(), &batch.faults);
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
