//! Whole collections of puzzles: finding those that are the same, perhaps in disguise.
//!
//! - [`Keys`](gridmill_core::jobs::Keys) makes keys that are equal for puzzles that count as the same;
//! - [`DuplicateFinder`] finds duplicates among any number of puzzles, in bounded memory;
//! - [`Partition`] divides a collection into parts that share no puzzle.

mod duplicates;
mod partition;
mod sorter;

pub use duplicates::{Duplicate, DuplicateFinder, Place};
pub use partition::{Partition, Parts};
pub use sorter::{Space, SpaceError};
