//! Explanations and hints, for people and for programs.

mod candidate_grid;
mod json;
mod text;
mod trace;

use std::fmt::Write;

pub use json::{StepObject, explanation_json, hint_json};
pub use text::ExplanationText;
pub use trace::{trace_json, trace_text};

/// The columns that texts fill.
const WIDTH: usize = 80;

/// When a grid of candidates is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GridChoice {
    /// At the start, in front of rounds that are no singles, and at an end that is not the solution.
    #[default]
    Auto,
    /// In front of every round.
    Every,
    /// Never.
    Never,
}

/// Appends formatted text.
fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Memory takes every character.
    let _ = out.write_fmt(text);
}
