//! The engine room of the Python package `gridmill`: the library, on arrays and columns.
//!
//! ```text
//! array, list, column ──► Rows ──► parts, on all threads ──► arrays ──► results in Python ──► Arrow, pandas, Polars
//!      (rows, arrow)      (call, kind, parts, threads)   (jobs, columns)                    (arrow)
//! ```
//!
//! The package that Python sees, with its documentation, is in `gridmill/`; it takes nothing from here but by `_gridmill`.

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
        if $shape == gridmill_core::Shape::CLASSIC {
            type $kind = gridmill_core::Puzzle;
            $block
        } else {
            type $kind = gridmill_data::GridPuzzle;
            $block
        }
    };
}
pub(crate) use for_kind;

/// Reads puzzles on all threads, whatever their kind, and returns what a function makes of them.
macro_rules! on_puzzles {
    ($py:expr, $rows:expr, $options:expr, |$puzzles:ident, $stop:ident| $work:expr) => {{
        let borrowed = $rows.borrow($py);
        $crate::for_kind!($rows.shape, P => {
            let $puzzles = $crate::call::Reading::<P>::new("puzzles", $rows, &borrowed, $options.keep)?;
            $crate::call::work($py, &$options, |$stop| $work)
        })
    }};
}
pub(crate) use on_puzzles;

/// The functions that the package calls.
#[pymodule]
fn _gridmill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<rows::Rows>()?;
    module.add_class::<arrow::column::Column>()?;
    module.add_function(wrap_pyfunction!(arrow::export::stream, module)?)?;
    module.add("VERDICTS", jobs::verify::verdicts())?;
    module.add("KEY_STATUSES", jobs::keys::STATUSES)?;
    module.add_function(wrap_pyfunction!(jobs::answer::answer, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::answer::scale_version, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::verify::verify, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::verify::check, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::generate::generate, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::keys::keys, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::same::same, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::augment::augment, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::cells::cells, module)?)?;
    Ok(())
}
