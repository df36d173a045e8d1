//! Views: the rows that pass a filter, in some order.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::entry::{Entry, Field, Pass};
use super::file::File;
use super::filter::{Conditions, Filter};
use super::{Collection, given_up, lock};
use crate::reply::Refusal;

/// The most views that are kept.
const VIEWS: usize = 4;

/// How long a view is kept though more is known meanwhile; at least, and for each unit of time that it took to make.
const LEAST_AGE: Duration = Duration::from_millis(500);
const AGE: u32 = 10;

/// How often a request looks whether another one has made its view.
const LOOK: Duration = Duration::from_millis(2);

/// An order of rows, as a request says it. Ties are in the order of rows, and what is not known comes last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Sort {
    by: Field,
    descending: bool,
}

impl Sort {
    /// Returns whether it is about what a pass finds out.
    pub(super) fn needs(self, pass: Pass) -> bool {
        self.by.pass() == Some(pass)
    }

    fn is_plain(self) -> bool {
        self == Sort::default()
    }

    /// Returns the number by which a row goes up: at most [`KNOWN`], or the greatest of all where it is not known.
    fn key(self, row: u32, entry: &Entry) -> u32 {
        let known = if self.by == Field::Row { Some(row) } else { entry.number(self.by) };
        known.map_or(u32::MAX, |key| if self.descending { KNOWN - key.min(KNOWN) } else { key.min(KNOWN) })
    }
}

/// The greatest key of what is known.
const KNOWN: u32 = u32::MAX - 1;

/// The rows that pass a filter, in some order.
#[derive(Debug)]
pub(super) struct View {
    rows: Order,
    pub(super) total: u64,
    /// The files whose rows are in it, by their index.
    pub(super) files: Vec<u16>,
    made_of: Amounts,
    keeps_until: Instant,
}

#[derive(Debug)]
enum Order {
    /// All rows of the files that can be read, in their order.
    Plain(Vec<Range<u32>>),
    Chosen(Vec<u32>),
}

/// How much is known of the collection, as far as a view depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Amounts {
    broken: usize,
    rows: u64,
    /// The answers of each pass.
    known: [u64; 2],
}

/// Where the view of some conditions and an order is kept, once it was made.
#[derive(Debug)]
pub(super) struct KeptView {
    conditions: Conditions,
    sort: Sort,
    place: Arc<Mutex<Option<Arc<View>>>>,
}

impl View {
    /// Returns some of the rows; fewer at the end.
    pub(super) fn slice(&self, from: u64, count: u64) -> Vec<u32> {
        let (from, count) = (from.min(self.total) as usize, count as usize);
        match &self.rows {
            Order::Chosen(rows) => rows[from..].iter().take(count).copied().collect(),
            Order::Plain(ranges) => ranges.iter().cloned().flatten().skip(from).take(count).collect(),
        }
    }

    /// Returns the position of a row, if it is among those of the view.
    pub(super) fn position(&self, row: u32) -> Option<u64> {
        let before = |ranges: &[Range<u32>]| {
            ranges.iter().map(|range| u64::from(range.end - range.start)).sum::<u64>()
        };
        match &self.rows {
            Order::Chosen(rows) => {
                rows.iter().position(|&known| known == row).map(|position| position as u64)
            }
            Order::Plain(ranges) => {
                let index = ranges.iter().position(|range| range.contains(&row))?;
                Some(before(&ranges[..index]) + u64::from(row - ranges[index].start))
            }
        }
    }
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

/// The position, from 0, if the record is in the view; and how many rows that has.
#[derive(Debug, Serialize)]
pub(crate) struct PositionAnswer {
    position: Option<u64>,
    total: u64,
}

/// Locks what another request may hold for a while. Refuses where nobody waits any more.
fn lock_until<'a, T>(mutex: &'a Mutex<T>, stop: &AtomicBool) -> Result<MutexGuard<'a, T>, Refusal> {
    while !stop.load(Ordering::Relaxed) {
        match mutex.try_lock() {
            Ok(held) => return Ok(held),
            Err(TryLockError::Poisoned(held)) => return Ok(held.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK),
        }
    }
    Err(given_up())
}

impl Collection {
    /// Returns where a record is in a view.
    pub(crate) fn position(&self, question: &Position, stop: &AtomicBool) -> Result<PositionAnswer, Refusal> {
        let view = self.view(&question.filter, question.sort, stop)?;
        let row = u32::try_from(question.row).ok();
        Ok(PositionAnswer { position: row.and_then(|row| view.position(row)), total: view.total })
    }

    /// Returns the view of a filter and an order. One that was made before may lack what was found out in the last moments.
    pub(super) fn view(&self, filter: &Filter, sort: Sort, stop: &AtomicBool) -> Result<Arc<View>, Refusal> {
        let conditions = filter.check(self.files.len())?;
        if conditions == Conditions::default() && sort.is_plain() {
            return Ok(Arc::new(self.plain_view(filter, sort)?));
        }
        let place = self.place_of_view(&conditions, sort);
        let mut kept = lock_until(&place, stop)?;
        let amounts = self.amounts(filter, sort);
        if let Some(view) = &*kept
            && (view.made_of == amounts
                || view.made_of.broken == amounts.broken && view.keeps_until > Instant::now())
        {
            return Ok(Arc::clone(view));
        }
        let view = Arc::new(self.chosen_view(filter, &conditions, sort, stop)?);
        *kept = Some(Arc::clone(&view));
        Ok(view)
    }

    /// Returns where a view is kept. Who makes it holds the lock, so that it is made once.
    fn place_of_view(&self, conditions: &Conditions, sort: Sort) -> Arc<Mutex<Option<Arc<View>>>> {
        let mut views = lock(&self.views);
        let known = views.iter().position(|kept| kept.conditions == *conditions && kept.sort == sort);
        let new = || KeptView { conditions: conditions.clone(), sort, place: Arc::default() };
        let kept = known.map_or_else(new, |known| views.remove(known));
        let place = Arc::clone(&kept.place);
        views.truncate(VIEWS - 1);
        views.insert(0, kept);
        place
    }

    fn amounts(&self, filter: &Filter, sort: Sort) -> Amounts {
        let sum = |count: &dyn Fn(&File) -> &AtomicU32| {
            self.files.iter().map(|file| u64::from(count(file).load(Ordering::Acquire))).sum()
        };
        let known = |pass: Pass| match filter.needs(pass) || sort.needs(pass) {
            true => sum(&|file| &file.known[pass as usize]),
            false => 0,
        };
        Amounts {
            broken: self.files.iter().filter(|file| file.is_broken()).count(),
            rows: sum(&|file| &file.records),
            known: [Pass::Search, Pass::Rate].map(known),
        }
    }

    fn plain_view(&self, filter: &Filter, sort: Sort) -> Result<View, Refusal> {
        let made_of = self.amounts(filter, sort);
        let ranges = self.readable_ranges()?;
        let total = ranges.iter().map(|rows| u64::from(rows.end - rows.start)).sum();
        let file = |rows: &Range<u32>| self.index.get(rows.start).map(|entry| entry.file);
        let files = ranges.iter().filter_map(file).collect();
        let keeps_until = Instant::now();
        Ok(View { rows: Order::Plain(ranges), total, files, made_of, keeps_until })
    }

    /// Returns the rows of each file that can be read. Refuses where the rows of all files are gone.
    pub(super) fn readable_ranges(&self) -> Result<Vec<Range<u32>>, Refusal> {
        let rows = |file: &File| {
            // In this order: where there are records, their first row is known.
            let records = file.records.load(Ordering::Acquire);
            let first = file.first_row.load(Ordering::Acquire);
            first..first + records
        };
        let (broken, readable): (Vec<&File>, Vec<&File>) =
            self.files.iter().partition(|file| file.is_broken());
        let ranges: Vec<Range<u32>> =
            readable.into_iter().map(rows).filter(|rows| !rows.is_empty()).collect();
        let lost = broken.into_iter().find(|file| !rows(file).is_empty());
        match lost {
            Some(lost) if ranges.is_empty() => Err(lost.refusal()),
            _ => Ok(ranges),
        }
    }

    fn chosen_view(
        &self,
        filter: &Filter,
        conditions: &Conditions,
        sort: Sort,
        stop: &AtomicBool,
    ) -> Result<View, Refusal> {
        let begun = Instant::now();
        let made_of = self.amounts(filter, sort);
        let mut keys: Vec<u64> = Vec::new();
        let mut has_rows = vec![false; self.files.len()];
        for rows in self.readable_ranges()? {
            self.index.visit(rows, |first, entries| {
                let admitted = (first..).zip(entries).filter(|(_, entry)| conditions.admit(entry));
                keys.extend(admitted.map(|(row, entry)| {
                    has_rows[usize::from(entry.file)] = true;
                    u64::from(sort.key(row, entry)) << 32 | u64::from(row)
                }));
                !stop.load(Ordering::Relaxed)
            });
        }
        if !sort.is_plain() {
            keys.sort_unstable();
        }
        let rows: Vec<u32> = keys.into_iter().map(|key| key as u32).collect();
        let total = rows.len() as u64;
        let age = LEAST_AGE.max(begun.elapsed() * AGE);
        if stop.load(Ordering::Relaxed) {
            return Err(given_up());
        }
        let files = (0..).zip(has_rows).filter_map(|(file, has_rows)| has_rows.then_some(file)).collect();
        let keeps_until = Instant::now() + age;
        Ok(View { rows: Order::Chosen(rows), total, files, made_of, keeps_until })
    }
}
