//! Nested forcing chains: dynamic chains with other chains as implications.
//!
//! Where singles lead no further, and nor do locked candidates, pairs and X-wings, chains are looked for on the board that
//! the assumption leaves:
//!
//! * 9.5: single chains and cycles;
//! * 10.0: chains from a cell or a house besides;
//! * 10.5: dynamic chains, then those with the implications of [`plus`](super::plus), then those of the two above.
//!
//! Their complexity counts too. Ratings: as above plus what the length adds. Source: SukakuExplainer, of which the last
//! three are called experimental.

use super::board::Board;
use super::consequences::Consequences;
use super::handover::{ToSink, most_complex};
use super::implications::{Implications, NestedChain, Offs, Singles};
use super::node::{NODES, Node, Via};
use super::origin::Origin;
use super::plus::Pairs;
use super::propagation::Rules;
use super::scratch::Memory;
use super::search::{Claim, Claims, Kind, Search, Statement};
use super::single::SingleSearch;
use crate::logic::deduction::Sink;
use crate::logic::finder::Finder;
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
        let board = Board::of(state);
        let pairs = Pairs::of(&board);
        let memory = scratch.dynamic.memory();
        let to = Target { board: &board, least: self.least(), memory, sink };
        match self {
            NestedChains::Single => to.find(|| Static::new(pairs, false)),
            NestedChains::Multiple => to.find(|| Static::new(pairs, true)),
            NestedChains::Dynamic => to.find(|| Deep::new(pairs, Singles)),
            NestedChains::Plus => to.find(|| Deep::new(pairs, pairs)),
            NestedChains::NestedSingle => to.find(|| Deep::new(pairs, Static::new(pairs, false))),
            NestedChains::NestedMultiple => to.find(|| Deep::new(pairs, Static::new(pairs, true))),
        }
    }
}

/// How many tenths the length may add, in the first attempt and those after it.
const ATTEMPTS: [u16; 6] = [4, 6, 8, 10, 12, 100];

struct Target<'a> {
    board: &'a Board,
    least: Rating,
    memory: &'a mut Memory,
    sink: &'a mut dyn Sink,
}

impl Target<'_> {
    /// Searches for short chains, then for longer ones, until there are some: long ones take by far the most time.
    fn find<I: Implications>(self, make: impl Fn() -> I) {
        let Target { board, least, memory, sink } = self;
        let mut implications = make();
        for tenths in ATTEMPTS {
            let most = most_complex(least, least.plus(tenths));
            let technique = Technique::NestedChains;
            let mut claims =
                ToSink { board, technique, least, most, any: false, implications: &make, sink: &mut *sink };
            let rules = Rules::DYNAMIC;
            Search { board, rules, implications: &mut implications, claims: &mut claims }.run(memory);
            if claims.any || least.plus(tenths) >= sink.limit() {
                return;
            }
        }
    }
}

/// Single chains, and chains from cells and houses.
struct Static {
    pairs: Pairs,
    single: SingleSearch,
    /// The memory for chains from cells and houses, if they count.
    multiple: Option<Box<Memory>>,
}

impl Static {
    fn new(pairs: Pairs, multiple: bool) -> Static {
        Static { pairs, single: SingleSearch::new(), multiple: multiple.then(|| Box::new(Memory::new())) }
    }
}

impl Implications for Static {
    const SOME: bool = true;
    const NESTED: bool = true;

    fn further(&mut self, before: &Board, now: &Board, most: u32, offs: &mut Offs) {
        let count = offs.len();
        self.pairs.further(before, now, most, offs);
        if offs.len() == count {
            self.single.further(before, now, inner(most), offs);
        }
        if let Some(memory) = &mut self.multiple
            && offs.len() == count
        {
            nest((before, now), Rules::STATIC, inner(most), &mut Singles, memory, offs);
        }
    }
}

/// Dynamic chains.
struct Deep<I> {
    pairs: Pairs,
    inner: I,
    memory: Box<Memory>,
}

impl<I> Deep<I> {
    fn new(pairs: Pairs, inner: I) -> Deep<I> {
        Deep { pairs, inner, memory: Box::new(Memory::new()) }
    }
}

impl<I: Implications> Implications for Deep<I> {
    const SOME: bool = true;
    const NESTED: bool = true;

    fn further(&mut self, before: &Board, now: &Board, most: u32, offs: &mut Offs) {
        let count = offs.len();
        self.pairs.further(before, now, most, offs);
        if offs.len() == count {
            nest((before, now), Rules::DYNAMIC, inner(most), &mut self.inner, &mut self.memory, offs);
        }
    }
}

/// Returns the greatest complexity that is of use for a chain within chains: these have two statements at least.
const fn inner(most: u32) -> u32 {
    most.saturating_sub(2)
}

/// Adds what goes by chains on the board of now.
fn nest<I: Implications>(
    (before, now): (&Board, &Board),
    rules: Rules,
    most: u32,
    implications: &mut I,
    memory: &mut Memory,
    offs: &mut Offs,
) {
    let mut best = Best { board: now, most, claims: Vec::new(), of: [NONE; 2 * NODES] };
    Search { board: now, rules, implications, claims: &mut best }.run(memory);
    best.claims.sort_by_key(|claim| (claim.complexity, claim.kind.rank()));
    for claim in &best.claims {
        let mut origin = Origin::NONE;
        for &assumption in claim.assumed() {
            let found = &mut memory.opposite;
            memory.propagation.pursue(now, assumption, rules, most, implications, found);
            trace(claim, assumption, memory, (before, now), &mut origin);
        }
        let chain = NestedChain { hash: origin.hash, complexity: claim.complexity };
        offs.add_by(Some(chain), origin.nodes(), removed(now, claim.target));
    }
}

/// Adds on what the chain from one of its assumptions rests.
fn trace(
    claim: &Kept,
    (start, _): Statement,
    memory: &Memory,
    boards: (&Board, &Board),
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
fn removed(board: &Board, (node, stands): Statement) -> impl Iterator<Item = Node> {
    let others = board.candidates(node.cell()) & !(1 << node.digit());
    let gone = if stands { others } else { 1 << node.digit() };
    digits(gone).map(move |digit| Node::new(node.cell(), digit))
}

const NONE: u16 = u16::MAX;

/// Keeps, for each removal, the first of the simplest claims.
struct Best<'a> {
    board: &'a Board,
    most: u32,
    claims: Vec<Kept>,
    /// By target, the place of its claim.
    of: [u16; 2 * NODES],
}

/// A claim that is kept.
#[derive(Clone, Copy)]
struct Kept {
    target: Statement,
    complexity: u32,
    kind: Kind,
    assumed: [Statement; 9],
    cases: usize,
}

impl Kept {
    fn assumed(&self) -> &[Statement] {
        &self.assumed[..self.cases]
    }
}

impl Claims for Best<'_> {
    fn most(&self) -> u32 {
        self.most
    }

    fn pursued(&self) -> u32 {
        self.most
    }

    fn claim(&mut self, claim: &Claim) {
        let mut assumed = [(Node(0), true); 9];
        assumed[..claim.assumed.len()].copy_from_slice(claim.assumed);
        let Claim { complexity, kind, .. } = *claim;
        let kept = Kept { target: claim.target, complexity, kind, assumed, cases: claim.assumed.len() };
        let slot = &mut self.of[key(self.board, claim.target)];
        if *slot == NONE {
            *slot = self.claims.len() as u16;
            self.claims.push(kept);
            return;
        }
        let best = &mut self.claims[usize::from(*slot)];
        if (complexity, kind.rank()) < (best.complexity, best.kind.rank()) {
            *best = kept;
        }
    }
}

/// Returns a number for what a statement removes: an on in a cell of two is an off of the other.
fn key(board: &Board, (node, stands): Statement) -> usize {
    let others = board.candidates(node.cell()) & !(1 << node.digit());
    match stands {
        true if others.is_power_of_two() => {
            usize::from(Node::new(node.cell(), others.trailing_zeros() as usize).0)
        }
        true => NODES + usize::from(node.0),
        false => usize::from(node.0),
    }
}
