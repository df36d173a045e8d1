//! Tests of the minlex form against a minimum over all isomorphs, one by one.

use std::cmp::Ordering;

use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};

use super::{Minlex, ORDERS};
use crate::grid::{CELLS, Isomorphism, Puzzle, Shape};
use crate::solver::{Bitmask, SolutionLimit, Solver};

/// The grid with the most automorphisms, 648, and one whose automorphisms are counted below.
const SYMMETRIC_GRIDS: [(&str, u32); 2] = [
    ("123456789456789123789123456231564897564897231897231564312645978645978312978312645", 648),
    ("123456789456789123789123456214365897365897214897214365531642978642978531978531642", 3),
];

fn puzzle(line: &str) -> Puzzle {
    line.parse().unwrap()
}

fn rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(9)
}

/// Returns a full grid.
fn random_grid(rng: &mut impl Rng) -> Puzzle {
    let mut cells = [0; CELLS];
    let mut digits: Vec<u8> = (1..=9).collect();
    digits.shuffle(rng);
    cells[..9].copy_from_slice(&digits);
    cells[9 + rng.random_range(0..3)] = digits[3 + rng.random_range(0..6)];
    cells[40] = rng.random_range(1..=9);
    let solution = Bitmask::new().solve(&Puzzle::from_cells(cells).unwrap(), SolutionLimit::FIRST).solution;
    let isomorphism = Isomorphism::random(Shape::CLASSIC, rng);
    solution.map_or_else(
        || random_grid(rng),
        |grid| isomorphism.apply_classic(&Puzzle::from_cells(*grid.cells()).unwrap()),
    )
}

/// Returns a puzzle of so many clues.
fn random_puzzle(clues: usize, rng: &mut impl Rng) -> Puzzle {
    let mut order: Vec<usize> = (0..CELLS).collect();
    order.shuffle(rng);
    let mut cells = *random_grid(rng).cells();
    order[clues..].iter().for_each(|&cell| cells[cell] = 0);
    Puzzle::from_cells(cells).unwrap()
}

/// Returns the orders of nine lines that keep bands together.
fn orders() -> Vec<[usize; 9]> {
    let number = |number: usize, place: u32| number / 6_usize.pow(place) % 6;
    let order = |orders: usize| {
        std::array::from_fn(|line| {
            let band = ORDERS[number(orders, 0)][line / 3];
            3 * band + ORDERS[number(orders, 1 + line as u32 / 3)][line % 3]
        })
    };
    (0..1296).map(order).collect()
}

/// Returns the least of all isomorphs, and how many of the ways to move the cells give it.
fn naive(puzzle: &Puzzle) -> (Puzzle, u32) {
    let (mut least, mut count) = ([10; CELLS], 0);
    let orders = orders();
    for transposed in [false, true] {
        for rows in &orders {
            for columns in &orders {
                let cell = |place: usize| {
                    let (row, column) = (rows[place / 9], columns[place % 9]);
                    puzzle.cells()[if transposed { 9 * column + row } else { 9 * row + column }]
                };
                match take_if_less(&cell, &mut least) {
                    Ordering::Less => count = 1,
                    Ordering::Equal => count += 1,
                    Ordering::Greater => {}
                }
            }
        }
    }
    (Puzzle::from_cells(least).unwrap(), count)
}

/// Names the digits of a grid as they appear, and replaces the least grid if this one is less.
fn take_if_less(cell: &dyn Fn(usize) -> u8, least: &mut [u8; CELLS]) -> Ordering {
    let (mut names, mut named, mut order) = ([0; 10], 0, Ordering::Equal);
    for place in 0..CELLS {
        let digit = usize::from(cell(place));
        if digit > 0 && names[digit] == 0 {
            named += 1;
            names[digit] = named;
        }
        order = order.then(names[digit].cmp(&least[place]));
        match order {
            Ordering::Less => least[place] = names[digit],
            Ordering::Equal => {}
            Ordering::Greater => return order,
        }
    }
    order
}

fn is_as_naive(puzzle: &Puzzle) {
    let canonical = Minlex::new().of(puzzle).unwrap();
    let (form, automorphisms) = naive(puzzle);
    assert_eq!((canonical.form, canonical.automorphisms), (form, automorphisms), "{puzzle}");
    assert_eq!(canonical.transform.apply(puzzle), form, "{puzzle}");
}

#[test]
fn the_least_of_all_isomorphs() {
    let mut rng = rng();
    for clues in [5, 24, 45, 81] {
        is_as_naive(&random_puzzle(clues, &mut rng));
    }
}

/// Returns puzzles of few clues and many symmetries.
fn symmetric_puzzles() -> Vec<Puzzle> {
    let of = |clues: &[(usize, u8)]| {
        let mut cells = [0; CELLS];
        clues.iter().for_each(|&(cell, digit)| cells[cell] = digit);
        Puzzle::from_cells(cells).unwrap()
    };
    let row: Vec<_> = (0..9).map(|cell| (cell, cell as u8 + 1)).collect();
    let diagonal: Vec<_> = (0..9).map(|line| (10 * line, line as u8 + 1)).collect();
    let of_a_digit: Vec<_> = [0, 12, 24, 28, 40, 52, 56, 68, 80].map(|cell| (cell, 4)).to_vec();
    let most_canonical = *puzzle(SYMMETRIC_GRIDS[0].0).cells();
    let boxes: Vec<_> = [0, 30, 60]
        .into_iter()
        .flat_map(|corner| [0, 1, 2, 9, 10, 11, 18, 19, 20].map(|cell| corner + cell))
        .map(|cell| (cell, most_canonical[cell]))
        .collect();
    let rows: Vec<_> = [0, 27, 54].into_iter().flat_map(|row| row..row + 9).collect();
    let rows: Vec<_> = rows.into_iter().map(|cell| (cell, most_canonical[cell])).collect();
    let corners = of(&[(0, 1), (8, 2), (72, 3), (80, 4)]);
    let lists = [&row, &diagonal, &of_a_digit, &boxes, &rows];
    let empty = [Puzzle::EMPTY, of(&[(40, 7)]), of(&[(40, 7), (41, 3)]), corners];
    empty.into_iter().chain(lists.map(|clues| of(clues))).collect()
}

#[test]
fn symmetric_puzzles_have_many_automorphisms() {
    let mut most = Vec::new();
    for puzzle in symmetric_puzzles() {
        is_as_naive(&puzzle);
        most.push(Minlex::new().of(&puzzle).unwrap().automorphisms);
    }
    // The empty grid allows all moves; one clue, those that keep one cell of 81 in place.
    assert_eq!(most[..2], [3_359_232, 41_472]);
}

#[test]
#[ignore = "a minute: cargo test --release -p gridmill-core --lib minlex -- --ignored"]
fn the_least_of_all_isomorphs_many_times() {
    let mut rng = rng();
    for clues in (0..=81).chain([17, 20, 22, 24, 26, 28, 30, 81, 81, 81]) {
        is_as_naive(&random_puzzle(clues, &mut rng));
        let thin = random_puzzle(clues, &mut rng).cells().map(|digit| if digit < 4 { digit } else { 0 });
        is_as_naive(&Puzzle::from_cells(thin).unwrap());
    }
    for (grid, _) in SYMMETRIC_GRIDS {
        is_as_naive(&puzzle(grid));
        for digits in 1..9 {
            let cells = puzzle(grid).cells().map(|digit| if digit <= digits { digit } else { 0 });
            is_as_naive(&Puzzle::from_cells(cells).unwrap());
        }
    }
}

#[test]
fn isomorphs_have_one_form() {
    let mut rng = rng();
    let mut minlex = Minlex::new();
    let mut puzzles: Vec<Puzzle> =
        [0, 3, 17, 24, 30, 50, 72, 80, 81, 81].map(|clues| random_puzzle(clues, &mut rng)).to_vec();
    puzzles.push(puzzle(SYMMETRIC_GRIDS[0].0));
    for puzzle in puzzles {
        let canonical = minlex.of(&puzzle).unwrap();
        assert_eq!(canonical.transform.apply(&puzzle), canonical.form);
        let again = minlex.of(&canonical.form).unwrap();
        assert_eq!((again.form, again.automorphisms), (canonical.form, canonical.automorphisms));
        for _ in 0..1000 {
            let isomorph = Isomorphism::random(Shape::CLASSIC, &mut rng).apply_classic(&puzzle);
            let other = minlex.of(&isomorph).unwrap();
            assert_eq!((other.form, other.automorphisms), (canonical.form, canonical.automorphisms));
            assert_eq!(other.transform.apply(&isomorph), canonical.form);
        }
    }
}

#[test]
fn known_numbers_of_automorphisms() {
    for (grid, automorphisms) in SYMMETRIC_GRIDS {
        assert_eq!(Minlex::new().of(&puzzle(grid)).unwrap().automorphisms, automorphisms, "{grid}");
    }
    let mut rng = rng();
    let alone =
        (0..100).filter(|_| Minlex::new().of(&random_grid(&mut rng)).unwrap().automorphisms == 1).count();
    assert_eq!(alone, 100, "about one grid in ten thousand has more");
}

#[test]
fn contradictory_clues_have_no_form() {
    let mut minlex = Minlex::new();
    for other in [1, 8, 9, 72, 20] {
        let mut cells = [0; CELLS];
        (cells[0], cells[other]) = (6, 6);
        assert_eq!(minlex.of(&Puzzle::from_cells(cells).unwrap()), None);
    }
    assert_eq!(minlex.of(&Puzzle::from_cells([1; CELLS]).unwrap()), None);
}
