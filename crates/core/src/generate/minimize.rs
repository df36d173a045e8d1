//! Finding and removing redundant clues of given puzzles.

use std::collections::HashMap;
use std::slice;
use std::sync::atomic::AtomicBool;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use super::dig::{Dig, Units};
use super::digger::{BitmaskProver, UniquenessProver, dig_all_until, grid, proper_prover};
use crate::grid::{Cell, Grid, Shape, Symmetry};
use crate::simd::Backend;
use crate::solver::{Budget, Clues, Outcome, Solvable};

/// How many orders are tried at once.
const ORDERS_TOGETHER: usize = 32;

/// Finds the redundant clues of puzzles, and takes them out. Make one minimizer for each thread.
///
/// Classic puzzles are searched completely. For others, a search that takes too many guesses is given up, and
/// its clue stays although it may be redundant.
///
/// ```
/// use gridmill_core::generate::Minimizer;
/// use gridmill_core::grid::Puzzle;
/// use gridmill_core::solver::NEVER;
///
/// let puzzle: Puzzle = "534678912672195348198342567859761423426853791713924856961537284287419635345286...".parse()?;
/// let mut minimizer = Minimizer::default();
/// let found = minimizer.redundant_until(&[puzzle], &NEVER).remove(0);
/// assert_eq!((found.solutions, found.result.len()), (1, 78));
/// let minimal = minimizer.minimize_until(&[puzzle], 0, 1, 1, &NEVER).remove(0).result.unwrap();
/// assert!(minimizer.redundant_until(&[minimal], &NEVER).remove(0).result.is_empty());
/// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
/// ```
pub struct Minimizer {
    guesses: u64,
    by_clues: bool,
    budget: Budget,
    /// The prover of the current puzzle, if there is a budget.
    bounded: Option<BitmaskProver>,
    /// Single cells and the prover, for each shape so far.
    provers: HashMap<Shape, (Units, Box<dyn UniquenessProver>)>,
}

/// The result of taking clues out of a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Minimized<T> {
    /// The number of solutions of the puzzle, up to two.
    pub solutions: u64,
    /// Whether a search was given up: the one for the solutions, or one after which a clue stayed although it
    /// may be redundant.
    pub is_given_up: bool,
    /// The result. It is empty for a puzzle that is not proper.
    pub result: T,
}

impl Default for Minimizer {
    fn default() -> Minimizer {
        Minimizer::new(Minimizer::GUESSES, false)
    }
}

impl Minimizer {
    /// The default number of guesses after which a search is given up.
    pub const GUESSES: u64 = 20_000;

    /// Makes a minimizer. In puzzles of other shapes than 9x9, it gives up each search after this many guesses.
    /// Random orders depend on the number of a puzzle, or on its clues if `by_clues`, so that equal puzzles have
    /// equal results.
    #[must_use]
    pub fn new(guesses: u64, by_clues: bool) -> Minimizer {
        Minimizer { guesses, by_clues, budget: Budget::NONE, bounded: None, provers: HashMap::new() }
    }

    /// Sets a budget for all searches of a puzzle together. When it is spent, clues stay unless a search
    /// without guesses proves them redundant. The budget applies to
    /// [`minimize_until`](Minimizer::minimize_until) and [`redundant_until`](Minimizer::redundant_until),
    /// which then search puzzles one by one.
    #[must_use]
    pub fn within(self, budget: Budget) -> Minimizer {
        Minimizer { budget, ..self }
    }

    /// Searches each puzzle for up to two solutions, and takes clues out of proper ones until no clue can be
    /// removed. Returns the minimal puzzles. Puzzle `i` is dug in `orders` random orders, which depend on the seed, and
    /// on `first + i` or the clues (see [`Minimizer::new`]). The result with the fewest clues is kept, the first of
    /// several. Soon after `stop` becomes true it returns the results of the first puzzles that are done, possibly
    /// none.
    #[must_use]
    pub fn minimize_until(
        &mut self,
        puzzles: &[impl Solvable],
        first: u64,
        seed: u64,
        orders: usize,
        stop: &AtomicBool,
    ) -> Vec<Minimized<Option<Grid>>> {
        self.each_within(puzzles, |minimizer, index, puzzles| {
            minimizer.minimize_together(puzzles, first + index as u64, seed, orders, stop)
        })
    }

    fn minimize_together(
        &mut self,
        puzzles: &[impl Solvable],
        first: u64,
        seed: u64,
        orders: usize,
        stop: &AtomicBool,
    ) -> Vec<Minimized<Option<Grid>>> {
        let mut rngs: Vec<ChaCha8Rng> = (first..)
            .zip(puzzles)
            .map(|(number, puzzle)| {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                rng.set_stream(if self.by_clues { hash(puzzle.clues().cells) } else { number });
                rng
            })
            .collect();
        let mut best: Vec<Minimized<Option<Grid>>> = Vec::new();
        for tried in (0..orders).step_by(ORDERS_TOGETHER) {
            let found = self.each_proper(puzzles, stop, |index, clues| {
                let mut order = clues.to_vec();
                let mut shuffled = || {
                    order.shuffle(&mut rngs[index]);
                    order.clone()
                };
                (tried..orders.min(tried + ORDERS_TOGETHER)).map(|_| shuffled()).collect()
            });
            if found.len() < puzzles.len() && tried + ORDERS_TOGETHER < orders {
                return Vec::new();
            }
            let found = found.into_iter().zip(puzzles).map(|(found, puzzle)| found.least(puzzle.shape()));
            if tried == 0 {
                best = found.collect();
                continue;
            }
            best.truncate(found.len());
            for (best, found) in best.iter_mut().zip(found) {
                let clues =
                    |minimized: &Minimized<Option<Grid>>| minimized.result.as_ref().map(Grid::clue_count);
                if clues(&found) < clues(best) {
                    *best = found;
                }
            }
        }
        best
    }

    /// Searches each puzzle for up to two solutions. For proper ones it returns the clues that could each be
    /// removed alone. Soon after `stop` becomes true it returns the results of the first puzzles that are
    /// done, possibly none.
    #[must_use]
    pub fn redundant_until(
        &mut self,
        puzzles: &[impl Solvable],
        stop: &AtomicBool,
    ) -> Vec<Minimized<Vec<Cell>>> {
        let found = self.each_within(puzzles, |minimizer, _, puzzles| {
            minimizer.each_proper(puzzles, stop, |_, clues| clues.iter().map(|&clue| vec![clue]).collect())
        });
        let redundant = |Minimized { solutions, is_given_up, result: digs }: Minimized<Vec<Dig>>| {
            let is_given_up = is_given_up || digs.iter().any(|dig| dig.is_doubtful);
            Minimized {
                solutions,
                is_given_up,
                result: digs.iter().filter_map(Dig::first_cell_if_removed).collect(),
            }
        };
        found.into_iter().map(redundant).collect()
    }

    /// Checks whether puzzles of one shape are minimal. Each must be proper, and comes with its only solution and the
    /// cells of the clues that may be redundant. The first redundant clue ends the search of a puzzle. `None` if
    /// `stop` became true.
    pub(crate) fn are_minimal(
        &mut self,
        shape: Shape,
        puzzles: Vec<(Vec<u8>, Vec<u8>, Vec<u16>)>,
        stop: &AtomicBool,
    ) -> Option<Vec<bool>> {
        let (units, prover) = prover(&mut self.provers, shape, self.guesses);
        let dig = |(puzzle, solution, doubtful): (Vec<u8>, Vec<u8>, Vec<u16>)| {
            let fewer = puzzle.iter().filter(|&&clue| clue != 0).count().saturating_sub(1);
            Dig::new(puzzle, solution, doubtful, units, fewer)
        };
        let mut digs = puzzles.into_iter().map(dig);
        let dug = dig_all_until(|| digs.by_ref().take(256).collect(), units, prover, stop)?;
        Some(dug.iter().map(|dig| !dig.is_at_goal()).collect())
    }

    /// Calls `ask` for all puzzles together, or for one puzzle after the other if there is a budget. `ask`
    /// gets the index of its first puzzle. If it returns fewer results than puzzles, it was stopped.
    fn each_within<P: Solvable, T>(
        &mut self,
        puzzles: &[P],
        mut ask: impl FnMut(&mut Minimizer, usize, &[P]) -> Vec<Minimized<T>>,
    ) -> Vec<Minimized<T>> {
        if !self.budget.is_bounded() {
            return ask(self, 0, puzzles);
        }
        let mut all = Vec::with_capacity(puzzles.len());
        for (index, puzzle) in puzzles.iter().enumerate() {
            let prover = BitmaskProver::proper(puzzle.shape(), self.max_guesses(puzzle.shape()));
            self.bounded = Some(prover.within(self.budget));
            let found = ask(self, index, slice::from_ref(puzzle));
            if found.is_empty() {
                break;
            }
            all.extend(found);
        }
        all
    }

    /// How many guesses a search may take. For classic puzzles there is no limit.
    fn max_guesses(&self, shape: Shape) -> u64 {
        if shape == Shape::CLASSIC { u64::MAX } else { self.guesses }
    }

    /// Digs in the proper puzzles, each in the orders that `orders` makes from its index and its clues. If
    /// `stop` becomes true, there are results of the first puzzles only.
    fn each_proper(
        &mut self,
        puzzles: &[impl Solvable],
        stop: &AtomicBool,
        mut orders: impl FnMut(usize, &[u16]) -> Vec<Vec<u16>>,
    ) -> Vec<Minimized<Vec<Dig>>> {
        let puzzles: Vec<Clues<'_>> = puzzles.iter().map(Solvable::clues).collect();
        let mut found = Vec::with_capacity(puzzles.len());
        // Only classic puzzles are dug together. Others gain nothing by it, and each may take long.
        let is_classic = |puzzle: &Clues<'_>| puzzle.shape == Shape::CLASSIC;
        for puzzles in puzzles.chunk_by(|one, other| is_classic(one) && is_classic(other)) {
            let (shape, before) = (puzzles[0].shape, found.len());
            let (units, unbounded) = prover(&mut self.provers, shape, self.guesses);
            let orders = |index: usize, clues: &[u16]| orders(before + index, clues);
            let prover: &mut dyn UniquenessProver = match &mut self.bounded {
                Some(bounded) => bounded,
                None => unbounded,
            };
            let Some(dug) = dig_proper(puzzles, units, prover, orders, stop) else { break };
            found.extend(dug);
        }
        found
    }

    /// Searches a puzzle for up to two solutions. If it is proper, takes out clues, each together with its images by a symmetry if
    /// there is one, until no such unit can be removed. Units with one of the cells to `keep` are not removed. Single clues may
    /// still be redundant then. The order of units depends on the seed. `None` if `stop` became true.
    ///
    /// There is no resulting puzzle if the clues do not have the symmetry.
    ///
    /// ```
    /// use gridmill_core::generate::Minimizer;
    /// use gridmill_core::grid::{Puzzle, Symmetry};
    /// use gridmill_core::solver::NEVER;
    ///
    /// let line = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
    /// let full: Puzzle = line.parse()?;
    /// let found = Minimizer::default().minimize_keeping(&full, Some(Symmetry::Mirror), &[], 1, &NEVER).unwrap();
    /// let puzzle = found.result.unwrap();
    /// assert!(Symmetry::Mirror.holds_for(puzzle.shape(), puzzle.cells()) && puzzle.clue_count() < 50);
    /// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
    /// ```
    pub fn minimize_keeping(
        &mut self,
        puzzle: &impl Solvable,
        symmetry: Option<Symmetry>,
        keep: &[Cell],
        seed: u64,
        stop: &AtomicBool,
    ) -> Option<Minimized<Option<Grid>>> {
        let clues = puzzle.clues();
        let shape = clues.shape;
        let orbits = |symmetry: Symmetry| {
            let images = symmetry.images(shape, clues.cells)?;
            Some(Units::orbits(shape, |cell| images[cell].into()))
        };
        let single_cells = Units::symmetric(shape, None);
        let units = symmetry.map_or_else(|| Some(single_cells.clone()), orbits);
        let is_kept = |cell: &u16| keep.contains(&Cell::new(usize::from(*cell)));
        let mut order: Vec<u16> = units.as_ref().map_or_else(Vec::new, |units| {
            (0..units.len() as u16).filter(|&unit| !units.cells(unit).iter().any(is_kept)).collect()
        });
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        let guesses = self.max_guesses(shape);
        let found = dig_proper(
            slice::from_ref(&clues),
            units.as_ref().unwrap_or(&single_cells),
            &mut BitmaskProver::proper(shape, guesses),
            |_, _| units.iter().map(|_| order.clone()).collect(),
            stop,
        );
        found?.pop().map(|found| found.least(shape))
    }
}

impl Minimized<Vec<Dig>> {
    /// Keeps the result with the fewest clues, the first of several.
    fn least(self, shape: Shape) -> Minimized<Option<Grid>> {
        let least = self.result.into_iter().min_by_key(|dig| dig.count);
        let is_given_up = self.is_given_up || least.as_ref().is_some_and(|dig| dig.is_doubtful);
        let result = least.map(|dig| grid(shape, &dig.clues));
        Minimized { solutions: self.solutions, is_given_up, result }
    }
}

/// Searches puzzles of one shape, and digs in those that are proper, in the orders that `orders` makes from
/// the index of a puzzle and its clues. `None` if `stop` became true.
fn dig_proper(
    puzzles: &[Clues<'_>],
    units: &Units,
    prover: &mut dyn UniquenessProver,
    mut orders: impl FnMut(usize, &[u16]) -> Vec<Vec<u16>>,
    stop: &AtomicBool,
) -> Option<Vec<Minimized<Vec<Dig>>>> {
    let (mut counts, mut digs) = (Vec::new(), Vec::new());
    let outcomes = prover.search_all(puzzles, stop);
    for (index, (puzzle, outcome)) in puzzles.iter().zip(outcomes).enumerate() {
        let Outcome { solutions, is_given_up, solution, .. } = outcome;
        let solution = solution.filter(|_| solutions == 1 && !is_given_up);
        let clues = clue_cells(puzzle.cells);
        let orders = if solution.is_some() { orders(index, &clues) } else { Vec::new() };
        counts.push((solutions, is_given_up, orders.len()));
        for (solution, order) in solution.into_iter().cycle().zip(orders) {
            digs.push(Dig::new(puzzle.cells.to_vec(), solution, order, units, 0));
        }
    }
    let mut digs = digs.into_iter();
    let mut dug = dig_all_until(|| digs.by_ref().take(256).collect(), units, prover, stop)?.into_iter();
    let minimized = |(solutions, is_given_up, count)| Minimized {
        solutions,
        is_given_up,
        result: dug.by_ref().take(count).collect(),
    };
    Some(counts.into_iter().map(minimized).collect())
}

/// The single cells of a shape, and its prover, which are made when they are first needed.
fn prover(
    provers: &mut HashMap<Shape, (Units, Box<dyn UniquenessProver>)>,
    shape: Shape,
    guesses: u64,
) -> (&Units, &mut dyn UniquenessProver) {
    let new = || (Units::symmetric(shape, None), proper_prover(shape, guesses, Backend::best()));
    let (units, prover) = provers.entry(shape).or_insert_with(new);
    (units, &mut **prover)
}

/// The cells that have a clue.
fn clue_cells(cells: &[u8]) -> Vec<u16> {
    (0..).zip(cells).filter(|(_, clue)| **clue != 0).map(|(cell, _)| cell).collect()
}

/// The FNV-1a hash of some cells.
fn hash(cells: &[u8]) -> u64 {
    let step = |hash: u64, &cell: &u8| (hash ^ u64::from(cell)).wrapping_mul(0x100_0000_01b3);
    cells.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::digger::puzzle;
    use crate::generate::{FullGrids, Generator, GridMethod, Recipe};
    use crate::grid::Puzzle;
    use crate::solver::{AnyBitmask, Bounds, NEVER, SolutionEngine};

    #[test]
    fn made_puzzles_stay_minimal() {
        let mut generator = Generator::new(&Recipe::default(), 3, None).unwrap();
        let made = generator.attempts(0..40);
        let made: Vec<Puzzle> = made.into_iter().flatten().map(|made| puzzle(made.puzzle.cells())).collect();
        assert_eq!(made.len(), 40);
        let mut minimizer = Minimizer::default();
        assert!(minimizer.redundant_until(&made, &NEVER).iter().all(|found| found.result.is_empty()));
        for (puzzle, found) in made.iter().zip(minimizer.minimize_until(&made, 0, 5, 2, &NEVER)) {
            assert_eq!(found.result, Some((*puzzle).into()));
        }
    }

    #[test]
    fn more_orders_leave_fewer_clues_and_other_puzzles_change_nothing() {
        let recipe = Recipe { clues: Some(45..=45), ..Recipe::default() };
        let made = Generator::new(&recipe, 3, None).unwrap().attempts(0..20);
        let made: Vec<Puzzle> = made.into_iter().flatten().map(|made| puzzle(made.puzzle.cells())).collect();
        let mut minimizer = Minimizer::default();
        let clues = |found: &[Minimized<Option<Grid>>]| -> usize {
            found.iter().map(|found| found.result.as_ref().unwrap().clue_count()).sum()
        };
        let (one, forty) = (
            minimizer.minimize_until(&made, 0, 1, 1, &NEVER),
            minimizer.minimize_until(&made, 0, 1, 40, &NEVER),
        );
        assert!(clues(&forty) < clues(&one));
        assert_eq!(minimizer.minimize_until(&made[7..], 7, 1, 1, &NEVER), one[7..]);
    }

    #[test]
    fn improper_puzzles_have_no_minimal_puzzle() {
        let cells = std::array::from_fn(|cell| u8::from(cell < 2));
        let puzzles = [Puzzle::EMPTY, Puzzle::from_cells(cells).unwrap()];
        let mut minimizer = Minimizer::default();
        let found = minimizer.minimize_until(&puzzles, 0, 1, 3, &NEVER);
        assert_eq!(found.iter().map(|found| found.solutions).collect::<Vec<_>>(), [2, 0]);
        assert!(found.iter().all(|found| found.result.is_none() && !found.is_given_up));
    }

    /// Checks whether a puzzle has one solution.
    fn is_proper(grid: &Grid) -> bool {
        AnyBitmask::new().count(grid, &Bounds::solutions(2)).solutions == 1
    }

    #[test]
    fn puzzles_of_several_shapes_become_minimal() {
        let mut full: Vec<Grid> = Vec::new();
        for name in ["2x2", "2x3", "3x3", "2x3", "2x4"] {
            let shape = name.parse().unwrap();
            let mut cells = FullGrids::new(shape, GridMethod::Backtracking, Backend::best())
                .make(&mut ChaCha8Rng::seed_from_u64(7));
            cells[0] = 0;
            full.push(grid(shape, &cells));
        }
        let mut minimizer = Minimizer::default();
        for (puzzle, found) in full.iter().zip(minimizer.minimize_until(&full, 0, 1, 1, &NEVER)) {
            let minimal = found.result.unwrap();
            assert!(is_proper(&minimal) && minimal.shape() == puzzle.shape(), "{minimal:?}");
            for cell in (0..minimal.cells().len()).filter(|&cell| minimal.cells()[cell] != 0) {
                let mut less = minimal.cells().to_vec();
                less[cell] = 0;
                assert_eq!(minimal.cells()[cell], puzzle.cells()[cell]);
                assert!(
                    minimal.shape() == Shape::CLASSIC || !is_proper(&grid(minimal.shape(), &less)),
                    "{minimal:?}"
                );
            }
            assert_eq!((found.solutions, found.is_given_up), (1, false));
        }
        for (puzzle, found) in full.iter().zip(minimizer.redundant_until(&full, &NEVER)) {
            assert_eq!(found.result.len(), puzzle.clue_count(), "{puzzle:?}");
        }
    }

    #[test]
    fn searches_that_are_given_up_are_reported() {
        let shape = "2x3".parse().unwrap();
        let cells = FullGrids::new(shape, GridMethod::Backtracking, Backend::best())
            .make(&mut ChaCha8Rng::seed_from_u64(7));
        let puzzles = [grid(shape, &cells), Grid::empty(shape)];
        let found = Minimizer::new(0, false).minimize_until(&puzzles, 0, 1, 1, &NEVER);
        let minimal = found[0].result.as_ref().unwrap();
        assert!(found[0].is_given_up && is_proper(minimal) && minimal.clue_count() < 36);
        assert!(found[1].is_given_up && found[1].result.is_none());
    }
}

#[cfg(test)]
mod symmetric_tests {
    use super::*;
    use crate::generate::{FullGrids, GridMethod};
    use crate::solver::{AnyBitmask, Bounds, NEVER, SolutionEngine};

    fn is_proper(cells: Vec<u8>, shape: Shape) -> bool {
        let grid = Grid::new(shape, cells).unwrap();
        AnyBitmask::new().count(&grid, &Bounds::solutions(2)).solutions == 1
    }

    /// The grid after a quarter of a turn.
    fn turned(grid: &Grid) -> Grid {
        let side = grid.shape().side();
        let turned = |cell: usize| grid.cells()[(cell % side) * side + side - 1 - cell / side];
        Grid::new(grid.shape(), (0..side * side).map(turned).collect()).unwrap()
    }

    #[test]
    fn results_are_symmetric_and_no_unit_can_be_removed() {
        for shape in ["2x2", "3x3"].map(|shape| shape.parse::<Shape>().unwrap()) {
            let full = FullGrids::new(shape, GridMethod::Backtracking, Backend::best())
                .make(&mut ChaCha8Rng::seed_from_u64(3));
            let full = Grid::new(shape, full).unwrap();
            for symmetry in Symmetry::ALL {
                let mut minimizer = Minimizer::default();
                let found = minimizer.minimize_keeping(&full, Some(symmetry), &[], 7, &NEVER).unwrap();
                let puzzle = found.result.unwrap();
                assert!(
                    !found.is_given_up && found.solutions == 1 && puzzle.clue_count() < full.clue_count()
                );
                let images = symmetry.images(shape, puzzle.cells()).unwrap();
                for first in (0..shape.cells()).filter(|&cell| puzzle.cells()[cell] != 0) {
                    let (mut cells, mut cell) = (puzzle.cells().to_vec(), first);
                    while cells[cell] != 0 {
                        cells[cell] = 0;
                        cell = images[cell].into();
                    }
                    assert!(!is_proper(cells, shape), "{symmetry:?}: {puzzle} without {first}");
                }
                assert!(is_proper(puzzle.cells().to_vec(), shape));
                let again =
                    minimizer.minimize_keeping(&puzzle, Some(symmetry), &[], 8, &NEVER).unwrap().result;
                assert_eq!(again, Some(puzzle));
            }
        }
    }

    #[test]
    fn the_axis_is_that_of_the_clues() {
        let shape = Shape::CLASSIC;
        let full = FullGrids::new(shape, GridMethod::Backtracking, Backend::best())
            .make(&mut ChaCha8Rng::seed_from_u64(4));
        let mut cells = full.clone();
        // Left and right are alike, top and bottom are not. Then the same after a quarter of a turn.
        (cells[1], cells[7]) = (0, 0);
        let puzzle = Grid::new(shape, cells).unwrap();
        for puzzle in [turned(&puzzle), puzzle] {
            let found = Minimizer::default()
                .minimize_keeping(&puzzle, Some(Symmetry::Mirror), &[], 1, &NEVER)
                .unwrap();
            let minimal = found.result.unwrap();
            assert!(minimal.clue_count() < 60 && Symmetry::Mirror.holds_for(shape, minimal.cells()));
        }
    }

    #[test]
    fn clues_without_the_symmetry_and_other_puzzles_have_no_result() {
        let shape: Shape = "2x2".parse().unwrap();
        let mut cells = vec![0; 16];
        cells[0] = 1;
        let mut minimizer = Minimizer::default();
        let mut found = |cells: &[u8], symmetry| {
            let grid = Grid::new(shape, cells.to_vec()).unwrap();
            let found = minimizer.minimize_keeping(&grid, Some(symmetry), &[], 1, &NEVER).unwrap();
            (found.solutions, found.result)
        };
        assert_eq!(found(&cells, Symmetry::Diagonal), (2, None));
        let full = FullGrids::new(shape, GridMethod::Backtracking, Backend::best())
            .make(&mut ChaCha8Rng::seed_from_u64(4));
        cells.copy_from_slice(&full);
        cells[1] = 0;
        assert_eq!(found(&cells, Symmetry::Rotate180), (1, None));
    }

    #[test]
    fn stopped_minimizer_has_no_answer() {
        let stop = AtomicBool::new(true);
        let empty = Grid::empty("4x4".parse().unwrap());
        let found = Minimizer::default().minimize_keeping(&empty, Some(Symmetry::Mirror), &[], 1, &stop);
        assert!(found.is_none());
    }
}
