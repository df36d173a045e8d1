//! The records of a call in parts, which all threads take from one another, and the columns that they fill.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

/// Places for the results of some records, which can be divided among threads.
pub(crate) trait Places: Sized + Send {
    /// Returns the places of the first records, and those of the others.
    fn split(self, records: usize) -> (Self, Self);
}

/// A place for each record, of one item.
impl<T: Send> Places for &mut [T] {
    fn split(self, records: usize) -> (Self, Self) {
        self.split_at_mut(records)
    }
}

/// A place for each record, of several items.
pub(crate) struct Wide<'a, T> {
    items: &'a mut [T],
    width: usize,
}

impl<'a, T> Wide<'a, T> {
    /// Returns places of that width.
    pub(crate) fn new(items: &'a mut [T], width: usize) -> Wide<'a, T> {
        Wide { items, width }
    }

    /// Returns the place of a record.
    pub(crate) fn of(&mut self, record: usize) -> &mut [T] {
        &mut self.items[record * self.width..(record + 1) * self.width]
    }
}

impl<T: Send> Places for Wide<'_, T> {
    fn split(self, records: usize) -> (Self, Self) {
        let (first, rest) = self.items.split_at_mut(records * self.width);
        (Wide { items: first, ..self }, Wide { items: rest, width: self.width })
    }
}

impl<A: Places, B: Places> Places for (A, B) {
    fn split(self, records: usize) -> (Self, Self) {
        let ((a, more_a), (b, more_b)) = (self.0.split(records), self.1.split(records));
        ((a, b), (more_a, more_b))
    }
}

/// The number of records of a part, at least and at most.
#[derive(Clone, Copy)]
pub(crate) struct PartSize {
    least: usize,
    most: usize,
}

impl PartSize {
    /// For batch engines: enough to fill their lanes, and so few that no thread waits long for the last.
    pub(crate) const BATCHES: PartSize = PartSize { least: 128, most: 3200 };
    /// For counts, of which one may take for ever and a thousand a millisecond.
    pub(crate) const COUNTS: PartSize = PartSize { least: 1, most: 512 };
    /// For work of some microseconds a record.
    pub(crate) const FORMS: PartSize = PartSize { least: 1, most: 256 };
    /// For ratings, which are quicker together.
    pub(crate) const RATINGS: PartSize = PartSize { least: 8, most: 256 };
    /// For work that may take many milliseconds a record.
    pub(crate) const LONG: PartSize = PartSize { least: 1, most: 64 };

    /// Returns the size of the parts of so many records: some for each thread, so that all end at about the same time.
    fn of(self, records: usize) -> usize {
        const PARTS_A_THREAD: usize = 16;
        (records / (PARTS_A_THREAD * rayon::current_num_threads())).clamp(self.least, self.most)
    }
}

/// Works on all records, part by part, on the threads of the current pool. Who takes some parts makes the tools of the
/// work. Returns the first error of the part that stands first; parts that have not begun when `stop` becomes true are left out.
pub(crate) fn in_parts<P: Places, W, E: Send>(
    records: usize,
    size: PartSize,
    places: P,
    stop: &AtomicBool,
    tools: impl Fn() -> W + Send + Sync,
    work: impl Fn(&mut W, Range<usize>, P) -> Result<(), E> + Send + Sync,
) -> Result<(), E> {
    let size = size.of(records);
    let mut parts = Vec::with_capacity(records.div_ceil(size));
    let mut rest = places;
    for start in (0..records).step_by(size) {
        let range = start..records.min(start + size);
        let (part, behind) = rest.split(range.len());
        parts.push((range, part));
        rest = behind;
    }
    let one = |tools: &mut W, (range, part)| {
        if stop.load(Ordering::Relaxed) { Ok(()) } else { work(tools, range, part) }
    };
    // The first error is that of the part that stands first, whichever thread meets one first.
    let failed = parts.into_par_iter().map_init(&tools, one).find_first(Result::is_err);
    failed.unwrap_or(Ok(()))
}
