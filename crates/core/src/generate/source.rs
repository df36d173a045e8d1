//! Where the full grids of a recipe come from.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::Rng;
use rand::seq::SliceRandom;

use super::fill::Fill;
use super::oracle::grid;
use super::{FullGrids, Recipe};
use crate::grid::Shape;
use crate::simd::Backend;
use crate::solver::{AnyBitmask, Bounds, GridSolver, SearchEnd};

/// Random fills that are tried before a complete search.
const FILLS: usize = 20;

/// Makes the full grids of a recipe.
pub(super) enum GridSource {
    /// Any grids.
    Random(Box<FullGrids>),
    /// Grids with given digits in some cells.
    Around(Box<Around>),
    /// This one.
    Given(Vec<u8>),
}

/// Makes grids around given digits.
pub(super) struct Around {
    shape: Shape,
    /// The digits that are given, 0 for none.
    digits: Vec<u8>,
    fill: Fill,
    engine: AnyBitmask,
}

impl GridSource {
    pub(super) fn new(recipe: &Recipe, backend: Backend) -> GridSource {
        match (&recipe.solution, &recipe.digits) {
            (Some(solution), _) => GridSource::Given(solution.clone()),
            (None, Some(digits)) => GridSource::Around(Box::new(Around::new(recipe.shape, digits.clone()))),
            (None, None) => GridSource::Random(Box::new(recipe.full_grids(backend))),
        }
    }

    /// Returns a grid from each source of random numbers, or `None` when `stop` becomes true.
    pub(super) fn make_all(&mut self, rngs: &mut [impl Rng], stop: &AtomicBool) -> Option<Vec<Vec<u8>>> {
        match self {
            GridSource::Random(grids) => grids.make_all(rngs, stop),
            GridSource::Around(around) => rngs.iter_mut().map(|rng| around.make(rng, stop)).collect(),
            GridSource::Given(solution) => Some(vec![solution.clone(); rngs.len()]),
        }
    }
}

impl Around {
    pub(super) fn new(shape: Shape, digits: Vec<u8>) -> Around {
        Around { shape, digits, fill: Fill::new(shape), engine: AnyBitmask::new() }
    }

    /// Returns a random grid with the digits. `None` if there is none, or `stop` becomes true.
    fn make(&mut self, rng: &mut impl Rng, stop: &AtomicBool) -> Option<Vec<u8>> {
        for _ in 0..FILLS {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(grid) = self.fill.fill(&self.digits, rng) {
                return Some(grid.to_vec());
            }
        }
        self.search(rng, stop)
    }

    /// Returns the first solution of the digits under random names: many digits leave few grids, which random
    /// fills may miss.
    pub(super) fn search(&mut self, rng: &mut impl Rng, stop: &AtomicBool) -> Option<Vec<u8>> {
        let mut names: Vec<u8> = (0..=self.shape.side() as u8).collect();
        names[1..].shuffle(rng);
        let renamed: Vec<u8> = self.digits.iter().map(|&digit| names[usize::from(digit)]).collect();
        let mut found = None;
        let mut keep = |cells: &[u8]| {
            let digit = |name: &u8| names.iter().position(|other| other == name).unwrap_or(0) as u8;
            found = Some(cells.iter().map(digit).collect());
            ControlFlow::Break(())
        };
        let clues = grid(self.shape, &renamed);
        self.engine.search_until(&clues, &Bounds::ALL, stop, &mut keep);
        found
    }

    /// Returns whether any grid has the digits; true where a search of so many guesses does not tell.
    pub(super) fn is_possible(&mut self, guesses: u64) -> bool {
        let bounds = Bounds::solutions(1).and_guesses(guesses);
        let searched = self.engine.count(&grid(self.shape, &self.digits), &bounds);
        searched.solutions > 0 || searched.end == SearchEnd::Budget
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Generator, RecipeError};
    use crate::grid::rules;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn digits(line: &str) -> Vec<u8> {
        line.bytes().map(|byte| byte.saturating_sub(b'0') * u8::from(byte != b'.')).collect()
    }

    #[test]
    fn grids_have_the_given_digits_and_differ() {
        let mut few = digits(LINE);
        few[20..].fill(0);
        for given in [digits(LINE), few] {
            let mut rngs: Vec<ChaCha8Rng> = (0..3).map(ChaCha8Rng::seed_from_u64).collect();
            let mut around = Around::new(Shape::CLASSIC, given.clone());
            let searched: Vec<_> =
                rngs.iter_mut().map(|rng| around.search(rng, &AtomicBool::new(false)).unwrap()).collect();
            let is_proper = given[20..].iter().any(|&digit| digit != 0);
            assert_eq!(searched[0] == searched[1], is_proper);
            let recipe = Recipe {
                pattern: Some(given.iter().map(|&digit| digit != 0).collect()),
                digits: Some(given.clone()),
                ..Recipe::default()
            };
            let mut source = GridSource::new(&recipe, Backend::Portable);
            let made = source.make_all(&mut rngs, &AtomicBool::new(false)).unwrap();
            for grid in made.iter().chain(&searched) {
                assert!(rules::is_solution(Shape::CLASSIC, &given, grid));
            }
        }
    }

    #[test]
    fn a_given_grid_is_dug() {
        let solution: Vec<u8> =
            (0..81).map(|cell| (cell / 9 * 3 + cell / 27 + cell % 9) as u8 % 9 + 1).collect();
        let recipe = Recipe { solution: Some(solution.clone()), ..Recipe::default() };
        let made = Generator::new(&recipe, 1, None).unwrap().attempts(0..5);
        let made: Vec<_> = made.into_iter().flatten().collect();
        assert_eq!(made.len(), 5);
        assert!(made.iter().all(|made| made.solution.cells() == solution));
        assert_ne!(made[0].puzzle, made[1].puzzle);
    }

    #[test]
    fn digits_that_no_grid_has_are_refused() {
        let recipe = |line: &str| {
            let digits = digits(line);
            let pattern = Some(digits.iter().map(|&digit| digit != 0).collect());
            Recipe { pattern, digits: Some(digits), ..Recipe::default() }.check()
        };
        assert_eq!(recipe(LINE), Ok(()));
        let twice = LINE.replacen('3', "5", 1);
        assert!(matches!(recipe(&twice), Err(RecipeError::PatternConflict { .. })));
        // The third cell can only be 4, and then the 2 of the fifth row has no place.
        let none = LINE.replacen("53..", "531.", 1);
        assert_eq!(recipe(&none), Err(RecipeError::NoGrid));
    }
}
