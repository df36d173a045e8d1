//! Arguments about how puzzles are written.

use clap::Args;
use clap::builder::TypedValueParser;
use gridmill_core::grid::Shape;
use gridmill_data::error::Error;
use gridmill_data::text::{Alphabet, FormatChoice, FormatOptions, Layout};

use crate::support::command_error::{refuse, unused_alphabet};
use crate::support::options::values::{one_of, separator};

/// How files are written.
#[derive(Debug, Args)]
pub(crate) struct ReadingArgs {
    /// How puzzles are written
    #[arg(long, value_parser = format_parser(), default_value = "auto")]
    format: FormatChoice,

    /// The CSV column, by name or number, or the JSON key that holds the puzzles [default: the one named puzzle,
    /// puzzles, quizzes, quiz, question, sudoku, grid or board]
    #[arg(long, value_name = "NAME|N")]
    puzzle_column: Option<String>,

    /// The separator of CSV fields: a character, or tab [default: the one of , ; tab | that makes a
    /// known name of the header a column]
    #[arg(long, value_name = "C", value_parser = separator)]
    delimiter: Option<u8>,

    /// Read CSV from its first row on, which is no header: columns are called 1, 2, ...
    #[arg(long)]
    no_header: bool,

    /// Rows x columns of a box, where a size leaves it open: 3x2 for 6x6, 2x6 for 12x12, ... [default: that
    /// of the first puzzle, as wide as high or wider]
    #[arg(long, value_name = "RxC")]
    pub(crate) shape: Option<Shape>,

    /// The digits of puzzles above 9x9, in order: 1-9A-G, 0-9A-F or A-P for 16x16; may be given once for
    /// each size that there is [default: what the characters of the file prove]
    #[arg(long, value_name = "SYMBOLS")]
    alphabet: Vec<Alphabet>,

    /// Accept puzzles of several sizes, each line by its length
    #[arg(long)]
    mixed: bool,
}

fn format_parser() -> impl TypedValueParser<Value = FormatChoice> {
    one_of([
        ("auto", "See what the file's beginning looks like", FormatChoice::Auto),
        (
            "line",
            "One puzzle a line: a character for each cell, then perhaps a remark; or numbers set apart by spaces",
            FormatChoice::Line,
        ),
        ("csv", "A header, and a puzzle in one of the columns", FormatChoice::Csv),
        ("jsonl", "JSON Lines: an object a line, the puzzle under one of the keys", FormatChoice::Jsonl),
        (
            "grid",
            "A row a line, with or without frames (.sdk and .ss too), or 81 numbers in lines of any length",
            FormatChoice::Grid,
        ),
        (
            "bank",
            "Lines of a puzzle bank: a hash of 12 hexadecimal digits, the puzzle, its rating",
            FormatChoice::Bank,
        ),
        (
            "hodoku",
            "Lines of a HoDoKu library: :technique:digits:cells:..., digits behind + counted as clues",
            FormatChoice::Hodoku,
        ),
        (
            "pencilmarks",
            "Lines of 729 characters: for each cell nine places, a digit each where it is a candidate, else . or 0; for solve, count, candidates, rate, explain, hint, verify, dedupe, overlap, split and convert",
            FormatChoice::Pencilmarks,
        ),
    ])
}

impl ReadingArgs {
    /// Returns what the user says of the format.
    pub(crate) fn options(&self) -> FormatOptions {
        FormatOptions {
            format: self.format,
            puzzle_column: self.puzzle_column.clone(),
            separator: self.delimiter,
            no_header: self.no_header,
            shape: self.shape,
            alphabets: self.alphabet.clone(),
            mixed: self.mixed,
        }
    }

    /// Refuses several sizes of pencilmarks, which have one.
    pub(crate) fn check_mixed(&self, layout: &Layout) -> Result<(), Error> {
        match self.mixed && layout.is_pencilmarks() {
            true => refuse(
                "--mixed is for puzzles of clues, and these are pencilmarks, which are all 9x9: leave it out",
            ),
            false => Ok(()),
        }
    }

    /// Refuses alphabets that none of these layouts has a use for.
    pub(crate) fn check_alphabets<'a>(
        &self,
        mut layouts: impl Iterator<Item = &'a Layout> + Clone,
    ) -> Result<(), Error> {
        let is_used =
            |alphabet: &&Alphabet| layouts.clone().any(|layout| layout.may_use_alphabet_of(alphabet.side()));
        let Some(alphabet) = self.alphabet.iter().find(|alphabet| !is_used(alphabet)) else { return Ok(()) };
        let shape = layouts.next().and_then(|layout| layout.shape);
        Err(unused_alphabet("--alphabet", alphabet, shape))
    }
}
