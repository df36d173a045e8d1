//! Ties: where the order of cells decides a rating, it is that of the minlex form, or of the grid as it is written.

use super::solution_of;
use crate::common;
use gridmill_core::grid::{Isomorphism, Puzzle, Shape};
use gridmill_core::logic::{Explainer, Profile, Rater, Rating, State, Ties};
use std::sync::atomic::AtomicBool;

/// Puzzles of the datasets with their ratings by minlex and by reading order. The order decides which of several chains
/// of a Nishio counts for the first one, and whether chains from a house count for the second.
const TIED: [(&str, u16, u16); 2] = [
    ("29......48...2.91...6.......6.1.3....3.58..76..1..2..3.8.....49......2......1..87", 77, 78),
    ("4..3....11.8.4........2.9.....6...3.2.5.93.....4..5...8.9.....7.47...3......5.28.", 83, 84),
];

fn rater(ties: Ties) -> Rater {
    Rater::new(Profile::Sukaku, Rating::BEYOND).with_ties(ties)
}

#[test]
fn ties_decide_the_rating_and_its_explanation() {
    for (line, minlex, reading) in TIED {
        let puzzle: Puzzle = line.parse().unwrap();
        let solution = solution_of(&puzzle);
        for (ties, tenths) in [(Ties::Minlex, minlex), (Ties::Reading, reading)] {
            let rating = rater(ties).rate(&puzzle);
            assert_eq!(rating.er, Rating::tenths(tenths), "{ties}: {puzzle}");
            let mut explainer = Explainer::new(Profile::Sukaku, None).with_ties(ties);
            let told = explainer.explain(State::of_puzzle(&puzzle), &solution, &AtomicBool::new(false));
            assert_eq!(told.unwrap().rating, rating, "{ties}: {puzzle}");
        }
    }
}

#[test]
fn isomorphs_have_equal_ratings_by_minlex_alone() {
    let mut rng = common::rng(17);
    let (mut by_default, mut by_reading) =
        (Rater::new(Profile::Sukaku, Rating::BEYOND), rater(Ties::Reading));
    let mut differing = 0;
    for (line, minlex, reading) in TIED {
        let puzzle: Puzzle = line.parse().unwrap();
        for _ in 0..8 {
            let other = Isomorphism::random(Shape::CLASSIC, &mut rng).apply_classic(&puzzle);
            assert_eq!(by_default.rate(&other).er, Rating::tenths(minlex), "{other}");
            differing += usize::from(by_reading.rate(&other).er != Rating::tenths(reading));
        }
    }
    assert!(differing > 0);
}

#[test]
fn ties_are_named_in_the_version_of_the_scale() {
    for ties in [Ties::Minlex, Ties::Reading] {
        assert_eq!(ties.name().parse(), Ok(ties));
    }
    let error = "clues".parse::<Ties>().unwrap_err().to_string();
    assert_eq!(error, "ties are not decided by \"clues\"; the orders are minlex and reading");
    for profile in super::PROFILES {
        let plain = profile.version();
        assert_eq!(profile.version_with(Ties::default()), plain);
        assert_eq!(profile.version_with(Ties::Reading), format!("{plain}-reading"));
    }
}
