//! The figures of `gridmill stats`, as a table and as JSON.

use std::collections::BTreeMap;
use std::fmt;

use hdrhistogram::Histogram;
use indicatif::HumanCount;
use serde::Serialize;

use crate::grid::Symmetry;
use crate::record::Status;
use crate::solver::Outcome;

/// What is counted over all files.
pub(crate) struct Counts {
    pub(crate) records: u64,
    pub(crate) statuses: [u64; Status::ALL.len()],
    pub(crate) clues: BTreeMap<u16, u64>,
    pub(crate) symmetries: [u64; Symmetry::ALL.len()],
    /// Puzzles without any of these symmetries.
    pub(crate) asymmetric: u64,
    guesses: Histogram<u64>,
    times: Histogram<u64>,
}

/// The figures. The fields have the same names in the JSON.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    files: Vec<String>,
    records: u64,
    /// Records with the same cells as an earlier one.
    duplicates: u64,
    statuses: BTreeMap<&'static str, u64>,
    clues: BTreeMap<u16, u64>,
    symmetries: BTreeMap<&'static str, u64>,
    guesses: Option<Spread>,
    time_ns: Option<Spread>,
}

/// The distribution of some numbers, to three figures.
#[derive(Debug, Serialize)]
struct Spread {
    mean: f64,
    p50: u64,
    p90: u64,
    p99: u64,
    max: u64,
}

impl Spread {
    fn of(histogram: &Histogram<u64>) -> Option<Spread> {
        let within = |share| histogram.value_at_quantile(share).min(histogram.max());
        let (mean, max) = (histogram.mean(), histogram.max());
        (!histogram.is_empty()).then(|| Spread {
            mean,
            p50: within(0.5),
            p90: within(0.9),
            p99: within(0.99),
            max,
        })
    }
}

impl Counts {
    pub(crate) fn new() -> Counts {
        let histogram = || Histogram::new(3).expect("three figures can be kept");
        Counts {
            records: 0,
            statuses: [0; Status::ALL.len()],
            clues: BTreeMap::new(),
            symmetries: [0; Symmetry::ALL.len()],
            asymmetric: 0,
            guesses: histogram(),
            times: histogram(),
        }
    }

    /// Counts the guesses and the time of a search.
    pub(crate) fn add_search(&mut self, outcome: &Outcome) {
        for (histogram, value) in [(&mut self.guesses, outcome.guesses), (&mut self.times, outcome.nanos)] {
            histogram.record(value).expect("the histogram grows");
        }
    }

    pub(crate) fn figures(self, files: Vec<String>, duplicates: u64) -> Figures {
        let names = Symmetry::ALL.map(Symmetry::name);
        let symmetries = names.into_iter().zip(self.symmetries).chain([("none", self.asymmetric)]);
        let statuses = Status::ALL.map(|status| (status.name(), self.statuses[status as usize]));
        let never = ["solved", "budget"];
        Figures {
            files,
            records: self.records,
            duplicates,
            statuses: statuses.into_iter().filter(|(name, _)| !never.contains(name)).collect(),
            clues: self.clues,
            symmetries: symmetries.collect(),
            guesses: Spread::of(&self.guesses),
            time_ns: Spread::of(&self.times),
        }
    }
}

/// A table for a terminal.
impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (records, puzzles) = (self.records, self.clues.values().sum());
        writeln!(f, "records             {:>13}", HumanCount(records).to_string())?;
        row(f, "duplicates", "", self.duplicates, records)?;
        for (name, count) in self.statuses.iter().filter(|(_, count)| **count > 0) {
            row(f, "status", name, *count, records)?;
        }
        for (name, count) in self.symmetries.iter().filter(|(_, count)| **count > 0) {
            row(f, "symmetry", name, *count, puzzles)?;
        }
        for (clues, count) in &self.clues {
            row(f, "clues", &clues.to_string(), *count, puzzles)?;
        }
        if let Some(Spread { mean, p50, p90, p99, max }) = self.guesses {
            writeln!(f, "guesses             mean {mean:.3}  p50 {p50}  p90 {p90}  p99 {p99}  max {max}")?;
        }
        if let Some(Spread { mean, p50, p90, p99, max }) = self.time_ns {
            writeln!(f, "time in ns          mean {mean:.0}  p50 {p50}  p90 {p90}  p99 {p99}  max {max}")?;
        }
        Ok(())
    }
}

fn row(f: &mut fmt::Formatter<'_>, what: &str, name: &str, count: u64, all: u64) -> fmt::Result {
    let share = 100.0 * count as f64 / all.max(1) as f64;
    let label = format!("{what} {name}");
    writeln!(f, "{:<18}  {:>13}  {share:>6.2} %", label.trim_end(), HumanCount(count).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_times_are_kept() {
        let mut counts = Counts::new();
        for nanos in [0, 100, 5_000_000_000] {
            counts.add_search(&Outcome { guesses: 70_000, nanos, ..Outcome::NONE });
        }
        let figures = counts.figures(Vec::new(), 0);
        let (guesses, times) = (figures.guesses.unwrap(), figures.time_ns.unwrap());
        assert!((69_900..=70_100).contains(&guesses.max), "{guesses:?}");
        assert!((4_990_000_000..=5_010_000_000).contains(&times.max) && times.p50 == 100, "{times:?}");
    }
}
