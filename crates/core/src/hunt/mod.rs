//! The searches that hunters of puzzles need: the neighbors of a puzzle, which differ from it in a few clues; which few
//! digits make it easy; and which sets of cells of a grid need a clue in every puzzle.

mod backdoors;
mod candidates;
mod neighbors;
mod unavoidable;

pub use backdoors::{BackdoorFinder, BackdoorSets};
pub use neighbors::{Exchange, Neighbor, NeighborFinder, TakeNeighbor, base_keys};
pub use unavoidable::{UnavoidableFinder, UnavoidableSets, disjoint_sets};

use crate::grid::{BitSet, Cell, House, Shape};

/// A full grid with tables for searches that know the solution. Digits count from 0, and houses as in
/// [`House::all`]: rows first, then columns, then boxes. Sets of cells have `W` words.
///
/// Tables with a value for each house and digit have the values of a house next to each other.
#[derive(Debug)]
struct SolvedGrid<const W: usize> {
    shape: Shape,
    /// For each cell, its row, its column and its box.
    houses: Vec<[u8; 3]>,
    /// For each house, its cells.
    cells: Vec<u16>,
    /// For each cell, the cells that share a house with it.
    peers: Vec<BitSet<W>>,
    digits: Vec<u8>,
    /// For each house and digit, the cell that holds the digit.
    places: Vec<u16>,
}

impl<const W: usize> SolvedGrid<W> {
    fn new(shape: Shape) -> SolvedGrid<W> {
        let mut houses = vec![Vec::with_capacity(3); shape.cells()];
        for (index, house) in House::all(shape).enumerate() {
            house.cells(shape).for_each(|cell| houses[cell.index()].push(index as u8));
        }
        let cells = House::all(shape).flat_map(|house| house.cells(shape));
        let peers_of = |cell: Cell| {
            let peers = Cell::all(shape).filter(|other| cell.sees(*other, shape));
            peers.map(Cell::index).collect()
        };
        SolvedGrid {
            shape,
            houses: houses.iter().map(|of_cell| [of_cell[0], of_cell[1], of_cell[2]]).collect(),
            cells: cells.map(|cell| cell.index() as u16).collect(),
            peers: Cell::all(shape).map(peers_of).collect(),
            digits: vec![0; shape.cells()],
            places: vec![0; 3 * shape.cells()],
        }
    }

    /// Changes the grid to a solution of this shape. The tables are kept if the shape is the same.
    fn fit(&mut self, shape: Shape, solution: &[u8]) {
        if self.shape != shape {
            *self = SolvedGrid::new(shape);
        }
        for (cell, digit) in solution.iter().map(|digit| digit - 1).enumerate() {
            self.digits[cell] = digit;
            for house in self.houses(cell) {
                let index = self.index(house, digit.into());
                self.places[index] = cell as u16;
            }
        }
    }

    fn side(&self) -> usize {
        self.shape.side()
    }

    /// The number of cells.
    fn cell_count(&self) -> usize {
        self.digits.len()
    }

    /// The digit of a cell, from 0.
    #[inline]
    fn digit(&self, cell: usize) -> usize {
        self.digits[cell].into()
    }

    /// The row, the column and the box of a cell.
    #[inline]
    fn houses(&self, cell: usize) -> [usize; 3] {
        self.houses[cell].map(usize::from)
    }

    /// A cell of a house, given by its place in the house.
    #[inline]
    fn house_cell(&self, house: usize, place: usize) -> usize {
        self.cells[self.index(house, place)].into()
    }

    /// The place of a house and a digit in a table with a value for each.
    #[inline]
    fn index(&self, house: usize, digit: usize) -> usize {
        house * self.side() + digit
    }

    /// The cells that share a house with a cell.
    #[inline]
    fn peers(&self, cell: usize) -> BitSet<W> {
        self.peers[cell]
    }

    /// The cell that holds a digit in a house, given by the [`index`](Self::index) of both.
    #[inline]
    fn place(&self, index: usize) -> usize {
        self.places[index].into()
    }
}

impl<const W: usize> Default for SolvedGrid<W> {
    fn default() -> SolvedGrid<W> {
        SolvedGrid::new(Shape::CLASSIC)
    }
}
