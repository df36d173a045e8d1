//! The chunks of an input, one by one and on one thread: for work that keeps its own order.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

use super::source::{Cursor, Source};
use super::{CHUNK_BYTES, Chunk, Input};
use crate::error::Error;
use crate::text::Cut;

/// The chunks of an input whose layout is known. They hold all bytes behind the preamble, each once: also records that
/// are too long come whole.
pub struct Chunks<'a> {
    source: Source<'a>,
    memory: Vec<u8>,
}

impl<'a> Chunks<'a> {
    /// Begins at the first record.
    pub fn new(
        input: &'a Input,
        format: &'a dyn Cut,
        chunk_bytes: Option<usize>,
        stop: &'a AtomicBool,
    ) -> Chunks<'a> {
        let cursor = Cursor::new(input, chunk_bytes.unwrap_or(CHUNK_BYTES));
        Chunks { source: Source { input, format, keeps_long_lines: true, stop, cursor }, memory: Vec::new() }
    }

    /// Hands the next chunk to `take`. Returns false at the end of the input, or once `stop` became true.
    ///
    /// # Errors
    ///
    /// Where reading fails.
    pub fn next(&mut self, take: impl FnOnce(&Chunk<'_>)) -> Result<bool, Error> {
        let Some(chunk) = self.source.claim(&mut self.memory)? else { return Ok(false) };
        take(&chunk);
        if let Cow::Owned(memory) = chunk.text {
            self.memory = memory;
        }
        Ok(true)
    }
}
