//! Cells and houses: which cells share a row, a column or a box.

use std::fmt;

use super::{CELLS, Shape};

/// A cell of a grid, counted from 0 in reading order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u16);

impl Cell {
    /// Returns the cell with that index in reading order.
    #[must_use]
    pub const fn new(index: usize) -> Cell {
        Cell(index as u16)
    }

    /// Returns the index in reading order, from 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the cells of a grid in reading order.
    pub fn all(shape: Shape) -> impl Iterator<Item = Cell> {
        (0..shape.cells()).map(Cell::new)
    }

    /// Returns the row, from 0 at the top.
    #[must_use]
    pub const fn row(self, shape: Shape) -> usize {
        self.index() / shape.side()
    }

    /// Returns the column, from 0 at the left.
    #[must_use]
    pub const fn column(self, shape: Shape) -> usize {
        self.index() % shape.side()
    }

    /// Returns the coordinates, from 1: `r4c5`.
    #[must_use]
    pub fn name(self, shape: Shape) -> String {
        format!("r{}c{}", self.row(shape) + 1, self.column(shape) + 1)
    }

    /// Returns the box, from 0, boxes counted in reading order.
    #[must_use]
    pub const fn in_box(self, shape: Shape) -> usize {
        self.row(shape) / shape.box_rows() * shape.box_rows() + self.column(shape) / shape.box_columns()
    }

    /// Returns whether the two cells differ and share a house.
    #[must_use]
    pub const fn sees(self, other: Cell, shape: Shape) -> bool {
        self.0 != other.0
            && (self.row(shape) == other.row(shape)
                || self.column(shape) == other.column(shape)
                || self.in_box(shape) == other.in_box(shape))
    }
}

/// A house of a grid: a row, a column or a box, each counted from 0.
///
/// ```
/// use gridmill_core::grid::{Cell, House, Shape};
///
/// let cells: Vec<usize> = House::Box(4).cells(Shape::CLASSIC).map(Cell::index).collect();
/// assert_eq!(cells, [30, 31, 32, 39, 40, 41, 48, 49, 50]);
/// assert_eq!(House::Box(4).to_string(), "box 5");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum House {
    /// A row, from the top.
    Row(usize),
    /// A column, from the left.
    Column(usize),
    /// A box, in reading order.
    Box(usize),
}

impl House {
    /// Returns every house of a grid: its rows, its columns, its boxes.
    pub fn all(shape: Shape) -> impl Iterator<Item = House> {
        let side = shape.side();
        (0..side).map(House::Row).chain((0..side).map(House::Column)).chain((0..side).map(House::Box))
    }

    /// Returns the cells of the house in reading order.
    pub fn cells(self, shape: Shape) -> impl Iterator<Item = Cell> {
        (0..shape.side()).map(move |place| self.cell(place, shape))
    }

    const fn cell(self, place: usize, shape: Shape) -> Cell {
        let side = shape.side();
        let (row, column) = match self {
            House::Row(row) => (row, place),
            House::Column(column) => (place, column),
            House::Box(index) => (
                index / shape.box_rows() * shape.box_rows() + place / shape.box_columns(),
                index % shape.box_rows() * shape.box_columns() + place % shape.box_columns(),
            ),
        };
        Cell::new(row * side + column)
    }
}

/// As people write it, counted from 1: `row 1`, `column 9`, `box 5`.
impl fmt::Display for House {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            House::Row(index) => write!(f, "row {}", index + 1),
            House::Column(index) => write!(f, "column {}", index + 1),
            House::Box(index) => write!(f, "box {}", index + 1),
        }
    }
}

/// A set of classic cells as three bands of 27 bits: bit `9 * row + column` of a band, rows counted
/// within it.
pub(crate) type Bands = [u32; 3];

/// For each cell of a classic grid, the 20 cells that share a house with it.
pub(crate) static PEERS: [Bands; CELLS] = {
    let mut peers = [[0; 3]; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let mut other = 0;
        while other < CELLS {
            if Cell::new(cell).sees(Cell::new(other), Shape::CLASSIC) {
                peers[cell][other / 27] |= 1 << (other % 27);
            }
            other += 1;
        }
        cell += 1;
    }
    peers
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn houses_and_coordinates_agree() {
        for (rows, columns) in [(2, 2), (2, 3), (3, 2), (3, 3), (2, 4), (4, 3), (4, 4), (5, 5)] {
            let shape = Shape::new(rows, columns).unwrap();
            for house in House::all(shape) {
                let cells: Vec<_> = house.cells(shape).collect();
                assert_eq!(cells.len(), shape.side());
                assert!(cells.is_sorted());
                for cell in cells {
                    let holds = match house {
                        House::Row(row) => cell.row(shape) == row,
                        House::Column(column) => cell.column(shape) == column,
                        House::Box(index) => cell.in_box(shape) == index,
                    };
                    assert!(holds, "{house} of {shape}");
                }
            }
        }
    }

    #[test]
    fn twenty_peers_by_the_houses() {
        let shape = Shape::CLASSIC;
        for cell in Cell::all(shape) {
            let mut expected = [0u32; 3];
            for house in House::all(shape).filter(|house| house.cells(shape).any(|c| c == cell)) {
                house
                    .cells(shape)
                    .filter(|&c| c != cell)
                    .for_each(|c| expected[c.index() / 27] |= 1 << (c.index() % 27));
            }
            assert_eq!(PEERS[cell.index()], expected);
            assert_eq!(expected.map(u32::count_ones).iter().sum::<u32>(), 20);
        }
    }
}
