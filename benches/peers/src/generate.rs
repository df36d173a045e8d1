//! The speed of making puzzles: gridmill's generator and that of the `sudoku` crate, on one thread each.

use gridmill_core::generate::{Generator, GridMethod, Made, Recipe};
use gridmill_core::grid::{Puzzle, Symmetry};
use gridmill_core::solver::{EngineKind, SolutionLimit};
use sudoku::Sudoku;
use sudoku::Symmetry::None as NoSymmetry;

use crate::{Contestant, benchmark};

/// The number of attempts that are made together.
const BLOCK: u64 = 4096;

pub(super) fn compare(made: u64, rounds: usize, seed: u64) {
    println!("one thread, median of {rounds} rounds of {made} puzzles, seed {seed}");
    println!(
        "{:<24} {:>8}  {:<18} {:>12} {:>8} {:>9}",
        "puzzles", "a round", "generator", "puzzles/s", "spread", "ratio"
    );
    let of = |clues: Option<usize>| Recipe { clues: clues.map(|clues| clues..=clues), ..Recipe::default() };
    let half_turn = Recipe { symmetry: Some(Symmetry::Rotate180), ..of(None) };
    let transform = Recipe { method: Some(GridMethod::Cycle), ..of(None) };
    let contestants = vec![
        sudoku_crate("Sudoku::generate", Sudoku::generate, made),
        sudoku_crate("… minimal", || Sudoku::generate_with_symmetry(NoSymmetry), made),
        gridmill("rotate180", half_turn, made, seed),
        gridmill("minimal", of(None), made, seed),
        gridmill("minimal, transform", transform, made, seed),
        gridmill("30 clues", of(Some(30)), made, seed),
    ];
    benchmark("generate", made as usize, contestants, rounds);
}

/// A generator of the `sudoku` crate. `Sudoku::generate` is not minimal: its clues keep the symmetry of half
/// a turn, and some are redundant on their own.
fn sudoku_crate(name: &str, generate: impl Fn() -> Sudoku + 'static, made: u64) -> Contestant {
    check(&generate().to_str_line(), false);
    let run = Box::new(move || {
        for _ in 0..made {
            std::hint::black_box(generate());
        }
    });
    Contestant { name: name.to_owned(), run, seconds: Vec::new() }
}

/// The generator of gridmill. Each round continues with new attempts.
fn gridmill(name: &str, recipe: Recipe, made: u64, seed: u64) -> Contestant {
    let mut generator = Generator::new(&recipe, seed, None).expect("a recipe that can be");
    let is_minimal = recipe.clues.is_none() && recipe.symmetry.is_none();
    for made in generator.attempts(0..BLOCK).into_iter().flatten() {
        check(&made.puzzle.to_string(), is_minimal);
    }
    let mut next = BLOCK;
    let run = Box::new(move || {
        let mut found = 0;
        while found < made {
            let puzzles: Vec<Option<Made>> = generator.attempts(next..next + BLOCK.min(made - found));
            next += puzzles.len() as u64;
            found += puzzles.iter().flatten().count() as u64;
            std::hint::black_box(puzzles);
        }
    });
    Contestant { name: name.to_owned(), run, seconds: Vec::new() }
}

/// Checks with gridmill's scalar engine that a puzzle has one solution. If it should be minimal, checks also
/// that it has several without any one of its clues.
fn check(line: &str, is_minimal: bool) {
    let puzzle: Puzzle = line.parse().expect("a line of 81 cells");
    let solutions = |puzzle| EngineKind::Bitmask.build().solve(&puzzle, SolutionLimit::UNIQUENESS).solutions;
    assert_eq!(solutions(puzzle), 1, "{puzzle}");
    for cell in (0..81).filter(|&cell| is_minimal && puzzle.cells()[cell] != 0) {
        let mut clues = *puzzle.cells();
        clues[cell] = 0;
        assert_eq!(solutions(Puzzle::from_cells(clues).expect("still a puzzle")), 2, "{puzzle} {cell}");
    }
}
