//! Cuts the input into numbered chunks of complete records, for the workers of a run. Also [`Chunks`],
//! [`Batches`] and [`Records`], which read an input on one thread.

use std::borrow::Cow;
use std::io;
use std::iter::FusedIterator;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gridmill_core::grid::Puzzle;
use gridmill_core::solver::NEVER;

use super::input::{InputBytes, Stream};
use super::stage::Chunk;
use super::{CHUNK_BYTES, CHUNK_LIMIT, ChunkValue, Input, RunOptions, lock};
use crate::error::{Error, Position};
use crate::record::{Checksum, InputAmount, Places};
use crate::text::{
    Batch, Cut, Fault, FaultKind, Format, FormatError, FormatOptions, Layout, PuzzleText, Record,
};

/// The longest line that is kept as a whole, in bytes.
const LONGEST_LINE: usize = 1 << 30;

/// A small file is cut into this many chunks for each worker, so that all workers finish at about the same
/// time, even if a few puzzles cost more than all others together.
const CHUNKS_A_WORKER: usize = 16;

/// How long a chunk may take if a journal is kept, because a journal counts only complete chunks.
const JOURNAL_CHUNK_TIME: Duration = Duration::from_millis(200);

/// The input as chunks. The workers share it behind a lock.
pub(super) struct Source<'a> {
    input: &'a Input,
    format: &'a dyn Cut,
    /// Whether a record that is too long is kept as a whole.
    keeps_long_lines: bool,
    stop: &'a AtomicBool,
    cursor: Cursor,
}

/// How far an input has been cut.
#[derive(Clone, Copy, Debug)]
struct Cursor {
    chunk_bytes: usize,
    /// The size that chunks may grow to.
    most_bytes: usize,
    /// The number of the next chunk.
    next: u64,
    /// Where it begins, for a text in memory.
    at: usize,
    done: bool,
}

impl Cursor {
    /// Begins at the first record.
    fn new(input: &Input, chunk_bytes: usize) -> Cursor {
        let chunk_bytes = chunk_bytes.clamp(1, CHUNK_LIMIT);
        Cursor {
            chunk_bytes,
            most_bytes: chunk_bytes,
            next: 0,
            at: input.amount_before_chunks().bytes as usize,
            done: false,
        }
    }
}

/// The text of a claimed chunk, whether it is a record that is too long, and the checksum of the rest of
/// that record, which is skipped.
type Claimed<'a> = (Cow<'a, [u8]>, bool, Checksum);

impl<'a> Source<'a> {
    pub(super) fn new<V: ChunkValue>(
        input: &'a Input,
        options: &RunOptions<'a, V>,
        threads: usize,
        stop: &'a AtomicBool,
    ) -> Source<'a> {
        let sizing = options.stage.sizing();
        let fair = |len: u64| (len as usize / (threads * CHUNKS_A_WORKER)).clamp(sizing.least, sizing.most);
        let chunk_bytes = options.chunk_bytes.unwrap_or_else(|| input.known_len().map_or(sizing.most, fair));
        let mut cursor = Cursor::new(input, chunk_bytes);
        if options.for_journal && options.chunk_bytes.is_none() {
            cursor.chunk_bytes = cursor.most_bytes.min(sizing.least);
        }
        let (format, keeps_long_lines) = (options.stage.cut(), options.stage.keeps_long_lines());
        Source { input, format, keeps_long_lines, stop, cursor }
    }

    /// Returns whether the whole input has been claimed.
    pub(super) fn is_done(&self) -> bool {
        self.cursor.done
    }

    /// Adapts the size of the next chunks to the time that a chunk of `bytes` bytes took: smaller if it
    /// took long, larger if it was quick.
    pub(super) fn pace(&mut self, bytes: usize, time: Duration) {
        let Cursor { chunk_bytes, most_bytes, .. } = &mut self.cursor;
        if time > JOURNAL_CHUNK_TIME {
            let share = JOURNAL_CHUNK_TIME.as_secs_f64() / time.as_secs_f64();
            *chunk_bytes = (*chunk_bytes).min((bytes as f64 * share) as usize).max(1);
        } else if time < JOURNAL_CHUNK_TIME / 4 {
            *chunk_bytes = (*chunk_bytes * 2).min(*most_bytes);
        }
    }

    /// Claims the next chunk. It is read into `memory`, unless the input can lend it. `None` at the end of
    /// the input, or if the run was stopped.
    pub(super) fn claim(&mut self, memory: &mut Vec<u8>) -> Result<Option<Chunk<'a>>, Error> {
        if self.cursor.done || self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let claimed = match self.input.bytes() {
            InputBytes::Whole(text) => {
                self.input.check_unchanged()?;
                self.claim_whole(text)
            }
            InputBytes::Stream(stream) => self.claim_stream(&mut lock(stream), memory),
        };
        let claimed = claimed.map_err(|error| self.input.read_error(error))?;
        Ok(claimed.map(|(text, too_long, skipped)| {
            let seq = self.cursor.next;
            self.cursor.next += 1;
            Chunk { seq, text, too_long, skipped }
        }))
    }

    fn claim_whole(&mut self, text: &'a [u8]) -> io::Result<Option<Claimed<'a>>> {
        let rest = &text[self.cursor.at..];
        let mut size = self.cursor.chunk_bytes;
        let (len, taken, too_long) = loop {
            if size >= rest.len() {
                break (rest.len(), rest.len(), false);
            }
            match self.format.complete_len(&rest[..size]) {
                0 if size < self.window_limit() => size = self.larger_window(size),
                0 => {
                    let len = self.format.max_record_len() + 1;
                    let taken = memchr::memchr(b'\n', &rest[len..]).map_or(rest.len(), |feed| len + feed + 1);
                    let kept = if self.keeps_long_lines { taken } else { len };
                    break (check_length(kept)?, taken, true);
                }
                len => break (len, len, false),
            }
        };
        self.cursor.at += taken;
        self.cursor.done = self.cursor.at == text.len();
        let skipped = Checksum::of(&rest[len..taken]);
        Ok((len > 0).then(|| (Cow::Borrowed(&rest[..len]), too_long, skipped)))
    }

    fn claim_stream(&mut self, stream: &mut Stream, memory: &mut Vec<u8>) -> io::Result<Option<Claimed<'a>>> {
        let mut take = |stream: &mut Stream, len, too_long| {
            stream.take(len, memory);
            Some((Cow::Owned(std::mem::take(memory)), too_long, Checksum::default()))
        };
        let mut want = self.cursor.chunk_bytes;
        loop {
            stream.fill(want, &|bytes| bytes.contains(&b'\n'), self.stop)?;
            if stream.is_ended() && stream.filled().len() <= want {
                self.cursor.done = true;
                let rest = stream.filled().len();
                return Ok(if rest > 0 { take(stream, rest, false) } else { None });
            }
            if self.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let size = stream.filled().len().min(want);
            match self.format.complete_len(&stream.filled()[..size]) {
                // The pipe pauses inside a record, so wait for more.
                0 if size < self.window_limit() && size < want => {}
                0 if size < self.window_limit() => want = self.larger_window(want),
                0 if self.keeps_long_lines => {
                    let beginning = self.format.max_record_len() + 1;
                    if let Some(feed) = memchr::memchr(b'\n', &stream.filled()[beginning..size]) {
                        return Ok(take(stream, beginning + feed + 1, true));
                    }
                    want = check_length(want * 2)?;
                }
                0 => {
                    let claimed = take(stream, self.format.max_record_len() + 1, true);
                    let skipped = stream.skip_line(self.stop)?;
                    return Ok(claimed.zip(skipped).map(|((text, _, _), skipped)| (text, true, skipped)));
                }
                len => return Ok(take(stream, len, false)),
            }
        }
    }

    /// A window of this many bytes, from the beginning of a record, always contains a complete record, or
    /// one that is too long.
    fn window_limit(&self) -> usize {
        2 * self.format.max_record_len()
    }

    /// The next size to try, if a window is too small.
    fn larger_window(&self, size: usize) -> usize {
        (size * 2).min(self.window_limit().max(self.cursor.chunk_bytes))
    }
}

/// The chunks of an input whose layout is known, one after another on one thread. Use it for work that has
/// to be done in order. Together the chunks contain all bytes after the preamble, because records that are
/// too long are also kept as a whole.
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

    /// Begins at the first record. Records that are too long are cut, so that memory stays bounded.
    pub(super) fn with_short_lines(input: &'a Input, format: &'a dyn Cut) -> Chunks<'a> {
        let mut chunks = Chunks::new(input, format, None, &NEVER);
        chunks.source.keeps_long_lines = false;
        chunks
    }

    /// Calls `take` with the next chunk. Returns false at the end of the input, or after `stop` became
    /// true.
    ///
    /// # Errors
    ///
    /// If reading fails.
    pub fn next(&mut self, take: impl FnOnce(&Chunk<'_>)) -> Result<bool, Error> {
        let Some(chunk) = self.source.claim(&mut self.memory)? else { return Ok(false) };
        take(&chunk);
        if let Cow::Owned(memory) = chunk.text {
            self.memory = memory;
        }
        Ok(true)
    }
}

/// Checks that offsets in a chunk of that length fit into 32 bits.
fn check_length(length: usize) -> io::Result<usize> {
    if length <= LONGEST_LINE {
        return Ok(length);
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "a line is longer than 1 GiB"))
}

/// The records of an input whose layout is known, a chunk at a time on one thread. It allocates nothing for
/// a record, and memory is bounded by the size of a chunk.
pub struct Batches<P = Puzzle> {
    input: Input,
    format: Box<dyn Format<P>>,
    cursor: Cursor,
    memory: Vec<u8>,
    /// The amount of input before the next chunk.
    before: InputAmount,
    batch: Batch<P>,
}

impl<P: PuzzleText> Batches<P> {
    /// Begins at the first record.
    #[must_use]
    pub fn new(input: Input, layout: &Layout) -> Batches<P> {
        Batches {
            format: layout.format(),
            cursor: Cursor::new(&input, CHUNK_BYTES),
            memory: Vec::new(),
            before: input.amount_before_chunks(),
            batch: Batch::default(),
            input,
        }
    }
}

impl<P> Batches<P> {
    /// Calls `take` with the next chunk: its text, its records, and the amount of input before it. Returns
    /// its result; `None` at the end of the input. If a record is too long, the text is only its beginning.
    ///
    /// # Errors
    ///
    /// If reading fails.
    pub fn next<R>(
        &mut self,
        take: impl FnOnce(&[u8], &mut Batch<P>, InputAmount) -> R,
    ) -> Result<Option<R>, Error> {
        let (input, format) = (&self.input, &*self.format);
        let mut source = Source { input, format, keeps_long_lines: false, stop: &NEVER, cursor: self.cursor };
        let Some(chunk) = source.claim(&mut self.memory)? else {
            input.check_unchanged()?;
            return Ok(None);
        };
        self.cursor = source.cursor;
        let size = chunk.read(format, &mut self.batch);
        let taken = take(&chunk.text, &mut self.batch, self.before);
        self.before += size;
        if let Cow::Owned(memory) = chunk.text {
            self.memory = memory;
        }
        Ok(Some(taken))
    }
}

/// The records of an input, in order: see [`Input::records`].
///
/// It reads a chunk of 256 KiB at a time, whatever the length of the input. After an error there are no
/// more records.
pub struct Records<P = Puzzle> {
    batches: Batches<P>,
    layout: Layout,
    /// The name of the input.
    file: PathBuf,
    /// The records of the last chunk that have not been returned yet.
    ready: std::vec::IntoIter<InputRecord<P>>,
    ended: bool,
}

/// A record of an input.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InputRecord<P = Puzzle> {
    /// Its number, from 1.
    pub number: u64,
    /// The line where it begins, from 1.
    pub line: u64,
    /// Its text without the line end. For a CSV row these are all fields. If the record is longer than
    /// its format allows, it is only the beginning.
    pub text: Vec<u8>,
    /// The puzzle, or the reason why there is none.
    pub puzzle: Result<P, MalformedRecord>,
}

/// Why a record could not be read, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position}: record {}: malformed: {kind}", position.record)]
#[non_exhaustive]
pub struct MalformedRecord {
    /// The place of the fault.
    pub position: Position,
    /// The reason.
    pub kind: FaultKind,
}

impl Input {
    /// Reads the records one by one, each with its puzzle. Choose `P` by the kind of puzzles: [`Puzzle`]
    /// for 9x9, [`GridPuzzle`](crate::text::GridPuzzle) for any shape,
    /// [`Pencilmarks`](gridmill_core::grid::Pencilmarks) for grids of candidates. The format is
    /// [detected](Input::detect) first.
    ///
    /// This uses one thread, and allocates memory for each record: about 0.3 µs per record, of which
    /// reading is a twentieth. If that is too slow, [`run`](super::run) uses all cores and allocates
    /// nothing for a record.
    ///
    /// # Errors
    ///
    /// Those of [`Input::detect`], and if the kind of the puzzles is not `P`. A malformed record is not an error of
    /// this function: it has a fault instead of a puzzle.
    ///
    /// ```
    /// use gridmill_data::pipeline::{Input, Records};
    /// use gridmill_data::text::FormatOptions;
    ///
    /// let text = "id,puzzle\n\
    ///     a,1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..\n\
    ///     b,1....7.9..3..2\n";
    /// let input = Input::from_bytes("two.csv", text.as_bytes());
    /// let records: Records = input.records(&FormatOptions::default())?;
    /// let records = records.collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(records[0].puzzle.as_ref().unwrap().clue_count(), 23);
    /// let fault = records[1].puzzle.as_ref().unwrap_err();
    /// assert_eq!(fault.to_string(), "two.csv:3:17: record 2: malformed: 14 cells where 81 are needed");
    /// # Ok::<(), gridmill_data::Error>(())
    /// ```
    pub fn records<P: PuzzleText>(mut self, options: &FormatOptions) -> Result<Records<P>, Error> {
        // The stop flag is never set: a program that wants no more records just stops iterating.
        let layout = self.detect(options, &NEVER).map_err(|error| error.in_file(self.name()))?;
        let layout = layout.expect("the stop flag is never set");
        if layout.is_shape_known() && !P::KINDS.contains(&layout.kind()) {
            return Err(Error::from(FormatError::OtherKind { kind: layout.kind() }).in_file(self.name()));
        }
        let file = self.name().to_owned();
        let batches = Batches::new(self, &layout);
        Ok(Records { batches, layout, file, ready: Vec::new().into_iter(), ended: false })
    }
}

impl<P> Records<P> {
    /// The layout that was detected or given.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Reads the next chunk. Returns false at the end of the input.
    fn read_chunk(&mut self) -> Result<bool, Error> {
        let file = &self.file;
        let read = self.batches.next(|text, batch, before| records(text, batch, before, file))?;
        let is_more = read.is_some();
        self.ready = read.unwrap_or_default().into_iter();
        Ok(is_more)
    }
}

impl<P> Iterator for Records<P> {
    type Item = Result<InputRecord<P>, Error>;

    fn next(&mut self) -> Option<Result<InputRecord<P>, Error>> {
        while self.ready.as_slice().is_empty() && !self.ended {
            let read = self.read_chunk();
            self.ended = !matches!(read, Ok(true));
            if let Err(error) = read {
                return Some(Err(error));
            }
        }
        self.ready.next().map(Ok)
    }
}

impl<P> FusedIterator for Records<P> {}

/// Takes the records of a chunk out of its batch.
fn records<P>(text: &[u8], batch: &mut Batch<P>, before: InputAmount, file: &Path) -> Vec<InputRecord<P>> {
    let (mut begins, mut faults) = (Places::new(text, before.lines), Places::new(text, before.lines));
    let mut puzzles = batch.puzzles.drain(..);
    let record_of = |(record, number): (&Record, u64)| {
        let mut malformed = |fault: Fault| {
            let (line, column) = faults.at(fault.offset as usize);
            let position = Position { path: file.to_owned(), record: number, line, column };
            MalformedRecord { position, kind: fault.kind }
        };
        let puzzle = match record.fault {
            Some(fault) => Err(malformed(fault)),
            None => Ok(puzzles.next().expect("a record without a fault has a puzzle")),
        };
        let (line, _) = begins.at(record.start as usize);
        InputRecord { number, line, text: record.text(text).to_vec(), puzzle }
    };
    batch.records.iter().zip(before.records + 1..).map(record_of).collect()
}
