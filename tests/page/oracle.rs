//! The library's own results for a grid. They come from its slow oracle if the grid is small enough for that.

use std::ops::ControlFlow;

use gridmill_core::grid::{Grid, Shape};
use gridmill_core::solver::{Bounds, EngineKind};

/// The verdict on a grid, and the number of its solutions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    pub verdict: String,
    pub solutions: u64,
}

/// The grid of a line of digits, then letters, with `.` for a blank.
pub fn grid(shape: Shape, line: &str) -> Grid {
    let digit = |character: char| character.to_digit(36).unwrap_or(0) as u8;
    Grid::new(shape, line.chars().map(digit).collect()).unwrap()
}

/// The classic grid of a line.
pub fn classic(line: &str) -> Grid {
    grid(Shape::CLASSIC, line)
}

/// Counts the solutions of a grid up to a cap.
pub fn count(grid: &Grid, cap: u64) -> Count {
    // The oracle tries cell by cell, which would take too long for larger grids.
    let kind = if grid.shape().side() > 9 { EngineKind::DancingLinks } else { EngineKind::Backtracking };
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
    EngineKind::Bitmask.build_any_shape::<Grid>().count(grid, &Bounds::solutions(2)).solutions == 1
}

/// Returns whether a proper grid needs each of its clues.
pub fn is_minimal(grid: &Grid) -> bool {
    let without = |cell: usize| {
        let mut cells = grid.cells().to_vec();
        cells[cell] = 0;
        Grid::new(grid.shape(), cells).unwrap()
    };
    let clues = (0..grid.cells().len()).filter(|&cell| grid.cells()[cell] > 0);
    is_proper(grid) && clues.map(without).all(|smaller| !is_proper(&smaller))
}

/// All solutions of a grid, in the order in which an engine finds them.
pub fn solutions(grid: &Grid, kind: EngineKind) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    kind.build_any_shape::<Grid>().search(grid, &Bounds::ALL, &mut |cells| {
        found.push(cells.to_vec());
        ControlFlow::Continue(())
    });
    found
}

/// The solution of a proper grid.
pub fn solution(grid: &Grid) -> Vec<u8> {
    let mut all = solutions(grid, EngineKind::DancingLinks);
    assert_eq!(all.len(), 1, "the puzzle of the test is proper");
    all.remove(0)
}
