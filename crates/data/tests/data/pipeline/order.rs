//! The order of rows, and what is written if a run is stopped or cut short.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_data::pipeline::{Chunk, ChunkSink, Workers};
use gridmill_data::record::Totals;

use super::scripted::{
    Scripted, SeenChunks, StopsAfter, Watch, echo, in_chunks, in_time, input_of, line, numbered_lines,
    run_lines, wait_until,
};

const CHUNKS: u64 = 200;

fn totals_of(chunks: u64) -> Totals {
    Totals { records: chunks, puzzles: chunks, lines: chunks, bytes: 8 * chunks }
}

/// Writes several rows for a line, each as a part. Returns whether all of them were taken.
fn flush_parts(chunk: &Chunk<'_>, rows: &mut ChunkSink<'_>, parts: u64) -> bool {
    (0..parts).all(|part| {
        rows.output.value.extend_from_slice(format!("{} {part}\n", chunk.seq).as_bytes());
        rows.flush_part()
    })
}

#[test]
fn parts_of_chunks_come_in_order_even_if_later_chunks_finish_first() {
    in_time(|| {
        let done = SeenChunks::default();
        let process = |chunk: &Chunk<'_>, rows: &mut ChunkSink<'_>, stop: &AtomicBool| {
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
    let process = |chunk: &Chunk<'_>, rows: &mut ChunkSink<'_>, stop: &AtomicBool| {
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
    assert_eq!((finished.totals, finished.stopped), (Totals::default(), true));
}

#[test]
fn nothing_after_a_chunk_that_is_cut_short_is_written() {
    in_time(|| {
        for at in [0, 1, 50] {
            let done = SeenChunks::default();
            let process = |chunk: &Chunk<'_>, rows: &mut ChunkSink<'_>, stop: &AtomicBool| {
                if chunk.seq == at {
                    let later = at + 1..=at + 3;
                    wait_until("the next chunks are done", || later.clone().all(|seq| done.has(seq)));
                    rows.output.cut_short = true;
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
    let process = |chunk: &Chunk<'_>, rows: &mut ChunkSink<'_>, stop: &AtomicBool| {
        rows.output.cut_short = chunk.seq == 9;
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
            let process = |chunk: &Chunk<'_>, rows: &mut ChunkSink<'_>, stop: &AtomicBool| {
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
