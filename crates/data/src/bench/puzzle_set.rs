//! The puzzles that engines are measured on.

use rand::Rng;

use gridmill_core::grid::{Grid, Isomorphism, Puzzle, Shape};

/// Puzzles to measure engines on.
///
/// ```
/// use gridmill_core::grid::{Grid, Shape};
/// use gridmill_data::bench::PuzzleSet;
///
/// let four = Grid::empty(Shape::new(2, 2).unwrap());
/// assert!(matches!(PuzzleSet::from(vec![four.clone()]), PuzzleSet::AnyShape(_)));
/// assert_eq!(PuzzleSet::from(vec![four]).shapes(), [Shape::new(2, 2).unwrap()]);
/// assert!(matches!(PuzzleSet::from(vec![Grid::empty(Shape::CLASSIC)]), PuzzleSet::Classic(_)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PuzzleSet {
    /// Classic puzzles.
    Classic(Vec<Puzzle>),
    /// Puzzles of any shape, or of several.
    AnyShape(Vec<Grid>),
}

impl PuzzleSet {
    /// Returns how many puzzles there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            PuzzleSet::Classic(puzzles) => puzzles.len(),
            PuzzleSet::AnyShape(grids) => grids.len(),
        }
    }

    /// Returns whether there are no puzzles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Iterates over the puzzles.
    pub fn grids(&self) -> impl Iterator<Item = Grid> {
        (0..self.len()).map(|index| self.grid(index))
    }

    /// Returns a puzzle as a grid of its shape.
    ///
    /// # Panics
    ///
    /// Where there is no puzzle of that index.
    #[must_use]
    pub fn grid(&self, index: usize) -> Grid {
        match self {
            PuzzleSet::Classic(puzzles) => puzzles[index].into(),
            PuzzleSet::AnyShape(grids) => grids[index].clone(),
        }
    }

    /// Returns the shapes of the puzzles, each once, in the order of their first puzzles.
    #[must_use]
    pub fn shapes(&self) -> Vec<Shape> {
        let PuzzleSet::AnyShape(grids) = self else { return vec![Shape::CLASSIC] };
        let mut shapes = Vec::new();
        for grid in grids {
            if !shapes.contains(&grid.shape()) {
                shapes.push(grid.shape());
            }
        }
        shapes
    }

    /// Returns a random isomorph of each puzzle.
    #[must_use]
    pub fn permuted(&self, rng: &mut impl Rng) -> PuzzleSet {
        match self {
            PuzzleSet::Classic(puzzles) => {
                let mut disguise = |puzzle| Isomorphism::random(Shape::CLASSIC, rng).apply_classic(puzzle);
                PuzzleSet::Classic(puzzles.iter().map(&mut disguise).collect())
            }
            PuzzleSet::AnyShape(grids) => {
                let disguise = |grid: &Grid| Isomorphism::random(grid.shape(), rng).apply(grid);
                PuzzleSet::AnyShape(grids.iter().map(disguise).collect())
            }
        }
    }
}

/// Classic puzzles if all of them are.
impl From<Vec<Grid>> for PuzzleSet {
    fn from(grids: Vec<Grid>) -> PuzzleSet {
        let classic = |grid: &Grid| match grid.shape() {
            Shape::CLASSIC => grid.cells().try_into().ok().and_then(Puzzle::from_cells),
            _ => None,
        };
        match grids.iter().map(classic).collect() {
            Some(puzzles) => PuzzleSet::Classic(puzzles),
            None => PuzzleSet::AnyShape(grids),
        }
    }
}
