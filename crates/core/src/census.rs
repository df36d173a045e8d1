//! Counts the full grids of a shape without listing them, because even the 9x9 shape has 6.7 * 10^21 of them.
//!
//! The method is the one that Bertram Felgenhauer and Frazer Jarvis used for the classic shape ("Mathematics
//! of Sudoku I", 2006), in the form that Ed Russell and Kjell Fredrik Pettersen gave it: grids are counted by
//! the sets of digits in the columns of each band.
//!
//! A band of R rows and n columns holds R digits in each column. For one choice of these sets, let f be the
//! number of ways to order the digits in the columns so that no row holds a digit twice. The other bands
//! depend only on the sets and not on the order, so
//!
//! ```text
//! full grids = sum of f(sets of band 1) * f(sets of band 2) * ...
//! ```
//!
//! where the sum is over all choices in which each column gets each digit once. f does not change when digits
//! are renamed, when stacks change places, or when columns change places within a stack. So the sets of the
//! first band fall into a few classes (44 for the classic shape). It is enough to complete one member of each
//! class in all ways, and to multiply the result by the size of the class.

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
        "the full grids of shape {shape} are too many to count: gridmill can count 2x2, 2x3, 2x4, 2x5 and 3x3, and the transposed ones, e.g. 3x2"
    )]
    OutOfReach {
        /// The shape.
        shape: Shape,
    },
    /// The stop flag became true.
    #[error("the count was stopped")]
    Stopped,
}

/// Receives how many steps are done, and how many there are in all. Each class of bands takes two steps.
pub type Progress<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// Counts the full grids of a shape exactly, on the threads of the current rayon pool.
///
/// 6x6 and 8x8 take milliseconds, 9x9 less than a second, 10x10 about two minutes of processor time. You can
/// end a long count by setting `stop`, which the threads read often. `progress` is called after each step,
/// from any thread.
///
/// ```
/// use gridmill_core::census::count_grids;
/// use gridmill_core::solver::NEVER;
///
/// assert_eq!(count_grids("2x2".parse().unwrap(), &NEVER, &|_, _| {}), Ok(288));
/// assert_eq!(count_grids("3x2".parse().unwrap(), &NEVER, &|_, _| {}), Ok(28_200_960));
/// ```
///
/// # Errors
///
/// [`CensusError::OutOfReach`] at once if the shape is too large; [`CensusError::Stopped`] if `stop` became
/// true.
pub fn count_grids(shape: Shape, stop: &AtomicBool, progress: &Progress<'_>) -> Result<u128, CensusError> {
    let band = BandShape::within_reach(shape).ok_or(CensusError::OutOfReach { shape })?;
    count(band, stop, progress).ok_or(CensusError::Stopped)
}

/// Counts the grids whose bands have that shape. `None` means that the count was stopped.
fn count(band: BandShape, stop: &AtomicBool, progress: &Progress<'_>) -> Option<u128> {
    let classes = Classes::find(band, stop)?;
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

/// The largest side within reach. A larger grid has more addresses than [`ColumnSets`] has room for: 2x5
/// takes 32 of four bits, and 3x4 would take 81.
const MOST_DIGITS: usize = 10;

/// How many bits of [`ColumnSets`] an address has. Four are enough, because a count is at most
/// [`MOST_DIGITS`].
const BITS: u32 = 4;

/// The shape of a band. It has as many stacks as a box has rows, because the grid is square.
#[derive(Clone, Copy, Debug)]
struct BandShape {
    /// The rows of the band.
    rows: usize,
    /// The columns of each of its boxes.
    columns: usize,
}

/// The sets of digits in the columns of a band, without regard to which digit is which.
///
/// A digit occurs once in each box of the band. The columns that it takes there, stack by stack, are its
/// *address*: a number whose base is the number of columns of a box. For example, in a classic band the
/// address 5 = 2 + 1 * 3 + 0 * 9 means column 2 of stack 0, column 1 of stack 1 and column 0 of stack 2. The
/// value holds, for each address, how many digits have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct ColumnSets(u128);

impl ColumnSets {
    /// How many digits have an address.
    fn digits_at(self, address: usize) -> usize {
        (self.0 >> (BITS * address as u32)) as usize & ((1 << BITS) - 1)
    }

    /// The sets with one more digit at an address.
    #[inline]
    fn with(self, address: usize) -> ColumnSets {
        ColumnSets(self.0 + (1 << (BITS * address as u32)))
    }

    /// Counts the addresses of all digits.
    fn from_addresses(addresses: &[u8]) -> ColumnSets {
        addresses.iter().fold(ColumnSets::default(), |sets, &address| sets.with(address.into()))
    }
}

impl BandShape {
    /// Chooses the bands to count by: those of the shape, or those of the transposed shape if there are
    /// fewer. Fewer bands are better: the columns that the first band leaves to a digit can then be shared out among the
    /// bands below in fewer ways. `None` if the shape is too large.
    fn within_reach(shape: Shape) -> Option<BandShape> {
        let (rows, columns) = (shape.box_rows(), shape.box_columns());
        let band = BandShape { rows: rows.max(columns), columns: rows.min(columns) };
        (shape.side() <= MOST_DIGITS).then_some(band)
    }

    /// How many digits the grid has.
    fn digits(self) -> usize {
        self.rows * self.columns
    }

    /// How many addresses are possible.
    fn addresses(self) -> usize {
        self.columns.pow(self.rows as u32)
    }

    /// Splits an address into its columns, stack by stack.
    fn columns_of(self, address: usize) -> impl Iterator<Item = usize> {
        (0..self.rows).scan(address, move |rest, _| {
            let column = *rest % self.columns;
            *rest /= self.columns;
            Some(column)
        })
    }

    /// Lists the address of each digit, in ascending order.
    fn addresses_of(self, sets: ColumnSets) -> Vec<usize> {
        let at = |address| std::iter::repeat_n(address, sets.digits_at(address));
        (0..self.addresses()).flat_map(at).collect()
    }

    /// Counts the ways to order the digits in the columns so that no row holds a digit twice. `None` means
    /// that the count was stopped.
    ///
    /// The digits of the first column can be in any order, and each order allows equally many ways. So the
    /// function fixes one order and multiplies by the number of orders. Row i is then one of the rows that
    /// begin with digit i of the first column. The last row is not chosen, because the others leave exactly
    /// one digit of each column for it.
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

/// A row of a band as a set of bits. Each column has a field with a bit for each digit, so that two rows
/// share a digit in a column exactly when `a & b != 0`.
type Row = u128;

/// Appends all rows that continue `row` from `column` on. `used` holds the digits of the row so far.
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

/// Counts the ways to choose one row of each group so that no two rows have the same digit in a column.
/// `None` means that the count was stopped.
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

/// A class of column sets that symmetries turn into each other. All have the same number of completions.
#[derive(Clone, Copy, Debug)]
struct Class {
    /// One member.
    sets: ColumnSets,
    /// How many choices of sets belong to the class when digits are distinct.
    size: u128,
}

/// All classes, and which class each choice of sets belongs to.
#[derive(Default)]
struct Classes {
    list: Vec<Class>,
    members: HashMap<ColumnSets, usize>,
}

impl Classes {
    /// Finds the classes by visiting every choice of sets. `None` means that the search was stopped.
    fn find(band: BandShape, stop: &AtomicBool) -> Option<Classes> {
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

    /// Adds the class of `sets`: all its images under the symmetries are members.
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

/// Counts the ways to give names to the digits. Digits with the same address are in the same columns, so that
/// exchanging them changes nothing.
fn names(band: BandShape, sets: ColumnSets) -> u128 {
    let factorial = |n: usize| (1..=n as u128).product::<u128>();
    let alike = (0..band.addresses()).map(|address| factorial(sets.digits_at(address))).product::<u128>();
    factorial(band.digits()) / alike
}

/// Visits every choice of sets that continues `chosen` from `address` on. `room` says how many more digits
/// each column takes. Ends as soon as `visit` returns false, and returns false then.
fn visit_sets(
    band: BandShape,
    address: usize,
    chosen: ColumnSets,
    room: &mut [usize],
    visit: &mut dyn FnMut(ColumnSets) -> bool,
) -> bool {
    // It is enough to look at one stack, because every stack has room for the same number of digits.
    if room[..band.columns].iter().all(|&room| room == 0) {
        return visit(chosen);
    }
    // Stop if a column of the last stack still has room, but all addresses in it are smaller than this one.
    let passed = address / (band.addresses() / band.columns);
    let last_stack = band.digits() - band.columns;
    if room[last_stack..][..passed].iter().any(|&room| room > 0) {
        return true;
    }
    let columns = band.columns_of(address).enumerate().map(|(stack, column)| stack * band.columns + column);
    let columns: Vec<usize> = columns.collect();
    let most = columns.iter().map(|&column| room[column]).min().unwrap_or(0);
    let (mut chosen, mut continues) = (chosen, true);
    for here in 0..=most {
        if here > 0 {
            columns.iter().for_each(|&column| room[column] -= 1);
            chosen = chosen.with(address);
        }
        continues = continues && visit_sets(band, address + 1, chosen, room, visit);
    }
    columns.iter().for_each(|&column| room[column] += most);
    continues
}

/// Lists the symmetries: all orders of the stacks, and of the columns within each. Each is a table from an
/// address to its image.
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

/// All orders of the numbers below `count`, which is at most 9.
fn permutations(count: usize) -> Vec<LineOrder> {
    line_orders(count, count)
}

/// The address of each digit, or the part of it that the stacks so far contribute.
type Addresses = [u8; MOST_DIGITS];

/// One way to fill a stack: the part of the address that it adds to each digit, for every band but the first.
type StackFilling = Vec<Addresses>;

/// Sums, over all choices of sets for the other bands, the product of `fillings` for each of them. `None`
/// means that the count was stopped.
fn other_bands(
    band: BandShape,
    first: ColumnSets,
    fillings: &dyn Fn(ColumnSets) -> u128,
    stop: &AtomicBool,
) -> Option<u128> {
    let addresses = band.addresses_of(first);
    let mut stacks: Vec<Vec<StackFilling>> =
        (0..band.rows).map(|stack| stack_fillings(band, &addresses, stack)).collect();
    // Only one order of the other bands is counted, because exchanging them changes nothing; the sum is
    // multiplied by the number of orders.
    let others = band.columns - 1;
    stacks[0].retain(|bands| bands.is_sorted_by_key(|addresses| addresses[0]));
    let orders: u128 = (1..=others as u128).product();

    let product = |bands: &[Addresses]| {
        let sets = bands.iter().map(|addresses| ColumnSets::from_addresses(&addresses[..band.digits()]));
        sets.map(fillings).product()
    };
    Some(orders * combine(&stacks, &vec![[0; MOST_DIGITS]; others], &product, stop)?)
}

/// Sums the products over all combinations of ways to fill the stacks. `earlier` holds the parts of the
/// addresses that earlier stacks contributed. `None` means that the count was stopped.
fn combine(
    stacks: &[Vec<StackFilling>],
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

/// Lists all ways to fill a stack below the first band. Each digit takes the columns that the first band
/// leaves for it, in any order for which the columns have room.
fn stack_fillings(band: BandShape, first: &[usize], stack: usize) -> Vec<StackFilling> {
    let orders = permutations(band.columns - 1);
    // How far apart the addresses of neighbouring columns are.
    let weight = band.columns.pow(stack as u32);
    let mut ways = vec![vec![[0; MOST_DIGITS]; band.columns - 1]];
    for (digit, &address) in first.iter().enumerate() {
        let is_other = |column: &usize| *column != address / weight % band.columns;
        let columns = (0..band.columns).filter(is_other).map(|column| (column * weight) as u8);
        let columns: Vec<u8> = columns.collect();
        let with_digit = |way: &StackFilling, order: &LineOrder| {
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
    use crate::minlex::BandClasses;
    use crate::solver::{AnyBitmask, Bounds, SolutionEngine};

    static GO_ON: AtomicBool = AtomicBool::new(false);

    fn grids(shape: &str) -> Result<u128, CensusError> {
        count_grids(shape.parse().unwrap(), &GO_ON, &|_, _| {})
    }

    /// Counts by bands of `rows` rows, with boxes of `columns` columns, even if the transposed grid has fewer
    /// bands.
    fn unturned(rows: usize, columns: usize) -> Option<u128> {
        count(BandShape { rows, columns }, &GO_ON, &|_, _| {})
    }

    #[test]
    fn small_shapes_agree_with_a_search() {
        let blank = Grid::empty(Shape::new(2, 2).unwrap());
        let found = AnyBitmask::new().count(&blank, &Bounds::ALL).solutions;
        assert_eq!(grids("2x2"), Ok(found.into()));

        // There are 28,200,960 grids of 6x6. Each order of the first row has equally many, so fixing it
        // leaves 28,200,960 / 6!.
        let six = Shape::new(2, 3).unwrap();
        let mut cells = vec![0; six.cells()];
        cells[..6].copy_from_slice(&[1, 2, 3, 4, 5, 6]);
        let found = AnyBitmask::new().count(&Grid::new(six, cells).unwrap(), &Bounds::ALL).solutions;
        assert_eq!(grids("2x3"), Ok(u128::from(found) * 720));
    }

    #[test]
    fn transposed_shapes_have_equally_many_grids() {
        assert_eq!(grids("2x3"), Ok(28_200_960));
        assert_eq!(grids("3x2"), Ok(28_200_960));
        assert_eq!(unturned(2, 3), unturned(3, 2));
        assert_eq!(unturned(2, 2), Some(288));
    }

    #[test]
    fn counts_match_the_literature() {
        assert_eq!(grids("2x4"), Ok(29_136_487_207_403_520));
        assert_eq!(grids("4x2"), Ok(29_136_487_207_403_520));
        assert_eq!(grids("3x3"), Ok(6_670_903_752_021_072_936_960));
    }

    #[test]
    #[ignore = "two minutes: cargo test --release -p gridmill-core --lib census -- --ignored"]
    fn ten_by_ten_matches_the_literature() {
        assert_eq!(grids("2x5"), Ok(1_903_816_047_972_624_930_994_913_280_000));
    }

    #[test]
    fn classic_bands_match_the_literature() {
        let band = BandShape { rows: 3, columns: 3 };
        let classes = Classes::find(band, &GO_ON).unwrap();
        assert_eq!(classes.list.len(), 44);
        let bands: u128 = classes
            .list
            .par_iter()
            .map(|class| class.size * band.fillings(class.sets, &GO_ON).unwrap())
            .sum();
        assert_eq!(bands, 362_880 * 2_612_736);
    }

    /// Each normal band stands for 9! names of digits, 36 orders of the columns of two boxes, and two orders of
    /// these boxes.
    #[test]
    fn the_416_classes_of_bands_have_all_grids() {
        let band = BandShape { rows: 3, columns: 3 };
        let classes = Classes::find(band, &GO_ON).unwrap();
        let fillings = |class: &Class| band.fillings(class.sets, &GO_ON).unwrap();
        let fillings: Vec<u128> = classes.list.par_iter().map(fillings).collect();
        let of_sets = |sets| fillings[classes.members[&sets]];
        let others = |class: &Class| other_bands(band, class.sets, &of_sets, &GO_ON).unwrap();
        let completions: Vec<u128> = classes.list.par_iter().map(others).collect();
        let grids = BandClasses::find().list.into_iter().map(|(form, members)| {
            let mut addresses = [0; 9];
            for (place, digit) in form.into_iter().enumerate() {
                let column = place % 9;
                addresses[usize::from(digit) - 1] += (column % 3 * 3_usize.pow(column as u32 / 3)) as u8;
            }
            let sets = ColumnSets::from_addresses(&addresses);
            members as u128 * 72 * 362_880 * completions[classes.members[&sets]]
        });
        assert_eq!(grids.sum::<u128>(), 6_670_903_752_021_072_936_960);
    }

    #[test]
    fn large_shapes_are_rejected() {
        for shape in ["2x6", "3x4", "4x4", "5x5", "2x12"] {
            let error = grids(shape).unwrap_err();
            assert_eq!(error, CensusError::OutOfReach { shape: shape.parse().unwrap() });
            assert!(error.to_string().contains(shape), "{error}");
        }
    }

    #[test]
    fn stopped_census_returns_an_error() {
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
        // Two columns with the same digits, twice; then four columns in a cycle.
        let band = BandShape { rows: 2, columns: 2 };
        let fillings = |digits| band.fillings(ColumnSets::from_addresses(digits), &AtomicBool::new(false));
        assert_eq!(fillings(&[0, 0, 3, 3]), Some(4));
        assert_eq!(fillings(&[0, 1, 2, 3]), Some(2));
    }

    #[test]
    fn equal_columns_of_three_stacks_are_filled_as_latin_squares() {
        // Each stack has the same three columns, so each of the three sets is in three columns, in 12 orders
        // (Latin squares of side 3).
        let band = BandShape { rows: 3, columns: 3 };
        let sets = ColumnSets::from_addresses(&[0, 0, 0, 13, 13, 13, 26, 26, 26]);
        assert_eq!(band.fillings(sets, &AtomicBool::new(false)), Some(12 * 12 * 12));
    }

    #[test]
    fn classes_cover_every_choice_of_sets() {
        // Each stack of 6x6 distributes six digits over two columns, or over three; each stack of 9x9
        // distributes nine over three.
        for (rows, columns, ways) in [(2, 2, 6_u128), (3, 2, 20), (2, 3, 90), (4, 2, 70), (3, 3, 1680)] {
            let band = BandShape { rows, columns };
            let classes = Classes::find(band, &AtomicBool::new(false)).unwrap();
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
        let first = ColumnSets::from_addresses(&[0, 0, 0, 0, 15, 15, 15, 15]);
        assert_eq!(
            other_bands(band, first, &|sets| sets.digits_at(15) as u128, &AtomicBool::new(false)),
            Some(4)
        );
    }
}
