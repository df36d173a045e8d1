//! Making puzzles: full grids, clues taken out of them, minimal puzzles.
//!
//! ```text
//! seed, attempt ──► full grid (full) ──► clues out, one unit after the other (dig) ──► as wanted? (generator)
//!                   bands, fill          batch, judge: questions answered in step
//! ```
//!
//! Many puzzles are dug in step, so that their questions come in batches, which is what the lockstep engine is good
//! at. The order in which units go (`layout`: cells, or sets that keep a symmetry) is drawn beforehand, and the result
//! is that of going through it one by one; how questions are put together changes their number only (`dig`).

mod bands;
mod batch;
mod dig;
mod error;
mod fill;
mod full;
mod generator;
mod layout;
mod minimize;
mod oracle;
mod parallel;
mod recipe;
mod swaps;

pub use error::{GenerateError, RecipeError};
pub use full::{FullGrids, GridMethod};
pub use generator::{ALGORITHM, Generator, Made};
pub use minimize::Minimizer;
pub use parallel::{MadeStats, ParallelGenerator, Refused, Wanted};
pub use recipe::Recipe;
