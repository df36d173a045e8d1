//! The choice of the cell to guess in, for stuck lanes.
//!
//! In a classic grid, the cell with two candidates whose digits have the highest score: for both digits, the
//! peers that have the digit as a candidate, those with two candidates counted four times
//! ([`Simd::highest_score`]; `bitmask` counts them twice). Without such a cell, and always in grids of other
//! shapes, the first cell of fewest candidates. (The README has what was tried.)

use crate::grid::CELLS;
use crate::simd::{Masks, Simd};

/// Returns the cells to guess in, for at most eight stuck classic grids.
#[inline(always)]
pub(super) fn choose<S: Simd>(simd: S, grids: &[Masks]) -> [usize; 8] {
    let mut best = [None; 8];
    simd.highest_score(grids, &mut best);
    let mut cells = [0; 8];
    for i in 0..grids.len().min(8) {
        cells[i] = best[i].unwrap_or_else(|| fewest_above_two(&grids[i][..CELLS]));
    }
    cells
}

/// Returns the cell to guess in, for a stuck grid of any shape, from the candidates of its cells.
pub(super) fn fewest(masks: &[u16]) -> usize {
    let two = masks.iter().position(|mask| mask.count_ones() == 2);
    two.unwrap_or_else(|| fewest_above_two(masks))
}

#[cold]
fn fewest_above_two(masks: &[u16]) -> usize {
    let open = (0..masks.len()).filter(|&cell| masks[cell].count_ones() > 1);
    open.min_by_key(|&cell| masks[cell].count_ones()).expect("a stuck grid has an open cell")
}
