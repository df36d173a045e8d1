//! Results for people to read: figures of a collection, plots, tables, explanations, books to print.
//!
//! The command line, the page and the Python package use this crate. You don't need it if you only solve or stream puzzles.

mod book;
mod explanation;
mod figures;
mod histogram;
mod plot;

use std::fmt::{Display, Write as _};
use std::io::{self, Write};

pub use book::{Book, BookFormat, BookPuzzle, BookSection, Paper, missing_letter};
pub use explanation::{
    ExplanationStyle, GridChoice, StepObject, StepsExtent, StepsForm, StepsObjects, explanation_json,
    hint_json, trace_json, trace_text,
};
pub use figures::{
    Clusters, CollectionCounts, Extras, FieldCounts, FigureMapper, Figures, MeasuredRecord, Picture,
    RatingCounts, RecordFigures, Report, pictures,
};
pub use histogram::{bar, text_histogram};
pub use plot::{Panel, plot_svg};

/// Prints a message on standard error. A failure is ignored, because there is no other place to report it.
pub fn eprint_message(message: impl Display) {
    let _ = write!(io::stderr(), "{message}");
}

/// Appends formatted text.
fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    // A `String` takes every character.
    let _ = out.write_fmt(text);
}

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
