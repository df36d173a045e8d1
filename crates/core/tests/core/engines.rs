//! Tests every engine against the oracle, the naive rules and the committed fixtures.

use crate::common;
use gridmill_core::grid::rules::{find_conflict, is_solution};
use gridmill_core::grid::{Puzzle, Shape};
use gridmill_core::solver::{Outcome, SolutionLimit, SolverKind};
use proptest::prelude::*;

const THOUSAND: u32 = 1000;

fn limit(solutions: u32) -> SolutionLimit {
    SolutionLimit::new(solutions).unwrap()
}

/// Checks that a solution is valid, regardless of what else the engine reports.
fn assert_sound(engine: &str, puzzle: &Puzzle, outcome: &Outcome) {
    assert_eq!(outcome.solutions > 0, outcome.solution.is_some(), "{engine}: {puzzle}");
    if let Some(solution) = outcome.solution {
        assert!(
            is_solution(Shape::CLASSIC, puzzle.cells(), solution.cells()),
            "{engine}: {puzzle} {solution}"
        );
    }
}

#[test]
fn fixtures_have_their_known_counts() {
    let fixtures = include_str!("../../../../datasets/fixtures/counts.txt");
    for kind in SolverKind::ALL {
        let mut engine = kind.build();
        for line in fixtures.lines().filter(|line| line.contains(':') && !line.starts_with('#')) {
            let [puzzle, count, solution] = line.split(':').collect::<Vec<_>>().try_into().unwrap();
            let puzzle: Puzzle = puzzle.parse().unwrap();
            let outcome = engine.solve(&puzzle, limit(THOUSAND));
            assert_sound(kind.name(), &puzzle, &outcome);
            let found = if outcome.solutions == u64::from(THOUSAND) {
                "1000+".to_owned()
            } else {
                outcome.solutions.to_string()
            };
            assert_eq!(found, count, "{kind}: {puzzle}");
            if outcome.solutions == 1 {
                assert_eq!(outcome.solution.unwrap().to_string(), solution, "{kind}: {puzzle}");
            }
        }
    }
}

#[test]
fn classics_are_proper() {
    let classics = common::classics();
    assert_eq!(classics.len(), 41);
    for kind in [SolverKind::Bitmask, SolverKind::Lockstep] {
        for puzzle in &classics {
            let outcome = kind.build().solve(puzzle, limit(THOUSAND));
            assert_sound(kind.name(), puzzle, &outcome);
            assert_eq!(outcome.solutions, 1, "{kind}: {puzzle}");
        }
    }
}

/// Checks counts up to several limits, solutions and statuses on seeded random puzzles of every kind.
#[test]
fn random_puzzles_agree_with_the_oracle() {
    const SEED: u64 = 20;
    let puzzles = common::mixed_puzzles(8_000, SEED);
    let mut seen = [0; 4];
    for solutions in [1, 2, 50] {
        let mut expected = vec![Outcome::NONE; puzzles.len()];
        SolverKind::Backtracking.build().solve_batch(&puzzles, limit(solutions), &mut expected);
        for kind in SolverKind::ALL {
            let mut outcomes = vec![Outcome::NONE; puzzles.len()];
            if kind == SolverKind::Backtracking {
                outcomes.clone_from(&expected);
            } else {
                kind.build().solve_batch(&puzzles, limit(solutions), &mut outcomes);
            }
            for ((puzzle, outcome), expected) in puzzles.iter().zip(&outcomes).zip(&expected) {
                assert_eq!(outcome.solutions, expected.solutions, "{kind}, seed {SEED}: {puzzle}");
                assert_sound(kind.name(), puzzle, outcome);
                if solutions == 2 {
                    let conflict = find_conflict(Shape::CLASSIC, puzzle.cells()).is_some();
                    assert!(!conflict || outcome.solutions == 0, "{puzzle}");
                    seen[if conflict { 3 } else { outcome.solutions as usize }] += 1;
                }
            }
        }
    }
    for (kind, count) in ["without a solution", "proper", "with several", "in conflict"].iter().zip(seen) {
        assert!(count > 300, "too few are {kind}: {seen:?}");
    }
}

#[test]
fn guesses_and_answers_do_not_depend_on_the_batch() {
    let puzzles = common::mixed_puzzles(500, 21);
    for kind in SolverKind::ALL {
        let strip = |outcome: &Outcome| Outcome { nanos: 0, ..*outcome };
        let mut together = vec![Outcome::NONE; puzzles.len()];
        let mut engine = kind.build();
        engine.solve_batch(&puzzles, limit(2), &mut together);
        for (puzzle, outcome) in puzzles.iter().zip(&together).rev() {
            assert_eq!(strip(&engine.solve(puzzle, limit(2))), strip(outcome), "{kind}: {puzzle}");
        }
    }
}

#[test]
fn empty_batches_work() {
    for kind in SolverKind::ALL {
        kind.build().solve_batch(&[], limit(2), &mut []);
    }
}

proptest! {
    /// Tries arbitrary cells, which are mostly contradictions and puzzles without a solution.
    #[test]
    fn arbitrary_clues(cells in prop::collection::vec((0usize..81, 1u8..=9), 0..12)) {
        let mut clues = [0; 81];
        cells.into_iter().for_each(|(cell, digit)| clues[cell] = digit);
        let puzzle = Puzzle::from_cells(clues).unwrap();
        let outcome = SolverKind::Bitmask.build().solve(&puzzle, limit(3));
        assert_sound("bitmask", &puzzle, &outcome);
        let conflict = find_conflict(Shape::CLASSIC, puzzle.cells()).is_some();
        prop_assert!(!conflict || outcome.solutions == 0);
        // With so few clues there are solutions, unless the clues contradict each other. The oracle is not
        // asked, because its search from cell to cell can take ages here.
        let is_none = || SolverKind::DancingLinks.build().solve(&puzzle, limit(1)).solutions == 0;
        prop_assert!(conflict || outcome.solutions > 0 || is_none());
    }
}
