//! Puzzles and solutions of the classic 9x9 grid and of any shape, and grids of candidates. All are arrays of
//! fixed size, so that a batch of them is one block of memory.

use std::fmt;
use std::str::FromStr;

use super::{BLANKS, CELLS, Cell, Digit, DigitSet, Shape};

/// Implements `Display` and `Debug` for types with a text of ASCII characters. `Debug` adds the name, e.g.
/// `Puzzle(53..7...)`. The text is one line: 81 characters with `.` for a blank, or 729 for candidates.
macro_rules! written_in_ascii {
    ($($type:ident)+) => {$(
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(str::from_utf8(&self.to_ascii()).map_err(|_| fmt::Error)?)
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($type), "({})"), self)
            }
        }
    )+};
}

written_in_ascii! { Puzzle Solution Pencilmarks }

/// The clues of a classic puzzle: 81 cells in reading order, each a digit or blank.
///
/// Its clues may contradict each other, and it may have any number of solutions. `str::parse` reads 81
/// characters: `1` to `9` for a clue, and any of `. 0 _ - * ? x X` for a blank. Use `gridmill-data` for
/// everything else, e.g. lists of numbers or lines with remarks.
///
/// ```
/// use gridmill_core::grid::Puzzle;
///
/// let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let puzzle: Puzzle = line.parse().unwrap();
/// assert_eq!(puzzle.clue_count(), 30);
/// assert_eq!(puzzle.cells()[..3], [5, 3, 0]);
/// assert_eq!(puzzle.to_string(), line);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Puzzle([u8; CELLS]);

impl Puzzle {
    /// The puzzle without clues.
    pub const EMPTY: Puzzle = Puzzle([0; CELLS]);

    /// Makes a puzzle of cells in reading order, 0 for a blank. `None` if a cell is above 9.
    #[must_use]
    #[inline]
    pub fn from_cells(cells: [u8; CELLS]) -> Option<Puzzle> {
        // There is no early exit, so that the compiler can turn the loop into vector code. The same holds in
        // `Solution::from_cells`.
        cells.iter().fold(true, |fine, &cell| fine & (cell <= 9)).then_some(Puzzle(cells))
    }

    /// Reads text that has only digits and dots, the plainest and most common form. Returns false if there is
    /// any other byte; the cells are meaningless then.
    #[inline]
    pub fn read_plain(&mut self, text: &[u8; CELLS]) -> bool {
        let mut foreign = false;
        // There is no branch, so that the compiler can turn the loop into vector code.
        for (cell, &byte) in self.0.iter_mut().zip(text) {
            let value = byte.wrapping_sub(b'0');
            let digit = value <= 9;
            *cell = if digit { value } else { 0 };
            foreign |= !digit & (byte != b'.');
        }
        !foreign
    }

    /// The cells in reading order: 1 to 9, or 0 for a blank.
    #[must_use]
    pub const fn cells(&self) -> &[u8; CELLS] {
        &self.0
    }

    /// Writes the cells as text, in reading order, `.` for a blank.
    #[must_use]
    pub fn to_ascii(&self) -> [u8; CELLS] {
        self.0.map(|cell| if cell == 0 { b'.' } else { b'0' + cell })
    }

    /// Counts the clues.
    #[must_use]
    pub fn clue_count(&self) -> usize {
        self.0.iter().filter(|&&cell| cell != 0).count()
    }
}

/// The reason why a text is not a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParsePuzzleError {
    /// A number of characters other than 81.
    #[error("{found} characters where 81 are needed")]
    Length {
        /// How many characters there are.
        found: usize,
    },
    /// A character that is neither digit nor blank.
    #[error("column {column}: '{character}' is neither digit nor blank")]
    Foreign {
        /// The character.
        character: char,
        /// Its column, from 1.
        column: usize,
    },
}

/// Reads 81 characters: `1` to `9` for a clue, and any of `. 0 _ - * ? x X` for a blank.
///
/// ```
/// use gridmill_core::Puzzle;
///
/// let error = "53..7.a..".repeat(9).parse::<Puzzle>().unwrap_err();
/// assert_eq!(error.to_string(), "column 7: 'a' is neither digit nor blank");
/// ```
impl FromStr for Puzzle {
    type Err = ParsePuzzleError;

    fn from_str(text: &str) -> Result<Puzzle, ParsePuzzleError> {
        let mut puzzle = Puzzle::EMPTY;
        let found = text.chars().count();
        if found != CELLS {
            return Err(ParsePuzzleError::Length { found });
        }
        for (index, (cell, character)) in puzzle.0.iter_mut().zip(text.chars()).enumerate() {
            *cell = match character {
                '1'..='9' => character as u8 - b'0',
                _ if character.is_ascii() && BLANKS.contains(&(character as u8)) => 0,
                _ => return Err(ParsePuzzleError::Foreign { character, column: index + 1 }),
            };
        }
        Ok(puzzle)
    }
}

/// A filled classic grid: 81 digits in reading order.
///
/// Every cell holds a digit, but the grid need not obey the rules. To check that, use [`Solution::solves`],
/// or the naive functions in [`crate::grid::rules`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Solution([u8; CELLS]);

impl Solution {
    /// Makes a grid of cells in reading order. `None` if a cell is not from 1 to 9.
    #[must_use]
    #[inline]
    pub fn from_cells(cells: [u8; CELLS]) -> Option<Solution> {
        let is_digit = |cell: u8| cell.wrapping_sub(1) < 9;
        cells.iter().fold(true, |fine, &cell| fine & is_digit(cell)).then_some(Solution(cells))
    }

    /// A grid that an engine is about to fill.
    pub(crate) const UNFILLED: Solution = Solution([0; CELLS]);

    #[inline(always)]
    pub(crate) fn digits_mut(&mut self) -> &mut [u8; CELLS] {
        &mut self.0
    }

    /// The digits in reading order.
    #[must_use]
    pub const fn cells(&self) -> &[u8; CELLS] {
        &self.0
    }

    /// Writes the digits as text, in reading order.
    #[must_use]
    pub fn to_ascii(&self) -> [u8; CELLS] {
        self.0.map(|digit| digit + b'0')
    }
}

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
    /// The cells of the shape, padded with zeros. They are inline and not in a `Vec`, so that a batch can
    /// reuse its memory for grids of other shapes.
    cells: [u8; MAX_CELLS],
}

const MAX_CELLS: usize = Shape::MAX_SIDE * Shape::MAX_SIDE;

impl Grid {
    /// Makes a puzzle of cells in reading order, 0 for a blank. `None` if their number is not that of the
    /// shape, or if a cell is above the side.
    #[must_use]
    pub fn new(shape: Shape, cells: Vec<u8>) -> Option<Grid> {
        Grid::from_cells(shape, &cells)
    }

    /// Makes a puzzle as [`Grid::new`] does, from borrowed cells.
    #[must_use]
    #[inline]
    pub fn from_cells(shape: Shape, cells: &[u8]) -> Option<Grid> {
        let mut grid = Grid::empty(shape);
        let copied = grid.cells.get_mut(..cells.len())?;
        copied.copy_from_slice(cells);
        // The copy is checked and not the argument, because a slice that comes from another language may
        // change meanwhile.
        let fits =
            copied.len() == shape.cells() && copied.iter().all(|&cell| usize::from(cell) <= shape.side());
        fits.then_some(grid)
    }

    /// The puzzle without clues.
    #[must_use]
    pub fn empty(shape: Shape) -> Grid {
        Grid { shape, cells: [0; MAX_CELLS] }
    }

    /// The shape of the puzzle.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// The cells in reading order: a digit from 1 to the side, or 0 for a blank.
    #[must_use]
    pub fn cells(&self) -> &[u8] {
        &self.cells[..self.shape.cells()]
    }

    pub(crate) fn cells_mut(&mut self) -> &mut [u8] {
        &mut self.cells[..self.shape.cells()]
    }

    /// Counts the clues.
    #[must_use]
    pub fn clue_count(&self) -> usize {
        self.cells().iter().filter(|&&cell| cell != 0).count()
    }

    /// Converts to a classic puzzle. `None` if the shape is not 3x3.
    #[must_use]
    pub fn to_classic(&self) -> Option<Puzzle> {
        let cells = self.cells().try_into().ok().filter(|_| self.shape == Shape::CLASSIC)?;
        Puzzle::from_cells(cells)
    }
}

impl From<Puzzle> for Grid {
    fn from(puzzle: Puzzle) -> Grid {
        Grid::from_cells(Shape::CLASSIC, puzzle.cells()).expect("a puzzle has the cells of its shape")
    }
}

/// Writes one line: `.` for a blank, and letters from `A` for the digits above 9, e.g. `G` for 16.
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

/// The character of a cell: `.` for a blank, and letters from `A` for the digits above 9.
pub(crate) fn symbol(cell: u8) -> char {
    char::from(match cell {
        0 => b'.',
        1..=9 => b'0' + cell,
        _ => b'A' + (cell - 10),
    })
}

const SIDE: usize = 9;

/// A classic grid with a set of candidates for each cell: pencilmarks, or a Sukaku puzzle.
///
/// It can express more than clues can, because any candidate may be missing. In a solution, every digit is a
/// candidate of its cell. A cell with one candidate is a clue. If a cell has no candidate, there is no
/// solution.
///
/// ```
/// use gridmill_core::grid::{Cell, Digit, DigitSet, Pencilmarks, Puzzle};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse().unwrap();
/// let mut candidates = *Pencilmarks::from(&puzzle).candidates();
/// assert_eq!((candidates[0].len(), candidates[2].len()), (1, 9));
///
/// candidates[2] = candidates[2].without(Digit::new(4).unwrap());
/// let marks = Pencilmarks::new(candidates);
/// assert_eq!(marks.at(Cell::new(2)).len(), 8);
/// assert_eq!(marks.clues(), &puzzle);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Pencilmarks {
    candidates: [DigitSet; CELLS],
    clues: Puzzle,
}

impl Pencilmarks {
    /// Makes a grid of candidates, cell by cell in reading order. Digits above 9 are ignored.
    #[must_use]
    pub fn new(candidates: [DigitSet; CELLS]) -> Pencilmarks {
        let candidates = candidates.map(|digits| digits.intersection(DigitSet::all(SIDE)));
        let clue = |digits: DigitSet| digits.lowest().filter(|_| digits.is_single()).map_or(0, Digit::get);
        let clues = Puzzle::from_cells(candidates.map(clue)).expect("digits up to 9");
        Pencilmarks { candidates, clues }
    }

    /// The candidates, cell by cell in reading order.
    #[must_use]
    pub const fn candidates(&self) -> &[DigitSet; CELLS] {
        &self.candidates
    }

    /// The candidates of one cell.
    #[must_use]
    pub fn at(&self, cell: Cell) -> DigitSet {
        self.candidates[cell.index()]
    }

    /// The cells with one candidate, as clues.
    #[must_use]
    pub const fn clues(&self) -> &Puzzle {
        &self.clues
    }

    /// Writes nine characters for each cell: each candidate in its own place, and `.` for the other digits.
    /// For example, a cell with the candidates 2 and 5 is `.2..5....`.
    #[must_use]
    pub fn to_ascii(&self) -> [u8; SIDE * CELLS] {
        let mut text = [b'.'; SIDE * CELLS];
        for (places, digits) in text.as_chunks_mut::<SIDE>().0.iter_mut().zip(&self.candidates) {
            // There is no branch, so that the compiler can turn the loop into vector code.
            for (place, mark) in places.iter_mut().enumerate() {
                *mark = if digits.mask() >> place & 1 != 0 { b'1' + place as u8 } else { b'.' };
            }
        }
        text
    }

    /// Checks whether a grid is a solution: every house holds every digit once, and every cell holds one of
    /// its candidates.
    #[must_use]
    pub fn are_solved_by(&self, solution: &Solution) -> bool {
        let mut cells = self.candidates.iter().zip(solution.cells());
        solution.solves(&self.clues)
            && cells.all(|(digits, &cell)| Digit::new(cell).is_some_and(|digit| digits.contains(digit)))
    }
}

/// A clue becomes a cell with one candidate; a blank gets all digits as candidates.
impl From<&Puzzle> for Pencilmarks {
    fn from(puzzle: &Puzzle) -> Pencilmarks {
        let candidates =
            |&clue: &u8| Digit::new(clue).map_or(DigitSet::all(SIDE), |digit| DigitSet::EMPTY.with(digit));
        Pencilmarks::new(puzzle.cells().each_ref().map(candidates))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    #[test]
    fn every_blank_is_read() {
        let puzzle: Puzzle = LINE.parse().unwrap();
        assert_eq!(puzzle.to_string(), LINE);
        for &blank in BLANKS {
            assert_eq!(LINE.replace('.', &char::from(blank).to_string()).parse(), Ok(puzzle));
        }
    }

    #[test]
    fn invalid_puzzles_are_rejected() {
        let foreign =
            |text: String| ParsePuzzleError::Foreign { character: text.chars().nth(2).unwrap(), column: 3 };
        for character in ["a", " ", "é", "\0"] {
            let text = LINE.replacen('.', character, 1);
            assert_eq!(text.parse::<Puzzle>(), Err(foreign(text)));
        }
        for (text, found) in [("12", 2), (&*format!("{LINE}1"), 82), ("", 0)] {
            assert_eq!(text.parse::<Puzzle>(), Err(ParsePuzzleError::Length { found }));
        }
    }

    #[test]
    fn grids_need_the_cells_and_digits_of_their_shape() {
        let six = Shape::new(2, 3).unwrap();
        assert_eq!(Grid::new(six, vec![0; 36]), Some(Grid::empty(six)));
        assert!(Grid::new(six, vec![6; 36]).is_some());
        assert!(Grid::new(six, vec![7; 36]).is_none());
        assert!(Grid::new(six, vec![0; 35]).is_none());
    }

    #[test]
    fn every_shape_is_written_as_a_line() {
        let puzzle: Puzzle = LINE.parse().unwrap();
        assert_eq!(Grid::from(puzzle).to_string(), puzzle.to_string());
        let mut cells = vec![0; 625];
        cells[..25].copy_from_slice(&std::array::from_fn::<u8, 25, _>(|cell| cell as u8 + 1));
        let large = Grid::new(Shape::new(5, 5).unwrap(), cells).unwrap();
        assert!(large.to_string().starts_with("123456789ABCDEFGHIJKLMNOP..."));
    }

    const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

    #[test]
    fn solutions_use_only_candidates() {
        let puzzle: Puzzle = LINE.parse().unwrap();
        let cells = *SOLVED.parse::<Puzzle>().unwrap().cells();
        let solution = Solution::from_cells(cells).unwrap();
        let marks = Pencilmarks::from(&puzzle);
        assert!(marks.are_solved_by(&solution));
        for cell in 0..CELLS {
            let digit = Digit::new(cells[cell]).unwrap();
            let mut less = *marks.candidates();
            less[cell] = less[cell].without(digit);
            assert!(!Pencilmarks::new(less).are_solved_by(&solution), "{cell}");
            let mut other = cells;
            other[cell] = digit.get() % 9 + 1;
            assert!(!marks.are_solved_by(&Solution::from_cells(other).unwrap()), "{cell}");
        }
    }

    #[test]
    fn pencilmarks_are_written_as_nine_places_a_cell() {
        let text = Pencilmarks::from(&LINE.parse().unwrap()).to_string();
        assert_eq!((text.len(), &text[..27]), (729, "....5......3......123456789"));
    }
}
