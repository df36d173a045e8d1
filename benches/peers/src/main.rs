//! gridmill's engines and the `sudoku` crate 0.8, side by side: one thread, the same puzzles, each proving
//! uniqueness. Answers are checked before anything is timed; the solvers take turns in rounds, and what
//! is printed is the median of the rounds and how far they spread.

#[path = "../../../tests/common/mod.rs"]
mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Parser;
use gridmill::grid::Puzzle;
use gridmill::solver::{Outcome, SolutionLimit, Solver, SolverKind};
use gridmill::text::{Batch, Format, LineFormat};
use rand::seq::SliceRandom;
use sudoku::Sudoku;

/// Puzzles of a batch: those of a chunk of 128 KiB.
const BATCH: usize = 1600;

/// Compare gridmill with other solvers on files of proper puzzles, one a line
#[derive(Parser)]
struct Arguments {
    /// Files of proper puzzles, one a line
    files: Vec<PathBuf>,

    /// Puzzles of the easy set, which is made here: 30 to 37 clues, no guess needed; 0 leaves it out
    #[arg(long, default_value_t = 100_000)]
    easy: usize,

    /// Rounds
    #[arg(long, default_value_t = 9)]
    rounds: usize,

    /// The engines to compare
    #[arg(long, value_delimiter = ',', default_value = "lockstep,bitmask")]
    engines: Vec<String>,

    /// Seed of the easy puzzles and of the order in which puzzles are solved
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A solver under test, and the seconds of its rounds.
struct Contestant {
    name: &'static str,
    run: Box<dyn FnMut()>,
    seconds: Vec<f64>,
}

fn main() {
    let arguments = Arguments::parse();
    println!("one thread, uniqueness proved, median of {} rounds, seed {}", arguments.rounds, arguments.seed);
    println!(
        "{:<24} {:>8}  {:<14} {:>12} {:>8} {:>9}",
        "file", "puzzles", "solver", "puzzles/s", "spread", "ratio"
    );
    if arguments.easy > 0 {
        compare("easy", common::easy_puzzles(arguments.easy, arguments.seed), &arguments);
    }
    for file in &arguments.files {
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
        compare(&name, read(file), &arguments);
    }
}

fn read(file: &Path) -> Vec<Puzzle> {
    let text = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut batch = Batch::default();
    LineFormat.read(&text, &mut batch);
    assert_eq!(batch.records.len(), batch.puzzles.len(), "{}: not every line is a puzzle", file.display());
    batch.puzzles
}

fn compare(name: &str, mut puzzles: Vec<Puzzle>, arguments: &Arguments) {
    puzzles.shuffle(&mut common::rng(arguments.seed));
    let count = puzzles.len();
    let mut contestants = vec![the_sudoku_crate(&puzzles)];
    for kind in
        SolverKind::ALL.into_iter().filter(|kind| arguments.engines.iter().any(|name| name == kind.name()))
    {
        contestants.push(engine(kind.build(), puzzles.clone()));
    }
    for _ in 0..arguments.rounds {
        for contestant in &mut contestants {
            let begun = Instant::now();
            (contestant.run)();
            contestant.seconds.push(begun.elapsed().as_secs_f64());
        }
    }
    let base = median(&contestants[0].seconds);
    for Contestant { name: solver, seconds, .. } in &contestants {
        let typical = median(seconds);
        let least = seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let most = seconds.iter().copied().fold(0.0, f64::max);
        let (rate, spread, ratio) =
            (count as f64 / typical, 100.0 * (most - least) / typical, base / typical);
        println!("{name:<24} {count:>8}  {solver:<14} {rate:>12.0} {spread:>6.1} % {ratio:>8.2}x");
    }
}

fn engine(mut solver: Box<dyn Solver>, puzzles: Vec<Puzzle>) -> Contestant {
    let limit = SolutionLimit::UNIQUENESS;
    let mut outcomes = vec![Outcome::NONE; puzzles.len()];
    let name = solver.name();
    solver.solve_batch(&puzzles, limit, &mut outcomes);
    for (puzzle, outcome) in puzzles.iter().zip(&outcomes) {
        let proper =
            outcome.solutions == 1 && outcome.solution.is_some_and(|solution| solution.solves(puzzle));
        assert!(proper, "{name}: {puzzle}");
    }
    // In batches as long as the pipeline's chunks are, into the same memory, as there.
    let run = Box::new(move || {
        for batch in puzzles.chunks(BATCH) {
            solver.solve_batch(batch, limit, &mut outcomes[..batch.len()]);
        }
    });
    Contestant { name, run, seconds: Vec::new() }
}

fn the_sudoku_crate(puzzles: &[Puzzle]) -> Contestant {
    let read = |puzzle: &Puzzle| Sudoku::from_str_line(&puzzle.to_string()).expect("a line of 81 cells");
    let theirs: Vec<Sudoku> = puzzles.iter().map(read).collect();
    for (puzzle, their) in puzzles.iter().zip(&theirs) {
        let solution = their.solution().unwrap_or_else(|| panic!("sudoku crate: {puzzle}"));
        let cells = solution.to_bytes();
        assert!(gridmill::grid::Solution::from_cells(cells).is_some_and(|solution| solution.solves(puzzle)));
    }
    let run = Box::new(move || {
        let proper = theirs.iter().filter(|puzzle| puzzle.solution().is_some()).count();
        assert_eq!(proper, theirs.len());
    });
    Contestant { name: "sudoku crate", run, seconds: Vec::new() }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
