//! Tests of the minlex forms of small puzzles against a minimum over all isomorphs, and against known numbers
//! of classes.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use super::{Canonical, Minlex};
use crate::grid::{Grid, Isomorphism, Shape};
use crate::solver::{AnyBitmask, Bounds, GridSolver};

fn shape(name: &str) -> Shape {
    name.parse().unwrap()
}

fn minlex(grid: &Grid) -> Canonical<Grid> {
    Minlex::new().of_clues(grid.into()).unwrap()
}

/// Returns every order of the numbers below `count`.
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

/// Returns every order of lines that keeps bands together: of the bands, then of each one's lines.
fn lines(bands: usize, size: usize) -> Vec<Vec<usize>> {
    let inner = permutations(size);
    let mut all = Vec::new();
    for outer in permutations(bands) {
        let mut heads: Vec<Vec<usize>> = vec![Vec::new()];
        for band in outer {
            let longer = |head: &Vec<usize>, order: &Vec<usize>| {
                head.iter().copied().chain(order.iter().map(|line| band * size + line)).collect()
            };
            heads =
                heads.iter().flat_map(|head| inner.iter().map(move |order| longer(head, order))).collect();
        }
        all.extend(heads);
    }
    all
}

/// Returns the least of all isomorphs, written out one by one, and how many ways give it.
fn naive(grid: &Grid) -> (Vec<u8>, u32) {
    let (shape, side) = (grid.shape(), grid.shape().side());
    let rows = lines(shape.box_columns(), shape.box_rows());
    let columns = lines(shape.box_rows(), shape.box_columns());
    let (mut least, mut count) = (vec![u8::MAX; shape.cells()], 0);
    let sides = if shape.box_rows() == shape.box_columns() { 2 } else { 1 };
    for transposed in 0..sides {
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
            let name = |cell: &u8| met.iter().position(|other| other == cell).unwrap() as u8;
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

/// Returns a puzzle of so many clues of a random grid.
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
    let (form, count) = naive(grid);
    assert_eq!((canonical.form.cells(), canonical.automorphisms), (&form[..], count), "{grid:?}");
    assert_eq!(canonical.transform.apply_to_grid(grid), canonical.form, "{grid:?}");
}

#[test]
fn the_least_of_all_isomorphs_of_small_puzzles() {
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
            let [one, other] = [&puzzle, &isomorph].map(|grid| finder.of_clues(grid.into()).unwrap());
            assert_eq!((&one.form, one.automorphisms), (&other.form, other.automorphisms), "{puzzle:?}");
            assert_eq!(one.transform.apply_to_grid(&puzzle), one.form);
        }
    }
}

/// Returns the forms of those solutions of a puzzle that are wanted, with their automorphisms.
fn classes(puzzle: &Grid, is_wanted: fn(&[u8]) -> bool) -> BTreeMap<Vec<u8>, u32> {
    let (mut finder, mut classes) = (Minlex::new(), BTreeMap::new());
    AnyBitmask::new().search(puzzle, &Bounds::ALL, &mut |cells| {
        if !is_wanted(cells) {
            return ControlFlow::Continue(());
        }
        let grid = Grid::of(puzzle.shape(), cells).unwrap();
        let canonical = finder.of_clues((&grid).into()).unwrap();
        classes.insert(canonical.form.cells().to_vec(), canonical.automorphisms);
        ControlFlow::Continue(())
    });
    classes
}

#[test]
fn full_grids_of_4x4_are_of_two_classes() {
    let classes = classes(&Grid::empty(shape("2x2")), |_| true);
    assert_eq!(classes.len(), 2);
    // A class has as many grids as there are isomorphisms, by its automorphisms: 288 in all.
    assert_eq!(classes.values().map(|automorphisms| 128 * 24 / automorphisms).sum::<u32>(), 288);
}

/// Checks the classes of 6x6. Every grid has an isomorph whose first row is 123456, and whose second one begins
/// with 456; and the other two bands, and their rows, in the order of the first column.
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
    assert_eq!(Minlex::new().of_clues((&Grid::new(shape("2x2"), cells).unwrap()).into()), None);
    assert_eq!(Minlex::new().of_clues((&Grid::empty(shape("2x5"))).into()), None);
    assert!(Minlex::serves(shape("4x2")) && !Minlex::serves(shape("5x2")));
}
