//! Seeded random puzzles of every kind, for tests and benches, and helpers that wait for events. A test never
//! sleeps for a fixed time, because the time that something takes depends on the machine.

#![allow(dead_code, unreachable_pub)]

pub mod grids;

use std::io::{Write, stderr};
use std::process::{Child, ExitStatus};
use std::sync::Once;
use std::time::{Duration, Instant};

use gridmill_core::grid::{CELLS, Puzzle, Solution};
use gridmill_core::simd::Backend;
use gridmill_core::solver::{Bitmask, Outcome, SolutionLimit, Solver};
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};

/// The backends that this processor supports, and so can be tested. The first call lists the other ones on
/// standard error. It doesn't use `eprintln!`, because the test harness captures that.
pub fn backends() -> impl Iterator<Item = Backend> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for backend in Backend::ALL.into_iter().filter(|backend| !backend.is_available()) {
            let lacking = backend.lacking().join(", ");
            let _ = writeln!(stderr(), "{backend} is not tested: the processor lacks {lacking}");
        }
    });
    Backend::ALL.into_iter().filter(|backend| backend.is_available())
}

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A full grid: three random boxes on the diagonal, and a search for the rest.
pub fn random_grid(rng: &mut impl Rng) -> Solution {
    let mut cells = [0; CELLS];
    for corner in [0, 30, 60] {
        let mut digits: Vec<u8> = (1..=9).collect();
        digits.shuffle(rng);
        for (place, digit) in digits.into_iter().enumerate() {
            cells[corner + place / 3 * 9 + place % 3] = digit;
        }
    }
    let puzzle = Puzzle::from_cells(cells).unwrap();
    Bitmask::new().solve(&puzzle, SolutionLimit::FIRST).solution.unwrap()
}

/// A puzzle with `clues` clues of a grid, chosen at random.
pub fn clues_of(grid: &Solution, clues: usize, rng: &mut impl Rng) -> Puzzle {
    let mut order: Vec<usize> = (0..CELLS).collect();
    order.shuffle(rng);
    let mut cells = [0; CELLS];
    for &cell in &order[..clues] {
        cells[cell] = grid.cells()[cell];
    }
    Puzzle::from_cells(cells).unwrap()
}

/// Proper puzzles with 30 to 37 clues that need no guess.
pub fn easy_puzzles(count: usize, seed: u64) -> Vec<Puzzle> {
    let mut rng = rng(seed);
    let mut engine = Bitmask::new();
    let mut puzzles = Vec::with_capacity(count);
    while puzzles.len() < count {
        let grid = random_grid(&mut rng);
        for _ in 0..20 {
            let clues = rng.random_range(30..=37);
            let puzzle = clues_of(&grid, clues, &mut rng);
            let Outcome { solutions, guesses, .. } = engine.solve(&puzzle, SolutionLimit::UNIQUENESS);
            if solutions == 1 && guesses == 0 {
                puzzles.push(puzzle);
            }
        }
    }
    puzzles.truncate(count);
    puzzles
}

/// Puzzles of all kinds: proper, with many solutions, with none, contradictory, solved, and empty.
pub fn mixed_puzzles(count: usize, seed: u64) -> Vec<Puzzle> {
    let mut rng = rng(seed);
    let mut grid = random_grid(&mut rng);
    (0..count)
        .map(|index| {
            if index % 10 == 0 {
                grid = random_grid(&mut rng);
            }
            let clues = rng.random_range(24..=45);
            let puzzle = clues_of(&grid, clues, &mut rng);
            match index % 5 {
                0 | 1 => puzzle,
                // A random digit in a random cell: mostly no solution, often a contradiction.
                2 | 3 => changed(&puzzle, &mut rng),
                _ => match rng.random_range(0..40) {
                    0 => Puzzle::EMPTY,
                    1..4 => Puzzle::from_cells(*grid.cells()).unwrap(),
                    _ => clues_of(&grid, rng.random_range(60..81), &mut rng),
                },
            }
        })
        .collect()
}

fn changed(puzzle: &Puzzle, rng: &mut impl Rng) -> Puzzle {
    let mut cells = *puzzle.cells();
    cells[rng.random_range(0..CELLS)] = rng.random_range(1..=9);
    Puzzle::from_cells(cells).unwrap()
}

/// The text of a file with one puzzle per line.
pub fn as_lines(puzzles: &[Puzzle]) -> String {
    puzzles.iter().map(|puzzle| format!("{puzzle}\n")).collect()
}

/// The current value of [`signature`]. If a change alters it, the lockstep engine behaves differently, and
/// the change must say so.
pub const SIGNATURE: &str = "24728 d3b9a3869ecc7d80";

/// The classic puzzles in the repository, of every kind, proper or not.
pub const DATASETS: &str = concat!(
    include_str!("../../datasets/classics.txt"),
    include_str!("../../datasets/easy.txt"),
    include_str!("../../datasets/medium.txt"),
    include_str!("../../datasets/hard.txt"),
    include_str!("../../datasets/minimal.txt"),
    include_str!("../../datasets/multiple.txt"),
    include_str!("../../datasets/none.txt"),
);

/// The puzzles of the first file, which are hard.
pub fn classics() -> Vec<Puzzle> {
    puzzles_of(include_str!("../../datasets/classics.txt"))
}

/// The puzzles of all files.
pub fn datasets() -> Vec<Puzzle> {
    puzzles_of(DATASETS)
}

/// The proper puzzles of all files.
pub fn proper() -> Vec<Puzzle> {
    let files = [
        include_str!("../../datasets/classics.txt"),
        include_str!("../../datasets/easy.txt"),
        include_str!("../../datasets/medium.txt"),
        include_str!("../../datasets/hard.txt"),
        include_str!("../../datasets/minimal.txt"),
    ];
    files.into_iter().flat_map(puzzles_of).collect()
}

/// The puzzles in the lines of a text, without its comments.
fn puzzles_of(lines: &str) -> Vec<Puzzle> {
    let puzzles = lines.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    puzzles.map(|line| line[..CELLS].parse().unwrap()).collect()
}

/// The number of guesses for the puzzles in the repository, and a hash of all solutions.
pub fn signature(engine: &mut dyn Solver) -> String {
    let puzzles = puzzles_of(DATASETS);
    let mut outcomes = vec![Outcome::NONE; puzzles.len()];
    engine.solve_batch(&puzzles, SolutionLimit::UNIQUENESS, &mut outcomes);
    let guesses = outcomes.iter().map(|outcome| outcome.guesses).sum();
    let solutions = outcomes.iter().filter_map(|outcome| Some(outcome.solution?.to_string()));
    signature_of(guesses, &solutions.collect::<String>())
}

/// The signature for a number of guesses, and for all solutions joined into one text.
pub fn signature_of(guesses: u64, solutions: &str) -> String {
    // FNV-1a over the digits.
    let hash = solutions.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, digit| {
        (hash ^ u64::from(digit - b'0')).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{guesses} {hash:016x}")
}

/// The time after which a wait fails, so that a defect doesn't hang the tests. It is not a limit on speed:
/// the events take a small part of it, even on a slow and busy machine.
pub const HANG: Duration = Duration::from_secs(300);

/// Waits until `happened` returns true. `what` completes the message "waited in vain until".
pub fn wait_until(what: &str, mut happened: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !happened() {
        assert!(begun.elapsed() < HANG, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until a process has ended, and returns its exit status.
pub fn end_of(child: &mut Child) -> ExitStatus {
    let mut status = None;
    wait_until("the process has ended", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap()
}
