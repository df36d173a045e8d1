//! Digits and sets of digits.

use std::fmt;
use std::num::NonZeroU8;

use super::Shape;

/// A digit, from 1 to the side of the grid.
///
/// ```
/// use gridmill_core::grid::Digit;
///
/// let seven = Digit::new(7).unwrap();
/// assert_eq!(seven.get(), 7);
/// assert!(Digit::new(0).is_none());
/// assert!(Digit::new(26).is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digit(NonZeroU8);

impl Digit {
    /// Returns the digit of that value, from 1 to [`Shape::MAX_SIDE`]; `None` for anything else.
    #[must_use]
    pub const fn new(value: u8) -> Option<Digit> {
        match NonZeroU8::new(value) {
            Some(value) if value.get() as usize <= Shape::MAX_SIDE => Some(Digit(value)),
            _ => None,
        }
    }

    /// Returns the value, from 1.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0.get()
    }

    /// Returns the digits of a grid of that side, in rising order.
    pub fn all(side: usize) -> impl Iterator<Item = Digit> {
        (1..=side as u8).filter_map(Digit::new)
    }
}

impl fmt::Display for Digit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// A set of digits, as a mask.
///
/// ```
/// use gridmill_core::grid::{Digit, DigitSet};
///
/// let two = Digit::new(2).unwrap();
/// let used = DigitSet::EMPTY.with(two);
/// assert!(used.contains(two) && used.is_single());
/// assert_eq!(used.complement(4).len(), 3);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DigitSet(u32);

impl DigitSet {
    /// No digit.
    pub const EMPTY: DigitSet = DigitSet(0);

    const fn of(digit: Digit) -> DigitSet {
        DigitSet(1 << (digit.get() - 1))
    }

    /// Returns the set of every digit of a grid of that side.
    #[must_use]
    pub const fn all(side: usize) -> DigitSet {
        DigitSet((1 << side) - 1)
    }

    /// Returns the set of a mask: the lowest bit is digit 1.
    pub const fn from_mask(mask: u32) -> DigitSet {
        DigitSet(mask & DigitSet::all(Shape::MAX_SIDE).0)
    }

    /// Returns the set as a mask.
    pub(crate) const fn mask(self) -> u32 {
        self.0
    }

    /// Returns whether the digit is in the set.
    #[must_use]
    pub const fn contains(self, digit: Digit) -> bool {
        self.0 & DigitSet::of(digit).0 != 0
    }

    /// Returns the set with that digit added.
    #[must_use]
    pub const fn with(self, digit: Digit) -> DigitSet {
        DigitSet(self.0 | DigitSet::of(digit).0)
    }

    /// Returns the set with that digit removed.
    #[must_use]
    pub const fn without(self, digit: Digit) -> DigitSet {
        DigitSet(self.0 & !DigitSet::of(digit).0)
    }

    /// Returns the digits that are in either set.
    #[must_use]
    pub const fn union(self, other: DigitSet) -> DigitSet {
        DigitSet(self.0 | other.0)
    }

    /// Returns the digits that are in both sets.
    #[must_use]
    pub const fn intersection(self, other: DigitSet) -> DigitSet {
        DigitSet(self.0 & other.0)
    }

    /// Returns the digits that are in this set and not in the other.
    #[must_use]
    pub const fn difference(self, other: DigitSet) -> DigitSet {
        DigitSet(self.0 & !other.0)
    }

    /// Returns the digits of a grid of that side that are not in the set.
    #[must_use]
    pub const fn complement(self, side: usize) -> DigitSet {
        DigitSet(DigitSet::all(side).0 & !self.0)
    }

    /// Returns how many digits are in the set.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether there is exactly one digit.
    #[must_use]
    pub const fn is_single(self) -> bool {
        self.0.is_power_of_two()
    }

    /// Returns whether there are exactly two digits.
    pub(crate) const fn is_pair(self) -> bool {
        (self.0 & self.0.wrapping_sub(1)).is_power_of_two()
    }

    /// Returns the lowest digit.
    #[must_use]
    pub const fn lowest(self) -> Option<Digit> {
        Digit::new(self.0.trailing_zeros() as u8 + 1)
    }

    /// Returns the lowest digit above `floor` (0: the lowest of all).
    #[must_use]
    pub const fn lowest_above(self, floor: u8) -> Option<Digit> {
        Digit::new(((self.0 as u64 >> floor << floor).trailing_zeros() + 1) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_digits_combine_as_sets_do() {
        let set =
            [3, 9, 25].map(|d| Digit::new(d).unwrap()).into_iter().fold(DigitSet::EMPTY, DigitSet::with);
        assert_eq!(set.len(), 3);
        assert_eq!(set.lowest_above(0).map(Digit::get), Some(3));
        assert_eq!((set.lowest().map(Digit::get), DigitSet::EMPTY.lowest()), (Some(3), None));
        assert_eq!(set.lowest_above(3).map(Digit::get), Some(9));
        assert_eq!(set.lowest_above(9).map(Digit::get), Some(25));
        assert_eq!(set.lowest_above(25), None);
        assert_eq!(set.complement(25).union(set), DigitSet::all(25));
        let single = set.without(Digit::new(3).unwrap()).without(Digit::new(25).unwrap());
        assert_eq!((set.difference(single).len(), set.intersection(single)), (2, single));
        assert!(single.is_single() && !single.is_empty() && DigitSet::EMPTY.is_empty());
        let pair = single.with(Digit::new(25).unwrap());
        assert_eq!([DigitSet::EMPTY, single, pair, set].map(DigitSet::is_pair), [false, false, true, false]);
    }
}
