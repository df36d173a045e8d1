//! The native part of the Python package `gridmill`: it runs the library on arrays and columns.
//!
//! ```text
//! array, list, column ──► GivenRecords ──► parts, on all threads ──► arrays ──► results in Python ──► Arrow, pandas, Polars
//!            (given_records, import, lists)  (call, threads)       (answer, collection, generate, arrays, flat, score)  (table)
//!
//! files, streams ──► records, as tables of Arrow ──► other packages, files
//!                     (read)                          (table)
//! ```
//!
//! Users import the package in `gridmill/`, which has the documentation. It calls this part only through the module
//! `_gridmill`.

mod answer;
mod arrays;
mod call;
mod collection;
mod flat;
mod generate;
mod given_records;
mod import;
mod lists;
mod read;
mod score;
mod table;
mod threads;

use pyo3::prelude::*;

/// Reads puzzles on all threads, and their solutions if there are any, and runs `$work` on them. It chooses the type of
/// the puzzles by their shape, because 9x9 puzzles have a faster type of their own.
macro_rules! on_puzzles {
    ($py:expr, $records:expr, $solutions:expr, $options:expr, |$puzzles:ident, $given:ident, $watch:ident| $work:expr) => {
        match $records.shape {
            gridmill_core::Shape::CLASSIC => $crate::on_kind!(
                gridmill_core::Puzzle,
                $py,
                $records,
                $solutions,
                $options,
                |$puzzles, $given, $watch| $work
            ),
            _ => $crate::on_kind!(
                gridmill_data::GridPuzzle,
                $py,
                $records,
                $solutions,
                $options,
                |$puzzles, $given, $watch| $work
            ),
        }
    };
}
pub(crate) use on_puzzles;

/// Like `on_puzzles`, for 9x9 puzzles. If the first text is a grid of candidates, it reads such grids instead.
macro_rules! on_states {
    ($py:expr, $records:expr, $options:expr, |$puzzles:ident, $watch:ident| $work:expr) => {
        match $records.has_candidates($py) {
            true => $crate::on_kind!(
                gridmill_data::text::Pencilmarks,
                $py,
                $records,
                None,
                $options,
                |$puzzles, _given, $watch| $work
            ),
            false => $crate::on_kind!(
                gridmill_core::Puzzle,
                $py,
                $records,
                None,
                $options,
                |$puzzles, _given, $watch| $work
            ),
        }
    };
}
pub(crate) use on_states;

/// Reads puzzles of a type, and runs `$work` on them.
macro_rules! on_kind {
    ($kind:ty, $py:expr, $records:expr, $solutions:expr, $options:expr, |$puzzles:ident, $given:ident, $watch:ident| $work:expr) => {{
        let solutions: Option<&$crate::given_records::GivenRecords> = $solutions;
        let (borrowed, given) = ($records.borrow($py), solutions.and_then(|solutions| solutions.borrow($py)));
        let read = |records, view| $crate::call::RecordParser::<$kind>::new(records, view, $options.keep);
        let $puzzles = read($records, $records.view(borrowed.as_ref()))?;
        let $given = solutions.map(|others| read(others, others.view(given.as_ref()))).transpose()?;
        $puzzles.require_as_many($given.as_ref())?;
        let progress = $options.progress_of($puzzles.len());
        $crate::threads::work($py, $options.threads, &progress, |$watch| $work)?
    }};
}
pub(crate) use on_kind;

/// The extension module: all functions and classes that the package in `gridmill/` calls.
#[pymodule]
fn _gridmill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("NUMBERS_ADVICE", lists::NUMBERS_ADVICE)?;
    // A constant, because `importlib.metadata` takes longer than all other imports of the package together.
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<given_records::GivenRecords>()?;
    module.add_class::<table::Column>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<read::Reader>()?;
    module.add_function(wrap_pyfunction!(answer::answer, module)?)?;
    module.add_function(wrap_pyfunction!(collection::select, module)?)?;
    module.add_function(wrap_pyfunction!(collection::stats, module)?)?;
    module.add_function(wrap_pyfunction!(generate::generate, module)?)?;
    module.add_function(wrap_pyfunction!(arrays::augment, module)?)?;
    module.add_function(wrap_pyfunction!(arrays::cells, module)?)?;
    module.add_function(wrap_pyfunction!(score::score, module)?)?;
    module.add_function(wrap_pyfunction!(read::are_from_read, module)?)?;
    module.add_function(wrap_pyfunction!(read::columns_of, module)?)?;
    module.add_function(wrap_pyfunction!(table::stream, module)?)?;
    module.add_function(wrap_pyfunction!(table::write, module)?)?;
    Ok(())
}
