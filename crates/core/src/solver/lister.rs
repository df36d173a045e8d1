//! Listing the solutions of many puzzles; and the true candidates of a puzzle, the digits that its cells hold
//! in solutions.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Bounds, Budget, SearchEnd, SearchResult, SolutionEngine, Solvable};
use crate::grid::{Cell, Digit, DigitSet};

/// How many solutions of each puzzle the engine for batches lists. A larger number would be faster if puzzles
/// have thousands of solutions (1.1 times with four times as many), but slower if there is only one puzzle,
/// because it fills only one lane.
const FIRST_LISTED: u64 = 1024;

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
    batch: Option<Box<dyn SolutionEngine<P>>>,
    single: Box<dyn SolutionEngine<P>>,
    lists: SolutionLists,
    budget: Budget,
}

/// Receives each solution with the number of its puzzle. It breaks to end the listing of all puzzles.
type Receiver<'a> = dyn FnMut(usize, &[u8]) -> ControlFlow<()> + 'a;

impl<P: Solvable> Lister<P> {
    /// Makes a lister that finds the first solutions of each puzzle with `batch`, and the others with
    /// `single`. Without `batch`, `single` finds all of them, one puzzle at a time.
    #[must_use]
    pub fn new(batch: Option<Box<dyn SolutionEngine<P>>>, single: Box<dyn SolutionEngine<P>>) -> Lister<P> {
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
    ) -> Vec<SearchResult> {
        let limit = if limit == 0 { u64::MAX } else { limit };
        let together = if self.batch.is_some() { (MAX_HELD / limit.min(FIRST_LISTED)) as usize } else { 1 };
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
                let bounds = Bounds::solutions(limit.min(FIRST_LISTED)).and_budget(self.budget);
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
    ) -> SearchResult {
        let first = self.lists.searched(place);
        let continues = self.batch.is_none() || first.end == SearchEnd::Limit && limit > first.solutions;
        if !continues && first.end == SearchEnd::Stopped
            || self.lists.solutions(place).any(|digits| found(digits).is_break())
            || continues && stop.load(Ordering::Relaxed)
        {
            return SearchResult { end: SearchEnd::Stopped, ..first };
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
        SearchResult { solutions, guesses: first.guesses + others.guesses, end }
    }
}

/// The solutions of the puzzles of a batch, in the order in which an engine found them.
/// [`SolutionEngine::list_until`](SolutionEngine::list_until) fills them in. Reuse one value for all batches, because
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
    searched: SearchResult,
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
    pub fn searched(&self, puzzle: usize) -> SearchResult {
        self.lists[puzzle].searched
    }

    /// Clears the lists and marks all puzzles as not searched.
    pub(super) fn begin(&mut self, puzzles: usize) {
        const NOT_SEARCHED: SearchResult = SearchResult { solutions: 0, guesses: 0, end: SearchEnd::Stopped };
        for list in &mut self.lists {
            list.digits.clear();
            list.searched = NOT_SEARCHED;
        }
        let lists = puzzles.max(self.lists.len());
        self.lists.resize_with(lists, || List { digits: Vec::new(), cells: 1, searched: NOT_SEARCHED });
    }

    /// Adds a solution to the list of a puzzle.
    pub(super) fn add(&mut self, puzzle: usize, digits: &[u8]) {
        let list = &mut self.lists[puzzle];
        list.cells = digits.len();
        list.digits.extend_from_slice(digits);
    }

    /// Records how the search of a puzzle ended.
    pub(super) fn close(&mut self, puzzle: usize, searched: SearchResult) {
        self.lists[puzzle].searched = searched;
    }
}

/// How many solutions are looked at before single candidates are searched for.
const FIRST_SEEN: u64 = 64;

/// The true candidates of a puzzle, with the number of solutions of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrueCandidates {
    side: usize,
    cap: u64,
    /// The number of solutions for each cell and digit.
    solutions: Vec<u64>,
    /// How many of the first solutions were looked at: 0 if the puzzle has none, 1 if it has only one, and
    /// more if it has several, e.g. 64 for an empty grid.
    pub first_solutions: u64,
    /// Whether the budget was spent before all candidates were known. Those that were found by then are true.
    pub is_given_up: bool,
}

impl TrueCandidates {
    fn new(side: usize, cap: u64) -> TrueCandidates {
        let solutions = vec![0; side * side * side];
        TrueCandidates { side, cap, solutions, first_solutions: 0, is_given_up: false }
    }

    /// The number of solutions in which each cell, in reading order, holds each digit, up to the cap. It is
    /// empty if there is no solution, or if the budget was spent before all were known.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        if self.first_solutions > 0 && !self.is_given_up { &self.solutions } else { &[] }
    }

    /// The number of solutions in which a cell holds a digit, up to the cap.
    #[must_use]
    pub fn solutions(&self, cell: Cell, digit: Digit) -> u64 {
        self.solutions[self.place(cell.index(), digit.get())]
    }

    /// The digits that a cell holds in some solution.
    #[must_use]
    pub fn digits(&self, cell: Cell) -> DigitSet {
        let is_true = |&digit: &Digit| self.solutions(cell, digit) > 0;
        Digit::all(self.side).filter(is_true).fold(DigitSet::EMPTY, DigitSet::with)
    }

    fn place(&self, cell: usize, digit: u8) -> usize {
        cell * self.side + usize::from(digit) - 1
    }

    /// Counts a solution for each of its candidates.
    fn add(&mut self, cells: &[u8]) {
        for (cell, &digit) in cells.iter().enumerate() {
            let place = self.place(cell, digit);
            self.solutions[place] = (self.solutions[place] + 1).min(self.cap);
        }
    }
}

/// Finds the true candidates of a puzzle: the digits that its cells hold in at least one solution, with the
/// number of these solutions, up to `cap` (at least 1) for each. `None` if `stop` became true. All searches
/// together end when the budget is spent.
///
/// The function looks at the first solutions, and then searches for each candidate that they leave open. With
/// a cap of 1, each solution that is found settles all its candidates. So there are at most as many searches
/// as candidates, and mostly a few dozen. Each takes as long as the engine takes for a puzzle.
///
/// ```
/// use gridmill_core::grid::{Cell, Digit, Grid};
/// use gridmill_core::solver::{AnyBitmask, Budget, NEVER, true_candidates};
///
/// // 4x4 with 1 and 2 in the first row: the third cell is a 3 or a 4.
/// let mut cells = vec![0; 16];
/// cells[..2].copy_from_slice(&[1, 2]);
/// let puzzle = Grid::new("2x2".parse().unwrap(), cells).unwrap();
/// let found = true_candidates(&puzzle, 1000, Budget::NONE, &mut AnyBitmask::new(), &NEVER).unwrap();
/// let third = found.digits(Cell::new(2));
/// assert!(third.len() == 2 && third.contains(Digit::new(3).unwrap()));
/// assert_eq!(found.solutions(Cell::new(2), Digit::new(3).unwrap()), 12);
/// ```
///
/// # Panics
///
/// If the engine returns a grid that is not a solution, which is a bug in gridmill.
pub fn true_candidates<P: Solvable>(
    puzzle: &P,
    cap: u64,
    budget: Budget,
    engine: &mut dyn SolutionEngine<P>,
    stop: &AtomicBool,
) -> Option<TrueCandidates> {
    let cap = cap.max(1);
    let side = puzzle.shape().side();
    let mut found = TrueCandidates::new(side, cap);
    let mut left = Bounds::shared(budget);
    let first = FIRST_SEEN.max(cap);
    let (solutions, end) = search(puzzle, first, &mut left, engine, stop, &mut |cells| found.add(cells))?;
    (found.first_solutions, found.is_given_up) = (solutions, end == SearchEnd::Budget);
    if found.first_solutions < first {
        return Some(found);
    }
    for cell in Cell::all(puzzle.shape()) {
        for digit in Digit::all(side).filter(|&digit| puzzle.candidates(cell).contains(digit)) {
            if found.solutions(cell, digit) == cap {
                continue;
            }
            // With a larger cap, the solution may have been counted before.
            let mut see = |cells: &[u8]| {
                if cap == 1 {
                    found.add(cells);
                }
            };
            let narrowed = puzzle.narrowed(cell, digit);
            let (solutions, end) = search(&narrowed, cap, &mut left, engine, stop, &mut see)?;
            if end == SearchEnd::Budget {
                found.is_given_up = true;
                return Some(found);
            }
            let place = found.place(cell.index(), digit.get());
            found.solutions[place] = solutions;
        }
    }
    Some(found)
}

/// Passes up to `limit` solutions to `see`. Returns how many there were and why the search ended. `None` if
/// it was stopped.
fn search<P: Solvable>(
    puzzle: &P,
    limit: u64,
    left: &mut Bounds,
    engine: &mut dyn SolutionEngine<P>,
    stop: &AtomicBool,
    see: &mut dyn FnMut(&[u8]),
) -> Option<(u64, SearchEnd)> {
    let name = engine.name();
    let bounds = Bounds { solutions: limit, ..*left };
    let searched = engine.search_until(puzzle, &bounds, stop, &mut |cells| {
        assert!(puzzle.is_solved_by(cells), "the engine '{name}' gave a grid that is not a solution");
        see(cells);
        ControlFlow::Continue(())
    });
    left.spend(&searched);
    (searched.end != SearchEnd::Stopped).then_some((searched.solutions, searched.end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Grid, Pencilmarks, Puzzle, Shape};
    use crate::solver::{AnyBitmask, Bitmask, DancingLinks};

    static GO_ON: AtomicBool = AtomicBool::new(false);

    /// Counts the solutions of each candidate by listing all solutions.
    fn listed(puzzle: &Grid, cap: u64) -> TrueCandidates {
        let mut found = TrueCandidates::new(puzzle.shape().side(), cap);
        DancingLinks::new().search(puzzle, &Bounds::ALL, &mut |cells| {
            found.add(cells);
            found.first_solutions += 1;
            ControlFlow::Continue(())
        });
        found
    }

    fn grid(shape: &str, clues: &[(usize, u8)]) -> Grid {
        let shape: Shape = shape.parse().unwrap();
        let mut cells = vec![0; shape.cells()];
        clues.iter().for_each(|&(cell, digit)| cells[cell] = digit);
        Grid::new(shape, cells).unwrap()
    }

    #[test]
    fn candidates_agree_with_all_solutions() {
        for puzzle in [
            grid("2x2", &[]),
            grid("2x2", &[(0, 1), (5, 2), (10, 3)]),
            grid("2x2", &[(0, 1), (7, 1)]),
            grid("2x3", &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (9, 1), (20, 6), (30, 3), (35, 2)]),
        ] {
            for cap in [1, 2, 7, 100, u64::MAX] {
                let expected = listed(&puzzle, cap);
                let found =
                    true_candidates(&puzzle, cap, Budget::NONE, &mut AnyBitmask::new(), &GO_ON).unwrap();
                assert_eq!(found.solutions, expected.solutions, "{cap}: {puzzle:?}");
                assert_eq!(found.first_solutions == 1, expected.first_solutions == 1);
            }
        }
    }

    #[test]
    fn puzzles_without_solution_have_no_candidates() {
        let found =
            true_candidates(&grid("2x2", &[(0, 1), (1, 1)]), 1, Budget::NONE, &mut AnyBitmask::new(), &GO_ON);
        let found = found.unwrap();
        assert!(found.first_solutions == 0 && found.solutions.iter().all(|&solutions| solutions == 0));
    }

    #[test]
    fn pencilmarks_keep_only_true_candidates() {
        let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
        let marks = Pencilmarks::from(&line.parse::<Puzzle>().unwrap());
        let mut engine = Bitmask::new();
        let found = true_candidates(&marks, 1, Budget::NONE, &mut engine, &GO_ON).unwrap();
        assert_eq!(found.first_solutions, 1);
        let cells = Cell::all(Shape::CLASSIC);
        let digits: String = cells.map(|cell| found.digits(cell).lowest().unwrap().to_string()).collect();
        assert!(digits.starts_with("534678912672195348"), "{digits}");

        let empty = Pencilmarks::from(&Puzzle::EMPTY);
        let found = true_candidates(&empty, 1, Budget::NONE, &mut engine, &GO_ON).unwrap();
        assert!(Cell::all(Shape::CLASSIC).all(|cell| found.digits(cell).len() == 9));
    }

    #[test]
    fn stopped_search_has_no_candidates() {
        let stop = AtomicBool::new(true);
        assert_eq!(
            true_candidates(&grid("4x4", &[]), u64::MAX, Budget::NONE, &mut AnyBitmask::new(), &stop),
            None
        );
    }
}
