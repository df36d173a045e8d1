//! Single chains and cycles: finders by the links that they use.
//!
//! ```text
//!  . 4 . | . . 4 | . . .     4 has two places in row 1, two in column 6 and two in row 7. If r7c1 is 4, then
//!  . . . | . . . | . . .     r7c6 is not, r1c6 is, and r1c2 is not; if it is not 4, then r7c6 is 4 and so on:
//!  - - - + - - - + - - -     a chain that leads back to its beginning, in both directions, is a cycle
//!  4 . . | . . 4 | . . .
//! ```
//!
//! Ratings: 6.5 for cycles of one digit (X) or through cells with two candidates (Y), 6.6 for chains of one digit, 7.0
//! for chains and cycles with both kinds of links; to all of them, what the length adds.

use super::net::Links;
use super::search::{Kind, Search};
use crate::logic::deduction::Sink;
use crate::logic::finder::Finder;
use crate::logic::rating::Rating;
use crate::logic::scratch::Scratch;
use crate::logic::state::State;
use crate::logic::technique::Technique;

/// All cycles and single chains.
pub(crate) struct SingleChains;

impl Finder for SingleChains {
    fn least(&self) -> Rating {
        Technique::XCycle.least()
    }

    fn find(&self, state: &State, scratch: &mut Scratch, sink: &mut dyn Sink) {
        let kind = Kind { cycle: Technique::XCycle, chain: Some(Technique::XChain) };
        for digit in 0..9 {
            scratch.chains.with_net(state, Links::X(digit), Search { kind, sink: &mut *sink });
        }
        let kind = Kind { cycle: Technique::YCycle, chain: None };
        scratch.chains.with_net(state, Links::Y, Search { kind, sink: &mut *sink });
        if Technique::Chain.least() <= sink.limit() {
            let kind = Kind { cycle: Technique::Cycle, chain: Some(Technique::Chain) };
            scratch.chains.with_net(state, Links::Xy, Search { kind, sink });
        }
    }
}
