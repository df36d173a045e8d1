//! One round of inference for grids of any shape up to side 16.
//!
//! This is the inference of `sweep.rs`, in loops over the shape; there it is written out for 3x3. A mini of a
//! band is a run of as many cells as a box has columns. A band has as many boxes, and as many lines, as a box
//! has rows. A stack is a transposed band, so that rows and columns change roles.

use super::search::{SweepResult, SweptGrids};
use super::sweep::fewest;
use crate::grid::Shape;
use crate::simd::Simd;

/// The largest number of digits that fit into a lane of 16 bits.
pub(super) const MAX_SIDE: usize = 16;

/// The largest number of cells of a grid.
const CELLS: usize = MAX_SIDE * MAX_SIDE;

/// The largest number of lines of a band or stack. It is half of the side, because boxes have at least two
/// rows and columns.
const LINES: usize = MAX_SIDE / 2;

/// The candidates of one grid, cell by cell, padded with zeros.
pub(super) type AnyMasks = [u16; CELLS];

/// Grids of one shape in the lanes.
pub(super) struct AnyGrids<S: Simd> {
    shape: Shape,
    cells: [S::Stored; CELLS],
}

impl<S: Simd> AnyGrids<S> {
    fn every_digit(&self) -> u16 {
        u16::MAX >> (MAX_SIDE - self.shape.side())
    }

    /// The strides of the cells in bands or stacks.
    #[inline(always)]
    fn strides(&self, stacks: bool) -> Strides {
        let (rows, columns, side) = (self.shape.box_rows(), self.shape.box_columns(), self.shape.side());
        let (lines, places, line, place) =
            if stacks { (columns, rows, 1, side) } else { (rows, columns, side, 1) };
        Strides { lines, places, group: lines * line, line, across: places * place, place }
    }
}

/// How far apart cells are in bands or stacks, in steps of the reading order.
#[derive(Clone, Copy)]
struct Strides {
    /// The lines of a band, which are as many as its boxes.
    lines: usize,
    /// The cells of a mini, e.g. 4 in a band of 16x16.
    places: usize,
    /// From a band to the next one.
    group: usize,
    /// From a line to the next.
    line: usize,
    /// From a box to the next.
    across: usize,
    /// From a cell of a mini to the next.
    place: usize,
}

impl Strides {
    #[inline(always)]
    fn at(&self, group: usize, line: usize, across: usize, place: usize) -> usize {
        (group * self.group + line * self.line + across * self.across + place * self.place) % CELLS
    }
}

/// Sums over the passes of a sweep.
struct GridPassTotals<V> {
    /// Digits that have no place in a house, or are the single of two of its cells.
    wrong: V,
    /// Candidates that were removed.
    changed: V,
    /// Candidates of cells with several, after the stacks.
    open: V,
    /// 0 in the lanes where a cell is empty after the stacks.
    filled: V,
}

impl<S: Simd> SweptGrids<S> for AnyGrids<S> {
    type Masks = AnyMasks;
    const NO_MASKS: AnyMasks = [0; CELLS];
    const DEPTH: usize = CELLS;
    const COPIES_EIGHT: bool = false;

    fn new(shape: Shape) -> Option<AnyGrids<S>> {
        (shape.side() <= MAX_SIDE).then_some(AnyGrids { shape, cells: [S::ZEROS; CELLS] })
    }

    #[inline(always)]
    fn sweep(&mut self, simd: S) -> SweepResult {
        let every = simd.splat(self.every_digit());
        let zero = simd.splat(0);
        let mut totals =
            GridPassTotals { wrong: zero, changed: zero, open: zero, filled: simd.splat(u16::MAX) };
        for stacks in [false, true] {
            let strides = self.strides(stacks);
            for group in 0..self.shape.side() / strides.lines {
                let mut pass = GridPass::new(simd);
                pass.read::<S>(simd, &strides, group, &self.cells, &mut totals);
                pass.close(simd, strides.lines, every, &mut totals);
                pass.narrow::<S>(simd, &strides, group, &mut self.cells, stacks, &mut totals);
            }
        }
        SweepResult {
            dead: !simd.zero_lanes(totals.wrong) | simd.zero_lanes(totals.filled),
            solved: simd.zero_lanes(totals.open),
            unchanged: simd.zero_lanes(totals.changed),
        }
    }

    #[inline(always)]
    fn broken_lanes(&self, simd: S) -> u32 {
        let zero = simd.splat(0);
        let every = simd.splat(self.every_digit());
        let (rows, columns, side) = (self.shape.box_rows(), self.shape.box_columns(), self.shape.side());
        let mut houses = [[zero; MAX_SIDE]; 3];
        for row in 0..side {
            for column in 0..side {
                let cell = simd.load(&self.cells[row * side + column]);
                let in_box = row / rows * rows + column / columns;
                for (kind, house) in [row, column, in_box].into_iter().enumerate() {
                    houses[kind][house] = simd.or(houses[kind][house], cell);
                }
            }
        }
        let mut missing = zero;
        for kind in 0..3 {
            for house in 0..side {
                missing = simd.or(missing, simd.and_not(every, houses[kind][house]));
            }
        }
        !simd.zero_lanes(missing)
    }

    #[inline(always)]
    fn settle(&mut self, simd: S, cell: usize, lane: usize, candidate: u16) {
        simd.set(&mut self.cells[cell], lane, candidate);
    }

    #[inline(always)]
    fn choose(&self, _simd: S, grids: &[AnyMasks], _guesses_so_far: &[Option<usize>; 8]) -> [usize; 8] {
        let mut cells = [0; 8];
        for (cell, masks) in cells.iter_mut().zip(grids) {
            *cell = fewest(&masks[..self.shape.cells()]);
        }
        cells
    }

    #[inline(always)]
    fn gather(&self, simd: S, lanes: &[usize], into: &mut [AnyMasks]) {
        for (&lane, masks) in lanes.iter().zip(into) {
            for cell in 0..self.shape.cells() {
                masks[cell] = simd.get(&self.cells[cell], lane);
            }
        }
    }

    #[inline(always)]
    fn scatter(&mut self, simd: S, lanes: &[usize], from: &[AnyMasks]) {
        for (&lane, masks) in lanes.iter().zip(from) {
            for cell in 0..self.shape.cells() {
                simd.set(&mut self.cells[cell], lane, masks[cell]);
            }
        }
    }

    #[inline(always)]
    fn load_clues(&mut self, simd: S, lane: usize, clues: &[u8], _copy: &mut AnyMasks) {
        let every = self.every_digit();
        for (stored, &clue) in self.cells.iter_mut().zip(clues) {
            simd.set(stored, lane, if clue == 0 { every } else { 1 << (clue - 1) });
        }
    }

    #[inline(always)]
    fn digits(&self, simd: S, lane: usize, _copy: &AnyMasks, digits: &mut [u8]) {
        for (digit, stored) in digits.iter_mut().zip(&self.cells) {
            *digit = simd.get(stored, lane).trailing_zeros() as u8 + 1;
        }
    }
}

/// Everything that a pass finds out about its band or stack.
struct GridPass<V> {
    /// The candidates of each mini, by line, then by box.
    all: [[V; LINES]; LINES],
    lines: [PassHouse<V>; LINES],
    boxes: [PassHouse<V>; LINES],
}

/// A line or a box of a pass.
#[derive(Clone, Copy)]
struct PassHouse<V> {
    /// Digits in at least one mini.
    any_mini: V,
    /// Digits in at least two minis.
    two_minis: V,
    /// Digits with one place in some mini.
    one_place_in_mini: V,
    /// Naked singles.
    single: V,
    /// Digits in exactly one mini.
    one_mini: V,
    /// Digits with one place, i.e. hidden singles.
    hidden: V,
    /// Digits that some crossing house has only in the mini that it shares with this one, so that this house loses them
    /// in its other minis.
    claimed: V,
}

impl<V: Copy> PassHouse<V> {
    #[inline(always)]
    fn add<S: Simd<V = V>>(&mut self, simd: S, all: V, one: V, single: V, totals: &mut GridPassTotals<V>) {
        self.two_minis = simd.or_and(self.two_minis, self.any_mini, all);
        self.any_mini = simd.or(self.any_mini, all);
        self.one_place_in_mini = simd.or(self.one_place_in_mini, one);
        totals.wrong = simd.or_and(totals.wrong, self.single, single);
        self.single = simd.or(self.single, single);
    }

    #[inline(always)]
    fn close<S: Simd<V = V>>(&mut self, simd: S, every: V, totals: &mut GridPassTotals<V>) {
        self.one_mini = simd.and_not(self.any_mini, self.two_minis);
        self.hidden = simd.and(self.one_mini, self.one_place_in_mini);
        totals.wrong = simd.or(totals.wrong, simd.and_not(every, self.any_mini));
    }
}

impl<V: Copy> GridPass<V> {
    #[inline(always)]
    fn new<S: Simd<V = V>>(simd: S) -> GridPass<V> {
        let none = simd.splat(0);
        let house = PassHouse {
            any_mini: none,
            two_minis: none,
            one_place_in_mini: none,
            single: none,
            one_mini: none,
            hidden: none,
            claimed: none,
        };
        GridPass { all: [[none; LINES]; LINES], lines: [house; LINES], boxes: [house; LINES] }
    }

    /// Reads the cells of a band or stack.
    #[inline(always)]
    fn read<S: Simd<V = V>>(
        &mut self,
        simd: S,
        strides: &Strides,
        group: usize,
        cells: &[S::Stored; CELLS],
        totals: &mut GridPassTotals<V>,
    ) {
        for line in 0..strides.lines.min(LINES) {
            for across in 0..strides.lines.min(LINES) {
                let none = simd.splat(0);
                let (mut once, mut twice, mut single) = (none, none, none);
                for place in 0..strides.places {
                    let cell = simd.load(&cells[strides.at(group, line, across, place)]);
                    twice = simd.or_and(twice, once, cell);
                    once = simd.or(once, cell);
                    single = simd.or(single, simd.single(cell));
                }
                let one = simd.and_not(once, twice);
                self.all[line][across] = once;
                self.lines[line].add(simd, once, one, single, totals);
                self.boxes[across].add(simd, once, one, single, totals);
            }
        }
    }

    /// Draws conclusions for the houses, and finds the locked candidates of each.
    #[inline(always)]
    fn close<S: Simd<V = V>>(&mut self, simd: S, lines: usize, every: V, totals: &mut GridPassTotals<V>) {
        for i in 0..lines.min(LINES) {
            self.lines[i].close(simd, every, totals);
            self.boxes[i].close(simd, every, totals);
        }
        for line in 0..lines.min(LINES) {
            for across in 0..lines.min(LINES) {
                let all = self.all[line][across];
                let (l, b) = (self.lines[line], self.boxes[across]);
                self.boxes[across].claimed = simd.or_and(b.claimed, l.one_mini, all);
                self.lines[line].claimed = simd.or_and(l.claimed, b.one_mini, all);
            }
        }
    }

    /// Removes candidates from the cells.
    #[inline(always)]
    fn narrow<S: Simd<V = V>>(
        &self,
        simd: S,
        strides: &Strides,
        group: usize,
        cells: &mut [S::Stored; CELLS],
        stacks: bool,
        totals: &mut GridPassTotals<V>,
    ) {
        for line in 0..strides.lines.min(LINES) {
            for across in 0..strides.lines.min(LINES) {
                let (l, b) = (&self.lines[line], &self.boxes[across]);
                // A digit that a line claims is removed from all minis of the box except the one on that
                // line.
                let removed =
                    simd.or(simd.and_not(b.claimed, l.one_mini), simd.and_not(l.claimed, b.one_mini));
                let removed = simd.or3(removed, l.single, b.single);
                let hidden = simd.or(l.hidden, b.hidden);
                for place in 0..strides.places {
                    let stored = &mut cells[strides.at(group, line, across, place)];
                    let before = simd.load(stored);
                    let left = simd.and_not_or(before, removed, simd.single(before));
                    let after = simd.prefer(left, hidden);
                    totals.changed = simd.or(totals.changed, simd.and_not(before, after));
                    if stacks {
                        totals.open = simd.or(totals.open, simd.and_not(after, simd.single(after)));
                        totals.filled = simd.both_nonzero(totals.filled, after);
                    }
                    simd.store(stored, after);
                }
            }
        }
    }
}
