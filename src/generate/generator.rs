//! Attempts at puzzles.

use std::ops::Range;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::batch::ByLockstep;
use super::dig::Dig;
use super::layout::Units;
use super::oracle::{ByBitmask, UniquenessOracle, dig_all, grid};
use super::{FullGrids, Recipe, RecipeError};
use crate::grid::{Grid, Shape};
use crate::simd::Backend;

/// The name of the algorithm. A seed gives the same puzzles as long as this name stays.
pub const ALGORITHM: &str = "gridmill-1";

/// Guesses in a search for another solution of a puzzle that is not classic, after which the clues in question
/// stay.
const GUESSES: u64 = 20_000;

/// Attempts that are begun at once.
const PORTION: u64 = 64;

/// A puzzle that is as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The puzzle.
    pub puzzle: Grid,
    /// Its only solution.
    pub solution: Grid,
    /// The guesses that it takes to see that this is the only one: of the lockstep engine for classic puzzles,
    /// of the bitmask engine for others.
    pub guesses: u64,
}

/// Makes puzzles by a recipe, each from a full grid that clues are taken out of in random order. One value
/// serves one thread.
///
/// Attempt `i` depends on the recipe, the seed and `i`, and on nothing else: its random numbers are stream `i`
/// of a ChaCha8 generator with that seed. So puzzles can be made on any number of threads and in any portions,
/// and taken in the order of their attempts.
///
/// ```
/// use gridmill::generate::{Generator, Recipe};
/// use gridmill::solver::{SolutionLimit, SolverKind};
///
/// let mut generator = Generator::new(&Recipe::default(), 1, None).unwrap();
/// let made = generator.attempts(0..1).remove(0).expect("any puzzle will do");
/// assert!((17..41).contains(&made.puzzle.clue_count()));
/// let puzzle = made.puzzle.to_string().parse().unwrap();
/// let outcome = SolverKind::Bitmask.build().solve(&puzzle, SolutionLimit::UNIQUENESS);
/// assert_eq!(outcome.solutions, 1);
/// ```
pub struct Generator {
    start: Start,
    units: Units,
    judge: Box<dyn UniquenessOracle>,
    check: Check,
}

impl Generator {
    /// A generator for that recipe and seed. Classic puzzles are judged by the lockstep engine, on the given
    /// backend or the best one.
    ///
    /// # Errors
    ///
    /// Where the recipe contradicts itself.
    pub fn new(recipe: &Recipe, seed: u64, backend: Option<Backend>) -> Result<Generator, RecipeError> {
        recipe.check()?;
        let shape = recipe.shape;
        let backend = backend.unwrap_or_else(Backend::best);
        let judge: Box<dyn UniquenessOracle> = if recipe.digs_by_singles() {
            Box::new(ByBitmask::singles(shape))
        } else if shape == Shape::CLASSIC {
            Box::new(ByLockstep::new(backend))
        } else {
            Box::new(ByBitmask::proper(shape, GUESSES))
        };
        let start = Start {
            recipe: recipe.clone(),
            seed,
            grids: recipe.full_grids(backend),
            knows_swaps: shape == Shape::CLASSIC && recipe.pattern.is_none(),
        };
        Ok(Generator { start, units: recipe.units(), judge, check: Check::new(recipe, backend) })
    }

    /// Makes attempts, in step. `None` for an attempt that gave no puzzle as the recipe wants it.
    #[must_use]
    pub fn attempts(&mut self, range: Range<u64>) -> Vec<Option<Made>> {
        let Generator { start, units, judge, check } = self;
        let mut next = range.start;
        let more = || {
            let first = next;
            next = range.end.min(next + PORTION);
            start.digs(first..next, units)
        };
        check.all(dig_all(more, units, &mut **judge))
    }
}

/// Full grids, before anything is taken out.
struct Start {
    recipe: Recipe,
    seed: u64,
    grids: FullGrids,
    /// Do digs know small unavoidable sets? Not where they ask a single question.
    knows_swaps: bool,
}

impl Start {
    fn digs(&mut self, range: Range<u64>, units: &Units) -> Vec<Dig> {
        let mut rngs: Vec<ChaCha8Rng> = range.map(|attempt| self.rng(attempt)).collect();
        let grids = self.grids.make_all(&mut rngs);
        grids.into_iter().zip(&mut rngs).map(|(grid, rng)| self.begin(grid, rng, units)).collect()
    }

    fn rng(&self, attempt: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(attempt);
        rng
    }

    /// A dig in a full grid, with a random order in which its clues are to go.
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

/// Says whether what was dug is as it should be.
struct Check {
    recipe: Recipe,
    solver: Final,
    singles: ByBitmask,
    /// Single cells, to see whether a puzzle is minimal; `None` if that goes without saying, or was not asked.
    cells: Option<Units>,
}

/// Solves what was dug once more.
enum Final {
    Classic(Box<ByLockstep>),
    AnyShape(Box<ByBitmask>),
}

impl Check {
    fn new(recipe: &Recipe, backend: Backend) -> Check {
        let shape = recipe.shape;
        let solver = if shape == Shape::CLASSIC {
            Final::Classic(Box::new(ByLockstep::new(backend)))
        } else {
            Final::AnyShape(Box::new(ByBitmask::proper(shape, GUESSES)))
        };
        let is_dug_minimal = recipe.pattern.is_none() && recipe.units().are_single();
        let cells = (recipe.minimal && !is_dug_minimal).then(|| Units::cells(shape));
        Check { recipe: recipe.clone(), solver, singles: ByBitmask::singles(shape), cells }
    }

    fn all(&mut self, digs: Vec<Dig>) -> Vec<Option<Made>> {
        let guesses = self.solver.guesses(&digs);
        digs.into_iter().zip(guesses).map(|(dig, guesses)| self.one(dig, guesses?)).collect()
    }

    fn one(&mut self, dig: Dig, guesses: u64) -> Option<Made> {
        let recipe = &self.recipe;
        let fits = recipe.clue_range().contains(&dig.clue_count())
            && recipe.guesses.as_ref().is_none_or(|range| range.contains(&guesses))
            && !(recipe.minimal && dig.is_doubtful())
            && (!recipe.singles || recipe.digs_by_singles() || self.singles.guesses(dig.clues()).is_some());
        let shape = recipe.shape;
        if !fits || !self.is_minimal_enough(&dig) {
            return None;
        }
        let (clues, solution) = dig.into_clues_and_solution();
        Some(Made { puzzle: grid(shape, &clues), solution: grid(shape, &solution), guesses })
    }

    fn is_minimal_enough(&mut self, dig: &Dig) -> bool {
        let Some(cells) = &self.cells else { return true };
        let judge: &mut dyn UniquenessOracle = match &mut self.solver {
            Final::Classic(judge) => &mut **judge,
            Final::AnyShape(judge) => &mut **judge,
        };
        !has_redundant(dig.clues(), dig.solution(), cells, judge)
    }
}

impl Final {
    /// The guesses that each puzzle takes. `None` for one that is not proper.
    fn guesses(&mut self, digs: &[Dig]) -> Vec<Option<u64>> {
        match self {
            Final::Classic(judge) => {
                let outcomes = judge.solve(digs.iter().map(Dig::clues));
                let guesses = |(dig, outcome): (&Dig, &crate::solver::Outcome)| {
                    let is_right = outcome.solutions == 1
                        && outcome.solution.is_some_and(|found| found.cells() == dig.solution());
                    is_right.then_some(outcome.guesses)
                };
                digs.iter().zip(outcomes).map(guesses).collect()
            }
            Final::AnyShape(judge) => digs.iter().map(|dig| judge.guesses(dig.clues())).collect(),
        }
    }
}

/// Can any clue of a proper puzzle go alone?
fn has_redundant(clues: &[u8], solution: &[u8], cells: &Units, judge: &mut dyn UniquenessOracle) -> bool {
    let dig = |cell: usize| Dig::new(clues.to_vec(), solution.to_vec(), vec![cell as u16], cells, 0);
    let mut digs = Some((0..clues.len()).filter(|&cell| clues[cell] != 0).map(dig).collect());
    dig_all(|| digs.take().unwrap_or_default(), cells, judge).iter().any(|dig| dig.gone().is_some())
}
