//! The types of unique rectangles and loops, by the cells that have more candidates than the two digits.
//!
//! ```text
//!  type 1   one cell: it holds neither digit
//!  type 2   several cells, all with the same digit more: one of them holds it, so no cell that sees them all does
//!  type 3   two cells of a house: one of them holds one of the other digits, and makes a naked set with other cells of
//!           the house; or only one of them holds one of the two digits, and makes a hidden set with others
//!  type 4   two cells of a house in which one of the two digits has no other place: neither holds the other digit
//! ```
//!
//! Ratings: that of the loop; in type 3 naked sets add 0.1 for a pair, 0.2 for a triplet, 0.3 for a quad; hidden sets
//! 0.1 less. At least half of the empty cells of the house must be left beside a naked set, more than half beside a hidden
//! one. Source: Sudoku Explainer 1.2.1 with the corrections of SukakuExplainer.

use super::one_of::OneOf;
use crate::logic::cell_set::{CandidateSet, CellSet};
use crate::logic::deduction::{Deduction, Pattern, Sink};
use crate::logic::houses::{HOUSE, cells_at, common_peers, house, houses_of};
use crate::logic::rating::Rating;
use crate::logic::state::{ALL_NINE, State, digits};
use crate::logic::technique::Technique;
use crate::logic::words::{cell_names, digit_names};

/// A rectangle or loop: its two digits, its cells, and those of them that have other candidates too.
pub(crate) struct UniqueLoop {
    pub pair: u16,
    pub cells: CellSet,
    pub extra_cells: CellSet,
}

impl UniqueLoop {
    fn technique(&self) -> Technique {
        if self.cells.len() == 4 { Technique::UniqueRectangle } else { Technique::UniqueLoop }
    }

    fn rating(&self) -> Rating {
        let longer = match self.cells.len() {
            4 => 0,
            6 => 1,
            8 => 2,
            _ => 5,
        };
        Technique::UniqueRectangle.least().plus(longer)
    }

    /// Returns the start of every reason.
    fn premise(&self, kind: u8) -> String {
        let (pair, cells) = (digit_names(self.pair), cell_names(self.cells));
        format!("type {kind}: {pair} alone in {cells} could be exchanged, which would make two solutions")
    }
}

/// Hands the deductions of a loop to the sink.
pub(crate) fn report(state: &State, found: &UniqueLoop, sink: &mut dyn Sink) {
    let extra_digits = candidates_of(state, found.extra_cells) & !found.pair;
    match found.extra_cells.len() {
        // A loop without other candidates belongs to a puzzle with several solutions.
        0 => return,
        1 => return type_1(found, sink),
        _ if extra_digits.is_power_of_two() => type_2(state, found, extra_digits, sink),
        _ => {}
    }
    if found.extra_cells.len() == 2 {
        for house in houses_of_all(found.extra_cells) {
            type_4(state, found, house, sink);
            if !extra_digits.is_power_of_two() {
                type_3_naked(state, found, house, extra_digits, sink);
                type_3_hidden(state, found, house, extra_digits, sink);
            }
        }
    }
}

fn candidates_of(state: &State, cells: CellSet) -> u16 {
    cells.into_iter().fold(0, |mask, cell| mask | state.candidates(cell))
}

/// Returns the houses that have all of some cells.
pub(crate) fn houses_of_all(cells: CellSet) -> impl Iterator<Item = usize> {
    let of_first = cells.first().map(houses_of).into_iter().flatten();
    of_first.filter(move |&house| cells.is_subset(HOUSE[house]))
}

/// Returns some digits in some cells, as far as they are candidates.
pub(crate) fn present(state: &State, mask: u16, cells: CellSet) -> CandidateSet {
    let mut set = CandidateSet::EMPTY;
    for digit in digits(mask) {
        set.insert_all(digit, cells & state.cells_of(digit));
    }
    set
}

fn type_1(found: &UniqueLoop, sink: &mut dyn Sink) {
    let mut removed = CandidateSet::EMPTY;
    for digit in digits(found.pair) {
        removed.insert_all(digit, found.extra_cells);
    }
    hand_over(found, 0, removed, sink, &|| {
        let reason = format!("{}, so {} holds neither", found.premise(1), cell_names(found.extra_cells));
        pattern(found, None, CandidateSet::EMPTY, reason)
    });
}

fn type_2(state: &State, found: &UniqueLoop, digit: u16, sink: &mut dyn Sink) {
    let removed = present(state, digit, common_peers(found.extra_cells));
    hand_over(found, 0, removed, sink, &|| {
        let (premise, cells, digit_name) =
            (found.premise(2), cell_names(found.extra_cells), digit_names(digit));
        let reason =
            format!("{premise}, so one of {cells} is {digit_name}, and no cell that sees them all is");
        pattern(found, None, present(state, digit, found.extra_cells), reason)
    });
}

fn type_3_naked(state: &State, found: &UniqueLoop, index: usize, extra: u16, sink: &mut dyn Sink) {
    let empty = state.empty() & HOUSE[index];
    let others = empty - found.extra_cells;
    let both = found.extra_cells.into_iter().fold(ALL_NINE, |mask, cell| mask & state.candidates(cell));
    let one = OneOf { digits: extra, shared: extra & both };
    for size in extra.count_ones() as usize..=empty.len() / 2 {
        one.naked_sets(state, others, size, &mut |cells, set| {
            let removed = present(state, set, others - cells);
            hand_over(found, size - 1, removed, sink, &|| {
                let (premise, two) = (found.premise(3), cell_names(found.extra_cells));
                let (extra_names, set_names, cells_names) = (digit_names(extra), digit_names(set), cell_names(cells));
                let house = house(index);
                let reason = format!(
                    "{premise}, so one of {two} is one of {extra_names}; with {cells_names} it holds {set_names}, which \
                     no other cell of {house} does"
                );
                let mut candidates = present(state, extra, found.extra_cells);
                candidates.unite(&present(state, set, cells));
                pattern(found, Some(index), candidates, reason)
            });
        });
    }
}

fn type_3_hidden(state: &State, found: &UniqueLoop, index: usize, extra: u16, sink: &mut dyn Sink) {
    let empty = (state.empty() & HOUSE[index]).len();
    let rest = ALL_NINE & !found.pair & !extra;
    let open = digits(rest).filter(|&digit| state.places(digit, index) != 0);
    for more in subsets(open.fold(0, |mask, digit| mask | 1 << digit)) {
        let set = found.pair | more;
        let size = set.count_ones() as usize;
        let places = digits(set).fold(0, |places, digit| places | state.places(digit, index));
        // Of the two cells one counts: they hold one digit of the set between them.
        if 2 * size >= empty || places.count_ones() as usize != size + 1 {
            continue;
        }
        let cells = cells_at(index, places) - found.extra_cells;
        hand_over(found, size - 2, present(state, !set & ALL_NINE, cells), sink, &|| {
            let (premise, two, cells_names) =
                (found.premise(3), cell_names(found.extra_cells), cell_names(cells));
            let (set_names, house) = (digit_names(set), house(index));
            let reason = format!(
                "{premise}, so at most one of {two} is one of them; with {cells_names} it has all places of {set_names} \
                 in {house}, so {cells_names} cannot be anything else"
            );
            pattern(found, Some(index), present(state, set, cells), reason)
        });
    }
}

/// Returns the subsets of a mask, from the empty one.
fn subsets(mask: u16) -> impl Iterator<Item = u16> {
    let after = move |&set: &u16| (set != mask).then(|| set.wrapping_sub(mask) & mask);
    std::iter::successors(Some(0), after)
}

fn type_4(state: &State, found: &UniqueLoop, index: usize, sink: &mut dyn Sink) {
    for locked in digits(found.pair) {
        if !(state.cells_of(locked) & HOUSE[index]).is_subset(found.extra_cells) {
            continue;
        }
        let other = found.pair & !(1 << locked);
        hand_over(found, 0, present(state, other, found.extra_cells), sink, &|| {
            let (premise, two, house) = (found.premise(4), cell_names(found.extra_cells), house(index));
            let (locked_name, other_name) = (digit_names(1 << locked), digit_names(other));
            let reason = format!(
                "{premise}; {locked_name} has no other place in {house} than {two}, so neither is {other_name}"
            );
            pattern(found, Some(index), CandidateSet::EMPTY, reason)
        });
    }
}

/// Hands a deduction over, `more` tenths above the rating of the loop, if it removes something and is not too dear.
fn hand_over(
    found: &UniqueLoop,
    more: usize,
    removed: CandidateSet,
    sink: &mut dyn Sink,
    pattern: &dyn Fn() -> Pattern,
) {
    let rating = found.rating().plus(more as u16);
    if rating <= sink.limit() && !removed.is_empty() {
        sink.found(&Deduction::remove(found.technique(), rating, removed), pattern);
    }
}

/// Returns the pattern of a loop with other candidates that belong to it, in the house that matters.
fn pattern(
    found: &UniqueLoop,
    house: Option<usize>,
    mut candidates: CandidateSet,
    reason: String,
) -> Pattern {
    for digit in digits(found.pair) {
        candidates.insert_all(digit, found.cells);
    }
    Pattern { houses: house.into_iter().collect(), candidates, reason, ..Pattern::default() }
}

#[cfg(test)]
mod tests {
    use super::super::unique_loops::UniqueLoops;
    use crate::logic::techniques::trial::Trial;

    /// Returns a trial with these candidates in r1c1, r1c2, r4c1 and r4c2.
    fn corners(candidates: [&str; 4]) -> Trial {
        let [r1c1, r1c2, r4c1, r4c2] = candidates;
        Trial::new().only("r1c1", r1c1).only("r1c2", r1c2).only("r4c1", r4c1).only("r4c2", r4c2)
    }

    /// Returns a trial of a rectangle with 1 and 2 in row 1 and these candidates in row 4.
    fn rectangle(r4c1: &str, r4c2: &str) -> Trial {
        corners(["12", "12", r4c1, r4c2])
    }

    #[test]
    fn type_1_leaves_neither_digit_to_the_cell_with_others() {
        let mut trial = rectangle("12", "1234");
        assert_eq!(trial.find(&UniqueLoops), ["4.5 unique-rectangle: 1 in r4c2; 2 in r4c2"]);
        let reason = "type 1: 1 and 2 alone in r1c1, r1c2, r4c1 and r4c2 could be exchanged, which would make two \
                      solutions, so r4c2 holds neither";
        assert_eq!(trial.reasons(), [reason]);
    }

    #[test]
    fn type_2_removes_the_extra_digit_from_the_cells_that_see_all_that_have_it() {
        let two = rectangle("123", "123").find(&UniqueLoops);
        let (box_4, row_4) =
            ("r5c1, r5c2, r5c3, r6c1, r6c2 and r6c3", "r4c3, r4c4, r4c5, r4c6, r4c7, r4c8, r4c9");
        assert_eq!(two, [format!("4.5 unique-rectangle: 3 in {row_4}, {box_4}")]);
        let mut three = corners(["12", "123", "123", "123"]);
        assert_eq!(three.find(&UniqueLoops), ["4.5 unique-rectangle: 3 in r5c2 and r6c2"]);
    }

    #[test]
    fn type_2_wants_one_digit_and_a_cell_without_it() {
        assert!(rectangle("123", "124").find(&UniqueLoops).is_empty());
        assert!(corners(["123", "123", "123", "123"]).find(&UniqueLoops).is_empty());
    }

    #[test]
    fn type_3_makes_naked_sets_with_cells_of_the_house() {
        let mut pair = rectangle("123", "124").only("r4c5", "34");
        let found = pair.find(&UniqueLoops);
        let row = "r4c3, r4c4, r4c6, r4c7, r4c8 and r4c9";
        assert_eq!(found, [format!("4.6 unique-rectangle: 3 in {row}; 4 in {row}")]);
        assert!(pair.reasons()[0].ends_with(
            "so one of r4c1 and r4c2 is one of 3 and 4; with r4c5 it holds 3 and 4, which no other cell of row 4 does"
        ));
        let triplet = rectangle("123", "124").only("r4c5", "35").only("r4c6", "45").find(&UniqueLoops);
        let row = "r4c3, r4c4, r4c7, r4c8 and r4c9";
        assert_eq!(triplet, [format!("4.7 unique-rectangle: 3 in {row}; 4 in {row}; 5 in {row}")]);
    }

    #[test]
    fn type_3_wants_each_digit_of_a_naked_set_twice() {
        // 4 stands in one of the two cells only, and in none of the others.
        assert!(rectangle("123", "124").only("r4c5", "35").only("r4c6", "35").find(&UniqueLoops).is_empty());
    }

    #[test]
    fn type_3_makes_hidden_sets_with_cells_of_the_house() {
        let hidden =
            rectangle("1234", "1256").confine(1, "r4", "r4c1 r4c2 r4c7").confine(2, "r4", "r4c1 r4c2 r4c7");
        let found = { hidden }.find(&UniqueLoops);
        let other = "3 in r4c7; 4 in r4c7; 5 in r4c7; 6 in r4c7; 7 in r4c7; 8 in r4c7; 9 in r4c7";
        assert_eq!(found, [format!("4.5 unique-rectangle: {other}")]);
    }

    #[test]
    fn type_4_leaves_one_digit_where_the_other_has_no_other_place() {
        let mut trial = rectangle("1234", "1256").confine(1, "r4", "r4c1 r4c2");
        assert_eq!(trial.find(&UniqueLoops), ["4.5 unique-rectangle: 2 in r4c1 and r4c2"]);
        assert!(trial.reasons()[0].starts_with("type 4: "));
        assert!(rectangle("1234", "1256").confine(1, "r4", "r4c1 r4c2 r4c9").find(&UniqueLoops).is_empty());
    }
}
