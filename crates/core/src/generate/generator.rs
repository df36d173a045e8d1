//! Attempts at puzzles by a recipe.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use super::dig::{Dig, Units};
use super::digger::{Digger, GUESSES};
use super::full::GridSource;
use super::oracle::{BitmaskOracle, UniquenessOracle, dig_all_until, grid, proper};
use super::{Recipe, RecipeError};
use crate::grid::{Grid, Puzzle, Shape};
use crate::logic::{PuzzleRating, Rater, RatingWish};
use crate::simd::Backend;

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
    starter: Starter,
    units: Units,
    digger: Digger,
    check: FinalCheck,
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
        let starter = Starter {
            recipe: recipe.clone(),
            seed,
            grids: GridSource::new(recipe, backend),
            knows_swaps: shape == Shape::CLASSIC && recipe.pattern.is_none(),
        };
        let (digger, check) = (Digger::new(recipe, backend), FinalCheck::new(recipe, backend));
        Ok(Generator { starter, units: recipe.units(), digger, check, fewest_clues: None })
    }

    /// Makes attempts together. `None` for an attempt that gave no puzzle of the recipe.
    #[must_use]
    pub fn attempts(&mut self, range: Range<u64>) -> Vec<Option<Made>> {
        self.attempts_until(range, &AtomicBool::new(false)).expect("nothing stops it")
    }

    /// Makes attempts as [`Generator::attempts`] does, or returns `None` soon after `stop` becomes true.
    #[must_use]
    pub fn attempts_until(&mut self, range: Range<u64>, stop: &AtomicBool) -> Option<Vec<Option<Made>>> {
        let Generator { starter, units, digger, check, fewest_clues } = self;
        let mut next = range.start;
        let more = || {
            let first = next;
            next = range.end.min(next + PORTION);
            starter.digs(first..next, units, stop)
        };
        let digs = digger.dig(more, units, stop)?;
        *fewest_clues = digs.iter().map(Dig::clue_count).chain(*fewest_clues).min();
        check.all(digs, stop)
    }

    /// Returns the fewest clues that an attempt came down to, whether or not it gave a puzzle of the recipe.
    #[must_use]
    pub fn fewest_clues(&self) -> Option<usize> {
        self.fewest_clues
    }
}

/// Makes full grids, and begins digs in them.
struct Starter {
    recipe: Recipe,
    seed: u64,
    grids: GridSource,
    /// Whether digs know small unavoidable sets: not where they ask a single question.
    knows_swaps: bool,
}

impl Starter {
    /// Begins digs in new grids. Returns none when `stop` becomes true.
    fn digs(&mut self, range: Range<u64>, units: &Units, stop: &AtomicBool) -> Vec<Dig> {
        let mut rngs: Vec<ChaCha8Rng> = range.map(|attempt| self.rng(attempt)).collect();
        let grids = self.grids.make_all(&mut rngs, stop).unwrap_or_default();
        grids.into_iter().zip(&mut rngs).map(|(grid, rng)| self.begin(grid, rng, units)).collect()
    }

    fn rng(&self, attempt: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(attempt);
        rng
    }

    /// Returns a dig in a full grid, with a random order in which its clues are to go.
    fn begin(&self, full: Vec<u8>, rng: &mut ChaCha8Rng, units: &Units) -> Dig {
        let mut order: Vec<u16> = (0..units.len() as u16).collect();
        order.shuffle(rng);
        let least = match self.recipe.clues.clone() {
            Some(clues) if !self.recipe.minimal => {
                rng.random_range(*clues.start() as u32..=*clues.end() as u32) as usize
            }
            _ => 0,
        };
        let dig = Dig::new(full.clone(), full, order, units, least);
        if self.knows_swaps { dig.with_swaps() } else { dig }
    }
}

/// Checks that a result of digging matches the recipe.
struct FinalCheck {
    recipe: Recipe,
    /// Solves the result once more.
    solver: Box<dyn UniquenessOracle>,
    singles: BitmaskOracle,
    /// Single cells, to test whether a puzzle is minimal; `None` if that is certain, or not asked for.
    cells: Option<Units>,
    /// Rates puzzles as far as the recipe goes; `None` where ratings do not matter.
    rater: Option<Rater>,
}

impl FinalCheck {
    fn new(recipe: &Recipe, backend: Backend) -> FinalCheck {
        let shape = recipe.shape;
        let solver = proper(shape, GUESSES, backend);
        let is_dug_minimal = recipe.pattern.is_none() && recipe.units().are_single();
        let cells = (recipe.minimal && !is_dug_minimal).then(|| Units::cells(shape));
        let singles = BitmaskOracle::singles(shape);
        let rater = recipe.rating.as_ref().map(RatingWish::rater);
        FinalCheck { recipe: recipe.clone(), solver, singles, cells, rater }
    }

    /// Checks all results, or returns `None` when `stop` becomes true.
    fn all(&mut self, digs: Vec<Dig>, stop: &AtomicBool) -> Option<Vec<Option<Made>>> {
        let guesses = self.solver.guesses(&digs, stop);
        let mut checked = Vec::with_capacity(digs.len());
        for (dig, guesses) in digs.into_iter().zip(guesses) {
            checked.push(guesses.and_then(|guesses| self.one(dig, guesses, stop)));
            if stop.load(Ordering::Relaxed) {
                return None;
            }
        }
        Some(checked)
    }

    fn one(&mut self, dig: Dig, guesses: u64, stop: &AtomicBool) -> Option<Made> {
        let recipe = &self.recipe;
        let fits = recipe.clue_range().contains(&dig.clue_count())
            && recipe.guesses.as_ref().is_none_or(|range| range.contains(&guesses))
            && !(recipe.minimal && dig.is_doubtful())
            && (!recipe.singles || recipe.digs_by_singles() || self.singles.is_proved(dig.clues(), stop));
        let shape = recipe.shape;
        if !fits || !self.is_minimal_enough(&dig, stop) {
            return None;
        }
        let rating = self.rating(&dig, stop);
        if self.rater.is_some() && rating.is_none() {
            return None;
        }
        let (clues, solution) = dig.into_clues_and_solution();
        Some(Made { puzzle: grid(shape, &clues), solution: grid(shape, &solution), guesses, rating })
    }

    /// Returns the rating of a classic puzzle, if the recipe has a wish about it, and it is as wanted.
    fn rating(&mut self, dig: &Dig, stop: &AtomicBool) -> Option<PuzzleRating> {
        let puzzle = dig.clues().try_into().ok().and_then(Puzzle::from_cells)?;
        let rating = self.rater.as_mut()?.rate_until(&puzzle, stop);
        self.recipe.rating.as_ref()?.admits(&rating).then_some(rating)
    }

    fn is_minimal_enough(&mut self, dig: &Dig, stop: &AtomicBool) -> bool {
        let Some(cells) = &self.cells else { return true };
        !has_redundant(dig, cells, &mut *self.solver, stop)
    }
}

/// Returns whether any clue of a proper puzzle can go alone, or that could not be found out.
fn has_redundant(dig: &Dig, cells: &Units, oracle: &mut dyn UniquenessOracle, stop: &AtomicBool) -> bool {
    let (clues, solution) = (dig.clues(), dig.solution());
    let dig = |cell: usize| Dig::new(clues.to_vec(), solution.to_vec(), vec![cell as u16], cells, 0);
    let mut digs = Some((0..clues.len()).filter(|&cell| clues[cell] != 0).map(dig).collect());
    let tried = dig_all_until(|| digs.take().unwrap_or_default(), cells, oracle, stop);
    tried.is_none_or(|tried| tried.iter().any(|dig| dig.gone().is_some() || dig.is_doubtful()))
}
