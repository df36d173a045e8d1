//! A puzzle of any shape as it was written.

use std::sync::Arc;

use super::Alphabet;
use crate::grid::Grid;

/// A puzzle of any shape, with the alphabet that it is written in and its solution will be.
#[derive(Clone, Debug)]
pub struct GridPuzzle {
    /// The puzzle.
    pub grid: Grid,
    /// What its digits are written in.
    pub alphabet: Arc<Alphabet>,
}
