//! The pipeline through its public interface: how it cuts its input, numbers and orders its output, and how
//! it ends. Here is a stage whose chunks do what a test says, with outputs and observers that record what
//! came.

#![allow(unreachable_pub)]

mod claims;
mod engines;
mod failures;
mod order;

use std::io::Write;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use gridmill_core::jobs::{Job, Solve};
use gridmill_core::solver::Solver;
use gridmill_data::error::Error;
use gridmill_data::output::Rows;
use gridmill_data::pipeline::{
    self, Chunk, ChunkProcessor, ChunkSizing, ChunkSlot, Finished, Input, JobStage, RunOptions, Stage,
};
use gridmill_data::record::{ChunkReport, InputAmount, Observer, Sink, Tally};
use gridmill_data::text::{ClassicReader, CsvHeader, Cut, LineFormat};

/// Processes a chunk. The flag stops the run.
pub type Process<'a> = dyn Fn(&Chunk<'_>, &mut ChunkSlot<'_>, &AtomicBool) + Sync + 'a;

/// Longer than anything here takes, even on a busy machine. It only ends tests that hang.
pub const LONG: Duration = Duration::from_secs(300);

/// Makes the stage that solves lines with the engines of a test.
pub fn solving<'a>(engine: &'a (dyn Fn() -> Box<dyn Solver> + Sync), sink: impl Sink + 'a) -> JobStage<'a> {
    JobStage {
        format: Box::new(LineFormat(ClassicReader)),
        schema: Solve::default().schema(),
        worker: Box::new(move || Solve::default().worker_with(engine())),
        sink: Box::new(sink),
        diagnostics: true,
        fail_fast: false,
        keeps_long_lines: false,
        sizing: ChunkSizing::BATCHES,
    }
}

/// The sink for rows of solved lines.
pub fn solved_lines() -> Rows {
    Rows::with_header(&CsvHeader::puzzle_alone(), &Solve::default().schema())
}

/// A stage for lines, each of which is a record.
pub struct Scripted<'a> {
    /// Called when a chunk has been claimed, before it is numbered.
    pub read: &'a (dyn Fn(&Chunk<'_>) + Sync),
    /// Called after it has been numbered.
    pub process: &'a Process<'a>,
    pub keeps_long_lines: bool,
}

impl<'a> Scripted<'a> {
    pub fn new(process: &'a Process<'a>) -> Scripted<'a> {
        Scripted { read: &|_| (), process, keeps_long_lines: false }
    }
}

impl Stage for Scripted<'_> {
    fn cut(&self) -> &dyn Cut {
        &LineFormat(ClassicReader)
    }

    fn sizing(&self) -> ChunkSizing {
        ChunkSizing::BATCHES
    }

    fn header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"header\n");
    }

    fn keeps_long_lines(&self) -> bool {
        self.keeps_long_lines
    }

    fn processor<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a> {
        Box::new(ScriptedProcessor { stage: self, tally: Tally::default(), stop })
    }
}

struct ScriptedProcessor<'a> {
    stage: &'a Scripted<'a>,
    tally: Tally,
    stop: &'a AtomicBool,
}

impl ChunkProcessor for ScriptedProcessor<'_> {
    fn read(&mut self, chunk: &Chunk<'_>) -> InputAmount {
        (self.stage.read)(chunk);
        let lines = chunk.text.split_inclusive(|&byte| byte == b'\n').count() as u64;
        InputAmount { records: lines, puzzles: lines, lines, bytes: chunk.text.len() as u64 }
    }

    fn process(&mut self, chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>) {
        (self.stage.process)(chunk, rows, self.stop);
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}

/// Writes a chunk unchanged.
pub fn echo(chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>, _: &AtomicBool) {
    rows.output.value.extend_from_slice(&chunk.text);
}

/// Checks that chunks come in order, and that their sizes add up.
#[derive(Default)]
pub struct Watch {
    pub totals: Option<InputAmount>,
    pub chunks: u64,
}

impl Observer for Watch {
    fn written(&mut self, chunk: &ChunkReport) {
        let mut totals = self.totals.unwrap_or(chunk.before);
        assert_eq!(chunk.before, totals);
        totals += chunk.size;
        self.totals = Some(totals);
        self.chunks += 1;
    }
}

/// A line of eight bytes, so that a chunk of eight bytes contains one line.
pub fn line(number: u64) -> String {
    format!("{number:07}\n")
}

/// The lines from number 0 on.
pub fn numbered_lines(count: u64) -> String {
    (0..count).map(line).collect()
}

/// An input whose file has already been removed from its directory.
pub fn input_of(text: &[u8], may_map: bool) -> Input {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("in.txt");
    std::fs::write(&path, text).unwrap();
    Input::open(Some(&path), may_map).unwrap()
}

/// Runs numbered lines on four threads, with a chunk for each line.
pub fn run_lines(
    stage: &Scripted<'_>,
    count: u64,
    output: &mut dyn Write,
    stop: &AtomicBool,
) -> Result<Finished, Error> {
    let input = input_of(numbered_lines(count).as_bytes(), true);
    run(stage, input, 8, output, stop)
}

/// Options for a run on four threads in chunks of `chunk_bytes`.
pub fn in_chunks<'a>(stage: &'a Scripted<'_>, chunk_bytes: usize) -> RunOptions<'a> {
    RunOptions { threads: 4, chunk_bytes: Some(chunk_bytes), ..RunOptions::new(stage) }
}

/// Runs an input on four threads.
pub fn run(
    stage: &Scripted<'_>,
    input: Input,
    chunk_bytes: usize,
    output: &mut dyn Write,
    stop: &AtomicBool,
) -> Result<Finished, Error> {
    let job = in_chunks(stage, chunk_bytes);
    let mut watch = Watch::default();
    let finished = pipeline::run(&job, input, output, &mut watch, stop)?;
    assert_eq!(finished.totals, watch.totals.unwrap_or(finished.totals));
    Ok(finished)
}

/// Waits until a condition holds. Panics after [`LONG`].
pub fn wait_until(what: &str, happened: impl Fn() -> bool) {
    let begun = Instant::now();
    while !happened() {
        assert!(begun.elapsed() < LONG, "waited in vain until {what}");
        std::thread::yield_now();
    }
}

/// Runs some work on another thread, passing on its result or its panic. Panics if the work does not end.
pub fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, ended) = mpsc::channel();
    let worker = std::thread::spawn(move || {
        let result = work();
        // After a timeout, the receiver is gone.
        let _ = done.send(());
        result
    });
    if ended.recv_timeout(LONG) == Err(mpsc::RecvTimeoutError::Timeout) {
        panic!("the run does not end");
    }
    worker.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// The chunks that something has happened to.
#[derive(Default)]
pub struct SeenChunks(Mutex<Vec<u64>>);

impl SeenChunks {
    pub fn add(&self, seq: u64) {
        self.0.lock().unwrap().push(seq);
    }

    pub fn has(&self, seq: u64) -> bool {
        self.0.lock().unwrap().contains(&seq)
    }
}

/// An output that sets a flag once it has `bytes` bytes.
pub struct StopsAfter<'a> {
    pub written: Vec<u8>,
    pub bytes: usize,
    pub stop: &'a AtomicBool,
}

impl Write for StopsAfter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.written.extend_from_slice(bytes);
        self.stop.fetch_or(self.written.len() >= self.bytes, Ordering::Relaxed);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
