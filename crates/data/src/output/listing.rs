//! Listings of records with their verdicts.

use std::borrow::Cow;
use std::path::Path;

use super::CountedBefore;
use super::csv::{printable, put_field};
use crate::record::Verdict;
use crate::text::{FaultAdvice, FaultKind, PuzzleText, no_advice};

/// A record with its verdict. Records, lines and columns count from 1.
#[derive(Debug)]
pub struct Listed<'a, P> {
    /// The record.
    pub record: u64,
    /// The line.
    pub line: u64,
    /// The column, in characters, if the verdict is about a single one.
    pub column: Option<u64>,
    /// The text of the record.
    pub text: &'a [u8],
    /// The puzzle, if it could be read.
    pub puzzle: Option<&'a P>,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason of the verdict; empty for a good record.
    pub reason: &'a str,
    /// The fault that the reason ends with, if any.
    pub fault: Option<FaultKind>,
}

/// A column of a listing as CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListedColumn {
    /// The name of the file.
    File,
    /// The number of the record in it.
    Record,
    /// The line.
    Line,
    /// The puzzle, or the text that is none.
    Puzzle,
    /// The verdict.
    Verdict,
    /// The reason of the verdict.
    Reason,
}

impl ListedColumn {
    /// Every column, in the usual order.
    pub const ALL: [ListedColumn; 6] = [
        ListedColumn::File,
        ListedColumn::Record,
        ListedColumn::Line,
        ListedColumn::Puzzle,
        ListedColumn::Verdict,
        ListedColumn::Reason,
    ];

    /// Returns the name of the column.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ListedColumn::File => "file",
            ListedColumn::Record => "record",
            ListedColumn::Line => "line",
            ListedColumn::Puzzle => "puzzle",
            ListedColumn::Verdict => "verdict",
            ListedColumn::Reason => "reason",
        }
    }
}

/// How the records of a file are listed.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The name of the file, as it is written in a row.
    name: Vec<u8>,
    /// The columns of CSV; `None` for lines.
    columns: Option<Vec<ListedColumn>>,
    advice: FaultAdvice,
    /// What is in front of the records, where their numbers begin at a part.
    before: Option<CountedBefore>,
}

impl Listing {
    /// Returns the header row of a listing as CSV with these columns.
    ///
    /// ```
    /// use gridmill_data::output::{ListedColumn, Listing};
    ///
    /// let columns = [ListedColumn::Record, ListedColumn::Verdict];
    /// assert_eq!(Listing::csv_header(&columns), "record,verdict\n");
    /// ```
    #[must_use]
    pub fn csv_header(columns: &[ListedColumn]) -> String {
        let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
        names.join(",") + "\n"
    }

    /// Returns a listing in lines as compilers write them: `puzzles.txt:7: multiple: two solutions or more`.
    #[must_use]
    pub fn lines(file: &Path) -> Listing {
        Listing {
            name: file.display().to_string().into_bytes(),
            columns: None,
            advice: no_advice,
            before: None,
        }
    }

    /// Returns a listing in rows of CSV with these columns, to go below [`Listing::csv_header`].
    #[must_use]
    pub fn csv(file: &Path, columns: &[ListedColumn]) -> Listing {
        let mut name = Vec::new();
        put_field(&file.display().to_string(), &mut name);
        Listing { name, columns: Some(columns.to_vec()), advice: no_advice, before: None }
    }

    /// Adds advice about faults to the reasons.
    #[must_use]
    pub fn with_advice(self, advice: FaultAdvice) -> Listing {
        Listing { advice, ..self }
    }

    /// Adds what is in front of a part to the numbers of its records and lines.
    #[must_use]
    pub fn with_numbers_from(self, before: Option<CountedBefore>) -> Listing {
        Listing { before, ..self }
    }

    /// Appends the row of a record.
    pub fn row<P: PuzzleText>(&self, listed: &Listed<'_, P>, rows: &mut Vec<u8>) {
        let reason = match listed.fault {
            Some(fault) => Cow::Owned(format!("{}{}", listed.reason, (self.advice)(fault))),
            None => Cow::Borrowed(listed.reason),
        };
        let before = self.before.as_ref().map(CountedBefore::totals).unwrap_or_default();
        let listed =
            &Listed { record: before.records + listed.record, line: before.lines + listed.line, ..*listed };
        match &self.columns {
            Some(columns) => self.csv_row(columns, listed, &reason, rows),
            None => self.line(listed, &reason, rows),
        }
        rows.push(b'\n');
    }

    fn csv_row<P: PuzzleText>(
        &self,
        columns: &[ListedColumn],
        listed: &Listed<'_, P>,
        reason: &str,
        rows: &mut Vec<u8>,
    ) {
        let start = rows.len();
        for (place, &column) in columns.iter().enumerate() {
            if place > 0 {
                rows.push(b',');
            }
            match (column, listed.puzzle) {
                (ListedColumn::File, _) => rows.extend_from_slice(&self.name),
                (ListedColumn::Record, _) => put_number(listed.record, rows),
                (ListedColumn::Line, _) => put_number(listed.line, rows),
                (ListedColumn::Puzzle, Some(puzzle)) => puzzle.write(rows),
                (ListedColumn::Puzzle, None) => put_field(&printable(listed.text), rows),
                (ListedColumn::Verdict, _) => rows.extend_from_slice(listed.verdict.name().as_bytes()),
                (ListedColumn::Reason, _) => put_field(reason, rows),
            }
        }
        if rows.len() == start {
            // A line without anything is no row.
            rows.extend_from_slice(b"\"\"");
        }
    }

    fn line<P>(&self, listed: &Listed<'_, P>, reason: &str, rows: &mut Vec<u8>) {
        rows.extend_from_slice(&self.name);
        rows.push(b':');
        put_number(listed.line, rows);
        if let Some(column) = listed.column {
            rows.push(b':');
            put_number(column, rows);
        }
        rows.extend_from_slice(b": ");
        rows.extend_from_slice(listed.verdict.name().as_bytes());
        if !reason.is_empty() {
            rows.extend_from_slice(b": ");
            rows.extend_from_slice(reason.as_bytes());
        }
    }
}

fn put_number(number: u64, rows: &mut Vec<u8>) {
    rows.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}
