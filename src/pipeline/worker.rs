//! A worker: takes permits, claims chunks, reads them, and runs its processor on them.

use std::borrow::Cow;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};

use super::input::PATIENCE;
use super::stage::{ChunkProcessor, RowSink};
use super::{Permit, Run, lock};
use crate::error::Error;

/// Works until the input ends or the writer is gone.
pub(super) fn run(
    processor: &mut dyn ChunkProcessor,
    run: &Run<'_>,
    permits: &Receiver<Permit>,
    finished: &Sender<Option<Permit>>,
) -> Result<(), Error> {
    while let Some(mut permit) = next(permits) {
        let Some(chunk) = lock(&run.source).claim(&mut permit.input)? else { break };
        let size = processor.read(&chunk);
        let Some(before) = run.numbering.number(chunk.seq, &size) else { break };
        permit.seq = chunk.seq;
        permit.output.begin(before, size);
        let earlier_records = run.earlier_records;
        let mut rows =
            RowSink { output: &mut permit.output, earlier_records, seq: chunk.seq, finished, parts: None };
        processor.process(&chunk, &mut rows);
        let parts = rows.parts.take();
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
    Ok(())
}

/// Waits for a permit, and runs other tasks of the thread pool meanwhile: where all permits are behind one
/// hard puzzle, its search may have been split.
fn next(permits: &Receiver<Permit>) -> Option<Permit> {
    loop {
        match permits.recv_timeout(PATIENCE / 10) {
            Ok(permit) => return Some(permit),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {
                while permits.is_empty() && rayon::yield_now() == Some(rayon::Yield::Executed) {}
            }
        }
    }
}
