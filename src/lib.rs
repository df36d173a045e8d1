//! A high-throughput batch engine for Sudoku: library and command line.
//!
//! A memory-mapped reader streams puzzles to workers, each with an allocation-free solver of its
//! own; one writer puts solutions, verdicts and timings into CSV, in the order of the input.
//!
//! ```text
//!  file / pipe            rayon workers, one Solver each                      one writer thread
//! ┌──────────┐  chunks  ┌───────────────────────────────────┐ formatted ┌────────────────────────┐
//! │  Source  │ ───────► │ text → Puzzle → Solver → Outcome   │ ────────► │ reorder → io::Write     │
//! │ mmap|read│  (seq n) │              → row bytes           │  (seq n)  │ → Observer (bar, stats) │
//! └──────────┘          └───────────────────────────────────┘           └────────────────────────┘
//!        ▲                    permits = recycled buffers                          │
//!        └────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Modules, from the ground up; each depends only on those before it, which a test checks:
//!
//! - [`grid`]: what a Sudoku is, and the naive checker of its rules;
//! - [`packing`]: compressed files, in and out;
//! - [`text`]: bytes to puzzles, one file for each format;
//! - [`simd`]: vectors of 16-bit lanes, one file for each backend;
//! - [`solver`]: the engines, for batches of classic puzzles and for grids of any shape;
//! - [`minlex`]: the minlex form, which all isomorphs of a puzzle share;
//! - [`logic`]: solving as people do: techniques, steps, ratings;
//! - [`generate`]: making puzzles;
//! - [`census`]: how many full grids a shape has;
//! - [`record`]: verdicts and counts, and the traits by which rows are written and runs are watched;
//! - [`bench`](mod@bench): fair measurement of engines, side by side;
//! - [`collection`]: verifying the records of a collection, and finding duplicates;
//! - [`error`]: the errors of a whole job;
//! - [`output`]: CSV rows, the progress bar, the summary, tables and plots of measurements, the
//!   figures of a collection, the file that takes the rows;
//! - [`pipeline`]: from text to rows on all cores, as drawn above;
//! - [`serve`]: the page for browsers on this machine; with the feature of that name;
//! - [`cli`]: the command line, one file for each command; with the feature of that name, as are the bar, the summary
//!   and the tables.
//!
//! Solving takes no pipeline: [`solve_all`] for a slice of puzzles, an engine for one:
//!
//! ```
//! use gridmill::{Puzzle, SolutionLimit, Solver, SolverKind};
//!
//! let puzzle: Puzzle = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..".parse()?;
//! let outcome = SolverKind::Bitmask.build().solve(&puzzle, SolutionLimit::UNIQUENESS);
//! assert_eq!(outcome.solutions, 1);
//! println!("{} after {} guesses", outcome.solution.unwrap(), outcome.guesses);
//! # Ok::<(), gridmill::text::ParsePuzzleError>(())
//! ```
//!
//! Types of daily use are at the root; `docs/library.md` shows what to do with them.

// Some of what rooms share is for the program alone.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

pub mod bench;
pub mod census;
#[cfg(feature = "cli")]
pub mod cli;
pub mod collection;
pub mod error;
pub mod generate;
pub mod grid;
pub mod logic;
pub mod minlex;
pub mod output;
pub mod packing;
pub mod pipeline;
pub mod record;
#[cfg(feature = "serve")]
pub mod serve;
pub mod simd;
pub mod solver;
pub mod text;

pub use error::{Error, ErrorKind};
pub use grid::{Grid, Puzzle, Shape, Solution};
pub use pipeline::{Input, InputRecord, Records};
pub use solver::{Outcome, SolutionLimit, Solver, SolverKind, solve_all};
pub use text::{FormatOptions, GridPuzzle};

/// The documents whose Rust examples run as tests.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../docs/library.md")]
    mod library {}
}
