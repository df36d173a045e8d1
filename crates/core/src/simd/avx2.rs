//! The AVX2 backend: sixteen lanes in a register.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::features::Features;
use super::{Backend, CellBits, LaneWorker, Masks, PEER_WORDS, PairBoard, Simd, both_digits};

/// A token that proves that the processor has AVX2, BMI and POPCNT.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(crate) fn detect() -> Option<Avx2> {
        Features::needed_by(Backend::Avx2).are_available().then_some(Avx2(()))
    }
}

/// Sixteen lanes in memory.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Stored([u16; 16]);

/// Defines operations on vectors of one type, each as an expression of intrinsics.
macro_rules! operations {
    ($vector:ty; $($name:ident($($v:ident),+) = $body:expr;)+) => {$(
        #[inline(always)]
        fn $name(self, $($v: $vector),+) -> $vector {
            // SAFETY: the token proves that the processor has AVX2, or AVX-512 F and BW, and these intrinsics
            // need nothing else.
            unsafe { $body }
        }
    )+};
}
pub(super) use operations;

// SAFETY of every block here: the token proves that the processor has AVX2, and these intrinsics need nothing
// else. Those that access memory get a reference to 32 bytes; it is aligned to 32 unless the block says
// otherwise.
impl Simd for Avx2 {
    const LANES: usize = 16;
    type V = __m256i;
    type Stored = Stored;
    const ZEROS: Stored = Stored([0; 16]);

    fn run_with_features<B: ?Sized>(self, lanes: &mut impl LaneWorker<B>, batch: &mut B) {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn run_with_features<B: ?Sized>(lanes: &mut impl LaneWorker<B>, batch: &mut B) {
            lanes.work(batch);
        }
        // SAFETY: a token exists only if all these features were detected.
        unsafe { run_with_features(lanes, batch) }
    }

    #[inline(always)]
    fn get(self, stored: &Stored, lane: usize) -> u16 {
        stored.0[lane % 16]
    }

    #[inline(always)]
    fn set(self, stored: &mut Stored, lane: usize, value: u16) {
        stored.0[lane % 16] = value;
    }

    #[inline(always)]
    fn load(self, stored: &Stored) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_load_si256((&raw const stored.0).cast()) }
    }

    #[inline(always)]
    fn load_from(self, values: &[u16]) -> __m256i {
        let values: &[u16; 16] = values.try_into().expect("a value for each lane");
        // SAFETY: see above; this load needs no alignment.
        unsafe { _mm256_loadu_si256((&raw const *values).cast()) }
    }

    #[inline(always)]
    fn store(self, stored: &mut Stored, v: __m256i) {
        // SAFETY: see above.
        unsafe { _mm256_store_si256((&raw mut stored.0).cast(), v) }
    }

    #[inline(always)]
    fn splat(self, value: u16) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_set1_epi16(value as i16) }
    }

    operations! {
        __m256i;
        and(a, b) = _mm256_and_si256(a, b);
        or(a, b) = _mm256_or_si256(a, b);
        and_not(a, b) = _mm256_andnot_si256(b, a);
        exactly_one(a, b, c) = {
            let odd = _mm256_xor_si256(_mm256_xor_si256(a, b), c);
            _mm256_andnot_si256(_mm256_and_si256(a, b), odd)
        };
        add(a, b) = _mm256_add_epi16(a, b);
        single(v) = {
            // This subtracts 1 instead of adding -1, because the compiler would compute the constant -1 again
            // for every cell. The subtraction saturates, because the compiler turns a plain one into that
            // addition.
            let more = _mm256_and_si256(v, _mm256_subs_epu16(v, _mm256_set1_epi16(1)));
            _mm256_and_si256(v, _mm256_cmpeq_epi16(more, _mm256_setzero_si256()))
        };
        prefer(v, wanted) = {
            let both = _mm256_and_si256(v, wanted);
            _mm256_blendv_epi8(both, v, _mm256_cmpeq_epi16(both, _mm256_setzero_si256()))
        };
        both_nonzero(a, b) = _mm256_min_epu16(a, b);
        where_zero(v, test) = _mm256_and_si256(v, _mm256_cmpeq_epi16(test, _mm256_setzero_si256()));
    }

    #[inline(always)]
    fn equal_lanes(self, a: __m256i, b: __m256i) -> u32 {
        // SAFETY: see above.
        self.zero_lanes(unsafe { _mm256_xor_si256(a, b) })
    }

    #[inline(always)]
    fn zero_lanes(self, v: __m256i) -> u32 {
        // SAFETY: see above.
        unsafe {
            let zero = _mm256_cmpeq_epi16(v, _mm256_setzero_si256());
            let bytes = _mm_packs_epi16(_mm256_castsi256_si128(zero), _mm256_extracti128_si256::<1>(zero));
            _mm_movemask_epi8(bytes) as u32
        }
    }

    #[inline(always)]
    fn boards(self, masks: &Masks) -> [CellBits; 9] {
        let mut boards = [0; 9];
        for part in 0..3 {
            let first = 32 * part;
            let front = self.load_from(&masks[first..][..16]);
            let back = self.load_from(&masks[first + 16..][..16]);
            // SAFETY: see above.
            unsafe {
                // `movemask` takes the highest bit of each byte, which is that of the eighth digit; doubling
                // the bytes brings up the digits below it one by one. The ninth digit does not fit into the
                // byte, so it has a vector of its own.
                let byte = _mm256_set1_epi16(0xff);
                let ninth = pack(
                    _mm256_srli_epi16::<1>(front),
                    _mm256_srli_epi16::<1>(back),
                    _mm256_set1_epi16(0x80),
                );
                let mut others = pack(front, back, byte);
                boards[8] |= CellBits::from(_mm256_movemask_epi8(ninth) as u32) << first;
                for digit in (0..8).rev() {
                    boards[digit] |= CellBits::from(_mm256_movemask_epi8(others) as u32) << first;
                    others = _mm256_add_epi8(others, others);
                }
            }
        }
        boards
    }

    #[inline(always)]
    fn best_guess_cells(self, puzzles: &[&Masks], cells: &mut [Option<usize>]) {
        for (cell, masks) in cells.iter_mut().zip(puzzles) {
            // SAFETY: see above.
            *cell = unsafe { best_guess_cell(self, masks) };
        }
    }
}

/// Packs the `wanted` bits of 32 values, all in the lower byte, into 32 bytes in order.
///
/// # Safety
///
/// The processor has AVX2.
#[inline(always)]
unsafe fn pack(front: __m256i, back: __m256i, wanted: __m256i) -> __m256i {
    // SAFETY: the caller ensures AVX2.
    unsafe {
        let mixed = _mm256_packus_epi16(_mm256_and_si256(front, wanted), _mm256_and_si256(back, wanted));
        _mm256_permute4x64_epi64::<0b11_01_10_00>(mixed)
    }
}

/// A board that is stored and loaded as a whole, because a wide load that follows narrow stores to the same
/// bytes has to wait for them.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Aligned(PairBoard);

/// Finds the first cell of the highest score, as described at [`Simd::best_guess_cells`].
///
/// # Safety
///
/// The processor has AVX2.
#[inline(always)]
unsafe fn best_guess_cell(simd: Avx2, masks: &Masks) -> Option<usize> {
    let [pairs, _] = simd.pairs_and_others(masks);
    let words = [pairs as u64, (pairs >> 64) as u64];
    let mut boards = [Aligned([0; 4]); 9];
    // SAFETY: the caller ensures AVX2, and each store writes to a reference to 32 aligned bytes.
    unsafe {
        let pairs = _mm_set_epi64x(words[1] as i64, words[0] as i64);
        for (place, board) in boards.iter_mut().zip(simd.boards(masks)) {
            let board = _mm_set_epi64x((board >> 64) as i64, board as i64);
            let both =
                _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(board), _mm_and_si128(board, pairs));
            _mm256_store_si256((&raw mut place.0).cast(), both);
        }
    }
    let mut highest = 0;
    for (first, mut left) in [0, 64].into_iter().zip(words) {
        while left != 0 {
            let cell = first + left.trailing_zeros() as usize;
            left &= left - 1;
            let (low, high) = both_digits(masks[cell % masks.len()]);
            // SAFETY: the caller ensures AVX2.
            let score = unsafe { score(&boards[low % 9], &boards[high % 9], &PEER_WORDS[cell % 128]) };
            // The lowest seven bits are larger for smaller cells, so that the first of several cells with the highest
            // score wins.
            highest = highest.max((1 + score) << 7 | (127 - cell as u32));
        }
    }
    (highest > 0).then_some(127 - highest as usize % 128)
}

/// Counts the peers that have the lower digit, and those that have the higher one; peers with two candidates count four
/// times in each.
///
/// # Safety
///
/// The processor has AVX2.
#[inline(always)]
unsafe fn score(low: &Aligned, high: &Aligned, peers: &PairBoard) -> u32 {
    // SAFETY: the caller ensures AVX2; each load reads 32 bytes from a reference to as many.
    unsafe {
        let peers = _mm256_loadu_si256((&raw const *peers).cast());
        let low = _mm256_and_si256(_mm256_load_si256((&raw const low.0).cast()), peers);
        let high = _mm256_and_si256(_mm256_load_si256((&raw const high.0).cast()), peers);
        let met = _mm256_add_epi8(count(low), count(high));
        // The upper half has the peers with two candidates. They count three times more: once in `met`, and
        // twice by this.
        let of_pairs = _mm256_inserti128_si256::<0>(_mm256_add_epi8(met, met), _mm_setzero_si128());
        let words = _mm256_sad_epu8(_mm256_add_epi8(met, of_pairs), _mm256_setzero_si256());
        let half = _mm_add_epi64(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
        _mm_cvtsi128_si32(_mm_add_epi64(half, _mm_unpackhi_epi64(half, half))) as u32
    }
}

/// Counts the bits of each byte, with a table look-up for each half.
///
/// # Safety
///
/// The processor has AVX2.
#[inline(always)]
unsafe fn count(v: __m256i) -> __m256i {
    // SAFETY: the caller ensures AVX2.
    unsafe {
        let table =
            _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        let nibble = _mm256_set1_epi8(0xf);
        let low = _mm256_shuffle_epi8(table, _mm256_and_si256(v, nibble));
        let high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(v), nibble));
        _mm256_add_epi8(low, high)
    }
}
