//! The layout of a file, from the user's options and the file's beginning.

use gridmill_core::grid::Shape;

use crate::text::detect::fields::refuse_fields;
use crate::text::detect::header::{ColumnsWanted, content, find_header, has_sure_header, looks_like_csv};
use crate::text::detect::heuristics::RowsGuess;
use crate::text::detect::heuristics::{looks_like, side_by_length};
use crate::text::detect::json::{find_key, refuse_json};
use crate::text::detect::refuse_other_than_text;
use crate::text::format::jsonl::{is_object, keys, puzzle_texts};
use crate::text::format::list::in_brackets;
use crate::text::layout::{Arrangement, fields};
use crate::text::reader::any_shape::{shapes_of, usual};
use crate::text::reader::bank::behind_hash;
use crate::text::reader::classic::find_puzzle;
use crate::text::reader::hodoku::is_entry;
use crate::text::reader::pencilmarks::looks_like_marks;
use crate::text::{
    Alphabet, AnyShapeReader, CsvHeader, FormatChoice, FormatError, HEAD_BYTES, Layout, PuzzleKind,
    RowsFormat,
};

/// What the user knows of the format. By default all of it is detected.
///
/// ```
/// use gridmill_data::text::{Batch, FormatOptions, GridPuzzle};
///
/// let text = b"1.....3..4.....2\n";
/// let layout = FormatOptions::default().layout(text, false).unwrap().unwrap();
/// assert_eq!(layout.shape.unwrap().to_string(), "2x2");
///
/// let mut batch = Batch::default();
/// layout.format::<GridPuzzle>().read(text, &mut batch);
/// assert_eq!(batch.puzzles[0].grid.clue_count(), 4);
/// ```
#[derive(Clone, Debug, Default)]
pub struct FormatOptions {
    /// The format.
    pub format: FormatChoice,
    /// The CSV column of the puzzles, its name or its number from 1; or their JSON key.
    pub puzzle_column: Option<String>,
    /// The byte between two CSV fields.
    pub separator: Option<u8>,
    /// Whether CSV begins with its first row, without a header: columns are called 1, 2 and so on.
    pub no_header: bool,
    /// The shape of the puzzles.
    pub shape: Option<Shape>,
    /// The alphabets, one for each side.
    pub alphabets: Vec<Alphabet>,
    /// Whether puzzles of all sizes are read, each line by its length. Otherwise all have the size of
    /// `shape`, or of the first puzzle.
    pub mixed: bool,
}

impl FormatOptions {
    /// Returns the options for classic puzzles.
    pub(in crate::text) fn classic(format: FormatChoice, puzzle_column: Option<&str>) -> FormatOptions {
        let puzzle_column = puzzle_column.map(str::to_owned);
        FormatOptions { format, puzzle_column, shape: Some(Shape::CLASSIC), ..FormatOptions::default() }
    }

    /// Detects the layout of a file. `head` is its beginning: [`HEAD_BYTES`], or more, or all of it. `None`
    /// if `head` leaves the alphabet open, and there is `more`.
    ///
    /// # Errors
    ///
    /// Where the file is no text (UTF-16, or still compressed), or its lines do not end with LF, or it is CSV
    /// without a header, without a known puzzle column or with several; where an option for CSV is given and the file is none; where several
    /// shapes or alphabets are possible, and the user must choose.
    pub fn layout(&self, head: &[u8], more: bool) -> Result<Option<Layout>, FormatError> {
        refuse_other_than_text(head)?;
        let mark = if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let text = &head[mark..];
        let sample = &text[..text.len().min(HEAD_BYTES)];
        if self.format == FormatChoice::Auto {
            refuse_json(text)?;
        }
        let mut layout = match self.choice(sample) {
            FormatChoice::Csv => self.table(sample)?,
            FormatChoice::Jsonl => self.objects(sample)?,
            FormatChoice::Grid => self.rows(sample)?,
            FormatChoice::Bank => self.bank(sample)?,
            FormatChoice::Hodoku => self.of_classics(Arrangement::Hodoku, PuzzleKind::Classic)?,
            FormatChoice::Pencilmarks => self.of_classics(Arrangement::Lines, PuzzleKind::Pencilmarks)?,
            FormatChoice::Line | FormatChoice::Auto => self.lines(sample)?,
        };
        if self.format == FormatChoice::Auto && matches!(layout.arrangement, Arrangement::Lines) {
            refuse_fields(sample, &|field| self.is_field(field))?;
        }
        let takes_column = layout.header.is_some()
            || layout.json_keys().is_some() && self.separator.is_none() && !self.no_header;
        if self.is_for_tables() && !takes_column {
            return Err(FormatError::NotATable { format: layout.format_name() });
        }
        let mut reader = layout.reader.clone();
        if self.mixed || !reader.is_settled() {
            let (inference, any) = layout.infer_alphabets(&text[layout.body..]);
            if more && (self.mixed || !any || !inference.is_certain()) {
                return Ok(None);
            }
            reader = inference.conclude()?;
        }
        layout.set_reader(reader);
        layout.body += mark;
        Ok(Some(layout))
    }

    /// Returns whether the layout is certain, whatever bytes follow `head`: for a stream that pauses before
    /// [`HEAD_BYTES`].
    #[must_use]
    pub fn is_decided(&self, head: &[u8]) -> bool {
        let whole = memchr::memrchr(b'\n', head).map_or(0, |feed| feed + 1);
        let head = &head[..whole];
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        let Some(first) = content(text).next() else {
            return whole > 0 && self.format == FormatChoice::Line && self.shape == Some(Shape::CLASSIC);
        };
        let is_certain = match self.format {
            FormatChoice::Line | FormatChoice::Csv | FormatChoice::Jsonl => true,
            FormatChoice::Bank | FormatChoice::Hodoku | FormatChoice::Pencilmarks => true,
            // Lines of 16 cells may be rows of a large grid.
            FormatChoice::Auto => {
                self.is_for_tables()
                    || self.is_puzzle(first.text) && self.is_no_row(first.text)
                    || self.format_of_line(first.text).is_some()
                    || has_sure_header(text)
                    || is_object(first.text)
            }
            FormatChoice::Grid => false,
        };
        // Without a header, a row that is still to come may show the column; an object, the key.
        let is_final = |error| match error {
            FormatError::NoPuzzleColumn { .. } => !self.no_header,
            FormatError::NoPuzzleKey { .. } => false,
            _ => true,
        };
        let layout = || self.layout(head, true);
        is_certain
            && !self.mixed
            && layout().map_or_else(is_final, |layout| layout.is_some_and(|layout| layout.is_sure))
    }

    /// Returns the format, by the first line that decides it, or by what most lines look like.
    fn choice(&self, text: &[u8]) -> FormatChoice {
        match self.format {
            FormatChoice::Auto if content(text).next().is_some_and(|first| is_object(first.text)) => {
                FormatChoice::Jsonl
            }
            FormatChoice::Auto if self.is_for_tables() => FormatChoice::Csv,
            FormatChoice::Auto => self.guess(text),
            chosen => chosen,
        }
    }

    /// Returns whether there are options that only CSV has.
    fn is_for_tables(&self) -> bool {
        self.puzzle_column.is_some() || self.separator.is_some() || self.no_header
    }

    fn guess(&self, text: &[u8]) -> FormatChoice {
        let Some(first) = content(text).next() else { return FormatChoice::Line };
        let is_puzzle = |text: &[u8]| self.is_puzzle(text);
        let count = |is: &dyn Fn(&[u8]) -> bool| content(text).filter(|line| is(line.text)).count();
        if is_puzzle(first.text) && self.is_no_row(first.text) {
            return FormatChoice::Line;
        }
        if let Some(format) = self.format_of_line(first.text) {
            return format;
        }
        // Every side is tried, which takes long beside the rest: not before it is needed.
        let rows = || RowsGuess::find(text, self.shape, &self.alphabets).map_or(0, |rows| rows.lines);
        let puzzles = count(&is_puzzle);
        if is_puzzle(first.text) {
            return if rows() > 2 * puzzles { FormatChoice::Grid } else { FormatChoice::Line };
        }
        if looks_like_csv(text, &|field| self.is_field(field)) {
            return FormatChoice::Csv;
        }
        // The first line that can be read decides, unless it is a bare puzzle.
        let mut known = content(text).filter_map(|line| match is_puzzle(line.text) {
            true => Some(FormatChoice::Line),
            false => self.format_of_line(line.text),
        });
        if let Some(format) = known.next().filter(|&known| known != FormatChoice::Line) {
            return format;
        }
        let grid = RowsFormat::of(text);
        let classic_rows = count(&|line| grid.looks_like_grid(line));
        // A list of numbers over several lines has neither, only short lines of single cells.
        let numbers = count(&RowsFormat::looks_like_list);
        let looks_classic = self.shape.is_none_or(|shape| shape == Shape::CLASSIC);
        let in_rows =
            rows() > 2 * puzzles || looks_classic && puzzles == 0 && (classic_rows > 0 || numbers > 1);
        if in_rows { FormatChoice::Grid } else { FormatChoice::Line }
    }

    /// Returns whether a puzzle can't be a row of a larger grid. Lines of 16 cells may be rows of 16x16, unless a digit
    /// comes twice.
    fn is_no_row(&self, puzzle: &[u8]) -> bool {
        let comes_twice = |digit| memchr::memchr_iter(digit, puzzle).nth(1).is_some();
        self.shape.is_some() || self.side_of(puzzle) != Some(4) || (b'1'..=b'4').any(comes_twice)
    }

    /// Returns the format of a line with more than remarks around its puzzle.
    fn format_of_line(&self, line: &[u8]) -> Option<FormatChoice> {
        if behind_hash(line).is_some_and(|rest| self.is_puzzle(rest)) {
            return Some(FormatChoice::Bank);
        }
        if !self.may_be_classic() {
            return None;
        }
        if is_entry(line) {
            return Some(FormatChoice::Hodoku);
        }
        looks_like_marks(line).then_some(FormatChoice::Pencilmarks)
    }

    fn may_be_classic(&self) -> bool {
        self.mixed || self.shape.is_none_or(|shape| shape == Shape::CLASSIC)
    }

    /// Returns whether a text looks like a puzzle of a shape that may be meant.
    fn is_puzzle(&self, text: &[u8]) -> bool {
        match self.shape.filter(|_| !self.mixed) {
            Some(shape) => self.side_of(text) == Some(shape.side()),
            None => self.side_of(text).is_some(),
        }
    }

    /// Returns whether a field looks like a puzzle of clues, or pencilmarks.
    fn is_field(&self, text: &[u8]) -> bool {
        self.is_puzzle(text)
            || in_brackets(text).is_some_and(|list| self.is_puzzle(&list))
            || self.may_be_classic() && looks_like_marks(text)
    }

    /// Returns the side of the puzzle that a text looks like.
    fn side_of(&self, text: &[u8]) -> Option<usize> {
        if self.may_be_classic() && find_puzzle(text).is_ok() {
            return Some(9);
        }
        looks_like(text, &self.alphabets).map(|(side, _)| side)
    }

    /// Returns the shape of all puzzles, from the side of the first of them.
    fn shape_of(&self, side: Option<usize>) -> Result<Shape, FormatError> {
        match (self.shape, side) {
            (Some(shape), _) => Ok(shape),
            (None, None) => Ok(Shape::CLASSIC),
            (None, Some(side)) => usual(side).ok_or(FormatError::OpenShape { side, shapes: shapes_of(side) }),
        }
    }

    /// Returns the side of the first puzzle; without one in a known alphabet, the side of one by its length.
    fn first_side<T: AsRef<[u8]>>(&self, mut texts: impl Iterator<Item = T>) -> Option<usize> {
        let mut by_length = None;
        let mut known = |text: T| {
            by_length = by_length.or_else(|| side_by_length(text.as_ref()));
            self.side_of(text.as_ref())
        };
        texts.find_map(&mut known).or(by_length)
    }

    fn lines(&self, text: &[u8]) -> Result<Layout, FormatError> {
        let side = self.first_side(content(text).map(|line| line.text));
        self.layout_of(Arrangement::Lines, side)
    }

    fn bank(&self, text: &[u8]) -> Result<Layout, FormatError> {
        let side = self.first_side(content(text).filter_map(|line| behind_hash(line.text)));
        self.layout_of(Arrangement::Bank, side)
    }

    /// Returns the layout of puzzles that are always classic, in the usual digits.
    fn of_classics(&self, arrangement: Arrangement, kind: PuzzleKind) -> Result<Layout, FormatError> {
        let layout = self.layout_of(arrangement, Some(Shape::CLASSIC.side()))?;
        let is_mixed = self.mixed && kind == PuzzleKind::Classic;
        let layout = Layout { kind: if is_mixed { PuzzleKind::AnyShape } else { kind }, ..layout };
        if !self.may_be_classic() {
            return Err(FormatError::ForClassic { format: layout.format_name() });
        }
        Ok(layout)
    }

    fn table(&self, text: &[u8]) -> Result<Layout, FormatError> {
        let is_field = |text: &[u8]| self.is_field(text);
        let wanted = ColumnsWanted {
            puzzles: self.puzzle_column.as_deref(),
            separator: self.separator,
            no_header: self.no_header,
        };
        let (header, body) = find_header(text, wanted, &is_field)?;
        let CsvHeader { column, width, separator, .. } = header;
        let puzzles = || fields(&text[body..], column, separator);
        let table = Arrangement::Table { column, width, separator };
        let layout = match self.first_side(puzzles()) {
            None if self.may_be_classic() && puzzles().any(|field| looks_like_marks(&field)) => {
                self.of_classics(table, PuzzleKind::Pencilmarks)?
            }
            side => self.layout_of(table, side)?,
        };
        Ok(Layout { body, header: Some(header), ..layout })
    }

    fn objects(&self, text: &[u8]) -> Result<Layout, FormatError> {
        let keys = keys(text);
        let key = find_key(&keys, self.puzzle_column.as_deref())?;
        let puzzles = || puzzle_texts(text, &key);
        let first = puzzles().find_map(|text| self.side_of(&text));
        let side = first.or_else(|| puzzles().find_map(|text| side_by_length(&text)));
        let has_marks = || self.may_be_classic() && puzzles().any(|text| looks_like_marks(&text));
        let objects = Arrangement::Objects { key: key.clone(), keys };
        if side.is_none() && has_marks() {
            return self.of_classics(objects, PuzzleKind::Pencilmarks);
        }
        self.layout_of(objects, side)
    }

    fn rows(&self, text: &[u8]) -> Result<Layout, FormatError> {
        if self.mixed {
            return Err(FormatError::MixedRows);
        }
        let found = RowsGuess::find(text, self.shape, &self.alphabets);
        let shape = self.shape_of(found.as_ref().map(|rows| rows.side))?;
        let numbers = found.is_some_and(|rows| rows.numbers);
        let rows = RowsFormat::of_shape(text, shape, &self.alphabets, numbers);
        self.layout_of(Arrangement::Rows(Box::new(rows)), Some(shape.side()))
    }

    fn layout_of(&self, arrangement: Arrangement, side: Option<usize>) -> Result<Layout, FormatError> {
        let given = self.alphabets.clone();
        let is_sure = self.shape.is_some() || side.is_some();
        let (shape, kind, reader) = if self.mixed {
            (None, PuzzleKind::AnyShape, AnyShapeReader::mixed(self.shape, given))
        } else {
            let shape = self.shape_of(side)?;
            let is_classic = shape == Shape::CLASSIC && given.iter().all(|alphabet| alphabet.side() != 9);
            let kind = if is_classic { PuzzleKind::Classic } else { PuzzleKind::AnyShape };
            (Some(shape), kind, AnyShapeReader::new(Some(shape), given))
        };
        Ok(Layout { body: 0, header: None, shape, kind, is_sure, arrangement, reader })
    }
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::Puzzle;

    use super::*;
    use crate::text::Batch;

    #[test]
    fn an_alphabet_of_another_side_leaves_classic_rows_as_they_are() {
        let text = "53..7....\n6..195...\n.98....6.\n8...6...3\n4..8.3..1\n7...2...6\n.6....28.\n...419..5\n....8..79\n";
        let options =
            FormatOptions { alphabets: vec!["0-9A-F".parse().unwrap()], ..FormatOptions::default() };
        let layout = options.layout(text.as_bytes(), false).unwrap().unwrap();
        let mut batch = Batch::<Puzzle>::default();
        layout.format().read(text.as_bytes(), &mut batch);
        assert_eq!((layout.kind(), batch.puzzles[0].clue_count()), (PuzzleKind::Classic, 30));
    }

    #[test]
    fn a_beginning_without_puzzles_does_not_decide_where_they_are() {
        let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
        let no_header = FormatOptions { no_header: true, ..FormatOptions::default() };
        for (options, beginning, next) in [
            (&no_header, "a,b\n", format!("{line},x\n")),
            (&FormatOptions::default(), "{\"a\":1}\n", format!("{{\"puzzle\":\"{line}\"}}\n")),
        ] {
            assert!(!options.is_decided(beginning.as_bytes()), "{beginning}");
            let whole = beginning.to_owned() + &next;
            assert!(options.is_decided(whole.as_bytes()), "{whole}");
            assert!(options.layout(whole.as_bytes(), false).is_ok(), "{whole}");
        }
    }

    #[test]
    fn lines_below_the_first_puzzle_do_not_change_the_separator() {
        let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
        let options = FormatOptions { no_header: true, ..FormatOptions::default() };
        let text = format!("a;{line}\nb,{line},c\n");
        let layout = options.layout(text.as_bytes(), false).unwrap().unwrap();
        assert_eq!(layout.header.unwrap().separator, b';');
    }
}
