//! Listing the solutions of many puzzles.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Bounds, Budget, GridSolver, SearchEnd, Searched, Solvable};

/// How many solutions of each puzzle the engine for batches lists. A larger number would be faster if puzzles
/// have thousands of solutions (1.1 times with four times as many), but slower if there is only one puzzle,
/// because it fills only one lane.
const FIRST: u64 = 1024;

/// How many solutions of a batch are held in memory at most: 7 MB for 9x9. Fewer would leave lanes idle. More
/// would not fit into the second-level cache, which takes 1.5 times as long with limits of about a hundred.
const MAX_HELD: u64 = 1 << 16;

/// Lists the solutions of many puzzles, in the order of the puzzles.
///
/// It uses two engines. An engine for batches is many times faster than others if puzzles have few solutions,
/// or if you want few of each, but it holds them in memory. So it finds the first 1,024 solutions of each
/// puzzle. If there are more, an engine for single puzzles finds the others and hands them out at once. The
/// order of the solutions is that of the first engine, then that of the second. It does not depend on how
/// puzzles are cut into batches, and a limit gives the first ones in this order.
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

/// Receives each solution with the number of its puzzle. It breaks to end the listing of all puzzles.
type Receiver<'a> = dyn FnMut(usize, &[u8]) -> ControlFlow<()> + 'a;

impl<P: Solvable> Lister<P> {
    /// Makes a lister that finds the first solutions of each puzzle with `batch`, and the others with
    /// `single`. Without `batch`, `single` finds all of them, one puzzle at a time.
    #[must_use]
    pub fn new(batch: Option<Box<dyn GridSolver<P>>>, single: Box<dyn GridSolver<P>>) -> Lister<P> {
        Lister { batch, single, lists: SolutionLists::new(), budget: Budget::NONE }
    }

    /// Ends the list of each puzzle when its budget is spent. The two engines share the guesses, but each has
    /// the whole time.
    #[must_use]
    pub fn within(self, budget: Budget) -> Lister<P> {
        Lister { budget, ..self }
    }

    /// The name of the engine that finds the first solutions.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.batch.as_ref().map_or(self.single.name(), |batch| batch.name())
    }

    /// Hands out the solutions of each puzzle, up to `limit` of each (0 for all): first all of the first
    /// puzzle, then those of the second, and so on. Returns how each search ended. If `found` breaks or
    /// `stop` becomes true, the last result says that it was stopped, and there are none for the puzzles
    /// after it.
    pub fn list(
        &mut self,
        puzzles: &[P],
        limit: u64,
        stop: &AtomicBool,
        found: &mut Receiver<'_>,
    ) -> Vec<Searched> {
        let limit = if limit == 0 { u64::MAX } else { limit };
        let together = if self.batch.is_some() { (MAX_HELD / limit.min(FIRST)) as usize } else { 1 };
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

    /// Fills the lists with the first solutions of the puzzles.
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
        let continues = self.batch.is_none() || first.end == SearchEnd::Limit && limit > first.solutions;
        if !continues && first.end == SearchEnd::Stopped
            || self.lists.solutions(place).any(|digits| found(digits).is_break())
            || continues && stop.load(Ordering::Relaxed)
        {
            return Searched { end: SearchEnd::Stopped, ..first };
        }
        if !continues {
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

/// The solutions of the puzzles of a batch, in the order in which an engine found them.
/// [`GridSolver::list_until`](GridSolver::list_until) fills them in. Reuse one value for all batches, because
/// it keeps its memory.
#[derive(Debug, Default)]
pub struct SolutionLists {
    /// A list for each puzzle of the batch, followed by empty ones, which keep their memory for larger
    /// batches.
    lists: Vec<List>,
}

/// The list of a puzzle.
#[derive(Debug)]
struct List {
    /// The digits of its solutions, one after the other.
    digits: Vec<u8>,
    /// The number of cells of a solution. It is 1 until there is a solution.
    cells: usize,
    searched: Searched,
}

impl SolutionLists {
    /// Lists for no puzzles.
    #[must_use]
    pub fn new() -> SolutionLists {
        SolutionLists::default()
    }

    /// Iterates over the solutions of a puzzle, numbered from 0. Each is its digits in reading order.
    ///
    /// # Panics
    ///
    /// If neither this batch nor an earlier one had a puzzle of that number.
    pub fn solutions(&self, puzzle: usize) -> impl Iterator<Item = &[u8]> {
        let List { digits, cells, .. } = &self.lists[puzzle];
        digits.chunks_exact(*cells)
    }

    /// How the search of a puzzle ended, e.g. [`SearchEnd::Limit`] if it found as many solutions as allowed.
    /// It is [`SearchEnd::Stopped`] if it was stopped or never begun.
    ///
    /// # Panics
    ///
    /// If neither this batch nor an earlier one had a puzzle of that number.
    #[must_use]
    pub fn searched(&self, puzzle: usize) -> Searched {
        self.lists[puzzle].searched
    }

    /// Clears the lists and marks all puzzles as not searched.
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

    /// Records how the search of a puzzle ended.
    pub(super) fn close(&mut self, puzzle: usize, searched: Searched) {
        self.lists[puzzle].searched = searched;
    }
}
