//! Grids of other shapes, derived from full grids and the puzzles of this repository.

use gridmill_core::grid::{Grid, Isomorphism, Shape};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::{Maker, PUZZLES_PER_ISOMORPHISM, one_of, shape_of};
use crate::bases::ProperGrid;
use crate::batch::{Batch, Truth};
use crate::kind::SHAPES;

impl Maker<'_> {
    /// Adds grids of one shape, given by the index of its row in `SHAPES`.
    pub(crate) fn grids(&self, row: usize, puzzles: usize, rng: &mut impl Rng, batch: &mut Batch<Grid>) {
        let (shape, least) = (shape_of(row), SHAPES[row].least_clues);
        let bases: Vec<&ProperGrid> =
            self.bases.grids.iter().filter(|base| base.clues.shape() == shape).collect();
        let pattern = pattern(shape);
        let mut isomorphism = Isomorphism::random(shape, rng);
        for index in 0..puzzles {
            if index % PUZZLES_PER_ISOMORPHISM == 0 {
                isomorphism = Isomorphism::random(shape, rng);
            }
            let base = (!bases.is_empty() && rng.random_bool(0.5)).then(|| *one_of(&bases, rng));
            let full = isomorphism.apply(base.map_or(&pattern, |base| &base.solution));
            let (puzzle, truth) = match (rng.random_range(0..20), base) {
                (0..8, Some(base)) => (isomorphism.apply(&base.clues), Truth::One(full)),
                (0..14, _) => (remove_cells(&full, least, rng), Truth::Includes(full)),
                (14..16, _) => (with_random_digit(&remove_cells(&full, least, rng), rng), Truth::Unknown),
                (16..18, _) => (with_repeated_digit(&remove_cells(&full, least, rng), rng), Truth::None),
                (18, _) => (full.clone(), Truth::One(full)),
                _ => (Grid::empty(shape), Truth::Several),
            };
            batch.push(SHAPES[row].kind, puzzle, truth);
        }
    }
}

/// A full grid. Each row is the row above, shifted by the width of a box, and at the start of a band by one
/// more cell.
fn pattern(shape: Shape) -> Grid {
    let (side, high, wide) = (shape.side(), shape.box_rows(), shape.box_columns());
    let digit = |cell: usize| {
        let (row, column) = (cell / side, cell % side);
        ((row % high * wide + row / high + column) % side) as u8 + 1
    };
    grid(shape, &(0..shape.cells()).map(digit).collect::<Vec<_>>())
}

fn grid(shape: Shape, cells: &[u8]) -> Grid {
    Grid::from_cells(shape, cells).expect("digits of the shape")
}

/// Removes random cells from a full grid, but leaves at least the share `least` of them.
fn remove_cells(full: &Grid, least: f64, rng: &mut impl Rng) -> Grid {
    let mut cells = full.cells().to_vec();
    let mut order: Vec<usize> = (0..cells.len()).collect();
    order.shuffle(rng);
    let min_clues = (least * cells.len() as f64) as usize;
    let clues = rng.random_range(min_clues..cells.len());
    order[clues..].iter().for_each(|&cell| cells[cell] = 0);
    grid(full.shape(), &cells)
}

/// Writes a random digit into a random cell.
fn with_random_digit(puzzle: &Grid, rng: &mut impl Rng) -> Grid {
    let mut cells = puzzle.cells().to_vec();
    let cell = rng.random_range(0..cells.len());
    cells[cell] = rng.random_range(1..=puzzle.shape().side() as u8);
    grid(puzzle.shape(), &cells)
}

/// Writes a random digit twice into a row.
fn with_repeated_digit(puzzle: &Grid, rng: &mut impl Rng) -> Grid {
    let (mut cells, side) = (puzzle.cells().to_vec(), puzzle.shape().side());
    let (row, column) = (rng.random_range(0..side), rng.random_range(0..side));
    let other = (column + rng.random_range(1..side)) % side;
    let digit = rng.random_range(1..=side as u8);
    cells[row * side + column] = digit;
    cells[row * side + other] = digit;
    grid(puzzle.shape(), &cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bases::Bases;
    use crate::make::rng;
    use gridmill_core::solver::{Backtracking, Outcome, SolutionLimit, Solver};

    #[test]
    fn the_oracle_finds_the_expected_solutions_of_small_grids() {
        let bases = Bases::committed();
        for row in 0..3 {
            let mut batch = Batch::new();
            Maker::new(bases).grids(row, 200, &mut rng(1, 0), &mut batch);
            let mut counts = [0; 3];
            for (puzzle, truth) in batch.puzzles.iter().zip(&batch.truths) {
                assert_eq!(puzzle.shape(), shape_of(row));
                let found: Outcome<Grid> = Backtracking::new().solve(puzzle, SolutionLimit::UNIQUENESS);
                match truth {
                    Truth::None => assert_eq!(found.solutions, 0, "{puzzle}"),
                    Truth::One(one) => {
                        assert_eq!((found.solutions, found.solution.as_ref()), (1, Some(one)), "{puzzle}");
                    }
                    Truth::Includes(_) => assert!(found.solutions > 0, "{puzzle}"),
                    Truth::Several => assert_eq!(found.solutions, 2, "{puzzle}"),
                    Truth::Unknown => {}
                }
                counts[found.solutions as usize] += 1;
            }
            assert!(counts.iter().all(|&puzzles| puzzles > 10), "{row}: {counts:?}");
        }
    }
}
