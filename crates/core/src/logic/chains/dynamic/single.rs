//! Single chains and cycles as implications: those that the candidates gone since an assumption make possible.
//!
//! A *chain* leads from a statement to its contrary. A *cycle* leads from an on, over offs and ons in turn, back to itself;
//! then whatever sees both an on and an off of its digit goes. In an X-chain all links are in houses; Y-cycles have
//! their strong links in cells. Ratings, for the order in which they are taken: cycles 6.5, X-chains 6.6, with links of
//! both kinds 7.0, and what the length adds.

use super::board::Board;
use super::handover::rated;
use super::implications::{NestedChain, Offs};
use super::node::{NODES, Node, Via};
use super::origin::Origin;
use super::reach::Reach;
use crate::logic::cell_set::{CandidateSet, CellSet};
use crate::logic::houses::{HOUSE, HOUSE_CELLS, PEERS, houses_of, places_of};
use crate::logic::rating::Rating;
use crate::logic::state::digits;

/// Which strong links, and which weak ones, a chain may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Links {
    /// In houses.
    X,
    /// Strong ones in cells, weak ones anywhere.
    Y,
    /// All.
    Xy,
}

impl Links {
    /// In the order in which they count where rating and complexity are the same.
    const ALL: [Links; 3] = [Links::X, Links::Y, Links::Xy];

    fn in_cells(self) -> bool {
        self != Links::X
    }

    fn strong_in_houses(self) -> bool {
        self != Links::Y
    }

    fn rating_of_cycles(self) -> Rating {
        Rating::tenths(if self == Links::Xy { 70 } else { 65 })
    }

    fn rating_of_chains(self) -> Rating {
        Rating::tenths(if self == Links::Xy { 70 } else { 66 })
    }
}

/// A chain or a cycle that removes something.
#[derive(Clone, Copy, Debug)]
struct Hit {
    rating: Rating,
    complexity: u32,
    links: Links,
    removed: CandidateSet,
    origin: Origin,
}

/// A statement on the way: the one before it, and how it follows.
#[derive(Clone, Copy, Debug)]
struct Step {
    node: Node,
    on: bool,
    /// The index of the step before; that of the start is its own.
    from: u16,
    via: Via,
    /// How many statements there are from the start, with both.
    length: u16,
}

/// A search from one statement: whatever follows, once each.
#[derive(Debug)]
pub(super) struct SingleSearch {
    steps: Vec<Step>,
    on: [CellSet; 9],
    off: [CellSet; 9],
    hits: Vec<Hit>,
    reach: Reach,
}

impl SingleSearch {
    pub(super) fn new() -> SingleSearch {
        SingleSearch {
            steps: Vec::with_capacity(2 * NODES),
            on: [CellSet::EMPTY; 9],
            off: [CellSet::EMPTY; 9],
            hits: Vec::new(),
            reach: Reach::default(),
        }
    }

    /// Adds what goes by chains and cycles of a complexity up to `most` that rest on candidates gone since `before`.
    pub(super) fn further(&mut self, before: &Board, now: &Board, most: u32, offs: &mut Offs) {
        self.hits.clear();
        for links in Links::ALL {
            if links.strong_in_houses() {
                self.reach.set(now, links);
            }
            for (cell, digit) in now.all().filter(|&(cell, _)| now.candidates(cell).count_ones() >= 2) {
                let node = Node::new(cell, digit);
                self.find_cycles(before, now, links, node, most);
                for on in [true, false] {
                    if links.strong_in_houses() && self.reach.refutes(node, on) {
                        self.find_chain(before, now, links, (node, on), most);
                    }
                }
            }
        }
        self.hits.sort_by_key(|hit| (hit.rating, hit.complexity, hit.links as u8));
        for index in 0..self.hits.len() {
            let hit = &self.hits[index];
            if self.hits[..index].iter().all(|better| better.removed != hit.removed) {
                let chain = NestedChain { hash: hit.origin.hash, complexity: hit.complexity };
                let removed = hit.removed.iter().map(|(cell, digit)| Node::new(cell, digit));
                offs.add_by(Some(chain), hit.origin.nodes(), removed);
            }
        }
    }

    fn start(&mut self, (node, on): (Node, bool)) {
        self.steps.clear();
        (self.on, self.off) = ([CellSet::EMPTY; 9], [CellSet::EMPTY; 9]);
        self.steps.push(Step { node, on, from: 0, via: Via::Cell, length: 1 });
        let known = if on { &mut self.on } else { &mut self.off };
        known[node.digit()].insert(node.cell());
    }

    fn push(&mut self, node: Node, from: usize, via: Via) {
        let Step { on, length, .. } = self.steps[from];
        self.steps.push(Step { node, on: !on, from: from as u16, via, length: length + 1 });
    }

    /// Finds the shortest chain from a statement to its contrary.
    fn find_chain(&mut self, before: &Board, now: &Board, links: Links, (node, on): (Node, bool), most: u32) {
        self.start((node, on));
        let mut at = 0;
        while at < self.steps.len() && u32::from(self.steps[at].length) < most {
            let step = self.steps[at];
            let known = self.steps.len();
            if step.on {
                for_each_weak(now, step.node, links, |off, via| {
                    if !self.off[off.digit()].contains(off.cell()) {
                        self.off[off.digit()].insert(off.cell());
                        self.push(off, at, via);
                    }
                });
            } else {
                for_each_strong(now, step.node, links, |next, via| {
                    if !self.on[next.digit()].contains(next.cell()) {
                        self.on[next.digit()].insert(next.cell());
                        self.push(next, at, via);
                    }
                });
            }
            let contrary = |step: &Step| step.node == node && step.on != on;
            if let Some(end) = (known..self.steps.len()).find(|&end| contrary(&self.steps[end])) {
                return self.hit_chain(before, now, links, end);
            }
            at += 1;
        }
    }

    fn hit_chain(&mut self, before: &Board, now: &Board, links: Links, end: usize) {
        let Step { node, on, length, .. } = self.steps[end];
        let (cell, digit) = (node.cell(), node.digit());
        let mut removed = CandidateSet::EMPTY;
        if on {
            digits(now.candidates(cell) & !(1 << digit)).for_each(|other| removed.insert(cell, other));
        } else {
            removed.insert(cell, digit);
        }
        let mut origin = Origin::NONE;
        for step in self.way(end) {
            origin.add(step.node, step.on);
            if step.on && step.length > 1 {
                origin.rests_on(before, now, step.node, step.via);
            }
        }
        let complexity = u32::from(length);
        let rating = rated(links.rating_of_chains(), complexity);
        self.hits.push(Hit { rating, complexity, links, removed, origin });
    }

    /// Returns the steps to an index, back to the start.
    fn way(&self, end: usize) -> impl Iterator<Item = Step> + '_ {
        let mut next = Some(end);
        std::iter::from_fn(move || {
            let at = next?;
            let step = self.steps[at];
            next = (at != 0).then_some(usize::from(step.from));
            Some(step)
        })
    }

    /// Finds the cycles through an on that remove something.
    fn find_cycles(&mut self, before: &Board, now: &Board, links: Links, node: Node, most: u32) {
        if links == Links::Y && now.candidates(node.cell()).count_ones() > 2 {
            return;
        }
        let mut ends = [(Node(0), Via::Cell); 4];
        let mut count = 0;
        for_each_strong(now, node, links, |end, via| {
            ends[count] = (end, via);
            count += 1;
        });
        let ends = &ends[..count];
        self.start((node, true));
        let mut at = 0;
        while !ends.is_empty() && at < self.steps.len() && u32::from(self.steps[at].length) < most {
            let step = self.steps[at];
            for_each_weak(now, step.node, links, |off, via| {
                if let Some(&(_, back)) = ends.iter().find(|(end, _)| *end == off)
                    && step.length > 2
                    && self.way(at).all(|step| step.on || step.node != off)
                {
                    self.hit_cycle(before, now, links, at, (off, via), back);
                }
                for_each_strong(now, off, links, |next, strong| {
                    let is_new = !self.on[next.digit()].contains(next.cell());
                    if is_new && self.way(at).all(|step| step.on || step.node != off) {
                        self.on[next.digit()].insert(next.cell());
                        self.push(off, at, via);
                        self.push(next, self.steps.len() - 1, strong);
                    }
                });
            });
            // The ons are at even places: each comes after its off.
            at += 2;
        }
    }

    /// Keeps a cycle that goes on from a step with an off, and from there back to the start.
    fn hit_cycle(
        &mut self,
        before: &Board,
        now: &Board,
        links: Links,
        end: usize,
        (off, via): (Node, Via),
        back: Via,
    ) {
        let start = self.steps[0];
        let last = Step { node: off, on: false, from: end as u16, via, length: self.steps[end].length + 1 };
        let mut cells = CellSet::of(off.cell());
        let (mut by_on, mut by_off) = (CandidateSet::EMPTY, CandidateSet::EMPTY);
        let mut origin = Origin::NONE;
        for step in self.way(end).chain([last]) {
            let (cell, digit) = (step.node.cell(), step.node.digit());
            cells.insert(cell);
            (if step.on { &mut by_on } else { &mut by_off }).insert_all(digit, PEERS[cell]);
            origin.add(step.node, step.on);
            // Its links count both ways.
            let via = if step.length == 1 { back } else { step.via };
            origin.rests_on(before, now, step.node, via);
        }
        let mut removed = CandidateSet::EMPTY;
        for digit in 0..9 {
            let seen = by_on.cells(digit) & by_off.cells(digit) & now.cells_of(digit);
            removed.insert_all(digit, seen - cells);
        }
        debug_assert!(start.on);
        if !removed.is_empty() {
            let complexity = u32::from(last.length);
            let rating = rated(links.rating_of_cycles(), complexity);
            self.hits.push(Hit { rating, complexity, links, removed, origin });
        }
    }
}

/// Calls a function for each off that follows from an on: its cell, then box, row and column.
pub(super) fn for_each_weak(now: &Board, node: Node, links: Links, mut each: impl FnMut(Node, Via)) {
    let (cell, digit) = (node.cell(), node.digit());
    if links.in_cells() {
        for other in digits(now.candidates(cell) & !(1 << digit)) {
            each(Node::new(cell, other), Via::Cell);
        }
    }
    let seen = now.cells_of(digit) & PEERS[cell];
    let [row, column, of_box] = houses_of(cell);
    let in_box = HOUSE[of_box];
    for (kind, part) in [(2, in_box), (0, HOUSE[row] - in_box), (1, HOUSE[column] - in_box)] {
        for other in seen & part {
            each(Node::new(other, digit), Via::House(kind));
        }
    }
}

/// Calls a function for each on that follows from an off: the last of its cell, then of box, row and column.
pub(super) fn for_each_strong(now: &Board, node: Node, links: Links, mut each: impl FnMut(Node, Via)) {
    let (cell, digit) = (node.cell(), node.digit());
    if links.in_cells() {
        let rest = now.candidates(cell) & !(1 << digit);
        if rest.is_power_of_two() {
            each(Node::new(cell, rest.trailing_zeros() as usize), Via::Cell);
        }
    }
    if links.strong_in_houses() {
        let (houses, places) = (houses_of(cell), places_of(cell));
        for kind in [2, 0, 1] {
            let rest = now.places(digit, houses[kind]) & !(1 << places[kind]);
            if rest.is_power_of_two() {
                let last = HOUSE_CELLS[houses[kind]][rest.trailing_zeros() as usize];
                each(Node::new(usize::from(last), digit), Via::House(kind as u8));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::state::State;

    const fn at(row: usize, column: usize) -> usize {
        row * 9 + column - 10
    }

    /// Returns what goes once r1c5 is not 5, where 5 has two other places in row 1 and two in row 9: the causes, what
    /// goes, and the complexity.
    fn further(row_9: [usize; 2], most: u32) -> Vec<(Vec<Node>, Vec<Node>, Option<u32>)> {
        let mut before = Board::of(&State::BLANK);
        for column in (1..=9).filter(|column| ![1, 5, 9].contains(column)) {
            before.remove(at(1, column), 4);
        }
        for column in (1..=9).filter(|column| !row_9.contains(column)) {
            before.remove(at(9, column), 4);
        }
        let mut now = before.clone();
        now.remove(at(1, 5), 4);
        let mut offs = Offs::default();
        SingleSearch::new().further(&before, &now, most, &mut offs);
        offs.batches()
            .zip(offs.complexities())
            .map(|((causes, effects), chain)| (causes, effects, chain))
            .collect()
    }

    fn fives(cells: &[usize]) -> Vec<Node> {
        cells.iter().map(|&cell| Node::new(cell, 4)).collect()
    }

    #[test]
    fn an_x_chain_rests_on_what_has_gone_from_the_row_of_a_strong_link() {
        let cells = [at(2, 8), at(3, 8), at(7, 9), at(8, 9)];
        let expected = cells.map(|cell| (fives(&[at(1, 5)]), fives(&[cell]), Some(6)));
        assert_eq!(further([1, 8], 100), expected);
        assert_eq!(further([1, 8], 6), expected);
        assert_eq!(further([1, 8], 5), []);
    }

    #[test]
    fn a_cycle_takes_its_digit_from_all_houses_of_its_weak_links() {
        let found = further([1, 9], 100);
        let columns = (2..=8).flat_map(|row| [at(row, 1), at(row, 9)]).collect::<Vec<_>>();
        assert_eq!(found[0], (fives(&[at(1, 5)]), fives(&columns), Some(4)));
    }

    #[test]
    fn chains_that_were_there_before_are_left_out() {
        // Rows 1 and 9 have two places each, and had no more before.
        let mut board = Board::of(&State::BLANK);
        for column in 2..=8 {
            board.remove(at(1, column), 4);
            board.remove(at(9, column), 4);
        }
        let mut offs = Offs::default();
        SingleSearch::new().further(&board, &board, 100, &mut offs);
        assert_eq!(offs.len(), 0);
    }
}
