//! Implications beyond singles: locked candidates, hidden pairs, naked pairs, X-wings.
//!
//! They are looked for where singles lead no further, and the first kind that finds something is all that is taken. A
//! pattern counts if it was not there before the assumption: the candidates that had to go first are the causes.
//!
//! Rating: 9.0 plus what the length adds. Source: Sudoku Explainer 1.2.1.

use super::board::Board;
use super::handover::find;
use super::implications::{Implications, Offs};
use super::node::Node;
use crate::logic::deduction::Sink;
use crate::logic::finder::Finder;
use crate::logic::houses::{BOX, COLUMN, HOUSE_CELLS, HOUSES, houses_of};
use crate::logic::rating::Rating;
use crate::logic::scratch::Scratch;
use crate::logic::state::{State, digits};
use crate::logic::technique::Technique;

/// Dynamic forcing chains with locked candidates, pairs and X-wings as implications.
pub(crate) struct DynamicPlus;

impl Finder for DynamicPlus {
    fn depends_on_order(&self) -> bool {
        true
    }

    fn least(&self) -> Rating {
        Technique::DynamicPlus.least()
    }

    fn find(&self, state: &State, scratch: &mut Scratch, sink: &mut dyn Sink) {
        let board = Board::of(state);
        let pairs = Pairs::of(&board);
        find(&board, Technique::DynamicPlus.least(), Technique::DynamicPlus, || pairs, scratch, sink);
    }
}

/// Locked candidates, pairs and X-wings of a puzzle in which some digits are placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pairs {
    /// How many empty cells each house has.
    empty: [u8; HOUSES],
    /// For each digit, how many rows still lack it.
    lacking: [u8; 9],
}

impl Pairs {
    pub(super) fn of(board: &Board) -> Pairs {
        let open = |&cell: &u8| board.candidates(usize::from(cell)) != 0;
        let lacks = |digit: usize| (0..COLUMN).filter(|&row| board.places(digit, row) != 0).count() as u8;
        Pairs {
            empty: std::array::from_fn(|house| {
                HOUSE_CELLS[house].iter().filter(|cell| open(cell)).count() as u8
            }),
            lacking: std::array::from_fn(lacks),
        }
    }
}

impl Implications for Pairs {
    const SOME: bool = true;

    fn further(&mut self, before: &Board, now: &Board, _: u32, offs: &mut Offs) {
        let count = offs.len();
        let narrowed = Narrowed { before, now };
        narrowed.lock(offs);
        if offs.len() == count {
            narrowed.hide_pairs(&self.empty, offs);
        }
        if offs.len() == count {
            narrowed.bare_pairs(&self.empty, offs);
        }
        if offs.len() == count {
            narrowed.x_wings(&self.lacking, offs);
        }
    }
}

/// The columns, then the rows.
const LINES: [std::ops::Range<usize>; 2] = [COLUMN..BOX, 0..COLUMN];
/// The boxes, then the columns, then the rows.
const HOUSE_ORDER: [std::ops::Range<usize>; 3] = [BOX..HOUSES, COLUMN..BOX, 0..COLUMN];

/// A house that crosses another one.
#[derive(Clone, Copy)]
struct Crossing {
    house: usize,
    /// The places that they share, in the other house and in this one.
    here: u16,
    there: u16,
}

/// For each box, the columns and the rows that cross it; for each line, the boxes.
static CROSSINGS: [[Crossing; 6]; HOUSES] = {
    let mut all = [[Crossing { house: 0, here: 0, there: 0 }; 6]; HOUSES];
    let mut house = 0;
    while house < HOUSES {
        let mut count = 0;
        let mut other = 0;
        while other < HOUSES {
            // Boxes cross lines; columns come before rows.
            let candidate = if house < BOX { other } else { (other + COLUMN) % BOX };
            let (here, there) = (shared(house, candidate), shared(candidate, house));
            let is_crossing = (house < BOX) != (candidate < BOX) && here != 0;
            if is_crossing && (house < BOX || other < BOX) {
                all[house][count] = Crossing { house: candidate, here, there };
                count += 1;
            }
            other += 1;
        }
        house += 1;
    }
    all
};

/// Returns the places of a house that are in another one too.
const fn shared(house: usize, other: usize) -> u16 {
    let mut places = 0;
    let mut place = 0;
    while place < 9 {
        let houses = houses_of(HOUSE_CELLS[house][place] as usize);
        if houses[0] == other || houses[1] == other || houses[2] == other {
            places |= 1 << place;
        }
        place += 1;
    }
    places
}

/// A board before an assumption and now.
struct Narrowed<'a> {
    before: &'a Board,
    now: &'a Board,
}

impl Narrowed<'_> {
    /// Returns the places of a digit in a house that have gone.
    fn gone(&self, digit: usize, house: usize) -> u16 {
        self.before.places(digit, house) & !self.now.places(digit, house)
    }

    /// Adds what goes from the rest of a line or a box where another house has a digit only where they cross.
    fn lock(&self, offs: &mut Offs) {
        let in_columns = (BOX..HOUSES, 0..3);
        let in_rows = (BOX..HOUSES, 3..6);
        for (houses, others) in [in_columns, in_rows, (COLUMN..BOX, 0..3), (0..COLUMN, 0..3)] {
            for digit in 0..9 {
                for house in houses.clone() {
                    let places = self.now.places(digit, house);
                    if (2..=3).contains(&places.count_ones()) {
                        for crossing in &CROSSINGS[house][others.clone()] {
                            self.lock_within(digit, house, crossing, offs);
                        }
                    }
                }
            }
        }
    }

    fn lock_within(&self, digit: usize, house: usize, crossing: &Crossing, offs: &mut Offs) {
        if self.now.places(digit, house) & !crossing.here == 0 {
            let causes = nodes(digit, house, self.gone(digit, house) & !crossing.here);
            let other = crossing.house;
            offs.add(causes, nodes(digit, other, self.now.places(digit, other) & !crossing.there));
        }
    }

    /// Adds the other candidates of two cells that are the only places of two digits in a house.
    fn hide_pairs(&self, empty: &[u8; HOUSES], offs: &mut Offs) {
        for house in HOUSE_ORDER.into_iter().flatten().filter(|&house| empty[house] > 4) {
            for (low, high) in pairs() {
                let places = self.now.places(low, house);
                if places != self.now.places(high, house) || places.count_ones() != 2 {
                    continue;
                }
                let causes =
                    [low, high].into_iter().flat_map(|digit| nodes(digit, house, self.gone(digit, house)));
                let effects = digits(places).flat_map(|place| {
                    let cell = usize::from(HOUSE_CELLS[house][place]);
                    let others = self.now.candidates(cell) & !(1 << low | 1 << high);
                    digits(others).map(move |digit| Node::new(cell, digit))
                });
                offs.add(causes, effects);
            }
        }
    }

    /// Adds what goes from the other cells of a house where two have the same two candidates.
    fn bare_pairs(&self, empty: &[u8; HOUSES], offs: &mut Offs) {
        for house in HOUSE_ORDER.into_iter().flatten().filter(|&house| empty[house] >= 4) {
            for (low, high) in pairs() {
                let cells = [low, high].map(|place| usize::from(HOUSE_CELLS[house][place]));
                let pair = self.now.candidates(cells[0]);
                if pair != self.now.candidates(cells[1]) || pair.count_ones() != 2 {
                    continue;
                }
                let causes = cells.into_iter().flat_map(|cell| {
                    digits(self.before.candidates(cell) & !pair).map(move |digit| Node::new(cell, digit))
                });
                let elsewhere = !(1 << low | 1 << high);
                let effects = digits(pair)
                    .flat_map(|digit| nodes(digit, house, self.now.places(digit, house) & elsewhere));
                offs.add(causes, effects);
            }
        }
    }

    /// Adds what goes from two lines in which two crossing lines have their only places of a digit.
    fn x_wings(&self, lacking: &[u8; 9], offs: &mut Offs) {
        for (lines, across) in LINES.into_iter().zip([0, COLUMN]) {
            for (low, high) in pairs() {
                let bases = [lines.start + low, lines.start + high];
                for digit in (0..9).filter(|&digit| lacking[digit] >= 4) {
                    let places = self.now.places(digit, bases[0]);
                    if places != self.now.places(digit, bases[1]) || places.count_ones() != 2 {
                        continue;
                    }
                    let causes = bases
                        .into_iter()
                        .flat_map(|base| nodes(digit, base, self.gone(digit, base) & !places));
                    let elsewhere = !(1 << low | 1 << high);
                    let effects = digits(places).flat_map(|place| {
                        nodes(digit, across + place, self.now.places(digit, across + place) & elsewhere)
                    });
                    offs.add(causes, effects);
                }
            }
        }
    }
}

/// Returns the pairs of numbers below 9, the greater one first in order.
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (1..9).flat_map(|high| (0..high).map(move |low| (low, high)))
}

/// Returns a digit at some places of a house.
fn nodes(digit: usize, house: usize, places: u16) -> impl Iterator<Item = Node> {
    digits(places).map(move |place| Node::new(usize::from(HOUSE_CELLS[house][place]), digit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::houses::HOUSE;

    const fn at(row: usize, column: usize) -> usize {
        row * 9 + column - 10
    }

    /// Returns what follows once some candidates have gone from a board of which others were missing from the start.
    fn further(missing: &[(usize, usize)], gone: &[(usize, usize)]) -> Vec<(Vec<Node>, Vec<Node>)> {
        let mut before = Board::of(&State::BLANK);
        missing.iter().for_each(|&(cell, digit)| before.remove(cell, digit));
        let mut now = before.clone();
        gone.iter().for_each(|&(cell, digit)| now.remove(cell, digit));
        let mut offs = Offs::default();
        Pairs::of(&before).further(&before, &now, u32::MAX, &mut offs);
        offs.batches().collect()
    }

    /// Returns a digit in the cells of a house but some.
    fn elsewhere(house: usize, digit: usize, but: &[usize]) -> Vec<(usize, usize)> {
        HOUSE[house].into_iter().filter(|cell| !but.contains(cell)).map(|cell| (cell, digit)).collect()
    }

    fn nodes(candidates: &[(usize, usize)]) -> Vec<Node> {
        candidates.iter().map(|&(cell, digit)| Node::new(cell, digit)).collect()
    }

    #[test]
    fn a_digit_left_in_one_row_of_a_box_goes_from_the_rest_of_the_row() {
        let missing = elsewhere(BOX, 4, &[at(1, 1), at(1, 2), at(2, 2), at(1, 3)]);
        let rest: Vec<_> = (4..=9).map(|column| (at(1, column), 4)).collect();
        assert_eq!(further(&missing, &[(at(2, 2), 4)]), [(nodes(&[(at(2, 2), 4)]), nodes(&rest))]);
        // The place that goes lies in the row: the box was locked without it.
        let locked = elsewhere(BOX, 4, &[at(1, 1), at(1, 2), at(1, 3)]);
        assert_eq!(further(&locked, &[(at(1, 3), 4)]), []);
    }

    #[test]
    fn two_digits_left_in_two_cells_of_a_row_leave_no_room_for_others() {
        let mut missing = elsewhere(0, 0, &[at(1, 1), at(1, 9), at(1, 5)]);
        missing.extend(elsewhere(0, 1, &[at(1, 1), at(1, 9)]));
        let found = further(&missing, &[(at(1, 5), 0)]);
        let others: Vec<_> = [at(1, 1), at(1, 9)]
            .into_iter()
            .flat_map(|cell| (2..9).map(move |digit| (cell, digit)))
            .collect();
        assert_eq!(found, [(nodes(&[(at(1, 5), 0)]), nodes(&others))]);
        assert_eq!(further(&missing, &[(at(1, 5), 2)]), []);
    }

    #[test]
    fn two_cells_left_with_two_digits_take_them_from_their_column() {
        let cells = [at(2, 4), at(8, 4)];
        let missing: Vec<_> = cells
            .into_iter()
            .flat_map(|cell| (0..9).filter(|digit| ![3, 6].contains(digit)).map(move |digit| (cell, digit)))
            .filter(|&candidate| candidate != (cells[0], 8))
            .collect();
        let rest: Vec<_> =
            [3, 6].into_iter().flat_map(|digit| elsewhere(COLUMN + 3, digit, &cells)).collect();
        assert_eq!(further(&missing, &[(cells[0], 8)]), [(nodes(&[(cells[0], 8)]), nodes(&rest))]);
        assert_eq!(further(&missing, &[(cells[0], 3)]), []);
    }

    #[test]
    fn a_digit_left_in_two_columns_of_two_rows_goes_from_the_columns() {
        let mut missing = elsewhere(1, 7, &[at(2, 3), at(2, 7)]);
        missing.extend(elsewhere(7, 7, &[at(8, 3), at(8, 7), at(8, 5)]));
        let rest: Vec<_> = [3, 7]
            .into_iter()
            .flat_map(|column| [1, 3, 4, 5, 6, 7, 9].map(|row| (at(row, column), 7)))
            .collect();
        assert_eq!(further(&missing, &[(at(8, 5), 7)]), [(nodes(&[(at(8, 5), 7)]), nodes(&rest))]);
        assert_eq!(further(&missing, &[(at(8, 3), 7)]), []);
    }
}
