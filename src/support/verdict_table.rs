//! The table of verdicts by file, for a terminal.

use std::fmt;

use gridmill_data::record::{Verdict, Verdicts};
use indicatif::HumanCount;

use super::table::{Style, table};

/// The number and share of records with each verdict, file by file; and for all files together, if there are
/// several.
#[derive(Clone, Debug, Default)]
pub(crate) struct VerdictTable(Vec<(String, Verdicts)>);

impl VerdictTable {
    /// Adds a file.
    pub(crate) fn add(&mut self, file: String, verdicts: Verdicts) {
        self.0.push((file, verdicts));
    }

    /// Returns whether there is no file.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the verdicts on all files together.
    #[must_use]
    pub(crate) fn total(&self) -> Verdicts {
        let mut total = Verdicts::default();
        self.0.iter().for_each(|(_, verdicts)| total.merge(verdicts));
        total
    }
}

impl fmt::Display for VerdictTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows = vec![["file", "records", "verdict", "count", "share"].map(str::to_owned)];
        self.0.iter().for_each(|(file, verdicts)| add_rows(file, verdicts, &mut rows));
        if self.0.len() > 1 {
            add_rows("all files", &self.total(), &mut rows);
        }
        f.write_str(&table(&rows, &[0, 2], Style::Plain))
    }
}

/// Adds a row for each verdict with a record; the first row names the file.
fn add_rows(file: &str, verdicts: &Verdicts, rows: &mut Vec<[String; 5]>) {
    let records = verdicts.records();
    let mut lead = [file.to_owned(), HumanCount(records).to_string()];
    for verdict in Verdict::ALL {
        let count = verdicts.count(verdict);
        if count > 0 {
            let share = format!("{:.2} %", 100.0 * count as f64 / records as f64);
            let [file, records] = std::mem::take(&mut lead);
            rows.push([file, records, verdict.name().to_owned(), HumanCount(count).to_string(), share]);
        }
    }
    if records == 0 {
        let [file, records] = lead;
        rows.push([file, records, String::new(), String::new(), String::new()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_verdict_of_each_file_has_a_row() {
        let mut verdicts = Verdicts::default();
        verdicts.add(Verdict::Unique, 2999);
        verdicts.add(Verdict::Conflict, 1);
        let mut table = VerdictTable::default();
        table.add("a.txt".to_owned(), verdicts);
        assert_eq!(
            table.to_string(),
            "file   records  verdict   count    share\n\
             a.txt    3,000  unique    2,999  99.97 %\n                conflict      1   0.03 %\n"
        );
        table.add("empty.txt".to_owned(), Verdicts::default());
        let text = table.to_string();
        assert!(text.contains("\nempty.txt        0\nall files    3,000  unique"), "{text}");
    }
}
