//! The background: jobs that are asked of all records, and of those that are looked at.
//!
//! Threads take their work from one queue. One thread rates the rows that are looked at, one by one, because any of them may
//! take seconds. The others take blocks of rows: they search all rows, and then rate all proper puzzles, if that is wanted.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use gridmill_core::jobs::Refuted;
use serde::{Deserialize, Serialize};

use super::entry::Pass;
use super::span::{KnownRow, ReadSpan, SpanReader};
use super::{Collection, given_up, lock};
use crate::reply::Refusal;

/// Rows of a block that is searched, and of one that is rated.
const SEARCHED: u32 = 1024;
const RATED: u32 = 128;

/// How long a thread waits for news before it looks for work again.
const IDLE: Duration = Duration::from_millis(500);

/// How long a thread waits for requests to be answered before it looks again, and how often: so it goes on though there
/// always are some.
const PAUSE: Duration = Duration::from_millis(2);
const PAUSES: u32 = 10;

/// How often a request looks whether its ratings are there.
const LOOK: Duration = Duration::from_millis(5);

/// The thread that rates the rows that are looked at, and the first one of those that take blocks.
const OF_WANTED: usize = 0;
const FIRST_OF_BLOCKS: usize = 1;

/// What is still to be done.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// The next row that is searched.
    next_to_search: u32,
    /// The rating of all proper puzzles, while it goes on.
    rating: Option<RatingPass>,
    /// The rows whose ratings the last request wants.
    wanted: Vec<u32>,
    /// The one that is rated now, and what ends that.
    now: Option<(u32, Arc<AtomicBool>)>,
    /// Tasks that threads are working on.
    open: u32,
}

/// The rating of all proper puzzles.
#[derive(Debug)]
struct RatingPass {
    /// Ends it when it becomes true.
    stop: Arc<AtomicBool>,
    /// The next row.
    next: u32,
}

/// Work for a thread: the rows, the last pass that they need, and the flag that ends it.
struct Task<'a> {
    collection: &'a Collection,
    rows: Range<u32>,
    pass: Pass,
    stop: Arc<AtomicBool>,
}

/// Even a panic leaves no task open, so the rating of all puzzles ends.
impl Drop for Task<'_> {
    fn drop(&mut self) {
        lock(&self.collection.queue).open -= 1;
    }
}

impl Queue {
    /// Asks for the ratings of other rows, and ends that of a row that is not wanted any more.
    fn want(&mut self, rows: Vec<u32>) {
        if let Some((now, stop)) = &self.now
            && !rows.contains(now)
        {
            stop.store(true, Ordering::Relaxed);
        }
        self.wanted = rows;
    }
}

/// Claims a block of rows from the next one on.
fn claim(next: &mut u32, rows: u32, size: u32) -> Range<u32> {
    let start = *next;
    *next += size.min(rows - start);
    start..*next
}

/// A request to begin or end the rating of all proper puzzles.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RateAll {
    on: bool,
}

/// An answer that says no more than that it was done.
#[derive(Debug, Serialize)]
pub(crate) struct Done {}

impl Collection {
    /// Begins or ends the rating of all proper puzzles in the background.
    pub(crate) fn rate_all(&self, question: &RateAll) -> Result<Done, Refusal> {
        let mut queue = lock(&self.queue);
        if question.on == queue.rating.is_some() {
            return Ok(Done {});
        }
        match queue.rating.take() {
            Some(rating) => {
                rating.stop.store(true, Ordering::Relaxed);
                queue.want(Vec::new());
            }
            None => queue.rating = Some(RatingPass { stop: self.watch.flag(None), next: 0 }),
        }
        drop(queue);
        self.index.touch();
        self.wake();
        Ok(Done {})
    }

    /// Returns whether the rating of all puzzles is going on.
    pub(super) fn is_rating(&self) -> bool {
        lock(&self.queue).rating.is_some()
    }

    /// Asks for the ratings of some rows, in place of those that were asked for before, and waits for them until `over`
    /// becomes true.
    pub(super) fn want_ratings(&self, rows: Vec<u32>, over: &AtomicBool) {
        if rows.is_empty() {
            return;
        }
        lock(&self.queue).want(rows.clone());
        self.wake();
        while rows.iter().any(|&row| self.is_unrated(row)) && !over.load(Ordering::Relaxed) {
            std::thread::sleep(LOOK);
        }
    }

    fn is_unrated(&self, row: u32) -> bool {
        self.index.get(row).is_some_and(|entry| entry.wants(Pass::Rate))
    }

    /// Wakes the threads that wait for work.
    pub(super) fn wake(&self) {
        // With the lock, because no thread is then between its look at the queue and its wait.
        drop(lock(&self.queue));
        self.work.notify_all();
    }

    /// Does the work of a thread, until `stop` becomes true.
    pub(super) fn work(&self, thread: usize, stop: &AtomicBool) {
        let mut reader = SpanReader::new(&self.files);
        while !stop.load(Ordering::Relaxed) {
            if thread != OF_WANTED {
                self.let_requests_pass(stop);
            }
            let mut queue = lock(&self.queue);
            match self.claim(thread, &mut queue) {
                Some((rows, pass, stop)) => {
                    queue.open += 1;
                    drop(queue);
                    self.run(&Task { collection: self, rows, pass, stop }, &mut reader);
                }
                None => self.wait(queue),
            }
        }
    }

    /// Waits for news, for a limited time.
    fn wait(&self, queue: MutexGuard<'_, Queue>) {
        drop(self.work.wait_timeout(queue, IDLE));
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

    /// Claims the next work of a thread. Where the positions of all records are still being found, only the first thread
    /// takes blocks, because others would take the time from that.
    fn claim(&self, thread: usize, queue: &mut Queue) -> Option<(Range<u32>, Pass, Arc<AtomicBool>)> {
        if thread == OF_WANTED {
            return self.claim_wanted(queue);
        }
        // In this order: where all is indexed, these are all rows.
        let is_indexed = self.is_indexed.load(Ordering::Acquire);
        let rows = self.index.rows();
        if thread != FIRST_OF_BLOCKS && !is_indexed {
            return None;
        }
        if queue.next_to_search < rows {
            let block = claim(&mut queue.next_to_search, rows, SEARCHED);
            return Some((block, Pass::Search, self.watch.flag(None)));
        }
        let rating = queue.rating.as_mut()?;
        if rating.next < rows {
            return Some((claim(&mut rating.next, rows, RATED), Pass::Rate, Arc::clone(&rating.stop)));
        }
        if is_indexed && queue.open == 0 {
            queue.rating = None;
            self.index.touch();
        }
        None
    }

    /// Claims the first of the rows that are looked at and still without a rating.
    fn claim_wanted(&self, queue: &mut Queue) -> Option<(Range<u32>, Pass, Arc<AtomicBool>)> {
        let open = queue.wanted.iter().position(|&row| self.is_unrated(row));
        queue.now = open.map(|open| (queue.wanted[open], self.watch.flag(None)));
        queue.wanted.drain(..open.map_or(queue.wanted.len(), |open| open + 1));
        queue.now.clone().map(|(row, stop)| (row..row + 1, Pass::Rate, stop))
    }

    /// Asks the jobs of a task. What is wrong with a file is told of the file.
    fn run(&self, task: &Task<'_>, reader: &mut SpanReader<'_>) {
        let passes = task.pass.with_earlier();
        let mut known = self.known_rows(task.rows.clone());
        known.retain(|(_, entry)| {
            passes.iter().any(|&pass| entry.wants(pass)) && !self.file_of(entry).is_broken()
        });
        let _ = reader.read_all(&mut known, |span, read| {
            if let Ok(mut read) = read {
                let _ = passes.iter().try_for_each(|&pass| self.ask(pass, span, &mut read, &task.stop));
            }
            (!task.stop.load(Ordering::Relaxed)).then_some(()).ok_or_else(given_up)
        });
    }

    /// Asks a job of the puzzles of a span that has been read, where its answers are not known yet, until `stop` becomes
    /// true, and notes the answers.
    pub(super) fn ask(
        &self,
        pass: Pass,
        span: &mut [KnownRow],
        read: &mut ReadSpan<'_>,
        stop: &AtomicBool,
    ) -> Result<(), Refusal> {
        let open: Vec<usize> = (0..span.len()).filter(|&place| span[place].1.wants(pass)).collect();
        if open.is_empty() {
            return Ok(());
        }
        let file = self.file_of(&span[0].1);
        let (places, answers) =
            read.records.ask(pass, &open, stop).map_err(|Refuted { puzzle, engine }| {
                let (row, entry) = &span[puzzle];
                let (name, number) = (&file.name, self.number_of(*row, entry));
                file.fail(format!(
                    "{name}: {engine} gave a wrong solution of record {number}: please report it"
                ));
                file.refusal()
            })?;
        let (first, mut noted) = (span[0].0, 0);
        self.index.change(first..first + span.len() as u32, |row, entries| {
            let begin = (row - first) as usize;
            for (answer, &place) in places.iter().enumerate() {
                let entry = place.checked_sub(begin).and_then(|place| entries.get_mut(place));
                let Some(entry) = entry.filter(|_| answer < answers.len()) else { continue };
                noted += u32::from(entry.note(pass, answers, answer));
                span[place].1 = *entry;
            }
        });
        if noted > 0 {
            file.known[pass as usize].fetch_add(noted, Ordering::AcqRel);
            self.index.touch();
        }
        Ok(())
    }
}
