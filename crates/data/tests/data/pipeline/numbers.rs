//! How records and puzzles are numbered, in one file and from file to file.

use std::sync::atomic::AtomicBool;

use gridmill_core::grid::Puzzle;
use gridmill_data::pipeline;
use gridmill_data::pipeline::{Chunk, ChunkSizing, Input, Job, MapRows, RowMapper, RowSink, Stage};
use gridmill_data::record::{PlacedRecord, Status, Totals};
use gridmill_data::text::{ClassicReader, LineFormat};

use super::scripted::{Scripted, Watch, input_of, numbered_lines};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// Runs a file, in chunks of that size on three threads, behind so many records of others.
fn run_behind(stage: &dyn Stage, input: Input, chunk_bytes: usize, follows: Option<u64>) -> (String, Totals) {
    let job = Job { threads: 3, chunk_bytes: Some(chunk_bytes), follows, ..Job::new(stage) };
    let mut output = Vec::new();
    let finished =
        pipeline::run(&job, input, &mut output, &mut Watch::default(), &AtomicBool::new(false)).unwrap();
    (String::from_utf8(output).unwrap(), finished.totals)
}

#[test]
fn records_are_numbered_on_from_file_to_file() {
    let process = |chunk: &Chunk<'_>, rows: &mut RowSink<'_>, _: &AtomicBool| {
        let before = rows.output.report.before;
        assert_eq!(before.bytes, 8 * before.records);
        let first = rows.earlier_records + before.records;
        for (number, _) in (first..).zip(chunk.text.split_inclusive(|&byte| byte == b'\n')) {
            rows.output.rows.extend_from_slice(format!("{number}\n").as_bytes());
        }
    };
    let stage = Scripted::new(&process);
    for size in [1, 8, 20, 100, 10_000] {
        let (mut output, mut records) = (String::new(), None);
        for count in [100, 0, 1, 37] {
            let (rows, totals) =
                run_behind(&stage, input_of(numbered_lines(count).as_bytes(), true), size, records);
            assert_eq!(totals, Totals { records: count, puzzles: count, lines: count, bytes: 8 * count });
            output += &rows;
            records = Some(records.unwrap_or(0) + totals.records);
        }
        let numbers: String = (0..138).map(|number| format!("{number}\n")).collect();
        assert_eq!(output, format!("header\n{numbers}"), "chunks of {size}");
    }
}

/// Gives each puzzle its number.
struct Numbers;

impl RowMapper for Numbers {
    type Answer = u64;

    fn answer(&mut self, puzzles: &[Puzzle], first: u64, _: &AtomicBool, answers: &mut Vec<u64>) {
        answers.extend((first..).take(puzzles.len()));
    }

    fn rows(&self, _: &PlacedRecord<'_>, answered: Option<(&Puzzle, &u64)>, out: &mut Vec<u8>) -> Status {
        let said = answered.map_or("none".to_owned(), |(_, number)| number.to_string());
        out.extend_from_slice((said + "\n").as_bytes());
        if answered.is_some() { Status::Solved } else { Status::Malformed }
    }
}

/// What is said of a puzzle does not change when a record that can't be read is put in front of it.
#[test]
fn map_rows_numbers_puzzles_and_not_records() {
    let lines: Vec<&str> = (0..2_000).map(|record| if record % 7 < 3 { "bad" } else { LINE }).collect();
    let stage = MapRows {
        format: Box::new(LineFormat(ClassicReader)),
        header: b"header\n".to_vec(),
        mapper: Box::new(|| Numbers),
        diagnostics: false,
        sizing: ChunkSizing::BATCHES,
    };
    for follows in [None, Some(0), Some(1_000)] {
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
        // A chunk of all has more puzzles than a mapper is handed at once.
        for size in [1, 100, 1_000, 1 << 20] {
            let input = input_of(lines.join("\n").as_bytes(), true);
            let (rows, totals) = run_behind(&stage, input, size, follows);
            assert!(rows == expected, "{follows:?}, chunks of {size}");
            let puzzles = lines.iter().filter(|line| **line == LINE).count() as u64;
            assert_eq!((totals.records, totals.puzzles, totals.lines), (2_000, puzzles, 2_000));
        }
    }
}
