//! Symmetries of the cells that have clues.

use super::{CELLS, Cell, Puzzle, Shape};

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

    /// Returns whether the clues of a puzzle have the symmetry, about whichever axis.
    ///
    /// ```
    /// use gridmill_core::grid::{Puzzle, Symmetry};
    ///
    /// let mut cells = [0; 81];
    /// (cells[0], cells[80]) = (1, 2);
    /// let puzzle = Puzzle::from_cells(cells).unwrap();
    /// let has = Symmetry::ALL.map(|symmetry| symmetry.is_of(&puzzle));
    /// assert_eq!(has, [true, false, false, true]);
    /// ```
    #[must_use]
    pub fn is_of(self, puzzle: &Puzzle) -> bool {
        let images = &IMAGES[self as usize];
        match self {
            Symmetry::Rotate180 | Symmetry::Rotate90 => keeps_clues(puzzle, |cell| images[cell]),
            // The other axis is the first one and half a turn.
            Symmetry::Mirror | Symmetry::Diagonal => {
                keeps_clues(puzzle, |cell| images[cell])
                    || keeps_clues(puzzle, |cell| CELLS as u8 - 1 - images[cell])
            }
        }
    }
}

impl Symmetry {
    /// Returns whether the clues among cells in reading order have the symmetry, about whichever axis.
    ///
    /// # Panics
    ///
    /// Where there are fewer cells than the shape has.
    #[must_use]
    pub fn is_of_cells(self, shape: Shape, cells: &[u8]) -> bool {
        if let (Shape::CLASSIC, Some(puzzle)) = (shape, cells.try_into().ok().and_then(Puzzle::from_cells)) {
            return self.is_of(&puzzle);
        }
        self.images(shape, cells).is_some()
    }

    /// Returns the image of each cell, by the axis that the clues have; `None` if they lie by neither.
    pub(crate) fn images(self, shape: Shape, cells: &[u8]) -> Option<Vec<u16>> {
        let last = shape.cells() - 1;
        let image = |cell: usize| self.image(Cell::new(cell), shape).index();
        let images: Vec<u16> = (0..=last).map(|cell| image(cell) as u16).collect();
        let keeps = |images: &Vec<u16>| {
            (0..=last).all(|cell| (cells[cell] == 0) == (cells[usize::from(images[cell])] == 0))
        };
        // The other axis is the first one and half a turn.
        let has_other_axis = matches!(self, Symmetry::Mirror | Symmetry::Diagonal);
        let other = || images.iter().map(|&image| last as u16 - image).collect();
        let other = has_other_axis.then(other).filter(keeps);
        Some(images).filter(keeps).or(other)
    }
}

/// For each symmetry and cell of a classic grid, the image of the cell.
static IMAGES: [[u8; CELLS]; 4] = {
    let mut images = [[0; CELLS]; 4];
    let mut cell = 0;
    while cell < CELLS {
        let mut number = 0;
        while number < 4 {
            let image = Symmetry::ALL[number].image(Cell::new(cell), Shape::CLASSIC);
            images[number][cell] = image.index() as u8;
            number += 1;
        }
        cell += 1;
    }
    images
};

/// Returns whether every cell has a clue if and only if its image has one.
fn keeps_clues(puzzle: &Puzzle, image: impl Fn(usize) -> u8) -> bool {
    let cells = puzzle.cells();
    (0..CELLS).all(|cell| (cells[cell] == 0) == (cells[usize::from(image(cell))] == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symmetries(clues: &[usize]) -> Vec<&'static str> {
        let mut cells = [0; 81];
        clues.iter().for_each(|&cell| cells[cell] = 1);
        let puzzle = Puzzle::from_cells(cells).unwrap();
        Symmetry::ALL.into_iter().filter(|symmetry| symmetry.is_of(&puzzle)).map(Symmetry::name).collect()
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
