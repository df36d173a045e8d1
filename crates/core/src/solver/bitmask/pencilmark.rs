//! The bitmask engine for grids of candidates: its search starts from fewer candidates.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::Bitmask;
use super::state::Candidates;
use crate::grid::Pencilmarks;
use crate::solver::account::SearchAccount;
use crate::solver::search::{Terms, search_each};
use crate::solver::{Bounds, GridSolver, Outcome, Searched, SolutionLimit, Solver};

/// The bitmask engine for [`Pencilmarks`]: exact, each solution once, on the stack of [`Bitmask`].
///
/// ```
/// use gridmill_core::grid::{Digit, Pencilmarks, Puzzle};
/// use gridmill_core::solver::{Bounds, GridSolver, PencilmarkBitmask};
///
/// let mut engine = PencilmarkBitmask::new();
/// let mut count = |marks: &Pencilmarks| engine.count(marks, &Bounds::solutions(2)).solutions;
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse().unwrap();
/// let marks = Pencilmarks::from(&puzzle);
/// assert_eq!(count(&marks), 1);
///
/// // The solution has a 4 in the third cell.
/// let mut candidates = *marks.candidates();
/// candidates[2] = candidates[2].without(Digit::new(4).unwrap());
/// assert_eq!(count(&Pencilmarks::new(candidates)), 0);
/// ```
#[derive(Debug, Default)]
pub struct PencilmarkBitmask(Bitmask);

impl PencilmarkBitmask {
    /// Returns an engine with its stack.
    #[must_use]
    pub fn new() -> PencilmarkBitmask {
        PencilmarkBitmask::default()
    }

    fn search_batch(&mut self, puzzles: &[Pencilmarks], terms: Terms<'_>, outcomes: &mut [Outcome]) -> usize {
        search_each(puzzles, terms, outcomes, |marks, account| {
            self.0.explore(Candidates::of_marks(marks), account)
        })
    }
}

impl Solver<Pencilmarks> for PencilmarkBitmask {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn solve_until(
        &mut self,
        puzzles: &[Pencilmarks],
        limit: SolutionLimit,
        outcomes: &mut [Outcome],
        stop: &AtomicBool,
    ) -> usize {
        self.search_batch(puzzles, Terms { bounds: limit.into(), keeps_solutions: true, stop }, outcomes)
    }

    fn memory(&self) -> Option<usize> {
        self.0.memory()
    }
}

impl GridSolver<Pencilmarks> for PencilmarkBitmask {
    fn search_until(
        &mut self,
        marks: &Pencilmarks,
        bounds: &Bounds,
        stop: &AtomicBool,
        found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Searched {
        let mut account = SearchAccount::new(bounds, stop, found);
        let flow = self.0.explore(Candidates::of_marks(marks), &mut account);
        account.close(flow)
    }

    fn count_until(
        &mut self,
        puzzles: &[Pencilmarks],
        bounds: &Bounds,
        outcomes: &mut [Outcome],
        stop: &AtomicBool,
    ) -> usize {
        self.search_batch(puzzles, Terms { bounds: *bounds, keeps_solutions: false, stop }, outcomes)
    }
}
