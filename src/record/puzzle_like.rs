//! What the way from text to rows must know of a puzzle, whatever its size.

use crate::grid::rules::Conflict;
use crate::grid::{CELLS, Digit, Grid, Pencilmarks, Puzzle, Shape, Solution, rules};
use crate::solver::{GridOutcome, Outcome};
use crate::text::GridPuzzle;

/// A puzzle on its way: a classic one in a fixed array ([`Puzzle`]), one of any shape ([`GridPuzzle`]), or one of
/// candidates ([`Pencilmarks`]).
pub trait PuzzleLike: Clone + Send + Sync {
    /// What comes of its search.
    type Outcome: Finding;

    /// The first house that holds a digit twice, if any.
    fn find_conflict(&self) -> Option<Conflict>;

    /// Appends its cells as they stand in a row.
    fn write(&self, out: &mut Vec<u8>);

    /// Appends the solution that was found, if there is one.
    fn write_solution(&self, found: &Self::Outcome, out: &mut Vec<u8>);

    /// Is what was found right: a solution that keeps the clues and the rules, or none?
    fn agrees(&self, found: &Self::Outcome) -> bool;

    /// Is another one of these, if it is full, a solution of it?
    fn is_solved_by(&self, answer: &Self) -> bool;

    /// Is it itself the solution that was found?
    fn is_found(&self, found: &Self::Outcome) -> bool;

    /// Its shape.
    fn shape(&self) -> Shape;

    /// Its cells in reading order, 0 for a blank.
    fn cells(&self) -> &[u8];

    /// How a digit is written, if that is one character.
    fn symbol(&self, digit: Digit) -> Option<char>;
}

/// What comes of a search.
pub trait Finding: Clone + Send {
    /// Nothing, at no cost.
    const NONE: Self;

    /// Solutions found.
    fn solutions(&self) -> u64;

    /// Guesses that it took.
    fn guesses(&self) -> u64;

    /// The time that it took, in nanoseconds.
    fn nanos(&self) -> u64;

    /// Was the search given up before its end?
    fn is_given_up(&self) -> bool;
}

impl PuzzleLike for Puzzle {
    type Outcome = Outcome;

    fn find_conflict(&self) -> Option<Conflict> {
        rules::find_conflict(Shape::CLASSIC, self.cells())
    }

    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_ascii());
    }

    #[inline]
    fn write_solution(&self, found: &Outcome, out: &mut Vec<u8>) {
        if let Some(solution) = &found.solution {
            out.extend_from_slice(&solution.to_ascii());
        }
    }

    #[inline]
    fn agrees(&self, found: &Outcome) -> bool {
        match &found.solution {
            Some(solution) => found.solutions > 0 && solution.solves(self),
            None => found.solutions == 0,
        }
    }

    #[inline]
    fn is_solved_by(&self, answer: &Puzzle) -> bool {
        Solution::from_cells(*answer.cells()).is_some_and(|solution| solution.solves(self))
    }

    #[inline]
    fn is_found(&self, found: &Outcome) -> bool {
        found.solution.is_some_and(|solution| solution.cells() == self.cells())
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
}

impl Finding for Outcome {
    const NONE: Outcome = Outcome::NONE;

    #[inline]
    fn solutions(&self) -> u64 {
        self.solutions.into()
    }

    #[inline]
    fn guesses(&self) -> u64 {
        self.guesses.into()
    }

    #[inline]
    fn nanos(&self) -> u64 {
        self.nanos
    }

    #[inline]
    fn is_given_up(&self) -> bool {
        false
    }
}

impl PuzzleLike for GridPuzzle {
    type Outcome = GridOutcome;

    fn find_conflict(&self) -> Option<Conflict> {
        rules::find_conflict(self.grid.shape(), self.grid.cells())
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.alphabet.write_to(self.grid.cells(), out);
    }

    fn write_solution(&self, found: &GridOutcome, out: &mut Vec<u8>) {
        if let Some(solution) = &found.solution {
            self.alphabet.write_to(solution.cells(), out);
        }
    }

    fn agrees(&self, found: &GridOutcome) -> bool {
        let clues = &self.grid;
        match &found.solution {
            Some(solution) => {
                found.solutions > 0
                    && solution.shape() == clues.shape()
                    && rules::is_solution(clues.shape(), clues.cells(), solution.cells())
            }
            None => found.solutions == 0 || found.only_counted,
        }
    }

    fn is_solved_by(&self, answer: &GridPuzzle) -> bool {
        let (clues, answer) = (&self.grid, &answer.grid);
        answer.shape() == clues.shape() && rules::is_solution(clues.shape(), clues.cells(), answer.cells())
    }

    fn is_found(&self, found: &GridOutcome) -> bool {
        found.solution.as_ref() == Some(&self.grid)
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
}

impl Finding for GridOutcome {
    const NONE: GridOutcome = GridOutcome::NONE;

    fn solutions(&self) -> u64 {
        self.solutions
    }

    fn guesses(&self) -> u64 {
        self.guesses
    }

    fn nanos(&self) -> u64 {
        self.nanos
    }

    fn is_given_up(&self) -> bool {
        self.is_given_up
    }
}

impl PuzzleLike for Pencilmarks {
    type Outcome = GridOutcome;

    fn find_conflict(&self) -> Option<Conflict> {
        self.clues().find_conflict()
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_ascii());
    }

    fn write_solution(&self, found: &GridOutcome, out: &mut Vec<u8>) {
        if let Some(solution) = found.solution.as_ref().and_then(full) {
            out.extend_from_slice(&solution.to_ascii());
        }
    }

    fn agrees(&self, found: &GridOutcome) -> bool {
        match &found.solution {
            Some(grid) => {
                found.solutions > 0 && full(grid).is_some_and(|solution| self.are_solved_by(&solution))
            }
            None => found.solutions == 0 || found.only_counted,
        }
    }

    fn is_solved_by(&self, answer: &Pencilmarks) -> bool {
        Solution::from_cells(*answer.clues().cells()).is_some_and(|solution| self.are_solved_by(&solution))
    }

    fn is_found(&self, found: &GridOutcome) -> bool {
        found.solution.as_ref().is_some_and(|solution| solution.cells() == self.clues().cells())
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
}

/// A classic grid without a blank.
fn full(grid: &Grid) -> Option<Solution> {
    let cells: [u8; CELLS] = grid.cells().try_into().ok()?;
    Solution::from_cells(cells)
}
