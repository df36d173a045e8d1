//! Lists of Python as columns: of texts, or of lists of cells, which may be lists of rows.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::{ArrayRef, LargeListArray, UInt8Array};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, Field};
use gridmill_core::Shape;
use gridmill_data::text::FaultKind;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyList, PySequence, PyString, PyTuple};

/// Characters of the usual puzzle.
const USUAL: usize = 81;

/// The number of records after which signals are looked for.
const RECORDS_A_LOOK: usize = 1 << 14;

/// The advice for people who read CSV without saying what is text.
pub(crate) const NUMBERS: &str =
    "; puzzles that were read as numbers have lost their zeros: read them as texts, such as by dtype=str";

/// The puzzles of a list.
pub(crate) struct Listed {
    pub(crate) column: ArrayRef,
    /// The reasons why records are not puzzles. These are null in the column.
    pub(crate) faults: HashMap<usize, String>,
}

/// Reads a list of texts, of lists of cells, or of the cells or the rows of one puzzle: what it is, its first item says that is
/// not missing.
pub(crate) fn read(name: &str, list: &Bound<'_, PyList>, shape: Shape) -> PyResult<Listed> {
    let Some(first) = first(list)?.filter(|item| !is_text(item)) else {
        return texts(list);
    };
    let mut lists = CellLists::new(shape, list.len());
    if whole_number(&first)?.is_some() {
        if list.len() != shape.cells() {
            return Err(PyTypeError::new_err(format!(
                "{name}: expected texts, or {} cells, found a list of {} numbers{NUMBERS}",
                shape.cells(),
                list.len()
            )));
        }
        lists.push(list)?;
    } else if list.len() == shape.side() && list.iter().all(|item| is_row(&item, shape)) {
        lists.push(list)?;
    } else {
        for (record, item) in list.iter().enumerate() {
            if record % RECORDS_A_LOOK == 0 {
                list.py().check_signals()?;
            }
            if !lists.push(&item)? && item.is(&first) {
                let (found, expected) = (item.get_type().name()?, "expected texts or lists of cells");
                let advice = if item.is_instance_of::<PyFloat>() { NUMBERS } else { "" };
                return Err(PyTypeError::new_err(format!(
                    "{name}[{record}]: {expected}, found {found}{advice}"
                )));
            }
        }
    }
    Ok(lists.finish())
}

/// Returns the first item that is not missing.
fn first<'py>(list: &Bound<'py, PyList>) -> PyResult<Option<Bound<'py, PyAny>>> {
    for item in list {
        if is_text(&item) || !is_missing(&item)? {
            return Ok(Some(item));
        }
    }
    Ok(None)
}

/// Returns whether an item stands for none: None, NaN, or the NA of pandas.
fn is_missing(item: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_nan = || item.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan());
    Ok(item.is_none() || is_nan() || item.get_type().name()? == "NAType")
}

fn is_text(item: &Bound<'_, PyAny>) -> bool {
    item.is_instance_of::<PyString>() || item.is_instance_of::<PyBytes>()
}

/// Returns whether an item is as long as a row, and has no lists in it.
fn is_row(item: &Bound<'_, PyAny>, shape: Shape) -> bool {
    let has_cells = || item.get_item(0).is_ok_and(|cell| is_text(&cell) || cell.len().is_err());
    !is_text(item) && item.len().is_ok_and(|len| len == shape.side()) && has_cells()
}

/// Copies the texts of a list. Anything else among them is a malformed record, because answers of a model may be anything.
fn texts(list: &Bound<'_, PyList>) -> PyResult<Listed> {
    let records = list.len();
    let mut texts = LargeStringBuilder::with_capacity(records, USUAL * records);
    let mut faults = HashMap::new();
    for (record, item) in list.iter().enumerate() {
        if record % RECORDS_A_LOOK == 0 {
            list.py().check_signals()?;
        }
        if let Ok(text) = item.cast::<PyString>() {
            // A half of a surrogate pair becomes a character that is no cell.
            texts.append_value(text.to_string_lossy());
        } else if let Ok(text) = item.cast::<PyBytes>() {
            // Another byte than ASCII becomes a character that is no cell.
            texts.append_value(String::from_utf8_lossy(text.as_bytes()));
        } else {
            if !is_missing(&item)? {
                faults.insert(record, format!("expected a str, found {}", item.get_type().name()?));
            }
            texts.append_null();
        }
    }
    Ok(Listed { column: Arc::new(texts.finish()), faults })
}

/// The cells of one list after the other.
struct CellLists {
    shape: Shape,
    cells: Vec<u8>,
    offsets: Vec<i64>,
    nulls: NullBufferBuilder,
    faults: HashMap<usize, String>,
    /// The first item of the list at hand that is no cell: its place among all cells, what was expected, and what was found.
    wrong: Option<(usize, String, String)>,
}

impl CellLists {
    fn new(shape: Shape, lists: usize) -> CellLists {
        let (cells, nulls) = (Vec::with_capacity(lists * shape.cells()), NullBufferBuilder::new(lists));
        CellLists { shape, cells, offsets: vec![0], nulls, faults: HashMap::new(), wrong: None }
    }

    /// Takes a list. Returns false if it is a number or another thing that is no collection, which is a malformed record.
    fn push(&mut self, item: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (record, start) = (self.offsets.len() - 1, self.cells.len());
        let (is_list, mut is_record) = (self.take(item, true)?, true);
        if !is_list {
            is_record = item.try_iter().is_ok() || is_missing(item)?;
            if !is_missing(item)? {
                let (found, cells) = (item.get_type().name()?, self.shape.cells());
                self.faults.insert(record, format!("expected a list of {cells} cells, found {found}"));
            }
        } else if let Some(fault) = self.fault(start) {
            self.faults.insert(record, fault);
            self.cells.truncate(start);
        }
        self.nulls.append(is_list && self.cells.len() > start);
        self.offsets.push(self.cells.len() as i64);
        Ok(is_record)
    }

    /// Returns what is wrong with the list whose cells begin there, if something is.
    fn fault(&mut self, start: usize) -> Option<String> {
        let (found, wrong) = (self.cells.len() - start, self.wrong.take());
        if found != self.shape.cells() {
            return Some(wrong_count(self.shape, found));
        }
        wrong.map(|(place, expected, found)| wrong_cell(self.shape, place - start, &expected, &found))
    }

    /// Takes the cells of a list, or of the rows in it if it `may_have_rows`; returns false if it is no list.
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

    /// Takes the cells of a list if all are whole numbers that can be cells. Python itself makes bytes of such a list in a
    /// quarter of the time that it takes to ask for one item after the other.
    fn take_at_once(&mut self, list: &Bound<'_, PyList>) -> bool {
        if list.get_item(0).is_ok_and(|first| !first.is_instance_of::<PyInt>()) {
            return false;
        }
        let Ok(numbers) = PyByteArray::from(list) else { return false };
        let numbers = numbers.to_vec();
        let largest = numbers.iter().fold(0, |largest, &number| number.max(largest));
        // Truths are numbers up to 1 for Python.
        let are_cells = largest != 1 && usize::from(largest) <= self.shape.side();
        if are_cells {
            self.cells.extend_from_slice(&numbers);
        }
        are_cells
    }

    /// Takes a whole number of another package, or what is no cell.
    #[cold]
    fn take_other(&mut self, cell: &Bound<'_, PyAny>) -> PyResult<()> {
        let side = self.shape.side();
        let number = whole_number(cell)?;
        let digit = number.as_ref().and_then(|number| number.extract::<u8>().ok());
        let digit = digit.filter(|&digit| usize::from(digit) <= side);
        if digit.is_none() && self.wrong.is_none() {
            let (expected, found) = match number {
                Some(number) => (format!("0 to {side}"), number.to_string()),
                None if cell.is_none() => ("a whole number".to_owned(), "None".to_owned()),
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

/// Returns a list, a tuple, an array or another sequence as a list; `None` for what is none of these, such as a text.
fn as_list<'py>(item: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyList>>> {
    if let Ok(list) = item.cast::<PyList>() {
        return Ok(Some(list.clone()));
    }
    if let Ok(tuple) = item.cast::<PyTuple>() {
        return Ok(Some(tuple.to_list()));
    }
    if is_text(item) || item.is_instance_of::<PyInt>() {
        return Ok(None);
    }
    let py = item.py();
    if let Some(convert) = item.getattr_opt(intern!(py, "tolist"))? {
        // A scalar of NumPy becomes a number.
        return Ok(convert.call0()?.cast_into().ok());
    }
    if let Some(convert) = item.getattr_opt(intern!(py, "__array__"))? {
        return Ok(convert.call0()?.call_method0("tolist")?.cast_into().ok());
    }
    item.cast::<PySequence>().ok().map(PySequenceMethods::to_list).transpose()
}

/// Returns an item as a whole number, which may be one of NumPy, but no truth.
fn whole_number<'py>(item: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyInt>>> {
    if let Ok(number) = item.cast::<PyInt>() {
        return Ok(Some(number.clone()).filter(|number| !number.is_instance_of::<PyBool>()));
    }
    let index = item.getattr_opt(intern!(item.py(), "__index__"))?;
    Ok(index.and_then(|index| index.call0().ok()).and_then(|number| number.cast_into().ok()))
}

/// Returns what is wrong with a list of cells that are not as many as a puzzle has.
pub(crate) fn wrong_count(shape: Shape, found: usize) -> String {
    FaultKind::CellCount { found: found as u32, needed: shape.cells() as u32 }.to_string()
}

/// Returns what is wrong with a cell.
pub(crate) fn wrong_cell(shape: Shape, place: usize, expected: &str, found: &str) -> String {
    let (row, column) = (place / shape.side() + 1, place % shape.side() + 1);
    format!("expected {expected} in row {row}, column {column}, found {found}")
}
