//! Puzzles and solutions of the classic 9x9 grid, in fixed arrays.

use std::fmt;

use super::{CELLS, Cell, Digit};

/// The clues of a classic puzzle: 81 cells in reading order, each a digit or blank.
///
/// Its clues may contradict each other, and it may have any number of solutions. Text is read by
/// `str::parse`, or by the formats of `text`.
///
/// ```
/// use gridmill::grid::{Cell, Puzzle};
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
    pub fn from_cells(cells: [u8; CELLS]) -> Option<Puzzle> {
        // No early exit, so that the loop becomes vector code. The same in `Solution::from_cells`.
        cells.iter().fold(true, |fine, &cell| fine & (cell <= 9)).then_some(Puzzle(cells))
    }

    /// Returns the cells, for a reader to fill.
    #[inline(always)]
    pub(crate) fn cells_mut(&mut self) -> &mut [u8; CELLS] {
        &mut self.0
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
