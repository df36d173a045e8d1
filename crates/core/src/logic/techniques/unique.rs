//! Unique rectangles and loops: cells that would hold two digits in two ways.
//!
//! ```text
//!  12 . . | 12  . .      An even number of cells, each seeing the next, in turn of two colours; every house that has
//!  12 . . | 123 . .      one of them has exactly two, one of each colour. Were they all 12, the digits could be
//!  -------               exchanged: two solutions. So something else stands in one of the cells with more candidates.
//! ```
//!
//! The types, by the cells that have more candidates than the two digits:
//!
//! ```text
//!  type 1   one cell: it holds neither digit
//!  type 2   several cells, all with the same digit more: one of them holds it, so no cell that sees them all does
//!  type 3   two cells of a house: one of them holds one of the other digits, and makes a naked set with other cells of
//!           the house; or only one of them holds one of the two digits, and makes a hidden set with others
//!  type 4   two cells of a house in which one of the two digits has no other place: neither holds the other digit
//! ```
//!
//! Ratings: 4.5 for 4 cells, 4.6 for 6, 4.7 for 8, 5.0 for more. In type 3 naked sets add 0.1 for a pair, 0.2 for a triplet,
//! 0.3 for a quad; hidden sets 0.1 less. At least half of the empty cells of the house must be left beside a naked set, more
//! than half beside a hidden one. Source: Sudoku Explainer 1.2.1 with the corrections of SukakuExplainer.

use super::deadly::{Deadly, houses_of_all};
use crate::logic::cells::{
    CandidateSet, CellSet, HOUSE, PEERS, cell_names, cells_at, digit_names, house, houses_of,
};
use crate::logic::finder::{Scratch, Sink};
use crate::logic::state::{ALL_NINE, State, digits};
use crate::logic::technique::{Rating, Technique};

/// Finds unique rectangles and loops, types 1 to 4.
pub(crate) fn find(state: &State, _: &mut Scratch, sink: &mut dyn Sink) {
    let [_, _, two, three, four, _] = state.cells_with_at_least();
    let (bivalue, trivalue) = (two - three, three - four);
    let mut rest = bivalue;
    while let Some(cell) = rest.first() {
        let pair = state.candidates(cell);
        let both = digits(pair).fold(CellSet::ALL, |cells, digit| cells & state.cells_of(digit));
        let plain = bivalue & both;
        find_of_pair(state, pair, plain, trivalue & both, both, sink);
        rest -= plain;
    }
}

/// Finds the loops of a pair of digits, among `both`, the cells that may hold both: those with just these two are
/// `plain`, those with one more `trivalue`. Each loop has a plain cell, from which the search starts.
fn find_of_pair(
    state: &State,
    pair: u16,
    plain: CellSet,
    trivalue: CellSet,
    both: CellSet,
    sink: &mut dyn Sink,
) {
    let (alike, most_alike) = alike(state, pair, trivalue);
    // Two cells may have any other candidates. The partners of such a cell in its row and its column are not both of
    // that kind.
    let in_lines = plain.into_iter().fold(CellSet::EMPTY, |cells, cell| {
        let [row, column, _] = houses_of(cell);
        cells | HOUSE[row] | HOUSE[column]
    });
    let (others, most_others) = if plain.len() == 1 { (CellSet::EMPTY, 0) } else { (both & in_lines, 2) };
    let longest = (plain.len() + most_others.max(most_alike)) & !1;
    let cells = plain | others | alike;
    if longest < 4 || cells.len() < 4 || !plain.into_iter().any(|cell| has_partners(cell, cells)) {
        return;
    }
    let mut cells = with_partners(cells);
    for start in plain {
        if cells.contains(start) {
            let mut search = Search { state, pair, start, longest, sink };
            search.extend(&Path::from(start, cells), start);
            // All loops through this cell have been found.
            cells.remove(start);
        }
    }
}

/// Returns the cells with the same candidate besides the pair as two others or more, and the number of those that have
/// the most frequent one: loops may have more than two of them.
fn alike(state: &State, pair: u16, trivalue: CellSet) -> (CellSet, usize) {
    let (mut alike, mut most) = (CellSet::EMPTY, 0);
    if trivalue.len() >= 3 {
        for digit in digits(ALL_NINE & !pair) {
            let cells = trivalue & state.cells_of(digit);
            if cells.len() >= 3 {
                alike |= cells;
                most = most.max(cells.len());
            }
        }
    }
    (alike, most)
}

fn has_partners(cell: usize, cells: CellSet) -> bool {
    houses_of(cell).iter().all(|&house| (cells & HOUSE[house]) != CellSet::of(cell))
}

/// Returns the cells without those that are the only one of the set in some house.
fn with_partners(mut cells: CellSet) -> CellSet {
    loop {
        let kept = cells.into_iter().filter(|&cell| has_partners(cell, cells)).collect();
        if kept == cells {
            return cells;
        }
        cells = kept;
    }
}

/// Returns the number of cells of the longest loop that the limit admits; two cells of each colour in nine houses of a
/// kind make at most 18.
fn longest(limit: Rating) -> usize {
    match limit.in_tenths() {
        ..46 => 4,
        46 => 6,
        47..50 => 8,
        _ => 18,
    }
}

/// The first cells of a loop, of two colours in turn; 0 is the colour of the start.
#[derive(Clone, Copy)]
struct Path {
    cells: CellSet,
    length: usize,
    /// The cell after the start.
    second: usize,
    /// For each colour, the cells that may still take it: those that share no house with a cell of the colour.
    free: [CellSet; 2],
    /// For each colour, the houses of its cells, as a mask.
    houses: [u32; 2],
    /// The cells with more candidates than the pair, and what they have more.
    extra_cells: CellSet,
    extra_digits: u16,
}

impl Path {
    fn from(start: usize, cells: CellSet) -> Path {
        let none = Path {
            cells: CellSet::EMPTY,
            length: 0,
            second: start,
            free: [cells; 2],
            houses: [0; 2],
            extra_cells: CellSet::EMPTY,
            extra_digits: 0,
        };
        none.with(start, 0)
    }

    fn with(&self, cell: usize, extra: u16) -> Path {
        let mut path = *self;
        let color = path.length % 2;
        path.cells.insert(cell);
        path.free[color] -= PEERS[cell];
        for free in &mut path.free {
            free.remove(cell);
        }
        path.houses[color] |= houses_of(cell).iter().fold(0, |mask, house| mask | 1 << house);
        if path.length == 1 {
            path.second = cell;
        }
        if extra != 0 {
            path.extra_cells.insert(cell);
            path.extra_digits |= extra;
        }
        path.length += 1;
        path
    }

    /// Returns whether a cell with these extra candidates can be added: two cells may have any, more only the same one.
    fn admits(&self, extra: u16) -> bool {
        extra == 0 || self.extra_cells.len() < 2 || (self.extra_digits | extra).is_power_of_two()
    }
}

/// A depth-first search for the loops of a pair of digits through a cell.
struct Search<'a> {
    state: &'a State,
    pair: u16,
    start: usize,
    /// The number of cells of the longest loop that can be.
    longest: usize,
    sink: &'a mut dyn Sink,
}

impl Search<'_> {
    fn extend(&mut self, path: &Path, last: usize) {
        // The other way around is the same loop.
        if path.length >= 4 && path.second < last && self.is_closed(path, last) {
            report(self.state, self.pair, path.cells, path.extra_cells, self.sink);
        }
        let longest = self.longest.min(longest(self.sink.limit()));
        if path.length >= longest {
            return;
        }
        let near = if path.length + 1 == longest { PEERS[self.start] } else { CellSet::ALL };
        for cell in path.free[path.length % 2] & PEERS[last] & near {
            let extra = self.state.candidates(cell) & !self.pair;
            if path.admits(extra) {
                self.extend(&path.with(cell, extra), cell);
            }
        }
    }

    fn is_closed(&self, path: &Path, last: usize) -> bool {
        PEERS[last].contains(self.start) && path.houses[0] == path.houses[1]
    }
}

/// Hands over the deductions of a rectangle or loop: of its two digits, its cells, and those of them that have other
/// candidates too.
fn report(state: &State, pair: u16, cells: CellSet, extra_cells: CellSet, sink: &mut dyn Sink) {
    let (technique, longer) = match cells.len() {
        4 => (Technique::UniqueRectangle, 0),
        6 => (Technique::UniqueLoop, 1),
        8 => (Technique::UniqueLoop, 2),
        _ => (Technique::UniqueLoop, 5),
    };
    let in_cells = extra_cells.into_iter().fold(0, |mask, cell| mask | state.candidates(cell));
    let found = Deadly {
        state,
        technique,
        rating: Technique::UniqueRectangle.least().plus(longer),
        cells: extra_cells,
        extra: in_cells & !pair,
        shown: state.candidates_in(pair, cells),
        premise: &|| {
            let (pair, cells) = (digit_names(pair), cell_names(cells));
            format!("{pair} alone in {cells} could be exchanged, which would make two solutions")
        },
    };
    let has_one_digit = found.extra.is_power_of_two();
    match extra_cells.len() {
        // A loop without other candidates belongs to a puzzle with several solutions.
        0 => return,
        1 => return type_1(&found, pair, sink),
        _ if has_one_digit => found.type_2(sink),
        _ => {}
    }
    if extra_cells.len() == 2 {
        for house in houses_of_all(extra_cells) {
            type_4(&found, pair, house, sink);
            if !has_one_digit {
                type_3_naked(&found, house, sink);
                type_3_hidden(&found, pair, house, sink);
            }
        }
    }
}

fn type_1(found: &Deadly, pair: u16, sink: &mut dyn Sink) {
    found.hand_over((1, 0), None, found.state.candidates_in(pair, found.cells), sink, &|| {
        (CandidateSet::EMPTY, format!(", so {} holds neither", cell_names(found.cells)))
    });
}

fn type_3_naked(found: &Deadly, index: usize, sink: &mut dyn Sink) {
    let Deadly { state, cells, extra, .. } = *found;
    let both = cells.into_iter().fold(extra, |mask, cell| mask & state.candidates(cell));
    let largest = (state.empty() & HOUSE[index]).len() / 2;
    found.type_3(index, both, largest, &state.candidates_in(extra, cells), sink);
}

fn type_3_hidden(found: &Deadly, pair: u16, index: usize, sink: &mut dyn Sink) {
    let state = found.state;
    let empty = (state.empty() & HOUSE[index]).len();
    let rest = ALL_NINE & !pair & !found.extra;
    let open = digits(rest).filter(|&digit| state.places(digit, index) != 0);
    for more in subsets(open.fold(0, |mask, digit| mask | 1 << digit)) {
        let set = pair | more;
        let size = set.count_ones() as usize;
        let places = digits(set).fold(0, |places, digit| places | state.places(digit, index));
        // Of the two cells one counts: they hold one digit of the set between them.
        if 2 * size >= empty || places.count_ones() as usize != size + 1 {
            continue;
        }
        let cells = cells_at(index, places) - found.cells;
        let removed = state.candidates_in(!set & ALL_NINE, cells);
        found.hand_over((3, size - 2), Some(index), removed, sink, &|| {
            let (two, with) = (cell_names(found.cells), cell_names(cells));
            let (digits, house) = (digit_names(set), house(index));
            let conclusion = format!(
                ", so at most one of {two} is one of them; with {with} it has all places of {digits} in {house}, so \
                 {with} cannot be anything else"
            );
            (state.candidates_in(set, cells), conclusion)
        });
    }
}

/// Returns the subsets of a mask, from the empty one.
fn subsets(mask: u16) -> impl Iterator<Item = u16> {
    let after = move |&set: &u16| (set != mask).then(|| set.wrapping_sub(mask) & mask);
    std::iter::successors(Some(0), after)
}

fn type_4(found: &Deadly, pair: u16, index: usize, sink: &mut dyn Sink) {
    for locked in digits(pair) {
        if !(found.state.cells_of(locked) & HOUSE[index]).is_subset(found.cells) {
            continue;
        }
        let other = pair & !(1 << locked);
        let removed = found.state.candidates_in(other, found.cells);
        found.hand_over((4, 0), Some(index), removed, sink, &|| {
            let (two, house) = (cell_names(found.cells), house(index));
            let (locked, other) = (digit_names(1 << locked), digit_names(other));
            let conclusion =
                format!("; {locked} has no other place in {house} than {two}, so neither is {other}");
            (CandidateSet::EMPTY, conclusion)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::techniques::trial::Trial;

    /// Returns a trial in which cells have the candidates 1 and 2 only.
    fn with_pairs(cells: &str) -> Trial {
        cells.split(' ').fold(Trial::new(), |trial, cell| trial.only(cell, "12"))
    }

    /// Returns what is found in cells with 1 and 2, the rest of the grid without 1: no other loops.
    fn found_among(cells: &str, last: &str) -> Vec<String> {
        let all = format!("{cells} {last}");
        let bare = (1..=9).fold(with_pairs(cells), |trial, row| trial.confine(1, &format!("r{row}"), &all));
        { bare }.find(find)
    }

    #[test]
    fn loops_rate_by_their_length() {
        let found = found_among("r1c1 r1c2 r4c1", "r4c2");
        assert_eq!(found, ["4.5 unique-rectangle: 1 in r4c2; 2 in r4c2"]);
        let found = found_among("r1c1 r1c4 r2c4 r2c7 r3c7", "r3c1");
        assert_eq!(found, ["4.6 unique-loop: 1 in r3c1; 2 in r3c1"]);
        let found = found_among("r1c3 r1c7 r3c7 r3c1 r7c8 r8c8 r8c3", "r7c1");
        assert_eq!(found, ["4.7 unique-loop: 1 in r7c1; 2 in r7c1"]);
        let found = found_among("r1c4 r1c9 r7c9 r7c8 r5c8 r5c7 r3c7 r3c5 r4c5", "r4c4");
        assert_eq!(found, ["5.0 unique-loop: 1 in r4c4; 2 in r4c4"]);
    }

    #[test]
    fn a_loop_above_the_limit_is_left_out() {
        let mut trial = with_pairs("r1c1 r1c4 r2c4 r2c7 r3c7");
        assert!(trial.find(find).contains(&"4.6 unique-loop: 1 in r3c1; 2 in r3c1".to_owned()));
        assert!(trial.up_to(45).find(find).iter().all(|line| line.starts_with("4.5 unique-rectangle")));
    }

    #[test]
    fn a_house_with_one_cell_or_with_three_makes_no_loop() {
        // Four boxes, each with one cell.
        assert!(with_pairs("r1c1 r1c4 r4c1").find(find).is_empty());
        // A cycle of six cells, each of which sees the next, with three of them in box 1.
        assert!(found_among("r1c1 r2c2 r2c4 r3c4 r3c3", "r1c3").is_empty());
    }

    #[test]
    fn two_cells_of_a_color_in_a_house_make_no_loop() {
        // A cycle of ten cells; each house has two of them or none, but in column 9 they have the same color.
        assert!(found_among("r4c9 r6c8 r6c2 r2c2 r2c6 r1c6 r1c9 r3c8 r3c3", "r4c3").is_empty());
    }

    #[test]
    fn all_loops_are_found() {
        let mut trial = with_pairs("r1c1 r1c2 r4c1 r8c5 r8c6 r5c6");
        assert_eq!(
            trial.find(find),
            ["4.5 unique-rectangle: 1 in r4c2; 2 in r4c2", "4.5 unique-rectangle: 1 in r5c5; 2 in r5c5"]
        );
    }

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
        assert_eq!(trial.find(find), ["4.5 unique-rectangle: 1 in r4c2; 2 in r4c2"]);
        let reason = "type 1: 1 and 2 alone in r1c1, r1c2, r4c1 and r4c2 could be exchanged, which would make two \
                      solutions, so r4c2 holds neither";
        assert_eq!(trial.reasons(), [reason]);
    }

    #[test]
    fn type_2_removes_the_extra_digit_from_the_cells_that_see_all_that_have_it() {
        let two = rectangle("123", "123").find(find);
        let (box_4, row_4) =
            ("r5c1, r5c2, r5c3, r6c1, r6c2 and r6c3", "r4c3, r4c4, r4c5, r4c6, r4c7, r4c8, r4c9");
        assert_eq!(two, [format!("4.5 unique-rectangle: 3 in {row_4}, {box_4}")]);
        let mut three = corners(["12", "123", "123", "123"]);
        assert_eq!(three.find(find), ["4.5 unique-rectangle: 3 in r5c2 and r6c2"]);
    }

    #[test]
    fn type_2_wants_one_digit_and_a_cell_without_it() {
        assert!(rectangle("123", "124").find(find).is_empty());
        assert!(corners(["123", "123", "123", "123"]).find(find).is_empty());
    }

    #[test]
    fn type_3_makes_naked_sets_with_cells_of_the_house() {
        let mut pair = rectangle("123", "124").only("r4c5", "34");
        let found = pair.find(find);
        let row = "r4c3, r4c4, r4c6, r4c7, r4c8 and r4c9";
        assert_eq!(found, [format!("4.6 unique-rectangle: 3 in {row}; 4 in {row}")]);
        assert!(pair.reasons()[0].ends_with(
            "so one of r4c1 and r4c2 is one of 3 and 4; with r4c5 it holds 3 and 4, which no other cell of row 4 does"
        ));
        let triplet = rectangle("123", "124").only("r4c5", "35").only("r4c6", "45").find(find);
        let row = "r4c3, r4c4, r4c7, r4c8 and r4c9";
        assert_eq!(triplet, [format!("4.7 unique-rectangle: 3 in {row}; 4 in {row}; 5 in {row}")]);
    }

    #[test]
    fn type_3_wants_each_digit_of_a_naked_set_twice() {
        // 4 stands in one of the two cells only, and in none of the others.
        assert!(rectangle("123", "124").only("r4c5", "35").only("r4c6", "35").find(find).is_empty());
    }

    #[test]
    fn type_3_makes_hidden_sets_with_cells_of_the_house() {
        let hidden =
            rectangle("1234", "1256").confine(1, "r4", "r4c1 r4c2 r4c7").confine(2, "r4", "r4c1 r4c2 r4c7");
        let found = { hidden }.find(find);
        let other = "3 in r4c7; 4 in r4c7; 5 in r4c7; 6 in r4c7; 7 in r4c7; 8 in r4c7; 9 in r4c7";
        assert_eq!(found, [format!("4.5 unique-rectangle: {other}")]);
    }

    #[test]
    fn type_4_leaves_one_digit_where_the_other_has_no_other_place() {
        let mut trial = rectangle("1234", "1256").confine(1, "r4", "r4c1 r4c2");
        assert_eq!(trial.find(find), ["4.5 unique-rectangle: 2 in r4c1 and r4c2"]);
        assert!(trial.reasons()[0].starts_with("type 4: "));
        assert!(rectangle("1234", "1256").confine(1, "r4", "r4c1 r4c2 r4c9").find(find).is_empty());
    }
}
