//! gridmill: a high-throughput batch engine for Sudoku.
pub mod error;
pub mod grid;
pub mod solver;
pub mod text;
