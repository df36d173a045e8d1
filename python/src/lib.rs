//! The engine room of the Python package `gridmill`: the library, on arrays and columns.
//!
//! ```text
//! array, list, column ──► Rows ──► parts, on all threads ──► arrays ──► results in Python ──► Arrow, pandas, Polars
//!      (rows, arrow)       (call, kind, parts, threads)      (jobs)                           (arrow)
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
mod parts;
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
/// beside them, e.g. their solutions, by the name of the argument that has them.
macro_rules! on_puzzles {
    ($py:expr, $rows:expr, $options:expr, |$puzzles:ident, $stop:ident| $work:expr) => {
        $crate::on_puzzles!($py, $rows, ("", None), $options, |$puzzles, _others, $stop| $work)
    };
    ($py:expr, $rows:expr, $others:expr, $options:expr, |$puzzles:ident, $given:ident, $stop:ident| $work:expr) => {{
        let (name, others): (&'static str, Option<&$crate::rows::Rows>) = $others;
        let (borrowed, given) = ($rows.borrow($py), others.map(|others| others.borrow($py)));
        $crate::for_kind!($rows.shape, P => {
            let read = |name, rows, borrowed| $crate::call::Reading::<P>::new(name, rows, borrowed, $options.keep);
            let $puzzles = read("puzzles", $rows, &borrowed)?;
            let $given = others.zip(given.as_ref()).map(|(others, given)| read(name, others, given)).transpose()?;
            $crate::call::work($py, $options, |$stop| $work)
        })
    }};
}
pub(crate) use on_puzzles;

/// The functions that the package calls.
#[pymodule]
fn _gridmill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<rows::Rows>()?;
    module.add_class::<arrow::column::Column>()?;
    module.add_class::<arrow::export::Table>()?;
    module.add_class::<text_part::TextPart>()?;
    module.add_function(wrap_pyfunction!(jobs::answer::answer, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::answer::scale_version, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::answer::check, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::generate::generate, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::same::keys, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::same::same, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::arrays::augment, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::arrays::cells, module)?)?;
    Ok(())
}
