//! Work for a request, in a thread beside the server's own.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use hyper::StatusCode;
use hyper::body::{Body, Bytes, Frame};
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::reply::{BrokenOff, Lines, Refusal, Reply};

/// The threads that may be at work at once.
const THREADS: usize = 32;

/// Where requests get their threads from.
#[derive(Debug)]
pub(super) struct Tasks(Arc<Semaphore>);

/// Sets a flag when the request that waits for an answer is given up.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Tasks {
    pub(super) fn new() -> Tasks {
        Tasks(Arc::new(Semaphore::new(THREADS)))
    }

    fn permit(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        let busy =
            |_| Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "too many requests are at work; try again");
        Arc::clone(&self.0).try_acquire_owned().map_err(busy)
    }

    /// Runs work that gives one answer, and returns that as JSON. The flag becomes true when the reader is gone.
    pub(super) async fn answer<T: Serialize>(
        &self,
        work: impl FnOnce(&AtomicBool) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<Bytes, Refusal> {
        let json = |answer| Bytes::from(serde_json::to_vec(&answer).expect("keys are texts"));
        self.run(move |stop| work(stop).map(json)).await
    }

    /// Runs work, and returns what it gives. The flag becomes true when the reader is gone.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&AtomicBool) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let permit = self.permit()?;
        let stop = Arc::new(AtomicBool::new(false));
        let _guard = StopOnDrop(Arc::clone(&stop));
        let (send, answer) = tokio::sync::oneshot::channel();
        begin(move || {
            let answer = work(&stop);
            drop(permit);
            // Nobody may wait for it any more.
            let _ = send.send(answer);
        })?;
        answer.await.map_err(|_| broken())?
    }

    /// Begins work that writes lines, and returns their stream. If it fails, the last line says so.
    pub(super) fn stream(
        &self,
        work: impl FnOnce(&Reply) -> Result<(), Refusal> + Send + 'static,
    ) -> Result<LineBody, Refusal> {
        self.begin(work, |reply, refusal| {
            reply.send(&Failed { event: "error", error: &refusal.message });
        })
    }

    /// Begins work that writes a file, and returns its stream. If it fails, the connection breaks off: nothing that stood
    /// in the file could tell.
    pub(super) fn download(
        &self,
        work: impl FnOnce(&Reply) -> Result<(), Refusal> + Send + 'static,
    ) -> Result<LineBody, Refusal> {
        self.begin(work, |reply, _| reply.break_off())
    }

    fn begin(
        &self,
        work: impl FnOnce(&Reply) -> Result<(), Refusal> + Send + 'static,
        fail: fn(&Reply, &Refusal),
    ) -> Result<LineBody, Refusal> {
        let permit = self.permit()?;
        let (reply, lines) = Reply::pair();
        begin(move || {
            let _permit = permit;
            let guarded = std::panic::AssertUnwindSafe(|| work(&reply));
            let ended = std::panic::catch_unwind(guarded).unwrap_or_else(|_| Err(broken()));
            if let Err(refusal) = ended {
                fail(&reply, &refusal);
            }
        })?;
        Ok(LineBody(lines))
    }
}

/// Begins work in a thread of its own. The runtime has such threads too, and panics where it gets none.
fn begin(work: impl FnOnce() + Send + 'static) -> Result<(), Refusal> {
    let begun = std::thread::Builder::new().name("request".to_owned()).spawn(work);
    begun.map(drop).map_err(Refusal::no_thread)
}

/// The last line of a stream that failed.
#[derive(Serialize)]
struct Failed<'a> {
    event: &'static str,
    error: &'a str,
}

fn broken() -> Refusal {
    let message = "gridmill failed at this request; please report it";
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, message)
}

/// A body made of lines as they come.
#[derive(Debug)]
pub(super) struct LineBody(Lines);

impl Body for LineBody {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        self.0.lines.poll_recv(context).map(|line| match line {
            Some(line) => Some(Ok(Frame::data(line))),
            None => self.0.is_broken_off().then_some(Err(BrokenOff)),
        })
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    fn run<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    async fn text(lines: LineBody) -> String {
        String::from_utf8(lines.collect().await.unwrap().to_bytes().to_vec()).unwrap()
    }

    #[test]
    fn work_that_panics_is_an_error_and_no_end() {
        run(async {
            let tasks = Tasks::new();
            let failed = tasks.answer(|_| -> Result<u8, Refusal> { panic!("on purpose") }).await;
            assert_eq!(failed, Err(broken()));
            let failed = tasks.stream(|reply| {
                reply.send(&1);
                panic!("on purpose")
            });
            let expected = format!("1\n{{\"event\":\"error\",\"error\":\"{}\"}}\n", broken().message);
            assert_eq!(text(failed.unwrap()).await, expected);
            assert_eq!(tasks.answer(|_| Ok(2)).await.unwrap(), "2");
        });
    }

    #[test]
    fn a_download_that_fails_has_no_end() {
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
            let mut streams: Vec<LineBody> = (0..THREADS).map(|_| tasks.stream(wait).unwrap()).collect();
            let refused = tasks.stream(wait).unwrap_err();
            assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
            // The work waits for its reader, and ends when that goes away.
            streams.pop();
            while tasks.0.available_permits() == 0 {
                std::thread::yield_now();
            }
            assert_eq!(tasks.answer(|_| Ok(1)).await.unwrap(), "1");
        });
    }

    #[test]
    fn work_is_told_when_nobody_waits_for_its_answer() {
        run(async {
            let (told, mut is_told) = tokio::sync::mpsc::unbounded_channel();
            let tasks = Tasks::new();
            let answer = tasks.answer(move |stop| {
                while !stop.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
                told.send(()).unwrap();
                Ok(())
            });
            let mut answer = Box::pin(answer);
            std::future::poll_fn(|context| {
                assert!(answer.as_mut().poll(context).is_pending());
                Poll::Ready(())
            })
            .await;
            drop(answer);
            is_told.recv().await.unwrap();
        });
    }
}
