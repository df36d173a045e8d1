//! Compares canonical forms with those of the `sudoku` crate. For full grids both give the minlex form. For
//! puzzles the crate gives another form: it transforms the puzzle in the way that brings its solution into
//! the minlex form.

use gridmill_core::grid::Puzzle;
use gridmill_core::minlex::Minlex;
use sudoku::Sudoku;

use crate::{Contestant, benchmark, to_sudoku};

/// Compares the forms of proper puzzles and of their solutions.
pub(crate) fn compare(name: &str, puzzles: Vec<Puzzle>, rounds: usize) {
    let solution = |puzzle: &Puzzle| to_sudoku(puzzle).solution().expect("the puzzles are proper").to_bytes();
    let solutions: Vec<[u8; 81]> = puzzles.iter().map(solution).collect();
    let grids: Vec<Puzzle> = solutions.iter().filter_map(|&cells| Puzzle::from_cells(cells)).collect();
    check_grids(&grids);
    check_puzzles(&puzzles);

    let sudokus = solutions.iter().filter_map(|&cells| Sudoku::from_bytes(cells).ok()).collect();
    let ours = minlex(grids, |minlex, grid| minlex.canonical(grid).is_some());
    benchmark(&format!("{name}, grids"), puzzles.len(), vec![sudoku_crate(sudokus), ours], rounds);

    let sudokus = puzzles.iter().map(to_sudoku).collect();
    let (count, ours) = (puzzles.len(), minlex(puzzles, |minlex, puzzle| minlex.canonical(puzzle).is_some()));
    benchmark(&format!("{name}, puzzles"), count, vec![sudoku_crate(sudokus), ours], rounds);
}

fn sudoku_crate(puzzles: Vec<Sudoku>) -> Contestant {
    let run = move || assert!(puzzles.iter().all(|puzzle| puzzle.canonicalized().is_some()));
    Contestant { name: "sudoku crate".to_owned(), run: Box::new(run), seconds: Vec::new() }
}

fn minlex<T: 'static>(grids: Vec<T>, canonicalize: fn(&mut Minlex, &T) -> bool) -> Contestant {
    let mut minlex = Minlex::new();
    let run = move || assert!(grids.iter().all(|grid| canonicalize(&mut minlex, grid)));
    Contestant { name: "minlex".to_owned(), run: Box::new(run), seconds: Vec::new() }
}

/// Checks that both give the same forms and the same numbers of automorphisms.
fn check_grids(grids: &[Puzzle]) {
    let mut minlex = Minlex::new();
    for grid in grids {
        let ours = minlex.canonical(grid).expect("a solution obeys the rules");
        let theirs = Sudoku::from_bytes(*grid.cells()).ok().and_then(|grid| grid.canonicalized());
        let (form, automorphisms) = theirs.expect("a solution has a form");
        assert_eq!(*ours.form.cells(), form.to_bytes(), "{grid}");
        assert_eq!(ours.automorphisms as usize, automorphisms, "{grid}");
    }
}

/// Checks that the minlex form of the crate's form is that of the puzzle, because both are isomorphs.
fn check_puzzles(puzzles: &[Puzzle]) {
    let mut minlex = Minlex::new();
    for puzzle in puzzles {
        let ours = minlex.canonical(puzzle).expect("a proper puzzle obeys the rules");
        assert_eq!(ours.transform.isomorphism().apply_classic(puzzle), ours.form, "{puzzle}");
        let (isomorph, _) = to_sudoku(puzzle).canonicalized().expect("a proper puzzle has a form");
        let isomorph = Puzzle::from_cells(isomorph.to_bytes()).expect("digits are from 1 to 9");
        assert_eq!(minlex.canonical(&isomorph).map(|other| other.form), Some(ours.form), "{puzzle}");
    }
}
