//! Puzzles as arrays: their cells, and isomorphs of them with their solutions.

use std::iter;
use std::sync::atomic::Ordering;

use gridmill_core::grid::Isomorphism;
use gridmill_core::jobs::problem;
use gridmill_core::solver::Solvable;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::columns::wide;
use crate::call::{BATCHES, Batch, FORMS, MalformedError, Options, Values};
use crate::on_puzzles;
use crate::rows::Rows;

/// Returns the cells of puzzles.
#[pyfunction]
pub(crate) fn cells<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Rows>,
    options: Options,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = rows.get();
    let mut cells = Values::zeros(rows.shape.cells(), rows.len(py));
    on_puzzles!(py, rows, None, &options, |puzzles, _others, stop| {
        puzzles.in_parts(
            &BATCHES,
            vec![cells.slot()],
            stop,
            || (),
            |(), _, batch, mut slots| {
                for (place, puzzle) in batch.iter() {
                    slots[0].of(place).copy_from_slice(puzzle.cells());
                }
                Ok(())
            },
        )
    })?;
    wide(py, cells.bytes, cells.width)
}

/// Makes `times` isomorphs of each puzzle, and the same ones of their solutions: an array of each. The isomorphs of a puzzle
/// depend on the seed and its number, which is `first` for the first one.
#[pyfunction]
pub(crate) fn augment<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Rows>,
    solutions: Option<&Bound<'py, Rows>>,
    times: usize,
    seed: u64,
    first: u64,
    options: Options,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let (rows, solutions) = (rows.get(), solutions.map(Bound::get));
    let (records, cells) = (rows.len(py), rows.shape.cells());
    let size = records.checked_mul(times).and_then(|records| records.checked_mul(cells));
    if size.is_none_or(|size| Vec::<u8>::new().try_reserve_exact(size).is_err()) {
        return Err(PyMemoryError::new_err(format!("times={times}: more isomorphs than memory holds")));
    }
    let arrays = 1 + usize::from(solutions.is_some());
    // Without records, any number of times fits into memory.
    let width = times.saturating_mul(cells);
    let mut made: Vec<Values> = (0..arrays).map(|_| Values::zeros(width, records)).collect();
    on_puzzles!(py, rows, solutions, &options, |puzzles, solutions, stop| {
        let slots = made.iter_mut().map(Values::slot).collect();
        puzzles.in_parts(&FORMS, slots, stop, Batch::new, |given, range, batch, mut slots| {
            if let Some(solutions) = &solutions {
                solutions.read(range.clone(), given)?;
            }
            for (index, (place, puzzle)) in batch.iter().enumerate() {
                // A malformed record ends the call, so there is a solution for each puzzle, or for none.
                let solution = given.puzzles.get(index);
                if let Some(reason) = solution.and_then(|solution| problem(puzzle, solution)) {
                    return Err(MalformedError::new_err(("solutions", range.start + place, reason)));
                }
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                rng.set_stream(first.wrapping_add((range.start + place) as u64));
                let mut isomorphism = Isomorphism::identity(puzzle.shape());
                for time in (0..times).take_while(|_| !stop.load(Ordering::Relaxed)) {
                    isomorphism.redraw(&mut rng);
                    for (grid, slot) in iter::once(puzzle).chain(solution).zip(&mut slots) {
                        isomorphism.write_cells(grid.cells(), &mut slot.of(place)[time * cells..][..cells]);
                    }
                }
            }
            Ok(())
        })
    })?;
    made.into_iter().map(|made| wide(py, made.bytes, cells)).collect()
}
