//! The third pass, for those who ask for it: rating all proper puzzles.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::entry::{Entry, RatingMark};
use super::span::{KnownRow, ReadSpan, SpanReader, first_span};
use super::{Collection, lock};

/// Rows that are rated together in the background.
const BLOCK: u32 = 128;

/// How far the rating of all puzzles has come.
#[derive(Debug, Default)]
pub(super) struct RatingPass {
    /// Ends the rating when it becomes true; `None` while there is none.
    stop: Option<Arc<AtomicBool>>,
    /// The next row.
    next: u32,
    /// Blocks that threads are at.
    open: u32,
}

/// A block that a thread is at, until the value is dropped: even a panic leaves none behind, so the pass ends.
struct OpenBlock<'a> {
    pass: &'a Mutex<RatingPass>,
    /// The flag of the pass that it belongs to.
    stop: &'a Arc<AtomicBool>,
}

impl Drop for OpenBlock<'_> {
    fn drop(&mut self) {
        let mut pass = lock(self.pass);
        if pass.stop.as_ref().is_some_and(|current| Arc::ptr_eq(current, self.stop)) {
            pass.open -= 1;
        }
    }
}

impl Collection {
    /// Begins or ends the rating of all proper puzzles.
    pub(super) fn switch_rating(&self, on: bool) {
        let mut pass = lock(&self.rating);
        if on && pass.stop.is_none() {
            *pass = RatingPass { stop: Some(self.watch.flag(None)), ..RatingPass::default() };
        } else if !on && let Some(stop) = pass.stop.take() {
            stop.store(true, Ordering::Relaxed);
            self.replace_wanted(Vec::new());
        } else {
            return;
        }
        drop(pass);
        self.index.touch();
        self.wake();
    }

    /// Returns whether the rating of all puzzles is going on.
    pub(super) fn is_rating(&self) -> bool {
        lock(&self.rating).stop.is_some()
    }

    /// Claims the next rows for their rating. The pass ends when all are done.
    fn claim_to_rate(&self) -> Option<(Range<u32>, Arc<AtomicBool>)> {
        let mut pass = lock(&self.rating);
        let stop = Arc::clone(pass.stop.as_ref()?);
        let is_indexed = self.is_indexed.load(Ordering::Acquire);
        let (start, rows) = (pass.next, self.index.rows());
        if start == rows {
            if is_indexed && pass.open == 0 {
                pass.stop = None;
                self.index.touch();
            }
            return None;
        }
        pass.next = start + BLOCK.min(rows - start);
        pass.open += 1;
        Some((start..pass.next, stop))
    }

    /// Rates some puzzles, if that is wanted. Returns whether there was anything to do.
    pub(super) fn rate_a_block(&self, reader: &mut SpanReader<'_>) -> bool {
        let Some((rows, stop)) = self.claim_to_rate() else { return false };
        let _open = OpenBlock { pass: &self.rating, stop: &stop };
        let mut known = self.known_rows(rows);
        let is_open = |entry: &Entry| entry.status.is_none() || entry.wants_rating();
        known.retain(|(_, entry)| is_open(entry) && !self.file_of(entry).is_broken());
        let mut rest = &mut known[..];
        while !rest.is_empty() && !stop.load(Ordering::Relaxed) {
            let (span, later) = rest.split_at_mut(first_span(rest).len());
            if let Ok(mut read) = reader.read(span)
                && self.search_span(span, &mut read, &stop).is_ok()
            {
                self.rate_span(span, &mut read, &stop);
            }
            rest = later;
        }
        true
    }

    /// Rates the proper puzzles of a span that has been read, as far as they have no rating yet, until `stop` becomes true.
    pub(super) fn rate_span(&self, span: &mut [KnownRow], read: &mut ReadSpan<'_>, stop: &AtomicBool) {
        let places: Vec<usize> = (0..span.len()).filter(|&place| span[place].1.wants_rating()).collect();
        let rated = read.records.rate(&places, stop);
        if rated.is_empty() {
            return;
        }
        let mut noted = 0;
        self.note(span, &rated, |rating, entry| {
            noted += u32::from(entry.rating == RatingMark::NONE && rating.end().is_some());
            entry.rating = *rating;
        });
        self.count(&self.file_of(&span[0].1).rated, noted);
        rated.iter().for_each(|(place, rating)| span[*place].1.rating = *rating);
    }
}
