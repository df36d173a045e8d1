//! Puzzles in rows: as many lines of cells as a grid has rows, with or without frames, or all its cells in
//! lines of any length.

use super::cells::cell;
use super::grid_kind::{Kind, is_heading, is_puzzle_heading, is_tag};
use super::grid_record::Open;
use super::list::{read_number, spans};
use super::symbols::Symbols;
use super::{Batch, Cut, FaultKind, Format, Line, MAX_RECORD, is_comment, is_skipped, lines};
use crate::grid::{Puzzle, Shape};

/// Grids over several lines, digits run together or set apart by white space and `|`.
///
/// A record ends with its last row, the ninth of classic puzzles, or with its last cell where lines have other lengths. A blank line or
/// a title such as `Grid 01` ends it sooner, and so do two rules such as `---+---+---` one behind the other,
/// the lower edge of a frame and the upper one of the next. Single rules and `#` lines are passed over.
///
/// Files with headings (`.sdk`): the grid below `[Puzzle]` is a record, those below `[State]` and other headings
/// are what somebody made of it, and are passed over. Where the first line of a file is a tag, such as `#AName`,
/// tags end records too.
///
/// Where most of what stands between blank lines at the beginning of the file is a band, three rows of nine
/// in classic puzzles, blank lines set bands apart. A record then ends at the blank line behind its last
/// band, or behind all its rows without one, or at two blank lines: a row that is missing, or one too many, costs its own record only.
#[derive(Clone, Copy, Debug)]
pub struct GridFormat {
    shape: Shape,
    symbols: Symbols,
    /// Are cells numbers set apart by white space, which may have two digits?
    numbers: bool,
    /// Are there as many cells to a line as a row has?
    in_rows: bool,
    /// Are there blank lines between the bands of a grid?
    in_bands: bool,
    /// Whether nine dashes, stars or underscores in a line are a row of blanks, and no rule: the file has
    /// them beside digits.
    blank_dashes: bool,
    blank_stars: bool,
    blank_underscores: bool,
    /// Do tags, such as `#A` and the name of an author, stand above grids?
    tagged: bool,
}

impl GridFormat {
    /// The format of a file of classic puzzles that begins with `head`.
    #[must_use]
    pub fn of(head: &[u8]) -> GridFormat {
        GridFormat::of_shape(head, Shape::CLASSIC, Symbols::classic(), false)
    }

    /// The format of a file of puzzles of that shape that begins with `head`.
    pub(super) fn of_shape(head: &[u8], shape: Shape, symbols: Symbols, numbers: bool) -> GridFormat {
        let mut format = GridFormat {
            shape,
            symbols,
            numbers,
            in_rows: true,
            in_bands: false,
            blank_dashes: false,
            blank_stars: false,
            blank_underscores: false,
            tagged: lines(head)
                .map(|line| line.text)
                .find(|text| !text.trim_ascii().is_empty())
                .is_some_and(is_tag),
        };
        let beside_digits = |mark| lines(head).any(|line| format.is_row_with(line.text, mark));
        let blanks = [b'-', b'*', b'_'].map(beside_digits);
        [format.blank_dashes, format.blank_stars, format.blank_underscores] = blanks;
        let (side, band) = (shape.side(), shape.box_rows());
        let rows = format.row_lengths(head);
        let whole = rows.iter().flatten().filter(|&&len| len == side).count();
        format.in_rows = 2 * whole >= rows.iter().flatten().count();
        let groups = || rows.split(Option::is_none).filter(|group| !group.is_empty());
        let is_band =
            |group: &&[Option<usize>]| group.len() == band && group.iter().all(|&len| len == Some(side));
        let bands = groups().filter(is_band).count();
        format.in_bands = format.in_rows && 2 * bands > groups().count();
        format
    }

    pub(super) fn shape(&self) -> Shape {
        self.shape
    }

    pub(super) fn is_in_rows(&self) -> bool {
        self.in_rows
    }

    /// The same format, in those symbols.
    pub(super) fn in_symbols(self, symbols: Symbols) -> GridFormat {
        GridFormat { symbols, ..self }
    }

    /// The cells of the lines that have as many as a row, a byte each.
    pub(super) fn whole_rows(&self, text: &[u8]) -> impl Iterator<Item = Vec<u8>> {
        let cells = |line: Line<'_>| -> Vec<u8> {
            self.cells_of(line.text).flat_map(|(_, text)| text).copied().collect()
        };
        let rows = self.kinds(text).filter(|(kind, _)| *kind == Kind::Row).map(|(_, line)| line);
        rows.map(cells).filter(|row| row.len() == self.shape.side())
    }

    /// How many cells the rows of a text have, with `None` for what ends a record: blank lines and titles.
    pub(super) fn row_lengths(&self, text: &[u8]) -> Vec<Option<usize>> {
        let length = |(kind, line): (Kind, Line<'_>)| match kind {
            Kind::Row => Some(Some(self.cells_of(line.text).count())),
            Kind::Blank | Kind::Title | Kind::Aside => Some(None),
            Kind::Comment | Kind::Rule => None,
        };
        self.kinds(text).filter_map(length).collect()
    }

    /// The lines of a text with what each is by itself, without the rows that are no records'.
    fn kinds<'a>(&self, text: &'a [u8]) -> impl Iterator<Item = (Kind, Line<'a>)> {
        let mut aside = false;
        lines(text).map(|line| (self.kind(line.text, false), line)).filter(move |(kind, _)| {
            match kind {
                Kind::Aside => aside = true,
                Kind::Blank | Kind::Title => aside = false,
                Kind::Comment | Kind::Rule | Kind::Row => {}
            }
            !aside || *kind != Kind::Row
        })
    }

    /// Would this line, by itself, be a row of nine cells or a rule?
    pub(super) fn looks_like_grid(&self, line: &[u8]) -> bool {
        self.kind(line, false) == Kind::Row && self.cells_of(line).count() == self.shape.side()
            || self.is_rule(line)
            || is_puzzle_heading(line.trim_ascii())
    }

    /// Is this a line of single cells set apart by white space, or of one cell?
    pub(super) fn looks_like_list(line: &[u8]) -> bool {
        let mut groups = line.split(u8::is_ascii_whitespace).filter(|group| !group.is_empty()).peekable();
        groups.peek().is_some() && groups.all(|group| matches!(group, &[byte] if cell(byte).is_some()))
    }

    fn kind(&self, line: &[u8], in_record: bool) -> Kind {
        if line.len() > MAX_RECORD {
            // Whatever it is, it ends the record that it stands in, or is one.
            return if is_comment(line) && !in_record { Kind::Comment } else { Kind::Row };
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            return Kind::Blank;
        }
        if is_skipped(text) {
            return if self.tagged && is_tag(text) { Kind::Title } else { Kind::Comment };
        }
        if is_heading(text) {
            return if is_puzzle_heading(text) { Kind::Title } else { Kind::Aside };
        }
        if self.is_rule(text) {
            return Kind::Rule;
        }
        let word = text[0] == b'[' || (text[0].is_ascii_alphabetic() && self.is_word(text));
        if word && (!in_record || text.len() != self.shape.side()) { Kind::Title } else { Kind::Row }
    }

    /// Is a text that begins with a letter a word? Letters may be digits in large grids.
    fn is_word(&self, text: &[u8]) -> bool {
        let fits = |(_, token): (usize, &[u8])| self.value(token).is_some_and(|read| read.is_ok());
        match self.symbols.cell(text[0]) {
            None | Some(0) => self.symbols.cell(text[0]).is_none(),
            Some(_) => self.cells_of(text).count() != self.shape.side() && !self.cells_of(text).all(fits),
        }
    }

    /// A line of nothing but frame: `---+---+---`, `+-----+`, `*---*---*---*`, `|===|`.
    fn is_rule(&self, line: &[u8]) -> bool {
        let mut marks = line.iter().filter(|byte| !byte.is_ascii_whitespace() && **byte != b'|');
        let Some(&first) = marks.clone().next() else { return !line.trim_ascii().is_empty() };
        let is_blank_row = match first {
            b'-' => self.blank_dashes,
            b'*' => self.blank_stars,
            b'_' => self.blank_underscores,
            _ => false,
        };
        let even = marks.clone().all(|&mark| mark == first);
        if is_blank_row && even && marks.clone().count() == self.shape.side() {
            return false;
        }
        marks.all(|mark| b"-+*=_:".contains(mark))
    }

    /// Hands over the records of some bytes, and returns up to where they stay the same whatever comes
    /// behind the bytes.
    pub(super) fn records(&self, bytes: &[u8], mut each: impl FnMut(Open)) -> usize {
        let mut certain = 0;
        let mut open: Option<Open> = None;
        let mut previous = Kind::Blank;
        // Is the open grid, or the one that the next line may begin, no record?
        let mut aside = false;
        for line in lines(bytes) {
            let kind = self.kind(line.text, open.is_some());
            if kind == Kind::Row {
                open.get_or_insert_with(|| Open::at(line, self.cells_of(line.text))).add(line, self);
            }
            if open.as_mut().is_some_and(|record| self.ends(record, previous, kind)) {
                open.take().filter(|_| !aside).into_iter().for_each(&mut each);
                aside = false;
            }
            if kind != Kind::Comment {
                previous = kind;
            }
            if open.is_none() {
                aside = kind == Kind::Aside;
                // A heading stays with the grid below it.
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

    /// Does an open record end with a line? What was before the record's own lines has no say, so that it
    /// may be cut off.
    fn ends(&self, record: &mut Open, previous: Kind, kind: Kind) -> bool {
        match kind {
            Kind::Comment => false,
            Kind::Title | Kind::Aside => true,
            Kind::Rule => previous == Kind::Rule,
            Kind::Blank => !self.in_bands || previous == Kind::Blank || record.end_band(self.shape),
            Kind::Row if record.is_too_long() => true,
            // The blank line behind it says whether that is all.
            Kind::Row if self.in_bands => false,
            Kind::Row if self.in_rows => record.rows >= self.shape.side(),
            Kind::Row => record.found >= self.shape.cells(),
        }
    }

    /// The texts of a line that should be cells, with their offsets.
    pub(super) fn cells_of<'a>(&self, line: &'a [u8]) -> impl Iterator<Item = (usize, &'a [u8])> + use<'a> {
        let gap = |byte: u8| byte.is_ascii_whitespace() || byte == b'|';
        let (numbers, mut groups, mut at) = (self.numbers, spans(line), 0);
        std::iter::from_fn(move || {
            if numbers {
                return groups.next().map(|(from, to)| (from, &line[from..to]));
            }
            at += line[at..].iter().position(|&byte| !gap(byte))?;
            at += 1;
            Some((at - 1, &line[at - 1..at]))
        })
    }

    /// The cell that a text stands for; `None` if it is none.
    pub(super) fn value(&self, text: &[u8]) -> Option<Result<u8, FaultKind>> {
        if self.numbers {
            return read_number(text, self.shape.side());
        }
        self.symbols.cell(text[0]).map(Ok)
    }

    /// Is this a row of cells, digits and that mark among them?
    fn is_row_with(&self, line: &[u8], mark: u8) -> bool {
        let is_digit =
            |byte: &u8| byte.is_ascii_digit() || (self.shape.side() > 9 && byte.is_ascii_alphabetic());
        let has_both = line.contains(&mark) && line.iter().any(is_digit);
        has_both
            && self.cells_of(line).count() == self.shape.side()
            && self.cells_of(line).all(|(_, text)| self.value(text).is_some())
    }
}

impl Cut for GridFormat {
    fn name(&self) -> &'static str {
        "grid"
    }

    fn whole(&self, window: &[u8]) -> usize {
        self.records(window, |_| ())
    }
}

impl Format for GridFormat {
    fn read(&self, chunk: &[u8], batch: &mut Batch) {
        self.records(chunk, |record| {
            let cells = record.cells(Shape::CLASSIC);
            let puzzle = cells.map(|cells| cells.try_into().ok().and_then(Puzzle::from_cells));
            batch.puzzles.extend(puzzle.ok().flatten());
            batch.records.push(record.record(puzzle.err()));
        });
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
    fn headings_and_tags() {
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
        let format = GridFormat::of(text.as_bytes());
        for cut in 0..=text.len() {
            let (front, back) = text.as_bytes().split_at(format.whole(&text.as_bytes()[..cut]));
            let mut batch = Batch::default();
            format.read(front, &mut batch);
            format.read(back, &mut batch);
            assert_eq!(batch.puzzles.len(), 2, "{cut}");
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
