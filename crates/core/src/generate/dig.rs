//! Digging: taking clues out of a puzzle, unit by unit in a given order, as long as it keeps its one
//! solution.
//!
//! The result is the same as that of the plain loop:
//!
//! ```text
//! for each unit of the order: take its clues out; if there is another solution now, put them back
//! ```
//!
//! but `Dig` asks fewer questions, for three reasons:
//!
//! 1. While there are many clues, nearly every one can be removed. So one question is about a whole *window*
//!    of units: if the puzzle without all of them has one solution, it has one at every step on the way
//!    there.
//! 2. If there is another solution, it differs from the known one in some cells, and at least one of these
//!    must keep its clue (they are an unavoidable set). Those in the window make a *clause*: if all its other
//!    units have been removed, the last one stays, and needs no question. So the next question leaves out
//!    such units.
//! 3. The smallest unavoidable sets of classic grids are known beforehand ([`Swaps`]), and serve as clauses
//!    too.
//!
//! One pass is enough: if a clue can't be removed now, it can't be removed later either, because there are
//! only fewer clues then. If units are single clues, the result is therefore a minimal puzzle.
//!
//! The third reason in detail: without any search, a dig can find clues that must stay. Two digits of a full grid can
//! often be swapped in some of the rows only. Such a set of rows is closed: following columns and boxes from one digit
//! to the other never leads out of it. In the same way, two rows of a band can be swapped in some of their columns, and
//! two columns of a stack in some of their rows. The swap gives another grid, so a puzzle without a clue in the swapped
//! cells has more than one solution. Hence the last clue there must stay.
//!
//! In this file digits, rows and columns are all *lines* of nine *places*: a digit has a cell in each row, a
//! row has one in each column, and a column has one in each row. Two lines divide the places into classes
//! that can be swapped independently.

use crate::grid::{CELLS, Cell, DigitSet, Shape, Symmetry, bits_of};

/// The largest number of units in a window. It is the number of bits of a word, because a clause is a set of
/// units.
const MAX_WINDOW: usize = 64;

/// Roughly how many clues a minimal puzzle keeps, in 64ths of its cells. As the number of clues approaches it, windows
/// shrink to single units, because larger ones would mostly fail.
const KEPT: usize = 19;

/// A puzzle from which clues are being taken out.
#[derive(Clone, Debug)]
pub(super) struct Dig {
    /// The puzzle. While a question is open, the clues that it is about have been taken out.
    pub(super) clues: Vec<u8>,
    /// The only solution.
    pub(super) solution: Vec<u8>,
    /// The order in which units are tried. Each unit has a clue in all its cells.
    order: Vec<u16>,
    /// The first unit of the order that is not decided yet.
    next: usize,
    pub(super) window: Window,
    swaps: Option<Box<Swaps>>,
    /// The number of clues that are left. Those of an open question still count.
    pub(super) count: usize,
    /// The number of clues at which the dig ends.
    least: usize,
    /// The guesses that are left for all its questions together.
    pub(super) guesses: u64,
    /// Whether a clue stayed only because a question could not be answered.
    pub(super) is_doubtful: bool,
}

/// A run of units of the order, and what is known about them. Sets of units are masks of bits, counted from
/// its start.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    start: usize,
    end: usize,
    /// The units that have been removed.
    removed: u64,
    /// The units of the open question. Between questions, these are the units with which the next one begins.
    asked: u64,
    /// The end of the units that the answer to the open question decides.
    asked_end: usize,
    /// The largest number of units of the next question.
    most: u32,
    /// The digits that are left to try. It is set if the open question is about one cell and has been
    /// answered only in part.
    pub(super) untried: Option<DigitSet>,
    /// Sets of units, of which at least one must stay.
    clauses: Vec<u64>,
}

/// The answer to the question of a dig.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Uniqueness<'a> {
    /// The puzzle has only the known solution.
    Proper,
    /// The puzzle also has this solution.
    Other(&'a [u8]),
    /// The puzzle is not acceptable: it is not proper, or singles do not solve it, if they have to.
    Unacceptable,
    /// The answer could not be found within the bounds.
    Unknown,
}

impl Dig {
    /// Starts a dig in a puzzle with that solution, down to `least` clues or as far as possible. Units that
    /// don't have a clue in every cell are dropped from the order.
    pub(super) fn new(
        clues: Vec<u8>,
        solution: Vec<u8>,
        mut order: Vec<u16>,
        units: &Units,
        least: usize,
    ) -> Dig {
        let count = clues.iter().filter(|&&clue| clue != 0).count();
        if count < clues.len() {
            order.retain(|&unit| units.cells(unit).iter().all(|&cell| clues[usize::from(cell)] != 0));
        }
        let window = Window::default();
        let guesses = u64::MAX;
        Dig {
            clues,
            solution,
            order,
            next: 0,
            window,
            swaps: None,
            count,
            least,
            guesses,
            is_doubtful: false,
        }
    }

    /// Starts another dig where this one ended, in the order of the first one.
    pub(super) fn again(self, first: &Dig, units: &Units) -> Dig {
        Dig::new(self.clues, self.solution, first.order.clone(), units, first.least)
    }

    /// Limits the guesses for all questions of the dig together.
    pub(super) fn with_guesses(self, guesses: u64) -> Dig {
        Dig { guesses, ..self }
    }

    /// Adds the small unavoidable sets of the solution, which must be a classic grid.
    pub(super) fn with_swaps(mut self) -> Dig {
        let grid = self.solution.as_slice().try_into().expect("a classic grid has 81 cells");
        let mut swaps = Swaps::new(grid);
        for (cell, &digit) in grid.iter().enumerate().filter(|&(cell, _)| self.clues[cell] == 0) {
            swaps.take(cell, digit);
        }
        self.swaps = Some(Box::new(swaps));
        self
    }

    /// Checks whether the dig has reached its number of clues.
    pub(super) fn is_at_goal(&self) -> bool {
        self.count == self.least
    }

    /// The first cell of the order, if its clue was removed. Units must be single cells.
    pub(super) fn first_cell_if_removed(&self) -> Option<Cell> {
        let cell = usize::from(*self.order.first()?);
        (self.clues[cell] == 0).then_some(Cell::new(cell))
    }

    /// Takes out the next clues, which opens the question whether the puzzle is still proper. Returns false
    /// if no question is left.
    pub(super) fn ask(&mut self, units: &Units) -> bool {
        if self.window.untried.is_some() {
            return true;
        }
        loop {
            if self.next == self.window.end && !self.open_window(units) {
                self.swaps = None;
                return false;
            }
            let mut end = self.window.asked_end;
            while end < self.window.end && self.window.asked.count_ones() < self.window.most {
                let unit = 1 << (end - self.window.start);
                if !self.window.needs(unit) && self.take(units.cells(self.order[end])) {
                    self.window.asked |= unit;
                }
                end += 1;
            }
            self.window.asked_end = end;
            if self.window.asked != 0 {
                return true;
            }
            self.next = end;
        }
    }

    /// The cell of the open question, if it is about only one.
    pub(super) fn asked_cell(&self, units: &Units) -> Option<usize> {
        let Window { start, asked, .. } = self.window;
        match units.cells(self.order[start + asked.trailing_zeros() as usize]) {
            &[cell] if asked.is_power_of_two() => Some(cell.into()),
            _ => None,
        }
    }

    /// Receives the answer to the open question. Units that the answer does not affect remain taken out for
    /// the next question.
    pub(super) fn learn(&mut self, uniqueness: Uniqueness<'_>, units: &Units) {
        let asked = self.window.asked;
        (self.window.most, self.window.untried) = (MAX_WINDOW as u32, None);
        match uniqueness {
            Uniqueness::Proper => {
                self.count -= bits_of(asked).map(|place| self.unit(place, units).len()).sum::<usize>();
                self.window.removed |= asked;
                self.window.asked = 0;
                self.next = self.window.asked_end;
            }
            Uniqueness::Other(other) => {
                let clause = self.differing(other, units);
                self.window.clauses.push(clause);
                self.put_back_from(clause.max(1).ilog2() as usize, units);
            }
            Uniqueness::Unacceptable | Uniqueness::Unknown => {
                let half = asked.count_ones().div_ceil(2);
                let last = bits_of(asked).nth(half as usize).unwrap_or(asked.trailing_zeros() as usize);
                self.window.clauses.push(asked);
                self.window.most = half;
                self.is_doubtful |= uniqueness == Uniqueness::Unknown && asked.is_power_of_two();
                self.put_back_from(last, units);
            }
        }
    }

    /// The cells of the unit at a place of the window.
    fn unit<'a>(&self, place: usize, units: &'a Units) -> &'a [u16] {
        units.cells(self.order[self.window.start + place])
    }

    /// The units of the open question in which another solution differs.
    fn differing(&self, other: &[u8], units: &Units) -> u64 {
        let differs = |&cell: &u16| other[usize::from(cell)] != self.solution[usize::from(cell)];
        let differing =
            bits_of(self.window.asked).filter(|&place| self.unit(place, units).iter().any(differs));
        differing.fold(0, |clause, place| clause | 1 << place)
    }

    /// Puts back the units of the question from a place of the window on. The next question continues there.
    fn put_back_from(&mut self, first: usize, units: &Units) {
        let kept = self.window.asked & ((1 << first) - 1);
        for place in bits_of(self.window.asked & !kept) {
            self.put_back(self.unit(place, units));
        }
        self.window.asked = kept;
        self.window.asked_end = self.window.start + first;
    }

    /// Takes out the clues of a unit. Returns false, and takes out nothing, if one of them is then known to
    /// be needed.
    fn take(&mut self, cells: &[u16]) -> bool {
        for (taken, &cell) in cells.iter().enumerate() {
            let digit = self.solution[usize::from(cell)];
            if let Some(swaps) = &mut self.swaps {
                if swaps.needs(cell.into(), digit) {
                    self.put_back(&cells[..taken]);
                    return false;
                }
                swaps.take(cell.into(), digit);
            }
            self.clues[usize::from(cell)] = 0;
        }
        true
    }

    fn put_back(&mut self, cells: &[u16]) {
        for cell in cells.iter().map(|&cell| usize::from(cell)) {
            self.clues[cell] = self.solution[cell];
            if let Some(swaps) = &mut self.swaps {
                swaps.put_back(cell, self.solution[cell]);
            }
        }
    }

    /// Opens a window that does not lead below the least number of clues. Returns false if there is none.
    fn open_window(&mut self, units: &Units) -> bool {
        let spare = self.count - self.least;
        let wanted = self.count.saturating_sub(KEPT * self.clues.len() / 64) / 2;
        // A unit with more clues than may still be removed stays.
        let fits = |unit: &u16| units.cells(*unit).len() <= spare;
        let Some(skipped) = self.order[self.next..].iter().position(fits) else { return false };
        self.next += skipped;
        let mut size = 0;
        let taken = self.order[self.next..].iter().take(MAX_WINDOW).take_while(|&&unit| {
            let first = size == 0;
            size += units.cells(unit).len();
            first || size <= spare.min(wanted)
        });
        self.window.open(self.next, taken.count());
        true
    }
}

impl Window {
    fn open(&mut self, start: usize, len: usize) {
        self.clauses.clear();
        let clauses = std::mem::take(&mut self.clauses);
        *self = Window {
            start,
            end: start + len,
            asked_end: start,
            most: MAX_WINDOW as u32,
            clauses,
            ..Window::default()
        };
    }

    /// Checks whether a unit must stay if all units that have been removed or are in question are missing.
    fn needs(&self, unit: u64) -> bool {
        let removed = self.removed | self.asked | unit;
        self.clauses.iter().any(|clause| clause & !removed == 0)
    }
}

/// The cells of a shape in units. The clues of a unit are removed together, or stay together, e.g. r1c1 and
/// r9c9 to keep a rotation by half a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Units {
    cells: Vec<u16>,
    /// The start of each unit in `cells`, followed by the end of the last one.
    starts: Vec<u16>,
}

impl Units {
    /// Units that keep a symmetry, or single cells for `None`.
    pub(super) fn symmetric(shape: Shape, symmetry: Option<Symmetry>) -> Units {
        let image = |cell: usize| symmetry.map_or(cell, |it| it.image(Cell::new(cell), shape).index());
        Units::orbits(shape, image)
    }

    /// Units of cells that are images of each other.
    pub(super) fn orbits(shape: Shape, image: impl Fn(usize) -> usize) -> Units {
        let mut seen = vec![false; shape.cells()];
        let mut units = Units { cells: Vec::new(), starts: vec![0] };
        for first in 0..shape.cells() {
            let mut cell = first;
            while !seen[cell] {
                seen[cell] = true;
                units.cells.push(cell as u16);
                cell = image(cell);
            }
            units.close();
        }
        units
    }

    /// A single unit: the cells without a clue in a pattern.
    pub(super) fn blanks(pattern: &[bool]) -> Units {
        let blanks = (0..pattern.len()).filter(|&cell| !pattern[cell]);
        let mut units = Units { cells: blanks.map(|cell| cell as u16).collect(), starts: vec![0] };
        units.close();
        units
    }

    fn close(&mut self) {
        let end = self.cells.len() as u16;
        if self.starts.last() != Some(&end) {
            self.starts.push(end);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Checks whether all units are single cells.
    pub(super) fn are_single_cells(&self) -> bool {
        self.len() == self.cells.len()
    }

    /// The cells of a unit.
    pub(super) fn cells(&self, unit: u16) -> &[u16] {
        let unit = usize::from(unit);
        &self.cells[self.starts[unit].into()..self.starts[unit + 1].into()]
    }
}

/// A set of places of a line.
type PlaceSet = u16;

/// All nine places.
const ALL: PlaceSet = 0x1ff;

/// A value for each of the eight digits that differ from one digit; eight values fill a vector. Entry `i` is for
/// digit `i` (0 to 7), but the entry of the digit itself holds the value of digit 8.
type Others = [PlaceSet; 8];

/// Selects the values of the other eight digits.
#[inline(always)]
fn others(values: &[PlaceSet; 9], but: usize) -> Others {
    std::array::from_fn(|digit| if digit == but { values[8] } else { values[digit] })
}

/// For each pair of lines of a full classic grid that can be swapped, the classes of places; and for each
/// line, the places that still have a clue.
#[derive(Clone, Debug)]
struct Swaps {
    /// For each digit and place, the class with each other digit.
    digits: [[Others; 9]; 9],
    /// For each row and place, the class with each of the next two rows of its band. After the nine rows come
    /// the nine columns in the same way.
    neighbours: [[[PlaceSet; 2]; 9]; 18],
    /// For each digit, the places with a clue.
    digit_clues: [PlaceSet; 9],
    /// For each row, then for each column, the places with a clue.
    line_clues: [PlaceSet; 18],
}

impl Swaps {
    /// Finds the classes of a full grid. All cells have clues at first.
    fn new(grid: &[u8; CELLS]) -> Swaps {
        let positions = Positions::new(grid);
        let mut neighbours = [[[0; 2]; 9]; 18];
        for line in 0..18 {
            let [next, _] = after(line);
            for (place, class) in positions.line_classes(grid, line, next).into_iter().enumerate() {
                neighbours[line][place][0] = class;
                neighbours[next][place][1] = class;
            }
        }
        Swaps {
            digits: std::array::from_fn(|digit| positions.digit_classes(digit)),
            neighbours,
            digit_clues: [ALL; 9],
            line_clues: [ALL; 18],
        }
    }

    /// Checks whether the clue in a cell is the last one in any of its classes.
    fn needs(&self, cell: usize, digit: u8) -> bool {
        let digit = usize::from(digit - 1) % 9;
        let [row, column] = [cell / 9 % 9, cell % 9];
        let rest = self.digit_clues[digit] & !(1 << row);
        let others = others(&self.digit_clues, digit);
        // There is no early exit, so that the compiler can turn the loop into vector code.
        let mut missed = 0;
        for (class, clues) in self.digits[digit][row].into_iter().zip(others) {
            missed |= u16::from(class & (rest | clues) == 0);
        }
        for (line, place) in [(row, column), (9 + column, row)] {
            let rest = self.line_clues[line] & !(1 << place);
            for (class, other) in self.neighbours[line][place].iter().zip(after(line)) {
                missed |= u16::from(class & (rest | self.line_clues[other]) == 0);
            }
        }
        missed != 0
    }

    /// Removes a clue.
    fn take(&mut self, cell: usize, digit: u8) {
        let [row, column] = [cell / 9 % 9, cell % 9];
        self.change_digit(digit, |clues, here| clues & !(here & 1 << row));
        self.line_clues[row] &= !(1 << column);
        self.line_clues[9 + column] &= !(1 << row);
    }

    /// Puts a clue back.
    fn put_back(&mut self, cell: usize, digit: u8) {
        let [row, column] = [cell / 9 % 9, cell % 9];
        self.change_digit(digit, |clues, here| clues | here & 1 << row);
        self.line_clues[row] |= 1 << column;
        self.line_clues[9 + column] |= 1 << row;
    }

    /// Changes the places of a digit; `here` is all ones for that digit and 0 for the others. All entries are
    /// written, the lowest eight as a vector, because a vector that is read back soon would have to wait for
    /// single writes.
    #[inline(always)]
    fn change_digit(&mut self, digit: u8, change: impl Fn(PlaceSet, PlaceSet) -> PlaceSet) {
        let digit = u16::from(digit - 1);
        for (place, clues) in (0..).zip(&mut self.digit_clues) {
            *clues = change(*clues, u16::from(place == digit).wrapping_neg());
        }
    }
}

/// The next two rows of a row's band, cyclically, e.g. rows 2 and 0 for row 1; or the next two columns of a
/// column's stack. Columns count from 9.
fn after(line: usize) -> [usize; 2] {
    let first = line / 3 * 3;
    [first + (line + 1) % 3, first + (line + 2) % 3]
}

/// The places of each digit.
struct Positions {
    /// By column and digit: the row, as a set.
    in_column: [[PlaceSet; 9]; 9],
    /// By box and digit: the row, as a set.
    in_box: [[PlaceSet; 9]; 9],
    /// By row and digit: the column.
    columns: [[u8; 9]; 9],
}

impl Positions {
    fn new(grid: &[u8; CELLS]) -> Positions {
        let mut positions = Positions { in_column: [[0; 9]; 9], in_box: [[0; 9]; 9], columns: [[0; 9]; 9] };
        for row in 0..9 {
            for column in 0..9 {
                let digit = usize::from(grid[9 * row + column] - 1) % 9;
                positions.columns[row][digit] = column as u8;
                positions.in_column[column][digit] = 1 << row;
                positions.in_box[row / 3 * 3 + column / 3][digit] = 1 << row;
            }
        }
        positions
    }

    /// For each row and each other digit, the rows that can be reached by following columns and boxes.
    fn digit_classes(&self, digit: usize) -> [Others; 9] {
        let mut reached = [[0; 8]; 9];
        for row in 0..9 {
            let column = usize::from(self.columns[row][digit]) % 9;
            let in_column = others(&self.in_column[column], digit);
            let in_box = others(&self.in_box[row / 3 * 3 + column / 3], digit);
            for other in 0..8 {
                reached[row][other] = 1 << row | in_column[other] | in_box[other];
            }
        }
        // This computes the transitive closure by Warshall's algorithm, for eight digits at once. `over` is
        // the next row that paths may pass through.
        for over in 0..9 {
            let from_there = reached[over];
            for row in 0..9 {
                for other in 0..8 {
                    let leads_there = (reached[row][other] >> over & 1).wrapping_neg();
                    reached[row][other] |= from_there[other] & leads_there;
                }
            }
        }
        reached
    }

    /// The classes of places of two neighbouring lines: the cycles that result from going from a digit of one
    /// line to the same digit of the other.
    fn line_classes(&self, grid: &[u8; CELLS], line: usize, other: usize) -> [PlaceSet; 9] {
        let next: [usize; 9] = std::array::from_fn(|place| {
            let cell = if line < 9 { 9 * line + place } else { 9 * place + line - 9 };
            let digit = usize::from(grid[cell] - 1) % 9;
            if line < 9 {
                self.columns[other][digit].into()
            } else {
                self.in_column[other - 9][digit].trailing_zeros() as usize
            }
        });
        let mut classes = [0; 9];
        let mut left = ALL;
        while left != 0 {
            let (mut class, mut place) = (0, left.trailing_zeros() as usize);
            while class >> place & 1 == 0 {
                class |= 1 << place;
                place = next[place] % 9;
            }
            left &= !class;
            for place in 0..9 {
                classes[place] |= class & (class >> place & 1).wrapping_neg();
            }
        }
        classes
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::generate::digger::{BitmaskProver, LockstepProver, UniquenessProver, dig_all_until};
    use crate::generate::{FullGrids, GridMethod};
    use crate::grid::Grid;
    use crate::simd::Backend;
    use crate::solver::{AnyBitmask, Bounds, SolutionEngine};
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use rand::seq::SliceRandom;

    /// Digs by the plain loop, whose result all digs must reach.
    fn plainly(shape: Shape, full: &[u8], order: &[u16], units: &Units, least: usize) -> Vec<u8> {
        let mut clues = full.to_vec();
        for cells in order.iter().map(|&unit| units.cells(unit)) {
            let before = clues.clone();
            cells.iter().for_each(|&cell| clues[usize::from(cell)] = 0);
            let grid = Grid::new(shape, clues.clone()).unwrap();
            let is_proper = AnyBitmask::new().count(&grid, &Bounds::solutions(2)).solutions == 1;
            if !is_proper || grid.clue_count() < least {
                clues = before;
            }
        }
        clues
    }

    fn check(
        shape: Shape,
        symmetry: Option<Symmetry>,
        least: usize,
        mut prover: impl UniquenessProver,
        knows_swaps: bool,
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let mut grids = FullGrids::new(shape, GridMethod::Backtracking, Backend::best());
        let units = Units::symmetric(shape, symmetry);
        let (mut digs, mut expected) = (Vec::new(), Vec::new());
        for _ in 0..30 {
            let full = grids.make(&mut rng);
            let mut order: Vec<u16> = (0..units.len() as u16).collect();
            order.shuffle(&mut rng);
            expected.push(plainly(shape, &full, &order, &units, least));
            let dig = Dig::new(full.clone(), full, order, &units, least);
            digs.push(if knows_swaps { dig.with_swaps() } else { dig });
        }
        let mut digs = Some(digs);
        for (dig, expected) in
            dig_all_until(|| digs.take().unwrap_or_default(), &units, &mut prover, &AtomicBool::new(false))
                .unwrap()
                .iter()
                .zip(expected)
        {
            assert_eq!(dig.clues, expected, "{symmetry:?}");
            assert_eq!(dig.count, expected.iter().filter(|&&clue| clue != 0).count());
        }
    }

    #[test]
    fn digging_agrees_with_the_plain_loop() {
        let three = [Symmetry::Rotate180, Symmetry::Rotate90, Symmetry::Mirror];
        for symmetry in [None].into_iter().chain(three.map(Some)) {
            for (least, knows_swaps) in [(0, true), (0, false), (28, true)] {
                check(Shape::CLASSIC, symmetry, least, LockstepProver::new(Backend::Portable), knows_swaps);
            }
        }
        for shape in [(2, 2), (2, 3), (3, 2)].map(|(high, wide)| Shape::new(high, wide).unwrap()) {
            check(shape, None, 0, BitmaskProver::proper(shape, u64::MAX), false);
            check(shape, Some(Symmetry::Diagonal), 9, BitmaskProver::proper(shape, u64::MAX), false);
        }
    }

    #[test]
    fn units_share_out_the_cells() {
        for (symmetry, sizes) in [
            (None, [81, 0, 0, 0]),
            (Some(Symmetry::Rotate180), [1, 40, 0, 0]),
            (Some(Symmetry::Rotate90), [1, 0, 0, 20]),
            (Some(Symmetry::Mirror), [9, 36, 0, 0]),
            (Some(Symmetry::Diagonal), [9, 36, 0, 0]),
        ] {
            let units = Units::symmetric(Shape::CLASSIC, symmetry);
            let mut counted = [0; 4];
            (0..units.len()).for_each(|unit| counted[units.cells(unit as u16).len() - 1] += 1);
            assert_eq!(counted, sizes, "{symmetry:?}");
            let mut cells = units.cells.clone();
            cells.sort_unstable();
            assert!(cells.into_iter().eq(0..81), "{symmetry:?}");
        }
    }

    #[test]
    fn the_blanks_of_a_pattern_are_one_unit() {
        let pattern: Vec<bool> = (0..16).map(|cell| cell % 3 == 0).collect();
        let units = Units::blanks(&pattern);
        assert_eq!((units.len(), units.cells(0).len(), units.are_single_cells()), (1, 10, false));
        assert_eq!(Units::blanks(&[true; 16]).len(), 0);
    }
}

#[cfg(test)]
mod swaps_tests {
    use super::*;
    use crate::generate::{FullGrids, GridMethod};
    use crate::grid::{Puzzle, Shape};
    use crate::simd::Backend;
    use crate::solver::{Bitmask, SolutionLimit, Solver};
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use rand::seq::SliceRandom;

    /// Checks that there is another solution without a clue that is needed, and that nearly half of those
    /// clues are found.
    #[test]
    fn a_needed_clue_is_needed() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let (mut needed, mut overlooked) = (0, 0);
        for _ in 0..30 {
            let grid =
                FullGrids::new(Shape::CLASSIC, GridMethod::Backtracking, Backend::best()).make(&mut rng);
            let mut clues: [u8; CELLS] = grid.clone().try_into().unwrap();
            let mut swaps = Swaps::new(&clues);
            let mut order: Vec<usize> = (0..CELLS).collect();
            order.shuffle(&mut rng);
            for cell in order {
                let digit = std::mem::take(&mut clues[cell]);
                let puzzle = Puzzle::from_cells(clues).unwrap();
                let is_proper = Bitmask::new().solve(&puzzle, SolutionLimit::UNIQUENESS).solutions == 1;
                let needs = swaps.needs(cell, digit);
                assert!(!(needs && is_proper), "{puzzle} {cell}");
                swaps.take(cell, digit);
                if !is_proper {
                    (needed, overlooked) = (needed + u32::from(needs), overlooked + u32::from(!needs));
                    clues[cell] = digit;
                    swaps.put_back(cell, digit);
                }
            }
        }
        assert!(5 * needed > 3 * overlooked, "{needed} {overlooked}");
    }
}
