//! Singles: a digit with one place in a house, a cell with one candidate.
//!
//! ```text
//!  . . . | . . 5 | . . .        . . . | 1 2 3 | . . .
//!  1 2 4 | . . . | . . .        . . . | . * . | . . .    * sees 1 to 8:
//!  3 * . | . . . | . . .        4 . . | . . . | . . 5    it can only be 9
//! ------ 5 has one place        ------- . 6 . ---------
//!        in the box                     . 7 .  . 8 .
//! ```
//!
//! Ratings: 1.0 for the last empty cell of a house, 1.2 for a digit with one place in a box, 1.5 in a line,
//! 2.3 for a cell with one candidate. Source: Sudoku Explainer 1.2.1.

use crate::logic::cells::{BOX, CandidateSet, CellSet, HOUSE_CELLS, bits_of, cell_name, digit_name, house};
use crate::logic::finder::{Deduction, Pattern, Scratch, Sink};
use crate::logic::state::{State, digits};
use crate::logic::technique::Technique;

/// Finds digits with one place in a house.
pub(crate) fn find_hidden(state: &State, _: &mut Scratch, sink: &mut dyn Sink) {
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

/// The boxes, as a mask of houses.
const BOXES: u32 = 0x1ff << BOX;

/// Hands over the houses with one empty cell.
fn find_last_cells(state: &State, sink: &mut dyn Sink) {
    for index in bits_of(state.houses_of_one_empty_cell()) {
        let cell = cell_at(index, state.empty_places(index));
        for digit in digits(state.candidates(cell)) {
            found(Technique::LastCell, index, cell, digit, sink);
        }
    }
}

/// Hands over the digits that have one place in a house of the mask.
fn find_of_kind(technique: Technique, houses: [u32; 9], state: &State, sink: &mut dyn Sink) {
    for digit in 0..9 {
        for index in bits_of(houses[digit]) {
            found(technique, index, cell_at(index, state.places(digit, index)), digit, sink);
        }
    }
}

/// Returns the cell at the first place of a mask.
fn cell_at(index: usize, places: u16) -> usize {
    usize::from(HOUSE_CELLS[index][places.trailing_zeros() as usize])
}

fn found(technique: Technique, index: usize, cell: usize, digit: usize, sink: &mut dyn Sink) {
    sink.found(&Deduction::place(technique, technique.least(), cell, digit), &|| {
        let candidates = CandidateSet::of(digit, CellSet::of(cell));
        let (cell, digit, house) = (cell_name(cell), digit_name(digit), house(index));
        let reason = match technique {
            Technique::LastCell => format!("{cell} is the last empty cell of {house}, so it is {digit}"),
            _ => format!("{digit} has no other place in {house} than {cell}"),
        };
        Pattern { houses: vec![index], candidates, reason, ..Pattern::default() }
    });
}

/// Finds cells with one candidate.
pub(crate) fn find_naked(state: &State, _: &mut Scratch, sink: &mut dyn Sink) {
    for cell in state.cells_with(1) {
        let digit = state.candidates(cell).trailing_zeros() as usize;
        let rating = Technique::NakedSingle.least();
        sink.found(&Deduction::place(Technique::NakedSingle, rating, cell, digit), &|| {
            let candidates = CandidateSet::of(digit, CellSet::of(cell));
            let reason = format!("{} can only be {}", cell_name(cell), digit_name(digit));
            Pattern { candidates, reason, ..Pattern::default() }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::techniques::trial::Trial;

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
