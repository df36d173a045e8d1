//! A worker: takes permits, claims chunks, reads them, and runs its processor on them.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::time::Instant;

use crossbeam_channel::Sender;

use super::input::PATIENCE;
use super::permits::Permits;
use super::stage::{ChunkSink, ChunkValue};
use super::{Permit, Run, lock};
use crate::error::Error;

/// The first and the last record that a worker has in hand, from 1.
pub(super) type InHand = Option<(u64, u64)>;

/// Notes how a worker ended. Where it panicked, the chunk that it claimed will never come: the run fails, and the writer
/// and the other workers wait neither for that chunk nor for more input.
pub(super) fn end<V: ChunkValue>(
    run: &Run<'_, V>,
    finished: &Sender<Option<Permit<V>>>,
    in_hand: InHand,
    ended: std::thread::Result<()>,
) {
    let thread = std::thread::current();
    let part = thread.name().unwrap_or("a worker");
    if let Err(error) = Error::of_ended(part, ended.map(Ok)) {
        run.fail(error.at_records(in_hand));
        run.numbering.abandon();
        // There is room: the permit of the lost chunk is not in the channel.
        let _ = finished.send(None);
    }
}

/// Works until the input ends, can't be read, or the writer is gone.
pub(super) fn run<V: ChunkValue>(
    run: &Run<'_, V>,
    finished: &Sender<Option<Permit<V>>>,
    in_hand: &mut InHand,
) {
    let earlier_records = run.job.follows.unwrap_or(0);
    let mut processor = run.job.stage.processor(run.stop);
    while let Some(mut permit) = next(&run.permits) {
        *in_hand = None;
        let claimed = lock(&run.source).claim(&mut permit.input);
        let chunk = match claimed {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break,
            Err(error) => {
                run.fail(error);
                break;
            }
        };
        let size = processor.read(&chunk);
        let Some(before) = run.numbering.number(chunk.seq, &size) else { break };
        *in_hand = (size.records > 0).then_some((before.records + 1, before.records + size.records));
        permit.seq = chunk.seq;
        permit.output.begin(before, size);
        let (output, file, seq) = (&mut permit.output, run.file, chunk.seq);
        let mut sink = ChunkSink { output, earlier_records, file, seq, finished, parts: None };
        let begun = run.job.for_journal.then(Instant::now);
        processor.process(&chunk, &mut sink);
        let parts = sink.parts.take();
        if let Some(begun) = begun {
            lock(&run.source).pace(chunk.text.len(), begun.elapsed());
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
    lock(&run.tally).merge(processor.tally());
}

/// Waits for a permit, and runs other tasks of the thread pool meanwhile: where all permits are behind one
/// hard puzzle, its search may have been split.
fn next<V>(permits: &Permits<V>) -> Option<Permit<V>> {
    while let ControlFlow::Continue(permit) = permits.take(PATIENCE / 10) {
        if permit.is_some() {
            return permit;
        }
        while permits.are_taken() && rayon::yield_now() == Some(rayon::Yield::Executed) {}
    }
    None
}
