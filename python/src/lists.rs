//! Lists of Python as columns. A list has texts, or lists of cells. A list of cells may be a list of rows.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::{ArrayRef, LargeListArray, UInt8Array};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, Field};
use gridmill_core::Shape;
use gridmill_data::text::{FaultKind, usual_shape};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyList, PySequence, PyString, PyTuple};

/// Characters of a 9x9 puzzle, so that the builder seldom has to grow.
const USUAL: usize = 81;

/// Signals are checked after that many records, so that Ctrl-C works while a long list is read.
const RECORDS_PER_SIGNAL_CHECK: usize = 1 << 14;

/// Advice for messages about puzzles that are numbers. CSV readers take a puzzle for a number unless they are given a
/// type.
pub(crate) const NUMBERS_ADVICE: &str =
    "; puzzles that were read as numbers have lost their zeros: read them as texts, such as by dtype=str";

pub(crate) struct Listed {
    pub(crate) column: ArrayRef,
    /// The reasons why records are malformed. These records are null in the column.
    pub(crate) faults: HashMap<usize, String>,
}

/// Reads a list. It may have texts and lists of cells, or the cells or rows of a single puzzle. Any other item is a
/// malformed record rather than an exception, because the answers of a model can be anything; but there must be a text or a
/// list among them.
pub(crate) fn read(name: &str, list: &Bound<'_, PyList>, shape: Shape) -> PyResult<Listed> {
    if has_texts(list) {
        return texts(list, shape);
    }
    let Some(first) = first(list)? else { return texts(list, shape) };
    let is_number = whole_number(&first)?.is_some();
    let is_puzzle = if is_number { list.len() == shape.cells() } else { list.len() == shape.side() };
    if is_puzzle && list.iter().all(|item| is_number || is_row(&item, shape)) {
        let mut lists = CellLists::new(shape, 1);
        lists.push(list)?;
        return Ok(lists.finish());
    }
    let (listed, has_list) = cell_lists(list, shape)?;
    if has_list {
        return Ok(listed);
    }
    let (cells, found) = (shape.cells(), first.get_type().name()?);
    Err(PyTypeError::new_err(match is_number || first.is_instance_of::<PyFloat>() {
        true => format!(
            "{name}: expected texts, or {cells} cells, found a list of {} numbers{NUMBERS_ADVICE}",
            list.len()
        ),
        false => format!("{name}[0]: expected texts or lists of cells, found {found}"),
    }))
}

/// Reads the answers of a model, one for each puzzle. An item that is neither a text nor a list of cells is a malformed record,
/// even if all items are such, because a model may answer anything.
pub(crate) fn read_answers(list: &Bound<'_, PyList>, shape: Shape) -> PyResult<Listed> {
    if has_texts(list) { texts(list, shape) } else { Ok(cell_lists(list, shape)?.0) }
}

/// Whether a list has texts, or lists of them.
fn has_texts(list: &Bound<'_, PyList>) -> bool {
    list.iter().any(|item| is_text(&item) || are_texts(&item))
}

/// Copies lists of cells. Any other item is a malformed record. Also returns whether any item is a list.
fn cell_lists(list: &Bound<'_, PyList>, shape: Shape) -> PyResult<(Listed, bool)> {
    let (mut lists, mut has_list) = (CellLists::new(shape, list.len()), false);
    for (record, item) in list.iter().enumerate() {
        if record % RECORDS_PER_SIGNAL_CHECK == 0 {
            list.py().check_signals()?;
        }
        has_list |= lists.push(&item)?;
    }
    Ok((lists.finish(), has_list))
}

/// The first item that is not missing.
fn first<'py>(list: &Bound<'py, PyList>) -> PyResult<Option<Bound<'py, PyAny>>> {
    for item in list {
        if is_text(&item) || !is_missing(&item)? {
            return Ok(Some(item));
        }
    }
    Ok(None)
}

/// Whether an item is a missing value: None, NaN, or pandas.NA.
fn is_missing(item: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_nan = || item.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan());
    Ok(item.is_none() || is_nan() || item.get_type().name()? == "NAType")
}

fn is_text(item: &Bound<'_, PyAny>) -> bool {
    item.is_instance_of::<PyString>() || item.is_instance_of::<PyBytes>()
}

/// Whether an item has the length of a row and contains no lists.
fn is_row(item: &Bound<'_, PyAny>, shape: Shape) -> bool {
    let has_cells = || item.get_item(0).is_ok_and(|cell| is_text(&cell) || cell.len().is_err());
    !is_text(item) && item.len().is_ok_and(|len| len == shape.side()) && has_cells()
}

/// Whether an item is a list of texts, e.g. the rows of a grid.
fn are_texts(item: &Bound<'_, PyAny>) -> bool {
    item.cast::<PyList>().is_ok_and(|list| list.get_item(0).is_ok_and(|first| is_text(&first)))
}

/// Copies the texts of a list. A list of texts is the text of one record, e.g. nine rows, and so are the cells of a list.
fn texts(list: &Bound<'_, PyList>, shape: Shape) -> PyResult<Listed> {
    let records = list.len();
    let mut texts = LargeStringBuilder::with_capacity(records, USUAL * records);
    let mut faults = HashMap::new();
    for (record, item) in list.iter().enumerate() {
        if record % RECORDS_PER_SIGNAL_CHECK == 0 {
            list.py().check_signals()?;
        }
        if let Ok(text) = item.cast::<PyString>() {
            // Half of a surrogate pair becomes a replacement character, which is not a cell, so that its record is
            // malformed.
            texts.append_value(text.to_string_lossy());
        } else if let Ok(text) = item.cast::<PyBytes>() {
            // A byte that is not UTF-8 becomes a replacement character for the same reason.
            texts.append_value(String::from_utf8_lossy(text.as_bytes()));
        } else if are_texts(&item) {
            let rows: Vec<String> =
                item.try_iter()?.map(|row| Ok(row?.str()?.to_string())).collect::<PyResult<_>>()?;
            let is_plain = shape.side() <= 9 && !rows.iter().any(|row| row.contains(char::is_whitespace));
            texts.append_value(rows.join(if is_plain { "" } else { " " }));
        } else {
            let mut cells = CellLists::new(shape, 1);
            cells.push(&item)?;
            let fault = cells.faults.remove(&0);
            texts.append_option((!cells.cells.is_empty()).then(|| text_of(&cells.cells, shape)));
            fault.into_iter().for_each(|fault| drop(faults.insert(record, fault)));
        }
    }
    Ok(Listed { column: Arc::new(texts.finish()), faults })
}

/// Cells as a line; above 9x9 as numbers between spaces, which are read in any alphabet.
fn text_of(cells: &[u8], shape: Shape) -> String {
    match shape.side() {
        ..=9 => cells.iter().map(|&cell| if cell == 0 { '.' } else { char::from(b'0' + cell) }).collect(),
        _ => cells.iter().map(u8::to_string).collect::<Vec<_>>().join(" "),
    }
}

/// The cells of all lists, one list after the other.
struct CellLists {
    shape: Shape,
    cells: Vec<u8>,
    offsets: Vec<i64>,
    nulls: NullBufferBuilder,
    faults: HashMap<usize, String>,
    /// The first invalid cell of the current list: its place among all cells, what was expected, and what was found.
    wrong: Option<(usize, String, String)>,
}

impl CellLists {
    fn new(shape: Shape, lists: usize) -> CellLists {
        let (cells, nulls) = (Vec::with_capacity(lists * shape.cells()), NullBufferBuilder::new(lists));
        CellLists { shape, cells, offsets: vec![0], nulls, faults: HashMap::new(), wrong: None }
    }

    /// Adds a list, or any other item as a malformed record. Returns whether it is a list.
    fn push(&mut self, item: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (record, start) = (self.offsets.len() - 1, self.cells.len());
        let is_list = self.take(item, true)?;
        if !is_list {
            if !is_missing(item)? {
                let (found, cells) = (item.get_type().name()?, self.shape.cells());
                self.faults
                    .insert(record, format!("expected a str or a list of {cells} cells, found {found}"));
            }
        } else if let Some(fault) = self.fault(start) {
            self.faults.insert(record, fault);
            self.cells.truncate(start);
        }
        self.nulls.append(is_list && self.cells.len() > start);
        self.offsets.push(self.cells.len() as i64);
        Ok(is_list)
    }

    /// The reason why a list is malformed, if it is. `start` is the place of its first cell.
    fn fault(&mut self, start: usize) -> Option<String> {
        let (found, wrong) = (self.cells.len() - start, self.wrong.take());
        if found != self.shape.cells() {
            return Some(wrong_count(self.shape, found));
        }
        wrong.map(|(place, expected, found)| wrong_cell(self.shape, place - start, &expected, &found))
    }

    /// Adds the cells of a list, or those of its rows if it `may_have_rows`. The result is false if the item is no
    /// list.
    fn take(&mut self, item: &Bound<'_, PyAny>, may_have_rows: bool) -> PyResult<bool> {
        let Some(list) = as_list(item)? else { return Ok(false) };
        if self.take_at_once(&list) {
            return Ok(true);
        }
        for cell in &list {
            match cell.cast_exact::<PyInt>().ok().and_then(|number| number.extract().ok()) {
                Some(number) if usize::from(number) <= self.shape.side() => self.cells.push(number),
                _ if may_have_rows && self.take(&cell, false)? => {}
                _ => self.take_other(&cell)?,
            }
        }
        Ok(true)
    }

    /// Adds the cells of a list if all of them are integers in range. Python converts such a list to bytes four times
    /// faster than its items can be read one by one.
    fn take_at_once(&mut self, list: &Bound<'_, PyList>) -> bool {
        if list.get_item(0).is_ok_and(|first| !first.is_instance_of::<PyInt>()) {
            return false;
        }
        let Ok(numbers) = PyByteArray::from(list) else { return false };
        let numbers = numbers.to_vec();
        let largest = numbers.iter().fold(0, |largest, &number| number.max(largest));
        // If the largest number is 1, the items may be True and False. The slow path looks at each, and rejects these.
        let are_cells = largest != 1 && usize::from(largest) <= self.shape.side();
        if are_cells {
            self.cells.extend_from_slice(&numbers);
        }
        are_cells
    }

    /// Adds a blank for `None`, or an integer of another package (e.g. `numpy.int64`), or notes an invalid cell.
    #[cold]
    fn take_other(&mut self, cell: &Bound<'_, PyAny>) -> PyResult<()> {
        if cell.is_none() {
            self.cells.push(0);
            return Ok(());
        }
        let side = self.shape.side();
        let number = whole_number(cell)?;
        let digit = number.as_ref().and_then(|number| number.extract::<u8>().ok());
        let digit = digit.filter(|&digit| usize::from(digit) <= side);
        if digit.is_none() && self.wrong.is_none() {
            let (expected, found) = match number {
                Some(number) => (format!("0 to {side}"), number.to_string()),
                None => ("a whole number".to_owned(), cell.get_type().name()?.to_string()),
            };
            self.wrong = Some((self.cells.len(), expected, found));
        }
        self.cells.push(digit.unwrap_or_default());
        Ok(())
    }

    fn finish(mut self) -> Listed {
        let offsets = OffsetBuffer::new(self.offsets.into());
        let field = Arc::new(Field::new_list_field(DataType::UInt8, false));
        let cells = Arc::new(UInt8Array::from(self.cells));
        let column = Arc::new(LargeListArray::new(field, offsets, cells, self.nulls.finish()));
        Listed { column, faults: self.faults }
    }
}

/// A list, tuple, array or other sequence as a list. `None` for anything else, e.g. a text.
fn as_list<'py>(item: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyList>>> {
    if let Ok(list) = item.cast::<PyList>() {
        return Ok(Some(list.clone()));
    }
    if let Ok(tuple) = item.cast::<PyTuple>() {
        return Ok(Some(tuple.to_list()));
    }
    if is_text(item) || item.is_instance_of::<PyByteArray>() || item.is_instance_of::<PyInt>() {
        return Ok(None);
    }
    let py = item.py();
    if let Some(convert) = item.getattr_opt(intern!(py, "tolist"))? {
        // A NumPy scalar becomes a number here, so the result is `None`.
        return Ok(convert.call0()?.cast_into().ok());
    }
    if let Some(convert) = item.getattr_opt(intern!(py, "__array__"))? {
        return Ok(convert.call0()?.call_method0("tolist")?.cast_into().ok());
    }
    item.cast::<PySequence>().ok().map(PySequenceMethods::to_list).transpose()
}

/// An item as an integer, e.g. also one of NumPy. `True` and `False` are not integers here, although Python says so.
fn whole_number<'py>(item: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyInt>>> {
    if let Ok(number) = item.cast::<PyInt>() {
        return Ok(Some(number.clone()).filter(|number| !number.is_instance_of::<PyBool>()));
    }
    let index = item.getattr_opt(intern!(item.py(), "__index__"))?;
    Ok(index.and_then(|index| index.call0().ok()).and_then(|number| number.cast_into().ok()))
}

/// The fault of a puzzle with the wrong number of cells, with advice if it is of another usual size.
pub(crate) fn wrong_count(shape: Shape, found: usize) -> String {
    let fault = FaultKind::CellCount { found: found as u32, needed: shape.cells() as u32 };
    let side = found.isqrt();
    match usual_shape(side).filter(|_| side * side == found) {
        Some(shape) => format!("{fault}; for {side}x{side} puzzles say shape=\"{shape}\""),
        None => fault.to_string(),
    }
}

/// The fault of an invalid cell, with its row and column.
pub(crate) fn wrong_cell(shape: Shape, place: usize, expected: &str, found: &str) -> String {
    let (row, column) = (place / shape.side() + 1, place % shape.side() + 1);
    format!("expected {expected} in row {row}, column {column}, found {found}")
}
