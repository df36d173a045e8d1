//! Inputs from bytes and from readers, and their records one by one.

use std::io::{self, Cursor, Read, Write};
use std::sync::atomic::AtomicBool;

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::common;
use crate::pipeline::scripted::{solved_lines, solving};
use gridmill_core::grid::{Pencilmarks, Puzzle};
use gridmill_core::solver::{Solver, SolverKind};
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::pipeline;
use gridmill_data::pipeline::{Input, InputRecord, Records, RunOptions};
use gridmill_data::record::{ChunkReport, Observer};
use gridmill_data::text::{FaultKind, FormatError, FormatOptions, GridPuzzle};

const CLASSIC: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// Reads a text in small steps, and then fails or ends.
struct SlowReader {
    text: Cursor<Vec<u8>>,
    step: usize,
    failure: Option<io::ErrorKind>,
}

impl SlowReader {
    fn new(text: &[u8], step: usize) -> SlowReader {
        SlowReader { text: Cursor::new(text.to_vec()), step, failure: None }
    }
}

impl Read for SlowReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = buffer.len().min(self.step);
        match (self.text.read(&mut buffer[..room])?, self.failure) {
            (0, Some(failure)) => Err(failure.into()),
            (count, _) => Ok(count),
        }
    }
}

fn records(input: Input) -> Vec<InputRecord> {
    let records: Records = input.records(&FormatOptions::default()).unwrap();
    records.map(Result::unwrap).collect()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zip(text: &[u8]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("p.txt", SimpleFileOptions::default()).unwrap();
    archive.write_all(text).unwrap();
    archive.finish().unwrap().into_inner()
}

/// Makes inputs from the same text as a file, as bytes and from readers. All must give the same records.
fn inputs(text: &[u8]) -> Vec<Input> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(text).unwrap();
    io::Seek::rewind(&mut file).unwrap();
    vec![
        Input::from_file(file, "p".into(), true).unwrap(),
        Input::from_bytes("p", text.to_vec()),
        Input::from_reader("p", Cursor::new(text.to_vec())),
        Input::from_reader("p", SlowReader::new(text, 1000)),
    ]
}

#[test]
fn records_of_many_chunks_come_in_order() {
    let puzzles = common::easy_puzzles(500, 90).repeat(20);
    let text = format!("# a comment\n\n{}", common::as_lines(&puzzles));
    assert!(text.len() > 3 * pipeline::CHUNK_BYTES);
    for packed in [text.as_bytes().to_vec(), gzip(text.as_bytes()), zip(text.as_bytes())] {
        for input in inputs(&packed) {
            let found = records(input);
            assert_eq!(found.len(), puzzles.len());
            for ((index, record), puzzle) in found.iter().enumerate().zip(&puzzles) {
                assert_eq!(record.puzzle.as_ref(), Ok(puzzle));
                assert_eq!((record.number, record.line), (index as u64 + 1, index as u64 + 3));
                assert_eq!(record.text, puzzle.to_string().as_bytes());
            }
        }
    }
}

#[test]
fn committed_files_of_every_compression_read_alike() {
    let plain = include_bytes!("../../../../datasets/classics.txt");
    let expected: Vec<Puzzle> = common::classics();
    for packed in [
        &plain[..],
        include_bytes!("../../../../tests/cli/packed/classics.txt.gz"),
        include_bytes!("../../../../tests/cli/packed/classics.txt.xz"),
        include_bytes!("../../../../tests/cli/packed/classics.txt.zst"),
    ] {
        for input in inputs(packed) {
            let puzzles: Vec<Puzzle> = records(input).into_iter().filter_map(|r| r.puzzle.ok()).collect();
            assert_eq!(puzzles, expected);
        }
    }
}

#[test]
fn a_malformed_record_has_a_place_and_reading_continues() {
    let long = "1".repeat(100_000);
    let text = format!("{CLASSIC}\n\n# comment\n{}$\r\n{long}\n{CLASSIC}", &CLASSIC[..80]);
    for input in inputs(text.as_bytes()) {
        let found = records(input);
        let places: Vec<_> = found.iter().map(|record| (record.number, record.line)).collect();
        assert_eq!(places, [(1, 1), (2, 4), (3, 5), (4, 6)]);
        let fault = found[1].puzzle.clone().unwrap_err();
        assert_eq!(fault.kind, FaultKind::Foreign('$'));
        assert_eq!(fault.to_string(), "p:4:81: record 2: malformed: '$' is neither digit nor blank");
        assert_eq!(found[1].text, format!("{}$", &CLASSIC[..80]).as_bytes());
        assert_eq!(found[2].puzzle.clone().unwrap_err().kind, FaultKind::RecordTooLong);
        assert!(long.as_bytes().starts_with(&found[2].text));
        assert_eq!(found[3].puzzle, Ok(CLASSIC.parse().unwrap()));
    }
}

#[test]
fn an_empty_input_has_no_records() {
    for text in [&b""[..], b"\n\n", b"# nothing\n"] {
        for input in inputs(text) {
            assert_eq!(records(input).len(), 0);
        }
        let marks: Records<Pencilmarks> =
            Input::from_bytes("p", text.to_vec()).records(&FormatOptions::default()).unwrap();
        assert_eq!(marks.count(), 0);
    }
}

#[test]
fn a_reader_that_fails_ends_the_records_with_its_error() {
    let puzzles = common::easy_puzzles(500, 91).repeat(10);
    let text = common::as_lines(&puzzles);
    let failure = Some(io::ErrorKind::ConnectionReset);
    let reader = SlowReader { failure, ..SlowReader::new(text.as_bytes(), 5000) };
    let mut records: Records =
        Input::from_reader("a socket", reader).records(&FormatOptions::default()).unwrap();
    let read = records.by_ref().take_while(Result::is_ok).count();
    assert!((3_000..5_000).contains(&read), "{read}");
    assert!(records.next().is_none());

    let reader = SlowReader { failure, ..SlowReader::new(b"", 1) };
    let error = Input::from_reader("a socket", reader).records::<Puzzle>(&FormatOptions::default());
    let error = error.err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::Read { .. }));
    assert!(error.to_string().starts_with("a socket: reading failed: "), "{error}");
}

#[test]
fn truncated_compressed_bytes_are_an_error() {
    let packed = gzip(common::as_lines(&common::easy_puzzles(500, 92).repeat(10)).as_bytes());
    for input in inputs(&packed[..packed.len() - 100]) {
        let records: Records = input.records(&FormatOptions::default()).unwrap();
        let last = records.last().unwrap();
        assert!(matches!(last.unwrap_err().kind(), ErrorKind::Read { .. }));
    }
}

#[test]
fn every_kind_of_puzzle_has_records() {
    let options = FormatOptions::default();
    let large = Input::from_bytes("p", &include_bytes!("../../../../datasets/16x16.txt")[..]);
    let large: Records<GridPuzzle> = large.records(&options).unwrap();
    assert_eq!(large.layout().shape.unwrap().side(), 16);
    assert!(large.map(Result::unwrap).all(|record| record.puzzle.unwrap().grid.clue_count() > 0));

    let marks = Input::from_bytes("p", &include_bytes!("../../../../datasets/formats/pencilmarks.txt")[..]);
    let marks: Records<Pencilmarks> = marks.records(&options).unwrap();
    assert!(marks.map(Result::unwrap).all(|record| record.puzzle.is_ok()));

    let rows = Input::from_bytes("p", &include_bytes!("../../../../datasets/formats/rows.txt")[..]);
    assert!(records(rows).iter().all(|record| record.puzzle.is_ok()));
}

/// Otherwise, digits of another alphabet would be taken for those of classic puzzles.
#[test]
fn puzzles_of_another_kind_are_refused() {
    let refused = |error: Option<Error>| {
        let error = error.expect("refused");
        assert!(error.to_string().starts_with("p: the input holds "), "{error}");
        let ErrorKind::InFile { error, .. } = error.kind() else { panic!("{error}") };
        assert!(matches!(error.kind(), ErrorKind::Format(FormatError::OtherKind { .. })));
    };
    let options = FormatOptions::default();
    let large = || Input::from_bytes("p", &include_bytes!("../../../../datasets/16x16.txt")[..]);
    refused(large().records::<Puzzle>(&options).err());
    refused(large().records::<Pencilmarks>(&options).err());
    let classics = Input::from_bytes("p", CLASSIC.as_bytes());
    refused(classics.records::<Pencilmarks>(&options).err());
    let zero_is_a_digit = FormatOptions { alphabets: vec!["0-8".parse().unwrap()], ..options };
    let classics = Input::from_bytes("p", CLASSIC.as_bytes());
    refused(classics.records::<Puzzle>(&zero_is_a_digit).err());
}

struct Silent;

impl Observer for Silent {
    fn written(&mut self, _: &ChunkReport) {}
}

#[test]
fn a_run_over_bytes_or_a_reader_writes_the_rows_of_a_file() {
    let text = common::as_lines(&common::mixed_puzzles(3_000, 93));
    let rows = |input: Input| {
        let engine = || -> Box<dyn Solver> { SolverKind::Lockstep.build() };
        let stage = solving(&engine, solved_lines());
        let options = RunOptions { threads: 2, chunk_bytes: Some(10_000), ..RunOptions::new(&stage) };
        let mut output = Vec::new();
        let finished =
            pipeline::run(&options, input, &mut output, &mut Silent, &AtomicBool::new(false)).unwrap();
        assert_eq!((finished.totals.records, finished.stopped), (3_000, false));
        // Drops the times, which differ between runs.
        let rows = String::from_utf8(output).unwrap();
        rows.lines().map(|row| row.rsplit_once(',').unwrap().0.to_owned()).collect::<Vec<_>>()
    };
    for packed in [text.as_bytes().to_vec(), gzip(text.as_bytes())] {
        let mut found = inputs(&packed).into_iter().map(rows);
        let expected = found.next().unwrap();
        assert!(found.all(|rows| rows == expected));
    }
}
