//! Results of runs on standard error: the summary, which can also be saved as JSON, and the table of
//! verdicts.

use std::fmt;

use console::style;
use gridmill_core::grid::Shape;
use gridmill_core::jobs::{Grade, Status, StatusInfo};
use gridmill_core::solver::Engine;
use gridmill_data::error::Error;
use gridmill_data::output::{Destination, duration};
use gridmill_data::record::{StatusCounts, Tally};
use gridmill_data::text::Layout;
use gridmill_report::eprint_message;
use indicatif::HumanCount;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::command_error::report;
use super::inputs::{CommonArgs, InputSet, RunTotals};
use super::measurement_table::{Style, lacking_note, table};
use super::outputs::{flush, put};

/// A result of a run, besides its counts of statuses.
pub(crate) struct ResultLine {
    pub(crate) name: &'static str,
    /// The value for people.
    pub(crate) text: String,
    /// The value for programs; null if another figure already contains it.
    pub(crate) value: Value,
}

impl ResultLine {
    pub(crate) fn count(name: &'static str, count: u64) -> ResultLine {
        ResultLine { name, text: HumanCount(count).to_string(), value: json!(count) }
    }
}

/// Opens the file of `--summary`, if the user wants one. `is_taken` checks whether another output has the
/// same place.
pub(crate) fn open_summary(
    files: &InputSet<'_>,
    is_taken: impl FnOnce(&Destination) -> bool,
) -> Result<Option<Destination>, Error> {
    files.common.summary.as_deref().map(|path| files.open_another_output(path, is_taken)).transpose()
}

/// Writes figures to the file of `--summary`, if there is one.
pub(crate) fn put_summary(file: Option<&mut Destination>, figures: &impl Serialize) -> Result<(), Error> {
    let Some(file) = file else { return Ok(()) };
    put(file, json_text(figures).as_bytes())?;
    flush(file)
}

/// Writes figures to the file of `--summary`, if there is one, and completes it.
pub(crate) fn write_summary(file: Option<Destination>, figures: &impl Serialize) -> Result<(), Error> {
    let Some(mut file) = file else { return Ok(()) };
    put_summary(Some(&mut file), figures)?;
    file.commit()
}

/// Figures as JSON, with indentation so that people can read it too.
pub(crate) fn json_text(figures: &impl Serialize) -> String {
    serde_json::to_string_pretty(figures).expect("figures are numbers and names") + "\n"
}

/// Prints the number of records of each status, the `results`, and the time. Neighbouring statuses with equal
/// names are counted together.
pub(crate) fn report_run(totals: &RunTotals, names: &[&str], results: &[ResultLine]) {
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
    // The shares are of the records with a status.
    put_counts(&counts, totals.tally.statuses.records(), &mut text);
    results.iter().for_each(|result| put_line(result.name, &result.text, &mut text));
    let seconds = totals.wall.as_secs_f64();
    put_time(seconds, totals.records as f64 / seconds.max(1e-9), &mut text);
    eprint_message(text);
}

/// Reports which boxes were assumed, if puzzles have no solution and the other orientation is possible (e.g.
/// 2x3 or 3x2 for 6x6). The file does not say which is right, and the assumed one is only more common.
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
            "puzzles without a solution in boxes of {shape} (rows x columns): {unsolved}; if their boxes are {turned}, give --shape {turned}"
        ));
    }
}

/// The figures of a run. The fields have the same names in the JSON.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    /// The names of the files.
    inputs: Vec<String>,
    /// The format of the input.
    format: &'static str,
    /// Whether the input was mapped into memory instead of being read.
    mapped: bool,
    #[serde(flatten)]
    engine: Option<EngineNames>,
    /// Worker threads.
    threads: usize,
    /// The part of the input to be processed, if it is not the whole, e.g. `3 of 64`.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<String>,
    /// Whether the whole input, or the whole part, was processed.
    complete: bool,
    /// Records written.
    records: u64,
    /// Records by status.
    statuses: Named,
    /// Wall time of the run, in seconds.
    seconds: f64,
    /// Records per second of wall time.
    records_per_second: f64,
    #[serde(flatten)]
    search: Option<SearchFigures>,
    /// Other results of the job.
    #[serde(flatten)]
    results: Map<String, Value>,
}

/// The engine of a run.
#[derive(Debug, Serialize)]
struct EngineNames {
    engine: &'static str,
    /// The vector unit, if the engine can use several.
    backend: Option<&'static str>,
    /// Features that the processor lacks for a faster backend.
    lacking: Vec<&'static str>,
}

/// The figures of an engine's searches.
#[derive(Debug, Serialize)]
struct SearchFigures {
    /// The guesses for all searched puzzles.
    guesses: u64,
    /// Guesses per puzzle.
    guesses_per_puzzle: f64,
    /// The share of the puzzles that needed no guess, from 0 to 1.
    share_without_guess: f64,
    /// The time per puzzle in nanoseconds; `None` if no puzzle was searched.
    time_ns: Option<Named>,
}

/// Numbers with names, which are an object in JSON.
#[derive(Debug, Default)]
struct Named(Vec<(&'static str, u64)>);

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

impl Summary {
    /// The figures of a run over files. Those of the engine are included if the job has one.
    pub(crate) fn new(
        files: &InputSet<'_>,
        statuses: &[StatusInfo],
        engine: Option<Engine>,
        results: &[ResultLine],
        totals: &RunTotals,
    ) -> Summary {
        let seconds = totals.wall.as_secs_f64();
        let counts = &totals.tally.statuses;
        let statuses = statuses.iter().enumerate().map(|(place, info)| (info.name, counts.count(place)));
        let results = results.iter().filter(|result| !result.value.is_null());
        Summary {
            inputs: files.seen.iter().map(|seen| seen.name.display().to_string()).collect(),
            format: files.layout().format_name(),
            mapped: files.seen.iter().all(|seen| seen.is_mapped),
            engine: engine.map(EngineNames::new),
            threads: files.common.threads(),
            part: totals.shard.map(|shard| shard.to_string()),
            complete: !totals.stopped && !totals.lacks_files,
            records: counts.records(),
            statuses: Named(statuses.collect()),
            seconds,
            records_per_second: counts.records() as f64 / seconds.max(1e-9),
            search: engine.map(|_| SearchFigures::new(&totals.tally)),
            results: results.map(|result| (result.name.to_owned(), result.value.clone())).collect(),
        }
    }

    /// The figures as a table for a terminal.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let how = if self.mapped { "mapped" } else { "streamed" };
        let threads =
            if self.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", self.threads) };
        put_line("input", format_args!("{} ({}, {how})", self.inputs.join(" "), self.format), &mut text);
        if let Some(part) = &self.part {
            put_line("part", part, &mut text);
        }
        if let Some(EngineNames { engine, backend, lacking }) = &self.engine {
            let backend = backend.map(|backend| format!(" on {backend}")).unwrap_or_default();
            let lacking = lacking_note(lacking);
            put_line("engine", format_args!("{engine}{backend}{lacking}, {threads}"), &mut text);
        }
        put_records(self.records, self.complete, &mut text);
        put_counts(&self.statuses.0, self.records, &mut text);
        put_time(self.seconds, self.records_per_second, &mut text);
        if let Some(search) = &self.search {
            search.put_lines(&mut text);
        }
        text
    }
}

impl EngineNames {
    fn new(engine: Engine) -> EngineNames {
        EngineNames { engine: engine.name(), backend: engine.backend(), lacking: engine.lacking() }
    }
}

impl SearchFigures {
    fn new(tally: &Tally) -> SearchFigures {
        let per_puzzle = |count: u64| count as f64 / tally.searched.max(1) as f64;
        SearchFigures {
            guesses: tally.guesses,
            guesses_per_puzzle: per_puzzle(tally.guesses),
            share_without_guess: per_puzzle(tally.unguessed),
            time_ns: times(tally),
        }
    }

    fn put_lines(&self, text: &mut String) {
        let Some(Named(times)) = &self.time_ns else { return };
        let shown = times.iter().filter(|(name, _)| *name != "total");
        let shown: Vec<String> = shown.map(|(name, nanos)| format!("{name} {}", duration(*nanos))).collect();
        put_line("a puzzle", shown.join("  "), text);
        let (each, unguessed) = (self.guesses_per_puzzle, 100.0 * self.share_without_guess);
        put_line("guesses", format_args!("{each:.3} a puzzle, {unguessed:.2} % without"), text);
    }
}

/// A noun in singular or plural, e.g. `record` or `records`.
pub(crate) fn plural(count: u64, thing: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{thing}{ending}")
}

/// A range as text, e.g. `21 to 28`, or `24` if both ends are equal.
pub(crate) fn range<T: PartialEq + fmt::Display>(least: T, most: T) -> String {
    if least == most { least.to_string() } else { format!("{least} to {most}") }
}

/// The times of puzzles: their sum over all threads, the shortest, some percentiles with two significant
/// figures, and the longest; `None` if no puzzle was searched.
fn times(tally: &Tally) -> Option<Named> {
    let (min, max) = tally.extremes?;
    let mut times = vec![("total", tally.nanos), ("min", min)];
    for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)] {
        times.push((name, tally.time_at(share)?));
    }
    times.push(("max", max));
    Some(Named(times))
}

/// Prints lines, each with a name and a text. The names are aligned to the right, in a column of at least
/// `least` characters.
pub(crate) fn report_lines(least: usize, lines: &[(&str, String)]) {
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(least);
    lines.iter().for_each(|(name, text)| eprint_message(format_args!("{name:>width$}  {text}\n")));
}

/// Appends the number of records, and a note if they are not all.
fn put_records(records: u64, is_complete: bool, text: &mut String) {
    let incomplete = if is_complete { "" } else { ", not all of the input" };
    put_line("records", format_args!("{}{incomplete}", HumanCount(records)), text);
}

/// Appends a line for each status that occurs, with its share of the records.
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

/// A table with the number and share of records of each verdict, for each file. If there are several files,
/// it also has their totals.
pub(crate) fn verdict_table(verdicts: &[StatusInfo], files: &[(String, StatusCounts)]) -> String {
    let mut rows = vec![["file", "records", "verdict", "count", "share"].map(str::to_owned)];
    files.iter().for_each(|(file, counts)| add_rows(file, verdicts, counts, &mut rows));
    if files.len() > 1 {
        add_rows("all files", verdicts, &total(files), &mut rows);
    }
    table(&rows, &[0, 2], Style::Plain)
}

/// The numbers of records of each verdict, for each file and in total, for `--summary`.
pub(crate) fn verdict_figures(
    verdicts: &[StatusInfo],
    files: &[(String, StatusCounts)],
    is_whole: bool,
) -> Value {
    let named = |counts: &StatusCounts| -> Map<String, Value> {
        let named = verdicts.iter().enumerate();
        named.map(|(place, verdict)| (verdict.name.to_owned(), json!(counts.count(place)))).collect()
    };
    let file = |(name, counts): &(String, StatusCounts)| json!({ "file": name, "records": counts.records(), "verdicts": named(counts) });
    let all = total(files);
    json!({
        "complete": is_whole,
        "records": all.records(),
        "verdicts": named(&all),
        "files": files.iter().map(file).collect::<Vec<_>>(),
    })
}

/// The totals of all files.
pub(crate) fn total(files: &[(String, StatusCounts)]) -> StatusCounts {
    let mut total = StatusCounts::default();
    files.iter().for_each(|(_, counts)| total.merge(counts));
    total
}

/// Adds a row for each verdict that occurs, or an empty row if there are no records. The first row names the
/// file.
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

    use super::*;

    #[test]
    fn one_thing_is_singular_and_one_value_is_not_a_range() {
        assert_eq!([0, 1, 2].map(|count| plural(count, "record")), ["records", "record", "records"]);
        assert_eq!([range(24, 24), range(21, 28)], ["24", "21 to 28"]);
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
