//! Tests the jobs on seeded random puzzles of three shapes, against the oracle, definitions and the naive
//! rules.

use std::sync::atomic::AtomicBool;

use gridmill_core::grid::{Grid, Isomorphism, Puzzle, rules};
use gridmill_core::jobs::{
    Answers, Candidates, Canon, Check, Count, Explain, Job, Minimize, Proposed, Rate, RedundantClues, Solve,
    Status, Steps, Trace, Value, Verify,
};
use gridmill_core::logic::ExplanationEnd;
use gridmill_core::minlex::Minlex;
use gridmill_core::solver::{
    Backtracking, Bounds, Engine, SolutionEngine, Solvable, TraceEvent, TracedEngine,
};
use rand::RngExt;

use crate::common::{grids, mixed_puzzles, rng};

/// Puzzles with one solution, several and none, and with contradictory clues.
fn classic() -> Vec<Grid> {
    mixed_puzzles(60, 281).into_iter().map(Grid::from).collect()
}

fn of_shape(box_rows: usize, box_columns: usize) -> Vec<Grid> {
    grids::mixed(grids::shape(box_rows, box_columns), 0.4, 40, &mut rng(282))
}

fn all() -> [Vec<Grid>; 3] {
    [classic(), of_shape(2, 2), of_shape(2, 3)]
}

/// Up to `most` solutions, found by backtracking.
fn solutions(puzzle: &Grid, most: u64) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    Backtracking::new().search(puzzle, &Bounds::solutions(most), &mut |cells| {
        found.push(cells.to_vec());
        std::ops::ControlFlow::Continue(())
    });
    found
}

/// The name of the status of a puzzle with that number of solutions.
fn status(puzzle: &Grid, solutions: usize) -> &'static str {
    match solutions {
        0 if rules::find_conflict(puzzle.shape(), puzzle.cells()).is_some() => "conflict",
        0 => "none",
        1 => "unique",
        _ => "multiple",
    }
}

fn engine(puzzles: &[Grid]) -> Engine {
    Engine::fastest(Some(puzzles[0].shape()))
}

/// The value of a column, given by its name.
fn value<'a>(answers: &'a Answers, name: &str, answer: usize) -> Value<'a> {
    let column = answers.schema().names().position(|other| other == name).expect("a column");
    answers.value(column, answer)
}

#[test]
fn solve_and_count_agree_with_the_oracle() {
    for puzzles in all() {
        let engine = engine(&puzzles);
        let solved = Solve { engine, ..Solve::default() }.answer(&puzzles).unwrap();
        let counted = Count { engine, limit: 9, shared: true, ..Count::default() }.answer(&puzzles).unwrap();
        for (index, puzzle) in puzzles.iter().enumerate() {
            let found = solutions(puzzle, 9);
            let expected = status(puzzle, found.len());
            assert_eq!(value(&solved, "status", index), Value::Text(expected));
            assert_eq!(value(&counted, "status", index), Value::Text(expected));
            match value(&solved, "solution", index) {
                Value::Cells(cells) => assert!(rules::is_solution(puzzle.shape(), puzzle.cells(), cells)),
                other => assert_eq!((other, found.len()), (Value::Missing, 0)),
            }
            let count = Value::Number(found.len() as u64);
            let expected = if expected == "conflict" { Value::Missing } else { count };
            assert_eq!(value(&counted, "solutions", index), expected);
            if found.len() < 9 {
                assert_eq!(
                    value(&counted, "shared", index),
                    shared(&found).as_deref().map_or(Value::Missing, Value::Cells)
                );
            }
        }
    }
}

#[test]
fn proper_puzzles_are_verified_and_others_have_a_reason() {
    for puzzles in all() {
        let answers = Verify { engine: engine(&puzzles), ..Verify::default() }.answer(&puzzles).unwrap();
        for (index, puzzle) in puzzles.iter().enumerate() {
            let expected = status(puzzle, solutions(puzzle, 2).len());
            assert_eq!(value(&answers, "verdict", index), Value::Text(expected));
            let reason = match (rules::find_conflict(puzzle.shape(), puzzle.cells()), expected) {
                (Some(twice), _) => format!("{} holds two {}s", twice.house, twice.digit),
                (None, "multiple") => "two solutions or more".to_owned(),
                (None, "none") => "no solution".to_owned(),
                _ => String::new(),
            };
            assert_eq!(value(&answers, "reason", index), text(&reason));
        }
    }
}

/// A text as a value; an empty one is missing.
fn text(text: &str) -> Value<'_> {
    if text.is_empty() { Value::Missing } else { Value::Text(text) }
}

#[test]
fn only_the_right_solutions_of_proper_puzzles_are_ok() {
    let mut rng = rng(285);
    for puzzles in all() {
        let shape = puzzles[0].shape();
        let mut pairs = Vec::new();
        for puzzle in &puzzles {
            let found = solutions(puzzle, 2);
            let full = found.first().cloned().unwrap_or_else(|| vec![1; shape.cells()]);
            // Wrong solutions: one with a blank, one with another digit in a cell, and one of another shape.
            let (mut blank, mut changed) = (full.clone(), full.clone());
            let cell = rng.random_range(0..shape.cells());
            blank[cell] = 0;
            changed[cell] = changed[cell] % shape.side() as u8 + 1;
            let grids = [full, blank, changed].map(|cells| Grid::new(shape, cells).unwrap());
            let other = Grid::empty(grids::shape(2, 4));
            let solutions = grids.into_iter().chain([other]).map(Ok).chain([Err("no text")]);
            pairs.extend(
                solutions.map(|solution| (Proposed { puzzle: puzzle.clone(), solution }, found.len())),
            );
        }
        let (pairs, counts): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let answers = Check { engine: engine(&puzzles), ..Check::default() }.answer(&pairs).unwrap();
        assert_eq!(answers.len(), pairs.len());
        let mut seen = std::collections::BTreeMap::<&str, usize>::new();
        for (index, (Proposed { puzzle, solution }, found)) in pairs.iter().zip(counts).enumerate() {
            let is_right = |cells: &[u8]| rules::is_solution(shape, puzzle.cells(), cells);
            let expected = match solution {
                Err(_) => "malformed",
                Ok(solution) if solution.shape() != shape => "malformed",
                Ok(solution) if !is_right(solution.cells()) => "wrong",
                Ok(_) if found == 1 => "ok",
                Ok(_) => "not-unique",
            };
            assert_eq!(value(&answers, "verdict", index), Value::Text(expected), "{puzzle} {solution:?}");
            let has_reason = matches!(value(&answers, "reason", index), Value::Text(_));
            assert_eq!(has_reason, expected != "ok");
            *seen.entry(expected).or_default() += 1;
        }
        assert_eq!(seen.keys().copied().collect::<Vec<_>>(), ["malformed", "not-unique", "ok", "wrong"]);
    }
}

/// The cells that all solutions share, 0 where they differ.
fn shared(solutions: &[Vec<u8>]) -> Option<Vec<u8>> {
    let (first, others) = solutions.split_first()?;
    let is_shared = |cell: usize| others.iter().all(|other| other[cell] == first[cell]);
    Some((0..first.len()).map(|cell| if is_shared(cell) { first[cell] } else { 0 }).collect())
}

#[test]
fn candidates_agree_with_all_solutions() {
    for puzzles in [of_shape(2, 2), of_shape(2, 3)] {
        let answers = Candidates { cap: 3, ..Candidates::default() }.answer(&puzzles).unwrap();
        for (index, puzzle) in puzzles.iter().enumerate() {
            let (found, side) = (solutions(puzzle, u64::MAX), puzzle.shape().side());
            let Value::Candidates(counts) = value(&answers, "candidates", index) else {
                assert!(found.is_empty());
                continue;
            };
            for (place, &count) in counts.iter().enumerate() {
                let has = |solution: &&Vec<u8>| usize::from(solution[place / side]) == place % side + 1;
                assert_eq!(count, found.iter().filter(has).count().min(3) as u64);
            }
        }
    }
}

#[test]
fn redundant_clues_can_be_removed_alone_and_minimal_puzzles_have_none() {
    for puzzles in all() {
        let solved = Solve { engine: engine(&puzzles), ..Solve::default() }.answer(&puzzles).unwrap();
        let is_unique = |index: &usize| solved.statuses()[*index] == Status::Unique as u8;
        let proper: Vec<Grid> =
            (0..puzzles.len()).filter(is_unique).map(|index| puzzles[index].clone()).collect();
        assert!(proper.len() > 3);
        let minimal = RedundantClues::default().answer(&proper).unwrap();
        let minimized = Minimize { seed: 5, ..Minimize::default() }.answer(&proper).unwrap();
        // With `by_clues`, the result of a puzzle does not depend on its batch.
        let by_clues = Minimize { seed: 5, by_clues: true, ..Minimize::default() };
        let (whole, last) = (by_clues.answer(&proper).unwrap(), by_clues.answer(&proper[3..]).unwrap());
        for (index, puzzle) in proper.iter().enumerate() {
            let redundant = redundant(puzzle);
            let text = if redundant.is_empty() { Value::Missing } else { Value::Text(&redundant) };
            assert_eq!(value(&minimal, "redundant", index), text);
            let status = if redundant.is_empty() { "minimal" } else { "redundant" };
            assert_eq!(value(&minimal, "status", index), Value::Text(status));
            let Value::Cells(cells) = value(&minimized, "minimal", index) else { panic!("a minimal puzzle") };
            let left = Grid::from_cells(puzzle.shape(), cells).unwrap();
            assert_eq!(solutions(&left, 2), solutions(puzzle, 2));
            assert_eq!(self::redundant(&left), "");
            assert_eq!(value(&minimized, "clues", index), Value::Number(left.clue_count() as u64));
            if index >= 3 {
                assert_eq!(value(&whole, "minimal", index), value(&last, "minimal", index - 3));
            }
        }
    }
}

/// The clues that can each be removed alone.
fn redundant(puzzle: &Grid) -> String {
    let (shape, cells) = (puzzle.shape(), puzzle.cells());
    let can_go = |&cell: &usize| {
        let mut less = cells.to_vec();
        less[cell] = 0;
        cells[cell] != 0 && solutions(&Grid::new(shape, less).unwrap(), 2).len() == 1
    };
    let name = |cell: usize| format!("r{}c{}", cell / shape.side() + 1, cell % shape.side() + 1);
    (0..cells.len()).filter(can_go).map(name).collect::<Vec<_>>().join(" ")
}

#[test]
fn explanations_are_as_hard_as_ratings_say_and_lead_to_the_solution() {
    let puzzles = classic();
    let explained = Explain::default().answer(&puzzles).unwrap();
    let rated = Rate::default().answer(&puzzles).unwrap();
    let mut solved = 0;
    for (index, puzzle) in puzzles.iter().enumerate() {
        let found = solutions(puzzle, 2);
        assert_eq!(value(&explained, "status", index), Value::Text(status(puzzle, found.len())));
        let Value::Steps(Steps::Explained(told)) = value(&explained, "steps", index) else {
            assert_ne!(found.len(), 1);
            continue;
        };
        let is_solved = told.end == ExplanationEnd::Solved;
        let er = if is_solved { Value::Rating(told.rating.er) } else { Value::Missing };
        assert_eq!(value(&rated, "er", index), er);
        assert_eq!(told.state.is_solved(), is_solved);
        let only = Puzzle::EMPTY.full_grid(&found[0]).expect("a solution is full");
        assert!(told.state.to_pencilmarks().are_solved_by(&only), "no step takes a digit of the solution");
        let is_right = Status::Unique as u8 == explained.statuses()[index];
        assert_eq!(is_right, is_solved, "what is stuck is not right");
        solved += usize::from(is_solved);
    }
    assert!(solved > 10);
}

#[test]
fn the_events_of_a_trace_lead_to_the_first_solution() {
    for (puzzles, engine) in
        all().iter().zip([TracedEngine::Singles, TracedEngine::Backtracking, TracedEngine::Singles])
    {
        let limit = 2000;
        let answers = Trace { engine, limit }.answer(puzzles).unwrap();
        for (index, puzzle) in puzzles.iter().enumerate() {
            let Value::Steps(Steps::Traced(traced)) = value(&answers, "steps", index) else {
                assert_eq!(value(&answers, "status", index), Value::Text("conflict"));
                assert_eq!(status(puzzle, 0), "conflict");
                continue;
            };
            let mut cells = puzzle.cells().to_vec();
            for event in &traced.events {
                match *event {
                    TraceEvent::Filled { cell, digit, .. } => cells[cell.index()] = digit.get(),
                    TraceEvent::Cleared { cell } => cells[cell.index()] = 0,
                    TraceEvent::Dead { cell } => assert_eq!(cells[cell.index()], 0),
                }
            }
            let expected = match (traced.is_cut, traced.is_solved) {
                (true, _) => "budget",
                (_, true) => "solved",
                _ => "none",
            };
            assert_eq!(value(&answers, "status", index), Value::Text(expected));
            assert!(traced.events.len() == limit || !traced.is_cut);
            assert_eq!(traced.is_solved, rules::is_solution(puzzle.shape(), puzzle.cells(), &cells));
            assert!(traced.is_cut || traced.is_solved != solutions(puzzle, 1).is_empty());
        }
    }
}

#[test]
fn isomorphs_have_the_same_form() {
    let mut rng = rng(283);
    for puzzles in all() {
        let disguised: Vec<Grid> = puzzles
            .iter()
            .map(|puzzle| {
                let isomorphism = Isomorphism::random(puzzle.shape(), &mut rng);
                Grid::new(puzzle.shape(), isomorphism.apply_to_cells(puzzle.cells())).unwrap()
            })
            .collect();
        let of = |puzzles: &[Grid]| Canon::default().answer(puzzles).unwrap();
        assert_eq!(of(&puzzles), of(&disguised));
        let form = Minlex::new().canonical_cells(puzzles[0].clues()).unwrap();
        assert_eq!(of(&puzzles).value(0, 0), Value::Cells(form.cells()));
    }
}

#[test]
fn stopped_worker_answers_the_first_puzzles() {
    let puzzles: Vec<Puzzle> = mixed_puzzles(600, 284);
    let jobs: [&dyn Fn(&mut Answers); 5] = [
        &|answers| stopped(&Solve::default(), &puzzles, answers),
        &|answers| stopped(&Verify::default(), &puzzles, answers),
        &|answers| stopped(&Canon::default(), &puzzles, answers),
        &|answers| stopped(&RedundantClues::default(), &puzzles, answers),
        &|answers| stopped(&Minimize::default(), &puzzles, answers),
    ];
    let schemas = [
        Solve::default().schema(),
        Verify::default().schema(),
        Canon::default().schema(),
        RedundantClues::default().schema(),
        Minimize::default().schema(),
    ];
    for (job, schema) in jobs.into_iter().zip(schemas) {
        let mut answers = Answers::new(schema);
        job(&mut answers);
        assert!(answers.len() <= puzzles.len());
        // Every column must have one value for each answer.
        for column in 0..answers.schema().columns.len() {
            for answer in 0..answers.len() {
                let _ = answers.value(column, answer);
            }
        }
    }
}

fn stopped(job: &impl Job, puzzles: &[Puzzle], answers: &mut Answers) {
    job.worker().answer(puzzles, 0, &AtomicBool::new(true), answers).unwrap();
}
