//! Where a stuck lane guesses.
//!
//! Among the cells with two candidates, the one whose digits would be felt most: for both digits, the
//! peers that have the digit as a candidate, peers with two candidates counted twice. Without such a cell,
//! the first one of fewest candidates. (The same rule as the bitmask engine's; there is what was tried.)

use crate::grid::CELLS;
use crate::simd::{Masks, Simd};

/// The cells to guess in, of at most eight stuck grids.
#[inline(always)]
pub(super) fn choose<S: Simd>(simd: S, grids: &[Masks]) -> [usize; 8] {
    let mut felt = [None; 8];
    simd.highest_score(grids, &mut felt);
    let mut cells = [0; 8];
    for i in 0..grids.len().min(8) {
        cells[i] = felt[i].unwrap_or_else(|| fewest(&grids[i]));
    }
    cells
}

#[cold]
fn fewest(masks: &Masks) -> usize {
    let open = (0..CELLS).filter(|&cell| masks[cell].count_ones() > 1);
    open.min_by_key(|&cell| masks[cell].count_ones()).expect("a stuck grid has an open cell")
}
