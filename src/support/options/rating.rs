//! Rating puzzles: the scale, ranges of ratings, and conditions on them.

use std::ops::RangeInclusive;

use clap::builder::TypedValueParser;
use clap::{ArgGroup, Args};
use gridmill_core::grid::Shape;
use gridmill_core::jobs::Explain;
use gridmill_core::logic::{Profile, Rating, RatingWish, Technique, TechniqueSet, Ties, Until};
use gridmill_data::error::Error;
use gridmill_data::text::Layout;

use super::values::one_of;
use crate::support::command_error::{refuse, size};

/// Returns a parser of scales.
pub(crate) fn scale_parser() -> impl TypedValueParser<Value = Profile> {
    one_of([
        ("se", "Sudoku Explainer 1.2.1", Profile::Se),
        (
            "sukaku",
            "SukakuExplainer in its default settings, as published ratings have it: strong links and larger wings besides",
            Profile::Sukaku,
        ),
        (
            "sukaku-2020",
            "SukakuExplainer since January 2020: four strong links, UVWXYZ-wings and TUVWXYZ-wings besides",
            Profile::Sukaku2020,
        ),
    ])
}

fn ties_parser() -> impl TypedValueParser<Value = Ties> {
    one_of([
        ("minlex", "That of the minlex form: isomorphs have one rating", Ties::Minlex),
        (
            "reading",
            "The reading order of the grid as it is written, as in SukakuExplainer: for comparison with published ratings",
            Ties::Reading,
        ),
    ])
}

/// The scale of ratings, and the order that decides ties.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ScaleArgs {
    /// Whose techniques count, and at which ratings
    #[arg(long, value_name = "NAME", value_parser = scale_parser(), default_value = "sukaku")]
    pub(crate) scale: Profile,

    /// Which order of cells decides, from 7.5 up, where several chains lead to one deduction
    #[arg(long, value_name = "ORDER", value_parser = ties_parser(), default_value = "minlex")]
    pub(crate) ties: Ties,
}

impl ScaleArgs {
    /// Returns the job that explains puzzles, up to a round or a rating.
    pub(crate) fn explain(self, until: Option<Until>) -> Explain {
        Explain { scale: self.scale, ties: self.ties, until }
    }

    /// Returns the name of the scale with its version, as it is written beside ratings.
    pub(crate) fn version(self) -> &'static str {
        self.scale.version_with(self.ties)
    }
}

/// Conditions on the ratings of puzzles.
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
    #[arg(long, value_name = "NAME", value_parser = scale_parser(), requires = "rated")]
    scale: Option<Profile>,
}

impl RatingConditions {
    /// Returns the techniques that count.
    pub(crate) fn profile(&self) -> Profile {
        self.scale.unwrap_or(Profile::Sukaku)
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

/// Reads a rating.
pub(crate) fn rating(text: &str) -> Result<Rating, String> {
    text.parse().map_err(|error| format!("{error}"))
}

/// Reads a rating, or a range: `4.2`, `3.0..4.2`, `4.2..` or `..4.2`.
pub(crate) fn rating_span(text: &str) -> Result<RangeInclusive<Rating>, String> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let is_range = text.contains("..");
    let end = |text: &str, open| if is_range && text.is_empty() { Ok(open) } else { rating(text) };
    let (least, most) = (end(least, Rating::LEAST)?, end(most, Rating::BEYOND)?);
    if least > most {
        return Err(format!("there is no rating from {least} to {most}: give the smaller one first"));
    }
    Ok(least..=most)
}

/// Reads the names of techniques, with a comma between two.
pub(crate) fn techniques(text: &str) -> Result<TechniqueSet, String> {
    let mut found = TechniqueSet::EMPTY;
    for name in text.split(',') {
        found.insert(name.trim().parse::<Technique>().map_err(|error| format!("{error}"))?);
    }
    Ok(found)
}

/// Refuses puzzles that have no rating.
pub(crate) fn check_ratable(layout: &Layout) -> Result<(), Error> {
    match layout.shape {
        Some(Shape::CLASSIC) => Ok(()),
        shape => {
            let size = size(shape);
            refuse(format!("ratings are for puzzles of one size, 9x9, and these are {size}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_ratings_are_read() {
        let tenths = |least, most| Rating::tenths(least)..=Rating::tenths(most);
        assert_eq!(rating_span("4.2"), Ok(tenths(42, 42)));
        assert_eq!(rating_span("3..4.2"), Ok(tenths(30, 42)));
        assert_eq!(rating_span("3.0.."), Ok(tenths(30, 130)));
        assert_eq!(rating_span("..4"), Ok(tenths(10, 40)));
        assert_eq!(rating_span(".."), Ok(tenths(10, 130)));
        assert!(rating_span("4.2..3").unwrap_err().contains("no rating from 4.2 to 3.0"));
        for wrong in ["", "4.25", "0..3", "3..21", "3...4", "hard"] {
            assert!(rating_span(wrong).unwrap_err().contains("is no rating"), "{wrong}");
        }
    }

    #[test]
    fn techniques_are_read() {
        let both = techniques("x-wing, swordfish").unwrap();
        assert_eq!(both.iter().collect::<Vec<_>>(), [Technique::XWing, Technique::Swordfish]);
        assert!(techniques("x-wing,").unwrap_err().contains("the techniques are last-cell, "));
    }
}
