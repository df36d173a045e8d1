//! Wings: cells with few candidates, one of which must be the digit Z, whatever the other candidates turn out
//! to be.
//!
//! XY-wing and XYZ-wing: whatever the pivot is, Z is in one of the pincers or in the pivot.
//!
//! ```text
//!  . . . | . . . | . . .        . . . | . . . | . . .
//!  XY* * | . YZ. | . . .        . .XZ | . . . | . . .    all that can be Z:
//!  . .XZ | * * * | . . .        XYZ** | . YZ. | . . .    pivot and pincers
//! ------ * sees both pincers    ------ * sees all three cells
//! ```
//!
//! Ratings: 4.2 for the XY-wing, 4.4 for the XYZ-wing. Source: Sudoku Explainer 1.2.1.
//!
//! WXYZ-wing, VWXYZ-wing, UVWXYZ-wing and TUVWXYZ-wing: some cells of a house with one digit more than cells.
//! Another cell has two of these digits, and sees all their places for one of the two.
//!
//! ```text
//!   .   .   . | . . . | . . .
//!  WXZ XY   . | WY. . | . . .   three cells of the row, four digits W X Y Z;
//!   .   .  XZ | . . . | . . .   XZ sees all their Xs
//! ```
//!
//! If XZ is X, the cells of the house must hold all the other digits, including Z. Otherwise XZ itself is Z.
//! Either way, Z is removed from every cell that sees all these places of Z. If XZ also sees all the Zs of
//! the cells, the wing is linked twice: each of its digits is removed from the cells that see all its places.
//!
//! Ratings: WXYZ-wing (three cells in the house) 5.5, or 5.6 if a cell has three candidates and none has
//! more. VWXYZ-wing (four cells) 6.2 if a cell has five candidates, 6.4 if the most are three, otherwise 6.3.
//! UVWXYZ-wing (five cells) 6.6. TUVWXYZ-wing (six cells) 7.5. Source: SukakuExplainer.
//!
//! Aligned exclusion: two or three cells, and further cells with few candidates that see all of them.
//!
//! ```text
//!  123* 123  . | . . . | 12 . .    If * is 2, the other 123 is 1 or 3, and 12 or 23
//!   .    .  23 | . . . | . . .     has no digit left. So * is not 2.
//! ```
//!
//! Pairs: the two cells need not see each other. At least two cells with two candidates must see both.
//! Rating: 6.2.
//!
//! ```text
//!  If * is 1, the other two cells are a and b.     Each pair a, b is impossible, because a = b in two cells that
//!  Every pair a, b is excluded.                    see each other, or because {1, a, b} are all candidates of a
//!                                                  cell that sees all three. So * is not 1.
//! ```
//!
//! Triplets: at least two cells with two or three candidates must see all three cells. One of the three must
//! have two or three candidates itself and see another one of them. Rating: 7.5. Source of both: Sudoku
//! Explainer 1.2.1.

use crate::logic::cells::{
    BOX, CandidateSet, CellSet, HOUSE, HOUSES, PEERS, cell_name, cell_names, common_peers, digit_name,
    digit_names,
};
use crate::logic::finder::{DeductionSink, Pattern, Scratch};
use crate::logic::state::{ALL_NINE, State, digits};
use crate::logic::technique::{Rating, Technique};

/// Finds XY-wings: a pivot with the candidates XY, and pincers with XZ and YZ.
pub(crate) fn find_xy(state: &State, _: &mut Scratch, sink: &mut dyn DeductionSink) {
    let pairs = state.cells_with(2);
    if pairs.len() < 3 {
        return;
    }
    for pivot in pairs {
        let near = PEERS[pivot] & pairs;
        let mask = state.candidates(pivot);
        let (x, y) = (mask.trailing_zeros() as usize, 15 - mask.leading_zeros() as usize);
        let (with_x, with_y) = (near & state.cells_of(x), near & state.cells_of(y));
        // A pincer shares exactly one digit with the pivot, so the left one has X but not Y.
        for left in with_x - with_y {
            let z = (state.candidates(left) & !mask).trailing_zeros() as usize;
            for right in with_y & state.cells_of(z) {
                report_wing(Technique::XyWing, (pivot, [left, right], z), state, sink);
            }
        }
    }
}

/// Finds XYZ-wings: a pivot with the candidates XYZ, and pincers with XZ and YZ.
pub(crate) fn find_xyz(state: &State, _: &mut Scratch, sink: &mut dyn DeductionSink) {
    let pairs = state.cells_with(2);
    if pairs.len() < 2 {
        return;
    }
    for pivot in state.cells_with(3) {
        let near = PEERS[pivot] & pairs;
        let mask = state.candidates(pivot);
        for left in near {
            // The left pincer is the first in reading order, so that each wing is found once.
            for right in near & after(left) {
                let (one, other) = (state.candidates(left), state.candidates(right));
                if one | other == mask && one != other {
                    let z = (one & other).trailing_zeros() as usize;
                    report_wing(Technique::XyzWing, (pivot, [left, right], z), state, sink);
                }
            }
        }
    }
}

/// The cells after this one in reading order.
const fn after(cell: usize) -> CellSet {
    CellSet::from_bits(!((2 << cell) - 1))
}

/// Reports what an XY-wing or an XYZ-wing removes: Z from the cells that see all of its cells with Z.
fn report_wing(
    technique: Technique,
    (pivot, pincers, z): (usize, [usize; 2], usize),
    state: &State,
    sink: &mut dyn DeductionSink,
) {
    let cells = CellSet::from_cell(pivot) | pincers.into_iter().collect();
    let holders = cells & state.cells_of(z);
    let removed = CandidateSet::for_digit(z, common_peers(holders) & state.cells_of(z));
    sink.remove(technique, technique.least(), removed, &|| {
        let all = if technique == Technique::XyWing { "both" } else { "all three" };
        let reason = format!(
            "whichever of {} is in {}, one of {} is {}, so no cell that sees {all} can be {}",
            digit_names(state.candidates(pivot)),
            cell_name(pivot),
            cell_names(holders),
            digit_name(z),
            digit_name(z),
        );
        Pattern { candidates: state.candidates_in(ALL_NINE, cells), reason, ..Pattern::default() }
    });
}

/// Finds wings of `CELLS` cells in a house and one more cell with two candidates.
pub(crate) fn find_large<const CELLS: usize>(state: &State, _: &mut Scratch, sink: &mut dyn DeductionSink) {
    let pairs = state.cells_with(2);
    if pairs.is_empty() {
        return;
    }
    let mut search =
        WingSearch::<CELLS> { state, pairs, sink, house: 0, cells: [0; 9], masks: [0; 9], count: 0 };
    for house in 0..HOUSES {
        search.set_house(house);
        if search.count >= CELLS {
            search.choose(0, CELLS, 0, 0);
        }
    }
}

/// The search for wings in one house.
struct WingSearch<'a, const CELLS: usize> {
    state: &'a State,
    /// The cells with two candidates in the whole grid.
    pairs: CellSet,
    sink: &'a mut dyn DeductionSink,
    house: usize,
    /// The cells of the house that can be part of a wing, and their candidates.
    cells: [u8; 9],
    masks: [u16; 9],
    count: usize,
}

impl<const CELLS: usize> WingSearch<'_, CELLS> {
    const TECHNIQUE: Technique = match CELLS {
        3 => Technique::WxyzWing,
        4 => Technique::VwxyzWing,
        5 => Technique::UvwxyzWing,
        _ => Technique::TuvwxyzWing,
    };

    /// The rating. It depends on the largest number of candidates that a cell in the house has.
    fn rating(most: u32) -> Rating {
        Self::TECHNIQUE.least().plus(match (CELLS, most) {
            (3, 3) | (4, 2 | 4) => 1,
            (4, 3) => 2,
            _ => 0,
        })
    }

    /// Takes another house, and finds its cells that can be part of a wing.
    fn set_house(&mut self, house: usize) {
        self.house = house;
        self.count = 0;
        for cell in self.state.empty() & HOUSE[house] {
            let mask = self.state.candidates(cell);
            if (2..=CELLS as u32 + 1).contains(&mask.count_ones()) {
                self.cells[self.count] = cell as u8;
                self.masks[self.count] = mask;
                self.count += 1;
            }
        }
    }

    /// Chooses `left` more cells, from index `from` on. `chosen` is a mask of the cells chosen before.
    fn choose(&mut self, from: usize, left: usize, chosen: u16, digits: u16) {
        for index in from..=self.count - left {
            let digits = digits | self.masks[index];
            let chosen = chosen | 1 << index;
            let count = digits.count_ones() as usize;
            if left > 1 && count <= CELLS + 1 {
                self.choose(index + 1, left - 1, chosen, digits);
            } else if count == CELLS + 1 {
                self.complete(chosen, digits);
            }
        }
    }

    /// Finds the cells with two candidates that form a wing with the chosen cells.
    fn complete(&mut self, chosen: u16, wing: u16) {
        let foreign =
            digits(!wing & ALL_NINE).fold(CellSet::EMPTY, |cells, digit| cells | self.state.cells_of(digit));
        let pairs = self.pairs - foreign;
        if pairs.is_empty() {
            return;
        }
        let cells = digits(chosen).map(|index| usize::from(self.cells[index])).collect::<CellSet>();
        let most = digits(chosen).map(|index| self.masks[index].count_ones()).max().unwrap_or(0);
        let (pairs, rating) = (pairs - cells, Self::rating(most));
        if pairs.is_empty() || rating > self.sink.limit() || self.house >= BOX && is_in_line(cells) {
            return;
        }
        let mut seen = [CellSet::EMPTY; 9];
        for digit in digits(wing) {
            seen[digit] = common_peers(cells & self.state.cells_of(digit));
        }
        for pair in pairs {
            let mask = self.state.candidates(pair);
            let ends = [mask.trailing_zeros() as usize, 15 - mask.leading_zeros() as usize];
            let removed = match ends.map(|digit| seen[digit].contains(pair)) {
                [false, false] => continue,
                [true, false] => self.removed(pair, 1 << ends[1], &seen),
                [false, true] => self.removed(pair, 1 << ends[0], &seen),
                [true, true] => self.removed(pair, wing, &seen),
            };
            let (state, house) = (self.state, self.house);
            let pattern = || pattern(state, house, (cells, wing), pair, &seen);
            self.sink.remove(Self::TECHNIQUE, rating, removed, &pattern);
        }
    }

    /// The candidates of some digits in the cells that see all places of the digit in the wing.
    fn removed(&self, pair: usize, mask: u16, seen: &[CellSet; 9]) -> CandidateSet {
        let mut removed = CandidateSet::EMPTY;
        for digit in digits(mask) {
            let near = if self.state.has(pair, digit) { PEERS[pair] } else { CellSet::ALL };
            removed.insert_all(digit, seen[digit] & near & self.state.cells_of(digit));
        }
        removed
    }
}

/// Whether the cells lie in one line. A box then skips them, because the line finds the same wing.
fn is_in_line(cells: CellSet) -> bool {
    HOUSE[..BOX].iter().any(|line| cells.is_subset(*line))
}

fn pattern(
    state: &State,
    house: usize,
    (cells, wing): (CellSet, u16),
    pair: usize,
    seen: &[CellSet; 9],
) -> Pattern {
    let candidates = state.candidates_in(ALL_NINE, cells | CellSet::from_cell(pair));
    let linked = digits(state.candidates(pair)).filter(|&digit| seen[digit].contains(pair));
    let linked = linked.fold(0, |mask, digit| mask | 1 << digit);
    let start = format!(
        "{} hold only {}, one digit more than there are cells; {} sees every place of {} in them",
        cell_names(cells),
        digit_names(wing),
        cell_name(pair),
        digit_names(linked),
    );
    let other = state.candidates(pair) & !linked;
    let z = if other == 0 {
        String::from("each digit")
    } else {
        digit_name(other.trailing_zeros() as usize).to_string()
    };
    let reason = format!(
        "{start}; so {z} is in {} or one of them, and no cell that sees all of its places there can hold it",
        cell_name(pair),
    );
    Pattern { houses: vec![house], candidates, reason, ..Pattern::default() }
}

/// Finds aligned pair exclusions.
pub(crate) fn find_aligned_pairs(state: &State, _: &mut Scratch, sink: &mut dyn DeductionSink) {
    let bivalue = state.cells_with(2);
    for cell in state.empty() {
        let excluding = PEERS[cell] & bivalue;
        for digit in digits(state.candidates(cell)) {
            let involved = excluding & state.cells_of(digit);
            if involved.len() < 2 {
                // With only one such cell, it would form a naked pair with the partner, which has been found
                // before.
                continue;
            }
            let others = state.empty() - CellSet::from_cell(cell);
            for partner in without_choice(state, &[(cell, digit)], involved, others) {
                let common = excluding & PEERS[partner];
                if common.len() >= 2 {
                    let partner = CellSet::from_cell(partner);
                    report_exclusion(state, (cell, digit), partner, common, Technique::AlignedPair, sink);
                }
            }
        }
    }
}

/// Those of the given cells that have no possible candidate left if `others` hold their digits. The cells of
/// `excluding` have few candidates and see all the others.
fn without_choice(state: &State, others: &[(usize, usize)], excluding: CellSet, cells: CellSet) -> CellSet {
    // For each digit, the cells that cannot hold it.
    let (mut excluded, mut held) = ([CellSet::EMPTY; 9], 0);
    for &(cell, digit) in others {
        excluded[digit] |= PEERS[cell];
        held |= 1 << digit;
    }
    let mut excluded_at_all = CellSet::EMPTY;
    for cell in excluding {
        let rest = state.candidates(cell) & !held;
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
    cells & (excluded_at_all | (CellSet::ALL - possible))
}

/// Reports that a cell does not hold a digit: every choice of digits for the partners would repeat a digit,
/// or leave no candidate to a cell of `common`. The cells of `common` see the cell and all partners.
fn report_exclusion(
    state: &State,
    (cell, digit): (usize, usize),
    partners: CellSet,
    common: CellSet,
    technique: Technique,
    sink: &mut dyn DeductionSink,
) {
    let removed = CandidateSet::for_digit(digit, CellSet::from_cell(cell));
    sink.remove(technique, technique.least(), removed, &|| {
        let of_partners = partners.into_iter().fold(1 << digit, |mask, cell| mask | state.candidates(cell));
        let is_covered = |&cell: &usize| state.candidates(cell) & !of_partners == 0;
        let excluding: CellSet = common.into_iter().filter(is_covered).collect();
        let candidates = state.candidates_in(ALL_NINE, partners | excluding | CellSet::from_cell(cell));
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
pub(crate) fn find_aligned_triplets(state: &State, _: &mut Scratch, sink: &mut dyn DeductionSink) {
    let small = state.cells_with(2) | state.cells_with(3);
    for cell in state.empty() {
        let mut thirds = state.empty() - CellSet::from_cell(cell);
        for second in thirds {
            thirds.remove(second);
            let excluding = small & PEERS[cell] & PEERS[second];
            if excluding.len() < 2 {
                continue;
            }
            for digit in digits(state.candidates(cell)) {
                for third in thirds_without_choice(state, (cell, digit), second, excluding, thirds) {
                    let common = excluding & PEERS[third];
                    if common.len() >= 2 && has_small_peer([cell, second, third], small) {
                        let others = CellSet::from_cell(second) | CellSet::from_cell(third);
                        report_exclusion(
                            state,
                            (cell, digit),
                            others,
                            common,
                            Technique::AlignedTriplet,
                            sink,
                        );
                    }
                }
            }
        }
    }
}

/// Whether one of the cells has few candidates and sees another one of them.
fn has_small_peer(cells: [usize; 3], small: CellSet) -> bool {
    let of_all = cells.into_iter().collect::<CellSet>();
    cells.into_iter().any(|cell| small.contains(cell) && PEERS[cell].meets(of_all))
}

/// Finds third cells: those with which the second cell has no digit left if the first one holds `digit`. The cells of
/// `excluding` have two or three candidates and see the first two cells.
fn thirds_without_choice(
    state: &State,
    (cell, digit): (usize, usize),
    second: usize,
    excluding: CellSet,
    mut thirds: CellSet,
) -> CellSet {
    for other in digits(state.candidates(second)) {
        if thirds.is_empty() {
            break;
        }
        if other != digit || !PEERS[cell].contains(second) {
            thirds = without_choice(state, &[(cell, digit), (second, other)], excluding, thirds);
        }
    }
    thirds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::techniques::tests::Trial;

    #[test]
    fn an_xy_wing_removes_z_from_the_cells_that_see_both_pincers() {
        let mut trial = Trial::new().only("r1c1", "12").only("r1c5", "13").only("r2c3", "23");
        let found = trial.find(find_xy);
        assert_eq!(found, ["4.2 xy-wing: 3 in r1c2, r1c3, r2c4, r2c5 and r2c6"]);
        assert_eq!(
            trial.reasons(),
            [
                "whichever of 1 and 2 is in r1c1, one of r1c5 and r2c3 is 3, so no cell that sees both can be 3"
            ]
        );
    }

    #[test]
    fn pincers_that_the_pivot_does_not_see_or_that_share_no_digit_make_no_xy_wing() {
        for wrong in [("r5c2", "23"), ("r2c3", "24"), ("r2c3", "12"), ("r2c3", "13"), ("r2c3", "234")] {
            let mut trial = Trial::new().only("r1c1", "12").only("r1c5", "13").only(wrong.0, wrong.1);
            assert!(trial.find(find_xy).is_empty(), "{wrong:?}");
        }
    }

    #[test]
    fn an_xyz_wing_removes_z_from_the_cells_that_see_all_three_cells() {
        let mut trial = Trial::new().only("r1c1", "123").only("r1c5", "13").only("r2c3", "23");
        assert_eq!(trial.find(find_xyz), ["4.4 xyz-wing: 3 in r1c2 and r1c3"]);
        assert!(trial.find(find_xy).is_empty());
    }

    #[test]
    fn equal_pincers_or_a_foreign_digit_make_no_xyz_wing() {
        for wrong in [("r2c3", "13"), ("r2c3", "34"), ("r5c5", "23"), ("r2c3", "123")] {
            let mut trial = Trial::new().only("r1c1", "123").only("r1c5", "13").only(wrong.0, wrong.1);
            assert!(trial.find(find_xyz).is_empty(), "{wrong:?}");
        }
    }

    #[test]
    fn a_wxyz_wing_removes_z_from_the_cells_that_see_all_its_places() {
        let wing = |second| {
            Trial::new().only("r1c1", "12").only("r1c4", second).only("r1c7", "34").only("r2c2", "14")
        };
        let mut light = wing("23");
        assert_eq!(light.find(find_large::<3>), ["5.5 wxyz-wing: 4 in r1c2, r1c3, r2c7, r2c8 and r2c9"]);
        let reason = "r1c1, r1c4 and r1c7 hold only 1, 2, 3 and 4, one digit more than there are cells; r2c2 sees every \
                      place of 1 in them; so 4 is in r2c2 or one of them, and no cell that sees all of its places there \
                      can hold it";
        assert_eq!(light.reasons(), [reason]);
        let mut heavy = wing("234");
        assert_eq!(heavy.find(find_large::<3>), ["5.6 wxyz-wing: 4 in r1c2 and r1c3"]);
        assert!(heavy.up_to(55).find(find_large::<3>).is_empty());
    }

    #[test]
    fn a_wing_linked_twice_removes_all_its_digits() {
        let mut wing =
            Trial::new().only("r1c1", "12").only("r1c7", "23").only("r1c2", "34").only("r2c2", "14");
        let ones = "1 in r1c3, r2c1, r2c3, r3c1, r3c2 and r3c3";
        let twos = "2 in r1c3, r1c4, r1c5, r1c6, r1c8 and r1c9";
        let fours = "4 in r1c3, r2c1, r2c3, r3c1, r3c2, r3c3, r4c2, r5c2, r6c2, r7c2, r8c2 and r9c2";
        let threes = twos.replacen('2', "3", 1);
        let all = format!("5.5 wxyz-wing: {ones}; {twos}; {threes}; {fours}");
        assert!(wing.find(find_large::<3>).contains(&all));
    }

    #[test]
    fn a_place_that_is_not_seen_or_a_digit_that_is_foreign_makes_no_wing() {
        for wrong in [("r5c4", "14"), ("r2c2", "15"), ("r2c2", "23"), ("r2c2", "145")] {
            let mut wing = Trial::new().only("r1c1", "12").only("r1c4", "23").only("r1c7", "34");
            wing = wing.only(wrong.0, wrong.1);
            assert!(wing.find(find_large::<3>).is_empty(), "{wrong:?}");
        }
    }

    #[test]
    fn wings_of_four_to_six_cells_in_a_box_have_their_own_ratings() {
        let four =
            || Trial::new().only("r1c1", "12").only("r1c2", "23").only("r2c1", "34").only("r1c5", "15");
        let (seen_by_all, other) = ("5 in r1c3, r3c4, r3c5 and r3c6", "5 in r1c3, r2c4, r2c5 and r2c6");
        assert_eq!(
            four().only("r3c3", "45").find(find_large::<4>),
            [format!("6.3 vwxyz-wing: {seen_by_all}")]
        );
        assert_eq!(
            four().only("r3c3", "345").find(find_large::<4>),
            [format!("6.4 vwxyz-wing: {seen_by_all}")]
        );
        assert_eq!(
            four().only("r3c3", "2345").find(find_large::<4>),
            [format!("6.3 vwxyz-wing: {seen_by_all}")]
        );
        let five = || four().only("r3c3", "46").only("r2c2", "56");
        assert_eq!(five().find(find_large::<5>), [format!("6.6 uvwxyz-wing: {other}")]);
        assert_eq!(five().only("r2c3", "47").find(find_large::<6>), [format!("7.5 tuvwxyz-wing: {other}")]);
    }
}

#[cfg(test)]
mod aligned_tests {
    use super::*;
    use crate::logic::techniques::tests::Trial;

    #[test]
    fn a_digit_that_leaves_none_to_the_other_cell_is_removed() {
        let mut trial = Trial::new().only("r2c5", "13").only("r1c4", "12").only("r2c3", "23");
        let cells = ["r1c1", "r1c2", "r1c3", "r2c4", "r2c6"];
        assert_eq!(
            trial.find(find_aligned_pairs),
            cells.map(|cell| format!("6.2 aligned-pair: 2 in {cell}"))
        );
        let reason = "if r1c1 were 2, each choice of digits for r2c5 would put a digit twice into a house or leave no \
                      candidate to one of r1c4 and r2c3";
        assert_eq!(trial.reasons()[0], reason);
    }

    #[test]
    fn a_digit_that_the_other_cell_could_only_repeat_is_removed() {
        let trial = Trial::new().only("r2c2", "123").only("r1c3", "12").only("r3c1", "23");
        let found = { trial }.find(find_aligned_pairs);
        let cells = ["r1c1", "r1c2", "r2c1", "r2c3", "r3c2", "r3c3"];
        assert_eq!(found, cells.map(|cell| format!("6.2 aligned-pair: 2 in {cell}")));
    }

    #[test]
    fn a_free_candidate_or_a_cell_that_does_not_see_both_excludes_nothing() {
        for wrong in [("r2c5", "134"), ("r1c4", "123"), ("r1c4", "14"), ("r3c4", "12"), ("r2c3", "13")] {
            let cells = [("r2c5", "13"), ("r1c4", "12"), ("r2c3", "23"), wrong];
            // The wrong cell replaces the right one in the same column.
            let right = cells.iter().enumerate().filter(|&(i, cell)| i == 3 || cell.0[2..] != wrong.0[2..]);
            let mut trial = right.fold(Trial::new(), |trial, (_, cell)| trial.only(cell.0, cell.1));
            assert!(
                !trial.find(find_aligned_pairs).iter().any(|line| line.ends_with("2 in r1c1")),
                "{wrong:?}"
            );
        }
    }

    #[test]
    fn a_digit_that_leaves_no_choice_to_the_two_other_cells_is_removed() {
        let mut trial = Trial::from_candidates(
            "146 248 14568 9 7 46 125 3 15   679 29 567 3 26 1 8 4 57   137 234 147 8 24 5 1279 29 6
             16 7 3 16 8 2 4 59 59   8 45 16 1456 469 469 3 7 2   49 459 2 45 3 7 6 1 8
             5 348 478 2 1469 4689 17 68 1347   234 6 9 7 14 48 25 258 134   247 1 478 46 5 3 79 268 479",
        );
        assert_eq!(trial.find(find_aligned_triplets), ["7.5 aligned-triplet: 1 in r3c1"]);
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
            trial.find(find_aligned_triplets).contains(&"7.5 aligned-triplet: 1 in r3c1".to_owned())
        };
        assert!(found(None));
        for free in [("r3c3", "1479"), ("r3c3", "148"), ("r6c1", "459"), ("r2c1", "6789"), ("r1c1", "1456")] {
            assert!(!found(Some(free)), "{free:?}");
        }
    }
}
