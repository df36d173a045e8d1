//! The consequences of one assumption: each statement with the number of statements behind it.
//!
//! A statement says that a digit stands in a cell (on) or that it does not (off). From an *on* follow the *offs* of the
//! other digits of its cell and of its digit in its houses. From an *off* follows the *on* of the last digit of a cell
//! or of the last place of a house. Ons are pursued before offs, and each in the order in which they were found. With
//! dynamic rules a candidate that is off has gone for all that follows, so that an on may rest on several offs: always
//! on all the other candidates that its cell or house had at first. The first conflict, a candidate that is both on and
//! off, ends it.

use super::board::Board;
use super::consequences::{Cause, ChainSet, Conflict, Consequences, Nested, add_chains, for_each_parent};
use super::implications::{Batch, Implications, NestedChain, Offs};
use super::node::{NODES, Node, Via};
use crate::logic::houses::{HOUSE, HOUSE_CELLS, PEERS, houses_of, places_of};
use crate::logic::state::digits;

/// More than the statements that one assumption can have: each candidate off, one on in each cell and four to spare.
const ENTRIES: usize = 1024;
/// More than the ons that one assumption can have.
const ONS: usize = 128;
/// More than the sets of ancestors: one for each on, one for each batch of offs.
const SETS: usize = NODES + ONS;
pub(super) const WORDS: usize = ENTRIES / 64;
/// A set of statements, by their order.
pub(super) type Entries = [u64; WORDS];
/// The set of ancestors that is empty: that of the assumption.
const NO_ANCESTORS: u16 = 0;

/// Which implications count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Whether a cell has one digit; without, chains stay with the digit of the assumption.
    pub cells: bool,
    /// Whether candidates that are off have gone for what follows.
    pub dynamic: bool,
}

impl Rules {
    /// All of them.
    pub(super) const DYNAMIC: Rules = Rules { cells: true, dynamic: true };
    /// Those of chains in which no candidate goes on the way.
    pub(super) const STATIC: Rules = Rules { cells: true, dynamic: false };
    /// Those of one digit.
    pub(super) const NISHIO: Rules = Rules { cells: false, dynamic: true };
}

/// The memory for pursuing one assumption.
pub(super) struct Propagation {
    now: Board,
    /// The statements in the order found: node, and whether it is on.
    pub(super) entries: [(Node, bool); ENTRIES],
    pub(super) len: usize,
    pub(super) entry_on: [u16; NODES],
    pub(super) entry_off: [u16; NODES],
    pub(super) cause: [Cause; ENTRIES],
    /// For each off, the set of its ancestors; for each on, the set of its ancestors and itself.
    pub(super) set_on: [u16; NODES],
    pub(super) set_off: [u16; NODES],
    pub(super) sets: [Entries; SETS],
    set_count: usize,
    pending_on: Queue<ONS>,
    pending_off: Queue<ENTRIES>,
    /// How many of the pending statements are within the greatest complexity.
    live: usize,
    most: u32,
    pub(super) offs: Offs,
    nests: bool,
    /// The nested chains, and by set of ancestors those behind it.
    chains: Vec<NestedChain>,
    chain_sets: Vec<ChainSet>,
}

impl Propagation {
    /// Returns the memory, not to be moved: it is large.
    pub(super) fn boxed() -> Box<Propagation> {
        Box::new(Propagation {
            now: Board::EMPTY,
            entries: [(Node(0), false); ENTRIES],
            len: 0,
            entry_on: [0; NODES],
            entry_off: [0; NODES],
            cause: [Cause::Assumed; ENTRIES],
            set_on: [0; NODES],
            set_off: [0; NODES],
            sets: [[0; WORDS]; SETS],
            set_count: 0,
            pending_on: Queue::EMPTY,
            pending_off: Queue::EMPTY,
            live: 0,
            most: 0,
            offs: Offs::default(),
            nests: false,
            chains: Vec::new(),
            chain_sets: Vec::new(),
        })
    }

    /// Finds what follows from an assumption. Statements with more than `most` statements behind them may be missing.
    pub(super) fn pursue<I: Implications>(
        &mut self,
        before: &Board,
        assumption: (Node, bool),
        rules: Rules,
        most: u32,
        more: &mut I,
        found: &mut Consequences,
    ) {
        self.nests = I::NESTED;
        self.start(before, assumption, most, found);
        self.pursue_all(before, rules, more, found);
        if I::NESTED {
            self.keep_nested(found);
        }
    }

    fn pursue_all<I: Implications>(
        &mut self,
        before: &Board,
        rules: Rules,
        more: &mut I,
        found: &mut Consequences,
    ) {
        let most = self.most;
        while self.live > 0 || I::SOME {
            if let Some(node) = self.pending_on.pop() {
                self.live -= usize::from(found.size(node, true) <= most);
                self.pursue_on(node, rules, found);
            } else if let Some(node) = self.pending_off.pop() {
                self.live -= usize::from(found.size(node, false) <= most);
                self.pursue_off(before, node, rules, found);
            } else if !I::SOME || !self.pursue_batches(before, more, found) {
                return;
            }
            if found.conflict.is_some() {
                return;
            }
        }
    }

    fn start(&mut self, before: &Board, (node, on): (Node, bool), most: u32, found: &mut Consequences) {
        found.clear();
        self.now.clone_from(before);
        (self.len, self.set_count, self.live, self.most) = (0, 1, 0, most);
        self.sets[usize::from(NO_ANCESTORS)] = [0; WORDS];
        self.pending_on.clear();
        self.pending_off.clear();
        self.offs.clear();
        self.chains.clear();
        self.chain_sets.clear();
        self.chain_sets.push([0; NODES.div_ceil(64)]);
        if on {
            let set = self.new_set();
            self.add_on(node, Cause::Assumed, set, 1, found);
        } else {
            self.add_off(node, Cause::Assumed, NO_ANCESTORS, 1, found);
        }
    }

    /// Adds the offs that follow from an on.
    fn pursue_on(&mut self, node: Node, rules: Rules, found: &mut Consequences) {
        let (cell, digit) = (node.cell(), node.digit());
        let (set, size) = (self.set_on[node.index()], found.on_size[node.index()] + 1);
        let cause = Cause::On(node);
        if rules.cells {
            for other in digits(self.now.candidates(cell) & !(1 << digit)) {
                if !self.imply_off(Node::new(cell, other), cause, set, size, found) {
                    return;
                }
            }
        }
        let seen = (self.now.cells_of(digit) & PEERS[cell]) - found.off[digit];
        if seen.is_empty() {
            return;
        }
        let [row, column, of_box] = houses_of(cell);
        let in_box = HOUSE[of_box];
        for part in [seen & in_box, (seen & HOUSE[row]) - in_box, (seen & HOUSE[column]) - in_box] {
            for other in part {
                if !self.imply_off(Node::new(other, digit), cause, set, size, found) {
                    return;
                }
            }
        }
    }

    /// Adds the ons that follow from an off, which goes from the board with dynamic rules.
    fn pursue_off(&mut self, before: &Board, node: Node, rules: Rules, found: &mut Consequences) {
        let (cell, digit) = (node.cell(), node.digit());
        if rules.cells {
            let rest = self.now.candidates(cell) & !(1 << digit);
            if rest.is_power_of_two() {
                let last = Node::new(cell, rest.trailing_zeros() as usize);
                if !self.imply_on(before, last, Cause::By(Via::Cell), found) {
                    return;
                }
            }
        }
        let (houses, places) = (houses_of(cell), places_of(cell));
        for kind in [2, 0, 1] {
            let rest = self.now.places(digit, houses[kind]) & !(1 << places[kind]);
            if rest.is_power_of_two() {
                let last = HOUSE_CELLS[houses[kind]][rest.trailing_zeros() as usize];
                let last = Node::new(usize::from(last), digit);
                if !self.imply_on(before, last, Cause::By(Via::House(kind as u8)), found) {
                    return;
                }
            }
        }
        if rules.dynamic {
            self.now.remove(cell, digit);
        }
    }

    /// Adds further offs. Returns whether there were some.
    fn pursue_batches(
        &mut self,
        before: &Board,
        more: &mut impl Implications,
        found: &mut Consequences,
    ) -> bool {
        let first = self.offs.len();
        more.further(before, &self.now, self.most, &mut self.offs);
        for index in first..self.offs.len() {
            let Batch { causes, effects, end, chain } = self.offs.batches[index];
            let known = |node: &Node| found.off[node.digit()].contains(node.cell());
            if self.offs.nodes[effects..end].iter().all(known) {
                continue;
            }
            let set = self.new_set();
            for at in causes..effects {
                self.inherit(set, self.offs.nodes[at]);
            }
            if let Some(chain) = chain {
                self.nest(set, chain);
            }
            let size = self.size_of(set) + 1;
            for at in effects..end {
                let node = self.offs.nodes[at];
                if !found.off[node.digit()].contains(node.cell()) {
                    self.add_off(node, Cause::Batch(index as u16), set, size, found);
                }
            }
        }
        self.offs.len() > first
    }

    /// Adds an off unless it is known. Returns whether there is no conflict.
    #[inline]
    fn imply_off(&mut self, node: Node, cause: Cause, set: u16, size: u16, found: &mut Consequences) -> bool {
        if found.on[node.digit()].contains(node.cell()) {
            let nested = self.nested_complexity([set, self.set_on[node.index()]]);
            let complexity = u32::from(size) + found.size(node, true) + nested;
            found.conflict = Some(Conflict { node, last: false, cause, complexity });
            return false;
        }
        if !found.off[node.digit()].contains(node.cell()) {
            self.add_off(node, cause, set, size, found);
        }
        true
    }

    /// Adds an on unless it is known. Returns whether there is no conflict.
    #[inline]
    fn imply_on(&mut self, before: &Board, node: Node, cause: Cause, found: &mut Consequences) -> bool {
        let conflicts = found.off[node.digit()].contains(node.cell());
        if !conflicts && found.on[node.digit()].contains(node.cell()) {
            return true;
        }
        let set = self.new_set();
        for_each_parent(before, node, cause, |parent| self.inherit(set, parent));
        let size = self.size_of(set) + 1;
        if conflicts {
            let nested = self.nested_complexity([set, self.set_off[node.index()]]);
            let complexity = u32::from(size) + found.size(node, false) + nested;
            found.conflict = Some(Conflict { node, last: true, cause, complexity });
            return false;
        }
        self.add_on(node, cause, set, size, found);
        true
    }

    fn add_on(&mut self, node: Node, cause: Cause, set: u16, size: u16, found: &mut Consequences) {
        found.on[node.digit()].insert(node.cell());
        found.on_size[node.index()] = size;
        self.set_on[node.index()] = set;
        self.entry_on[node.index()] = self.len as u16;
        self.sets[usize::from(set)][self.len / 64] |= 1 << (self.len % 64);
        self.enter(node, true, cause);
        self.pending_on.push(node);
        self.live += usize::from(u32::from(size) <= self.most);
    }

    fn add_off(&mut self, node: Node, cause: Cause, set: u16, size: u16, found: &mut Consequences) {
        found.off[node.digit()].insert(node.cell());
        found.off_size[node.index()] = size;
        self.set_off[node.index()] = set;
        self.entry_off[node.index()] = self.len as u16;
        self.enter(node, false, cause);
        self.pending_off.push(node);
        self.live += usize::from(u32::from(size) <= self.most);
    }

    fn enter(&mut self, node: Node, on: bool, cause: Cause) {
        self.entries[self.len] = (node, on);
        self.cause[self.len] = cause;
        self.len += 1;
    }

    fn new_set(&mut self) -> u16 {
        self.sets[self.set_count] = [0; WORDS];
        self.set_count += 1;
        if self.nests {
            self.chain_sets.push([0; NODES.div_ceil(64)]);
        }
        self.set_count as u16 - 1
    }

    /// Adds a nested chain to a set of ancestors.
    fn nest(&mut self, set: u16, chain: NestedChain) {
        let index = self.chains.len();
        self.chains.push(chain);
        self.chain_sets[usize::from(set)][index / 64] |= 1 << (index % 64);
    }

    /// Returns the complexity of the nested chains behind some sets of ancestors, each chain once.
    fn nested_complexity(&self, sets: [u16; 2]) -> u32 {
        if self.chains.is_empty() {
            return 0;
        }
        let mut list = Vec::new();
        for set in sets {
            add_chains(&self.chain_sets[usize::from(set)], &self.chains, &mut list);
        }
        list.iter().map(|chain| chain.complexity).sum()
    }

    fn keep_nested(&self, found: &mut Consequences) {
        let nested = found.nested.get_or_insert_with(|| {
            Box::new(Nested { sets: Vec::new(), chains: Vec::new(), set_on: [0; NODES], set_off: [0; NODES] })
        });
        nested.sets.clone_from(&self.chain_sets);
        nested.chains.clone_from(&self.chains);
        (nested.set_on, nested.set_off) = (self.set_on, self.set_off);
    }

    /// Adds an off and its ancestors to a set.
    #[inline]
    fn inherit(&mut self, set: u16, parent: Node) {
        let from = usize::from(self.set_off[parent.index()]);
        for word in 0..=self.len / 64 {
            self.sets[usize::from(set)][word] |= self.sets[from][word];
        }
        let entry = usize::from(self.entry_off[parent.index()]);
        self.sets[usize::from(set)][entry / 64] |= 1 << (entry % 64);
        if !self.chains.is_empty() {
            let from = self.chain_sets[from];
            for (word, more) in self.chain_sets[usize::from(set)].iter_mut().zip(from) {
                *word |= more;
            }
        }
    }

    fn size_of(&self, set: u16) -> u16 {
        self.sets[usize::from(set)][..=self.len / 64].iter().map(|word| word.count_ones() as u16).sum()
    }
}

impl std::fmt::Debug for Propagation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Propagation").field("len", &self.len).finish_non_exhaustive()
    }
}

/// Statements to be pursued, first in, first out.
#[derive(Clone, Debug)]
struct Queue<const N: usize> {
    nodes: [Node; N],
    first: usize,
    end: usize,
}

impl<const N: usize> Queue<N> {
    const EMPTY: Queue<N> = Queue { nodes: [Node(0); N], first: 0, end: 0 };

    fn clear(&mut self) {
        (self.first, self.end) = (0, 0);
    }

    fn push(&mut self, node: Node) {
        self.nodes[self.end] = node;
        self.end += 1;
    }

    fn pop(&mut self) -> Option<Node> {
        if self.first == self.end {
            return None;
        }
        self.first += 1;
        Some(self.nodes[self.first - 1])
    }
}
