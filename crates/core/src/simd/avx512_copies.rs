//! Copies between the lanes and contiguous masks with AVX-512, eight lanes at a time.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::CANDIDATES;
use super::avx512::Row;
use super::boards::Masks;
use crate::grid::CELLS;

/// Blocks of eight cells, the last one up to the padding.
const BLOCKS: usize = CELLS.div_ceil(8);

/// Copies lanes out, as [`super::Simd::gather`]. One permutation, the same for all, takes the lanes out of a pair of
/// rows, cell beside cell; then squares of eight cells and eight lanes are brought into order, the lanes from 4 on in
/// the upper half of the registers.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn gather(cells: &[Row; CELLS], lanes: &[usize], into: &mut [Masks]) {
    let mut order = [0u16; 16];
    for (place, &lane) in lanes.iter().enumerate().take(8) {
        (order[2 * place], order[2 * place + 1]) = (lane as u16 % 32, lane as u16 % 32 + 32);
    }
    // SAFETY: 32 bytes are read from a reference to as many.
    let order = _mm512_castsi256_si512(unsafe { _mm256_loadu_si256((&raw const order).cast()) });
    for block in 0..BLOCKS {
        let mut pairs = [_mm256_setzero_si256(); 4];
        for (pair, cell) in pairs.iter_mut().zip((8 * block..CELLS).step_by(2)) {
            // SAFETY: 64 bytes are read from a reference to as many.
            let load = |row: &Row| unsafe { _mm512_load_si512((&raw const row.0).cast()) };
            let next = cells.get(cell + 1).map_or(_mm512_setzero_si512(), load);
            *pair = _mm512_castsi512_si256(_mm512_permutex2var_epi16(load(&cells[cell]), order, next));
        }
        let lanes_of = transpose(pairs);
        for (place, masks) in into.iter_mut().enumerate().take(lanes.len()) {
            let masks: &mut [u16; 8] = &mut masks.as_chunks_mut().0[block];
            let both = lanes_of[place % 4];
            let lane =
                if place < 4 { _mm256_castsi256_si128(both) } else { _mm256_extracti128_si256::<1>(both) };
            // SAFETY: 16 bytes are written to a reference to as many.
            unsafe { _mm_storeu_si128((&raw mut *masks).cast(), lane) };
        }
    }
}

/// Copies lanes in, as [`super::Simd::scatter`]: the reverse of [`gather`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn scatter(cells: &mut [Row; CELLS], lanes: &[usize], from: &[Masks]) {
    let (mut places, mut set) = ([0u16; 32], 0);
    for (place, &lane) in (0..8).zip(lanes) {
        places[lane % 32] = 2 * place;
        set |= 1 << (lane % 32);
    }
    // SAFETY: 64 bytes are read from a reference to as many.
    let even = unsafe { _mm512_loadu_si512((&raw const places).cast()) };
    let odd = _mm512_add_epi16(even, _mm512_set1_epi16(1));
    for block in 0..BLOCKS {
        let mut lanes_of = [_mm256_setzero_si256(); 4];
        for (i, both) in lanes_of.iter_mut().enumerate() {
            // SAFETY: 16 bytes are read from references to as many.
            let half = |masks: &Masks| unsafe {
                _mm_loadu_si128((&raw const masks.as_chunks::<8>().0[block]).cast())
            };
            let (low, high) = (from.get(i).map(half), from.get(i + 4).map(half));
            let none = _mm_setzero_si128();
            *both = _mm256_set_m128i(high.unwrap_or(none), low.unwrap_or(none));
        }
        let pairs = transpose(lanes_of);
        for (i, cell) in (8 * block..CELLS).enumerate().take(8) {
            let all = (&raw mut cells[cell].0).cast();
            let new = _mm512_castsi256_si512(pairs[i / 2]);
            // SAFETY: 64 bytes are read from and written to a reference to as many.
            unsafe {
                let old = _mm512_load_si512(all);
                let order = if i % 2 == 0 { even } else { odd };
                _mm512_store_si512(all, _mm512_mask_permutexvar_epi16(old, set, order, new));
            }
        }
    }
}

/// Transposes four rows of four pairs, in both halves: pairs of cells by lanes become lanes by pairs of cells, and
/// the other way round.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose(v: [__m256i; 4]) -> [__m256i; 4] {
    let upper = [_mm256_unpacklo_epi32(v[0], v[1]), _mm256_unpackhi_epi32(v[0], v[1])];
    let lower = [_mm256_unpacklo_epi32(v[2], v[3]), _mm256_unpackhi_epi32(v[2], v[3])];
    [
        _mm256_unpacklo_epi64(upper[0], lower[0]),
        _mm256_unpackhi_epi64(upper[0], lower[0]),
        _mm256_unpacklo_epi64(upper[1], lower[1]),
        _mm256_unpackhi_epi64(upper[1], lower[1]),
    ]
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
