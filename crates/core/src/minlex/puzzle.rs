//! The minlex form of a puzzle with blanks, and the least form if a blank is greater than any digit. The
//! second one, with its digits renamed, is the maxlex form.
//!
//! The search goes row by row from the top. Every choice that leads to the least rows so far is an
//! [`Arrangement`]. An arrangement has settled its rows, and the columns in which these have clues. Columns
//! without a clue so far, and stacks without one, are free, which means that they may still change places.
//! They are to the left of the settled ones if a blank is less than a digit, else to the right.
//!
//! A row under an arrangement has one least form. In each stack, its cells in free columns are sorted: first
//! blanks, then named digits by their names, then new digits (or blanks last). Free stacks are sorted by the same rule. That
//! leaves open the order of new digits in the free columns of a stack, and the order of free stacks that have
//! equally many new digits and nothing else. Each such order becomes an arrangement for the next row. No
//! other choice has to be kept, and no two arrangements are equal.
//!
//! Rows without a clue are interchangeable if they are in one band, and so are bands without a clue, so only
//! the first of them is tried. That, and the columns that stay free, keep empty and sparse puzzles cheap.
//! Puzzles that have only full and empty rows have the most arrangements: 1296 for each full row that may
//! come first.

use std::ops::Range;

use super::{Canonical, Matrix, ORDERS, Transform, push, unpack};
use crate::grid::Shape;

/// The rank of a blank below all digits, for the minlex form.
pub(super) const LEAST: u8 = 0;
/// The rank of a blank above all digits, for the maxlex form.
pub(super) const GREATEST: u8 = 15;

/// The search with that rank of a blank, and its memory.
#[derive(Debug, Default)]
pub(super) struct PuzzleSearch<const BLANK: u8> {
    arrangements: Vec<Arrangement<BLANK>>,
    /// The arrangements with one more row.
    next: Vec<Arrangement<BLANK>>,
    /// Pairs of an arrangement and a row that is the least under it.
    least: Vec<(u32, u8)>,
}

impl<const BLANK: u8> PuzzleSearch<BLANK> {
    /// Finds the least form of a puzzle that obeys the rules.
    pub(super) fn least_form(&mut self, orientations: &[Matrix; 2]) -> Canonical {
        let blank = orientations.map(|lines| blank_rows(&lines));
        self.arrangements.clear();
        self.arrangements.extend([false, true].map(Arrangement::new));
        let mut rows = [0; 9];
        for (place, row) in rows.iter_mut().enumerate() {
            *row = self.add_row(orientations, blank, place);
        }
        let best = &self.arrangements[0];
        let rows_alike = alike(blank[usize::from(best.transposed)]);
        let columns_alike = alike(blank[usize::from(!best.transposed)]);
        Canonical {
            form: unpack(&rows, BLANK),
            transform: best.transform(),
            automorphisms: self.arrangements.len() as u32 * rows_alike * columns_alike,
        }
    }

    /// Replaces the arrangements by those with one more row, the least possible one, and returns that row.
    fn add_row(&mut self, orientations: &[Matrix; 2], blank: [u16; 2], place: usize) -> u64 {
        let mut best = u64::MAX;
        self.least.clear();
        for (number, arrangement) in self.arrangements.iter().enumerate() {
            let orientation = usize::from(arrangement.transposed);
            let mut rows = distinct(arrangement.open_rows(place), blank[orientation]);
            while rows != 0 {
                let row = rows.trailing_zeros() as usize;
                rows &= rows - 1;
                let packed = arrangement.pack(&arrangement.least_row(&orientations[orientation][row]));
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
            let line = &orientations[usize::from(arrangement.transposed)][usize::from(row)];
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
const NEW: u8 = 14;

/// The choices made for the rows so far.
#[derive(Clone, Copy, Debug)]
struct Arrangement<const BLANK: u8> {
    transposed: bool,
    /// For each stack, how many columns are free.
    free: [u8; 3],
    /// The name of each digit, or [`NEW`] if it has none. The blank, 0, has its rank.
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

impl<const BLANK: u8> Arrangement<BLANK> {
    fn new(transposed: bool) -> Self {
        let mut names = [NEW; 10];
        names[0] = BLANK;
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

    fn with_row(&self, place: usize, row: u8) -> Self {
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
            sort(&mut stack[Self::free_places(free)]);
        }
        let stacks = Self::free_places(self.free.iter().map(|&free| u8::from(free == 3)).sum());
        if stacks.len() > 1 {
            order_stacks(&mut cells, stacks.start);
        }
        if stacks.len() > 2 {
            order_stacks(&mut cells, 1);
            order_stacks(&mut cells, 0);
        }
        cells
    }

    /// The places of the free columns of a stack, or of the free stacks, which are as many as `free`.
    #[inline(always)]
    fn free_places(free: u8) -> Range<usize> {
        if BLANK == LEAST { 0..usize::from(free) } else { 3 - usize::from(free)..3 }
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
    fn settle(&self, line: &[u8; 9], laid: &LeastRow, arrangements: &mut Vec<Self>) {
        for order in ORDERS {
            // Free stacks with a clue may change places if they are equal.
            let is_allowed = |(to, from): (usize, usize)| {
                let keys = [to, from].map(|stack| names(&laid[3 * stack..3 * stack + 3]));
                let are_free = self.free[to] == 3 && self.free[from] == 3;
                to == from || (are_free && keys[0] == keys[1] && keys[0] != names(&[BLANK << 4; 3]))
            };
            if order.into_iter().enumerate().all(is_allowed) {
                let cells = std::array::from_fn(|place| laid[3 * order[place / 3] + place % 3]);
                self.settle_stacks(line, 0, cells, arrangements);
            }
        }
    }

    /// Adds the arrangements for all orders of columns in the stacks from `stack` on.
    fn settle_stacks(&self, line: &[u8; 9], stack: usize, cells: LeastRow, arrangements: &mut Vec<Self>) {
        if stack == 3 {
            arrangements.push(self.settled(line, &cells));
            return;
        }
        let (begin, free) = (3 * stack, Self::free_places(self.free[stack]));
        let is_open = |place: usize| free.contains(&place) && cells[begin + place] >> 4 == NEW;
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
    fn settled(&self, line: &[u8; 9], cells: &LeastRow) -> Self {
        let mut next = *self;
        for (place, cell) in cells.iter().enumerate() {
            next.columns[place] = cell & 15;
            if cell >> 4 == NEW {
                next.named += 1;
                next.names[usize::from(line[usize::from(cell & 15)])] = next.named;
            }
        }
        for (stack, free) in next.free.iter_mut().enumerate() {
            let were_free = &cells[3 * stack..][Self::free_places(*free)];
            *free = were_free.iter().filter(|&cell| cell >> 4 == BLANK).count() as u8;
        }
        next
    }

    fn transform(&self) -> Transform {
        let Arrangement { transposed, rows, columns, names: mut digits, .. } = *self;
        digits[0] = 0;
        let mut transform = Transform { shape: Shape::CLASSIC, transposed, rows, columns, digits };
        transform.name_others(NEW, self.named);
        transform
    }
}

/// Sorts the free cells of a stack by their names, then by their columns.
#[inline(always)]
fn sort(cells: &mut [u8]) {
    let free = cells.len();
    let mut order = |a: usize, b: usize| {
        let (less, more) = (cells[a].min(cells[b]), cells[a].max(cells[b]));
        (cells[a], cells[b]) = (less, more);
    };
    match free {
        2 => order(0, 1),
        3 => [(0, 1), (1, 2), (0, 1)].into_iter().for_each(|(a, b)| order(a, b)),
        _ => {}
    }
}

/// The names of three cells as a number, so that stacks can be compared.
#[inline(always)]
fn names(stack: &[u8]) -> u16 {
    stack.iter().fold(0, |names, cell| names << 4 | u16::from(cell >> 4))
}

/// Swaps a stack with the next one if its names are greater.
#[inline(always)]
fn order_stacks(cells: &mut LeastRow, stack: usize) {
    let begin = 3 * stack;
    if names(&cells[begin..begin + 3]) > names(&cells[begin + 3..begin + 6]) {
        for place in begin..begin + 3 {
            cells.swap(place, place + 3);
        }
    }
}
