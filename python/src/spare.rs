//! Keeps the worker of a thread's last small call, so that the next call can use it again.

use std::any::Any;
use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

use gridmill_core::jobs::{Answers, Result, Worker};

thread_local! {
    /// A [`Kept`]. It is `Any`, because its type depends on the job.
    static SPARE: RefCell<Option<Box<dyn Any>>> = const { RefCell::new(None) };
}

/// A worker for a job. Outside a pool, it is the worker of the last call if that ran the same job with the same
/// options, because allocating the memory of an engine takes longer than solving a puzzle.
pub(crate) fn worker<J: PartialEq + Copy + Send + 'static, S: 'static>(
    job: &J,
    make: impl FnOnce() -> Box<dyn Worker<S>>,
) -> Box<dyn Worker<S>> {
    if rayon::current_thread_index().is_some() {
        return make();
    }
    let last = SPARE.take().and_then(|last| last.downcast::<Kept<J, S>>().ok());
    let worker = last.filter(|last| last.job == *job).and_then(|last| last.worker);
    Box::new(Lent(Kept { job: *job, worker: Some(worker.unwrap_or_else(make)) }))
}

/// A job and its worker. The worker is `None` after an error, because its memory may then be in any state.
struct Kept<J, S> {
    job: J,
    worker: Option<Box<dyn Worker<S>>>,
}

/// A worker that is kept for the next call when it is dropped.
struct Lent<J: Copy + 'static, S: 'static>(Kept<J, S>);

impl<J: Copy + Send, S> Worker<S> for Lent<J, S> {
    fn answer(&mut self, puzzles: &[S], first: u64, stop: &AtomicBool, answers: &mut Answers) -> Result<()> {
        let mut worker = self.0.worker.take().expect("there is no work after an error");
        worker.answer(puzzles, first, stop, answers)?;
        self.0.worker = Some(worker);
        Ok(())
    }
}

impl<J: Copy, S> Drop for Lent<J, S> {
    fn drop(&mut self) {
        let Kept { job, ref mut worker } = self.0;
        SPARE.set(Some(Box::new(Kept { job, worker: worker.take() })));
    }
}
