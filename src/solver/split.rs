//! One puzzle with very many solutions, counted by all threads.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::houses::{HouseMap, Used};
use super::{Bounds, GridBatch, GridOutcome, GridSolver};
use crate::grid::{Digit, Grid};

/// Guesses after which a search is split, and so many times more those of its parts.
const PATIENCE: u64 = 1 << 15;
const MORE: u64 = 16;

/// Puzzles that a search is split into, at least, if there are so many.
const PARTS: usize = 256;

/// Puzzles that are counted together by one thread.
const TOGETHER: usize = 64;

/// Counts all solutions of puzzles, each within `time`, on the threads of the current rayon pool. Returns how
/// many of the outcomes hold: all, unless `stop` became true.
///
/// A search that takes many guesses is given up for searches of a few hundred puzzles with more clues,
/// the first cells tried breadth-first; these may be split again. What is split depends on guesses alone,
/// so that the answer, guesses included, is the same for any number of threads. Guesses of searches that
/// were given up do not count, those by which they were split do.
///
/// `engine` does what one thread can do, others are made for the parts.
///
/// ```
/// use gridmill::grid::{Grid, Shape};
/// use gridmill::solver::{GridOutcome, SolverKind, count_split};
///
/// let make = || SolverKind::Bitmask.build_any_shape();
/// let blank = Grid::empty(Shape::new(2, 2).unwrap());
/// let mut outcomes = [GridOutcome::NONE];
/// count_split(&[&blank], &mut *make(), &make, None, &Default::default(), &mut outcomes);
/// assert_eq!(outcomes[0].solutions, 288);
/// ```
pub fn count_split(
    grids: &[&Grid],
    engine: &mut dyn GridSolver,
    make: &(dyn Fn() -> Box<dyn GridSolver> + Sync),
    time: Option<Duration>,
    stop: &AtomicBool,
    outcomes: &mut [GridOutcome],
) -> usize {
    // The clock of a puzzle starts with its search, so with time to keep they come one by one.
    let together = if time.is_some() { 1 } else { grids.len().max(1) };
    for (index, (grids, outcomes)) in grids.chunks(together).zip(outcomes.chunks_mut(together)).enumerate() {
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        if !(Terms { make, deadline, stop }).count(grids, PATIENCE, engine, outcomes) {
            return index * together;
        }
    }
    grids.len()
}

/// What stays the same from part to part.
struct Terms<'a> {
    make: &'a (dyn Fn() -> Box<dyn GridSolver> + Sync),
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
}

impl Terms<'_> {
    fn bounds(&self, patience: u64) -> Bounds {
        let bounds = Bounds::ALL.and_guesses(patience);
        self.deadline
            .map_or(bounds, |deadline| bounds.and_time(deadline.saturating_duration_since(Instant::now())))
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// False if the search was stopped.
    fn count(
        &self,
        grids: &[&Grid],
        patience: u64,
        engine: &mut dyn GridSolver,
        outcomes: &mut [GridOutcome],
    ) -> bool {
        let bounds = self.bounds(patience);
        let batch = GridBatch { grids, bounds, keeps_solutions: false, stop: self.stop };
        engine.solve_batch(&batch, outcomes) == grids.len()
            && grids.iter().zip(outcomes).all(|(grid, outcome)| {
                !outcome.is_given_up
                    || self.is_late()
                    || self.count_parts(grid, patience.saturating_mul(MORE), outcome)
            })
    }

    /// Counts a puzzle by its parts. False if the search was stopped.
    fn count_parts(&self, grid: &Grid, patience: u64, outcome: &mut GridOutcome) -> bool {
        let begun = Instant::now();
        let (parts, guesses) = split(grid);
        let parts: Vec<&Grid> = parts.iter().collect();
        let nothing = || GridOutcome { only_counted: true, ..GridOutcome::NONE };
        let count = |engine: &mut Box<dyn GridSolver>, parts: &[&Grid]| {
            let mut outcomes = vec![GridOutcome::NONE; parts.len()];
            let went = self.count(parts, patience, &mut **engine, &mut outcomes);
            (went, outcomes.iter().fold(nothing(), add))
        };
        let (went, sum) = parts
            .par_chunks(TOGETHER)
            .map_init(self.make, count)
            .reduce(|| (true, nothing()), |(a, one), (b, other)| (a && b, add(one, &other)));
        let nanos = outcome.nanos + begun.elapsed().as_nanos() as u64;
        *outcome = GridOutcome { guesses: sum.guesses + guesses, nanos, ..sum };
        went
    }
}

/// Two parts together.
fn add(one: GridOutcome, other: &GridOutcome) -> GridOutcome {
    GridOutcome {
        solutions: one.solutions + other.solutions,
        guesses: one.guesses + other.guesses,
        is_given_up: one.is_given_up || other.is_given_up,
        ..one
    }
}

/// Puzzles that share out the solutions of one, and the guesses that they were made by.
fn split(grid: &Grid) -> (Vec<Grid>, u64) {
    let map = HouseMap::new(grid.shape());
    let (mut parts, mut guesses) = (vec![grid.clone()], 0);
    while parts.len() < PARTS {
        let tried: Vec<Vec<Grid>> = parts.iter().map(|part| try_cell(part, &map)).collect();
        guesses += tried.iter().map(|choices| choices.len().saturating_sub(1) as u64).sum::<u64>();
        let tried = tried.concat();
        if tried == parts {
            break;
        }
        parts = tried;
    }
    (parts, guesses)
}

/// The puzzle with each candidate of its most constrained blank; as it is if it has none.
fn try_cell(grid: &Grid, map: &HouseMap) -> Vec<Grid> {
    let mut used = Used::NONE;
    // They don't contradict each other: a search has gone on from them, or a candidate was added.
    used.add_clues(map, grid.cells());
    let candidates = |cell: usize| used.around(map.of(cell)).complement(map.side());
    let blanks = (0..grid.cells().len()).filter(|&cell| grid.cells()[cell] == 0);
    let Some(cell) = blanks.min_by_key(|&cell| candidates(cell).len()) else { return vec![grid.clone()] };
    let with = |digit: Digit| {
        let mut cells = grid.cells().to_vec();
        cells[cell] = digit.get();
        Grid::new(grid.shape(), cells).expect("a digit of the shape")
    };
    let possible = candidates(cell);
    Digit::all(map.side()).filter(|&digit| possible.contains(digit)).map(with).collect()
}
