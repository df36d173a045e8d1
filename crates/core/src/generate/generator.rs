//! Attempts at puzzles by a recipe.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use super::dig::{Dig, Units};
use super::digger::{Digger, GUESSES};
use super::oracle::{BitmaskOracle, UniquenessOracle, dig_all_until, grid, proper};
use super::{FullGrids, Recipe, RecipeError};
use crate::grid::{Grid, Puzzle, Shape};
use crate::logic::{PuzzleRating, Rater, RatingWish};
use crate::simd::Backend;
use crate::solver::{Clues, Outcome};

/// The name of the algorithm. A seed gives the same puzzles as long as this name stays.
pub const ALGORITHM: &str = "gridmill-2";

/// Attempts that are made together.
const PORTION: u64 = 64;

/// A puzzle that matches its recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Made {
    /// The puzzle.
    pub puzzle: Grid,
    /// Its only solution.
    pub solution: Grid,
    /// The guesses that prove the solution to be the only one: of the lockstep engine for classic puzzles, of
    /// the bitmask engine for others.
    pub guesses: u64,
    /// The rating, where the recipe has a wish about it.
    pub rating: Option<PuzzleRating>,
}

/// Makes puzzles by a recipe, each from a full grid from which clues are taken out in random order. One value
/// serves one thread.
///
/// Attempt `i` depends only on the recipe, the seed and `i`: its random numbers are stream `i` of a ChaCha8
/// generator with that seed. So puzzles can be made on any number of threads and in any portions, and taken
/// in the order of their attempts.
///
/// ```
/// use gridmill_core::generate::{Generator, Recipe};
/// use gridmill_core::solver::{SolutionLimit, SolverKind};
///
/// let mut generator = Generator::new(&Recipe::default(), 1, None).unwrap();
/// let made = generator.attempts(0..1).remove(0).expect("any puzzle will do");
/// assert!((17..41).contains(&made.puzzle.clue_count()));
/// let puzzle = made.puzzle.to_string().parse().unwrap();
/// let outcome = SolverKind::Bitmask.build().solve(&puzzle, SolutionLimit::UNIQUENESS);
/// assert_eq!(outcome.solutions, 1);
/// ```
pub struct Generator {
    recipe: Recipe,
    seed: u64,
    grids: FullGrids,
    units: Units,
    digger: Digger,
    /// Solves the results of digging once more.
    solver: Box<dyn UniquenessOracle>,
    /// Finds out whether singles solve them.
    singles: BitmaskOracle,
    /// Single cells, to test whether a puzzle is minimal; `None` if that is certain, or not asked for.
    cells: Option<Units>,
    /// Rates puzzles as far as the recipe goes; `None` where ratings do not matter.
    rater: Option<Rater>,
    fewest_clues: Option<usize>,
}

impl Generator {
    /// Returns a generator for that recipe and seed. It searches classic puzzles with the lockstep engine, on
    /// the given backend or the best one.
    ///
    /// # Errors
    ///
    /// Where the recipe contradicts itself.
    pub fn new(recipe: &Recipe, seed: u64, backend: Option<Backend>) -> Result<Generator, RecipeError> {
        recipe.check()?;
        let shape = recipe.shape;
        let backend = backend.unwrap_or_else(Backend::best);
        let units = recipe.units();
        let is_dug_minimal = recipe.pattern.is_none() && units.are_single();
        Ok(Generator {
            recipe: recipe.clone(),
            seed,
            grids: recipe.full_grids(backend),
            units,
            digger: Digger::new(recipe, backend),
            solver: proper(shape, GUESSES, backend),
            singles: BitmaskOracle::singles(shape),
            cells: (recipe.minimal && !is_dug_minimal).then(|| Units::cells(shape)),
            rater: recipe.rating.as_ref().map(RatingWish::rater),
            fewest_clues: None,
        })
    }

    /// Makes attempts together. `None` for an attempt that gave no puzzle of the recipe.
    #[must_use]
    pub fn attempts(&mut self, range: Range<u64>) -> Vec<Option<Made>> {
        self.attempts_until(range, &AtomicBool::new(false)).expect("nothing stops it")
    }

    /// Makes attempts as [`Generator::attempts`] does, or returns `None` soon after `stop` becomes true.
    #[must_use]
    pub fn attempts_until(&mut self, range: Range<u64>, stop: &AtomicBool) -> Option<Vec<Option<Made>>> {
        let Generator { recipe, seed, grids, units, digger, .. } = &mut *self;
        let mut next = range.start;
        let more = || {
            let first = next;
            next = range.end.min(next + PORTION);
            let rng = |attempt| {
                let mut rng = ChaCha8Rng::seed_from_u64(*seed);
                rng.set_stream(attempt);
                rng
            };
            let mut rngs: Vec<ChaCha8Rng> = (first..next).map(rng).collect();
            let full = grids.make_for(recipe, &mut rngs, stop).unwrap_or_default();
            full.into_iter().zip(&mut rngs).map(|(full, rng)| begin(recipe, full, rng, units)).collect()
        };
        let digs = digger.dig(more, units, stop)?;
        self.fewest_clues = digs.iter().map(|dig| dig.count).chain(self.fewest_clues).min();
        self.check_all(digs, stop)
    }

    /// Returns the fewest clues that an attempt came down to, whether or not it gave a puzzle of the recipe.
    #[must_use]
    pub fn fewest_clues(&self) -> Option<usize> {
        self.fewest_clues
    }

    /// Checks that the results of digging match the recipe, or returns `None` when `stop` becomes true.
    fn check_all(&mut self, digs: Vec<Dig>, stop: &AtomicBool) -> Option<Vec<Option<Made>>> {
        let shape = self.recipe.shape;
        let puzzles: Vec<Clues<'_>> = digs.iter().map(|dig| Clues { shape, cells: &dig.clues }).collect();
        let found = self.solver.search_all(&puzzles, stop);
        let mut checked = Vec::with_capacity(digs.len());
        for (dig, found) in digs.into_iter().zip(found) {
            let is_right = is_proper(&found) && found.solution.as_ref() == Some(&dig.solution);
            checked.push(is_right.then(|| self.check(dig, found.guesses, stop)).flatten());
            if stop.load(Ordering::Relaxed) {
                return None;
            }
        }
        Some(checked)
    }

    fn check(&mut self, dig: Dig, guesses: u64, stop: &AtomicBool) -> Option<Made> {
        let Generator { recipe, singles, .. } = &mut *self;
        let shape = recipe.shape;
        let mut is_solved_by_singles =
            || is_proper(&singles.search_all(&[Clues { shape, cells: &dig.clues }], stop)[0]);
        let fits = recipe.clue_range().contains(&dig.count)
            && recipe.guesses.as_ref().is_none_or(|range| range.contains(&guesses))
            && !(recipe.minimal && dig.doubtful)
            && (!recipe.singles || recipe.digs_by_singles() || is_solved_by_singles());
        let is_minimal = |cells: &Units| !has_redundant(&dig, cells, &mut *self.solver, stop);
        if !fits || !self.cells.as_ref().is_none_or(is_minimal) {
            return None;
        }
        let rating = self.rating(&dig, stop);
        if self.rater.is_some() && rating.is_none() {
            return None;
        }
        Some(Made { puzzle: grid(shape, &dig.clues), solution: grid(shape, &dig.solution), guesses, rating })
    }

    /// Returns the rating of a classic puzzle, if the recipe has a wish about it, and it is as wanted.
    fn rating(&mut self, dig: &Dig, stop: &AtomicBool) -> Option<PuzzleRating> {
        let puzzle = dig.clues[..].try_into().ok().and_then(Puzzle::from_cells)?;
        let rating = self.rater.as_mut()?.rate_until(&puzzle, stop);
        self.recipe.rating.as_ref()?.admits(&rating).then_some(rating)
    }
}

/// Returns a dig in a full grid, with a random order in which its clues are to go.
fn begin(recipe: &Recipe, full: Vec<u8>, rng: &mut ChaCha8Rng, units: &Units) -> Dig {
    let mut order: Vec<u16> = (0..units.len() as u16).collect();
    order.shuffle(rng);
    let least = match recipe.clues.clone() {
        Some(clues) if !recipe.minimal => {
            rng.random_range(*clues.start() as u32..=*clues.end() as u32) as usize
        }
        _ => 0,
    };
    let dig = Dig::new(full.clone(), full, order, units, least);
    // Small unavoidable sets are of no use where a single question is asked.
    let knows_swaps = recipe.shape == Shape::CLASSIC && recipe.pattern.is_none();
    if knows_swaps { dig.with_swaps() } else { dig }
}

/// Returns whether a puzzle has one solution, and the search came to its end.
fn is_proper(found: &Outcome<Vec<u8>>) -> bool {
    found.solutions == 1 && !found.is_given_up
}

/// Returns whether any clue of a proper puzzle can go alone, or that could not be found out.
fn has_redundant(dig: &Dig, cells: &Units, oracle: &mut dyn UniquenessOracle, stop: &AtomicBool) -> bool {
    let Dig { clues, solution, .. } = dig;
    let dig = |cell: usize| Dig::new(clues.clone(), solution.clone(), vec![cell as u16], cells, 0);
    let mut digs = Some((0..clues.len()).filter(|&cell| clues[cell] != 0).map(dig).collect());
    let tried = dig_all_until(|| digs.take().unwrap_or_default(), cells, oracle, stop);
    tried.is_none_or(|tried| tried.iter().any(|dig| dig.gone().is_some() || dig.doubtful))
}
