//! The lockstep engine on every backend that this processor has, forced by name.

use std::time::Instant;

use crate::common;
use gridmill_core::grid::rules::is_solution;
use gridmill_core::grid::{Puzzle, Shape};
use gridmill_core::simd::Backend;
use gridmill_core::solver::{Backtracking, Bitmask, Engine, Lockstep, Outcome, SolutionLimit, Solver};
use rayon::prelude::*;

fn limit(solutions: u32) -> SolutionLimit {
    SolutionLimit::new(solutions).unwrap()
}

fn engines() -> Vec<Lockstep> {
    let engines: Vec<Lockstep> = common::backends().filter_map(Lockstep::with_backend).collect();
    assert!(engines.iter().any(|engine| engine.backend() == Backend::Portable));
    engines
}

fn solve(engine: &mut dyn Solver, puzzles: &[Puzzle], limit: SolutionLimit) -> Vec<Outcome> {
    let mut outcomes = vec![Outcome::NONE; puzzles.len()];
    engine.solve_batch(puzzles, limit, &mut outcomes);
    outcomes
}

fn untimed(outcomes: &[Outcome]) -> Vec<Outcome> {
    outcomes.iter().map(|outcome| Outcome { nanos: 0, ..*outcome }).collect()
}

/// A hundred thousand seeded puzzles of every kind against the oracle; all backends agree to the guess.
#[test]
fn random_puzzles_agree_with_the_oracle() {
    const SEED: u64 = 60;
    let puzzles = common::mixed_puzzles(100_000, SEED);
    // In parallel, because the oracle takes nearly all of the time.
    let parts = puzzles.par_chunks(1_000);
    let expected: Vec<Outcome> =
        parts.flat_map_iter(|part| solve(&mut Backtracking::new(), part, limit(2))).collect();
    let mut first: Option<Vec<Outcome>> = None;
    for mut engine in engines() {
        let backend = engine.backend();
        let outcomes = untimed(&solve(&mut engine, &puzzles, limit(2)));
        for ((puzzle, outcome), expected) in puzzles.iter().zip(&outcomes).zip(&expected) {
            assert_eq!(outcome.solutions, expected.solutions, "{backend}, seed {SEED}: {puzzle}");
            assert_eq!(outcome.solution.is_some(), outcome.solutions > 0, "{backend}, seed {SEED}: {puzzle}");
            if let Some(solution) = outcome.solution {
                let sound = is_solution(Shape::CLASSIC, puzzle.cells(), solution.cells());
                assert!(sound, "{backend}, seed {SEED}: {puzzle} {solution}");
            }
        }
        let first = first.get_or_insert_with(|| outcomes.clone());
        assert!(*first == outcomes, "{backend} differs from the best backend");
    }
}

/// Counts far beyond uniqueness, where lanes go back to saved states again and again.
#[test]
fn counts_agree_with_the_scalar_engine() {
    let mut puzzles = common::mixed_puzzles(300, 61);
    let mut rng = common::rng(62);
    let grid = common::random_grid(&mut rng);
    puzzles.extend((0..200).map(|i| common::clues_of(&grid, 17 + i % 10, &mut rng)));
    for solutions in [1, 3, 500] {
        let expected = solve(&mut Bitmask::new(), &puzzles, limit(solutions));
        for mut engine in engines() {
            let outcomes = solve(&mut engine, &puzzles, limit(solutions));
            for ((puzzle, outcome), expected) in puzzles.iter().zip(&outcomes).zip(&expected) {
                assert_eq!(outcome.solutions, expected.solutions, "{}: {puzzle}", engine.backend());
            }
        }
    }
}

/// What a lane does depends on its own puzzle only: any batch gives the same answers and guesses.
#[test]
fn batches_of_any_size_agree() {
    let puzzles = common::mixed_puzzles(400, 63);
    for mut engine in engines() {
        let whole = untimed(&solve(&mut engine, &puzzles, limit(2)));
        for size in [1, 2, 31, 33, 100] {
            let parts: Vec<Outcome> =
                puzzles.chunks(size).flat_map(|part| untimed(&solve(&mut engine, part, limit(2)))).collect();
            assert!(parts == whole, "{}, batches of {size}", engine.backend());
        }
    }
}

/// A puzzle that lanes share comes out as one that has a lane for itself, second solutions and all. Copies of
/// a puzzle, as many as there are lanes, end all at once, and leave nothing to share.
#[test]
fn shared_searches_agree() {
    let hard = common::classics();
    let without = |puzzle: &Puzzle, clue: usize| {
        let mut cells = *puzzle.cells();
        let clues = cells.iter_mut().filter(|cell| **cell != 0);
        *clues.skip(clue).step_by(9).next().unwrap() = 0;
        Puzzle::from_cells(cells).unwrap()
    };
    let several = hard.iter().flat_map(|puzzle| (0..4).map(|clue| without(puzzle, clue)));
    let puzzles: Vec<Puzzle> = hard.iter().copied().chain(several).collect();
    for mut engine in engines() {
        let mut guesses = 0;
        for puzzle in &puzzles {
            let shared = untimed(&solve(&mut engine, &[*puzzle], limit(2)));
            let alone = untimed(&solve(&mut engine, &[*puzzle; 32], limit(2)));
            assert!(alone.iter().all(|outcome| *outcome == shared[0]), "{}: {puzzle}", engine.backend());
            guesses += if shared[0].solutions == 2 { shared[0].guesses } else { 0 };
        }
        assert!(guesses > 1000, "second solutions come too early to be shared: {guesses}");
    }
}

/// The same guesses and solutions on every backend, today and tomorrow.
#[test]
fn the_signature_is_the_same_on_every_backend() {
    for mut engine in engines() {
        assert_eq!(common::signature(&mut engine), common::SIGNATURE, "{}", engine.backend());
    }
}

/// The column of times sums to the time that the engine took.
#[test]
fn times_add_up() {
    // A hundred solutions of each: next to that, it takes no time to make and close the accounts of the puzzles.
    let mut puzzles = common::easy_puzzles(500, 64);
    puzzles.resize(1_000, Puzzle::EMPTY);
    for backend in common::backends() {
        // Made by the library, so that all of it is compiled there, and optimised.
        let mut engine = Engine::Lockstep(backend).classic();
        let mut outcomes = vec![Outcome::NONE; puzzles.len()];
        let mut share = || {
            let begun = Instant::now();
            engine.solve_batch(&puzzles, limit(100), &mut outcomes);
            let elapsed = begun.elapsed().as_nanos() as f64;
            let sum: u64 = outcomes.iter().map(|outcome| outcome.nanos).sum();
            assert!(outcomes.iter().all(|outcome| outcome.nanos > 0));
            sum as f64 / elapsed
        };
        // The engine's clocks run within that of the test. Between them a busy machine may let the test wait, so that a run
        // without such a pause counts.
        let shares: Vec<f64> = (0..100).map(|_| share()).take_while(|&share| share < 0.97).collect();
        assert!(shares.len() < 100, "{backend}: {shares:?}");
        assert!(share() < 1.03, "{backend}");
    }
}
