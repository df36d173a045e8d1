//! The board of a digit: the cells where it may stand, in one vector.
//!
//! ```text
//! lane 0, 1, 2: a band each                a place: 32 * band + 10 * row + column
//! row 1   |  0  1  2 |  3  4  5 |  6  7  8 |  9    bits 9, 19 and 29 stay 0: they take the carries when
//! row 2   | 10 11 12 | 13 14 15 | 16 17 18 | 19    the rows are counted
//! row 3   | 20 21 22 | 23 24 25 | 26 27 28 | 29
//! ```

use wide::u32x4;

use crate::grid::{Bands, CELLS, PEERS};

/// Cells, a bit each.
pub(super) type Board = u32x4;

/// The lowest cell of each row.
pub(super) const ROWS: u32 = 1 | 1 << 10 | 1 << 20;
const BAND_FULL: u32 = ROWS * 0x1ff;

pub(super) const NONE: Board = u32x4::new([0; 4]);
pub(super) const FULL: Board = u32x4::new([BAND_FULL, BAND_FULL, BAND_FULL, 0]);

/// Places of a board, and a few between them that are no cells.
pub(super) const PLACES: usize = 96;

/// For each place, the board of that cell alone.
pub(super) static CELL: [Board; PLACES] = {
    let mut boards = [NONE; PLACES];
    let mut cell = 0;
    while cell < CELLS {
        let mut bands = [0; 3];
        bands[cell / 27] = 1 << (cell % 27);
        boards[place(cell)] = spread(bands);
        cell += 1;
    }
    boards
};

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

/// For each cell, its place.
pub(super) static PLACE: [u8; CELLS] = {
    let mut places = [0; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        places[cell] = place(cell) as u8;
        cell += 1;
    }
    places
};

const fn place(cell: usize) -> usize {
    cell / 27 * 32 + cell / 9 % 3 * 10 + cell % 9
}

/// Makes a board of bands without guard bits.
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

/// Returns whether a board has no cell.
#[inline(always)]
pub(super) fn is_empty(board: Board) -> bool {
    bands_with(board) == 0
}

/// Returns the bands that hold a cell, a bit each.
#[inline(always)]
pub(super) fn bands_with(board: Board) -> u32 {
    board.simd_eq(NONE).to_bitmask() ^ 0xf
}

/// Returns the cells that are alone in their row.
#[inline(always)]
pub(super) fn alone_in_row(board: Board) -> Board {
    let (lowest, guards) = (u32x4::splat(ROWS), u32x4::splat(ROWS << 9));
    // 1 can be taken from every row at once, which clears its lowest bit, and adding 0x1ff carries into the
    // guard where bits are left.
    let more = ((board | guards) - lowest) & board;
    let one_at_most = !(more + (guards - lowest)) & guards;
    board & (one_at_most - (one_at_most >> 9))
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
    fn a_place_is_a_bit_of_a_lane() {
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
}
