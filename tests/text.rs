//! Properties of the text formats, over text that is made to be nasty.

use gridmill::text::{Batch, CsvFormat, Fault, Format, GridFormat, LineFormat, read_puzzle};
use proptest::prelude::*;

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// Pieces of files: whole puzzles, rows, frames, quotes, separators, line ends, and what should not be there.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let rows: Vec<Vec<u8>> = LINE.as_bytes().chunks(9).map(<[u8]>::to_vec).collect();
    prop_oneof![
        4 => Just(LINE.as_bytes().to_vec()),
        4 => prop::sample::select(rows),
        6 => Just(b"\n".to_vec()),
        1 => Just(b"\r\n".to_vec()),
        2 => prop::sample::select(vec!["+---+---+---+", "---------", "Grid 01", "# remark", "|", " ", "5 3 0 0 7"])
            .prop_map(|text| text.as_bytes().to_vec()),
        2 => prop::sample::select(vec![",", "\"", "\"\"", ";", "\t"]).prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..12),
    ]
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(piece(), 0..60).prop_map(|pieces| pieces.concat())
}

/// A record apart from where it stands: its text, its echo, its fault at a place in the whole text.
type Seen = (Vec<u8>, String, Option<Fault>);

fn records(format: &dyn Format, chunk: &[u8], start: usize, seen: &mut Vec<Seen>) -> Vec<String> {
    let mut batch = Batch::default();
    format.read(chunk, &mut batch);
    let readable = batch.records.iter().filter(|record| record.fault.is_none()).count();
    assert_eq!(readable, batch.puzzles.len());
    seen.extend(batch.records.iter().map(|record| {
        let fault = record.fault.map(|fault| Fault { offset: fault.offset + start as u32, ..fault });
        (record.text(chunk).to_vec(), format!("{:?}", record.echo), fault)
    }));
    batch.puzzles.iter().map(ToString::to_string).collect()
}

/// However a text is cut, it holds the same records.
fn assert_cuts_do_not_matter(format: &dyn Format, text: &[u8], window: usize) {
    let (mut whole, mut parts) = (Vec::new(), Vec::new());
    let puzzles = records(format, text, 0, &mut whole);
    let mut puzzles_of_parts = Vec::new();
    let (mut start, mut size) = (0, window);
    while start < text.len() {
        let end = (start + size).min(text.len());
        let cut = if end == text.len() { end - start } else { format.whole(&text[start..end]) };
        assert!(cut <= end - start);
        if cut == 0 {
            size += window;
            continue;
        }
        puzzles_of_parts.extend(records(format, &text[start..start + cut], start, &mut parts));
        (start, size) = (start + cut, window);
    }
    assert_eq!(parts, whole, "{}: {:?}", format.name(), String::from_utf8_lossy(text));
    assert_eq!(puzzles_of_parts, puzzles);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn cuts_do_not_matter(text in text(), window in 1usize..400) {
        assert_cuts_do_not_matter(&LineFormat, &text, window);
        assert_cuts_do_not_matter(&GridFormat::of(&text), &text, window);
        assert_cuts_do_not_matter(&CsvFormat { column: 1, width: 2 }, &text, window);
    }

    /// Every line that says something is a record of the line format.
    #[test]
    fn no_line_is_lost(text in text()) {
        let mut batch = Batch::default();
        LineFormat.read(&text, &mut batch);
        let says_something = |line: &&[u8]| {
            let line = line.trim_ascii();
            !line.is_empty() && line[0] != b'#'
        };
        let lines = text.split(|&byte| byte == b'\n').filter(says_something).count();
        prop_assert_eq!(batch.records.len(), lines);
    }

    /// Any bytes are read or refused, with a place inside the line.
    #[test]
    fn any_line_is_read_or_refused(line in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Err(fault) = read_puzzle(&line) {
            prop_assert!(fault.offset as usize <= line.len());
            prop_assert!(!fault.kind.to_string().is_empty());
        }
    }

    /// What a puzzle writes of itself, it reads again, whatever the blanks.
    #[test]
    fn lines_round_trip(cells in prop::collection::vec(0u8..=9, 81), blank in prop::sample::select(b"0.Xx*_-?".to_vec())) {
        let line: Vec<u8> = cells.iter().map(|&cell| if cell == 0 { blank } else { b'0' + cell }).collect();
        let puzzle = read_puzzle(&line).unwrap();
        prop_assert_eq!(puzzle.cells().to_vec(), cells);
        prop_assert_eq!(puzzle.to_string().parse::<gridmill::grid::Puzzle>().unwrap(), puzzle);
    }
}
