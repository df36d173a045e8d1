//! Cells set apart by white space, on one line: numbers, or single characters.

use gridmill_core::grid::BLANKS;

use crate::text::alphabet::Symbols;
use crate::text::{Fault, FaultKind};

/// The fewest cells of a list.
const FEWEST: usize = 4;

/// A line of cells with white space between them.
pub(in crate::text) struct CellList<'a> {
    line: &'a [u8],
    /// The start and end of each cell.
    cells: Vec<(usize, usize)>,
}

impl<'a> CellList<'a> {
    /// Returns the list at the front of a line, if it begins with at least a few separate cells. A remark
    /// begins at a comma, a semicolon, or something that is no cell.
    pub(in crate::text) fn of(line: &'a [u8]) -> Option<CellList<'a>> {
        let end = line.iter().position(|byte| matches!(byte, b',' | b';')).unwrap_or(line.len());
        let line = &line[..end];
        let mut groups = spans(line).take_while(|&(from, to)| is_cell(&line[from..to])).peekable();
        groups.peek()?;
        let cells: Vec<_> = groups.collect();
        (cells.len() >= FEWEST).then_some(CellList { line, cells })
    }

    pub(in crate::text) fn len(&self) -> usize {
        self.cells.len()
    }

    pub(in crate::text) fn start(&self) -> usize {
        self.cells[0].0
    }

    /// Returns the byte behind the last cell.
    pub(in crate::text) fn end(&self) -> usize {
        self.cells[self.len() - 1].1
    }

    fn texts(&self) -> impl Iterator<Item = (usize, &'a [u8])> {
        self.cells.iter().map(|&(from, to)| (from, &self.line[from..to]))
    }

    /// Returns whether one of the cells has several digits.
    pub(in crate::text) fn is_of_numbers(&self) -> bool {
        self.cells.iter().any(|&(from, to)| to - from > 1)
    }

    /// Returns whether all cells are numbers up to the side, or blanks.
    pub(in crate::text) fn is_of_numbers_to(&self, side: usize) -> bool {
        self.texts().all(|(_, text)| number(text).is_some_and(|number| number as usize <= side))
    }

    /// Returns whether all cells are numbers or blanks.
    pub(in crate::text) fn is_of_digits(&self) -> bool {
        self.texts().all(|(_, text)| number(text).is_some())
    }

    /// Returns whether each cell is a single character that the symbols know.
    pub(in crate::text) fn fits(&self, symbols: &Symbols) -> bool {
        self.texts().all(|(_, text)| text.len() == 1 && symbols.have(text))
    }

    /// Returns the single characters, if they are no numbers.
    pub(in crate::text) fn letters(&self) -> Option<Vec<u8>> {
        let single = !self.is_of_numbers() && !self.is_of_digits();
        single.then(|| self.texts().flat_map(|(_, text)| text).copied().collect())
    }

    /// Fills cells with the numbers.
    pub(in crate::text) fn numbers(&self, side: usize, cells: &mut [u8]) -> Result<(), Fault> {
        for ((at, text), cell) in self.texts().zip(cells) {
            let foreign = || Fault { kind: FaultKind::foreign(text), offset: at as u32 };
            *cell = read_number(text, side)
                .ok_or_else(foreign)?
                .map_err(|kind| Fault { kind, offset: at as u32 })?;
        }
        Ok(())
    }

    /// Fills cells with the digits of the characters.
    pub(in crate::text) fn symbols(&self, symbols: &Symbols, cells: &mut [u8]) -> Result<(), Fault> {
        for ((at, text), cell) in self.texts().zip(cells) {
            let foreign = Fault { kind: FaultKind::foreign(text), offset: at as u32 };
            *cell = symbols.cell(text[0]).ok_or(foreign)?;
        }
        Ok(())
    }
}

/// Reads a number up to the side, 0 for a blank; `None` if the text is no number.
pub(in crate::text) fn read_number(text: &[u8], side: usize) -> Option<Result<u8, FaultKind>> {
    let number = number(text)?;
    let large = FaultKind::TooLarge { number, side: side as u8 };
    Some(if number as usize <= side { Ok(number as u8) } else { Err(large) })
}

/// Reads a number of one or two digits, 0 for a blank.
fn number(text: &[u8]) -> Option<u32> {
    match text {
        [blank] if BLANKS.contains(blank) => Some(0),
        [_] | [_, _] if text.iter().all(u8::is_ascii_digit) => str::from_utf8(text).ok()?.parse().ok(),
        _ => None,
    }
}

fn is_cell(text: &[u8]) -> bool {
    number(text).is_some() || matches!(text, [byte] if byte.is_ascii_alphanumeric())
}

/// Iterates over the start and end of each group between white space or `|`.
pub(in crate::text) fn spans(line: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let separator = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'|';
    let mut at = 0;
    std::iter::from_fn(move || {
        let from = at + line[at..].iter().position(|byte| !separator(byte))?;
        at = line[from..].iter().position(separator).map_or(line.len(), |len| from + len);
        Some((from, at))
    })
}
