//! Measures your own engine next to one of gridmill's, e.g. to find out whether a new idea is faster.
//!
//! `cargo run --release --example own_engine`

use std::error::Error;
use std::sync::atomic::Ordering;

use gridmill_core::solver::Request;
use gridmill_core::{EngineKind, Outcome, Puzzle, Solution, SolutionLimit, Solver};
use gridmill_data::bench::{Benchmark, Contender, PuzzleSet};

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", run()?);
    Ok(())
}

/// The output of this example.
pub(crate) fn run() -> Result<String, Box<dyn Error>> {
    let lines = std::fs::read_to_string("datasets/easy.txt")?;
    let puzzles = lines.lines().take(200).map(str::parse).collect::<Result<Vec<Puzzle>, _>>()?;
    let set = PuzzleSet::Classic(puzzles);

    let mine = Contender::Custom { name: "fewest-digits", build: || Box::new(FewestDigits) };
    let contenders = [mine, EngineKind::Bitmask.into()];
    let mut benchmark = Benchmark::new(&set, &contenders, 1, SolutionLimit::UNIQUENESS)?;
    // Before you measure, check that solutions are right and that both engines find the same number.
    benchmark.check()?;
    for _ in 0..3 {
        benchmark.round(&mut |_| {})?;
    }
    let mut text = String::new();
    for measurement in benchmark.measurements() {
        let (name, rate) = (&measurement.contender, measurement.rate());
        let guesses = measurement.guesses.unwrap_or_default();
        text += &format!("{name:<14} {rate:>10.0} puzzles a second, {guesses} guesses\n");
    }
    Ok(text)
}

/// An engine that takes the blank cell with the fewest possible digits, and tries one digit after another.
struct FewestDigits;

impl Solver for FewestDigits {
    fn name(&self) -> &'static str {
        "fewest-digits"
    }

    fn solve_until(&mut self, puzzles: &[Puzzle], request: &Request, found: &mut [Outcome]) -> usize {
        for (index, (puzzle, outcome)) in puzzles.iter().zip(found).enumerate() {
            if request.stop.load(Ordering::Relaxed) {
                return index;
            }
            let begun = std::time::Instant::now();
            *outcome = Outcome::NONE;
            search(&mut puzzle.cells().to_owned(), request.bounds.solutions, outcome);
            outcome.nanos = begun.elapsed().as_nanos() as u64;
        }
        puzzles.len()
    }
}

fn search(cells: &mut [u8; 81], limit: u64, outcome: &mut Outcome) {
    let blanks = (0..81).filter(|&cell| cells[cell] == 0);
    let Some(cell) = blanks.min_by_key(|&cell| fitting(cells, cell).count()) else {
        outcome.solutions += 1;
        outcome.solution = outcome.solution.or_else(|| Solution::from_cells(*cells));
        return;
    };
    let digits: Vec<u8> = fitting(cells, cell).collect();
    outcome.guesses += digits.len().saturating_sub(1) as u64;
    for digit in digits {
        cells[cell] = digit;
        search(cells, limit, outcome);
        if outcome.solutions >= limit {
            break;
        }
    }
    cells[cell] = 0;
}

/// The digits that do not occur in the same row, column or box.
fn fitting(cells: &[u8; 81], cell: usize) -> impl Iterator<Item = u8> {
    let (row, column) = (cell / 9, cell % 9);
    let corner = row / 3 * 27 + column / 3 * 3;
    let mut taken = [false; 10];
    for i in 0..9 {
        for seen in [row * 9 + i, i * 9 + column, corner + i / 3 * 9 + i % 3] {
            taken[usize::from(cells[seen])] = true;
        }
    }
    (1..=9).filter(move |&digit| !taken[usize::from(digit)])
}
