//! Tests every engine against the oracle, the naive rules and the committed fixtures; and budgets: jobs give
//! up puzzles that cost too much, and answer all others as they do without a budget.

use std::time::Duration;

use gridmill_core::Grid;
use gridmill_core::grid::rules::{find_conflict, is_solution};
use gridmill_core::grid::{Puzzle, Shape};
use gridmill_core::jobs::{
    Candidates, Count, Enumerate, Job, Minimize, RedundantClues, Solve, Value, Verify,
};
use gridmill_core::solver::{
    AnyLockstep, Bounds, Budget, Engine, EngineKind, NEVER, Outcome, Request, SearchEnd, SolutionEngine,
    SolutionLimit, SolutionLists, Solver,
};
use proptest::prelude::*;

use crate::common::{self, backends, grids, rng};

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
    for kind in EngineKind::ALL {
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
    for kind in [EngineKind::Bitmask, EngineKind::Lockstep] {
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
        EngineKind::Backtracking.build().solve_batch(&puzzles, limit(solutions), &mut expected);
        for kind in EngineKind::ALL {
            let mut outcomes = vec![Outcome::NONE; puzzles.len()];
            if kind == EngineKind::Backtracking {
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
    for kind in EngineKind::ALL {
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
    for kind in EngineKind::ALL {
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
        let outcome = EngineKind::Bitmask.build().solve(&puzzle, limit(3));
        assert_sound("bitmask", &puzzle, &outcome);
        let conflict = find_conflict(Shape::CLASSIC, puzzle.cells()).is_some();
        prop_assert!(!conflict || outcome.solutions == 0);
        // With so few clues there are solutions, unless the clues contradict each other. The oracle is not
        // asked, because its search from cell to cell can take ages here.
        let is_none = || EngineKind::DancingLinks.build().solve(&puzzle, limit(1)).solutions == 0;
        prop_assert!(conflict || outcome.solutions > 0 || is_none());
    }
}

/// A 25x25 puzzle that exceeds any budget here, between two that take no guess. A budget of no time ends a
/// search at its first guess, so the easy ones are still solved.
fn endless_between_easy() -> [Grid; 3] {
    let (shape, mut rng) = (grids::shape(5, 5), rng(29));
    [500, 250, 500].map(|clues| grids::clues_of(shape, &grids::random_full(shape, &mut rng), clues, &mut rng))
}

/// The statuses of the answers of a job.
fn statuses(job: &impl Job, puzzles: &[Grid]) -> Vec<String> {
    let answers = job.answer(puzzles).unwrap();
    let statuses = answers.statuses().iter();
    statuses.map(|&status| answers.schema().statuses[usize::from(status)].name.to_owned()).collect()
}

/// Checks whether a job gives the same answers with a budget that no puzzle spends, apart from times.
fn is_same(job: &impl Job, bounded: &impl Job, puzzles: &[Grid]) -> bool {
    let (free, bounded) = (job.answer(puzzles).unwrap(), bounded.answer(puzzles).unwrap());
    let columns =
        (0..free.schema().columns.len()).filter(|&column| free.schema().columns[column].name != "time_ns");
    let mut values = columns.flat_map(|column| (0..puzzles.len()).map(move |answer| (column, answer)));
    values.all(|(column, answer)| free.value(column, answer) == bounded.value(column, answer))
}

const ENGINE: Engine = Engine::Other(EngineKind::Bitmask);

#[test]
fn hard_puzzles_are_given_up_and_others_are_answered() {
    let puzzles = endless_between_easy();
    for budget in [Budget::from_guesses(300), Budget { time: Some(Duration::ZERO), ..Budget::NONE }] {
        let expected = ["unique", "budget", "unique"];
        assert_eq!(statuses(&Solve { engine: ENGINE, budget, ..Solve::default() }, &puzzles), expected);
        assert_eq!(statuses(&Verify { engine: ENGINE, budget }, &puzzles), expected);
        let count = Count { engine: ENGINE, budget, ..Count::default() };
        assert_eq!(statuses(&count, &puzzles), expected);
        assert_eq!(statuses(&Count { shared: true, ..count }, &puzzles), expected);
        assert_eq!(statuses(&Enumerate { budget, ..Enumerate::default() }, &puzzles), expected);
        assert_eq!(statuses(&Candidates { budget, ..Candidates::default() }, &puzzles), expected);
        let expected = ["redundant", "budget", "redundant"];
        assert_eq!(statuses(&RedundantClues { budget, ..RedundantClues::default() }, &puzzles), expected);
    }
}

/// The searches for all clues of a puzzle share its budget, so the result may not be minimal, but it still
/// has one solution.
#[test]
fn minimizing_at_the_budget_keeps_puzzles_proper() {
    let puzzles = endless_between_easy();
    let job = Minimize { budget: Budget::from_guesses(300), orders: 2, ..Minimize::default() };
    let answers = job.answer(&puzzles).unwrap();
    for (index, puzzle) in puzzles.iter().enumerate() {
        assert_eq!(answers.value(1, index), Value::Text("budget"));
        let Value::Cells(cells) = answers.value(0, index) else {
            assert_eq!(index, 1, "the endless puzzle alone has no minimal one");
            continue;
        };
        let minimal = Grid::from_cells(puzzle.shape(), cells).unwrap();
        assert!(minimal.clue_count() < puzzle.clue_count());
        assert_eq!(statuses(&Verify { engine: ENGINE, ..Verify::default() }, &[minimal]), ["unique"]);
    }
}

#[test]
fn large_budget_changes_nothing() {
    let large = [Budget::from_guesses(u64::MAX / 2), Budget { time: Some(Duration::MAX), ..Budget::NONE }];
    for (rows, columns) in [(2, 2), (2, 3), (3, 3)] {
        let puzzles = grids::mixed(grids::shape(rows, columns), 0.4, 30, &mut rng(7));
        for budget in large {
            for engine in [Engine::fastest(Some(puzzles[0].shape())), ENGINE] {
                let solve = Solve { engine, ..Solve::default() };
                assert!(is_same(&solve, &Solve { budget, ..solve }, &puzzles));
                let verify = Verify { engine, ..Verify::default() };
                assert!(is_same(&verify, &Verify { budget, ..verify }, &puzzles));
                let count = Count { engine, limit: 5, shared: true, ..Count::default() };
                assert!(is_same(&count, &Count { budget, ..count }, &puzzles));
                let enumerate = Enumerate { batch: Some(engine), limit: 5, ..Enumerate::default() };
                assert!(is_same(&enumerate, &Enumerate { budget, ..enumerate }, &puzzles));
            }
            let candidates = Candidates { cap: 3, ..Candidates::default() };
            assert!(is_same(&candidates, &Candidates { budget, ..candidates }, &puzzles));
            assert!(is_same(
                &RedundantClues::default(),
                &RedundantClues { budget, ..RedundantClues::default() },
                &puzzles
            ));
            let minimize = Minimize { orders: 3, ..Minimize::default() };
            assert!(is_same(&minimize, &Minimize { budget, ..minimize }, &puzzles));
        }
    }
}

/// Lanes search several puzzles at once, so each must count its own guesses.
#[test]
fn lockstep_guess_budgets_do_not_depend_on_batch_or_backend() {
    let shape = grids::shape(4, 4);
    let puzzles = grids::mixed(shape, 0.3, 40, &mut rng(3));
    let bounds = Bounds { guesses: 5, ..Bounds::solutions(2) };
    let request = Request { bounds, ..Request::solve(SolutionLimit::UNIQUENESS) };
    let mut expected: Option<Vec<_>> = None;
    for mut engine in backends().filter_map(AnyLockstep::with_backend) {
        for size in [1, 7, puzzles.len()] {
            let mut outcomes = vec![Outcome::NONE; puzzles.len()];
            for (puzzles, outcomes) in puzzles.chunks(size).zip(outcomes.chunks_mut(size)) {
                assert_eq!(engine.solve_until(puzzles, &request, outcomes), puzzles.len());
            }
            let found = outcomes.into_iter().map(|outcome| Outcome { nanos: 0, ..outcome }).collect();
            assert_eq!(*expected.get_or_insert_with(|| Vec::clone(&found)), found);
        }
    }
    let expected = expected.unwrap();
    let given_up = expected.iter().filter(|outcome| outcome.is_given_up);
    assert!(given_up.clone().all(|outcome| outcome.guesses == 5));
    assert!(given_up.count() > 0 && expected.iter().any(|outcome| outcome.solutions == 1));
}

/// The list of a puzzle ends when its time is over, but the lists of the others in its batch continue.
#[test]
fn time_budget_ends_single_searches_of_a_lockstep_batch() {
    let shape = grids::shape(4, 4);
    let full = grids::random_full(shape, &mut rng(4));
    let puzzles = [
        Grid::from_cells(shape, &full).unwrap(),
        Grid::empty(shape),
        Grid::from_cells(shape, &full).unwrap(),
    ];
    let bounds = Bounds { time: Duration::from_millis(5), ..Bounds::ALL };
    let mut lists = SolutionLists::new();
    let mut engine = AnyLockstep::new();
    assert_eq!(engine.list_until(&puzzles, &bounds, &mut lists, &NEVER), 3);
    let ends = [0, 1, 2].map(|puzzle| lists.searched(puzzle).end);
    assert_eq!(ends, [SearchEnd::Complete, SearchEnd::Budget, SearchEnd::Complete]);
    let mut outcomes = [const { Outcome::NONE }; 3];
    let request = Request { bounds, keeps_solutions: false, stop: &NEVER };
    assert_eq!(engine.solve_until(&puzzles, &request, &mut outcomes), 3);
    assert_eq!(outcomes.map(|outcome| outcome.is_given_up), [false, true, false]);
}
