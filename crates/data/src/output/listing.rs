//! Listings of records with their verdicts.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use gridmill_core::jobs::{Column, Grade, Value};

use super::CountedBefore;
use super::csv::{printable, put_field, put_number, put_row};
use crate::record::{AnsweredRecords, Places, Sink, Subject};
use crate::text::{FaultAdvice, PuzzleText, no_advice};

/// How the records of a file are listed: in lines as compilers write them (`puzzles.txt:7: multiple: two solutions or
/// more`), or in rows of CSV.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The name of the file.
    pub file: PathBuf,
    /// The columns of CSV, of [`Listing::COLUMNS`]; `None` for lines.
    pub columns: Option<Vec<&'static str>>,
    /// Whether records whose verdict is right are listed too.
    pub all: bool,
    /// Gives advice about faults, which is added to the reasons.
    pub advice: FaultAdvice,
    /// The input in front of the records, where their numbers begin at a part.
    pub before: Option<CountedBefore>,
}

impl Listing {
    /// All columns of CSV, in the usual order. For a malformed record `puzzle` is its text, and `line`
    /// the line of the fault.
    pub const COLUMNS: [&'static str; 6] = ["file", "record", "line", "puzzle", "verdict", "reason"];

    /// Returns a listing in lines, of records whose verdict is not right, without advice.
    #[must_use]
    pub fn new(file: &Path) -> Listing {
        Listing { file: file.to_owned(), columns: None, all: false, advice: no_advice, before: None }
    }

    fn put_csv_row<P: PuzzleText>(&self, columns: &[&str], listed: &Listed<'_, P>, rows: &mut Vec<u8>) {
        let put = |column: &&str, rows: &mut Vec<u8>| match (*column, listed.puzzle) {
            ("file", _) => put_field(&self.file.to_string_lossy(), rows),
            ("record", _) => put_number(listed.record, rows),
            ("line", _) => put_number(listed.line, rows),
            ("puzzle", Some(puzzle)) => puzzle.write(rows),
            ("puzzle", None) => put_field(&printable(listed.text), rows),
            ("verdict", _) => rows.extend_from_slice(listed.verdict.as_bytes()),
            _ => put_field(&listed.reason, rows),
        };
        put_row(columns, b',', put, rows);
    }

    fn put_line<P>(&self, listed: &Listed<'_, P>, rows: &mut Vec<u8>) {
        rows.extend_from_slice(self.file.to_string_lossy().as_bytes());
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
        let &AnsweredRecords { lines_before, chunk, answers, .. } = records;
        let (schema, statuses) = (answers.schema(), answers.statuses());
        let reasons = schema.position(&Column::REASON);
        let mut places = Places::of(chunk, lines_before);
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
