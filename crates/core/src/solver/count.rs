//! Counting solutions in place of solving.

use std::sync::atomic::AtomicBool;

use super::{Bounds, GridSolver, Outcome, SolutionLimit, Solvable, Solver};

/// A solver that counts the solutions of every puzzle within bounds of its own, and keeps none.
///
/// ```
/// use gridmill_core::grid::{Grid, Shape};
/// use gridmill_core::solver::{Bounds, Counter, SolutionLimit, Solver, SolverKind};
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

/// A solver that searches every puzzle for up to two solutions with one engine, and counts those of puzzles with several
/// with another. So a puzzle with one solution or none takes the guesses that proving this takes the first engine.
///
/// Guesses of a puzzle with several solutions are those of the count alone, its time is that of both searches.
///
/// ```
/// use gridmill_core::grid::Puzzle;
/// use gridmill_core::solver::{Bounds, Counter, SolutionLimit, Solver, SolverKind, StagedCounter};
///
/// let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let puzzle: Puzzle = line.parse().unwrap();
/// let count = Counter::new(SolverKind::Bitmask.build_any_shape(), Bounds::ALL);
/// let mut counter = StagedCounter::new(SolverKind::Lockstep.build(), Box::new(count));
/// let guesses = SolverKind::Lockstep.build().solve(&puzzle, SolutionLimit::UNIQUENESS).guesses;
/// let outcome = counter.solve(&puzzle, SolutionLimit::FIRST);
/// assert_eq!((outcome.solutions, outcome.guesses), (1, guesses));
/// ```
pub struct StagedCounter<P: Solvable> {
    first: Box<dyn Solver<P>>,
    count: Box<dyn Solver<P>>,
    /// Up to how many solutions the first engine searches.
    limit: SolutionLimit,
    /// Puzzles with several solutions, their places, and the counts.
    several: Vec<P>,
    places: Vec<usize>,
    counted: Vec<Outcome<P::Solution>>,
}

impl<P: Solvable> StagedCounter<P> {
    /// Returns a counter that searches with `first`, and counts with `count`, whose limit is its own.
    #[must_use]
    pub fn new(first: Box<dyn Solver<P>>, count: Box<dyn Solver<P>>) -> StagedCounter<P> {
        let limit = SolutionLimit::UNIQUENESS;
        StagedCounter { first, count, limit, several: Vec::new(), places: Vec::new(), counted: Vec::new() }
    }

    /// Lets the first engine search for so many solutions in place of two: the other one counts puzzles with as many.
    /// For a second engine that is quicker where a puzzle is alone, but slower in batches.
    #[must_use]
    pub fn beyond(self, limit: SolutionLimit) -> StagedCounter<P> {
        StagedCounter { limit, ..self }
    }
}

/// Counts as the second engine does, whatever the limit.
impl<P: Solvable + Clone + Send> Solver<P> for StagedCounter<P> {
    fn name(&self) -> &'static str {
        self.first.name()
    }

    fn solve_until(
        &mut self,
        puzzles: &[P],
        _: SolutionLimit,
        outcomes: &mut [Outcome<P::Solution>],
        stop: &AtomicBool,
    ) -> usize {
        let limit = self.limit;
        let searched = self.first.solve_until(puzzles, limit, outcomes, stop);
        self.places.clear();
        self.places.extend((0..searched).filter(|&place| outcomes[place].solutions >= limit.get().into()));
        self.several.clear();
        self.several.extend(self.places.iter().map(|&place| puzzles[place].clone()));
        self.counted.resize(self.several.len(), Outcome::NONE);
        let counted = self.count.solve_until(&self.several, limit, &mut self.counted, stop);
        for (&place, count) in self.places[..counted].iter().zip(&mut self.counted) {
            count.nanos += outcomes[place].nanos;
            outcomes[place] = std::mem::replace(count, Outcome::NONE);
        }
        self.places.get(counted).copied().unwrap_or(searched)
    }

    fn only_counts(&self) -> bool {
        true
    }
}
