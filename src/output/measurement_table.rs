//! The table of measured engines, for people or for programs.

use indicatif::HumanCount;
use serde::Serialize;

use super::table::{Style, table};
use crate::bench::Measurement;

/// How a table is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
#[non_exhaustive]
pub enum Export {
    /// For a terminal
    #[default]
    Table,
    /// Comma-separated values
    Csv,
    /// An array of objects
    Json,
    /// A Markdown table
    Md,
}

/// The measurements of engines on files, a line each.
#[derive(Clone, Debug, Default)]
pub struct MeasurementTable(Vec<Line>);

#[derive(Clone, Debug, Serialize)]
struct Line {
    file: String,
    puzzles: usize,
    engine: String,
    puzzles_per_second: f64,
    spread: f64,
    microseconds_per_puzzle: f64,
    share_without_guess: f64,
    guesses_per_puzzle: f64,
    rounds: usize,
}

const COLUMNS: [&str; 8] =
    ["file", "puzzles", "engine", "puzzles/s", "spread", "µs a puzzle", "no guess", "guesses a puzzle"];

/// The columns that hold names.
const NAMES: [usize; 2] = [0, 2];

impl MeasurementTable {
    /// Adds the measurement of an engine on a file.
    pub fn add(&mut self, file: &str, measurement: &Measurement) {
        let puzzles = measurement.puzzles as f64;
        self.0.push(Line {
            file: file.to_owned(),
            puzzles: measurement.puzzles,
            engine: measurement.contender.to_string(),
            puzzles_per_second: measurement.rate(),
            spread: measurement.spread(),
            microseconds_per_puzzle: 1e6 / measurement.rate(),
            share_without_guess: measurement.unguessed as f64 / puzzles,
            guesses_per_puzzle: measurement.guesses as f64 / puzzles,
            rounds: measurement.seconds.len(),
        });
    }

    /// Returns all lines as text.
    #[must_use]
    pub fn to_text(&self, export: Export) -> String {
        match export {
            Export::Table => table(&self.cells(), &NAMES, Style::Plain),
            Export::Md => table(&self.cells(), &NAMES, Style::Markdown),
            Export::Csv => self.csv(),
            Export::Json => serde_json::to_string_pretty(&self.0).expect("numbers and names") + "\n",
        }
    }

    fn cells(&self) -> Vec<[String; COLUMNS.len()]> {
        let header = COLUMNS.map(str::to_owned);
        std::iter::once(header).chain(self.0.iter().map(Line::cells)).collect()
    }

    fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Neither call can fail: memory takes every byte, and all lines have the same fields.
        self.0.iter().for_each(|line| writer.serialize(line).expect("memory can be written"));
        let bytes = writer.into_inner().expect("memory can be written");
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Line {
    fn cells(&self) -> [String; COLUMNS.len()] {
        [
            self.file.clone(),
            self.puzzles.to_string(),
            self.engine.clone(),
            HumanCount(self.puzzles_per_second.round() as u64).to_string(),
            format!("{:.1} %", 100.0 * self.spread),
            format!("{:.3}", self.microseconds_per_puzzle),
            format!("{:.2} %", 100.0 * self.share_without_guess),
            format!("{:.3}", self.guesses_per_puzzle),
        ]
    }
}
