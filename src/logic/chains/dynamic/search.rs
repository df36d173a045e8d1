//! The search for dynamic chains: all assumptions, each pursued once, compared with each other.

use super::board::Board;
use super::propagation::{Consequences, Implications, Node, Propagation, Rules, Singles};
use super::scratch::Memory;
use super::words::pattern;
use crate::grid::CELLS;
use crate::logic::cell_set::{CandidateSet, CellSet};
use crate::logic::chains::length::{longest, tenths_of};
use crate::logic::deduction::{Deduction, Link, Sink};
use crate::logic::finder::Finder;
use crate::logic::houses::{HOUSE_CELLS, HOUSES};
use crate::logic::rating::Rating;
use crate::logic::scratch::Scratch;
use crate::logic::state::{State, digits};
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
        let board = Board::of(state);
        let mut search =
            Search { board: &board, technique, least: technique.least(), implications: || Singles, sink };
        search.run(scratch.dynamic.memory());
    }
}

/// A statement assumed, or found: a candidate, and whether it is on.
type Statement = (Node, bool);

const RULES: Rules = Rules { cells: true, dynamic: true };

/// A search for dynamic chains of one kind of implications.
pub(super) struct Search<'a, I: Implications, M: Fn() -> I> {
    pub(super) board: &'a Board,
    pub(super) technique: Technique,
    pub(super) least: Rating,
    /// Makes the implications beyond singles.
    pub(super) implications: M,
    pub(super) sink: &'a mut dyn Sink,
}

impl<I: Implications, M: Fn() -> I> Search<'_, I, M> {
    /// Hands over every deduction.
    pub(super) fn run(&mut self, memory: &mut Memory) {
        self.assume_all(memory);
        for cell in 0..CELLS {
            let cases = Cases::of(digits(self.board.candidates(cell)).map(|digit| Node::new(cell, digit)));
            self.compare(memory, &cases);
        }
        for house in 0..HOUSES {
            for digit in 0..9 {
                let cells = digits(self.board.places(digit, house)).map(|place| HOUSE_CELLS[house][place]);
                let cases = Cases::of(cells.map(|cell| Node::new(usize::from(cell), digit)));
                self.compare(memory, &cases);
            }
        }
    }

    /// Assumes each candidate on and off: contradictions, and what follows from both.
    fn assume_all(&mut self, memory: &mut Memory) {
        let board = self.board;
        let mut implications = (self.implications)();
        for (slot, (cell, digit)) in board.all().enumerate() {
            let node = Node::new(cell, digit);
            memory.new_slot(slot, node);
            for on in [true, false] {
                let Memory { propagation, opposite, found, .. } = &mut *memory;
                let found = if on { &mut found[slot] } else { &mut **opposite };
                propagation.pursue(board, (node, on), RULES, self.most(), &mut implications, found);
                if let Some(conflict) = found.conflict.filter(|conflict| conflict.complexity <= self.most()) {
                    self.hand_over((node, !on), conflict.complexity, &[(node, on)]);
                }
            }
            if board.candidates(cell).count_ones() >= 3 {
                self.compare_pair(node, &memory.found[slot], &memory.opposite);
            }
        }
    }

    /// Hands over what follows from a candidate on as well as off.
    fn compare_pair(&mut self, node: Node, on: &Consequences, off: &Consequences) {
        for stands in [true, false] {
            for digit in 0..9 {
                let both = on.of(digit, stands) & off.of(digit, stands);
                for target in both.into_iter().map(|cell| Node::new(cell, digit)) {
                    let complexity = on.size(target, stands) + off.size(target, stands);
                    if complexity <= self.most() {
                        self.hand_over((target, stands), complexity, &[(node, true), (node, false)]);
                    }
                }
            }
        }
    }

    /// Hands over what follows from each of some candidates, one of which holds.
    fn compare(&mut self, memory: &Memory, cases: &Cases) {
        let [(first, _), rest @ ..] = cases.all() else { return };
        if rest.is_empty() {
            return;
        }
        for stands in [true, false] {
            for digit in 0..9 {
                let of = |node: Node| memory.of(node).of(digit, stands);
                let all = rest.iter().fold(of(*first), |all, case| all & of(case.0));
                for target in all.into_iter().map(|cell| Node::new(cell, digit)) {
                    let complexity =
                        cases.all().iter().map(|case| memory.of(case.0).size(target, stands)).sum();
                    if complexity <= self.most() {
                        self.hand_over((target, stands), complexity, cases.all());
                    }
                }
            }
        }
    }

    fn most(&self) -> u32 {
        most_complex(self.least, self.sink.limit())
    }

    fn hand_over(&mut self, (node, stands): Statement, complexity: u32, assumed: &[Statement]) {
        let rating = rated(self.least, complexity);
        let (cell, digit) = (node.cell(), node.digit());
        let deduction = match stands {
            true if self.board.candidates(cell).is_power_of_two() => return,
            true => Deduction::place(self.technique, rating, cell, digit),
            false => Deduction::remove(self.technique, rating, CandidateSet::of(digit, CellSet::of(cell))),
        };
        let (board, implications) = (self.board, &self.implications);
        self.sink.found(&deduction, &|| pattern(links(board, implications, assumed, (node, stands))));
    }
}

/// Pursues the assumptions once more, and returns the links to the target; with one assumption, to its conflict.
fn links<I: Implications>(
    board: &Board,
    implications: impl Fn() -> I,
    assumed: &[Statement],
    (target, stands): Statement,
) -> Vec<Link> {
    let mut propagation = Propagation::boxed();
    let mut found = Box::new(Consequences::NONE);
    let mut links = Vec::new();
    for &assumption in assumed {
        propagation.pursue(board, assumption, RULES, u32::MAX, &mut implications(), &mut found);
        links.extend(match (&found.conflict, assumed.len()) {
            (Some(conflict), 1) => propagation.links_to_conflict(board, conflict),
            _ => propagation.links_to(board, target, stands),
        });
    }
    links
}

/// Candidates assumed to be on, of which one holds.
struct Cases {
    all: [Statement; 9],
    len: usize,
}

impl Cases {
    fn of(nodes: impl Iterator<Item = Node>) -> Cases {
        let mut cases = Cases { all: [(Node(0), true); 9], len: 0 };
        for node in nodes {
            cases.all[cases.len].0 = node;
            cases.len += 1;
        }
        cases
    }

    fn all(&self) -> &[Statement] {
        &self.all[..self.len]
    }
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
