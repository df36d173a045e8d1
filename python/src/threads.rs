//! Threads for calls, during which Python hears Ctrl-C and may fork.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The time between two looks at signals.
const SHORT: Duration = Duration::from_millis(50);

/// The pools that stand idle.
///
/// A call has its pool alone: calls in one pool would wait for each other, and the threads of one take up the work of
/// another, behind which they hear no stop.
///
/// The lock is only held by who holds Python's global lock, which a fork waits for: so no process begins with it locked.
static IDLE: Mutex<Option<Idle>> = Mutex::new(None);

/// The process whose threads they have, and the pools by their number of threads.
type Idle = (u32, HashMap<usize, ThreadPool>);

/// Returns the idle pools of this process.
fn idle(guard: &mut Option<Idle>) -> &mut HashMap<usize, ThreadPool> {
    let process = std::process::id();
    if guard.as_ref().is_some_and(|(of_pools, _)| *of_pools != process) {
        // A fork has none of these threads: to end them would wait for ever.
        std::mem::forget(guard.take());
    }
    &mut guard.get_or_insert_with(|| (process, HashMap::new())).1
}

/// Returns a pool of so many threads, one for each core for `None`, and their number.
fn pool(threads: Option<usize>) -> PyResult<(usize, ThreadPool)> {
    let threads = threads.unwrap_or_else(usual);
    if let Some(pool) = idle(&mut lock(&IDLE)).remove(&threads) {
        return Ok((threads, pool));
    }
    let name = |thread| format!("gridmill-{thread}");
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
    let pool = pool.map_err(|error| PyRuntimeError::new_err(format!("threads={threads}: {error}")))?;
    Ok((threads, pool))
}

/// Keeps a pool for the next call with so many threads, and ends those with another number of them.
fn keep(threads: usize, pool: ThreadPool) {
    let mut guard = lock(&IDLE);
    let idle = idle(&mut guard);
    idle.retain(|&other, _| other == threads || other == usual());
    idle.insert(threads, pool);
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
    let (threads, pool) = pool(threads)?;
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
    keep(threads, pool);
    result
}

/// Locks a mutex. A panic of an earlier holder can't have left its value half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
