//! Making puzzles on several threads.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::{GenerateError, Generator, Made, Recipe};
use crate::grid::Shape;
use crate::logic::Rating;
use crate::minlex::Minlex;
use crate::simd::Backend;

/// The most attempts at classic puzzles that a thread makes at once.
const BLOCK: u64 = 2048;

/// Makes puzzles in the order of their attempts.
pub struct ParallelGenerator {
    recipe: Recipe,
    seed: u64,
    backend: Option<Backend>,
    pool: rayon::ThreadPool,
    /// Attempts made so far, in whatever order.
    attempts_made: Arc<AtomicU64>,
    /// The generators that are idle.
    generators: Mutex<Vec<Generator>>,
}

/// How many puzzles are to be made, and when to give up.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// The number of puzzles.
    pub count: u64,
    /// The most attempts in a row that may give no puzzle.
    pub attempts: u64,
    /// The puzzles that are refused; they count as attempts without a puzzle.
    pub refused: Refused,
}

/// Which puzzles are refused because of an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// None.
    #[default]
    None,
    /// Those that are equal to an earlier one.
    Equal,
    /// Those that are isomorphic to an earlier one, for shapes that [`Minlex::serves`].
    Isomorphic,
}

/// The figures of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MadeStats {
    /// Puzzles made.
    pub puzzles: u64,
    /// Attempts up to the last puzzle.
    pub attempts: u64,
    /// The fewest and the most clues of a puzzle.
    pub clues: Option<(u64, u64)>,
    /// Clues of all puzzles together.
    pub all_clues: u64,
    /// The fewest and the most guesses for a puzzle.
    pub guesses: Option<(u64, u64)>,
    /// Guesses for all puzzles together.
    pub all_guesses: u64,
    /// Puzzles that take no guess.
    pub unguessed: u64,
    /// The lowest and the highest rating of a puzzle, where the recipe has a wish about ratings.
    pub ratings: Option<(Rating, Rating)>,
}

impl MadeStats {
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

/// Returns the range with a value in it.
fn widen<T: Ord + Copy>(range: Option<(T, T)>, value: T) -> Option<(T, T)> {
    Some(range.map_or((value, value), |(least, most)| (least.min(value), most.max(value))))
}

impl ParallelGenerator {
    /// Starts the threads that make puzzles by a recipe.
    ///
    /// # Errors
    ///
    /// Where the recipe contradicts itself, or threads can't be started.
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

    /// Returns the count of attempts, which goes on while they are made: more than those up to the last puzzle.
    #[must_use]
    pub fn attempts_made(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.attempts_made)
    }

    /// Makes puzzles, and hands each to `take` in the order of the attempts, until there are as many as wanted, or
    /// `stop` becomes true.
    ///
    /// # Errors
    ///
    /// Where too many attempts in a row gave no puzzle, or where `take` fails.
    pub fn make<E: From<GenerateError>>(
        &self,
        goal: &Goal,
        stop: &AtomicBool,
        take: &mut dyn FnMut(&Made) -> Result<(), E>,
    ) -> Result<MadeStats, E> {
        let mut stats = MadeStats::default();
        self.check_goal(goal)?;
        let (mut seen, mut minlex) = (HashSet::new(), Minlex::new());
        let mut is_new = |made: &Made| match goal.refused {
            Refused::None => true,
            Refused::Equal => seen.insert(made.puzzle.cells().to_vec()),
            Refused::Isomorphic => {
                let canonical = minlex.of_clues((&made.puzzle).into());
                let form = canonical.expect("a proper puzzle of a shape that was checked").form;
                seen.insert(form.cells().to_vec())
            }
        };
        let (mut next, mut in_vain) = (0, 0);
        while stats.puzzles < goal.count && !stop.load(Ordering::Relaxed) {
            let wave = self.wave(goal.count - stats.puzzles, next, stats.puzzles);
            let all = self.attempt(wave.clone(), stop);
            for (attempt, made) in wave.clone().zip(all) {
                match made.filter(&mut is_new) {
                    Some(made) => {
                        take(&made)?;
                        stats.add(&made);
                        stats.attempts = attempt + 1;
                        in_vain = 0;
                    }
                    None => in_vain += 1,
                }
                if in_vain == goal.attempts || self.recipe.makes_one() && in_vain > 0 {
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

    /// Checks that there may be as many puzzles as wanted, and that they can be compared.
    fn check_goal(&self, goal: &Goal) -> Result<(), GenerateError> {
        let shape = self.recipe.shape;
        if goal.refused == Refused::Isomorphic && !Minlex::serves(shape) {
            return Err(GenerateError::NoForm(shape));
        }
        if self.recipe.makes_one() && goal.count > 1 {
            return Err(GenerateError::OnlyOne(goal.count));
        }
        Ok(())
    }

    /// Returns the error of a run that gives up, with the fewest clues that it reached if fewer are wanted.
    fn not_found(&self, goal: &Goal, found: u64) -> GenerateError {
        if self.recipe.makes_one() {
            return GenerateError::NotThatOne;
        }
        let generators = lock(&self.generators);
        let fewest = generators.iter().filter_map(Generator::fewest_clues).min();
        let most = *self.recipe.clue_range().end();
        let fewest = fewest.filter(|&fewest| self.recipe.pattern.is_none() && fewest > most);
        GenerateError::NotFound { found, wanted: goal.count, attempts: goal.attempts, fewest }
    }

    /// Returns the next attempts: as many as the missing puzzles should take, by the earlier ones, but no
    /// more than keep all threads busy for a moment.
    fn wave(&self, missing: u64, next: u64, found: u64) -> Range<u64> {
        let threads = self.pool.current_num_threads() as u64;
        let expected = missing.saturating_mul(next + 1) / (found + 1);
        next..next + expected.clamp(1, 4 * threads * self.block())
    }

    /// Returns how many attempts a thread makes at once: many where they are made together.
    fn block(&self) -> u64 {
        if self.recipe.shape == Shape::CLASSIC { BLOCK } else { 1 }
    }

    /// Makes attempts on all threads. When `stop` becomes true, it returns those before the first that was not finished.
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

/// Locks a mutex. A panic of an earlier holder can't have left its value half changed.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
