//! Rows of a view, as a table shows them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gridmill_core::grid::Symmetry;
use gridmill_core::jobs::Status;
use gridmill_core::logic::Rating;
use serde::{Deserialize, Serialize};

use super::entry::{Entry, RatingMark};
use super::filter::Filter;
use super::span::{KnownRow, ReadSpan, SpanReader, first_span};
use super::view::Sort;
use super::{Collection, given_up};
use crate::refusal::Refusal;

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

/// The rows of a request, and how many there are in all.
#[derive(Debug, Serialize)]
pub(crate) struct RowsAnswer {
    total: u64,
    from: u64,
    revision: u64,
    rows: Vec<Row>,
}

/// A row as it is shown. What is not known is missing.
#[derive(Debug, Serialize)]
struct Row {
    row: u32,
    file: u16,
    number: u32,
    line: u32,
    puzzle: Option<String>,
    shape: Option<String>,
    clues: Option<u16>,
    status: Option<&'static str>,
    guesses: Option<u32>,
    time_ns: Option<u32>,
    er: Option<f64>,
    rating_end: Option<&'static str>,
    symmetries: Option<Vec<&'static str>>,
    fault: Option<String>,
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
        let rates = question.filter.needs_ratings() || question.sort.needs_ratings() || self.is_rating();
        let over = self.watch.flag(Some(PATIENCE));
        let mut rows = Vec::with_capacity(known.len());
        self.with_spans(&mut known, |collection, span, read| {
            collection.search_span(span, read, &over)?;
            rows.extend((0..span.len()).map(|place| collection.row(&span[place], place, read)));
            match stop.load(Ordering::Relaxed) {
                true => Err(given_up()),
                false => Ok(()),
            }
        })?;
        if rates {
            let open = known.iter().filter(|(_, entry)| entry.wants_rating()).map(|(row, _)| *row);
            self.want_ratings(open.collect(), &over);
            rows.iter_mut().for_each(|row| self.fill_rating(row));
        }
        Ok(RowsAnswer { total: view.total, from: question.from, revision: view.revision, rows })
    }

    /// Fills in the rating that was made meanwhile.
    fn fill_rating(&self, row: &mut Row) {
        if let Some(rating) = self.index.get(row.row).map(|entry| entry.rating) {
            (row.er, row.rating_end) = (number(rating), rating.end());
        }
    }

    /// Reads rows from their files, a span at a time, and hands them to `each`.
    pub(super) fn with_spans(
        &self,
        mut rows: &mut [KnownRow],
        mut each: impl FnMut(&Collection, &mut [KnownRow], &mut ReadSpan<'_>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let mut reader = SpanReader::new(&self.files);
        self.check_files(rows)?;
        while !rows.is_empty() {
            let (span, later) = rows.split_at_mut(first_span(rows).len());
            let mut read = reader.read(span)?;
            each(self, span, &mut read)?;
            rows = later;
        }
        Ok(())
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
            number: self.number_of(*row, entry),
            line: entry.line,
            puzzle: records.line(place),
            shape: records.shape(place).map(|shape| shape.to_string()),
            clues: entry.known_clues(),
            status: entry.status.map(Status::name),
            guesses: entry.known_guesses(),
            time_ns: entry.known_nanos(),
            er: number(entry.rating),
            rating_end: entry.rating.end(),
            symmetries: entry.is_puzzle().then(|| symmetries(entry)),
            fault: record.fault.map(|fault| format!("{}{}", fault.kind, (self.wording.advice)(fault.kind))),
        }
    }
}

/// Returns a rating as a number such as 4.2.
fn number(rating: RatingMark) -> Option<f64> {
    rating.er().map(Rating::number)
}

fn symmetries(entry: &Entry) -> Vec<&'static str> {
    let all = Symmetry::ALL.into_iter().enumerate();
    all.filter(|(bit, _)| entry.symmetries >> bit & 1 == 1).map(|(_, symmetry)| symmetry.name()).collect()
}
