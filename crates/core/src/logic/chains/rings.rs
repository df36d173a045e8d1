//! Cycles: pairs of candidates of one digit of which one stands and the other does not.
//!
//! If "a is on" leads to "b is off" and that leads back to "a is on", one of a and b stands: whatever sees both
//! goes. The length of the cycle is the sum of both ways. So only pairs that some candidate sees are looked at, and
//! only for what such a pair would remove, the cycle itself is searched: it must not pass through the same
//! candidate twice nor through the cell of what it removes, and it must be without a short cut from at least one of
//! its statements.

use super::net::{Net, Row, bits, common, contains, first, insert, is_empty, meets, minus, unite};
use super::patterns;
use crate::logic::cell_set::{CandidateSet, CellSet};
use crate::logic::deduction::{Deduction, Sink};
use crate::logic::houses::PEERS;

/// How many links a search for one cycle may try.
const TRIES: usize = 4_000;

/// The search for cycles in a net.
#[derive(Debug)]
pub(crate) struct Rings<'a, const W: usize> {
    buffers: &'a mut RingBuffers<W>,
    /// The candidates that cycles have removed so far.
    removed: CandidateSet,
}

/// The memory of the search for cycles from level to level.
#[derive(Debug)]
pub(crate) struct RingBuffers<const W: usize> {
    /// The nodes that have partners.
    nodes: Vec<usize>,
    /// For each of them, the later nodes of its digit of which some candidate sees both, and to which no way back has
    /// been found.
    partners: Vec<Row<W>>,
    /// Pairs with a way back, but not yet a way there.
    open: Vec<Pair>,
}

impl<const W: usize> Default for RingBuffers<W> {
    fn default() -> Self {
        RingBuffers { nodes: Vec::new(), partners: Vec::new(), open: Vec::new() }
    }
}

/// Two nodes with a way from the second as "off" to the first as "on", by its level.
#[derive(Clone, Copy, Debug)]
struct Pair {
    on: usize,
    off: usize,
    back: usize,
}

impl<'a, const W: usize> Rings<'a, W> {
    /// Prepares the search in a net.
    pub(crate) fn of(net: &Net<W>, buffers: &'a mut RingBuffers<W>) -> Rings<'a, W> {
        buffers.nodes.clear();
        buffers.partners.clear();
        buffers.open.clear();
        for node in 0..net.linked {
            let partners = partners(net, node);
            if !is_empty(&partners) {
                buffers.nodes.push(node);
                buffers.partners.push(partners);
            }
        }
        let mut rings = Rings { buffers, removed: CandidateSet::EMPTY };
        rings.open(net, 0);
        rings
    }

    /// Finds the cycles that close in a level, from 1: those with `2 * level + 2` links.
    pub(crate) fn find(&mut self, net: &Net<W>, level: usize, deduction: &Deduction, sink: &mut dyn Sink) {
        if level <= net.depth {
            self.open(net, level);
        }
        let mut at = 0;
        while let Some(&pair) = self.buffers.open.get(at) {
            let there = level - pair.back;
            if meets(net.level(there, pair.on), &net.weak[pair.off]) {
                self.buffers.open.swap_remove(at);
                self.close(net, pair, there, deduction, sink);
            } else {
                at += 1;
            }
        }
    }

    /// Adds the pairs with a way back in a level.
    fn open(&mut self, net: &Net<W>, back: usize) {
        let RingBuffers { nodes, partners, open } = &mut *self.buffers;
        for (&on, partners) in nodes.iter().zip(partners) {
            let mut reached = [0; W];
            for next in bits(&net.strong[on]) {
                unite(&mut reached, net.level(back, next));
            }
            let found = common(&reached, partners);
            *partners = minus(partners, &found);
            open.extend(bits(&found).map(|off| Pair { on, off, back }));
        }
    }

    /// Finds the cycles through a pair that remove what no other has removed.
    fn close(&mut self, net: &Net<W>, pair: Pair, there: usize, deduction: &Deduction, sink: &mut dyn Sink) {
        let digit = net.nodes[pair.on].1;
        for cell in seen_by_both(net, pair.on, pair.off) {
            if self.removed.contains(cell, digit) {
                continue;
            }
            if let Some(ring) = Walk::around(net, pair, there, cell) {
                let deduction = Deduction { removed: removed_by(net, &ring), ..deduction.clone() };
                self.removed.unite(&deduction.removed);
                sink.found(&deduction, &|| patterns::cycle(net, deduction.technique, &ring));
            }
        }
    }
}

/// Returns the later nodes with the digit of this one, of which some candidate sees both.
fn partners<const W: usize>(net: &Net<W>, node: usize) -> Row<W> {
    let mut row = [0; W];
    let digit = net.nodes[node].1;
    for other in node + 1..net.linked {
        if net.nodes[other].1 != digit {
            break;
        }
        if !seen_by_both(net, node, other).is_empty() {
            insert(&mut row, other);
        }
    }
    row
}

/// Returns the cells that see two nodes of one digit and may hold that digit.
fn seen_by_both<const W: usize>(net: &Net<W>, one: usize, other: usize) -> CellSet {
    PEERS[net.cell(one)] & PEERS[net.cell(other)] & net.state().cells_of(net.nodes[one].1)
}

/// Returns what a cycle removes: candidates outside its cells that see their digit on and off in it.
fn removed_by<const W: usize>(net: &Net<W>, ring: &[usize]) -> CandidateSet {
    let mut seen = [[CellSet::EMPTY; 9]; 2];
    let mut cells = CellSet::EMPTY;
    for (at, &node) in ring.iter().enumerate() {
        let (cell, digit) = net.nodes[node];
        cells.insert(cell);
        seen[at % 2][digit] |= PEERS[cell];
    }
    let mut removed = CandidateSet::EMPTY;
    for digit in 0..9 {
        removed.insert_all(digit, (seen[0][digit] & seen[1][digit] & net.state().cells_of(digit)) - cells);
    }
    removed
}

/// A depth-first search for a cycle along shortest ways.
struct Walk<'a, const W: usize> {
    net: &'a Net<W>,
    pair: Pair,
    /// The cell that the cycle must not touch.
    barred: usize,
    used: Row<W>,
    /// The statements, on and off in turn.
    ring: Vec<usize>,
    tries: usize,
}

impl<'a, const W: usize> Walk<'a, W> {
    /// Returns a cycle through a pair which does not touch the cell, if there is one.
    fn around(net: &'a Net<W>, pair: Pair, there: usize, barred: usize) -> Option<Vec<usize>> {
        let mut walk = Walk { net, pair, barred, used: [0; W], ring: Vec::new(), tries: TRIES };
        (walk.enter(pair.on) && walk.there(pair.on, there)).then_some(walk.ring)
    }

    /// Adds a node, unless it is there already or its cell is barred.
    fn enter(&mut self, node: usize) -> bool {
        let free = !contains(&self.used, node) && self.net.cell(node) != self.barred && self.tries > 0;
        if free {
            self.tries -= 1;
            insert(&mut self.used, node);
            self.ring.push(node);
        }
        free
    }

    fn leave(&mut self) {
        if let Some(node) = self.ring.pop() {
            self.used[node / 64] &= !(1 << (node % 64));
        }
    }

    /// Goes on from an "on" to the "off" of the pair, so many levels away.
    fn there(&mut self, on: usize, level: usize) -> bool {
        let net = self.net;
        if level == 0 {
            return contains(&net.weak[on], self.pair.off) && self.through(self.pair.off, Walk::turn);
        }
        let goal = self.pair.off;
        let nearer = |&next: &usize| net.level_off(next, goal) == Some(level - 1);
        self.offs_after(on).any(|off| {
            self.through(off, |walk| {
                bits(&net.strong[off])
                    .filter(nearer)
                    .any(|next| walk.through(next, |walk| walk.there(next, level - 1)))
            })
        })
    }

    /// Goes on from the "off" of the pair.
    fn turn(&mut self) -> bool {
        let (net, pair) = (self.net, self.pair);
        bits(&net.strong[pair.off])
            .any(|next| net.level_on(next, pair.on) == Some(pair.back) && self.arrive(next, pair.back))
    }

    /// Enters an "on" on the way back, or closes the cycle.
    fn arrive(&mut self, on: usize, level: usize) -> bool {
        if level == 0 { self.is_found() } else { self.through(on, |walk| walk.back(on, level)) }
    }

    /// Goes on from an "on" to the "on" of the pair, so many levels away.
    fn back(&mut self, on: usize, level: usize) -> bool {
        let (net, goal) = (self.net, self.pair.on);
        let nearer = |&next: &usize| net.level_on(next, goal) == Some(level - 1);
        self.offs_after(on).any(|off| {
            self.through(off, |walk| {
                bits(&net.strong[off]).filter(nearer).any(|next| walk.arrive(next, level - 1))
            })
        })
    }

    /// Returns what an "on" excludes and a strong link leads on from.
    fn offs_after(&self, on: usize) -> impl Iterator<Item = usize> + use<W> {
        bits(&common(&self.net.weak[on], &first(self.net.linked)))
    }

    /// Enters a node and goes on; leaves it where that fails.
    fn through(&mut self, node: usize, then: impl FnOnce(&mut Self) -> bool) -> bool {
        if !self.enter(node) {
            return false;
        }
        let found = then(self);
        if !found {
            self.leave();
        }
        found
    }

    /// Returns whether the cycle is without a short cut from one of its statements.
    fn is_found(&self) -> bool {
        let (net, ring) = (self.net, &self.ring);
        let count = ring.len();
        let whole = Some(count / 2 - 1);
        (0..count).any(|at| {
            // In the other direction, "off" becomes "on".
            let last = if at % 2 == 0 { at + count - 2 } else { at + 2 };
            net.level_on(ring[at], ring[last % count]) == whole
        })
    }
}
