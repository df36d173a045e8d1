//! The layout of a file: where its puzzles are, and how they are written.

use std::borrow::Cow;
use std::collections::BTreeMap;

use gridmill_core::grid::Shape;
use gridmill_core::solver::Engine;

use super::alphabet::Evidence;
use super::detect::header::content;
use super::format::csv::{CsvRow, in_brackets, unquoted};
use super::reader::hodoku::behind_hash;
use super::reader::json::puzzle_texts;
use super::{
    Alphabet, AnyShapeReader, BankReader, CsvFormat, CsvHeader, Format, HodokuReader, JsonReader, LineFormat,
    MAX_RECORD, PuzzleKind, PuzzleText, RowsFormat, is_skipped,
};

/// The layout of a file.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Bytes in front of the first record: a byte-order mark, comments, a header.
    pub body: usize,
    /// The header, if the file is CSV.
    pub header: Option<CsvHeader>,
    /// The shape of the puzzles; `None` if there may be several.
    pub shape: Option<Shape>,
    pub(super) kind: PuzzleKind,
    pub(super) is_sure: bool,
    pub(super) arrangement: Arrangement,
    pub(super) reader: AnyShapeReader,
}

/// Where in a file the puzzles are.
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
    Rows(Box<RowsFormat>),
    /// The key of the puzzles, and all keys.
    Objects {
        key: String,
        keys: Vec<String>,
    },
}

impl Arrangement {
    /// Iterates over the texts that should be a puzzle each, without what stands beside it. Grids in rows are no such texts.
    pub(super) fn texts<'a>(&'a self, body: &'a [u8]) -> Box<dyn Iterator<Item = Cow<'a, [u8]>> + 'a> {
        let lines = content(body).map(|line| line.text);
        match self {
            Arrangement::Lines | Arrangement::Hodoku => Box::new(lines.map(Cow::Borrowed)),
            Arrangement::Bank => Box::new(lines.filter_map(behind_hash).map(Cow::Borrowed)),
            &Arrangement::Table { column, separator, .. } => Box::new(fields(body, column, separator)),
            Arrangement::Objects { key, .. } => Box::new(puzzle_texts(body, key)),
            Arrangement::Rows(_) => Box::new(std::iter::empty()),
        }
    }
}

impl Layout {
    /// Returns the kind of the puzzles.
    #[must_use]
    pub fn kind(&self) -> PuzzleKind {
        self.kind
    }

    /// Returns whether the puzzles are grids of candidates.
    #[must_use]
    pub fn is_pencilmarks(&self) -> bool {
        self.kind == PuzzleKind::Pencilmarks
    }

    /// Returns whether the shape comes from a puzzle or from the user.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.is_sure
    }

    /// Returns whether there may be puzzles that an alphabet of that side is for.
    #[must_use]
    pub fn may_use_alphabet_of(&self, side: usize) -> bool {
        !self.is_pencilmarks() && (!self.is_sure || self.shape.is_none_or(|shape| shape.side() == side))
    }

    /// Returns whether each record is a line. CSV counts as that: a row may go over several lines all the same, with line
    /// feeds in quotes.
    pub fn has_a_record_a_line(&self) -> bool {
        !matches!(self.arrangement, Arrangement::Rows(_))
    }

    /// Returns the name by which users choose the format.
    #[must_use]
    pub fn format_name(&self) -> &'static str {
        match self.arrangement {
            Arrangement::Lines if self.is_pencilmarks() => "pencilmarks",
            Arrangement::Lines => "line",
            Arrangement::Bank => "bank",
            Arrangement::Hodoku => "hodoku",
            Arrangement::Table { .. } => "csv",
            Arrangement::Rows(_) => "grid",
            Arrangement::Objects { .. } => "jsonl",
        }
    }

    /// Returns the format for a type of puzzles. The type of the file's [`kind`](Layout::kind) reads all of
    /// them, and [`GridPuzzle`](super::GridPuzzle) classic ones too.
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
            Arrangement::Rows(rows) => rows.clone(),
            Arrangement::Objects { key, .. } => Box::new(LineFormat(JsonReader { key: key.clone(), reader })),
        }
    }

    /// Returns the fastest engine for the puzzles.
    #[must_use]
    pub fn fastest_engine(&self) -> Engine {
        Engine::fastest(self.shape.filter(|_| !self.is_pencilmarks()))
    }

    /// Returns the layout of the same table or objects with the puzzles in another column or under another key, by its index
    /// among all; `None` if the file has no such place, or no clues.
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

    /// Returns the keys of the JSON objects at the beginning of the file; `None` if it has none.
    #[must_use]
    pub fn json_keys(&self) -> Option<&[String]> {
        match &self.arrangement {
            Arrangement::Objects { keys, .. } => Some(keys),
            _ => None,
        }
    }

    /// Returns the keys of the JSON objects at the beginnings of some files, each once, in order.
    pub fn json_keys_of<'a>(layouts: impl Iterator<Item = &'a Layout>) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        for key in layouts.filter_map(Layout::json_keys).flatten() {
            if !keys.contains(key) {
                keys.push(key.clone());
            }
        }
        keys
    }

    /// Returns the key of the puzzles, if they are in JSON objects.
    pub fn json_key(&self) -> Option<&str> {
        match &self.arrangement {
            Arrangement::Objects { key, .. } => Some(key),
            _ => None,
        }
    }

    /// Iterates over the alphabets, as far as they are known, of the puzzles that there may be.
    pub fn alphabets(&self) -> impl Iterator<Item = &Alphabet> {
        let sides = (4..=Shape::MAX_SIDE).filter(|&side| self.may_use_alphabet_of(side));
        sides.filter_map(|side| self.reader.alphabet(side)).map(|alphabet| &**alphabet)
    }

    /// Returns the difference to another file that keeps their rows from being one table. A file without
    /// puzzles fits any other of its format.
    #[must_use]
    pub fn difference(&self, other: &Layout) -> Option<&'static str> {
        let format = |layout: &Layout| (layout.format_name(), layout.is_pencilmarks());
        let header = |layout: &Layout| {
            layout.header.as_ref().map(|header| (header.names(), header.separator, header.is_written))
        };
        if format(self) != format(other) {
            Some("the format")
        } else if header(self) != header(other) {
            Some("the header")
        } else if self.is_sure && other.is_sure && self.shape != other.shape {
            Some("the size")
        } else {
            None
        }
    }

    /// Returns the evidence that the records of a text are for the alphabet of each side that is not known; `None` if none
    /// is needed.
    pub(super) fn evidence(&self, text: &[u8]) -> Option<BTreeMap<usize, Evidence>> {
        let mut evidence = BTreeMap::new();
        let mut add = |side, cells: &[u8]| {
            if self.reader.alphabet(side).is_none() {
                evidence.entry(side).or_insert_with(|| Evidence::none(side)).add(cells);
            }
        };
        match &self.arrangement {
            _ if self.is_pencilmarks() => return None,
            Arrangement::Hodoku => return None,
            Arrangement::Rows(rows) if rows.numbers => return None,
            Arrangement::Rows(rows) => {
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

    /// Sets the reader, and with it the alphabet of rows.
    pub(super) fn set_reader(&mut self, reader: AnyShapeReader) {
        if let Arrangement::Rows(rows) = &mut self.arrangement {
            let side = rows.shape.side();
            let known = reader.alphabet(side).filter(|_| !rows.numbers || side <= 9);
            rows.write_in(known.unwrap_or(reader.numbers(side)));
        }
        self.reader = reader;
    }
}

/// Iterates over the puzzle fields of a table's rows, without quotes and brackets.
fn fields(text: &[u8], column: usize, separator: u8) -> impl Iterator<Item = Cow<'_, [u8]>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let row = CsvRow::read(rest, column, separator);
        at += row.end;
        let field = unquoted(&rest[row.wanted.0..row.wanted.1]);
        Some(in_brackets(field).map_or(Cow::Borrowed(field), Cow::Owned))
    })
}
