//! Accounts of puzzles of any shape.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::any_sweep::MAX_SIDE;
use super::batch_state::{BatchState, Wanted, nanos_of_a_share};
use crate::grid::Grid;
use crate::solver::search::Tally;
use crate::solver::{End, GridBatch, GridOutcome};

/// The digits of a solution on their way.
type Digits = [u8; MAX_SIDE * MAX_SIDE];

/// One puzzle, whose solutions are handed out in order.
pub(super) struct Single<'a, 'b> {
    grid: &'a Grid,
    tally: &'a mut Tally<'b>,
    digits: Digits,
    /// Breaks when the search must end.
    pub(super) flow: ControlFlow<End>,
}

impl<'a, 'b> Single<'a, 'b> {
    pub(super) fn new(grid: &'a Grid, tally: &'a mut Tally<'b>) -> Single<'a, 'b> {
        Single { grid, tally, digits: [0; MAX_SIDE * MAX_SIDE], flow: ControlFlow::Continue(()) }
    }
}

impl BatchState for Single<'_, '_> {
    fn len(&self) -> usize {
        1
    }

    fn clues(&self, _puzzle: usize) -> &[u8] {
        self.grid.cells()
    }

    fn may_share(&self) -> bool {
        false
    }

    fn is_over(&mut self) -> bool {
        self.flow.is_break()
    }

    fn open(&mut self, _puzzle: usize) {}

    fn reopen(&mut self, _puzzle: usize) {}

    fn charge(&mut self, _puzzle: usize, _shares: u64) {}

    fn guess(&mut self, _puzzle: usize) -> bool {
        self.flow = self.tally.guess();
        self.flow.is_continue()
    }

    fn solution(&mut self, _puzzle: usize) -> Wanted {
        Wanted { digits: true, more: true }
    }

    fn digits(&mut self, _puzzle: usize) -> &mut [u8] {
        &mut self.digits[..self.grid.cells().len()]
    }

    fn written(&mut self, _puzzle: usize) {
        self.flow = self.tally.solution(&self.digits[..self.grid.cells().len()]);
    }

    fn close(&mut self, _sweeps: u64, _begun: Instant) {}
}

/// Puzzles of one shape, and what came of each.
pub(super) struct GridBatchState<'a> {
    batch: GridBatch<'a>,
    outcomes: &'a mut [GridOutcome],
    digits: Digits,
    deadline: Option<Instant>,
    /// How often it was asked whether the search is over.
    asked: u64,
    /// Was the search stopped?
    pub(super) is_stopped: bool,
}

/// Sweeps from one look at the clock to the next.
const LOOK_INTERVAL: u64 = 64;

impl<'a> GridBatchState<'a> {
    pub(super) fn new(batch: GridBatch<'a>, outcomes: &'a mut [GridOutcome]) -> GridBatchState<'a> {
        let (digits, deadline) = ([0; MAX_SIDE * MAX_SIDE], batch.bounds.deadline());
        let mut sheet = GridBatchState { batch, outcomes, digits, deadline, asked: 0, is_stopped: false };
        (0..batch.grids.len()).for_each(|puzzle| sheet.open(puzzle));
        sheet
    }
}

impl BatchState for GridBatchState<'_> {
    fn len(&self) -> usize {
        self.batch.grids.len()
    }

    fn clues(&self, puzzle: usize) -> &[u8] {
        self.batch.grids[puzzle].cells()
    }

    /// All solutions may be counted in any order, too.
    fn may_share(&self) -> bool {
        let all = self.batch.bounds.solution_limit() == u64::MAX && !self.batch.keeps_solutions;
        let ends = self.batch.bounds.guess_limit() != u64::MAX || self.deadline.is_some();
        !ends && (all || self.batch.bounds.solution_limit() == 2)
    }

    fn is_over(&mut self) -> bool {
        self.is_stopped = self.is_stopped || self.batch.stop.load(Ordering::Relaxed);
        let looks = self.asked.is_multiple_of(LOOK_INTERVAL);
        self.asked += 1;
        self.is_stopped || looks && self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// A puzzle counts as given up until its search is done.
    fn open(&mut self, puzzle: usize) {
        let only_counted = !self.batch.keeps_solutions;
        self.outcomes[puzzle] = GridOutcome { only_counted, is_given_up: true, ..GridOutcome::NONE };
    }

    fn reopen(&mut self, puzzle: usize) {
        let nanos = self.outcomes[puzzle].nanos;
        self.open(puzzle);
        self.outcomes[puzzle].nanos = nanos;
    }

    fn charge(&mut self, puzzle: usize, shares: u64) {
        let outcome = &mut self.outcomes[puzzle];
        outcome.nanos += shares;
        outcome.is_given_up = outcome.guesses > self.batch.bounds.guess_limit();
        outcome.guesses -= u64::from(outcome.is_given_up);
    }

    fn guess(&mut self, puzzle: usize) -> bool {
        // One too many says that the puzzle is to be given up.
        let outcome = &mut self.outcomes[puzzle];
        outcome.guesses += 1;
        outcome.guesses <= self.batch.bounds.guess_limit()
    }

    fn solution(&mut self, puzzle: usize) -> Wanted {
        let outcome = &mut self.outcomes[puzzle];
        outcome.solutions += 1;
        Wanted {
            digits: self.batch.keeps_solutions && outcome.solution.is_none(),
            more: outcome.solutions < self.batch.bounds.solution_limit(),
        }
    }

    fn digits(&mut self, puzzle: usize) -> &mut [u8] {
        &mut self.digits[..self.batch.grids[puzzle].cells().len()]
    }

    fn written(&mut self, puzzle: usize) {
        let grid = self.batch.grids[puzzle];
        self.outcomes[puzzle].solution = Grid::of(grid.shape(), &self.digits[..grid.cells().len()]);
    }

    fn close(&mut self, sweeps: u64, begun: Instant) {
        let nanos = nanos_of_a_share(sweeps, begun);
        for outcome in &mut *self.outcomes {
            outcome.nanos = (outcome.nanos as f64 * nanos) as u64;
        }
    }
}
