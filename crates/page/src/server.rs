//! The listening socket and its open connections, with their limits. If there are too many connections, one is closed to make room
//! for a new one.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hyper::body::{Body, Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::collection::Collection;
use crate::routes::Site;

/// How often the server checks whether it should end.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// A server for browsers on this machine.
#[derive(Debug)]
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    site: Arc<Site>,
}

impl Server {
    /// Listens on a port of 127.0.0.1; 0 chooses any free port.
    ///
    /// # Errors
    ///
    /// If the port is in use, or the system refuses.
    pub fn listen(port: u16) -> io::Result<TcpListener> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    }

    /// Makes the server of a collection.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn new(listener: TcpListener, collection: Arc<Collection>) -> io::Result<Server> {
        Server::with_limits(listener, collection, Limits::default())
    }

    fn with_limits(listener: TcpListener, collection: Arc<Collection>, limits: Limits) -> io::Result<Server> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let site = Arc::new(Site::new(listener.local_addr()?, collection, limits));
        Ok(Server { runtime, listener, site })
    }

    /// The address that the server listens on.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers requests until `stop` becomes true.
    ///
    /// # Errors
    ///
    /// If the socket fails.
    pub fn run(self, stop: &AtomicBool) -> io::Result<()> {
        self.runtime.block_on(accept(self.listener, &self.site, stop))
    }
}

/// Accepts connections until `stop` becomes true, then closes them.
async fn accept(listener: TcpListener, site: &Arc<Site>, stop: &AtomicBool) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    // The oldest connection comes first.
    let mut open = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        match timeout(CHECK_INTERVAL, listener.accept()).await {
            Err(_) => open.retain(Connection::is_open),
            Ok(Ok((stream, _))) => {
                make_room(&mut open, site.limits.connections);
                open.push(Connection::new(stream, Arc::clone(site)));
            }
            // Too many files are open. An idle connection is closed to free a file, but only if it is older than
            // `CHECK_INTERVAL`: the system reports this error even if no connection is waiting, so the connection that
            // took the last file must stay open.
            Ok(Err(_)) if close_idle(&mut open, CHECK_INTERVAL) => tokio::task::yield_now().await,
            Ok(Err(_)) => sleep(CHECK_INTERVAL).await,
        }
    }
    // Their work ends when the connection is dropped.
    open.iter().for_each(|connection| connection.task.abort());
    for connection in open {
        // A connection that has already ended needs nothing more.
        let _ = connection.task.await;
    }
    Ok(())
}

/// The limits of connections and their requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The largest number of connections. The oldest one without a request makes room for a new one.
    pub(super) connections: usize,
    /// The largest number of bytes in the head of a request.
    pub(super) head_bytes: usize,
    /// The time in which a head must arrive. A connection may also wait this long for its next request.
    pub(super) head_patience: Duration,
    /// The largest number of bytes in a body.
    pub(super) body_bytes: usize,
    /// The time in which a body must arrive; for a file, each part of it.
    pub(super) body_patience: Duration,
    /// The largest number of bytes in a file that is opened in the page.
    pub(super) file_bytes: u64,
    /// How long a closed connection lets its peer finish sending.
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
            file_bytes: 16 << 30,
            linger: Duration::from_secs(1),
        }
    }
}

/// An open connection.
#[derive(Debug)]
struct Connection {
    task: JoinHandle<()>,
    begun: Instant,
    /// A count of references: this one, that of the task, and one for each request that is being answered.
    busy: Arc<()>,
}

impl Connection {
    /// Answers the requests of a connection, in its own task.
    fn new(stream: TcpStream, site: Arc<Site>) -> Connection {
        let (busy, limits) = (Arc::new(()), site.limits);
        let shared = Arc::clone(&busy);
        let respond = move |request| {
            let (site, busy) = (Arc::clone(&site), Arc::clone(&shared));
            async move { site.respond(request, busy).await }
        };
        Connection { task: tokio::spawn(talk(stream, limits, respond)), begun: Instant::now(), busy }
    }

    fn is_open(&self) -> bool {
        !self.task.is_finished()
    }

    /// Whether none of its requests is being answered.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.busy) <= 2
    }
}

/// Closes a connection if there are too many for a new one. It closes the oldest one without a running request, or else the oldest
/// one.
fn make_room(open: &mut Vec<Connection>, limit: usize) {
    if open.len() >= limit {
        open.retain(Connection::is_open);
    }
    if open.len() >= limit && !close_idle(open, Duration::ZERO) {
        open.remove(0).task.abort();
    }
}

/// Closes the oldest connection that has no running request and has been open for at least this long. Returns false if there is
/// none.
fn close_idle(open: &mut Vec<Connection>, least: Duration) -> bool {
    let is_idle = |connection: &Connection| connection.is_idle() && connection.begun.elapsed() >= least;
    let place = open.iter().position(is_idle);
    place.inspect(|&place| open.remove(place).task.abort()).is_some()
}

/// Reads requests and writes their answers until the peer, an error or a limit ends the connection.
async fn talk<B, R>(stream: TcpStream, limits: Limits, respond: impl Fn(Request<Incoming>) -> R + Unpin)
where
    B: Body<Data = Bytes, Error: std::error::Error + Send + Sync> + 'static,
    R: Future<Output = Response<B>>,
{
    // The lines of a stream are short, and the page wants them at once, so they are not collected into larger packets.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let response = respond(request);
        Box::pin(async { Ok::<_, Infallible>(response.await) })
    });
    let mut talking = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_patience)
        .max_buf_size(limits.head_bytes)
        .max_header_size(limits.head_bytes)
        .serve_connection(TokioIo::new(stream), service);
    // A peer that breaks off is not a failure of the server.
    let _ = poll_fn(|context| talking.poll_without_shutdown(context)).await;
    let _ = timeout(limits.linger, close(talking.into_parts().io.into_inner())).await;
}

/// Ends the answers, and then reads until the peer ends too. If a socket is closed with unread bytes, the system resets the
/// connection. A peer that was refused in the middle of its body could then lose the answer, and with it the reason.
async fn close(mut stream: TcpStream) -> io::Result<()> {
    stream.shutdown().await?;
    let mut unread = [0; 8 << 10];
    while stream.read(&mut unread).await? > 0 {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read, Write};
    use std::net::{Shutdown, TcpStream};
    use std::sync::atomic::AtomicU32;

    use gridmill_data::text::no_advice;

    use crate::collection::Wording;
    use crate::reply::{Reply, Tasks};

    use super::*;

    /// A time limit that a test can wait for.
    const SHORT: Duration = Duration::from_millis(100);

    /// A time limit that is longer than any test, so that a test hangs if it depends on it.
    const LONG: Duration = Duration::from_secs(24 * 60 * 60);

    /// How long a test waits before it fails. It only ends tests that hang.
    const GUARD: Duration = Duration::from_secs(300);

    /// Limits that allow this time for each step of a request.
    fn with_time_limit(limit: Duration) -> Limits {
        Limits { head_patience: limit, body_patience: limit, linger: limit, ..Limits::default() }
    }

    /// Calls `talk` with a running server, and then stops the server. The result of `talk` is dropped only
    /// after that.
    fn with_server<T>(limits: Limits, talk: impl FnOnce(SocketAddr) -> T) {
        let stop = Arc::new(AtomicBool::new(false));
        let wording = Wording { explain: ToString::to_string, advice: no_advice };
        let collection = Collection::open(std::iter::empty(), wording, &stop).unwrap();
        let server = Server::with_limits(Server::listen(0).unwrap(), collection, limits).unwrap();
        let address = server.address().unwrap();
        let (end, has_ended) = std::sync::mpsc::channel();
        let is_over = Arc::clone(&stop);
        std::thread::spawn(move || end.send(server.run(&is_over)).unwrap());
        let result = talk(address);
        stop.store(true, Ordering::Relaxed);
        has_ended.recv_timeout(GUARD).expect("the server ends").unwrap();
        drop(result);
    }

    /// Connects, and sends bytes. The server may close the connection before all are written.
    fn send(address: SocketAddr, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(GUARD)).unwrap();
        let _ = stream.write_all(bytes);
        stream
    }

    /// Whether an error means that nothing arrived in time.
    fn is_late(error: &io::Error) -> bool {
        matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
    }

    /// Everything that arrives until the connection is closed.
    fn answer(mut stream: TcpStream) -> String {
        let mut answer = Vec::new();
        if let Err(error) = stream.read_to_end(&mut answer) {
            assert!(!is_late(&error), "the connection is not closed");
        }
        String::from_utf8(answer).unwrap()
    }

    /// Sends a complete request, and returns the answer. Repeats the request if this thread was so slow that
    /// the time limit of the server passed first.
    fn ask(address: SocketAddr, request: &str) -> String {
        let mut answers = (0..1_000).map(|_| answer(send(address, request.as_bytes())));
        answers.find(|answer| !answer.is_empty()).unwrap()
    }

    fn get(address: SocketAddr) -> String {
        format!("GET / HTTP/1.1\r\nHost: {address}\r\n\r\n")
    }

    /// The head of a question, without its length.
    fn question(address: SocketAddr) -> String {
        let page = ask(address, &get(address).replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
        let token = page.split("gridmill-token\" content=\"").nth(1).unwrap().split('"').next().unwrap();
        let rights = format!("Origin: http://{address}\r\nX-Gridmill-Token: {token}\r\n");
        format!("POST /api/read HTTP/1.1\r\nHost: {address}\r\n{rights}")
    }

    #[test]
    fn stalled_connections_are_closed() {
        with_server(with_time_limit(SHORT), |address| {
            for text in ["", "GET / HT"] {
                assert_eq!(answer(send(address, text.as_bytes())), "", "{text}");
            }
            let (get, question) = (get(address), question(address));
            let stalled = [
                (get.clone(), "HTTP/1.1 200 OK"),
                (format!("{get}GET "), "HTTP/1.1 200 OK"),
                (format!("{question}Content-Length: 10\r\n\r\n{{"), "HTTP/1.1 408 Request Timeout"),
                (
                    format!("{question}Transfer-Encoding: chunked\r\n\r\n5\r\n{{"),
                    "HTTP/1.1 408 Request Timeout",
                ),
                (format!("{question}Transfer-Encoding: chunked\r\n\r\n"), "HTTP/1.1 408 Request Timeout"),
            ];
            for (text, expected) in stalled {
                let answer = ask(address, &text);
                assert_eq!(answer.lines().next(), Some(expected), "{text}");
                assert_eq!(answer.matches("HTTP/1.1").count(), 1, "{text}");
            }
        });
    }

    /// Each byte arrives in time, but the whole head does not.
    #[test]
    fn a_slowly_sent_head_times_out() {
        with_server(with_time_limit(SHORT), |address| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.set_read_timeout(Some(SHORT / 20)).unwrap();
            let is_open = |error: io::Error| is_late(&error);
            // The limit for the length of a head is not reached.
            for bytes in 0.. {
                let is_closed = stream.write_all(b"a").is_err() || !stream.read(&mut [0]).is_err_and(is_open);
                assert!(bytes < 60_000, "each byte restarts the time limit");
                if is_closed {
                    break;
                }
            }
        });
    }

    /// The time limit for these connections is a day, but the server does not wait for them when it stops.
    #[test]
    fn open_connections_do_not_delay_the_shutdown() {
        with_server(with_time_limit(LONG), |address| {
            let question = question(address);
            let [get, body] = [get(address), format!("{question}Content-Length: 10\r\n\r\n{{")];
            let mut connections: Vec<TcpStream> =
                ["", "GET / HT", &get, &body].map(|text| send(address, text.as_bytes())).into();
            // Since the last connection gets an answer, the server has accepted the earlier ones too.
            connections.push(send(address, get.as_bytes()));
            connections.last_mut().unwrap().read_exact(&mut [0; 12]).unwrap();
            connections
        });
    }

    /// The time limit is a day, but the server may only have four connections.
    #[test]
    fn the_oldest_silent_connections_are_closed_at_the_limit() {
        with_server(Limits { connections: 4, ..with_time_limit(LONG) }, |address| {
            let silent: Vec<TcpStream> = (0..40).map(|_| send(address, b"")).collect();
            let mut asking = send(address, get(address).as_bytes());
            asking.read_exact(&mut [0; 12]).unwrap();
            // The oldest ones have been closed.
            silent.into_iter().take(36).for_each(|stream| assert_eq!(answer(stream), ""));
        });
    }

    /// The time limit is a day, but the clients have closed their sending side.
    #[test]
    fn half_closed_connections_are_closed() {
        with_server(with_time_limit(LONG), |address| {
            let question = question(address);
            for text in ["", "GET / HT", &question, &format!("{question}Content-Length: 9\r\n\r\n")] {
                let stream = send(address, text.as_bytes());
                stream.shutdown(Shutdown::Write).unwrap();
                answer(stream);
            }
        });
    }

    /// Most clients write everything before they read. If the server closed the connection with unread bytes,
    /// it would be reset, and the client would not get the answer.
    #[test]
    fn a_client_that_sends_too_much_still_gets_the_reason() {
        with_server(with_time_limit(LONG), |address| {
            let head = format!("{}Content-Length: {}\r\n\r\n", question(address), 8 << 20);
            let mut stream = send(address, head.as_bytes());
            for _ in 0..8 {
                stream.write_all(&vec![b' '; 1 << 20]).unwrap();
            }
            assert!(answer(stream).starts_with("HTTP/1.1 413 "));
        });
    }

    /// Runs work that only ends if its client disconnects. The client reads nothing of what the work writes,
    /// and disconnects after `stay`. Returns when the work has ended.
    fn run_until_disconnect(
        stay: impl FnOnce() + Send + 'static,
        work: impl Fn(&Reply) + Clone + Send + Unpin + 'static,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let mut reader = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
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
                async { hyper::Response::new(lines.unwrap()) }
            };
            let talking = talk(tokio::net::TcpStream::from_std(stream).unwrap(), Limits::default(), respond);
            std::thread::spawn(move || {
                has_begun.recv().unwrap();
                stay();
                drop(reader);
            });
            timeout(GUARD, talking).await.expect("the connection ends");
            timeout(GUARD, ended.recv()).await.expect("the work ends").unwrap();
        });
    }

    #[test]
    fn silent_work_notices_that_its_client_disconnected() {
        let silent_work = |reply: &Reply| {
            while !reply.is_over() {
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        run_until_disconnect(|| (), silent_work);
    }

    /// Otherwise unread lines would fill the memory.
    #[test]
    fn work_pauses_if_its_client_reads_nothing() {
        let lines = Arc::new(AtomicU32::new(0));
        let (counter, observed) = (Arc::clone(&lines), Arc::clone(&lines));
        let work = move |reply: &Reply| {
            while reply.send_bytes(vec![b' '; 1 << 20]) {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        };
        // The buffers of the system hold some lines, and the stream holds 64. The client stays until all of
        // them are full and the work pauses, or until the work has written too much.
        let has_settled = move || {
            let before = observed.load(Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(50));
            let written = observed.load(Ordering::Relaxed);
            written >= 128 || (written >= 64 && written == before)
        };
        run_until_disconnect(move || while !has_settled() {}, work);
        let written = lines.load(Ordering::Relaxed);
        assert!((64..128).contains(&written), "{written}");
    }
}
