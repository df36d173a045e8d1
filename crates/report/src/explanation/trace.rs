//! The cells as an engine fills and clears them, as text and as JSON.

use gridmill_core::grid::Shape;
use gridmill_core::jobs::TraceRecord;
use gridmill_core::solver::TraceEvent;
use gridmill_data::text::PuzzleText;
use serde::Serialize;

use super::json::append;
use super::put;

/// Returns a line for each event, numbered from 1, and how the search ended.
pub fn trace_text(puzzle: &impl PuzzleText, trace: &TraceRecord) -> String {
    let mut out = String::new();
    let width = trace.events.len().to_string().len();
    for (number, event) in (1..).zip(&trace.events) {
        put(&mut out, format_args!("{number:width$}  {}\n", words(puzzle, *event)));
    }
    let events = trace.events.len();
    let plural = if events == 1 { "" } else { "s" };
    let (end, more) = match trace {
        TraceRecord { is_cut: true, .. } => ("not at its end", ": --limit shows more"),
        TraceRecord { is_solved: true, .. } => ("solved", ""),
        _ => ("no solution", ""),
    };
    put(&mut out, format_args!("{end} after {events} event{plural}{more}\n"));
    out
}

/// Returns an event in words.
fn words(puzzle: &impl PuzzleText, event: TraceEvent) -> String {
    let shape = puzzle.shape();
    match event {
        TraceEvent::Filled { cell, digit, is_guess } => {
            let digit = puzzle.symbol(digit).map_or_else(|| digit.to_string(), String::from);
            let guess = if is_guess { ", a guess" } else { "" };
            format!("{} = {digit}{guess}", cell.name(shape))
        }
        TraceEvent::Cleared { cell } => format!("{} cleared", cell.name(shape)),
        TraceEvent::Dead { cell } => format!("{} can hold no digit", cell.name(shape)),
    }
}

#[derive(Serialize)]
struct Traced {
    engine: &'static str,
    complete: bool,
    solved: bool,
    events: Vec<Event>,
}

#[derive(Serialize)]
struct Event {
    event: &'static str,
    cell: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    digit: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    guess: Option<bool>,
}

/// Appends a trace, an object. Digits are numbers.
pub fn trace_json(shape: Shape, trace: &TraceRecord, out: &mut Vec<u8>) {
    let event = |event: &TraceEvent| {
        let (event, cell, filled) = match *event {
            TraceEvent::Filled { cell, digit, is_guess } => ("filled", cell, Some((digit.get(), is_guess))),
            TraceEvent::Cleared { cell } => ("cleared", cell, None),
            TraceEvent::Dead { cell } => ("dead", cell, None),
        };
        let (digit, guess) = filled.unzip();
        Event { event, cell: cell.name(shape), digit, guess }
    };
    let events = trace.events.iter().map(event).collect();
    let &TraceRecord { engine, is_cut, is_solved, .. } = trace;
    append(&Traced { engine: engine.name(), complete: !is_cut, solved: is_solved, events }, out);
}
