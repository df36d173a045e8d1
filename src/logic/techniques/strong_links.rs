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

pub(crate) mod links;

use self::links::{DigitLinks, Ends, each, opposite};
use crate::logic::cell_set::{CandidateSet, CellSet};
use crate::logic::deduction::{self, Deduction, Pattern, Sink};
use crate::logic::finder::Finder;
use crate::logic::houses::{HOUSE, house, houses_of};
use crate::logic::rating::Rating;
use crate::logic::scratch::Scratch;
use crate::logic::state::State;
use crate::logic::technique::Technique;
use crate::logic::words::{cell_name, cell_names, digit_name};

/// The most links that are joined.
const MOST: usize = 4;
/// What groups add to the rating, in tenths.
const GROUPED: u16 = 3;

/// Chains of two to four strong links.
pub(crate) struct StrongLinks {
    technique: Technique,
    count: usize,
}

impl StrongLinks {
    /// The finder of turbot fish.
    pub(crate) const TWO: StrongLinks = StrongLinks { technique: Technique::TurbotFish, count: 2 };
    /// The finder of three strong links.
    pub(crate) const THREE: StrongLinks = StrongLinks { technique: Technique::ThreeStrongLinks, count: 3 };
    /// The finder of four strong links.
    pub(crate) const FOUR: StrongLinks = StrongLinks { technique: Technique::FourStrongLinks, count: 4 };
}

impl Finder for StrongLinks {
    fn least(&self) -> Rating {
        self.technique.least()
    }

    fn find(&self, state: &State, scratch: &mut Scratch, sink: &mut dyn Sink) {
        for grouped in [false, true] {
            if grouped && self.least().plus(GROUPED) > sink.limit() {
                return;
            }
            for digit in 0..9 {
                let lists = scratch.strong_links.of(digit, state);
                if !lists.is_barren(self.count, grouped) && !self.search(digit, grouped, lists, sink) {
                    lists.set_barren(self.count, grouped);
                }
            }
        }
    }
}

impl StrongLinks {
    /// Hands over the deductions for one digit, with groups or without; returns whether there is one at any rating.
    fn search(&self, digit: usize, grouped: bool, lists: &DigitLinks, sink: &mut dyn Sink) -> bool {
        let usable = if grouped { lists.all() } else { lists.plain };
        if usable.count_ones() < 2 * self.count as u32 || grouped && usable == lists.plain {
            return false;
        }
        let mut found = false;
        for cell in lists.cells {
            let [row, column, block] = houses_of(cell);
            let own = lists.made_by[row] | lists.made_by[column] | lists.made_by[block];
            let seen = lists.inside[row] | lists.inside[column] | lists.inside[block];
            let usable = usable & !own;
            let Some(ways) = Ways::of(self.count, seen & usable, usable, lists) else { continue };
            let mut search =
                Search { technique: self.technique, digit, grouped, cell, ways, lists, sink, found };
            search.start();
            found = search.found;
        }
        found
    }
}

/// The ends at which each link of a chain may be entered, for chains whose first and last ends are seen from one cell.
struct Ways {
    entered: [Ends; MOST],
    count: usize,
}

impl Ways {
    /// Returns the ways, or `None` if there is no chain. Chains are followed from both ends to the middle.
    fn of(count: usize, seen: Ends, usable: Ends, lists: &DigitLinks) -> Option<Ways> {
        if seen.count_ones() < 2 {
            return None;
        }
        let left = opposite(seen);
        let second = lists.joined(left) & usable;
        let entered = match count {
            2 => [seen, second & left, 0, 0],
            3 => [seen, second & opposite(second), left, 0],
            _ => {
                let left_second = opposite(second);
                [seen, second, lists.joined(left_second) & left_second, left]
            }
        };
        entered[..count].iter().all(|&ends| ends != 0).then_some(Ways { entered, count })
    }

    /// Returns the ways into the link that follows so many links; `None` after the last.
    fn after(&self, links: usize) -> Option<Ends> {
        (links < self.count).then(|| self.entered[links])
    }
}

/// The search for chains that remove the digit from one cell.
struct Search<'a> {
    technique: Technique,
    digit: usize,
    grouped: bool,
    cell: usize,
    ways: Ways,
    lists: &'a DigitLinks,
    sink: &'a mut dyn Sink,
    found: bool,
}

/// Links in order, each by the end at which it is entered.
#[derive(Clone, Copy)]
struct Chain {
    entered: [u8; MOST],
    count: usize,
    barred: Ends,
}

impl Search<'_> {
    fn start(&mut self) {
        let chain = Chain { entered: [0; MOST], count: 0, barred: 0 };
        self.extend(chain, self.ways.entered[0]);
    }

    fn extend(&mut self, chain: Chain, next: Ends) {
        for end in each(next & !chain.barred) {
            let mut longer = chain;
            longer.entered[chain.count] = end as u8;
            longer.count += 1;
            longer.barred |= self.lists.links[end / 2].conflicts;
            match self.ways.after(longer.count) {
                Some(ways) => self.extend(longer, self.lists.joins[end ^ 1] & ways),
                None => self.close(&longer),
            }
        }
    }

    /// Hands over what a chain removes: once for both directions and all the cells, and with groups only if it has one.
    fn close(&mut self, chain: &Chain) {
        if chain.first() > chain.last()
            || self.grouped && !chain.links(self.lists).any(|link| link.is_grouped)
        {
            return;
        }
        let gone = chain.gone(self.lists);
        if gone.first() != Some(self.cell) {
            return;
        }
        self.found = true;
        let rating = chain.rating(self.technique, self.lists);
        if rating <= self.sink.limit() {
            let removed = CandidateSet::of(self.digit, gone);
            let pattern = || chain.pattern(self.digit, self.lists);
            self.sink.found(&Deduction::remove(self.technique, rating, removed), &pattern);
        }
    }
}

impl Chain {
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

    fn links<'a>(&self, lists: &'a DigitLinks) -> impl Iterator<Item = &'a links::Link> {
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

    fn is_ring(&self, lists: &DigitLinks) -> bool {
        lists.ends[self.first()].houses & lists.ends[self.last()].houses != 0
    }

    /// Returns the cells that see the first and the last end. Cells in the houses in between do not count unless the
    /// links make a ring, nor do those of the links.
    fn gone(&self, lists: &DigitLinks) -> CellSet {
        let mut gone = lists.ends[self.first()].sees & lists.ends[self.last()].sees & lists.cells;
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
fn link(digit: usize, from: CellSet, to: CellSet, holds: bool) -> Option<deduction::Link> {
    Some(deduction::Link { from: (from.first()?, digit, holds), to: (to.first()?, digit, !holds) })
}

fn end_name(cells: CellSet) -> String {
    match cells.single() {
        Some(cell) => cell_name(cell),
        None => format!("one of {}", cell_names(cells)),
    }
}

#[cfg(test)]
mod tests;
