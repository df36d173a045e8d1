//! The listening socket, and the limits of its connections.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::collection::Collection;
use super::routes::Site;
use super::task::THREADS;

/// The most connections; the oldest one without a request makes room for a new one.
const CONNECTIONS: usize = 256;

/// How long the head of a request may take to come; also how long a connection may wait for its next request.
const PATIENCE: Duration = Duration::from_secs(15);

/// How often the server looks whether it is to end.
const LOOK: Duration = Duration::from_millis(50);

/// How long work may take to notice that the server ends.
const FAREWELL: Duration = Duration::from_millis(300);

/// The most bytes of the head of a request.
const HEAD_BYTES: usize = 64 << 10;

/// A server for browsers on this machine.
#[derive(Debug)]
pub(crate) struct Server {
    runtime: Runtime,
    listener: TcpListener,
    site: Arc<Site>,
}

/// An open connection.
#[derive(Debug)]
struct Connection {
    task: AbortHandle,
    /// How many of its requests are being answered.
    busy: Arc<AtomicU32>,
}

impl Server {
    /// Listens on a port of 127.0.0.1; 0 for any that is free.
    ///
    /// # Errors
    ///
    /// Where the port is in use, or the system refuses.
    pub(crate) fn bind(port: u16, collection: Arc<Collection>) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_io().enable_time().max_blocking_threads(THREADS).build()?;
        let site = Arc::new(Site::new(listener.local_addr()?, collection));
        Ok(Server { runtime, listener, site })
    }

    /// Returns the address that is listened on.
    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers requests until `stop` becomes true.
    ///
    /// # Errors
    ///
    /// Where the socket fails.
    pub(crate) fn run(self, stop: &AtomicBool) -> io::Result<()> {
        let Server { runtime, listener, site } = self;
        let ended = runtime.block_on(accept(listener, &site, stop));
        runtime.shutdown_timeout(FAREWELL);
        ended
    }
}

/// Accepts connections until `stop` becomes true.
async fn accept(listener: TcpListener, site: &Arc<Site>, stop: &AtomicBool) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let mut open: VecDeque<Connection> = VecDeque::new();
    while !stop.load(Ordering::Relaxed) {
        match timeout(LOOK, listener.accept()).await {
            Err(_) => open.retain(|connection| !connection.task.is_finished()),
            Ok(Ok((stream, _))) => {
                make_room(&mut open);
                open.push_back(connect(stream, Arc::clone(site)));
            }
            // The peer went away, or there are too many open files: others may come.
            Ok(Err(_)) => tokio::time::sleep(LOOK).await,
        }
    }
    Ok(())
}

/// Closes the oldest connection that has no request at work, where there are as many as there may be.
fn make_room(open: &mut VecDeque<Connection>) {
    if open.len() < CONNECTIONS {
        return;
    }
    open.retain(|connection| !connection.task.is_finished());
    if open.len() < CONNECTIONS {
        return;
    }
    let is_idle = |connection: &Connection| connection.busy.load(Ordering::Relaxed) == 0;
    let place = open.iter().position(is_idle).unwrap_or(0);
    if let Some(connection) = open.remove(place) {
        connection.task.abort();
    }
}

/// Answers the requests of a connection, in a task of its own.
fn connect(stream: TcpStream, site: Arc<Site>) -> Connection {
    // Lines of a stream are short, and are wanted at once.
    let _ = stream.set_nodelay(true);
    let busy = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&busy);
    let service = service_fn(move |request| {
        let (site, busy) = (Arc::clone(&site), Busy::new(&counter));
        async move { Ok::<_, Infallible>(site.respond(request, busy).await) }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let task = tokio::spawn(async move {
        // A peer that breaks off is no failure of the server.
        let _ = serving.await;
    });
    Connection { task: task.abort_handle(), busy }
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
