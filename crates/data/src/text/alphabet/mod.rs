//! Alphabets: the characters of digits and blanks, for any side.

pub(in crate::text) mod inference;

use std::fmt;
use std::str::FromStr;

use gridmill_core::grid::{BLANKS, Digit, Shape};

/// The characters of the digits, in order. Blanks are `. 0 _ - * ? x X`, each where it is not a digit.
///
/// ```
/// use gridmill_data::text::Alphabet;
///
/// let hexadecimal: Alphabet = "0-9A-F".parse().unwrap();
/// assert_eq!(hexadecimal.side(), 16);
/// assert_eq!((hexadecimal.cell(b'0'), hexadecimal.cell(b'F')), (Some(1), Some(16)));
/// assert_eq!((hexadecimal.cell(b'.'), hexadecimal.cell(b'G')), (Some(0), None));
/// assert_eq!(hexadecimal.write(&[1, 16]), "0F");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alphabet {
    /// The text that it was parsed from: `1-9A-G`.
    name: String,
    notation: Notation,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Notation {
    /// A character for each digit.
    Symbols(Vec<u8>),
    /// Numbers from 1 to the side, set apart by spaces, 0 for a blank.
    Numbers(usize),
}

impl Alphabet {
    /// Returns the digits from 1 up, for sides up to 9.
    ///
    /// # Panics
    ///
    /// Where the side is 0 or above 9.
    #[must_use]
    pub fn digits(side: usize) -> Alphabet {
        assert!((1..=9).contains(&side), "there are no {side} digits without a 0");
        Alphabet::of(format!("1-{side}"), (b'1'..=b'9').take(side).collect())
    }

    /// Returns numbers from 1 up, set apart by spaces, with 0 for a blank.
    #[must_use]
    pub fn numbers(side: usize) -> Alphabet {
        Alphabet { name: format!("numbers to {side}"), notation: Notation::Numbers(side) }
    }

    fn of(name: String, symbols: Vec<u8>) -> Alphabet {
        Alphabet { name, notation: Notation::Symbols(symbols) }
    }

    /// Returns the usual alphabets of a side above 9: `1-9A-G`, `0-9A-F` and `A-P` for 16.
    #[must_use]
    pub fn conventions(side: usize) -> Vec<Alphabet> {
        let of = |digits: std::ops::RangeInclusive<u8>| {
            let symbols: Vec<u8> = digits.chain(b'A'..=b'Z').take(side).collect();
            Alphabet::of(spelled(&symbols), symbols)
        };
        #[expect(clippy::reversed_empty_ranges, reason = "no digits, so letters from the first on")]
        [of(b'1'..=b'9'), of(b'0'..=b'9'), of(1..=0)].to_vec()
    }

    /// Returns the number of digits, which is the side of the grids.
    #[must_use]
    pub fn side(&self) -> usize {
        match &self.notation {
            Notation::Symbols(symbols) => symbols.len(),
            Notation::Numbers(side) => *side,
        }
    }

    /// Returns the cell that a character stands for: a digit, or 0 for a blank; `None` if it is neither.
    #[must_use]
    pub fn cell(&self, byte: u8) -> Option<u8> {
        let digit = match &self.notation {
            Notation::Symbols(symbols) => memchr::memchr(byte, symbols).map(|index| index as u8 + 1),
            Notation::Numbers(side) => {
                Some(byte.wrapping_sub(b'0')).filter(|digit| (1..=9.min(*side as u8)).contains(digit))
            }
        };
        digit.or_else(|| BLANKS.contains(&byte).then_some(0))
    }

    /// Returns the character of a digit up to the side; `None` if digits are numbers.
    pub(crate) fn symbol(&self, digit: Digit) -> Option<char> {
        match &self.notation {
            Notation::Symbols(symbols) => symbols.get(usize::from(digit.get()) - 1).copied().map(char::from),
            Notation::Numbers(_) => None,
        }
    }

    /// Returns whether digits are written as numbers, set apart by spaces.
    #[must_use]
    pub fn has_numbers(&self) -> bool {
        matches!(self.notation, Notation::Numbers(_))
    }

    /// Returns cells as one line.
    #[must_use]
    pub fn write(&self, cells: &[u8]) -> String {
        let mut line = Vec::new();
        self.write_to(cells, &mut line);
        line.into_iter().map(char::from).collect()
    }

    /// Appends cells as one line, as [`Alphabet::write`] returns them.
    ///
    /// # Panics
    ///
    /// Where a cell is above the number of digits.
    pub fn write_to(&self, cells: &[u8], out: &mut Vec<u8>) {
        match &self.notation {
            Notation::Symbols(symbols) => out.extend(cells.iter().map(|&cell| match cell {
                0 => b'.',
                digit => symbols[usize::from(digit) - 1],
            })),
            Notation::Numbers(_) => {
                for (index, &cell) in cells.iter().enumerate() {
                    if index > 0 {
                        out.push(b' ');
                    }
                    out.extend_from_slice(itoa::Buffer::new().format(cell).as_bytes());
                }
            }
        }
    }

    /// Returns whether the cells could be written in this alphabet with one character for all blanks.
    pub(in crate::text) fn explains(&self, cells: &[u8]) -> bool {
        let mut blank = None;
        cells.iter().all(|&byte| match self.cell(byte) {
            None => false,
            Some(0) => *blank.get_or_insert(byte) == byte,
            Some(_) => true,
        })
    }
}

/// The text that it was parsed from.
impl fmt::Display for Alphabet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

/// The digits in order; `A-G` stands for all letters from `A` to `G`.
impl FromStr for Alphabet {
    type Err = String;

    fn from_str(text: &str) -> Result<Alphabet, String> {
        let wrong =
            |why: &str| format!("'{text}' is no alphabet: {why}; give the digits in order, as in 1-9A-G");
        let symbols = expand(text.as_bytes()).ok_or_else(|| wrong("a range runs backwards"))?;
        if !symbols.iter().all(u8::is_ascii_alphanumeric) {
            return Err(wrong("only letters and digits are symbols"));
        }
        if (1..symbols.len()).any(|index| symbols[..index].contains(&symbols[index])) {
            return Err(wrong("a symbol stands in it twice"));
        }
        if !(4..=Shape::MAX_SIDE).contains(&symbols.len()) {
            let count = symbols.len();
            return Err(wrong(&format!("it has {count} symbols, and grids have 4 to {}", Shape::MAX_SIDE)));
        }
        Ok(Alphabet::of(text.to_owned(), symbols))
    }
}

/// Returns the symbols with each range written out; `None` if a range runs backwards.
fn expand(mut text: &[u8]) -> Option<Vec<u8>> {
    let mut symbols = Vec::new();
    while let Some((&first, rest)) = text.split_first() {
        match rest {
            [b'-', last, rest @ ..] => {
                if *last < first {
                    return None;
                }
                symbols.extend(first..=*last);
                text = rest;
            }
            _ => {
                symbols.push(first);
                text = rest;
            }
        }
    }
    Some(symbols)
}

/// Returns the symbols as text for [`expand`], those that follow each other in ASCII as ranges.
fn spelled(symbols: &[u8]) -> String {
    let range = |run: &[u8]| match *run {
        [only] => char::from(only).to_string(),
        [first, .., last] => format!("{}-{}", char::from(first), char::from(last)),
        [] => String::new(),
    };
    symbols.chunk_by(|a, b| a + 1 == *b).map(range).collect()
}

/// The mark of a byte that is no cell.
const FOREIGN: u8 = 0xff;

/// The cell that each byte stands for.
#[derive(Clone, Copy)]
pub(in crate::text) struct Symbols([u8; 256]);

impl Symbols {
    fn new(cell: impl Fn(u8) -> Option<u8>) -> Symbols {
        Symbols(std::array::from_fn(|byte| cell(byte as u8).unwrap_or(FOREIGN)))
    }

    /// Returns the symbols of an alphabet.
    pub(in crate::text) fn of(alphabet: &Alphabet) -> Symbols {
        Symbols::new(|byte| alphabet.cell(byte))
    }

    /// Returns all symbols of the possible alphabets of that side; which digit a symbol stands for is left
    /// open.
    pub(in crate::text) fn possible(side: usize, given: &[Alphabet]) -> Symbols {
        let mut alphabets: Vec<&Alphabet> = given.iter().filter(|alphabet| alphabet.side() == side).collect();
        let usual = if side > 9 { Alphabet::conventions(side) } else { vec![Alphabet::digits(side)] };
        if alphabets.is_empty() {
            alphabets.extend(&usual);
        }
        let is_cell = |byte| alphabets.iter().any(|alphabet| alphabet.cell(byte).is_some());
        Symbols::new(|byte| (is_cell(byte) || BLANKS.contains(&byte)).then_some(0))
    }

    /// Returns the cell that a byte stands for: a digit, or 0 for a blank.
    #[inline]
    pub(in crate::text) fn cell(&self, byte: u8) -> Option<u8> {
        Some(self.0[usize::from(byte)]).filter(|&cell| cell != FOREIGN)
    }

    /// Returns whether all bytes of a text are cells.
    pub(in crate::text) fn have(&self, text: &[u8]) -> bool {
        text.iter().all(|&byte| self.cell(byte).is_some())
    }
}

impl fmt::Debug for Symbols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells = (0..=255u8).filter(|&byte| self.cell(byte).is_some()).map(char::from);
        write!(f, "Symbols({})", cells.collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_side_has_its_conventions() {
        let names = |side| Alphabet::conventions(side).iter().map(Alphabet::to_string).collect::<Vec<_>>();
        assert_eq!(names(10), ["1-9A", "0-9", "A-J"]);
        assert_eq!(names(16), ["1-9A-G", "0-9A-F", "A-P"]);
        assert_eq!(names(25), ["1-9A-P", "0-9A-O", "A-Y"]);
        for side in 10..=25 {
            for alphabet in Alphabet::conventions(side) {
                assert_eq!(alphabet.to_string().parse(), Ok(alphabet));
            }
        }
    }

    #[test]
    fn numbers_have_gaps() {
        let numbers = Alphabet::numbers(16);
        assert_eq!((numbers.side(), numbers.write(&[1, 0, 16])), (16, "1 0 16".to_owned()));
        assert_eq!(["0", "9", "A"].map(|text| numbers.cell(text.as_bytes()[0])), [Some(0), Some(9), None]);
    }

    #[test]
    fn what_is_no_alphabet_is_refused() {
        for (text, why) in
            [("G-A", "backwards"), ("1-9A-C1", "twice"), ("1-3", "3 symbols"), ("1-9%", "letters")]
        {
            assert!(text.parse::<Alphabet>().unwrap_err().contains(why), "{text}");
        }
    }
}
