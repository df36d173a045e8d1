//! Times the library's `solve_all` on a file of puzzles, once for each line of standard input: `scripts/measure python`
//! lets it and the package take turns.

use std::error::Error;
use std::io::BufRead;
use std::time::Instant;

use gridmill_core::{Puzzle, solve_all};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("expected a file of puzzles, a line each")?;
    let text = std::fs::read_to_string(path)?;
    let puzzles = text.lines().map(str::parse).collect::<Result<Vec<Puzzle>, _>>()?;
    for _ in std::io::stdin().lock().lines() {
        let begun = Instant::now();
        let outcomes = solve_all(&puzzles);
        let seconds = begun.elapsed().as_secs_f64();
        let unique = outcomes.iter().filter(|outcome| outcome.solutions == 1).count();
        let guesses: u64 = outcomes.iter().map(|outcome| outcome.guesses).sum();
        println!("{seconds} {unique} {guesses}");
    }
    Ok(())
}
