//! The consequences of an assumption, and their causes.

use super::board::Board;
use super::implications::NestedChain;
use super::node::{NODES, Node, Via};
use crate::logic::cell_set::CellSet;
use crate::logic::houses::{HOUSE_CELLS, houses_of, places_of};
use crate::logic::state::digits;

/// The consequences of an assumption.
#[derive(Clone, Debug)]
pub(super) struct Consequences {
    /// For each digit, the cells in which it stands.
    pub on: [CellSet; 9],
    /// For each digit, the cells in which it does not.
    pub off: [CellSet; 9],
    /// How many statements there are from the assumption to each, with both.
    pub(super) on_size: [u16; NODES],
    pub(super) off_size: [u16; NODES],
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
    pub(super) set_on: [u16; NODES],
    pub(super) set_off: [u16; NODES],
}

/// A set of the nested chains of a propagation.
pub(super) type ChainSet = [u64; NODES.div_ceil(64)];

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

    /// Forgets all but the memory.
    pub(super) fn clear(&mut self) {
        (self.on, self.off, self.conflict) = ([CellSet::EMPTY; 9], [CellSet::EMPTY; 9], None);
    }
}

/// Adds the chains of a set to a list, each once.
pub(super) fn add_chains(set: &ChainSet, chains: &[NestedChain], list: &mut Vec<NestedChain>) {
    for (index, chain) in chains.iter().enumerate() {
        if set[index / 64] >> (index % 64) & 1 != 0 && !list.contains(chain) {
            list.push(*chain);
        }
    }
}

/// A candidate that would be both on and off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    pub(super) node: Node,
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
    On(Node),
    /// A batch of candidates that go for another reason.
    Batch(u16),
}

/// Calls a function for the offs from which an on follows: the others of its cell or house.
#[inline]
pub(super) fn for_each_parent(before: &Board, node: Node, cause: Cause, mut each: impl FnMut(Node)) {
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
