//! Columns of results on their way to NumPy.

use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Columns by name.
pub(crate) struct Columns<'py>(Bound<'py, PyDict>);

impl<'py> Columns<'py> {
    pub(crate) fn new(py: Python<'py>) -> Columns<'py> {
        Columns(PyDict::new(py))
    }

    /// Adds an array of an item for each record, which is not copied.
    pub(crate) fn add<T: numpy::Element>(self, name: &str, items: Vec<T>) -> PyResult<Columns<'py>> {
        let items = items.into_pyarray(self.0.py());
        self.0.set_item(name, items)?;
        Ok(self)
    }

    /// Adds an array of as many items as `width` for each record, which is not copied.
    pub(crate) fn add_wide<T: numpy::Element>(
        self,
        name: &str,
        items: Vec<T>,
        width: usize,
    ) -> PyResult<Columns<'py>> {
        let records = items.len() / width;
        let items = items.into_pyarray(self.0.py()).reshape([records, width])?;
        self.0.set_item(name, items)?;
        Ok(self)
    }

    /// Adds whatever Python makes of it.
    pub(crate) fn add_object(self, name: &str, object: impl IntoPyObject<'py>) -> PyResult<Columns<'py>> {
        self.0.set_item(name, object)?;
        Ok(self)
    }

    pub(crate) fn finish(self) -> Bound<'py, PyDict> {
        self.0
    }
}
