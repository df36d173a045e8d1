//! The candidates of a state in a form that is quick to copy and to narrow.

use crate::grid::CELLS;
use crate::logic::cell_set::CellSet;
use crate::logic::houses::{HOUSES, houses_of, places_of};
use crate::logic::state::{State, digits};

/// The candidates that are left, by cell, by house and by digit.
#[derive(Clone, Debug)]
pub(super) struct Board {
    cells: [u16; CELLS],
    places: [[u16; HOUSES]; 9],
    of_digit: [CellSet; 9],
}

impl Board {
    /// No candidate.
    pub(super) const EMPTY: Board =
        Board { cells: [0; CELLS], places: [[0; HOUSES]; 9], of_digit: [CellSet::EMPTY; 9] };

    /// Returns the candidates of a state.
    pub(super) fn of(state: &State) -> Board {
        Board {
            cells: std::array::from_fn(|cell| state.candidates(cell)),
            places: std::array::from_fn(|digit| std::array::from_fn(|house| state.places(digit, house))),
            of_digit: std::array::from_fn(|digit| state.cells_of(digit)),
        }
    }

    /// Returns the candidates of a cell, as a mask of digits.
    #[inline]
    pub(super) const fn candidates(&self, cell: usize) -> u16 {
        self.cells[cell]
    }

    /// Returns the places of a house, as a mask, that may hold a digit.
    #[inline]
    pub(super) const fn places(&self, digit: usize, house: usize) -> u16 {
        self.places[digit][house]
    }

    /// Returns the cells that may hold a digit.
    #[inline]
    pub(super) const fn cells_of(&self, digit: usize) -> CellSet {
        self.of_digit[digit]
    }

    /// Returns every candidate, as cell and digit, cell by cell.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..CELLS).flat_map(|cell| digits(self.cells[cell]).map(move |digit| (cell, digit)))
    }

    /// Removes a candidate.
    #[inline]
    pub(super) const fn remove(&mut self, cell: usize, digit: usize) {
        let ([row, column, of_box], places) = (houses_of(cell), places_of(cell));
        self.cells[cell] &= !(1 << digit);
        self.of_digit[digit].remove(cell);
        self.places[digit][row] &= !(1 << places[0]);
        self.places[digit][column] &= !(1 << places[1]);
        self.places[digit][of_box] &= !(1 << places[2]);
    }
}
