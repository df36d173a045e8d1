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

use super::orientation::{Orientation, PAIRS, Pair};
use super::{Canonical, Matrix, unpack};

/// Rows and columns that may give the least grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) transposed: bool,
    pub(super) pair: Pair,
    pub(super) columns: [u8; 9],
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
