//! The AVX-512 backend: thirty-two lanes in a register, any function of three bits in one instruction.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::boards::{self, Masks};
use super::{CANDIDATES, Simd, avx512_more as more};
use crate::grid::CELLS;

/// Proof that the processor has AVX-512 F, BW, VL and what comes with them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512 {
    /// Whether it also has VBMI2, BITALG and VPOPCNTDQ.
    has_more: bool,
}

impl Avx512 {
    pub(crate) fn detect() -> Option<Avx512> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && super::Avx2::detect().is_some();
        let has_more = is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("avx512bitalg")
            && is_x86_feature_detected!("avx512vpopcntdq");
        has.then_some(Avx512 { has_more })
    }
}

/// Thirty-two lanes in memory.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Row(pub(super) [u16; 32]);

/// Truth tables for `vpternlog`: bit `4a + 2b + c`.
const OR3: i32 = 0b1111_1110;
const EXACTLY_ONE: i32 = 0b0001_0110;
const AND_NOT_OR: i32 = 0b1011_1010;
const OR_AND: i32 = 0b1111_1000;

// SAFETY of every block here: the token proves that the processor has AVX-512 F and BW, which is all that
// these intrinsics ask for; the two that touch memory get a reference to 64 bytes aligned to 64.
impl Simd for Avx512 {
    const LANES: usize = 32;
    const COPIES_EIGHT: bool = true;
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
    fn and_not_or(self, v: __m512i, gone: __m512i, kept: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_ternarylogic_epi32::<AND_NOT_OR>(v, gone, kept) }
    }

    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_add_epi16(a, b) }
    }

    #[inline(always)]
    fn equal_lanes(self, a: __m512i, b: __m512i) -> u32 {
        // SAFETY: see above.
        unsafe { _mm512_cmpeq_epi16_mask(a, b) }
    }

    #[inline(always)]
    fn or_and(self, acc: __m512i, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_ternarylogic_epi32::<OR_AND>(acc, a, b) }
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
    fn gather(self, cells: &[Row; CELLS], lanes: &[usize], into: &mut [Masks]) {
        if self.has_more {
            // SAFETY: the token says that the processor has these features.
            unsafe { more::gather(cells, lanes, into) }
        } else {
            boards::gather(self, cells, lanes, into);
        }
    }

    #[inline(always)]
    fn scatter(self, cells: &mut [Row; CELLS], lanes: &[usize], from: &[Masks]) {
        if self.has_more {
            // SAFETY: the token says that the processor has these features.
            unsafe { more::scatter(cells, lanes, from) }
        } else {
            boards::scatter(self, cells, lanes, from);
        }
    }

    #[inline(always)]
    fn masks_of_clues(self, clues: &[u8; CELLS], masks: &mut Masks) {
        // SAFETY: see above; 32 bytes are read from the first of 81, the 33rd and the fiftieth, and twice as
        // many written at the same places of 96 masks.
        unsafe {
            let table = _mm512_zextsi256_si512(_mm256_loadu_si256(CANDIDATES.as_ptr().cast()));
            for first in [0, 32, CELLS - 32] {
                let clues = _mm512_cvtepu8_epi16(_mm256_loadu_si256(clues[first..].as_ptr().cast()));
                let candidates = _mm512_permutexvar_epi16(clues, table);
                _mm512_storeu_si512(masks[first..].as_mut_ptr().cast(), candidates);
            }
        }
    }

    #[inline(always)]
    fn digits(self, masks: &Masks, digits: &mut [u8; CELLS]) {
        if self.has_more {
            // SAFETY: the token says that the processor has these features.
            unsafe { more::digits(masks, digits) };
        } else {
            boards::digits(masks, digits);
        }
    }

    #[inline(always)]
    fn highest_score(self, puzzles: &[Masks], cells: &mut [Option<usize>]) {
        if self.has_more {
            // SAFETY: the token says that the processor has these features.
            unsafe { more::highest_score(puzzles, cells) }
        } else {
            boards::highest_score(self, puzzles, cells);
        }
    }
}
