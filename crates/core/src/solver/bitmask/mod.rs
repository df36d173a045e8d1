//! Boards of bits, one for each digit, and the most constrained cell first: the scalar engine for classic
//! puzzles. [`AnyBitmask`] serves the other shapes.
//!
//! # Layout
//!
//! Every digit has a board of 81 bits, the cells where it may still stand, as three bands of 27:
//!
//! ```text
//!             box 1     box 2     box 3
//! row 1   |  0  1  2 |  3  4  5 |  6  7  8 |
//! row 2   | 10 11 12 | 13 14 15 | 16 17 18 |    a band: one u32, bit 10 * row + column
//! row 3   | 20 21 22 | 23 24 25 | 26 27 28 |    three cells in a row of a box: a minirow
//! ```
//!
//! The three words of a digit are one vector of the `wide` crate, so that what concerns all cells is one
//! instruction for each digit (board.rs). Rows, columns and boxes are fields of the words: one table look-up
//! filters a whole band.
//!
//! # The search
//!
//! ```text
//! propagate until nothing changes:                                       (state.rs)
//!     for each digit whose board has changed:
//!         locked candidates in the three bands and the three stacks      (board.rs)
//!         hidden singles: a cell alone in its row loses the other digits
//!     naked singles: a cell with one candidate takes it from its peers
//! solved: count it            dead: go back to the last state with another half
//! stuck:  choose a cell with two candidates, leave one half, go on with the other     (state.rs)
//! ```
//!
//! The states of the search are an array inside the engine: a guess settles a cell, so it can't be deeper
//! than there are cells. Nothing is allocated after the engine is made. A state is 176 bytes; a guess
//! copies it once, and propagation works where it lies.
//!
//! # What was tried
//!
//! Puzzles a second, one thread, at the x86-64 baseline, relative to this code:
//!
//! | change | easy | 17-clue | hardest 11+ | several solutions |
//! |---|---:|---:|---:|---:|
//! | words of 27 bits, three for a digit, and not a vector | 0.67 | 0.75 | 0.68 | 0.56 |
//! | score the cells of every guess, not only after a contradiction | 1.0 | 1.03 | 1.0 | 0.9 |
//! | before a contradiction, score the first three of the cells | 1.0 | 1.01 | 1.0 | 0.96 |
//! | before a contradiction, score the first six of them | 1.0 | 1.04 | 1.0 | 0.93 |
//! | compile for AVX2, BMI and POPCNT | 1.0 | 1.01 | 1.03 | 1.02 |
//! | find the minirows by shifts, not by a look-up for each row | 0.97 | 0.97 | 0.97 | 0.98 |
//! | a digit's locks once for a band and a stack, then again in the next round if they changed | 0.85 | 0.79 | 0.82 | |
//! | finish all changed digits before looking for naked singles | 1.05 | 1.0 | 0.95 | 1.03 |
//! | after the stacks, end if the bands find nothing, before looking at the stacks again | 1.0 | 0.98 | 0.98 | 1.0 |
//!
//! When the boards were words, scoring the cells digit by digit instead of cell by cell was 0.95x on the hardest: the
//! loops are too short to predict. What costs time are branches that are predicted wrong and the way from one look-up to
//! the next: fewer instructions alone changed nothing.

mod any;
mod board;
mod state;

use std::ops::ControlFlow;

use super::search::{Explorer, SearchAccount, SingleEngine};
use super::{GridLike, SearchEnd, SolverKind};
use crate::grid::{CELLS, Pencilmarks, Shape};
pub use any::AnyBitmask;
use state::{Candidates, Progress, choose};

/// The scalar engine for puzzles of every shape, and for grids of candidates: [`AnyBitmask`] where the shape is not the classic
/// one. A guess is a cell split into one digit and the others; the second branch is not counted again.
///
/// ```
/// use gridmill_core::grid::{Digit, Pencilmarks, Puzzle};
/// use gridmill_core::solver::{Bounds, GridSolver, Bitmask};
///
/// let mut engine = Bitmask::new();
/// let mut count = |marks: &Pencilmarks| engine.count(marks, &Bounds::solutions(2)).solutions;
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse().unwrap();
/// let marks = Pencilmarks::from(&puzzle);
/// assert_eq!(count(&marks), 1);
///
/// // The solution has a 4 in the third cell.
/// let mut candidates = *marks.candidates();
/// candidates[2] = candidates[2].without(Digit::new(4).unwrap());
/// assert_eq!(count(&Pencilmarks::new(candidates)), 0);
/// ```
#[derive(Debug)]
pub struct Bitmask {
    /// The state of the search, and below it those that it was split from: what is left of them.
    states: Box<[Candidates; CELLS + 1]>,
    /// The engine for other shapes, once there was one.
    any: Option<Box<AnyBitmask>>,
}

impl Bitmask {
    /// Returns an engine with its stack.
    #[must_use]
    pub fn new() -> Bitmask {
        Bitmask { states: Box::new([Candidates::OPEN; CELLS + 1]), any: None }
    }

    /// Searches the solutions that a state leaves; there is none where clues contradict each other.
    fn run(&mut self, state: Option<Candidates>, account: &mut SearchAccount<'_>) -> ControlFlow<SearchEnd> {
        let Some(state) = state else { return ControlFlow::Continue(()) };
        self.states[0] = state;
        let (mut depth, mut contradicted) = (0, false);
        loop {
            match self.states[depth].propagate() {
                Progress::Stuck => {
                    account.guess()?;
                    self.guess(depth, contradicted);
                    depth += 1;
                    continue;
                }
                Progress::Solved => account.solution(&self.states[depth].digits())?,
                Progress::Dead => contradicted = true,
            }
            if depth == 0 {
                return ControlFlow::Continue(());
            }
            depth -= 1;
        }
    }

    /// Splits the state at that depth: the next one gets a half of it.
    #[inline(always)]
    fn guess(&mut self, depth: usize, contradicted: bool) {
        let [state, next, ..] = &mut self.states[depth..] else {
            unreachable!("a guess settles a cell, so there are fewer of them than cells");
        };
        state.split(next, choose(state, contradicted));
    }
}

impl Default for Bitmask {
    fn default() -> Bitmask {
        Bitmask::new()
    }
}

impl SingleEngine for Bitmask {
    const KIND: SolverKind = SolverKind::Bitmask;

    fn heap(&self) -> usize {
        size_of_val(&*self.states) + self.any.as_ref().map_or(0, |any| size_of_val(&**any) + any.heap())
    }
}

impl<P: GridLike> Explorer<P> for Bitmask {
    fn explore(&mut self, puzzle: &P, account: &mut SearchAccount<'_>) -> ControlFlow<SearchEnd> {
        match puzzle.cells().try_into() {
            Ok(cells) if puzzle.shape() == Shape::CLASSIC => self.run(Candidates::of(cells), account),
            _ => self.any.get_or_insert_default().explore(puzzle, account),
        }
    }
}

impl Explorer<Pencilmarks> for Bitmask {
    fn explore(&mut self, marks: &Pencilmarks, account: &mut SearchAccount<'_>) -> ControlFlow<SearchEnd> {
        self.run(Some(Candidates::of_marks(marks)), account)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::solver::{Bounds, GridSolver};

    /// Returns the number of solutions, and a sum in which each counts the same whatever the order.
    fn found(engine: &mut dyn GridSolver, grid: &Grid) -> (u64, u64) {
        let mut sum = 0u64;
        let weigh = |(cell, &digit): (u64, &u8)| (cell + 1) * (cell + 1) * u64::from(digit).pow(3);
        let searched = engine.search(grid, &Bounds::ALL, &mut |cells| {
            sum += (0..).zip(cells).map(weigh).sum::<u64>().pow(2) % 1_000_003;
            ControlFlow::Continue(())
        });
        assert_eq!(searched.end, SearchEnd::Complete);
        (searched.solutions, sum)
    }

    #[test]
    fn both_engines_list_the_same_solutions() {
        let (mut either, mut any) = (Bitmask::new(), AnyBitmask::new());
        let lines = [
            "..9.287..8.6..4..5..3.....46.........2.71345.........23.....5..9..4..8.7..125.3..",
            "5.....9..6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
            "5........6..195....98....6.8.......34..8....17...2...6.6....2.....419..5....8..79",
            "55..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
        ];
        for line in lines {
            let cells = line.bytes().map(|byte| if byte == b'.' { 0 } else { byte - b'0' }).collect();
            let grid = Grid::new(Shape::CLASSIC, cells).unwrap();
            assert_eq!(found(&mut either, &grid), found(&mut any, &grid), "{line}");
        }
        let grid = Grid::empty(Shape::new(2, 2).unwrap());
        assert_eq!(found(&mut either, &grid), found(&mut any, &grid));
    }
}
