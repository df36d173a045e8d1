//! The bands below the first one: which digits their columns hold.

use std::sync::atomic::{AtomicBool, Ordering};

use super::band::{BandShape, ColumnSets, MOST_DIGITS};

/// The address of each digit, or the part of it that a stack gives.
type Addresses = [u8; MOST_DIGITS];

/// One way to fill a stack: what it adds to the addresses, for each band but the first.
type Filled = Vec<Addresses>;

/// Returns the sum over all choices of sets for the other bands, of the product of `fillings` for each of them.
/// `None` if the count was stopped.
pub(super) fn count(
    band: BandShape,
    first: ColumnSets,
    fillings: &dyn Fn(ColumnSets) -> u128,
    stop: &AtomicBool,
) -> Option<u128> {
    let addresses = band.addresses_of(first);
    let mut stacks: Vec<Vec<Filled>> =
        (0..band.rows).map(|stack| stack_fillings(band, &addresses, stack)).collect();
    // The other bands may change places: only one order of them is counted.
    let others = band.columns - 1;
    stacks[0].retain(|bands| bands.is_sorted_by_key(|addresses| addresses[0]));
    let orders: u128 = (1..=others as u128).product();

    let mut product = Product { digits: band.digits(), stacks: &stacks, fillings, sum: 0, stop };
    product.add(&vec![[0; MOST_DIGITS]; others], 0)?;
    Some(orders * product.sum)
}

/// Combines the ways to fill each stack.
struct Product<'a> {
    digits: usize,
    stacks: &'a [Vec<Filled>],
    fillings: &'a dyn Fn(ColumnSets) -> u128,
    sum: u128,
    stop: &'a AtomicBool,
}

impl Product<'_> {
    /// Adds all combinations of the stacks from one on, with what the earlier ones gave to the addresses.
    fn add(&mut self, earlier: &[Addresses], stack: usize) -> Option<()> {
        let Some(ways) = self.stacks.get(stack) else {
            self.sum +=
                earlier.iter().map(|addresses| (self.fillings)(self.sets(addresses))).product::<u128>();
            return Some(());
        };
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        let mut all = earlier.to_vec();
        for way in ways {
            for ((sum, one), more) in all.iter_mut().zip(earlier).zip(way) {
                *sum = std::array::from_fn(|digit| one[digit] + more[digit]);
            }
            self.add(&all, stack + 1)?;
        }
        Some(())
    }

    fn sets(&self, addresses: &Addresses) -> ColumnSets {
        let mut sets = ColumnSets::default();
        addresses[..self.digits].iter().for_each(|&address| sets.add(address.into(), 1));
        sets
    }
}

/// Returns all ways to fill a stack below the first band, in which digits have these addresses.
fn stack_fillings(band: BandShape, first: &[usize], stack: usize) -> Vec<Filled> {
    let columns: Vec<usize> =
        first.iter().map(|&address| band.columns_of(address).nth(stack).unwrap_or(0)).collect();
    let others = band.columns - 1;
    let mut filling = StackFilling {
        weight: band.columns.pow(stack as u32) as u8,
        columns: &columns,
        room: vec![vec![band.rows; band.columns]; others],
        filled: vec![[0; MOST_DIGITS]; others],
        ways: Vec::new(),
    };
    filling.place(0, 0, 0);
    filling.ways
}

/// Gives each digit a column in each band of a stack.
struct StackFilling<'a> {
    /// The distance of addresses from one column to the next.
    weight: u8,
    /// The column of each digit in the first band.
    columns: &'a [usize],
    /// How many digits each column of each band still takes.
    room: Vec<Vec<usize>>,
    filled: Filled,
    ways: Vec<Filled>,
}

impl StackFilling<'_> {
    /// Places a digit from a band on, and then the digits behind it. `used` has the columns that it has in the bands
    /// above, a bit for each.
    fn place(&mut self, digit: usize, band: usize, used: usize) {
        let Some(&first) = self.columns.get(digit) else {
            self.ways.push(self.filled.clone());
            return;
        };
        if band == self.filled.len() {
            return self.place(digit + 1, 0, 0);
        }
        for column in 0..self.room[band].len() {
            if column == first || used & (1 << column) != 0 || self.room[band][column] == 0 {
                continue;
            }
            self.room[band][column] -= 1;
            self.filled[band][digit] = column as u8 * self.weight;
            self.place(digit, band + 1, used | (1 << column));
            self.room[band][column] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_classic_box_leaves_56_choices_for_the_stack_below() {
        let band = BandShape { rows: 3, columns: 3 };
        let addresses = [0, 0, 0, 13, 13, 13, 26, 26, 26];
        for stack in 0..3 {
            assert_eq!(stack_fillings(band, &addresses, stack).len(), 56);
        }
    }

    #[test]
    fn two_bands_leave_no_choice() {
        let band = BandShape { rows: 4, columns: 2 };
        let mut first = ColumnSets::default();
        first.add(0, 4);
        first.add(15, 4);
        assert_eq!(count(band, first, &|sets| sets.digits_at(15) as u128, &AtomicBool::new(false)), Some(4));
    }
}
