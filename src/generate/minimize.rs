//! Finding and removing redundant clues of given puzzles.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::dig::Dig;
use super::lockstep_oracle::LockstepOracle;
use super::oracle::{dig_all, puzzle};
use super::units::Units;
use crate::grid::{Cell, Puzzle, Shape};
use crate::simd::Backend;
use crate::solver::Outcome;

/// Orders that are tried at once.
const ORDERS: usize = 32;

/// Finds the redundant clues of classic puzzles, and takes them out. One value serves one thread.
///
/// ```
/// use gridmill::generate::Minimizer;
/// use gridmill::grid::Puzzle;
///
/// let puzzle: Puzzle = "534678912672195348198342567859761423426853791713924856961537284287419635345286...".parse()?;
/// let mut minimizer = Minimizer::new(None);
/// let (outcome, redundant) = minimizer.redundant(&[puzzle]).remove(0);
/// assert_eq!((outcome.solutions, redundant.len()), (1, 78));
/// let (_, minimal) = minimizer.minimize(&[puzzle], 0, 1, 1).remove(0);
/// let (_, redundant) = minimizer.redundant(&[minimal.unwrap()]).remove(0);
/// assert!(redundant.is_empty());
/// # Ok::<(), gridmill::text::ParsePuzzleError>(())
/// ```
#[derive(Debug)]
pub struct Minimizer {
    cells: Units,
    oracle: LockstepOracle,
}

impl Minimizer {
    /// Returns a minimizer on that backend, or the best one.
    #[must_use]
    pub fn new(backend: Option<Backend>) -> Minimizer {
        let oracle = LockstepOracle::new(backend.unwrap_or_else(Backend::best));
        Minimizer { cells: Units::cells(Shape::CLASSIC), oracle }
    }

    /// Searches each puzzle for up to two solutions, and takes clues out of proper ones until none can go.
    /// Returns the outcomes and the minimal puzzles. Puzzle `i` is dug in `orders` random orders, which
    /// depend on the seed and on `first + i`, and the result with the fewest clues is kept, the first of
    /// several.
    #[must_use]
    pub fn minimize(
        &mut self,
        puzzles: &[Puzzle],
        first: u64,
        seed: u64,
        orders: usize,
    ) -> Vec<(Outcome, Option<Puzzle>)> {
        let mut rngs: Vec<ChaCha8Rng> = (first..)
            .take(puzzles.len())
            .map(|stream| {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                rng.set_stream(stream);
                rng
            })
            .collect();
        let mut best: Vec<(Outcome, Option<Puzzle>)> = Vec::new();
        for tried in (0..orders).step_by(ORDERS) {
            let found = self.each_proper(
                puzzles,
                |index, clues| {
                    let mut order = clues.to_vec();
                    let mut shuffled = || {
                        order.shuffle(&mut rngs[index]);
                        order.clone()
                    };
                    (tried..orders.min(tried + ORDERS)).map(|_| shuffled()).collect()
                },
                |digs| digs.iter().min_by_key(|dig| dig.clue_count()).map(|dig| puzzle(dig.clues())),
            );
            if best.is_empty() {
                best = found;
                continue;
            }
            for ((_, best), (_, found)) in best.iter_mut().zip(found) {
                if found.map(|found| found.clue_count()) < best.map(|best| best.clue_count()) {
                    *best = found;
                }
            }
        }
        best
    }

    /// Searches each puzzle for up to two solutions, and returns the outcome and, for proper ones, the clues
    /// of which each could go alone.
    #[must_use]
    pub fn redundant(&mut self, puzzles: &[Puzzle]) -> Vec<(Outcome, Vec<Cell>)> {
        self.each_proper(
            puzzles,
            |_, clues| clues.iter().map(|&clue| vec![clue]).collect(),
            |digs| digs.iter().filter_map(Dig::gone).collect(),
        )
    }

    /// Digs in the proper puzzles, each in the orders that `orders` makes of its index and its clues.
    fn each_proper<T: Default>(
        &mut self,
        puzzles: &[Puzzle],
        mut orders: impl FnMut(usize, &[u16]) -> Vec<Vec<u16>>,
        conclude: impl Fn(&[Dig]) -> T,
    ) -> Vec<(Outcome, T)> {
        let outcomes = self.oracle.solve(puzzles.iter().map(|puzzle| &puzzle.cells()[..])).to_vec();
        let mut counts = Vec::new();
        let mut digs = Vec::new();
        for (index, (puzzle, outcome)) in puzzles.iter().zip(&outcomes).enumerate() {
            let solution = outcome.solution.filter(|_| outcome.solutions == 1);
            let clues: Vec<u16> = (0..81).filter(|&cell| puzzle.cells()[usize::from(cell)] != 0).collect();
            let orders = if solution.is_some() { orders(index, &clues) } else { Vec::new() };
            counts.push(orders.len());
            for (solution, order) in solution.into_iter().cycle().zip(orders) {
                let (clues, solution) = (puzzle.cells().to_vec(), solution.cells().to_vec());
                digs.push(Dig::new(clues, solution, order, &self.cells, 0));
            }
        }
        let mut digs = digs.into_iter();
        let dug = dig_all(|| digs.by_ref().take(256).collect(), &self.cells, &mut self.oracle);
        let mut rest = &dug[..];
        let conclude = |(outcome, count)| {
            let (own, others) = rest.split_at(count);
            rest = others;
            (outcome, if count == 0 { T::default() } else { conclude(own) })
        };
        outcomes.into_iter().zip(counts).map(conclude).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Generator, Recipe};

    #[test]
    fn made_puzzles_are_minimal_and_stay_so() {
        let mut generator = Generator::new(&Recipe::default(), 3, None).unwrap();
        let made = generator.attempts(0..40);
        let made: Vec<Puzzle> = made.into_iter().flatten().map(|made| puzzle(made.puzzle.cells())).collect();
        assert_eq!(made.len(), 40);
        let mut minimizer = Minimizer::new(None);
        assert!(minimizer.redundant(&made).iter().all(|(_, redundant)| redundant.is_empty()));
        for (puzzle, (_, minimal)) in made.iter().zip(minimizer.minimize(&made, 0, 5, 2)) {
            assert_eq!(minimal.as_ref(), Some(puzzle));
        }
    }

    #[test]
    fn more_orders_leave_fewer_clues_and_other_puzzles_change_nothing() {
        let recipe = Recipe { clues: Some(45..=45), ..Recipe::default() };
        let made = Generator::new(&recipe, 3, None).unwrap().attempts(0..20);
        let made: Vec<Puzzle> = made.into_iter().flatten().map(|made| puzzle(made.puzzle.cells())).collect();
        let mut minimizer = Minimizer::new(None);
        let clues = |found: &[(Outcome, Option<Puzzle>)]| -> usize {
            found.iter().map(|(_, puzzle)| puzzle.unwrap().clue_count()).sum()
        };
        let (one, forty) = (minimizer.minimize(&made, 0, 1, 1), minimizer.minimize(&made, 0, 1, 40));
        assert!(clues(&forty) < clues(&one));
        let strip = |found: Vec<(Outcome, Option<Puzzle>)>| found.into_iter().map(|(_, puzzle)| puzzle);
        assert!(strip(minimizer.minimize(&made[7..], 7, 1, 1)).eq(strip(one).skip(7)));
    }

    #[test]
    fn what_is_not_proper_stays_as_it_is() {
        let cells = std::array::from_fn(|cell| u8::from(cell < 2));
        let puzzles = [Puzzle::EMPTY, Puzzle::from_cells(cells).unwrap()];
        let mut minimizer = Minimizer::new(None);
        let found = minimizer.minimize(&puzzles, 0, 1, 3);
        assert_eq!(found.iter().map(|(outcome, _)| outcome.solutions).collect::<Vec<_>>(), [2, 0]);
        assert!(found.iter().all(|(_, puzzle)| puzzle.is_none()));
    }
}
