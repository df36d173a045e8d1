//! The table of verdicts by file, for a terminal.

use std::fmt;

use gridmill_core::jobs::StatusInfo;
use gridmill_data::record::StatusCounts;
use indicatif::HumanCount;

use super::table::{Style, table};

/// The number and share of records with each verdict, file by file; and for all files together, if there are
/// several.
#[derive(Clone, Debug)]
pub(crate) struct VerdictTable {
    verdicts: &'static [StatusInfo],
    files: Vec<(String, StatusCounts)>,
}

impl VerdictTable {
    /// Returns the table of a job with these verdicts, of no files yet.
    #[must_use]
    pub(crate) fn new(verdicts: &'static [StatusInfo]) -> VerdictTable {
        VerdictTable { verdicts, files: Vec::new() }
    }

    /// Adds a file.
    pub(crate) fn add(&mut self, file: String, counts: StatusCounts) {
        self.files.push((file, counts));
    }

    /// Returns whether there is no file.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the counts of all files together.
    #[must_use]
    pub(crate) fn total(&self) -> StatusCounts {
        let mut total = StatusCounts::default();
        self.files.iter().for_each(|(_, counts)| total.merge(counts));
        total
    }
}

impl fmt::Display for VerdictTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows = vec![["file", "records", "verdict", "count", "share"].map(str::to_owned)];
        self.files.iter().for_each(|(file, counts)| add_rows(file, self.verdicts, counts, &mut rows));
        if self.files.len() > 1 {
            add_rows("all files", self.verdicts, &self.total(), &mut rows);
        }
        f.write_str(&table(&rows, &[0, 2], Style::Plain))
    }
}

/// Adds a row for each verdict with a record; the first row names the file.
fn add_rows(file: &str, verdicts: &[StatusInfo], counts: &StatusCounts, rows: &mut Vec<[String; 5]>) {
    let records = counts.records();
    let mut lead = [file.to_owned(), HumanCount(records).to_string()];
    for (place, verdict) in verdicts.iter().enumerate() {
        let count = counts.count(place);
        if count > 0 {
            let share = format!("{:.2} %", 100.0 * count as f64 / records as f64);
            let [file, records] = std::mem::take(&mut lead);
            rows.push([file, records, verdict.name.to_owned(), HumanCount(count).to_string(), share]);
        }
    }
    if records == 0 {
        let [file, records] = lead;
        rows.push([file, records, String::new(), String::new(), String::new()]);
    }
}

#[cfg(test)]
mod tests {
    use gridmill_core::jobs::{Job, Verify};

    use super::*;

    #[test]
    fn each_verdict_of_each_file_has_a_row() {
        let verdicts = Verify::default().schema().statuses;
        let mut statuses = vec![0; 2999];
        statuses.push(3);
        let mut table = VerdictTable::new(verdicts);
        table.add("a.txt".to_owned(), StatusCounts::new(&statuses, verdicts, 0));
        assert_eq!(
            table.to_string(),
            "file   records  verdict   count    share\n\
             a.txt    3,000  unique    2,999  99.97 %\n                conflict      1   0.03 %\n"
        );
        table.add("empty.txt".to_owned(), StatusCounts::default());
        let text = table.to_string();
        assert!(text.contains("\nempty.txt        0\nall files    3,000  unique"), "{text}");
    }
}
