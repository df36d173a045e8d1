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
        let (row, column, last) = (cell.row(shape), cell.column(shape), shape.side() - 1);
        let (row, column) = match self {
            Symmetry::Rotate180 => (last - row, last - column),
            Symmetry::Rotate90 => (column, last - row),
            Symmetry::Mirror => (row, last - column),
            Symmetry::Diagonal => (column, row),
        };
        Cell::new(row * shape.side() + column)
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
        let image = self.axis(shape, cells)?;
        Some((0..shape.cells()).map(|cell| image(cell) as u16).collect())
    }

    /// Returns the images of cells, by the axis that the clues have; `None` if they lie by neither.
    fn axis(self, shape: Shape, cells: &[u8]) -> Option<impl Fn(usize) -> usize> {
        let by_axis = move |is_other: bool| {
            move |cell: usize| {
                let image = self.image(Cell::new(cell), shape).index();
                // The other axis is the first one and half a turn.
                if is_other { shape.cells() - 1 - image } else { image }
            }
        };
        let has_other = matches!(self, Symmetry::Mirror | Symmetry::Diagonal);
        let mut axes = [false, true].into_iter().take(1 + usize::from(has_other)).map(by_axis);
        axes.find(|image| (0..shape.cells()).all(|cell| (cells[cell] == 0) == (cells[image(cell)] == 0)))
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
