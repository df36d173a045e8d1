//! The worker of the last small call of a thread, for the next one.

use std::any::Any;
use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

use gridmill_core::jobs::{Answers, Result, Worker};

thread_local! {
    /// A [`Kept`] of some job.
    static SPARE: RefCell<Option<Box<dyn Any>>> = const { RefCell::new(None) };
}

/// Returns a worker of a job. In a thread that works alone it is that of the last call if this asked for the same job with the
/// same options, because to prepare the memory of an engine takes longer than to solve a puzzle.
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

/// A job and its worker: `None` after an error, because what that left behind is of no account.
struct Kept<J, S> {
    job: J,
    worker: Option<Box<dyn Worker<S>>>,
}

/// A worker that becomes the spare one after its work.
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
