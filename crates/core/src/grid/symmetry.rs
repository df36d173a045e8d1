//! Symmetries of the cells that have clues.

use super::{Cell, Shape};

/// A symmetry of the cells that have clues, whatever the digits. A puzzle may have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Symmetry {
    /// Rotation by half a turn.
    Rotate180,
    /// Rotation by a quarter of a turn.
    Rotate90,
    /// Reflection of left and right; of an existing puzzle, top and bottom count too.
    Mirror,
    /// Reflection at the diagonal from the top left; of an existing puzzle, the other one counts too.
    Diagonal,
}

impl Symmetry {
    /// Every symmetry.
    pub const ALL: [Symmetry; 4] =
        [Symmetry::Rotate180, Symmetry::Rotate90, Symmetry::Mirror, Symmetry::Diagonal];

    /// Returns the name as it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Symmetry::Rotate180 => "rotate180",
            Symmetry::Rotate90 => "rotate90",
            Symmetry::Mirror => "mirror",
            Symmetry::Diagonal => "diagonal",
        }
    }

    /// Returns the image of a cell; it has a clue if and only if the cell has one. [`Symmetry::Mirror`]
    /// reflects left and right, [`Symmetry::Diagonal`] at the diagonal from the top left.
    ///
    /// ```
    /// use gridmill_core::grid::{Cell, Shape, Symmetry};
    ///
    /// assert_eq!(Symmetry::Rotate180.image(Cell::new(1), Shape::CLASSIC), Cell::new(79));
    /// ```
    #[must_use]
    pub const fn image(self, cell: Cell, shape: Shape) -> Cell {
        let (row, column) = self.image_at(cell.row(shape), cell.column(shape), shape.side() - 1);
        Cell::new(row * shape.side() + column)
    }

    /// Returns row and column of the image of a cell.
    #[inline(always)]
    const fn image_at(self, row: usize, column: usize, last: usize) -> (usize, usize) {
        match self {
            Symmetry::Rotate180 => (last - row, last - column),
            Symmetry::Rotate90 => (column, last - row),
            Symmetry::Mirror => (row, last - column),
            Symmetry::Diagonal => (column, row),
        }
    }

    /// Returns whether the clues among cells in reading order have the symmetry, about whichever axis.
    ///
    /// ```
    /// use gridmill_core::grid::{Shape, Symmetry};
    ///
    /// let mut cells = [0; 81];
    /// (cells[0], cells[80]) = (1, 2);
    /// let has = Symmetry::ALL.map(|symmetry| symmetry.is_of_cells(Shape::CLASSIC, &cells));
    /// assert_eq!(has, [true, false, false, true]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where there are fewer cells than the shape has.
    #[must_use]
    pub fn is_of_cells(self, shape: Shape, cells: &[u8]) -> bool {
        self.axis(shape, cells).is_some()
    }

    /// Returns the image of each cell, by the axis that the clues have; `None` if they lie by neither.
    pub(crate) fn images(self, shape: Shape, cells: &[u8]) -> Option<Vec<u16>> {
        let is_other = self.axis(shape, cells)?;
        let image = |cell| self.image(Cell::new(cell), shape).index();
        let by_axis = |cell| if is_other { shape.cells() - 1 - image(cell) } else { image(cell) };
        Some((0..shape.cells()).map(|cell| by_axis(cell) as u16).collect())
    }

    /// Returns whether it is the other axis that the clues have; `None` if they lie by neither.
    fn axis(self, shape: Shape, cells: &[u8]) -> Option<bool> {
        let (side, last) = (shape.side(), shape.side() - 1);
        let keeps = |is_other: bool| {
            for (row, clues) in cells[..side * side].chunks_exact(side).enumerate() {
                for (column, &clue) in clues.iter().enumerate() {
                    let (row, column) = self.image_at(row, column, last);
                    let image = row * side + column;
                    // The other axis is the first one and half a turn.
                    let image = if is_other { side * side - 1 - image } else { image };
                    if (clue == 0) != (cells[image] == 0) {
                        return false;
                    }
                }
            }
            true
        };
        let has_other = matches!(self, Symmetry::Mirror | Symmetry::Diagonal);
        keeps(false).then_some(false).or_else(|| (has_other && keeps(true)).then_some(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symmetries(clues: &[usize]) -> Vec<&'static str> {
        let mut cells = [0; 81];
        clues.iter().for_each(|&cell| cells[cell] = 1);
        let has = |symmetry: &Symmetry| symmetry.is_of_cells(Shape::CLASSIC, &cells);
        Symmetry::ALL.into_iter().filter(has).map(Symmetry::name).collect()
    }

    #[test]
    fn either_axis_makes_a_puzzle_symmetric() {
        assert_eq!(symmetries(&[2, 6]), ["mirror"]);
        assert_eq!(symmetries(&[9, 63]), ["mirror"]);
        assert_eq!(symmetries(&[1, 9]), ["diagonal"]);
        assert_eq!(symmetries(&[7, 17]), ["diagonal"]);
        assert_eq!(symmetries(&[1, 79]), ["rotate180"]);
        assert_eq!(symmetries(&[1, 17, 63, 79]), ["rotate180", "rotate90"]);
        assert_eq!(symmetries(&[0, 8, 72, 80]), ["rotate180", "rotate90", "mirror", "diagonal"]);
        assert_eq!(symmetries(&[0, 1]), Vec::<&str>::new());
    }
}
