//! Nested forcing chains: dynamic chains with other chains as implications.
//!
//! Where singles lead no further, and nor do locked candidates, pairs and X-wings, chains are looked for on the board that
//! the assumption leaves:
//!
//! * 9.5: single chains and cycles;
//! * 10.0: chains from a cell or a house besides;
//! * 10.5: dynamic chains, then those with the implications of [`Pairs`], then those of the two above.
//!
//! Their complexity counts too. Ratings: as above plus what the length adds. Source: SukakuExplainer, of which the last
//! three are called experimental.

use super::dynamic::{ANY_LENGTH, Claim, Claims, DynamicMemory, Kind, Search, Statement, find};
use super::implications::{Implications, NestedChain, Offs, Pairs, Singles};
use super::links::{CANDIDATES, Candidate, Via};
use super::nested_single::SingleImplications;
use super::propagation::{Cause, Conflict, Consequences, Entries, Propagation, Rules};
use crate::logic::cell_set::CandidateSet;
use crate::logic::deduction::Sink;
use crate::logic::finder::Finder;
use crate::logic::houses::{HOUSE_CELLS, houses_of};
use crate::logic::rating::Rating;
use crate::logic::scratch::Scratch;
use crate::logic::state::{State, digits};
use crate::logic::technique::Technique;

/// Which chains are nested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NestedChains {
    /// Single chains and cycles.
    Single,
    /// Those, and chains from cells and houses.
    Multiple,
    /// Dynamic chains.
    Dynamic,
    /// Dynamic chains plus.
    Plus,
    /// Nested chains with single chains in them.
    NestedSingle,
    /// Nested chains with chains from cells and houses in them.
    NestedMultiple,
}

impl Finder for NestedChains {
    fn depends_on_order(&self) -> bool {
        true
    }

    fn least(&self) -> Rating {
        Rating::tenths(match self {
            NestedChains::Single => 95,
            NestedChains::Multiple => 100,
            _ => 105,
        })
    }

    fn find(&self, state: &State, scratch: &mut Scratch, sink: &mut dyn Sink) {
        let (technique, attempts) = ((Technique::NestedChains, self.least()), &ATTEMPTS);
        match self {
            NestedChains::Single => find(state, technique, attempts, single, scratch, sink),
            NestedChains::Multiple => find(state, technique, attempts, multiple, scratch, sink),
            NestedChains::Dynamic => find(state, technique, attempts, || dynamic(Singles), scratch, sink),
            NestedChains::Plus => {
                find(state, technique, attempts, || dynamic(Pairs::default()), scratch, sink);
            }
            NestedChains::NestedSingle => {
                find(state, technique, attempts, || dynamic(single()), scratch, sink);
            }
            NestedChains::NestedMultiple => {
                find(state, technique, attempts, || dynamic(multiple()), scratch, sink);
            }
        }
    }
}

/// How many tenths the length may add: short chains are looked for first, because long ones take by far the most time.
const ATTEMPTS: [u16; 6] = [4, 6, 8, 10, 12, ANY_LENGTH];

/// Chains within chains: where pairs lead no further single ones, and then those from several assumptions.
struct ChainImplications<I> {
    pairs: Pairs,
    single: Option<SingleImplications>,
    /// Which implications count in chains from several assumptions, and the memory for them.
    several: Option<(Rules, I, DynamicMemory)>,
}

/// Returns single chains and cycles.
fn single() -> ChainImplications<Singles> {
    ChainImplications { pairs: Pairs::default(), single: Some(SingleImplications::default()), several: None }
}

/// Returns those, and chains from cells and houses.
fn multiple() -> ChainImplications<Singles> {
    ChainImplications { several: Some((Rules::STATIC, Singles, DynamicMemory::new())), ..single() }
}

/// Returns dynamic chains.
fn dynamic<I>(inner: I) -> ChainImplications<I> {
    let several = Some((Rules::DYNAMIC, inner, DynamicMemory::new()));
    ChainImplications { pairs: Pairs::default(), single: None, several }
}

impl<I: Implications> Implications for ChainImplications<I> {
    const SOME: bool = true;
    const NESTED: bool = true;

    fn further(&mut self, before: &State, now: &State, most: u32, offs: &mut Offs) {
        let count = offs.len();
        self.pairs.further(before, now, most, offs);
        if let Some(single) = &mut self.single
            && offs.len() == count
        {
            single.further(before, now, inner(most), offs);
        }
        if let Some((rules, implications, memory)) = &mut self.several
            && offs.len() == count
        {
            nest((before, now), *rules, inner(most), implications, memory, offs);
        }
    }
}

/// Returns the greatest complexity that is of use for a chain within chains: these have two statements at least.
const fn inner(most: u32) -> u32 {
    most.saturating_sub(2)
}

/// Adds what goes by chains on the board of now.
fn nest<I: Implications>(
    (before, now): (&State, &State),
    rules: Rules,
    most: u32,
    implications: &mut I,
    memory: &mut DynamicMemory,
    offs: &mut Offs,
) {
    let mut best = Best { board: now, most, claims: Vec::new(), of: [NONE; 2 * CANDIDATES] };
    Search { board: now, rules, implications, claims: &mut best }.run(memory);
    best.claims.sort_by_key(|claim| (claim.complexity, claim.kind.rank()));
    for claim in &best.claims {
        let mut origin = Origin::NONE;
        for &assumption in claim.assumed.all() {
            let found = &mut memory.opposite;
            memory.propagation.pursue(now, assumption, rules, most, implications, found);
            trace(claim, assumption, memory, (before, now), &mut origin);
        }
        let chain = NestedChain { hash: origin.hash, complexity: claim.complexity };
        offs.add_by(Some(chain), origin.candidates(), removed(now, claim.target));
    }
}

/// Adds on what the chain from one of its assumptions rests.
fn trace(
    claim: &Claim,
    (start, _): Statement,
    memory: &DynamicMemory,
    boards: (&State, &State),
    origin: &mut Origin,
) {
    let found: &Consequences = &memory.opposite;
    let case = match claim.kind {
        Kind::Cell => Some(Via::Cell),
        Kind::House(kind) => Some(Via::House(kind)),
        Kind::Pair | Kind::Conflict => None,
    };
    debug_assert!(claim.kind != Kind::Conflict || found.conflict.is_some(), "{start:?}");
    match (claim.kind, &found.conflict) {
        (Kind::Conflict, Some(conflict)) => memory.propagation.trace_conflict(boards, conflict, origin),
        (Kind::Conflict, None) => {}
        _ => memory.propagation.trace(boards, claim.target, case, origin),
    }
}

/// Returns the candidates that a proved statement removes.
fn removed(board: &State, (candidate, stands): Statement) -> impl Iterator<Item = Candidate> {
    let others = board.candidates(candidate.cell()) & !(1 << candidate.digit());
    let gone = if stands { others } else { 1 << candidate.digit() };
    digits(gone).map(move |digit| Candidate::new(candidate.cell(), digit))
}

const NONE: u16 = u16::MAX;

/// Keeps, for each removal, the first of the simplest claims.
struct Best<'a> {
    board: &'a State,
    most: u32,
    claims: Vec<Claim>,
    /// By target, the place of its claim.
    of: [u16; 2 * CANDIDATES],
}

impl Claims for Best<'_> {
    fn most(&self) -> u32 {
        self.most
    }

    fn pursued(&self) -> u32 {
        self.most
    }

    fn claim(&mut self, claim: &Claim) {
        let slot = &mut self.of[key(self.board, claim.target)];
        if *slot == NONE {
            *slot = self.claims.len() as u16;
            self.claims.push(*claim);
            return;
        }
        let best = &mut self.claims[usize::from(*slot)];
        if (claim.complexity, claim.kind.rank()) < (best.complexity, best.kind.rank()) {
            *best = *claim;
        }
    }
}

/// Returns a number for what a statement removes: an on in a cell of two is an off of the other.
fn key(board: &State, (candidate, stands): Statement) -> usize {
    let others = board.candidates(candidate.cell()) & !(1 << candidate.digit());
    match stands {
        true if others.is_power_of_two() => {
            Candidate::new(candidate.cell(), others.trailing_zeros() as usize).index()
        }
        true => CANDIDATES + candidate.index(),
        false => candidate.index(),
    }
}

/// On which candidates that have gone a deduction rests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// The candidates.
    pub gone: CandidateSet,
    /// A number that is equal for equal sets of statements.
    pub hash: u64,
}

impl Origin {
    /// None.
    pub(super) const NONE: Origin = Origin { gone: CandidateSet::EMPTY, hash: 0 };

    /// Returns the candidates.
    pub(super) fn candidates(&self) -> impl Iterator<Item = Candidate> + '_ {
        self.gone.iter().map(|(cell, digit)| Candidate::new(cell, digit))
    }

    /// Takes a statement into the hash.
    pub(super) fn add(&mut self, candidate: Candidate, on: bool) {
        let word = ((candidate.index() as u64) << 1 | u64::from(on)) + 1;
        self.hash = self
            .hash
            .wrapping_add((word.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ word << 40).wrapping_mul(word | 1));
    }

    /// Keeps the hashes of several targets apart.
    pub(super) fn next_target(&mut self) {
        self.hash = self.hash.rotate_left(21).wrapping_mul(0xff51_afd7_ed55_8ccd);
    }

    /// Adds the candidates of a cell, or of a digit in a house, that are on the first board and not on the second.
    pub(super) fn rests_on(&mut self, first: &State, then: &State, candidate: Candidate, via: Via) {
        let (cell, digit) = (candidate.cell(), candidate.digit());
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

impl Propagation {
    /// Adds to `origin` on which candidates, gone since `first`, a statement rests; `before` is the board that was
    /// pursued. The assumption counts as an on of the house, or of its cell, if it is one of several cases.
    pub(super) fn trace(
        &self,
        boards: (&State, &State),
        (candidate, on): (Candidate, bool),
        case: Option<Via>,
        origin: &mut Origin,
    ) {
        origin.next_target();
        self.trace_entries(boards, &self.behind(candidate, on), case, origin);
    }

    /// Adds to `origin` on which candidates a conflict rests.
    pub(super) fn trace_conflict(
        &self,
        (first, before): (&State, &State),
        conflict: &Conflict,
        origin: &mut Origin,
    ) {
        self.trace((first, before), (conflict.candidate, !conflict.last), None, origin);
        origin.next_target();
        origin.add(conflict.candidate, conflict.last);
        if let Cause::By(via) = conflict.cause {
            origin.rests_on(first, before, conflict.candidate, via);
        }
        self.trace_entries((first, before), &self.behind_last(before, conflict), None, origin);
    }

    fn trace_entries(
        &self,
        (first, before): (&State, &State),
        entries: &Entries,
        case: Option<Via>,
        origin: &mut Origin,
    ) {
        for entry in entries.iter() {
            let (candidate, on) = self.entries[entry];
            origin.add(candidate, on);
            let via = match self.cause[entry] {
                Cause::By(via) => Some(via),
                Cause::Assumed if on => case,
                _ => None,
            };
            if let Some(via) = via {
                origin.rests_on(first, before, candidate, via);
            }
        }
    }
}
