//! Candidates by number, and how they are linked.

use crate::grid::CELLS;

/// How many candidates there can be.
pub(super) const NODES: usize = 9 * CELLS;

/// A candidate by its index: 81 times the digit, plus the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node(pub u16);

impl Node {
    /// Returns the candidate of a cell and a digit.
    pub(super) const fn new(cell: usize, digit: usize) -> Node {
        Node((digit * CELLS + cell) as u16)
    }

    /// Returns its cell.
    pub(super) const fn cell(self) -> usize {
        self.0 as usize % CELLS
    }

    /// Returns its digit, from 0.
    pub(super) const fn digit(self) -> usize {
        self.0 as usize / CELLS
    }

    /// Returns its index.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the statement that it is on or off, as links have it.
    pub(super) const fn says(self, on: bool) -> (usize, usize, bool) {
        (self.cell(), self.digit(), on)
    }
}

/// Where candidates are linked: in their cell, or by their digit in a house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Via {
    Cell,
    /// 0 for the row, 1 for the column, 2 for the box.
    House(u8),
}
