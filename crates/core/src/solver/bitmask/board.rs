//! The board of a digit: the cells that may hold it, in one vector.
//!
//! ```text
//! lane 0, 1, 2: a band each                a place: 32 * band + 10 * row + column
//! row 1   |  0  1  2 |  3  4  5 |  6  7  8 |  9    bits 9, 19 and 29 stay 0: they take the carries when
//! row 2   | 10 11 12 | 13 14 15 | 16 17 18 | 19    the rows are counted
//! row 3   | 20 21 22 | 23 24 25 | 26 27 28 | 29
//! ```
//!
//! # Locked candidates, from tables
//!
//! In a band, the digit needs three minirows, one in each row and one in each box. A minirow can hold the
//! digit only if it belongs to such a choice of three possible minirows. That covers pointing, claiming and
//! all their combinations, and a table holds the answers because there are only 512 cases. A stack is a
//! transposed band, with three columns and three boxes.

use wide::u32x4;

use crate::grid::{Bands, CELLS, PEERS, THIRDS};

/// A set of cells, a bit for each.
pub(super) type Board = u32x4;

/// The three words of a board, with a guard bit after each row.
type GuardedBands = [u32; 3];

/// The lowest cell of each row.
const ROWS: u32 = 1 | 1 << 10 | 1 << 20;
const BAND_FULL: u32 = ROWS * 0x1ff;

pub(super) const NONE: Board = u32x4::new([0; 4]);
pub(super) const FULL: Board = u32x4::new([BAND_FULL, BAND_FULL, BAND_FULL, 0]);

/// The number of places of a board. A few of them are not cells, because there is a guard bit after each row
/// and a gap after each band.
pub(super) const PLACES: usize = 96;

/// For each place, the board of that cell alone.
pub(super) static CELL: [Board; PLACES] = table!(PLACES, place => {
    let mut lanes = [0; 4];
    lanes[place / 32] = 1 << (place % 32) & BAND_FULL;
    u32x4::new(lanes)
});

/// For each place, the peers of that cell.
pub(super) static PEERS_OF: [Board; PLACES] = {
    let mut boards = [NONE; PLACES];
    let mut cell = 0;
    while cell < CELLS {
        boards[place(cell)] = spread(PEERS[cell]);
        cell += 1;
    }
    boards
};

/// For each cell, its place, e.g. 10 for the first cell of the second row.
pub(super) static PLACE: [u8; CELLS] = table!(CELLS, cell => place(cell) as u8);

const fn place(cell: usize) -> usize {
    cell / 27 * 32 + cell / 9 % 3 * 10 + cell % 9
}

/// Makes a board of bands that have no guard bits.
const fn spread(bands: Bands) -> Board {
    let mut lanes = [0; 4];
    let mut band = 0;
    while band < 3 {
        let cells = bands[band];
        lanes[band] = cells & 0x1ff | (cells & 0x1ff << 9) << 1 | (cells & 0x1ff << 18) << 2;
        band += 1;
    }
    u32x4::new(lanes)
}

/// Checks whether a board has no cell.
#[inline(always)]
pub(super) fn is_empty(board: Board) -> bool {
    bands_with(board) == 0
}

/// The bands that hold a cell, a bit for each.
#[inline(always)]
pub(super) fn bands_with(board: Board) -> u32 {
    board.simd_eq(NONE).to_bitmask() ^ 0xf
}

/// The cells that are alone in their row.
#[inline(always)]
pub(super) fn alone_in_row(board: Board) -> Board {
    let (lowest, guards) = (u32x4::splat(ROWS), u32x4::splat(ROWS << 9));
    // Subtracting 1 from all rows at once clears the lowest bit of each. Adding 0x1ff then carries into the
    // guard bit of each row that still has bits.
    let more = ((board | guards) - lowest) & board;
    let one_at_most = !(more + (guards - lowest)) & guards;
    board & (one_at_most - (one_at_most >> 9))
}

/// For each set of minirows of a band that hold candidates (bit `3 * row + box`), the cells of the minirows
/// that may keep them.
static BAND: [u32; 512] = table!(512, present => {
    let (keep, mut cells, mut place) = (matchable(present), 0, 0);
    while place < 9 {
        if keep >> place & 1 == 1 {
            cells |= 0b111 << (place / 3 * 10 + place % 3 * 3);
        }
        place += 1;
    }
    cells
});

/// For each set of minicolumns of a stack that hold candidates (bit `3 * band + column`), the minicolumns
/// that may keep them, as bits `10 * band + column`.
static STACK: [u32; 512] = table!(512, present => {
    let keep = matchable(present);
    keep & 0o7 | (keep & 0o70) << 7 | (keep & 0o700) << 14
});

/// Finds the places of a 3x3 pattern that belong to some choice of three present places, no two of them in a
/// row or a column.
const fn matchable(present: usize) -> u32 {
    let mut keep = 0;
    let mut first = 0;
    while first < 3 {
        let mut second = 0;
        while second < 3 {
            let third = 3 - first - second;
            let choice = 1 << first | 1 << (3 + second) | 1 << (6 + third % 3);
            if first != second && present & choice == choice {
                keep |= choice as u32;
            }
            second += 1;
        }
        first += 1;
    }
    keep
}

/// Removes the candidates that locked candidates of bands and stacks eliminate, until neither finds more. If
/// the digit has no place in some house, the result has no cell.
#[inline(always)]
pub(super) fn apply_locks([mut top, mut middle, mut bottom]: GuardedBands) -> GuardedBands {
    // The three words have names, so that they stay in registers.
    loop {
        top &= BAND[minirows(top)];
        middle &= BAND[minirows(middle)];
        bottom &= BAND[minirows(bottom)];
        let before = [top, middle, bottom];
        let keep = kept_by_stacks(columns(top) | columns(middle) << 10 | columns(bottom) << 20);
        top &= every_row(keep & 0x1ff);
        middle &= every_row((keep >> 10) & 0x1ff);
        bottom &= every_row(keep >> 20);
        // Each filter leaves its own result unchanged. So the first one has to run again only if the second
        // one changed anything.
        if before == [top, middle, bottom] {
            return before;
        }
    }
}

/// Finds the columns that may keep their candidates among those that hold one, band by band (bit `10 * band +
/// column`).
#[inline(always)]
fn kept_by_stacks(columns: u32) -> u32 {
    (0..3)
        .fold(0, |keep, stack| keep | STACK[gather((columns >> (3 * stack)) & (ROWS * 0b111))] << (3 * stack))
}

/// Repeats a row's columns in each row of a band.
#[inline(always)]
fn every_row(columns: u32) -> u32 {
    columns * ROWS
}

/// The minirows of a band that hold a candidate: bit `3 * row + box`.
#[inline(always)]
fn minirows(band: u32) -> usize {
    let row = |shift: u32| usize::from(THIRDS[(band >> shift & 0x1ff) as usize]);
    row(0) | row(10) << 3 | row(20) << 6
}

/// The columns of a band that hold a candidate.
#[inline(always)]
fn columns(band: u32) -> u32 {
    (band | band >> 10 | band >> 20) & 0x1ff
}

/// Puts three fields of three bits, which are ten bits apart, side by side. For example, the bits 0, 11 and
/// 22 become the bits 0, 4 and 8.
#[inline(always)]
fn gather(fields: u32) -> usize {
    (fields.wrapping_mul(1 | 1 << 7 | 1 << 14) >> 14 & 0x1ff) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alone_in_row_keeps_rows_of_one_cell() {
        let rows = [0, 1, 256, 3, 0x1ff, 0x110, 16, 0x180];
        for (a, b, c) in rows.iter().flat_map(|&a| rows.iter().flat_map(move |&b| rows.map(|c| (a, b, c)))) {
            let band = |a, b, c| a | b << 10 | c << 20;
            let single = |row: u32| if row.count_ones() == 1 { row } else { 0 };
            let board = Board::new([band(a, b, c), band(b, c, a), band(c, a, b), 0]);
            let [a, b, c] = [a, b, c].map(single);
            let expected = [band(a, b, c), band(b, c, a), band(c, a, b), 0];
            assert_eq!(alone_in_row(board).to_array(), expected);
        }
    }

    #[test]
    fn places_map_to_bits_of_lanes() {
        let mut all = NONE;
        for cell in 0..CELLS {
            let place = usize::from(PLACE[cell]);
            assert_eq!(CELL[place].as_array()[place / 32], 1 << (place % 32));
            assert_eq!(bands_with(CELL[place]), 1 << (cell / 27));
            all |= CELL[place];
            for (other, &at) in PLACE.iter().enumerate() {
                let is_peer = !is_empty(PEERS_OF[place] & CELL[usize::from(at)]);
                assert_eq!(is_peer, PEERS[cell][other / 27] >> (other % 27) & 1 == 1);
            }
        }
        assert_eq!(all, FULL);
    }

    /// Tries every choice of three places in three rows and columns.
    fn matchable_naive(present: usize) -> u32 {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let choices = orders.map(|order| (0..3).fold(0, |choice, row| choice | 1 << (3 * row + order[row])));
        choices
            .into_iter()
            .filter(|choice| present & choice == *choice)
            .fold(0, |keep, choice| keep | choice as u32)
    }

    #[test]
    fn tables_match_the_naive_definition() {
        for present in 0..512 {
            let keep = matchable_naive(present);
            for place in 0..9 {
                let kept = keep >> place & 1;
                assert_eq!(BAND[present] >> (place / 3 * 10 + place % 3 * 3) & 0b111, 0b111 * kept);
                assert_eq!(STACK[present] >> (place / 3 * 10 + place % 3) & 1, kept);
            }
            assert_eq!(STACK[present].count_ones(), keep.count_ones());
        }
    }

    #[test]
    fn a_digit_locked_in_a_column_leaves_the_other_boxes() {
        // Box 1 has the digit in column 1 only, so boxes 4 and 7 lose it there.
        let full = ROWS * 0x1ff;
        let expected = [full & !(ROWS * 0b110), full & !ROWS, full & !ROWS];
        assert_eq!(apply_locks([expected[0], full, full]), expected);
    }

    #[test]
    fn a_house_without_a_place_is_dead() {
        let full = ROWS * 0x1ff;
        let no_column_one = full & !ROWS;
        assert_eq!(apply_locks([no_column_one; 3]), [0; 3]);
        assert_eq!(apply_locks([full, full & !0x1ff, full]), [0; 3]);
        assert_eq!(apply_locks([full; 3]), [full; 3]);
    }
}
