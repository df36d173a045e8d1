//! Columns of Arrow: texts in all their types, and lists of cells.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    BinaryType, BinaryViewType, ByteArrayType, ByteViewType, LargeBinaryType, LargeUtf8Type, StringViewType,
    Utf8Type,
};
use arrow_array::{
    Array, ArrayRef, FixedSizeBinaryArray, GenericByteArray, GenericByteViewArray, LargeStringArray,
};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::Given;
use super::cells::CellLists;

/// A piece of a column.
pub(crate) struct TextChunk {
    /// The column as it was given, to be handed out again.
    pub(crate) array: ArrayRef,
    texts: Box<dyn Texts>,
}

/// Records by their place.
pub(super) trait Texts: Send + Sync {
    /// Returns a record.
    fn get(&self, record: usize) -> Given<'_>;
}

impl TextChunk {
    /// Takes an array of one of the types of texts, or of lists of cells.
    pub(crate) fn of(name: &str, array: ArrayRef) -> PyResult<TextChunk> {
        let texts = texts(name, &array)?;
        Ok(TextChunk { array, texts })
    }

    /// Takes an array of texts.
    pub(super) fn of_texts(array: Arc<LargeStringArray>) -> TextChunk {
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
