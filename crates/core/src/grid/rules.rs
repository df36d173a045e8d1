//! The rules of Sudoku, in plain code.
//!
//! Do not optimise anything here: every engine and every faster check is tested against these functions, so
//! they must be obviously right. Cells are in reading order, one byte each, 0 for a blank.

use super::{Cell, Digit, DigitSet, House, Shape};

/// Two equal digits in a house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The house that holds both.
    pub house: House,
    /// The digit that occurs twice.
    pub digit: Digit,
    /// The second of the two cells in the order of the house.
    pub cell: Cell,
}

/// Finds the first house that holds a digit twice, if any. Rows are checked first, then columns, then boxes.
///
/// ```
/// use gridmill_core::grid::{rules, House, Shape};
///
/// let mut cells = [0; 16];
/// (cells[0], cells[12]) = (3, 3);
/// let conflict = rules::find_conflict(Shape::new(2, 2).unwrap(), &cells).unwrap();
/// assert_eq!(conflict.house, House::Column(0));
/// ```
///
/// # Panics
///
/// If the number of `cells` is not that of the shape.
#[must_use]
pub fn find_conflict(shape: Shape, cells: &[u8]) -> Option<Conflict> {
    assert_eq!(cells.len(), shape.cells());
    House::all(shape).find_map(|house| {
        let mut seen = DigitSet::EMPTY;
        for cell in house.cells(shape) {
            let Some(digit) = Digit::new(cells[cell.index()]) else { continue };
            if seen.contains(digit) {
                return Some(Conflict { house, digit, cell });
            }
            seen = seen.with(digit);
        }
        None
    })
}

/// Checks whether every house holds every digit exactly once.
///
/// # Panics
///
/// If the number of `cells` is not that of the shape.
#[must_use]
pub fn is_valid_grid(shape: Shape, cells: &[u8]) -> bool {
    assert_eq!(cells.len(), shape.cells());
    House::all(shape).all(|house| {
        let digits = house.cells(shape).filter_map(|cell| Digit::new(cells[cell.index()]));
        digits.fold(DigitSet::EMPTY, DigitSet::with) == DigitSet::all(shape.side())
    })
}

/// Checks whether `grid` solves the puzzle: it is a valid grid and keeps every clue.
///
/// # Panics
///
/// If the number of `clues` or of cells of `grid` is not that of the shape.
#[must_use]
pub fn is_solution(shape: Shape, clues: &[u8], grid: &[u8]) -> bool {
    assert_eq!(clues.len(), shape.cells());
    is_valid_grid(shape, grid) && clues.iter().zip(grid).all(|(&clue, &digit)| clue == 0 || clue == digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUR: [u8; 16] = [1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1];

    fn shape() -> Shape {
        Shape::new(2, 2).unwrap()
    }

    #[test]
    fn a_valid_grid_solves_its_own_clues() {
        assert!(is_valid_grid(shape(), &FOUR));
        assert!(is_solution(shape(), &[0; 16], &FOUR));
        assert!(is_solution(shape(), &FOUR, &FOUR));
        let mut other = [0; 16];
        other[5] = 1;
        assert!(!is_solution(shape(), &other, &FOUR));
    }

    #[test]
    fn any_single_change_breaks_a_valid_grid() {
        for cell in 0..16 {
            for digit in (0..=5).filter(|&digit| digit != FOUR[cell]) {
                let mut grid = FOUR;
                grid[cell] = digit;
                assert!(!is_valid_grid(shape(), &grid), "{digit} at {cell}");
            }
        }
    }

    #[test]
    fn conflicts_are_named() {
        assert_eq!(find_conflict(shape(), &FOUR), None);
        for (a, b, house) in [(0, 3, House::Row(0)), (1, 13, House::Column(1)), (10, 15, House::Box(3))] {
            let mut cells = [0; 16];
            (cells[a], cells[b]) = (4, 4);
            let conflict = find_conflict(shape(), &cells).unwrap();
            assert_eq!((conflict.house, conflict.digit.get(), conflict.cell), (house, 4, Cell::new(b)));
        }
    }
}
