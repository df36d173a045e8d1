//! How a file is written, once that is found out.

use std::sync::Arc;

use super::bank::behind_hash;
use super::csv::Row;
use super::header::content;
use super::symbols::Symbols;
use super::{
    AlphabetInference, BankFormat, CsvFormat, CsvHeader, Format, GridFormat, GridLineFormat, GridLines,
    GridPuzzle, GridRowFormat, GridTableFormat, LibraryFormat, LineFormat, PencilmarkFormat,
    PencilmarkTableFormat,
};
use crate::grid::{Pencilmarks, Shape};

/// How a file is to be read.
#[derive(Debug)]
pub struct Layout {
    /// Bytes before the first record: a byte-order mark, comments, a header.
    pub body: usize,
    /// The header, if the file is CSV.
    pub header: Option<CsvHeader>,
    /// The shape of the puzzles; `None` if there may be several.
    pub shape: Option<Shape>,
    pub(super) is_sure: bool,
    pub(super) form: Form,
    pub(super) lines: GridLines,
    pub(super) is_classic: bool,
}

#[derive(Debug)]
pub(super) enum Form {
    Lines,
    Bank,
    Library,
    /// Grids of candidates: lines, or a table.
    Pencilmarks(Option<CsvFormat>),
    Table(CsvFormat),
    Rows {
        rows: Box<GridFormat>,
        numbers: bool,
    },
}

impl Layout {
    /// Are all puzzles classic ones, in the usual digits?
    #[must_use]
    pub fn is_classic(&self) -> bool {
        self.is_classic
    }

    /// Did a puzzle, or the user, say what the shape is?
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.is_sure
    }

    /// The name that people choose the format by.
    #[must_use]
    pub fn format_name(&self) -> &'static str {
        self.pencilmarks().map_or_else(|| self.classic().name(), |format| format.name())
    }

    /// How the same table is read if the puzzles are taken from another column, counted from 0. `None` if the
    /// file is no table.
    #[must_use]
    pub fn in_column(&self, column: usize) -> Option<Layout> {
        let Form::Table(table) = self.form else { return None };
        let header = self.header.clone().map(|header| CsvHeader { column, ..header });
        let (form, lines) = (Form::Table(CsvFormat { column, ..table }), self.lines.clone());
        Some(Layout { header, form, lines, ..*self })
    }

    /// In what another file differs, so that the rows of both can't be one table. A file without puzzles goes with
    /// any other of its format.
    #[must_use]
    pub fn difference(&self, other: &Layout) -> Option<&'static str> {
        let header = |layout: &Layout| layout.header.as_ref().map(CsvHeader::names);
        if (self.format_name(), self.is_pencilmarks()) != (other.format_name(), other.is_pencilmarks()) {
            Some("the format")
        } else if header(self) != header(other) {
            Some("the header")
        } else if self.is_sure && other.is_sure && self.shape != other.shape {
            Some("the size")
        } else {
            None
        }
    }

    /// Does the file hold grids of candidates? The formats for puzzles of clues find nothing that they can read in
    /// it.
    #[must_use]
    pub fn is_pencilmarks(&self) -> bool {
        matches!(self.form, Form::Pencilmarks(_))
    }

    /// The format for grids of candidates, if the file holds these.
    #[must_use]
    pub fn pencilmarks(&self) -> Option<Box<dyn Format<Pencilmarks>>> {
        match self.form {
            Form::Pencilmarks(None) => Some(Box::new(PencilmarkFormat)),
            Form::Pencilmarks(Some(table)) => Some(Box::new(PencilmarkTableFormat(table))),
            _ => None,
        }
    }

    /// The format for classic puzzles.
    #[must_use]
    pub fn classic(&self) -> Box<dyn Format> {
        match &self.form {
            Form::Lines | Form::Pencilmarks(None) => Box::new(LineFormat),
            Form::Bank => Box::new(BankFormat(Box::new(LineFormat))),
            Form::Library => Box::new(LibraryFormat::new()),
            Form::Table(table) | Form::Pencilmarks(Some(table)) => Box::new(*table),
            Form::Rows { rows, .. } => Box::new(**rows),
        }
    }

    /// The format for puzzles of any shape, classic ones too.
    #[must_use]
    pub fn any_shape(&self) -> Box<dyn Format<GridPuzzle>> {
        let lines = self.lines.clone();
        match &self.form {
            Form::Lines | Form::Pencilmarks(None) => Box::new(GridLineFormat(lines)),
            Form::Bank => Box::new(BankFormat(Box::new(GridLineFormat(lines)))),
            Form::Library => Box::new(LibraryFormat::new()),
            Form::Table(table) | Form::Pencilmarks(Some(table)) => {
                Box::new(GridTableFormat { table: *table, lines })
            }
            Form::Rows { rows, numbers } => {
                let side = rows.shape().side();
                let unknown = || (lines.numbers(side), Symbols::of(lines.numbers(side)));
                let (alphabet, symbols) =
                    lines.script(side).filter(|_| !numbers || side <= 9).unwrap_or_else(unknown);
                let rows = if self.is_classic { **rows } else { rows.in_symbols(symbols) };
                Box::new(GridRowFormat { rows, alphabet: Arc::clone(alphabet) })
            }
        }
    }

    /// What the records of a text prove, if that is asked for, and whether there was any that could.
    pub(super) fn survey(&self, lines: GridLines, text: &[u8], asked: bool) -> (AlphabetInference, bool) {
        let mut survey = lines.survey();
        if !asked {
            return (survey, false);
        }
        match &self.form {
            Form::Library | Form::Pencilmarks(_) | Form::Rows { numbers: true, .. } => return (survey, true),
            Form::Rows { rows, .. } => {
                rows.whole_rows(text).for_each(|row| survey.add_cells(rows.shape().side(), &row));
            }
            Form::Lines => content(text).for_each(|line| survey.add(line.text)),
            Form::Bank => {
                let rests = content(text).filter_map(|line| behind_hash(line.text));
                rests.for_each(|rest| survey.add(rest));
            }
            Form::Table(table) => fields(text, table.column).for_each(|field| survey.add(field)),
        }
        let any = survey.has_any();
        (survey, any)
    }
}

/// The puzzle fields of the rows of a table, without quotes.
pub(super) fn fields(text: &[u8], column: usize) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let row = Row::read(rest, column);
        at += row.end;
        let field = &rest[row.wanted.0..row.wanted.1];
        Some(field.strip_prefix(b"\"").and_then(|inner| inner.strip_suffix(b"\"")).unwrap_or(field))
    })
}
