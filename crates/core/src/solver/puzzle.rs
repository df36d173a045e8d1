//! The kinds of puzzles that engines solve.

use super::Outcome;
use crate::grid::{CELLS, Grid, Pencilmarks, Puzzle, Shape, Solution, rules};

/// A kind of puzzle, and its solutions.
pub trait Solvable: Sync {
    /// A full grid.
    type Solution: Clone + Send;

    /// Returns the full grid with those digits, in reading order; `None` if they don't make one.
    fn full_grid(&self, digits: &[u8]) -> Option<Self::Solution>;

    /// Returns whether a full grid keeps the clues and the rules.
    fn is_solution(&self, grid: &Self::Solution) -> bool;

    /// Returns whether an outcome can be true: its solution keeps the clues and the rules, or it has none.
    #[inline]
    fn agrees(&self, found: &Outcome<Self::Solution>) -> bool {
        match &found.solution {
            Some(solution) => found.solutions > 0 && self.is_solution(solution),
            None => found.solutions == 0,
        }
    }
}

/// A puzzle that is given by its clues alone, whatever its shape.
pub trait GridLike: Solvable {
    /// Returns the clues.
    fn clues(&self) -> Clues<'_>;
}

/// The clues of a puzzle.
#[derive(Clone, Copy, Debug)]
pub struct Clues<'a> {
    /// The shape of the puzzle.
    pub shape: Shape,
    /// Its cells in reading order, 0 for a blank.
    pub cells: &'a [u8],
}

impl<'a> From<&'a Grid> for Clues<'a> {
    fn from(grid: &'a Grid) -> Clues<'a> {
        Clues { shape: grid.shape(), cells: grid.cells() }
    }
}

/// Clues are a puzzle themselves.
impl Solvable for Clues<'_> {
    type Solution = Grid;

    #[inline]
    fn full_grid(&self, digits: &[u8]) -> Option<Grid> {
        Grid::of(self.shape, digits)
    }

    fn is_solution(&self, grid: &Grid) -> bool {
        grid.shape() == self.shape && rules::is_solution(self.shape, self.cells, grid.cells())
    }
}

impl GridLike for Clues<'_> {
    #[inline]
    fn clues(&self) -> Clues<'_> {
        *self
    }
}

impl Solvable for Puzzle {
    type Solution = Solution;

    #[inline]
    fn full_grid(&self, digits: &[u8]) -> Option<Solution> {
        classic(digits)
    }

    #[inline]
    fn is_solution(&self, grid: &Solution) -> bool {
        grid.solves(self)
    }
}

impl GridLike for Puzzle {
    #[inline]
    fn clues(&self) -> Clues<'_> {
        Clues { shape: Shape::CLASSIC, cells: self.cells() }
    }
}

impl Solvable for Grid {
    type Solution = Grid;

    #[inline]
    fn full_grid(&self, digits: &[u8]) -> Option<Grid> {
        self.clues().full_grid(digits)
    }

    fn is_solution(&self, grid: &Grid) -> bool {
        self.clues().is_solution(grid)
    }
}

impl GridLike for Grid {
    #[inline]
    fn clues(&self) -> Clues<'_> {
        self.into()
    }
}

impl Solvable for Pencilmarks {
    type Solution = Solution;

    #[inline]
    fn full_grid(&self, digits: &[u8]) -> Option<Solution> {
        classic(digits)
    }

    fn is_solution(&self, grid: &Solution) -> bool {
        self.are_solved_by(grid)
    }
}

#[inline]
fn classic(digits: &[u8]) -> Option<Solution> {
    let digits: [u8; CELLS] = digits.try_into().ok()?;
    Solution::from_cells(digits)
}
