//! A new puzzle, as wished for.

#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use gridmill_core::generate::{
    GenerateError, Goal, GridMethod, Made, ParallelGenerator, Pattern, Recipe, Refused,
};
use gridmill_core::grid::{Shape, Symmetry};
use gridmill_core::logic::{Profile, Rating, RatingWish, Technique, TechniqueSet};
use rand::Rng;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use serde::{Deserialize, Deserializer, de::Error};

use super::grid::shape_of_page;
use super::{Event, Named, PageGrid, symmetry, with_ticks};
use crate::reply::{Refusal, Reply};

/// How often the attempts are reported.
const PERIOD: Duration = Duration::from_millis(200);

/// The least and the greatest value, either of which may be open.
type Span<T> = (Option<T>, Option<T>);

/// The request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Generate {
    shape: Named<Shape>,
    clues: Option<Span<usize>>,
    minimal: Option<bool>,
    #[serde(default, deserialize_with = "symmetry")]
    symmetry: Option<Symmetry>,
    pattern: Option<Named<Pattern>>,
    guesses: Option<Span<u64>>,
    no_guess: Option<bool>,
    er: Option<Span<f64>>,
    /// Techniques of which one finds something on the way.
    technique: Option<Vec<Named<Technique>>>,
    scale: Option<Named<Profile>>,
    #[serde(default, deserialize_with = "grid_method")]
    grid_method: Option<GridMethod>,
    seed: Option<u64>,
    attempts: Option<u64>,
}

/// Reads the name of a grid method; null is the usual one.
fn grid_method<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<GridMethod>, D::Error> {
    let Some(name) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    let found = GridMethod::ALL.into_iter().find(|method| method.name() == name);
    let names = || GridMethod::ALL.map(GridMethod::name).join(", ");
    let unknown =
        || D::Error::custom(format!("there is no grid method {name:?}; the methods are {}", names()));
    found.map(Some).ok_or_else(unknown)
}

impl Generate {
    /// Sends how many attempts were made, and then the first puzzle that is as wished for.
    pub(crate) fn answer(self, reply: &Reply) -> Result<(), Refusal> {
        let recipe = self.recipe()?;
        let attempts = self.attempts.unwrap_or_else(|| recipe.usual_attempts());
        if attempts == 0 {
            return Err(Refusal::bad("attempts count from 1"));
        }
        // A number that JavaScript can hold.
        let seed = self.seed.unwrap_or_else(|| UnwrapErr(SysRng).next_u32().into());
        let failed = |error: GenerateError| Refusal::bad(error.to_string());
        let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let generator = ParallelGenerator::new(recipe, seed, None, threads).map_err(failed)?;
        let goal = Goal { count: 1, attempts, refused: Refused::None };
        let count = generator.attempts_made();
        let make = || {
            let mut found = None;
            let made = generator.make::<GenerateError>(&goal, reply.stop(), &mut |made| {
                found = Some(made.clone());
                Ok(())
            });
            made.map(|_| found)
        };
        let tell = || _ = reply.send(&Event::Attempts { attempts: count.load(Ordering::Relaxed) });
        if let Some(made) = with_ticks(PERIOD, make, tell).map_err(Refusal::no_thread)?.map_err(failed)? {
            let Made { puzzle, guesses, rating, .. } = made;
            let grid = PageGrid::new(puzzle.shape(), puzzle.cells());
            reply.send(&Event::Puzzle { grid, guesses, er: rating.map(|rating| rating.er.number()), seed });
        }
        Ok(())
    }

    fn recipe(&self) -> Result<Recipe, Refusal> {
        let shape = shape_of_page(self.shape.0)?;
        let pattern = self.pattern.as_ref().map(|pattern| pattern.0.clone());
        Ok(Recipe {
            shape,
            method: self.grid_method,
            clues: self.clues.map(|clues| range(clues, 0, shape.cells())),
            minimal: self.minimal.unwrap_or_default(),
            symmetry: self.symmetry,
            digits: pattern.as_ref().and_then(|pattern| pattern.digits.clone()),
            pattern: pattern.map(|pattern| pattern.clues),
            solution: None,
            guesses: self.guesses.map(|guesses| range(guesses, 0, u64::MAX)),
            singles: self.no_guess.unwrap_or_default(),
            rating: self.wish()?,
        })
    }

    /// Returns the ratings and techniques that are wanted; `None` for any.
    fn wish(&self) -> Result<Option<RatingWish>, Refusal> {
        let names = self.technique.as_deref().unwrap_or_default();
        if self.er.is_none() && names.is_empty() {
            return Ok(None);
        }
        let (least, most) = self.er.unwrap_or_default();
        let (least, most) = (least.map(rating).transpose()?, most.map(rating).transpose()?);
        let mut techniques = TechniqueSet::EMPTY;
        names.iter().for_each(|name| techniques.insert(name.0));
        Ok(Some(RatingWish {
            scale: self.scale.unwrap_or_default().0,
            ratings: range((least, most), Rating::LEAST, Rating::BEYOND),
            techniques: if names.is_empty() { Vec::new() } else { vec![techniques] },
        }))
    }
}

/// Returns the range of a span, with its ends where that is open.
fn range<T>((least, most): Span<T>, first: T, last: T) -> RangeInclusive<T> {
    least.unwrap_or(first)..=most.unwrap_or(last)
}

/// Returns the rating of a number.
fn rating(number: f64) -> Result<Rating, Refusal> {
    format!("{number}").parse().map_err(|error| Refusal::bad(format!("{error}")))
}
