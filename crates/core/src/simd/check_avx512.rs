//! The check of a solution in AVX-512 with VBMI: as [`super::check_avx2`], with one instruction for the same place of
//! all houses.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::check_avx2::BITS;
use super::features::Features;
use crate::grid::CELLS;

const SIDE: usize = 9;
/// Houses: rows, columns and boxes.
const HOUSES: usize = 3 * SIDE;
/// A bit for each house.
const ALL_HOUSES: u64 = (1 << HOUSES) - 1;
/// Cells in the first vector, and a bit for each cell in the second one.
const FIRST: usize = 64;
const SECOND: u64 = (1 << (CELLS - FIRST)) - 1;

/// The first cell of each house, then the second one of each, and so on.
static PLACES: [[u8; 64]; SIDE] = {
    let mut places = [[0; 64]; SIDE];
    let mut place = 0;
    while place < SIDE {
        let mut house = 0;
        while house < SIDE {
            let corner = house / 3 * 27 + house % 3 * 3;
            places[place][house] = (SIDE * house + place) as u8;
            places[place][SIDE + house] = (SIDE * place + house) as u8;
            places[place][2 * SIDE + house] = (corner + place / 3 * SIDE + place % 3) as u8;
            house += 1;
        }
        place += 1;
    }
    places
};

/// Returns whether a grid solves a puzzle; `None` where the processor has no VBMI.
#[inline]
pub(super) fn solves(grid: &[u8; CELLS], clues: &[u8; CELLS]) -> Option<bool> {
    const NEEDED: Features = Features::AVX512F.with(Features::AVX512BW).with(Features::AVX512VBMI);
    // SAFETY: the features have been detected.
    NEEDED.are_there().then(|| unsafe { check(grid, clues) })
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn check(grid: &[u8; CELLS], clues: &[u8; CELLS]) -> bool {
    let (cells, clues) = (halves(grid), halves(clues));
    let wrong = wrong_cells(cells[0], clues[0]) | (wrong_cells(cells[1], clues[1]) & SECOND);
    (wrong | incomplete_houses(cells)) == 0
}

/// Returns the cells that are no digits, or not equal to the clue where there is one.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn wrong_cells(cells: __m512i, clues: __m512i) -> u64 {
    let (one, nine) = (_mm512_set1_epi8(1), _mm512_set1_epi8(9));
    let no_digits = _mm512_cmpge_epu8_mask(_mm512_sub_epi8(cells, one), nine);
    no_digits | _mm512_mask_cmpneq_epi8_mask(_mm512_test_epi8_mask(clues, clues), clues, cells)
}

/// Returns the houses that lack a digit, if all cells are digits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn incomplete_houses(cells: [__m512i; 2]) -> u64 {
    // SAFETY: 16 bytes are read from a reference to as many.
    let table = unsafe { _mm_loadu_si128((&raw const BITS).cast()) };
    let bits = cells.map(|cells| _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), cells));
    let at = |place: usize| {
        // SAFETY: 64 bytes are read from a reference to as many.
        let places = unsafe { _mm512_loadu_si512((&raw const PLACES[place]).cast()) };
        _mm512_permutex2var_epi8(bits[0], places, bits[1])
    };
    let xor3 = |a, b, c| _mm512_ternarylogic_epi32::<0b1001_0110>(a, b, c);
    let nine = xor3(xor3(at(0), at(1), at(2)), xor3(at(3), at(4), at(5)), xor3(at(6), at(7), at(8)));
    _mm512_mask_cmpneq_epi8_mask(ALL_HOUSES, nine, _mm512_set1_epi8(-1))
}

/// Loads all cells, 0 behind the last.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn halves(cells: &[u8; CELLS]) -> [__m512i; 2] {
    let first: *const i8 = (&raw const *cells).cast();
    // SAFETY: 64 bytes are read from a reference to 81, and only the 17 behind them that the mask allows.
    unsafe { [_mm512_loadu_epi8(first), _mm512_maskz_loadu_epi8(SECOND, first.add(FIRST))] }
}
