//! The state of a grid that is being solved: digits placed, and the candidates that are left.

use super::cell_set::{CandidateSet, CellSet};
use super::houses::{HOUSES, PEERS, houses_of, places_of};
use crate::grid::{CELLS, Digit, DigitSet, Pencilmarks, Puzzle};

/// The digits of a cell or the places of a house, all nine of them, as a mask.
pub(crate) const ALL_NINE: u16 = 0x1ff;

/// Digits placed and candidates left, by cell and by digit.
///
/// Digits count from 0 here, and cells in reading order. A placed cell has no candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The candidates of each cell, as a mask of digits; 0 where a digit is placed.
    cells: [u16; CELLS],
    /// The candidates of each digit three times: bit `9 * house + place` by rows, by columns, by boxes.
    planes: [[u128; 3]; 9],
    /// The digit placed in each cell, from 1; 0 for none.
    values: [u8; CELLS],
    empty: CellSet,
}

impl State {
    /// Every cell empty, every digit possible.
    pub const BLANK: State = State {
        cells: [ALL_NINE; CELLS],
        planes: [[CellSet::ALL.bits(); 3]; 9],
        values: [0; CELLS],
        empty: CellSet::ALL,
    };

    /// Returns the state of a puzzle: the clues placed, and what they leave to the other cells.
    #[must_use]
    pub fn of_puzzle(puzzle: &Puzzle) -> State {
        let mut state = State::BLANK;
        for (cell, &clue) in puzzle.cells().iter().enumerate() {
            if clue != 0 {
                state.place(cell, usize::from(clue) - 1);
            }
        }
        state
    }

    /// Returns the state of a grid of candidates. A cell with one candidate holds it: the digit is placed, and its
    /// peers lose it.
    #[must_use]
    pub fn of_pencilmarks(marks: &Pencilmarks) -> State {
        let mut state = State::of_puzzle(marks.clues());
        for cell in state.empty {
            let absent = state.cells[cell] & !(marks.candidates()[cell].mask() as u16);
            for digit in digits(absent) {
                state.remove(cell, digit);
            }
        }
        state
    }

    /// Returns the candidates of a cell, as a mask of digits; 0 where a digit is placed.
    #[inline]
    #[must_use]
    pub const fn candidates(&self, cell: usize) -> u16 {
        self.cells[cell]
    }

    /// Returns the cells that may hold a digit.
    #[inline]
    #[must_use]
    pub const fn cells_of(&self, digit: usize) -> CellSet {
        CellSet::from_bits(self.planes[digit][0])
    }

    /// Returns the places of a house, as a mask, that may hold a digit.
    #[inline]
    #[must_use]
    pub const fn places(&self, digit: usize, house: usize) -> u16 {
        (self.planes[digit][house / 9] >> (house % 9 * 9)) as u16 & ALL_NINE
    }

    /// Returns whether the digit may stand in the cell.
    #[inline]
    #[must_use]
    pub const fn has(&self, cell: usize, digit: usize) -> bool {
        self.cells[cell] >> digit & 1 != 0
    }

    /// Returns the cells in which no digit is placed.
    #[inline]
    #[must_use]
    pub const fn empty(&self) -> CellSet {
        self.empty
    }

    /// Returns the digit placed in a cell.
    #[must_use]
    pub const fn value(&self, cell: usize) -> Option<Digit> {
        Digit::new(self.values[cell])
    }

    /// Returns the placed digits, 0 for none, in reading order.
    #[must_use]
    pub const fn values(&self) -> &[u8; CELLS] {
        &self.values
    }

    /// Returns the candidates of every cell as sets; a placed cell has its digit.
    #[must_use]
    pub fn to_pencilmarks(&self) -> Pencilmarks {
        Pencilmarks::new(std::array::from_fn(|cell| match self.value(cell) {
            Some(digit) => DigitSet::EMPTY.with(digit),
            None => DigitSet::from_mask(u32::from(self.cells[cell])),
        }))
    }

    /// Returns every candidate.
    #[must_use]
    pub fn all_candidates(&self) -> CandidateSet {
        CandidateSet(std::array::from_fn(|digit| self.cells_of(digit)))
    }

    /// Returns the empty cells with exactly `count` candidates.
    #[must_use]
    pub fn cells_with(&self, count: u32) -> CellSet {
        self.empty.into_iter().filter(|&cell| self.cells[cell].count_ones() == count).collect()
    }

    /// Returns whether every cell has its digit.
    #[must_use]
    pub const fn is_solved(&self) -> bool {
        self.empty.is_empty()
    }

    /// Returns whether some empty cell has no candidate, or some digit has no place left in a house.
    #[must_use]
    pub fn is_contradictory(&self) -> bool {
        self.empty.into_iter().any(|cell| self.cells[cell] == 0)
            || (0..HOUSES).any(|house| {
                let placed = super::houses::HOUSE_CELLS[house]
                    .iter()
                    .fold(0, |mask, &cell| mask | 1u32 << self.values[usize::from(cell)]);
                (0..9).any(|digit| placed >> (digit + 1) & 1 == 0 && self.places(digit, house) == 0)
            })
    }

    /// Places a digit: the cell loses its candidates, and its peers lose that digit.
    pub fn place(&mut self, cell: usize, digit: usize) {
        for other in digits(self.cells[cell]) {
            self.clear(cell, other);
        }
        self.cells[cell] = 0;
        self.values[cell] = digit as u8 + 1;
        self.empty.remove(cell);
        for peer in PEERS[cell] & self.cells_of(digit) {
            self.remove(peer, digit);
        }
    }

    /// Removes a candidate, which may be absent.
    #[inline]
    pub fn remove(&mut self, cell: usize, digit: usize) {
        self.cells[cell] &= !(1 << digit);
        self.clear(cell, digit);
    }

    /// Removes a set of candidates.
    pub fn remove_all(&mut self, candidates: &CandidateSet) {
        for (cell, digit) in candidates.iter() {
            self.remove(cell, digit);
        }
    }

    #[inline]
    fn clear(&mut self, cell: usize, digit: usize) {
        let (houses, places) = (houses_of(cell), places_of(cell));
        for kind in 0..3 {
            self.planes[digit][kind] &= !(1 << (houses[kind] % 9 * 9 + places[kind]));
        }
    }
}

/// Returns the bits of a mask, from the lowest: digits from 0, or places.
#[inline]
pub(crate) fn digits(mask: u16) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let lowest = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(lowest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_digits_and_houses_say_the_same() {
        let puzzle: Puzzle =
            "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3.."
                .parse()
                .unwrap();
        let mut state = State::of_puzzle(&puzzle);
        state.remove(1, 7);
        for cell in 0..CELLS {
            for digit in 0..9 {
                assert_eq!(state.has(cell, digit), state.cells_of(digit).contains(cell));
                for kind in 0..3 {
                    let places = state.places(digit, houses_of(cell)[kind]);
                    assert_eq!(state.has(cell, digit), places >> places_of(cell)[kind] & 1 == 1);
                }
            }
        }
        assert!(!state.has(1, 7) && state.empty().len() == 81 - puzzle.clue_count());
        assert!(!state.is_contradictory() && !state.is_solved());
        assert_eq!(State::of_pencilmarks(&state.to_pencilmarks()).all_candidates(), state.all_candidates());
    }
}
