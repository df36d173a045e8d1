//! The records of a call, as Python gave them: cells of an array, or texts.

mod cells;
pub(crate) mod text;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use arrow_array::builder::LargeStringBuilder;
use gridmill_core::Shape;
use gridmill_data::text::Alphabet;
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyString};

use crate::arrow::import;
use crate::kind::{GivenShape, alphabet_of_cells};
use text::TextChunk;

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
    fn of_array(array: Bound<'_, PyArray2<u8>>, shape: Option<GivenShape>) -> PyResult<Rows> {
        let shape = GivenShape::read(shape.as_ref())?;
        Ok(Rows::new(shape, Source::Array(array.unbind())))
    }

    /// Takes a list of texts; None and NaN are missing ones.
    #[staticmethod]
    fn of_list(name: &str, list: &Bound<'_, PyAny>, shape: Option<GivenShape>) -> PyResult<Rows> {
        let shape = GivenShape::read(shape.as_ref())?;
        Ok(Rows::new(shape, Source::Column(vec![texts(name, list)?])))
    }

    /// Takes lists of cells one behind the other, the length of each, and which of them are none.
    #[staticmethod]
    fn of_lists(
        name: &str,
        cells: PyReadonlyArray1<'_, u8>,
        lengths: PyReadonlyArray1<'_, i64>,
        missing: PyReadonlyArray1<'_, bool>,
        shape: Option<GivenShape>,
    ) -> PyResult<Rows> {
        let shape = GivenShape::read(shape.as_ref())?;
        let lengths = lengths.as_slice()?.iter().map(|&length| length as usize);
        let lists = cells::lists(cells.as_slice()?.to_vec(), lengths, missing.as_slice()?);
        Ok(Rows::new(shape, Source::Column(vec![TextChunk::of(name, lists)?])))
    }

    /// Takes a column of an Arrow array or stream, without a copy.
    #[staticmethod]
    fn of_arrow(name: &str, column: &Bound<'_, PyAny>, shape: Option<GivenShape>) -> PyResult<Rows> {
        let shape = GivenShape::read(shape.as_ref())?;
        let chunks = import::chunks(column)?;
        let chunks = chunks.into_iter().map(|chunk| TextChunk::of(name, chunk));
        Ok(Rows::new(shape, Source::Column(chunks.collect::<PyResult<_>>()?)))
    }

    /// Returns the rows and columns of a box.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.shape.box_rows(), self.shape.box_columns())
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.borrow(py).view().len()
    }
}

impl Rows {
    fn new((shape, given_alphabet): (Shape, Option<Alphabet>), source: Source) -> Rows {
        Rows { shape, source, given_alphabet, alphabet: OnceLock::new() }
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

    /// Returns the records, for as long as they are in use.
    pub(crate) fn borrow<'py>(&self, py: Python<'py>) -> Borrowed<'_, 'py> {
        match &self.source {
            Source::Array(array) => Borrowed::Array(array.bind(py).readonly(), self.shape.cells()),
            Source::Column(chunks) => Borrowed::Column(chunks),
        }
    }
}

/// Records in use.
pub(crate) enum Borrowed<'a, 'py> {
    Array(PyReadonlyArray2<'py, u8>, usize),
    Column(&'a [TextChunk]),
}

impl Borrowed<'_, '_> {
    /// Returns the records as all threads may read them.
    pub(crate) fn view(&self) -> View<'_> {
        match self {
            Borrowed::Array(array, width) => View::Cells {
                cells: array.as_slice().expect("the package makes arrays contiguous"),
                width: *width,
            },
            Borrowed::Column(chunks) => View::Column(chunks),
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
fn texts(name: &str, list: &Bound<'_, PyAny>) -> PyResult<TextChunk> {
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
