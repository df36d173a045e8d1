//! The AVX-512 backends: thirty-two lanes in a register, any function of three bits in one instruction.
//!
//! There are two, with the same lanes: one for processors that have VBMI2, BITALG and VPOPCNTDQ too, and one for those
//! that have F, BW and VL only. They differ in how bits are counted.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::boards::{CellSet, Masks};
use super::features::Features;
use super::{Backend, Simd, avx512_copies as copies, avx512_score as score};
use crate::grid::CELLS;

/// Proof that the processor has AVX-512 F, BW, VL and what comes with them; with `MORE`, also VBMI2, BITALG and
/// VPOPCNTDQ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512<const MORE: bool>(());

/// The backend for processors without the later extensions.
pub(crate) type Avx512Base = Avx512<false>;
/// The backend for processors that have them.
pub(crate) type Avx512Full = Avx512<true>;

impl<const MORE: bool> Avx512<MORE> {
    pub(crate) fn detect() -> Option<Avx512<MORE>> {
        let backend = if MORE { Backend::Avx512 } else { Backend::Avx512Base };
        Features::needed_by(backend).are_there().then_some(Avx512(()))
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
impl<const MORE: bool> Simd for Avx512<MORE> {
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
    fn where_zero(self, v: __m512i, test: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_maskz_mov_epi16(_mm512_testn_epi16_mask(test, test), v) }
    }

    #[inline(always)]
    fn zero_lanes(self, v: __m512i) -> u32 {
        // SAFETY: see above.
        unsafe { _mm512_testn_epi16_mask(v, v) }
    }

    #[inline(always)]
    fn gather(self, cells: &[Row; CELLS], lanes: &[usize], into: &mut [Masks]) {
        // SAFETY: the token says that the processor has these features.
        unsafe { copies::gather(cells, lanes, into) }
    }

    #[inline(always)]
    fn scatter(self, cells: &mut [Row; CELLS], lanes: &[usize], from: &[Masks]) {
        // SAFETY: the token says that the processor has these features.
        unsafe { copies::scatter(cells, lanes, from) }
    }

    #[inline(always)]
    fn masks_of_clues(self, clues: &[u8; CELLS], masks: &mut Masks) {
        // SAFETY: the token says that the processor has these features.
        unsafe { copies::masks_of_clues(clues, masks) }
    }

    #[inline(always)]
    fn digits(self, masks: &Masks, digits: &mut [u8; CELLS]) {
        // SAFETY: the token says that the processor has these features.
        unsafe {
            if MORE { copies::digits_by_count(masks, digits) } else { copies::digits_by_table(masks, digits) }
        }
    }

    #[inline(always)]
    fn pairs_and_others(self, masks: &Masks) -> [CellSet; 2] {
        // SAFETY: the token says that the processor has these features.
        unsafe { score::pairs_and_others(masks) }
    }

    #[inline(always)]
    fn boards(self, masks: &Masks) -> [CellSet; 9] {
        // SAFETY: the token says that the processor has these features.
        unsafe { score::boards(masks) }
    }

    #[inline(always)]
    fn highest_score(self, puzzles: &[&Masks], cells: &mut [Option<usize>]) {
        // SAFETY: the token says that the processor has these features.
        unsafe {
            if MORE {
                score::highest_with_counts(puzzles, cells);
            } else {
                score::highest_with_tables(puzzles, cells);
            }
        }
    }
}
