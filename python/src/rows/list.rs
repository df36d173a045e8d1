//! Lists of texts.

use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyString};

use super::text::TextChunk;

/// Characters of the usual puzzle.
const USUAL: usize = 81;

/// The number of records after which signals are looked for.
const RECORDS_A_LOOK: usize = 1 << 14;

/// Copies the texts of a list, or of another sequence.
pub(super) fn texts(name: &str, list: &Bound<'_, PyAny>) -> PyResult<TextChunk> {
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
