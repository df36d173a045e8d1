//! The body of a request, as a file that is read while it arrives.

use std::error::Error;
use std::io::{self, Read};

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::StatusCode;
use hyper::body::{Body, Bytes};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::timeout;

use crate::reply::Refusal;
use crate::server::Limits;

/// The number of parts that may wait to be read. If there are more, the sender waits.
const AHEAD: usize = 16;

/// A part of a file, or the reason why no more will come.
type Part = Result<Bytes, String>;

/// The reading end of a file. Reading fails if the file breaks off.
pub(super) struct Received {
    parts: Receiver<Part>,
    part: Bytes,
    is_whole: bool,
}

/// The sending end of a file.
pub(super) struct FileSender(Sender<Part>);

impl Received {
    pub(super) fn pair() -> (FileSender, Received) {
        let (sender, parts) = channel(AHEAD);
        (FileSender(sender), Received { parts, part: Bytes::new(), is_whole: false })
    }
}

impl Read for Received {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.part.is_empty() && !self.is_whole {
            match self.parts.blocking_recv() {
                // An empty part marks the end.
                Some(Ok(part)) => (self.is_whole, self.part) = (part.is_empty(), part),
                Some(Err(reason)) => return Err(io::Error::other(reason)),
                None => return Err(io::Error::other("it did not come to its end; open it again")),
            }
        }
        let count = self.part.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.part.split_to(count));
        Ok(count)
    }
}

impl FileSender {
    /// Sends the body until it ends, or until nothing reads it any more.
    pub(super) async fn send_all<B>(self, body: B, limits: Limits) -> Result<(), Refusal>
    where
        B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Unpin,
    {
        let sent = self.send_parts(body, &limits).await;
        let last = sent.as_ref().map_or_else(|refusal| Err(refusal.message.clone()), |()| Ok(Bytes::new()));
        let _ = self.0.send(last).await;
        sent
    }

    async fn send_parts<B>(&self, body: B, limits: &Limits) -> Result<(), Refusal>
    where
        B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Unpin,
    {
        let limit = limits.file_bytes;
        let too_long = || {
            let message = format!(
                "a file may have {limit} bytes at most; name it on the command line of gridmill serve"
            );
            Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
        };
        if body.size_hint().lower() > limit {
            return Err(too_long());
        }
        let mut body = Limited::new(body, usize::try_from(limit).unwrap_or(usize::MAX));
        loop {
            let late = |_| {
                Refusal::new(StatusCode::REQUEST_TIMEOUT, "the file did not come to its end; open it again")
            };
            let part = match timeout(limits.body_patience, body.frame()).await.map_err(late)? {
                None => return Ok(()),
                Some(Err(error)) if error.is::<LengthLimitError>() => return Err(too_long()),
                Some(Err(_)) => return Err(Refusal::bad("the file broke off on its way; open it again")),
                Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
            };
            if !part.is_empty() && self.0.send(Ok(part)).await.is_err() {
                return Ok(());
            }
        }
    }
}
