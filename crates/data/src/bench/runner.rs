//! Running engines over sets of puzzles of any shape.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use gridmill_core::solver::{GridLike, Outcome, SolutionLimit, Solver};

use super::{Contender, PuzzleSet};

/// Runs an engine over parts of a set, and holds the outcomes.
pub(super) trait Runner: Send {
    /// Solves a part of the set, no longer than the runner was made for, unless `stop` becomes true.
    fn solve(&mut self, part: Range<usize>, stop: &AtomicBool);

    /// Returns the outcome of a puzzle, by its index in the part that was solved last.
    fn outcome(&self, index: usize) -> RunnerOutcome;

    /// Returns the bytes of memory that the engine keeps, if known.
    fn memory(&self) -> Option<usize>;

    /// Returns whether that outcome can be true: a solution by the rules, or none.
    fn holds(&self, index: usize) -> bool;
}

/// The result and the cost of a search.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RunnerOutcome {
    pub(super) solutions: u64,
    pub(super) guesses: u64,
    pub(super) nanos: u64,
}

/// Sets an engine to a set of puzzles, in parts up to that length. `None` where it is for classic puzzles alone, and
/// they are not given as such, and for a program.
pub(super) fn runner<'a>(
    contender: &Contender,
    set: &'a PuzzleSet,
    longest: usize,
    limit: SolutionLimit,
) -> Option<Box<dyn Runner + 'a>> {
    Some(match set {
        PuzzleSet::Classic(puzzles) => BatchRunner::boxed(contender.build()?, puzzles, limit, longest),
        PuzzleSet::AnyShape(grids) => BatchRunner::boxed(contender.build_any_shape()?, grids, limit, longest),
    })
}

/// Runs an engine over puzzles of one kind, a batch at a time.
struct BatchRunner<'a, P: GridLike> {
    engine: Box<dyn Solver<P>>,
    puzzles: &'a [P],
    limit: SolutionLimit,
    start: usize,
    outcomes: Vec<Outcome<P::Solution>>,
}

impl<'a, P: GridLike> BatchRunner<'a, P> {
    fn boxed(
        engine: Box<dyn Solver<P>>,
        puzzles: &'a [P],
        limit: SolutionLimit,
        longest: usize,
    ) -> Box<dyn Runner + 'a> {
        Box::new(BatchRunner { engine, puzzles, limit, start: 0, outcomes: vec![Outcome::NONE; longest] })
    }
}

impl<P: GridLike> Runner for BatchRunner<'_, P> {
    fn solve(&mut self, part: Range<usize>, stop: &AtomicBool) {
        self.start = part.start;
        let outcomes = &mut self.outcomes[..part.len()];
        self.engine.solve_until(&self.puzzles[part], self.limit, outcomes, stop);
    }

    fn outcome(&self, index: usize) -> RunnerOutcome {
        let Outcome { solutions, guesses, nanos, .. } = self.outcomes[index];
        RunnerOutcome { solutions, guesses, nanos }
    }

    fn memory(&self) -> Option<usize> {
        self.engine.memory()
    }

    fn holds(&self, index: usize) -> bool {
        self.puzzles[self.start + index].agrees(&self.outcomes[index])
    }
}
