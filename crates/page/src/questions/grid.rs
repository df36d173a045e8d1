//! The grid of the page.

use gridmill_core::grid::{Digit, Grid, Shape};
use gridmill_core::logic::State;
use gridmill_data::text::PuzzleText;
use serde::{Deserialize, Serialize};

use crate::reply::Refusal;

/// The greatest side that the page shows.
pub(super) const MAX_SIDE: usize = 16;

/// A grid as the page has it: see *Requests* in `src/README.md`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageGrid {
    shape: String,
    clues: Vec<u8>,
    /// Digits that are no clues; empty for none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    entries: Vec<u8>,
    /// Candidates that were taken out: cells from 0, digits from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    removed: Vec<(u16, u8)>,
}

/// The parts of a grid of the page, which fit each other.
#[derive(Clone, Debug)]
pub(super) struct CheckedGrid {
    pub(super) clues: Grid,
    /// Clues, and entries in the other cells.
    pub(super) digits: Grid,
    /// Candidates that were taken out: cells and digits from 0.
    pub(super) removed: Vec<(usize, usize)>,
}

impl PageGrid {
    /// Returns a grid of clues alone.
    pub(crate) fn new(shape: Shape, clues: &[u8]) -> PageGrid {
        PageGrid { shape: shape.to_string(), clues: clues.to_vec(), entries: Vec::new(), removed: Vec::new() }
    }

    /// Returns the grid of a puzzle. Of candidates, a cell with one is a clue, and of the others those are taken out that the
    /// clues would leave. Refuses a shape that the page does not show.
    pub(crate) fn from_puzzle(puzzle: &impl PuzzleText) -> Result<PageGrid, Refusal> {
        let grid = PageGrid::new(shape_of_page(puzzle.shape())?, puzzle.cells());
        let Some(marks) = puzzle.pencilmarks() else { return Ok(grid) };
        let clues = marks.clues();
        let state = State::of_puzzle(clues);
        let is_missing = |cell: usize, digit: Digit| {
            state.has(cell, usize::from(digit.get()) - 1) && !marks.candidates()[cell].contains(digit)
        };
        let missing = |cell: usize| {
            let digits = Digit::all(9).filter(move |&digit| is_missing(cell, digit));
            digits.map(move |digit| (cell as u16, digit.get()))
        };
        let removed = state.empty().into_iter().flat_map(missing).collect();
        Ok(PageGrid { removed, ..grid })
    }

    /// Checks that there is a shape that the page shows, and that all parts are of that shape.
    pub(super) fn check(self) -> Result<CheckedGrid, Refusal> {
        let shape = shape_of_page(self.shape.parse().map_err(|error: String| Refusal::bad(error))?)?;
        let removed = removed_of(shape, &self.removed)?;
        let digits = with_entries(&self.clues, &self.entries)?;
        Ok(CheckedGrid { clues: grid(shape, self.clues)?, digits: grid(shape, digits)?, removed })
    }
}

/// Refuses a shape that the page does not show.
pub(super) fn shape_of_page(shape: Shape) -> Result<Shape, Refusal> {
    let shown = || Refusal::bad(format!("the page shows grids from 4x4 to {MAX_SIDE}x{MAX_SIDE}"));
    (shape.side() <= MAX_SIDE).then_some(shape).ok_or_else(shown)
}

/// Returns clues, and entries in the other cells.
fn with_entries(clues: &[u8], entries: &[u8]) -> Result<Vec<u8>, Refusal> {
    if entries.is_empty() {
        return Ok(clues.to_vec());
    }
    if entries.len() != clues.len() {
        let (entries, clues) = (entries.len(), clues.len());
        return Err(Refusal::bad(format!("there are {entries} entries for {clues} cells")));
    }
    let digit = |(&clue, &entry): (&u8, &u8)| if clue == 0 { entry } else { clue };
    Ok(clues.iter().zip(entries).map(digit).collect())
}

fn grid(shape: Shape, digits: Vec<u8>) -> Result<Grid, Refusal> {
    let needed = || {
        let (cells, side) = (shape.cells(), shape.side());
        Refusal::bad(format!("a grid of {shape} has {cells} cells with digits from 0 to {side}"))
    };
    Grid::new(shape, digits).ok_or_else(needed)
}

/// Returns candidates with digits from 0.
fn removed_of(shape: Shape, removed: &[(u16, u8)]) -> Result<Vec<(usize, usize)>, Refusal> {
    let candidate = |&(cell, digit): &(u16, u8)| {
        let (cell, digit) = (usize::from(cell), usize::from(digit));
        let stands = cell < shape.cells() && (1..=shape.side()).contains(&digit);
        let needed = || {
            let (last, side) = (shape.cells() - 1, shape.side());
            Refusal::bad(format!(
                "candidates of {shape} are of cells from 0 to {last} and digits from 1 to {side}"
            ))
        };
        stands.then(|| (cell, digit - 1)).ok_or_else(needed)
    };
    removed.iter().map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(grid: Value) -> Result<CheckedGrid, Refusal> {
        serde_json::from_value::<PageGrid>(grid).unwrap().check()
    }

    #[test]
    fn entries_fill_the_cells_without_a_clue() {
        let (mut clues, mut entries) = ([0; 16], [0; 16]);
        (clues[0], clues[5]) = (1, 2);
        (entries[0], entries[7]) = (3, 4);
        let grid = json!({"shape": "2x2", "clues": clues, "entries": entries, "removed": [[15, 4]]});
        let checked = check(grid).unwrap();
        assert_eq!(checked.clues.to_string(), "1....2..........");
        assert_eq!(checked.digits.to_string(), "1....2.4........");
        assert_eq!(checked.removed, [(15, 3)]);
    }

    #[test]
    fn parts_that_do_not_fit_are_refused_with_a_sentence() {
        let (clues, fives) = ([0; 16], [5; 16]);
        for (grid, words) in [
            (json!({"shape": "2x2", "clues": [1, 2]}), "has 16 cells"),
            (json!({"shape": "2x2", "clues": fives}), "digits from 0 to 4"),
            (json!({"shape": "2", "clues": clues}), "is no shape"),
            (json!({"shape": "5x5", "clues": clues}), "from 4x4 to 16x16"),
            (json!({"shape": "2x2", "clues": clues, "entries": [0]}), "1 entries for 16 cells"),
            (json!({"shape": "2x2", "clues": clues, "entries": fives}), "digits from 0 to 4"),
            (json!({"shape": "2x2", "clues": clues, "removed": [[16, 1]]}), "cells from 0 to 15"),
            (json!({"shape": "2x2", "clues": clues, "removed": [[0, 0]]}), "digits from 1 to 4"),
            (json!({"shape": "2x2", "clues": clues, "removed": [[0, 5]]}), "digits from 1 to 4"),
        ] {
            let refusal = check(grid.clone()).unwrap_err();
            assert!(refusal.message.contains(words), "{grid}: {}", refusal.message);
        }
    }
}
