//! Counting solutions with two engines, or those of one puzzle on all threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::houses::{HouseMap, Used};
use super::{Bounds, GridLike, GridSolver, Outcome, Request, SolutionLimit, Solvable, Solver};
use crate::grid::{Cell, Digit, Grid};

/// A solver that searches every puzzle for up to two solutions with one engine, and counts those of puzzles with several
/// with another. So a puzzle with one solution or none takes the guesses that proving this takes the first engine.
///
/// Guesses of a puzzle with several solutions are those of the count alone, its time is that of both searches.
///
/// ```
/// use gridmill_core::grid::Puzzle;
/// use gridmill_core::solver::{SolutionLimit, Solver, SolverKind, StagedCounter};
///
/// let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let puzzle: Puzzle = line.parse().unwrap();
/// let (first, count) = (SolverKind::Lockstep.build(), SolverKind::Bitmask.build());
/// let mut counter = StagedCounter::new(first, SolutionLimit::UNIQUENESS, count);
/// let guesses = SolverKind::Lockstep.build().solve(&puzzle, SolutionLimit::UNIQUENESS).guesses;
/// let outcome = counter.solve(&puzzle, SolutionLimit::new(100).unwrap());
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
    /// Returns a counter that searches with `first` for so many solutions, two or more, and counts the solutions of puzzles
    /// with as many with `count`, as requested. More than two are for a second engine that is quicker where a puzzle is
    /// alone, but slower in batches.
    #[must_use]
    pub fn new(
        first: Box<dyn Solver<P>>,
        limit: SolutionLimit,
        count: Box<dyn Solver<P>>,
    ) -> StagedCounter<P> {
        StagedCounter { first, count, limit, several: Vec::new(), places: Vec::new(), counted: Vec::new() }
    }
}

/// Keeps no solution of a puzzle that the second engine counts.
impl<P: Solvable + Clone + Send> Solver<P> for StagedCounter<P> {
    fn name(&self) -> &'static str {
        self.first.name()
    }

    fn solve_until(&mut self, puzzles: &[P], request: &Request, found: &mut [Outcome<P::Solution>]) -> usize {
        let limit = self.limit.get().into();
        let bounds = Bounds { solutions: limit, ..request.bounds };
        let first = Request { bounds, keeps_solutions: true, ..*request };
        let searched = self.first.solve_until(puzzles, &first, found);
        self.places.clear();
        self.places.extend((0..searched).filter(|&place| found[place].solutions >= limit));
        self.several.clear();
        self.several.extend(self.places.iter().map(|&place| puzzles[place].clone()));
        self.counted.resize(self.several.len(), Outcome::NONE);
        let request = Request { keeps_solutions: false, ..*request };
        let counted = self.count.solve_until(&self.several, &request, &mut self.counted);
        for (&place, count) in self.places[..counted].iter().zip(&mut self.counted) {
            count.nanos += found[place].nanos;
            found[place] = std::mem::replace(count, Outcome::NONE);
        }
        self.places.get(counted).copied().unwrap_or(searched)
    }
}

/// Guesses after which a search is split, and how many times as many a part of it may make.
const PATIENCE: u64 = 1 << 15;
const MORE: u64 = 16;

/// The least number of puzzles that a search is split into, if there are so many.
const PARTS: usize = 256;

/// Puzzles that are counted together by one thread.
const TOGETHER: usize = 64;

/// Makes an engine for a thread.
type Make = dyn Fn() -> Box<dyn GridSolver> + Send + Sync;

/// A solver that counts all solutions of every puzzle, and splits long searches over the threads of the
/// current rayon pool.
///
/// A search that takes many guesses is replaced by searches of a few hundred puzzles with more clues, the
/// first cells tried breadth-first; these may be split again. Splits depend on guesses alone, so that the
/// answer, guesses included, is the same for any number of threads. Guesses of replaced searches do not
/// count, those of the split do.
///
/// ```
/// use gridmill_core::grid::{Grid, Shape};
/// use gridmill_core::solver::{SolutionLimit, Solver, SolverKind, SplitCounter};
///
/// let blank = Grid::empty(Shape::new(2, 2).unwrap());
/// let make = || SolverKind::Bitmask.build_any_shape();
/// let mut counter = SplitCounter::new(make(), Box::new(make));
/// assert_eq!(counter.solve(&blank, SolutionLimit::FIRST).solutions, 288);
/// ```
pub struct SplitCounter<P: GridLike> {
    engine: Box<dyn GridSolver<P>>,
    make: Box<Make>,
}

impl<P: GridLike> SplitCounter<P> {
    /// Returns a counter that uses `engine` for what one thread can count, and makes others for the parts of
    /// longer searches.
    #[must_use]
    pub fn new(engine: Box<dyn GridSolver<P>>, make: Box<Make>) -> SplitCounter<P> {
        SplitCounter { engine, make }
    }
}

/// Counts every solution, whatever the limit, and keeps none. Of the bounds, only the time of each puzzle holds.
impl<P: GridLike> Solver<P> for SplitCounter<P> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn solve_until(&mut self, puzzles: &[P], request: &Request, found: &mut [Outcome<P::Solution>]) -> usize {
        let Request { bounds: Bounds { time, .. }, stop, .. } = *request;
        let count = SplitCount { make: &*self.make, time, deadline: None, stop };
        count.run(puzzles, PATIENCE, &mut *self.engine, found)
    }
}

/// A count of puzzles, each within a time, or of the parts of a puzzle, up to a deadline.
struct SplitCount<'a> {
    make: &'a Make,
    time: Duration,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
}

impl SplitCount<'_> {
    /// Counts puzzles; those that take too many guesses are counted by their parts. Returns how many were counted: all of
    /// them, unless the count was stopped.
    fn run<P: GridLike>(
        &self,
        puzzles: &[P],
        patience: u64,
        engine: &mut dyn GridSolver<P>,
        found: &mut [Outcome<P::Solution>],
    ) -> usize {
        let SplitCount { time, deadline, stop, .. } = *self;
        let bounds = Bounds { guesses: patience, time, deadline, ..Bounds::ALL };
        let request = Request { bounds, keeps_solutions: false, stop };
        let counted = engine.solve_until(puzzles, &request, found);
        for (index, (puzzle, outcome)) in puzzles[..counted].iter().zip(found).enumerate() {
            // A search that made fewer guesses than it was allowed was late.
            let is_split = outcome.is_given_up && outcome.guesses >= patience;
            if is_split && !self.run_parts(puzzle, patience.saturating_mul(MORE), outcome) {
                return index;
            }
        }
        counted
    }

    /// Counts a puzzle by its parts. Returns false if the search was stopped.
    fn run_parts<P: GridLike>(&self, puzzle: &P, patience: u64, outcome: &mut Outcome<P::Solution>) -> bool {
        let begun = Instant::now();
        let left = self.time.saturating_sub(Duration::from_nanos(outcome.nanos));
        let deadline = self.deadline.or_else(|| begun.checked_add(left));
        if deadline.is_some_and(|deadline| begun >= deadline) {
            // The count so far stays: its parts would find nothing.
            return true;
        }
        let of_parts = SplitCount { time: Duration::MAX, deadline, ..*self };
        let clues = puzzle.clues();
        let grid = Grid::of(clues.shape, clues.cells).expect("a puzzle has the cells of its shape");
        let (parts, guesses) = split(grid);
        let count = |engine: &mut Box<dyn GridSolver>, parts: &[Grid]| {
            let _guard = StopOnPanic(self.stop);
            let mut outcomes = vec![Outcome::NONE; parts.len()];
            let went = of_parts.run(parts, patience, &mut **engine, &mut outcomes) == parts.len();
            (went, outcomes.iter().fold(Outcome::NONE, add))
        };
        let (went, sum) = parts
            .par_chunks(TOGETHER)
            .map_init(self.make, count)
            .reduce(|| (true, Outcome::NONE), |(a, one), (b, other)| (a && b, add(one, &other)));
        let nanos = outcome.nanos + begun.elapsed().as_nanos() as u64;
        let Outcome { solutions, is_given_up, .. } = sum;
        *outcome = Outcome { solutions, guesses: sum.guesses + guesses, nanos, is_given_up, ..Outcome::NONE };
        went
    }
}

/// Ends the searches of other parts where that of one panics: the panic goes on only when all have ended.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Adds the outcomes of two parts.
fn add(one: Outcome<Grid>, other: &Outcome<Grid>) -> Outcome<Grid> {
    Outcome {
        solutions: one.solutions + other.solutions,
        guesses: one.guesses + other.guesses,
        is_given_up: one.is_given_up || other.is_given_up,
        ..one
    }
}

/// Splits a puzzle into puzzles that share its solutions, and returns them with the guesses made.
fn split(grid: Grid) -> (Vec<Grid>, u64) {
    let map = HouseMap::new(grid.shape());
    let (mut parts, mut guesses) = (vec![grid], 0);
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

/// Returns the puzzle with each candidate of its most constrained blank; unchanged if it has no blank.
fn try_cell(grid: &Grid, map: &HouseMap) -> Vec<Grid> {
    let mut used = Used::default();
    // The clues don't contradict each other: they were searched before, or one was added that was a
    // candidate.
    used.add_clues(map, grid.cells());
    let candidates = |cell: usize| used.around(map.of(cell)).complement(map.side());
    let blanks = (0..grid.cells().len()).filter(|&cell| grid.cells()[cell] == 0);
    let Some(cell) = blanks.min_by_key(|&cell| candidates(cell).len()) else { return vec![grid.clone()] };
    let possible = Digit::all(map.side()).filter(|&digit| candidates(cell).contains(digit));
    possible.map(|digit| grid.narrowed(Cell::new(cell), digit)).collect()
}
