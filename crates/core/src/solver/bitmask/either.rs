//! Both bitmask engines as one: each puzzle goes to the engine for its shape.

use std::ops::ControlFlow;

use super::state::Candidates;
use super::{AnyBitmask, Bitmask};
use crate::grid::Shape;
use crate::solver::account::SearchAccount;
use crate::solver::search::Explorer;
use crate::solver::{Clues, SearchEnd, Solver, SolverKind};

/// The bitmask engine for puzzles of all shapes: [`Bitmask`] for classic ones, [`AnyBitmask`] for the others.
#[derive(Debug, Default)]
pub(in crate::solver) struct EitherBitmask {
    classic: Bitmask,
    any: AnyBitmask,
}

impl Explorer for EitherBitmask {
    const KIND: SolverKind = SolverKind::Bitmask;

    fn explore(&mut self, clues: Clues<'_>, account: &mut SearchAccount<'_>) -> ControlFlow<SearchEnd> {
        match clues.cells.try_into() {
            Ok(cells) if clues.shape == Shape::CLASSIC => match Candidates::of(cells) {
                Some(state) => self.classic.explore(state, account),
                None => ControlFlow::Continue(()),
            },
            _ => self.any.explore(clues, account),
        }
    }

    fn heap(&self) -> usize {
        // What the engine itself takes is counted once more by its own account.
        self.any.heap() + Solver::memory(&self.classic).unwrap_or(0) - size_of::<Bitmask>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::solver::{Bounds, GridSolver, SearchEnd};

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
        let (mut either, mut any) = (EitherBitmask::default(), AnyBitmask::new());
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
