//! The bitmask engine for grids of candidates: the same search, from a state that eliminations narrow down.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::super::search::{Tally, one_by_one};
use super::super::{Bounds, End, GridOutcome, Searched, SolverKind};
use super::state::State;
use super::{Account, Bitmask};
use crate::grid::{Pencilmarks, Shape};

impl Account for Tally<'_> {
    type End = End;

    fn guess(&mut self) -> ControlFlow<End> {
        Tally::guess(self)
    }

    fn solution(&mut self, state: &State) -> ControlFlow<End> {
        let solution = state.solution().expect("a solved state has a digit in every cell");
        Tally::solution(self, solution.cells())
    }
}

/// The bitmask engine for [`Pencilmarks`]: exact, each solution once, on the stack of [`Bitmask`].
///
/// ```
/// use gridmill::grid::{Digit, Pencilmarks, Puzzle};
/// use gridmill::solver::{Bounds, PencilmarkBitmask};
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
    /// An engine with its stack.
    #[must_use]
    pub fn new() -> PencilmarkBitmask {
        PencilmarkBitmask::default()
    }

    /// The name under which the engine is chosen.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        SolverKind::Bitmask.name()
    }

    /// Finds the solutions as [`GridSolver::search_until`](crate::solver::GridSolver::search_until) does.
    pub fn search_until(
        &mut self,
        marks: &Pencilmarks,
        bounds: &Bounds,
        stop: &AtomicBool,
        found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Searched {
        let mut tally = Tally::new(bounds, stop, found);
        let flow = self.0.explore(State::of_candidates(marks), &mut tally);
        tally.close(flow)
    }

    /// Counts the solutions.
    pub fn count(&mut self, marks: &Pencilmarks, bounds: &Bounds) -> Searched {
        self.search_until(marks, bounds, &AtomicBool::new(false), &mut |_| ControlFlow::Continue(()))
    }

    /// Solves `puzzles[i]` into `outcomes[i]` within bounds, and returns how many: all of them, unless `stop`
    /// became true. The first solutions are kept if that is asked for.
    ///
    /// # Panics
    ///
    /// Where there are not as many outcomes as puzzles.
    pub fn solve_batch(
        &mut self,
        puzzles: &[Pencilmarks],
        bounds: &Bounds,
        keeps_solutions: bool,
        stop: &AtomicBool,
        outcomes: &mut [GridOutcome],
    ) -> usize {
        assert_eq!(puzzles.len(), outcomes.len(), "a batch needs an outcome for each puzzle");
        one_by_one(
            puzzles,
            keeps_solutions,
            outcomes,
            |_| Shape::CLASSIC,
            |marks, found| self.search_until(marks, bounds, stop, found),
        )
    }
}
