//! JSON: the key of the puzzles, and texts that are not one object a line.

use super::columns::{puzzle_columns, with_numbers};
use crate::text::{FormatError, Remedy};

/// Refuses a text that is JSON, and says how to get puzzles out of it.
pub(super) fn refuse_json(text: &[u8]) -> Result<(), FormatError> {
    let text = text.trim_ascii_start();
    let inner = text.get(1..).unwrap_or_default().trim_ascii_start().first();
    let (what, remedy) = match (text.first(), inner) {
        (Some(b'['), Some(b'{')) => ("a JSON array of objects", "jq -c '.[]' FILE"),
        (Some(b'['), Some(b'"' | b'[')) => ("a JSON array", "jq -c '{puzzle: .[]}' FILE"),
        (Some(b'['), Some(b'0'..=b'9')) => ("JSON arrays of numbers", "jq -c '{puzzle: .}' FILE"),
        (Some(b'{'), Some(b'"')) if text.starts_with(b"{\n") || text.starts_with(b"{\r") => {
            ("a JSON object over several lines", "jq -c . FILE")
        }
        _ => return Ok(()),
    };
    Err(FormatError::NotPlainText { what, remedy: Remedy::Pipe(remedy) })
}

/// Returns the key of the puzzles: `wanted`, or the only one of a known name.
pub(super) fn find_key(keys: &[String], wanted: Option<&str>) -> Result<String, FormatError> {
    match puzzle_columns(keys, wanted)[..] {
        [] => Err(FormatError::NoPuzzleKey { wanted: wanted.map(str::to_owned), keys: keys.to_vec() }),
        [index] => Ok(keys[index].clone()),
        ref several => Err(FormatError::SeveralPuzzleColumns { columns: with_numbers(keys, several) }),
    }
}
