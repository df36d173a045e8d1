//! Reading through the public interface: inputs from bytes and from readers, their records one by one, and
//! properties of the text formats, checked with nasty texts.

use std::io::{self, Cursor, Read, Write};
use std::sync::atomic::AtomicBool;

use flate2::Compression;
use flate2::write::GzEncoder;
use gridmill_core::grid::{Pencilmarks, Puzzle};
use gridmill_core::solver::{EngineKind, Solver};
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::pipeline::{self, Input, InputRecord, Records, RunOptions};
use gridmill_data::record::{ChunkReport, Observer};
use gridmill_data::text::{
    BankReader, Batch, ClassicReader, CsvFormat, Fault, FaultKind, Format, FormatError, FormatOptions,
    GridFormat, GridPuzzle, HodokuReader, LineFormat, MAX_RECORD, read_puzzle,
};
use proptest::prelude::*;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::common;
use crate::pipeline::{solved_lines, solving};

const CLASSIC: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

const BAND: &str = "53..7....\n6..195...\n.98....6.\n";

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
        assert_eq!(found[2].puzzle.clone().unwrap_err().kind, FaultKind::too_long(MAX_RECORD));
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
        assert!(error.to_string().starts_with("p: the input has "), "{error}");
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
        let engine = || -> Box<dyn Solver> { EngineKind::Lockstep.build() };
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

/// Pieces of files: whole puzzles, rows, frames, quotes, separators, line ends, and garbage.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let rows: Vec<Vec<u8>> = CLASSIC.as_bytes().chunks(9).map(<[u8]>::to_vec).collect();
    prop_oneof![
        4 => Just(CLASSIC.as_bytes().to_vec()),
        4 => prop::sample::select(rows),
        6 => Just(b"\n".to_vec()),
        1 => Just(b"\r\n".to_vec()),
        2 => prop::sample::select(vec!["+---+---+---+", "---------", "Grid 01", "# remark", "|", " ", "5 3 0 0 7"])
            .prop_map(|text| text.as_bytes().to_vec()),
        1 => list().prop_map(|(_, line)| line),
        2 => prop::sample::select(vec!["0000183b305c ", "0000183b305", ":0702:1:", "::", "714 723", "+"])
            .prop_map(|text| text.as_bytes().to_vec()),
        2 => prop::sample::select(vec![",", "\"", "\"\"", ";", "\t"]).prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..12),
    ]
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(piece(), 0..60).prop_map(|pieces| pieces.concat())
}

/// Lines of grids in any order: rows, bands, whole grids, frames, blank lines, titles, comments.
fn grid_line() -> impl Strategy<Value = Vec<u8>> {
    let rows: Vec<&str> = CLASSIC.as_bytes().chunks(9).map(|row| std::str::from_utf8(row).unwrap()).collect();
    let framed = rows.iter().map(|row| format!("|{}|{}|{}|", &row[..3], &row[3..6], &row[6..]));
    let framed = framed.collect::<Vec<_>>().join("\n");
    let rule = "+---+---+---+";
    let list = CLASSIC.chars().map(|cell| cell.to_string()).collect::<Vec<_>>().join(" ");
    let lines = prop_oneof![
        6 => Just(format!("{BAND}\n")),
        2 => Just(format!("{BAND}\n{BAND}\n{BAND}\n")),
        2 => Just(format!("{rule}\n{framed}\n{rule}")),
        1 => Just(rows.join("\n")),
        1 => Just(list),
        3 => prop::sample::select(vec![rows[0], rows[4], "---------", "1--------", "|", "53..7...", "53..7....."])
            .prop_map(str::to_owned),
        1 => prop::sample::select(vec!["[Puzzle]", "[State]", "[PencilMarks]\r", "[State", ",1,23,4,,,,,"])
            .prop_map(str::to_owned),
        6 => prop::sample::select(vec!["", rule, "# 5-star", "#AName", "Grid 01", " \t", "\r"]).prop_map(str::to_owned),
    ];
    lines.prop_map(|lines| (lines + "\n").into_bytes())
}

fn grids() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(grid_line(), 0..40).prop_map(|lines| lines.concat())
}

/// About 81 cells with the same gap between them, and perhaps a remark. Returns the cells and the line.
fn list() -> impl Strategy<Value = (String, Vec<u8>)> {
    let gap = prop::sample::select(vec!["", " ", "  ", "\t"]);
    let remark = prop::sample::select(vec!["", "   ", "; x", "\teasy", "  easy"]);
    (prop_oneof!["[0-9.]{79,83}", "[1-9]{79,83}"], gap, remark).prop_map(|(cells, gap, remark)| {
        let spaced: Vec<String> = cells.chars().map(|cell| cell.to_string()).collect();
        (cells, (spaced.join(gap) + remark).into_bytes())
    })
}

/// A record without its place: its text, its echo, and its first cell and fault relative to the whole text.
type RecordView = (Vec<u8>, String, usize, Option<Fault>);

fn read_records(format: &dyn Format, chunk: &[u8], start: usize, seen: &mut Vec<RecordView>) -> Vec<String> {
    let mut batch = Batch::default();
    format.read(chunk, &mut batch);
    let readable = batch.records.iter().filter(|record| record.fault.is_none()).count();
    assert_eq!(readable, batch.puzzles.len());
    seen.extend(batch.records.iter().map(|record| {
        let fault = record.fault.map(|fault| Fault { offset: fault.offset + start as u32, ..fault });
        (record.text(chunk).to_vec(), format!("{:?}", record.echo), start + record.first_cell(), fault)
    }));
    batch.puzzles.iter().map(ToString::to_string).collect()
}

/// Checks that a text has the same records wherever it is cut.
fn assert_cuts_do_not_matter(format: &dyn Format, text: &[u8], window: usize) {
    let (mut whole, mut parts) = (Vec::new(), Vec::new());
    let puzzles = read_records(format, text, 0, &mut whole);
    let mut puzzles_of_parts = Vec::new();
    let (mut start, mut size) = (0, window);
    while start < text.len() {
        let end = (start + size).min(text.len());
        let cut = if end == text.len() { end - start } else { format.complete_len(&text[start..end]) };
        assert!(cut <= end - start);
        if cut == 0 {
            size += window;
            continue;
        }
        puzzles_of_parts.extend(read_records(format, &text[start..start + cut], start, &mut parts));
        (start, size) = (start + cut, window);
    }
    assert_eq!(parts, whole, "{window}: {:?}", String::from_utf8_lossy(text));
    assert_eq!(puzzles_of_parts, puzzles);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn cuts_do_not_matter(text in text(), window in 1usize..400) {
        assert_cuts_do_not_matter(&LineFormat(ClassicReader), &text, window);
        assert_cuts_do_not_matter(&LineFormat(BankReader(ClassicReader)), &text, window);
        assert_cuts_do_not_matter(&LineFormat(HodokuReader::default()), &text, window);
        assert_cuts_do_not_matter(&GridFormat::classic(&text), &text, window);
        assert_cuts_do_not_matter(&CsvFormat { column: 1, width: 2, separator: b',', reader: ClassicReader }, &text, window);
    }

    #[test]
    fn cuts_do_not_matter_to_grids(text in grids(), window in 1usize..400) {
        assert_cuts_do_not_matter(&GridFormat::classic(&text), &text, window);
        // Reads the text as if the file had begun differently.
        for head in [format!("{BAND}\n"), BAND.replace('\n', ""), format!("#AName\n{BAND}")] {
            assert_cuts_do_not_matter(&GridFormat::classic(head.as_bytes()), &text, window);
        }
    }

    /// Only 81 cells are a puzzle, with any separators.
    #[test]
    fn a_puzzle_has_81_cells((cells, line) in list()) {
        let expected = if cells.len() == 81 { cells.parse().ok() } else { None };
        prop_assert_eq!(read_puzzle(&line).ok(), expected);
    }

    /// Every line that is neither blank nor a comment becomes a record.
    #[test]
    fn no_line_is_lost(text in text()) {
        let says_something = |line: &&[u8]| {
            let line = line.trim_ascii();
            !line.is_empty() && line[0] != b'#'
        };
        let lines = text.split(|&byte| byte == b'\n').filter(says_something).count();
        let formats: [(&str, &dyn Format); 3] = [
            ("line", &LineFormat(ClassicReader)),
            ("bank", &LineFormat(BankReader(ClassicReader))),
            ("hodoku", &LineFormat(HodokuReader::default())),
        ];
        for (name, format) in formats {
            let mut batch = Batch::default();
            format.read(&text, &mut batch);
            prop_assert_eq!(batch.records.len(), lines, "{}", name);
        }
    }

    /// Any bytes are read or rejected, with a place inside the line.
    #[test]
    fn any_line_is_read_or_refused(line in prop_oneof![prop::collection::vec(any::<u8>(), 0..200), "[0-9 ]{70,90}".prop_map(String::into_bytes)]) {
        if let Err(fault) = read_puzzle(&line) {
            prop_assert!(fault.offset as usize <= line.len());
            prop_assert!(!fault.kind.to_string().is_empty());
        }
    }

    /// A puzzle can be read from what it writes, for any kind of blank.
    #[test]
    fn lines_round_trip(cells in prop::collection::vec(0u8..=9, 81), blank in prop::sample::select(b"0.Xx*_-?".to_vec())) {
        let line: Vec<u8> = cells.iter().map(|&cell| if cell == 0 { blank } else { b'0' + cell }).collect();
        let puzzle = read_puzzle(&line).unwrap();
        prop_assert_eq!(puzzle.cells().to_vec(), cells);
        prop_assert_eq!(puzzle.to_string().parse::<gridmill_core::grid::Puzzle>().unwrap(), puzzle);
    }
}
