//! The table of measured engines, for people or for programs; saved tables, with which later ones are
//! compared; and the drawing of tables with aligned columns.

use std::{fmt, iter};

use gridmill_data::bench::{Measurement, PuzzleSet};
use indicatif::{DecimalBytes, HumanCount};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a table is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
#[non_exhaustive]
pub(crate) enum Export {
    /// For a terminal
    #[default]
    Table,
    /// Comma-separated values, with the seconds of each round
    Csv,
    /// An array of objects, with the seconds of each round and the circumstances
    Json,
    /// A Markdown table
    Md,
}

/// The circumstances of measurements. Rates are comparable only if these are equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Circumstances {
    /// The version of gridmill.
    pub version: String,
    /// The processor.
    pub processor: String,
    /// The best backend of that processor.
    pub backend: String,
    /// Features that the processor lacks for a faster backend.
    #[serde(default)]
    pub lacking: Vec<String>,
    /// The threads of each engine.
    pub threads: u64,
    /// The seed of the isomorphs; `None` if the puzzles were measured unchanged.
    pub seed: Option<u64>,
    /// Whether searches end at the first solution.
    pub first: bool,
}

impl Circumstances {
    /// The differences between two runs, with both values. Rates are not comparable if there are any.
    /// Versions may differ, because comparing versions is the purpose.
    pub(crate) fn differences(&self, other: &Circumstances) -> Vec<(&'static str, String, String)> {
        let seed = |seed: Option<u64>| seed.map_or_else(|| "not used".to_owned(), |seed| seed.to_string());
        let first = |first: bool| if first { "used" } else { "not used" }.to_owned();
        let all = [
            ("processor", self.processor.clone(), other.processor.clone()),
            ("backend", self.backend.clone(), other.backend.clone()),
            ("threads", self.threads.to_string(), other.threads.to_string()),
            ("--seed", seed(self.seed), seed(other.seed)),
            ("--first", first(self.first), first(other.first)),
        ];
        all.into_iter().filter(|(_, mine, theirs)| mine != theirs).collect()
    }
}

/// The circumstances on one line.
impl fmt::Display for Circumstances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.threads == 1 { "" } else { "s" };
        let lacking = lacking_note(&self.lacking);
        write!(f, "{}, best backend {}{lacking}, ", self.processor, self.backend)?;
        write!(f, "{} thread{plural}, ", self.threads)?;
        match self.seed {
            Some(seed) => write!(f, "puzzles isomorphs, seed {seed}"),
            None => f.write_str("puzzles as they are"),
        }
    }
}

/// The measurements of engines and programs on files, one on each line. They come from this run, or from the
/// JSON of an earlier one ([`Export::Json`]).
#[derive(Clone, Debug, Default)]
pub(crate) struct MeasurementTable(Vec<MeasurementLine>);

/// The measurement of an engine or a program on a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct MeasurementLine {
    file: String,
    puzzles: usize,
    /// The CRC-32 of the puzzles' cells.
    checksum: u32,
    engine: String,
    puzzles_per_second: f64,
    spread: f64,
    microseconds_per_puzzle: f64,
    /// Programs do not report their guesses, so these two are `None` for them.
    share_without_guess: Option<f64>,
    guesses_per_puzzle: Option<f64>,
    /// Puzzles without a solution, and with several. Older baselines lack both.
    #[serde(default)]
    without_solution: usize,
    #[serde(default)]
    with_several: Option<usize>,
    rounds: usize,
    round_seconds: Vec<f64>,
    /// The time of a program on an empty file. It is subtracted from the rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    startup_seconds: Option<f64>,
    /// The processor time of a program for all puzzles, and the peak memory of its process. Older baselines
    /// lack both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    processor_seconds: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    peak_memory_bytes: Option<u64>,
    #[serde(flatten)]
    percentiles: Option<Percentiles>,
    #[serde(flatten)]
    compared: Option<Compared>,
    #[serde(flatten)]
    circumstances: Circumstances,
}

/// Times of single puzzles, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Percentiles {
    p50_ns: u64,
    p90_ns: u64,
    p99_ns: u64,
    max_ns: u64,
}

/// The rate compared with that of a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Compared {
    baseline_puzzles_per_second: f64,
    ratio: f64,
}

/// A column of a table for people: its head, and a function for its cells. A cell is `None` if it has no
/// value.
type Column = (&'static str, fn(&MeasurementLine) -> Option<String>);

const COLUMNS: [Column; 16] = [
    ("file", |line| Some(line.file.clone())),
    ("puzzles", |line| Some(line.puzzles.to_string())),
    ("engine", |line| Some(line.engine.clone())),
    ("puzzles/s", |line| Some(rate(line.puzzles_per_second))),
    ("spread", |line| Some(format!("{:.1} %", 100.0 * line.spread))),
    ("µs a puzzle", |line| Some(format!("{:.3}", line.microseconds_per_puzzle))),
    ("no guess", |line| line.share_without_guess.map(|share| format!("{:.2} %", 100.0 * share))),
    ("guesses a puzzle", |line| line.guesses_per_puzzle.map(|guesses| format!("{guesses:.3}"))),
    ("p50 µs", |line| line.percentiles.map(|times| microseconds(times.p50_ns))),
    ("p90 µs", |line| line.percentiles.map(|times| microseconds(times.p90_ns))),
    ("p99 µs", |line| line.percentiles.map(|times| microseconds(times.p99_ns))),
    ("max µs", |line| line.percentiles.map(|times| microseconds(times.max_ns))),
    ("baseline", |line| line.compared.map(|compared| rate(compared.baseline_puzzles_per_second))),
    ("ratio", |line| line.compared.map(|compared| format!("{:.3}", compared.ratio))),
    ("processor s", |line| line.processor_seconds.map(|seconds| format!("{seconds:.3}"))),
    ("peak memory", |line| line.peak_memory_bytes.map(|bytes| DecimalBytes(bytes).to_string())),
];

/// How many of the first columns are always shown. The other columns are shown only if a line has a value for
/// them.
const ALWAYS: usize = 8;

/// The columns that hold names. They are aligned to the left.
const NAMES: [usize; 2] = [0, 2];

/// The columns of the CSV. They are also keys of the JSON.
const CSV_COLUMNS: &str = "file,puzzles,engine,puzzles_per_second,spread,microseconds_per_puzzle,\
    share_without_guess,guesses_per_puzzle,rounds,round_seconds,p50_ns,p90_ns,p99_ns,max_ns,\
    baseline_puzzles_per_second,ratio,startup_seconds,processor_seconds,peak_memory_bytes";

impl MeasurementTable {
    /// Reads saved measurements.
    ///
    /// # Errors
    ///
    /// If the text is not a saved table. The message says what is missing.
    pub(crate) fn from_json(text: &str) -> Result<MeasurementTable, String> {
        match serde_json::from_str::<Vec<MeasurementLine>>(text) {
            Ok(lines) if lines.is_empty() => Err("it has no measurements".to_owned()),
            Ok(lines) => Ok(MeasurementTable(lines)),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Adds the measurement of an engine or a program on a file with these puzzles.
    pub(crate) fn add(
        &mut self,
        file: &str,
        set: &PuzzleSet,
        measurement: &Measurement,
        circumstances: &Circumstances,
    ) {
        let puzzles = measurement.puzzles as f64;
        let times = measurement.distribution();
        self.0.push(MeasurementLine {
            file: file.to_owned(),
            puzzles: measurement.puzzles,
            checksum: checksum(set),
            engine: measurement.contender.to_string(),
            puzzles_per_second: measurement.rate(),
            spread: measurement.spread(),
            microseconds_per_puzzle: 1e6 / measurement.rate(),
            share_without_guess: measurement.unguessed.map(|count| count as f64 / puzzles),
            guesses_per_puzzle: measurement.guesses.map(|count| count as f64 / puzzles),
            without_solution: measurement.without_solution,
            with_several: measurement.with_several,
            rounds: measurement.seconds.len(),
            round_seconds: measurement.seconds.clone(),
            startup_seconds: measurement.startup,
            processor_seconds: measurement.processor_seconds(),
            peak_memory_bytes: measurement.peak_memory(),
            percentiles: (!times.is_empty()).then(|| Percentiles {
                p50_ns: times.within(0.5),
                p90_ns: times.within(0.9),
                p99_ns: times.within(0.99),
                max_ns: times.most(),
            }),
            compared: None,
            circumstances: circumstances.clone(),
        });
    }

    /// Adds the rate of the baseline to each line that has the same file and engine there.
    pub(crate) fn compare(&mut self, baseline: &MeasurementTable) {
        for line in &mut self.0 {
            line.compared = baseline.rate(&line.file, &line.engine).map(|rate| Compared {
                baseline_puzzles_per_second: rate,
                ratio: line.puzzles_per_second / rate,
            });
        }
    }

    /// The puzzles per second of an engine on a file; `None` if it was not measured.
    pub(crate) fn rate(&self, file: &str, engine: &str) -> Option<f64> {
        let line = self.0.iter().find(|line| line.file == file && line.engine == engine)?;
        Some(line.puzzles_per_second)
    }

    /// The measurement that is missing to compare an engine on a file: the name of the file, or e.g. `singles
    /// on a.txt`; `None` if nothing is missing.
    pub(crate) fn lack(&self, file: &str, engine: &str) -> Option<String> {
        if !self.0.iter().any(|line| line.file == file) {
            return Some(file.to_owned());
        }
        self.rate(file, engine).is_none().then(|| format!("{engine} on {file}"))
    }

    /// Whether a file of this name was measured with other puzzles.
    pub(crate) fn has_other_puzzles(&self, file: &str, set: &PuzzleSet) -> bool {
        let of_file = self.0.iter().find(|line| line.file == file);
        of_file.is_some_and(|line| (line.puzzles, line.checksum) != (set.len(), checksum(set)))
    }

    /// The circumstances of the measurements.
    pub(crate) fn circumstances(&self) -> Option<&Circumstances> {
        self.0.first().map(|line| &line.circumstances)
    }

    /// All lines as text.
    pub(crate) fn to_text(&self, export: Export) -> String {
        match export {
            Export::Table => table(&self.rows(), &NAMES, Style::Plain),
            Export::Md => table(&self.rows(), &NAMES, Style::Markdown),
            Export::Csv => self.csv(),
            Export::Json => serde_json::to_string_pretty(&self.0).expect("numbers and names") + "\n",
        }
    }

    /// The header and the lines, with a dash where a cell has no value.
    fn rows(&self) -> Vec<Vec<String>> {
        let (always, more) = COLUMNS.split_at(ALWAYS);
        let is_there = |(_, cell): &&Column| self.0.iter().any(|line| cell(line).is_some());
        let columns: Vec<_> = always.iter().chain(more.iter().filter(is_there)).collect();
        let header = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        let told = |cell: Option<String>| cell.unwrap_or_else(|| "-".to_owned());
        let row = |line| columns.iter().map(|(_, cell)| told(cell(line))).collect();
        iter::once(header).chain(self.0.iter().map(row)).collect()
    }

    fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        // These calls can't fail, because memory takes every byte and all lines have the same fields.
        writer.write_record(CSV_COLUMNS.split(',')).expect("memory can be written");
        for line in &self.0 {
            let line = serde_json::to_value(line).expect("numbers and names");
            let fields = CSV_COLUMNS.split(',').map(|column| csv_field(&line[column]));
            writer.write_record(fields).expect("memory can be written");
        }
        let bytes = writer.into_inner().expect("memory can be written");
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// The CRC-32 of the cells of all puzzles. It shows whether a baseline was measured on the same puzzles.
fn checksum(set: &PuzzleSet) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    match set {
        PuzzleSet::Classic(puzzles) => puzzles.iter().for_each(|puzzle| hasher.update(puzzle.cells())),
        PuzzleSet::AnyShape(grids) => grids.iter().for_each(|grid| hasher.update(grid.cells())),
    }
    hasher.finalize()
}

/// A value in CSV for programs. Numbers that may have decimals keep all their digits, and always have a point
/// (e.g. `2.0`). A missing value is empty.
fn csv_field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(csv_field).collect::<Vec<_>>().join(" "),
        Value::Number(number) if number.is_f64() => format!("{:?}", number.as_f64().unwrap_or_default()),
        other => other.to_string(),
    }
}

/// A rate for people, e.g. "1,234,567".
fn rate(puzzles_per_second: f64) -> String {
    HumanCount(puzzles_per_second.round() as u64).to_string()
}

fn microseconds(nanos: u64) -> String {
    format!("{:.3}", nanos as f64 / 1e3)
}

/// A note about the features that a processor lacks for a faster backend; it follows the name of the backend
/// that is used.
pub(crate) fn lacking_note(lacking: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = lacking.iter().map(AsRef::as_ref).collect();
    if names.is_empty() { String::new() } else { format!(" (the processor lacks {})", names.join(", ")) }
}

/// How a table is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Columns are two spaces apart.
    Plain,
    Markdown,
}

/// A table of a header and rows. The columns in `names` are aligned to the left. All others hold numbers, and
/// are aligned to the right.
pub(crate) fn table<R: AsRef<[String]>>(rows: &[R], names: &[usize], style: Style) -> String {
    let columns = rows.first().map_or(0, |header| header.as_ref().len());
    let width =
        |column: usize| rows.iter().map(|row| row.as_ref()[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let is_name = |column: usize| names.contains(&column);
    let line = |row: &[String]| {
        let cell = |(i, cell): (usize, &String)| match is_name(i) {
            true => format!("{cell:<width$}", width = widths[i]),
            false => format!("{cell:>width$}", width = widths[i]),
        };
        let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
        match style {
            Style::Plain => format!("{}\n", cells.join("  ").trim_end()),
            Style::Markdown => format!("| {} |\n", cells.join(" | ")),
        }
    };
    let rule = |i| match is_name(i) {
        true => "-".repeat(widths[i]),
        false => "-".repeat(widths[i].max(2) - 1) + ":",
    };
    let rules = (style == Style::Markdown).then(|| line(&(0..columns).map(rule).collect::<Vec<_>>()));
    let mut lines = rows.iter().map(|row| line(row.as_ref()));
    lines.next().into_iter().chain(rules).chain(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [["name", "µs"], ["a", "1"], ["long name", "1000"]].map(|row| row.map(str::to_owned));
        assert_eq!(table(&rows, &[0], Style::Plain), "name         µs\na             1\nlong name  1000\n");
        let markdown =
            "| name      |   µs |\n| --------- | ---: |\n| a         |    1 |\n| long name | 1000 |\n";
        assert_eq!(table(&rows, &[0], Style::Markdown), markdown);
    }
}
