//! The lines of a file that are records, read with bounded memory.

use std::io::{self, BufRead, BufReader, Read};

use crate::text::{MAX_RECORD, is_skipped};

/// The most records that are read before they are worked on.
const BATCH: usize = 256;

/// A line that is a record.
#[derive(Debug)]
pub(super) struct Record {
    /// The line, from 0.
    pub(super) line: u64,
    /// Its text without the line end, cut behind [`MAX_RECORD`] and one more byte.
    pub(super) text: Vec<u8>,
}

/// Reads records.
#[derive(Debug)]
pub(super) struct Records<R> {
    reader: BufReader<R>,
    lines: u64,
}

impl<R: Read> Records<R> {
    pub(super) fn new(reader: R) -> Records<R> {
        Records { reader: BufReader::with_capacity(MAX_RECORD, reader), lines: 0 }
    }

    /// The next records: one at least, unless there are none, and those that have come together with it,
    /// so that a pipe that pauses gets its rows.
    pub(super) fn batch(&mut self) -> io::Result<Vec<Record>> {
        let mut batch = Vec::new();
        while batch.len() < BATCH && (batch.is_empty() || self.reader.buffer().contains(&b'\n')) {
            let Some(record) = self.line()? else { break };
            if !is_skipped(&record.text) {
                batch.push(record);
            }
        }
        Ok(batch)
    }

    fn line(&mut self) -> io::Result<Option<Record>> {
        let mut text = Vec::new();
        // Room for a line end behind the longest record, and for a byte that shows that it is too long.
        let room = MAX_RECORD as u64 + 2;
        if self.reader.by_ref().take(room).read_until(b'\n', &mut text)? == 0 {
            return Ok(None);
        }
        if text.last() == Some(&b'\n') {
            text.pop();
        } else if text.len() as u64 == room {
            self.reader.skip_until(b'\n')?;
        }
        if text.last() == Some(&b'\r') {
            text.pop();
        }
        if self.lines == 0 && text.starts_with(b"\xef\xbb\xbf") {
            text.drain(..3);
        }
        self.lines += 1;
        Ok(Some(Record { line: self.lines - 1, text }))
    }
}
