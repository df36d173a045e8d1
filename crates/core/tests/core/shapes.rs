//! Tests every engine for grids of any shape against the oracle, the naive rules and known counts; and grids
//! of candidates: the engine against a slow search, and against the engine for clues.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gridmill_core::grid::rules::{self, find_conflict, is_solution};
use gridmill_core::grid::{CELLS, Cell, Digit, DigitSet, Grid, House, Pencilmarks, Puzzle, Shape, Solution};
use gridmill_core::solver::{
    AnyLockstep, Backtracking, Bitmask, Bounds, EngineKind, Outcome, Request, SearchEnd, SearchResult,
    SolutionEngine, SolutionLimit, Solver,
};
use rand::{Rng, RngExt};

use crate::common::grids::{self, shape};
use crate::common::{self, mixed_puzzles, random_grid, rng};

/// All engines that serve a shape, and lockstep on every backend.
fn engines(shape: Shape) -> impl Iterator<Item = Box<dyn SolutionEngine>> {
    let kinds = EngineKind::ALL.into_iter().filter(move |kind| kind.serves(shape));
    let backends = common::backends().filter_map(AnyLockstep::with_backend);
    let backends = backends.filter(move |_| EngineKind::Lockstep.serves(shape));
    kinds.map(EngineKind::build_any_shape).chain(backends.map(|engine| Box::new(engine) as _))
}

/// The solutions that a search finds, each checked by the naive rules.
fn solutions(
    engine: &mut dyn SolutionEngine,
    grid: &Grid,
    bounds: &Bounds,
) -> (HashSet<Vec<u8>>, SearchResult) {
    let mut found = HashSet::new();
    let searched = engine.search(grid, bounds, &mut |cells| {
        assert!(is_solution(grid.shape(), grid.cells(), cells), "{cells:?}: {grid}");
        assert!(found.insert(cells.to_vec()), "twice: {grid}");
        ControlFlow::Continue(())
    });
    assert_eq!(found.len() as u64, searched.solutions, "{}: {grid}", engine.name());
    (found, searched)
}

#[test]
fn engine_names_match_their_kinds() {
    for kind in EngineKind::ALL {
        assert_eq!(kind.build_any_shape::<Grid>().name(), kind.name());
        assert_eq!(kind.build().name(), kind.name());
    }
}

#[test]
fn fixtures_have_their_known_counts() {
    let fixtures = include_str!("../../../../datasets/fixtures/counts.txt");
    for mut engine in engines(Shape::CLASSIC) {
        for line in fixtures.lines().filter(|line| line.contains(':') && !line.starts_with('#')) {
            let [puzzle, count, _] = line.split(':').collect::<Vec<_>>().try_into().unwrap();
            let grid = Grid::from(puzzle.parse::<Puzzle>().unwrap());
            let (_, searched) = solutions(&mut *engine, &grid, &Bounds::solutions(1000));
            let expected = count.parse().unwrap_or(1000);
            assert_eq!(searched.solutions, expected, "{}: {grid}", engine.name());
            assert_eq!(searched.end == SearchEnd::Limit, expected == 1000, "{}: {grid}", engine.name());
        }
    }
}

/// Compares seeded random puzzles of every kind. Large ones have many clues, so that the oracle finishes.
#[test]
fn random_puzzles_agree_with_the_oracle() {
    const SEED: u64 = 40;
    let mut rng = rng(SEED);
    let shapes = [
        (shape(2, 2), 0.0, 500),
        (shape(2, 3), 0.2, 500),
        (shape(3, 2), 0.2, 500),
        (Shape::CLASSIC, 0.35, 500),
        (shape(3, 4), 0.5, 200),
        (shape(4, 4), 0.6, 200),
        (shape(5, 5), 0.75, 60),
    ];
    for (shape, share, count) in shapes {
        // The kinds: none, one, several, conflict.
        let mut seen = [0; 4];
        for grid in grids::mixed(shape, share, count, &mut rng) {
            let (expected, oracle) = solutions(&mut Backtracking::new(), &grid, &Bounds::solutions(200));
            let conflict = find_conflict(shape, grid.cells()).is_some();
            seen[if conflict { 3 } else { expected.len().min(2) }] += 1;
            for mut engine in engines(shape) {
                let (found, searched) = solutions(&mut *engine, &grid, &Bounds::solutions(200));
                assert_eq!(searched.end, oracle.end, "{}, seed {SEED}: {grid}", engine.name());
                // With a limit, engines may have found different solutions.
                let same =
                    if oracle.end == SearchEnd::Complete { found == expected } else { found.len() == 200 };
                assert!(same, "{}, seed {SEED}: {grid}", engine.name());
            }
        }
        let enough = seen.iter().all(|&kind| kind >= 3);
        assert!(enough || shape.side() > 16, "too few of a kind for {shape}: {seen:?}");
    }
}

/// Engines must work when the shape changes from search to search.
#[test]
fn every_engine_finds_the_288_grids_of_4x4() {
    let four = Grid::empty(shape(2, 2));
    let nine = Grid::empty(Shape::CLASSIC);
    let (expected, _) = solutions(&mut Backtracking::new(), &four, &Bounds::ALL);
    for mut engine in engines(shape(2, 2)) {
        for _ in 0..2 {
            let (found, searched) = solutions(&mut *engine, &four, &Bounds::ALL);
            assert_eq!((searched.solutions, searched.end), (288, SearchEnd::Complete), "{}", engine.name());
            assert!(found == expected, "{}", engine.name());
            solutions(&mut *engine, &nine, &Bounds::solutions(20));
        }
    }
}

/// Counts the 6x6 grids, in both orientations of the box, with every engine. It takes a minute or two: `cargo
/// test --release -p gridmill-core --test core shapes:: -- --ignored --nocapture`.
#[test]
#[ignore = "takes a minute or two"]
fn every_engine_counts_the_28_200_960_grids_of_6x6() {
    for mut engine in engines(shape(2, 3)) {
        for shape in [shape(2, 3), shape(3, 2)] {
            let begun = Instant::now();
            let searched = engine.count(&Grid::empty(shape), &Bounds::ALL);
            println!("{} {shape}: {searched:?} in {:.1?}", engine.name(), begun.elapsed());
            assert_eq!((searched.solutions, searched.end), (28_200_960, SearchEnd::Complete));
        }
    }
}

#[test]
fn every_engine_finds_grids_of_every_shape() {
    let shapes = (2..=12).flat_map(|rows| (2..=12).filter_map(move |columns| Shape::new(rows, columns)));
    for shape in shapes {
        for mut engine in engines(shape) {
            // These two take too long on larger grids.
            if shape.side() > 12 && ["singles", "backtracking"].contains(&engine.name()) {
                continue;
            }
            let (found, searched) = solutions(&mut *engine, &Grid::empty(shape), &Bounds::solutions(3));
            assert_eq!((found.len(), searched.end), (3, SearchEnd::Limit), "{} {shape}", engine.name());
        }
    }
}

/// Lockstep searches puzzles of one or several shapes in a batch. It must give the same answers as one by
/// one, with the same guesses for any backend and batch.
#[test]
fn batches_of_lockstep_agree_with_one_by_one() {
    let mut rng = rng(42);
    let shapes = [(shape(2, 2), 0.1), (shape(2, 3), 0.2), (Shape::CLASSIC, 0.3), (shape(4, 4), 0.45)];
    let puzzles = shapes.map(|(shape, share)| grids::mixed(shape, share, 100, &mut rng)).concat();
    let never = AtomicBool::new(false);
    let budget = Bounds { guesses: 20, ..Bounds::ALL };
    let limits = [Some(SolutionLimit::FIRST), Some(SolutionLimit::UNIQUENESS), None];
    for (limit, bounds) in limits.map(|limit| {
        (limit, limit.map_or(budget, |limit: SolutionLimit| Bounds::solutions(limit.get().into())))
    }) {
        let one_by_one = puzzles.iter().map(|puzzle| AnyLockstep::new().count(puzzle, &bounds));
        let one_by_one: Vec<SearchResult> = one_by_one.collect();
        let agree = |outcomes: &[Outcome<Grid>]| {
            for ((puzzle, outcome), searched) in puzzles.iter().zip(outcomes).zip(&one_by_one) {
                let found = (outcome.solutions, outcome.guesses, outcome.is_given_up);
                let expected = (searched.solutions, searched.guesses, searched.end == SearchEnd::Budget);
                assert_eq!(found, expected, "{puzzle}");
            }
        };
        for mut engine in common::backends().filter_map(AnyLockstep::with_backend) {
            for size in [1, 50, puzzles.len()] {
                let mut outcomes = vec![Outcome::NONE; puzzles.len()];
                let request = Request { bounds, keeps_solutions: false, stop: &never };
                for (puzzles, outcomes) in puzzles.chunks(size).zip(outcomes.chunks_mut(size)) {
                    assert_eq!(engine.solve_until(puzzles, &request, outcomes), puzzles.len());
                }
                agree(&outcomes);
                assert!(outcomes.iter().all(|outcome| outcome.solution.is_none()));
                let Some(limit) = limit else { continue };
                for (puzzles, outcomes) in puzzles.chunks(size).zip(outcomes.chunks_mut(size)) {
                    assert_eq!(engine.solve_until(puzzles, &Request::solve(limit), outcomes), puzzles.len());
                }
                agree(&outcomes);
                for (puzzle, outcome) in puzzles.iter().zip(&outcomes) {
                    assert_eq!(outcome.solution.is_some(), outcome.solutions > 0);
                    let sound = |cells| is_solution(puzzle.shape(), puzzle.cells(), cells);
                    assert!(outcome.solution.as_ref().is_none_or(|solution| sound(solution.cells())));
                }
            }
        }
    }
}

#[test]
fn stopped_lockstep_batch_has_no_outcomes() {
    let puzzles = [Grid::empty(shape(2, 2)), Grid::empty(shape(2, 3))];
    let mut outcomes = [Outcome::NONE, Outcome::NONE];
    let stop = AtomicBool::new(true);
    let request = Request { bounds: Bounds::ALL, keeps_solutions: false, stop: &stop };
    assert_eq!(AnyLockstep::new().solve_until(&puzzles, &request, &mut outcomes), 0);
}

/// If lanes share a search, every solution must be counted once.
#[test]
fn shared_counts_of_lockstep_agree() {
    let blank = Grid::empty(shape(2, 2));
    let request = Request { bounds: Bounds::ALL, keeps_solutions: false, stop: &AtomicBool::new(false) };
    for mut engine in common::backends().filter_map(AnyLockstep::with_backend) {
        let mut outcomes = [Outcome::NONE, Outcome::NONE];
        engine.solve_until(&[blank.clone(), blank.clone()], &request, &mut outcomes);
        let counts = outcomes.map(|outcome| (outcome.solutions, outcome.guesses));
        assert_eq!(counts, [(288, 287); 2]);
    }
}

#[test]
fn guesses_do_not_depend_on_what_was_searched_before() {
    let mut rng = rng(41);
    let puzzles: Vec<Grid> = [(shape(2, 3), 0.2), (Shape::CLASSIC, 0.3), (shape(3, 4), 0.6)]
        .into_iter()
        .flat_map(|(shape, share)| grids::mixed(shape, share, 60, &mut rng))
        .collect();
    for (kind, mut used) in EngineKind::ALL.map(|kind| (kind, kind.build_any_shape())) {
        for puzzle in &puzzles {
            let mut fresh = kind.build_any_shape();
            let bounds = Bounds::solutions(2);
            assert_eq!(used.count(puzzle, &bounds), fresh.count(puzzle, &bounds), "{kind}: {puzzle}");
        }
    }
}

#[test]
fn receiver_can_stop_at_any_solution() {
    let blank = Grid::empty(shape(2, 2));
    for mut engine in engines(shape(2, 2)) {
        for stop_at in 1..=288 {
            let mut left = stop_at;
            let searched = engine.search(&blank, &Bounds::ALL, &mut |_| {
                left -= 1;
                if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            assert_eq!(
                (searched.solutions, searched.end),
                (stop_at, SearchEnd::Stopped),
                "{}",
                engine.name()
            );
        }
    }
}

#[test]
fn a_limit_ends_the_search() {
    let blank = Grid::empty(shape(2, 2));
    for mut engine in engines(shape(2, 2)) {
        for limit in 1..=289 {
            let searched = engine.count(&blank, &Bounds::solutions(limit));
            let end = if limit <= 288 { SearchEnd::Limit } else { SearchEnd::Complete };
            assert_eq!((searched.solutions, searched.end), (limit.min(288), end), "{}", engine.name());
        }
        assert_eq!(engine.count(&blank, &Bounds::solutions(0)).end, SearchEnd::Complete);
    }
}

#[test]
fn guesses_end_the_search() {
    let blank = Grid::empty(Shape::CLASSIC);
    for mut engine in engines(Shape::CLASSIC) {
        for guesses in [0, 1, 10, 10_000] {
            let searched = engine.count(&blank, &Bounds { guesses, ..Bounds::ALL });
            assert_eq!((searched.guesses, searched.end), (guesses, SearchEnd::Budget), "{}", engine.name());
        }
        // Conclusions from the clues need no guess, and a budget of exactly as many guesses as a puzzle needs
        // must be enough.
        let four = Grid::empty(shape(2, 2));
        let whole = engine.count(&four, &Bounds::ALL);
        assert_eq!(engine.count(&four, &Bounds { guesses: whole.guesses, ..Bounds::ALL }), whole);
        assert_eq!(
            engine.count(&four, &Bounds { guesses: whole.guesses - 1, ..Bounds::ALL }).end,
            SearchEnd::Budget
        );
    }
}

#[test]
fn time_ends_the_search() {
    let blank = Grid::empty(Shape::CLASSIC);
    for mut engine in engines(Shape::CLASSIC) {
        let none = engine.count(&blank, &Bounds { time: Duration::ZERO, ..Bounds::ALL });
        assert_eq!((none.guesses, none.end), (0, SearchEnd::Budget), "{}", engine.name());
        let begun = Instant::now();
        // Only the time can end this search.
        let searched = engine.count(&blank, &Bounds { time: Duration::from_millis(20), ..Bounds::ALL });
        assert_eq!(searched.end, SearchEnd::Budget, "{}", engine.name());
        assert!(begun.elapsed() >= Duration::from_millis(20), "{}", engine.name());
    }
}

/// Counts solutions up to a limit. It fills a cell of fewest candidates at a time, and uses nothing but the
/// rules.
struct Oracle {
    peers: Vec<Vec<usize>>,
    limit: usize,
}

impl Oracle {
    fn new(limit: usize) -> Oracle {
        let houses: Vec<Vec<Cell>> =
            House::all(Shape::CLASSIC).map(|house| house.cells(Shape::CLASSIC).collect()).collect();
        let see = |cell: Cell, other: Cell| {
            cell != other && houses.iter().any(|house| house.contains(&cell) && house.contains(&other))
        };
        let peers = |cell| {
            Cell::all(Shape::CLASSIC).filter(|&other| see(cell, other)).map(Cell::index).collect::<Vec<_>>()
        };
        Oracle { peers: Cell::all(Shape::CLASSIC).map(peers).collect(), limit }
    }

    fn solutions(&self, marks: &Pencilmarks) -> Vec<[u8; CELLS]> {
        let mut found = Vec::new();
        self.search(&mut [0; CELLS], marks.candidates(), &mut found);
        found
    }

    fn search(&self, cells: &mut [u8; CELLS], marks: &[DigitSet; CELLS], found: &mut Vec<[u8; CELLS]>) {
        let fits = |cell: usize, digit: Digit| {
            marks[cell].contains(digit) && self.peers[cell].iter().all(|&peer| cells[peer] != digit.get())
        };
        let choices = |cell: usize| Digit::all(9).filter(|&digit| fits(cell, digit)).collect::<Vec<_>>();
        let open = (0..CELLS).filter(|&cell| cells[cell] == 0).map(|cell| (cell, choices(cell)));
        let Some((cell, digits)) = open.min_by_key(|(_, digits)| digits.len()) else {
            found.push(*cells);
            return;
        };
        for digit in digits {
            cells[cell] = digit.get();
            self.search(cells, marks, found);
            cells[cell] = 0;
            if found.len() == self.limit {
                return;
            }
        }
    }
}

/// Candidates of a full grid: its digits, and each other digit with a probability of `percent`. Now and then
/// a digit of the grid is missing.
fn random_marks(grid: &Solution, percent: u32, rng: &mut impl Rng) -> Pencilmarks {
    let missing = if rng.random_ratio(1, 4) { Some(rng.random_range(0..CELLS)) } else { None };
    Pencilmarks::new(std::array::from_fn(|cell| {
        let keeps = |digit: &Digit| match digit.get() == grid.cells()[cell] {
            true => missing != Some(cell),
            false => rng.random_ratio(percent, 100),
        };
        Digit::all(9).filter(keeps).fold(DigitSet::EMPTY, DigitSet::with)
    }))
}

#[test]
fn random_eliminations_agree_with_a_slow_search() {
    let (mut rng, mut engine) = (rng(7), Bitmask::new());
    let oracle = Oracle::new(40);
    let mut kinds = [0; 3];
    for round in 0..300 {
        let grid = random_grid(&mut rng);
        let marks = random_marks(&grid, 17 + round % 8 * 3, &mut rng);
        let expected = oracle.solutions(&marks);
        let mut found = Vec::new();
        let searched = engine.search_until(&marks, &Bounds::solutions(40), &false.into(), &mut |cells| {
            found.push(<[u8; CELLS]>::try_from(cells).unwrap());
            std::ops::ControlFlow::Continue(())
        });
        assert_eq!(searched.solutions as usize, found.len());
        assert_eq!(found.len(), expected.len(), "{marks}");
        for cells in &found {
            assert!(rules::is_valid_grid(Shape::CLASSIC, cells));
            assert!(marks.are_solved_by(&Solution::from_cells(*cells).unwrap()), "{marks}");
        }
        let sorted = |mut all: Vec<[u8; CELLS]>| {
            all.sort_unstable();
            all
        };
        kinds[found.len().min(2)] += 1;
        if found.len() < 40 {
            assert_eq!(sorted(found), sorted(expected));
        }
    }
    assert!(kinds.iter().all(|&kind| kind > 20), "{kinds:?}");
}

#[test]
fn pencilmarks_of_clues_are_equivalent_puzzles() {
    let (mut engine, mut marked) = (Bitmask::new(), Bitmask::new());
    for puzzle in mixed_puzzles(1_000, 11) {
        let outcome = engine.solve(&puzzle, SolutionLimit::UNIQUENESS);
        let mut first = None;
        let marks = Pencilmarks::from(&puzzle);
        let searched = marked.search_until(&marks, &Bounds::solutions(2), &false.into(), &mut |cells| {
            first = first.or(Solution::from_cells(cells.try_into().unwrap()));
            std::ops::ControlFlow::Continue(())
        });
        assert_eq!(searched.solutions, outcome.solutions, "{puzzle}");
        if outcome.solutions == 1 {
            assert_eq!(first, outcome.solution);
        }
    }
}
