//! A state of the search: the candidates, and inference on them.

use super::board::{self, Board, CELL, FULL, NONE, PEERS_OF, PLACE, PLACES};
use super::locks;
use crate::grid::{CELLS, Pencilmarks, Solution};

/// The candidates of a puzzle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidates {
    /// For each digit, from 0, the cells where it may stand.
    pub(super) boards: [Board; 9],
    /// Cells that are not settled. A settled cell has one candidate, which is on no peer, or soon will be:
    /// its board is marked changed.
    pub(super) open: Board,
    /// For each digit four bits, of which some are set if its board has changed since it was last examined.
    changed: u64,
}

/// The result of propagation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Every cell is settled, and no rule is broken.
    Solved,
    /// Nothing more can be inferred.
    Stuck,
    /// There is no solution.
    Dead,
}

/// The cell of a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    /// Its place on a [`Board`].
    pub(super) place: usize,
    /// Its candidates, a bit each.
    pub(super) digits: u32,
}

impl Candidates {
    /// The state with every digit possible everywhere.
    pub(super) const OPEN: Candidates = Candidates { boards: [FULL; 9], open: FULL, changed: ALL_CHANGED };

    /// Returns the state that the clues leave; `None` if two of them contradict each other.
    pub(super) fn of(cells: &[u8; CELLS]) -> Option<Candidates> {
        // By digit, 0 for a blank and rounded up to a power of two: indices need no check then.
        let (mut boards, mut clues) = ([FULL; 16], [NONE; 16]);
        for_each_clue(cells, |place, digit| {
            boards[digit % 16] &= !PEERS_OF[place];
            clues[digit % 16] |= CELL[place];
        });
        let (mut given, mut broken) = (NONE, NONE);
        for digit in 1..=9 {
            given |= clues[digit];
            broken |= clues[digit] & !boards[digit];
        }
        let open = FULL & !given;
        let boards = std::array::from_fn(|digit| boards[digit + 1] & (open | clues[digit + 1]));
        board::is_empty(broken).then_some(Candidates { boards, open, changed: ALL_CHANGED })
    }

    /// Returns the state of given candidates. Cells with one candidate are still open: they are naked
    /// singles.
    pub(super) fn of_marks(marks: &Pencilmarks) -> Candidates {
        let mut boards = [NONE; 9];
        for (&place, digits) in PLACE.iter().zip(marks.candidates()) {
            for (digit, board) in boards.iter_mut().enumerate() {
                if digits.mask() >> digit & 1 == 1 {
                    *board |= CELL[usize::from(place)];
                }
            }
        }
        let mut state = Candidates { boards, ..Candidates::OPEN };
        // Settles the clues at once, not digit by digit. Whether the state is dead, the search finds again.
        let _ = state.settle_naked_singles();
        state
    }

    /// Applies locked candidates, hidden and naked singles until there is a result.
    pub(super) fn propagate(&mut self) -> Progress {
        loop {
            let mut digits = self.changed;
            while digits != 0 {
                let digit = digits.trailing_zeros() as usize / 4;
                let this = nibble(digit);
                digits &= !this;
                self.changed &= !this;
                let [top, middle, bottom, _] = *self.boards[digit].as_array();
                let [top, middle, bottom] = locks::apply([top, middle, bottom]);
                let board = Board::new([top, middle, bottom, 0]);
                if board::is_empty(board) {
                    return Progress::Dead;
                }
                self.boards[digit] = board;
                let singles = board::alone_in_row(board) & self.open;
                if !board::is_empty(singles) {
                    self.settle_hidden_singles(digit, board, singles);
                }
            }
            if self.changed == 0 && board::is_empty(self.open) {
                return Progress::Solved;
            }
            match self.settle_naked_singles() {
                None => return Progress::Dead,
                Some(false) if self.changed == 0 => return Progress::Stuck,
                Some(_) => {}
            }
        }
    }

    /// Settles a digit in open cells where it is alone in its row. Its locked candidates have been applied by
    /// then, so that a cell alone in its column or box is alone in its row too.
    #[inline(always)]
    fn settle_hidden_singles(&mut self, digit: usize, board: Board, singles: Board) {
        self.open &= !singles;
        let mut lost = 0;
        for other in 0..9 {
            let board = self.boards[other];
            lost |= u64::from(board::bands_with(board & singles)) << (4 * other);
            self.boards[other] = board & !singles;
        }
        self.boards[digit] = board;
        self.changed |= lost & !nibble(digit);
    }

    /// Settles the cells with one candidate. `None` if a cell has none, else whether there were any.
    #[inline(always)]
    fn settle_naked_singles(&mut self) -> Option<bool> {
        let (mut once, mut twice) = (NONE, NONE);
        for &board in &self.boards {
            twice |= once & board;
            once |= board;
        }
        if once != FULL {
            return None;
        }
        let singles = self.open & !twice;
        if board::is_empty(singles) {
            return Some(false);
        }
        self.open &= twice;
        self.clear_peers(singles);
        Some(true)
    }

    /// Removes the only candidate of each of those cells from its peers.
    #[inline(always)]
    fn clear_peers(&mut self, singles: Board) {
        let mut placed = 0;
        for digit in 0..9 {
            placed |= u64::from(board::bands_with(self.boards[digit] & singles)) << (4 * digit);
        }
        self.changed |= placed;
        while placed != 0 {
            let at = placed.trailing_zeros() as usize;
            placed &= placed - 1;
            let (digit, band) = (at / 4 % 9, at % 4);
            let mut board = self.boards[digit];
            let mut left = board.as_array()[band] & singles.as_array()[band];
            while left != 0 {
                let place = 32 * band + left.trailing_zeros() as usize;
                left &= left - 1;
                board &= !PEERS_OF[place % PLACES];
            }
            self.boards[digit] = board;
        }
    }

    /// Guesses the lowest candidate of a cell: `next` becomes the state that takes it, and this one keeps the
    /// others. If that is one, it takes it.
    #[inline(always)]
    pub(super) fn split(&mut self, next: &mut Candidates, Spot { place, digits }: Spot) {
        let taken = digits.trailing_zeros() as usize % 9;
        let others = digits & (digits - 1);
        *next = *self;
        next.changed = 0;
        next.take(taken, place);
        let mut left = others;
        while left != 0 {
            next.lose(left.trailing_zeros() as usize % 9, place);
            left &= left - 1;
        }
        self.changed = 0;
        self.lose(taken, place);
        if others.is_power_of_two() {
            self.take(others.trailing_zeros() as usize % 9, place);
        }
    }

    /// Settles a cell, and removes its digit from its peers.
    #[inline(always)]
    fn take(&mut self, digit: usize, place: usize) {
        self.open &= !CELL[place % PLACES];
        self.boards[digit] &= !PEERS_OF[place % PLACES];
        self.changed |= nibble(digit);
    }

    /// Removes a candidate.
    #[inline(always)]
    fn lose(&mut self, digit: usize, place: usize) {
        self.boards[digit] &= !CELL[place % PLACES];
        self.changed |= nibble(digit);
    }

    /// Returns the digits of a solved state.
    pub(super) fn solution(&self) -> Option<Solution> {
        let mut planes = [NONE; 4];
        for (digit, &board) in (1..).zip(&self.boards) {
            for (bit, plane) in planes.iter_mut().enumerate() {
                if digit >> bit & 1 == 1 {
                    *plane |= board;
                }
            }
        }
        let planes = planes.map(Board::to_array);
        let mut cells = [0; CELLS];
        for (row, cells) in cells.as_chunks_mut::<9>().0.iter_mut().enumerate() {
            let (mut first, mut last) = (0, 0);
            for (bit, plane) in planes.iter().enumerate() {
                let columns = plane[row / 3] >> (row % 3 * 10);
                first |= bytes_of(columns) << bit;
                last |= (columns >> 8 & 1) << bit;
            }
            cells[..8].copy_from_slice(&first.to_le_bytes());
            cells[8] = last as u8;
        }
        Solution::from_cells(cells)
    }
}

/// Calls a function with the place and the digit of each clue.
#[inline(always)]
fn for_each_clue(cells: &[u8; CELLS], mut take: impl FnMut(usize, usize)) {
    // The clues of 27 cells are known before the first one is looked at: a branch for each cell would often be
    // predicted wrong.
    for (band, cells) in cells.as_chunks::<27>().0.iter().enumerate() {
        let mut clues = 0;
        for (cell, &digit) in cells.iter().enumerate() {
            clues |= u32::from(digit != 0) << cell;
        }
        while clues != 0 {
            let cell = clues.trailing_zeros() as usize % 27;
            clues &= clues - 1;
            take(usize::from(PLACE[27 * band + cell]) % PLACES, cells[cell].into());
        }
    }
}

const ALL_CHANGED: u64 = 0xf_ffff_ffff;

/// Returns the four bits of a digit in [`Candidates::changed`].
#[inline(always)]
fn nibble(digit: usize) -> u64 {
    0xf << (4 * digit)
}

/// Returns the lowest eight bits, a byte each, lowest first.
#[inline(always)]
fn bytes_of(bits: u32) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let own = (u64::from(bits & 0xff) * EACH) & 0x8040_2010_0804_0201;
    (own + 0x7f * EACH) >> 7 & EACH
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Puzzle;

    /// The candidates of a cell.
    fn here(state: &Candidates, place: usize) -> Vec<usize> {
        (0..9).filter(|&digit| !board::is_empty(state.boards[digit] & CELL[place])).collect()
    }

    #[test]
    fn a_split_divides_the_candidates_of_the_cell() {
        let place = PLACE[40].into();
        for digits in [0x1ff, 0b11, 0b100_000_100] {
            let mut state = Candidates::OPEN;
            (0..9).filter(|digit| digits >> digit & 1 == 0).for_each(|digit| state.lose(digit, place));
            let (before, mut next) = (here(&state, place), Candidates::OPEN);
            state.split(&mut next, Spot { place, digits });
            assert_eq!(here(&next, place), before[..1]);
            assert_eq!(here(&state, place), before[1..]);
            let left = |digit: usize, state: &Candidates| {
                state.boards[digit].as_array().iter().map(|band| band.count_ones()).sum::<u32>()
            };
            assert_eq!(left(before[0], &next), 61);
            assert_eq!(left(before[1], &state), if before.len() == 2 { 61 } else { 81 });
        }
    }

    #[test]
    fn a_solved_state_has_the_digits_of_the_clues() {
        let line = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
        let puzzle: Puzzle = line.parse().unwrap();
        let state = Candidates::of(puzzle.cells()).unwrap();
        assert_eq!(state.solution().unwrap().cells(), puzzle.cells());
    }

    #[test]
    fn a_bit_becomes_a_byte() {
        for bits in 0..256 {
            let expected = std::array::from_fn(|bit| (bits >> bit & 1) as u8);
            assert_eq!(bytes_of(bits).to_le_bytes(), expected);
        }
    }
}
