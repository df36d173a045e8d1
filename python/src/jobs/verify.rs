//! Verifying puzzles, and the answers beside them.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

use gridmill_core::jobs::{DuplicateDigit, Search, problem};
use gridmill_core::solver::{Engine, Outcome, SolutionLimit};
use gridmill_data::text::PuzzleText;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::call::{Batch, Failure, Options, Reading, work};
use crate::columns::Columns;
use crate::for_kind;
use crate::kind::Kind;
use crate::on_puzzles;
use crate::parts::PartSize;
use crate::rows::Rows;

/// A verdict, by its place in [`verdicts`].
#[derive(Clone, Copy)]
enum Verdict {
    Unique,
    Ok,
    Multiple,
    NotUnique,
    None,
    Wrong,
    Conflict,
    Malformed,
}

/// The columns of verdicts.
struct Verified {
    verdict: Vec<i8>,
    reason: Vec<Option<Cow<'static, str>>>,
}

impl Verified {
    /// Returns malformed records.
    fn of(records: usize) -> Verified {
        Verified { verdict: vec![Verdict::Malformed as i8; records], reason: vec![None; records] }
    }

    fn columns(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        // The same text is the same object.
        let reason = |reason: &Cow<'static, str>| match reason {
            Cow::Borrowed(text) => PyString::intern(py, text),
            Cow::Owned(text) => PyString::new(py, text),
        };
        let reasons: Vec<_> = self.reason.iter().map(|found| found.as_ref().map(reason)).collect();
        Columns::new(py).add("verdict", self.verdict)?.add_object("reason", reasons).map(Columns::finish)
    }
}

/// Returns the names of all verdicts.
pub(crate) fn verdicts() -> Vec<&'static str> {
    vec!["unique", "ok", "multiple", "not-unique", "none", "wrong", "conflict", "malformed"]
}

/// Proves that puzzles have exactly one solution.
#[pyfunction]
pub(crate) fn verify<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Rows>,
    options: Options,
) -> PyResult<Bound<'py, PyDict>> {
    let rows = rows.get();
    let found = on_puzzles!(py, rows, options, |puzzles, stop| verified(&puzzles, stop))?;
    found.columns(py)
}

fn verified<P: Kind>(puzzles: &Reading<'_, P>, stop: &AtomicBool) -> Result<Verified, Failure> {
    let mut found = Verified::of(puzzles.len());
    let places = (&mut found.verdict[..], &mut found.reason[..]);
    let search = || Search::<P>::new(Engine::fastest(Some(puzzles.shape())));
    puzzles.in_parts(PartSize::BATCHES, places, stop, search, |search, _, batch, (verdict, reason)| {
        let outcomes = searched(search, batch, stop)?;
        for (place, fault) in &batch.faults {
            reason[*place] = Some(fault.clone().into());
        }
        for ((place, puzzle), outcome) in batch.iter().zip(outcomes) {
            let (found, why) = judged(puzzle, outcome);
            verdict[place] = found as i8;
            reason[place] = why;
        }
        Ok(())
    })?;
    Ok(found)
}

/// Returns the verdict on a puzzle that was searched for two solutions, and the reason if it is a bad one.
fn judged<P: PuzzleText>(puzzle: &P, outcome: &Outcome<P::Solution>) -> (Verdict, Option<Cow<'static, str>>) {
    match outcome.solutions {
        1 => (Verdict::Unique, None),
        0 => match DuplicateDigit::find(puzzle) {
            Some(twice) => (Verdict::Conflict, Some(twice.to_string().into())),
            None => (Verdict::None, Some("no solution".into())),
        },
        _ => (Verdict::Multiple, Some("two solutions or more".into())),
    }
}

/// Proves that answers are the only solutions of puzzles.
#[pyfunction]
pub(crate) fn check<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Rows>,
    answers: &Bound<'py, Rows>,
    options: Options,
) -> PyResult<Bound<'py, PyDict>> {
    let (rows, answers) = (rows.get(), answers.get());
    let (borrowed, borrowed_answers) = (rows.borrow(py), answers.borrow(py));
    let found = for_kind!(rows.shape, P => {
        let puzzles = Reading::<P>::new("puzzles", rows, &borrowed, options.keep)?;
        let answers = Reading::<P>::new("solutions", answers, &borrowed_answers, options.keep)?;
        same_length(&puzzles, &answers)?;
        work(py, &options, |stop| checked(&puzzles, &answers, stop))
    })?;
    found.columns(py)
}

/// Raises an exception where there are not as many answers as puzzles.
pub(super) fn same_length<P: Kind>(puzzles: &Reading<'_, P>, answers: &Reading<'_, P>) -> PyResult<()> {
    if puzzles.len() == answers.len() {
        return Ok(());
    }
    let (puzzles, found) = (puzzles.len(), answers.len());
    Err(PyValueError::new_err(format!(
        "solutions: expected one for each of {puzzles} puzzles, found {found}"
    )))
}

fn checked<P: Kind>(
    puzzles: &Reading<'_, P>,
    answers: &Reading<'_, P>,
    stop: &AtomicBool,
) -> Result<Verified, Failure> {
    let mut found = Verified::of(puzzles.len());
    let places = (&mut found.verdict[..], &mut found.reason[..]);
    let tools = || Checking {
        search: Search::new(Engine::fastest(Some(puzzles.shape()))),
        given: Batch::new(),
        right: Batch::new(),
    };
    puzzles.in_parts(PartSize::BATCHES, places, stop, tools, |tools, start, batch, (verdict, reason)| {
        let Checking { search, given, right } = tools;
        answers.read(start..start + verdict.len(), given)?;
        for (place, fault) in &given.faults {
            reason[*place] = Some(format!("solution: {fault}").into());
        }
        for (place, fault) in &batch.faults {
            reason[*place] = Some(fault.clone().into());
        }
        right.clear();
        for (place, puzzle, answer) in pairs(batch, given) {
            match problem(puzzle, answer) {
                Some(why) => {
                    verdict[place] = Verdict::Wrong as i8;
                    reason[place] = Some(why.into());
                }
                None => right.push(place, puzzle.clone()),
            }
        }
        let outcomes = searched(search, right, stop)?;
        for (&place, outcome) in right.places.iter().zip(outcomes) {
            let only = outcome.solutions == 1;
            verdict[place] = if only { Verdict::Ok } else { Verdict::NotUnique } as i8;
            reason[place] = (!only).then(|| "the solution is right, and not the only one".into());
        }
        Ok(())
    })?;
    Ok(found)
}

/// Searches the puzzles of a batch for two solutions.
fn searched<'s, P: Kind>(
    search: &'s mut Search<P>,
    batch: &Batch<P>,
    stop: &AtomicBool,
) -> Result<&'s [Outcome<P::Solution>], Failure> {
    let found = search.run(&batch.puzzles, SolutionLimit::UNIQUENESS, stop);
    found.map_err(|refuted| Failure::refuted(refuted.engine, &batch.puzzles[refuted.puzzle]))
}

/// The tools of a thread that checks answers.
struct Checking<P: Kind> {
    search: Search<P>,
    /// The answers of a part.
    given: Batch<P>,
    /// The puzzles of a part whose answers are right.
    right: Batch<P>,
}

/// Iterates over the places where both a puzzle and its answer could be read.
pub(super) fn pairs<'a, P>(
    puzzles: &'a Batch<P>,
    answers: &'a Batch<P>,
) -> impl Iterator<Item = (usize, &'a P, &'a P)> {
    let mut answers = answers.iter().peekable();
    puzzles.iter().filter_map(move |(place, puzzle)| {
        while answers.next_if(|(other, _)| *other < place).is_some() {}
        answers.next_if(|(other, _)| *other == place).map(|(_, answer)| (place, puzzle, answer))
    })
}
