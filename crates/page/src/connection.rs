//! Open connections, their limits, and which of them make room.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hyper::body::{Body, Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use super::linger::Linger;
use super::routes::Site;

/// The limits of connections and their requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The most connections; the oldest one without a request makes room for a new one.
    pub(super) connections: usize,
    /// The most bytes of the head of a request.
    pub(super) head_bytes: usize,
    /// How long a head may take to come; also how long a connection may wait for its next request.
    pub(super) head_patience: Duration,
    /// The most bytes of a body.
    pub(super) body_bytes: usize,
    /// How long a body may take to come.
    pub(super) body_patience: Duration,
    /// How long a closed connection lets its peer finish what it sends.
    pub(super) linger: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 256,
            head_bytes: 64 << 10,
            head_patience: Duration::from_secs(15),
            body_bytes: 1 << 20,
            body_patience: Duration::from_secs(10),
            linger: Duration::from_secs(1),
        }
    }
}

/// The open connections, the oldest one in front.
#[derive(Debug, Default)]
pub(super) struct Connections(VecDeque<Connection>);

/// An open connection.
#[derive(Debug)]
struct Connection {
    task: JoinHandle<()>,
    begun: Instant,
    /// How many of its requests are being answered.
    busy: Arc<AtomicU32>,
}

impl Connections {
    /// Answers the requests of a new connection. Where there are too many, another one makes room.
    pub(super) fn add(&mut self, stream: TcpStream, site: &Arc<Site>, limits: Limits) {
        if self.0.len() >= limits.connections {
            self.forget_closed();
        }
        if self.0.len() >= limits.connections && !self.close_idle(Duration::ZERO) {
            self.close(0);
        }
        self.0.push_back(connect(stream, Arc::clone(site), limits));
    }

    /// Forgets the connections that are closed.
    pub(super) fn forget_closed(&mut self) {
        self.0.retain(|connection| !connection.task.is_finished());
    }

    /// Closes the oldest connection that has no request at work, and is open for so long. Returns whether there is one.
    pub(super) fn close_idle(&mut self, least: Duration) -> bool {
        let is_idle = |connection: &Connection| {
            connection.busy.load(Ordering::Relaxed) == 0 && connection.begun.elapsed() >= least
        };
        let place = self.0.iter().position(is_idle);
        place.inspect(|&place| self.close(place)).is_some()
    }

    /// Closes all connections, which tells the work for them to end.
    pub(super) async fn close_all(self) {
        for connection in &self.0 {
            connection.task.abort();
        }
        for connection in self.0 {
            // What ended by itself before, ended.
            let _ = connection.task.await;
        }
    }

    fn close(&mut self, place: usize) {
        if let Some(connection) = self.0.remove(place) {
            connection.task.abort();
        }
    }
}

/// Answers the requests of a connection, in a task of its own.
fn connect(stream: TcpStream, site: Arc<Site>, limits: Limits) -> Connection {
    let busy = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&busy);
    let respond = move |request| {
        let (site, busy) = (Arc::clone(&site), Busy::new(&counter));
        async move { site.respond(request, busy).await }
    };
    Connection { task: tokio::spawn(talk(stream, limits, respond)), begun: Instant::now(), busy }
}

/// Reads requests and writes their answers until one of the two sides has enough.
async fn talk<B, R>(stream: TcpStream, limits: Limits, respond: impl Fn(Request<Incoming>) -> R)
where
    B: Body<Data = Bytes, Error: std::error::Error + Send + Sync> + 'static,
    R: Future<Output = Response<B>>,
{
    // Lines of a stream are short, and are wanted at once.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let response = respond(request);
        async { Ok::<_, Infallible>(response.await) }
    });
    let talking = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_patience)
        .max_buf_size(limits.head_bytes)
        .max_header_size(limits.head_bytes)
        .serve_connection(TokioIo::new(Linger::new(stream, limits.linger)), service);
    // A peer that breaks off is no failure of the server.
    let _ = talking.await;
}

/// Counts a request as at work until it is dropped.
#[derive(Debug)]
pub(super) struct Busy(Arc<AtomicU32>);

impl Busy {
    fn new(counter: &Arc<AtomicU32>) -> Busy {
        counter.fetch_add(1, Ordering::Relaxed);
        Busy(Arc::clone(counter))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;

    use super::*;
    use crate::reply::Reply;
    use crate::task::Tasks;

    /// How long a test waits before it fails. It only ends tests that hang.
    const GUARD: Duration = Duration::from_secs(300);

    /// Begins work that ends only with its reader. That one takes nothing of what the work writes, and goes away behind
    /// `stay`. Returns when the work has ended.
    fn outlive_reader(stay: impl FnOnce() + Send + 'static, work: impl Fn(&Reply) + Clone + Send + 'static) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let mut reader = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (stream, _) = listener.accept().unwrap();
            stream.set_nonblocking(true).unwrap();
            reader.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
            let (began, has_begun) = std::sync::mpsc::channel();
            let (end, mut ended) = tokio::sync::mpsc::unbounded_channel();
            let tasks = Tasks::new();
            let respond = move |_| {
                let (began, end, work) = (began.clone(), end.clone(), work.clone());
                let lines = tasks.stream(move |reply| {
                    began.send(()).unwrap();
                    work(reply);
                    end.send(()).unwrap();
                    Ok(())
                });
                async { Response::new(lines.unwrap()) }
            };
            let talking = talk(TcpStream::from_std(stream).unwrap(), Limits::default(), respond);
            std::thread::spawn(move || {
                has_begun.recv().unwrap();
                stay();
                drop(reader);
            });
            tokio::time::timeout(GUARD, talking).await.expect("the connection ends");
            tokio::time::timeout(GUARD, ended.recv()).await.expect("the work ends").unwrap();
        });
    }

    #[test]
    fn silent_work_is_told_that_its_reader_went_away() {
        let silent_work = |reply: &Reply| {
            while !reply.is_over() {
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        outlive_reader(|| (), silent_work);
    }

    /// What nobody takes is not kept.
    #[test]
    fn work_waits_for_a_reader_who_takes_nothing() {
        let lines = Arc::new(AtomicU32::new(0));
        let (counter, seen) = (Arc::clone(&lines), Arc::clone(&lines));
        let work = move |reply: &Reply| {
            while reply.send_bytes(vec![b' '; 1 << 20]) {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        };
        // The buffers of the system hold some lines, and those of the stream 64. The reader stays until the work stands still
        // with all of them full, or has written more.
        let is_known = move || {
            let before = seen.load(Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(50));
            let written = seen.load(Ordering::Relaxed);
            written >= 128 || (written >= 64 && written == before)
        };
        outlive_reader(move || while !is_known() {}, work);
        let written = lines.load(Ordering::Relaxed);
        assert!((64..128).contains(&written), "{written}");
    }
}
