//! Which cells lose their clues together.

use std::ops::Range;

use crate::grid::Shape;

/// How the clues of a puzzle lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Symmetry {
    /// Anywhere.
    #[default]
    None,
    /// The same after half a turn.
    Rotate180,
    /// The same after a quarter of a turn.
    Rotate90,
    /// The same on the left and on the right.
    Mirror,
    /// The same above and below the diagonal from the top left.
    Diagonal,
}

impl Symmetry {
    /// The cell that has a clue where `(row, column)` has one.
    fn image(self, (row, column): (usize, usize), side: usize) -> (usize, usize) {
        let last = side - 1;
        match self {
            Symmetry::None => (row, column),
            Symmetry::Rotate180 => (last - row, last - column),
            Symmetry::Rotate90 => (column, last - row),
            Symmetry::Mirror => (row, last - column),
            Symmetry::Diagonal => (column, row),
        }
    }
}

/// The cells of a shape in units: the clues of a unit go together, or stay together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Units {
    cells: Vec<u16>,
    /// Where each unit begins in `cells`, and where the last one ends.
    starts: Vec<u16>,
}

impl Units {
    /// Each cell a unit.
    pub(super) fn cells(shape: Shape) -> Units {
        Units::symmetric(shape, Symmetry::None)
    }

    /// Units that keep a symmetry.
    pub(super) fn symmetric(shape: Shape, symmetry: Symmetry) -> Units {
        let side = shape.side();
        let mut seen = vec![false; shape.cells()];
        let mut units = Units { cells: Vec::new(), starts: vec![0] };
        for first in 0..shape.cells() {
            let mut cell = first;
            while !seen[cell] {
                seen[cell] = true;
                units.cells.push(cell as u16);
                let (row, column) = symmetry.image((cell / side, cell % side), side);
                cell = row * side + column;
            }
            units.close();
        }
        units
    }

    /// One unit: the cells that have no clue in a pattern.
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

    /// Is each cell a unit?
    pub(super) fn are_single(&self) -> bool {
        self.len() == self.cells.len()
    }

    fn range(&self, unit: u16) -> Range<usize> {
        let unit = usize::from(unit);
        self.starts[unit].into()..self.starts[unit + 1].into()
    }

    /// The cells of a unit.
    pub(super) fn of(&self, unit: u16) -> &[u16] {
        &self.cells[self.range(unit)]
    }

    /// How many cells a unit has.
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
            (Symmetry::None, [81, 0, 0, 0]),
            (Symmetry::Rotate180, [1, 40, 0, 0]),
            (Symmetry::Rotate90, [1, 0, 0, 20]),
            (Symmetry::Mirror, [9, 36, 0, 0]),
            (Symmetry::Diagonal, [9, 36, 0, 0]),
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
