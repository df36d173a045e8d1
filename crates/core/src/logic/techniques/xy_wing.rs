//! XY-wing and XYZ-wing: whatever the pivot holds, the pincers or the pivot hold Z.
//!
//! ```text
//!  . . . | . . . | . . .        . . . | . . . | . . .
//!  XY. . | . YZ. | . . .        . .XZ | . . . | . . .    all that can be Z:
//!  . .XZ | * * * | . . .        XYZ** | . YZ. | . . .    pivot and pincers
//! ------ * sees both pincers    ------ * sees all three cells
//! ```
//!
//! Ratings: 4.2 for the XY-wing, 4.4 for the XYZ-wing. Source: Sudoku Explainer 1.2.1.

use crate::logic::cell_set::{CandidateSet, CellSet};
use crate::logic::deduction::{Deduction, Pattern, Sink};
use crate::logic::finder::Finder;
use crate::logic::houses::PEERS;
use crate::logic::rating::Rating;
use crate::logic::scratch::Scratch;
use crate::logic::state::{State, digits};
use crate::logic::technique::Technique;
use crate::logic::words::{cell_name, cell_names, digit_name, digit_names};

/// Pivots of two candidates, XY, with pincers XZ and YZ.
pub(crate) struct XyWings;

impl Finder for XyWings {
    fn least(&self) -> Rating {
        Technique::XyWing.least()
    }

    fn find(&self, state: &State, _: &mut Scratch, sink: &mut dyn Sink) {
        let pairs = state.cells_with(2);
        if pairs.len() < 3 {
            return;
        }
        for pivot in pairs {
            let near = PEERS[pivot] & pairs;
            let mask = state.candidates(pivot);
            let (x, y) = (mask.trailing_zeros() as usize, 15 - mask.leading_zeros() as usize);
            let (with_x, with_y) = (near & state.cells_of(x), near & state.cells_of(y));
            // A pincer holds one digit of the pivot, not both.
            for left in with_x - with_y {
                let z = (state.candidates(left) & !mask).trailing_zeros() as usize;
                for right in with_y & state.cells_of(z) {
                    let wing = Wing { technique: Technique::XyWing, pivot, pincers: [left, right], z };
                    wing.hand_over(PEERS[left] & PEERS[right], state, sink);
                }
            }
        }
    }
}

/// Pivots of three candidates, XYZ, with pincers XZ and YZ.
pub(crate) struct XyzWings;

impl Finder for XyzWings {
    fn least(&self) -> Rating {
        Technique::XyzWing.least()
    }

    fn find(&self, state: &State, _: &mut Scratch, sink: &mut dyn Sink) {
        let pairs = state.cells_with(2);
        if pairs.len() < 2 {
            return;
        }
        for pivot in state.cells_with(3) {
            let near = PEERS[pivot] & pairs;
            let mask = state.candidates(pivot);
            for left in near {
                // Of two pincers, the one that comes first is the left one.
                for right in near & after(left) {
                    let (one, other) = (state.candidates(left), state.candidates(right));
                    if one | other == mask && one != other {
                        let z = (one & other).trailing_zeros() as usize;
                        let wing = Wing { technique: Technique::XyzWing, pivot, pincers: [left, right], z };
                        wing.hand_over(PEERS[pivot] & PEERS[left] & PEERS[right], state, sink);
                    }
                }
            }
        }
    }
}

/// Returns the cells after one in reading order.
const fn after(cell: usize) -> CellSet {
    CellSet::from_bits(!((2 << cell) - 1))
}

struct Wing {
    technique: Technique,
    pivot: usize,
    pincers: [usize; 2],
    z: usize,
}

impl Wing {
    /// Hands over what the wing removes from the cells that see all its cells with Z.
    fn hand_over(&self, seen: CellSet, state: &State, sink: &mut dyn Sink) {
        let gone = seen & state.cells_of(self.z);
        if gone.is_empty() {
            return;
        }
        let removed = CandidateSet::of(self.z, gone);
        sink.found(&Deduction::remove(self.technique, self.technique.least(), removed), &|| {
            self.pattern(state)
        });
    }

    fn pattern(&self, state: &State) -> Pattern {
        let [left, right] = self.pincers;
        let mut candidates = CandidateSet::EMPTY;
        for cell in [self.pivot, left, right] {
            for digit in digits(state.candidates(cell)) {
                candidates.insert(cell, digit);
            }
        }
        let holders = candidates.cells(self.z);
        let all = if self.technique == Technique::XyWing { "both" } else { "all three" };
        let reason = format!(
            "whichever of {} {} holds, one of {} holds {}, so no cell that sees {all} does",
            digit_names(state.candidates(self.pivot)),
            cell_name(self.pivot),
            cell_names(holders),
            digit_name(self.z),
        );
        Pattern { candidates, reason, ..Pattern::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::techniques::trial::Trial;

    #[test]
    fn an_xy_wing_removes_z_from_the_cells_that_see_both_pincers() {
        let mut trial = Trial::new().only("r1c1", "12").only("r1c5", "13").only("r2c3", "23");
        let found = trial.find(&XyWings);
        assert_eq!(found, ["4.2 xy-wing: 3 in r1c2, r1c3, r2c4, r2c5 and r2c6"]);
        assert_eq!(
            trial.reasons(),
            ["whichever of 1 and 2 r1c1 holds, one of r1c5 and r2c3 holds 3, so no cell that sees both does"]
        );
    }

    #[test]
    fn pincers_that_the_pivot_does_not_see_or_that_share_no_digit_make_no_xy_wing() {
        for wrong in [("r5c2", "23"), ("r2c3", "24"), ("r2c3", "12"), ("r2c3", "13"), ("r2c3", "234")] {
            let mut trial = Trial::new().only("r1c1", "12").only("r1c5", "13").only(wrong.0, wrong.1);
            assert!(trial.find(&XyWings).is_empty(), "{wrong:?}");
        }
    }

    #[test]
    fn an_xyz_wing_removes_z_from_the_cells_that_see_all_three_cells() {
        let mut trial = Trial::new().only("r1c1", "123").only("r1c5", "13").only("r2c3", "23");
        assert_eq!(trial.find(&XyzWings), ["4.4 xyz-wing: 3 in r1c2 and r1c3"]);
        assert!(trial.find(&XyWings).is_empty());
    }

    #[test]
    fn equal_pincers_or_a_foreign_digit_make_no_xyz_wing() {
        for wrong in [("r2c3", "13"), ("r2c3", "34"), ("r5c5", "23"), ("r2c3", "123")] {
            let mut trial = Trial::new().only("r1c1", "123").only("r1c5", "13").only(wrong.0, wrong.1);
            assert!(trial.find(&XyzWings).is_empty(), "{wrong:?}");
        }
    }
}
