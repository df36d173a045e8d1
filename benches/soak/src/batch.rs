//! The puzzles of a round.

use gridmill_core::grid::{Grid, Pencilmarks, Puzzle, Shape, Solution, rules};
use gridmill_core::solver::{SolutionLimit, Solvable};

use crate::kind::Kind;

/// The knowledge about the solutions of a puzzle, which follows from the way it was made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Truth<S> {
    Unknown,
    /// There is no solution.
    None,
    /// This is the only solution.
    One(S),
    /// This is a solution, and there may be others.
    Keeps(S),
    /// There are at least two solutions.
    Several,
}

/// Puzzles of one type and several kinds, with the knowledge about each.
pub(crate) struct Batch<P: Solvable> {
    pub(crate) limit: SolutionLimit,
    pub(crate) puzzles: Vec<P>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) truths: Vec<Truth<P::Solution>>,
}

impl<P: Solvable> Batch<P> {
    pub(crate) fn new() -> Batch<P> {
        let (puzzles, kinds, truths) = (Vec::new(), Vec::new(), Vec::new());
        Batch { limit: SolutionLimit::UNIQUENESS, puzzles, kinds, truths }
    }

    /// Removes all puzzles, and sets the limit for the next ones.
    pub(crate) fn clear(&mut self, limit: SolutionLimit) {
        self.limit = limit;
        self.puzzles.clear();
        self.kinds.clear();
        self.truths.clear();
    }

    pub(crate) fn push(&mut self, kind: Kind, puzzle: P, truth: Truth<P::Solution>) {
        self.puzzles.push(puzzle);
        self.kinds.push(kind);
        self.truths.push(truth);
    }
}

/// A type of puzzle that can be used here.
pub(crate) trait Soakable:
    Solvable<Solution: PartialEq + ToString> + Clone + ToString + 'static
{
    /// Whether a grid is a solution by the naive rules.
    fn obeys(&self, grid: &Self::Solution) -> bool;
}

impl Soakable for Puzzle {
    fn obeys(&self, grid: &Solution) -> bool {
        rules::is_solution(Shape::CLASSIC, self.cells(), grid.cells())
    }
}

impl Soakable for Grid {
    fn obeys(&self, grid: &Grid) -> bool {
        rules::is_solution(self.shape(), self.cells(), grid.cells())
    }
}

impl Soakable for Pencilmarks {
    fn obeys(&self, grid: &Solution) -> bool {
        let places = self.candidates().iter().zip(grid.cells());
        let mut digits =
            places.map(|(marks, &cell)| gridmill_core::grid::Digit::new(cell).map(|d| marks.contains(d)));
        rules::is_valid_grid(Shape::CLASSIC, grid.cells()) && digits.all(|kept| kept == Some(true))
    }
}
