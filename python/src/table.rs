//! Arrow columns and tables. Other packages import them by Arrow's capsule protocol, so that pyarrow is not needed and
//! columns are not copied.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{
    Float64Type, Int8Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, DictionaryArray, FixedSizeBinaryArray, Int8Array, LargeListArray,
    LargeStringArray, PrimitiveArray, RecordBatch, RecordBatchIterator, StringArray, UInt16Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::import::STREAM;
use crate::rows::{Given, Rows, Source, for_each};

/// Records in a piece of a column. The texts of a piece stay far below 2 GiB, which is the limit of 32-bit offsets.
/// Signals are checked before each piece, so that Ctrl-C works.
const PIECE: usize = 1 << 16;

/// A column of a table, in one or more pieces.
#[pyclass(frozen, module = "gridmill._gridmill")]
pub(crate) struct Column(Vec<ArrayRef>);

#[pymethods]
impl Column {
    /// Makes a column of one of the kinds of `Data` in `_columns.py`. Cells become texts in the alphabet of `rows`.
    /// Notations are rows of ASCII padded with zeros, and an empty one is missing.
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
        let nulls = || missing.map(|missing| missing.iter().map(|missing| !missing).collect::<NullBuffer>());
        let pieces: Vec<ArrayRef> = match kind {
            "cells" => cells(rows, values.cast()?, missing)?,
            "bytes" => {
                let values = values.cast::<PyArray2<u8>>()?.readonly();
                let (width, bytes) = (values.shape()[1] as i32, values.as_slice()?.to_vec());
                vec![Arc::new(FixedSizeBinaryArray::try_new(width, bytes.into(), nulls()).map_err(wrong)?)]
            }
            "notations" => {
                let values = values.cast::<PyArray2<u8>>()?.readonly();
                let (width, bytes) = (values.shape()[1], values.as_slice()?);
                let text = |bytes| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
                in_pieces(rows.py(), bytes.len() / width, |range| {
                    let texts = range.map(|record| text(&bytes[record * width..][..width]));
                    let texts = texts.map(|text| (!text.is_empty()).then_some(text));
                    Ok(Arc::new(texts.collect::<StringArray>()))
                })?
            }
            "texts" => {
                let texts: Vec<Option<String>> = values.extract()?;
                in_pieces(rows.py(), texts.len(), |range| {
                    Ok(Arc::new(texts[range].iter().collect::<StringArray>()))
                })?
            }
            "strings" => {
                let (bytes, offsets) = runs::<u8>(values)?;
                let is_there = offsets.windows(2).map(|ends| ends[0] < ends[1]).collect::<NullBuffer>();
                let offsets = OffsetBuffer::new(offsets.into());
                let texts = LargeStringArray::try_new(offsets, bytes.into(), Some(is_there));
                vec![Arc::new(texts.map_err(wrong)?)]
            }
            "lists" => {
                let (items, offsets) = runs::<u16>(values)?;
                let items = Arc::new(UInt16Array::from(items));
                let field = Arc::new(Field::new("item", DataType::UInt16, false));
                let lists = LargeListArray::try_new(field, OffsetBuffer::new(offsets.into()), items, None);
                vec![Arc::new(lists.map_err(wrong)?)]
            }
            _ => vec![numbers(values, &nulls())?],
        };
        Ok(Column(pieces))
    }

    /// The records themselves: texts unchanged, and cells as texts. A malformed list of cells becomes null.
    #[staticmethod]
    fn of_rows(rows: &Bound<'_, Rows>) -> PyResult<Column> {
        let pieces = match &rows.get().source {
            Source::Array(array) => return Ok(Column(cells(rows, array.bind(rows.py()), None)?)),
            Source::Column(pieces) => pieces,
        };
        let mut made = Vec::new();
        for piece in pieces {
            let values = match piece.data_type() {
                DataType::Dictionary(_, values) => values,
                other => other,
            };
            if !matches!(values, DataType::LargeList(_)) {
                made.push(Arc::clone(piece));
                continue;
            }
            made.extend(in_pieces(rows.py(), piece.len(), |range| {
                let mut texts = Vec::new();
                for_each(piece, range, &mut |given| match given {
                    Given::Cells(cells) if cells.len() == rows.get().shape.cells() => texts.push(Some(cells)),
                    _ => texts.push(None),
                });
                Ok(texts_of_cells(rows.get(), texts))
            })?);
        }
        Ok(Column(made))
    }

    /// A column of categories. A code is an index of `names`, and -1 is a missing value.
    #[staticmethod]
    fn of_codes(codes: &Bound<'_, PyArray1<i8>>, names: Vec<String>) -> PyResult<Column> {
        let codes = codes.readonly();
        let keys: Int8Array = codes.as_slice()?.iter().map(|&code| (code >= 0).then_some(code)).collect();
        let names = Arc::new(StringArray::from(names));
        Ok(Column(vec![Arc::new(DictionaryArray::try_new(keys, names).map_err(wrong)?)]))
    }

    /// A column of texts as a Python list.
    fn to_list(&self) -> Vec<Option<Cow<'_, str>>> {
        let mut texts = Vec::new();
        for piece in &self.0 {
            for_each(piece, 0..piece.len(), &mut |given| match given {
                Given::Text(text) => texts.push(Some(String::from_utf8_lossy(text))),
                _ => texts.push(None),
            });
        }
        texts
    }
}

/// Named columns. Other packages take them by the Arrow protocol.
#[pyclass(frozen, module = "gridmill._gridmill")]
pub(crate) struct Table {
    pub(crate) schema: SchemaRef,
    pub(crate) batches: Vec<RecordBatch>,
}

#[pymethods]
impl Table {
    /// Makes a table. Its columns may be divided into pieces at different records, so a batch ends wherever a piece of
    /// any column ends.
    #[new]
    fn new(names: Vec<String>, columns: Vec<PyRef<'_, Column>>) -> PyResult<Table> {
        let columns: Vec<&[ArrayRef]> = columns.iter().map(|column| &column.0[..]).collect();
        let field =
            |(name, pieces): (String, &&[ArrayRef])| Field::new(name, pieces[0].data_type().clone(), true);
        let fields: Vec<Field> = names.into_iter().zip(&columns).map(field).collect();
        let schema = Arc::new(Schema::new(fields));
        // For each column, the pieces that are left, and the start of the next batch in the first of them.
        let mut rest: Vec<_> = columns.into_iter().map(|pieces| (pieces, 0)).collect();
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

    /// The table as an Arrow stream in a capsule.
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

/// Rows of cells as texts.
fn cells(
    rows: &Bound<'_, Rows>,
    cells: &Bound<'_, PyArray2<u8>>,
    missing: Option<&[bool]>,
) -> PyResult<Vec<ArrayRef>> {
    let (width, cells) = (rows.get().shape.cells(), cells.readonly());
    let cells = cells.as_slice()?;
    let is_there = |record: usize| !missing.is_some_and(|missing| missing[record]);
    in_pieces(rows.py(), cells.len() / width, |range| {
        let records = range.map(|record| is_there(record).then(|| &cells[record * width..][..width]));
        Ok(texts_of_cells(rows.get(), records))
    })
}

/// Cells as texts, in the alphabet of `rows`. A record with a cell above the side is malformed, and becomes null.
fn texts_of_cells<'a>(rows: &Rows, records: impl IntoIterator<Item = Option<&'a [u8]>>) -> ArrayRef {
    let (side, alphabet) = (rows.shape.side() as u8, rows.alphabet());
    let mut texts = StringBuilder::new();
    let mut text = Vec::new();
    for cells in records {
        // A fold has no early exit, so that the compiler can vectorize it.
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

/// Makes a column piece by piece.
fn in_pieces(
    py: Python<'_>,
    records: usize,
    mut make: impl FnMut(Range<usize>) -> PyResult<ArrayRef>,
) -> PyResult<Vec<ArrayRef>> {
    let starts = (0..records.max(1)).step_by(PIECE);
    let ranges = starts.map(|start| start..records.min(start + PIECE));
    ranges.map(|range| py.check_signals().and_then(|()| make(range))).collect()
}

/// Copies the items of runs and their offsets.
fn runs<T: Element + Copy>(values: &Bound<'_, PyAny>) -> PyResult<(Vec<T>, Vec<i64>)> {
    let (items, offsets): (PyReadonlyArray1<'_, T>, PyReadonlyArray1<'_, i64>) = values.extract()?;
    Ok((items.as_slice()?.to_vec(), offsets.as_slice()?.to_vec()))
}

/// A column of numbers, of any type that results have.
fn numbers(numbers: &Bound<'_, PyAny>, nulls: &Option<NullBuffer>) -> PyResult<ArrayRef> {
    primitive::<UInt64Type>(numbers, nulls)
        .or_else(|_| primitive::<Int64Type>(numbers, nulls))
        .or_else(|_| primitive::<UInt32Type>(numbers, nulls))
        .or_else(|_| primitive::<Int32Type>(numbers, nulls))
        .or_else(|_| primitive::<UInt16Type>(numbers, nulls))
        .or_else(|_| primitive::<UInt8Type>(numbers, nulls))
        .or_else(|_| primitive::<Int8Type>(numbers, nulls))
        .or_else(|_| primitive::<Float64Type>(numbers, nulls))
}

fn primitive<T: ArrowPrimitiveType<Native: Element>>(
    numbers: &Bound<'_, PyAny>,
    nulls: &Option<NullBuffer>,
) -> PyResult<ArrayRef> {
    let values = numbers.cast::<PyArray1<T::Native>>()?.readonly().as_slice()?.to_vec();
    Ok(Arc::new(PrimitiveArray::<T>::new(values.into(), nulls.clone())))
}

pub(crate) fn wrong(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
