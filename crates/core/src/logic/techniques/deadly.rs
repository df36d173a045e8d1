//! Deadly patterns: cells that cannot all be without their extra digits, because the puzzle would then have two solutions
//! or none. Here is what unique rectangles and loops and the bivalue universal grave have in common.
//!
//! Type 2 concludes from one extra digit, type 3 from cells of a house, which act as one cell of a naked set:
//!
//! ```text
//!  1234 1235 | 34 45 | ...     If 12 alone in the first two cells is impossible, one of them is 3, 4 or 5: with 34
//!                              and 45 it makes a naked triplet.
//! ```

use crate::logic::cells::{
    CandidateSet, CellSet, HOUSE, cell_names, common_peers, digit_names, house, houses_of,
};
use crate::logic::finder::{Pattern, Sink};
use crate::logic::state::State;
use crate::logic::technique::{Rating, Technique};

/// Cells of which at least one holds an extra digit.
pub(crate) struct Deadly<'a> {
    pub(crate) state: &'a State,
    pub(crate) technique: Technique,
    /// The rating of types 1, 2 and 4.
    pub(crate) rating: Rating,
    /// The cells with extra digits.
    pub(crate) cells: CellSet,
    /// All their extra digits, as a mask.
    pub(crate) extra: u16,
    /// The candidates that every pattern shows.
    pub(crate) shown: CandidateSet,
    /// Returns the reason why one of the cells holds an extra digit.
    pub(crate) premise: &'a dyn Fn() -> String,
}

impl Deadly<'_> {
    /// Hands over what a type removes, `more` tenths above the rating. `conclusion` returns further candidates of the
    /// pattern, and what follows the premise in the reason.
    pub(crate) fn hand_over(
        &self,
        (kind, more): (u8, usize),
        house: Option<usize>,
        removed: CandidateSet,
        sink: &mut dyn Sink,
        conclusion: &dyn Fn() -> (CandidateSet, String),
    ) {
        sink.remove(self.technique, self.rating.plus(more as u16), removed, &|| {
            let (mut candidates, conclusion) = conclusion();
            candidates.unite(&self.shown);
            let reason = format!("type {kind}: {}{conclusion}", (self.premise)());
            Pattern { houses: house.into_iter().collect(), candidates, reason, ..Pattern::default() }
        });
    }

    /// Hands over what goes because one of the cells holds the only extra digit.
    pub(crate) fn type_2(&self, sink: &mut dyn Sink) {
        let removed = self.state.candidates_in(self.extra, common_peers(self.cells));
        self.hand_over((2, 0), None, removed, sink, &|| {
            let (cells, digit) = (cell_names(self.cells), digit_names(self.extra));
            let conclusion = format!(", so one of {cells} is {digit}, and no cell that sees them all is");
            (self.state.candidates_in(self.extra, self.cells), conclusion)
        });
    }

    /// Hands over what goes by naked sets up to a size, of one of the cells and others of a house. Each digit of a set is a
    /// candidate of another cell, or is `shared`. The patterns show some candidates besides the set.
    pub(crate) fn type_3(
        &self,
        index: usize,
        shared: u16,
        largest: usize,
        shown: &CandidateSet,
        sink: &mut dyn Sink,
    ) {
        let others = (self.state.empty() & HOUSE[index]) - self.cells;
        for size in self.extra.count_ones() as usize..=largest {
            let fits = |&cell: &usize| {
                let all = self.state.candidates(cell) | self.extra;
                all.count_ones() as usize <= size
            };
            let fitting = others.into_iter().filter(fits).collect();
            self.extend((shared, size), (CellSet::EMPTY, 0), fitting, &mut |cells, set| {
                let removed = self.state.candidates_in(set, others - cells);
                self.hand_over((3, size - 1), Some(index), removed, sink, &|| {
                    let (deadly, extra) = (cell_names(self.cells), digit_names(self.extra));
                    let (with, digits, house) = (cell_names(cells), digit_names(set), house(index));
                    let conclusion = format!(
                        ", so one of {deadly} is one of {extra}; with {with} it holds {digits}, which no other cell of \
                         {house} does"
                    );
                    let mut candidates = self.state.candidates_in(set, cells);
                    candidates.unite(shown);
                    (candidates, conclusion)
                });
            });
        }
    }

    /// Adds other cells to some and their digits, and calls `found` with the cells and digits of each naked set of that size
    /// that they make with the deadly cells, which act as one cell.
    fn extend(
        &self,
        (shared, size): (u16, usize),
        (cells, digits): (CellSet, u16),
        mut others: CellSet,
        found: &mut dyn FnMut(CellSet, u16),
    ) {
        let all = digits | self.extra;
        if all.count_ones() as usize > size {
            return;
        }
        if cells.len() + 1 == size {
            if all.count_ones() as usize == size && digits | shared == all {
                found(cells, all);
            }
            return;
        }
        while let Some(cell) = others.first() {
            others.remove(cell);
            let more = (cells | CellSet::of(cell), digits | self.state.candidates(cell));
            self.extend((shared, size), more, others, found);
        }
    }
}

/// Returns the houses that have all of some cells.
pub(crate) fn houses_of_all(cells: CellSet) -> impl Iterator<Item = usize> {
    let of_first = cells.first().map(houses_of).into_iter().flatten();
    of_first.filter(move |&house| cells.is_subset(HOUSE[house]))
}
