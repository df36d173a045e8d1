//! Profiles: which techniques count, as programs before this one have it.

use std::fmt;
use std::str::FromStr;

use super::finder::Finder;
use super::techniques::fish::Fish;
use super::techniques::locked::{DirectLocked, Locked};
use super::techniques::singles::{HiddenSingles, NakedSingles};
use super::techniques::subsets::{DirectHiddenSubsets, HiddenSubsets, NakedSubsets};

/// A set of techniques and their ratings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Sudoku Explainer 1.2.1.
    Se,
    /// SukakuExplainer in its default settings: strong links and larger wings besides.
    #[default]
    Sukaku,
}

/// The finders of SukakuExplainer, by the least rating of each.
static SUKAKU: &[&dyn Finder] = &[
    // hidden singles 1.0 1.2 1.5
    &HiddenSingles,
    // direct pointing and claiming 1.7 1.9
    &DirectLocked,
    // direct hidden pair 2.0
    &DirectHiddenSubsets::<2>,
    // naked single 2.3
    &NakedSingles,
    // direct hidden triplet 2.5
    &DirectHiddenSubsets::<3>,
    // pointing 2.6, claiming 2.8
    &Locked,
    // naked pair 3.0
    &NakedSubsets::<2>,
    // X-wing 3.2
    &Fish::<2>,
    // hidden pair 3.4
    &HiddenSubsets::<2>,
    // naked triplet 3.6
    &NakedSubsets::<3>,
    // swordfish 3.8
    &Fish::<3>,
    // hidden triplet 4.0
    &HiddenSubsets::<3>,
    // two strong links 4.0
    // XY-wing 4.2
    // XYZ-wing 4.4
    // unique rectangles and loops 4.5
    // naked quad 5.0
    &NakedSubsets::<4>,
    // jellyfish 5.2
    &Fish::<4>,
    // hidden quad 5.4
    &HiddenSubsets::<4>,
    // three strong links 5.4
    // WXYZ-wing 5.5
    // BUG 5.6
    // four strong links 5.8
    // VWXYZ-wing 6.2
    // aligned pair 6.2
    // chains and cycles 6.5
    // UVWXYZ-wing 6.6
    // TUVWXYZ-wing 7.5
    // aligned triplet 7.5
    // Nishio 7.5
    // multiple 8.0
    // dynamic 8.5
    // dynamic plus 9.0
    // nested 9.5
];

/// The finders of Sudoku Explainer, by the least rating of each.
static SE: &[&dyn Finder] = &[
    // hidden singles 1.0 1.2 1.5
    &HiddenSingles,
    // direct pointing and claiming 1.7 1.9
    &DirectLocked,
    // direct hidden pair 2.0
    &DirectHiddenSubsets::<2>,
    // naked single 2.3
    &NakedSingles,
    // direct hidden triplet 2.5
    &DirectHiddenSubsets::<3>,
    // pointing 2.6, claiming 2.8
    &Locked,
    // naked pair 3.0
    &NakedSubsets::<2>,
    // X-wing 3.2
    &Fish::<2>,
    // hidden pair 3.4
    &HiddenSubsets::<2>,
    // naked triplet 3.6
    &NakedSubsets::<3>,
    // swordfish 3.8
    &Fish::<3>,
    // hidden triplet 4.0
    &HiddenSubsets::<3>,
    // XY-wing 4.2
    // XYZ-wing 4.4
    // unique rectangles and loops 4.5
    // naked quad 5.0
    &NakedSubsets::<4>,
    // jellyfish 5.2
    &Fish::<4>,
    // hidden quad 5.4
    &HiddenSubsets::<4>,
    // BUG 5.6
    // aligned pair 6.2
    // chains and cycles 6.5
    // aligned triplet 7.5
    // Nishio 7.5
    // multiple 8.0
    // dynamic 8.5
    // dynamic plus 9.0
    // nested 9.5
];

impl Profile {
    /// Returns the finders of the profile, by the least rating of each.
    pub(crate) fn finders(self) -> &'static [&'static dyn Finder] {
        match self {
            Profile::Se => SE,
            Profile::Sukaku => SUKAKU,
        }
    }

    /// Returns the name as options have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Profile::Se => "se",
            Profile::Sukaku => "sukaku",
        }
    }

    /// Returns name and version, as it is printed beside ratings. Whatever changes a rating changes the version.
    #[must_use]
    pub const fn version(self) -> &'static str {
        match self {
            Profile::Se => "se-1",
            Profile::Sukaku => "sukaku-1",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no profile has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no scale {0:?}; the scales are se and sukaku")]
pub struct UnknownProfile(String);

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<Profile, UnknownProfile> {
        match text {
            "se" => Ok(Profile::Se),
            "sukaku" => Ok(Profile::Sukaku),
            _ => Err(UnknownProfile(text.to_owned())),
        }
    }
}
