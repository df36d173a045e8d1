//! Dancing links: Donald Knuth's Algorithm X on the exact-cover matrix of a Sudoku
//! ("Dancing Links", 2000, arXiv:cs/0011047; the links themselves are Hitotumatu and Noshita's, 1979).
//!
//! # The matrix
//!
//! A row means "this cell holds this digit", and a column is a demand that must be met exactly once. For a
//! side of n there are 4 n^2 columns, 324 for classic puzzles:
//!
//! ```text
//! each cell holds a digit | each row holds each digit | each column ... | each box ...
//!           n^2           |            n^2            |       n^2       |     n^2
//! ```
//!
//! Every row has a node in four columns, one of each kind, and a solution is a choice of rows that has one
//! node in each column. What the clues settle is not in the matrix: their columns are covered from the start,
//! and rows that contradict them are left out. So an empty classic grid has 729 rows, and a puzzle of 17
//! clues about 300.
//!
//! # The search
//!
//! ```text
//! choose the smallest column and cover it: take it, and all rows that stand in it, out of the matrix
//! for each of these rows: cover its other columns, search on, uncover them in reverse
//! uncover the column
//! ```
//!
//! A node that is taken out keeps its links, and they lead it back in: nothing is copied, and undoing costs
//! as much as doing, a few writes for each node of the rows that conflict with the chosen one. The smallest
//! column is at once the naked single, the hidden single and the best place to guess.
//!
//! Where this differs from the paper:
//!
//! 1. All nodes are in one array that serves every shape, linked by 16-bit indices (25x25 needs 65,000).
//!    A classic matrix takes 26 KB of it, and stays in the nearest cache.
//! 2. A row has four nodes always, side by side: links to the left and right are not needed.
//! 3. The columns left are not a list but an array of sizes, in which covered ones are marked as too
//!    large to choose. Vector instructions find the smallest, where a list has to be walked.
//! 4. The search is a loop with a stack of chosen rows.

mod cover;
mod links;

use std::ops::ControlFlow;

use super::houses::{HouseMap, Used};
use super::search::{Explorer, SearchAccount, SingleEngine};
use super::{Clues, GridLike, SearchEnd, SolverKind};
use crate::grid::Grid;
pub use cover::{CoverRow, ExactCover};
use links::Links;
pub use links::columns;

/// The dancing-links engine, for any shape. A guess is a row chosen that is not the last of its column.
///
/// ```
/// use gridmill_core::grid::{Grid, Shape};
/// use gridmill_core::solver::{Bounds, DancingLinks, GridSolver};
///
/// let blank = Grid::empty(Shape::new(2, 2).unwrap());
/// assert_eq!(DancingLinks::new().count(&blank, &Bounds::ALL).solutions, 288);
/// ```
#[derive(Debug, Default)]
pub struct DancingLinks {
    map: HouseMap,
    links: Links,
    /// A node of each chosen row: the one in the column that it was chosen for.
    chosen: Vec<u16>,
    cells: Vec<u8>,
}

/// The size of a puzzle's exact-cover matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Columns, including those that the clues cover.
    pub columns: usize,
    /// Rows: the candidates that the clues leave in blanks.
    pub rows: usize,
    /// Ones of the matrix, four a row.
    pub nodes: usize,
    /// Memory of nodes, heads and sizes, in bytes.
    pub bytes: usize,
}

impl DancingLinks {
    /// Returns an engine with its nodes: half a megabyte.
    #[must_use]
    pub fn new() -> DancingLinks {
        DancingLinks::default()
    }

    /// Returns the matrix of a puzzle, which is laid out and not searched.
    ///
    /// ```
    /// use gridmill_core::grid::{Grid, Shape};
    /// use gridmill_core::solver::DancingLinks;
    ///
    /// let matrix = DancingLinks::new().matrix_of(&Grid::empty(Shape::CLASSIC));
    /// assert_eq!((matrix.columns, matrix.rows, matrix.nodes, matrix.bytes), (324, 729, 2_916, 26_244));
    /// ```
    pub fn matrix_of(&mut self, grid: &Grid) -> Matrix {
        self.set_up(grid.into());
        self.links.figures()
    }

    fn run(&mut self, account: &mut SearchAccount) -> ControlFlow<SearchEnd> {
        loop {
            match self.links.smallest() {
                None => account.solution(self.solution())?,
                Some((_, 0)) => {}
                Some((column, _)) => {
                    self.links.cover(column);
                    self.choose(self.links.first(column), account)?;
                    continue;
                }
            }
            if !self.next_row(account)? {
                return ControlFlow::Continue(());
            }
        }
    }

    /// Chooses the row of a node whose column is covered.
    fn choose(&mut self, node: u16, account: &mut SearchAccount) -> ControlFlow<SearchEnd> {
        if self.links.next(node).is_some() {
            account.guess()?;
        }
        self.chosen.push(node);
        self.links.cover_others(node);
        ControlFlow::Continue(())
    }

    /// Goes back to the last column with another row to choose, and chooses it. Returns false if there is
    /// none.
    fn next_row(&mut self, account: &mut SearchAccount) -> ControlFlow<SearchEnd, bool> {
        while let Some(node) = self.chosen.pop() {
            self.links.uncover_others(node);
            if let Some(next) = self.links.next(node) {
                self.choose(next, account)?;
                return ControlFlow::Continue(true);
            }
            self.links.uncover(self.links.column(node));
        }
        ControlFlow::Continue(false)
    }

    /// Returns the clues and the digits of the chosen rows.
    fn solution(&mut self) -> &[u8] {
        let side = self.map.side();
        for &node in &self.chosen {
            let says = self.links.says(node);
            self.cells[says / side] = (says % side) as u8 + 1;
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
        let mut used = Used::NONE;
        let fits = used.add_clues(&self.map, &self.cells);
        self.links.lay_out(&self.map, &used, &self.cells);
        fits
    }
}

impl SingleEngine for DancingLinks {
    const KIND: SolverKind = SolverKind::DancingLinks;

    fn heap(&self) -> usize {
        self.map.heap()
            + self.links.heap()
            + self.chosen.capacity() * size_of::<u16>()
            + self.cells.capacity()
    }
}

impl<P: GridLike> Explorer<P> for DancingLinks {
    fn explore(&mut self, puzzle: &P, account: &mut SearchAccount<'_>) -> ControlFlow<SearchEnd> {
        if self.set_up(puzzle.clues()) { self.run(account) } else { ControlFlow::Continue(()) }
    }
}
