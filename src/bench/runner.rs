//! An engine at work on a set of puzzles, whatever their shape.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::{Contender, PuzzleSet};
use crate::grid::{Grid, Puzzle, rules};
use crate::solver::{Bounds, GridBatch, GridOutcome, GridSolver, Outcome, SolutionLimit, Solver};

/// An engine with the memory for its answers to a part of a set.
pub(super) trait Runner: Send {
    /// Solves a part of the set, no longer than was said when the runner was made.
    fn solve(&mut self, part: Range<usize>);

    /// The answer to a puzzle of the part that was solved last, counted from its start.
    fn answer(&self, index: usize) -> Answer;

    /// Bytes of memory that the engine keeps, if it says.
    fn memory(&self) -> Option<usize>;

    /// Is the solution found first, if there should be one, a solution by the rules?
    fn holds(&self, index: usize) -> bool;
}

/// What a search found, and what it cost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Answer {
    pub(super) solutions: u64,
    pub(super) guesses: u64,
    pub(super) nanos: u64,
}

/// Sets an engine to a set of puzzles, in parts up to that length.
pub(super) fn runner(
    contender: Contender,
    set: &PuzzleSet,
    longest: usize,
    limit: SolutionLimit,
) -> Box<dyn Runner + '_> {
    match set {
        PuzzleSet::Classic(puzzles) => Box::new(Batches {
            engine: contender.build(),
            puzzles,
            limit,
            start: 0,
            outcomes: vec![Outcome::NONE; longest],
        }),
        PuzzleSet::AnyShape(grids) => Box::new(GridBatches {
            engine: contender.build_any_shape(),
            grids: grids.iter().collect(),
            bounds: limit.into(),
            start: 0,
            outcomes: vec![GridOutcome::NONE; longest],
        }),
    }
}

/// Classic puzzles, a batch at a time.
struct Batches<'a> {
    engine: Box<dyn Solver>,
    puzzles: &'a [Puzzle],
    limit: SolutionLimit,
    start: usize,
    outcomes: Vec<Outcome>,
}

impl Runner for Batches<'_> {
    fn solve(&mut self, part: Range<usize>) {
        self.start = part.start;
        let outcomes = &mut self.outcomes[..part.len()];
        self.engine.solve_batch(&self.puzzles[part], self.limit, outcomes);
    }

    fn answer(&self, index: usize) -> Answer {
        let Outcome { solutions, guesses, nanos, .. } = self.outcomes[index];
        Answer { solutions: solutions.into(), guesses: guesses.into(), nanos }
    }

    fn memory(&self) -> Option<usize> {
        self.engine.memory()
    }

    fn holds(&self, index: usize) -> bool {
        let Outcome { solutions, solution, .. } = &self.outcomes[index];
        solution.map_or(*solutions == 0, |found| found.solves(&self.puzzles[self.start + index]))
    }
}

/// Puzzles of any shape, a batch at a time.
struct GridBatches<'a> {
    engine: Box<dyn GridSolver>,
    grids: Vec<&'a Grid>,
    bounds: Bounds,
    start: usize,
    outcomes: Vec<GridOutcome>,
}

impl Runner for GridBatches<'_> {
    fn solve(&mut self, part: Range<usize>) {
        self.start = part.start;
        let outcomes = &mut self.outcomes[..part.len()];
        let (grids, bounds) = (&self.grids[part], self.bounds);
        let stop = AtomicBool::new(false);
        self.engine.solve_batch(&GridBatch { grids, bounds, keeps_solutions: true, stop: &stop }, outcomes);
    }

    fn answer(&self, index: usize) -> Answer {
        let GridOutcome { solutions, guesses, nanos, .. } = self.outcomes[index];
        Answer { solutions, guesses, nanos }
    }

    fn memory(&self) -> Option<usize> {
        Some(self.engine.memory())
    }

    fn holds(&self, index: usize) -> bool {
        let GridOutcome { solutions, solution, .. } = &self.outcomes[index];
        let grid = self.grids[self.start + index];
        solution
            .as_ref()
            .map_or(*solutions == 0, |found| rules::is_solution(grid.shape(), grid.cells(), found.cells()))
    }
}
