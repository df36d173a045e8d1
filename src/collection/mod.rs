//! Questions about whole collections of puzzles: whether every record is as it should be, and which of them are the
//! same puzzle in disguise.
//!
//! - [`UniquenessVerifier`] and [`AnswerVerifier`]: whether puzzles are proper, and the answers given for them right;
//! - [`KeyBuilder`]: what two puzzles have in common that count as the same;
//! - [`DuplicateFinder`]: which of any number of puzzles are the same, in bounded memory.

mod answer_verifier;
mod answers;
mod canonical_key;
mod duplicates;
mod merge;
mod sorter;
mod verifier;

pub use answer_verifier::AnswerVerifier;
pub use answers::AnswerFormat;
pub use canonical_key::{CanonicalKey, Equivalence, KeyBuilder};
pub use duplicates::{Duplicate, DuplicateFinder, Place};
pub use sorter::{Space, SpaceError};
pub use verifier::{Reason, UniquenessVerifier, Verifier};
