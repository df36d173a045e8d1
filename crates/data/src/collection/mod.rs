//! Whole collections of puzzles: verifying every record, and finding puzzles that are the same, perhaps in
//! disguise.
//!
//! - [`UniquenessVerifier`] and [`AnswerVerifier`] verify that puzzles are proper, and that the answers
//!   beside them are right;
//! - [`KeyBuilder`] makes keys that are equal for puzzles that count as the same;
//! - [`DuplicateFinder`] finds duplicates among any number of puzzles, in bounded memory;
//! - [`Partition`] divides a collection into parts that share no puzzle.

mod answer_verifier;
mod answers;
mod canonical_key;
mod duplicates;
mod merge;
mod partition;
mod sorter;
mod verifier;

pub use answer_verifier::{AnswerVerifier, what_is_wrong};
pub use answers::AnswerFormat;
pub use canonical_key::{CanonicalKey, Equivalence, KeyBuilder};
pub use duplicates::{Duplicate, DuplicateFinder, Place};
pub use partition::{Partition, Parts};
pub use sorter::{Space, SpaceError};
pub use verifier::{Reason, UniquenessVerifier, Verifier};
