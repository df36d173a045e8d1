//! Fair measurement of engines and programs: the same puzzles for all, answers checked before anything is timed,
//! contenders taking turns, medians.

mod benchmark;
mod contender;
mod distribution;
mod error;
mod measurement;
mod program;
mod puzzle_set;
mod runner;
mod schedule;
mod workload;

pub use benchmark::Benchmark;
pub use contender::Contender;
pub use distribution::Distribution;
pub use error::BenchError;
pub use measurement::{Measurement, median, spread};
pub use program::{Program, ProgramError};
pub use puzzle_set::PuzzleSet;
pub use schedule::Schedule;
