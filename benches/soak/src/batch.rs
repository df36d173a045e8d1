//! The puzzles of a round.

use gridmill_core::grid::{Digit, Grid, Pencilmarks, Puzzle, Shape, Solution, rules};
use gridmill_core::solver::{SolutionLimit, Solvable};

use crate::kind::Kind;

/// The solutions that a puzzle must have, because of the way it was made. E.g. an additional wrong clue
/// means that there is no solution.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Truth<S> {
    Unknown,
    /// There is no solution.
    None,
    /// This is the only solution.
    One(S),
    /// This is a solution, but there may be others.
    Includes(S),
    /// There are at least two solutions.
    Several,
}

/// Puzzles of one type and several kinds, with what is known about their solutions.
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

/// A type of puzzle that the engines are compared on.
pub(crate) trait Soakable:
    Solvable<Solution: PartialEq + ToString> + Clone + ToString + 'static
{
    /// Whether a grid is a solution by the naive rules.
    fn rules_accept(&self, grid: &Self::Solution) -> bool;
}

impl Soakable for Puzzle {
    fn rules_accept(&self, grid: &Solution) -> bool {
        rules::is_solution(Shape::CLASSIC, self.cells(), grid.cells())
    }
}

impl Soakable for Grid {
    fn rules_accept(&self, grid: &Grid) -> bool {
        rules::is_solution(self.shape(), self.cells(), grid.cells())
    }
}

impl Soakable for Pencilmarks {
    fn rules_accept(&self, grid: &Solution) -> bool {
        let cells = self.candidates().iter().zip(grid.cells());
        let mut allowed = cells.map(|(marks, &cell)| Digit::new(cell).map(|digit| marks.contains(digit)));
        rules::is_valid_grid(Shape::CLASSIC, grid.cells())
            && allowed.all(|is_allowed| is_allowed == Some(true))
    }
}
