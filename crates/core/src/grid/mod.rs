//! Sudoku itself: shapes, cells, houses, digits, puzzles, solutions and the rules.
//!
//! This module does no input, output or search, and depends on no other module, so that everything else can
//! build on it.

mod bit_set;
mod isomorphism;
mod puzzle;
pub mod rules;
mod shape;

pub(crate) use bit_set::BitSet;
pub use isomorphism::{Isomorphism, Symmetry};
pub(crate) use isomorphism::{LineOrder, line_orders, may_follow};
pub(crate) use puzzle::symbol;
pub use puzzle::{Grid, ParsePuzzleError, Pencilmarks, Puzzle, Solution};
pub(crate) use shape::{Bands, PEERS, THIRDS, bits_of};
pub use shape::{Cell, Digit, DigitSet, House, Shape};

/// The number of cells of a classic 9x9 grid.
pub const CELLS: usize = 81;

/// The characters that mean a blank, e.g. `.` in `53..7....`. A character that a grid uses as a digit is not
/// a blank there.
pub const BLANKS: &[u8] = b".0_-*?xX";
