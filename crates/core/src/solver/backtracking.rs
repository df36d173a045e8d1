//! Backtracking cell by cell in reading order: the oldest way to solve a Sudoku by machine, and the oracle of
//! the tests.
//!
//! The next blank takes the lowest digit that its row, column and box leave free. If there is none, the blank
//! before it takes its next digit. The path through the blanks is the stack, so there is no recursion, and
//! memory is a few bytes for each cell. The cost is exponential in the number of blanks: microseconds for
//! most newspaper puzzles, but seconds for a 17-clue puzzle whose clues are unlucky for the reading order.
//!
//! Keep it this simple, because every other engine is tested against it. It shares with them only the map of houses,
//! which has a test against [`House`](crate::grid::House), the digits used in each house, and the account of guesses
//! and solutions. It works for any [`Shape`](crate::grid::Shape).

use std::ops::ControlFlow;

use super::engine::Watch;
use super::houses::{HouseMap, Used};
use super::search::{Flow, OneByOneEngine, SearchAccount};
use super::{Clues, EngineKind, TraceEvent};
use crate::grid::{Cell, Digit};

/// The backtracking engine, for any shape. It finds solutions in lexicographic order. A guess is a digit that
/// is placed while a higher one was possible too.
///
/// ```
/// use gridmill_core::grid::{Grid, Shape};
/// use gridmill_core::solver::{Backtracking, Bounds, SolutionEngine};
///
/// // How many grids of 4x4 are there?
/// let blank = Grid::empty(Shape::new(2, 2).unwrap());
/// assert_eq!(Backtracking::new().count(&blank, &Bounds::ALL).solutions, 288);
/// ```
#[derive(Debug, Default)]
pub struct Backtracking {
    map: HouseMap,
    cells: Vec<u8>,
    blanks: Vec<Cell>,
    used: Used,
}

impl Backtracking {
    /// Makes an engine that is ready for classic puzzles.
    #[must_use]
    pub fn new() -> Backtracking {
        Backtracking::default()
    }

    /// Searches as [`explore_clues`](OneByOneEngine::explore_clues) does, and passes every event to `watch`.
    pub(super) fn explore_watched(
        &mut self,
        clues: Clues<'_>,
        account: &mut SearchAccount<'_>,
        watch: &mut impl Watch,
    ) -> Flow {
        if self.set_up(clues) { self.run(account, watch) } else { ControlFlow::Continue(()) }
    }

    fn run(&mut self, account: &mut SearchAccount, watch: &mut impl Watch) -> Flow {
        let mut depth = 0;
        loop {
            let forward = match self.blanks.get(depth) {
                Some(&cell) => self.raise(cell, account, watch)?,
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

    /// Sets the clues. Returns false if two of them contradict each other.
    fn set_up(&mut self, Clues { shape, cells: clues }: Clues<'_>) -> bool {
        self.map.fit(shape);
        self.cells.clear();
        self.cells.extend_from_slice(clues);
        self.blanks.clear();
        self.blanks.reserve(clues.len());
        self.blanks.extend(Cell::all(shape).filter(|cell| clues[cell.index()] == 0));
        self.used = Used::default();
        self.used.add_clues(&self.map, clues)
    }

    /// Puts the next higher possible digit into a cell. Returns false if there is none, and leaves the cell
    /// empty then.
    fn raise(&mut self, cell: Cell, account: &mut SearchAccount, watch: &mut impl Watch) -> Flow<bool> {
        // The houses come from a map, because dividing by the side at every step took more than half of the
        // search.
        let houses = self.map.houses(cell.index());
        let before = self.cells[cell.index()];
        if let Some(digit) = Digit::new(before) {
            self.used.remove(houses, digit);
        }
        let possible = self.used.around(houses).complement(self.map.side());
        let next = possible.lowest_above(before);
        self.cells[cell.index()] = next.map_or(0, Digit::get);
        if let Some(digit) = next {
            self.used.add(houses, digit);
            let is_guess = possible.lowest_above(digit.get()).is_some();
            if is_guess {
                account.guess()?;
            }
            watch(TraceEvent::Filled { cell, digit, is_guess })?;
        } else if before == 0 {
            watch(TraceEvent::Dead { cell })?;
        } else {
            watch(TraceEvent::Cleared { cell })?;
        }
        ControlFlow::Continue(next.is_some())
    }
}

impl OneByOneEngine for Backtracking {
    const KIND: EngineKind = EngineKind::Backtracking;

    fn heap(&self) -> usize {
        self.map.heap() + self.cells.capacity() + self.blanks.capacity() * size_of::<Cell>()
    }

    fn explore_clues(&mut self, clues: Clues<'_>, account: &mut SearchAccount<'_>) -> Flow {
        self.explore_watched(clues, account, &mut |_| ControlFlow::Continue(()))
    }
}
