//! How the clues of full grids are taken out, by a recipe.
//!
//! In grids of up to 12x12 the digs of all attempts run together, until no unit can go. In larger ones the
//! proof that a puzzle has one solution can take longer than anyone waits, so guesses are limited, for each
//! question and for a dig as a whole, and a dig comes in up to three passes over the same order:
//!
//! ```text
//! with a number of clues:  straight down to it; done, if it comes there or every question was answered
//! else:                    as far as naked and hidden singles prove that there is one solution
//!                          on from there, with guesses
//! ```
//!
//! A puzzle that singles solve can lose about as many clues as any other, and its questions are cheap. A dig
//! that begins with guesses soon needs them for every question, and stops earlier.

use std::sync::atomic::AtomicBool;

use super::Recipe;
use super::dig::{Dig, Units};
use super::oracle::{BitmaskOracle, UniquenessOracle, dig_all_until, proper};
use crate::simd::Backend;

/// The largest side for which digs go on until every question is answered.
pub(super) const UNLIMITED_SIDE: usize = 12;

/// The most guesses for a question of a minimal puzzle, and of one with a pattern.
pub(super) const GUESSES: u64 = 20_000;

/// The most guesses for a question on the straight way to a number of clues.
const STRAIGHT_GUESSES: u64 = 300;

/// The most guesses for all questions of the straight way.
const STRAIGHT_BUDGET: u64 = 20_000;

/// The most guesses for a question on the way beyond what singles prove, if the recipe does not ask for
/// puzzles that take more.
const FURTHER_GUESSES: u64 = 100;

/// The most guesses for all questions of the way beyond what singles prove.
const PASS_GUESSES: u64 = 10_000;

/// Takes clues out of full grids.
pub(super) struct Digger {
    /// Goes straight down to a number of clues, where one is wanted of large grids.
    straight: Option<BitmaskOracle>,
    /// Goes as far as singles prove that there is one solution, in large grids.
    singles: Option<BitmaskOracle>,
    /// Goes on from there; all the way in one pass, in many grids together, where grids are not large.
    further: Box<dyn UniquenessOracle>,
    /// The most guesses for all questions of the last pass.
    budget: u64,
}

/// Returns whether one pass takes out what can go.
fn is_unlimited(recipe: &Recipe) -> bool {
    recipe.shape.side() <= UNLIMITED_SIDE || recipe.pattern.is_some() || recipe.digs_by_singles()
}

/// Returns the most guesses for all questions beyond what singles prove; `None` if they are not limited.
pub(super) fn guess_budget(recipe: &Recipe) -> Option<u64> {
    (!is_unlimited(recipe) && !recipe.minimal).then(|| PASS_GUESSES + 2 * further_guesses(recipe))
}

/// Returns the most guesses for a question beyond what singles prove: more where hard puzzles are wanted.
fn further_guesses(recipe: &Recipe) -> u64 {
    let wanted = recipe.guesses.as_ref().map_or(0, |guesses| *guesses.start());
    wanted.saturating_mul(2).clamp(FURTHER_GUESSES, GUESSES)
}

impl Digger {
    pub(super) fn new(recipe: &Recipe, backend: Backend) -> Digger {
        let (shape, is_limited) = (recipe.shape, !is_unlimited(recipe));
        let is_straight = is_limited && recipe.clues.is_some() && !recipe.minimal;
        let further: Box<dyn UniquenessOracle> = if recipe.digs_by_singles() {
            Box::new(BitmaskOracle::singles(shape))
        } else if is_limited && !recipe.minimal {
            Box::new(BitmaskOracle::proper(shape, further_guesses(recipe)))
        } else {
            proper(shape, GUESSES, backend)
        };
        Digger {
            straight: is_straight.then(|| BitmaskOracle::proper(shape, STRAIGHT_GUESSES)),
            singles: is_limited.then(|| BitmaskOracle::proper(shape, 0)),
            further,
            budget: guess_budget(recipe).unwrap_or(u64::MAX),
        }
    }

    /// Runs the digs that `more` begins, or returns `None` when `stop` becomes true.
    pub(super) fn dig(
        &mut self,
        mut more: impl FnMut() -> Vec<Dig>,
        units: &Units,
        stop: &AtomicBool,
    ) -> Option<Vec<Dig>> {
        let Digger { straight, singles, further, budget } = self;
        let Some(singles) = singles else { return dig_all_until(more, units, &mut **further, stop) };
        let mut done = Vec::new();
        loop {
            let begun = more();
            if begun.is_empty() {
                return Some(done);
            }
            for dig in begun {
                if let Some(straight) = straight {
                    let dug = pass(dig.clone().with_guesses(STRAIGHT_BUDGET), units, straight, stop)?;
                    if dug.is_down() || !dug.doubtful {
                        done.push(dug);
                        continue;
                    }
                }
                let dug = pass(dig.clone(), units, singles, stop)?;
                let dug = dug.again(&dig, units).with_guesses(*budget);
                done.push(pass(dug, units, &mut **further, stop)?);
            }
        }
    }
}

/// Digs as far as the oracle answers.
fn pass(dig: Dig, units: &Units, oracle: &mut dyn UniquenessOracle, stop: &AtomicBool) -> Option<Dig> {
    let mut digs = Some(vec![dig]);
    dig_all_until(|| digs.take().unwrap_or_default(), units, oracle, stop)?.pop()
}
