//! Compares the speed of gridmill's generator with that of the `sudoku` crate, on one thread each.

use gridmill_core::generate::{Generator, GridMethod, Made, Recipe};
use gridmill_core::grid::{Puzzle, Symmetry};
use gridmill_core::solver::{EngineKind, SolutionLimit};
use sudoku::Sudoku;
use sudoku::Symmetry::None as NoSymmetry;

use crate::{Contestant, benchmark};

/// The number of attempts in one call of the generator.
const BLOCK: u64 = 4096;

pub(super) fn compare(puzzles: u64, rounds: usize, seed: u64) {
    println!("one thread, median of {rounds} rounds of {puzzles} puzzles, seed {seed}");
    println!(
        "{:<24} {:>8}  {:<18} {:>12} {:>8} {:>9}",
        "puzzles", "a round", "generator", "puzzles/s", "spread", "ratio"
    );
    let recipe =
        |clues: Option<usize>| Recipe { clues: clues.map(|clues| clues..=clues), ..Recipe::default() };
    let half_turn = Recipe { symmetry: Some(Symmetry::Rotate180), ..recipe(None) };
    let transform = Recipe { method: Some(GridMethod::Cycle), ..recipe(None) };
    let contestants = vec![
        sudoku_crate("Sudoku::generate", Sudoku::generate, puzzles),
        sudoku_crate("… minimal", || Sudoku::generate_with_symmetry(NoSymmetry), puzzles),
        gridmill("rotate180", half_turn, puzzles, seed),
        gridmill("minimal", recipe(None), puzzles, seed),
        gridmill("minimal, transform", transform, puzzles, seed),
        gridmill("30 clues", recipe(Some(30)), puzzles, seed),
    ];
    benchmark("generate", puzzles as usize, contestants, rounds);
}

/// A generator of the `sudoku` crate. The puzzles of `Sudoku::generate` are not minimal: their clues are
/// symmetric under half a turn, and some of them are redundant.
fn sudoku_crate(name: &str, generate: impl Fn() -> Sudoku + 'static, puzzles: u64) -> Contestant {
    check(&generate().to_str_line(), false);
    let run = Box::new(move || {
        for _ in 0..puzzles {
            std::hint::black_box(generate());
        }
    });
    Contestant { name: name.to_owned(), run, seconds: Vec::new() }
}

/// The generator of gridmill. Each round continues with new attempts.
fn gridmill(name: &str, recipe: Recipe, puzzles: u64, seed: u64) -> Contestant {
    let mut generator = Generator::new(&recipe, seed, None).expect("a valid recipe");
    let is_minimal = recipe.clues.is_none() && recipe.symmetry.is_none();
    for generated in generator.attempts(0..BLOCK).into_iter().flatten() {
        check(&generated.puzzle.to_string(), is_minimal);
    }
    let mut next = BLOCK;
    let run = Box::new(move || {
        let mut found = 0;
        while found < puzzles {
            let attempts: Vec<Option<Made>> = generator.attempts(next..next + BLOCK.min(puzzles - found));
            next += attempts.len() as u64;
            found += attempts.iter().flatten().count() as u64;
            std::hint::black_box(attempts);
        }
    });
    Contestant { name: name.to_owned(), run, seconds: Vec::new() }
}

/// Checks with gridmill's scalar engine that a puzzle has one solution. If it should be minimal, also checks
/// that it has several if any clue is removed.
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
