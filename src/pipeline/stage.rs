//! What a run does with its chunks, apart from where they come from and where rows go.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

use crossbeam_channel::{Sender, bounded};

use super::Permit;
use crate::record::{ChunkReport, PuzzleLike, Tally, Totals};
use crate::text::{Batch, Cut, Format};

/// The work of a run: how its input is cut, and what becomes of the chunks. The workers of a run each get a
/// [`ChunkProcessor`] of their own from it.
pub trait Stage: Sync {
    /// Returns where the input may be cut.
    fn cut(&self) -> &dyn Cut;

    /// Returns how large chunks are, unless the user says otherwise.
    fn sizing(&self) -> ChunkSizing;

    /// Appends what stands above the first row.
    fn header(&self, out: &mut Vec<u8>);

    /// Makes what one worker does with its chunks. `stop` ends searches when it becomes true.
    fn processor<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a>;

    /// Returns whether the whole text of a record that is too long is wanted. Memory then holds the longest line.
    fn keeps_long_lines(&self) -> bool {
        false
    }
}

/// What one worker does with its chunks: from their text to rows.
pub trait ChunkProcessor {
    /// Reads the records of a chunk, and returns how much it was.
    fn read(&mut self, chunk: &Chunk<'_>) -> Totals;

    /// Turns the records that were read last into rows. When the run is stopped meanwhile, what has been done by
    /// then comes out, marked as cut short.
    fn process(&mut self, chunk: &Chunk<'_>, rows: &mut RowSink<'_>);

    /// Returns what was counted, over all chunks.
    fn into_tally(self: Box<Self>) -> Tally;
}

/// A piece of the input.
#[derive(Clone, Debug)]
pub struct Chunk<'a> {
    /// Its number, from 0.
    pub seq: u64,
    /// Whole records, or one that is too long: its beginning, unless the stage keeps long lines. Lent by a mapped
    /// file, or read into memory that is used again.
    pub text: Cow<'a, [u8]>,
    /// Whether it is a record that is too long.
    pub too_long: bool,
}

impl Chunk<'_> {
    /// Reads the records into a batch, in place of those that it holds, and returns how much it was.
    pub(super) fn read<P>(&self, format: &dyn Format<P>, batch: &mut Batch<P>) -> Totals {
        batch.clear();
        if self.too_long {
            format.read_too_long(&self.text, batch);
        } else {
            format.read(&self.text, batch);
        }
        Totals::of_chunk(batch.records.len(), batch.puzzles.len(), &self.text)
    }
}

/// How an input is cut, where its length or the user don't say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkSizing {
    /// Bytes of a chunk of a large input.
    pub most: usize,
    /// Bytes of a chunk of a small input, at least: it is cut into several for each worker.
    pub least: usize,
    /// Chunks that may be ahead of the one that is to be written next.
    pub ahead: usize,
}

impl ChunkSizing {
    /// For puzzles of some microseconds, which come in batches.
    ///
    /// Measured on two threads: 1 M easy puzzles take the same from 64 KiB to 512 KiB, within noise, half as
    /// long again at 1 MiB, where rows and records leave the second-level cache, and a tenth longer at 8 KiB.
    /// 48,766 very hard ones take 7 % less in chunks of 256 KiB than of 16 KiB or 512 KiB: the lanes of the
    /// lockstep engine idle at the end of each. At least a hundred puzzles: 375 very hard ones take 7.5 ms in
    /// chunks of 8 KiB, 14 ms in chunks of 1 KiB (which don't fill the lanes), 8 ms in one chunk.
    pub const BATCHES: ChunkSizing = ChunkSizing { most: super::CHUNK_BYTES, least: 8 * 1024, ahead: 6 };

    /// For puzzles of any shape that come in batches: enough of them to fill lanes, and so few that hard ones
    /// don't hold up many.
    pub const GRIDS: ChunkSizing = ChunkSizing { most: 32 * 1024, least: 2 * 1024, ahead: 30 };

    /// For puzzles that may take seconds each: few in a chunk, so that a hard one holds up few others, and
    /// many chunks ahead of it.
    pub const SINGLES: ChunkSizing = ChunkSizing { most: 2 * 1024, least: 1, ahead: 250 };
}

/// What became of a chunk.
#[derive(Debug, Default)]
pub struct ChunkOutput {
    /// Its rows.
    pub rows: Vec<u8>,
    /// What is told about it.
    pub report: ChunkReport,
    /// Its first invalid solution; it aborts the run.
    pub invalid: Option<InvalidSolution>,
    /// Whether the run was stopped before the end of the chunk, or should end there. Its rows are then the last
    /// ones to be written, and the run is stopped.
    pub cut_short: bool,
}

impl ChunkOutput {
    /// Begins the output of a chunk, in the memory of the last one.
    pub(super) fn begin(&mut self, before: Totals, size: Totals) {
        self.rows.clear();
        self.report.begin(before, size);
        self.invalid = None;
        self.cut_short = false;
    }
}

/// A grid that an engine gave as a solution and that is none.
#[derive(Clone, Debug)]
pub struct InvalidSolution {
    /// The engine.
    pub engine: &'static str,
    /// The record, from 1 in its file.
    pub record: u64,
    /// The puzzle.
    pub puzzle: String,
}

impl InvalidSolution {
    pub(super) fn new(engine: &'static str, record: u64, puzzle: &impl PuzzleLike) -> InvalidSolution {
        let mut text = Vec::new();
        puzzle.write(&mut text);
        InvalidSolution { engine, record, puzzle: String::from_utf8_lossy(&text).into_owned() }
    }

    /// Names a puzzle of the batch that a report is on.
    pub(super) fn in_batch<P: PuzzleLike>(
        engine: &'static str,
        batch: &Batch<P>,
        puzzle: usize,
        report: &ChunkReport,
    ) -> InvalidSolution {
        let record = report.before.records + batch.record_of(puzzle) as u64 + 1;
        InvalidSolution::new(engine, record, &batch.puzzles[puzzle])
    }
}

/// Where the rows of a chunk go.
#[derive(Debug)]
pub struct RowSink<'a> {
    /// What is to be filled in. It is empty, but that the report says what stands in front of the chunk and how much
    /// it is.
    pub output: &'a mut ChunkOutput,
    /// Records of earlier files whose rows these go on with.
    pub earlier_records: u64,
    pub(super) seq: u64,
    pub(super) finished: &'a Sender<Option<Permit>>,
    pub(super) parts: Option<Sender<Permit>>,
}

impl RowSink<'_> {
    /// Hands over the rows so far, and waits until the writer has taken those before them: for chunks with
    /// more rows than memory should hold. Returns false if nobody takes them any more.
    pub fn flush_part(&mut self) -> bool {
        let rows = std::mem::take(&mut self.output.rows);
        let output = ChunkOutput { rows, ..ChunkOutput::default() };
        let part = Permit { seq: self.seq, output, is_part: true, ..Permit::default() };
        let Some(parts) = &self.parts else {
            let (parts, rest) = bounded(1);
            self.parts = Some(parts);
            return self.finished.send(Some(Permit { rest: Some(rest), ..part })).is_ok();
        };
        parts.send(part).is_ok()
    }
}
