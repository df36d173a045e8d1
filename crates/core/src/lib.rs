//! Sudoku puzzles in memory: solving and counting them in batches, rating them as people solve them, bringing
//! them to a canonical form, and making new ones.
//!
//! This crate knows puzzles and grids, but no files, formats or terminals, so that you can use it inside a
//! server or a training loop. If your puzzles are in files, use `gridmill-data`, which streams millions of
//! them through this crate. Modules, from the ground up:
//!
//! - [`grid`]: cells, digits, houses, shapes, puzzles, solutions, and the naive checker of the rules;
//! - [`simd`]: vectors of 16-bit lanes, one file for each backend;
//! - [`solver`]: the engines, for batches of classic puzzles and for grids of any shape;
//! - [`minlex`]: the minlex form, which all isomorphs of a puzzle share;
//! - [`logic`]: solving as people do: techniques, steps, ratings;
//! - [`generate`]: making puzzles;
//! - [`hunt`]: for those who hunt puzzles: the neighbors of a puzzle, backdoors, unavoidable sets;
//! - [`census`]: how many full grids a shape has;
//! - [`jobs`]: the questions you can ask about every puzzle of a batch, e.g. "solve" or "rate", each with its
//!   options and its columns of answers.
//!
//! You can solve a slice of puzzles with [`solve_all`], and one puzzle with an engine:
//!
//! ```
//! use gridmill_core::{EngineKind, Puzzle, SolutionLimit, Solver};
//!
//! let puzzle: Puzzle = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..".parse()?;
//! let outcome = EngineKind::Bitmask.build().solve(&puzzle, SolutionLimit::UNIQUENESS);
//! assert_eq!(outcome.solutions, 1);
//! println!("{} after {} guesses", outcome.solution.unwrap(), outcome.guesses);
//! # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
//! ```

// The macros of the whole crate come first, because modules see only macros above them.

/// Computes a table at compile time, e.g. `table!(9, digit => 1 << digit)`. It loops by hand, because a
/// `const` expression cannot use iterators.
macro_rules! table {
    ($count:expr, $index:ident => $value:expr) => {{
        let mut $index: usize = 0;
        let mut table = [$value; $count];
        while $index < $count {
            table[$index] = $value;
            $index += 1;
        }
        table
    }};
}

/// Defines an enum whose variants have names, e.g. `Minlex = "minlex"`, because options, columns and files
/// write a variant by its name. `ALL` lists the variants, `name` gives the name of one, and `Display` writes
/// it.
macro_rules! named {
    ($(#[$of_type:meta])* pub enum $type:ident { $($(#[$of_variant:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$of_type])*
        pub enum $type {
            $($(#[$of_variant])* $variant,)+
        }

        impl $type {
            /// Every variant.
            pub const ALL: [$type; [$($name),+].len()] = [$($type::$variant),+];

            /// The name that options and rows use for the variant.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

pub mod census;
pub mod generate;
pub mod grid;
pub mod hunt;
pub mod jobs;
pub mod logic;
pub mod minlex;
pub mod simd;
pub mod solver;

pub use grid::{Grid, Puzzle, Shape, Solution};
pub use solver::{EngineKind, Outcome, SolutionLimit, Solver, solve_all};

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
