//! Puzzles in rows: nine lines of nine cells, with or without frames, or 81 numbers in lines of any
//! length.

use super::cells::cell;
use super::{Batch, Echo, Fault, FaultKind, Format, Line, MAX_RECORD, Record, is_skipped, lines};
use crate::grid::{CELLS, Puzzle};

const SIDE: usize = 9;

/// Grids over several lines, digits run together or set apart by white space and `|`.
///
/// A record ends with its ninth row, or with its 81st cell where lines have other lengths, or at a blank
/// line. Rules such as `---+---+---`, titles such as `Grid 01` between records, and `#` lines are passed
/// over.
#[derive(Clone, Copy, Debug)]
pub struct GridFormat {
    /// Are there nine cells to a line?
    in_rows: bool,
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
    /// A comment or a rule.
    Passed,
    /// Words: no row, where a record may begin.
    Title,
    Row,
}

/// A record as its lines come in.
#[derive(Clone, Copy, Debug)]
struct Open {
    start: usize,
    end: usize,
    rows: usize,
    found: usize,
    cells: [u8; CELLS],
    fault: Option<Fault>,
}

impl GridFormat {
    /// The format of a file that begins with `head`.
    #[must_use]
    pub fn of(head: &[u8]) -> GridFormat {
        let beside_digits = |mark: u8| {
            lines(head).any(|line| line.text.contains(&mark) && line.text.iter().any(u8::is_ascii_digit))
        };
        let mut format = GridFormat {
            in_rows: true,
            blank_dashes: beside_digits(b'-'),
            blank_stars: beside_digits(b'*'),
            blank_underscores: beside_digits(b'_'),
        };
        let rows = lines(head).filter(|line| format.kind(line.text, false) == Kind::Row);
        let (nine, other): (Vec<_>, Vec<_>) = rows.partition(|line| cells_of(line.text).count() == SIDE);
        format.in_rows = nine.len() >= other.len();
        format
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
        let text = line.trim_ascii();
        if text.is_empty() {
            return Kind::Blank;
        }
        if is_skipped(text) || self.is_rule(text) {
            return Kind::Passed;
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
        for line in lines(bytes) {
            match self.kind(line.text, open.is_some()) {
                Kind::Passed => {}
                Kind::Blank | Kind::Title => open.take().into_iter().for_each(&mut each),
                Kind::Row => open.get_or_insert_with(|| Open::at(line.start)).add(line, self.in_rows),
            }
            if open.is_some_and(|record| record.is_complete(self.in_rows)) {
                open.take().into_iter().for_each(&mut each);
            }
            if open.is_none() && line.ended {
                certain = line.next;
            }
        }
        open.into_iter().for_each(each);
        certain
    }
}

impl Open {
    fn at(start: usize) -> Open {
        Open { start, end: start, rows: 0, found: 0, cells: [0; CELLS], fault: None }
    }

    fn add(&mut self, line: Line<'_>, in_rows: bool) {
        self.rows += 1;
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

    fn is_complete(&self, in_rows: bool) -> bool {
        let full = if in_rows { self.rows >= SIDE } else { self.found >= CELLS };
        full || self.is_too_long()
    }

    fn close(mut self, batch: &mut Batch) {
        if self.found < CELLS {
            self.blame(FaultKind::TooFewCells { found: self.found as u32 }, self.end);
        }
        let puzzle = Puzzle::from_cells(self.cells).filter(|_| self.fault.is_none());
        batch.puzzles.extend(puzzle);
        batch.records.push(Record {
            start: self.start as u32,
            len: (self.end - self.start) as u32,
            lead: 0,
            echo: if puzzle.is_some() { Echo::Puzzle } else { Echo::Field },
            fault: self.fault,
        });
    }
}

/// The characters of a line that should be cells, with their offsets.
fn cells_of(line: &[u8]) -> impl Iterator<Item = (usize, u8)> {
    let gap = |byte: u8| byte.is_ascii_whitespace() || byte == b'|';
    line.iter().copied().enumerate().filter(move |&(_, byte)| !gap(byte))
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
