//! The traits of puzzles and engines, the bounds and the result of a search, and the account that an engine
//! keeps during a search.
//!
//! All engines count guesses in the same way. A guess is a digit that is placed while the engine knew of
//! another possibility, so that a choice among k possibilities is k - 1 guesses once all have been tried,
//! e.g. one guess for a cell with the candidates 3 and 7. Everything between two guesses follows by proof and
//! is bounded by the size of the grid. Therefore a budget of guesses bounds the whole search.

use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{EngineKind, SolutionLists};
use crate::grid::{Cell, Digit, DigitSet, Grid, Pencilmarks, Puzzle, Shape, Solution, rules, symbol};

/// A kind of puzzle, with its kind of solution.
pub trait Solvable: Sized + Sync {
    /// A full grid.
    type Solution: Clone + Send;

    /// The shape of the puzzle.
    fn shape(&self) -> Shape;

    /// The cells in reading order, 0 for a blank.
    fn cells(&self) -> &[u8];

    /// Puts a new grid into `place`, and returns its cells, so that the caller can write the digits of a
    /// solution there.
    fn fill_in<'a>(&self, place: &'a mut Option<Self::Solution>) -> &'a mut [u8];

    /// Makes a full grid of those digits, in reading order. `None` if their number is not that of the cells.
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

    /// Checks whether a full grid obeys the rules and keeps the clues.
    fn is_solution(&self, grid: &Self::Solution) -> bool;

    /// Checks whether cells in reading order are a full grid that obeys the rules and keeps the clues.
    #[inline]
    fn is_solved_by(&self, cells: &[u8]) -> bool {
        self.full_grid(cells).is_some_and(|grid| self.is_solution(&grid))
    }

    /// Checks whether an outcome can be true: either it has a solution that is valid, or it has found none.
    #[inline]
    fn is_consistent_with(&self, found: &Outcome<Self::Solution>) -> bool {
        match &found.solution {
            Some(solution) => found.solutions > 0 && self.is_solution(solution),
            None => found.solutions == 0,
        }
    }

    /// The clues of the puzzle.
    #[inline]
    fn clues(&self) -> Clues<'_> {
        Clues { shape: self.shape(), cells: self.cells() }
    }

    /// Converts to a classic puzzle. `None` for other shapes, and for puzzles that clues alone do not
    /// describe.
    fn classic(&self) -> Option<Puzzle> {
        None
    }

    /// The digits that a cell may hold according to the cell itself: its clue, or its pencilmarks, or else
    /// all digits.
    fn candidates(&self, cell: Cell) -> DigitSet {
        let all = || DigitSet::all(self.shape().side());
        Digit::new(self.cells()[cell.index()]).map_or_else(all, |digit| DigitSet::EMPTY.with(digit))
    }

    /// The puzzle with that digit in that cell.
    #[must_use]
    fn narrowed(&self, cell: Cell, digit: Digit) -> Self;
}

/// A puzzle of any shape that its clues describe completely.
pub trait CluePuzzle: Solvable {}

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

impl CluePuzzle for Puzzle {}

/// A grid of any shape, possibly with additional data such as the alphabet of its text. As a puzzle it
/// behaves like the grid.
pub trait AsGrid: Sync {
    /// The grid itself.
    fn grid(&self) -> &Grid;

    /// A copy with another grid, but the same additional data.
    #[must_use]
    fn with_grid(&self, grid: Grid) -> Self;

    /// The character that a digit is written as, if it has one.
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
        self.with_grid(Grid::from_cells(self.grid().shape(), &cells).expect("a digit of the grid"))
    }
}

impl<G: AsGrid> CluePuzzle for G {}

/// The cells with one candidate are its clues.
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
/// To prove that a solution is the only one, a search must be allowed a second one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SolutionLimit(NonZeroU32);

impl SolutionLimit {
    /// Stops at the first solution.
    pub const FIRST: SolutionLimit = SolutionLimit(NonZeroU32::MIN);

    /// Stops at the second solution, which is enough to distinguish none, one and many.
    pub const UNIQUENESS: SolutionLimit = SolutionLimit(NonZeroU32::MIN.saturating_add(1));

    /// A limit of that number of solutions. `None` for zero.
    #[must_use]
    pub const fn new(solutions: u32) -> Option<SolutionLimit> {
        match NonZeroU32::new(solutions) {
            Some(limit) => Some(SolutionLimit(limit)),
            None => None,
        }
    }

    /// The number of solutions.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}

/// The default is to stop at the second solution.
impl Default for SolutionLimit {
    fn default() -> SolutionLimit {
        SolutionLimit::UNIQUENESS
    }
}

/// A stop flag for searches that are never stopped.
pub static NEVER: AtomicBool = AtomicBool::new(false);

/// How much a puzzle may cost before it is given up: guesses, time, or both. The default is no bound.
///
/// Prefer guesses if results have to be reproducible: a budget of guesses gives the same answers in every
/// run, for any number of threads, any batch and any backend. (Engines differ in their guesses.) Time is wall
/// time from the beginning of the search of the puzzle. If an engine searches many puzzles at once, it is
/// counted from the puzzle's first guess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// The number of guesses after which a puzzle is given up.
    pub guesses: Option<u64>,
    /// The time after which a puzzle is given up.
    pub time: Option<Duration>,
}

impl Budget {
    /// No bound.
    pub const NONE: Budget = Budget { guesses: None, time: None };

    /// A budget of guesses.
    #[must_use]
    pub const fn from_guesses(guesses: u64) -> Budget {
        Budget { guesses: Some(guesses), time: None }
    }

    /// Checks whether there is a bound.
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
    /// The number of guesses at which the search is given up. With 0 it does only what needs no guess.
    pub guesses: u64,
    /// The time after which each search is given up, roughly, because the clock is read only before every
    /// 256th guess (including the first).
    pub time: Duration,
    /// When all searches must end, no matter when they began.
    pub deadline: Option<Instant>,
}

impl Bounds {
    /// No bounds: all solutions, at any cost.
    pub const ALL: Bounds =
        Bounds { solutions: u64::MAX, guesses: u64::MAX, time: Duration::MAX, deadline: None };

    /// Bounds the number of solutions; 0 means all of them.
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

    /// Bounds that several searches for one puzzle share. The time of the budget begins now, and
    /// [`spend`](Bounds::spend) subtracts the guesses of each search.
    pub(crate) fn shared(budget: Budget) -> Bounds {
        let deadline = budget.time.and_then(|time| Instant::now().checked_add(time));
        Bounds { guesses: budget.guesses.unwrap_or(u64::MAX), deadline, ..Bounds::ALL }
    }

    /// Subtracts the guesses of a search.
    pub(crate) fn spend(&mut self, searched: &SearchResult) {
        self.guesses = self.guesses.saturating_sub(searched.guesses);
    }

    /// Checks whether the time is bounded.
    pub(super) fn is_timed(&self) -> bool {
        self.time != Duration::MAX || self.deadline.is_some()
    }

    /// The deadline of a search that begins now. `None` if there is none, or if it is too far for the clock.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let own = (self.time != Duration::MAX).then(|| Instant::now().checked_add(self.time)).flatten();
        own.into_iter().chain(self.deadline).min()
    }
}

/// The result of a [`Solver`] for one puzzle of a batch: the number of solutions, the first one, and the cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome<S = Solution> {
    /// The number of solutions found, up to the limit.
    pub solutions: u64,
    /// The first solution found, if there is one and the request keeps it.
    pub solution: Option<S>,
    /// How often the engine chose without proof, counted as the module says. The number is the same in every
    /// run.
    pub guesses: u64,
    /// The time charged to this puzzle, in nanoseconds. The sum over a batch is the time that the engine
    /// spent on the batch.
    pub nanos: u64,
    /// Whether the search was given up early, at a bound of guesses or time.
    pub is_given_up: bool,
}

impl<S> Outcome<S> {
    /// The outcome of a search that found nothing, at no cost.
    pub const NONE: Outcome<S> =
        Outcome { solutions: 0, solution: None, guesses: 0, nanos: 0, is_given_up: false };
}

/// How a search of a [`SolutionEngine`] ended, which handed out its solutions one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// The number of solutions found.
    pub solutions: u64,
    /// How often a digit was placed while the engine knew of another possibility. The number is the same in
    /// every run.
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
    /// The receiver of the solutions or the stop flag ended the search.
    Stopped,
    /// The guesses or the time were spent.
    Budget,
}

/// A request to an engine, which is the same for each puzzle of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Where the search of each puzzle ends.
    pub bounds: Bounds,
    /// Whether the first solution of each puzzle is kept. If not, solutions are only counted, which may be
    /// faster.
    pub keeps_solutions: bool,
    /// Ends the batch when it becomes true. Each engine reads it as often as it can without losing time, so
    /// some engines finish the batch first.
    pub stop: &'a AtomicBool,
}

impl Request<'_> {
    /// A request to solve puzzles, each until `limit` solutions are found.
    #[must_use]
    pub fn solve(limit: SolutionLimit) -> Request<'static> {
        Request { bounds: Bounds::solutions(limit.get().into()), keeps_solutions: true, stop: &NEVER }
    }
}

/// An engine for puzzles of a kind. Make one for each thread and reuse it from batch to batch, because
/// solving allocates nothing then.
pub trait Solver<P: Solvable = Puzzle>: Send {
    /// The name by which you choose the engine, in lower case.
    fn name(&self) -> &'static str;

    /// Searches `puzzles[i]` as requested and writes the result to `found[i]`. Returns how many puzzles were
    /// searched, which is all of them unless the stop flag became true.
    ///
    /// # Panics
    ///
    /// If the two slices differ in length.
    fn solve_until(&mut self, puzzles: &[P], request: &Request, found: &mut [Outcome<P::Solution>]) -> usize;

    /// The bytes of memory that the engine keeps from batch to batch. `None` if it does not know.
    fn memory(&self) -> Option<usize> {
        None
    }

    /// Solves a whole batch, each puzzle until `limit` solutions are found. This is
    /// [`solve_until`](Solver::solve_until) without a stop flag.
    ///
    /// # Panics
    ///
    /// If the two slices differ in length.
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
/// use gridmill_core::solver::{Bounds, DancingLinks, SolutionEngine, SearchEnd};
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
pub trait SolutionEngine<P: Solvable = Grid>: Solver<P> {
    /// Finds the solutions of a puzzle, each once, and hands each to `found` as cells in reading order. The
    /// search ends when there are no more solutions, when a bound is reached, when `found` breaks, or when
    /// `stop` becomes true, which is read before every 256th guess.
    fn search_until(
        &mut self,
        puzzle: &P,
        bounds: &Bounds,
        stop: &AtomicBool,
        found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> SearchResult;

    /// Lists the solutions of puzzles, each within bounds, and replaces what the lists held. Returns how many
    /// puzzles were searched, which is all of them unless `stop` became true.
    ///
    /// The order of the solutions of a puzzle depends on that puzzle alone, and a limit gives the first ones
    /// in this order. The lists hold all solutions of the batch in memory, so bound their number or the size
    /// of the batch if puzzles may have millions; [`search_until`](SolutionEngine::search_until) holds none.
    /// Engines for batches are many times faster here.
    ///
    /// ```
    /// use gridmill_core::grid::Puzzle;
    /// use gridmill_core::solver::{Bounds, SolutionEngine, Lockstep, NEVER, SearchEnd, SolutionLists};
    ///
    /// let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    /// let puzzles = [line.parse().unwrap(), Puzzle::EMPTY];
    /// let mut lists = SolutionLists::new();
    /// Lockstep::new().list_until(&puzzles, &Bounds::solutions(10), &mut lists, &NEVER);
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

    /// Finds the solutions of a puzzle. This is [`search_until`](SolutionEngine::search_until) without a stop
    /// flag.
    fn search(
        &mut self,
        puzzle: &P,
        bounds: &Bounds,
        found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> SearchResult {
        self.search_until(puzzle, bounds, &AtomicBool::new(false), found)
    }

    /// Counts the solutions of a puzzle.
    fn count(&mut self, puzzle: &P, bounds: &Bounds) -> SearchResult {
        self.search(puzzle, bounds, &mut |_| ControlFlow::Continue(()))
    }
}

/// An engine that searches one puzzle at a time. (The trait has no type parameter. With one, the compiler would assume
/// that another crate may implement it for an engine with a `Solver` of its own, and would reject the blanket impls
/// below, because they might overlap.)
pub(super) trait OneByOneEngine: Send + Sized {
    /// The kind of the engine.
    const KIND: EngineKind;

    /// The bytes of memory on the heap.
    fn heap(&self) -> usize;

    /// Searches for the solutions of a puzzle that is given by its clues, and breaks when the account demands
    /// it.
    fn explore_clues(&mut self, clues: Clues<'_>, account: &mut SearchAccount<'_>) -> Flow;
}

/// The search of puzzles of one kind by such an engine. It makes the engine a [`Solver`] and a
/// [`SolutionEngine`].
pub(super) trait Explorer<P: Solvable>: OneByOneEngine {
    /// Searches for the solutions of a puzzle, and breaks when the account demands it.
    fn explore(&mut self, puzzle: &P, account: &mut SearchAccount<'_>) -> Flow;
}

impl<P: CluePuzzle, E: OneByOneEngine> Explorer<P> for E {
    fn explore(&mut self, puzzle: &P, account: &mut SearchAccount<'_>) -> Flow {
        self.explore_clues(puzzle.clues(), account)
    }
}

impl<P: Solvable, E: OneByOneEngine + Explorer<P>> Solver<P> for E {
    fn name(&self) -> &'static str {
        E::KIND.name()
    }

    /// Searches puzzles one after the other, each with its own account. The clock is read once between two
    /// puzzles, so that the times add up to the whole.
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

impl<P: Solvable, E: OneByOneEngine + Explorer<P>> SolutionEngine<P> for E {
    fn search_until(
        &mut self,
        puzzle: &P,
        bounds: &Bounds,
        stop: &AtomicBool,
        found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> SearchResult {
        let mut account = SearchAccount::new(bounds, stop, found);
        let flow = self.explore(puzzle, &mut account);
        account.close(flow)
    }
}

/// The control flow of a search: it continues, or breaks with the reason why it ends.
pub(super) type Flow<T = ()> = ControlFlow<SearchEnd, T>;

/// How many guesses lie between two readings of the clock and the stop flag.
pub(super) const CHECK_INTERVAL: u64 = 256;

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
        if self.guesses.is_multiple_of(CHECK_INTERVAL) {
            self.check_limits()?;
        }
        self.guesses += 1;
        ControlFlow::Continue(())
    }

    fn check_limits(&self) -> Flow {
        if self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(SearchEnd::Stopped);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => ControlFlow::Break(SearchEnd::Budget),
            _ => ControlFlow::Continue(()),
        }
    }

    /// The result of a search that broke or came to its end.
    pub(super) fn close(self, flow: Flow) -> SearchResult {
        let end = flow.break_value().unwrap_or(SearchEnd::Complete);
        SearchResult { solutions: self.solutions, guesses: self.guesses, end }
    }
}
