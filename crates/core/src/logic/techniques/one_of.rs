//! Some cells of a house of which at least one holds one of some digits: they act as one cell of a naked set.
//!
//! ```text
//!  1234 1235 | 34 45 | ...     If 12 alone in the first two cells is impossible, one of them is 3, 4 or 5: with 34
//!                              and 45 it makes a naked triplet.
//! ```

use crate::logic::cell_set::CellSet;
use crate::logic::state::State;

/// The digits of which at least one of some cells of a house holds one.
#[derive(Clone, Copy)]
pub(crate) struct OneOf {
    /// The digits of which one is held.
    pub digits: u16,
    /// Those of them that need no other cell to be counted.
    pub shared: u16,
}

impl OneOf {
    /// Calls `found` with the cells and the digits of each naked set of `size` digits: `size - 1` of the `others`, and
    /// the one. Each of its digits is a candidate of another cell, or is shared.
    pub(crate) fn naked_sets(
        self,
        state: &State,
        others: CellSet,
        size: usize,
        found: &mut dyn FnMut(CellSet, u16),
    ) {
        let fitting = others.into_iter().filter(|&cell| {
            let all = state.candidates(cell) | self.digits;
            all.count_ones() as usize <= size
        });
        let set = NakedSet { one: self, size, cells: CellSet::EMPTY, digits: 0 };
        set.extend(state, fitting.collect(), found);
    }
}

/// A naked set in the making: cells besides the one, and their candidates.
#[derive(Clone, Copy)]
struct NakedSet {
    one: OneOf,
    size: usize,
    cells: CellSet,
    digits: u16,
}

impl NakedSet {
    fn extend(self, state: &State, mut others: CellSet, found: &mut dyn FnMut(CellSet, u16)) {
        let all = self.digits | self.one.digits;
        if all.count_ones() as usize > self.size {
            return;
        }
        if self.cells.len() + 1 == self.size {
            if all.count_ones() as usize == self.size && self.digits | self.one.shared == all {
                found(self.cells, all);
            }
            return;
        }
        while let Some(cell) = others.first() {
            others.remove(cell);
            let (cells, digits) = (self.cells | CellSet::of(cell), self.digits | state.candidates(cell));
            NakedSet { cells, digits, ..self }.extend(state, others, found);
        }
    }
}
