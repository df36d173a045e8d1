//! What a user may say of a format, and texts with lines of any length.

use gridmill_core::grid::Shape;
use gridmill_data::text::{Alphabet, FormatChoice, FormatOptions, MAX_RECORD};

use super::choices::Choices;

/// Every format.
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

/// Boxes as rows and columns; `(0, 0)` leaves the shape open.
const SHAPES: [(usize, usize); 12] =
    [(0, 0), (3, 3), (2, 2), (2, 3), (3, 2), (4, 4), (2, 5), (5, 5), (2, 4), (3, 4), (2, 12), (5, 4)];

/// The separators that the command line takes; 0 leaves it open.
const SEPARATORS: [u8; 11] = [0, b',', b';', b'\t', b'|', b':', b'!', b'/', b'&', b'~', b'^'];

/// Alphabets, several of them with a comma between.
const ALPHABETS: [&str; 10] =
    ["", "1-9A-G", "0-9A-F", "A-P", "9-9876543210", "1-4", "a-i", "0-9A-O,1-9A-G", "1-9A", "xX-Z0"];

/// Names of columns and keys; the first leaves it open.
const COLUMNS: [&str; 6] = ["", "puzzle", "2", "solution", "a.b", " "];

/// How often a line is made longer than the longest record.
const MOST_STRETCHES: usize = 2;

/// Takes options as a user may give them: seven bytes.
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

/// Returns a text with long lines made of short ones: a byte 1 stands for some 65,536 bytes like the one before it, how
/// many exactly says the byte behind it. So the limits of records are met by small inputs.
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
