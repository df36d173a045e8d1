//! The minlex form of a puzzle with blanks.
//!
//! The search goes row by row from the top. Every choice that leads to the least rows so far is an
//! [`Arrangement`]. An arrangement has settled its rows, and the columns in which these have clues. Columns
//! without a clue so far, and stacks without one, are free, which means that they may still change places.
//! They are to the left of the settled ones, because a blank is less than a digit.
//!
//! A row under an arrangement has one least form. In each stack, its cells in free columns are sorted: first
//! blanks, then named digits by their names, then new digits. Free stacks are sorted by the same rule. That
//! leaves open the order of new digits in the free columns of a stack, and the order of free stacks that have
//! equally many new digits and nothing else. Each such order becomes an arrangement for the next row. No
//! other choice has to be kept, and no two arrangements are equal.
//!
//! Rows without a clue are interchangeable if they are in one band, and so are bands without a clue, so only
//! the first of them is tried. That, and the columns that stay free, keep empty and sparse puzzles cheap.
//! Puzzles that have only full and empty rows have the most arrangements: 1296 for each full row that may
//! come first.

use super::{Canonical, Matrix, ORDERS, Transform, push, unpack};
use crate::grid::Shape;

/// The search, with its memory.
#[derive(Debug, Default)]
pub(super) struct PuzzleSearch {
    arrangements: Vec<Arrangement>,
    /// The arrangements with one more row.
    next: Vec<Arrangement>,
    /// Pairs of an arrangement and a row that is the least under it.
    least: Vec<(u32, u8)>,
}

impl PuzzleSearch {
    /// Finds the minlex form of a puzzle that obeys the rules.
    pub(super) fn minlex(&mut self, sides: &[Matrix; 2]) -> Canonical {
        let blank = sides.map(|lines| blank_rows(&lines));
        self.arrangements.clear();
        self.arrangements.extend([false, true].map(Arrangement::new));
        let mut rows = [0; 9];
        for (place, row) in rows.iter_mut().enumerate() {
            *row = self.add_row(sides, blank, place);
        }
        let best = &self.arrangements[0];
        let rows_alike = alike(blank[usize::from(best.transposed)]);
        let columns_alike = alike(blank[usize::from(!best.transposed)]);
        Canonical {
            form: unpack(&rows),
            transform: best.transform(),
            automorphisms: self.arrangements.len() as u32 * rows_alike * columns_alike,
        }
    }

    /// Replaces the arrangements by those with one more row, the least possible one, and returns that row.
    fn add_row(&mut self, sides: &[Matrix; 2], blank: [u16; 2], place: usize) -> u64 {
        let mut best = u64::MAX;
        self.least.clear();
        for (number, arrangement) in self.arrangements.iter().enumerate() {
            let side = usize::from(arrangement.transposed);
            let mut rows = distinct(arrangement.open_rows(place), blank[side]);
            while rows != 0 {
                let row = rows.trailing_zeros() as usize;
                rows &= rows - 1;
                let packed = arrangement.pack(&arrangement.least_row(&sides[side][row]));
                if packed > best {
                    continue;
                }
                if packed < best {
                    best = packed;
                    self.least.clear();
                }
                self.least.push((number as u32, row as u8));
            }
        }
        self.next.clear();
        for &(number, row) in &self.least {
            let arrangement = &self.arrangements[number as usize];
            let line = &sides[usize::from(arrangement.transposed)][usize::from(row)];
            arrangement.with_row(place, row).settle(line, &arrangement.least_row(line), &mut self.next);
        }
        std::mem::swap(&mut self.arrangements, &mut self.next);
        best
    }
}

/// The set of rows without a clue.
fn blank_rows(lines: &Matrix) -> u16 {
    lines.iter().enumerate().map(|(row, line)| u16::from(line == &[0; 9]) << row).sum()
}

/// The open rows, but only one of several that are interchangeable.
#[inline]
fn distinct(open: u16, blank: u16) -> u16 {
    let (mut distinct, mut blank_band) = (open, false);
    for band in [0o7, 0o70, 0o700] {
        let alike = open & blank & band;
        distinct &= !(alike & alike.wrapping_sub(1));
        if alike == band {
            if blank_band {
                distinct &= !band;
            }
            blank_band = true;
        }
    }
    distinct
}

/// The number of orders of the rows without a clue.
fn alike(blank: u16) -> u32 {
    const FACTORIALS: [u32; 4] = [1, 1, 2, 6];
    let bands = [0o7, 0o70, 0o700].map(|band| (blank & band).count_ones() as usize);
    let blank_bands = bands.iter().filter(|&&rows| rows == 3).count();
    bands.iter().map(|&rows| FACTORIALS[rows]).product::<u32>() * FACTORIALS[blank_bands]
}

/// The rank of a digit without a name. It is above all names.
const NEW: u8 = 15;

/// The choices made for the rows so far.
#[derive(Clone, Copy, Debug)]
struct Arrangement {
    transposed: bool,
    /// For each stack, how many columns are free. They come first.
    free: [u8; 3],
    /// The name of each digit, or [`NEW`] if it has none. The blank, 0, stays 0.
    names: [u8; 10],
    named: u8,
    /// The columns from left to right.
    columns: [u8; 9],
    /// The rows from the top.
    rows: [u8; 9],
    /// The set of the chosen rows.
    used: u16,
}

/// A row in its least form under an arrangement. Each byte is a cell: the upper half is the name of its
/// digit, and the lower half is its column, e.g. 0x25 for the digit with the name 2 in column 5.
type LeastRow = [u8; 9];

impl Arrangement {
    fn new(transposed: bool) -> Arrangement {
        let mut names = [NEW; 10];
        names[0] = 0;
        let columns = [0, 1, 2, 3, 4, 5, 6, 7, 8];
        Arrangement { transposed, free: [3; 3], names, named: 0, columns, rows: [0; 9], used: 0 }
    }

    /// The rows that may come next.
    #[inline]
    fn open_rows(&self, place: usize) -> u16 {
        if !place.is_multiple_of(3) {
            return 7 << (self.rows[place - 1] / 3 * 3) & !self.used;
        }
        // The chosen rows are whole bands, so any row that is left may begin another one.
        0o777 & !self.used
    }

    fn with_row(&self, place: usize, row: u8) -> Arrangement {
        let mut next = *self;
        next.rows[place] = row;
        next.used |= 1 << row;
        next
    }

    /// Brings a row to its least form.
    #[inline]
    fn least_row(&self, line: &[u8; 9]) -> LeastRow {
        let mut cells = self.columns.map(|column| {
            let digit = line[usize::from(column)];
            self.names[usize::from(digit)] << 4 | column
        });
        for (stack, &free) in cells.chunks_exact_mut(3).zip(&self.free) {
            sort(stack, free);
        }
        let stacks = self.free_stacks();
        if stacks > 1 && names(&cells[..3]) > names(&cells[3..6]) {
            swap_stacks(&mut cells, 0, 1);
        }
        if stacks > 2 && names(&cells[3..6]) > names(&cells[6..]) {
            swap_stacks(&mut cells, 1, 2);
            if names(&cells[..3]) > names(&cells[3..6]) {
                swap_stacks(&mut cells, 0, 1);
            }
        }
        cells
    }

    /// How many stacks are free. They come first.
    fn free_stacks(&self) -> usize {
        self.free.iter().filter(|&&free| free == 3).count()
    }

    /// Packs a row as a number, with names for its new digits.
    #[inline]
    fn pack(&self, laid: &LeastRow) -> u64 {
        let mut named = self.named;
        laid.iter().fold(0, |packed, cell| {
            let name = cell >> 4;
            let is_new = name == NEW;
            named += u8::from(is_new);
            push(packed, if is_new { named } else { name })
        })
    }

    /// Adds the arrangements for all orders that a new row leaves open.
    fn settle(&self, line: &[u8; 9], laid: &LeastRow, arrangements: &mut Vec<Arrangement>) {
        let stacks = self.free_stacks();
        for order in ORDERS {
            // Free stacks with a clue may change places if they are equal.
            let is_allowed = |(to, from): (usize, usize)| {
                let keys = [to, from].map(|stack| names(&laid[3 * stack..3 * stack + 3]));
                to == from || (to.max(from) < stacks && keys[0] == keys[1] && keys[0] > 0)
            };
            if order.into_iter().enumerate().all(is_allowed) {
                let cells = std::array::from_fn(|place| laid[3 * order[place / 3] + place % 3]);
                self.settle_stacks(line, 0, cells, arrangements);
            }
        }
    }

    /// Adds the arrangements for all orders of columns in the stacks from `stack` on.
    fn settle_stacks(
        &self,
        line: &[u8; 9],
        stack: usize,
        cells: LeastRow,
        arrangements: &mut Vec<Arrangement>,
    ) {
        if stack == 3 {
            arrangements.push(self.settled(line, &cells));
            return;
        }
        let (begin, free) = (3 * stack, usize::from(self.free[stack]));
        let is_open = |place: usize| place < free && cells[begin + place] >> 4 == NEW;
        for order in ORDERS {
            let is_allowed = |(to, from): (usize, usize)| to == from || (is_open(to) && is_open(from));
            if order.into_iter().enumerate().all(is_allowed) {
                let mut other = cells;
                for (to, from) in order.into_iter().enumerate() {
                    other[begin + to] = cells[begin + from];
                }
                self.settle_stacks(line, stack + 1, other, arrangements);
            }
        }
    }

    /// The arrangement with one more row, whose new digits are named from left to right.
    fn settled(&self, line: &[u8; 9], cells: &LeastRow) -> Arrangement {
        let mut next = *self;
        for (place, cell) in cells.iter().enumerate() {
            next.columns[place] = cell & 15;
            if cell >> 4 == NEW {
                next.named += 1;
                next.names[usize::from(line[usize::from(cell & 15)])] = next.named;
            }
        }
        for (stack, free) in next.free.iter_mut().enumerate() {
            let were_free = &cells[3 * stack..][..usize::from(*free)];
            *free = were_free.iter().filter(|&cell| cell >> 4 == 0).count() as u8;
        }
        next
    }

    fn transform(&self) -> Transform {
        let Arrangement { transposed, rows, columns, names: digits, .. } = *self;
        let mut transform = Transform { shape: Shape::CLASSIC, transposed, rows, columns, digits };
        transform.name_others(NEW, self.named);
        transform
    }
}

/// Sorts the free cells of a stack by their names, then by their columns.
#[inline(always)]
fn sort(stack: &mut [u8], free: u8) {
    let mut order = |a: usize, b: usize| {
        let (less, more) = (stack[a].min(stack[b]), stack[a].max(stack[b]));
        (stack[a], stack[b]) = (less, more);
    };
    if free > 1 {
        order(0, 1);
    }
    if free > 2 {
        order(1, 2);
        order(0, 1);
    }
}

/// The names of three cells as a number, so that stacks can be compared.
#[inline(always)]
fn names(stack: &[u8]) -> u16 {
    stack.iter().fold(0, |names, cell| names << 4 | u16::from(cell >> 4))
}

fn swap_stacks(cells: &mut LeastRow, one: usize, other: usize) {
    for place in 0..3 {
        cells.swap(3 * one + place, 3 * other + place);
    }
}
