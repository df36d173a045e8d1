//! Sudoku itself: shapes, cells, houses, digits, puzzles, solutions and the rules.
//!
//! This module knows no input or output and no search, and depends on no other one.

mod isomorphism;
mod puzzle;
pub mod rules;
mod shape;

pub use isomorphism::{Isomorphism, Symmetry};
pub(crate) use isomorphism::{LineOrder, line_orders, may_follow};
pub(crate) use puzzle::symbol;
pub use puzzle::{Grid, ParsePuzzleError, Pencilmarks, Puzzle, Solution};
pub(crate) use shape::{Bands, PEERS, THIRDS, bits_of};
pub use shape::{Cell, Digit, DigitSet, House, Shape};

/// Cells of a classic 9x9 grid.
pub const CELLS: usize = 81;

/// Characters of a blank, each where it is not a digit.
pub const BLANKS: &[u8] = b".0_-*?xX";
