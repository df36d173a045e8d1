//! The houses of a classic grid as sets of cells: 0 to 8 are rows, 9 to 17 columns, 18 to 26 boxes.

use super::cell_set::CellSet;
use crate::grid::{CELLS, Cell, House, Shape};

/// How many houses a classic grid has.
pub(crate) const HOUSES: usize = 27;
/// The first column among the houses.
pub(crate) const COLUMN: usize = 9;
/// The first box among the houses.
pub(crate) const BOX: usize = 18;

/// Returns the house of an index.
#[must_use]
pub const fn house(index: usize) -> House {
    match index / 9 {
        0 => House::Row(index),
        1 => House::Column(index - COLUMN),
        _ => House::Box(index - BOX),
    }
}

/// For each house, its nine cells in reading order.
pub(crate) static HOUSE_CELLS: [[u8; 9]; HOUSES] = {
    let mut cells = [[0; 9]; HOUSES];
    let mut cell = 0;
    while cell < CELLS {
        let (houses, places) = (houses_of(cell), places_of(cell));
        let mut kind = 0;
        while kind < 3 {
            cells[houses[kind]][places[kind]] = cell as u8;
            kind += 1;
        }
        cell += 1;
    }
    cells
};

/// For each house, its cells.
pub(crate) static HOUSE: [CellSet; HOUSES] = {
    let mut sets = [CellSet::EMPTY; HOUSES];
    let mut house = 0;
    while house < HOUSES {
        let mut place = 0;
        while place < 9 {
            sets[house].insert(HOUSE_CELLS[house][place] as usize);
            place += 1;
        }
        house += 1;
    }
    sets
};

/// For each cell, the 20 cells that share a house with it.
pub(crate) static PEERS: [CellSet; CELLS] = {
    let mut peers = [CellSet::EMPTY; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let mut other = 0;
        while other < CELLS {
            if Cell::new(cell).sees(Cell::new(other), Shape::CLASSIC) {
                peers[cell].insert(other);
            }
            other += 1;
        }
        cell += 1;
    }
    peers
};

/// Returns the row, the column and the box of a cell, as houses.
#[must_use]
pub(crate) const fn houses_of(cell: usize) -> [usize; 3] {
    let (row, column) = (cell / 9, cell % 9);
    [row, COLUMN + column, BOX + row / 3 * 3 + column / 3]
}

/// Returns the place, from 0, of a cell in its row, its column and its box.
#[must_use]
pub(crate) const fn places_of(cell: usize) -> [usize; 3] {
    let (row, column) = (cell / 9, cell % 9);
    [column, row, row % 3 * 3 + column % 3]
}

/// Returns the cells at some places (a mask of nine bits) of a house.
#[must_use]
pub(crate) fn cells_at(house: usize, places: u16) -> CellSet {
    let mut set = CellSet::EMPTY;
    let mut rest = places;
    while rest != 0 {
        set.insert(HOUSE_CELLS[house][rest.trailing_zeros() as usize] as usize);
        rest &= rest - 1;
    }
    set
}

/// Returns the cells that see every cell of a set.
#[must_use]
pub(crate) fn common_peers(cells: CellSet) -> CellSet {
    cells.into_iter().fold(CellSet::ALL, |common, cell| common & PEERS[cell])
}
