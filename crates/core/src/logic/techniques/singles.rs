//! Singles: a digit with only one place in a house, or a cell with only one candidate.
//!
//! ```text
//!  . . . | . . 5 | . . .        . . . | 1 2 3 | . . .
//!  1 2 4 | . . . | . . .        4 . . | . * . | . . 5    * sees 1 to 8:
//!  3 * 6 | . . . | . . .        . . . | . . . | . . .    it can only be 9
//! ------ 5 has one place        ------- . 6 . ---------
//!        in the box                     . 7 .
//!                                       . 8 .
//! ```
//!
//! Ratings: 1.0 for the last empty cell of a house, 1.2 for a digit with only one place in a box, 1.5 in a
//! line, 2.3 for a cell with only one candidate. Source: Sudoku Explainer 1.2.1.
//!
//! Locked candidates: all places of a digit in one house also lie in a second house. The digit must be in one
//! of them, so it is removed from the rest of the second house.
//!
//! ```text
//!  Pointing: 5 in the box        Claiming: 5 in the row
//!  only in its first row         only in its first box
//!
//!  5 5 . | - - - | - - -         5 5 . | . . . | . . .
//!  . . . |       |               - - - |       |
//!  . . . |       |               - - - |       |
//! ```
//!
//! Ratings: 2.6 for pointing (from a box into a line), 2.8 for claiming (from a line into a box). Direct
//! pointing is 1.7 and direct claiming 1.9: the digit then has only one place left in another box or line of
//! the same band, beside the first house. Source: Sudoku Explainer 1.2.1.

use crate::grid::{THIRDS, bits_of};
use crate::logic::cells::{
    BOX, COLUMN, CandidateSet, CellSet, HOUSE, cell_name, digit_name, first_at, house,
};
use crate::logic::finder::{Deduction, DeductionSink, Pattern, Scratch};
use crate::logic::state::{State, digits};
use crate::logic::technique::Technique;

/// Finds digits that have only one place in a house: last cells first, then boxes, then lines, because their
/// ratings rise in this order and each limit is checked before the next search.
pub(crate) fn find_hidden(state: &State, _: &mut Scratch, sink: &mut dyn DeductionSink) {
    find_last_cells(state, sink);
    if sink.limit() < Technique::HiddenSingleBox.least() {
        return;
    }
    let houses: [u32; 9] = std::array::from_fn(|digit| state.houses_of_one_place(digit));
    find_of_kind(Technique::HiddenSingleBox, houses.map(|houses| houses & BOXES), state, sink);
    if sink.limit() >= Technique::HiddenSingleLine.least() {
        find_of_kind(Technique::HiddenSingleLine, houses.map(|houses| houses & !BOXES), state, sink);
    }
}

/// The nine boxes as a mask of houses.
const BOXES: u32 = 0x1ff << BOX;

/// Reports the last empty cell of each house that has only one.
fn find_last_cells(state: &State, sink: &mut dyn DeductionSink) {
    for index in bits_of(state.houses_of_one_empty_cell()) {
        let cell = first_at(index, state.empty_places(index));
        for digit in digits(state.candidates(cell)) {
            found(Technique::LastCell, index, cell, digit, sink);
        }
    }
}

/// Reports the digits that have only one place in a house of the mask.
fn find_of_kind(technique: Technique, houses: [u32; 9], state: &State, sink: &mut dyn DeductionSink) {
    for digit in 0..9 {
        for index in bits_of(houses[digit]) {
            found(technique, index, first_at(index, state.places(digit, index)), digit, sink);
        }
    }
}

fn found(technique: Technique, index: usize, cell: usize, digit: usize, sink: &mut dyn DeductionSink) {
    sink.found(&Deduction::place(technique, technique.least(), cell, digit), &|| {
        let candidates = CandidateSet::for_digit(digit, CellSet::from_cell(cell));
        let (cell, digit, house) = (cell_name(cell), digit_name(digit), house(index));
        let reason = match technique {
            Technique::LastCell => format!("{cell} is the last empty cell of {house}, so it is {digit}"),
            _ => format!("{digit} has no other place in {house} than {cell}"),
        };
        Pattern { houses: vec![index], candidates, reason, ..Pattern::default() }
    });
}

/// Finds cells with only one candidate.
pub(crate) fn find_naked(state: &State, _: &mut Scratch, sink: &mut dyn DeductionSink) {
    for cell in state.cells_with(1) {
        let digit = state.candidates(cell).trailing_zeros() as usize;
        let rating = Technique::NakedSingle.least();
        sink.found(&Deduction::place(Technique::NakedSingle, rating, cell, digit), &|| {
            let candidates = CandidateSet::for_digit(digit, CellSet::from_cell(cell));
            let reason = format!("{} can only be {}", cell_name(cell), digit_name(digit));
            Pattern { candidates, reason, ..Pattern::default() }
        });
    }
}

/// The three bands of rows and the three stacks of columns: for each, its three parallel lines and the three
/// boxes that they cross.
static BANDS: [[[usize; 3]; 2]; 6] = {
    const fn band(line: usize, first: usize, step: usize) -> [[usize; 3]; 2] {
        [[line, line + 1, line + 2], [first, first + step, first + 2 * step]]
    }
    [
        band(0, BOX, 1),
        band(3, BOX + 3, 1),
        band(6, BOX + 6, 1),
        band(COLUMN, BOX, 3),
        band(COLUMN + 3, BOX + 1, 3),
        band(COLUMN + 6, BOX + 2, 3),
    ]
};

/// For each occupation of a band by a digit, the locks by pointing and by claiming that remove something. In
/// the index and in the results, bit `3 * line + box` is the part of the line that lies in the box. In the
/// index it says whether the digit has places there, in a result whether the digit is locked there.
static LOCKS: [[u16; 2]; 512] = table!(512, occupied => {
    let (mut locks, mut at) = ([0; 2], 0);
    while at < 9 {
        let line = 0o7 << (at / 3 * 3) & !(1 << at);
        let column = 0o111 << (at % 3) & !(1 << at);
        let (along, across) = (occupied & line != 0, occupied & column != 0);
        if occupied >> at & 1 != 0 && along != across {
            locks[across as usize] |= 1 << at;
        }
        at += 1;
    }
    locks
});

/// A lock: all places of `digit` in the house `from` also lie in the house `into`, and `into` has further
/// places to remove.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lock {
    pub(crate) digit: usize,
    pub(crate) from: usize,
    pub(crate) into: usize,
    /// The two houses parallel to `from` that `into` also crosses. A direct technique may leave one place
    /// there.
    beside: [usize; 2],
}

impl Lock {
    /// Creates the lock of a digit in one of three parallel houses.
    #[inline]
    const fn new(digit: usize, houses: &[usize; 3], from: usize, into: usize) -> Lock {
        Lock { digit, from: houses[from], into, beside: [houses[(from + 1) % 3], houses[(from + 2) % 3]] }
    }

    fn either(&self, pointing: Technique, claiming: Technique) -> Technique {
        if self.from >= BOX { pointing } else { claiming }
    }

    fn removed(&self, state: &State) -> CandidateSet {
        CandidateSet::for_digit(
            self.digit,
            (state.cells_of(self.digit) & HOUSE[self.into]) - HOUSE[self.from],
        )
    }

    /// The only cell that the lock leaves to the digit in a house beside `from`. `None` if several are left,
    /// or if the lock removes nothing there.
    fn leaves(&self, beside: usize, state: &State) -> Option<usize> {
        let cells = state.cells_of(self.digit) & HOUSE[beside];
        if cells.meets(HOUSE[self.into]) { (cells - HOUSE[self.into]).single() } else { None }
    }

    fn pattern(&self, state: &State, houses: &[usize], consequence: &str) -> Pattern {
        let (digit, from, into) = (digit_name(self.digit), house(self.from), house(self.into));
        Pattern {
            houses: houses.to_vec(),
            candidates: CandidateSet::for_digit(self.digit, state.cells_of(self.digit) & HOUSE[self.from]),
            reason: format!("all places of {digit} in {from} lie in {into}, so {consequence}"),
            ..Pattern::default()
        }
    }
}

/// Calls `found` for every lock of a digit that removes something.
#[inline]
pub(crate) fn for_each_lock(digit: usize, state: &State, mut found: impl FnMut(&Lock)) {
    for [lines, boxes] in &BANDS {
        let boxes_of = |line: usize| usize::from(THIRDS[usize::from(state.places(digit, lines[line]))]);
        let [pointing, claiming] = LOCKS[boxes_of(0) | boxes_of(1) << 3 | boxes_of(2) << 6];
        digits(pointing).for_each(|at| found(&Lock::new(digit, boxes, at % 3, lines[at / 3])));
        digits(claiming).for_each(|at| found(&Lock::new(digit, lines, at / 3, boxes[at % 3])));
    }
}

/// Finds digits that are locked in a house, and removes them from the rest of the house that they are locked
/// into.
pub(crate) fn find_locked(state: &State, scratch: &mut Scratch, sink: &mut dyn DeductionSink) {
    scratch.changes.look_at_digits(Technique::Pointing, |digit, any| {
        for_each_lock(digit, state, |lock| {
            let technique = lock.either(Technique::Pointing, Technique::Claiming);
            *any |= sink.remove(technique, technique.least(), lock.removed(state), &|| {
                let consequence =
                    format!("no other cell of {} holds {}", house(lock.into), digit_name(digit));
                lock.pattern(state, &[lock.from, lock.into], &consequence)
            });
        });
    });
}

/// Finds digits that are locked and therefore have only one place left in a parallel house.
pub(crate) fn find_direct_locked(state: &State, scratch: &mut Scratch, sink: &mut dyn DeductionSink) {
    scratch.changes.look_at_digits(Technique::DirectPointing, |digit, any| {
        for_each_lock(digit, state, |lock| {
            let technique = lock.either(Technique::DirectPointing, Technique::DirectClaiming);
            for beside in lock.beside {
                let Some(cell) = lock.leaves(beside, state) else { continue };
                *any = true;
                let placed = Deduction::place(technique, technique.least(), cell, digit);
                sink.found(&Deduction { removed: lock.removed(state), ..placed }, &|| {
                    let consequence =
                        format!("{} is the only place left for it in {}", cell_name(cell), house(beside));
                    lock.pattern(state, &[lock.from, lock.into, beside], &consequence)
                });
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::techniques::tests::Trial;

    #[test]
    fn a_digit_with_one_place_in_a_box_or_a_line_is_a_hidden_single() {
        let mut trial =
            Trial::new().confine(5, "b1", "r2c2").confine(6, "c9", "r9c9").confine(7, "r4", "r4c4 r4c5");
        assert_eq!(
            trial.find(find_hidden),
            ["1.2 hidden-single-box: r2c2 is 5", "1.5 hidden-single-line: r9c9 is 6"]
        );
        assert_eq!(trial.reasons()[0], "5 has no other place in box 1 than r2c2");
        assert_eq!(trial.up_to(12).find(find_hidden), ["1.2 hidden-single-box: r2c2 is 5"]);
    }

    #[test]
    fn the_last_empty_cell_of_a_house_comes_first() {
        let placed = |digits: usize| {
            let cells = ["r1c1", "r1c2", "r1c3", "r2c1", "r2c2", "r2c3", "r3c1", "r3c2"];
            (1..=digits).fold(Trial::new(), |trial, digit| trial.place(digit, cells[digit - 1]))
        };
        let mut trial = placed(8).up_to(10);
        assert_eq!(trial.find(find_hidden), ["1.0 last-cell: r3c3 is 9"]);
        assert_eq!(trial.reasons(), ["r3c3 is the last empty cell of box 1, so it is 9"]);
        assert!(placed(7).find(find_hidden).is_empty());
    }

    #[test]
    fn a_cell_with_one_candidate_is_a_naked_single() {
        let mut trial = Trial::new().only("r1c1", "5").only("r9c9", "56");
        assert_eq!(trial.find(find_naked), ["2.3 naked-single: r1c1 is 5"]);
        assert_eq!(trial.reasons(), ["r1c1 can only be 5"]);
    }
}

#[cfg(test)]
mod locked_tests {
    use super::*;
    use crate::logic::techniques::tests::Trial;

    #[test]
    fn a_digit_that_a_box_has_in_one_line_leaves_the_rest_of_the_line() {
        let mut trial = Trial::new().confine(5, "b1", "r1c1 r1c2");
        assert_eq!(trial.find(find_locked), ["2.6 pointing: 5 in r1c4, r1c5, r1c6, r1c7, r1c8 and r1c9"]);
        assert_eq!(
            trial.reasons(),
            ["all places of 5 in box 1 lie in row 1, so no other cell of row 1 holds 5"]
        );
        let mut trial = Trial::new().confine(5, "b5", "r4c5 r6c5");
        assert_eq!(trial.find(find_locked), ["2.6 pointing: 5 in r1c5, r2c5, r3c5, r7c5, r8c5 and r9c5"]);
    }

    #[test]
    fn a_digit_that_a_line_has_in_one_box_leaves_the_rest_of_the_box() {
        let mut trial = Trial::new().confine(5, "r8", "r8c4 r8c5 r8c6");
        assert_eq!(trial.find(find_locked), ["2.8 claiming: 5 in r7c4, r7c5, r7c6, r9c4, r9c5 and r9c6"]);
        let mut trial = Trial::new().confine(5, "c9", "r1c9 r3c9");
        assert_eq!(trial.find(find_locked), ["2.8 claiming: 5 in r1c7, r1c8, r2c7, r2c8, r3c7 and r3c8"]);
    }

    #[test]
    fn a_digit_with_places_elsewhere_or_nothing_to_remove_is_not_locked() {
        let loose = Trial::new().confine(5, "b1", "r1c1 r1c2 r2c3");
        let exhausted = Trial::new().confine(5, "b1", "r1c1 r1c2").confine(5, "r1", "r1c1 r1c2");
        for mut trial in [Trial::new(), loose, exhausted] {
            assert!(trial.find(find_locked).is_empty());
        }
    }

    #[test]
    fn direct_pointing_places_the_digit_in_a_box_beside() {
        let mut trial = Trial::new().confine(5, "b1", "r1c1 r1c2").confine(5, "b2", "r1c5 r2c4").up_to(17);
        assert_eq!(trial.find(find_direct_locked), ["1.7 direct-pointing: r2c4 is 5"]);
        assert_eq!(
            trial.reasons(),
            ["all places of 5 in box 1 lie in row 1, so r2c4 is the only place left for it in box 2"]
        );
    }

    #[test]
    fn direct_claiming_places_the_digit_in_a_line_beside() {
        let mut trial = Trial::new().confine(5, "c1", "r4c1 r6c1").confine(5, "c3", "r5c3 r9c3");
        // Box 1 has places left only in column 2, so pointing finds the same.
        assert_eq!(
            trial.find(find_direct_locked),
            ["1.7 direct-pointing: r9c3 is 5", "1.9 direct-claiming: r9c3 is 5"]
        );
    }

    #[test]
    fn direct_locking_needs_one_place_left_of_several() {
        for places in ["r1c5 r2c4 r3c4", "r1c5 r1c6", "r2c4"] {
            let mut trial = Trial::new().confine(5, "b1", "r1c1 r1c2").confine(5, "b2", places).up_to(17);
            assert!(trial.find(find_direct_locked).is_empty(), "{places}");
        }
    }
}
