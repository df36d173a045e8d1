//! The kinds of puzzles that engines solve.

use super::Outcome;
use crate::grid::{Grid, Pencilmarks, Puzzle, Shape, Solution, rules};

/// A kind of puzzle, and its solutions.
pub trait Solvable: Sync {
    /// A full grid.
    type Solution: Clone + Send;

    /// Returns the shape.
    fn shape(&self) -> Shape;

    /// Returns the cells in reading order, 0 for a blank.
    fn cells(&self) -> &[u8];

    /// Makes a grid in `place`, and returns its cells for the digits of a solution.
    fn fill_in<'a>(&self, place: &'a mut Option<Self::Solution>) -> &'a mut [u8];

    /// Returns a full grid with those digits, in reading order; `None` if they are not as many as the cells.
    #[inline]
    fn full_grid(&self, digits: &[u8]) -> Option<Self::Solution> {
        let mut grid = None;
        let cells = self.fill_in(&mut grid);
        if cells.len() != digits.len() {
            return None;
        }
        cells.copy_from_slice(digits);
        grid
    }

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

    /// Returns the clues.
    #[inline]
    fn clues(&self) -> Clues<'_> {
        Clues { shape: self.shape(), cells: self.cells() }
    }
}

/// A puzzle that is given by its clues alone, whatever its shape.
pub trait GridLike: Solvable {}

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
    fn shape(&self) -> Shape {
        self.shape
    }

    #[inline]
    fn cells(&self) -> &[u8] {
        self.cells
    }

    #[inline]
    fn fill_in<'a>(&self, place: &'a mut Option<Grid>) -> &'a mut [u8] {
        place.insert(Grid::empty(self.shape)).cells_mut()
    }

    fn is_solution(&self, grid: &Grid) -> bool {
        grid.shape() == self.shape && rules::is_solution(self.shape, self.cells, grid.cells())
    }
}

impl GridLike for Clues<'_> {}

impl Solvable for Puzzle {
    type Solution = Solution;

    #[inline]
    fn shape(&self) -> Shape {
        Shape::CLASSIC
    }

    #[inline]
    fn cells(&self) -> &[u8] {
        self.cells()
    }

    #[inline]
    fn fill_in<'a>(&self, place: &'a mut Option<Solution>) -> &'a mut [u8] {
        place.insert(Solution::UNFILLED).digits_mut()
    }

    #[inline]
    fn is_solution(&self, grid: &Solution) -> bool {
        grid.solves(self)
    }
}

impl GridLike for Puzzle {}

impl Solvable for Grid {
    type Solution = Grid;

    #[inline]
    fn shape(&self) -> Shape {
        self.shape()
    }

    #[inline]
    fn cells(&self) -> &[u8] {
        self.cells()
    }

    #[inline]
    fn fill_in<'a>(&self, place: &'a mut Option<Grid>) -> &'a mut [u8] {
        self.clues().fill_in(place)
    }

    fn is_solution(&self, grid: &Grid) -> bool {
        self.clues().is_solution(grid)
    }
}

impl GridLike for Grid {}

/// Its cells are those with one candidate.
impl Solvable for Pencilmarks {
    type Solution = Solution;

    fn shape(&self) -> Shape {
        Shape::CLASSIC
    }

    fn cells(&self) -> &[u8] {
        self.clues().cells()
    }

    #[inline]
    fn fill_in<'a>(&self, place: &'a mut Option<Solution>) -> &'a mut [u8] {
        place.insert(Solution::UNFILLED).digits_mut()
    }

    fn is_solution(&self, grid: &Solution) -> bool {
        self.are_solved_by(grid)
    }
}
