//! What a run does with its chunks, apart from where they come from and where rows go.

use std::sync::atomic::AtomicBool;

use crossbeam_channel::{Sender, bounded};

use super::Permit;
use crate::record::{ChunkReport, Gap, Tally};
use crate::text::Cut;

/// The work of a run: how its input is cut, and what becomes of the pieces. The workers of a run each get a
/// [`ChunkProcessor`] of their own from it.
pub trait Stage: Sync {
    /// Where the input may be cut.
    fn cut(&self) -> &dyn Cut;

    /// How it is cut, unless the user says otherwise.
    fn grain(&self) -> ChunkSizing;

    /// Appends what stands above the first row.
    fn header(&self, out: &mut Vec<u8>);

    /// What one worker does. `stop` ends searches when it becomes true.
    fn begin<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a>;

    /// Does the work need the whole text of what is too long? Memory then holds the longest line.
    fn keeps_long_lines(&self) -> bool {
        false
    }

    /// How many records a piece has, if the work must know the numbers of its records: it is asked for each
    /// chunk in turn, one at a time.
    fn count(&self, _piece: Piece<'_>) -> u64 {
        0
    }
}

/// What one worker does with its chunks: from their text to rows.
pub trait ChunkProcessor {
    /// Works on a chunk. What has been done when the run is stopped comes out, marked as cut short.
    fn work(&mut self, piece: Piece<'_>, output: &mut Output<'_>);

    /// What was counted, over all chunks.
    fn into_tally(self: Box<Self>) -> Tally;
}

/// The text of a chunk.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// Whole records, or one that is too long: its beginning, unless the plan keeps long lines.
    pub text: &'a [u8],
    /// Is it a record that is too long?
    pub too_long: bool,
    /// Records in front of it, if the plan counts them.
    pub before: u64,
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
    /// The numbers that the writer is to put into them, in order.
    pub gaps: Vec<Gap>,
    /// What is told about it.
    pub report: ChunkReport,
    /// Its first solution that is none. The run ends there.
    pub wrong: Option<InvalidSolution>,
    /// Was the run stopped before the end of the chunk, or should it end there? Its rows are then the last ones
    /// to be written, and the run is stopped.
    pub cut_short: bool,
}

/// A solution that is none.
#[derive(Clone, Debug)]
pub struct InvalidSolution {
    /// The engine that gave it.
    pub engine: &'static str,
    /// The record, from 0 in its chunk.
    pub record: u64,
    /// The puzzle.
    pub puzzle: String,
}

/// Where the rows of a chunk go.
#[derive(Debug)]
pub struct Output<'a> {
    /// What is to be filled in. The rows are empty, the rest is what the last chunk left.
    pub done: &'a mut ChunkOutput,
    pub(super) seq: u64,
    pub(super) finished: &'a Sender<Option<Permit>>,
    pub(super) parts: Option<Sender<Permit>>,
}

impl Output<'_> {
    /// Hands over the rows so far, and waits until the writer has taken those before them: for chunks with
    /// more rows than memory should hold. False if nobody takes them any more.
    pub fn pass_on(&mut self) -> bool {
        let rows = std::mem::take(&mut self.done.rows);
        let done = ChunkOutput { rows, ..ChunkOutput::default() };
        let part = Permit { seq: self.seq, done, is_part: true, ..Permit::default() };
        let Some(parts) = &self.parts else {
            let (parts, rest) = bounded(1);
            self.parts = Some(parts);
            return self.finished.send(Some(Permit { rest: Some(rest), ..part })).is_ok();
        };
        parts.send(part).is_ok()
    }
}
