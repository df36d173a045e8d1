//! Fish: in some parallel lines, a digit has places in as many crossing lines only.
//!
//! ```text
//!  X-wing in rows 2 and 6          (x: has the digit; *: loses it)
//!  . * . . . * . . .
//!  - x - - - x - - -     each of the two rows places the digit in one
//!  . * . . . * . . .     of the two columns, so both columns have it
//!  - x - - - x - - -     within these rows
//! ```
//!
//! Ratings: X-wing (two lines) 3.2, swordfish (three) 3.8, jellyfish (four) 5.2. Source: Sudoku Explainer 1.2.1.

use super::subsets::for_each_subset;
use crate::logic::cells::{COLUMN, CandidateSet, CellSet, HOUSE, digit_name, digit_names};
use crate::logic::finder::{Pattern, Scratch, Sink};
use crate::logic::state::{State, digits};
use crate::logic::technique::Technique;

/// Finds fish of `N` lines.
pub(crate) fn find<const N: usize>(state: &State, scratch: &mut Scratch, sink: &mut dyn Sink) {
    let technique = [Technique::XWing, Technique::Swordfish, Technique::Jellyfish][N - 2];
    scratch.changes.look_at_digits(technique, |digit| {
        let mut any = false;
        for_each::<N>(digit, state, |lines| {
            let removed = CandidateSet::of(digit, lines.removed(state));
            any |= sink.remove(technique, technique.least(), removed, &|| lines.pattern(state));
        });
        any
    });
}

/// Calls `found` with every fish of a digit, those that remove nothing too: in rows first, then in columns.
#[inline]
pub(crate) fn for_each<const N: usize>(digit: usize, state: &State, mut found: impl FnMut(&Lines)) {
    // With fewer lines to go, the other lines make a smaller fish.
    if open_rows(digit, state) < 2 * N {
        return;
    }
    for base_from in [0, COLUMN] {
        let places = std::array::from_fn(|line| state.places(digit, base_from + line));
        for_each_subset::<N>(&places, |base, cover| {
            found(&Lines { digit, base_from, base, cover });
        });
    }
}

/// Returns how many rows have places for a digit.
fn open_rows(digit: usize, state: &State) -> usize {
    (0..9).filter(|&row| state.places(digit, row) != 0).count()
}

/// Returns the cells of some houses.
pub(crate) fn cells_of(houses: impl Iterator<Item = usize>) -> CellSet {
    houses.fold(CellSet::EMPTY, |cells, house| cells | HOUSE[house])
}

/// A fish: the lines that hold a digit, and the crossing lines that lose it elsewhere, as masks of rows or columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines {
    pub(crate) digit: usize,
    /// The house of the first of the parallel lines.
    pub(crate) base_from: usize,
    pub(crate) base: u16,
    cover: u16,
}

impl Lines {
    /// Returns the lines that hold the digit.
    pub(crate) fn bases(&self) -> impl Iterator<Item = usize> + use<> {
        let first = self.base_from;
        digits(self.base).map(move |line| first + line)
    }

    /// Returns the lines that lose the digit elsewhere.
    pub(crate) fn covers(&self) -> impl Iterator<Item = usize> + use<> {
        let first = COLUMN - self.base_from;
        digits(self.cover).map(move |line| first + line)
    }

    /// Returns the cells that lose the digit.
    pub(crate) fn removed(&self, state: &State) -> CellSet {
        state.cells_of(self.digit) & (cells_of(self.covers()) - cells_of(self.bases()))
    }

    fn pattern(&self, state: &State) -> Pattern {
        let (kind, crossing) = if self.base_from == 0 { ("rows", "columns") } else { ("columns", "rows") };
        Pattern {
            houses: self.bases().chain(self.covers()).collect(),
            candidates: CandidateSet::of(self.digit, state.cells_of(self.digit) & cells_of(self.bases())),
            reason: format!(
                "{kind} {} hold {} only in {crossing} {}, so no other cell of these {crossing} holds it",
                digit_names(self.base),
                digit_name(self.digit),
                digit_names(self.cover),
            ),
            ..Pattern::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::techniques::trial::Trial;

    #[test]
    fn an_x_wing_clears_the_crossing_lines() {
        let mut trial = Trial::new().confine(7, "r2", "r2c2 r2c6").confine(7, "r6", "r6c2 r6c6");
        assert_eq!(
            trial.find(find::<2>),
            ["3.2 x-wing: 7 in r1c2, r1c6, r3c2, r3c6, r4c2, r4c6, r5c2, r5c6, r7c2, r7c6, \
              r8c2, r8c6, r9c2 and r9c6"]
        );
        assert_eq!(
            trial.reasons(),
            ["rows 2 and 6 hold 7 only in columns 2 and 6, so no other cell of these columns holds it"]
        );
        let mut trial = Trial::new().confine(7, "c2", "r2c2 r6c2").confine(7, "c6", "r2c6 r6c6");
        assert_eq!(trial.find(find::<2>).len(), 1);
        assert_eq!(
            trial.reasons(),
            ["columns 2 and 6 hold 7 only in rows 2 and 6, so no other cell of these rows holds it"]
        );
    }

    #[test]
    fn no_x_wing_with_a_third_column_or_with_nothing_to_remove() {
        for places in ["r6c2 r6c7", "r6c2 r6c6 r6c7", "r6c2"] {
            let mut trial = Trial::new().confine(7, "r2", "r2c2 r2c6").confine(7, "r6", places);
            assert!(trial.find(find::<2>).is_empty(), "{places}");
        }
        let wing = Trial::new().confine(7, "r2", "r2c2 r2c6").confine(7, "r6", "r6c2 r6c6");
        let mut cleared = wing.confine(7, "c2", "r2c2 r6c2").confine(7, "c6", "r2c6 r6c6");
        assert!(cleared.find(find::<2>).is_empty());
    }

    #[test]
    fn a_swordfish_needs_not_have_every_corner() {
        let two = || Trial::new().confine(7, "r1", "r1c1 r1c4").confine(7, "r4", "r4c4 r4c7");
        let mut trial = two().confine(7, "r7", "r7c1 r7c7");
        assert_eq!(
            trial.find(find::<3>),
            ["3.8 swordfish: 7 in r2c1, r2c4, r2c7, r3c1, r3c4, r3c7, r5c1, r5c4, r5c7, r6c1, r6c4, r6c7, \
              r8c1, r8c4, r8c7, r9c1, r9c4 and r9c7"]
        );
        assert!(two().confine(7, "r7", "r7c1 r7c8").find(find::<3>).is_empty());
    }

    #[test]
    fn a_jellyfish_has_four_lines() {
        let three = Trial::new().confine(7, "c1", "r1c1 r4c1").confine(7, "c4", "r4c4 r7c4");
        let mut trial = three.confine(7, "c7", "r7c7 r9c7").confine(7, "c9", "r9c9 r1c9");
        assert!(trial.find(find::<3>).is_empty());
        let found = trial.find(find::<4>);
        assert_eq!((found.len(), found[0].get(..28)), (1, Some("5.2 jellyfish: 7 in r1c2, r1")));
    }
}
