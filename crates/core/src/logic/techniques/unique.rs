//! Unique rectangles, unique loops and the bivalue universal grave: deductions that rely on a proper puzzle
//! having only one solution.
//!
//! Unique rectangles and loops: cells that could hold the same two digits in two ways.
//!
//! ```text
//!  12 . . | 12  . .      An even number of cells, each of which sees the next. Their colors alternate, and every
//!  12 . . | 123 . .      house with one of the cells has exactly two, one of each color. If all of them were 12,
//!  -------               you could exchange the digits: two solutions. So a cell with more candidates holds another.
//! ```
//!
//! The types differ in the cells that have more candidates than the two digits:
//!
//! ```text
//!  type 1   one cell: it holds neither of the two digits
//!  type 2   several cells with the same extra digit: one of them holds it, so no cell that sees them all does
//!  type 3   two cells of a house: one of them holds an extra digit, which forms a naked set with other cells of the
//!           house; or only one of them holds one of the two digits, which forms a hidden set with other cells
//!  type 4   two cells of a house in which one of the two digits has no other place: neither holds the other digit
//! ```
//!
//! Ratings: 4.5 for 4 cells, 4.6 for 6, 4.7 for 8, 5.0 for more. In type 3, a naked set adds 0.1 for a pair,
//! 0.2 for a triplet, 0.3 for a quad; a hidden set adds 0.1 less. A naked set may use at most half of the
//! empty cells of the house, a hidden set less than half. Source: Sudoku Explainer 1.2.1 with the corrections
//! of SukakuExplainer.
//!
//! The bivalue universal grave (BUG): every cell has two candidates, and every digit has two places in every
//! house.
//!
//! ```text
//!  12  23  13 | ...      Such a state has no solution or several. So if only some extra candidates keep a state from
//!  23 123* 12 | ...      being a grave, one of the cells with more than two candidates holds one of its extra digits.
//!
//!  type 1   one cell: it holds an extra digit
//!  type 2   several cells with the same extra digit: one of them holds it, so no cell that sees them all does
//!  type 3   several cells of a house: one of them holds an extra digit, which forms a naked set with other cells
//!  type 4   two cells of a house with a common candidate that is not extra: it has no other place there, so apart
//!           from it both cells can only hold extra digits
//! ```
//!
//! Ratings: 5.6 for type 1, 5.7 for types 2 and 4, 5.8 for type 3 with a naked pair, and 0.1 more for each
//! further cell. Source: Sudoku Explainer 1.2.1 with the corrections of SukakuExplainer.
//!
//! Both are *deadly patterns*: some cell must hold an extra digit, because the puzzle would otherwise have
//! two solutions or none. `DeadlyPattern` has the types that both share. In type 3, the cells of a house act as one
//! cell of a naked set:
//!
//! ```text
//!  1234 1235 | 34 45 | ...     If the first two cells cannot both be 1 or 2, one of them is 3, 4 or 5: with 34 and 45
//!                              it forms a naked triplet.
//! ```

use crate::logic::cells::{
    CandidateSet, CellSet, HOUSE, HOUSES, PEERS, candidate_names, cell_names, cells_at, common_peers,
    digit_names, house, houses_of,
};
use crate::logic::finder::{DeductionSink, Pattern, Scratch};
use crate::logic::state::{ALL_NINE, State, digits};
use crate::logic::technique::{Rating, Technique};

/// Finds unique rectangles and loops, types 1 to 4.
pub(crate) fn find_loops(state: &State, _: &mut Scratch, sink: &mut dyn DeductionSink) {
    let [_, _, two, three, four, _] = state.cells_with_at_least();
    let mut rest = two - three;
    while let Some(start) = rest.first() {
        let pair = state.candidates(start);
        let both = digits(pair).fold(CellSet::ALL, |cells, digit| cells & state.cells_of(digit));
        let plain = rest & both;
        // Two cells of a loop may have any extra candidates, but three or more must all have the same one.
        let with_one_more = both & (three - four);
        let mut cells = with_partners(if plain.len() == 1 { plain | with_one_more } else { both });
        for start in plain & cells {
            let mut search = LoopSearch { state, pair, start, sink };
            search.extend(&Path::new(start, cells), start);
            // All loops through this cell have been found, so later searches skip it.
            cells.remove(start);
        }
        rest -= plain;
    }
}

/// Drops cells that are the only one of the set in some house, until none is left, because a loop needs two
/// cells in each house.
fn with_partners(mut cells: CellSet) -> CellSet {
    let has_partners =
        |cell, cells| houses_of(cell).iter().all(|&house| (cells & HOUSE[house]) != CellSet::from_cell(cell));
    loop {
        let kept = cells.into_iter().filter(|&cell| has_partners(cell, cells)).collect();
        if kept == cells {
            return cells;
        }
        cells = kept;
    }
}

/// The number of cells of the longest loop that the limit allows. A loop has at most 18 cells, because each
/// of the nine houses of a kind has at most two.
fn longest(limit: Rating) -> usize {
    match limit.in_tenths() {
        ..46 => 4,
        46 => 6,
        47..50 => 8,
        _ => 18,
    }
}

/// The beginning of a loop. Its cells alternate between two colors, and color 0 is that of the start.
#[derive(Clone, Copy)]
struct Path {
    cells: CellSet,
    length: usize,
    /// The cell after the start.
    second: usize,
    /// For each color, the cells that can still take it, because they share no house with a cell of that
    /// color.
    free: [CellSet; 2],
    /// For each color, the houses of its cells, as a mask.
    houses: [u32; 2],
    /// The cells with more candidates than the pair, and the extra candidates of all of them.
    extra_cells: CellSet,
    extra_digits: u16,
}

impl Path {
    fn new(start: usize, cells: CellSet) -> Path {
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

    /// Whether a cell with these extra candidates can be added. Two cells may have any, but more than two
    /// must all have the same one.
    fn admits(&self, extra: u16) -> bool {
        extra == 0 || self.extra_cells.len() < 2 || (self.extra_digits | extra).is_power_of_two()
    }
}

/// A depth-first search for the loops of a pair of digits through a cell.
struct LoopSearch<'a> {
    state: &'a State,
    pair: u16,
    start: usize,
    sink: &'a mut dyn DeductionSink,
}

impl LoopSearch<'_> {
    fn extend(&mut self, path: &Path, last: usize) {
        // The comparison skips the other direction, because it is the same loop.
        if path.length >= 4 && path.second < last && self.is_closed(path, last) {
            report_loop(self.state, self.pair, path.cells, path.extra_cells, self.sink);
        }
        let longest = longest(self.sink.limit());
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

/// Reports the deductions of a rectangle or loop with the digits `pair`. The cells of `extra_cells` have
/// other candidates too.
fn report_loop(state: &State, pair: u16, cells: CellSet, extra_cells: CellSet, sink: &mut dyn DeductionSink) {
    let (technique, longer) = match cells.len() {
        4 => (Technique::UniqueRectangle, 0),
        6 => (Technique::UniqueLoop, 1),
        8 => (Technique::UniqueLoop, 2),
        _ => (Technique::UniqueLoop, 5),
    };
    let in_cells = extra_cells.into_iter().fold(0, |mask, cell| mask | state.candidates(cell));
    let found = DeadlyPattern {
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
        // A loop without extra candidates means that the puzzle has several solutions.
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

fn type_1(found: &DeadlyPattern, pair: u16, sink: &mut dyn DeductionSink) {
    found.report((1, 0), None, found.state.candidates_in(pair, found.cells), sink, &|| {
        (CandidateSet::EMPTY, format!(", so {} holds neither", cell_names(found.cells)))
    });
}

fn type_3_naked(found: &DeadlyPattern, index: usize, sink: &mut dyn DeductionSink) {
    let DeadlyPattern { state, cells, extra, .. } = *found;
    let both = cells.into_iter().fold(extra, |mask, cell| mask & state.candidates(cell));
    let largest = (state.empty() & HOUSE[index]).len() / 2;
    found.type_3(index, both, largest, &state.candidates_in(extra, cells), sink);
}

fn type_3_hidden(found: &DeadlyPattern, pair: u16, index: usize, sink: &mut dyn DeductionSink) {
    let state = found.state;
    let empty = (state.empty() & HOUSE[index]).len();
    let rest = ALL_NINE & !pair & !found.extra;
    let open = digits(rest).filter(|&digit| state.places(digit, index) != 0);
    for more in subsets(open.fold(0, |mask, digit| mask | 1 << digit)) {
        let set = pair | more;
        let size = set.count_ones() as usize;
        let places = digits(set).fold(0, |places, digit| places | state.places(digit, index));
        // The two cells of the loop count as one: together they hold one digit of the set.
        if 2 * size >= empty || places.count_ones() as usize != size + 1 {
            continue;
        }
        let cells = cells_at(index, places) - found.cells;
        let removed = state.candidates_in(!set & ALL_NINE, cells);
        found.report((3, size - 2), Some(index), removed, sink, &|| {
            let (two, with) = (cell_names(found.cells), cell_names(cells));
            let (pair, digits, house) = (digit_names(pair), digit_names(set), house(index));
            let conclusion = format!(
                ", so at most one of {two} holds one of {pair}; all other places of {digits} in {house} are in {with}, so \
                 {with} can't be anything else"
            );
            (state.candidates_in(set, cells), conclusion)
        });
    }
}

/// Iterates over all subsets of a mask, starting with the empty one.
fn subsets(mask: u16) -> impl Iterator<Item = u16> {
    let after = move |&set: &u16| (set != mask).then(|| set.wrapping_sub(mask) & mask);
    std::iter::successors(Some(0), after)
}

fn type_4(found: &DeadlyPattern, pair: u16, index: usize, sink: &mut dyn DeductionSink) {
    for locked in digits(pair) {
        if !(found.state.cells_of(locked) & HOUSE[index]).is_subset(found.cells) {
            continue;
        }
        let other = pair & !(1 << locked);
        let removed = found.state.candidates_in(other, found.cells);
        found.report((4, 0), Some(index), removed, sink, &|| {
            let (two, house) = (cell_names(found.cells), house(index));
            let (locked, other) = (digit_names(1 << locked), digit_names(other));
            let conclusion =
                format!("; {locked} has no other place in {house} than {two}, so neither is {other}");
            (CandidateSet::EMPTY, conclusion)
        });
    }
}

/// Finds the bivalue universal grave, types 1 to 4.
pub(crate) fn find_bug(state: &State, _: &mut Scratch, sink: &mut dyn DeductionSink) {
    let Some((cells, extra)) = grave(state) else { return };
    let least = Technique::Bug.least();
    let grave = DeadlyPattern {
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
        return grave_type_1(&grave, sink);
    }
    let has_one_digit = grave.extra.is_power_of_two();
    if has_one_digit {
        grave.type_2(sink);
    }
    for house in houses_of_all(cells) {
        if cells.len() == 2 {
            grave_type_4(&grave, house, sink);
        }
        if !has_one_digit {
            // Solved cells also count as cells that are left, and sets have at most six digits.
            grave.type_3(house, 0, 6.min(9 - cells.len()), &CandidateSet::EMPTY, sink);
        }
    }
}

/// The cells with more than two candidates and their extra candidates, without which the state would be a
/// grave. `None` if it would not be one, or if no type applies.
fn grave(state: &State) -> Option<(CellSet, CandidateSet)> {
    let cells = state.empty() - state.cells_with(2);
    if !(1..=20).contains(&cells.len()) || common_peers(cells).is_empty() {
        return None;
    }
    let extra = extra_candidates(state, cells)?;
    is_sound(state, cells, &extra).then_some((cells, extra))
}

/// Whether each cell has two candidates, and each digit has two places in each house or none, once the extra
/// ones are removed.
fn is_sound(state: &State, cells: CellSet, extra: &CandidateSet) -> bool {
    let mut bare = state.clone();
    bare.remove_all(extra);
    let has_two = |cell| bare.candidates(cell).count_ones() == 2;
    let has_two_places = |house, digit| matches!(bare.places(digit, house).count_ones(), 0 | 2);
    cells.into_iter().all(has_two)
        && (0..HOUSES).all(|house| (0..9).all(|digit| has_two_places(house, digit)))
}

fn grave_type_1(grave: &DeadlyPattern, sink: &mut dyn DeductionSink) {
    let removed = grave.state.candidates_in(ALL_NINE & !grave.extra, grave.cells);
    grave.report((1, 0), None, removed, sink, &|| {
        let (cell, extra) = (cell_names(grave.cells), digit_names(grave.extra));
        let one_of = if grave.extra.is_power_of_two() { "" } else { "one of " };
        (CandidateSet::EMPTY, format!(", so {cell} is {one_of}{extra}"))
    });
}

fn grave_type_4(grave: &DeadlyPattern, index: usize, sink: &mut dyn DeductionSink) {
    let DeadlyPattern { state, cells, extra, .. } = *grave;
    let candidates = cells.into_iter().fold(ALL_NINE, |mask, cell| mask & state.candidates(cell));
    let common = candidates & !extra;
    if !common.is_power_of_two() {
        return;
    }
    let mut removed = state.candidates_in(ALL_NINE & !common, cells);
    removed.subtract(&grave.shown);
    grave.report((4, 0), Some(index), removed, sink, &|| {
        let (cells_names, common_name) = (cell_names(cells), digit_names(common));
        let (house, removed) = (house(index), candidate_names(&removed));
        let conclusion = format!(
            ", so one of {cells_names} holds an extra digit, and the other is {common_name}, which has no other place in \
             {house}; so {removed} can be removed"
        );
        (state.candidates_in(common, cells), conclusion)
    });
}

/// Collects the extra candidates: without them, each digit would have two places or none in every house. If several
/// cells of a house could have the extra place of a digit, another house decides between them. If none decides, the
/// candidate is left out, unless only one digit has extra places. `None` if a house has no cell with more than two
/// candidates for the extra place of a digit.
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
                // If there are several, another house of each cell decides which one is extra.
                _ => {}
            }
        }
    }
    // If only one digit is in question, it is extra in every cell.
    if odd_digits.is_power_of_two() {
        extra.unite(&state.candidates_in(odd_digits, cells));
    }
    Some(extra)
}

/// Cells of which at least one must hold an extra digit.
struct DeadlyPattern<'a> {
    state: &'a State,
    technique: Technique,
    /// The rating of types 1, 2 and 4.
    rating: Rating,
    /// The cells with extra digits.
    cells: CellSet,
    /// The extra digits of all these cells, as a mask.
    extra: u16,
    /// The candidates that every pattern shows.
    shown: CandidateSet,
    /// Writes the reason why one of the cells must hold an extra digit.
    premise: &'a dyn Fn() -> String,
}

impl DeadlyPattern<'_> {
    /// Reports what a type removes, rated `more` tenths higher. `conclusion` returns further candidates for
    /// the pattern, and the end of the reason.
    fn report(
        &self,
        (kind, more): (u8, usize),
        house: Option<usize>,
        removed: CandidateSet,
        sink: &mut dyn DeductionSink,
        conclusion: &dyn Fn() -> (CandidateSet, String),
    ) {
        sink.remove(self.technique, self.rating.plus(more as u16), removed, &|| {
            let (mut candidates, conclusion) = conclusion();
            candidates.unite(&self.shown);
            let reason = format!("type {kind}: {}{conclusion}", (self.premise)());
            Pattern { houses: house.into_iter().collect(), candidates, reason, ..Pattern::default() }
        });
    }

    /// Type 2: there is only one extra digit, so one of the cells holds it. It is removed from the cells that
    /// see all of them.
    fn type_2(&self, sink: &mut dyn DeductionSink) {
        let removed = self.state.candidates_in(self.extra, common_peers(self.cells));
        self.report((2, 0), None, removed, sink, &|| {
            let (cells, digit) = (cell_names(self.cells), digit_names(self.extra));
            let conclusion = format!(", so one of {cells} is {digit}, and no cell that sees them all is");
            (self.state.candidates_in(self.extra, self.cells), conclusion)
        });
    }

    /// Type 3: naked sets of up to `largest` cells of a house, in which the deadly cells act as one cell.
    /// Each digit of a set must be a candidate of another cell of the set or be in `shared`. The patterns
    /// also show the candidates of `shown`.
    fn type_3(
        &self,
        index: usize,
        shared: u16,
        largest: usize,
        shown: &CandidateSet,
        sink: &mut dyn DeductionSink,
    ) {
        let others = (self.state.empty() & HOUSE[index]) - self.cells;
        for size in self.extra.count_ones() as usize..=largest {
            let fits = |&cell: &usize| {
                let all = self.state.candidates(cell) | self.extra;
                all.count_ones() as usize <= size
            };
            let fitting = others.into_iter().filter(fits).collect();
            self.extend((shared, size), (CellSet::EMPTY, 0), fitting, &mut |cells, set| {
                let removed = self.state.candidates_in(set, others - cells);
                self.report((3, size - 1), Some(index), removed, sink, &|| {
                    let (deadly, extra) = (cell_names(self.cells), digit_names(self.extra));
                    let (with, digits, house) = (cell_names(cells), digit_names(set), house(index));
                    let conclusion = format!(
                        ", so one of {deadly} is one of {extra}; that cell and {with} take {digits}, so no other cell of \
                         {house} can"
                    );
                    let mut candidates = self.state.candidates_in(set, cells);
                    candidates.unite(shown);
                    (candidates, conclusion)
                });
            });
        }
    }

    /// Adds further cells to a beginning of a naked set. Calls `found` with the cells and digits of each
    /// naked set of `size` cells, in which the deadly cells act as one cell.
    fn extend(
        &self,
        (shared, size): (u16, usize),
        (cells, digits): (CellSet, u16),
        mut others: CellSet,
        found: &mut dyn FnMut(CellSet, u16),
    ) {
        let all = digits | self.extra;
        if all.count_ones() as usize > size {
            return;
        }
        if cells.len() + 1 == size {
            if all.count_ones() as usize == size && digits | shared == all {
                found(cells, all);
            }
            return;
        }
        while let Some(cell) = others.first() {
            others.remove(cell);
            let more = (cells | CellSet::from_cell(cell), digits | self.state.candidates(cell));
            self.extend((shared, size), more, others, found);
        }
    }
}

/// The houses that contain all of some cells.
fn houses_of_all(cells: CellSet) -> impl Iterator<Item = usize> {
    let of_first = cells.first().map(houses_of).into_iter().flatten();
    of_first.filter(move |&house| cells.is_subset(HOUSE[house]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::techniques::tests::Trial;

    /// Creates a trial in which the given cells have only the candidates 1 and 2.
    fn with_pairs(cells: &str) -> Trial {
        cells.split(' ').fold(Trial::new(), |trial, cell| trial.only(cell, "12"))
    }

    /// The steps that the finder finds if the given cells have only 1 and 2. The rest of the grid has no 1, so that
    /// there are no other loops.
    fn found_among(cells: &str, last: &str) -> Vec<String> {
        let all = format!("{cells} {last}");
        let bare = (1..=9).fold(with_pairs(cells), |trial, row| trial.confine(1, &format!("r{row}"), &all));
        { bare }.find(find_loops)
    }

    #[test]
    fn longer_loops_have_higher_ratings() {
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
        assert!(trial.find(find_loops).contains(&"4.6 unique-loop: 1 in r3c1; 2 in r3c1".to_owned()));
        assert!(trial.up_to(45).find(find_loops).iter().all(|line| line.starts_with("4.5 unique-rectangle")));
    }

    #[test]
    fn a_house_with_one_cell_or_with_three_makes_no_loop() {
        // Four boxes with one cell each.
        assert!(with_pairs("r1c1 r1c4 r4c1").find(find_loops).is_empty());
        // A cycle of six cells, each of which sees the next. Three of them are in box 1.
        assert!(found_among("r1c1 r2c2 r2c4 r3c4 r3c3", "r1c3").is_empty());
    }

    #[test]
    fn two_cells_of_a_color_in_a_house_make_no_loop() {
        // A cycle of ten cells. Each house has two of them or none, but those in column 9 have the same
        // color.
        assert!(found_among("r4c9 r6c8 r6c2 r2c2 r2c6 r1c6 r1c9 r3c8 r3c3", "r4c3").is_empty());
    }

    #[test]
    fn all_loops_are_found() {
        let mut trial = with_pairs("r1c1 r1c2 r4c1 r8c5 r8c6 r5c6");
        assert_eq!(
            trial.find(find_loops),
            ["4.5 unique-rectangle: 1 in r4c2; 2 in r4c2", "4.5 unique-rectangle: 1 in r5c5; 2 in r5c5"]
        );
    }

    /// Creates a trial with these candidates in r1c1, r1c2, r4c1 and r4c2.
    fn corners(candidates: [&str; 4]) -> Trial {
        let [r1c1, r1c2, r4c1, r4c2] = candidates;
        Trial::new().only("r1c1", r1c1).only("r1c2", r1c2).only("r4c1", r4c1).only("r4c2", r4c2)
    }

    /// Creates a trial of a rectangle with 1 and 2 in row 1 and these candidates in row 4.
    fn rectangle(r4c1: &str, r4c2: &str) -> Trial {
        corners(["12", "12", r4c1, r4c2])
    }

    #[test]
    fn type_1_leaves_neither_digit_to_the_cell_with_others() {
        let mut trial = rectangle("12", "1234");
        assert_eq!(trial.find(find_loops), ["4.5 unique-rectangle: 1 in r4c2; 2 in r4c2"]);
        let reason = "type 1: 1 and 2 alone in r1c1, r1c2, r4c1 and r4c2 could be exchanged, which would make two \
                      solutions, so r4c2 holds neither";
        assert_eq!(trial.reasons(), [reason]);
    }

    #[test]
    fn type_2_removes_the_extra_digit_from_the_cells_that_see_all_that_have_it() {
        let two = rectangle("123", "123").find(find_loops);
        let (box_4, row_4) =
            ("r5c1, r5c2, r5c3, r6c1, r6c2 and r6c3", "r4c3, r4c4, r4c5, r4c6, r4c7, r4c8, r4c9");
        assert_eq!(two, [format!("4.5 unique-rectangle: 3 in {row_4}, {box_4}")]);
        let mut three = corners(["12", "123", "123", "123"]);
        assert_eq!(three.find(find_loops), ["4.5 unique-rectangle: 3 in r5c2 and r6c2"]);
    }

    #[test]
    fn type_2_needs_one_digit_and_a_cell_without_it() {
        assert!(rectangle("123", "124").find(find_loops).is_empty());
        assert!(corners(["123", "123", "123", "123"]).find(find_loops).is_empty());
    }

    #[test]
    fn type_3_makes_naked_sets_with_cells_of_the_house() {
        let mut pair = rectangle("123", "124").only("r4c5", "34");
        let found = pair.find(find_loops);
        let row = "r4c3, r4c4, r4c6, r4c7, r4c8 and r4c9";
        assert_eq!(found, [format!("4.6 unique-rectangle: 3 in {row}; 4 in {row}")]);
        assert!(pair.reasons()[0].ends_with(
            "so one of r4c1 and r4c2 is one of 3 and 4; that cell and r4c5 take 3 and 4, so no other cell of row 4 can"
        ));
        let triplet = rectangle("123", "124").only("r4c5", "35").only("r4c6", "45").find(find_loops);
        let row = "r4c3, r4c4, r4c7, r4c8 and r4c9";
        assert_eq!(triplet, [format!("4.7 unique-rectangle: 3 in {row}; 4 in {row}; 5 in {row}")]);
    }

    #[test]
    fn type_3_needs_each_digit_of_a_naked_set_twice() {
        // Only one of the two cells has 4, and no other cell does.
        assert!(rectangle("123", "124").only("r4c5", "35").only("r4c6", "35").find(find_loops).is_empty());
    }

    #[test]
    fn type_3_makes_hidden_sets_with_cells_of_the_house() {
        let hidden =
            rectangle("1234", "1256").confine(1, "r4", "r4c1 r4c2 r4c7").confine(2, "r4", "r4c1 r4c2 r4c7");
        let found = { hidden }.find(find_loops);
        let other = "3 in r4c7; 4 in r4c7; 5 in r4c7; 6 in r4c7; 7 in r4c7; 8 in r4c7; 9 in r4c7";
        assert_eq!(found, [format!("4.5 unique-rectangle: {other}")]);
    }

    #[test]
    fn type_4_leaves_one_digit_where_the_other_has_no_other_place() {
        let mut trial = rectangle("1234", "1256").confine(1, "r4", "r4c1 r4c2");
        assert_eq!(trial.find(find_loops), ["4.5 unique-rectangle: 2 in r4c1 and r4c2"]);
        assert!(trial.reasons()[0].starts_with("type 4: "));
        assert!(rectangle("1234", "1256").confine(1, "r4", "r4c1 r4c2 r4c9").find(find_loops).is_empty());
    }
}

#[cfg(test)]
mod bug_tests {
    use super::*;
    use crate::logic::techniques::tests::Trial;

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
        Trial::from_candidates(cells).find(find_bug)
    }

    #[test]
    fn type_1_leaves_the_extra_digit() {
        let mut trial = Trial::from_candidates(TYPE_1);
        assert_eq!(trial.find(find_bug), ["5.6 bug: 7 in r3c4; 9 in r3c4"]);
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
        let found = Trial::from_candidates(TYPE_3).up_to(58).find(find_bug);
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
        assert!(Trial::from_candidates(TYPE_3).up_to(57).find(find_bug).is_empty());
    }

    #[test]
    fn different_extra_digits_in_cells_without_a_common_house_prove_nothing() {
        let with_8_in_r1c4 = TYPE_3.replace("6 9 2 14 ", "6 9 2 148 ");
        assert_ne!(with_8_in_r1c4, TYPE_3);
        assert!(found(&with_8_in_r1c4).is_empty());
    }

    #[test]
    fn a_state_far_from_a_grave_has_no_deduction() {
        assert!(Trial::new().find(find_bug).is_empty());
    }

    #[test]
    fn a_cell_that_keeps_three_candidates_makes_no_grave() {
        // 1 has two places in each house of r3c4, so nothing is extra there.
        let without_1_elsewhere = TYPE_1.replace("17 4 18", "7 4 18");
        assert!(found(&without_1_elsewhere).is_empty());
    }
}
