//! The entries of all records, in segments.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use gridmill_data::error::Error;

use super::entry::Entry;
use super::{read, write};

/// The entries of a segment: few enough that going through them delays no other thread.
const SEGMENT: usize = 1 << 16;

type Segment = Arc<RwLock<Vec<Entry>>>;

/// The entries of all records, by their row. Readers and writers of different segments do not meet.
#[derive(Debug)]
pub(super) struct Index {
    segments: RwLock<Vec<Segment>>,
    rows: AtomicU32,
    /// The most rows that there may be.
    limit: u32,
    /// How often it has changed.
    revision: AtomicU64,
}

impl Index {
    pub(super) fn new(limit: u32) -> Index {
        Index { segments: RwLock::default(), rows: AtomicU32::new(0), limit, revision: AtomicU64::new(0) }
    }

    /// Returns the number of rows.
    pub(super) fn rows(&self) -> u32 {
        self.rows.load(Ordering::Acquire)
    }

    /// Returns a number that grows with every change.
    pub(super) fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    /// Says that something has changed.
    pub(super) fn touch(&self) {
        self.revision.fetch_add(1, Ordering::AcqRel);
    }

    /// Appends entries, as many as there is room for. Only one thread appends.
    pub(super) fn append(&self, mut entries: &[Entry]) -> Result<(), Error> {
        while !entries.is_empty() {
            let rows = self.rows();
            let segment = self.last_segment(rows);
            let room = (SEGMENT - rows as usize % SEGMENT).min((self.limit - rows) as usize);
            let (now, later) = entries.split_at(room.min(entries.len()));
            if now.is_empty() {
                return Err(Error::other(format!("there are more than {} records in all", self.limit)));
            }
            write(&segment).extend_from_slice(now);
            self.rows.store(rows + now.len() as u32, Ordering::Release);
            self.touch();
            entries = later;
        }
        Ok(())
    }

    /// Returns the segment that the next row belongs to.
    fn last_segment(&self, rows: u32) -> Segment {
        let mut segments = write(&self.segments);
        let place = rows as usize / SEGMENT;
        if place == segments.len() {
            // Memory that is not written to yet costs nothing.
            segments.push(Arc::new(RwLock::new(Vec::with_capacity(SEGMENT))));
        }
        Arc::clone(&segments[place])
    }

    fn segment(&self, place: usize) -> Option<Segment> {
        read(&self.segments).get(place).cloned()
    }

    /// Returns the entry of a row.
    pub(super) fn get(&self, row: u32) -> Option<Entry> {
        let segment = self.segment(row as usize / SEGMENT)?;
        read(&segment).get(row as usize % SEGMENT).copied()
    }

    /// Returns the segments of some rows: each with the first of the rows in it, and their places there.
    fn parts(&self, rows: Range<u32>) -> impl Iterator<Item = (u32, Segment, Range<usize>)> {
        let (start, end) = (rows.start as usize, rows.end as usize);
        (start / SEGMENT..end.div_ceil(SEGMENT)).map_while(move |place| {
            let base = place * SEGMENT;
            let first = start.max(base);
            Some((first as u32, self.segment(place)?, first - base..end - base))
        })
    }

    /// Hands over the entries of some rows, a part at a time, each with its first row, as long as `each` returns true.
    pub(super) fn visit(&self, rows: Range<u32>, mut each: impl FnMut(u32, &[Entry]) -> bool) {
        for (first, segment, part) in self.parts(rows) {
            let segment = read(&segment);
            if !each(first, &segment[within(part, segment.len())]) {
                return;
            }
        }
    }

    /// Lets `each` change the entries of some rows, a part at a time, each with its first row. Call [`Index::touch`]
    /// after a change, once the counts of the file are up to date too.
    pub(super) fn change(&self, rows: Range<u32>, mut each: impl FnMut(u32, &mut [Entry])) {
        for (first, segment, part) in self.parts(rows) {
            let mut segment = write(&segment);
            let part = within(part, segment.len());
            each(first, &mut segment[part]);
        }
    }
}

/// Returns those of some places that there are.
fn within(part: Range<usize>, len: usize) -> Range<usize> {
    part.start.min(len)..part.end.min(len)
}
