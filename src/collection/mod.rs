//! Questions about collections of puzzles: which of them are the same puzzle in disguise?
//!
//! - [`Minlex`]: the form that all isomorphs of a puzzle share, by which duplicates are found;
//! - [`Symmetry`]: a way from a puzzle to one of its isomorphs, and its notation.

mod minlex;
mod symmetry;

pub use minlex::{Canonical, Minlex};
pub use symmetry::{ParseSymmetryError, Symmetry};
