//! The choice of the cell to guess in, for stuck lanes.
//!
//! In a classic grid, the cell with two candidates whose digits have the highest score: for both digits, the
//! peers that have the digit as a candidate, those with two candidates counted four times
//! ([`Simd::highest_score`]; `bitmask` counts them twice). Without such a cell, and always in grids of other
//! shapes, the first cell of fewest candidates. (The README has what was tried.)
//!
//! A score costs as much as three sweeps of a lane, and pays where a search goes astray. A grid with few open cells
//! that was reached without a guess taken back mostly belongs to a puzzle with several solutions: there the first
//! cell with two candidates will do. What has been found elsewhere in the search must not matter, as lanes share
//! searches.

use crate::grid::CELLS;
use crate::simd::{Masks, NO_MASKS, Simd};

/// The open cells of a grid on the first path of its search up to which the choice does not matter; for each guess on
/// the way there are [`MORE_OPEN`] more.
const FEW_OPEN: usize = 24;
const MORE_OPEN: usize = 4;

/// Returns the cells to guess in, for at most eight stuck classic grids. `first_paths` has the number of guesses that
/// led to a grid, where none of them has been taken back.
#[inline(always)]
pub(super) fn choose<S: Simd>(simd: S, grids: &[Masks], first_paths: &[Option<usize>; 8]) -> [usize; 8] {
    let mut cells = [0; 8];
    let (mut scored, mut places, mut count) = ([&NO_MASKS; 8], [0; 8], 0);
    for (i, masks) in grids.iter().enumerate().take(8) {
        match first_paths[i].and_then(|guesses| first_pair_of_few(simd, masks, guesses)) {
            Some(cell) => cells[i] = cell,
            None => {
                (scored[count], places[count]) = (masks, i);
                count += 1;
            }
        }
    }
    let mut best = [None; 8];
    simd.highest_score(&scored[..count], &mut best);
    for i in 0..count {
        cells[places[i]] = best[i].unwrap_or_else(|| fewest_above_two(&scored[i][..CELLS]));
    }
    cells
}

/// Returns the first cell with two candidates, where few cells are open.
#[inline(always)]
fn first_pair_of_few<S: Simd>(simd: S, masks: &Masks, guesses: usize) -> Option<usize> {
    let [pairs, others] = simd.pairs_and_others(masks);
    let few = (pairs | others).count_ones() as usize <= FEW_OPEN + MORE_OPEN * guesses;
    (few && pairs != 0).then_some(pairs.trailing_zeros() as usize)
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
