//! AVX-512: thirty-two lanes in a register, any function of three bits in one instruction.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::Simd;
use super::boards::{self, Board, Masks, PADDED, PEER_WORDS, both_digits};

/// Proof that the processor has AVX-512 F, BW, VL and what comes with them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512 {
    /// Has it VPOPCNTDQ and VBMI2 too?
    counts_bits: bool,
}

impl Avx512 {
    pub(crate) fn detect() -> Option<Avx512> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && super::Avx2::detect().is_some();
        let counts_bits =
            is_x86_feature_detected!("avx512vpopcntdq") && is_x86_feature_detected!("avx512vbmi2");
        has.then_some(Avx512 { counts_bits })
    }
}

/// Thirty-two lanes in memory.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Row([u16; 32]);

/// The truth tables of `vpternlog`: bit `4a + 2b + c`.
const OR3: i32 = 0b1111_1110;
const EXACTLY_ONE: i32 = 0b0001_0110;
const AT_LEAST_TWO: i32 = 0b1110_1000;
const OR_XOR: i32 = 0b1111_0110;
const OR_AND: i32 = 0b1111_1000;

// SAFETY of every block here: the token proves that the processor has AVX-512 F and BW, which is all that
// these intrinsics ask for; the two that touch memory get a reference to 64 bytes aligned to 64.
impl Simd for Avx512 {
    const LANES: usize = 32;
    type V = __m512i;
    type Row = Row;

    #[inline(always)]
    fn row(self, value: u16) -> Row {
        Row([value; 32])
    }

    #[inline(always)]
    fn get(self, row: &Row, lane: usize) -> u16 {
        row.0[lane % 32]
    }

    #[inline(always)]
    fn set(self, row: &mut Row, lane: usize, value: u16) {
        row.0[lane % 32] = value;
    }

    #[inline(always)]
    fn load(self, row: &Row) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_load_si512((&raw const row.0).cast()) }
    }

    #[inline(always)]
    fn load_from(self, values: &[u16]) -> __m512i {
        let values: &[u16; 32] = values.try_into().expect("a value for each lane");
        // SAFETY: see above; this load needs no alignment.
        unsafe { _mm512_loadu_si512((&raw const *values).cast()) }
    }

    #[inline(always)]
    fn store(self, row: &mut Row, v: __m512i) {
        // SAFETY: see above.
        unsafe { _mm512_store_si512((&raw mut row.0).cast(), v) }
    }

    #[inline(always)]
    fn splat(self, value: u16) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_set1_epi16(value as i16) }
    }

    #[inline(always)]
    fn and(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_and_si512(a, b) }
    }

    #[inline(always)]
    fn or(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_or_si512(a, b) }
    }

    #[inline(always)]
    fn and_not(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_andnot_si512(b, a) }
    }

    #[inline(always)]
    fn or3(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_ternarylogic_epi32::<OR3>(a, b, c) }
    }

    #[inline(always)]
    fn exactly_one(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_ternarylogic_epi32::<EXACTLY_ONE>(a, b, c) }
    }

    #[inline(always)]
    fn at_least_two(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_ternarylogic_epi32::<AT_LEAST_TWO>(a, b, c) }
    }

    #[inline(always)]
    fn or_and(self, acc: __m512i, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_ternarylogic_epi32::<OR_AND>(acc, a, b) }
    }

    #[inline(always)]
    fn or_difference(self, acc: __m512i, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_ternarylogic_epi32::<OR_XOR>(acc, a, b) }
    }

    #[inline(always)]
    fn or_above_lowest(self, acc: __m512i, v: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe {
            let lower = _mm512_add_epi16(v, _mm512_set1_epi16(-1));
            _mm512_ternarylogic_epi32::<OR_AND>(acc, v, lower)
        }
    }

    #[inline(always)]
    fn single(self, v: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe {
            let lower = _mm512_add_epi16(v, _mm512_set1_epi16(-1));
            _mm512_maskz_mov_epi16(_mm512_testn_epi16_mask(v, lower), v)
        }
    }

    #[inline(always)]
    fn unless_single(self, v: __m512i, bits: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe {
            let lower = _mm512_add_epi16(v, _mm512_set1_epi16(-1));
            _mm512_maskz_mov_epi16(_mm512_test_epi16_mask(v, lower), bits)
        }
    }

    #[inline(always)]
    fn prefer(self, v: __m512i, wanted: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe {
            let both = _mm512_and_si512(v, wanted);
            _mm512_mask_mov_epi16(v, _mm512_test_epi16_mask(both, both), both)
        }
    }

    #[inline(always)]
    fn both_nonzero(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_min_epu16(a, b) }
    }

    #[inline(always)]
    fn zero_lanes(self, v: __m512i) -> u32 {
        // SAFETY: see above.
        unsafe { _mm512_testn_epi16_mask(v, v) }
    }

    #[inline(always)]
    fn lanes_with(self, v: __m512i, bits: u16) -> u32 {
        // SAFETY: see above.
        unsafe { _mm512_test_epi16_mask(v, _mm512_set1_epi16(bits as i16)) }
    }

    #[inline(always)]
    fn most_felt(self, masks: &Masks, boards: &[Board; 9], pairs: Board) -> usize {
        if !self.counts_bits {
            return boards::most_felt(masks, boards, pairs);
        }
        // SAFETY: the token says that the processor has these features.
        unsafe { most_felt(masks, boards, pairs) }
    }
}

/// A cell in each register: the cells that its two digits have among its peers, all of them and those of
/// pairs, are four words each, counted at once; then eight registers are added up to eight scores.
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,avx512vpopcntdq,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
fn most_felt(masks: &Masks, boards: &[Board; 9], pairs: Board) -> usize {
    // First of all, because the wide loads below must not follow these narrow stores too closely.
    let mut tables = [[0; 4]; 16];
    for digit in 0..9 {
        let (all, paired) = (boards[digit], boards[digit] & pairs);
        tables[digit] = [all as u64, (all >> 64) as u64, paired as u64, (paired >> 64) as u64];
    }
    let (cells, count) = list(pairs);
    let mut best = _mm512_setzero_si512();
    for eight in cells.as_chunks::<8>().0.iter().take(count.div_ceil(8)) {
        let mut counts = [_mm512_setzero_si512(); 8];
        for i in 0..8 {
            let cell = eight[i] as usize % 128;
            let (low, high) = both_digits(masks[cell % PADDED]);
            let (low, high) = (low % 16, high % 16);
            // SAFETY: each of these is a reference to 32 bytes.
            let (low, high, peers) = unsafe {
                (
                    _mm256_loadu_si256((&raw const tables[low]).cast()),
                    _mm256_loadu_si256((&raw const tables[high]).cast()),
                    _mm256_loadu_si256((&raw const PEER_WORDS[cell]).cast()),
                )
            };
            let both = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
            let felt = _mm512_popcnt_epi64(_mm512_and_si512(both, _mm512_broadcast_i64x4(peers)));
            // Those of pairs twice more.
            let twice = _mm512_add_epi64(felt, felt);
            counts[i] = _mm512_mask_add_epi64(felt, 0b1100_1100, felt, twice);
        }
        let scores = add_up(counts);
        // SAFETY: eight bytes are read from a reference to eight.
        let cells = _mm512_cvtepu8_epi64(unsafe { _mm_loadl_epi64((&raw const *eight).cast()) });
        // Among equals the first cell.
        let keys = _mm512_sub_epi64(_mm512_slli_epi64::<8>(scores), cells);
        best = _mm512_max_epi64(best, _mm512_add_epi64(keys, _mm512_set1_epi64(1 << 8)));
    }
    (_mm512_reduce_max_epi64(best) as u64).wrapping_neg() as usize % 128
}

/// The cells of a set, in order, and how many they are; behind them the first one, up to a multiple of eight.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
fn list(set: Board) -> ([u8; 128], usize) {
    const IN_ORDER: [u8; 128] = {
        let mut cells = [0; 128];
        let mut i = 0;
        while i < 128 {
            cells[i] = i as u8;
            i += 1;
        }
        cells
    };
    let (front, back) = (set as u64, (set >> 64) as u64);
    let (in_front, count) = (front.count_ones() as usize, set.count_ones() as usize);
    let first = _mm512_set1_epi8(set.trailing_zeros() as i8);
    let mut cells = [0; 128];
    // SAFETY: each reads 64 of 128 bytes; the second store begins at most in the middle of them.
    unsafe {
        let of_front = _mm512_loadu_si512(IN_ORDER.as_ptr().cast());
        let of_back = _mm512_loadu_si512(IN_ORDER[64..].as_ptr().cast());
        _mm512_storeu_si512(cells.as_mut_ptr().cast(), _mm512_mask_compress_epi8(first, front, of_front));
        let rest = _mm512_mask_compress_epi8(first, back, of_back);
        _mm512_storeu_si512(cells[in_front.min(64)..].as_mut_ptr().cast(), rest);
    }
    (cells, count)
}

/// The sum of each register's words: those of register `i` in word `i`.
#[target_feature(enable = "avx512f")]
fn add_up(v: [__m512i; 8]) -> __m512i {
    let pair = |i: usize| {
        _mm512_add_epi64(_mm512_unpacklo_epi64(v[i], v[i + 1]), _mm512_unpackhi_epi64(v[i], v[i + 1]))
    };
    let fold = |a, b| {
        _mm512_add_epi64(
            _mm512_shuffle_i64x2::<0b10_00_10_00>(a, b),
            _mm512_shuffle_i64x2::<0b11_01_11_01>(a, b),
        )
    };
    fold(fold(pair(0), pair(2)), fold(pair(4), pair(6)))
}
