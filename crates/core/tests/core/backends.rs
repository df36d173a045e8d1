//! Tests what runs in lanes, on every backend that this processor has, chosen by name: the lockstep engine,
//! `solve_all`, which runs it on all cores, lists of the solutions of batches, and ratings of batches.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gridmill_core::grid::rules::is_solution;
use gridmill_core::grid::{Grid, Puzzle, Shape};
use gridmill_core::logic::{PuzzleRating, Rater, Rating, Scale};
use gridmill_core::simd::Backend;
use gridmill_core::solver::{
    AnyBitmask, AnyLockstep, Backtracking, Bitmask, Bounds, CluePuzzle, DancingLinks, Engine, Lister,
    Lockstep, NEVER, Outcome, Request, SearchEnd, SolutionEngine, SolutionLimit, SolutionLists, Solver,
    solve_all, solve_all_up_to,
};
use rayon::prelude::*;

use crate::common;
use crate::common::grids::{self, clues_of, random_full};

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

static GO_ON: AtomicBool = AtomicBool::new(false);

type List = Vec<Vec<u8>>;

/// The list of each puzzle.
fn lists<P: CluePuzzle>(engine: &mut dyn SolutionEngine<P>, puzzles: &[P], bounds: &Bounds) -> Vec<List> {
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
fn oracle<P: CluePuzzle>(puzzle: &P) -> HashSet<Vec<u8>> {
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
fn assert_complete<P: CluePuzzle>(puzzles: &[P], lists: &[List], name: &str) {
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

/// Rates puzzles on every backend in batches of `size`, and compares every field with the oracle, which is a
/// rating one by one.
fn compare_with_single(puzzles: &[Puzzle], scale: Scale, limit: Rating, size: usize) {
    let mut one_by_one = Rater::new(scale, limit);
    let expected: Vec<PuzzleRating> = puzzles.iter().map(|puzzle| one_by_one.rate(puzzle)).collect();
    let raters =
        common::backends().filter_map(|backend| Some((backend, Rater::with_backend(scale, limit, backend)?)));
    for (backend, mut rater) in raters {
        let mut ratings = Vec::new();
        puzzles.chunks(size).for_each(|batch| rater.rate_batch_until(batch, &mut ratings, &NEVER));
        assert_eq!(ratings.len(), puzzles.len(), "{backend}");
        for ((puzzle, rating), expected) in puzzles.iter().zip(&ratings).zip(&expected) {
            assert_eq!(rating, expected, "{backend}, {scale} up to {limit}, batches of {size}: {puzzle}");
        }
    }
}

#[test]
fn batches_have_the_ratings_of_single_puzzles() {
    let puzzles: Vec<Puzzle> = common::datasets().into_iter().step_by(7).collect();
    for scale in [Scale::Se, Scale::Sukaku, Scale::Sukaku2020] {
        compare_with_single(&puzzles, scale, Rating::tenths(40), 500);
    }
}

#[test]
fn limits_hold_in_batches_too() {
    let puzzles: Vec<Puzzle> = common::datasets().into_iter().step_by(40).collect();
    for limit in [10, 12, 15, 17, 23] {
        compare_with_single(&puzzles, Scale::Sukaku, Rating::tenths(limit), 100);
    }
}

#[test]
fn batches_may_have_any_size() {
    let puzzles: Vec<Puzzle> = common::datasets().into_iter().step_by(80).collect();
    for size in [1, 2, 7, 8, 9, 31, 32, 33] {
        compare_with_single(&puzzles, Scale::Sukaku, Rating::tenths(28), size);
    }
}

/// Improper puzzles have no rating of their own, but they must not disturb the other lanes.
#[test]
fn improper_puzzles_end_the_same_in_batches() {
    let mut puzzles = common::mixed_puzzles(1_000, 94);
    puzzles.push(Puzzle::EMPTY);
    compare_with_single(&puzzles, Scale::Sukaku, Rating::tenths(34), 200);
}
