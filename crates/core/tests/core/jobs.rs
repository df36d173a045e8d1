//! Tests the jobs on seeded random puzzles of three shapes, against the oracle, definitions and the naive
//! rules; and lists of the solutions of batches, on every backend by name, against the oracle.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gridmill_core::grid::{Grid, Isomorphism, Puzzle, rules};
use gridmill_core::jobs::{
    Answers, Candidates, Canon, Check, Count, Explain, Job, Minimal, Minimize, Proposed, Rate, Solve, Status,
    Steps, Trace, Value, Verify,
};
use gridmill_core::logic::ExplanationEnd;
use gridmill_core::minlex::Minlex;
use gridmill_core::solver::{
    AnyBitmask, AnyLockstep, Backtracking, Bounds, DancingLinks, Engine, GridLike, GridSolver, Lister,
    Lockstep, Request, SearchEnd, SolutionLists, Solvable, Solver, TraceEvent, TracedEngine,
};
use rand::RngExt;

use crate::common::grids::{self, clues_of, random_full};
use crate::common::{self, mixed_puzzles, rng};

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
        let minimal = Minimal::default().answer(&proper).unwrap();
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
        &|answers| stopped(&Minimal::default(), &puzzles, answers),
        &|answers| stopped(&Minimize::default(), &puzzles, answers),
    ];
    let schemas = [
        Solve::default().schema(),
        Verify::default().schema(),
        Canon::default().schema(),
        Minimal::default().schema(),
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

static GO_ON: AtomicBool = AtomicBool::new(false);

type List = Vec<Vec<u8>>;

/// The list of each puzzle.
fn lists<P: GridLike>(engine: &mut dyn GridSolver<P>, puzzles: &[P], bounds: &Bounds) -> Vec<List> {
    let mut lists = SolutionLists::new();
    assert_eq!(engine.list_until(puzzles, bounds, &mut lists, &GO_ON), puzzles.len());
    let list = |puzzle| lists.solutions(puzzle).map(<[u8]>::to_vec).collect::<List>();
    let listed: Vec<List> = (0..puzzles.len()).map(list).collect();
    for (puzzle, list) in listed.iter().enumerate() {
        assert_eq!(lists.searched(puzzle).solutions, list.len() as u64);
    }
    listed
}

/// All solutions of a puzzle, found by the slow oracle.
fn oracle<P: GridLike>(puzzle: &P) -> HashSet<Vec<u8>> {
    let mut solutions = HashSet::new();
    Backtracking::new().search(puzzle, &Bounds::ALL, &mut |digits| {
        solutions.insert(digits.to_vec());
        ControlFlow::Continue(())
    });
    solutions
}

fn sorted(list: &List) -> List {
    let mut list = list.clone();
    list.sort();
    list
}

fn classic_engines() -> Vec<Lockstep> {
    common::backends().filter_map(Lockstep::with_backend).collect()
}

fn any_engines() -> Vec<AnyLockstep> {
    common::backends().filter_map(AnyLockstep::with_backend).collect()
}

/// Classic puzzles with several solutions, with one, and with none.
fn classics() -> Vec<Puzzle> {
    let several = include_str!("../../../../datasets/multiple.txt").lines().skip(113).take(6);
    let one = include_str!("../../../../datasets/easy.txt").lines().take(2);
    let none = include_str!("../../../../datasets/none.txt").lines().take(2);
    let mut puzzles: Vec<Puzzle> = several.chain(one).chain(none).map(|line| line.parse().unwrap()).collect();
    let full = common::random_grid(&mut common::rng(80));
    puzzles.extend([40, 38, 36].map(|clues| common::clues_of(&full, clues, &mut common::rng(clues as u64))));
    puzzles
}

/// Small grids of two shapes with random clues, some of them in conflict.
fn small_grids() -> Vec<Grid> {
    let mut rng = common::rng(81);
    let mut small = Vec::new();
    for (rows, columns, clues) in [(2, 2, 3), (2, 3, 12), (2, 2, 2), (3, 2, 14)] {
        let shape = grids::shape(rows, columns);
        small.extend((0..5).map(|_| clues_of(shape, &random_full(shape, &mut rng), clues, &mut rng)));
        let mut cells = small[small.len() - 1].cells().to_vec();
        cells[..2].fill(1);
        small.push(Grid::new(shape, cells).unwrap());
    }
    small
}

/// Checks that the lists have exactly the solutions that the oracle finds, each once.
fn assert_complete<P: GridLike>(puzzles: &[P], lists: &[List], name: &str) {
    for (puzzle, list) in puzzles.iter().zip(lists) {
        let expected = oracle(puzzle);
        assert_eq!(list.len(), expected.len(), "{name}: {:?}", puzzle.clues());
        assert!(list.iter().all(|solution| expected.contains(solution)), "{name}: {:?}", puzzle.clues());
    }
}

#[test]
fn lists_agree_with_the_oracle_in_one_order_on_every_backend() {
    let (classics, small) = (classics(), small_grids());
    let first = lists(&mut classic_engines()[0], &classics, &Bounds::ALL);
    // The puzzles are few, because the oracle is slow.
    assert_complete(&classics[8..], &first[8..], "classic");
    let expected = lists(&mut DancingLinks::new(), &classics, &Bounds::ALL);
    assert!(first.iter().zip(&expected).all(|(list, other)| sorted(list) == sorted(other)));
    for engine in &mut classic_engines() {
        let found = lists(engine, &classics, &Bounds::ALL);
        assert!(found == first, "{}", engine.backend());
    }
    let first = lists(&mut any_engines()[0], &small, &Bounds::ALL);
    assert_complete(&small, &first, "any shape");
    assert!(any_engines().iter_mut().all(|engine| lists(engine, &small, &Bounds::ALL) == first));
    // An engine for single puzzles lists the same solutions, but in its own order.
    assert_complete(&small, &lists(&mut AnyBitmask::new(), &small, &Bounds::ALL), "bitmask");
}

#[test]
fn lists_depend_only_on_their_puzzle_and_limits_keep_the_first_solutions() {
    let (classics, small) = (classics(), small_grids());
    for mut engine in classic_engines() {
        let all = lists(&mut engine, &classics, &Bounds::ALL);
        for (size, limit) in [(1, 2), (7, 1), (10, 7)] {
            let parts = classics.chunks(size);
            let found: Vec<List> =
                parts.flat_map(|part| lists(&mut engine, part, &Bounds::solutions(limit))).collect();
            for (list, all) in found.iter().zip(&all) {
                assert_eq!(list[..], all[..all.len().min(limit as usize)], "{}", engine.backend());
            }
        }
        let mut alone = List::new();
        engine.search(&classics[0], &Bounds::ALL, &mut |digits| {
            alone.push(digits.to_vec());
            ControlFlow::Continue(())
        });
        assert_eq!(alone, all[0]);
    }
    for mut engine in any_engines() {
        let all = lists(&mut engine, &small, &Bounds::ALL);
        let found: Vec<List> =
            small.chunks(5).flat_map(|part| lists(&mut engine, part, &Bounds::solutions(3))).collect();
        assert!(found.iter().zip(&all).all(|(list, all)| *list == all[..all.len().min(3)]));
    }
}

#[test]
fn the_end_of_each_search_is_reported() {
    let puzzles = [classics()[0], Puzzle::EMPTY, classics()[9]];
    let mut found = SolutionLists::new();
    let ends = |lists: &SolutionLists| [0, 1, 2].map(|puzzle| lists.searched(puzzle).end);
    for mut engine in classic_engines() {
        engine.list_until(&puzzles, &Bounds::solutions(1000), &mut found, &GO_ON);
        assert_eq!(ends(&found), [SearchEnd::Complete, SearchEnd::Limit, SearchEnd::Complete]);
        engine.list_until(&puzzles, &Bounds { guesses: 5, ..Bounds::ALL }, &mut found, &GO_ON);
        assert_eq!(ends(&found)[..2], [SearchEnd::Budget; 2]);
        assert_eq!(found.searched(1).guesses, 5);
        let stopped = engine.list_until(&puzzles, &Bounds::ALL, &mut found, &AtomicBool::new(true));
        assert_eq!((stopped, ends(&found)), (0, [SearchEnd::Stopped; 3]));
        assert_eq!(found.solutions(1).count(), 0);
    }
}

/// A batch keeps what was done before an endless search, which the stop flag must end.
#[test]
fn stopped_batch_keeps_finished_puzzles() {
    let shape = grids::shape(4, 4);
    let full = Grid::new(shape, random_full(shape, &mut common::rng(82))).unwrap();
    let puzzles = [full.clone(), Grid::empty(shape), full];
    for mut engine in any_engines() {
        let mut found = SolutionLists::new();
        let mut list_for = |time| {
            let stop = AtomicBool::new(false);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(time);
                    stop.store(true, Ordering::Relaxed);
                });
                engine.list_until(&puzzles, &Bounds::ALL, &mut found, &stop)
            })
        };
        // There is no sign that the first puzzle is done except the result, so slow machines get more time,
        // up to a minute.
        let times = (3..=16).map(|power| Duration::from_millis(1 << power));
        let listed = times.map(&mut list_for).find(|&listed| listed > 0);
        assert_eq!(listed, Some(1));
        let ends = [0, 1, 2].map(|puzzle| found.searched(puzzle).end);
        assert_eq!(ends, [SearchEnd::Complete, SearchEnd::Stopped, SearchEnd::Complete]);
        assert_eq!(found.solutions(0).count(), 1);
    }
}

#[test]
fn bounded_counts_agree_between_classic_and_any_shape() {
    let puzzles = classics();
    for mut engine in classic_engines() {
        for limit in [1, 50, u64::MAX] {
            let mut counts = vec![gridmill_core::solver::Outcome::NONE; puzzles.len()];
            let mut expected = counts.clone();
            let bounds = Bounds::solutions(limit);
            let request = Request { bounds, keeps_solutions: false, stop: &GO_ON };
            engine.solve_until(&puzzles, &request, &mut counts);
            AnyLockstep::new().solve_until(&puzzles, &request, &mut expected);
            assert!(counts.iter().zip(&expected).all(|(count, other)| count.solutions == other.solutions));
        }
    }
}

/// The list that a lister reports for each puzzle, and how the searches ended.
fn handed_out(lister: &mut Lister<Puzzle>, puzzles: &[Puzzle], limit: u64) -> (Vec<List>, Vec<SearchEnd>) {
    let mut found = vec![List::new(); puzzles.len()];
    let mut last = 0;
    let searched = lister.list(puzzles, limit, &GO_ON, &mut |puzzle, digits| {
        assert!(puzzle >= last, "puzzles come in order");
        last = puzzle;
        found[puzzle].push(digits.to_vec());
        ControlFlow::Continue(())
    });
    for (list, searched) in found.iter().zip(&searched) {
        assert_eq!(list.len() as u64, searched.solutions);
    }
    (found, searched.into_iter().map(|searched| searched.end).collect())
}

/// Some of these puzzles have more solutions than the engine for batches lists, so both engines take part.
#[test]
fn lister_reports_each_solution_once_and_limits_keep_the_first() {
    let puzzles = classics();
    let in_batches = || Lister::new(Some(Box::new(Lockstep::new())), Box::new(AnyBitmask::new()));
    let (all, ends) = handed_out(&mut in_batches(), &puzzles, 0);
    assert!(all.iter().any(|list| list.len() > 1024), "the second engine has something to do");
    assert!(ends.iter().all(|end| *end == SearchEnd::Complete));
    let expected = lists(&mut DancingLinks::new(), &puzzles, &Bounds::ALL);
    assert!(all.iter().zip(&expected).all(|(list, other)| sorted(list) == sorted(other)));
    for limit in [1, 1024, 1025, 1100] {
        let (found, ends) = handed_out(&mut in_batches(), &puzzles, limit);
        for ((list, all), end) in found.iter().zip(&all).zip(ends) {
            assert_eq!(list[..], all[..all.len().min(limit as usize)], "{limit}");
            assert_eq!(end == SearchEnd::Limit, list.len() as u64 == limit, "{limit}");
        }
    }
    let (alone, _) = handed_out(&mut Lister::new(None, Box::new(AnyBitmask::new())), &puzzles, 3);
    let (three, _) = handed_out(&mut in_batches(), &puzzles, 3);
    assert!(alone.iter().zip(&three).all(|(one, other)| one.len() == other.len()));
}

#[test]
fn stopped_lister_reports_where_it_ended() {
    let puzzles = [classics()[0]; 5];
    for limit in [0, 10] {
        let mut lister = Lister::new(Some(Box::new(Lockstep::new())), Box::new(AnyBitmask::new()));
        let searched = lister.list(&puzzles, limit, &GO_ON, &mut |puzzle, _| {
            if puzzle == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((searched.len(), searched[2].end), (3, SearchEnd::Stopped));
        let stopped = lister.list(&puzzles, limit, &AtomicBool::new(true), &mut |_, _| unreachable!());
        assert_eq!(stopped.len(), 1);
        assert_eq!(stopped[0].end, SearchEnd::Stopped);
    }
    assert_eq!(Lister::<Puzzle>::new(None, Box::new(AnyBitmask::new())).name(), "bitmask");
    assert_eq!(Solver::<Puzzle>::name(&Lockstep::new()), "lockstep");
}
