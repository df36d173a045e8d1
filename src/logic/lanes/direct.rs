//! A round behind hidden singles in the lanes that have none: direct pointing and claiming, direct hidden pairs, naked
//! singles. Each places digits; what needs more than these is left to rounds one by one.
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

use super::grids::{ALL, LEVELS, LaneGrids};
use crate::grid::CELLS;
use crate::logic::houses::{HOUSE_CELLS, HOUSES};
use crate::simd::Simd;

/// The minis of three bands or stacks: by band, line and box across.
type Minis<V> = [[[V; 3]; 3]; 3];

/// What cells may place, at each level.
struct Grants<V> {
    /// By direct pointing, for the minis of rows and of columns.
    pointing: [Minis<V>; 2],
    /// By direct claiming.
    claiming: [Minis<V>; 2],
    /// By direct hidden pairs.
    pairs: [V; CELLS],
}

impl<S: Simd> LaneGrids<S> {
    /// Makes a round in those of the waiting lanes where one of the techniques finds something; returns these lanes.
    #[inline(always)]
    pub(super) fn place_directly(&mut self, simd: S, waiting: u32) -> u32 {
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
        let grants = Grants::of(simd, &cells);
        let levels = grants.levels(simd, &cells, wait);
        let placed = self.place_by_level(simd, &cells, &grants, &levels);
        let zero = simd.splat(0);
        let [pointing, claiming, pairs, naked] = levels;
        self.count(simd, &[zero, zero, zero, pointing, claiming, pairs, naked], placed);
        let fresh = simd.or(simd.load(&self.fresh), placed);
        simd.store(&mut self.fresh, fresh);
        waiting & !simd.zero_lanes(placed)
    }

    /// Places what cells may place at the level of their lane; returns what was placed anywhere.
    #[inline(always)]
    fn place_by_level(
        &mut self,
        simd: S,
        cells: &[S::V; CELLS],
        grants: &Grants<S::V>,
        levels: &[S::V; 4],
    ) -> S::V {
        let mut anywhere = simd.splat(0);
        for row in 0..9 {
            for column in 0..9 {
                let cell = 9 * row + column;
                let [pointing, claiming] = [&grants.pointing, &grants.claiming].map(|grants| {
                    simd.or(
                        grants[0][row / 3][row % 3][column / 3],
                        grants[1][column / 3][column % 3][row / 3],
                    )
                });
                let mut may = simd.and(pointing, levels[0]);
                may = simd.or_and(may, claiming, levels[1]);
                may = simd.or_and(may, grants.pairs[cell], levels[2]);
                may = simd.or_and(may, simd.single(cells[cell]), levels[3]);
                let placed = simd.and(may, cells[cell]);
                let digit = simd.or(simd.load(&self.digits[cell]), placed);
                simd.store(&mut self.digits[cell], digit);
                anywhere = simd.or(anywhere, placed);
            }
        }
        anywhere
    }
}

impl<V: Copy> Grants<V> {
    #[inline(always)]
    fn of<S: Simd<V = V>>(simd: S, cells: &[V; CELLS]) -> Grants<V> {
        let none = [[[simd.splat(0); 3]; 3]; 3];
        let mut grants = Grants { pointing: [none; 2], claiming: [none; 2], pairs: [simd.splat(0); CELLS] };
        for band in 0..3 {
            grants.lock::<S, false>(simd, band, cells);
            grants.lock::<S, true>(simd, band, cells);
        }
        for house in 0..HOUSES {
            grants.pair(simd, &HOUSE_CELLS[house], cells);
        }
        grants
    }

    /// Finds locked candidates in a band or a stack that leave one place.
    #[inline(always)]
    fn lock<S: Simd<V = V>, const STACK: bool>(&mut self, simd: S, band: usize, cells: &[V; CELLS]) {
        let zero = simd.splat(0);
        let (mut all, mut one) = ([[zero; 3]; 3], [[zero; 3]; 3]);
        for line in 0..3 {
            for across in 0..3 {
                let (along, first) = (3 * band + line, 3 * across);
                let at = |place: usize| {
                    if STACK { 9 * (first + place) + along } else { 9 * along + first + place }
                };
                let (a, b, c) = (cells[at(0)], cells[at(1)], cells[at(2)]);
                all[line][across] = simd.or3(a, b, c);
                one[line][across] = simd.exactly_one(a, b, c);
            }
        }
        let pointing = &mut self.pointing[usize::from(STACK)][band];
        let claiming = &mut self.claiming[usize::from(STACK)][band];
        for line in 0..3 {
            for across in 0..3 {
                let lines = [(line + 1) % 3, (line + 2) % 3];
                let boxes = [(across + 1) % 3, (across + 2) % 3];
                let here = all[line][across];
                let below = simd.or(all[lines[0]][across], all[lines[1]][across]);
                let beside = simd.or(all[line][boxes[0]], all[line][boxes[1]]);
                let (in_line, in_box) = (simd.and_not(here, below), simd.and_not(here, beside));
                for other in boxes {
                    let [a, b] = lines.map(|line| (all[line][other], one[line][other]));
                    let left = simd.and(simd.and(in_line, all[line][other]), one_of_two(simd, a, b));
                    for line in lines {
                        pointing[line][other] = simd.or(pointing[line][other], left);
                    }
                }
                for other in lines {
                    let [a, b] = boxes.map(|across| (all[other][across], one[other][across]));
                    let left = simd.and(simd.and(in_box, all[other][across]), one_of_two(simd, a, b));
                    for across in boxes {
                        claiming[other][across] = simd.or(claiming[other][across], left);
                    }
                }
            }
        }
    }

    /// Finds hidden pairs of a house that leave one place to another digit.
    #[inline(always)]
    fn pair<S: Simd<V = V>>(&mut self, simd: S, house: &[u8; 9], cells: &[V; CELLS]) {
        let zero = simd.splat(0);
        let (mut held, mut at_least) = ([zero; 9], [zero; 4]);
        for place in 0..9 {
            let mask = cells[usize::from(house[place])];
            held[place] = mask;
            for count in (1..4).rev() {
                at_least[count] = simd.or_and(at_least[count], at_least[count - 1], mask);
            }
            at_least[0] = simd.or(at_least[0], mask);
        }
        let two = simd.and_not(at_least[1], at_least[2]);
        let three = simd.and_not(at_least[2], at_least[3]);
        for first in 0..8 {
            for second in first + 1..9 {
                let both = simd.and(held[first], held[second]);
                let hidden = simd.and(both, two);
                let pair = simd.and_not(hidden, simd.single(hidden));
                if simd.zero_lanes(pair) == u32::MAX >> (32 - S::LANES) {
                    continue;
                }
                // What has one place besides: of three with both cells of the pair, of two with one of them.
                let either = simd.and_not(simd.or(held[first], held[second]), both);
                let left = simd.or_and(simd.and(both, three), either, two);
                let left = simd.and_not(left, simd.where_zero(left, pair));
                for place in (0..9).filter(|place| ![first, second].contains(place)) {
                    let cell = usize::from(house[place]);
                    self.pairs[cell] = simd.or(self.pairs[cell], left);
                }
            }
        }
    }

    /// Returns the lanes of each level, as all digits or none: the first one that places something.
    #[inline(always)]
    fn levels<S: Simd<V = V>>(&self, simd: S, cells: &[V; CELLS], wait: V) -> [V; 4] {
        let zero = simd.splat(0);
        let mut any = [zero; 4];
        for turn in 0..2 {
            for band in 0..3 {
                for line in 0..3 {
                    for across in 0..3 {
                        any[0] = simd.or(any[0], self.pointing[turn][band][line][across]);
                        any[1] = simd.or(any[1], self.claiming[turn][band][line][across]);
                    }
                }
            }
        }
        for cell in 0..CELLS {
            any[2] = simd.or_and(any[2], self.pairs[cell], cells[cell]);
            any[3] = simd.or(any[3], simd.single(cells[cell]));
        }
        let (mut levels, mut open) = ([zero; 4], wait);
        for level in 0..4 {
            let others = simd.where_zero(open, any[level]);
            levels[level] = simd.and_not(open, others);
            open = others;
        }
        levels
    }
}

/// Returns the digits with one place in two minis together, from the digits of each, and those with one place in it.
#[inline(always)]
fn one_of_two<S: Simd>(simd: S, (a, one_a): (S::V, S::V), (b, one_b): (S::V, S::V)) -> S::V {
    simd.or(simd.and_not(one_a, b), simd.and_not(one_b, a))
}

const _: () = assert!(LEVELS == 7, "three of hidden singles, and four here");
