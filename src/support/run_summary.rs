//! The summary of a run on standard error.

use std::fmt;
use std::time::Duration;

use console::style;
use gridmill_data::pipeline::Engine;
use gridmill_data::record::Status;
use gridmill_report::eprint_message;
use indicatif::HumanCount;

use super::input_args::InputArgs;
use super::input_set::{InputSet, RunTotals};
use crate::support::summary::Summary;

/// Returns the summary of a run of an engine over files, before its counts are known.
pub(crate) fn summary_of(files: &InputSet<'_>, input: &InputArgs, engine: Engine) -> Summary {
    let names = files.names().map(|name| name.display().to_string()).collect();
    let (format, threads) = (files.layout().format_name(), input.common.threads());
    let summary = Summary::new(names, format, files.is_mapped(), engine.name(), threads);
    let part = files.shard().map(|shard| shard.to_string());
    Summary { backend: engine.backend(), lacking: engine.lacking(), part, ..summary }
}

/// Prints how many records there were of each status, `gains` by their names, and the time. A status is named by
/// `name`.
pub(crate) fn report_run(
    totals: &RunTotals,
    wall: Duration,
    name: impl Fn(Status) -> &'static str,
    gains: &[(&str, String)],
) {
    if let Some(shard) = totals.shard {
        line("part", format_args!("{shard}"));
    }
    let incomplete = if totals.stopped { ", not all of the input" } else { "" };
    line("records", format_args!("{}{incomplete}", HumanCount(totals.records)));
    let counts = Status::ALL.map(|status| (status, totals.tally.count(status)));
    // A run that is stopped may have counted records that were not written.
    let counted = totals.tally.records() as f64;
    for (status, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        let share = 100.0 * count as f64 / counted;
        line("", format_args!("{:<10} {:>13}  {share:>6.2} %", name(status), HumanCount(count).to_string()));
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
