//! Puzzles in rows: each row on a line, with or without frames, or all cells in lines of any length.

use std::sync::Arc;

use gridmill_core::grid::{CELLS, Shape};

use crate::text::alphabet::CellTable;
use crate::text::reader::any_shape::{MAX_CELLS, read_number, shapes, spans, usual};
use crate::text::reader::classic;
use crate::text::{
    Alphabet, Batch, Cut, Fault, FaultKind, Format, MAX_RECORD, PuzzleText, Record, SourceEcho, TextLine,
    is_comment, is_skipped, lines,
};

/// Grids over several lines. Their digits are adjacent, or separated by white space and `|`.
///
/// A record ends with its last row (the ninth of a classic puzzle), or with its last cell if lines have
/// other lengths. It ends earlier at a blank line, at a title such as `Grid 01`, and at two consecutive
/// rules such as `---+---+---`, because these are the lower edge of a frame and the upper edge of the next.
/// Single rules and `#` lines are skipped.
///
/// In files with headings (`.sdk`), the grid below `[Puzzle]` is a record. Grids below `[State]` and other
/// headings are partial solutions, and are skipped. If the first line of a file is a tag, such as `#AName`,
/// tags also end records.
///
/// If most groups between blank lines at the beginning of the file are bands (three rows of nine in classic
/// puzzles), blank lines separate bands. A record then ends at the blank line after its last band (or after
/// all its rows, if it has no blank lines), or at two blank lines. So a missing row, or one too many,
/// affects only its own record.
#[derive(Clone, Debug)]
pub struct GridFormat {
    pub(in crate::text) shape: Shape,
    symbols: CellTable,
    /// The alphabet of the cells.
    alphabet: Arc<Alphabet>,
    /// Whether cells are numbers of one or two digits, separated by white space.
    pub(in crate::text) numbers: bool,
    /// Whether each line has as many cells as a row.
    in_rows: bool,
    /// Whether there are blank lines between the bands of a grid.
    in_bands: bool,
    /// The marks among `-`, `*` and `_` that are blanks in this file, because they occur next to digits. So
    /// a line of nine such marks is a row of blanks and not a rule.
    blank_marks: Vec<u8>,
    /// Whether there are tags above grids, such as `#A` and the name of the author.
    tagged: bool,
}

impl GridFormat {
    /// Returns the format of a file of classic puzzles that begins with `head`.
    #[must_use]
    pub fn classic(head: &[u8]) -> GridFormat {
        let mut format = GridFormat::of_shape(head, Shape::CLASSIC, &[], false);
        format.set_alphabet(&Arc::new(Alphabet::digits(Shape::CLASSIC.side())));
        format
    }

    /// Returns the format of a file of puzzles of that shape that begins with `head`, before its alphabet is
    /// known.
    pub(in crate::text) fn of_shape(
        head: &[u8],
        shape: Shape,
        given: &[Alphabet],
        numbers: bool,
    ) -> GridFormat {
        let mut format = GridFormat {
            shape,
            symbols: CellTable::possible(shape.side(), given),
            alphabet: Arc::new(Alphabet::numbers(shape.side())),
            numbers,
            in_rows: true,
            in_bands: false,
            blank_marks: Vec::new(),
            tagged: lines(head)
                .map(|line| line.text)
                .find(|text| !text.trim_ascii().is_empty())
                .is_some_and(is_tag),
        };
        let given = given.iter().find(|alphabet| alphabet.side() == shape.side());
        let beside_digits = |&mark: &u8| lines(head).any(|line| format.is_row_with(line.text, mark, given));
        format.blank_marks = b"-*_".iter().copied().filter(beside_digits).collect();
        let lengths = format.row_lengths(head);
        format.in_rows = 2 * format.count_whole(&lengths) >= lengths.iter().flatten().count();
        let bands = groups(&lengths).filter(|group| format.is_band(group)).count();
        format.in_bands = format.in_rows && 2 * bands > groups(&lengths).count();
        format
    }

    /// Finds the format for that shape, or else for the side that fits most lines. Also returns how many lines are
    /// complete rows.
    pub(in crate::text) fn find(
        text: &[u8],
        shape: Option<Shape>,
        given: &[Alphabet],
    ) -> Option<(GridFormat, usize)> {
        let numbers = lines(text).any(|line| is_numbers(line.text));
        let sides = (4..=Shape::MAX_SIDE).filter(|&side| shape.is_none_or(|shape| shape.side() == side));
        let shape_of = |side| shape.or_else(|| usual(side)).or_else(|| shapes(side).next());
        // For all sides but one, most lines have another length.
        let may_fit = |shape: &Shape| {
            let side = shape.side();
            lines(text).any(|line| line.text.len() >= side && spans(line.text).count() <= side)
        };
        let format = |shape| GridFormat::of_shape(text, shape, given, numbers);
        let formats = sides.filter_map(shape_of).filter(may_fit).map(format);
        let found = formats.filter_map(|format| {
            let lengths = format.row_lengths(text);
            format.has_grid(&lengths).then(|| (format.count_whole(&lengths), format))
        });
        found.max_by_key(|&(rows, _)| rows).map(|(rows, format)| (format, rows))
    }

    /// Counts the complete rows.
    fn count_whole(&self, lengths: &[Option<usize>]) -> usize {
        lengths.iter().flatten().filter(|&&len| len == self.shape.side()).count()
    }

    fn are_whole(&self, group: &[Option<usize>]) -> bool {
        group.iter().all(|&len| len == Some(self.shape.side()))
    }

    fn is_band(&self, group: &[Option<usize>]) -> bool {
        group.len() == self.shape.box_rows() && self.are_whole(group)
    }

    /// Returns whether there is a whole grid, in one group of rows or in bands.
    fn has_grid(&self, lengths: &[Option<usize>]) -> bool {
        let (side, groups) = (self.shape.side(), groups(lengths).collect::<Vec<_>>());
        groups.iter().any(|group| group.len().is_multiple_of(side) && self.are_whole(group))
            || groups.windows(self.shape.box_columns()).any(|bands| bands.iter().all(|it| self.is_band(it)))
    }

    /// Sets the alphabet of the cells.
    pub(in crate::text) fn set_alphabet(&mut self, alphabet: &Arc<Alphabet>) {
        self.symbols = alphabet.cells;
        self.alphabet = Arc::clone(alphabet);
    }

    /// The cells of each line that has as many cells as a row, one byte per cell.
    pub(in crate::text) fn whole_rows(&self, text: &[u8]) -> impl Iterator<Item = Vec<u8>> {
        let cells = |line: TextLine<'_>| -> Vec<u8> {
            self.cells_of(line.text).flat_map(|(_, text)| text).copied().collect()
        };
        let rows = self.kinds(text).filter(|(kind, _)| *kind == LineKind::Row).map(|(_, line)| line);
        rows.map(cells).filter(|row| row.len() == self.shape.side())
    }

    /// The number of cells in each row of a text, and `None` for each blank line or title, because these
    /// end a record.
    fn row_lengths(&self, text: &[u8]) -> Vec<Option<usize>> {
        let length = |(kind, line): (LineKind, TextLine<'_>)| match kind {
            LineKind::Row => Some(Some(self.cells_of(line.text).count())),
            LineKind::Blank | LineKind::Title | LineKind::OtherHeading => Some(None),
            LineKind::Comment | LineKind::Rule => None,
        };
        self.kinds(text).filter_map(length).collect()
    }

    /// Iterates over the lines of a text with their kinds, except rows below a heading that is skipped.
    fn kinds<'a>(&self, text: &'a [u8]) -> impl Iterator<Item = (LineKind, TextLine<'a>)> {
        let mut aside = false;
        lines(text).map(|line| (self.kind(line.text, false), line)).filter(move |(kind, _)| {
            match kind {
                LineKind::OtherHeading => aside = true,
                LineKind::Blank | LineKind::Title => aside = false,
                LineKind::Comment | LineKind::Rule | LineKind::Row => {}
            }
            !aside || *kind != LineKind::Row
        })
    }

    /// Returns whether a line, by itself, is a whole row, a rule, or the heading of a puzzle.
    pub(in crate::text) fn looks_like_grid(&self, line: &[u8]) -> bool {
        self.kind(line, false) == LineKind::Row && self.cells_of(line).count() == self.shape.side()
            || self.is_rule(line)
            || is_puzzle_heading(line.trim_ascii())
    }

    /// Returns whether a line consists of single cells separated by white space (or of one cell).
    pub(in crate::text) fn looks_like_list(line: &[u8]) -> bool {
        let mut groups = classic::words(line).peekable();
        groups.peek().is_some()
            && groups.all(|group| matches!(group, &[byte] if classic::cell(byte).is_some()))
    }

    fn kind(&self, line: &[u8], in_record: bool) -> LineKind {
        if line.len() > MAX_RECORD {
            // Any line that is too long ends the open record, or is a malformed record itself.
            return if is_comment(line) && !in_record { LineKind::Comment } else { LineKind::Row };
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            return LineKind::Blank;
        }
        if is_skipped(text) {
            return if self.tagged && is_tag(text) { LineKind::Title } else { LineKind::Comment };
        }
        if is_heading(text) {
            return if is_puzzle_heading(text) { LineKind::Title } else { LineKind::OtherHeading };
        }
        if self.is_rule(text) {
            return LineKind::Rule;
        }
        let word = text[0] == b'[' || (text[0].is_ascii_alphabetic() && self.is_word(text));
        if word && (!in_record || text.len() != self.shape.side()) { LineKind::Title } else { LineKind::Row }
    }

    /// Returns whether a text that begins with a letter is a word. In large grids, letters may be digits.
    fn is_word(&self, text: &[u8]) -> bool {
        let fits = |(_, token): (usize, &[u8])| self.value(token).is_some_and(|read| read.is_ok());
        match self.symbols.cell(text[0]) {
            None | Some(0) => self.symbols.cell(text[0]).is_none(),
            Some(_) => self.cells_of(text).count() != self.shape.side() && !self.cells_of(text).all(fits),
        }
    }

    /// Returns whether a line is nothing but frame: `---+---+---`, `+-----+`, `*---*---*---*`, `|===|`.
    fn is_rule(&self, line: &[u8]) -> bool {
        let mut marks = line.iter().filter(|byte| !byte.is_ascii_whitespace() && **byte != b'|');
        let Some(&first) = marks.clone().next() else { return !line.trim_ascii().is_empty() };
        let even = marks.clone().all(|&mark| mark == first);
        if self.blank_marks.contains(&first) && even && marks.clone().count() == self.shape.side() {
            return false;
        }
        marks.all(|mark| b"-+*=_:".contains(mark))
    }

    /// Calls `each` with the records of some bytes. Returns the offset up to which they can't change, for
    /// any bytes that may follow.
    fn records(&self, bytes: &[u8], mut each: impl FnMut(RowRecord)) -> usize {
        let mut certain = 0;
        let mut open: Option<RowRecord> = None;
        let mut previous = LineKind::Blank;
        // Whether the open grid, or the one that the next line may begin, is skipped.
        let mut aside = false;
        for line in lines(bytes) {
            let kind = self.kind(line.text, open.is_some());
            if kind == LineKind::Row {
                open.get_or_insert_with(|| RowRecord::at(line, self.cells_of(line.text))).add(line, self);
            }
            if open.as_mut().is_some_and(|record| self.ends(record, previous, kind)) {
                open.take().filter(|_| !aside).into_iter().for_each(&mut each);
                aside = false;
            }
            if kind != LineKind::Comment {
                previous = kind;
            }
            if open.is_none() {
                aside = kind == LineKind::OtherHeading;
                // A heading stays with the grid below it, so the file can't be cut between them.
                certain = match aside {
                    true => line.start,
                    false if line.ended => line.next,
                    false => certain,
                };
            }
        }
        open.filter(|_| !aside).into_iter().for_each(each);
        certain
    }

    /// Returns whether a line ends the open record. This depends only on the lines of the record itself, so
    /// that the file can be cut before any record.
    fn ends(&self, record: &mut RowRecord, previous: LineKind, kind: LineKind) -> bool {
        match kind {
            LineKind::Comment => false,
            LineKind::Title | LineKind::OtherHeading => true,
            LineKind::Rule => previous == LineKind::Rule,
            LineKind::Blank => !self.in_bands || previous == LineKind::Blank || record.end_band(self.shape),
            LineKind::Row if record.is_too_long() => true,
            // The blank line after it will decide whether the grid is complete.
            LineKind::Row if self.in_bands => false,
            LineKind::Row if self.in_rows => record.rows >= self.shape.side(),
            LineKind::Row => record.found >= self.shape.cells(),
        }
    }

    /// Iterates over the texts of a line that should be cells, with their offsets.
    #[inline]
    fn cells_of<'a>(&self, line: &'a [u8]) -> impl Iterator<Item = (usize, &'a [u8])> + use<'a> {
        let separator = |byte: u8| byte.is_ascii_whitespace() || byte == b'|';
        let (numbers, mut groups, mut at) = (self.numbers, spans(line), 0);
        std::iter::from_fn(move || {
            if numbers {
                return groups.next();
            }
            at += line[at..].iter().position(|&byte| !separator(byte))?;
            at += 1;
            Some((at - 1, &line[at - 1..at]))
        })
    }

    /// Reads a text as a cell; `None` if it is not one.
    #[inline]
    fn value(&self, text: &[u8]) -> Option<Result<u8, FaultKind>> {
        if self.numbers {
            return read_number(text, self.shape.side());
        }
        self.symbols.cell(text[0]).map(Ok)
    }

    /// Returns whether a line is a row of cells that contains digits and this mark.
    fn is_row_with(&self, line: &[u8], mark: u8, given: Option<&Alphabet>) -> bool {
        let is_digit = |byte: &u8| match given {
            Some(alphabet) => alphabet.cell(*byte).is_some_and(|cell| cell > 0),
            None => byte.is_ascii_digit() || (self.shape.side() > 9 && byte.is_ascii_alphabetic()),
        };
        let has_both = line.contains(&mark) && line.iter().any(is_digit);
        has_both
            && self.cells_of(line).count() == self.shape.side()
            && self.cells_of(line).all(|(_, text)| self.value(text).is_some())
    }
}

impl Cut for GridFormat {
    fn complete_len(&self, window: &[u8]) -> usize {
        self.records(window, |_| ())
    }
}

impl<P: PuzzleText> Format<P> for GridFormat {
    fn read(&self, chunk: &[u8], batch: &mut Batch<P>) {
        self.records(chunk, |grid| {
            let puzzle = grid.cells(self.shape).and_then(|cells| {
                let needed = CELLS as u32;
                let other = FaultKind::CellCount { found: cells.len() as u32, needed };
                P::from_clues(self.shape, cells, &self.alphabet).ok_or(Fault::new(other, grid.start))
            });
            batch.records.push(grid.record(puzzle.as_ref().err().copied()));
            batch.puzzles.extend(puzzle);
        });
    }
}

/// Returns the shape of the first grid with rules between its bands, e.g. boxes of 2 rows and 6 columns where there are 6 bands
/// of 2 rows.
#[must_use]
pub fn framed_shape(text: &[u8]) -> Option<Shape> {
    let (mut bands, mut rows) = (Vec::new(), 0);
    for line in text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()) {
        if !is_frame(line) {
            rows += 1;
            continue;
        }
        // Two rules: the lower edge of a grid, and the upper one of the next.
        if rows == 0 && !bands.is_empty() {
            break;
        }
        bands.extend((rows > 0).then_some(rows));
        rows = 0;
    }
    bands.extend((rows > 0).then_some(rows));
    let (&first, rest) = bands.split_first()?;
    let is_framed = first > 1 && !rest.is_empty() && rest.iter().all(|&rows| rows == first);
    is_framed.then(|| Shape::new(first, bands.len())).flatten()
}

/// Returns whether a line is a part of a frame, whatever the puzzle's digits and blanks are.
fn is_frame(line: &[u8]) -> bool {
    line.iter().any(|byte| b"-=".contains(byte)) && line.iter().all(|byte| b"-=+|: ".contains(byte))
}

/// The kind of a line among grids in rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineKind {
    Blank,
    Comment,
    /// A part of a frame.
    Rule,
    /// Words: no row, and a place where a record may begin.
    Title,
    /// A heading other than `[Puzzle]`: the grid below it is skipped.
    OtherHeading,
    Row,
}

/// Returns whether a line is the heading of a section.
fn is_heading(text: &[u8]) -> bool {
    text.starts_with(b"[") && text.ends_with(b"]")
}

fn is_puzzle_heading(text: &[u8]) -> bool {
    text.eq_ignore_ascii_case(b"[puzzle]")
}

/// Returns whether a line is a tag above a grid in a `.sdk` file: author, date, comment, description,
/// level, source or URL.
fn is_tag(line: &[u8]) -> bool {
    matches!(line, [b'#', b'A' | b'B' | b'C' | b'D' | b'L' | b'S' | b'U', ..])
}

/// A record whose lines are being read.
#[derive(Clone, Copy, Debug)]
struct RowRecord {
    start: usize,
    end: usize,
    /// The number of bytes before its first cell.
    lead: usize,
    rows: usize,
    /// The rows since the last blank line, and the bands before it.
    rows_of_band: usize,
    bands: usize,
    found: usize,
    cells: [u8; MAX_CELLS],
    fault: Option<Fault>,
}

impl RowRecord {
    fn at<'a>(line: TextLine<'_>, mut cells: impl Iterator<Item = (usize, &'a [u8])>) -> RowRecord {
        RowRecord {
            start: line.start,
            end: line.start,
            lead: cells.next().map_or(0, |(at, _)| at),
            rows: 0,
            rows_of_band: 0,
            bands: 0,
            found: 0,
            cells: [0; MAX_CELLS],
            fault: None,
        }
    }

    fn add(&mut self, line: TextLine<'_>, format: &GridFormat) {
        self.rows += 1;
        self.rows_of_band += 1;
        self.end = line.start + line.text.len();
        if self.is_too_long() {
            self.fault = Some(Fault::new(FaultKind::too_long(MAX_RECORD), self.start));
            return;
        }
        let (side, needed) = (format.shape.side(), format.shape.cells());
        let before = self.found;
        for (at, text) in format.cells_of(line.text) {
            let place = line.start + at;
            match (format.value(text), self.cells[..needed].get_mut(self.found)) {
                (Some(Ok(value)), Some(cell)) => *cell = value,
                (Some(_), None) => self.blame(FaultKind::SurplusCells(needed as u32), place),
                (Some(Err(kind)), _) => self.blame(kind, place),
                (None, _) => self.blame(FaultKind::foreign(&line.text[at..]), place),
            }
            self.found += 1;
        }
        let found = (self.found - before) as u32;
        if format.in_rows && found as usize != side {
            let kind = FaultKind::WrongRow { row: self.rows as u8, found, needed: side as u8 };
            self.blame(kind, line.start);
        }
    }

    /// Sets the fault, unless there is an earlier one.
    fn blame(&mut self, kind: FaultKind, offset: usize) {
        self.fault.get_or_insert(Fault::new(kind, offset));
    }

    fn is_too_long(&self) -> bool {
        self.end - self.start > MAX_RECORD
    }

    /// Counts a band when a blank line follows it. Returns whether it was the last band, or a whole grid.
    fn end_band(&mut self, shape: Shape) -> bool {
        self.bands += usize::from(self.rows_of_band > 0);
        self.rows_of_band = 0;
        self.bands == shape.box_columns() || (self.bands == 1 && self.rows >= shape.side())
    }

    /// The cells of a complete record, or its fault.
    fn cells(&self, shape: Shape) -> Result<&[u8], Fault> {
        let needed = shape.cells();
        let few = FaultKind::CellCount { found: self.found as u32, needed: needed as u32 };
        match self.fault {
            Some(fault) => Err(fault),
            None if self.found < needed => Err(Fault::new(few, self.end)),
            None => Ok(&self.cells[..needed]),
        }
    }

    /// Converts it to a record for a batch.
    fn record(&self, fault: Option<Fault>) -> Record {
        let (lead, echo) =
            if fault.is_none() { (self.lead, SourceEcho::Puzzle) } else { (0, SourceEcho::Field) };
        Record::new(self.start, self.end - self.start, lead, echo, fault)
    }
}

/// Iterates over the groups of rows between blank lines and titles.
fn groups(lengths: &[Option<usize>]) -> impl Iterator<Item = &[Option<usize>]> {
    lengths.split(Option::is_none).filter(|group| !group.is_empty())
}

/// Returns whether a line is a row of numbers, at least one of them with two digits.
fn is_numbers(line: &[u8]) -> bool {
    let count = spans(line).count();
    let fits = |text| read_number(text, count).is_some_and(|read| read.is_ok());
    count <= Shape::MAX_SIDE
        && shapes(count).next().is_some()
        && spans(line).any(|(_, text)| text.len() == 2)
        && spans(line).all(|(_, text)| fits(text))
}

#[cfg(test)]
mod tests {
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
        GridFormat::classic(text.as_bytes()).read(text.as_bytes(), &mut batch);
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
    fn windows_end_before_skipped_sections() {
        let grid = rows().join("\n") + "\n";
        let text = format!("[Puzzle]\n{grid}[State]\n{grid}\n[Puzzle]\n{grid}");
        let format = GridFormat::classic(text.as_bytes());
        for cut in 0..=text.len() {
            let (front, back) = text.as_bytes().split_at(format.complete_len(&text.as_bytes()[..cut]));
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
    fn a_bad_grid_affects_no_other_grid() {
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

    /// The faults of the records, in order.
    fn faults(text: &str) -> Vec<Option<FaultKind>> {
        read(text).records.iter().map(|record| record.fault.map(|fault| fault.kind)).collect()
    }

    const FEW: Option<FaultKind> = Some(FaultKind::CellCount { found: 72, needed: 81 });

    #[test]
    fn frames_separate_grids() {
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
    fn blank_lines_between_bands_do_not_split_a_grid() {
        let grid = banded();
        for separator in ["", "\n", "\n\n", "Grid 02\n", "\nGrid 02\n\n", "# next\n\n", "\n# next\n \r\n"] {
            // Without a separator, the middle bands look like a single grid of six rows.
            let count = if separator.is_empty() { 1 } else { 3 };
            assert_reads(&vec![&grid[..]; count].join(separator), count);
        }
        let framed = grid.replace("\n\n", "\n\n---------\n\n");
        assert_reads(&format!("---------\n{framed}---------\n\n{framed}"), 2);
    }

    #[test]
    fn a_bad_band_affects_only_its_grid() {
        let grid = banded();
        let (first, middle) = (&grid[..30], &grid[31..61]);
        let too_many = Some(FaultKind::SurplusCells(81));
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
        // A grid without blank lines between its bands.
        let whole = rows().join("\n") + "\n";
        assert_eq!(faults(&[&grid[..], &grid, &whole, &grid].join("\n")), [None; 4]);
    }

    #[test]
    fn only_rows_decide_what_a_dash_is() {
        let rule = "---------";
        for other in ["# 5-star", "Grid 5 - hard", "--- 5 ---"] {
            let format = GridFormat::classic(format!("{other}\n{}", framed("", rule)).as_bytes());
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
        let format = GridFormat::classic(plain.as_bytes());
        let text = format!("# two\n{plain}\n{plain}");
        for cut in 0..=text.len() {
            let whole = format.complete_len(&text.as_bytes()[..cut]);
            let ends = [0, 6, 6 + plain.len(), 7 + plain.len(), 7 + 2 * plain.len()];
            assert_eq!(whole, *ends.iter().rfind(|&&end| end <= cut).unwrap(), "{cut}");
        }
    }

    #[test]
    fn rows_of_blanks_are_not_rules_if_an_alphabet_is_given() {
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
        GridFormat::find(text.as_bytes(), None, &[]).map(|(rows, _)| (rows.shape.side(), rows.numbers))
    }

    #[test]
    fn whole_grids_decide_the_side() {
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
}
