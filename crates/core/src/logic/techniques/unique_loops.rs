//! Unique rectangles and loops: cells that would hold two digits in two ways.
//!
//! ```text
//!  12 . . | 12  . .      An even number of cells, each seeing the next, in turn of two colours; every house that has
//!  12 . . | 123 . .      one of them has exactly two, one of each colour. Were they all 12, the digits could be
//!  -------               exchanged: two solutions. So something else stands in one of the cells with more candidates.
//! ```
//!
//! Ratings: 4.5 for 4 cells, 4.6 for 6, 4.7 for 8, 5.0 for more; what a loop says, and what it adds to the rating, is
//! in `unique_types`. Source: Sudoku Explainer 1.2.1 with the corrections of SukakuExplainer.

use super::unique_types::{UniqueLoop, report};
use crate::logic::cell_set::CellSet;
use crate::logic::deduction::Sink;
use crate::logic::finder::Finder;
use crate::logic::houses::{HOUSE, PEERS, houses_of};
use crate::logic::rating::Rating;
use crate::logic::scratch::Scratch;
use crate::logic::state::{ALL_NINE, State, digits};
use crate::logic::technique::Technique;

/// Unique rectangles and loops, types 1 to 4.
pub(crate) struct UniqueLoops;

impl Finder for UniqueLoops {
    fn least(&self) -> Rating {
        Technique::UniqueRectangle.least()
    }

    fn find(&self, state: &State, _: &mut Scratch, sink: &mut dyn Sink) {
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
            let (pair, cells, extra_cells) = (self.pair, path.cells, path.extra_cells);
            report(self.state, &UniqueLoop { pair, cells, extra_cells }, self.sink);
        }
        let longest = self.longest.min(longest(self.sink.limit()));
        if path.length >= longest {
            return;
        }
        let mut next = path.free[path.length % 2] & PEERS[last];
        if path.length + 1 == longest {
            next &= PEERS[self.start];
        }
        for cell in next {
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
        { bare }.find(&UniqueLoops)
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
        assert!(trial.find(&UniqueLoops).contains(&"4.6 unique-loop: 1 in r3c1; 2 in r3c1".to_owned()));
        assert!(
            trial.up_to(45).find(&UniqueLoops).iter().all(|line| line.starts_with("4.5 unique-rectangle"))
        );
    }

    #[test]
    fn a_house_with_one_cell_or_with_three_makes_no_loop() {
        // Four boxes, each with one cell.
        assert!(with_pairs("r1c1 r1c4 r4c1").find(&UniqueLoops).is_empty());
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
            trial.find(&UniqueLoops),
            ["4.5 unique-rectangle: 1 in r4c2; 2 in r4c2", "4.5 unique-rectangle: 1 in r5c5; 2 in r5c5"]
        );
    }
}
