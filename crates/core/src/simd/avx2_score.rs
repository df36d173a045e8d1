//! The choice of the cell to guess in with AVX2: the four words of a score in one register.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::Simd;
use super::avx2::Avx2;
use super::boards::{Board, Masks, PEER_WORDS, both_digits};

/// A board that is stored, and loaded, as a whole: a wide load that follows narrow stores waits for them.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Aligned(Board);

/// Returns the first cell of the highest score, as [`super::Simd::highest_score`].
///
/// # Safety
///
/// The processor has AVX2.
#[inline(always)]
pub(super) unsafe fn highest_score_of(simd: Avx2, masks: &Masks) -> Option<usize> {
    let [pairs, _] = simd.pairs_and_others(masks);
    let words = [pairs as u64, (pairs >> 64) as u64];
    let mut boards = [Aligned([0; 4]); 9];
    // SAFETY: the caller sees to AVX2, and each store goes to a reference to 32 aligned bytes.
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
            // SAFETY: the caller sees to it.
            let score = unsafe { score(&boards[low % 9], &boards[high % 9], &PEER_WORDS[cell % 128]) };
            // The first of several cells with the highest score.
            highest = highest.max((1 + score) << 7 | (127 - cell as u32));
        }
    }
    (highest > 0).then_some(127 - highest as usize % 128)
}

/// Returns the peers that have either digit, those with two candidates counted four times.
///
/// # Safety
///
/// The processor has AVX2.
#[inline(always)]
unsafe fn score(low: &Aligned, high: &Aligned, peers: &Board) -> u32 {
    // SAFETY: the caller sees to AVX2; each load reads 32 bytes from a reference to as many.
    unsafe {
        let peers = _mm256_loadu_si256((&raw const *peers).cast());
        let low = _mm256_and_si256(_mm256_load_si256((&raw const low.0).cast()), peers);
        let high = _mm256_and_si256(_mm256_load_si256((&raw const high.0).cast()), peers);
        let met = _mm256_add_epi8(count(low), count(high));
        // The upper half has those in pairs, which count twice more.
        let of_pairs = _mm256_inserti128_si256::<0>(_mm256_add_epi8(met, met), _mm_setzero_si128());
        let words = _mm256_sad_epu8(_mm256_add_epi8(met, of_pairs), _mm256_setzero_si256());
        let half = _mm_add_epi64(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
        _mm_cvtsi128_si32(_mm_add_epi64(half, _mm_unpackhi_epi64(half, half))) as u32
    }
}

/// Returns the bits in each byte, counted: two look-ups of half a byte.
///
/// # Safety
///
/// The processor has AVX2.
#[inline(always)]
unsafe fn count(v: __m256i) -> __m256i {
    // SAFETY: the caller sees to it.
    unsafe {
        let table =
            _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        let nibble = _mm256_set1_epi8(0xf);
        let low = _mm256_shuffle_epi8(table, _mm256_and_si256(v, nibble));
        let high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(v), nibble));
        _mm256_add_epi8(low, high)
    }
}
