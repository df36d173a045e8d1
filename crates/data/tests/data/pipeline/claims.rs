//! How a mapped file and a stream are cut into chunks.

use std::fs::File;
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;

use gridmill_data::pipeline::{Chunk, ChunkSlot, Input};
use gridmill_data::record::{InputAmount, Places};
use gridmill_data::text::{Batch, ClassicReader, Format, FormatOptions, LineFormat, MAX_RECORD};

use super::{LONG, Scripted, echo, in_time, input_of, run};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// Texts that are hard to cut, by name. Those with a line of more than [`MAX_RECORD`] come last.
fn texts() -> Vec<(&'static str, String)> {
    let long = "9".repeat(MAX_RECORD + 1_000);
    let remark = "r".repeat(700);
    vec![
        ("plain", format!("{LINE}\n").repeat(5)),
        ("no final newline", format!("{LINE}\nbad\n{LINE}")),
        ("CRLF", format!("{LINE}\r\nbad\r\n\r\n{LINE}\r\n")),
        ("comments and blanks", format!("# one\n\n{LINE}\n  \n# two\n{LINE}\n#")),
        ("a long remark", format!("{LINE} {remark}\n{LINE}\n")),
        ("one byte", "5".to_owned()),
        ("one line feed", "\n".to_owned()),
        ("a line of the limit", format!("{LINE}\n{}\n{LINE}\n", &long[..MAX_RECORD])),
        ("a line that is too long", format!("{LINE}\n{long}\n{LINE}\nbad\n")),
        ("a long line in front, CRLF", format!("{long}\r\n{LINE}\r\n")),
        ("a long line at the end", format!("{LINE}\n{long}")),
        ("two long lines", format!("{long}{long}\n{long}\n{LINE}")),
    ]
}

/// All sizes up to that of a line, some around powers of two, and one that holds everything.
fn sizes(text: &str) -> Vec<usize> {
    let every = if text.len() > MAX_RECORD { 1..4 } else { 1..90 };
    let some = [165, 200, 1_000, 4_096, MAX_RECORD - 1, MAX_RECORD, MAX_RECORD + 1, 2 * MAX_RECORD, 1 << 20];
    every.chain(some).collect()
}

/// Writes the line of each record, with its puzzle or its fault.
fn describe(chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>, _: &AtomicBool) {
    let mut batch = Batch::default();
    if chunk.too_long {
        LineFormat(ClassicReader).read_too_long(&chunk.text, &mut batch);
    } else {
        LineFormat(ClassicReader).read(&chunk.text, &mut batch);
    }
    let mut places = Places::new(&chunk.text, rows.output.report.before.lines);
    for (record, read) in batch.iter() {
        let (line, _) = places.at(record.first_cell());
        let said = match (read, record.fault) {
            (Some((_, puzzle)), _) => puzzle.to_string(),
            (None, fault) => fault.unwrap().kind.to_string(),
        };
        writeln!(rows.output.value, "{line} {said}").unwrap();
    }
}

/// Writes the same from the lines of the whole text, one by one.
fn described(text: &str) -> String {
    let mut out = "header\n".to_owned();
    for (number, line) in (1..).zip(text.split('\n')) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let mut batch = Batch::default();
        if line.len() > MAX_RECORD {
            LineFormat(ClassicReader).read_too_long(line.as_bytes(), &mut batch);
        } else {
            LineFormat(ClassicReader).read(line.as_bytes(), &mut batch);
        }
        let said = match (batch.puzzles.first(), batch.records[0].fault) {
            (Some(puzzle), _) => puzzle.to_string(),
            (None, fault) => fault.unwrap().kind.to_string(),
        };
        out += &format!("{number} {said}\n");
    }
    out
}

/// A pipe into which a thread writes the text.
fn piped(text: &str) -> Input {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let text = text.to_owned();
    std::thread::spawn(move || writer.write_all(text.as_bytes()));
    input_from_pipe(reader)
}

fn input_from_pipe(reader: std::io::PipeReader) -> Input {
    Input::from_file(File::from(std::os::fd::OwnedFd::from(reader)), "<pipe>".into(), true).unwrap()
}

fn rows_of(stage: &Scripted<'_>, input: Input, chunk_bytes: usize) -> (String, InputAmount) {
    let mut output = Vec::new();
    let finished = run(stage, input, chunk_bytes, &mut output, &AtomicBool::new(false)).unwrap();
    assert!(!finished.stopped);
    (String::from_utf8(output).unwrap(), finished.totals)
}

#[test]
fn every_chunk_size_gives_the_same_records_of_a_map_and_of_a_stream() {
    for (name, text) in texts() {
        let expected = described(&text);
        for size in sizes(&text) {
            for may_map in [true, false] {
                let input = input_of(text.as_bytes(), may_map);
                assert_eq!(input.is_mapped(), may_map);
                let (rows, _) = rows_of(&Scripted::new(&describe), input, size);
                assert!(rows == expected, "{name}, chunks of {size}, mapped: {may_map}: {rows}");
            }
        }
    }
}

#[test]
fn a_pipe_gives_the_records_of_a_file() {
    for (name, text) in texts() {
        let expected = described(&text);
        for size in [1, 7, 100, MAX_RECORD, 1 << 20] {
            let (rows, _) = rows_of(&Scripted::new(&describe), piped(&text), size);
            assert!(rows == expected, "{name}, chunks of {size}: {rows}");
        }
    }
}

/// Together, all chunks are the text.
#[test]
fn no_byte_is_lost_where_long_lines_are_kept() {
    for (name, text) in texts() {
        let stage = Scripted { keeps_long_lines: true, ..Scripted::new(&echo) };
        let lines = text.split_inclusive('\n').count() as u64;
        let expected = InputAmount { records: lines, puzzles: lines, lines, bytes: text.len() as u64 };
        for size in [1, 3, 100, MAX_RECORD, MAX_RECORD + 1, 1 << 20] {
            for input in [input_of(text.as_bytes(), true), input_of(text.as_bytes(), false), piped(&text)] {
                let (rows, totals) = rows_of(&stage, input, size);
                assert!(rows.strip_prefix("header\n") == Some(&text), "{name}, chunks of {size}");
                assert_eq!(totals, expected, "{name}, chunks of {size}");
            }
        }
    }
}

#[test]
fn a_long_line_is_cut_unless_it_is_kept() {
    let text = format!("{LINE}\n{}\n{LINE}\n", "9".repeat(9 * MAX_RECORD));
    let longest = Mutex::new(0);
    let process = |chunk: &Chunk<'_>, _: &mut ChunkSlot<'_>, _: &AtomicBool| {
        assert_eq!(chunk.too_long, chunk.text.len() > MAX_RECORD);
        let mut longest = longest.lock().unwrap();
        *longest = chunk.text.len().max(*longest);
    };
    for input in [input_of(text.as_bytes(), true), input_of(text.as_bytes(), false), piped(&text)] {
        rows_of(&Scripted::new(&process), input, 100);
        assert_eq!(std::mem::take(&mut *longest.lock().unwrap()), MAX_RECORD + 1);
    }
}

#[test]
fn the_preamble_is_counted_and_not_processed() {
    let text = format!("# comment\npuzzle\n{LINE}\n");
    for may_map in [true, false] {
        let mut input = input_of(text.as_bytes(), may_map);
        let layout = input.detect(&FormatOptions::default(), &AtomicBool::new(false)).unwrap().unwrap();
        assert_eq!(layout.body_start, "# comment\npuzzle\n".len());
        let (rows, totals) = rows_of(&Scripted::new(&describe), input, 10);
        assert_eq!(rows, format!("header\n3 {LINE}\n"));
        assert_eq!(totals, InputAmount { records: 1, puzzles: 1, lines: 3, bytes: text.len() as u64 });
    }
}

/// An output that sends its bytes through a channel.
struct SendingOutput(mpsc::Sender<Vec<u8>>);

impl Write for SendingOutput {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.send(bytes.to_vec()).unwrap();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The test writes more into the pipe only after it has seen the rows of the earlier records.
#[test]
fn a_pipe_that_pauses_within_a_record_gets_the_rows_of_earlier_records() {
    in_time(|| {
        let (reader, mut pipe) = std::io::pipe().unwrap();
        let (sender, rows) = mpsc::channel();
        let run = std::thread::spawn(move || {
            let stop = AtomicBool::new(false);
            run(
                &Scripted::new(&describe),
                input_from_pipe(reader),
                1 << 16,
                &mut SendingOutput(sender),
                &stop,
            )
            .unwrap()
        });
        let wait_for = |expected: &str| {
            let mut came = String::new();
            while came.len() < expected.len() {
                came += str::from_utf8(&rows.recv_timeout(LONG).unwrap()).unwrap();
            }
            assert_eq!(came, expected);
        };
        wait_for("header\n");
        write!(pipe, "{LINE}\n{LINE}\n{}", &LINE[..30]).unwrap();
        wait_for(&format!("1 {LINE}\n2 {LINE}\n"));
        write!(pipe, "{}\nba", &LINE[30..]).unwrap();
        wait_for(&format!("3 {LINE}\n"));
        write!(pipe, "{}", &LINE[2..]).unwrap();
        drop(pipe);
        assert_eq!(run.join().unwrap().totals.records, 4);
        let rest: Vec<u8> = rows.iter().flatten().collect();
        assert!(rest.starts_with(b"4 "), "{}", String::from_utf8_lossy(&rest));
    });
}
