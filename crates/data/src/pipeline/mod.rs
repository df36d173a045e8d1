#![doc = include_str!("README.md")]

mod input;
mod shared;
mod source;
mod stage;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::error::{Error, ErrorKind};
use crate::record::{InputAmount, Observer, StatusCounts, Tally};
use input::PIPE_WAIT;
use shared::{Numbering, Permits, Pieces, Timer};
use source::Source;

pub use input::{Input, RecordsBeforePart, mark_stdin_closed};
pub use source::{Batches, Chunks, InputRecord, MalformedRecord, Records};
pub use stage::{
    BatchMapper, Chunk, ChunkOutput, ChunkProcessor, ChunkSizing, ChunkSlot, ChunkValue, JobStage, MapStage,
    ReadChunk, Stage,
};

/// Size of a chunk of classic puzzles in bytes, unless the job or the user chooses another, or the file is
/// small: see [`ChunkSizing::BATCHES`].
pub const CHUNK_BYTES: usize = 256 * 1024;

/// The maximal size of a chunk in bytes. It is limited because offsets in a chunk are 32-bit numbers.
pub const CHUNK_LIMIT: usize = 64 << 20;

/// The maximal number of workers in a run.
pub const THREAD_LIMIT: usize = 1024;

/// Takes the value of each chunk, in the order of the input. `Break` ends the run: no further chunk is read
/// or taken.
pub type Take<'a, V> = dyn FnMut(&V) -> Result<ControlFlow<()>, Error> + 'a;

/// The work of a run, apart from its input and output.
pub struct RunOptions<'a, V = Vec<u8>> {
    /// The work on each chunk.
    pub stage: &'a dyn Stage<V>,
    /// The number of workers, from 1 to [`THREAD_LIMIT`].
    pub threads: usize,
    /// The size of a chunk in bytes, up to [`CHUNK_LIMIT`]; `None` for a size that suits the stage and the
    /// length of the file.
    pub chunk_bytes: Option<usize>,
    /// The number of records in earlier files, if the rows continue those of earlier files. Then there is
    /// no header, and the numbers of records continue.
    pub earlier_records: Option<u64>,
    /// Whether the report on each chunk has [figures for a journal](crate::record::ChunkReport::journal). The
    /// counts are then in these figures, and not in [`Finished::tally`].
    pub for_journal: bool,
    /// How long a worker may work on a chunk before it gives back the rest, so that any worker can continue
    /// with it.
    pub patience: Duration,
}

/// The default patience. It is short enough that a progress bar moves, and that a journal gets its rows
/// soon.
const DEFAULT_PATIENCE: Duration = Duration::from_millis(200);

impl<'a, V: ChunkValue> RunOptions<'a, V> {
    /// Runs a stage on all cores, in chunks that suit it. Change the defaults in a struct update, e.g.
    /// `RunOptions { threads: 2, ..RunOptions::new(&stage) }`.
    #[must_use]
    pub fn new(stage: &'a dyn Stage<V>) -> RunOptions<'a, V> {
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        RunOptions {
            stage,
            threads,
            chunk_bytes: None,
            earlier_records: None,
            for_journal: false,
            patience: DEFAULT_PATIENCE,
        }
    }
}

/// How a run ended.
#[derive(Debug)]
#[non_exhaustive]
pub struct Finished {
    /// The counts of all workers.
    pub tally: Tally,
    /// How much input has been taken by the writer, e.g. written as rows.
    pub totals: InputAmount,
    /// Whether the run was stopped before the end of the input.
    pub stopped: bool,
}

/// A recycled buffer. It moves from the writer to a worker empty, and back full.
#[derive(Debug, Default)]
struct Permit<V> {
    /// Memory for the text of a chunk, if the source does not lend the text.
    input: Vec<u8>,
    output: ChunkOutput<V>,
    /// Whether this is only a part of a chunk, with more parts to come.
    is_part: bool,
    /// Comes with the first part: a channel for the further parts, and finally for the permit of the chunk
    /// itself.
    rest: Option<Receiver<Permit<V>>>,
}

/// The state that all workers of a run share.
struct Run<'a, V> {
    options: &'a RunOptions<'a, V>,
    /// The name of the input.
    file: &'a Path,
    source: Mutex<Source<'a>>,
    numbering: Numbering,
    pieces: Pieces<'a>,
    permits: Permits<V>,
    stop: &'a AtomicBool,
    /// The counts of the workers that have finished.
    tally: Mutex<Tally>,
    /// The first failure of a worker.
    failure: Mutex<Option<Error>>,
}

/// Runs a job that makes rows: from `input` through the workers to `output`.
///
/// If `stop` becomes true, the run ends early: chunks that have been claimed are finished and written. This
/// function also sets it whenever the run ends early: after an error or a panic, or because the stage ended it. Reset it
/// before you use it for another run.
///
/// # Errors
///
/// If reading or writing fails, the input changes during the run, an engine gives an invalid solution, or
/// the stage, an engine, the output or the observer panics. Discard the output then.
pub fn run(
    options: &RunOptions<'_>,
    input: Input,
    output: &mut dyn Write,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Finished, Error> {
    let finished =
        Workers::new(options.threads)?.run(options, input, &mut rows_to(output), observer, stop)?;
    output.flush().map_err(|error| ErrorKind::Write { error })?;
    Ok(finished)
}

/// Makes a function that writes rows, and asks for more.
pub fn rows_to<W: Write + ?Sized>(output: &mut W) -> impl FnMut(&Vec<u8>) -> Result<ControlFlow<()>, Error> {
    |rows| match output.write_all(rows) {
        Ok(()) => Ok(ControlFlow::Continue(())),
        Err(error) => Err(ErrorKind::Write { error }.into()),
    }
}

/// Threads that run one job after another. Keep them for several files, because starting threads takes
/// longer than solving a small file.
#[derive(Debug)]
pub struct Workers(rayon::ThreadPool);

impl Workers {
    /// Starts `threads` threads, from 1 to [`THREAD_LIMIT`].
    ///
    /// # Errors
    ///
    /// If the system has no room for that many.
    pub fn new(threads: usize) -> Result<Workers, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.clamp(1, THREAD_LIMIT));
        let pool = pool.thread_name(|index| format!("worker-{index}"));
        pool.build().map(Workers).map_err(|error| ErrorKind::Threads(error).into())
    }

    /// Runs a stage on these threads (`options.threads` is ignored), and calls `take` with the value of each
    /// chunk. For rows, use [`rows_to`], which does not flush its output.
    ///
    /// # Errors
    ///
    /// Those of [`run`] and of `take`.
    #[inline(never)]
    pub fn run<V: ChunkValue>(
        &self,
        options: &RunOptions<'_, V>,
        input: Input,
        take: &mut Take<'_, V>,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Finished, Error> {
        let threads = self.0.current_num_threads();
        let permits = 2 * threads + options.stage.sizing().ahead;
        let (send, receive) = bounded(permits);
        let before = input.amount_before_chunks();
        let run = Run {
            options,
            file: input.name(),
            source: Mutex::new(Source::new(&input, options, threads, stop)),
            numbering: Numbering::new(before),
            pieces: Pieces::new(threads),
            permits: Permits::new(permits),
            stop,
            tally: Mutex::default(),
            failure: Mutex::default(),
        };
        let statuses = StatusCounts::default();
        let mut writer =
            Writer { take, observer, stop, totals: before, has_ended: false, has_failure: false, statuses };
        let written = self.0.in_place_scope(|scope| {
            let run = &run;
            // Exactly one worker for each thread, because a thread that waits for the shares of a split search must not
            // begin another worker.
            scope.spawn_broadcast(move |_, _| {
                let mut in_hand = None;
                let ended = catch_unwind(AssertUnwindSafe(|| work(run, &send, &mut in_hand)));
                end_worker(run, &send, in_hand, ended);
            });
            let ended =
                catch_unwind(AssertUnwindSafe(|| writer.run(&header(options), &receive, &run.permits)));
            let written = Error::from_caught("the writer", ended);
            stop.fetch_or(written.is_err(), Ordering::Relaxed);
            run.permits.close();
            // Empty the channel, because a worker with more parts waits until the earlier ones are taken or
            // dropped.
            receive.into_iter().for_each(drop);
            written
        });
        let Writer { totals, has_ended, statuses, .. } = writer;
        let stopped = has_ended || !lock(&run.source).is_done() || !run.pieces.is_empty();
        let (mut tally, failure) = (std::mem::take(&mut *lock(&run.tally)), lock(&run.failure).take());
        if !options.for_journal {
            // The workers have also counted records that were never taken, so use the counts of the writer.
            tally.statuses = statuses;
        }
        input.finish_numbering(failure.map_or(Ok(()), Err).and(written))?;
        input.check_unchanged()?;
        Ok(Finished { tally, totals, stopped })
    }
}

/// Makes the header; empty if the rows continue those of other files.
fn header<V: ChunkValue>(options: &RunOptions<'_, V>) -> V {
    let mut header = V::default();
    if options.earlier_records.is_none() {
        options.stage.header(&mut header);
    }
    header
}

impl<V> Run<'_, V> {
    /// Records why the run fails, unless it failed before, and stops it.
    fn fail(&self, error: Error) {
        lock(&self.failure).get_or_insert(error);
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Locks a mutex, even if an earlier holder panicked. That is fine, because no value is ever left half
/// changed.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The first and the last record, from 1, that a worker is processing.
type RecordRange = Option<(u64, u64)>;

/// Cleans up after a worker. If it panicked, the chunk that it claimed will never come, so the run fails,
/// and neither the writer nor other workers wait for that chunk.
fn end_worker<V: ChunkValue>(
    run: &Run<'_, V>,
    finished: &Sender<Option<Permit<V>>>,
    in_hand: RecordRange,
    ended: std::thread::Result<()>,
) {
    let thread = std::thread::current();
    let part = thread.name().unwrap_or("a worker");
    if let Err(error) = Error::from_caught(part, ended.map(Ok)) {
        run.fail(error.at_records(in_hand));
        run.numbering.abandon();
        // This never blocks: the permit of the lost chunk is not in the channel, so there is a free place.
        let _ = finished.send(None);
    }
}

/// The loop of a worker. It ends when the input ends or can't be read, or when the writer has ended.
fn work<V: ChunkValue>(run: &Run<'_, V>, finished: &Sender<Option<Permit<V>>>, in_hand: &mut RecordRange) {
    let earlier_records = run.options.earlier_records.unwrap_or(0);
    let mut processor = run.options.stage.processor(run.stop);
    while let Some(mut permit) = next_permit(&run.permits) {
        *in_hand = None;
        let piece = run.pieces.take(run.stop);
        let claimed = match piece {
            Some((chunk, before)) => Ok(Some((chunk, Some(before)))),
            None => {
                let mut source = lock(&run.source);
                let claimed = source.claim(&mut permit.input);
                // Call this while the source is locked, so that a worker that finds the source empty knows
                // that this one is busy.
                run.pieces.begin(matches!(claimed, Ok(Some(_))));
                claimed.map(|chunk| Some((chunk?, None)))
            }
        };
        let (chunk, before) = match claimed {
            Ok(Some(claimed)) => claimed,
            Ok(None) if run.pieces.wait(run.stop) => {
                run.permits.give(permit);
                continue;
            }
            Ok(None) => break,
            Err(error) => {
                run.fail(error);
                break;
            }
        };
        let size = processor.read(&chunk);
        let numbered = before.or_else(|| run.numbering.number(chunk.seq, &size));
        let Some(before) = numbered else { break };
        *in_hand = (size.records > 0).then_some((before.records + 1, before.records + size.records));
        permit.output.begin(before, size, &chunk);
        let (output, file, timer) =
            (&mut permit.output, run.file, Timer::new(run.options.patience, &run.pieces));
        let mut slot = ChunkSlot { output, earlier_records, file, timer, finished, parts: None };
        processor.process(&chunk, &mut slot);
        let (parts, time, done) = (slot.parts.take(), timer.begun.elapsed(), permit.output.covered_bytes);
        if run.options.for_journal {
            lock(&run.source).pace(done, time);
            permit.output.add_journal_figures(&chunk, processor.tally());
        }
        if done < chunk.text.len() && !permit.output.is_last {
            let mut before = before;
            before += permit.output.report.size;
            let cut = run.options.stage.cut();
            run.pieces.give_back(&chunk, done, time, before, cut, |piece| processor.read(piece));
        }
        if let Cow::Owned(input) = chunk.text {
            permit.input = input;
        }
        run.pieces.end();
        let sent = match parts {
            Some(parts) => parts.send(permit).is_ok(),
            None => finished.send(Some(permit)).is_ok(),
        };
        if !sent {
            break;
        }
    }
    lock(&run.tally).merge(processor.tally());
}

/// Waits for a permit. Meanwhile it runs other tasks of the thread pool, because all permits may wait for
/// one hard puzzle whose search has been split.
fn next_permit<V>(permits: &Permits<V>) -> Option<Permit<V>> {
    while let ControlFlow::Continue(permit) = permits.take(PIPE_WAIT / 10) {
        if permit.is_some() {
            return permit;
        }
        while permits.are_taken() && rayon::yield_now() == Some(rayon::Yield::Executed) {}
    }
    None
}

/// Passes on the values of finished chunks in order, and reports to the observer.
struct Writer<'a, V> {
    take: &'a mut Take<'a, V>,
    observer: &'a mut dyn Observer,
    stop: &'a AtomicBool,
    /// How much input has been taken. It begins with the input before the first chunk.
    totals: InputAmount,
    /// Whether the last chunk was cut short, or was the last one that is wanted. No chunk may follow.
    has_ended: bool,
    /// Whether any record has failed.
    has_failure: bool,
    /// The statuses of all records that were taken.
    statuses: StatusCounts,
}

impl<V: ChunkValue> Writer<'_, V> {
    /// Takes the header, then chunks until all workers have ended, or one of them is lost.
    fn run(
        &mut self,
        header: &V,
        finished: &Receiver<Option<Permit<V>>>,
        permits: &Permits<V>,
    ) -> Result<(), Error> {
        self.hand_over(header)?;
        // Finished chunks wait here until all earlier ones have come. The key is their place in the input.
        let mut waiting: BTreeMap<u64, Permit<V>> = BTreeMap::new();
        let mut next = self.totals.bytes;
        while let Ok(Some(permit)) = finished.recv() {
            let earlier = waiting.insert(permit.output.report.before.bytes, permit);
            debug_assert!(earlier.is_none(), "two chunks in one place");
            while let Some(mut permit) = waiting.remove(&next) {
                let parts = permit.rest.take();
                while permit.is_part {
                    self.hand_over(&permit.output.value)?;
                    // If the next part does not come, its worker is lost.
                    let part = parts.as_ref().and_then(|parts| parts.recv().ok());
                    let Some(part) = part else { return Ok(()) };
                    permit = part;
                }
                let ChunkOutput { value, report, failure, is_last, .. } = &mut permit.output;
                next += report.size.bytes;
                if let Some(failure) = failure.take() {
                    return Err(failure);
                }
                self.has_failure |= report.has_failed();
                // A journal counts only complete chunks. The rows of a chunk that was cut short are made
                // again after `--resume`.
                let is_whole = report.journal.as_ref().is_none_or(|figures| !figures.cut_short);
                let is_taken = is_whole && self.hand_over(value)?;
                if *is_last {
                    self.end();
                }
                if is_taken {
                    self.observer.written(report);
                    self.totals += report.size;
                    self.statuses.merge(&report.statuses);
                }
                permits.give(permit);
            }
        }
        Ok(())
    }

    /// Passes on a value, unless the run has ended. Returns whether it was taken and is not the last one.
    /// An error says whether any record had failed by then.
    fn hand_over(&mut self, value: &V) -> Result<bool, Error> {
        if self.has_ended {
            return Ok(false);
        }
        let taken = (self.take)(value).map_err(|error| error.noting_failures(self.has_failure))?;
        if taken.is_break() {
            self.end();
        }
        Ok(taken.is_continue())
    }

    /// Takes no more chunks.
    fn end(&mut self) {
        self.has_ended = true;
        self.stop.store(true, Ordering::Relaxed);
    }
}
