//! Making puzzles: full grids, clues taken out of them, minimal puzzles.
//!
//! ```text
//! seed, attempt ──► full grid (full) ──► clues out, one unit after the other (dig) ──► as wanted? (generator)
//!                   bands, fill          oracle, lockstep_oracle: questions answered in step
//! ```
//!
//! Many puzzles are dug together, so that their questions come in batches, which suit the lockstep engine.
//! The order in which units go (`units`: cells, or sets that keep a symmetry) is drawn beforehand, and the
//! result is that of taking them one by one; grouping the questions changes only their number (`dig`).

mod bands;
mod dig;
mod digger;
mod error;
mod feasible;
mod fill;
mod full;
mod generator;
mod lockstep_oracle;
mod minimize;
mod oracle;
mod parallel;
mod pattern;
mod recipe;
mod source;
mod swaps;
mod units;

pub use error::{GenerateError, RecipeError};
pub use full::{FullGrids, GridMethod};
pub use generator::{ALGORITHM, Generator, Made};
pub use minimize::{Minimized, Minimizer};
pub use parallel::{Goal, MadeStats, ParallelGenerator, Refused};
pub use pattern::{ForeignSymbol, Pattern};
pub use pattern::{digit as digit_of_symbol, symbols};
pub use recipe::Recipe;
