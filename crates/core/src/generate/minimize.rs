//! Finding and removing redundant clues of given puzzles.

mod symmetric;

use std::sync::atomic::AtomicBool;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use super::dig::Dig;
use super::lockstep_oracle::LockstepOracle;
use super::oracle::{BitmaskOracle, UniquenessOracle, dig_all_until, grid};
use super::units::Units;
use crate::grid::{Cell, Grid, Shape};
use crate::simd::Backend;
use crate::solver::{Clues, GridLike, Outcome};

/// Orders that are tried at once.
const ORDERS: usize = 32;

/// Finds the redundant clues of puzzles, and takes them out. One value serves one thread.
///
/// Classic puzzles are searched to the end. For others, a search that takes more guesses than [`Minimizer::GUESSES`]
/// is given up: its clue stays, though it may be redundant.
///
/// ```
/// use gridmill_core::generate::Minimizer;
/// use gridmill_core::grid::Puzzle;
///
/// let puzzle: Puzzle = "534678912672195348198342567859761423426853791713924856961537284287419635345286...".parse()?;
/// let mut minimizer = Minimizer::new(None);
/// let found = minimizer.redundant(&[puzzle]).remove(0);
/// assert_eq!((found.solutions, found.result.len()), (1, 78));
/// let minimal = minimizer.minimize(&[puzzle], 0, 1, 1).remove(0).result.unwrap();
/// assert!(minimizer.redundant(&[minimal]).remove(0).result.is_empty());
/// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
/// ```
#[derive(Debug)]
pub struct Minimizer {
    backend: Option<Backend>,
    guesses: u64,
    by_clues: bool,
    classic: Option<(Units, LockstepOracle)>,
    /// For the shape that was met last, besides the classic one.
    other: Option<(Units, BitmaskOracle)>,
}

/// The result of taking clues out of a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Minimized<T> {
    /// The solutions of the puzzle, up to two.
    pub solutions: u64,
    /// Whether a search was given up: that for the solutions, or one after which a clue stayed that may be
    /// redundant.
    pub is_given_up: bool,
    /// The result; nothing for a puzzle that is not proper.
    pub result: T,
}

impl Minimizer {
    /// The guesses after which a search is given up, unless told otherwise.
    pub const GUESSES: u64 = 20_000;

    /// Returns a minimizer that searches classic puzzles on that backend, or the best one.
    #[must_use]
    pub fn new(backend: Option<Backend>) -> Minimizer {
        Minimizer { backend, guesses: Minimizer::GUESSES, by_clues: false, classic: None, other: None }
    }

    /// Returns the minimizer with another number of guesses after which searches in puzzles that are not
    /// classic are given up.
    #[must_use]
    pub fn with_guesses(self, guesses: u64) -> Minimizer {
        Minimizer { guesses, other: None, ..self }
    }

    /// Returns the minimizer with random orders that depend on the clues of a puzzle in place of its number, so that equal
    /// puzzles have equal results.
    #[must_use]
    pub fn with_orders_by_clues(self, by_clues: bool) -> Minimizer {
        Minimizer { by_clues, ..self }
    }

    /// Searches each puzzle for up to two solutions, and takes clues out of proper ones until none can go.
    /// Returns the minimal puzzles. Puzzle `i` is dug in `orders` random orders, which depend on the seed and
    /// on `first + i`, and the result with the fewest clues is kept, the first of several.
    #[must_use]
    pub fn minimize(
        &mut self,
        puzzles: &[impl GridLike],
        first: u64,
        seed: u64,
        orders: usize,
    ) -> Vec<Minimized<Option<Grid>>> {
        self.minimize_until(puzzles, first, seed, orders, &AtomicBool::new(false))
    }

    /// Minimizes puzzles as [`Minimizer::minimize`] does, until `stop` becomes true. Soon after that it returns
    /// those of the first puzzles that are done, of which there may be none.
    #[must_use]
    pub fn minimize_until(
        &mut self,
        puzzles: &[impl GridLike],
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
        for tried in (0..orders).step_by(ORDERS) {
            let found = self.each_proper(
                puzzles,
                stop,
                |index, clues| {
                    let mut order = clues.to_vec();
                    let mut shuffled = || {
                        order.shuffle(&mut rngs[index]);
                        order.clone()
                    };
                    (tried..orders.min(tried + ORDERS)).map(|_| shuffled()).collect()
                },
                |shape, digs| {
                    let least = digs.iter().min_by_key(|dig| dig.clue_count());
                    let is_doubtful = least.is_some_and(Dig::is_doubtful);
                    (least.map(|dig| grid(shape, dig.clues())), is_doubtful)
                },
            );
            if found.len() < puzzles.len() && tried + ORDERS < orders {
                return Vec::new();
            }
            if tried == 0 {
                best = found;
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

    /// Searches each puzzle for up to two solutions, and returns, for proper ones, the clues of which each
    /// could go alone.
    #[must_use]
    pub fn redundant(&mut self, puzzles: &[impl GridLike]) -> Vec<Minimized<Vec<Cell>>> {
        self.redundant_until(puzzles, &AtomicBool::new(false))
    }

    /// Finds redundant clues as [`Minimizer::redundant`] does, until `stop` becomes true. Soon after that it returns
    /// those of the first puzzles that are done, of which there may be none.
    #[must_use]
    pub fn redundant_until(
        &mut self,
        puzzles: &[impl GridLike],
        stop: &AtomicBool,
    ) -> Vec<Minimized<Vec<Cell>>> {
        self.each_proper(
            puzzles,
            stop,
            |_, clues| clues.iter().map(|&clue| vec![clue]).collect(),
            |_, digs| (digs.iter().filter_map(Dig::gone).collect(), digs.iter().any(Dig::is_doubtful)),
        )
    }

    /// Digs in the proper puzzles, each in the orders that `orders` makes of its index and its clues. The
    /// conclusion is the result, and whether there are doubts. When `stop` becomes true, there are results of the
    /// first puzzles only.
    fn each_proper<T: Default>(
        &mut self,
        puzzles: &[impl GridLike],
        stop: &AtomicBool,
        mut orders: impl FnMut(usize, &[u16]) -> Vec<Vec<u16>>,
        conclude: impl Fn(Shape, &[Dig]) -> (T, bool),
    ) -> Vec<Minimized<T>> {
        let puzzles: Vec<Clues<'_>> = puzzles.iter().map(GridLike::clues).collect();
        let mut found = Vec::with_capacity(puzzles.len());
        // Others than classic ones gain nothing from being dug together, and may take long each.
        let is_classic = |puzzle: &Clues<'_>| puzzle.shape == Shape::CLASSIC;
        for puzzles in puzzles.chunk_by(|one, other| is_classic(one) && is_classic(other)) {
            let (shape, before) = (puzzles[0].shape, found.len());
            let mut orders = |index: usize, clues: &[u16]| orders(before + index, clues);
            let mut digging = Digging {
                puzzles,
                orders: &mut orders,
                conclude: &|digs: &[Dig]| conclude(shape, digs),
                stop,
            };
            let results = if shape == Shape::CLASSIC {
                let (units, oracle) = self.classic();
                digging.run(units, oracle)
            } else {
                let (units, oracle) = self.other(shape);
                digging.run(units, oracle)
            };
            let Some(results) = results else { break };
            found.extend(results);
        }
        found
    }

    fn classic(&mut self) -> &mut (Units, LockstepOracle) {
        let backend = self.backend;
        self.classic.get_or_insert_with(|| {
            (Units::cells(Shape::CLASSIC), LockstepOracle::new(backend.unwrap_or_else(Backend::best)))
        })
    }

    fn other(&mut self, shape: Shape) -> &mut (Units, BitmaskOracle) {
        self.other.take_if(|(_, oracle)| oracle.shape() != shape);
        let guesses = self.guesses;
        self.other.get_or_insert_with(|| (Units::cells(shape), BitmaskOracle::proper(shape, guesses)))
    }
}

/// Makes the orders in which a puzzle is dug, of its index and its clues.
type Orders<'a> = dyn FnMut(usize, &[u16]) -> Vec<Vec<u16>> + 'a;

/// Digs in puzzles of one shape.
struct Digging<'a, T> {
    puzzles: &'a [Clues<'a>],
    orders: &'a mut Orders<'a>,
    conclude: &'a dyn Fn(&[Dig]) -> (T, bool),
    stop: &'a AtomicBool,
}

impl<T: Default> Digging<'_, T> {
    /// Searches the puzzles, and digs in those that are proper. Returns `None` when the flag to stop becomes true.
    fn run(&mut self, units: &Units, oracle: &mut impl UniquenessOracle) -> Option<Vec<Minimized<T>>> {
        let (mut counts, mut digs) = (Vec::new(), Vec::new());
        let outcomes = oracle.search_all(self.puzzles, self.stop);
        for (index, (puzzle, outcome)) in self.puzzles.iter().zip(outcomes).enumerate() {
            let Outcome { solutions, is_given_up, solution, .. } = outcome;
            let solution = solution.filter(|_| solutions == 1 && !is_given_up);
            let has_clue = |&cell: &u16| puzzle.cells[usize::from(cell)] != 0;
            let clues: Vec<u16> = (0..puzzle.cells.len() as u16).filter(has_clue).collect();
            let orders = if solution.is_some() { (self.orders)(index, &clues) } else { Vec::new() };
            counts.push((solutions, is_given_up, orders.len()));
            for (solution, order) in solution.into_iter().cycle().zip(orders) {
                digs.push(Dig::new(puzzle.cells.to_vec(), solution, order, units, 0));
            }
        }
        let mut digs = digs.into_iter();
        let dug = dig_all_until(|| digs.by_ref().take(256).collect(), units, oracle, self.stop)?;
        let mut rest = &dug[..];
        let minimized = |(solutions, is_given_up, count): (u64, bool, usize)| {
            let (own, others) = rest.split_at(count);
            rest = others;
            let (result, is_doubtful) = if count == 0 { Default::default() } else { (self.conclude)(own) };
            Minimized { solutions, is_given_up: is_given_up || is_doubtful, result }
        };
        Some(counts.into_iter().map(minimized).collect())
    }
}

/// Returns the FNV-1a hash of some cells.
fn hash(cells: &[u8]) -> u64 {
    let step = |hash: u64, &cell: &u8| (hash ^ u64::from(cell)).wrapping_mul(0x100_0000_01b3);
    cells.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::oracle::puzzle;
    use crate::generate::{FullGrids, Generator, GridMethod, Recipe};
    use crate::grid::Puzzle;
    use crate::solver::{AnyBitmask, Bounds, GridSolver};

    #[test]
    fn made_puzzles_are_minimal_and_stay_so() {
        let mut generator = Generator::new(&Recipe::default(), 3, None).unwrap();
        let made = generator.attempts(0..40);
        let made: Vec<Puzzle> = made.into_iter().flatten().map(|made| puzzle(made.puzzle.cells())).collect();
        assert_eq!(made.len(), 40);
        let mut minimizer = Minimizer::new(None);
        assert!(minimizer.redundant(&made).iter().all(|found| found.result.is_empty()));
        for (puzzle, found) in made.iter().zip(minimizer.minimize(&made, 0, 5, 2)) {
            assert_eq!(found.result, Some((*puzzle).into()));
        }
    }

    #[test]
    fn more_orders_leave_fewer_clues_and_other_puzzles_change_nothing() {
        let recipe = Recipe { clues: Some(45..=45), ..Recipe::default() };
        let made = Generator::new(&recipe, 3, None).unwrap().attempts(0..20);
        let made: Vec<Puzzle> = made.into_iter().flatten().map(|made| puzzle(made.puzzle.cells())).collect();
        let mut minimizer = Minimizer::new(None);
        let clues = |found: &[Minimized<Option<Grid>>]| -> usize {
            found.iter().map(|found| found.result.as_ref().unwrap().clue_count()).sum()
        };
        let (one, forty) = (minimizer.minimize(&made, 0, 1, 1), minimizer.minimize(&made, 0, 1, 40));
        assert!(clues(&forty) < clues(&one));
        assert_eq!(minimizer.minimize(&made[7..], 7, 1, 1), one[7..]);
    }

    #[test]
    fn what_is_not_proper_stays_as_it_is() {
        let cells = std::array::from_fn(|cell| u8::from(cell < 2));
        let puzzles = [Puzzle::EMPTY, Puzzle::from_cells(cells).unwrap()];
        let mut minimizer = Minimizer::new(None);
        let found = minimizer.minimize(&puzzles, 0, 1, 3);
        assert_eq!(found.iter().map(|found| found.solutions).collect::<Vec<_>>(), [2, 0]);
        assert!(found.iter().all(|found| found.result.is_none() && !found.is_given_up));
    }

    /// Returns whether a puzzle has one solution.
    fn is_proper(grid: &Grid) -> bool {
        AnyBitmask::new().count(grid, &Bounds::solutions(2)).solutions == 1
    }

    #[test]
    fn puzzles_of_several_shapes_become_minimal() {
        let mut full: Vec<Grid> = Vec::new();
        for name in ["2x2", "2x3", "3x3", "2x3", "2x4"] {
            let shape = name.parse().unwrap();
            let mut cells =
                FullGrids::new(shape, GridMethod::Backtracking).make(&mut ChaCha8Rng::seed_from_u64(7));
            cells[0] = 0;
            full.push(grid(shape, &cells));
        }
        let mut minimizer = Minimizer::new(None);
        for (puzzle, found) in full.iter().zip(minimizer.minimize(&full, 0, 1, 1)) {
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
        for (puzzle, found) in full.iter().zip(minimizer.redundant(&full)) {
            assert_eq!(found.result.len(), puzzle.clue_count(), "{puzzle:?}");
        }
    }

    #[test]
    fn a_search_that_is_given_up_is_told() {
        let shape = "2x3".parse().unwrap();
        let cells = FullGrids::new(shape, GridMethod::Backtracking).make(&mut ChaCha8Rng::seed_from_u64(7));
        let puzzles = [grid(shape, &cells), Grid::empty(shape)];
        let found = Minimizer::new(None).with_guesses(0).minimize(&puzzles, 0, 1, 1);
        let minimal = found[0].result.as_ref().unwrap();
        assert!(found[0].is_given_up && is_proper(minimal) && minimal.clue_count() < 36);
        assert!(found[1].is_given_up && found[1].result.is_none());
    }
}
