//! The layout of a file: where its puzzles are, and how they are written.

use std::borrow::Cow;
use std::collections::BTreeMap;

use gridmill_core::grid::Shape;
use gridmill_core::solver::Engine;

use super::alphabet::Evidence;
use super::detect::header::content_lines;
use super::format::csv::{CsvRow, unquoted, without_brackets};
use super::reader::json::puzzle_texts;
use super::reader::programs::after_hash;
use super::{
    Alphabet, AnyShapeReader, BankReader, CsvFormat, CsvHeader, Format, GridFormat, HodokuReader, JsonReader,
    LineFormat, MAX_RECORD, PuzzleKind, PuzzleText, is_skipped,
};

/// The layout of a file.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The number of bytes before the first record: a byte-order mark, comments, a header.
    pub body_start: usize,
    /// The header, if the file is CSV.
    pub header: Option<CsvHeader>,
    /// The shape of the puzzles; `None` if there may be several.
    pub shape: Option<Shape>,
    pub(super) kind: PuzzleKind,
    pub(super) is_shape_known: bool,
    pub(super) arrangement: Arrangement,
    pub(super) reader: AnyShapeReader,
}

/// Where the puzzles are in a file.
#[derive(Clone, Debug)]
pub(super) enum Arrangement {
    Lines,
    Bank,
    Hodoku,
    Table {
        column: usize,
        width: usize,
        separator: u8,
    },
    Grids(Box<GridFormat>),
    /// The key of the puzzles, and all keys.
    Objects {
        key: String,
        keys: Vec<String>,
    },
}

impl Arrangement {
    /// Iterates over the texts that should each be a puzzle, without the other fields of a record. Puzzles
    /// in rows have no such texts.
    pub(super) fn texts<'a>(&'a self, body: &'a [u8]) -> Box<dyn Iterator<Item = Cow<'a, [u8]>> + 'a> {
        let lines = content_lines(body).map(|line| line.text);
        match self {
            Arrangement::Lines | Arrangement::Hodoku => Box::new(lines.map(Cow::Borrowed)),
            Arrangement::Bank => Box::new(lines.filter_map(after_hash).map(Cow::Borrowed)),
            &Arrangement::Table { column, separator, .. } => Box::new(fields(body, column, separator)),
            Arrangement::Objects { key, .. } => Box::new(puzzle_texts(body, key)),
            Arrangement::Grids(_) => Box::new(std::iter::empty()),
        }
    }
}

impl Layout {
    /// The kind of the puzzles.
    #[must_use]
    pub fn kind(&self) -> PuzzleKind {
        self.kind
    }

    /// Returns whether the puzzles are grids of candidates.
    #[must_use]
    pub fn is_pencilmarks(&self) -> bool {
        self.kind == PuzzleKind::Pencilmarks
    }

    /// Returns whether the shape was given by the user or found in a puzzle.
    #[must_use]
    pub fn is_shape_known(&self) -> bool {
        self.is_shape_known
    }

    /// Returns whether an alphabet of that side may be needed for a puzzle.
    #[must_use]
    pub fn may_use_alphabet_of(&self, side: usize) -> bool {
        !self.is_pencilmarks()
            && (!self.is_shape_known || self.shape.is_none_or(|shape| shape.side() == side))
    }

    /// Returns whether each record is a line. This includes CSV, although a row may span several lines,
    /// with line feeds in quotes.
    pub fn has_one_record_per_line(&self) -> bool {
        !matches!(self.arrangement, Arrangement::Grids(_))
    }

    /// The name by which users choose the format.
    #[must_use]
    pub fn format_name(&self) -> &'static str {
        match self.arrangement {
            Arrangement::Lines if self.is_pencilmarks() => "pencilmarks",
            Arrangement::Lines => "line",
            Arrangement::Bank => "bank",
            Arrangement::Hodoku => "hodoku",
            Arrangement::Table { .. } => "csv",
            Arrangement::Grids(_) => "grid",
            Arrangement::Objects { .. } => "jsonl",
        }
    }

    /// Makes the format for a type of puzzles. The type of the file's [`kind`](Layout::kind) can read all
    /// of them, and [`GridPuzzle`](super::GridPuzzle) can also read classic ones.
    #[must_use]
    #[inline(never)]
    pub fn format<P: PuzzleText>(&self) -> Box<dyn Format<P>> {
        let reader = P::reader(self);
        match &self.arrangement {
            Arrangement::Lines => Box::new(LineFormat(reader)),
            Arrangement::Bank => Box::new(LineFormat(BankReader(reader))),
            Arrangement::Hodoku => Box::new(LineFormat(HodokuReader::default())),
            &Arrangement::Table { column, width, separator } => {
                Box::new(CsvFormat { column, width, separator, reader })
            }
            Arrangement::Grids(rows) => rows.clone(),
            Arrangement::Objects { key, .. } => Box::new(LineFormat(JsonReader { key: key.clone(), reader })),
        }
    }

    /// The fastest engine for the puzzles.
    #[must_use]
    pub fn fastest_engine(&self) -> Engine {
        Engine::fastest(self.shape.filter(|_| !self.is_pencilmarks()))
    }

    /// Makes a layout of the same table or objects with the puzzles in another column or under another key,
    /// given by its index. `None` if the file has no such column or key, or if its puzzles are pencilmarks.
    #[must_use]
    pub fn in_column(&self, column: usize) -> Option<Layout> {
        let mut layout = self.clone();
        match (&mut layout.arrangement, &mut layout.header) {
            _ if self.is_pencilmarks() => return None,
            (Arrangement::Table { column: place, .. }, Some(header)) => {
                (*place, header.column) = (column, column);
            }
            (Arrangement::Objects { key, keys }, _) => key.clone_from(keys.get(column)?),
            _ => return None,
        }
        Some(layout)
    }

    /// The keys of the JSON objects at the beginning of the file; `None` if it has none.
    #[must_use]
    pub fn json_keys(&self) -> Option<&[String]> {
        match &self.arrangement {
            Arrangement::Objects { keys, .. } => Some(keys),
            _ => None,
        }
    }

    /// Collects the distinct keys of the JSON objects at the beginnings of some files, in order.
    pub fn json_keys_of<'a>(layouts: impl Iterator<Item = &'a Layout>) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        for key in layouts.filter_map(Layout::json_keys).flatten() {
            if !keys.contains(key) {
                keys.push(key.clone());
            }
        }
        keys
    }

    /// The key of the puzzles, if they are in JSON objects.
    pub fn json_key(&self) -> Option<&str> {
        match &self.arrangement {
            Arrangement::Objects { key, .. } => Some(key),
            _ => None,
        }
    }

    /// Iterates over the known alphabets of all puzzles that may occur.
    pub fn alphabets(&self) -> impl Iterator<Item = &Alphabet> {
        let sides = (4..=Shape::MAX_SIDE).filter(|&side| self.may_use_alphabet_of(side));
        sides.filter_map(|side| self.reader.alphabet(side)).map(|alphabet| &**alphabet)
    }

    /// Describes the difference to another file, if it keeps their rows from forming one table. A file
    /// without puzzles fits every file of its format.
    #[must_use]
    pub fn difference(&self, other: &Layout) -> Option<&'static str> {
        let format = |layout: &Layout| (layout.format_name(), layout.is_pencilmarks());
        let header = |layout: &Layout| {
            layout.header.as_ref().map(|header| (header.names(), header.separator, header.is_in_file))
        };
        if format(self) != format(other) {
            Some("the format")
        } else if header(self) != header(other) {
            Some("the header")
        } else if self.is_shape_known && other.is_shape_known && self.shape != other.shape {
            Some("the size")
        } else {
            None
        }
    }

    /// Collects evidence from the records of a text for the alphabet of each side whose alphabet is not
    /// known; `None` if none is needed.
    pub(super) fn evidence(&self, text: &[u8]) -> Option<BTreeMap<usize, Evidence>> {
        let mut evidence = BTreeMap::new();
        let mut add = |side, cells: &[u8]| {
            if self.reader.alphabet(side).is_none() {
                evidence.entry(side).or_insert_with(|| Evidence::new(side)).add(cells);
            }
        };
        match &self.arrangement {
            _ if self.is_pencilmarks() => return None,
            Arrangement::Hodoku => return None,
            Arrangement::Grids(rows) if rows.numbers => return None,
            Arrangement::Grids(rows) => {
                rows.whole_rows(text).for_each(|row| add(rows.shape.side(), &row));
            }
            arrangement => {
                let is_read = |text: &Cow<'_, [u8]>| !is_skipped(text) && text.len() <= MAX_RECORD;
                let texts = arrangement.texts(text).filter(is_read);
                texts
                    .filter_map(|text| self.reader.evidence(&text))
                    .for_each(|(side, cells)| add(side, &cells));
            }
        }
        Some(evidence)
    }

    /// Sets the reader, and with it the alphabet of puzzles in rows.
    pub(super) fn set_reader(&mut self, reader: AnyShapeReader) {
        if let Arrangement::Grids(rows) = &mut self.arrangement {
            let side = rows.shape.side();
            let known = reader.alphabet(side).filter(|_| !rows.numbers || side <= 9);
            rows.set_alphabet(known.unwrap_or(reader.numbers(side)));
        }
        self.reader = reader;
    }
}

/// Iterates over the puzzle fields in the rows of a table, without quotes and brackets.
fn fields(text: &[u8], column: usize, separator: u8) -> impl Iterator<Item = Cow<'_, [u8]>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let row = CsvRow::read(rest, column, separator);
        at += row.end;
        let field = unquoted(&rest[row.wanted.0..row.wanted.1]);
        Some(without_brackets(field).map_or(Cow::Borrowed(field), Cow::Owned))
    })
}
