//! Columns of results as Arrow has them.

use std::sync::Arc;

use arrow_array::builder::FixedSizeBinaryBuilder;
use arrow_array::types::{Float64Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, ArrowPrimitiveType, DictionaryArray, Int8Array, PrimitiveArray, StringArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use gridmill_data::text::Alphabet;
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::rows::text::TextChunk;
use crate::rows::{Given, Rows, Source};

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
            let mut values = FixedSizeBinaryBuilder::with_capacity(bytes.len() / width, width as i32);
            for (record, value) in bytes.chunks_exact(width).enumerate() {
                if nulls.is_some_and(|nulls| nulls[record]) {
                    values.append_null();
                } else {
                    values.append_value(value).map_err(|error| PyValueError::new_err(error.to_string()))?;
                }
            }
            Ok(Arc::new(values.finish()))
        })
    }

    /// Returns categories: places among names, -1 for those that are missing.
    #[staticmethod]
    fn of_codes(codes: &Bound<'_, PyArray1<i8>>, names: Vec<String>) -> PyResult<Column> {
        let codes = codes.readonly();
        let keys: Int8Array = codes.as_slice()?.iter().map(|&code| (code >= 0).then_some(code)).collect();
        let names = Arc::new(StringArray::from(names));
        let column = DictionaryArray::try_new(keys, names)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Column(vec![Arc::new(column)]))
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
            let texts = TextChunk::of("puzzles", Arc::clone(piece))?;
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
        Ok(Arc::new(texts.map_err(|error| PyValueError::new_err(error.to_string()))?))
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
    let nulls = nulls.map(|missing| missing.iter().map(|missing| !missing).collect::<NullBuffer>());
    Ok(Arc::new(PrimitiveArray::<T>::new(values.into(), nulls)))
}
