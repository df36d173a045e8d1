//! Transforms of puzzles as rows, columns and digits, and their notation.

use std::fmt;
use std::str::FromStr;

use crate::grid::{CELLS, Grid, Isomorphism, Puzzle, Shape};

/// One of the 1,218,998,108,160 isomorphisms of classic puzzles, or one of those of smaller puzzles: perhaps a
/// transposition, then an order of the rows and of the columns, then names for the digits.
///
/// The notation has four parts with `/` between them, `T/645312789/123564897/912345678`:
///
/// 1. `T` if rows and columns change places first, `-` if not;
/// 2. for each row, from the top, which one of the rows comes there, counted from 1;
/// 3. for each column, from the left, which one of the columns comes there;
/// 4. for each digit from 1 to 9 its new name.
///
/// That of a smaller puzzle has fewer rows, columns and digits; only those of classic puzzles are read.
///
/// ```
/// use gridmill_core::minlex::Transform;
/// use gridmill_core::grid::Puzzle;
///
/// let transform: Transform = "T/213456789/123456789/912345678".parse().unwrap();
/// let mut cells = [0; 81];
/// cells[1] = 5; // The first row's second column is the second row's first one, and then the first row's.
/// let changed = transform.apply(&Puzzle::from_cells(cells).unwrap());
/// assert_eq!(changed.cells()[0], 4);
/// assert_eq!(transform.to_string(), "T/213456789/123456789/912345678");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transform {
    pub(super) shape: Shape,
    pub(super) transposed: bool,
    /// For each row, from 0, the one that comes there. Rows of a band stay together.
    pub(super) rows: [u8; 9],
    /// For each column, from 0, the one that comes there. Columns of a stack stay together.
    pub(super) columns: [u8; 9],
    /// For each digit its new name, and 0 for 0.
    pub(super) digits: [u8; 10],
}

impl Transform {
    /// Returns the transform that changes nothing. The shape has a side of up to 9.
    pub(super) fn identity(shape: Shape) -> Transform {
        let lines = [0, 1, 2, 3, 4, 5, 6, 7, 8];
        let digits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
        Transform { shape, transposed: false, rows: lines, columns: lines, digits }
    }

    /// Gives the digits whose name is `none` the names that are left after so many, in order.
    pub(super) fn name_others(&mut self, none: u8, named: u8) {
        let digits = &mut self.digits[1..=self.shape.side()];
        digits.iter_mut().filter(|name| **name == none).zip(named + 1..).for_each(|(name, new)| *name = new);
    }

    /// Returns the shape of the puzzles that it is for.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the transformed classic puzzle.
    ///
    /// # Panics
    ///
    /// Where the transform is for another shape.
    #[must_use]
    pub fn apply(&self, puzzle: &Puzzle) -> Puzzle {
        assert_eq!(self.shape, Shape::CLASSIC, "a transform is for one shape");
        let cells = std::array::from_fn::<_, CELLS, _>(|to| {
            self.digits[usize::from(puzzle.cells()[self.source(to / 9, to % 9)])]
        });
        Puzzle::from_cells(cells).expect("digits are renamed to digits")
    }

    /// Returns the transformed puzzle.
    ///
    /// # Panics
    ///
    /// Where the transform is for another shape.
    #[must_use]
    pub fn apply_to_grid(&self, grid: &Grid) -> Grid {
        self.isomorphism().apply(grid)
    }

    /// Returns the transform as an isomorphism.
    #[must_use]
    pub fn isomorphism(&self) -> Isomorphism {
        let digits = self.digits[..=self.shape.side()].to_vec();
        Isomorphism::new(self.shape, |row, column| self.source(row, column), digits)
    }

    /// Returns the new name of a digit.
    pub(crate) fn renamed(&self, digit: u8) -> u8 {
        self.digits[usize::from(digit)]
    }

    /// Returns the cell whose content comes to that place.
    pub(crate) fn source(&self, row: usize, column: usize) -> usize {
        let (row, column) = (usize::from(self.rows[row]), usize::from(self.columns[column]));
        let side = self.shape.side();
        if self.transposed { side * column + row } else { side * row + column }
    }
}

impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = self.shape.side();
        let text = |from: u8, numbers: &[u8]| -> String {
            numbers[..side].iter().map(|&number| char::from(from + number)).collect()
        };
        let (lines, digits) = (|lines| text(b'1', lines), text(b'0', &self.digits[1..]));
        let transposed = if self.transposed { 'T' } else { '-' };
        write!(f, "{transposed}/{}/{}/{digits}", lines(&self.rows), lines(&self.columns))
    }
}

/// The error of a text that is no [`Transform`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a symmetry is written as T or -, rows, columns and digits: -/123456789/123456789/123456789")]
pub struct ParseTransformError;

impl FromStr for Transform {
    type Err = ParseTransformError;

    fn from_str(text: &str) -> Result<Transform, ParseTransformError> {
        let parts: Vec<&str> = text.split('/').collect();
        let &[transposed @ ("T" | "-"), rows, columns, digits] = &parts[..] else {
            return Err(ParseTransformError);
        };
        let mut names = [0; 10];
        names[1..].copy_from_slice(&permutation(digits)?.map(|digit| digit + 1));
        Ok(Transform {
            shape: Shape::CLASSIC,
            transposed: transposed == "T",
            rows: lines(rows)?,
            columns: lines(columns)?,
            digits: names,
        })
    }
}

/// Returns the digits from 1 to 9 in some order, from 0.
fn permutation(text: &str) -> Result<[u8; 9], ParseTransformError> {
    let digits: [u8; 9] = text.as_bytes().try_into().map_err(|_| ParseTransformError)?;
    match (b'1'..=b'9').all(|digit| digits.contains(&digit)) {
        true => Ok(digits.map(|digit| digit - b'1')),
        false => Err(ParseTransformError),
    }
}

/// Returns an order of lines that keeps those of a band (or stack) together.
fn lines(text: &str) -> Result<[u8; 9], ParseTransformError> {
    let lines = permutation(text)?;
    let together = lines.chunks(3).all(|band| band.iter().all(|&line| line / 3 == band[0] / 3));
    if together { Ok(lines) } else { Err(ParseTransformError) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notation_is_read_strictly() {
        let good = "-/789123546/132465978/987654321";
        assert_eq!(good.parse::<Transform>().unwrap().to_string(), good);
        for bad in [
            "",
            "t/123456789/123456789/123456789",
            "-/123456789/123456789",
            "-/123456789/123456789/123456789/",
            "-/124356789/123456789/123456789",
            "-/123456789/124356789/123456789",
            "-/123456788/123456789/123456789",
            "-/123456789/123456789/023456789",
            "-/123456789/123456789/12345678",
        ] {
            assert_eq!(bad.parse::<Transform>(), Err(ParseTransformError), "{bad}");
        }
    }

    #[test]
    fn a_transform_and_its_isomorphism_agree() {
        let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
        let puzzle: Puzzle = line.parse().unwrap();
        for notation in ["T/789123546/132465978/987654321", "-/789123546/132465978/897654321"] {
            let transform: Transform = notation.parse().unwrap();
            let isomorph = transform.apply(&puzzle);
            assert_ne!(isomorph, puzzle);
            assert_eq!(transform.isomorphism().apply_classic(&puzzle), isomorph);
        }
    }
}
