//! Counting solutions with two engines, or counting those of one puzzle on all threads.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rayon::Scope;
use rayon::prelude::*;

use super::houses::{HouseMap, Used};
use super::{Bounds, CluePuzzle, Outcome, Request, SolutionEngine, SolutionLimit, Solvable, Solver};
use crate::grid::{Cell, Digit, Grid};

/// A solver with two engines. It searches every puzzle with the first one, up to a number of solutions, and counts
/// the solutions of puzzles that reach this number with the second one. All other puzzles have the guesses of the
/// first engine alone.
///
/// For a puzzle that reaches the number, the guesses are those of the count alone, and the time is that of both
/// searches.
///
/// ```
/// use gridmill_core::grid::Puzzle;
/// use gridmill_core::solver::{EngineKind, SolutionLimit, Solver, StagedCounter};
///
/// let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let puzzle: Puzzle = line.parse().unwrap();
/// let (first, count) = (EngineKind::Lockstep.build(), EngineKind::Bitmask.build());
/// let mut counter = StagedCounter::new(first, SolutionLimit::UNIQUENESS, count);
/// let guesses = EngineKind::Lockstep.build().solve(&puzzle, SolutionLimit::UNIQUENESS).guesses;
/// let outcome = counter.solve(&puzzle, SolutionLimit::new(100).unwrap());
/// assert_eq!((outcome.solutions, outcome.guesses), (1, guesses));
/// ```
pub struct StagedCounter<P: Solvable> {
    first: Box<dyn Solver<P>>,
    count: Box<dyn Solver<P>>,
    /// The number of solutions up to which the first engine searches.
    limit: SolutionLimit,
    /// The puzzles that reached this number.
    at_limit: Vec<P>,
    /// Their places in the batch.
    places: Vec<usize>,
    /// The outcomes of the second engine for them.
    counted: Vec<Outcome<P::Solution>>,
}

impl<P: Solvable> StagedCounter<P> {
    /// Makes a counter that searches with `first` for up to `limit` solutions, at least two. If a puzzle has
    /// that many, `count` counts them as requested. Choose a limit above two if the second engine is faster
    /// with single puzzles, but slower with batches.
    #[must_use]
    pub fn new(
        first: Box<dyn Solver<P>>,
        limit: SolutionLimit,
        count: Box<dyn Solver<P>>,
    ) -> StagedCounter<P> {
        StagedCounter { first, count, limit, at_limit: Vec::new(), places: Vec::new(), counted: Vec::new() }
    }
}

/// It keeps no solution of a puzzle that the second engine counts.
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
        self.at_limit.clear();
        self.at_limit.extend(self.places.iter().map(|&place| puzzles[place].clone()));
        self.counted.resize(self.at_limit.len(), Outcome::NONE);
        let request = Request { keeps_solutions: false, ..*request };
        let counted = self.count.solve_until(&self.at_limit, &request, &mut self.counted);
        for (&place, count) in self.places[..counted].iter().zip(&mut self.counted) {
            count.nanos += found[place].nanos;
            found[place] = std::mem::replace(count, Outcome::NONE);
        }
        let Some(&unfinished) = self.places.get(counted) else { return searched };
        // The solutions found before the stop are a lower bound.
        found[unfinished].solutions = found[unfinished].solutions.max(self.counted[counted].solutions);
        unfinished
    }
}

/// How many guesses a search may make before it is split.
const PATIENCE: u64 = 1 << 15;
/// In a count of all solutions, each part of a split may make this many times the guesses that were allowed before it.
const PATIENCE_FACTOR: u64 = 16;

/// The least number of puzzles that a search is split into, unless it can't be split into that many.
const MIN_PARTS: usize = 256;

/// The number of puzzles that one thread counts together.
const PARTS_TOGETHER: usize = 64;

/// If a count has a limit, a part is split after limit / `LIMIT_SHARE` guesses, but at least [`PATIENCE`] and at most
/// `PATIENCE * PATIENCE_FACTOR`. (A solution takes about one guess, so the limit stands for the guesses that reaching it
/// takes.) After more guesses, a split would waste more work; after fewer, more parts would be split.
const LIMIT_SHARE: u64 = 32;

/// If a count has a limit, each level of parts gets half as many guesses, down to [`PATIENCE`]. More halvings than this
/// change nothing; the bound keeps the shift in range.
const MAX_HALVINGS: usize = 16;

/// Makes an engine for a thread.
type MakeEngine = dyn Fn() -> Box<dyn SolutionEngine> + Send + Sync;

/// A solver that counts all solutions of every puzzle, or up to a limit, and splits long searches over the
/// threads of the current rayon pool.
///
/// If a search takes too many guesses, it is replaced by searches of a few hundred puzzles with more clues,
/// which result from trying the first cells breadth-first. These may be split again. Splits depend on guesses
/// alone, so that the answer (including guesses) is the same for any number of threads. Guesses of replaced
/// searches are not counted, but those of the split are. If there is a limit, parts are added up in the order
/// in which the split made them, up to the part that reaches the limit, so that it does not matter which
/// thread finished first.
///
/// ```
/// use gridmill_core::grid::{Grid, Shape};
/// use gridmill_core::solver::{EngineKind, SolutionLimit, Solver, SplitCounter};
///
/// let blank = Grid::empty(Shape::new(2, 2).unwrap());
/// let make = || EngineKind::Bitmask.build_any_shape();
/// let mut counter = SplitCounter::new(make(), Box::new(make));
/// assert_eq!(counter.solve(&blank, SolutionLimit::FIRST).solutions, 288);
/// ```
pub struct SplitCounter<P: CluePuzzle> {
    engine: Box<dyn SolutionEngine<P>>,
    make: Box<MakeEngine>,
    patience: u64,
    is_limited: bool,
}

impl<P: CluePuzzle> SplitCounter<P> {
    /// Makes a counter that uses `engine` for searches that one thread can do, and `make` to create engines
    /// for the parts of longer searches.
    #[must_use]
    pub fn new(engine: Box<dyn SolutionEngine<P>>, make: Box<MakeEngine>) -> SplitCounter<P> {
        SplitCounter { engine, make, patience: PATIENCE, is_limited: false }
    }

    /// Sets the number of guesses after which the search of a puzzle is split. A small number is good for an
    /// engine that is slow with a single puzzle, because it then answers only the easy ones.
    #[must_use]
    pub fn with_patience(self, guesses: u64) -> SplitCounter<P> {
        SplitCounter { patience: guesses, ..self }
    }

    /// Ends the count of each puzzle at the limit of the request. Without this, all solutions are counted.
    ///
    /// ```
    /// use gridmill_core::grid::{Grid, Shape};
    /// use gridmill_core::solver::{EngineKind, SolutionLimit, Solver, SplitCounter};
    ///
    /// let blank = Grid::empty(Shape::new(2, 3).unwrap());
    /// let make = || EngineKind::Bitmask.build_any_shape();
    /// let mut counter = SplitCounter::new(make(), Box::new(make)).up_to_limit();
    /// assert_eq!(counter.solve(&blank, SolutionLimit::new(50_000).unwrap()).solutions, 50_000);
    /// ```
    #[must_use]
    pub fn up_to_limit(self) -> SplitCounter<P> {
        SplitCounter { is_limited: true, ..self }
    }
}

/// It keeps no solution. It respects the time limit of each puzzle, and the limit of solutions if
/// [`SplitCounter::up_to_limit`] asked for it.
impl<P: CluePuzzle> Solver<P> for SplitCounter<P> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn solve_until(&mut self, puzzles: &[P], request: &Request, found: &mut [Outcome<P::Solution>]) -> usize {
        let Request { bounds: Bounds { time, solutions, .. }, stop, .. } = *request;
        let limit = if self.is_limited { solutions } else { u64::MAX };
        let count = SplitCount { make: &*self.make, time, limit, deadline: None, stop };
        count.run(puzzles, self.patience, &mut *self.engine, found)
    }
}

/// A count of puzzles, each within a time limit, or of the parts of one puzzle, within a deadline.
struct SplitCount<'a> {
    make: &'a MakeEngine,
    time: Duration,
    limit: u64,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
}

impl SplitCount<'_> {
    /// Counts puzzles. If one takes too many guesses, its parts are counted. Returns how many puzzles were
    /// counted, which is all of them unless the count was stopped.
    fn run<P: CluePuzzle>(
        &self,
        puzzles: &[P],
        patience: u64,
        engine: &mut dyn SolutionEngine<P>,
        found: &mut [Outcome<P::Solution>],
    ) -> usize {
        let SplitCount { time, limit, deadline, stop, .. } = *self;
        let bounds = Bounds { guesses: patience, time, deadline, solutions: limit };
        let request = Request { bounds, keeps_solutions: false, stop };
        let counted = engine.solve_until(puzzles, &request, found);
        for (index, (puzzle, outcome)) in puzzles[..counted].iter().zip(found).enumerate() {
            // If a search was given up after fewer guesses than it was allowed, its time was over.
            let is_split = outcome.is_given_up && outcome.guesses >= patience;
            if is_split
                && !self.run_parts(puzzle, patience.max(PATIENCE).saturating_mul(PATIENCE_FACTOR), outcome)
            {
                return index;
            }
        }
        counted
    }

    /// Counts a puzzle by its parts. Returns false if the search was stopped. If it was stopped or time ran
    /// out, the outcome is what was found so far. If that is less than what the search before the split found, because
    /// the parts start from the beginning, the earlier number is kept.
    fn run_parts<P: CluePuzzle>(
        &self,
        puzzle: &P,
        patience: u64,
        outcome: &mut Outcome<P::Solution>,
    ) -> bool {
        let begun = Instant::now();
        let left = self.time.saturating_sub(Duration::from_nanos(outcome.nanos));
        let deadline = self.deadline.or_else(|| begun.checked_add(left));
        if deadline.is_some_and(|deadline| begun >= deadline) {
            // The previous count is kept, because the parts would have no time to find anything.
            return true;
        }
        let of_parts = SplitCount { time: Duration::MAX, deadline, ..*self };
        let clues = puzzle.clues();
        let grid = Grid::from_cells(clues.shape, clues.cells).expect("a puzzle has the cells of its shape");
        let (completed, sum) = match self.limit {
            u64::MAX => of_parts.count_parts(grid, patience),
            _ => of_parts.count_in_order(grid),
        };
        let nanos = outcome.nanos + begun.elapsed().as_nanos() as u64;
        let Outcome { mut solutions, guesses, is_given_up, .. } = sum;
        if is_given_up || !completed {
            solutions = solutions.max(outcome.solutions);
        }
        *outcome = Outcome { solutions, guesses, nanos, is_given_up, ..Outcome::NONE };
        completed
    }

    /// Counts all solutions of a puzzle by its parts. Returns whether the search was completed, and the sum.
    fn count_parts(&self, grid: Grid, patience: u64) -> (bool, Outcome<Grid>) {
        let (parts, guesses) = split(grid);
        let count = |engine: &mut Box<dyn SolutionEngine>, parts: &[Grid]| {
            let _guard = StopOnPanic(self.stop);
            let mut outcomes = vec![Outcome::NONE; parts.len()];
            let completed = self.run(parts, patience, &mut **engine, &mut outcomes) == parts.len();
            (completed, outcomes.iter().fold(Outcome::NONE, add))
        };
        let (completed, sum) = parts
            .par_chunks(PARTS_TOGETHER)
            .map_init(self.make, count)
            .reduce(|| (true, Outcome::NONE), |(a, one), (b, other)| (a && b, add(one, &other)));
        (completed, Outcome { guesses: sum.guesses + guesses, ..sum })
    }

    /// Counts the solutions of a puzzle up to the limit, by its parts in their order. Each thread has a task
    /// that takes the first waiting part and then spawns itself again, so that threads which join later find
    /// work. If a part takes too many guesses, parts of its own replace it. A part is added to the sum when
    /// all parts before it have been. The part in which the limit is reached is searched once more, up to the
    /// limit, so that the answer does not depend on which later parts have been searched already.
    ///
    /// A part may make only a small share of the guesses that reaching the limit takes, because the guesses
    /// of a search that is split are lost.
    fn count_in_order(&self, grid: Grid) -> (bool, Outcome<Grid>) {
        let patience = (self.limit / LIMIT_SHARE).clamp(PATIENCE, PATIENCE * PATIENCE_FACTOR);
        let mut queue = PartQueue::default();
        queue.split(&[], Part { grid, guesses: 0 });
        let count =
            OrderedCount { count: self, patience, queue: Mutex::new(queue), engines: Mutex::default() };
        rayon::scope(|scope| count.spawn_tasks(scope));
        let queue = count.queue.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut sum = Outcome { solutions: queue.solutions, guesses: queue.guesses, ..Outcome::NONE };
        if queue.is_broken_off {
            // The sum has some of the solutions, from parts in any order.
            sum = queue.searched.values().map(|(_, found)| found).fold(sum, add);
            sum.is_given_up = sum.solutions < self.limit;
            sum.solutions = sum.solutions.min(self.limit);
            return (!self.stop.load(Ordering::Relaxed), sum);
        }
        let Some(last) = queue.last else { return (true, sum) };
        let left = self.limit - sum.solutions;
        let (completed, found) = self.search_to(&last.grid, left, u64::MAX, &mut *(self.make)());
        sum.guesses += last.guesses;
        (completed, add(sum, &found))
    }

    /// Searches a part for up to `solutions` solutions, with at most `guesses` guesses. Returns false if it
    /// was stopped.
    fn search_to(
        &self,
        grid: &Grid,
        solutions: u64,
        guesses: u64,
        engine: &mut dyn SolutionEngine,
    ) -> (bool, Outcome<Grid>) {
        let bounds = Bounds { solutions, guesses, time: self.time, deadline: self.deadline };
        let request = Request { bounds, keeps_solutions: false, stop: self.stop };
        let mut found = [Outcome::NONE];
        let searched = engine.solve_until(slice::from_ref(grid), &request, &mut found);
        let [found] = found;
        (searched == 1, found)
    }
}

/// A part of a puzzle, to be counted up to a limit.
struct Part {
    grid: Grid,
    /// The guesses that splits made and that are charged to this part: each split charges its first part, so that they
    /// are counted once.
    guesses: u64,
}

/// The place of a part, e.g. `[3, 0]` for the first part of the fourth part. Places sort in the order of the
/// parts, so that a map of places keeps this order.
type PartPath = Vec<u16>;

/// The parts of a puzzle, and the sum of those that are done.
#[derive(Default)]
struct PartQueue {
    /// Parts that no thread has taken yet.
    waiting: BTreeMap<PartPath, Part>,
    /// The places of parts that are being searched.
    taken: BTreeSet<PartPath>,
    /// Parts that have been searched, but come after others that have not.
    searched: BTreeMap<PartPath, (Part, Outcome<Grid>)>,
    /// The solutions of the parts that come before all of these.
    solutions: u64,
    /// The guesses of the parts that come before all of these.
    guesses: u64,
    /// The part in which the limit is reached.
    last: Option<Part>,
    /// Whether the count ends early, because it was stopped or time ran out.
    is_broken_off: bool,
    /// The number of tasks that search parts or are about to.
    tasks: usize,
}

impl PartQueue {
    /// Replaces a part by its parts.
    fn split(&mut self, place: &[u16], part: Part) {
        let (grids, guesses) = split(part.grid);
        for (index, grid) in grids.into_iter().enumerate() {
            let guesses = if index == 0 { part.guesses + guesses } else { 0 };
            let place = place.iter().copied().chain([index as u16]).collect();
            self.waiting.insert(place, Part { grid, guesses });
        }
    }

    /// Adds searched parts to the sum, in order, as long as no open part comes before them. The one that reaches the
    /// limit becomes `last`.
    fn advance(&mut self, limit: u64) {
        let open = [self.waiting.keys().next(), self.taken.first()].into_iter().flatten().min().cloned();
        while let Some(first) = self.searched.first_entry()
            && open.as_ref().is_none_or(|open| first.key() < open)
        {
            let (part, found) = first.remove();
            if found.solutions >= limit - self.solutions {
                self.last = Some(part);
                self.waiting.clear();
                return;
            }
            self.solutions += found.solutions;
            self.guesses += part.guesses + found.guesses;
        }
    }
}

/// A count up to a limit, with parts that all threads search.
struct OrderedCount<'a> {
    count: &'a SplitCount<'a>,
    /// The number of guesses after which a part of the puzzle is split.
    patience: u64,
    queue: Mutex<PartQueue>,
    /// Engines that no task is using.
    engines: Mutex<Vec<Box<dyn SolutionEngine>>>,
}

impl OrderedCount<'_> {
    /// Spawns tasks until each thread has one, as long as there are parts for them.
    fn spawn_tasks<'s>(&'s self, scope: &Scope<'s>) {
        let mut queue = lock(&self.queue);
        let most = rayon::current_num_threads().min(queue.tasks + queue.waiting.len());
        for _ in queue.tasks..most {
            queue.tasks += 1;
            scope.spawn(|scope| self.search_next(scope));
        }
    }

    /// Searches the first waiting part, and then spawns tasks for the next ones. It does not loop, so that
    /// threads which have become free take part.
    fn search_next<'s>(&'s self, scope: &Scope<'s>) {
        let _guard = StopOnPanic(self.count.stop);
        let taken = {
            let mut queue = lock(&self.queue);
            queue.tasks -= 1;
            let taken = queue.waiting.pop_first();
            queue.taken.extend(taken.as_ref().map(|(place, _)| place.clone()));
            taken
        };
        let Some((place, part)) = taken else { return };
        let mut engine = lock(&self.engines).pop().unwrap_or_else(self.count.make);
        // Parts of parts get half as many guesses, because each split on the way to the limit loses all of
        // them.
        let patience = (self.patience >> (place.len() - 1).min(MAX_HALVINGS)).max(PATIENCE);
        let (completed, found) = self.count.search_to(&part.grid, u64::MAX, patience, &mut *engine);
        lock(&self.engines).push(engine);
        let mut queue = lock(&self.queue);
        queue.taken.remove(&place);
        if queue.last.is_some() {
            return;
        }
        if found.is_given_up && found.guesses >= patience {
            queue.split(&place, part);
        } else {
            queue.is_broken_off |= !completed || found.is_given_up;
            queue.searched.insert(place, (part, found));
        }
        if queue.is_broken_off {
            queue.waiting.clear();
            return;
        }
        queue.advance(self.count.limit);
        drop(queue);
        self.spawn_tasks(scope);
    }
}

/// Locks a mutex even if an earlier holder panicked, because no holder can leave the value half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stops the searches of the other parts if that of one part panics, because the panic is passed on only when
/// all have ended.
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

/// Splits a puzzle into puzzles, so that each of its solutions is a solution of exactly one of them. Returns them with
/// the number of guesses that the split made.
fn split(grid: Grid) -> (Vec<Grid>, u64) {
    let map = HouseMap::new(grid.shape());
    let (mut parts, mut guesses) = (vec![grid], 0);
    while parts.len() < MIN_PARTS {
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

/// Makes one puzzle for each candidate of the most constrained blank. A puzzle without blanks is returned
/// unchanged.
fn try_cell(grid: &Grid, map: &HouseMap) -> Vec<Grid> {
    let mut used = Used::default();
    // The result is ignored, because the clues don't contradict each other: they were searched before, or one
    // was added that was a candidate.
    used.add_clues(map, grid.cells());
    let candidates = |cell: usize| used.around(map.houses(cell)).complement(map.side());
    let blanks = (0..grid.cells().len()).filter(|&cell| grid.cells()[cell] == 0);
    let Some(cell) = blanks.min_by_key(|&cell| candidates(cell).len()) else { return vec![grid.clone()] };
    let possible = Digit::all(map.side()).filter(|&digit| candidates(cell).contains(digit));
    possible.map(|digit| grid.narrowed(Cell::new(cell), digit)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::AtomicUsize;

    use super::*;
    use crate::grid::Shape;
    use crate::solver::{Bitmask, EngineKind, NEVER, SearchResult};

    fn engine() -> Box<dyn SolutionEngine> {
        EngineKind::Bitmask.build_any_shape()
    }

    fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
    }

    /// A 6x6 puzzle with some clues in the first row. It has 28,200,960 solutions, divided by 6 for the first
    /// clue, by 5 for the second and so on.
    fn six(clues: u8) -> Grid {
        let shape = Shape::new(2, 3).unwrap();
        let mut cells = vec![0; 36];
        (0..clues).for_each(|clue| cells[usize::from(clue)] = clue + 1);
        Grid::new(shape, cells).unwrap()
    }

    fn count(limit: u64, threads: usize, stop: &AtomicBool) -> (usize, Outcome<Grid>) {
        let mut counter = SplitCounter::new(engine(), Box::new(engine)).up_to_limit();
        let request = Request { bounds: Bounds::solutions(limit), keeps_solutions: false, stop };
        let mut found = [Outcome::NONE];
        let counted = on_threads(threads, || counter.solve_until(&[six(3)], &request, &mut found));
        let [found] = found;
        (counted, Outcome { nanos: 0, ..found })
    }

    #[test]
    fn limited_count_does_not_depend_on_threads() {
        let all = 28_200_960 / (6 * 5 * 4);
        for (limit, expected) in [(1, 1), (20_000, 20_000), (100_000, 100_000), (all, all), (all + 1, all)] {
            let one = count(limit, 1, &NEVER);
            assert_eq!((one.0, one.1.solutions, one.1.is_given_up), (1, expected, false));
            for threads in [2, 3] {
                assert_eq!(count(limit, threads, &NEVER), one, "{limit} on {threads} threads");
            }
        }
    }

    #[test]
    fn stopped_count_returns_a_lower_bound() {
        let (counted, found) = count(1_000_000, 2, &AtomicBool::new(true));
        assert_eq!((counted, found.solutions), (0, 0));
    }

    /// An engine whose first two searches, over all engines of this kind, wait for each other.
    struct Meeting<'a> {
        engine: Bitmask,
        arrived: &'a AtomicUsize,
        both: &'a Barrier,
    }

    impl SolutionEngine for Meeting<'_> {
        fn search_until(
            &mut self,
            puzzle: &Grid,
            bounds: &Bounds,
            stop: &AtomicBool,
            found: &mut dyn FnMut(&[u8]) -> std::ops::ControlFlow<()>,
        ) -> SearchResult {
            self.engine.search_until(puzzle, bounds, stop, found)
        }
    }

    impl Solver<Grid> for Meeting<'_> {
        fn name(&self) -> &'static str {
            "meeting"
        }

        fn solve_until(&mut self, grids: &[Grid], request: &Request, found: &mut [Outcome<Grid>]) -> usize {
            if self.arrived.fetch_add(1, Ordering::Relaxed) < 2 {
                self.both.wait();
            }
            self.engine.solve_until(grids, request, found)
        }
    }

    /// The test would wait forever if one thread had all parts.
    #[test]
    fn two_threads_take_part_in_a_count() {
        static ARRIVED: AtomicUsize = AtomicUsize::new(0);
        static BOTH: std::sync::LazyLock<Barrier> = std::sync::LazyLock::new(|| Barrier::new(2));
        let meeting = || -> Box<dyn SolutionEngine> {
            Box::new(Meeting { engine: Bitmask::new(), arrived: &ARRIVED, both: &BOTH })
        };
        for is_limited in [false, true] {
            ARRIVED.store(0, Ordering::Relaxed);
            let counter = SplitCounter::new(engine(), Box::new(meeting)).with_patience(100);
            let mut counter = if is_limited { counter.up_to_limit() } else { counter };
            let limit = SolutionLimit::new(1_000_000).unwrap();
            let found = on_threads(2, || counter.solve(&six(4), limit));
            assert_eq!(found.solutions, 28_200_960 / (6 * 5 * 4 * 3));
            assert!(ARRIVED.load(Ordering::Relaxed) > 2);
        }
    }
}
