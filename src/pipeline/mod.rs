#![doc = include_str!("README.md")]

mod input;
mod numbering;
mod reorder;
mod source;
mod stage;
mod stages;
mod worker;
mod writer;

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::error::{Error, ErrorKind};
use crate::record::{Observer, Tally, Totals};

pub use input::Input;
use numbering::Numbering;
use source::Source;
pub use stage::{Chunk, ChunkOutput, ChunkProcessor, ChunkSizing, InvalidSolution, RowSink, Stage};
pub use stages::{BatchEncoder, Encode, Enumerate, MapRows, RowMapper, Solve, Verify};
use writer::Writer;

/// Bytes of input in a chunk of classic puzzles, unless the job says otherwise or the file is small: see
/// [`ChunkSizing::BATCHES`].
pub const CHUNK_BYTES: usize = 256 * 1024;

/// The most bytes of input that a chunk may be asked to have. Places in a chunk are 32-bit numbers.
pub const CHUNK_LIMIT: usize = 64 << 20;

/// The most workers that a run may have.
pub const THREAD_LIMIT: usize = 1024;

/// What is to be done, apart from where it comes from and goes to.
pub struct Job<'a> {
    /// The work.
    pub stage: &'a dyn Stage,
    /// Workers, from 1 to [`THREAD_LIMIT`].
    pub threads: usize,
    /// Bytes of input in a chunk, up to [`CHUNK_LIMIT`]; `None` for as many as suit the work and the
    /// length of the file.
    pub chunk_bytes: Option<usize>,
    /// How many records went before, if the rows go on with those of other files: then there is no header, and
    /// records are numbered on.
    pub follows: Option<u64>,
}

/// How a run ended.
#[derive(Debug)]
pub struct Finished {
    /// What was counted.
    pub tally: Tally,
    /// How far the output came.
    pub totals: Totals,
    /// Whether it was stopped before the end of the input.
    pub stopped: bool,
}

/// A buffer on its way: from the writer to a worker empty, and back full.
#[derive(Debug, Default)]
struct Permit {
    seq: u64,
    /// Memory for the chunk's text, where the source does not lend it.
    input: Vec<u8>,
    output: ChunkOutput,
    /// Whether it is only some of the rows of a chunk, with more of them behind it.
    is_part: bool,
    /// Where they come from, and at last the permit that the chunk is worked on with.
    rest: Option<Receiver<Permit>>,
}

/// What the workers of a run share.
struct Run<'a> {
    source: Mutex<Source<'a>>,
    numbering: Numbering,
    earlier_records: u64,
    ended: Mutex<Ended>,
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
    let pool = thread_pool(threads)?;
    let permits = 2 * threads + job.stage.sizing().ahead;
    let (give, take) = bounded(permits);
    let (send, receive) = bounded(permits);
    for _ in 0..permits {
        give.send(Permit::default()).expect("the channel has room for every permit");
    }
    let before = input.before_records();
    let run = Run {
        source: Mutex::new(Source::new(&input, job, threads, stop)),
        numbering: Numbering::new(before),
        earlier_records: job.follows.unwrap_or(0),
        ended: Mutex::default(),
    };
    let mut writer = Writer::new(output, observer, stop, before);
    let written = pool.in_place_scope(|scope| {
        let run = &run;
        // One on each thread: where a search is split, a thread that waits for parts never begins another
        // worker meanwhile.
        scope.spawn_broadcast(move |_, _| {
            let _guard = PanicGuard { finished: &send, numbering: &run.numbering };
            let mut processor = job.stage.processor(stop);
            let failure = worker::run(&mut *processor, run, &take, &send).err();
            stop.fetch_or(failure.is_some(), Ordering::Relaxed);
            lock(&run.ended).add(&processor.into_tally(), failure);
        });
        let written = writer.run(&header(job), &receive, &give, permits);
        stop.fetch_or(written.is_err(), Ordering::Relaxed);
        drop((receive, give));
        written
    });
    let (totals, cut_short) = (writer.totals, writer.cut_short);
    let stopped = cut_short || !lock(&run.source).is_done();
    let ended = run.ended.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(failure) = ended.failure {
        return Err(failure);
    }
    written?;
    input.check_unchanged()?;
    Ok(Finished { tally: ended.tally, totals, stopped })
}

fn thread_pool(threads: usize) -> Result<rayon::ThreadPool, Error> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.thread_name(|index| format!("worker-{index}"));
    pool.build().map_err(|error| ErrorKind::Threads(error).into())
}

/// Returns what stands above the rows: nothing where they go on with those of other files.
fn header(job: &Job<'_>) -> Vec<u8> {
    let mut header = Vec::new();
    if job.follows.is_none() {
        job.stage.header(&mut header);
    }
    header
}

/// Tells the writer and the other workers when a worker panics: the chunk that it had claimed will never come, and
/// they must not wait for it.
struct PanicGuard<'a> {
    finished: &'a Sender<Option<Permit>>,
    numbering: &'a Numbering,
}

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.numbering.abandon();
            // There is room: the permit of the lost chunk is not in the channel.
            let _ = self.finished.send(None);
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
    fn add(&mut self, tally: &Tally, failure: Option<Error>) {
        self.tally.merge(tally);
        self.failure = self.failure.take().or(failure);
    }
}

/// Locks a mutex whose holder can't have left it half changed.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
