//! An engine at work on a set of puzzles, whatever their shape.

use std::ops::{ControlFlow, Range};
use std::time::Instant;

use super::{Entrant, PuzzleSet};
use crate::grid::{Grid, Puzzle, rules};
use crate::solver::{Bounds, GridSolver, Outcome, SolutionLimit, Solver};

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

/// Sets an engine to a set of puzzles, in parts up to that length; `None` if it does not serve other shapes
/// than the classic one and there are such.
///
/// An engine that takes batches of other shapes comes in here, as a third kind of runner, and says in
/// [`Entrant::serves`] which shapes these are.
pub(super) fn runner(
    entrant: Entrant,
    set: &PuzzleSet,
    longest: usize,
    limit: SolutionLimit,
) -> Option<Box<dyn Runner + '_>> {
    Some(match set {
        PuzzleSet::Classic(puzzles) => Box::new(Batches {
            engine: entrant.build(),
            puzzles,
            limit,
            start: 0,
            outcomes: vec![Outcome::NONE; longest],
        }),
        PuzzleSet::AnyShape(grids) => Box::new(OneByOne {
            engine: entrant.build_any_shape()?,
            grids,
            bounds: limit.into(),
            start: 0,
            answers: vec![Answer::default(); longest],
            solutions: vec![Vec::new(); longest],
        }),
    })
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

/// Puzzles of any shape, one search each. The first solution is kept, as it is in a batch.
struct OneByOne<'a> {
    engine: Box<dyn GridSolver>,
    grids: &'a [Grid],
    bounds: Bounds,
    start: usize,
    answers: Vec<Answer>,
    solutions: Vec<Vec<u8>>,
}

impl Runner for OneByOne<'_> {
    fn solve(&mut self, part: Range<usize>) {
        self.start = part.start;
        let mut begun = Instant::now();
        for ((grid, answer), solution) in
            self.grids[part].iter().zip(&mut self.answers).zip(&mut self.solutions)
        {
            solution.clear();
            let searched = self.engine.search(grid, &self.bounds, &mut |cells| {
                if solution.is_empty() {
                    solution.extend_from_slice(cells);
                }
                ControlFlow::Continue(())
            });
            // One reading of the clock ends a puzzle and begins the next.
            let ended = Instant::now();
            let nanos = (ended - begun).as_nanos() as u64;
            *answer = Answer { solutions: searched.solutions, guesses: searched.guesses, nanos };
            begun = ended;
        }
    }

    fn answer(&self, index: usize) -> Answer {
        self.answers[index]
    }

    fn memory(&self) -> Option<usize> {
        Some(self.engine.memory())
    }

    fn holds(&self, index: usize) -> bool {
        let (grid, found) = (&self.grids[self.start + index], &self.solutions[index]);
        match found.is_empty() {
            true => self.answers[index].solutions == 0,
            false => rules::is_solution(grid.shape(), grid.cells(), found),
        }
    }
}
