//! The bands below the first one: which digits their columns hold.

use std::sync::atomic::{AtomicBool, Ordering};

use super::band::{BandShape, ColumnSets, MOST_DIGITS};
use super::classes::permutations;

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

    let product = |bands: &[Addresses]| {
        let sets = bands.iter().map(|addresses| ColumnSets::of(&addresses[..band.digits()]));
        sets.map(fillings).product()
    };
    Some(orders * combine(&stacks, &vec![[0; MOST_DIGITS]; others], &product, stop)?)
}

/// Returns the sum of the products over all combinations of ways to fill stacks, with what earlier stacks gave to the
/// addresses. `None` if the count was stopped.
fn combine(
    stacks: &[Vec<Filled>],
    earlier: &[Addresses],
    product: &dyn Fn(&[Addresses]) -> u128,
    stop: &AtomicBool,
) -> Option<u128> {
    let Some((ways, rest)) = stacks.split_first() else { return Some(product(earlier)) };
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    let (mut all, mut sum) = (earlier.to_vec(), 0);
    for way in ways {
        for ((sum, one), more) in all.iter_mut().zip(earlier).zip(way) {
            *sum = std::array::from_fn(|digit| one[digit] + more[digit]);
        }
        sum += combine(rest, &all, product, stop)?;
    }
    Some(sum)
}

/// Returns all ways to fill a stack below the first band, in which digits have these addresses: the other bands have
/// each digit in the other columns, in any order for which these have room.
fn stack_fillings(band: BandShape, first: &[usize], stack: usize) -> Vec<Filled> {
    let orders = permutations(band.columns - 1);
    // The distance of addresses from one column to the next.
    let weight = band.columns.pow(stack as u32);
    let mut ways = vec![vec![[0; MOST_DIGITS]; band.columns - 1]];
    for (digit, &address) in first.iter().enumerate() {
        let is_other = |column: &usize| *column != address / weight % band.columns;
        let columns = (0..band.columns).filter(is_other).map(|column| (column * weight) as u8);
        let columns: Vec<u8> = columns.collect();
        let with_digit = |way: &Filled, order: &[usize]| {
            let mut way = way.clone();
            let has_room = way.iter_mut().zip(order).all(|(addresses, &place)| {
                addresses[digit] = columns[place];
                addresses[..digit].iter().filter(|&&other| other == columns[place]).count() < band.rows
            });
            has_room.then_some(way)
        };
        let longer = ways.iter().flat_map(|way| orders.iter().filter_map(|order| with_digit(way, order)));
        ways = longer.collect();
    }
    ways
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
        let first = ColumnSets::of(&[0, 0, 0, 0, 15, 15, 15, 15]);
        assert_eq!(count(band, first, &|sets| sets.digits_at(15) as u128, &AtomicBool::new(false)), Some(4));
    }
}
