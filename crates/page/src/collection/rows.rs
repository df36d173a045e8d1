//! Rows of a view, as a table shows them, and single records for the grid.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gridmill_core::grid::Symmetry;
use gridmill_core::jobs::Value;
use serde::{Deserialize, Serialize};

use super::entry::{Entry, Field, Pass};
use super::filter::Filter;
use super::span::{KnownRow, ReadSpan, SpanReader};
use super::view::Sort;
use super::{Collection, given_up};
use crate::questions::PageGrid;
use crate::reply::Refusal;

/// The most rows of a request.
const ROWS: u64 = 200;

/// How long the rows of a request may be searched and rated before they are shown as they are known.
const PATIENCE: Duration = Duration::from_millis(300);

/// A request for rows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rows {
    #[serde(default)]
    filter: Filter,
    #[serde(default)]
    sort: Sort,
    from: u64,
    count: u64,
}

/// The rows of a request, and how many the view has.
#[derive(Debug, Serialize)]
pub(crate) struct RowsAnswer {
    total: u64,
    rows: Vec<Row>,
}

/// A row as it is shown. What is not known is missing.
#[derive(Debug, Serialize)]
struct Row {
    row: u32,
    file: u16,
    puzzle: Option<String>,
    /// The columns of jobs.
    #[serde(flatten)]
    known: BTreeMap<&'static str, serde_json::Value>,
    rating_end: Option<&'static str>,
    symmetries: Option<Vec<&'static str>>,
    fault: Option<String>,
}

/// A request for a record.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneRecord {
    row: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct RecordAnswer {
    grid: PageGrid,
    number: u32,
    file: u16,
}

impl Collection {
    /// Returns rows of a view. They are searched at once, and rated if ratings are wanted, as far as that takes no time
    /// to speak of.
    pub(crate) fn rows(&self, question: &Rows, stop: &AtomicBool) -> Result<RowsAnswer, Refusal> {
        let _request = self.begin_request();
        if question.count > ROWS {
            return Err(Refusal::bad(format!("at most {ROWS} rows are given at once")));
        }
        let view = self.view(&question.filter, question.sort, stop)?;
        let mut known = self.known(&view.slice(question.from, question.count));
        let rates = question.filter.needs(Pass::Rate) || question.sort.needs(Pass::Rate) || self.is_rating();
        let over = self.watch.flag(Some(PATIENCE));
        let mut rows = Vec::with_capacity(known.len());
        self.with_spans(&mut known, |span, read| {
            self.ask(Pass::Search, span, read, &over)?;
            rows.extend((0..span.len()).map(|place| self.row(&span[place], place, read)));
            match stop.load(Ordering::Relaxed) {
                true => Err(given_up()),
                false => Ok(()),
            }
        })?;
        if rates {
            let open = known.iter().filter(|(_, entry)| entry.wants(Pass::Rate)).map(|(row, _)| *row);
            self.want_ratings(open.collect(), &over);
            rows.iter_mut().for_each(|row| self.fill_rating(row));
        }
        Ok(RowsAnswer { total: view.total, rows })
    }

    /// Returns a record as a grid, and where it is from.
    pub(crate) fn record(&self, question: &OneRecord) -> Result<RecordAnswer, Refusal> {
        let _request = self.begin_request();
        let row = u32::try_from(question.row).unwrap_or(u32::MAX);
        let mut known = self.known(&[row]);
        let mut answer = Err(Refusal::bad(format!("there is no row {}", question.row)));
        self.with_spans(&mut known, |span, read| {
            let (_, entry) = span[0];
            let number = self.number_of(row, &entry);
            if let Some(fault) = read.records.records()[0].fault {
                let (name, advice) = (&self.file_of(&entry).name, (self.wording.advice)(fault.kind));
                let message = format!("{name}: record {number}: malformed: {}{advice}", fault.kind);
                return Err(Refusal::bad(message));
            }
            let grid = read.records.grid(0).expect("a record without a fault has a puzzle")?;
            answer = Ok(RecordAnswer { grid, number, file: entry.file });
            Ok(())
        })?;
        answer
    }

    /// Fills in the rating that was made meanwhile.
    fn fill_rating(&self, row: &mut Row) {
        if let Some(entry) = self.index.get(row.row) {
            row.known.insert(Field::Er.name(), json(entry.value(Field::Er)));
            row.rating_end = entry.rating.end();
        }
    }

    /// Reads rows from their files, a span at a time, and hands them to `each`.
    pub(super) fn with_spans(
        &self,
        rows: &mut [KnownRow],
        mut each: impl FnMut(&mut [KnownRow], &mut ReadSpan<'_>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.check_files(rows)?;
        SpanReader::new(&self.files).read_all(rows, |span, read| each(span, &mut read?))
    }

    /// Checks that the files of some rows are what they were.
    fn check_files(&self, rows: &[KnownRow]) -> Result<(), Refusal> {
        let mut files: Vec<u16> = rows.iter().map(|(_, entry)| entry.file).collect();
        files.sort_unstable();
        files.dedup();
        for file in files {
            let file = &self.files[usize::from(file)];
            if !file.look() {
                return Err(file.refusal());
            }
        }
        Ok(())
    }

    /// Returns what is shown of a record.
    fn row(&self, (row, entry): &KnownRow, place: usize, read: &ReadSpan<'_>) -> Row {
        let (records, record) = (&*read.records, read.records.records()[place]);
        Row {
            row: *row,
            file: entry.file,
            puzzle: records.line(place),
            known: Field::KNOWN.map(|field| (field.name(), json(entry.value(field)))).into(),
            rating_end: entry.rating.end(),
            symmetries: entry.is_puzzle().then(|| symmetries(entry)),
            fault: record.fault.map(|fault| format!("{}{}", fault.kind, (self.wording.advice)(fault.kind))),
        }
    }
}

/// Returns a value of a job as JSON; a rating as a number such as 4.2.
fn json(value: Value<'_>) -> serde_json::Value {
    match value {
        Value::Number(number) => number.into(),
        Value::Rating(rating) => rating.number().into(),
        Value::Text(text) => text.into(),
        Value::Missing
        | Value::Cells(_)
        | Value::Grids(_)
        | Value::Candidates(_)
        | Value::Key(_)
        | Value::Steps(_) => serde_json::Value::Null,
    }
}

fn symmetries(entry: &Entry) -> Vec<&'static str> {
    let all = Symmetry::ALL.into_iter().enumerate();
    all.filter(|(bit, _)| entry.symmetries >> bit & 1 == 1).map(|(_, symmetry)| symmetry.name()).collect()
}
