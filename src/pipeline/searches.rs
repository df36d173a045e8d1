//! The engines as workers use them. An engine that takes puzzles of other shapes a batch at a time finds its
//! place here, as another [`Search`] of [`GridPuzzle`]s.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::Search;
use crate::grid::{Grid, Puzzle};
use crate::solver::{
    Bounds, End, GridOutcome, GridSolver, Outcome, Searched, SolutionLimit, Solver, SolverKind, count_split,
};
use crate::text::GridPuzzle;

/// Classic puzzles, a batch at a time: as many at once as the engine says.
impl Search for Box<dyn Solver> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn search(
        &mut self,
        puzzles: &[Puzzle],
        limit: SolutionLimit,
        outcomes: &mut [Outcome],
        stop: &AtomicBool,
    ) -> usize {
        let grain = self.grain();
        let mut solved = 0;
        while solved < puzzles.len() {
            if solved > 0 && stop.load(Ordering::Relaxed) {
                break;
            }
            let end = puzzles.len().min(solved.saturating_add(grain));
            self.solve_batch(&puzzles[solved..end], limit, &mut outcomes[solved..end]);
            solved = end;
        }
        solved
    }
}

/// Puzzles of any shape one by one: up to the limit, the first solution kept.
impl Search<GridPuzzle> for Box<dyn GridSolver> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn search(
        &mut self,
        puzzles: &[GridPuzzle],
        limit: SolutionLimit,
        outcomes: &mut [GridOutcome],
        stop: &AtomicBool,
    ) -> usize {
        let bounds = limit.into();
        one_by_one(puzzles, outcomes, |puzzle, outcome| {
            let shape = puzzle.grid.shape();
            self.search_until(&puzzle.grid, &bounds, stop, &mut |cells| {
                if outcome.solution.is_none() {
                    outcome.solution = Grid::of(shape, cells);
                }
                ControlFlow::Continue(())
            })
        })
    }
}

/// Counts the solutions of puzzles of any shape, within bounds.
pub struct Counting {
    kind: SolverKind,
    engine: Box<dyn GridSolver>,
    bounds: Bounds,
    time: Option<Duration>,
    may_split: bool,
}

impl Counting {
    /// Counts up to a number of solutions, 0 for all of them. A puzzle is given up after so many guesses, or
    /// so much time. Where there is neither limit nor budget of guesses, a search that takes long is split
    /// over all threads: a count with an end must come to the same end on any number of threads, and goes in
    /// order. `None` if the engine is not for all shapes.
    #[must_use]
    pub fn new(
        kind: SolverKind,
        limit: u64,
        guesses: Option<u64>,
        time: Option<Duration>,
    ) -> Option<Counting> {
        let bounds = Bounds::solutions(limit).and_guesses(guesses.unwrap_or(u64::MAX));
        let bounds = time.map_or(bounds, |time| bounds.and_time(time));
        let may_split = limit == 0 && guesses.is_none();
        Some(Counting { kind, engine: kind.build_any_shape()?, bounds, time, may_split })
    }

    fn count(&mut self, grid: &Grid, stop: &AtomicBool) -> Searched {
        if !self.may_split {
            return self.engine.search_until(grid, &self.bounds, stop, &mut |_| ControlFlow::Continue(()));
        }
        let deadline = self.time.and_then(|time| Instant::now().checked_add(time));
        let make = || self.kind.build_any_shape().expect("it was built before");
        count_split(grid, &mut *self.engine, &make, deadline, stop)
    }
}

impl Search<GridPuzzle> for Counting {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn search(
        &mut self,
        puzzles: &[GridPuzzle],
        _: SolutionLimit,
        outcomes: &mut [GridOutcome],
        stop: &AtomicBool,
    ) -> usize {
        one_by_one(puzzles, outcomes, |puzzle, outcome| {
            outcome.only_counted = true;
            self.count(&puzzle.grid, stop)
        })
    }
}

/// Searches one puzzle after the other, until a search is stopped. One reading of the clock ends a puzzle and
/// begins the next, so that the times add up to the whole.
fn one_by_one(
    puzzles: &[GridPuzzle],
    outcomes: &mut [GridOutcome],
    mut search: impl FnMut(&GridPuzzle, &mut GridOutcome) -> Searched,
) -> usize {
    let mut begun = Instant::now();
    for (index, (puzzle, outcome)) in puzzles.iter().zip(outcomes).enumerate() {
        *outcome = GridOutcome::NONE;
        let Searched { solutions, guesses, end } = search(puzzle, outcome);
        if end == End::Stopped {
            return index;
        }
        let ended = Instant::now();
        outcome.nanos = (ended - begun).as_nanos() as u64;
        (outcome.solutions, outcome.guesses, outcome.is_given_up) = (solutions, guesses, end == End::Budget);
        begun = ended;
    }
    puzzles.len()
}
