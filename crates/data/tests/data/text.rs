//! Properties of the text formats, checked with nasty texts.

use gridmill_data::text::{
    BankReader, Batch, ClassicReader, CsvFormat, Fault, Format, HodokuReader, LineFormat, RowsFormat,
    read_puzzle,
};
use proptest::prelude::*;

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

const BAND: &str = "53..7....\n6..195...\n.98....6.\n";

/// Pieces of files: whole puzzles, rows, frames, quotes, separators, line ends, and garbage.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let rows: Vec<Vec<u8>> = LINE.as_bytes().chunks(9).map(<[u8]>::to_vec).collect();
    prop_oneof![
        4 => Just(LINE.as_bytes().to_vec()),
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
    let rows: Vec<&str> = LINE.as_bytes().chunks(9).map(|row| std::str::from_utf8(row).unwrap()).collect();
    let framed = rows.iter().map(|row| format!("|{}|{}|{}|", &row[..3], &row[3..6], &row[6..]));
    let framed = framed.collect::<Vec<_>>().join("\n");
    let rule = "+---+---+---+";
    let list = LINE.chars().map(|cell| cell.to_string()).collect::<Vec<_>>().join(" ");
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

fn records(format: &dyn Format, chunk: &[u8], start: usize, seen: &mut Vec<RecordView>) -> Vec<String> {
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
        assert_cuts_do_not_matter(&RowsFormat::classic(&text), &text, window);
        assert_cuts_do_not_matter(&CsvFormat { column: 1, width: 2, separator: b',', reader: ClassicReader }, &text, window);
    }

    #[test]
    fn cuts_do_not_matter_to_grids(text in grids(), window in 1usize..400) {
        assert_cuts_do_not_matter(&RowsFormat::classic(&text), &text, window);
        // Reads the text as if the file had begun differently.
        for head in [format!("{BAND}\n"), BAND.replace('\n', ""), format!("#AName\n{BAND}")] {
            assert_cuts_do_not_matter(&RowsFormat::classic(head.as_bytes()), &text, window);
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
