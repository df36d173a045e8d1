//! On which candidates that have gone chains rest.

use super::board::Board;
use super::node::{Node, Via};
use crate::logic::cell_set::CandidateSet;
use crate::logic::houses::{HOUSE_CELLS, houses_of};
use crate::logic::state::digits;

/// On which candidates that have gone a deduction rests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// The candidates.
    pub gone: CandidateSet,
    /// A number that is equal for equal sets of statements.
    pub hash: u64,
}

impl Origin {
    /// None.
    pub(super) const NONE: Origin = Origin { gone: CandidateSet::EMPTY, hash: 0 };

    /// Returns the candidates.
    pub(super) fn nodes(&self) -> impl Iterator<Item = Node> + '_ {
        self.gone.iter().map(|(cell, digit)| Node::new(cell, digit))
    }

    /// Takes a statement into the hash.
    pub(super) fn add(&mut self, node: Node, on: bool) {
        let word = (u64::from(node.0) << 1 | u64::from(on)) + 1;
        self.hash = self
            .hash
            .wrapping_add((word.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ word << 40).wrapping_mul(word | 1));
    }

    /// Keeps the hashes of several targets apart.
    pub(super) fn next_target(&mut self) {
        self.hash = self.hash.rotate_left(21).wrapping_mul(0xff51_afd7_ed55_8ccd);
    }

    /// Adds the candidates of a cell, or of a digit in a house, that are on the first board and not on the second.
    pub(super) fn rests_on(&mut self, first: &Board, then: &Board, node: Node, via: Via) {
        let (cell, digit) = (node.cell(), node.digit());
        match via {
            Via::Cell => {
                for other in digits(first.candidates(cell) & !then.candidates(cell)) {
                    self.gone.insert(cell, other);
                }
            }
            Via::House(kind) => {
                let house = houses_of(cell)[usize::from(kind)];
                for place in digits(first.places(digit, house) & !then.places(digit, house)) {
                    self.gone.insert(usize::from(HOUSE_CELLS[house][place]), digit);
                }
            }
        }
    }
}
