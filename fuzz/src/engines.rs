//! Engines on any puzzle, within a budget.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::ControlFlow;

use gridmill_core::grid::{Grid, Puzzle, Shape};
use gridmill_core::solver::{Bounds, EngineKind, SearchEnd, SearchResult, SolutionEngine};

use super::choices::Choices;

/// The limit of guesses for a search. It is small, because an engine may make a few sweeps from one guess to
/// the next.
const GUESSES: u64 = 100;

/// The limit of solutions for a search.
const SOLUTIONS: u64 = 5;

/// The rows and columns of boxes.
const SHAPES: [(usize, usize); 8] = [(3, 3), (2, 2), (2, 3), (3, 2), (2, 4), (4, 4), (3, 4), (5, 5)];

/// An engine for puzzles of any shape, and the same engine for classic ones.
type Engines = (EngineKind, Box<dyn SolutionEngine<Grid>>, Box<dyn SolutionEngine<Puzzle>>);

thread_local! {
    /// Every engine except the oracle, which would be too slow because it tries cell by cell. They keep their
    /// memory from input to input.
    static ENGINES: RefCell<Vec<Engines>> = RefCell::new(
        EngineKind::ALL
            .into_iter()
            .filter(|&kind| kind != EngineKind::Backtracking)
            .map(|kind| (kind, kind.build_any_shape(), kind.build_any_shape()))
            .collect()
    );
}

/// Searches a puzzle with every engine. The input consists of a byte for the shape, and pairs of a cell and a
/// digit. The check fails unless:
///
/// - Engines that finish agree on the number of solutions, up to the limit.
/// - They find only solutions of the puzzle, and each only once.
/// - A search stays within its bounds.
/// - A classic puzzle has the same outcome whether it is searched as classic or as any shape.
pub fn check(data: &[u8]) {
    let mut choices = Choices::of(data);
    let (rows, columns) = choices.among(&SHAPES);
    let shape = Shape::new(rows, columns).expect("a shape");
    let puzzle = puzzle(shape, choices.rest());
    let mut counts = Vec::new();
    ENGINES.with_borrow_mut(|engines| {
        for (kind, of_grids, of_classics) in engines {
            // This is skipped, because building the dancing links of a grid with 625 cells takes too long for
            // every input.
            let is_slow = shape.side() > 16 && *kind == EngineKind::DancingLinks;
            if kind.serves(shape) && !is_slow {
                counts.extend(counted(&mut **of_grids, &puzzle));
                let classic = puzzle.to_classic();
                counts.extend(classic.and_then(|classic| counted_classic(&mut **of_classics, &classic)));
            }
        }
    });
    assert!(counts.windows(2).all(|pair| pair[0] == pair[1]), "{counts:?} for {puzzle}");
}

/// Makes a puzzle. Each pair of bytes writes a digit into a cell.
fn puzzle(shape: Shape, pairs: &[u8]) -> Grid {
    let mut cells = vec![0; shape.cells()];
    for pair in pairs.chunks_exact(2) {
        let cell = usize::from(pair[0]) * shape.cells() / 256;
        cells[cell] = pair[1].wrapping_sub(b'0') % (shape.side() as u8 + 1);
    }
    Grid::new(shape, cells).expect("cells of the shape")
}

fn counted(engine: &mut dyn SolutionEngine<Grid>, puzzle: &Grid) -> Option<u64> {
    let (bounds, mut seen) = (bounds(), HashSet::new());
    let name = engine.name();
    let searched = engine.search(puzzle, &bounds, &mut |cells| {
        let solution = Grid::new(puzzle.shape(), cells.to_vec()).expect("a grid");
        assert!(solves(&solution, puzzle), "{name}: {solution} does not solve {puzzle}");
        assert!(seen.insert(cells.to_vec()), "{name} finds {solution} twice for {puzzle}");
        ControlFlow::Continue(())
    });
    assert_eq!(seen.len() as u64, searched.solutions, "{name}");
    known(name, &searched)
}

fn counted_classic(engine: &mut dyn SolutionEngine<Puzzle>, puzzle: &Puzzle) -> Option<u64> {
    let name = engine.name();
    known(name, &engine.count(puzzle, &bounds()))
}

fn bounds() -> Bounds {
    Bounds { guesses: GUESSES, ..Bounds::solutions(SOLUTIONS) }
}

/// The number of solutions up to the limit, if the search found it out.
fn known(name: &str, searched: &SearchResult) -> Option<u64> {
    assert!(searched.solutions <= SOLUTIONS && searched.guesses <= GUESSES, "{name}: {searched:?}");
    assert_ne!(searched.end, SearchEnd::Stopped);
    (searched.end != SearchEnd::Budget).then_some(searched.solutions)
}

/// Whether every row, column and box of a grid has every digit, and the grid contains the clues of a puzzle.
fn solves(solution: &Grid, puzzle: &Grid) -> bool {
    let shape = puzzle.shape();
    let (side, rows, columns) = (shape.side(), shape.box_rows(), shape.box_columns());
    let digit = |row: usize, column: usize| solution.cells()[side * row + column];
    let boxed = |number: usize, place: usize| {
        let (row, column) = (number / rows * rows, number % rows * columns);
        digit(row + place / columns, column + place % columns)
    };
    let has_all = |of: &dyn Fn(usize) -> u8| {
        let digits: HashSet<u8> = (0..side).map(of).collect();
        (1..=side as u8).all(|digit| digits.contains(&digit))
    };
    let houses = (0..side).all(|house| {
        has_all(&|at| digit(house, at)) && has_all(&|at| digit(at, house)) && has_all(&|at| boxed(house, at))
    });
    houses && puzzle.cells().iter().zip(solution.cells()).all(|(&clue, &digit)| clue == 0 || clue == digit)
}
