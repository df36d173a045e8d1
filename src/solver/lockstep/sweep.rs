//! One round of inference over all cells of all lanes.
//!
//! A sweep is six passes: the three bands, then the three stacks. A pass sees nine *minis*, runs of three
//! cells in a line of a box:
//!
//! ```text
//!               box 0     box 1     box 2
//!  line 0    | m[0][0] | m[0][1] | m[0][2] |     a band: lines are rows, minis lie flat
//!  line 1    | m[1][0] | m[1][1] | m[1][2] |     a stack: the same, turned
//!  line 2    | m[2][0] | m[2][1] | m[2][2] |
//! ```
//!
//! and works with whole minis as long as it can:
//!
//! ```text
//! for each mini: all = c0 | c1 | c2, one = digits in exactly one of them, single = their naked singles
//! line_only[l] = digits in exactly one mini of line l          box_only[b] = the same down box b
//! hidden in line l: line_only[l] & (one of any of its minis)   hidden in box b: likewise
//! locked: what line_only puts into a mini leaves the box's other minis, and the other way round
//! for each cell: lose locked digits; unless single, lose the singles of line and box;
//!                if a hidden digit is left, keep only that
//! ```
//!
//! A pass reads its 27 cells twice and writes them once; a later pass sees what an earlier one found.
//! Contradictions are looked for in the cells as a pass finds them, so they may come to light one sweep
//! late; an undisturbed sweep has missed nothing.

use crate::grid::CELLS;
use crate::simd::Simd;

/// Every digit.
const ALL: u16 = 0x1ff;

/// What a sweep found, as sets of lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// A house has no place for a digit, or the same single twice; or a cell has no candidate.
    pub(super) dead: u32,
    /// Every cell has one candidate at most. Whether they obey the rules is for [`broken_lanes`] to say.
    pub(super) single: u32,
    /// Some candidate went.
    pub(super) changed: u32,
}

/// What the passes add up.
struct Seen<V> {
    /// Digits with no place in a house, or two.
    wrong: V,
    changed: V,
    /// Candidates of cells beyond the first, as the last three passes leave them.
    more: V,
    /// 0 where the last three passes leave an empty cell.
    filled: V,
}

/// Sweeps once over all lanes.
#[inline(always)]
pub(super) fn sweep<S: Simd>(simd: S, cells: &mut [S::Row; CELLS]) -> Found {
    let zero = simd.splat(0);
    let mut seen = Seen { wrong: zero, changed: zero, more: zero, filled: simd.splat(0x8000) };
    for band in cells.as_chunks_mut::<27>().0 {
        pass::<S, false, 27>(simd, band, &mut seen);
    }
    for stack in 0..3 {
        // From the stack's first cell to its last one.
        let window = cells[3 * stack..].first_chunk_mut::<75>().expect("a stack spans 75 cells");
        pass::<S, true, 75>(simd, window, &mut seen);
    }
    let dead = !simd.zero_lanes(seen.wrong) | simd.zero_lanes(seen.filled);
    Found { dead, single: simd.zero_lanes(seen.more), changed: !simd.zero_lanes(seen.changed) }
}

/// Where a cell stands in the window of its band or stack: by line, box and place in the mini.
#[inline(always)]
const fn at(stack: bool, line: usize, across: usize, place: usize) -> usize {
    if stack { (3 * across + place) * 9 + line } else { line * 9 + 3 * across + place }
}

/// The nine minis of a band or a stack: by line, then by box.
type Minis<V> = [[V; 3]; 3];

// Plain loops, and no closures handed to the standard library: what is not inlined always would be compiled
// without the backend's features, and pass vectors through memory. (Iterators here cost a factor of five
// in a build without link-time optimisation.)
#[inline(always)]
fn pass<S: Simd, const STACK: bool, const SPAN: usize>(
    simd: S,
    cells: &mut [S::Row; SPAN],
    seen: &mut Seen<S::V>,
) {
    let zero = simd.splat(0);
    let mut all: Minis<S::V> = [[zero; 3]; 3];
    let mut lines = Houses { one: [zero; 3], single: [zero; 3], only: [zero; 3], hidden: [zero; 3] };
    let mut boxes = Houses { ..lines };
    for line in 0..3 {
        for across in 0..3 {
            let a = simd.load(&cells[at(STACK, line, across, 0)]);
            let b = simd.load(&cells[at(STACK, line, across, 1)]);
            let c = simd.load(&cells[at(STACK, line, across, 2)]);
            all[line][across] = simd.or3(a, b, c);
            let one = simd.exactly_one(a, b, c);
            let (a, b, c) = (simd.single(a), simd.single(b), simd.single(c));
            let single = simd.or3(a, b, c);
            seen.wrong = simd.or(seen.wrong, simd.at_least_two(a, b, c));
            lines.add(simd, line, one, single, seen);
            boxes.add(simd, across, one, single, seen);
        }
    }
    for i in 0..3 {
        lines.close(simd, i, all[i][0], all[i][1], all[i][2], seen);
        boxes.close(simd, i, all[0][i], all[1][i], all[2][i], seen);
    }
    for line in 0..3 {
        for across in 0..3 {
            let gone = locked_elsewhere(simd, &all, &lines, &boxes, line, across);
            let taken = simd.or(lines.single[line], boxes.single[across]);
            let hidden = simd.or(lines.hidden[line], boxes.hidden[across]);
            for place in 0..3 {
                let row = &mut cells[at(STACK, line, across, place)];
                let before = simd.load(row);
                let left = simd.and_not(before, simd.or(gone, simd.unless_single(before, taken)));
                let after = simd.prefer(left, hidden);
                seen.changed = simd.or_difference(seen.changed, before, after);
                if STACK {
                    seen.more = simd.or_above_lowest(seen.more, after);
                    seen.filled = simd.both_nonzero(seen.filled, after);
                }
                simd.store(row, after);
            }
        }
    }
}

/// Three houses side by side, the lines or the boxes of a pass.
#[derive(Clone, Copy)]
struct Houses<V> {
    /// Digits with one place in some mini.
    one: [V; 3],
    /// Naked singles.
    single: [V; 3],
    /// Digits that one mini has and no other.
    only: [V; 3],
    /// Digits with one place.
    hidden: [V; 3],
}

impl<V: Copy> Houses<V> {
    /// Adds a mini to house `i`.
    #[inline(always)]
    fn add<S: Simd<V = V>>(&mut self, simd: S, i: usize, one: V, single: V, seen: &mut Seen<V>) {
        self.one[i] = simd.or(self.one[i], one);
        seen.wrong = simd.or_and(seen.wrong, self.single[i], single);
        self.single[i] = simd.or(self.single[i], single);
    }

    /// Concludes from the three minis of house `i`.
    #[inline(always)]
    fn close<S: Simd<V = V>>(&mut self, simd: S, i: usize, a: V, b: V, c: V, seen: &mut Seen<V>) {
        self.only[i] = simd.exactly_one(a, b, c);
        self.hidden[i] = simd.and(self.only[i], self.one[i]);
        seen.wrong = simd.or(seen.wrong, simd.and_not(simd.splat(ALL), simd.or3(a, b, c)));
    }
}

/// The digits that must lie in another mini of the same box or line, by locked candidates.
#[inline(always)]
fn locked_elsewhere<S: Simd>(
    simd: S,
    all: &Minis<S::V>,
    lines: &Houses<S::V>,
    boxes: &Houses<S::V>,
    line: usize,
    across: usize,
) -> S::V {
    let (l1, l2) = ((line + 1) % 3, (line + 2) % 3);
    let (b1, b2) = ((across + 1) % 3, (across + 2) % 3);
    let in_box = simd.or_and(simd.and(lines.only[l1], all[l1][across]), lines.only[l2], all[l2][across]);
    let in_line = simd.or_and(simd.and(boxes.only[b1], all[line][b1]), boxes.only[b2], all[line][b2]);
    simd.or(in_box, in_line)
}

/// Of lanes whose cells are all single, those in which some house lacks a digit.
#[inline(always)]
pub(super) fn broken_lanes<S: Simd>(simd: S, cells: &[S::Row; CELLS]) -> u32 {
    let zero = simd.splat(0);
    let mut missing = zero;
    let mut columns = [zero; 9];
    for band in cells.as_chunks::<27>().0 {
        let mut boxes = [zero; 3];
        for row in band.as_chunks::<9>().0 {
            let mut union = zero;
            for across in 0..3 {
                let mut mini = zero;
                for column in 3 * across..3 * across + 3 {
                    let cell = simd.load(&row[column]);
                    mini = simd.or(mini, cell);
                    columns[column] = simd.or(columns[column], cell);
                }
                union = simd.or(union, mini);
                boxes[across] = simd.or(boxes[across], mini);
            }
            missing = simd.or(missing, simd.and_not(simd.splat(ALL), union));
        }
        for i in 0..3 {
            missing = simd.or(missing, simd.and_not(simd.splat(ALL), boxes[i]));
        }
    }
    for i in 0..9 {
        missing = simd.or(missing, simd.and_not(simd.splat(ALL), columns[i]));
    }
    !simd.zero_lanes(missing)
}
