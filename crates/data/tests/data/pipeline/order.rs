//! The order of rows, and the numbers of records and puzzles, within a file and across files; what is written
//! if a run is stopped or cut short; and chunks that are given back because they take long, and become pieces
//! for any worker.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use gridmill_core::jobs::{Job, Rate, ReadOnly};
use gridmill_data::output::Rows;
use gridmill_data::pipeline::{
    self, Chunk, ChunkSizing, ChunkSlot, Input, JobStage, RunOptions, Stage, Workers,
};
use gridmill_data::record::{AnsweredRecords, ChunkReport, InputAmount, Observer, Sink};
use gridmill_data::text::{ClassicReader, CsvHeader, FormatOptions, LineFormat};

use super::{
    Scripted, SeenChunks, StopsAfter, Watch, echo, in_chunks, in_time, input_of, line, numbered_lines,
    run_lines, wait_until,
};

const CHUNKS: u64 = 200;

const LINES: u64 = 40;

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

fn totals_of(chunks: u64) -> InputAmount {
    InputAmount { records: chunks, puzzles: chunks, lines: chunks, bytes: 8 * chunks }
}

/// Writes several rows for a line, each as a part. Returns whether all of them were taken.
fn flush_parts(chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>, parts: u64) -> bool {
    (0..parts).all(|part| {
        rows.output.value.extend_from_slice(format!("{} {part}\n", chunk.seq).as_bytes());
        rows.flush_part()
    })
}

#[test]
fn parts_of_chunks_come_in_order_even_if_later_chunks_finish_first() {
    in_time(|| {
        let done = SeenChunks::default();
        let process = |chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>, stop: &AtomicBool| {
            // Chunks without parts, with one part (which need not wait), and with several (which must
            // wait).
            assert!(flush_parts(chunk, rows, chunk.seq * 7 % 4));
            if chunk.seq == 0 {
                wait_until("later chunks are done", || done.has(2) && done.has(4));
                assert!(flush_parts(chunk, rows, 5));
            }
            echo(chunk, rows, stop);
            done.add(chunk.seq);
        };
        let mut output = Vec::new();
        let finished =
            run_lines(&Scripted::new(&process), CHUNKS, &mut output, &AtomicBool::new(false)).unwrap();
        let mut expected = "header\n".to_owned();
        for seq in 0..CHUNKS {
            let parts = if seq == 0 { 5 } else { seq * 7 % 4 };
            (0..parts).for_each(|part| expected += &format!("{seq} {part}\n"));
            expected += &line(seq);
        }
        assert_eq!(String::from_utf8(output).unwrap(), expected);
        assert_eq!((finished.totals, finished.stopped), (totals_of(CHUNKS), false));
    });
}

/// Runs lines where chunk `at` stops the run at a certain time. Returns what was written.
fn rows_of_a_run_that_stops(at: u64, when: &str) -> (Vec<u8>, gridmill_data::pipeline::Finished) {
    let stop = AtomicBool::new(when == "before the run");
    let process = |chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>, stop: &AtomicBool| {
        let is_it = chunk.seq == at;
        stop.fetch_or(is_it && when == "at its beginning", Ordering::Relaxed);
        echo(chunk, rows, stop);
        stop.fetch_or(is_it && when == "at its end", Ordering::Relaxed);
    };
    let bytes =
        if when == "when it is written" { "header\n".len() + 8 * (at as usize + 1) } else { usize::MAX };
    let mut output = StopsAfter { written: Vec::new(), bytes, stop: &stop };
    let finished = run_lines(&Scripted::new(&process), CHUNKS, &mut output, &stop).unwrap();
    (output.written, finished)
}

#[test]
fn a_stopped_run_writes_whole_rows_in_order_and_counts_them() {
    for when in ["at its beginning", "at its end", "when it is written"] {
        for at in [0, 1, 100, CHUNKS - 1] {
            let (written, finished) = in_time(move || rows_of_a_run_that_stops(at, when));
            let chunks = finished.totals.records;
            assert!((at + 1..=CHUNKS).contains(&chunks), "{when}: {chunks} chunks after {at}");
            // No worker claims more than one chunk after that.
            assert!(when == "when it is written" || chunks <= at + 4, "{when}: {chunks} chunks after {at}");
            let expected = format!("header\n{}", numbered_lines(chunks));
            assert!(written == expected.as_bytes(), "{when}, {at}: {}", String::from_utf8_lossy(&written));
            assert_eq!(finished.totals, totals_of(chunks), "{when}, {at}");
            assert_eq!(finished.stopped, chunks < CHUNKS, "{when}, {at}");
        }
    }
}

#[test]
fn a_run_that_is_stopped_before_it_begins_writes_its_header_only() {
    let (written, finished) = in_time(|| rows_of_a_run_that_stops(0, "before the run"));
    assert_eq!(String::from_utf8(written).unwrap(), "header\n");
    assert_eq!((finished.totals, finished.stopped), (InputAmount::default(), true));
}

#[test]
fn nothing_after_a_chunk_that_is_cut_short_is_written() {
    in_time(|| {
        for at in [0, 1, 50] {
            let done = SeenChunks::default();
            let process = |chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>, stop: &AtomicBool| {
                if chunk.seq == at {
                    let later = at + 1..=at + 3;
                    wait_until("the next chunks are done", || later.clone().all(|seq| done.has(seq)));
                    rows.output.is_last = true;
                } else if chunk.seq == at + 2 {
                    // Some of its rows are sent before it is known that they must not be written.
                    assert!(flush_parts(chunk, rows, 1));
                }
                echo(chunk, rows, stop);
                done.add(chunk.seq);
            };
            let (mut output, stop) = (Vec::new(), AtomicBool::new(false));
            let finished = run_lines(&Scripted::new(&process), CHUNKS, &mut output, &stop).unwrap();
            assert_eq!(
                String::from_utf8(output).unwrap(),
                format!("header\n{}", numbered_lines(at + 1)),
                "cut short at {at}"
            );
            assert_eq!((finished.totals, finished.stopped), (totals_of(at + 1), true));
            assert!(stop.load(Ordering::Relaxed));
        }
    });
}

#[test]
fn a_last_chunk_that_is_cut_short_makes_a_stopped_run() {
    let process = |chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>, stop: &AtomicBool| {
        rows.output.is_last = chunk.seq == 9;
        echo(chunk, rows, stop);
    };
    let mut output = Vec::new();
    let finished = run_lines(&Scripted::new(&process), 10, &mut output, &AtomicBool::new(false)).unwrap();
    assert_eq!((finished.totals, finished.stopped), (totals_of(10), true));
}

/// This must not depend on whether chunks come whole or in parts, nor on what the workers do meanwhile.
#[test]
fn a_break_ends_the_run_and_nothing_more_is_taken() {
    in_time(|| {
        for (parts, at) in [(0, 0), (0, 50), (2, 1), (2, 151)] {
            let process = |chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>, stop: &AtomicBool| {
                flush_parts(chunk, rows, parts);
                echo(chunk, rows, stop);
            };
            let stage = Scripted::new(&process);
            let mut taken = Vec::new();
            let mut take = |rows: &Vec<u8>| {
                taken.push(String::from_utf8(rows.clone()).unwrap());
                // The first value is the header.
                Ok(if taken.len() == at + 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            };
            let input = input_of(numbered_lines(CHUNKS).as_bytes(), true);
            let (mut watch, stop) = (Watch::default(), AtomicBool::new(false));
            let workers = Workers::new(4).unwrap();
            let finished = workers.run(&in_chunks(&stage, 8), input, &mut take, &mut watch, &stop).unwrap();
            assert_eq!(taken.len(), at + 2, "{parts} parts, break at {at}");
            assert_eq!(taken[0], "header\n");
            let chunks = at as u64 / (parts + 1);
            assert!(taken[at + 1].starts_with(&if parts == 0 { line(chunks) } else { format!("{chunks} ") }));
            assert_eq!((finished.totals, finished.stopped), (totals_of(chunks), true));
            assert_eq!(watch.chunks, chunks);
            assert!(stop.load(Ordering::Relaxed));
        }
    });
}

/// Runs a file on three threads, after `earlier_records` records of other files.
fn run_after(
    stage: &dyn Stage,
    input: Input,
    chunk_bytes: usize,
    earlier_records: Option<u64>,
) -> (String, InputAmount) {
    let options =
        RunOptions { threads: 3, chunk_bytes: Some(chunk_bytes), earlier_records, ..RunOptions::new(stage) };
    let mut output = Vec::new();
    let finished =
        pipeline::run(&options, input, &mut output, &mut Watch::default(), &AtomicBool::new(false)).unwrap();
    (String::from_utf8(output).unwrap(), finished.totals)
}

#[test]
fn numbers_of_records_continue_from_file_to_file() {
    let process = |chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>, _: &AtomicBool| {
        let before = rows.output.report.before;
        assert_eq!(before.bytes, 8 * before.records);
        let first = rows.earlier_records + before.records;
        for (number, _) in (first..).zip(chunk.text.split_inclusive(|&byte| byte == b'\n')) {
            rows.output.value.extend_from_slice(format!("{number}\n").as_bytes());
        }
    };
    let stage = Scripted::new(&process);
    for size in [1, 8, 20, 100, 10_000] {
        let (mut output, mut records) = (String::new(), None);
        for count in [100, 0, 1, 37] {
            let (rows, totals) =
                run_after(&stage, input_of(numbered_lines(count).as_bytes(), true), size, records);
            assert_eq!(
                totals,
                InputAmount { records: count, puzzles: count, lines: count, bytes: 8 * count }
            );
            output += &rows;
            records = Some(records.unwrap_or(0) + totals.records);
        }
        let numbers: String = (0..138).map(|number| format!("{number}\n")).collect();
        assert_eq!(output, format!("header\n{numbers}"), "chunks of {size}");
    }
}

/// Writes the number of each puzzle, all at once or record by record.
struct Numbers {
    is_bulky: bool,
}

impl Sink for Numbers {
    fn header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"header\n");
    }

    fn write(&self, records: &AnsweredRecords<'_>, out: &mut Vec<u8>) {
        for (_, _, answered) in records.iter() {
            let first = records.puzzle_number;
            let number = answered.map(|(_, answer)| first + (answer - records.first) as u64);
            let said = number.map_or("none".to_owned(), |number| number.to_string());
            out.extend_from_slice((said + "\n").as_bytes());
        }
    }

    fn is_bulky(&self) -> bool {
        self.is_bulky
    }
}

/// Random streams depend on the number of a puzzle, so a malformed record before it must not change the
/// number.
#[test]
fn numbers_count_puzzles_and_not_records() {
    let lines: Vec<&str> = (0..2_000).map(|record| if record % 7 < 3 { "bad" } else { LINE }).collect();
    for (earlier_records, is_bulky) in [None, Some(0), Some(1_000)]
        .into_iter()
        .flat_map(|earlier_records| [(earlier_records, false), (earlier_records, true)])
    {
        let stage = JobStage {
            format: Box::new(LineFormat(ClassicReader)),
            schema: ReadOnly.schema(),
            worker: Box::new(|| ReadOnly.worker()),
            sink: Box::new(Numbers { is_bulky }),
            diagnostics: false,
            fail_fast: false,
            keeps_long_lines: false,
            sizing: ChunkSizing::BATCHES,
        };
        let mut next = earlier_records.unwrap_or(0);
        let mut expected = if earlier_records.is_none() { "header\n".to_owned() } else { String::new() };
        for line in &lines {
            if *line == LINE {
                expected += &format!("{next}\n");
                next += 1;
            } else {
                expected += "none\n";
            }
        }
        for size in [1, 100, 1_000, 1 << 20] {
            let input = input_of(lines.join("\n").as_bytes(), true);
            let (rows, totals) = run_after(&stage, input, size, earlier_records);
            assert!(rows == expected, "{earlier_records:?}, chunks of {size}");
            let puzzles = lines.iter().filter(|line| **line == LINE).count() as u64;
            assert_eq!((totals.records, totals.puzzles, totals.lines), (2_000, puzzles, 2_000));
        }
    }
}

/// Writes the first lines of a chunk, and gives back the rest.
fn echo_lines(lines: usize, chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>) {
    let done = chunk.text.len().min(8 * lines);
    rows.output.value.extend_from_slice(&chunk.text[..done]);
    rows.output.covered_bytes = done;
    rows.output.report.size = lines_of(done as u64 / 8);
}

fn lines_of(lines: u64) -> InputAmount {
    InputAmount { records: lines, puzzles: lines, lines, bytes: 8 * lines }
}

#[test]
fn rows_come_in_order_for_any_pieces() {
    for chunk_bytes in [8, 24, 100, 1000] {
        for may_map in [true, false] {
            let written = in_time(move || {
                let process = |chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>, _: &AtomicBool| {
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
        let process = |chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>, stop: &AtomicBool| {
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
        let process = |chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>, stop: &AtomicBool| {
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
        let process = |chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>, stop: &AtomicBool| {
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
fn rated(text: &str, threads: usize, chunk_bytes: usize, patience: Duration) -> (String, InputAmount, u64) {
    let mut input = Input::from_bytes("puzzles", text.as_bytes().to_vec());
    let layout = input.detect(&FormatOptions::default(), &AtomicBool::new(false)).unwrap().unwrap();
    let job = Rate::default();
    let rows = Rows::with_header(&CsvHeader::puzzle_alone(), &job.schema());
    let mut stage: JobStage<'_> = JobStage::new(&job, &layout, Box::new(rows));
    stage.sizing = ChunkSizing { slice: 1, ..ChunkSizing::SLOW };
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
