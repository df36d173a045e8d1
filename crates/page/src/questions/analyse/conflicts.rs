//! Digits that stand twice in a house.

use gridmill_core::grid::{Cell, Grid, House, Shape};

/// Returns the cells that repeat a digit of their house, each once, in reading order.
pub(super) fn conflicts(grid: &Grid) -> Vec<usize> {
    let (shape, digits) = (grid.shape(), grid.cells());
    let mut repeats = vec![false; digits.len()];
    for house in House::all(shape) {
        let mut first = [None; Shape::MAX_SIDE + 1];
        for cell in house.cells(shape).map(Cell::index).filter(|&cell| digits[cell] != 0) {
            match first[usize::from(digits[cell])] {
                Some(other) => (repeats[other], repeats[cell]) = (true, true),
                None => first[usize::from(digits[cell])] = Some(cell),
            }
        }
    }
    (0..digits.len()).filter(|&cell| repeats[cell]).collect()
}
