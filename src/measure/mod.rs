//! Measuring engines fairly: the same puzzles, answers checked before anything is timed, engines taking
//! turns, medians.

mod contest;
mod course;
mod distribution;
mod entrant;
mod puzzle_set;
mod runner;
mod schedule;
mod standing;

pub use contest::{Contest, Disagreement};
pub use distribution::Distribution;
pub use entrant::Entrant;
pub use puzzle_set::PuzzleSet;
pub use schedule::Schedule;
pub use standing::{Standing, median, spread};
