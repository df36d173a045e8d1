//! How many full grids a shape has, without listing them.
//!
//! The method is that of Bertram Felgenhauer and Frazer Jarvis for the classic shape ("Mathematics of Sudoku I", 2006),
//! in the form that Ed Russell and Kjell Fredrik Pettersen gave it: grids are counted by the sets of digits in the
//! columns of each band.
//!
//! A band of R rows and n columns holds R digits in each column. For one choice of these sets, let f be the number of
//! ways to order the digits in the columns so that no row holds a digit twice. The other bands see only the sets, so
//!
//! ```text
//! full grids = sum of f(sets of band 1) * f(sets of band 2) * ...
//! ```
//!
//! over all choices in which each column gets each digit once. Neither names of digits, nor the order of stacks, nor
//! that of columns within a stack changes f. So the sets of the first band fall into a few classes, 44 for the
//! classic shape; one of each is completed in all ways, and counted as often as its class is large.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::grid::{LineOrder, Shape, line_orders};

/// Why the grids of a shape were not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CensusError {
    /// The shape is too large.
    #[error(
        "the full grids of shape {shape} are too many to count: shapes within reach are 2x2, 2x3, 2x4, 2x5 and 3x3, and these turned"
    )]
    OutOfReach {
        /// The shape.
        shape: Shape,
    },
    /// The stop flag became true.
    #[error("the count was stopped")]
    Stopped,
}

/// Takes how many steps are done, and how many there are: two for each class of bands.
pub type Progress<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// Counts the full grids of a shape, on the threads of the current rayon pool. The number is exact.
///
/// 6x6 and 8x8 take milliseconds, 9x9 less than a second, 10x10 about two minutes of processor time. `stop` is read all
/// the time. After each step `progress` is called, from any thread.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use gridmill_core::census::count_grids;
///
/// let go_on = AtomicBool::new(false);
/// assert_eq!(count_grids("2x2".parse().unwrap(), &go_on, &|_, _| {}), Ok(288));
/// assert_eq!(count_grids("3x2".parse().unwrap(), &go_on, &|_, _| {}), Ok(28_200_960));
/// ```
///
/// # Errors
///
/// Where the shape is out of reach, which is known at once, or `stop` became true.
pub fn count_grids(shape: Shape, stop: &AtomicBool, progress: &Progress<'_>) -> Result<u128, CensusError> {
    let band = BandShape::within_reach(shape).ok_or(CensusError::OutOfReach { shape })?;
    count(band, stop, progress).ok_or(CensusError::Stopped)
}

/// Counts the grids whose bands have that shape. `None` if the count was stopped.
fn count(band: BandShape, stop: &AtomicBool, progress: &Progress<'_>) -> Option<u128> {
    let classes = Classes::of(band, stop)?;
    let (done, all) = (AtomicUsize::new(0), 2 * classes.list.len());
    let step = || progress(done.fetch_add(1, Ordering::Relaxed) + 1, all);

    let fillings: Option<Vec<u128>> =
        classes.list.par_iter().map(|class| band.fillings(class.sets, stop).inspect(|_| step())).collect();
    let fillings = fillings?;
    let grids = classes.list.par_iter().zip(&fillings).map(|(class, &first)| {
        let others = other_bands(band, class.sets, &|sets| fillings[classes.members[&sets]], stop)?;
        step();
        Some(class.size * first * others)
    });
    grids.try_reduce(|| 0, |sum, more| Some(sum + more))
}

/// The largest side within reach.
const MOST_DIGITS: usize = 10;

/// The bits of [`ColumnSets`] for each address.
const BITS: u32 = 4;

/// The shape of a band: as many stacks as rows, each of so many columns.
#[derive(Clone, Copy, Debug)]
struct BandShape {
    /// The rows of the band.
    rows: usize,
    /// The columns of each of its boxes.
    columns: usize,
}

/// The sets of digits in the columns of a band, whatever the digits are called.
///
/// A digit stands once in each box. The columns in which it stands there, stack by stack, are its *address*, a
/// number in the base of a box's columns. The value says how many digits have each address, in four bits for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct ColumnSets(u128);

impl ColumnSets {
    /// Returns how many digits have an address.
    fn digits_at(self, address: usize) -> usize {
        (self.0 >> (BITS * address as u32)) as usize & ((1 << BITS) - 1)
    }

    /// Returns the sets with one digit more at an address.
    #[inline]
    fn with(self, address: usize) -> ColumnSets {
        ColumnSets(self.0 + (1 << (BITS * address as u32)))
    }

    /// Returns the sets of digits with these addresses.
    fn of(addresses: &[u8]) -> ColumnSets {
        addresses.iter().fold(ColumnSets::default(), |sets, &address| sets.with(address.into()))
    }
}

impl BandShape {
    /// Returns the shape of the bands of a shape, or of that shape turned, whichever has fewer bands; `None` if
    /// their classes are out of reach.
    fn within_reach(shape: Shape) -> Option<BandShape> {
        let (rows, columns) = (shape.box_rows(), shape.box_columns());
        let band = BandShape { rows: rows.max(columns), columns: rows.min(columns) };
        (shape.side() <= MOST_DIGITS).then_some(band)
    }

    /// Returns how many digits there are.
    fn digits(self) -> usize {
        self.rows * self.columns
    }

    /// Returns how many addresses a digit may have.
    fn addresses(self) -> usize {
        self.columns.pow(self.rows as u32)
    }

    /// Returns the columns of an address, stack by stack.
    fn columns_of(self, address: usize) -> impl Iterator<Item = usize> {
        (0..self.rows).scan(address, move |rest, _| {
            let column = *rest % self.columns;
            *rest /= self.columns;
            Some(column)
        })
    }

    /// Returns the address of each digit, in ascending order.
    fn addresses_of(self, sets: ColumnSets) -> Vec<usize> {
        let at = |address| std::iter::repeat_n(address, sets.digits_at(address));
        (0..self.addresses()).flat_map(at).collect()
    }

    /// Returns in how many ways the digits of the columns can be ordered so that no row holds a digit twice;
    /// `None` if the count was stopped.
    ///
    /// The first column has its digits in any order. For one order, row i is one of those that begin with digit i of
    /// that column. Rows that share no digit of a column leave exactly one row, so the last row is not chosen.
    fn fillings(self, sets: ColumnSets, stop: &AtomicBool) -> Option<u128> {
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

/// A class of column sets.
#[derive(Clone, Copy, Debug)]
struct Class {
    /// One of them.
    sets: ColumnSets,
    /// How many choices of sets belong to it, with digits by name.
    size: u128,
}

/// All classes, and the members of each.
#[derive(Default)]
struct Classes {
    list: Vec<Class>,
    members: HashMap<ColumnSets, usize>,
}

impl Classes {
    /// Finds the classes. `None` if it was stopped meanwhile.
    fn of(band: BandShape, stop: &AtomicBool) -> Option<Classes> {
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
                    image +=
                        usize::from(within[rest % within.len()][column]) * band.columns.pow(stack.into());
                    rest /= within.len();
                }
                image
            };
            found.push((0..band.addresses()).map(image).collect());
        }
    }
    found
}

/// Returns all orders of the numbers below a number, up to 9.
fn permutations(count: usize) -> Vec<LineOrder> {
    line_orders(count, count)
}

/// The address of each digit, or the part of it that a stack gives.
type Addresses = [u8; MOST_DIGITS];

/// One way to fill a stack: what it adds to the addresses, for each band but the first.
type Filled = Vec<Addresses>;

/// Returns the sum over all choices of sets for the other bands, of the product of `fillings` for each of them.
/// `None` if the count was stopped.
fn other_bands(
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
        let with_digit = |way: &Filled, order: &LineOrder| {
            let mut way = way.clone();
            let has_room = way.iter_mut().zip(order).all(|(addresses, &place)| {
                addresses[digit] = columns[usize::from(place)];
                addresses[..digit].iter().filter(|&&other| other == addresses[digit]).count() < band.rows
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
    use crate::grid::Grid;
    use crate::solver::{AnyBitmask, Bounds, GridSolver};

    static GO_ON: AtomicBool = AtomicBool::new(false);

    fn grids(shape: &str) -> Result<u128, CensusError> {
        count_grids(shape.parse().unwrap(), &GO_ON, &|_, _| {})
    }

    /// The number for bands of these rows and boxes of these columns, without turning the grid.
    fn unturned(rows: usize, columns: usize) -> Option<u128> {
        count(BandShape { rows, columns }, &GO_ON, &|_, _| {})
    }

    #[test]
    fn small_shapes_have_as_many_grids_as_a_search_finds() {
        let blank = Grid::empty(Shape::new(2, 2).unwrap());
        let found = AnyBitmask::new().count(&blank, &Bounds::ALL).solutions;
        assert_eq!(grids("2x2"), Ok(found.into()));

        // With its first row filled in, 6x6 has 28,200,960 / 6! grids.
        let six = Shape::new(2, 3).unwrap();
        let mut cells = vec![0; six.cells()];
        cells[..6].copy_from_slice(&[1, 2, 3, 4, 5, 6]);
        let found = AnyBitmask::new().count(&Grid::new(six, cells).unwrap(), &Bounds::ALL).solutions;
        assert_eq!(grids("2x3"), Ok(u128::from(found) * 720));
    }

    #[test]
    fn a_shape_has_as_many_grids_as_it_has_when_turned() {
        assert_eq!(grids("2x3"), Ok(28_200_960));
        assert_eq!(grids("3x2"), Ok(28_200_960));
        assert_eq!(unturned(2, 3), unturned(3, 2));
        assert_eq!(unturned(2, 2), Some(288));
    }

    #[test]
    fn the_numbers_of_the_literature_are_reached() {
        assert_eq!(grids("2x4"), Ok(29_136_487_207_403_520));
        assert_eq!(grids("4x2"), Ok(29_136_487_207_403_520));
        assert_eq!(grids("3x3"), Ok(6_670_903_752_021_072_936_960));
    }

    #[test]
    #[ignore = "two minutes: cargo test --release -p gridmill-core --lib census -- --ignored"]
    fn ten_by_ten_has_the_number_of_the_literature() {
        assert_eq!(grids("2x5"), Ok(1_903_816_047_972_624_930_994_913_280_000));
    }

    #[test]
    fn classic_bands_have_the_classes_and_the_number_of_the_literature() {
        let band = BandShape { rows: 3, columns: 3 };
        let classes = Classes::of(band, &GO_ON).unwrap();
        assert_eq!(classes.list.len(), 44);
        let bands: u128 = classes
            .list
            .par_iter()
            .map(|class| class.size * band.fillings(class.sets, &GO_ON).unwrap())
            .sum();
        assert_eq!(bands, 362_880 * 2_612_736);
    }

    #[test]
    fn a_large_shape_is_refused() {
        for shape in ["2x6", "3x4", "4x4", "5x5", "2x12"] {
            let error = grids(shape).unwrap_err();
            assert_eq!(error, CensusError::OutOfReach { shape: shape.parse().unwrap() });
            assert!(error.to_string().contains(shape), "{error}");
        }
    }

    #[test]
    fn a_count_that_is_stopped_has_no_number() {
        let stopped = count_grids(Shape::CLASSIC, &AtomicBool::new(true), &|_, _| {});
        assert_eq!(stopped, Err(CensusError::Stopped));
    }

    #[test]
    fn progress_ends_when_all_is_done() {
        let last = std::sync::Mutex::new(None);
        let progress = |done: usize, all: usize| {
            let mut last = last.lock().unwrap();
            *last = (*last).max(Some((done, all)));
        };
        count_grids("2x3".parse().unwrap(), &GO_ON, &progress).unwrap();
        let (done, all) = last.into_inner().unwrap().unwrap();
        assert!(done == all && all > 0);
    }

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
        assert_eq!(
            other_bands(band, first, &|sets| sets.digits_at(15) as u128, &AtomicBool::new(false)),
            Some(4)
        );
    }
}
