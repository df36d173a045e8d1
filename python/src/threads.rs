//! Threads for calls, during which Python hears Ctrl-C and may fork.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The time between two looks at signals.
const SHORT: Duration = Duration::from_millis(50);

/// Looks at signals between two calls that report progress.
const LOOKS: u32 = 2;

/// What a work and the thread that waits for it tell each other.
#[derive(Default)]
pub(crate) struct Watch {
    /// Becomes true when the work is to end early.
    pub(crate) stop: AtomicBool,
    /// How much has been done.
    pub(crate) done: AtomicU64,
}

/// A function of Python that is called with how much of a work has been done, and with how much there is.
#[derive(Default)]
pub(crate) struct Progress<'a, 'py> {
    pub(crate) function: Option<&'a Bound<'py, PyAny>>,
    pub(crate) total: u64,
}

impl Progress<'_, '_> {
    /// Calls the function, if there is one.
    fn report(&self, watch: &Watch) -> PyResult<()> {
        let done = watch.done.load(Ordering::Relaxed);
        self.function.map_or(Ok(()), |function| function.call1((done, self.total)).map(drop))
    }

    /// Reports the end, where all has been done.
    fn end(&self, watch: &Watch) -> PyResult<()> {
        let is_whole = watch.done.load(Ordering::Relaxed) == self.total;
        if is_whole { self.report(watch) } else { Ok(()) }
    }
}

/// The pools that stand idle, each with the process that has its threads.
///
/// A call has its pool alone: calls in one pool would wait for each other, and the threads of one take up the work of
/// another, behind which they hear no stop.
///
/// The lock is only held by who holds Python's global lock, which a fork waits for: so no process begins with it locked.
static IDLE: Mutex<Vec<(u32, ThreadPool)>> = Mutex::new(Vec::new());

/// Returns a pool of so many threads.
fn pool(threads: usize) -> PyResult<ThreadPool> {
    let mut idle = lock(&IDLE);
    // A fork has none of the threads of its parent: to end them would wait for ever.
    idle.extract_if(.., |(process, _)| *process != std::process::id()).for_each(std::mem::forget);
    if let Some(place) = idle.iter().position(|(_, pool)| pool.current_num_threads() == threads) {
        return Ok(idle.swap_remove(place).1);
    }
    let name = |thread| format!("gridmill-{thread}");
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
    pool.map_err(|error| PyRuntimeError::new_err(format!("threads={threads}: {error}")))
}

/// Keeps a pool for the next call with so many threads, and ends the others, but one for all cores.
fn keep(pool: ThreadPool) {
    let threads = pool.current_num_threads();
    let mut idle = lock(&IDLE);
    idle.retain(|(_, other)| other.current_num_threads() == usual() && usual() != threads);
    idle.push((std::process::id(), pool));
}

/// Returns the number of threads for all cores.
pub(crate) fn usual() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// In place of a number of threads: the calling thread does the work alone. It hears no signals meanwhile and reports no progress, so
/// the work must be short.
pub(crate) const HERE: usize = 0;

/// Works in a pool without Python's global lock, and returns its result. Meanwhile signals are heard, and progress is reported:
/// where a handler of signals raises an exception, as that of Ctrl-C does, or the function of progress, the work is told to stop, and
/// the exception comes when it has ended.
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
            // Who waits is there until this has been sent.
            let _ = done.send(work(watch));
        });
        let (mut raised, mut looks) = (Ok(()), 0);
        loop {
            let ended = py.detach(|| lock(ending).recv_timeout(SHORT));
            match ended {
                Ok(result) => return raised.and_then(|()| progress.end(watch)).map(|()| result),
                Err(RecvTimeoutError::Timeout) => {
                    looks += 1;
                    let is_due = raised.is_ok() && looks % LOOKS == 0;
                    let reported = || if is_due { progress.report(watch) } else { Ok(()) };
                    if let Err(exception) = py.check_signals().and_then(|()| reported()) {
                        watch.stop.store(true, Ordering::Relaxed);
                        raised = Err(exception);
                    }
                }
                // The work has panicked, which the scope passes on.
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("a defect of gridmill ended the work"));
                }
            }
        }
    });
    keep(pool);
    result
}

/// Locks a mutex. A panic of an earlier holder can't have left its value half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
