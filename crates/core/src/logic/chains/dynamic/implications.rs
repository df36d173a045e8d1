//! Implications beyond singles: what goes where singles lead no further, and what had to go first.

use super::board::Board;
use super::node::Node;

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
    pub(super) batches: Vec<Batch>,
    pub(super) nodes: Vec<Node>,
}

/// Candidates that go for the same reason: from `effects` to `end` among the nodes. Those from `causes` to there had to
/// go first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batch {
    pub(super) causes: usize,
    pub(super) effects: usize,
    pub(super) end: usize,
    pub(super) chain: Option<NestedChain>,
}

/// A deduction by chains within chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NestedChain {
    /// A number that is equal for equal sets of statements.
    pub hash: u64,
    pub complexity: u32,
}

impl Offs {
    /// Removes all batches.
    pub(super) fn clear(&mut self) {
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
