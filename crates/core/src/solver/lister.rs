//! Listing the solutions of many puzzles.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Bounds, Budget, GridSolver, SearchEnd, Searched, Solvable};

/// Solutions of a puzzle that an engine for batches lists. With more of them it is quicker still where puzzles have
/// thousands (1.1 times with four times as many), and slower where one puzzle is alone, and fills one lane.
const FIRST: u64 = 1024;

/// Solutions of a batch that are held in memory at most: 7 MB of those of 9x9. Fewer would leave lanes idle, more
/// leave the second-level cache, which takes 1.5 times as long with limits of about a hundred.
const ROOM: u64 = 1 << 16;

/// Lists the solutions of many puzzles, in the order of the puzzles.
///
/// An engine for batches is many times as quick as others where puzzles have few solutions, or few are wanted, and it
/// holds them in memory. So it finds the first 1,024 of each puzzle, and where there are more, an engine for single
/// puzzles hands out the others as it finds them. The order is that of the one, then that of the other: the same
/// however puzzles are cut into batches, and a limit gives the first ones of it.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::sync::atomic::AtomicBool;
///
/// use gridmill_core::grid::{Grid, Shape};
/// use gridmill_core::solver::{AnyBitmask, AnyLockstep, Lister};
///
/// // The 288 grids of 4x4, for each of two puzzles without a clue.
/// let blanks = vec![Grid::empty(Shape::new(2, 2).unwrap()); 2];
/// let mut lister = Lister::new(Some(Box::new(AnyLockstep::new())), Box::new(AnyBitmask::new()));
/// let mut listed = [0, 0];
/// let searched = lister.list(&blanks, 0, &AtomicBool::new(false), &mut |puzzle, digits| {
///     assert_eq!(digits.len(), 16);
///     listed[puzzle] += 1;
///     ControlFlow::Continue(())
/// });
/// assert_eq!((listed, searched[1].solutions), ([288, 288], 288));
/// ```
pub struct Lister<P: Solvable> {
    batch: Option<Box<dyn GridSolver<P>>>,
    single: Box<dyn GridSolver<P>>,
    lists: SolutionLists,
    budget: Budget,
}

/// Receives the solutions of puzzles by their numbers, and breaks off if no more are wanted of any.
type Receiver<'a> = dyn FnMut(usize, &[u8]) -> ControlFlow<()> + 'a;

impl<P: Solvable> Lister<P> {
    /// Returns a lister that finds the first solutions of each puzzle with `batch`, and the others with `single`; without
    /// `batch` all of them, a puzzle at a time.
    #[must_use]
    pub fn new(batch: Option<Box<dyn GridSolver<P>>>, single: Box<dyn GridSolver<P>>) -> Lister<P> {
        Lister { batch, single, lists: SolutionLists::new(), budget: Budget::NONE }
    }

    /// Lets the list of each puzzle end at a budget. The two engines share the guesses, and each has the whole time.
    #[must_use]
    pub fn within(self, budget: Budget) -> Lister<P> {
        Lister { budget, ..self }
    }

    /// Returns the name of the engine that finds the first solutions.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.batch.as_ref().map_or(self.single.name(), |batch| batch.name())
    }

    /// Hands out the solutions of each puzzle, up to `limit` of each, 0 for all of them: all of the first puzzle, then
    /// those of the second. Returns how the searches went. They end when `found` breaks off or `stop` becomes true; the
    /// last one returned was then stopped, and those behind it are missing.
    pub fn list(
        &mut self,
        puzzles: &[P],
        limit: u64,
        stop: &AtomicBool,
        found: &mut Receiver<'_>,
    ) -> Vec<Searched> {
        let limit = if limit == 0 { u64::MAX } else { limit };
        let together = if self.batch.is_some() { (ROOM / limit.min(FIRST)) as usize } else { 1 };
        let mut all_searched = Vec::with_capacity(puzzles.len());
        for puzzles in puzzles.chunks(together) {
            let first = all_searched.len();
            self.list_first(puzzles, limit, stop);
            for (place, puzzle) in puzzles.iter().enumerate() {
                let searched =
                    self.list_one(place, puzzle, limit, stop, &mut |digits| found(first + place, digits));
                all_searched.push(searched);
                if searched.end == SearchEnd::Stopped {
                    return all_searched;
                }
            }
        }
        all_searched
    }

    /// Fills the lists with the first solutions of puzzles.
    fn list_first(&mut self, puzzles: &[P], limit: u64, stop: &AtomicBool) {
        match &mut self.batch {
            Some(batch) => {
                let bounds = Bounds::solutions(limit.min(FIRST)).and_budget(self.budget);
                batch.list_until(puzzles, &bounds, &mut self.lists, stop);
            }
            None => self.lists.begin(puzzles.len()),
        }
    }

    /// Hands out the solutions of a puzzle: those in its list, then the others.
    fn list_one(
        &mut self,
        place: usize,
        puzzle: &P,
        limit: u64,
        stop: &AtomicBool,
        found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Searched {
        let first = self.lists.searched(place);
        let goes_on = self.batch.is_none() || first.end == SearchEnd::Limit && limit > first.solutions;
        if !goes_on && first.end == SearchEnd::Stopped
            || self.lists.solutions(place).any(|digits| found(digits).is_break())
            || goes_on && stop.load(Ordering::Relaxed)
        {
            return Searched { end: SearchEnd::Stopped, ..first };
        }
        if !goes_on {
            return first;
        }
        let mut listed: HashSet<&[u8]> = self.lists.solutions(place).collect();
        let mut solutions = listed.len() as u64;
        let guesses = self.budget.guesses.map(|guesses| guesses.saturating_sub(first.guesses));
        let bounds = Bounds::ALL.and_budget(Budget { guesses, ..self.budget });
        let others = self.single.search_until(puzzle, &bounds, stop, &mut |digits| {
            if !listed.is_empty() && listed.remove(digits) {
                return ControlFlow::Continue(());
            }
            found(digits)?;
            solutions += 1;
            if solutions == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let end = if solutions == limit { SearchEnd::Limit } else { others.end };
        Searched { solutions, guesses: first.guesses + others.guesses, end }
    }
}

/// The solutions of the puzzles of a batch, in the order in which an engine found them:
/// [`GridSolver::list_until`](GridSolver::list_until) fills them in. A value is used again from batch to batch, with its
/// memory.
#[derive(Debug, Default)]
pub struct SolutionLists {
    /// A list for each puzzle, and empty ones behind them, which keep their memory for larger batches.
    lists: Vec<List>,
}

/// The list of a puzzle.
#[derive(Debug)]
struct List {
    /// The digits of its solutions.
    digits: Vec<u8>,
    /// The cells of a solution, once there is one.
    cells: usize,
    searched: Searched,
}

impl SolutionLists {
    /// Returns lists of no puzzles.
    #[must_use]
    pub fn new() -> SolutionLists {
        SolutionLists::default()
    }

    /// Iterates over the solutions of a puzzle, numbered from 0: digits in reading order.
    ///
    /// # Panics
    ///
    /// Where neither this batch nor an earlier one has had such a puzzle.
    pub fn solutions(&self, puzzle: usize) -> impl Iterator<Item = &[u8]> {
        let List { digits, cells, .. } = &self.lists[puzzle];
        digits.chunks_exact(*cells)
    }

    /// Returns how the search of a puzzle went: [`SearchEnd::Stopped`] where it was stopped, or never begun.
    ///
    /// # Panics
    ///
    /// Where neither this batch nor an earlier one has had such a puzzle.
    #[must_use]
    pub fn searched(&self, puzzle: usize) -> Searched {
        self.lists[puzzle].searched
    }

    /// Clears the lists, for puzzles that have not been searched.
    pub(super) fn begin(&mut self, puzzles: usize) {
        const SEARCHED: Searched = Searched { solutions: 0, guesses: 0, end: SearchEnd::Stopped };
        for list in &mut self.lists {
            list.digits.clear();
            list.searched = SEARCHED;
        }
        let lists = puzzles.max(self.lists.len());
        self.lists.resize_with(lists, || List { digits: Vec::new(), cells: 1, searched: SEARCHED });
    }

    /// Adds a solution to the list of a puzzle.
    pub(super) fn add(&mut self, puzzle: usize, digits: &[u8]) {
        let list = &mut self.lists[puzzle];
        list.cells = digits.len();
        list.digits.extend_from_slice(digits);
    }

    /// Sets how the search of a puzzle went.
    pub(super) fn close(&mut self, puzzle: usize, searched: Searched) {
        self.lists[puzzle].searched = searched;
    }
}
