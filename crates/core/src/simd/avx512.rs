//! The AVX-512 backends: thirty-two lanes in a register, and any function of three bits in one instruction.
//!
//! There are two backends with the same lanes: one for processors that also have VBMI2, BITALG and VPOPCNTDQ,
//! and one for those that have only F, BW and VL. They differ in how they count bits and list the cells of a set. Both
//! copy eight lanes at a time, and compute the scores of eight cells at a time.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::avx2::operations;
use super::features::Features;
use super::{Backend, CANDIDATES, CellBits, LaneWorker, Masks, PADDED, PEER_WORDS, Simd};
use crate::grid::CELLS;

/// A token that proves that the processor has AVX-512 F, BW, VL and the older features that come with them.
/// With `MORE` it also has VBMI2, BITALG and VPOPCNTDQ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512<const MORE: bool>(());

/// The backend for processors without the later extensions.
pub(crate) type Avx512Base = Avx512<false>;
/// The backend for processors that have them.
pub(crate) type Avx512Full = Avx512<true>;

impl<const MORE: bool> Avx512<MORE> {
    pub(crate) fn detect() -> Option<Avx512<MORE>> {
        let backend = if MORE { Backend::Avx512 } else { Backend::Avx512Base };
        Features::needed_by(backend).are_available().then_some(Avx512(()))
    }
}

/// Thirty-two lanes in memory.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Stored([u16; 32]);

/// Truth tables for `vpternlog`: the result for the bits a, b and c is bit `4a + 2b + c`.
const OR3: i32 = 0b1111_1110;
const EXACTLY_ONE: i32 = 0b0001_0110;
const AND_NOT_OR: i32 = 0b1011_1010;
const OR_AND: i32 = 0b1111_1000;

// SAFETY of every block here: the token proves that the processor has AVX-512 F and BW, and these intrinsics
// need nothing else. Those that access memory get a reference to 64 bytes; it is aligned to 64 unless the
// block says otherwise.
impl<const MORE: bool> Simd for Avx512<MORE> {
    const LANES: usize = 32;
    const COPIES_EIGHT: bool = true;
    type V = __m512i;
    type Stored = Stored;
    const ZEROS: Stored = Stored([0; 32]);

    fn run_with_features<B: ?Sized>(self, lanes: &mut impl LaneWorker<B>, batch: &mut B) {
        #[target_feature(
            enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,avx512bitalg,avx512vpopcntdq,avx2,bmi1,bmi2,lzcnt,popcnt"
        )]
        fn with_more<B: ?Sized>(lanes: &mut impl LaneWorker<B>, batch: &mut B) {
            lanes.work(batch);
        }
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn with_base<B: ?Sized>(lanes: &mut impl LaneWorker<B>, batch: &mut B) {
            lanes.work(batch);
        }
        // SAFETY: a token exists only if the features of its backend were detected.
        unsafe { if MORE { with_more(lanes, batch) } else { with_base(lanes, batch) } }
    }

    #[inline(always)]
    fn get(self, stored: &Stored, lane: usize) -> u16 {
        stored.0[lane % 32]
    }

    #[inline(always)]
    fn set(self, stored: &mut Stored, lane: usize, value: u16) {
        stored.0[lane % 32] = value;
    }

    #[inline(always)]
    fn load(self, stored: &Stored) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_load_si512((&raw const stored.0).cast()) }
    }

    #[inline(always)]
    fn load_from(self, values: &[u16]) -> __m512i {
        let values: &[u16; 32] = values.try_into().expect("a value for each lane");
        // SAFETY: see above; this load needs no alignment.
        unsafe { _mm512_loadu_si512((&raw const *values).cast()) }
    }

    #[inline(always)]
    fn store(self, stored: &mut Stored, v: __m512i) {
        // SAFETY: see above.
        unsafe { _mm512_store_si512((&raw mut stored.0).cast(), v) }
    }

    #[inline(always)]
    fn splat(self, value: u16) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_set1_epi16(value as i16) }
    }

    operations! {
        __m512i;
        and(a, b) = _mm512_and_si512(a, b);
        or(a, b) = _mm512_or_si512(a, b);
        and_not(a, b) = _mm512_andnot_si512(b, a);
        or3(a, b, c) = _mm512_ternarylogic_epi32::<OR3>(a, b, c);
        exactly_one(a, b, c) = _mm512_ternarylogic_epi32::<EXACTLY_ONE>(a, b, c);
        and_not_or(v, removed, kept) = _mm512_ternarylogic_epi32::<AND_NOT_OR>(v, removed, kept);
        add(a, b) = _mm512_add_epi16(a, b);
        or_and(acc, a, b) = _mm512_ternarylogic_epi32::<OR_AND>(acc, a, b);
        single(v) = {
            let lower = _mm512_add_epi16(v, _mm512_set1_epi16(-1));
            _mm512_maskz_mov_epi16(_mm512_testn_epi16_mask(v, lower), v)
        };
        prefer(v, wanted) = {
            let both = _mm512_and_si512(v, wanted);
            _mm512_mask_mov_epi16(v, _mm512_test_epi16_mask(both, both), both)
        };
        both_nonzero(a, b) = _mm512_min_epu16(a, b);
        where_zero(v, test) = _mm512_maskz_mov_epi16(_mm512_testn_epi16_mask(test, test), v);
    }

    #[inline(always)]
    fn equal_lanes(self, a: __m512i, b: __m512i) -> u32 {
        // SAFETY: see above.
        unsafe { _mm512_cmpeq_epi16_mask(a, b) }
    }

    #[inline(always)]
    fn gather(self, cells: &[Stored; CELLS], lanes: &[usize], into: &mut [Masks]) {
        // SAFETY: the token proves that the processor has these features.
        unsafe { gather(cells, lanes, into) }
    }

    #[inline(always)]
    fn scatter(self, cells: &mut [Stored; CELLS], lanes: &[usize], from: &[Masks]) {
        // SAFETY: the token proves that the processor has these features.
        unsafe { scatter(cells, lanes, from) }
    }

    #[inline(always)]
    fn load_clues(self, _: &mut [Stored; CELLS], _lane: usize, clues: &[u8; CELLS], copy: &mut Masks) {
        // SAFETY: the token proves that the processor has these features.
        unsafe { masks_of_clues(clues, copy) }
    }

    #[inline(always)]
    fn digits(self, _: &[Stored; CELLS], _lane: usize, copy: &Masks, digits: &mut [u8; CELLS]) {
        // SAFETY: the token proves that the processor has these features.
        unsafe { if MORE { digits_by_count(copy, digits) } else { digits_by_table(copy, digits) } }
    }

    #[inline(always)]
    fn boards(self, masks: &Masks) -> [CellBits; 9] {
        // SAFETY: the token proves that the processor has these features.
        unsafe { boards(masks) }
    }

    #[inline(always)]
    fn best_guess_cells(self, puzzles: &[&Masks], cells: &mut [Option<usize>]) {
        // SAFETY: the token proves that the processor has these features.
        unsafe {
            if MORE {
                highest_with_counts(puzzles, cells);
            } else {
                highest_with_tables(puzzles, cells);
            }
        }
    }
}

/// Blocks of eight cells; the last one extends into the padding.
const BLOCKS: usize = CELLS.div_ceil(8);

/// Copies lanes out, as described at [`Simd::gather`]. One permutation, the same for all cells, picks the
/// wanted lanes out of a pair of stored vectors, so that each lane's two cells are side by side. Then squares of eight
/// cells and eight lanes are transposed. Lanes 4 to 7 are in the upper half of the registers.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn gather(cells: &[Stored; CELLS], lanes: &[usize], into: &mut [Masks]) {
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
            let load = |stored: &Stored| unsafe { _mm512_load_si512((&raw const stored.0).cast()) };
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

/// Copies lanes in, as described at [`Simd::scatter`]: the reverse of [`gather`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn scatter(cells: &mut [Stored; CELLS], lanes: &[usize], from: &[Masks]) {
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

/// Transposes four rows of four pairs, in both halves of the registers: pairs of cells by lanes become lanes
/// by pairs of cells, and vice versa.
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

/// Writes the candidates that clues leave, as described at [`Simd::load_clues`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn masks_of_clues(clues: &[u8; CELLS], masks: &mut Masks) {
    // SAFETY: the table has the 32 bytes that are read. The reads of 32 bytes begin at clue 0, 32 and 49 of
    // 81, and twice as many bytes are written at the same places of 96 masks.
    unsafe {
        let table = _mm512_zextsi256_si512(_mm256_loadu_si256(CANDIDATES.as_ptr().cast()));
        for first in PARTS {
            let clues = _mm512_cvtepu8_epi16(_mm256_loadu_si256(clues[first..].as_ptr().cast()));
            let candidates = _mm512_permutexvar_epi16(clues, table);
            _mm512_storeu_si512(masks[first..].as_mut_ptr().cast(), candidates);
        }
    }
}

/// Writes the digits of masks, as described at [`Simd::digits`]. The digit is one more than the number of
/// bits below the single bit of its mask.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512bitalg")]
fn digits_by_count(masks: &Masks, digits: &mut [u8; CELLS]) {
    let one = _mm512_set1_epi16(1);
    for first in PARTS {
        let below = _mm512_popcnt_epi16(_mm512_sub_epi16(load_part(masks, first), one));
        store_part(digits, first, _mm512_add_epi16(below, one));
    }
}

/// Writes the digits of masks, as described at [`Simd::digits`], without a bit count: a table look-up for the
/// digits 1 to 4, another for 5 to 8, and a product for 9.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn digits_by_table(masks: &Masks, digits: &mut [u8; CELLS]) {
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

/// The first cells of three parts of 32 cells. The last two overlap, because 81 is no multiple of 32.
const PARTS: [usize; 3] = [0, 32, CELLS - 32];

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn load_part(masks: &Masks, first: usize) -> __m512i {
    // SAFETY: 64 bytes are read from a slice of that length.
    unsafe { _mm512_loadu_si512(masks[first..][..32].as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn store_part(digits: &mut [u8; CELLS], first: usize, found: __m512i) {
    // SAFETY: 32 bytes are written to a slice of that length.
    unsafe { _mm256_storeu_si256(digits[first..][..32].as_mut_ptr().cast(), _mm512_cvtepi16_epi8(found)) }
}

/// Finds the cells of highest score, as described at [`Simd::best_guess_cells`], with an instruction that counts
/// the bits of words.
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512bitalg,avx512vbmi2,avx512vpopcntdq,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
fn highest_with_counts(puzzles: &[&Masks], cells: &mut [Option<usize>]) {
    // SAFETY: this function has all features that either kind of count needs.
    unsafe { best_guess_cells::<true>(puzzles, cells) }
}

/// Finds the cells of highest score, as described at [`Simd::best_guess_cells`], with look-ups that count the
/// bits of half bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn highest_with_tables(puzzles: &[&Masks], cells: &mut [Option<usize>]) {
    // SAFETY: this function has the features that look-ups need.
    unsafe { best_guess_cells::<false>(puzzles, cells) }
}

/// Collects the cells that have each digit as a candidate.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn boards(masks: &Masks) -> [CellBits; 9] {
    let parts = [0, 32, 64].map(|first| load_part(masks, first));
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

fn set_of(parts: [u32; 3]) -> CellBits {
    CellBits::from(parts[0]) | CellBits::from(parts[1]) << 32 | CellBits::from(parts[2]) << 64
}

/// Finds the cells of highest score, two puzzles at a time, so that the tables of one leave the store buffer
/// while those of the other are made. (One puzzle at a time made hardest puzzles 0.95 times as fast; four or
/// eight were no faster.)
///
/// # Safety
///
/// The processor has the features that the kind of count needs.
#[inline(always)]
unsafe fn best_guess_cells<const MORE: bool>(puzzles: &[&Masks], cells: &mut [Option<usize>]) {
    let mut tables = [Tables::NONE; 2];
    for (puzzles, cells) in puzzles.chunks(2).zip(cells.chunks_mut(2)) {
        for (tables, masks) in tables.iter_mut().zip(puzzles) {
            // SAFETY: the caller ensures the features.
            unsafe { fill::<MORE>(tables, masks) };
        }
        for ((cell, tables), masks) in cells.iter_mut().zip(&tables).zip(puzzles) {
            // SAFETY: the caller ensures the features.
            *cell = unsafe { best_guess_cell::<MORE>(tables, masks) };
        }
    }
}

/// Where the digits of one puzzle are.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Tables {
    /// For each digit four words: two with the cells that have it, and two with those of them that have two
    /// candidates.
    boards: [u64; 64],
    /// The cells with two candidates, padded with [`NO_CELL`] to a multiple of eight.
    cells: [u8; 128],
    /// The number of cells with two candidates.
    count: usize,
}

impl Tables {
    const NONE: Tables = Tables { boards: [0; 64], cells: [NO_CELL; 128], count: 0 };
}

/// The last place in [`Masks`], used as padding because it has no candidates and no peers.
const NO_CELL: u8 = PADDED as u8 - 1;

/// Where the boards of the lowest and the highest candidate of a mask begin in [`Tables::boards`].
static BOARDS_OF: [[u8; 2]; 512] = table!(512, mask => {
    if mask == 0 { [0; 2] } else { [4 * mask.trailing_zeros() as u8, 4 * mask.ilog2() as u8] }
});

/// Fills in the tables of a puzzle.
///
/// # Safety
///
/// The processor has the features that the kind of count needs.
#[inline(always)]
unsafe fn fill<const MORE: bool>(tables: &mut Tables, masks: &Masks) {
    // SAFETY: the caller ensures AVX-512, and with `MORE` VBMI2.
    unsafe {
        let [pairs, _] = Avx512::<MORE>(()).pairs_and_others(masks);
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

/// Finds the first cell of the highest score. A register works on one cell: the peers that have either digit,
/// and those of them with two candidates, are four words for each digit, whose bits are counted at once. Then
/// eight registers are added up to eight scores.
///
/// # Safety
///
/// The processor has the features that the kind of count needs.
#[inline(always)]
unsafe fn best_guess_cell<const MORE: bool>(tables: &Tables, masks: &Masks) -> Option<usize> {
    if tables.count == 0 {
        return None;
    }
    // SAFETY: the caller ensures AVX-512, and with `MORE` VPOPCNTDQ.
    unsafe {
        let mut best = _mm512_setzero_si512();
        for eight in tables.cells.as_chunks::<8>().0.iter().take(tables.count.div_ceil(8)) {
            let mut counts = [_mm512_setzero_si512(); 8];
            for i in 0..8 {
                // Each cell is in a set of PADDED cells or is `NO_CELL`, so it is below PADDED. The boards of
                // a digit are four words that begin at word 32 or before. The peers of a cell are four words
                // too, and there are entries for more than PADDED cells.
                let cell = usize::from(eight[i]);
                let mask = *masks.get_unchecked(cell);
                let [low, high] = BOARDS_OF[usize::from(mask) % BOARDS_OF.len()].map(usize::from);
                let low = _mm256_loadu_si256(tables.boards.as_ptr().add(low).cast());
                let high = _mm256_loadu_si256(tables.boards.as_ptr().add(high).cast());
                let peers = _mm256_loadu_si256(PEER_WORDS.as_ptr().add(cell).cast());
                let both = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
                let met = count::<MORE>(_mm512_and_si512(both, _mm512_broadcast_i64x4(peers)));
                // Peers with two candidates count three times more: once in `met`, and twice by this.
                let twice = _mm512_add_epi64(met, met);
                counts[i] = _mm512_mask_add_epi64(met, 0b1100_1100, met, twice);
            }
            let scores = add_up(counts);
            let cells = _mm512_cvtepu8_epi64(_mm_loadl_epi64((&raw const *eight).cast()));
            // Subtracting the cell makes the first of several cells with the highest score win.
            let keys = _mm512_sub_epi64(_mm512_slli_epi64::<8>(scores), cells);
            best = _mm512_max_epi64(best, _mm512_add_epi64(keys, _mm512_set1_epi64(1 << 8)));
        }
        Some((_mm512_reduce_max_epi64(best) as u64).wrapping_neg() as usize % 128)
    }
}

/// Counts the bits of each word, by the instruction or with two look-ups for each byte.
///
/// # Safety
///
/// The processor has AVX-512, and with `MORE` VPOPCNTDQ.
#[inline(always)]
unsafe fn count<const MORE: bool>(v: __m512i) -> __m512i {
    // SAFETY: the caller ensures the features.
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

/// Lists the cells of a set in order, followed by [`NO_CELL`] up to a multiple of eight and beyond. Returns
/// the number of cells.
fn list(set: CellBits, cells: &mut [u8; 128]) -> usize {
    let (mut left, mut count) = (set, 0);
    while left != 0 {
        cells[count % 128] = left.trailing_zeros() as u8;
        left &= left - 1;
        count += 1;
    }
    cells[count..(count + 8).min(128)].fill(NO_CELL);
    count
}

/// [`list`] with VBMI2, which compresses bytes in one instruction.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
fn list_by_compression(set: CellBits, cells: &mut [u8; 128]) -> usize {
    const IN_ORDER: [u8; 128] = table!(128, cell => cell as u8);
    let (front, back) = (set as u64, (set >> 64) as u64);
    let (in_front, count) = (front.count_ones() as usize, set.count_ones() as usize);
    let none = _mm512_set1_epi8(NO_CELL as i8);
    // SAFETY: each load reads 64 of 128 bytes; the second store begins in the middle of 128 bytes at most.
    unsafe {
        let of_front = _mm512_loadu_si512(IN_ORDER.as_ptr().cast());
        let of_back = _mm512_loadu_si512(IN_ORDER[64..].as_ptr().cast());
        _mm512_storeu_si512(cells.as_mut_ptr().cast(), _mm512_mask_compress_epi8(none, front, of_front));
        let rest = _mm512_mask_compress_epi8(none, back, of_back);
        _mm512_storeu_si512(cells[in_front.min(64)..].as_mut_ptr().cast(), rest);
    }
    count
}

/// Adds up the words of each register; word `i` of the result is the sum of register `i`.
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
