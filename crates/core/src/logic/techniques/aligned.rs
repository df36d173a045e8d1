//! Aligned exclusion: two or three cells, and cells with few candidates that see all of them.
//!
//! ```text
//!  123* 14 | 123 . .  | 24      If * is 2, the other 123 cannot be 2, which it sees, nor 1 or 3, which would leave
//!           12 . . 23           nothing to 12 or 23: so * is not 2. (All cells of the drawing in one row.)
//! ```
//!
//! Pairs: the two cells need not see each other. At least two cells with two candidates see both. Rating: 6.2.
//!
//! ```text
//!  * is 1: then the two others are a and b;        each a b is impossible, because a = b in two cells that see each
//!  every a and b that they could be is excluded    other, or because {1, a, b} are all candidates of a cell that sees
//!                                                  all three: so * is not 1
//! ```
//!
//! Triplets: at least two cells with two or three candidates see all three. One of the three has two or three candidates
//! itself and sees another one of them. Rating: 7.5. Source of both: Sudoku Explainer 1.2.1.

use crate::logic::cells::{CandidateSet, CellSet, PEERS, cell_name, cell_names, digit_name};
use crate::logic::finder::{Pattern, Scratch, Sink};
use crate::logic::state::{ALL_NINE, State, digits};
use crate::logic::technique::Technique;

/// Finds aligned pair exclusions.
pub(crate) fn find_pairs(state: &State, _: &mut Scratch, sink: &mut dyn Sink) {
    let bivalue = state.cells_with(2);
    for cell in state.empty() {
        let excluding = PEERS[cell] & bivalue;
        for digit in digits(state.candidates(cell)) {
            for partner in partners(state, cell, digit, excluding) {
                let common = excluding & PEERS[partner];
                if common.len() >= 2 {
                    let partner = CellSet::of(partner);
                    report(state, (cell, digit), partner, common, Technique::AlignedPair, sink);
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
fn report(
    state: &State,
    (cell, digit): (usize, usize),
    partners: CellSet,
    common: CellSet,
    technique: Technique,
    sink: &mut dyn Sink,
) {
    let removed = CandidateSet::of(digit, CellSet::of(cell));
    sink.remove(technique, technique.least(), removed, &|| {
        let of_partners = partners.into_iter().fold(1 << digit, |mask, cell| mask | state.candidates(cell));
        let is_covered = |&cell: &usize| state.candidates(cell) & !of_partners == 0;
        let excluding: CellSet = common.into_iter().filter(is_covered).collect();
        let candidates = state.candidates_in(ALL_NINE, partners | excluding | CellSet::of(cell));
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

/// Finds aligned triplet exclusions.
pub(crate) fn find_triplets(state: &State, _: &mut Scratch, sink: &mut dyn Sink) {
    let small = state.cells_with(2) | state.cells_with(3);
    for cell in state.empty() {
        let mut thirds = state.empty() - CellSet::of(cell);
        for second in thirds {
            thirds.remove(second);
            let excluding = small & PEERS[cell] & PEERS[second];
            if excluding.len() < 2 {
                continue;
            }
            for digit in digits(state.candidates(cell)) {
                for third in thirds_without_choice(state, (cell, digit), second, excluding, thirds) {
                    let common = excluding & PEERS[third];
                    if common.len() >= 2 && is_tied([cell, second, third], small) {
                        let others = CellSet::of(second) | CellSet::of(third);
                        report(state, (cell, digit), others, common, Technique::AlignedTriplet, sink);
                    }
                }
            }
        }
    }
}

/// Returns whether one of the cells is small and sees another one.
fn is_tied(cells: [usize; 3], small: CellSet) -> bool {
    let of_all = cells.into_iter().collect::<CellSet>();
    cells.into_iter().any(|cell| small.contains(cell) && PEERS[cell].meets(of_all))
}

/// Returns those of the third cells that leave no digit to the second cell, with the digit in the first one; `excluding` are
/// the cells with two or three candidates that see both.
fn thirds_without_choice(
    state: &State,
    (cell, digit): (usize, usize),
    second: usize,
    excluding: CellSet,
    mut thirds: CellSet,
) -> CellSet {
    for second_digit in digits(state.candidates(second)) {
        if thirds.is_empty() {
            break;
        }
        if second_digit == digit && PEERS[cell].contains(second) {
            continue;
        }
        // For each digit, the cells that cannot hold it beside the two digits.
        let mut excluded = [CellSet::EMPTY; 9];
        excluded[digit] |= PEERS[cell];
        excluded[second_digit] |= PEERS[second];
        let mut excluded_at_all = CellSet::EMPTY;
        for cell in excluding {
            let rest = state.candidates(cell) & !(1 << digit | 1 << second_digit);
            if rest == 0 {
                excluded_at_all |= PEERS[cell];
            } else if rest.is_power_of_two() {
                excluded[rest.trailing_zeros() as usize] |= PEERS[cell];
            }
        }
        let mut possible = CellSet::EMPTY;
        for (digit, excluded) in excluded.into_iter().enumerate() {
            possible |= state.cells_of(digit) - excluded;
        }
        thirds = thirds & (excluded_at_all | (CellSet::ALL - possible));
    }
    thirds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::techniques::trial::Trial;

    #[test]
    fn a_digit_goes_that_leaves_none_to_the_other_cell() {
        let mut trial = Trial::new().only("r2c5", "13").only("r1c4", "12").only("r2c3", "23");
        let cells = ["r1c1", "r1c2", "r1c3", "r2c4", "r2c6"];
        assert_eq!(trial.find(find_pairs), cells.map(|cell| format!("6.2 aligned-pair: 2 in {cell}")));
        let reason = "if r1c1 were 2, each choice of digits for r2c5 would put a digit twice into a house or leave no \
                      candidate to one of r1c4 and r2c3";
        assert_eq!(trial.reasons()[0], reason);
    }

    #[test]
    fn a_digit_goes_where_the_other_cell_could_only_repeat_it() {
        let trial = Trial::new().only("r2c2", "123").only("r1c3", "12").only("r3c1", "23");
        let found = { trial }.find(find_pairs);
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
            assert!(!trial.find(find_pairs).iter().any(|line| line.ends_with("2 in r1c1")), "{wrong:?}");
        }
    }

    #[test]
    fn a_digit_goes_that_leaves_no_choice_to_the_two_other_cells() {
        let mut trial = Trial::of(
            "146 248 14568 9 7 46 125 3 15   679 29 567 3 26 1 8 4 57   137 234 147 8 24 5 1279 29 6
             16 7 3 16 8 2 4 59 59   8 45 16 1456 469 469 3 7 2   49 459 2 45 3 7 6 1 8
             5 348 478 2 1469 4689 17 68 1347   234 6 9 7 14 48 25 258 134   247 1 478 46 5 3 79 268 479",
        );
        assert_eq!(trial.find(find_triplets), ["7.5 aligned-triplet: 1 in r3c1"]);
        let reason = "if r3c1 were 1, each choice of digits for r1c1 and r2c1 would put a digit twice into a house or \
                      leave no candidate to one of r3c3, r4c1 and r6c1";
        assert_eq!(trial.reasons(), [reason]);
    }

    #[test]
    fn a_choice_that_no_cell_excludes_keeps_the_digit() {
        let cells = [
            ("r1c1", "146"),
            ("r2c1", "679"),
            ("r3c1", "137"),
            ("r4c1", "16"),
            ("r3c3", "147"),
            ("r6c1", "49"),
        ];
        let found = |free: Option<(&str, &str)>| {
            let others = cells.into_iter().filter(|cell| free.is_none_or(|free| free.0 != cell.0));
            let mut trial = others.chain(free).fold(Trial::new(), |trial, cell| trial.only(cell.0, cell.1));
            trial.find(find_triplets).contains(&"7.5 aligned-triplet: 1 in r3c1".to_owned())
        };
        assert!(found(None));
        for free in [("r3c3", "1479"), ("r3c3", "148"), ("r6c1", "459"), ("r2c1", "6789"), ("r1c1", "1456")] {
            assert!(!found(Some(free)), "{free:?}");
        }
    }
}
