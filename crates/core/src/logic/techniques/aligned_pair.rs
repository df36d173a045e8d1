//! Aligned pair exclusion: two cells, and cells with two candidates that see both of them.
//!
//! ```text
//!  123* 14 | 123 . .  | 24      If * is 2, the other 123 cannot be 2, which it sees, nor 1 or 3, which would leave
//!           12 . . 23           nothing to 12 or 23: so * is not 2. (All cells of the drawing in one row.)
//! ```
//!
//! The two cells need not see each other. At least two cells with two candidates see both. Rating: 6.2. Source:
//! Sudoku Explainer 1.2.1.

use crate::logic::cell_set::{CandidateSet, CellSet};
use crate::logic::deduction::{Deduction, Pattern, Sink};
use crate::logic::finder::Finder;
use crate::logic::houses::PEERS;
use crate::logic::rating::Rating;
use crate::logic::scratch::Scratch;
use crate::logic::state::{State, digits};
use crate::logic::technique::Technique;
use crate::logic::words::{cell_name, cell_names, digit_name};

/// Aligned pair exclusion.
pub(crate) struct AlignedPairs;

impl Finder for AlignedPairs {
    fn least(&self) -> Rating {
        Technique::AlignedPair.least()
    }

    fn find(&self, state: &State, _: &mut Scratch, sink: &mut dyn Sink) {
        let bivalue = state.cells_with(2);
        for cell in state.empty() {
            let excluding = PEERS[cell] & bivalue;
            for digit in digits(state.candidates(cell)) {
                for partner in partners(state, cell, digit, excluding) {
                    let common = excluding & PEERS[partner];
                    if common.len() >= 2 {
                        report(
                            state,
                            (cell, digit),
                            CellSet::of(partner),
                            common,
                            Technique::AlignedPair,
                            sink,
                        );
                    }
                }
            }
        }
    }
}

/// Returns the cells of which no candidate is possible beside the digit in the cell.
fn partners(state: &State, cell: usize, digit: usize, excluding: CellSet) -> CellSet {
    let involved = excluding & state.cells_of(digit);
    if involved.len() < 2 {
        // A single one would make a naked pair with the partner.
        return CellSet::EMPTY;
    }
    // For each digit, the cells that cannot hold it.
    let mut excluded = [CellSet::EMPTY; 9];
    excluded[digit] = PEERS[cell];
    for excluding in involved {
        let other = state.candidates(excluding) & !(1 << digit);
        excluded[other.trailing_zeros() as usize] |= PEERS[excluding];
    }
    let mut partners = state.empty();
    partners.remove(cell);
    for (digit, excluded) in excluded.into_iter().enumerate() {
        partners -= state.cells_of(digit) - excluded;
    }
    partners
}

/// Hands over that a cell does not hold a digit, because the partners would have no digits left that leave candidates to
/// all cells of `common`, which see the cell and the partners.
pub(crate) fn report(
    state: &State,
    (cell, digit): (usize, usize),
    partners: CellSet,
    common: CellSet,
    technique: Technique,
    sink: &mut dyn Sink,
) {
    let removed = CandidateSet::of(digit, CellSet::of(cell));
    sink.found(&Deduction::remove(technique, technique.least(), removed), &|| {
        let of_partners = partners.into_iter().fold(1 << digit, |mask, cell| mask | state.candidates(cell));
        let is_covered = |&cell: &usize| state.candidates(cell) & !of_partners == 0;
        let excluding: CellSet = common.into_iter().filter(is_covered).collect();
        let mut candidates = CandidateSet::EMPTY;
        for cell in partners | excluding | CellSet::of(cell) {
            for digit in digits(state.candidates(cell)) {
                candidates.insert(cell, digit);
            }
        }
        let (cell, digit) = (cell_name(cell), digit_name(digit));
        let partners = cell_names(partners);
        let mut reason = format!(
            "if {cell} were {digit}, each choice of digits for {partners} would put a digit twice into a house"
        );
        if !excluding.is_empty() {
            reason += &format!(" or leave no candidate to one of {}", cell_names(excluding));
        }
        Pattern { candidates, reason, ..Pattern::default() }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::techniques::trial::Trial;

    #[test]
    fn a_digit_goes_that_leaves_none_to_the_other_cell() {
        let mut trial = Trial::new().only("r2c5", "13").only("r1c4", "12").only("r2c3", "23");
        let cells = ["r1c1", "r1c2", "r1c3", "r2c4", "r2c6"];
        assert_eq!(trial.find(&AlignedPairs), cells.map(|cell| format!("6.2 aligned-pair: 2 in {cell}")));
        let reason = "if r1c1 were 2, each choice of digits for r2c5 would put a digit twice into a house or leave no \
                      candidate to one of r1c4 and r2c3";
        assert_eq!(trial.reasons()[0], reason);
    }

    #[test]
    fn a_digit_goes_where_the_other_cell_could_only_repeat_it() {
        let trial = Trial::new().only("r2c2", "123").only("r1c3", "12").only("r3c1", "23");
        let found = { trial }.find(&AlignedPairs);
        let cells = ["r1c1", "r1c2", "r2c1", "r2c3", "r3c2", "r3c3"];
        assert_eq!(found, cells.map(|cell| format!("6.2 aligned-pair: 2 in {cell}")));
    }

    #[test]
    fn a_free_candidate_or_a_cell_that_does_not_see_both_excludes_nothing() {
        for wrong in [("r2c5", "134"), ("r1c4", "123"), ("r1c4", "14"), ("r3c4", "12"), ("r2c3", "13")] {
            let cells = [("r2c5", "13"), ("r1c4", "12"), ("r2c3", "23"), wrong];
            // The wrong one takes the place of the right one in the same column.
            let right = cells.iter().enumerate().filter(|&(i, cell)| i == 3 || cell.0[2..] != wrong.0[2..]);
            let mut trial = right.fold(Trial::new(), |trial, (_, cell)| trial.only(cell.0, cell.1));
            assert!(!trial.find(&AlignedPairs).iter().any(|line| line.ends_with("2 in r1c1")), "{wrong:?}");
        }
    }
}
