//! Text → puzzles → answers of a job → rows: the stage of every job that gives an answer for each puzzle.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gridmill_core::grid::Puzzle;
use gridmill_core::jobs::{Answers, Grade, Job, Refuted, Schema, Worker};

use crate::pipeline::{Chunk, ChunkProcessor, ChunkSink, ChunkSizing, Stage};
use crate::record::{AnsweredRecords, Sink, Subject, Tally, Totals};
use crate::text::{Batch, Cut, Format, Layout, PuzzleText};

/// Bytes of rows that are handed over before their chunk is done, where a record may have many.
const PART_BYTES: usize = 4 << 20;

/// Bytes of rows that are handed over where one record has many of them, and the time after which fewer are. A worker that
/// is ahead of the chunk being written holds three times as many, and then waits.
const LIST_BYTES: usize = 1 << 20;
const LIST_TIME: Duration = Duration::from_millis(100);

/// The stage that asks a job about every puzzle, or about every puzzle with its proposed solution, and hands every record with
/// its answer to a sink.
pub struct JobStage<'a, S: Subject = Puzzle> {
    /// How the records are written.
    pub format: Box<dyn Format<S>>,
    /// The columns and statuses of the answers.
    pub schema: Schema,
    /// Makes a worker of the job, for each thread.
    pub worker: Box<dyn Fn() -> Box<dyn Worker<S>> + Sync + 'a>,
    /// Writes the records.
    pub sink: Box<dyn Sink<S> + 'a>,
    /// Whether the observer wants diagnostics. They are made only then.
    pub diagnostics: bool,
    /// Whether the run ends at the first record whose status is not right.
    pub fail_fast: bool,
    /// Whether records that are too long come whole, because the sink repeats them.
    pub keeps_long_lines: bool,
    /// How the input is cut.
    pub sizing: ChunkSizing,
}

impl<'a, P: PuzzleText> JobStage<'a, P> {
    /// Returns the stage of a job over a file of that layout, in batches, with diagnostics.
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

    fn processor<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a> {
        Box::new(JobProcessor {
            stage: self,
            worker: (self.worker)(),
            batch: Batch::default(),
            answers: Answers::new(self.schema.clone()),
            tally: Tally::default(),
            stop,
        })
    }
}

/// A worker of the job, and the memory that it uses again from chunk to chunk.
struct JobProcessor<'a, S: Subject> {
    stage: &'a JobStage<'a, S>,
    worker: Box<dyn Worker<S>>,
    batch: Batch<S>,
    answers: Answers,
    tally: Tally,
    stop: &'a AtomicBool,
}

impl<S: Subject> ChunkProcessor for JobProcessor<'_, S> {
    fn read(&mut self, chunk: &Chunk<'_>) -> Totals {
        chunk.read(&*self.stage.format, &mut self.batch)
    }

    fn process(&mut self, chunk: &Chunk<'_>, rows: &mut ChunkSink<'_>) {
        self.answers.clear();
        let first = rows.earlier_records + rows.output.report.before.puzzles;
        let puzzles = &self.batch.puzzles;
        let answered = match self.stage.schema.has_lists() {
            true => self.answer_in_parts(&chunk.text, first, rows),
            false => self.worker.answer(puzzles, first, self.stop, &mut self.answers),
        };
        if let Err(refuted) = answered {
            return rows.output.refute(refuted, &self.batch);
        }
        if self.answers.len() < self.batch.puzzles.len() {
            rows.output.cut_short = true;
            self.batch.truncate_before(self.answers.len());
        }
        if self.stage.fail_fast && self.end_at_first_bad() {
            (rows.output.cut_short, rows.output.ends_run) = (true, true);
        }
        if self.stage.sink.is_bulky() {
            self.write_one_by_one(&chunk.text, first, rows);
        } else {
            let all = answered_records(rows, &chunk.text, first, &self.batch, &self.answers);
            self.stage.sink.write(&all, &mut rows.output.value);
        }
        self.tally.add_figures(&self.batch.puzzles, &self.answers);
        let statuses = &self.answers.statuses()[..self.batch.puzzles.len()];
        let statuses = (statuses, self.answers.schema().statuses);
        rows.output.report_on(&chunk.text, &self.batch, statuses, &mut self.tally, self.stage.diagnostics);
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}

impl<S: Subject> JobProcessor<'_, S> {
    /// Cuts the batch after the first record whose status is not right, and returns whether there is one.
    fn end_at_first_bad(&mut self) -> bool {
        let (statuses, infos) = (self.answers.statuses(), self.answers.schema().statuses);
        let is_right = |puzzle: usize| infos[usize::from(statuses[puzzle])].grade == Grade::Right;
        let bad = self.batch.iter().position(|(_, read)| !read.is_some_and(|(puzzle, _)| is_right(puzzle)));
        if let Some(bad) = bad {
            self.batch.records.truncate(bad + 1);
            let puzzles = self.batch.records.iter().filter(|record| record.fault.is_none()).count();
            self.batch.puzzles.truncate(puzzles);
        }
        bad.is_some()
    }

    /// Answers the batch, and writes lists of solutions while they grow, because memory may not hold them.
    fn answer_in_parts(&mut self, chunk: &[u8], first: u64, rows: &mut ChunkSink<'_>) -> Result<(), Refuted> {
        let JobProcessor { stage, worker, batch, answers, stop, .. } = self;
        let mut handed_over = Instant::now();
        worker.answer_in_parts(&batch.puzzles, first, stop, answers, &mut |answers, answered| {
            let whole = answered_records(rows, chunk, first, batch, answers);
            let (records, puzzles) = (batch.record_of(answered - 1) + 1, &whole.puzzles[..answered]);
            let records = AnsweredRecords { records: &whole.records[..records], puzzles, ..whole };
            stage.sink.write(&records, &mut rows.output.value);
            answers.clear_grids();
            if rows.output.value.len() < LIST_BYTES && handed_over.elapsed() < LIST_TIME {
                return ControlFlow::Continue(());
            }
            handed_over = Instant::now();
            if rows.flush_part() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    }

    /// Writes the records of the batch one by one, because the sink is bulky: the run may be stopped in between, or the
    /// reader of the rows may go away, and the batch ends with the last record that was written.
    fn write_one_by_one(&mut self, chunk: &[u8], first: u64, rows: &mut ChunkSink<'_>) {
        let all = answered_records(rows, chunk, first, &self.batch, &self.answers);
        let (mut written, mut puzzles) = (0, 0);
        while let Some(record) = all.records.get(written) {
            let is_gone = rows.output.value.len() >= PART_BYTES && !rows.flush_part();
            if is_gone || written > 0 && self.stop.load(Ordering::Relaxed) {
                break;
            }
            let behind = puzzles + usize::from(record.fault.is_none());
            let one = AnsweredRecords {
                number: all.number + written as u64,
                puzzle_number: first + puzzles as u64,
                records: &all.records[written..=written],
                puzzles: &all.puzzles[puzzles..behind],
                first: puzzles,
                ..all
            };
            self.stage.sink.write(&one, &mut rows.output.value);
            (written, puzzles) = (written + 1, behind);
        }
        rows.output.cut_short |= written < self.batch.records.len();
        self.batch.records.truncate(written);
        self.batch.puzzles.truncate(puzzles);
    }
}

/// Returns the records of a batch with their answers. `first` is the number of its first puzzle.
fn answered_records<'a, S>(
    rows: &ChunkSink<'a>,
    chunk: &'a [u8],
    first: u64,
    batch: &'a Batch<S>,
    answers: &'a Answers,
) -> AnsweredRecords<'a, S> {
    let before = rows.output.report.before;
    AnsweredRecords {
        file: rows.file,
        lines_before: before.lines,
        number: before.records + 1,
        earlier_records: rows.earlier_records,
        puzzle_number: first,
        ..AnsweredRecords::of_chunk(chunk, batch, answers)
    }
}
