//! The search for chains from several assumptions: each is pursued once, and what follows is compared.

use super::board::Board;
use super::consequences::Consequences;
use super::implications::Implications;
use super::node::Node;
use super::propagation::Rules;
use super::scratch::Memory;
use crate::grid::CELLS;
use crate::logic::houses::{HOUSE_CELLS, houses_of};
use crate::logic::state::digits;

/// A candidate, and whether it is on.
pub(super) type Statement = (Node, bool);

/// The kind of assumptions that lead to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A candidate on and off.
    Pair,
    /// All candidates of a cell on.
    Cell,
    /// A digit on in each of its places in a house: 0 the row, 1 the column, 2 the box of the first place.
    House(u8),
    /// The contrary of the claim.
    Conflict,
}

impl Kind {
    /// Returns a number by which claims of the same complexity are ordered.
    pub(super) const fn rank(self) -> u8 {
        match self {
            Kind::Pair => 0,
            Kind::Cell => 1,
            Kind::House(_) => 2,
            Kind::Conflict => 3,
        }
    }
}

/// A statement that has been proved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim<'a> {
    pub target: Statement,
    pub complexity: u32,
    pub kind: Kind,
    pub assumed: &'a [Statement],
}

/// Takes claims.
pub(super) trait Claims {
    /// Returns the greatest complexity that is of use.
    fn most(&self) -> u32;

    /// Returns the complexity up to which implications are looked for: the same throughout a search, so that what follows
    /// from an assumption does not depend on the claims before it.
    fn pursued(&self) -> u32;

    /// Takes a claim of no greater complexity.
    fn claim(&mut self, claim: &Claim);
}

/// A search on a board.
pub(super) struct Search<'a, I: Implications, C: Claims> {
    pub(super) board: &'a Board,
    pub(super) rules: Rules,
    pub(super) implications: &'a mut I,
    pub(super) claims: &'a mut C,
}

impl<I: Implications, C: Claims> Search<'_, I, C> {
    /// Hands over every claim. With static rules, there are only those from cells of three candidates and more, and from
    /// houses in which the first place is in such a cell.
    pub(super) fn run(&mut self, memory: &mut Memory) {
        let least = if self.rules.dynamic { 2 } else { 3 };
        let board = self.board;
        self.assume_all(memory);
        if self.claims.most() == 0 {
            return;
        }
        for cell in (0..CELLS).filter(|&cell| board.candidates(cell).count_ones() >= least) {
            let cases = Cases::of(digits(board.candidates(cell)).map(|digit| Node::new(cell, digit)));
            self.compare(memory, Kind::Cell, &cases);
            for digit in digits(board.candidates(cell)) {
                self.compare_houses(memory, cell, digit);
            }
        }
    }

    /// Compares the places of a digit in those houses of which a cell is the first place.
    fn compare_houses(&mut self, memory: &Memory, cell: usize, digit: usize) {
        for kind in [2, 0, 1] {
            let house = houses_of(cell)[kind];
            let places = self.board.places(digit, house);
            if usize::from(HOUSE_CELLS[house][places.trailing_zeros() as usize]) == cell {
                let cells = digits(places).map(|place| HOUSE_CELLS[house][place]);
                let cases = Cases::of(cells.map(|cell| Node::new(usize::from(cell), digit)));
                self.compare(memory, Kind::House(kind as u8), &cases);
            }
        }
    }

    /// Assumes each candidate on; with dynamic rules off too, for contradictions and for what follows from both.
    fn assume_all(&mut self, memory: &mut Memory) {
        let board = self.board;
        for (slot, (cell, digit)) in board.all().enumerate() {
            if self.claims.most() == 0 {
                return;
            }
            let node = Node::new(cell, digit);
            memory.new_slot(slot, node);
            let candidates = board.candidates(cell).count_ones();
            self.assume((node, true), memory, slot);
            if self.rules.dynamic && candidates >= 2 {
                self.assume((node, false), memory, slot);
                if candidates >= 3 {
                    self.compare_pair(node, &memory.found[slot], &memory.opposite);
                }
            }
        }
    }

    fn assume(&mut self, (node, on): Statement, memory: &mut Memory, slot: usize) {
        let Memory { propagation, opposite, found, .. } = memory;
        let found = if on { &mut found[slot] } else { &mut **opposite };
        // Without nested chains, dear statements may be left out at any time: they change nothing for the others.
        let most = if I::NESTED { self.claims.pursued() } else { self.claims.most() };
        propagation.pursue(self.board, (node, on), self.rules, most, self.implications, found);
        if let Some(conflict) = found.conflict.filter(|_| self.rules.dynamic) {
            self.claim(Kind::Conflict, (node, !on), conflict.complexity, &[(node, on)]);
        }
    }

    /// Claims what follows from a candidate on as well as off.
    fn compare_pair(&mut self, node: Node, on: &Consequences, off: &Consequences) {
        let assumed = [(node, true), (node, false)];
        for stands in [true, false] {
            for digit in 0..9 {
                for cell in on.of(digit, stands) & off.of(digit, stands) {
                    let target = (Node::new(cell, digit), stands);
                    self.claim_common(Kind::Pair, target, &assumed, |_, is_on| if is_on { on } else { off });
                }
            }
        }
    }

    /// Claims what follows from each of some candidates, one of which is on.
    fn compare(&mut self, memory: &Memory, kind: Kind, cases: &Cases) {
        let [(first, _), rest @ ..] = cases.all() else { return };
        if rest.is_empty() {
            return;
        }
        for stands in [true, false] {
            for digit in 0..9 {
                let of = |node: Node| memory.of(node).of(digit, stands);
                for cell in rest.iter().fold(of(*first), |all, case| all & of(case.0)) {
                    let target = (Node::new(cell, digit), stands);
                    self.claim_common(kind, target, cases.all(), |node, _| memory.of(node));
                }
            }
        }
    }

    fn claim_common<'f>(
        &mut self,
        kind: Kind,
        target: Statement,
        assumed: &[Statement],
        found: impl Fn(Node, bool) -> &'f Consequences,
    ) {
        let (node, stands) = target;
        let each = assumed.iter().map(|&(from, on)| found(from, on));
        let mut complexity = each.clone().map(|found| found.size(node, stands)).sum::<u32>();
        if I::NESTED && complexity <= self.claims.most() {
            let mut nested = Vec::new();
            each.for_each(|found| found.add_nested(node, stands, &mut nested));
            complexity += nested.iter().map(|chain| chain.complexity).sum::<u32>();
        }
        self.claim(kind, target, complexity, assumed);
    }

    fn claim(&mut self, kind: Kind, target: Statement, complexity: u32, assumed: &[Statement]) {
        let changes = !target.1 || self.board.candidates(target.0.cell()).count_ones() >= 2;
        if changes && complexity <= self.claims.most() {
            self.claims.claim(&Claim { target, complexity, kind, assumed });
        }
    }
}

/// Candidates assumed to be on, of which one is.
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
