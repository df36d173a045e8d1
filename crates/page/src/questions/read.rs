//! The first puzzle of a text, however it is written.

#[cfg(test)]
mod tests;

use gridmill_core::grid::{Pencilmarks, Shape};
use gridmill_data::packing::Compression;
use gridmill_data::pipeline::Input;
use gridmill_data::text::{
    FormatError, FormatOptions, GridPuzzle, Layout, PuzzleKind, PuzzleText, candidate_grid_line,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Named, PageGrid};
use crate::reply::Refusal;

/// The name of the text in messages.
const NAME: &str = "the text";

/// The request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Read {
    text: String,
    /// The shape that puzzles of its size have.
    shape: Option<Named<Shape>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Found {
    grid: PageGrid,
    /// How many records the text has, malformed ones among them.
    records: u64,
}

impl Read {
    /// Returns the first puzzle that can be read.
    pub(crate) fn answer(self) -> Result<Found, Refusal> {
        let text = candidate_grid_line(&self.text).or_else(|| json_lines(&self.text)).unwrap_or(self.text);
        let shape = self.shape.map(|shape| shape.0);
        let (options, layout) = layout(text.as_bytes(), shape)?;
        match layout.kind() {
            PuzzleKind::Pencilmarks => first::<Pencilmarks>(text, &options),
            PuzzleKind::Classic | PuzzleKind::AnyShape => first::<GridPuzzle>(text, &options),
        }
    }
}

/// Returns how a text is written, and the options by which that is found. What the text leaves open is decided: the
/// alphabet is the first that fits, the shape that of the page, and rows without a header are records.
fn layout(text: &[u8], shape: Option<Shape>) -> Result<(FormatOptions, Layout), Refusal> {
    if Compression::of(text).is_some() {
        return Err(Refusal::bad("this is a compressed file, and no text"));
    }
    let mut options = FormatOptions::default();
    loop {
        let is_of_page = |side: usize| shape.filter(|shape| shape.side() == side);
        match options.layout(text, false) {
            Ok(Some(layout)) => {
                let side = layout.shape.map_or(0, Shape::side);
                match is_of_page(side).filter(|&shape| options.shape.is_none() && layout.shape != Some(shape))
                {
                    Some(shape) => options.shape = Some(shape),
                    None => return Ok((options, layout)),
                }
            }
            Err(FormatError::Headless) if !options.no_header => options.no_header = true,
            Err(FormatError::NoAlphabet { alphabets, fit: true, .. }) if options.alphabets.is_empty() => {
                options.alphabets.extend(alphabets.into_iter().take(1));
            }
            Err(FormatError::OpenShape { side, .. })
                if options.shape.is_none() && is_of_page(side).is_some() =>
            {
                options.shape = is_of_page(side);
            }
            Err(error) => return Err(Refusal::bad(error.to_string())),
            Ok(None) => return Err(nothing()),
        }
    }
}

/// Returns the first puzzle that can be read, and how many records there are.
fn first<P: PuzzleText>(text: String, options: &FormatOptions) -> Result<Found, Refusal> {
    let failed = |error: gridmill_data::error::Error| Refusal::bad(error.to_string());
    let (mut found, mut fault, mut records) = (None, None, 0);
    for record in Input::from_bytes(NAME, text.into_bytes()).records::<P>(options).map_err(failed)? {
        records += 1;
        match record.map_err(failed)?.puzzle {
            Ok(puzzle) => _ = found.get_or_insert(puzzle),
            Err(malformed) => _ = fault.get_or_insert(malformed),
        }
    }
    let refused = || {
        fault.map_or_else(nothing, |fault| {
            let (line, column) = (fault.position.line, fault.position.column);
            Refusal::bad(format!("line {line}, column {column}: {}", fault.kind))
        })
    };
    Ok(Found { grid: PageGrid::from_puzzle(&found.ok_or_else(refused)?)?, records })
}

fn nothing() -> Refusal {
    Refusal::bad("there is no puzzle in the text")
}

/// Returns lines that can be read, if a text is one value of JSON; `None` for any other text.
fn json_lines(text: &str) -> Option<String> {
    if !text.trim_start().starts_with(['[', '{', '"']) {
        return None;
    }
    match serde_json::from_str(text).ok()? {
        Value::Array(items) if is_one(&items) => Some(json_line(Value::Array(items))),
        Value::Array(items) => Some(items.into_iter().map(json_line).collect()),
        value => Some(json_line(value)),
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
fn json_line(value: Value) -> String {
    match value {
        Value::String(text) => format!("{text}\n"),
        Value::Object(_) => format!("{value}\n"),
        _ => format!("{}\n", json!({ "puzzle": value })),
    }
}
