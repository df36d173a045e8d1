//! Answers to the page: the state of the collection, rows of a view, single records for the grid, and pictures.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use gridmill_core::grid::Symmetry;
use gridmill_data::text::Layout;
use gridmill_report::{Counts, Picture, RecordFigures, pictures};
use serde::{Deserialize, Serialize};

use super::entry::{Entry, Field, Pass};
use super::file::File;
use super::records::{KnownRow, ReadSpan, SpanReader};
use super::view::{Filter, Sort};
use super::{Collection, check_reader, lock};
use crate::questions::PageGrid;
use crate::reply::{Counted, Refusal};

/// The most rows of a request.
const ROWS: u64 = 200;

/// How long the rows of a request may be searched and rated before they are shown as they are known.
const PATIENCE: Duration = Duration::from_millis(300);

/// How far the collection is known.
#[derive(Debug, Serialize)]
pub(crate) struct State {
    files: Vec<FileState>,
    records: u64,
    is_indexed: bool,
    solved: u64,
    rated: u64,
    is_rating: bool,
    revision: u64,
    error: Option<String>,
}

#[derive(Debug, Serialize)]
struct FileState {
    name: String,
    format: Option<&'static str>,
    kind: Option<String>,
    bytes: u64,
    records: u32,
    note: Option<String>,
    error: Option<String>,
}

/// A request for pictures.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pictures {
    #[serde(default)]
    filter: Filter,
}

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

/// A row as it is shown. Unknown values are missing.
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
    /// Returns the state: of the records, those of files that can be read are counted.
    pub(crate) fn state(&self) -> State {
        // First, so that a change meanwhile is seen the next time.
        let revision = self.revision();
        let sum = |count: fn(&File) -> &AtomicU32| {
            let readable = self.files.iter().filter(|file| !file.is_broken());
            readable.map(|file| u64::from(count(file).load(Ordering::Acquire))).sum()
        };
        State {
            records: sum(|file| &file.records),
            is_indexed: self.is_indexed.load(Ordering::Acquire),
            solved: sum(|file| &file.known[Pass::Search as usize]),
            rated: sum(|file| &file.known[Pass::Rate as usize]),
            is_rating: self.is_rating(),
            revision,
            error: lock(&self.error).clone(),
            files: self.files.iter().map(File::state).collect(),
        }
    }

    /// Returns rows of a view. They are searched at once, and rated if ratings are wanted, as far as that takes no time
    /// to speak of.
    pub(crate) fn rows(&self, question: Rows, stop: &AtomicBool) -> Result<RowsAnswer, Refusal> {
        // The background makes room for requests that a reader waits for.
        let _request = Counted::new(&self.requests);
        if question.count > ROWS {
            return Err(Refusal::bad(format!("at most {ROWS} rows are given at once")));
        }
        let view = self.view(&question.filter, question.sort, stop)?;
        let mut known = self.known(&view.slice(question.from, question.count));
        let rates = question.filter.needs(Pass::Rate) || question.sort.needs(Pass::Rate) || self.is_rating();
        let over = self.flag(Some(PATIENCE));
        let mut rows = Vec::with_capacity(known.len());
        self.with_spans(&mut known, |span, read| {
            self.ask(Pass::Search, span, read, &over)?;
            rows.extend((0..span.len()).map(|place| self.row(&span[place], place, read)));
            check_reader(stop)
        })?;
        if rates {
            let open = known.iter().filter(|(_, entry)| entry.wants(Pass::Rate)).map(|(row, _)| *row);
            self.want_ratings(open.collect(), &over);
            for row in &mut rows {
                let Some(entry) = self.index.get(row.row) else { continue };
                row.known.insert(Field::Er.name(), entry.json(Field::Er));
                row.rating_end = entry.rating.end();
            }
        }
        Ok(RowsAnswer { total: view.total, rows })
    }

    /// Returns a record as a grid, and where it is from.
    pub(crate) fn record(&self, question: &OneRecord) -> Result<RecordAnswer, Refusal> {
        let _request = Counted::new(&self.requests);
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

    /// Returns a picture of each field: of all records that can be read, and of those that pass a filter.
    pub(crate) fn pictures(
        &self,
        question: Pictures,
        stop: &AtomicBool,
    ) -> Result<BTreeMap<&'static str, Vec<Picture>>, Refusal> {
        let conditions = question.filter.check(self.files.len())?;
        let (mut all, mut shown) = (Counts::default(), Counts::default());
        for rows in self.readable_ranges()? {
            self.index.visit(rows, |_, entries| {
                for entry in entries {
                    let figures = figures(entry);
                    all.add(&figures);
                    if conditions.admit(entry) {
                        shown.add(&figures);
                    }
                }
                !stop.load(Ordering::Relaxed)
            });
        }
        check_reader(stop)?;
        Ok(BTreeMap::from([("pictures", pictures(&all, Some(&shown)))]))
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
        let files: BTreeSet<u16> = rows.iter().map(|(_, entry)| entry.file).collect();
        let mut files = files.into_iter().map(|file| &self.files[usize::from(file)]);
        files.find(|file| !file.look()).map_or(Ok(()), |changed| Err(changed.refusal()))
    }

    /// Returns what is shown of a record.
    fn row(&self, (row, entry): &KnownRow, place: usize, read: &ReadSpan<'_>) -> Row {
        let (records, record) = (&*read.records, read.records.records()[place]);
        Row {
            row: *row,
            file: entry.file,
            puzzle: records.line(place),
            known: Field::KNOWN.map(|field| (field.name(), entry.json(field))).into(),
            rating_end: entry.rating.end(),
            symmetries: entry.is_puzzle().then(|| symmetries(entry)),
            fault: record.fault.map(|fault| format!("{}{}", fault.kind, (self.wording.advice)(fault.kind))),
        }
    }
}

fn symmetries(entry: &Entry) -> Vec<&'static str> {
    let all = Symmetry::ALL.into_iter().enumerate();
    all.filter(|(bit, _)| entry.symmetries >> bit & 1 == 1).map(|(_, symmetry)| symmetry.name()).collect()
}

impl File {
    fn state(&self) -> FileState {
        let layout = self.layout();
        FileState {
            name: self.name.clone(),
            format: layout.map(Layout::format_name),
            kind: layout.map(|layout| layout.kind().to_string()),
            bytes: self.bytes.load(Ordering::Relaxed),
            records: if self.is_broken() { 0 } else { self.records.load(Ordering::Acquire) },
            note: self.note.get().cloned(),
            error: self.error.get().cloned(),
        }
    }
}

/// Returns what is known of a record.
fn figures(entry: &Entry) -> RecordFigures {
    let number = |field| entry.number(field).map(u64::from);
    RecordFigures {
        status: entry.status,
        clues: number(Field::Clues).map(|clues| clues as u16),
        symmetries: entry.is_puzzle().then_some(entry.symmetries),
        guesses: number(Field::Guesses),
        nanos: number(Field::TimeNs),
        er: entry.rating.er(),
    }
}
