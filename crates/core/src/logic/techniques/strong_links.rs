//! Strong links joined: turbot fish (two links), three and four strong links, all of one digit.
//!
//! ```text
//!  . . * | . . . | . . .
//!  . X . | . . . | . X .   the digit has two places in each of the two rows;
//!  . . * | . . . | . | .   those in one column are not both it,
//! ---------------- | ---   so it is at one of the two other ends
//!  . * . | . . . | . | .
//!  . . X | . . . | . X .   * sees both: it is not the digit
//! ```
//!
//! A link is a house in which the digit has two places; two groups of places, in two lines of a box, in a line and a
//! column of it, or in two boxes of a line, do as well. The ends of two links that follow each other lie in one house; no
//! two links share a place of the digit. If the first and the last end lie in one house, the links make a ring.
//!
//! Ratings: 4.0 for two links, 5.4 for three, 5.8 for four. Added to that: nothing if all links are of rows or all of
//! columns; 0.3 if an end is a group; 0.2 for two links if one is of a box, for three if they are of rows and columns but
//! none of a box, for four if they are of rows, columns and boxes; otherwise 0.1. Source: SukakuExplainer; for two and
//! three links its newest versions have the 0.2 elsewhere, unlike published ratings.

use crate::grid::CELLS;
use crate::logic::cells::{
    BOX, CandidateSet, CellSet, HOUSE, HOUSE_CELLS, HOUSES, PEERS, cell_name, cell_names, cells_at,
    common_peers, digit_name, house, houses_of,
};
use crate::logic::finder::{Link, Pattern, Scratch, Sink};
use crate::logic::state::State;
use crate::logic::technique::{Rating, Technique};

/// The most links that are joined.
const MOST: usize = 4;
/// The tenths that groups add to the rating.
const GROUPED: u16 = 3;

/// Finds chains of two to four strong links.
pub(crate) fn find<const COUNT: usize>(state: &State, scratch: &mut Scratch, sink: &mut dyn Sink) {
    let technique =
        [Technique::TurbotFish, Technique::ThreeStrongLinks, Technique::FourStrongLinks][COUNT - 2];
    for digit in 0..9 {
        let lists = &mut scratch.strong_links[digit];
        lists.update(digit, state);
        if !lists.is_barren(COUNT) {
            let mut search = Search { technique, digit, lists, sink, found: false };
            search.follow(COUNT);
            if !search.found {
                lists.set_barren(COUNT);
            }
        }
    }
}

/// The search for chains of one digit.
struct Search<'a> {
    technique: Technique,
    digit: usize,
    lists: &'a DigitLinks,
    sink: &'a mut dyn Sink,
    /// Whether some chain removes something, at whatever rating.
    found: bool,
}

/// Links in order, each by the end at which it is entered.
#[derive(Clone, Copy)]
struct Chain {
    entered: [u8; MOST],
    count: usize,
}

impl Search<'_> {
    /// Follows all chains of so many links from their middle: a link, or two ends that are joined.
    fn follow(&mut self, count: usize) {
        for end in 0..self.lists.ends.len() {
            if count % 2 == 1 {
                if end % 2 == 0 {
                    self.widen(Chain::of_one(end), count);
                }
                continue;
            }
            for other in each(self.lists.joins[end] >> end) {
                self.widen(Chain::of_two(end ^ 1, end + other), count);
            }
        }
    }

    /// Adds a link before and one after, if there are not enough.
    fn widen(&mut self, chain: Chain, count: usize) {
        if chain.count == count {
            return self.close(&chain);
        }
        let lists = self.lists;
        let sees = |end: usize| lists.ends[end ^ 1].sees;
        for before in each(lists.joins[chain.first()]) {
            for after in each(lists.joins[chain.last()]) {
                if sees(before).meets(sees(after)) {
                    self.widen(chain.widened(before ^ 1, after), count);
                }
            }
        }
    }

    /// Hands over what a chain removes.
    fn close(&mut self, chain: &Chain) {
        let gone = chain.gone(self.lists);
        if gone.is_empty() || chain.crosses_itself(self.lists) {
            return;
        }
        let rating = chain.rating(self.technique, self.lists);
        let removed = CandidateSet::of(self.digit, gone);
        let pattern = || chain.pattern(self.digit, self.lists);
        self.found |= self.sink.remove(self.technique, rating, removed, &pattern);
    }
}

impl Chain {
    const fn of_one(end: usize) -> Chain {
        Chain { entered: [end as u8, 0, 0, 0], count: 1 }
    }

    const fn of_two(first: usize, second: usize) -> Chain {
        Chain { entered: [first as u8, second as u8, 0, 0], count: 2 }
    }

    /// Returns the chain with a link before and one after.
    fn widened(&self, before: usize, after: usize) -> Chain {
        let mut wider = Chain { entered: [before as u8, 0, 0, 0], count: self.count + 2 };
        wider.entered[1..=self.count].copy_from_slice(&self.entered[..self.count]);
        wider.entered[self.count + 1] = after as u8;
        wider
    }

    fn first(&self) -> usize {
        usize::from(self.entered[0])
    }

    fn last(&self) -> usize {
        usize::from(self.entered[self.count - 1]) ^ 1
    }

    /// Returns the ends two by two, as each link is entered and left.
    fn ends(&self) -> impl Iterator<Item = [usize; 2]> {
        self.entered.into_iter().take(self.count).map(|end| [usize::from(end), usize::from(end) ^ 1])
    }

    fn links<'a>(&self, lists: &'a DigitLinks) -> impl Iterator<Item = &'a StrongLink> {
        self.ends().map(|[entered, _]| &lists.links[entered / 2])
    }

    /// Returns the house of each two ends that follow each other: a line rather than a box.
    fn joints(&self, lists: &DigitLinks) -> impl Iterator<Item = usize> {
        let entered = self.entered;
        let houses = |end: usize| lists.ends[end].houses;
        (1..self.count).map(move |next| {
            let (left, entered) = (usize::from(entered[next - 1]) ^ 1, usize::from(entered[next]));
            (houses(left) & houses(entered)).trailing_zeros() as usize
        })
    }

    /// Returns whether two of its links share a place of the digit.
    fn crosses_itself(&self, lists: &DigitLinks) -> bool {
        let mut before = CellSet::EMPTY;
        self.links(lists).any(|link| {
            let crosses = link.cells.meets(before);
            before |= link.cells;
            crosses
        })
    }

    fn is_ring(&self, lists: &DigitLinks) -> bool {
        lists.ends[self.first()].houses & lists.ends[self.last()].houses != 0
    }

    /// Returns the cells that see the first and the last end. Cells in the houses in between do not count unless the
    /// links make a ring, nor do those of the links.
    fn gone(&self, lists: &DigitLinks) -> CellSet {
        let mut gone = lists.ends[self.first()].sees & lists.ends[self.last()].sees;
        for link in self.links(lists) {
            gone -= link.cells;
        }
        if !self.is_ring(lists) {
            for joint in self.joints(lists) {
                gone -= HOUSE[joint];
            }
        }
        gone
    }

    fn rating(&self, technique: Technique, lists: &DigitLinks) -> Rating {
        let mut kinds = [false; 3];
        for link in self.links(lists) {
            if link.is_grouped {
                return technique.least().plus(GROUPED);
            }
            kinds[link.house / 9] = true;
        }
        technique.least().plus(match (self.count, kinds) {
            (_, [true, false, false] | [false, true, false]) => 0,
            (2, [_, _, true]) | (3, [true, true, false]) | (MOST, [true, true, true]) => 2,
            _ => 1,
        })
    }

    fn pattern(&self, digit: usize, lists: &DigitLinks) -> Pattern {
        let mut pattern = Pattern { reason: self.reason(digit, lists), ..Pattern::default() };
        pattern.houses = self.links(lists).map(|link| link.house).chain(self.joints(lists)).collect();
        pattern.houses.sort_unstable();
        pattern.houses.dedup();
        let mut before = None;
        for [entered, left] in self.ends().map(|ends| ends.map(|end| lists.ends[end].cells)) {
            pattern.candidates.insert_all(digit, entered | left);
            if let Some(before) = before {
                pattern.links.extend(link(digit, before, entered, true));
            }
            pattern.links.extend(link(digit, entered, left, false));
            before = Some(left);
        }
        pattern
    }

    fn reason(&self, digit: usize, lists: &DigitLinks) -> String {
        let name = |end: usize| end_name(lists.ends[end].cells);
        let digit = digit_name(digit);
        let links = self.ends().zip(self.links(lists)).map(|([entered, left], link)| {
            format!("{} has it in {} or {}", house(link.house), name(entered), name(left))
        });
        let links = links.collect::<Vec<_>>().join(", ");
        let joints = (1..self.count).map(|next| {
            let (left, entered) = (self.entered[next - 1] ^ 1, self.entered[next]);
            format!("{} and {} do not both hold it", name(left.into()), name(entered.into()))
        });
        let joints = joints.collect::<Vec<_>>().join(", ");
        let (first, last) = (name(self.first()), name(self.last()));
        format!(
            "of the {digit}s, {links}; {joints}; so {first} or {last} does, and no cell that sees both ends"
        )
    }
}

/// Returns a link between two ends; a group is shown by its first cell.
fn link(digit: usize, from: CellSet, to: CellSet, holds: bool) -> Option<Link> {
    Some(Link { from: (from.first()?, digit, holds), to: (to.first()?, digit, !holds) })
}

fn end_name(cells: CellSet) -> String {
    match cells.single() {
        Some(cell) => cell_name(cell),
        None => format!("one of {}", cell_names(cells)),
    }
}

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
pub(crate) struct StrongLink {
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
    pub links: Vec<StrongLink>,
    /// For each end, the end itself.
    pub ends: Vec<End>,
    /// For each end, the ends of links without a common place that lie in a house with it.
    pub joins: Vec<Ends>,
    barren: u8,
}

impl DigitLinks {
    /// Makes the strong links of a digit in a state, unless these are the ones.
    fn update(&mut self, digit: usize, state: &State) {
        if self.cells != state.cells_of(digit) {
            self.list(digit, state);
        }
    }

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
            self.links.push(StrongLink { house, cells: self.cells & HOUSE[house], is_grouped });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::techniques::trial::Trial;

    #[test]
    fn two_links_in_rows_are_a_skyscraper() {
        let mut trial = Trial::new().confine(5, "r2", "r2c2 r2c8").confine(5, "r5", "r5c3 r5c8");
        assert_eq!(trial.find(find::<2>), ["4.0 turbot-fish: 5 in r1c3, r3c3, r4c2 and r6c2"]);
        let reason = "of the 5s, row 2 has it in r2c2 or r2c8, row 5 has it in r5c8 or r5c3; r2c8 and r5c8 do not both \
                      hold it; so r2c2 or r5c3 does, and no cell that sees both ends";
        assert_eq!(trial.reasons(), [reason]);
    }

    #[test]
    fn a_row_and_a_column_are_dearer_and_with_a_box_dearer_still() {
        let mut kite = Trial::new().confine(5, "r2", "r2c2 r2c8").confine(5, "c9", "r1c9 r6c9");
        assert_eq!(kite.find(find::<2>), ["4.1 turbot-fish: 5 in r6c2"]);
        assert!(kite.up_to(40).find(find::<2>).is_empty());
        let mut turbot = Trial::new().confine(5, "r2", "r2c2 r2c8").confine(5, "b6", "r4c8 r6c9");
        assert_eq!(turbot.find(find::<2>), ["4.2 turbot-fish: 5 in r6c2"]);
        let rows_and_box = || Trial::new().confine(5, "r2", "r2c2 r2c8").confine(5, "b6", "r4c8 r6c9");
        let mut with_column = rows_and_box().confine(5, "c6", "r6c6 r8c6");
        assert_eq!(with_column.find(find::<3>), ["5.5 three-strong-links: 5 in r8c2"]);
        let rows = || Trial::new().confine(5, "r2", "r2c2 r2c8").confine(5, "r5", "r5c8 r5c4");
        let mut without_box = rows().confine(5, "c6", "r4c6 r8c6");
        assert_eq!(without_box.find(find::<3>), ["5.6 three-strong-links: 5 in r8c2"]);
        let mut skyscrapers = rows().confine(5, "r7", "r7c4 r7c3");
        assert_eq!(skyscrapers.find(find::<3>), ["5.4 three-strong-links: 5 in r1c3, r3c3, r8c2 and r9c2"]);
    }

    #[test]
    fn groups_of_places_link_as_single_places_do() {
        let mut line = Trial::new().confine(5, "r2", "r2c2 r2c7 r2c8").confine(5, "c9", "r3c9 r6c9");
        assert_eq!(line.find(find::<2>), ["4.3 turbot-fish: 5 in r6c2"]);
        let mut empty_box =
            Trial::new().confine(5, "b1", "r2c1 r2c3 r1c2 r3c2").confine(5, "r8", "r8c2 r8c6");
        assert_eq!(empty_box.find(find::<2>), ["4.3 turbot-fish: 5 in r2c6"]);
        let mut full_cross =
            Trial::new().confine(5, "b1", "r2c1 r2c3 r1c2 r3c2 r2c2").confine(5, "r8", "r8c2 r8c6");
        assert_eq!(full_cross.find(find::<2>), ["4.3 turbot-fish: 5 in r2c6"]);
        let mut two_rows = Trial::new().confine(5, "b1", "r1c1 r1c2 r2c2 r2c3").confine(5, "c6", "r2c6 r8c6");
        assert!(two_rows.find(find::<2>).is_empty(), "the ends r1 and r8 meet nowhere");
        let mut ring =
            Trial::new().confine(5, "b1", "r1c1 r1c2 r2c2 r2c3").confine(5, "b3", "r1c7 r1c8 r2c8 r2c9");
        let rows = ["4.3 turbot-fish: 5 in r1c4, r1c5 and r1c6", "4.3 turbot-fish: 5 in r2c4, r2c5 and r2c6"];
        assert_eq!(ring.find(find::<2>), rows);
    }

    #[test]
    fn the_middle_of_a_short_cross_goes_with_either_arm() {
        let corner = || Trial::new().confine(5, "b1", "r1c1 r1c2 r2c1");
        let mut column = corner().confine(5, "c5", "r2c5 r7c5").confine(5, "b9", "r7c8 r9c9");
        assert_eq!(column.find(find::<3>)[0], "5.7 three-strong-links: 5 in r1c9");
        let mut row = corner().confine(5, "r5", "r5c2 r5c7").confine(5, "b9", "r8c7 r9c9");
        assert_eq!(row.find(find::<3>)[0], "5.7 three-strong-links: 5 in r9c1");
    }

    #[test]
    fn four_links_reach_further_than_three() {
        let three = Trial::new().confine(5, "r2", "r2c2 r2c8").confine(5, "r5", "r5c8 r5c4");
        let mut four = three.confine(5, "r8", "r8c4 r8c6").confine(5, "r6", "r6c6 r6c1");
        assert_eq!(four.find(find::<4>), ["5.8 four-strong-links: 5 in r1c1, r3c1 and r4c2"]);
    }

    #[test]
    fn links_that_share_a_place_or_do_not_meet_make_nothing() {
        let mut shared = Trial::new().confine(5, "r2", "r2c2 r2c8").confine(5, "c8", "r2c8 r5c8");
        assert!(shared.find(find::<2>).is_empty());
        let mut apart = Trial::new().confine(5, "r2", "r2c2 r2c8").confine(5, "r5", "r5c3 r5c9");
        assert!(apart.find(find::<2>).is_empty());
    }
}
