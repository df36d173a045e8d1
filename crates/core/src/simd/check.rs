//! The check that every solution passes before it is written. It gives the same answers as
//! [`crate::grid::rules::is_solution`] for classic grids, at a tenth of its cost, or a thirtieth with AVX2.

use crate::grid::{CELLS, Puzzle, Solution};

const SIDE: usize = 9;
/// Three sets of nine digits side by side, for three cells, houses or parts of houses.
type Triple = u32;

/// A triple of three full sets.
const FULL: Triple = triple(0x1ff, 0x1ff, 0x1ff);

/// A triple whose first set is full.
const FIRST: Triple = triple(0x1ff, 0, 0);

const fn triple(first: u32, second: u32, third: u32) -> Triple {
    first | second << 10 | third << 20
}

/// The union of the three sets of a triple.
fn union(sets: Triple) -> u32 {
    sets | sets >> 10 | sets >> 20
}

/// Each byte as a digit in the first, second and third set of a triple. A byte that is not a digit becomes
/// the empty set, so that its houses stay incomplete.
static BIT: [[Triple; 256]; 3] = {
    let mut bit = [[0; 256]; 3];
    let mut digit = 1;
    while digit <= SIDE {
        let set = 1 << (digit - 1);
        bit[0][digit] = triple(set, 0, 0);
        bit[1][digit] = triple(0, set, 0);
        bit[2][digit] = triple(0, 0, set);
        digit += 1;
    }
    bit
};

impl Solution {
    /// Checks whether this grid holds every digit once in every house, and keeps every clue of the puzzle.
    ///
    /// It gives the same answer as [`crate::grid::rules::is_solution`] in some tens of nanoseconds, or in
    /// less than ten with vector instructions.
    #[must_use]
    pub fn solves(&self, puzzle: &Puzzle) -> bool {
        let (grid, clues) = (self.cells(), puzzle.cells());
        #[cfg(target_arch = "x86_64")]
        if let Some(solves) = avx512::solves(grid, clues).or_else(|| avx2::solves(grid, clues)) {
            return solves;
        }
        solves(grid, clues)
    }
}

fn solves(grid: &[u8; CELLS], clues: &[u8; CELLS]) -> bool {
    keeps_clues(grid, clues) && is_valid(grid)
}

fn keeps_clues(grid: &[u8; CELLS], clues: &[u8; CELLS]) -> bool {
    // There is no early exit, so that the compiler can turn the loop into vector code.
    grid.iter()
        .zip(clues)
        .fold(0, |lost, (&digit, &clue)| lost | (u8::from(clue != 0) & u8::from(clue != digit)))
        == 0
}

/// Checks whether every house is complete. Nine cells hold nine different digits exactly when the union of
/// their sets is full. Three adjacent cells make a triple. So a row is the union of the sets of three
/// triples, a box is the union of three triples below each other, and three columns are the sets of a union
/// of nine triples. All of this stays in registers.
fn is_valid(grid: &[u8; CELLS]) -> bool {
    let mut columns = [0; 3];
    let mut complete = FULL;
    for band in grid.as_chunks::<{ 3 * SIDE }>().0 {
        let mut boxes = [0; 3];
        for row in band.as_chunks::<SIDE>().0 {
            let triple = |stack: usize| {
                let [first, second, third] = [0, 1, 2].map(|cell| usize::from(row[3 * stack + cell]));
                BIT[0][first] | BIT[1][second] | BIT[2][third]
            };
            let triples = [triple(0), triple(1), triple(2)];
            complete &= union(triples[0] | triples[1] | triples[2]) | !FIRST;
            for stack in 0..3 {
                boxes[stack] |= triples[stack];
            }
        }
        for stack in 0..3 {
            columns[stack] |= boxes[stack];
            complete &= union(boxes[stack]) | !FIRST;
        }
    }
    complete & columns[0] & columns[1] & columns[2] == FULL
}

/// The check with AVX2, at a third of the cost.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx2 {
    use std::arch::x86_64::*;

    use super::super::features::Features;
    use super::CELLS;

    /// A bit for each digit from 1 to 8, and none for 9. Nine digits are all different exactly when every bit
    /// is set in an odd number of them, because then eight of the cells have one bit each and the ninth has
    /// none.
    pub(super) static BITS: [u8; 16] = [0, 1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0];

    /// The first cells of the rows that are checked: four among the first 32 cells, and four from cell 32 on.
    const ROWS: [[u8; 32]; 2] = [marks(&[0, 9, 18, 27]), marks(&[4, 13, 22, 31])];
    /// The first cells of the boxes that are checked. Four are enough: if the rows and two boxes of a band
    /// are complete, so is its third box, and likewise for the columns and two boxes of a stack.
    const BOXES: [u8; 32] = marks(&[0, 3, 27, 30]);
    /// The first cells of the columns. If all columns are complete, the last row is complete too.
    const COLUMNS: [u8; 32] = marks(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);

    /// Offsets of vectors that together cover all cells.
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

    /// Checks whether a grid solves a puzzle; `None` if the processor has no AVX2.
    #[inline]
    pub(super) fn solves(grid: &[u8; CELLS], clues: &[u8; CELLS]) -> Option<bool> {
        #[target_feature(enable = "avx2")]
        fn check(grid: &[u8; CELLS], clues: &[u8; CELLS]) -> bool {
            are_digits(grid, clues) & are_complete(grid)
        }
        // SAFETY: the feature was detected.
        Features::AVX2.are_available().then(|| unsafe { check(grid, clues) })
    }

    /// Checks whether every cell is a digit, and equals its clue if it has one.
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

    /// Checks whether every house has all digits, given that all cells are digits.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn are_complete(grid: &[u8; CELLS]) -> bool {
        let table = _mm256_broadcastsi128_si256(half(&BITS, 0));
        // Byte `i` of each vector below belongs to the cells from `place + i` on.
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
}

/// The check with AVX-512 and VBMI. It works as with AVX2, but one instruction fetches the cells at the same
/// place of all houses.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx512 {
    use std::arch::x86_64::*;

    use super::super::features::Features;
    use super::avx2::BITS;
    use super::{CELLS, SIDE};

    /// The number of houses: rows, columns and boxes.
    const HOUSES: usize = 3 * SIDE;
    /// A bit for each house.
    const ALL_HOUSES: u64 = (1 << HOUSES) - 1;
    /// The number of cells in the first vector.
    const FIRST: usize = 64;
    /// A bit for each cell in the second vector.
    const SECOND: u64 = (1 << (CELLS - FIRST)) - 1;

    /// For each place in a house, the cell at that place of every house: the first entry has the first cell
    /// of each, and so on.
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

    /// Checks whether a grid solves a puzzle; `None` if the processor has no VBMI.
    #[inline]
    pub(super) fn solves(grid: &[u8; CELLS], clues: &[u8; CELLS]) -> Option<bool> {
        const NEEDED: Features = Features::AVX512F.with(Features::AVX512BW).with(Features::AVX512VBMI);
        // SAFETY: the features were detected.
        NEEDED.are_available().then(|| unsafe { check(grid, clues) })
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn check(grid: &[u8; CELLS], clues: &[u8; CELLS]) -> bool {
        let (cells, clues) = (halves(grid), halves(clues));
        let wrong = wrong_cells(cells[0], clues[0]) | (wrong_cells(cells[1], clues[1]) & SECOND);
        (wrong | incomplete_houses(cells)) == 0
    }

    /// Finds the cells that are not digits, or differ from their clue.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn wrong_cells(cells: __m512i, clues: __m512i) -> u64 {
        let (one, nine) = (_mm512_set1_epi8(1), _mm512_set1_epi8(9));
        let no_digits = _mm512_cmpge_epu8_mask(_mm512_sub_epi8(cells, one), nine);
        no_digits | _mm512_mask_cmpneq_epi8_mask(_mm512_test_epi8_mask(clues, clues), clues, cells)
    }

    /// Finds the houses that lack a digit, given that all cells are digits.
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

    /// Loads all cells into two vectors, padded with 0.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn halves(cells: &[u8; CELLS]) -> [__m512i; 2] {
        let first: *const i8 = (&raw const *cells).cast();
        // SAFETY: 64 bytes are read from a reference to 81, and then only the 17 that follow, as the mask
        // says.
        unsafe { [_mm512_loadu_epi8(first), _mm512_maskz_loadu_epi8(SECOND, first.add(FIRST))] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Isomorphism, Shape, rules};
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    fn grid() -> [u8; CELLS] {
        // Row r is shifted by 3r + r/3: by three within a band, and by one more from band to band.
        std::array::from_fn(|cell| ((cell / 9 * 3 + cell / 27 + cell % 9) % 9 + 1) as u8)
    }

    fn agree(cells: [u8; CELLS], clues: [u8; CELLS]) -> bool {
        let naive = rules::is_solution(Shape::CLASSIC, &clues, &cells);
        assert_eq!(solves(&cells, &clues), naive, "{cells:?} {clues:?}");
        #[cfg(target_arch = "x86_64")]
        for solves in [avx2::solves(&cells, &clues), avx512::solves(&cells, &clues)] {
            assert_eq!(solves.unwrap_or(naive), naive, "{cells:?} {clues:?}");
        }
        naive
    }

    #[test]
    fn agrees_with_the_rules_on_every_swap_and_change() {
        crate::simd::report_untested();
        assert!(agree(grid(), [0; CELLS]));
        // Miri needs the smaller test, because an interpreter is slow.
        for a in (0..CELLS).step_by(if cfg!(miri) { 27 } else { 1 }) {
            for b in 0..a {
                let mut swapped = grid();
                swapped.swap(a, b);
                assert_eq!(agree(swapped, [0; CELLS]), grid()[a] == grid()[b]);
            }
            for digit in (0..=255).step_by(if cfg!(miri) { 17 } else { 1 }) {
                let mut changed = grid();
                changed[a] = digit;
                assert_eq!(agree(changed, [0; CELLS]), digit == grid()[a]);
                let mut clue = [0; CELLS];
                clue[a] = digit;
                assert_eq!(agree(grid(), clue), digit == 0 || digit == grid()[a]);
            }
        }
    }

    #[test]
    fn agrees_with_the_rules_on_random_changes() {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let (mut valid, cases) = (0, if cfg!(miri) { 50 } else { 20_000 });
        for _ in 0..cases {
            let isomorphism = Isomorphism::random(Shape::CLASSIC, &mut rng);
            let grid = isomorphism.apply_classic(&Puzzle::from_cells(grid()).unwrap());
            let (mut cells, mut clues) = (*grid.cells(), *grid.cells());
            clues.iter_mut().for_each(|clue| *clue *= u8::from(rng.random_bool(0.3)));
            for _ in 0..rng.random_range(0..5) {
                cells[rng.random_range(0..CELLS)] = rng.random_range(1..=9);
            }
            valid += u32::from(agree(cells, clues));
        }
        assert!((cases / 10..cases / 2).contains(&valid), "{valid}");
    }

    #[test]
    fn rows_and_columns_alone_are_not_enough() {
        let latin = std::array::from_fn(|cell| ((cell / 9 + cell % 9) % 9 + 1) as u8);
        assert!(!agree(latin, [0; CELLS]));
        let rows_only = std::array::from_fn(|cell| (cell % 9 + 1) as u8);
        assert!(!agree(rows_only, [0; CELLS]));
    }
}
