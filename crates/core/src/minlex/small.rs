//! The minlex form of a puzzle of up to 8x8 cells.
//!
//! It tries every order of the columns, up to 1,152 of them, and for each of them every row that may come next, from
//! the top. A row is compared with that of the least form so far, with its digits named as they appear. If it is
//! greater, the search stops there, because nothing below it can be the least.

use super::{CanonicalCells, Transform};
use crate::grid::{CELLS, LineOrder, Shape, line_orders, may_follow};

/// The largest side of a grid whose isomorphs are few enough to be tried one by one.
const SIDE: usize = 8;

/// The search, with the column orders of the shape that came last.
#[derive(Debug, Default)]
pub(super) struct SmallSearch {
    columns: Option<(Shape, Vec<LineOrder>)>,
}

impl SmallSearch {
    /// Checks whether a shape is small enough.
    pub(super) const fn serves(shape: Shape) -> bool {
        shape.side() <= SIDE
    }

    /// Finds the least form of a puzzle that obeys the rules, with that rank of a blank.
    pub(super) fn least_form(&mut self, shape: Shape, cells: &[u8], blank: u8) -> CanonicalCells {
        let mut partial = Transform::identity(shape);
        if self.columns.as_ref().is_none_or(|(known, _)| *known != shape) {
            self.columns = Some((shape, line_orders(shape.side(), shape.box_columns())));
        }
        let columns = self.columns.iter().flat_map(|(_, orders)| orders);
        // The form is greater than every other one until a first one is found.
        let mut least = CanonicalCells { form: [u8::MAX; CELLS], transform: partial, automorphisms: 0 };
        partial.digits[1..=shape.side()].fill(0);
        partial.digits[0] = blank;
        for &columns in columns.clone() {
            partial.columns = columns;
            least.add_row(cells, &partial, 0, 0);
        }
        if shape.box_rows() == shape.box_columns() {
            let side = shape.side();
            let transposed: Vec<u8> =
                (0..cells.len()).map(|cell| cells[cell % side * side + cell / side]).collect();
            partial.transposed = true;
            for &columns in columns {
                partial.columns = columns;
                least.add_row(&transposed, &partial, 0, 0);
            }
        }
        least.form[shape.cells()..].fill(0);
        least.form.iter_mut().filter(|cell| **cell == blank).for_each(|cell| *cell = 0);
        least.transform.digits[0] = 0;
        least
    }
}

/// Here the cells are the least form so far, and `automorphisms` counts how many ways lead to it.
impl CanonicalCells {
    /// Tries every row that may come next in a partial transform. The transform has `place` rows from the
    /// top, and new names for the `named` digits that occur in them; the other digits have the name 0.
    fn add_row(&mut self, cells: &[u8], partial: &Transform, named: u8, place: usize) {
        let (side, band) = (partial.shape.side(), partial.shape.box_rows());
        if place == side {
            self.automorphisms += 1;
            if self.automorphisms == 1 {
                self.transform = *partial;
                self.transform.name_others(0, named);
            }
            return;
        }
        for row in 0..side as u8 {
            if may_follow(&partial.rows[..place], row, band) {
                let (mut next, mut named) = (*partial, named);
                next.rows[place] = row;
                if self.improve_row(cells, &mut next, &mut named, place) {
                    self.add_row(cells, &next, named, place + 1);
                }
            }
        }
    }

    /// Compares a row with that of the least form, and replaces it if it is less. Returns whether the
    /// transform may still lead to the least form.
    fn improve_row(&mut self, cells: &[u8], partial: &mut Transform, named: &mut u8, place: usize) -> bool {
        let side = partial.shape.side();
        let line = &cells[usize::from(partial.rows[place]) * side..][..side];
        let mut is_less = false;
        for (column, from) in partial.columns[..side].iter().enumerate() {
            let digit = usize::from(line[usize::from(*from)]);
            if digit != 0 && partial.digits[digit] == 0 {
                *named += 1;
                partial.digits[digit] = *named;
            }
            let (name, least) = (partial.digits[digit], &mut self.form[place * side + column]);
            if !is_less && name > *least {
                return false;
            }
            is_less |= name < *least;
            *least = name;
        }
        if is_less {
            self.form[(place + 1) * side..].fill(u8::MAX);
            self.automorphisms = 0;
        }
        true
    }
}

/// Tests of the minlex forms of small puzzles against a minimum over all isomorphs, and against known numbers
/// of classes.
#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::ops::ControlFlow;

    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use rand::seq::SliceRandom;

    use super::Shape;
    use crate::grid::{Grid, Isomorphism};
    use crate::minlex::{CanonicalCells, Minlex};
    use crate::solver::{AnyBitmask, Bounds, SolutionEngine, Solvable};

    fn shape(name: &str) -> Shape {
        name.parse().unwrap()
    }

    fn minlex(grid: &Grid) -> CanonicalCells {
        Minlex::new().canonical_cells(grid.clues()).unwrap()
    }

    fn transformed(canonical: &CanonicalCells, grid: &Grid) -> Vec<u8> {
        canonical.transform.isomorphism().apply_to_cells(grid.cells())
    }

    /// Every order of the numbers below `count`.
    fn permutations(count: usize) -> Vec<Vec<usize>> {
        if count == 0 {
            return vec![Vec::new()];
        }
        let shorter = permutations(count - 1);
        let with_last = |order: &Vec<usize>, place: usize| {
            let mut order = order.clone();
            order.insert(place, count - 1);
            order
        };
        shorter.iter().flat_map(|order| (0..count).map(move |place| with_last(order, place))).collect()
    }

    /// Every order of lines that keeps bands together: the bands in any order, then the lines of each.
    fn lines(bands: usize, size: usize) -> Vec<Vec<usize>> {
        let inner = permutations(size);
        let mut all = Vec::new();
        for outer in permutations(bands) {
            let mut heads: Vec<Vec<usize>> = vec![Vec::new()];
            for band in outer {
                let longer = |head: &Vec<usize>, order: &Vec<usize>| {
                    head.iter().copied().chain(order.iter().map(|line| band * size + line)).collect()
                };
                heads = heads
                    .iter()
                    .flat_map(|head| inner.iter().map(move |order| longer(head, order)))
                    .collect();
            }
            all.extend(heads);
        }
        all
    }

    /// The least of all isomorphs by an order of cells that has a blank in that place, computed one by one, and
    /// how many ways give it.
    fn naive(grid: &Grid, blank: u8) -> (Vec<u8>, u32) {
        let (shape, side) = (grid.shape(), grid.shape().side());
        let rows = lines(shape.box_columns(), shape.box_rows());
        let columns = lines(shape.box_rows(), shape.box_columns());
        let (mut least, mut count) = (vec![u8::MAX; shape.cells()], 0);
        let orientations = if shape.box_rows() == shape.box_columns() { 2 } else { 1 };
        for transposed in 0..orientations {
            for (row, column) in rows.iter().flat_map(|row| columns.iter().map(move |column| (row, column))) {
                let from = |place: usize| match (row[place / side], column[place % side]) {
                    (row, column) if transposed == 0 => row * side + column,
                    (row, column) => column * side + row,
                };
                let moved: Vec<u8> = (0..shape.cells()).map(|place| grid.cells()[from(place)]).collect();
                let mut met: Vec<u8> = vec![0];
                for &cell in &moved {
                    if !met.contains(&cell) {
                        met.push(cell);
                    }
                }
                let name = |cell: &u8| match met.iter().position(|other| other == cell).unwrap() as u8 {
                    0 => blank,
                    name => name,
                };
                let named: Vec<u8> = moved.iter().map(name).collect();
                if named < least {
                    (least, count) = (named, 1);
                } else if named == least {
                    count += 1;
                }
            }
        }
        (least, count)
    }

    /// A puzzle with this many clues of a random grid.
    fn random_puzzle(shape: Shape, clues: usize, rng: &mut ChaCha8Rng) -> Grid {
        let mut full = Vec::new();
        AnyBitmask::new().search(&Grid::empty(shape), &Bounds::ALL, &mut |cells| {
            full = cells.to_vec();
            ControlFlow::Break(())
        });
        let full = Isomorphism::random(shape, rng).apply_to_cells(&full);
        let mut order: Vec<usize> = (0..full.len()).collect();
        order.shuffle(rng);
        let mut cells = vec![0; full.len()];
        order[..clues].iter().for_each(|&cell| cells[cell] = full[cell]);
        Grid::new(shape, cells).unwrap()
    }

    fn is_as_naive(grid: &Grid) {
        let canonical = minlex(grid);
        let (form, count) = naive(grid, 0);
        assert_eq!((canonical.cells(), canonical.automorphisms), (&form[..], count), "{grid:?}");
        assert_eq!(transformed(&canonical, grid), canonical.cells(), "{grid:?}");

        let canonical = Minlex::new().maxlex_cells(grid.clues()).unwrap();
        let blank = grid.shape().side() as u8 + 1;
        let (form, count) = naive(grid, blank);
        let form: Vec<u8> = form.iter().map(|name| blank - name).collect();
        assert_eq!((canonical.cells(), canonical.automorphisms), (&form[..], count), "{grid:?}");
        assert_eq!(transformed(&canonical, grid), canonical.cells(), "{grid:?}");
    }

    #[test]
    fn the_least_and_the_greatest_of_all_isomorphs_of_small_puzzles() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for name in ["2x2", "2x3", "3x2"] {
            let shape = shape(name);
            is_as_naive(&Grid::empty(shape));
            for clues in [1, 3, shape.cells() / 3, shape.cells() / 2, shape.cells()] {
                is_as_naive(&random_puzzle(shape, clues, &mut rng));
            }
        }
    }

    #[test]
    fn isomorphs_of_every_small_shape_have_one_form() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut finder = Minlex::new();
        for name in ["2x2", "2x3", "3x2", "2x4", "4x2", "3x3"] {
            let shape = shape(name);
            for clues in [shape.cells() / 4, shape.cells() / 2, shape.cells()] {
                let puzzle = random_puzzle(shape, clues, &mut rng);
                let isomorph = Isomorphism::random(shape, &mut rng).apply(&puzzle);
                let [one, other] =
                    [&puzzle, &isomorph].map(|grid| finder.canonical_cells(grid.clues()).unwrap());
                assert_eq!((one.form, one.automorphisms), (other.form, other.automorphisms), "{puzzle:?}");
                assert_eq!(transformed(&one, &puzzle), one.cells());
            }
        }
    }

    /// The forms of those solutions of a puzzle that are wanted, with their automorphisms.
    fn classes(puzzle: &Grid, is_wanted: fn(&[u8]) -> bool) -> BTreeMap<Vec<u8>, u32> {
        let (mut finder, mut classes) = (Minlex::new(), BTreeMap::new());
        AnyBitmask::new().search(puzzle, &Bounds::ALL, &mut |cells| {
            if !is_wanted(cells) {
                return ControlFlow::Continue(());
            }
            let grid = Grid::from_cells(puzzle.shape(), cells).unwrap();
            let canonical = finder.canonical_cells(grid.clues()).unwrap();
            classes.insert(canonical.cells().to_vec(), canonical.automorphisms);
            ControlFlow::Continue(())
        });
        classes
    }

    #[test]
    fn full_grids_of_4x4_are_of_two_classes() {
        let classes = classes(&Grid::empty(shape("2x2")), |_| true);
        assert_eq!(classes.len(), 2);
        // The isomorphisms divided by the automorphisms of a class give its number of grids, so the classes
        // must add up to 288.
        assert_eq!(classes.values().map(|automorphisms| 128 * 24 / automorphisms).sum::<u32>(), 288);
    }

    /// Checks the classes of 6x6. It lists only some grids, because every grid has an isomorph whose first
    /// row is 123456, whose second row begins with 456, and whose other two bands, and their rows, are in the
    /// order of the first column.
    #[test]
    fn full_grids_of_6x6_are_of_49_classes() {
        let mut cells = vec![0; 36];
        cells[..9].copy_from_slice(&[1, 2, 3, 4, 5, 6, 4, 5, 6]);
        let in_order = |cells: &[u8]| cells[12] < cells[18] && cells[12] < cells[24] && cells[24] < cells[30];
        let classes = classes(&Grid::new(shape("2x3"), cells).unwrap(), in_order);
        assert_eq!(classes.len(), 49);
        let grids = classes.values().map(|automorphisms| 3_456 * 720 / automorphisms).sum::<u32>();
        assert_eq!(grids, 28_200_960);
    }

    #[test]
    fn contradictions_and_large_puzzles_have_no_form() {
        let mut cells = vec![0; 16];
        (cells[0], cells[1]) = (1, 1);
        assert_eq!(Minlex::new().canonical_cells(Grid::new(shape("2x2"), cells).unwrap().clues()), None);
        assert_eq!(Minlex::new().canonical_cells(Grid::empty(shape("2x5")).clues()), None);
        assert!(Minlex::serves(shape("4x2")) && !Minlex::serves(shape("5x2")));
    }
}
