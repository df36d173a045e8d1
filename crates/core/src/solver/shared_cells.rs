//! Counting solutions, and where they differ.

use std::sync::atomic::AtomicBool;

use super::{GridLike, GridSolver, Narrowable, Outcome, SolutionLimit, Solvable, Solver, true_candidates};
use crate::grid::{Cell, Digit, Grid};

/// A solver that counts with another one, and finds the cells that all solutions have in common. In place of a solution
/// it keeps a grid of these cells, with a blank where solutions differ.
///
/// The cells are those of all solutions, however many are counted, also where the count is given up; only a puzzle
/// without solution has none. They cost as much as [`true_candidates`]: a few dozen searches for a puzzle with several
/// solutions, which no bound of the count ends. The time of an outcome is that of the count alone.
///
/// ```
/// use gridmill_core::grid::Grid;
/// use gridmill_core::solver::{AnyBitmask, Bounds, Counter, SharedCells, SolutionLimit, Solver, SolverKind};
///
/// // 4x4; the two solutions differ in two rows and columns.
/// let cells = [1, 2, 3, 4, 3, 4, 1, 2, 2, 0, 4, 0, 4, 0, 2, 0];
/// let puzzle = Grid::of("2x2".parse().unwrap(), &cells).unwrap();
/// let counter = Counter::new(SolverKind::Bitmask.build_any_shape(), Bounds::solutions(0));
/// let mut solver = SharedCells::new(Box::new(counter), Box::new(AnyBitmask::new()));
/// let outcome = solver.solve(&puzzle, SolutionLimit::UNIQUENESS);
/// assert_eq!(outcome.solutions, 2);
/// assert_eq!(outcome.solution.unwrap().cells(), cells);
/// ```
pub struct SharedCells<P: Solvable> {
    counter: Box<dyn Solver<P>>,
    engine: Box<dyn GridSolver<P>>,
}

impl<P: Solvable> SharedCells<P> {
    /// Returns a solver that counts with `counter`, and finds what solutions share with `engine`.
    #[must_use]
    pub fn new(counter: Box<dyn Solver<P>>, engine: Box<dyn GridSolver<P>>) -> SharedCells<P> {
        SharedCells { counter, engine }
    }

    /// Returns the cells that all solutions of a puzzle share, if it has any; `None` if `stop` became true.
    fn shared(&mut self, puzzle: &P, stop: &AtomicBool) -> Option<Option<Grid>>
    where
        P: Narrowable<Solution = Grid> + GridLike,
    {
        let found = true_candidates(puzzle, 1, &mut *self.engine, stop)?;
        if !found.has_solution() {
            return Some(None);
        }
        let cells: Vec<u8> = (0..found.side() * found.side())
            .map(|cell| {
                let digits = found.digits(Cell::new(cell));
                digits.lowest().filter(|_| digits.is_single()).map_or(0, Digit::get)
            })
            .collect();
        Some(Grid::of(puzzle.clues().shape, &cells))
    }
}

impl<P: Narrowable<Solution = Grid> + GridLike> Solver<P> for SharedCells<P> {
    fn name(&self) -> &'static str {
        self.counter.name()
    }

    fn solve_until(
        &mut self,
        puzzles: &[P],
        limit: SolutionLimit,
        outcomes: &mut [Outcome<Grid>],
        stop: &AtomicBool,
    ) -> usize {
        let counted = self.counter.solve_until(puzzles, limit, outcomes, stop);
        for (index, (puzzle, outcome)) in puzzles.iter().zip(outcomes).take(counted).enumerate() {
            if outcome.solutions > 0 || outcome.is_given_up {
                let Some(shared) = self.shared(puzzle, stop) else { return index };
                outcome.solution = shared;
            }
        }
        counted
    }

    fn only_counts(&self) -> bool {
        true
    }
}
