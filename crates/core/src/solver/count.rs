//! Counting solutions with two engines, or those of one puzzle on all threads.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rayon::Scope;
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
        let Some(&unfinished) = self.places.get(counted) else { return searched };
        // What was found by the stop is a lower bound of its solutions.
        found[unfinished].solutions = found[unfinished].solutions.max(self.counted[counted].solutions);
        unfinished
    }
}

/// Guesses after which a search is split, and how many times as many a part of it may make.
const PATIENCE: u64 = 1 << 15;
const MORE: u64 = 16;

/// The least number of puzzles that a search is split into, if there are so many.
const PARTS: usize = 256;

/// Puzzles that are counted together by one thread.
const TOGETHER: usize = 64;

/// The guesses of a part, as a share of the limit of its count: so few that what is lost by splits counts little, and so many that
/// few parts are split.
const LIMIT_SHARE: u64 = 32;

/// How often that share is halved for parts of parts: there is nothing left of it then.
const MOST_HALVINGS: usize = 16;

/// Makes an engine for a thread.
type Make = dyn Fn() -> Box<dyn GridSolver> + Send + Sync;

/// A solver that counts all solutions of every puzzle, or those up to a limit, and splits long searches over the threads
/// of the current rayon pool.
///
/// A search that takes many guesses is replaced by searches of a few hundred puzzles with more clues, the
/// first cells tried breadth-first; these may be split again. Splits depend on guesses alone, so that the
/// answer, guesses included, is the same for any number of threads. Guesses of replaced searches do not
/// count, those of the split do. Up to a limit, parts count in the order in which the split made them, up to the one in
/// which the limit is reached, whichever thread was there first.
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
    patience: u64,
    is_limited: bool,
}

impl<P: GridLike> SplitCounter<P> {
    /// Returns a counter that uses `engine` for what one thread can count, and makes others for the parts of
    /// longer searches.
    #[must_use]
    pub fn new(engine: Box<dyn GridSolver<P>>, make: Box<Make>) -> SplitCounter<P> {
        SplitCounter { engine, make, patience: PATIENCE, is_limited: false }
    }

    /// Sets the guesses after which the search of a puzzle is split. Few are for an engine that is slow where a puzzle is
    /// alone: it still answers the easy ones.
    #[must_use]
    pub fn with_patience(self, guesses: u64) -> SplitCounter<P> {
        SplitCounter { patience: guesses, ..self }
    }

    /// Ends the count of each puzzle at the limit of the request. All solutions are counted otherwise.
    ///
    /// ```
    /// use gridmill_core::grid::{Grid, Shape};
    /// use gridmill_core::solver::{SolutionLimit, Solver, SolverKind, SplitCounter};
    ///
    /// let blank = Grid::empty(Shape::new(2, 3).unwrap());
    /// let make = || SolverKind::Bitmask.build_any_shape();
    /// let mut counter = SplitCounter::new(make(), Box::new(make)).up_to_limit();
    /// assert_eq!(counter.solve(&blank, SolutionLimit::new(50_000).unwrap()).solutions, 50_000);
    /// ```
    #[must_use]
    pub fn up_to_limit(self) -> SplitCounter<P> {
        SplitCounter { is_limited: true, ..self }
    }
}

/// Keeps no solution. Of the bounds, the time of each puzzle holds, and the limit if it was asked for.
impl<P: GridLike> Solver<P> for SplitCounter<P> {
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

/// A count of puzzles, each within a time, or of the parts of a puzzle, up to a deadline.
struct SplitCount<'a> {
    make: &'a Make,
    time: Duration,
    limit: u64,
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
        let SplitCount { time, limit, deadline, stop, .. } = *self;
        let bounds = Bounds { guesses: patience, time, deadline, solutions: limit };
        let request = Request { bounds, keeps_solutions: false, stop };
        let counted = engine.solve_until(puzzles, &request, found);
        for (index, (puzzle, outcome)) in puzzles[..counted].iter().zip(found).enumerate() {
            // A search that made fewer guesses than it was allowed was late.
            let is_split = outcome.is_given_up && outcome.guesses >= patience;
            if is_split && !self.run_parts(puzzle, patience.max(PATIENCE).saturating_mul(MORE), outcome) {
                return index;
            }
        }
        counted
    }

    /// Counts a puzzle by its parts. Returns false if the search was stopped. Where it was, or time ran out, the outcome is
    /// what was found: at least what the search before this one had found, because the parts begin once more.
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
        let (went, sum) = match self.limit {
            u64::MAX => of_parts.count_parts(grid, patience),
            _ => of_parts.count_in_order(grid),
        };
        let nanos = outcome.nanos + begun.elapsed().as_nanos() as u64;
        let Outcome { mut solutions, guesses, is_given_up, .. } = sum;
        if is_given_up || !went {
            solutions = solutions.max(outcome.solutions);
        }
        *outcome = Outcome { solutions, guesses, nanos, is_given_up, ..Outcome::NONE };
        went
    }

    /// Counts all solutions of a puzzle by its parts. Returns whether the search came to its end, and the sum.
    fn count_parts(&self, grid: Grid, patience: u64) -> (bool, Outcome<Grid>) {
        let (parts, guesses) = split(grid);
        let count = |engine: &mut Box<dyn GridSolver>, parts: &[Grid]| {
            let _guard = StopOnPanic(self.stop);
            let mut outcomes = vec![Outcome::NONE; parts.len()];
            let went = self.run(parts, patience, &mut **engine, &mut outcomes) == parts.len();
            (went, outcomes.iter().fold(Outcome::NONE, add))
        };
        let (went, sum) = parts
            .par_chunks(TOGETHER)
            .map_init(self.make, count)
            .reduce(|| (true, Outcome::NONE), |(a, one), (b, other)| (a && b, add(one, &other)));
        (went, Outcome { guesses: sum.guesses + guesses, ..sum })
    }

    /// Counts the solutions of a puzzle up to the limit, by its parts, in their order. A task for each thread takes the first
    /// part that waits, and then spawns itself again, so that threads which come later find work. A part that takes too many
    /// guesses is replaced by parts of its own. Parts count when all in front of them have, up to the one in which the limit is
    /// reached, which is searched once more to the limit: so the answer does not depend on which parts were searched by then.
    ///
    /// Guesses of a search that is split are lost, so a part may make a small share of the guesses that reaching the limit takes.
    fn count_in_order(&self, grid: Grid) -> (bool, Outcome<Grid>) {
        let patience = (self.limit / LIMIT_SHARE).clamp(PATIENCE, PATIENCE * MORE);
        let mut queue = PartQueue::default();
        queue.split(&[], Part { grid, guesses: 0 });
        let count =
            OrderedCount { count: self, patience, queue: Mutex::new(queue), engines: Mutex::default() };
        rayon::scope(|scope| count.spawn_tasks(scope));
        let queue = count.queue.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut sum = Outcome { solutions: queue.solutions, guesses: queue.guesses, ..Outcome::NONE };
        if queue.is_broken_off {
            // All that was found is some of the solutions, in whichever order.
            sum = queue.searched.values().map(|(_, found)| found).fold(sum, add);
            sum.is_given_up = sum.solutions < self.limit;
            sum.solutions = sum.solutions.min(self.limit);
            return (!self.stop.load(Ordering::Relaxed), sum);
        }
        let Some(last) = queue.last else { return (true, sum) };
        let left = self.limit - sum.solutions;
        let (went, found) = self.search_to(&last.grid, left, u64::MAX, &mut *(self.make)());
        sum.guesses += last.guesses;
        (went, add(sum, &found))
    }

    /// Searches up to so many solutions and guesses of a part. Returns false if it was stopped.
    fn search_to(
        &self,
        grid: &Grid,
        solutions: u64,
        guesses: u64,
        engine: &mut dyn GridSolver,
    ) -> (bool, Outcome<Grid>) {
        let bounds = Bounds { solutions, guesses, time: self.time, deadline: self.deadline };
        let request = Request { bounds, keeps_solutions: false, stop: self.stop };
        let mut found = [Outcome::NONE];
        let searched = engine.solve_until(slice::from_ref(grid), &request, &mut found);
        let [found] = found;
        (searched == 1, found)
    }
}

/// A part of a puzzle whose solutions are counted up to a limit.
struct Part {
    grid: Grid,
    /// The guesses of the splits that it is the first part of.
    guesses: u64,
}

/// The place of a part: which part of which part it is, so that places are in the order of the parts.
type Place = Vec<u16>;

/// The parts of a puzzle, and what those in front have come to.
#[derive(Default)]
struct PartQueue {
    /// Parts that no thread has taken.
    waiting: BTreeMap<Place, Part>,
    /// The places of parts that are being searched.
    taken: BTreeSet<Place>,
    /// Parts that were searched, behind others that were not.
    searched: BTreeMap<Place, (Part, Outcome<Grid>)>,
    /// The solutions and the guesses of all parts in front of these.
    solutions: u64,
    guesses: u64,
    /// The part in which the limit is reached.
    last: Option<Part>,
    /// Whether the count ends early, because it was stopped or time ran out.
    is_broken_off: bool,
    /// How many tasks search parts, or will.
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

    /// Counts the parts that have only counted ones in front of them, up to the limit.
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

/// A count up to a limit, whose parts are searched by all threads.
struct OrderedCount<'a> {
    count: &'a SplitCount<'a>,
    /// Guesses after which a part of the puzzle is split.
    patience: u64,
    queue: Mutex<PartQueue>,
    /// Engines that no task has.
    engines: Mutex<Vec<Box<dyn GridSolver>>>,
}

impl OrderedCount<'_> {
    /// Spawns so many tasks that each thread has one, if there are parts for them.
    fn spawn_tasks<'s>(&'s self, scope: &Scope<'s>) {
        let mut queue = lock(&self.queue);
        let most = rayon::current_num_threads().min(queue.tasks + queue.waiting.len());
        for _ in queue.tasks..most {
            queue.tasks += 1;
            scope.spawn(|scope| self.search_next(scope));
        }
    }

    /// Searches the first part that waits, and spawns a task for the next one: another search may be in front of it by then.
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
        // Parts of parts get half as many guesses, because splits on the way down to the limit lose them all.
        let patience = (self.patience >> (place.len() - 1).min(MOST_HALVINGS)).max(PATIENCE);
        let (went, found) = self.count.search_to(&part.grid, u64::MAX, patience, &mut *engine);
        lock(&self.engines).push(engine);
        let mut queue = lock(&self.queue);
        queue.taken.remove(&place);
        if queue.last.is_some() {
            return;
        }
        if found.is_given_up && found.guesses >= patience {
            queue.split(&place, part);
        } else {
            queue.is_broken_off |= !went || found.is_given_up;
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

/// Locks a mutex. A panic of an earlier holder can't have left its value half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::AtomicUsize;

    use super::*;
    use crate::grid::Shape;
    use crate::solver::{Bitmask, NEVER, Searched, SolverKind};

    fn engine() -> Box<dyn GridSolver> {
        SolverKind::Bitmask.build_any_shape()
    }

    fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
    }

    /// 6x6 with some clues in the first row: 28,200,960 solutions, divided by 6, 5 and so on.
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
    fn a_count_up_to_a_limit_is_the_same_for_any_number_of_threads() {
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
    fn a_count_that_is_stopped_says_so() {
        let (counted, found) = count(1_000_000, 2, &AtomicBool::new(true));
        assert_eq!((counted, found.solutions), (0, 0));
    }

    /// An engine whose first two searches, over all of its kind, begin together.
    struct Meeting<'a> {
        engine: Bitmask,
        arrived: &'a AtomicUsize,
        both: &'a Barrier,
    }

    impl GridSolver for Meeting<'_> {
        fn search_until(
            &mut self,
            puzzle: &Grid,
            bounds: &Bounds,
            stop: &AtomicBool,
            found: &mut dyn FnMut(&[u8]) -> std::ops::ControlFlow<()>,
        ) -> Searched {
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

    /// It would wait for ever if one thread had all parts.
    #[test]
    fn two_threads_take_part_in_a_count() {
        static ARRIVED: AtomicUsize = AtomicUsize::new(0);
        static BOTH: std::sync::LazyLock<Barrier> = std::sync::LazyLock::new(|| Barrier::new(2));
        let meeting = || -> Box<dyn GridSolver> {
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
