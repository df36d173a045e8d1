//! The nets that a thread keeps, by the number of their nodes.

use super::net::{Links, Net};
use super::rings::RingBuffers;
use crate::logic::state::State;

/// Nets for up to 128, 256, 384 and all 729 candidates.
#[derive(Debug, Default)]
pub(crate) struct ChainScratch {
    two: (Net<2>, RingBuffers<2>),
    four: (Net<4>, RingBuffers<4>),
    six: (Net<6>, RingBuffers<6>),
    twelve: (Net<12>, RingBuffers<12>),
}

/// A search on a net of any width.
pub(crate) trait OnNet {
    /// Runs the search.
    fn run<const W: usize>(self, net: &mut Net<W>, buffers: &mut RingBuffers<W>);
}

impl ChainScratch {
    /// Prepares the net of a state and hands it over.
    pub(crate) fn with_net(&mut self, state: &State, links: Links, work: impl OnNet) {
        match candidates(state, links).div_ceil(64) {
            0..=2 => run(&mut self.two, state, links, work),
            3..=4 => run(&mut self.four, state, links, work),
            5..=6 => run(&mut self.six, state, links, work),
            _ => run(&mut self.twelve, state, links, work),
        }
    }
}

fn run<const W: usize>(
    (net, buffers): &mut (Net<W>, RingBuffers<W>),
    state: &State,
    links: Links,
    work: impl OnNet,
) {
    net.prepare(state, links);
    work.run(net, buffers);
}

/// Returns how many candidates a net has.
fn candidates(state: &State, links: Links) -> usize {
    match links {
        Links::X(digit) => state.cells_of(digit).len(),
        Links::Y => 2 * state.cells_with(2).len(),
        Links::Xy => state.empty().into_iter().map(|cell| state.candidates(cell).count_ones() as usize).sum(),
    }
}
