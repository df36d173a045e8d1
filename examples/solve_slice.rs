//! Solves a slice of puzzles on all cores.
//!
//! `cargo run --release --example solve_slice`

use std::error::Error;

use gridmill_core::{Puzzle, solve_all};

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", run()?);
    Ok(())
}

/// The output of this example.
pub(crate) fn run() -> Result<String, Box<dyn Error>> {
    let lines = std::fs::read_to_string("datasets/minimal.txt")?;
    let puzzles = lines.lines().map(str::parse).collect::<Result<Vec<Puzzle>, _>>()?;

    let outcomes = solve_all(&puzzles);

    let unique = outcomes.iter().filter(|outcome| outcome.solutions == 1).count();
    let guesses: u64 = outcomes.iter().map(|outcome| outcome.guesses).sum();
    let mut text = format!("{} puzzles, {unique} with one solution, {guesses} guesses\n", puzzles.len());
    if let Some(solution) = outcomes[0].solution {
        text += &format!("{}\n{solution}\n", puzzles[0]);
    }
    Ok(text)
}
