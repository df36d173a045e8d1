//! The summary of a run on standard error.

use std::fmt;
use std::io::Write;
use std::time::Duration;

use console::style;
use gridmill_core::solver::Engine;
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::Destination;
use gridmill_report::eprint_message;
use indicatif::HumanCount;

use super::input_args::InputArgs;
use super::input_set::{InputSet, RunTotals};
use super::job_run::RunSummary;
use super::outputs::put;
use super::summary::Summary;

/// Returns the summary of a run of an engine over files.
pub(crate) fn search_summary(files: &InputSet<'_>, input: &InputArgs, engine: Engine) -> SearchSummary {
    let names = files.names().map(|name| name.display().to_string()).collect();
    let (format, threads) = (files.layout().format_name(), input.common.threads());
    let summary = Summary::new(names, format, files.is_mapped(), engine.name(), threads);
    let part = files.shard().map(|shard| shard.to_string());
    let summary = Summary { backend: engine.backend(), lacking: engine.lacking(), part, ..summary };
    SearchSummary { summary, is_shown: !input.common.quiet && !input.answers_a_person() }
}

/// The summary of a run that searches, for people and perhaps for a file.
pub(crate) struct SearchSummary {
    /// The names, the format and the engine of the run. The counts are added at its end.
    pub(crate) summary: Summary,
    /// Whether it is printed.
    pub(crate) is_shown: bool,
}

impl RunSummary for SearchSummary {
    fn report(
        &self,
        totals: &RunTotals,
        wall: Duration,
        beside: Option<&mut Destination>,
    ) -> Result<(), Error> {
        let complete = !totals.stopped && !totals.lacks_files;
        let summary = Summary { complete, ..self.summary.clone().with_counts(&totals.tally, wall) };
        if self.is_shown {
            eprint_message(&summary);
        }
        let Some(file) = beside else { return Ok(()) };
        let text = serde_json::to_string_pretty(&summary).expect("a summary has only numbers and names");
        put(file, format!("{text}\n").as_bytes())?;
        file.flush().map_err(|error| ErrorKind::Write { error }.into())
    }
}

/// Prints how many records there were of each status, `gains` by their names, and the time. Statuses of equal names that
/// stand side by side are counted together.
pub(crate) fn report_run(totals: &RunTotals, wall: Duration, names: &[&str], gains: &[(&str, String)]) {
    if let Some(shard) = totals.shard {
        line("part", format_args!("{shard}"));
    }
    let incomplete = if totals.stopped { ", not all of the input" } else { "" };
    line("records", format_args!("{}{incomplete}", HumanCount(totals.records)));
    let mut counts: Vec<(&str, u64)> = Vec::new();
    for (index, &name) in names.iter().enumerate() {
        let count = totals.tally.statuses.count(index);
        match counts.last_mut().filter(|(last, _)| *last == name) {
            Some((_, sum)) => *sum += count,
            None => counts.push((name, count)),
        }
    }
    // A run that is stopped may have counted records that were not written.
    let counted = totals.tally.statuses.records() as f64;
    for (name, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        let share = 100.0 * count as f64 / counted;
        line("", format_args!("{name:<10} {:>13}  {share:>6.2} %", HumanCount(count).to_string()));
    }
    for (name, text) in gains {
        line(name, format_args!("{text}"));
    }
    let seconds = wall.as_secs_f64();
    let rate = HumanCount((totals.records as f64 / seconds.max(1e-9)).round() as u64);
    line("wall time", format_args!("{seconds:.3} s, {rate} puzzles a second"));
}

fn line(name: &str, text: fmt::Arguments<'_>) {
    eprint_message(format_args!("{:>10}  {text}\n", style(name).for_stderr().bold()));
}
