//! One round of inference over all cells of all lanes.
//!
//! A sweep is six passes: one for each of the three bands, then one for each of the three stacks. A pass sees
//! nine *minis*, which are runs of three cells in a line of a box:
//!
//! ```text
//!               box 0     box 1     box 2
//!  line 0    | m[0][0] | m[0][1] | m[0][2] |     a band: lines are rows, minis are flat
//!  line 1    | m[1][0] | m[1][1] | m[1][2] |     a stack: the same, turned
//!  line 2    | m[2][0] | m[2][1] | m[2][2] |
//! ```
//!
//! and works with whole minis as long as it can:
//!
//! ```text
//! for each mini: all = c0 | c1 | c2, one = digits in exactly one of them, single = their naked singles
//! lines.one_mini[l] = digits in exactly one mini of line l             boxes.one_mini[b] = the same down box b
//! hidden in line l: lines.one_mini[l] & one_place_in_mini of line l    hidden in box b: likewise
//! locked: a digit that lines.one_mini confines to a mini is removed from the box's other minis, and vice versa
//! for each cell: unless single, lose locked digits and the singles of line and box;
//!                if a hidden digit is left, keep only that
//! ```
//!
//! A pass reads its 27 cells twice and writes them once, and a later pass sees what an earlier one found.
//! The passes over bands note the cells with one candidate, when they read a cell and again when they have narrowed
//! it; the stacks use these notes.
//! The masks of a lane are added up in the stacks, for two reasons. A changed total shows that a candidate
//! was removed. And only a solution, or a grid that breaks the rules, has a total of nine times every digit.
//! If two cells of a mini have the same single, the pass of the other direction notices it, in the box.
//!
//! A pass looks for contradictions when it reads its cells, before it narrows them; only empty cells are looked
//! for afterwards, in the stacks. So a contradiction that arises in a later pass is mostly noticed by the next sweep. But a
//! sweep that changes nothing has missed nothing.
//!
//! # The choice of the cell to guess in
//!
//! In a classic grid, it is the cell with two candidates whose digits have the highest score: the number of peers that
//! have the lower digit as a candidate, plus the number that have the higher one, where peers with two candidates count
//! four times in each ([`Simd::best_guess_cells`]; twice in `bitmask`). If there is no such cell, and always in grids
//! of other shapes, it is the first cell of fewest candidates. (The README says what else was tried.)
//!
//! A score costs as much as three sweeps of a lane, so it pays only if the search has taken a wrong way. If a
//! grid with few open cells was reached without undoing a guess, its puzzle mostly has several solutions, and
//! the first cell with two candidates is good enough. Results from elsewhere in the search must not influence
//! the choice, because lanes share searches and the guesses would depend on how.

use super::search::{SweepResult, SweptGrids};
use crate::grid::{CELLS, Shape};
use crate::simd::{Masks, NO_MASKS, Simd};

/// The mask with every digit.
const ALL: u16 = 0x1ff;

/// Classic grids in the lanes.
pub(super) struct ClassicGrids<S: Simd> {
    /// The candidates of each cell.
    cells: [S::Stored; CELLS],
    /// The sum of all masks of a lane after the last sweep, or 0 if the lane has got another grid since.
    /// Every removed candidate makes it smaller.
    total: S::Stored,
    /// The masks of the cells with one candidate, and 0 for the others. The bands write them for the stacks.
    singles: [S::Stored; CELLS],
}

/// The sum of the masks of a solution: nine houses, each with every digit once.
const SOLVED: u16 = 9 * ALL;

/// Sums over the passes of a sweep.
struct PassTotals<V> {
    /// Digits that have no place in a house, or are the single of two of its cells.
    wrong: V,
    /// The sum of the masks after the stacks.
    total: V,
    /// 0 in the lanes where a cell is empty after the stacks.
    filled: V,
}

impl<S: Simd> SweptGrids<S> for ClassicGrids<S> {
    type Masks = Masks;
    const NO_MASKS: Masks = NO_MASKS;
    const DEPTH: usize = CELLS;
    const COPIES_EIGHT: bool = S::COPIES_EIGHT;

    fn new(_: Shape) -> Option<ClassicGrids<S>> {
        Some(ClassicGrids { cells: [S::ZEROS; CELLS], total: S::ZEROS, singles: [S::ZEROS; CELLS] })
    }

    #[inline(always)]
    fn sweep(&mut self, simd: S) -> SweepResult {
        let ClassicGrids { cells, total, singles } = self;
        let zero = simd.splat(0);
        let mut totals = PassTotals { wrong: zero, total: zero, filled: simd.splat(0x7fff) };
        let bands = cells.as_chunks_mut::<27>().0.iter_mut().zip(singles.as_chunks_mut::<27>().0);
        for (band, singles) in bands {
            pass::<S, false, 27>(simd, band, singles, &mut totals);
        }
        for stack in 0..3 {
            // The window reaches from the stack's first cell to its last one.
            let window = cells[3 * stack..].first_chunk_mut::<75>().expect("a stack spans 75 cells");
            let singles = singles[3 * stack..].first_chunk_mut::<75>().expect("a stack spans 75 cells");
            pass::<S, true, 75>(simd, window, singles, &mut totals);
        }
        let dead = !simd.zero_lanes(totals.wrong) | simd.zero_lanes(totals.filled);
        let unchanged = simd.equal_lanes(totals.total, simd.load(total));
        simd.store(total, totals.total);
        SweepResult { dead, solved: simd.equal_lanes(totals.total, simd.splat(SOLVED)), unchanged }
    }

    #[inline(always)]
    fn broken_lanes(&self, simd: S) -> u32 {
        let zero = simd.splat(0);
        let mut missing = zero;
        let mut columns = [zero; 9];
        for band in self.cells.as_chunks::<27>().0 {
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

    #[inline(always)]
    fn renew(&mut self, simd: S, lane: usize) {
        simd.set(&mut self.total, lane, 0);
    }

    #[inline(always)]
    fn settle(&mut self, simd: S, cell: usize, lane: usize, candidate: u16) {
        simd.set(&mut self.cells[cell], lane, candidate);
    }

    #[inline(always)]
    fn choose(&self, simd: S, grids: &[Masks], guesses_so_far: &[Option<usize>; 8]) -> [usize; 8] {
        let mut cells = [0; 8];
        let (mut scored, mut places, mut count) = ([&NO_MASKS; 8], [0; 8], 0);
        for (i, masks) in grids.iter().enumerate().take(8) {
            match guesses_so_far[i].and_then(|guesses| first_pair_of_few(simd, masks, guesses)) {
                Some(cell) => cells[i] = cell,
                None => {
                    (scored[count], places[count]) = (masks, i);
                    count += 1;
                }
            }
        }
        let mut best = [None; 8];
        simd.best_guess_cells(&scored[..count], &mut best);
        for i in 0..count {
            cells[places[i]] = best[i].unwrap_or_else(|| fewest_above_two(&scored[i][..CELLS]));
        }
        cells
    }

    #[inline(always)]
    fn gather(&self, simd: S, lanes: &[usize], into: &mut [Masks]) {
        simd.gather(&self.cells, lanes, into);
    }

    #[inline(always)]
    fn scatter(&mut self, simd: S, lanes: &[usize], from: &[Masks]) {
        simd.scatter(&mut self.cells, lanes, from);
    }

    #[inline(always)]
    fn load_clues(&mut self, simd: S, lane: usize, clues: &[u8], copy: &mut Masks) {
        simd.load_clues(&mut self.cells, lane, clues.try_into().expect(CLASSIC), copy);
    }

    #[inline(always)]
    fn digits(&self, simd: S, lane: usize, copy: &Masks, digits: &mut [u8]) {
        simd.digits(&self.cells, lane, copy, digits.try_into().expect(CLASSIC));
    }
}

const CLASSIC: &str = "classic puzzles have 81 cells";

/// The index of a cell in the window of its band or stack, from its line, its box and its place in the mini.
#[inline(always)]
const fn at(stack: bool, line: usize, across: usize, place: usize) -> usize {
    if stack { (3 * across + place) * 9 + line } else { line * 9 + 3 * across + place }
}

// The loops are plain, without iterators and closures, because a function that is not inlined would be
// compiled without the backend's features, and would pass vectors through memory. (Iterators here made it
// five times slower in a build without link-time optimisation.) The lines are called one by one, because the
// compiler would not unroll a loop over them, and would keep in memory everything that the loop indexes.
#[inline(always)]
fn pass<S: Simd, const STACK: bool, const SPAN: usize>(
    simd: S,
    cells: &mut [S::Stored; SPAN],
    singles: &mut [S::Stored; SPAN],
    totals: &mut PassTotals<S::V>,
) {
    let mut state = ClassicPass::new(simd);
    state.read_line::<S, STACK, SPAN>(simd, 0, cells, singles, totals);
    state.read_line::<S, STACK, SPAN>(simd, 1, cells, singles, totals);
    state.read_line::<S, STACK, SPAN>(simd, 2, cells, singles, totals);
    for i in 0..3 {
        let ClassicPass { all, lines, boxes } = &mut state;
        lines.close(simd, i, all[i][0], all[i][1], all[i][2], totals);
        boxes.close(simd, i, all[0][i], all[1][i], all[2][i], totals);
    }
    state.narrow_line::<S, STACK, SPAN>(simd, 0, cells, singles, totals);
    state.narrow_line::<S, STACK, SPAN>(simd, 1, cells, singles, totals);
    state.narrow_line::<S, STACK, SPAN>(simd, 2, cells, singles, totals);
}

/// Everything that a pass finds out about its band or stack.
struct ClassicPass<V> {
    /// The candidates of each mini, by line, then by box.
    all: [[V; 3]; 3],
    lines: HouseTriple<V>,
    boxes: HouseTriple<V>,
}

impl<V: Copy> ClassicPass<V> {
    #[inline(always)]
    fn new<S: Simd<V = V>>(simd: S) -> ClassicPass<V> {
        let none = [simd.splat(0); 3];
        let houses = HouseTriple { one_place_in_mini: none, single: none, one_mini: none, hidden: none };
        ClassicPass { all: [none; 3], lines: houses, boxes: houses }
    }

    /// Reads the cells of a line.
    #[inline(always)]
    fn read_line<S: Simd<V = V>, const STACK: bool, const SPAN: usize>(
        &mut self,
        simd: S,
        line: usize,
        cells: &[S::Stored; SPAN],
        singles: &mut [S::Stored; SPAN],
        totals: &mut PassTotals<V>,
    ) {
        for across in 0..3 {
            let mut mini = [simd.splat(0); 3];
            let mut single = mini;
            for place in 0..3 {
                let index = at(STACK, line, across, place);
                mini[place] = simd.load(&cells[index]);
                if STACK {
                    single[place] = simd.load(&singles[index]);
                } else {
                    single[place] = simd.single(mini[place]);
                    simd.store(&mut singles[index], single[place]);
                }
            }
            let single = simd.or3(single[0], single[1], single[2]);
            let one = simd.exactly_one(mini[0], mini[1], mini[2]);
            self.all[line][across] = simd.or3(mini[0], mini[1], mini[2]);
            self.lines.add(simd, line, one, single, totals);
            self.boxes.add(simd, across, one, single, totals);
        }
    }

    /// Removes candidates from the cells of a line.
    #[inline(always)]
    fn narrow_line<S: Simd<V = V>, const STACK: bool, const SPAN: usize>(
        &self,
        simd: S,
        line: usize,
        cells: &mut [S::Stored; SPAN],
        singles: &mut [S::Stored; SPAN],
        totals: &mut PassTotals<V>,
    ) {
        for across in 0..3 {
            let locked = self.locked_elsewhere(simd, line, across);
            let removed = simd.or3(locked, self.lines.single[line], self.boxes.single[across]);
            let hidden = simd.or(self.lines.hidden[line], self.boxes.hidden[across]);
            for place in 0..3 {
                let index = at(STACK, line, across, place);
                let stored = &mut cells[index];
                let left = simd.and_not_or(simd.load(stored), removed, simd.load(&singles[index]));
                let after = simd.prefer(left, hidden);
                simd.store(stored, after);
                if STACK {
                    totals.total = simd.add(totals.total, after);
                    totals.filled = simd.both_nonzero(totals.filled, after);
                } else {
                    simd.store(&mut singles[index], simd.single(after));
                }
            }
        }
    }

    /// The digits that locked candidates put into another mini of the same box or line.
    #[inline(always)]
    fn locked_elsewhere<S: Simd<V = V>>(&self, simd: S, line: usize, across: usize) -> V {
        let ClassicPass { all, lines, boxes } = self;
        let (l1, l2) = ((line + 1) % 3, (line + 2) % 3);
        let (b1, b2) = ((across + 1) % 3, (across + 2) % 3);
        let mut locked = simd.and(lines.one_mini[l1], all[l1][across]);
        locked = simd.or_and(locked, lines.one_mini[l2], all[l2][across]);
        locked = simd.or_and(locked, boxes.one_mini[b1], all[line][b1]);
        simd.or_and(locked, boxes.one_mini[b2], all[line][b2])
    }
}

/// Three houses side by side: the lines or the boxes of a pass.
#[derive(Clone, Copy)]
struct HouseTriple<V> {
    /// Digits with one place in some mini.
    one_place_in_mini: [V; 3],
    /// Naked singles.
    single: [V; 3],
    /// Digits in exactly one mini.
    one_mini: [V; 3],
    /// Digits with one place, i.e. hidden singles.
    hidden: [V; 3],
}

impl<V: Copy> HouseTriple<V> {
    /// Adds a mini to house `i`.
    #[inline(always)]
    fn add<S: Simd<V = V>>(&mut self, simd: S, i: usize, one: V, single: V, totals: &mut PassTotals<V>) {
        self.one_place_in_mini[i] = simd.or(self.one_place_in_mini[i], one);
        totals.wrong = simd.or_and(totals.wrong, self.single[i], single);
        self.single[i] = simd.or(self.single[i], single);
    }

    /// Draws conclusions from the three minis of house `i`.
    #[inline(always)]
    fn close<S: Simd<V = V>>(&mut self, simd: S, i: usize, a: V, b: V, c: V, totals: &mut PassTotals<V>) {
        self.one_mini[i] = simd.exactly_one(a, b, c);
        self.hidden[i] = simd.and(self.one_mini[i], self.one_place_in_mini[i]);
        totals.wrong = simd.or(totals.wrong, simd.and_not(simd.splat(ALL), simd.or3(a, b, c)));
    }
}

/// How many cells may be open in a grid for the first cell with two candidates to be good enough, if no guess
/// on the way to it has been undone. Each guess on the way allows [`MORE_OPEN`] more.
const FEW_OPEN: usize = 24;
const MORE_OPEN: usize = 4;

/// The first cell with two candidates, if few cells are open.
#[inline(always)]
fn first_pair_of_few<S: Simd>(simd: S, masks: &Masks, guesses: usize) -> Option<usize> {
    let [pairs, others] = simd.pairs_and_others(masks);
    let few = (pairs | others).count_ones() as usize <= FEW_OPEN + MORE_OPEN * guesses;
    (few && pairs != 0).then_some(pairs.trailing_zeros() as usize)
}

/// Chooses the cell to guess in, for a stuck grid of any shape, from the candidates of its cells.
pub(super) fn fewest(masks: &[u16]) -> usize {
    let two = masks.iter().position(|mask| mask.count_ones() == 2);
    two.unwrap_or_else(|| fewest_above_two(masks))
}

#[cold]
fn fewest_above_two(masks: &[u16]) -> usize {
    let open = (0..masks.len()).filter(|&cell| masks[cell].count_ones() > 1);
    open.min_by_key(|&cell| masks[cell].count_ones()).expect("a stuck grid has an open cell")
}
