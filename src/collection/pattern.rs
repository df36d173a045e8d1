//! How the clues of a puzzle lie.

use crate::grid::{CELLS, Puzzle};

/// What leaves the places of some clues as they are. A puzzle may have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternSymmetry {
    /// Half a turn.
    Rotate180,
    /// A quarter of a turn.
    Rotate90,
    /// Left and right change places, or top and bottom.
    Mirror,
    /// Both sides of one of the diagonals change places.
    Diagonal,
}

impl PatternSymmetry {
    /// All of them.
    pub const ALL: [PatternSymmetry; 4] = [
        PatternSymmetry::Rotate180,
        PatternSymmetry::Rotate90,
        PatternSymmetry::Mirror,
        PatternSymmetry::Diagonal,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            PatternSymmetry::Rotate180 => "rotate180",
            PatternSymmetry::Rotate90 => "rotate90",
            PatternSymmetry::Mirror => "mirror",
            PatternSymmetry::Diagonal => "diagonal",
        }
    }

    /// Do the clues of a puzzle have it?
    ///
    /// ```
    /// use gridmill::collection::PatternSymmetry;
    /// use gridmill::grid::Puzzle;
    ///
    /// let mut cells = [0; 81];
    /// (cells[0], cells[80]) = (1, 2);
    /// let puzzle = Puzzle::from_cells(cells).unwrap();
    /// let has = PatternSymmetry::ALL.map(|symmetry| symmetry.is_of(&puzzle));
    /// assert_eq!(has, [true, false, false, true]);
    /// ```
    #[must_use]
    pub fn is_of(self, puzzle: &Puzzle) -> bool {
        let keeps = |image: fn(usize, usize) -> (usize, usize)| {
            (0..CELLS).all(|cell| {
                let (row, column) = image(cell / 9, cell % 9);
                (puzzle.cells()[cell] == 0) == (puzzle.cells()[9 * row + column] == 0)
            })
        };
        match self {
            PatternSymmetry::Rotate180 => keeps(|row, column| (8 - row, 8 - column)),
            PatternSymmetry::Rotate90 => keeps(|row, column| (column, 8 - row)),
            PatternSymmetry::Mirror => {
                keeps(|row, column| (row, 8 - column)) || keeps(|row, column| (8 - row, column))
            }
            PatternSymmetry::Diagonal => {
                keeps(|row, column| (column, row)) || keeps(|row, column| (8 - column, 8 - row))
            }
        }
    }
}
