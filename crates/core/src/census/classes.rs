//! The classes of column sets: those that differ by the order of stacks, and of the columns in a stack.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::band::{BandShape, ColumnSets};

/// A class of column sets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    /// One of them.
    pub(super) sets: ColumnSets,
    /// How many choices of sets belong to it, with digits by name.
    pub(super) size: u128,
}

/// All classes, and the members of each.
pub(super) struct Classes {
    classes: Vec<Class>,
    members: HashMap<ColumnSets, usize>,
}

impl Classes {
    /// Finds the classes. `None` if it was stopped meanwhile.
    pub(super) fn of(band: BandShape, stop: &AtomicBool) -> Option<Classes> {
        let symmetries = symmetries(band);
        let mut found = Classes { classes: Vec::new(), members: HashMap::new() };
        let mut choices =
            Choices { band, room: vec![band.rows; band.digits()], chosen: ColumnSets::default() };
        choices.visit(0, band.digits(), &mut |sets| {
            if !found.members.contains_key(&sets) {
                found.add(band, sets, &symmetries);
            }
            !stop.load(Ordering::Relaxed)
        });
        (!stop.load(Ordering::Relaxed)).then_some(found)
    }

    /// Adds the class of some sets.
    fn add(&mut self, band: BandShape, sets: ColumnSets, symmetries: &[Vec<usize>]) {
        let before = self.members.len();
        let addresses = band.addresses_of(sets);
        for symmetry in symmetries {
            let mut image = ColumnSets::default();
            addresses.iter().for_each(|&address| image.add(symmetry[address], 1));
            self.members.insert(image, self.classes.len());
        }
        let images = self.members.len() - before;
        self.classes.push(Class { sets, size: images as u128 * names(band, sets) });
    }

    /// Returns the number of the class of some sets.
    pub(super) fn index(&self, sets: ColumnSets) -> usize {
        self.members[&sets]
    }

    pub(super) fn len(&self) -> usize {
        self.classes.len()
    }

    pub(super) fn par_iter(&self) -> rayon::slice::Iter<'_, Class> {
        self.classes.par_iter()
    }
}

/// Returns in how many ways digits can be named: those of one address are not told apart.
fn names(band: BandShape, sets: ColumnSets) -> u128 {
    let factorial = |n: usize| (1..=n as u128).product::<u128>();
    let alike = (0..band.addresses()).map(|address| factorial(sets.digits_at(address))).product::<u128>();
    factorial(band.digits()) / alike
}

/// Chooses how many digits each address has.
struct Choices {
    band: BandShape,
    /// How many digits each column still takes.
    room: Vec<usize>,
    chosen: ColumnSets,
}

impl Choices {
    /// Visits every choice for the addresses from one on, with so many digits left. Ends when `visit` returns false,
    /// and returns false then.
    fn visit(&mut self, address: usize, digits: usize, visit: &mut dyn FnMut(ColumnSets) -> bool) -> bool {
        if digits == 0 {
            return visit(self.chosen);
        }
        if address == self.band.addresses() || self.has_passed_a_column(address) {
            return true;
        }
        let columns: Vec<usize> =
            self.band.columns_of(address).enumerate().map(|(s, c)| s * self.band.columns + c).collect();
        let most = columns.iter().map(|&column| self.room[column]).min().unwrap_or(0);
        let before = self.chosen;
        let mut goes_on = true;
        for here in 0..=most {
            if here > 0 {
                columns.iter().for_each(|&column| self.room[column] -= 1);
                self.chosen.add(address, 1);
            }
            goes_on = goes_on && self.visit(address + 1, digits - here, visit);
        }
        columns.iter().for_each(|&column| self.room[column] += most);
        self.chosen = before;
        goes_on
    }

    /// Returns whether a column of the last stack has room, but its addresses lie before this one.
    fn has_passed_a_column(&self, address: usize) -> bool {
        let (columns, digits) = (self.band.columns, self.band.digits());
        let passed = address / (self.band.addresses() / columns);
        self.room[digits - columns..][..passed].iter().any(|&room| room > 0)
    }
}

/// Returns the symmetries: for each address, the one to which it goes.
fn symmetries(band: BandShape) -> Vec<Vec<usize>> {
    let within = permutations(band.columns);
    let mut found = Vec::new();
    for stacks in permutations(band.rows) {
        for choice in 0..within.len().pow(band.rows as u32) {
            let image = |address| {
                let mut rest = choice;
                let mut image = 0;
                for (column, &stack) in band.columns_of(address).zip(&stacks) {
                    image += within[rest % within.len()][column] * band.columns.pow(stack as u32);
                    rest /= within.len();
                }
                image
            };
            found.push((0..band.addresses()).map(image).collect());
        }
    }
    found
}

/// Returns all orders of the numbers below a number.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new()];
    for next in 0..count {
        let longer = |shorter: &Vec<usize>| {
            let shorter = shorter.clone();
            (0..=next).map(move |at| {
                let mut longer = shorter.clone();
                longer.insert(at, next);
                longer
            })
        };
        found = found.iter().flat_map(longer).collect();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_every_choice_of_sets() {
        // Each stack of 6x6 gives six digits to two columns, or to three; each stack of 9x9 gives nine to three.
        for (rows, columns, ways) in [(2, 2, 6_u128), (3, 2, 20), (2, 3, 90), (4, 2, 70), (3, 3, 1680)] {
            let band = BandShape { rows, columns };
            let classes = Classes::of(band, &AtomicBool::new(false)).unwrap();
            let all: u128 = classes.classes.iter().map(|class| class.size).sum();
            assert_eq!(all, ways.pow(rows as u32), "{rows}x{columns}");
        }
    }

    #[test]
    fn all_orders_are_found() {
        assert_eq!(permutations(3).len(), 6);
        assert_eq!(symmetries(BandShape { rows: 3, columns: 3 }).len(), 6 * 6 * 6 * 6);
    }
}
