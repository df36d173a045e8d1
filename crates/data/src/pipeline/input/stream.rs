//! A stream of bytes, and those of it that wait for their chunk.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use super::reader::Reader;
use crate::record::Span;

/// Bytes that have been read of a stream and not been passed on.
pub(in crate::pipeline) struct Stream {
    reader: Reader,
    buffer: Vec<u8>,
    filled: usize,
    ended: bool,
}

impl Stream {
    pub(in crate::pipeline) fn new(reader: Reader) -> Stream {
        Stream { reader, buffer: Vec::new(), filled: 0, ended: false }
    }

    pub(in crate::pipeline) fn reader(&self) -> &Reader {
        &self.reader
    }

    pub(in crate::pipeline) fn filled(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    pub(in crate::pipeline) fn is_ended(&self) -> bool {
        self.ended
    }

    /// Reads until there are `want` bytes, the stream ends, it pauses behind bytes that are enough, or the
    /// run is stopped.
    pub(in crate::pipeline) fn fill(
        &mut self,
        want: usize,
        enough: &dyn Fn(&[u8]) -> bool,
        stop: &AtomicBool,
    ) -> io::Result<()> {
        if self.buffer.len() < want {
            self.buffer.resize(want, 0);
        }
        while self.filled < want && !self.ended && !stop.load(Ordering::Relaxed) {
            match self.reader.read(&mut self.buffer[self.filled..]) {
                Ok(0) => self.ended = true,
                Ok(count) => self.filled += count,
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock if enough(self.filled()) => return Ok(()),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => {}
                    _ => return Err(error),
                },
            }
        }
        Ok(())
    }

    /// Swaps the first `count` bytes into `chunk`, whose memory takes their place.
    pub(in crate::pipeline) fn take(&mut self, count: usize, chunk: &mut Vec<u8>) {
        std::mem::swap(&mut self.buffer, chunk);
        let rest = &chunk[count..self.filled];
        self.buffer.resize(self.buffer.capacity().max(rest.len()), 0);
        self.buffer[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
        chunk.truncate(count);
    }

    pub(in crate::pipeline) fn discard(&mut self, count: usize) {
        self.buffer.copy_within(count..self.filled, 0);
        self.filled -= count;
    }

    /// Passes over the rest of a line, and returns what it was; `None` if the run is stopped within it.
    pub(in crate::pipeline) fn skip_line(&mut self, stop: &AtomicBool) -> io::Result<Option<Span>> {
        let mut skipped = Span::default();
        loop {
            let feed = memchr::memchr(b'\n', self.filled());
            skipped.append(self.pass(feed.map_or(self.filled, |feed| feed + 1)));
            if feed.is_some() || self.ended {
                return Ok(Some(skipped));
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            self.fill(crate::pipeline::CHUNK_BYTES, &|_| true, stop)?;
        }
    }

    /// Passes over so many of the bytes that have been read, and returns what they were.
    pub(in crate::pipeline) fn pass(&mut self, count: usize) -> Span {
        let passed = Span::of(&self.buffer[..count]);
        self.discard(count);
        passed
    }
}
