//! The consequences of one assumption: each statement with the number of statements behind it.
//!
//! A statement says that a digit stands in a cell (on) or that it does not (off). From an *on* follow the *offs* of the
//! other digits of its cell and of its digit in its houses. From an *off* follows the *on* of the last digit of a cell
//! or of the last place of a house. Ons are pursued before offs, and each in the order in which they were found. With
//! dynamic rules a candidate that is off has gone for all that follows, so that an on may rest on several offs: always
//! on all the other candidates that its cell or house had at first. The first conflict, a candidate that is both on and
//! off, ends it.

use super::bits::Bits;
use super::implications::{Batch, Implications, NestedChain, Offs};
use super::links::{CANDIDATES, Candidate, HOUSE_KINDS, Links, Via, by_house};
use crate::logic::cell_set::CellSet;
use crate::logic::deduction::Link;
use crate::logic::houses::{HOUSE_CELLS, PEERS, houses_of, places_of};
use crate::logic::state::{State, digits};

/// The consequences of an assumption.
#[derive(Clone, Debug)]
pub(super) struct Consequences {
    /// For each digit, the cells in which it stands.
    pub on: [CellSet; 9],
    /// For each digit, the cells in which it does not.
    pub off: [CellSet; 9],
    /// How many statements there are from the assumption to each, with both.
    pub(super) on_size: [u16; CANDIDATES],
    pub(super) off_size: [u16; CANDIDATES],
    /// The first candidate found to be both.
    pub conflict: Option<Conflict>,
    /// Where there are nested chains: those behind each statement.
    pub(super) nested: Option<Box<Nested>>,
}

/// The nested chains behind statements.
#[derive(Clone, Debug)]
pub(super) struct Nested {
    /// By set of ancestors, the nested chains behind it.
    pub(super) sets: Vec<ChainSet>,
    pub(super) chains: Vec<NestedChain>,
    pub(super) set_on: [u16; CANDIDATES],
    pub(super) set_off: [u16; CANDIDATES],
}

/// A set of the nested chains of a propagation.
pub(super) type ChainSet = Bits<{ CANDIDATES.div_ceil(64) }>;

impl Consequences {
    /// Nothing.
    pub(super) const NONE: Consequences = Consequences {
        on: [CellSet::EMPTY; 9],
        off: [CellSet::EMPTY; 9],
        on_size: [0; CANDIDATES],
        off_size: [0; CANDIDATES],
        conflict: None,
        nested: None,
    };

    /// Returns how many statements there are from the assumption to a statement, with both.
    #[inline]
    pub(super) const fn size(&self, candidate: Candidate, on: bool) -> u32 {
        (if on { self.on_size[candidate.index()] } else { self.off_size[candidate.index()] }) as u32
    }

    /// Adds the nested chains behind a statement to a list, each once.
    pub(super) fn add_nested(&self, candidate: Candidate, on: bool, list: &mut Vec<NestedChain>) {
        let Some(nested) = &self.nested else { return };
        let set = if on { nested.set_on[candidate.index()] } else { nested.set_off[candidate.index()] };
        add_chains(&nested.sets[usize::from(set)], &nested.chains, list);
    }

    /// Returns the cells in which a digit stands, or does not.
    #[inline]
    pub(super) const fn of(&self, digit: usize, on: bool) -> CellSet {
        if on { self.on[digit] } else { self.off[digit] }
    }

    /// Forgets all but the memory.
    pub(super) fn clear(&mut self) {
        (self.on, self.off, self.conflict) = ([CellSet::EMPTY; 9], [CellSet::EMPTY; 9], None);
    }
}

/// Adds the chains of a set to a list, each once.
pub(super) fn add_chains(set: &ChainSet, chains: &[NestedChain], list: &mut Vec<NestedChain>) {
    for (index, chain) in chains.iter().enumerate() {
        if set.contains(index) && !list.contains(chain) {
            list.push(*chain);
        }
    }
}

/// A candidate that would be both on and off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    pub(super) candidate: Candidate,
    /// The statement found last, and why; the other one is among the consequences.
    pub(super) last: bool,
    pub(super) cause: Cause,
    /// The statements behind both, summed, with those of the nested chains.
    pub complexity: u32,
}

/// Why a statement holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cause {
    /// It is the assumption.
    Assumed,
    /// The others of its cell or of a house are off.
    By(Via),
    /// Another candidate is on.
    On(Candidate),
    /// A batch of candidates that go for another reason.
    Batch(u16),
}

/// Calls a function for the offs from which an on follows: the others of its cell or house.
#[inline]
pub(super) fn for_each_parent(
    before: &State,
    candidate: Candidate,
    cause: Cause,
    mut each: impl FnMut(Candidate),
) {
    let (cell, digit) = (candidate.cell(), candidate.digit());
    match cause {
        Cause::By(Via::Cell) => {
            for other in digits(before.candidates(cell) & !(1 << digit)) {
                each(Candidate::new(cell, other));
            }
        }
        Cause::By(Via::House(kind)) => {
            let kind = usize::from(kind);
            let house = houses_of(cell)[kind];
            for place in digits(before.places(digit, house) & !(1 << places_of(cell)[kind])) {
                each(Candidate::new(usize::from(HOUSE_CELLS[house][place]), digit));
            }
        }
        Cause::Assumed | Cause::On(_) | Cause::Batch(_) => {}
    }
}

/// More than the statements that one assumption can have: each candidate off, one on in each cell and four to spare.
const ENTRIES: usize = 1024;
/// More than the ons that one assumption can have.
const ONS: usize = 128;
/// More than the sets of ancestors: one for each on, one for each batch of offs.
const SETS: usize = CANDIDATES + ONS;
/// A set of statements, by their order.
pub(super) type Entries = Bits<{ ENTRIES / 64 }>;
/// The set of ancestors that is empty: that of the assumption.
const NO_ANCESTORS: u16 = 0;

/// Which implications count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub links: Links,
    /// Whether candidates that are off have gone for what follows.
    pub dynamic: bool,
}

impl Rules {
    /// All of them.
    pub(super) const DYNAMIC: Rules = Rules { links: Links::Xy, dynamic: true };
    /// Those of chains in which no candidate goes on the way.
    pub(super) const STATIC: Rules = Rules { links: Links::Xy, dynamic: false };

    /// Returns those of one digit.
    pub(super) const fn nishio(digit: usize) -> Rules {
        Rules { links: Links::X(digit), dynamic: true }
    }
}

/// The memory for pursuing one assumption.
pub(super) struct Propagation {
    /// What is left of the state that is pursued.
    now: State,
    /// The statements in the order found: candidate, and whether it is on.
    pub(super) entries: [(Candidate, bool); ENTRIES],
    pub(super) len: usize,
    pub(super) entry_on: [u16; CANDIDATES],
    pub(super) entry_off: [u16; CANDIDATES],
    pub(super) cause: [Cause; ENTRIES],
    /// For each off, the set of its ancestors; for each on, the set of its ancestors and itself.
    pub(super) set_on: [u16; CANDIDATES],
    pub(super) set_off: [u16; CANDIDATES],
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
            now: State::BLANK,
            entries: [(Candidate::new(0, 0), false); ENTRIES],
            len: 0,
            entry_on: [0; CANDIDATES],
            entry_off: [0; CANDIDATES],
            cause: [Cause::Assumed; ENTRIES],
            set_on: [0; CANDIDATES],
            set_off: [0; CANDIDATES],
            sets: [Bits::EMPTY; SETS],
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
        before: &State,
        assumption: (Candidate, bool),
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
        before: &State,
        rules: Rules,
        more: &mut I,
        found: &mut Consequences,
    ) {
        let most = self.most;
        while self.live > 0 || I::SOME {
            if let Some(candidate) = self.pending_on.pop() {
                self.live -= usize::from(found.size(candidate, true) <= most);
                self.pursue_on(candidate, rules, found);
            } else if let Some(candidate) = self.pending_off.pop() {
                self.live -= usize::from(found.size(candidate, false) <= most);
                self.pursue_off(before, candidate, rules, found);
            } else if !I::SOME || !self.pursue_batches(before, more, found) {
                return;
            }
            if found.conflict.is_some() {
                return;
            }
        }
    }

    fn start(
        &mut self,
        before: &State,
        (candidate, on): (Candidate, bool),
        most: u32,
        found: &mut Consequences,
    ) {
        found.clear();
        self.now.clone_from(before);
        (self.len, self.set_count, self.live, self.most) = (0, 1, 0, most);
        self.sets[usize::from(NO_ANCESTORS)] = Bits::EMPTY;
        self.pending_on.clear();
        self.pending_off.clear();
        self.offs.clear();
        self.chains.clear();
        self.chain_sets.clear();
        self.chain_sets.push(Bits::EMPTY);
        if on {
            let set = self.new_set();
            self.add_on(candidate, Cause::Assumed, set, 1, found);
        } else {
            self.add_off(candidate, Cause::Assumed, NO_ANCESTORS, 1, found);
        }
    }

    /// Adds the offs that follow from an on: those of [`Links::each_weak`], without those that are known already.
    fn pursue_on(&mut self, candidate: Candidate, rules: Rules, found: &mut Consequences) {
        let (cell, digit) = (candidate.cell(), candidate.digit());
        let (set, size) = (self.set_on[candidate.index()], found.on_size[candidate.index()] + 1);
        let cause = Cause::On(candidate);
        if rules.links.in_cells() {
            for other in digits(self.now.candidates(cell) & !(1 << digit)) {
                if !self.imply_off(Candidate::new(cell, other), cause, set, size, found) {
                    return;
                }
            }
        }
        let seen = (self.now.cells_of(digit) & PEERS[cell]) - found.off[digit];
        if seen.is_empty() {
            return;
        }
        for (_, part) in by_house(cell, seen) {
            for other in part {
                if !self.imply_off(Candidate::new(other, digit), cause, set, size, found) {
                    return;
                }
            }
        }
    }

    /// Adds the ons that follow from an off, those of [`Links::each_strong`]; with dynamic rules it goes from the state.
    fn pursue_off(&mut self, before: &State, candidate: Candidate, rules: Rules, found: &mut Consequences) {
        let (cell, digit) = (candidate.cell(), candidate.digit());
        if rules.links.in_cells() {
            let rest = self.now.candidates(cell) & !(1 << digit);
            if rest.is_power_of_two() {
                let last = Candidate::new(cell, rest.trailing_zeros() as usize);
                if !self.imply_on(before, last, Cause::By(Via::Cell), found) {
                    return;
                }
            }
        }
        let (houses, places) = (houses_of(cell), places_of(cell));
        for kind in HOUSE_KINDS {
            let rest = self.now.places(digit, houses[kind]) & !(1 << places[kind]);
            if rest.is_power_of_two() {
                let last = HOUSE_CELLS[houses[kind]][rest.trailing_zeros() as usize];
                let last = Candidate::new(usize::from(last), digit);
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
        before: &State,
        more: &mut impl Implications,
        found: &mut Consequences,
    ) -> bool {
        let first = self.offs.len();
        more.further(before, &self.now, self.most, &mut self.offs);
        for index in first..self.offs.len() {
            let Batch { causes, effects, end, chain } = self.offs.batches[index];
            let known = |candidate: &Candidate| found.off[candidate.digit()].contains(candidate.cell());
            if self.offs.candidates[effects..end].iter().all(known) {
                continue;
            }
            let set = self.new_set();
            for at in causes..effects {
                self.inherit(set, self.offs.candidates[at]);
            }
            if let Some(chain) = chain {
                self.nest(set, chain);
            }
            let size = self.size_of(set) + 1;
            for at in effects..end {
                let candidate = self.offs.candidates[at];
                if !found.off[candidate.digit()].contains(candidate.cell()) {
                    self.add_off(candidate, Cause::Batch(index as u16), set, size, found);
                }
            }
        }
        self.offs.len() > first
    }

    /// Adds an off unless it is known. Returns whether there is no conflict.
    #[inline]
    fn imply_off(
        &mut self,
        candidate: Candidate,
        cause: Cause,
        set: u16,
        size: u16,
        found: &mut Consequences,
    ) -> bool {
        if found.on[candidate.digit()].contains(candidate.cell()) {
            let nested = self.nested_complexity([set, self.set_on[candidate.index()]]);
            let complexity = u32::from(size) + found.size(candidate, true) + nested;
            found.conflict = Some(Conflict { candidate, last: false, cause, complexity });
            return false;
        }
        if !found.off[candidate.digit()].contains(candidate.cell()) {
            self.add_off(candidate, cause, set, size, found);
        }
        true
    }

    /// Adds an on unless it is known. Returns whether there is no conflict.
    #[inline]
    fn imply_on(
        &mut self,
        before: &State,
        candidate: Candidate,
        cause: Cause,
        found: &mut Consequences,
    ) -> bool {
        let conflicts = found.off[candidate.digit()].contains(candidate.cell());
        if !conflicts && found.on[candidate.digit()].contains(candidate.cell()) {
            return true;
        }
        let set = self.new_set();
        for_each_parent(before, candidate, cause, |parent| self.inherit(set, parent));
        let size = self.size_of(set) + 1;
        if conflicts {
            let nested = self.nested_complexity([set, self.set_off[candidate.index()]]);
            let complexity = u32::from(size) + found.size(candidate, false) + nested;
            found.conflict = Some(Conflict { candidate, last: true, cause, complexity });
            return false;
        }
        self.add_on(candidate, cause, set, size, found);
        true
    }

    fn add_on(&mut self, candidate: Candidate, cause: Cause, set: u16, size: u16, found: &mut Consequences) {
        found.on[candidate.digit()].insert(candidate.cell());
        found.on_size[candidate.index()] = size;
        self.set_on[candidate.index()] = set;
        self.entry_on[candidate.index()] = self.len as u16;
        self.sets[usize::from(set)].insert(self.len);
        self.enter(candidate, true, cause);
        self.pending_on.push(candidate);
        self.live += usize::from(u32::from(size) <= self.most);
    }

    fn add_off(&mut self, candidate: Candidate, cause: Cause, set: u16, size: u16, found: &mut Consequences) {
        found.off[candidate.digit()].insert(candidate.cell());
        found.off_size[candidate.index()] = size;
        self.set_off[candidate.index()] = set;
        self.entry_off[candidate.index()] = self.len as u16;
        self.enter(candidate, false, cause);
        self.pending_off.push(candidate);
        self.live += usize::from(u32::from(size) <= self.most);
    }

    fn enter(&mut self, candidate: Candidate, on: bool, cause: Cause) {
        self.entries[self.len] = (candidate, on);
        self.cause[self.len] = cause;
        self.len += 1;
    }

    fn new_set(&mut self) -> u16 {
        self.sets[self.set_count] = Bits::EMPTY;
        self.set_count += 1;
        if self.nests {
            self.chain_sets.push(Bits::EMPTY);
        }
        self.set_count as u16 - 1
    }

    /// Adds a nested chain to a set of ancestors.
    fn nest(&mut self, set: u16, chain: NestedChain) {
        let index = self.chains.len();
        self.chains.push(chain);
        self.chain_sets[usize::from(set)].insert(index);
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
            Box::new(Nested {
                sets: Vec::new(),
                chains: Vec::new(),
                set_on: [0; CANDIDATES],
                set_off: [0; CANDIDATES],
            })
        });
        nested.sets.clone_from(&self.chain_sets);
        nested.chains.clone_from(&self.chains);
        (nested.set_on, nested.set_off) = (self.set_on, self.set_off);
    }

    /// Adds an off and its ancestors to a set.
    #[inline]
    fn inherit(&mut self, set: u16, parent: Candidate) {
        let (from, to) = (usize::from(self.set_off[parent.index()]), usize::from(set));
        // A set takes ancestors only while it is the newest one.
        let (older, newest) = self.sets.split_at_mut(to);
        newest[0].unite_up_to(self.len, &older[from]);
        newest[0].insert(usize::from(self.entry_off[parent.index()]));
        if !self.chains.is_empty() {
            let (older, newest) = self.chain_sets.split_at_mut(to);
            newest[0] |= &older[from];
        }
    }

    fn size_of(&self, set: u16) -> u16 {
        self.sets[usize::from(set)].count_up_to(self.len) as u16
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
    candidates: [Candidate; N],
    first: usize,
    end: usize,
}

impl<const N: usize> Queue<N> {
    const EMPTY: Queue<N> = Queue { candidates: [Candidate::new(0, 0); N], first: 0, end: 0 };

    fn clear(&mut self) {
        (self.first, self.end) = (0, 0);
    }

    fn push(&mut self, candidate: Candidate) {
        self.candidates[self.end] = candidate;
        self.end += 1;
    }

    fn pop(&mut self) -> Option<Candidate> {
        if self.first == self.end {
            return None;
        }
        self.first += 1;
        Some(self.candidates[self.first - 1])
    }
}

impl Propagation {
    /// Returns the statements behind a statement, with itself.
    pub(super) fn behind(&self, candidate: Candidate, on: bool) -> Entries {
        let (set, entry) = match on {
            true => (self.set_on[candidate.index()], self.entry_on[candidate.index()]),
            false => (self.set_off[candidate.index()], self.entry_off[candidate.index()]),
        };
        let mut entries = self.sets[usize::from(set)];
        entries.insert(usize::from(entry));
        entries
    }

    /// Returns the statements behind the last statement of a conflict, without itself.
    pub(super) fn behind_last(&self, before: &State, conflict: &Conflict) -> Entries {
        let mut entries = Bits::EMPTY;
        let mut unite = |candidate, on| entries |= &self.behind(candidate, on);
        match conflict.cause {
            Cause::On(parent) => unite(parent, true),
            cause => for_each_parent(before, conflict.candidate, cause, |parent| unite(parent, false)),
        }
        entries
    }

    /// Returns the links from the assumption to a statement, in an order in which each rests on those before it.
    pub(super) fn links_to(&self, before: &State, candidate: Candidate, on: bool) -> Vec<Link> {
        self.links_among(before, &self.behind(candidate, on))
    }

    /// Returns the links from the assumption to both statements of the conflict.
    pub(super) fn links_to_conflict(&self, before: &State, conflict: &Conflict) -> Vec<Link> {
        let Conflict { candidate, last, cause, .. } = *conflict;
        let mut entries = self.behind(candidate, !last);
        entries |= &self.behind_last(before, conflict);
        let mut links = self.links_among(before, &entries);
        self.push_links(before, (candidate, last), cause, &mut links);
        links
    }

    fn links_among(&self, before: &State, entries: &Entries) -> Vec<Link> {
        let mut links = Vec::new();
        for entry in entries.iter() {
            self.push_links(before, self.entries[entry], self.cause[entry], &mut links);
        }
        links
    }

    fn push_links(
        &self,
        before: &State,
        (candidate, on): (Candidate, bool),
        cause: Cause,
        links: &mut Vec<Link>,
    ) {
        let to = candidate.says(on);
        match cause {
            Cause::Assumed => {}
            Cause::On(parent) => links.push(Link { from: parent.says(true), to }),
            Cause::Batch(index) => {
                let batch = self.offs.batches[usize::from(index)];
                let causes = &self.offs.candidates[batch.causes..batch.effects];
                links.extend(causes.iter().map(|parent| Link { from: parent.says(false), to }));
            }
            Cause::By(_) => {
                for_each_parent(before, candidate, cause, |parent| {
                    links.push(Link { from: parent.says(false), to });
                });
            }
        }
    }
}
