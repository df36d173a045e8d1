//! Sets of cells, and sets of candidates.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Sub, SubAssign};

use crate::grid::CELLS;

/// A set of cells of a classic grid: bit `9 * row + column`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CellSet(u128);

impl CellSet {
    /// No cell.
    pub const EMPTY: CellSet = CellSet(0);
    /// Every cell.
    pub const ALL: CellSet = CellSet((1 << CELLS) - 1);

    /// Returns the set of one cell, by its index.
    #[must_use]
    pub const fn of(cell: usize) -> CellSet {
        CellSet(1 << cell)
    }

    /// Returns the set of a mask.
    pub(crate) const fn from_bits(bits: u128) -> CellSet {
        CellSet(bits & CellSet::ALL.0)
    }

    /// Returns whether the cell is in the set.
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

    /// Returns how many cells are in the set.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether every cell of this set is in the other one.
    #[must_use]
    pub const fn is_subset(self, other: CellSet) -> bool {
        self.0 & !other.0 == 0
    }

    /// Returns whether the sets share a cell.
    #[must_use]
    pub const fn meets(self, other: CellSet) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the first cell in reading order.
    #[must_use]
    pub const fn first(self) -> Option<usize> {
        if self.0 == 0 { None } else { Some(self.0.trailing_zeros() as usize) }
    }

    /// Returns the cell of a set of one.
    #[must_use]
    pub const fn single(self) -> Option<usize> {
        if self.0.is_power_of_two() { self.first() } else { None }
    }
}

/// Returns the bits of a mask, from the lowest.
#[inline]
pub(crate) fn bits_of(mask: u32) -> impl Iterator<Item = usize> {
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

/// Returns flags, each 0 or 1, as the bits of a mask.
#[inline]
pub(crate) fn mask_of_flags(flags: &[u8]) -> u128 {
    let (eights, rest) = flags.as_chunks();
    let last = rest.iter().rev().fold(0, |mask, &flag| mask << 1 | u128::from(flag));
    eights.iter().rev().fold(last, |mask, &eight| mask << 8 | low_bits(eight))
}

/// Returns the lowest bits of eight bytes, which are 0 or 1, as a mask.
#[inline]
fn low_bits(bytes: [u8; 8]) -> u128 {
    u128::from(u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56)
}

impl IntoIterator for CellSet {
    type Item = usize;
    type IntoIter = Cells;

    fn into_iter(self) -> Cells {
        Cells(self.0)
    }
}

impl FromIterator<usize> for CellSet {
    fn from_iter<I: IntoIterator<Item = usize>>(cells: I) -> CellSet {
        cells.into_iter().fold(CellSet::EMPTY, |set, cell| set | CellSet::of(cell))
    }
}

/// The cells of a set, in reading order.
#[derive(Clone, Debug)]
pub struct Cells(u128);

impl Iterator for Cells {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let cell = CellSet(self.0).first()?;
        self.0 &= self.0 - 1;
        Some(cell)
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

impl BitXor for CellSet {
    type Output = CellSet;
    fn bitxor(self, other: CellSet) -> CellSet {
        CellSet(self.0 ^ other.0)
    }
}

/// The cells of the first set that are not in the second.
impl Sub for CellSet {
    type Output = CellSet;
    fn sub(self, other: CellSet) -> CellSet {
        CellSet(self.0 & !other.0)
    }
}

impl BitAndAssign for CellSet {
    fn bitand_assign(&mut self, other: CellSet) {
        self.0 &= other.0;
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

/// A set of candidates: for each digit (index 0 is digit 1), the cells that may hold it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CandidateSet(pub(crate) [CellSet; 9]);

impl CandidateSet {
    /// No candidate.
    pub const EMPTY: CandidateSet = CandidateSet([CellSet::EMPTY; 9]);

    /// Returns the set of one digit (from 0) in some cells.
    #[must_use]
    pub const fn of(digit: usize, cells: CellSet) -> CandidateSet {
        let mut set = CandidateSet::EMPTY;
        set.0[digit] = cells;
        set
    }

    /// Returns the cells of a digit (from 0).
    #[must_use]
    pub const fn cells(&self, digit: usize) -> CellSet {
        self.0[digit]
    }

    /// Returns whether the candidate, of a digit from 0, is in the set.
    #[must_use]
    pub const fn contains(&self, cell: usize, digit: usize) -> bool {
        self.0[digit].contains(cell)
    }

    /// Adds a digit (from 0) in a cell.
    pub const fn insert(&mut self, cell: usize, digit: usize) {
        self.0[digit].insert(cell);
    }

    /// Adds a digit (from 0) in some cells.
    pub fn insert_all(&mut self, digit: usize, cells: CellSet) {
        self.0[digit] |= cells;
    }

    /// Adds the candidates of another set.
    pub fn unite(&mut self, other: &CandidateSet) {
        for digit in 0..9 {
            self.0[digit] |= other.0[digit];
        }
    }

    /// Returns whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|cells| cells.is_empty())
    }

    /// Returns how many candidates are in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|cells| cells.len()).sum()
    }

    /// Returns the candidates, as cell and digit (from 0), digit by digit.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..9).flat_map(|digit| self.0[digit].into_iter().map(move |cell| (cell, digit)))
    }
}
