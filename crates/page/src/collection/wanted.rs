//! Ratings of rows that are looked at: a thread of its own makes them, as one may take seconds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::span::{SpanReader, first_span};
use super::{Collection, lock};

/// Rows that are rated together at first, and at most.
const FIRST: usize = 8;
const MOST: usize = 64;

/// How long they may take before fewer are rated together.
const SHORT: Duration = Duration::from_millis(50);

/// How often one who waits looks whether the ratings are there, and the thread whether there is something to do.
const LOOK: Duration = Duration::from_millis(5);
const IDLE: Duration = Duration::from_millis(500);

/// The rows whose ratings are wanted by the last one who asked.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    rows: Vec<u32>,
    /// Those that are rated now, and what ends that.
    now: Option<(Vec<u32>, Arc<AtomicBool>)>,
}

impl Collection {
    /// Asks for the ratings of some rows, in place of those that were asked for before, and waits for them until `over`
    /// becomes true.
    pub(super) fn want_ratings(&self, rows: Vec<u32>, over: &AtomicBool) {
        if rows.is_empty() {
            return;
        }
        self.replace_wanted(rows.clone());
        self.wake();
        let is_open = |row: &u32| self.index.get(*row).is_some_and(|entry| entry.wants_rating());
        while rows.iter().any(is_open) && !over.load(Ordering::Relaxed) {
            std::thread::sleep(LOOK);
        }
    }

    /// Forgets what was asked for, and ends the rating of rows that are not wanted any more.
    pub(super) fn replace_wanted(&self, rows: Vec<u32>) {
        let mut wanted = lock(&self.wanted);
        if let Some((now, stop)) = &wanted.now
            && !now.iter().any(|row| rows.contains(row))
        {
            stop.store(true, Ordering::Relaxed);
        }
        wanted.rows = rows;
    }

    /// Rates the rows that are looked at, until `stop` becomes true.
    pub(super) fn rate_wanted(&self, stop: &AtomicBool) {
        let mut reader = SpanReader::new(&self.files);
        let mut together = FIRST;
        while !stop.load(Ordering::Relaxed) {
            let seen = self.news();
            let Some((rows, over)) = self.claim_wanted(together) else {
                self.wait_for_work(seen, IDLE);
                continue;
            };
            let begun = Instant::now();
            self.rate_rows(&rows, &mut reader, &over);
            together = if begun.elapsed() > SHORT { (together / 2).max(1) } else { (together * 2).min(MOST) };
        }
    }

    /// Claims the first of the rows that are still without a rating.
    fn claim_wanted(&self, most: usize) -> Option<(Vec<u32>, Arc<AtomicBool>)> {
        let mut wanted = lock(&self.wanted);
        let is_open = |row: &u32| self.index.get(*row).is_some_and(|entry| entry.wants_rating());
        wanted.rows.retain(is_open);
        let few = most.min(wanted.rows.len());
        let rows: Vec<u32> = wanted.rows.drain(..few).collect();
        wanted.now = (!rows.is_empty()).then(|| (rows, self.watch.flag(None)));
        wanted.now.clone()
    }

    fn rate_rows(&self, rows: &[u32], reader: &mut SpanReader<'_>, over: &AtomicBool) {
        let mut known = self.known(rows);
        known.retain(|(_, entry)| !self.file_of(entry).is_broken());
        let mut rest = &mut known[..];
        while !rest.is_empty() && !over.load(Ordering::Relaxed) {
            let (span, later) = rest.split_at_mut(first_span(rest).len());
            // What is wrong is told of the file.
            if let Ok(mut read) = reader.read(span) {
                self.rate_span(span, &mut read, over);
            }
            rest = later;
        }
    }
}
