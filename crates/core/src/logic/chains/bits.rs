//! Sets of small numbers: nodes of a net, or statements by their order.

use std::ops::{BitAnd, BitOrAssign, Sub};

/// A set of numbers below `64 * W`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bits<const W: usize>([u64; W]);

impl<const W: usize> Bits<W> {
    /// No number.
    pub(super) const EMPTY: Bits<W> = Bits([0; W]);
    /// Every number.
    pub(super) const ALL: Bits<W> = Bits([u64::MAX; W]);

    /// Returns the set of the numbers below `count`.
    pub(super) fn below(count: usize) -> Bits<W> {
        Bits(std::array::from_fn(|word| match count.saturating_sub(64 * word) {
            some @ ..64 => (1 << some) - 1,
            _ => u64::MAX,
        }))
    }

    /// Adds a number.
    #[inline]
    pub(super) const fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// Removes a number.
    #[inline]
    pub(super) const fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    /// Returns whether a number is in the set.
    #[inline]
    pub(super) const fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 != 0
    }

    /// Returns whether the set is empty.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |any, word| any | word) == 0
    }

    /// Returns whether the sets share a number.
    #[inline]
    pub(super) fn meets(&self, other: &Bits<W>) -> bool {
        !(*self & *other).is_empty()
    }

    /// Adds the numbers of a set that has none above `last`.
    #[inline]
    pub(super) fn unite_up_to(&mut self, last: usize, other: &Bits<W>) {
        for word in 0..=last / 64 {
            self.0[word] |= other.0[word];
        }
    }

    /// Returns how many numbers there are; none is above `last`.
    #[inline]
    pub(super) fn count_up_to(&self, last: usize) -> usize {
        self.0[..=last / 64].iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the numbers in order.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + use<W> {
        let set = *self;
        (0..W).flat_map(move |word| {
            let mut rest = set.0[word];
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let lowest = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    64 * word + lowest
                })
            })
        })
    }
}

impl<const W: usize> BitAnd for Bits<W> {
    type Output = Bits<W>;

    #[inline]
    fn bitand(self, other: Bits<W>) -> Bits<W> {
        Bits(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }
}

impl<const W: usize> Sub for Bits<W> {
    type Output = Bits<W>;

    #[inline]
    fn sub(self, other: Bits<W>) -> Bits<W> {
        Bits(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }
}

impl<const W: usize> BitOrAssign<&Bits<W>> for Bits<W> {
    #[inline]
    fn bitor_assign(&mut self, other: &Bits<W>) {
        for word in 0..W {
            self.0[word] |= other.0[word];
        }
    }
}
