//! Passes on tables one at a time, so that memory does not grow with their number. Other packages get them as one Arrow
//! stream, or they are written as CSV or JSON Lines.

use std::fmt::Arguments;
use std::io::Write;
use std::path::Path;
use std::vec::IntoIter;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader, downcast_integer_array};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use gridmill_data::error::Error;
use gridmill_data::output::{Destination, put_field, put_row, put_text};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator};

use crate::import::{STREAM, batches};
use crate::table::wrong;

/// The tables of a Python iterator as an Arrow stream in a capsule. All tables must have the columns of the first one.
#[pyfunction]
pub(crate) fn stream<'py>(tables: &Bound<'py, PyIterator>) -> PyResult<Bound<'py, PyCapsule>> {
    let py = tables.py();
    let first = tables.clone().next().ok_or_else(|| PyValueError::new_err("there are no tables"))??;
    let first = batches(&first)?;
    let schema = first.schema();
    let ready = first.collect::<Result<Vec<_>, _>>().map_err(wrong)?.into_iter();
    let tables = Tables { of: tables.clone().unbind(), schema, ready };
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(tables)), STREAM)
}

/// The tables of an iterator.
struct Tables {
    of: Py<PyIterator>,
    schema: SchemaRef,
    /// The remaining batches of the last table.
    ready: IntoIter<RecordBatch>,
}

impl Iterator for Tables {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.ready.next() {
                return Some(Ok(batch));
            }
            let next = Python::attach(|py| {
                let table = self.of.bind(py).clone().next()?;
                let read =
                    table.and_then(|table| batches(&table)?.collect::<Result<Vec<_>, _>>().map_err(wrong));
                // The message becomes a C string. A zero in it would truncate it, or end the process.
                Some(read.map_err(|error| error.to_string().replace('\0', "")))
            });
            match next? {
                Ok(batches) => self.ready = batches.into_iter(),
                Err(message) => return Some(Err(ArrowError::ExternalError(message.into()))),
            }
        }
    }
}

impl RecordBatchReader for Tables {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }
}

/// The number of rows that become text at a time, so that memory stays small and Ctrl-C works in between.
const ROWS: usize = 1 << 13;

/// The format in which rows are written.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Csv,
    Json,
}

/// Writes the tables of an iterator as CSV with a header, or as JSON Lines. The file gets its name only when it is
/// complete, so that a reader never sees half of it. It is compressed if its name ends so (e.g. `.csv.gz`).
#[pyfunction]
pub(crate) fn write(path: &str, form: &str, tables: &Bound<'_, PyIterator>) -> PyResult<()> {
    let py = tables.py();
    let form = if form == "csv" { Form::Csv } else { Form::Json };
    let mut to: Option<Destination> = None;
    let mut text = Vec::new();
    for table in tables.clone() {
        let mut table = batches(&table?)?;
        let to = match &mut to {
            Some(to) => to,
            None => {
                require_texts(&table.schema())?;
                form.put_header(&table.schema(), &mut text);
                to.insert(Destination::create(Some(Path::new(path))).map_err(failed)?)
            }
        };
        while let Some(batch) = py.detach(|| table.next()) {
            let batch = batch.map_err(wrong)?;
            for start in (0..batch.num_rows()).step_by(ROWS) {
                py.check_signals()?;
                let rows = batch.slice(start, ROWS.min(batch.num_rows() - start));
                let written = py.detach(|| {
                    form.put_rows(&rows, &mut text);
                    to.write_all(&text)
                });
                written.map_err(|error| PyOSError::new_err(error.to_string()))?;
                text.clear();
            }
        }
    }
    let Some(mut to) = to else { return Err(PyValueError::new_err("there are no tables")) };
    // If the table has no rows, this writes the header.
    to.write_all(&text).map_err(|error| PyOSError::new_err(error.to_string()))?;
    py.detach(|| to.commit()).map_err(failed)
}

fn failed(error: Error) -> PyErr {
    PyOSError::new_err(error.to_string())
}

/// Raises an exception for a column whose values can't be written as text (e.g. dates).
fn require_texts(schema: &Schema) -> PyResult<()> {
    match schema.fields().iter().find(|field| !has_text(field.data_type())) {
        None => Ok(()),
        Some(field) => Err(PyTypeError::new_err(format!(
            "column {:?} is {}: CSV and JSON Lines take texts, bytes, numbers, truths, and lists of them; cast it, or write \
             Parquet",
            field.name(),
            field.data_type()
        ))),
    }
}

fn has_text(kind: &DataType) -> bool {
    match kind {
        DataType::Null | DataType::Boolean | DataType::Float32 | DataType::Float64 => true,
        DataType::Dictionary(_, values) => !values.is_nested() && has_text(values),
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            !matches!(item.data_type(), DataType::Dictionary(..)) && has_text(item.data_type())
        }
        DataType::Struct(fields) => fields.iter().all(|field| {
            !matches!(field.data_type(), DataType::Dictionary(..)) && has_text(field.data_type())
        }),
        kind => kind.is_string() || kind.is_binary() || kind.is_integer(),
    }
}

impl Form {
    fn put_header(self, schema: &Schema, out: &mut Vec<u8>) {
        if self == Form::Csv {
            put_row(schema.fields(), b',', |field, out| put_field(field.name(), out), out);
        }
    }

    fn put_rows(self, rows: &RecordBatch, out: &mut Vec<u8>) {
        let columns: Vec<Column<'_>> = rows.columns().iter().map(Column::of).collect();
        let schema = rows.schema();
        let keys: Vec<Vec<u8>> = schema
            .fields()
            .iter()
            .enumerate()
            .map(|(index, field)| {
                let mut key = if index == 0 { b"{".to_vec() } else { b",".to_vec() };
                put_text(field.name().as_bytes(), &mut key);
                key.push(b':');
                key
            })
            .collect();
        for row in 0..rows.num_rows() {
            match self {
                Form::Csv => put_row(&columns, b',', |column, out| column.put_csv(row, out), out),
                Form::Json => {
                    for (key, column) in keys.iter().zip(&columns) {
                        out.extend_from_slice(key);
                        column.put_json(row, out);
                    }
                    out.extend_from_slice(if keys.is_empty() { b"{}\n" } else { b"}\n" });
                }
            }
        }
    }
}

/// A column whose values are written. In a dictionary, the value of a row is at `places[row]` of `values`.
struct Column<'a> {
    array: &'a ArrayRef,
    values: &'a dyn Array,
    places: Option<Vec<usize>>,
}

impl<'a> Column<'a> {
    fn of(array: &'a ArrayRef) -> Column<'a> {
        let Some(dictionary) = array.as_any_dictionary_opt() else {
            return Column { array, values: array, places: None };
        };
        // If the dictionary has no values, all rows are null.
        let places = (!dictionary.values().is_empty()).then(|| dictionary.normalized_keys());
        Column { array, values: dictionary.values(), places }
    }

    /// The index of a row's value, or `None` if it is missing.
    fn value(&self, row: usize) -> Option<usize> {
        let place = self.places.as_ref().map_or(row, |places| places[row]);
        (self.array.is_valid(row) && !is_missing(self.values, place)).then_some(place)
    }

    fn put_csv(&self, row: usize, out: &mut Vec<u8>) {
        let Some(place) = self.value(row) else { return };
        match text(self.values, place) {
            Some(text) => put_field(text, out),
            None if self.values.data_type().is_nested() => {
                let mut json = Vec::new();
                put_value(self.values, place, &mut json);
                put_field(&String::from_utf8_lossy(&json), out);
            }
            None => put_plain(self.values, place, out),
        }
    }

    fn put_json(&self, row: usize, out: &mut Vec<u8>) {
        match self.value(row) {
            Some(place) => put_value(self.values, place, out),
            None => out.extend_from_slice(b"null"),
        }
    }
}

/// Whether a value is missing: it is null, NaN or infinite. JSON has no numbers for the last two.
fn is_missing(values: &dyn Array, place: usize) -> bool {
    match values.data_type() {
        DataType::Null => true,
        _ if values.is_null(place) => true,
        DataType::Float32 => !values.as_primitive::<Float32Type>().value(place).is_finite(),
        DataType::Float64 => !values.as_primitive::<Float64Type>().value(place).is_finite(),
        _ => false,
    }
}

/// The text of a value, if it is a text.
fn text(values: &dyn Array, place: usize) -> Option<&str> {
    match values.data_type() {
        DataType::Utf8 => Some(values.as_string::<i32>().value(place)),
        DataType::LargeUtf8 => Some(values.as_string::<i64>().value(place)),
        DataType::Utf8View => Some(values.as_string_view().value(place)),
        _ => None,
    }
}

/// Appends a value as JSON.
fn put_value(values: &dyn Array, place: usize, out: &mut Vec<u8>) {
    if is_missing(values, place) {
        return out.extend_from_slice(b"null");
    }
    if let Some(text) = text(values, place) {
        return put_text(text.as_bytes(), out);
    }
    match values.data_type() {
        DataType::List(_) => put_list(&values.as_list::<i32>().value(place), out),
        DataType::LargeList(_) => put_list(&values.as_list::<i64>().value(place), out),
        DataType::FixedSizeList(_, _) => put_list(&values.as_fixed_size_list().value(place), out),
        DataType::Struct(fields) => {
            out.push(b'{');
            for (index, (field, values)) in fields.iter().zip(values.as_struct().columns()).enumerate() {
                out.extend_from_slice(if index == 0 { b"" } else { b"," });
                put_text(field.name().as_bytes(), out);
                out.push(b':');
                put_value(values, place, out);
            }
            out.push(b'}');
        }
        kind if kind.is_binary() => {
            out.push(b'"');
            put_plain(values, place, out);
            out.push(b'"');
        }
        _ => put_plain(values, place, out),
    }
}

fn put_list(items: &dyn Array, out: &mut Vec<u8>) {
    out.push(b'[');
    for place in 0..items.len() {
        out.extend_from_slice(if place == 0 { b"" } else { b"," });
        put_value(items, place, out);
    }
    out.push(b']');
}

/// Appends a number, true or false, or bytes as hexadecimal digits.
fn put_plain(values: &dyn Array, place: usize, out: &mut Vec<u8>) {
    let mut put = |value: Arguments<'_>| {
        // Writing to memory never fails.
        let _ = out.write_fmt(value);
    };
    let mut put_bytes = |bytes: &[u8]| bytes.iter().for_each(|byte| put(format_args!("{byte:02x}")));
    match values.data_type() {
        DataType::Binary => put_bytes(values.as_binary::<i32>().value(place)),
        DataType::LargeBinary => put_bytes(values.as_binary::<i64>().value(place)),
        DataType::BinaryView => put_bytes(values.as_binary_view().value(place)),
        DataType::FixedSizeBinary(_) => put_bytes(values.as_fixed_size_binary().value(place)),
        DataType::Boolean => put(format_args!("{}", values.as_boolean().value(place))),
        // Debug format keeps the decimal point (e.g. 2.0), because the command writes ratings so.
        DataType::Float32 => put(format_args!("{:?}", values.as_primitive::<Float32Type>().value(place))),
        DataType::Float64 => put(format_args!("{:?}", values.as_primitive::<Float64Type>().value(place))),
        _ => downcast_integer_array!(
            values => put(format_args!("{}", values.value(place))),
            other => unreachable!("{other} was refused before")
        ),
    }
}
