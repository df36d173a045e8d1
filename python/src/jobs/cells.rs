//! Puzzles as cells.

use std::sync::atomic::AtomicBool;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::{Failure, Options, Reading};
use crate::columns::Columns;
use crate::kind::Kind;
use crate::on_puzzles;
use crate::parts::{PartSize, Wide};
use crate::rows::Rows;

/// Returns the cells of puzzles.
#[pyfunction]
pub(crate) fn cells<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Rows>,
    options: Options,
) -> PyResult<Bound<'py, PyDict>> {
    let rows = rows.get();
    let cells = on_puzzles!(py, rows, options, |puzzles, stop| read(&puzzles, stop))?;
    Columns::new(py).add_wide("cells", cells, rows.shape.cells()).map(Columns::finish)
}

fn read<P: Kind>(puzzles: &Reading<'_, P>, stop: &AtomicBool) -> Result<Vec<u8>, Failure> {
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
