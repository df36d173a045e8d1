//! Which statements lead to their contrary by single chains: asked of all candidates at once, before any chain is looked
//! for.

use super::board::Board;
use super::node::{NODES, Node};
use super::single::{Links, for_each_strong, for_each_weak};

/// A set of linked candidates, by number.
type Row = [u64; 4];
/// How many linked candidates a row can hold; where there are more, every statement counts as leading to its contrary.
const MOST: usize = 256;

/// The consequences of each candidate on. Candidates with a strong link, which alone can follow, are numbered first.
#[derive(Debug, Default)]
pub(super) struct Reach {
    nodes: Vec<Node>,
    /// How many of the nodes have a strong link.
    linked: usize,
    /// For each candidate, its number.
    numbers: Vec<u16>,
    /// For each linked node, the ons that follow from it off.
    strong: Vec<Row>,
    /// For each node, the linked nodes that are off if it is on, and the ons that follow from it on.
    rows: Vec<(Row, Row)>,
}

impl Reach {
    /// Finds what follows from each candidate of a board.
    pub(super) fn set(&mut self, now: &Board, links: Links) {
        self.numbers.resize(NODES, 0);
        self.nodes.clear();
        self.strong.clear();
        self.rows.clear();
        self.number(now, links);
        if self.linked <= MOST {
            self.tie(now, links);
            for at in 0..self.nodes.len() {
                self.take_steps(now, links, at);
            }
            self.close();
        }
    }

    fn number(&mut self, now: &Board, links: Links) {
        let mut others = [Node(0); NODES];
        let mut count = 0;
        for (cell, digit) in now.all() {
            let node = Node::new(cell, digit);
            let mut linked = false;
            for_each_strong(now, node, links, |_, _| linked = true);
            if linked {
                self.push(node);
            } else {
                others[count] = node;
                count += 1;
            }
        }
        self.linked = self.nodes.len();
        others[..count].iter().for_each(|&node| self.push(node));
    }

    fn push(&mut self, node: Node) {
        self.numbers[usize::from(node.0)] = self.nodes.len() as u16;
        self.nodes.push(node);
    }

    fn number_of(&self, node: Node) -> usize {
        usize::from(self.numbers[usize::from(node.0)])
    }

    /// Notes the strong links.
    fn tie(&mut self, now: &Board, links: Links) {
        for at in 0..self.linked {
            let mut row = [0; 4];
            for_each_strong(now, self.nodes[at], links, |on, _| insert(&mut row, self.number_of(on)));
            self.strong.push(row);
        }
    }

    /// Adds the offs that follow from a node on, and the ons that follow from these.
    fn take_steps(&mut self, now: &Board, links: Links, at: usize) {
        let (mut weak, mut reached) = ([0; 4], [0; 4]);
        for_each_weak(now, self.nodes[at], links, |off, _| {
            let number = self.number_of(off);
            if number < self.linked {
                insert(&mut weak, number);
                unite(&mut reached, &self.strong[number]);
            }
        });
        self.rows.push((weak, reached));
    }

    /// Adds what follows from what follows.
    fn close(&mut self) {
        for via in 0..self.linked {
            let more = self.rows[via].1;
            for (_, reached) in &mut self.rows {
                if contains(reached, via) {
                    unite(reached, &more);
                }
            }
        }
    }

    /// Returns whether a statement may lead to its contrary.
    pub(super) fn refutes(&self, node: Node, on: bool) -> bool {
        let at = self.number_of(node);
        if self.linked > MOST {
            return true;
        }
        if on {
            let (weak, reached) = &self.rows[at];
            return (0..4).any(|word| weak[word] & reached[word] != 0);
        }
        at < self.linked
            && (0..self.linked)
                .any(|next| contains(&self.strong[at], next) && contains(&self.rows[next].1, at))
    }
}

fn insert(row: &mut Row, number: usize) {
    row[number / 64] |= 1 << (number % 64);
}

fn contains(row: &Row, number: usize) -> bool {
    row[number / 64] >> (number % 64) & 1 != 0
}

fn unite(row: &mut Row, other: &Row) {
    for word in 0..4 {
        row[word] |= other[word];
    }
}
