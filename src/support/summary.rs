//! Results of runs on standard error: the summary, which may go to a file as JSON, and the table of verdicts.

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
use super::measurement_table::{Style, table, without};
use super::outputs::{flush, put};

/// A figure that a run came to, beside its counts of statuses.
pub(crate) struct Gain {
    pub(crate) name: &'static str,
    /// For people.
    pub(crate) text: String,
    /// For programs; null where another figure says it all.
    pub(crate) value: Value,
}

impl Gain {
    pub(crate) fn count(name: &'static str, count: u64) -> Gain {
        Gain { name, text: HumanCount(count).to_string(), value: json!(count) }
    }
}

/// Opens the file of `--summary`, if it is wanted. `is_taken` says whether another output goes there.
pub(crate) fn open_summary(
    files: &InputSet<'_>,
    is_taken: impl FnOnce(&Destination) -> bool,
) -> Result<Option<Destination>, Error> {
    files.common.summary.as_deref().map(|path| files.open_beside(path, is_taken)).transpose()
}

/// Writes figures to the file of `--summary`, if there is one.
pub(crate) fn put_summary(file: Option<&mut Destination>, figures: &impl Serialize) -> Result<(), Error> {
    let Some(file) = file else { return Ok(()) };
    put(file, json_text(figures).as_bytes())?;
    flush(file)
}

/// Writes figures to the file of `--summary`, if there is one, and gives it its name.
pub(crate) fn write_summary(file: Option<Destination>, figures: &impl Serialize) -> Result<(), Error> {
    let Some(mut file) = file else { return Ok(()) };
    put_summary(Some(&mut file), figures)?;
    file.commit()
}

/// Returns figures as JSON, to be read by people too.
pub(crate) fn json_text(figures: &impl Serialize) -> String {
    serde_json::to_string_pretty(figures).expect("figures are numbers and names") + "\n"
}

/// Prints how many records there were of each status, `gains` by their names, and the time. Statuses of equal names that
/// stand side by side are counted together.
pub(crate) fn report_run(totals: &RunTotals, names: &[&str], gains: &[Gain]) {
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
    gains.iter().for_each(|gain| put_line(gain.name, &gain.text, &mut text));
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

/// The figures of a run. The fields have the same names in the JSON.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    /// The names of the files.
    inputs: Vec<String>,
    /// The format of the input.
    format: &'static str,
    /// Whether the input was mapped into memory, and not read.
    mapped: bool,
    #[serde(flatten)]
    engine: Option<EngineNames>,
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
    #[serde(flatten)]
    search: Option<SearchFigures>,
    /// Other figures of the job.
    #[serde(flatten)]
    gains: Map<String, Value>,
}

/// The engine of a run.
#[derive(Debug, Serialize)]
struct EngineNames {
    /// Its name.
    engine: &'static str,
    /// Its vector unit, if it has a choice.
    backend: Option<&'static str>,
    /// Features that the processor lacks for a faster backend.
    lacking: Vec<&'static str>,
}

/// The figures of the searches of an engine.
#[derive(Debug, Serialize)]
struct SearchFigures {
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
    /// Returns the figures of a run over files, with those of the engine, if the job is about one.
    pub(crate) fn new(
        files: &InputSet<'_>,
        statuses: &[StatusInfo],
        engine: Option<Engine>,
        gains: &[Gain],
        totals: &RunTotals,
    ) -> Summary {
        let seconds = totals.wall.as_secs_f64();
        let counts = &totals.tally.statuses;
        let statuses = statuses.iter().enumerate().map(|(place, info)| (info.name, counts.count(place)));
        let gains = gains.iter().filter(|gain| !gain.value.is_null());
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
            gains: gains.map(|gain| (gain.name.to_owned(), gain.value.clone())).collect(),
        }
    }

    /// Returns a table of a run of an engine for a terminal.
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
            let lacking = without(lacking);
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

/// Returns the word for so many things: `record`, or `records`.
pub(crate) fn plural(count: u64, thing: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{thing}{ending}")
}

/// Returns a range as text: `21 to 28`, or `24` for one of a single value.
pub(crate) fn range<T: PartialEq + fmt::Display>(least: T, most: T) -> String {
    if least == most { least.to_string() } else { format!("{least} to {most}") }
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

/// Returns the numbers of records with each verdict, file by file and together, for `--summary`.
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

    use super::*;

    #[test]
    fn one_thing_is_no_plural_and_one_value_no_range() {
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
