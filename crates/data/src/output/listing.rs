//! Listings of records with their verdicts.

use std::borrow::Cow;
use std::path::Path;

use gridmill_core::jobs::{Column, Grade, Value};

use super::CountedBefore;
use super::csv::{printable, put_field, put_number};
use crate::record::{AnsweredRecords, Places, Sink, Subject};
use crate::text::{FaultAdvice, PuzzleText, no_advice};

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
    /// Whether records whose verdict is right are listed too.
    all: bool,
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
            all: false,
            advice: no_advice,
            before: None,
        }
    }

    /// Returns a listing in rows of CSV with these columns, to go below [`Listing::csv_header`].
    #[must_use]
    pub fn csv(file: &Path, columns: &[ListedColumn]) -> Listing {
        let mut name = Vec::new();
        put_field(&file.display().to_string(), &mut name);
        Listing { columns: Some(columns.to_vec()), name, ..Listing::lines(file) }
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

    /// Lists records whose verdict is right too.
    #[must_use]
    pub fn with_all(self, all: bool) -> Listing {
        Listing { all, ..self }
    }

    fn put_csv_row<P: PuzzleText>(
        &self,
        columns: &[ListedColumn],
        listed: &Listed<'_, P>,
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
                (ListedColumn::Verdict, _) => rows.extend_from_slice(listed.verdict.as_bytes()),
                (ListedColumn::Reason, _) => put_field(&listed.reason, rows),
            }
        }
        if rows.len() == start {
            // A line without anything is no row.
            rows.extend_from_slice(b"\"\"");
        }
        rows.push(b'\n');
    }

    fn put_line<P>(&self, listed: &Listed<'_, P>, rows: &mut Vec<u8>) {
        rows.extend_from_slice(&self.name);
        for number in [Some(listed.line), listed.column].into_iter().flatten() {
            rows.push(b':');
            put_number(number, rows);
        }
        for text in [listed.verdict, &listed.reason].into_iter().filter(|text| !text.is_empty()) {
            rows.extend_from_slice(b": ");
            rows.extend_from_slice(text.as_bytes());
        }
        rows.push(b'\n');
    }
}

/// Lists the records whose verdict is not right, or all. Nothing is formatted for the others.
impl<S: Subject> Sink<S> for Listing {
    fn write(&self, records: &AnsweredRecords<'_, S>, out: &mut Vec<u8>) {
        let &AnsweredRecords { place, chunk, answers, .. } = records;
        let (schema, statuses) = (answers.schema(), answers.statuses());
        let reasons = schema.position(&Column::REASON);
        let mut places = Places::of(chunk, place.before.lines);
        for (number, record, answered) in records.iter() {
            let status = answered.map_or(schema.malformed(), |(_, answer)| statuses[answer]);
            let status = schema.statuses[usize::from(status)];
            if status.grade == Grade::Right && !self.all {
                continue;
            }
            let fault = record.fault.or_else(|| answered?.0.fault());
            let reason = match (record.fault, answered, reasons) {
                (Some(fault), ..) => Cow::Owned(fault.kind.to_string()),
                (None, Some((_, answer)), Some(reasons)) => match answers.value(reasons, answer) {
                    Value::Text(reason) => Cow::Borrowed(reason),
                    _ => Cow::default(),
                },
                _ => Cow::default(),
            };
            let advice = fault.map_or("", |fault| (self.advice)(fault.kind));
            let (line, column) = places.at(fault.map_or(record.first_cell(), |fault| fault.offset as usize));
            let before = self.before.as_ref().map(CountedBefore::totals).unwrap_or_default();
            let listed = Listed {
                record: before.records + number,
                line: before.lines + line,
                column: fault.map(|_| column),
                text: record.text(chunk),
                puzzle: answered.map(|(subject, _)| subject.puzzle()),
                verdict: status.name,
                reason: if advice.is_empty() { reason } else { reason + advice },
            };
            match &self.columns {
                Some(columns) => self.put_csv_row(columns, &listed, out),
                None => self.put_line(&listed, out),
            }
        }
    }
}

/// A record that is listed. Records, lines and columns count from 1.
struct Listed<'a, P> {
    record: u64,
    /// The line of its fault, or of its first cell.
    line: u64,
    /// The column of its fault, in characters.
    column: Option<u64>,
    text: &'a [u8],
    /// The puzzle, if it could be read.
    puzzle: Option<&'a P>,
    verdict: &'static str,
    /// Why the verdict is not right, with advice; else empty.
    reason: Cow<'a, str>,
}
