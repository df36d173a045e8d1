//! Seeded random puzzles of every kind, for tests and benches.

#![allow(dead_code, unreachable_pub)]

pub mod grids;
pub mod waiting;

use std::io::{Write, stderr};
use std::sync::Once;

use gridmill_core::grid::{CELLS, Puzzle, Solution};
use gridmill_core::simd::Backend;
use gridmill_core::solver::{Bitmask, Outcome, SolutionLimit, Solver};
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};

/// The backends that can be tested: those of this processor. Says on standard error, once, which are left out. (The harness
/// of the tests captures what `eprintln!` prints, and not this.)
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

/// A full grid: three random boxes on the diagonal, the rest by search.
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

/// So many clues of a grid, taken at random.
pub fn clues_of(grid: &Solution, clues: usize, rng: &mut impl Rng) -> Puzzle {
    let mut order: Vec<usize> = (0..CELLS).collect();
    order.shuffle(rng);
    let mut cells = [0; CELLS];
    for &cell in &order[..clues] {
        cells[cell] = grid.cells()[cell];
    }
    Puzzle::from_cells(cells).unwrap()
}

/// Proper puzzles of 30 to 37 clues that need no guess.
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

/// Puzzles of all kinds: proper, with many solutions, with none, contradictory, solved, empty.
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
                // A digit put anywhere: mostly no solution, often a contradiction.
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

/// Puzzles as a file: one a line.
pub fn as_lines(puzzles: &[Puzzle]) -> String {
    puzzles.iter().map(|puzzle| format!("{puzzle}\n")).collect()
}

/// What [`signature`] is today. A change that moves it changes what the lockstep engine does, and says so.
pub const SIGNATURE: &str = "24728 d3b9a3869ecc7d80";

/// The committed classic puzzles: of every kind, proper or not.
pub const DATASETS: &str = concat!(
    include_str!("../../datasets/classics.txt"),
    include_str!("../../datasets/easy.txt"),
    include_str!("../../datasets/medium.txt"),
    include_str!("../../datasets/hard.txt"),
    include_str!("../../datasets/minimal.txt"),
    include_str!("../../datasets/multiple.txt"),
    include_str!("../../datasets/none.txt"),
);

/// The first of them, which are hard.
pub fn classics() -> Vec<Puzzle> {
    puzzles_of(include_str!("../../datasets/classics.txt"))
}

/// All of them.
pub fn datasets() -> Vec<Puzzle> {
    puzzles_of(DATASETS)
}

/// All of them that are proper.
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

/// The puzzles of lines, without comments.
fn puzzles_of(lines: &str) -> Vec<Puzzle> {
    let puzzles = lines.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    puzzles.map(|line| line[..CELLS].parse().unwrap()).collect()
}

/// Guesses over the committed puzzles, and a hash of all solutions.
pub fn signature(engine: &mut dyn Solver) -> String {
    let puzzles = puzzles_of(DATASETS);
    let mut outcomes = vec![Outcome::NONE; puzzles.len()];
    engine.solve_batch(&puzzles, SolutionLimit::UNIQUENESS, &mut outcomes);
    let guesses = outcomes.iter().map(|outcome| outcome.guesses).sum();
    let solutions = outcomes.iter().filter_map(|outcome| Some(outcome.solution?.to_string()));
    signature_of(guesses, &solutions.collect::<String>())
}

/// The signature of so many guesses, and of all solutions one behind the other.
pub fn signature_of(guesses: u64, solutions: &str) -> String {
    // FNV-1a over the digits.
    let hash = solutions.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, digit| {
        (hash ^ u64::from(digit - b'0')).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{guesses} {hash:016x}")
}
