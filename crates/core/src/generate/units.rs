//! Which cells lose their clues together.

use std::ops::Range;

use crate::grid::{Cell, Shape, Symmetry};

/// The cells of a shape in units: the clues of a unit go together, or stay together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Units {
    cells: Vec<u16>,
    /// The start of each unit in `cells`, and the end of the last one.
    starts: Vec<u16>,
}

impl Units {
    /// Returns units of one cell each.
    pub(super) fn cells(shape: Shape) -> Units {
        Units::symmetric(shape, None)
    }

    /// Returns units that keep a symmetry, or single cells for `None`.
    pub(super) fn symmetric(shape: Shape, symmetry: Option<Symmetry>) -> Units {
        let image = |cell: usize| symmetry.map_or(cell, |it| it.image(Cell::new(cell), shape).index());
        Units::orbits(shape, image)
    }

    /// Returns the units of cells that have each other as images.
    pub(super) fn orbits(shape: Shape, image: impl Fn(usize) -> usize) -> Units {
        let mut seen = vec![false; shape.cells()];
        let mut units = Units { cells: Vec::new(), starts: vec![0] };
        for first in 0..shape.cells() {
            let mut cell = first;
            while !seen[cell] {
                seen[cell] = true;
                units.cells.push(cell as u16);
                cell = image(cell);
            }
            units.close();
        }
        units
    }

    /// Returns one unit: the cells without a clue in a pattern.
    pub(super) fn blanks(pattern: &[bool]) -> Units {
        let blanks = (0..pattern.len()).filter(|&cell| !pattern[cell]);
        let mut units = Units { cells: blanks.map(|cell| cell as u16).collect(), starts: vec![0] };
        units.close();
        units
    }

    fn close(&mut self) {
        let end = self.cells.len() as u16;
        if self.starts.last() != Some(&end) {
            self.starts.push(end);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns whether all units are single cells.
    pub(super) fn are_single(&self) -> bool {
        self.len() == self.cells.len()
    }

    fn range(&self, unit: u16) -> Range<usize> {
        let unit = usize::from(unit);
        self.starts[unit].into()..self.starts[unit + 1].into()
    }

    /// Returns the cells of a unit.
    pub(super) fn of(&self, unit: u16) -> &[u16] {
        &self.cells[self.range(unit)]
    }

    /// Returns how many cells a unit has.
    pub(super) fn size(&self, unit: u16) -> usize {
        self.range(unit).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_share_out_the_cells() {
        for (symmetry, sizes) in [
            (None, [81, 0, 0, 0]),
            (Some(Symmetry::Rotate180), [1, 40, 0, 0]),
            (Some(Symmetry::Rotate90), [1, 0, 0, 20]),
            (Some(Symmetry::Mirror), [9, 36, 0, 0]),
            (Some(Symmetry::Diagonal), [9, 36, 0, 0]),
        ] {
            let units = Units::symmetric(Shape::CLASSIC, symmetry);
            let mut counted = [0; 4];
            (0..units.len()).for_each(|unit| counted[units.size(unit as u16) - 1] += 1);
            assert_eq!(counted, sizes, "{symmetry:?}");
            let mut cells = units.cells.clone();
            cells.sort_unstable();
            assert!(cells.into_iter().eq(0..81), "{symmetry:?}");
        }
    }

    #[test]
    fn the_blanks_of_a_pattern_are_one_unit() {
        let pattern: Vec<bool> = (0..16).map(|cell| cell % 3 == 0).collect();
        let units = Units::blanks(&pattern);
        assert_eq!((units.len(), units.size(0), units.are_single()), (1, 10, false));
        assert_eq!(Units::blanks(&[true; 16]).len(), 0);
    }
}
