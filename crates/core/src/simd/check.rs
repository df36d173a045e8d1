//! The check that every solution passes before it is written: as [`crate::grid::rules::is_solution`] for
//! classic grids, at a tenth of its cost, or a thirtieth with AVX2.

#[cfg(target_arch = "x86_64")]
use super::{check_avx2, check_avx512};
use crate::grid::{CELLS, Puzzle, Solution};

const SIDE: usize = 9;
/// Three sets of nine digits side by side, for three cells, houses or parts of houses.
type Triple = u32;

/// Each set of a triple full.
const FULL: Triple = triple(0x1ff, 0x1ff, 0x1ff);

/// The first set of a triple full.
const FIRST: Triple = triple(0x1ff, 0, 0);

const fn triple(first: u32, second: u32, third: u32) -> Triple {
    first | second << 10 | third << 20
}

/// Returns the union of the sets of a triple.
fn union(sets: Triple) -> u32 {
    sets | sets >> 10 | sets >> 20
}

/// Each byte as a digit in the first, second and third set of a triple; empty if it is no digit, so that its
/// houses stay incomplete.
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
    /// Returns whether this grid holds every digit once in every house, and keeps every clue of the puzzle.
    ///
    /// It agrees with [`crate::grid::rules::is_solution`], and takes some tens of nanoseconds, or less than ten.
    #[must_use]
    pub fn solves(&self, puzzle: &Puzzle) -> bool {
        let (grid, clues) = (self.cells(), puzzle.cells());
        #[cfg(target_arch = "x86_64")]
        if let Some(solves) = check_avx512::solves(grid, clues).or_else(|| check_avx2::solves(grid, clues)) {
            return solves;
        }
        solves(grid, clues)
    }
}

fn solves(grid: &[u8; CELLS], clues: &[u8; CELLS]) -> bool {
    keeps_clues(grid, clues) && is_valid(grid)
}

fn keeps_clues(grid: &[u8; CELLS], clues: &[u8; CELLS]) -> bool {
    // No early exit, so that the loop becomes vector code.
    grid.iter()
        .zip(clues)
        .fold(0, |lost, (&digit, &clue)| lost | (u8::from(clue != 0) & u8::from(clue != digit)))
        == 0
}

/// Returns whether every house is complete. Nine cells hold nine digits exactly when the union of their sets
/// is full. Three adjacent cells are a triple, so a row is the union within and over three triples, a box
/// that of three triples below each other, and three columns are that of nine, all in registers.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Isomorphism, Shape, rules};
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    fn grid() -> [u8; CELLS] {
        // Row r is shifted by 3r + r/3: by three within a band, by one more between bands.
        std::array::from_fn(|cell| ((cell / 9 * 3 + cell / 27 + cell % 9) % 9 + 1) as u8)
    }

    fn agree(cells: [u8; CELLS], clues: [u8; CELLS]) -> bool {
        let naive = rules::is_solution(Shape::CLASSIC, &clues, &cells);
        assert_eq!(solves(&cells, &clues), naive, "{cells:?} {clues:?}");
        #[cfg(target_arch = "x86_64")]
        for solves in [check_avx2::solves(&cells, &clues), check_avx512::solves(&cells, &clues)] {
            assert_eq!(solves.unwrap_or(naive), naive, "{cells:?} {clues:?}");
        }
        naive
    }

    #[test]
    fn agrees_with_the_rules_on_every_swap_and_change() {
        crate::simd::report_untested();
        assert!(agree(grid(), [0; CELLS]));
        // An interpreter needs the smaller test.
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
