//! The summary of a run, for people and for programs.

use std::fmt;
use std::time::Duration;

use gridmill_core::jobs::Status;
use gridmill_data::record::Tally;
use indicatif::HumanCount;
use serde::{Serialize, Serializer};

use crate::support::measurement_table::without;
use gridmill_data::output::duration;

/// The figures of a run. The fields have the same names in the JSON.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub(crate) struct Summary {
    /// The names of the files.
    pub inputs: Vec<String>,
    /// The format of the input.
    pub format: &'static str,
    /// Whether the input was mapped into memory, and not read.
    pub mapped: bool,
    /// The engine.
    pub engine: &'static str,
    /// The vector unit of the engine, if it has a choice.
    pub backend: Option<&'static str>,
    /// Features that the processor lacks for a faster backend.
    pub lacking: Vec<&'static str>,
    /// Worker threads.
    pub threads: usize,
    /// Which part of the input was to be processed, if not the whole: `3 of 64`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Whether the whole input, or all of that part, was processed.
    pub complete: bool,
    /// Records written.
    pub records: u64,
    /// Records by status.
    #[serde(serialize_with = "by_name")]
    pub statuses: [(Status, u64); Status::ALL.len()],
    /// Wall time of the run, in seconds.
    pub seconds: f64,
    /// Records a second of wall time.
    pub records_per_second: f64,
    /// Guesses over all puzzles that were searched.
    pub guesses: u64,
    /// Guesses per puzzle.
    pub guesses_per_puzzle: f64,
    /// The share of the puzzles that needed no guess, from 0 to 1.
    pub share_without_guess: f64,
    /// Time per puzzle, in nanoseconds; nothing if none was searched.
    pub time_ns: Option<Times>,
}

/// Times of puzzles, in nanoseconds. Percentiles are good to two figures.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub(crate) struct Times {
    /// The sum: the time that the solvers spent, over all threads.
    pub total: u64,
    /// The shortest.
    pub min: u64,
    /// The median.
    pub p50: u64,
    /// The 90th percentile.
    pub p90: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The 99.9th percentile.
    #[serde(rename = "p99.9")]
    pub p99_9: u64,
    /// The longest.
    pub max: u64,
}

fn by_name<S: Serializer>(statuses: &[(Status, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(statuses.iter().map(|(status, count)| (status.name(), count)))
}

impl Summary {
    /// Fills in the figures that come from the counts and the wall time.
    #[must_use]
    pub(crate) fn with_counts(self, tally: &Tally, wall: Duration) -> Summary {
        let per_puzzle = |count: u64| count as f64 / tally.searched.max(1) as f64;
        Summary {
            records: tally.statuses.records(),
            statuses: Status::ALL.map(|status| (status, tally.statuses.count(status as usize))),
            seconds: wall.as_secs_f64(),
            records_per_second: tally.statuses.records() as f64 / wall.as_secs_f64().max(1e-9),
            guesses: tally.guesses,
            guesses_per_puzzle: per_puzzle(tally.guesses),
            share_without_guess: per_puzzle(tally.unguessed),
            time_ns: times(tally),
            ..self
        }
    }

    /// Returns the summary of a run before its counts are known.
    #[must_use]
    pub(crate) fn new(
        inputs: Vec<String>,
        format: &'static str,
        mapped: bool,
        engine: &'static str,
        threads: usize,
    ) -> Summary {
        let statuses = Status::ALL.map(|status| (status, 0));
        Summary {
            inputs,
            format,
            mapped,
            engine,
            backend: None,
            lacking: Vec::new(),
            threads,
            statuses,
            part: None,
            complete: true,
            records: 0,
            seconds: 0.0,
            records_per_second: 0.0,
            guesses: 0,
            guesses_per_puzzle: 0.0,
            share_without_guess: 0.0,
            time_ns: None,
        }
    }
}

fn times(tally: &Tally) -> Option<Times> {
    let (min, max) = tally.extremes?;
    let at = |share| tally.time_at(share);
    let (p50, p90, p99, p99_9) = (at(0.5)?, at(0.9)?, at(0.99)?, at(0.999)?);
    Some(Times { total: tally.nanos, min, p50, p90, p99, p99_9, max })
}

/// A table for a terminal.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.mapped { "mapped" } else { "streamed" };
        let threads =
            if self.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", self.threads) };
        line(f, "input", format_args!("{} ({}, {how})", self.inputs.join(" "), self.format))?;
        if let Some(part) = &self.part {
            line(f, "part", format_args!("{part}"))?;
        }
        let backend = self.backend.map(|backend| format!(" on {backend}")).unwrap_or_default();
        let lacking = without(&self.lacking);
        line(f, "engine", format_args!("{}{backend}{lacking}, {threads}", self.engine))?;
        let incomplete = if self.complete { "" } else { ", not all of the input" };
        line(f, "records", format_args!("{}{incomplete}", HumanCount(self.records)))?;
        for (status, count) in self.statuses.iter().filter(|(_, count)| *count > 0) {
            let share = 100.0 * *count as f64 / self.records as f64;
            line(
                f,
                "",
                format_args!("{:<10} {:>13}  {share:>6.2} %", status.name(), HumanCount(*count).to_string()),
            )?;
        }
        let rate = HumanCount(self.records_per_second.round() as u64);
        line(f, "wall time", format_args!("{:.3} s, {rate} puzzles a second", self.seconds))?;
        let Some(times) = self.time_ns else { return Ok(()) };
        let quantiles = [
            ("min", times.min),
            ("p50", times.p50),
            ("p90", times.p90),
            ("p99", times.p99),
            ("p99.9", times.p99_9),
            ("max", times.max),
        ];
        let quantiles = quantiles.map(|(name, nanos)| format!("{name} {}", duration(nanos)));
        line(f, "a puzzle", format_args!("{}", quantiles.join("  ")))?;
        let unguessed = 100.0 * self.share_without_guess;
        line(f, "guesses", format_args!("{:.3} a puzzle, {unguessed:.2} % without", self.guesses_per_puzzle))
    }
}

fn line(f: &mut fmt::Formatter<'_>, name: &str, text: fmt::Arguments<'_>) -> fmt::Result {
    writeln!(f, "{:>10}  {text}", console::style(name).for_stderr().bold())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_every_status() {
        let summary = Summary::new(vec!["x".to_owned()], "line", true, "bitmask", 1)
            .with_counts(&Tally::default(), Duration::from_secs(1));
        let json = serde_json::to_value(summary).unwrap();
        for status in Status::ALL {
            assert_eq!(json["statuses"][status.name()], 0);
        }
        assert!(json["time_ns"].is_null());
    }
}
