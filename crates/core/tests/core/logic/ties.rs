//! Ties between chains: ratings with ties in the order of the minlex form are the same for all isomorphs, and
//! those in reading order need not be.

use super::{FOLLOWED, PROFILES, puzzles, setting, solution_of};
use crate::common;
use gridmill_core::grid::{Isomorphism, Puzzle, Shape};
use gridmill_core::logic::{Explainer, Profile, Rater, Rating, State, Ties};
use rand::seq::SliceRandom;
use std::sync::atomic::AtomicBool;

/// Puzzles of the datasets with their ratings by minlex order and by reading order. For the first puzzle, the
/// order decides which of several Nishio chains counts. For the second, it decides whether chains from a
/// house count.
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
            let explanation =
                explainer.explain(State::from_puzzle(&puzzle), &solution, &AtomicBool::new(false));
            assert_eq!(explanation.unwrap().rating, rating, "{ties}: {puzzle}");
        }
    }
}

#[test]
fn only_minlex_ties_give_isomorphs_equal_ratings() {
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
    for profile in PROFILES {
        let plain = profile.version();
        assert_eq!(profile.version_with(Ties::default()), plain);
        assert_eq!(profile.version_with(Ties::Reading), format!("{plain}-reading"));
    }
}

#[test]
fn isomorphs_have_equal_ratings() {
    let (count, isomorphs) = (setting("GRIDMILL_LOGIC_RATED", 100), setting("GRIDMILL_LOGIC_ISOMORPHS", 3));
    // With a large sample, there is no limit. Otherwise hard puzzles are cut off, because they take long.
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
