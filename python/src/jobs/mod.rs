//! The functions of the package, and the columns that they return.

pub(crate) mod answer;
pub(crate) mod arrays;
pub(crate) mod generate;
pub(crate) mod same;

use numpy::{Element, IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// A column of a result: its name, its kind (see `Data` in `_result.py`), the values, which of them are missing, and for names
/// all that there are.
pub(crate) type FoundColumn<'py> = (
    &'static str,
    &'static str,
    Bound<'py, PyAny>,
    Option<Bound<'py, PyArray1<bool>>>,
    Option<Vec<&'static str>>,
);

/// Returns an array of as many items as `width` for each record, which is not copied.
pub(crate) fn wide<T: Element>(py: Python<'_>, items: Vec<T>, width: usize) -> PyResult<Bound<'_, PyAny>> {
    let records = items.len() / width;
    Ok(items.into_pyarray(py).reshape([records, width])?.into_any())
}

/// Returns a column of numbers.
pub(crate) fn numbers<'py, T: Element>(
    py: Python<'py>,
    name: &'static str,
    items: Vec<T>,
    missing: Option<Vec<bool>>,
) -> FoundColumn<'py> {
    let missing = missing.map(|missing| missing.into_pyarray(py));
    (name, "numbers", items.into_pyarray(py).into_any(), missing, None)
}

/// Returns a column of names: places among all that there are, -1 for none.
pub(crate) fn names<'py>(
    py: Python<'py>,
    name: &'static str,
    codes: Vec<i8>,
    all: Vec<&'static str>,
) -> FoundColumn<'py> {
    (name, "names", codes.into_pyarray(py).into_any(), None, Some(all))
}
