#![doc = include_str!("README.md")]

mod batches;
mod input;
mod list;
mod map;
mod reader;
mod ready;
mod reorder;
mod review;
mod searches;
mod solve;
mod source;
mod stage;
mod stream;
mod tabulate;
mod worker;
mod writer;

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::error::Error;
use crate::record::{Observer, Tally, Totals};

pub use batches::{BatchEncoder, Batches};
pub use input::Input;
pub use list::List;
pub use review::Review;
pub use searches::{Counting, SearchMarks};
pub use solve::{Search, Solve};
use source::Source;
pub use stage::{ChunkOutput, ChunkProcessor, ChunkSizing, InvalidSolution, Output, Piece, Stage};
pub use tabulate::{RowMapper, Tabulate};
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
    pub plan: &'a dyn Stage,
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
    /// Was it stopped before the end of the input?
    pub stopped: bool,
}

/// A buffer on its way: from the writer to a worker empty, and back full.
#[derive(Debug, Default)]
struct Permit {
    seq: u64,
    /// The chunk's text, where the source does not lend it.
    input: Vec<u8>,
    done: ChunkOutput,
    /// Is it only some of the rows of a chunk, with more of them behind it?
    is_part: bool,
    /// Where they come from, and at last the permit that the chunk is worked on with.
    rest: Option<Receiver<Permit>>,
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
    let permits = 2 * threads + job.plan.grain().ahead;
    let (give, take) = bounded(permits);
    let (send, receive) = bounded(permits);
    for _ in 0..permits {
        give.send(Permit::default()).expect("the channel has room for every permit");
    }
    let totals = input.before_records();
    let source = Mutex::new(Source::new(&input, job, threads, stop));
    let ended: Mutex<Ended> = Mutex::default();
    let written = pool.in_place_scope(|scope| {
        let (source, ended) = (&source, &ended);
        // One on each thread: where a search is split, a thread that waits for parts never begins another
        // worker meanwhile.
        scope.spawn_broadcast(move |_, _| {
            let _alarm = PanicGuard(&send);
            let mut work = job.plan.begin(stop);
            let failure = worker::run(&mut *work, source, &take, &send).err();
            stop.fetch_or(failure.is_some(), Ordering::Relaxed);
            lock(ended).add(&work.into_tally(), failure);
        });
        let (cut_short, numbered) = (false, Vec::new());
        let header = job.follows.is_none();
        let mut writer =
            Writer { output, observer, plan: job.plan, header, totals, cut_short, numbered, stop };
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
struct PanicGuard<'a>(&'a Sender<Option<Permit>>);

impl Drop for PanicGuard<'_> {
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
    fn add(&mut self, tally: &Tally, failure: Option<Error>) {
        self.tally.merge(tally);
        self.failure = self.failure.take().or(failure);
    }
}

/// Locks a mutex whose holder can't have left it half changed.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
