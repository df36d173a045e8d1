#![doc = include_str!("README.md")]

mod input;
mod map;
mod patient;
mod ready;
mod reorder;
mod source;
mod worker;
mod writer;

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Sender, bounded};

use crate::error::Error;
use crate::record::{ChunkReport, Observer, RowFormat, Tally, Totals};
use crate::solver::{SolutionLimit, Solver};
use crate::text::Format;

pub use input::Input;
pub(crate) use patient::Patient;
use source::Source;
use worker::Worker;
use writer::Writer;

/// Bytes of input in a chunk, unless the job says otherwise or the file is small.
///
/// Measured on two threads: 1 M easy puzzles take the same from 64 KiB to 512 KiB, within noise, half as long
/// again at 1 MiB, where rows and records leave the second-level cache, and a tenth longer at 8 KiB. 48,766
/// very hard ones take 7 % less in chunks of 256 KiB than of 16 KiB or 512 KiB: the lanes of the lockstep
/// engine idle at the end of each.
pub const CHUNK_BYTES: usize = 256 * 1024;

/// The most bytes of input that a chunk may be asked to have. Places in a chunk are 32-bit numbers.
pub const CHUNK_LIMIT: usize = 64 << 20;

/// The most workers that a run may have.
pub const THREAD_LIMIT: usize = 1024;

/// What is to be done, apart from where it comes from and goes to.
pub struct Job<'a> {
    /// How the records are written.
    pub format: &'a dyn Format,
    /// Makes an engine, once for each worker.
    pub engine: &'a (dyn Fn() -> Box<dyn Solver> + Sync),
    /// At how many solutions a search stops.
    pub limit: SolutionLimit,
    /// How the rows are written.
    pub rows: &'a dyn RowFormat,
    /// Will the observer tell what is wrong with single records? Where it won't, that is not looked up.
    pub complaints: bool,
    /// Workers, from 1 to [`THREAD_LIMIT`].
    pub threads: usize,
    /// Bytes of input in a chunk, up to [`CHUNK_LIMIT`]; `None` for [`CHUNK_BYTES`], or less for a small
    /// file.
    pub chunk_bytes: Option<usize>,
}

/// How a run ended.
#[derive(Debug)]
pub struct Finished {
    /// What was counted.
    pub tally: Tally,
    /// How far the output came.
    pub totals: Totals,
    /// Was it stopped before the end of the input?
    pub stopped: bool,
}

/// A buffer on its way: from the writer to a worker empty, and back full.
#[derive(Debug, Default)]
struct Permit {
    seq: u64,
    /// The chunk's text, where the source does not lend it.
    input: Vec<u8>,
    rows: Vec<u8>,
    report: ChunkReport,
    /// The first record, from 0 in the chunk, whose solution failed the check.
    wrong: Option<worker::Wrong>,
    /// Was the run stopped before the end of the chunk? Its rows are then the last ones to be written.
    cut_short: bool,
}

/// Runs a job: from `input` through the workers to `output`.
///
/// `stop` ends the run early when it becomes true: what has been claimed is finished and written. It is
/// set by this function when reading or writing fails.
///
/// # Errors
///
/// Where reading or writing fails, the input changes under the run, or an engine's answer fails the
/// check. What has been written then should not be kept.
pub fn run(
    job: &Job<'_>,
    input: Input,
    output: &mut dyn Write,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Finished, Error> {
    let threads = job.threads.clamp(1, THREAD_LIMIT);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("worker-{index}"))
        .build()
        .map_err(crate::error::ErrorKind::Threads)?;
    let permits = 2 * threads + 6;
    let (give, take) = bounded(permits);
    let (send, receive) = bounded(permits);
    for _ in 0..permits {
        give.send(Permit::default()).expect("the channel has room for every permit");
    }
    let totals = input.before_records();
    let source = Mutex::new(Source::new(&input, job, threads, stop));
    let ended: Mutex<Ended> = Mutex::default();
    let written = pool.in_place_scope(|scope| {
        for _ in 0..threads {
            let (take, send) = (take.clone(), send.clone());
            let (source, ended) = (&source, &ended);
            scope.spawn(move |_| {
                let _alarm = Alarm(&send);
                let mut worker = Worker::new(job, stop);
                let failure = worker.run(source, &take, &send).err();
                stop.fetch_or(failure.is_some(), Ordering::Relaxed);
                lock(ended).add(worker.into_tally(), failure);
            });
        }
        drop((take, send));
        let mut writer = Writer { output, observer, rows: job.rows, totals, cut_short: false };
        let written = writer.run(&receive, &give, permits);
        stop.fetch_or(written.is_err(), Ordering::Relaxed);
        drop((receive, give));
        written.map(|totals| (totals, writer.cut_short))
    });
    let source_done = lock(&source).is_done();
    let ended = ended.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(failure) = ended.failure {
        return Err(failure);
    }
    let (totals, cut_short) = written?;
    input.check_unchanged()?;
    Ok(Finished { tally: ended.tally, totals, stopped: cut_short || !source_done })
}

/// Tells the writer when a worker panics: the chunk that it had claimed will never come, and the writer
/// must not wait for it.
struct Alarm<'a>(&'a Sender<Option<Permit>>);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // There is room: the permit of the lost chunk is not in the channel.
            let _ = self.0.send(None);
        }
    }
}

/// What the workers left behind.
#[derive(Default)]
struct Ended {
    tally: Tally,
    failure: Option<Error>,
}

impl Ended {
    fn add(&mut self, tally: Tally, failure: Option<Error>) {
        self.tally.merge(&tally);
        self.failure = self.failure.take().or(failure);
    }
}

/// Locks a mutex whose holder can't have left it half changed.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
