//! Several chains: whichever candidate of a cell stands, or wherever a digit stands in a house, the same follows.
//!
//! ```text
//!            1 -> r1c7 is not 1 -> r5c7 is 1 -> r5c5 is not 1
//!  r1c2 is   4 -> r8c2 is not 4 -> r8c5 is 4 -> r5c5 is not 4 -> r5c5 is 2 -> r5c5 is not 1
//!            9 -> r3c1 is not 9 -> r3c1 is 1 -> r5c1 is not 1 -> ... -> r5c5 is not 1
//! ```
//!
//! Rating: 8.0, and what the length of all chains together adds. Cells with three candidates or more and digits with
//! three places or more in a house count; with two, chains that contradict their beginning have the same results.
//!
//! Source: Sudoku Explainer 1.2.1.

use super::length::longest;
use super::net::{Links, Net, Row, bits, common};
use super::patterns;
use super::rings::RingBuffers;
use super::scratch::OnNet;
use crate::logic::cell_set::CandidateSet;
use crate::logic::deduction::{Deduction, Sink};
use crate::logic::finder::Finder;
use crate::logic::houses::{HOUSE_CELLS, HOUSES};
use crate::logic::rating::Rating;
use crate::logic::scratch::Scratch;
use crate::logic::state::{State, digits};
use crate::logic::technique::Technique;

/// Chains from all candidates of a cell, or from all places of a digit in a house.
pub(crate) struct MultipleChains;

impl Finder for MultipleChains {
    fn least(&self) -> Rating {
        Technique::CellChains.least()
    }

    fn find(&self, state: &State, scratch: &mut Scratch, sink: &mut dyn Sink) {
        scratch.chains.with_net(state, Links::Xy, Multiple { sink });
    }
}

struct Multiple<'a> {
    sink: &'a mut dyn Sink,
}

/// Candidates of which one stands: those of a cell, or the places of a digit in a house.
struct Starts {
    technique: Technique,
    house: Option<usize>,
    nodes: [usize; 9],
    count: usize,
}

impl OnNet for Multiple<'_> {
    fn run<const W: usize>(self, net: &mut Net<W>, _: &mut RingBuffers<W>) {
        let mut shorter = 0;
        for tenths in 0.. {
            let rating = Technique::CellChains.least().plus(tenths);
            if rating > self.sink.limit() {
                return;
            }
            let search = Search { rating, shorter, longest: longest(tenths) };
            search.run(net, self.sink);
            shorter = search.longest;
            if net.complete && shorter >= 9 * 2 * (net.depth + 1) {
                return;
            }
        }
    }
}

/// The search for what a complexity in a range leads to.
struct Search {
    rating: Rating,
    /// The complexity that has been searched.
    shorter: usize,
    longest: usize,
}

impl Search {
    fn run<const W: usize>(&self, net: &mut Net<W>, sink: &mut dyn Sink) {
        net.extend_both_to(self.level(3));
        for cell in net.state().empty() {
            if net.state().candidates(cell).count_ones() > 2 {
                self.from(net, &Starts::of_cell(net, cell), sink);
            }
        }
        for house in 0..HOUSES {
            for digit in 0..9 {
                if net.state().places(digit, house).count_ones() > 2
                    && net
                        .state()
                        .candidates(usize::from(
                            HOUSE_CELLS[house][net.state().places(digit, house).trailing_zeros() as usize],
                        ))
                        .count_ones()
                        > 2
                {
                    self.from(net, &Starts::of_house(net, house, digit), sink);
                }
            }
        }
    }

    /// Returns the level up to which one of some chains can go, if the others are as short as can be.
    fn level(&self, count: usize) -> usize {
        (self.longest / 2).saturating_sub(count)
    }

    /// Finds what follows from each of the starts.
    fn from<const W: usize>(&self, net: &Net<W>, starts: &Starts, sink: &mut dyn Sink) {
        if 2 * starts.count > self.longest {
            return;
        }
        let level = self.level(starts.count);
        for on in [true, false] {
            for goal in bits(
                &starts.shared(|start| if on { net.level(level, start) } else { net.offs(level, start) }),
            ) {
                let complexity = starts.complexity(net, goal, on);
                if complexity > self.shorter && complexity <= self.longest {
                    let deduction = self.deduction(starts.technique, net.nodes[goal], on);
                    sink.found(&deduction, &|| {
                        let house = starts.house.into_iter().collect();
                        patterns::chains(net, starts.technique, house, starts.nodes(), (goal, on))
                    });
                }
            }
        }
    }

    fn deduction(&self, technique: Technique, (cell, digit): (usize, usize), on: bool) -> Deduction {
        if on {
            return Deduction::place(technique, self.rating, cell, digit);
        }
        let mut removed = CandidateSet::EMPTY;
        removed.insert(cell, digit);
        Deduction::remove(technique, self.rating, removed)
    }
}

impl Starts {
    fn of_cell<const W: usize>(net: &Net<W>, cell: usize) -> Starts {
        let nodes = digits(net.state().candidates(cell)).map(|digit| net.node(cell, digit));
        Starts::of(Technique::CellChains, None, nodes)
    }

    fn of_house<const W: usize>(net: &Net<W>, house: usize, digit: usize) -> Starts {
        let cell = |place| usize::from(HOUSE_CELLS[house][place]);
        let nodes = digits(net.state().places(digit, house)).map(|place| net.node(cell(place), digit));
        Starts::of(Technique::HouseChains, Some(house), nodes)
    }

    fn of(technique: Technique, house: Option<usize>, some: impl Iterator<Item = usize>) -> Starts {
        let mut starts = Starts { technique, house, nodes: [0; 9], count: 0 };
        for node in some {
            starts.nodes[starts.count] = node;
            starts.count += 1;
        }
        starts
    }

    fn nodes(&self) -> &[usize] {
        &self.nodes[..self.count]
    }

    /// Returns what the rows of all starts share.
    fn shared<'a, const W: usize>(&self, row_of: impl Fn(usize) -> &'a Row<W>) -> Row<W> {
        self.nodes().iter().fold([u64::MAX; W], |shared, &start| common(&shared, row_of(start)))
    }

    /// Returns how many statements the chains to a node have.
    fn complexity<const W: usize>(&self, net: &Net<W>, goal: usize, on: bool) -> usize {
        let statements = |&start: &usize| match on {
            true => net.level_on(start, goal).map_or(0, |level| 2 * level + 1),
            false => net.level_off(start, goal).map_or(0, |level| 2 * level + 2),
        };
        self.nodes().iter().map(statements).sum()
    }
}
