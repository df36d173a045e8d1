//! The threads that work while Python waits, hears Ctrl-C and may fork.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// How often signals are looked for.
const SHORT: Duration = Duration::from_millis(50);

/// The pools that stand ready, by their number of threads, and the process whose threads they have.
///
/// The lock is only held by who holds Python's global lock, which a fork waits for: so no process begins with it locked.
static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

struct Pools {
    process: u32,
    by_threads: HashMap<usize, Arc<ThreadPool>>,
}

/// Returns the pool of so many threads, one for each core for `None`.
fn pool(threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    let threads = match threads {
        Some(0) => return Err(PyValueError::new_err("threads=0: expected 1 or more, or None for all cores")),
        Some(threads) => threads,
        None => usual(),
    };
    let process = std::process::id();
    let mut pools = lock(&POOLS);
    if pools.as_ref().is_some_and(|pools| pools.process != process) {
        // A fork has none of these threads: to end them would wait for ever.
        std::mem::forget(pools.take());
    }
    let pools = pools.get_or_insert_with(|| Pools { process, by_threads: HashMap::new() });
    if let Some(pool) = pools.by_threads.get(&threads) {
        return Ok(Arc::clone(pool));
    }
    let name = |thread| format!("gridmill-{thread}");
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
    let pool = pool.map_err(|error| PyRuntimeError::new_err(format!("threads={threads}: {error}")))?;
    let pool = Arc::new(pool);
    pools.by_threads.insert(threads, Arc::clone(&pool));
    Ok(pool)
}

/// Returns the number of threads for all cores.
pub(crate) fn usual() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Does some work in a pool without Python's global lock, and returns its result. Signals are heard meanwhile: where their
/// handler raises an exception, as that of Ctrl-C does, the flag that the work is given becomes true, and the exception
/// comes when the work has ended.
pub(crate) fn work<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    let pool = pool(threads)?;
    let stop = &AtomicBool::new(false);
    let (done, ending) = sync_channel(1);
    let ending = &Mutex::new(ending);
    pool.in_place_scope(|scope| {
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
    })
}

/// Locks a mutex. A panic of an earlier holder can't have left its value half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
