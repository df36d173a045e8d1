//! Sudoku itself: shapes, cells, houses, digits, puzzles, solutions and the rules.
//!
//! This module knows no input or output and no search, and depends on no other one.

mod any_shape;
mod digits;
mod house;
mod isomorphism;
mod pencilmarks;
mod puzzle;
pub mod rules;
mod shape;
mod symmetry;

pub use any_shape::Grid;
pub use digits::{Digit, DigitSet};
pub(crate) use house::{Bands, PEERS};
pub use house::{Cell, House};
pub use isomorphism::Isomorphism;
pub use pencilmarks::Pencilmarks;
pub use puzzle::{ParsePuzzleError, Puzzle, Solution};
pub use shape::Shape;
pub use symmetry::Symmetry;

/// Cells of a classic 9x9 grid.
pub const CELLS: usize = 81;

/// Characters of a blank, each where it is not a digit.
pub const BLANKS: &[u8] = b".0_-*?xX";
