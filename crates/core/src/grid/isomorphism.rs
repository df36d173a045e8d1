//! Isomorphisms, which turn a Sudoku into an equivalent one, and symmetries of the cells that have clues.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::{CELLS, Cell, Grid, Puzzle, Shape};

/// A transformation that keeps a Sudoku as hard as it was. It renames digits and permutes bands, stacks, rows
/// within a band and columns within a stack. If boxes are square, it may also transpose the grid.
///
/// ```
/// use gridmill_core::grid::{Grid, Isomorphism, Shape};
/// use gridmill_core::solver::{AnyBitmask, Bounds, SolutionEngine};
/// use rand::SeedableRng;
///
/// let shape = Shape::new(2, 3).unwrap();
/// let mut cells = vec![0; 36];
/// cells[..6].copy_from_slice(&[1, 2, 3, 4, 5, 6]);
/// let puzzle = Grid::new(shape, cells).unwrap();
/// let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(1);
/// let disguised = Isomorphism::random(shape, &mut rng).apply(&puzzle);
/// let mut count = |grid| AnyBitmask::new().count(grid, &Bounds::ALL).solutions;
/// assert_eq!(count(&disguised), count(&puzzle));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isomorphism {
    shape: Shape,
    /// For each cell of the isomorph, the cell that its content comes from.
    from: Vec<u16>,
    /// The new name of each digit. Entry 0 is the blank, which stays 0.
    digits: Vec<u8>,
}

impl Isomorphism {
    /// The isomorphism that changes nothing.
    #[must_use]
    pub fn identity(shape: Shape) -> Isomorphism {
        let side = shape.side();
        Isomorphism::new(shape, |row, column| row * side + column, (0..=side as u8).collect())
    }

    /// For each cell of the new grid, the cell of the old one that its content comes from.
    #[must_use]
    pub fn sources(&self) -> &[u16] {
        &self.from
    }

    /// The new name of each digit, preceded by 0 for a blank.
    #[must_use]
    pub fn names(&self) -> &[u8] {
        &self.digits
    }

    /// Draws a random isomorphism. All (1,218,998,108,160 for 9x9) are equally likely.
    #[must_use]
    pub fn random(shape: Shape, rng: &mut impl Rng) -> Isomorphism {
        let mut isomorphism = Isomorphism::identity(shape);
        isomorphism.redraw(rng);
        isomorphism
    }

    /// Replaces the isomorphism by a random one of its shape, the same one that [`Isomorphism::random`] would
    /// draw. Use it in a loop, because it allocates nothing.
    pub fn redraw(&mut self, rng: &mut impl Rng) {
        let (side, high, wide) = (self.shape.side(), self.shape.box_rows(), self.shape.box_columns());
        let (rows, columns) = (lines(wide, high, rng), lines(high, wide, rng));
        let transposed = high == wide && rng.random_bool(0.5);
        let (down, right) = if transposed { (1, side) } else { (side, 1) };
        for (cells, &row) in self.from.chunks_exact_mut(side).zip(&rows) {
            for (cell, &column) in cells.iter_mut().zip(&columns) {
                *cell = (down * usize::from(row) + right * usize::from(column)) as u16;
            }
        }
        (0..).zip(&mut self.digits).for_each(|(digit, name)| *name = digit);
        self.digits[1..].shuffle(rng);
    }

    /// Builds an isomorphism that fills the cell in each row and column from the cell `from(row, column)`,
    /// and renames each digit (entry 0 is the blank).
    pub(crate) fn new(shape: Shape, from: impl Fn(usize, usize) -> usize, digits: Vec<u8>) -> Isomorphism {
        let from = Cell::all(shape).map(|cell| from(cell.row(shape), cell.column(shape)) as u16).collect();
        Isomorphism { shape, from, digits }
    }

    /// Transforms a puzzle.
    ///
    /// # Panics
    ///
    /// If the puzzle has another shape.
    #[must_use]
    pub fn apply(&self, grid: &Grid) -> Grid {
        assert_eq!(grid.shape(), self.shape, "an isomorphism is for one shape");
        Grid::new(self.shape, self.apply_to_cells(grid.cells())).expect("digits are renamed to digits")
    }

    /// Transforms a classic puzzle. Allocates nothing.
    ///
    /// # Panics
    ///
    /// If the isomorphism is for another shape.
    #[must_use]
    pub fn apply_classic(&self, puzzle: &Puzzle) -> Puzzle {
        let mut cells = [0; CELLS];
        self.write_cells(puzzle.cells(), &mut cells);
        Puzzle::from_cells(cells).expect("digits are renamed to digits")
    }

    /// Transforms cells in reading order.
    ///
    /// # Panics
    ///
    /// If the number of `cells` is not that of the shape, or if a cell is above the side. (9x9 grids are an exception: such a
    /// cell does not panic there, but becomes some digit or a blank.)
    #[must_use]
    pub fn apply_to_cells(&self, cells: &[u8]) -> Vec<u8> {
        let mut isomorph = vec![0; cells.len()];
        self.write_cells(cells, &mut isomorph);
        isomorph
    }

    /// Transforms `cells` in reading order and writes the result to `isomorph`. Allocates nothing. For a cell above
    /// the side, see [`Isomorphism::apply_to_cells`].
    ///
    /// ```
    /// use gridmill_core::Shape;
    /// use gridmill_core::grid::Isomorphism;
    /// use rand::SeedableRng;
    ///
    /// let mut isomorphism = Isomorphism::identity(Shape::CLASSIC);
    /// isomorphism.redraw(&mut rand::rngs::ChaCha8Rng::seed_from_u64(1));
    /// let (cells, mut isomorph) = ([5; 81], [0; 81]);
    /// isomorphism.write_cells(&cells, &mut isomorph);
    /// assert_eq!(isomorph.to_vec(), isomorphism.apply_to_cells(&cells));
    /// ```
    ///
    /// # Panics
    ///
    /// If the length of `cells` or `isomorph` is not the number of cells of the shape.
    pub fn write_cells(&self, cells: &[u8], isomorph: &mut [u8]) {
        let needed = self.from.len();
        assert_eq!((cells.len(), isomorph.len()), (needed, needed), "an isomorphism is for one shape");
        if let (Ok(cells), Ok(from), Ok(isomorph)) =
            (cells.try_into(), (&*self.from).try_into(), isomorph.try_into())
        {
            return self.write_classic(cells, from, isomorph);
        }
        for (to, &from) in isomorph.iter_mut().zip(&self.from) {
            *to = self.digits[usize::from(cells[usize::from(from)])];
        }
    }

    /// Writes the isomorph of 81 cells. The tables are padded to powers of two, so that no index needs a
    /// bounds check; this takes a third of the time.
    fn write_classic(&self, cells: &[u8; CELLS], from: &[u16; CELLS], isomorph: &mut [u8; CELLS]) {
        let (mut renamed, mut names) = ([0; 128], [0; 16]);
        names[..10].copy_from_slice(&self.digits);
        for (renamed, &cell) in renamed.iter_mut().zip(cells) {
            *renamed = names[usize::from(cell & 15)];
        }
        for (to, &from) in isomorph.iter_mut().zip(from) {
            *to = renamed[usize::from(from & 127)];
        }
    }
}

/// The lines of one direction in a new order, padded with zeros.
type Lines = [u8; Shape::MAX_SIDE];

/// Draws an order of the lines of one direction: bands (or stacks) in random order, and the lines within each
/// in random order.
fn lines(bands: usize, lines_of_a_band: usize, rng: &mut impl Rng) -> Lines {
    let mut order: Lines = std::array::from_fn(|band| band as u8);
    order[..bands].shuffle(rng);
    let mut lines = [0; Shape::MAX_SIDE];
    for (lines, &band) in lines.chunks_exact_mut(lines_of_a_band).zip(&order[..bands]) {
        (band * lines_of_a_band as u8..).zip(&mut *lines).for_each(|(line, place)| *place = line);
        lines.shuffle(rng);
    }
    lines
}

/// An order of up to nine lines: entry i is the line that moves to place i.
pub(crate) type LineOrder = [u8; 9];

/// Lists all orders of `lines` lines that keep the lines of a band (or stack) together.
pub(crate) fn line_orders(lines: usize, band: usize) -> Vec<LineOrder> {
    let mut orders = Vec::new();
    extend(&mut [0, 1, 2, 3, 4, 5, 6, 7, 8], 0, lines, band, &mut orders);
    orders
}

/// Adds all orders that begin with the first `done` lines of `order` and keep the lines of a band (or stack)
/// together.
fn extend(order: &mut LineOrder, done: usize, lines: usize, band: usize, all: &mut Vec<LineOrder>) {
    if done == lines {
        all.push(*order);
        return;
    }
    for line in 0..lines as u8 {
        if may_follow(&order[..done], line, band) {
            order[done] = line;
            extend(order, done + 1, lines, band, all);
        }
    }
}

/// Checks whether `line` may come next after `lines`. It must be unused, and it must belong to the band that
/// was begun last if that band is not complete.
pub(crate) fn may_follow(lines: &[u8], line: u8, band: usize) -> bool {
    let band_of = |line: u8| usize::from(line) / band;
    let is_begun = !lines.len().is_multiple_of(band);
    !lines.contains(&line) && (!is_begun || band_of(line) == band_of(lines[lines.len() - 1]))
}

named! {
    /// A symmetry of the cells that have clues, regardless of the digits. A puzzle can have several.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Symmetry {
        /// Rotation by half a turn.
        Rotate180 = "rotate180",
        /// Rotation by a quarter of a turn.
        Rotate90 = "rotate90",
        /// Reflection of left and right. When an existing puzzle is checked, a reflection of top and bottom
        /// counts too.
        Mirror = "mirror",
        /// Reflection at the diagonal from the top left. When an existing puzzle is checked, the other
        /// diagonal counts too.
        Diagonal = "diagonal",
    }
}

impl Symmetry {
    /// Maps a cell to its image, which has a clue exactly when the cell has one. [`Symmetry::Mirror`]
    /// reflects left and right, [`Symmetry::Diagonal`] reflects at the diagonal from the top left.
    ///
    /// ```
    /// use gridmill_core::grid::{Cell, Shape, Symmetry};
    ///
    /// assert_eq!(Symmetry::Rotate180.image(Cell::new(1), Shape::CLASSIC), Cell::new(79));
    /// ```
    #[must_use]
    pub const fn image(self, cell: Cell, shape: Shape) -> Cell {
        let (row, column) = self.image_at(cell.row(shape), cell.column(shape), shape.side() - 1);
        Cell::new(row * shape.side() + column)
    }

    /// Maps row and column; `last` is the index of the last row and column.
    #[inline(always)]
    const fn image_at(self, row: usize, column: usize, last: usize) -> (usize, usize) {
        match self {
            Symmetry::Rotate180 => (last - row, last - column),
            Symmetry::Rotate90 => (column, last - row),
            Symmetry::Mirror => (row, last - column),
            Symmetry::Diagonal => (column, row),
        }
    }

    /// Checks whether the clues have the symmetry, about either axis. `cells` are in reading order.
    ///
    /// ```
    /// use gridmill_core::grid::{Shape, Symmetry};
    ///
    /// let mut cells = [0; 81];
    /// (cells[0], cells[80]) = (1, 2);
    /// let has = Symmetry::ALL.map(|symmetry| symmetry.holds_for(Shape::CLASSIC, &cells));
    /// assert_eq!(has, [true, false, false, true]);
    /// ```
    ///
    /// # Panics
    ///
    /// If there are fewer cells than the shape has.
    #[must_use]
    pub fn holds_for(self, shape: Shape, cells: &[u8]) -> bool {
        self.axis(shape, cells).is_some()
    }

    /// Maps each cell to its image, by the axis about which the clues are symmetric. `None` if they are not
    /// symmetric about either.
    pub(crate) fn images(self, shape: Shape, cells: &[u8]) -> Option<Vec<u16>> {
        let is_other = self.axis(shape, cells)?;
        let image = |cell| self.image(Cell::new(cell), shape).index();
        let by_axis = |cell| if is_other { shape.cells() - 1 - image(cell) } else { image(cell) };
        Some((0..shape.cells()).map(|cell| by_axis(cell) as u16).collect())
    }

    /// Finds the axis about which the clues are symmetric: false for the first, true for the other one.
    /// `None` if they are not symmetric about either.
    fn axis(self, shape: Shape, cells: &[u8]) -> Option<bool> {
        let (side, last) = (shape.side(), shape.side() - 1);
        let keeps = |is_other: bool| {
            for (row, clues) in cells[..side * side].chunks_exact(side).enumerate() {
                for (column, &clue) in clues.iter().enumerate() {
                    let (row, column) = self.image_at(row, column, last);
                    let image = row * side + column;
                    // Reflecting at the other axis is the same as reflecting at the first one and turning the
                    // grid by half a turn.
                    let image = if is_other { side * side - 1 - image } else { image };
                    if (clue == 0) != (cells[image] == 0) {
                        return false;
                    }
                }
            }
            true
        };
        let has_other = matches!(self, Symmetry::Mirror | Symmetry::Diagonal);
        keeps(false).then_some(false).or_else(|| (has_other && keeps(true)).then_some(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::rules::is_valid_grid;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use std::collections::BTreeSet;

    /// Makes a full grid: each row is the one above it, shifted by a box, and by one more at each band.
    fn full(shape: Shape) -> Grid {
        let (side, high, wide) = (shape.side(), shape.box_rows(), shape.box_columns());
        let digit = |cell: usize| {
            let (row, column) = (cell / side, cell % side);
            ((row % high * wide + row / high + column) % side) as u8 + 1
        };
        Grid::new(shape, (0..shape.cells()).map(digit).collect()).unwrap()
    }

    #[test]
    fn isomorphs_of_solutions_obey_the_rules() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for shape in ["2x3", "3x2", "3x3", "2x4", "4x4", "5x5"].map(|name| name.parse().unwrap()) {
            let mut seen = BTreeSet::new();
            for _ in 0..100 {
                let other = Isomorphism::random(shape, &mut rng).apply(&full(shape));
                assert!(is_valid_grid(shape, other.cells()), "{other}");
                seen.insert(other.cells().to_vec());
            }
            assert_eq!(seen.len(), 100, "{shape}");
        }
    }

    /// Checks that a lone clue reaches every cell and becomes every digit.
    #[test]
    fn random_isomorphisms_reach_every_cell_and_digit() {
        let shape: Shape = "2x3".parse().unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut cells = vec![0; 36];
        cells[8] = 2;
        let grid = Grid::new(shape, cells).unwrap();
        let places = (0..2000).map(|_| {
            let other = Isomorphism::random(shape, &mut rng).apply(&grid);
            assert_eq!(other.clue_count(), 1);
            other.cells().iter().copied().enumerate().find(|&(_, digit)| digit > 0).unwrap()
        });
        assert_eq!(places.collect::<BTreeSet<_>>().len(), 36 * 6);
    }

    #[test]
    fn redraw_and_write_cells_match_the_allocating_functions() {
        for name in ["2x2", "2x3", "3x3", "4x4", "5x5"] {
            let shape = name.parse().unwrap();
            let [mut rng, mut same] = [3, 3].map(ChaCha8Rng::seed_from_u64);
            let mut drawn = Isomorphism::identity(shape);
            assert_eq!(drawn.apply(&full(shape)), full(shape));
            for _ in 0..20 {
                drawn.redraw(&mut rng);
                let random = Isomorphism::random(shape, &mut same);
                assert_eq!(drawn, random);
                let mut cells = full(shape).cells().to_vec();
                cells[0] = 0;
                let mut written = vec![0; shape.cells()];
                drawn.write_cells(&cells, &mut written);
                assert_eq!(written, random.apply_to_cells(&cells));
            }
        }
    }

    #[test]
    fn classic_puzzles_and_grids_have_equal_isomorphs() {
        let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
        let puzzle: Puzzle = line.parse().unwrap();
        let isomorphism = Isomorphism::random(Shape::CLASSIC, &mut ChaCha8Rng::seed_from_u64(3));
        assert_eq!(Grid::from(isomorphism.apply_classic(&puzzle)), isomorphism.apply(&puzzle.into()));
    }

    fn symmetries(clues: &[usize]) -> Vec<&'static str> {
        let mut cells = [0; 81];
        clues.iter().for_each(|&cell| cells[cell] = 1);
        let has = |symmetry: &Symmetry| symmetry.holds_for(Shape::CLASSIC, &cells);
        Symmetry::ALL.into_iter().filter(has).map(Symmetry::name).collect()
    }

    #[test]
    fn either_axis_makes_a_puzzle_symmetric() {
        assert_eq!(symmetries(&[2, 6]), ["mirror"]);
        assert_eq!(symmetries(&[9, 63]), ["mirror"]);
        assert_eq!(symmetries(&[1, 9]), ["diagonal"]);
        assert_eq!(symmetries(&[7, 17]), ["diagonal"]);
        assert_eq!(symmetries(&[1, 79]), ["rotate180"]);
        assert_eq!(symmetries(&[1, 17, 63, 79]), ["rotate180", "rotate90"]);
        assert_eq!(symmetries(&[0, 8, 72, 80]), ["rotate180", "rotate90", "mirror", "diagonal"]);
        assert_eq!(symmetries(&[0, 1]), Vec::<&str>::new());
    }
}
