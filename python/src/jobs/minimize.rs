//! Minimal puzzles.

use std::sync::atomic::AtomicBool;

use gridmill_core::generate::Minimizer;
use gridmill_core::solver::{Outcome, SolutionLimit};
use gridmill_data::record::Status;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::{Failure, Options, Reading};
use crate::columns::{Columns, code};
use crate::kind::Kind;
use crate::on_puzzles;
use crate::parts::{PartSize, Wide};
use crate::rows::Rows;

/// The columns of minimal puzzles.
struct Minimal {
    minimal: Vec<u8>,
    status: Vec<i8>,
    clues: Vec<u32>,
}

/// Takes clues out of puzzles until none can go.
#[pyfunction]
pub(crate) fn minimize<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Rows>,
    seed: u64,
    orders: usize,
    options: Options,
) -> PyResult<Bound<'py, PyDict>> {
    if orders == 0 {
        return Err(PyValueError::new_err("orders=0: expected 1 or more"));
    }
    let rows = rows.get();
    let found = on_puzzles!(py, rows, options, |puzzles, stop| minimized(&puzzles, seed, orders, stop))?;
    Columns::new(py)
        .add_wide("minimal", found.minimal, rows.shape.cells())?
        .add("status", found.status)?
        .add("clues", found.clues)
        .map(Columns::finish)
}

fn minimized<P: Kind>(
    puzzles: &Reading<'_, P>,
    seed: u64,
    orders: usize,
    stop: &AtomicBool,
) -> Result<Minimal, Failure> {
    let (records, cells) = (puzzles.len(), puzzles.shape().cells());
    let mut found = Minimal {
        minimal: vec![0; records * cells],
        status: vec![code(Status::Malformed); records],
        clues: vec![0; records],
    };
    let places = (Wide::new(&mut found.minimal, cells), (&mut found.status[..], &mut found.clues[..]));
    let tools = || Minimizer::new(None);
    puzzles.in_parts(PartSize::LONG, places, stop, tools, |minimizer, start, batch, places| {
        let (mut minimal, (status, clues)) = places;
        // The numbers of the puzzles, by which they are dug, are those of the records: so they go one by one where
        // some records in between are malformed.
        let together = if batch.faults.is_empty() { batch.puzzles.len().max(1) } else { 1 };
        for (puzzles, places) in batch.puzzles.chunks(together).zip(batch.places.chunks(together)) {
            let first = (start + places[0]) as u64;
            let found = minimizer.minimize_until(puzzles, first, seed, orders, stop);
            for ((&place, puzzle), found) in places.iter().zip(puzzles).zip(found) {
                let outcome = Outcome {
                    solutions: found.solutions,
                    is_given_up: found.result.is_none() && found.is_given_up,
                    ..Outcome::NONE
                };
                status[place] = code(Status::of(puzzle, &outcome, SolutionLimit::UNIQUENESS));
                if let Some(grid) = found.result {
                    minimal.of(place).copy_from_slice(grid.cells());
                    clues[place] = grid.clue_count() as u32;
                }
            }
        }
        Ok(())
    })?;
    Ok(found)
}
