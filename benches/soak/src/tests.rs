//! Complete runs, with correct engines and with one that gives a wrong answer.

use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::grid::Puzzle;
use gridmill_core::solver::{Lockstep, Outcome, Request, Solver};

use crate::bases::Bases;
use crate::engines::Engines;
use crate::run::{End, Job};
use crate::soaker::Soaker;
use crate::state::{Folder, State};
use crate::tally::{BACKTRACKING, BITMASK, DANCING_LINKS, PORTABLE};

const SEED: u64 = 5;

fn state() -> State {
    State::new(SEED, String::new(), 10)
}

fn job<'a>(bases: &'a Bases, engines: &'a (dyn Fn() -> Engines + Sync), stop: &'a AtomicBool) -> Job<'a> {
    Job { bases, engines, threads: 2, puzzles: 12_000, stop }
}

/// Lockstep, but with additional solutions or guesses for one puzzle.
struct FaultyEngine {
    engine: Lockstep,
    puzzle: Puzzle,
    guesses: u64,
    solutions: u64,
}

impl Solver for FaultyEngine {
    fn name(&self) -> &'static str {
        "faulty"
    }

    fn solve_until(&mut self, puzzles: &[Puzzle], request: &Request, outcomes: &mut [Outcome]) -> usize {
        let done = self.engine.solve_until(puzzles, request, outcomes);
        for (_, outcome) in puzzles.iter().zip(outcomes).filter(|(puzzle, _)| **puzzle == self.puzzle) {
            outcome.guesses += self.guesses;
            outcome.solutions += self.solutions;
        }
        done
    }
}

/// The puzzle at this index of a round.
fn puzzle_at(bases: &Bases, round: u64, index: usize) -> Puzzle {
    use crate::make::{Maker, Plan, rng};
    let mut rng = rng(SEED, round);
    let plan = Plan::new(round, &mut rng);
    let mut batch = crate::batch::Batch::new();
    Maker::new(bases).classic(plan.puzzles, &mut rng, &mut batch);
    batch.puzzles[index]
}

/// Runs with a faulty engine in one column, and returns the report about the difference.
fn report_with_faulty(column: usize, guesses: u64, solutions: u64) -> String {
    let bases = Bases::committed();
    let puzzle = puzzle_at(bases, 2, 400 - 2);
    let engines = || {
        let mut engines = Engines::new();
        let faulty = FaultyEngine { engine: Lockstep::new(), puzzle, guesses, solutions };
        let engine = engines.classic.iter_mut().find(|engine| engine.column == column).unwrap();
        engine.solver = Box::new(faulty);
        engines
    };
    let mut state = state();
    match job(bases, &engines, &AtomicBool::new(false)).run(&mut state, &mut |_| {}) {
        End::Difference(difference) => {
            assert_eq!((state.next, difference.puzzle.puzzle.clone()), (2, puzzle.to_string()));
            difference.to_string()
        }
        end => panic!("{end:?}"),
    }
}

#[test]
fn a_difference_is_reported_with_its_seed_and_round() {
    let text = report_with_faulty(PORTABLE, 0, 1);
    assert!(text.contains("seed 5, round 2, puzzle 398\n"), "{text}");
    assert!(text.contains("reproduce: scripts/soak --seed 5 --round 2"), "{text}");
    assert!(text.contains("portable: "), "{text}");
}

#[test]
fn a_different_number_of_guesses_of_a_backend_is_reported() {
    assert!(report_with_faulty(PORTABLE, 1, 0).contains("1 guesses"));
}

#[test]
fn engines_with_a_share_are_compared_with_the_first_engine() {
    for (column, name) in [(BITMASK, "bitmask: "), (DANCING_LINKS, "dancing-links: ")] {
        let text = report_with_faulty(column, 0, 1);
        assert!(text.contains(name), "{text}");
    }
}

#[test]
fn the_first_engine_is_compared_with_the_known_solutions() {
    let first = Engines::new().classic[0].column;
    assert!(report_with_faulty(first, 0, 1).contains("expected: "));
}

#[test]
fn a_repeated_round_has_the_same_counts() {
    let bases = Bases::committed();
    let tally = |round| Soaker::new(SEED, bases, Engines::new()).round(round).unwrap();
    assert_eq!(tally(3), tally(3));
    assert_ne!(tally(3), tally(4));
}

#[test]
fn some_rounds_have_pencilmarks_or_other_shapes() {
    let bases = Bases::committed();
    let mut soaker = Soaker::new(SEED, bases, Engines::new());
    let marks = soaker.round(16).unwrap().total();
    let shapes = soaker.round(48).unwrap().total();
    assert!(marks.searches[BITMASK] == marks.puzzles && marks.searches[BACKTRACKING] > 0);
    assert!(shapes.searches[BITMASK] == shapes.puzzles && shapes.searches[DANCING_LINKS] > 0);
}

/// The counts depend neither on the number of threads nor on interruptions.
#[test]
fn an_interrupted_run_continues_from_its_saved_state() {
    let bases = Bases::committed();
    let (never, stop) = (AtomicBool::new(false), AtomicBool::new(false));
    let mut whole = state();
    assert_eq!(job(bases, &Engines::new, &never).run(&mut whole, &mut |_| {}), End::Done);
    assert!(whole.tally.by_every_backend() >= 12_000);

    let path = tempfile::tempdir().unwrap();
    let folder = Folder::open(path.path()).unwrap();
    let mut first = state();
    // Only the state after the first rounds is saved, as if the process were killed later.
    let end = job(bases, &Engines::new, &stop).run(&mut first, &mut |state| {
        if state.next == 2 {
            folder.save(state).unwrap();
        }
        stop.store(state.next > 2, Ordering::Relaxed);
    });
    assert!(end == End::Stopped || end == End::Done, "{end:?}");
    let mut second = folder.load(state(), false).unwrap();
    let one_thread = Job { threads: 1, ..job(bases, &Engines::new, &never) };
    assert_eq!(one_thread.run(&mut second, &mut |_| {}), End::Done);
    assert_eq!((second.next, second.tally), (whole.next, whole.tally));
}
