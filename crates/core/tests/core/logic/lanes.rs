//! Batches that are rated in lanes, on every backend, have the ratings of puzzles rated one by one.

use super::PROFILES;
use crate::common;
use gridmill_core::grid::Puzzle;
use gridmill_core::logic::{Profile, PuzzleRating, Rater, Rating};
use gridmill_core::solver::NEVER;

/// Rates puzzles on every backend in batches of `size`, and compares every field with the oracle, which is a
/// rating one by one.
fn compare(puzzles: &[Puzzle], profile: Profile, limit: Rating, size: usize) {
    let mut one_by_one = Rater::new(profile, limit);
    let expected: Vec<PuzzleRating> = puzzles.iter().map(|puzzle| one_by_one.rate(puzzle)).collect();
    let raters = common::backends()
        .filter_map(|backend| Some((backend, Rater::with_backend(profile, limit, backend)?)));
    for (backend, mut rater) in raters {
        let mut ratings = Vec::new();
        puzzles.chunks(size).for_each(|batch| rater.rate_batch_until(batch, &mut ratings, &NEVER));
        assert_eq!(ratings.len(), puzzles.len(), "{backend}");
        for ((puzzle, rating), expected) in puzzles.iter().zip(&ratings).zip(&expected) {
            assert_eq!(rating, expected, "{backend}, {profile} up to {limit}, batches of {size}: {puzzle}");
        }
    }
}

#[test]
fn batches_have_the_ratings_of_single_puzzles() {
    let puzzles: Vec<Puzzle> = common::datasets().into_iter().step_by(7).collect();
    for profile in PROFILES {
        compare(&puzzles, profile, Rating::tenths(40), 500);
    }
}

#[test]
fn limits_hold_in_batches_too() {
    let puzzles: Vec<Puzzle> = common::datasets().into_iter().step_by(40).collect();
    for limit in [10, 12, 15, 17, 23] {
        compare(&puzzles, Profile::Sukaku, Rating::tenths(limit), 100);
    }
}

#[test]
fn batches_may_have_any_size() {
    let puzzles: Vec<Puzzle> = common::datasets().into_iter().step_by(80).collect();
    for size in [1, 2, 7, 8, 9, 31, 32, 33] {
        compare(&puzzles, Profile::Sukaku, Rating::tenths(28), size);
    }
}

/// Improper puzzles have no rating of their own, but they must not disturb the other lanes.
#[test]
fn improper_puzzles_end_the_same_in_batches() {
    let mut puzzles = common::mixed_puzzles(1_000, 94);
    puzzles.push(Puzzle::EMPTY);
    compare(&puzzles, Profile::Sukaku, Rating::tenths(34), 200);
}
