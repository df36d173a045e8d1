//! Compares the speed of rating puzzles with that of the `sudoku` crate, which only solves them.

use std::path::PathBuf;

use crate::{BATCH, Contestant, benchmark, common, name_of, print_heading, read, sudoku_crate};
use gridmill_core::grid::Puzzle;
use gridmill_core::logic::{PuzzleRating, Rater, Rating, RatingEnd, Scale};
use gridmill_core::solver::NEVER;
use rand::seq::SliceRandom;

/// Prints the speed of rating the puzzles of each file, in random order, relative to that of solving them.
pub(crate) fn compare(files: &[PathBuf], rounds: usize, seed: u64) {
    println!("one thread, median of {rounds} rounds, seed {seed}");
    print_heading();
    for file in files {
        let mut puzzles = read(file);
        puzzles.shuffle(&mut common::rng(seed));
        let raters = [Scale::Sukaku, Scale::Se].map(|scale| rater(scale, &puzzles));
        let mut contestants = vec![sudoku_crate(&puzzles)];
        contestants.extend(raters);
        benchmark(&name_of(file), puzzles.len(), contestants, rounds);
    }
}

/// The rater for a scale. Before anything is timed, it rates each puzzle once, to check that no rating ends
/// in a contradiction.
fn rater(scale: Scale, puzzles: &[Puzzle]) -> Contestant {
    let (mut rater, puzzles) = (Rater::new(scale, Rating::BEYOND), puzzles.to_vec());
    let mut ratings: Vec<PuzzleRating> = Vec::new();
    rater.rate_batch_until(&puzzles, &mut ratings, &NEVER);
    for (puzzle, rating) in puzzles.iter().zip(&ratings) {
        assert_ne!(rating.end, RatingEnd::Contradiction, "{scale}: {puzzle}");
    }
    let run = Box::new(move || {
        for batch in puzzles.chunks(BATCH) {
            ratings.clear();
            rater.rate_batch_until(batch, &mut ratings, &NEVER);
        }
    });
    Contestant { name: format!("rate --scale {scale}"), run, seconds: Vec::new() }
}
