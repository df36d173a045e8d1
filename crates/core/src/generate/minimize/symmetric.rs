//! Taking clues out of puzzles so that they lie as symmetrically as before.

use std::slice;
use std::sync::atomic::AtomicBool;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use super::{Digging, Minimized, Minimizer};
use crate::generate::dig::Dig;
use crate::generate::oracle::{BitmaskOracle, grid};
use crate::generate::units::Units;
use crate::grid::{Grid, Shape, Symmetry};
use crate::solver::GridLike;

impl Minimizer {
    /// Searches a puzzle for up to two solutions, and takes clues out of a proper one, each together with its images by
    /// a symmetry, until no such unit can go. Single clues may be redundant in the end. The order of units depends on
    /// the seed. `None` if `stop` became true.
    ///
    /// The result has no puzzle where the clues do not have the symmetry.
    ///
    /// ```
    /// use std::sync::atomic::AtomicBool;
    ///
    /// use gridmill_core::generate::Minimizer;
    /// use gridmill_core::grid::{Puzzle, Symmetry};
    ///
    /// let line = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
    /// let full: Puzzle = line.parse()?;
    /// let go_on = AtomicBool::new(false);
    /// let found = Minimizer::new(None).minimize_symmetric(&full, Symmetry::Mirror, 1, &go_on).unwrap();
    /// let puzzle = found.result.unwrap();
    /// assert!(Symmetry::Mirror.is_of_cells(puzzle.shape(), puzzle.cells()) && puzzle.clue_count() < 50);
    /// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
    /// ```
    pub fn minimize_symmetric(
        &mut self,
        puzzle: &impl GridLike,
        symmetry: Symmetry,
        seed: u64,
        stop: &AtomicBool,
    ) -> Option<Minimized<Option<Grid>>> {
        let clues = puzzle.clues();
        let shape = clues.shape;
        let images = symmetry.images(shape, clues.cells);
        let units = images.map(|images| Units::orbits(shape, |cell| images[cell].into()));
        let mut order: Vec<u16> = (0..units.as_ref().map_or(0, Units::len) as u16).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        let guesses = if shape == Shape::CLASSIC { u64::MAX } else { self.guesses };
        let found = Digging {
            puzzles: slice::from_ref(&clues),
            orders: &mut |_, _| units.iter().map(|_| order.clone()).collect(),
            conclude: &|digs: &[Dig]| {
                (digs.first().map(|dig| grid(shape, dig.clues())), digs.iter().any(Dig::is_doubtful))
            },
            stop,
        }
        .run(units.as_ref().unwrap_or(&Units::cells(shape)), &mut BitmaskOracle::proper(shape, guesses));
        found?.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{FullGrids, GridMethod};
    use crate::solver::{AnyBitmask, Bounds, GridSolver, NEVER};

    fn is_proper(cells: Vec<u8>, shape: Shape) -> bool {
        let grid = Grid::new(shape, cells).unwrap();
        AnyBitmask::new().count(&grid, &Bounds::solutions(2)).solutions == 1
    }

    /// Returns the grid after a quarter of a turn.
    fn turned(grid: &Grid) -> Grid {
        let side = grid.shape().side();
        let turned = |cell: usize| grid.cells()[(cell % side) * side + side - 1 - cell / side];
        Grid::new(grid.shape(), (0..side * side).map(turned).collect()).unwrap()
    }

    #[test]
    fn no_unit_can_go_and_the_symmetry_stays() {
        for shape in ["2x2", "3x3"].map(|shape| shape.parse::<Shape>().unwrap()) {
            let full =
                FullGrids::new(shape, GridMethod::Backtracking).make(&mut ChaCha8Rng::seed_from_u64(3));
            let full = Grid::new(shape, full).unwrap();
            for symmetry in Symmetry::ALL {
                let mut minimizer = Minimizer::new(None);
                let found = minimizer.minimize_symmetric(&full, symmetry, 7, &NEVER).unwrap();
                let puzzle = found.result.unwrap();
                assert!(
                    !found.is_given_up && found.solutions == 1 && puzzle.clue_count() < full.clue_count()
                );
                let images = symmetry.images(shape, puzzle.cells()).unwrap();
                for first in (0..shape.cells()).filter(|&cell| puzzle.cells()[cell] != 0) {
                    let (mut cells, mut cell) = (puzzle.cells().to_vec(), first);
                    while cells[cell] != 0 {
                        cells[cell] = 0;
                        cell = images[cell].into();
                    }
                    assert!(!is_proper(cells, shape), "{symmetry:?}: {puzzle} without {first}");
                }
                assert!(is_proper(puzzle.cells().to_vec(), shape));
                let again = minimizer.minimize_symmetric(&puzzle, symmetry, 8, &NEVER).unwrap().result;
                assert_eq!(again, Some(puzzle));
            }
        }
    }

    #[test]
    fn the_axis_is_that_of_the_clues() {
        let shape = Shape::CLASSIC;
        let full = FullGrids::new(shape, GridMethod::Backtracking).make(&mut ChaCha8Rng::seed_from_u64(4));
        let mut cells = full.clone();
        // Left and right are alike, top and bottom are not; and the same after a quarter of a turn.
        (cells[1], cells[7]) = (0, 0);
        let puzzle = Grid::new(shape, cells).unwrap();
        for puzzle in [turned(&puzzle), puzzle] {
            let found =
                Minimizer::new(None).minimize_symmetric(&puzzle, Symmetry::Mirror, 1, &NEVER).unwrap();
            let minimal = found.result.unwrap();
            assert!(minimal.clue_count() < 60 && Symmetry::Mirror.is_of_cells(shape, minimal.cells()));
        }
    }

    #[test]
    fn clues_without_the_symmetry_and_other_puzzles_have_no_result() {
        let shape: Shape = "2x2".parse().unwrap();
        let mut cells = vec![0; 16];
        cells[0] = 1;
        let mut minimizer = Minimizer::new(None);
        let mut found = |cells: &[u8], symmetry| {
            let grid = Grid::new(shape, cells.to_vec()).unwrap();
            let found = minimizer.minimize_symmetric(&grid, symmetry, 1, &NEVER).unwrap();
            (found.solutions, found.result)
        };
        assert_eq!(found(&cells, Symmetry::Diagonal), (2, None));
        let full = FullGrids::new(shape, GridMethod::Backtracking).make(&mut ChaCha8Rng::seed_from_u64(4));
        cells.copy_from_slice(&full);
        cells[1] = 0;
        assert_eq!(found(&cells, Symmetry::Rotate180), (1, None));
    }

    #[test]
    fn a_stopped_minimizer_has_no_answer() {
        let stop = AtomicBool::new(true);
        let empty = Grid::empty("4x4".parse().unwrap());
        let found = Minimizer::new(None).minimize_symmetric(&empty, Symmetry::Mirror, 1, &stop);
        assert!(found.is_none());
    }
}
