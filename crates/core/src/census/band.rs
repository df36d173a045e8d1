//! The columns of a band: which digits they hold, and in how many orders.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::grid::Shape;

/// The largest side within reach.
pub(super) const MOST_DIGITS: usize = 10;

/// The bits of [`ColumnSets`] for each address.
const BITS: u32 = 4;

/// The shape of a band: as many stacks as rows, each of so many columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct BandShape {
    /// The rows of the band.
    pub(super) rows: usize,
    /// The columns of each of its boxes.
    pub(super) columns: usize,
}

/// The sets of digits in the columns of a band, whatever the digits are called.
///
/// A digit stands once in each box. The columns in which it stands there, stack by stack, are its *address*, a
/// number in the base of a box's columns. The value says how many digits have each address, in four bits for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct ColumnSets(u128);

impl ColumnSets {
    /// Returns how many digits have an address.
    pub(super) fn digits_at(self, address: usize) -> usize {
        (self.0 >> (BITS * address as u32)) as usize & ((1 << BITS) - 1)
    }

    /// Returns the sets with one digit more at an address.
    #[inline]
    pub(super) fn with(self, address: usize) -> ColumnSets {
        ColumnSets(self.0 + (1 << (BITS * address as u32)))
    }

    /// Returns the sets of digits with these addresses.
    pub(super) fn of(addresses: &[u8]) -> ColumnSets {
        addresses.iter().fold(ColumnSets::default(), |sets, &address| sets.with(address.into()))
    }
}

impl BandShape {
    /// Returns the shape of the bands of a shape, or of that shape turned, whichever has fewer bands; `None` if
    /// their classes are out of reach.
    pub(super) fn within_reach(shape: Shape) -> Option<BandShape> {
        let (rows, columns) = (shape.box_rows(), shape.box_columns());
        let band = BandShape { rows: rows.max(columns), columns: rows.min(columns) };
        (shape.side() <= MOST_DIGITS).then_some(band)
    }

    /// Returns how many digits there are.
    pub(super) fn digits(self) -> usize {
        self.rows * self.columns
    }

    /// Returns how many addresses a digit may have.
    pub(super) fn addresses(self) -> usize {
        self.columns.pow(self.rows as u32)
    }

    /// Returns the columns of an address, stack by stack.
    pub(super) fn columns_of(self, address: usize) -> impl Iterator<Item = usize> {
        (0..self.rows).scan(address, move |rest, _| {
            let column = *rest % self.columns;
            *rest /= self.columns;
            Some(column)
        })
    }

    /// Returns the address of each digit, in ascending order.
    pub(super) fn addresses_of(self, sets: ColumnSets) -> Vec<usize> {
        let at = |address| std::iter::repeat_n(address, sets.digits_at(address));
        (0..self.addresses()).flat_map(at).collect()
    }

    /// Returns in how many ways the digits of the columns can be ordered so that no row holds a digit twice;
    /// `None` if the count was stopped.
    ///
    /// The first column has its digits in any order. For one order, row i is one of those that begin with digit i of
    /// that column. Rows that share no digit of a column leave exactly one row, so the last row is not chosen.
    pub(super) fn fillings(self, sets: ColumnSets, stop: &AtomicBool) -> Option<u128> {
        let mut columns = vec![0; self.digits()];
        for (digit, address) in self.addresses_of(sets).into_iter().enumerate() {
            for (stack, column) in self.columns_of(address).enumerate() {
                columns[stack * self.columns + column] |= 1 << digit;
            }
        }
        let firsts = (0..self.digits()).filter(|digit| columns[0] & (1 << digit) != 0);
        let beginning_with = |digit: usize| {
            let first: u16 = 1 << digit;
            let mut rows = Vec::new();
            extend_row(&columns, 1, first, first.into(), &mut rows);
            rows
        };
        let rows: Vec<Vec<Row>> = firsts.take(self.rows - 1).map(beginning_with).collect();
        let orders: u128 = (1..=self.rows as u128).product();
        Some(orders * u128::from(disjoint(&rows, stop)?))
    }
}

/// A row of a band: a bit for the digit of each column, behind those of the columns before it.
type Row = u128;

/// Appends all rows that go on like this from a column on; `used` has the digits of the row so far.
fn extend_row(columns: &[u16], column: usize, used: u16, row: Row, rows: &mut Vec<Row>) {
    let Some(&digits) = columns.get(column) else {
        rows.push(row);
        return;
    };
    let mut choices = digits & !used;
    while choices != 0 {
        let digit = choices & choices.wrapping_neg();
        choices ^= digit;
        let more = Row::from(digit) << (column * columns.len());
        extend_row(columns, column + 1, used | digit, row | more, rows);
    }
}

/// Returns in how many ways one row of each group can be chosen so that no two share the digit of a column; `None`
/// if the count was stopped.
fn disjoint(groups: &[Vec<Row>], stop: &AtomicBool) -> Option<u64> {
    let (chosen, rest) = match groups {
        [] => return Some(1),
        [last] => return Some(last.len() as u64),
        [chosen, last] => {
            let beside = |row: &Row| last.iter().filter(|&other| row & other == 0).count() as u64;
            return Some(chosen.iter().map(beside).sum());
        }
        [chosen, rest @ ..] => (chosen, rest),
    };
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    let mut sum = 0;
    for row in chosen {
        let beside = |group: &Vec<Row>| group.iter().copied().filter(|other| row & other == 0).collect();
        let rest: Vec<Vec<Row>> = rest.iter().map(beside).collect();
        sum += disjoint(&rest, stop)?;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_digits_are_ordered_cycle_by_cycle() {
        // Two columns of the same digits, twice; then four columns that go round.
        let band = BandShape { rows: 2, columns: 2 };
        let fillings = |digits| band.fillings(ColumnSets::of(digits), &AtomicBool::new(false));
        assert_eq!(fillings(&[0, 0, 3, 3]), Some(4));
        assert_eq!(fillings(&[0, 1, 2, 3]), Some(2));
    }

    #[test]
    fn equal_columns_of_three_stacks_are_filled_as_latin_squares() {
        // Each stack has the same three columns, so each of the three sets is in three columns, in 12 orders.
        let band = BandShape { rows: 3, columns: 3 };
        let sets = ColumnSets::of(&[0, 0, 0, 13, 13, 13, 26, 26, 26]);
        assert_eq!(band.fillings(sets, &AtomicBool::new(false)), Some(12 * 12 * 12));
    }
}
