//! Puzzles and solutions of the classic 9x9 grid, in fixed arrays.

use std::fmt;
use std::str::FromStr;

use super::{BLANKS, CELLS, Cell, Digit};

/// The clues of a classic puzzle: 81 cells in reading order, each a digit or blank.
///
/// Its clues may contradict each other, and it may have any number of solutions. `str::parse` reads 81 characters: `1` to
/// `9`, and `. 0 _ - * ? x X` for a blank. `gridmill-data` reads everything else, e.g. lists of numbers and remarks.
///
/// ```
/// use gridmill_core::grid::{Cell, Puzzle};
///
/// let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let puzzle: Puzzle = line.parse().unwrap();
/// assert_eq!(puzzle.clue_count(), 30);
/// assert_eq!(puzzle.clue(Cell::new(0)).map(|digit| digit.get()), Some(5));
/// assert_eq!(puzzle.clue(Cell::new(2)), None);
/// assert_eq!(puzzle.to_string(), line);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Puzzle([u8; CELLS]);

impl Puzzle {
    /// The puzzle without a clue.
    pub const EMPTY: Puzzle = Puzzle([0; CELLS]);

    /// Returns a puzzle of cells in reading order, 0 for a blank; `None` if a cell is above 9.
    #[must_use]
    #[inline]
    pub fn from_cells(cells: [u8; CELLS]) -> Option<Puzzle> {
        // No early exit, so that the loop becomes vector code. The same in `Solution::from_cells`.
        cells.iter().fold(true, |fine, &cell| fine & (cell <= 9)).then_some(Puzzle(cells))
    }

    /// Fills in the cells from digits and dots, the plainest and most common text. Returns false, with cells that mean
    /// nothing, if there is any other byte.
    #[inline]
    pub fn read_plain(&mut self, text: &[u8; CELLS]) -> bool {
        let mut foreign = false;
        // Branchless, so that it becomes vector code.
        for (cell, &byte) in self.0.iter_mut().zip(text) {
            let value = byte.wrapping_sub(b'0');
            let digit = value <= 9;
            *cell = if digit { value } else { 0 };
            foreign |= !digit & (byte != b'.');
        }
        !foreign
    }

    /// Returns the cells in reading order: 1 to 9, or 0 for a blank.
    #[must_use]
    pub const fn cells(&self) -> &[u8; CELLS] {
        &self.0
    }

    /// Returns the cells as text, in reading order, `.` for a blank.
    #[must_use]
    pub fn to_ascii(&self) -> [u8; CELLS] {
        self.0.map(|cell| if cell == 0 { b'.' } else { b'0' + cell })
    }

    /// Returns the clue in a cell, if there is one.
    #[must_use]
    pub fn clue(&self, cell: Cell) -> Option<Digit> {
        Digit::new(self.0[cell.index()])
    }

    /// Returns how many clues there are.
    #[must_use]
    pub fn clue_count(&self) -> usize {
        self.0.iter().filter(|&&cell| cell != 0).count()
    }
}

/// One line of 81 characters, `.` for a blank.
impl fmt::Display for Puzzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_cells(&self.to_ascii(), f)
    }
}

/// Why a text is not a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParsePuzzleError {
    /// A number of characters other than 81.
    #[error("{found} characters where 81 are needed")]
    Length {
        /// How many there are.
        found: usize,
    },
    /// A character that is neither digit nor blank.
    #[error("column {column}: '{character}' is neither digit nor blank")]
    Foreign {
        /// The character.
        character: char,
        /// Its column, from 1.
        column: usize,
    },
}

/// Reads 81 characters: `1` to `9`, and `. 0 _ - * ? x X` for a blank.
///
/// ```
/// use gridmill_core::Puzzle;
///
/// let error = "53..7.a..".repeat(9).parse::<Puzzle>().unwrap_err();
/// assert_eq!(error.to_string(), "column 7: 'a' is neither digit nor blank");
/// ```
impl FromStr for Puzzle {
    type Err = ParsePuzzleError;

    fn from_str(text: &str) -> Result<Puzzle, ParsePuzzleError> {
        let mut puzzle = Puzzle::EMPTY;
        let found = text.chars().count();
        if found != CELLS {
            return Err(ParsePuzzleError::Length { found });
        }
        for (index, (cell, character)) in puzzle.0.iter_mut().zip(text.chars()).enumerate() {
            *cell = match character {
                '1'..='9' => character as u8 - b'0',
                _ if character.is_ascii() && BLANKS.contains(&(character as u8)) => 0,
                _ => return Err(ParsePuzzleError::Foreign { character, column: index + 1 }),
            };
        }
        Ok(puzzle)
    }
}

impl fmt::Debug for Puzzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Puzzle({self})")
    }
}

/// A filled classic grid: 81 digits in reading order.
///
/// Every cell holds a digit, but the grid need not obey the rules: see [`Solution::solves`], or the naive
/// check of [`crate::grid::rules`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Solution([u8; CELLS]);

impl Solution {
    /// Returns a grid of cells in reading order; `None` if a cell is not from 1 to 9.
    #[must_use]
    #[inline]
    pub fn from_cells(cells: [u8; CELLS]) -> Option<Solution> {
        let is_digit = |cell: u8| cell.wrapping_sub(1) < 9;
        cells.iter().fold(true, |fine, &cell| fine & is_digit(cell)).then_some(Solution(cells))
    }

    /// A grid for an engine to fill.
    pub(crate) const UNFILLED: Solution = Solution([0; CELLS]);

    #[inline(always)]
    pub(crate) fn digits_mut(&mut self) -> &mut [u8; CELLS] {
        &mut self.0
    }

    /// Returns the digits in reading order.
    #[must_use]
    pub const fn cells(&self) -> &[u8; CELLS] {
        &self.0
    }

    /// Returns the digits as text, in reading order.
    #[must_use]
    pub fn to_ascii(&self) -> [u8; CELLS] {
        self.0.map(|digit| digit + b'0')
    }
}

impl fmt::Display for Solution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_cells(&self.to_ascii(), f)
    }
}

impl fmt::Debug for Solution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Solution({self})")
    }
}

fn write_cells(text: &[u8; CELLS], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.pad(str::from_utf8(text).map_err(|_| fmt::Error)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    #[test]
    fn every_blank_is_read() {
        let puzzle: Puzzle = LINE.parse().unwrap();
        assert_eq!(puzzle.to_string(), LINE);
        for &blank in BLANKS {
            assert_eq!(LINE.replace('.', &char::from(blank).to_string()).parse(), Ok(puzzle));
        }
    }

    #[test]
    fn what_is_no_puzzle_is_refused() {
        let foreign =
            |text: String| ParsePuzzleError::Foreign { character: text.chars().nth(2).unwrap(), column: 3 };
        for character in ["a", " ", "é", "\0"] {
            let text = LINE.replacen('.', character, 1);
            assert_eq!(text.parse::<Puzzle>(), Err(foreign(text)));
        }
        for (text, found) in [("12", 2), (&*format!("{LINE}1"), 82), ("", 0)] {
            assert_eq!(text.parse::<Puzzle>(), Err(ParsePuzzleError::Length { found }));
        }
    }
}
