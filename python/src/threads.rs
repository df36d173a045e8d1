//! Threads for calls, during which Python hears Ctrl-C and may fork.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The time between two looks at signals.
const SHORT: Duration = Duration::from_millis(50);

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

/// Works in a pool without Python's global lock, and returns its result. Signals are heard meanwhile: where their
/// handler raises an exception, as that of Ctrl-C does, the flag that the work is given becomes true, and the exception
/// comes when the work has ended.
pub(crate) fn work<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    let pool = pool(threads.unwrap_or_else(usual))?;
    let stop = &AtomicBool::new(false);
    let (done, ending) = sync_channel(1);
    let ending = &Mutex::new(ending);
    let result = pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            // Who waits is there until this has been sent.
            let _ = done.send(work(stop));
        });
        let mut raised = None;
        loop {
            let ended = py.detach(|| lock(ending).recv_timeout(SHORT));
            match ended {
                Ok(result) => return raised.map_or(Ok(result), Err),
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(exception) = py.check_signals() {
                        stop.store(true, Ordering::Relaxed);
                        raised = Some(exception);
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
