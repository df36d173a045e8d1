//! The form that puzzles are converted to, and what can't be had in it.

use std::path::Path;

use clap::{Args, ValueEnum};
use gridmill_core::grid::BLANKS;
use gridmill_core::grid::Shape;
use gridmill_data::output::{ConvertedRows, Spelling};
use gridmill_data::text::{Alphabet, Layout, PuzzleForm};

use super::command_error::CommandError;
use super::rows::{JSON_NAMES, extension};

#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// How the puzzles are written [default: by the output's name if it ends in .csv, .jsonl, .ndjson or .sdk; else
    /// line]
    #[arg(long, value_enum, value_name = "FORM")]
    to: Option<FormArg>,

    /// The character of a blank: one of . 0 _ - * ? x X that is no digit of the puzzles [default: .]
    #[arg(long, value_name = "CHAR", value_parser = blank, allow_hyphen_values = true)]
    blank: Option<u8>,

    /// Write digits in this alphabet: 1-9A-G, 0-9A-F or A-P for 16x16. May be given once for each size that there
    /// is [default: that of the input]
    #[arg(long, value_name = "SYMBOLS")]
    to_alphabet: Vec<Alphabet>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormArg {
    /// One puzzle a line, a character for each cell
    Line,
    /// A line for each row, and a blank line behind each puzzle
    Grid,
    /// As grid, with spaces between cells and a frame around each box
    Framed,
    /// As grid, below the heading [Puzzle] of .sdk files
    // These brackets are part of the help, and no link.
    #[allow(rustdoc::broken_intra_doc_links)]
    Sdk,
    /// One puzzle a line, as numbers with spaces between them and 0 for a blank
    Numbers,
    /// CSV with a header: the columns or keys of the input, or puzzle
    Csv,
    /// JSON Lines, an object a line: the keys or columns of the input, or puzzle
    Jsonl,
    /// Lines of a HoDoKu library; 9x9 only
    Hodoku,
    /// Lines of 729 characters: nine places a cell, each with its digit where that is a candidate; 9x9 only
    Pencilmarks,
}

/// Reads the character of a blank.
fn blank(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        &[blank] if BLANKS.contains(&blank) => Ok(blank),
        _ => Err("give one of . 0 _ - * ? x X".to_owned()),
    }
}

impl TargetArgs {
    /// Returns the form, for an output of that name.
    pub(crate) fn form(&self, output: Option<&Path>) -> FormArg {
        let by_name = || match output.and_then(extension)?.as_str() {
            "csv" => Some(FormArg::Csv),
            "sdk" => Some(FormArg::Sdk),
            name if JSON_NAMES.contains(&name) => Some(FormArg::Jsonl),
            _ => None,
        };
        self.to.or_else(by_name).unwrap_or(FormArg::Line)
    }

    /// Refuses what can't be written in the form, and what has no meaning in it.
    pub(crate) fn check(&self, form: FormArg, layout: &Layout) -> Result<(), CommandError> {
        let name = form.name();
        if layout.is_pencilmarks() {
            form.check_candidates()?;
        } else if form.is_classic() && layout.shape != Some(Shape::CLASSIC) {
            return Err(CommandError::NotForForm { form: name, shape: layout.shape });
        }
        let has_candidates = layout.is_pencilmarks() || form == FormArg::Pencilmarks;
        if self.blank.is_some() && (has_candidates || form == FormArg::Numbers) {
            return Err(CommandError::UnusedBlank { form: name });
        }
        if !self.to_alphabet.is_empty() && (form.is_classic() || form == FormArg::Numbers) {
            return Err(CommandError::FixedDigits { form: name });
        }
        let is_used = |alphabet: &&Alphabet| layout.may_use_alphabet_of(alphabet.side());
        if let Some(alphabet) = self.to_alphabet.iter().find(|alphabet| !is_used(alphabet)) {
            let (option, alphabet) = ("--to-alphabet", Box::new(alphabet.clone()));
            return Err(CommandError::UnusedAlphabet { option, alphabet, shape: layout.shape });
        }
        self.check_blank(layout)
    }

    /// Refuses a blank that is a digit.
    fn check_blank(&self, layout: &Layout) -> Result<(), CommandError> {
        let Some(blank) = self.blank else { return Ok(()) };
        let is_replaced =
            |known: &&Alphabet| self.to_alphabet.iter().any(|alphabet| alphabet.side() == known.side());
        let kept = layout.alphabets().filter(|known| !is_replaced(known));
        let is_digit = |alphabet: &&Alphabet| alphabet.cell(blank).is_some_and(|cell| cell > 0);
        match kept.chain(&self.to_alphabet).find(is_digit) {
            Some(alphabet) => Err(CommandError::BlankIsDigit {
                blank: char::from(blank),
                alphabet: Box::new(alphabet.clone()),
            }),
            None => Ok(()),
        }
    }

    /// Returns how cells are written in the form.
    pub(crate) fn spelling(&self, form: FormArg) -> Spelling {
        let blank = self.blank.unwrap_or(b'.');
        match form {
            FormArg::Numbers => Spelling::new(blank, (4..=Shape::MAX_SIDE).map(Alphabet::numbers)),
            FormArg::Hodoku => Spelling::new(blank, [Alphabet::digits(9)]),
            _ => Spelling::new(blank, self.to_alphabet.iter().cloned()),
        }
    }
}

impl FormArg {
    /// Returns the rows of a file in this form; JSON input has these keys.
    pub(crate) fn rows(self, layout: &Layout, keys: &[String]) -> ConvertedRows {
        let texts = ConvertedRows::texts;
        match self {
            FormArg::Line | FormArg::Numbers => texts(PuzzleForm::Line),
            FormArg::Grid => texts(PuzzleForm::Grid),
            FormArg::Framed => texts(PuzzleForm::Framed),
            FormArg::Sdk => texts(PuzzleForm::Sdk),
            FormArg::Hodoku => texts(PuzzleForm::Hodoku),
            FormArg::Pencilmarks => texts(PuzzleForm::Pencilmarks),
            FormArg::Csv => ConvertedRows::columns(layout, keys),
            FormArg::Jsonl => ConvertedRows::objects(layout),
        }
    }

    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    fn is_classic(self) -> bool {
        matches!(self, FormArg::Hodoku | FormArg::Pencilmarks)
    }

    /// Refuses forms that have no place for candidates.
    fn check_candidates(self) -> Result<(), CommandError> {
        match self {
            FormArg::Pencilmarks | FormArg::Csv | FormArg::Jsonl => Ok(()),
            _ => Err(CommandError::NoCandidates { form: self.name() }),
        }
    }
}
