//! Shapes of grids with their cells and houses, and digits.

use std::fmt;
use std::num::NonZeroU8;
use std::str::FromStr;

use super::CELLS;

/// The shape of a Sudoku. Boxes of `box_rows` x `box_columns` cells make a grid of side `box_rows *
/// box_columns`, which has as many digits, e.g. a 6x6 grid with the digits 1 to 6 for boxes of 2x3.
///
/// ```
/// use gridmill_core::grid::Shape;
///
/// assert_eq!(Shape::CLASSIC.side(), 9);
/// let six: Shape = "2x3".parse().unwrap();
/// assert_eq!((six.side(), six.cells()), (6, 36));
/// assert!(Shape::new(1, 9).is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    box_rows: u8,
    box_columns: u8,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape::CLASSIC
    }
}

impl Shape {
    /// The newspaper's Sudoku: a 9x9 grid of 3x3 boxes.
    pub const CLASSIC: Shape = Shape { box_rows: 3, box_columns: 3 };

    /// The largest side that a shape may have.
    pub const MAX_SIDE: usize = 25;

    /// Makes a shape with boxes of `box_rows` rows and `box_columns` columns. `None` if either is below 2, or
    /// the side is above [`Shape::MAX_SIDE`].
    #[must_use]
    pub const fn new(box_rows: usize, box_columns: usize) -> Option<Shape> {
        if box_rows < 2 || box_columns < 2 || box_rows > Self::MAX_SIDE || box_columns > Self::MAX_SIDE {
            return None;
        }
        if box_rows * box_columns > Self::MAX_SIDE {
            return None;
        }
        Some(Shape { box_rows: box_rows as u8, box_columns: box_columns as u8 })
    }

    /// The number of rows of a box.
    #[must_use]
    pub const fn box_rows(self) -> usize {
        self.box_rows as usize
    }

    /// The number of columns of a box.
    #[must_use]
    pub const fn box_columns(self) -> usize {
        self.box_columns as usize
    }

    /// The number of rows of the grid, which is also that of columns, boxes and digits.
    #[must_use]
    pub const fn side(self) -> usize {
        self.box_rows() * self.box_columns()
    }

    /// The number of cells of the grid: the side squared.
    #[must_use]
    pub const fn cells(self) -> usize {
        self.side() * self.side()
    }
}

/// Writes the rows and columns of a box, e.g. `3x3` for the classic shape.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.box_rows, self.box_columns)
    }
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Shape, String> {
        let parsed = text
            .split_once(['x', 'X'])
            .and_then(|(rows, columns)| Shape::new(rows.parse().ok()?, columns.parse().ok()?));
        parsed.ok_or_else(|| {
            format!(
                "'{text}' is not a shape: give the rows and columns of a box, as in 3x3 or 2x3, for a side from 4 to {}",
                Shape::MAX_SIDE
            )
        })
    }
}

/// A cell of a grid, counted from 0 in reading order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u16);

impl Cell {
    /// The cell with that index in reading order.
    #[must_use]
    pub const fn new(index: usize) -> Cell {
        Cell(index as u16)
    }

    /// The index in reading order, from 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Iterates over the cells of a grid in reading order.
    pub fn all(shape: Shape) -> impl Iterator<Item = Cell> {
        (0..shape.cells()).map(Cell::new)
    }

    /// The row of the cell, from 0 at the top.
    #[must_use]
    pub const fn row(self, shape: Shape) -> usize {
        self.index() / shape.side()
    }

    /// The column of the cell, from 0 at the left.
    #[must_use]
    pub const fn column(self, shape: Shape) -> usize {
        self.index() % shape.side()
    }

    /// The name of the cell, with coordinates from 1, e.g. `r4c5`.
    #[must_use]
    pub fn name(self, shape: Shape) -> String {
        format!("r{}c{}", self.row(shape) + 1, self.column(shape) + 1)
    }

    /// The box of the cell, from 0 in reading order.
    #[must_use]
    pub const fn box_index(self, shape: Shape) -> usize {
        self.row(shape) / shape.box_rows() * shape.box_rows() + self.column(shape) / shape.box_columns()
    }

    /// Checks whether the two cells differ and share a house.
    #[must_use]
    pub const fn sees(self, other: Cell, shape: Shape) -> bool {
        self.0 != other.0
            && (self.row(shape) == other.row(shape)
                || self.column(shape) == other.column(shape)
                || self.box_index(shape) == other.box_index(shape))
    }
}

/// A house of a grid: a row, a column or a box, each counted from 0.
///
/// ```
/// use gridmill_core::grid::{Cell, House, Shape};
///
/// let cells: Vec<usize> = House::Box(4).cells(Shape::CLASSIC).map(Cell::index).collect();
/// assert_eq!(cells, [30, 31, 32, 39, 40, 41, 48, 49, 50]);
/// assert_eq!(House::Box(4).to_string(), "box 5");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum House {
    /// A row, from the top.
    Row(usize),
    /// A column, from the left.
    Column(usize),
    /// A box, in reading order.
    Box(usize),
}

impl House {
    /// Iterates over the houses of a grid: rows first, then columns, then boxes.
    pub fn all(shape: Shape) -> impl Iterator<Item = House> {
        let side = shape.side();
        (0..side).map(House::Row).chain((0..side).map(House::Column)).chain((0..side).map(House::Box))
    }

    /// Iterates over the cells of the house in reading order.
    pub fn cells(self, shape: Shape) -> impl Iterator<Item = Cell> {
        (0..shape.side()).map(move |place| self.cell(place, shape))
    }

    const fn cell(self, place: usize, shape: Shape) -> Cell {
        let side = shape.side();
        let (row, column) = match self {
            House::Row(row) => (row, place),
            House::Column(column) => (place, column),
            House::Box(index) => (
                index / shape.box_rows() * shape.box_rows() + place / shape.box_columns(),
                index % shape.box_rows() * shape.box_columns() + place % shape.box_columns(),
            ),
        };
        Cell::new(row * side + column)
    }
}

/// Writes a house as people do, counted from 1: `row 1`, `column 9`, `box 5`.
impl fmt::Display for House {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            House::Row(index) => write!(f, "row {}", index + 1),
            House::Column(index) => write!(f, "column {}", index + 1),
            House::Box(index) => write!(f, "box {}", index + 1),
        }
    }
}

/// A set of classic cells as three bands of 27 bits. Bit `9 * row + column` of a band is a cell, with rows
/// counted within the band.
pub(crate) type Bands = [u32; 3];

/// For each cell of a classic grid, the 20 cells that share a house with it.
pub(crate) static PEERS: [Bands; CELLS] = table!(CELLS, cell => {
    let (mut peers, mut other) = ([0; 3], 0);
    while other < CELLS {
        if Cell::new(cell).sees(Cell::new(other), Shape::CLASSIC) {
            peers[other / 27] |= 1 << (other % 27);
        }
        other += 1;
    }
    peers
});

/// Iterates over the bits of a set, the lowest first.
#[inline]
pub(crate) fn bits_of(set: impl Into<u64>) -> impl Iterator<Item = usize> {
    let mut rest = set.into();
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let lowest = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(lowest)
    })
}

/// For each set of places in a line of nine (a bit each), which thirds of the line hold any of them. In a row
/// these are its three boxes.
pub(crate) static THIRDS: [u8; 512] = table!(512, places => {
    (places & 0o7 != 0) as u8 | ((places & 0o70 != 0) as u8) << 1 | ((places & 0o700 != 0) as u8) << 2
});

/// A digit, from 1 to the side of the grid.
///
/// ```
/// use gridmill_core::grid::Digit;
///
/// let seven = Digit::new(7).unwrap();
/// assert_eq!(seven.get(), 7);
/// assert!(Digit::new(0).is_none());
/// assert!(Digit::new(26).is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digit(NonZeroU8);

impl Digit {
    /// Makes a digit. `None` if the value is not from 1 to [`Shape::MAX_SIDE`].
    #[must_use]
    pub const fn new(value: u8) -> Option<Digit> {
        match NonZeroU8::new(value) {
            Some(value) if value.get() as usize <= Shape::MAX_SIDE => Some(Digit(value)),
            _ => None,
        }
    }

    /// The value, from 1.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0.get()
    }

    /// Iterates over the digits of a grid of that side, in ascending order.
    pub fn all(side: usize) -> impl Iterator<Item = Digit> {
        (1..=side as u8).filter_map(Digit::new)
    }
}

impl fmt::Display for Digit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// A set of digits, as a mask of bits.
///
/// ```
/// use gridmill_core::grid::{Digit, DigitSet};
///
/// let two = Digit::new(2).unwrap();
/// let used = DigitSet::EMPTY.with(two);
/// assert!(used.contains(two) && used.is_single());
/// assert_eq!(used.complement(4).len(), 3);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DigitSet(u32);

impl DigitSet {
    /// The set without digits.
    pub const EMPTY: DigitSet = DigitSet(0);

    const fn from_digit(digit: Digit) -> DigitSet {
        DigitSet(1 << (digit.get() - 1))
    }

    /// The set of all digits of a grid of that side.
    #[must_use]
    pub const fn all(side: usize) -> DigitSet {
        DigitSet((1 << side) - 1)
    }

    /// Makes a set from a mask whose lowest bit is digit 1. Bits above [`Shape::MAX_SIDE`] are ignored.
    pub const fn from_mask(mask: u32) -> DigitSet {
        DigitSet(mask & DigitSet::all(Shape::MAX_SIDE).0)
    }

    /// The set as a mask; the lowest bit is digit 1.
    pub(crate) const fn mask(self) -> u32 {
        self.0
    }

    /// Checks whether the digit is in the set.
    #[must_use]
    pub const fn contains(self, digit: Digit) -> bool {
        self.0 & DigitSet::from_digit(digit).0 != 0
    }

    /// The set with that digit added.
    #[must_use]
    pub const fn with(self, digit: Digit) -> DigitSet {
        DigitSet(self.0 | DigitSet::from_digit(digit).0)
    }

    /// The set with that digit removed.
    #[must_use]
    pub const fn without(self, digit: Digit) -> DigitSet {
        DigitSet(self.0 & !DigitSet::from_digit(digit).0)
    }

    /// The digits that are in either set.
    #[must_use]
    pub const fn union(self, other: DigitSet) -> DigitSet {
        DigitSet(self.0 | other.0)
    }

    /// The digits that are in both sets.
    #[must_use]
    pub const fn intersection(self, other: DigitSet) -> DigitSet {
        DigitSet(self.0 & other.0)
    }

    /// The digits that are in this set but not in the other.
    #[must_use]
    pub const fn difference(self, other: DigitSet) -> DigitSet {
        DigitSet(self.0 & !other.0)
    }

    /// The digits of a grid of that side that are not in the set.
    #[must_use]
    pub const fn complement(self, side: usize) -> DigitSet {
        DigitSet(DigitSet::all(side).0 & !self.0)
    }

    /// Counts the digits of the set.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Checks whether the set has no digit.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Checks whether the set has exactly one digit.
    #[must_use]
    pub const fn is_single(self) -> bool {
        self.0.is_power_of_two()
    }

    /// Checks whether the set has exactly two digits.
    pub(crate) const fn is_pair(self) -> bool {
        (self.0 & self.0.wrapping_sub(1)).is_power_of_two()
    }

    /// The lowest digit; `None` if the set is empty.
    #[must_use]
    pub const fn lowest(self) -> Option<Digit> {
        Digit::new(self.0.trailing_zeros() as u8 + 1)
    }

    /// The lowest digit above `floor`, e.g. 9 for the set 3, 9 and a floor of 3. A floor of 0 gives the
    /// lowest of all.
    #[must_use]
    pub const fn lowest_above(self, floor: u8) -> Option<Digit> {
        Digit::new(((self.0 as u64 >> floor << floor).trailing_zeros() + 1) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_from_4_to_25() {
        let sides = (0..30).flat_map(|r| (0..30).filter_map(move |c| Shape::new(r, c))).map(Shape::side);
        let mut sides: Vec<_> = sides.collect();
        sides.sort_unstable();
        sides.dedup();
        assert_eq!(sides, [4, 6, 8, 9, 10, 12, 14, 15, 16, 18, 20, 21, 22, 24, 25]);
    }

    #[test]
    fn shapes_are_read_as_they_are_written() {
        for text in ["2x2", "2x3", "3x2", "4x4", "5x5", "2x12"] {
            assert_eq!(text.parse::<Shape>().unwrap().to_string(), text);
        }
        for text in ["", "9", "x", "1x9", "6x6", "3x", "-2x2", "3x3x3"] {
            assert!(text.parse::<Shape>().unwrap_err().contains("is not a shape"), "{text}");
        }
    }

    #[test]
    fn houses_and_coordinates_agree() {
        for (rows, columns) in [(2, 2), (2, 3), (3, 2), (3, 3), (2, 4), (4, 3), (4, 4), (5, 5)] {
            let shape = Shape::new(rows, columns).unwrap();
            for house in House::all(shape) {
                let cells: Vec<_> = house.cells(shape).collect();
                assert_eq!(cells.len(), shape.side());
                assert!(cells.is_sorted());
                for cell in cells {
                    let holds = match house {
                        House::Row(row) => cell.row(shape) == row,
                        House::Column(column) => cell.column(shape) == column,
                        House::Box(index) => cell.box_index(shape) == index,
                    };
                    assert!(holds, "{house} of {shape}");
                }
            }
        }
    }

    #[test]
    fn peers_share_houses() {
        let shape = Shape::CLASSIC;
        for cell in Cell::all(shape) {
            let mut expected = [0u32; 3];
            for house in House::all(shape).filter(|house| house.cells(shape).any(|c| c == cell)) {
                house
                    .cells(shape)
                    .filter(|&c| c != cell)
                    .for_each(|c| expected[c.index() / 27] |= 1 << (c.index() % 27));
            }
            assert_eq!(PEERS[cell.index()], expected);
            assert_eq!(expected.map(u32::count_ones).iter().sum::<u32>(), 20);
        }
    }

    #[test]
    fn sets_of_digits_combine_as_sets_do() {
        let set =
            [3, 9, 25].map(|d| Digit::new(d).unwrap()).into_iter().fold(DigitSet::EMPTY, DigitSet::with);
        assert_eq!(set.len(), 3);
        assert_eq!(set.lowest_above(0).map(Digit::get), Some(3));
        assert_eq!((set.lowest().map(Digit::get), DigitSet::EMPTY.lowest()), (Some(3), None));
        assert_eq!(set.lowest_above(3).map(Digit::get), Some(9));
        assert_eq!(set.lowest_above(9).map(Digit::get), Some(25));
        assert_eq!(set.lowest_above(25), None);
        assert_eq!(set.complement(25).union(set), DigitSet::all(25));
        let single = set.without(Digit::new(3).unwrap()).without(Digit::new(25).unwrap());
        assert_eq!((set.difference(single).len(), set.intersection(single)), (2, single));
        assert!(single.is_single() && !single.is_empty() && DigitSet::EMPTY.is_empty());
        let pair = single.with(Digit::new(25).unwrap());
        assert_eq!([DigitSet::EMPTY, single, pair, set].map(DigitSet::is_pair), [false, false, true, false]);
    }
}
