//! The solutions of the puzzles of a batch.

use std::iter;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{SearchEnd, Searched};

/// The solutions of the puzzles of a batch, in the order in which an engine found them:
/// [`GridSolver::list_until`](super::GridSolver::list_until) fills them in. A value is used again from batch to batch.
///
/// A solution takes as many bytes as it has cells, and some 24 more; what was never found takes none.
#[derive(Debug, Default)]
pub struct SolutionLists {
    /// The digits of all solutions.
    digits: Vec<u8>,
    links: Vec<Link>,
    lists: Vec<List>,
}

/// The place of a solution.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// The place where its digits begin.
    start: usize,
    /// The link of the next solution of the puzzle.
    next: Option<usize>,
}

/// The list of a puzzle.
#[derive(Clone, Copy, Debug)]
struct List {
    /// The cells of its solutions, once there is one.
    cells: usize,
    /// The links of the first and the last solution.
    ends: Option<(usize, usize)>,
    searched: Searched,
}

impl SolutionLists {
    /// Returns lists of no puzzles.
    #[must_use]
    pub fn new() -> SolutionLists {
        SolutionLists::default()
    }

    /// Returns the number of puzzles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lists.len()
    }

    /// Returns whether there are no puzzles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Iterates over the solutions of a puzzle, numbered from 0: digits in reading order.
    ///
    /// # Panics
    ///
    /// Where there is no such puzzle.
    pub fn solutions(&self, puzzle: usize) -> impl Iterator<Item = &[u8]> {
        let List { cells, ends, .. } = self.lists[puzzle];
        let links = iter::successors(ends.map(|(first, _)| first), |&at| self.links[at].next);
        links.map(move |at| &self.digits[self.links[at].start..][..cells])
    }

    /// Returns how the search of a puzzle went: [`SearchEnd::Stopped`] where it was stopped, or never begun.
    ///
    /// # Panics
    ///
    /// Where there is no such puzzle.
    #[must_use]
    pub fn searched(&self, puzzle: usize) -> Searched {
        self.lists[puzzle].searched
    }

    /// Clears the lists, for puzzles that have not been searched.
    pub(super) fn begin(&mut self, puzzles: usize) {
        const SEARCHED: Searched = Searched { solutions: 0, guesses: 0, end: SearchEnd::Stopped };
        self.digits.clear();
        self.links.clear();
        self.lists.clear();
        self.lists.resize(puzzles, List { cells: 0, ends: None, searched: SEARCHED });
    }

    /// Adds a solution to the list of a puzzle.
    pub(super) fn add(&mut self, puzzle: usize, digits: &[u8]) {
        let (list, link) = (&mut self.lists[puzzle], self.links.len());
        self.links.push(Link { start: self.digits.len(), next: None });
        self.digits.extend_from_slice(digits);
        if let Some((_, last)) = list.ends {
            self.links[last].next = Some(link);
        }
        list.cells = digits.len();
        list.ends = Some((list.ends.map_or(link, |(first, _)| first), link));
    }

    /// Sets how the search of a puzzle went.
    pub(super) fn close(&mut self, puzzle: usize, searched: Searched) {
        self.lists[puzzle].searched = searched;
    }
}

/// Lists the solutions of puzzles one after the other, with a function that hands out those of one. Returns how many
/// were searched to their ends.
pub(super) fn list_each<P>(
    puzzles: &[P],
    lists: &mut SolutionLists,
    stop: &AtomicBool,
    mut search: impl FnMut(&P, &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Searched,
) -> usize {
    lists.begin(puzzles.len());
    for (index, puzzle) in puzzles.iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            return index;
        }
        let searched = search(puzzle, &mut |digits| {
            lists.add(index, digits);
            ControlFlow::Continue(())
        });
        lists.close(index, searched);
        if searched.end == SearchEnd::Stopped {
            return index;
        }
    }
    puzzles.len()
}
