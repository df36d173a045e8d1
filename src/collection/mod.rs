//! Questions about whole collections of puzzles: is every record as it should be, and which of them are the
//! same puzzle in disguise?
//!
//! - [`Proper`] and [`Checked`] judge records: is a puzzle proper, and is the answer given for it right?
//! - [`KeyBuilder`]: what two puzzles have in common that count as the same;
//! - [`DuplicateFinder`]: which of any number of puzzles are the same, in bounded memory.

mod answers;
mod canonical_key;
mod checked;
mod duplicates;
mod merge;
mod proper;
mod sorter;
mod verifier;

pub use answers::AnswerFormat;
pub use canonical_key::{CanonicalKey, Equivalence, KeyBuilder};
pub use checked::Checked;
pub use duplicates::{Duplicate, DuplicateFinder, Place};
pub use proper::Proper;
pub use sorter::{Space, SpaceError};
pub use verifier::{Reason, Verifier};
