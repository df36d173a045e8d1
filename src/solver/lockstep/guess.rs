//! Where a stuck lane guesses.
//!
//! Among the cells with two candidates, the one whose digits would be felt most: for both digits, the
//! peers that have the digit as a candidate, peers with two candidates counted twice. Without such a cell,
//! the first one of fewest candidates. (The same rule as the bitmask engine's; there is what was tried.)

use crate::grid::{CELLS, PEERS};
use crate::simd::Simd;

/// The masks of a lane side by side: 81, and then nothing, up to a whole number of vectors.
pub(super) type Masks = [u16; PADDED];

/// No candidates anywhere.
pub(super) const NO_MASKS: Masks = [0; PADDED];

const PADDED: usize = 96;

/// A set of cells.
type Board = u128;

/// The peers of each cell.
static PEER_BOARDS: [Board; CELLS] = {
    let mut boards = [0; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let [top, middle, bottom] = PEERS[cell];
        boards[cell] = top as Board | (middle as Board) << 27 | (bottom as Board) << 54;
        cell += 1;
    }
    boards
};

/// The cell of a stuck grid to guess in.
#[inline(always)]
pub(super) fn choose<S: Simd>(simd: S, masks: &Masks) -> usize {
    let mut boards: [Board; 9] = [0; 9];
    let (mut one, mut two, mut three) = (0, 0, 0);
    for digit in 0..9 {
        let board = board(simd, masks, 1 << digit);
        boards[digit] = board;
        three |= two & board;
        two |= one & board;
        one |= board;
    }
    let pairs = two & !three;
    if pairs == 0 {
        return fewest(masks);
    }
    let mut best = 0;
    let mut highest = 0;
    let mut left = pairs;
    while left != 0 {
        let cell = left.trailing_zeros() as usize % CELLS;
        left &= left - 1;
        let mask = masks[cell];
        let (low, high) = (mask.trailing_zeros() as usize % 9, (15 - mask.leading_zeros() as usize % 16) % 9);
        let peers = PEER_BOARDS[cell];
        let (low, high) = (boards[low] & peers, boards[high] & peers);
        let felt = |board: Board| count(board) + 3 * count(board & pairs);
        let score = 1 + felt(low) + felt(high);
        if score > highest {
            (highest, best) = (score, cell);
        }
    }
    best
}

#[inline(always)]
fn board<S: Simd>(simd: S, masks: &Masks, bit: u16) -> Board {
    let mut board = 0;
    for part in 0..PADDED / S::LANES {
        let lanes = simd.lanes_with(simd.load_from(&masks[part * S::LANES..][..S::LANES]), bit);
        board |= Board::from(lanes) << (part * S::LANES);
    }
    board
}

#[inline(always)]
fn count(board: Board) -> u32 {
    (board as u64).count_ones() + ((board >> 64) as u64).count_ones()
}

#[cold]
fn fewest(masks: &Masks) -> usize {
    let open = (0..CELLS).filter(|&cell| masks[cell].count_ones() > 1);
    open.min_by_key(|&cell| masks[cell].count_ones()).expect("a stuck grid has an open cell")
}
