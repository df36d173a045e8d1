//! A connection that is closed so that its peer gets the last answer.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// A socket that throws away what still comes before it is closed. One that is closed with bytes unread resets the connection,
/// and a peer that was refused in the middle of its body may lose the answer that says why.
#[derive(Debug)]
pub(super) struct Linger {
    stream: TcpStream,
    patience: Duration,
    end: Option<Pin<Box<Sleep>>>,
}

impl Linger {
    /// Returns a socket that waits so long for its peer to end.
    pub(super) fn new(stream: TcpStream, patience: Duration) -> Linger {
        Linger { stream, patience, end: None }
    }

    fn stream(self: Pin<&mut Self>) -> Pin<&mut TcpStream> {
        Pin::new(&mut self.get_mut().stream)
    }
}

impl AsyncRead for Linger {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream().poll_read(context, into)
    }
}

impl AsyncWrite for Linger {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.stream().poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.stream().poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_flush(context)
    }

    /// Ends the answers, then reads until the peer ends too, or for as long as patience lasts.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.end.is_none() {
            ready!(self.as_mut().stream().poll_shutdown(context))?;
            self.end = Some(Box::pin(sleep(self.patience)));
        }
        let Linger { stream, end: Some(end), .. } = self.get_mut() else {
            return Poll::Ready(Ok(()));
        };
        while end.as_mut().poll(context).is_pending() {
            let mut bytes = [0; 8 << 10];
            let mut unread = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut *stream).poll_read(context, &mut unread))?;
            if unread.filled().is_empty() {
                break;
            }
        }
        Poll::Ready(Ok(()))
    }
}
