//! Puzzles as arrays: their cells, and isomorphs of them with their solutions.

use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::grid::Isomorphism;
use gridmill_core::jobs::problem;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::columns::wide;
use crate::call::{Batch, MalformedError, Options, PartSize, Reading, Wide};
use crate::kind::Kind;
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
    let cells = on_puzzles!(py, rows, &options, |puzzles, stop| read(&puzzles, stop))?;
    wide(py, cells, rows.shape.cells())
}

fn read<P: Kind>(puzzles: &Reading<'_, P>, stop: &AtomicBool) -> PyResult<Vec<u8>> {
    let width = puzzles.shape().cells();
    let mut cells = vec![0; puzzles.len() * width];
    let places = Wide::new(&mut cells, width);
    puzzles.in_parts(
        PartSize::BATCHES,
        places,
        stop,
        || (),
        |(), _, batch, mut cells| {
            for (place, puzzle) in batch.iter() {
                cells.of(place).copy_from_slice(puzzle.cells());
            }
            Ok(())
        },
    )?;
    Ok(cells)
}

/// The isomorphs that are drawn.
#[derive(Clone, Copy, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Draw {
    /// Isomorphs of each puzzle.
    times: usize,
    seed: u64,
    /// The number of the first puzzle.
    first: u64,
}

/// Makes isomorphs of puzzles, and the same ones of their solutions. Those of a puzzle depend on the seed and its number.
#[pyfunction]
pub(crate) fn augment<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Rows>,
    solutions: Option<&Bound<'py, Rows>>,
    draw: Draw,
    options: Options,
) -> PyResult<(Bound<'py, PyAny>, Option<Bound<'py, PyAny>>)> {
    let (rows, solutions) = (rows.get(), solutions.map(Bound::get));
    let (records, cells) = (rows.len(py), rows.shape.cells());
    let size = records.checked_mul(draw.times).and_then(|records| records.checked_mul(cells));
    let size = size.filter(|&size| Vec::<u8>::new().try_reserve_exact(size).is_ok());
    let size = size.ok_or_else(|| {
        PyMemoryError::new_err(format!("times={}: more isomorphs than memory holds", draw.times))
    })?;
    let has_solutions = solutions.is_some();
    let (puzzles, solutions) = on_puzzles!(py, rows, solutions, &options, |puzzles, solutions, stop| {
        isomorphs(&puzzles, solutions.as_ref(), draw, size, stop)
    })?;
    let solutions = has_solutions.then(|| wide(py, solutions, cells)).transpose()?;
    Ok((wide(py, puzzles, cells)?, solutions))
}

/// Draws the isomorphisms of a puzzle, one after the other, and hands out each with its index.
fn for_each_isomorphism<P: Kind>(
    puzzle: &P,
    number: usize,
    draw: Draw,
    stop: &AtomicBool,
    mut take: impl FnMut(usize, &Isomorphism),
) {
    let mut rng = ChaCha8Rng::seed_from_u64(draw.seed);
    rng.set_stream(draw.first.wrapping_add(number as u64));
    let mut isomorphism = Isomorphism::identity(puzzle.shape());
    for index in (0..draw.times).take_while(|_| !stop.load(Ordering::Relaxed)) {
        isomorphism.redraw(&mut rng);
        take(index, &isomorphism);
    }
}

/// Returns the isomorphs of puzzles, and those of their solutions, if they have some.
fn isomorphs<P: Kind>(
    puzzles: &Reading<'_, P>,
    solutions: Option<&Reading<'_, P>>,
    draw: Draw,
    size: usize,
    stop: &AtomicBool,
) -> PyResult<(Vec<u8>, Vec<u8>)> {
    solutions.map_or(Ok(()), |solutions| puzzles.require_as_many(solutions))?;
    let cells = puzzles.shape().cells();
    let if_solved = |size: usize| if solutions.is_some() { size } else { 0 };
    let (mut made, mut solved) = (vec![0; size], vec![0; if_solved(size)]);
    let width = draw.times * cells;
    let places = (Wide::new(&mut made, width), Wide::new(&mut solved, if_solved(width)));
    puzzles.in_parts(
        PartSize::FORMS,
        places,
        stop,
        Batch::new,
        |given, start, batch, (mut made, mut solved)| {
            let mut draw_all = |place: usize, puzzle: &P, solution: Option<&P>| {
                let mut made = Wide::new(made.of(place), cells);
                let mut solved = Wide::new(solved.of(place), cells);
                for_each_isomorphism(puzzle, start + place, draw, stop, |index, isomorphism| {
                    isomorphism.write_cells(puzzle.cells(), made.of(index));
                    solution.inspect(|solution| isomorphism.write_cells(solution.cells(), solved.of(index)));
                });
            };
            let Some(solutions) = solutions else {
                batch.iter().for_each(|(place, puzzle)| draw_all(place, puzzle, None));
                return Ok(());
            };
            solutions.read(start..start + batch.records(), given)?;
            // A malformed record ends the call, so there is a solution for each puzzle.
            for ((place, puzzle), solution) in batch.iter().zip(&given.puzzles) {
                if let Some(reason) = problem(puzzle, solution) {
                    return Err(MalformedError::new_err(("solutions", start + place, reason)));
                }
                draw_all(place, puzzle, Some(solution));
            }
            Ok(())
        },
    )?;
    Ok((made, solved))
}
