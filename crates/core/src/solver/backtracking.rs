//! Backtracking cell by cell in reading order: the oldest way to solve a Sudoku by machine, and the oracle
//! here.
//!
//! The next blank takes the lowest digit that its row, column and box leave free; when none is left, the
//! blank before it takes its next digit. The path through the blanks is the stack, so there is no
//! recursion, and memory is a few bytes a cell. The cost is exponential in the blanks: microseconds for
//! most newspaper puzzles, seconds for a 17-clue puzzle whose clues are unlucky for the reading order.
//!
//! It stays this simple on purpose: every other engine is tested against it. It works for any [`Shape`].

use std::ops::ControlFlow;

use super::account::SearchAccount;
use super::search::Explorer;
use super::trace::{TraceEvent, Unwatched, Watcher};
use super::{Clues, SearchEnd, SolverKind};
use crate::grid::{Cell, Digit, DigitSet, Shape};

/// The backtracking engine, for any shape. It finds solutions in lexicographic order. A guess is a digit
/// placed while a higher one was possible too.
///
/// ```
/// use gridmill_core::grid::{Grid, Shape};
/// use gridmill_core::solver::{Backtracking, Bounds, GridSolver};
///
/// // How many grids of 4x4 are there?
/// let blank = Grid::empty(Shape::new(2, 2).unwrap());
/// assert_eq!(Backtracking::new().count(&blank, &Bounds::ALL).solutions, 288);
/// ```
#[derive(Debug)]
pub struct Backtracking {
    shape: Shape,
    cells: Vec<u8>,
    blanks: Vec<Place>,
    /// The digits used in each house: rows, then columns, then boxes.
    used: Vec<DigitSet>,
}

/// A cell, and its row, column and box as indices of `used`. Known from the start, because dividing by the side at every
/// step took three quarters of the search.
#[derive(Clone, Copy, Debug)]
struct Place {
    cell: Cell,
    houses: [u8; 3],
}

impl Place {
    fn new(cell: Cell, shape: Shape) -> Place {
        let side = shape.side();
        let houses = [cell.row(shape), side + cell.column(shape), 2 * side + cell.in_box(shape)];
        Place { cell, houses: houses.map(|house| u8::try_from(house).expect("there are 75 houses at most")) }
    }
}

impl Backtracking {
    /// Returns an engine without memory yet.
    #[must_use]
    pub fn new() -> Backtracking {
        Backtracking { shape: Shape::CLASSIC, cells: Vec::new(), blanks: Vec::new(), used: Vec::new() }
    }

    /// Searches as [`explore`](Explorer::explore) does, before the eyes of a watcher.
    pub(super) fn explore_watched(
        &mut self,
        clues: Clues<'_>,
        account: &mut SearchAccount<'_>,
        watcher: &mut impl Watcher,
    ) -> ControlFlow<SearchEnd> {
        if self.set_up(clues) { self.run(account, watcher) } else { ControlFlow::Continue(()) }
    }

    fn run(&mut self, account: &mut SearchAccount, watcher: &mut impl Watcher) -> ControlFlow<SearchEnd> {
        let mut depth = 0;
        loop {
            let forward = match self.blanks.get(depth) {
                Some(&place) => self.raise(place, account, watcher)?,
                None => {
                    account.solution(&self.cells)?;
                    false
                }
            };
            if forward {
                depth += 1;
            } else if depth == 0 {
                return ControlFlow::Continue(());
            } else {
                depth -= 1;
            }
        }
    }

    /// Lays out the clues. Returns false if two of them contradict each other.
    fn set_up(&mut self, Clues { shape, cells: clues }: Clues<'_>) -> bool {
        self.shape = shape;
        self.cells.clear();
        self.cells.extend_from_slice(clues);
        self.blanks.clear();
        self.blanks.reserve(clues.len());
        self.used.clear();
        self.used.resize(3 * shape.side(), DigitSet::EMPTY);
        for place in Cell::all(shape).map(|cell| Place::new(cell, shape)) {
            match Digit::new(clues[place.cell.index()]) {
                None => self.blanks.push(place),
                Some(digit) if self.used_around(place).contains(digit) => return false,
                Some(digit) => self.set_used(place, |used| used.with(digit)),
            }
        }
        true
    }

    /// Puts the next higher possible digit into a cell, or empties it if there is none, which it returns.
    fn raise(
        &mut self,
        place: Place,
        account: &mut SearchAccount,
        watcher: &mut impl Watcher,
    ) -> ControlFlow<SearchEnd, bool> {
        let cell = place.cell;
        let before = self.cells[cell.index()];
        if let Some(digit) = Digit::new(before) {
            self.set_used(place, |used| used.without(digit));
        }
        let possible = self.used_around(place).complement(self.shape.side());
        let next = possible.lowest_above(before);
        self.cells[cell.index()] = next.map_or(0, Digit::get);
        if let Some(digit) = next {
            self.set_used(place, |used| used.with(digit));
            let is_guess = possible.lowest_above(digit.get()).is_some();
            if is_guess {
                account.guess()?;
            }
            watcher.event(TraceEvent::Filled { cell, digit, is_guess })?;
        } else if before == 0 {
            watcher.event(TraceEvent::Dead { cell })?;
        } else {
            watcher.event(TraceEvent::Cleared { cell })?;
        }
        ControlFlow::Continue(next.is_some())
    }

    fn used_around(&self, place: Place) -> DigitSet {
        let [row, column, in_box] = place.houses.map(|house| self.used[usize::from(house)]);
        row.union(column).union(in_box)
    }

    fn set_used(&mut self, place: Place, change: impl Fn(DigitSet) -> DigitSet) {
        for house in place.houses {
            let used = &mut self.used[usize::from(house)];
            *used = change(*used);
        }
    }
}

impl Default for Backtracking {
    fn default() -> Backtracking {
        Backtracking::new()
    }
}

impl Explorer for Backtracking {
    const KIND: SolverKind = SolverKind::Backtracking;

    fn explore(&mut self, clues: Clues<'_>, account: &mut SearchAccount<'_>) -> ControlFlow<SearchEnd> {
        self.explore_watched(clues, account, &mut Unwatched)
    }

    fn heap(&self) -> usize {
        let blanks = self.blanks.capacity() * size_of::<Place>();
        self.cells.capacity() + blanks + self.used.capacity() * size_of::<DigitSet>()
    }
}
