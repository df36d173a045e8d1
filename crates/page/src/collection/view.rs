//! Views, and the answers about them. A view consists of the records that pass a filter, in some order. The answers are the state of
//! the collection, rows, single records for the grid, and pictures.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::{Range, RangeInclusive};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gridmill_core::grid::Symmetry;
use gridmill_core::jobs::Status;
use gridmill_data::text::{Layout, lines_of};
use gridmill_report::{FieldCounts, RecordFigures, pictures};
use serde::Deserialize;
use serde_json::{Value, json};

use super::files::{Files, Numbering, OwnValues};
use super::find::{FindPuzzle, Search, SearchTarget};
use super::index::{Entry, Field, Pass};
use super::records::{File, KnownRecord, ReadSpan, SpanReader};
use super::{Collection, check_client, lock};
use crate::reply::{Answer, Refusal};

/// The number of views that are kept.
const VIEWS: usize = 4;

/// How long an outdated view is kept: at least `LEAST_AGE`, and at least `AGE` times as long as it took to make. Views
/// that take long are therefore made rarely.
const LEAST_AGE: Duration = Duration::from_millis(500);
const AGE: u32 = 10;

/// A filter in a request. A missing key admits all records.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Filter {
    clues: Option<[u64; 2]>,
    guesses: Option<[u64; 2]>,
    time_ns: Option<[u64; 2]>,
    er: Option<[f64; 2]>,
    status: Option<Vec<String>>,
    symmetry: Option<Vec<String>>,
    file: Option<u64>,
    /// A part of the text of a record.
    find: Option<String>,
    puzzle: Option<FindPuzzle>,
}

/// The index of the name for puzzles without a symmetry.
const ASYMMETRIC: usize = Symmetry::ALL.len();

/// A filter that has been checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Conditions {
    /// The bounds of numeric columns. Ratings are in tenths, e.g. 42 for 4.2.
    ranges: Vec<(Field, RangeInclusive<u64>)>,
    /// A bit for each of [`Status::ALL`].
    statuses: Option<u16>,
    /// A bit for each symmetry, and one for "none".
    symmetries: Option<u16>,
    pub(super) file: Option<u16>,
    searches: Vec<Arc<Search>>,
}

impl Filter {
    /// Whether the filter needs the results of a pass.
    pub(super) fn needs(&self, pass: Pass) -> bool {
        match pass {
            Pass::Solve => self.guesses.is_some() || self.time_ns.is_some() || self.status.is_some(),
            Pass::Rate => self.er.is_some(),
        }
    }

    /// Checks the filter against these files.
    fn check(&self, files: &Files) -> Answer<Conditions> {
        let mut ranges = Vec::new();
        let numbers = [self.clues, self.guesses, self.time_ns];
        for (field, ends) in [Field::Clues, Field::Guesses, Field::TimeNs].into_iter().zip(numbers) {
            ranges.extend(ends.map(|ends| Ok((field, range(field, ends)?))).transpose()?);
        }
        ranges.extend(self.er.map(|ends| Ok((Field::Er, tenths(ends)?))).transpose()?);
        let symmetries: Vec<&str> = Symmetry::ALL.map(Symmetry::name).into_iter().chain(["none"]).collect();
        let bits_of = |names: &Option<Vec<String>>, what: &str, all: &[&str]| {
            names.as_ref().map(|names| bits(what, names, all)).transpose()
        };
        Ok(Conditions {
            ranges,
            statuses: bits_of(&self.status, "status", &Status::ALL.map(Status::name))?,
            symmetries: bits_of(&self.symmetry, "symmetry", &symmetries)?,
            file: self.file.map(|file| files.at(file)).transpose()?,
            searches: Vec::new(),
        })
    }
}

fn range(field: Field, [least, most]: [u64; 2]) -> Answer<RangeInclusive<u64>> {
    (least <= most).then_some(least..=most).ok_or_else(|| reversed(field, least, most))
}

fn reversed(field: Field, least: impl Display, most: impl Display) -> Refusal {
    let name = field.name();
    bad!("{name}: the range from {least} to {most} is empty; give the lower number first")
}

/// The range of tenths between two ratings, both included.
fn tenths([least, most]: [f64; 2]) -> Answer<RangeInclusive<u64>> {
    let is_rating = |number: f64| (0.0..=1000.0).contains(&number);
    if !is_rating(least) || !is_rating(most) || least > most {
        return Err(reversed(Field::Er, least, most));
    }
    // A floating-point number such as 4.2 can be slightly less or more than its decimal value.
    let slack = 1e-6;
    Ok((least * 10.0 - slack).ceil() as u64..=(most * 10.0 + slack).floor() as u64)
}

/// A bit for each name, at its index among all names.
fn bits(what: &str, names: &[String], all: &[&str]) -> Answer<u16> {
    names.iter().try_fold(0, |bits, name| {
        let place = all.iter().position(|known| known == name);
        let place = place.ok_or_else(|| bad!("there is no {what} {name:?}"))?;
        Ok(bits | 1 << place)
    })
}

impl Conditions {
    /// Whether a record passes. Unknown values do not pass.
    pub(super) fn admit(&self, id: u32, entry: &Entry) -> bool {
        let is_within = |(field, range): &(Field, RangeInclusive<u64>)| {
            entry.number(*field).is_some_and(|number| range.contains(&number.into()))
        };
        let has_status = |wanted: u16| entry.status.is_some_and(|status| wanted >> status as u16 & 1 == 1);
        let symmetries = if entry.symmetries == 0 { 1 << ASYMMETRIC } else { entry.symmetries.into() };
        let has_symmetry = |wanted: u16| entry.is_puzzle() && wanted & symmetries != 0;
        self.ranges.iter().all(is_within)
            && self.statuses.is_none_or(has_status)
            && self.symmetries.is_none_or(has_symmetry)
            && self.file.is_none_or(|file| file == entry.file)
            && self.searches.iter().all(|search| search.has(id))
    }
}

/// An order of records in a request. Equal records keep their order, and unknown values come last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Sort {
    by: Field,
    descending: bool,
}

impl Sort {
    /// Whether the order needs the results of a pass.
    pub(super) fn needs(self, pass: Pass) -> bool {
        self.by.pass() == Some(pass)
    }

    fn is_plain(self) -> bool {
        self == Sort::default()
    }

    /// The ascending key of a record: at most [`GREATEST_KEY`], or the greatest number if the value is not known.
    fn key(self, row: u32, entry: &Entry) -> u32 {
        let known = if self.by == Field::Row { Some(row) } else { entry.number(self.by) };
        known.map_or(u32::MAX, |key| {
            if self.descending { GREATEST_KEY - key.min(GREATEST_KEY) } else { key.min(GREATEST_KEY) }
        })
    }
}

/// The greatest key of a known value.
const GREATEST_KEY: u32 = u32::MAX - 1;

/// The records that pass a filter, in some order. Each is a row of the table on the page.
#[derive(Debug)]
pub(super) struct View {
    order: Order,
    pub(super) total: u64,
    /// The files that have records in it, by their numbers.
    pub(super) files: Vec<u16>,
}

/// The ids of the records of a view.
#[derive(Debug)]
enum Order {
    /// All records of the readable files, in their order.
    Plain(Vec<Range<u32>>),
    Chosen(Vec<u32>),
}

/// The counts on which a view depends. As long as they stay the same, so does the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ViewState {
    /// The number from [`Collection::file_changes`].
    file_changes: u64,
    records: u64,
    solved: u64,
    rated: u64,
    /// How many records have not been searched yet.
    unsearched: u64,
}

/// The place where the view of some conditions and an order is kept, once it has been made.
#[derive(Debug)]
pub(super) struct KeptView {
    conditions: Conditions,
    sort: Sort,
    slot: ViewSlot,
}

/// A view, the state for which it was made, and the time until which it is kept even if more becomes known.
type ViewSlot = Arc<Mutex<Option<(Arc<View>, ViewState, Instant)>>>;

impl View {
    /// The ids of some of the records; fewer at the end.
    pub(super) fn slice(&self, from: u64, count: u64) -> Vec<u32> {
        let (from, count) = (from.min(self.total) as usize, count as usize);
        match &self.order {
            Order::Chosen(ids) => ids[from..].iter().take(count).copied().collect(),
            Order::Plain(ranges) => ranges.iter().cloned().flatten().skip(from).take(count).collect(),
        }
    }

    /// The position of a record, if the view contains it.
    pub(super) fn position(&self, id: u32) -> Option<u64> {
        match &self.order {
            Order::Chosen(ids) => ids.iter().position(|&known| known == id).map(|position| position as u64),
            Order::Plain(ranges) => {
                let index = ranges.iter().position(|range| range.contains(&id))?;
                Some(count_of(&ranges[..index]) + u64::from(id - ranges[index].start))
            }
        }
    }
}

fn count_of(ranges: &[Range<u32>]) -> u64 {
    ranges.iter().map(|ids| u64::from(ids.end - ids.start)).sum()
}

/// A request for the position of a record.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Position {
    #[serde(default)]
    filter: Filter,
    #[serde(default)]
    sort: Sort,
    row: u64,
}

impl Collection {
    /// The position of a record, from 0, if the view contains it; and the number of rows in the view.
    pub(crate) fn position(&self, question: Position, stop: &AtomicBool) -> Answer<Value> {
        let view = self.view(&question.filter, question.sort, stop)?;
        let position = self.numbering().id(question.row).and_then(|id| view.position(id));
        Ok(json!({ "position": position, "total": view.total }))
    }

    /// The view of a filter and an order. A view that was made before may lack the latest results.
    pub(super) fn view(&self, filter: &Filter, sort: Sort, stop: &AtomicBool) -> Answer<Arc<View>> {
        let conditions = self.conditions(filter)?;
        if conditions == Conditions::default() && sort.is_plain() {
            return Ok(Arc::new(self.plain_view()?));
        }
        let slot = self.slot_of_view(&conditions, sort);
        // Another request may be making it. If its client leaves, it ends soon.
        let mut kept = lock(&slot);
        check_client(stop)?;
        let (begun, state) = (Instant::now(), self.view_state(filter, sort, &conditions));
        if let Some((view, known, keeps_until)) = &*kept
            // When a search completes, its last results are shown at once.
            && (*known == state
                || known.file_changes == state.file_changes
                    && (known.unsearched == 0) == (state.unsearched == 0)
                    && *keeps_until > begun)
        {
            return Ok(Arc::clone(view));
        }
        let view = Arc::new(self.chosen_view(&conditions, sort, stop)?);
        let keeps_until = Instant::now() + LEAST_AGE.max(begun.elapsed() * AGE);
        *kept = Some((Arc::clone(&view), state, keeps_until));
        Ok(view)
    }

    /// The slot of a view. The request that makes the view holds the lock, so that it is made only once.
    fn slot_of_view(&self, conditions: &Conditions, sort: Sort) -> ViewSlot {
        let mut views = lock(&self.views);
        let known = views.iter().position(|kept| kept.conditions == *conditions && kept.sort == sort);
        let new = || KeptView { conditions: conditions.clone(), sort, slot: Arc::default() };
        let kept = known.map_or_else(new, |known| views.remove(known));
        let slot = Arc::clone(&kept.slot);
        views.truncate(VIEWS - 1);
        views.insert(0, kept);
        slot
    }

    fn view_state(&self, filter: &Filter, sort: Sort, conditions: &Conditions) -> ViewState {
        let files = self.files();
        let known = |pass: Pass| match filter.needs(pass) || sort.needs(pass) {
            true => files.shown().map(|(_, file)| file.known(pass)).sum(),
            false => 0,
        };
        let records = files.shown().map(|(_, file)| u64::from(file.records())).sum();
        ViewState {
            file_changes: self.file_changes(&files),
            records,
            solved: known(Pass::Solve),
            rated: known(Pass::Rate),
            unsearched: self.unsearched(conditions).into(),
        }
    }

    /// Checks a filter, and keeps its searches running.
    pub(super) fn conditions(&self, filter: &Filter) -> Answer<Conditions> {
        let conditions = filter.check(&self.files())?;
        let text = filter.find.as_deref().map(SearchTarget::from_text);
        let puzzle = filter.puzzle.as_ref().map(SearchTarget::from_puzzle);
        let searches = text.into_iter().chain(puzzle).map(|wanted| Ok(self.search_for(wanted?)));
        Ok(Conditions { searches: searches.collect::<Answer<_>>()?, ..conditions })
    }

    /// The number of records that the searches of a filter have not reached yet.
    fn unsearched(&self, conditions: &Conditions) -> u32 {
        let records = self.index.len();
        conditions.searches.iter().map(|search| search.unsearched(records)).max().unwrap_or(0)
    }

    /// A number that grows when files are added, removed, broken or have grown, and when records are removed.
    fn file_changes(&self, files: &Files) -> u64 {
        self.changes.load(Ordering::Acquire) + files.all().filter(|(_, file)| file.is_broken()).count() as u64
    }

    fn plain_view(&self) -> Answer<View> {
        let ranges = self.readable_ids()?;
        let total = count_of(&ranges);
        let file = |ids: &Range<u32>| self.index.get(ids.start).map(|entry| entry.file);
        let mut files: Vec<u16> = ranges.iter().filter_map(file).collect();
        files.dedup();
        Ok(View { order: Order::Plain(ranges), total, files })
    }

    /// The ids of the records of each readable file. Refuses if none of the records can be read any more.
    pub(super) fn readable_ids(&self) -> Answer<Vec<Range<u32>>> {
        let files = self.files();
        let (broken, readable): (Vec<&File>, Vec<&File>) =
            files.shown().map(|(_, file)| &**file).partition(|file| file.is_broken());
        let ids: Vec<Range<u32>> = readable.into_iter().flat_map(File::ids).collect();
        let lost = broken.into_iter().find(|file| file.records() > 0);
        match lost {
            Some(lost) if ids.is_empty() => Err(lost.refusal()),
            _ => Ok(ids),
        }
    }

    fn chosen_view(&self, conditions: &Conditions, sort: Sort, stop: &AtomicBool) -> Answer<View> {
        let mut keys: Vec<u64> = Vec::new();
        let mut has_rows = vec![false; self.files().count()];
        let mut places = 0..;
        for ids in self.readable_ids()? {
            self.index.visit(ids, |first, entries| {
                for ((id, entry), place) in (first..).zip(entries).zip(&mut places) {
                    if conditions.admit(id, entry) {
                        has_rows[usize::from(entry.file)] = true;
                        keys.push(u64::from(sort.key(place, entry)) << 32 | u64::from(id));
                    }
                }
                !stop.load(Ordering::Relaxed)
            });
        }
        if !sort.is_plain() {
            // Equal records keep their order.
            keys.sort_by_key(|key| key >> 32);
        }
        let ids: Vec<u32> = keys.into_iter().map(|key| key as u32).collect();
        let total = ids.len() as u64;
        check_client(stop)?;
        let files = (0..).zip(has_rows).filter_map(|(file, has_rows)| has_rows.then_some(file)).collect();
        Ok(View { order: Order::Chosen(ids), total, files })
    }
}

/// The largest number of rows in a request.
const ROWS: u64 = 200;

/// How long the rows of a request may be searched and rated. After that, they are shown as far as they are known.
const PATIENCE: Duration = Duration::from_millis(300);

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
    /// The files' own columns that are wanted.
    #[serde(default)]
    columns: Vec<String>,
}

/// A request for a record.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneRecord {
    row: u64,
}

impl Collection {
    /// The state of the collection. It counts only the records of readable files.
    pub(crate) fn state(&self) -> Value {
        let files = self.files();
        // It grows with every change. It is read first, so that a change during this call is noticed the next time.
        let revision = self.index.revision() + self.file_changes(&files);
        let sum = |count: &dyn Fn(&File) -> u64| {
            let readable = files.shown().filter(|(_, file)| !file.is_broken());
            readable.map(|(_, file)| count(file)).sum::<u64>()
        };
        let file = |(id, file): (u16, &Arc<File>)| {
            let layout = file.layout();
            let container = file.container.map(|container| container.to_string().to_lowercase());
            json!({
                "id": id,
                "name": file.name,
                "format": container.as_deref().or(layout.map(Layout::format_name)),
                "kind": layout.map(|layout| layout.kind().to_string()),
                "bytes": file.bytes.load(Ordering::Relaxed),
                "records": file.records(),
                "note": file.note.get(),
                "error": file.error.get(),
                "can_reload": file.can_reload(),
            })
        };
        json!({
            "records": sum(&|file| file.records().into()),
            "is_indexed": self.is_indexed.load(Ordering::Acquire),
            "solved": sum(&|file| file.known(Pass::Solve)),
            "rated": sum(&|file| file.known(Pass::Rate)),
            "is_rating": self.is_rating(),
            "revision": revision,
            "error": self.error.get(),
            "columns": self.own_columns(),
            "files": files.shown().map(file).collect::<Vec<_>>(),
        })
    }

    /// Rows of a view. They are searched at once, and also rated if ratings are needed, as far as that is possible within
    /// [`PATIENCE`].
    pub(crate) fn rows(&self, question: Rows, stop: &AtomicBool) -> Answer<Value> {
        // While this reference exists, the background pauses, so that the request is answered soon.
        let _request = Arc::clone(&self.requests);
        if question.count > ROWS {
            return Err(bad!("a request can ask for at most {ROWS} rows"));
        }
        // This is read first: if it is 0, the view has everything that was found.
        let unsearched = self.unsearched(&self.conditions(&question.filter)?);
        let view = self.view(&question.filter, question.sort, stop)?;
        let (numbering, mut known) =
            (self.numbering(), self.known(view.slice(question.from, question.count)));
        let rates = question.filter.needs(Pass::Rate) || question.sort.needs(Pass::Rate) || self.is_rating();
        let over = self.flag(Some(PATIENCE));
        let mut rows = Vec::with_capacity(known.len());
        let mut own = OwnValues::new(&question.columns);
        self.with_spans(&mut known, |span, read| {
            self.ask(Pass::Solve, span, read, &over)?;
            let file = self.file_of(&span[0].1);
            let lines: Vec<Range<usize>> = lines_of(read.text, read.records.records()).collect();
            for (place, lines) in lines.into_iter().enumerate() {
                let mut row = self.row(&numbering, span[place], place, read);
                row["own"] = own.shown(&file, &span[place].1, &read.text[lines]).into();
                rows.push(row);
            }
            check_client(stop)
        })?;
        if rates {
            let open = known.iter().filter(|(_, entry)| entry.wants(Pass::Rate)).map(|(id, _)| *id);
            self.want_ratings(open.collect(), &over);
            for ((id, _), shown) in known.iter().zip(&mut rows) {
                let Some(entry) = self.index.get(*id) else { continue };
                shown[Field::Er.name()] = entry.json(Field::Er);
                shown["rating_end"] = entry.rating.end().into();
            }
        }
        Ok(json!({ "total": view.total, "rows": rows, "unsearched": unsearched }))
    }

    /// A record as a grid, and where it comes from.
    pub(crate) fn record(&self, question: &OneRecord) -> Answer<Value> {
        let _request = Arc::clone(&self.requests);
        let mut known = self.known(self.numbering().id(question.row));
        let mut answer = Err(bad!("there is no record {}", question.row.saturating_add(1)));
        self.with_spans(&mut known, |span, read| {
            let (id, entry) = span[0];
            let (name, number) = (&self.file_of(&entry).name, self.number_of(id, &entry));
            if let Some(fault) = read.records.records()[0].fault {
                let advice = (self.wording.advice)(fault.kind);
                return Err(bad!("{name}: record {number}: malformed: {}{advice}", fault.kind));
            }
            let grid = read.records.grid(0).expect("a record without a fault has a puzzle");
            answer = Ok(json!({ "grid": grid, "number": number, "file": name }));
            Ok(())
        })?;
        answer
    }

    /// A picture of each field, which compares all readable records with those that pass a filter.
    pub(crate) fn pictures(&self, question: Pictures, stop: &AtomicBool) -> Answer<Value> {
        let conditions = self.conditions(&question.filter)?;
        let (mut all, mut shown) = (FieldCounts::default(), FieldCounts::default());
        for ids in self.readable_ids()? {
            self.index.visit(ids, |first, entries| {
                for (id, entry) in (first..).zip(entries) {
                    let figures = figures(entry);
                    all.add(&figures);
                    if conditions.admit(id, entry) {
                        shown.add(&figures);
                    }
                }
                !stop.load(Ordering::Relaxed)
            });
        }
        check_client(stop)?;
        Ok(json!({ "pictures": pictures(&all, Some(&shown)) }))
    }

    /// Reads records from their files, a span at a time, and passes them to `each`.
    pub(super) fn with_spans(
        &self,
        records: &mut [KnownRecord],
        mut each: impl FnMut(&mut [KnownRecord], &mut ReadSpan<'_>) -> Answer,
    ) -> Answer {
        let files: BTreeSet<u16> = records.iter().map(|(_, entry)| entry.file).collect();
        let shelf = self.files();
        let mut files = files.into_iter().map(|file| shelf.get(file));
        // The files must be unchanged.
        files.find(|file| !file.check_unchanged()).map_or(Ok(()), |changed| Err(changed.refusal()))?;
        SpanReader::new(self).read_all(records, |span, read| each(span, &mut read?))
    }

    /// The fields of a record for the page. Unknown values are null.
    fn row(
        &self,
        numbering: &Numbering,
        (id, entry): KnownRecord,
        place: usize,
        read: &ReadSpan<'_>,
    ) -> Value {
        let (records, fault) = (&*read.records, read.records.records()[place].fault);
        let mut shown = json!({
            "row": numbering.row(id, entry.file),
            "file": numbering.files.place(entry.file),
            "puzzle": records.line(place),
            "rating_end": entry.rating.end(),
            "symmetries": entry.is_puzzle().then(|| symmetries(&entry)),
            "fault": fault.map(|fault| format!("{}{}", fault.kind, (self.wording.advice)(fault.kind))),
        });
        for field in Field::KNOWN {
            shown[field.name()] = entry.json(field);
        }
        shown
    }
}

fn symmetries(entry: &Entry) -> Vec<&'static str> {
    let all = Symmetry::ALL.into_iter().enumerate();
    all.filter(|(bit, _)| entry.symmetries >> bit & 1 == 1).map(|(_, symmetry)| symmetry.name()).collect()
}

/// The figures of a record, as far as they are known.
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
