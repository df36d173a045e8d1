//! A worker: takes permits, claims chunks, reads them, and runs its processor on them.

use std::borrow::Cow;
use std::sync::atomic::Ordering;

use crossbeam_channel::Sender;

use super::input::PATIENCE;
use super::permits::{NoPermit, Permits};
use super::stage::RowSink;
use super::{Permit, Run, lock};

/// Works until the input ends or the writer is gone. What was counted, and why it failed if it did, go to `run`.
pub(super) fn run(run: &Run<'_>, finished: &Sender<Option<Permit>>) {
    let _guard = PanicGuard { run, finished };
    let earlier_records = run.job.follows.unwrap_or(0);
    let mut processor = run.job.stage.processor(run.stop);
    let mut failure = None;
    while let Some(mut permit) = next(&run.permits) {
        let claimed = lock(&run.source).claim(&mut permit.input);
        let chunk = match claimed {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break,
            Err(error) => {
                failure = Some(error);
                break;
            }
        };
        let size = processor.read(&chunk);
        let Some(before) = run.numbering.number(chunk.seq, &size) else { break };
        permit.seq = chunk.seq;
        permit.output.begin(before, size);
        let mut rows =
            RowSink { output: &mut permit.output, earlier_records, seq: chunk.seq, finished, parts: None };
        processor.process(&chunk, &mut rows);
        let parts = rows.parts.take();
        if run.job.for_journal {
            permit.output.itemize(chunk.span(), processor.tally());
        }
        if let Cow::Owned(input) = chunk.text {
            permit.input = input;
        }
        let sent = match parts {
            Some(parts) => parts.send(permit).is_ok(),
            None => finished.send(Some(permit)).is_ok(),
        };
        if !sent {
            break;
        }
    }
    run.stop.fetch_or(failure.is_some(), Ordering::Relaxed);
    lock(&run.ended).add(processor.tally(), failure);
}

/// Waits for a permit, and runs other tasks of the thread pool meanwhile: where all permits are behind one
/// hard puzzle, its search may have been split.
fn next(permits: &Permits) -> Option<Permit> {
    loop {
        match permits.take(PATIENCE / 10) {
            Ok(permit) => return Some(permit),
            Err(NoPermit::Ever) => return None,
            Err(NoPermit::Yet) => {
                while permits.are_taken() && rayon::yield_now() == Some(rayon::Yield::Executed) {}
            }
        }
    }
}

/// Tells the writer and the other workers when a worker panics: the chunk that it claimed will never come,
/// and they must not wait for it, nor for more input.
struct PanicGuard<'a, 'r> {
    run: &'a Run<'r>,
    finished: &'a Sender<Option<Permit>>,
}

impl Drop for PanicGuard<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.run.stop.store(true, Ordering::Relaxed);
            self.run.numbering.abandon();
            // There is room: the permit of the lost chunk is not in the channel.
            let _ = self.finished.send(None);
        }
    }
}
