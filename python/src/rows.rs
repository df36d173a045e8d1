//! The records of a call, as Python gave them: cells of an array, or a column of Arrow, of texts or of lists of cells.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use arrow_array::builder::LargeStringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    BinaryType, BinaryViewType, ByteArrayType, ByteViewType, LargeBinaryType, LargeUtf8Type, StringViewType,
    UInt8Type, Utf8Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, FixedSizeBinaryArray, GenericByteArray, GenericByteViewArray,
    LargeListArray, LargeStringArray, PrimitiveArray, UInt8Array, downcast_integer_array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field};
use gridmill_core::Shape;
use gridmill_data::text::Alphabet;
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyString};

use crate::arrow::import;
use crate::kind::{GivenShape, alphabet_of_cells};

/// One record, as it was given.
#[derive(Clone, Copy)]
pub(crate) enum Given<'a> {
    /// Cells in reading order, as many as the shape has; 0 for a blank.
    Cells(&'a [u8]),
    /// A text.
    Text(&'a [u8]),
    /// None, NaN, or null.
    Missing,
}

/// Puzzles of one size: what Python calls an array or a column.
#[pyclass(frozen, module = "gridmill._gridmill")]
pub(crate) struct Rows {
    /// The argument of Python that has them.
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) source: Source,
    /// The alphabet in which texts are written, where it is said.
    pub(crate) given_alphabet: Option<Alphabet>,
    /// The alphabet in which texts are written, once some have been read.
    alphabet: OnceLock<Arc<Alphabet>>,
}

/// The place of the records.
pub(crate) enum Source {
    /// An array of a row for each puzzle.
    Array(Py<PyArray2<u8>>),
    /// Texts, or lists of cells, in pieces.
    Column(Vec<TextChunk>),
}

#[pymethods]
impl Rows {
    /// Takes an array of uint8 with a row of cells for each puzzle, without a copy.
    #[staticmethod]
    fn of_array(name: String, array: Bound<'_, PyArray2<u8>>, shape: Option<GivenShape>) -> PyResult<Rows> {
        Rows::new(name, shape, |_| Ok(Source::Array(array.unbind())))
    }

    /// Takes a list of texts; None and NaN are missing ones.
    #[staticmethod]
    fn of_list(name: String, list: &Bound<'_, PyAny>, shape: Option<GivenShape>) -> PyResult<Rows> {
        Rows::new(name, shape, |name| Ok(Source::Column(vec![copied(name, list)?])))
    }

    /// Takes lists of cells one behind the other, the length of each, and which of them are none.
    #[staticmethod]
    fn of_lists(
        name: String,
        cells: PyReadonlyArray1<'_, u8>,
        lengths: PyReadonlyArray1<'_, i64>,
        missing: PyReadonlyArray1<'_, bool>,
        shape: Option<GivenShape>,
    ) -> PyResult<Rows> {
        let lengths = lengths.as_slice()?.iter().map(|&length| length as usize);
        let lists = lists(cells.as_slice()?.to_vec(), lengths, missing.as_slice()?);
        Rows::new(name, shape, |name| Ok(Source::Column(vec![TextChunk::new(name, lists)?])))
    }

    /// Takes a column of an Arrow array or stream, without a copy.
    #[staticmethod]
    fn of_arrow(name: String, column: &Bound<'_, PyAny>, shape: Option<GivenShape>) -> PyResult<Rows> {
        Rows::new(name, shape, |name| {
            let chunks = import::chunks(column)?.into_iter().map(|chunk| TextChunk::new(name, chunk));
            Ok(Source::Column(chunks.collect::<PyResult<_>>()?))
        })
    }

    /// Returns the rows and columns of a box.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.shape.box_rows(), self.shape.box_columns())
    }

    #[pyo3(name = "__len__")]
    pub(crate) fn len(&self, py: Python<'_>) -> usize {
        self.view(self.borrow(py).as_ref()).len()
    }
}

impl Rows {
    fn new(
        name: String,
        shape: Option<GivenShape>,
        source: impl FnOnce(&str) -> PyResult<Source>,
    ) -> PyResult<Rows> {
        let (shape, given_alphabet) = GivenShape::read(shape.as_ref())?;
        let source = source(&name)?;
        Ok(Rows { name, shape, source, given_alphabet, alphabet: OnceLock::new() })
    }

    /// Takes note of the alphabet in which texts are written.
    pub(crate) fn learn(&self, alphabet: &Arc<Alphabet>) {
        self.alphabet.get_or_init(|| Arc::clone(alphabet));
    }

    /// Returns the alphabet in which cells beside these puzzles are written.
    pub(crate) fn alphabet(&self) -> Arc<Alphabet> {
        let given = || self.given_alphabet.clone().map_or_else(|| alphabet_of_cells(self.shape), Arc::new);
        self.alphabet.get().map_or_else(given, Arc::clone)
    }

    /// Keeps an array from being changed for as long as its records are in use.
    pub(crate) fn borrow<'py>(&self, py: Python<'py>) -> Option<PyReadonlyArray2<'py, u8>> {
        match &self.source {
            Source::Array(array) => Some(array.bind(py).readonly()),
            Source::Column(_) => None,
        }
    }

    /// Returns the records as all threads may read them.
    pub(crate) fn view<'a>(&'a self, array: Option<&'a PyReadonlyArray2<'_, u8>>) -> View<'a> {
        match (&self.source, array) {
            (Source::Column(chunks), _) => View::Column(chunks),
            (Source::Array(_), array) => {
                let cells = array.and_then(|array| array.as_slice().ok());
                let cells = cells.expect("it was borrowed, and the package makes arrays contiguous");
                View::Cells { cells, width: self.shape.cells() }
            }
        }
    }
}

/// Records that all threads may read.
#[derive(Clone, Copy)]
pub(crate) enum View<'a> {
    Cells { cells: &'a [u8], width: usize },
    Column(&'a [TextChunk]),
}

impl<'a> View<'a> {
    pub(crate) fn len(self) -> usize {
        match self {
            View::Cells { cells, width } => cells.len() / width,
            View::Column(chunks) => chunks.iter().map(TextChunk::len).sum(),
        }
    }

    /// Hands out some records in order.
    pub(crate) fn for_each(self, range: Range<usize>, mut take: impl FnMut(Given<'a>)) {
        match self {
            View::Cells { cells, width } => {
                let cells = &cells[range.start * width..range.end * width];
                cells.chunks_exact(width).for_each(|cells| take(Given::Cells(cells)));
            }
            View::Column(chunks) => {
                let mut start = 0;
                for chunk in chunks {
                    let end = start + chunk.len();
                    for record in range.start.max(start)..range.end.min(end) {
                        take(chunk.get(record - start));
                    }
                    start = end;
                }
            }
        }
    }
}

/// Characters of the usual puzzle.
const USUAL: usize = 81;

/// The number of records after which signals are looked for.
const RECORDS_A_LOOK: usize = 1 << 14;

/// Copies the texts of a list, or of another sequence.
fn copied(name: &str, list: &Bound<'_, PyAny>) -> PyResult<TextChunk> {
    let records = list.len()?;
    let mut texts = LargeStringBuilder::with_capacity(records, USUAL * records);
    for (record, item) in list.try_iter()?.enumerate() {
        let item = item?;
        if record % RECORDS_A_LOOK == 0 {
            list.py().check_signals()?;
        }
        if let Ok(text) = item.cast::<PyString>() {
            // A half of a surrogate pair becomes a character that is no cell.
            texts.append_value(text.to_string_lossy());
        } else if let Ok(text) = item.cast::<PyBytes>() {
            // Another byte than ASCII becomes a character that is no cell.
            texts.append_value(String::from_utf8_lossy(text.as_bytes()));
        } else if is_missing(&item)? {
            texts.append_null();
        } else {
            let found = item.get_type().name()?;
            return Err(PyTypeError::new_err(format!("{name}[{record}]: expected a str, found {found}")));
        }
    }
    Ok(TextChunk::of_texts(Arc::new(texts.finish())))
}

/// Returns whether an item stands for none: None, NaN, or the NA of pandas.
fn is_missing(item: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_nan = || item.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan());
    Ok(item.is_none() || is_nan() || item.get_type().name()? == "NAType")
}

/// A piece of a column.
pub(crate) struct TextChunk {
    /// The column as it was given, to be handed out again.
    pub(crate) array: ArrayRef,
    texts: Box<dyn Texts>,
}

/// Records by their place.
trait Texts: Send + Sync {
    /// Returns a record.
    fn get(&self, record: usize) -> Given<'_>;
}

impl TextChunk {
    /// Takes an array of one of the types of texts, or of lists of cells.
    pub(crate) fn new(name: &str, array: ArrayRef) -> PyResult<TextChunk> {
        let texts = texts(name, &array)?;
        Ok(TextChunk { array, texts })
    }

    /// Takes an array of texts.
    fn of_texts(array: Arc<LargeStringArray>) -> TextChunk {
        TextChunk { array: array.clone(), texts: Box::new(LargeStringArray::clone(&array)) }
    }

    pub(crate) fn len(&self) -> usize {
        self.array.len()
    }

    /// Returns a record.
    pub(crate) fn get(&self, record: usize) -> Given<'_> {
        self.texts.get(record)
    }
}

fn texts(name: &str, array: &ArrayRef) -> PyResult<Box<dyn Texts>> {
    Ok(match array.data_type() {
        DataType::Utf8 => Box::new(array.as_bytes::<Utf8Type>().clone()),
        DataType::LargeUtf8 => Box::new(array.as_bytes::<LargeUtf8Type>().clone()),
        DataType::Utf8View => Box::new(array.as_byte_view::<StringViewType>().clone()),
        DataType::Binary => Box::new(array.as_bytes::<BinaryType>().clone()),
        DataType::LargeBinary => Box::new(array.as_bytes::<LargeBinaryType>().clone()),
        DataType::BinaryView => Box::new(array.as_byte_view::<BinaryViewType>().clone()),
        DataType::FixedSizeBinary(_) => Box::new(array.as_fixed_size_binary().clone()),
        DataType::Dictionary(_, _) => Box::new(Dictionary::new(name, array)?),
        DataType::Null => Box::new(Nothing),
        DataType::FixedSizeList(_, _) | DataType::List(_) | DataType::LargeList(_) => {
            Box::new(CellLists::new(name, array)?)
        }
        DataType::Struct(_) => {
            return Err(PyTypeError::new_err(format!(
                "{name}: expected the column of the puzzles, such as table[\"puzzle\"], found a whole table"
            )));
        }
        other => {
            return Err(PyTypeError::new_err(format!(
                "{name}: expected a column of strings or of lists of integers, found {other}"
            )));
        }
    })
}

impl<T: ByteArrayType> Texts for GenericByteArray<T>
where
    T::Native: AsRef<[u8]>,
{
    fn get(&self, record: usize) -> Given<'_> {
        if self.is_null(record) { Given::Missing } else { Given::Text(self.value(record).as_ref()) }
    }
}

impl<T: ByteViewType> Texts for GenericByteViewArray<T>
where
    T::Native: AsRef<[u8]>,
{
    fn get(&self, record: usize) -> Given<'_> {
        if self.is_null(record) { Given::Missing } else { Given::Text(self.value(record).as_ref()) }
    }
}

impl Texts for FixedSizeBinaryArray {
    fn get(&self, record: usize) -> Given<'_> {
        if self.is_null(record) { Given::Missing } else { Given::Text(self.value(record)) }
    }
}

/// Texts of which each is kept once.
struct Dictionary {
    keys: Vec<usize>,
    values: Box<dyn Texts>,
    array: ArrayRef,
}

impl Dictionary {
    fn new(name: &str, array: &ArrayRef) -> PyResult<Dictionary> {
        let dictionary = array.as_any_dictionary();
        // An empty one has nulls alone, and no value for a key.
        let values = dictionary.values();
        let keys = if values.is_empty() { Vec::new() } else { dictionary.normalized_keys() };
        Ok(Dictionary { keys, values: texts(name, values)?, array: Arc::clone(array) })
    }
}

impl Texts for Dictionary {
    fn get(&self, record: usize) -> Given<'_> {
        match self.keys.get(record) {
            Some(&key) if self.array.is_valid(record) => self.values.get(key),
            _ => Given::Missing,
        }
    }
}

/// Nulls alone.
struct Nothing;

impl Texts for Nothing {
    fn get(&self, _: usize) -> Given<'_> {
        Given::Missing
    }
}

/// Lists of cells, in one type.
struct CellLists {
    cells: ScalarBuffer<u8>,
    /// The place where each list begins, and that where the last one ends.
    starts: Vec<usize>,
    nulls: Option<NullBuffer>,
}

/// A number that is no cell of any shape.
const NO_CELL: u8 = u8::MAX;

impl CellLists {
    /// Takes the lists of an array, bytes without a copy. What is no cell of any puzzle becomes 255.
    fn new(name: &str, array: &ArrayRef) -> PyResult<CellLists> {
        let (values, starts): (&ArrayRef, Vec<usize>) = match array.data_type() {
            DataType::FixedSizeList(_, width) => {
                let starts = (0..=array.len()).map(|record| record * *width as usize);
                (array.as_fixed_size_list().values(), starts.collect())
            }
            DataType::List(_) => {
                let list = array.as_list::<i32>();
                (list.values(), list.offsets().iter().map(|&start| start as usize).collect())
            }
            _ => {
                let list = array.as_list::<i64>();
                (list.values(), list.offsets().iter().map(|&start| start as usize).collect())
            }
        };
        let cells = match values.data_type() {
            DataType::UInt8 if values.null_count() == 0 => {
                values.as_primitive::<UInt8Type>().values().clone()
            }
            _ => downcast_integer_array!(
                values => narrowed(values),
                other => return Err(PyTypeError::new_err(format!(
                    "{name}: expected lists of integers, one for each cell, found lists of {other}"
                )))
            ),
        };
        Ok(CellLists { cells, starts, nulls: array.nulls().cloned() })
    }
}

/// Returns integers as bytes.
fn narrowed<T: ArrowPrimitiveType<Native: TryInto<u8>>>(values: &PrimitiveArray<T>) -> ScalarBuffer<u8> {
    values.iter().map(|cell| cell.and_then(|cell| cell.try_into().ok()).unwrap_or(NO_CELL)).collect()
}

/// Returns lists of cells as a column of Arrow, of their cells one behind the other and the length of each.
fn lists(cells: Vec<u8>, lengths: impl IntoIterator<Item = usize>, missing: &[bool]) -> ArrayRef {
    let field = Arc::new(Field::new_list_field(DataType::UInt8, false));
    let nulls = missing.iter().map(|missing| !missing).collect::<NullBuffer>();
    let offsets = OffsetBuffer::from_lengths(lengths);
    Arc::new(LargeListArray::new(field, offsets, Arc::new(UInt8Array::from(cells)), Some(nulls)))
}

impl Texts for CellLists {
    fn get(&self, record: usize) -> Given<'_> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(record)) {
            return Given::Missing;
        }
        Given::Cells(&self.cells[self.starts[record]..self.starts[record + 1]])
    }
}
