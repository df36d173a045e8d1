//! The way back from a statement to the assumption: its links, and the candidates that had to go first.

use super::board::Board;
use super::consequences::{Cause, Conflict, for_each_parent};
use super::node::{Node, Via};
use super::origin::Origin;
use super::propagation::{Entries, Propagation, WORDS};
use crate::logic::deduction::Link;

impl Propagation {
    /// Returns the statements behind a statement, with itself.
    fn behind(&self, node: Node, on: bool) -> Entries {
        let (set, entry) = match on {
            true => (self.set_on[node.index()], self.entry_on[node.index()]),
            false => (self.set_off[node.index()], self.entry_off[node.index()]),
        };
        let mut entries = self.sets[usize::from(set)];
        entries[usize::from(entry) / 64] |= 1 << (entry % 64);
        entries
    }

    /// Returns the statements behind the last statement of a conflict, without itself.
    fn behind_last(&self, before: &Board, conflict: &Conflict) -> Entries {
        let mut entries = [0; WORDS];
        let mut unite =
            |node, on| entries.iter_mut().zip(self.behind(node, on)).for_each(|(all, more)| *all |= more);
        match conflict.cause {
            Cause::On(parent) => unite(parent, true),
            cause => for_each_parent(before, conflict.node, cause, |parent| unite(parent, false)),
        }
        entries
    }

    /// Returns the links from the assumption to a statement, in an order in which each rests on those before it.
    pub(super) fn links_to(&self, before: &Board, node: Node, on: bool) -> Vec<Link> {
        self.links_among(before, &self.behind(node, on))
    }

    /// Returns the links from the assumption to both statements of the conflict.
    pub(super) fn links_to_conflict(&self, before: &Board, conflict: &Conflict) -> Vec<Link> {
        let Conflict { node, last, cause, .. } = *conflict;
        let mut entries = self.behind(node, !last);
        entries.iter_mut().zip(self.behind_last(before, conflict)).for_each(|(all, more)| *all |= more);
        let mut links = self.links_among(before, &entries);
        self.push_links(before, (node, last), cause, &mut links);
        links
    }

    /// Adds to `origin` on which candidates, gone since `first`, a statement rests; `before` is the board that was
    /// pursued. The assumption counts as an on of the house, or of its cell, if it is one of several cases.
    pub(super) fn trace(
        &self,
        boards: (&Board, &Board),
        (node, on): (Node, bool),
        case: Option<Via>,
        origin: &mut Origin,
    ) {
        origin.next_target();
        self.trace_entries(boards, &self.behind(node, on), case, origin);
    }

    /// Adds to `origin` on which candidates a conflict rests.
    pub(super) fn trace_conflict(
        &self,
        (first, before): (&Board, &Board),
        conflict: &Conflict,
        origin: &mut Origin,
    ) {
        self.trace((first, before), (conflict.node, !conflict.last), None, origin);
        origin.next_target();
        origin.add(conflict.node, conflict.last);
        if let Cause::By(via) = conflict.cause {
            origin.rests_on(first, before, conflict.node, via);
        }
        self.trace_entries((first, before), &self.behind_last(before, conflict), None, origin);
    }

    fn trace_entries(
        &self,
        (first, before): (&Board, &Board),
        entries: &Entries,
        case: Option<Via>,
        origin: &mut Origin,
    ) {
        for entry in self.among(entries) {
            let (node, on) = self.entries[entry];
            origin.add(node, on);
            let via = match self.cause[entry] {
                Cause::By(via) => Some(via),
                Cause::Assumed if on => case,
                _ => None,
            };
            if let Some(via) = via {
                origin.rests_on(first, before, node, via);
            }
        }
    }

    fn among(&self, entries: &Entries) -> impl Iterator<Item = usize> {
        let entries = *entries;
        (0..self.len).filter(move |entry| entries[entry / 64] >> (entry % 64) & 1 != 0)
    }

    fn links_among(&self, before: &Board, entries: &Entries) -> Vec<Link> {
        let mut links = Vec::new();
        for entry in self.among(entries) {
            self.push_links(before, self.entries[entry], self.cause[entry], &mut links);
        }
        links
    }

    fn push_links(&self, before: &Board, (node, on): (Node, bool), cause: Cause, links: &mut Vec<Link>) {
        let to = node.says(on);
        match cause {
            Cause::Assumed => {}
            Cause::On(parent) => links.push(Link { from: parent.says(true), to }),
            Cause::Batch(index) => {
                let batch = self.offs.batches[usize::from(index)];
                let causes = &self.offs.nodes[batch.causes..batch.effects];
                links.extend(causes.iter().map(|parent| Link { from: parent.says(false), to }));
            }
            Cause::By(_) => {
                for_each_parent(before, node, cause, |parent| {
                    links.push(Link { from: parent.says(false), to });
                });
            }
        }
    }
}
