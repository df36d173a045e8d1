//! The answer to the reader of a stream, line by line; and refusals.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hyper::StatusCode;
use hyper::body::Bytes;
use serde::Serialize;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Lines that wait for a slow reader; whoever writes more waits.
const AHEAD: usize = 64;

/// The writing end of a stream. Threads may share it.
#[derive(Debug)]
pub(super) struct Reply {
    lines: Sender<Bytes>,
    stop: Arc<AtomicBool>,
    is_broken_off: Arc<AtomicBool>,
}

/// The reading end. Dropping it sets the flag by which the writer ends its work.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) lines: Receiver<Bytes>,
    stop: Arc<AtomicBool>,
    is_broken_off: Arc<AtomicBool>,
}

/// A stream that ends before its end: its connection is closed, so that nobody takes what came for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the work for the answer failed")]
pub(super) struct BrokenOff;

impl Drop for Lines {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Lines {
    /// Returns whether the writer, which is gone, broke off.
    pub(super) fn is_broken_off(&self) -> bool {
        self.is_broken_off.load(Ordering::Acquire)
    }
}

impl Reply {
    /// Returns both ends.
    pub(super) fn pair() -> (Reply, Lines) {
        let (send, receive) = channel(AHEAD);
        let stop = Arc::new(AtomicBool::new(false));
        let is_broken_off = Arc::new(AtomicBool::new(false));
        let (is_over, is_broken) = (Arc::clone(&stop), Arc::clone(&is_broken_off));
        let reply = Reply { lines: send, stop: is_over, is_broken_off: is_broken };
        (reply, Lines { lines: receive, stop, is_broken_off })
    }

    /// Says that what was written is not all there was to write. Nothing may follow.
    pub(super) fn break_off(&self) {
        self.is_broken_off.store(true, Ordering::Release);
    }

    /// Returns the flag that becomes true when the reader is gone.
    pub(super) fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    /// Returns whether the reader is gone.
    pub(super) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Writes an object on a line, when the reader has room for it. Returns whether there still is a reader.
    pub(super) fn send(&self, event: &impl Serialize) -> bool {
        let mut line = serde_json::to_vec(event).expect("keys are texts");
        line.push(b'\n');
        self.send_bytes(line)
    }

    /// Writes bytes as they are, when the reader has room for them. Returns whether there still is a reader.
    pub(super) fn send_bytes(&self, bytes: Vec<u8>) -> bool {
        self.lines.blocking_send(bytes.into()).is_ok() && !self.is_over()
    }
}

/// A refused request: a status, and a sentence for the reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Refusal {
        Refusal { status, message: message.into() }
    }

    /// Refuses a request that asks for what makes no sense.
    pub(super) fn bad(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, message)
    }

    /// Refuses a request for which the system gives no thread.
    pub(super) fn no_thread(error: std::io::Error) -> Refusal {
        let message = format!("no thread can be had for the request: {error}; try again");
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// Tells of a defect of this program.
    pub(super) fn defect(message: impl std::fmt::Display) -> Refusal {
        let message = format!("{message}: a defect of gridmill; please report it with this grid");
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }
}

#[cfg(test)]
impl Lines {
    /// Takes all bytes until the writer is gone.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        std::iter::from_fn(|| self.lines.blocking_recv()).flatten().collect()
    }

    /// Takes all lines until the writer is gone, as values.
    pub(super) fn into_values(mut self) -> Vec<serde_json::Value> {
        let next = || self.lines.blocking_recv();
        std::iter::from_fn(next).map(|line| serde_json::from_slice(&line).unwrap()).collect()
    }
}
