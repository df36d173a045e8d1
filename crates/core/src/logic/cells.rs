//! Sets of cells and candidates of a classic grid, its houses, and names for all of them (e.g. `r4c5`).
//!
//! Houses have numbers, because loops over all of them and masks of houses are simpler with one range: 0 to 8
//! are the rows, 9 to 17 the columns, 18 to 26 the boxes.

use std::ops::{BitAnd, BitOr, BitOrAssign, Sub, SubAssign};

use super::state::digits;
use crate::grid::{self, CELLS, House};

/// A set of cells of a classic grid: bit `9 * row + column`, so e.g. r2c1 is bit 9.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CellSet(u128);

impl CellSet {
    /// The empty set.
    pub const EMPTY: CellSet = CellSet(0);
    /// All 81 cells.
    pub const ALL: CellSet = CellSet((1 << CELLS) - 1);

    /// Creates a set of one cell, given by its index.
    #[must_use]
    pub const fn from_cell(cell: usize) -> CellSet {
        CellSet(1 << cell)
    }

    /// Creates a set from a mask. Bits above the 81 cells are ignored, so that a caller may pass `!mask`.
    pub(crate) const fn from_bits(bits: u128) -> CellSet {
        CellSet(bits & CellSet::ALL.0)
    }

    /// Whether the cell is in the set.
    #[must_use]
    pub const fn contains(self, cell: usize) -> bool {
        self.0 >> cell & 1 != 0
    }

    /// Adds a cell.
    pub const fn insert(&mut self, cell: usize) {
        self.0 |= 1 << cell;
    }

    /// Removes a cell.
    pub const fn remove(&mut self, cell: usize) {
        self.0 &= !(1 << cell);
    }

    /// The number of cells in the set.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether every cell of this set is also in `other`.
    #[must_use]
    pub const fn is_subset(self, other: CellSet) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether the two sets have a cell in common.
    #[must_use]
    pub const fn meets(self, other: CellSet) -> bool {
        self.0 & other.0 != 0
    }

    /// The first cell in reading order, or `None` if the set is empty.
    #[must_use]
    pub const fn first(self) -> Option<usize> {
        if self.0 == 0 { None } else { Some(self.0.trailing_zeros() as usize) }
    }

    /// The only cell of the set, or `None` if the set has no cell or several.
    #[must_use]
    pub const fn single(self) -> Option<usize> {
        if self.0.is_power_of_two() { self.first() } else { None }
    }
}

/// Packs flags, each 0 or 1, into a mask: flag 0 becomes bit 0. Eight flags are packed by one multiplication.
#[inline]
pub(crate) fn mask_of_flags(flags: &[u8]) -> u128 {
    let (eights, rest) = flags.as_chunks();
    let last = rest.iter().rev().fold(0, |mask, &flag| mask << 1 | u128::from(flag));
    eights.iter().rev().fold(last, |mask, &eight| mask << 8 | low_bits(eight))
}

/// Packs eight bytes, each 0 or 1, into eight bits: the multiplication moves byte i to bit 56 + i.
#[inline]
fn low_bits(bytes: [u8; 8]) -> u128 {
    u128::from(u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56)
}

impl IntoIterator for CellSet {
    type Item = usize;
    type IntoIter = Ones;

    fn into_iter(self) -> Ones {
        Ones(self.0)
    }
}

impl FromIterator<usize> for CellSet {
    fn from_iter<I: IntoIterator<Item = usize>>(cells: I) -> CellSet {
        cells.into_iter().fold(CellSet::EMPTY, |set, cell| set | CellSet::from_cell(cell))
    }
}

/// Iterates over the bits of a mask from the lowest up, so the cells of a set come in reading order.
#[derive(Clone, Debug)]
pub struct Ones(pub(super) u128);

impl Iterator for Ones {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let lowest = CellSet(self.0).first()?;
        self.0 &= self.0 - 1;
        Some(lowest)
    }
}

impl BitAnd for CellSet {
    type Output = CellSet;
    fn bitand(self, other: CellSet) -> CellSet {
        CellSet(self.0 & other.0)
    }
}

impl BitOr for CellSet {
    type Output = CellSet;
    fn bitor(self, other: CellSet) -> CellSet {
        CellSet(self.0 | other.0)
    }
}

/// The difference: the cells of the first set that are not in the second.
impl Sub for CellSet {
    type Output = CellSet;
    fn sub(self, other: CellSet) -> CellSet {
        CellSet(self.0 & !other.0)
    }
}

impl BitOrAssign for CellSet {
    fn bitor_assign(&mut self, other: CellSet) {
        self.0 |= other.0;
    }
}

impl SubAssign for CellSet {
    fn sub_assign(&mut self, other: CellSet) {
        self.0 &= !other.0;
    }
}

/// A set of candidates: for each digit, the cells that may hold it. Index 0 is digit 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CandidateSet(pub(crate) [CellSet; 9]);

impl CandidateSet {
    /// The empty set.
    pub const EMPTY: CandidateSet = CandidateSet([CellSet::EMPTY; 9]);

    /// Creates a set with one digit (from 0) in the given cells.
    #[must_use]
    pub const fn for_digit(digit: usize, cells: CellSet) -> CandidateSet {
        let mut set = CandidateSet::EMPTY;
        set.0[digit] = cells;
        set
    }

    /// The cells of a digit (from 0).
    #[must_use]
    pub const fn cells(&self, digit: usize) -> CellSet {
        self.0[digit]
    }

    /// Whether the set contains the candidate. The digit counts from 0.
    #[must_use]
    pub const fn contains(&self, cell: usize, digit: usize) -> bool {
        self.0[digit].contains(cell)
    }

    /// Adds a candidate. The digit counts from 0.
    pub const fn insert(&mut self, cell: usize, digit: usize) {
        self.0[digit].insert(cell);
    }

    /// Adds a digit (from 0) in all the given cells.
    pub fn insert_all(&mut self, digit: usize, cells: CellSet) {
        self.0[digit] |= cells;
    }

    /// Adds all candidates of `other`.
    pub fn unite(&mut self, other: &CandidateSet) {
        for digit in 0..9 {
            self.0[digit] |= other.0[digit];
        }
    }

    /// Removes all candidates of `other`.
    pub(crate) fn subtract(&mut self, other: &CandidateSet) {
        for digit in 0..9 {
            self.0[digit] -= other.0[digit];
        }
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|cells| cells.is_empty())
    }

    /// The number of candidates in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|cells| cells.len()).sum()
    }

    /// Iterates over the candidates as pairs of cell and digit (from 0). All cells of digit 0 come first,
    /// then those of digit 1, and so on.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..9).flat_map(|digit| self.0[digit].into_iter().map(move |cell| (cell, digit)))
    }
}

impl FromIterator<(usize, usize)> for CandidateSet {
    fn from_iter<I: IntoIterator<Item = (usize, usize)>>(candidates: I) -> CandidateSet {
        let mut set = CandidateSet::EMPTY;
        candidates.into_iter().for_each(|(cell, digit)| set.insert(cell, digit));
        set
    }
}

/// The number of houses of a classic grid.
pub(crate) const HOUSES: usize = 27;
/// The index of the first column among the houses.
pub(crate) const COLUMN: usize = 9;
/// The index of the first box among the houses.
pub(crate) const BOX: usize = 18;

/// Converts the index of a house into the house, e.g. 9 into column 1.
#[must_use]
pub const fn house(index: usize) -> House {
    match index / 9 {
        0 => House::Row(index),
        1 => House::Column(index - COLUMN),
        _ => House::Box(index - BOX),
    }
}

/// For each house, its nine cells in reading order. The position of a cell in this list is its *place* in the
/// house.
pub(crate) static HOUSE_CELLS: [[u8; 9]; HOUSES] = {
    let mut cells = [[0; 9]; HOUSES];
    let mut cell = 0;
    while cell < CELLS {
        let (houses, places) = (houses_of(cell), places_of(cell));
        let mut kind = 0;
        while kind < 3 {
            cells[houses[kind]][places[kind]] = cell as u8;
            kind += 1;
        }
        cell += 1;
    }
    cells
};

/// For each house, its cells as a set.
pub(crate) static HOUSE: [CellSet; HOUSES] = table!(HOUSES, house => {
    let (mut cells, mut place) = (CellSet::EMPTY, 0);
    while place < 9 {
        cells.insert(HOUSE_CELLS[house][place] as usize);
        place += 1;
    }
    cells
});

/// For each cell, its 20 peers: the cells that share a house with it.
pub(crate) static PEERS: [CellSet; CELLS] = table!(CELLS, cell => {
    let [top, middle, bottom] = grid::PEERS[cell];
    CellSet(top as u128 | (middle as u128) << 27 | (bottom as u128) << 54)
});

/// The indices of the row, the column and the box of a cell, in this order.
#[must_use]
pub(crate) const fn houses_of(cell: usize) -> [usize; 3] {
    let (row, column) = (cell / 9, cell % 9);
    [row, COLUMN + column, BOX + row / 3 * 3 + column / 3]
}

/// The places (from 0) of a cell in its row, its column and its box, in this order.
#[must_use]
pub(crate) const fn places_of(cell: usize) -> [usize; 3] {
    let (row, column) = (cell / 9, cell % 9);
    [column, row, row % 3 * 3 + column % 3]
}

/// The cells of a house at the places of a mask of nine bits.
#[must_use]
pub(crate) fn cells_at(house: usize, places: u16) -> CellSet {
    digits(places).map(|place| usize::from(HOUSE_CELLS[house][place])).collect()
}

/// The cell of a house at the lowest place of a mask, which must not be 0.
#[inline]
#[must_use]
pub(crate) fn first_at(house: usize, places: u16) -> usize {
    usize::from(HOUSE_CELLS[house][places.trailing_zeros() as usize])
}

/// The cells that see every cell of a set. All cells see every cell of an empty set.
#[must_use]
pub(crate) fn common_peers(cells: CellSet) -> CellSet {
    cells.into_iter().fold(CellSet::ALL, |common, cell| common & PEERS[cell])
}

/// The coordinates of a cell, e.g. `r4c5`.
pub fn cell_name(cell: usize) -> String {
    format!("r{}c{}", cell / 9 + 1, cell % 9 + 1)
}

/// The coordinates of a cell (`r4c5`), or of a group of cells in one line (`r9c13` for r9c1 and r9c3).
pub fn group_name(cells: CellSet) -> String {
    let numbers = |kind: usize| {
        let mask = cells.into_iter().fold(0, |mask, cell| mask | 1 << [cell / 9, cell % 9][kind]);
        digits(mask).map(|number| (number + 1).to_string()).collect::<String>()
    };
    format!("r{}c{}", numbers(0), numbers(1))
}

/// Converts a digit that counts from 0 into the digit that people write.
pub const fn digit_name(digit: usize) -> u8 {
    digit as u8 + 1
}

/// Lists the coordinates of cells, e.g. `r1c2, r3c2 and r4c5`.
pub fn cell_names(cells: CellSet) -> String {
    listed(cells.into_iter().map(cell_name).collect())
}

/// Lists the digits of a mask, e.g. `3, 4 and 7`.
pub fn digit_names(mask: u16) -> String {
    listed(digits(mask).map(|digit| digit_name(digit).to_string()).collect())
}

/// Lists candidates digit by digit, e.g. `3 in r1c2 and r4c5; 7 in r1c2`.
pub(crate) fn candidate_names(candidates: &CandidateSet) -> String {
    let some = (0..9).filter(|&digit| !candidates.cells(digit).is_empty());
    let of_digit = |digit| format!("{} in {}", digit_name(digit), cell_names(candidates.cells(digit)));
    some.map(of_digit).collect::<Vec<_>>().join("; ")
}

/// Joins names with commas and a final "and", e.g. `3, 4 and 7`.
pub(crate) fn listed(mut names: Vec<String>) -> String {
    match names.pop() {
        None => String::new(),
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} and {last}", names.join(", ")),
    }
}
