//! The traits of puzzles and engines, the bounds of a search and its result, and the account that an engine keeps during a
//! search.
//!
//! Every engine counts in the same way: a guess is a digit placed while the engine knew of another
//! possibility, so that a choice among k of them is k - 1 guesses once all have been tried. Everything
//! between two guesses follows by proof and is bounded by the size of the grid, so a budget of guesses bounds
//! the whole search.

use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{SolutionLists, SolverKind};
use crate::grid::{Cell, Digit, DigitSet, Grid, Pencilmarks, Puzzle, Shape, Solution, rules, symbol};

/// A kind of puzzle, and its solutions.
pub trait Solvable: Sized + Sync {
    /// A full grid.
    type Solution: Clone + Send;

    /// Returns the shape.
    fn shape(&self) -> Shape;

    /// Returns the cells in reading order, 0 for a blank.
    fn cells(&self) -> &[u8];

    /// Makes a grid in `place`, and returns its cells for the digits of a solution.
    fn fill_in<'a>(&self, place: &'a mut Option<Self::Solution>) -> &'a mut [u8];

    /// Returns a full grid with those digits, in reading order; `None` if they are not as many as the cells.
    #[inline]
    fn full_grid(&self, digits: &[u8]) -> Option<Self::Solution> {
        let mut grid = None;
        let cells = self.fill_in(&mut grid);
        if cells.len() != digits.len() {
            return None;
        }
        cells.copy_from_slice(digits);
        grid
    }

    /// Returns whether a full grid keeps the clues and the rules.
    fn is_solution(&self, grid: &Self::Solution) -> bool;

    /// Returns whether cells in reading order are those of a full grid that keeps the clues and the rules.
    #[inline]
    fn is_solved_by(&self, cells: &[u8]) -> bool {
        self.full_grid(cells).is_some_and(|grid| self.is_solution(&grid))
    }

    /// Returns whether an outcome can be true: its solution keeps the clues and the rules, or it has none.
    #[inline]
    fn agrees(&self, found: &Outcome<Self::Solution>) -> bool {
        match &found.solution {
            Some(solution) => found.solutions > 0 && self.is_solution(solution),
            None => found.solutions == 0,
        }
    }

    /// Returns the clues.
    #[inline]
    fn clues(&self) -> Clues<'_> {
        Clues { shape: self.shape(), cells: self.cells() }
    }

    /// Returns the puzzle as a classic one; `None` for other shapes, and where clues don't say all.
    fn classic(&self) -> Option<Puzzle> {
        None
    }

    /// Returns the digits that a cell may hold, as far as it says itself.
    fn candidates(&self, cell: Cell) -> DigitSet {
        let all = || DigitSet::all(self.shape().side());
        Digit::new(self.cells()[cell.index()]).map_or_else(all, |digit| DigitSet::EMPTY.with(digit))
    }

    /// Returns the puzzle with that digit in that cell.
    #[must_use]
    fn narrowed(&self, cell: Cell, digit: Digit) -> Self;
}

/// A puzzle that is given by its clues alone, whatever its shape.
pub trait GridLike: Solvable {}

/// The clues of a puzzle.
#[derive(Clone, Copy, Debug)]
pub struct Clues<'a> {
    /// The shape of the puzzle.
    pub shape: Shape,
    /// Its cells in reading order, 0 for a blank.
    pub cells: &'a [u8],
}

impl Solvable for Puzzle {
    type Solution = Solution;

    #[inline]
    fn shape(&self) -> Shape {
        Shape::CLASSIC
    }

    #[inline]
    fn cells(&self) -> &[u8] {
        self.cells()
    }

    #[inline]
    fn fill_in<'a>(&self, place: &'a mut Option<Solution>) -> &'a mut [u8] {
        place.insert(Solution::UNFILLED).digits_mut()
    }

    #[inline]
    fn is_solution(&self, grid: &Solution) -> bool {
        grid.solves(self)
    }

    fn classic(&self) -> Option<Puzzle> {
        Some(*self)
    }

    fn narrowed(&self, cell: Cell, digit: Digit) -> Puzzle {
        let mut cells = *self.cells();
        cells[cell.index()] = digit.get();
        Puzzle::from_cells(cells).expect("a digit of the puzzle")
    }
}

impl GridLike for Puzzle {}

/// A grid of any shape, alone or with more, e.g. the alphabet of its text. Everything that is asked of it is asked of the
/// grid.
pub trait AsGrid: Sync {
    /// Returns the grid.
    fn grid(&self) -> &Grid;

    /// Returns the same with another grid.
    #[must_use]
    fn with_grid(&self, grid: Grid) -> Self;

    /// Returns the character of a digit, if it is written as one.
    fn symbol(&self, digit: Digit) -> Option<char> {
        Some(symbol(digit.get()))
    }
}

impl AsGrid for Grid {
    #[inline]
    fn grid(&self) -> &Grid {
        self
    }

    fn with_grid(&self, grid: Grid) -> Grid {
        grid
    }
}

impl<G: AsGrid> Solvable for G {
    type Solution = Grid;

    #[inline]
    fn shape(&self) -> Shape {
        self.grid().shape()
    }

    #[inline]
    fn cells(&self) -> &[u8] {
        self.grid().cells()
    }

    #[inline]
    fn fill_in<'a>(&self, place: &'a mut Option<Grid>) -> &'a mut [u8] {
        place.insert(Grid::empty(self.grid().shape())).cells_mut()
    }

    fn is_solution(&self, solution: &Grid) -> bool {
        let (shape, clues) = (self.grid().shape(), self.grid().cells());
        solution.shape() == shape && rules::is_solution(shape, clues, solution.cells())
    }

    fn classic(&self) -> Option<Puzzle> {
        self.grid().to_classic()
    }

    fn narrowed(&self, cell: Cell, digit: Digit) -> G {
        let mut cells = self.grid().cells().to_vec();
        cells[cell.index()] = digit.get();
        self.with_grid(Grid::of(self.grid().shape(), &cells).expect("a digit of the grid"))
    }
}

impl<G: AsGrid> GridLike for G {}

/// Its cells are those with one candidate.
impl Solvable for Pencilmarks {
    type Solution = Solution;

    fn shape(&self) -> Shape {
        Shape::CLASSIC
    }

    fn cells(&self) -> &[u8] {
        self.clues().cells()
    }

    #[inline]
    fn fill_in<'a>(&self, place: &'a mut Option<Solution>) -> &'a mut [u8] {
        place.insert(Solution::UNFILLED).digits_mut()
    }

    fn is_solution(&self, grid: &Solution) -> bool {
        self.are_solved_by(grid)
    }

    fn candidates(&self, cell: Cell) -> DigitSet {
        self.at(cell)
    }

    fn narrowed(&self, cell: Cell, digit: Digit) -> Pencilmarks {
        let mut candidates = *self.candidates();
        candidates[cell.index()] = DigitSet::EMPTY.with(digit);
        Pencilmarks::new(candidates)
    }
}

/// The number of solutions at which a search stops, at least one.
///
/// Only a search that is allowed a second solution can prove that the first is the only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SolutionLimit(NonZeroU32);

impl SolutionLimit {
    /// The first solution.
    pub const FIRST: SolutionLimit = SolutionLimit(NonZeroU32::MIN);

    /// The second solution: enough to tell none, one and many apart.
    pub const UNIQUENESS: SolutionLimit = SolutionLimit(NonZeroU32::MIN.saturating_add(1));

    /// Returns a limit of that number of solutions; `None` for zero.
    #[must_use]
    pub const fn new(solutions: u32) -> Option<SolutionLimit> {
        match NonZeroU32::new(solutions) {
            Some(limit) => Some(SolutionLimit(limit)),
            None => None,
        }
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}

/// The second solution.
impl Default for SolutionLimit {
    fn default() -> SolutionLimit {
        SolutionLimit::UNIQUENESS
    }
}

/// The stop flag of what is never stopped.
pub static NEVER: AtomicBool = AtomicBool::new(false);

/// What a puzzle may cost before it is given up: guesses, time, or both. The default is no bound.
///
/// A budget of guesses gives the same answers in every run, for any number of threads, any batch and any backend; engines
/// guess differently. Time is wall time from the beginning of the search of the puzzle, or, where an engine searches many
/// puzzles at once, from its first guess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// The guesses after which a puzzle is given up.
    pub guesses: Option<u64>,
    /// The time after which a puzzle is given up.
    pub time: Option<Duration>,
}

impl Budget {
    /// No bound.
    pub const NONE: Budget = Budget { guesses: None, time: None };

    /// Returns a budget of so many guesses.
    #[must_use]
    pub const fn of_guesses(guesses: u64) -> Budget {
        Budget { guesses: Some(guesses), time: None }
    }

    /// Returns whether there is a bound.
    #[must_use]
    pub const fn is_bounded(&self) -> bool {
        self.guesses.is_some() || self.time.is_some()
    }
}

/// Bounds of the search of a puzzle.
///
/// ```
/// use std::time::Duration;
///
/// use gridmill_core::solver::Bounds;
///
/// let bounds = Bounds { guesses: 1_000_000, time: Duration::from_secs(10), ..Bounds::solutions(2) };
/// assert_ne!(bounds, Bounds::ALL);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The number of solutions at which the search ends, at least 1.
    pub solutions: u64,
    /// The number of guesses at which the search is given up; with 0 it goes only as far as it needs no guess.
    pub guesses: u64,
    /// About the time at which each search is given up: the clock is read before every 256th guess, the first included.
    pub time: Duration,
    /// When all searches must end, whenever they began.
    pub deadline: Option<Instant>,
}

impl Bounds {
    /// No bounds: all solutions, whatever the cost.
    pub const ALL: Bounds =
        Bounds { solutions: u64::MAX, guesses: u64::MAX, time: Duration::MAX, deadline: None };

    /// Returns bounds of so many solutions; 0 for all of them.
    #[must_use]
    pub const fn solutions(limit: u64) -> Bounds {
        Bounds { solutions: if limit == 0 { u64::MAX } else { limit }, ..Bounds::ALL }
    }

    /// Adds the bounds of a budget.
    #[must_use]
    pub fn and_budget(self, budget: Budget) -> Bounds {
        Bounds {
            guesses: budget.guesses.unwrap_or(self.guesses),
            time: budget.time.unwrap_or(self.time),
            ..self
        }
    }

    /// Returns bounds that the searches for one puzzle share: the time of the budget begins now, and [`spend`](Bounds::spend)
    /// takes the guesses of each search off.
    pub(crate) fn shared(budget: Budget) -> Bounds {
        let deadline = budget.time.and_then(|time| Instant::now().checked_add(time));
        Bounds { guesses: budget.guesses.unwrap_or(u64::MAX), deadline, ..Bounds::ALL }
    }

    /// Takes the guesses of a search off.
    pub(crate) fn spend(&mut self, searched: &Searched) {
        self.guesses = self.guesses.saturating_sub(searched.guesses);
    }

    /// Returns whether the time is bounded.
    pub(super) fn is_timed(&self) -> bool {
        self.time != Duration::MAX || self.deadline.is_some()
    }

    /// Returns the deadline of a search that begins now; `None` for a time too long for the clock.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let own = (self.time != Duration::MAX).then(|| Instant::now().checked_add(self.time)).flatten();
        own.into_iter().chain(self.deadline).min()
    }
}

/// The result and the cost of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome<S = Solution> {
    /// Solutions found, up to the limit.
    pub solutions: u64,
    /// The first solution found, if there is one and it was kept.
    pub solution: Option<S>,
    /// Choices that the engine made without proof. The number is the same in every run; each engine documents
    /// what it counts.
    pub guesses: u64,
    /// Time charged to this puzzle, in nanoseconds. The sum over a batch is the time that the engine spent on
    /// it.
    pub nanos: u64,
    /// Whether the search was given up before its end, at a bound of guesses or time.
    pub is_given_up: bool,
}

impl<S> Outcome<S> {
    /// The outcome of a search that found nothing, at no cost.
    pub const NONE: Outcome<S> =
        Outcome { solutions: 0, solution: None, guesses: 0, nanos: 0, is_given_up: false };
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Searched {
    /// Solutions found.
    pub solutions: u64,
    /// Digits placed while the engine knew of another possibility. The number is the same in every run.
    pub guesses: u64,
    /// Why the search ended.
    pub end: SearchEnd,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SearchEnd {
    /// There are no more solutions.
    Complete,
    /// As many solutions were found as were wanted; there may be more.
    Limit,
    /// The receiver of the solutions broke the search off, or the stop flag did.
    Stopped,
    /// Guesses or time ran out.
    Budget,
}

/// A request to an engine: the same for each puzzle of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Where the search of each puzzle ends.
    pub bounds: Bounds,
    /// Whether the first solution of each puzzle is kept. Else solutions are counted only, which may be faster.
    pub keeps_solutions: bool,
    /// Ends the batch when it becomes true. Each engine reads it as often as it can without losing time, so some go on to
    /// the end of the batch.
    pub stop: &'a AtomicBool,
}

impl Request<'_> {
    /// Returns the request to solve puzzles, each until so many solutions are found.
    #[must_use]
    pub fn solve(limit: SolutionLimit) -> Request<'static> {
        Request { bounds: Bounds::solutions(limit.get().into()), keeps_solutions: true, stop: &NEVER }
    }
}

/// An engine for puzzles of a kind. One value serves one thread and is reused from batch to batch, so that
/// solving allocates nothing.
pub trait Solver<P: Solvable = Puzzle>: Send {
    /// Returns the name by which the engine is chosen, in lower case.
    fn name(&self) -> &'static str;

    /// Searches `puzzles[i]` into `found[i]`, as requested. Returns how many were searched: all of them, unless the stop
    /// flag became true.
    ///
    /// # Panics
    ///
    /// Where the two slices differ in length.
    fn solve_until(&mut self, puzzles: &[P], request: &Request, found: &mut [Outcome<P::Solution>]) -> usize;

    /// Returns the bytes of memory that the engine keeps from batch to batch; `None` if it does not know.
    fn memory(&self) -> Option<usize> {
        None
    }

    /// Solves a whole batch, each puzzle until `limit` solutions are found: [`solve_until`](Solver::solve_until) without a
    /// stop.
    ///
    /// # Panics
    ///
    /// Where the two slices differ in length.
    fn solve_batch(&mut self, puzzles: &[P], limit: SolutionLimit, outcomes: &mut [Outcome<P::Solution>]) {
        self.solve_until(puzzles, &Request::solve(limit), outcomes);
    }

    /// Solves one puzzle.
    fn solve(&mut self, puzzle: &P, limit: SolutionLimit) -> Outcome<P::Solution> {
        let mut outcome = [Outcome::NONE];
        self.solve_batch(std::slice::from_ref(puzzle), limit, &mut outcome);
        let [outcome] = outcome;
        outcome
    }
}

/// An engine that can list every solution, and search within [`Bounds`]. It keeps its memory from search to
/// search, and allocates only for a grid of another shape.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use gridmill_core::grid::{Grid, Shape};
/// use gridmill_core::solver::{Bounds, DancingLinks, GridSolver, SearchEnd};
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
/// assert!(searched.end == SearchEnd::Stopped && searched.solutions < 288);
/// ```
pub trait GridSolver<P: Solvable = Grid>: Solver<P> {
    /// Finds the solutions of a puzzle, each once, and hands each to `found`: cells in reading order. The
    /// search ends when there are no more, when a bound is reached, when `found` breaks it off, or when
    /// `stop` becomes true, which is read before every 256th guess.
    fn search_until(
        &mut self,
        puzzle: &P,
        bounds: &Bounds,
        stop: &AtomicBool,
        found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Searched;

    /// Lists the solutions of puzzles, each within bounds, in place of what the lists held. Returns how many puzzles in
    /// front were searched: all of them, unless `stop` became true.
    ///
    /// The order of the solutions of a puzzle depends on that puzzle alone, and a limit gives the first ones of it.
    /// Memory holds all solutions of the batch, so bound their number, or the batch, where puzzles may have millions;
    /// [`search_until`](GridSolver::search_until) holds none. Engines for batches are many times as quick here.
    ///
    /// ```
    /// use std::sync::atomic::AtomicBool;
    ///
    /// use gridmill_core::grid::Puzzle;
    /// use gridmill_core::solver::{Bounds, GridSolver, Lockstep, SearchEnd, SolutionLists};
    ///
    /// let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    /// let puzzles = [line.parse().unwrap(), Puzzle::EMPTY];
    /// let (mut lists, go_on) = (SolutionLists::new(), AtomicBool::new(false));
    /// Lockstep::new().list_until(&puzzles, &Bounds::solutions(10), &mut lists, &go_on);
    /// assert_eq!(lists.solutions(0).next().unwrap()[..9], [5, 3, 4, 6, 7, 8, 9, 1, 2]);
    /// assert_eq!(lists.solutions(1).count(), 10);
    /// assert_eq!(lists.searched(1).end, SearchEnd::Limit);
    /// ```
    fn list_until(
        &mut self,
        puzzles: &[P],
        bounds: &Bounds,
        lists: &mut SolutionLists,
        stop: &AtomicBool,
    ) -> usize {
        lists.begin(puzzles.len());
        for (index, puzzle) in puzzles.iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                return index;
            }
            let searched = self.search_until(puzzle, bounds, stop, &mut |digits| {
                lists.add(index, digits);
                ControlFlow::Continue(())
            });
            lists.close(index, searched);
            if searched.end == SearchEnd::Stopped {
                return index;
            }
        }
        puzzles.len()
    }

    /// Finds the solutions of a puzzle: [`search_until`](GridSolver::search_until) without a stop.
    fn search(
        &mut self,
        puzzle: &P,
        bounds: &Bounds,
        found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Searched {
        self.search_until(puzzle, bounds, &AtomicBool::new(false), found)
    }

    /// Counts the solutions of a puzzle.
    fn count(&mut self, puzzle: &P, bounds: &Bounds) -> Searched {
        self.search(puzzle, bounds, &mut |_| ControlFlow::Continue(()))
    }
}

/// An engine that searches one puzzle at a time. (It has no parameter, so that other types are known not to be one.)
pub(super) trait SingleEngine: Send + Sized {
    /// The kind of the engine.
    const KIND: SolverKind;

    /// Returns the bytes of memory on the heap.
    fn heap(&self) -> usize;

    /// Searches the solutions of a puzzle that is given by its clues, and breaks off when the account demands it.
    fn explore_clues(&mut self, clues: Clues<'_>, account: &mut SearchAccount<'_>) -> Flow;
}

/// The search of puzzles of a kind by such an engine: that makes it a [`Solver`] and a [`GridSolver`].
pub(super) trait Explorer<P: Solvable>: SingleEngine {
    /// Searches the solutions of a puzzle, and breaks off when the account demands it.
    fn explore(&mut self, puzzle: &P, account: &mut SearchAccount<'_>) -> Flow;
}

impl<P: GridLike, E: SingleEngine> Explorer<P> for E {
    fn explore(&mut self, puzzle: &P, account: &mut SearchAccount<'_>) -> Flow {
        self.explore_clues(puzzle.clues(), account)
    }
}

impl<P: Solvable, E: SingleEngine + Explorer<P>> Solver<P> for E {
    fn name(&self) -> &'static str {
        E::KIND.name()
    }

    /// Searches puzzles one after the other, each with an account of its own. One reading of the clock ends a puzzle and
    /// begins the next, so that the times add up to the whole.
    fn solve_until(&mut self, puzzles: &[P], request: &Request, found: &mut [Outcome<P::Solution>]) -> usize {
        let Request { bounds, keeps_solutions, stop } = *request;
        assert_eq!(puzzles.len(), found.len(), "a batch needs an outcome for each puzzle");
        let mut begun = Instant::now();
        for (index, (puzzle, outcome)) in puzzles.iter().zip(found).enumerate() {
            *outcome = Outcome::NONE;
            if stop.load(Ordering::Relaxed) {
                return index;
            }
            let mut keep = |digits: &[u8]| {
                if keeps_solutions && outcome.solution.is_none() {
                    outcome.solution = puzzle.full_grid(digits);
                }
                ControlFlow::Continue(())
            };
            let searched = self.search_until(puzzle, &bounds, stop, &mut keep);
            outcome.solutions = searched.solutions;
            outcome.guesses = searched.guesses;
            outcome.is_given_up = searched.end == SearchEnd::Budget;
            if searched.end == SearchEnd::Stopped {
                return index;
            }
            let ended = Instant::now();
            outcome.nanos = (ended - begun).as_nanos() as u64;
            begun = ended;
        }
        puzzles.len()
    }

    fn memory(&self) -> Option<usize> {
        Some(size_of::<E>() + self.heap())
    }
}

impl<P: Solvable, E: SingleEngine + Explorer<P>> GridSolver<P> for E {
    fn search_until(
        &mut self,
        puzzle: &P,
        bounds: &Bounds,
        stop: &AtomicBool,
        found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Searched {
        let mut account = SearchAccount::new(bounds, stop, found);
        let flow = self.explore(puzzle, &mut account);
        account.close(flow)
    }
}

/// The step of a search: it goes on, or breaks off, and why.
pub(super) type Flow<T = ()> = ControlFlow<SearchEnd, T>;

/// Guesses between two readings of the clock and the stop flag.
pub(super) const LOOK_INTERVAL: u64 = 256;

/// The account of a running search. Its methods break when the search must end.
pub(super) struct SearchAccount<'a> {
    bounds: Bounds,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
    found: &'a mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    solutions: u64,
    guesses: u64,
}

impl<'a> SearchAccount<'a> {
    pub(super) fn new(
        bounds: &Bounds,
        stop: &'a AtomicBool,
        found: &'a mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> SearchAccount<'a> {
        SearchAccount { bounds: *bounds, deadline: bounds.deadline(), stop, found, solutions: 0, guesses: 0 }
    }

    /// Counts a solution, and hands it out.
    pub(super) fn solution(&mut self, cells: &[u8]) -> Flow {
        self.solutions += 1;
        if (self.found)(cells).is_break() {
            return ControlFlow::Break(SearchEnd::Stopped);
        }
        if self.solutions == self.bounds.solutions {
            return ControlFlow::Break(SearchEnd::Limit);
        }
        ControlFlow::Continue(())
    }

    /// Counts one more guess, if the bounds allow it.
    pub(super) fn guess(&mut self) -> Flow {
        if self.guesses == self.bounds.guesses {
            return ControlFlow::Break(SearchEnd::Budget);
        }
        if self.guesses.is_multiple_of(LOOK_INTERVAL) {
            self.look_around()?;
        }
        self.guesses += 1;
        ControlFlow::Continue(())
    }

    fn look_around(&self) -> Flow {
        if self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(SearchEnd::Stopped);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => ControlFlow::Break(SearchEnd::Budget),
            _ => ControlFlow::Continue(()),
        }
    }

    /// Returns the result of a search that broke off or came to its end.
    pub(super) fn close(self, flow: Flow) -> Searched {
        let end = flow.break_value().unwrap_or(SearchEnd::Complete);
        Searched { solutions: self.solutions, guesses: self.guesses, end }
    }
}
