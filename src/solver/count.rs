//! Counting solutions in place of solving.

use std::sync::atomic::AtomicBool;

use super::{Bounds, GridSolver, Outcome, SolutionLimit, Solvable, Solver};

/// A solver that counts the solutions of every puzzle within bounds of its own, and keeps none.
///
/// ```
/// use gridmill::grid::{Grid, Shape};
/// use gridmill::solver::{Bounds, Counter, SolutionLimit, Solver, SolverKind};
///
/// let blank = Grid::empty(Shape::new(2, 2).unwrap());
/// let mut counter = Counter::new(SolverKind::Bitmask.build_any_shape(), Bounds::solutions(100));
/// assert_eq!(counter.solve(&blank, SolutionLimit::FIRST).solutions, 100);
/// ```
pub struct Counter<P: Solvable> {
    engine: Box<dyn GridSolver<P>>,
    bounds: Bounds,
}

impl<P: Solvable> Counter<P> {
    /// Returns a counter with that engine.
    #[must_use]
    pub fn new(engine: Box<dyn GridSolver<P>>, bounds: Bounds) -> Counter<P> {
        Counter { engine, bounds }
    }
}

/// The limit of the bounds applies, not the argument.
impl<P: Solvable> Solver<P> for Counter<P> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn solve_until(
        &mut self,
        puzzles: &[P],
        _: SolutionLimit,
        outcomes: &mut [Outcome<P::Solution>],
        stop: &AtomicBool,
    ) -> usize {
        self.engine.count_until(puzzles, &self.bounds, outcomes, stop)
    }

    fn only_counts(&self) -> bool {
        true
    }
}
