//! Making puzzles: full grids, clues taken out of them, minimal puzzles.
//!
//! ```text
//! seed, attempt ──► full grid (full) ──► clues out, one unit after the other (dig) ──► as wanted? (generator)
//!                                        all digs ask their questions together
//! ```
//!
//! Many puzzles are dug together, so that their questions come in batches, which suit the lockstep engine.
//! The order in which units (cells, or sets that keep a symmetry) are taken out is drawn beforehand. The
//! result is the same as taking them out one by one, because grouping the questions changes only how many
//! there are (`dig`).

mod dig;
mod digger;
mod full;
mod generator;
mod minimal_lists;
mod minimize;
mod recipe;

pub use full::{FullGrids, GridMethod};
pub use generator::{
    ALGORITHM, DuplicatePolicy, GenerateError, Generator, Goal, Made, MadeStats, ParallelGenerator,
};
pub use minimal_lists::MinimalLister;
pub use minimize::{Minimized, Minimizer};
pub use recipe::{ForeignSymbol, Pattern, Recipe, RecipeError, digit as digit_of_symbol, symbols};
