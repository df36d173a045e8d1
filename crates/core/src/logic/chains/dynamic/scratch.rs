//! The memory of dynamic chains that a thread keeps.

use super::consequences::Consequences;
use super::node::{NODES, Node};
use super::propagation::Propagation;

/// The memory for chains from many assumptions; made when it is first needed.
#[derive(Debug, Default)]
pub(crate) struct DynamicScratch {
    memory: Option<Memory>,
}

impl DynamicScratch {
    pub(super) fn memory(&mut self) -> &mut Memory {
        self.memory.get_or_insert_with(Memory::new)
    }
}

/// The consequences of each candidate on, and the memory to find them.
#[derive(Debug)]
pub(super) struct Memory {
    /// For the assumption that is being pursued.
    pub(super) propagation: Box<Propagation>,
    /// The consequences of the candidate off.
    pub(super) opposite: Box<Consequences>,
    /// The consequences of each candidate on, by slot.
    pub(super) found: Vec<Consequences>,
    /// For each candidate, its slot.
    slots: [u16; NODES],
}

impl Memory {
    pub(super) fn new() -> Memory {
        Memory {
            propagation: Propagation::boxed(),
            opposite: Box::new(Consequences::NONE),
            found: Vec::new(),
            slots: [0; NODES],
        }
    }

    /// Makes the slot of a candidate.
    pub(super) fn new_slot(&mut self, slot: usize, node: Node) {
        if slot == self.found.len() {
            self.found.push(Consequences::NONE);
        }
        self.slots[usize::from(node.0)] = slot as u16;
    }

    /// Returns what follows from a candidate on.
    pub(super) fn of(&self, node: Node) -> &Consequences {
        &self.found[usize::from(self.slots[usize::from(node.0)])]
    }
}
