//! What the pipeline needs to know of a puzzle, whatever its size.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gridmill_core::grid::rules::Conflict;
use gridmill_core::grid::{CELLS, Cell, Digit, DigitSet, Grid, Pencilmarks, Puzzle, Shape, Solution, rules};
use gridmill_core::logic::{PuzzleRating, Ratable, Rater};
use gridmill_core::solver::{Clues, GridLike, Narrowable, Solvable};

use crate::text::GridPuzzle;

/// A puzzle in the pipeline: a classic one in a fixed array ([`Puzzle`]), one of any shape ([`GridPuzzle`]),
/// or one of candidates ([`Pencilmarks`]).
pub trait PuzzleLike: Solvable + Clone + Send {
    /// Whether the puzzle has candidates that its [`cells`](PuzzleLike::cells) do not show.
    const HAS_CANDIDATES: bool = false;

    /// Returns the first house that holds a digit twice, if any.
    fn find_conflict(&self) -> Option<Conflict>;

    /// Appends the cells as they are written in a row.
    fn write(&self, out: &mut Vec<u8>);

    /// Appends a solution as it is written in a row.
    fn write_solution(&self, solution: &Self::Solution, out: &mut Vec<u8>);

    /// Returns whether `answer`, another such puzzle, is full and a solution of this one.
    fn is_solved_by(&self, answer: &Self) -> bool;

    /// Returns whether the cells are those of a solution.
    fn is_same_as(&self, solution: &Self::Solution) -> bool;

    /// Returns the shape.
    fn shape(&self) -> Shape;

    /// Returns the cells in reading order, 0 for a blank.
    fn cells(&self) -> &[u8];

    /// Returns the character of a digit, if it is written as one.
    fn symbol(&self, digit: Digit) -> Option<char>;

    /// Returns the digits of a solution in reading order.
    fn digits_of(solution: &Self::Solution) -> &[u8];

    /// Returns the clues.
    fn as_clues(&self) -> Clues<'_> {
        Clues { shape: self.shape(), cells: self.cells() }
    }

    /// Returns how many clues there are.
    fn clue_count(&self) -> usize {
        self.cells().iter().filter(|&&cell| cell != 0).count()
    }

    /// Appends the cells of another puzzle of this shape, written as this one is.
    fn write_cells(&self, cells: &[u8], out: &mut Vec<u8>);
}

impl PuzzleLike for Puzzle {
    fn find_conflict(&self) -> Option<Conflict> {
        rules::find_conflict(Shape::CLASSIC, self.cells())
    }

    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_ascii());
    }

    #[inline]
    fn write_solution(&self, solution: &Solution, out: &mut Vec<u8>) {
        out.extend_from_slice(&solution.to_ascii());
    }

    #[inline]
    fn is_solved_by(&self, answer: &Puzzle) -> bool {
        self.full_grid(answer.cells()).is_some_and(|solution| self.is_solution(&solution))
    }

    #[inline]
    fn is_same_as(&self, solution: &Solution) -> bool {
        solution.cells() == self.cells()
    }

    fn shape(&self) -> Shape {
        Shape::CLASSIC
    }

    fn cells(&self) -> &[u8] {
        self.cells()
    }

    fn symbol(&self, digit: Digit) -> Option<char> {
        char::from_digit(digit.get().into(), 10)
    }

    fn digits_of(solution: &Solution) -> &[u8] {
        solution.cells()
    }

    #[inline]
    fn write_cells(&self, cells: &[u8], out: &mut Vec<u8>) {
        // As an array, so that it becomes vector code.
        let cells: &[u8; CELLS] = cells.try_into().expect("the cells are of another shape");
        out.extend_from_slice(&cells.map(|cell| if cell == 0 { b'.' } else { b'0' + cell }));
    }
}

impl Solvable for GridPuzzle {
    type Solution = Grid;

    fn full_grid(&self, digits: &[u8]) -> Option<Grid> {
        self.grid.full_grid(digits)
    }

    fn is_solution(&self, grid: &Grid) -> bool {
        self.grid.is_solution(grid)
    }
}

impl GridLike for GridPuzzle {
    fn clues(&self) -> Clues<'_> {
        self.grid.clues()
    }
}

impl Narrowable for GridPuzzle {
    fn side(&self) -> usize {
        self.grid.side()
    }

    fn candidates(&self, cell: Cell) -> DigitSet {
        self.grid.candidates(cell)
    }

    fn narrowed(&self, cell: Cell, digit: Digit) -> GridPuzzle {
        GridPuzzle { grid: self.grid.narrowed(cell, digit), alphabet: Arc::clone(&self.alphabet) }
    }
}

impl Ratable for GridPuzzle {
    fn rate_batch(
        rater: &mut Rater,
        puzzles: &[GridPuzzle],
        ratings: &mut Vec<PuzzleRating>,
        stop: &AtomicBool,
    ) {
        let classic =
            |puzzle: &GridPuzzle| puzzle.grid.to_classic().expect("other shapes than 9x9 are refused");
        let classic: Vec<Puzzle> = puzzles.iter().map(classic).collect();
        rater.rate_batch_until(&classic, ratings, stop);
    }
}

impl PuzzleLike for GridPuzzle {
    fn find_conflict(&self) -> Option<Conflict> {
        rules::find_conflict(self.grid.shape(), self.grid.cells())
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.alphabet.write_to(self.grid.cells(), out);
    }

    fn write_solution(&self, solution: &Grid, out: &mut Vec<u8>) {
        self.alphabet.write_to(solution.cells(), out);
    }

    fn is_solved_by(&self, answer: &GridPuzzle) -> bool {
        self.is_solution(&answer.grid)
    }

    fn is_same_as(&self, solution: &Grid) -> bool {
        *solution == self.grid
    }

    fn shape(&self) -> Shape {
        self.grid.shape()
    }

    fn cells(&self) -> &[u8] {
        self.grid.cells()
    }

    fn symbol(&self, digit: Digit) -> Option<char> {
        self.alphabet.symbol(digit)
    }

    fn digits_of(solution: &Grid) -> &[u8] {
        solution.cells()
    }

    fn write_cells(&self, cells: &[u8], out: &mut Vec<u8>) {
        self.alphabet.write_to(cells, out);
    }
}

impl PuzzleLike for Pencilmarks {
    const HAS_CANDIDATES: bool = true;

    fn find_conflict(&self) -> Option<Conflict> {
        self.clues().find_conflict()
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_ascii());
    }

    fn write_solution(&self, solution: &Solution, out: &mut Vec<u8>) {
        out.extend_from_slice(&solution.to_ascii());
    }

    fn is_solved_by(&self, answer: &Pencilmarks) -> bool {
        self.full_grid(answer.clues().cells()).is_some_and(|solution| self.is_solution(&solution))
    }

    fn is_same_as(&self, solution: &Solution) -> bool {
        solution.cells() == self.clues().cells()
    }

    fn shape(&self) -> Shape {
        Shape::CLASSIC
    }

    fn cells(&self) -> &[u8] {
        self.clues().cells()
    }

    fn symbol(&self, digit: Digit) -> Option<char> {
        self.clues().symbol(digit)
    }

    fn digits_of(solution: &Solution) -> &[u8] {
        solution.cells()
    }

    fn write_cells(&self, cells: &[u8], out: &mut Vec<u8>) {
        self.clues().write_cells(cells, out);
    }
}
