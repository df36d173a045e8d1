//! Chains of strong links of one digit: turbot fish (two links), three strong links and four strong links.
//!
//! ```text
//!  . . * | . . . | . . .
//!  . X . | . . . | . X .   the digit has two places (X) in each of two rows;
//!  . . * | . . . | . | .   the two in one column cannot both have it,
//! ---------------- | ---   so one of the other two has it
//!  . * . | . . . | . | .
//!  . . X | . . . | . X .   * sees both of these, so it is not the digit
//! ```
//!
//! A link is a house in which the digit has only two places. Two groups of places work as well: in two rows
//! or two columns of a box, in a row and a column of it, or in two boxes of a line. In a chain, the end of one link and
//! the beginning of the next lie in one house, and no two links share a place of the digit. If the first and
//! the last end also lie in one house, the links form a ring.
//!
//! Ratings: 4.0 for two links, 5.4 for three, 5.8 for four. To this is added 0.3 if an end is a group.
//! Otherwise it is nothing if all links are rows or all are columns; 0.2 for two links with a box, for three links
//! with rows and columns but no box, and for four links with rows, columns and boxes; and 0.1 for all others. Source:
//! SukakuExplainer. Its newest versions give the 0.2 for two and three links in other cases, but published
//! ratings follow the rule above.

use crate::grid::{CELLS, bits_of};
use crate::logic::cells::{
    BOX, CandidateSet, CellSet, HOUSE, HOUSES, Ones, PEERS, cell_name, cell_names, cells_at, common_peers,
    digit_name, first_at, house, houses_of,
};
use crate::logic::finder::{DeductionSink, GroupStatement, Link, Pattern, Scratch};
use crate::logic::state::State;
use crate::logic::technique::{Rating, Technique};

/// The tenths that a group adds to the rating.
const GROUPED: u16 = 3;

/// Finds chains of `COUNT` strong links, from two to four.
pub(crate) fn find<const COUNT: usize>(state: &State, scratch: &mut Scratch, sink: &mut dyn DeductionSink) {
    let technique =
        [Technique::TurbotFish, Technique::ThreeStrongLinks, Technique::FourStrongLinks][COUNT - 2];
    for digit in 0..9 {
        let DigitLinks { cells, ends, barren } = &mut scratch.strong_links[digit];
        if *cells != state.cells_of(digit) {
            (*cells, *barren) = (state.cells_of(digit), 0);
            list_ends(digit, state, ends);
        }
        if *barren >> COUNT & 1 == 0 {
            let mut search =
                LinkChainSearch { technique, digit, ends, sink, entered: [0; COUNT], found: false };
            search.follow();
            *barren |= u8::from(!search.found) << COUNT;
        }
    }
}

/// The search for chains of one digit.
struct LinkChainSearch<'a, const COUNT: usize> {
    technique: Technique,
    digit: usize,
    ends: &'a [End],
    sink: &'a mut dyn DeductionSink,
    /// The links of the current chain in order. Each link is given by the end at which the chain enters it.
    entered: [usize; COUNT],
    /// Whether some chain removes something, whatever its rating.
    found: bool,
}

impl<const COUNT: usize> LinkChainSearch<'_, COUNT> {
    /// Follows all chains from their middle outwards: from a link if `COUNT` is odd, otherwise from two
    /// joined ends. Each chain is found once this way, because the middle is entered in one direction only.
    fn follow(&mut self) {
        let middle = (COUNT - 1) / 2;
        for end in 0..self.ends.len() {
            if COUNT % 2 == 1 {
                if end % 2 == 0 {
                    self.entered[middle] = end;
                    self.widen(middle, middle);
                }
                continue;
            }
            for other in Ones(self.ends[end].joins >> end) {
                (self.entered[middle], self.entered[middle + 1]) = (end ^ 1, end + other);
                self.widen(middle, middle + 1);
            }
        }
    }

    /// Adds one link at the beginning and one at the end, until the chain has `COUNT` links. The two new
    /// links must have outer ends that see a common cell, because otherwise nothing could be removed.
    fn widen(&mut self, first: usize, last: usize) {
        if first == 0 {
            return self.complete();
        }
        let ends = self.ends;
        let sees = |end: usize| ends[end ^ 1].sees;
        for before in Ones(ends[self.entered[first]].joins) {
            for after in Ones(ends[self.entered[last] ^ 1].joins) {
                if sees(before).meets(sees(after)) {
                    (self.entered[first - 1], self.entered[last + 1]) = (before ^ 1, after);
                    self.widen(first - 1, last + 1);
                }
            }
        }
    }

    /// Reports what the completed chain removes.
    fn complete(&mut self) {
        let (digit, links) = (self.digit, self.entered.map(|end| [&self.ends[end], &self.ends[end ^ 1]]));
        let removed = removed_cells(&links);
        if removed.is_empty() || crosses_itself(&links) {
            return;
        }
        let (rating, removed) = (rating(self.technique, &links), CandidateSet::for_digit(digit, removed));
        self.found |= self.sink.remove(self.technique, rating, removed, &|| pattern(digit, &links));
    }
}

/// A strong link of a chain: the end at which the chain enters it, and the end at which it leaves.
type ChainLink<'a> = [&'a End; 2];

/// All places of the digit in the house of a link.
fn cells([entered, left]: &ChainLink) -> CellSet {
    entered.cells | left.cells
}

/// For each two links that follow each other, the house that joins them: a line if there is one, otherwise a
/// box.
fn joints(links: &[ChainLink]) -> impl Iterator<Item = usize> {
    links.windows(2).map(|pair| (pair[0][1].houses & pair[1][0].houses).trailing_zeros() as usize)
}

/// Whether two of the links share a place of the digit.
fn crosses_itself(links: &[ChainLink]) -> bool {
    let mut before = CellSet::EMPTY;
    links.iter().map(cells).any(|cells| {
        let crosses = cells.meets(before);
        before |= cells;
        crosses
    })
}

/// The cells that lose the digit: those that see the first and the last end, without those of the links.
/// Cells in a house that joins two links do not count, unless the links form a ring.
fn removed_cells(links: &[ChainLink]) -> CellSet {
    let (first, last) = (links[0][0], links[links.len() - 1][1]);
    let mut removed = first.sees & last.sees;
    links.iter().for_each(|link| removed -= cells(link));
    let is_ring = first.houses & last.houses != 0;
    if !is_ring {
        joints(links).for_each(|joint| removed -= HOUSE[joint]);
    }
    removed
}

fn rating(technique: Technique, links: &[ChainLink]) -> Rating {
    let mut kinds = [false; 3];
    for link in links {
        if cells(link).len() > 2 {
            return technique.least().plus(GROUPED);
        }
        kinds[link[0].house / 9] = true;
    }
    technique.least().plus(match (links.len(), kinds) {
        (_, [true, false, false] | [false, true, false]) => 0,
        (2, [_, _, true]) | (3, [true, true, false]) | (4, [true, true, true]) => 2,
        _ => 1,
    })
}

fn pattern(digit: usize, chain: &[ChainLink]) -> Pattern {
    let mut houses: Vec<usize> = chain.iter().map(|link| link[0].house).chain(joints(chain)).collect();
    houses.sort_unstable();
    houses.dedup();
    let candidates = chain.iter().fold(CellSet::EMPTY, |all, link| all | cells(link));
    let ends = chain.as_flattened().windows(2).enumerate();
    let links = ends.map(|(index, ends)| link(digit, ends[0], ends[1], index % 2 == 1)).collect();
    let candidates = CandidateSet::for_digit(digit, candidates);
    Pattern { houses, candidates, links, reason: reason(digit, chain) }
}

fn reason(digit: usize, chain: &[ChainLink]) -> String {
    let digit = digit_name(digit);
    let links = chain.iter().map(|[entered, left]| {
        format!("in {}, {digit} is in {} or {}", house(entered.house), end_name(entered), end_name(left))
    });
    let links = links.collect::<Vec<_>>().join("; ");
    let joints = chain
        .windows(2)
        .map(|pair| format!("{} and {} can't both be {digit}", end_name(pair[0][1]), end_name(pair[1][0])));
    let joints = joints.collect::<Vec<_>>().join(", ");
    let (first, last) = (end_name(chain[0][0]), end_name(chain[chain.len() - 1][1]));
    format!(
        "{links}; {joints}; so {first} or {last} is {digit}, and no cell that sees both ends can be {digit}"
    )
}

/// The link of a pattern between two ends.
fn link(digit: usize, from: &End, to: &End, is_true: bool) -> Link {
    let node = |end: &End, is_true| GroupStatement { cells: end.cells, digit, is_true };
    Link { from: node(from, is_true), to: node(to, !is_true) }
}

fn end_name(end: &End) -> String {
    match end.cells.single() {
        Some(cell) => cell_name(cell),
        None => format!("one of {}", cell_names(end.cells)),
    }
}

/// A set of ends: the ends of link i are the bits `2 * i` and `2 * i + 1`. A digit has at most 36 links, one
/// for each line and two for each box, so 72 bits are enough.
type Ends = u128;

/// The three lines of nine places: the minirows of a box, or the parts of a line that lie in one box each.
const ROWS: [u16; 3] = [0o007, 0o070, 0o700];
/// The three mini-columns of a box.
const COLUMNS: [u16; 3] = [0o111, 0o222, 0o444];

/// One end of a strong link: if the digit is not at the other end, it is here.
#[derive(Clone, Copy, Debug)]
struct End {
    /// The house of the link. All places that the digit has in it belong to one of the two ends.
    house: usize,
    /// The cells of the end. A group has several.
    cells: CellSet,
    /// The cells of the digit that see all cells of the end.
    sees: CellSet,
    /// The houses that contain all cells of the end, as a mask.
    houses: u32,
    /// The ends of other links that lie in a common house with this end. Links that share a place with this
    /// one are left out.
    joins: Ends,
}

impl End {
    fn new(house: usize, places: u16, digit: CellSet) -> End {
        if places.is_power_of_two() {
            let cell = first_at(house, places);
            let (cells, sees) = (CellSet::from_cell(cell), PEERS[cell] & digit);
            return End { house, cells, sees, houses: AROUND[cell], joins: 0 };
        }
        let cells = cells_at(house, places);
        let houses = cells.into_iter().fold(u32::MAX, |common, cell| common & AROUND[cell]);
        End { house, cells, sees: common_peers(cells) & digit, houses, joins: 0 }
    }
}

/// For each cell, its three houses as a mask.
static AROUND: [u32; CELLS] = table!(CELLS, cell => {
    let [row, column, block] = houses_of(cell);
    1 << row | 1 << column | 1 << block
});

/// The strong links of a digit. They are kept until the cells of the digit change, because most rounds change
/// few digits.
#[derive(Debug, Default)]
pub(crate) struct DigitLinks {
    /// The cells of the digit from which the links were made.
    cells: CellSet,
    /// The ends of the links, two for each link.
    ends: Vec<End>,
    /// Bit n is set if chains of n links are known to remove nothing.
    barren: u8,
}

/// Lists the ends of all strong links of a digit, and which of them lie in a common house.
fn list_ends(digit: usize, state: &State, ends: &mut Vec<End>) {
    ends.clear();
    for house in 0..HOUSES {
        let places = state.places(digit, house);
        if places.count_ones() > 1 {
            let links = ends_of(house, places).into_iter().filter(|link| link[0] != 0);
            ends.extend(links.flatten().map(|places| End::new(house, places, state.cells_of(digit))));
        }
    }
    let (mut inside, mut made_by) = ([0; HOUSES], [0; HOUSES]);
    for (index, end) in ends.iter().enumerate() {
        bits_of(end.houses).for_each(|house| inside[house] |= 1 << index);
        made_by[end.house] |= 1 << index;
    }
    for link in ends.as_chunks_mut::<2>().0 {
        let cells = link[0].cells | link[1].cells;
        let conflicts = cells.into_iter().flat_map(houses_of).fold(0, |all, house| all | made_by[house]);
        for end in link {
            let near = bits_of(end.houses).fold(0, |near, house| near | inside[house]);
            end.joins = near & !conflicts;
        }
    }
}

/// The places of the ends of the strong links of a house, in which the digit must have at least two places.
/// Zeros mean that there is no link.
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
static BOX_ENDS: [[[u16; 2]; 2]; 512] = table!(512, places => ends_of_box(places as u16));

/// The ends of the links of a box: the two arms of a cross, or two lines. If both places are in one line,
/// there is none, because the line has the same link.
const fn ends_of_box(places: u16) -> [[u16; 2]; 2] {
    let mut center = 0;
    while center < 9 {
        let middle = places & 1 << center;
        let (row, column) = (places & ROWS[center / 3] & !middle, places & COLUMNS[center % 3] & !middle);
        if row | column | middle == places && row != 0 && column != 0 {
            return ends_of_cross(row, column, middle);
        }
        center += 1;
    }
    match places.count_ones() {
        2 if in_two_of(places, ROWS)[0] != 0 && in_two_of(places, COLUMNS)[0] != 0 => {
            [in_two_of(places, ROWS), [0; 2]]
        }
        0..=3 => [[0; 2]; 2],
        _ => [in_two_of(places, ROWS), in_two_of(places, COLUMNS)],
    }
}

/// The ends of the links of a cross. The middle belongs to the longer arm. If both arms have a single place,
/// it can belong to either of them, so there are two links.
const fn ends_of_cross(row: u16, column: u16, middle: u16) -> [[u16; 2]; 2] {
    match (row.is_power_of_two(), column.is_power_of_two()) {
        (true, true) if middle == 0 => [[row, column], [0; 2]],
        (true, true) => [[column | middle, row], [row | middle, column]],
        (true, false) => [[column | middle, row], [0; 2]],
        (false, true) => [[row | middle, column], [0; 2]],
        (false, false) => [[column | middle, row | middle], [0; 2]],
    }
}

/// The two parts of the places, if they lie in exactly two of three lines; otherwise zeros.
const fn in_two_of(places: u16, lines: [u16; 3]) -> [u16; 2] {
    match [places & lines[0], places & lines[1], places & lines[2]] {
        [one, other, 0] | [one, 0, other] | [0, one, other] if one != 0 && other != 0 => [one, other],
        _ => [0; 2],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::techniques::tests::Trial;

    #[test]
    fn two_links_in_rows_are_a_skyscraper() {
        let mut trial = Trial::new().confine(5, "r2", "r2c2 r2c8").confine(5, "r5", "r5c3 r5c8");
        assert_eq!(trial.find(find::<2>), ["4.0 turbot-fish: 5 in r1c3, r3c3, r4c2 and r6c2"]);
        let reason = "in row 2, 5 is in r2c2 or r2c8; in row 5, 5 is in r5c8 or r5c3; r2c8 and r5c8 can't both be 5; so \
                      r2c2 or r5c3 is 5, and no cell that sees both ends can be 5";
        assert_eq!(trial.reasons(), [reason]);
    }

    #[test]
    fn ratings_rise_with_a_row_and_a_column_and_again_with_a_box() {
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
    fn the_middle_of_a_short_cross_belongs_to_either_arm() {
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
