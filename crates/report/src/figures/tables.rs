//! Figures as tables of texts, for a page or a report.

use gridmill_data::output::duration;
use indicatif::HumanCount;

use super::collection_figures::{Figures, RatingFigures, RatingSpread, Spread};

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
