//! Unavoidable sets of a full grid: sets of cells whose digits can be changed among themselves.
//!
//! If another full grid differs from this one in a set of cells only, every puzzle of this grid has a clue in
//! the set, because it would have both grids as solutions otherwise. The set is minimal if no part of it is
//! unavoidable. There are two searches, each complete within its limits:
//!
//! - **By cells**: all sets up to a number of cells. The search changes the first cell of a set, in reading
//!   order, and follows what that forces: a new digit of a cell pushes the same digit out of its row, column
//!   and box, so that these cells change too; and a house that has lost a digit gets it back in another of its
//!   changed cells. When nothing is left to do, the changed cells are a set. It contains no smaller one that is
//!   known by then, because the search gives up a branch as soon as it does.
//! - **By digits**: all sets within some digits. The cells of these digits are blank, and an engine lists the
//!   other ways to fill them.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::SolvedGrid;
use crate::grid::{BitSet, Cell, Grid, Shape, bits_of};
use crate::solver::{AnyBitmask, Bounds, Budget, SearchEnd, SolutionEngine};

/// Finds the minimal unavoidable sets of full grids. Make one for each thread, because it keeps its memory.
///
/// ```
/// use gridmill_core::hunt::UnavoidableFinder;
/// use gridmill_core::solver::NEVER;
///
/// let grid = [1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1];
/// let found = UnavoidableFinder::default().find("2x2".parse()?, &grid, &NEVER).unwrap();
/// assert!(found.sets.iter().all(|set| set.len() >= 4));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct UnavoidableFinder {
    /// All sets of up to this many cells are found.
    pub cells: usize,
    /// All sets within this many digits are found.
    pub digits: usize,
    /// How much a grid may cost. Each new digit that the search follows counts as a guess, as the engine's guesses do.
    pub budget: Budget,
    engine: AnyBitmask,
    classic: SolvedGrid<2>,
    large: SolvedGrid<10>,
}

/// The minimal unavoidable sets of a full grid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnavoidableSets {
    /// The cells of each set in reading order. Smaller sets come first, then those with earlier cells. There
    /// are none if the search was given up, because they may not be minimal.
    pub sets: Vec<Vec<Cell>>,
    /// Whether the budget was spent before the end of the search.
    pub is_given_up: bool,
}

impl Default for UnavoidableFinder {
    fn default() -> UnavoidableFinder {
        UnavoidableFinder::new(UnavoidableFinder::CELLS, UnavoidableFinder::DIGITS, Budget::NONE)
    }
}

impl UnavoidableFinder {
    /// The default of `cells`. It takes a few hundredths of a second for a 9x9 grid.
    pub const CELLS: usize = 12;

    /// The default of `digits`.
    pub const DIGITS: usize = 2;

    /// Makes a finder of the sets with up to `cells` cells, or within up to `digits` digits.
    #[must_use]
    pub fn new(cells: usize, digits: usize, budget: Budget) -> UnavoidableFinder {
        let (classic, large) = (SolvedGrid::default(), SolvedGrid::default());
        UnavoidableFinder { cells, digits, budget, engine: AnyBitmask::new(), classic, large }
    }

    /// Finds the sets of a full grid that obeys the rules. `None` if `stop` became true.
    pub fn find(&mut self, shape: Shape, solution: &[u8], stop: &AtomicBool) -> Option<UnavoidableSets> {
        let mut bounds = Bounds::shared(self.budget);
        let found = match solution.len() {
            ..=128 => {
                self.classic.fit(shape, solution);
                let by_cells = CellSearch::new(&self.classic, self.cells, &mut bounds, stop).run();
                self.with_digits::<2>(by_cells, shape, solution, &mut bounds, stop)
            }
            _ => {
                self.large.fit(shape, solution);
                let by_cells = CellSearch::new(&self.large, self.cells, &mut bounds, stop).run();
                self.with_digits::<10>(by_cells, shape, solution, &mut bounds, stop)
            }
        };
        match found {
            Ok(sets) => Some(UnavoidableSets { sets, is_given_up: false }),
            Err(SearchEnd::Budget) => {
                Some(UnavoidableSets { is_given_up: true, ..UnavoidableSets::default() })
            }
            Err(_) => None,
        }
    }

    /// Adds the sets within some digits to others, and brings all of them into order.
    fn with_digits<const W: usize>(
        &mut self,
        by_cells: Result<Vec<BitSet<W>>, SearchEnd>,
        shape: Shape,
        solution: &[u8],
        bounds: &mut Bounds,
        stop: &AtomicBool,
    ) -> Result<Vec<Vec<Cell>>, SearchEnd> {
        let mut all: HashSet<BitSet<W>> = by_cells?.into_iter().collect();
        let digits = self.digits.min(shape.side());
        for wanted in (0_u32..1 << shape.side()).filter(|wanted| wanted.count_ones() as usize == digits) {
            let is_wanted = |digit: u8| wanted >> (digit - 1) & 1 == 1;
            let clues = solution.iter().map(|&digit| if is_wanted(digit) { 0 } else { digit }).collect();
            let puzzle = Grid::new(shape, clues).expect("the digits of a grid");
            let mut others = Vec::new();
            let searched = self.engine.search_until(&puzzle, bounds, stop, &mut |digits| {
                let differs = |&cell: &usize| digits[cell] != solution[cell];
                others.push((0..digits.len()).filter(differs).collect::<BitSet<W>>());
                ControlFlow::Continue(())
            });
            bounds.spend(&searched);
            if searched.end != SearchEnd::Complete {
                return Err(searched.end);
            }
            others.retain(|set| !set.is_empty());
            all.extend(minimal(others));
        }
        let cells = |set: &BitSet<W>| set.iter().map(Cell::new).collect();
        let mut sets: Vec<Vec<Cell>> = all.iter().map(cells).collect();
        sets.sort_unstable_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
        Ok(sets)
    }
}

/// The sets that contain no other one.
fn minimal<const W: usize>(mut sets: Vec<BitSet<W>>) -> Vec<BitSet<W>> {
    sets.sort_unstable_by_key(|set| set.len());
    let mut minimal: Vec<BitSet<W>> = Vec::new();
    for set in sets {
        if !minimal.iter().any(|part| part.is_subset(set)) {
            minimal.push(set);
        }
    }
    minimal
}

/// The search for all sets of up to a number of cells.
struct CellSearch<'a, const W: usize> {
    grid: &'a SolvedGrid<W>,
    most: usize,
    bounds: &'a mut Bounds,
    stop: &'a AtomicBool,
    /// The cells that may change: the first one of the set, and all after it.
    free: BitSet<W>,
    /// The cells that have changed so far.
    changed: BitSet<W>,
    /// The changed cells that have no new digit yet.
    open: BitSet<W>,
    /// For each house, the digits of its changed cells, and their new digits.
    lost: Vec<u32>,
    regained: Vec<u32>,
    /// The number of changed cells in each house, and with each digit.
    in_houses: Vec<u8>,
    with_digit: Vec<u8>,
    found: Vec<BitSet<W>>,
}

/// A change that the changes so far demand.
#[derive(Clone, Copy)]
enum Need {
    /// A changed cell needs a new digit.
    Digit { cell: usize },
    /// A house has lost a digit, and needs it in another cell.
    Place { house: usize, digit: usize },
}

impl<'a, const W: usize> CellSearch<'a, W> {
    fn new(
        grid: &'a SolvedGrid<W>,
        most: usize,
        bounds: &'a mut Bounds,
        stop: &'a AtomicBool,
    ) -> CellSearch<'a, W> {
        let houses = 3 * grid.side();
        CellSearch {
            grid,
            most,
            bounds,
            stop,
            free: BitSet::EMPTY,
            changed: BitSet::EMPTY,
            open: BitSet::EMPTY,
            lost: vec![0; houses],
            regained: vec![0; houses],
            in_houses: vec![0; houses],
            with_digit: vec![0; grid.side()],
            found: Vec::new(),
        }
    }

    /// Finds the sets, from those whose first cell is the last of the grid to those that begin in the first
    /// cell. So all sets without the first cell are known, and can end branches.
    fn run(mut self) -> Result<Vec<BitSet<W>>, SearchEnd> {
        for first in (0..self.grid.cell_count()).rev() {
            self.free = self.free.with(first);
            self.change(first);
            if let ControlFlow::Break(end) = self.follow() {
                return Err(end);
            }
            self.restore(first);
        }
        Ok(minimal(self.found))
    }

    /// Meets the most urgent need in all ways. If there is none, the changed cells are an unavoidable set.
    fn follow(&mut self) -> ControlFlow<SearchEnd> {
        self.spend()?;
        let Some(need) = self.most_urgent() else {
            self.found.push(self.changed);
            return ControlFlow::Continue(());
        };
        for (cell, digit) in self.ways(need) {
            if let Some(more) = self.pushed_out(cell, digit) {
                self.give(cell, digit, more)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Gives a cell a new digit, which changes `more` cells, and goes on.
    fn give(&mut self, cell: usize, digit: usize, more: BitSet<W>) -> ControlFlow<SearchEnd> {
        more.iter().for_each(|cell| self.change(cell));
        self.open = self.open.without(cell);
        self.grid.houses(cell).into_iter().for_each(|house| self.regained[house] |= 1 << digit);
        let is_new = !more.is_empty();
        if self.changed.len() + self.lonely() <= self.most && !(is_new && self.has_known_part()) {
            self.follow()?;
        }
        self.grid.houses(cell).into_iter().for_each(|house| self.regained[house] &= !(1 << digit));
        self.open = self.open.with(cell);
        more.iter().for_each(|cell| self.restore(cell));
        ControlFlow::Continue(())
    }

    /// Takes the digit out of a cell.
    fn change(&mut self, cell: usize) {
        let digit = self.grid.digit(cell);
        self.changed = self.changed.with(cell);
        self.open = self.open.with(cell);
        self.with_digit[digit] += 1;
        for house in self.grid.houses(cell) {
            self.lost[house] |= 1 << digit;
            self.in_houses[house] += 1;
        }
    }

    /// Puts the digit back.
    fn restore(&mut self, cell: usize) {
        let digit = self.grid.digit(cell);
        self.changed = self.changed.without(cell);
        self.open = self.open.without(cell);
        self.with_digit[digit] -= 1;
        for house in self.grid.houses(cell) {
            self.lost[house] &= !(1 << digit);
            self.in_houses[house] -= 1;
        }
    }

    /// How many more cells must change at least: no digit changes only once, and no house has a single
    /// changed cell.
    fn lonely(&self) -> usize {
        let lonely = |counts: &[u8]| counts.iter().filter(|&&count| count == 1).count();
        let lines = self.in_houses.chunks(self.grid.side()).map(lonely);
        lines.chain([lonely(&self.with_digit)]).max().unwrap_or(0)
    }

    fn has_known_part(&self) -> bool {
        self.found.iter().any(|part| part.is_subset(self.changed))
    }

    /// The need with the fewest ways to meet it.
    fn most_urgent(&self) -> Option<Need> {
        let open = self.open.iter().map(|cell| Need::Digit { cell });
        let houses = (0..self.lost.len()).flat_map(|house| {
            let missing = bits_of(self.lost[house] & !self.regained[house]);
            missing.map(move |digit| Need::Place { house, digit })
        });
        let (mut urgent, mut fewest) = (None, usize::MAX);
        for need in open.chain(houses) {
            let ways = self.ways(need).filter(|&(cell, digit)| self.pushed_out(cell, digit).is_some());
            let count = ways.take(fewest).count();
            if count < fewest {
                (urgent, fewest) = (Some(need), count);
            }
            if count <= 1 {
                break;
            }
        }
        urgent
    }

    /// The digits that could be given to cells to meet a need.
    fn ways(&self, need: Need) -> impl Iterator<Item = (usize, usize)> + use<'a, W> {
        let grid = self.grid;
        (0..grid.side()).map(move |index| match need {
            Need::Digit { cell } => (cell, index),
            Need::Place { house, digit } => (grid.house_cell(house, index), digit),
        })
    }

    /// The cells that change if a cell gets a new digit, and have not changed yet: the cell, and those that
    /// hold the digit in its houses. `None` if it can't get the digit, or if too many cells would change.
    #[inline]
    fn pushed_out(&self, cell: usize, digit: usize) -> Option<BitSet<W>> {
        let is_changed = self.changed.has(cell);
        if self.grid.digit(cell) == digit || is_changed && !self.open.has(cell) {
            return None;
        }
        let mut pushed = BitSet::EMPTY.with(cell);
        for house in self.grid.houses(cell) {
            if self.regained[house] >> digit & 1 == 1 {
                return None;
            }
            pushed = pushed.with(self.grid.place(self.grid.index(house, digit)));
        }
        let more = pushed.minus(self.changed);
        (more.is_subset(self.free) && self.changed.len() + more.len() <= self.most).then_some(more)
    }

    /// Counts a guess, and breaks if the search must end.
    fn spend(&mut self) -> ControlFlow<SearchEnd> {
        if self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(SearchEnd::Stopped);
        }
        if self.bounds.guesses == 0 || self.bounds.deadline.is_some_and(|deadline| Instant::now() >= deadline)
        {
            return ControlFlow::Break(SearchEnd::Budget);
        }
        self.bounds.guesses -= 1;
        ControlFlow::Continue(())
    }
}

/// How many of the sets, at least, can be chosen so that no two share a cell. Every puzzle of the grid has at least as
/// many clues, because it has one in each of them.
///
/// The search takes small sets first, and so begins with a good choice. It ends after some thousands of choices,
/// which is enough to find the largest number for most 9x9 grids, but does not always prove it.
///
/// ```
/// use gridmill_core::grid::Cell;
/// use gridmill_core::hunt::disjoint_sets;
///
/// let sets = [&[0, 1][..], &[1, 2, 3], &[2, 3, 4], &[5, 6]].map(|set| set.iter().map(|&cell| Cell::new(cell)).collect());
/// assert_eq!(disjoint_sets(&sets), 3);
/// ```
#[must_use]
pub fn disjoint_sets(sets: &[Vec<Cell>]) -> usize {
    let mut sets: Vec<BitSet<10>> =
        sets.iter().map(|set| set.iter().map(|cell| cell.index()).collect()).collect();
    let meeting = |set: &BitSet<10>| sets.iter().filter(|other| other.meets(set)).count();
    let keys: Vec<_> = sets.iter().map(|set| (set.len(), meeting(set), *set)).collect();
    let mut keyed = keys;
    keyed.sort_unstable_by_key(|&(len, meeting, _)| (len, meeting));
    sets = keyed.into_iter().map(|(.., set)| set).collect();
    let mut most = 0;
    choose(&sets, 0, &mut most, &mut CHOICES.clone());
    most
}

/// After how many choices a search for disjoint sets ends.
const CHOICES: usize = 5000;

/// Adds sets of `rest`, which are disjoint from the `chosen` ones, in ways that may lead to more than `most`.
fn choose<const W: usize>(mut rest: &[BitSet<W>], chosen: usize, most: &mut usize, choices: &mut usize) {
    *most = chosen.max(*most);
    while let Some((first, others)) = rest.split_first() {
        let union = rest.iter().fold(BitSet::EMPTY, |union: BitSet<W>, set| union.or(*set));
        if *choices == 0 || chosen + union.len() / first.len() <= *most {
            return;
        }
        *choices -= 1;
        let disjoint = |set: &&BitSet<W>| !set.meets(first);
        let beside: Vec<BitSet<W>> = others.iter().filter(disjoint).copied().collect();
        choose(&beside, chosen + 1, most, choices);
        rest = others;
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;
    use crate::generate::{FullGrids, GridMethod};
    use crate::simd::Backend;
    use crate::solver::NEVER;

    fn full_grid(shape: Shape, seed: u64) -> Vec<u8> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        FullGrids::new(shape, GridMethod::Backtracking, Backend::best()).make(&mut rng)
    }

    fn found(shape: Shape, grid: &[u8], cells: usize, digits: usize) -> Vec<BitSet<2>> {
        let found = UnavoidableFinder::new(cells, digits, Budget::NONE).find(shape, grid, &NEVER).unwrap();
        assert!(!found.is_given_up);
        assert!(found.sets.is_sorted_by_key(|set| (set.len(), set.clone())));
        found.sets.iter().map(|set| set.iter().map(|cell| cell.index()).collect()).collect()
    }

    /// The cells in which each solution of a puzzle differs from a full grid.
    fn differences(shape: Shape, grid: &[u8], is_clue: impl Fn(usize) -> bool) -> Vec<BitSet<2>> {
        let clues = grid.iter().enumerate().map(|(cell, &digit)| if is_clue(cell) { digit } else { 0 });
        let puzzle = Grid::new(shape, clues.collect()).unwrap();
        let mut sets = Vec::new();
        AnyBitmask::new().search(&puzzle, &Bounds::ALL, &mut |digits| {
            let differs = |&cell: &usize| digits[cell] != grid[cell];
            sets.push((0..digits.len()).filter(differs).collect());
            ControlFlow::Continue(())
        });
        sets.retain(|set: &BitSet<2>| !set.is_empty());
        sets
    }

    /// The minimal ones of some sets, by comparing all pairs, without those of more than `most` cells.
    fn minimal_up_to(mut sets: Vec<BitSet<2>>, most: usize) -> HashSet<BitSet<2>> {
        sets.retain(|set| set.len() <= most);
        sets.sort_unstable();
        sets.dedup();
        let is_minimal = |set: &&BitSet<2>| sets.iter().all(|part| part == *set || !part.is_subset(**set));
        sets.iter().filter(is_minimal).copied().collect()
    }

    fn as_set(sets: Vec<BitSet<2>>) -> HashSet<BitSet<2>> {
        let count = sets.len();
        let set: HashSet<_> = sets.into_iter().collect();
        assert_eq!(set.len(), count);
        set
    }

    /// By definition: with all other grids.
    #[test]
    fn sets_of_4x4_are_the_minimal_differences_to_all_grids() {
        let shape: Shape = "2x2".parse().unwrap();
        for seed in 0..10 {
            let grid = full_grid(shape, seed);
            let expected = minimal_up_to(differences(shape, &grid, |_| false), 16);
            assert_eq!(as_set(found(shape, &grid, 16, 2)), expected);
            assert_eq!(as_set(found(shape, &grid, 4, 4)), expected);
        }
    }

    /// By definition: each house with changed cells has two of them. So a set of up to 11 cells leaves a row
    /// unchanged, and another grid with that row has the difference.
    #[test]
    fn sets_of_6x6_are_the_minimal_differences_to_grids_with_a_row_in_common() {
        for (shape, seed) in [("2x3", 1), ("3x2", 2), ("2x3", 3)] {
            let shape: Shape = shape.parse().unwrap();
            let grid = full_grid(shape, seed);
            let with_row = |row| differences(shape, &grid, move |cell| cell / 6 == row);
            let expected =
                minimal_up_to((0..6).flat_map(with_row).filter(|set| set.len() < 12).collect(), 11);
            let sets: Vec<_> = found(shape, &grid, 11, 2).into_iter().filter(|set| set.len() < 12).collect();
            assert!(expected.len() > 20, "{}", expected.len());
            assert_eq!(as_set(sets), expected);
        }
    }

    /// The other methods find the sets within four digits, three boxes of a band or stack, and four boxes.
    #[test]
    fn sets_of_9x9_have_all_parts_of_other_grids_that_agree_in_boxes_or_digits() {
        let shape = Shape::CLASSIC;
        let grid = full_grid(shape, 5);
        let sets = found(shape, &grid, 12, 2);
        let small: Vec<_> = sets.iter().copied().filter(|set| set.len() <= 12).collect();
        assert!((150..800).contains(&small.len()), "{}", small.len());
        let of_digits = found(shape, &grid, 0, 4).into_iter().filter(|set| set.len() <= 12);
        let mut expected: Vec<BitSet<2>> = of_digits.collect();
        let box_of = |cell: usize| (cell / 27, cell / 3 % 3);
        for one in 0..3 {
            for other in 0..3 {
                expected.extend(differences(shape, &grid, |cell| {
                    box_of(cell).0 == one || box_of(cell).1 == other
                }));
            }
            expected.extend(differences(shape, &grid, |cell| box_of(cell).0 != one));
            expected.extend(differences(shape, &grid, |cell| box_of(cell).1 != one));
        }
        let expected = minimal_up_to(expected, 12);
        assert!(expected.len() > 100, "{}", expected.len());
        let known = as_set(small);
        assert!(expected.is_subset(&known));
        // No set is too large, and none is missing its reason: without it there are two solutions or more.
        for set in known {
            let solutions = |blank: BitSet<2>| differences(shape, &grid, |cell| !blank.has(cell)).len();
            assert!(solutions(set) > 0);
            assert!(set.iter().all(|cell| solutions(set.without(cell)) == 0), "{set:?}");
        }
    }

    #[test]
    fn sets_within_digits_are_those_of_more_digits() {
        let grid = full_grid(Shape::CLASSIC, 6);
        let [two, three] = [2, 3].map(|digits| as_set(found(Shape::CLASSIC, &grid, 0, digits)));
        let digits_of = |set: &BitSet<2>| set.iter().map(|cell| grid[cell]).collect::<HashSet<_>>().len();
        assert!(three.iter().all(|set| digits_of(set) <= 3) && two.is_subset(&three));
        assert_eq!(three.iter().filter(|set| digits_of(set) == 2).count(), two.len());
    }

    #[test]
    fn large_grids_have_sets_too() {
        let shape: Shape = "4x4".parse().unwrap();
        let grid = full_grid(shape, 1);
        let found = UnavoidableFinder::new(6, 2, Budget::NONE).find(shape, &grid, &NEVER).unwrap();
        assert!(found.sets.len() > 120 && found.sets[0].len() >= 4, "{}", found.sets.len());
    }

    #[test]
    fn a_search_ends_at_a_budget_or_a_stop() {
        let grid = full_grid(Shape::CLASSIC, 1);
        let budget = Budget::from_guesses(1000);
        let found = UnavoidableFinder::new(12, 2, budget).find(Shape::CLASSIC, &grid, &NEVER);
        assert_eq!(found, Some(UnavoidableSets { sets: Vec::new(), is_given_up: true }));
        let stop = AtomicBool::new(true);
        assert_eq!(UnavoidableFinder::default().find(Shape::CLASSIC, &grid, &stop), None);
    }

    #[test]
    fn no_puzzle_has_fewer_clues_than_disjoint_sets() {
        // The puzzles of 4x4 have at least 4 clues.
        let shape: Shape = "2x2".parse().unwrap();
        let finder = || UnavoidableFinder::new(16, 2, Budget::NONE);
        let counts = (0..20)
            .map(|seed| disjoint_sets(&finder().find(shape, &full_grid(shape, seed), &NEVER).unwrap().sets));
        assert!(counts.clone().all(|count| (3..=4).contains(&count)), "{:?}", counts.collect::<Vec<_>>());
        let found = UnavoidableFinder::default().find(Shape::CLASSIC, &full_grid(Shape::CLASSIC, 1), &NEVER);
        let count = disjoint_sets(&found.unwrap().sets);
        assert!((9..=17).contains(&count), "{count}");
    }
}
