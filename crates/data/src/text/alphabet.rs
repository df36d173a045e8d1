//! Alphabets: the characters for digits and blanks, for any side. They can also be inferred from the
//! characters of the lines.

use std::fmt;
use std::str::FromStr;

use gridmill_core::grid::{BLANKS, Digit, Shape};

use super::reader::any_shape::read_number;
use super::{FaultKind, FormatError};

/// The characters of the digits, in order. Blanks are `. 0 _ - * ? x X`, except those that are digits.
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
    /// The text that it was parsed from, e.g. `1-9A-G`.
    name: String,
    side: usize,
    /// The digits of one character: all of them, or for numbers those up to 9.
    symbols: Vec<u8>,
    /// Whether digits are numbers from 1 to the side, separated by spaces, with 0 for a blank.
    has_numbers: bool,
    /// The cell for each character.
    pub(super) cells: CellTable,
}

impl Alphabet {
    /// The digits from 1, for sides up to 9.
    ///
    /// # Panics
    ///
    /// If the side is 0 or above 9.
    #[must_use]
    pub fn digits(side: usize) -> Alphabet {
        assert!((1..=9).contains(&side), "there are no {side} digits without a 0");
        Alphabet::new(format!("1-{side}"), (b'1'..=b'9').take(side).collect())
    }

    /// Numbers from 1, separated by spaces, with 0 for a blank.
    #[must_use]
    pub fn numbers(side: usize) -> Alphabet {
        let digits = Alphabet::new(format!("numbers to {side}"), (b'1'..=b'9').take(side).collect());
        Alphabet { side, has_numbers: true, ..digits }
    }

    fn new(name: String, symbols: Vec<u8>) -> Alphabet {
        let (side, cells) = (symbols.len(), CellTable::new(&symbols));
        Alphabet { name, side, symbols, has_numbers: false, cells }
    }

    /// The usual alphabets of a side above 9, e.g. `1-9A-G`, `0-9A-F` and `A-P` for 16.
    #[must_use]
    pub fn conventions(side: usize) -> Vec<Alphabet> {
        let of = |digits: std::ops::RangeInclusive<u8>| {
            let symbols: Vec<u8> = digits.chain(b'A'..=b'Z').take(side).collect();
            Alphabet::new(with_ranges(&symbols), symbols)
        };
        #[expect(clippy::reversed_empty_ranges, reason = "no digits, so letters from the first on")]
        [of(b'1'..=b'9'), of(b'0'..=b'9'), of(1..=0)].to_vec()
    }

    /// The number of digits, which is also the side of the grids.
    #[must_use]
    pub fn side(&self) -> usize {
        self.side
    }

    /// Reads a character as a cell: a digit, or 0 for a blank; `None` if it is neither.
    #[must_use]
    #[inline]
    pub fn cell(&self, byte: u8) -> Option<u8> {
        self.cells.cell(byte)
    }

    /// Reads a text, which is a number or a character, as a cell; `None` if it is neither digit nor blank.
    pub(super) fn read(&self, text: &[u8]) -> Option<Result<u8, FaultKind>> {
        if self.has_numbers { read_number(text, self.side) } else { self.cell(text[0]).map(Ok) }
    }

    /// The character of a digit up to the side; `None` if digits are numbers.
    pub(crate) fn symbol(&self, digit: Digit) -> Option<char> {
        let symbol = self.symbols.get(usize::from(digit.get()) - 1).filter(|_| !self.has_numbers);
        symbol.copied().map(char::from)
    }

    /// Writes cells as one line.
    #[must_use]
    pub fn write(&self, cells: &[u8]) -> String {
        let mut line = Vec::new();
        self.write_to(cells, &mut line);
        line.into_iter().map(char::from).collect()
    }

    /// Appends cells as one line, like [`Alphabet::write`].
    ///
    /// # Panics
    ///
    /// If a cell is above the number of digits.
    pub fn write_to(&self, cells: &[u8], out: &mut Vec<u8>) {
        if !self.has_numbers {
            out.extend(cells.iter().map(|&cell| match cell {
                0 => b'.',
                digit => self.symbols[usize::from(digit) - 1],
            }));
            return;
        }
        for (index, &cell) in cells.iter().enumerate() {
            if index > 0 {
                out.push(b' ');
            }
            out.extend_from_slice(itoa::Buffer::new().format(cell).as_bytes());
        }
    }

    /// Returns whether the cells could be written in this alphabet, with a single character for all blanks.
    fn explains(&self, cells: &[u8]) -> bool {
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

/// Parses the digits in order; `A-G` means all letters from `A` to `G`.
impl FromStr for Alphabet {
    type Err = String;

    fn from_str(text: &str) -> Result<Alphabet, String> {
        let wrong =
            |why: &str| format!("'{text}' is not an alphabet: {why}; give the digits in order, as in 1-9A-G");
        let symbols = expand(text.as_bytes()).ok_or_else(|| wrong("a range runs backwards"))?;
        if !symbols.iter().all(u8::is_ascii_alphanumeric) {
            return Err(wrong("only letters and digits are symbols"));
        }
        if (1..symbols.len()).any(|index| symbols[..index].contains(&symbols[index])) {
            return Err(wrong("a symbol is in it twice"));
        }
        if !(4..=Shape::MAX_SIDE).contains(&symbols.len()) {
            let count = symbols.len();
            return Err(wrong(&format!("it has {count} symbols, and grids have 4 to {}", Shape::MAX_SIDE)));
        }
        Ok(Alphabet::new(text.to_owned(), symbols))
    }
}

/// Expands each range in the symbols; `None` if a range runs backwards.
fn expand(mut text: &[u8]) -> Option<Vec<u8>> {
    let mut symbols = Vec::new();
    while let [first, following @ ..] = text {
        let (last, rest) = match following {
            [b'-', last, rest @ ..] => (last, rest),
            rest => (first, rest),
        };
        if last < first {
            return None;
        }
        symbols.extend(*first..=*last);
        text = rest;
    }
    Some(symbols)
}

/// Writes symbols as text for [`expand`], with ranges where they are adjacent in ASCII.
fn with_ranges(symbols: &[u8]) -> String {
    let range = |run: &[u8]| match *run {
        [only] => char::from(only).to_string(),
        [first, .., last] => format!("{}-{}", char::from(first), char::from(last)),
        [] => String::new(),
    };
    symbols.chunk_by(|a, b| a + 1 == *b).map(range).collect()
}

/// Marks a byte that is not a cell.
const NO_CELL: u8 = 0xff;

/// The cell for each byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellTable(pub(super) [u8; 256]);

impl CellTable {
    /// Takes the symbols of the digits from 1 on, and the usual symbols of blanks.
    pub(super) const fn new(symbols: &[u8]) -> CellTable {
        let mut cells = [NO_CELL; 256];
        let mut blank = 0;
        while blank < BLANKS.len() {
            cells[BLANKS[blank] as usize] = 0;
            blank += 1;
        }
        let mut digit = 0;
        while digit < symbols.len() {
            cells[symbols[digit] as usize] = digit as u8 + 1;
            digit += 1;
        }
        CellTable(cells)
    }

    /// Adds another character for a blank.
    pub(super) const fn with_blank(mut self, blank: u8) -> CellTable {
        self.0[blank as usize] = 0;
        self
    }

    /// Collects the symbols of all possible alphabets of a side. They are all marked as blanks, because it
    /// is not known yet which digit a symbol is.
    pub(super) fn possible(side: usize, given: &[Alphabet]) -> CellTable {
        let mut alphabets: Vec<&Alphabet> = given.iter().filter(|alphabet| alphabet.side() == side).collect();
        let usual = if side > 9 { Alphabet::conventions(side) } else { vec![Alphabet::digits(side)] };
        if alphabets.is_empty() {
            alphabets.extend(&usual);
        }
        let mut cells = CellTable::new(b"");
        alphabets.iter().flat_map(|it| &it.symbols).for_each(|&symbol| cells.0[usize::from(symbol)] = 0);
        cells
    }

    /// Reads a byte as a cell: a digit, or 0 for a blank.
    #[inline]
    pub(super) fn cell(&self, byte: u8) -> Option<u8> {
        Some(self.0[usize::from(byte)]).filter(|&cell| cell != NO_CELL)
    }

    /// Returns whether all bytes of a text are cells.
    pub(super) fn have(&self, text: &[u8]) -> bool {
        text.iter().all(|&byte| self.cell(byte).is_some())
    }
}

/// The usual alphabets that are still possible after the lines so far, for one side above 9.
#[derive(Clone, Debug)]
pub(super) struct Evidence {
    possible: Vec<Alphabet>,
    /// Whether at least one line fits one of them.
    explained: bool,
}

impl Evidence {
    pub(super) fn new(side: usize) -> Evidence {
        Evidence { possible: Alphabet::conventions(side), explained: false }
    }

    /// Returns whether only one alphabet is possible.
    pub(super) fn is_proof(&self) -> bool {
        self.possible.len() == 1
    }

    /// Returns the only possible alphabet.
    ///
    /// # Errors
    ///
    /// If the characters leave several possible.
    pub(super) fn conclude(self, side: usize) -> Result<Alphabet, FormatError> {
        let Evidence { possible: alphabets, explained: fit } = self;
        match &alphabets[..] {
            [only] => Ok(only.clone()),
            _ => Err(FormatError::NoAlphabet { side, alphabets, fit }),
        }
    }

    /// Adds the cells of a puzzle, or of one row. A line that fits no alphabet is malformed, and so
    /// excludes none.
    pub(super) fn add(&mut self, cells: &[u8]) {
        if self.possible.iter().any(|alphabet| alphabet.explains(cells)) {
            self.possible.retain(|alphabet| alphabet.explains(cells));
            self.explained = true;
        }
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
    fn wrong_alphabets_are_refused() {
        for (text, why) in
            [("G-A", "backwards"), ("1-9A-C1", "twice"), ("1-3", "3 symbols"), ("1-9%", "letters")]
        {
            assert!(text.parse::<Alphabet>().unwrap_err().contains(why), "{text}");
        }
    }

    fn conclusion(side: usize, lines: &[&str]) -> Result<String, Vec<String>> {
        let mut evidence = Evidence::new(side);
        lines.iter().for_each(|line| evidence.add(line.as_bytes()));
        match &evidence.possible[..] {
            [one] => Ok(one.to_string()),
            several => Err(several.iter().map(Alphabet::to_string).collect()),
        }
    }

    #[test]
    fn characters_prove_an_alphabet() {
        assert_eq!(conclusion(16, &["1G.."]).unwrap(), "1-9A-G");
        assert_eq!(conclusion(16, &["1G00"]).unwrap(), "1-9A-G");
        assert_eq!(conclusion(16, &["10.."]).unwrap(), "0-9A-F");
        assert_eq!(conclusion(16, &["P..."]).unwrap(), "A-P");
        assert_eq!(conclusion(16, &["1A..", "1%..", "2G.."]).unwrap(), "1-9A-G");
        assert_eq!(conclusion(16, &["1A.."]).unwrap_err(), ["1-9A-G", "0-9A-F"]);
        assert_eq!(conclusion(25, &["X..."]).unwrap(), "A-Y");
    }
}
