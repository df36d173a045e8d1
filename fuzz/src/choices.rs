//! Choices between options, made by the first bytes of an input: the format options of a user, texts with
//! lines of any length, and the three kinds of puzzles, which can be used as one.

use gridmill_core::grid::{Pencilmarks, Puzzle, Shape};
use gridmill_data::text::{
    Alphabet, FormatChoice, FormatOptions, GridPuzzle, Layout, MAX_RECORD, PuzzleKind, PuzzleText,
};

/// The rest of an input.
#[derive(Clone, Copy, Debug)]
pub struct Choices<'a>(&'a [u8]);

impl<'a> Choices<'a> {
    /// Begins at the start of an input.
    pub fn of(data: &'a [u8]) -> Choices<'a> {
        Choices(data)
    }

    /// Takes a byte, or 0 after the end. The character `0` counts as 0, `1` as 1 and so on, so that you can
    /// write inputs by hand.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first.wrapping_sub(b'0')
    }

    /// Takes a number below `count`, which is at most 256.
    pub fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count
    }

    /// Takes one of several values.
    pub fn among<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())].clone()
    }

    /// Takes the rest.
    pub fn rest(self) -> &'a [u8] {
        self.0
    }
}

/// All formats.
const FORMATS: [FormatChoice; 8] = [
    FormatChoice::Auto,
    FormatChoice::Line,
    FormatChoice::Csv,
    FormatChoice::Jsonl,
    FormatChoice::Grid,
    FormatChoice::Bank,
    FormatChoice::Hodoku,
    FormatChoice::Pencilmarks,
];

/// The rows and columns of boxes; `(0, 0)` means that no shape is given.
const SHAPES: [(usize, usize); 12] =
    [(0, 0), (3, 3), (2, 2), (2, 3), (3, 2), (4, 4), (2, 5), (5, 5), (2, 4), (3, 4), (2, 12), (5, 4)];

/// The separators that the command line accepts; 0 means that none is given.
const SEPARATORS: [u8; 11] = [0, b',', b';', b'\t', b'|', b':', b'!', b'/', b'&', b'~', b'^'];

/// Alphabets, with commas between them if there are several.
const ALPHABETS: [&str; 10] =
    ["", "1-9A-G", "0-9A-F", "A-P", "9-9876543210", "1-4", "a-i", "0-9A-O,1-9A-G", "1-9A", "xX-Z0"];

/// Names of columns and keys; an empty one means that none is given.
const COLUMNS: [&str; 6] = ["", "puzzle", "2", "solution", "a.b", " "];

/// How often a line is made longer than the longest record.
const MOST_STRETCHES: usize = 2;

/// Takes the options that a user may give, from seven bytes.
pub fn options(choices: &mut Choices<'_>) -> FormatOptions {
    let format = choices.among(&FORMATS);
    let (rows, columns) = choices.among(&SHAPES);
    let separator = Some(choices.among(&SEPARATORS)).filter(|&byte| byte != 0);
    let alphabets = choices.among(&ALPHABETS);
    let column = choices.among(&COLUMNS);
    let no_header = choices.below(2) == 1;
    let mixed = choices.below(2) == 1;
    FormatOptions {
        format,
        puzzle_column: Some(column.to_owned()).filter(|name| !name.is_empty()),
        separator,
        no_header,
        shape: Shape::new(rows, columns),
        alphabets: alphabets.split(',').filter_map(|text| text.parse::<Alphabet>().ok()).collect(),
        mixed,
    }
}

/// A text in which short lines become long ones, so that small inputs reach the limits of records. A byte 1
/// repeats the byte before it about 65,536 times. The byte after it, a signed number, is added to that.
pub fn stretched(data: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(data.len());
    let (mut stretches, mut at) = (0, 0);
    while let Some(&byte) = data.get(at) {
        at += 1;
        if byte != 1 || stretches == MOST_STRETCHES {
            text.push(byte);
            continue;
        }
        stretches += 1;
        let more = data.get(at).map_or(0, |&more| isize::from(more as i8));
        at += 1;
        let last = text.last().copied().unwrap_or(b' ');
        text.extend(std::iter::repeat_n(last, MAX_RECORD.saturating_add_signed(more)));
    }
    text
}

/// A puzzle of any kind.
pub trait AnyPuzzle: PuzzleText {}

impl<P: PuzzleText> AnyPuzzle for P {}

/// Work on the puzzles of a file, for any kind of puzzle.
pub trait ForKind {
    /// Does the work for a type of puzzle.
    fn run<P: AnyPuzzle>(self);
}

/// Does the work for the type of puzzle that the file has.
pub fn for_kind(layout: &Layout, work: impl ForKind) {
    match layout.kind() {
        PuzzleKind::Classic => work.run::<Puzzle>(),
        PuzzleKind::Pencilmarks => work.run::<Pencilmarks>(),
        _ => work.run::<GridPuzzle>(),
    }
}

/// The text of a puzzle.
pub fn written(puzzle: &impl PuzzleText) -> Vec<u8> {
    let mut text = Vec::new();
    puzzle.write(&mut text);
    text
}
