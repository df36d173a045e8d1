//! Recipes: the puzzles that are wanted.

use std::ops::RangeInclusive;

use super::digger;
use super::feasible;
use super::units::Units;
use super::{FullGrids, GridMethod, RecipeError};
use crate::grid::{Shape, Symmetry};
use crate::logic::{RatingWish, Technique};
use crate::simd::Backend;

/// A description of the puzzles that are wanted.
///
/// ```
/// use gridmill_core::generate::{Generator, Recipe};
/// use gridmill_core::grid::Symmetry;
///
/// let recipe = Recipe { clues: Some(26..=28), symmetry: Some(Symmetry::Rotate180), ..Recipe::default() };
/// let mut generator = Generator::new(&recipe, 7, None).unwrap();
/// for made in generator.attempts(0..10).into_iter().flatten() {
///     assert!((26..=28).contains(&made.puzzle.clue_count()));
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The shape.
    pub shape: Shape,
    /// How full grids are made; `None` for the default.
    pub method: Option<GridMethod>,
    /// How many clues: digging goes down to a number drawn from the range, each equally likely, and a puzzle
    /// that ends within the range is accepted. Without a range it goes on until no unit of clues can go.
    pub clues: Option<RangeInclusive<usize>>,
    /// Whether no single clue may be redundant.
    pub minimal: bool,
    /// The symmetry that the cells with clues are to have, if any.
    pub symmetry: Option<Symmetry>,
    /// For each cell, whether it is to have a clue; `None` for no pattern. Excludes a symmetry.
    pub pattern: Option<Vec<bool>>,
    /// For each cell, the digit that its clue must have, 0 for any. Only with a pattern that has a clue there,
    /// and without a grid method. Full grids are then made around these digits, and go through no isomorphism.
    pub digits: Option<Vec<u8>>,
    /// The full grid to dig, in reading order. Every attempt begins with it, and the order of digging differs.
    /// Without a grid method.
    pub solution: Option<Vec<u8>>,
    /// How many guesses the engine may need: lockstep for the classic shape, bitmask for others.
    pub guesses: Option<RangeInclusive<u64>>,
    /// Whether naked and hidden singles must solve the puzzle.
    pub singles: bool,
    /// How hard the puzzle must be for people, if that matters; for the classic shape.
    pub rating: Option<RatingWish>,
}

impl Default for Recipe {
    /// Returns a recipe for classic puzzles of any kind, dug as far as possible: minimal ones.
    fn default() -> Recipe {
        Recipe {
            shape: Shape::CLASSIC,
            method: None,
            clues: None,
            minimal: false,
            symmetry: None,
            pattern: None,
            digits: None,
            solution: None,
            guesses: None,
            singles: false,
            rating: None,
        }
    }
}

impl Recipe {
    /// Checks that the recipe does not contradict itself.
    ///
    /// # Errors
    ///
    /// The first contradiction.
    pub fn check(&self) -> Result<(), RecipeError> {
        let shape = self.shape;
        if let Some(method) = self.method.filter(|method| !method.suits(shape)) {
            return Err(RecipeError::Method { method });
        }
        if let Some(clues) = self.clues.clone()
            && (clues.is_empty() || *clues.end() > shape.cells())
        {
            return Err(RecipeError::Clues { shape, clues });
        }
        if let Some(guesses) = self.guesses.clone()
            && guesses.is_empty()
        {
            return Err(RecipeError::Guesses { guesses });
        }
        if let Some(guesses) = self.guesses.clone().filter(|guesses| self.singles && *guesses.start() > 0) {
            return Err(RecipeError::GuessesAndSingles { guesses });
        }
        self.check_ratings()?;
        match &self.pattern {
            Some(_) if self.symmetry.is_some() || self.clues.is_some() => {
                return Err(RecipeError::PatternAndMore);
            }
            Some(pattern) if pattern.len() != shape.cells() => {
                return Err(RecipeError::PatternLength { shape, found: pattern.len() });
            }
            _ => {}
        }
        feasible::check(self)
    }

    /// Checks that puzzles of the shape have ratings, and that some may have those that are wanted.
    fn check_ratings(&self) -> Result<(), RecipeError> {
        let Some(RatingWish { ratings, .. }) = self.rating.clone() else { return Ok(()) };
        if self.shape != Shape::CLASSIC {
            return Err(RecipeError::NoRatings { shape: self.shape });
        }
        if ratings.is_empty() {
            return Err(RecipeError::Ratings { ratings });
        }
        if self.singles && *ratings.start() > Technique::NakedSingle.least() {
            return Err(RecipeError::RatingsAndSingles { ratings });
        }
        Ok(())
    }

    /// Returns how many guesses the questions of a dig may take together, so that large grids are dug in
    /// reasonable time: clues that it would take more to take out stay. `None` where digging goes on until no
    /// clue can go.
    ///
    /// ```
    /// use gridmill_core::generate::Recipe;
    /// use gridmill_core::grid::Shape;
    ///
    /// assert_eq!(Recipe::default().guess_budget(), None);
    /// let large = Recipe { shape: Shape::new(5, 5).unwrap(), ..Recipe::default() };
    /// assert!(large.guess_budget().is_some());
    /// ```
    #[must_use]
    pub fn guess_budget(&self) -> Option<u64> {
        digger::guess_budget(self)
    }

    /// The side above which puzzles are dug within a limit of guesses, and attempts take long.
    pub const LARGE: usize = digger::UNLIMITED_SIDE;

    /// Returns after how many attempts in a row without a puzzle a run usually gives up.
    ///
    /// ```
    /// use gridmill_core::generate::Recipe;
    ///
    /// assert_eq!(Recipe::default().usual_attempts(), 100_000);
    /// ```
    #[must_use]
    pub fn usual_attempts(&self) -> u64 {
        if self.shape.side() > Recipe::LARGE { 100 } else { 100_000 }
    }

    /// Returns whether every attempt would come to the same puzzle: a given grid has one with the clues of a pattern.
    pub(super) fn makes_one(&self) -> bool {
        self.pattern.is_some() && self.solution.is_some()
    }

    pub(super) fn units(&self) -> Units {
        match &self.pattern {
            Some(pattern) => Units::blanks(pattern),
            None => Units::symmetric(self.shape, self.symmetry),
        }
    }

    pub(super) fn full_grids(&self, backend: Backend) -> FullGrids {
        let method = self.method.unwrap_or(GridMethod::usual(self.shape));
        FullGrids::with_backend(self.shape, method, backend)
    }

    /// Returns how many clues a puzzle may have.
    pub(super) fn clue_range(&self) -> RangeInclusive<usize> {
        match &self.pattern {
            Some(pattern) => {
                let clues = pattern.iter().filter(|&&clue| clue).count();
                clues..=clues
            }
            None => self.clues.clone().unwrap_or(0..=self.shape.cells()),
        }
    }

    /// Returns whether clues go as long as singles solve the puzzle. A minimal puzzle must be dug as far as
    /// it stays proper, and is checked for singles at the end.
    pub(super) fn digs_by_singles(&self) -> bool {
        self.singles && !self.minimal
    }
}
