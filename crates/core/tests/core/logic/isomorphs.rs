//! Ratings do not depend on the disguise of a puzzle.

use super::{FOLLOWED, PROFILES, puzzles, setting};
use crate::common;
use gridmill_core::grid::{Isomorphism, Shape};
use gridmill_core::logic::{Rater, Rating};
use rand::seq::SliceRandom;

#[test]
fn isomorphs_have_equal_ratings() {
    let (count, isomorphs) = (setting("GRIDMILL_LOGIC_RATED", 100), setting("GRIDMILL_LOGIC_ISOMORPHS", 3));
    // Many puzzles of the sample would take long above the limit.
    let limit = if count > 100 { Rating::BEYOND } else { FOLLOWED };
    let (mut puzzles, mut rng) = (puzzles(), common::rng(91));
    puzzles.shuffle(&mut rng);
    for profile in PROFILES {
        let mut rater = Rater::new(profile, limit);
        for puzzle in puzzles.iter().take(count) {
            let rating = rater.rate(puzzle);
            for _ in 0..isomorphs {
                let other = Isomorphism::random(Shape::CLASSIC, &mut rng).apply_classic(puzzle);
                assert_eq!(rater.rate(&other), rating, "{profile}: {puzzle} and {other}");
            }
        }
    }
}
