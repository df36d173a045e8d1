//! The techniques: their names, and the ratings from which on they occur.

use std::fmt;
use std::str::FromStr;

use super::rating::Rating;

macro_rules! techniques {
    ($($name:ident $slug:literal $words:literal $least:literal,)*) => {
        /// A technique, in the order of the least rating that it can have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Technique {
            $(#[doc = concat!("The ", $words, ".")] $name,)*
        }

        impl Technique {
            /// Every technique, in order.
            pub const ALL: &[Technique] = &[$(Technique::$name,)*];

            /// Returns the name as options and columns have it.
            #[must_use]
            pub const fn slug(self) -> &'static str {
                match self { $(Technique::$name => $slug,)* }
            }

            /// Returns the name of the column that says in how many rounds the technique found something.
            #[must_use]
            pub const fn column(self) -> &'static str {
                match self { $(Technique::$name => concat!("rounds_", $slug),)* }
            }

            /// Returns the name in words.
            #[must_use]
            pub const fn words(self) -> &'static str {
                match self { $(Technique::$name => $words,)* }
            }

            /// Returns the least rating that a step of the technique can have.
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

/// A name that no technique has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no technique {0:?}; the techniques are {names}", names = names())]
pub struct UnknownTechnique(String);

fn names() -> String {
    Technique::ALL.iter().map(|technique| technique.slug()).collect::<Vec<_>>().join(", ")
}

impl FromStr for Technique {
    type Err = UnknownTechnique;

    fn from_str(text: &str) -> Result<Technique, UnknownTechnique> {
        let found = Technique::ALL.iter().find(|technique| technique.slug() == text);
        found.copied().ok_or_else(|| UnknownTechnique(text.to_owned()))
    }
}

/// A set of techniques.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TechniqueSet(u64);

impl TechniqueSet {
    /// No technique.
    pub const EMPTY: TechniqueSet = TechniqueSet(0);

    /// Adds a technique.
    pub const fn insert(&mut self, technique: Technique) {
        self.0 |= 1 << technique as u8;
    }

    /// Returns whether the sets have a technique in common.
    #[must_use]
    pub const fn meets(self, other: TechniqueSet) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns whether the technique is in the set.
    #[must_use]
    pub const fn contains(self, technique: Technique) -> bool {
        self.0 >> technique as u8 & 1 != 0
    }

    /// Returns the techniques of the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Technique> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let technique = Technique::ALL.get(rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(*technique)
        })
    }
}
