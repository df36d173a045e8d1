//! Questions about whole collections of puzzles: is every record as it should be, and which of them are the
//! same puzzle in disguise?
//!
//! - [`Proper`] and [`Checked`] judge records: is a puzzle proper, and is the answer given for it right?
//! - [`Minlex`]: the form that all isomorphs of a puzzle share, by which duplicates are found;
//! - [`Symmetry`]: a way from a puzzle to one of its isomorphs, and its notation;
//! - [`KeyBuilder`]: what two puzzles have in common that count as the same;
//! - [`PatternSymmetry`]: how the clues of a puzzle lie;
//! - [`DuplicateFinder`]: which of any number of puzzles are the same, in bounded memory.

mod answers;
mod canonical_key;
mod checked;
mod duplicates;
mod merge;
mod minlex;
mod pattern;
mod proper;
mod sorter;
mod symmetry;
mod verifier;

pub use answers::AnswerFormat;
pub use canonical_key::{CanonicalKey, Equivalence, KeyBuilder};
pub use checked::Checked;
pub use duplicates::{Duplicate, DuplicateFinder, Place};
pub use minlex::{Canonical, Minlex};
pub use pattern::PatternSymmetry;
pub use proper::Proper;
pub use sorter::Space;
pub use symmetry::{ParseSymmetryError, Symmetry};
pub use verifier::{Reason, Verifier};
