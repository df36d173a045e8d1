//! Puzzles of any shape.

use std::fmt;

use super::{CELLS, Puzzle, Shape};

/// A puzzle of any shape: its clues, cell by cell in reading order.
///
/// As with [`Puzzle`], its clues may contradict each other, and it may have any number of solutions.
///
/// ```
/// use gridmill_core::grid::{Grid, Shape};
///
/// let shape = Shape::new(2, 2).unwrap();
/// let grid = Grid::new(shape, vec![1, 0, 0, 0, 0, 0, 3, 0, 0, 4, 0, 0, 0, 0, 0, 2]).unwrap();
/// assert_eq!(grid.to_string(), "1.....3..4.....2");
/// assert_eq!(grid.clue_count(), 4);
/// assert_eq!(grid.to_classic(), None);
/// assert!(Grid::new(shape, vec![5; 16]).is_none());
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Grid {
    shape: Shape,
    /// The cells of the shape, and zeros behind them: in place, so that batches use their memory again.
    cells: [u8; MAX_CELLS],
}

const MAX_CELLS: usize = Shape::MAX_SIDE * Shape::MAX_SIDE;

impl Grid {
    /// Returns a puzzle of cells in reading order, 0 for a blank; `None` if there are not as many as the shape
    /// has, or one is above the side.
    #[must_use]
    pub fn new(shape: Shape, cells: Vec<u8>) -> Option<Grid> {
        Grid::of(shape, &cells)
    }

    /// Returns a puzzle as [`Grid::new`] does, and copies the cells.
    #[must_use]
    #[inline]
    pub fn of(shape: Shape, cells: &[u8]) -> Option<Grid> {
        let mut grid = Grid::empty(shape);
        let copied = grid.cells.get_mut(..cells.len())?;
        copied.copy_from_slice(cells);
        // The copy is checked: cells of other languages may change meanwhile.
        let fits =
            copied.len() == shape.cells() && copied.iter().all(|&cell| usize::from(cell) <= shape.side());
        fits.then_some(grid)
    }

    /// Returns the puzzle without a clue.
    #[must_use]
    pub fn empty(shape: Shape) -> Grid {
        Grid { shape, cells: [0; MAX_CELLS] }
    }

    /// Returns the shape.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the cells in reading order: a digit from 1 to the side, or 0 for a blank.
    #[must_use]
    pub fn cells(&self) -> &[u8] {
        &self.cells[..self.shape.cells()]
    }

    pub(crate) fn cells_mut(&mut self) -> &mut [u8] {
        &mut self.cells[..self.shape.cells()]
    }

    /// Returns how many clues there are.
    #[must_use]
    pub fn clue_count(&self) -> usize {
        self.cells().iter().filter(|&&cell| cell != 0).count()
    }

    /// Returns the classic puzzle with these clues; `None` for other shapes.
    #[must_use]
    pub fn to_classic(&self) -> Option<Puzzle> {
        let cells = self.cells().try_into().ok().filter(|_| self.shape == Shape::CLASSIC)?;
        Puzzle::from_cells(cells)
    }

    /// Replaces the grid by a classic puzzle.
    pub(crate) fn set(&mut self, puzzle: &Puzzle) {
        self.shape = Shape::CLASSIC;
        self.cells.fill(0);
        self.cells[..CELLS].copy_from_slice(puzzle.cells());
    }
}

impl From<Puzzle> for Grid {
    fn from(puzzle: Puzzle) -> Grid {
        let mut grid = Grid::empty(Shape::CLASSIC);
        grid.set(&puzzle);
        grid
    }
}

/// One line, `.` for a blank, letters from `A` for the digits above 9.
impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line: String = self.cells().iter().map(|&cell| symbol(cell)).collect();
        f.pad(&line)
    }
}

impl fmt::Debug for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grid({} {self})", self.shape)
    }
}

fn symbol(cell: u8) -> char {
    char::from(match cell {
        0 => b'.',
        1..=9 => b'0' + cell,
        _ => b'A' + (cell - 10),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_cells_as_the_shape_has_and_digits_up_to_the_side() {
        let six = Shape::new(2, 3).unwrap();
        assert_eq!(Grid::new(six, vec![0; 36]), Some(Grid::empty(six)));
        assert!(Grid::new(six, vec![6; 36]).is_some());
        assert!(Grid::new(six, vec![7; 36]).is_none());
        assert!(Grid::new(six, vec![0; 35]).is_none());
    }

    #[test]
    fn a_line_for_every_shape() {
        let puzzle: Puzzle =
            "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
                .parse()
                .unwrap();
        let mut grid = Grid::from(puzzle);
        assert_eq!(grid.to_string(), puzzle.to_string());
        let mut cells = vec![0; 625];
        cells[..25].copy_from_slice(&std::array::from_fn::<u8, 25, _>(|cell| cell as u8 + 1));
        let large = Grid::new(Shape::new(5, 5).unwrap(), cells).unwrap();
        assert!(large.to_string().starts_with("123456789ABCDEFGHIJKLMNOP..."));
        grid.clone_from(&large);
        grid.set(&puzzle);
        assert_eq!(grid, puzzle.into());
    }
}
