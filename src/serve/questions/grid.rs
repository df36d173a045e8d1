//! The grid of the page.

use serde::{Deserialize, Serialize};

use crate::grid::{Grid, Shape};
use crate::serve::refusal::Refusal;

/// A grid as the page has it: see the README of this room.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::serve) struct PageGrid {
    shape: String,
    clues: Vec<u8>,
    /// Digits that are no clues; empty for none.
    #[serde(default)]
    entries: Vec<u8>,
    /// Candidates that were taken out: cells from 0, digits from 1.
    #[serde(default)]
    removed: Vec<(u16, u8)>,
}

impl PageGrid {
    /// Returns a grid of clues alone.
    pub(in crate::serve) fn of(shape: Shape, clues: &[u8]) -> PageGrid {
        PageGrid { shape: shape.to_string(), clues: clues.to_vec(), entries: Vec::new(), removed: Vec::new() }
    }

    /// Returns the clues.
    pub(in crate::serve) fn clues(&self) -> Result<Grid, Refusal> {
        self.grid(self.clues.clone())
    }

    /// Returns the digits: clues, and entries in the other cells.
    pub(in crate::serve) fn digits(&self) -> Result<Grid, Refusal> {
        let mut digits = self.clues.clone();
        if !self.entries.is_empty() && self.entries.len() != digits.len() {
            return Err(Refusal::bad("there is not an entry for each cell"));
        }
        for (digit, &entry) in digits.iter_mut().zip(&self.entries) {
            if *digit == 0 {
                *digit = entry;
            }
        }
        self.grid(digits)
    }

    fn grid(&self, digits: Vec<u8>) -> Result<Grid, Refusal> {
        let shape: Shape = self.shape.parse().map_err(|error| Refusal::bad(format!("{error}")))?;
        let digits_of =
            || format!("{0} cells with digits from 0 to {1} are needed", shape.cells(), shape.side());
        if shape.side() > 16 {
            return Err(Refusal::bad("the page takes grids from 4x4 to 16x16"));
        }
        Grid::new(shape, digits).ok_or_else(|| Refusal::bad(digits_of()))
    }
}
