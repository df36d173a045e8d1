//! Questions about whole collections of puzzles: is every record as it should be, and which of them are the
//! same puzzle in disguise?
//!
//! - [`Proper`] and [`Checked`] judge records: is a puzzle proper, and is the answer given for it right?
//! - [`Minlex`]: the form that all isomorphs of a puzzle share, by which duplicates are found;
//! - [`Symmetry`]: a way from a puzzle to one of its isomorphs, and its notation.

mod answers;
mod checked;
mod judge;
mod minlex;
mod proper;
mod symmetry;

pub use answers::AnswerFormat;
pub use checked::Checked;
pub use judge::{Judge, Reason};
pub use minlex::{Canonical, Minlex};
pub use proper::Proper;
pub use symmetry::{ParseSymmetryError, Symmetry};
