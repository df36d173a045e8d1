//! What follows from one assumption: each statement with the number of statements behind it.
//!
//! A statement says that a digit stands in a cell (on) or that it does not (off). From an *on* follow the *offs* of the
//! other digits of its cell and of its digit in its houses. From an *off* follows the *on* of the last digit of a cell
//! or of the last place of a house. Ons are pursued before offs, and each in the order in which they were found. With
//! dynamic rules a candidate that is off has gone for all that follows, so that an on may rest on several offs: always
//! on all the other candidates that its cell or house had at first. The first conflict, a candidate that is both on and
//! off, ends it.

use super::board::Board;
use crate::grid::CELLS;
use crate::logic::cell_set::CellSet;
use crate::logic::deduction::Link;
use crate::logic::houses::{HOUSE, HOUSE_CELLS, PEERS, houses_of, places_of};
use crate::logic::state::digits;

/// How many candidates there can be.
pub(super) const NODES: usize = 9 * CELLS;
/// More than the statements that one assumption can have: each candidate off, one on in each cell and four to spare.
const ENTRIES: usize = 1024;
/// More than the ons that one assumption can have.
const ONS: usize = 128;
/// More than the sets of ancestors: one for each on, one for each batch of offs.
const SETS: usize = NODES + ONS;
const WORDS: usize = ENTRIES / 64;
/// The set of ancestors that is empty: that of the assumption.
const NO_ANCESTORS: u16 = 0;

/// A candidate by its index: 81 times the digit, plus the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node(pub u16);

impl Node {
    pub(super) const fn new(cell: usize, digit: usize) -> Node {
        Node((digit * CELLS + cell) as u16)
    }

    pub(super) const fn cell(self) -> usize {
        self.0 as usize % CELLS
    }

    pub(super) const fn digit(self) -> usize {
        self.0 as usize / CELLS
    }

    const fn index(self) -> usize {
        self.0 as usize
    }

    const fn says(self, on: bool) -> (usize, usize, bool) {
        (self.cell(), self.digit(), on)
    }
}

/// Which implications count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Whether a cell has one digit; without, chains stay with the digit of the assumption.
    pub cells: bool,
    /// Whether candidates that are off have gone for what follows.
    pub dynamic: bool,
}

/// Implications beyond those of singles, for where these end.
pub(super) trait Implications {
    /// Whether there are any.
    const SOME: bool;

    /// Adds the candidates that go, each with the candidates that must have gone before.
    fn further(&mut self, before: &Board, now: &Board, offs: &mut Offs);
}

/// No implications beyond those of singles.
pub(super) struct Singles;

impl Implications for Singles {
    const SOME: bool = false;

    fn further(&mut self, _: &Board, _: &Board, _: &mut Offs) {}
}

/// Batches of candidates that go for the same reason.
#[derive(Clone, Debug, Default)]
pub(super) struct Offs {
    batches: Vec<Batch>,
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Batch {
    causes: usize,
    effects: usize,
    end: usize,
}

impl Offs {
    fn clear(&mut self) {
        self.batches.clear();
        self.nodes.clear();
    }

    /// Adds a batch: the candidates that go, and those that must have gone before. Without causes it is left out: it is
    /// no consequence of the assumption.
    pub(super) fn add(&mut self, causes: impl Iterator<Item = Node>, effects: impl Iterator<Item = Node>) {
        let start = self.nodes.len();
        self.nodes.extend(causes);
        let middle = self.nodes.len();
        if middle > start {
            self.nodes.extend(effects);
        }
        if self.nodes.len() > middle {
            self.batches.push(Batch { causes: start, effects: middle, end: self.nodes.len() });
        } else {
            self.nodes.truncate(start);
        }
    }

    /// Returns the causes and the effects of each batch.
    #[cfg(test)]
    pub(super) fn batches(&self) -> impl Iterator<Item = (Vec<Node>, Vec<Node>)> + '_ {
        let nodes = &self.nodes;
        self.batches.iter().map(|batch| {
            (nodes[batch.causes..batch.effects].to_vec(), nodes[batch.effects..batch.end].to_vec())
        })
    }

    /// Returns how many batches there are.
    pub(super) fn len(&self) -> usize {
        self.batches.len()
    }
}

/// What follows from an assumption.
#[derive(Clone, Debug)]
pub(super) struct Consequences {
    /// For each digit, the cells in which it stands.
    pub on: [CellSet; 9],
    /// For each digit, the cells in which it does not.
    pub off: [CellSet; 9],
    on_size: [u16; NODES],
    off_size: [u16; NODES],
    /// The first candidate found to be both.
    pub conflict: Option<Conflict>,
}

impl Consequences {
    /// Nothing.
    pub(super) const NONE: Consequences = Consequences {
        on: [CellSet::EMPTY; 9],
        off: [CellSet::EMPTY; 9],
        on_size: [0; NODES],
        off_size: [0; NODES],
        conflict: None,
    };

    /// Returns how many statements there are from the assumption to a statement, with both.
    #[inline]
    pub(super) const fn size(&self, node: Node, on: bool) -> u32 {
        (if on { self.on_size[node.index()] } else { self.off_size[node.index()] }) as u32
    }

    /// Returns the cells in which a digit stands, or does not.
    #[inline]
    pub(super) const fn of(&self, digit: usize, on: bool) -> CellSet {
        if on { self.on[digit] } else { self.off[digit] }
    }

    fn clear(&mut self) {
        (self.on, self.off, self.conflict) = ([CellSet::EMPTY; 9], [CellSet::EMPTY; 9], None);
    }
}

/// A candidate that would be both on and off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    node: Node,
    /// The statement found last, and why; the other one is among the consequences.
    last: bool,
    cause: Cause,
    /// The statements behind both, summed.
    pub complexity: u32,
}

/// Why a statement holds.
#[derive(Clone, Copy, Debug)]
enum Cause {
    /// It is the assumption.
    Assumed,
    /// The others of its cell are off.
    Cell,
    /// The others of a house are off: 0 its row, 1 its column, 2 its box.
    House(u8),
    /// Another candidate is on.
    On(Node),
    /// A batch of candidates that go for another reason.
    Batch(u16),
}

/// The memory for pursuing one assumption.
pub(super) struct Propagation {
    now: Board,
    /// The statements in the order found: node, and whether it is on.
    entries: [(Node, bool); ENTRIES],
    len: usize,
    entry_on: [u16; NODES],
    entry_off: [u16; NODES],
    cause: [Cause; ENTRIES],
    /// For each off, the set of its ancestors; for each on, the set of its ancestors and itself.
    set_on: [u16; NODES],
    set_off: [u16; NODES],
    sets: [[u64; WORDS]; SETS],
    set_count: usize,
    pending_on: Queue<ONS>,
    pending_off: Queue<ENTRIES>,
    /// How many of the pending statements are within the greatest complexity.
    live: usize,
    most: u32,
    offs: Offs,
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
        self.start(before, assumption, most, found);
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
                if !self.imply_on(before, last, Cause::Cell, found) {
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
                if !self.imply_on(before, last, Cause::House(kind as u8), found) {
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
        more.further(before, &self.now, &mut self.offs);
        for index in first..self.offs.len() {
            let Batch { causes, effects, end } = self.offs.batches[index];
            let known = |node: &Node| found.off[node.digit()].contains(node.cell());
            if self.offs.nodes[effects..end].iter().all(known) {
                continue;
            }
            let set = self.new_set();
            for at in causes..effects {
                self.inherit(set, self.offs.nodes[at]);
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
            let complexity = u32::from(size) + found.size(node, true);
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
            let complexity = u32::from(size) + found.size(node, false);
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
        self.set_count as u16 - 1
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
    }

    fn size_of(&self, set: u16) -> u16 {
        self.sets[usize::from(set)][..=self.len / 64].iter().map(|word| word.count_ones() as u16).sum()
    }

    /// Returns the links from the assumption to a statement, in an order in which each rests on those before it.
    pub(super) fn links_to(&self, before: &Board, node: Node, on: bool) -> Vec<Link> {
        let (set, entry) = match on {
            true => (self.set_on[node.index()], self.entry_on[node.index()]),
            false => (self.set_off[node.index()], self.entry_off[node.index()]),
        };
        let mut ancestors = self.sets[usize::from(set)];
        ancestors[usize::from(entry) / 64] |= 1 << (entry % 64);
        self.links_among(before, &ancestors)
    }

    /// Returns the links from the assumption to both statements of the conflict.
    pub(super) fn links_to_conflict(&self, before: &Board, conflict: &Conflict) -> Vec<Link> {
        let Conflict { node, last, cause, .. } = *conflict;
        let mut links = self.links_to(before, node, !last);
        let mut ends = Vec::new();
        self.push_links(before, (node, last), cause, &mut ends);
        let parents: Vec<_> = ends.iter().map(|link| link.from).collect();
        for (cell, digit, on) in parents {
            for link in self.links_to(before, Node::new(cell, digit), on) {
                if !links.contains(&link) {
                    links.push(link);
                }
            }
        }
        links.extend(ends);
        links
    }

    fn links_among(&self, before: &Board, entries: &[u64; WORDS]) -> Vec<Link> {
        let mut links = Vec::new();
        for entry in (0..self.len).filter(|entry| entries[entry / 64] >> (entry % 64) & 1 != 0) {
            self.push_links(before, self.entries[entry], self.cause[entry], &mut links);
        }
        links
    }

    fn push_links(&self, before: &Board, (node, on): (Node, bool), cause: Cause, links: &mut Vec<Link>) {
        let to = node.says(on);
        match cause {
            Cause::Assumed => {}
            Cause::On(parent) => links.push(Link { from: parent.says(true), to }),
            Cause::Batch(index) => {
                let batch = self.offs.batches[usize::from(index)];
                let causes = &self.offs.nodes[batch.causes..batch.effects];
                links.extend(causes.iter().map(|parent| Link { from: parent.says(false), to }));
            }
            Cause::Cell | Cause::House(_) => {
                for_each_parent(before, node, cause, |parent| {
                    links.push(Link { from: parent.says(false), to })
                });
            }
        }
    }
}

impl std::fmt::Debug for Propagation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Propagation").field("len", &self.len).finish_non_exhaustive()
    }
}

/// Calls a function for the offs from which an on follows: the others of its cell or house.
#[inline]
fn for_each_parent(before: &Board, node: Node, cause: Cause, mut each: impl FnMut(Node)) {
    let (cell, digit) = (node.cell(), node.digit());
    match cause {
        Cause::Cell => {
            for other in digits(before.candidates(cell) & !(1 << digit)) {
                each(Node::new(cell, other));
            }
        }
        Cause::House(kind) => {
            let kind = usize::from(kind);
            let house = houses_of(cell)[kind];
            for place in digits(before.places(digit, house) & !(1 << places_of(cell)[kind])) {
                each(Node::new(usize::from(HOUSE_CELLS[house][place]), digit));
            }
        }
        Cause::Assumed | Cause::On(_) | Cause::Batch(_) => {}
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
