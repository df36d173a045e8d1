//! Isomorphs of puzzles, with their solutions.

use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::grid::Isomorphism;
use gridmill_core::jobs::problem;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::verify::{pairs, same_length};
use crate::call::{Batch, Failure, Options, Reading, work};
use crate::columns::Columns;
use crate::for_kind;
use crate::kind::Kind;
use crate::parts::{PartSize, Wide};
use crate::rows::Rows;

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
) -> PyResult<Bound<'py, PyDict>> {
    let (rows, solutions) = (rows.get(), solutions.map(Bound::get));
    let (borrowed, borrowed_solutions) = (rows.borrow(py), solutions.map(|solutions| solutions.borrow(py)));
    let cells = rows.shape.cells();
    let (puzzles, solutions) = for_kind!(rows.shape, P => {
        let puzzles = Reading::<P>::new("puzzles", rows, &borrowed, options.keep)?;
        let solutions = solutions.zip(borrowed_solutions.as_ref());
        let solutions = solutions.map(|(solutions, borrowed)| Reading::<P>::new("solutions", solutions, borrowed, options.keep));
        let solutions = solutions.transpose()?;
        solutions.as_ref().map_or(Ok(()), |solutions| same_length(&puzzles, solutions))?;
        let size = puzzles.len().checked_mul(draw.times).and_then(|records| records.checked_mul(cells));
        let size = size.filter(|&size| Vec::<u8>::new().try_reserve_exact(size).is_ok());
        let too_many = || PyMemoryError::new_err(format!("times={}: more isomorphs than memory holds", draw.times));
        let size = size.ok_or_else(too_many)?;
        work(py, &options, |stop| match solutions {
            None => isomorphs(&puzzles, draw, size, stop).map(|puzzles| (puzzles, None)),
            Some(solutions) => isomorphs_with(&puzzles, &solutions, draw, size, stop).map(|(puzzles, solutions)| (puzzles, Some(solutions))),
        })
    })?;
    let columns = Columns::new(py).add_wide("puzzles", puzzles, cells)?;
    match solutions {
        Some(solutions) => columns.add_wide("solutions", solutions, cells),
        None => Ok(columns),
    }
    .map(Columns::finish)
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

fn isomorphs<P: Kind>(
    puzzles: &Reading<'_, P>,
    draw: Draw,
    size: usize,
    stop: &AtomicBool,
) -> Result<Vec<u8>, Failure> {
    let cells = puzzles.shape().cells();
    let mut made = vec![0; size];
    let places = Wide::new(&mut made, draw.times * cells);
    puzzles.in_parts(
        PartSize::FORMS,
        places,
        stop,
        || (),
        |(), start, batch, mut made| {
            for (place, puzzle) in batch.iter() {
                let mut made = Wide::new(made.of(place), cells);
                for_each_isomorphism(puzzle, start + place, draw, stop, |index, isomorphism| {
                    isomorphism.write_cells(puzzle.cells(), made.of(index));
                });
            }
            Ok(())
        },
    )?;
    Ok(made)
}

fn isomorphs_with<P: Kind>(
    puzzles: &Reading<'_, P>,
    solutions: &Reading<'_, P>,
    draw: Draw,
    size: usize,
    stop: &AtomicBool,
) -> Result<(Vec<u8>, Vec<u8>), Failure> {
    let cells = puzzles.shape().cells();
    let (mut made, mut solved) = (vec![0; size], vec![0; size]);
    let places = (Wide::new(&mut made, draw.times * cells), Wide::new(&mut solved, draw.times * cells));
    puzzles.in_parts(
        PartSize::FORMS,
        places,
        stop,
        Batch::new,
        |given, start, batch, (mut made, mut solved)| {
            solutions.read(start..start + batch.records(), given)?;
            for (place, puzzle, solution) in pairs(batch, given) {
                if let Some(reason) = problem(puzzle, solution) {
                    return Err(Failure::Malformed { name: "solutions", record: start + place, reason });
                }
                let (mut made, mut solved) =
                    (Wide::new(made.of(place), cells), Wide::new(solved.of(place), cells));
                for_each_isomorphism(puzzle, start + place, draw, stop, |index, isomorphism| {
                    isomorphism.write_cells(puzzle.cells(), made.of(index));
                    isomorphism.write_cells(solution.cells(), solved.of(index));
                });
            }
            Ok(())
        },
    )?;
    Ok((made, solved))
}
