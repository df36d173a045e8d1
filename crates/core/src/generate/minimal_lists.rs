//! Lists all minimal puzzles within a puzzle: the subsets of its clues that have one solution, and would lose
//! it with any clue fewer.
//!
//! A *rival* is a solution of some of the clues that differs from the solution of the puzzle. A set of clues
//! has one solution if and only if it excludes every rival, i.e. it has a clue in which the rival differs. So
//! minimal puzzles are the minimal sets that meet the differences of all rivals (minimal hitting sets). There
//! are far too many rivals to list them first, so they are found when they are needed.
//!
//! ```text
//! kept: clues that are in    open: not decided yet    removed: the others
//! decide the first open clue:
//!     a rival differs in it, and in none of the other kept and open ones:  keep it, because it is necessary
//!     else with it:     keep it, if each kept clue still has a rival that differs in it and in no other kept one
//!          without it:  remove it; keep the clues that known rivals now require
//! no clue is open: the kept ones are a minimal puzzle
//! ```
//!
//! If some clue of a set has no such rival left, the set can't become minimal by adding clues. Such a path ends at once, so few
//! paths of the search are in vain. No puzzle is found twice, because each path decides about a clue in one way only. Known rivals answer most questions by comparing a
//! few words of bits. The others take a search for a solution with another digit in that clue's cell. Keeping
//! is tried before removing, so that the puzzles come in the order of the places of their clues.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::Minimized;
use super::digger::grid;
use crate::grid::{BitSet, Cell, Shape};
use crate::solver::{AnyBitmask, Bounds, Budget, SearchEnd, SolutionEngine, Solvable};

/// How many rivals are remembered. After that, new ones replace the oldest, because looking through this many
/// takes as long as a search.
const MAX_RIVALS: usize = 2048;

/// Lists the minimal puzzles within puzzles. Make one lister for each thread.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use gridmill_core::Puzzle;
/// use gridmill_core::generate::MinimalLister;
/// use gridmill_core::solver::NEVER;
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let mut clues = Vec::new();
/// let mut count = |cells: &[u8]| {
///     clues.push(cells.iter().filter(|&&cell| cell != 0).count());
///     ControlFlow::Continue(())
/// };
/// let listed = MinimalLister::default().list(&puzzle, 0, &NEVER, &mut count).unwrap();
/// assert_eq!((listed.result, clues.len()), (416, 416));
/// assert!(clues.iter().all(|&clues| clues < 30));
/// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
/// ```
#[derive(Debug, Default)]
pub struct MinimalLister {
    engine: AnyBitmask,
    budget: Budget,
}

/// Receives the cells of a minimal puzzle. It breaks if no more are wanted.
type Receiver<'a> = dyn FnMut(&[u8]) -> ControlFlow<()> + 'a;

impl MinimalLister {
    /// Makes a lister with a budget for all searches of each puzzle. A list ends when it is spent.
    #[must_use]
    pub fn new(budget: Budget) -> MinimalLister {
        MinimalLister { engine: AnyBitmask::new(), budget }
    }

    /// Passes the minimal puzzles within a puzzle to `found`, up to `limit` (0 for all), in the order of the
    /// places of their clues: the first one has the earliest clues. Returns how many there were, or `None` if
    /// `found` breaks or `stop` becomes true. A puzzle that is not proper has none.
    pub fn list(
        &mut self,
        puzzle: &impl Solvable,
        limit: u64,
        stop: &AtomicBool,
        found: &mut Receiver<'_>,
    ) -> Option<Minimized<u64>> {
        let clues = puzzle.clues();
        let mut bounds = Bounds::shared(self.budget);
        let mut solution = Vec::new();
        let two = Bounds { solutions: 2, ..bounds };
        let searched = self.engine.search_until(&grid(clues.shape, clues.cells), &two, stop, &mut |digits| {
            if solution.is_empty() {
                solution.extend_from_slice(digits);
            }
            ControlFlow::Continue(())
        });
        bounds.spend(&searched);
        let (solutions, is_given_up) = (searched.solutions, searched.end == SearchEnd::Budget);
        if searched.end == SearchEnd::Stopped {
            return None;
        }
        if solutions != 1 || is_given_up {
            return Some(Minimized { solutions, is_given_up, result: 0 });
        }
        let places: Vec<usize> = (0..clues.cells.len()).filter(|&cell| clues.cells[cell] != 0).collect();
        let limit = if limit == 0 { u64::MAX } else { limit };
        let context =
            SearchContext { engine: &mut self.engine, shape: clues.shape, places, solution, bounds, stop };
        // The sets of clues have only as many words as they need, because comparing them takes most of the
        // time.
        let (listed, end) = match context.places.len() {
            ..=128 => MinimalSearch::<2>::new(context, limit, found).run(),
            _ => MinimalSearch::<10>::new(context, limit, found).run(),
        };
        match end {
            ListEnd::Stopped => None,
            end => Some(Minimized { solutions, is_given_up: end == ListEnd::Budget, result: listed }),
        }
    }
}

/// Why a list ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListEnd {
    /// All puzzles that are wanted are in it.
    Whole,
    /// The guesses or the time were spent.
    Budget,
    /// The receiver broke, or the stop flag became true.
    Stopped,
}

/// The parts of a search that do not depend on the number of words of its sets.
struct SearchContext<'a> {
    engine: &'a mut AnyBitmask,
    shape: Shape,
    /// The cells of the clues.
    places: Vec<usize>,
    solution: Vec<u8>,
    /// The rest of the budget.
    bounds: Bounds,
    stop: &'a AtomicBool,
}

/// The search for the minimal puzzles within a puzzle.
struct MinimalSearch<'a, 'f, const W: usize> {
    context: SearchContext<'a>,
    /// The clues in which each known rival differs from the solution.
    rivals: Vec<BitSet<W>>,
    /// The rival that is replaced next, if as many are known as can be remembered.
    oldest: usize,
    limit: u64,
    listed: u64,
    found: &'a mut Receiver<'f>,
    /// A buffer for the cells of a puzzle.
    cells: Vec<u8>,
}

/// A node of the search: the clues that are kept, those that are kept or open, and for each kept clue a rival
/// that differs in it and in no other kept one, which is the reason to keep it.
#[derive(Clone)]
struct SearchNode<const W: usize> {
    kept: BitSet<W>,
    inside: BitSet<W>,
    reasons: Vec<BitSet<W>>,
}

impl<'a, 'f, const W: usize> MinimalSearch<'a, 'f, W> {
    fn new(context: SearchContext<'a>, limit: u64, found: &'a mut Receiver<'f>) -> MinimalSearch<'a, 'f, W> {
        let cells = vec![0; context.solution.len()];
        MinimalSearch { context, rivals: Vec::new(), oldest: 0, limit, listed: 0, found, cells }
    }

    /// Lists the puzzles. Returns how many there were, and why the list ended.
    fn run(mut self) -> (u64, ListEnd) {
        let clues = self.context.places.len();
        let inside = (0..clues).fold(BitSet::EMPTY, BitSet::with);
        let begin = SearchNode { kept: BitSet::EMPTY, inside, reasons: vec![BitSet::EMPTY; clues] };
        let end = match self.decide(begin) {
            ControlFlow::Break(end) => end,
            ControlFlow::Continue(()) => ListEnd::Whole,
        };
        (self.listed, end)
    }

    /// Decides the open clues one after the other, and tries both decisions for each.
    fn decide(&mut self, mut node: SearchNode<W>) -> ControlFlow<ListEnd> {
        while let Some(clue) = node.inside.minus(node.kept).first() {
            let others = node.inside.without(clue);
            let rival = self.rival(clue, others)?;
            if let Some(rival) = rival {
                if !self.keep(&mut node, clue, rival)? {
                    return ControlFlow::Continue(());
                }
                continue;
            }
            let mut with = node.clone();
            if let Some(rival) = self.rival(clue, node.kept)?
                && self.keep(&mut with, clue, rival)?
            {
                self.decide(with)?;
            }
            node.inside = others;
            if !self.keep_necessary(&mut node, clue)? {
                return ControlFlow::Continue(());
            }
        }
        self.report(node.kept)
    }

    /// Keeps a clue; `rival` differs in it and in no kept one. Returns whether each kept clue still has such
    /// a rival.
    fn keep(
        &mut self,
        node: &mut SearchNode<W>,
        clue: usize,
        rival: BitSet<W>,
    ) -> ControlFlow<ListEnd, bool> {
        node.reasons[clue] = rival;
        for other in node.kept.iter() {
            if node.reasons[other].has(clue) {
                let Some(rival) = self.rival(other, node.kept.without(other).with(clue))? else {
                    return ControlFlow::Continue(false);
                };
                node.reasons[other] = rival;
            }
        }
        node.kept = node.kept.with(clue);
        ControlFlow::Continue(true)
    }

    /// Keeps the clues that known rivals make necessary now that a clue has been removed. Returns whether
    /// each kept clue still has a reason.
    fn keep_necessary(&mut self, node: &mut SearchNode<W>, removed: usize) -> ControlFlow<ListEnd, bool> {
        let mut next = 0;
        while let Some(&rival) = self.rivals.get(next) {
            next += 1;
            if rival.has(removed)
                && let Some(clue) = rival.and(node.inside).only()
                && !node.kept.has(clue)
                && !self.keep(node, clue, rival)?
            {
                return ControlFlow::Continue(false);
            }
        }
        ControlFlow::Continue(true)
    }

    /// Finds a rival that differs in a clue, and in none of the given others. Returns the clues in which it
    /// differs, or `None` if there is no such rival.
    fn rival(&mut self, clue: usize, others: BitSet<W>) -> ControlFlow<ListEnd, Option<BitSet<W>>> {
        let is_one = |rival: &&BitSet<W>| rival.has(clue) && !rival.meets(&others);
        if let Some(&known) = self.rivals.iter().rev().find(is_one) {
            return ControlFlow::Continue(Some(known));
        }
        let SearchContext { engine, shape, places, solution, bounds, stop } = &mut self.context;
        if stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(ListEnd::Stopped);
        }
        if bounds.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return ControlFlow::Break(ListEnd::Budget);
        }
        let cell = places[clue];
        let mut taken = vec![false; shape.side() + 1];
        taken[usize::from(solution[cell])] = true;
        self.cells.fill(0);
        for other in others.iter().map(|other| places[other]) {
            self.cells[other] = solution[other];
            taken[usize::from(solution[other])] |= Cell::new(other).sees(Cell::new(cell), *shape);
        }
        for digit in (1..=shape.side() as u8).filter(|&digit| !taken[usize::from(digit)]) {
            self.cells[cell] = digit;
            let mut rival = None;
            let one = Bounds { solutions: 1, ..*bounds };
            let searched = engine.search_until(&grid(*shape, &self.cells), &one, stop, &mut |digits| {
                let differs = |&clue: &usize| digits[places[clue]] != solution[places[clue]];
                rival = Some((0..places.len()).filter(differs).fold(BitSet::EMPTY, BitSet::with));
                ControlFlow::Continue(())
            });
            bounds.spend(&searched);
            match (rival, searched.end) {
                (Some(rival), _) => {
                    self.remember(rival);
                    return ControlFlow::Continue(Some(rival));
                }
                (None, SearchEnd::Stopped) => return ControlFlow::Break(ListEnd::Stopped),
                (None, SearchEnd::Budget) => return ControlFlow::Break(ListEnd::Budget),
                (None, _) => {}
            }
            self.cells[cell] = 0;
        }
        ControlFlow::Continue(None)
    }

    fn remember(&mut self, rival: BitSet<W>) {
        if self.rivals.len() < MAX_RIVALS {
            return self.rivals.push(rival);
        }
        self.rivals[self.oldest] = rival;
        self.oldest = (self.oldest + 1) % MAX_RIVALS;
    }

    /// Passes the puzzle of some clues to the receiver.
    fn report(&mut self, clues: BitSet<W>) -> ControlFlow<ListEnd> {
        let SearchContext { places, solution, .. } = &self.context;
        self.cells.fill(0);
        clues.iter().for_each(|clue| self.cells[places[clue]] = solution[places[clue]]);
        if (self.found)(&self.cells).is_break() {
            return ControlFlow::Break(ListEnd::Stopped);
        }
        self.listed += 1;
        if self.listed == self.limit { ControlFlow::Break(ListEnd::Whole) } else { ControlFlow::Continue(()) }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use rand::seq::SliceRandom;

    use super::*;
    use crate::generate::{FullGrids, Generator, GridMethod, Recipe};
    use crate::grid::Grid;
    use crate::simd::Backend;
    use crate::solver::NEVER;

    fn listed(puzzle: &Grid, limit: u64) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        let mut add = |cells: &[u8]| {
            all.push(cells.to_vec());
            ControlFlow::Continue(())
        };
        let found = MinimalLister::default().list(puzzle, limit, &NEVER, &mut add).unwrap();
        assert_eq!((found.solutions, found.is_given_up, found.result), (1, false, all.len() as u64));
        all
    }

    fn is_proper(shape: Shape, cells: &[u8]) -> bool {
        AnyBitmask::new().count(&grid(shape, cells), &Bounds::solutions(2)).solutions == 1
    }

    /// Lists the minimal puzzles by trying every set of clues, in the order of their places.
    fn by_brute_force(puzzle: &Grid) -> Vec<Vec<u8>> {
        let (shape, cells) = (puzzle.shape(), puzzle.cells());
        let without = |cells: &[u8], cell: usize| {
            let mut less = cells.to_vec();
            less[cell] = 0;
            less
        };
        let clues = (0..cells.len()).filter(|&cell| cells[cell] != 0);
        // Clues that can't be removed alone are in every proper puzzle.
        let free: Vec<usize> = clues.filter(|&cell| is_proper(shape, &without(cells, cell))).collect();
        assert!(free.len() <= 16, "{}", free.len());
        let sets = 0..1_u32 << free.len();
        let of_set = |set: u32| {
            let removed = free.iter().enumerate().filter(|&(bit, _)| set >> bit & 1 == 1);
            removed.fold(cells.to_vec(), |cells, (_, &cell)| without(&cells, cell))
        };
        let proper: Vec<bool> = sets.clone().map(|set| is_proper(shape, &of_set(set))).collect();
        let is_minimal = |set: &u32| {
            let more = (0..free.len()).map(|bit| set | 1 << bit).filter(|more| more != set);
            proper[*set as usize] && more.into_iter().all(|more| !proper[more as usize])
        };
        let mut minimal: Vec<Vec<u8>> = sets.filter(is_minimal).map(of_set).collect();
        minimal.sort_by_key(|cells| (0..cells.len()).filter(|&cell| cells[cell] != 0).collect::<Vec<_>>());
        minimal
    }

    /// A full grid of which a number of random clues is left.
    fn with_clues(shape: &str, clues: usize, seed: u64) -> Grid {
        let shape: Shape = shape.parse().unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut cells = FullGrids::new(shape, GridMethod::Backtracking, Backend::best()).make(&mut rng);
        let mut order: Vec<usize> = (0..cells.len()).collect();
        order.shuffle(&mut rng);
        let mut left = cells.len();
        for cell in order {
            let digit = std::mem::take(&mut cells[cell]);
            if left == clues || !is_proper(shape, &cells) {
                cells[cell] = digit;
            } else {
                left -= 1;
            }
        }
        grid(shape, &cells)
    }

    #[test]
    fn lists_agree_with_brute_force() {
        let mut most = 0;
        for (shape, clues) in
            [("2x2", 4), ("2x2", 8), ("2x2", 12), ("2x3", 12), ("2x3", 15), ("3x2", 14), ("2x4", 24)]
        {
            for seed in 0..6 {
                let puzzle = with_clues(shape, clues, seed);
                let expected = by_brute_force(&puzzle);
                assert_eq!(listed(&puzzle, 0), expected, "{puzzle}");
                most = most.max(expected.len());
            }
        }
        assert!(most > 50, "{most}");
    }

    #[test]
    fn lists_of_classic_puzzles_agree_with_brute_force() {
        for (clues, count) in [(26, 12), (28, 6), (30, 2)] {
            let recipe = Recipe { clues: Some(clues..=clues), ..Recipe::default() };
            let made = Generator::new(&recipe, 5, None).unwrap().attempts(0..count);
            for made in made.into_iter().flatten() {
                assert_eq!(listed(&made.puzzle, 0), by_brute_force(&made.puzzle), "{}", made.puzzle);
            }
        }
    }

    #[test]
    fn minimal_puzzles_list_themselves_and_improper_ones_list_nothing() {
        let minimal = with_clues("3x3", 0, 4);
        assert_eq!(listed(&minimal, 0), [minimal.cells().to_vec()]);
        let mut lister = MinimalLister::default();
        let empty = Grid::empty(Shape::CLASSIC);
        let found = lister.list(&empty, 0, &NEVER, &mut |_| panic!("there is none")).unwrap();
        assert_eq!((found.solutions, found.is_given_up, found.result), (2, false, 0));
    }

    #[test]
    fn a_limit_gives_the_first_ones_even_of_a_full_grid() {
        let puzzle = with_clues("3x3", 34, 9);
        let all = listed(&puzzle, 0);
        let half = all.len() / 2;
        assert!(half > 2, "{half}");
        assert_eq!(listed(&puzzle, half as u64), all[..half]);
        let full = with_clues("2x3", 36, 9);
        let first = listed(&full, 20);
        assert!(first.len() == 20 && first.iter().all(|cells| is_proper(full.shape(), cells)));
    }

    #[test]
    fn a_list_ends_at_a_budget_or_a_stop() {
        let puzzle = with_clues("3x3", 40, 2);
        let mut listed = 0;
        let mut count = |_: &[u8]| {
            listed += 1;
            ControlFlow::Continue(())
        };
        let mut lister = MinimalLister::new(Budget::from_guesses(500));
        let found = lister.list(&puzzle, 0, &NEVER, &mut count).unwrap();
        assert_eq!((found.solutions, found.is_given_up, found.result), (1, true, listed));
        assert_eq!(lister.list(&puzzle, 0, &AtomicBool::new(true), &mut |_| ControlFlow::Continue(())), None);
        assert_eq!(MinimalLister::default().list(&puzzle, 0, &NEVER, &mut |_| ControlFlow::Break(())), None);
    }
}
