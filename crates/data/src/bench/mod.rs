//! Fair measurement of engines and programs: the same puzzles for all, answers checked before anything is timed,
//! contenders taking turns, medians.

mod benchmark;
mod contender;
mod program;
mod usage;

pub use benchmark::{Benchmark, Distribution, Measurement, PuzzleCost, median, spread};
pub use contender::{BenchError, Contender, PuzzleSet};
pub use program::Program;
pub use usage::ProgramUsage;
