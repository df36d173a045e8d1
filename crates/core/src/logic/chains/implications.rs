//! Implications beyond singles, for where these lead no further: what goes, and what had to go first.
//!
//! Here are locked candidates, hidden pairs, naked pairs and X-wings, as their techniques find them; chains are in
//! [`nested`](super::nested). The first kind that finds something is all that is taken. A pattern counts if it was not
//! there before the assumption: the candidates that had to go first are the causes.

use super::net::Candidate;
use crate::logic::cells::{BOX, COLUMN, CellSet, HOUSE, HOUSES};
use crate::logic::state::{State, digits};
use crate::logic::technique::{Rating, Technique};
use crate::logic::techniques::singles::{Lock, for_each_lock};
use crate::logic::techniques::subsets::{
    Lines, Subset, cells_of, for_each_fish, for_each_hidden, for_each_naked,
};

/// Implications beyond those of singles, for where these end.
pub(super) trait Implications: Default {
    /// The technique of dynamic chains with them.
    const TECHNIQUE: Technique;
    /// The least rating of such chains.
    const LEAST: Rating = Self::TECHNIQUE.least();
    /// Whether there are any.
    const SOME: bool = !matches!(Self::TECHNIQUE, Technique::DynamicChains);
    /// Whether there are chains among them, whose complexity counts.
    const NESTED: bool = matches!(Self::TECHNIQUE, Technique::NestedChains);

    /// Adds the candidates that go, each with the candidates that must have gone before. Those that rest on nested
    /// chains of a complexity above `most` may be left out.
    fn further(&mut self, narrowed: Narrowed, most: u32, offs: &mut Offs);
}

/// No implications beyond those of singles.
#[derive(Default)]
pub(super) struct Singles;

impl Implications for Singles {
    const TECHNIQUE: Technique = Technique::DynamicChains;

    fn further(&mut self, _: Narrowed, _: u32, _: &mut Offs) {}
}

/// Batches of candidates that go for the same reason.
#[derive(Clone, Debug, Default)]
pub(super) struct Offs {
    pub(super) batches: Vec<Batch>,
    pub(super) candidates: Vec<Candidate>,
}

/// Candidates that go for the same reason: from `effects` to `end` among the candidates. Those from `causes` to there had to
/// go first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batch {
    pub(super) causes: usize,
    pub(super) effects: usize,
    pub(super) end: usize,
    pub(super) chain: Option<NestedChain>,
}

/// A deduction by chains within chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NestedChain {
    /// A number that is equal for equal sets of statements.
    pub hash: u64,
    pub complexity: u32,
}

impl Offs {
    /// Removes all batches.
    pub(super) fn clear(&mut self) {
        self.batches.clear();
        self.candidates.clear();
    }

    /// Adds a batch: the candidates that must have gone before, and those that go. Without causes it is left out, because
    /// it is no consequence of the assumption. Some batches rest on a nested chain.
    pub(super) fn add(
        &mut self,
        chain: Option<NestedChain>,
        causes: impl Iterator<Item = Candidate>,
        effects: impl Iterator<Item = Candidate>,
    ) {
        let start = self.candidates.len();
        self.candidates.extend(causes);
        let middle = self.candidates.len();
        if middle > start {
            self.candidates.extend(effects);
        }
        if self.candidates.len() > middle {
            self.batches.push(Batch { causes: start, effects: middle, end: self.candidates.len(), chain });
        } else {
            self.candidates.truncate(start);
        }
    }

    /// Returns the causes and the effects of each batch.
    #[cfg(test)]
    pub(super) fn batches(&self) -> impl Iterator<Item = (Vec<Candidate>, Vec<Candidate>)> + '_ {
        let candidates = &self.candidates;
        self.batches.iter().map(|batch| {
            (candidates[batch.causes..batch.effects].to_vec(), candidates[batch.effects..batch.end].to_vec())
        })
    }

    /// Returns the complexity of the chains that each batch rests on.
    #[cfg(test)]
    pub(super) fn complexities(&self) -> impl Iterator<Item = Option<u32>> + '_ {
        self.batches.iter().map(|batch| batch.chain.map(|chain| chain.complexity))
    }

    /// Returns how many batches there are.
    pub(super) fn len(&self) -> usize {
        self.batches.len()
    }
}

/// Locked candidates, pairs and X-wings, in the order in which Sudoku Explainer looks for them: columns before rows, and
/// of two pairs of lines, cells or digits first the one with the lower last member.
///
/// It has the memory to sort them.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    locks: Vec<Lock>,
    subsets: Vec<Subset>,
    wings: Vec<Lines>,
}

impl Implications for Pairs {
    const TECHNIQUE: Technique = Technique::DynamicPlus;

    fn further(&mut self, narrowed: Narrowed, _: u32, offs: &mut Offs) {
        let count = offs.len();
        for add in [Pairs::lock, Pairs::hide_pairs, Pairs::bare_pairs, Pairs::x_wings] {
            if offs.len() == count {
                add(self, narrowed, offs);
            }
        }
    }
}

/// The boxes, then the columns, then the rows.
const HOUSE_ORDER: [std::ops::Range<usize>; 3] = [BOX..HOUSES, COLUMN..BOX, 0..COLUMN];

impl Pairs {
    /// Adds what goes from the rest of a line or a box where another house has a digit only where they cross.
    fn lock(&mut self, narrowed: Narrowed, offs: &mut Offs) {
        self.locks.clear();
        (0..9).for_each(|digit| for_each_lock(digit, narrowed.now, |lock| self.locks.push(*lock)));
        let is_row = |house| house < COLUMN;
        self.locks.sort_unstable_by_key(|lock| {
            (lock.from < BOX, is_row(lock.from) || is_row(lock.into), lock.digit, lock.from)
        });
        for &Lock { digit, from, into, .. } in &self.locks {
            let causes = narrowed.gone(digit, from) - HOUSE[into];
            offs.add(
                None,
                candidates(digit, causes),
                candidates(digit, narrowed.left(digit, into) - HOUSE[from]),
            );
        }
    }

    /// Adds the other candidates of two cells that are the only places of two digits in a house.
    fn hide_pairs(&mut self, narrowed: Narrowed, offs: &mut Offs) {
        for house in HOUSE_ORDER.into_iter().flatten() {
            self.subsets.clear();
            for_each_hidden::<2>(house, 4, narrowed.now, |pair| self.subsets.push(*pair));
            self.subsets.sort_unstable_by_key(|pair| pair.digits);
            for pair in &self.subsets {
                let causes =
                    digits(pair.digits).flat_map(|digit| candidates(digit, narrowed.gone(digit, house)));
                let others = |cell| narrowed.now.candidates(cell) & !pair.digits;
                offs.add(
                    None,
                    causes,
                    pair.cells().into_iter().flat_map(|cell| candidates_of(cell, others(cell))),
                );
            }
        }
    }

    /// Adds what goes from the other cells of a house where two have the same two candidates.
    fn bare_pairs(&mut self, narrowed: Narrowed, offs: &mut Offs) {
        for house in HOUSE_ORDER.into_iter().flatten() {
            self.subsets.clear();
            for_each_naked::<2>(house, narrowed.now, |pair| self.subsets.push(*pair));
            self.subsets.sort_unstable_by_key(|pair| pair.places);
            for pair in &self.subsets {
                let cells = pair.cells();
                let others = |cell| narrowed.before.candidates(cell) & !pair.digits;
                let causes = cells.into_iter().flat_map(|cell| candidates_of(cell, others(cell)));
                let rest = |digit| candidates(digit, narrowed.left(digit, house) - cells);
                offs.add(None, causes, digits(pair.digits).flat_map(rest));
            }
        }
    }

    /// Adds what goes from two lines in which two crossing lines have their only places of a digit.
    fn x_wings(&mut self, narrowed: Narrowed, offs: &mut Offs) {
        self.wings.clear();
        (0..9).for_each(|digit| for_each_fish::<2>(digit, narrowed.now, |wing| self.wings.push(*wing)));
        self.wings.sort_unstable_by_key(|wing| (wing.base_from == 0, wing.base, wing.digit));
        for wing in &self.wings {
            let digit = wing.digit;
            let covered = cells_of(wing.covers());
            let gone = |line| candidates(digit, narrowed.gone(digit, line) - covered);
            let removed = wing.removed(narrowed.now);
            let lost = |line| candidates(digit, removed & HOUSE[line]);
            offs.add(None, wing.bases().flat_map(gone), wing.covers().flat_map(lost));
        }
    }
}

/// A state before an assumption and now.
#[derive(Clone, Copy)]
pub(super) struct Narrowed<'a> {
    pub(super) before: &'a State,
    pub(super) now: &'a State,
}

impl Narrowed<'_> {
    /// Returns the cells of a house that a digit has left.
    pub(super) fn gone(&self, digit: usize, house: usize) -> CellSet {
        (self.before.cells_of(digit) - self.now.cells_of(digit)) & HOUSE[house]
    }

    /// Returns the cells of a house that a digit has still.
    fn left(&self, digit: usize, house: usize) -> CellSet {
        self.now.cells_of(digit) & HOUSE[house]
    }
}

/// Returns a digit in some cells.
fn candidates(digit: usize, cells: CellSet) -> impl Iterator<Item = Candidate> {
    cells.into_iter().map(move |cell| Candidate::new(cell, digit))
}

/// Returns some digits in a cell.
fn candidates_of(cell: usize, mask: u16) -> impl Iterator<Item = Candidate> {
    digits(mask).map(move |digit| Candidate::new(cell, digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(row: usize, column: usize) -> usize {
        row * 9 + column - 10
    }

    /// Returns what follows once some candidates have gone from a board of which others were missing from the start.
    fn further(missing: &[(usize, usize)], gone: &[(usize, usize)]) -> Vec<(Vec<Candidate>, Vec<Candidate>)> {
        let mut before = State::BLANK;
        missing.iter().for_each(|&(cell, digit)| before.remove(cell, digit));
        let mut now = before.clone();
        gone.iter().for_each(|&(cell, digit)| now.remove(cell, digit));
        let mut offs = Offs::default();
        Pairs::default().further(Narrowed { before: &before, now: &now }, u32::MAX, &mut offs);
        offs.batches().collect()
    }

    /// Returns a digit in the cells of a house but some.
    fn elsewhere(house: usize, digit: usize, but: &[usize]) -> Vec<(usize, usize)> {
        HOUSE[house].into_iter().filter(|cell| !but.contains(cell)).map(|cell| (cell, digit)).collect()
    }

    fn candidates(candidates: &[(usize, usize)]) -> Vec<Candidate> {
        candidates.iter().map(|&(cell, digit)| Candidate::new(cell, digit)).collect()
    }

    #[test]
    fn a_digit_left_in_one_row_of_a_box_goes_from_the_rest_of_the_row() {
        let missing = elsewhere(BOX, 4, &[at(1, 1), at(1, 2), at(2, 2), at(1, 3)]);
        let rest: Vec<_> = (4..=9).map(|column| (at(1, column), 4)).collect();
        assert_eq!(further(&missing, &[(at(2, 2), 4)]), [(candidates(&[(at(2, 2), 4)]), candidates(&rest))]);
        // The place that goes lies in the row: the box was locked without it.
        let locked = elsewhere(BOX, 4, &[at(1, 1), at(1, 2), at(1, 3)]);
        assert_eq!(further(&locked, &[(at(1, 3), 4)]), []);
    }

    #[test]
    fn two_digits_left_in_two_cells_of_a_row_leave_no_room_for_others() {
        let mut missing = elsewhere(0, 0, &[at(1, 1), at(1, 9), at(1, 5)]);
        missing.extend(elsewhere(0, 1, &[at(1, 1), at(1, 9)]));
        let found = further(&missing, &[(at(1, 5), 0)]);
        let others: Vec<_> = [at(1, 1), at(1, 9)]
            .into_iter()
            .flat_map(|cell| (2..9).map(move |digit| (cell, digit)))
            .collect();
        assert_eq!(found, [(candidates(&[(at(1, 5), 0)]), candidates(&others))]);
        assert_eq!(further(&missing, &[(at(1, 5), 2)]), []);
    }

    #[test]
    fn two_cells_left_with_two_digits_take_them_from_their_column() {
        let cells = [at(2, 4), at(8, 4)];
        let missing: Vec<_> = cells
            .into_iter()
            .flat_map(|cell| (0..9).filter(|digit| ![3, 6].contains(digit)).map(move |digit| (cell, digit)))
            .filter(|&candidate| candidate != (cells[0], 8))
            .collect();
        let rest: Vec<_> =
            [3, 6].into_iter().flat_map(|digit| elsewhere(COLUMN + 3, digit, &cells)).collect();
        assert_eq!(further(&missing, &[(cells[0], 8)]), [(candidates(&[(cells[0], 8)]), candidates(&rest))]);
        assert_eq!(further(&missing, &[(cells[0], 3)]), []);
    }

    #[test]
    fn a_digit_left_in_two_columns_of_two_rows_goes_from_the_columns() {
        let mut missing = elsewhere(1, 7, &[at(2, 3), at(2, 7)]);
        missing.extend(elsewhere(7, 7, &[at(8, 3), at(8, 7), at(8, 5)]));
        let rest: Vec<_> = [3, 7]
            .into_iter()
            .flat_map(|column| [1, 3, 4, 5, 6, 7, 9].map(|row| (at(row, column), 7)))
            .collect();
        assert_eq!(further(&missing, &[(at(8, 5), 7)]), [(candidates(&[(at(8, 5), 7)]), candidates(&rest))]);
        assert_eq!(further(&missing, &[(at(8, 3), 7)]), []);
    }
}
