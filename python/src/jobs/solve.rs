//! Solving.

use std::sync::atomic::AtomicBool;

use gridmill_core::solver::{Outcome, SolutionLimit};
use gridmill_data::record::Status;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::{Batch, Failure, Options, Reading};
use crate::columns::{Columns, code};
use crate::kind::Kind;
use crate::on_puzzles;
use crate::parts::{PartSize, Wide};
use crate::rows::Rows;

/// Solves puzzles, each up to `limit` solutions.
#[pyfunction]
pub(crate) fn solve<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Rows>,
    limit: u32,
    options: Options,
) -> PyResult<Bound<'py, PyDict>> {
    let expected = || PyValueError::new_err(format!("limit={limit}: expected 1 or more solutions"));
    let limit = SolutionLimit::new(limit).ok_or_else(expected)?;
    let rows = rows.get();
    let found = on_puzzles!(py, rows, options, |puzzles, stop| solved(&puzzles, limit, stop))?;
    Columns::new(py)
        .add_wide("solution", found.solution, rows.shape.cells())?
        .add("status", found.status)?
        .add("guesses", found.guesses)?
        .add("time_ns", found.nanos)
        .map(Columns::finish)
}

/// The columns of solved puzzles.
struct Solved {
    solution: Vec<u8>,
    status: Vec<i8>,
    guesses: Vec<u64>,
    nanos: Vec<u64>,
}

fn solved<P: Kind>(
    puzzles: &Reading<'_, P>,
    limit: SolutionLimit,
    stop: &AtomicBool,
) -> Result<Solved, Failure> {
    let (records, cells) = (puzzles.len(), puzzles.shape().cells());
    let mut found = Solved {
        solution: vec![0; records * cells],
        status: vec![code(Status::Malformed); records],
        guesses: vec![0; records],
        nanos: vec![0; records],
    };
    let places = (
        Wide::new(&mut found.solution, cells),
        (&mut found.status[..], (&mut found.guesses[..], &mut found.nanos[..])),
    );
    let engine = || (P::solver(puzzles.shape()), Vec::new());
    puzzles.in_parts(PartSize::BATCHES, places, stop, engine, |(engine, outcomes), _, batch, places| {
        let (mut solution, (status, (guesses, nanos))) = places;
        search(&mut **engine, batch, limit, outcomes, stop)?;
        for ((place, puzzle), outcome) in batch.iter().zip(outcomes) {
            if let Some(found) = &outcome.solution {
                solution.of(place).copy_from_slice(P::digits_of(found));
            }
            status[place] = code(Status::of(puzzle, outcome, limit));
            guesses[place] = outcome.guesses;
            nanos[place] = outcome.nanos;
        }
        Ok(())
    })?;
    Ok(found)
}

/// Searches the puzzles of a batch, and checks every solution that the engine keeps.
pub(super) fn search<P: Kind>(
    engine: &mut dyn gridmill_core::Solver<P>,
    batch: &Batch<P>,
    limit: SolutionLimit,
    outcomes: &mut Vec<Outcome<P::Solution>>,
    stop: &AtomicBool,
) -> Result<(), Failure> {
    outcomes.clear();
    outcomes.resize(batch.puzzles.len(), Outcome::NONE);
    engine.solve_until(&batch.puzzles, limit, outcomes, stop);
    if engine.only_counts() {
        return Ok(());
    }
    match batch.puzzles.iter().zip(outcomes).find(|(puzzle, outcome)| !puzzle.agrees(outcome)) {
        Some((puzzle, _)) => Err(Failure::refuted(engine.name(), puzzle)),
        None => Ok(()),
    }
}
