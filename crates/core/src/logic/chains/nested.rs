//! Nested forcing chains: dynamic chains that use other chains for eliminations.
//!
//! If singles, locked candidates, pairs and X-wings find nothing more, the search looks for chains on the
//! board that the assumption leaves:
//!
//! * 9.5: single chains and cycles;
//! * 10.0: also chains from a cell or a house;
//! * 10.5: dynamic chains, then those that use [`SimplePatterns`], then those that use the chains of the two
//!   lines above.
//!
//! The complexity of the nested chains also counts, and the length adds to the rating as for other chains.
//! Source: SukakuExplainer.
//!
//! The nested single chains and cycles are those of [single chains](super::single), and the [net](super::net)
//! finds which candidates lead to their opposite. But of several shortest chains, exactly the one that Sudoku
//! Explainer finds must be taken, statement by statement, because it decides which candidates had to be
//! removed first. If two deductions remove the same candidates, the one with the lower rating counts, and
//! then the shorter one.

use super::dynamic::{DynamicMemory, DynamicSearch, Proof, ProofSink, finder, rated};
use super::eliminations::{
    BoardChange, Eliminations, FurtherEliminations, NestedChain, NoFurtherEliminations, SimplePatterns,
};
use super::net::{CANDIDATES, Candidate, LinkKinds, Net, NetSearch, Nets, STATEMENTS, Statement, Via};
use super::propagation::{Cause, Conflict, EntrySet, Propagation, Rules};
use super::single::{CycleSearch, removed_by_cycle};
use crate::logic::cells::{CandidateSet, houses_of};
use crate::logic::finder::Finder;
use crate::logic::state::{State, digits};
use crate::logic::technique::{Rating, Technique};

/// Finds dynamic chains with nested single chains and cycles.
pub(crate) const WITH_SINGLE: Finder = finder::<Single>();
/// Finds dynamic chains that also nest chains from cells and houses.
pub(crate) const WITH_MULTIPLE: Finder = finder::<Multiple>();
/// Finds dynamic chains with nested dynamic chains.
pub(crate) const WITH_DYNAMIC: Finder = finder::<Dynamic<NoFurtherEliminations>>();
/// Finds dynamic chains with nested dynamic chains that use [`SimplePatterns`].
pub(crate) const WITH_PLUS: Finder = finder::<Dynamic<SimplePatterns>>();
/// Finds dynamic chains with nested chains of [`WITH_SINGLE`].
pub(crate) const WITH_NESTED_SINGLE: Finder = finder::<Dynamic<Single>>();
/// Finds dynamic chains with nested chains of [`WITH_MULTIPLE`].
pub(crate) const WITH_NESTED_MULTIPLE: Finder = finder::<Dynamic<Multiple>>();

/// Single chains and cycles, if simple patterns find nothing.
type Single = (SimplePatterns, SingleChainEliminations);
/// Chains from cells and houses, if those find nothing.
type Multiple = (Single, MultipleChainEliminations<false, NoFurtherEliminations>);
/// Dynamic chains with one kind of eliminations, if simple patterns find nothing.
type Dynamic<I> = (SimplePatterns, MultipleChainEliminations<true, I>);

/// Two kinds of further eliminations: the second one is used if the first one finds nothing.
impl<I: FurtherEliminations, C: FurtherEliminations> FurtherEliminations for (I, C) {
    const TECHNIQUE: Technique = C::TECHNIQUE;
    const LEAST: Rating = C::LEAST;

    fn find(&mut self, change: BoardChange, most: u32, eliminations: &mut Eliminations) {
        let count = eliminations.len();
        self.0.find(change, most, eliminations);
        if eliminations.len() == count {
            // A nested chain adds at least two statements.
            self.1.find(change, most.saturating_sub(2), eliminations);
        }
    }
}

/// Chains from several assumptions, dynamic or static, with the eliminations that they can use.
#[derive(Default)]
struct MultipleChainEliminations<const DYNAMIC: bool, I> {
    further: I,
    memory: DynamicMemory,
}

impl<const DYNAMIC: bool, I: FurtherEliminations> FurtherEliminations
    for MultipleChainEliminations<DYNAMIC, I>
{
    const TECHNIQUE: Technique = Technique::NestedChains;
    const LEAST: Rating = Self::TECHNIQUE.least().plus(if DYNAMIC { 10 } else { 5 });

    fn find(&mut self, change: BoardChange, most: u32, eliminations: &mut Eliminations) {
        let (now, rules) = (change.now, Rules { links: LinkKinds::Xy, dynamic: DYNAMIC });
        let MultipleChainEliminations { further, memory } = self;
        let mut best =
            SimplestProofs { board: now, most, proofs: Vec::new(), by_target: [NO_PROOF; STATEMENTS] };
        DynamicSearch { board: now, rules, max_complexity: most, further, proofs: &mut best }.run(memory);
        best.proofs.sort_by_key(Proof::rank);
        for proof in &best.proofs {
            let mut premises = Premises::NONE;
            for &assumption in proof.assumed.all() {
                let found = &mut memory.without_slot;
                memory.propagation.follow(now, assumption, rules, most, further, found);
                trace(proof, memory, change, &mut premises);
            }
            let chain = NestedChain { hash: premises.hash, complexity: proof.complexity };
            eliminations.add(Some(chain), premises.candidates(), removed(now, proof.target));
        }
    }
}

/// Adds the premises of the chain from one of the assumptions of a proof.
fn trace(proof: &Proof, memory: &DynamicMemory, change: BoardChange, premises: &mut Premises) {
    let (propagation, conflict) = (&memory.propagation, &memory.without_slot.conflict);
    match conflict {
        _ if !proof.is_by_contradiction() => propagation.trace(change, proof.target, proof.via, premises),
        Some(conflict) => propagation.trace_conflict(change, conflict, premises),
        None => debug_assert!(false, "{proof:?}"),
    }
}

/// The candidates that a proved statement removes.
fn removed(board: &State, Statement { candidate, on }: Statement) -> impl Iterator<Item = Candidate> {
    let others = board.candidates(candidate.cell()) & !(1 << candidate.digit());
    let removed = if on { others } else { 1 << candidate.digit() };
    digits(removed).map(move |digit| Candidate::new(candidate.cell(), digit))
}

const NO_PROOF: u16 = u16::MAX;

/// A sink that keeps the simplest proof of each removal, and the first of equally simple ones.
struct SimplestProofs<'a> {
    board: &'a State,
    most: u32,
    proofs: Vec<Proof>,
    /// For each target, the index of its proof.
    by_target: [u16; STATEMENTS],
}

impl ProofSink for SimplestProofs<'_> {
    fn max_complexity(&self) -> u32 {
        self.most
    }

    fn found(&mut self, proof: &Proof) {
        let slot = &mut self.by_target[key(self.board, proof.target)];
        if *slot == NO_PROOF {
            *slot = self.proofs.len() as u16;
            self.proofs.push(*proof);
            return;
        }
        let best = &mut self.proofs[usize::from(*slot)];
        if proof.rank() < best.rank() {
            *best = *proof;
        }
    }
}

/// A number for what a statement removes. In a cell with two candidates, "on" for one and "off" for the other
/// get the same number, because they remove the same.
fn key(board: &State, statement: Statement) -> usize {
    let mut removed = removed(board, statement);
    match (removed.next(), removed.next()) {
        (Some(only), None) => only.index(),
        _ => CANDIDATES + statement.candidate.index(),
    }
}

/// The removed candidates on which a deduction rests.
#[derive(Clone, Copy, Debug)]
struct Premises {
    /// The candidates.
    removed: CandidateSet,
    /// A hash of the statements, which is equal for equal sets of statements.
    hash: u64,
}

impl Premises {
    /// No premises.
    const NONE: Premises = Premises { removed: CandidateSet::EMPTY, hash: 0 };

    /// Iterates over the candidates.
    fn candidates(&self) -> impl Iterator<Item = Candidate> + '_ {
        self.removed.iter().map(|(cell, digit)| Candidate::new(cell, digit))
    }

    /// Adds a statement to the hash. The sum does not depend on the order of the statements.
    fn add(&mut self, Statement { candidate, on }: Statement) {
        let word = ((candidate.index() as u64) << 1 | u64::from(on)) + 1;
        self.hash = self
            .hash
            .wrapping_add((word.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ word << 40).wrapping_mul(word | 1));
    }

    /// Mixes the hash before the next target, so that the statements of different targets are not confused.
    fn next_target(&mut self) {
        self.hash = self.hash.rotate_left(21).wrapping_mul(0xff51_afd7_ed55_8ccd);
    }

    /// Adds the removed candidates of a cell, or of a digit in a house.
    fn add_removed(&mut self, change: BoardChange, candidate: Candidate, via: Via) {
        let (cell, digit) = (candidate.cell(), candidate.digit());
        match via {
            Via::Cell => {
                for other in digits(change.before.candidates(cell) & !change.now.candidates(cell)) {
                    self.removed.insert(cell, other);
                }
            }
            Via::House(kind) => {
                self.removed.insert_all(digit, change.removed(digit, houses_of(cell)[usize::from(kind)]));
            }
        }
    }
}

impl Propagation {
    /// Adds the removed candidates on which a statement rests. If the assumption is one of several cases, it
    /// also rests on the removed candidates of the cell or house of the cases.
    fn trace(&self, change: BoardChange, statement: Statement, case: Option<Via>, premises: &mut Premises) {
        premises.next_target();
        self.trace_entries(change, &self.ancestors(statement), case, premises);
    }

    /// Adds the removed candidates on which a conflict rests.
    fn trace_conflict(&self, change: BoardChange, conflict: &Conflict, premises: &mut Premises) {
        self.trace(change, conflict.last.opposite(), None, premises);
        premises.next_target();
        premises.add(conflict.last);
        if let Cause::By(via) = conflict.cause {
            premises.add_removed(change, conflict.last.candidate, via);
        }
        self.trace_entries(change, &self.ancestors_of_last(change.now, conflict), None, premises);
    }

    fn trace_entries(
        &self,
        change: BoardChange,
        entries: &EntrySet,
        case: Option<Via>,
        premises: &mut Premises,
    ) {
        for entry in entries.iter() {
            let statement = self.entries[entry];
            premises.add(statement);
            let via = match self.causes[entry] {
                Cause::By(via) => Some(via),
                Cause::Assumed if statement.on => case,
                _ => None,
            };
            if let Some(via) = via {
                premises.add_removed(change, statement.candidate, via);
            }
        }
    }
}

/// A chain or a cycle that removes something.
#[derive(Clone, Copy, Debug)]
struct FoundChain {
    technique: Technique,
    complexity: u32,
    start: Candidate,
    removed: CandidateSet,
    premises: Premises,
}

/// A statement of a path, with the one before it and the reason why it follows.
#[derive(Clone, Copy, Debug)]
struct ChainStep {
    statement: Statement,
    /// The index of the previous step. For the first step, its own.
    from: u16,
    via: Via,
    /// The number of statements from the start, including both.
    complexity: u16,
}

/// The search for nested single chains and cycles, and its memory.
#[derive(Debug, Default)]
struct SingleChainEliminations {
    nets: Nets,
    /// The steps so far. An "on" is there only once. In a search for cycles, its "off" comes right before it, so an
    /// "off" may be there several times. `on` has the "ons" as a set, and `off` has the "offs" of a search for a chain.
    steps: Vec<ChainStep>,
    on: CandidateSet,
    off: CandidateSet,
    chains: Vec<FoundChain>,
}

impl FurtherEliminations for SingleChainEliminations {
    const TECHNIQUE: Technique = Technique::NestedChains;

    fn find(&mut self, change: BoardChange, most: u32, eliminations: &mut Eliminations) {
        self.chains.clear();
        LinkKinds::all().for_each(|links| self.find_with(change, links, most));
        self.chains.sort_by_key(|found| {
            let rating = rated(found.technique.least(), found.complexity);
            let is_y = found.technique == Technique::YCycle;
            (rating, found.complexity, is_y, found.start.cell(), found.start.digit())
        });
        for (index, found) in self.chains.iter().enumerate() {
            if self.chains[..index].iter().all(|better| better.removed != found.removed) {
                let chain = NestedChain { hash: found.premises.hash, complexity: found.complexity };
                let removed = found.removed.iter().map(|(cell, digit)| Candidate::new(cell, digit));
                eliminations.add(Some(chain), found.premises.candidates(), removed);
            }
        }
    }
}

impl SingleChainEliminations {
    /// Finds the chains and cycles with one kind of links.
    fn find_with(&mut self, change: BoardChange, links: LinkKinds, most: u32) {
        let now = change.now;
        let (cycle, chain) = links.techniques();
        let mut refuted = RefutedCandidates {
            level: (most as usize).saturating_sub(2) / 2,
            ..RefutedCandidates::default()
        };
        if chain.is_some() {
            self.nets.with_net(now, links, &mut refuted);
        }
        for digit in links.digits() {
            for cell in now.cells_of(digit) {
                if now.candidates(cell).is_power_of_two() {
                    continue;
                }
                let start = Candidate::new(cell, digit);
                self.find_cycles(change, (links, most), cycle, start);
                let Some(chain) = chain else { continue };
                if refuted.on.contains(cell, digit) {
                    self.find_chain(change, (links, most), chain, start.is(true));
                }
                if refuted.off.contains(cell, digit) {
                    self.find_chain(change, (links, most), chain, start.is(false));
                }
            }
        }
    }

    fn start(&mut self, statement: Statement) {
        self.steps.clear();
        (self.on, self.off) = (CandidateSet::EMPTY, CandidateSet::EMPTY);
        self.steps.push(ChainStep { statement, from: 0, via: Via::Cell, complexity: 1 });
        self.reach(statement);
    }

    /// Marks a statement as reached. Returns whether it was new.
    fn reach(&mut self, Statement { candidate, on }: Statement) -> bool {
        let known = if on { &mut self.on } else { &mut self.off };
        let is_new = !known.contains(candidate.cell(), candidate.digit());
        known.insert(candidate.cell(), candidate.digit());
        is_new
    }

    fn push(&mut self, statement: Statement, from: usize, via: Via) {
        let complexity = self.steps[from].complexity + 1;
        self.steps.push(ChainStep { statement, from: from as u16, via, complexity });
    }

    /// Finds the shortest chain from a statement to its opposite.
    fn find_chain(
        &mut self,
        change: BoardChange,
        (links, most): (LinkKinds, u32),
        technique: Technique,
        start: Statement,
    ) {
        let now = change.now;
        self.start(start);
        let mut at = 0;
        while at < self.steps.len() && u32::from(self.steps[at].complexity) < most {
            let Statement { candidate, on } = self.steps[at].statement;
            let known = self.steps.len();
            let follow = |next: Candidate, via| {
                let next = next.is(!on);
                if self.reach(next) {
                    self.push(next, at, via);
                }
            };
            if on {
                links.each_weak(now, candidate, follow);
            } else {
                links.each_strong(now, candidate, follow);
            }
            let is_opposite = |&end: &usize| self.steps[end].statement == start.opposite();
            if let Some(end) = (known..self.steps.len()).find(is_opposite) {
                return self.keep_chain(change, technique, end);
            }
            at += 1;
        }
    }

    fn keep_chain(&mut self, change: BoardChange, technique: Technique, end: usize) {
        let ChainStep { statement, complexity, .. } = self.steps[end];
        let removed =
            removed(change.now, statement).map(|removed| (removed.cell(), removed.digit())).collect();
        let mut premises = Premises::NONE;
        for step in self.path(end) {
            premises.add(step.statement);
            if step.statement.on && step.complexity > 1 {
                premises.add_removed(change, step.statement.candidate, step.via);
            }
        }
        let start = statement.candidate;
        self.chains.push(FoundChain {
            technique,
            complexity: u32::from(complexity),
            start,
            removed,
            premises,
        });
    }

    /// The steps from an index back to the start.
    fn path(&self, end: usize) -> impl Iterator<Item = ChainStep> + Clone + '_ {
        std::iter::successors(Some(end), |&at| (at != 0).then(|| usize::from(self.steps[at].from)))
            .map(|at| self.steps[at])
    }

    /// Whether a candidate is not off anywhere on the path to an index.
    fn is_free(&self, off: Candidate, end: usize) -> bool {
        self.path(end).all(|step| step.statement != off.is(false))
    }

    /// Finds the cycles through a candidate that is on, if they remove something.
    fn find_cycles(
        &mut self,
        change: BoardChange,
        (links, most): (LinkKinds, u32),
        technique: Technique,
        start: Candidate,
    ) {
        let now = change.now;
        if links == LinkKinds::Y && now.candidates(start.cell()).count_ones() > 2 {
            return;
        }
        let mut ends = [(start, Via::Cell); 4];
        let mut count = 0;
        links.each_strong(now, start, |end, via| {
            ends[count] = (end, via);
            count += 1;
        });
        let ends = &ends[..count];
        self.start(start.is(true));
        let mut at = 0;
        while !ends.is_empty() && at < self.steps.len() && u32::from(self.steps[at].complexity) < most {
            let ChainStep { statement: Statement { candidate, .. }, complexity, .. } = self.steps[at];
            links.each_weak(now, candidate, |off, via| {
                if let Some(&(_, back)) = ends.iter().find(|(end, _)| *end == off)
                    && complexity > 2
                    && self.is_free(off, at)
                {
                    self.keep_cycle(change, technique, at, (off, via), back);
                }
                links.each_strong(now, off, |next, strong| {
                    if !self.on.contains(next.cell(), next.digit()) && self.is_free(off, at) {
                        self.on.insert(next.cell(), next.digit());
                        self.push(off.is(false), at, via);
                        self.push(next.is(true), self.steps.len() - 1, strong);
                    }
                });
            });
            // Each "on" comes right after its "off", so every other step is an "on".
            at += 2;
        }
    }

    /// Keeps a cycle that leads from a step to an "off", and from there back to the start.
    fn keep_cycle(
        &mut self,
        change: BoardChange,
        technique: Technique,
        end: usize,
        (off, via): (Candidate, Via),
        back: Via,
    ) {
        let complexity = self.steps[end].complexity + 1;
        let last = ChainStep { statement: off.is(false), from: end as u16, via, complexity };
        let cycle = self.path(end).chain([last]);
        let removed = removed_by_cycle(change.now, cycle.clone().map(|step| step.statement));
        if removed.is_empty() {
            return;
        }
        let mut premises = Premises::NONE;
        for step in cycle {
            premises.add(step.statement);
            // The links of a cycle hold in both directions.
            let via = if step.complexity == 1 { back } else { step.via };
            premises.add_removed(change, step.statement.candidate, via);
        }
        let start = self.steps[0].statement.candidate;
        self.chains.push(FoundChain {
            technique,
            complexity: u32::from(complexity),
            start,
            removed,
            premises,
        });
    }
}

/// The candidates that lead to their opposite, on or off, up to a level of the net.
#[derive(Debug, Default)]
struct RefutedCandidates {
    level: usize,
    on: CandidateSet,
    off: CandidateSet,
}

impl NetSearch for &mut RefutedCandidates {
    fn run<const W: usize>(self, net: &mut Net<W>, _: &mut CycleSearch<W>) {
        net.extend_to(self.level);
        for (node, start) in net.nodes.iter().enumerate() {
            if net.refutes_on(self.level, node) {
                self.on.insert(start.cell(), start.digit());
            }
            if net.refutes_off(self.level, node) {
                self.off.insert(start.cell(), start.digit());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(row: usize, column: usize) -> usize {
        row * 9 + column - 10
    }

    /// The eliminations after 5 is removed from r1c5. It has two other places in row 1 and two in row 9. Each
    /// result has the causes, the removed candidates and the complexity.
    fn eliminations(row_9: [usize; 2], most: u32) -> Vec<(Vec<Candidate>, Vec<Candidate>, Option<u32>)> {
        let mut before = State::BLANK;
        for column in (1..=9).filter(|column| ![1, 5, 9].contains(column)) {
            before.remove(at(1, column), 4);
        }
        for column in (1..=9).filter(|column| !row_9.contains(column)) {
            before.remove(at(9, column), 4);
        }
        let mut now = before.clone();
        now.remove(at(1, 5), 4);
        let mut eliminations = Eliminations::default();
        SingleChainEliminations::default().find(
            BoardChange { before: &before, now: &now },
            most,
            &mut eliminations,
        );
        eliminations
            .causes_and_effects()
            .zip(eliminations.complexities())
            .map(|((causes, effects), chain)| (causes, effects, chain))
            .collect()
    }

    fn fives(cells: &[usize]) -> Vec<Candidate> {
        cells.iter().map(|&cell| Candidate::new(cell, 4)).collect()
    }

    #[test]
    fn an_x_chain_rests_on_candidates_removed_from_the_row_of_a_strong_link() {
        let cells = [at(2, 8), at(3, 8), at(7, 9), at(8, 9)];
        let expected = cells.map(|cell| (fives(&[at(1, 5)]), fives(&[cell]), Some(6)));
        assert_eq!(eliminations([1, 8], 100), expected);
        assert_eq!(eliminations([1, 8], 6), expected);
        assert_eq!(eliminations([1, 8], 5), []);
    }

    #[test]
    fn a_cycle_removes_its_digit_from_all_houses_of_its_weak_links() {
        let found = eliminations([1, 9], 100);
        let columns = (2..=8).flat_map(|row| [at(row, 1), at(row, 9)]).collect::<Vec<_>>();
        assert_eq!(found[0], (fives(&[at(1, 5)]), fives(&columns), Some(4)));
    }

    #[test]
    fn chains_that_were_there_before_are_left_out() {
        // Rows 1 and 9 have two places each, and had no more before.
        let mut board = State::BLANK;
        for column in 2..=8 {
            board.remove(at(1, column), 4);
            board.remove(at(9, column), 4);
        }
        let mut eliminations = Eliminations::default();
        SingleChainEliminations::default().find(
            BoardChange { before: &board, now: &board },
            100,
            &mut eliminations,
        );
        assert_eq!(eliminations.len(), 0);
    }
}
