//! Detects the layout of a file from the user's options and the beginning of the file.

pub(super) mod header;

use std::borrow::Cow;

use gridmill_core::grid::Shape;

use self::header::{content_lines, find_header, find_key, has_sure_header, looks_like_csv};
use crate::text::alphabet::Evidence;
use crate::text::format::csv::without_brackets;
use crate::text::layout::Arrangement;
use crate::text::reader::any_shape::{find_side, side_by_length, usual};
use crate::text::reader::classic::find_puzzle;
use crate::text::reader::json::{is_object, keys};
use crate::text::reader::programs::{after_hash, looks_like_marks, read_entry};
use crate::text::{
    Alphabet, AnyShapeReader, Batch, CsvHeader, FormatError, GridFormat, Layout, MAX_ROW, PuzzleKind,
    framed_shape,
};
use crate::with_kind;
use header::{excel_separator, refuse_fields, refuse_json, refuse_other_than_text};

/// How many bytes of a file [`FormatOptions::layout`] needs.
pub const HEAD_BYTES: usize = 64 * 1024;

/// The format that the user chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FormatChoice {
    /// No choice: the format is detected.
    #[default]
    Auto,
    /// One puzzle per line.
    Line,
    /// CSV with a header.
    Csv,
    /// JSON Lines: one object per line.
    Jsonl,
    /// Puzzles in rows.
    Grid,
    /// Lines of a puzzle bank: a hash, the puzzle, a rating.
    Bank,
    /// Lines of a HoDoKu library.
    Hodoku,
    /// Lines of pencilmarks, 729 characters each.
    Pencilmarks,
}

/// The choices of the user about the format, e.g. the alphabet. By default everything is detected.
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
    /// The CSV column of the puzzles (its name, or its number from 1), or their JSON key.
    pub puzzle_column: Option<String>,
    /// The separator between two CSV fields.
    pub separator: Option<u8>,
    /// Whether CSV has no header and begins with its first row. Columns are then called 1, 2 and so on.
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
    /// Detects the layout of a file. `head` is its beginning: at least [`HEAD_BYTES`], or the whole file.
    /// `None` asks for a longer `head`. That happens only if there is `more` of the file: if `head` does not decide the
    /// alphabet, if it ends within the first object of JSON, or if sizes are `mixed` (then the whole file is needed).
    ///
    /// # Errors
    ///
    /// If the file is not text (e.g. UTF-16, or compressed twice), or its lines do not end with LF; if CSV
    /// has no header, no known puzzle column, or several; if an option for CSV is given for another format;
    /// or if several shapes or alphabets are possible, so that the user must choose.
    pub fn layout(&self, head: &[u8], more: bool) -> Result<Option<Layout>, FormatError> {
        refuse_other_than_text(head)?;
        let mark = if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let text = &head[mark..];
        if let Some((separator, line)) = excel_separator(text) {
            let with_separator =
                FormatOptions { separator: self.separator.or(Some(separator)), ..self.clone() };
            let layout = with_separator.layout(&text[line..], more)?;
            return Ok(layout.map(|layout| Layout { body_start: mark + line + layout.body_start, ..layout }));
        }
        let sample = &text[..text.len().min(HEAD_BYTES)];
        if self.format == FormatChoice::Auto {
            refuse_json(text)?;
        }
        let choice = self.choice(sample);
        let sample = match (choice, content_lines(text).next()) {
            // The keys of the first object are needed, which may be longer, e.g. with an explanation.
            (FormatChoice::Jsonl, Some(first)) if !first.ended && more && text.len() < MAX_ROW => {
                return Ok(None);
            }
            (FormatChoice::Jsonl, Some(first)) => &text[..sample.len().max(first.next.min(MAX_ROW))],
            _ => sample,
        };
        let mut layout = match choice {
            FormatChoice::Csv => self.table(sample)?,
            FormatChoice::Jsonl => self.objects(sample)?,
            FormatChoice::Grid => self.rows(sample)?,
            FormatChoice::Bank => self.lines(Arrangement::Bank, sample)?,
            FormatChoice::Hodoku => self.classic_layout(Arrangement::Hodoku, PuzzleKind::Classic)?,
            FormatChoice::Pencilmarks => self.classic_layout(Arrangement::Lines, PuzzleKind::Pencilmarks)?,
            FormatChoice::Line | FormatChoice::Auto => self.lines(Arrangement::Lines, sample)?,
        };
        if self.format == FormatChoice::Auto && matches!(layout.arrangement, Arrangement::Lines) {
            refuse_fields(sample, self)?;
        }
        let takes_column = layout.header.is_some()
            || layout.json_keys().is_some() && self.separator.is_none() && !self.no_header;
        if self.has_column_options() && !takes_column {
            return Err(FormatError::NotATable(layout.format_name()));
        }
        let mut reader = layout.reader.clone();
        if self.mixed || !reader.is_settled() {
            let evidence = layout.evidence(&text[layout.body_start..]);
            let is_certain = evidence
                .as_ref()
                .is_none_or(|found| !found.is_empty() && found.values().all(Evidence::is_proof));
            if more && (self.mixed || !is_certain) {
                return Ok(None);
            }
            for (side, evidence) in evidence.unwrap_or_default() {
                reader.learn(evidence.conclude(side)?);
            }
        }
        layout.set_reader(reader);
        layout.body_start += mark;
        Ok(Some(layout))
    }

    /// Returns whether the layout is certain for any bytes that may follow `head`. If so, a stream that
    /// pauses before [`HEAD_BYTES`] can already be processed.
    #[must_use]
    pub fn is_decided(&self, head: &[u8]) -> bool {
        let whole = memchr::memrchr(b'\n', head).map_or(0, |feed| feed + 1);
        let head = &head[..whole];
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        let Some(first) = content_lines(text).next() else {
            return whole > 0 && self.format == FormatChoice::Line && self.shape == Some(Shape::CLASSIC);
        };
        let is_certain = match self.format {
            // Lines of 16 cells may be puzzles of 4x4, or rows of a large grid.
            FormatChoice::Auto => {
                self.has_column_options()
                    || self.is_puzzle(first.text) && self.is_no_row(first.text)
                    || self.format_of_line(first.text).is_some()
                    || has_sure_header(text)
                    || is_object(first.text)
            }
            chosen => chosen != FormatChoice::Grid,
        };
        // Without a header, a later row may show the column; in JSON, a later object may have the key.
        let is_final = |error| match error {
            FormatError::NoPuzzleColumn { .. } => !self.no_header,
            FormatError::NoPuzzleKey { .. } => false,
            _ => true,
        };
        let layout = || self.layout(head, true);
        is_certain
            && !self.mixed
            && layout().map_or_else(is_final, |layout| layout.is_some_and(|layout| layout.is_shape_known))
    }

    /// Chooses the format by the first line that decides it, or by the majority of lines.
    fn choice(&self, text: &[u8]) -> FormatChoice {
        match self.format {
            FormatChoice::Auto if content_lines(text).next().is_some_and(|first| is_object(first.text)) => {
                FormatChoice::Jsonl
            }
            FormatChoice::Auto if self.has_column_options() => FormatChoice::Csv,
            FormatChoice::Auto => self.guess(text),
            chosen => chosen,
        }
    }

    /// Returns whether there are options that only apply to columns, of CSV or also of JSON Lines.
    fn has_column_options(&self) -> bool {
        self.puzzle_column.is_some() || self.separator.is_some() || self.no_header
    }

    fn guess(&self, text: &[u8]) -> FormatChoice {
        let Some(first) = content_lines(text).next() else { return FormatChoice::Line };
        let is_puzzle = |text: &[u8]| self.is_puzzle(text);
        let count = |is: &dyn Fn(&[u8]) -> bool| content_lines(text).filter(|line| is(line.text)).count();
        if is_puzzle(first.text) && self.is_no_row(first.text) {
            return FormatChoice::Line;
        }
        if let Some(format) = self.format_of_line(first.text) {
            return format;
        }
        // Finding rows tries every side, which is slow compared to the other checks, so it is done only if
        // needed.
        let rows = || GridFormat::find(text, self.shape, &self.alphabets).map_or(0, |(_, rows)| rows);
        let puzzles = count(&is_puzzle);
        if is_puzzle(first.text) {
            return if rows() > 2 * puzzles { FormatChoice::Grid } else { FormatChoice::Line };
        }
        if looks_like_csv(text, self) {
            return FormatChoice::Csv;
        }
        // The first line that can be read decides, unless it is a bare puzzle.
        let mut known = content_lines(text).filter_map(|line| match is_puzzle(line.text) {
            true => Some(FormatChoice::Line),
            false => self.format_of_line(line.text),
        });
        if let Some(format) = known.next().filter(|&known| known != FormatChoice::Line) {
            return format;
        }
        let grid = GridFormat::classic(text);
        let classic_rows = count(&|line| grid.looks_like_grid(line));
        // A list of numbers over several lines has neither puzzles nor rows, only short lines of single
        // cells.
        let numbers = count(&GridFormat::looks_like_list);
        let looks_classic = self.shape.is_none_or(|shape| shape == Shape::CLASSIC);
        let in_rows =
            rows() > 2 * puzzles || looks_classic && puzzles == 0 && (classic_rows > 0 || numbers > 1);
        if in_rows { FormatChoice::Grid } else { FormatChoice::Line }
    }

    /// Returns whether a puzzle can't be a row of a larger grid. Lines of 16 cells may be rows of 16x16,
    /// unless a digit occurs twice.
    fn is_no_row(&self, puzzle: &[u8]) -> bool {
        let comes_twice = |digit| memchr::memchr_iter(digit, puzzle).nth(1).is_some();
        self.shape.is_some() || self.side_of(puzzle) != Some(4) || (b'1'..=b'4').any(comes_twice)
    }

    /// Recognises a line of a puzzle bank, of a HoDoKu library or of pencilmarks; `None` for any other line.
    fn format_of_line(&self, line: &[u8]) -> Option<FormatChoice> {
        if after_hash(line).is_some_and(|rest| self.is_puzzle(rest)) {
            return Some(FormatChoice::Bank);
        }
        if !self.may_be_classic() {
            return None;
        }
        if read_entry(line).is_ok() {
            return Some(FormatChoice::Hodoku);
        }
        looks_like_marks(line).then_some(FormatChoice::Pencilmarks)
    }

    fn may_be_classic(&self) -> bool {
        self.mixed || self.shape.is_none_or(|shape| shape == Shape::CLASSIC)
    }

    /// Returns whether a text looks like a puzzle of an allowed shape.
    fn is_puzzle(&self, text: &[u8]) -> bool {
        match self.shape.filter(|_| !self.mixed) {
            Some(shape) => self.side_of(text) == Some(shape.side()),
            None => self.side_of(text).is_some(),
        }
    }

    /// Returns whether a field looks like a puzzle, or like pencilmarks.
    fn is_puzzle_field(&self, text: &[u8]) -> bool {
        self.is_puzzle(text)
            || without_brackets(text).is_some_and(|list| self.is_puzzle(&list))
            || self.may_be_classic() && looks_like_marks(text)
    }

    /// Returns the side of the puzzle that a text looks like.
    fn side_of(&self, text: &[u8]) -> Option<usize> {
        if self.may_be_classic() && find_puzzle(text).is_ok() {
            return Some(9);
        }
        find_side(text, &self.alphabets).map(|(side, _)| side)
    }

    /// Returns the shape of all puzzles, from the side of the first of them.
    fn shape_of(&self, side: Option<usize>) -> Result<Shape, FormatError> {
        match (self.shape, side) {
            (Some(shape), _) => Ok(shape),
            (None, None) => Ok(Shape::CLASSIC),
            (None, Some(side)) => usual(side).ok_or(FormatError::AmbiguousShape(side)),
        }
    }

    /// Returns the side of the first text that is a puzzle in a known alphabet. If there is none, the side of the first
    /// text whose length is that of a puzzle.
    fn first_side<'a>(&self, mut texts: impl Iterator<Item = Cow<'a, [u8]>>) -> Option<usize> {
        let mut by_length = None;
        let known = texts.find_map(|text| {
            by_length = by_length.or_else(|| side_by_length(&text));
            self.side_of(&text)
        });
        known.or(by_length)
    }

    fn lines(&self, arrangement: Arrangement, text: &[u8]) -> Result<Layout, FormatError> {
        let side = self.first_side(arrangement.texts(text));
        self.new_layout(arrangement, side)
    }

    fn table(&self, text: &[u8]) -> Result<Layout, FormatError> {
        let (header, body) = find_header(text, self)?;
        let CsvHeader { column, width, separator, .. } = header;
        let layout = self.fields(Arrangement::Table { column, width, separator }, &text[body..])?;
        Ok(Layout { body_start: body, header: Some(header), ..layout })
    }

    fn objects(&self, text: &[u8]) -> Result<Layout, FormatError> {
        let keys = keys(text);
        let key = find_key(&keys, self.puzzle_column.as_deref())?;
        self.fields(Arrangement::Objects { key, keys }, text)
    }

    /// Makes the layout for fields, which may be pencilmarks.
    fn fields(&self, arrangement: Arrangement, text: &[u8]) -> Result<Layout, FormatError> {
        let side = self.first_side(arrangement.texts(text));
        let has_marks = || arrangement.texts(text).any(|field| looks_like_marks(&field));
        if side.is_none() && self.may_be_classic() && has_marks() {
            return self.classic_layout(arrangement, PuzzleKind::Pencilmarks);
        }
        self.new_layout(arrangement, side)
    }

    /// Makes the layout for formats with classic puzzles only, in the usual digits.
    fn classic_layout(&self, arrangement: Arrangement, kind: PuzzleKind) -> Result<Layout, FormatError> {
        let layout = self.new_layout(arrangement, Some(Shape::CLASSIC.side()))?;
        let is_mixed = self.mixed && kind == PuzzleKind::Classic;
        let layout = Layout { kind: if is_mixed { PuzzleKind::AnyShape } else { kind }, ..layout };
        if !self.may_be_classic() {
            return Err(FormatError::ForClassic(layout.format_name()));
        }
        Ok(layout)
    }

    fn rows(&self, text: &[u8]) -> Result<Layout, FormatError> {
        if self.mixed {
            return Err(FormatError::MixedRows);
        }
        // Frames say which boxes are meant where they are not the usual ones.
        let is_unusual = |shape: &Shape| self.shape.is_none() && usual(shape.side()) != Some(*shape);
        if let Some(shape) = framed_shape(text).filter(is_unusual)
            && GridFormat::find(text, Some(shape), &self.alphabets).is_some()
        {
            return FormatOptions { shape: Some(shape), ..self.clone() }.rows(text);
        }
        let found = GridFormat::find(text, self.shape, &self.alphabets).map(|(rows, _)| rows);
        let shape = self.shape_of(found.as_ref().map(|rows| rows.shape.side()))?;
        let rows = found.unwrap_or_else(|| GridFormat::of_shape(text, shape, &self.alphabets, false));
        self.new_layout(Arrangement::Grids(Box::new(rows)), Some(shape.side()))
    }

    fn new_layout(&self, arrangement: Arrangement, side: Option<usize>) -> Result<Layout, FormatError> {
        let given = self.alphabets.clone();
        let is_shape_known = self.shape.is_some() || side.is_some();
        let (shape, kind, reader) = if self.mixed {
            (None, PuzzleKind::AnyShape, AnyShapeReader::mixed(self.shape, given))
        } else {
            let shape = self.shape_of(side)?;
            let is_classic = shape == Shape::CLASSIC && given.iter().all(|alphabet| alphabet.side() != 9);
            let kind = if is_classic { PuzzleKind::Classic } else { PuzzleKind::AnyShape };
            (Some(shape), kind, AnyShapeReader::new(Some(shape), given))
        };
        Ok(Layout { body_start: 0, header: None, shape, kind, is_shape_known, arrangement, reader })
    }
}

/// Returns whether a text with this beginning contains puzzles. That is also true if the user would have to
/// say how they are written.
pub(crate) fn holds_puzzles(head: &[u8]) -> bool {
    match FormatOptions::default().layout(head, true) {
        Ok(Some(layout)) => with_kind!(layout.kind(), P => {
            let mut batch = Batch::<P>::default();
            layout.format().read(&head[layout.body_start..], &mut batch);
            !batch.puzzles.is_empty()
        }),
        Ok(None) => true,
        Err(error) => !matches!(error, FormatError::NotPlainText { .. }),
    }
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::Pencilmarks;

    use super::*;
    use crate::text::Remedy;

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn classic(format: FormatChoice, puzzle_column: Option<&str>) -> FormatOptions {
        let puzzle_column = puzzle_column.map(str::to_owned);
        FormatOptions { format, puzzle_column, shape: Some(Shape::CLASSIC), ..FormatOptions::default() }
    }

    fn detect(text: &[u8], format: FormatChoice, puzzle_column: Option<&str>) -> Result<Layout, FormatError> {
        classic(format, puzzle_column).layout(text, false).map(Option::unwrap)
    }

    fn name(text: &str) -> &'static str {
        detect(text.as_bytes(), FormatChoice::Auto, None).unwrap().format_name()
    }

    #[test]
    fn frames_tell_the_boxes() {
        for (shape, rows, columns) in
            [("2x6", 2, 6), ("6x2", 6, 2), ("3x4", 3, 4), ("3x2", 3, 2), ("2x3", 2, 3), ("2x7", 2, 7)]
        {
            let side = rows * columns;
            let row = |row: usize| {
                let cells: String = (0..side)
                    .map(|cell| if cell == row { char::from(b"123456789ABCDE"[cell]) } else { '.' })
                    .collect();
                let boxes: Vec<&str> =
                    (0..rows).map(|box_| &cells[box_ * columns..(box_ + 1) * columns]).collect();
                format!("|{}|\n", boxes.join("|"))
            };
            let rule = format!("+{}+\n", vec!["-".repeat(columns); rows].join("+"));
            let bands: Vec<String> =
                (0..side).map(row).collect::<Vec<_>>().chunks(rows).map(<[String]>::concat).collect();
            let text = format!("{rule}{}{rule}", bands.join(&rule));
            for text in [text.clone(), text.repeat(2)] {
                let layout = FormatOptions::default().layout(text.as_bytes(), false).unwrap().unwrap();
                assert_eq!(layout.shape, Some(shape.parse().unwrap()), "{text}");
            }
            let given = FormatOptions { shape: Some("4x3".parse().unwrap()), ..FormatOptions::default() };
            let told = given.layout(text.as_bytes(), false).unwrap().unwrap().shape;
            assert_eq!(told, given.shape, "an option is stronger");
        }
    }

    #[test]
    fn first_lines_decide_the_format() {
        let rows: String =
            LINE.as_bytes().chunks(9).map(|row| format!("{}\n", str::from_utf8(row).unwrap())).collect();
        let numbers: Vec<String> = LINE.replace('.', "0").chars().map(|c| c.to_string()).collect();
        for (text, format) in [
            (LINE.to_owned(), "line"),
            (format!("\u{feff}# a comment\r\n\r\n{LINE} # 1\r\n"), "line"),
            (format!("{}\n{LINE}\n", &LINE[1..]), "line"),
            (format!("short\n{LINE}\n"), "line"),
            (String::new(), "line"),
            ("# nothing\n".to_owned(), "line"),
            ("nothing\n".to_owned(), "line"),
            (numbers.join(" "), "line"),
            (format!("{}\n{0}\n{}\n", numbers[1..].join(" "), numbers.join(" ")), "line"),
            (format!("{LINE},{LINE}\n"), "line"),
            (format!("puzzle\n{LINE}\n"), "csv"),
            (format!("id,Quizzes,solutions\n1,{LINE},x\n"), "csv"),
            (format!("#,puzzle\n1,{LINE}\n"), "csv"),
            (format!("source,question,answer,rating\nx,{LINE},,0\n"), "csv"),
            (rows.clone(), "grid"),
            (format!("Grid 01\n{rows}"), "grid"),
            (format!("Puzzle\n{rows}"), "grid"),
            (format!("{}\n{}\n{}", &rows[..30], &rows[30..60], &rows[60..]), "grid"),
            (format!("+---+---+---+\n{rows}"), "grid"),
            (numbers.join("\n"), "grid"),
            (format!("# by hand\nbad\n0000183b305c {LINE}  1.2\n"), "bank"),
            (format!(":0000:x:{LINE}:::\n"), "hodoku"),
            (format!("#ARuud\n#D1-2-2026\n{rows}"), "grid"),
            (format!("[Puzzle]\n{rows}[State]\n{rows}"), "grid"),
            // A remark with a puzzle, and a first column that is not a puzzle.
            (format!("{LINE} 0000183b305c {LINE}\n0000183b305c {LINE}\n"), "line"),
            (format!("{LINE}:0000:x:\n:0000:x:{LINE}:::\n"), "hodoku"),
            (numbers.chunks(20).map(|line| line.join(" ") + "\n").collect(), "grid"),
        ] {
            assert_eq!(name(&text), format, "{text}");
        }
    }

    #[test]
    fn puzzles_are_distinguished_from_other_texts() {
        let rows: String =
            LINE.as_bytes().chunks(9).map(|row| format!("{}\n", str::from_utf8(row).unwrap())).collect();
        for text in [
            format!("{LINE}\n"),
            format!("id,puzzle\n1,{LINE}\n"),
            format!("id;puzzle\n1;{LINE}\n"),
            format!("1,{LINE}\n"),
            rows,
            Pencilmarks::from(&LINE.parse().unwrap()).to_string(),
            "1.....3..4.....2\n".to_owned(),
            format!("{}\n", "1".repeat(255) + "."),
        ] {
            assert!(holds_puzzles(text.as_bytes()), "{text}");
        }
        for text in [
            "Sudoku\n======\n\nPuzzles, as they were collected in 2019, 2020 and 2021.\n",
            "MIT License\n\nCopyright (c) 2026\n\nPermission is hereby granted, free of charge\n",
            "----------------\n",
            "",
        ] {
            assert!(!holds_puzzles(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn the_separator_line_of_excel_is_used() {
        let text = format!("\u{feff}sep=;\r\nid;puzzle\r\n1;{LINE}\r\n");
        let found = detect(text.as_bytes(), FormatChoice::Auto, None).unwrap();
        assert_eq!(&text[found.body_start..], format!("1;{LINE}\r\n"));
        let header = found.header.unwrap();
        assert_eq!((&header.text[..], header.separator, header.column), (&b"id;puzzle"[..], b';', 1));
        // The user's choice takes precedence.
        let options = FormatOptions { separator: Some(b'|'), ..FormatOptions::default() };
        let found =
            options.layout(format!("sep=;\nid|puzzle\n1|{LINE}\n").as_bytes(), false).unwrap().unwrap();
        assert_eq!(found.header.unwrap().separator, b'|');
    }

    #[test]
    fn complete_lines_of_a_pipe_decide_the_format() {
        let marks = Pencilmarks::from(&LINE.parse().unwrap());
        let options = classic(FormatChoice::Auto, None);
        for line in [format!("0000183b305c {LINE}"), format!(":0000:x:{LINE}:::"), marks.to_string()] {
            assert!(options.is_decided(format!("# comment\n{line}\n").as_bytes()), "{line}");
            assert!(!options.is_decided(line.as_bytes()), "{line}");
        }
        assert!(!options.is_decided(b"[Puzzle]\n"));
    }

    #[test]
    fn the_body_begins_after_the_header() {
        let text = format!("\u{feff}# made by hand\nid,\"puzzle\"\r\n1,{LINE}\n");
        let found = detect(text.as_bytes(), FormatChoice::Auto, None).unwrap();
        assert_eq!(&text[found.body_start..], format!("1,{LINE}\n"));
        let header = found.header.unwrap();
        assert_eq!((&header.text[..], header.width, header.column), (&b"id,\"puzzle\""[..], 2, 1));
    }

    #[test]
    fn unreadable_files_are_refused_with_a_remedy() {
        let refusal = |text: &[u8], choice, column| match detect(text, choice, column) {
            Ok(_) => panic!("accepted"),
            Err(error) => error,
        };
        let message = |text: &[u8], choice, column| refusal(text, choice, column).to_string();
        let remedy = |text: &[u8], choice| match refusal(text, choice, None) {
            FormatError::NotPlainText { remedy, .. } => remedy,
            other => panic!("{other}"),
        };
        let unknown = format!("id,cells\n1,{LINE}\n");
        assert!(message(unknown.as_bytes(), FormatChoice::Auto, None).contains("id, cells"));
        assert!(message(unknown.as_bytes(), FormatChoice::Auto, Some("cell")).contains("'cell'"));
        assert!(detect(unknown.as_bytes(), FormatChoice::Auto, Some("cells")).is_ok());
        assert!(message(b"", FormatChoice::Csv, None).contains("header"));
        for (head, expected) in [
            (&b"BZh91AY&SY"[..], Remedy::Pipe("bzcat FILE")),
            (b"7z\xbc\xaf\x27\x1c", Remedy::Pipe("7z x -so FILE")),
            (b"\x1f\x8b\x08", Remedy::Unpack("gunzip")),
            (&[&[b'a'; 257][..], b"ustar"].concat(), Remedy::Pipe("tar -xOf FILE")),
        ] {
            assert_eq!(remedy(head, FormatChoice::Auto), expected);
        }
        let headless = format!("1,{LINE},x\n");
        assert_eq!(refusal(headless.as_bytes(), FormatChoice::Auto, None), FormatError::RowsWithoutHeader);
        let old_lines = format!("{LINE}\r{LINE}\r");
        let expected = Remedy::Pipe("tr '\\r' '\\n' < FILE");
        assert_eq!(remedy(old_lines.as_bytes(), FormatChoice::Auto), expected);
        assert_eq!(name(&format!("{LINE}\r")), "line");
        assert_eq!(remedy(b"\xff\xfe1\0", FormatChoice::Line), Remedy::Convert("iconv -f UTF-16 -t UTF-8"));
        assert_eq!(
            remedy(b"\xff\xfe\x00\x001\x00\x00\x00", FormatChoice::Line),
            Remedy::Convert("iconv -f UTF-32 -t UTF-8")
        );
        let wide = |order: fn(u16) -> [u8; 2]| LINE.encode_utf16().flat_map(order).collect::<Vec<u8>>();
        let (little, big) = (wide(u16::to_le_bytes), wide(u16::to_be_bytes));
        assert_eq!(remedy(&little, FormatChoice::Auto), Remedy::Convert("iconv -f UTF-16LE -t UTF-8"));
        assert_eq!(remedy(&big, FormatChoice::Auto), Remedy::Convert("iconv -f UTF-16BE -t UTF-8"));
    }

    #[test]
    fn an_alphabet_of_another_side_leaves_classic_rows_as_they_are() {
        let text = "53..7....\n6..195...\n.98....6.\n8...6...3\n4..8.3..1\n7...2...6\n.6....28.\n...419..5\n....8..79\n";
        let options =
            FormatOptions { alphabets: vec!["0-9A-F".parse().unwrap()], ..FormatOptions::default() };
        let layout = options.layout(text.as_bytes(), false).unwrap().unwrap();
        let mut batch = Batch::<gridmill_core::grid::Puzzle>::default();
        layout.format().read(text.as_bytes(), &mut batch);
        assert_eq!((layout.kind(), batch.puzzles[0].clue_count()), (PuzzleKind::Classic, 30));
    }

    #[test]
    fn a_long_first_object_is_read_to_its_end() {
        let text = format!("{{\"trace\":\"{}\",\"puzzle\":\"{LINE}\"}}\n", "x".repeat(HEAD_BYTES));
        let layout = |head, more| FormatOptions::default().layout(head, more).unwrap();
        assert!(layout(&text.as_bytes()[..HEAD_BYTES], true).is_none());
        let layout = layout(text.as_bytes(), true).unwrap();
        assert_eq!(layout.json_keys().unwrap(), ["trace", "puzzle"]);
    }

    #[test]
    fn a_beginning_without_puzzles_does_not_decide_where_they_are() {
        let no_header = FormatOptions { no_header: true, ..FormatOptions::default() };
        for (options, beginning, next) in [
            (&no_header, "a,b\n", format!("{LINE},x\n")),
            (&FormatOptions::default(), "{\"a\":1}\n", format!("{{\"puzzle\":\"{LINE}\"}}\n")),
        ] {
            assert!(!options.is_decided(beginning.as_bytes()), "{beginning}");
            let whole = beginning.to_owned() + &next;
            assert!(options.is_decided(whole.as_bytes()), "{whole}");
            assert!(options.layout(whole.as_bytes(), false).is_ok(), "{whole}");
        }
    }

    #[test]
    fn lines_below_the_first_puzzle_do_not_change_the_separator() {
        let options = FormatOptions { no_header: true, ..FormatOptions::default() };
        let text = format!("a;{LINE}\nb,{LINE},c\n");
        let layout = options.layout(text.as_bytes(), false).unwrap().unwrap();
        assert_eq!(layout.header.unwrap().separator, b';');
    }
}
