//! Puzzles as programs write them: JSON that is not an object a line.

use serde_json::{Value, json};

/// Returns lines that can be read, if a text is one value of JSON; `None` for any other text.
pub(super) fn lines(text: &str) -> Option<String> {
    if !text.trim_start().starts_with(['[', '{', '"']) {
        return None;
    }
    match serde_json::from_str(text).ok()? {
        Value::Array(items) if is_one(&items) => Some(line(Value::Array(items))),
        Value::Array(items) => Some(items.into_iter().map(line).collect()),
        value => Some(line(value)),
    }
}

/// Returns whether an array is one puzzle: numbers, or as many rows as the first of them has cells.
fn is_one(items: &[Value]) -> bool {
    match items.first() {
        Some(Value::Array(row)) => row.len() == items.len() && !row.iter().any(Value::is_array),
        Some(Value::Number(_) | Value::Null) => true,
        _ => false,
    }
}

/// Returns a line of a puzzle. A text may be a row of one.
fn line(value: Value) -> String {
    match value {
        Value::String(text) => format!("{text}\n"),
        Value::Object(_) => format!("{value}\n"),
        _ => format!("{}\n", json!({ "puzzle": value })),
    }
}
