//! The format options of a user, and texts with lines of any length.

use gridmill_core::grid::Shape;
use gridmill_data::text::{Alphabet, FormatChoice, FormatOptions, MAX_RECORD};

use super::choices::Choices;

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
