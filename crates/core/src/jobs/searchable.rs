//! The puzzles that jobs take, of every kind.

use std::fmt;
use std::time::Duration;

use crate::grid::rules::{self, Conflict};
use crate::grid::{Digit, Grid, Pencilmarks, Puzzle, Solution};
use crate::logic::Ratable;
use crate::solver::{
    Bitmask, Bounds, Counter, Engine, GridLike, GridSolver, Narrowable, Solvable, Solver, SplitCounter,
    StagedCounter,
};

/// A kind of puzzle that jobs take: [`Puzzle`], [`Grid`] or [`Pencilmarks`].
pub trait Searchable: Solvable + Narrowable + Ratable + Clone + Send + 'static {
    /// Returns the digits of a solution in reading order.
    fn digits_of(solution: &Self::Solution) -> &[u8];

    /// Makes an engine for these puzzles.
    fn solver(engine: Engine) -> Box<dyn GridSolver<Self>>;

    /// Makes a solver that counts all solutions, within a time for each puzzle.
    fn counter(engine: Engine, time: Option<Duration>) -> Box<dyn Solver<Self>>;

    /// Returns the character of a digit, if it is written as one: `1` to `9`, and letters from `A` on, unless the puzzle has
    /// an alphabet of its own.
    fn symbol(&self, digit: Digit) -> Option<char> {
        char::from_digit(digit.get().into(), 36).map(|symbol| symbol.to_ascii_uppercase())
    }

    /// Returns the candidates, where the puzzle has some that its cells do not show.
    fn pencilmarks(&self) -> Option<&Pencilmarks> {
        None
    }

    /// Returns the first house that holds a digit twice, if any.
    fn find_conflict(&self) -> Option<Conflict> {
        rules::find_conflict(self.shape(), self.cells())
    }

    /// Returns how many clues there are.
    fn clue_count(&self) -> usize {
        self.cells().iter().filter(|&&cell| cell != 0).count()
    }

    /// Returns whether `answer`, another such puzzle, is full and a solution of this one.
    #[inline]
    fn is_solved_by(&self, answer: &Self) -> bool {
        self.full_grid(answer.cells()).is_some_and(|solution| self.is_solution(&solution))
    }

    /// Returns whether the cells are those of a solution.
    #[inline]
    fn is_same_as(&self, solution: &Self::Solution) -> bool {
        Self::digits_of(solution) == self.cells()
    }
}

/// A digit that is in a house twice, as text: `row 1 holds two 5s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DuplicateDigit {
    /// The digit and the house.
    pub conflict: Conflict,
    /// The character of the digit, if it is written as one.
    pub symbol: Option<char>,
}

impl DuplicateDigit {
    /// Returns the first duplicate digit of a puzzle, if any.
    #[must_use]
    pub fn find(puzzle: &impl Searchable) -> Option<DuplicateDigit> {
        let conflict = puzzle.find_conflict()?;
        Some(DuplicateDigit { conflict, symbol: puzzle.symbol(conflict.digit) })
    }
}

impl fmt::Display for DuplicateDigit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Conflict { house, digit, .. } = self.conflict;
        match self.symbol {
            Some(symbol) => write!(f, "{house} holds two {symbol}s"),
            None => write!(f, "{house} holds {digit} twice"),
        }
    }
}

/// Makes a counter that splits what takes long over all threads.
#[must_use]
pub fn split_counter<P: GridLike + 'static>(
    bounded: Box<dyn GridSolver<P>>,
    engine: Engine,
    time: Option<Duration>,
) -> Box<dyn Solver<P>> {
    Box::new(SplitCounter::new(bounded, Box::new(move || engine.any_shape()), time))
}

impl Searchable for Puzzle {
    #[inline]
    fn digits_of(solution: &Solution) -> &[u8] {
        solution.cells()
    }

    fn solver(engine: Engine) -> Box<dyn GridSolver<Puzzle>> {
        engine.classic()
    }

    fn counter(engine: Engine, time: Option<Duration>) -> Box<dyn Solver> {
        let counter = split_counter(Puzzle::solver(engine), engine, time);
        // Other engines for classic puzzles have no bounds.
        match engine {
            Engine::Other(_) if time.is_none() => Box::new(StagedCounter::new(engine.classic(), counter)),
            _ => counter,
        }
    }
}

impl Searchable for Grid {
    fn digits_of(solution: &Grid) -> &[u8] {
        solution.cells()
    }

    fn solver(engine: Engine) -> Box<dyn GridSolver<Grid>> {
        engine.any_shape()
    }

    fn counter(engine: Engine, time: Option<Duration>) -> Box<dyn Solver<Grid>> {
        split_counter(Grid::solver(engine), engine, time)
    }
}

/// Always the engine that takes candidates.
impl Searchable for Pencilmarks {
    fn pencilmarks(&self) -> Option<&Pencilmarks> {
        Some(self)
    }

    fn digits_of(solution: &Solution) -> &[u8] {
        solution.cells()
    }

    fn solver(_: Engine) -> Box<dyn GridSolver<Pencilmarks>> {
        Box::new(Bitmask::new())
    }

    fn counter(engine: Engine, time: Option<Duration>) -> Box<dyn Solver<Pencilmarks>> {
        let bounds = time.map_or(Bounds::ALL, |time| Bounds::ALL.and_time(time));
        Box::new(Counter::new(Pencilmarks::solver(engine), bounds))
    }
}
