//! The figures of a collection: as lines for a terminal, as JSON, and as tables for a page or a report.

use std::collections::BTreeMap;
use std::fmt;

use gridmill_core::logic::{Profile, PuzzleRating, Rating, RatingEnd, Technique};
use gridmill_data::output::duration;
use hdrhistogram::Histogram;
use indicatif::HumanCount;
use serde::{Serialize, Serializer};

use super::counts::{Counts, RecordFigures};

/// Counts over all files.
pub struct CollectionCounts {
    counts: Counts,
    guesses: Histogram<u64>,
    times: Histogram<u64>,
    /// The scale of ratings, where they are wanted.
    profile: Option<Profile>,
    /// Puzzles by their hardest technique.
    hardest: [u64; Technique::ALL.len()],
    /// Puzzles that no technique solves.
    unsolved: u64,
}

/// The figures. The fields have the same names in the JSON.
#[derive(Debug, Serialize)]
pub struct Figures {
    pub(crate) files: Vec<String>,
    pub(crate) records: u64,
    /// Records with the same cells as an earlier one.
    pub(crate) duplicates: u64,
    pub(crate) statuses: BTreeMap<&'static str, u64>,
    pub(crate) clues: BTreeMap<u16, u64>,
    pub(crate) symmetries: BTreeMap<&'static str, u64>,
    pub(crate) guesses: Option<Spread>,
    pub(crate) time_ns: Option<Spread>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ratings: Option<RatingFigures>,
}

/// The figures of ratings.
#[derive(Debug, Serialize)]
pub(crate) struct RatingFigures {
    pub(crate) scale: &'static str,
    /// Puzzles by their rating.
    #[serde(serialize_with = "by_name")]
    pub(crate) er: Vec<(Rating, u64)>,
    /// Puzzles by the technique of their rating.
    #[serde(serialize_with = "by_name")]
    pub(crate) hardest: Vec<(Technique, u64)>,
    pub(crate) unsolved: u64,
    pub(crate) quantiles: Option<RatingSpread>,
}

/// The distribution of ratings.
#[derive(Debug, Serialize)]
pub(crate) struct RatingSpread {
    pub(crate) min: f64,
    pub(crate) p50: f64,
    pub(crate) p90: f64,
    pub(crate) p99: f64,
    pub(crate) max: f64,
}

fn by_name<S: Serializer>(counts: &[(impl fmt::Display, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(counts.iter().map(|(name, count)| (name.to_string(), count)))
}

/// The distribution of some numbers, to three figures.
#[derive(Debug, Serialize)]
pub(crate) struct Spread {
    pub(crate) mean: f64,
    pub(crate) p50: u64,
    pub(crate) p90: u64,
    pub(crate) p99: u64,
    pub(crate) max: u64,
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

impl CollectionCounts {
    /// Returns counts of nothing, with ratings on a scale if they are wanted.
    pub fn new(profile: Option<Profile>) -> CollectionCounts {
        let histogram = || Histogram::new(3).expect("three figures can be kept");
        CollectionCounts {
            counts: Counts::default(),
            guesses: histogram(),
            times: histogram(),
            profile,
            hardest: [0; Technique::ALL.len()],
            unsolved: 0,
        }
    }

    /// Counts a record, with its rating if it was rated.
    pub fn add(&mut self, record: &RecordFigures, rating: Option<&PuzzleRating>) {
        self.counts.add(record);
        for (histogram, number) in [(&mut self.guesses, record.guesses), (&mut self.times, record.nanos)] {
            number.map_or(Ok(()), |number| histogram.record(number)).expect("the histogram grows");
        }
        match rating {
            Some(PuzzleRating { end: RatingEnd::Solved, hardest, .. }) => {
                hardest.iter().for_each(|&technique| self.hardest[technique as usize] += 1);
            }
            Some(_) => self.unsolved += 1,
            None => {}
        }
    }

    /// Returns the counts by field.
    pub fn by_field(&self) -> &Counts {
        &self.counts
    }

    /// Returns the figures of a collection of these files.
    pub fn figures(&self, files: Vec<String>, duplicates: u64) -> Figures {
        let counts = &self.counts;
        let never = ["solved", "budget"];
        Figures {
            files,
            records: counts.records(),
            duplicates,
            statuses: counts.statuses().filter(|(name, _)| !never.contains(name)).collect(),
            clues: counts.clues().collect(),
            symmetries: counts.symmetries().collect(),
            guesses: Spread::of(&self.guesses),
            time_ns: Spread::of(&self.times),
            ratings: self.profile.map(|profile| self.rating_figures(profile)),
        }
    }

    fn rating_figures(&self, profile: Profile) -> RatingFigures {
        let ratings = &self.counts.ratings;
        let quantiles = ratings.within([0.0, 0.5, 0.9, 0.99, 1.0]).map(|all| all.map(Rating::number));
        let hardest = Technique::ALL.iter().copied().zip(self.hardest);
        RatingFigures {
            scale: profile.version(),
            er: ratings.all().collect(),
            hardest: hardest.filter(|(_, count)| *count > 0).collect(),
            unsolved: self.unsolved,
            quantiles: quantiles.map(|[min, p50, p90, p99, max]| RatingSpread { min, p50, p90, p99, max }),
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
        self.ratings.as_ref().map_or(Ok(()), |ratings| write!(f, "{ratings}"))
    }
}

/// Rows for a terminal: ratings from the lowest, then techniques from the one that comes first in the scale.
impl fmt::Display for RatingFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.er.iter().map(|(_, count)| count).sum::<u64>() + self.unsolved;
        for (rating, count) in &self.er {
            row(f, "rating", &rating.to_string(), *count, all)?;
        }
        if self.unsolved > 0 {
            row(f, "rating", "unsolved", self.unsolved, all)?;
        }
        for (technique, count) in &self.hardest {
            let share = 100.0 * *count as f64 / all.max(1) as f64;
            writeln!(f, "hardest {:>25}  {share:>6.2} %  {technique}", HumanCount(*count).to_string())?;
        }
        if let Some(RatingSpread { min, p50, p90, p99, max }) = self.quantiles {
            writeln!(
                f,
                "ratings             min {min:.1}  p50 {p50:.1}  p90 {p90:.1}  p99 {p99:.1}  max {max:.1}"
            )?;
        }
        writeln!(f, "scale               {}", self.scale)
    }
}

fn row(f: &mut fmt::Formatter<'_>, what: &str, name: &str, count: u64, all: u64) -> fmt::Result {
    let share = 100.0 * count as f64 / all.max(1) as f64;
    let label = format!("{what} {name}");
    writeln!(f, "{:<18}  {:>13}  {share:>6.2} %", label.trim_end(), HumanCount(count).to_string())
}

/// A table of which the first column names what the others count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    /// The subject of the table.
    pub(crate) caption: String,
    /// The header.
    pub(crate) columns: Vec<&'static str>,
    /// The rows, each as long as the header.
    pub(crate) rows: Vec<Vec<String>>,
}

impl Figures {
    /// Returns tables of all figures. Those that would have no rows are left out, as are rows that count nothing.
    pub(crate) fn tables(&self) -> Vec<Table> {
        let (records, puzzles) = (self.records, self.clues.values().sum());
        let name = |(name, count): (&&str, &u64)| ((*name).to_owned(), *count);
        let total = [("all".to_owned(), records), ("duplicates".to_owned(), self.duplicates)];
        let clues = self.clues.iter().map(|(clues, count)| (clues.to_string(), *count));
        let mut tables = vec![
            counts("Collection", ["Records", "Number", "Share"], total, records),
            counts("Status", ["Status", "Records", "Share"], self.statuses.iter().map(name), records),
            counts("Symmetry", ["Symmetry", "Puzzles", "Share"], self.symmetries.iter().map(name), puzzles),
            searches(self.guesses.as_ref(), self.time_ns.as_ref()),
            counts("Clues", ["Clues", "Puzzles", "Share"], clues, puzzles),
        ];
        tables.extend(self.ratings.iter().flat_map(RatingFigures::tables));
        tables.retain(|table| !table.rows.is_empty());
        tables
    }
}

impl RatingFigures {
    fn tables(&self) -> [Table; 3] {
        let all = self.er.iter().map(|(_, count)| count).sum::<u64>() + self.unsolved;
        let ratings = self.er.iter().map(|(rating, count)| (rating.to_string(), *count));
        let unsolved = [("unsolved".to_owned(), self.unsolved)];
        let hardest = self.hardest.iter().map(|(technique, count)| (technique.to_string(), *count));
        [
            quantiles(self.quantiles.as_ref()),
            counts("Ratings", ["Rating", "Puzzles", "Share"], ratings.chain(unsolved), all),
            counts("Hardest technique", ["Technique", "Puzzles", "Share"], hardest, all),
        ]
    }
}

/// Returns a table of counts, and of their share of all.
fn counts(
    caption: &str,
    columns: [&'static str; 3],
    counts: impl IntoIterator<Item = (String, u64)>,
    all: u64,
) -> Table {
    let row = |(name, count)| {
        let share = 100.0 * count as f64 / all.max(1) as f64;
        vec![name, HumanCount(count).to_string(), format!("{share:.2} %")]
    };
    let rows = counts.into_iter().filter(|(_, count)| *count > 0).map(row).collect();
    Table { caption: caption.to_owned(), columns: columns.to_vec(), rows }
}

/// Returns the distribution of guesses and times.
fn searches(guesses: Option<&Spread>, times: Option<&Spread>) -> Table {
    let rows = guesses.zip(times).map(|(guesses, times)| {
        let row = |name: &str, guesses: u64, nanos: u64| {
            vec![name.to_owned(), HumanCount(guesses).to_string(), duration(nanos)]
        };
        vec![
            vec!["mean".to_owned(), format!("{:.3}", guesses.mean), duration(times.mean.round() as u64)],
            row(MEDIAN, guesses.p50, times.p50),
            row(P90, guesses.p90, times.p90),
            row(P99, guesses.p99, times.p99),
            row("most", guesses.max, times.max),
        ]
    });
    Table {
        caption: "Guesses and time per puzzle".to_owned(),
        columns: vec!["Puzzles", "Guesses", "Time"],
        rows: rows.unwrap_or_default(),
    }
}

const MEDIAN: &str = "median";
const P90: &str = "90 % up to";
const P99: &str = "99 % up to";

/// Returns the distribution of ratings.
fn quantiles(ratings: Option<&RatingSpread>) -> Table {
    let rows = ratings.map(|&RatingSpread { min, p50, p90, p99, max }| {
        let rows = [("least", min), (MEDIAN, p50), (P90, p90), (P99, p99), ("most", max)];
        rows.map(|(name, rating)| vec![name.to_owned(), format!("{rating:.1}")]).into()
    });
    Table {
        caption: "Spread of ratings".to_owned(),
        columns: vec!["Puzzles", "Rating"],
        rows: rows.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_times_are_kept() {
        let mut counts = CollectionCounts::new(None);
        for nanos in [0, 100, 5_000_000_000] {
            let known =
                RecordFigures { guesses: Some(70_000), nanos: Some(nanos), ..RecordFigures::default() };
            counts.add(&known, None);
        }
        let figures = counts.figures(Vec::new(), 0);
        let (guesses, times) = (figures.guesses.unwrap(), figures.time_ns.unwrap());
        assert!((69_900..=70_100).contains(&guesses.max), "{guesses:?}");
        assert!((4_990_000_000..=5_010_000_000).contains(&times.max) && times.p50 == 100, "{times:?}");
    }
}
