//! The counts of puzzles and searches, by kind and engine.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::kind::Kind;

/// The columns of the report: the backends of lockstep, and the engines with which they are compared.
pub(crate) const COLUMNS: [&str; 7] =
    ["avx512", "avx512-base", "avx2", "portable", "bitmask", "dancing-links", "backtracking"];

/// The column of the backend that runs on every processor.
pub(crate) const PORTABLE: usize = 3;
pub(crate) const BITMASK: usize = 4;
pub(crate) const DANCING_LINKS: usize = 5;
pub(crate) const BACKTRACKING: usize = 6;

/// The counts of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// The name of the kind.
    pub(crate) kind: String,
    pub(crate) puzzles: u64,
    /// The numbers of puzzles with no solution, one and several. If the limit is one solution, puzzles with
    /// several are counted as "one".
    pub(crate) solutions: [u64; 3],
    /// The guesses of the first engine, which searches all puzzles.
    pub(crate) guesses: u64,
    /// The searches by each engine of `COLUMNS`.
    pub(crate) searches: [u64; COLUMNS.len()],
    /// How many solutions were checked by the naive rules, because they were not known.
    pub(crate) checked: u64,
}

/// The counts of all kinds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) rows: Vec<Row>,
}

impl Tally {
    pub(crate) fn new() -> Tally {
        let rows = Kind::names().map(|kind| Row { kind: kind.to_owned(), ..Row::default() }).collect();
        Tally { rows }
    }

    pub(crate) fn row(&mut self, kind: Kind) -> &mut Row {
        &mut self.rows[kind.index()]
    }

    pub(crate) fn add(&mut self, other: &Tally) {
        for (row, more) in self.rows.iter_mut().zip(&other.rows) {
            row.add(more);
        }
    }

    pub(crate) fn total(&self) -> Row {
        let mut total = Row { kind: "all".to_owned(), ..Row::default() };
        self.rows.iter().for_each(|row| total.add(row));
        total
    }

    /// The number of puzzles that every backend has searched.
    pub(crate) fn by_every_backend(&self) -> u64 {
        self.rows.iter().map(|row| row.searches[PORTABLE]).sum()
    }

    /// The counts as a Markdown table.
    pub(crate) fn table(&self) -> String {
        let mut text = format!(
            "| kind | puzzles | none | one | several | guesses | {} | by the rules |\n",
            COLUMNS.join(" | ")
        );
        text += &format!("|---|{}\n", "---:|".repeat(COLUMNS.len() + 6));
        for row in self.rows.iter().chain([&self.total()]).filter(|row| row.puzzles > 0) {
            let numbers = [row.puzzles]
                .into_iter()
                .chain(row.solutions)
                .chain([row.guesses])
                .chain(row.searches)
                .chain([row.checked]);
            let cells: String = numbers.map(|number| format!(" {} |", grouped(number))).collect();
            let _ = writeln!(text, "| {} |{cells}", row.kind);
        }
        text
    }
}

impl Row {
    fn add(&mut self, more: &Row) {
        self.puzzles += more.puzzles;
        self.guesses += more.guesses;
        self.checked += more.checked;
        self.solutions.iter_mut().zip(more.solutions).for_each(|(count, more)| *count += more);
        self.searches.iter_mut().zip(more.searches).for_each(|(count, more)| *count += more);
    }
}

/// A number with commas between its thousands, e.g. `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn the_last_row_of_the_table_has_the_sums() {
        let mut tally = Tally::new();
        tally.row(Kind::Easy).puzzles = 1000;
        tally.row(Kind::Boxes2x2).puzzles = 5;
        let text = tally.table();
        assert!(text.lines().last().unwrap().starts_with("| all | 1,005 |"), "{text}");
        assert_eq!(text.lines().count(), 5, "{text}");
    }
}
