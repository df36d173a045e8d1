//! The techniques with their names and ratings; the scales, which say which techniques count; and the orders
//! of cells that break ties.

use std::fmt;
use std::str::FromStr;

use super::cells::Ones;
use super::chains::{dynamic, nested, single};
use super::finder::Finder;
use super::techniques::{singles, strong_links, subsets, unique, wings};

macro_rules! techniques {
    ($($name:ident $slug:literal $words:literal $least:literal,)*) => {
        /// A technique. The techniques are ordered by the lowest rating that each can have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Technique {
            $(#[doc = concat!("The ", $words, ".")] $name,)*
        }

        impl Technique {
            /// Every technique, in order.
            pub const ALL: &[Technique] = &[$(Technique::$name,)*];

            /// The names of all techniques, in the same order.
            pub(crate) const SLUGS: &[&str] = &[$($slug,)*];

            /// The name that options and columns use, e.g. `hidden-pair`.
            #[must_use]
            pub const fn slug(self) -> &'static str {
                Technique::SLUGS[self as usize]
            }

            /// The name of the column with the number of rounds in which the technique found something, e.g.
            /// `rounds_hidden-pair`.
            #[must_use]
            pub const fn column(self) -> &'static str {
                match self { $(Technique::$name => concat!("rounds_", $slug),)* }
            }

            /// Returns the name in words.
            #[must_use]
            pub const fn words(self) -> &'static str {
                match self { $(Technique::$name => $words,)* }
            }

            /// The lowest rating that a step of the technique can have.
            #[must_use]
            pub const fn least(self) -> Rating {
                match self { $(Technique::$name => Rating::tenths($least),)* }
            }
        }
    };
}

techniques! {
    LastCell "last-cell" "last cell of a house" 10,
    HiddenSingleBox "hidden-single-box" "hidden single in a box" 12,
    HiddenSingleLine "hidden-single-line" "hidden single in a line" 15,
    DirectPointing "direct-pointing" "direct pointing" 17,
    DirectClaiming "direct-claiming" "direct claiming" 19,
    DirectHiddenPair "direct-hidden-pair" "direct hidden pair" 20,
    NakedSingle "naked-single" "naked single" 23,
    DirectHiddenTriplet "direct-hidden-triplet" "direct hidden triplet" 25,
    Pointing "pointing" "pointing" 26,
    Claiming "claiming" "claiming" 28,
    NakedPair "naked-pair" "naked pair" 30,
    XWing "x-wing" "X-wing" 32,
    HiddenPair "hidden-pair" "hidden pair" 34,
    NakedTriplet "naked-triplet" "naked triplet" 36,
    Swordfish "swordfish" "swordfish" 38,
    HiddenTriplet "hidden-triplet" "hidden triplet" 40,
    TurbotFish "turbot-fish" "turbot fish" 40,
    XyWing "xy-wing" "XY-wing" 42,
    XyzWing "xyz-wing" "XYZ-wing" 44,
    UniqueRectangle "unique-rectangle" "unique rectangle" 45,
    UniqueLoop "unique-loop" "unique loop" 46,
    NakedQuad "naked-quad" "naked quad" 50,
    Jellyfish "jellyfish" "jellyfish" 52,
    HiddenQuad "hidden-quad" "hidden quad" 54,
    ThreeStrongLinks "three-strong-links" "three strong links" 54,
    WxyzWing "wxyz-wing" "WXYZ-wing" 55,
    Bug "bug" "bivalue universal grave" 56,
    FourStrongLinks "four-strong-links" "four strong links" 58,
    VwxyzWing "vwxyz-wing" "VWXYZ-wing" 62,
    AlignedPair "aligned-pair" "aligned pair exclusion" 62,
    XCycle "x-cycle" "bidirectional X-cycle" 65,
    YCycle "y-cycle" "bidirectional Y-cycle" 65,
    UvwxyzWing "uvwxyz-wing" "UVWXYZ-wing" 66,
    XChain "x-chain" "forcing X-chain" 66,
    Chain "chain" "forcing chain" 70,
    Cycle "cycle" "bidirectional cycle" 70,
    TuvwxyzWing "tuvwxyz-wing" "TUVWXYZ-wing" 75,
    AlignedTriplet "aligned-triplet" "aligned triplet exclusion" 75,
    Nishio "nishio" "Nishio forcing chain" 75,
    CellChains "cell-chains" "forcing chains from a cell" 80,
    HouseChains "house-chains" "forcing chains from a house" 80,
    DynamicChains "dynamic-chains" "dynamic forcing chains" 85,
    DynamicPlus "dynamic-plus" "dynamic forcing chains plus" 90,
    NestedChains "nested-chains" "nested forcing chains" 95,
}

impl fmt::Display for Technique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.slug())
    }
}

/// The error for an unknown name of a technique, a scale, an order of ties, or for an invalid rating. Its
/// message lists the valid names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnknownName(pub(super) String);

impl FromStr for Technique {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Technique, UnknownName> {
        let found = Technique::ALL.iter().find(|technique| technique.slug() == text);
        found.copied().ok_or_else(|| {
            let names =
                Technique::ALL.iter().map(|technique| technique.slug()).collect::<Vec<_>>().join(", ");
            UnknownName(format!("there is no technique {text:?}; the techniques are {names}"))
        })
    }
}

/// A set of techniques.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TechniqueSet(u64);

impl TechniqueSet {
    /// The empty set.
    pub const EMPTY: TechniqueSet = TechniqueSet(0);

    /// Adds a technique.
    pub const fn insert(&mut self, technique: Technique) {
        self.0 |= 1 << technique as u8;
    }

    /// Whether the two sets have a technique in common.
    #[must_use]
    pub const fn meets(self, other: TechniqueSet) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the set contains the technique.
    #[must_use]
    pub const fn contains(self, technique: Technique) -> bool {
        self.0 >> technique as u8 & 1 != 0
    }

    /// Iterates over the techniques of the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Technique> {
        Ones(self.0.into()).map(|technique| Technique::ALL[technique])
    }
}

/// A rating on the scale of Sudoku Explainer, exact to a tenth.
///
/// ```
/// use gridmill_core::logic::Rating;
///
/// let rating: Rating = "4.2".parse()?;
/// assert_eq!(rating, Rating::tenths(42));
/// assert_eq!((rating.to_string().as_str(), rating.number()), ("4.2", 4.2));
/// # Ok::<(), gridmill_core::logic::UnknownName>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rating(u16);

impl Rating {
    /// Below every rating, so a sink with this limit accepts nothing.
    pub(crate) const NONE: Rating = Rating(0);
    /// The lowest rating of a step, which is that of the last cell of a house.
    pub const LEAST: Rating = Rating(10);
    /// A rating higher than all that the techniques reach. Use it as "no limit".
    pub const BEYOND: Rating = Rating(130);

    /// Creates a rating from tenths, e.g. 42 for 4.2.
    #[must_use]
    pub const fn tenths(tenths: u16) -> Rating {
        Rating(tenths)
    }

    /// The rating in tenths, e.g. 42 for 4.2.
    #[must_use]
    pub const fn in_tenths(self) -> u16 {
        self.0
    }

    /// The rating as a number, e.g. 4.2.
    #[must_use]
    pub fn number(self) -> f64 {
        f64::from(self.0) / 10.0
    }

    /// Adds tenths to the rating.
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

impl FromStr for Rating {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Rating, UnknownName> {
        let error =
            || UnknownName(format!("{text:?} is not a rating: give 1.0 to 13.0 in tenths, such as 4.2"));
        let (whole, tenth) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str, most: usize| {
            let fits = (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
            if fits { text.parse::<u16>().ok() } else { None }
        };
        let rating = Rating(digits(whole, 2).ok_or_else(error)? * 10 + digits(tenth, 1).ok_or_else(error)?);
        if (Rating::LEAST..=Rating::BEYOND).contains(&rating) { Ok(rating) } else { Err(error()) }
    }
}

named! {
    /// A set of techniques and their ratings. Each scale contains the techniques of the scales before it.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Scale {
        /// The techniques of Sudoku Explainer 1.2.1.
        Se = "se",
        /// The default settings of SukakuExplainer, in the version that published ratings come from. It adds
        /// turbot fish, three strong links, WXYZ-wings and VWXYZ-wings.
        #[default]
        Sukaku = "sukaku",
        /// The default settings of SukakuExplainer since January 2020. It adds four strong links,
        /// UVWXYZ-wings and TUVWXYZ-wings.
        Sukaku2020 = "sukaku-2020",
    }
}

/// All finders, each with the first scale that includes it. They are asked in this order, because it is the
/// order of SukakuExplainer, and the first finder that finds something decides the rating of a round.
static FINDERS: &[(Scale, Finder)] = &[
    (Scale::Se, Finder::new(Technique::LastCell.least(), singles::find_hidden)),
    (Scale::Se, Finder::new(Technique::DirectPointing.least(), singles::find_direct_locked)),
    (Scale::Se, Finder::new(Technique::DirectHiddenPair.least(), subsets::find_direct_hidden::<2>)),
    (Scale::Se, Finder::new(Technique::NakedSingle.least(), singles::find_naked)),
    (Scale::Se, Finder::new(Technique::DirectHiddenTriplet.least(), subsets::find_direct_hidden::<3>)),
    (Scale::Se, Finder::new(Technique::Pointing.least(), singles::find_locked)),
    (Scale::Se, Finder::new(Technique::NakedPair.least(), subsets::find_naked::<2>)),
    (Scale::Se, Finder::new(Technique::XWing.least(), subsets::find_fish::<2>)),
    (Scale::Se, Finder::new(Technique::HiddenPair.least(), subsets::find_hidden::<2>)),
    (Scale::Se, Finder::new(Technique::NakedTriplet.least(), subsets::find_naked::<3>)),
    (Scale::Se, Finder::new(Technique::Swordfish.least(), subsets::find_fish::<3>)),
    (Scale::Se, Finder::new(Technique::HiddenTriplet.least(), subsets::find_hidden::<3>)),
    (Scale::Sukaku, Finder::new(Technique::TurbotFish.least(), strong_links::find::<2>)),
    (Scale::Se, Finder::new(Technique::XyWing.least(), wings::find_xy)),
    (Scale::Se, Finder::new(Technique::XyzWing.least(), wings::find_xyz)),
    (Scale::Se, Finder::new(Technique::UniqueRectangle.least(), unique::find_loops)),
    (Scale::Se, Finder::new(Technique::NakedQuad.least(), subsets::find_naked::<4>)),
    (Scale::Se, Finder::new(Technique::Jellyfish.least(), subsets::find_fish::<4>)),
    (Scale::Se, Finder::new(Technique::HiddenQuad.least(), subsets::find_hidden::<4>)),
    (Scale::Sukaku, Finder::new(Technique::ThreeStrongLinks.least(), strong_links::find::<3>)),
    (Scale::Sukaku, Finder::new(Technique::WxyzWing.least(), wings::find_large::<3>)),
    (Scale::Se, Finder::new(Technique::Bug.least(), unique::find_bug)),
    (Scale::Sukaku2020, Finder::new(Technique::FourStrongLinks.least(), strong_links::find::<4>)),
    (Scale::Sukaku, Finder::new(Technique::VwxyzWing.least(), wings::find_large::<4>)),
    (Scale::Se, Finder::new(Technique::AlignedPair.least(), wings::find_aligned_pairs)),
    (Scale::Sukaku2020, Finder::new(Technique::UvwxyzWing.least(), wings::find_large::<5>)),
    (Scale::Se, Finder::new(Technique::XCycle.least(), single::find_single)),
    (Scale::Sukaku2020, Finder::new(Technique::TuvwxyzWing.least(), wings::find_large::<6>)),
    (Scale::Se, Finder::new(Technique::AlignedTriplet.least(), wings::find_aligned_triplets)),
    (Scale::Se, dynamic::NISHIO),
    (Scale::Se, Finder::new(Technique::CellChains.least(), single::find_multiple)),
    (Scale::Se, dynamic::DYNAMIC),
    (Scale::Se, dynamic::DYNAMIC_PLUS),
    (Scale::Se, nested::WITH_SINGLE),
    (Scale::Se, nested::WITH_MULTIPLE),
    (Scale::Se, nested::WITH_DYNAMIC),
    (Scale::Se, nested::WITH_PLUS),
    (Scale::Se, nested::WITH_NESTED_SINGLE),
    (Scale::Se, nested::WITH_NESTED_MULTIPLE),
];

impl Scale {
    /// The names of all scales with their versions, twice each: for [`Ties::Minlex`] and for
    /// [`Ties::Reading`].
    pub(crate) const VERSIONS: &[&str] =
        &["se-1", "se-1-reading", "sukaku-1", "sukaku-1-reading", "sukaku-2020-1", "sukaku-2020-1-reading"];

    /// Iterates over the finders of the scale in the order in which they are asked.
    ///
    /// ```
    /// use gridmill_core::logic::{Rating, Scale};
    ///
    /// let first = Scale::Sukaku.finders().next().unwrap();
    /// assert_eq!(first.least(), Rating::LEAST);
    /// ```
    pub fn finders(self) -> impl Iterator<Item = &'static Finder> {
        self.finders_up_to(Rating::BEYOND)
    }

    /// Iterates over the finders of the scale in order, and ends after the last one that can find something
    /// rated `limit` or lower.
    pub(crate) fn finders_up_to(self, limit: Rating) -> impl Iterator<Item = &'static Finder> {
        let end = FINDERS.iter().rposition(|(_, finder)| finder.least() <= limit).map_or(0, |last| last + 1);
        FINDERS[..end].iter().filter(move |&&(first, _)| first <= self).map(|(_, finder)| finder)
    }

    /// The name and version of the scale with [`Ties::Minlex`], e.g. `sukaku-1`. It is printed beside
    /// ratings, and every change that can change a rating also changes the version, so that you can tell
    /// whether two ratings are comparable.
    #[must_use]
    pub const fn version(self) -> &'static str {
        self.version_with(Ties::Minlex)
    }

    /// The name and version of the scale when ties are broken in this order.
    ///
    /// ```
    /// use gridmill_core::logic::{Scale, Ties};
    ///
    /// assert_eq!(Scale::Sukaku.version_with(Ties::Minlex), Scale::Sukaku.version());
    /// assert_eq!(Scale::Sukaku.version_with(Ties::Reading), "sukaku-1-reading");
    /// ```
    #[must_use]
    pub const fn version_with(self, ties: Ties) -> &'static str {
        Scale::VERSIONS[2 * self as usize + ties as usize]
    }
}

impl FromStr for Scale {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Scale, UnknownName> {
        Scale::ALL.into_iter().find(|scale| scale.name() == text).ok_or_else(|| {
            UnknownName(format!("there is no scale {text:?}; the scales are se, sukaku and sukaku-2020"))
        })
    }
}

named! {
    /// The order of cells and digits that breaks ties between chains of equal length. It can change ratings
    /// from 7.5 up.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Ties {
        /// The order of the minlex form. All isomorphs of a puzzle then have the same rating.
        #[default]
        Minlex = "minlex",
        /// The reading order of the grid as it is written. SukakuExplainer uses it too, so ratings are
        /// closest to published ones, but isomorphs can have different ratings.
        Reading = "reading",
    }
}

impl FromStr for Ties {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Ties, UnknownName> {
        Ties::ALL.into_iter().find(|ties| ties.name() == text).ok_or_else(|| {
            UnknownName(format!("there is no order of ties {text:?}; the orders are minlex and reading"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_ratings_parse_back() {
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
