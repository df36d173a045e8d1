//! The engine room of the Python package `gridmill`: the library, on arrays and columns.
//!
//! ```text
//! array, list, column ──► Rows ──► parts, on all threads ──► arrays ──► results in Python ──► Arrow, pandas, Polars
//!      (rows, arrow)       (call, kind, threads)             (jobs)                           (arrow)
//!
//! bytes of a text file ──► records, as tables of Arrow, for clusters
//!                           (text_part)
//! ```
//!
//! The package that Python sees, with its documentation, is in `gridmill/`; it takes nothing from here but by `_gridmill`.

mod arrow;
mod call;
mod jobs;
mod kind;
mod rows;
mod text_part;
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

/// Reads puzzles on all threads, whatever their kind, and returns what a function makes of them. A call may have other ones
/// beside them, e.g. their solutions.
macro_rules! on_puzzles {
    ($py:expr, $rows:expr, $options:expr, |$puzzles:ident, $stop:ident| $work:expr) => {
        $crate::on_puzzles!($py, $rows, None, $options, |$puzzles, _others, $stop| $work)
    };
    ($py:expr, $rows:expr, $others:expr, $options:expr, |$puzzles:ident, $given:ident, $stop:ident| $work:expr) => {{
        let others: Option<&$crate::rows::Rows> = $others;
        let (borrowed, given) = ($rows.borrow($py), others.and_then(|others| others.borrow($py)));
        $crate::for_kind!($rows.shape, P => {
            let read = |rows, view| $crate::call::Reading::<P>::new(rows, view, $options.keep);
            let $puzzles = read($rows, $rows.view(borrowed.as_ref()))?;
            let $given = others.map(|others| read(others, others.view(given.as_ref()))).transpose()?;
            $crate::threads::work($py, $options.threads, |$stop| $work)?
        })
    }};
}
pub(crate) use on_puzzles;

/// The functions that the package calls.
#[pymodule]
fn _gridmill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<rows::Rows>()?;
    module.add_class::<arrow::table::Column>()?;
    module.add_class::<arrow::table::Table>()?;
    module.add_class::<text_part::TextPart>()?;
    module.add_function(wrap_pyfunction!(jobs::answer::answer, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::answer::scale_version, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::generate::generate, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::arrays::augment, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::arrays::cells, module)?)?;
    Ok(())
}
