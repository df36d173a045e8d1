//! The state of a grid while it is being solved: the placed digits and the remaining candidates.
//!
//! The candidates are stored three times: by cell, by digit and by house. Techniques ask from all three
//! sides, so every question is answered by a load, and [`State::place_all`] keeps the copies equal.

use super::cells::{CandidateSet, CellSet, HOUSES, PEERS, houses_of, mask_of_flags, places_of};
use crate::grid::{CELLS, Cell, Digit, DigitSet, Pencilmarks, Puzzle, bits_of};
use crate::solver::Solvable;

/// A mask of all nine digits of a cell, or of all nine places of a house.
pub(crate) const ALL_NINE: u16 = 0x1ff;

/// The placed digits and the remaining candidates, by cell, by digit and by house.
///
/// Digits count from 0 here, and cells in reading order. A cell with a placed digit has no candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// For each digit, its possible places in each house.
    places: [Places; 9],
    /// The empty cells of each house.
    empty_places: Places,
    /// For each digit, the cells that may hold it.
    digits: [CellSet; 9],
    empty: CellSet,
    /// The candidates of each cell as a mask of digits. The mask is 0 if a digit is placed.
    cells: [u16; CELLS],
    /// For each row, the digits that are not placed in it yet, as a mask.
    row_needs: [u16; 9],
    /// For each band and each column, the digits that are placed neither in the column nor in the box where
    /// the two cross, as a mask.
    crossing_needs: [[u16; 9]; 3],
    /// The digit placed in each cell, from 1. It is 0 for an empty cell.
    values: [u8; CELLS],
    /// Whether a digit was ever placed in a cell that did not have it as a candidate.
    is_broken: bool,
    /// The digits that the puzzle started with. Their minlex form decides ties (see [`Ties`](super::Ties)).
    clues: Puzzle,
}

impl State {
    /// The state of an empty grid: every digit is possible in every cell.
    pub const BLANK: State = State {
        places: [Places::ALL; 9],
        empty_places: Places::ALL,
        digits: [CellSet::ALL; 9],
        empty: CellSet::ALL,
        cells: [ALL_NINE; CELLS],
        row_needs: [ALL_NINE; 9],
        crossing_needs: [[ALL_NINE; 9]; 3],
        values: [0; CELLS],
        is_broken: false,
        clues: Puzzle::EMPTY,
    };

    /// Creates the state of a classic puzzle: its clues are placed and removed from the candidates of their
    /// peers.
    #[must_use]
    pub fn from_puzzle(puzzle: &Puzzle) -> State {
        let filled = mask_of_flags(&puzzle.cells().map(|clue| u8::from(clue != 0)));
        let filled = CellSet::from_bits(filled).into_iter();
        let clues = filled.map(|cell| (cell, usize::from(puzzle.cells()[cell]) - 1)).collect();
        State::from_placed(puzzle, &clues)
    }

    /// Creates the state of a puzzle in which `placed` are the placed digits. They include the clues.
    pub(super) fn from_placed(puzzle: &Puzzle, placed: &CandidateSet) -> State {
        let mut state = State { clues: *puzzle, ..State::BLANK };
        state.place_all(placed);
        state
    }

    /// Creates the state of a puzzle of any kind. In a pencilmark grid, a cell with one candidate counts as
    /// solved: its digit is placed and removed from its peers.
    ///
    /// # Panics
    ///
    /// If the puzzle is not 9x9.
    #[must_use]
    pub fn new<P: Solvable>(puzzle: &P) -> State {
        if let Some(puzzle) = puzzle.classic() {
            return State::from_puzzle(&puzzle);
        }
        let clues = puzzle.cells().try_into().ok().and_then(Puzzle::from_cells);
        let clues = clues.expect("other shapes than 9x9 are refused");
        State::from_clues_and_candidates(&clues, |cell| puzzle.candidates(Cell::new(cell)).mask() as u16)
    }

    /// Creates the state of some clues with the given candidates (as masks) in the other cells. Candidates
    /// that the clues exclude are dropped.
    pub(crate) fn from_clues_and_candidates(clues: &Puzzle, candidates: impl Fn(usize) -> u16) -> State {
        let mut state = State::from_puzzle(clues);
        for cell in state.empty {
            for digit in digits(state.cells[cell] & !candidates(cell)) {
                state.remove(cell, digit);
            }
        }
        state
    }

    /// The clues of the puzzle that this state started from.
    #[must_use]
    pub const fn clues(&self) -> &Puzzle {
        &self.clues
    }

    /// The candidates of a cell as a mask of digits. The mask is 0 if a digit is placed.
    #[inline]
    #[must_use]
    pub const fn candidates(&self, cell: usize) -> u16 {
        self.cells[cell]
    }

    /// The cells that may hold a digit.
    #[inline]
    #[must_use]
    pub const fn cells_of(&self, digit: usize) -> CellSet {
        self.digits[digit]
    }

    /// The places of a house, as a mask, that may hold a digit.
    #[inline]
    #[must_use]
    pub const fn places(&self, digit: usize, house: usize) -> u16 {
        self.places[digit].in_house(house)
    }

    /// The houses, as a mask, that have exactly one place left for a digit.
    #[inline]
    #[must_use]
    pub fn houses_of_one_place(&self, digit: usize) -> u32 {
        if self.digits[digit].is_empty() { 0 } else { self.places[digit].houses_of_one() }
    }

    /// The houses, as a mask, that have exactly one empty cell.
    #[inline]
    #[must_use]
    pub fn houses_of_one_empty_cell(&self) -> u32 {
        self.empty_places.houses_of_one()
    }

    /// The places of every digit in every house.
    #[inline]
    pub(crate) const fn all_places(&self) -> &[Places; 9] {
        &self.places
    }

    /// Whether some house has one empty cell, or one place left for a digit.
    pub(super) fn has_hidden_single(&self) -> bool {
        self.houses_of_one_empty_cell() != 0 || (0..9).any(|digit| self.houses_of_one_place(digit) != 0)
    }

    /// The empty cells of a house as a mask of places.
    #[inline]
    #[must_use]
    pub const fn empty_places(&self, house: usize) -> u16 {
        self.empty_places.in_house(house)
    }

    /// Whether the digit is a candidate of the cell.
    #[inline]
    #[must_use]
    pub const fn has(&self, cell: usize, digit: usize) -> bool {
        self.cells[cell] >> digit & 1 != 0
    }

    /// The cells without a placed digit.
    #[inline]
    #[must_use]
    pub const fn empty(&self) -> CellSet {
        self.empty
    }

    /// The digit placed in a cell, or `None` if the cell is empty.
    #[must_use]
    pub const fn value(&self, cell: usize) -> Option<Digit> {
        Digit::new(self.values[cell])
    }

    /// The placed digits in reading order, with 0 for an empty cell.
    #[must_use]
    pub const fn values(&self) -> &[u8; CELLS] {
        &self.values
    }

    /// Converts the state into pencilmarks. A placed digit becomes the only candidate of its cell.
    #[must_use]
    pub fn to_pencilmarks(&self) -> Pencilmarks {
        Pencilmarks::new(std::array::from_fn(|cell| match self.value(cell) {
            Some(digit) => DigitSet::EMPTY.with(digit),
            None => DigitSet::from_mask(u32::from(self.cells[cell])),
        }))
    }

    /// Collects all candidates into a set.
    #[must_use]
    pub fn all_candidates(&self) -> CandidateSet {
        CandidateSet(std::array::from_fn(|digit| self.cells_of(digit)))
    }

    /// The candidates of the given cells, limited to the digits of `mask`.
    pub(crate) fn candidates_in(&self, mask: u16, cells: CellSet) -> CandidateSet {
        let mut set = CandidateSet::EMPTY;
        digits(mask).for_each(|digit| set.insert_all(digit, self.cells_of(digit) & cells));
        set
    }

    /// Iterates over all candidates as pairs of cell and digit, cell by cell.
    pub(crate) fn each_candidate(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..CELLS).flat_map(|cell| digits(self.cells[cell]).map(move |digit| (cell, digit)))
    }

    /// The empty cells with exactly `count` candidates. `count` must be between 1 and 4.
    #[must_use]
    #[inline]
    pub fn cells_with(&self, count: usize) -> CellSet {
        let at_least = self.cells_with_at_least();
        at_least[count] - at_least[count + 1]
    }

    /// For each number from 0 to 5, the cells with at least that many candidates.
    #[must_use]
    #[inline]
    pub fn cells_with_at_least(&self) -> [CellSet; 6] {
        let mut at_least = [CellSet::EMPTY; 6];
        at_least[0] = CellSet::ALL;
        for &cells in &self.digits {
            for count in (1..6).rev() {
                at_least[count] |= at_least[count - 1] & cells;
            }
        }
        at_least
    }

    /// Whether every cell has a digit.
    #[must_use]
    pub const fn is_solved(&self) -> bool {
        self.empty.is_empty()
    }

    /// Whether the grid cannot be solved any more: an empty cell has no candidate, a digit has no place left
    /// in a house, or a digit was placed where it was not a candidate.
    #[must_use]
    pub fn is_contradictory(&self) -> bool {
        let held = self.digits.iter().fold(CellSet::EMPTY, |held, &cells| held | cells);
        let without_place = self.places.iter().fold(0, |houses, places| houses | places.houses_of_none());
        self.is_broken || held != self.empty || without_place != 0
    }

    /// Places a digit: the cell loses all its candidates, and its peers lose this digit.
    pub fn place(&mut self, cell: usize, digit: usize) {
        self.place_all(&CandidateSet::for_digit(digit, CellSet::from_cell(cell)));
    }

    /// Places several digits at once. This is faster than one by one, because the masks of all houses and
    /// cells are updated in one pass at the end.
    pub fn place_all(&mut self, placed: &CandidateSet) {
        let (mut filled, mut kept) = (CellSet::EMPTY, Places::KEEP_ALL);
        for (cell, digit) in placed.iter() {
            self.is_broken |= !self.digits[digit].contains(cell) || filled.contains(cell);
            self.values[cell] = digit as u8 + 1;
            self.digits[digit] -= PEERS[cell];
            self.places[digit].place(cell);
            self.record_digit(cell, digit);
            filled.insert(cell);
            kept.keep(&EXCEPT[cell]);
        }
        self.empty -= filled;
        self.empty_places.keep(&kept);
        self.digits.iter_mut().for_each(|cells| *cells -= filled);
        self.places.iter_mut().for_each(|places| places.keep(&kept));
        self.narrow_cells();
        filled.into_iter().for_each(|cell| self.cells[cell] = 0);
    }

    /// Records that the row, the column and the box of a cell have a digit now.
    fn record_digit(&mut self, cell: usize, digit: usize) {
        let (row, column) = (cell / 9, cell % 9);
        // The box comes first, because the loop over all bands loads its row of masks in one wide load, and a
        // wide load waits long for a narrow store just before it.
        let in_box = &mut self.crossing_needs[row / 3].as_chunks_mut::<3>().0[column / 3];
        in_box.iter_mut().for_each(|needs| *needs &= !(1 << digit));
        self.crossing_needs.iter_mut().for_each(|needs| needs[column] &= !(1 << digit));
        self.row_needs[row] &= !(1 << digit);
    }

    /// Removes from every cell the digits that its row, column and box already have.
    fn narrow_cells(&mut self) {
        for (row, cells) in self.cells.as_chunks_mut::<9>().0.iter_mut().enumerate() {
            let needs = self.row_needs[row];
            for (cell, crossing) in cells.iter_mut().zip(&self.crossing_needs[row / 3]) {
                *cell &= needs & crossing;
            }
        }
    }

    /// Removes a candidate. Nothing happens if the cell does not have it.
    #[inline]
    pub fn remove(&mut self, cell: usize, digit: usize) {
        self.cells[cell] &= !(1 << digit);
        self.digits[digit].remove(cell);
        self.places[digit].remove(cell);
    }

    /// Removes all candidates of a set.
    pub fn remove_all(&mut self, candidates: &CandidateSet) {
        for (cell, digit) in candidates.iter() {
            self.remove(cell, digit);
        }
    }
}

impl Default for State {
    fn default() -> State {
        State::BLANK
    }
}

/// Iterates over the bits of a mask from the lowest up. They are digits (from 0) or places.
#[inline]
pub(crate) fn digits(mask: u16) -> impl Iterator<Item = usize> {
    bits_of(mask)
}

/// Counts the set bits of a mask of nine bits. It uses a table, because not every machine has an instruction
/// for it.
#[inline]
pub(crate) fn bit_count(mask: u16) -> usize {
    static COUNTS: [u8; 512] = table!(512, mask => (mask as u32).count_ones() as u8);
    usize::from(COUNTS[usize::from(mask & ALL_NINE)])
}

/// The number of masks: one for each of the 27 houses, and 5 more so that they fill whole vectors.
const PADDED_HOUSES: usize = 32;

/// Marks a house that has the digit already. It has two bits, so that it is never mistaken for a single
/// remaining place.
const PLACED: u16 = 0x6000;

/// For one digit, its possible places in each house as a mask, or [`PLACED`] if the house has the digit.
///
/// The loops over the masks have no early exits, because only then does the compiler turn them into vector
/// code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub(crate) struct Places([u16; PADDED_HOUSES]);

impl Places {
    /// All nine places of every house.
    pub(crate) const ALL: Places =
        Places(table!(PADDED_HOUSES, house => if house < HOUSES { ALL_NINE } else { PLACED }));

    /// The mask that keeps everything, places and marks.
    const KEEP_ALL: Places = Places([ALL_NINE | PLACED; PADDED_HOUSES]);

    /// The possible places in a house, without the mark.
    #[inline]
    pub(crate) const fn in_house(&self, house: usize) -> u16 {
        self.0[house] & ALL_NINE
    }

    /// Removes a cell from its three houses.
    #[inline]
    pub(crate) const fn remove(&mut self, cell: usize) {
        let (houses, places) = (houses_of(cell), places_of(cell));
        self.0[houses[0]] &= !(1 << places[0]);
        self.0[houses[1]] &= !(1 << places[1]);
        self.0[houses[2]] &= !(1 << places[2]);
    }

    /// Keeps only the places that are also in `mask`.
    #[inline]
    pub(crate) fn keep(&mut self, mask: &Places) {
        for (places, mask) in self.0.iter_mut().zip(&mask.0) {
            *places &= mask;
        }
    }

    /// Places the digit in a cell: the cell's houses get the mark, and the other houses lose the places that
    /// the cell sees.
    #[inline]
    pub(crate) fn place(&mut self, cell: usize) {
        for (places, mask) in self.0.iter_mut().zip(&UNSEEN[cell].0) {
            *places = *places & (mask | PLACED) | mask & PLACED;
        }
    }

    /// The houses, as a mask, with exactly one place.
    #[inline]
    fn houses_of_one(&self) -> u32 {
        // `places ^ lower` is greater than `lower` only if `places` has exactly one bit, because `lower` then
        // has only the bits below it. In that case the difference has the sign bit.
        self.houses_with_sign(|places| {
            let lower = places.wrapping_sub(1);
            lower.wrapping_sub(places ^ lower)
        })
    }

    /// The houses, as a mask, that have neither the digit nor a place for it.
    #[inline]
    fn houses_of_none(&self) -> u32 {
        self.houses_with_sign(|places| places.wrapping_sub(1))
    }

    /// The houses, as a mask, for which `result` sets the sign bit.
    #[inline]
    fn houses_with_sign(&self, result: impl Fn(u16) -> u16) -> u32 {
        let flags = self.0.map(|places| (result(places) >> 15) as u8);
        mask_of_flags(&flags) as u32
    }
}

/// Compares two states. The first mask has the houses in which any digit differs, the second the digits that
/// differ.
pub(crate) fn houses_that_differ(digits: &[Places; 9], others: &[Places; 9]) -> (u32, u16) {
    let (mut differ, mut changed) = ([0; PADDED_HOUSES], 0);
    for (digit, (places, other)) in digits.iter().zip(others).enumerate() {
        let mut any = 0;
        for lane in 0..PADDED_HOUSES {
            let difference = places.0[lane] ^ other.0[lane];
            differ[lane] |= difference;
            any |= difference;
        }
        changed |= u16::from(any != 0) << digit;
    }
    (mask_of_flags(&differ.map(|lane| u8::from(lane != 0))) as u32, changed)
}

/// For each cell, a mask that keeps all places except that of the cell itself.
static EXCEPT: [Places; CELLS] = table!(CELLS, cell => {
    let mut kept = Places::KEEP_ALL;
    kept.remove(cell);
    kept
});

/// For each cell, the places that it does not see, and the mark in its own three houses.
static UNSEEN: [Places; CELLS] = table!(CELLS, cell => {
    let (mut unseen, mut other, mut kind) = (Places::ALL, 0, 0);
    while other < CELLS {
        if PEERS[cell].contains(other) {
            unseen.remove(other);
        }
        other += 1;
    }
    while kind < 3 {
        unseen.0[houses_of(cell)[kind]] = PLACED;
        kind += 1;
    }
    unseen
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_digits_and_houses_agree() {
        let puzzle: Puzzle =
            "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3.."
                .parse()
                .unwrap();
        let mut state = State::from_puzzle(&puzzle);
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
        assert_eq!(State::new(&state.to_pencilmarks()).all_candidates(), state.all_candidates());
    }

    #[test]
    fn houses_of_one_place_and_one_empty_cell_are_found() {
        let mut state = State::BLANK;
        (0..8).for_each(|digit| state.place(digit, digit));
        assert_eq!(state.houses_of_one_empty_cell(), 1);
        assert_eq!(state.houses_of_one_place(8), 1);
        [9, 10, 11, 18, 19].into_iter().for_each(|cell| state.remove(cell, 7));
        assert_eq!(state.houses_of_one_place(7), 1 << 18);
        (13..15).for_each(|cell| state.remove(cell, 7));
        assert_eq!(state.houses_of_one_place(7), 1 << 18 | 1 << 1);
    }

    #[test]
    fn cells_are_counted_by_their_candidates() {
        let mut state = State::BLANK;
        (0..8).for_each(|digit| state.remove(4, digit));
        (0..6).for_each(|digit| state.remove(50, digit));
        assert_eq!(state.cells_with(1), CellSet::from_cell(4));
        assert_eq!(state.cells_with(2), CellSet::EMPTY);
        assert_eq!(state.cells_with(3), CellSet::from_cell(50));
    }

    #[test]
    fn contradictions_are_detected() {
        let placed = |pairs: &[(usize, usize)]| {
            let mut set = CandidateSet::EMPTY;
            pairs.iter().for_each(|&(cell, digit)| set.insert(cell, digit));
            let mut state = State::BLANK;
            state.place_all(&set);
            state.is_contradictory()
        };
        assert!(placed(&[(0, 4), (8, 4)]), "a digit twice in a row");
        assert!(placed(&[(0, 4), (0, 5)]), "two digits in a cell");
        assert!(!placed(&[(0, 4), (8, 5), (40, 4)]));
        let mut state = State::BLANK;
        (0..9).for_each(|digit| state.remove(13, digit));
        assert!(state.is_contradictory(), "a cell without candidates");
        let mut state = State::BLANK;
        (0..9).for_each(|row| state.remove(9 * row + 3, 6));
        assert!(state.is_contradictory(), "a digit without a place in a column");
    }
}
