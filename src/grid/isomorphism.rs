//! Grids of any shape in disguise.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::Shape;

/// A change that turns every valid grid of a shape into a valid one, and leaves a puzzle as many solutions
/// as it had: digits renamed; bands and stacks, rows in a band and columns in a stack put in another order;
/// the grid perhaps transposed, where its boxes are as wide as high.
///
/// ```
/// use gridmill::grid::{GridIsomorphism, Shape, rules};
/// use rand::SeedableRng;
///
/// let shape = Shape::new(2, 2).unwrap();
/// let grid = [1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1];
/// let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
/// let other = GridIsomorphism::random(shape, &mut rng).apply(&grid);
/// assert!(rules::is_valid_grid(shape, &other));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridIsomorphism {
    /// For each cell, the one that its content comes from.
    from: Vec<u16>,
    /// For each digit, 0 for none, its new name.
    digits: Vec<u8>,
}

impl GridIsomorphism {
    /// One of all that the shape has, each as likely as any other.
    #[must_use]
    pub fn random(shape: Shape, rng: &mut impl Rng) -> GridIsomorphism {
        let side = shape.side();
        let rows = shuffled_lines(shape.box_columns(), shape.box_rows(), rng);
        let columns = shuffled_lines(shape.box_rows(), shape.box_columns(), rng);
        let transposed = shape.box_rows() == shape.box_columns() && rng.random_bool(0.5);
        let place = |(row, column)| if transposed { column * side + row } else { row * side + column };
        let cells = rows.iter().flat_map(|&row| columns.iter().map(move |&column| (row, column)));
        let from = cells.map(|cell| place(cell) as u16).collect();
        let mut digits: Vec<u8> = (0..=side as u8).collect();
        digits[1..].shuffle(rng);
        GridIsomorphism { from, digits }
    }

    /// The cells of a puzzle or a grid in their new form.
    ///
    /// # Panics
    ///
    /// Where `cells` are not as many as the shape has, or not of its digits.
    #[must_use]
    pub fn apply(&self, cells: &[u8]) -> Vec<u8> {
        assert_eq!(cells.len(), self.from.len());
        self.from.iter().map(|&cell| self.digits[usize::from(cells[usize::from(cell)])]).collect()
    }
}

/// The lines of one direction: so many bands of so many lines, bands and the lines of each in random order.
fn shuffled_lines(bands: usize, lines: usize, rng: &mut impl Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..bands).collect();
    order.shuffle(rng);
    let mut all: Vec<usize> =
        order.into_iter().flat_map(|band| (0..lines).map(move |line| band * lines + line)).collect();
    all.chunks_mut(lines).for_each(|band| band.shuffle(rng));
    all
}

#[cfg(test)]
mod tests {
    use super::super::rules::is_valid_grid;
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn a_grid_stays_one_whatever_its_shape() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for (high, wide) in [(2, 2), (2, 3), (3, 2), (3, 3), (3, 4), (5, 5)] {
            let shape = Shape::new(high, wide).unwrap();
            let side = shape.side();
            let cell = |cell: usize| {
                let (row, column) = (cell / side, cell % side);
                ((row % high * wide + row / high + column) % side + 1) as u8
            };
            let mut grids = vec![(0..shape.cells()).map(cell).collect::<Vec<u8>>()];
            for _ in 0..20 {
                grids.push(GridIsomorphism::random(shape, &mut rng).apply(grids.last().unwrap()));
            }
            assert!(grids.iter().all(|grid| is_valid_grid(shape, grid)), "{shape}");
            grids.sort_unstable();
            grids.dedup();
            assert!(grids.len() > 10, "{shape}");
        }
    }
}
