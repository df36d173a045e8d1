//! Plain words: four lanes of 16 bits in a `u64`, two words a vector.
//!
//! This does not lean on the compiler's vectoriser alone. Words are as wide as a register on any 64-bit
//! target, and pairs of them become vector instructions where the compiler sees how. Easy puzzles a second
//! at the x86-64 baseline, relative to what stands here: one word a vector 0.76x; arrays of sixteen lanes,
//! one loop an operation, 0.38x, as the loops are unrolled before they are vectorised, and what is left is
//! too long for the vectoriser of straight code.

use super::Simd;

const WORDS: usize = 2;
const LANES: usize = 4 * WORDS;

/// The lowest bit of each lane of a word, and the highest.
const LOWEST: u64 = 0x0001_0001_0001_0001;
const HIGHEST: u64 = LOWEST << 15;

/// The backend for every processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

/// Eight lanes.
pub(crate) type Words = [u64; WORDS];

/// In each lane the highest bit: is the lane anything but 0? Lanes are below 0x8000.
#[inline(always)]
const fn nonzero(word: u64) -> u64 {
    (word + (HIGHEST - LOWEST)) & HIGHEST
}

/// The bits below the highest one, in the lanes that have the highest.
#[inline(always)]
const fn below(highest: u64) -> u64 {
    highest - (highest >> 15)
}

/// The bits of each lane but its lowest.
#[inline(always)]
const fn above_lowest(word: u64) -> u64 {
    word & ((word | HIGHEST) - LOWEST)
}

/// Highest bits of the four lanes side by side.
#[inline(always)]
const fn gather(highest: u64) -> u32 {
    const SHIFTS: u64 = 1 << 48 | 1 << 33 | 1 << 18 | 1 << 3;
    (((highest >> 15).wrapping_mul(SHIFTS) >> 48) & 0xf) as u32
}

#[inline(always)]
const fn fill(value: u16) -> u64 {
    value as u64 * LOWEST
}

impl Simd for Portable {
    const LANES: usize = LANES;
    type V = Words;
    type Row = Words;

    #[inline(always)]
    fn row(self, value: u16) -> Words {
        self.splat(value)
    }

    #[inline(always)]
    fn get(self, row: &Words, lane: usize) -> u16 {
        (row[lane / 4 % WORDS] >> (16 * (lane % 4))) as u16
    }

    #[inline(always)]
    fn set(self, row: &mut Words, lane: usize, value: u16) {
        let shift = 16 * (lane % 4);
        let word = &mut row[lane / 4 % WORDS];
        *word = *word & !(0xffff << shift) | u64::from(value) << shift;
    }

    #[inline(always)]
    fn load(self, row: &Words) -> Words {
        *row
    }

    #[inline(always)]
    fn load_from(self, values: &[u16]) -> Words {
        let mut words = [0; WORDS];
        for lane in 0..LANES {
            words[lane / 4] |= u64::from(values[lane]) << (16 * (lane % 4));
        }
        words
    }

    #[inline(always)]
    fn store(self, row: &mut Words, v: Words) {
        *row = v;
    }

    #[inline(always)]
    fn splat(self, value: u16) -> Words {
        [fill(value), fill(value)]
    }

    #[inline(always)]
    fn and(self, a: Words, b: Words) -> Words {
        [a[0] & b[0], a[1] & b[1]]
    }

    #[inline(always)]
    fn or(self, a: Words, b: Words) -> Words {
        [a[0] | b[0], a[1] | b[1]]
    }

    #[inline(always)]
    fn and_not(self, a: Words, b: Words) -> Words {
        [a[0] & !b[0], a[1] & !b[1]]
    }

    #[inline(always)]
    fn or3(self, a: Words, b: Words, c: Words) -> Words {
        self.or(self.or(a, b), c)
    }

    #[inline(always)]
    fn exactly_one(self, a: Words, b: Words, c: Words) -> Words {
        let odd = [a[0] ^ b[0] ^ c[0], a[1] ^ b[1] ^ c[1]];
        self.and_not(odd, self.and(a, b))
    }

    #[inline(always)]
    fn at_least_two(self, a: Words, b: Words, c: Words) -> Words {
        self.or_and(self.and(a, b), c, self.or(a, b))
    }

    #[inline(always)]
    fn or_and(self, acc: Words, a: Words, b: Words) -> Words {
        self.or(acc, self.and(a, b))
    }

    #[inline(always)]
    fn or_difference(self, acc: Words, a: Words, b: Words) -> Words {
        [acc[0] | a[0] ^ b[0], acc[1] | a[1] ^ b[1]]
    }

    #[inline(always)]
    fn or_above_lowest(self, acc: Words, v: Words) -> Words {
        [acc[0] | above_lowest(v[0]), acc[1] | above_lowest(v[1])]
    }

    #[inline(always)]
    fn single(self, v: Words) -> Words {
        let single = |word| word & !below(nonzero(above_lowest(word)));
        [single(v[0]), single(v[1])]
    }

    #[inline(always)]
    fn unless_single(self, v: Words, bits: Words) -> Words {
        [bits[0] & below(nonzero(above_lowest(v[0]))), bits[1] & below(nonzero(above_lowest(v[1])))]
    }

    #[inline(always)]
    fn prefer(self, v: Words, wanted: Words) -> Words {
        let prefer = |v: u64, wanted: u64| v & (wanted | !below(nonzero(v & wanted)));
        [prefer(v[0], wanted[0]), prefer(v[1], wanted[1])]
    }

    #[inline(always)]
    fn both_nonzero(self, acc: Words, v: Words) -> Words {
        [nonzero(acc[0]) & nonzero(v[0]), nonzero(acc[1]) & nonzero(v[1])]
    }

    #[inline(always)]
    fn zero_lanes(self, v: Words) -> u32 {
        gather(!nonzero(v[0]) & HIGHEST) | gather(!nonzero(v[1]) & HIGHEST) << 4
    }

    #[inline(always)]
    fn lanes_with(self, v: Words, bits: u16) -> u32 {
        let with = |word: u64| gather(nonzero(word & fill(bits)));
        with(v[0]) | with(v[1]) << 4
    }
}
