//! The choice of the cell to guess in, which decides the size of the search tree.
//!
//! In the first cell with two candidates, until the search of the puzzle has met a contradiction: of a puzzle
//! with many solutions one choice is as good as another. Where there is something to refute, in the cell with
//! two candidates whose digits have the highest score: for both digits, the peers that have the digit as a
//! candidate, peers with two candidates counted twice. Without such a cell, in the first one of fewest
//! candidates.

use super::board::{self, Board, NONE, PEERS_OF, PLACES};
use super::state::{Candidates, Spot};

/// Returns the cell of a stuck state to guess in. Of several cells with two candidates, it is the one of the
/// highest score if they are `scored`, else the first one.
#[inline(always)]
pub(super) fn choose(state: &Candidates, scored: bool) -> Spot {
    let (mut one, mut two, mut three, mut four) = (NONE, NONE, NONE, NONE);
    for &cells in &state.boards {
        four |= three & cells;
        three |= two & cells;
        two |= one & cells;
        one |= cells;
    }
    let pairs = state.open & two & !three;
    let threes = state.open & three & !four;
    match () {
        () if !board::is_empty(pairs) && scored => best_pair(state, pairs),
        () if !board::is_empty(pairs) => first(state, pairs),
        () if !board::is_empty(threes) => first(state, threes),
        () => first(state, state.open),
    }
}

/// Returns the first of those cells.
#[inline(always)]
fn first(state: &Candidates, cells: Board) -> Spot {
    let band = board::bands_with(cells).trailing_zeros() as usize % 3;
    spot(state, band, cells.as_array()[band].trailing_zeros() as usize % 32)
}

/// Returns a cell and its candidates.
#[inline(always)]
fn spot(state: &Candidates, band: usize, bit: usize) -> Spot {
    let mut digits = 0;
    for digit in 0..9 {
        digits |= (state.boards[digit].as_array()[band] >> bit & 1) << digit;
    }
    Spot { place: 32 * band + bit, digits }
}

/// Returns the cell of the highest score, the first of several.
fn best_pair(state: &Candidates, pairs: Board) -> Spot {
    let mut best = first(state, pairs);
    let mut highest = 0;
    for band in 0..3 {
        let mut left = pairs.as_array()[band];
        while left != 0 {
            let spot = spot(state, band, left.trailing_zeros() as usize);
            left &= left - 1;
            let score = score(state, pairs, spot);
            if score > highest {
                (highest, best) = (score, spot);
            }
        }
    }
    best
}

/// Returns the score of a cell: its two digits' places among its peers, those in `pairs` counted twice.
#[inline(always)]
fn score(state: &Candidates, pairs: Board, Spot { place, digits }: Spot) -> u32 {
    let peers = PEERS_OF[place % PLACES];
    let (low, high) = (digits.trailing_zeros(), (digits & (digits - 1)).trailing_zeros());
    let reach = |digit: u32| {
        let met = state.boards[digit as usize % 9] & peers;
        cells(met) + cells(met & pairs)
    };
    reach(low) + reach(high)
}

/// Counts the cells of a board.
#[inline(always)]
fn cells(board: Board) -> u32 {
    board.as_array()[..3].iter().map(|band| band.count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::bitmask::board::PLACE;

    /// Digits 3 and 7 (from 0) are left in some cells, and everything elsewhere.
    fn with_pairs(cells: &[usize]) -> Candidates {
        let mut state = Candidates::OPEN;
        for &cell in cells {
            for digit in (0..9).filter(|digit| ![3, 7].contains(digit)) {
                state.boards[digit] &= !board::CELL[usize::from(PLACE[cell])];
            }
        }
        state
    }

    #[test]
    fn the_score_is_the_number_of_peers_with_pairs_twice() {
        // The middle cell, one of its row, one of its box and column, and one that it does not see.
        let state = with_pairs(&[40, 36, 31, 0]);
        let pairs = state.boards[3] & !state.boards[0];
        let middle = spot(&state, 1, usize::from(PLACE[40]) % 32);
        assert_eq!(middle.digits, 1 << 3 | 1 << 7);
        assert_eq!(score(&state, pairs, middle), 2 * (20 + 2));
    }

    #[test]
    fn a_scored_choice_is_the_cell_with_most_pairs_around() {
        let state = with_pairs(&[0, 36, 40, 43]);
        let place = |scored| choose(&state, scored).place;
        assert_eq!(place(false), usize::from(PLACE[0]));
        assert_eq!(place(true), usize::from(PLACE[36]));
    }

    #[test]
    fn an_empty_grid_guesses_in_its_first_cell() {
        for scored in [false, true] {
            assert_eq!(choose(&Candidates::OPEN, scored), Spot { place: 0, digits: 0x1ff });
        }
    }
}
