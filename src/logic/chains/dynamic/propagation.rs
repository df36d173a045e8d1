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
use crate::logic::cell_set::{CandidateSet, CellSet};
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
/// A set of statements, by their order.
type Entries = [u64; WORDS];
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

impl Rules {
    /// All of them.
    pub(super) const DYNAMIC: Rules = Rules { cells: true, dynamic: true };
    /// Those of chains in which no candidate goes on the way.
    pub(super) const STATIC: Rules = Rules { cells: true, dynamic: false };
    /// Those of one digit.
    pub(super) const NISHIO: Rules = Rules { cells: false, dynamic: true };
}

/// Implications beyond those of singles, for where these end.
pub(super) trait Implications {
    /// Whether there are any.
    const SOME: bool;
    /// Whether there are chains among them, whose complexity counts.
    const NESTED: bool = false;

    /// Adds the candidates that go, each with the candidates that must have gone before. Those that rest on nested
    /// chains of a complexity above `most` may be left out.
    fn further(&mut self, before: &Board, now: &Board, most: u32, offs: &mut Offs);
}

/// No implications beyond those of singles.
pub(super) struct Singles;

impl Implications for Singles {
    const SOME: bool = false;

    fn further(&mut self, _: &Board, _: &Board, _: u32, _: &mut Offs) {}
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
    chain: Option<NestedChain>,
}

/// A deduction by chains within chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NestedChain {
    /// The same for the same statements.
    pub hash: u64,
    pub complexity: u32,
}

impl Offs {
    fn clear(&mut self) {
        self.batches.clear();
        self.nodes.clear();
    }

    /// Adds a batch: the candidates that go, and those that must have gone before. Without causes it is left out: it is
    /// no consequence of the assumption.
    pub(super) fn add(&mut self, causes: impl Iterator<Item = Node>, effects: impl Iterator<Item = Node>) {
        self.add_by(None, causes, effects);
    }

    /// Adds a batch that rests on nested chains.
    pub(super) fn add_by(
        &mut self,
        chain: Option<NestedChain>,
        causes: impl Iterator<Item = Node>,
        effects: impl Iterator<Item = Node>,
    ) {
        let start = self.nodes.len();
        self.nodes.extend(causes);
        let middle = self.nodes.len();
        if middle > start {
            self.nodes.extend(effects);
        }
        if self.nodes.len() > middle {
            self.batches.push(Batch { causes: start, effects: middle, end: self.nodes.len(), chain });
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

    /// Returns the complexity of the chains behind each batch.
    #[cfg(test)]
    pub(super) fn complexities(&self) -> impl Iterator<Item = Option<u32>> + '_ {
        self.batches.iter().map(|batch| batch.chain.map(|chain| chain.complexity))
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
    /// Where there are nested chains: those behind each statement.
    nested: Option<Box<Nested>>,
}

/// The nested chains behind statements.
#[derive(Clone, Debug)]
struct Nested {
    /// By set of ancestors, the nested chains behind it.
    sets: Vec<ChainSet>,
    chains: Vec<NestedChain>,
    set_on: [u16; NODES],
    set_off: [u16; NODES],
}

/// A set of the nested chains of a propagation.
type ChainSet = [u64; NODES.div_ceil(64)];

impl Consequences {
    /// Nothing.
    pub(super) const NONE: Consequences = Consequences {
        on: [CellSet::EMPTY; 9],
        off: [CellSet::EMPTY; 9],
        on_size: [0; NODES],
        off_size: [0; NODES],
        conflict: None,
        nested: None,
    };

    /// Returns how many statements there are from the assumption to a statement, with both.
    #[inline]
    pub(super) const fn size(&self, node: Node, on: bool) -> u32 {
        (if on { self.on_size[node.index()] } else { self.off_size[node.index()] }) as u32
    }

    /// Adds the nested chains behind a statement to a list, each once.
    pub(super) fn add_nested(&self, node: Node, on: bool, list: &mut Vec<NestedChain>) {
        let Some(nested) = &self.nested else { return };
        let set = if on { nested.set_on[node.index()] } else { nested.set_off[node.index()] };
        add_chains(&nested.sets[usize::from(set)], &nested.chains, list);
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

fn add_chains(set: &ChainSet, chains: &[NestedChain], list: &mut Vec<NestedChain>) {
    for (index, chain) in chains.iter().enumerate() {
        if set[index / 64] >> (index % 64) & 1 != 0 && !list.contains(chain) {
            list.push(*chain);
        }
    }
}

/// A candidate that would be both on and off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    node: Node,
    /// The statement found last, and why; the other one is among the consequences.
    last: bool,
    cause: Cause,
    /// The statements behind both, summed, with those of the nested chains.
    pub complexity: u32,
}

/// Where candidates are linked: in their cell, or by their digit in a house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Via {
    Cell,
    /// 0 for the row, 1 for the column, 2 for the box.
    House(u8),
}

/// On which candidates that have gone a deduction rests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// The candidates.
    pub gone: CandidateSet,
    /// The same for the same statements.
    pub hash: u64,
}

impl Origin {
    pub(super) const NONE: Origin = Origin { gone: CandidateSet::EMPTY, hash: 0 };

    /// Returns the candidates.
    pub(super) fn nodes(&self) -> impl Iterator<Item = Node> + '_ {
        self.gone.iter().map(|(cell, digit)| Node::new(cell, digit))
    }

    /// Takes a statement into the hash.
    pub(super) fn add(&mut self, node: Node, on: bool) {
        let word = (u64::from(node.0) << 1 | u64::from(on)) + 1;
        self.hash = self
            .hash
            .wrapping_add((word.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ word << 40).wrapping_mul(word | 1));
    }

    /// Keeps the hashes of several targets apart.
    fn next_target(&mut self) {
        self.hash = self.hash.rotate_left(21).wrapping_mul(0xff51_afd7_ed55_8ccd);
    }

    /// Adds the candidates of a cell, or of a digit in a house, that are on the first board and not on the second.
    pub(super) fn rests_on(&mut self, first: &Board, then: &Board, node: Node, via: Via) {
        let (cell, digit) = (node.cell(), node.digit());
        match via {
            Via::Cell => {
                for other in digits(first.candidates(cell) & !then.candidates(cell)) {
                    self.gone.insert(cell, other);
                }
            }
            Via::House(kind) => {
                let house = houses_of(cell)[usize::from(kind)];
                for place in digits(first.places(digit, house) & !then.places(digit, house)) {
                    self.gone.insert(usize::from(HOUSE_CELLS[house][place]), digit);
                }
            }
        }
    }
}

/// Why a statement holds.
#[derive(Clone, Copy, Debug)]
enum Cause {
    /// It is the assumption.
    Assumed,
    /// The others of its cell or of a house are off.
    By(Via),
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
    sets: [Entries; SETS],
    set_count: usize,
    pending_on: Queue<ONS>,
    pending_off: Queue<ENTRIES>,
    /// How many of the pending statements are within the greatest complexity.
    live: usize,
    most: u32,
    offs: Offs,
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

    /// Returns the statements behind a statement, with itself.
    fn behind(&self, node: Node, on: bool) -> Entries {
        let (set, entry) = match on {
            true => (self.set_on[node.index()], self.entry_on[node.index()]),
            false => (self.set_off[node.index()], self.entry_off[node.index()]),
        };
        let mut entries = self.sets[usize::from(set)];
        entries[usize::from(entry) / 64] |= 1 << (entry % 64);
        entries
    }

    /// Returns the statements behind the last statement of a conflict, without itself.
    fn behind_last(&self, before: &Board, conflict: &Conflict) -> Entries {
        let mut entries = [0; WORDS];
        let mut unite =
            |node, on| entries.iter_mut().zip(self.behind(node, on)).for_each(|(all, more)| *all |= more);
        match conflict.cause {
            Cause::On(parent) => unite(parent, true),
            cause => for_each_parent(before, conflict.node, cause, |parent| unite(parent, false)),
        }
        entries
    }

    /// Returns the links from the assumption to a statement, in an order in which each rests on those before it.
    pub(super) fn links_to(&self, before: &Board, node: Node, on: bool) -> Vec<Link> {
        self.links_among(before, &self.behind(node, on))
    }

    /// Returns the links from the assumption to both statements of the conflict.
    pub(super) fn links_to_conflict(&self, before: &Board, conflict: &Conflict) -> Vec<Link> {
        let Conflict { node, last, cause, .. } = *conflict;
        let mut entries = self.behind(node, !last);
        entries.iter_mut().zip(self.behind_last(before, conflict)).for_each(|(all, more)| *all |= more);
        let mut links = self.links_among(before, &entries);
        self.push_links(before, (node, last), cause, &mut links);
        links
    }

    /// Adds to `origin` on which candidates, gone since `first`, a statement rests; `before` is the board that was
    /// pursued. The assumption counts as an on of the house, or of its cell, if it is one of several cases.
    pub(super) fn trace(
        &self,
        boards: (&Board, &Board),
        (node, on): (Node, bool),
        case: Option<Via>,
        origin: &mut Origin,
    ) {
        origin.next_target();
        self.trace_entries(boards, &self.behind(node, on), case, origin);
    }

    /// Adds to `origin` on which candidates a conflict rests.
    pub(super) fn trace_conflict(
        &self,
        (first, before): (&Board, &Board),
        conflict: &Conflict,
        origin: &mut Origin,
    ) {
        self.trace((first, before), (conflict.node, !conflict.last), None, origin);
        origin.next_target();
        origin.add(conflict.node, conflict.last);
        if let Cause::By(via) = conflict.cause {
            origin.rests_on(first, before, conflict.node, via);
        }
        self.trace_entries((first, before), &self.behind_last(before, conflict), None, origin);
    }

    fn trace_entries(
        &self,
        (first, before): (&Board, &Board),
        entries: &Entries,
        case: Option<Via>,
        origin: &mut Origin,
    ) {
        for entry in self.among(entries) {
            let (node, on) = self.entries[entry];
            origin.add(node, on);
            let via = match self.cause[entry] {
                Cause::By(via) => Some(via),
                Cause::Assumed if on => case,
                _ => None,
            };
            if let Some(via) = via {
                origin.rests_on(first, before, node, via);
            }
        }
    }

    fn among(&self, entries: &Entries) -> impl Iterator<Item = usize> {
        let entries = *entries;
        (0..self.len).filter(move |entry| entries[entry / 64] >> (entry % 64) & 1 != 0)
    }

    fn links_among(&self, before: &Board, entries: &Entries) -> Vec<Link> {
        let mut links = Vec::new();
        for entry in self.among(entries) {
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
            Cause::By(_) => {
                for_each_parent(before, node, cause, |parent| {
                    links.push(Link { from: parent.says(false), to });
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
        Cause::By(Via::Cell) => {
            for other in digits(before.candidates(cell) & !(1 << digit)) {
                each(Node::new(cell, other));
            }
        }
        Cause::By(Via::House(kind)) => {
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
