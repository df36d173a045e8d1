//! Errors of making puzzles.

use std::ops::RangeInclusive;

use super::GridMethod;
use crate::grid::Shape;

/// Contradictions in a recipe.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// The method does not suit the shape.
    #[error("the grid method {} is for 9x9 only", method.name())]
    Method {
        /// The method that was asked for.
        method: GridMethod,
    },
    /// There are more clues than cells, or the range is empty.
    #[error("a puzzle of {} cells can't have {} to {} clues", shape.cells(), clues.start(), clues.end())]
    Clues {
        /// The shape.
        shape: Shape,
        /// The range that was asked for.
        clues: RangeInclusive<usize>,
    },
    /// The range of guesses is empty.
    #[error("there is no number from {} to {}: give the smaller number of guesses first", guesses.start(), guesses.end())]
    Guesses {
        /// The range that was asked for.
        guesses: RangeInclusive<u64>,
    },
    /// The pattern has another size.
    #[error("the pattern has {found} cells where {} are needed", shape.cells())]
    PatternLength {
        /// The shape.
        shape: Shape,
        /// Cells of the pattern.
        found: usize,
    },
    /// A pattern is combined with a number of clues or a symmetry, which it determines itself.
    #[error("a pattern can't be combined with a symmetry or a number of clues: it says both itself")]
    PatternAndMore,
}

/// Why fewer puzzles were made than are wanted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// The recipe contradicts itself.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// Isomorphic puzzles are to be refused, which is only known for 9x9.
    #[error("puzzles are compared by isomorphism for 9x9 only, and these are {side}x{side}", side = shape.side())]
    OnlyClassic {
        /// The shape of the puzzles.
        shape: Shape,
    },
    /// Too many attempts in a row gave no puzzle.
    #[error(
        "found {found} of {wanted} puzzles, and then none in {attempts} attempts: there may be no more of that kind, or they are rare"
    )]
    NotFound {
        /// Puzzles found.
        found: u64,
        /// Puzzles asked for.
        wanted: u64,
        /// Attempts in a row.
        attempts: u64,
    },
    /// The threads could not be started.
    #[error("the worker threads can't be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}
