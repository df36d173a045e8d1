//! Locked candidates of all digits and lanes at once.

use crate::grid::CELLS;
use crate::simd::Simd;

/// Something for each mini of the rows, and of the columns: by band or stack, line and box across.
type Minis<V> = [[[[V; 3]; 3]; 3]; 2];

/// The candidates that go by locked candidates.
pub(super) struct Locks<V> {
    /// The digits that have one place in two minis, where others go.
    pub(super) left_by_pointing: Minis<V>,
    pub(super) left_by_claiming: Minis<V>,
    /// The digits that go.
    pub(super) gone_by_pointing: Minis<V>,
    pub(super) gone_by_claiming: Minis<V>,
}

impl<V: Copy> Locks<V> {
    #[inline(always)]
    pub(super) fn of<S: Simd<V = V>>(simd: S, cells: &[V; CELLS]) -> Locks<V> {
        let none = [[[[simd.splat(0); 3]; 3]; 3]; 2];
        let mut locks = Locks {
            left_by_pointing: none,
            left_by_claiming: none,
            gone_by_pointing: none,
            gone_by_claiming: none,
        };
        for band in 0..3 {
            locks.find::<S, false>(simd, band, cells);
            locks.find::<S, true>(simd, band, cells);
        }
        locks
    }

    /// Finds the locked candidates of a band or a stack.
    #[inline(always)]
    fn find<S: Simd<V = V>, const STACK: bool>(&mut self, simd: S, band: usize, cells: &[V; CELLS]) {
        let zero = simd.splat(0);
        let (mut all, mut one) = ([[zero; 3]; 3], [[zero; 3]; 3]);
        for line in 0..3 {
            for across in 0..3 {
                let (along, first) = (3 * band + line, 3 * across);
                let mut mini = [zero; 3];
                for place in 0..3 {
                    let at = first + place;
                    mini[place] = cells[if STACK { 9 * at + along } else { 9 * along + at }];
                }
                all[line][across] = simd.or3(mini[0], mini[1], mini[2]);
                one[line][across] = simd.exactly_one(mini[0], mini[1], mini[2]);
            }
        }
        let turn = usize::from(STACK);
        for line in 0..3 {
            for across in 0..3 {
                let lines = [(line + 1) % 3, (line + 2) % 3];
                let boxes = [(across + 1) % 3, (across + 2) % 3];
                let here = all[line][across];
                let below = simd.or(all[lines[0]][across], all[lines[1]][across]);
                let beside = simd.or(all[line][boxes[0]], all[line][boxes[1]]);
                let (in_line, in_box) = (simd.and_not(here, below), simd.and_not(here, beside));
                for other in boxes {
                    let gone = simd.and(in_line, all[line][other]);
                    let minis = [
                        (all[lines[0]][other], one[lines[0]][other]),
                        (all[lines[1]][other], one[lines[1]][other]),
                    ];
                    let left = simd.and(gone, one_of_two(simd, minis));
                    add(simd, &mut self.gone_by_pointing[turn][band][line][other], gone);
                    add(simd, &mut self.left_by_pointing[turn][band][lines[0]][other], left);
                    add(simd, &mut self.left_by_pointing[turn][band][lines[1]][other], left);
                }
                for other in lines {
                    let gone = simd.and(in_box, all[other][across]);
                    let minis = [
                        (all[other][boxes[0]], one[other][boxes[0]]),
                        (all[other][boxes[1]], one[other][boxes[1]]),
                    ];
                    let left = simd.and(gone, one_of_two(simd, minis));
                    add(simd, &mut self.gone_by_claiming[turn][band][other][across], gone);
                    add(simd, &mut self.left_by_claiming[turn][band][other][boxes[0]], left);
                    add(simd, &mut self.left_by_claiming[turn][band][other][boxes[1]], left);
                }
            }
        }
    }

    /// Returns the digits of the two minis of a cell.
    #[inline(always)]
    pub(super) fn at<S: Simd<V = V>>(&self, simd: S, minis: &Minis<V>, row: usize, column: usize) -> V {
        simd.or(minis[0][row / 3][row % 3][column / 3], minis[1][column / 3][column % 3][row / 3])
    }

    /// Returns the digits of all minis.
    #[inline(always)]
    pub(super) fn any<S: Simd<V = V>>(&self, simd: S, minis: &Minis<V>) -> V {
        let mut any = simd.splat(0);
        for turn in 0..2 {
            for band in 0..3 {
                for line in 0..3 {
                    let [a, b, c] = minis[turn][band][line];
                    any = simd.or(any, simd.or3(a, b, c));
                }
            }
        }
        any
    }
}

#[inline(always)]
fn add<S: Simd>(simd: S, sum: &mut S::V, more: S::V) {
    *sum = simd.or(*sum, more);
}

/// Returns the digits with one place in two minis together, from the digits of each, and those with one place in it.
#[inline(always)]
fn one_of_two<S: Simd>(simd: S, [(a, one_a), (b, one_b)]: [(S::V, S::V); 2]) -> S::V {
    simd.or(simd.and_not(one_a, b), simd.and_not(one_b, a))
}
