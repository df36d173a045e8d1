//! Profiles: which techniques count, as programs before this one have it.

use std::fmt;
use std::str::FromStr;

use super::chains::{DynamicChains, MultipleChains, NestedChains, Nishio, SingleChains};
use super::finder::Finder;
use super::rating::Rating;
use super::techniques::aligned_pair::AlignedPairs;
use super::techniques::aligned_triplet::AlignedTriplets;
use super::techniques::bug::BivalueUniversalGrave;
use super::techniques::fish::Fish;
use super::techniques::large_wings::LargeWings;
use super::techniques::locked::{DirectLocked, Locked};
use super::techniques::singles::{HiddenSingles, NakedSingles};
use super::techniques::strong_links::StrongLinks;
use super::techniques::subsets::{DirectHiddenSubsets, HiddenSubsets, NakedSubsets};
use super::techniques::unique_loops::UniqueLoops;
use super::techniques::xy_wing::{XyWings, XyzWings};
use super::ties::Ties;

/// A set of techniques and their ratings. Each profile has the techniques of those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// Sudoku Explainer 1.2.1.
    Se,
    /// SukakuExplainer in its default settings as published ratings have it: turbot fish, three strong links, WXYZ-wings
    /// and VWXYZ-wings besides.
    #[default]
    Sukaku,
    /// SukakuExplainer in its default settings since January 2020: four strong links, UVWXYZ-wings and TUVWXYZ-wings
    /// besides.
    Sukaku2020,
}

/// The finders in the order in which they are asked, which is that of SukakuExplainer, and the first profile that has
/// each. The rating above each is its least.
static FINDERS: &[(&dyn Finder, Profile)] = &[
    // Hidden singles 1.0 1.2 1.5.
    (&HiddenSingles, Profile::Se),
    // Direct pointing and claiming 1.7 1.9.
    (&DirectLocked, Profile::Se),
    // Direct hidden pair 2.0.
    (&DirectHiddenSubsets::<2>, Profile::Se),
    // Naked single 2.3.
    (&NakedSingles, Profile::Se),
    // Direct hidden triplet 2.5.
    (&DirectHiddenSubsets::<3>, Profile::Se),
    // Pointing 2.6, claiming 2.8.
    (&Locked, Profile::Se),
    // Naked pair 3.0.
    (&NakedSubsets::<2>, Profile::Se),
    // X-wing 3.2.
    (&Fish::<2>, Profile::Se),
    // Hidden pair 3.4.
    (&HiddenSubsets::<2>, Profile::Se),
    // Naked triplet 3.6.
    (&NakedSubsets::<3>, Profile::Se),
    // Swordfish 3.8.
    (&Fish::<3>, Profile::Se),
    // Hidden triplet 4.0.
    (&HiddenSubsets::<3>, Profile::Se),
    // Two strong links 4.0.
    (&StrongLinks::TWO, Profile::Sukaku),
    // XY-wing 4.2.
    (&XyWings, Profile::Se),
    // XYZ-wing 4.4.
    (&XyzWings, Profile::Se),
    // Unique rectangles and loops 4.5.
    (&UniqueLoops, Profile::Se),
    // Naked quad 5.0.
    (&NakedSubsets::<4>, Profile::Se),
    // Jellyfish 5.2.
    (&Fish::<4>, Profile::Se),
    // Hidden quad 5.4.
    (&HiddenSubsets::<4>, Profile::Se),
    // Three strong links 5.4.
    (&StrongLinks::THREE, Profile::Sukaku),
    // WXYZ-wing 5.5.
    (&LargeWings::<3>, Profile::Sukaku),
    // BUG 5.6.
    (&BivalueUniversalGrave, Profile::Se),
    // Four strong links 5.8.
    (&StrongLinks::FOUR, Profile::Sukaku2020),
    // VWXYZ-wing 6.2.
    (&LargeWings::<4>, Profile::Sukaku),
    // Aligned pair 6.2.
    (&AlignedPairs, Profile::Se),
    // UVWXYZ-wing 6.6.
    (&LargeWings::<5>, Profile::Sukaku2020),
    // Chains and cycles 6.5.
    (&SingleChains, Profile::Se),
    // TUVWXYZ-wing 7.5.
    (&LargeWings::<6>, Profile::Sukaku2020),
    // Aligned triplet 7.5.
    (&AlignedTriplets, Profile::Se),
    // Nishio 7.5.
    (&Nishio, Profile::Se),
    // Chains from a cell or a house 8.0.
    (&MultipleChains, Profile::Se),
    // Dynamic 8.5.
    (&DynamicChains::Singles, Profile::Se),
    // Dynamic plus 9.0.
    (&DynamicChains::Plus, Profile::Se),
    // Nested 9.5 10.0 10.5.
    (&NestedChains::Single, Profile::Se),
    (&NestedChains::Multiple, Profile::Se),
    (&NestedChains::Dynamic, Profile::Se),
    (&NestedChains::Plus, Profile::Se),
    (&NestedChains::NestedSingle, Profile::Se),
    (&NestedChains::NestedMultiple, Profile::Se),
];

impl Profile {
    /// Returns the finders of the profile, in the order in which they are asked.
    ///
    /// ```
    /// use gridmill_core::logic::{Profile, Rating};
    ///
    /// let first = Profile::Sukaku.finders().next().unwrap();
    /// assert_eq!(first.least(), Rating::LEAST);
    /// ```
    pub fn finders(self) -> impl Iterator<Item = &'static dyn Finder> {
        self.finders_up_to(Rating::BEYOND)
    }

    /// Returns the finders of the profile, in order, up to the last one that can find something rated up to `limit`.
    pub(crate) fn finders_up_to(self, limit: Rating) -> impl Iterator<Item = &'static dyn Finder> {
        let end = FINDERS.iter().rposition(|(finder, _)| finder.least() <= limit).map_or(0, |last| last + 1);
        let of_profile = FINDERS[..end].iter().filter(move |&&(_, first)| first <= self);
        of_profile.map(|&(finder, _)| finder)
    }

    /// Returns the name as options have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Profile::Se => "se",
            Profile::Sukaku => "sukaku",
            Profile::Sukaku2020 => "sukaku-2020",
        }
    }

    /// Returns name and version, as it is printed beside ratings with [`Ties::Minlex`]. Whatever changes a rating changes
    /// the version.
    #[must_use]
    pub const fn version(self) -> &'static str {
        self.version_with(Ties::Minlex)
    }

    /// Returns name and version of the ratings with ties decided in that order, as it is printed beside them.
    ///
    /// ```
    /// use gridmill_core::logic::{Profile, Ties};
    ///
    /// assert_eq!(Profile::Sukaku.version_with(Ties::Minlex), Profile::Sukaku.version());
    /// assert_eq!(Profile::Sukaku.version_with(Ties::Reading), "sukaku-1-reading");
    /// ```
    #[must_use]
    pub const fn version_with(self, ties: Ties) -> &'static str {
        match (self, ties) {
            (Profile::Se, Ties::Minlex) => "se-1",
            (Profile::Se, Ties::Reading) => "se-1-reading",
            (Profile::Sukaku, Ties::Minlex) => "sukaku-1",
            (Profile::Sukaku, Ties::Reading) => "sukaku-1-reading",
            (Profile::Sukaku2020, Ties::Minlex) => "sukaku-2020-1",
            (Profile::Sukaku2020, Ties::Reading) => "sukaku-2020-1-reading",
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
#[error("there is no scale {0:?}; the scales are se, sukaku and sukaku-2020")]
pub struct UnknownProfile(String);

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<Profile, UnknownProfile> {
        match text {
            "se" => Ok(Profile::Se),
            "sukaku" => Ok(Profile::Sukaku),
            "sukaku-2020" => Ok(Profile::Sukaku2020),
            _ => Err(UnknownProfile(text.to_owned())),
        }
    }
}
