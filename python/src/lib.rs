//! The engine room of the Python package `gridmill`: the library, on arrays and columns.
//!
//! ```text
//! array, list, column ──► Rows ──► parts, on all threads ──► arrays ──► results in Python ──► Arrow, pandas, Polars
//!   (rows, import, lists)        (call, threads)        (answer, generate, arrays)               (table)
//!
//! files, streams ──► records, as tables of Arrow ──► other packages, files
//!                     (read)                          (stream)
//! ```
//!
//! The package that Python sees, with its documentation, is in `gridmill/`; it takes nothing from here but by `_gridmill`.

mod answer;
mod arrays;
mod call;
mod generate;
mod import;
mod lists;
mod read;
mod rows;
mod stream;
mod table;
mod threads;

use pyo3::prelude::*;

/// Reads puzzles on all threads, whatever their kind, and their solutions if there are some, and returns what a function
/// makes of them.
macro_rules! on_puzzles {
    ($py:expr, $rows:expr, $solutions:expr, $options:expr, |$puzzles:ident, $given:ident, $stop:ident| $work:expr) => {{
        let solutions: Option<&$crate::rows::Rows> = $solutions;
        let (borrowed, given) = ($rows.borrow($py), solutions.and_then(|solutions| solutions.borrow($py)));
        macro_rules! read {
            ($kind:ty) => {{
                let read = |rows, view| $crate::call::Reading::<$kind>::new(rows, view, $options.keep);
                let $puzzles = read($rows, $rows.view(borrowed.as_ref()))?;
                let $given = solutions.map(|others| read(others, others.view(given.as_ref()))).transpose()?;
                $puzzles.require_as_many($given.as_ref())?;
                $crate::threads::work($py, $options.threads, |$stop| $work)?
            }};
        }
        match $rows.shape {
            gridmill_core::Shape::CLASSIC => read!(gridmill_core::Puzzle),
            _ => read!(gridmill_data::GridPuzzle),
        }
    }};
}
pub(crate) use on_puzzles;

/// The functions that the package calls.
#[pymodule]
fn _gridmill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("NUMBERS", lists::NUMBERS)?;
    module.add_class::<rows::Rows>()?;
    module.add_class::<table::Column>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<read::Reader>()?;
    module.add_function(wrap_pyfunction!(answer::answer, module)?)?;
    module.add_function(wrap_pyfunction!(generate::generate, module)?)?;
    module.add_function(wrap_pyfunction!(arrays::augment, module)?)?;
    module.add_function(wrap_pyfunction!(arrays::cells, module)?)?;
    module.add_function(wrap_pyfunction!(read::columns_of, module)?)?;
    module.add_function(wrap_pyfunction!(stream::stream, module)?)?;
    module.add_function(wrap_pyfunction!(stream::write, module)?)?;
    Ok(())
}
