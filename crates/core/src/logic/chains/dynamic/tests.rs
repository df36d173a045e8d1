//! Small positions in which chains fire, and near misses.

use super::{DynamicChains, Nishio};
use crate::logic::deduction::{Deduction, Pattern, Sink};
use crate::logic::finder::Finder;
use crate::logic::rating::Rating;
use crate::logic::scratch::Scratch;
use crate::logic::state::State;

/// Keeps whatever is found.
#[derive(Default)]
struct All(Vec<(Deduction, Pattern)>);

impl Sink for All {
    fn limit(&self) -> Rating {
        Rating::BEYOND
    }

    fn found(&mut self, deduction: &Deduction, pattern: &dyn Fn() -> Pattern) {
        self.0.push((deduction.clone(), pattern()));
    }
}

impl All {
    fn of(finder: &dyn Finder, state: &State) -> All {
        let mut all = All::default();
        finder.find(state, &mut Scratch::default(), &mut all);
        all
    }

    /// Returns the rating and the reason of the cheapest removal of one candidate.
    fn removing(&self, cell: usize, digit: usize) -> Option<(String, String)> {
        let removing = |(deduction, _): &&(Deduction, Pattern)| {
            deduction.removed.contains(cell, digit) && deduction.removed.len() == 1
        };
        let least = self.0.iter().filter(removing).min_by_key(|(deduction, _)| deduction.rating);
        least.map(|(deduction, pattern)| (deduction.rating.to_string(), pattern.reason.clone()))
    }
}

/// Returns the state in which a digit has only some places in some houses.
fn with_places(digit: usize, houses: &[(usize, &[usize])]) -> State {
    let mut state = State::BLANK;
    for &(house, cells) in houses {
        for cell in crate::logic::houses::HOUSE[house] {
            if !cells.contains(&cell) {
                state.remove(cell, digit);
            }
        }
    }
    state
}

const fn at(row: usize, column: usize) -> usize {
    row * 9 + column - 10
}

#[test]
fn nishio_finds_a_digit_that_would_be_forced_into_two_places_of_a_box() {
    // Row 4 has r4c1 and r4c5, column 6 has r1c6 and r5c6.
    let state = with_places(2, &[(3, &[at(4, 1), at(4, 5)]), (9 + 5, &[at(1, 6), at(5, 6)])]);
    let found = All::of(&Nishio, &state);
    let reason = "if r1c1 is 3, then r4c5 would be 3 and not be 3";
    assert_eq!(found.removing(at(1, 1), 2), Some(("7.6".into(), reason.into())));
    assert_eq!(found.removing(at(1, 2), 2), None);
}

#[test]
fn nishio_finds_nothing_where_a_row_has_a_third_place() {
    let state = with_places(2, &[(3, &[at(4, 1), at(4, 5), at(4, 9)]), (9 + 5, &[at(1, 6), at(5, 6)])]);
    assert!(All::of(&Nishio, &state).0.is_empty());
}

/// Returns the state in which some cells have only the digits of a mask.
fn with_candidates(cells: &[(usize, u16)]) -> State {
    let mut state = State::BLANK;
    for &(cell, candidates) in cells {
        for digit in (0..9).filter(|digit| candidates >> digit & 1 == 0) {
            state.remove(cell, digit);
        }
    }
    state
}

/// 4 in r1c1 makes r5c1 1, r1c5 2 and r1c9 5, so that r5c9 is 3; then r5c5 has nothing left.
const TWO_GO_FROM_ONE_CELL: [(usize, u16); 5] =
    [(at(5, 5), 0b0111), (at(5, 1), 0b1001), (at(1, 5), 0b1010), (at(5, 9), 0b1_0100), (at(1, 9), 0b1_1000)];

#[test]
fn dynamic_chains_pass_a_cell_whose_candidates_go_one_by_one() {
    let found = All::of(&DynamicChains, &with_candidates(&TWO_GO_FROM_ONE_CELL));
    let reason = "if r1c1 is 4, then r5c5 would be 3 and not be 3";
    assert_eq!(found.removing(at(1, 1), 3), Some(("8.8".into(), reason.into())));
}

#[test]
fn dynamic_chains_stop_at_a_cell_with_one_candidate_more() {
    let mut cells = TWO_GO_FROM_ONE_CELL;
    cells[0].1 |= 1 << 5;
    assert_eq!(All::of(&DynamicChains, &with_candidates(&cells)).removing(at(1, 1), 3), None);
}

#[test]
fn links_lead_from_the_assumption_to_the_conflict_without_a_gap() {
    let found = All::of(&DynamicChains, &with_candidates(&TWO_GO_FROM_ONE_CELL));
    for (_, pattern) in &found.0 {
        for (index, link) in pattern.links.iter().enumerate() {
            let starts = pattern.links.iter().all(|other| other.to != link.from);
            assert!(starts || pattern.links[..index].iter().any(|before| before.to == link.from));
        }
    }
}
