//! The strong links of each digit: houses in which it has two places, or two groups of places.

use crate::grid::CELLS;
use crate::logic::cell_set::CellSet;
use crate::logic::houses::{BOX, HOUSE, HOUSE_CELLS, HOUSES, PEERS, cells_at, common_peers, houses_of};
use crate::logic::state::State;

/// A set of ends: bit `2 * link` and bit `2 * link + 1` are those of a link. No digit has more than 36 links:
/// one for each line, two for each box.
pub(crate) type Ends = u128;

/// Three places each: the mini-rows of a box, and the parts of a line that lie in one box.
const ROWS: [u16; 3] = [0o007, 0o070, 0o700];
/// The mini-columns of a box.
const COLUMNS: [u16; 3] = [0o111, 0o222, 0o444];

/// One end of a strong link: if the digit is not at the other end, it is here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// Its cells, several for a group.
    pub cells: CellSet,
    /// The cells of the digit that see all of them.
    pub sees: CellSet,
    /// The houses that hold all of them, as a mask.
    pub houses: u32,
}

impl End {
    fn at(house: usize, places: u16, digit: CellSet) -> End {
        if places.is_power_of_two() {
            let cell = usize::from(HOUSE_CELLS[house][places.trailing_zeros() as usize]);
            return End { cells: CellSet::of(cell), sees: PEERS[cell] & digit, houses: AROUND[cell] };
        }
        let cells = cells_at(house, places);
        let houses = cells.into_iter().fold(u32::MAX, |common, cell| common & AROUND[cell]);
        End { cells, sees: common_peers(cells) & digit, houses }
    }
}

/// For each cell, its houses as a mask.
static AROUND: [u32; CELLS] = {
    let mut around = [0; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let [row, column, block] = houses_of(cell);
        around[cell] = 1 << row | 1 << column | 1 << block;
        cell += 1;
    }
    around
};

/// A strong link: the digit has no other places in a house than those of the two ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// The house.
    pub house: usize,
    /// Every place of the digit in the house.
    pub cells: CellSet,
    /// Whether an end has several cells.
    pub is_grouped: bool,
}

/// The strong links of a digit, and which ends share a house.
#[derive(Debug, Default)]
pub(crate) struct DigitLinks {
    /// The cells of the digit, of which all this is made.
    pub cells: CellSet,
    /// The links.
    pub links: Vec<Link>,
    /// For each end, the end itself.
    pub ends: Vec<End>,
    /// For each end, the ends of links without a common place that lie in a house with it.
    pub joins: Vec<Ends>,
    barren: u8,
}

/// The strong links of all digits, kept until the cells of a digit change.
#[derive(Debug, Default)]
pub(crate) struct LinkLists([DigitLinks; 9]);

impl LinkLists {
    /// Returns the strong links of a digit in a state.
    pub(crate) fn of(&mut self, digit: usize, state: &State) -> &mut DigitLinks {
        let lists = &mut self.0[digit];
        if lists.cells != state.cells_of(digit) {
            lists.list(digit, state);
        }
        lists
    }
}

impl DigitLinks {
    /// Returns whether it is known that chains of `count` links remove nothing.
    pub(crate) const fn is_barren(&self, count: usize) -> bool {
        self.barren >> count & 1 != 0
    }

    /// Remembers that chains of `count` links remove nothing.
    pub(crate) const fn set_barren(&mut self, count: usize) {
        self.barren |= 1 << count;
    }

    fn list(&mut self, digit: usize, state: &State) {
        self.cells = state.cells_of(digit);
        self.barren = 0;
        self.links.clear();
        self.ends.clear();
        for house in 0..HOUSES {
            let places = state.places(digit, house);
            if places.count_ones() > 1 {
                for ends in ends_of(house, places) {
                    self.add(house, places, ends);
                }
            }
        }
        self.join();
    }

    fn add(&mut self, house: usize, places: u16, ends: [u16; 2]) {
        if ends[0] != 0 {
            let is_grouped = places.count_ones() > 2;
            self.links.push(Link { house, cells: self.cells & HOUSE[house], is_grouped });
            self.ends.extend(ends.map(|places| End::at(house, places, self.cells)));
        }
    }

    fn join(&mut self) {
        let (mut inside, mut made_by) = ([0; HOUSES], [0; HOUSES]);
        for (index, end) in self.ends.iter().enumerate() {
            for house in each(Ends::from(end.houses)) {
                inside[house] |= 1 << index;
            }
        }
        for (index, link) in self.links.iter().enumerate() {
            made_by[link.house] |= 3 << (2 * index);
        }
        self.joins.clear();
        for (link, ends) in self.links.iter().zip(self.ends.chunks_exact(2)) {
            let conflicts =
                link.cells.into_iter().flat_map(houses_of).fold(0, |all, house| all | made_by[house]);
            for end in ends {
                let near = each(Ends::from(end.houses)).fold(0, |near, house| near | inside[house]);
                self.joins.push(near & !conflicts);
            }
        }
    }
}

/// Returns the ends of a set, from the lowest.
pub(crate) fn each(ends: Ends) -> impl Iterator<Item = usize> {
    let mut rest = ends;
    std::iter::from_fn(move || {
        let lowest = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(lowest)
    })
}

/// Returns the ends, as places, of the strong links of a house in which the digit has more than one place; zeros for no
/// link.
fn ends_of(house: usize, places: u16) -> [[u16; 2]; 2] {
    if house >= BOX {
        return BOX_ENDS[usize::from(places)];
    }
    if places.count_ones() == 2 {
        let lowest = places & places.wrapping_neg();
        return [[lowest, places ^ lowest], [0; 2]];
    }
    [in_two_of(places, ROWS), [0; 2]]
}

/// For each set of places in a box, the ends of its links.
static BOX_ENDS: [[[u16; 2]; 2]; 512] = {
    let mut ends = [[[0; 2]; 2]; 512];
    let mut places = 0;
    while places < 512 {
        ends[places] = ends_of_box(places as u16);
        places += 1;
    }
    ends
};

/// Returns the ends of the links of a box: the arms of a cross, or two lines. Two places in one line are left to the line.
const fn ends_of_box(places: u16) -> [[u16; 2]; 2] {
    let mut heart = 0;
    while heart < 9 {
        let middle = places & 1 << heart;
        let (row, column) = (places & ROWS[heart / 3] & !middle, places & COLUMNS[heart % 3] & !middle);
        if row | column | middle == places && row != 0 && column != 0 {
            return ends_of_cross(row, column, middle);
        }
        heart += 1;
    }
    match places.count_ones() {
        2 if in_two_of(places, ROWS)[0] != 0 && in_two_of(places, COLUMNS)[0] != 0 => {
            [in_two_of(places, ROWS), [0; 2]]
        }
        0..=3 => [[0; 2]; 2],
        _ => [in_two_of(places, ROWS), in_two_of(places, COLUMNS)],
    }
}

/// Returns the ends of the links of a cross. The middle goes with the longer arm; each of two single places can be without
/// it.
const fn ends_of_cross(row: u16, column: u16, middle: u16) -> [[u16; 2]; 2] {
    match (row.is_power_of_two(), column.is_power_of_two()) {
        (true, true) if middle == 0 => [[row, column], [0; 2]],
        (true, true) => [[column | middle, row], [row | middle, column]],
        (true, false) => [[column | middle, row], [0; 2]],
        (false, true) => [[row | middle, column], [0; 2]],
        (false, false) => [[column | middle, row | middle], [0; 2]],
    }
}

/// Returns the two parts of places that lie in two of three lines; zeros if they lie in fewer or more.
const fn in_two_of(places: u16, lines: [u16; 3]) -> [u16; 2] {
    match [places & lines[0], places & lines[1], places & lines[2]] {
        [one, other, 0] | [one, 0, other] | [0, one, other] if one != 0 && other != 0 => [one, other],
        _ => [0; 2],
    }
}
