//! Searches within bounds, and what they return.
//!
//! Every engine counts in the same way: a guess is a digit placed while the engine knew of another
//! possibility, so that a choice among k of them is k - 1 guesses once all have been tried. Everything
//! between two guesses follows by proof and is bounded by the size of the grid, so a budget of guesses bounds
//! the whole search.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::account::SearchAccount;
use super::batch::solve_each;
use super::lists::list_each;
use super::{Bounds, Clues, GridLike, Outcome, SolutionLimit, SolutionLists, Solvable, Solver, SolverKind};
use crate::grid::Grid;

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

    /// Counts the solutions of `puzzles[i]` into `outcomes[i]`, each within bounds, and keeps none of them.
    /// Returns how many puzzles were searched: all of them, unless `stop` became true.
    ///
    /// # Panics
    ///
    /// Where the two slices differ in length.
    fn count_until(
        &mut self,
        puzzles: &[P],
        bounds: &Bounds,
        outcomes: &mut [Outcome<P::Solution>],
        stop: &AtomicBool,
    ) -> usize;

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
        list_each(puzzles, lists, stop, |puzzle, found| self.search_until(puzzle, bounds, stop, found))
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

/// How the puzzles of a batch are searched.
#[derive(Clone, Copy)]
pub(super) struct Terms<'a> {
    /// The bounds of each search.
    pub(super) bounds: Bounds,
    /// Whether the first solution of each is kept, and not only their number.
    pub(super) keeps_solutions: bool,
    /// Ends the whole search when it becomes true.
    pub(super) stop: &'a AtomicBool,
}

/// An engine that takes clues of every shape; its base is a [`Solver`] and a [`GridSolver`].
pub(super) trait Explorer: Send + Sized {
    /// The kind of the engine.
    const KIND: SolverKind;

    /// Searches the solutions of a puzzle, and breaks off when the account demands it.
    fn explore(&mut self, clues: Clues<'_>, account: &mut SearchAccount<'_>) -> ControlFlow<SearchEnd>;

    /// Returns the bytes of memory on the heap.
    fn heap(&self) -> usize;

    /// Searches a batch, one puzzle at a time unless the engine has a better method. Returns how many puzzles
    /// were searched.
    fn search_batch<P: GridLike>(
        &mut self,
        puzzles: &[P],
        terms: Terms<'_>,
        outcomes: &mut [Outcome<P::Solution>],
    ) -> usize {
        search_each(puzzles, terms, outcomes, |puzzle, account| self.explore(puzzle.clues(), account))
    }

    /// Lists the solutions of a batch, one puzzle at a time unless the engine has a better method. Returns how many
    /// puzzles were searched.
    fn list_batch(
        &mut self,
        puzzles: &[Clues<'_>],
        bounds: &Bounds,
        lists: &mut SolutionLists,
        stop: &AtomicBool,
    ) -> usize {
        list_each(puzzles, lists, stop, |clues, found| self.search_until(clues, bounds, stop, found))
    }
}

impl<E: Explorer, P: GridLike> Solver<P> for E {
    fn name(&self) -> &'static str {
        E::KIND.name()
    }

    fn solve_until(
        &mut self,
        puzzles: &[P],
        limit: SolutionLimit,
        outcomes: &mut [Outcome<P::Solution>],
        stop: &AtomicBool,
    ) -> usize {
        self.search_batch(puzzles, Terms { bounds: limit.into(), keeps_solutions: true, stop }, outcomes)
    }

    fn memory(&self) -> Option<usize> {
        Some(size_of::<E>() + self.heap())
    }
}

impl<E: Explorer, P: GridLike> GridSolver<P> for E {
    fn search_until(
        &mut self,
        puzzle: &P,
        bounds: &Bounds,
        stop: &AtomicBool,
        found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Searched {
        let mut account = SearchAccount::new(bounds, stop, found);
        let flow = self.explore(puzzle.clues(), &mut account);
        account.close(flow)
    }

    fn count_until(
        &mut self,
        puzzles: &[P],
        bounds: &Bounds,
        outcomes: &mut [Outcome<P::Solution>],
        stop: &AtomicBool,
    ) -> usize {
        self.search_batch(puzzles, Terms { bounds: *bounds, keeps_solutions: false, stop }, outcomes)
    }

    fn list_until(
        &mut self,
        puzzles: &[P],
        bounds: &Bounds,
        lists: &mut SolutionLists,
        stop: &AtomicBool,
    ) -> usize {
        let clues: Vec<Clues<'_>> = puzzles.iter().map(GridLike::clues).collect();
        self.list_batch(&clues, bounds, lists, stop)
    }
}

/// Searches puzzles one after the other, each with an account of its own. Returns how many were searched to
/// their ends.
pub(super) fn search_each<P: Solvable>(
    puzzles: &[P],
    Terms { bounds, keeps_solutions, stop }: Terms<'_>,
    outcomes: &mut [Outcome<P::Solution>],
    mut explore: impl FnMut(&P, &mut SearchAccount<'_>) -> ControlFlow<SearchEnd>,
) -> usize {
    solve_each(puzzles, outcomes, stop, |puzzle, outcome| {
        let mut keep = |digits: &[u8]| {
            if keeps_solutions && outcome.solution.is_none() {
                outcome.solution = puzzle.full_grid(digits);
            }
            ControlFlow::Continue(())
        };
        let mut account = SearchAccount::new(&bounds, stop, &mut keep);
        let flow = explore(puzzle, &mut account);
        let Searched { solutions, guesses, end } = account.close(flow);
        *outcome = Outcome {
            solutions,
            guesses,
            is_given_up: end == SearchEnd::Budget,
            solution: outcome.solution.take(),
            ..Outcome::NONE
        };
        if end == SearchEnd::Stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
}
