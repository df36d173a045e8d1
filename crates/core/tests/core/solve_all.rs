//! A slice of puzzles on all cores.

use crate::common;
use gridmill_core::solver::{Lockstep, Outcome, SolutionLimit, Solver, solve_all_up_to};
use gridmill_core::{Puzzle, solve_all};

/// All but the times.
fn answers(outcomes: &[Outcome]) -> Vec<Outcome> {
    outcomes.iter().map(|&outcome| Outcome { nanos: 0, ..outcome }).collect()
}

fn in_pool(threads: usize, puzzles: &[Puzzle]) -> Vec<Outcome> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    answers(&pool.install(|| solve_all(puzzles)))
}

#[test]
fn the_answers_are_those_of_one_engine_on_any_number_of_threads() {
    let mut puzzles = common::mixed_puzzles(3_000, 94);
    puzzles.extend(common::classics());
    let mut expected = vec![Outcome::NONE; puzzles.len()];
    Lockstep::new().solve_batch(&puzzles, SolutionLimit::UNIQUENESS, &mut expected);
    let expected = answers(&expected);
    assert!(expected.iter().any(|outcome| outcome.solutions == 0));
    assert!(expected.iter().any(|outcome| outcome.solutions == 2));
    for threads in [1, 2, 5] {
        assert_eq!(in_pool(threads, &puzzles), expected);
    }
    assert_eq!(answers(&solve_all(&puzzles)), expected);
}

#[test]
fn the_limit_is_kept() {
    let limit = SolutionLimit::new(7).unwrap();
    let outcomes = solve_all_up_to(&[Puzzle::EMPTY; 300], limit);
    assert!(outcomes.iter().all(|outcome| outcome.solutions == 7 && outcome.solution.is_some()));
    assert!(solve_all(&[]).is_empty());
}
