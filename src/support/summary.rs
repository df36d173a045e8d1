//! Results of runs on standard error: the summary, which may go to a file as JSON, and the table of verdicts.

use std::fmt;
use std::io::Write;

use console::style;
use gridmill_core::grid::Shape;
use gridmill_core::jobs::{Grade, Status, StatusInfo};
use gridmill_core::solver::Engine;
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::{Destination, duration};
use gridmill_data::record::{StatusCounts, Tally};
use gridmill_data::text::Layout;
use gridmill_report::eprint_message;
use indicatif::HumanCount;
use serde::{Serialize, Serializer};

use super::command_error::report;
use super::inputs::{CommonArgs, InputArgs, InputSet, RunTotals};
use super::measurement_table::{Style, table, without};
use super::outputs::put;

/// Prints how many records there were of each status, `gains` by their names, and the time. Statuses of equal names that
/// stand side by side are counted together.
pub(crate) fn report_run(totals: &RunTotals, names: &[&str], gains: &[(&str, String)]) {
    let mut text = String::new();
    if let Some(shard) = totals.shard {
        put_line("part", shard, &mut text);
    }
    let mut counts: Vec<(&str, u64)> = Vec::new();
    for (index, &name) in names.iter().enumerate() {
        let count = totals.tally.statuses.count(index);
        match counts.last_mut().filter(|(last, _)| *last == name) {
            Some((_, sum)) => *sum += count,
            None => counts.push((name, count)),
        }
    }
    put_records(totals.records, !totals.stopped, &mut text);
    // A run that is stopped may have counted records that were not written.
    put_counts(&counts, totals.tally.statuses.records(), &mut text);
    gains.iter().for_each(|(name, gain)| put_line(name, gain, &mut text));
    let seconds = totals.wall.as_secs_f64();
    put_time(seconds, totals.records as f64 / seconds.max(1e-9), &mut text);
    eprint_message(text);
}

/// Says how the boxes of puzzles were taken to lie, where they may lie the other way (e.g. those of 6x6) and puzzles have no
/// solution: the file does not say which it is, and the wider boxes are only more usual.
pub(crate) fn report_boxes(
    common: &CommonArgs,
    layout: &Layout,
    statuses: &[StatusInfo],
    counts: &StatusCounts,
) {
    let Some(shape) = layout.shape.filter(|_| common.reading.shape.is_none() && !common.quiet) else {
        return;
    };
    let Some(turned) = Shape::new(shape.box_columns(), shape.box_rows()).filter(|turned| *turned != shape)
    else {
        return;
    };
    let is_unsolved = |(_, status): &(usize, &StatusInfo)| {
        status.grade == Grade::Conflict || status.name == Status::None.name()
    };
    let unsolved = statuses.iter().enumerate().filter(is_unsolved).map(|(place, _)| counts.count(place));
    let unsolved = HumanCount(unsolved.sum());
    if unsolved.0 > 0 {
        report(format_args!(
            "without a solution in boxes of {shape} (rows x columns): {unsolved}; if their boxes are {turned}, give --shape {turned}"
        ));
    }
}

/// Prints the summary of a run of an engine over files, and writes it as JSON to the second output, if there is one.
pub(crate) fn report_search(
    files: &InputSet<'_>,
    input: &InputArgs,
    engine: Engine,
    totals: &RunTotals,
    beside: Option<&mut Destination>,
) -> Result<(), Error> {
    let summary = Summary {
        inputs: files.seen.iter().map(|seen| seen.name.display().to_string()).collect(),
        format: files.layout().format_name(),
        mapped: files.seen.iter().all(|seen| seen.is_mapped),
        threads: input.common.threads(),
        ..Summary::new(engine, totals)
    };
    if !input.common.quiet && !input.is_interactive() {
        eprint_message(summary.text());
    }
    let Some(file) = beside else { return Ok(()) };
    let text = serde_json::to_string_pretty(&summary).expect("a summary has only numbers and names");
    put(file, format!("{text}\n").as_bytes())?;
    file.flush().map_err(|error| ErrorKind::Write { error }.into())
}

/// The figures of a run. The fields have the same names in the JSON.
#[derive(Debug, Default, Serialize)]
struct Summary {
    /// The names of the files.
    inputs: Vec<String>,
    /// The format of the input.
    format: &'static str,
    /// Whether the input was mapped into memory, and not read.
    mapped: bool,
    /// The engine.
    engine: &'static str,
    /// The vector unit of the engine, if it has a choice.
    backend: Option<&'static str>,
    /// Features that the processor lacks for a faster backend.
    lacking: Vec<&'static str>,
    /// Worker threads.
    threads: usize,
    /// Which part of the input was to be processed, if not the whole: `3 of 64`.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<String>,
    /// Whether the whole input, or all of that part, was processed.
    complete: bool,
    /// Records written.
    records: u64,
    /// Records by status.
    statuses: Named,
    /// Wall time of the run, in seconds.
    seconds: f64,
    /// Records a second of wall time.
    records_per_second: f64,
    /// Guesses over all puzzles that were searched.
    guesses: u64,
    /// Guesses per puzzle.
    guesses_per_puzzle: f64,
    /// The share of the puzzles that needed no guess, from 0 to 1.
    share_without_guess: f64,
    /// Time per puzzle, in nanoseconds; nothing if none was searched.
    time_ns: Option<Named>,
}

/// Numbers with their names: an object in JSON.
#[derive(Debug, Default)]
struct Named(Vec<(&'static str, u64)>);

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

impl Summary {
    /// Returns the figures of a run of an engine. Those of its files are left to be filled in.
    fn new(engine: Engine, totals: &RunTotals) -> Summary {
        let tally = &totals.tally;
        let (records, seconds) = (tally.statuses.records(), totals.wall.as_secs_f64());
        let statuses = Status::ALL.into_iter();
        let statuses = statuses.map(|status| (status.name(), tally.statuses.count(status as usize)));
        let per_puzzle = |count: u64| count as f64 / tally.searched.max(1) as f64;
        Summary {
            engine: engine.name(),
            backend: engine.backend(),
            lacking: engine.lacking(),
            part: totals.shard.map(|shard| shard.to_string()),
            complete: !totals.stopped && !totals.lacks_files,
            records,
            statuses: Named(statuses.collect()),
            seconds,
            records_per_second: records as f64 / seconds.max(1e-9),
            guesses: tally.guesses,
            guesses_per_puzzle: per_puzzle(tally.guesses),
            share_without_guess: per_puzzle(tally.unguessed),
            time_ns: times(tally),
            ..Summary::default()
        }
    }

    /// Returns a table for a terminal.
    fn text(&self) -> String {
        let mut text = String::new();
        let how = if self.mapped { "mapped" } else { "streamed" };
        let threads =
            if self.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", self.threads) };
        put_line("input", format_args!("{} ({}, {how})", self.inputs.join(" "), self.format), &mut text);
        if let Some(part) = &self.part {
            put_line("part", part, &mut text);
        }
        let backend = self.backend.map(|backend| format!(" on {backend}")).unwrap_or_default();
        let lacking = without(&self.lacking);
        put_line("engine", format_args!("{}{backend}{lacking}, {threads}", self.engine), &mut text);
        put_records(self.records, self.complete, &mut text);
        put_counts(&self.statuses.0, self.records, &mut text);
        put_time(self.seconds, self.records_per_second, &mut text);
        let Some(Named(times)) = &self.time_ns else { return text };
        let shown = times.iter().filter(|(name, _)| *name != "total");
        let shown: Vec<String> = shown.map(|(name, nanos)| format!("{name} {}", duration(*nanos))).collect();
        put_line("a puzzle", shown.join("  "), &mut text);
        let (each, unguessed) = (self.guesses_per_puzzle, 100.0 * self.share_without_guess);
        put_line("guesses", format_args!("{each:.3} a puzzle, {unguessed:.2} % without"), &mut text);
        text
    }
}

/// Returns the times of puzzles: their sum, which the solvers spent over all threads, the shortest, some percentiles, good to two
/// figures, and the longest; `None` if none was searched.
fn times(tally: &Tally) -> Option<Named> {
    let (min, max) = tally.extremes?;
    let mut times = vec![("total", tally.nanos), ("min", min)];
    for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)] {
        times.push((name, tally.time_at(share)?));
    }
    times.push(("max", max));
    Some(Named(times))
}

/// Prints lines of a name and a text each. The names are aligned to the right, in a column of that width or as wide as they are.
pub(crate) fn report_lines(least: usize, lines: &[(&str, String)]) {
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(least);
    lines.iter().for_each(|(name, text)| eprint_message(format_args!("{name:>width$}  {text}\n")));
}

/// Appends the number of records, and whether they are all.
fn put_records(records: u64, is_complete: bool, text: &mut String) {
    let incomplete = if is_complete { "" } else { ", not all of the input" };
    put_line("records", format_args!("{}{incomplete}", HumanCount(records)), text);
}

/// Appends a line for each status of some records, with its share of them.
fn put_counts(counts: &[(&str, u64)], records: u64, text: &mut String) {
    for &(name, count) in counts.iter().filter(|(_, count)| *count > 0) {
        let share = 100.0 * count as f64 / records as f64;
        let count = HumanCount(count).to_string();
        put_line("", format_args!("{name:<10} {count:>13}  {share:>6.2} %"), text);
    }
}

fn put_time(seconds: f64, rate: f64, text: &mut String) {
    let rate = HumanCount(rate.round() as u64);
    put_line("wall time", format_args!("{seconds:.3} s, {rate} puzzles a second"), text);
}

fn put_line(name: &str, content: impl fmt::Display, text: &mut String) {
    text.push_str(&format!("{:>10}  {content}\n", style(name).for_stderr().bold()));
}

/// Returns a table with the number and share of records with each verdict, file by file; and for all files together, if
/// there are several.
pub(crate) fn verdict_table(verdicts: &[StatusInfo], files: &[(String, StatusCounts)]) -> String {
    let mut rows = vec![["file", "records", "verdict", "count", "share"].map(str::to_owned)];
    files.iter().for_each(|(file, counts)| add_rows(file, verdicts, counts, &mut rows));
    if files.len() > 1 {
        add_rows("all files", verdicts, &total(files), &mut rows);
    }
    table(&rows, &[0, 2], Style::Plain)
}

/// Returns the counts of all files together.
pub(crate) fn total(files: &[(String, StatusCounts)]) -> StatusCounts {
    let mut total = StatusCounts::default();
    files.iter().for_each(|(_, counts)| total.merge(counts));
    total
}

/// Adds a row for each verdict with a record, or an empty one; the first row names the file.
fn add_rows(file: &str, verdicts: &[StatusInfo], counts: &StatusCounts, rows: &mut Vec<[String; 5]>) {
    let (first, records) = (rows.len(), counts.records());
    for (place, verdict) in verdicts.iter().enumerate().filter(|(place, _)| counts.count(*place) > 0) {
        let count = counts.count(place);
        let share = format!("{:.2} %", 100.0 * count as f64 / records as f64);
        let (file, records) = (String::new(), String::new());
        rows.push([file, records, verdict.name.to_owned(), HumanCount(count).to_string(), share]);
    }
    if records == 0 {
        rows.push(Default::default());
    }
    (rows[first][0], rows[first][1]) = (file.to_owned(), HumanCount(records).to_string());
}

#[cfg(test)]
mod tests {
    use gridmill_core::jobs::{Job, Verify};
    use gridmill_core::solver::SolverKind;

    use super::*;

    #[test]
    fn json_has_every_status() {
        let summary = Summary::new(Engine::Other(SolverKind::Bitmask), &RunTotals::default());
        let json = serde_json::to_value(summary).unwrap();
        for status in Status::ALL {
            assert_eq!(json["statuses"][status.name()], 0);
        }
        assert!(json["time_ns"].is_null());
    }

    #[test]
    fn each_verdict_of_each_file_has_a_row() {
        let verdicts = Verify::default().schema().statuses;
        let mut statuses = vec![0; 2999];
        statuses.push(4);
        let mut files = vec![("a.txt".to_owned(), StatusCounts::new(&statuses, verdicts, 0))];
        assert_eq!(
            verdict_table(verdicts, &files),
            "file   records  verdict   count    share\n\
     a.txt    3,000  unique    2,999  99.97 %\n                conflict      1   0.03 %\n"
        );
        files.push(("empty.txt".to_owned(), StatusCounts::default()));
        let text = verdict_table(verdicts, &files);
        assert!(text.contains("\nempty.txt        0\nall files    3,000  unique"), "{text}");
    }
}
