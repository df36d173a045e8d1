//! From claims to deductions: ratings, and the links behind them.

use super::board::Board;
use super::consequences::Consequences;
use super::implications::{Implications, Singles};
use super::propagation::{Propagation, Rules};
use super::search::{Claim, Claims, Search, Statement};
use super::words::pattern;
use crate::logic::cell_set::{CandidateSet, CellSet};
use crate::logic::chains::length::{longest, tenths_of};
use crate::logic::deduction::{Deduction, Link, Sink};
use crate::logic::finder::Finder;
use crate::logic::rating::Rating;
use crate::logic::scratch::Scratch;
use crate::logic::state::State;
use crate::logic::technique::Technique;

/// Dynamic forcing chains with singles as implications.
pub(crate) struct DynamicChains;

impl Finder for DynamicChains {
    fn depends_on_order(&self) -> bool {
        true
    }

    fn least(&self) -> Rating {
        Technique::DynamicChains.least()
    }

    fn find(&self, state: &State, scratch: &mut Scratch, sink: &mut dyn Sink) {
        let technique = Technique::DynamicChains;
        find(&Board::of(state), technique.least(), technique, || Singles, scratch, sink);
    }
}

/// Hands over every deduction by dynamic chains with some kind of implications.
pub(super) fn find<I: Implications>(
    board: &Board,
    least: Rating,
    technique: Technique,
    implications: impl Fn() -> I,
    scratch: &mut Scratch,
    sink: &mut dyn Sink,
) {
    let mut claims =
        ToSink { board, technique, least, most: u32::MAX, any: false, implications: &implications, sink };
    Search { board, rules: Rules::DYNAMIC, implications: &mut implications(), claims: &mut claims }
        .run(scratch.dynamic.memory());
}

/// Makes deductions of claims and hands them to a sink.
pub(super) struct ToSink<'a, M> {
    pub(super) board: &'a Board,
    pub(super) technique: Technique,
    pub(super) least: Rating,
    /// The greatest complexity that is looked for.
    pub(super) most: u32,
    /// Whether there was a claim.
    pub(super) any: bool,
    /// Makes the implications beyond singles.
    pub(super) implications: &'a M,
    pub(super) sink: &'a mut dyn Sink,
}

impl<I: Implications, M: Fn() -> I> Claims for ToSink<'_, M> {
    fn most(&self) -> u32 {
        most_complex(self.least, self.sink.limit()).min(self.most)
    }

    fn pursued(&self) -> u32 {
        self.most
    }

    fn claim(&mut self, claim: &Claim) {
        self.any = true;
        let rating = rated(self.least, claim.complexity);
        let (node, stands) = claim.target;
        let (cell, digit) = (node.cell(), node.digit());
        let deduction = match stands {
            true => Deduction::place(self.technique, rating, cell, digit),
            false => Deduction::remove(self.technique, rating, CandidateSet::of(digit, CellSet::of(cell))),
        };
        let (board, most, implications) = (self.board, self.most, self.implications);
        self.sink
            .found(&deduction, &|| pattern(links((board, most), implications, claim.assumed, claim.target)));
    }
}

/// Pursues the assumptions once more, and returns the links to the target; with one assumption, to its conflict.
fn links<I: Implications>(
    (board, most): (&Board, u32),
    implications: impl Fn() -> I,
    assumed: &[Statement],
    (target, stands): Statement,
) -> Vec<Link> {
    let mut propagation = Propagation::boxed();
    let mut found = Box::new(Consequences::NONE);
    let mut links = Vec::new();
    for &assumption in assumed {
        propagation.pursue(board, assumption, Rules::DYNAMIC, most, &mut implications(), &mut found);
        links.extend(match (&found.conflict, assumed.len()) {
            (Some(conflict), 1) => propagation.links_to_conflict(board, conflict),
            _ => propagation.links_to(board, target, stands),
        });
    }
    links
}

/// Returns the rating of chains of a complexity, from the least rating of their technique.
pub(super) fn rated(least: Rating, complexity: u32) -> Rating {
    least.plus(tenths_of(complexity as usize))
}

/// Returns the greatest complexity that the limit allows; 0 if it allows none.
pub(super) fn most_complex(least: Rating, limit: Rating) -> u32 {
    match limit.in_tenths().checked_sub(least.in_tenths()) {
        // More tenths than chains can have: no limit.
        Some(40..) => u32::MAX,
        Some(tenths) => longest(tenths) as u32,
        None => 0,
    }
}
