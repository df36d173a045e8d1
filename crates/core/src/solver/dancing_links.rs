//! Dancing links: Donald Knuth's Algorithm X on the exact-cover matrix of a Sudoku ("Dancing Links", 2000,
//! arXiv:cs/0011047; the links themselves are Hitotumatu and Noshita's, 1979).
//!
//! # The matrix
//!
//! A row of the matrix means "this cell holds this digit", and a column is a demand that must be met exactly
//! once. For a side of n there are 4 n^2 columns, e.g. 324 for classic puzzles:
//!
//! ```text
//! each cell holds a digit | each row holds each digit | each column ... | each box ...
//!           n^2           |            n^2            |       n^2       |     n^2
//! ```
//!
//! Every row has a node in four columns, one of each kind, and a solution is a choice of rows that has one
//! node in each column. The matrix leaves out what the clues settle: their columns are covered from the
//! start, and rows that contradict them are left out. So an empty classic grid has 729 rows, and a puzzle of
//! 17 clues has about 300.
//!
//! # The search
//!
//! ```text
//! choose the smallest column and cover it: take it, and all rows that have a node in it, out of the matrix
//! for each of these rows: cover its other columns, search on, uncover them in reverse
//! uncover the column
//! ```
//!
//! A node that is taken out keeps its links, and they are enough to put it back. So nothing is copied, and
//! undoing costs as much as doing: a few writes for each node of the rows that conflict with the chosen one.
//! The smallest column serves as the naked single, the hidden single and the best place to guess.
//!
//! The code differs from the paper in four points:
//!
//! 1. All nodes are in one array that serves every shape, linked by 16-bit indices (25x25 needs 65,000). A
//!    classic matrix takes 26 KB of it, and stays in the nearest cache.
//! 2. A row always has four nodes side by side, so that links to the left and right are not needed.
//! 3. The remaining columns are not a list but an array of sizes, in which covered columns are marked as too
//!    large to choose. So vector instructions can find the smallest one, whereas a list has to be walked.
//! 4. The search is a loop with a stack of chosen rows.

use std::fmt;
use std::ops::ControlFlow;

use super::houses::{CellHouses, HouseMap, MAX_CELLS, Used, houses};
use super::search::{Flow, OneByOneEngine, SearchAccount};
use super::{Clues, EngineKind, Solvable};
use crate::grid::{Cell, Digit, DigitSet, Grid, Shape};

/// The dancing-links engine, for any shape. A guess is the choice of a row that is not the last of its
/// column.
///
/// ```
/// use gridmill_core::grid::{Grid, Shape};
/// use gridmill_core::solver::{Bounds, DancingLinks, SolutionEngine};
///
/// let blank = Grid::empty(Shape::new(2, 2).unwrap());
/// assert_eq!(DancingLinks::new().count(&blank, &Bounds::ALL).solutions, 288);
/// ```
#[derive(Debug, Default)]
pub struct DancingLinks {
    map: HouseMap,
    links: Links,
    /// A node of each chosen row: the one in the column for which it was chosen.
    chosen: Vec<u16>,
    cells: Vec<u8>,
}

/// The size of a puzzle's exact-cover matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixSize {
    /// All columns, including those that the clues cover.
    pub columns: usize,
    /// The rows: the candidates that the clues leave in blanks.
    pub rows: usize,
    /// The ones of the matrix, four in each row.
    pub nodes: usize,
    /// The memory of nodes, heads and sizes, in bytes.
    pub bytes: usize,
}

impl DancingLinks {
    /// Makes an engine with its nodes, which take half a megabyte.
    #[must_use]
    pub fn new() -> DancingLinks {
        DancingLinks::default()
    }

    /// Lays out the matrix of a puzzle without searching it, and measures it.
    ///
    /// ```
    /// use gridmill_core::grid::{Grid, Shape};
    /// use gridmill_core::solver::DancingLinks;
    ///
    /// let matrix = DancingLinks::new().matrix_of(&Grid::empty(Shape::CLASSIC));
    /// assert_eq!((matrix.columns, matrix.rows, matrix.nodes, matrix.bytes), (324, 729, 2_916, 26_244));
    /// ```
    pub fn matrix_of(&mut self, grid: &Grid) -> MatrixSize {
        self.set_up(grid.clues());
        self.links.figures()
    }

    fn run(&mut self, account: &mut SearchAccount) -> Flow {
        loop {
            match self.links.smallest() {
                None => account.solution(self.solution())?,
                Some((_, 0)) => {}
                Some((column, _)) => {
                    self.links.cover(column);
                    self.choose(self.links.node(column).down, account)?;
                    continue;
                }
            }
            if !self.next_row(account)? {
                return ControlFlow::Continue(());
            }
        }
    }

    /// Chooses the row of a node whose column is covered.
    fn choose(&mut self, node: u16, account: &mut SearchAccount) -> Flow {
        if self.links.next(node).is_some() {
            account.guess()?;
        }
        self.chosen.push(node);
        self.links.cover_others(node);
        ControlFlow::Continue(())
    }

    /// Backtracks to the last column with another row to choose, and chooses it. Returns false if there is
    /// none.
    fn next_row(&mut self, account: &mut SearchAccount) -> Flow<bool> {
        while let Some(node) = self.chosen.pop() {
            self.links.uncover_others(node);
            if let Some(next) = self.links.next(node) {
                self.choose(next, account)?;
                return ControlFlow::Continue(true);
            }
            self.links.uncover(self.links.node(node).column);
        }
        ControlFlow::Continue(false)
    }

    /// The clues and the digits of the chosen rows.
    fn solution(&mut self) -> &[u8] {
        let side = self.map.side();
        for &node in &self.chosen {
            let candidate = usize::from(self.links.node(node).candidate);
            self.cells[candidate / side] = (candidate % side) as u8 + 1;
        }
        &self.cells
    }

    /// Lays out the matrix. Returns false if two clues contradict each other.
    fn set_up(&mut self, clues: Clues<'_>) -> bool {
        self.map.fit(clues.shape);
        self.chosen.clear();
        self.chosen.reserve(clues.cells.len());
        self.cells.clear();
        self.cells.extend_from_slice(clues.cells);
        let mut used = Used::default();
        let fits = used.add_clues(&self.map, &self.cells);
        self.links.lay_out(&self.map, &used, &self.cells);
        fits
    }
}

impl OneByOneEngine for DancingLinks {
    const KIND: EngineKind = EngineKind::DancingLinks;

    fn heap(&self) -> usize {
        self.map.heap()
            + size_of_val(&*self.links.nodes)
            + self.chosen.capacity() * size_of::<u16>()
            + self.cells.capacity()
    }

    fn explore_clues(&mut self, clues: Clues<'_>, account: &mut SearchAccount<'_>) -> Flow {
        if self.set_up(clues) { self.run(account) } else { ControlFlow::Continue(()) }
    }
}

/// The nodes of a row, one in a column of each kind.
const NODES: usize = 4;

const MAX_COLUMNS: usize = NODES * MAX_CELLS;

/// The number of nodes that a 16-bit index can reach, so that no index needs a check. It is more than 25x25
/// needs.
const CAPACITY: usize = 1 << 16;
const _: () = assert!(MAX_COLUMNS + NODES * MAX_CELLS * Shape::MAX_SIDE <= CAPACITY);

/// The bit that is added to the size of a column while it is covered, so that the column is never the
/// smallest.
const COVERED: u8 = 0x80;

/// A one of the matrix, or the head of a column.
#[derive(Clone, Copy, Default)]
struct Node {
    up: u16,
    down: u16,
    /// The index of the column, which is also the index of its head.
    column: u16,
    /// The candidate that the row means, as `cell * side + digit - 1`. A head does not use it.
    candidate: u16,
}

/// The links of one matrix.
struct Links {
    /// The heads of the columns, then row after row. The index of a row's first node is a multiple of four,
    /// since the number of columns is.
    nodes: Box<[Node; CAPACITY]>,
    /// For each column, the number of its rows.
    sizes: [u8; MAX_COLUMNS],
    columns: usize,
    rows: usize,
}

impl Default for Links {
    fn default() -> Links {
        let nodes = vec![Node::default(); CAPACITY].into_boxed_slice();
        let nodes = nodes.try_into().unwrap_or_else(|_| unreachable!("the slice has that length"));
        Links { nodes, sizes: [COVERED; MAX_COLUMNS], columns: 0, rows: 0 }
    }
}

impl Links {
    fn figures(&self) -> MatrixSize {
        let nodes = NODES * self.rows;
        let bytes = (self.columns + nodes) * size_of::<Node>() + self.columns;
        MatrixSize { columns: self.columns, rows: self.rows, nodes, bytes }
    }

    /// Lays out the rows of the candidates that the clues leave.
    fn lay_out(&mut self, map: &HouseMap, used: &Used, cells: &[u8]) {
        let side = map.side();
        self.columns = NODES * cells.len();
        self.rows = 0;
        self.sizes[..self.columns].fill(0);
        for (column, head) in (0..).zip(&mut self.nodes[..self.columns]) {
            *head = Node { up: column, down: column, column, candidate: 0 };
        }
        for (cell, &clue) in cells.iter().enumerate() {
            let houses = map.houses(cell);
            if let Some(digit) = Digit::new(clue) {
                for column in columns_of(side, cell, houses, digit) {
                    self.sizes[column] = COVERED;
                }
                continue;
            }
            let mut left = used.around(houses).complement(side);
            while let Some(digit) = left.lowest() {
                left = left.without(digit);
                let candidate = cell * side + usize::from(digit.get()) - 1;
                self.add_row(columns_of(side, cell, houses, digit), candidate as u16);
            }
        }
    }

    fn add_row(&mut self, columns: [usize; NODES], candidate: u16) {
        let first = self.columns + NODES * self.rows;
        self.rows += 1;
        for (node, column) in (first as u16..).zip(columns) {
            let up = self.nodes[column].up;
            self.nodes[usize::from(node)] =
                Node { up, down: column as u16, column: column as u16, candidate };
            self.nodes[usize::from(up)].down = node;
            self.nodes[column].up = node;
            self.sizes[column] += 1;
        }
    }

    /// Finds the smallest of the columns left, the leftmost of several. Returns it with its size.
    #[inline]
    fn smallest(&self) -> Option<(u16, u8)> {
        let sizes = &self.sizes[..self.columns];
        let size = sizes.iter().fold(COVERED, |least, &size| least.min(size));
        let column = memchr::memchr(size, sizes)?;
        (size < COVERED).then_some((column as u16, size))
    }

    /// Removes a column, and the rows that have a node in it, from the matrix.
    #[inline]
    fn cover(&mut self, column: u16) {
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

    /// Puts a column and its rows back. Whatever was covered after it must be uncovered first, because the
    /// links are restored in reverse order.
    #[inline]
    fn uncover(&mut self, column: u16) {
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

    /// Covers the columns of a row, except that of the given node.
    #[inline]
    fn cover_others(&mut self, node: u16) {
        for other in others(node) {
            self.cover(self.node(other).column);
        }
    }

    #[inline]
    fn uncover_others(&mut self, node: u16) {
        for other in others(node).into_iter().rev() {
            self.uncover(self.node(other).column);
        }
    }

    /// The next row of the node's column, if there is one.
    #[inline]
    fn next(&self, node: u16) -> Option<u16> {
        let Node { down, column, .. } = *self.node(node);
        (down != column).then_some(down)
    }

    #[inline]
    fn node(&self, node: u16) -> &Node {
        &self.nodes[usize::from(node)]
    }
}

/// The other nodes of a node's row.
#[inline]
fn others(node: u16) -> [u16; NODES - 1] {
    [node ^ 1, node ^ 2, node ^ 3]
}

/// Writes only figures, because the links would fill pages.
impl fmt::Debug for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Links").field(&self.figures()).finish()
    }
}

/// The columns of the row "this cell holds this digit", from 0: first the column of the cell, then those of
/// the digit in the cell's row, column and box.
///
/// # Panics
///
/// If the shape has no such cell.
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

/// The exact-cover matrix of a puzzle: its solutions are the choices of rows that have exactly one node in
/// each column.
///
/// A clue is a cell with one row. A blank has a row for each digit that is not a clue in its houses. A
/// reduced matrix leaves out what the clues settle: their rows, and the columns in which these have nodes.
/// Its solutions are the digits of the blanks.
///
/// ```
/// use gridmill_core::grid::Grid;
/// use gridmill_core::solver::dancing_links::ExactCover;
///
/// let blank = Grid::empty("2x2".parse().unwrap());
/// let matrix = ExactCover::new(&blank);
/// assert_eq!((matrix.rows.len(), matrix.columns.len()), (64, 64));
/// let names = matrix.rows[6].columns.map(|column| matrix.name(column));
/// assert_eq!(names, ["R1C2", "R1#3", "C2#3", "B1#3"]);
/// ```
#[derive(Clone, Debug)]
pub struct ExactCover {
    shape: Shape,
    /// The rows, by cells and then by digits.
    pub rows: Vec<CoverRow>,
    /// The columns, from 0, in ascending order.
    pub columns: Vec<usize>,
}

/// A row of the matrix, which means that this cell holds this digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoverRow {
    /// The cell.
    pub cell: Cell,
    /// The digit.
    pub digit: Digit,
    /// The four columns of the row, from 0, as [`columns`] gives them.
    pub columns: [usize; 4],
}

impl ExactCover {
    /// Builds the matrix of a puzzle.
    #[must_use]
    pub fn new(puzzle: &Grid) -> ExactCover {
        let shape = puzzle.shape();
        let row = |cell, digit| CoverRow { cell, digit, columns: columns(shape, cell, digit) };
        let mut used = Used::default();
        for cell in Cell::all(shape) {
            let clue = Digit::new(puzzle.cells()[cell.index()]);
            clue.into_iter().for_each(|digit| used.add(houses(cell, shape), digit));
        }
        let rows = Cell::all(shape).flat_map(|cell| {
            let digits = match Digit::new(puzzle.cells()[cell.index()]) {
                Some(clue) => DigitSet::EMPTY.with(clue),
                None => used.around(houses(cell, shape)).complement(shape.side()),
            };
            Digit::all(shape.side())
                .filter(move |&digit| digits.contains(digit))
                .map(move |digit| row(cell, digit))
        });
        ExactCover { shape, rows: rows.collect(), columns: (0..4 * shape.cells()).collect() }
    }

    /// Builds the matrix without what the clues settle. The columns keep their numbers. The clues must not
    /// contradict each other.
    #[must_use]
    pub fn reduced(puzzle: &Grid) -> ExactCover {
        let mut matrix = ExactCover::new(puzzle);
        let is_clue = |row: &CoverRow| puzzle.cells()[row.cell.index()] != 0;
        let clues: Vec<CoverRow> = matrix.rows.iter().copied().filter(is_clue).collect();
        let mut is_covered = vec![false; matrix.columns.len()];
        clues.iter().flat_map(|row| row.columns).for_each(|column| is_covered[column] = true);
        matrix.rows.retain(|row| !is_clue(row));
        matrix.columns.retain(|&column| !is_covered[column]);
        matrix
    }

    /// The name of a column: `R1C2` for a cell, and `R1#3`, `C2#3` or `B1#3` for a digit in a row, column or
    /// box. Numbers begin at 1, and a name has at most eight characters.
    #[must_use]
    pub fn name(&self, column: usize) -> String {
        let side = self.shape.side();
        let (kind, rest) = (column / self.shape.cells(), column % self.shape.cells());
        let (before, between) = [("R", "C"), ("R", "#"), ("C", "#"), ("B", "#")][kind];
        format!("{before}{}{between}{}", rest / side + 1, rest % side + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::solver::DancingLinks;

    fn laid_out(grid: &Grid) -> Links {
        let map = HouseMap::new(grid.shape());
        let mut used = Used::default();
        assert!(used.add_clues(&map, grid.cells()));
        let mut links = Links::default();
        links.lay_out(&map, &used, grid.cells());
        links
    }

    /// Collects everything that covering may change, by walking down each column.
    fn walk(links: &Links) -> (Vec<Vec<u16>>, Vec<u8>) {
        let columns = (0..links.columns as u16).map(|column| {
            let mut rows = Vec::new();
            let mut node = links.node(column).down;
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
        let node = links.node(100).down;
        links.cover(100);
        links.cover_others(node);
        assert!(walk(&links) != before);
        // The digit loses three cells in the rows and columns that cross its box.
        assert!(links.smallest().is_some_and(|(_, size)| size == 6));
        links.uncover_others(node);
        links.uncover(100);
        assert!(walk(&links) == before);
    }

    fn classic(line: &str) -> Grid {
        let cells = line.bytes().map(|byte| byte.checked_sub(b'0').filter(|&digit| digit <= 9).unwrap_or(0));
        Grid::new(Shape::CLASSIC, cells.collect()).unwrap()
    }

    #[test]
    fn a_reduced_matrix_is_the_one_that_the_engine_searches() {
        let puzzle =
            classic("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79");
        let (whole, reduced) = (ExactCover::new(&puzzle), ExactCover::reduced(&puzzle));
        assert_eq!(reduced.rows.len(), DancingLinks::new().matrix_of(&puzzle).rows);
        assert_eq!(whole.rows.len(), reduced.rows.len() + 30);
        assert_eq!((whole.columns.len(), reduced.columns.len()), (324, 324 - 4 * 30));
        let kept = |column: &usize| reduced.columns.contains(column);
        assert!(reduced.rows.iter().all(|row| row.columns.iter().all(kept)));
    }

    #[test]
    fn columns_are_named_by_what_they_demand() {
        let matrix = ExactCover::new(&Grid::empty("5x5".parse().unwrap()));
        let name = |column| matrix.name(column);
        let [cells, rest] = [625, 25];
        assert_eq!([name(0), name(cells - 1), name(cells)], ["R1C1", "R25C25", "R1#1"]);
        assert_eq!([name(2 * cells + rest), name(4 * cells - 1)], ["C2#1", "B25#25"]);
    }
}
