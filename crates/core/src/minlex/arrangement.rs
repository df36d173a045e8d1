//! An arrangement: rows and columns chosen from the top, and the least form of a row under it (terms:
//! [`super::puzzle`]).

use super::{ORDERS, Transform, push};
use crate::grid::Shape;

/// The rank of a digit without a name: behind all names.
const NEW: u8 = 15;

/// The choices for the rows so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrangement {
    pub(super) transposed: bool,
    /// For each stack, how many columns are free: the first ones.
    free: [u8; 3],
    /// The name of each digit, [`NEW`] where it has none; 0 for 0.
    names: [u8; 10],
    named: u8,
    /// The columns from left to right.
    columns: [u8; 9],
    /// The rows from the top.
    rows: [u8; 9],
    /// The set of the chosen rows.
    used: u16,
}

/// A row in its least form under an arrangement: name and column of each cell, in the upper and the lower half
/// of a byte.
pub(super) type LeastRow = [u8; 9];

impl Arrangement {
    pub(super) fn new(transposed: bool) -> Arrangement {
        let mut names = [NEW; 10];
        names[0] = 0;
        let columns = [0, 1, 2, 3, 4, 5, 6, 7, 8];
        Arrangement { transposed, free: [3; 3], names, named: 0, columns, rows: [0; 9], used: 0 }
    }

    /// Returns the rows that may come next.
    #[inline]
    pub(super) fn open_rows(&self, place: usize) -> u16 {
        if !place.is_multiple_of(3) {
            return 7 << (self.rows[place - 1] / 3 * 3) & !self.used;
        }
        // The chosen rows are whole bands, and another one begins.
        0o777 & !self.used
    }

    pub(super) fn with_row(&self, place: usize, row: u8) -> Arrangement {
        let mut next = *self;
        next.rows[place] = row;
        next.used |= 1 << row;
        next
    }

    /// Returns the row in its least form.
    #[inline]
    pub(super) fn lay(&self, line: &[u8; 9]) -> LeastRow {
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

    /// Returns how many stacks are free: the first ones.
    fn free_stacks(&self) -> usize {
        self.free.iter().filter(|&&free| free == 3).count()
    }

    /// Returns a row as a number, with names for its new digits.
    #[inline]
    pub(super) fn pack(&self, laid: &LeastRow) -> u64 {
        let mut named = self.named;
        laid.iter().fold(0, |packed, cell| {
            let name = cell >> 4;
            let is_new = name == NEW;
            named += u8::from(is_new);
            push(packed, if is_new { named } else { name })
        })
    }

    /// Adds the arrangements for all orders that a new row leaves open.
    pub(super) fn settle(&self, line: &[u8; 9], laid: &LeastRow, arrangements: &mut Vec<Arrangement>) {
        let stacks = self.free_stacks();
        for order in ORDERS {
            // Free stacks with a clue may change places with equal ones.
            let may_stand = |(to, from): (usize, usize)| {
                let keys = [to, from].map(|stack| names(&laid[3 * stack..3 * stack + 3]));
                to == from || (to.max(from) < stacks && keys[0] == keys[1] && keys[0] > 0)
            };
            if order.into_iter().enumerate().all(may_stand) {
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
            let may_stand = |(to, from): (usize, usize)| to == from || (is_open(to) && is_open(from));
            if order.into_iter().enumerate().all(may_stand) {
                let mut other = cells;
                for (to, from) in order.into_iter().enumerate() {
                    other[begin + to] = cells[begin + from];
                }
                self.settle_stacks(line, stack + 1, other, arrangements);
            }
        }
    }

    /// Returns the arrangement with one more row, whose new digits are named from left to right.
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

    pub(super) fn transform(&self) -> Transform {
        let mut digits = self.names;
        let mut others = self.named + 1..=9;
        digits[1..].iter_mut().filter(|name| **name == NEW).for_each(|name| {
            *name = others.next().expect("there are as many names as digits");
        });
        let Arrangement { transposed, rows, columns, .. } = *self;
        Transform { shape: Shape::CLASSIC, transposed, rows, columns, digits }
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

/// Returns the names of three cells as a number.
#[inline(always)]
fn names(stack: &[u8]) -> u16 {
    stack.iter().fold(0, |names, cell| names << 4 | u16::from(cell >> 4))
}

fn swap_stacks(cells: &mut LeastRow, one: usize, other: usize) {
    for place in 0..3 {
        cells.swap(3 * one + place, 3 * other + place);
    }
}
