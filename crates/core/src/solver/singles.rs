//! Naked singles, then a guess: the solver that most people write first.
//!
//! It fills every cell with one candidate, over and over, until no such cell is left. Then it saves the state
//! on a stack, and the first blank takes its lowest candidate. When a cell without a candidate turns up, the
//! state on top of the stack is restored, and its cell takes the next candidate. The idea is constraint
//! propagation as David Waltz did it on line drawings (1972): arc consistency at the nodes of a depth-first
//! search.
//!
//! A round over the cells looks at three masks for each cell, and a guess copies a state of less than a
//! kilobyte. The time is exponential in the number of cells that singles leave open. That is far better than
//! plain backtracking, but far worse than an engine that chooses where it guesses.

use std::ops::ControlFlow;

use super::engine::Watch;
use super::houses::{HouseMap, MAX_CELLS, Used};
use super::search::{Flow, OneByOneEngine, SearchAccount};
use super::{Clues, EngineKind, TraceEvent};
use crate::grid::{Cell, Digit, DigitSet};

/// The singles engine, for any shape. A guess is a digit put into a cell that has a higher candidate.
///
/// ```
/// use gridmill_core::grid::{Grid, Puzzle};
/// use gridmill_core::solver::{Bounds, SolutionEngine, Singles};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse().unwrap();
/// let searched = Singles::new().count(&Grid::from(puzzle), &Bounds::ALL);
/// assert_eq!((searched.solutions, searched.guesses), (1, 0));
/// ```
#[derive(Debug, Default)]
pub struct Singles {
    map: HouseMap,
    guesses: Vec<OpenGuess>,
}

/// A digit that was guessed in a cell, and the state before.
#[derive(Debug)]
struct OpenGuess {
    before: PartialGrid,
    cell: usize,
    digit: Digit,
}

/// The cells as far as they are filled.
#[derive(Clone, Copy, Debug)]
struct PartialGrid {
    cells: [u8; MAX_CELLS],
    used: Used,
}

/// The result of filling naked singles.
enum SinglesResult {
    /// Every cell is filled.
    Solved,
    /// No cell has exactly one candidate; the index is that of the first blank.
    Stuck(usize),
    /// A cell has no candidate.
    Dead,
}

impl Singles {
    /// Makes an engine that is ready for classic puzzles.
    #[must_use]
    pub fn new() -> Singles {
        Singles::default()
    }

    /// Searches as [`explore_clues`](OneByOneEngine::explore_clues) does, and passes every event to `watch`.
    pub(super) fn explore_watched(
        &mut self,
        clues: Clues<'_>,
        account: &mut SearchAccount<'_>,
        watch: &mut impl Watch,
    ) -> Flow {
        self.map.fit(clues.shape);
        self.guesses.clear();
        // There are never more guesses than cells, because each guess fills a cell.
        self.guesses.reserve(clues.cells.len());
        match PartialGrid::from_clues(clues.cells, &self.map) {
            Some(state) => self.run(state, account, watch),
            None => ControlFlow::Continue(()),
        }
    }

    fn run(&mut self, mut state: PartialGrid, account: &mut SearchAccount, watch: &mut impl Watch) -> Flow {
        loop {
            match state.fill_singles(&self.map, watch)? {
                SinglesResult::Solved => account.solution(state.cells(&self.map))?,
                SinglesResult::Stuck(cell) => {
                    let digit = state.candidates(cell, &self.map).lowest();
                    let digit = digit.expect("a stuck cell has candidates");
                    account.guess()?;
                    self.guesses.push(OpenGuess { before: state, cell, digit });
                    state.place(cell, digit, &self.map);
                    watch(TraceEvent::Filled { cell: Cell::new(cell), digit, is_guess: true })?;
                    continue;
                }
                SinglesResult::Dead => {}
            }
            if !self.next_guess(&mut state, account, watch)? {
                return ControlFlow::Continue(());
            }
        }
    }

    /// Backtracks to the last guess, and tries the next candidate of its cell. Returns false if no guess is
    /// open.
    fn next_guess(
        &mut self,
        state: &mut PartialGrid,
        account: &mut SearchAccount,
        watch: &mut impl Watch,
    ) -> Flow<bool> {
        let Some(guess) = self.guesses.last_mut() else { return ControlFlow::Continue(false) };
        state.report_cleared(&guess.before, &self.map, watch)?;
        *state = guess.before;
        let candidates = state.candidates(guess.cell, &self.map);
        let digit = candidates.lowest_above(guess.digit.get()).expect("a guess leaves a candidate");
        state.place(guess.cell, digit, &self.map);
        let is_guess = candidates.lowest_above(digit.get()).is_some();
        watch(TraceEvent::Filled { cell: Cell::new(guess.cell), digit, is_guess })?;
        if is_guess {
            account.guess()?;
            guess.digit = digit;
        } else {
            self.guesses.pop();
        }
        ControlFlow::Continue(true)
    }
}

impl PartialGrid {
    /// The state that the clues leave. `None` if two of them contradict each other.
    fn from_clues(clues: &[u8], map: &HouseMap) -> Option<PartialGrid> {
        let mut state = PartialGrid { cells: [0; MAX_CELLS], used: Used::default() };
        state.cells[..clues.len()].copy_from_slice(clues);
        state.used.add_clues(map, clues).then_some(state)
    }

    fn cells(&self, map: &HouseMap) -> &[u8] {
        &self.cells[..map.side() * map.side()]
    }

    #[inline]
    fn candidates(&self, cell: usize, map: &HouseMap) -> DigitSet {
        self.used.around(map.houses(cell)).complement(map.side())
    }

    #[inline]
    fn place(&mut self, cell: usize, digit: Digit, map: &HouseMap) {
        self.cells[cell] = digit.get();
        self.used.add(map.houses(cell), digit);
    }

    /// Reports the cells that are filled now but were empty before, the last one first.
    fn report_cleared(&self, before: &PartialGrid, map: &HouseMap, watch: &mut impl Watch) -> Flow {
        let cells = self.cells(map).iter().zip(before.cells(map)).enumerate();
        let mut cleared = cells.rev().filter(|(_, (now, before))| now != before);
        cleared.try_for_each(|(cell, _)| watch(TraceEvent::Cleared { cell: Cell::new(cell) }))
    }

    fn fill_singles(&mut self, map: &HouseMap, watch: &mut impl Watch) -> Flow<SinglesResult> {
        loop {
            let mut first = None;
            let mut filled = false;
            for cell in 0..map.side() * map.side() {
                if self.cells[cell] != 0 {
                    continue;
                }
                let candidates = self.candidates(cell, map);
                match candidates.lowest() {
                    None => {
                        watch(TraceEvent::Dead { cell: Cell::new(cell) })?;
                        return ControlFlow::Continue(SinglesResult::Dead);
                    }
                    Some(digit) if candidates.is_single() => {
                        self.place(cell, digit, map);
                        watch(TraceEvent::Filled { cell: Cell::new(cell), digit, is_guess: false })?;
                        filled = true;
                    }
                    Some(_) => first = first.or(Some(cell)),
                }
            }
            if !filled {
                return ControlFlow::Continue(first.map_or(SinglesResult::Solved, SinglesResult::Stuck));
            }
        }
    }
}

impl OneByOneEngine for Singles {
    const KIND: EngineKind = EngineKind::Singles;

    fn heap(&self) -> usize {
        self.map.heap() + self.guesses.capacity() * size_of::<OpenGuess>()
    }

    fn explore_clues(&mut self, clues: Clues<'_>, account: &mut SearchAccount<'_>) -> Flow {
        self.explore_watched(clues, account, &mut |_| ControlFlow::Continue(()))
    }
}
