//! gridmill: a high-throughput batch engine for Sudoku.
pub mod cli;
pub mod error;
pub mod grid;
pub mod output;
pub mod pipeline;
pub mod record;
pub mod solver;
pub mod text;
