//! The records of a call in the form in which Python gave them: cells of an array, or an Arrow column of texts or of
//! lists of cells. It also reads the `shape` argument.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

use arrow_array::cast::AsArray;
use arrow_array::types::UInt8Type;
use arrow_array::{
    Array, ArrayAccessor, ArrayRef, ArrowPrimitiveType, LargeListArray, PrimitiveArray, StringArray,
    UInt8Array, downcast_integer_array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field};
use gridmill_core::Shape;
use gridmill_data::GridPuzzle;
use gridmill_data::text::{
    Alphabet, FormatChoice, FormatError, FormatOptions, HEAD_BYTES, Layout, PuzzleReader, PuzzleText,
};
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::call::{PROBES, RecordParser};
use crate::{import, lists};

/// A record as it was given.
#[derive(Clone, Copy)]
pub(crate) enum GivenRecord<'a> {
    /// Cells in reading order, as many as the shape has. A blank is 0.
    Cells(&'a [u8]),
    Text(&'a [u8]),
    /// None, NaN, or null.
    Missing,
}

/// The records of an argument, e.g. `puzzles`: puzzles, solutions or grids of one size, from an array, a list or a column.
#[pyclass(frozen, module = "gridmill._gridmill")]
pub(crate) struct GivenRecords {
    /// The name of the argument that has them, for messages (e.g. "puzzles").
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) source: Source,
    /// The reasons why items of a list are malformed, by record.
    pub(crate) faults: HashMap<usize, String>,
    /// The alphabet of the texts, if the user gave one.
    pub(crate) given_alphabet: Option<Alphabet>,
    /// The alphabet of the texts, once a call has detected it.
    pub(crate) alphabet: OnceLock<Arc<Alphabet>>,
    /// For answers: the alphabet of their puzzles. It is used if the texts leave open which letters are digits.
    pub(crate) alphabet_of_puzzles: OnceLock<Arc<Alphabet>>,
}

/// The data of the records.
pub(crate) enum Source {
    /// An array with a row of cells for each puzzle.
    Array(Py<PyArray2<u8>>),
    /// Texts or lists of cells, in pieces that [`for_each`] can read. There is at least one piece.
    Column(Vec<ArrayRef>),
}

#[pymethods]
impl GivenRecords {
    /// Takes puzzles in one of the forms that the package prepares. Arrays of uint8 and Arrow columns of texts are not
    /// copied.
    #[new]
    fn new(
        name: String,
        form: &str,
        puzzles: &Bound<'_, PyAny>,
        shape: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<GivenRecords> {
        let (shape, given_alphabet) = read_shape(shape)?;
        let mut faults = HashMap::new();
        let source = match form {
            "array" => Source::Array(puzzles.cast()?.clone().unbind()),
            "list" | "answers" => {
                let listed = match form {
                    "list" => lists::read(&name, puzzles.cast()?, shape)?,
                    _ => lists::read_answers(puzzles.cast()?, shape)?,
                };
                faults = listed.faults;
                Source::Column(vec![listed.column])
            }
            _ => {
                let pieces = import::chunks(puzzles)?;
                let none: ArrayRef = Arc::new(StringArray::new_null(0));
                let pieces = if pieces.is_empty() { vec![none] } else { pieces };
                let pieces = pieces.iter().map(|piece| readable(&name, piece));
                Source::Column(pieces.collect::<PyResult<_>>()?)
            }
        };
        let (alphabet, alphabet_of_puzzles) = (OnceLock::new(), OnceLock::new());
        Ok(GivenRecords { name, shape, source, faults, given_alphabet, alphabet, alphabet_of_puzzles })
    }

    /// The rows and columns of a box, e.g. (3, 3) for 9x9.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.shape.box_rows(), self.shape.box_columns())
    }

    /// Says of which puzzles these records are the answers.
    fn set_puzzles(&self, py: Python<'_>, puzzles: &GivenRecords) {
        if self.given_alphabet.is_none() && puzzles.shape != Shape::CLASSIC {
            let array = puzzles.borrow(py);
            // An error is that of the puzzles, and is raised when they are read.
            let _ = RecordParser::<GridPuzzle>::new(puzzles, puzzles.view(array.as_ref()), true);
            self.alphabet_of_puzzles.get_or_init(|| puzzles.alphabet());
        }
    }

    /// The shape of each puzzle in a column of texts of any size (e.g. `"2x3"`), or `None` if the text is no puzzle.
    fn shapes(&self) -> PyResult<Vec<Option<String>>> {
        let Source::Column(pieces) = &self.source else { return Ok(Vec::new()) };
        let view = View::Column(pieces);
        let options = FormatOptions { format: FormatChoice::Line, mixed: true, ..Default::default() };
        let layout =
            options.layout(&head(view), false).map_err(|error| PyValueError::new_err(error.to_string()));
        let reader = GridPuzzle::reader(&layout?.expect("there is no more text"));
        let mut shapes = Vec::new();
        view.for_each(0..view.len(), |given| {
            let GivenRecord::Text(text) = given else { return shapes.push(None) };
            shapes.push(reader.read(text).ok().map(|found| found.puzzle.grid.shape().to_string()));
        });
        Ok(shapes)
    }

    #[pyo3(name = "__len__")]
    pub(crate) fn len(&self, py: Python<'_>) -> usize {
        self.view(self.borrow(py).as_ref()).len()
    }
}

impl GivenRecords {
    /// Whether the first text is a grid of candidates (pencilmarks in a line).
    pub(crate) fn has_candidates(&self, py: Python<'_>) -> bool {
        let mut first = None;
        let array = self.borrow(py);
        let view = self.view(array.as_ref());
        view.for_each(0..view.len().min(PROBES), |given| match given {
            GivenRecord::Text(text) if first.is_none() => {
                let layout = FormatOptions::default().layout(text, false);
                first = Some(layout.is_ok_and(|layout| layout.is_some_and(|layout| layout.is_pencilmarks())));
            }
            _ => {}
        });
        first == Some(true)
    }

    /// The alphabet in which results for these puzzles are written, e.g. their solutions.
    pub(crate) fn alphabet(&self) -> Arc<Alphabet> {
        static CLASSIC: LazyLock<Arc<Alphabet>> = LazyLock::new(|| Arc::new(Alphabet::digits(9)));
        let usual = || usual_alphabet(self.shape).unwrap_or_else(|| Alphabet::digits(self.shape.side()));
        match (self.alphabet.get(), &self.given_alphabet) {
            (Some(alphabet), _) => Arc::clone(alphabet),
            (None, Some(alphabet)) => Arc::new(alphabet.clone()),
            (None, None) if self.shape == Shape::CLASSIC => Arc::clone(&CLASSIC),
            (None, None) => Arc::new(usual()),
        }
    }

    /// Borrows the array, so that Python code can't change it while its records are in use.
    pub(crate) fn borrow<'py>(&self, py: Python<'py>) -> Option<PyReadonlyArray2<'py, u8>> {
        match &self.source {
            Source::Array(array) => Some(array.bind(py).readonly()),
            Source::Column(_) => None,
        }
    }

    /// The records in a form that all threads can read.
    pub(crate) fn view<'a>(&'a self, array: Option<&'a PyReadonlyArray2<'_, u8>>) -> View<'a> {
        match (&self.source, array) {
            (Source::Column(pieces), _) => View::Column(pieces),
            (Source::Array(_), array) => {
                let cells = array.and_then(|array| array.as_slice().ok());
                let cells = cells.expect("it was borrowed, and the package makes arrays contiguous");
                View::Cells { cells, width: self.shape.cells() }
            }
        }
    }
}

/// Records that all threads can read.
#[derive(Clone, Copy)]
pub(crate) enum View<'a> {
    Cells { cells: &'a [u8], width: usize },
    Column(&'a [ArrayRef]),
}

impl<'a> View<'a> {
    pub(crate) fn len(self) -> usize {
        match self {
            View::Cells { cells, width } => cells.len() / width,
            View::Column(pieces) => pieces.iter().map(Array::len).sum(),
        }
    }

    /// Calls `take` for some records, in order.
    pub(crate) fn for_each(self, range: Range<usize>, mut take: impl FnMut(GivenRecord<'a>)) {
        match self {
            View::Cells { cells, width } => {
                let cells = &cells[range.start * width..range.end * width];
                cells.chunks_exact(width).for_each(|cells| take(GivenRecord::Cells(cells)));
            }
            View::Column(pieces) => {
                let mut start = 0;
                for piece in pieces {
                    let end = start + piece.len();
                    let (from, to) = (range.start.max(start), range.end.min(end));
                    if from < to {
                        for_each(piece, from - start..to - start, &mut take);
                    }
                    start = end;
                }
            }
        }
    }
}

/// Calls `take` for some records of a piece that [`readable`] returned.
pub(crate) fn for_each<'a>(
    piece: &'a dyn Array,
    records: Range<usize>,
    take: &mut dyn FnMut(GivenRecord<'a>),
) {
    match piece.data_type() {
        DataType::Utf8 => for_each_text(piece.as_string::<i32>(), records, take),
        DataType::LargeUtf8 => for_each_text(piece.as_string::<i64>(), records, take),
        DataType::Utf8View => for_each_text(piece.as_string_view(), records, take),
        DataType::Binary => for_each_text(piece.as_binary::<i32>(), records, take),
        DataType::LargeBinary => for_each_text(piece.as_binary::<i64>(), records, take),
        DataType::BinaryView => for_each_text(piece.as_binary_view(), records, take),
        DataType::FixedSizeBinary(_) => for_each_text(piece.as_fixed_size_binary(), records, take),
        DataType::LargeList(_) => {
            let lists = piece.as_list::<i64>();
            let (starts, cells) =
                (lists.value_offsets(), lists.values().as_primitive::<UInt8Type>().values());
            for record in records {
                let cells = || &cells[starts[record] as usize..starts[record + 1] as usize];
                take(if lists.is_null(record) { GivenRecord::Missing } else { GivenRecord::Cells(cells()) });
            }
        }
        // A dictionary stores each different text once (e.g. Categorical in Polars).
        DataType::Dictionary(_, _) if !piece.as_any_dictionary().values().is_empty() => {
            let values = piece.as_any_dictionary().values();
            let part = piece.slice(records.start, records.len());
            for (record, key) in part.as_any_dictionary().normalized_keys().into_iter().enumerate() {
                match part.is_null(record) {
                    true => take(GivenRecord::Missing),
                    false => for_each(values, key..key + 1, take),
                }
            }
        }
        // Only nulls.
        _ => records.for_each(|_| take(GivenRecord::Missing)),
    }
}

fn for_each_text<'a, T: AsRef<[u8]> + ?Sized + 'a>(
    texts: impl ArrayAccessor<Item = &'a T>,
    records: Range<usize>,
    take: &mut dyn FnMut(GivenRecord<'a>),
) {
    for record in records {
        let text = || GivenRecord::Text(texts.value(record).as_ref());
        take(if texts.is_null(record) { GivenRecord::Missing } else { text() });
    }
}

/// A piece of a column in the form that [`for_each`] reads: texts unchanged, and lists of cells as lists of bytes.
fn readable(name: &str, piece: &ArrayRef) -> PyResult<ArrayRef> {
    let wrong = match piece.data_type() {
        DataType::Null | DataType::FixedSizeBinary(_) => return Ok(Arc::clone(piece)),
        texts if texts.is_string() || texts.is_binary() => return Ok(Arc::clone(piece)),
        DataType::Dictionary(_, _) => {
            let dictionary = piece.as_any_dictionary();
            return Ok(dictionary.with_values(readable(name, dictionary.values())?));
        }
        DataType::FixedSizeList(_, _) | DataType::List(_) | DataType::LargeList(_) => {
            return cell_lists(name, piece);
        }
        DataType::Struct(_) => {
            "expected the column of the puzzles, such as table[\"puzzle\"], found a whole table".to_owned()
        }
        other => {
            let advice = if other.is_numeric() && !piece.is_empty() { lists::NUMBERS_ADVICE } else { "" };
            format!("expected a column of strings or of lists of integers, found {other}{advice}")
        }
    };
    Err(PyTypeError::new_err(format!("{name}: {wrong}")))
}

/// Lists of cells, or of rows of cells, as lists of bytes. They are not copied if they already are bytes. A null cell is
/// blank, as in JSON Lines. Numbers that can't be a cell become 255, so that their records are malformed.
fn cell_lists(name: &str, lists: &ArrayRef) -> PyResult<ArrayRef> {
    let (mut offsets, mut values) = parts_of_lists(lists);
    let mut nulls = lists.nulls().cloned();
    while matches!(
        values.data_type(),
        DataType::FixedSizeList(..) | DataType::List(_) | DataType::LargeList(_)
    ) {
        if values.null_count() > 0 {
            // If a row is null, so is its puzzle.
            let has_all = |rows: &[i64]| (rows[0]..rows[1]).all(|row| values.is_valid(row as usize));
            let are_whole: NullBuffer = offsets.windows(2).map(has_all).collect();
            nulls = NullBuffer::union(nulls.as_ref(), Some(&are_whole));
        }
        let (row_offsets, cells) = parts_of_lists(&values);
        offsets = OffsetBuffer::new(offsets.iter().map(|&row| row_offsets[row as usize]).collect());
        values = cells;
    }
    let values = &values;
    let cells = match values.data_type() {
        DataType::UInt8 if values.null_count() == 0 => Arc::clone(values),
        _ => downcast_integer_array!(
            values => Arc::new(narrowed(values)),
            other => return Err(PyTypeError::new_err(format!(
                "{name}: expected lists of integers, one for each cell, found lists of {other}"
            )))
        ),
    };
    let field = Arc::new(Field::new_list_field(DataType::UInt8, false));
    Ok(Arc::new(LargeListArray::new(field, offsets, cells, nulls)))
}

/// The offsets of lists, and their values.
fn parts_of_lists(lists: &ArrayRef) -> (OffsetBuffer<i64>, ArrayRef) {
    match lists.data_type() {
        DataType::FixedSizeList(_, width) => {
            let offsets = OffsetBuffer::from_repeated_length(*width as usize, lists.len());
            (offsets, Arc::clone(lists.as_fixed_size_list().values()))
        }
        DataType::List(_) => {
            let lists = lists.as_list::<i32>();
            let offsets = lists.offsets().iter().map(|&start| i64::from(start)).collect();
            (OffsetBuffer::new(offsets), Arc::clone(lists.values()))
        }
        _ => {
            let lists = lists.as_list::<i64>();
            (lists.offsets().clone(), Arc::clone(lists.values()))
        }
    }
}

/// A number that is not a cell in any shape.
pub(crate) const NO_CELL: u8 = u8::MAX;

/// Integers as bytes.
fn narrowed<T: ArrowPrimitiveType<Native: TryInto<u8>>>(values: &PrimitiveArray<T>) -> UInt8Array {
    let narrow = |cell: T::Native| cell.try_into().unwrap_or(NO_CELL);
    UInt8Array::from_iter_values(values.iter().map(|cell| cell.map_or(0, narrow)))
}

/// The reader for the texts of some records. For 9x9 it reads the digits 1 to 9. For other sizes it learns from the
/// first texts which characters are digits, unless the user gave an alphabet. If the texts leave it open, answers are read
/// in the alphabet of their puzzles. If no usual alphabet fits any text, all are malformed, which is an error unless
/// `keep` is true.
pub(crate) fn reader_for<P: PuzzleText>(
    view: View<'_>,
    records: &GivenRecords,
    keep: bool,
) -> PyResult<P::Reader> {
    let (shape, alphabet) = (records.shape, records.given_alphabet.as_ref());
    // It is made once, because making it would take as long as a call with one puzzle.
    static CLASSIC: LazyLock<Layout> = LazyLock::new(|| {
        layout(&[], Shape::CLASSIC, Vec::new()).expect("there is one way to write the digits from 1 to 9")
    });
    if alphabet.is_none() && shape == Shape::CLASSIC {
        return Ok(P::reader(&CLASSIC));
    }
    let head = if alphabet.is_some() { Vec::new() } else { head(view) };
    let usual = || usual_alphabet(shape).filter(|_| head.is_empty());
    let alphabets = alphabet.cloned().or_else(usual).into_iter().collect();
    let found = layout(&head, shape, alphabets).or_else(|error| {
        let FormatError::NoAlphabet { fit, .. } = error else { return Err(error) };
        let of_puzzles = records.alphabet_of_puzzles.get().map(|alphabet| Alphabet::clone(alphabet));
        let none_fits = || (keep && !fit).then(|| Alphabet::clone(&records.alphabet()));
        layout(&[], shape, vec![of_puzzles.or_else(none_fits).ok_or(error)?])
    });
    let found = found.map_err(|error| {
        let advice = match &error {
            FormatError::NoAlphabet { alphabets, .. } if !alphabets.is_empty() => {
                format!("; say which after the shape of the boxes, e.g. shape=\"{shape} {}\"", alphabets[0])
            }
            _ => String::new(),
        };
        PyValueError::new_err(format!("{error}{advice}"))
    })?;
    Ok(P::reader(&found))
}

/// The layout of texts that begin like `head`, with one puzzle per line.
fn layout(head: &[u8], shape: Shape, alphabets: Vec<Alphabet>) -> Result<Layout, FormatError> {
    let options =
        FormatOptions { format: FormatChoice::Line, shape: Some(shape), alphabets, ..Default::default() };
    Ok(options.layout(head, false)?.expect("there is no more text"))
}

/// The first texts, one per line.
fn head(view: View<'_>) -> Vec<u8> {
    let mut head = Vec::new();
    // A line has at least one byte, so more records than bytes are never needed.
    view.for_each(0..view.len().min(HEAD_BYTES), |given| match given {
        GivenRecord::Text(text) if head.len() <= HEAD_BYTES => {
            head.extend_from_slice(text);
            head.push(b'\n');
        }
        _ => {}
    });
    head
}

/// The usual alphabet of sides above 9, where digits are followed by letters. It is used if no text shows another.
fn usual_alphabet(shape: Shape) -> Option<Alphabet> {
    (shape.side() > 9).then(|| Alphabet::conventions(shape.side()).swap_remove(0))
}

/// Reads a `shape` argument: `"2x3"`, `(2, 3)`, or with an alphabet `"4x4 1-9A-G"`. `None` means 9x9.
pub(crate) fn read_shape(given: Option<&Bound<'_, PyAny>>) -> PyResult<(Shape, Option<Alphabet>)> {
    let Some(given) = given else { return Ok((Shape::CLASSIC, None)) };
    if let Ok(text) = given.extract::<String>() {
        return of_text(&text);
    }
    let sides = given.extract::<(usize, usize)>().ok();
    match sides.and_then(|(rows, columns)| Shape::new(rows, columns)) {
        Some(shape) => Ok((shape, None)),
        None => Err(no_shape(&given.repr()?.to_string())),
    }
}

/// Reads a shape, perhaps followed by an alphabet.
fn of_text(text: &str) -> PyResult<(Shape, Option<Alphabet>)> {
    let (size, digits) = text.split_once(' ').map_or((text, None), |(size, digits)| (size, Some(digits)));
    let shape: Shape = size.parse().map_err(|_| no_shape(&format!("{text:?}")))?;
    let Some(digits) = digits else { return Ok((shape, None)) };
    let wrong = |why: String| PyValueError::new_err(format!("shape={text:?}: {why}"));
    let alphabet: Alphabet = digits.trim().parse().map_err(wrong)?;
    if alphabet.side() != shape.side() {
        return Err(wrong(format!("expected {} digits, found {}", shape.side(), alphabet.side())));
    }
    Ok((shape, Some(alphabet)))
}

/// The exception for an invalid shape.
fn no_shape(given: &str) -> PyErr {
    PyValueError::new_err(format!(
        "shape={given}: expected the rows and columns of a box, such as \"2x3\" for 6x6 puzzles, up to 25x25"
    ))
}
