//! What the library says of a grid, by its slow oracle where that can be waited for.

use std::ops::ControlFlow;

use gridmill_core::grid::{Grid, Shape};
use gridmill_core::solver::{Bounds, SolverKind};

/// The verdict on a grid and its count of solutions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    pub verdict: String,
    pub solutions: u64,
}

/// Returns the grid of a line: digits, then letters, `.` for a blank.
pub fn grid(shape: Shape, line: &str) -> Grid {
    let digit = |character: char| character.to_digit(36).unwrap_or(0) as u8;
    Grid::new(shape, line.chars().map(digit).collect()).unwrap()
}

/// Returns the classic grid of a line.
pub fn classic(line: &str) -> Grid {
    grid(Shape::CLASSIC, line)
}

/// Counts the solutions of a grid up to a cap.
pub fn count(grid: &Grid, cap: u64) -> Count {
    // The oracle goes cell by cell, and would take for ever with larger grids.
    let kind = if grid.shape().side() > 9 { SolverKind::DancingLinks } else { SolverKind::Backtracking };
    let solutions = kind.build_any_shape::<Grid>().count(grid, &Bounds::solutions(cap)).solutions;
    let verdict = match solutions {
        0 => "none",
        1 => "unique",
        _ => "multiple",
    };
    Count { verdict: verdict.to_owned(), solutions }
}

/// Returns whether a grid has exactly one solution.
pub fn is_proper(grid: &Grid) -> bool {
    SolverKind::Bitmask.build_any_shape::<Grid>().count(grid, &Bounds::solutions(2)).solutions == 1
}

/// Returns whether a proper grid has no clue that could go.
pub fn is_minimal(grid: &Grid) -> bool {
    let without = |cell: usize| {
        let mut cells = grid.cells().to_vec();
        cells[cell] = 0;
        Grid::new(grid.shape(), cells).unwrap()
    };
    let clues = (0..grid.cells().len()).filter(|&cell| grid.cells()[cell] > 0);
    is_proper(grid) && clues.map(without).all(|smaller| !is_proper(&smaller))
}

/// Returns all solutions of a grid, in the order of an engine.
pub fn solutions(grid: &Grid, kind: SolverKind) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    kind.build_any_shape::<Grid>().search(grid, &Bounds::ALL, &mut |cells| {
        found.push(cells.to_vec());
        ControlFlow::Continue(())
    });
    found
}

/// Returns the solution of a proper grid.
pub fn solution(grid: &Grid) -> Vec<u8> {
    let mut all = solutions(grid, SolverKind::DancingLinks);
    assert_eq!(all.len(), 1, "the puzzle of the test is proper");
    all.remove(0)
}
