//! The consequences of one assumption, each with the number of statements that it rests on.
//!
//! A statement says that a candidate is on (true) or off (false). If a candidate is on, the other digits of
//! its cell are off, and so is its digit elsewhere in its houses. If a candidate is off and only one other is
//! left in its cell or in a house, that one is on. Statements that are on are followed before any that are
//! off, and otherwise in the order in which they were found.
//!
//! With dynamic rules, a candidate that is off is removed from the board, so an "on" may rest on several
//! "offs" together: on all the other candidates that its cell or house had at first. The search ends with the
//! first conflict, which is a candidate that is both on and off.

use super::eliminations::{BoardChange, Elimination, Eliminations, FurtherEliminations, NestedChain};
use super::net::{CANDIDATES, Candidate, HOUSE_KINDS, LinkKinds, STATEMENTS, Statement, Via, by_house};
use crate::grid::BitSet;
use crate::logic::cells::{CellSet, HOUSE_CELLS, PEERS, first_at, houses_of, places_of};
use crate::logic::finder::Link;
use crate::logic::state::{State, digits};

/// The consequences of an assumption.
#[derive(Clone, Debug)]
pub(super) struct Consequences {
    /// For each digit, the cells where it is off; then, for each digit, the cells where it is on.
    cells: [[CellSet; 9]; 2],
    /// For each statement, the number of statements from the assumption to it, including both.
    sizes: [u16; STATEMENTS],
    /// The first candidate that was found to be both on and off.
    pub(super) conflict: Option<Conflict>,
    /// The nested chains that each statement rests on, if there are nested chains.
    nested: Option<Box<NestedChains>>,
}

/// The nested chains that the statements rest on.
#[derive(Clone, Debug)]
struct NestedChains {
    /// For each set of ancestors, its nested chains.
    sets: Vec<ChainSet>,
    chains: Vec<NestedChain>,
    /// For each statement, the index of its set of ancestors.
    set_of: [u16; STATEMENTS],
}

/// A set of the nested chains of a propagation, by index.
type ChainSet = BitSet<{ CANDIDATES.div_ceil(64) }>;

impl Consequences {
    /// No consequences.
    pub(super) const NONE: Consequences = Consequences {
        cells: [[CellSet::EMPTY; 9]; 2],
        sizes: [0; STATEMENTS],
        conflict: None,
        nested: None,
    };

    /// The number of statements from the assumption to this statement, including both.
    #[inline]
    pub(super) const fn size(&self, statement: Statement) -> u32 {
        self.sizes[statement.index()] as u32
    }

    /// Adds the nested chains that a statement rests on to a list, each only once.
    pub(super) fn add_nested(&self, statement: Statement, list: &mut Vec<NestedChain>) {
        let Some(nested) = &self.nested else { return };
        let set = nested.set_of[statement.index()];
        add_chains(&nested.sets[usize::from(set)], &nested.chains, list);
    }

    /// The cells in which a digit is on or off.
    #[inline]
    pub(super) const fn cells(&self, digit: usize, on: bool) -> CellSet {
        self.cells[on as usize][digit]
    }

    /// Whether the statement is a consequence.
    #[inline]
    const fn has(&self, Statement { candidate, on }: Statement) -> bool {
        self.cells(candidate.digit(), on).contains(candidate.cell())
    }

    /// Removes all consequences but keeps the memory.
    fn clear(&mut self) {
        (self.cells, self.conflict) = ([[CellSet::EMPTY; 9]; 2], None);
    }
}

/// Adds the chains of a set to a list, each only once.
fn add_chains(set: &ChainSet, chains: &[NestedChain], list: &mut Vec<NestedChain>) {
    for (index, chain) in chains.iter().enumerate() {
        if set.has(index) && !list.contains(chain) {
            list.push(*chain);
        }
    }
}

/// A candidate that would be both on and off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    /// The statement that was found last. The opposite statement is one of the consequences.
    pub(super) last: Statement,
    /// Why the last statement holds.
    pub(super) cause: Cause,
    /// The number of statements that the two rest on, added up, plus the complexity of their nested chains.
    pub(super) complexity: u32,
}

/// Why a statement holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cause {
    /// It is the assumption itself.
    Assumed,
    /// All other candidates of its cell, or of its digit in a house, are off.
    By(Via),
    /// This candidate is on and excludes it.
    On(Candidate),
    /// An elimination removes it. The number is its index.
    Elimination(u16),
}

/// Calls `each` with the other candidates of a cell, or of a digit in a house. If all of them are off, the
/// candidate is on.
#[inline]
fn for_each_other(before: &State, candidate: Candidate, via: Via, mut each: impl FnMut(Candidate)) {
    let (cell, digit) = (candidate.cell(), candidate.digit());
    match via {
        Via::Cell => {
            for other in digits(before.candidates(cell) & !(1 << digit)) {
                each(Candidate::new(cell, other));
            }
        }
        Via::House(kind) => {
            let kind = usize::from(kind);
            let house = houses_of(cell)[kind];
            for place in digits(before.places(digit, house) & !(1 << places_of(cell)[kind])) {
                each(Candidate::new(usize::from(HOUSE_CELLS[house][place]), digit));
            }
        }
    }
}

/// More than the statements that can follow from one assumption: 729 candidates that are off, one that is on
/// for each of the 81 cells, and some spare.
const MAX_ENTRIES: usize = 1024;
/// More than the sets of ancestors: one for each statement that is on, and one for each elimination.
const MAX_SETS: usize = CANDIDATES + 128;
/// A set of statements, by their index in the order in which they were found.
pub(super) type EntrySet = BitSet<{ MAX_ENTRIES / 64 }>;
/// The index of the empty set of ancestors, which is that of the assumption.
const NO_ANCESTORS: u16 = 0;

/// Which links count, and whether candidates are removed on the way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub links: LinkKinds,
    /// Whether candidates that are off are removed from the board for all that follows.
    pub dynamic: bool,
}

/// The memory for following one assumption.
#[derive(Debug)]
pub(super) struct Propagation {
    /// The board without the candidates that have been removed.
    now: State,
    /// The statements in the order in which they were found, and why each holds.
    pub(super) entries: [Statement; MAX_ENTRIES],
    pub(super) causes: [Cause; MAX_ENTRIES],
    len: usize,
    /// For each statement, its index in `entries`.
    entry_of: [u16; STATEMENTS],
    /// The set of ancestors of each statement, by index. The set of a statement that is on also contains the
    /// statement itself, because its consequences share the set.
    set_of: [u16; STATEMENTS],
    sets: [EntrySet; MAX_SETS],
    set_count: usize,
    /// The index of the first entry that may still have to be followed: for statements that are off, and for
    /// those that are on.
    next: [usize; 2],
    /// The number of statements still to be followed whose size does not exceed `most`. When it is 0, nothing
    /// short enough can follow.
    within_most: usize,
    most: u32,
    eliminations: Eliminations,
    has_nested: bool,
    /// The nested chains, and for each set of ancestors the chains that it contains.
    chains: Vec<NestedChain>,
    chain_sets: Vec<ChainSet>,
}

impl Propagation {
    /// Creates the memory on the heap, because it is too large to move.
    pub(super) fn boxed() -> Box<Propagation> {
        Box::new(Propagation {
            now: State::BLANK,
            entries: [Candidate::new(0, 0).is(false); MAX_ENTRIES],
            causes: [Cause::Assumed; MAX_ENTRIES],
            len: 0,
            entry_of: [0; STATEMENTS],
            set_of: [0; STATEMENTS],
            sets: [BitSet::EMPTY; MAX_SETS],
            set_count: 0,
            next: [0; 2],
            within_most: 0,
            most: 0,
            eliminations: Eliminations::default(),
            has_nested: false,
            chains: Vec::new(),
            chain_sets: Vec::new(),
        })
    }

    /// Finds the consequences of an assumption. Statements that rest on more than `most` statements may be
    /// missing.
    pub(super) fn follow<I: FurtherEliminations>(
        &mut self,
        before: &State,
        assumption: Statement,
        rules: Rules,
        most: u32,
        more: &mut I,
        found: &mut Consequences,
    ) {
        self.has_nested = I::NESTED;
        self.start(before, assumption, most, found);
        self.follow_all(before, rules, more, found);
        if I::NESTED {
            self.keep_nested(found);
        }
    }

    fn follow_all<I: FurtherEliminations>(
        &mut self,
        before: &State,
        rules: Rules,
        more: &mut I,
        found: &mut Consequences,
    ) {
        let most = self.most;
        while self.within_most > 0 || I::HAS_ANY {
            if let Some(candidate) = self.next_pending::<true>() {
                self.within_most -= usize::from(found.size(candidate.is(true)) <= most);
                self.follow_on(candidate, rules, found);
            } else if let Some(candidate) = self.next_pending::<false>() {
                self.within_most -= usize::from(found.size(candidate.is(false)) <= most);
                self.follow_off(before, candidate, rules, found);
            } else if !I::HAS_ANY || !self.follow_eliminations(before, more, found) {
                return;
            }
            if found.conflict.is_some() {
                return;
            }
        }
    }

    /// The next candidate, on or off, that has not been followed yet.
    fn next_pending<const ON: bool>(&mut self) -> Option<Candidate> {
        let next = &mut self.next[usize::from(ON)];
        while *next < self.len {
            let Statement { candidate, on } = self.entries[*next];
            *next += 1;
            if on == ON {
                return Some(candidate);
            }
        }
        None
    }

    fn start(&mut self, before: &State, assumption: Statement, most: u32, found: &mut Consequences) {
        found.clear();
        self.now.clone_from(before);
        (self.len, self.set_count, self.within_most, self.most) = (0, 1, 0, most);
        self.sets[usize::from(NO_ANCESTORS)] = BitSet::EMPTY;
        self.next = [0; 2];
        self.eliminations.clear();
        self.chains.clear();
        self.chain_sets.clear();
        self.chain_sets.push(BitSet::EMPTY);
        let set = if assumption.on { self.new_set() } else { NO_ANCESTORS };
        self.add(assumption, Cause::Assumed, set, 1, found);
    }

    /// Adds the candidates that are off because this one is on. They are those of [`LinkKinds::each_weak`]
    /// without known ones.
    fn follow_on(&mut self, candidate: Candidate, rules: Rules, found: &mut Consequences) {
        let (cell, digit) = (candidate.cell(), candidate.digit());
        let on = candidate.is(true).index();
        let (set, size, cause) = (self.set_of[on], found.sizes[on] + 1, Cause::On(candidate));
        if rules.links.in_cells() {
            for other in digits(self.now.candidates(cell) & !(1 << digit)) {
                if !self.imply::<false>(Candidate::new(cell, other), cause, found, |_| (set, size)) {
                    return;
                }
            }
        }
        let seen = (self.now.cells_of(digit) & PEERS[cell]) - found.cells(digit, false);
        if seen.is_empty() {
            return;
        }
        for (_, part) in by_house(cell, seen) {
            for other in part {
                if !self.imply::<false>(Candidate::new(other, digit), cause, found, |_| (set, size)) {
                    return;
                }
            }
        }
    }

    /// Adds the candidates that are on because this one is off. They are those of [`LinkKinds::each_strong`].
    /// With dynamic rules, the candidate is then removed from the board.
    fn follow_off(&mut self, before: &State, candidate: Candidate, rules: Rules, found: &mut Consequences) {
        let (cell, digit) = (candidate.cell(), candidate.digit());
        if rules.links.in_cells() {
            let rest = self.now.candidates(cell) & !(1 << digit);
            if rest.is_power_of_two() {
                let last = Candidate::new(cell, rest.trailing_zeros() as usize);
                if !self.imply_on(before, last, Via::Cell, found) {
                    return;
                }
            }
        }
        let (houses, places) = (houses_of(cell), places_of(cell));
        for kind in HOUSE_KINDS {
            let rest = self.now.places(digit, houses[kind]) & !(1 << places[kind]);
            if rest.is_power_of_two() {
                let last = Candidate::new(first_at(houses[kind], rest), digit);
                if !self.imply_on(before, last, Via::House(kind as u8), found) {
                    return;
                }
            }
        }
        if rules.dynamic {
            self.now.remove(cell, digit);
        }
    }

    /// Adds statements for the next eliminations of the board. Returns whether there were any.
    fn follow_eliminations(
        &mut self,
        before: &State,
        more: &mut impl FurtherEliminations,
        found: &mut Consequences,
    ) -> bool {
        let first = self.eliminations.len();
        more.find(BoardChange { before, now: &self.now }, self.most, &mut self.eliminations);
        for index in first..self.eliminations.len() {
            let Elimination { causes, effects, end, chain } = self.eliminations.list[index];
            if self.eliminations.candidates[effects..end].iter().all(|effect| found.has(effect.is(false))) {
                continue;
            }
            let set = self.new_set();
            for at in causes..effects {
                self.inherit(set, self.eliminations.candidates[at]);
            }
            if let Some(chain) = chain {
                self.chain_sets[usize::from(set)].insert(self.chains.len());
                self.chains.push(chain);
            }
            let size = self.size_of(set) + 1;
            for at in effects..end {
                let candidate = self.eliminations.candidates[at];
                if !found.has(candidate.is(false)) {
                    self.add(candidate.is(false), Cause::Elimination(index as u16), set, size, found);
                }
            }
        }
        self.eliminations.len() > first
    }

    /// Adds a candidate, on or off, unless it is known. `rest` computes its set of ancestors and its size,
    /// and is only called for a new statement. Returns false if there is a conflict.
    #[inline]
    fn imply<const ON: bool>(
        &mut self,
        candidate: Candidate,
        cause: Cause,
        found: &mut Consequences,
        rest: impl FnOnce(&mut Self) -> (u16, u16),
    ) -> bool {
        let statement = candidate.is(ON);
        let conflicts = found.has(statement.opposite());
        if !conflicts && found.has(statement) {
            return true;
        }
        let (set, size) = rest(self);
        if conflicts {
            self.record_conflict(statement, cause, set, size, found);
        } else {
            self.add(statement, cause, set, size, found);
        }
        !conflicts
    }

    /// Adds a candidate that is on because all others of its cell or house are off. Returns false if there is
    /// a conflict.
    #[inline]
    fn imply_on(&mut self, before: &State, candidate: Candidate, via: Via, found: &mut Consequences) -> bool {
        self.imply::<true>(candidate, Cause::By(via), found, |all| {
            let set = all.new_set();
            for_each_other(before, candidate, via, |parent| all.inherit(set, parent));
            (set, all.size_of(set) + 1)
        })
    }

    /// Records a conflict between a statement and its opposite, which is one of the consequences.
    fn record_conflict(&self, last: Statement, cause: Cause, set: u16, size: u16, found: &mut Consequences) {
        let contrary = last.opposite();
        let nested = self.nested_complexity([set, self.set_of[contrary.index()]]);
        let complexity = u32::from(size) + found.size(contrary) + nested;
        found.conflict = Some(Conflict { last, cause, complexity });
    }

    /// Adds a statement. It is always inlined, so that `on` is a constant where it is known: with a branch,
    /// dynamic chains took 7 % more instructions.
    #[inline(always)]
    fn add(&mut self, statement: Statement, cause: Cause, set: u16, size: u16, found: &mut Consequences) {
        let Statement { candidate, on } = statement;
        found.cells[usize::from(on)][candidate.digit()].insert(candidate.cell());
        found.sizes[statement.index()] = size;
        self.set_of[statement.index()] = set;
        self.entry_of[statement.index()] = self.len as u16;
        (self.entries[self.len], self.causes[self.len]) = (statement, cause);
        if on {
            self.sets[usize::from(set)].insert(self.len);
        }
        self.len += 1;
        self.within_most += usize::from(u32::from(size) <= self.most);
    }

    fn new_set(&mut self) -> u16 {
        self.sets[self.set_count] = BitSet::EMPTY;
        self.set_count += 1;
        if self.has_nested {
            self.chain_sets.push(BitSet::EMPTY);
        }
        self.set_count as u16 - 1
    }

    /// The complexity of the nested chains of two sets of ancestors. A chain that is in both counts once.
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
            Box::new(NestedChains { sets: Vec::new(), chains: Vec::new(), set_of: [0; STATEMENTS] })
        });
        nested.sets.clone_from(&self.chain_sets);
        nested.chains.clone_from(&self.chains);
        nested.set_of = self.set_of;
    }

    /// Adds an "off" and its ancestors to a set.
    #[inline]
    fn inherit(&mut self, set: u16, parent: Candidate) {
        let (from, to) = (usize::from(self.set_of[parent.is(false).index()]), usize::from(set));
        // Only the newest set takes ancestors, so the older ones can be borrowed at the same time.
        let (older, newest) = self.sets.split_at_mut(to);
        newest[0].unite_up_to(self.len, &older[from]);
        newest[0].insert(usize::from(self.entry_of[parent.is(false).index()]));
        if !self.chains.is_empty() {
            let (older, newest) = self.chain_sets.split_at_mut(to);
            newest[0].unite(&older[from]);
        }
    }

    fn size_of(&self, set: u16) -> u16 {
        self.sets[usize::from(set)].len_up_to(self.len) as u16
    }

    /// The statements that a statement rests on, including itself.
    pub(super) fn ancestors(&self, statement: Statement) -> EntrySet {
        let mut entries = self.sets[usize::from(self.set_of[statement.index()])];
        entries.insert(usize::from(self.entry_of[statement.index()]));
        entries
    }

    /// The statements that the last statement of a conflict rests on, without itself.
    pub(super) fn ancestors_of_last(&self, before: &State, conflict: &Conflict) -> EntrySet {
        let mut entries = BitSet::EMPTY;
        self.for_each_parent(before, conflict.last, conflict.cause, |parent| {
            entries.unite(&self.ancestors(parent));
        });
        entries
    }

    /// The links from the assumption to a statement. Each link comes after those that it rests on.
    pub(super) fn links_to(&self, before: &State, statement: Statement) -> Vec<Link> {
        self.links_among(before, &self.ancestors(statement))
    }

    /// The links from the assumption to both statements of a conflict.
    pub(super) fn links_to_conflict(&self, before: &State, conflict: &Conflict) -> Vec<Link> {
        let mut entries = self.ancestors(conflict.last.opposite());
        entries.unite(&self.ancestors_of_last(before, conflict));
        let mut links = self.links_among(before, &entries);
        self.push_links(before, conflict.last, conflict.cause, &mut links);
        links
    }

    fn links_among(&self, before: &State, entries: &EntrySet) -> Vec<Link> {
        let mut links = Vec::new();
        for entry in entries.iter() {
            self.push_links(before, self.entries[entry], self.causes[entry], &mut links);
        }
        links
    }

    fn push_links(&self, before: &State, statement: Statement, cause: Cause, links: &mut Vec<Link>) {
        let to = statement.to_group_statement();
        self.for_each_parent(before, statement, cause, |parent| {
            links.push(Link { from: parent.to_group_statement(), to });
        });
    }

    /// Calls `each` with the statements from which a statement follows.
    fn for_each_parent(&self, before: &State, to: Statement, cause: Cause, mut each: impl FnMut(Statement)) {
        match cause {
            Cause::Assumed => {}
            Cause::By(via) => for_each_other(before, to.candidate, via, |parent| each(parent.is(false))),
            Cause::On(parent) => each(parent.is(true)),
            Cause::Elimination(index) => {
                let Elimination { causes, effects, .. } = self.eliminations.list[usize::from(index)];
                self.eliminations.candidates[causes..effects]
                    .iter()
                    .for_each(|parent| each(parent.is(false)));
            }
        }
    }
}
