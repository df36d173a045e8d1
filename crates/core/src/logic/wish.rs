//! Which ratings are wanted of puzzles.

use std::ops::RangeInclusive;

use super::profile::Profile;
use super::rater::{PuzzleRating, Rater, RatingEnd};
use super::rating::Rating;
use super::technique::TechniqueSet;

/// The ratings and techniques that are wanted of puzzles.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::logic::{Rating, RatingWish};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let easy = RatingWish { ratings: Rating::LEAST..=Rating::tenths(15), ..RatingWish::default() };
/// assert!(easy.admits(&easy.rater().rate(&puzzle)));
/// let harder = RatingWish { ratings: Rating::tenths(20)..=Rating::BEYOND, ..RatingWish::default() };
/// assert!(!harder.admits(&harder.rater().rate(&puzzle)));
/// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatingWish {
    /// The scale.
    pub scale: Profile,
    /// The ratings of the puzzle.
    pub ratings: RangeInclusive<Rating>,
    /// Techniques that find something on the way to the solution: at least one of each set.
    pub techniques: Vec<TechniqueSet>,
}

impl Default for RatingWish {
    /// Returns a wish for any rating.
    fn default() -> RatingWish {
        let ratings = Rating::LEAST..=Rating::BEYOND;
        RatingWish { scale: Profile::default(), ratings, techniques: Vec::new() }
    }
}

impl RatingWish {
    /// Returns a rater that goes as far as the wish: no further than the highest rating.
    #[must_use]
    pub fn rater(&self) -> Rater {
        Rater::new(self.scale, *self.ratings.end())
    }

    /// Returns whether a rating is as wanted. One that did not come to the end is not.
    #[must_use]
    pub fn admits(&self, rating: &PuzzleRating) -> bool {
        let found = rating.techniques();
        rating.end == RatingEnd::Solved
            && self.ratings.contains(&rating.er)
            && self.techniques.iter().all(|wanted| wanted.meets(found))
    }
}
