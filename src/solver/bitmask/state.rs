//! A state of the search: the candidates, and inference on them.

use super::locks;
use crate::grid::{Bands, CELLS, PEERS, Pencilmarks, Puzzle, Solution};

const BAND_FULL: u32 = (1 << 27) - 1;

/// The candidates of a puzzle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidates {
    /// For each digit, from 0, the cells where it may stand.
    pub(super) boards: [Bands; 9],
    /// Cells that are not settled. A settled cell has one candidate, which is on no peer, or soon will be:
    /// its board is marked changed.
    pub(super) open: Bands,
    /// The digits, a bit each, whose board has changed since it was last examined.
    changed: u16,
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

/// A cell of a state: its band and its bit within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) band: usize,
    pub(super) bit: u32,
}

impl Spot {
    #[inline(always)]
    pub(super) fn lowest(band: usize, cells: u32) -> Spot {
        Spot { band, bit: cells & cells.wrapping_neg() }
    }

    #[inline(always)]
    pub(super) fn peers(self) -> &'static Bands {
        &PEERS[self.band * 27 + self.bit.trailing_zeros() as usize % 27]
    }
}

impl Candidates {
    /// The state with every digit possible everywhere.
    pub(super) const OPEN: Candidates =
        Candidates { boards: [[BAND_FULL; 3]; 9], open: [BAND_FULL; 3], changed: 0x1ff };

    /// Returns the state that the clues leave; `None` if two of them contradict each other.
    pub(super) fn of(puzzle: &Puzzle) -> Option<Candidates> {
        let mut clues = [[0; 3]; 10];
        for (cell, &digit) in puzzle.cells().iter().enumerate() {
            clues[digit as usize % 10][cell / 27] |= 1 << (cell % 27);
        }
        let [open, clues @ ..] = clues;
        let mut state = Candidates { open, ..Candidates::OPEN };
        for (board, clues) in state.boards.iter_mut().zip(&clues) {
            remove_peers(board, clues);
            for band in 0..3 {
                if board[band] & clues[band] != clues[band] {
                    return None;
                }
                board[band] &= open[band] | clues[band];
            }
        }
        Some(state)
    }

    /// Returns the state of given candidates. Cells with one candidate are still open: they are naked
    /// singles.
    pub(super) fn of_marks(marks: &Pencilmarks) -> Candidates {
        let mut boards = [[0; 3]; 9];
        for (cell, digits) in marks.candidates().iter().enumerate() {
            for (digit, board) in boards.iter_mut().enumerate() {
                board[cell / 27] |= (digits.mask() >> digit & 1) << (cell % 27);
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
                let digit = digits.trailing_zeros() as usize;
                digits &= digits - 1;
                self.changed &= !(1 << digit);
                let Some(board) = locks::apply(self.boards[digit]) else { return Progress::Dead };
                self.boards[digit] = board;
                self.settle_hidden_singles(digit);
            }
            if self.changed == 0 && self.open == [0; 3] {
                return Progress::Solved;
            }
            match self.settle_naked_singles() {
                None => return Progress::Dead,
                Some(false) if self.changed == 0 => return Progress::Stuck,
                Some(_) => {}
            }
        }
    }

    /// Settles a digit in the cells where it is alone in its row. Its locked candidates have been applied by
    /// then, so that a cell alone in its column or box is alone in its row too.
    #[inline(always)]
    fn settle_hidden_singles(&mut self, digit: usize) {
        let mut singles = [0; 3];
        for band in 0..3 {
            singles[band] = alone_in_row(self.boards[digit][band]) & self.open[band];
            self.open[band] &= !singles[band];
        }
        if singles == [0; 3] {
            return;
        }
        for other in 0..9 {
            if other != digit {
                let board = &mut self.boards[other];
                let mut lost = 0;
                for band in 0..3 {
                    lost |= board[band] & singles[band];
                    board[band] &= !singles[band];
                }
                self.changed |= u16::from(lost != 0) << other;
            }
        }
    }

    /// Settles the cells with one candidate. `None` if a cell has none, else whether there were any.
    #[inline(always)]
    fn settle_naked_singles(&mut self) -> Option<bool> {
        let mut any = false;
        for band in 0..3 {
            let (mut once, mut twice) = (0, 0);
            for board in &self.boards {
                twice |= once & board[band];
                once |= board[band];
            }
            if once != BAND_FULL {
                return None;
            }
            let singles = self.open[band] & !twice;
            if singles != 0 {
                any = true;
                self.open[band] &= !singles;
                self.place(band, singles);
            }
        }
        Some(any)
    }

    /// Removes the only candidate of each of those cells from its peers.
    fn place(&mut self, band: usize, singles: u32) {
        for (digit, board) in self.boards.iter_mut().enumerate() {
            let mut placed = [0; 3];
            placed[band] = board[band] & singles;
            if placed[band] != 0 {
                self.changed |= 1 << digit;
                remove_peers(board, &placed);
            }
        }
    }

    /// Guesses the lowest candidate of a cell: this state takes it, and the returned one keeps the others.
    pub(super) fn split(&mut self, Spot { band, bit }: Spot) -> Candidates {
        let mut others = Candidates { changed: 0, ..*self };
        let mut taken = false;
        for digit in 0..9 {
            if self.boards[digit][band] & bit == 0 {
                continue;
            }
            self.changed |= 1 << digit;
            if taken {
                self.boards[digit][band] &= !bit;
            } else {
                taken = true;
                others.boards[digit][band] &= !bit;
                others.changed = 1 << digit;
            }
        }
        self.open[band] &= !bit;
        self.place(band, bit);
        others
    }

    /// Returns the digits of a solved state.
    pub(super) fn solution(&self) -> Option<Solution> {
        let mut cells = [0; CELLS];
        for (digit, board) in (1..).zip(&self.boards) {
            for (band, cells) in board.iter().zip(cells.as_chunks_mut::<27>().0) {
                let mut left = *band;
                while left != 0 {
                    cells[left.trailing_zeros() as usize % 27] = digit;
                    left &= left - 1;
                }
            }
        }
        Solution::from_cells(cells)
    }
}

/// Removes the peers of those cells from a board. Two of the cells that see each other both go.
#[inline(always)]
fn remove_peers(board: &mut Bands, cells: &Bands) {
    for band in 0..3 {
        let mut left = cells[band];
        while left != 0 {
            let peers = Spot::lowest(band, left).peers();
            left &= left - 1;
            for (board, peers) in board.iter_mut().zip(peers) {
                *board &= !peers;
            }
        }
    }
}

/// Returns the cells of a band that are alone in their row.
#[inline(always)]
fn alone_in_row(band: u32) -> u32 {
    // The rows are one bit further apart, with a guard bit above each: 1 can be taken from every row at once,
    // which clears its lowest bit, and adding 0x1ff carries into the guard where bits are left.
    const LOWEST: u64 = 1 | 1 << 10 | 1 << 20;
    const GUARDS: u64 = LOWEST << 9;
    let band = u64::from(band);
    let rows = band & 0x1ff | (band & 0x1ff << 9) << 1 | (band & 0x1ff << 18) << 2;
    let more = ((rows | GUARDS) - LOWEST) & rows;
    let one_at_most = !(more + (GUARDS - LOWEST)) & GUARDS;
    let alone = rows & (one_at_most - (one_at_most >> 9));
    (alone & 0x1ff | alone >> 1 & 0x1ff << 9 | alone >> 2 & 0x1ff << 18) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alone_in_row_keeps_rows_of_one_cell() {
        let rows = [0, 1, 256, 3, 0x1ff, 0x110, 16, 0x180];
        for (a, b, c) in rows.iter().flat_map(|&a| rows.iter().flat_map(move |&b| rows.map(|c| (a, b, c)))) {
            let single = |row: u32| if row.count_ones() == 1 { row } else { 0 };
            let expected = single(a) | single(b) << 9 | single(c) << 18;
            assert_eq!(alone_in_row(a | b << 9 | c << 18), expected, "{a:b} {b:b} {c:b}");
        }
    }

    #[test]
    fn a_split_divides_the_candidates_of_the_cell() {
        let mut state = Candidates::OPEN;
        let spot = Spot::lowest(1, 1 << 13);
        let others = state.split(spot);
        let here = |state: &Candidates| {
            (0..9).filter(|&digit| state.boards[digit][1] & spot.bit != 0).collect::<Vec<_>>()
        };
        assert_eq!(here(&state), [0]);
        assert_eq!(here(&others), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(state.boards[0].map(u32::count_ones).iter().sum::<u32>(), 61);
    }
}
