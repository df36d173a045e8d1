//! Readers and writers that fail, and workers that panic: every run ends with an error that says why.

use std::fs::File;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_data::error::ErrorKind;
use gridmill_data::pipeline::{Chunk, ChunkSink, Input};

use super::scripted::{
    LONG, Scripted, SeenChunks, echo, in_time, input_of, numbered_lines, run, run_lines, wait_until,
};

/// Takes `room` bytes, and fails if it should take more. It may also fail when it is flushed.
struct FailingOutput {
    room: usize,
    at_flush: bool,
}

impl Write for FailingOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.room);
        self.room -= taken;
        if taken == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(taken) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.at_flush { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

#[test]
fn a_writer_that_fails_stops_the_run() {
    for room in [0, 3, 7, 100, 799] {
        in_time(move || {
            let stop = AtomicBool::new(false);
            let mut output = FailingOutput { room, at_flush: false };
            let error = run_lines(&Scripted::new(&echo), 100, &mut output, &stop).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Write { .. }), "{error}");
            assert!(stop.load(Ordering::Relaxed));
        });
    }
}

#[test]
fn an_output_that_cannot_be_flushed_is_an_error() {
    let mut output = FailingOutput { room: usize::MAX, at_flush: true };
    let error = run_lines(&Scripted::new(&echo), 10, &mut output, &AtomicBool::new(false)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Write { .. }), "{error}");
}

#[test]
fn parts_are_refused_when_the_writer_has_failed() {
    in_time(|| {
        let process = |chunk: &Chunk<'_>, rows: &mut ChunkSink<'_>, _: &AtomicBool| {
            let begun = std::time::Instant::now();
            loop {
                rows.output.value.extend_from_slice(&chunk.text);
                if !rows.flush_part() {
                    return;
                }
                assert!(begun.elapsed() < LONG, "parts are taken but not written");
            }
        };
        let mut output = FailingOutput { room: 1_000, at_flush: false };
        let error =
            run_lines(&Scripted::new(&process), 100, &mut output, &AtomicBool::new(false)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Write { .. }), "{error}");
    });
}

/// The input is a gzip file without its end.
#[test]
fn a_reader_that_fails_midway_is_an_error_after_whole_rows() {
    in_time(|| {
        let lines = numbered_lines(100_000);
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(lines.as_bytes()).unwrap();
        let packed = encoder.finish().unwrap();
        let (mut output, stop) = (Vec::new(), AtomicBool::new(false));
        let input = input_of(&packed[..packed.len() / 2], true);
        let error = run(&Scripted::new(&echo), input, 1_000, &mut output, &stop).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Read { .. }), "{error}");
        assert!(stop.load(Ordering::Relaxed));
        let rows = output.strip_prefix(b"header\n").unwrap();
        assert!(rows.len() > 100_000 && rows.len() % 8 == 0, "{} bytes", rows.len());
        assert!(lines.as_bytes().starts_with(rows));
    });
}

#[test]
fn a_file_that_shrinks_is_an_error() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("p.txt");
    std::fs::write(&path, numbered_lines(1_000)).unwrap();
    let process = |chunk: &Chunk<'_>, rows: &mut ChunkSink<'_>, stop: &AtomicBool| {
        if chunk.seq == 100 {
            std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(7_900).unwrap();
        }
        echo(chunk, rows, stop);
    };
    let input = Input::open(Some(&path), true).unwrap();
    let error =
        run(&Scripted::new(&process), input, 8, &mut io::sink(), &AtomicBool::new(false)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Shrunk { .. }), "{error}");
}

/// Checks that a run fails with the panic of its stage.
fn assert_panics(stage: &Scripted<'_>, input: Input) {
    let stop = AtomicBool::new(false);
    let error = run(stage, input, 8, &mut io::sink(), &stop).unwrap_err();
    match error.kind() {
        ErrorKind::Panicked { text, .. } => assert_eq!(text, "a defect of the stage"),
        other => panic!("{other}"),
    }
    assert!(stop.load(Ordering::Relaxed));
}

fn lines() -> Input {
    input_of(numbered_lines(200).as_bytes(), true)
}

/// The other workers have claimed later chunks, and wait for their numbers.
#[test]
fn a_worker_that_panics_ends_the_waiting_for_numbers() {
    in_time(|| {
        let claimed = SeenChunks::default();
        let read = |chunk: &Chunk<'_>| {
            claimed.add(chunk.seq);
            if chunk.seq == 10 {
                wait_until("the others wait", || (11..=13).all(|seq| claimed.has(seq)));
                panic!("a defect of the stage");
            }
        };
        assert_panics(&Scripted { read: &read, ..Scripted::new(&echo) }, lines());
    });
}

#[test]
fn a_worker_that_panics_with_its_chunk_ends_the_run() {
    for at in [0, 50, 199] {
        in_time(move || {
            let process = |chunk: &Chunk<'_>, rows: &mut ChunkSink<'_>, stop: &AtomicBool| {
                assert!(chunk.seq != at, "a defect of the stage");
                echo(chunk, rows, stop);
            };
            assert_panics(&Scripted::new(&process), lines());
        });
    }
}

#[test]
fn a_worker_that_panics_between_two_parts_ends_the_run() {
    in_time(|| {
        let process = |chunk: &Chunk<'_>, rows: &mut ChunkSink<'_>, stop: &AtomicBool| {
            echo(chunk, rows, stop);
            rows.flush_part();
            echo(chunk, rows, stop);
            rows.flush_part();
            assert!(chunk.seq != 20, "a defect of the stage");
        };
        assert_panics(&Scripted::new(&process), lines());
    });
}

/// Another worker waits for the pipe, which stays silent.
#[test]
fn a_worker_that_panics_does_not_wait_for_a_silent_pipe() {
    in_time(|| {
        let (reader, mut pipe) = io::pipe().unwrap();
        pipe.write_all(numbered_lines(1).as_bytes()).unwrap();
        let process = |_: &Chunk<'_>, _: &mut ChunkSink<'_>, _: &AtomicBool| panic!("a defect of the stage");
        let input = File::from(std::os::fd::OwnedFd::from(reader));
        assert_panics(&Scripted::new(&process), Input::from_file(input, "<pipe>".into(), true).unwrap());
        drop(pipe);
    });
}
