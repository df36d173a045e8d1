//! The second pass: searching all puzzles, in the background and as rows are looked at.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use super::Collection;
use super::entry::Entry;
use super::span::{KnownRow, ReadSpan, SpanReader, first_span};
use crate::refusal::Refusal;

/// Rows that are searched together in the background.
const BLOCK: u32 = 1024;

/// How long a thread of the background waits for news before it looks for work again.
const IDLE: Duration = Duration::from_millis(500);

/// How long it waits for requests to be answered before it looks again, and how often: so it goes on though there always
/// are some.
const PAUSE: Duration = Duration::from_millis(2);
const PAUSES: u32 = 10;

impl Collection {
    /// Works on rows that nobody has asked for, until `stop` becomes true. Where the positions of all records are still being
    /// found, only the first thread does: others would take the time from that.
    pub(super) fn work(&self, number: usize, stop: &AtomicBool) {
        let mut reader = SpanReader::new(&self.files);
        while number > 0 && !stop.load(Ordering::Relaxed) {
            let seen = self.news();
            if self.is_indexed.load(Ordering::Acquire) {
                break;
            }
            self.wait_for_work(seen, IDLE);
        }
        while !stop.load(Ordering::Relaxed) {
            self.let_requests_pass(stop);
            let seen = self.news();
            if let Some(rows) = self.claim_to_search() {
                self.search_block(rows, &mut reader, stop);
            } else if !self.rate_a_block(&mut reader) {
                self.wait_for_work(seen, IDLE);
            }
        }
    }

    /// Waits, for a limited time, while requests are being answered.
    fn let_requests_pass(&self, stop: &AtomicBool) {
        for _ in 0..PAUSES {
            if self.requests.load(Ordering::Relaxed) == 0 || stop.load(Ordering::Relaxed) {
                return;
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Claims the next rows that nobody has searched.
    fn claim_to_search(&self) -> Option<Range<u32>> {
        let rows = self.index.rows();
        let claim = |next: u32| (next < rows).then(|| next + BLOCK.min(rows - next));
        let next = self.next_to_search.fetch_update(Ordering::AcqRel, Ordering::Acquire, claim).ok()?;
        Some(next..next + BLOCK.min(rows - next))
    }

    fn search_block(&self, rows: Range<u32>, reader: &mut SpanReader<'_>, stop: &AtomicBool) {
        let mut known = self.known_rows(rows);
        known.retain(|(_, entry)| entry.status.is_none() && !self.file_of(entry).is_broken());
        let mut rest = &mut known[..];
        while !rest.is_empty() && !stop.load(Ordering::Relaxed) {
            let (span, later) = rest.split_at_mut(first_span(rest).len());
            // What is wrong is told of the file.
            if let Ok(mut read) = reader.read(span) {
                let _ = self.search_span(span, &mut read, stop);
            }
            rest = later;
        }
    }

    /// Searches the puzzles of a span that has been read, as far as they have no verdict yet, until `stop` becomes true,
    /// and notes what was found.
    pub(super) fn search_span(
        &self,
        span: &mut [KnownRow],
        read: &mut ReadSpan<'_>,
        stop: &AtomicBool,
    ) -> Result<(), Refusal> {
        let open: Vec<usize> = (0..span.len()).filter(|&place| span[place].1.status.is_none()).collect();
        if open.is_empty() {
            return Ok(());
        }
        let file = self.file_of(&span[0].1);
        let found = read.records.search(&open, stop).map_err(|refuted| {
            let (row, engine) = (span[refuted.place].0, refuted.engine);
            let number = row - file.first_row.load(Ordering::Acquire) + 1;
            let name = &file.name;
            file.fail(format!("{name}: {engine} gave a wrong solution of record {number}: please report it"));
            file.refusal()
        })?;
        let mut noted = 0;
        self.note(span, &found, |found, entry| noted += u32::from(found.note(entry)));
        self.count(&file.solved, noted);
        found.iter().for_each(|(place, found)| _ = found.note(&mut span[*place].1));
        Ok(())
    }

    /// Counts what is known of more records, and says that something has changed, if anything has.
    pub(super) fn count(&self, known: &AtomicU32, more: u32) {
        if more > 0 {
            known.fetch_add(more, Ordering::AcqRel);
            self.index.touch();
        }
    }

    /// Hands what was found of places in a span to `note`, each with the entry in the index.
    pub(super) fn note<T>(
        &self,
        span: &[KnownRow],
        found: &[(usize, T)],
        mut note: impl FnMut(&T, &mut Entry),
    ) {
        let first = span[0].0;
        self.index.change(first..first + span.len() as u32, |row, entries| {
            let begin = (row - first) as usize;
            for (place, found) in found {
                if let Some(entry) = place.checked_sub(begin).and_then(|place| entries.get_mut(place)) {
                    note(found, entry);
                }
            }
        });
    }
}
