//! Eliminations on a board where singles find nothing more. A dynamic chain can continue from them.
//!
//! This file has locked candidates, hidden pairs, naked pairs and X-wings, found by the functions of their
//! techniques. [`nested`](super::nested) has chains. Only the first kind that finds something is used,
//! because Sudoku Explainer does so and the length of a chain depends on it. A pattern counts only if it was
//! not there before the assumption. The candidates that had to be removed first, so that it appeared, are its
//! *causes*.

use super::net::Candidate;
use crate::logic::cells::{BOX, COLUMN, CellSet, HOUSE, HOUSES};
use crate::logic::state::{State, digits};
use crate::logic::technique::{Rating, Technique};
use crate::logic::techniques::singles::{Lock, for_each_lock};
use crate::logic::techniques::subsets::{
    Fish, Subset, cells_of, for_each_fish, for_each_hidden, for_each_naked,
};

/// Eliminations that a dynamic chain can use where singles find nothing more.
pub(super) trait FurtherEliminations: Default {
    /// The technique of dynamic chains that use them.
    const TECHNIQUE: Technique;
    /// The lowest rating of such chains.
    const LEAST: Rating = Self::TECHNIQUE.least();
    /// Whether there are any such eliminations.
    const HAS_ANY: bool = !matches!(Self::TECHNIQUE, Technique::DynamicChains);
    /// Whether some of them come from chains, whose complexity counts too.
    const NESTED: bool = matches!(Self::TECHNIQUE, Technique::NestedChains);

    /// Adds the eliminations of a board, each with its causes. Eliminations that rest on nested chains with a
    /// complexity above `most` may be left out.
    fn find(&mut self, change: BoardChange, most: u32, eliminations: &mut Eliminations);
}

/// None: such chains only use singles.
#[derive(Default)]
pub(super) struct NoFurtherEliminations;

impl FurtherEliminations for NoFurtherEliminations {
    const TECHNIQUE: Technique = Technique::DynamicChains;

    fn find(&mut self, _: BoardChange, _: u32, _: &mut Eliminations) {}
}

/// A list of eliminations. All their candidates share one vector, so that a new elimination needs no
/// allocation.
#[derive(Clone, Debug, Default)]
pub(super) struct Eliminations {
    pub(super) list: Vec<Elimination>,
    pub(super) candidates: Vec<Candidate>,
}

/// Candidates that are removed for the same reason: those from index `effects` to `end`. The candidates from
/// `causes` to `effects` had to be removed first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elimination {
    pub(super) causes: usize,
    pub(super) effects: usize,
    pub(super) end: usize,
    pub(super) chain: Option<NestedChain>,
}

/// A chain inside a dynamic chain, on which an elimination rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NestedChain {
    /// A hash of the statements. Equal chains must count only once, and equal sets of statements have equal
    /// hashes.
    pub hash: u64,
    pub complexity: u32,
}

impl Eliminations {
    /// Removes all eliminations but keeps the memory.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.candidates.clear();
    }

    /// Adds an elimination. It is left out if it has no causes, because it then does not follow from the
    /// assumption. `chain` is the nested chain that it rests on, if any.
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
            self.list.push(Elimination { causes: start, effects: middle, end: self.candidates.len(), chain });
        } else {
            self.candidates.truncate(start);
        }
    }

    /// The causes and the effects of each elimination.
    #[cfg(test)]
    pub(super) fn causes_and_effects(&self) -> impl Iterator<Item = (Vec<Candidate>, Vec<Candidate>)> + '_ {
        let candidates = &self.candidates;
        self.list.iter().map(|elimination| {
            (
                candidates[elimination.causes..elimination.effects].to_vec(),
                candidates[elimination.effects..elimination.end].to_vec(),
            )
        })
    }

    /// The complexity of the nested chain of each elimination.
    #[cfg(test)]
    pub(super) fn complexities(&self) -> impl Iterator<Item = Option<u32>> + '_ {
        self.list.iter().map(|elimination| elimination.chain.map(|chain| chain.complexity))
    }

    /// The number of eliminations.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }
}

/// Locked candidates, pairs and X-wings, in the order in which Sudoku Explainer looks for them: columns
/// before rows, and of two pairs (of lines, cells or digits) the one with the lower last member first. The
/// order matters, because the first elimination of a candidate decides the length of the chain.
///
/// The techniques find the patterns in another order, so this type has memory to sort them.
#[derive(Debug, Default)]
pub(super) struct SimplePatterns {
    locks: Vec<Lock>,
    subsets: Vec<Subset>,
    wings: Vec<Fish>,
}

impl FurtherEliminations for SimplePatterns {
    const TECHNIQUE: Technique = Technique::DynamicPlus;

    fn find(&mut self, change: BoardChange, _: u32, eliminations: &mut Eliminations) {
        let count = eliminations.len();
        for add in [
            SimplePatterns::locked_candidates,
            SimplePatterns::hidden_pairs,
            SimplePatterns::naked_pairs,
            SimplePatterns::x_wings,
        ] {
            if eliminations.len() == count {
                add(self, change, eliminations);
            }
        }
    }
}

/// Boxes, then columns, then rows.
const HOUSE_ORDER: [std::ops::Range<usize>; 3] = [BOX..HOUSES, COLUMN..BOX, 0..COLUMN];

impl SimplePatterns {
    /// Locked candidates: a digit is removed from the rest of a house if another house has it only where the
    /// two cross.
    fn locked_candidates(&mut self, change: BoardChange, eliminations: &mut Eliminations) {
        self.locks.clear();
        (0..9).for_each(|digit| for_each_lock(digit, change.now, |lock| self.locks.push(*lock)));
        let is_row = |house| house < COLUMN;
        self.locks.sort_unstable_by_key(|lock| {
            (lock.from < BOX, is_row(lock.from) || is_row(lock.into), lock.digit, lock.from)
        });
        for &Lock { digit, from, into, .. } in &self.locks {
            let causes = change.removed(digit, from) - HOUSE[into];
            eliminations.add(
                None,
                candidates(digit, causes),
                candidates(digit, change.remaining(digit, into) - HOUSE[from]),
            );
        }
    }

    /// Hidden pairs: the other candidates of two cells are removed if these are the only places of two digits
    /// in a house.
    fn hidden_pairs(&mut self, change: BoardChange, eliminations: &mut Eliminations) {
        for house in HOUSE_ORDER.into_iter().flatten() {
            self.subsets.clear();
            for_each_hidden::<2>(house, 4, change.now, |pair| self.subsets.push(*pair));
            self.subsets.sort_unstable_by_key(|pair| pair.digits);
            for pair in &self.subsets {
                let causes =
                    digits(pair.digits).flat_map(|digit| candidates(digit, change.removed(digit, house)));
                let others = |cell| change.now.candidates(cell) & !pair.digits;
                eliminations.add(
                    None,
                    causes,
                    pair.cells().into_iter().flat_map(|cell| candidates_in_cell(cell, others(cell))),
                );
            }
        }
    }

    /// Naked pairs: two digits are removed from the rest of a house if two of its cells have no other
    /// candidates.
    fn naked_pairs(&mut self, change: BoardChange, eliminations: &mut Eliminations) {
        for house in HOUSE_ORDER.into_iter().flatten() {
            self.subsets.clear();
            for_each_naked::<2>(house, change.now, |pair| self.subsets.push(*pair));
            self.subsets.sort_unstable_by_key(|pair| pair.places);
            for pair in &self.subsets {
                let cells = pair.cells();
                let others = |cell| change.before.candidates(cell) & !pair.digits;
                let causes = cells.into_iter().flat_map(|cell| candidates_in_cell(cell, others(cell)));
                let rest = |digit| candidates(digit, change.remaining(digit, house) - cells);
                eliminations.add(None, causes, digits(pair.digits).flat_map(rest));
            }
        }
    }

    /// X-wings: a digit is removed from two lines if two crossing lines have their only places of it there.
    fn x_wings(&mut self, change: BoardChange, eliminations: &mut Eliminations) {
        self.wings.clear();
        (0..9).for_each(|digit| for_each_fish::<2>(digit, change.now, |wing| self.wings.push(*wing)));
        self.wings.sort_unstable_by_key(|wing| (wing.base_from == 0, wing.base, wing.digit));
        for wing in &self.wings {
            let digit = wing.digit;
            let covered = cells_of(wing.covers());
            let causes = |line| candidates(digit, change.removed(digit, line) - covered);
            let removed = wing.removed(change.now);
            let effects = |line| candidates(digit, removed & HOUSE[line]);
            eliminations.add(None, wing.bases().flat_map(causes), wing.covers().flat_map(effects));
        }
    }
}

/// A board before an assumption, and now.
#[derive(Clone, Copy)]
pub(super) struct BoardChange<'a> {
    pub(super) before: &'a State,
    pub(super) now: &'a State,
}

impl BoardChange<'_> {
    /// The cells of a house from which a digit has been removed.
    pub(super) fn removed(&self, digit: usize, house: usize) -> CellSet {
        (self.before.cells_of(digit) - self.now.cells_of(digit)) & HOUSE[house]
    }

    /// The cells of a house that still have a digit.
    fn remaining(&self, digit: usize, house: usize) -> CellSet {
        self.now.cells_of(digit) & HOUSE[house]
    }
}

/// A digit in each of some cells.
fn candidates(digit: usize, cells: CellSet) -> impl Iterator<Item = Candidate> {
    cells.into_iter().map(move |cell| Candidate::new(cell, digit))
}

/// Each of some digits in a cell.
fn candidates_in_cell(cell: usize, mask: u16) -> impl Iterator<Item = Candidate> {
    digits(mask).map(move |digit| Candidate::new(cell, digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(row: usize, column: usize) -> usize {
        row * 9 + column - 10
    }

    /// The eliminations after the candidates `removed` are removed from a board. The candidates `missing` were
    /// absent from the start.
    fn eliminations(
        missing: &[(usize, usize)],
        removed: &[(usize, usize)],
    ) -> Vec<(Vec<Candidate>, Vec<Candidate>)> {
        let mut before = State::BLANK;
        missing.iter().for_each(|&(cell, digit)| before.remove(cell, digit));
        let mut now = before.clone();
        removed.iter().for_each(|&(cell, digit)| now.remove(cell, digit));
        let mut eliminations = Eliminations::default();
        SimplePatterns::default().find(
            BoardChange { before: &before, now: &now },
            u32::MAX,
            &mut eliminations,
        );
        eliminations.causes_and_effects().collect()
    }

    /// A digit in all cells of a house except the given ones.
    fn elsewhere(house: usize, digit: usize, but: &[usize]) -> Vec<(usize, usize)> {
        HOUSE[house].into_iter().filter(|cell| !but.contains(cell)).map(|cell| (cell, digit)).collect()
    }

    fn candidates(candidates: &[(usize, usize)]) -> Vec<Candidate> {
        candidates.iter().map(|&(cell, digit)| Candidate::new(cell, digit)).collect()
    }

    #[test]
    fn a_digit_left_in_one_row_of_a_box_is_removed_from_the_rest_of_the_row() {
        let missing = elsewhere(BOX, 4, &[at(1, 1), at(1, 2), at(2, 2), at(1, 3)]);
        let rest: Vec<_> = (4..=9).map(|column| (at(1, column), 4)).collect();
        assert_eq!(
            eliminations(&missing, &[(at(2, 2), 4)]),
            [(candidates(&[(at(2, 2), 4)]), candidates(&rest))]
        );
        // The removed place lies in the row too, so the digit was locked before.
        let locked = elsewhere(BOX, 4, &[at(1, 1), at(1, 2), at(1, 3)]);
        assert_eq!(eliminations(&locked, &[(at(1, 3), 4)]), []);
    }

    #[test]
    fn two_digits_left_in_two_cells_of_a_row_remove_the_other_candidates() {
        let mut missing = elsewhere(0, 0, &[at(1, 1), at(1, 9), at(1, 5)]);
        missing.extend(elsewhere(0, 1, &[at(1, 1), at(1, 9)]));
        let found = eliminations(&missing, &[(at(1, 5), 0)]);
        let others: Vec<_> = [at(1, 1), at(1, 9)]
            .into_iter()
            .flat_map(|cell| (2..9).map(move |digit| (cell, digit)))
            .collect();
        assert_eq!(found, [(candidates(&[(at(1, 5), 0)]), candidates(&others))]);
        assert_eq!(eliminations(&missing, &[(at(1, 5), 2)]), []);
    }

    #[test]
    fn two_cells_left_with_two_digits_remove_them_from_their_column() {
        let cells = [at(2, 4), at(8, 4)];
        let missing: Vec<_> = cells
            .into_iter()
            .flat_map(|cell| (0..9).filter(|digit| ![3, 6].contains(digit)).map(move |digit| (cell, digit)))
            .filter(|&candidate| candidate != (cells[0], 8))
            .collect();
        let rest: Vec<_> =
            [3, 6].into_iter().flat_map(|digit| elsewhere(COLUMN + 3, digit, &cells)).collect();
        assert_eq!(
            eliminations(&missing, &[(cells[0], 8)]),
            [(candidates(&[(cells[0], 8)]), candidates(&rest))]
        );
        assert_eq!(eliminations(&missing, &[(cells[0], 3)]), []);
    }

    #[test]
    fn a_digit_left_in_two_columns_of_two_rows_is_removed_from_the_columns() {
        let mut missing = elsewhere(1, 7, &[at(2, 3), at(2, 7)]);
        missing.extend(elsewhere(7, 7, &[at(8, 3), at(8, 7), at(8, 5)]));
        let rest: Vec<_> = [3, 7]
            .into_iter()
            .flat_map(|column| [1, 3, 4, 5, 6, 7, 9].map(|row| (at(row, column), 7)))
            .collect();
        assert_eq!(
            eliminations(&missing, &[(at(8, 5), 7)]),
            [(candidates(&[(at(8, 5), 7)]), candidates(&rest))]
        );
        assert_eq!(eliminations(&missing, &[(at(8, 3), 7)]), []);
    }
}
