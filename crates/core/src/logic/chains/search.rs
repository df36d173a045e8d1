//! The search for single chains and cycles, from the shortest to the longest that is of use.

use super::length::tenths_of;
use super::net::{Net, bits, contains, meets};
use super::patterns;
use super::rings::{RingBuffers, Rings};
use super::scratch::OnNet;
use crate::logic::cell_set::CandidateSet;
use crate::logic::deduction::{Deduction, Sink};
use crate::logic::rating::Rating;
use crate::logic::technique::Technique;

/// The techniques as which chains and cycles count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub(crate) cycle: Technique,
    /// `None` where chains do not count.
    pub(crate) chain: Option<Technique>,
}

/// The search in one net.
pub(crate) struct Search<'a> {
    pub(crate) kind: Kind,
    pub(crate) sink: &'a mut dyn Sink,
}

impl OnNet for Search<'_> {
    fn run<const W: usize>(self, net: &mut Net<W>, buffers: &mut RingBuffers<W>) {
        // Even the shortest cycle or chain has two strong links.
        if net.linked < 3 {
            return;
        }
        let mut rings = Rings::of(net, buffers);
        for level in 1.. {
            // A chain or cycle that closes in this level.
            let complexity = 2 * level + 2;
            let cycle = allowed(self.kind.cycle, complexity, self.sink);
            let chain =
                self.kind.chain.and_then(|chain| allowed(chain, complexity, self.sink).map(|r| (chain, r)));
            if cycle.is_none() && chain.is_none() {
                return;
            }
            net.extend_to(level);
            if net.complete && level > 2 * net.depth {
                return;
            }
            if let Some((technique, rating)) = chain.filter(|_| level <= net.depth) {
                chains(net, level, technique, rating, self.sink);
            }
            if let Some(rating) = cycle {
                let deduction = Deduction::remove(self.kind.cycle, rating, CandidateSet::EMPTY);
                rings.find(net, level, &deduction, self.sink);
            }
        }
    }
}

/// Returns the rating at a complexity, if it is of use.
fn allowed(technique: Technique, complexity: usize, sink: &dyn Sink) -> Option<Rating> {
    let rating = technique.least().plus(tenths_of(complexity));
    (rating <= sink.limit()).then_some(rating)
}

/// Finds the chains that lead to the contrary of their beginning in a level.
fn chains<const W: usize>(
    net: &Net<W>,
    level: usize,
    technique: Technique,
    rating: Rating,
    sink: &mut dyn Sink,
) {
    for node in 0..net.nodes.len() {
        if meets(net.level(level, node), &net.weak[node])
            && !meets(net.level(level - 1, node), &net.weak[node])
        {
            let (cell, digit) = net.nodes[node];
            let mut removed = CandidateSet::EMPTY;
            removed.insert(cell, digit);
            let deduction = Deduction::remove(technique, rating, removed);
            sink.found(&deduction, &|| patterns::chain(net, technique, node, true));
        }
    }
    for node in 0..net.linked {
        let back = |level| bits(&net.strong[node]).any(|next| contains(net.level(level, next), node));
        if back(level) && !back(level - 1) {
            let (cell, digit) = net.nodes[node];
            let deduction = Deduction::place(technique, rating, cell, digit);
            sink.found(&deduction, &|| patterns::chain(net, technique, node, false));
        }
    }
}
