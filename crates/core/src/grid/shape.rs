//! The shape of a grid: how many rows and columns its boxes have.

use std::fmt;
use std::str::FromStr;

/// The shape of a Sudoku: boxes of `box_rows` x `box_columns` cells, so a grid of side
/// `box_rows * box_columns` with as many digits.
///
/// ```
/// use gridmill_core::grid::Shape;
///
/// assert_eq!(Shape::CLASSIC.side(), 9);
/// let six: Shape = "2x3".parse().unwrap();
/// assert_eq!((six.side(), six.cells()), (6, 36));
/// assert!(Shape::new(1, 9).is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    box_rows: u8,
    box_columns: u8,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape::CLASSIC
    }
}

impl Shape {
    /// The newspaper's Sudoku: a 9x9 grid of 3x3 boxes.
    pub const CLASSIC: Shape = Shape { box_rows: 3, box_columns: 3 };

    /// The largest side that a shape may have.
    pub const MAX_SIDE: usize = 25;

    /// Returns a shape with boxes of `box_rows` rows and `box_columns` columns: both at least 2, the side at
    /// most [`Shape::MAX_SIDE`]; `None` for anything else.
    #[must_use]
    pub const fn new(box_rows: usize, box_columns: usize) -> Option<Shape> {
        if box_rows < 2 || box_columns < 2 || box_rows > Self::MAX_SIDE || box_columns > Self::MAX_SIDE {
            return None;
        }
        if box_rows * box_columns > Self::MAX_SIDE {
            return None;
        }
        Some(Shape { box_rows: box_rows as u8, box_columns: box_columns as u8 })
    }

    /// Returns how many rows a box has.
    #[must_use]
    pub const fn box_rows(self) -> usize {
        self.box_rows as usize
    }

    /// Returns how many columns a box has.
    #[must_use]
    pub const fn box_columns(self) -> usize {
        self.box_columns as usize
    }

    /// Returns how many rows the grid has, and columns, and digits.
    #[must_use]
    pub const fn side(self) -> usize {
        self.box_rows() * self.box_columns()
    }

    /// Returns how many cells the grid has: the side squared.
    #[must_use]
    pub const fn cells(self) -> usize {
        self.side() * self.side()
    }
}

/// Boxes as rows x columns, `3x3` for the classic shape.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.box_rows, self.box_columns)
    }
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Shape, String> {
        let parsed = text
            .split_once(['x', 'X'])
            .and_then(|(rows, columns)| Shape::new(rows.parse().ok()?, columns.parse().ok()?));
        parsed.ok_or_else(|| {
            format!(
                "'{text}' is no shape: give the rows and columns of a box, as in 3x3 or 2x3, for a side from 4 to {}",
                Shape::MAX_SIDE
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_from_4_to_25() {
        let sides = (0..30).flat_map(|r| (0..30).filter_map(move |c| Shape::new(r, c))).map(Shape::side);
        let mut sides: Vec<_> = sides.collect();
        sides.sort_unstable();
        sides.dedup();
        assert_eq!(sides, [4, 6, 8, 9, 10, 12, 14, 15, 16, 18, 20, 21, 22, 24, 25]);
    }

    #[test]
    fn shapes_are_read_as_they_are_written() {
        for text in ["2x2", "2x3", "3x2", "4x4", "5x5", "2x12"] {
            assert_eq!(text.parse::<Shape>().unwrap().to_string(), text);
        }
        for text in ["", "9", "x", "1x9", "6x6", "3x", "-2x2", "3x3x3"] {
            assert!(text.parse::<Shape>().unwrap_err().contains("is no shape"), "{text}");
        }
    }
}
