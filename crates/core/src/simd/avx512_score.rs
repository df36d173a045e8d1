//! The choice of the cell to guess in with AVX-512: the scores of eight cells at a time.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::boards::{CellSet, Masks, PADDED, PEER_WORDS};

/// Finds the cells of highest score, as [`super::Simd::highest_score`], with the bits of words counted by the
/// processor.
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512bitalg,avx512vbmi2,avx512vpopcntdq,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
pub(super) fn highest_with_counts(puzzles: &[&Masks], cells: &mut [Option<usize>]) {
    // SAFETY: this function has all features that either kind of count needs.
    unsafe { highest_score::<true>(puzzles, cells) }
}

/// Finds the cells of highest score, as [`super::Simd::highest_score`], with the bits of half bytes looked up.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn highest_with_tables(puzzles: &[&Masks], cells: &mut [Option<usize>]) {
    // SAFETY: this function has the features that look-ups need.
    unsafe { highest_score::<false>(puzzles, cells) }
}

/// Returns the cells with two candidates, and those with more.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn pairs_and_others(masks: &Masks) -> [CellSet; 2] {
    let one = _mm512_set1_epi16(1);
    let (mut pairs, mut others) = ([0; 3], [0; 3]);
    for (i, part) in parts(masks).into_iter().enumerate() {
        let above_lowest = _mm512_and_si512(part, _mm512_sub_epi16(part, one));
        let third = _mm512_test_epi16_mask(above_lowest, _mm512_sub_epi16(above_lowest, one));
        pairs[i] = _mm512_test_epi16_mask(above_lowest, above_lowest) & !third;
        others[i] = third;
    }
    [pairs, others].map(set_of)
}

/// Returns the cells that have each digit as a candidate.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn boards(masks: &Masks) -> [CellSet; 9] {
    let parts = parts(masks);
    let mut boards = [0; 9];
    for digit in 0..9 {
        let bit = _mm512_set1_epi16(1 << digit);
        boards[digit] = set_of([
            _mm512_test_epi16_mask(parts[0], bit),
            _mm512_test_epi16_mask(parts[1], bit),
            _mm512_test_epi16_mask(parts[2], bit),
        ]);
    }
    boards
}

/// Returns the three vectors of the masks.
#[inline]
#[target_feature(enable = "avx512f")]
fn parts(masks: &Masks) -> [__m512i; 3] {
    // SAFETY: 64 bytes are read from the first, the 33rd and the 65th of 96 masks.
    unsafe { [0, 32, 64].map(|first| _mm512_loadu_si512(masks[first..].as_ptr().cast())) }
}

fn set_of(parts: [u32; 3]) -> CellSet {
    CellSet::from(parts[0]) | CellSet::from(parts[1]) << 32 | CellSet::from(parts[2]) << 64
}

/// Two puzzles at a time: while the tables of one are made, those of the other leave the store buffer. (One at a time
/// made hardest puzzles 0.95 times as fast; four or eight were no faster.)
///
/// # Safety
///
/// The caller has the features that the kind of count needs.
#[inline(always)]
unsafe fn highest_score<const MORE: bool>(puzzles: &[&Masks], cells: &mut [Option<usize>]) {
    let mut tables = [Tables::NONE; 2];
    for (puzzles, cells) in puzzles.chunks(2).zip(cells.chunks_mut(2)) {
        for (tables, masks) in tables.iter_mut().zip(puzzles) {
            // SAFETY: the caller sees to it.
            unsafe { fill::<MORE>(tables, masks) };
        }
        for ((cell, tables), masks) in cells.iter_mut().zip(&tables).zip(puzzles) {
            // SAFETY: the caller sees to it.
            *cell = unsafe { highest_score_of::<MORE>(tables, masks) };
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
    /// The number of cells with two candidates.
    count: usize,
}

impl Tables {
    const NONE: Tables = Tables { boards: [0; 64], cells: [NO_CELL; 128], count: 0 };
}

/// The last place in [`Masks`]: it has no candidates and no peers.
const NO_CELL: u8 = PADDED as u8 - 1;

/// The places where the boards of the lowest and the highest candidate of a mask begin.
static BOARDS_OF: [[u8; 2]; 512] = {
    let mut of = [[0; 2]; 512];
    let mut mask: usize = 1;
    while mask < 512 {
        of[mask] = [4 * mask.trailing_zeros() as u8, 4 * mask.ilog2() as u8];
        mask += 1;
    }
    of
};

/// # Safety
///
/// The caller has the features that the kind of count needs.
#[inline(always)]
unsafe fn fill<const MORE: bool>(tables: &mut Tables, masks: &Masks) {
    // SAFETY: the caller has AVX-512, and with `MORE` VBMI2.
    unsafe {
        let [pairs, _] = pairs_and_others(masks);
        let pairs_half = _mm_set_epi64x((pairs >> 64) as i64, pairs as i64);
        for (place, board) in tables.boards.as_chunks_mut::<4>().0.iter_mut().zip(boards(masks)) {
            let half = _mm_set_epi64x((board >> 64) as i64, board as i64);
            let both =
                _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(half), _mm_and_si128(half, pairs_half));
            _mm256_storeu_si256((&raw mut *place).cast(), both);
        }
        tables.count =
            if MORE { list_by_compression(pairs, &mut tables.cells) } else { list(pairs, &mut tables.cells) };
    }
}

/// Returns the first cell of the highest score. A register takes one cell: the peers that have either digit,
/// all of them and those in pairs, are four words each, counted at once; then eight registers are added up to
/// eight scores.
///
/// # Safety
///
/// The caller has the features that the kind of count needs.
#[inline(always)]
unsafe fn highest_score_of<const MORE: bool>(tables: &Tables, masks: &Masks) -> Option<usize> {
    if tables.count == 0 {
        return None;
    }
    // SAFETY: the caller has AVX-512, and with `MORE` VPOPCNTDQ.
    unsafe {
        let mut best = _mm512_setzero_si512();
        for eight in tables.cells.as_chunks::<8>().0.iter().take(tables.count.div_ceil(8)) {
            let mut counts = [_mm512_setzero_si512(); 8];
            for i in 0..8 {
                // The cells are those of a set of PADDED cells, or `NO_CELL`, and so below PADDED. The boards of a
                // digit are four words from 32 on at most; the peers of a cell, of which there are more than PADDED,
                // are four words too.
                let cell = usize::from(eight[i]);
                let mask = *masks.get_unchecked(cell);
                let [low, high] = BOARDS_OF[usize::from(mask) % BOARDS_OF.len()].map(usize::from);
                let low = _mm256_loadu_si256(tables.boards.as_ptr().add(low).cast());
                let high = _mm256_loadu_si256(tables.boards.as_ptr().add(high).cast());
                let peers = _mm256_loadu_si256(PEER_WORDS.as_ptr().add(cell).cast());
                let both = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
                let met = count::<MORE>(_mm512_and_si512(both, _mm512_broadcast_i64x4(peers)));
                // Those in pairs count twice more.
                let twice = _mm512_add_epi64(met, met);
                counts[i] = _mm512_mask_add_epi64(met, 0b1100_1100, met, twice);
            }
            let scores = add_up(counts);
            let cells = _mm512_cvtepu8_epi64(_mm_loadl_epi64((&raw const *eight).cast()));
            // The first of several cells with the highest score.
            let keys = _mm512_sub_epi64(_mm512_slli_epi64::<8>(scores), cells);
            best = _mm512_max_epi64(best, _mm512_add_epi64(keys, _mm512_set1_epi64(1 << 8)));
        }
        Some((_mm512_reduce_max_epi64(best) as u64).wrapping_neg() as usize % 128)
    }
}

/// Returns the number of bits in each word: by the instruction, or with two look-ups a byte.
///
/// # Safety
///
/// The caller has AVX-512, and with `MORE` VPOPCNTDQ.
#[inline(always)]
unsafe fn count<const MORE: bool>(v: __m512i) -> __m512i {
    // SAFETY: the caller sees to it.
    unsafe {
        if MORE {
            return _mm512_popcnt_epi64(v);
        }
        let table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        let nibble = _mm512_set1_epi8(0xf);
        let low = _mm512_shuffle_epi8(table, _mm512_and_si512(v, nibble));
        let high = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16::<4>(v), nibble));
        _mm512_sad_epu8(_mm512_add_epi8(low, high), _mm512_setzero_si512())
    }
}

/// Lists the cells of a set in order, with [`NO_CELL`] behind them. Returns how many there are.
fn list(set: CellSet, cells: &mut [u8; 128]) -> usize {
    let (mut left, mut count) = (set, 0);
    while left != 0 {
        cells[count % 128] = left.trailing_zeros() as u8;
        left &= left - 1;
        count += 1;
    }
    cells[count..(count + 8).min(128)].fill(NO_CELL);
    count
}

/// Lists as [`list`] does, with VBMI2.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
fn list_by_compression(set: CellSet, cells: &mut [u8; 128]) -> usize {
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
#[inline]
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
