//! The engine room of the Python package `gridmill`: the library, on arrays and columns.
//!
//! ```text
//! array, list, column ──► Rows ──► parts, on all threads ──► arrays ──► results in Python ──► Arrow, pandas, Polars
//!      (rows, arrow)      (call, kind, parts, threads)   (jobs, columns)                    (arrow)
//! ```
//!
//! What Python sees, and its documentation, is in `gridmill/`, which takes nothing from here but by `_gridmill`.

mod arrow;
mod call;
mod columns;
mod jobs;
mod kind;
mod parts;
mod rows;
mod shape;
mod threads;

use pyo3::prelude::*;

/// Runs a block with `$kind` as the type of the puzzles of a shape.
macro_rules! for_kind {
    ($shape:expr, $kind:ident => $block:block) => {
        if $shape == gridmill::Shape::CLASSIC {
            type $kind = gridmill::Puzzle;
            $block
        } else {
            type $kind = gridmill::GridPuzzle;
            $block
        }
    };
}
pub(crate) use for_kind;

/// The functions that the package calls.
#[pymodule]
fn _gridmill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<rows::Rows>()?;
    module.add_class::<arrow::column::Column>()?;
    module.add_function(wrap_pyfunction!(arrow::export::stream, module)?)?;
    module.add("STATUSES", columns::statuses())?;
    module.add_function(wrap_pyfunction!(jobs::solve::solve, module)?)?;
    Ok(())
}
