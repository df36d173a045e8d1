//! Stages: the work of a run on its chunks, between their source and the output.

use std::borrow::Cow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use crossbeam_channel::{Sender, bounded};
use gridmill_core::jobs::{Grade, Refuted, StatusInfo};
use gridmill_core::solver::Engine;

use super::Permit;
use crate::error::{Error, ErrorKind};
use crate::record::{ChunkReport, Span, StatusCounts, Subject, Tally, Totals};
use crate::text::{Batch, Cut, Format, PuzzleKind, PuzzleText};

/// The work of a run: how its input is cut, and what its chunks become, which is rows as bytes if nothing else is said. Each
/// worker gets its own [`ChunkProcessor`].
pub trait Stage<V: ChunkValue = Vec<u8>>: Sync {
    /// Returns how the input is cut into whole records.
    fn cut(&self) -> &dyn Cut;

    /// Returns how large chunks are, unless the user chooses a size.
    fn sizing(&self) -> ChunkSizing;

    /// Adds what stands in front of all chunks, e.g. the header of rows.
    fn header(&self, _: &mut V) {}

    /// Makes the processor of a worker. `stop` ends searches when it becomes true.
    fn processor<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor<V> + 'a>;

    /// Returns whether records that are too long are read as a whole. Memory then holds the longest line.
    fn keeps_long_lines(&self) -> bool {
        false
    }
}

/// The value that a worker makes of a chunk, e.g. its rows or the keys of its puzzles. It goes to the writer in the order of
/// the input, and then back to a worker, so that its memory is used again.
pub trait ChunkValue: Default + Send {
    /// Removes what is in it, and keeps the memory.
    fn clear(&mut self);
}

impl<T: Send> ChunkValue for Vec<T> {
    fn clear(&mut self) {
        self.clear();
    }
}

/// Turns chunks of text into values, for one worker.
pub trait ChunkProcessor<V: ChunkValue = Vec<u8>> {
    /// Reads the records of a chunk, and returns its size.
    fn read(&mut self, chunk: &Chunk<'_>) -> Totals;

    /// Makes the value of the records that were read last. If the run is stopped meanwhile, the output ends
    /// there, and is marked as cut short.
    fn process(&mut self, chunk: &Chunk<'_>, rows: &mut ChunkSink<'_, V>);

    /// Returns the counts over all chunks since it was emptied last.
    fn tally(&mut self) -> &mut Tally;
}

/// A part of the input.
#[derive(Clone, Debug)]
pub struct Chunk<'a> {
    /// Its number, from 0.
    pub seq: u64,
    /// Whole records; or a record that is too long: only its beginning, unless the stage keeps long lines.
    /// Lent by a mapped file, or read into memory that is used again.
    pub text: Cow<'a, [u8]>,
    /// Whether it is one record that is too long.
    pub too_long: bool,
    /// The rest of that record, where it is passed over.
    pub skipped: Span,
}

impl Chunk<'_> {
    /// Reads the records into a batch, in place of its earlier ones, and returns the size of the chunk.
    pub(crate) fn read<P>(&self, format: &dyn Format<P>, batch: &mut Batch<P>) -> Totals {
        batch.clear();
        if self.too_long {
            format.read_too_long(&self.text, batch);
        } else {
            format.read(&self.text, batch);
        }
        let size = Totals::of_chunk(batch.records.len(), batch.puzzles.len(), &self.text);
        Totals { bytes: size.bytes + self.skipped.bytes, ..size }
    }

    /// Returns the span of its bytes, those that are passed over included.
    pub(super) fn span(&self) -> Span {
        let mut span = Span::of(&self.text);
        if self.skipped.bytes > 0 {
            span.append(self.skipped);
        }
        span
    }
}

/// How large chunks are, unless the user chooses a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkSizing {
    /// Bytes in a chunk of a large input.
    pub most: usize,
    /// The least bytes in a chunk of a small input, which is cut into several for each worker.
    pub least: usize,
    /// Chunks that may be claimed ahead of the one to be written next.
    pub ahead: usize,
}

impl ChunkSizing {
    /// For puzzles that take microseconds, and are solved in batches.
    ///
    /// Measured on two threads: 1 M easy puzzles take the same from 64 KiB to 512 KiB, within noise, half as
    /// long again at 1 MiB, where rows and records leave the second-level cache, and a tenth longer at 8 KiB.
    /// 48,766 very hard ones take 7 % less in chunks of 256 KiB than of 16 KiB or 512 KiB: the lanes of the
    /// lockstep engine idle at the end of each. At least a hundred puzzles: 375 very hard ones take 7.5 ms in
    /// chunks of 8 KiB, 14 ms in chunks of 1 KiB (which don't fill the lanes), 8 ms in one chunk.
    pub const BATCHES: ChunkSizing = ChunkSizing { most: super::CHUNK_BYTES, least: 8 * 1024, ahead: 6 };

    /// For puzzles of any shape that are solved in batches: enough puzzles to fill the lanes, and so few that
    /// hard ones don't delay many.
    pub const GRIDS: ChunkSizing = ChunkSizing { most: 32 * 1024, least: 2 * 1024, ahead: 30 };

    /// For puzzles that are searched in batches, and have many rows each: enough puzzles to fill the lanes though some
    /// have a hundred times the solutions of others, and so few that other workers can hold most rows of theirs until
    /// the writer comes to them.
    pub const LISTS: ChunkSizing = ChunkSizing { most: 32 * 1024, least: 2 * 1024, ahead: 6 };

    /// For puzzles that may take seconds each: few in a chunk, so that a hard one delays few others, and many
    /// chunks ahead of it.
    pub const SINGLES: ChunkSizing = ChunkSizing { most: 2 * 1024, least: 1, ahead: 250 };

    /// Returns the sizes for puzzles of a kind that an engine searches.
    #[must_use]
    pub fn for_puzzles(kind: PuzzleKind, engine: Engine) -> ChunkSizing {
        match (kind, engine) {
            (PuzzleKind::Classic, _) => ChunkSizing::BATCHES,
            (PuzzleKind::Pencilmarks, _) | (PuzzleKind::AnyShape, Engine::Lockstep(_)) => ChunkSizing::GRIDS,
            (PuzzleKind::AnyShape, Engine::Other(_)) => ChunkSizing::SINGLES,
        }
    }
}

/// The result of a chunk.
#[derive(Debug, Default)]
pub struct ChunkOutput<V = Vec<u8>> {
    /// Its value, e.g. its rows.
    pub value: V,
    /// The sizes, diagnostics and statuses of the chunk.
    pub report: ChunkReport,
    /// Why the chunk fails, and the run with it, e.g. an invalid solution.
    pub failure: Option<Error>,
    /// Whether the run was stopped within the chunk, or should end here. Its value is then the last one that
    /// is taken, and the run is stopped.
    pub cut_short: bool,
    /// Whether it is the stage that ends the run here, for what it found: the value is complete then.
    pub ends_run: bool,
}

impl<V: ChunkValue> ChunkOutput<V> {
    /// Clears the output, for a chunk of size `size` behind `before`.
    pub(super) fn begin(&mut self, before: Totals, size: Totals) {
        self.value.clear();
        self.report.begin(before, size);
        self.failure = None;
        (self.cut_short, self.ends_run) = (false, false);
    }

    /// Adds what a journal needs to the report, and takes the counts of the chunk out of `tally` for it.
    pub(super) fn itemize(&mut self, span: Span, tally: &mut Tally) {
        let item = self.report.item.get_or_insert_default();
        (item.span, item.cut_short) = (span, self.cut_short && !self.ends_run);
        item.tally.clear();
        std::mem::swap(&mut item.tally, tally);
    }

    /// Fails the chunk, because an engine gave an invalid solution to a puzzle of its batch.
    pub(super) fn refute<S: Subject>(&mut self, Refuted { engine, puzzle }: Refuted, batch: &Batch<S>) {
        let record = self.report.before.records + batch.record_of(puzzle) as u64 + 1;
        let mut text = Vec::new();
        batch.puzzles[puzzle].puzzle().write(&mut text);
        let puzzle = String::from_utf8_lossy(&text).into_owned();
        self.failure = Some(ErrorKind::WrongSolution { record, engine, puzzle }.into());
    }

    /// Counts the records of the chunk, whose puzzles have these statuses. Reports on them, and what is wrong with them only
    /// if that is wanted.
    pub(super) fn report_on<S: Subject>(
        &mut self,
        chunk: &[u8],
        batch: &Batch<S>,
        (statuses, infos): (&[u8], &[StatusInfo]),
        tally: &mut Tally,
        diagnostics: bool,
    ) {
        let malformed = batch.records.len() - batch.puzzles.len();
        self.report.statuses = StatusCounts::new(statuses, infos, malformed);
        tally.statuses.merge(&self.report.statuses);
        self.report.size.records = batch.records.len() as u64;
        if diagnostics && self.report.statuses.failed > 0 {
            let is_conflict = |status: &u8| infos[usize::from(*status)].grade == Grade::Conflict;
            self.report.diagnose(chunk, batch, |puzzle| statuses.get(puzzle).is_some_and(is_conflict));
        }
    }
}

/// Where the value of a chunk goes.
#[derive(Debug)]
pub struct ChunkSink<'a, V = Vec<u8>> {
    /// The output to be filled in. It is empty, but for the sizes in its report.
    pub output: &'a mut ChunkOutput<V>,
    /// Records of earlier files, whose rows these continue.
    pub earlier_records: u64,
    /// The name of the file.
    pub file: &'a Path,
    pub(super) seq: u64,
    pub(super) finished: &'a Sender<Option<Permit<V>>>,
    pub(super) parts: Option<Sender<Permit<V>>>,
}

impl<V: ChunkValue> ChunkSink<'_, V> {
    /// Hands over the value so far, and waits until the writer takes it: for chunks with more rows than
    /// memory should hold. Returns false if the run takes no more.
    pub fn flush_part(&mut self) -> bool {
        let value = std::mem::take(&mut self.output.value);
        let output = ChunkOutput { value, ..ChunkOutput::default() };
        let part = Permit { seq: self.seq, output, is_part: true, ..Permit::default() };
        let Some(parts) = &self.parts else {
            let (parts, rest) = bounded(1);
            self.parts = Some(parts);
            return self.finished.send(Some(Permit { rest: Some(rest), ..part })).is_ok();
        };
        parts.send(part).is_ok()
    }
}
