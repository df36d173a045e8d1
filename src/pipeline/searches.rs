//! The engines as workers use them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::Search;
use crate::grid::{Grid, Pencilmarks, Puzzle};
use crate::solver::{
    Bounds, GridBatch, GridOutcome, GridSolver, Outcome, PencilmarkBitmask, SolutionLimit, Solver,
    count_split,
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

/// Puzzles of any shape: up to the limit, the first solution kept.
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
        let grids: Vec<&Grid> = puzzles.iter().map(|puzzle| &puzzle.grid).collect();
        let batch = GridBatch { grids: &grids, bounds: limit.into(), keeps_solutions: true, stop };
        self.solve_batch(&batch, outcomes)
    }
}

/// Counts the solutions of puzzles of any shape, within bounds.
pub struct Counting {
    make: Box<dyn Fn() -> Box<dyn GridSolver> + Send + Sync>,
    engine: Box<dyn GridSolver>,
    bounds: Bounds,
    time: Option<Duration>,
    may_split: bool,
}

impl Counting {
    /// Counts up to a number of solutions, 0 for all of them. A puzzle is given up after so many guesses, or
    /// so much time. Where there is neither limit nor budget of guesses, a search that takes long is split
    /// over all threads: a count with an end must come to the same end on any number of threads, and goes in
    /// order.
    #[must_use]
    pub fn new(
        make: Box<dyn Fn() -> Box<dyn GridSolver> + Send + Sync>,
        limit: u64,
        guesses: Option<u64>,
        time: Option<Duration>,
    ) -> Counting {
        let bounds = bounds_of_count(limit, guesses, time);
        let may_split = limit == 0 && guesses.is_none();
        Counting { engine: make(), make, bounds, time, may_split }
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
        let grids: Vec<&Grid> = puzzles.iter().map(|puzzle| &puzzle.grid).collect();
        if self.may_split {
            return count_split(&grids, &mut *self.engine, &*self.make, self.time, stop, outcomes);
        }
        // The clock of a puzzle starts with its search, so with time to keep they come one by one.
        let together = if self.time.is_some() { 1 } else { grids.len().max(1) };
        let mut counted = 0;
        for (grids, outcomes) in grids.chunks(together).zip(outcomes.chunks_mut(together)) {
            let batch = GridBatch { grids, bounds: self.bounds, keeps_solutions: false, stop };
            counted += self.engine.solve_batch(&batch, outcomes);
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        counted
    }
}

fn bounds_of_count(limit: u64, guesses: Option<u64>, time: Option<Duration>) -> Bounds {
    let bounds = Bounds::solutions(limit).and_guesses(guesses.unwrap_or(u64::MAX));
    time.map_or(bounds, |time| bounds.and_time(time))
}

/// Grids of candidates, one by one: solved or counted.
#[derive(Debug, Default)]
pub struct SearchMarks {
    engine: PencilmarkBitmask,
    /// Those of a count.
    bounds: Option<Bounds>,
}

impl SearchMarks {
    /// Searches up to the limit of the run, and keeps the first solution.
    #[must_use]
    pub fn new() -> SearchMarks {
        SearchMarks::default()
    }

    /// Counts as [`Counting`] does, but a puzzle is counted by one thread always.
    #[must_use]
    pub fn counting(limit: u64, guesses: Option<u64>, time: Option<Duration>) -> SearchMarks {
        SearchMarks { bounds: Some(bounds_of_count(limit, guesses, time)), ..SearchMarks::default() }
    }
}

impl Search<Pencilmarks> for SearchMarks {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn search(
        &mut self,
        puzzles: &[Pencilmarks],
        limit: SolutionLimit,
        outcomes: &mut [GridOutcome],
        stop: &AtomicBool,
    ) -> usize {
        let (bounds, keeps_solutions) = (self.bounds.unwrap_or(limit.into()), self.bounds.is_none());
        self.engine.solve_batch(puzzles, &bounds, keeps_solutions, stop, outcomes)
    }
}
