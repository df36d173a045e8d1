//! Several chains: whichever candidate of a cell stands, or wherever a digit stands in a house, the same follows.
//!
//! ```text
//!  r1c2 is 1 -> r1c7 is not 1 -> r5c7 is 1 -> r5c5 is not 1
//!  r1c2 is 4 -> r8c2 is not 4 -> r8c5 is 4 -> r5c5 is not 4 -> r5c5 is 2 -> r5c5 is not 1
//!  r1c2 is 9 -> r3c1 is not 9 -> r3c1 is 1 -> r5c1 is not 1 -> r6c6 is 1 -> r5c5 is not 1
//! ```
//!
//! Rating: 8.0, and what the length of all chains together adds. Cells with three candidates or more and digits with
//! three places or more in a house count; with two, chains that contradict their beginning have the same results.
//!
//! Source: Sudoku Explainer 1.2.1.

use std::ops::RangeInclusive;

use super::net::{Bits, Cases, Links, Net, OnNet};
use super::single::Cycles;
use super::{longest, pattern};
use crate::logic::cells::{HOUSE_CELLS, HOUSES};
use crate::logic::finder::{Scratch, Sink};
use crate::logic::profile::Ties;
use crate::logic::state::{State, digits};
use crate::logic::technique::{Rating, Technique};

/// Finds chains from all candidates of a cell, or from all places of a digit in a house.
pub(crate) fn find(state: &State, scratch: &mut Scratch, sink: &mut dyn Sink) {
    scratch.chains.with_net(state, Links::Xy, Multiple { ties: scratch.ties, sink });
}

/// The search for chains that lead to the same statement, from the shortest to the longest that are of use.
struct Multiple<'a> {
    ties: Ties,
    sink: &'a mut dyn Sink,
}

impl OnNet for Multiple<'_> {
    fn run<const W: usize>(mut self, net: &mut Net<W>, _: &mut Cycles<W>) {
        let mut shorter = 0;
        for tenths in 0.. {
            let rating = Technique::CellChains.least().plus(tenths);
            if rating > self.sink.limit() {
                return;
            }
            // The complexities that have this rating.
            let lengths = shorter + 1..=longest(tenths);
            shorter = longest(tenths);
            net.extend_both_to(level(shorter, 3));
            for cell in net.state().empty() {
                if net.state().candidates(cell).count_ones() > 2 {
                    self.search(net, None, &Cases::of_cell(net.state(), cell), rating, &lengths);
                }
            }
            for (house, digit) in (0..HOUSES).flat_map(|house| (0..9).map(move |digit| (house, digit))) {
                if counts(net.state(), house, digit, self.ties) {
                    self.search(
                        net,
                        Some(house),
                        &Cases::of_house(net.state(), house, digit),
                        rating,
                        &lengths,
                    );
                }
            }
            if net.complete && shorter >= 9 * 2 * (net.depth + 1) {
                return;
            }
        }
    }
}

/// Returns the level up to which one of some chains can go, if the others are as short as can be.
fn level(longest: usize, count: usize) -> usize {
    (longest / 2).saturating_sub(count)
}

impl Multiple<'_> {
    /// Finds what follows from each of some candidates, those of a cell, or of a digit in a house, by chains of some
    /// complexities.
    fn search<const W: usize>(
        &mut self,
        net: &Net<W>,
        house: Option<usize>,
        cases: &Cases,
        rating: Rating,
        lengths: &RangeInclusive<usize>,
    ) {
        let count = cases.all().len();
        if 2 * count > *lengths.end() {
            return;
        }
        let technique = if house.is_some() { Technique::HouseChains } else { Technique::CellChains };
        let starts = cases.all().iter().map(|case| net.node(case.candidate));
        let level = level(*lengths.end(), count);
        for on in [true, false] {
            let row = |start| if on { net.level(level, start) } else { net.offs(level, start) };
            for goal in starts.clone().fold(Bits::ALL, |shared, start| shared & *row(start)).iter() {
                let complexity = starts.clone().map(|start| statements(net, start, goal, on)).sum::<usize>();
                if lengths.contains(&complexity) {
                    let deduction = net.nodes[goal].is(on).proved(technique, rating);
                    self.sink.found(&deduction, &|| {
                        let links = starts.clone().flat_map(|start| {
                            net.links(&if on { net.way_on(start, goal) } else { net.way_off(start, goal) })
                        });
                        pattern(technique, house, links.collect())
                    });
                }
            }
        }
    }
}

/// Returns how many statements the chain from a node to another one has.
fn statements<const W: usize>(net: &Net<W>, start: usize, goal: usize, on: bool) -> usize {
    match on {
        true => net.level_on(start, goal).map_or(0, |level| 2 * level + 1),
        false => net.level_off(start, goal).map_or(0, |level| 2 * level + 2),
    }
}

/// Returns whether chains from the places of a digit in a house count.
///
/// To Sudoku Explainer they do if the first place in reading order is in a cell with three candidates or more. Without
/// an order of cells, more than half of the places must be in such cells: that is nearest to published ratings.
fn counts(state: &State, house: usize, digit: usize, ties: Ties) -> bool {
    let places = state.places(digit, house);
    let is_rich = |place: &usize| state.candidates(usize::from(HOUSE_CELLS[house][*place])).count_ones() > 2;
    let count = places.count_ones() as usize;
    count > 2
        && match ties {
            Ties::Minlex => 2 * digits(places).filter(is_rich).count() > count,
            Ties::Reading => digits(places).next().is_some_and(|place| is_rich(&place)),
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::techniques::trial::Trial;

    #[test]
    fn what_follows_from_every_candidate_of_a_cell_goes() {
        let mut trial = Trial::of(CELLS).up_to(83);
        assert_eq!(
            trial.find(find),
            [
                "8.3 cell-chains: 2 in r2c5",
                "8.3 cell-chains: 2 in r7c9",
                "8.3 cell-chains: 9 in r8c3",
                "8.3 house-chains: 2 in r2c5",
                "8.3 house-chains: 2 in r7c4",
                "8.3 house-chains: 2 in r7c9",
            ]
        );
        assert_eq!(
            trial.reasons()[0],
            "whichever of 1, 2 and 9 stands in r3c6, r2c5 is not 2: if r3c6 is 1, then r6c6 is not 1, then r6c5 is 1, \
             then r6c5 is not 3, then r2c5 is 3, then r2c5 is not 2; if r3c6 is 2, then r2c5 is not 2; if r3c6 is 9, then \
             r1c6 is not 9, then r1c6 is 2, then r2c5 is not 2"
        );
        assert!(Trial::of(CELLS).up_to(82).find(find).is_empty());
    }

    #[test]
    fn what_follows_from_every_place_of_a_digit_in_a_house_goes() {
        let mut trial = Trial::of(HOUSE).up_to(82);
        assert_eq!(trial.find(find), ["8.2 house-chains: 3 in r2c2"]);
        assert_eq!(
            trial.reasons(),
            [
                "wherever 3 stands in column 3, r2c2 is not 3: if r1c3 is 3, then r2c2 is not 3; if r3c3 is 3, then r2c2 \
                 is not 3; if r8c3 is 3, then r8c3 is not 9, then r8c2 is 9, then r5c2 is not 9, then r5c2 is 3, then r2c2 \
                 is not 3"
            ]
        );
    }

    #[test]
    fn a_chain_that_ends_elsewhere_proves_nothing() {
        // A fourth place of 3 in column 3 does not lead to r2c2.
        let mut trial = Trial::of(&HOUSE.replace("4 238 68", "4 238 368")).up_to(82);
        assert!(!trial.find(find).contains(&String::from("8.2 house-chains: 3 in r2c2")));
    }

    const CELLS: &str = "
        6 3 14 7 5 29 29 14 8
        5 8 129 123 123 4 6 7 29
        129 124 7 6 8 129 3 14 5
        4 9 8 23 7 5 1 23 6
        1237 127 123 4 6 8 259 2359 239
        23 5 6 9 123 12 4 8 7
        129 6 5 12 4 7 8 239 239
        2379 247 2349 8 29 6 57 259 1
        8 127 129 5 129 3 27 6 4";

    const HOUSE: &str = "
        236 4 368 7 23 5 1 9 268
        237 238 1 6 9 48 34 2378 5
        3679 5 389 23 1 48 346 2378 2678
        5 6 4 9 8 7 2 1 3
        39 39 7 1 6 2 8 5 4
        8 1 2 5 4 3 7 6 9
        4 238 68 23 5 1 9 2378 2678
        1 2389 389 4 7 6 5 238 28
        236 7 5 8 23 9 36 4 1";
}
