//! Columns of results as Arrow has them, and tables of them, for other packages.

use std::ffi::CStr;
use std::fmt::Display;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, DictionaryArray, FixedSizeBinaryArray, Int8Array, PrimitiveArray,
    RecordBatch, RecordBatchIterator, StringArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{Field, Schema};
use gridmill_data::text::Alphabet;
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList};

use crate::rows::{Given, Rows, Source, TextChunk};

/// Records of a piece: its texts stay far below the two gigabytes that offsets of 32 bits reach. Signals are looked for
/// before each.
const PIECE: usize = 1 << 16;

/// A column of a table, in pieces.
#[pyclass(frozen, module = "gridmill._gridmill")]
pub(crate) struct Column(pub(crate) Vec<ArrayRef>);

/// Records that have no value, as an array of truths.
type Missing<'py> = Option<Bound<'py, PyArray1<bool>>>;

#[pymethods]
impl Column {
    /// Returns the records themselves: texts as they were given, cells as texts.
    #[staticmethod]
    fn of_rows(rows: &Bound<'_, Rows>) -> PyResult<Column> {
        match &rows.get().source {
            Source::Column(chunks) if chunks.is_empty() => {
                Ok(Column(vec![Arc::new(StringArray::new_null(0))]))
            }
            Source::Column(chunks) => {
                let pieces = chunks.iter().map(|chunk| as_texts(rows.py(), chunk, rows.get()));
                Ok(Column(pieces.collect::<PyResult<Vec<_>>>()?.concat()))
            }
            Source::Array(array) => Column::of_cells(rows, array.bind(rows.py()), None),
        }
    }

    /// Returns cells as texts, of the size of some records.
    #[staticmethod]
    #[pyo3(signature = (rows, cells, missing=None))]
    fn of_cells(
        rows: &Bound<'_, Rows>,
        cells: &Bound<'_, PyArray2<u8>>,
        missing: Missing<'_>,
    ) -> PyResult<Column> {
        pieces(cells, missing, |cells, width, nulls| {
            let mut texts = CellTexts::new(rows.get());
            for (record, cells) in cells.chunks_exact(width).enumerate() {
                match nulls.is_some_and(|nulls| nulls[record]) {
                    true => texts.push_missing(),
                    false => texts.push(cells),
                }
            }
            texts.finish()
        })
    }

    /// Returns rows of bytes.
    #[staticmethod]
    #[pyo3(signature = (bytes, missing=None))]
    fn of_bytes(bytes: &Bound<'_, PyArray2<u8>>, missing: Missing<'_>) -> PyResult<Column> {
        pieces(bytes, missing, |bytes, width, nulls| {
            let values = bytes.to_vec().into();
            let column = FixedSizeBinaryArray::try_new(width as i32, values, nulls.map(valid));
            Ok(Arc::new(column.map_err(wrong)?))
        })
    }

    /// Returns categories: places among names, -1 for those that are missing.
    #[staticmethod]
    fn of_codes(codes: &Bound<'_, PyArray1<i8>>, names: Vec<String>) -> PyResult<Column> {
        let codes = codes.readonly();
        let keys: Int8Array = codes.as_slice()?.iter().map(|&code| (code >= 0).then_some(code)).collect();
        let names = Arc::new(StringArray::from(names));
        Ok(Column(vec![Arc::new(DictionaryArray::try_new(keys, names).map_err(wrong)?)]))
    }

    /// Returns numbers of one of the types that results have.
    #[staticmethod]
    #[pyo3(signature = (numbers, missing=None))]
    fn of_numbers(numbers: &Bound<'_, PyAny>, missing: Missing<'_>) -> PyResult<Column> {
        let column = if let Ok(numbers) = numbers.cast() {
            primitive::<UInt64Type>(numbers, missing)
        } else if let Ok(numbers) = numbers.cast() {
            primitive::<Int64Type>(numbers, missing)
        } else if let Ok(numbers) = numbers.cast() {
            primitive::<UInt32Type>(numbers, missing)
        } else if let Ok(numbers) = numbers.cast() {
            primitive::<Float64Type>(numbers, missing)
        } else {
            Err(PyTypeError::new_err("no column has numbers of this type"))
        };
        Ok(Column(vec![column?]))
    }

    /// Returns texts of ASCII, which are rows of bytes with zeros behind; without an empty one.
    #[staticmethod]
    fn of_notations(bytes: &Bound<'_, PyArray2<u8>>) -> PyResult<Column> {
        pieces(bytes, None, |bytes, width, _| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
            let texts = bytes.chunks_exact(width).map(text).map(|text| (!text.is_empty()).then_some(text));
            Ok(Arc::new(texts.collect::<StringArray>()))
        })
    }

    /// Returns texts, None for those that are missing.
    #[staticmethod]
    fn of_texts(texts: Vec<Option<String>>) -> Column {
        let pieces =
            texts.chunks(PIECE).map(|texts| Arc::new(texts.iter().collect::<StringArray>()) as ArrayRef);
        let pieces: Vec<ArrayRef> = pieces.collect();
        let is_empty = pieces.is_empty();
        Column(if is_empty { vec![Arc::new(StringArray::new_null(0))] } else { pieces })
    }

    /// Returns texts, or bytes, as a list of Python; lists of cells as lists of integers.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for piece in &self.0 {
            let texts = TextChunk::new("puzzles", Arc::clone(piece))?;
            for record in 0..texts.len() {
                match texts.get(record) {
                    Given::Missing => list.append(py.None())?,
                    Given::Cells(cells) => list.append(cells.to_vec())?,
                    Given::Text(text) => match str::from_utf8(text) {
                        Ok(text) => list.append(text)?,
                        Err(_) => list.append(PyBytes::new(py, text))?,
                    },
                }
            }
        }
        Ok(list)
    }
}

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
            batches.push(batch.map_err(wrong)?);
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

/// Cells as texts.
struct CellTexts {
    side: u8,
    alphabet: Arc<Alphabet>,
    text: Vec<u8>,
    offsets: Vec<i32>,
    has_text: Vec<bool>,
}

impl CellTexts {
    /// Returns no texts yet, for cells that are written as those of some records.
    fn new(rows: &Rows) -> CellTexts {
        let (side, alphabet) = (rows.shape.side() as u8, rows.alphabet());
        CellTexts { side, alphabet, text: Vec::new(), offsets: vec![0], has_text: Vec::new() }
    }

    /// Adds the text of cells; none where there is one above the side, in a malformed record.
    fn push(&mut self, cells: &[u8]) {
        // No early exit, so that the loop becomes vector code.
        if cells.iter().fold(false, |above, &cell| above | (cell > self.side)) {
            return self.push_missing();
        }
        match self.side {
            ..=9 => self.text.extend(cells.iter().map(|&cell| if cell == 0 { b'.' } else { b'0' + cell })),
            _ => self.alphabet.write_to(cells, &mut self.text),
        }
        self.offsets.push(self.text.len() as i32);
        self.has_text.push(true);
    }

    fn push_missing(&mut self) {
        self.offsets.push(self.text.len() as i32);
        self.has_text.push(false);
    }

    fn finish(self) -> PyResult<ArrayRef> {
        let nulls = self.has_text.contains(&false).then(|| NullBuffer::from(self.has_text));
        let texts = StringArray::try_new(OffsetBuffer::new(self.offsets.into()), self.text.into(), nulls);
        Ok(Arc::new(texts.map_err(wrong)?))
    }
}

/// Returns a piece of a column as it was given, or as texts where it has lists of cells. A malformed list has no text.
fn as_texts(py: Python<'_>, chunk: &TextChunk, rows: &Rows) -> PyResult<Vec<ArrayRef>> {
    if !chunk.array.data_type().is_list() {
        return Ok(vec![Arc::clone(&chunk.array)]);
    }
    let mut made = Vec::new();
    for start in (0..chunk.len().max(1)).step_by(PIECE) {
        py.check_signals()?;
        let mut texts = CellTexts::new(rows);
        for record in start..chunk.len().min(start + PIECE) {
            match chunk.get(record) {
                Given::Cells(cells) if cells.len() == rows.shape.cells() => texts.push(cells),
                _ => texts.push_missing(),
            }
        }
        made.push(texts.finish()?);
    }
    Ok(made)
}

/// Makes a column of an array of rows, piece by piece.
fn pieces(
    rows: &Bound<'_, PyArray2<u8>>,
    missing: Missing<'_>,
    mut make: impl FnMut(&[u8], usize, Option<&[bool]>) -> PyResult<ArrayRef>,
) -> PyResult<Column> {
    let readable = rows.readonly();
    let width = readable.as_array().ncols();
    let missing = missing.as_ref().map(PyArrayMethods::readonly);
    let missing = missing.as_ref().map(|missing| missing.as_slice()).transpose()?;
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

fn primitive<T: ArrowPrimitiveType>(
    numbers: &Bound<'_, PyArray1<T::Native>>,
    missing: Missing<'_>,
) -> PyResult<ArrayRef>
where
    T::Native: Element,
{
    let values = numbers.readonly().as_slice()?.to_vec();
    let missing = missing.as_ref().map(PyArrayMethods::readonly);
    let nulls = missing.as_ref().map(|missing| missing.as_slice()).transpose()?;
    Ok(Arc::new(PrimitiveArray::<T>::new(values.into(), nulls.map(valid))))
}

/// Returns which values are there, from which are missing.
fn valid(missing: &[bool]) -> NullBuffer {
    missing.iter().map(|missing| !missing).collect()
}

fn wrong(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
