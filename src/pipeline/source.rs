//! Cutting the input into numbered chunks of whole records.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::Mmap;

use super::input::Bytes;
use super::stream::Stream;
use super::{CHUNK_LIMIT, Input, Job, Permit, Piece, Stage, lock};
use crate::error::Error;
use crate::text::{self, MAX_RECORD};

/// A window of this many bytes holds a whole record, or a record that is too long.
const ENOUGH: usize = 2 * MAX_RECORD;

/// The longest line that is kept whole.
const LONGEST_LINE: usize = 1 << 30;

/// Chunks for each worker that a small file is cut into, so that all workers end at about the same time
/// though a few puzzles cost more than the rest together.
const CHUNKS_A_WORKER: usize = 16;

/// The input as chunks. Workers share it behind a lock.
pub(super) struct Source<'a> {
    input: &'a Input,
    plan: &'a dyn Stage,
    stop: &'a AtomicBool,
    chunk_bytes: usize,
    next: u64,
    /// Records in front of the next chunk, those of earlier files too, if the plan counts them.
    records: u64,
    /// Where in a mapped file the next chunk begins.
    at: usize,
    done: bool,
}

/// A claimed chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk<'a> {
    pub(super) text: Text<'a>,
    /// Is it a record that is too long, or the beginning of it? Otherwise it holds whole records.
    pub(super) too_long: bool,
    /// Records in front of it, if the plan counts them.
    pub(super) before: u64,
}

/// The text of a claimed chunk: lent by the map, or in the permit's own buffer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Text<'a> {
    Lent(&'a [u8]),
    InPermit,
}

/// Where to cut a window that begins with a record.
enum Cut {
    /// Behind so many bytes of whole records.
    Whole(usize),
    /// The window is too small to say.
    Grow,
    /// Behind the first [`MAX_RECORD`] bytes and one: the rest of the line is passed over.
    TooLong,
}

impl<'a> Source<'a> {
    pub(super) fn new(input: &'a Input, job: &Job<'a>, threads: usize, stop: &'a AtomicBool) -> Source<'a> {
        let grain = job.plan.grain();
        let fair = |len: u64| (len as usize / (threads * CHUNKS_A_WORKER)).clamp(grain.least, grain.most);
        let chunk_bytes = job.chunk_bytes.unwrap_or_else(|| input.known_len().map_or(grain.most, fair));
        let chunk_bytes = chunk_bytes.clamp(1, CHUNK_LIMIT);
        let (next, at, done) = (0, input.body(), false);
        let records = job.follows.unwrap_or(0);
        Source { input, plan: job.plan, stop, chunk_bytes, next, records, at, done }
    }

    /// Has the whole input been claimed?
    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    /// Claims the next chunk for a permit. `None` at the end of the input, or once the run is stopped.
    pub(super) fn claim(&mut self, permit: &mut Permit) -> Result<Option<Chunk<'a>>, Error> {
        if self.done || self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let chunk = match self.input.bytes() {
            Bytes::Mapped(map) => {
                self.input.check_unchanged()?;
                self.claim_mapped(map).map_err(|error| self.input.read_error(error))?
            }
            Bytes::Stream(stream) => {
                let claimed = self.claim_stream(&mut lock(stream), &mut permit.input);
                claimed.map_err(|error| self.input.read_error(error))?
            }
        };
        Ok(chunk.map(|chunk| self.numbered(chunk, permit)))
    }

    fn numbered(&mut self, chunk: Chunk<'a>, permit: &mut Permit) -> Chunk<'a> {
        permit.seq = self.next;
        self.next += 1;
        let before = self.records;
        let text = if let Text::Lent(text) = chunk.text { text } else { &permit.input };
        self.records += self.plan.count(Piece { text, too_long: chunk.too_long, before });
        Chunk { before, ..chunk }
    }

    fn claim_mapped(&mut self, map: &'a Mmap) -> io::Result<Option<Chunk<'a>>> {
        let rest = &map[self.at..];
        let mut size = self.chunk_bytes;
        let (len, taken, too_long) = loop {
            if size >= rest.len() {
                break (rest.len(), rest.len(), false);
            }
            match cut(self.plan.cut(), &rest[..size]) {
                Cut::Whole(len) => break (len, len, false),
                Cut::Grow => size = (size * 2).min(ENOUGH.max(self.chunk_bytes)),
                Cut::TooLong => {
                    let len = MAX_RECORD + 1;
                    let taken = memchr::memchr(b'\n', &rest[len..]).map_or(rest.len(), |feed| len + feed + 1);
                    let kept = if self.plan.keeps_long_lines() { taken } else { len };
                    break (check_length(kept)?, taken, true);
                }
            }
        };
        self.at += taken;
        self.done = self.at == map.len();
        Ok((len > 0).then(|| Chunk { text: Text::Lent(&rest[..len]), too_long, before: 0 }))
    }

    fn claim_stream(&mut self, stream: &mut Stream, chunk: &mut Vec<u8>) -> io::Result<Option<Chunk<'a>>> {
        let taken = |too_long| Some(Chunk { text: Text::InPermit, too_long, before: 0 });
        let mut want = self.chunk_bytes;
        loop {
            stream.fill(want, &|bytes| bytes.contains(&b'\n'), self.stop)?;
            if stream.is_ended() && stream.filled().len() <= want {
                self.done = true;
                stream.take(stream.filled().len(), chunk);
                return Ok(taken(false).filter(|_| !chunk.is_empty()));
            }
            if self.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let size = stream.filled().len().min(want);
            match cut(self.plan.cut(), &stream.filled()[..size]) {
                Cut::Whole(len) => {
                    stream.take(len, chunk);
                    return Ok(taken(false));
                }
                // The pipe pauses in the middle of a record.
                Cut::Grow if size < want => {}
                Cut::Grow => want = (want * 2).min(ENOUGH.max(self.chunk_bytes)),
                Cut::TooLong if self.plan.keeps_long_lines() => {
                    let beginning = MAX_RECORD + 1;
                    if let Some(feed) = memchr::memchr(b'\n', &stream.filled()[beginning..size]) {
                        stream.take(beginning + feed + 1, chunk);
                        return Ok(taken(true));
                    }
                    want = check_length(want * 2)?;
                }
                Cut::TooLong => {
                    stream.take(MAX_RECORD + 1, chunk);
                    stream.skip_line(self.stop)?;
                    return Ok(taken(true));
                }
            }
        }
    }
}

/// Places in a chunk are 32-bit numbers.
fn check_length(length: usize) -> io::Result<usize> {
    if length <= LONGEST_LINE {
        return Ok(length);
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "there is a line of more than 1 GiB"))
}

fn cut(format: &dyn text::Cut, window: &[u8]) -> Cut {
    match format.whole(window) {
        0 if window.len() >= ENOUGH => Cut::TooLong,
        0 => Cut::Grow,
        whole => Cut::Whole(whole),
    }
}
