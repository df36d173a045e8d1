//! Sets of cells, clues, candidates or statements, as words of bits.

use super::bits_of;

/// A set of numbers from 0, e.g. of the cells of a grid in reading order. It has `W` words of 64 bits: two are
/// enough for classic grids, ten for all shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BitSet<const W: usize>([u64; W]);

impl<const W: usize> BitSet<W> {
    pub(crate) const EMPTY: BitSet<W> = BitSet([0; W]);

    pub(crate) const ALL: BitSet<W> = BitSet([u64::MAX; W]);

    /// All numbers below `count`.
    pub(crate) fn below(count: usize) -> BitSet<W> {
        BitSet(std::array::from_fn(|word| match count.saturating_sub(64 * word) {
            some @ ..64 => (1 << some) - 1,
            _ => u64::MAX,
        }))
    }

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

    /// Adds a number for each bit of a word, counted from `first`, in place.
    #[inline]
    pub(crate) fn insert_bits(&mut self, first: usize, bits: u64) {
        let (word, shift) = (first / 64, first % 64);
        self.0[word] |= bits << shift;
        if shift > 0 && bits >> (64 - shift) != 0 {
            self.0[word + 1] |= bits >> (64 - shift);
        }
    }

    #[inline]
    pub(crate) fn without(mut self, number: usize) -> BitSet<W> {
        self.remove(number);
        self
    }

    /// Removes a number in place.
    #[inline]
    pub(crate) fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    #[inline]
    pub(crate) fn has(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |any, word| any | word) == 0
    }

    /// How many numbers are in the set.
    #[inline]
    pub(crate) fn len(self) -> usize {
        self.len_up_to(64 * W - 1)
    }

    /// How many numbers are in the set, none of which may be above `last`. The words after it are skipped to save time.
    #[inline]
    pub(crate) fn len_up_to(&self, last: usize) -> usize {
        self.0[..=last / 64].iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Checks whether all numbers are in the other set, too.
    #[inline]
    pub(crate) fn is_subset(self, other: BitSet<W>) -> bool {
        self.minus(other).is_empty()
    }

    /// Checks whether the two sets have a number in common.
    #[inline]
    pub(crate) fn meets(&self, other: &BitSet<W>) -> bool {
        !self.and(*other).is_empty()
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

    /// Adds the numbers of the other set in place.
    #[inline]
    pub(crate) fn unite(&mut self, other: &BitSet<W>) {
        self.unite_up_to(64 * W - 1, other);
    }

    /// Adds the numbers of the other set in place, none of which may be above `last`. The words after it are skipped to save
    /// time.
    #[inline]
    pub(crate) fn unite_up_to(&mut self, last: usize, other: &BitSet<W>) {
        for word in 0..=last / 64 {
            self.0[word] |= other.0[word];
        }
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
        self.first().filter(|&number| self.without(number).is_empty())
    }

    /// Iterates over the numbers in ascending order.
    #[inline]
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        (0..W).flat_map(move |word| bits_of(self.0[word]).map(move |bit| 64 * word + bit))
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
