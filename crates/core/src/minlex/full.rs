//! The minlex form of a full grid.
//!
//! Any row can become the first one, 123456789. Let A be the row that becomes the first, and B, in the same
//! band, the row that becomes the second. For a column c, let next(c) be the column in which A has the digit
//! that B has in c. It is in another stack than c, because a box has each digit once. There are two cases:
//!
//! - In a *pure* pair, next leads from the three columns of each stack to a single stack. The second row
//!   becomes 456789123 or 456789 and another order of 123, because each stack is followed by the one to which
//!   it leads, column by column. Only the first stack and the order of its columns are open, which makes 18
//!   choices.
//! - In a *mixed* pair, next leads from two columns of each stack to one stack, and from the third, the *lone*
//!   column, to the other. Here the lone columns are those in which B has 7, 1 and 6:
//!
//!   ```text
//!   stack     1       2       3
//!   A       1 2 3   4 5 6   7 8 9
//!   B       4 5 7   1 8 9   2 3 6
//!   ```
//!
//!   The stack to which two columns of the first stack lead becomes the second one, and the lone column becomes
//!   the last of the first stack. So the second row begins with 457. Then come 8, 9 and x, the digit of 1, 2
//!   and 3 that B has in the lone column of the second stack. If one of the columns of 4 and 5 leads to that
//!   lone column, it becomes the column of 4, and x comes first: 457x89. Otherwise x comes last, 45789x. If
//!   the lone column of the second stack leads to one of these two columns, that becomes the column of 4, so
//!   x is 1. If it leads to the lone column of the first stack, x is 3, and either column may be that of 4.
//!   So the first stack is open, and sometimes the order of these two columns.
//!
//! A pure pair beats any other. If there is none, the 108 choices of two rows and a stack are ranked by the
//! digits from 457 to the end of the second stack, before any columns are laid out. About twenty labellings
//! remain. A grid with pure pairs has 18 for each pair, which is about as many. They are compared by their
//! second and third row, and the one or two that are left by all nine rows.

use super::{Canonical, Matrix, ORDERS, Transform, push, unpack};
use crate::grid::Shape;

/// Rows and columns in an order that may give the least grid.
#[derive(Clone, Copy, Debug)]
struct Labelling {
    transposed: bool,
    pair: RowPair,
    columns: [u8; 9],
}

/// The search, with its memory.
#[derive(Debug, Default)]
pub(super) struct FullSearch {
    /// The labellings that tie so far.
    labellings: Vec<Labelling>,
    /// Their second and third row, which is the least pair so far.
    least: (u64, u64),
}

impl FullSearch {
    /// Finds the minlex form of a grid that obeys the rules.
    pub(super) fn minlex(&mut self, orientations: &[Matrix; 2]) -> Canonical {
        let orientations =
            [Orientation::new(&orientations[0], false), Orientation::new(&orientations[1], true)];
        self.labellings.clear();
        self.least = (u64::MAX, u64::MAX);
        for orientation in &orientations {
            for pair in PAIRS.into_iter().filter(|&pair| orientation.is_pure(pair)) {
                orientation.pure_orders(pair, &mut |columns| self.take(orientation, pair, columns));
            }
        }
        if self.labellings.is_empty() {
            self.take_mixed(&orientations);
        }
        self.least_form(&orientations)
    }

    /// Tries the labellings of the pairs of the least rank, for a grid in which no pair is pure.
    fn take_mixed(&mut self, orientations: &[Orientation<'_>; 2]) {
        let ranks = orientations
            .each_ref()
            .map(|orientation| PAIRS.map(|pair| orientation.first_stacks(pair).map(|lead| lead.rank)));
        let least = ranks.as_flattened().as_flattened().iter().min().copied();
        for (orientation, ranks) in orientations.iter().zip(&ranks) {
            for (pair, ranks) in PAIRS.into_iter().zip(ranks) {
                if !ranks.iter().any(|&rank| Some(rank) == least) {
                    continue;
                }
                for lead in orientation.first_stacks(pair).into_iter().filter(|lead| Some(lead.rank) == least)
                {
                    orientation
                        .mixed_orders(pair, lead, &mut |columns| self.take(orientation, pair, columns));
                }
            }
        }
    }

    /// Keeps a labelling, unless its second and third row are above the least so far.
    #[inline]
    fn take(&mut self, orientation: &Orientation<'_>, pair: RowPair, columns: [u8; 9]) {
        let labelling = Labelling { transposed: orientation.transposed, pair, columns };
        let digits = orientation.digits(&labelling);
        let second = orientation.row(labelling.pair.second, &labelling.columns, &digits);
        if second > self.least.0 {
            return;
        }
        let rows = (second, orientation.row(labelling.pair.third(), &labelling.columns, &digits));
        if rows > self.least {
            return;
        }
        if rows < self.least {
            self.least = rows;
            self.labellings.clear();
        }
        self.labellings.push(labelling);
    }

    /// Finds the least form among the labellings that are left.
    fn least_form(&self, orientations: &[Orientation<'_>; 2]) -> Canonical {
        let whole = |labelling: &Labelling| orientations[usize::from(labelling.transposed)].whole(labelling);
        let (mut best, mut transform) = whole(&self.labellings[0]);
        let mut automorphisms = 1;
        for labelling in &self.labellings[1..] {
            let (rows, other) = whole(labelling);
            if rows == best {
                automorphisms += 1;
            } else if rows < best {
                (best, transform, automorphisms) = (rows, other, 1);
            }
        }
        Canonical { form: unpack(&best, 0), transform, automorphisms }
    }
}

/// The rows of a full grid, or its columns, with the places of their digits.
struct Orientation<'a> {
    transposed: bool,
    lines: &'a Matrix,
    /// For each row, the column of each digit.
    columns: [[u8; 10]; 9],
    /// For each row and stack, the set of digits.
    sets: [[u16; 3]; 9],
}

/// Two rows of a band: A and B of the comment at the top.
#[derive(Clone, Copy, Debug)]
struct RowPair {
    first: usize,
    second: usize,
}

/// The 18 ordered pairs of rows of a band.
const PAIRS: [RowPair; 18] = table!(18, number => {
    let first = number / 2;
    RowPair { first, second: first / 3 * 3 + (first + 1 + number % 2) % 3 }
});

/// A choice of the first stack for a pair that is not pure, with its rank.
#[derive(Clone, Copy)]
struct FirstStack {
    /// The rank of the three digits that the pair has in its second stack (x89 or 89x); lower is better.
    rank: u8,
    stack: u8,
    /// The column of 4 in the second row.
    four: u8,
    /// The column of 7 in the second row.
    lone: u8,
}

/// Added to the rank of 89x, because x89 with any x comes before it.
const X_LAST: u8 = 8;

impl RowPair {
    /// The third row of the band.
    fn third(self) -> usize {
        9 * (self.first / 3) + 3 - self.first - self.second
    }
}

impl<'a> Orientation<'a> {
    fn new(lines: &'a Matrix, transposed: bool) -> Orientation<'a> {
        let mut orientation = Orientation { transposed, lines, columns: [[0; 10]; 9], sets: [[0; 3]; 9] };
        for (row, line) in lines.iter().enumerate() {
            for (column, &digit) in line.iter().enumerate() {
                orientation.columns[row][usize::from(digit)] = column as u8;
                orientation.sets[row][column / 3] |= 1 << digit;
            }
        }
        orientation
    }

    fn is_pure(&self, pair: RowPair) -> bool {
        let of_second = self.sets[pair.second][0];
        self.sets[pair.first][1] == of_second || self.sets[pair.first][2] == of_second
    }

    /// The column that a column leads to.
    #[inline(always)]
    fn next(&self, pair: RowPair, column: u8) -> u8 {
        self.columns[pair.first][usize::from(self.lines[pair.second][usize::from(column)])]
    }

    /// The column that leads to a column.
    #[inline(always)]
    fn previous(&self, pair: RowPair, column: u8) -> u8 {
        self.columns[pair.second][usize::from(self.lines[pair.first][usize::from(column)])]
    }

    /// Passes the orders of columns that a pure pair leaves open to `take`.
    fn pure_orders(&self, pair: RowPair, take: &mut dyn FnMut([u8; 9])) {
        for stack in [0, 3, 6] {
            for order in ORDERS {
                let first = order.map(|column| stack + column as u8);
                let second = first.map(|column| self.next(pair, column));
                let third = second.map(|column| self.next(pair, column));
                let stacks = [first, second, third];
                take(std::array::from_fn(|place| stacks[place / 3][place % 3]));
            }
        }
    }

    /// Ranks each stack as the first one of a pair that is not pure.
    #[inline(always)]
    fn first_stacks(&self, pair: RowPair) -> [FirstStack; 3] {
        let (first, second) = (&self.sets[pair.first], &self.sets[pair.second]);
        // How far each stack is from the one that two of its columns lead to.
        let step = if (second[0] & first[1]).count_ones() == 2 { 1 } else { 2 };
        let lone: [u8; 3] = [0, 1, 2].map(|stack| {
            let digit = second[stack] & first[(stack + 2 * step) % 3];
            self.columns[pair.second][digit.trailing_zeros() as usize]
        });
        [0, 1, 2].map(|stack: usize| {
            let with_x = lone[(stack + step) % 3];
            let (to_x, from_x) = (self.previous(pair, with_x), self.next(pair, with_x));
            let x_is_first = usize::from(to_x / 3) == stack;
            let four = if x_is_first { to_x } else { from_x };
            let x = if from_x == lone[stack] { 3 } else { 2 - u8::from(from_x == four) };
            let rank = if x_is_first { x } else { X_LAST + x };
            FirstStack { rank, stack: stack as u8, four, lone: lone[stack] }
        })
    }

    /// Passes the orders of columns that remain open, for a pair that is not pure and a first stack, to
    /// `take`.
    fn mixed_orders(&self, pair: RowPair, lead: FirstStack, take: &mut dyn FnMut([u8; 9])) {
        let first = 3 * lead.stack;
        let open = lead.rank == X_LAST + 3;
        // 4 and 5 can be in either order. They are the columns of the stack other than the lone one.
        let four = if open { first + u8::from(lead.lone == first) } else { lead.four };
        let five = 3 * first + 3 - lead.lone - four;
        for (four, five) in [(four, five), (five, four)].into_iter().take(1 + usize::from(open)) {
            let (to_four, to_five) = (self.next(pair, four), self.next(pair, five));
            let last = 3 * (to_four / 3 * 3) + 3 - to_four - to_five;
            let [eight, nine] = if lead.rank < X_LAST { [to_five, last] } else { [to_four, to_five] };
            let (eight, nine) = (self.next(pair, eight), self.next(pair, nine));
            take([four, five, lead.lone, to_four, to_five, last, self.next(pair, lead.lone), eight, nine]);
        }
    }

    /// The new names of the digits. The blank, 0, stays 0.
    #[inline(always)]
    fn digits(&self, labelling: &Labelling) -> [u8; 10] {
        let mut digits = [0; 10];
        for (place, &column) in labelling.columns.iter().enumerate() {
            digits[usize::from(self.lines[labelling.pair.first][usize::from(column)])] = place as u8 + 1;
        }
        digits
    }

    /// Packs a row, with its columns in that order and its digits renamed.
    #[inline(always)]
    fn row(&self, row: usize, columns: &[u8; 9], digits: &[u8; 10]) -> u64 {
        let line = &self.lines[row];
        let name = |&column: &u8| digits[usize::from(line[usize::from(column)])];
        columns.iter().fold(0, |packed, column| push(packed, name(column)))
    }

    /// All rows, with those of the other bands in ascending order, and the transform that leads to them.
    fn whole(&self, labelling: &Labelling) -> ([u64; 9], Transform) {
        let digits = self.digits(labelling);
        let row = |row: usize| (self.row(row, &labelling.columns, &digits), row as u8);
        let band = labelling.pair.first / 3;
        let mut bands = [1, 2].map(|step| {
            let top = (band + step) % 3 * 3;
            let mut rows = [top, top + 1, top + 2].map(row);
            rows.sort_unstable();
            rows
        });
        bands.sort_unstable();
        let top = [labelling.pair.first, labelling.pair.second, labelling.pair.third()].map(row);
        let rows: [_; 9] = std::array::from_fn(|place| [top, bands[0], bands[1]][place / 3][place % 3]);
        let transform = Transform {
            shape: Shape::CLASSIC,
            transposed: labelling.transposed,
            rows: rows.map(|(_, row)| row),
            columns: labelling.columns,
            digits,
        };
        (rows.map(|(packed, _)| packed), transform)
    }
}
