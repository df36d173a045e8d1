//! Runs a call on threads, so that Ctrl-C works meanwhile, and Python may fork between calls; and keeps the
//! worker of a thread's last small call, so that the next call can use it again.

use std::any::Any;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gridmill_core::jobs::{Answers, Result, Worker};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The time between two checks for signals.
const SHORT: Duration = Duration::from_millis(50);

/// Progress is reported at every second check.
const CHECKS_PER_REPORT: u32 = 2;

/// The state that a job's threads share with the thread that waits for them.
#[derive(Default)]
pub(crate) struct Watch {
    /// Set to true to end the job early.
    pub(crate) stop: AtomicBool,
    /// The number of records done.
    pub(crate) done: AtomicU64,
}

/// A Python function that reports progress. It is called with the number of records done and the number of all.
#[derive(Default)]
pub(crate) struct Progress<'a, 'py> {
    pub(crate) function: Option<&'a Bound<'py, PyAny>>,
    pub(crate) total: u64,
}

impl Progress<'_, '_> {
    fn report(&self, watch: &Watch) -> PyResult<()> {
        let done = watch.done.load(Ordering::Relaxed);
        self.function.map_or(Ok(()), |function| function.call1((done, self.total)).map(drop))
    }

    /// Reports the end if all records are done, so that a progress bar reaches 100%.
    fn end(&self, watch: &Watch) -> PyResult<()> {
        let is_whole = watch.done.load(Ordering::Relaxed) == self.total;
        if is_whole { self.report(watch) } else { Ok(()) }
    }
}

/// The idle pools, each with the id of the process that started its threads.
///
/// Every call takes a pool for itself. Calls that shared one would wait for each other, and a thread that waits in one
/// call may take up work of the other, during which it does not notice that it should stop.
///
/// A thread holds this lock only while it holds Python's global lock. A fork waits for the global lock, so this lock is
/// never held at a fork, and no process starts with it locked.
static IDLE: Mutex<Vec<(u32, ThreadPool)>> = Mutex::new(Vec::new());

/// A pool of `threads` threads: an idle one, or a new one.
fn pool(threads: usize) -> PyResult<ThreadPool> {
    let mut idle = lock(&IDLE);
    // After a fork the child has none of the parent's threads. Dropping their pools would wait for them forever, so the
    // pools are leaked.
    idle.extract_if(.., |(process, _)| *process != std::process::id()).for_each(std::mem::forget);
    if let Some(place) = idle.iter().position(|(_, pool)| pool.current_num_threads() == threads) {
        return Ok(idle.swap_remove(place).1);
    }
    let name = |thread| format!("gridmill-{thread}");
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
    pool.map_err(|error| PyRuntimeError::new_err(format!("threads={threads}: {error}")))
}

/// Keeps a pool for the next call. All other idle pools are ended so that they don't pile up, except one with a thread
/// per core, because it is the usual one.
fn keep(pool: ThreadPool) {
    let threads = pool.current_num_threads();
    let mut idle = lock(&IDLE);
    idle.retain(|(_, other)| other.current_num_threads() == usual() && usual() != threads);
    idle.push((std::process::id(), pool));
}

/// The number of threads that uses all cores.
pub(crate) fn usual() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// In place of a number of threads: the calling thread does all the work. It does not check signals or report progress
/// meanwhile, so the work must be short.
pub(crate) const HERE: usize = 0;

/// Runs `work` in a pool without Python's global lock, and returns its result. Meanwhile it checks signals and reports
/// progress. If a signal handler (e.g. for Ctrl-C) or the progress function raises an exception, the work is stopped,
/// and the exception is raised after it has ended.
pub(crate) fn work<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    progress: &Progress<'_, '_>,
    work: impl FnOnce(&Watch) -> T + Send,
) -> PyResult<T> {
    let watch = &Watch::default();
    if threads == Some(HERE) {
        return Ok(py.detach(|| work(watch)));
    }
    let pool = pool(threads.unwrap_or_else(usual))?;
    let (done, ending) = sync_channel(1);
    let ending = &Mutex::new(ending);
    let result = pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            // Sending can't fail, because the receiver waits in this scope.
            let _ = done.send(work(watch));
        });
        let (mut raised, mut checks) = (Ok(()), 0);
        loop {
            let ended = py.detach(|| lock(ending).recv_timeout(SHORT));
            match ended {
                Ok(result) => return raised.and_then(|()| progress.end(watch)).map(|()| result),
                Err(RecvTimeoutError::Timeout) => {
                    checks += 1;
                    let is_due = raised.is_ok() && checks % CHECKS_PER_REPORT == 0;
                    let reported = || if is_due { progress.report(watch) } else { Ok(()) };
                    if let Err(exception) = py.check_signals().and_then(|()| reported()) {
                        watch.stop.store(true, Ordering::Relaxed);
                        raised = Err(exception);
                    }
                }
                // The work panicked. The scope resumes the panic when it ends.
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("a defect of gridmill ended the work"));
                }
            }
        }
    });
    keep(pool);
    result
}

/// Locks a mutex. Poisoning is ignored, because a panic can't leave these values half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    /// A [`Kept`]. It is `Any`, because its type depends on the job.
    static SPARE: RefCell<Option<Box<dyn Any>>> = const { RefCell::new(None) };
}

/// A worker for a job. Outside a pool, it is the worker of the last call if that ran the same job with the same
/// options, because allocating the memory of an engine takes longer than solving a puzzle.
pub(crate) fn spare_worker<J: PartialEq + Clone + Send + 'static, S: 'static>(
    job: &J,
    make: impl FnOnce() -> Box<dyn Worker<S>>,
) -> Box<dyn Worker<S>> {
    if rayon::current_thread_index().is_some() {
        return make();
    }
    let last = SPARE.take().and_then(|last| last.downcast::<Kept<J, S>>().ok());
    let worker = last.filter(|last| last.job == *job).and_then(|last| last.worker);
    Box::new(LentWorker(Kept { job: job.clone(), worker: Some(worker.unwrap_or_else(make)) }))
}

/// A job and its worker. The worker is `None` after an error, because its memory may then be in any state.
struct Kept<J, S> {
    job: J,
    worker: Option<Box<dyn Worker<S>>>,
}

/// A worker that is kept for the next call when it is dropped.
struct LentWorker<J: Clone + 'static, S: 'static>(Kept<J, S>);

impl<J: Clone + Send, S> Worker<S> for LentWorker<J, S> {
    fn answer(&mut self, puzzles: &[S], first: u64, stop: &AtomicBool, answers: &mut Answers) -> Result<()> {
        let mut worker = self.0.worker.take().expect("there is no work after an error");
        worker.answer(puzzles, first, stop, answers)?;
        self.0.worker = Some(worker);
        Ok(())
    }
}

impl<J: Clone, S> Drop for LentWorker<J, S> {
    fn drop(&mut self) {
        let Kept { job, worker } = &mut self.0;
        SPARE.set(Some(Box::new(Kept { job: job.clone(), worker: worker.take() })));
    }
}
