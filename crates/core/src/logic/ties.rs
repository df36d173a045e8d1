//! Ties: where the order of cells and digits decides which of several equal ways counts, and so a rating, from 7.5 up.

use std::fmt;
use std::str::FromStr;

/// The order that decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// That of the minlex form: all isomorphs of a puzzle have the same rating.
    #[default]
    Minlex,
    /// The reading order of the grid as it is written, as SukakuExplainer has it: published ratings are decided so, and
    /// isomorphs may have different ones.
    Reading,
}

impl Ties {
    /// Returns the name as options have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Ties::Minlex => "minlex",
            Ties::Reading => "reading",
        }
    }
}

impl fmt::Display for Ties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no order has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("ties are not decided by {0:?}; the orders are minlex and reading")]
pub struct UnknownTies(String);

impl FromStr for Ties {
    type Err = UnknownTies;

    fn from_str(text: &str) -> Result<Ties, UnknownTies> {
        match text {
            "minlex" => Ok(Ties::Minlex),
            "reading" => Ok(Ties::Reading),
            _ => Err(UnknownTies(text.to_owned())),
        }
    }
}
