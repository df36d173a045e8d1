//! The classes of column sets: those that differ by the order of stacks, and of the columns in a stack.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

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
#[derive(Default)]
pub(super) struct Classes {
    pub(super) list: Vec<Class>,
    members: HashMap<ColumnSets, usize>,
}

impl Classes {
    /// Finds the classes. `None` if it was stopped meanwhile.
    pub(super) fn of(band: BandShape, stop: &AtomicBool) -> Option<Classes> {
        let symmetries = symmetries(band);
        let mut found = Classes::default();
        let mut room = vec![band.rows; band.digits()];
        visit_sets(band, 0, ColumnSets::default(), &mut room, &mut |sets| {
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
            let images = addresses.iter().map(|&address| symmetry[address]);
            self.members.insert(images.fold(ColumnSets::default(), ColumnSets::with), self.list.len());
        }
        let images = self.members.len() - before;
        self.list.push(Class { sets, size: images as u128 * names(band, sets) });
    }

    /// Returns the number of the class of some sets.
    pub(super) fn index(&self, sets: ColumnSets) -> usize {
        self.members[&sets]
    }
}

/// Returns in how many ways digits can be named: those of one address are not told apart.
fn names(band: BandShape, sets: ColumnSets) -> u128 {
    let factorial = |n: usize| (1..=n as u128).product::<u128>();
    let alike = (0..band.addresses()).map(|address| factorial(sets.digits_at(address))).product::<u128>();
    factorial(band.digits()) / alike
}

/// Visits every choice of sets that goes on like this from an address on; `room` says how many digits each column still
/// takes. Ends when `visit` returns false, and returns false then.
fn visit_sets(
    band: BandShape,
    address: usize,
    chosen: ColumnSets,
    room: &mut [usize],
    visit: &mut dyn FnMut(ColumnSets) -> bool,
) -> bool {
    // Each stack has room for the same number.
    if room[..band.columns].iter().all(|&room| room == 0) {
        return visit(chosen);
    }
    // A column of the last stack has room, but its addresses lie before this one.
    let passed = address / (band.addresses() / band.columns);
    let last_stack = band.digits() - band.columns;
    if room[last_stack..][..passed].iter().any(|&room| room > 0) {
        return true;
    }
    let columns = band.columns_of(address).enumerate().map(|(stack, column)| stack * band.columns + column);
    let columns: Vec<usize> = columns.collect();
    let most = columns.iter().map(|&column| room[column]).min().unwrap_or(0);
    let (mut chosen, mut goes_on) = (chosen, true);
    for here in 0..=most {
        if here > 0 {
            columns.iter().for_each(|&column| room[column] -= 1);
            chosen = chosen.with(address);
        }
        goes_on = goes_on && visit_sets(band, address + 1, chosen, room, visit);
    }
    columns.iter().for_each(|&column| room[column] += most);
    goes_on
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
pub(super) fn permutations(count: usize) -> Vec<Vec<usize>> {
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
            let all: u128 = classes.list.iter().map(|class| class.size).sum();
            assert_eq!(all, ways.pow(rows as u32), "{rows}x{columns}");
        }
    }

    #[test]
    fn all_orders_are_found() {
        assert_eq!(permutations(3).len(), 6);
        assert_eq!(symmetries(BandShape { rows: 3, columns: 3 }).len(), 6 * 6 * 6 * 6);
    }
}
