//! Requests and their answers. The work runs in its own thread, because the thread of the server must stay
//! free for other requests. The answer is a stream of lines, a whole value, or a refusal. A file in the body
//! of a request is read while it arrives.

use std::error::Error;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::StatusCode;
use hyper::body::{Body, Bytes, Frame};
use serde::Serialize;
use serde_json::json;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use crate::server::Limits;

/// The largest number of threads that work at the same time.
const THREADS: usize = 32;

/// The number of lines that may wait for a slow reader. If there are more, the writer waits.
const LINES_AHEAD: usize = 64;

/// The supply of threads for requests.
#[derive(Debug)]
pub(super) struct Tasks(Arc<Semaphore>);

impl Tasks {
    pub(super) fn new() -> Tasks {
        Tasks(Arc::new(Semaphore::new(THREADS)))
    }

    /// Runs work, and returns its result. The flag becomes true when the client leaves.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&AtomicBool) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let (send, answer) = oneshot::channel();
        // The reader may have left, so the result is not needed.
        let _reader = self.begin(|reply| work(reply.stop()), |_, ended| _ = send.send(ended))?;
        answer.await.map_err(|_| broken())?
    }

    /// Starts work that writes lines, and returns the stream of the lines. If the work fails, its last line reports the error.
    pub(super) fn stream(&self, work: impl FnOnce(&Reply) -> Answer + Send + 'static) -> Answer<Lines> {
        self.begin(work, |reply, ended| {
            if let Err(refusal) = ended {
                reply.event("error", json!({ "error": refusal.message }));
            }
        })
    }

    /// Starts work that writes a file, and returns the stream. If the work fails, the connection breaks off, because an error text
    /// would look like a part of the file.
    pub(super) fn download(&self, work: impl FnOnce(&Reply) -> Answer + Send + 'static) -> Answer<Lines> {
        self.begin(work, |reply, ended| {
            if ended.is_err() {
                let _ = reply.lines.blocking_send(Err(BrokenOff));
            }
        })
    }

    /// Starts work in its own thread, and returns the stream of what it writes. `end` receives the result, even after a panic.
    fn begin<T>(
        &self,
        work: impl FnOnce(&Reply) -> Answer<T> + Send + 'static,
        end: impl FnOnce(&Reply, Answer<T>) + Send + 'static,
    ) -> Answer<Lines> {
        let busy =
            |_| Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "too many requests are running; try again");
        let permit = Arc::clone(&self.0).try_acquire_owned().map_err(busy)?;
        let (reply, lines) = Reply::pair();
        let run = move || {
            let guarded = AssertUnwindSafe(|| work(&reply));
            let ended = catch_unwind(guarded).unwrap_or_else(|_| Err(broken()));
            // The permit is dropped before the end, because a reader that has its answer may ask again at once.
            drop(permit);
            end(&reply, ended);
        };
        // The runtime has such threads too, but it panics if the system provides none.
        let begun = std::thread::Builder::new().name("request".to_owned()).spawn(run);
        begun.map(|_| lines).map_err(Refusal::no_thread)
    }
}

/// The writing end of a stream. Threads can share it.
#[derive(Debug)]
pub(super) struct Reply {
    lines: Sender<Result<Bytes, BrokenOff>>,
    stop: Arc<AtomicBool>,
}

/// The reading end: a body of lines as they arrive. Dropping it sets the flag that stops the writer.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) lines: Receiver<Result<Bytes, BrokenOff>>,
    stop: Arc<AtomicBool>,
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// A line of a stream.
#[derive(Serialize)]
struct Event<'a, T> {
    event: &'a str,
    #[serde(flatten)]
    rest: T,
}

/// The error of a stream that breaks off. Its connection is closed, so that the client does not mistake a part for the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the work for the answer failed")]
pub(super) struct BrokenOff;

impl Reply {
    pub(super) fn pair() -> (Reply, Lines) {
        let (send, receive) = channel(LINES_AHEAD);
        let stop = Arc::new(AtomicBool::new(false));
        (Reply { lines: send, stop: Arc::clone(&stop) }, Lines { lines: receive, stop })
    }

    /// The flag that becomes true when the client leaves.
    pub(super) fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    /// Whether the client has left.
    pub(super) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Writes an event with its name and fields. Returns false if the client has left.
    pub(super) fn event(&self, event: &str, rest: impl Serialize) -> bool {
        self.send(&Event { event, rest })
    }

    /// Writes an object on one line, as soon as the client has room for it. Returns false if the client has left.
    pub(super) fn send(&self, event: &impl Serialize) -> bool {
        let mut line = serde_json::to_vec(event).expect("keys are texts");
        line.push(b'\n');
        self.send_bytes(line)
    }

    /// Writes bytes unchanged, as soon as the client has room for them. Returns false if the client has left.
    pub(super) fn send_bytes(&self, bytes: Vec<u8>) -> bool {
        self.lines.blocking_send(Ok(bytes.into())).is_ok() && !self.is_over()
    }
}

impl Body for Lines {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        self.lines.poll_recv(context).map(|line| line.map(|line| line.map(Frame::data)))
    }
}

/// The answer to a request, or a part of it; or the reason why the request is refused.
pub(super) type Answer<T = ()> = Result<T, Refusal>;

/// A refused request: a status, and a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Refusal {
        Refusal { status, message: message.into() }
    }

    /// Refuses a request that makes no sense, e.g. a limit of 0.
    pub(super) fn bad(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, message)
    }

    /// Refuses a request because the system provides no thread.
    pub(super) fn no_thread(error: std::io::Error) -> Refusal {
        let message = format!("could not start a thread for the request: {error}; try again");
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// Reports a defect of this program.
    pub(super) fn defect(message: impl std::fmt::Display) -> Refusal {
        let message = format!("{message}: this is a defect of gridmill; please report it with this grid");
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }
}

fn broken() -> Refusal {
    let message = "this request made gridmill fail, which is a defect; please report it";
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, message)
}

#[cfg(test)]
impl Lines {
    /// Takes all bytes until the writer has ended.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        std::iter::from_fn(|| self.lines.blocking_recv()).flat_map(Result::unwrap).collect()
    }

    /// Takes all lines until the writer has ended, as values.
    pub(super) fn into_values(mut self) -> Vec<serde_json::Value> {
        let next = || self.lines.blocking_recv();
        std::iter::from_fn(next).map(|line| serde_json::from_slice(&line.unwrap()).unwrap()).collect()
    }
}

/// The number of parts that may wait to be read. If there are more, the sender waits.
const PARTS_AHEAD: usize = 16;

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
        let (sender, parts) = channel(PARTS_AHEAD);
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
                None => return Err(io::Error::other("it did not arrive completely; open it again")),
            }
        }
        let count = self.part.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.part.split_to(count));
        Ok(count)
    }
}

impl FileSender {
    /// Sends the body until it ends, or until nothing reads it any more.
    pub(super) async fn send_all<B>(self, body: B, limits: Limits) -> Answer
    where
        B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Unpin,
    {
        let sent = self.send_parts(body, &limits).await;
        let last = sent.as_ref().map_or_else(|refusal| Err(refusal.message.clone()), |()| Ok(Bytes::new()));
        let _ = self.0.send(last).await;
        sent
    }

    async fn send_parts<B>(&self, body: B, limits: &Limits) -> Answer
    where
        B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Unpin,
    {
        let limit = limits.file_bytes;
        let too_long = || {
            let message = format!(
                "the page can open files of up to {limit} bytes; give larger ones on the command line of gridmill serve"
            );
            Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
        };
        if body.size_hint().lower() > limit {
            return Err(too_long());
        }
        let mut body = Limited::new(body, usize::try_from(limit).unwrap_or(usize::MAX));
        loop {
            let late = |_| {
                Refusal::new(StatusCode::REQUEST_TIMEOUT, "the file took too long to arrive; open it again")
            };
            let part = match timeout(limits.body_patience, body.frame()).await.map_err(late)? {
                None => return Ok(()),
                Some(Err(error)) if error.is::<LengthLimitError>() => return Err(too_long()),
                Some(Err(_)) => {
                    return Err(Refusal::bad("the file did not arrive completely; open it again"));
                }
                Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
            };
            if !part.is_empty() && self.0.send(Ok(part)).await.is_err() {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    fn run<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    async fn text(lines: Lines) -> String {
        String::from_utf8(lines.collect().await.unwrap().to_bytes().to_vec()).unwrap()
    }

    #[test]
    fn a_panic_is_an_error_and_later_work_still_runs() {
        run(async {
            let tasks = Tasks::new();
            let failed = tasks.run(|_| -> Answer<u8> { panic!("on purpose") }).await;
            assert_eq!(failed, Err(broken()));
            let failed = tasks.stream(|reply| {
                reply.send(&1);
                panic!("on purpose")
            });
            let expected = format!("1\n{{\"event\":\"error\",\"error\":\"{}\"}}\n", broken().message);
            assert_eq!(text(failed.unwrap()).await, expected);
            assert_eq!(tasks.run(|_| Ok(2)).await.unwrap(), 2);
        });
    }

    #[test]
    fn a_failed_download_is_broken_off() {
        run(async {
            let begun = Tasks::new().download(|reply| {
                reply.send(&1);
                Err(Refusal::bad("no"))
            });
            let mut body = begun.unwrap();
            assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap(), "1\n");
            assert_eq!(body.frame().await.unwrap().unwrap_err(), BrokenOff);
            let whole = Tasks::new().download(|_| Ok(()));
            assert_eq!(text(whole.unwrap()).await, "");
        });
    }

    #[test]
    fn a_refused_stream_ends_with_the_reason() {
        let lines = run(async { text(Tasks::new().stream(|_| Err(Refusal::bad("no"))).unwrap()).await });
        assert_eq!(lines, "{\"event\":\"error\",\"error\":\"no\"}\n");
    }

    #[test]
    fn more_work_than_threads_is_refused_until_one_is_free() {
        run(async {
            let tasks = Tasks::new();
            let wait = |reply: &Reply| {
                while reply.send(&0) {}
                Ok(())
            };
            let mut streams: Vec<Lines> = (0..THREADS).map(|_| tasks.stream(wait).unwrap()).collect();
            let refused = tasks.stream(wait).unwrap_err();
            assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
            // The work waits for its client, and ends when the client leaves.
            streams.pop();
            while tasks.0.available_permits() == 0 {
                std::thread::yield_now();
            }
            assert_eq!(tasks.run(|_| Ok(1)).await.unwrap(), 1);
        });
    }

    #[test]
    fn work_is_stopped_if_its_request_is_dropped() {
        run(async {
            let (stopped, mut is_stopped) = tokio::sync::mpsc::unbounded_channel();
            let tasks = Tasks::new();
            let answer = tasks.run(move |stop| {
                while !stop.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
                stopped.send(()).unwrap();
                Ok(())
            });
            let mut answer = Box::pin(answer);
            std::future::poll_fn(|context| {
                assert!(answer.as_mut().poll(context).is_pending());
                Poll::Ready(())
            })
            .await;
            drop(answer);
            is_stopped.recv().await.unwrap();
        });
    }
}
