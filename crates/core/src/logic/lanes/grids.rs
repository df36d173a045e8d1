//! The grids in the lanes, and the rounds that lanes make in all of them at once.
//!
//! A cell is a vector of masks, one for each lane: its candidates and, while the cell is empty, an extra bit
//! (the mark). The search treats the mark like a digit, so the last empty cell of a house is simply the only
//! place of the mark. A sweep works like this:
//!
//! ```text
//! for each house:  one_place = bits that exactly one of its cells has
//! for each lane:   level = last cells, if some house has one place for the mark; else boxes, if some box has one place
//!                  for a digit; else lines
//! for each house:  granted = the digits that the house may place at the level of the lane
//! for each cell:   placed = candidates & (granted by its row, column or box)
//! for each cell:   if it is empty, it loses what is placed in its row, column and box
//! ```
//!
//! A lane is fresh if it got digits other than by a sweep: the clues, or those of a later round. Its first sweep only
//! removes the candidates that these digits exclude, because until then its masks are not those of a state.
//!
//! Direct rounds follow in lanes without a hidden single: direct pointing and claiming, direct hidden pairs,
//! naked singles. If a lane has none of these, direct hidden triplets, pointing and claiming follow.
//! Everything else is left to rounds one by one.
//!
//! A mask has all nine digits, so locked candidates are found for all digits at once. The search compares
//! minis (the three cells of a line in a box) in each band and each stack:
//!
//! ```text
//!            box 0  box 1  box 2
//!  line 0  |  5 5 |  5   |      |    all places of 5 in box 0 are in line 0: line 0 loses the others,
//!  line 1  |      |      |  5   |    and box 1 has one place left, in line 2
//!  line 2  |      |    5 |      |
//! ```
//!
//! Hidden pairs and triplets are found from the cells: two cells that hold two digits with two places each,
//! or three cells that hold all places of three digits. They are rare, so they are handled in a branch.

use crate::grid::CELLS;
use crate::logic::cells::{HOUSE_CELLS, HOUSES};
use crate::logic::rater::{LANE_TECHNIQUES, PuzzleRating};
use crate::simd::Simd;

/// All nine digits.
pub(super) const ALL: u16 = 0x1ff;
/// The mark of an empty cell.
const EMPTY: u16 = 0x200;
/// The sum of all digits of a solution, as masks: each of the nine rows has every digit once.
const SOLVED: u16 = 9 * ALL;

/// The number of levels, one for each technique of lanes: last cells, hidden singles in boxes and in lines,
/// and the later rounds.
const LEVELS: usize = LANE_TECHNIQUES.len();

/// The grids in the lanes.
pub(super) struct LaneGrids<S: Simd> {
    /// The candidates and the mark of each empty cell. 0 for a cell with a digit.
    pub(super) cells: [S::Stored; CELLS],
    /// The digit of each cell as a mask. 0 for an empty cell.
    pub(super) digits: [S::Stored; CELLS],
    /// Not 0 in lanes that got digits other than by a sweep since the last one.
    pub(super) fresh: S::Stored,
    /// The number of rounds at each level.
    counts: [S::Stored; LEVELS],
    /// The level of the first round, as a bit. 0 before that.
    first: S::Stored,
    /// The levels of all rounds, as bits.
    reached: S::Stored,
    /// The levels of the rounds up to the first placement, as bits. 0 before that.
    at_placement: S::Stored,
}

/// The result of a sweep, as sets of lanes.
pub(super) struct SweepResult {
    /// The lanes without an empty cell.
    pub(super) full: u32,
    /// The lanes that hold a solution.
    pub(super) solved: u32,
    /// The lanes in which nothing was placed, although they were not fresh.
    pub(super) stuck: u32,
}

/// For each house, the bits that exactly one of its cells has, or the digits that it may place.
struct Houses<V> {
    rows: [V; 9],
    columns: [V; 9],
    boxes: [V; 9],
}

impl<S: Simd> LaneGrids<S> {
    pub(super) fn new() -> LaneGrids<S> {
        let none = S::ZEROS;
        LaneGrids {
            cells: [none; CELLS],
            digits: [none; CELLS],
            fresh: none,
            counts: [none; LEVELS],
            first: none,
            reached: none,
            at_placement: none,
        }
    }

    /// Puts the clues of a puzzle into a lane.
    #[inline(always)]
    pub(super) fn load_clues(&mut self, simd: S, lane: usize, clues: &[u8; CELLS]) {
        for cell in 0..CELLS {
            let digit = 1 << clues[cell] >> 1;
            simd.set(&mut self.digits[cell], lane, digit);
            simd.set(&mut self.cells[cell], lane, if digit == 0 { ALL | EMPTY } else { 0 });
        }
        simd.set(&mut self.fresh, lane, 1);
        self.reset_rounds(simd, lane);
    }

    /// Removes a candidate. The digit counts from 0.
    #[inline(always)]
    pub(super) fn remove(&mut self, simd: S, lane: usize, cell: usize, digit: usize) {
        let left = simd.get(&self.cells[cell], lane) & !(1 << digit);
        simd.set(&mut self.cells[cell], lane, left);
    }

    /// Places a digit (from 0). The next sweep removes it from the peers.
    #[inline(always)]
    pub(super) fn place(&mut self, simd: S, lane: usize, cell: usize, digit: usize) {
        simd.set(&mut self.digits[cell], lane, 1 << digit);
        simd.set(&mut self.fresh, lane, 1);
    }

    /// Adds the rounds that a lane has made to the rating of its puzzle, and resets its counters.
    #[inline(always)]
    pub(super) fn take_rounds(&mut self, simd: S, lane: usize, rating: &mut PuzzleRating) {
        let mut counts = [0; LEVELS];
        for level in 0..LEVELS {
            counts[level] = simd.get(&self.counts[level], lane);
        }
        let first = simd.get(&self.first, lane);
        let at_placement = simd.get(&self.at_placement, lane);
        self.reset_rounds(simd, lane);
        rating.add_lane_rounds(first, at_placement, counts);
    }

    #[inline(always)]
    fn reset_rounds(&mut self, simd: S, lane: usize) {
        simd.set(&mut self.first, lane, 0);
        simd.set(&mut self.reached, lane, 0);
        simd.set(&mut self.at_placement, lane, 0);
        for level in 0..LEVELS {
            simd.set(&mut self.counts[level], lane, 0);
        }
    }

    /// Makes a round in every lane that has a hidden single.
    #[inline(always)]
    pub(super) fn sweep(&mut self, simd: S) -> SweepResult {
        let mut houses = one_place(simd, &self.cells);
        let was_fresh = !simd.zero_lanes(simd.load(&self.fresh));
        let levels = self.grant(simd, &mut houses);
        let (taken, placed, total) = self.place_granted(simd, &houses);
        self.count::<3>(simd, 0, &levels, placed, placed);
        let (marks, complete) = self.narrow(simd, &taken);
        simd.store(&mut self.fresh, simd.splat(0));
        let full = simd.zero_lanes(simd.and(marks, simd.splat(EMPTY)));
        let sound = simd.equal_lanes(total, simd.splat(SOLVED)) & simd.equal_lanes(complete, simd.splat(ALL));
        SweepResult { full, solved: full & sound, stuck: simd.zero_lanes(placed) & !was_fresh }
    }

    /// Converts the bits with one place into the digits that each house may place. Returns the lanes of each
    /// level, as all bits or none.
    #[inline(always)]
    fn grant(&self, simd: S, houses: &mut Houses<S::V>) -> [S::V; 3] {
        let (mut lines, mut boxes) = (simd.splat(0), simd.splat(0));
        for i in 0..9 {
            lines = simd.or3(lines, houses.rows[i], houses.columns[i]);
            boxes = simd.or(boxes, houses.boxes[i]);
        }
        let (all, mark) = (simd.splat(ALL), simd.splat(EMPTY));
        let known = simd.where_zero(all, simd.load(&self.fresh));
        let no_last = simd.where_zero(known, simd.and(simd.or(lines, boxes), mark));
        let last = simd.and_not(known, no_last);
        let no_box = simd.where_zero(no_last, simd.and(boxes, all));
        let in_box = simd.and_not(no_last, no_box);
        let in_line = simd.and_not(no_box, simd.where_zero(no_box, simd.and(lines, all)));
        for i in 0..9 {
            houses.rows[i] = granted(simd, houses.rows[i], known, in_line);
            houses.columns[i] = granted(simd, houses.columns[i], known, in_line);
            houses.boxes[i] = granted(simd, houses.boxes[i], known, in_box);
        }
        [last, in_box, in_line]
    }

    /// Places the granted digits. Returns the digits that each house has now, the digits placed anywhere, and
    /// the sum of all digits as masks.
    #[inline(always)]
    fn place_granted(&mut self, simd: S, granted: &Houses<S::V>) -> (Houses<S::V>, S::V, S::V) {
        let zero = simd.splat(0);
        let mut taken = Houses { rows: [zero; 9], columns: [zero; 9], boxes: [zero; 9] };
        let (mut anywhere, mut total) = (zero, zero);
        for row in 0..9 {
            for column in 0..9 {
                let (cell, in_box) = (9 * row + column, row / 3 * 3 + column / 3);
                let may = simd.or3(granted.rows[row], granted.columns[column], granted.boxes[in_box]);
                let placed = simd.and(simd.load(&self.cells[cell]), may);
                let digit = simd.or(simd.load(&self.digits[cell]), placed);
                simd.store(&mut self.digits[cell], digit);
                anywhere = simd.or(anywhere, placed);
                total = simd.add(total, digit);
                taken.rows[row] = simd.or(taken.rows[row], digit);
                taken.columns[column] = simd.or(taken.columns[column], digit);
                taken.boxes[in_box] = simd.or(taken.boxes[in_box], digit);
            }
        }
        (taken, anywhere, total)
    }

    /// Counts a round in each lane in which something changed, at one of `N` levels from `start`. `placed` is
    /// 0 in lanes that placed nothing. A lane that has a level may still change nothing, e.g. if the last
    /// cell of a house has no candidate. This is not a round.
    #[inline(always)]
    pub(super) fn count<const N: usize>(
        &mut self,
        simd: S,
        start: usize,
        lanes: &[S::V; N],
        moved: S::V,
        placed: S::V,
    ) {
        let zero = simd.splat(0);
        let mut codes = zero;
        for level in 0..N {
            let made = simd.and_not(lanes[level], simd.where_zero(lanes[level], moved));
            let stored = &mut self.counts[start + level];
            simd.store(stored, simd.add(simd.load(stored), simd.and(made, simd.splat(1))));
            let code = simd.splat(1 << (start + level));
            codes = simd.or(codes, simd.and_not(code, simd.where_zero(code, made)));
        }
        let first = simd.load(&self.first);
        simd.store(&mut self.first, simd.or(first, simd.where_zero(codes, first)));
        let reached = simd.or(simd.load(&self.reached), codes);
        simd.store(&mut self.reached, reached);
        let at_placement = simd.load(&self.at_placement);
        let now = simd.and_not(reached, simd.where_zero(reached, placed));
        simd.store(&mut self.at_placement, simd.or(at_placement, simd.where_zero(now, at_placement)));
        add_to_stored(simd, &mut self.fresh, placed);
    }

    /// Removes from each empty cell the digits of its houses. Returns the bits that are left in any cell, and
    /// the digits that all houses have.
    #[inline(always)]
    fn narrow(&mut self, simd: S, taken: &Houses<S::V>) -> (S::V, S::V) {
        let mut left = simd.splat(0);
        for row in 0..9 {
            for column in 0..9 {
                let (cell, in_box) = (9 * row + column, row / 3 * 3 + column / 3);
                let removed = simd.or3(taken.rows[row], taken.columns[column], taken.boxes[in_box]);
                let mask = simd.and_not(simd.load(&self.cells[cell]), removed);
                let after = simd.where_zero(mask, simd.load(&self.digits[cell]));
                simd.store(&mut self.cells[cell], after);
                left = simd.or(left, after);
            }
        }
        let mut complete = simd.splat(ALL);
        for i in 0..9 {
            complete = simd.and(complete, simd.and(taken.rows[i], taken.columns[i]));
            complete = simd.and(complete, taken.boxes[i]);
        }
        (left, complete)
    }
}

/// Adds bits to a stored vector.
#[inline(always)]
fn add_to_stored<S: Simd>(simd: S, stored: &mut S::Stored, bits: S::V) {
    let sum = simd.or(simd.load(stored), bits);
    simd.store(stored, sum);
}

/// The digits that a house may place: everything if the mark has one place in it, otherwise the digits with
/// one place, in the lanes that are at this level.
#[inline(always)]
fn granted<S: Simd>(simd: S, one_place: S::V, known: S::V, level: S::V) -> S::V {
    let mark = simd.and(one_place, simd.splat(EMPTY));
    simd.or_and(simd.and_not(known, simd.where_zero(known, mark)), one_place, level)
}

/// For each house, the bits that exactly one of its cells has.
#[inline(always)]
fn one_place<S: Simd>(simd: S, cells: &[S::Stored; CELLS]) -> Houses<S::V> {
    let zero = simd.splat(0);
    let mut houses = Houses { rows: [zero; 9], columns: [zero; 9], boxes: [zero; 9] };
    // For each band and column, the bits that its three cells have, and the bits that exactly one of them
    // has.
    let (mut tall, mut tall_one) = ([[zero; 9]; 3], [[zero; 9]; 3]);
    for band in 0..3 {
        let (mut flat, mut flat_one) = ([[zero; 3]; 3], [[zero; 3]; 3]);
        for across in 0..3 {
            let mut mini = [[zero; 3]; 3];
            for line in 0..3 {
                for place in 0..3 {
                    mini[line][place] = simd.load(&cells[27 * band + 9 * line + 3 * across + place]);
                }
                let [a, b, c] = mini[line];
                flat[line][across] = simd.or3(a, b, c);
                flat_one[line][across] = simd.exactly_one(a, b, c);
            }
            for place in 0..3 {
                let (a, b, c) = (mini[0][place], mini[1][place], mini[2][place]);
                tall[band][3 * across + place] = simd.or3(a, b, c);
                tall_one[band][3 * across + place] = simd.exactly_one(a, b, c);
            }
        }
        for i in 0..3 {
            houses.rows[3 * band + i] = one_of_nine(simd, flat[i], flat_one[i]);
            let down = [flat[0][i], flat[1][i], flat[2][i]];
            houses.boxes[3 * band + i] =
                one_of_nine(simd, down, [flat_one[0][i], flat_one[1][i], flat_one[2][i]]);
        }
    }
    for i in 0..9 {
        let down = [tall[0][i], tall[1][i], tall[2][i]];
        houses.columns[i] = one_of_nine(simd, down, [tall_one[0][i], tall_one[1][i], tall_one[2][i]]);
    }
    houses
}

/// The bits that exactly one of nine cells has. `threes` has the bits of each three of them, `ones` the bits
/// that exactly one of each three has.
#[inline(always)]
fn one_of_nine<S: Simd>(simd: S, threes: [S::V; 3], ones: [S::V; 3]) -> S::V {
    simd.and(simd.exactly_one(threes[0], threes[1], threes[2]), simd.or3(ones[0], ones[1], ones[2]))
}

/// The first level of a later round, which is direct pointing.
const LATER: usize = 3;
/// The number of levels of later rounds.
const LATER_LEVELS: usize = LEVELS - LATER;

impl<S: Simd> LaneGrids<S> {
    /// Makes a round in each of the waiting lanes where a technique of the first `levels` levels finds
    /// something. Returns these lanes.
    #[inline(always)]
    pub(super) fn make_later_round(&mut self, simd: S, waiting: u32, levels: usize) -> u32 {
        let mut wait = S::ZEROS;
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
        let locks = Locks::new(simd, &cells);
        let zero = simd.splat(0);
        let mut subsets = [zero; CELLS];
        for house in 0..HOUSES {
            find_pairs(simd, &HOUSE_CELLS[house], &cells, &mut subsets);
        }
        let mut found = [zero; LATER_LEVELS];
        found[0] = locks.any(simd, &locks.left[POINTING]);
        found[1] = locks.any(simd, &locks.left[CLAIMING]);
        for cell in 0..CELLS {
            found[2] = simd.or_and(found[2], subsets[cell], cells[cell]);
            found[3] = simd.or(found[3], simd.single(cells[cell]));
        }
        let levels = levels.saturating_sub(LATER);
        let (_, rest) = choose_levels(simd, found, wait, levels);
        // Few lanes need the other levels, which take longer, so they are skipped if no lane does.
        let is_late = waiting & !simd.zero_lanes(rest) != 0;
        if is_late {
            let of_rest = cells.map(|cell| simd.and(cell, rest));
            for house in 0..HOUSES {
                find_triplets(simd, &HOUSE_CELLS[house], &of_rest, &mut subsets);
            }
            for cell in 0..CELLS {
                found[4] = simd.or_and(found[4], subsets[cell], of_rest[cell]);
            }
            found[5] = locks.any(simd, &locks.removed[POINTING]);
            found[6] = locks.any(simd, &locks.removed[CLAIMING]);
        }
        let (at, _) = choose_levels(simd, found, wait, levels);
        let by_subset = simd.or(at[2], at[4]);
        let mut placed = zero;
        for row in 0..9 {
            for column in 0..9 {
                let cell = 9 * row + column;
                let mut may = simd.and(locks.at(simd, &locks.left[POINTING], row, column), at[0]);
                may = simd.or_and(may, locks.at(simd, &locks.left[CLAIMING], row, column), at[1]);
                may = simd.or_and(may, subsets[cell], by_subset);
                may = simd.or_and(may, simd.single(cells[cell]), at[3]);
                let digit = simd.and(may, cells[cell]);
                add_to_stored(simd, &mut self.digits[cell], digit);
                placed = simd.or(placed, digit);
                if is_late {
                    let removed = simd.and(locks.at(simd, &locks.removed[POINTING], row, column), at[5]);
                    let removed =
                        simd.or_and(removed, locks.at(simd, &locks.removed[CLAIMING], row, column), at[6]);
                    let left = simd.and_not(simd.load(&self.cells[cell]), removed);
                    simd.store(&mut self.cells[cell], left);
                }
            }
        }
        let moved = simd.or3(placed, at[5], at[6]);
        self.count(simd, LATER, &at, moved, placed);
        waiting & !simd.zero_lanes(moved)
    }
}

/// Chooses the level of each lane: the first of the first `levels` levels at which something is found.
/// Returns the lanes of each level, as all digits or none, and the lanes without a level.
#[inline(always)]
fn choose_levels<S: Simd, const N: usize>(
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

/// A value for each mini of the rows, and of the columns: by band or stack, by line, and by box.
type Minis<V> = [[[[V; 3]; 3]; 3]; 2];

/// Locks from a box into a line.
const POINTING: usize = 0;
/// Locks from a line into a box.
const CLAIMING: usize = 1;

/// The effects of locked candidates, by pointing and by claiming.
struct Locks<V> {
    /// For each mini, the digits that have exactly one place in it and a second mini of a house together, after a lock
    /// has removed them from the third. The digit is in the entries of both minis.
    left: [Minis<V>; 2],
    /// The digits that are removed from each mini.
    removed: [Minis<V>; 2],
}

impl<V: Copy> Locks<V> {
    #[inline(always)]
    fn new<S: Simd<V = V>>(simd: S, cells: &[V; CELLS]) -> Locks<V> {
        let none = [[[[[simd.splat(0); 3]; 3]; 3]; 2]; 2];
        let mut locks = Locks { left: none, removed: none };
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
        // Indexed by line and box for pointing, and by box and line for claiming.
        let (mut all, mut one) = ([[[zero; 3]; 3]; 2], [[[zero; 3]; 3]; 2]);
        for line in 0..3 {
            for across in 0..3 {
                let (along, first) = (3 * band + line, 3 * across);
                let mut mini = [zero; 3];
                for place in 0..3 {
                    let at = first + place;
                    mini[place] = cells[if STACK { 9 * at + along } else { 9 * along + at }];
                }
                all[POINTING][line][across] = simd.or3(mini[0], mini[1], mini[2]);
                one[POINTING][line][across] = simd.exactly_one(mini[0], mini[1], mini[2]);
                all[CLAIMING][across][line] = all[POINTING][line][across];
                one[CLAIMING][across][line] = one[POINTING][line][across];
            }
        }
        for kind in [POINTING, CLAIMING] {
            let (all, one) = (&all[kind], &one[kind]);
            let (left, removed) = (
                &mut self.left[kind][usize::from(STACK)][band],
                &mut self.removed[kind][usize::from(STACK)][band],
            );
            for here in 0..9 {
                // The current mini, and the other two in each direction. The digit is locked if the first two
                // lack it, and is removed from the second two.
                let (line, across) = (here / 3, here % 3);
                let (lines, boxes) = ([(line + 1) % 3, (line + 2) % 3], [(across + 1) % 3, (across + 2) % 3]);
                let elsewhere = simd.or(all[lines[0]][across], all[lines[1]][across]);
                let locked = simd.and_not(all[line][across], elsewhere);
                for other in boxes {
                    let lost = simd.and(locked, all[line][other]);
                    let minis = [
                        (all[lines[0]][other], one[lines[0]][other]),
                        (all[lines[1]][other], one[lines[1]][other]),
                    ];
                    let only_place = simd.and(lost, one_of_two(simd, minis));
                    add(simd, mini(removed, kind, line, other), lost);
                    add(simd, mini(left, kind, lines[0], other), only_place);
                    add(simd, mini(left, kind, lines[1], other), only_place);
                }
            }
        }
    }

    /// The digits of the two minis of a cell.
    #[inline(always)]
    fn at<S: Simd<V = V>>(&self, simd: S, minis: &Minis<V>, row: usize, column: usize) -> V {
        simd.or(minis[0][row / 3][row % 3][column / 3], minis[1][column / 3][column % 3][row / 3])
    }

    /// The digits of all minis.
    #[inline(always)]
    fn any<S: Simd<V = V>>(&self, simd: S, minis: &Minis<V>) -> V {
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

/// A mini by its line and box. For claiming, the indices are swapped.
#[inline(always)]
fn mini<V>(minis: &mut [[V; 3]; 3], kind: usize, line: usize, across: usize) -> &mut V {
    if kind == POINTING { &mut minis[line][across] } else { &mut minis[across][line] }
}

#[inline(always)]
fn add<S: Simd>(simd: S, sum: &mut S::V, more: S::V) {
    *sum = simd.or(*sum, more);
}

/// The digits with exactly one place in two minis together. Each pair has the digits of a mini, and those
/// with one place in it.
#[inline(always)]
fn one_of_two<S: Simd>(simd: S, [(a, one_a), (b, one_b)]: [(S::V, S::V); 2]) -> S::V {
    simd.or(simd.and_not(one_a, b), simd.and_not(one_b, a))
}

/// The candidates of each cell of a house, and the digits with exactly two, three and four places in it.
#[inline(always)]
fn count_places<S: Simd>(simd: S, house: &[u8; 9], cells: &[S::V; CELLS]) -> ([S::V; 9], [S::V; 3]) {
    let zero = simd.splat(0);
    let (mut held, mut at_least) = ([zero; 9], [zero; 5]);
    for place in 0..9 {
        let mask = cells[usize::from(house[place])];
        held[place] = mask;
        for count in (1..5).rev() {
            at_least[count] = simd.or_and(at_least[count], at_least[count - 1], mask);
        }
        at_least[0] = simd.or(at_least[0], mask);
    }
    let [_, two, three, four, five] = at_least;
    (held, [simd.and_not(two, three), simd.and_not(three, four), simd.and_not(four, five)])
}

/// Adds the digits that direct hidden pairs of a house leave to its cells.
#[inline(always)]
fn find_pairs<S: Simd>(simd: S, house: &[u8; 9], cells: &[S::V; CELLS], left: &mut [S::V; CELLS]) {
    let (held, [two, three, _]) = count_places(simd, house, cells);
    for first in 0..8 {
        for second in first + 1..9 {
            let both = simd.and(held[first], held[second]);
            let hidden = simd.and(both, two);
            let pair = simd.and_not(hidden, simd.single(hidden));
            if is_zero(simd, pair) {
                continue;
            }
            // A digit has one place besides the pair if it has three places including both cells, or two
            // including one of them.
            let either = simd.and_not(simd.or(held[first], held[second]), both);
            let besides = simd.or_and(simd.and(both, three), either, two);
            leave_digits(simd, house, 1 << first | 1 << second, besides, pair, left);
        }
    }
}

/// Adds the digits that direct hidden triplets of a house leave to its cells.
#[inline(always)]
fn find_triplets<S: Simd>(simd: S, house: &[u8; 9], cells: &[S::V; CELLS], left: &mut [S::V; CELLS]) {
    let (held, [two, three, four]) = count_places(simd, house, cells);
    for first in 0..7 {
        for second in first + 1..8 {
            let both = simd.and(held[first], held[second]);
            let either = simd.or(held[first], held[second]);
            let both_of_three = simd.and(both, three);
            for third in second + 1..9 {
                let cell = held[third];
                let in_two = simd.or_and(both, either, cell);
                // All places of the digit are in the triplet: two of two, or three of three.
                let hidden = simd.or_and(simd.and(in_two, two), both_of_three, cell);
                let triplet = without_lowest(simd, without_lowest(simd, hidden));
                if is_zero(simd, triplet) {
                    continue;
                }
                let in_all = simd.and(both, cell);
                let in_one = simd.exactly_one(held[first], held[second], cell);
                let mut besides = simd.and(in_one, two);
                besides = simd.or_and(besides, simd.and_not(in_two, in_all), three);
                besides = simd.or_and(besides, in_all, four);
                leave_digits(simd, house, 1 << first | 1 << second | 1 << third, besides, triplet, left);
            }
        }
    }
}

/// Allows the cells of a house, except those of the subset, to have these digits, in the lanes where `found`
/// is not 0.
#[inline(always)]
fn leave_digits<S: Simd>(
    simd: S,
    house: &[u8; 9],
    subset: u16,
    digits: S::V,
    found: S::V,
    left: &mut [S::V; CELLS],
) {
    let digits = simd.and_not(digits, simd.where_zero(digits, found));
    for place in 0..9 {
        if subset >> place & 1 == 0 {
            let cell = usize::from(house[place]);
            left[cell] = simd.or(left[cell], digits);
        }
    }
}

#[inline(always)]
fn without_lowest<S: Simd>(simd: S, v: S::V) -> S::V {
    simd.and(v, simd.add(v, simd.splat(u16::MAX)))
}

#[inline(always)]
fn is_zero<S: Simd>(simd: S, v: S::V) -> bool {
    simd.zero_lanes(v) == u32::MAX >> (32 - S::LANES)
}
