//! Tests the lockstep engine on every backend that this processor has, chosen by name, and `solve_all`, which
//! runs it on all cores.

use std::time::Instant;

use crate::common;
use gridmill_core::grid::rules::is_solution;
use gridmill_core::grid::{Puzzle, Shape};
use gridmill_core::simd::Backend;
use gridmill_core::solver::{
    Backtracking, Bitmask, Engine, Lockstep, Outcome, SolutionLimit, Solver, solve_all, solve_all_up_to,
};
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

/// Compares a hundred thousand seeded puzzles of every kind with the oracle. All backends must also agree on
/// guesses.
#[test]
fn random_puzzles_agree_with_the_oracle() {
    const SEED: u64 = 60;
    let puzzles = common::mixed_puzzles(100_000, SEED);
    // This runs in parallel, because the oracle takes nearly all of the time.
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

/// Counts far beyond uniqueness, so that lanes backtrack to saved states again and again.
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

/// A lane depends only on its own puzzle, so any batch must give the same answers and guesses.
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

/// A puzzle that lanes share must have the same result as one in a lane of its own, even if there is a second
/// solution. As many copies of a puzzle as there are lanes all end at once, so nothing of them is shared.
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

/// Guesses and solutions must be the same on every backend, now and after any change.
#[test]
fn the_signature_is_the_same_on_every_backend() {
    for mut engine in engines() {
        assert_eq!(common::signature(&mut engine), common::SIGNATURE, "{}", engine.backend());
    }
}

/// The times of puzzles must add up to the time that the engine took.
#[test]
fn times_add_up() {
    // A hundred solutions of each take so long that setting up and closing the batch does not matter.
    let mut puzzles = common::easy_puzzles(500, 64);
    puzzles.resize(1_000, Puzzle::EMPTY);
    for backend in common::backends() {
        // The library creates the engine, so that all of its code is compiled there with optimisation.
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
        // The engine reads its clock inside the test's measurement. A busy machine may pause the test in
        // between, so one run without such a pause is enough.
        let shares: Vec<f64> = (0..100).map(|_| share()).take_while(|&share| share < 0.97).collect();
        assert!(shares.len() < 100, "{backend}: {shares:?}");
        assert!(share() < 1.03, "{backend}");
    }
}

fn solve_on_threads(threads: usize, puzzles: &[Puzzle]) -> Vec<Outcome> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    untimed(&pool.install(|| solve_all(puzzles)))
}

#[test]
fn solve_all_agrees_with_one_engine_on_any_number_of_threads() {
    let mut puzzles = common::mixed_puzzles(3_000, 94);
    puzzles.extend(common::classics());
    let mut expected = vec![Outcome::NONE; puzzles.len()];
    Lockstep::new().solve_batch(&puzzles, SolutionLimit::UNIQUENESS, &mut expected);
    let expected = untimed(&expected);
    assert!(expected.iter().any(|outcome| outcome.solutions == 0));
    assert!(expected.iter().any(|outcome| outcome.solutions == 2));
    for threads in [1, 2, 5] {
        assert_eq!(solve_on_threads(threads, &puzzles), expected);
    }
    assert_eq!(untimed(&solve_all(&puzzles)), expected);
}

#[test]
fn solve_all_respects_the_limit() {
    let outcomes = solve_all_up_to(&[Puzzle::EMPTY; 300], limit(7));
    assert!(outcomes.iter().all(|outcome| outcome.solutions == 7 && outcome.solution.is_some()));
    assert!(solve_all(&[]).is_empty());
}
