//! Where a stuck lane guesses.
//!
//! Among the cells with two candidates, the one whose digits would be felt most: for both digits, the
//! peers that have the digit as a candidate, peers with two candidates counted twice. Without such a cell,
//! the first one of fewest candidates. (The same rule as the bitmask engine's; there is what was tried.)

use crate::simd::{Board, Masks, PADDED, Simd};

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
    if pairs == 0 { fewest(&boards) } else { simd.most_felt(masks, &boards, pairs) }
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

/// The first cell of those that have the fewest candidates, but more than one.
#[cold]
fn fewest(boards: &[Board; 9]) -> usize {
    // Cells with that many candidates or more.
    let mut at_least = [0; 11];
    for board in boards {
        for count in (1..10).rev() {
            at_least[count + 1] |= at_least[count] & board;
        }
        at_least[1] |= board;
    }
    let exactly = |count: usize| at_least[count] & !at_least[count + 1];
    let cells = (2..10).map(exactly).find(|&cells| cells != 0);
    cells.expect("a stuck grid has an open cell").trailing_zeros() as usize
}
