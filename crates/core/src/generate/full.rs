//! Random full grids, from which puzzles are dug.

use std::sync::atomic::{AtomicBool, Ordering};

use rand::Rng;
use rand::seq::SliceRandom;

use super::bands::BandFiller;
use super::fill::Fill;
use crate::grid::{House, Isomorphism, Shape};
use crate::simd::Backend;

/// A method to make full grids. Each grid is then put through a random isomorphism, so that no digit and no
/// place is special.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GridMethod {
    /// The first band and the first stack drawn at random, each possible pair equally likely, and the rest by
    /// search. Any grid may come out. For the classic shape only, and fast.
    Bands,
    /// By random search over all cells: any grid may come out.
    Backtracking,
    /// One random box in the corner, and the other boxes by cycling its rows and columns. The fastest, but
    /// all its grids have the same pattern: of the 5,472,730,538 classic grids that differ by more than an
    /// isomorphism only one comes out, as of every other shape.
    Transform,
    /// The boxes on the diagonal at random, and the rest by random search. Any grid may come out.
    Diagonal,
}

impl GridMethod {
    /// Every method.
    pub const ALL: [GridMethod; 4] =
        [GridMethod::Bands, GridMethod::Backtracking, GridMethod::Transform, GridMethod::Diagonal];

    /// Returns the default method for a shape.
    #[must_use]
    pub fn usual(shape: Shape) -> GridMethod {
        if shape == Shape::CLASSIC { GridMethod::Bands } else { GridMethod::Backtracking }
    }

    /// Returns whether the method can make grids of that shape.
    #[must_use]
    pub fn suits(self, shape: Shape) -> bool {
        self != GridMethod::Bands || shape == Shape::CLASSIC
    }

    /// Returns the name by which the method is chosen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            GridMethod::Bands => "bands",
            GridMethod::Backtracking => "backtracking",
            GridMethod::Transform => "transform",
            GridMethod::Diagonal => "diagonal",
        }
    }
}

/// Makes random full grids of one shape.
///
/// ```
/// use gridmill_core::generate::{FullGrids, GridMethod};
/// use gridmill_core::grid::{Shape, rules};
/// use rand::SeedableRng;
///
/// let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(1);
/// let grid = FullGrids::new(Shape::CLASSIC, GridMethod::Backtracking).make(&mut rng);
/// assert!(rules::is_valid_grid(Shape::CLASSIC, &grid));
/// ```
#[derive(Debug)]
pub struct FullGrids {
    shape: Shape,
    method: GridMethod,
    fill: Fill,
    bands: BandFiller,
}

impl FullGrids {
    /// Returns a maker of grids of a shape, by a method.
    ///
    /// # Panics
    ///
    /// Where the method does not suit the shape.
    #[must_use]
    pub fn new(shape: Shape, method: GridMethod) -> FullGrids {
        FullGrids::with_backend(shape, method, Backend::best())
    }

    /// Returns a maker as [`FullGrids::new`] does, with that backend for the lockstep engine.
    pub(super) fn with_backend(shape: Shape, method: GridMethod, backend: Backend) -> FullGrids {
        assert!(method.suits(shape), "{} does not make {shape} grids", method.name());
        FullGrids { shape, method, fill: Fill::new(shape), bands: BandFiller::new(backend) }
    }

    /// Returns the digits of a random grid, in reading order.
    #[must_use]
    pub fn make(&mut self, rng: &mut impl Rng) -> Vec<u8> {
        let made = self.make_all(std::slice::from_mut(rng), &AtomicBool::new(false));
        made.expect("nothing stops it").remove(0)
    }

    /// Returns a random grid from each source of random numbers, or `None` when `stop` becomes true. Cheaper
    /// than one by one with [`GridMethod::Bands`].
    pub(super) fn make_all(&mut self, rngs: &mut [impl Rng], stop: &AtomicBool) -> Option<Vec<Vec<u8>>> {
        if self.method == GridMethod::Bands {
            self.bands.complete(rngs);
        }
        rngs.iter_mut().enumerate().map(|(index, rng)| self.disguised(index, rng, stop)).collect()
    }

    /// Returns a random isomorph of a grid; of the one with that index where they are made all at once.
    fn disguised(&mut self, index: usize, rng: &mut impl Rng, stop: &AtomicBool) -> Option<Vec<u8>> {
        let shape = self.shape;
        let isomorphism = Isomorphism::random(shape, rng);
        let grid = match self.method {
            GridMethod::Bands => return Some(isomorphism.apply_to_cells(self.bands.grid(index))),
            GridMethod::Backtracking => self.filled(rng, stop, |_| vec![0; shape.cells()])?,
            GridMethod::Transform => cycled(shape, rng),
            GridMethod::Diagonal => self.filled(rng, stop, |rng| diagonal(shape, rng))?,
        };
        Some(isomorphism.apply_to_cells(&grid))
    }

    /// Runs searches until one comes to its end, or `stop` becomes true.
    fn filled<R: Rng>(
        &mut self,
        rng: &mut R,
        stop: &AtomicBool,
        begin: impl Fn(&mut R) -> Vec<u8>,
    ) -> Option<Vec<u8>> {
        while !stop.load(Ordering::Relaxed) {
            let begun = begin(rng);
            if let Some(grid) = self.fill.fill(&begun, rng) {
                return Some(grid.to_vec());
            }
        }
        None
    }
}

/// Returns one random box, cycled: each box further right has its columns moved on by one, each box further
/// down its rows. So a row that runs through several boxes meets all rows of the first one, and a column all
/// columns.
fn cycled(shape: Shape, rng: &mut impl Rng) -> Vec<u8> {
    let (high, wide) = (shape.box_rows(), shape.box_columns());
    let first = shuffled_digits(shape, rng);
    let cell = |row: usize, column: usize| {
        let (band, stack) = (row / high, column / wide);
        first[(row + stack) % high * wide + (column + band) % wide]
    };
    let side = shape.side();
    (0..side).flat_map(|row| (0..side).map(move |column| cell(row, column))).collect()
}

/// Returns random digits in boxes that share no row and no column.
fn diagonal(shape: Shape, rng: &mut impl Rng) -> Vec<u8> {
    let mut cells = vec![0; shape.cells()];
    let (bands, stacks) = (shape.box_columns(), shape.box_rows());
    for number in 0..bands.min(stacks) {
        let digits = shuffled_digits(shape, rng);
        let house = House::Box(number * stacks + number);
        house.cells(shape).zip(digits).for_each(|(cell, digit)| cells[cell.index()] = digit);
    }
    cells
}

fn shuffled_digits(shape: Shape, rng: &mut impl Rng) -> Vec<u8> {
    let mut digits: Vec<u8> = (1..=shape.side() as u8).collect();
    digits.shuffle(rng);
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::rules;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    #[test]
    fn every_method_makes_valid_grids_of_every_shape() {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        for (high, wide) in [(2, 2), (2, 3), (3, 2), (2, 5), (3, 3), (3, 4), (4, 4), (5, 5)] {
            let shape = Shape::new(high, wide).unwrap();
            for method in GridMethod::ALL.into_iter().filter(|method| method.suits(shape)) {
                let mut grids = FullGrids::new(shape, method);
                let (one, other) = (grids.make(&mut rng), grids.make(&mut rng));
                assert!(rules::is_valid_grid(shape, &one), "{method:?} {shape}");
                assert!(rules::is_valid_grid(shape, &other), "{method:?} {shape}");
                assert!(shape.side() < 9 || one != other, "{method:?} {shape}");
            }
        }
    }
}
