//! Tables of results, for other packages.

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator};
use arrow_schema::{Field, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::column::Column;

const STREAM: &CStr = c"arrow_array_stream";

/// Columns by name, which other packages take by the protocol of Arrow.
#[pyclass(frozen, module = "gridmill._gridmill")]
pub(crate) struct Table {
    names: Vec<String>,
    /// The pieces of each column.
    columns: Vec<Vec<ArrayRef>>,
}

impl Table {
    /// Returns a table of columns of one piece.
    pub(crate) fn of(columns: impl Iterator<Item = (String, ArrayRef)>) -> Table {
        let (names, columns) = columns.map(|(name, column)| (name, vec![column])).unzip();
        Table { names, columns }
    }
}

#[pymethods]
impl Table {
    #[new]
    fn new(names: Vec<String>, columns: Vec<PyRef<'_, Column>>) -> Table {
        Table { names, columns: columns.iter().map(|column| column.0.clone()).collect() }
    }

    /// Returns the table as a stream of Arrow, in a capsule.
    #[pyo3(signature = (_requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        _requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let fields = self.names.iter().zip(&self.columns).map(|(name, column)| {
            let data_type = column.first().map(|piece| piece.data_type().clone());
            let data_type = data_type.ok_or_else(|| PyValueError::new_err("a column without a piece"))?;
            Ok(Field::new(name, data_type, true))
        });
        let schema = Arc::new(Schema::new(fields.collect::<PyResult<Vec<_>>>()?));
        // For each column, the piece that comes next, and how much of it has been handed out.
        let mut cursors = vec![(0, 0); self.columns.len()];
        let mut batches = Vec::new();
        for (start, end) in self.cuts() {
            let pieces = self.columns.iter().zip(&mut cursors).map(|(column, (place, from))| {
                while *from == column[*place].len() {
                    (*place, *from) = (*place + 1, 0);
                }
                let slice = column[*place].slice(*from, end - start);
                *from += end - start;
                slice
            });
            let batch = RecordBatch::try_new(Arc::clone(&schema), pieces.collect());
            batches.push(batch.map_err(|error| PyValueError::new_err(error.to_string()))?);
        }
        let batches = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), STREAM)
    }
}

impl Table {
    /// Returns where the batches begin and end: wherever a piece of any column does.
    fn cuts(&self) -> Vec<(usize, usize)> {
        let mut ends: Vec<usize> = Vec::new();
        for column in &self.columns {
            let mut end = 0;
            ends.extend(column.iter().map(|piece| {
                end += piece.len();
                end
            }));
        }
        ends.sort_unstable();
        ends.dedup();
        let starts = [0].into_iter().chain(ends.iter().copied());
        starts.zip(ends.iter().copied()).filter(|(start, end)| start < end).collect()
    }
}
