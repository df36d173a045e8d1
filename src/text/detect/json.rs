//! JSON that is not one object a line.

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
