//! Searches of grids of any shape: what an engine is asked, and what it answers.
//!
//! Every engine counts in the same way: a guess is a digit placed while the engine knew of another
//! possibility, so that a choice among k of them is k - 1 guesses once all have been tried. Whatever
//! lies between two guesses follows by proof and is bounded by the size of the grid, so a budget of
//! guesses bounds the whole search.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{SolutionLimit, SolverKind};
use crate::grid::{Grid, Shape};

/// An engine for grids of any shape. It keeps its memory from search to search: only a grid of another
/// shape makes it allocate.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use gridmill::grid::{Grid, Shape};
/// use gridmill::solver::{Bounds, DancingLinks, End, GridSolver};
///
/// // How many grids of 4x4 are there, and how many until one ends in 1?
/// let blank = Grid::empty(Shape::new(2, 2).unwrap());
/// let mut engine = DancingLinks::new();
/// assert_eq!(engine.count(&blank, &Bounds::ALL).solutions, 288);
///
/// let searched = engine.search(&blank, &Bounds::ALL, &mut |cells| match cells[15] {
///     1 => ControlFlow::Break(()),
///     _ => ControlFlow::Continue(()),
/// });
/// assert!(searched.end == End::Stopped && searched.solutions < 288);
/// ```
pub trait GridSolver: Send {
    /// The name under which the engine is chosen, in lower case.
    fn name(&self) -> &'static str;

    /// Finds the solutions of a puzzle, each once, and hands each to `found`: cells in reading order.
    /// The search ends when there are no more, when a bound is reached, or when `found` breaks it off.
    fn search(
        &mut self,
        grid: &Grid,
        bounds: &Bounds,
        found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Searched {
        self.search_until(grid, bounds, &AtomicBool::new(false), found)
    }

    /// The same, and the search ends when `stop` becomes true: it is looked at before every 256th guess.
    fn search_until(
        &mut self,
        grid: &Grid,
        bounds: &Bounds,
        stop: &AtomicBool,
        found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Searched;

    /// Solves `batch.grids[i]` into `outcomes[i]`, and returns how many, all of them unless `stop` became true.
    ///
    /// # Panics
    ///
    /// Where there are not as many outcomes as grids.
    fn solve_batch(&mut self, batch: &GridBatch<'_>, outcomes: &mut [GridOutcome]) -> usize;

    /// Bytes of memory that it keeps from search to search.
    fn memory(&self) -> usize;

    /// Counts the solutions of a puzzle.
    fn count(&mut self, grid: &Grid, bounds: &Bounds) -> Searched {
        self.search(grid, bounds, &mut |_| ControlFlow::Continue(()))
    }
}

/// What an engine adds to being a [`GridSolver`].
pub(super) trait Engine: Send {
    /// Which of the engines it is.
    const KIND: SolverKind;

    /// Goes through the solutions of a puzzle, and breaks off when the account says so.
    fn explore(&mut self, grid: &Grid, tally: &mut Tally<'_>) -> ControlFlow<End>;

    /// Bytes of memory on the heap.
    fn heap(&self) -> usize;

    /// See [`GridSolver::solve_batch`]: one by one, unless the engine has a better way.
    fn batch(&mut self, batch: &GridBatch<'_>, outcomes: &mut [GridOutcome]) -> usize
    where
        Self: Sized,
    {
        let GridBatch { grids, bounds, keeps_solutions, stop } = *batch;
        one_by_one(
            grids,
            keeps_solutions,
            outcomes,
            |grid| grid.shape(),
            |grid, found| self.search_until(grid, &bounds, stop, found),
        )
    }
}

impl<E: Engine> GridSolver for E {
    fn name(&self) -> &'static str {
        E::KIND.name()
    }

    fn search_until(
        &mut self,
        grid: &Grid,
        bounds: &Bounds,
        stop: &AtomicBool,
        found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Searched {
        let mut tally = Tally::new(bounds, stop, found);
        let flow = self.explore(grid, &mut tally);
        tally.close(flow)
    }

    fn solve_batch(&mut self, batch: &GridBatch<'_>, outcomes: &mut [GridOutcome]) -> usize {
        assert_eq!(batch.grids.len(), outcomes.len(), "a batch needs an outcome for each puzzle");
        self.batch(batch, outcomes)
    }

    fn memory(&self) -> usize {
        size_of::<E>() + self.heap()
    }
}

/// Solves puzzles one after the other. One reading of the clock ends a puzzle and begins the next, so that the
/// times add up to the whole.
pub(super) fn one_by_one<G>(
    grids: &[G],
    keeps_solutions: bool,
    outcomes: &mut [GridOutcome],
    shape: impl Fn(&G) -> Shape,
    mut search: impl FnMut(&G, &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Searched,
) -> usize {
    let mut begun = Instant::now();
    for (index, (grid, outcome)) in grids.iter().zip(&mut *outcomes).enumerate() {
        let mut solution = None;
        let searched = search(grid, &mut |cells| {
            if keeps_solutions && solution.is_none() {
                solution = Grid::of(shape(grid), cells);
            }
            ControlFlow::Continue(())
        });
        if searched.end == End::Stopped {
            return index;
        }
        let ended = Instant::now();
        *outcome = GridOutcome {
            solutions: searched.solutions,
            solution,
            only_counted: !keeps_solutions,
            is_given_up: searched.end == End::Budget,
            guesses: searched.guesses,
            nanos: (ended - begun).as_nanos() as u64,
        };
        begun = ended;
    }
    outcomes.len()
}

/// Puzzles that are searched together.
#[derive(Clone, Copy, Debug)]
pub struct GridBatch<'a> {
    /// The puzzles.
    pub grids: &'a [&'a Grid],
    /// How far the search of each may go. An engine that searches several at once counts the time from the
    /// start of the batch.
    pub bounds: Bounds,
    /// Is the first solution of each kept? If not, they are only counted.
    pub keeps_solutions: bool,
    /// Ends the whole search when it becomes true.
    pub stop: &'a AtomicBool,
}

/// How far a search may go.
///
/// ```
/// use std::time::Duration;
///
/// use gridmill::solver::Bounds;
///
/// let bounds = Bounds::solutions(2).and_guesses(1_000_000).and_time(Duration::from_secs(10));
/// assert_ne!(bounds, Bounds::ALL);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    solutions: u64,
    guesses: u64,
    time: Duration,
}

impl Bounds {
    /// To the last solution, whatever it costs.
    pub const ALL: Bounds = Bounds { solutions: u64::MAX, guesses: u64::MAX, time: Duration::MAX };

    /// Until so many solutions are found, 0 for all of them.
    #[must_use]
    pub const fn solutions(limit: u64) -> Bounds {
        Bounds { solutions: if limit == 0 { u64::MAX } else { limit }, ..Bounds::ALL }
    }

    /// And at most so many guesses; with 0 the search goes no further than proof does.
    #[must_use]
    pub const fn and_guesses(self, guesses: u64) -> Bounds {
        Bounds { guesses, ..self }
    }

    /// And about so much time for each search: the clock is looked at before every 256th guess, the
    /// first included.
    #[must_use]
    pub const fn and_time(self, time: Duration) -> Bounds {
        Bounds { time, ..self }
    }
}

impl Bounds {
    /// Solutions at which the search ends.
    pub(super) const fn solution_limit(&self) -> u64 {
        self.solutions
    }

    /// When it is late, if it begins now.
    pub(super) fn deadline(&self) -> Option<Instant> {
        // A time too long for the clock, such as that of `Bounds::ALL`, is no bound.
        let is_timed = self.time != Duration::MAX;
        is_timed.then(|| Instant::now().checked_add(self.time)).flatten()
    }

    /// Guesses at which it is given up.
    pub(super) const fn guess_limit(&self) -> u64 {
        self.guesses
    }
}

impl From<SolutionLimit> for Bounds {
    fn from(limit: SolutionLimit) -> Bounds {
        Bounds::solutions(limit.get().into())
    }
}

/// What a search came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Searched {
    /// Solutions found.
    pub solutions: u64,
    /// Digits placed while the engine knew of another possibility. The same for every run.
    pub guesses: u64,
    /// Why the search ended.
    pub end: End,
}

/// What came of a puzzle of any shape, in the place of an [`Outcome`](super::Outcome).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridOutcome {
    /// Solutions found, up to the limit.
    pub solutions: u64,
    /// The first solution found, if there is one.
    pub solution: Option<Grid>,
    /// Was no solution kept, only their number?
    pub only_counted: bool,
    /// Was the search given up before its end?
    pub is_given_up: bool,
    /// Guesses, as in [`Searched`].
    pub guesses: u64,
    /// The time that the search took, in nanoseconds.
    pub nanos: u64,
}

impl GridOutcome {
    /// The outcome of a search that found nothing, at no cost.
    pub const NONE: GridOutcome = GridOutcome {
        solutions: 0,
        solution: None,
        only_counted: false,
        is_given_up: false,
        guesses: 0,
        nanos: 0,
    };
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// There are no more solutions.
    Complete,
    /// As many solutions were found as were asked for; there may be more.
    Limit,
    /// The receiver of the solutions broke the search off, or the flag did that is to stop it.
    Stopped,
    /// Guesses or time ran out.
    Budget,
}

/// Guesses from one look at the clock and the flag to the next.
const LOOK_INTERVAL: u64 = 256;

/// The account of a running search. Its methods break when the search must end.
pub(super) struct Tally<'a> {
    bounds: Bounds,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
    found: &'a mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    solutions: u64,
    guesses: u64,
}

impl<'a> Tally<'a> {
    pub(super) fn new(
        bounds: &Bounds,
        stop: &'a AtomicBool,
        found: &'a mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Tally<'a> {
        Tally { bounds: *bounds, deadline: bounds.deadline(), stop, found, solutions: 0, guesses: 0 }
    }

    /// Hands out a solution.
    pub(super) fn solution(&mut self, cells: &[u8]) -> ControlFlow<End> {
        self.solutions += 1;
        if (self.found)(cells).is_break() {
            return ControlFlow::Break(End::Stopped);
        }
        if self.solutions == self.bounds.solutions {
            return ControlFlow::Break(End::Limit);
        }
        ControlFlow::Continue(())
    }

    /// Asks for one more guess.
    pub(super) fn guess(&mut self) -> ControlFlow<End> {
        if self.guesses == self.bounds.guesses {
            return ControlFlow::Break(End::Budget);
        }
        if self.guesses.is_multiple_of(LOOK_INTERVAL) {
            self.look_around()?;
        }
        self.guesses += 1;
        ControlFlow::Continue(())
    }

    fn look_around(&self) -> ControlFlow<End> {
        if self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(End::Stopped);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => ControlFlow::Break(End::Budget),
            _ => ControlFlow::Continue(()),
        }
    }

    /// Closes the account of a search that broke, or that went through to its end.
    pub(super) fn close(self, flow: ControlFlow<End>) -> Searched {
        let end = flow.break_value().unwrap_or(End::Complete);
        Searched { solutions: self.solutions, guesses: self.guesses, end }
    }
}
