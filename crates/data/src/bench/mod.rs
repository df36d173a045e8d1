//! Fair measurement of engines and programs: all of them get the same puzzles, answers are checked before
//! anything is timed, contenders take turns, and medians count.

mod benchmark;
mod contender;
mod program;
mod usage;

pub use benchmark::{Benchmark, Distribution, Measurement, PuzzleCost, median, spread};
pub use contender::{BenchError, Contender, PuzzleSet};
pub use program::Program;
pub use usage::ProgramUsage;
