//! Single chains and cycles.
//!
//! ```text
//!  . a . | . . b | . . .     A digit has two places, a and b, in row 1, two, b and c, in column 6, and two, c and d,
//!  . . . | . . . | . . .     in row 4. If a is not the place, then b is, c is not, and d is. If a and d see each
//!  - - - + - - - + - - -     other, that leads on in a ring, and all of it holds or none: a cycle. If something else
//!  d . . | . . c | . . .     sees a and d and is assumed, it comes out that it is not: a chain to the contrary
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

/// Cycles, and chains that lead to the contrary of their beginning.
pub(crate) struct SingleChains;

impl Finder for SingleChains {
    fn least(&self) -> Rating {
        Technique::XCycle.least()
    }

    fn find(&self, state: &State, scratch: &mut Scratch, sink: &mut dyn Sink) {
        let x = Kind { cycle: Technique::XCycle, chain: Some(Technique::XChain) };
        let y = Kind { cycle: Technique::YCycle, chain: None };
        let both = Kind { cycle: Technique::Cycle, chain: Some(Technique::Chain) };
        let mut search = |links, kind: Kind| {
            if kind.cycle.least() <= sink.limit() {
                scratch.chains.with_net(state, links, Search { kind, sink: &mut *sink });
            }
        };
        for digit in 0..9 {
            search(Links::X(digit), x);
        }
        search(Links::Y, y);
        search(Links::Xy, both);
    }
}
