//! Tests grids of candidates: the engine against a slow search, and against the engine for clues.

use crate::common::{mixed_puzzles, random_grid, rng};
use gridmill_core::grid::{CELLS, Cell, Digit, DigitSet, House, Pencilmarks, Shape, Solution, rules};
use gridmill_core::solver::{Bitmask, Bounds, GridSolver, SolutionLimit, Solver};
use rand::{Rng, RngExt};

/// Counts solutions up to a limit. It fills a cell of fewest candidates at a time, and uses nothing but the
/// rules.
struct Oracle {
    peers: Vec<Vec<usize>>,
    limit: usize,
}

impl Oracle {
    fn new(limit: usize) -> Oracle {
        let houses: Vec<Vec<Cell>> =
            House::all(Shape::CLASSIC).map(|house| house.cells(Shape::CLASSIC).collect()).collect();
        let see = |cell: Cell, other: Cell| {
            cell != other && houses.iter().any(|house| house.contains(&cell) && house.contains(&other))
        };
        let peers = |cell| {
            Cell::all(Shape::CLASSIC).filter(|&other| see(cell, other)).map(Cell::index).collect::<Vec<_>>()
        };
        Oracle { peers: Cell::all(Shape::CLASSIC).map(peers).collect(), limit }
    }

    fn solutions(&self, marks: &Pencilmarks) -> Vec<[u8; CELLS]> {
        let mut found = Vec::new();
        self.search(&mut [0; CELLS], marks.candidates(), &mut found);
        found
    }

    fn search(&self, cells: &mut [u8; CELLS], marks: &[DigitSet; CELLS], found: &mut Vec<[u8; CELLS]>) {
        let fits = |cell: usize, digit: Digit| {
            marks[cell].contains(digit) && self.peers[cell].iter().all(|&peer| cells[peer] != digit.get())
        };
        let choices = |cell: usize| Digit::all(9).filter(|&digit| fits(cell, digit)).collect::<Vec<_>>();
        let open = (0..CELLS).filter(|&cell| cells[cell] == 0).map(|cell| (cell, choices(cell)));
        let Some((cell, digits)) = open.min_by_key(|(_, digits)| digits.len()) else {
            found.push(*cells);
            return;
        };
        for digit in digits {
            cells[cell] = digit.get();
            self.search(cells, marks, found);
            cells[cell] = 0;
            if found.len() == self.limit {
                return;
            }
        }
    }
}

/// Candidates of a full grid: its digits, and each other digit with a probability of `percent`. Now and then
/// a digit of the grid is missing.
fn random_marks(grid: &Solution, percent: u32, rng: &mut impl Rng) -> Pencilmarks {
    let missing = if rng.random_ratio(1, 4) { Some(rng.random_range(0..CELLS)) } else { None };
    Pencilmarks::new(std::array::from_fn(|cell| {
        let keeps = |digit: &Digit| match digit.get() == grid.cells()[cell] {
            true => missing != Some(cell),
            false => rng.random_ratio(percent, 100),
        };
        Digit::all(9).filter(keeps).fold(DigitSet::EMPTY, DigitSet::with)
    }))
}

#[test]
fn random_eliminations_agree_with_a_slow_search() {
    let (mut rng, mut engine) = (rng(7), Bitmask::new());
    let oracle = Oracle::new(40);
    let mut kinds = [0; 3];
    for round in 0..300 {
        let grid = random_grid(&mut rng);
        let marks = random_marks(&grid, 17 + round % 8 * 3, &mut rng);
        let expected = oracle.solutions(&marks);
        let mut found = Vec::new();
        let searched = engine.search_until(&marks, &Bounds::solutions(40), &false.into(), &mut |cells| {
            found.push(<[u8; CELLS]>::try_from(cells).unwrap());
            std::ops::ControlFlow::Continue(())
        });
        assert_eq!(searched.solutions as usize, found.len());
        assert_eq!(found.len(), expected.len(), "{marks}");
        for cells in &found {
            assert!(rules::is_valid_grid(Shape::CLASSIC, cells));
            assert!(marks.are_solved_by(&Solution::from_cells(*cells).unwrap()), "{marks}");
        }
        let sorted = |mut all: Vec<[u8; CELLS]>| {
            all.sort_unstable();
            all
        };
        kinds[found.len().min(2)] += 1;
        if found.len() < 40 {
            assert_eq!(sorted(found), sorted(expected));
        }
    }
    assert!(kinds.iter().all(|&kind| kind > 20), "{kinds:?}");
}

#[test]
fn pencilmarks_of_clues_are_equivalent_puzzles() {
    let (mut engine, mut marked) = (Bitmask::new(), Bitmask::new());
    for puzzle in mixed_puzzles(1_000, 11) {
        let outcome = engine.solve(&puzzle, SolutionLimit::UNIQUENESS);
        let mut first = None;
        let marks = Pencilmarks::from(&puzzle);
        let searched = marked.search_until(&marks, &Bounds::solutions(2), &false.into(), &mut |cells| {
            first = first.or(Solution::from_cells(cells.try_into().unwrap()));
            std::ops::ControlFlow::Continue(())
        });
        assert_eq!(searched.solutions, outcome.solutions, "{puzzle}");
        if outcome.solutions == 1 {
            assert_eq!(first, outcome.solution);
        }
    }
}
