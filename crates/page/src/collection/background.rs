//! The background: the threads of a collection. They run jobs on all records, and on those that the user looks at.
//!
//! Threads take their work from one queue. One thread rates the records that the user looks at, one at a time, because each may take
//! seconds. The others take blocks of records: they solve all records, and then rate all proper puzzles if the user wants that. One of
//! them indexes the files first.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use gridmill_core::jobs::WrongAnswer;
use serde::Deserialize;
use serde_json::{Value, json};

use super::index::Pass;
use super::records::{KnownRecord, ReadSpan, SpanReader};
use super::{Collection, check_client, lock};
use crate::reply::Answer;

/// The number of records in a block that is solved, and in one that is rated. The latter is smaller, because ratings take longer.
const SOLVE_BLOCK: u32 = 1024;
const RATE_BLOCK: u32 = 128;

/// How long a thread waits for a signal before it looks for work again.
const IDLE: Duration = Duration::from_millis(500);

/// The time for which a thread waits while requests are being answered, and how often it does so in a row. The number is limited,
/// because there may always be some requests.
const PAUSE: Duration = Duration::from_millis(2);
const PAUSES: u32 = 10;

/// How often a request checks whether its ratings are complete.
const CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// How often the files are checked for changes.
const CHECK_FILES: Duration = Duration::from_secs(1);

/// How often two threads wake up: the one that sets flags, and the one that checks files.
const TICK: Duration = Duration::from_millis(50);

/// The thread that indexes the files, and then takes blocks.
const INDEXING_THREAD: usize = 0;

/// The thread that rates the records that the user looks at.
const VIEW_THREAD: usize = 1;

/// The first thread that only takes blocks.
const FIRST_BLOCK_THREAD: usize = 2;

/// The work that has not been done yet.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// The id of the next record to solve.
    next_to_solve: u32,
    /// While all proper puzzles are being rated, the flag that stops this; and the id of the next record to rate.
    rating: Option<Arc<AtomicBool>>,
    next_to_rate: u32,
    /// The ids of the records whose ratings the latest request wants.
    wanted: Vec<u32>,
    /// The one of these that is being rated, and the flag that stops this.
    now: Option<(u32, Arc<AtomicBool>)>,
}

/// Work for a thread: the ids of records, the last pass that they need, and the flag that stops it.
struct Task {
    ids: Range<u32>,
    pass: Pass,
    stop: Arc<AtomicBool>,
}

impl Queue {
    /// Replaces the ids of the records whose ratings are wanted. If a record is being rated that is not among them, its rating is stopped.
    fn want(&mut self, ids: Vec<u32>) {
        if let Some((now, stop)) = &self.now
            && !ids.contains(now)
        {
            stop.store(true, Ordering::Relaxed);
        }
        self.wanted = ids;
    }
}

/// Claims the ids of a block of records, beginning with the next one. There are `records` in all.
pub(super) fn claim(next: &mut u32, records: u32, size: u32) -> Range<u32> {
    let start = *next;
    *next += size.min(records - start);
    start..*next
}

/// A request to start or stop the rating of all proper puzzles.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RateAll {
    on: bool,
}

impl Collection {
    /// Starts the threads.
    pub(super) fn begin(self: &Arc<Collection>) -> std::io::Result<()> {
        self.spawn("flags", Collection::set_flags)?;
        self.spawn("files", Collection::watch_files)?;
        // Besides the thread for the records that the user looks at, there is one per processor, but at least two, because one indexes
        // the files.
        let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        for number in INDEXING_THREAD..=processors.max(FIRST_BLOCK_THREAD) {
            self.spawn("work", move |collection| collection.work(number))?;
        }
        Ok(())
    }

    fn spawn(
        self: &Arc<Collection>,
        name: &str,
        run: impl FnOnce(&Collection) + Send + 'static,
    ) -> std::io::Result<()> {
        let collection = Arc::clone(self);
        let guarded = move || {
            if catch_unwind(AssertUnwindSafe(|| run(&collection))).is_err() {
                let error =
                    "these files made gridmill fail, so some records may be missing; please report it";
                let _ = collection.error.set(error.to_owned());
                collection.index.touch();
            }
        };
        thread::Builder::new().name(name.to_owned()).spawn(guarded).map(drop)
    }

    /// A flag that becomes true when the server ends, or after this time.
    pub(super) fn flag(&self, patience: Option<Duration>) -> Arc<AtomicBool> {
        let end = patience.map(|patience| Instant::now() + patience);
        // The lock comes first, so that the thread that sets flags either finds this one or has already ended; then the flag is
        // true from the start.
        let mut flags = lock(&self.flags);
        let flag = Arc::new(AtomicBool::new(self.has_ended()));
        flags.push((end, Arc::downgrade(&flag)));
        flag
    }

    /// Sets each flag after its time, and all flags when the server ends.
    fn set_flags(&self) {
        loop {
            let (has_ended, now) = (self.has_ended(), Instant::now());
            lock(&self.flags).retain(|(end, flag)| {
                let Some(flag) = flag.upgrade() else { return false };
                let is_over = has_ended || end.is_some_and(|end| end <= now);
                flag.fetch_or(is_over, Ordering::Relaxed);
                !is_over
            });
            if has_ended {
                return self.wake();
            }
            thread::sleep(TICK);
        }
    }

    /// Checks the files for changes until the server ends. It has its own thread, so that a slow file system delays no other one.
    fn watch_files(&self) {
        let mut checked = Instant::now();
        while !self.has_ended() {
            thread::sleep(TICK);
            if checked.elapsed() >= CHECK_FILES {
                self.files().shown().for_each(|(_, file)| _ = file.check_unchanged());
                self.read_on();
                checked = Instant::now();
            }
        }
    }

    /// Starts or stops the rating of all proper puzzles in the background.
    pub(crate) fn rate_all(&self, question: &RateAll) -> Value {
        let mut queue = lock(&self.queue);
        if question.on == queue.rating.is_some() {
            return json!({});
        }
        match queue.rating.take() {
            Some(rating) => {
                rating.store(true, Ordering::Relaxed);
                queue.want(Vec::new());
            }
            None => (queue.rating, queue.next_to_rate) = (Some(self.flag(None)), 0),
        }
        drop(queue);
        self.index.touch();
        self.wake();
        json!({})
    }

    /// Whether all puzzles are being rated.
    pub(super) fn is_rating(&self) -> bool {
        lock(&self.queue).rating.is_some()
    }

    /// Asks for the ratings of some records, in place of earlier ones, and waits for them until `over` becomes true.
    pub(super) fn want_ratings(&self, ids: Vec<u32>, over: &AtomicBool) {
        if ids.is_empty() {
            return;
        }
        lock(&self.queue).want(ids.clone());
        self.wake();
        while ids.iter().any(|&id| self.is_unrated(id)) && !over.load(Ordering::Relaxed) {
            thread::sleep(CHECK_INTERVAL);
        }
    }

    fn is_unrated(&self, id: u32) -> bool {
        self.index.get(id).is_some_and(|entry| entry.wants(Pass::Rate))
    }

    /// Wakes the threads that wait for work.
    pub(super) fn wake(&self) {
        // The lock makes sure that no thread is between checking the queue and starting to wait, because it would miss the signal.
        drop(lock(&self.queue));
        self.work_signal.notify_all();
    }

    /// The loop of a thread, until the server ends.
    fn work(&self, thread: usize) {
        let mut reader = SpanReader::new(self);
        while !self.has_ended() {
            if thread == INDEXING_THREAD && self.index_next() {
                continue;
            }
            if thread != VIEW_THREAD {
                self.let_requests_pass();
                // A search for a text or a puzzle comes first, because the user waits for it, but not for the other work.
                if self.search_next(&mut reader) {
                    continue;
                }
            }
            let mut queue = lock(&self.queue);
            match self.claim(thread, &mut queue) {
                Some(task) => {
                    // Even a panic drops this reference, so that the rating of all puzzles can end.
                    let _open = Arc::clone(&self.open_tasks);
                    drop(queue);
                    self.run(&task, &mut reader);
                }
                // Waits for a signal, for a limited time.
                None => drop(self.work_signal.wait_timeout(queue, IDLE)),
            }
        }
    }

    /// Waits, for a limited time, while requests are being answered.
    fn let_requests_pass(&self) {
        for _ in 0..PAUSES {
            if Arc::strong_count(&self.requests) == 1 || self.has_ended() {
                return;
            }
            thread::sleep(PAUSE);
        }
    }

    /// Claims the next work of a thread. While the files are being indexed, only one thread takes blocks, because more would slow
    /// the indexing down.
    fn claim(&self, thread: usize, queue: &mut Queue) -> Option<Task> {
        if thread == VIEW_THREAD {
            return self.claim_wanted(queue);
        }
        // In this order, so that after the indexing these are really all records.
        let is_indexed = self.is_indexed.load(Ordering::Acquire);
        let records = self.index.len();
        if thread != FIRST_BLOCK_THREAD && !is_indexed {
            return None;
        }
        if queue.next_to_solve < records {
            let ids = claim(&mut queue.next_to_solve, records, SOLVE_BLOCK);
            return Some(Task { ids, pass: Pass::Solve, stop: Arc::clone(&self.stop) });
        }
        let rating = queue.rating.as_ref()?;
        if queue.next_to_rate < records {
            let ids = claim(&mut queue.next_to_rate, records, RATE_BLOCK);
            return Some(Task { ids, pass: Pass::Rate, stop: Arc::clone(rating) });
        }
        if is_indexed && Arc::strong_count(&self.open_tasks) == 1 {
            queue.rating = None;
            self.index.touch();
        }
        None
    }

    /// Claims the first record that the user looks at and that has no rating yet.
    fn claim_wanted(&self, queue: &mut Queue) -> Option<Task> {
        let open = queue.wanted.iter().position(|&id| self.is_unrated(id));
        queue.now = open.map(|open| (queue.wanted[open], self.flag(None)));
        queue.wanted.drain(..open.map_or(queue.wanted.len(), |open| open + 1));
        queue.now.clone().map(|(id, stop)| Task { ids: id..id + 1, pass: Pass::Rate, stop })
    }

    /// Runs the jobs of a task. If a file has an error, the file records it.
    fn run(&self, task: &Task, reader: &mut SpanReader<'_>) {
        // The earlier passes are included.
        let passes = &[Pass::Solve, Pass::Rate][..=task.pass as usize];
        let mut known = self.known(task.ids.clone());
        known.retain(|(_, entry)| {
            passes.iter().any(|&pass| entry.wants(pass)) && !self.file_of(entry).is_broken()
        });
        let _ = reader.read_all(&mut known, |span, read| {
            if let Ok(mut read) = read {
                let _ = passes.iter().try_for_each(|&pass| self.ask(pass, span, &mut read, &task.stop));
            }
            check_client(&task.stop)
        });
    }

    /// Runs a job on those puzzles of a span that have no result yet, until `stop` becomes true, and adds the results to the index.
    pub(super) fn ask(
        &self,
        pass: Pass,
        span: &mut [KnownRecord],
        read: &mut ReadSpan<'_>,
        stop: &AtomicBool,
    ) -> Answer {
        let open: Vec<usize> = (0..span.len()).filter(|&place| span[place].1.wants(pass)).collect();
        if open.is_empty() {
            return Ok(());
        }
        let file = self.file_of(&span[0].1);
        let (places, answers) =
            read.records.ask(pass, &open, stop).map_err(|WrongAnswer { puzzle, engine }| {
                let (id, entry) = &span[puzzle];
                let (name, number) = (&file.name, self.number_of(*id, entry));
                file.fail(format!(
                    "{name}: {engine} gave a wrong solution of record {number}: please report it"
                ));
                file.refusal()
            })?;
        let (first, mut noted) = (span[0].0, 0);
        self.index.change(first..first + span.len() as u32, |id, entries| {
            let begin = (id - first) as usize;
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
