//! The strong links of each digit: houses in which it has two places, or two groups of places.

use crate::logic::cell_set::CellSet;
use crate::logic::houses::{BOX, HOUSES, cells_at, common_peers, houses_of};
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
    /// The cells that see all of them.
    pub sees: CellSet,
    /// The houses that hold all of them, as a mask.
    pub houses: u32,
}

/// A strong link: the digit has no other places in a house than those of the two ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// The house.
    pub house: usize,
    /// Every place of the digit in the house.
    pub cells: CellSet,
    /// Whether an end has several cells.
    pub is_grouped: bool,
    /// The ends of the links that share a place with this one, its own as well.
    pub conflicts: Ends,
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
    /// For each house, the ends that lie in it.
    pub inside: [Ends; HOUSES],
    /// For each house, the ends of the links that it makes.
    pub made_by: [Ends; HOUSES],
    /// The ends of the links without groups.
    pub plain: Ends,
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
    /// Returns whether it is known that chains of `count` links, with groups or without, remove nothing.
    pub(crate) const fn is_barren(&self, count: usize, grouped: bool) -> bool {
        self.barren >> (2 * (count - 2) + grouped as usize) & 1 != 0
    }

    /// Remembers that chains of `count` links, with groups or without, remove nothing.
    pub(crate) const fn set_barren(&mut self, count: usize, grouped: bool) {
        self.barren |= 1 << (2 * (count - 2) + grouped as usize);
    }

    /// Returns the ends that can come next after one of some ends.
    pub(crate) fn joined(&self, ends: Ends) -> Ends {
        each(ends).fold(0, |joined, end| joined | self.joins[end])
    }

    /// Returns the ends of all links.
    pub(crate) fn all(&self) -> Ends {
        (1 << self.ends.len()) - 1
    }

    fn list(&mut self, digit: usize, state: &State) {
        *self = DigitLinks {
            cells: state.cells_of(digit),
            links: std::mem::take(&mut self.links),
            ends: std::mem::take(&mut self.ends),
            joins: std::mem::take(&mut self.joins),
            ..DigitLinks::default()
        };
        self.links.clear();
        self.ends.clear();
        self.joins.clear();
        for house in 0..HOUSES {
            let places = state.places(digit, house);
            if places.count_ones() > 1 {
                ends_of(house, places, |one, other| self.add(house, places, [one, other]));
            }
        }
        self.mark_conflicts();
        self.join();
    }

    fn add(&mut self, house: usize, places: u16, ends: [u16; 2]) {
        let own = 3 << self.ends.len();
        self.made_by[house] |= own;
        let is_grouped = places.count_ones() > 2;
        if !is_grouped {
            self.plain |= own;
        }
        self.links.push(Link { house, cells: cells_at(house, places), is_grouped, conflicts: own });
        for places in ends {
            let cells = cells_at(house, places);
            let houses = houses_around(cells);
            for house in bits(houses) {
                self.inside[house] |= 1 << self.ends.len();
            }
            self.ends.push(End { cells, sees: common_peers(cells), houses });
        }
    }

    fn mark_conflicts(&mut self) {
        for one in 0..self.links.len() {
            for other in 0..one {
                if self.links[one].cells.meets(self.links[other].cells) {
                    self.links[one].conflicts |= 3 << (2 * other);
                    self.links[other].conflicts |= 3 << (2 * one);
                }
            }
        }
    }

    fn join(&mut self) {
        for (index, end) in self.ends.iter().enumerate() {
            let near = bits(end.houses).fold(0, |near, house| near | self.inside[house]);
            self.joins.push(near & !self.links[index / 2].conflicts);
        }
    }
}

/// Returns the other ends of the links of some ends.
pub(crate) const fn opposite(ends: Ends) -> Ends {
    const FIRST: Ends = Ends::MAX / 3;
    (ends & FIRST) << 1 | ends >> 1 & FIRST
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

fn bits(houses: u32) -> impl Iterator<Item = usize> {
    each(Ends::from(houses))
}

/// Returns the houses that hold every cell of a set, as a mask.
fn houses_around(cells: CellSet) -> u32 {
    let around = |cell| houses_of(cell).into_iter().fold(0, |mask, house| mask | 1 << house);
    cells.into_iter().fold(u32::MAX, |common, cell| common & around(cell))
}

/// Hands the two ends of every strong link of a house to `link`, as places, if the digit has more than one place there.
fn ends_of(house: usize, places: u16, mut link: impl FnMut(u16, u16)) {
    let lowest = places & places.wrapping_neg();
    match house {
        // Two places in a line of a box are left to the line.
        BOX.. if places.count_ones() == 2 => {
            if ROWS.iter().chain(&COLUMNS).all(|line| places & !line != 0) {
                link(lowest, places & !lowest);
            }
        }
        BOX.. => ends_of_box(places, link),
        _ if places.count_ones() == 2 => link(lowest, places & !lowest),
        _ => {
            if let Some([one, other]) = in_two_of(places, ROWS) {
                link(one, other);
            }
        }
    }
}

/// Hands over the ends of a box with three places or more: the arms of a cross, or two lines.
fn ends_of_box(places: u16, mut link: impl FnMut(u16, u16)) {
    for heart in 0..9 {
        let (row, column) = (places & ROWS[heart / 3], places & COLUMNS[heart % 3]);
        let middle = places & 1 << heart;
        let (row, column) = (row & !middle, column & !middle);
        if row | column | middle != places || row == 0 || column == 0 {
            continue;
        }
        // The middle of the cross goes with the longer arm; of two single cells each can be without it.
        match (row.is_power_of_two(), column.is_power_of_two()) {
            (true, true) => {
                link(column | middle, row);
                link(row | middle, column);
            }
            (true, false) => link(column | middle, row),
            (false, true) => link(row | middle, column),
            (false, false) => link(column | middle, row | middle),
        }
        return;
    }
    for lines in [ROWS, COLUMNS] {
        if let Some([one, other]) = in_two_of(places, lines) {
            link(one, other);
        }
    }
}

/// Returns the two parts of places that lie in two of three lines.
fn in_two_of(places: u16, lines: [u16; 3]) -> Option<[u16; 2]> {
    match lines.map(|line| places & line) {
        [one, other, 0] | [one, 0, other] | [0, one, other] if one != 0 && other != 0 => Some([one, other]),
        _ => None,
    }
}
