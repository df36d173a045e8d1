//! The check of a solution in AVX2: as [`super::check`] at a third of its cost.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::features::Features;
use crate::grid::CELLS;

/// A bit for each digit from 1 to 8, and none for 9: nine digits are all different exactly when every bit is
/// set in an odd number of them. (Eight of the cells then have a bit each, and the ninth has none.)
pub(super) static BITS: [u8; 16] = [0, 1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0];

/// Where rows begin: the first four among the first 32 cells, the next four among the cells from 32 on.
const ROWS: [[u8; 32]; 2] = [marks(&[0, 9, 18, 27]), marks(&[4, 13, 22, 31])];
/// Where the boxes begin that have to be checked: with the rows of a band and two of its boxes complete, the
/// third one is, and with the columns and two boxes of a stack, its third.
const BOXES: [u8; 32] = marks(&[0, 3, 27, 30]);
/// Where the columns begin. With all columns complete, the last row is complete too.
const COLUMNS: [u8; 32] = marks(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);

/// Offsets of vectors that cover all cells.
const COVER: [usize; 3] = [0, 32, CELLS - 32];

const fn marks(places: &[usize]) -> [u8; 32] {
    let mut marks = [0; 32];
    let mut place = 0;
    while place < places.len() {
        marks[places[place]] = 0xff;
        place += 1;
    }
    marks
}

/// Returns whether a grid solves a puzzle; `None` where the processor has no AVX2.
#[inline]
pub(super) fn solves(grid: &[u8; CELLS], clues: &[u8; CELLS]) -> Option<bool> {
    #[target_feature(enable = "avx2")]
    fn check(grid: &[u8; CELLS], clues: &[u8; CELLS]) -> bool {
        are_digits(grid, clues) & are_complete(grid)
    }
    // SAFETY: the feature has been detected.
    Features::AVX2.are_there().then(|| unsafe { check(grid, clues) })
}

/// Returns whether every cell is a digit, and equals the clue where there is one.
#[inline]
#[target_feature(enable = "avx2")]
fn are_digits(grid: &[u8; CELLS], clues: &[u8; CELLS]) -> bool {
    let (zero, nine) = (_mm256_setzero_si256(), _mm256_set1_epi8(9));
    let fine = COVER.map(|place| {
        let (cell, clue) = (load(grid, place), load(clues, place));
        let up_to_nine = _mm256_cmpeq_epi8(_mm256_max_epu8(cell, nine), nine);
        let is_digit = _mm256_andnot_si256(_mm256_cmpeq_epi8(cell, zero), up_to_nine);
        let is_kept = _mm256_or_si256(_mm256_cmpeq_epi8(clue, zero), _mm256_cmpeq_epi8(clue, cell));
        _mm256_and_si256(is_digit, is_kept)
    });
    _mm256_movemask_epi8(_mm256_and_si256(_mm256_and_si256(fine[0], fine[1]), fine[2])) == -1
}

/// Returns whether every house has all digits, if all cells are digits.
#[inline]
#[target_feature(enable = "avx2")]
fn are_complete(grid: &[u8; CELLS]) -> bool {
    let table = _mm256_broadcastsi128_si256(half(&BITS, 0));
    // Byte `i` of each vector below stands for the cells from `place + i` on.
    let bits = |place| _mm256_shuffle_epi8(table, load(grid, place));
    let xor3 = |a, b, c| _mm256_xor_si256(_mm256_xor_si256(a, b), c);
    let three = |place| xor3(bits(place), bits(place + 1), bits(place + 2));
    let nine = |place| xor3(three(place), three(place + 3), three(place + 6));
    let boxes = xor3(three(0), three(9), three(18));

    let bits = |cells| _mm_shuffle_epi8(_mm256_castsi256_si128(table), cells);
    let row = |row: usize| bits(half(grid, 9 * row));
    let last = bits(_mm_bsrli_si128::<{ 9 * 8 - (CELLS - 16) as i32 }>(half(grid, CELLS - 16)));
    let columns = (0..8).fold(last, |columns, above| _mm_xor_si128(columns, row(above)));

    let lacks = |houses, marks: &[u8; 32]| _mm256_andnot_si256(houses, load(marks, 0));
    let rows = _mm256_or_si256(lacks(nine(0), &ROWS[0]), lacks(nine(32), &ROWS[1]));
    let others = _mm256_or_si256(lacks(boxes, &BOXES), lacks(_mm256_zextsi128_si256(columns), &COLUMNS));
    let lacking = _mm256_or_si256(rows, others);
    _mm256_testz_si256(lacking, lacking) == 1
}

#[inline]
#[target_feature(enable = "avx2")]
fn load<const N: usize>(bytes: &[u8; N], place: usize) -> __m256i {
    let bytes: &[u8; 32] = bytes[place..].first_chunk().expect("32 bytes from there on");
    // SAFETY: 32 bytes are read from a reference to as many.
    unsafe { _mm256_loadu_si256((&raw const *bytes).cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn half<const N: usize>(bytes: &[u8; N], place: usize) -> __m128i {
    let bytes: &[u8; 16] = bytes[place..].first_chunk().expect("16 bytes from there on");
    // SAFETY: 16 bytes are read from a reference to as many.
    unsafe { _mm_loadu_si128((&raw const *bytes).cast()) }
}
