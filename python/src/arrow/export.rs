//! Tables of results, for other packages.

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, RecordBatchIterator};
use arrow_schema::{Field, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::column::Column;

const STREAM: &CStr = c"arrow_array_stream";

/// Returns a table as a stream of Arrow, in a capsule.
#[pyfunction]
pub(crate) fn stream<'py>(
    py: Python<'py>,
    names: Vec<String>,
    columns: Vec<PyRef<'py, Column>>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let fields = names.iter().zip(&columns).map(|(name, column)| {
        let data_type = column.0.first().map(|piece| piece.data_type().clone());
        let data_type = data_type.ok_or_else(|| PyValueError::new_err("a column without a piece"))?;
        Ok(Field::new(name, data_type, true))
    });
    let schema = Arc::new(Schema::new(fields.collect::<PyResult<Vec<_>>>()?));
    // For each column, the piece that comes next, and how much of it has been handed out.
    let mut cursors = vec![(0, 0); columns.len()];
    let mut batches = Vec::new();
    for (start, end) in cuts(&columns) {
        let pieces = columns.iter().zip(&mut cursors).map(|(column, (place, from))| {
            while *from == column.0[*place].len() {
                (*place, *from) = (*place + 1, 0);
            }
            let slice = column.0[*place].slice(*from, end - start);
            *from += end - start;
            slice
        });
        let batch = RecordBatch::try_new(Arc::clone(&schema), pieces.collect());
        batches.push(batch.map_err(|error| PyValueError::new_err(error.to_string()))?);
    }
    let batches = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), STREAM)
}

/// Returns where the batches begin and end: wherever a piece of any column does.
fn cuts(columns: &[PyRef<'_, Column>]) -> Vec<(usize, usize)> {
    let mut ends: Vec<usize> = Vec::new();
    for column in columns {
        let mut end = 0;
        ends.extend(column.0.iter().map(|piece| {
            end += piece.len();
            end
        }));
    }
    ends.sort_unstable();
    ends.dedup();
    let starts = [0].into_iter().chain(ends.iter().copied());
    starts.zip(ends.iter().copied()).filter(|(start, end)| start < end).collect()
}
