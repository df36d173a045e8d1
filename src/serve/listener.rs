//! The listening socket.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::time::{sleep, timeout};

use super::collection::Collection;
use super::connection::Connections;
use super::limits::Limits;
use super::routes::Site;

/// How often the server looks whether it is to end.
const LOOK: Duration = Duration::from_millis(50);

/// A server for browsers on this machine.
#[derive(Debug)]
pub(crate) struct Server {
    runtime: Runtime,
    listener: TcpListener,
    site: Arc<Site>,
    limits: Limits,
}

impl Server {
    /// Listens on a port of 127.0.0.1; 0 for any that is free.
    ///
    /// # Errors
    ///
    /// Where the port is in use, or the system refuses.
    pub(crate) fn listen(port: u16) -> io::Result<TcpListener> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    }

    /// Makes the server of a collection.
    ///
    /// # Errors
    ///
    /// Where the system refuses.
    pub(crate) fn new(listener: TcpListener, collection: Arc<Collection>) -> io::Result<Server> {
        Server::with_limits(listener, collection, Limits::default())
    }

    fn with_limits(listener: TcpListener, collection: Arc<Collection>, limits: Limits) -> io::Result<Server> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let site = Arc::new(Site::new(listener.local_addr()?, collection, limits));
        Ok(Server { runtime, listener, site, limits })
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
        let Server { runtime, listener, site, limits } = self;
        runtime.block_on(accept(listener, &site, limits, stop))
    }
}

/// Accepts connections until `stop` becomes true, then closes them.
async fn accept(
    listener: TcpListener,
    site: &Arc<Site>,
    limits: Limits,
    stop: &AtomicBool,
) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let mut open = Connections::default();
    while !stop.load(Ordering::Relaxed) {
        match timeout(LOOK, listener.accept()).await {
            Err(_) => open.forget_closed(),
            Ok(Ok((stream, _))) => open.add(stream, site, limits),
            // Too many files are open, and a connection may free one: none that has just come with the last file, as the
            // system says so before it looks whether another one waits.
            Ok(Err(_)) if open.close_idle(LOOK) => tokio::task::yield_now().await,
            Ok(Err(_)) => sleep(LOOK).await,
        }
    }
    open.close_all().await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::time::Instant;

    use super::*;
    use crate::serve::collection::Wording;
    use crate::text::no_advice;

    /// Limits that a test can wait for.
    const SHORT: Duration = Duration::from_millis(100);

    /// Talks with a server of little patience.
    fn with_server(talk: impl FnOnce(SocketAddr)) {
        let limits =
            Limits { head_patience: SHORT, body_patience: SHORT, linger: SHORT, ..Limits::default() };
        let stop = Arc::new(AtomicBool::new(false));
        let wording = Wording { explain: ToString::to_string, advice: no_advice };
        let collection = Collection::open(std::iter::empty(), wording, &stop).unwrap();
        let server = Server::with_limits(Server::listen(0).unwrap(), collection, limits).unwrap();
        let address = server.address().unwrap();
        std::thread::scope(|scope| {
            let running = scope.spawn(|| server.run(&stop));
            talk(address);
            stop.store(true, Ordering::Relaxed);
            running.join().unwrap().unwrap();
        });
    }

    /// Sends text, and returns the answer and how long it took until the connection was closed.
    fn say(address: SocketAddr, text: &str) -> (String, Duration) {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let (begun, mut answer) = (Instant::now(), String::new());
        stream.read_to_string(&mut answer).unwrap();
        (answer, begun.elapsed())
    }

    #[test]
    fn peers_that_stall_are_left() {
        with_server(|address| {
            let host = format!("Host: {address}\r\n");
            let (page, _) = say(address, &format!("GET / HTTP/1.0\r\n{host}\r\n"));
            let token = page.split("gridmill-token\" content=\"").nth(1).unwrap().split('"').next().unwrap();
            let question = format!(
                "POST /api/read HTTP/1.1\r\n{host}Origin: http://{address}\r\nX-Gridmill-Token: {token}\r\n"
            );
            let stalled = [
                (String::new(), ""),
                ("GET / HT".to_owned(), ""),
                (format!("GET / HTTP/1.1\r\n{host}\r\n"), "HTTP/1.1 200 OK"),
                (format!("GET / HTTP/1.1\r\n{host}\r\nGET "), "HTTP/1.1 200 OK"),
                (format!("{question}Content-Length: 10\r\n\r\n{{"), "HTTP/1.1 408 Request Timeout"),
                (
                    format!("{question}Transfer-Encoding: chunked\r\n\r\n5\r\n{{"),
                    "HTTP/1.1 408 Request Timeout",
                ),
                (format!("{question}Transfer-Encoding: chunked\r\n\r\n"), "HTTP/1.1 408 Request Timeout"),
            ];
            for (text, expected) in stalled {
                let (answer, time) = say(address, &text);
                assert_eq!(answer.lines().next().unwrap_or(""), expected, "{text}");
                assert!(time < Duration::from_secs(5), "{time:?}: {text}");
            }
        });
    }

    /// Each byte comes in time, and the whole does not.
    #[test]
    fn a_head_that_trickles_in_is_left() {
        with_server(|address| {
            let mut stream = TcpStream::connect(address).unwrap();
            let begun = Instant::now();
            while stream.write_all(b"a").is_ok() && begun.elapsed() < Duration::from_secs(10) {
                std::thread::sleep(Duration::from_millis(5));
            }
            assert!(begun.elapsed() < Duration::from_secs(5));
        });
    }
}
