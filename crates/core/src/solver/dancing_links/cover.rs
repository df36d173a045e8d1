//! The exact-cover matrix of a puzzle in full, for other programs.

use super::columns;
use crate::grid::{Cell, Digit, DigitSet, Grid, Shape};

/// The exact-cover matrix of a puzzle: its solutions are the choices of rows that have exactly one node in each column.
///
/// A clue is a cell with one row, its own. A blank has a row for each digit that no clue of its houses has. A reduced
/// matrix leaves out what the clues settle: their rows, and the columns in which these have nodes. Its solutions are
/// the digits of the blanks.
///
/// ```
/// use gridmill_core::grid::Grid;
/// use gridmill_core::solver::dancing_links::ExactCover;
///
/// let blank = Grid::empty("2x2".parse().unwrap());
/// let matrix = ExactCover::of(&blank);
/// assert_eq!((matrix.rows().len(), matrix.columns().len()), (64, 64));
/// let names = matrix.rows()[6].columns.map(|column| matrix.name(column));
/// assert_eq!(names, ["R1C2", "R1#3", "C2#3", "B1#3"]);
/// ```
#[derive(Clone, Debug)]
pub struct ExactCover {
    shape: Shape,
    rows: Vec<CoverRow>,
    columns: Vec<usize>,
}

/// A row of the matrix: this cell holds this digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoverRow {
    /// The cell.
    pub cell: Cell,
    /// The digit.
    pub digit: Digit,
    /// Its four columns, from 0, as [`columns`] gives them.
    pub columns: [usize; 4],
}

impl ExactCover {
    /// Returns the matrix of a puzzle.
    #[must_use]
    pub fn of(puzzle: &Grid) -> ExactCover {
        let shape = puzzle.shape();
        let row = |cell, digit| CoverRow { cell, digit, columns: columns(shape, cell, digit) };
        let rows = Cell::all(shape).flat_map(|cell| {
            let digits = candidates(puzzle, cell);
            Digit::all(shape.side())
                .filter(move |&digit| digits.contains(digit))
                .map(move |digit| row(cell, digit))
        });
        ExactCover { shape, rows: rows.collect(), columns: (0..4 * shape.cells()).collect() }
    }

    /// Returns the matrix without what the clues settle. The columns keep their numbers. The clues must not contradict
    /// each other.
    #[must_use]
    pub fn reduced(puzzle: &Grid) -> ExactCover {
        let mut matrix = ExactCover::of(puzzle);
        let is_clue = |row: &CoverRow| puzzle.cells()[row.cell.index()] != 0;
        let clues: Vec<CoverRow> = matrix.rows.iter().copied().filter(is_clue).collect();
        let mut is_covered = vec![false; matrix.columns.len()];
        clues.iter().flat_map(|row| row.columns).for_each(|column| is_covered[column] = true);
        matrix.rows.retain(|row| !is_clue(row));
        matrix.columns.retain(|&column| !is_covered[column]);
        matrix
    }

    /// Returns the rows, by cells and digits.
    #[must_use]
    pub fn rows(&self) -> &[CoverRow] {
        &self.rows
    }

    /// Returns the columns, from 0, in ascending order.
    #[must_use]
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Returns the name of a column: `R1C2` for a cell, `R1#3`, `C2#3` and `B1#3` for a digit in a row, a column and a
    /// box. All count from 1, and have no more than eight characters.
    #[must_use]
    pub fn name(&self, column: usize) -> String {
        let side = self.shape.side();
        let (kind, rest) = (column / self.shape.cells(), column % self.shape.cells());
        let (before, between) = [("R", "C"), ("R", "#"), ("C", "#"), ("B", "#")][kind];
        format!("{before}{}{between}{}", rest / side + 1, rest % side + 1)
    }
}

/// Returns the digits of the rows of a cell.
fn candidates(puzzle: &Grid, cell: Cell) -> DigitSet {
    let (shape, cells) = (puzzle.shape(), puzzle.cells());
    if let Some(clue) = Digit::new(cells[cell.index()]) {
        return DigitSet::EMPTY.with(clue);
    }
    let seen = Cell::all(shape).filter(|other| other.sees(cell, shape));
    let used =
        seen.filter_map(|other| Digit::new(cells[other.index()])).fold(DigitSet::EMPTY, DigitSet::with);
    used.complement(shape.side())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::DancingLinks;

    fn classic(line: &str) -> Grid {
        let cells = line.bytes().map(|byte| byte.checked_sub(b'0').filter(|&digit| digit <= 9).unwrap_or(0));
        Grid::new(Shape::CLASSIC, cells.collect()).unwrap()
    }

    #[test]
    fn a_reduced_matrix_is_the_one_that_the_engine_searches() {
        let puzzle =
            classic("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79");
        let (whole, reduced) = (ExactCover::of(&puzzle), ExactCover::reduced(&puzzle));
        assert_eq!(reduced.rows().len(), DancingLinks::new().matrix_of(&puzzle).rows);
        assert_eq!(whole.rows().len(), reduced.rows().len() + 30);
        assert_eq!((whole.columns().len(), reduced.columns().len()), (324, 324 - 4 * 30));
        let kept = |column: &usize| reduced.columns().contains(column);
        assert!(reduced.rows().iter().all(|row| row.columns.iter().all(kept)));
    }

    #[test]
    fn columns_are_named_by_what_they_demand() {
        let matrix = ExactCover::of(&Grid::empty("5x5".parse().unwrap()));
        let name = |column| matrix.name(column);
        let [cells, rest] = [625, 25];
        assert_eq!([name(0), name(cells - 1), name(cells)], ["R1C1", "R25C25", "R1#1"]);
        assert_eq!([name(2 * cells + rest), name(4 * cells - 1)], ["C2#1", "B25#25"]);
    }
}
