//! The minlex form of a puzzle of up to 8x8 cells.
//!
//! Every order of the columns is tried, up to 1,152 of them, and under each the rows from the top, those that
//! may come next. A row is compared with that of the least form so far, with its digits named as they appear;
//! where it is greater, nothing below it can be the least.

use super::{CanonicalCells, Transform};
use crate::grid::{CELLS, Shape};

/// The largest side.
const SIDE: usize = 8;

/// An order of lines, as a [`Transform`] has it.
type Order = [u8; 9];

/// The search, with the column orders of the shape that it has met last.
#[derive(Debug, Default)]
pub(super) struct SmallSearch {
    columns: Option<(Shape, Vec<Order>)>,
}

impl SmallSearch {
    /// Returns whether a shape is small enough.
    pub(super) const fn serves(shape: Shape) -> bool {
        shape.side() <= SIDE
    }

    /// Returns the minlex form of a puzzle that obeys the rules.
    pub(super) fn minlex(&mut self, shape: Shape, cells: &[u8]) -> CanonicalCells {
        let mut begun = Transform::identity(shape);
        if self.columns.as_ref().is_none_or(|(known, _)| *known != shape) {
            let (mut order, mut orders) = (begun.columns, Vec::new());
            extend(&mut order, 0, shape.side(), shape.box_columns(), &mut orders);
            self.columns = Some((shape, orders));
        }
        let columns = self.columns.iter().flat_map(|(_, orders)| orders);
        // The form is above every digit where it is not known yet.
        let mut least = CanonicalCells { form: [u8::MAX; CELLS], transform: begun, automorphisms: 0 };
        begun.digits[1..=shape.side()].fill(0);
        for &columns in columns.clone() {
            begun.columns = columns;
            least.add_row(cells, &begun, 0, 0);
        }
        if shape.box_rows() == shape.box_columns() {
            let side = shape.side();
            let transposed: Vec<u8> =
                (0..cells.len()).map(|cell| cells[cell % side * side + cell / side]).collect();
            begun.transposed = true;
            for &columns in columns {
                begun.columns = columns;
                least.add_row(&transposed, &begun, 0, 0);
            }
        }
        least.form[shape.cells()..].fill(0);
        least
    }
}

/// Adds the orders of lines that begin with the first `done` lines of one, and keep those of a band (or stack) together.
fn extend(order: &mut Order, done: usize, lines: usize, band: usize, all: &mut Vec<Order>) {
    if done == lines {
        all.push(*order);
        return;
    }
    for line in 0..lines as u8 {
        if may_follow(&order[..done], line, band) {
            order[done] = line;
            extend(order, done + 1, lines, band, all);
        }
    }
}

/// Returns whether a line may stand behind those: it is a new one, of their last band while that is not whole.
fn may_follow(lines: &[u8], line: u8, band: usize) -> bool {
    let band_of = |line: u8| usize::from(line) / band;
    let is_begun = !lines.len().is_multiple_of(band);
    !lines.contains(&line) && (!is_begun || band_of(line) == band_of(lines[lines.len() - 1]))
}

/// The least form so far, and how many ways lead there.
impl CanonicalCells {
    /// Tries every row that may come next in a transform that is begun: it has rows from the top, and the new names of so
    /// many digits that were met there, 0 for the others.
    fn add_row(&mut self, cells: &[u8], begun: &Transform, named: u8, place: usize) {
        let (side, band) = (begun.shape.side(), begun.shape.box_rows());
        if place == side {
            self.automorphisms += 1;
            if self.automorphisms == 1 {
                self.transform = *begun;
                self.transform.name_others(0, named);
            }
            return;
        }
        for row in 0..side as u8 {
            if may_follow(&begun.rows[..place], row, band) {
                let (mut next, mut named) = (*begun, named);
                next.rows[place] = row;
                if self.takes_row(cells, &mut next, &mut named, place) {
                    self.add_row(cells, &next, named, place + 1);
                }
            }
        }
    }

    /// Compares a row with that of the least form, and replaces it if it is less. Returns whether the transform
    /// may still lead to the least form.
    fn takes_row(&mut self, cells: &[u8], begun: &mut Transform, named: &mut u8, place: usize) -> bool {
        let side = begun.shape.side();
        let line = &cells[usize::from(begun.rows[place]) * side..][..side];
        let mut is_less = false;
        for (column, from) in begun.columns[..side].iter().enumerate() {
            let digit = usize::from(line[usize::from(*from)]);
            if digit != 0 && begun.digits[digit] == 0 {
                *named += 1;
                begun.digits[digit] = *named;
            }
            let (name, least) = (begun.digits[digit], &mut self.form[place * side + column]);
            if !is_less && name > *least {
                return false;
            }
            is_less |= name < *least;
            *least = name;
        }
        if is_less {
            self.form[(place + 1) * side..].fill(u8::MAX);
            self.automorphisms = 0;
        }
        true
    }
}
