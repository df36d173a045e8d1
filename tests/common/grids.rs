//! Seeded random puzzles of any shape. They are generated without a solver, so that they can test every
//! solver.

use gridmill_core::grid::{Grid, Shape};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

pub fn shape(box_rows: usize, box_columns: usize) -> Shape {
    Shape::new(box_rows, box_columns).unwrap()
}

/// A full grid. It begins with the pattern that shifts each row by a box. Then its digits, its rows within
/// bands and its columns within stacks are shuffled.
pub fn random_full(shape: Shape, rng: &mut impl Rng) -> Vec<u8> {
    let (side, high, wide) = (shape.side(), shape.box_rows(), shape.box_columns());
    let mut digits: Vec<u8> = (1..=side as u8).collect();
    digits.shuffle(rng);
    let (rows, columns) = (shuffled_lines(wide, high, rng), shuffled_lines(high, wide, rng));
    let pattern = |row: usize, column: usize| (row % high * wide + row / high + column) % side;
    rows.iter()
        .flat_map(|&row| columns.iter().map(move |&column| (row, column)))
        .map(|(row, column)| digits[pattern(row, column)])
        .collect()
}

/// The lines of `bands` bands in random order: the bands are shuffled, and so are the lines in each.
fn shuffled_lines(bands: usize, lines: usize, rng: &mut impl Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..bands).collect();
    order.shuffle(rng);
    let band = |band| {
        let mut band: Vec<usize> = (band * lines..(band + 1) * lines).collect();
        band.shuffle(rng);
        band
    };
    order.into_iter().flat_map(band).collect()
}

/// A puzzle with `clues` clues of a full grid, chosen at random.
pub fn clues_of(shape: Shape, full: &[u8], clues: usize, rng: &mut impl Rng) -> Grid {
    let mut order: Vec<usize> = (0..shape.cells()).collect();
    order.shuffle(rng);
    let mut cells = full.to_vec();
    order[clues..].iter().for_each(|&cell| cells[cell] = 0);
    Grid::new(shape, cells).unwrap()
}

/// Puzzles of all kinds: proper, with many solutions, with none, contradictory, and one that is solved. At
/// least `share` of their cells are clues.
pub fn mixed(shape: Shape, share: f64, count: usize, rng: &mut impl Rng) -> Vec<Grid> {
    let fewest = (share * shape.cells() as f64) as usize;
    let one = |index| {
        let full = random_full(shape, rng);
        let clues = if index == 0 { shape.cells() } else { rng.random_range(fewest..shape.cells()) };
        let puzzle = clues_of(shape, &full, clues, rng);
        if index % 3 == 1 { changed(&puzzle, rng) } else { puzzle }
    };
    (0..count).map(one).collect()
}

/// Puts a random digit in a random cell. The puzzle then mostly has no solution, and often a contradiction.
fn changed(puzzle: &Grid, rng: &mut impl Rng) -> Grid {
    let mut cells = puzzle.cells().to_vec();
    cells[rng.random_range(0..puzzle.cells().len())] = rng.random_range(1..=puzzle.shape().side() as u8);
    Grid::new(puzzle.shape(), cells).unwrap()
}
