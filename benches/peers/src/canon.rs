//! Canonical forms, compared with those of the `sudoku` crate. For full grids both give the minlex form. For
//! puzzles its form is different: the puzzle, transformed as its solution is transformed into the minlex
//! form.

use gridmill_core::grid::Puzzle;
use gridmill_core::minlex::Minlex;
use sudoku::Sudoku;

use crate::{Contestant, benchmark, theirs};

/// Compares the forms of proper puzzles, and those of their solutions.
pub(crate) fn compare(name: &str, puzzles: Vec<Puzzle>, rounds: usize) {
    let solution = |puzzle: &Puzzle| theirs(puzzle).solution().expect("the puzzles are proper").to_bytes();
    let solutions: Vec<[u8; 81]> = puzzles.iter().map(solution).collect();
    let grids: Vec<Puzzle> = solutions.iter().filter_map(|&cells| Puzzle::from_cells(cells)).collect();
    check_grids(&grids);
    check_puzzles(&puzzles);

    let their_grids = solutions.iter().filter_map(|&cells| Sudoku::from_bytes(cells).ok()).collect();
    let ours = of_all(grids, |minlex, grid| minlex.canonical(grid).is_some());
    benchmark(&format!("{name}, grids"), puzzles.len(), vec![of_their_own(their_grids), ours], rounds);

    let their_puzzles = puzzles.iter().map(theirs).collect();
    let (count, ours) = (puzzles.len(), of_all(puzzles, |minlex, puzzle| minlex.canonical(puzzle).is_some()));
    benchmark(&format!("{name}, puzzles"), count, vec![of_their_own(their_puzzles), ours], rounds);
}

fn of_their_own(puzzles: Vec<Sudoku>) -> Contestant {
    let run = move || assert!(puzzles.iter().all(|puzzle| puzzle.canonicalized().is_some()));
    Contestant { name: "sudoku crate".to_owned(), run: Box::new(run), seconds: Vec::new() }
}

fn of_all<T: 'static>(all: Vec<T>, form: fn(&mut Minlex, &T) -> bool) -> Contestant {
    let mut minlex = Minlex::new();
    let run = move || assert!(all.iter().all(|one| form(&mut minlex, one)));
    Contestant { name: "minlex".to_owned(), run: Box::new(run), seconds: Vec::new() }
}

/// Checks that both give the same forms, and the same numbers of automorphisms.
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

/// Checks that their form has our form, because their form is an isomorph of the puzzle.
fn check_puzzles(puzzles: &[Puzzle]) {
    let mut minlex = Minlex::new();
    for puzzle in puzzles {
        let ours = minlex.canonical(puzzle).expect("a proper puzzle obeys the rules");
        assert_eq!(ours.transform.isomorphism().apply_classic(puzzle), ours.form, "{puzzle}");
        let (isomorph, _) = theirs(puzzle).canonicalized().expect("a proper puzzle has a form");
        let isomorph = Puzzle::from_cells(isomorph.to_bytes()).expect("digits are from 1 to 9");
        assert_eq!(minlex.canonical(&isomorph).map(|other| other.form), Some(ours.form), "{puzzle}");
    }
}
