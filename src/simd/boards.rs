//! The candidates of one puzzle, and the score of a guess: what the backends share.

use super::{DIGIT, Simd};
use crate::grid::{CELLS, PEERS};

/// A set of cells.
pub(crate) type CellSet = u128;

/// The candidates of each cell of one puzzle, one after the other: 81, and zeros up to a whole number of
/// vectors.
pub(crate) type Masks = [u16; PADDED];

/// No candidates anywhere.
pub(crate) const NO_MASKS: Masks = [0; PADDED];

/// Cells and the padding of the last vector.
pub(crate) const PADDED: usize = 96;

/// The peers of each cell, as words of 64 cells, twice over. There are more entries than cells, so that any
/// index of seven bits is valid.
pub(super) static PEER_WORDS: [[u64; 4]; 128] = {
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

/// Finds the cells of highest score, as [`Simd::highest_score`].
#[inline(always)]
pub(super) fn highest_score<S: Simd>(simd: S, puzzles: &[Masks], cells: &mut [Option<usize>]) {
    for (cell, masks) in cells.iter_mut().zip(puzzles) {
        *cell = highest_score_of(simd, masks);
    }
}

#[inline(always)]
fn highest_score_of<S: Simd>(simd: S, masks: &Masks) -> Option<usize> {
    let mut boards: [CellSet; 9] = [0; 9];
    let (mut one, mut two, mut three) = (0, 0, 0);
    for digit in 0..9 {
        let board = board(simd, masks, 1 << digit);
        boards[digit] = board;
        three |= two & board;
        two |= one & board;
        one |= board;
    }
    let pairs = two & !three;
    let (mut best, mut highest) = (None, 0);
    let mut left = pairs;
    while left != 0 {
        let cell = left.trailing_zeros() as usize % CELLS;
        left &= left - 1;
        let (low, high) = both_digits(masks[cell]);
        let [front, back, ..] = PEER_WORDS[cell];
        let peers = CellSet::from(front) | CellSet::from(back) << 64;
        let (low, high) = (boards[low % 9] & peers, boards[high % 9] & peers);
        let score_of = |board: CellSet| count(board) + 3 * count(board & pairs);
        let score = 1 + score_of(low) + score_of(high);
        if score > highest {
            (highest, best) = (score, Some(cell));
        }
    }
    best
}

/// Returns the cells that have a digit.
#[inline(always)]
fn board<S: Simd>(simd: S, masks: &Masks, bit: u16) -> CellSet {
    let mut board = 0;
    for part in 0..PADDED / S::LANES {
        let lanes = simd.lanes_with(simd.load_from(&masks[part * S::LANES..][..S::LANES]), bit);
        board |= CellSet::from(lanes) << (part * S::LANES);
    }
    board
}

#[inline(always)]
fn count(board: CellSet) -> u32 {
    (board as u64).count_ones() + ((board >> 64) as u64).count_ones()
}
