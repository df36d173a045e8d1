//! Cell by cell in reading order: the oldest way to solve a Sudoku by machine, and the oracle here.
//!
//! The next blank takes the lowest digit that its row, column and box leave free; when none is left, the
//! blank before it takes its next digit. The path through the blanks is the stack, so there is no
//! recursion, and memory is a few bytes a cell. The cost is exponential in the blanks: microseconds for
//! most newspaper puzzles, seconds for a 17-clue puzzle that is laid out against the reading order.
//!
//! It stays this simple on purpose: every other engine is tested against it. It works for any [`Shape`].

use super::{Outcome, SolutionLimit, Solver, SolverKind, solve_each};
use crate::grid::{CELLS, Cell, Digit, DigitSet, Puzzle, Shape, Solution};

/// The backtracking engine. A guess is a digit placed while a higher one was possible too.
///
/// ```
/// use gridmill::grid::Shape;
/// use gridmill::solver::{Backtracking, SolutionLimit};
///
/// // How many grids of 4x4 are there?
/// let mut engine = Backtracking::with_shape(Shape::new(2, 2).unwrap());
/// let mut grids = 0;
/// engine.search(&[0; 16], SolutionLimit::new(1000).unwrap(), |_grid| grids += 1);
/// assert_eq!(grids, 288);
/// ```
#[derive(Debug)]
pub struct Backtracking {
    shape: Shape,
    cells: Vec<u8>,
    blanks: Vec<Cell>,
    rows: Vec<DigitSet>,
    columns: Vec<DigitSet>,
    boxes: Vec<DigitSet>,
}

/// What [`Backtracking::search`] found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Solutions, up to the limit.
    pub solutions: u32,
    /// Digits placed while a higher one was possible too.
    pub guesses: u32,
}

impl Backtracking {
    /// An engine for classic puzzles.
    #[must_use]
    pub fn new() -> Backtracking {
        Backtracking::with_shape(Shape::CLASSIC)
    }

    /// An engine for puzzles of that shape.
    #[must_use]
    pub fn with_shape(shape: Shape) -> Backtracking {
        Backtracking {
            shape,
            cells: vec![0; shape.cells()],
            blanks: Vec::with_capacity(shape.cells()),
            rows: vec![DigitSet::EMPTY; shape.side()],
            columns: vec![DigitSet::EMPTY; shape.side()],
            boxes: vec![DigitSet::EMPTY; shape.side()],
        }
    }

    /// Finds the solutions of a puzzle in lexicographic order, up to `limit`, and hands each to `found`.
    /// Cells are given in reading order, 0 for a blank.
    ///
    /// # Panics
    ///
    /// Where `clues` does not fit the engine's shape.
    pub fn search(&mut self, clues: &[u8], limit: SolutionLimit, mut found: impl FnMut(&[u8])) -> Search {
        let mut search = Search::default();
        if !self.set_up(clues) {
            return search;
        }
        let mut depth = 0;
        loop {
            let forward = if depth == self.blanks.len() {
                search.solutions += 1;
                found(&self.cells);
                false
            } else {
                self.raise(self.blanks[depth], &mut search.guesses)
            };
            if forward {
                depth += 1;
            } else if depth == 0 || search.solutions == limit.get() {
                return search;
            } else {
                depth -= 1;
            }
        }
    }

    /// Lays out the clues; false if two of them contradict each other.
    fn set_up(&mut self, clues: &[u8]) -> bool {
        self.cells.copy_from_slice(clues);
        self.blanks.clear();
        for houses in [&mut self.rows, &mut self.columns, &mut self.boxes] {
            houses.fill(DigitSet::EMPTY);
        }
        for cell in Cell::all(self.shape) {
            match Digit::new(clues[cell.index()]) {
                None => self.blanks.push(cell),
                Some(digit) if self.used_around(cell).contains(digit) => return false,
                Some(digit) => self.set_used(cell, |used| used.with(digit)),
            }
        }
        true
    }

    /// Puts the next higher possible digit into a cell, or empties it if there is none.
    fn raise(&mut self, cell: Cell, guesses: &mut u32) -> bool {
        let before = self.cells[cell.index()];
        if let Some(digit) = Digit::new(before) {
            self.set_used(cell, |used| used.without(digit));
        }
        let possible = self.used_around(cell).complement(self.shape.side());
        let next = possible.lowest_above(before);
        self.cells[cell.index()] = next.map_or(0, Digit::get);
        if let Some(digit) = next {
            self.set_used(cell, |used| used.with(digit));
            *guesses += u32::from(possible.lowest_above(digit.get()).is_some());
        }
        next.is_some()
    }

    fn used_around(&self, cell: Cell) -> DigitSet {
        let (row, column) = (self.rows[cell.row(self.shape)], self.columns[cell.column(self.shape)]);
        row.union(column).union(self.boxes[cell.in_box(self.shape)])
    }

    fn set_used(&mut self, cell: Cell, change: impl Fn(DigitSet) -> DigitSet) {
        let (row, column) = (cell.row(self.shape), cell.column(self.shape));
        for used in [&mut self.rows[row], &mut self.columns[column], &mut self.boxes[cell.in_box(self.shape)]]
        {
            *used = change(*used);
        }
    }
}

impl Default for Backtracking {
    fn default() -> Backtracking {
        Backtracking::new()
    }
}

/// Classic puzzles, whatever shape [`Backtracking::search`] serves.
impl Solver for Backtracking {
    fn name(&self) -> &'static str {
        SolverKind::Backtracking.name()
    }

    fn solve_batch(&mut self, puzzles: &[Puzzle], limit: SolutionLimit, outcomes: &mut [Outcome]) {
        solve_each(puzzles, outcomes, |puzzle, outcome| {
            let mut first = None;
            let search = self.search(puzzle.cells(), limit, |grid| {
                first = first.or_else(|| <[u8; CELLS]>::try_from(grid).ok().and_then(Solution::from_cells));
            });
            *outcome =
                Outcome { solution: first, solutions: search.solutions, guesses: search.guesses, nanos: 0 };
        });
    }
}
