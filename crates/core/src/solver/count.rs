//! Solving within a budget, and counting solutions in place of solving: with one engine, with two, or those of one puzzle on
//! all threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::houses::{HouseMap, Used};
use super::{Bounds, Budget, GridLike, GridSolver, Outcome, SolutionLimit, Solvable, Solver};
use crate::grid::{Cell, Digit, Grid};

/// A solver that gives a puzzle up when its budget is spent.
///
/// ```
/// use gridmill_core::grid::{Grid, Shape};
/// use gridmill_core::solver::{BoundedSolver, Budget, SolutionLimit, Solver, SolverKind};
///
/// let puzzles = vec![Grid::empty(Shape::new(5, 5).unwrap()); 2];
/// let mut solver = BoundedSolver::new(SolverKind::Bitmask.build_any_shape(), Budget::of_guesses(10));
/// assert!(puzzles.iter().all(|blank| solver.solve(blank, SolutionLimit::FIRST).is_given_up));
/// ```
pub struct BoundedSolver<P: Solvable> {
    engine: Box<dyn GridSolver<P>>,
    budget: Budget,
}

impl<P: Solvable> BoundedSolver<P> {
    /// Returns a solver with that engine, and a budget for each puzzle.
    #[must_use]
    pub fn new(engine: Box<dyn GridSolver<P>>, budget: Budget) -> BoundedSolver<P> {
        BoundedSolver { engine, budget }
    }
}

impl<P: Solvable> Solver<P> for BoundedSolver<P> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn solve_until(
        &mut self,
        puzzles: &[P],
        limit: SolutionLimit,
        outcomes: &mut [Outcome<P::Solution>],
        stop: &AtomicBool,
    ) -> usize {
        let bounds = Bounds::solutions(limit.get().into()).and_budget(self.budget);
        self.engine.solve_within(puzzles, &bounds, outcomes, stop)
    }
}

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
/// let mut counter = StagedCounter::new(SolverKind::Lockstep.build(), SolutionLimit::UNIQUENESS, Box::new(count));
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
    /// Returns a counter that searches with `first` for so many solutions, two or more, and counts the solutions of puzzles
    /// with as many with `count`, whose limit is its own. More than two are for a second engine that is quicker where a
    /// puzzle is alone, but slower in batches.
    #[must_use]
    pub fn new(
        first: Box<dyn Solver<P>>,
        limit: SolutionLimit,
        count: Box<dyn Solver<P>>,
    ) -> StagedCounter<P> {
        StagedCounter { first, count, limit, several: Vec::new(), places: Vec::new(), counted: Vec::new() }
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
/// let mut counter = SplitCounter::new(make(), Box::new(make), None);
/// assert_eq!(counter.solve(&blank, SolutionLimit::FIRST).solutions, 288);
/// ```
pub struct SplitCounter<P: GridLike> {
    engine: Box<dyn GridSolver<P>>,
    make: Box<Make>,
    time: Option<Duration>,
}

impl<P: GridLike> SplitCounter<P> {
    /// Returns a counter that uses `engine` for what one thread can count, and makes others for the parts of
    /// longer searches. A puzzle is given up after so much time.
    #[must_use]
    pub fn new(engine: Box<dyn GridSolver<P>>, make: Box<Make>, time: Option<Duration>) -> SplitCounter<P> {
        SplitCounter { engine, make, time }
    }
}

/// Counts every solution, whatever the limit.
impl<P: GridLike> Solver<P> for SplitCounter<P> {
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
        let bounds = Bounds { guesses: PATIENCE, time: self.time.unwrap_or(Duration::MAX), ..Bounds::ALL };
        let searched = self.engine.count_until(puzzles, &bounds, outcomes, stop);
        for (index, (puzzle, outcome)) in puzzles[..searched].iter().zip(outcomes).enumerate() {
            if !is_split(outcome, PATIENCE) {
                continue;
            }
            let left = self.time.map(|time| time.saturating_sub(Duration::from_nanos(outcome.nanos)));
            let deadline = left.and_then(|left| Instant::now().checked_add(left));
            let count = SplitCount { make: &*self.make, deadline, stop };
            if !count.is_late() && !count.run_parts(puzzle, PATIENCE * MORE, outcome) {
                return index;
            }
        }
        searched
    }

    fn only_counts(&self) -> bool {
        true
    }
}

/// A count of puzzles and their parts, up to a deadline.
struct SplitCount<'a> {
    make: &'a Make,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
}

/// Returns whether a search made all the guesses that it was allowed, so that its parts are searched; else it was late.
fn is_split<S>(outcome: &Outcome<S>, patience: u64) -> bool {
    outcome.is_given_up && outcome.guesses >= patience
}

impl SplitCount<'_> {
    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Counts puzzles; those that take too many guesses are counted by their parts. Returns false if the
    /// search was stopped.
    fn run<P: GridLike>(
        &self,
        puzzles: &[P],
        patience: u64,
        engine: &mut dyn GridSolver<P>,
        outcomes: &mut [Outcome<P::Solution>],
    ) -> bool {
        let bounds = Bounds { guesses: patience, deadline: self.deadline, ..Bounds::ALL };
        // After the deadline the count so far stays: its parts would find nothing.
        engine.count_until(puzzles, &bounds, outcomes, self.stop) == puzzles.len()
            && puzzles.iter().zip(outcomes).all(|(puzzle, outcome)| {
                !is_split(outcome, patience)
                    || self.is_late()
                    || self.run_parts(puzzle, patience.saturating_mul(MORE), outcome)
            })
    }

    /// Counts a puzzle by its parts. Returns false if the search was stopped.
    fn run_parts<P: GridLike>(&self, puzzle: &P, patience: u64, outcome: &mut Outcome<P::Solution>) -> bool {
        let begun = Instant::now();
        let clues = puzzle.clues();
        let grid = Grid::of(clues.shape, clues.cells).expect("a puzzle has the cells of its shape");
        let (parts, guesses) = split(grid);
        let count = |engine: &mut Box<dyn GridSolver>, parts: &[Grid]| {
            let _guard = StopOnPanic(self.stop);
            let mut outcomes = vec![Outcome::NONE; parts.len()];
            let went = self.run(parts, patience, &mut **engine, &mut outcomes);
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
