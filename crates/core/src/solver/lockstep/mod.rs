#![doc = include_str!("README.md")]

mod any_sweep;
mod search;
mod sweep;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use std::{fmt, slice};

use super::{
    Bounds, CHECK_INTERVAL, CluePuzzle, EngineKind, NEVER, Outcome, Request, SearchEnd, SearchResult,
    SolutionEngine, SolutionLists, Solvable, Solver,
};
use crate::grid::{Puzzle, Shape};
use crate::simd::{Backend, LaneWorker, MadeForBackend, Simd};
use any_sweep::{AnyGrids, MAX_SIDE};
use search::LaneSearch;
use sweep::ClassicGrids;

/// The batch engine: many puzzles in one vector, one in each lane.
///
/// A guess splits a cell into one digit and the others; the second branch is not counted again. Guesses and
/// answers don't depend on the backend. The time of a batch is charged to its puzzles by sweeps: the lanes
/// that are alive in a sweep share its cost equally.
///
/// ```
/// use gridmill_core::grid::Puzzle;
/// use gridmill_core::solver::{Lockstep, Outcome, SolutionLimit, Solver};
///
/// let puzzles = [Puzzle::EMPTY; 100];
/// let mut outcomes = [Outcome::NONE; 100];
/// Lockstep::new().solve_batch(&puzzles, SolutionLimit::new(7).unwrap(), &mut outcomes);
/// assert!(outcomes.iter().all(|outcome| outcome.solutions == 7));
/// ```
///
/// The solutions of a puzzle come in the order in which one lane finds them, so the order is the same for
/// every backend and any batch.
pub type Lockstep = LockstepEngine<ClassicSearch>;

/// The batch engine for any shape up to 16x16: a puzzle in each lane.
///
/// Give it batches, because they fill the lanes. When no puzzle is waiting and the order of solutions does
/// not matter, idle lanes take over parts of other lanes' searches. A search that lists solutions in order
/// uses one lane. Guesses are counted as in [`Lockstep`]; they and all answers don't depend on the backend.
///
/// ```
/// use gridmill_core::grid::{Grid, Shape};
/// use gridmill_core::solver::{AnyLockstep, Outcome, SolutionLimit, Solver};
///
/// let blanks = vec![Grid::empty(Shape::new(2, 2).unwrap()); 10];
/// let mut outcomes = vec![Outcome::NONE; 10];
/// AnyLockstep::new().solve_batch(&blanks, SolutionLimit::new(100).unwrap(), &mut outcomes);
/// assert!(outcomes.iter().all(|outcome| outcome.solutions == 100));
/// ```
///
/// # Panics
///
/// A search panics if a side is above [`AnyLockstep::MAX_SIDE`].
pub type AnyLockstep = LockstepEngine<AnyShapeSearch>;

impl AnyLockstep {
    /// The largest side that the engine accepts.
    pub const MAX_SIDE: usize = MAX_SIDE;
}

/// The batch engine with a search in lanes, either that of [`Lockstep`] or that of [`AnyLockstep`].
pub struct LockstepEngine<S> {
    backend: Backend,
    search: S,
}

impl<S: EngineSearch> LockstepEngine<S> {
    /// Makes an engine on the best backend of this processor.
    #[must_use]
    pub fn new() -> LockstepEngine<S> {
        LockstepEngine::with_backend(Backend::best()).expect("the best backend is there")
    }

    /// Makes an engine on that backend; `None` if the processor can't run it.
    #[must_use]
    pub fn with_backend(backend: Backend) -> Option<LockstepEngine<S>> {
        Some(LockstepEngine { backend, search: S::on(backend)? })
    }

    /// The backend of the engine.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.backend
    }
}

impl<S: EngineSearch> Default for LockstepEngine<S> {
    fn default() -> LockstepEngine<S> {
        LockstepEngine::new()
    }
}

impl<S> fmt::Debug for LockstepEngine<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lockstep").field("backend", &self.backend).finish_non_exhaustive()
    }
}

/// The search of a [`LockstepEngine`] with its lanes: that of classic puzzles, or that of grids of any shape.
pub trait EngineSearch: Send + Sized {
    /// Whether the stop flag is ignored for a batch that is solved without a budget. Such a batch takes only milliseconds. To
    /// read the flag, it would have to be cut into smaller batches, which would leave lanes idle.
    const IGNORES_STOP_IF_QUICK: bool;

    /// Makes a search on that backend; `None` if the processor can't run it.
    fn on(backend: Backend) -> Option<Self>;

    /// The bytes of memory, including the heap.
    fn memory(&self) -> usize;
}

/// Runs the batches of one kind of puzzles.
trait RunsBatches<P: CluePuzzle>: EngineSearch {
    /// Searches puzzles of one shape, on the backend for which the search was made.
    fn run(&mut self, backend: Backend, batch: &mut Batch<'_, P>);
}

/// The search of classic puzzles.
pub struct ClassicSearch(Box<dyn for<'a> LaneWorker<Batch<'a, Puzzle>>>);

impl EngineSearch for ClassicSearch {
    const IGNORES_STOP_IF_QUICK: bool = true;

    fn on(backend: Backend) -> Option<ClassicSearch> {
        backend.with_lanes(Shape::CLASSIC)
    }

    fn memory(&self) -> usize {
        self.0.memory()
    }
}

impl MadeForBackend for ClassicSearch {
    fn new<S: Simd>(simd: S, shape: Shape) -> Option<ClassicSearch> {
        Some(ClassicSearch(Box::new(LaneSearch::<S, ClassicGrids<S>>::new(simd, shape)?)))
    }
}

impl RunsBatches<Puzzle> for ClassicSearch {
    fn run(&mut self, _: Backend, batch: &mut Batch<'_, Puzzle>) {
        self.0.run(batch);
    }
}

/// The search of grids of any shape. It keeps the lanes of the last shape, so that batches of one shape reuse
/// them.
pub struct AnyShapeSearch(Option<(Shape, OneShapeSearch)>);

/// The search of grids of one shape.
struct OneShapeSearch(Box<dyn for<'a> LaneWorker<dyn BatchState + 'a>>);

impl MadeForBackend for OneShapeSearch {
    fn new<S: Simd>(simd: S, shape: Shape) -> Option<OneShapeSearch> {
        Some(OneShapeSearch(Box::new(LaneSearch::<S, AnyGrids<S>>::new(simd, shape)?)))
    }
}

impl EngineSearch for AnyShapeSearch {
    const IGNORES_STOP_IF_QUICK: bool = false;

    fn on(backend: Backend) -> Option<AnyShapeSearch> {
        backend.is_available().then_some(AnyShapeSearch(None))
    }

    fn memory(&self) -> usize {
        size_of::<LockstepEngine<AnyShapeSearch>>()
            + self.0.as_ref().map_or(0, |(_, search)| search.0.memory())
    }
}

impl AnyShapeSearch {
    /// The search of grids of that shape. It is a function of its own because it is not generic: the lanes of
    /// all backends are compiled in this crate, and not again in each crate that searches its own puzzles.
    fn with_shape(&mut self, backend: Backend, shape: Shape) -> &mut OneShapeSearch {
        self.0.take_if(|(known, _)| *known != shape);
        let (_, search) = self.0.get_or_insert_with(|| {
            let search = backend.with_lanes(shape);
            (shape, search.expect("sixteen digits fit a lane, no more"))
        });
        search
    }
}

impl<P: CluePuzzle> RunsBatches<P> for AnyShapeSearch {
    fn run(&mut self, backend: Backend, batch: &mut Batch<'_, P>) {
        self.with_shape(backend, batch.puzzles[0].shape()).0.run(batch);
    }
}

impl<P: CluePuzzle, S: RunsBatches<P>> Solver<P> for LockstepEngine<S> {
    fn name(&self) -> &'static str {
        EngineKind::Lockstep.name()
    }

    fn memory(&self) -> Option<usize> {
        Some(self.search.memory())
    }

    /// Searches puzzles of one shape together.
    fn solve_until(&mut self, puzzles: &[P], request: &Request, found: &mut [Outcome<P::Solution>]) -> usize {
        assert_eq!(puzzles.len(), found.len(), "a batch needs an outcome for each puzzle");
        let Request { bounds, keeps_solutions, .. } = *request;
        let is_quick = keeps_solutions && bounds == Bounds::solutions(bounds.solutions);
        let stop = if S::IGNORES_STOP_IF_QUICK && is_quick { &NEVER } else { request.stop };
        let mut searched = 0;
        for puzzles in groups(puzzles) {
            let outcomes = &mut found[searched..][..puzzles.len()];
            let solutions = if keeps_solutions { Solutions::First } else { Solutions::Counted };
            let mut batch = Batch::new(puzzles, &bounds, stop, outcomes, solutions);
            self.search.run(self.backend, &mut batch);
            if batch.is_stopped {
                break;
            }
            if bounds.guesses < u64::MAX {
                outcomes.iter_mut().for_each(|outcome| outcome.guesses = outcome.guesses.min(bounds.guesses));
            }
            searched += puzzles.len();
        }
        searched
    }
}

/// Searches read `stop` in each sweep.
impl<P: CluePuzzle, S: RunsBatches<P>> SolutionEngine<P> for LockstepEngine<S> {
    fn search_until(
        &mut self,
        puzzle: &P,
        bounds: &Bounds,
        stop: &AtomicBool,
        found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> SearchResult {
        let (mut found, mut outcomes) = (|_, digits: &[u8]| found(digits), [Outcome::NONE]);
        let solutions = Solutions::All(&mut found);
        let mut batch = Batch::new(slice::from_ref(puzzle), bounds, stop, &mut outcomes, solutions);
        self.search.run(self.backend, &mut batch);
        batch.searched(0)
    }

    fn list_until(
        &mut self,
        puzzles: &[P],
        bounds: &Bounds,
        lists: &mut SolutionLists,
        stop: &AtomicBool,
    ) -> usize {
        lists.begin(puzzles.len());
        let mut outcomes = vec![Outcome::NONE; puzzles.len()];
        let mut first = 0;
        for puzzles in groups(puzzles) {
            let mut keep = |puzzle: usize, digits: &[u8]| {
                lists.add(first + puzzle, digits);
                ControlFlow::Continue(())
            };
            let (outcomes, solutions) = (&mut outcomes[..puzzles.len()], Solutions::All(&mut keep));
            let mut batch = Batch::new(puzzles, bounds, stop, outcomes, solutions);
            self.search.run(self.backend, &mut batch);
            let all_searched: Vec<SearchResult> =
                (0..puzzles.len()).map(|puzzle| batch.searched(puzzle)).collect();
            for (puzzle, &searched) in all_searched.iter().enumerate() {
                lists.close(first + puzzle, searched);
            }
            if let Some(stopped) = all_searched.iter().position(|searched| searched.end == SearchEnd::Stopped)
            {
                return first + stopped;
            }
            first += puzzles.len();
        }
        puzzles.len()
    }
}

/// Groups the puzzles that are searched together: neighbours of one shape. For example, two 4x4 puzzles, a
/// 6x6 one and another 4x4 one make three groups.
fn groups<P: CluePuzzle>(puzzles: &[P]) -> impl Iterator<Item = &[P]> {
    puzzles.chunk_by(|one, other| one.shape() == other.shape())
}

/// The cost of a sweep, which is divided among its puzzles. It is large enough that rounding does not matter, and small
/// enough that a trillion sweeps can be added up.
const SWEEP_COST: u64 = 1 << 24;

/// The puzzles of a batch and what is recorded about each.
trait BatchState {
    /// The number of puzzles.
    fn len(&self) -> usize;
    /// The cells of a puzzle, 0 for a blank.
    fn clues(&self, puzzle: usize) -> &[u8];
    /// Whether lanes may share the search of a puzzle. They may if that can't change the outcome. (A
    /// search for two solutions that finds both is repeated in one lane.)
    fn may_share(&self) -> bool;
    /// Checks whether the whole search must end now. It is called between sweeps.
    fn is_over(&mut self) -> bool;

    /// Resets what was found, but keeps the time.
    fn reopen(&mut self, puzzle: usize);
    /// Charges shares of sweeps to a puzzle.
    fn charge(&mut self, puzzle: usize, shares: u64);
    /// Counts a guess. Returns false if the search of the puzzle must end before it.
    fn guess(&mut self, puzzle: usize) -> bool;
    /// Counts a solution. The result says whether its digits and more solutions are wanted.
    fn solution(&mut self, puzzle: usize) -> SolutionRequest;
    /// The memory to which the digits of a solution are written.
    fn digits(&mut self, puzzle: usize) -> &mut [u8];
    /// Receives the digits after they have been written.
    fn digits_written(&mut self, puzzle: usize);
    /// Converts shares to nanoseconds of the time since `begun`.
    fn close(&mut self, sweeps: u64, begun: Instant);
}

/// Asks the search to write the digits of a solution, and to go on after it.
#[derive(Clone, Copy, Debug)]
struct SolutionRequest {
    /// Whether its digits are wanted.
    digits: bool,
    /// Whether more solutions are wanted.
    more: bool,
}

/// Receives the digits of a solution with the number of its puzzle. It breaks to end the search of all
/// puzzles.
type Receiver<'a> = dyn FnMut(usize, &[u8]) -> ControlFlow<()> + 'a;

/// The destination of the solutions of puzzles.
enum Solutions<'a> {
    /// They are only counted.
    Counted,
    /// The first one of each puzzle is kept.
    First,
    /// All are handed out. Lanes do not share a search then, so that the order of the solutions is that of a
    /// search in one lane, for any backend and any other puzzles.
    All(&'a mut Receiver<'a>),
}

/// Puzzles of one shape that are searched within bounds, and their outcomes. An outcome is marked as given up
/// until the search of its puzzle is done. It may hold one guess more than the bounds allow; `solve_until` and
/// `searched` take that off.
struct Batch<'a, P: Solvable> {
    puzzles: &'a [P],
    bounds: Bounds,
    stop: &'a AtomicBool,
    outcomes: &'a mut [Outcome<P::Solution>],
    solutions: Solutions<'a>,
    /// The digits of a solution that is about to be handed out.
    digits: [u8; MAX_SIDE * MAX_SIDE],
    /// The clock of each puzzle. There are none if time is not bounded.
    clocks: Vec<Clock>,
    /// Whether the whole search ends early.
    is_stopped: bool,
}

/// The clock of a puzzle. It starts at the first guess, because the puzzles of a batch wait for a free lane.
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    deadline: Option<Instant>,
    is_late: bool,
}

impl Clock {
    /// Checks whether the search must end before another guess. All lanes that share the search call it.
    #[cold]
    fn is_over(&mut self, bounds: &Bounds, guesses: u64) -> bool {
        if guesses == 0 && self.deadline.is_none() {
            self.deadline = bounds.deadline();
        }
        if guesses.is_multiple_of(CHECK_INTERVAL) {
            self.is_late |= self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        }
        self.is_late
    }
}

impl<'a, P: CluePuzzle> Batch<'a, P> {
    fn new(
        puzzles: &'a [P],
        bounds: &Bounds,
        stop: &'a AtomicBool,
        outcomes: &'a mut [Outcome<P::Solution>],
        solutions: Solutions<'a>,
    ) -> Batch<'a, P> {
        outcomes.fill_with(|| Outcome { is_given_up: true, ..Outcome::NONE });
        let clocks = vec![Clock::default(); if bounds.is_timed() { puzzles.len() } else { 0 }];
        let digits = [0; MAX_SIDE * MAX_SIDE];
        Batch { puzzles, bounds: *bounds, stop, outcomes, solutions, digits, clocks, is_stopped: false }
    }

    fn is_late(&self, puzzle: usize) -> bool {
        self.clocks.get(puzzle).is_some_and(|clock| clock.is_late)
    }

    /// How the search of a puzzle went, if its solutions were handed out.
    fn searched(&self, puzzle: usize) -> SearchResult {
        let Outcome { solutions, guesses, is_given_up, .. } = self.outcomes[puzzle];
        let most = self.bounds.guesses;
        let end = match is_given_up {
            true if guesses > most || self.is_late(puzzle) => SearchEnd::Budget,
            true => SearchEnd::Stopped,
            false if solutions == self.bounds.solutions => SearchEnd::Limit,
            false => SearchEnd::Complete,
        };
        SearchResult { solutions, guesses: guesses.min(most), end }
    }
}

impl<P: CluePuzzle> BatchState for Batch<'_, P> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.puzzles.len()
    }

    #[inline(always)]
    fn clues(&self, puzzle: usize) -> &[u8] {
        self.puzzles[puzzle].cells()
    }

    /// Checks whether lanes may share a search. They may also if all solutions are counted, because their
    /// order does not matter then.
    #[inline(always)]
    fn may_share(&self) -> bool {
        let limit = self.bounds.solutions;
        let in_any_order = match self.solutions {
            Solutions::Counted => limit == 2 || limit == u64::MAX,
            Solutions::First => limit == 2,
            Solutions::All(_) => false,
        };
        in_any_order && self.bounds.guesses == u64::MAX
    }

    #[inline(always)]
    fn is_over(&mut self) -> bool {
        self.is_stopped |= self.stop.load(Ordering::Relaxed);
        self.is_stopped
    }

    fn reopen(&mut self, puzzle: usize) {
        let nanos = self.outcomes[puzzle].nanos;
        self.outcomes[puzzle] = Outcome { is_given_up: true, nanos, ..Outcome::NONE };
    }

    #[inline(always)]
    fn charge(&mut self, puzzle: usize, shares: u64) {
        let is_late = self.is_late(puzzle);
        let outcome = &mut self.outcomes[puzzle];
        outcome.nanos += shares;
        outcome.is_given_up = is_late || self.is_stopped || outcome.guesses > self.bounds.guesses;
    }

    #[inline(always)]
    fn guess(&mut self, puzzle: usize) -> bool {
        let outcome = &mut self.outcomes[puzzle];
        if let Some(clock) = self.clocks.get_mut(puzzle)
            && clock.is_over(&self.bounds, outcome.guesses)
        {
            return false;
        }
        outcome.guesses += 1;
        outcome.guesses <= self.bounds.guesses
    }

    #[inline(always)]
    fn solution(&mut self, puzzle: usize) -> SolutionRequest {
        let outcome = &mut self.outcomes[puzzle];
        outcome.solutions += 1;
        let digits = match self.solutions {
            Solutions::Counted => false,
            Solutions::First => outcome.solution.is_none(),
            Solutions::All(_) => true,
        };
        SolutionRequest { digits, more: outcome.solutions < self.bounds.solutions }
    }

    #[inline(always)]
    fn digits(&mut self, puzzle: usize) -> &mut [u8] {
        let (asked, outcome) = (&self.puzzles[puzzle], &mut self.outcomes[puzzle]);
        match self.solutions {
            Solutions::First => asked.fill_in(&mut outcome.solution),
            Solutions::Counted | Solutions::All(_) => &mut self.digits[..asked.cells().len()],
        }
    }

    #[inline(always)]
    fn digits_written(&mut self, puzzle: usize) {
        if let Solutions::All(found) = &mut self.solutions {
            let digits = &self.digits[..self.puzzles[puzzle].cells().len()];
            if !self.is_stopped && found(puzzle, digits).is_break() {
                self.is_stopped = true;
            }
        }
    }

    fn close(&mut self, sweeps: u64, begun: Instant) {
        let nanos = begun.elapsed().as_nanos() as u64;
        let nanos_of_one = nanos as f64 / (sweeps.max(1) as f64 * SWEEP_COST as f64);
        for outcome in &mut *self.outcomes {
            outcome.nanos = (outcome.nanos as f64 * nanos_of_one) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Puzzle;
    use crate::solver::{Bitmask, SolutionLimit};

    /// Solves a few puzzles of every kind, few enough for an interpreter, in batches that leave lanes empty.
    #[test]
    fn small_batches_agree_with_bitmask_on_every_backend() {
        let lines = [
            "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
            "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..",
            "55..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
            "..9.287..8.6..4..5..3.....46.........2.71345.........23.....5..9..4..8.7..125.3..",
            "534678912672195348198342567859761423426853791713924856961537284287419635345286179",
            ".................................................................................",
        ];
        let puzzles: Vec<Puzzle> = lines.iter().map(|line| line.parse().unwrap()).collect();
        let limit = SolutionLimit::new(3).unwrap();
        crate::simd::report_untested();
        for mut engine in Backend::ALL.into_iter().filter_map(Lockstep::with_backend) {
            let mut outcomes = [Outcome::NONE; 6];
            engine.solve_batch(&puzzles, limit, &mut outcomes);
            for (puzzle, outcome) in puzzles.iter().zip(&outcomes) {
                let expected = Bitmask::new().solve(puzzle, limit);
                assert_eq!(outcome.solutions, expected.solutions, "{}: {puzzle}", engine.backend());
                assert!(outcome.solution.is_none_or(|solution| solution.solves(puzzle)));
            }
        }
    }
}
