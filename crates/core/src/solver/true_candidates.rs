//! The true candidates of a puzzle: the digits that its cells hold in solutions.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::{Bounds, Budget, GridSolver, SearchEnd, Solvable};
use crate::grid::{Cell, Digit, DigitSet};

/// How many solutions are looked at before single candidates are searched for.
const FIRST: u64 = 64;

/// The true candidates of a puzzle, with the number of solutions of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrueCandidates {
    side: usize,
    cap: u64,
    /// The number of solutions for each cell and digit.
    solutions: Vec<u64>,
    /// How many of the first solutions were looked at: 0 if the puzzle has none, 1 if it has only one, and
    /// more if it has several, e.g. 64 for an empty grid.
    pub first_solutions: u64,
    /// Whether the budget was spent before all candidates were known. Those that were found by then are true.
    pub is_given_up: bool,
}

impl TrueCandidates {
    fn new(side: usize, cap: u64) -> TrueCandidates {
        let solutions = vec![0; side * side * side];
        TrueCandidates { side, cap, solutions, first_solutions: 0, is_given_up: false }
    }

    /// The number of solutions in which each cell, in reading order, holds each digit, up to the cap. It is
    /// empty if there is no solution, or if the budget was spent before all were known.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        if self.first_solutions > 0 && !self.is_given_up { &self.solutions } else { &[] }
    }

    /// The number of solutions in which a cell holds a digit, up to the cap.
    #[must_use]
    pub fn solutions(&self, cell: Cell, digit: Digit) -> u64 {
        self.solutions[self.place(cell.index(), digit.get())]
    }

    /// The digits that a cell holds in some solution.
    #[must_use]
    pub fn digits(&self, cell: Cell) -> DigitSet {
        let is_true = |&digit: &Digit| self.solutions(cell, digit) > 0;
        Digit::all(self.side).filter(is_true).fold(DigitSet::EMPTY, DigitSet::with)
    }

    fn place(&self, cell: usize, digit: u8) -> usize {
        cell * self.side + usize::from(digit) - 1
    }

    /// Counts a solution for each of its candidates.
    fn add(&mut self, cells: &[u8]) {
        for (cell, &digit) in cells.iter().enumerate() {
            let place = self.place(cell, digit);
            self.solutions[place] = (self.solutions[place] + 1).min(self.cap);
        }
    }
}

/// Finds the true candidates of a puzzle: the digits that its cells hold in at least one solution, with the
/// number of these solutions, up to `cap` (at least 1) for each. `None` if `stop` became true. All searches
/// together end when the budget is spent.
///
/// The function looks at the first solutions, and then searches for each candidate that they leave open. With
/// a cap of 1, each solution that is found settles all its candidates. So there are at most as many searches
/// as candidates, and mostly a few dozen. Each takes as long as the engine takes for a puzzle.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use gridmill_core::grid::{Cell, Digit, Grid};
/// use gridmill_core::solver::{AnyBitmask, Budget, true_candidates};
///
/// // 4x4 with 1 and 2 in the first row: the third cell is a 3 or a 4.
/// let mut cells = vec![0; 16];
/// cells[..2].copy_from_slice(&[1, 2]);
/// let puzzle = Grid::new("2x2".parse().unwrap(), cells).unwrap();
/// let go_on = AtomicBool::new(false);
/// let found = true_candidates(&puzzle, 1000, Budget::NONE, &mut AnyBitmask::new(), &go_on).unwrap();
/// let third = found.digits(Cell::new(2));
/// assert!(third.len() == 2 && third.contains(Digit::new(3).unwrap()));
/// assert_eq!(found.solutions(Cell::new(2), Digit::new(3).unwrap()), 12);
/// ```
///
/// # Panics
///
/// If the engine returns a grid that is not a solution, which is a bug in gridmill.
pub fn true_candidates<P: Solvable>(
    puzzle: &P,
    cap: u64,
    budget: Budget,
    engine: &mut dyn GridSolver<P>,
    stop: &AtomicBool,
) -> Option<TrueCandidates> {
    let cap = cap.max(1);
    let side = puzzle.shape().side();
    let mut found = TrueCandidates::new(side, cap);
    let mut left = Bounds::shared(budget);
    let first = FIRST.max(cap);
    let (solutions, end) = search(puzzle, first, &mut left, engine, stop, &mut |cells| found.add(cells))?;
    (found.first_solutions, found.is_given_up) = (solutions, end == SearchEnd::Budget);
    if found.first_solutions < first {
        return Some(found);
    }
    for cell in Cell::all(puzzle.shape()) {
        for digit in Digit::all(side).filter(|&digit| puzzle.candidates(cell).contains(digit)) {
            if found.solutions(cell, digit) == cap {
                continue;
            }
            // With a larger cap, the solution may have been counted before.
            let mut see = |cells: &[u8]| {
                if cap == 1 {
                    found.add(cells);
                }
            };
            let narrowed = puzzle.narrowed(cell, digit);
            let (solutions, end) = search(&narrowed, cap, &mut left, engine, stop, &mut see)?;
            if end == SearchEnd::Budget {
                found.is_given_up = true;
                return Some(found);
            }
            let place = found.place(cell.index(), digit.get());
            found.solutions[place] = solutions;
        }
    }
    Some(found)
}

/// Passes up to `limit` solutions to `see`. Returns how many there were and why the search ended. `None` if
/// it was stopped.
fn search<P: Solvable>(
    puzzle: &P,
    limit: u64,
    left: &mut Bounds,
    engine: &mut dyn GridSolver<P>,
    stop: &AtomicBool,
    see: &mut dyn FnMut(&[u8]),
) -> Option<(u64, SearchEnd)> {
    let name = engine.name();
    let bounds = Bounds { solutions: limit, ..*left };
    let searched = engine.search_until(puzzle, &bounds, stop, &mut |cells| {
        assert!(puzzle.is_solved_by(cells), "the engine '{name}' gave a grid that is no solution");
        see(cells);
        ControlFlow::Continue(())
    });
    left.spend(&searched);
    (searched.end != SearchEnd::Stopped).then_some((searched.solutions, searched.end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Grid, Pencilmarks, Puzzle, Shape};
    use crate::solver::{AnyBitmask, Bitmask, DancingLinks};

    static GO_ON: AtomicBool = AtomicBool::new(false);

    /// Counts the solutions of each candidate by listing all solutions.
    fn listed(puzzle: &Grid, cap: u64) -> TrueCandidates {
        let mut found = TrueCandidates::new(puzzle.shape().side(), cap);
        DancingLinks::new().search(puzzle, &Bounds::ALL, &mut |cells| {
            found.add(cells);
            found.first_solutions += 1;
            ControlFlow::Continue(())
        });
        found
    }

    fn grid(shape: &str, clues: &[(usize, u8)]) -> Grid {
        let shape: Shape = shape.parse().unwrap();
        let mut cells = vec![0; shape.cells()];
        clues.iter().for_each(|&(cell, digit)| cells[cell] = digit);
        Grid::new(shape, cells).unwrap()
    }

    #[test]
    fn candidates_agree_with_all_solutions() {
        for puzzle in [
            grid("2x2", &[]),
            grid("2x2", &[(0, 1), (5, 2), (10, 3)]),
            grid("2x2", &[(0, 1), (7, 1)]),
            grid("2x3", &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (9, 1), (20, 6), (30, 3), (35, 2)]),
        ] {
            for cap in [1, 2, 7, 100, u64::MAX] {
                let expected = listed(&puzzle, cap);
                let found =
                    true_candidates(&puzzle, cap, Budget::NONE, &mut AnyBitmask::new(), &GO_ON).unwrap();
                assert_eq!(found.solutions, expected.solutions, "{cap}: {puzzle:?}");
                assert_eq!(found.first_solutions == 1, expected.first_solutions == 1);
            }
        }
    }

    #[test]
    fn puzzles_without_solution_have_no_candidates() {
        let found =
            true_candidates(&grid("2x2", &[(0, 1), (1, 1)]), 1, Budget::NONE, &mut AnyBitmask::new(), &GO_ON);
        let found = found.unwrap();
        assert!(found.first_solutions == 0 && found.solutions.iter().all(|&solutions| solutions == 0));
    }

    #[test]
    fn pencilmarks_keep_only_true_candidates() {
        let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
        let marks = Pencilmarks::from(&line.parse::<Puzzle>().unwrap());
        let mut engine = Bitmask::new();
        let found = true_candidates(&marks, 1, Budget::NONE, &mut engine, &GO_ON).unwrap();
        assert_eq!(found.first_solutions, 1);
        let cells = Cell::all(Shape::CLASSIC);
        let digits: String = cells.map(|cell| found.digits(cell).lowest().unwrap().to_string()).collect();
        assert!(digits.starts_with("534678912672195348"), "{digits}");

        let empty = Pencilmarks::from(&Puzzle::EMPTY);
        let found = true_candidates(&empty, 1, Budget::NONE, &mut engine, &GO_ON).unwrap();
        assert!(Cell::all(Shape::CLASSIC).all(|cell| found.digits(cell).len() == 9));
    }

    #[test]
    fn stopped_search_has_no_candidates() {
        let stop = AtomicBool::new(true);
        assert_eq!(
            true_candidates(&grid("4x4", &[]), u64::MAX, Budget::NONE, &mut AnyBitmask::new(), &stop),
            None
        );
    }
}
