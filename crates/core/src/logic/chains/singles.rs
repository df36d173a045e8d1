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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::techniques::trial::Trial;

    #[test]
    fn a_cycle_of_one_digit_removes_what_sees_it_on_and_off() {
        let mut trial = ring("r4c5 r4c9").up_to(65);
        let cells = "r2c1, r2c5, r2c9, r3c1, r3c5, r3c9, r5c1, r5c5, r5c9, r6c1, r6c5, r6c9, r7c1, r7c5, r7c9, r8c1, r8c5 and r8c9";
        assert_eq!(trial.find(&SingleChains), [format!("6.5 x-cycle: 1 in {cells}")]);
        assert_eq!(
            trial.reasons(),
            [
                "if r1c1 is 1, then r9c1 is not 1, then r9c9 is 1, then r4c9 is not 1, then r4c5 is 1, then r1c5 is not \
                 1, then r1c1 is 1: all of this holds or none of it, and either way what goes sees its digit in one of \
                 these cells"
            ]
        );
    }

    #[test]
    fn a_third_place_breaks_the_cycle() {
        assert!(ring("r4c5 r4c7 r4c9").find(&SingleChains).is_empty());
    }

    /// Returns a state in which 1 has two places in rows 1 and 9, and some in row 4.
    fn ring(places: &str) -> Trial {
        Trial::new().confine(1, "r1", "r1c1 r1c5").confine(1, "r4", places).confine(1, "r9", "r9c1 r9c9")
    }

    #[test]
    fn a_cycle_through_pairs_removes_what_sees_a_digit_on_and_off() {
        let trial =
            |last| Trial::new().only("r1c1", "12").only("r1c5", "23").only("r5c5", "34").only("r5c1", last);
        assert_eq!(
            trial("14").up_to(66).find(&SingleChains),
            [
                "6.6 y-cycle: 1 in r2c1, r3c1, r4c1, r6c1, r7c1, r8c1 and r9c1; 2 in r1c2, r1c3, r1c4, r1c6, r1c7, r1c8 and \
              r1c9; 3 in r2c5, r3c5, r4c5, r6c5, r7c5, r8c5 and r9c5; 4 in r5c2, r5c3, r5c4, r5c6, r5c7, r5c8 and r5c9"
            ]
        );
        assert!(trial("14").up_to(65).find(&SingleChains).is_empty());
        for wrong in ["15", "145"] {
            let found = trial(wrong).up_to(66).find(&SingleChains);
            assert!(found.is_empty(), "{wrong}: {found:?}");
        }
    }

    #[test]
    fn a_candidate_that_leads_to_its_contrary_goes() {
        let mut trial = Trial::new().confine(1, "r1", "r1c1 r1c5").confine(1, "r6", "r6c2 r6c5").up_to(66);
        assert_eq!(
            trial.find(&SingleChains),
            ["r2c2", "r3c2", "r4c1", "r5c1"].map(|cell| format!("6.6 x-chain: 1 in {cell}"))
        );
        assert_eq!(
            trial.reasons()[0],
            "if r2c2 is 1, then r1c1 is not 1, then r1c5 is 1, then r6c5 is not 1, then r6c2 is 1, then r2c2 is not 1, \
             which is a contradiction, so r2c2 cannot be 1"
        );
    }

    #[test]
    fn chains_with_both_kinds_of_links_remove_and_place() {
        let grid = "
            13 4 7 138 18 9 5 6 2
            18 5 68 7 2 16 4 3 9
            9 26 23 36 5 4 7 1 8
            4 1 68 9 37 2 68 57 35
            37 9 5 18 6 18 2 47 34
            378 26 23 4 37 5 689 89 1
            6 8 4 5 9 3 1 2 7
            2 3 1 68 4 7 89 589 56
            5 7 9 2 18 168 3 48 46";
        assert!(Trial::of(grid).up_to(71).find(&SingleChains).is_empty());
        let mut trial = Trial::of(grid).up_to(72);
        assert_eq!(
            trial.find(&SingleChains),
            ["7.2 chain: 8 in r8c7", "7.2 chain: 9 in r6c7", "7.2 chain: r8c7 is 9"]
        );
        assert_eq!(
            trial.reasons()[2],
            "if r8c7 is not 9, then r8c7 is 8, then r8c4 is not 8, then r8c4 is 6, then r3c4 is not 6, then r3c2 is 6, \
             then r6c2 is not 6, then r6c7 is 6, then r6c7 is not 9, then r8c7 is 9, which is a contradiction, so r8c7 \
             must be 9"
        );
    }

    #[test]
    fn a_cycle_with_both_kinds_of_links_keeps_its_own_cells() {
        let mut trial = Trial::of(
            "
            1 456 56 9 46 7 8 3 2
            247 9 27 8 13 13 47 6 5
            467 8 3 5 46 2 1 47 9
            259 56 2569 34 8 3459 479 47 1
            59 3 4 1 7 59 2 8 6
            8 7 1 24 29 6 49 5 3
            357 1 57 2347 23 34 6 9 8
            346 46 8 37 19 19 5 2 47
            479 2 79 6 5 8 3 1 47",
        )
        .up_to(71);
        assert_eq!(trial.find(&SingleChains), ["7.1 cycle: 5 in r4c3; 6 in r1c2"]);
    }
}
