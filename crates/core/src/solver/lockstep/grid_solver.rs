//! Classic puzzles in the lanes, searched within bounds, and listed.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::Lockstep;
use super::any_batch_state::search_in_lanes;
use super::batch_state::BatchState;
use super::list_state::{ListState, list_in_lanes};
use crate::grid::Puzzle;
use crate::solver::search::Terms;
use crate::solver::{Bounds, Clues, GridLike, GridSolver, Outcome, Searched, SolutionLists};

/// The solutions of a puzzle come in the order of its search in one lane: the same for every backend and any batch.
impl GridSolver<Puzzle> for Lockstep {
    /// Searches in one lane, and reads `stop` in each sweep.
    fn search_until(
        &mut self,
        puzzle: &Puzzle,
        bounds: &Bounds,
        stop: &AtomicBool,
        found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Searched {
        let (puzzles, mut found) = ([puzzle.clues()], |_, digits: &[u8]| found(digits));
        let mut state = ListState::new(&puzzles, bounds, stop, &mut found);
        self.run(&mut state as &mut dyn BatchState);
        state.into_searched()[0]
    }

    fn count_until(
        &mut self,
        puzzles: &[Puzzle],
        bounds: &Bounds,
        outcomes: &mut [Outcome],
        stop: &AtomicBool,
    ) -> usize {
        let terms = Terms { bounds: *bounds, keeps_solutions: false, stop };
        search_in_lanes(puzzles, terms, outcomes, |_, state| self.run(state as &mut dyn BatchState))
    }

    fn list_until(
        &mut self,
        puzzles: &[Puzzle],
        bounds: &Bounds,
        lists: &mut SolutionLists,
        stop: &AtomicBool,
    ) -> usize {
        let clues: Vec<Clues<'_>> = puzzles.iter().map(GridLike::clues).collect();
        list_in_lanes(&clues, bounds, lists, stop, |_, state| self.run(state as &mut dyn BatchState))
    }
}
