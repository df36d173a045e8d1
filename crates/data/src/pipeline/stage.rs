//! Stages: the work of a run on its chunks, between the source and the output. [`JobStage`] is the stage of
//! every job that gives an answer for each puzzle, and [`MapStage`] that of commands about whole
//! collections.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, bounded};
use gridmill_core::grid::Puzzle;
use gridmill_core::jobs::{Answers, Grade, Job, Schema, Status, StatusInfo, Worker, WrongAnswer};
use gridmill_core::solver::Engine;

use super::Permit;
use super::shared::Timer;
use crate::error::{Error, ErrorKind};
use crate::record::{
    AnsweredRecords, Checksum, ChunkReport, InputAmount, Sink, StatusCounts, Subject, Tally,
};
use crate::text::{Batch, Cut, Format, Layout, PuzzleKind, PuzzleText};

/// The work of a run: where its input is cut, and what its chunks become. By default that is rows as bytes.
/// Each worker gets its own [`ChunkProcessor`], so that workers share no buffers.
pub trait Stage<V: ChunkValue = Vec<u8>>: Sync {
    /// Says where the input can be cut into complete records.
    fn cut(&self) -> &dyn Cut;

    /// The sizes of chunks, unless the user chooses one.
    fn sizing(&self) -> ChunkSizing;

    /// Adds the part before all chunks, e.g. the header of rows.
    fn header(&self, _: &mut V) {}

    /// Makes the processor of a worker. If `stop` becomes true, it has to end its searches.
    fn processor<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor<V> + 'a>;

    /// Returns whether records that are too long are read as a whole. Memory then has to hold the longest
    /// line.
    fn keeps_long_lines(&self) -> bool {
        false
    }
}

/// The value that a worker makes of a chunk, e.g. its rows or the keys of its puzzles. It is passed to the
/// writer in the order of the input, and then back to a worker, so that its memory is used again.
pub trait ChunkValue: Default + Send {
    /// Empties the value. It keeps its memory for the next chunk.
    fn clear(&mut self);

    /// The number of records that it lists, for commands that count them.
    fn listed(&self) -> u64 {
        0
    }
}

impl<T: Send> ChunkValue for Vec<T> {
    fn clear(&mut self) {
        self.clear();
    }
}

/// Turns chunks of text into values, for one worker.
pub trait ChunkProcessor<V: ChunkValue = Vec<u8>> {
    /// Reads the records of a chunk, and returns its size.
    fn read(&mut self, chunk: &Chunk<'_>) -> InputAmount;

    /// Makes the value of the records that were read last. If the run is stopped meanwhile, the output ends there, and
    /// the slot says so (`is_last`).
    fn process(&mut self, chunk: &Chunk<'_>, slot: &mut ChunkSlot<'_, V>);

    /// The counts over all chunks since it was last emptied.
    fn tally(&mut self) -> &mut Tally;
}

/// A part of the input.
#[derive(Clone, Debug)]
pub struct Chunk<'a> {
    /// Its sequence number, from 0.
    pub seq: u64,
    /// Complete records, or a single record that is too long (only its beginning, unless the stage keeps
    /// long lines). A mapped file lends the text; otherwise it is in recycled memory.
    pub text: Cow<'a, [u8]>,
    /// Whether it is one record that is too long.
    pub too_long: bool,
    /// The checksum of the rest of that record, if it is skipped.
    pub skipped: Checksum,
}

impl Chunk<'_> {
    /// Reads the records into a batch, replacing its earlier ones. Returns the size of the chunk.
    pub(crate) fn read<P>(&self, format: &dyn Format<P>, batch: &mut Batch<P>) -> InputAmount {
        batch.clear();
        if self.too_long {
            format.read_too_long(&self.text, batch);
        } else {
            format.read(&self.text, batch);
        }
        let size = InputAmount::for_chunk(batch.records.len(), batch.puzzles.len(), &self.text);
        InputAmount { bytes: size.bytes + self.skipped.bytes, ..size }
    }

    /// The checksum of its bytes, including those that are skipped.
    pub(super) fn checksum(&self) -> Checksum {
        let mut checksum = Checksum::of(&self.text);
        if self.skipped.bytes > 0 {
            checksum.append(self.skipped);
        }
        checksum
    }
}

/// The sizes of chunks, unless the user chooses one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkSizing {
    /// The size of a chunk of a large input, in bytes.
    pub most: usize,
    /// The minimal size of a chunk of a small input, in bytes. A small input is cut into several chunks for
    /// each worker.
    pub least: usize,
    /// How many chunks may be claimed ahead of the next one to be written, besides two for each thread.
    pub ahead: usize,
    /// How many puzzles are answered together, at least, before a worker looks at the clock. If it has
    /// taken long, it gives back the rest of its chunk. 0 if the rest of a chunk is never given back:
    /// it takes no time, or its rows are passed on in parts (lists).
    pub slice: usize,
}

impl ChunkSizing {
    /// For puzzles that take microseconds, and are solved in batches.
    ///
    /// Measured on two threads: 1 M easy puzzles take the same time from 64 KiB to 512 KiB, within noise.
    /// They take half as long again at 1 MiB, because rows and records no longer fit into the second-level
    /// cache, and a tenth longer at 8 KiB. 48,766 very hard ones take 7 % less time in chunks of 256 KiB
    /// than of 16 KiB or 512 KiB, because the lanes of the lockstep engine idle at the end of each chunk. A
    /// chunk should have at least a hundred puzzles: 375 very hard ones take 7.5 ms in chunks of 8 KiB, 14
    /// ms in chunks of 1 KiB (which don't fill the lanes), and 8 ms in one chunk.
    pub const BATCHES: ChunkSizing =
        ChunkSizing { most: super::CHUNK_BYTES, least: 8 * 1024, ahead: 6, slice: 0 };

    /// For puzzles of any shape that are solved in batches: enough puzzles to fill the lanes, and few
    /// enough that hard ones don't delay many others.
    pub const GRIDS: ChunkSizing = ChunkSizing { most: 32 * 1024, least: 2 * 1024, ahead: 30, slice: 64 };

    /// For classic puzzles that take microseconds or minutes each, e.g. for ratings: a chunk has enough puzzles that
    /// easy ones are searched together, but its first slice is a single puzzle, because it may be a hard one.
    pub const UNEVEN: ChunkSizing = ChunkSizing { most: 32 * 1024, least: 1, ahead: 60, slice: 1 };

    /// For puzzles that are searched in batches, and have many rows each: enough puzzles to fill the lanes,
    /// even if some have a hundred times as many solutions as others, and few enough that other workers can
    /// hold most of their rows until the writer comes to them.
    pub const LISTS: ChunkSizing = ChunkSizing { most: 32 * 1024, least: 2 * 1024, ahead: 6, slice: 0 };

    /// For puzzles that may take seconds each: few in a chunk, so that a hard one delays few others, and
    /// many chunks ahead of it.
    pub const SLOW: ChunkSizing = ChunkSizing { most: 2 * 1024, least: 1, ahead: 250, slice: 1 };

    /// Chooses the sizes for a kind of puzzles and an engine.
    #[must_use]
    pub fn for_puzzles(kind: PuzzleKind, engine: Engine) -> ChunkSizing {
        match (kind, engine) {
            (PuzzleKind::Classic, _) => ChunkSizing::BATCHES,
            (PuzzleKind::Pencilmarks, _) | (PuzzleKind::AnyShape, Engine::Lockstep(_)) => ChunkSizing::GRIDS,
            (PuzzleKind::AnyShape, Engine::Other(_)) => ChunkSizing::SLOW,
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
    /// Why the chunk, and with it the run, fails, e.g. an invalid solution.
    pub failure: Option<Error>,
    /// Whether no value may follow this one: the run was stopped inside the chunk, or the stage ended it.
    pub is_last: bool,
    /// Whether the stage ended the run (e.g. by `--fail-fast`), and not a stop. The value is complete then.
    pub ended_by_stage: bool,
    /// The number of bytes of the chunk that this output covers. A stage may set fewer than all, and the size in
    /// the report to match; the rest is then given back as pieces.
    pub covered_bytes: usize,
}

impl<V: ChunkValue> ChunkOutput<V> {
    /// Clears the output for the next chunk, which has the size `size` and follows `before`.
    pub(super) fn begin(&mut self, before: InputAmount, size: InputAmount, chunk: &Chunk<'_>) {
        self.covered_bytes = chunk.text.len();
        self.value.clear();
        self.report.begin(before, size);
        self.failure = None;
        (self.is_last, self.ended_by_stage) = (false, false);
    }

    /// Adds the data for a journal to the report. The counts of the chunk move there from `tally`.
    pub(super) fn add_journal_figures(&mut self, chunk: &Chunk<'_>, tally: &mut Tally) {
        let figures = self.report.journal.get_or_insert_default();
        let covers_all = self.covered_bytes == chunk.text.len();
        figures.checksum =
            if covers_all { chunk.checksum() } else { Checksum::of(&chunk.text[..self.covered_bytes]) };
        figures.cut_short = self.is_last && !self.ended_by_stage && covers_all;
        figures.tally.clear();
        std::mem::swap(&mut figures.tally, tally);
        // The journal does not count this record, because it is counted again after --resume.
        tally.unfinished = figures.tally.unfinished.take();
    }

    /// Fails the chunk, because an engine gave an invalid solution to one of its puzzles.
    fn fail_with<S: Subject>(&mut self, WrongAnswer { engine, puzzle }: WrongAnswer, batch: &Batch<S>) {
        let record = self.report.before.records + batch.record_of(puzzle) as u64 + 1;
        let mut text = Vec::new();
        batch.puzzles[puzzle].puzzle().write(&mut text);
        let puzzle = String::from_utf8_lossy(&text).into_owned();
        self.failure = Some(ErrorKind::WrongSolution { record, engine, puzzle }.into());
    }

    /// Counts the records of the chunk by the statuses of its puzzles. Diagnostics are added only if they
    /// are wanted, because they take time.
    fn report_on<S: Subject>(
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

/// The place where the value of a chunk is written.
#[derive(Debug)]
pub struct ChunkSlot<'a, V = Vec<u8>> {
    /// The output to fill in. It is empty, except for the sizes in its report.
    pub output: &'a mut ChunkOutput<V>,
    /// The number of records in earlier files, whose rows these continue.
    pub earlier_records: u64,
    /// The name of the file.
    pub file: &'a Path,
    /// Says when it is time to give back the rest of the chunk.
    pub(super) timer: Timer<'a>,
    pub(super) finished: &'a Sender<Option<Permit<V>>>,
    pub(super) parts: Option<Sender<Permit<V>>>,
}

impl<V: ChunkValue> ChunkSlot<'_, V> {
    /// Passes on the value so far, and waits until the writer takes it. Use it for chunks with more rows
    /// than memory should hold. Returns false if the run takes no more.
    pub fn flush_part(&mut self) -> bool {
        let value = std::mem::take(&mut self.output.value);
        let mut output = ChunkOutput { value, ..ChunkOutput::default() };
        output.report.before = self.output.report.before;
        let part = Permit { output, is_part: true, ..Permit::default() };
        let Some(parts) = &self.parts else {
            let (parts, rest) = bounded(1);
            self.parts = Some(parts);
            return self.finished.send(Some(Permit { rest: Some(rest), ..part })).is_ok();
        };
        parts.send(part).is_ok()
    }
}

/// How long a slice of a batch should take, and the most puzzles in a slice. Longer slices are not faster.
const SLICE_TIME: Duration = Duration::from_millis(40);
const LONGEST_SLICE: usize = 1024;

/// If the sink is bulky, this many bytes of rows are passed on before the chunk is complete.
const PART_BYTES: usize = 4 << 20;

/// If the job lists grids, this many bytes of rows are passed on at once, or fewer after `LIST_TIME`. A worker ahead of
/// the chunk that is being written holds three times that many bytes, and then waits.
const LIST_BYTES: usize = 1 << 20;
const LIST_TIME: Duration = Duration::from_millis(100);

/// The stage that asks a job about every puzzle (or about every puzzle with its proposed solution), and
/// gives every record with its answer to a sink.
pub struct JobStage<'a, S: Subject = Puzzle> {
    /// Reads the records.
    pub format: Box<dyn Format<S>>,
    /// The columns and statuses of the answers.
    pub schema: Schema,
    /// Makes a worker of the job, for each thread.
    pub worker: Box<dyn Fn() -> Box<dyn Worker<S>> + Sync + 'a>,
    /// Writes the records.
    pub sink: Box<dyn Sink<S> + 'a>,
    /// Whether the observer wants diagnostics. They are not made otherwise.
    pub diagnostics: bool,
    /// Whether the run ends at the first record that fails.
    pub fail_fast: bool,
    /// Whether records that are too long are kept as a whole, because the sink repeats them.
    pub keeps_long_lines: bool,
    /// The sizes of chunks.
    pub sizing: ChunkSizing,
}

impl<'a, P: PuzzleText> JobStage<'a, P> {
    /// Makes the stage of a job for a file with that layout, in batches and with diagnostics.
    pub fn new(job: &'a impl Job, layout: &Layout, sink: Box<dyn Sink<P> + 'a>) -> JobStage<'a, P> {
        JobStage {
            format: layout.format(),
            schema: job.schema(),
            worker: Box::new(|| job.worker()),
            sink,
            diagnostics: true,
            fail_fast: false,
            keeps_long_lines: false,
            sizing: ChunkSizing::for_puzzles(layout.kind(), layout.fastest_engine()),
        }
    }
}

impl<S: Subject> Stage for JobStage<'_, S> {
    fn cut(&self) -> &dyn Cut {
        &*self.format
    }

    fn sizing(&self) -> ChunkSizing {
        self.sizing
    }

    fn keeps_long_lines(&self) -> bool {
        self.keeps_long_lines
    }

    fn header(&self, out: &mut Vec<u8>) {
        self.sink.header(out);
    }

    #[inline(never)]
    fn processor<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a> {
        Box::new(JobProcessor {
            stage: self,
            worker: (self.worker)(),
            batch: Batch::default(),
            answers: Answers::new(self.schema.clone()),
            tally: Tally::default(),
            slice: self.sizing.slice,
            stop,
        })
    }
}

/// The processor of a [`JobStage`]: a worker of the job, and memory that is used again from chunk to chunk.
struct JobProcessor<'a, S: Subject> {
    stage: &'a JobStage<'a, S>,
    worker: Box<dyn Worker<S>>,
    batch: Batch<S>,
    answers: Answers,
    tally: Tally,
    /// How many puzzles are answered before the worker looks at the clock.
    slice: usize,
    stop: &'a AtomicBool,
}

impl<S: Subject> ChunkProcessor for JobProcessor<'_, S> {
    fn read(&mut self, chunk: &Chunk<'_>) -> InputAmount {
        chunk.read(&*self.stage.format, &mut self.batch)
    }

    fn process(&mut self, chunk: &Chunk<'_>, slot: &mut ChunkSlot<'_>) {
        self.answers.clear();
        let first = slot.earlier_records + slot.output.report.before.puzzles;
        let answered = match (self.stage.schema.has_lists(), self.slice) {
            (true, _) => self.answer_in_parts(&chunk.text, first, slot),
            (_, 0) => self.worker.answer(&self.batch.puzzles, first, self.stop, &mut self.answers),
            _ => self.answer_in_slices(chunk, first, slot),
        };
        if let Err(wrong) = answered {
            return slot.output.fail_with(wrong, &self.batch);
        }
        let answered = self.answers.len();
        if answered < self.batch.puzzles.len() {
            if self.answers.found_when_stopped() > 0 {
                let before = slot.earlier_records + slot.output.report.before.records;
                let record = before + self.batch.record_of(answered) as u64 + 1;
                self.tally.unfinished = Some((record, self.answers.found_when_stopped()));
            }
            let cut = self.cut_before(&chunk.text, answered);
            slot.output.is_last = cut.is_none() || self.stop.load(Ordering::Relaxed);
            self.batch.truncate_before(answered);
            if let Some(done) = cut.filter(|_| !self.stage.schema.has_lists()) {
                slot.output.covered_bytes = done;
                let records = self.batch.records.len();
                slot.output.report.size = InputAmount::for_chunk(records, answered, &chunk.text[..done]);
            }
        }
        if self.stage.fail_fast && self.end_at_first_failure() {
            (slot.output.is_last, slot.output.ended_by_stage) = (true, true);
        }
        if self.stage.sink.is_bulky() {
            self.write_one_by_one(&chunk.text, first, slot);
        } else {
            let all = answered_records(slot, &chunk.text, first, &self.batch, &self.answers);
            self.stage.sink.write(&all, &mut slot.output.value);
        }
        if self.stage.schema.has_lists() {
            self.tally.add_lists(&self.batch.puzzles, &self.answers);
        }
        self.tally.add_figures(&self.batch.puzzles, &self.answers);
        let statuses = &self.answers.statuses()[..self.batch.puzzles.len()];
        let statuses = (statuses, self.answers.schema().statuses);
        slot.output.report_on(&chunk.text, &self.batch, statuses, &mut self.tally, self.stage.diagnostics);
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}

impl<S: Subject> JobProcessor<'_, S> {
    /// Cuts the batch after the first record that fails. Returns whether there is one.
    fn end_at_first_failure(&mut self) -> bool {
        let (statuses, infos) = (self.answers.statuses(), self.answers.schema().statuses);
        let is_right = |puzzle: usize| infos[usize::from(statuses[puzzle])].grade == Grade::Right;
        let failed =
            self.batch.iter().position(|(_, read)| !read.is_some_and(|(puzzle, _)| is_right(puzzle)));
        if let Some(failed) = failed {
            self.batch.records.truncate(failed + 1);
            let puzzles = self.batch.records.iter().filter(|record| record.fault.is_none()).count();
            self.batch.puzzles.truncate(puzzles);
        }
        failed.is_some()
    }

    /// Answers the batch slice by slice, until it is time to give back the rest.
    fn answer_in_slices(
        &mut self,
        chunk: &Chunk<'_>,
        first: u64,
        slot: &ChunkSlot<'_>,
    ) -> Result<(), WrongAnswer> {
        let count = self.batch.puzzles.len();
        let mut answered = 0;
        while answered < count {
            let begun = Instant::now();
            let slice = &self.batch.puzzles[answered..count.min(answered + self.slice)];
            let of_all = |wrong: WrongAnswer| WrongAnswer { puzzle: answered + wrong.puzzle, ..wrong };
            let number = first + answered as u64;
            self.worker.answer(slice, number, self.stop, &mut self.answers).map_err(of_all)?;
            answered += slice.len();
            if self.answers.len() < answered {
                break;
            }
            self.pace(begun.elapsed());
            let may_end = answered < count && slot.timer.is_over() && !chunk.too_long;
            if may_end && self.cut_before(&chunk.text, answered).is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Adapts the length of the next slices: longer if one was quick, shorter if it took long.
    fn pace(&mut self, time: Duration) {
        if time < SLICE_TIME / 4 {
            self.slice = (self.slice * 2).min(LONGEST_SLICE);
        } else if time > SLICE_TIME {
            self.slice = (self.slice / 2).max(self.stage.sizing.slice);
        }
    }

    /// Finds where the text of a chunk can be cut before the record of a puzzle; `None` if the format can't
    /// tell from the text before the record that the earlier records end there.
    fn cut_before(&self, text: &[u8], puzzle: usize) -> Option<usize> {
        let next = self.batch.record_of(puzzle);
        let start = self.batch.records[next].start as usize;
        let line = memchr::memrchr(b'\n', &text[..start]).map_or(0, |feed| feed + 1);
        let cut = self.stage.format.complete_len(&text[..line]);
        let end = next.checked_sub(1).map_or(0, |last| {
            let last = &self.batch.records[last];
            (last.start + last.len) as usize
        });
        (end..=start).contains(&cut).then_some(cut)
    }

    /// Answers the batch, and writes lists of solutions while they grow, because memory may not hold them.
    fn answer_in_parts(
        &mut self,
        chunk: &[u8],
        first: u64,
        slot: &mut ChunkSlot<'_>,
    ) -> Result<(), WrongAnswer> {
        let JobProcessor { stage, worker, batch, answers, tally, stop, .. } = self;
        let mut handed_over = Instant::now();
        worker.answer_in_parts(&batch.puzzles, first, stop, answers, &mut |answers, answered| {
            let whole = answered_records(slot, chunk, first, batch, answers);
            let (records, puzzles) = (batch.record_of(answered - 1) + 1, &whole.puzzles[..answered]);
            let records = AnsweredRecords { records: &whole.records[..records], puzzles, ..whole };
            stage.sink.write(&records, &mut slot.output.value);
            tally.add_lists(puzzles, answers);
            answers.clear_grids();
            if slot.output.value.len() < LIST_BYTES && handed_over.elapsed() < LIST_TIME {
                return ControlFlow::Continue(());
            }
            handed_over = Instant::now();
            if slot.flush_part() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    }

    /// Writes the records of the batch one by one, because the sink is bulky. Between two records, the run
    /// may be stopped, or the reader of the rows may go away. Then the batch ends with the last record that
    /// was written.
    fn write_one_by_one(&mut self, chunk: &[u8], first: u64, slot: &mut ChunkSlot<'_>) {
        let all = answered_records(slot, chunk, first, &self.batch, &self.answers);
        let (mut written, mut puzzles) = (0, 0);
        while let Some(record) = all.records.get(written) {
            let is_gone = slot.output.value.len() >= PART_BYTES && !slot.flush_part();
            if is_gone || written > 0 && self.stop.load(Ordering::Relaxed) {
                break;
            }
            let next_puzzle = puzzles + usize::from(record.fault.is_none());
            let one = AnsweredRecords {
                number: all.number + written as u64,
                puzzle_number: first + puzzles as u64,
                records: &all.records[written..=written],
                puzzles: &all.puzzles[puzzles..next_puzzle],
                first: puzzles,
                ..all
            };
            self.stage.sink.write(&one, &mut slot.output.value);
            (written, puzzles) = (written + 1, next_puzzle);
        }
        slot.output.is_last |= written < self.batch.records.len();
        self.batch.records.truncate(written);
        self.batch.puzzles.truncate(puzzles);
    }
}

/// Combines the records of a batch with their answers. `first` is the number of its first puzzle.
fn answered_records<'a, S>(
    slot: &ChunkSlot<'a>,
    chunk: &'a [u8],
    first: u64,
    batch: &'a Batch<S>,
    answers: &'a Answers,
) -> AnsweredRecords<'a, S> {
    let before = slot.output.report.before;
    AnsweredRecords {
        file: slot.file,
        lines_before: before.lines,
        number: before.records + 1,
        earlier_records: slot.earlier_records,
        puzzle_number: first,
        ..AnsweredRecords::for_chunk(chunk, batch, answers)
    }
}

/// A chunk whose records have been read.
#[derive(Debug)]
pub struct ReadChunk<'a, P = Puzzle> {
    /// Its text.
    pub text: &'a [u8],
    /// Its records and puzzles.
    pub batch: &'a Batch<P>,
    /// The name of the file.
    pub file: &'a Path,
    /// The number of records before it in the file.
    pub records_before: u64,
    /// The number of lines before it in the file.
    pub lines_before: u64,
    /// Becomes true if the run is stopped. Give up long work then.
    pub stop: &'a AtomicBool,
}

/// Makes values from batches. Each worker has one.
pub trait BatchMapper<P: PuzzleText, V>: Send {
    /// Adds the records of a chunk to its value, which is empty. Return `Break` if you gave up the chunk
    /// because the run was stopped. Its value is then dropped, and the chunk before it is the last one.
    ///
    /// # Errors
    ///
    /// If an engine gave an invalid solution.
    fn map(&mut self, chunk: &ReadChunk<'_, P>, value: &mut V) -> Result<ControlFlow<()>, WrongAnswer>;
}

/// The stage that makes a value from every batch.
pub struct MapStage<'a, P: PuzzleText, V> {
    /// Reads the records.
    pub format: Box<dyn Format<P>>,
    /// Makes a mapper, once for each worker.
    pub mapper: Box<dyn Fn() -> Box<dyn BatchMapper<P, V>> + Sync + 'a>,
    /// Whether the observer wants diagnostics.
    pub diagnostics: bool,
    /// The sizes of chunks.
    pub sizing: ChunkSizing,
}

impl<'a, P: PuzzleText, V: ChunkValue + 'a> MapStage<'a, P, V> {
    /// Makes the stage for a file with that layout, with a mapper for each worker.
    #[must_use]
    pub fn stage<M: BatchMapper<P, V> + 'static>(
        layout: &Layout,
        diagnostics: bool,
        sizing: ChunkSizing,
        mapper: impl Fn() -> M + Sync + 'a,
    ) -> Box<dyn Stage<V> + 'a> {
        let mapper = Box::new(move || Box::new(mapper()) as Box<dyn BatchMapper<P, V>>);
        Box::new(MapStage { format: layout.format(), mapper, diagnostics, sizing })
    }
}

impl<P: PuzzleText, V: ChunkValue> Stage<V> for MapStage<'_, P, V> {
    fn cut(&self) -> &dyn Cut {
        &*self.format
    }

    fn sizing(&self) -> ChunkSizing {
        self.sizing
    }

    fn keeps_long_lines(&self) -> bool {
        true
    }

    fn processor<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor<V> + 'a> {
        let (mapper, batch, tally) = ((self.mapper)(), Batch::default(), Tally::default());
        Box::new(MapProcessor { stage: self, stop, mapper, batch, tally })
    }
}

struct MapProcessor<'a, P: PuzzleText, V> {
    stage: &'a MapStage<'a, P, V>,
    stop: &'a AtomicBool,
    mapper: Box<dyn BatchMapper<P, V>>,
    batch: Batch<P>,
    tally: Tally,
}

impl<P: PuzzleText, V: ChunkValue> ChunkProcessor<V> for MapProcessor<'_, P, V> {
    fn read(&mut self, chunk: &Chunk<'_>) -> InputAmount {
        chunk.read(&*self.stage.format, &mut self.batch)
    }

    fn process(&mut self, chunk: &Chunk<'_>, slot: &mut ChunkSlot<'_, V>) {
        let output = &mut *slot.output;
        let before = output.report.before;
        let read = ReadChunk {
            text: &chunk.text,
            batch: &self.batch,
            file: slot.file,
            records_before: before.records,
            lines_before: before.lines,
            stop: self.stop,
        };
        match self.mapper.map(&read, &mut output.value) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => {
                output.value.clear();
                output.is_last = true;
                self.batch.clear();
            }
            Err(wrong) => output.fail_with(wrong, &self.batch),
        }
        self.tally.listed += output.value.listed();
        // Puzzles have no status here, but the report says which records could not be read.
        let statuses = (&[][..], Status::INFOS);
        output.report_on(&chunk.text, &self.batch, statuses, &mut self.tally, self.stage.diagnostics);
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}
