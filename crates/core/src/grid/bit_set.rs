//! Sets of cells or clues, as words of bits.

/// A set of numbers from 0, e.g. of the cells of a grid in reading order. It has `W` words of 64 bits: two are
/// enough for classic grids, ten for all shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BitSet<const W: usize>([u64; W]);

impl<const W: usize> BitSet<W> {
    pub(crate) const EMPTY: BitSet<W> = BitSet([0; W]);

    #[inline]
    pub(crate) fn with(mut self, number: usize) -> BitSet<W> {
        self.insert(number);
        self
    }

    /// Adds a number in place, which is faster than [`BitSet::with`] if there are many words.
    #[inline]
    pub(crate) fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    #[inline]
    pub(crate) fn without(mut self, number: usize) -> BitSet<W> {
        self.0[number / 64] &= !(1 << (number % 64));
        self
    }

    #[inline]
    pub(crate) fn has(self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    /// How many numbers are in the set.
    #[inline]
    pub(crate) fn len(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Checks whether all numbers are in the other set, too.
    #[inline]
    pub(crate) fn is_subset(self, other: BitSet<W>) -> bool {
        self.minus(other) == BitSet::EMPTY
    }

    /// The numbers of both sets.
    #[inline]
    pub(crate) fn and(self, other: BitSet<W>) -> BitSet<W> {
        BitSet(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// The numbers of either set.
    #[inline]
    pub(crate) fn or(self, other: BitSet<W>) -> BitSet<W> {
        BitSet(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// The numbers that are not in the other set.
    #[inline]
    pub(crate) fn minus(self, other: BitSet<W>) -> BitSet<W> {
        BitSet(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// The first number.
    #[inline]
    pub(crate) fn first(self) -> Option<usize> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(64 * word + self.0[word].trailing_zeros() as usize)
    }

    /// The number, if it is the only one.
    pub(crate) fn only(self) -> Option<usize> {
        self.first().filter(|&number| self.without(number) == BitSet::EMPTY)
    }

    /// Iterates over the numbers in ascending order.
    pub(crate) fn iter(mut self) -> impl Iterator<Item = usize> {
        std::iter::from_fn(move || {
            let number = self.first()?;
            self = self.without(number);
            Some(number)
        })
    }
}

impl<const W: usize> FromIterator<usize> for BitSet<W> {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> BitSet<W> {
        numbers.into_iter().fold(BitSet::EMPTY, BitSet::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_more_than_a_word() {
        let set: BitSet<10> = [0, 63, 64, 624].into_iter().collect();
        assert_eq!((set.iter().collect::<Vec<_>>(), set.len()), (vec![0, 63, 64, 624], 4));
        assert_eq!(set.minus(BitSet::EMPTY.with(0).with(63).with(64)).only(), Some(624));
        assert!(set.has(64) && !set.without(64).has(64) && set.only().is_none());
        assert_eq!(set.and(BitSet::EMPTY.with(1)).first(), None);
        assert_eq!(set.without(64).or(BitSet::EMPTY.with(64)), set);
        assert!(set.without(64).is_subset(set) && !set.is_subset(set.without(64)));
    }
}
