//! Links: the implications from one candidate to another, of which all chains are made.
//!
//! A *weak link* leads from on to off: to another candidate of the cell, or another place of the digit in a house. A
//! *strong link* leads from off to on: to the last other candidate of the cell, or the last other place in a house.

use crate::grid::CELLS;
use crate::logic::cell_set::{CandidateSet, CellSet};
use crate::logic::deduction::Deduction;
use crate::logic::houses::{HOUSE, HOUSE_CELLS, PEERS, houses_of, places_of};
use crate::logic::rating::Rating;
use crate::logic::state::{State, digits};
use crate::logic::technique::Technique;

/// How many candidates there can be.
pub(super) const CANDIDATES: usize = 9 * CELLS;

/// A candidate by its index: 81 times the digit, plus the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate(u16);

impl Candidate {
    /// Returns the candidate of a cell and a digit (from 0).
    pub(super) const fn new(cell: usize, digit: usize) -> Candidate {
        Candidate((digit * CELLS + cell) as u16)
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

    /// Returns the deduction that it is on or off.
    pub(super) fn proved(self, on: bool, technique: Technique, rating: Rating) -> Deduction {
        let (cell, digit) = (self.cell(), self.digit());
        match on {
            true => Deduction::place(technique, rating, cell, digit),
            false => Deduction::remove(technique, rating, CandidateSet::of(digit, CellSet::of(cell))),
        }
    }

    /// Returns the statement that it is on or off, as [`Link`](crate::logic::deduction::Link) has it.
    pub(super) const fn says(self, on: bool) -> (usize, usize, bool) {
        (self.cell(), self.digit(), on)
    }
}

/// Where two candidates are linked: in their cell, or by their digit in a house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Via {
    Cell,
    /// 0 for the row, 1 for the column, 2 for the box.
    House(u8),
}

/// Which links count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Links {
    /// Those of one digit, in houses.
    X(usize),
    /// Strong links in cells only, weak ones anywhere.
    Y,
    /// All of them.
    Xy,
}

impl Links {
    /// Returns all kinds, in the order in which single chains are looked for.
    pub(super) fn all() -> impl Iterator<Item = Links> {
        (0..9).map(Links::X).chain([Links::Y, Links::Xy])
    }

    /// Returns the technique as which cycles count, and that as which chains do, if they do.
    pub(super) const fn techniques(self) -> (Technique, Option<Technique>) {
        match self {
            Links::X(_) => (Technique::XCycle, Some(Technique::XChain)),
            Links::Y => (Technique::YCycle, None),
            Links::Xy => (Technique::Cycle, Some(Technique::Chain)),
        }
    }

    /// Returns whether links within a cell count.
    pub(super) const fn in_cells(self) -> bool {
        !matches!(self, Links::X(_))
    }

    /// Returns whether strong links in houses count.
    pub(super) const fn strong_in_houses(self) -> bool {
        !matches!(self, Links::Y)
    }

    /// Returns the digits that count.
    pub(super) const fn digits(self) -> std::ops::Range<usize> {
        match self {
            Links::X(digit) => digit..digit + 1,
            _ => 0..9,
        }
    }

    /// Calls a function for each candidate that is off if this one is on: those of its cell, then of its box, row and
    /// column.
    #[inline]
    pub(super) fn each_weak(self, state: &State, on: Candidate, mut each: impl FnMut(Candidate, Via)) {
        let (cell, digit) = (on.cell(), on.digit());
        if self.in_cells() {
            for other in digits(state.candidates(cell) & !(1 << digit)) {
                each(Candidate::new(cell, other), Via::Cell);
            }
        }
        for (kind, part) in by_house(cell, state.cells_of(digit) & PEERS[cell]) {
            for other in part {
                each(Candidate::new(other, digit), Via::House(kind));
            }
        }
    }

    /// Calls a function for each candidate that is on if this one is off: the last one of its cell, then of its box, row
    /// and column.
    #[inline]
    pub(super) fn each_strong(self, state: &State, off: Candidate, mut each: impl FnMut(Candidate, Via)) {
        let (cell, digit) = (off.cell(), off.digit());
        if self.in_cells() {
            let rest = state.candidates(cell) & !(1 << digit);
            if rest.is_power_of_two() {
                each(Candidate::new(cell, rest.trailing_zeros() as usize), Via::Cell);
            }
        }
        if self.strong_in_houses() {
            let (houses, places) = (houses_of(cell), places_of(cell));
            for kind in HOUSE_KINDS {
                let rest = state.places(digit, houses[kind]) & !(1 << places[kind]);
                if rest.is_power_of_two() {
                    let last = HOUSE_CELLS[houses[kind]][rest.trailing_zeros() as usize];
                    each(Candidate::new(usize::from(last), digit), Via::House(kind as u8));
                }
            }
        }
    }
}

/// The kinds of houses in the order in which links are followed: box, row, column.
pub(super) const HOUSE_KINDS: [usize; 3] = [2, 0, 1];

/// Returns peers of a cell by the first of its houses in which they are, with the kind of house: its box, row, column.
#[inline]
pub(super) fn by_house(cell: usize, peers: CellSet) -> [(u8, CellSet); 3] {
    let [row, column, of_box] = houses_of(cell);
    let in_box = HOUSE[of_box];
    [(2, peers & in_box), (0, (peers & HOUSE[row]) - in_box), (1, (peers & HOUSE[column]) - in_box)]
}
