//! Attempts at puzzles by a recipe, and runs of them on several threads.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

use super::dig::{Dig, Units};
use super::digger::{BitmaskProver, Digger, GUESSES, UniquenessProver, dig_all_until, grid, proper_prover};
use super::{FullGrids, GridMethod, Recipe, RecipeError};
use crate::grid::{Grid, Puzzle, Shape};
use crate::logic::{PuzzleRating, Rater, Rating, RatingCriteria};
use crate::minlex::Minlex;
use crate::simd::Backend;
use crate::solver::{Clues, Outcome, Solvable, lock};

/// The name of the algorithm. A seed gives the same puzzles as long as this name is the same.
pub const ALGORITHM: &str = "gridmill-2";

/// How many attempts are made together.
const ATTEMPTS_TOGETHER: u64 = 64;

/// A puzzle that matches its recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Made {
    /// The puzzle.
    pub puzzle: Grid,
    /// Its only solution.
    pub solution: Grid,
    /// The guesses that prove that the solution is the only one. They are those of the lockstep engine for
    /// classic puzzles, and of the bitmask engine for others.
    pub guesses: u64,
    /// The rating, if the recipe restricts ratings.
    pub rating: Option<PuzzleRating>,
}

/// Makes puzzles by a recipe. Each starts as a full grid, from which clues are taken out in random order.
/// Make one generator for each thread.
///
/// Attempt `i` depends only on the recipe, the seed and `i`, because its random numbers are stream `i` of a
/// ChaCha8 generator with that seed. So you can make puzzles on any number of threads and in any portions,
/// and get the same ones if you take them in the order of their attempts.
///
/// ```
/// use gridmill_core::generate::{Generator, Recipe};
/// use gridmill_core::solver::{EngineKind, SolutionLimit};
///
/// let mut generator = Generator::new(&Recipe::default(), 1, None).unwrap();
/// let made = generator.attempts(0..1).remove(0).expect("any puzzle will do");
/// assert!((17..41).contains(&made.puzzle.clue_count()));
/// let puzzle = made.puzzle.to_string().parse().unwrap();
/// let outcome = EngineKind::Bitmask.build().solve(&puzzle, SolutionLimit::UNIQUENESS);
/// assert_eq!(outcome.solutions, 1);
/// ```
pub struct Generator {
    recipe: Recipe,
    seed: u64,
    grids: FullGrids,
    units: Units,
    digger: Digger,
    /// Solves the results of digging again, to check them and to count guesses.
    solver: Box<dyn UniquenessProver>,
    /// Finds out whether singles solve the results.
    singles: BitmaskProver,
    /// Single cells, to test whether a puzzle is minimal. `None` if that is certain anyway, or not asked for.
    cells: Option<Units>,
    /// Rates puzzles as far as the recipe needs. `None` if ratings do not matter.
    rater: Option<Rater>,
    /// The fewest clues that any attempt reached, whether or not its puzzle matched the recipe.
    fewest_clues: Option<usize>,
}

impl Generator {
    /// Makes a generator for that recipe and seed. It searches classic puzzles with the lockstep engine on
    /// the given backend, or on the best one for `None`.
    ///
    /// # Errors
    ///
    /// If the recipe contradicts itself.
    pub fn new(recipe: &Recipe, seed: u64, backend: Option<Backend>) -> Result<Generator, RecipeError> {
        recipe.check()?;
        let shape = recipe.shape;
        let backend = backend.unwrap_or_else(Backend::best);
        let method = recipe.method.unwrap_or(GridMethod::usual(shape));
        let units = recipe.units();
        let is_dug_minimal = recipe.pattern.is_none() && units.are_single_cells();
        Ok(Generator {
            recipe: recipe.clone(),
            seed,
            grids: FullGrids::new(shape, method, backend),
            units,
            digger: Digger::new(recipe, backend),
            solver: proper_prover(shape, GUESSES, backend),
            singles: BitmaskProver::singles(shape),
            cells: (recipe.minimal && !is_dug_minimal).then(|| Units::symmetric(shape, None)),
            rater: recipe.rating.as_ref().map(RatingCriteria::rater),
            fewest_clues: None,
        })
    }

    /// Makes attempts together. `None` is an attempt without a puzzle that matches the recipe.
    #[must_use]
    pub fn attempts(&mut self, range: Range<u64>) -> Vec<Option<Made>> {
        self.attempts_until(range, &AtomicBool::new(false)).expect("nothing stops it")
    }

    /// Makes attempts as [`Generator::attempts`] does. Returns `None` soon after `stop` becomes true.
    #[must_use]
    pub fn attempts_until(&mut self, range: Range<u64>, stop: &AtomicBool) -> Option<Vec<Option<Made>>> {
        let Generator { recipe, seed, grids, units, digger, .. } = &mut *self;
        let mut next = range.start;
        let more = || {
            let first = next;
            next = range.end.min(next + ATTEMPTS_TOGETHER);
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

    /// Checks which results of digging match the recipe. `None` if `stop` became true.
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
            && !(recipe.minimal && dig.is_doubtful)
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

    /// The rating of a classic puzzle, if the recipe restricts ratings and this one is allowed.
    fn rating(&mut self, dig: &Dig, stop: &AtomicBool) -> Option<PuzzleRating> {
        let puzzle = dig.clues[..].try_into().ok().and_then(Puzzle::from_cells)?;
        let rating = self.rater.as_mut()?.rate_until(&puzzle, stop);
        self.recipe.rating.as_ref()?.admits(&rating).then_some(rating)
    }
}

/// Starts a dig in a full grid, with a random order of its clues.
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
    // Small unavoidable sets are of no use for a pattern, because there is only one question.
    let knows_swaps = recipe.shape == Shape::CLASSIC && recipe.pattern.is_none();
    if knows_swaps { dig.with_swaps() } else { dig }
}

/// Checks whether a puzzle has one solution, and the search was completed.
fn is_proper(found: &Outcome<Vec<u8>>) -> bool {
    found.solutions == 1 && !found.is_given_up
}

/// Checks whether any clue of a proper puzzle can be removed alone. It also returns true if that could not be
/// found out.
fn has_redundant(dig: &Dig, cells: &Units, prover: &mut dyn UniquenessProver, stop: &AtomicBool) -> bool {
    let Dig { clues, solution, .. } = dig;
    let dig = |cell: usize| Dig::new(clues.clone(), solution.clone(), vec![cell as u16], cells, 0);
    let mut digs = Some((0..clues.len()).filter(|&cell| clues[cell] != 0).map(dig).collect());
    let tried = dig_all_until(|| digs.take().unwrap_or_default(), cells, prover, stop);
    tried.is_none_or(|tried| tried.iter().any(|dig| dig.first_cell_if_removed().is_some() || dig.is_doubtful))
}

/// How many attempts at classic puzzles a thread makes at once, at most.
const MAX_BLOCK: u64 = 2048;

/// Makes puzzles on several threads, in the order of their attempts.
pub struct ParallelGenerator {
    recipe: Recipe,
    seed: u64,
    backend: Option<Backend>,
    pool: rayon::ThreadPool,
    /// The number of attempts made so far, in any order.
    attempts_made: Arc<AtomicU64>,
    /// The generators that are idle.
    generators: Mutex<Vec<Generator>>,
}

/// How many puzzles to make, and when to give up.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// The number of puzzles.
    pub count: u64,
    /// How many attempts in a row may give no puzzle.
    pub max_failed_attempts: u64,
    /// Whether puzzles may equal earlier ones. Refused puzzles count as attempts without a puzzle. Puzzles of an
    /// earlier run are not known.
    pub duplicates: DuplicatePolicy,
    /// The figures of an earlier run of the same recipe and seed, which this run continues. Its puzzles
    /// count, and are not made again.
    pub earlier: MadeStats,
}

/// Which puzzles are refused because they duplicate an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DuplicatePolicy {
    /// None is refused.
    #[default]
    Allow,
    /// Puzzles that are equal to an earlier one.
    RefuseEqual,
    /// Puzzles that are isomorphic to an earlier one. This works only for shapes that [`Minlex::serves`].
    RefuseIsomorphic,
}

impl Goal {
    /// Skips the first puzzles, as if an earlier run had made them. If every attempt gives a puzzle, it skips
    /// as many attempts. Otherwise the caller must make the first puzzles and drop them; the function returns
    /// how many.
    ///
    /// ```
    /// use std::sync::atomic::AtomicBool;
    /// use gridmill_core::generate::{DuplicatePolicy, GenerateError, Goal, MadeStats, ParallelGenerator, Recipe};
    ///
    /// let made = |count, first| {
    ///     let recipe = Recipe::default();
    ///     let mut goal = Goal { count, max_failed_attempts: 100, duplicates: DuplicatePolicy::Allow, earlier: MadeStats::default() };
    ///     assert_eq!(goal.leave_out(first, &recipe), 0);
    ///     let mut made = Vec::new();
    ///     let generator = ParallelGenerator::new(recipe, 1, None, 1)?;
    ///     generator.make(&goal, &AtomicBool::new(false), &mut |one, _| {
    ///         made.push(one.puzzle.clone());
    ///         Ok::<(), GenerateError>(())
    ///     })?;
    ///     Ok::<_, GenerateError>(made)
    /// };
    /// assert_eq!(made(7, 0)?[5..], made(2, 5)?);
    /// # Ok::<(), GenerateError>(())
    /// ```
    #[must_use]
    pub fn leave_out(&mut self, first: u64, recipe: &Recipe) -> u64 {
        self.count = self.count.saturating_add(first);
        if self.duplicates != DuplicatePolicy::Allow || !recipe.is_sure() {
            return first;
        }
        (self.earlier.puzzles, self.earlier.attempts) = (first, first);
        0
    }
}

impl DuplicatePolicy {
    /// The policy if puzzles must be distinct, or must not be isomorphs of each other.
    #[must_use]
    pub const fn from_flags(distinct: bool, no_isomorphs: bool) -> DuplicatePolicy {
        match (no_isomorphs, distinct) {
            (true, _) => DuplicatePolicy::RefuseIsomorphic,
            (_, true) => DuplicatePolicy::RefuseEqual,
            _ => DuplicatePolicy::Allow,
        }
    }
}

/// The figures of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MadeStats {
    /// The number of puzzles made.
    pub puzzles: u64,
    /// The number of attempts up to the last puzzle.
    pub attempts: u64,
    /// The fewest and the most clues of a puzzle.
    pub clues: Option<(u64, u64)>,
    /// The clues of all puzzles together.
    pub all_clues: u64,
    /// The fewest and the most guesses for a puzzle.
    pub guesses: Option<(u64, u64)>,
    /// The guesses for all puzzles together.
    pub all_guesses: u64,
    /// The number of puzzles that take no guess.
    pub unguessed: u64,
    /// The lowest and the highest rating of a puzzle, if the recipe restricts ratings.
    pub ratings: Option<(Rating, Rating)>,
}

impl MadeStats {
    /// Converts the figures to numbers that can be kept in a file. A range without values becomes `u64::MAX`
    /// twice.
    #[must_use]
    pub fn to_numbers(&self) -> [u64; 11] {
        let (fewest_clues, most_clues) = self.clues.unwrap_or(NONE);
        let (fewest_guesses, most_guesses) = self.guesses.unwrap_or(NONE);
        let ratings = self.ratings.map(|(low, high)| (low.in_tenths().into(), high.in_tenths().into()));
        let (lowest, highest) = ratings.unwrap_or(NONE);
        let sums = [self.puzzles, self.attempts, self.all_clues, self.all_guesses, self.unguessed];
        let ranges = [fewest_clues, most_clues, fewest_guesses, most_guesses, lowest, highest];
        std::array::from_fn(|place| if place < sums.len() { sums[place] } else { ranges[place - sums.len()] })
    }

    /// Reads the figures that [`MadeStats::to_numbers`] wrote.
    #[must_use]
    pub fn from_numbers(numbers: &[u64; 11]) -> MadeStats {
        let &[puzzles, attempts, all_clues, all_guesses, unguessed, ..] = numbers;
        let range = |at: usize| Some((numbers[at], numbers[at + 1])).filter(|range| *range != NONE);
        let rating = |tenths: u64| Rating::tenths(u16::try_from(tenths).unwrap_or(u16::MAX));
        let ratings = range(9).map(|(low, high)| (rating(low), rating(high)));
        let (clues, guesses) = (range(5), range(7));
        MadeStats { puzzles, attempts, clues, all_clues, guesses, all_guesses, unguessed, ratings }
    }

    fn add(&mut self, made: &Made) {
        let clues = made.puzzle.clue_count() as u64;
        self.puzzles += 1;
        self.all_clues += clues;
        self.clues = widen(self.clues, clues);
        self.all_guesses += made.guesses;
        self.guesses = widen(self.guesses, made.guesses);
        self.unguessed += u64::from(made.guesses == 0);
        if let Some(rating) = &made.rating {
            self.ratings = widen(self.ratings, rating.er);
        }
    }
}

/// The numbers of a range without values.
const NONE: (u64, u64) = (u64::MAX, u64::MAX);

/// Widens a range so that it contains a value, e.g. 22 to 24 becomes 22 to 27 with 27.
fn widen<T: Ord + Copy>(range: Option<(T, T)>, value: T) -> Option<(T, T)> {
    Some(range.map_or((value, value), |(least, most)| (least.min(value), most.max(value))))
}

impl ParallelGenerator {
    /// Starts the threads that make puzzles by a recipe.
    ///
    /// # Errors
    ///
    /// If the recipe contradicts itself, or threads can't be started.
    pub fn new(
        recipe: Recipe,
        seed: u64,
        backend: Option<Backend>,
        threads: usize,
    ) -> Result<ParallelGenerator, GenerateError> {
        recipe.check()?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(ParallelGenerator {
            recipe,
            seed,
            backend,
            pool,
            attempts_made: Arc::default(),
            generators: Mutex::default(),
        })
    }

    /// The count of attempts, which other threads can watch while it grows. It may exceed the attempts up to
    /// the last puzzle.
    #[must_use]
    pub fn attempts_made(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.attempts_made)
    }

    /// Makes puzzles until there are as many as wanted, or `stop` becomes true. Each is passed to `take` in
    /// the order of the attempts, with the figures so far.
    ///
    /// # Errors
    ///
    /// If too many attempts in a row gave no puzzle, or if `take` fails.
    pub fn make<E: From<GenerateError>>(
        &self,
        goal: &Goal,
        stop: &AtomicBool,
        take: &mut dyn FnMut(&Made, &MadeStats) -> Result<(), E>,
    ) -> Result<MadeStats, E> {
        let mut stats = goal.earlier;
        self.check_goal(goal)?;
        let (mut seen, mut minlex) = (HashSet::new(), Minlex::new());
        let mut is_new = |made: &Made| match goal.duplicates {
            DuplicatePolicy::Allow => true,
            DuplicatePolicy::RefuseEqual => seen.insert(made.puzzle.cells().to_vec()),
            DuplicatePolicy::RefuseIsomorphic => {
                let form = minlex.canonical_cells(made.puzzle.clues());
                seen.insert(form.expect("a proper puzzle of a shape that was checked").cells().to_vec())
            }
        };
        let (mut next, mut failures) = (stats.attempts, 0);
        while stats.puzzles < goal.count && !stop.load(Ordering::Relaxed) {
            let wave = self.wave(goal.count - stats.puzzles, next, stats.puzzles);
            let all = self.attempt(wave.clone(), stop);
            for (attempt, made) in wave.clone().zip(all) {
                match made.filter(&mut is_new) {
                    Some(made) => {
                        stats.add(&made);
                        stats.attempts = attempt + 1;
                        take(&made, &stats)?;
                        failures = 0;
                    }
                    None => failures += 1,
                }
                if failures == goal.max_failed_attempts || self.recipe.makes_one() && failures > 0 {
                    return Err(self.not_found(goal, stats.puzzles).into());
                }
                if stats.puzzles == goal.count {
                    break;
                }
            }
            next = wave.end;
        }
        Ok(stats)
    }

    /// Checks that there can be as many puzzles as wanted, and that they can be compared.
    fn check_goal(&self, goal: &Goal) -> Result<(), GenerateError> {
        let shape = self.recipe.shape;
        if goal.duplicates == DuplicatePolicy::RefuseIsomorphic && !Minlex::serves(shape) {
            return Err(GenerateError::NoForm(shape));
        }
        if self.recipe.makes_one() && goal.count > 1 {
            return Err(GenerateError::OnlyOne(goal.count));
        }
        Ok(())
    }

    /// The error of a run that gives up. It names the fewest clues that were reached, if fewer are wanted.
    fn not_found(&self, goal: &Goal, found: u64) -> GenerateError {
        if self.recipe.makes_one() {
            return GenerateError::NotThisOne;
        }
        let generators = lock(&self.generators);
        let fewest = generators.iter().filter_map(|generator| generator.fewest_clues).min();
        let most = *self.recipe.clue_range().end();
        let fewest = fewest.filter(|&fewest| self.recipe.pattern.is_none() && fewest > most);
        GenerateError::NotFound { found, wanted: goal.count, attempts: goal.max_failed_attempts, fewest }
    }

    /// The next attempts: as many as the missing puzzles should take, judging by the earlier ones, but only
    /// so many that all threads are busy for a moment.
    fn wave(&self, missing: u64, next: u64, found: u64) -> Range<u64> {
        let threads = self.pool.current_num_threads() as u64;
        let expected = missing.saturating_mul(next + 1) / (found + 1);
        next..next + expected.clamp(1, 4 * threads * self.block())
    }

    /// How many attempts a thread makes at once. There are many if they are made together.
    fn block(&self) -> u64 {
        if self.recipe.shape == Shape::CLASSIC { MAX_BLOCK } else { 1 }
    }

    /// Makes attempts on all threads. If `stop` becomes true, returns those before the first unfinished one.
    fn attempt(&self, wave: Range<u64>, stop: &AtomicBool) -> Vec<Option<Made>> {
        let threads = self.pool.current_num_threads() as u64;
        let block = (wave.end - wave.start).div_ceil(threads).clamp(1, self.block());
        let starts: Vec<u64> = wave.clone().step_by(block as usize).collect();
        let one = |start: u64| {
            let range = start..wave.end.min(start + block);
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let idle = lock(&self.generators).pop();
            let mut generator = idle.unwrap_or_else(|| {
                Generator::new(&self.recipe, self.seed, self.backend).expect("the recipe has been checked")
            });
            let made = generator.attempts_until(range.clone(), stop);
            lock(&self.generators).push(generator);
            self.attempts_made.fetch_add(range.end - range.start, Ordering::Relaxed);
            made
        };
        let blocks: Vec<_> = self.pool.install(|| starts.into_par_iter().map(one).collect());
        blocks.into_iter().map_while(|made| made).flatten().collect()
    }
}

/// The reasons why fewer puzzles were made than are wanted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// The recipe contradicts itself.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// Isomorphic puzzles are to be refused, but those of the shape have no canonical form.
    #[error(
        "puzzles are compared by isomorphism for 4x4, 6x6, 8x8 and 9x9 only, but these are {side}x{side} with boxes of {0}", side = .0.side()
    )]
    NoForm(Shape),
    /// The grid and the pattern determine one puzzle, but more are wanted.
    #[error("this grid and this pattern make only one puzzle, but {0} are asked for: ask for 1")]
    OnlyOne(u64),
    /// The one puzzle of a grid and a pattern does not match the recipe.
    #[error(
        "the one puzzle of this grid and this pattern has several solutions, or does not fit the other options: put more clues into the pattern, or other ones"
    )]
    NotThisOne,
    /// Too many attempts in a row gave no puzzle.
    #[error(
        "found {found} of {}, and then none in {}{}: there may be no more of that kind, or they are rare",
        counted(*wanted, "puzzle"), counted(*attempts, "attempt"), reached(*fewest)
    )]
    NotFound {
        /// The number of puzzles found.
        found: u64,
        /// The number of puzzles wanted.
        wanted: u64,
        /// The number of attempts in a row.
        attempts: u64,
        /// The fewest clues that an attempt reached, if fewer are wanted.
        fewest: Option<usize>,
    },
    /// The threads could not be started.
    #[error("the worker threads can't be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Writes a number of things, e.g. `1 puzzle` or `2 puzzles`.
fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Writes the fewest clues that attempts reached.
fn reached(fewest: Option<usize>) -> String {
    fewest.map(|fewest| format!(" (the fewest clues reached were {fewest})")).unwrap_or_default()
}
