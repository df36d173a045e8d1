//! Single chains and cycles, and several chains to the same statement. All of them are shortest paths in the
//! net.
//!
//! ```text
//!  . a . | . . b | . . .     A digit has two places in row 1 (a and b), two in column 6 (b and c), and two in row 4
//!  . . . | . . . | . . .     (c and d). If it is not in a, it is in b, not in c, and in d. If a and d see each other,
//!  - - - + - - - + - - -     the chain closes to a ring, in which all statements hold or none: a cycle. If another
//!  d . . | . . c | . . .     place sees a and d and you assume the digit there, you get a contradiction: a chain.
//! ```
//!
//! Ratings: 6.5 for cycles of one digit (X) or through cells with two candidates (Y), 6.6 for chains of one
//! digit, 7.0 for chains and cycles with both kinds of links; to all of them, the length adds something.
//!
//! Several chains: the same statement follows from every candidate of a cell, or from every place of a digit
//! in a house.
//!
//! ```text
//!  r1c2 is 1 -> r1c7 is not 1 -> r5c7 is 1 -> r5c5 is not 1
//!  r1c2 is 4 -> r8c2 is not 4 -> r8c5 is 4 -> r5c5 is not 4 -> r5c5 is 2 -> r5c5 is not 1
//!  r1c2 is 9 -> r3c1 is not 9 -> r3c1 is 1 -> r6c1 is not 1 -> r6c6 is 1 -> r5c5 is not 1
//! ```
//!
//! Rating: 8.0, and the length of all chains together adds something. Only cells with three candidates or
//! more and digits with three places or more in a house count, because with two the result is the same as
//! that of a single chain, which is rated lower.
//!
//! Source: Sudoku Explainer 1.2.1.

use std::ops::RangeInclusive;

use super::net::{Cases, LinkKinds, Net, NetSearch, Statement};
use super::{max_complexity_for, pattern, tenths_of};
use crate::grid::BitSet;
use crate::logic::cells::{CandidateSet, CellSet, HOUSE, HOUSES, PEERS};
use crate::logic::finder::{Deduction, DeductionSink, Scratch};
use crate::logic::state::State;
use crate::logic::technique::{Rating, Technique, Ties};

/// Finds cycles, and chains that lead to the opposite of their beginning.
pub(crate) fn find_single(state: &State, scratch: &mut Scratch, sink: &mut dyn DeductionSink) {
    for links in LinkKinds::all() {
        let (cycle, chain) = links.techniques();
        if cycle.least() <= sink.limit() {
            scratch.chains.with_net(state, links, SingleSearch { cycle, chain, sink: &mut *sink });
        }
    }
}

/// The search in one net, from the shortest chains and cycles to the longest that are useful.
struct SingleSearch<'a> {
    /// The technique that cycles in this net count as.
    cycle: Technique,
    /// The technique that chains in this net count as. `None` if they do not count.
    chain: Option<Technique>,
    sink: &'a mut dyn DeductionSink,
}

impl NetSearch for SingleSearch<'_> {
    fn run<const W: usize>(self, net: &mut Net<W>, cycles: &mut CycleSearch<W>) {
        // Even the shortest cycle or chain has two strong links.
        if net.linked < 3 {
            return;
        }
        cycles.start(net);
        for level in 1.. {
            // A chain or cycle that closes in this level has this complexity.
            let complexity = 2 * level + 2;
            let cycle = allowed(self.cycle, complexity, self.sink);
            let chain = self.chain.and_then(|chain| Some((chain, allowed(chain, complexity, self.sink)?)));
            if cycle.is_none() && chain.is_none() {
                return;
            }
            net.extend_to(level);
            if net.complete && level > 2 * net.depth {
                return;
            }
            if let Some((technique, rating)) = chain.filter(|_| level <= net.depth) {
                find_chains(net, level, technique, rating, self.sink);
            }
            if let Some(rating) = cycle {
                let deduction = Deduction::remove(self.cycle, rating, CandidateSet::EMPTY);
                cycles.find(net, level, &deduction, self.sink);
            }
        }
    }
}

/// The rating of a complexity, or `None` if it is above the limit.
fn allowed(technique: Technique, complexity: usize, sink: &dyn DeductionSink) -> Option<Rating> {
    let rating = technique.least().plus(tenths_of(complexity));
    (rating <= sink.limit()).then_some(rating)
}

/// Finds the chains that reach the opposite of their beginning in this level.
fn find_chains<const W: usize>(
    net: &Net<W>,
    level: usize,
    technique: Technique,
    rating: Rating,
    sink: &mut dyn DeductionSink,
) {
    for (node, start) in net.nodes.iter().enumerate() {
        if net.refutes_on(level, node) && !net.refutes_on(level - 1, node) {
            let deduction = start.is(false).proved(technique, rating);
            sink.found(&deduction, &|| pattern(technique, None, net.links(&net.path_off(node, node))));
        }
    }
    for (node, start) in net.nodes[..net.linked].iter().enumerate() {
        if net.refutes_off(level, node) && !net.refutes_off(level - 1, node) {
            let deduction = start.is(true).proved(technique, rating);
            sink.found(&deduction, &|| pattern(technique, None, net.links(&net.path_round(node))));
        }
    }
}

/// The most links that the search for one cycle tries, because a depth-first search can take very long in a
/// dense net.
const MAX_TRIES: usize = 4_000;

/// The search for cycles. It works on pairs of candidates of one digit, of which one is on and the other off
/// in the cycle.
///
/// If "a is on" leads to "b is off", and that leads back to "a is on", then exactly one of a and b is on. So
/// every candidate of the digit that sees both is removed. The length of the cycle is the sum of both paths.
/// The search looks only at pairs that some candidate sees, and looks for the cycle itself only if the pair
/// removes something. A cycle must not visit a candidate twice, and must not visit the cell of the candidate that
/// it removes. For at least one of its statements, the way around the cycle must be a shortest way back in the net.
#[derive(Debug, Default)]
pub(super) struct CycleSearch<const W: usize> {
    /// For each node, its partners: later nodes of the same digit, such that some candidate sees both.
    /// Partners from which a path back to the node has been found are dropped, because they are in `open` then.
    partners: Vec<(usize, BitSet<W>)>,
    /// Pairs with a path back from the second node to the first, but none yet from the first to the second.
    open: Vec<Pair>,
    /// The candidates that cycles have removed so far.
    removed: CandidateSet,
}

/// Two nodes, and the level of the path from the second as "off" back to the first as "on".
#[derive(Clone, Copy, Debug)]
struct Pair {
    on: usize,
    off: usize,
    back: usize,
}

impl<const W: usize> CycleSearch<W> {
    /// Prepares the search in a net.
    fn start(&mut self, net: &Net<W>) {
        let all = (0..net.linked).map(|node| (node, partners(net, node)));
        self.partners.clear();
        self.partners.extend(all.filter(|(_, partners)| !partners.is_empty()));
        self.open.clear();
        self.removed = CandidateSet::EMPTY;
        self.open(net, 0);
    }

    /// Finds the cycles that close in a level, from 1. They have `2 * level + 2` links.
    fn find(&mut self, net: &Net<W>, level: usize, deduction: &Deduction, sink: &mut dyn DeductionSink) {
        if level <= net.depth {
            self.open(net, level);
        }
        let mut at = 0;
        while let Some(&pair) = self.open.get(at) {
            let there = level - pair.back;
            if net.level(there, pair.on).meets(&net.weak[pair.off]) {
                self.open.swap_remove(at);
                self.close(net, pair, there, deduction, sink);
            } else {
                at += 1;
            }
        }
    }

    /// Adds the pairs with a path back in a level.
    fn open(&mut self, net: &Net<W>, back: usize) {
        for (on, partners) in &mut self.partners {
            let mut reached = BitSet::EMPTY;
            for next in net.strong[*on].iter() {
                reached.unite(net.level(back, next));
            }
            let found = reached.and(*partners);
            *partners = partners.minus(found);
            self.open.extend(found.iter().map(|off| Pair { on: *on, off, back }));
        }
    }

    /// Finds the cycles through a pair, if they remove something that no earlier cycle removes.
    fn close(
        &mut self,
        net: &Net<W>,
        pair: Pair,
        there: usize,
        deduction: &Deduction,
        sink: &mut dyn DeductionSink,
    ) {
        let digit = net.nodes[pair.on].digit();
        for cell in seen_by_both(net, pair.on, pair.off) {
            if self.removed.contains(cell, digit) {
                continue;
            }
            if let Some(ring) = CycleWalk::find(net, pair, there, cell) {
                let cycle = ring.iter().enumerate().map(|(at, &node)| net.nodes[node].is(at % 2 == 0));
                let deduction =
                    Deduction { removed: removed_by_cycle(&net.state, cycle), ..deduction.clone() };
                self.removed.unite(&deduction.removed);
                sink.found(&deduction, &|| pattern(deduction.technique, None, net.links(&statements(&ring))));
            }
        }
    }
}

/// The later nodes with the same digit, such that some candidate sees both.
fn partners<const W: usize>(net: &Net<W>, node: usize) -> BitSet<W> {
    let digit = net.nodes[node].digit();
    let later = (node + 1..net.linked).take_while(|&other| net.nodes[other].digit() == digit);
    let mut partners = BitSet::EMPTY;
    later
        .filter(|&other| !seen_by_both(net, node, other).is_empty())
        .for_each(|other| partners.insert(other));
    partners
}

/// The cells that see two nodes of one digit and have this digit as a candidate.
fn seen_by_both<const W: usize>(net: &Net<W>, one: usize, other: usize) -> CellSet {
    let [one, other] = [one, other].map(|node| net.nodes[node]);
    PEERS[one.cell()] & PEERS[other.cell()] & net.state.cells_of(one.digit())
}

/// The candidates that a cycle of statements removes: those outside its cells that see their digit both on
/// and off in the cycle.
pub(super) fn removed_by_cycle(state: &State, cycle: impl Iterator<Item = Statement>) -> CandidateSet {
    let mut seen = [[CellSet::EMPTY; 9]; 2];
    let mut cells = CellSet::EMPTY;
    for Statement { candidate, on } in cycle {
        cells.insert(candidate.cell());
        seen[usize::from(on)][candidate.digit()] |= PEERS[candidate.cell()];
    }
    let mut removed = CandidateSet::EMPTY;
    for digit in 0..9 {
        removed.insert_all(digit, (seen[0][digit] & seen[1][digit] & state.cells_of(digit)) - cells);
    }
    removed
}

/// The statements of a cycle, on and off in turn, with the first one again at the end.
fn statements(ring: &[usize]) -> Vec<(usize, bool)> {
    ring.iter().chain(&ring[..1]).enumerate().map(|(at, &node)| (node, at % 2 == 0)).collect()
}

/// A depth-first search for a cycle along shortest paths.
struct CycleWalk<'a, const W: usize> {
    net: &'a Net<W>,
    pair: Pair,
    /// The number of levels from the "on" of the pair to its "off".
    there: usize,
    /// The cell that the cycle must not visit.
    barred: usize,
    used: BitSet<W>,
    /// The nodes of the path so far, on and off in turn.
    ring: Vec<usize>,
    tries: usize,
}

impl<'a, const W: usize> CycleWalk<'a, W> {
    /// Finds a cycle through a pair that does not visit the cell `barred`. `None` if there is none, or if the
    /// search would take too long.
    fn find(net: &'a Net<W>, pair: Pair, there: usize, barred: usize) -> Option<Vec<usize>> {
        let (used, ring) = (BitSet::EMPTY, Vec::new());
        let mut walk = CycleWalk { net, pair, there, barred, used, ring, tries: MAX_TRIES };
        walk.visit(pair.on).then_some(walk.ring)
    }

    /// Adds a node and follows its links, unless it was visited already or its cell is barred. The node is
    /// removed again if no link leads around.
    fn visit(&mut self, node: usize) -> bool {
        if self.used.has(node) || self.net.nodes[node].cell() == self.barred || self.tries == 0 {
            return false;
        }
        self.tries -= 1;
        self.used.insert(node);
        self.ring.push(node);
        let is_around = if self.ring.len() % 2 == 1 { self.follow_on(node) } else { self.follow_off(node) };
        if !is_around {
            self.ring.pop();
            self.used.remove(node);
        }
        is_around
    }

    /// Follows the links from an "on": to the "off" of the pair if its level is reached, otherwise to any
    /// "off".
    fn follow_on(&mut self, on: usize) -> bool {
        let (net, off) = (self.net, self.pair.off);
        if self.ring.len() == 2 * self.there + 1 {
            net.weak[on].has(off) && self.visit(off)
        } else {
            net.linked_offs(on).any(|off| self.visit(off))
        }
    }

    /// Follows the links from an "off" to nodes that are one level nearer to the end of this half. The first
    /// half ends at the "off" of the pair, the second at its "on", where the cycle closes.
    fn follow_off(&mut self, off: usize) -> bool {
        let (net, pair, there, steps) = (self.net, self.pair, self.there, self.ring.len() / 2);
        let nearer = |&next: &usize| match there.checked_sub(steps) {
            Some(level) => net.level_off(next, pair.off) == Some(level),
            None => net.level_on(next, pair.on) == Some(there + 1 + pair.back - steps),
        };
        let closes = |next| steps > there && next == pair.on;
        let mut nexts = net.strong[off].iter().filter(nearer);
        nexts.any(|next| if closes(next) { self.is_shortest_somewhere() } else { self.visit(next) })
    }

    /// Whether the way around the cycle is a shortest one for at least one of its statements.
    fn is_shortest_somewhere(&self) -> bool {
        let (net, ring) = (self.net, &self.ring);
        let count = ring.len();
        let whole = Some(count / 2 - 1);
        (0..count).any(|at| {
            // Backwards, each "off" is an "on".
            let last = if at % 2 == 0 { at + count - 2 } else { at + 2 };
            net.level_on(ring[at], ring[last % count]) == whole
        })
    }
}

/// Finds chains from all candidates of a cell, or from all places of a digit in a house.
pub(crate) fn find_multiple(state: &State, scratch: &mut Scratch, sink: &mut dyn DeductionSink) {
    scratch.chains.with_net(state, LinkKinds::Xy, MultipleSearch { ties: scratch.ties, sink });
}

/// The search for several chains to the same statement, from the shortest to the longest that are useful.
struct MultipleSearch<'a> {
    ties: Ties,
    sink: &'a mut dyn DeductionSink,
}

impl NetSearch for MultipleSearch<'_> {
    fn run<const W: usize>(mut self, net: &mut Net<W>, _: &mut CycleSearch<W>) {
        let state = &net.state;
        let rich = state.empty().into_iter().filter(|&cell| state.candidates(cell).count_ones() > 2);
        let of_cells = rich.map(|cell| (None, Cases::for_cell(state, cell)));
        let digits = (0..HOUSES).flat_map(|house| (0..9).map(move |digit| (house, digit)));
        let counting = digits.filter(|&(house, digit)| is_eligible_house(state, house, digit, self.ties));
        let of_houses = counting.map(|(house, digit)| (Some(house), Cases::for_house(state, house, digit)));
        let all: Vec<(Option<usize>, Cases)> = of_cells.chain(of_houses).collect();
        let mut below = 0;
        for tenths in 0.. {
            let rating = Technique::CellChains.least().plus(tenths);
            if rating > self.sink.limit() {
                return;
            }
            // The complexities that have this rating.
            let complexities = below + 1..=max_complexity_for(tenths);
            below = max_complexity_for(tenths);
            net.extend_exclusions_to(level(below, 3));
            for (house, cases) in &all {
                self.search(net, *house, cases, rating, &complexities);
            }
            if net.complete && below >= 9 * 2 * (net.depth + 1) {
                return;
            }
        }
    }
}

/// The highest level that one of `count` chains can have if all the others are as short as possible.
fn level(most: usize, count: usize) -> usize {
    (most / 2).saturating_sub(count)
}

impl MultipleSearch<'_> {
    /// Finds what follows from each of `cases`, by chains whose complexities add up to one of `complexities`.
    fn search<const W: usize>(
        &mut self,
        net: &Net<W>,
        house: Option<usize>,
        cases: &Cases,
        rating: Rating,
        complexities: &RangeInclusive<usize>,
    ) {
        let technique = if house.is_some() { Technique::HouseChains } else { Technique::CellChains };
        let starts = cases.all().iter().map(|case| net.node(case.candidate));
        let level = level(*complexities.end(), cases.all().len());
        for on in [true, false] {
            let row = |start| if on { net.level(level, start) } else { net.excluded(level, start) };
            for goal in starts.clone().fold(BitSet::ALL, |shared, start| shared.and(*row(start))).iter() {
                let complexity =
                    starts.clone().map(|start| chain_complexity(net, start, goal, on)).sum::<usize>();
                if complexities.contains(&complexity) {
                    let deduction = net.nodes[goal].is(on).proved(technique, rating);
                    self.sink.found(&deduction, &|| {
                        let links = starts.clone().flat_map(|start| {
                            net.links(&if on { net.path_on(start, goal) } else { net.path_off(start, goal) })
                        });
                        pattern(technique, house, links.collect())
                    });
                }
            }
        }
    }
}

/// The number of statements of the shortest chain between two nodes.
fn chain_complexity<const W: usize>(net: &Net<W>, start: usize, goal: usize, on: bool) -> usize {
    match on {
        true => net.level_on(start, goal).map_or(0, |level| 2 * level + 1),
        false => net.level_off(start, goal).map_or(0, |level| 2 * level + 2),
    }
}

/// Whether chains from the places of a digit in a house count.
///
/// For Sudoku Explainer they count if the first place in reading order is in a cell with three candidates or
/// more. Without an order of cells, more than half of the places must be in such cells, because this rule is
/// closest to published ratings.
fn is_eligible_house(state: &State, house: usize, digit: usize, ties: Ties) -> bool {
    let cells = state.cells_of(digit) & HOUSE[house];
    let mut rich = cells.into_iter().filter(|&cell| state.candidates(cell).count_ones() > 2);
    cells.len() > 2
        && match ties {
            Ties::Minlex => 2 * rich.count() > cells.len(),
            Ties::Reading => rich.next() == cells.first(),
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::techniques::tests::Trial;

    #[test]
    fn a_cycle_of_one_digit_removes_what_sees_it_on_and_off() {
        let mut trial = ring("r4c5 r4c9").up_to(65);
        let cells = "r2c1, r2c5, r2c9, r3c1, r3c5, r3c9, r5c1, r5c5, r5c9, r6c1, r6c5, r6c9, r7c1, r7c5, r7c9, r8c1, r8c5 and r8c9";
        assert_eq!(trial.find(find_single), [format!("6.5 x-cycle: 1 in {cells}")]);
        assert_eq!(
            trial.reasons(),
            [
                "if r1c1 is 1, then r9c1 is not 1, then r9c9 is 1, then r4c9 is not 1, then r4c5 is 1, then r1c5 is not \
                 1, then r1c1 is 1: either all of this holds or none of it, and in both cases each removed candidate sees its \
                 digit in one of these cells"
            ]
        );
    }

    #[test]
    fn a_third_place_breaks_the_cycle() {
        assert!(ring("r4c5 r4c7 r4c9").find(find_single).is_empty());
    }

    /// Creates a state in which 1 has two places in each of rows 1 and 9, and the given ones in row 4.
    fn ring(places: &str) -> Trial {
        Trial::new().confine(1, "r1", "r1c1 r1c5").confine(1, "r4", places).confine(1, "r9", "r9c1 r9c9")
    }

    #[test]
    fn a_cycle_through_pairs_removes_what_sees_a_digit_on_and_off() {
        let trial =
            |last| Trial::new().only("r1c1", "12").only("r1c5", "23").only("r5c5", "34").only("r5c1", last);
        assert_eq!(
            trial("14").up_to(66).find(find_single),
            [
                "6.6 y-cycle: 1 in r2c1, r3c1, r4c1, r6c1, r7c1, r8c1 and r9c1; 2 in r1c2, r1c3, r1c4, r1c6, r1c7, r1c8 and \
              r1c9; 3 in r2c5, r3c5, r4c5, r6c5, r7c5, r8c5 and r9c5; 4 in r5c2, r5c3, r5c4, r5c6, r5c7, r5c8 and r5c9"
            ]
        );
        assert!(trial("14").up_to(65).find(find_single).is_empty());
        for wrong in ["15", "145"] {
            let found = trial(wrong).up_to(66).find(find_single);
            assert!(found.is_empty(), "{wrong}: {found:?}");
        }
    }

    #[test]
    fn a_candidate_that_leads_to_its_opposite_is_removed() {
        let mut trial = Trial::new().confine(1, "r1", "r1c1 r1c5").confine(1, "r6", "r6c2 r6c5").up_to(66);
        assert_eq!(
            trial.find(find_single),
            ["r2c2", "r3c2", "r4c1", "r5c1"].map(|cell| format!("6.6 x-chain: 1 in {cell}"))
        );
        assert_eq!(
            trial.reasons()[0],
            "if r2c2 is 1, then r1c1 is not 1, then r1c5 is 1, then r6c5 is not 1, then r6c2 is 1, then r2c2 is not 1, \
             which is a contradiction, so r2c2 can't be 1"
        );
    }

    #[test]
    fn chains_with_both_kinds_of_links_remove_and_place() {
        let grid = "
            13 4 7 138 18 9 5 6 2
            18 5 68 7 2 16 4 3 9
            9 26 23 36 5 4 7 1 8
            4 1 68 9 37 2 68 57 35
            37 9 5 18 6 18 2 47 34
            378 26 23 4 37 5 689 89 1
            6 8 4 5 9 3 1 2 7
            2 3 1 68 4 7 89 589 56
            5 7 9 2 18 168 3 48 46";
        assert!(Trial::from_candidates(grid).up_to(71).find(find_single).is_empty());
        let mut trial = Trial::from_candidates(grid).up_to(72);
        assert_eq!(
            trial.find(find_single),
            ["7.2 chain: 8 in r8c7", "7.2 chain: 9 in r6c7", "7.2 chain: r8c7 is 9"]
        );
        assert_eq!(
            trial.reasons()[2],
            "if r8c7 is not 9, then r8c7 is 8, then r8c4 is not 8, then r8c4 is 6, then r3c4 is not 6, then r3c2 is 6, \
             then r6c2 is not 6, then r6c7 is 6, then r6c7 is not 9, then r8c7 is 9, which is a contradiction, so r8c7 \
             must be 9"
        );
    }

    #[test]
    fn a_cycle_with_both_kinds_of_links_keeps_its_own_cells() {
        let mut trial = Trial::from_candidates(
            "
            1 456 56 9 46 7 8 3 2
            247 9 27 8 13 13 47 6 5
            467 8 3 5 46 2 1 47 9
            259 56 2569 34 8 3459 479 47 1
            59 3 4 1 7 59 2 8 6
            8 7 1 24 29 6 49 5 3
            357 1 57 2347 23 34 6 9 8
            346 46 8 37 19 19 5 2 47
            479 2 79 6 5 8 3 1 47",
        )
        .up_to(71);
        assert_eq!(trial.find(find_single), ["7.1 cycle: 5 in r4c3; 6 in r1c2"]);
    }
}

#[cfg(test)]
mod multiple_tests {
    use super::*;
    use crate::logic::techniques::tests::Trial;

    #[test]
    fn chains_from_every_candidate_of_a_cell_remove_their_common_target() {
        let mut trial = Trial::from_candidates(CELLS).up_to(83);
        assert_eq!(
            trial.find(find_multiple),
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
            "whichever of 1, 2 and 9 is in r3c6, r2c5 is not 2: if r3c6 is 1, then r6c6 is not 1, then r6c5 is 1, \
             then r6c5 is not 3, then r2c5 is 3, then r2c5 is not 2; if r3c6 is 2, then r2c5 is not 2; if r3c6 is 9, then \
             r1c6 is not 9, then r1c6 is 2, then r2c5 is not 2"
        );
        assert!(Trial::from_candidates(CELLS).up_to(82).find(find_multiple).is_empty());
    }

    #[test]
    fn chains_from_every_place_of_a_digit_in_a_house_remove_their_common_target() {
        let mut trial = Trial::from_candidates(HOUSE).up_to(82);
        assert_eq!(trial.find(find_multiple), ["8.2 house-chains: 3 in r2c2"]);
        assert_eq!(
            trial.reasons(),
            [
                "wherever 3 is in column 3, r2c2 is not 3: if r1c3 is 3, then r2c2 is not 3; if r3c3 is 3, then r2c2 \
                 is not 3; if r8c3 is 3, then r8c3 is not 9, then r8c2 is 9, then r5c2 is not 9, then r5c2 is 3, then r2c2 \
                 is not 3"
            ]
        );
    }

    #[test]
    fn a_chain_that_ends_elsewhere_proves_nothing() {
        // The fourth place of 3 in column 3 does not lead to r2c2.
        let mut trial = Trial::from_candidates(&HOUSE.replace("4 238 68", "4 238 368")).up_to(82);
        assert!(!trial.find(find_multiple).contains(&String::from("8.2 house-chains: 3 in r2c2")));
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
