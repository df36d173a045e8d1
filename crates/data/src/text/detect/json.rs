//! JSON: the key of the puzzles, and texts that are not one object a line.

use gridmill_core::grid::Shape;

use super::columns::{puzzle_columns, with_numbers};
use crate::text::{FormatError, Remedy};

/// Refuses a text that is JSON, and says how to get puzzles out of it.
pub(super) fn refuse_json(text: &[u8]) -> Result<(), FormatError> {
    let text = text.trim_ascii_start();
    let inner = text.get(1..).unwrap_or_default().trim_ascii_start().first();
    let (what, remedy) = match (text.first(), inner) {
        (Some(b'['), Some(b'{')) => ("a JSON array of objects", "jq -c '.[]' FILE"),
        (Some(b'['), Some(b'[')) if is_one_grid(text) => ("a JSON array of rows", "jq -c '{puzzle: .}' FILE"),
        (Some(b'['), Some(b'"' | b'[')) => ("a JSON array", "jq -c '{puzzle: .[]}' FILE"),
        (Some(b'['), Some(b'0'..=b'9')) => ("JSON arrays of numbers", "jq -c '{puzzle: .}' FILE"),
        (Some(b'{'), Some(b'"')) if text.starts_with(b"{\n") || text.starts_with(b"{\r") => {
            ("a JSON object over several lines", "jq -c . FILE")
        }
        (Some(b'"'), _) if is_text(text) => ("JSON texts", "jq -r . FILE"),
        _ => return Ok(()),
    };
    Err(FormatError::NotPlainText { what, remedy: Remedy::Pipe(remedy) })
}

/// Returns whether the first inner array is a row of a grid: it holds numbers, no more than the largest side.
fn is_one_grid(text: &[u8]) -> bool {
    let inner = text.iter().skip_while(|byte| b"[ \r\n\t".contains(byte));
    let row: Vec<u8> = inner.take_while(|byte| **byte != b']').copied().collect();
    let is_numbers = row.iter().all(|byte| b"0123456789, \r\n\tnul".contains(byte));
    let opens = text.iter().filter(|byte| !byte.is_ascii_whitespace()).take(3);
    is_numbers
        && opens.filter(|byte| **byte == b'[').count() == 2
        && row.split(|byte| *byte == b',').count() <= Shape::MAX_SIDE
}

/// Returns whether the first line is a text in quotes that may be a puzzle.
fn is_text(text: &[u8]) -> bool {
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
    let inner = line.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    inner.is_some_and(|inner| inner.len() >= 16 && !inner.contains(&b'"') && !inner.contains(&b','))
}

/// Returns the key of the puzzles: `wanted`, or the only one of a known name.
pub(super) fn find_key(keys: &[String], wanted: Option<&str>) -> Result<String, FormatError> {
    match puzzle_columns(keys, wanted)[..] {
        [] => Err(FormatError::NoPuzzleKey { wanted: wanted.map(str::to_owned), keys: keys.to_vec() }),
        [index] => Ok(keys[index].clone()),
        ref several => Err(FormatError::SeveralPuzzleColumns { columns: with_numbers(keys, several) }),
    }
}
