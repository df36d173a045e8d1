//! Conditions on the ratings of puzzles.

use std::ops::RangeInclusive;

use clap::{ArgGroup, Args};
use gridmill_core::logic::{Profile, Rating, RatingWish, TechniqueSet};

use super::rating::{ScaleArg, rating_span, techniques};

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
    /// Returns the scale.
    pub(crate) fn profile(&self) -> Profile {
        self.scale.unwrap_or_default().into()
    }

    /// Returns the ratings that are wanted; `None` where there are no conditions.
    pub(crate) fn wish(&self) -> Option<RatingWish> {
        let is_any = self.er.is_some() || !self.techniques.is_empty();
        let any = RatingWish::default();
        is_any.then(|| RatingWish {
            scale: self.profile(),
            ratings: self.er.clone().unwrap_or(any.ratings),
            techniques: self.techniques.clone(),
        })
    }
}
