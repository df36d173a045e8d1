//! Operations that are cheaper with VBMI2, BITALG and VPOPCNTDQ.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::avx512::Row;
use super::boards::{CellSet, Masks, PADDED, PEER_WORDS};
use crate::grid::CELLS;

/// Blocks of eight cells, the last one up to the padding.
const BLOCKS: usize = CELLS.div_ceil(8);

/// Copies lanes out, as [`super::Simd::gather`]: the lanes are compressed to the front of each row, then
/// squares of eight cells and eight lanes are transposed.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2")]
pub(super) fn gather(cells: &[Row; CELLS], lanes: &[usize], into: &mut [Masks]) {
    let set = set_of(lanes);
    for block in 0..BLOCKS {
        let mut square = [_mm_setzero_si128(); 8];
        for (row, cell) in square.iter_mut().zip(8 * block..CELLS) {
            // SAFETY: 64 bytes are read from a reference to as many.
            let all = unsafe { _mm512_load_si512((&raw const cells[cell].0).cast()) };
            *row = _mm512_castsi512_si128(_mm512_maskz_compress_epi16(set, all));
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
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2")]
pub(super) fn scatter(cells: &mut [Row; CELLS], lanes: &[usize], from: &[Masks]) {
    let set = set_of(lanes);
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
                _mm512_store_si512(all, _mm512_mask_expand_epi16(_mm512_load_si512(all), set, new));
            }
        }
    }
}

fn set_of(lanes: &[usize]) -> u32 {
    lanes.iter().fold(0, |set, &lane| set | 1 << (lane % 32))
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

/// Writes the digits of masks, as [`super::Simd::digits`]: a digit is the number of bits below its mask, and
/// one.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512bitalg")]
pub(super) fn digits(masks: &Masks, digits: &mut [u8; CELLS]) {
    // SAFETY: 64 bytes are read from the first, the 33rd and the fiftieth of 96 masks, and half as many written
    // at the same places of 81 digits.
    unsafe {
        for first in [0, 32, CELLS - 32] {
            let masks = _mm512_loadu_si512(masks[first..].as_ptr().cast());
            let one = _mm512_set1_epi16(1);
            let below = _mm512_popcnt_epi16(_mm512_sub_epi16(masks, one));
            let digit = _mm512_cvtepi16_epi8(_mm512_add_epi16(below, one));
            _mm256_storeu_si256(digits[first..].as_mut_ptr().cast(), digit);
        }
    }
}

/// Finds the cells of highest score, as [`super::Simd::highest_score`]. Two puzzles at a time: while the
/// tables of one are made, those of the other leave the store buffer. (One at a time made hardest puzzles
/// 0.95 times as fast; four or eight were no faster.)
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512bitalg,avx512vbmi2,avx512vpopcntdq,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
pub(super) fn highest_score(puzzles: &[Masks], cells: &mut [Option<usize>]) {
    let mut tables = [Tables::NONE; 2];
    for (puzzles, cells) in puzzles.chunks(2).zip(cells.chunks_mut(2)) {
        for (tables, masks) in tables.iter_mut().zip(puzzles) {
            fill(tables, masks);
        }
        for ((cell, tables), masks) in cells.iter_mut().zip(&tables).zip(puzzles) {
            *cell = highest_score_of(tables, masks);
        }
    }
}

/// The places of a puzzle's digits.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Tables {
    /// For each digit, the cells that have it, and those of them with two candidates: four words.
    boards: [u64; 64],
    /// The cells with two candidates, and [`NO_CELL`] behind them up to a multiple of eight.
    cells: [u8; 128],
    /// How many cells have two candidates.
    count: usize,
}

impl Tables {
    const NONE: Tables = Tables { boards: [0; 64], cells: [NO_CELL; 128], count: 0 };
}

/// The last place in [`Masks`]: it has no candidates and no peers.
const NO_CELL: u8 = PADDED as u8 - 1;

/// Where the boards of the lowest and the highest candidate of a mask begin.
static BOARDS_OF: [[u8; 2]; 512] = {
    let mut of = [[0; 2]; 512];
    let mut mask: usize = 1;
    while mask < 512 {
        of[mask] = [4 * mask.trailing_zeros() as u8, 4 * mask.ilog2() as u8];
        mask += 1;
    }
    of
};

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512bitalg,avx512vbmi2,avx512vpopcntdq,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
fn fill(tables: &mut Tables, masks: &Masks) {
    // SAFETY: 64 bytes are read from the first, the 33rd and the 65th of 96 masks.
    let parts = unsafe { [0, 32, 64].map(|first| _mm512_loadu_si512(masks[first..].as_ptr().cast())) };
    let words = |sets: [u32; 3]| [u64::from(sets[0]) | u64::from(sets[1]) << 32, u64::from(sets[2])];
    let two = _mm512_set1_epi16(2);
    let pairs = words(parts.map(|part| _mm512_cmpeq_epi16_mask(_mm512_popcnt_epi16(part), two)));
    for digit in 0..9 {
        let bit = _mm512_set1_epi16(1 << digit);
        let [front, back] = words(parts.map(|part| _mm512_test_epi16_mask(part, bit)));
        let board = [front, back, front & pairs[0], back & pairs[1]];
        tables.boards[4 * digit..][..4].copy_from_slice(&board);
    }
    tables.count = list(CellSet::from(pairs[0]) | CellSet::from(pairs[1]) << 64, &mut tables.cells);
}

/// Returns the first cell of the highest score. A register takes one cell: the peers that have either digit,
/// all of them and those in pairs, are four words each, counted at once; then eight registers are added up to
/// eight scores.
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512bitalg,avx512vbmi2,avx512vpopcntdq,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
fn highest_score_of(tables: &Tables, masks: &Masks) -> Option<usize> {
    if tables.count == 0 {
        return None;
    }
    let mut best = _mm512_setzero_si512();
    for eight in tables.cells.as_chunks::<8>().0.iter().take(tables.count.div_ceil(8)) {
        let mut counts = [_mm512_setzero_si512(); 8];
        for i in 0..8 {
            let cell = usize::from(eight[i]);
            // SAFETY: the cells are those of a set of PADDED cells, or `NO_CELL`, and so below PADDED.
            let mask = unsafe { *masks.get_unchecked(cell) };
            let [low, high] = BOARDS_OF[usize::from(mask) % BOARDS_OF.len()].map(usize::from);
            // SAFETY: the boards of a digit are four words from 32 on at most; the peers of a cell, of which
            // there are more than PADDED, are four words too.
            let (low, high, peers) = unsafe {
                (
                    _mm256_loadu_si256(tables.boards.as_ptr().add(low).cast()),
                    _mm256_loadu_si256(tables.boards.as_ptr().add(high).cast()),
                    _mm256_loadu_si256(PEER_WORDS.as_ptr().add(cell).cast()),
                )
            };
            let both = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
            let met = _mm512_popcnt_epi64(_mm512_and_si512(both, _mm512_broadcast_i64x4(peers)));
            // Those in pairs count twice more.
            let twice = _mm512_add_epi64(met, met);
            counts[i] = _mm512_mask_add_epi64(met, 0b1100_1100, met, twice);
        }
        let scores = add_up(counts);
        // SAFETY: eight bytes are read from a reference to eight.
        let cells = _mm512_cvtepu8_epi64(unsafe { _mm_loadl_epi64((&raw const *eight).cast()) });
        // The first of several cells with the highest score.
        let keys = _mm512_sub_epi64(_mm512_slli_epi64::<8>(scores), cells);
        best = _mm512_max_epi64(best, _mm512_add_epi64(keys, _mm512_set1_epi64(1 << 8)));
    }
    Some((_mm512_reduce_max_epi64(best) as u64).wrapping_neg() as usize % 128)
}

/// Lists the cells of a set in order, with [`NO_CELL`] behind them. Returns how many there are.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
fn list(set: CellSet, cells: &mut [u8; 128]) -> usize {
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
    let none = _mm512_set1_epi8(NO_CELL as i8);
    // SAFETY: each reads 64 of 128 bytes; the second store begins at most in the middle of them.
    unsafe {
        let of_front = _mm512_loadu_si512(IN_ORDER.as_ptr().cast());
        let of_back = _mm512_loadu_si512(IN_ORDER[64..].as_ptr().cast());
        _mm512_storeu_si512(cells.as_mut_ptr().cast(), _mm512_mask_compress_epi8(none, front, of_front));
        let rest = _mm512_mask_compress_epi8(none, back, of_back);
        _mm512_storeu_si512(cells[in_front.min(64)..].as_mut_ptr().cast(), rest);
    }
    count
}

/// Returns the sum of each register's words: that of register `i` in word `i`.
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
