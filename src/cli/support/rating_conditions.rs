//! Conditions on the ratings of puzzles.

use std::ops::RangeInclusive;

use clap::{ArgGroup, Args};

use super::rating::{BatchRater, Ratable, ScaleArg, rating_span, techniques};
use crate::logic::{Profile, PuzzleRating, Rating, RatingEnd, TechniqueSet};

#[derive(Clone, Debug, Args)]
#[command(group(ArgGroup::new("rated").multiple(true)))]
pub(crate) struct RatingConditions {
    /// How hard for people: a rating, or a range such as 3.0..4.2, 4.5.. or ..2.6. See gridmill rate
    #[arg(long, value_name = "R|MIN..MAX", value_parser = rating_span, group = "rated")]
    er: Option<RangeInclusive<Rating>>,

    /// A technique that finds something on the way, such as x-wing, or any of several with commas between them; may be
    /// given several times
    #[arg(long = "technique", value_name = "NAME", value_parser = techniques, group = "rated")]
    techniques: Vec<TechniqueSet>,

    /// Whose techniques count, and at which ratings [default: sukaku]
    #[arg(long, value_name = "NAME", value_enum, requires = "rated")]
    scale: Option<ScaleArg>,
}

impl RatingConditions {
    /// Returns whether there are any.
    pub(crate) fn are_any(&self) -> bool {
        self.er.is_some() || !self.techniques.is_empty()
    }

    /// Returns the scale.
    pub(crate) fn profile(&self) -> Profile {
        self.scale.unwrap_or_default().into()
    }

    /// Returns a rater that goes as far as the conditions ask for; `None` where there are none.
    pub(crate) fn rater<P: Ratable + Clone>(&self) -> Option<BatchRater<P>> {
        let limit = self.er.as_ref().map_or(Rating::BEYOND, |range| *range.end());
        self.are_any().then(|| BatchRater::new(self.profile(), limit))
    }

    /// Returns whether a rating meets the conditions. One that did not come to the end does not.
    pub(crate) fn hold(&self, rating: &PuzzleRating) -> bool {
        let found = rating.techniques();
        rating.end == RatingEnd::Solved
            && self.er.as_ref().is_none_or(|range| range.contains(&rating.er))
            && self.techniques.iter().all(|wanted| wanted.meets(found))
    }
}
