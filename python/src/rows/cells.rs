//! Columns of lists of cells.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, LargeListArray, UInt8Array};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::Given;
use super::text::Texts;

/// Lists of cells, in one type.
pub(super) struct CellLists {
    cells: ScalarBuffer<u8>,
    /// The place where each list begins, and that where the last one ends.
    starts: Vec<usize>,
    nulls: Option<NullBuffer>,
}

/// A number that is no cell of any shape.
const NO_CELL: u8 = u8::MAX;

impl CellLists {
    /// Takes the lists of an array, bytes without a copy. What is no cell of any puzzle becomes 255.
    pub(super) fn new(name: &str, array: &ArrayRef) -> PyResult<CellLists> {
        let (values, starts): (ArrayRef, Vec<usize>) = match array.data_type() {
            DataType::FixedSizeList(_, width) => {
                let list = array.as_fixed_size_list();
                let width = *width as usize;
                (list.values().clone(), (0..=list.len()).map(|record| record * width).collect())
            }
            DataType::List(_) => {
                let list = array.as_list::<i32>();
                (list.values().clone(), list.offsets().iter().map(|&start| start as usize).collect())
            }
            _ => {
                let list = array.as_list::<i64>();
                (list.values().clone(), list.offsets().iter().map(|&start| start as usize).collect())
            }
        };
        let cells = match values.data_type() {
            DataType::UInt8 if values.null_count() == 0 => {
                values.as_primitive::<UInt8Type>().values().clone()
            }
            DataType::UInt8 => numbers::<UInt8Type>(&values),
            DataType::Int8 => numbers::<Int8Type>(&values),
            DataType::UInt16 => numbers::<UInt16Type>(&values),
            DataType::Int16 => numbers::<Int16Type>(&values),
            DataType::UInt32 => numbers::<UInt32Type>(&values),
            DataType::Int32 => numbers::<Int32Type>(&values),
            DataType::UInt64 => numbers::<UInt64Type>(&values),
            DataType::Int64 => numbers::<Int64Type>(&values),
            other => {
                return Err(PyTypeError::new_err(format!(
                    "{name}: expected lists of integers, one for each cell, found lists of {other}"
                )));
            }
        };
        Ok(CellLists { cells, starts, nulls: array.nulls().cloned() })
    }
}

fn numbers<T: ArrowPrimitiveType>(values: &ArrayRef) -> ScalarBuffer<u8>
where
    T::Native: TryInto<u8>,
{
    let cell =
        |number: Option<T::Native>| number.and_then(|number| number.try_into().ok()).unwrap_or(NO_CELL);
    values.as_primitive::<T>().iter().map(cell).collect::<Vec<u8>>().into()
}

/// Returns lists of cells as a column of Arrow, of their cells one behind the other and the length of each.
pub(super) fn lists(cells: Vec<u8>, lengths: impl IntoIterator<Item = usize>, missing: &[bool]) -> ArrayRef {
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
