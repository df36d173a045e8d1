//! Compares gridmill's engines with the `sudoku` crate 0.8: one thread, the same puzzles, and each proves
//! uniqueness. Answers are checked before anything is timed. The solvers take turns, round by round. The
//! output is the median of the rounds, and their spread.

mod canon;
#[path = "../../../tests/common/mod.rs"]
mod common;
mod generate;
mod rate;

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Parser;
use gridmill_core::grid::{Puzzle, Solution};
use gridmill_core::solver::{EngineKind, Outcome, SolutionLimit, Solver};
use gridmill_data::bench::{BenchError, Contender, median, spread};
use gridmill_data::text::{Batch, ClassicReader, Format, LineFormat};
use rand::seq::SliceRandom;
use sudoku::Sudoku;

/// The size of a batch. It is that of a chunk of the pipeline.
const BATCH: usize = 3200;

/// Compare gridmill with other solvers on files of puzzles, one a line
#[derive(Parser)]
struct Arguments {
    /// Files of puzzles, one a line
    files: Vec<PathBuf>,

    /// Puzzles of the easy set, which is made here: 30 to 37 clues, no guess needed; 0 leaves it out
    #[arg(long, default_value_t = 100_000)]
    easy: usize,

    /// Puzzles of the set with several solutions each, which is made here by taking clues out of easy ones;
    /// 0 leaves it out
    #[arg(long, default_value_t = 100_000)]
    several: usize,

    /// Compare generators instead: minimal puzzles, so many a round
    #[arg(long)]
    generate: bool,

    /// Puzzles of a round of --generate
    #[arg(long, default_value_t = 20_000)]
    made: u64,

    /// Compare canonical forms in place of solving: of the easy puzzles and those of the files, and of their
    /// solutions
    #[arg(long)]
    canon: bool,

    /// Rate the puzzles of the files, in place of solving them, beside the sudoku crate, which solves them
    #[arg(long)]
    rate: bool,

    /// Rounds
    #[arg(long, default_value_t = 9)]
    rounds: usize,

    /// The engines to compare; lockstep stands for lockstep-NAME with the best backend
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "lockstep-avx512,lockstep-avx512-base,lockstep-avx2,lockstep-portable,bitmask"
    )]
    engines: Vec<String>,

    /// Seed of the sets that are made, and of the order in which puzzles are solved
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A measured solver, and the seconds of its rounds.
struct Contestant {
    name: String,
    run: Box<dyn FnMut()>,
    seconds: Vec<f64>,
}

fn main() {
    let arguments = Arguments::parse();
    if arguments.generate {
        generate::compare(arguments.made, arguments.rounds, arguments.seed);
        return;
    }
    if arguments.rate {
        rate::compare(&arguments.files, arguments.rounds, arguments.seed);
        return;
    }
    println!("signature {}", common::signature(&mut *EngineKind::Lockstep.build()));
    let task = if arguments.canon { "canonical forms" } else { "uniqueness proved" };
    println!("one thread, {task}, median of {} rounds, seed {}", arguments.rounds, arguments.seed);
    print_heading();
    if arguments.easy > 0 {
        compare("easy", common::easy_puzzles(arguments.easy, arguments.seed), &arguments);
    }
    for file in &arguments.files {
        compare(&name_of(file), read(file), &arguments);
    }
    if arguments.several > 0 && !arguments.canon {
        compare("several solutions", several_solutions(arguments.several, arguments.seed), &arguments);
    }
}

/// Makes puzzles with several solutions: removes clues from easy puzzles in random order until there are
/// several.
fn several_solutions(count: usize, seed: u64) -> Vec<Puzzle> {
    let mut rng = common::rng(seed);
    let mut engine = EngineKind::Bitmask.build();
    let thin_out = |puzzle: Puzzle| {
        let mut cells = *puzzle.cells();
        let mut clues: Vec<usize> = (0..cells.len()).filter(|&cell| cells[cell] > 0).collect();
        clues.shuffle(&mut rng);
        for cell in clues {
            cells[cell] = 0;
            let thinner = Puzzle::from_cells(cells).expect("a puzzle stays one without a clue");
            if engine.solve(&thinner, SolutionLimit::UNIQUENESS).solutions > 1 {
                return thinner;
            }
        }
        unreachable!("an empty grid has several solutions");
    };
    common::easy_puzzles(count, seed).into_iter().map(thin_out).collect()
}

fn name_of(file: &Path) -> Cow<'_, str> {
    file.file_name().unwrap_or(file.as_os_str()).to_string_lossy()
}

fn read(file: &Path) -> Vec<Puzzle> {
    let text = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut batch = Batch::default();
    LineFormat(ClassicReader).read(&text, &mut batch);
    assert_eq!(batch.records.len(), batch.puzzles.len(), "{}: not every line is a puzzle", file.display());
    batch.puzzles
}

fn compare(name: &str, mut puzzles: Vec<Puzzle>, arguments: &Arguments) {
    puzzles.shuffle(&mut common::rng(arguments.seed));
    if arguments.canon {
        return canon::compare(name, puzzles, arguments.rounds);
    }
    let count = puzzles.len();
    let mut contestants = vec![the_sudoku_crate(&puzzles)];
    contestants.extend(arguments.engines.iter().filter_map(|name| engine(name, &puzzles)));
    benchmark(name, count, contestants, arguments.rounds);
}

/// Lets the contestants take turns, and prints their results relative to the first one.
fn benchmark(name: &str, count: usize, mut contestants: Vec<Contestant>, rounds: usize) {
    take_turns(&mut contestants, rounds);
    print(name, count, &contestants);
}

fn print_heading() {
    println!(
        "{:<24} {:>8}  {:<18} {:>12} {:>8} {:>9}",
        "file", "puzzles", "solver", "puzzles/s", "spread", "ratio"
    );
}

fn take_turns(contestants: &mut [Contestant], rounds: usize) {
    for _ in 0..rounds {
        for contestant in &mut *contestants {
            let begun = Instant::now();
            (contestant.run)();
            contestant.seconds.push(begun.elapsed().as_secs_f64());
        }
    }
}

/// Prints a line for each solver, with its ratio to the first one.
fn print(name: &str, count: usize, contestants: &[Contestant]) {
    let base = median(&contestants[0].seconds);
    for Contestant { name: solver, seconds, .. } in contestants {
        let typical = median(seconds);
        let (rate, spread, ratio) = (count as f64 / typical, 100.0 * spread(seconds), base / typical);
        let places = if ratio < 0.1 { 4 } else { 2 };
        println!("{name:<24} {count:>8}  {solver:<18} {rate:>12.0} {spread:>6.1} % {ratio:>8.places$}x");
    }
}

/// The engine with this name. If this processor can't run it, prints this and returns `None`.
fn solver(name: &str) -> Option<Box<dyn Solver>> {
    match Contender::by_name(name) {
        Ok(contender) => contender.build(),
        Err(error @ BenchError::NoBackend { .. }) => {
            println!("{name:<24} not measured: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn engine(name: &str, puzzles: &[Puzzle]) -> Option<Contestant> {
    let (mut solver, puzzles) = (solver(name)?, puzzles.to_vec());
    let limit = SolutionLimit::UNIQUENESS;
    let mut outcomes = vec![Outcome::NONE; puzzles.len()];
    solver.solve_batch(&puzzles, limit, &mut outcomes);
    for (puzzle, outcome) in puzzles.iter().zip(&outcomes) {
        assert!(outcome.solution.is_some_and(|solution| solution.solves(puzzle)), "{name}: {puzzle}");
        assert_eq!(outcome.solutions == 1, is_proper(puzzle), "{name}: {puzzle}");
    }
    // Batches have the size of the pipeline's chunks, and reuse the same memory, so that the measured speed
    // is that of the pipeline.
    let run = Box::new(move || {
        for batch in puzzles.chunks(BATCH) {
            solver.solve_batch(batch, limit, &mut outcomes[..batch.len()]);
        }
    });
    Some(Contestant { name: name.to_owned(), run, seconds: Vec::new() })
}

fn theirs(puzzle: &Puzzle) -> Sudoku {
    Sudoku::from_str_line(&puzzle.to_string()).expect("a line of 81 cells")
}

/// Checks with the `sudoku` crate whether a puzzle has exactly one solution.
fn is_proper(puzzle: &Puzzle) -> bool {
    theirs(puzzle).solution().is_some()
}

fn the_sudoku_crate(puzzles: &[Puzzle]) -> Contestant {
    let theirs: Vec<Sudoku> = puzzles.iter().map(theirs).collect();
    let mut proper = 0;
    for (puzzle, their) in puzzles.iter().zip(&theirs) {
        if let Some(solution) = their.solution() {
            let solution = Solution::from_cells(solution.to_bytes());
            assert!(solution.is_some_and(|solution| solution.solves(puzzle)), "sudoku crate: {puzzle}");
            proper += 1;
        }
    }
    let run = Box::new(move || {
        let found = theirs.iter().filter(|puzzle| puzzle.solution().is_some()).count();
        assert_eq!(found, proper);
    });
    Contestant { name: "sudoku crate".to_owned(), run, seconds: Vec::new() }
}
