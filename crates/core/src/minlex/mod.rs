//! The minlex form: the lexicographic minimum of a puzzle's isomorphs.
//!
//! For classic puzzles there are two algorithms. Both go from the first row to the last one and keep every choice of rows and columns that leads
//! to the least rows so far; digits are named as they appear. They differ in how many such choices there are.
//!
//! - `puzzle`: for puzzles with a blank. A row settles only the columns in which it has a clue, so few
//!   choices tie: 18 rows are tried as the first one, and some fifty rows more.
//! - `full`: for full grids, where each of 18 rows with any order of its columns becomes 123456789. The
//!   second row is worked out from how two rows of a band mix each other's digits.
//!
//! Smaller puzzles have so few isomorphs that `small` tries them all, row by row.

mod full;
mod puzzle;
mod small;
#[cfg(test)]
mod small_tests;
#[cfg(test)]
mod tests;
mod transform;

pub use transform::{ParseTransformError, Transform};

use crate::grid::{CELLS, Grid, Puzzle, Shape, rules};
use crate::solver::Clues;

/// Nine lines of nine cells: the rows of a puzzle, or its columns.
type Matrix = [[u8; 9]; 9];

/// Every order of three things.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// A puzzle in its minlex form: a classic one, or a [`Grid`] of any shape that has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Canonical<P = Puzzle> {
    /// The minlex form.
    pub form: P,
    /// A transform from the puzzle to its minlex form.
    pub transform: Transform,
    /// How many of the ways to move the cells, 3,359,232 for classic puzzles, keep the puzzle as it is but for the names
    /// of its digits. 1 for almost every proper puzzle, and all of them for the empty one.
    pub automorphisms: u32,
}

/// A minlex form in place: the cells of its shape, and zeros behind them.
pub type CanonicalCells = Canonical<[u8; CELLS]>;

impl CanonicalCells {
    /// Returns the cells of the form.
    #[must_use]
    pub fn cells(&self) -> &[u8] {
        &self.form[..self.transform.shape().cells()]
    }
}

impl<P> Canonical<P> {
    /// Returns the same with the form as another type has it.
    fn with_form<Q>(&self, form: Q) -> Canonical<Q> {
        Canonical { form, transform: self.transform, automorphisms: self.automorphisms }
    }
}

/// Finds minlex forms. One value serves one thread; it keeps its memory from puzzle to puzzle.
///
/// Two classic puzzles are isomorphs if transposing, permuting the bands, the stacks, the rows of a band and
/// the columns of a stack, and renaming digits make one of the other: 3,359,232 ways to move the cells, each
/// with the names of the digits. The minlex form of a puzzle is the least of its isomorphs, read cell by cell
/// in reading order with a blank below all digits. So two puzzles are isomorphs if and only if their forms
/// are equal. Its digits are numbered as they first appear. Nothing is solved: puzzles with no, one or many
/// solutions have a form alike.
///
/// The form has long been in use among collectors of puzzles and of grids; Glenn Fowler's and Mladen
/// Dobrichev's programs are known for it. The search is our own. Of full grids all programs give the same form;
/// of puzzles they may not, as some compare the places of all clues before they compare a digit.
///
/// Puzzles of 4x4, 6x6 and 8x8 cells have a minlex form too, by the same definition; only those with square boxes
/// are transposed, so there are 128 ways to move the cells of 4x4, 3,456 for 6x6 and 442,368 for 8x8.
///
/// Cost: a few microseconds for a full grid or a proper puzzle, and a few milliseconds for the puzzles with the
/// most symmetries. What memory such a puzzle takes is kept for the next one.
///
/// ```
/// use gridmill_core::minlex::Minlex;
/// use gridmill_core::grid::Puzzle;
///
/// let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let puzzle: Puzzle = line.parse().unwrap();
/// let mut minlex = Minlex::new();
/// let canonical = minlex.of(&puzzle).unwrap();
/// assert_eq!(canonical.transform.apply(&puzzle), canonical.form);
/// assert_eq!(minlex.of(&canonical.form).unwrap().form, canonical.form);
/// ```
#[derive(Debug, Default)]
pub struct Minlex {
    grids: full::FullSearch,
    puzzles: puzzle::PuzzleSearch,
    small: small::SmallSearch,
}

impl Minlex {
    /// Returns a finder without memory yet.
    #[must_use]
    pub fn new() -> Minlex {
        Minlex::default()
    }

    /// Returns the minlex form of a puzzle; `None` if two of its clues contradict each other.
    #[must_use]
    pub fn of(&mut self, puzzle: &Puzzle) -> Option<Canonical> {
        let sides = sides(puzzle.cells());
        let full = !puzzle.cells().contains(&0);
        if !obeys_the_rules(&sides) {
            return None;
        }
        Some(if full { self.grids.minlex(&sides) } else { self.puzzles.minlex(&sides) })
    }

    /// Returns whether [`Minlex::of_clues`] finds the forms of puzzles of that shape: those of up to 9x9 cells.
    #[must_use]
    pub fn serves(shape: Shape) -> bool {
        shape == Shape::CLASSIC || small::SmallSearch::serves(shape)
    }

    /// Returns the minlex form of a puzzle of any shape that [`Minlex::serves`]; `None` if it is of another
    /// shape, or two of its clues contradict each other.
    ///
    /// ```
    /// use gridmill_core::minlex::Minlex;
    /// use gridmill_core::grid::{Grid, Shape};
    ///
    /// let shape = Shape::new(2, 2).unwrap();
    /// let grid = Grid::new(shape, vec![0, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0]).unwrap();
    /// let canonical = Minlex::new().of_clues((&grid).into()).unwrap();
    /// assert_eq!(canonical.form.to_string(), ".......1.....2..");
    /// assert_eq!(canonical.transform.apply_to_grid(&grid), canonical.form);
    /// ```
    #[must_use]
    pub fn of_clues(&mut self, clues: Clues<'_>) -> Option<Canonical<Grid>> {
        let found = self.cells_of(clues)?;
        Some(found.with_form(Grid::of(clues.shape, found.cells())?))
    }

    /// Returns the minlex form as [`Minlex::of_clues`] does, without a grid of any size around it, which took 5 % of
    /// the time of a classic puzzle.
    pub fn cells_of(&mut self, Clues { shape, cells }: Clues<'_>) -> Option<CanonicalCells> {
        if shape == Shape::CLASSIC {
            let canonical = self.of(&Puzzle::from_cells(cells.try_into().ok()?)?)?;
            return Some(canonical.with_form(*canonical.form.cells()));
        }
        if !small::SmallSearch::serves(shape) || rules::find_conflict(shape, cells).is_some() {
            return None;
        }
        Some(self.small.minlex(shape, cells))
    }
}

/// Returns the rows and the columns.
fn sides(cells: &[u8; CELLS]) -> [Matrix; 2] {
    let rows = std::array::from_fn(|row| std::array::from_fn(|column| cells[9 * row + column]));
    let columns = std::array::from_fn(|column| std::array::from_fn(|row| cells[9 * row + column]));
    [rows, columns]
}

/// Returns whether no digit is twice in a house.
fn obeys_the_rules(sides: &[Matrix; 2]) -> bool {
    let [rows, columns] = sides;
    let mut boxes = [[0; 9]; 9];
    for (number, house) in boxes.iter_mut().enumerate() {
        let (row, column) = (number / 3 * 3, number % 3 * 3);
        for (place, cell) in house.iter_mut().enumerate() {
            *cell = rows[row + place / 3][column + place % 3];
        }
    }
    rows.iter().chain(columns).chain(&boxes).all(|house| {
        let (mut seen, mut twice) = (0_u16, 0);
        for &cell in house {
            twice |= seen & (1 << cell);
            seen |= 1 << cell;
        }
        // A blank, bit 0, may occur twice.
        twice < 2
    })
}

/// Appends a cell to a row that is kept as a number, four bits a cell: rows compare as numbers.
#[inline(always)]
fn push(row: u64, cell: u8) -> u64 {
    row << 4 | u64::from(cell)
}

/// Returns the puzzle of nine such rows.
fn unpack(rows: &[u64; 9]) -> Puzzle {
    let cells = std::array::from_fn(|cell| (rows[cell / 9] >> (4 * (8 - cell % 9)) & 15) as u8);
    Puzzle::from_cells(cells).expect("digits are renamed to digits")
}
