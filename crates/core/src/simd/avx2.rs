//! The AVX2 backend: sixteen lanes in a register.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::boards::{CellSet, Masks};
use super::features::Features;
use super::{Backend, Simd, avx2_score};

/// Proof that the processor has AVX2, BMI and POPCNT.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(crate) fn detect() -> Option<Avx2> {
        Features::needed_by(Backend::Avx2).are_there().then_some(Avx2(()))
    }
}

/// Sixteen lanes in memory.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Row([u16; 16]);

// SAFETY of every block here: the token proves that the processor has AVX2, which is all that these
// intrinsics ask for; the two that touch memory get a reference to 32 bytes aligned to 32.
impl Simd for Avx2 {
    const LANES: usize = 16;
    type V = __m256i;
    type Row = Row;

    #[inline(always)]
    fn row(self, value: u16) -> Row {
        Row([value; 16])
    }

    #[inline(always)]
    fn get(self, row: &Row, lane: usize) -> u16 {
        row.0[lane % 16]
    }

    #[inline(always)]
    fn set(self, row: &mut Row, lane: usize, value: u16) {
        row.0[lane % 16] = value;
    }

    #[inline(always)]
    fn load(self, row: &Row) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_load_si256((&raw const row.0).cast()) }
    }

    #[inline(always)]
    fn load_from(self, values: &[u16]) -> __m256i {
        let values: &[u16; 16] = values.try_into().expect("a value for each lane");
        // SAFETY: see above; this load needs no alignment.
        unsafe { _mm256_loadu_si256((&raw const *values).cast()) }
    }

    #[inline(always)]
    fn store(self, row: &mut Row, v: __m256i) {
        // SAFETY: see above.
        unsafe { _mm256_store_si256((&raw mut row.0).cast(), v) }
    }

    #[inline(always)]
    fn splat(self, value: u16) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_set1_epi16(value as i16) }
    }

    #[inline(always)]
    fn and(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_and_si256(a, b) }
    }

    #[inline(always)]
    fn or(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_or_si256(a, b) }
    }

    #[inline(always)]
    fn and_not(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_andnot_si256(b, a) }
    }

    #[inline(always)]
    fn or3(self, a: __m256i, b: __m256i, c: __m256i) -> __m256i {
        self.or(self.or(a, b), c)
    }

    #[inline(always)]
    fn exactly_one(self, a: __m256i, b: __m256i, c: __m256i) -> __m256i {
        // SAFETY: see above.
        let odd = unsafe { _mm256_xor_si256(_mm256_xor_si256(a, b), c) };
        self.and_not(odd, self.and(a, b))
    }

    #[inline(always)]
    fn and_not_or(self, v: __m256i, gone: __m256i, kept: __m256i) -> __m256i {
        self.or(self.and_not(v, gone), kept)
    }

    #[inline(always)]
    fn add(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_add_epi16(a, b) }
    }

    #[inline(always)]
    fn equal_lanes(self, a: __m256i, b: __m256i) -> u32 {
        // SAFETY: see above.
        self.zero_lanes(unsafe { _mm256_xor_si256(a, b) })
    }

    #[inline(always)]
    fn or_and(self, acc: __m256i, a: __m256i, b: __m256i) -> __m256i {
        self.or(acc, self.and(a, b))
    }

    #[inline(always)]
    fn single(self, v: __m256i) -> __m256i {
        // SAFETY: see above.
        unsafe {
            let more = _mm256_and_si256(v, _mm256_add_epi16(v, _mm256_set1_epi16(-1)));
            _mm256_and_si256(v, _mm256_cmpeq_epi16(more, _mm256_setzero_si256()))
        }
    }

    #[inline(always)]
    fn prefer(self, v: __m256i, wanted: __m256i) -> __m256i {
        let both = self.and(v, wanted);
        // SAFETY: see above.
        unsafe { _mm256_blendv_epi8(both, v, _mm256_cmpeq_epi16(both, _mm256_setzero_si256())) }
    }

    #[inline(always)]
    fn both_nonzero(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_min_epu16(a, b) }
    }

    #[inline(always)]
    fn where_zero(self, v: __m256i, test: __m256i) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_and_si256(v, _mm256_cmpeq_epi16(test, _mm256_setzero_si256())) }
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
    fn boards(self, masks: &Masks) -> [CellSet; 9] {
        let mut boards = [0; 9];
        for part in 0..3 {
            let first = 32 * part;
            let front = self.load_from(&masks[first..][..16]);
            let back = self.load_from(&masks[first + 16..][..16]);
            // SAFETY: see above.
            unsafe {
                // The highest bit of each byte is what is taken out: the ninth digit's, then that of the eighth
                // and of those below it.
                let byte = _mm256_set1_epi16(0xff);
                let ninth = pack(
                    _mm256_srli_epi16::<1>(front),
                    _mm256_srli_epi16::<1>(back),
                    _mm256_set1_epi16(0x80),
                );
                let mut others = pack(front, back, byte);
                boards[8] |= CellSet::from(_mm256_movemask_epi8(ninth) as u32) << first;
                for digit in (0..8).rev() {
                    boards[digit] |= CellSet::from(_mm256_movemask_epi8(others) as u32) << first;
                    others = _mm256_add_epi8(others, others);
                }
            }
        }
        boards
    }

    #[inline(always)]
    fn highest_score(self, puzzles: &[&Masks], cells: &mut [Option<usize>]) {
        for (cell, masks) in cells.iter_mut().zip(puzzles) {
            // SAFETY: see above.
            *cell = unsafe { avx2_score::highest_score_of(self, masks) };
        }
    }
}

/// Returns the wanted bits of 32 values, which are bits of the lower byte, a byte each and in order.
///
/// # Safety
///
/// The processor has AVX2.
#[inline(always)]
unsafe fn pack(front: __m256i, back: __m256i, wanted: __m256i) -> __m256i {
    // SAFETY: the caller sees to it.
    unsafe {
        let mixed = _mm256_packus_epi16(_mm256_and_si256(front, wanted), _mm256_and_si256(back, wanted));
        _mm256_permute4x64_epi64::<0b11_01_10_00>(mixed)
    }
}
