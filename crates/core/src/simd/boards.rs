//! The candidates of one puzzle, and the score of a guess: what the backends share.

use super::{DIGIT, Simd};
use crate::grid::{CELLS, PEERS};

/// A set of cells.
pub(crate) type CellSet = u128;

/// The candidates of each cell of one puzzle, one after the other: 81, and zeros up to a whole number of
/// vectors.
pub(crate) type Masks = [u16; PADDED];

/// The cells that have a digit, two words of 64, and those of them with two candidates; or the peers of a cell, twice.
pub(crate) type Board = [u64; 4];

/// No candidates anywhere.
pub(crate) const NO_MASKS: Masks = [0; PADDED];

/// Cells and the padding of the last vector.
pub(crate) const PADDED: usize = 96;

/// The peers of each cell, as words of 64 cells, twice over. There are more entries than cells, so that any
/// index of seven bits is valid.
pub(super) static PEER_WORDS: [Board; 128] = {
    let mut words = [[0; 4]; 128];
    let mut cell = 0;
    while cell < CELLS {
        let [top, middle, bottom] = PEERS[cell];
        let board = top as CellSet | (middle as CellSet) << 27 | (bottom as CellSet) << 54;
        let (low, high) = (board as u64, (board >> 64) as u64);
        words[cell] = [low, high, low, high];
        cell += 1;
    }
    words
};

/// Returns the lower and the higher digit, from 0, of a cell with two candidates.
#[inline(always)]
pub(super) fn both_digits(mask: u16) -> (usize, usize) {
    let (low, high) = (mask.trailing_zeros(), 15 - (mask | 1).leading_zeros());
    (low as usize, high as usize)
}

/// Copies lanes out, as [`Simd::gather`].
#[inline(always)]
pub(super) fn gather<S: Simd>(simd: S, cells: &[S::Row; CELLS], lanes: &[usize], into: &mut [Masks]) {
    for (&lane, masks) in lanes.iter().zip(into) {
        for cell in 0..CELLS {
            masks[cell] = simd.get(&cells[cell], lane);
        }
    }
}

/// Copies lanes in, as [`Simd::scatter`].
#[inline(always)]
pub(super) fn scatter<S: Simd>(simd: S, cells: &mut [S::Row; CELLS], lanes: &[usize], from: &[Masks]) {
    for (&lane, masks) in lanes.iter().zip(from) {
        for cell in 0..CELLS {
            simd.set(&mut cells[cell], lane, masks[cell]);
        }
    }
}

/// Writes the digits of masks, as [`Simd::digits`].
#[inline(always)]
pub(super) fn digits(masks: &Masks, digits: &mut [u8; CELLS]) {
    for cell in 0..CELLS {
        digits[cell] = DIGIT[masks[cell] as usize % DIGIT.len()];
    }
}

/// Returns the cells with two candidates, and those with more.
#[inline(always)]
pub(super) fn pairs_and_others<S: Simd>(simd: S, masks: &Masks) -> [CellSet; 2] {
    let (mut pairs, mut others) = (0, 0);
    let less_one = simd.splat(u16::MAX);
    for part in 0..PADDED / S::LANES {
        let first = part * S::LANES;
        let masks = simd.load_from(&masks[first..][..S::LANES]);
        let above_lowest = simd.and(masks, simd.add(masks, less_one));
        let above_two = simd.and(above_lowest, simd.add(above_lowest, less_one));
        let at_most_two = simd.zero_lanes(above_two);
        let every = u32::MAX >> (32 - S::LANES);
        pairs |= CellSet::from(at_most_two & !simd.zero_lanes(above_lowest) & every) << first;
        others |= CellSet::from(!at_most_two & every) << first;
    }
    [pairs, others]
}

/// Finds the cells of highest score, as [`Simd::highest_score`].
#[inline(always)]
pub(super) fn highest_score<S: Simd>(simd: S, puzzles: &[&Masks], cells: &mut [Option<usize>]) {
    for (cell, masks) in cells.iter_mut().zip(puzzles) {
        *cell = highest_score_of(simd, masks);
    }
}

#[inline(always)]
fn highest_score_of<S: Simd>(simd: S, masks: &Masks) -> Option<usize> {
    let [pairs, _] = simd.pairs_and_others(masks);
    let boards = simd.boards(masks).map(|board| {
        let pairs = board & pairs;
        [board as u64, (board >> 64) as u64, pairs as u64, (pairs >> 64) as u64]
    });
    let (mut best, mut highest) = (None, 0);
    let mut left = pairs;
    while left != 0 {
        let cell = left.trailing_zeros() as usize % CELLS;
        left &= left - 1;
        let (low, high) = both_digits(masks[cell]);
        let score = 1 + simd.score(&boards[low % 9], &boards[high % 9], &PEER_WORDS[cell]);
        if score > highest {
            (highest, best) = (score, Some(cell));
        }
    }
    best
}

/// Returns the score of a cell, as [`Simd::score`].
#[inline(always)]
pub(super) fn score(low: &Board, high: &Board, peers: &Board) -> u32 {
    let count =
        |word: usize| (low[word] & peers[word]).count_ones() + (high[word] & peers[word]).count_ones();
    count(0) + count(1) + 3 * (count(2) + count(3))
}
