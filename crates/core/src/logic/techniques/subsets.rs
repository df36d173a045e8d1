//! Subsets: in a house, some cells that have as many digits as cells.
//!
//! ```text
//!  naked pair                     hidden pair
//!  37 | 37 | 235 | 178 | ...      378 | 2347 | 25 | 158 | ...    3 and 7 have no other places
//!             ^     ^               ^   ^ ^
//!  no other cell holds 3 or 7     these two cells hold nothing else
//! ```
//!
//! Ratings: naked pair 3.0, triplet 3.6, quad 5.0; hidden pair 3.4, triplet 4.0, quad 5.4. A direct hidden
//! pair is 2.0 and a direct hidden triplet 2.5: the subset leaves another digit only one place in the house.
//! Source: Sudoku Explainer 1.2.1.
//!
//! Fish: in some parallel lines (e.g. two rows), all places of a digit lie in the same number of crossing
//! lines (e.g. two columns).
//!
//! ```text
//!  X-wing in rows 2 and 4          (x: has the digit; *: loses it)
//!  . * . . . * . . .
//!  - x - - - x - - -     each of the two rows places the digit in one
//!  . * . . . * . . .     of the two columns, so both columns have it
//!  - x - - - x - - -     within these rows
//! ```
//!
//! Ratings: X-wing (two lines) 3.2, swordfish (three) 3.8, jellyfish (four) 5.2. Source: Sudoku Explainer 1.2.1.

use crate::logic::cells::{
    COLUMN, CandidateSet, CellSet, HOUSE, HOUSE_CELLS, cell_name, cell_names, cells_at, digit_name,
    digit_names, first_at, house,
};
use crate::logic::finder::{Deduction, DeductionSink, Pattern, Scratch};
use crate::logic::state::{ALL_NINE, State, bit_count, digits};
use crate::logic::technique::Technique;

/// Calls `found` for every choice of `N` of the nine masks that have `N` bits together. Each chosen mask must
/// have at least two bits. `found` receives the indices of the chosen masks as a mask, and their union.
#[inline]
fn for_each_subset<const N: usize>(masks: &[u16; 9], mut found: impl FnMut(u16, u16)) {
    let (mut fitting, mut len) = ([MaskChoice(0); 9], 0);
    for (index, &mask) in masks.iter().enumerate() {
        fitting[len] = MaskChoice::new(index, mask);
        len += usize::from((2..=N).contains(&bit_count(mask)));
    }
    let (fitting, none) = (&fitting[..len], MaskChoice(0));
    let mut found = |choice: MaskChoice| found(choice.indices(), choice.union());
    match N {
        2 => extend_by_two::<N>(fitting, none, |_, pair| found(pair)),
        3 => extend_by_two::<N>(fitting, none, |rest, pair| extend::<N>(rest, pair, |_, three| found(three))),
        _ => extend_by_two::<N>(fitting, none, |rest, pair| {
            extend_by_two::<N>(rest, pair, |_, four| found(four));
        }),
    }
}

/// Some of the masks: their indices in the upper 16 bits, their union in the lower 16. Adding a mask is then
/// a single `or`.
#[derive(Clone, Copy)]
struct MaskChoice(u32);

impl MaskChoice {
    fn new(index: usize, mask: u16) -> MaskChoice {
        MaskChoice(1 << (16 + index) | u32::from(mask))
    }

    fn indices(self) -> u16 {
        (self.0 >> 16) as u16
    }

    fn union(self) -> u16 {
        self.0 as u16
    }
}

/// Adds each of the masks in turn, if the union keeps at most `N` bits. `found` also receives the masks after
/// it, so that each choice is made once.
#[inline(always)]
fn extend<const N: usize>(
    masks: &[MaskChoice],
    chosen: MaskChoice,
    mut found: impl FnMut(&[MaskChoice], MaskChoice),
) {
    for (at, mask) in masks.iter().enumerate() {
        let more = MaskChoice(chosen.0 | mask.0);
        if bit_count(more.union()) <= N {
            found(&masks[at + 1..], more);
        }
    }
}

/// Adds two of the masks, in all ways.
#[inline(always)]
fn extend_by_two<const N: usize>(
    masks: &[MaskChoice],
    chosen: MaskChoice,
    mut found: impl FnMut(&[MaskChoice], MaskChoice),
) {
    extend::<N>(masks, chosen, |rest, one| extend::<N>(rest, one, &mut found));
}

/// Some digits and as many places of a house, both as masks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subset {
    house: usize,
    pub(crate) digits: u16,
    pub(crate) places: u16,
}

impl Subset {
    pub(crate) fn cells(&self) -> CellSet {
        cells_at(self.house, self.places)
    }

    /// The other digits in the cells.
    fn others(&self, state: &State) -> CandidateSet {
        state.candidates_in(ALL_NINE & !self.digits, self.cells())
    }

    fn naked(&self, state: &State) -> Pattern {
        let (cells, digits, house) = (cell_names(self.cells()), digit_names(self.digits), house(self.house));
        let reason = format!("{cells} hold nothing but {digits}, so no other cell of {house} holds these");
        self.pattern(state, reason)
    }

    fn hidden(&self, state: &State, consequence: &str) -> Pattern {
        let (cells, digits, house) = (cell_names(self.cells()), digit_names(self.digits), house(self.house));
        let reason = format!("{cells} are the only places of {digits} in {house}, so {consequence}");
        self.pattern(state, reason)
    }

    fn pattern(&self, state: &State, reason: String) -> Pattern {
        let candidates = state.candidates_in(self.digits, self.cells());
        Pattern { houses: vec![self.house], candidates, reason, ..Pattern::default() }
    }
}

/// Finds `N` cells of a house that have only `N` digits together.
pub(crate) fn find_naked<const N: usize>(state: &State, scratch: &mut Scratch, sink: &mut dyn DeductionSink) {
    let technique = [Technique::NakedPair, Technique::NakedTriplet, Technique::NakedQuad][N - 2];
    scratch.changes.look_at_houses(technique, |house, any| {
        for_each_naked::<N>(house, state, |subset| {
            let removed = state.candidates_in(subset.digits, HOUSE[house] - subset.cells());
            *any |= sink.remove(technique, technique.least(), removed, &|| subset.naked(state));
        });
    });
}

/// Calls `found` for every naked subset of a house, even if it removes nothing.
#[inline]
pub(crate) fn for_each_naked<const N: usize>(house: usize, state: &State, mut found: impl FnMut(&Subset)) {
    // With fewer empty cells, the digits outside the subset form a smaller hidden subset, which has been
    // found before.
    if bit_count(state.empty_places(house)) >= 2 * N {
        let masks = HOUSE_CELLS[house].map(|cell| state.candidates(usize::from(cell)));
        for_each_subset::<N>(&masks, |places, digits| found(&Subset { house, digits, places }));
    }
}

/// Finds `N` digits of a house that have only `N` places together.
pub(crate) fn find_hidden<const N: usize>(
    state: &State,
    scratch: &mut Scratch,
    sink: &mut dyn DeductionSink,
) {
    let technique = [Technique::HiddenPair, Technique::HiddenTriplet, Technique::HiddenQuad][N - 2];
    scratch.changes.look_at_houses(technique, |house, any| {
        for_each_hidden::<N>(house, 2 * N, state, |subset| {
            *any |= sink.remove(technique, technique.least(), subset.others(state), &|| {
                subset.hidden(state, "these cells hold nothing else")
            });
        });
    });
}

/// Calls `found` for every hidden subset of `N` digits, even if it removes nothing. Houses with `too_few` or
/// fewer empty cells are skipped: e.g. with at most `2 * N` of them, the other cells are a naked subset of at
/// most `N` cells.
#[inline]
pub(crate) fn for_each_hidden<const N: usize>(
    house: usize,
    too_few: usize,
    state: &State,
    mut found: impl FnMut(&Subset),
) {
    if bit_count(state.empty_places(house)) > too_few {
        let masks = std::array::from_fn(|digit| state.places(digit, house));
        for_each_subset::<N>(&masks, |digits, places| found(&Subset { house, digits, places }));
    }
}

/// Finds `N` digits of a house that have only `N` places together, if this leaves another digit only one
/// place.
pub(crate) fn find_direct_hidden<const N: usize>(
    state: &State,
    scratch: &mut Scratch,
    sink: &mut dyn DeductionSink,
) {
    let technique = [Technique::DirectHiddenPair, Technique::DirectHiddenTriplet][N - 2];
    scratch.changes.look_at_houses(technique, |house, any| {
        for_each_hidden::<N>(house, N, state, |subset| {
            for digit in digits(ALL_NINE & !subset.digits) {
                let places = state.places(digit, house);
                let rest = places & !subset.places;
                if rest.is_power_of_two() && rest != places {
                    *any = true;
                    let cell = first_at(house, rest);
                    let placed = Deduction::place(technique, technique.least(), cell, digit);
                    sink.found(&Deduction { removed: subset.others(state), ..placed }, &|| {
                        let (digit, cell) = (digit_name(digit), cell_name(cell));
                        subset.hidden(state, &format!("{cell} is the only place left for {digit}"))
                    });
                }
            }
        });
    });
}

/// Finds fish of `N` lines.
pub(crate) fn find_fish<const N: usize>(state: &State, scratch: &mut Scratch, sink: &mut dyn DeductionSink) {
    let technique = [Technique::XWing, Technique::Swordfish, Technique::Jellyfish][N - 2];
    scratch.changes.look_at_digits(technique, |digit, any| {
        for_each_fish::<N>(digit, state, |lines| {
            let removed = CandidateSet::for_digit(digit, lines.removed(state));
            *any |= sink.remove(technique, technique.least(), removed, &|| lines.pattern(state));
        });
    });
}

/// Calls `found` for every fish of a digit, even if it removes nothing. Fish with rows as base come first,
/// then those with columns.
#[inline]
pub(crate) fn for_each_fish<const N: usize>(digit: usize, state: &State, mut found: impl FnMut(&Fish)) {
    // With fewer lines that have the digit, the lines outside the fish form a smaller one.
    if open_rows(digit, state) < 2 * N {
        return;
    }
    for base_from in [0, COLUMN] {
        let places = std::array::from_fn(|line| state.places(digit, base_from + line));
        for_each_subset::<N>(&places, |base, cover| {
            found(&Fish { digit, base_from, base, cover });
        });
    }
}

/// The number of rows that have places for a digit.
fn open_rows(digit: usize, state: &State) -> usize {
    (0..9).filter(|&row| state.places(digit, row) != 0).count()
}

/// The union of the cells of some houses.
pub(crate) fn cells_of(houses: impl Iterator<Item = usize>) -> CellSet {
    houses.fold(CellSet::EMPTY, |cells, house| cells | HOUSE[house])
}

/// A fish: the base lines have the digit only in the cover lines, so the cover lines lose it elsewhere. Both
/// are masks of rows or columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fish {
    pub(crate) digit: usize,
    /// The house index of row 1 or column 1: which kind the base lines are.
    pub(crate) base_from: usize,
    pub(crate) base: u16,
    cover: u16,
}

impl Fish {
    /// The base lines as houses.
    pub(crate) fn bases(&self) -> impl Iterator<Item = usize> + use<> {
        let first = self.base_from;
        digits(self.base).map(move |line| first + line)
    }

    /// The cover lines as houses.
    pub(crate) fn covers(&self) -> impl Iterator<Item = usize> + use<> {
        let first = COLUMN - self.base_from;
        digits(self.cover).map(move |line| first + line)
    }

    /// The cells that lose the digit.
    pub(crate) fn removed(&self, state: &State) -> CellSet {
        state.cells_of(self.digit) & (cells_of(self.covers()) - cells_of(self.bases()))
    }

    fn pattern(&self, state: &State) -> Pattern {
        let (kind, crossing) = if self.base_from == 0 { ("rows", "columns") } else { ("columns", "rows") };
        Pattern {
            houses: self.bases().chain(self.covers()).collect(),
            candidates: CandidateSet::for_digit(
                self.digit,
                state.cells_of(self.digit) & cells_of(self.bases()),
            ),
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
    use crate::logic::techniques::tests::Trial;

    #[test]
    fn a_naked_pair_clears_its_digits_from_each_of_its_houses() {
        let mut trial = Trial::new().only("r1c1", "12").only("r1c3", "12");
        assert_eq!(
            trial.find(find_naked::<2>),
            [
                "3.0 naked-pair: 1 in r1c2, r1c4, r1c5, r1c6, r1c7, r1c8 and r1c9; \
                 2 in r1c2, r1c4, r1c5, r1c6, r1c7, r1c8 and r1c9",
                "3.0 naked-pair: 1 in r1c2, r2c1, r2c2, r2c3, r3c1, r3c2 and r3c3; \
                 2 in r1c2, r2c1, r2c2, r2c3, r3c1, r3c2 and r3c3",
            ]
        );
        assert_eq!(
            trial.reasons()[0],
            "r1c1 and r1c3 hold nothing but 1 and 2, so no other cell of row 1 holds these"
        );
    }

    #[test]
    fn no_naked_pair_of_three_digits_or_of_two_houses() {
        for wrong in [("r1c3", "13"), ("r1c3", "123"), ("r1c3", "1"), ("r4c3", "12")] {
            let mut trial = Trial::new().only("r1c1", "12").only(wrong.0, wrong.1);
            assert!(trial.find(find_naked::<2>).is_empty(), "{wrong:?}");
        }
    }

    #[test]
    fn naked_triplets_and_quads_need_not_hold_every_digit() {
        let pairs = Trial::new().only("r2c5", "12").only("r5c5", "23");
        let mut trial = pairs.only("r9c5", "13");
        assert_eq!(
            trial.find(find_naked::<3>),
            ["3.6 naked-triplet: 1 in r1c5, r3c5, r4c5, r6c5, r7c5 and r8c5; \
              2 in r1c5, r3c5, r4c5, r6c5, r7c5 and r8c5; 3 in r1c5, r3c5, r4c5, r6c5, r7c5 and r8c5"]
        );
        let pairs = Trial::new().only("r2c5", "12").only("r5c5", "23");
        let mut trial = pairs.only("r9c5", "34").only("r8c5", "14");
        assert!(trial.find(find_naked::<3>).is_empty());
        assert_eq!(trial.find(find_naked::<4>).len(), 1);
        assert!(trial.find(find_naked::<2>).is_empty());
    }

    #[test]
    fn a_hidden_pair_clears_its_cells() {
        let mut trial = Trial::new().confine(1, "r1", "r1c1 r1c5").confine(2, "r1", "r1c1 r1c5");
        assert_eq!(
            trial.find(find_hidden::<2>),
            ["3.4 hidden-pair: 3 in r1c1 and r1c5; 4 in r1c1 and r1c5; 5 in r1c1 and r1c5; \
              6 in r1c1 and r1c5; 7 in r1c1 and r1c5; 8 in r1c1 and r1c5; 9 in r1c1 and r1c5"]
        );
        assert_eq!(
            trial.reasons(),
            ["r1c1 and r1c5 are the only places of 1 and 2 in row 1, so these cells hold nothing else"]
        );
    }

    #[test]
    fn no_hidden_pair_with_a_third_place_or_with_nothing_to_clear() {
        for places in ["r1c1 r1c6", "r1c1 r1c5 r1c6", "r1c1"] {
            let mut trial = Trial::new().confine(1, "r1", "r1c1 r1c5").confine(2, "r1", places);
            assert!(trial.find(find_hidden::<2>).is_empty(), "{places}");
        }
        let pair = Trial::new().confine(1, "r1", "r1c1 r1c5").confine(2, "r1", "r1c1 r1c5");
        let mut cleared = pair.only("r1c1", "12").only("r1c5", "12");
        assert!(cleared.find(find_hidden::<2>).is_empty());
    }

    #[test]
    fn hidden_triplets_and_quads_need_not_have_every_place() {
        let pairs = || Trial::new().confine(1, "b5", "r4c4 r5c5").confine(2, "b5", "r5c5 r6c6");
        let mut triplet = pairs().confine(3, "b5", "r4c4 r6c6");
        assert_eq!(
            triplet.find(find_hidden::<3>)[0].get(..46),
            Some("4.0 hidden-triplet: 4 in r4c4, r5c5 and r6c6; ")
        );
        let mut quad = pairs().confine(3, "b5", "r6c6 r6c4").confine(4, "b5", "r4c4 r6c4");
        assert!(quad.find(find_hidden::<3>).is_empty());
        assert_eq!(quad.find(find_hidden::<4>).len(), 1);
    }

    #[test]
    fn a_direct_hidden_pair_leaves_one_place_to_another_digit() {
        let pair = || Trial::new().confine(1, "r1", "r1c1 r1c5").confine(2, "r1", "r1c1 r1c5");
        let mut trial = pair().confine(3, "r1", "r1c1 r1c5 r1c9");
        assert_eq!(trial.find(find_direct_hidden::<2>), ["2.0 direct-hidden-pair: r1c9 is 3"]);
        assert_eq!(
            trial.reasons(),
            ["r1c1 and r1c5 are the only places of 1 and 2 in row 1, so r1c9 is the only place left for 3"]
        );
        for places in ["r1c1 r1c8 r1c9", "r1c9", "r1c8 r1c9"] {
            assert!(pair().confine(3, "r1", places).find(find_direct_hidden::<2>).is_empty(), "{places}");
        }
    }

    #[test]
    fn a_direct_hidden_triplet_leaves_one_place_to_another_digit() {
        let pairs = Trial::new().confine(1, "c2", "r1c2 r4c2").confine(2, "c2", "r4c2 r9c2");
        let mut trial = pairs.confine(3, "c2", "r1c2 r9c2").confine(4, "c2", "r4c2 r5c2");
        assert_eq!(trial.find(find_direct_hidden::<3>), ["2.5 direct-hidden-triplet: r5c2 is 4"]);
        assert!(trial.find(find_direct_hidden::<2>).is_empty());
    }
}

#[cfg(test)]
mod fish_tests {
    use super::*;
    use crate::logic::techniques::tests::Trial;

    #[test]
    fn an_x_wing_clears_the_crossing_lines() {
        let mut trial = Trial::new().confine(7, "r2", "r2c2 r2c6").confine(7, "r6", "r6c2 r6c6");
        assert_eq!(
            trial.find(find_fish::<2>),
            ["3.2 x-wing: 7 in r1c2, r1c6, r3c2, r3c6, r4c2, r4c6, r5c2, r5c6, r7c2, r7c6, \
              r8c2, r8c6, r9c2 and r9c6"]
        );
        assert_eq!(
            trial.reasons(),
            ["rows 2 and 6 hold 7 only in columns 2 and 6, so no other cell of these columns holds it"]
        );
        let mut trial = Trial::new().confine(7, "c2", "r2c2 r6c2").confine(7, "c6", "r2c6 r6c6");
        assert_eq!(trial.find(find_fish::<2>).len(), 1);
        assert_eq!(
            trial.reasons(),
            ["columns 2 and 6 hold 7 only in rows 2 and 6, so no other cell of these rows holds it"]
        );
    }

    #[test]
    fn no_x_wing_with_a_third_column_or_with_nothing_to_remove() {
        for places in ["r6c2 r6c7", "r6c2 r6c6 r6c7", "r6c2"] {
            let mut trial = Trial::new().confine(7, "r2", "r2c2 r2c6").confine(7, "r6", places);
            assert!(trial.find(find_fish::<2>).is_empty(), "{places}");
        }
        let wing = Trial::new().confine(7, "r2", "r2c2 r2c6").confine(7, "r6", "r6c2 r6c6");
        let mut cleared = wing.confine(7, "c2", "r2c2 r6c2").confine(7, "c6", "r2c6 r6c6");
        assert!(cleared.find(find_fish::<2>).is_empty());
    }

    #[test]
    fn a_swordfish_needs_not_have_every_corner() {
        let two = || Trial::new().confine(7, "r1", "r1c1 r1c4").confine(7, "r4", "r4c4 r4c7");
        let mut trial = two().confine(7, "r7", "r7c1 r7c7");
        assert_eq!(
            trial.find(find_fish::<3>),
            ["3.8 swordfish: 7 in r2c1, r2c4, r2c7, r3c1, r3c4, r3c7, r5c1, r5c4, r5c7, r6c1, r6c4, r6c7, \
              r8c1, r8c4, r8c7, r9c1, r9c4 and r9c7"]
        );
        assert!(two().confine(7, "r7", "r7c1 r7c8").find(find_fish::<3>).is_empty());
    }

    #[test]
    fn a_jellyfish_has_four_lines() {
        let three = Trial::new().confine(7, "c1", "r1c1 r4c1").confine(7, "c4", "r4c4 r7c4");
        let mut trial = three.confine(7, "c7", "r7c7 r9c7").confine(7, "c9", "r9c9 r1c9");
        assert!(trial.find(find_fish::<3>).is_empty());
        let found = trial.find(find_fish::<4>);
        assert_eq!((found.len(), found[0].get(..28)), (1, Some("5.2 jellyfish: 7 in r1c2, r1")));
    }
}
