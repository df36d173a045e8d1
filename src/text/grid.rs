//! Puzzles in rows: nine lines of nine cells, with or without frames, or 81 numbers in lines of any
//! length.

use super::cells::cell;
use super::{Batch, Echo, Fault, FaultKind, Format, Line, MAX_RECORD, Record, is_comment, is_skipped, lines};
use crate::grid::{CELLS, Puzzle};

const SIDE: usize = 9;

/// Grids over several lines, digits run together or set apart by white space and `|`.
///
/// A record ends with its ninth row, or with its 81st cell where lines have other lengths. A blank line or
/// a title such as `Grid 01` ends it sooner, and so do two rules such as `---+---+---` one behind the other,
/// the lower edge of a frame and the upper one of the next. Single rules and `#` lines are passed over.
///
/// Where most of what stands between blank lines at the beginning of the file is three rows of nine, blank
/// lines set bands apart. A record then ends at the blank line behind its third band, or behind nine rows
/// without one, or at two blank lines: a row that is missing, or one too many, costs its own record only.
#[derive(Clone, Copy, Debug)]
pub struct GridFormat {
    /// Are there nine cells to a line?
    in_rows: bool,
    /// Are there blank lines between the bands of a grid?
    in_bands: bool,
    /// Whether nine dashes, stars or underscores in a line are a row of blanks, and no rule: the file has
    /// them beside digits.
    blank_dashes: bool,
    blank_stars: bool,
    blank_underscores: bool,
}

/// What a line is in this format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Blank,
    Comment,
    /// A part of a frame.
    Rule,
    /// Words: no row, where a record may begin.
    Title,
    Row,
}

/// A record as its lines come in.
#[derive(Clone, Copy, Debug)]
struct Open {
    start: usize,
    end: usize,
    /// Bytes before its first cell.
    lead: usize,
    rows: usize,
    /// Rows since the last blank line, and bands before it.
    rows_of_band: usize,
    bands: usize,
    found: usize,
    cells: [u8; CELLS],
    fault: Option<Fault>,
}

impl GridFormat {
    /// The format of a file that begins with `head`.
    #[must_use]
    pub fn of(head: &[u8]) -> GridFormat {
        let beside_digits = |mark| lines(head).any(|line| is_row_with(line.text, mark));
        let mut format = GridFormat {
            in_rows: true,
            in_bands: false,
            blank_dashes: beside_digits(b'-'),
            blank_stars: beside_digits(b'*'),
            blank_underscores: beside_digits(b'_'),
        };
        let rows = format.row_lengths(head);
        let nine = rows.iter().flatten().filter(|&&len| len == SIDE).count();
        format.in_rows = 2 * nine >= rows.iter().flatten().count();
        let groups = || rows.split(Option::is_none).filter(|group| !group.is_empty());
        let bands = groups().filter(|group| *group == [Some(SIDE); 3]).count();
        format.in_bands = format.in_rows && 2 * bands > groups().count();
        format
    }

    /// How many cells the rows of a text have, with `None` for what ends a record: blank lines and titles.
    fn row_lengths(self, text: &[u8]) -> Vec<Option<usize>> {
        let length = |line: Line<'_>| match self.kind(line.text, false) {
            Kind::Row => Some(Some(cells_of(line.text).count())),
            Kind::Blank | Kind::Title => Some(None),
            Kind::Comment | Kind::Rule => None,
        };
        lines(text).filter_map(length).collect()
    }

    /// Would this line, by itself, be a row of nine cells or a rule?
    pub(super) fn looks_like_grid(self, line: &[u8]) -> bool {
        self.kind(line, false) == Kind::Row && cells_of(line).count() == SIDE
            || self.is_rule(line)
            || line.trim_ascii().eq_ignore_ascii_case(b"[puzzle]")
    }

    /// Is this a line of single cells set apart by white space, or of one cell?
    pub(super) fn looks_like_list(line: &[u8]) -> bool {
        let mut groups = line.split(u8::is_ascii_whitespace).filter(|group| !group.is_empty()).peekable();
        groups.peek().is_some() && groups.all(|group| matches!(group, &[byte] if cell(byte).is_some()))
    }

    fn kind(self, line: &[u8], in_record: bool) -> Kind {
        if line.len() > MAX_RECORD {
            // Whatever it is, it ends the record that it stands in, or is one.
            return if is_comment(line) && !in_record { Kind::Comment } else { Kind::Row };
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            return Kind::Blank;
        }
        if is_skipped(text) {
            return Kind::Comment;
        }
        if self.is_rule(text) {
            return Kind::Rule;
        }
        let word = text[0] == b'[' || (text[0].is_ascii_alphabetic() && cell(text[0]).is_none());
        if word && (!in_record || text.len() != SIDE) { Kind::Title } else { Kind::Row }
    }

    /// A line of nothing but frame: `---+---+---`, `+-----+`, `*---*---*---*`, `|===|`.
    fn is_rule(self, line: &[u8]) -> bool {
        let mut marks = line.iter().filter(|byte| !byte.is_ascii_whitespace() && **byte != b'|');
        let Some(&first) = marks.clone().next() else { return !line.trim_ascii().is_empty() };
        let is_blank_row = match first {
            b'-' => self.blank_dashes,
            b'*' => self.blank_stars,
            b'_' => self.blank_underscores,
            _ => false,
        };
        let even = marks.clone().all(|&mark| mark == first);
        if is_blank_row && even && marks.clone().count() == SIDE {
            return false;
        }
        marks.all(|mark| b"-+*=_:".contains(mark))
    }

    /// Hands over the records of some bytes, and returns up to where they stay the same whatever comes
    /// behind the bytes.
    fn records(self, bytes: &[u8], mut each: impl FnMut(Open)) -> usize {
        let mut certain = 0;
        let mut open: Option<Open> = None;
        let mut previous = Kind::Blank;
        for line in lines(bytes) {
            let kind = self.kind(line.text, open.is_some());
            if kind == Kind::Row {
                open.get_or_insert_with(|| Open::at(line)).add(line, self.in_rows);
            }
            if open.as_mut().is_some_and(|record| self.ends(record, previous, kind)) {
                open.take().into_iter().for_each(&mut each);
            }
            if kind != Kind::Comment {
                previous = kind;
            }
            if open.is_none() && line.ended {
                certain = line.next;
            }
        }
        open.into_iter().for_each(each);
        certain
    }

    /// Does an open record end with a line? What was before the record's own lines has no say, so that it
    /// may be cut off.
    fn ends(self, record: &mut Open, previous: Kind, kind: Kind) -> bool {
        match kind {
            Kind::Comment => false,
            Kind::Title => true,
            Kind::Rule => previous == Kind::Rule,
            Kind::Blank => !self.in_bands || previous == Kind::Blank || record.end_band(),
            Kind::Row if record.is_too_long() => true,
            // The blank line behind it says whether that is all.
            Kind::Row if self.in_bands => false,
            Kind::Row if self.in_rows => record.rows >= SIDE,
            Kind::Row => record.found >= CELLS,
        }
    }
}

impl Open {
    fn at(line: Line<'_>) -> Open {
        let start = line.start;
        let lead = cells_of(line.text).next().map_or(0, |(at, _)| at);
        let (rows, rows_of_band, bands, found) = (0, 0, 0, 0);
        Open { start, end: start, lead, rows, rows_of_band, bands, found, cells: [0; CELLS], fault: None }
    }

    fn add(&mut self, line: Line<'_>, in_rows: bool) {
        self.rows += 1;
        self.rows_of_band += 1;
        self.end = line.start + line.text.len();
        if self.is_too_long() {
            self.fault = Some(Fault { kind: FaultKind::RecordTooLong, offset: self.start as u32 });
            return;
        }
        let before = self.found;
        for (at, byte) in cells_of(line.text) {
            match (cell(byte), self.cells.get_mut(self.found)) {
                (Some(value), Some(cell)) => *cell = value,
                (Some(_), None) => self.blame(FaultKind::TooManyCells, line.start + at),
                (None, _) => self.blame(FaultKind::foreign(&line.text[at..]), line.start + at),
            }
            self.found += 1;
        }
        let found = self.found - before;
        if in_rows && found != SIDE {
            self.blame(FaultKind::WrongRow { row: self.rows as u8, found: found as u32 }, line.start);
        }
    }

    /// Notes a fault, unless there is an earlier one.
    fn blame(&mut self, kind: FaultKind, offset: usize) {
        self.fault.get_or_insert(Fault { kind, offset: offset as u32 });
    }

    fn is_too_long(&self) -> bool {
        self.end - self.start > MAX_RECORD
    }

    /// Counts a band at the blank line behind it. Was it the last, or a whole grid?
    fn end_band(&mut self) -> bool {
        self.bands += usize::from(self.rows_of_band > 0);
        self.rows_of_band = 0;
        self.bands == 3 || (self.bands == 1 && self.rows >= SIDE)
    }

    fn close(mut self, batch: &mut Batch) {
        if self.found < CELLS {
            self.blame(FaultKind::TooFewCells { found: self.found as u32 }, self.end);
        }
        let puzzle = Puzzle::from_cells(self.cells).filter(|_| self.fault.is_none());
        batch.puzzles.extend(puzzle);
        let (lead, echo) = match puzzle {
            Some(_) => (self.lead, Echo::Puzzle),
            None => (0, Echo::Field),
        };
        batch.records.push(Record {
            start: self.start as u32,
            len: (self.end - self.start) as u32,
            lead: lead as u16,
            echo,
            fault: self.fault,
        });
    }
}

/// The characters of a line that should be cells, with their offsets.
fn cells_of(line: &[u8]) -> impl Iterator<Item = (usize, u8)> {
    let gap = |byte: u8| byte.is_ascii_whitespace() || byte == b'|';
    line.iter().copied().enumerate().filter(move |&(_, byte)| !gap(byte))
}

/// Is this a row of nine cells, digits and that mark among them?
fn is_row_with(line: &[u8], mark: u8) -> bool {
    let has_both = line.contains(&mark) && line.iter().any(u8::is_ascii_digit);
    has_both && cells_of(line).count() == SIDE && cells_of(line).all(|(_, byte)| cell(byte).is_some())
}

impl Format for GridFormat {
    fn name(&self) -> &'static str {
        "grid"
    }

    fn whole(&self, window: &[u8]) -> usize {
        self.records(window, |_| ())
    }

    fn read(&self, chunk: &[u8], batch: &mut Batch) {
        self.records(chunk, |record| record.close(batch));
    }
}

#[cfg(test)]
mod tests {
    use super::super::read_puzzle;
    use super::*;

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
        GridFormat::of(text.as_bytes()).read(text.as_bytes(), &mut batch);
        batch
    }

    fn assert_reads(text: &str, count: usize) {
        let batch = read(text);
        let puzzle = read_puzzle(LINE.as_bytes()).unwrap();
        assert_eq!(batch.puzzles, vec![puzzle; count], "{text}\n{:?}", batch.records);
        assert_eq!(batch.records.len(), count, "{text}\n{:?}", batch.records);
    }

    #[test]
    fn rows_with_and_without_frames() {
        let plain = rows().join("\n");
        assert_reads(&plain, 1);
        assert_reads(&format!("{plain}\n{plain}\n"), 2);
        assert_reads(&format!("{plain}\n\n\n{plain}"), 2);
        assert_reads(&format!("Grid 01\r\n{0}\nGrid 02\n{0}\n", plain.replace('\n', "\r\n")), 2);
        assert_reads(&format!("#A an author\n#D a date\n[Puzzle]\n{plain}\n"), 1);
        let spaced = LINE.replace('.', "0").chars().map(|c| format!("{c} ")).collect::<String>();
        assert_reads(
            &spaced
                .as_bytes()
                .chunks(18)
                .map(|row| str::from_utf8(row).unwrap())
                .collect::<Vec<_>>()
                .join("\n"),
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
    fn dashes_as_blanks_and_as_rules() {
        let dashed = framed("|", "+---+---+---+").replace("..", "--").replace('.', "-");
        assert_reads(&dashed, 1);
        let empty_row = "1".repeat(9) + "\n" + &"---------\n".repeat(8);
        assert_eq!(read(&empty_row.replacen("1", "-", 8)).puzzles[0].clue_count(), 1);
    }

    #[test]
    fn numbers_in_lines_of_any_length() {
        let numbers: Vec<String> = LINE.replace('.', "0").chars().map(|c| c.to_string()).collect();
        assert_reads(&numbers.join("\n"), 1);
        assert_reads(&numbers.join(" "), 1);
        assert_reads(&numbers.chunks(20).map(|line| line.join(" ") + "\n").collect::<String>().repeat(3), 3);
    }

    #[test]
    fn a_bad_grid_costs_itself_only() {
        let plain = rows().join("\n");
        for (bad, kind) in [
            (plain.replacen("53..7....", "53..7...", 1), FaultKind::WrongRow { row: 1, found: 8 }),
            (plain.replacen("6..195", "6..q95", 1), FaultKind::Foreign('q')),
            (plain.replacen("53..7....\n", "", 1), FaultKind::TooFewCells { found: 72 }),
        ] {
            let batch = read(&format!("{plain}\n\n{bad}\n\n{plain}\n\n"));
            assert_eq!(batch.puzzles.len(), 2);
            assert_eq!(
                batch.records.iter().map(|record| record.fault.map(|f| f.kind)).collect::<Vec<_>>(),
                [None, Some(kind), None]
            );
        }
    }

    /// The faults of the records, in order.
    fn faults(text: &str) -> Vec<Option<FaultKind>> {
        read(text).records.iter().map(|record| record.fault.map(|fault| fault.kind)).collect()
    }

    const FEW: Option<FaultKind> = Some(FaultKind::TooFewCells { found: 72 });

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

    /// A grid with blank lines between its bands.
    fn banded() -> String {
        rows().chunks(3).map(|band| band.join("\n")).collect::<Vec<_>>().join("\n\n") + "\n"
    }

    #[test]
    fn blank_lines_between_bands() {
        let grid = banded();
        for gap in ["", "\n", "\n\n", "Grid 02\n", "\nGrid 02\n\n", "# next\n\n", "\n# next\n \r\n"] {
            // Without anything between them, the middle bands can't be told from one of six rows.
            let count = if gap.is_empty() { 1 } else { 3 };
            assert_reads(&vec![&grid[..]; count].join(gap), count);
        }
        let framed = grid.replace("\n\n", "\n\n---------\n\n");
        assert_reads(&format!("---------\n{framed}---------\n\n{framed}"), 2);
    }

    #[test]
    fn a_bad_band_costs_its_grid_only() {
        let grid = banded();
        let (first, middle) = (&grid[..30], &grid[31..61]);
        let too_many = Some(FaultKind::TooManyCells);
        let two_bands = Some(FaultKind::TooFewCells { found: 54 });
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
        // One that has no blank lines inside.
        let whole = rows().join("\n") + "\n";
        assert_eq!(faults(&[&grid[..], &grid, &whole, &grid].join("\n")), [None; 4]);
    }

    #[test]
    fn only_rows_tell_what_a_dash_is() {
        let rule = "---------";
        for other in ["# 5-star", "Grid 5 - hard", "--- 5 ---"] {
            assert!(!GridFormat::of(format!("{other}\n{}", framed("", rule)).as_bytes()).blank_dashes);
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
        let format = GridFormat::of(plain.as_bytes());
        let text = format!("# two\n{plain}\n{plain}");
        for cut in 0..=text.len() {
            let whole = format.whole(&text.as_bytes()[..cut]);
            let ends = [0, 6, 6 + plain.len(), 7 + plain.len(), 7 + 2 * plain.len()];
            assert_eq!(whole, *ends.iter().rfind(|&&end| end <= cut).unwrap(), "{cut}");
        }
    }
}
