//! The minlex form of a full grid.
//!
//! Any row can become the first one, 123456789. Let A be the row that becomes the first and B, of the same
//! band, the one that becomes the second. Each column *leads to* the one where A has the digit that B has in
//! that column. B has three digits in each stack, and A has them in the other two stacks:
//!
//! - all in one stack. Then it is so in every stack, the rows are a *pure* pair, and the second row becomes
//!   456789 and three more: stacks and columns stand in the order in which they lead to one another. One
//!   stack and the order of its columns, 18 choices, are open;
//! - two in one stack, which is to be the second, and one in the other: the *lone* column leads there. The
//!   second row becomes 457, then x89 or 89x, where x is the one digit of 123 that B has in the second stack:
//!   in its lone column. x goes first if the columns of 4 or 5 lead there; else these two may be in either
//!   order. One stack, and perhaps these two, are open.
//!
//! A pure pair beats any other. Without one, the 108 choices of two rows and a stack are ranked by the digits
//! from 457 to the end of the second stack before columns are laid out. About twenty stay, with all 18 orders
//! of a pure pair as many; they are compared by their second and third row, and one or two by all nine.

use super::{Canonical, Matrix, ORDERS, Transform, push, unpack};
use crate::grid::Shape;

/// Rows and columns that may give the least grid.
#[derive(Clone, Copy, Debug)]
struct Choice {
    transposed: bool,
    pair: Pair,
    columns: [u8; 9],
}

/// The search, with its memory.
#[derive(Debug, Default)]
pub(super) struct FullSearch {
    /// The choices that tie so far, and their second and third row.
    choices: Vec<Choice>,
    least: (u64, u64),
}

impl FullSearch {
    /// Returns the minlex form of a grid that obeys the rules.
    pub(super) fn minlex(&mut self, sides: &[Matrix; 2]) -> Canonical {
        let sides = [Orientation::new(&sides[0], false), Orientation::new(&sides[1], true)];
        self.choices.clear();
        self.least = (u64::MAX, u64::MAX);
        for side in &sides {
            for pair in PAIRS.into_iter().filter(|&pair| side.is_pure(pair)) {
                side.pure_orders(pair, &mut |columns| self.take(side, pair, columns));
            }
        }
        if self.choices.is_empty() {
            self.take_mixed(&sides);
        }
        self.conclude(&sides)
    }

    /// Keeps the choices that tie, where no pair is pure.
    fn take_mixed(&mut self, sides: &[Orientation<'_>; 2]) {
        let ranks =
            sides.each_ref().map(|side| PAIRS.map(|pair| side.first_stacks(pair).map(|lead| lead.rank)));
        let least = ranks.as_flattened().as_flattened().iter().min().copied();
        for (side, ranks) in sides.iter().zip(&ranks) {
            for (pair, ranks) in PAIRS.into_iter().zip(ranks) {
                if !ranks.iter().any(|&rank| Some(rank) == least) {
                    continue;
                }
                for lead in side.first_stacks(pair).into_iter().filter(|lead| Some(lead.rank) == least) {
                    side.mixed_orders(pair, lead, &mut |columns| self.take(side, pair, columns));
                }
            }
        }
    }

    /// Keeps a choice, unless its second and third row are above the least.
    #[inline]
    fn take(&mut self, side: &Orientation<'_>, pair: Pair, columns: [u8; 9]) {
        let choice = Choice { transposed: side.transposed, pair, columns };
        let digits = side.digits(&choice);
        let second = side.row(choice.pair.second, &choice.columns, &digits);
        if second > self.least.0 {
            return;
        }
        let rows = (second, side.row(choice.pair.third(), &choice.columns, &digits));
        if rows > self.least {
            return;
        }
        if rows < self.least {
            self.least = rows;
            self.choices.clear();
        }
        self.choices.push(choice);
    }

    /// Returns the least form among the choices that are left.
    fn conclude(&self, sides: &[Orientation<'_>; 2]) -> Canonical {
        let whole = |choice: &Choice| sides[usize::from(choice.transposed)].whole(choice);
        let (mut best, mut transform) = whole(&self.choices[0]);
        let mut automorphisms = 1;
        for choice in &self.choices[1..] {
            let (rows, other) = whole(choice);
            if rows == best {
                automorphisms += 1;
            } else if rows < best {
                (best, transform, automorphisms) = (rows, other, 1);
            }
        }
        Canonical { form: unpack(&best), transform, automorphisms }
    }
}

/// A full grid's rows or columns, with the places of their digits.
struct Orientation<'a> {
    transposed: bool,
    lines: &'a Matrix,
    /// For each row the column of each digit.
    columns: [[u8; 10]; 9],
    /// For each row and stack the set of digits.
    sets: [[u16; 3]; 9],
}

/// Two rows of a band: A and B above.
#[derive(Clone, Copy, Debug)]
struct Pair {
    first: usize,
    second: usize,
}

/// The 18 ordered pairs of rows of a band.
const PAIRS: [Pair; 18] = table!(18, number => {
    let first = number / 2;
    Pair { first, second: first / 3 * 3 + (first + 1 + number % 2) % 3 }
});

/// The first stack of a pair that is not pure, with its rank.
#[derive(Clone, Copy)]
struct FirstStack {
    /// The rank of its x89 or 89x among all of them.
    rank: u8,
    stack: u8,
    /// The columns of 4 and of 7 in the second row.
    four: u8,
    lone: u8,
}

/// x89 with any x, before 89x.
const X_LAST: u8 = 8;

impl Pair {
    /// Returns the third row of the band.
    fn third(self) -> usize {
        9 * (self.first / 3) + 3 - self.first - self.second
    }
}

impl<'a> Orientation<'a> {
    fn new(lines: &'a Matrix, transposed: bool) -> Orientation<'a> {
        let mut side = Orientation { transposed, lines, columns: [[0; 10]; 9], sets: [[0; 3]; 9] };
        for (row, line) in lines.iter().enumerate() {
            for (column, &digit) in line.iter().enumerate() {
                side.columns[row][usize::from(digit)] = column as u8;
                side.sets[row][column / 3] |= 1 << digit;
            }
        }
        side
    }

    fn is_pure(&self, pair: Pair) -> bool {
        let of_second = self.sets[pair.second][0];
        self.sets[pair.first][1] == of_second || self.sets[pair.first][2] == of_second
    }

    /// Returns the column that a column leads to.
    #[inline(always)]
    fn next(&self, pair: Pair, column: u8) -> u8 {
        self.columns[pair.first][usize::from(self.lines[pair.second][usize::from(column)])]
    }

    /// Returns the column that leads to a column.
    #[inline(always)]
    fn previous(&self, pair: Pair, column: u8) -> u8 {
        self.columns[pair.second][usize::from(self.lines[pair.first][usize::from(column)])]
    }

    /// Hands the orders of columns that a pure pair leaves open to `take`.
    fn pure_orders(&self, pair: Pair, take: &mut dyn FnMut([u8; 9])) {
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

    /// Returns what a pair that is not pure gives with each of the stacks as the first.
    #[inline(always)]
    fn first_stacks(&self, pair: Pair) -> [FirstStack; 3] {
        let (first, second) = (&self.sets[pair.first], &self.sets[pair.second]);
        // The distance from each stack to the one that two of its columns lead to.
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

    /// Hands the orders of columns that a pair that is not pure and a first stack leave open to `take`.
    fn mixed_orders(&self, pair: Pair, lead: FirstStack, take: &mut dyn FnMut([u8; 9])) {
        let first = 3 * lead.stack;
        let open = lead.rank == X_LAST + 3;
        // 4 and 5 in either order: the columns of the stack that are not the lone one.
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

    /// Returns the new names of the digits, and 0 for 0.
    #[inline(always)]
    fn digits(&self, choice: &Choice) -> [u8; 10] {
        let mut digits = [0; 10];
        for (place, &column) in choice.columns.iter().enumerate() {
            digits[usize::from(self.lines[choice.pair.first][usize::from(column)])] = place as u8 + 1;
        }
        digits
    }

    /// Returns a row with its columns in that order and its digits renamed.
    #[inline(always)]
    fn row(&self, row: usize, columns: &[u8; 9], digits: &[u8; 10]) -> u64 {
        let line = &self.lines[row];
        let name = |&column: &u8| digits[usize::from(line[usize::from(column)])];
        columns.iter().fold(0, |packed, column| push(packed, name(column)))
    }

    /// Returns all rows, those of the other bands in order, and the transform to them.
    fn whole(&self, choice: &Choice) -> ([u64; 9], Transform) {
        let digits = self.digits(choice);
        let row = |row: usize| (self.row(row, &choice.columns, &digits), row as u8);
        let band = choice.pair.first / 3;
        let mut bands = [1, 2].map(|step| {
            let top = (band + step) % 3 * 3;
            let mut rows = [top, top + 1, top + 2].map(row);
            rows.sort_unstable();
            rows
        });
        bands.sort_unstable();
        let top = [choice.pair.first, choice.pair.second, choice.pair.third()].map(row);
        let rows: [_; 9] = std::array::from_fn(|place| [top, bands[0], bands[1]][place / 3][place % 3]);
        let transform = Transform {
            shape: Shape::CLASSIC,
            transposed: choice.transposed,
            rows: rows.map(|(_, row)| row),
            columns: choice.columns,
            digits,
        };
        (rows.map(|(packed, _)| packed), transform)
    }
}
