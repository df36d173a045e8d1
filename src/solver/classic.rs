//! Engines for any shape in the place of engines for classic puzzles.

use std::ops::ControlFlow;

use super::{Bounds, GridSolver, Outcome, SolutionLimit, Solver, solve_each};
use crate::grid::{Grid, Puzzle, Shape, Solution};

/// A search of any shape as an engine for batches of classic puzzles.
///
/// ```
/// use gridmill::grid::Puzzle;
/// use gridmill::solver::{Classic, Singles, SolutionLimit, Solver};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse().unwrap();
/// let mut engine = Classic::new(Singles::new());
/// assert_eq!(engine.solve(&puzzle, SolutionLimit::UNIQUENESS).solutions, 1);
/// ```
#[derive(Debug)]
pub struct Classic<E> {
    engine: E,
    grid: Grid,
}

impl<E: GridSolver> Classic<E> {
    /// Puts that search behind the trait of the batch engines.
    #[must_use]
    pub fn new(engine: E) -> Classic<E> {
        Classic { engine, grid: Grid::empty(Shape::CLASSIC) }
    }

    fn search(&mut self, puzzle: &Puzzle, bounds: &Bounds, outcome: &mut Outcome) {
        self.grid.set(puzzle);
        let searched = self.engine.search(&self.grid, bounds, &mut |cells| {
            if outcome.solution.is_none() {
                outcome.solution = cells.try_into().ok().and_then(Solution::from_cells);
            }
            ControlFlow::Continue(())
        });
        outcome.solutions = u32::try_from(searched.solutions).unwrap_or(u32::MAX);
        outcome.guesses = u32::try_from(searched.guesses).unwrap_or(u32::MAX);
    }
}

impl<E: GridSolver> Solver for Classic<E> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn memory(&self) -> Option<usize> {
        Some(self.engine.memory() + self.grid.cells().len())
    }

    fn solve_batch(&mut self, puzzles: &[Puzzle], limit: SolutionLimit, outcomes: &mut [Outcome]) {
        let bounds = limit.into();
        solve_each(puzzles, outcomes, |puzzle, outcome| self.search(puzzle, &bounds, outcome));
    }
}
