//! Chunks that are given back because they take long, and become pieces for any worker.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use gridmill_core::jobs::{Job, Rate};
use gridmill_data::output::Rows;
use gridmill_data::pipeline::{self, Chunk, ChunkSink, ChunkSizing, Input, JobStage, RunOptions, Workers};
use gridmill_data::record::{ChunkReport, Observer, Totals};
use gridmill_data::text::{CsvHeader, FormatOptions};

use super::scripted::{
    Scripted, Watch, echo, in_chunks, in_time, input_of, line, numbered_lines, wait_until,
};

const LINES: u64 = 40;

/// Writes the first lines of a chunk, and gives back the rest.
fn echo_lines(lines: usize, chunk: &Chunk<'_>, rows: &mut ChunkSink<'_>) {
    let done = chunk.text.len().min(8 * lines);
    rows.output.value.extend_from_slice(&chunk.text[..done]);
    rows.output.done = done;
    rows.output.report.size = lines_of(done as u64 / 8);
}

fn lines_of(lines: u64) -> Totals {
    Totals { records: lines, puzzles: lines, lines, bytes: 8 * lines }
}

#[test]
fn rows_come_in_order_for_any_pieces() {
    for chunk_bytes in [8, 24, 100, 1000] {
        for may_map in [true, false] {
            let written = in_time(move || {
                let process = |chunk: &Chunk<'_>, rows: &mut ChunkSink<'_>, _: &AtomicBool| {
                    let number: usize = str::from_utf8(&chunk.text[..7]).unwrap().parse().unwrap();
                    echo_lines(1 + number % 3, chunk, rows);
                };
                let (stage, mut watch) = (Scripted::new(&process), Watch::default());
                let input = input_of(numbered_lines(LINES).as_bytes(), may_map);
                let (mut output, stop) = (Vec::new(), AtomicBool::new(false));
                let job = in_chunks(&stage, chunk_bytes);
                let finished = pipeline::run(&job, input, &mut output, &mut watch, &stop).unwrap();
                assert_eq!((finished.totals, finished.stopped), (lines_of(LINES), false));
                assert_eq!(watch.totals, Some(lines_of(LINES)));
                output
            });
            assert_eq!(String::from_utf8(written).unwrap(), format!("header\n{}", numbered_lines(LINES)));
        }
    }
}

#[test]
fn other_workers_take_what_one_gives_back() {
    in_time(|| {
        let pieces = AtomicUsize::new(0);
        let process = |chunk: &Chunk<'_>, rows: &mut ChunkSink<'_>, stop: &AtomicBool| {
            if chunk.text.starts_with(line(0).as_bytes()) {
                return echo_lines(1, chunk, rows);
            }
            echo_lines(1, chunk, rows);
            pieces.fetch_add(1, Ordering::Relaxed);
            wait_until("another worker has a piece", || {
                pieces.load(Ordering::Relaxed) > 1 || stop.load(Ordering::Relaxed)
            });
        };
        let stage = Scripted::new(&process);
        let input = input_of(numbered_lines(LINES).as_bytes(), true);
        let (mut output, stop) = (Vec::new(), AtomicBool::new(false));
        pipeline::run(&in_chunks(&stage, 1000), input, &mut output, &mut Watch::default(), &stop).unwrap();
        assert_eq!(String::from_utf8(output).unwrap(), format!("header\n{}", numbered_lines(LINES)));
    });
}

/// Records whether something was written.
struct WrittenFlag<'a>(&'a AtomicBool);

impl Observer for WrittenFlag<'_> {
    fn written(&mut self, _: &ChunkReport) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn finished_rows_are_written_before_the_rest_is_done() {
    in_time(|| {
        let is_written = AtomicBool::new(false);
        let process = |chunk: &Chunk<'_>, rows: &mut ChunkSink<'_>, stop: &AtomicBool| {
            if chunk.text.starts_with(line(0).as_bytes()) {
                return echo_lines(1, chunk, rows);
            }
            wait_until("the first line is written", || is_written.load(Ordering::Relaxed));
            echo(chunk, rows, stop);
        };
        let stage = Scripted::new(&process);
        let job = RunOptions { threads: 1, ..in_chunks(&stage, 1000) };
        let input = input_of(numbered_lines(LINES).as_bytes(), true);
        let (mut output, stop) = (Vec::new(), AtomicBool::new(false));
        pipeline::run(&job, input, &mut output, &mut WrittenFlag(&is_written), &stop).unwrap();
        assert_eq!(String::from_utf8(output).unwrap(), format!("header\n{}", numbered_lines(LINES)));
    });
}

#[test]
fn a_run_that_is_stopped_with_pieces_left_is_reported_as_stopped() {
    in_time(|| {
        let process = |chunk: &Chunk<'_>, rows: &mut ChunkSink<'_>, stop: &AtomicBool| {
            echo_lines(1, chunk, rows);
            stop.store(true, Ordering::Relaxed);
        };
        let stage = Scripted::new(&process);
        let input = input_of(numbered_lines(LINES).as_bytes(), true);
        let (mut output, stop) = (Vec::new(), AtomicBool::new(false));
        let job = RunOptions { threads: 1, ..in_chunks(&stage, 1000) };
        let finished = pipeline::run(&job, input, &mut output, &mut Watch::default(), &stop).unwrap();
        assert_eq!((finished.totals, finished.stopped), (lines_of(1), true));
        assert_eq!(String::from_utf8(output).unwrap(), format!("header\n{}", line(0)));
    });
}

/// Puzzles in every form, with malformed records, comments and blank lines.
fn inputs() -> Vec<(&'static str, String)> {
    let lines = [
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
        "63..7....5..196....98....5.8...5...34..8.3..17...2...5.5....28....419..6....8..79",
        "55..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
    ];
    let plain: String =
        (0..5).map(|_| format!("# a comment\n{}\nx\n\n{}\n{}\n", lines[0], lines[1], lines[2])).collect();
    let quoted: String = (0..5)
        .map(|_| format!("\"a\nb\",{}\n\"c\"\"\",{}\nd,1\ne,{}\n", lines[0], lines[1], lines[2]))
        .collect();
    let rows = |line: &str| (0..9).map(|row| format!("{}\n", &line[9 * row..][..9])).collect::<String>();
    let grids: String = (0..5)
        .map(|_| format!("[Puzzle]\n{}\n{}\n\n{}\n", rows(lines[0]), rows(lines[1]), rows(lines[2])))
        .collect();
    vec![("lines", plain), ("CSV", format!("id,puzzle\n{quoted}")), ("grids", grids)]
}

/// Rates puzzles, and returns the rows, the totals and the number of chunks. With a patience of 0,
/// everything that can be given back is given back.
fn rated(text: &str, threads: usize, chunk_bytes: usize, patience: Duration) -> (String, Totals, u64) {
    let mut input = Input::from_bytes("puzzles", text.as_bytes().to_vec());
    let layout = input.detect(&FormatOptions::default(), &AtomicBool::new(false)).unwrap().unwrap();
    let job = Rate::default();
    let rows = Rows::with_header(&CsvHeader::puzzle_alone(), &job.schema());
    let mut stage: JobStage<'_> = JobStage::new(&job, &layout, Box::new(rows));
    stage.sizing = ChunkSizing { slice: 1, ..ChunkSizing::SINGLES };
    let options = RunOptions { threads, chunk_bytes: Some(chunk_bytes), patience, ..RunOptions::new(&stage) };
    let (mut output, mut watch, stop) = (Vec::new(), Watch::default(), AtomicBool::new(false));
    let workers = Workers::new(threads).unwrap();
    let finished =
        workers.run(&options, input, &mut pipeline::rows_to(&mut output), &mut watch, &stop).unwrap();
    (String::from_utf8(output).unwrap(), finished.totals, watch.chunks)
}

#[test]
fn answers_do_not_depend_on_what_is_given_back() {
    for (name, text) in inputs() {
        let (expected, totals, whole) = rated(&text, 1, 1 << 20, Duration::MAX);
        assert!(expected.lines().count() > 10, "{name}: {expected}");
        assert_eq!(whole, 1);
        for (threads, chunk_bytes) in [(1, 1 << 20), (3, 1 << 20), (2, 1000), (2, 1)] {
            let (rows, all, chunks) = rated(&text, threads, chunk_bytes, Duration::ZERO);
            assert_eq!((&rows, all), (&expected, totals), "{name}, {threads} threads, {chunk_bytes} bytes");
            // The slices of a batch double while they are quick, so only the first pieces are small.
            assert!(chunks > 2, "{name}: {chunks} pieces");
        }
    }
}
