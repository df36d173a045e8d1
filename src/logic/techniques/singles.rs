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

use crate::logic::cell_set::CandidateSet;
use crate::logic::deduction::{Deduction, Pattern, Sink};
use crate::logic::finder::Finder;
use crate::logic::houses::{BOX, HOUSE, HOUSE_CELLS, HOUSES, house};
use crate::logic::rating::Rating;
use crate::logic::scratch::Scratch;
use crate::logic::state::State;
use crate::logic::technique::Technique;
use crate::logic::words::{cell_name, digit_name};

/// Digits with one place in a house.
pub(crate) struct HiddenSingles;

impl Finder for HiddenSingles {
    fn least(&self) -> Rating {
        Technique::LastCell.least()
    }

    fn find(&self, state: &State, _: &mut Scratch, sink: &mut dyn Sink) {
        for index in 0..HOUSES {
            let empty = (state.empty() & HOUSE[index]).len();
            let technique = match index {
                _ if empty == 1 => Technique::LastCell,
                BOX.. => Technique::HiddenSingleBox,
                _ => Technique::HiddenSingleLine,
            };
            for digit in 0..9 {
                let places = state.places(digit, index);
                if places.is_power_of_two() {
                    let cell = usize::from(HOUSE_CELLS[index][places.trailing_zeros() as usize]);
                    let deduction = Deduction::place(technique, technique.least(), cell, digit);
                    sink.found(&deduction, &|| pattern(technique, index, cell, digit));
                }
            }
        }
    }
}

fn pattern(technique: Technique, index: usize, cell: usize, digit: usize) -> Pattern {
    let mut candidates = CandidateSet::EMPTY;
    candidates.insert(cell, digit);
    let (cell, digit, house) = (cell_name(cell), digit_name(digit), house(index));
    let reason = match technique {
        Technique::LastCell => format!("{cell} is the last empty cell of {house}, so it is {digit}"),
        _ => format!("{digit} has no other place in {house} than {cell}"),
    };
    Pattern { houses: vec![index], candidates, reason, ..Pattern::default() }
}

/// Cells with one candidate.
pub(crate) struct NakedSingles;

impl Finder for NakedSingles {
    fn least(&self) -> Rating {
        Technique::NakedSingle.least()
    }

    fn find(&self, state: &State, _: &mut Scratch, sink: &mut dyn Sink) {
        for cell in state.cells_with(1) {
            let digit = state.candidates(cell).trailing_zeros() as usize;
            let rating = Technique::NakedSingle.least();
            sink.found(&Deduction::place(Technique::NakedSingle, rating, cell, digit), &|| {
                let mut candidates = CandidateSet::EMPTY;
                candidates.insert(cell, digit);
                let reason = format!("{} can only be {}", cell_name(cell), digit_name(digit));
                Pattern { candidates, reason, ..Pattern::default() }
            });
        }
    }
}
