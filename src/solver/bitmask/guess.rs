//! The choice of the cell to guess in, which decides the size of the search tree.
//!
//! Among the cells with two candidates, the one whose digits have the highest score: for both digits, the
//! peers that have the digit as a candidate, peers with two candidates counted twice. Without such a
//! cell, the first one of fewest candidates.

use super::state::{Candidates, Spot};
use crate::grid::Bands;

/// Returns the cell of a stuck state to guess in.
pub(super) fn choose(state: &Candidates) -> Spot {
    let counted = count_candidates(state);
    best_pair(state, &counted.map(|counted| counted.two)).unwrap_or_else(|| fewest(&counted))
}

/// The open cells of a band by their number of candidates.
#[derive(Clone, Copy, Default)]
struct CellCounts {
    two: u32,
    three: u32,
    more: u32,
}

#[inline(always)]
fn count_candidates(state: &Candidates) -> [CellCounts; 3] {
    std::array::from_fn(|band| {
        let (mut one, mut two, mut three, mut four) = (0, 0, 0, 0);
        for board in &state.boards {
            let cells = board[band];
            four |= three & cells;
            three |= two & cells;
            two |= one & cells;
            one |= cells;
        }
        let open = state.open[band];
        CellCounts { two: open & two & !three, three: open & three & !four, more: open & four }
    })
}

fn fewest(counted: &[CellCounts; 3]) -> Spot {
    let kinds: [fn(&CellCounts) -> u32; 2] = [|counted| counted.three, |counted| counted.more];
    let mut bands = kinds.iter().flat_map(|kind| counted.iter().map(kind).enumerate());
    let (band, cells) = bands.find(|&(_, cells)| cells != 0).expect("a stuck state has an open cell");
    Spot::lowest(band, cells)
}

fn best_pair(state: &Candidates, pairs: &Bands) -> Option<Spot> {
    let mut best = None;
    let mut highest = 0;
    for band in 0..3 {
        let mut left = pairs[band];
        while left != 0 {
            let spot = Spot::lowest(band, left);
            left &= left - 1;
            let score = reach(state, pairs, spot) + 1;
            if score > highest {
                highest = score;
                best = Some(spot);
            }
        }
    }
    best
}

/// Returns the score of a cell: its two digits' places among its peers, those in `pairs` counted twice.
#[inline(always)]
fn reach(state: &Candidates, pairs: &Bands, spot: Spot) -> u64 {
    let pairs = pack_peers(pairs, spot);
    let mut nibbles = 0;
    for board in &state.boards {
        if board[spot.band] & spot.bit != 0 {
            let met = pack_peers(board, spot);
            nibbles += nibble_sums(met) + nibble_sums(met & pairs);
        }
    }
    // Four sums of at most 4 fit a nibble but for one case, four cells with the same pair in one nibble:
    // that state is dead, and any choice is as good.
    const LOW: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    ((nibbles & LOW) + (nibbles >> 4 & LOW)).wrapping_mul(0x0101_0101_0101_0101) >> 56
}

/// Packs the peers of a cell that are on a board into one word: the cell's own band, then the other two,
/// which share a column with it and so leave room for each other.
#[inline(always)]
fn pack_peers(board: &Bands, spot: Spot) -> u64 {
    let peers = spot.peers();
    let (next, last) = ((spot.band + 1) % 3, (spot.band + 2) % 3);
    let others = board[next] & peers[next] | (board[last] & peers[last]) << 1;
    u64::from(board[spot.band] & peers[spot.band]) | u64::from(others) << 32
}

/// Counts the bits of each group of four: population counts without the instruction, which plain x86-64 does
/// not have.
#[inline(always)]
fn nibble_sums(word: u64) -> u64 {
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reach_is_the_count_of_peers() {
        let mut state = Candidates::OPEN;
        // Digits 3 and 7 (from 0) are left in the middle cell; the bands have a varied pattern of other
        // candidates.
        let spot = Spot::lowest(1, 1 << 13);
        for (digit, board) in state.boards.iter_mut().enumerate() {
            *board = [0o123_456_701 >> digit & 0x7ff_ffff, 0o765_432_123 >> digit, 0o070_707_070];
            board[1] &= !spot.bit;
            if digit == 3 || digit == 7 {
                board[1] |= spot.bit;
            }
        }
        let pairs = [0o101_010_101, 0o010_101_010, 0o111_000_111];
        let count = |board: &Bands, mask: &Bands| {
            (0..3).map(|b| (board[b] & mask[b] & spot.peers()[b]).count_ones()).sum::<u32>()
        };
        let expected = [3, 7]
            .iter()
            .map(|&d| count(&state.boards[d], &[!0; 3]) + count(&state.boards[d], &pairs))
            .sum::<u32>();
        assert_eq!(reach(&state, &pairs, spot), u64::from(expected));
    }

    #[test]
    fn an_empty_grid_guesses_in_its_first_cell() {
        assert_eq!(choose(&Candidates::OPEN), Spot { band: 0, bit: 1 });
    }
}
