//! Ratings on the scale of Sudoku Explainer, in tenths.

use std::fmt;
use std::str::FromStr;

/// A rating on the scale of Sudoku Explainer, exact to a tenth.
///
/// ```
/// use gridmill_core::logic::Rating;
///
/// let rating: Rating = "4.2".parse()?;
/// assert_eq!(rating, Rating::tenths(42));
/// assert_eq!((rating.to_string().as_str(), rating.number()), ("4.2", 4.2));
/// # Ok::<(), gridmill_core::logic::ParseRatingError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rating(u16);

impl Rating {
    /// Below every rating: no step has it.
    pub(crate) const NONE: Rating = Rating(0);
    /// The least rating of a step: the last cell of a house.
    pub const LEAST: Rating = Rating(10);
    /// A rating above all that the techniques reach.
    pub const BEYOND: Rating = Rating(130);

    /// Returns the rating of that many tenths.
    #[must_use]
    pub const fn tenths(tenths: u16) -> Rating {
        Rating(tenths)
    }

    /// Returns the rating in tenths.
    #[must_use]
    pub const fn in_tenths(self) -> u16 {
        self.0
    }

    /// Returns the rating as a number, such as 4.2.
    #[must_use]
    pub fn number(self) -> f64 {
        f64::from(self.0) / 10.0
    }

    /// Returns the rating with some tenths added.
    #[must_use]
    pub const fn plus(self, tenths: u16) -> Rating {
        Rating(self.0 + tenths)
    }
}

impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{}", self.0 / 10, self.0 % 10))
    }
}

/// A text that is no rating.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no rating: 1.0 to 13.0 in tenths, such as 4.2")]
pub struct ParseRatingError(String);

impl FromStr for Rating {
    type Err = ParseRatingError;

    fn from_str(text: &str) -> Result<Rating, ParseRatingError> {
        let error = || ParseRatingError(text.to_owned());
        let (whole, tenth) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str, most: usize| {
            let fits = (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
            if fits { text.parse::<u16>().ok() } else { None }
        };
        let rating = Rating(digits(whole, 2).ok_or_else(error)? * 10 + digits(tenth, 1).ok_or_else(error)?);
        if (Rating::LEAST..=Rating::BEYOND).contains(&rating) { Ok(rating) } else { Err(error()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_read_as_they_are_written() {
        for tenths in 10..=130 {
            let rating = Rating::tenths(tenths);
            assert_eq!(rating.to_string().parse(), Ok(rating));
        }
        assert_eq!("7".parse(), Ok(Rating::tenths(70)));
        for wrong in ["", "0.9", "13.1", "4.25", "4.", ".5", "x", "-1.0", "+4.0", "004.2", "4,2"] {
            assert!(wrong.parse::<Rating>().is_err(), "{wrong:?}");
        }
    }
}
