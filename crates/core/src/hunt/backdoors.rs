//! Backdoors: the fewest cells whose digits leave only easy steps to do.
//!
//! The digits of a set of cells are put into the puzzle, and then the *logic* continues: naked and hidden
//! singles, or all techniques up to a rating. If that fills the grid, the set is a backdoor. Sets of one cell
//! are tried first, then pairs, then triples, so that the first backdoor has the fewest cells.
//!
//! ```text
//! logic from the clues ──► full: 0 cells
//!        │ stuck
//!        ▼
//! a blank cell ──► logic ──► full: a backdoor
//!        │                    │ stuck: no cell that was filled now is a backdoor, because it fills less
//!        ▼                    ▼
//! a second cell among those that are blank, ...
//! ```
//!
//! Singles are monotone: more digits at the beginning never fill fewer cells at the end. So if a cell fails,
//! every cell that singles filled after it fails too, and is not tried. That leaves about a third of the cells.
//! Techniques are not monotone, because e.g. a unique rectangle needs four blank cells, so all sets are tried.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::SolvedGrid;
use crate::grid::{BitSet, Cell, bits_of};
use crate::logic::{Rater, Rating, Scale, State};
use crate::solver::{Bounds, Budget, Solvable};

/// Finds the backdoors of puzzles. Make one for each thread, because it keeps its memory.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::hunt::BackdoorFinder;
/// use gridmill_core::solver::{Budget, NEVER};
/// use gridmill_core::{EngineKind, SolutionLimit, Solver};
///
/// let puzzle: Puzzle = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..".parse()?;
/// let solution = EngineKind::Bitmask.build().solve(&puzzle, SolutionLimit::UNIQUENESS).solution.unwrap();
/// let mut finder = BackdoorFinder::new(None, Budget::NONE);
/// let found = finder.find(&puzzle, solution.cells(), true, &NEVER).unwrap();
/// assert_eq!(found.size, Some(2));
/// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
/// ```
#[derive(Debug)]
pub struct BackdoorFinder {
    /// Makes the rounds of the techniques, if they are wanted instead of singles.
    rater: Option<Rater>,
    budget: Budget,
    /// The solution, in sets of cells of the size that its shape needs.
    classic: SolvedGrid<2>,
    large: SolvedGrid<10>,
}

/// The smallest backdoors of a puzzle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackdoorSets {
    /// How many cells they have. `None` if it is more than [`BackdoorFinder::MAX_SIZE`], or not known because
    /// the search was given up.
    pub size: Option<usize>,
    /// The sets in the order of their cells, which are in reading order: all, or only the first.
    pub sets: Vec<Vec<Cell>>,
    /// Whether the budget was spent before the end of the search.
    pub is_given_up: bool,
}

impl BackdoorFinder {
    /// The most cells of a set that is tried.
    pub const MAX_SIZE: usize = 3;

    /// Makes a finder for which easy steps are naked and hidden singles, or all techniques up to a rating of
    /// the default scale. The budget is for each puzzle; each set that is tried counts as a guess.
    #[must_use]
    pub fn new(up_to: Option<Rating>, budget: Budget) -> BackdoorFinder {
        let rater = up_to.map(|limit| Rater::new(Scale::default(), limit));
        BackdoorFinder { rater, budget, classic: SolvedGrid::default(), large: SolvedGrid::default() }
    }

    /// Finds the smallest backdoors of a puzzle with the given digits as its only solution: `all` of them, or
    /// the first. `None` if `stop` became true.
    ///
    /// # Panics
    ///
    /// If techniques are wanted, and the puzzle is not 9x9.
    pub fn find<P: Solvable>(
        &mut self,
        puzzle: &P,
        solution: &[u8],
        all: bool,
        stop: &AtomicBool,
    ) -> Option<BackdoorSets> {
        let BackdoorFinder { rater, budget, classic, large } = self;
        let limits = Limits { all, bounds: Bounds::shared(*budget), stop };
        let found = match rater {
            Some(rater) => {
                classic.fit(puzzle.shape(), solution);
                SetSearch::new(TechniqueLogic { rater, grid: classic }, limits).run(State::new(puzzle))
            }
            None if solution.len() <= 128 => by_singles(puzzle, solution, classic, limits),
            None => by_singles(puzzle, solution, large, limits),
        };
        found.filter(|_| !stop.load(Ordering::Relaxed))
    }
}

/// Finds the smallest backdoors for naked and hidden singles.
fn by_singles<const W: usize>(
    puzzle: &impl Solvable,
    solution: &[u8],
    grid: &mut SolvedGrid<W>,
    limits: Limits<'_>,
) -> Option<BackdoorSets> {
    grid.fit(puzzle.shape(), solution);
    let start = SinglesState::new(puzzle, grid);
    SetSearch::new(SinglesLogic { grid }, limits).run(start)
}

/// Steps that fill cells by logic. The state is that of a puzzle on the way to its solution.
trait Logic<const W: usize> {
    type State: Clone;

    /// Whether more digits at the beginning never fill fewer cells at the end.
    const IS_MONOTONE: bool;

    /// Puts the digit of the solution into a cell.
    fn place(&self, state: &mut Self::State, cell: usize);

    /// Makes steps until there are no more, or `stop` is true.
    fn finish(&mut self, state: &mut Self::State, stop: &AtomicBool);

    /// The cells that are blank.
    fn blanks(state: &Self::State) -> BitSet<W>;
}

/// Naked and hidden singles.
struct SinglesLogic<'a, const W: usize> {
    grid: &'a SolvedGrid<W>,
}

/// The candidates of a puzzle whose solution is known, without those of the solution. A single shows when the
/// last other candidate is gone: from a cell for a naked single, or from a house for a hidden one.
struct SinglesState<const W: usize> {
    /// The other candidates of each cell, as a mask.
    others: Vec<u32>,
    /// For each digit, the cells that have it as another candidate.
    cells: Vec<BitSet<W>>,
    /// For each house and digit, how many cells have it as another candidate.
    left: Vec<u8>,
    blanks: BitSet<W>,
    /// Singles that are not filled yet, some of them more than once.
    singles: Vec<u16>,
}

/// Copies keep the memory of the vectors.
impl<const W: usize> Clone for SinglesState<W> {
    fn clone(&self) -> SinglesState<W> {
        let SinglesState { others, cells, left, blanks, singles } = self;
        let (others, cells, left) = (others.clone(), cells.clone(), left.clone());
        SinglesState { others, cells, left, blanks: *blanks, singles: singles.clone() }
    }

    fn clone_from(&mut self, source: &SinglesState<W>) {
        self.others.clone_from(&source.others);
        self.cells.clone_from(&source.cells);
        self.left.clone_from(&source.left);
        self.singles.clone_from(&source.singles);
        self.blanks = source.blanks;
    }
}

impl<const W: usize> SinglesState<W> {
    /// The state before the first step. Clues are singles, because their cells have one candidate.
    fn new<P: Solvable>(puzzle: &P, grid: &SolvedGrid<W>) -> SinglesState<W> {
        let mut state = SinglesState {
            others: vec![0; grid.cell_count()],
            cells: vec![BitSet::EMPTY; grid.side()],
            left: vec![0; 3 * grid.cell_count()],
            blanks: (0..grid.cell_count()).collect(),
            singles: Vec::with_capacity(4 * grid.cell_count()),
        };
        for cell in 0..grid.cell_count() {
            let others = puzzle.candidates(Cell::new(cell)).mask() & !(1 << grid.digit(cell));
            state.others[cell] = others;
            for digit in bits_of(others) {
                state.cells[digit] = state.cells[digit].with(cell);
                for house in grid.houses(cell) {
                    state.left[grid.index(house, digit)] += 1;
                }
            }
        }
        let naked = (0..grid.cell_count()).filter(|&cell| state.others[cell] == 0);
        let hidden = (0..state.left.len()).filter(|&index| state.left[index] == 0);
        state.singles.extend(naked.chain(hidden.map(|index| grid.place(index))).map(|cell| cell as u16));
        state
    }

    /// Removes a candidate that is not in the solution.
    #[inline]
    fn remove(&mut self, cell: usize, digit: usize, grid: &SolvedGrid<W>) {
        self.others[cell] &= !(1 << digit);
        if self.others[cell] == 0 {
            self.singles.push(cell as u16);
        }
        for house in grid.houses(cell) {
            let index = grid.index(house, digit);
            self.left[index] -= 1;
            if self.left[index] == 0 {
                self.singles.push(grid.place(index) as u16);
            }
        }
    }
}

impl<const W: usize> Logic<W> for SinglesLogic<'_, W> {
    type State = SinglesState<W>;

    const IS_MONOTONE: bool = true;

    #[inline]
    fn place(&self, state: &mut SinglesState<W>, cell: usize) {
        state.blanks = state.blanks.without(cell);
        for digit in bits_of(state.others[cell]) {
            state.cells[digit] = state.cells[digit].without(cell);
            state.remove(cell, digit, self.grid);
        }
        let digit = self.grid.digit(cell);
        let seen = state.cells[digit].and(self.grid.peers(cell));
        state.cells[digit] = state.cells[digit].minus(seen);
        for peer in seen.iter() {
            state.remove(peer, digit, self.grid);
        }
    }

    fn finish(&mut self, state: &mut SinglesState<W>, _: &AtomicBool) {
        while let Some(cell) = state.singles.pop() {
            if state.blanks.has(cell.into()) {
                self.place(state, cell.into());
            }
        }
    }

    fn blanks(state: &SinglesState<W>) -> BitSet<W> {
        state.blanks
    }
}

/// All techniques up to the limit of a rater, for 9x9.
struct TechniqueLogic<'a> {
    rater: &'a mut Rater,
    grid: &'a SolvedGrid<2>,
}

impl Logic<2> for TechniqueLogic<'_> {
    type State = State;

    const IS_MONOTONE: bool = false;

    fn place(&self, state: &mut State, cell: usize) {
        state.place(cell, self.grid.digit(cell));
    }

    fn finish(&mut self, state: &mut State, stop: &AtomicBool) {
        self.rater.finish(state, stop);
    }

    fn blanks(state: &State) -> BitSet<2> {
        state.empty().into_iter().collect()
    }
}

/// Where a search ends.
struct Limits<'a> {
    /// Whether all sets of the least size are wanted.
    all: bool,
    bounds: Bounds,
    stop: &'a AtomicBool,
}

/// Why a search ended early.
enum EarlyEnd {
    Budget,
    Stopped,
}

/// The search for the smallest backdoors of a puzzle.
struct SetSearch<'a, L: Logic<W>, const W: usize> {
    logic: L,
    limits: Limits<'a>,
    /// The cells of the set that is tried, and the states before and after each of them.
    chosen: Vec<Cell>,
    states: Vec<L::State>,
    sets: Vec<Vec<Cell>>,
}

impl<'a, L: Logic<W>, const W: usize> SetSearch<'a, L, W> {
    fn new(logic: L, limits: Limits<'a>) -> SetSearch<'a, L, W> {
        SetSearch { logic, limits, chosen: Vec::new(), states: Vec::new(), sets: Vec::new() }
    }

    /// Tries sets of ever more cells. `None` if the search was stopped.
    fn run(mut self, mut start: L::State) -> Option<BackdoorSets> {
        self.logic.finish(&mut start, self.limits.stop);
        let blanks = L::blanks(&start);
        if blanks.is_empty() {
            return Some(BackdoorSets { size: Some(0), sets: vec![Vec::new()], is_given_up: false });
        }
        self.states.push(start);
        for size in 1..=BackdoorFinder::MAX_SIZE {
            self.states.push(self.states[0].clone());
            let is_given_up = match self.extend(size, blanks) {
                ControlFlow::Break(EarlyEnd::Stopped) => return None,
                ControlFlow::Break(EarlyEnd::Budget) => true,
                ControlFlow::Continue(_) => false,
            };
            if is_given_up || !self.sets.is_empty() {
                let size = (!self.sets.is_empty()).then_some(size);
                return Some(BackdoorSets { size, sets: self.sets, is_given_up });
            }
        }
        Some(BackdoorSets::default())
    }

    /// Adds `more` cells of `rest` to the set, in all ways. Returns whether any set is a backdoor.
    fn extend(&mut self, more: usize, mut rest: BitSet<W>) -> ControlFlow<EarlyEnd, bool> {
        let mut is_any = false;
        while let Some(cell) = rest.first() {
            self.spend()?;
            rest = rest.without(cell);
            let depth = self.chosen.len();
            let [.., before, after] = &mut self.states[..depth + 2] else {
                unreachable!("a state for each cell")
            };
            after.clone_from(before);
            self.logic.place(after, cell);
            if more == 1 || L::IS_MONOTONE {
                self.logic.finish(after, self.limits.stop);
            }
            let blanks = L::blanks(after);
            self.chosen.push(Cell::new(cell));
            let is_backdoor =
                if more > 1 { self.extend(more - 1, rest.and(blanks))? } else { blanks.is_empty() };
            if is_backdoor && more == 1 {
                self.sets.push(self.chosen.clone());
            }
            self.chosen.pop();
            is_any |= is_backdoor;
            if is_any && !self.limits.all {
                break;
            }
            if !is_backdoor && L::IS_MONOTONE {
                rest = rest.and(blanks);
            }
        }
        ControlFlow::Continue(is_any)
    }

    /// Counts a set that is tried, and breaks if the search must end.
    fn spend(&mut self) -> ControlFlow<EarlyEnd> {
        let Limits { bounds, stop, .. } = &mut self.limits;
        if stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(EarlyEnd::Stopped);
        }
        if bounds.guesses == 0 || bounds.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return ControlFlow::Break(EarlyEnd::Budget);
        }
        bounds.guesses -= 1;
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::generate::{Generator, Recipe};
    use crate::grid::{Digit, Grid, House, Puzzle, Shape};
    use crate::logic::RatingEnd;
    use crate::solver::{AnyBitmask, NEVER, SolutionEngine};

    /// A classic puzzle with 33 backdoors of two cells.
    const TWO: &str = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..";
    /// Classic puzzles whose smallest backdoors have one cell and three.
    const ONE: &str = ".................1.....2.3......3.2...1.4......5....6..3......4.7..8...962...7...";
    const THREE: &str = "1.......2.9.4...5...6...7...5.9.3.......7.......85..4.7.....6...3...9.8...2.....1";

    fn solution(puzzle: &Grid) -> Vec<u8> {
        let mut solution = Vec::new();
        AnyBitmask::new().search(puzzle, &Bounds::solutions(2), &mut |digits| {
            assert!(solution.is_empty(), "{puzzle} has one solution");
            solution = digits.to_vec();
            ControlFlow::Continue(())
        });
        solution
    }

    fn found(puzzle: &Grid, up_to: Option<Rating>, all: bool) -> (Option<usize>, Vec<Vec<usize>>) {
        let mut finder = BackdoorFinder::new(up_to, Budget::NONE);
        let found = finder.find(puzzle, &solution(puzzle), all, &NEVER).unwrap();
        assert!(!found.is_given_up);
        (found.size, found.sets.iter().map(|set| set.iter().map(|cell| cell.index()).collect()).collect())
    }

    fn classic(line: &str) -> Grid {
        Grid::from(line.parse::<Puzzle>().unwrap())
    }

    /// Fills singles by their definitions, with candidates computed from the digits in each round. Returns
    /// whether the grid is full.
    fn is_solved_by_singles(shape: Shape, mut cells: Vec<u8>) -> bool {
        loop {
            let mut candidates = vec![0_u32; cells.len()];
            for cell in Cell::all(shape).filter(|cell| cells[cell.index()] == 0) {
                let seen = Cell::all(shape).filter(|other| cell.sees(*other, shape));
                let used = seen.fold(1, |used, other| used | 1 << cells[other.index()]);
                candidates[cell.index()] = ((2 << shape.side()) - 1) & !used;
            }
            let blanks = Cell::all(shape).filter(|cell| cells[cell.index()] == 0);
            let mut singles: Vec<(usize, u32)> = blanks
                .map(|cell| (cell.index(), candidates[cell.index()]))
                .filter(|(_, candidates)| candidates.count_ones() == 1)
                .collect();
            for house in House::all(shape) {
                for digit in (1..=shape.side()).map(|digit| 1_u32 << digit) {
                    let mut places = house.cells(shape).filter(|cell| candidates[cell.index()] & digit != 0);
                    if let (Some(cell), None) = (places.next(), places.next()) {
                        singles.push((cell.index(), digit));
                    }
                }
            }
            if singles.is_empty() {
                return cells.iter().all(|&digit| digit != 0);
            }
            singles.iter().for_each(|&(cell, digit)| cells[cell] = digit.trailing_zeros() as u8);
        }
    }

    /// All backdoors of the least size, by trying every set of blank cells.
    fn by_brute_force(puzzle: &Grid) -> (Option<usize>, Vec<Vec<usize>>) {
        let (shape, solution) = (puzzle.shape(), solution(puzzle));
        let blanks: Vec<usize> = (0..shape.cells()).filter(|&cell| puzzle.cells()[cell] == 0).collect();
        let mut sets = vec![Vec::new()];
        for size in 0..=BackdoorFinder::MAX_SIZE {
            let solves = |set: &Vec<usize>| {
                let mut cells = puzzle.cells().to_vec();
                set.iter().for_each(|&cell| cells[cell] = solution[cell]);
                is_solved_by_singles(shape, cells)
            };
            let solving: Vec<_> = sets.iter().filter(|set| solves(set)).cloned().collect();
            if !solving.is_empty() {
                return (Some(size), solving);
            }
            let later = |set: &Vec<usize>| {
                let rest = blanks.iter().filter(|&&cell| set.last().is_none_or(|&last| cell > last));
                rest.map(|&cell| [&set[..], &[cell]].concat()).collect::<Vec<_>>()
            };
            sets = sets.iter().flat_map(later).collect();
        }
        (None, Vec::new())
    }

    #[test]
    fn backdoors_agree_with_brute_force() {
        let mut sizes = [0; 4];
        for (shape, count) in [("2x2", 10), ("2x3", 40), ("3x2", 40), ("2x4", 60), ("4x2", 60)] {
            let recipe = Recipe { shape: shape.parse().unwrap(), minimal: true, ..Recipe::default() };
            for made in Generator::new(&recipe, 3, None).unwrap().attempts(0..count).into_iter().flatten() {
                let expected = by_brute_force(&made.puzzle);
                assert_eq!(found(&made.puzzle, None, true), expected, "{}", made.puzzle);
                let first: Vec<_> = expected.1.iter().take(1).cloned().collect();
                assert_eq!(found(&made.puzzle, None, false), (expected.0, first));
                sizes[expected.0.unwrap()] += 1;
            }
        }
        assert!(sizes[0] > 20 && sizes[1] > 10, "{sizes:?}");
    }

    #[test]
    fn backdoors_of_classic_puzzles_agree_with_brute_force() {
        for (line, size) in [(ONE, 1), (TWO, 2)] {
            let expected = by_brute_force(&classic(line));
            assert_eq!((found(&classic(line), None, true), expected.0), (expected, Some(size)));
        }
    }

    #[test]
    fn three_cells_are_tried_and_no_more() {
        let puzzle = classic(THREE);
        let (size, sets) = found(&puzzle, None, false);
        let mut cells = puzzle.cells().to_vec();
        sets[0].iter().for_each(|&cell| cells[cell] = solution(&puzzle)[cell]);
        assert!(size == Some(3) && is_solved_by_singles(Shape::CLASSIC, cells));
        // Nothing is easy up to 1.0, the last cell of a house.
        assert_eq!(found(&classic(TWO), Some(Rating::LEAST), false), (None, Vec::new()));
    }

    #[test]
    fn large_puzzles_have_backdoors() {
        let shape: Shape = "4x4".parse().unwrap();
        let recipe = Recipe { shape, minimal: true, ..Recipe::default() };
        let made =
            Generator::new(&recipe, 1, None).unwrap().attempts(0..2).into_iter().flatten().next().unwrap();
        let (_, sets) = found(&made.puzzle, None, false);
        let mut cells = made.puzzle.cells().to_vec();
        sets[0].iter().for_each(|&cell| cells[cell] = solution(&made.puzzle)[cell]);
        assert!(is_solved_by_singles(shape, cells));
    }

    /// Below the rating of unique rectangles, it makes no difference whether a digit is put in at the
    /// beginning or after the techniques.
    #[test]
    fn techniques_up_to_a_rating_agree_with_ratings() {
        let (puzzle, limit) = (classic(TWO), Rating::tenths(44));
        let solution = solution(&puzzle);
        let with =
            |puzzle: &Grid, cell| puzzle.narrowed(Cell::new(cell), Digit::new(solution[cell]).unwrap());
        let (size, sets) = found(&puzzle, Some(limit), true);
        assert_eq!(size, Some(2));
        let blanks: Vec<usize> = (0..81).filter(|&cell| puzzle.cells()[cell] == 0).collect();
        let pairs = blanks.iter().flat_map(|&one| blanks.iter().map(move |&other| (one, other)));
        let pairs: Vec<_> = pairs.filter(|(one, other)| one < other).collect();
        let puzzles: Vec<Grid> = pairs.iter().map(|&(one, other)| with(&with(&puzzle, one), other)).collect();
        let ratings = Rater::new(Scale::default(), limit).rate_all(puzzles.iter(), &NEVER);
        let easy = pairs.iter().zip(ratings).filter(|(_, (rating, _))| rating.end == RatingEnd::Solved);
        assert_eq!(sets, easy.map(|(&(one, other), _)| vec![one, other]).collect::<Vec<_>>());
        assert_eq!(found(&puzzle, Some(Rating::BEYOND), true), (Some(0), vec![Vec::new()]));
    }

    #[test]
    fn a_search_ends_at_a_budget_or_a_stop() {
        let puzzle = classic(THREE);
        let solution = solution(&puzzle);
        for budget in [Budget::from_guesses(100), Budget { time: Some(Duration::ZERO), ..Budget::NONE }] {
            let found = BackdoorFinder::new(None, budget).find(&puzzle, &solution, false, &NEVER).unwrap();
            assert_eq!((found.size, found.is_given_up), (None, true));
        }
        let mut finder = BackdoorFinder::new(None, Budget::NONE);
        assert_eq!(finder.find(&puzzle, &solution, false, &AtomicBool::new(true)), None);
    }
}
