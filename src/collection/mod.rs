//! Questions about collections of puzzles: which of them are the same puzzle, perhaps in disguise?
//!
//! - [`Minlex`]: the form that all isomorphs of a puzzle share, by which duplicates are found;
//! - [`Symmetry`]: a way from a puzzle to one of its isomorphs, and its notation;
//! - [`Former`]: what two puzzles have in common that count as the same;
//! - [`Twins`]: which of any number of puzzles are the same, in bounded memory.

mod form;
mod merge;
mod minlex;
mod sorter;
mod symmetry;
mod twins;

pub use form::{Form, Former, Sameness};
pub use minlex::{Canonical, Minlex};
pub use sorter::Space;
pub use symmetry::{ParseSymmetryError, Symmetry};
pub use twins::{Place, Twin, Twins};
