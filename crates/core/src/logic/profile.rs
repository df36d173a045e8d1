//! Profiles: which techniques count, as programs before this one have it; and which order decides ties.

use std::fmt;
use std::str::FromStr;

use super::chains::{dynamic, multiple, nested, single};
use super::finder::Finder;
use super::technique::{Rating, Technique, UnknownName};
use super::techniques::{aligned, bug, fish, locked, singles, strong_links, subsets, unique, wings};

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
/// each.
static FINDERS: &[(Profile, Finder)] = &[
    (Profile::Se, Finder::new(Technique::LastCell.least(), singles::find_hidden)),
    (Profile::Se, Finder::new(Technique::DirectPointing.least(), locked::find_direct)),
    (Profile::Se, Finder::new(Technique::DirectHiddenPair.least(), subsets::find_direct_hidden::<2>)),
    (Profile::Se, Finder::new(Technique::NakedSingle.least(), singles::find_naked)),
    (Profile::Se, Finder::new(Technique::DirectHiddenTriplet.least(), subsets::find_direct_hidden::<3>)),
    (Profile::Se, Finder::new(Technique::Pointing.least(), locked::find)),
    (Profile::Se, Finder::new(Technique::NakedPair.least(), subsets::find_naked::<2>)),
    (Profile::Se, Finder::new(Technique::XWing.least(), fish::find::<2>)),
    (Profile::Se, Finder::new(Technique::HiddenPair.least(), subsets::find_hidden::<2>)),
    (Profile::Se, Finder::new(Technique::NakedTriplet.least(), subsets::find_naked::<3>)),
    (Profile::Se, Finder::new(Technique::Swordfish.least(), fish::find::<3>)),
    (Profile::Se, Finder::new(Technique::HiddenTriplet.least(), subsets::find_hidden::<3>)),
    (Profile::Sukaku, Finder::new(Technique::TurbotFish.least(), strong_links::find::<2>)),
    (Profile::Se, Finder::new(Technique::XyWing.least(), wings::find_xy)),
    (Profile::Se, Finder::new(Technique::XyzWing.least(), wings::find_xyz)),
    (Profile::Se, Finder::new(Technique::UniqueRectangle.least(), unique::find)),
    (Profile::Se, Finder::new(Technique::NakedQuad.least(), subsets::find_naked::<4>)),
    (Profile::Se, Finder::new(Technique::Jellyfish.least(), fish::find::<4>)),
    (Profile::Se, Finder::new(Technique::HiddenQuad.least(), subsets::find_hidden::<4>)),
    (Profile::Sukaku, Finder::new(Technique::ThreeStrongLinks.least(), strong_links::find::<3>)),
    (Profile::Sukaku, Finder::new(Technique::WxyzWing.least(), wings::find_large::<3>)),
    (Profile::Se, Finder::new(Technique::Bug.least(), bug::find)),
    (Profile::Sukaku2020, Finder::new(Technique::FourStrongLinks.least(), strong_links::find::<4>)),
    (Profile::Sukaku, Finder::new(Technique::VwxyzWing.least(), wings::find_large::<4>)),
    (Profile::Se, Finder::new(Technique::AlignedPair.least(), aligned::find_pairs)),
    (Profile::Sukaku2020, Finder::new(Technique::UvwxyzWing.least(), wings::find_large::<5>)),
    (Profile::Se, Finder::new(Technique::XCycle.least(), single::find)),
    (Profile::Sukaku2020, Finder::new(Technique::TuvwxyzWing.least(), wings::find_large::<6>)),
    (Profile::Se, Finder::new(Technique::AlignedTriplet.least(), aligned::find_triplets)),
    (Profile::Se, Finder::by_order(Technique::Nishio.least(), dynamic::find_nishio)),
    (Profile::Se, Finder::new(Technique::CellChains.least(), multiple::find)),
    (Profile::Se, Finder::by_order(Technique::DynamicChains.least(), dynamic::find_dynamic)),
    (Profile::Se, Finder::by_order(Technique::DynamicPlus.least(), dynamic::find_dynamic_plus)),
    (Profile::Se, Finder::by_order(nested::WITH_SINGLE, nested::find_with_single)),
    (Profile::Se, Finder::by_order(nested::WITH_MULTIPLE, nested::find_with_multiple)),
    (Profile::Se, Finder::by_order(nested::WITH_DYNAMIC, nested::find_with_dynamic)),
    (Profile::Se, Finder::by_order(nested::WITH_DYNAMIC, nested::find_with_plus)),
    (Profile::Se, Finder::by_order(nested::WITH_DYNAMIC, nested::find_with_nested_single)),
    (Profile::Se, Finder::by_order(nested::WITH_DYNAMIC, nested::find_with_nested_multiple)),
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
    pub fn finders(self) -> impl Iterator<Item = &'static Finder> {
        self.finders_up_to(Rating::BEYOND)
    }

    /// Returns the finders of the profile, in order, up to the last one that can find something rated up to `limit`.
    pub(crate) fn finders_up_to(self, limit: Rating) -> impl Iterator<Item = &'static Finder> {
        let end = FINDERS.iter().rposition(|(_, finder)| finder.least() <= limit).map_or(0, |last| last + 1);
        FINDERS[..end].iter().filter(move |&&(first, _)| first <= self).map(|(_, finder)| finder)
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

impl FromStr for Profile {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Profile, UnknownName> {
        let all = [Profile::Se, Profile::Sukaku, Profile::Sukaku2020];
        all.into_iter().find(|profile| profile.name() == text).ok_or_else(|| {
            UnknownName(format!("there is no scale {text:?}; the scales are se, sukaku and sukaku-2020"))
        })
    }
}

/// The order of cells and digits that decides which of several equal ways counts, and so a rating, from 7.5 up.
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

impl FromStr for Ties {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Ties, UnknownName> {
        [Ties::Minlex, Ties::Reading].into_iter().find(|ties| ties.name() == text).ok_or_else(|| {
            UnknownName(format!("ties are not decided by {text:?}; the orders are minlex and reading"))
        })
    }
}
