//! Subsets: as many digits as cells, in a house.
//!
//! ```text
//!  naked pair                     hidden pair
//!  37 | 37 | 235 | 178 | ...      378 | 2347 | 25 | 158 | ...    3 and 7 have no other places
//!            ^      ^                ^   ^ ^
//!  no other cell holds 3 or 7     these two cells hold nothing else
//! ```
//!
//! Ratings: naked pair 3.0, triplet 3.6, quad 5.0; hidden pair 3.4, triplet 4.0, quad 5.4. Direct hidden pair 2.0 and
//! triplet 2.5: another digit then has one place in the house. Source: Sudoku Explainer 1.2.1.

use crate::logic::cell_set::{CandidateSet, CellSet};
use crate::logic::deduction::{Deduction, Pattern, Sink};
use crate::logic::finder::Finder;
use crate::logic::houses::{HOUSE, HOUSE_CELLS, HOUSES, cells_at, house, houses_in};
use crate::logic::rating::Rating;
use crate::logic::scratch::Scratch;
use crate::logic::state::{ALL_NINE, State, bit_count, digits};
use crate::logic::technique::Technique;
use crate::logic::words::{cell_name, cell_names, digit_name, digit_names};

/// Calls `found` with every choice of `N` of nine masks that have two bits at least each and `N` together: their
/// indices as a mask, and the union of the masks.
#[inline]
pub(crate) fn for_each_subset<const N: usize>(masks: &[u16; 9], mut found: impl FnMut(u16, u16)) {
    let (mut fitting, mut len) = ([(0, 0); 9], 0);
    for (index, &mask) in masks.iter().enumerate() {
        fitting[len] = (1 << index, mask);
        len += usize::from((2..=N).contains(&bit_count(mask)));
    }
    let fitting = &fitting[..len];
    match N {
        2 => extend_by_two::<N>(fitting, (0, 0), |_, (chosen, union)| found(chosen, union)),
        3 => extend_by_two::<N>(fitting, (0, 0), |rest, pair| {
            extend::<N>(rest, pair, |_, (chosen, union)| found(chosen, union));
        }),
        _ => extend_by_two::<N>(fitting, (0, 0), |rest, pair| {
            extend_by_two::<N>(rest, pair, |_, (chosen, union)| found(chosen, union));
        }),
    }
}

/// The bit of an index, and the mask there; or the bits and the masks of some, united.
type Choice = (u16, u16);

/// Adds each of the masks in turn, if the union then has `N` bits at most; `found` gets those after it, too.
#[inline(always)]
fn extend<const N: usize>(masks: &[Choice], chosen: Choice, mut found: impl FnMut(&[Choice], Choice)) {
    for (at, &(index, mask)) in masks.iter().enumerate() {
        let more = (chosen.0 | index, chosen.1 | mask);
        if bit_count(more.1) <= N {
            found(&masks[at + 1..], more);
        }
    }
}

/// Adds two of the masks.
#[inline(always)]
fn extend_by_two<const N: usize>(masks: &[Choice], chosen: Choice, mut found: impl FnMut(&[Choice], Choice)) {
    extend::<N>(masks, chosen, |rest, one| extend::<N>(rest, one, &mut found));
}

/// Returns the technique of a size of 2, 3 or 4.
const fn of_size(size: usize, techniques: [Technique; 3]) -> Technique {
    techniques[size - 2]
}

/// `N` cells of a house that hold `N` digits together.
pub(crate) struct NakedSubsets<const N: usize>;

impl<const N: usize> NakedSubsets<N> {
    const TECHNIQUE: Technique =
        of_size(N, [Technique::NakedPair, Technique::NakedTriplet, Technique::NakedQuad]);
}

impl<const N: usize> Finder for NakedSubsets<N> {
    fn least(&self) -> Rating {
        Self::TECHNIQUE.least()
    }

    fn find(&self, state: &State, _: &mut Scratch, sink: &mut dyn Sink) {
        // With fewer empty cells, the other digits are a smaller hidden subset.
        for index in (0..HOUSES).filter(|&index| bit_count(state.empty_places(index)) >= 2 * N) {
            let masks = HOUSE_CELLS[index].map(|cell| state.candidates(usize::from(cell)));
            for_each_subset::<N>(&masks, |places, mask| {
                let cells = cells_at(index, places);
                let removed = of_digits(state, mask, HOUSE[index] - cells);
                if removed.is_empty() {
                    return;
                }
                sink.found(&Deduction::remove(Self::TECHNIQUE, self.least(), removed), &|| {
                    let (names, held, house) = (cell_names(cells), digit_names(mask), house(index));
                    Pattern {
                        houses: vec![index],
                        candidates: of_digits(state, mask, cells),
                        reason: format!(
                            "{names} hold nothing but {held}, so no other cell of {house} holds these"
                        ),
                        ..Pattern::default()
                    }
                });
            });
        }
    }
}

/// Returns the candidates of some digits in some cells.
fn of_digits(state: &State, mask: u16, cells: CellSet) -> CandidateSet {
    let mut set = CandidateSet::EMPTY;
    digits(mask).for_each(|digit| set.insert_all(digit, state.cells_of(digit) & cells));
    set
}

/// Digits of a house, as many as the cells that are left to them.
struct Hidden {
    house: usize,
    digits: u16,
    places: u16,
}

impl Hidden {
    fn cells(&self) -> CellSet {
        cells_at(self.house, self.places)
    }

    fn removed(&self, state: &State) -> CandidateSet {
        of_digits(state, ALL_NINE & !self.digits, self.cells())
    }

    fn pattern(&self, state: &State, consequence: &str) -> Pattern {
        let (names, cells, house) = (digit_names(self.digits), cell_names(self.cells()), house(self.house));
        Pattern {
            houses: vec![self.house],
            candidates: of_digits(state, self.digits, self.cells()),
            reason: format!("{cells} are the only places of {names} in {house}, so {consequence}"),
            ..Pattern::default()
        }
    }
}

/// Calls `found` with every hidden subset of `N` digits in a house of more than `empty` empty cells.
fn for_each_hidden<const N: usize>(state: &State, empty: usize, mut found: impl FnMut(&Hidden)) {
    for house in
        houses_in(state.houses_of_few::<N>()).filter(|&house| bit_count(state.empty_places(house)) > empty)
    {
        let masks = std::array::from_fn(|digit| state.places(digit, house));
        for_each_subset::<N>(&masks, |digits, places| found(&Hidden { house, digits, places }));
    }
}

/// `N` digits of a house that have `N` places together.
pub(crate) struct HiddenSubsets<const N: usize>;

impl<const N: usize> HiddenSubsets<N> {
    const TECHNIQUE: Technique =
        of_size(N, [Technique::HiddenPair, Technique::HiddenTriplet, Technique::HiddenQuad]);
}

impl<const N: usize> Finder for HiddenSubsets<N> {
    fn least(&self) -> Rating {
        Self::TECHNIQUE.least()
    }

    fn find(&self, state: &State, _: &mut Scratch, sink: &mut dyn Sink) {
        // With fewer empty cells, the other cells are a naked subset that is no larger.
        for_each_hidden::<N>(state, 2 * N, |hidden| {
            let removed = hidden.removed(state);
            if !removed.is_empty() {
                sink.found(&Deduction::remove(Self::TECHNIQUE, self.least(), removed), &|| {
                    hidden.pattern(state, "these cells hold nothing else")
                });
            }
        });
    }
}

/// `N` digits of a house that have `N` places together, which leaves one place to another digit.
pub(crate) struct DirectHiddenSubsets<const N: usize>;

impl<const N: usize> DirectHiddenSubsets<N> {
    const TECHNIQUE: Technique = [Technique::DirectHiddenPair, Technique::DirectHiddenTriplet][N - 2];
}

impl<const N: usize> Finder for DirectHiddenSubsets<N> {
    fn least(&self) -> Rating {
        Self::TECHNIQUE.least()
    }

    fn find(&self, state: &State, _: &mut Scratch, sink: &mut dyn Sink) {
        for_each_hidden::<N>(state, N, |hidden| {
            for digit in digits(ALL_NINE & !hidden.digits) {
                let places = state.places(digit, hidden.house);
                let rest = places & !hidden.places;
                if rest.is_power_of_two() && rest != places {
                    let cell = usize::from(HOUSE_CELLS[hidden.house][rest.trailing_zeros() as usize]);
                    let placed = Deduction::place(Self::TECHNIQUE, self.least(), cell, digit);
                    sink.found(&Deduction { removed: hidden.removed(state), ..placed }, &|| {
                        let (digit, cell) = (digit_name(digit), cell_name(cell));
                        hidden.pattern(state, &format!("the only place left to {digit} is {cell}"))
                    });
                }
            }
        });
    }
}
