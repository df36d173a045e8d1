//! How records and puzzles are numbered, within a file and across files.

use std::sync::atomic::AtomicBool;

use gridmill_core::jobs::{Job, Read};
use gridmill_data::pipeline;
use gridmill_data::pipeline::{Chunk, ChunkSink, ChunkSizing, Input, JobStage, RunOptions, Stage};
use gridmill_data::record::{AnsweredRecords, Sink, Totals};
use gridmill_data::text::{ClassicReader, LineFormat};

use super::scripted::{Scripted, Watch, input_of, numbered_lines};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// Runs a file on three threads, after `follows` records of other files.
fn run_after(stage: &dyn Stage, input: Input, chunk_bytes: usize, follows: Option<u64>) -> (String, Totals) {
    let options =
        RunOptions { threads: 3, chunk_bytes: Some(chunk_bytes), follows, ..RunOptions::new(stage) };
    let mut output = Vec::new();
    let finished =
        pipeline::run(&options, input, &mut output, &mut Watch::default(), &AtomicBool::new(false)).unwrap();
    (String::from_utf8(output).unwrap(), finished.totals)
}

#[test]
fn numbers_of_records_continue_from_file_to_file() {
    let process = |chunk: &Chunk<'_>, rows: &mut ChunkSink<'_>, _: &AtomicBool| {
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
            assert_eq!(totals, Totals { records: count, puzzles: count, lines: count, bytes: 8 * count });
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
    for (follows, is_bulky) in
        [None, Some(0), Some(1_000)].into_iter().flat_map(|follows| [(follows, false), (follows, true)])
    {
        let stage = JobStage {
            format: Box::new(LineFormat(ClassicReader)),
            schema: Read.schema(),
            worker: Box::new(|| Read.worker()),
            sink: Box::new(Numbers { is_bulky }),
            diagnostics: false,
            fail_fast: false,
            keeps_long_lines: false,
            sizing: ChunkSizing::BATCHES,
        };
        let mut next = follows.unwrap_or(0);
        let mut expected = if follows.is_none() { "header\n".to_owned() } else { String::new() };
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
            let (rows, totals) = run_after(&stage, input, size, follows);
            assert!(rows == expected, "{follows:?}, chunks of {size}");
            let puzzles = lines.iter().filter(|line| **line == LINE).count() as u64;
            assert_eq!((totals.records, totals.puzzles, totals.lines), (2_000, puzzles, 2_000));
        }
    }
}
