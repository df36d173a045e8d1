//! Arrow columns and tables. Other packages import them by Arrow's capsule protocol, so that pyarrow is not
//! needed and columns are not copied. Tables are passed on one at a time, so that memory does not grow with
//! their number: as one Arrow stream, or written as CSV or JSON Lines.

use std::borrow::Cow;
use std::fmt::{Arguments, Display};
use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::vec::IntoIter;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, DictionaryArray, FixedSizeBinaryArray, Int8Array, LargeListArray,
    LargeStringArray, PrimitiveArray, RecordBatch, RecordBatchIterator, RecordBatchReader, StringArray,
    UInt16Array, downcast_integer_array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use gridmill_data::error::Error;
use gridmill_data::output::{Destination, put_field, put_json_string, put_row};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyKeyError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator};

use crate::given_records::{GivenRecord, GivenRecords, Source, for_each};
use crate::import::{STREAM, batches};

/// Records in a piece of a column. The texts of a piece stay far below 2 GiB, which is the limit of 32-bit offsets.
/// Signals are checked before each piece, so that Ctrl-C works.
const PIECE: usize = 1 << 16;

/// A column of a table, in one or more pieces.
#[pyclass(frozen, module = "gridmill._gridmill")]
pub(crate) struct Column(Vec<ArrayRef>);

#[pymethods]
impl Column {
    /// Makes a column of one of the kinds of `Data` in `_columns.py`. Cells become texts in the alphabet of `records`.
    /// Short texts are rows of ASCII padded with zeros, and an empty one is missing.
    #[new]
    #[pyo3(signature = (records, kind, values, missing=None))]
    fn new(
        records: &Bound<'_, GivenRecords>,
        kind: &str,
        values: &Bound<'_, PyAny>,
        missing: Option<Bound<'_, PyArray1<bool>>>,
    ) -> PyResult<Column> {
        let missing = missing.as_ref().map(PyArrayMethods::readonly);
        let missing = missing.as_ref().map(|missing| missing.as_slice()).transpose()?;
        let nulls = || missing.map(|missing| missing.iter().map(|missing| !missing).collect::<NullBuffer>());
        let pieces: Vec<ArrayRef> = match kind {
            "cells" => cells(records, values.cast()?, missing)?,
            "bytes" => {
                let values = values.cast::<PyArray2<u8>>()?.readonly();
                let (width, bytes) = (values.shape()[1] as i32, values.as_slice()?.to_vec());
                vec![Arc::new(FixedSizeBinaryArray::try_new(width, bytes.into(), nulls()).map_err(wrong)?)]
            }
            "short_texts" => {
                let values = values.cast::<PyArray2<u8>>()?.readonly();
                let (width, bytes) = (values.shape()[1], values.as_slice()?);
                let text = |bytes| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
                in_pieces(records.py(), bytes.len() / width, |range| {
                    let texts = range.map(|record| text(&bytes[record * width..][..width]));
                    let texts = texts.map(|text| (!text.is_empty()).then_some(text));
                    Ok(Arc::new(texts.collect::<StringArray>()))
                })?
            }
            "texts" => {
                let texts: Vec<Option<String>> = values.extract()?;
                in_pieces(records.py(), texts.len(), |range| {
                    Ok(Arc::new(texts[range].iter().collect::<StringArray>()))
                })?
            }
            "long_texts" => {
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

    /// The records themselves: texts unchanged, and cells as texts. A malformed list of cells becomes null. The type does not
    /// depend on how the records were given, because tables of one type can be joined.
    #[staticmethod]
    fn from_records(records: &Bound<'_, GivenRecords>) -> PyResult<Column> {
        let pieces = match &records.get().source {
            Source::Array(array) => return Ok(Column(cells(records, array.bind(records.py()), None)?)),
            Source::Column(pieces) => pieces,
        };
        let mut made = Vec::new();
        for piece in pieces {
            let values = match piece.data_type() {
                DataType::Dictionary(_, values) => values,
                other => other,
            };
            if !matches!(values, DataType::LargeList(_)) {
                made.extend(as_strings(records.py(), piece)?);
                continue;
            }
            made.extend(in_pieces(records.py(), piece.len(), |range| {
                let mut texts = Vec::new();
                for_each(piece, range, &mut |given| match given {
                    GivenRecord::Cells(cells) if cells.len() == records.get().shape.cells() => {
                        texts.push(Some(cells));
                    }
                    _ => texts.push(None),
                });
                Ok(texts_of_cells(records.get(), texts))
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
                GivenRecord::Text(text) => texts.push(Some(String::from_utf8_lossy(text))),
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

    /// The number of records.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// A column of offsets or texts as a list, for programs that have no package for tables.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let index = self.schema.index_of(name).map_err(|_| PyKeyError::new_err(name.to_owned()))?;
        let pieces = self.batches.iter().map(|batch| batch.column(index));
        if *self.schema.field(index).data_type() == DataType::Int64 {
            let offsets: Vec<i64> =
                pieces.flat_map(|piece| piece.as_primitive::<Int64Type>().values()).copied().collect();
            return offsets.into_bound_py_any(py);
        }
        Column(pieces.cloned().collect()).to_list().into_bound_py_any(py)
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
    given: &Bound<'_, GivenRecords>,
    cells: &Bound<'_, PyArray2<u8>>,
    missing: Option<&[bool]>,
) -> PyResult<Vec<ArrayRef>> {
    let (width, cells) = (given.get().shape.cells(), cells.readonly());
    let cells = cells.as_slice()?;
    let is_there = |record: usize| !missing.is_some_and(|missing| missing[record]);
    in_pieces(given.py(), cells.len() / width, |range| {
        let records = range.map(|record| is_there(record).then(|| &cells[record * width..][..width]));
        Ok(texts_of_cells(given.get(), records))
    })
}

/// Cells as texts, in the alphabet of `given`. A record with a cell above the side is malformed, and becomes null.
fn texts_of_cells<'a>(given: &GivenRecords, records: impl IntoIterator<Item = Option<&'a [u8]>>) -> ArrayRef {
    let (side, alphabet) = (given.shape.side() as u8, given.alphabet());
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

/// Texts with 32-bit offsets, because pyarrow can't write views before version 22, nor sort them. Bytes and dictionaries stay
/// as they are.
fn as_strings(py: Python<'_>, piece: &ArrayRef) -> PyResult<Vec<ArrayRef>> {
    match piece.data_type() {
        DataType::LargeUtf8 | DataType::Utf8View => in_pieces(py, piece.len(), |range| {
            let mut texts = StringBuilder::new();
            for_each(piece, range, &mut |given| match given {
                GivenRecord::Text(text) => {
                    texts.append_value(str::from_utf8(text).expect("the type says so"));
                }
                _ => texts.append_null(),
            });
            Ok(Arc::new(texts.finish()))
        }),
        _ => Ok(vec![Arc::clone(piece)]),
    }
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
        let columns: Vec<WrittenColumn<'_>> = rows.columns().iter().map(WrittenColumn::of).collect();
        let schema = rows.schema();
        let keys: Vec<Vec<u8>> = schema
            .fields()
            .iter()
            .enumerate()
            .map(|(index, field)| {
                let mut key = if index == 0 { b"{".to_vec() } else { b",".to_vec() };
                put_json_string(field.name().as_bytes(), &mut key);
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
struct WrittenColumn<'a> {
    array: &'a ArrayRef,
    values: &'a dyn Array,
    places: Option<Vec<usize>>,
}

impl<'a> WrittenColumn<'a> {
    fn of(array: &'a ArrayRef) -> WrittenColumn<'a> {
        let Some(dictionary) = array.as_any_dictionary_opt() else {
            return WrittenColumn { array, values: array, places: None };
        };
        // If the dictionary has no values, all rows are null.
        let places = (!dictionary.values().is_empty()).then(|| dictionary.normalized_keys());
        WrittenColumn { array, values: dictionary.values(), places }
    }

    /// The index of a row's value, or `None` if it is missing.
    fn value(&self, row: usize) -> Option<usize> {
        let place = self.places.as_ref().map_or(row, |places| places[row]);
        (self.array.is_valid(row) && !is_missing(self.values, place)).then_some(place)
    }

    fn put_csv(&self, row: usize, out: &mut Vec<u8>) {
        let Some(place) = self.value(row) else { return };
        match text(self.values, place) {
            // In quotes, because an empty field is a missing value.
            Some("") => out.extend_from_slice(b"\"\""),
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
        return put_json_string(text.as_bytes(), out);
    }
    match values.data_type() {
        DataType::List(_) => put_list(&values.as_list::<i32>().value(place), out),
        DataType::LargeList(_) => put_list(&values.as_list::<i64>().value(place), out),
        DataType::FixedSizeList(_, _) => put_list(&values.as_fixed_size_list().value(place), out),
        DataType::Struct(fields) => {
            out.push(b'{');
            for (index, (field, values)) in fields.iter().zip(values.as_struct().columns()).enumerate() {
                out.extend_from_slice(if index == 0 { b"" } else { b"," });
                put_json_string(field.name().as_bytes(), out);
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
