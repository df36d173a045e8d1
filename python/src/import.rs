//! Imports columns from other packages (e.g. pyarrow, Polars) by Arrow's C data interface, so that they are not copied.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{ArrayRef, make_array};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyTuple};

const ARRAY: &CStr = c"arrow_array";
const SCHEMA: &CStr = c"arrow_schema";
pub(crate) const STREAM: &CStr = c"arrow_array_stream";

/// The arrays of an object that has `__arrow_c_stream__` or `__arrow_c_array__`.
pub(crate) fn chunks(column: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    // The arrow crate panics if an array is shorter than its type and length say, and pyarrow can make such arrays. A
    // panic would hide the cause, so it becomes an exception.
    let read = AssertUnwindSafe(|| read(column));
    catch_unwind(read)
        .unwrap_or_else(|_| Err(wrong("its buffers are shorter than its type and length require")))
}

fn read(column: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    if column.hasattr("__arrow_c_array__")? {
        let pair = column.call_method0("__arrow_c_array__")?;
        let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.cast::<PyTuple>()?.extract()?;
        return one(schema.cast()?, array.cast()?).map(|array| vec![array]);
    }
    let arrays = ArrayStreamReader::try_new(stream(column)?).map_err(wrong)?;
    arrays.collect::<Result<_, _>>().map_err(wrong)
}

/// The batches of a table that has `__arrow_c_stream__`. They are read one at a time, so that a stream needs little
/// memory.
pub(crate) fn batches(table: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    RecordBatchStreamReader::try_new(stream(table)?).map_err(wrong)
}

/// Moves an array out of its two capsules.
fn one(schema: &Bound<'_, PyCapsule>, array: &Bound<'_, PyCapsule>) -> PyResult<ArrayRef> {
    let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    // SAFETY: a capsule of this name holds such a structure for as long as it lives, and it lives until this returns.
    let data_type = DataType::try_from(unsafe { schema.as_ref() }).map_err(wrong)?;
    // SAFETY: this capsule holds such a structure, too; `from_raw` moves the array out and leaves an empty one, as the protocol
    // requires.
    let array = unsafe { FFI_ArrowArray::from_raw(array.as_ptr()) };
    // SAFETY: the interface obliges the producer to pass the type of the array.
    let data = unsafe { from_ffi_and_data_type(array, data_type) }.map_err(wrong)?;
    Ok(make_array(data))
}

/// Moves a stream out of the capsule that `__arrow_c_stream__` returns.
fn stream(object: &Bound<'_, PyAny>) -> PyResult<FFI_ArrowArrayStream> {
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let stream = capsule.cast::<PyCapsule>()?.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a stream, which moves out of it, and what is left in there is empty.
    Ok(unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) })
}

fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyTypeError::new_err(format!("the Arrow column can't be read: {error}"))
}
