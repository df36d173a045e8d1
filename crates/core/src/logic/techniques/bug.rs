//! The bivalue universal grave: all cells with two candidates, each digit with two places in each house.
//!
//! ```text
//!  12  23  13 | ...      Such a state has no solution or several. So something must be true that is left out when one
//!  23 123* 12 | ...      looks at it so: of the cells with more candidates one holds one of its extra digits.
//! ```
//!
//! ```text
//!  type 1   one cell: it holds an extra digit
//!  type 2   several cells, all with the same extra digit: one of them holds it, so no cell that sees them all does
//!  type 3   several cells of a house: one of them holds an extra digit, and makes a naked set with other cells
//!  type 4   two cells of a house with a candidate in common that is not extra: it has no other place there, so of the
//!           rest neither holds anything but extra digits
//! ```
//!
//! Ratings: 5.6 for type 1, 5.7 for types 2 and 4, 5.8 for type 3 with a naked pair and 0.1 for each cell more. Source:
//! Sudoku Explainer 1.2.1 with the corrections of SukakuExplainer.

use super::deadly::{Deadly, houses_of_all};
use crate::logic::cells::{
    CandidateSet, CellSet, HOUSES, candidate_names, cell_names, cells_at, common_peers, digit_names, house,
};
use crate::logic::finder::{Scratch, Sink};
use crate::logic::state::{ALL_NINE, State};
use crate::logic::technique::Technique;

/// Finds the bivalue universal grave, types 1 to 4.
pub(crate) fn find(state: &State, _: &mut Scratch, sink: &mut dyn Sink) {
    let Some((cells, extra)) = grave(state) else { return };
    let least = Technique::Bug.least();
    let grave = Deadly {
        state,
        technique: Technique::Bug,
        rating: if cells.len() == 1 { least } else { least.plus(1) },
        cells,
        extra: extra.iter().fold(0, |mask, (_, digit)| mask | 1 << digit),
        shown: extra,
        premise: &|| {
            let extra = candidate_names(&extra);
            format!("without {extra}, each cell had two candidates and each digit two places in each house")
        },
    };
    if cells.len() == 1 {
        return type_1(&grave, sink);
    }
    let has_one_digit = grave.extra.is_power_of_two();
    if has_one_digit {
        grave.type_2(sink);
    }
    for house in houses_of_all(cells) {
        if cells.len() == 2 {
            type_4(&grave, house, sink);
        }
        if !has_one_digit {
            // Solved cells count as cells that are left, up to sets of six digits.
            grave.type_3(house, 0, 6.min(9 - cells.len()), &CandidateSet::EMPTY, sink);
        }
    }
}

/// Returns the cells with more than two candidates, and the extra ones, without which the state would be a grave; if it is
/// one that some type can use.
fn grave(state: &State) -> Option<(CellSet, CandidateSet)> {
    let cells = state.empty() - state.cells_with(2);
    if !(1..=20).contains(&cells.len()) || common_peers(cells).is_empty() {
        return None;
    }
    let extra = extra_candidates(state, cells)?;
    is_sound(state, cells, &extra).then_some((cells, extra))
}

/// Returns whether each cell has two candidates, and each digit two places or none, without the extra ones.
fn is_sound(state: &State, cells: CellSet, extra: &CandidateSet) -> bool {
    let mut bare = state.clone();
    bare.remove_all(extra);
    let has_two = |cell| bare.candidates(cell).count_ones() == 2;
    let has_two_places = |house, digit| matches!(bare.places(digit, house).count_ones(), 0 | 2);
    cells.into_iter().all(has_two)
        && (0..HOUSES).all(|house| (0..9).all(|digit| has_two_places(house, digit)))
}

fn type_1(grave: &Deadly, sink: &mut dyn Sink) {
    let removed = grave.state.candidates_in(ALL_NINE & !grave.extra, grave.cells);
    grave.hand_over((1, 0), None, removed, sink, &|| {
        let (cell, extra) = (cell_names(grave.cells), digit_names(grave.extra));
        let one_of = if grave.extra.is_power_of_two() { "" } else { "one of " };
        (CandidateSet::EMPTY, format!(", so {cell} is {one_of}{extra}"))
    });
}

fn type_4(grave: &Deadly, index: usize, sink: &mut dyn Sink) {
    let Deadly { state, cells, extra, .. } = *grave;
    let candidates = cells.into_iter().fold(ALL_NINE, |mask, cell| mask & state.candidates(cell));
    let common = candidates & !extra;
    if !common.is_power_of_two() {
        return;
    }
    let mut removed = state.candidates_in(ALL_NINE & !common, cells);
    removed.subtract(&grave.shown);
    grave.hand_over((4, 0), Some(index), removed, sink, &|| {
        let (cells_names, common_name) = (cell_names(cells), digit_names(common));
        let (house, removed) = (house(index), candidate_names(&removed));
        let conclusion = format!(
            ", so one of {cells_names} holds what is left out; the other is {common_name}, which has no other place in \
             {house}: that excludes {removed}"
        );
        (state.candidates_in(common, cells), conclusion)
    });
}

/// Returns the candidates that make a house have another number of places than two or none, as far as one knows which;
/// `None` where no cell with more than two candidates can be the cause.
fn extra_candidates(state: &State, cells: CellSet) -> Option<CandidateSet> {
    let mut extra = CandidateSet::EMPTY;
    let mut odd_digits = 0u16;
    for house in 0..HOUSES {
        for digit in 0..9 {
            let places = state.places(digit, house);
            if matches!(places.count_ones(), 0 | 2) {
                continue;
            }
            odd_digits |= 1 << digit;
            let causes = cells_at(house, places) & cells;
            match causes.len() {
                0 => return None,
                1 => extra.insert_all(digit, causes),
                // Another house of each cell shows which.
                _ => {}
            }
        }
    }
    // With one digit in question it is extra in every cell.
    if odd_digits.is_power_of_two() {
        extra.unite(&state.candidates_in(odd_digits, cells));
    }
    Some(extra)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::techniques::trial::Trial;

    const TYPE_1: &str = "4 59 7 19 8 6 15 2 3   1 2 8 4 3 5 6 7 9   3 59 6 179 2 17 4 18 58
                          7 6 9 2 5 3 18 18 4   2 3 4 8 1 9 7 5 6   8 1 5 6 7 4 3 9 2
                          6 7 3 15 9 18 2 4 58   5 8 1 3 4 2 9 6 7   9 4 2 57 6 78 58 3 1";

    const TYPE_2: &str = "79 2 79 5 1 8 4 6 3   13 6 13 4 9 7 5 2 8   5 4 8 6 2 3 7 1 9
                          23 8 5 123 47 16 9 47 26   47 1 26 9 47 5 8 3 26   49 37 269 23 8 26 1 47 5
                          12 5 4 12 6 9 3 8 7   6 37 37 8 5 4 2 9 1   8 9 12 7 3 12 6 5 4";

    const TYPE_3: &str = "6 9 2 14 5 48 7 3 18   4 5 1 38 7 368 9 68 2   8 3 7 19 2 69 4 16 5
                          7 8 9 2 3 5 1 4 6   1 6 3 78 4 78 2 5 9   5 2 4 6 9 1 8 7 3
                          9 47 8 5 6 24 3 12 17   3 47 5 49 1 249 6 28 78   2 1 6 37 8 37 5 9 4";

    const TYPE_4: &str = "48 1 38 9 7 2 6 34 5   2 7 6 4 135 35 38 9 18   34 5 9 8 13 6 2 7 14
                          78 6 38 5 2 1 9 34 47   1 4 25 37 39 79 58 28 6   37 9 25 6 8 4 35 1 27
                          6 8 4 37 359 79 1 25 23   5 3 1 2 4 8 7 6 9   9 2 7 1 6 35 4 58 38";

    fn found(cells: &str) -> Vec<String> {
        Trial::of(cells).find(find)
    }

    #[test]
    fn type_1_leaves_the_extra_digit() {
        let mut trial = Trial::of(TYPE_1);
        assert_eq!(trial.find(find), ["5.6 bug: 7 in r3c4; 9 in r3c4"]);
        let reason = "type 1: without 1 in r3c4, each cell had two candidates and each digit two places in each house, \
                      so r3c4 is 1";
        assert_eq!(trial.reasons(), [reason]);
    }

    #[test]
    fn type_2_removes_the_extra_digit_from_the_cells_that_see_all_that_have_it() {
        assert_eq!(found(TYPE_2), ["5.7 bug: 2 in r4c1, r6c4 and r6c6"]);
    }

    #[test]
    fn type_3_makes_a_naked_set_with_cells_of_the_house() {
        let found = Trial::of(TYPE_3).up_to(58).find(find);
        assert_eq!(found, ["5.8 bug: 4 in r7c6; 8 in r5c6"]);
    }

    #[test]
    fn type_4_leaves_the_common_digit_and_the_extra_ones() {
        // Type 2 has the same rating.
        assert_eq!(found(TYPE_4), ["5.7 bug: 1 in r2c5; 9 in r7c5", "5.7 bug: 3 in r3c5 and r5c5"]);
    }

    #[test]
    fn larger_naked_sets_rate_higher() {
        let found = found(TYPE_3);
        assert!(found.contains(&"5.9 bug: 4 in r7c6; 7 in r9c6".to_owned()));
        assert!(found.contains(&"6.0 bug: 7 in r9c6".to_owned()));
        assert!(Trial::of(TYPE_3).up_to(57).find(find).is_empty());
    }

    #[test]
    fn different_extra_digits_in_cells_without_a_common_house_say_nothing() {
        let with_8_in_r1c4 = TYPE_3.replace("6 9 2 14 ", "6 9 2 148 ");
        assert_ne!(with_8_in_r1c4, TYPE_3);
        assert!(found(&with_8_in_r1c4).is_empty());
    }

    #[test]
    fn a_state_far_from_a_grave_has_none() {
        assert!(Trial::new().find(find).is_empty());
    }

    #[test]
    fn a_cell_that_keeps_three_candidates_makes_no_grave() {
        // 1 has two places in each house of r3c4 that matters, so nothing is extra there.
        let without_1_elsewhere = TYPE_1.replace("17 4 18", "7 4 18");
        assert!(found(&without_1_elsewhere).is_empty());
    }
}
