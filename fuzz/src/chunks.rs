//! Compares the pipeline in chunks of any size and on several threads with one chunk on one thread.

use std::io::Read;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use gridmill_core::jobs::{Job, ReadOnly, Solve, Verify, WrongAnswer};
use gridmill_core::solver::{Outcome, Request, Solver};
use gridmill_data::output::{Listing, Rows};
use gridmill_data::pipeline::{
    BatchMapper, CHUNK_LIMIT, ChunkSizing, Input, JobStage, MapStage, ReadChunk, RunOptions, Stage, Workers,
    rows_to,
};
use gridmill_data::record::{AnsweredRecords, ChunkReport, Observer, Sink, StatusCounts};
use gridmill_data::text::{FormatOptions, Layout, PuzzleText};

use super::choices::{AnyPuzzle, Choices, ForKind, for_kind, options, stretched, written};

/// Runs the pipeline twice. The input consists of option bytes, a byte each for the stage, the threads and
/// the source, two bytes for the size of chunks, and the text. The check fails unless:
///
/// - Both runs give the same bytes, the same counts, and messages with the same records, lines and columns.
/// - The number of records is that of `Records`.
/// - CSV has a row for each record, with as many fields as the header. JSON Lines has an object for each
///   record.
/// - Each row has the number of its record, from 1 without gaps.
pub fn check(data: &[u8]) {
    let mut choices = Choices::of(data);
    let options = options(&mut choices);
    let kind =
        choices.among(&[StageKind::Csv, StageKind::Json, StageKind::Read, StageKind::Map, StageKind::List]);
    let threads = 1 + choices.below(3);
    let source =
        choices.among(&[Source::Whole, Source::Stream(1 << 16), Source::Stream(7), Source::Stream(256)]);
    let chunk_bytes = 1 + 64 * choices.below(256) + choices.below(64);
    let text: Arc<[u8]> = stretched(choices.rest()).into();
    // Compressed inputs are skipped, because another target tests them.
    let Ok(Some(layout)) = options.layout(&text, false) else { return };
    let cut = Cut { threads, source, chunk_bytes };
    for_kind(&layout, Check { layout: &layout, options: &options, text: &text, kind, cut });
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StageKind {
    Csv,
    Json,
    Read,
    Map,
    List,
}

/// The source of a text: memory, or a reader that returns at most this many bytes at a time.
#[derive(Clone, Copy, Debug)]
enum Source {
    Whole,
    Stream(usize),
}

/// How a run is divided.
#[derive(Clone, Copy, Debug)]
struct Cut {
    threads: usize,
    source: Source,
    chunk_bytes: usize,
}

impl Cut {
    const NOT: Cut = Cut { threads: 1, source: Source::Whole, chunk_bytes: CHUNK_LIMIT };
}

struct Check<'a> {
    layout: &'a Layout,
    options: &'a FormatOptions,
    text: &'a Arc<[u8]>,
    kind: StageKind,
    cut: Cut,
}

impl ForKind for Check<'_> {
    fn run<P: AnyPuzzle>(self) {
        let Check { layout, options, text, kind, cut } = self;
        let stage = stage::<P>(kind, layout);
        let whole = Ran::of(&*stage, text, options, Cut::NOT);
        let parts = Ran::of(&*stage, text, options, cut);
        assert_eq!(parts, whole, "{kind:?} {cut:?}");
        let records =
            Input::from_bytes("input", text.to_vec()).records::<P>(options).expect("a known layout");
        assert_eq!(records.count(), whole.records);
        match kind {
            StageKind::Csv => {
                let separator = layout.header.as_ref().map_or(b',', |header| header.separator);
                assert_eq!(csv_rows(&whole.rows, separator), whole.records);
            }
            StageKind::Json => assert_eq!(json_rows(&whole.rows), whole.records),
            StageKind::Read | StageKind::Map | StageKind::List => {
                assert_eq!(whole.rows.split(|&byte| byte == b'\n').count(), whole.records + 1);
            }
        }
    }
}

/// The results of a run.
#[derive(PartialEq, Eq)]
struct Ran {
    rows: Vec<u8>,
    /// The record, line, column and problem of each message.
    messages: Vec<(u64, u64, u64, String)>,
    records: usize,
    counts: StatusCounts,
}

impl std::fmt::Debug for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Ran { rows, messages, records, counts } = self;
        let rows = String::from_utf8_lossy(&rows[..rows.len().min(4000)]);
        write!(f, "{records} records {counts:?} {messages:?}\n{rows}\n")
    }
}

impl Ran {
    fn of(stage: &dyn Stage, text: &Arc<[u8]>, options: &FormatOptions, cut: Cut) -> Ran {
        let never = AtomicBool::new(false);
        let mut input = match cut.source {
            Source::Whole => Input::from_bytes("input", text.to_vec()),
            Source::Stream(most) => {
                Input::from_reader("input", Portions { text: Arc::clone(text), at: 0, most })
            }
        };
        input.detect(options, &never).expect("a known layout").expect("it is never stopped");
        let Cut { threads, chunk_bytes, .. } = cut;
        let options = RunOptions { threads, chunk_bytes: Some(chunk_bytes), ..RunOptions::new(stage) };
        let (mut rows, mut seen) = (Vec::new(), Messages::default());
        let finished = workers(threads).run(&options, input, &mut rows_to(&mut rows), &mut seen, &never);
        let finished = finished.expect("no input fails");
        assert!(!finished.stopped);
        assert_eq!(finished.totals.records, seen.records);
        assert_eq!(finished.tally.statuses, seen.counts);
        Ran { rows, messages: seen.messages, records: seen.records as usize, counts: seen.counts }
    }
}

/// The workers for this number of threads. They are started once and reused, because starting them takes
/// longer than a run.
fn workers(threads: usize) -> &'static Workers {
    static WORKERS: [OnceLock<Workers>; 3] = [const { OnceLock::new() }; 3];
    WORKERS[threads - 1].get_or_init(|| Workers::new(threads).expect("threads"))
}

/// A reader that returns a text in portions.
struct Portions {
    text: Arc<[u8]>,
    at: usize,
    most: usize,
}

impl Read for Portions {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let rest = &self.text[self.at..];
        let count = rest.len().min(buffer.len()).min(self.most);
        buffer[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }
}

/// An observer that collects the reports of a run.
#[derive(Default)]
struct Messages {
    messages: Vec<(u64, u64, u64, String)>,
    records: u64,
    lines: u64,
    counts: StatusCounts,
}

impl Observer for Messages {
    fn written(&mut self, chunk: &ChunkReport) {
        assert_eq!(chunk.before.records, self.records);
        assert!(chunk.before.lines >= self.lines);
        self.records += chunk.size.records;
        self.lines = chunk.before.lines + chunk.size.lines;
        let messages = chunk.diagnostics.iter();
        self.messages.extend(messages.map(|it| (it.record, it.line, it.column, it.problem.to_string())));
        self.counts.merge(&chunk.statuses);
    }
}

fn stage<'a, P: AnyPuzzle>(kind: StageKind, layout: &'a Layout) -> Box<dyn Stage + 'a> {
    let format = layout.format::<P>();
    let (diagnostics, sizing) = (true, ChunkSizing::BATCHES);
    match kind {
        StageKind::Csv | StageKind::Json => {
            let schema = Solve::default().schema();
            let rows = if kind == StageKind::Json { Rows::json } else { Rows::csv };
            Box::new(JobStage {
                format,
                worker: Box::new(|| Solve::default().worker_with(Box::new(ByClues) as Box<dyn Solver<P>>)),
                sink: Box::new(rows(layout, &schema)),
                schema,
                diagnostics,
                fail_fast: false,
                keeps_long_lines: false,
                sizing,
            })
        }
        StageKind::Read => {
            let stage = JobStage::<P>::new(&ReadOnly, layout, Box::new(Numbers));
            Box::new(JobStage { keeps_long_lines: true, sizing, ..stage })
        }
        StageKind::Map => {
            Box::new(MapStage { format, mapper: Box::new(|| Box::new(Lines)), diagnostics, sizing })
        }
        StageKind::List => {
            let listing = Box::new(Listing { all: true, ..Listing::default() });
            let worker = Box::new(|| Verify::default().worker_with(Box::new(ByClues) as Box<dyn Solver<P>>));
            let schema = Verify::default().schema();
            let (fail_fast, keeps_long_lines, sink) = (false, false, listing);
            Box::new(JobStage {
                format,
                schema,
                worker,
                sink,
                diagnostics,
                fail_fast,
                keeps_long_lines,
                sizing,
            })
        }
    }
}

/// Makes up outcomes from the number of clues, because another target tests the engines.
#[derive(Clone, Copy)]
struct ByClues;

impl<P: PuzzleText> Solver<P> for ByClues {
    fn name(&self) -> &'static str {
        "by-clues"
    }

    fn solve_until(&mut self, puzzles: &[P], _: &Request, found: &mut [Outcome<P::Solution>]) -> usize {
        for (puzzle, outcome) in puzzles.iter().zip(found) {
            let clues = puzzle.clue_count() as u64;
            *outcome = Outcome { guesses: clues, is_given_up: clues.is_multiple_of(3), ..Outcome::NONE };
        }
        puzzles.len()
    }
}

/// Writes the number of each puzzle, and the fields of its record.
struct Numbers;

impl<P: PuzzleText> Sink<P> for Numbers {
    fn write(&self, records: &AnsweredRecords<'_, P>, out: &mut Vec<u8>) {
        for (_, record, answered) in records.iter() {
            let text = String::from_utf8_lossy(record.text(records.chunk));
            let number = answered.map(|(_, answer)| records.puzzle_number + (answer - records.first) as u64);
            let puzzle = answered.map_or_else(Vec::new, |(puzzle, _)| written(puzzle));
            let fault = record.fault.map(|fault| (fault.kind, fault.offset - record.start));
            let row = format!("{number:?} {text:?} {} {:?} {fault:?} ", record.lead, record.echo);
            out.extend([row.as_bytes(), &puzzle, b"\n"].concat());
        }
    }
}

/// Writes the line in which each record begins.
struct Lines;

impl<P: PuzzleText> BatchMapper<P, Vec<u8>> for Lines {
    fn map(&mut self, chunk: &ReadChunk<'_, P>, out: &mut Vec<u8>) -> Result<ControlFlow<()>, WrongAnswer> {
        let (mut line, mut at) = (chunk.lines_before + 1, 0);
        for record in &chunk.batch.records {
            let start = record.start as usize;
            line += chunk.text[at..start].iter().filter(|&&byte| byte == b'\n').count() as u64;
            at = start;
            out.extend(format!("{line} {}\n", record.len).into_bytes());
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The number of CSV rows below the header. Each must have as many fields as the header. Only line feeds end
/// rows here, because a lone carriage return in a field of the input stays unchanged.
fn csv_rows(rows: &[u8], separator: u8) -> usize {
    let mut reader = csv::ReaderBuilder::new();
    let mut reader =
        reader.delimiter(separator).terminator(csv::Terminator::Any(b'\n')).flexible(false).from_reader(rows);
    let shown = || String::from_utf8_lossy(rows).into_owned();
    let headers = reader.byte_headers().unwrap_or_else(|error| panic!("{error}: {}", shown())).clone();
    assert!(headers.iter().next_back() == Some(b"time_ns") || headers.iter().any(|name| name == b"time_ns"));
    reader.byte_records().inspect(|row| assert!(row.is_ok(), "{row:?}: {}", shown())).count()
}

/// The number of rows, each of which must be a JSON object. Strings are not decoded, because escapes in the
/// input stay unchanged, even half of a surrogate pair.
fn json_rows(rows: &[u8]) -> usize {
    let check = |row: &&[u8]| {
        let object: Result<&serde_json::value::RawValue, _> = serde_json::from_slice(row);
        let is_object = object.is_ok_and(|object| object.get().starts_with('{'));
        assert!(is_object, "{}", String::from_utf8_lossy(row));
    };
    rows.split_inclusive(|&byte| byte == b'\n').inspect(check).count()
}
