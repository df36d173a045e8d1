//! Counting solutions.

use std::sync::atomic::AtomicBool;

use gridmill_core::Shape;
use gridmill_core::solver::{
    Bounds, Counter, SolutionLimit, Solver, SolverKind, SplitCounter, StagedCounter,
};
use gridmill_data::record::Status;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::solve::search;
use crate::call::{Failure, Options, Reading};
use crate::columns::{Columns, code};
use crate::kind::{Kind, engine};
use crate::on_puzzles;
use crate::parts::PartSize;
use crate::rows::Rows;

/// Counts the solutions of puzzles, up to `limit`; all for 0.
#[pyfunction]
pub(crate) fn count<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Rows>,
    limit: u64,
    options: Options,
) -> PyResult<Bound<'py, PyDict>> {
    let rows = rows.get();
    let found = on_puzzles!(py, rows, options, |puzzles, stop| counted(&puzzles, limit, stop))?;
    Columns::new(py)
        .add("solutions", found.solutions)?
        .add("status", found.status)?
        .add("guesses", found.guesses)?
        .add("time_ns", found.nanos)
        .map(Columns::finish)
}

/// The most solutions that a lane is worth: a puzzle with more of them is quicker alone.
const IN_LANES: u64 = 1024;

/// The columns of counts.
struct Counted {
    solutions: Vec<u64>,
    status: Vec<i8>,
    guesses: Vec<u64>,
    nanos: Vec<u64>,
}

fn counted<P: Kind>(puzzles: &Reading<'_, P>, limit: u64, stop: &AtomicBool) -> Result<Counted, Failure> {
    let records = puzzles.len();
    let mut found = Counted {
        solutions: vec![0; records],
        status: vec![code(Status::Malformed); records],
        guesses: vec![0; records],
        nanos: vec![0; records],
    };
    let places =
        ((&mut found.solutions[..], &mut found.status[..]), (&mut found.guesses[..], &mut found.nanos[..]));
    let tools = || (counter::<P>(puzzles.shape(), limit), Vec::new());
    let limit = limit.try_into().ok().and_then(SolutionLimit::new).unwrap_or(SolutionLimit::UNIQUENESS);
    let size = PartSize::COUNTS;
    puzzles.in_parts(size, places, stop, tools, |(engine, outcomes), _, batch, places| {
        let ((solutions, status), (guesses, nanos)) = places;
        search(&mut **engine, batch, limit, outcomes, stop)?;
        for ((place, puzzle), outcome) in batch.iter().zip(outcomes) {
            solutions[place] = outcome.solutions;
            status[place] = code(Status::of(puzzle, outcome, limit));
            guesses[place] = outcome.guesses;
            nanos[place] = outcome.nanos;
        }
        Ok(())
    })?;
    Ok(found)
}

/// Returns the engine that the command takes for such counts.
fn counter<P: Kind>(shape: Shape, limit: u64) -> Box<dyn Solver<P>> {
    let bounded = || P::bounded_solver(shape);
    match limit {
        0 => Box::new(SplitCounter::new(bounded(), Box::new(move || engine(shape).build_any_shape()), None)),
        1..=IN_LANES => P::solver(shape),
        _ if limit > u32::MAX.into() => Box::new(Counter::new(bounded(), Bounds::solutions(limit))),
        _ if engine(shape) == SolverKind::Bitmask => P::solver(shape),
        _ => {
            let single = Counter::new(SolverKind::Bitmask.build_any_shape(), Bounds::solutions(limit));
            let in_lanes = SolutionLimit::new(IN_LANES as u32).expect("it is above 0");
            Box::new(StagedCounter::new(P::solver(shape), Box::new(single)).beyond(in_lanes))
        }
    }
}
