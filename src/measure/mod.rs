//! Measuring engines fairly: the same puzzles, answers checked before anything is timed, engines taking
//! turns, medians.

mod contest;
mod isomorph;

pub use contest::{Contest, Disagreement, Entrant, Standing};
pub use isomorph::Isomorphism;
