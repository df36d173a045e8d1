//! The scratch of finders: how ties are decided, and memory that they keep from one state to the next.

use super::chains::{DynamicMemory, Nets};

use super::changes::Changes;
use super::state::State;
use super::techniques::strong_links::links::LinkLists;
use super::ties::Ties;
use crate::minlex::Minlex;

/// Buffers of the finders, made once for a thread.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Where the order of cells decides, which one it is.
    pub(crate) ties: Ties,
    pub(crate) changes: Changes,
    pub(crate) strong_links: LinkLists,
    /// The nets of chains.
    pub(crate) chains: Nets,
    /// The memory of dynamic chains, made when it is first needed.
    pub(crate) dynamic: Option<DynamicMemory>,
    pub(super) minlex: Minlex,
}

impl Scratch {
    /// Returns buffers for rounds in which ties are decided in that order; by default it is [`Ties::Minlex`].
    #[must_use]
    pub fn with_ties(ties: Ties) -> Scratch {
        Scratch { ties, ..Scratch::default() }
    }

    /// Compares a state with the one before, for finders that look only at what has changed. It is called for each state
    /// before finders are asked about it, as rounds do.
    pub fn see(&mut self, state: &State) {
        self.changes.see(state);
    }
}
