//! Nishio forcing chains: a digit assumed in, or out of, a cell, and pursued among the candidates of that digit alone,
//! until one of them is both on and off.
//!
//! ```text
//!  if 3 is in r1c2:  r1c5, r4c2 off ──> r4c9 on ──> r8c9 off ──> r8c5 on,  but then no place is left in box 8
//! ```
//!
//! Rating: 7.5 plus what the length adds. Source: Sudoku Explainer 1.2.1.

use super::board::Board;
use super::consequences::Consequences;
use super::handover::{most_complex, rated};
use super::implications::Singles;
use super::node::Node;
use super::propagation::{Propagation, Rules};
use super::words::pattern;
use crate::logic::cell_set::{CandidateSet, CellSet};
use crate::logic::deduction::{Deduction, Sink};
use crate::logic::finder::Finder;
use crate::logic::rating::Rating;
use crate::logic::scratch::Scratch;
use crate::logic::state::State;
use crate::logic::technique::Technique;

/// Nishio forcing chains.
pub(crate) struct Nishio;

impl Finder for Nishio {
    fn depends_on_order(&self) -> bool {
        true
    }

    fn least(&self) -> Rating {
        Technique::Nishio.least()
    }

    fn find(&self, state: &State, scratch: &mut Scratch, sink: &mut dyn Sink) {
        let board = Board::of(state);
        let memory = scratch.dynamic.memory();
        for (cell, digit) in board.all() {
            let node = Node::new(cell, digit);
            for on in [true, false] {
                let (propagation, found) = (&mut memory.propagation, &mut memory.opposite);
                let most = most_complex(self.least(), sink.limit());
                propagation.pursue(&board, (node, on), Rules::NISHIO, most, &mut Singles, found);
                let Some(conflict) = found.conflict.filter(|conflict| conflict.complexity <= most) else {
                    continue;
                };
                let rating = rated(self.least(), conflict.complexity);
                let deduction = match on {
                    true => Deduction::remove(
                        Technique::Nishio,
                        rating,
                        CandidateSet::of(digit, CellSet::of(cell)),
                    ),
                    false if board.candidates(cell).is_power_of_two() => continue,
                    false => Deduction::place(Technique::Nishio, rating, cell, digit),
                };
                sink.found(&deduction, &|| {
                    let mut propagation = Propagation::boxed();
                    let mut found = Box::new(Consequences::NONE);
                    propagation.pursue(&board, (node, on), Rules::NISHIO, u32::MAX, &mut Singles, &mut found);
                    let links =
                        found.conflict.map(|conflict| propagation.links_to_conflict(&board, &conflict));
                    pattern(links.unwrap_or_default())
                });
            }
        }
    }
}
