//! A worker: takes permits, claims chunks, and has the work done.

use std::sync::Mutex;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};

use super::ready::PATIENCE;
use super::source::{Source, Text};
use super::stage::{ChunkProcessor, Output, Piece};
use super::{Permit, lock};
use crate::error::Error;

/// Works until the source is dry or the writer is gone.
pub(super) fn run(
    work: &mut dyn ChunkProcessor,
    source: &Mutex<Source<'_>>,
    permits: &Receiver<Permit>,
    finished: &Sender<Option<Permit>>,
) -> Result<(), Error> {
    while let Some(mut permit) = next(permits) {
        let Some(chunk) = lock(source).claim(&mut permit)? else { break };
        let own = std::mem::take(&mut permit.input);
        let text = if let Text::Lent(text) = chunk.text { text } else { &own };
        permit.done.rows.clear();
        let mut output = Output { done: &mut permit.done, seq: permit.seq, finished, parts: None };
        work.work(Piece { text, too_long: chunk.too_long, before: chunk.before }, &mut output);
        let parts = output.parts.take();
        permit.input = own;
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

/// Waits for a permit, and lends a hand meanwhile: where all permits are behind one hard puzzle, its search
/// may have been split.
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
