//! A round behind hidden singles in the lanes that have none: direct pointing and claiming, direct hidden pairs, naked
//! singles; and where there are none, direct hidden triplets, pointing, claiming. What needs more than these is left to
//! rounds one by one.
//!
//! Masks hold all nine digits, so locked candidates are found for all of them at once, mini by mini (three cells in a
//! line of a box), in the bands and in the stacks:
//!
//! ```text
//!            box 0  box 1  box 2
//!  line 0  |  5 5 |  5   |      |    all of the first box are in line 0: line 0 loses the others,
//!  line 1  |      |      |  5   |    and box 1 has one place left, in line 2
//!  line 2  |      |    5 |      |
//! ```

use super::grids::{ALL, LaneGrids, add_to_row};
use super::locks::Locks;
use super::subsets::{find_pairs, find_triplets};
use crate::grid::CELLS;
use crate::logic::houses::{HOUSE_CELLS, HOUSES};
use crate::simd::Simd;

/// The first level of this kind, behind hidden singles: direct pointing.
const DIRECT: usize = 3;
/// The level of direct hidden triplets, behind that of naked singles.
const TRIPLETS: usize = 7;

impl<S: Simd> LaneGrids<S> {
    /// Makes a round in those of the waiting lanes where one of the techniques of the first `levels` levels finds
    /// something; returns these lanes.
    #[inline(always)]
    pub(super) fn make_direct_round(&mut self, simd: S, waiting: u32, levels: usize) -> u32 {
        let mut wait = simd.row(0);
        for lane in 0..S::LANES {
            if waiting >> lane & 1 != 0 {
                simd.set(&mut wait, lane, ALL);
            }
        }
        let wait = simd.load(&wait);
        let mut cells = [wait; CELLS];
        for cell in 0..CELLS {
            cells[cell] = simd.and(wait, simd.load(&self.cells[cell]));
        }
        let locks = Locks::of(simd, &cells);
        let zero = simd.splat(0);
        let mut pairs = [zero; CELLS];
        for house in 0..HOUSES {
            find_pairs(simd, &HOUSE_CELLS[house], &cells, &mut pairs);
        }
        let (mut in_pairs, mut naked) = (zero, zero);
        for cell in 0..CELLS {
            in_pairs = simd.or_and(in_pairs, pairs[cell], cells[cell]);
            naked = simd.or(naked, simd.single(cells[cell]));
        }
        let found = [
            locks.any(simd, &locks.left_by_pointing),
            locks.any(simd, &locks.left_by_claiming),
            in_pairs,
            naked,
        ];
        let (at, rest) = chosen::<S, 4>(simd, found, wait, levels.saturating_sub(DIRECT));
        let placed = self.place_by_level(simd, &cells, &locks, &pairs, &at);
        self.count::<4>(simd, DIRECT, &at, placed, placed);
        let mut moved = waiting & !simd.zero_lanes(placed);
        if waiting & !simd.zero_lanes(rest) != 0 {
            moved |= self.make_later_round(simd, &cells, &locks, rest, levels);
        }
        moved
    }

    /// Goes on with the lanes of `rest`.
    #[inline(always)]
    fn make_later_round(
        &mut self,
        simd: S,
        cells: &[S::V; CELLS],
        locks: &Locks<S::V>,
        rest: S::V,
        levels: usize,
    ) -> u32 {
        let zero = simd.splat(0);
        let mut of_rest = [zero; CELLS];
        for cell in 0..CELLS {
            of_rest[cell] = simd.and(cells[cell], rest);
        }
        let mut triplets = [zero; CELLS];
        for house in 0..HOUSES {
            find_triplets(simd, &HOUSE_CELLS[house], &of_rest, &mut triplets);
        }
        let mut in_triplets = zero;
        for cell in 0..CELLS {
            in_triplets = simd.or_and(in_triplets, triplets[cell], of_rest[cell]);
        }
        let found =
            [in_triplets, locks.any(simd, &locks.gone_by_pointing), locks.any(simd, &locks.gone_by_claiming)];
        let (at, _) = chosen::<S, 3>(simd, found, rest, levels.saturating_sub(TRIPLETS));
        let mut placed = zero;
        for row in 0..9 {
            for column in 0..9 {
                let cell = 9 * row + column;
                let digit = simd.and(simd.and(triplets[cell], of_rest[cell]), at[0]);
                add_to_row(simd, &mut self.digits[cell], digit);
                placed = simd.or(placed, digit);
                let gone = simd.and(locks.at(simd, &locks.gone_by_pointing, row, column), at[1]);
                let gone = simd.or_and(gone, locks.at(simd, &locks.gone_by_claiming, row, column), at[2]);
                let left = simd.and_not(simd.load(&self.cells[cell]), gone);
                simd.store(&mut self.cells[cell], left);
            }
        }
        let moved = simd.or3(placed, at[1], at[2]);
        self.count::<3>(simd, TRIPLETS, &at, moved, placed);
        !simd.zero_lanes(moved)
    }

    /// Places what cells may place at the level of their lane; returns what was placed anywhere.
    #[inline(always)]
    fn place_by_level(
        &mut self,
        simd: S,
        cells: &[S::V; CELLS],
        locks: &Locks<S::V>,
        pairs: &[S::V; CELLS],
        at: &[S::V; 4],
    ) -> S::V {
        let mut anywhere = simd.splat(0);
        for row in 0..9 {
            for column in 0..9 {
                let cell = 9 * row + column;
                let mut may = simd.and(locks.at(simd, &locks.left_by_pointing, row, column), at[0]);
                may = simd.or_and(may, locks.at(simd, &locks.left_by_claiming, row, column), at[1]);
                may = simd.or_and(may, pairs[cell], at[2]);
                may = simd.or_and(may, simd.single(cells[cell]), at[3]);
                let placed = simd.and(may, cells[cell]);
                add_to_row(simd, &mut self.digits[cell], placed);
                anywhere = simd.or(anywhere, placed);
            }
        }
        anywhere
    }
}

/// Returns the lanes of each of the first `levels` levels, as all digits or none: the first one at which something is
/// found; and the lanes of none.
#[inline(always)]
fn chosen<S: Simd, const N: usize>(
    simd: S,
    found: [S::V; N],
    lanes: S::V,
    levels: usize,
) -> ([S::V; N], S::V) {
    let (mut at, mut rest) = ([simd.splat(0); N], lanes);
    for level in 0..N {
        if level < levels {
            let others = simd.where_zero(rest, found[level]);
            at[level] = simd.and_not(rest, others);
            rest = others;
        }
    }
    (at, rest)
}
