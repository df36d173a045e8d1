//! The minlex form of a puzzle of up to 8x8 cells.
//!
//! Every order of the columns is tried, up to 1,152 of them, and under each the rows from the top, those that
//! may come next. A row is compared with that of the least form so far, with its digits named as they appear;
//! where it is greater, nothing below it can be the least.

use super::{CanonicalCells, Transform};
use crate::grid::{CELLS, Shape};

/// The most lines.
const SIDE: usize = 8;

/// An order of lines.
type Order = [u8; SIDE];

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
        if self.columns.as_ref().is_none_or(|(known, _)| *known != shape) {
            self.columns = Some((shape, orders(shape.box_rows(), shape.box_columns())));
        }
        let columns = self.columns.iter().flat_map(|(_, orders)| orders);
        let mut search = Search::new(shape);
        search.all(cells, columns.clone(), false);
        if shape.box_rows() == shape.box_columns() {
            let side = shape.side();
            let transposed: Vec<u8> =
                (0..cells.len()).map(|cell| cells[cell % side * side + cell / side]).collect();
            search.all(&transposed, columns, true);
        }
        search.conclude()
    }
}

/// Returns the orders of lines that keep those of a band (or stack) together.
fn orders(bands: usize, lines_of_a_band: usize) -> Vec<Order> {
    let mut all = Vec::new();
    extend(&mut [0; SIDE], 0, bands * lines_of_a_band, lines_of_a_band, &mut all);
    all
}

/// Adds the orders that begin with the first `done` lines of one.
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
struct Search {
    shape: Shape,
    /// The cells; above every digit where the form is not known yet.
    least: [u8; CELLS],
    ways: u32,
    transform: Transform,
}

/// A transform that is begun: rows chosen from the top, and the names of the digits met there.
#[derive(Clone, Copy)]
struct PartialTransform<'a> {
    cells: &'a [u8],
    transposed: bool,
    columns: &'a Order,
    rows: Order,
    /// The new name of each digit, 0 for none.
    names: [u8; SIDE + 1],
    named: u8,
}

impl Search {
    fn new(shape: Shape) -> Search {
        Search { shape, least: [u8::MAX; CELLS], ways: 0, transform: Transform::identity(shape) }
    }

    /// Tries every order of the columns.
    fn all<'a>(&mut self, cells: &'a [u8], columns: impl Iterator<Item = &'a Order>, transposed: bool) {
        for columns in columns {
            let names = [0; SIDE + 1];
            self.add_row(
                &PartialTransform { cells, transposed, columns, rows: [0; SIDE], names, named: 0 },
                0,
            );
        }
    }

    /// Tries every row that may come next.
    fn add_row(&mut self, partial: &PartialTransform<'_>, place: usize) {
        let side = self.shape.side();
        if place == side {
            self.ways += 1;
            if self.ways == 1 {
                self.transform = partial.transform(self.shape);
            }
            return;
        }
        for row in 0..side as u8 {
            if may_follow(&partial.rows[..place], row, self.shape.box_rows()) {
                let mut next = *partial;
                next.rows[place] = row;
                if self.takes_row(&mut next, place) {
                    self.add_row(&next, place + 1);
                }
            }
        }
    }

    /// Compares a row with that of the least form, and replaces it if it is less. Returns whether the transform
    /// may still lead to the least form.
    fn takes_row(&mut self, partial: &mut PartialTransform<'_>, place: usize) -> bool {
        let side = self.shape.side();
        let line = &partial.cells[usize::from(partial.rows[place]) * side..][..side];
        let mut is_less = false;
        for (column, from) in partial.columns[..side].iter().enumerate() {
            let digit = usize::from(line[usize::from(*from)]);
            if digit != 0 && partial.names[digit] == 0 {
                partial.named += 1;
                partial.names[digit] = partial.named;
            }
            let (name, least) = (partial.names[digit], &mut self.least[place * side + column]);
            if !is_less && name > *least {
                return false;
            }
            is_less |= name < *least;
            *least = name;
        }
        if is_less {
            self.least[(place + 1) * side..].fill(u8::MAX);
            self.ways = 0;
        }
        true
    }

    fn conclude(self) -> CanonicalCells {
        let mut cells = self.least;
        cells[self.shape.cells()..].fill(0);
        CanonicalCells { cells, transform: self.transform, automorphisms: self.ways }
    }
}

impl PartialTransform<'_> {
    fn transform(&self, shape: Shape) -> Transform {
        let mut transform = Transform::identity(shape);
        let side = shape.side();
        transform.transposed = self.transposed;
        transform.rows[..side].copy_from_slice(&self.rows[..side]);
        transform.columns[..side].copy_from_slice(&self.columns[..side]);
        let mut unused = self.named + 1..;
        for digit in 1..=side {
            let name = self.names[digit];
            transform.digits[digit] = if name == 0 { unused.next().unwrap_or(name) } else { name };
        }
        transform
    }
}
