//! The matrix: nodes linked up and down, and the sizes of its columns.

use std::fmt;

use super::Matrix;
use crate::grid::{Cell, Digit, Shape};
use crate::solver::houses::{CellHouses, HouseMap, MAX_CELLS, Used, houses};

/// Nodes of a row, one in a column of each kind.
const NODES: usize = 4;

const MAX_COLUMNS: usize = NODES * MAX_CELLS;

/// As many nodes as an index has values, so that no index needs a check; more than 25x25 has.
const CAPACITY: usize = 1 << 16;
const _: () = assert!(MAX_COLUMNS + NODES * MAX_CELLS * Shape::MAX_SIDE <= CAPACITY);

/// Added to the size of a column while it is covered.
const COVERED: u8 = 0x80;

/// A one of the matrix, or the head of a column.
#[derive(Clone, Copy, Default)]
struct Node {
    up: u16,
    down: u16,
    /// The index of the column, which is also that of its head.
    column: u16,
    /// The candidate of the row, as `cell * side + digit - 1`; unused in a head.
    says: u16,
}

/// The links of one matrix.
pub(super) struct Links {
    /// The heads of the columns, then row after row. The index of a row's first node is a multiple of
    /// four, since the number of columns is.
    nodes: Box<[Node; CAPACITY]>,
    /// For each column, the number of its rows.
    sizes: [u8; MAX_COLUMNS],
    columns: usize,
    rows: usize,
}

/// Returns the columns of the row "this cell holds this digit", from 0: that of the cell, then those of the
/// digit in the cell's row, column and box.
///
/// # Panics
///
/// Where the shape has no such cell.
///
/// ```
/// use gridmill_core::grid::{Cell, Digit, Shape};
/// use gridmill_core::solver::dancing_links::columns;
///
/// // 7 in the second cell of the fourth row.
/// assert_eq!(columns(Shape::CLASSIC, Cell::new(28), Digit::new(7).unwrap()), [28, 114, 177, 276]);
/// ```
#[must_use]
pub fn columns(shape: Shape, cell: Cell, digit: Digit) -> [usize; 4] {
    assert!(cell.index() < shape.cells(), "{shape} has no such cell");
    columns_of(shape.side(), cell.index(), houses(cell, shape), digit)
}

fn columns_of(side: usize, cell: usize, houses: CellHouses, digit: Digit) -> [usize; NODES] {
    // Houses are numbered through all three kinds, as the columns are.
    let [row, column, in_box] =
        houses.map(|house| (side + usize::from(house)) * side + usize::from(digit.get()) - 1);
    [cell, row, column, in_box]
}

impl Default for Links {
    fn default() -> Links {
        let nodes = vec![Node::default(); CAPACITY].into_boxed_slice();
        let nodes = nodes.try_into().unwrap_or_else(|_| unreachable!("the slice has that length"));
        Links { nodes, sizes: [COVERED; MAX_COLUMNS], columns: 0, rows: 0 }
    }
}

impl Links {
    /// Returns the bytes of memory on the heap, which no shape changes.
    pub(super) fn heap(&self) -> usize {
        size_of_val(&*self.nodes)
    }

    pub(super) fn figures(&self) -> Matrix {
        let nodes = NODES * self.rows;
        let bytes = (self.columns + nodes) * size_of::<Node>() + self.columns;
        Matrix { columns: self.columns, rows: self.rows, nodes, bytes }
    }

    /// Lays out the rows of the candidates that the clues leave.
    pub(super) fn lay_out(&mut self, map: &HouseMap, used: &Used, cells: &[u8]) {
        let side = map.side();
        self.columns = NODES * cells.len();
        self.rows = 0;
        self.sizes[..self.columns].fill(0);
        for (column, head) in (0..).zip(&mut self.nodes[..self.columns]) {
            *head = Node { up: column, down: column, column, says: 0 };
        }
        for (cell, &clue) in cells.iter().enumerate() {
            let houses = map.of(cell);
            if let Some(digit) = Digit::new(clue) {
                for column in columns_of(side, cell, houses, digit) {
                    self.sizes[column] = COVERED;
                }
                continue;
            }
            let mut left = used.around(houses).complement(side);
            while let Some(digit) = left.lowest() {
                left = left.without(digit);
                let says = cell * side + usize::from(digit.get()) - 1;
                self.add_row(columns_of(side, cell, houses, digit), says as u16);
            }
        }
    }

    fn add_row(&mut self, columns: [usize; NODES], says: u16) {
        let first = self.columns + NODES * self.rows;
        self.rows += 1;
        for (node, column) in (first as u16..).zip(columns) {
            let up = self.nodes[column].up;
            self.nodes[usize::from(node)] = Node { up, down: column as u16, column: column as u16, says };
            self.nodes[usize::from(up)].down = node;
            self.nodes[column].up = node;
            self.sizes[column] += 1;
        }
    }

    /// Returns the smallest of the columns left, the leftmost of several, and its size.
    #[inline]
    pub(super) fn smallest(&self) -> Option<(u16, u8)> {
        let sizes = &self.sizes[..self.columns];
        let size = sizes.iter().fold(COVERED, |least, &size| least.min(size));
        let column = memchr::memchr(size, sizes)?;
        (size < COVERED).then_some((column as u16, size))
    }

    /// Removes a column, and the rows that have a node in it, from the matrix.
    #[inline]
    pub(super) fn cover(&mut self, column: u16) {
        self.sizes[usize::from(column)] |= COVERED;
        let mut row = self.node(column).down;
        while row != column {
            for node in others(row) {
                let Node { up, down, column, .. } = *self.node(node);
                self.nodes[usize::from(up)].down = down;
                self.nodes[usize::from(down)].up = up;
                self.sizes[usize::from(column)] -= 1;
            }
            row = self.node(row).down;
        }
    }

    /// Puts a column and its rows back in; what was covered after it must have been uncovered.
    #[inline]
    pub(super) fn uncover(&mut self, column: u16) {
        let mut row = self.node(column).up;
        while row != column {
            for node in others(row) {
                let Node { up, down, column, .. } = *self.node(node);
                self.nodes[usize::from(up)].down = node;
                self.nodes[usize::from(down)].up = node;
                self.sizes[usize::from(column)] += 1;
            }
            row = self.node(row).up;
        }
        self.sizes[usize::from(column)] &= !COVERED;
    }

    /// Covers the columns of a row other than that of the given node.
    #[inline]
    pub(super) fn cover_others(&mut self, node: u16) {
        for other in others(node) {
            self.cover(self.column(other));
        }
    }

    #[inline]
    pub(super) fn uncover_others(&mut self, node: u16) {
        for other in others(node).into_iter().rev() {
            self.uncover(self.column(other));
        }
    }

    /// Returns the first row of a column.
    #[inline]
    pub(super) fn first(&self, column: u16) -> u16 {
        self.node(column).down
    }

    /// Returns the next row of a column, if there is one.
    #[inline]
    pub(super) fn next(&self, node: u16) -> Option<u16> {
        let Node { down, column, .. } = *self.node(node);
        (down != column).then_some(down)
    }

    #[inline]
    pub(super) fn column(&self, node: u16) -> u16 {
        self.node(node).column
    }

    /// Returns the candidate of a node's row, as `cell * side + digit - 1`.
    pub(super) fn says(&self, node: u16) -> usize {
        self.node(node).says.into()
    }

    #[inline]
    fn node(&self, node: u16) -> &Node {
        &self.nodes[usize::from(node)]
    }
}

/// Returns the other nodes of a node's row.
#[inline]
fn others(node: u16) -> [u16; NODES - 1] {
    [node ^ 1, node ^ 2, node ^ 3]
}

/// Only figures: the links would fill pages.
impl fmt::Debug for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Links").field(&self.figures()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    fn laid_out(grid: &Grid) -> Links {
        let map = HouseMap::new(grid.shape());
        let mut used = Used::NONE;
        assert!(used.add_clues(&map, grid.cells()));
        let mut links = Links::default();
        links.lay_out(&map, &used, grid.cells());
        links
    }

    /// Returns all that covering may change, found by walking down each column.
    fn walk(links: &Links) -> (Vec<Vec<u16>>, Vec<u8>) {
        let columns = (0..links.columns as u16).map(|column| {
            let mut rows = Vec::new();
            let mut node = links.first(column);
            while node != column {
                rows.push(node);
                node = links.node(node).down;
            }
            rows
        });
        (columns.collect(), links.sizes[..links.columns].to_vec())
    }

    #[test]
    fn every_column_of_an_empty_grid_has_a_row_for_each_digit() {
        for shape in
            [(2, 2), (2, 3), (3, 3), (5, 5)].map(|(rows, columns)| Shape::new(rows, columns).unwrap())
        {
            let links = laid_out(&Grid::empty(shape));
            assert_eq!(links.rows, shape.cells() * shape.side());
            assert_eq!(links.columns, 4 * shape.cells());
            assert!(walk(&links).0.iter().all(|rows| rows.len() == shape.side()));
            assert_eq!(links.smallest(), Some((0, shape.side() as u8)));
        }
    }

    #[test]
    fn a_clue_covers_its_columns_and_leaves_out_what_it_contradicts() {
        // 7 at row 4, column 2: columns 29, 115, 178 and 277, counted from 1.
        let mut cells = vec![0; 81];
        cells[28] = 7;
        let links = laid_out(&Grid::new(Shape::CLASSIC, cells).unwrap());
        let covered: Vec<usize> = (1..=324).filter(|column| links.sizes[column - 1] == COVERED).collect();
        assert_eq!(covered, [29, 115, 178, 277]);
        assert!(covered.iter().all(|&column| walk(&links).0[column - 1].is_empty()));
        // The clue removes the nine candidates of its cell, and the 7 of twenty peers.
        assert_eq!(links.rows, 729 - 9 - 20);
    }

    #[test]
    fn uncovering_undoes_covering() {
        let mut links = laid_out(&Grid::empty(Shape::CLASSIC));
        let before = walk(&links);
        let node = links.first(100);
        links.cover(100);
        links.cover_others(node);
        assert!(walk(&links) != before);
        // The digit loses three cells in the rows and columns that cross its box.
        assert!(links.smallest().is_some_and(|(_, size)| size == 6));
        links.uncover_others(node);
        links.uncover(100);
        assert!(walk(&links) == before);
    }
}
