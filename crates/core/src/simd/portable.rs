//! The portable backend: eight lanes in a vector of the `wide` crate. It uses a register that every processor
//! of the target has (SSE2, NEON or that of WebAssembly), and plain arrays elsewhere.
//!
//! Two ways without the crate were slower. Easy puzzles per second at the x86-64 baseline, relative to this
//! code: 0.68 with four lanes in a `u64` and two such words per vector; 0.26 with arrays of sixteen lanes and
//! one loop for each operation, because the compiler unrolls the loops before it vectorises them, and then the
//! straight code is too long for its vectoriser.

use wide::{i16x8, u8x16, u64x2};

use super::{CELLS, CellBits, LaneWorker, Masks, PEER_WORDS, PairBoard, Simd, both_digits};

/// The backend for every processor. It needs no proof of features.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

/// Defines operations on vectors, each as an expression.
macro_rules! operations {
    ($($name:ident($($v:ident),+) = $body:expr;)+) => {$(
        #[inline(always)]
        fn $name(self, $($v: i16x8),+) -> i16x8 {
            $body
        }
    )+};
}

impl Simd for Portable {
    const LANES: usize = 8;
    type V = i16x8;
    type Stored = i16x8;
    const ZEROS: i16x8 = i16x8::ZERO;

    fn run_with_features<B: ?Sized>(self, lanes: &mut impl LaneWorker<B>, batch: &mut B) {
        lanes.work(batch);
    }

    #[inline(always)]
    fn get(self, stored: &i16x8, lane: usize) -> u16 {
        stored.as_array()[lane % 8] as u16
    }

    #[inline(always)]
    fn set(self, stored: &mut i16x8, lane: usize, value: u16) {
        stored.as_mut_array()[lane % 8] = value as i16;
    }

    #[inline(always)]
    fn load(self, stored: &i16x8) -> i16x8 {
        *stored
    }

    #[inline(always)]
    fn load_from(self, values: &[u16]) -> i16x8 {
        let &[a, b, c, d, e, f, g, h]: &[u16; 8] = values.try_into().expect("a value for each lane");
        // The values are listed one by one, because the compiler sometimes keeps `map` of an array as a loop.
        i16x8::new([a as i16, b as i16, c as i16, d as i16, e as i16, f as i16, g as i16, h as i16])
    }

    #[inline(always)]
    fn store(self, stored: &mut i16x8, v: i16x8) {
        *stored = v;
    }

    #[inline(always)]
    fn splat(self, value: u16) -> i16x8 {
        i16x8::splat(value as i16)
    }

    operations! {
        and(a, b) = a & b;
        or(a, b) = a | b;
        and_not(a, b) = a & !b;
        exactly_one(a, b, c) = (a ^ b ^ c) & !(a & b);
        add(a, b) = a + b;
        single(v) = v & (v & (v + i16x8::splat(-1))).simd_eq(i16x8::ZERO);
        prefer(v, wanted) = v & (wanted | (v & wanted).simd_eq(i16x8::ZERO));
        both_nonzero(acc, v) = acc & !v.simd_eq(i16x8::ZERO);
        where_zero(v, test) = v & test.simd_eq(i16x8::ZERO);
    }

    #[inline(always)]
    fn equal_lanes(self, a: i16x8, b: i16x8) -> u32 {
        a.simd_eq(b).to_bitmask()
    }

    #[inline(always)]
    fn boards(self, masks: &Masks) -> [CellBits; 9] {
        let mut boards = [0; 9];
        for (part, masks) in masks.as_chunks::<16>().0.iter().enumerate() {
            let (front, back) = (self.load_from(&masks[..8]), self.load_from(&masks[8..]));
            let pack =
                |front: i16x8, back: i16x8, wanted: i16x8| u8x16::narrow_i16x8(front & wanted, back & wanted);
            // `to_bitmask` takes the highest bit of each byte, which is that of the eighth digit; doubling
            // the bytes brings up the digits below it one by one. The ninth digit does not fit into the byte,
            // so it has a vector of its own.
            let ninth = pack(front >> 1, back >> 1, i16x8::splat(0x80));
            let mut others = pack(front, back, i16x8::splat(0xff));
            boards[8] |= CellBits::from(ninth.to_bitmask()) << (16 * part);
            for digit in (0..8).rev() {
                boards[digit] |= CellBits::from(others.to_bitmask()) << (16 * part);
                others = others + others;
            }
        }
        boards
    }

    #[inline(always)]
    fn best_guess_cells(self, puzzles: &[&Masks], cells: &mut [Option<usize>]) {
        for (cell, masks) in cells.iter_mut().zip(puzzles) {
            *cell = best_guess_cell(masks);
        }
    }
}

#[inline(always)]
fn best_guess_cell(masks: &Masks) -> Option<usize> {
    let [pairs, _] = Portable.pairs_and_others(masks);
    let boards = Portable.boards(masks).map(|board| {
        let pairs = board & pairs;
        [board as u64, (board >> 64) as u64, pairs as u64, (pairs >> 64) as u64]
    });
    let (mut best, mut highest) = (None, 0);
    let mut left = pairs;
    while left != 0 {
        let cell = left.trailing_zeros() as usize % CELLS;
        left &= left - 1;
        let (low, high) = both_digits(masks[cell]);
        let score = 1 + score(&boards[low % 9], &boards[high % 9], &PEER_WORDS[cell]);
        if score > highest {
            (highest, best) = (score, Some(cell));
        }
    }
    best
}

/// Computes the score of a cell with two candidates from the boards of the two digits and the cell's peers.
/// It counts bits in vectors, because many processors of the target lack an instruction for it: first in
/// pairs of bits, then in half bytes, then in bytes, in which the counts of all kinds are added up.
#[inline(always)]
fn score(low: &PairBoard, high: &PairBoard, peers: &PairBoard) -> u32 {
    let half = |board: &PairBoard, half: usize| {
        let [front, back] = [2 * half, 2 * half + 1].map(|word| board[word] & peers[word]);
        half_byte_counts(u64x2::new([front, back]))
    };
    let all = byte_counts(half(low, 0) + half(high, 0));
    let pairs = byte_counts(half(low, 1) + half(high, 1));
    let [front, back] = (all + pairs + pairs + pairs).to_array();
    // A byte is large enough: twenty peers with two digits, four times each, make 160.
    ((front + back).wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32
}

/// Counts the bits of each half byte.
#[inline(always)]
fn half_byte_counts(v: u64x2) -> u64x2 {
    let twos = v - (v >> 1 & u64x2::splat(0x5555_5555_5555_5555));
    let mask = u64x2::splat(0x3333_3333_3333_3333);
    (twos & mask) + (twos >> 2 & mask)
}

/// Adds the two halves of each byte.
#[inline(always)]
fn byte_counts(v: u64x2) -> u64x2 {
    let mask = u64x2::splat(0x0f0f_0f0f_0f0f_0f0f);
    (v & mask) + (v >> 4 & mask)
}
