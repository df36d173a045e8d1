//! Copies between the lanes and contiguous masks with AVX-512, eight lanes at a time.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::CANDIDATES;
use super::avx512::Row;
use super::boards::Masks;
use crate::grid::CELLS;

/// Blocks of eight cells, the last one up to the padding.
const BLOCKS: usize = CELLS.div_ceil(8);

/// Copies lanes out, as [`super::Simd::gather`]: one permutation brings the lanes to the front of each row, then
/// squares of eight cells and eight lanes are transposed. (A compression of VBMI2 instead of the permutation, which
/// is the same for all rows: 0.98 times as fast on 17-clue puzzles, where it is to be had.)
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn gather(cells: &[Row; CELLS], lanes: &[usize], into: &mut [Masks]) {
    let mut order = [0u16; 8];
    for (place, &lane) in order.iter_mut().zip(lanes) {
        *place = lane as u16 % 32;
    }
    // SAFETY: 16 bytes are read from a reference to as many.
    let order = _mm512_castsi128_si512(unsafe { _mm_loadu_si128((&raw const order).cast()) });
    for block in 0..BLOCKS {
        let mut square = [_mm_setzero_si128(); 8];
        for (row, cell) in square.iter_mut().zip(8 * block..CELLS) {
            // SAFETY: 64 bytes are read from a reference to as many.
            let all = unsafe { _mm512_load_si512((&raw const cells[cell].0).cast()) };
            *row = _mm512_castsi512_si128(_mm512_permutexvar_epi16(order, all));
        }
        let square = transpose(square);
        for (masks, row) in into.iter_mut().zip(square).take(lanes.len()) {
            let masks: &mut [u16; 8] = &mut masks.as_chunks_mut().0[block];
            // SAFETY: 16 bytes are written to a reference to as many.
            unsafe { _mm_storeu_si128((&raw mut *masks).cast(), row) };
        }
    }
}

/// Copies lanes in, as [`super::Simd::scatter`]: the reverse of [`gather`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn scatter(cells: &mut [Row; CELLS], lanes: &[usize], from: &[Masks]) {
    let (mut places, mut set) = ([0u16; 32], 0);
    for (place, &lane) in (0..8).zip(lanes) {
        places[lane % 32] = place;
        set |= 1 << (lane % 32);
    }
    // SAFETY: 64 bytes are read from a reference to as many.
    let places = unsafe { _mm512_loadu_si512((&raw const places).cast()) };
    for block in 0..BLOCKS {
        let mut square = [_mm_setzero_si128(); 8];
        for (row, masks) in square.iter_mut().zip(from) {
            let masks: &[u16; 8] = &masks.as_chunks().0[block];
            // SAFETY: 16 bytes are read from a reference to as many.
            *row = unsafe { _mm_loadu_si128((&raw const *masks).cast()) };
        }
        let square = transpose(square);
        for (row, cell) in square.into_iter().zip(8 * block..CELLS) {
            let all = (&raw mut cells[cell].0).cast();
            // SAFETY: 64 bytes are read from and written to a reference to as many.
            unsafe {
                let new = _mm512_castsi128_si512(row);
                let old = _mm512_load_si512(all);
                _mm512_store_si512(all, _mm512_mask_permutexvar_epi16(old, set, places, new));
            }
        }
    }
}

/// Transposes a square of eight rows of eight lanes.
#[target_feature(enable = "avx2")]
fn transpose(r: [__m128i; 8]) -> [__m128i; 8] {
    // Neighbours, then pairs, then halves.
    let mut a = r;
    for i in 0..4 {
        a[2 * i] = _mm_unpacklo_epi16(r[2 * i], r[2 * i + 1]);
        a[2 * i + 1] = _mm_unpackhi_epi16(r[2 * i], r[2 * i + 1]);
    }
    let mut b = a;
    for i in [0, 4] {
        for side in 0..2 {
            b[i + 2 * side] = _mm_unpacklo_epi32(a[i + side], a[i + side + 2]);
            b[i + 2 * side + 1] = _mm_unpackhi_epi32(a[i + side], a[i + side + 2]);
        }
    }
    let mut c = b;
    for i in 0..4 {
        c[2 * i] = _mm_unpacklo_epi64(b[i], b[i + 4]);
        c[2 * i + 1] = _mm_unpackhi_epi64(b[i], b[i + 4]);
    }
    c
}

/// Writes the candidates that clues leave, as [`super::Simd::masks_of_clues`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn masks_of_clues(clues: &[u8; CELLS], masks: &mut Masks) {
    // SAFETY: 32 bytes are read from a table of as many, from the first of 81 clues, the 33rd and the fiftieth, and
    // twice as many written at the same places of 96 masks.
    unsafe {
        let table = _mm512_zextsi256_si512(_mm256_loadu_si256(CANDIDATES.as_ptr().cast()));
        for first in PARTS {
            let clues = _mm512_cvtepu8_epi16(_mm256_loadu_si256(clues[first..].as_ptr().cast()));
            let candidates = _mm512_permutexvar_epi16(clues, table);
            _mm512_storeu_si512(masks[first..].as_mut_ptr().cast(), candidates);
        }
    }
}

/// Writes the digits of masks, as [`super::Simd::digits`]: a digit is the number of bits below its mask, and
/// one.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512bitalg")]
pub(super) fn digits_by_count(masks: &Masks, digits: &mut [u8; CELLS]) {
    let one = _mm512_set1_epi16(1);
    for first in PARTS {
        let below = _mm512_popcnt_epi16(_mm512_sub_epi16(load_part(masks, first), one));
        store_part(digits, first, _mm512_add_epi16(below, one));
    }
}

/// Writes the digits of masks, as [`super::Simd::digits`]: a look-up for the digits from 1 to 4, one for those from 5
/// to 8, and a product for 9.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn digits_by_table(masks: &Masks, digits: &mut [u8; CELLS]) {
    let low = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0));
    let high = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 5, 6, 0, 7, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0));
    let (nibble, nine) = (_mm512_set1_epi16(0xf), _mm512_set1_epi16(9));
    for first in PARTS {
        let masks = load_part(masks, first);
        let to_four = _mm512_shuffle_epi8(low, _mm512_and_si512(masks, nibble));
        let to_eight = _mm512_shuffle_epi8(high, _mm512_and_si512(_mm512_srli_epi16::<4>(masks), nibble));
        let nine = _mm512_mullo_epi16(_mm512_srli_epi16::<8>(masks), nine);
        store_part(digits, first, _mm512_or_si512(_mm512_or_si512(to_four, to_eight), nine));
    }
}

/// The first cells of three parts of 32 cells; the last two overlap.
const PARTS: [usize; 3] = [0, 32, CELLS - 32];

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn load_part(masks: &Masks, first: usize) -> __m512i {
    // SAFETY: 64 bytes are read from a slice that has been cut to as many.
    unsafe { _mm512_loadu_si512(masks[first..][..32].as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn store_part(digits: &mut [u8; CELLS], first: usize, found: __m512i) {
    // SAFETY: 32 bytes are written to a slice that has been cut to as many.
    unsafe { _mm256_storeu_si256(digits[first..][..32].as_mut_ptr().cast(), _mm512_cvtepi16_epi8(found)) }
}
