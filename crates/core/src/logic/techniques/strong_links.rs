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

use self::links::{DigitLinks, each};
use crate::logic::cell_set::{CandidateSet, CellSet};
use crate::logic::deduction;
use crate::logic::deduction::{Deduction, Pattern, Sink};
use crate::logic::finder::Finder;
use crate::logic::houses::{HOUSE, house};
use crate::logic::rating::Rating;
use crate::logic::scratch::Scratch;
use crate::logic::state::State;
use crate::logic::technique::Technique;
use crate::logic::words::{cell_name, cell_names, digit_name};

/// The most links that are joined.
const MOST: usize = 4;
/// The tenths that groups add to the rating.
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
        for digit in 0..9 {
            let lists = scratch.strong_links.of(digit, state);
            if !lists.is_barren(self.count) {
                let mut search = Search { technique: self.technique, digit, lists, sink, found: false };
                search.follow(self.count);
                if !search.found {
                    lists.set_barren(self.count);
                }
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
