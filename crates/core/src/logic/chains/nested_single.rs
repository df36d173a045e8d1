//! Single chains and cycles as implications: those that the candidates gone since an assumption make possible.
//!
//! They are those of [`SingleChains`](super::SingleChains), and the [net](super::net) tells which candidates lead to their
//! contrary. But here it counts which of several shortest chains is taken, because what had to go first depends on it: the
//! one that Sudoku Explainer finds, statement by statement. Of two deductions that remove the same, the one with the
//! lower rating counts, and then the shorter one.

use super::Nets;
use super::dynamic::rated;
use super::implications::{NestedChain, Offs};
use super::links::{Candidate, Links, Via};
use super::nested::Origin;
use super::net::{Net, OnNet};
use super::single::{Pairs, removed_by_cycle};
use crate::logic::cell_set::CandidateSet;
use crate::logic::state::{State, digits};
use crate::logic::technique::Technique;

/// A chain or a cycle that removes something.
#[derive(Clone, Copy, Debug)]
struct Hit {
    technique: Technique,
    complexity: u32,
    start: Candidate,
    removed: CandidateSet,
    origin: Origin,
}

/// A statement on the way: the one before it, and how it follows.
#[derive(Clone, Copy, Debug)]
struct Step {
    candidate: Candidate,
    on: bool,
    /// The index of the step before; that of the start is its own.
    from: u16,
    via: Via,
    /// How many statements there are from the start, with both.
    length: u16,
}

/// The search for chains and cycles, and its memory.
#[derive(Debug, Default)]
pub(super) struct SingleImplications {
    nets: Nets,
    /// What follows from one statement, and the statements that have been reached: each once.
    steps: Vec<Step>,
    on: CandidateSet,
    off: CandidateSet,
    hits: Vec<Hit>,
}

/// The states before an assumption and now, and what may lead from one statement to the next.
#[derive(Clone, Copy)]
struct Narrowed<'a> {
    before: &'a State,
    now: &'a State,
    links: Links,
    /// The greatest complexity that is of use.
    most: u32,
}

impl SingleImplications {
    /// Adds what goes by chains and cycles of a complexity up to `most` that rest on candidates gone since `before`.
    pub(super) fn further(&mut self, before: &State, now: &State, most: u32, offs: &mut Offs) {
        self.hits.clear();
        for links in Links::all() {
            self.find(Narrowed { before, now, links, most });
        }
        self.hits.sort_by_key(|hit| {
            let rating = rated(hit.technique.least(), hit.complexity);
            let is_y = hit.technique == Technique::YCycle;
            (rating, hit.complexity, is_y, hit.start.cell(), hit.start.digit())
        });
        for (index, hit) in self.hits.iter().enumerate() {
            if self.hits[..index].iter().all(|better| better.removed != hit.removed) {
                let chain = NestedChain { hash: hit.origin.hash, complexity: hit.complexity };
                let removed = hit.removed.iter().map(|(cell, digit)| Candidate::new(cell, digit));
                offs.add_by(Some(chain), hit.origin.candidates(), removed);
            }
        }
    }

    /// Finds the chains and cycles with some kind of links.
    fn find(&mut self, narrowed: Narrowed) {
        let Narrowed { now, links, most, .. } = narrowed;
        let (cycle, chain) = links.techniques();
        let mut refuted = Refuted { level: (most as usize).saturating_sub(2) / 2, ..Refuted::default() };
        if chain.is_some() {
            self.nets.with_net(now, links, &mut refuted);
        }
        for digit in links.digits() {
            for cell in now.cells_of(digit) {
                if now.candidates(cell).is_power_of_two() {
                    continue;
                }
                let start = Candidate::new(cell, digit);
                self.find_cycles(narrowed, cycle, start);
                let Some(chain) = chain else { continue };
                if refuted.on.contains(cell, digit) {
                    self.find_chain(narrowed, chain, (start, true));
                }
                if refuted.off.contains(cell, digit) {
                    self.find_chain(narrowed, chain, (start, false));
                }
            }
        }
    }

    fn start(&mut self, (candidate, on): (Candidate, bool)) {
        self.steps.clear();
        (self.on, self.off) = (CandidateSet::EMPTY, CandidateSet::EMPTY);
        self.steps.push(Step { candidate, on, from: 0, via: Via::Cell, length: 1 });
        self.reach(candidate, on);
    }

    /// Notes that a statement has been reached, and returns whether it is the first time.
    fn reach(&mut self, candidate: Candidate, on: bool) -> bool {
        let known = if on { &mut self.on } else { &mut self.off };
        let is_new = !known.contains(candidate.cell(), candidate.digit());
        known.insert(candidate.cell(), candidate.digit());
        is_new
    }

    fn push(&mut self, candidate: Candidate, from: usize, via: Via) {
        let Step { on, length, .. } = self.steps[from];
        self.steps.push(Step { candidate, on: !on, from: from as u16, via, length: length + 1 });
    }

    /// Finds the shortest chain from a statement to its contrary.
    fn find_chain(&mut self, narrowed: Narrowed, technique: Technique, start: (Candidate, bool)) {
        let Narrowed { now, links, most, .. } = narrowed;
        self.start(start);
        let mut at = 0;
        while at < self.steps.len() && u32::from(self.steps[at].length) < most {
            let Step { candidate, on, .. } = self.steps[at];
            let known = self.steps.len();
            let follow = |next, via| {
                if self.reach(next, !on) {
                    self.push(next, at, via);
                }
            };
            if on {
                links.each_weak(now, candidate, follow);
            } else {
                links.each_strong(now, candidate, follow);
            }
            let contrary = |step: &Step| step.candidate == start.0 && step.on != start.1;
            if let Some(end) = (known..self.steps.len()).find(|&end| contrary(&self.steps[end])) {
                return self.hit_chain(narrowed, technique, end);
            }
            at += 1;
        }
    }

    fn hit_chain(&mut self, Narrowed { before, now, .. }: Narrowed, technique: Technique, end: usize) {
        let Step { candidate: start, on, length, .. } = self.steps[end];
        let (cell, digit) = (start.cell(), start.digit());
        let gone = if on { now.candidates(cell) & !(1 << digit) } else { 1 << digit };
        let mut removed = CandidateSet::EMPTY;
        digits(gone).for_each(|other| removed.insert(cell, other));
        let mut origin = Origin::NONE;
        for step in self.way(end) {
            origin.add(step.candidate, step.on);
            if step.on && step.length > 1 {
                origin.rests_on(before, now, step.candidate, step.via);
            }
        }
        self.hits.push(Hit { technique, complexity: u32::from(length), start, removed, origin });
    }

    /// Returns the steps to an index, back to the start.
    fn way(&self, end: usize) -> impl Iterator<Item = Step> + Clone + '_ {
        std::iter::successors(Some(end), |&at| (at != 0).then(|| usize::from(self.steps[at].from)))
            .map(|at| self.steps[at])
    }

    /// Returns whether a candidate is not off on the way to an index.
    fn is_free(&self, off: Candidate, end: usize) -> bool {
        self.way(end).all(|step| step.on || step.candidate != off)
    }

    /// Finds the cycles through an on that remove something.
    fn find_cycles(&mut self, narrowed: Narrowed, technique: Technique, start: Candidate) {
        let Narrowed { now, links, most, .. } = narrowed;
        if links == Links::Y && now.candidates(start.cell()).count_ones() > 2 {
            return;
        }
        let mut ends = [(start, Via::Cell); 4];
        let mut count = 0;
        links.each_strong(now, start, |end, via| {
            ends[count] = (end, via);
            count += 1;
        });
        let ends = &ends[..count];
        self.start((start, true));
        let mut at = 0;
        while !ends.is_empty() && at < self.steps.len() && u32::from(self.steps[at].length) < most {
            let Step { candidate, length, .. } = self.steps[at];
            links.each_weak(now, candidate, |off, via| {
                if let Some(&(_, back)) = ends.iter().find(|(end, _)| *end == off)
                    && length > 2
                    && self.is_free(off, at)
                {
                    self.hit_cycle(narrowed, technique, at, (off, via), back);
                }
                links.each_strong(now, off, |next, strong| {
                    if !self.on.contains(next.cell(), next.digit()) && self.is_free(off, at) {
                        self.on.insert(next.cell(), next.digit());
                        self.push(off, at, via);
                        self.push(next, self.steps.len() - 1, strong);
                    }
                });
            });
            // The ons are at even places: each comes after its off.
            at += 2;
        }
    }

    /// Keeps a cycle that goes on from a step with an off, and from there back to the start.
    fn hit_cycle(
        &mut self,
        Narrowed { before, now, .. }: Narrowed,
        technique: Technique,
        end: usize,
        (off, via): (Candidate, Via),
        back: Via,
    ) {
        let length = self.steps[end].length + 1;
        let last = Step { candidate: off, on: false, from: end as u16, via, length };
        let cycle = self.way(end).chain([last]);
        let removed = removed_by_cycle(now, cycle.clone().map(|step| (step.candidate, step.on)));
        if removed.is_empty() {
            return;
        }
        let mut origin = Origin::NONE;
        for step in cycle {
            origin.add(step.candidate, step.on);
            // Its links count both ways.
            let via = if step.length == 1 { back } else { step.via };
            origin.rests_on(before, now, step.candidate, via);
        }
        let start = self.steps[0].candidate;
        self.hits.push(Hit { technique, complexity: u32::from(length), start, removed, origin });
    }
}

/// The candidates that lead to their contrary, on or off, up to a level of the net.
#[derive(Debug, Default)]
struct Refuted {
    level: usize,
    on: CandidateSet,
    off: CandidateSet,
}

impl OnNet for &mut Refuted {
    fn run<const W: usize>(self, net: &mut Net<W>, _: &mut Pairs<W>) {
        net.extend_to(self.level);
        for (node, start) in net.nodes.iter().enumerate() {
            if net.refutes_on(self.level, node) {
                self.on.insert(start.cell(), start.digit());
            }
            if net.refutes_off(self.level, node) {
                self.off.insert(start.cell(), start.digit());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(row: usize, column: usize) -> usize {
        row * 9 + column - 10
    }

    /// Returns what goes once r1c5 is not 5, where 5 has two other places in row 1 and two in row 9: the causes, what
    /// goes, and the complexity.
    fn further(row_9: [usize; 2], most: u32) -> Vec<(Vec<Candidate>, Vec<Candidate>, Option<u32>)> {
        let mut before = State::BLANK;
        for column in (1..=9).filter(|column| ![1, 5, 9].contains(column)) {
            before.remove(at(1, column), 4);
        }
        for column in (1..=9).filter(|column| !row_9.contains(column)) {
            before.remove(at(9, column), 4);
        }
        let mut now = before.clone();
        now.remove(at(1, 5), 4);
        let mut offs = Offs::default();
        SingleImplications::default().further(&before, &now, most, &mut offs);
        offs.batches()
            .zip(offs.complexities())
            .map(|((causes, effects), chain)| (causes, effects, chain))
            .collect()
    }

    fn fives(cells: &[usize]) -> Vec<Candidate> {
        cells.iter().map(|&cell| Candidate::new(cell, 4)).collect()
    }

    #[test]
    fn an_x_chain_rests_on_what_has_gone_from_the_row_of_a_strong_link() {
        let cells = [at(2, 8), at(3, 8), at(7, 9), at(8, 9)];
        let expected = cells.map(|cell| (fives(&[at(1, 5)]), fives(&[cell]), Some(6)));
        assert_eq!(further([1, 8], 100), expected);
        assert_eq!(further([1, 8], 6), expected);
        assert_eq!(further([1, 8], 5), []);
    }

    #[test]
    fn a_cycle_takes_its_digit_from_all_houses_of_its_weak_links() {
        let found = further([1, 9], 100);
        let columns = (2..=8).flat_map(|row| [at(row, 1), at(row, 9)]).collect::<Vec<_>>();
        assert_eq!(found[0], (fives(&[at(1, 5)]), fives(&columns), Some(4)));
    }

    #[test]
    fn chains_that_were_there_before_are_left_out() {
        // Rows 1 and 9 have two places each, and had no more before.
        let mut board = State::BLANK;
        for column in 2..=8 {
            board.remove(at(1, column), 4);
            board.remove(at(9, column), 4);
        }
        let mut offs = Offs::default();
        SingleImplications::default().further(&board, &board, 100, &mut offs);
        assert_eq!(offs.len(), 0);
    }
}
