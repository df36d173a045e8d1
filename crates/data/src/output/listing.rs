//! Lists records with their verdicts (`verify`, `check`).

use std::borrow::Cow;

use gridmill_core::jobs::{Column, Grade, Value};

use super::csv::{printable, put_field, put_number, put_row};
use crate::packing::ColumnType;
use crate::pipeline::CountedBefore;
use crate::record::{AnsweredRecords, Places, Sink, Subject};
use crate::text::{FaultAdvice, PuzzleText, no_advice};

/// How records are listed: as lines like those of a compiler (`puzzles.txt:7: multiple: two solutions or
/// more`), or as rows of CSV.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The columns of CSV, chosen from [`Listing::COLUMNS`]; `None` for lines.
    pub columns: Option<Vec<&'static str>>,
    /// Whether to list records with a good verdict too.
    pub all: bool,
    /// Advice about faults, which is appended to the reasons.
    pub advice: FaultAdvice,
    /// The input before the records, if the run starts within a file and so counts from there.
    pub before: Option<CountedBefore>,
}

impl Default for Listing {
    /// Lists only bad verdicts, as lines and without advice.
    fn default() -> Listing {
        Listing { columns: None, all: false, advice: no_advice, before: None }
    }
}

impl Listing {
    /// All columns of CSV, in the usual order. For a malformed record, `puzzle` is its text, and `line` the
    /// line of the fault.
    pub const COLUMNS: [&'static str; 6] = ["file", "record", "line", "puzzle", "verdict", "reason"];

    /// The type of one of these columns.
    #[must_use]
    pub fn column_type(name: &str) -> ColumnType {
        match name {
            "record" | "line" => ColumnType::Number,
            _ => ColumnType::Text,
        }
    }
}

fn put_line(file: &str, place: &[u64], texts: [&str; 2], rows: &mut Vec<u8>) {
    rows.extend_from_slice(file.as_bytes());
    for &number in place {
        rows.push(b':');
        put_number(number, rows);
    }
    for text in texts.into_iter().filter(|text| !text.is_empty()) {
        rows.extend_from_slice(b": ");
        rows.extend_from_slice(text.as_bytes());
    }
    rows.push(b'\n');
}

/// Lists the records with a bad verdict, or all of them. Other records are not formatted at all, because in
/// most files they are the majority.
impl<S: Subject> Sink<S> for Listing {
    #[inline(never)]
    fn write(&self, records: &AnsweredRecords<'_, S>, out: &mut Vec<u8>) {
        let &AnsweredRecords { lines_before, chunk, answers, .. } = records;
        let file = records.file.to_string_lossy();
        let (schema, statuses) = (answers.schema(), answers.statuses());
        let reasons = schema.position(&Column::REASON);
        let mut places = Places::new(chunk, lines_before);
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
            let (record_number, line) = (before.records + number, before.lines + line);
            let reason = if advice.is_empty() { reason } else { reason + advice };
            let Some(columns) = &self.columns else {
                let place = if fault.is_some() { &[line, column][..] } else { &[line] };
                put_line(&file, place, [status.name, &reason], out);
                continue;
            };
            let put = |column: &&str, row: &mut Vec<u8>| match (*column, answered) {
                ("file", _) => put_field(&file, row),
                ("record", _) => put_number(record_number, row),
                ("line", _) => put_number(line, row),
                ("puzzle", Some((subject, _))) => subject.puzzle().write(row),
                ("puzzle", None) => put_field(&printable(record.text(chunk)), row),
                ("verdict", _) => row.extend_from_slice(status.name.as_bytes()),
                _ => put_field(&reason, row),
            };
            put_row(columns, b',', put, out);
        }
    }
}
