//! Arrow's columns and tables, by the protocol of capsules: no other package is needed, and nothing is copied.

use std::ffi::CStr;
use std::fmt::Display;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, DictionaryArray, FixedSizeBinaryArray, Int8Array, PrimitiveArray,
    RecordBatch, RecordBatchIterator, StringArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};

use crate::rows::{Given, Rows, Source, for_each, readable};

/// Records of a piece: its texts stay far below the two gigabytes that offsets of 32 bits reach. Signals are looked for
/// before each.
const PIECE: usize = 1 << 16;

/// A column of a table, in pieces, of which there is one at least.
#[pyclass(frozen, module = "gridmill._gridmill")]
pub(crate) struct Column(Vec<ArrayRef>);

#[pymethods]
impl Column {
    /// Makes a column of a kind that `Data` in `_result.py` has: cells become texts, as those of some records are written;
    /// notations are rows of ASCII with zeros behind, of which an empty one is missing.
    #[new]
    #[pyo3(signature = (rows, kind, values, missing=None))]
    fn new(
        rows: &Bound<'_, Rows>,
        kind: &str,
        values: &Bound<'_, PyAny>,
        missing: Option<Bound<'_, PyArray1<bool>>>,
    ) -> PyResult<Column> {
        let missing = missing.as_ref().map(PyArrayMethods::readonly);
        let missing = missing.as_ref().map(|missing| missing.as_slice()).transpose()?;
        match kind {
            "cells" => cells(rows, values.cast()?, missing),
            "bytes" => pieces(values.cast()?, missing, |bytes, width, nulls| {
                let values = bytes.to_vec().into();
                let column = FixedSizeBinaryArray::try_new(width as i32, values, nulls.map(valid));
                Ok(Arc::new(column.map_err(wrong)?))
            }),
            "notations" => pieces(values.cast()?, None, |bytes, width, _| {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
                let texts = bytes.chunks_exact(width).map(text);
                let texts = texts.map(|text| (!text.is_empty()).then_some(text));
                Ok(Arc::new(texts.collect::<StringArray>()))
            }),
            "texts" => {
                let texts: Vec<Option<String>> = values.extract()?;
                let piece = |texts: &[_]| Arc::new(texts.iter().collect::<StringArray>()) as ArrayRef;
                Ok(Column::of_texts(texts.chunks(PIECE).map(piece).collect()))
            }
            _ => numbers(values, missing.map(valid)),
        }
    }

    /// Returns the records themselves: texts as they were given, cells as texts. A malformed list of cells has no text.
    #[staticmethod]
    fn of_rows(rows: &Bound<'_, Rows>) -> PyResult<Column> {
        let (given, readable) = match &rows.get().source {
            Source::Array(array) => return cells(rows, array.bind(rows.py()), None),
            Source::Column { given, readable } => (given, readable),
        };
        let mut made = Vec::new();
        for (given, lists) in given.iter().zip(readable) {
            if !matches!(lists.data_type(), DataType::LargeList(_)) {
                made.push(Arc::clone(given));
                continue;
            }
            for start in (0..lists.len()).step_by(PIECE) {
                rows.py().check_signals()?;
                let mut texts = Vec::new();
                for_each(lists, start..lists.len().min(start + PIECE), &mut |given| match given {
                    Given::Cells(cells) if cells.len() == rows.get().shape.cells() => texts.push(Some(cells)),
                    _ => texts.push(None),
                });
                made.push(texts_of_cells(rows.get(), texts));
            }
        }
        Ok(Column::of_texts(made))
    }

    /// Returns categories: places among names, -1 for those that are missing.
    #[staticmethod]
    fn of_codes(codes: &Bound<'_, PyArray1<i8>>, names: Vec<String>) -> PyResult<Column> {
        let codes = codes.readonly();
        let keys: Int8Array = codes.as_slice()?.iter().map(|&code| (code >= 0).then_some(code)).collect();
        let names = Arc::new(StringArray::from(names));
        Ok(Column(vec![Arc::new(DictionaryArray::try_new(keys, names).map_err(wrong)?)]))
    }

    /// Returns texts as a list of Python; lists of cells as lists of integers.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for piece in &self.0 {
            let mut result = Ok(());
            for_each(&readable("puzzles", piece)?, 0..piece.len(), &mut |given| {
                let appended = match given {
                    Given::Missing => list.append(py.None()),
                    Given::Cells(cells) => list.append(cells.to_vec()),
                    Given::Text(text) => list.append(String::from_utf8_lossy(text)),
                };
                if result.is_ok() {
                    result = appended;
                }
            });
            result?;
        }
        Ok(list)
    }
}

impl Column {
    /// Returns a column of pieces of texts, if there are some.
    fn of_texts(mut pieces: Vec<ArrayRef>) -> Column {
        if pieces.is_empty() {
            pieces.push(Arc::new(StringArray::new_null(0)));
        }
        Column(pieces)
    }
}

const STREAM: &CStr = c"arrow_array_stream";

/// Columns by name, which other packages take by the protocol of Arrow.
#[pyclass(frozen, module = "gridmill._gridmill")]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    /// Returns a table of the pieces of each column, with a batch from each end of a piece to the next one of any column.
    pub(crate) fn of(
        names: impl IntoIterator<Item = String>,
        columns: Vec<Vec<ArrayRef>>,
    ) -> PyResult<Table> {
        let field =
            |(name, pieces): (String, &Vec<ArrayRef>)| Field::new(name, pieces[0].data_type().clone(), true);
        let fields: Vec<Field> = names.into_iter().zip(&columns).map(field).collect();
        let schema = Arc::new(Schema::new(fields));
        // For each column its pieces, and where in the first of them the next batch begins.
        let mut rest: Vec<_> = columns.iter().map(|pieces| (&pieces[..], 0)).collect();
        let mut batches = Vec::new();
        loop {
            for (pieces, start) in &mut rest {
                while pieces.first().is_some_and(|piece| piece.len() == *start) {
                    (*pieces, *start) = (&pieces[1..], 0);
                }
            }
            let lengths = rest.iter().map(|(pieces, start)| Some(pieces.first()?.len() - start));
            let Some(len) = lengths.min().flatten() else { break };
            let slices = rest.iter_mut().map(|(pieces, start)| {
                *start += len;
                pieces[0].slice(*start - len, len)
            });
            let batch = RecordBatch::try_new(Arc::clone(&schema), slices.collect());
            batches.push(batch.map_err(wrong)?);
        }
        Ok(Table { schema, batches })
    }
}

#[pymethods]
impl Table {
    #[new]
    fn new(names: Vec<String>, columns: Vec<PyRef<'_, Column>>) -> PyResult<Table> {
        Table::of(names, columns.iter().map(|column| column.0.clone()).collect())
    }

    /// Returns the table as a stream of Arrow, in a capsule.
    #[pyo3(signature = (_requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        _requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let batches = self.batches.clone().into_iter().map(Ok);
        let batches = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), STREAM)
    }
}

/// Returns rows of cells as texts.
fn cells(
    rows: &Bound<'_, Rows>,
    cells: &Bound<'_, PyArray2<u8>>,
    missing: Option<&[bool]>,
) -> PyResult<Column> {
    pieces(cells, missing, |cells, width, nulls| {
        let is_there = |record: usize| !nulls.is_some_and(|nulls| nulls[record]);
        let records = cells.chunks_exact(width).enumerate();
        let records = records.map(|(record, cells)| is_there(record).then_some(cells));
        Ok(texts_of_cells(rows.get(), records))
    })
}

/// Returns cells as texts, written as those of some records; none where there is one above the side, in a malformed record.
fn texts_of_cells<'a>(rows: &Rows, records: impl IntoIterator<Item = Option<&'a [u8]>>) -> ArrayRef {
    let (side, alphabet) = (rows.shape.side() as u8, rows.alphabet());
    let mut texts = StringBuilder::new();
    let mut text = Vec::new();
    for cells in records {
        // No early exit, so that the loop becomes vector code.
        let is_above = |cells: &[u8]| cells.iter().fold(false, |above, &cell| above | (cell > side));
        let Some(cells) = cells.filter(|cells| !is_above(cells)) else {
            texts.append_null();
            continue;
        };
        text.clear();
        match side {
            ..=9 => text.extend(cells.iter().map(|&cell| if cell == 0 { b'.' } else { b'0' + cell })),
            _ => alphabet.write_to(cells, &mut text),
        }
        texts.append_value(str::from_utf8(&text).expect("digits are characters"));
    }
    Arc::new(texts.finish())
}

/// Makes a column of an array of rows, piece by piece.
fn pieces(
    rows: &Bound<'_, PyArray2<u8>>,
    missing: Option<&[bool]>,
    mut make: impl FnMut(&[u8], usize, Option<&[bool]>) -> PyResult<ArrayRef>,
) -> PyResult<Column> {
    let readable = rows.readonly();
    let width = readable.as_array().ncols();
    let items = readable.as_slice()?;
    let mut made = Vec::new();
    for (piece, items) in items.chunks(PIECE * width).enumerate() {
        rows.py().check_signals()?;
        let first = piece * PIECE;
        let nulls = missing.map(|missing| &missing[first..first + items.len() / width]);
        made.push(make(items, width, nulls)?);
    }
    if made.is_empty() {
        made.push(make(&[], width, None)?);
    }
    Ok(Column(made))
}

/// Returns numbers of one of the types that results have.
fn numbers(numbers: &Bound<'_, PyAny>, nulls: Option<NullBuffer>) -> PyResult<Column> {
    let column = if let Ok(numbers) = numbers.cast() {
        primitive::<UInt64Type>(numbers, nulls)
    } else if let Ok(numbers) = numbers.cast() {
        primitive::<Int64Type>(numbers, nulls)
    } else if let Ok(numbers) = numbers.cast() {
        primitive::<UInt32Type>(numbers, nulls)
    } else if let Ok(numbers) = numbers.cast() {
        primitive::<Float64Type>(numbers, nulls)
    } else {
        Err(PyTypeError::new_err("no column has numbers of this type"))
    };
    Ok(Column(vec![column?]))
}

fn primitive<T: ArrowPrimitiveType<Native: Element>>(
    numbers: &Bound<'_, PyArray1<T::Native>>,
    nulls: Option<NullBuffer>,
) -> PyResult<ArrayRef> {
    let values = numbers.readonly().as_slice()?.to_vec();
    Ok(Arc::new(PrimitiveArray::<T>::new(values.into(), nulls)))
}

/// Returns which values are there, from which are missing.
fn valid(missing: &[bool]) -> NullBuffer {
    missing.iter().map(|missing| !missing).collect()
}

fn wrong(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
