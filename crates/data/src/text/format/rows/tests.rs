use super::*;
use crate::text::{FormatChoice, FormatOptions, GridPuzzle, read_puzzle};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

fn rows() -> Vec<&'static str> {
    LINE.as_bytes().chunks(9).map(|row| str::from_utf8(row).unwrap()).collect()
}

fn framed(bar: &str, rule: &str) -> String {
    let row = |row: &str| format!("{bar}{}{bar}{}{bar}{}{bar}\n", &row[..3], &row[3..6], &row[6..]);
    let bands =
        rows().chunks(3).map(|band| band.iter().map(|line| row(line)).collect()).collect::<Vec<String>>();
    format!("{rule}\n{}{rule}\n", bands.join(&format!("{rule}\n")))
}

fn read(text: &str) -> Batch {
    let mut batch = Batch::default();
    RowsFormat::of(text.as_bytes()).read(text.as_bytes(), &mut batch);
    batch
}

fn assert_reads(text: &str, count: usize) {
    let batch = read(text);
    let puzzle = read_puzzle(LINE.as_bytes()).unwrap();
    assert_eq!(batch.puzzles, vec![puzzle; count], "{text}\n{:?}", batch.records);
    assert_eq!(batch.records.len(), count, "{text}\n{:?}", batch.records);
}

#[test]
fn rows_are_read_with_and_without_frames() {
    let plain = rows().join("\n");
    assert_reads(&plain, 1);
    assert_reads(&format!("{plain}\n{plain}\n"), 2);
    assert_reads(&format!("{plain}\n\n\n{plain}"), 2);
    assert_reads(&format!("Grid 01\r\n{0}\nGrid 02\n{0}\n", plain.replace('\n', "\r\n")), 2);
    assert_reads(&format!("#A an author\n#D a date\n[Puzzle]\n{plain}\n"), 1);
    let spaced = LINE.replace('.', "0").chars().map(|c| format!("{c} ")).collect::<String>();
    assert_reads(
        &spaced.as_bytes().chunks(18).map(|row| str::from_utf8(row).unwrap()).collect::<Vec<_>>().join("\n"),
        1,
    );
    for (bar, rule) in [
        ("|", "+---+---+---+"),
        ("|", "*---*---*---*"),
        ("", "---+---+---"),
        ("|", "-----------"),
        ("|", "|---|---|---|"),
        (" ", ""),
    ] {
        let rule = if rule.is_empty() { "#" } else { rule };
        assert_reads(&framed(bar, rule).repeat(2), 2);
    }
}

#[test]
fn headings_and_tags_are_no_rows() {
    let grid = rows().join("\n") + "\n";
    let solving = grid.replacen("6..195", "6..1954", 1).replacen("7..", "7", 1);
    let marks = ",12,,345,6,,78,9,\n".repeat(9);
    for file in [
        format!("#AName\n#D1-2-2026\n#CA comment\n{grid}"),
        format!("[Puzzle]\n{grid}[State]\n{grid}"),
        format!("#AName\n[Puzzle]\r\n{grid}\n[State]\n{solving}\n[PencilMarks]\n{marks}\n"),
        format!("[puzzle]\n{grid}[PencilMarks]\n{marks}[Colours]\n{marks}"),
        format!("#AName\n[State]\n{solving}[Puzzle]\n{grid}"),
    ] {
        assert_reads(&file, 1);
        assert_reads(&file.repeat(3), 3);
        let few = file.replacen(&grid[10..20], "", 1);
        assert_eq!(faults(&format!("{file}{few}{file}")), [None, FEW, None], "{few}");
    }
}

#[test]
fn windows_end_in_front_of_what_is_no_record() {
    let grid = rows().join("\n") + "\n";
    let text = format!("[Puzzle]\n{grid}[State]\n{grid}\n[Puzzle]\n{grid}");
    let format = RowsFormat::of(text.as_bytes());
    for cut in 0..=text.len() {
        let (front, back) = text.as_bytes().split_at(format.whole(&text.as_bytes()[..cut]));
        let mut batch: Batch = Batch::default();
        format.read(front, &mut batch);
        format.read(back, &mut batch);
        assert_eq!(batch.puzzles.len(), 2, "{cut}");
    }
}

#[test]
fn dashes_are_blanks_or_rules() {
    let dashed = framed("|", "+---+---+---+").replace("..", "--").replace('.', "-");
    assert_reads(&dashed, 1);
    let empty_row = "1".repeat(9) + "\n" + &"---------\n".repeat(8);
    assert_eq!(read(&empty_row.replacen("1", "-", 8)).puzzles[0].clue_count(), 1);
}

#[test]
fn numbers_are_read_in_lines_of_any_length() {
    let numbers: Vec<String> = LINE.replace('.', "0").chars().map(|c| c.to_string()).collect();
    assert_reads(&numbers.join("\n"), 1);
    assert_reads(&numbers.join(" "), 1);
    assert_reads(&numbers.chunks(20).map(|line| line.join(" ") + "\n").collect::<String>().repeat(3), 3);
}

#[test]
fn a_bad_grid_costs_itself_only() {
    let plain = rows().join("\n");
    for (bad, kind) in [
        (plain.replacen("53..7....", "53..7...", 1), FaultKind::WrongRow { row: 1, found: 8, needed: 9 }),
        (plain.replacen("6..195", "6..q95", 1), FaultKind::Foreign('q')),
        (plain.replacen("53..7....\n", "", 1), FaultKind::CellCount { found: 72, needed: 81 }),
    ] {
        let batch = read(&format!("{plain}\n\n{bad}\n\n{plain}\n\n"));
        assert_eq!(batch.puzzles.len(), 2);
        assert_eq!(
            batch.records.iter().map(|record| record.fault.map(|f| f.kind)).collect::<Vec<_>>(),
            [None, Some(kind), None]
        );
    }
}

/// Returns the faults of the records, in order.
fn faults(text: &str) -> Vec<Option<FaultKind>> {
    read(text).records.iter().map(|record| record.fault.map(|fault| fault.kind)).collect()
}

const FEW: Option<FaultKind> = Some(FaultKind::CellCount { found: 72, needed: 81 });

#[test]
fn frames_keep_grids_apart() {
    for rule in ["+---+---+---+", "*---*---*---*"] {
        let good = framed("|", rule);
        let row = good.lines().nth(5).unwrap().to_owned() + "\n";
        let few = good.replacen(&row, "", 1);
        assert_eq!(faults(&format!("{good}{few}# next\n{good}{few}")), [None, FEW, None, FEW]);
        let more = good.replacen(&row, &row.repeat(2), 1);
        let faults = faults(&format!("{good}{more}{good}"));
        assert_eq!((faults[0], faults.len(), faults[3]), (None, 4, None));
    }
}

/// Returns a grid with blank lines between its bands.
fn banded() -> String {
    rows().chunks(3).map(|band| band.join("\n")).collect::<Vec<_>>().join("\n\n") + "\n"
}

#[test]
fn blank_lines_between_bands_part_no_grid() {
    let grid = banded();
    for separator in ["", "\n", "\n\n", "Grid 02\n", "\nGrid 02\n\n", "# next\n\n", "\n# next\n \r\n"] {
        // Without a separator, the middle bands look like those of one grid of six rows.
        let count = if separator.is_empty() { 1 } else { 3 };
        assert_reads(&vec![&grid[..]; count].join(separator), count);
    }
    let framed = grid.replace("\n\n", "\n\n---------\n\n");
    assert_reads(&format!("---------\n{framed}---------\n\n{framed}"), 2);
}

#[test]
fn a_bad_band_costs_its_grid_only() {
    let grid = banded();
    let (first, middle) = (&grid[..30], &grid[31..61]);
    let too_many = Some(FaultKind::TooManyCells { needed: 81 });
    let two_bands = Some(FaultKind::CellCount { found: 54, needed: 81 });
    for (bad, fault) in [
        (grid.replacen(&first[..10], "", 1), FEW),
        (grid.replacen(&middle[10..20], "", 1), FEW),
        (grid.replacen(first, &format!("{}{first}", &first[..10]), 1), too_many),
        (grid.replacen(middle, &format!("{middle}{middle}"), 1), too_many),
        (grid.replacen(&format!("{middle}\n"), "", 1), two_bands),
    ] {
        let grids = [&grid, &grid, &bad, &grid].map(|grid| &grid[..]);
        assert_eq!(faults(&grids.join("\n\n")), [None, None, fault, None], "{bad}");
    }
    // A grid without blank lines inside.
    let whole = rows().join("\n") + "\n";
    assert_eq!(faults(&[&grid[..], &grid, &whole, &grid].join("\n")), [None; 4]);
}

#[test]
fn only_rows_tell_what_a_dash_is() {
    let rule = "---------";
    for other in ["# 5-star", "Grid 5 - hard", "--- 5 ---"] {
        let format = RowsFormat::of(format!("{other}\n{}", framed("", rule)).as_bytes());
        assert!(!format.blank_marks.contains(&b'-'));
    }
    assert_reads(&format!("# 5-star\n{}", framed("", rule)), 1);
    assert_reads(&format!("Level 5 - hard\n{}", framed("", rule)), 1);
}

#[test]
fn a_record_knows_its_first_cell() {
    let text = format!("Grid 01\n{}", framed(" | ", "---"));
    assert_eq!((read(&text).records[0].start, read(&text).records[0].first_cell()), (12, 15));
}

#[test]
fn a_window_ends_between_grids() {
    let plain = rows().join("\n") + "\n";
    let format = RowsFormat::of(plain.as_bytes());
    let text = format!("# two\n{plain}\n{plain}");
    for cut in 0..=text.len() {
        let whole = format.whole(&text.as_bytes()[..cut]);
        let ends = [0, 6, 6 + plain.len(), 7 + plain.len(), 7 + 2 * plain.len()];
        assert_eq!(whole, *ends.iter().rfind(|&&end| end <= cut).unwrap(), "{cut}");
    }
}

#[test]
fn rows_of_blanks_are_no_rules_beside_letters_of_a_given_alphabet() {
    for blank in ["*", "-", "_"] {
        let text = "abcdef\nfabcd*\n******\n******\n******\n******\n".replace('*', blank);
        let options = FormatOptions {
            format: FormatChoice::Grid,
            shape: Shape::new(2, 3),
            alphabets: vec!["a-f".parse().unwrap()],
            ..FormatOptions::default()
        };
        let layout = options.layout(text.as_bytes(), false).unwrap().unwrap();
        let mut batch = Batch::<GridPuzzle>::default();
        layout.format().read(text.as_bytes(), &mut batch);
        assert_eq!(batch.puzzles.len(), 1, "{text}{:?}", batch.records);
        assert_eq!(batch.puzzles[0].grid.clue_count(), 11);
    }
}

fn side(text: &str) -> Option<(usize, bool)> {
    RowsFormat::find(text.as_bytes(), None, &[]).map(|(rows, _)| (rows.shape.side(), rows.numbers))
}

#[test]
fn whole_grids_tell_the_side() {
    assert_eq!(side(&"12..\n".repeat(4)), Some((4, false)));
    assert_eq!(side(&"12..\n".repeat(3)), None);
    assert_eq!(side(&"1 2 . . 5 6\n".repeat(12)), Some((6, false)));
    assert_eq!(side(&format!("{0}\n{0}\n{0}", "12...6\n12...6\n")), Some((6, false)));
    assert_eq!(
        side(&format!("{0}{0}{0}{0}", "12..|..AB|CD..|...G\n".repeat(4) + "----+----+----+----\n")),
        Some((16, false))
    );
    assert_eq!(side(&"1 2 3 4 | 5 0 0 0 | 9 10 0 0 | 0 0 16 0\n".repeat(16)), Some((16, true)));
    assert_eq!(side(&"1 2 3 4 5 6\n".repeat(13)), None);
    assert_eq!(side(&"53..7....\n".repeat(9)), Some((9, false)));
}
